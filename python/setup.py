# SPDX-License-Identifier: BSD-2-Clause
"""The package gsort, with libgsort.so.0 and its ABI; or a source distribution, with all sources of gsort.

The library is that of $GSORT_BUILD, a build folder; else it is built here from the sources of which
this folder is a part.  GSORT_SYSTEM_LIBRARY=1 leaves it out: then the one that is installed is loaded.
A source distribution takes the sources out of $GSORT_TARBALL, which make dist makes.
"""
import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from packing import SOURCE, Wheel, WithLibraries, put, version	# noqa: E402

LIBRARY = "libgsort.so.0"
WITH_LIBRARY = not os.environ.get("GSORT_SYSTEM_LIBRARY")


def build_library(build):
	"""Configure and build the library in a folder of its own, as the sources are not to change."""
	if not (SOURCE / "configure").exists():
		subprocess.run(["autoreconf", "--install", "--force"], cwd=SOURCE, check=True)
	build.mkdir(parents=True, exist_ok=True)
	subprocess.run([SOURCE / "configure", "--without-cuda", "-q"], cwd=build, check=True)
	subprocess.run(["make", "-s", f"-j{os.cpu_count()}", LIBRARY], cwd=build, check=True)


class BuildPython(build_py):
	def run(self):
		super().run()
		package = pathlib.Path(self.build_lib) / "gsort"
		shutil.copy(SOURCE / "src" / "libgsort.abi", package)
		if WITH_LIBRARY:
			build = os.environ.get("GSORT_BUILD")
			if not build:
				build = pathlib.Path(self.build_lib).resolve().parent / "libgsort"
				build_library(build)
			put(pathlib.Path(build) / LIBRARY, package)


class SourceDistribution(sdist):
	def make_release_tree(self, base_dir, files):
		super().make_release_tree(base_dir, files)
		sources = pathlib.Path(base_dir) / "source"
		sources.mkdir()
		shutil.copy("packing.py", base_dir)
		subprocess.run(["tar", "-xf", os.environ["GSORT_TARBALL"], "--strip-components=1", "-C", sources], check=True)


# Without Python.h, calls go through ctypes.
CALLS = Extension("gsort._calls", ["gsort/_calls.c"], include_dirs=[str(SOURCE / "src")], py_limited_api=True, optional=True)

setup(version=version(), ext_modules=[CALLS], **({"distclass": WithLibraries} if WITH_LIBRARY else {}),
      cmdclass={"build_py": BuildPython, "bdist_wheel": Wheel, "sdist": SourceDistribution})
