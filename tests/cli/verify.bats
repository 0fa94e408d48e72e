# SPDX-License-Identifier: BSD-2-Clause
#
# --verify: what is right passes, what a GPU got wrong does not.

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
		gsort --verify --count --repeated --type=$type in >out
		gsort --count --repeated --type=$type in | cmp - out
	done
	: >empty
	gsort --verify -u32 empty | cmp - empty
}

@test "text that is right passes" {
	{ gen --seed 1 --keys 100000 --type text --range full
	  gen --seed 2 --keys 100000 --type text --range small --dist zipf
	  gen --seed 3 --keys 100000 --type text --range i32; } >in
	for options in "" -r -u -ru --count "-r --count" --repeated --singletons; do
		gsort $options in >expected
		gsort --verify $options in | cmp - expected
	done
}

@test "of a head the order is verified, and it is said that this is all" {
	gen --seed 1 --keys 2000000 --type u32 >in
	gsort -u32 in | head -c 400 >expected
	gsort -u32 --verify --head-count=100 --debug in 2>err | cmp - expected
	grep "verified: .*in order.*head" err
}

# emulated: skip unless there is a pretend GPU; its memory
emulated() {
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	export GSORT_EMU_MEMORY=$((64 << 20))
}

@test "what a GPU has sorted passes, in one batch and in several" {
	emulated
	gen --seed 1 --keys 300000 --type u32 >in
	gsort -u32 in >expected
	gsort-emu --device=gpu -u32 --verify in | cmp - expected
	gsort-emu --device=gpu --gpu-memory=1M -u32 --verify in | cmp - expected
	gen --seed 1 --keys 70000 --type text --range full >in
	gsort in >expected
	gsort-emu --device=gpu --verify in | cmp - expected
}

# corrupt N OPTION...: a bit of the keys that came is flipped before their N-th copy to a GPU.
# (What goes wrong on the GPU itself is found in any case: guard.bats.)
corrupt() {
	GSORT_EMU_STRAY=$1 gsort-emu --device=gpu "${@:2}"
}

# finds N OPTION...: that bit is found
finds() {
	local status=0
	echo "$*"
	corrupt "$@" >out.found 2>err || status=$?
	[ $status = 2 ]
	grep "result is wrong: .*report.*--device=cpu" err
}

@test "a wrong bit passes unnoticed without --verify" {
	emulated
	gen --seed 1 --keys 100000 --type u64 >in
	gsort -u64 in >right
	corrupt 1 -u64 -o wrong in
	not cmp -s right wrong
	[ "$(cmp -l right wrong | wc -l)" = 1 ]
}

@test "a wrong bit is found, and -o is as it was" {
	emulated
	gen --seed 1 --keys 100000 --type u64 >in
	echo old >out
	finds 1 -u64 --verify -o out in
	[ "$(cat out)" = old ]
	corrupt 99 -u64 --verify -o out in	# there are not so many copies
	gsort -u64 in | cmp - out
}

@test "a wrong bit is found in batches, whatever goes out of them" {
	emulated
	gen --seed 2 --keys 200000 --type u32 --dist zipf >in
	for options in "" -r -u --count --repeated; do
		for copy in 1 2; do
			finds $copy -u32 --gpu-memory=1M --verify $options in
		done
	done
	gen --seed 2 --keys 30000 --type text --range u32 >in
	finds 1 --verify in
}
