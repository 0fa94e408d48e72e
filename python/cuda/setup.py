# SPDX-License-Identifier: BSD-2-Clause
"""What the package gsort needs to use a GPU, for pip: libgsort_cuda.so.0 and the module, of $GSORT_BUILD.

They go into the folder of gsort, where gsort.cuda and libgsort.so.0 look for them.
"""
import os
import pathlib
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from packing import Wheel, WithLibraries, put, version	# noqa: E402

LIBRARY, MODULE = "libgsort_cuda.so.0", "gsort-cuda.so"


class BuildPython(build_py):
	def run(self):
		package = pathlib.Path(self.build_lib) / "gsort"
		package.mkdir(parents=True, exist_ok=True)
		for name in LIBRARY, MODULE:
			put(pathlib.Path(os.environ["GSORT_BUILD"]) / name, package)


setup(version=version(), install_requires=["gsort==" + version()], distclass=WithLibraries,
      packages=["gsort"], package_dir={"gsort": "."}, cmdclass={"build_py": BuildPython, "bdist_wheel": Wheel})
