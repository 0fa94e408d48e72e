# SPDX-License-Identifier: BSD-2-Clause
# What a start costs: the libraries that are loaded and the threads that are started.

load ../helpers

# preload C: from here on all programs have what this says between them and the C library
preload() {
	needs cc
	printf '%s\n' '#define _GNU_SOURCE' '#include <dlfcn.h>' '#include <pthread.h>' \
		'#include <stdio.h>' '#include <unistd.h>' "$1" >preload.c
	cc -shared -fPIC -o preload.so preload.c -ldl
}

# How many threads the rest makes.
threads_of() {
	LD_PRELOAD=$PWD/preload.so "$@" 2>&1 >/dev/null | grep -c '^a thread$' || true
}

@test "what is not for every job is not linked" {
	needs readelf
	readelf -d "$GSORT" | grep NEEDED >libraries
	grep -q libc libraries
	not grep -E 'libgomp|libz|lib(bz2|zstd|lz4|lzma|archive)' libraries
}

@test "text that is not compressed loads no library, and compressed text does" {
	needs gzip zstd
	seq 100 -1 1 >text
	LD_DEBUG=files gsort text >out 2>loaded
	grep -q 'libc\.so' loaded || skip "the loader does not tell"
	not grep -E 'libgomp|libz|lib(bz2|zstd|lz4|lzma|archive)' loaded
	gzip -c text >text.gz
	LD_DEBUG=files gsort text.gz 2>loaded | cmp - out
	grep -q 'libz\.so' loaded
	zstd -qc text >text.zst
	LD_DEBUG=files gsort text.zst 2>loaded | cmp - out
	grep -q 'libzstd\.so' loaded
}

@test "what the processor can do comes from the loader of glibc, which takes no time" {
	needs readelf getconf
	readelf -d "$GSORT" | grep -q 'libc\.so\.6' || skip "another C library"
	printf 'glibc 2.33\n%s\n' "$(getconf GNU_LIBC_VERSION)" | sort -CV || skip "an older glibc"
	not is_sanitized || skip "under a sanitizer the processor is asked"
	GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX512F gsort --version -v >said
	grep -qx 'SIMD: portable' said
}

@test "few lines of a file are sorted and checked without a thread" {
	preload 'int pthread_create(pthread_t *id, const pthread_attr_t *a, void *(*f)(void *), void *c) {
		int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
			dlsym(RTLD_NEXT, "pthread_create");
		return write(2, "a thread\n", 9) == 9 ? create(id, a, f, c) : 1; }'
	seq 1000 -1 1 >text
	gsort -o sorted text
	gen --keys 1000000 >many
	[ "$(threads_of gsort -u32 --device=cpu --parallel=2 many)" -gt 0 ]
	[ "$(threads_of gsort --parallel=8 text)" = 0 ]
	[ "$(threads_of gsort --parallel=8 -u32 sorted)" = 0 ]
	[ "$(threads_of gsort --parallel=8 -c sorted)" = 0 ]
}

@test "without libraries for compressed data: one message, and no loss" {
	needs gzip zstd xz bzip2
	preload 'void *dlopen(const char *name, int flags) { (void)name; (void)flags;
		FILE *file = fopen("searched", "a"); fputs("x\\n", file); fclose(file); return NULL; }'
	seq 1000 -1 1 >text
	gen --keys 4000000 --type u64 >in
	gsort -u64 -o sorted in
	gzip -c text >text.gz
	zstd -qc text >text.zst
	xz -c text >text.xz
	bzip2 -c text >text.bz2
	export LD_PRELOAD=$PWD/preload.so
	fails "text.gz: libz.so.1 cannot be loaded: install zlib, or decompress the gzip data first" \
		gsort text.gz
	fails "text.zst: libzstd.so.1 cannot be loaded: install libzstd, or decompress" gsort text.zst
	fails "text.xz: liblzma.so.5 cannot be loaded: install liblzma, or decompress" gsort text.xz
	fails "text.bz2: libarchive.so.13 cannot be loaded: install libarchive, or decompress" gsort text.bz2
	for program in zstd lz4; do
		: >searched
		gsort -u64 -S 1 -T . --compress-program=$program --debug -o out in 2>told
		cmp out sorted
		grep -q "go to temporary files" told
		[ "$(wc -l <searched)" -le "$(($(nproc) * 2))" ]
	done
	unset LD_PRELOAD
	fails "text.gz: cannot be decompressed: libz.so.1: " \
		bash -c 'exec 3>&- 4>&- 5>&- 6>&-; ulimit -n 4; gsort --decompress=no-sandbox text.gz'
}

@test "threads that the system refuses are done without, with a warning" {
	preload 'int pthread_create(pthread_t *id, const pthread_attr_t *a, void *(*f)(void *), void *c) {
		(void)id; (void)a; (void)f; (void)c; return 11; /* EAGAIN */ }'
	gen --seed 5 --keys 3000000 --type u64 >in
	gsort -u64 in >sorted
	gsort -u64 --to=text in >text
	zstd -qc in >in.zst
	refused() {
		LD_PRELOAD=$PWD/preload.so "$@" 2>err
		[ "$(grep -c 'warning: the system refused to start a thread' err)" = 1 ]
		[ "$(wc -l <err)" = 1 ]
	}
	refused gsort -u64 --parallel=4 in -o out
	cmp sorted out
	refused gsort -u64 --parallel=4 -S 16M in -o out
	cmp sorted out
	refused gsort --parallel=4 text -o out
	cmp text out
	refused gsort --parallel=4 -S 16M text -o out
	cmp text out
	# after an error it did not go on
	fails "write failed: /dev/full: No space left on device" \
		env LD_PRELOAD="$PWD/preload.so" "$GSORT" -u64 --parallel=4 in -o /dev/full
	refused gsort -u64 --parallel=4 in.zst -o out
	cmp sorted out
	refused gsort -u64 -c --parallel=4 sorted
	refused gsort -u64 -m --parallel=4 sorted -o out
	cmp sorted out
	# lines are merged, too, and one that is out of order is an error
	sort text >lines
	(cat lines; echo) >bad
	refused gsort -m --lines --parallel=4 lines lines -o out
	cmp out <(sort -m lines lines)
	! LD_PRELOAD=$PWD/preload.so timeout 30 gsort -m --lines --parallel=4 bad lines 2>err >out || false
	grep -q "^gsort: bad:$(wc -l <bad): disorder: : merging needs sorted inputs" err
}
