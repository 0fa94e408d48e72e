# SPDX-License-Identifier: BSD-2-Clause
"""The source distribution, made with what a fresh virtual environment has."""
import pathlib
import shutil
import subprocess
import sys
import tarfile

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def test_a_source_distribution_needs_no_wheel(tmp_path):
	"""Python 3.11 has setuptools 65, which does not have bdist_wheel."""
	pytest.importorskip("setuptools")
	if not (SOURCE / "configure.ac").exists():
		pytest.skip("not in the sources")
	tree = tmp_path / "tree"
	shutil.copytree(SOURCE / "python", tree / "python")
	shutil.copy(SOURCE / "configure.ac", tree)
	with tarfile.open(tmp_path / "gsort.tar.xz", "w:xz") as tarball:
		tarball.add(tree / "configure.ac", "gsort/configure.ac")
	program = ("import runpy, sys; sys.modules['wheel'] = sys.modules['setuptools.command.bdist_wheel'] = None;"
	           f"sys.argv[1:] = ['-q', 'sdist', '-d', {str(tmp_path)!r}]; runpy.run_path('setup.py', run_name='__main__')")
	subprocess.run([sys.executable, "-W", "ignore", "-c", program], cwd=tree / "python", check=True,
	               env={"GSORT_TARBALL": str(tmp_path / "gsort.tar.xz"), "PATH": "/usr/bin:/bin"})
	assert len(list(tmp_path.glob("gsort-*.tar.gz"))) == 1
