# SPDX-License-Identifier: BSD-2-Clause
# The Python module: python/tests with pytest, as built here and as installed from a wheel.

load ../helpers

prepare() {
	[ -e "$GSORT_BUILD/libgsort.so.0" ] || skip "there is no shared library: sanitizer, or --disable-shared"
	# Another python3 may come first in PATH than the one that has the distribution's numpy.
	for python in python3 /usr/bin/python3; do
		"$python" -c 'import numpy, pytest' 2>/dev/null && return
	done
	skip "no python3 with numpy and pytest (python3-numpy, python3-pytest)"
}

# A folder source that has all from which wheels are made: building writes there.
copy_source() {
	mkdir -p source/src
	cp -r "$GSORT_SOURCE/python" source
	cp "$GSORT_SOURCE/src/libgsort.abi" "$GSORT_SOURCE/src/gsort.h" source/src
	cp "$GSORT_SOURCE/configure.ac" source
}

@test "arrays and files are sorted as numpy sorts them; arrays of a GPU, emulated" {
	GSORT_CUDA_LIBRARY=$GSORT_BUILD/tests/emu/libgsort_cuda.so.0 \
		GSORT_LIBRARY=$GSORT_BUILD/libgsort.so.0 PYTHONPATH=$GSORT_SOURCE/python PYTHONDONTWRITEBYTECODE=1 \
		"$python" -m pytest -q -p no:cacheprovider --basetemp="$PWD/pytest" "$GSORT_SOURCE/python/tests" \
		>log 2>&1 || { tail -n 40 log; false; }
	grep -qE '^[0-9]{2,} passed' log
}

@test "arrays are sorted the same through _calls.c, which setup.py builds where Python.h is" {
	"$python" -c 'import setuptools, sysconfig; open(sysconfig.get_paths()["include"] + "/Python.h")' 2>/dev/null ||
		skip "no setuptools, or no Python.h (python3-dev)"
	copy_source
	(cd source/python && "$python" setup.py -q build_ext --inplace) >log 2>&1 || { cat log; false; }
	not grep warning: log
	export GSORT_LIBRARY=$GSORT_BUILD/libgsort.so.0 PYTHONPATH=$PWD/source/python PYTHONDONTWRITEBYTECODE=1
	"$python" -c 'from gsort import _native, _calls; assert _native.sort_quickly is _calls.sort'
	"$python" -m pytest -q -p no:cacheprovider --basetemp="$PWD/pytest" source/python/tests/test_arrays.py \
		source/python/tests/test_exceptions.py -k 'not files and not figures' >log 2>&1 || { tail -n 40 log; false; }
	grep -qE '^[0-9]{2,} passed' log
}

@test "annotations: mypy --strict finds nothing, and knows parameters and results" {
	left_to_ci "mypy, which no test installs"
	"$python" -c 'import mypy.version as m; exit(tuple(map(int, m.__version__.split(".")[:2])) < (1, 8))' \
		2>/dev/null || skip "no mypy of version 1.8 or newer"
	cat >use.py <<-'END'
		import gsort
		stats: gsort.Stats = gsort.sort_file("a", "b", csv=True, key="x", memory=None or 2**30)
		gsort.sort_file("a", "b", reverse=True)
		gsort.sort_file("a", "b", memory="1G")
		merged: gsort.Stats = gsort.union(["a", "b"], "c")
		keys: int = gsort.union([[1], [2]])
	END
	export MYPYPATH=$GSORT_SOURCE/python PYTHONDONTWRITEBYTECODE=1
	"$python" -m mypy --strict --cache-dir=cache "$GSORT_SOURCE/python/gsort" || { "$python" -m mypy --version; false; }
	not "$python" -m mypy --strict --cache-dir=cache use.py >log
	[ "$(sed -n 's/^use.py:\([0-9]\): error.*/\1/p' log | tr '\n' ' ')" = "3 4 6 " ] || { cat log; false; }
}

@test "the example sorts a file in place, through a memory map" {
	GSORT_LIBRARY=$GSORT_BUILD/libgsort.so.0 PYTHONPATH=$GSORT_SOURCE/python PYTHONDONTWRITEBYTECODE=1 \
		"$python" "$GSORT_SOURCE/examples/median.py" 100001 >printed
	[ "$(cat printed)" = "100001 keys, median 50000, sorted: True" ]
}

@test "on a GPU: tensors of torch and arrays of CuPy, by __cuda_array_interface__, and the example" {
	needs_gpu
	export GSORT_CUDA_LIBRARY=$GSORT_BUILD/libgsort_cuda.so.0 GSORT_LIBRARY=$GSORT_BUILD/libgsort.so.0
	export PYTHONPATH=$GSORT_SOURCE/python PYTHONDONTWRITEBYTECODE=1
	[ -e "$GSORT_CUDA_LIBRARY" ] || skip "a build without CUDA"
	"$python" -c 'import torch' || skip "no torch"
	"$python" -m pytest -q -p no:cacheprovider --basetemp="$PWD/pytest" -k 'torch or cupy' \
		"$GSORT_SOURCE/python/tests/test_cuda.py" >log 2>&1 || { tail -n 40 log; false; }
	"$python" "$GSORT_SOURCE/examples/device_sort.py" 1000001 >printed
	grep -qx '1000001 keys, sorted: True, in order of their indices: True' printed
	grep -qx 'the same keys: True' printed
}

@test "a wheel has the library in it, names no folder of this machine, and works when it is installed" {
	left_to_ci "a wheel"
	"$python" -c 'import setuptools, wheel, pip' 2>/dev/null || skip "no setuptools, wheel and pip"
	copy_source
	GSORT_BUILD=$GSORT_BUILD "$python" -m pip wheel -q --no-deps --no-build-isolation --no-index \
		-w . ./source/python >log 2>&1 || { cat log; false; }
	wheel=$(ls gsort-*.whl)
	[[ $wheel == gsort-*-py3-none-manylinux_2_*_x86_64.whl || $(uname -m) != x86_64 ]]
	"$python" -m pip install -q --no-deps --no-index --target installed "$wheel" >log 2>&1 || { cat log; false; }
	[ -s installed/gsort/libgsort.so.0 ]
	not grep -rqF "$GSORT_SOURCE" installed
	PYTHONPATH=$PWD/installed "$python" -c 'import gsort; print(gsort.__version__, gsort.sort([2, 1]))' >printed
	[ "$(cat printed)" = "$("$GSORT" --version | sed -n 's/^gsort //p') [1 2]" ]
}

@test "the wheel gsort-cuda has the libraries for GPUs, which gsort finds beside it; without it the error names it" {
	left_to_ci "two wheels"
	skips_under_sanitizer "the module is built for a program without one"
	"$python" -c 'import setuptools, wheel, pip' 2>/dev/null || skip "no setuptools, wheel and pip"
	copy_source
	for parts in ".:$GSORT_BUILD" "cuda:$GSORT_BUILD/tests/emu"; do	# the emulated GPU's stand for the real ones
		GSORT_BUILD=${parts#*:} "$python" -m pip wheel -q --no-deps --no-build-isolation --no-index \
			-w . "./source/python/${parts%%:*}" >log 2>&1 || { cat log; false; }
	done
	cat >use.py <<-'END'
		import numpy, gsort, test_cuda
		numpy.array([3, 1, 2], "u4").tofile("in")
		keys = test_cuda.There(numpy.array([3, 1, 2], "u4"))
		gsort.cuda.sort(keys, allocate=test_cuda.allocate)
		gsort.sort_file("in", "out", type="u4", device="gpu")
		print(keys.array, numpy.fromfile("out", "u4"))
	END
	"$python" -m pip install -q --no-deps --no-index --target alone gsort-*.whl >log 2>&1 || { cat log; false; }
	"$python" -m pip install -q --no-deps --no-index --target both ./*.whl >log 2>&1 || { cat log; false; }
	export PYTHONDONTWRITEBYTECODE=1
	PYTHONPATH=$PWD/both:$GSORT_SOURCE/python/tests "$python" use.py >printed
	[ "$(cat printed)" = "[1 2 3] [1 2 3]" ]
	PYTHONPATH=$PWD/alone:$GSORT_SOURCE/python/tests not "$python" use.py 2>err
	grep -q '^gsort._native.DeviceError: the library for GPUs cannot be loaded: libgsort_cuda.so.0: .*; the wheel gsort-cuda has it, and' err
}

@test "bench/array.py measures C, Python and numpy, and checks what they sort" {
	GSORT_LIBRARY=$GSORT_BUILD/libgsort.so.0 PYTHONPATH=$GSORT_SOURCE/python PYTHONDONTWRITEBYTECODE=1 \
		"$python" "$GSORT_SOURCE/bench/array.py" 12 1 2 >told
	[ "$(grep -cE '^(uint32|uint64|float32|float64) 4096, 1 threads: numpy [0-9.]+, C [0-9.]+, gsort.sort [0-9.]+;' told)" -eq 4 ]
	[ "$(grep -cE '^(uint32|uint64|float32|float64) 4096, 2 threads: C [0-9.]+, gsort.sort [0-9.]+; Python takes' told)" -eq 4 ]
	GSORT_LIBRARY=$GSORT_BUILD/libgsort.so.0 PYTHONPATH=$GSORT_SOURCE/python PYTHONDONTWRITEBYTECODE=1 \
		"$python" "$GSORT_SOURCE/bench/array.py" pays 0 2 1000 >told
	[ "$(grep -cE '^(sort|argsort|stable argsort) .* (10|1000) ( +[0-9]+[.][0-9]{4}){6}$' told)" -eq 45 ]
}
