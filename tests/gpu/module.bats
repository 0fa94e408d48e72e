# SPDX-License-Identifier: BSD-2-Clause
#
# The GPU module, gsort-cuda.so: found beside the program, loaded only when a GPU is wanted, and
# refused if it is of another version.  The emulated module stands for the real one.

load ../helpers

prepare() {
	mkdir installed
	cp "$GSORT" installed/gsort
	gen --keys 100000 --type u32 >in
	gsort --device=cpu -u32 -o expected in
}

module() {
	cp "$GSORT_BUILD/tests/emu/gsort-cuda.so" installed/
}

@test "the module beside the program is loaded and sorts" {
	skips_under_sanitizer "the module is built for a program without one"
	module
	installed/gsort -u32 --device=gpu -v -o out in 2>err
	grep -q 'EMULATED\|Emulated\|emulated' err
	cmp out expected
	installed/gsort --version -v | grep '^GPU module: CUDA runtime'
	installed/gsort --version -vv | grep -i '^gpu:0 .*emulated'
}

@test "argv[0] does not say where the module is" {
	skips_under_sanitizer "the module is built for a program without one"
	mkdir evil
	cp "$GSORT_BUILD/tests/emu/gsort-cuda.so" evil/
	run bash -c 'exec -a "$PWD/evil/libgsort.so" installed/gsort -u32 --device=gpu -o out in'
	[ "$status" = 2 ]
	[[ $output == *"the GPU module is not installed"* ]]
	(exec -a "$PWD/evil/libgsort.so" installed/gsort --version -v) | grep -q 'gsort-cuda.so: No such file'
}

@test "without the module the CPU sorts, and --device=gpu is refused with what to do" {
	installed/gsort -u32 -o out in
	cmp out expected
	run installed/gsort -u32 --device=gpu -o out in
	[ $status = 2 ]
	[[ $output == *"module"*"--device=cpu"* ]]
	installed/gsort --version -v | grep -q 'gsort-cuda.so: No such file'
	installed/gsort --version -vv | grep -q '^gpu .*gsort-cuda.so: No such file'
}

@test "a module of another version is refused" {
	skips_under_sanitizer "the module is built for a program without one"
	module
	version=$(gsort --version | head -n 1 | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')
	other=$(tr 0-9 1-90 <<<"$version")
	python3 - installed/gsort-cuda.so "$version" "$other" <<-'END'
		import sys
		path, version, other = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
		data = open(path, 'rb').read()
		assert b'\0' + version + b'\0' in data
		open(path, 'wb').write(data.replace(b'\0' + version + b'\0', b'\0' + other + b'\0'))
	END
	run installed/gsort -u32 --device=gpu -o out in
	[ $status = 2 ]
	[[ $output == *"gsort-cuda.so is of version $other, but this is gsort $version"* ]]
	installed/gsort -u32 -o out in
	cmp out expected
}

@test "a file that is not a module is refused" {
	echo nonsense >installed/gsort-cuda.so
	run installed/gsort -u32 --device=gpu -o out in
	[ $status = 2 ]
	[[ $output == *"gsort-cuda.so cannot be loaded: "* ]]
	installed/gsort -u32 -o out in
	cmp out expected
}

@test "gsort links no CUDA library, and small jobs load no module" {
	run ldd "$GSORT"
	[[ $output != *cuda* ]]
	needs strace
	module
	strace -f -e trace=openat -o trace installed/gsort -u32 -o out in
	not grep -q gsort-cuda trace
}

@test "an allocator that always fails ends in status 2, not in a crash" {
	skips_under_sanitizer "it has an allocator of its own"
	needs cc
	cat >none.c <<-'END'
		#include <errno.h>
		#include <stddef.h>
		void *malloc(size_t n) { (void)n; errno = ENOMEM; return NULL; }
		void *calloc(size_t n, size_t m) { (void)n; (void)m; errno = ENOMEM; return NULL; }
		void *realloc(void *p, size_t n) { (void)p; (void)n; errno = ENOMEM; return NULL; }
		void free(void *p) { (void)p; }
	END
	cc -shared -fPIC -o none.so none.c
	module
	run env LD_PRELOAD="$PWD/none.so" installed/gsort -u32 -o out in
	echo "$status: $output"
	[ $status = 2 ]
}

@test "no launcher calls a function that is only for the device" {
	# nvcc lets a template do so, puts exit() in its place, and warns of nothing
	find "$GSORT_BUILD/kernels/device" -name '*.o' ! -name '*.emu.o' >objects
	[ -s objects ] || skip "built without CUDA"
	xargs nm -u <objects >symbols
	grep -q cudaLaunchKernelExC symbols
	not grep -w exit symbols
}
