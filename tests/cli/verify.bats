# SPDX-License-Identifier: BSD-2-Clause
#
# --verify: right output passes.  Wrong keys from a GPU or a temporary file are an error, with or
# without it.

load ../helpers

@test "all that is right passes, and is the same" {
	for type in u8 i16 u32 i64 f32 f64; do
		gen --seed 1 --keys 300000 --type $type --dist zipf >in
		for options in "" -r -u -ru; do
			echo "$type $options"
			gsort $options --type=$type in >expected
			gsort --verify $options --type=$type in | cmp - expected
			cat in | gsort --verify $options --type=$type | cmp - expected
		done
		gsort --verify --count --unique=repeated --type=$type in >out
		gsort --count --unique=repeated --type=$type in | cmp - out
	done
	: >empty
	gsort --verify -u32 empty | cmp - empty
}

@test "text that is right passes" {
	{ gen --seed 1 --keys 100000 --type text --range full
	  gen --seed 2 --keys 100000 --type text --range small --dist zipf
	  gen --seed 3 --keys 100000 --type text --range i32; } >in
	for options in "" -r -u -ru --count "-r --count" --unique=repeated --unique=singletons; do
		gsort $options in >expected
		gsort --verify $options in | cmp - expected
	done
}

@test "of a head the order is verified, and it is said that this is all" {
	gen --seed 1 --keys 2000000 --type u32 >in
	gsort -u32 in | head -c 400 >expected
	gsort -u32 --verify --head=100 --debug in 2>err | cmp - expected
	grep "verified: .*in order.*head" err
}

@test "-m --force --verify does not verify the order" {
	printf '3\n1\n2\n' >in
	printf '5\n4\n' >more
	gsort --lines -m --force --verify in more | paste -sd ' ' | grep -qx '3 1 2 5 4'
	gsort --lines --verify in more | paste -sd ' ' | grep -qx '1 2 3 4 5'
}

# emulated: skip unless there is an emulated GPU; its memory
emulated() {
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	export GSORT_EMU_MEMORY=$((64 << 20))
}

@test "what a GPU has sorted passes, in one batch and in several" {
	emulated
	gen --seed 1 --keys 300000 --type u32 >in
	gsort -u32 in >expected
	gsort-emu --device=gpu -u32 --verify in | cmp - expected
	gsort-emu --device=gpu -Sgpu:1M -u32 --verify in | cmp - expected
	gen --seed 1 --keys 70000 --type text --range full >in
	gsort in >expected
	gsort-emu --device=gpu --verify in | cmp - expected
}

# damaged N OPTION...: gsort, of whose temporary file a bit is flipped by the N-th read
damaged() {
	LD_PRELOAD=$PWD/damage.so DAMAGE=$1 gsort "${@:2}"
}

build_damage() {
	skips_under_sanitizer "it wants to be the first library"
	needs cc
	cat >damage.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdatomic.h>
		#include <stdlib.h>
		#include <sys/stat.h>
		#include <unistd.h>

		ssize_t
		pread64(int fd, void *into, size_t bytes, off64_t at)
		{
			static atomic_int reads;
			ssize_t (*next)(int, void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pread64");
			ssize_t got = next(fd, into, bytes, at);
			struct stat st;

			if (got > 0 && fstat(fd, &st) == 0 && st.st_nlink == 0 &&
			    ++reads == atoi(getenv("DAMAGE")))
				((char *)into)[got / 2] ^= 4;
			return got;
		}

		ssize_t
		pread(int fd, void *into, size_t bytes, off_t at)
		{
			return pread64(fd, into, bytes, at);
		}
	END
	cc -shared -fPIC -o damage.so damage.c
}

@test "a wrong bit of a temporary file is found, and -o is as it was" {
	local options
	build_damage
	gen --seed 2 --keys 5000000 --type u32 --dist zipf >in
	for options in "" --verify -r "-u --verify" --count "--unique=repeated --verify"; do
		echo old >out
		run damaged 2 -u32 -S 17M -T . $options -o out in
		[ $status = 2 ]
		[ "$output" = "gsort: temporary file in .: what was read is not what was written" ]
		[ "$(cat out)" = old ]
	done
	gsort -u32 in >expected
	head -c 4000000 in | gsort -u32 --to=text | shuf --random-source=in >lines
	for options in "--record-size=16 -k u64@0 in" "-u64 --argsort=u64 --verify in" "--lines -r lines" \
	               "--lines -n --argsort=u32 lines" "--argsort=u64 lines"; do
		echo old >out
		run damaged 20 -S 5M -T . -o out $options
		[ $status = 2 ]
		[ "$output" = "gsort: temporary file in .: what was read is not what was written" ]
		[ "$(cat out)" = old ]
	done
	damaged 100000 -u32 -S 17M -T . --verify -o out in	# there are not so many reads
	cmp out expected
}

@test "a bit of the keys that is wrong when they cross the bus is found in any case" {
	emulated
	gen --seed 1 --keys 100000 --type u64 >in
	for copy in 1 2; do
		echo old >out
		run env GSORT_EMU_STRAY=$copy gsort-emu --device=gpu -Sgpu:1M -u64 -o out in
		[ $status = 2 ]
		grep "the GPU's result is wrong" <<<"$output"
		[ "$(cat out)" = old ]
	done
}
