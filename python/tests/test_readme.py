# SPDX-License-Identifier: BSD-2-Clause
"""The blocks of README.md and the example of the module run as they are printed, with fewer keys."""
import os
import pathlib
import re
import textwrap

import gsort
import numpy as np

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"


def test_blocks_run(tmp_path, monkeypatch):
	monkeypatch.chdir(tmp_path)
	random = np.random.default_rng(1)
	random.standard_normal(99).tofile("trades.bin")
	pathlib.Path("ids.txt").write_text("3\n1\n3\n")
	pathlib.Path("x.txt").write_text("3.5\n-1e3\n")
	pathlib.Path("events.csv").write_text('id,price\n1,20\n2,"3"\n')
	pathlib.Path("old.csv").write_text("id,price\n2,9\n7,1\n")
	pathlib.Path("log.txt").write_text("b;2\na;10\n")
	ticks = np.zeros(99, [("time", ">u8"), ("price", "f4"), ("name", "S4")])
	ticks["time"], ticks["price"] = random.integers(0, 9, 99), random.random(99)
	ticks.tofile("ticks.bin")
	np.save("ticks.npy", ticks)
	blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
	names = {}
	for block in blocks:
		exec(compile(block.replace("10**8", "10**5"), str(README), "exec"), names)
	assert len(blocks) == 2
	assert np.array_equal(np.load("sorted.npy")["time"], np.sort(ticks["time"]))
	assert pathlib.Path("sorted.csv").read_text() == 'id,price\n2,"3"\n1,20\n'
	assert pathlib.Path("new.csv").read_text() == "id,price\n1,20\n"
	assert pathlib.Path("sorted.log").read_text() == "b;2\na;10\n"
	assert np.fromfile("x.bin").tolist() == [-1000, 3.5]
	assert gsort.is_sorted(names["keys"]) and gsort.is_sorted(np.fromfile("sorted.bin"))
	assert gsort.check_file("sorted.ticks", type=names["tick"], key=["name", "price:r"])
	os.remove("sorted.npy")
	os.remove("sorted.csv")
	example = textwrap.dedent(gsort.__doc__.split("\n\n", 1)[1].rpartition("\n\n")[0])
	exec(example.replace("10**8", "10**5"), {})
	assert np.array_equal(np.load("sorted.npy"), np.sort(np.load("big.npy")))
	assert pathlib.Path("sorted.csv").read_text() == 'id,price\n2,"3"\n1,20\n'


def test_tables_name_all_that_there_is():
	text = README.read_text()
	public = {name for name in gsort.__all__ if callable(getattr(gsort, name)) and name[0].islower()}
	assert {name for name in public if not re.search(rf"`{name}[(`]", text)} == set()
