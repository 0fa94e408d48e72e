# SPDX-License-Identifier: BSD-2-Clause
"""Exceptions from elsewhere, at every line of the module: what a call began has ended when it raises them."""
import ctypes
import errno
import functools
import itertools
import operator
import os
import pathlib
import random
import signal
import sys
import threading

import gsort
import gsort._files
import numpy as np
import pytest

MODULE = str(pathlib.Path(gsort.__file__).parent)


class Enough(Exception):
	"""A caller's own: a limit of time, say."""


class RaiseAt:
	"""Raises KIND before line number COUNT that the module runs, in any thread of Python."""

	def __init__(self, kind, count):
		self.kind, self.left, self.raised = kind, count, False

	def trace(self, frame, event, _argument):
		if not frame.f_code.co_filename.startswith(MODULE):
			return None
		if event == "line":
			if self.left == 0:
				self.raised, self.left = True, -1
				raise self.kind("here")
			self.left -= 1
		return self.trace

	def __enter__(self):
		threading.settrace(self.trace)
		sys.settrace(self.trace)
		return self

	def __exit__(self, *_error):
		sys.settrace(None)
		threading.settrace(None)


def held():
	"""How many files are open: a job has some until it is closed, when its thread has ended."""
	return len(os.listdir("/proc/self/fd"))


def at_every_line(kind, call, check):
	"""CALL until it is through without an exception; CHECK after each.  Returns how often it was called."""
	before = held()
	for count in range(100000):
		with RaiseAt(kind, count) as at:
			try:
				call()
			except kind as error:
				assert error.args == ("here",)
		assert held() == before
		check()
		if not at.raised:
			return count


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Enough])
@pytest.mark.parametrize("progress", [None, str])
def test_files(tmp_path, kind, progress):
	"""The output is as it was, or complete: nothing else, and no other file is left."""
	np.array([3, 1, 2], "u4").tofile(tmp_path / "in")
	np.array([1, 3], "u4").tofile(tmp_path / "sorted")
	out = tmp_path / "out"
	for calls, sorted_bytes in (
		(lambda: gsort.sort_file(tmp_path / "in", out, type="u4", progress=progress),
		 np.array([1, 2, 3], "u4").tobytes()),
		(lambda: gsort.merge_files([tmp_path / "sorted", tmp_path / "sorted"], out, type="u4",
		                           memory=2**24, temp_dirs=tmp_path, progress=progress),
		 np.array([1, 1, 3, 3], "u4").tobytes()),
	):
		def check(complete=sorted_bytes):
			assert out.read_bytes() in (b"as it was", complete)
			assert sorted(os.listdir(tmp_path)) == ["in", "out", "sorted"]
			out.write_bytes(b"as it was")

		check(out.write_bytes(b"as it was"))
		assert at_every_line(kind, calls, check) > 60


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Enough])
def test_figures_and_sets(kind):
	"""The files without a name through which arrays go are closed."""
	keys = np.array([3, 1, 2], "u4")
	for call in (lambda: gsort.quantiles(keys, 0.5), lambda: gsort.union([keys, keys])):
		assert at_every_line(kind, call, lambda: None) > 60


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Enough])
def test_files_before_the_end(tmp_path, monkeypatch, kind):
	"""While input is still to come, the output is as it was.  The exception comes wherever the job is."""
	monkeypatch.setattr(gsort._files, "_POLL_SECONDS", 0.001)
	os.mkfifo(tmp_path / "fifo")
	hold = os.open(tmp_path / "fifo", os.O_RDWR)
	out = tmp_path / "out"
	out.write_bytes(b"as it was")
	before = held()
	for count in range(100):
		with RaiseAt(kind, count), pytest.raises(kind, match="here"):
			gsort.sort_file(tmp_path / "fifo", out, type="u4", progress=str)
		assert held() == before
		assert out.read_bytes() == b"as it was" and sorted(os.listdir(tmp_path)) == ["fifo", "out"]
	os.close(hold)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Enough])
def test_arrays(kind):
	keys = np.random.default_rng(1).integers(0, 99, 5000, "u4")
	parts = [np.sort(keys), np.sort(keys)]
	before = keys.copy()
	for call in (lambda: gsort.sort(keys, unique=True), lambda: gsort.argsort(keys), lambda: gsort.merge(parts),
	             lambda: gsort.is_sorted(keys), lambda: gsort.sort(keys.tolist(), descending=True)):
		assert at_every_line(kind, call, lambda: None) > 10
		assert np.array_equal(keys, before)
	payload = keys.copy()
	assert at_every_line(kind, lambda: gsort.sort_pairs(keys, payload), lambda: None) > 10
	assert np.array_equal(keys, np.sort(before)) and np.array_equal(keys, payload)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Enough])
def test_callbacks(tmp_path, monkeypatch, kind):
	"""progress raises at its first, second ... call, while input is still to come: the output is as it was."""
	monkeypatch.setattr(gsort._files, "_POLL_SECONDS", 0.001)
	os.mkfifo(tmp_path / "fifo")
	hold = os.open(tmp_path / "fifo", os.O_RDWR)
	out = tmp_path / "out"
	out.write_bytes(b"as it was")
	before = held()
	for last in range(1, 10):
		calls = []

		def progress(now, calls=calls, last=last):
			calls.append(now)
			if len(calls) == last:
				raise kind("here")

		with pytest.raises(kind, match="here"):
			gsort.sort_file(tmp_path / "fifo", out, type="u4", progress=progress)
		assert len(calls) == last
		assert held() == before
		assert out.read_bytes() == b"as it was" and sorted(os.listdir(tmp_path)) == ["fifo", "out"]
	os.close(hold)


def test_no_thread(tmp_path, monkeypatch):
	np.array([3, 1, 2], "u4").tofile(tmp_path / "in")
	before = held()
	monkeypatch.setattr(gsort._files._LIBC, "pthread_create", lambda *_: errno.EAGAIN)
	with pytest.raises(RuntimeError, match="cannot start a thread"):
		gsort.sort_file(tmp_path / "in", tmp_path / "out", type="u4")
	assert held() == before and os.listdir(tmp_path) == ["in"]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Enough])
def test_signal_beside_an_exception(tmp_path, kind):
	"""A signal waits for its handler, which raises, when an exception comes out of progress."""
	os.mkfifo(tmp_path / "fifo")
	hold = os.open(tmp_path / "fifo", os.O_RDWR)

	def handler(_number, _frame):
		raise kind("here")

	old, before = signal.signal(signal.SIGALRM, handler), held()
	calls = itertools.chain(filter(None, map(ctypes.CDLL(None)["raise"], [signal.SIGALRM])),
	                        map(operator.truediv, [1], [0]))
	with pytest.raises(kind, match="here") as raised:
		gsort.sort_file(tmp_path / "fifo", tmp_path / "out", type="u4", progress=functools.partial(next, calls))
	assert isinstance(raised.value.__context__, ZeroDivisionError)
	if sys.version_info < (3, 11):		# the job ends with the exception
		del raised
	assert held() == before
	signal.signal(signal.SIGALRM, old)
	os.close(hold)
	assert os.listdir(tmp_path) == ["fifo"]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Enough])
@pytest.mark.parametrize("again", [0, 0.0001, 0.0003])
def test_signals(tmp_path, again, kind):
	"""A signal at any time, or one after the other, whose handler raises."""
	np.random.default_rng(1).integers(0, 2**32, 200000, "u4").tofile(tmp_path / "in")

	def handler(_number, frame):
		while frame is not None and not frame.f_code.co_filename.startswith(MODULE):
			frame = frame.f_back
		if frame is not None:		# not in the lines of this test
			raise kind("here")

	times, raised, before = random.Random(1), 0, held()
	old = signal.signal(signal.SIGALRM, handler)
	for _ in range(1000 if os.environ.get("GSORT_SLOW") else 30):
		try:
			signal.setitimer(signal.ITIMER_REAL, times.uniform(1e-5, 2e-3), again)
			gsort.sort_file(tmp_path / "in", tmp_path / "out", type="u4")
		except (kind, SystemError):		# of CPython 3.11, if a signal comes while a handler runs
			raised += 1
		signal.setitimer(signal.ITIMER_REAL, 0)
		assert held() == before
	signal.signal(signal.SIGALRM, old)
	assert raised > 0 and sorted(os.listdir(tmp_path)) in (["in"], ["in", "out"])
