# SPDX-License-Identifier: BSD-2-Clause
"""Put libgsort.so.0 and its ABI into the package, and tag the wheel by what the library needs.

The library is that of $GSORT_BUILD, a build folder; else it is built here from the sources of which
this folder is a part.  GSORT_SYSTEM_LIBRARY=1 leaves it out: then the one that is installed is loaded.
"""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

try:
	from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
	from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent
LIBRARY = "libgsort.so.0"
WITH_LIBRARY = not os.environ.get("GSORT_SYSTEM_LIBRARY")


def version():
	text = (SOURCE / "configure.ac").read_text()
	return re.search(r"AC_INIT\(\[gsort\], \[([0-9.]+)\]", text).group(1)


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
			shutil.copy(pathlib.Path(build) / LIBRARY, package)
			subprocess.run(["strip", "--strip-unneeded", package / LIBRARY], check=True)


class Wheel(bdist_wheel):
	def finalize_options(self):
		super().finalize_options()
		self.root_is_pure = not WITH_LIBRARY

	def get_tag(self):
		"""Any Python 3 with a C library as new as the symbols that the library asks for (PEP 600)."""
		_, _, platform = super().get_tag()
		if WITH_LIBRARY:
			library = pathlib.Path(self.bdist_dir or ".") / "gsort" / LIBRARY
			if not library.exists():
				library = next(pathlib.Path("build").glob(f"lib*/gsort/{LIBRARY}"), None)
			if library and platform.startswith("linux_"):
				symbols = subprocess.run(["objdump", "-T", library], check=True, text=True,
				                         capture_output=True).stdout
				minor = max(int(m) for m in re.findall(r"GLIBC_2\.(\d+)", symbols))
				platform = platform.replace("linux_", f"manylinux_2_{minor}_", 1)
		return "py3", "none", platform


setup(version=version(), cmdclass={"build_py": BuildPython, "bdist_wheel": Wheel})
