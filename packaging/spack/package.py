# SPDX-License-Identifier: BSD-2-Clause
"""A recipe for Spack: var/spack/repos/builtin/packages/gsort-numeric/package.py.

make release prints the checksum; whoever publishes the tarball sets homepage, url and sha256.
"""
from spack.package import *


class GsortNumeric(AutotoolsPackage):
    """Sort big files of numbers, lines and records: text and binary, on all cores, with a GPU, or on
    many hosts by MPI."""

    homepage = "https://example.org/gsort"
    url = "https://example.org/gsort/gsort-0.2.0.tar.xz"
    license("BSD-2-Clause")

    version("0.2.0", sha256="0" * 64)

    variant("mpi", default=False, description="Build gsort-mpi, for several processes and hosts")
    variant("cuda", default=False, description="Build the GPU module and libgsort_cuda")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    for codec in ("libarchive", "lz4", "xz", "zlib-api", "zstd"):
        depends_on(codec)
    depends_on("mpi", when="+mpi")
    depends_on("cuda", when="+cuda")

    conflicts("platform=darwin", msg="gsort runs on Linux")
    conflicts("platform=windows", msg="gsort runs on Linux")

    def configure_args(self):
        args = ["--enable-all-codecs"]
        args.append("--with-mpi=" + self.spec["mpi"].mpicc if "+mpi" in self.spec else "--without-mpi")
        args.append("--with-cuda=" + self.spec["cuda"].prefix if "+cuda" in self.spec else "--without-cuda")
        return args

    def setup_run_environment(self, env):
        # libraries of codecs are loaded by name when a job needs them
        for codec in ("libarchive", "lz4", "xz", "zlib-api", "zstd"):
            env.prepend_path("LD_LIBRARY_PATH", self.spec[codec].prefix.lib)
