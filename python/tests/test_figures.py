# SPDX-License-Identifier: BSD-2-Clause
"""Figures and sets, of files and of arrays, beside numpy and collections.Counter."""
import collections
import math

import gsort
import numpy as np
import pytest

DTYPES = ["u1", "i2", ">i4", "u8", "f2", ">f4", "f8", "?"]


def drawn(seed, dtype):
	random = np.random.default_rng(seed)
	return (random.integers(-40, 40, random.integers(1, 500)) / 4).astype(dtype)


def sources(tmp_path, keys):
	"""The keys as an array, as files, as both, and how they are called."""
	half = len(keys) // 2
	keys[:half].tofile(tmp_path / "a")
	keys[half:].tofile(tmp_path / "b")
	np.save(tmp_path / "keys.npy", keys)
	yield keys, {}
	yield [keys[:half], keys[half:]], {}
	yield [tmp_path / "a", tmp_path / "b"], {"type": keys.dtype, "force": True}
	yield [keys[:half], str(tmp_path / "b")], {}
	if keys.dtype.kind != "b":
		yield tmp_path / "keys.npy", {"type": keys.dtype}


@pytest.mark.parametrize("dtype", DTYPES)
def test_figures(tmp_path, dtype):
	for seed in range(5):
		keys = drawn(seed, dtype)
		expect = np.sort(keys)
		shares = [0, 0.1, 0.25, 0.5, 0.999, 1]
		ranks = [max(math.ceil(share * len(keys)) - 1, 0) for share in shares]
		values, counts = np.unique(keys, return_counts=True)
		frequent = sorted(zip(values.tolist(), counts.tolist()), key=lambda row: (-row[1], row[0]))
		for src, options in sources(tmp_path, keys):
			found = gsort.quantiles(src, shares, **options)
			assert found == expect[ranks].tolist() and type(found[0]) is type(expect.tolist()[0])
			assert gsort.quantiles(src, 0.5, **options) == found[3]
			summary = gsort.summary(src, **options)
			assert [summary[name] for name in ("min", "q1", "median", "q3", "max")] == [
				expect[max(math.ceil(share * len(keys)) - 1, 0)] for share in (0, 0.25, 0.5, 0.75, 1)]
			assert (summary["count"], summary["distinct"]) == (len(keys), len(values))
			assert summary["sum"] == (math.fsum if keys.dtype.kind == "f" else sum)(keys.tolist())
			assert summary["mean"] == summary["sum"] / len(keys)
			assert gsort.top(src, 4, **options) == frequent[:4]
			bars = gsort.histogram(src, 5, **options)
			assert sum(count for _, _, count in bars) == len(keys)
			for low, high, count in bars if dtype != "?" else []:
				assert np.count_nonzero((keys >= low) & (keys <= high)) == count or keys.dtype.kind == "f"


def test_figures_of_other_kinds(tmp_path):
	(tmp_path / "in").write_text("10.0.0.2\n9.0.0.1\n")
	assert gsort.quantiles(tmp_path / "in", 1, type="ipv4") == "10.0.0.2"
	(tmp_path / "in").write_text("nan\n1\n-inf\n")
	summary = gsort.summary(tmp_path / "in", type="text-float")
	assert summary["min"] == -math.inf and math.isnan(summary["max"]) and math.isnan(summary["sum"])
	(tmp_path / "in").write_text("18446744073709551615\n7\n7\n")
	assert gsort.top(tmp_path / "in") == [(7, 2), (2**64 - 1, 1)]
	(tmp_path / "in").write_text("")
	for kind in None, "text-float", "time", "u4":
		assert gsort.quantiles(tmp_path / "in", [0.5], type=kind) == [None]
		assert gsort.top(tmp_path / "in", type=kind) == gsort.histogram(tmp_path / "in", type=kind) == []
		assert gsort.summary(tmp_path / "in", type=kind)["max"] is None
	assert gsort.quantiles([3, 1, 2], 0.5) == 2 and gsort.quantiles([0.1, 0.2], 0) == 0.1
	assert gsort.quantiles(np.array([[3, 1], [2, 4]]), 1) == 4
	assert gsort.top(np.array(["b", "a", "b"]).astype("S"), 1) == [(b"b", 2)]
	for call in gsort.top, gsort.summary, lambda a: gsort.union([a, a]):
		with pytest.raises(TypeError, match=r"also strings.*np.char.encode\(a\) makes bytes"):
			call(np.array(["b", "a"]))
	assert gsort.top(np.char.encode(np.array(["b", "\xe4", "b"])), 1) == [(b"b", 2)]
	for name in "tail", "sample":
		with pytest.raises(ValueError, match=rf"quantiles\(\) and {name} are incompatible"):
			gsort.quantiles([1], 0.5, **{name: 1})
	for wrong in 1.5, -0.1, "x", np.nan:
		with pytest.raises(ValueError):
			gsort.quantiles([1], wrong)
	for mixed in [np.zeros(3, "M8[s]"), tmp_path / "in"], [np.zeros(3, "M8[s]"), np.zeros(3)]:
		with pytest.raises(TypeError, match="as 'i8' they are ticks"):
			gsort.summary(mixed)
	with pytest.raises(TypeError, match="have one dtype, which is the type"):
		gsort.summary([np.zeros(3, "i4"), np.zeros(3, "i8")])
	with pytest.raises(TypeError, match="have one dtype, which is the type"):
		gsort.summary(np.zeros(3, "i4"), type="i8")
	with pytest.raises(TypeError, match="masks"):
		gsort.summary(np.ma.array([1, 2], mask=[0, 1]))


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "f8"])
def test_floats_are_floats(tmp_path, dtype):
	"""-0 keeps its sign, and whole sums and means are no integers."""
	keys = np.array([-0.0, -0.0, 0.0], dtype)
	keys.tofile(tmp_path / "in")
	for src, options in (keys, {}), (tmp_path / "in", {"type": keys.dtype, "force": True}):
		assert repr(gsort.top(src, 3, **options)) == "[(-0.0, 2), (0.0, 1)]"
		assert repr(gsort.quantiles(src, [0, 1], **options)) == "[-0.0, 0.0]"
		summary = gsort.summary(src, **options)
		assert repr([summary[name] for name in ("min", "median", "max", "sum", "mean")]) == "[-0.0, -0.0, 0.0, 0.0, 0.0]"
		assert repr(gsort.histogram(src, 1, **options)[0][1]) == "0.0"
	(tmp_path / "in").write_text("-1\n4\n3\n")
	found = gsort.summary(tmp_path / "in", type="text-float")
	assert repr([found["min"], found["sum"], found["mean"]]) == "[-1.0, 6.0, 2.0]"
	assert repr(gsort.summary([1, 2, 3])["sum"]) == "6" and gsort.summary(keys[:0])["sum"] in (None, 0)


@pytest.mark.parametrize("dtype", ["M8[ns]", ">M8[D]", "m8[s]"])
def test_times(dtype):
	"""Values of the same unit before and after 1970; NaT is last, and has a bar of its own."""
	random = np.random.default_rng(1)
	for share in 0, 0.2, 1:
		times = random.integers(-9, 9, 300).astype("i8").view(dtype.replace(">", "")).astype(dtype)
		times[random.random(300) < share] = "NaT"
		expect, missing = np.sort(times), int(np.isnat(times).sum())
		found = gsort.quantiles([times[:100], times[100:]], [0, 0.3, 1])
		assert np.array_equal(np.array(found, dtype), expect[[0, 89, 299]], equal_nan=True)
		assert np.array_equal(np.array(gsort.quantiles(times, 0.5)), expect[149], equal_nan=True)
		summary = gsort.summary(times)
		assert np.datetime_data(summary["max"].dtype) == np.datetime_data(times.dtype) and not {"sum", "mean"} & summary.keys()
		assert np.array_equal(summary["min"], expect[0], equal_nan=True) and summary["count"] == 300
		values, counts = np.unique(times[~np.isnat(times)], return_counts=True)
		rows = dict(zip(values.astype("i8").tolist(), counts.tolist()))
		assert {value.astype("i8"): count for value, count in gsort.top(times, 99)} == {
			**rows, **({-2**63: missing} if missing else {})}
		bars = gsort.histogram(times, 3)
		assert [np.count_nonzero((times >= low) & (times <= high)) or missing for low, high, _ in bars] == [
			count for _, _, count in bars] and sum(count for _, _, count in bars) == 300
		union = gsort.union([times, times[:7]], unique=True)
		assert union.dtype == times.dtype and np.array_equal(union, gsort.sort(times, unique=True), equal_nan=True)
		assert np.array_equal(gsort.difference([times, times[:150]]), np.sort(times[150:]), equal_nan=True) or share < 1
	assert gsort.summary(times[:0])["median"] is None and gsort.histogram(times[:0]) == []


def test_figures_of_a_column(tmp_path):
	"""Of the numbers that lines have by their key: quoted, missing, of several files."""
	random = np.random.default_rng(1)
	prices = [None if random.random() < 0.1 else round(float(price), 2) for price in random.normal(50, 30, 1000)]
	files = [tmp_path / "a.csv", tmp_path / "b.csv"]
	for number, path in enumerate(files):
		rows = "".join(f'"ACME, Inc.",{"" if price is None else price}\n' for price in prices[number::2])
		path.write_text("who,price\n" + rows)
	known = np.sort([price for price in prices if price is not None])
	options = {"csv": True, "header": 1, "key": "price:n"}
	shares = [0, 0.25, 0.5, 0.999, 1]
	ranks = [max(math.ceil(share * len(known)) - 1, 0) for share in shares]
	assert gsort.quantiles(files, shares, **options) == known[ranks].tolist()
	assert gsort.quantiles(files, 0.5, separator=",", header=1, key="3,3n") == gsort.quantiles(files, 0.5, **options)
	summary = gsort.summary(files, **options)
	assert [summary[name] for name in ("count", "missing", "distinct", "min", "max")] == [
		len(known), prices.count(None), len(np.unique(known)), known[0], known[-1]]
	assert summary["sum"] == math.fsum(known) and math.isclose(summary["mean"], known.mean())
	bars = gsort.histogram(files, 7, **options)
	assert [np.count_nonzero((known >= low) & (known < high)) for low, high, _ in bars[:-1]] == [
		count for _, _, count in bars[:-1]] and sum(count for _, _, count in bars) == len(known)
	(tmp_path / "c.csv").write_text("who,price\nx,3\ny,n/a\n")
	with pytest.raises(gsort.InputError, match='c.csv:3: .*"n/a"'):
		gsort.summary(tmp_path / "c.csv", **options)
	assert gsort.quantiles(tmp_path / "c.csv", 1, invalid="ignore", **options) == 3
	with pytest.raises(ValueError, match="needs? a key with the letter n, g or h: key='3,3n', or key='price:n' with header"):
		gsort.histogram(files, 7, csv=True, header=1, key="who")
	(tmp_path / "d.csv").write_text("who,price\nz,1\ny,2\ny,3\nx,4\n")
	assert gsort.quantiles(tmp_path / "d.csv", [0, 0.75, 1], csv=True, header=1, key="who") == ["x,4", "y,2", "z,1"]
	summary = gsort.summary(tmp_path / "d.csv", csv=True, header=1, key="who")
	assert (summary["count"], summary["distinct"], summary["max"]) == (4, 3, "z,1")


def test_top_of_lines_and_records(tmp_path):
	"""The first of equal ones, the most frequent first, then by the key."""
	random = np.random.default_rng(1)
	rows = [(int(number), str(name)) for number, name in zip(random.integers(-9, 9, 400), random.choice(["x", "y z", "\xe4"], 400))]

	def frequent(keys, items, count):
		first = {key: item for key, item in reversed(list(zip(keys, items)))}
		return [(first[key], n) for key, n in sorted(collections.Counter(keys).items(), key=lambda row: (-row[1], row[0]))][:count]

	text = [f'{number},"{name}",{at}' for at, (number, name) in enumerate(rows)]
	(tmp_path / "in.csv").write_text("n,name,at\n" + "\n".join(text) + "\n", encoding="utf-8")
	numbers, pairs = [number for number, _ in rows], [(name, number) for number, name in rows]
	options = {"csv": True, "header": 1}
	assert gsort.top(tmp_path / "in.csv", 7, key="n:n", **options) == frequent(numbers, list(map(str, numbers)), 7)
	assert gsort.top(tmp_path / "in.csv", 30, key=["name", "n:n"], **options) == frequent(pairs, [[name, str(number)] for name, number in pairs], 30)
	(tmp_path / "in.csv").write_text("1;2\n3;2\n")
	assert gsort.top(tmp_path / "in.csv", csv=True, separator=";", key="2,2") == [("2", 2)]
	assert gsort.top(tmp_path / "in.csv", csv=True, separator=";") == [("1;2", 1), ("3;2", 1)]
	(tmp_path / "in").write_bytes(b"b\0a\nx\0b\0\xff\0b\0")
	assert gsort.top(tmp_path / "in", 2, lines=True, zero_terminated=True) == [("b", 3), ("a\nx", 1)]
	assert gsort.top(tmp_path / "in", lines=True, zero_terminated=True)[-1] == ("\udcff", 1)
	records = np.array([(number, name.encode("latin-1"), at) for at, (number, name) in enumerate(rows)],
	                   [("n", ">i2"), ("name", "S3"), ("at", "u4")])
	items = records.tolist()
	assert gsort.top(records, 5, key="n") == frequent(numbers, numbers, 5)
	assert gsort.top([records[:90], records[90:]], 9, key=["name", "n"]) == frequent([item[1::-1] for item in items], [item[1::-1] for item in items], 9)
	records.tofile(tmp_path / "raw")
	assert gsort.top(tmp_path / "raw", 2, type=records.dtype) == [(item, 1) for item in sorted(items)[:2]]
	assert gsort.top(records["name"], 3) == frequent(records["name"].tolist(), records["name"].tolist(), 3)
	np.array([[1, 2**63], [1, 0], [1, 2**63]], "<u8").tofile(tmp_path / "wide")
	assert gsort.top(tmp_path / "wide", type="i128") == [(1 - 2**127, 2), (1, 1)]
	np.save(tmp_path / "in.npy", records)
	assert gsort.top(tmp_path / "in.npy", 2, key="n") == gsort.top(records, 2, key="n")
	assert gsort.quantiles(tmp_path / "in.npy", [0, 1], key="n") == gsort.quantiles(records, [0, 1], key="n")
	np.save(tmp_path / "keys.npy", records["n"].astype("f4"))
	assert repr(gsort.quantiles([tmp_path / "keys.npy"] * 2, [0, 1])) == repr(gsort.quantiles(records["n"].astype("f4"), [0, 1]))
	for call in (lambda: gsort.union([tmp_path / "keys.npy"] * 2), lambda: gsort.union([tmp_path / "keys.npy"] * 2, tmp_path / "out")):
		with pytest.raises(ValueError, match=r"union\(\) takes no .npy files: numpy.load\(path, mmap_mode='r'\) gives an array"):
			call()
	assert gsort.top(tmp_path / "in", 0, lines=True) == gsort.top(records[:0], 3) == []


def test_figures_of_a_field(tmp_path):
	random = np.random.default_rng(1)
	records = np.zeros(500, [("id", ">u2"), ("x", "f4"), ("name", "S3")])
	records["id"], records["x"] = random.integers(0, 99, 500), random.standard_normal(500)
	records.tofile(tmp_path / "in")
	for src, options in (records, {}), (tmp_path / "in", {"type": records.dtype}):
		for name in "id", "x":
			expect = np.sort(records[name])
			assert gsort.quantiles(src, [0, 0.5, 1], key=name, **options) == expect[[0, 249, 499]].tolist()
			summary = gsort.summary(src, key=name, **options)
			assert summary["max"] == expect[-1] and summary["distinct"] == len(np.unique(expect))
	with pytest.raises(ValueError, match="records"):
		gsort.quantiles(records, 0.5, key="name")
	with pytest.raises(ValueError, match="records"):
		gsort.quantiles(records, 0.5, key=["id", "x"])


RULES = {
	gsort.union: lambda m, n: max(m, n), gsort.intersect: min,
	gsort.difference: lambda m, n: max(m - n, 0), gsort.symmetric: lambda m, n: abs(m - n),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", RULES, ids=lambda operation: operation.__name__)
def test_sets(tmp_path, dtype, operation):
	for seed in range(3):
		arrays = [drawn(10 * seed + number, dtype) for number in range(seed + 2)]
		for unique in False, True:
			count = collections.Counter((np.unique(arrays[0]) if unique else arrays[0]).tolist())
			for other in arrays[1:]:
				beside = collections.Counter((np.unique(other) if unique else other).tolist())
				count = collections.Counter({key: RULES[operation](count[key], beside[key]) for key in {*count, *beside}})
			expect = np.array(sorted(count.elements()), dtype)
			result = operation(arrays, unique=unique)
			assert result.dtype == np.dtype(dtype) and np.array_equal(result, expect)
			for number, array in enumerate(arrays):
				array.tofile(tmp_path / f"in{number}")
			files = [tmp_path / f"in{number}" for number in range(len(arrays))]
			stats = operation(files, tmp_path / "out", type=dtype, unique=unique, force=True)
			assert stats.keys_out == len(expect) and np.array_equal(np.fromfile(tmp_path / "out", dtype), expect)
			assert np.array_equal(operation([*files[:-1], arrays[-1]], tmp_path / "out", unique=unique) and
			                      np.fromfile(tmp_path / "out", dtype), expect)


@pytest.mark.parametrize("operation", RULES, ids=lambda operation: operation.__name__)
def test_sets_of_lines_and_records(tmp_path, operation):
	"""Multisets by key: of whole lines, of a column, of fields; a pair of equal items leaves that of the first."""
	random = np.random.default_rng(1)
	dtype = np.dtype([("id", ">u2"), ("name", "S3"), ("who", "i1")])
	arrays, files = [], [tmp_path / "0.csv", tmp_path / "1.csv"]
	for who, path in enumerate(files):
		array = np.zeros(300, dtype)
		array["id"], array["name"], array["who"] = random.integers(0, 99, 300), random.choice([b"a", b"bc"], 300), who
		arrays.append(array)
		path.write_text("id,name,who\n" + "".join(f'{row["id"]},"{row["name"].decode()}",{who}\n' for row in array))

	def keys(rows, unique):
		return collections.Counter({key: 1 if unique else count for key, count in collections.Counter(rows).items()})

	for unique in False, True:
		for key in ["id"], ["name", "id:r"]:
			names = [name.partition(":")[0] for name in key]
			one, other = [keys(array[names].tolist(), unique) for array in arrays]
			expect = {each: RULES[operation](one[each], other[each]) for each in {*one, *other}}
			expect = {each: count for each, count in expect.items() if count > 0}
			result = operation(arrays, key=key, unique=unique)
			assert collections.Counter(result[names].tolist()) == expect and result.dtype == dtype
			of_first = collections.Counter(result[names][result["who"] == 0].tolist())
			assert all(count <= one[each] for each, count in of_first.items())
			assert operation is gsort.symmetric or all(of_first[each] == min(count, one[each]) for each, count in expect.items())
			columns = [name if name == "name" else name.replace(":", ":n") if ":" in name else name + ":n" for name in key]
			stats = operation(files, tmp_path / "out", csv=True, header=1, key=columns, unique=unique)
			head, *lines = (tmp_path / "out").read_text().splitlines()
			assert head == "id,name,who" and lines == [f'{i},"{name.decode()}",{who}' for i, name, who in result.tolist()]
			assert stats.keys_out == len(lines)
	operation(files, tmp_path / "out", lines=True, header=1)
	one, other = [collections.Counter(path.read_text().splitlines()[1:]) for path in files]
	expect = collections.Counter({each: RULES[operation](one[each], other[each]) for each in {*one, *other}})
	assert (tmp_path / "out").read_text().splitlines()[1:] == sorted(expect.elements())


@pytest.mark.parametrize("dtype", ["u4", "f8", "M8[s]", [("n", "i2"), ("s", "S3")]])
def test_byte_orders_go_together(dtype):
	"""np.concatenate() makes them native by itself."""
	native = np.arange(6).astype("M8[s]" if dtype == "M8[s]" else "i2").astype(dtype) if isinstance(dtype, str) else np.array(
		[(2, b"b"), (1, b"a"), (1, b"c")], dtype)
	other = native.astype(native.dtype.newbyteorder())
	for pair in (native, other), (other, native):
		union = gsort.union(list(pair), unique=True)
		assert union.dtype == native.dtype and union.tolist() == sorted(native.tolist())
	assert gsort.union([other, other], unique=True).dtype == other.dtype
	if native.dtype.kind in "uf":
		assert gsort.top([native, other], 1) == [(0, 2)]


def test_sets_say_what_they_need(tmp_path):
	(tmp_path / "in").write_text("1\n")
	assert gsort.difference.__doc__.startswith("The difference of SRCS") and "max(M - N, 0)" in gsort.difference.__doc__
	for call in (lambda: gsort.union([tmp_path / "in"] * 2), lambda: gsort.union([[1], [2]], count=True),
	             lambda: gsort.union([[1], [2]], to="text")):
		with pytest.raises(ValueError, match=r"union\(\) needs a dst for files, and with to and count"):
			call()
	with pytest.raises(ValueError, match="needs two"):
		gsort.union([[1]])
	with pytest.raises(ValueError, match=r"union\(\) needs a file or an array, or several"):
		gsort.union([])
	for call in lambda: gsort.quantiles([], 0.5), lambda: gsort.top([], 2), lambda: gsort.summary([]):
		with pytest.raises(ValueError, match="needs a file or an array, or several"):
			call()
	assert gsort.quantiles(np.array([]), 0.5) is None and gsort.top(np.empty(0, "u4"), 2) == []


def test_edges_of_a_histogram():
	keys = np.arange(1, 101)
	assert gsort.histogram(keys, 4) == [(1, 25, 25), (26, 50, 25), (51, 75, 25), (76, 100, 25)]
	assert gsort.histogram(keys, 4, edges="round") == [(0, 49, 49), (50, 99, 50), (100, 149, 1)]
	assert gsort.histogram(keys, 3, edges="log") == [(1, 9, 9), (10, 99, 90), (100, 999, 1)]
	with pytest.raises(ValueError, match="edges must be one of equal, round, log, not 'even'"):
		gsort.histogram(keys, edges="even")
	with pytest.raises(TypeError, match="sort_file\\(\\) has no parameter 'edges'"):
		gsort.sort_file("a", "b", edges="log")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype, keys, rounded, log", [
	("u1", [1, 255], [(0, 99, 1), (100, 199, 0), (200, 299, 1)], [(1, 9, 1), (10, 99, 0), (100, 999, 1)]),
	("i1", [-128, 127], [(-200, -1, 1), (0, 199, 1)], [(-9999, -1, 1), (0, 0, 0), (1, 9999, 1)]),
	(">u2", [1, 60000], [(0, 49999, 1), (50000, 99999, 1)], [(1, 99, 1), (100, 9999, 0), (10**4, 10**6 - 1, 1)]),
	("u8", [1, 2**64 - 1], [(0, 10**19 - 1, 1), (10**19, 2 * 10**19 - 1, 1)],
	 [(1, 10**8 - 1, 1), (10**8, 10**16 - 1, 0), (10**16, 10**20 - 1, 1)]),
	("i8", [-2**63, 2**63 - 1], [(-10**19, -1, 1), (0, 10**19 - 1, 1)],
	 [(1 - 10**20, -1, 1), (0, 0, 0), (1, 10**20 - 1, 1)]),
	("f2", [1, 65504], [(0, 5e4, 1), (5e4, 1e5, 1)], [(1, 1e2, 1), (1e2, 1e4, 0), (1e4, 1e6, 1)]),
	("f4", [1, 1e16], [(0, 5e15, 1), (5e15, 1e16, 0), (1e16, 1.5e16, 1)], [(1, 1e8, 1), (1e8, 1e16, 0), (1e16, 1e24, 1)]),
])
def test_edges_beyond_the_type(tmp_path, dtype, keys, rounded, log):
	"""Of an array, a file of raw keys and a field of records; edges are numbers of Python."""
	array = np.array(keys, dtype)
	array.tofile(tmp_path / "raw")
	records = np.zeros(2, [("name", "S3"), ("key", dtype)])
	records["key"] = array
	for edges, expect in ("round", rounded), ("log", log):
		for rows in (gsort.histogram(array, 3, edges=edges), gsort.histogram(tmp_path / "raw", 3, edges=edges, type=dtype),
		             gsort.histogram(records, 3, edges=edges, key="key")):
			assert rows == expect
			assert {type(edge) for row in rows for edge in row[:2]} == {float if array.dtype.kind == "f" else int}


@pytest.mark.parametrize("dtype", ["M8[D]", ">M8[s]", "m8[s]", ">m8[D]"])
def test_edges_of_times(dtype):
	"""They are round in the unit; NaT, which is -2**63, is none."""
	def times(*numbers):
		return np.array(numbers, "i8").astype(dtype)

	def rows(keys, bins, edges):
		return [(row[0].astype("i8"), row[1].astype("i8"), row[2]) for row in gsort.histogram(keys, bins, edges=edges)]

	nat, end = -2**63, 2**63 - 1
	keys = times(-1, 5, nat, 300)
	assert rows(keys, 3, "round") == [(-200, -1, 1), (0, 199, 1), (200, 399, 1), (nat, nat, 1)]
	assert rows([keys, keys[:1]], 3, "equal") == [(-1, 98, 3), (99, 199, 0), (200, 300, 1), (nat, nat, 1)]
	assert rows(times(-end, 7, end), 3, "round") == [(-end, -1, 1), (0, end, 2)]
	assert rows(times(nat), 3, "round") == [(nat, nat, 1)]
	assert gsort.histogram(keys, 3, edges="round")[0][0].dtype == np.dtype(dtype).newbyteorder("=")
	for log in keys, [keys, keys]:
		with pytest.raises(ValueError, match=r"edges='log' is of numbers, not of "):
			gsort.histogram(log, edges="log")
	with pytest.raises(TypeError):
		gsort.histogram([keys, keys.astype(dtype.split("[")[0] + "[h]")])
