# SPDX-License-Identifier: BSD-2-Clause
"""What the two wheels have in common: the version of gsort, libraries in the package, and a tag by what those need."""
import pathlib
import re
import shutil
import subprocess

from setuptools import Distribution

try:
	from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
	try:
		from wheel.bdist_wheel import bdist_wheel
	except ImportError:		# older than 70.1, and no wheel: enough for a source distribution
		from setuptools import Command as bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
# The sources of which this folder is a part, or those in a source distribution.
SOURCE = next(folder for folder in (HERE / "source", HERE.parent) if (folder / "configure.ac").exists())


def version():
	text = (SOURCE / "configure.ac").read_text()
	return re.search(r"AC_INIT\(\[gsort\], \[([0-9.]+)\]", text).group(1)


def put(library, package):
	shutil.copy(library, package)
	subprocess.run(["strip", "--strip-unneeded", package / library.name], check=True)


class WithLibraries(Distribution):
	def has_ext_modules(self):
		return True


class Wheel(bdist_wheel):
	"""For any Python 3 with a C library as new as the symbols that the libraries in the package ask for (PEP 600)."""

	def get_tag(self):
		_, _, platform = super().get_tag()
		libraries = (pathlib.Path(self.bdist_dir or ".") / "gsort").glob("*.so*")
		minors = [int(minor) for library in libraries for minor in re.findall(
			r"GLIBC_2\.(\d+)", subprocess.run(["objdump", "-T", library], check=True, text=True,
			                                   capture_output=True).stdout)]
		if minors and platform.startswith("linux_"):
			platform = platform.replace("linux_", f"manylinux_2_{max(minors)}_", 1)
		return "py3", "none", platform
