# SPDX-License-Identifier: BSD-2-Clause
# Union, intersection and difference of inputs, as multisets and as sets.

load ../helpers

@test "sets of random keys are those of Python" {
	needs python3
	python3 "$GSORT_SOURCE/tests/tools/sets.py" 1 120
}

@test "the rules of multisets, and with -u of sets" {
	printf '%s\n' 3 1 1 2 >a
	printf '%s\n' 2 1 5 2 >b
	result() { gsort "$@" a b | tr '\n' ' '; }
	[ "$(result --union)" = '1 1 2 2 3 5 ' ]
	[ "$(result --intersect)" = '1 2 ' ]
	[ "$(result --difference)" = '1 3 ' ]
	[ "$(result --symmetric)" = '1 2 3 5 ' ]
	[ "$(result -u --union)" = '1 2 3 5 ' ]
	[ "$(result -u --intersect)" = '1 2 ' ]
	[ "$(result -u --difference)" = '3 ' ]
	[ "$(result -u --symmetric)" = '3 5 ' ]
	[ "$(result --union --count -r | tr -s ' ')" = ' 1 5 1 3 2 2 2 1 ' ]
	[ "$(result --union a)" = '1 1 2 2 3 5 ' ]	# of a, a and b
	[ "$(result --difference /dev/null)" = '' ]
	printf -- '-0\n0\nnan\n1e3\n' >a
	printf '0\n1000\nNaN\n' >b
	[ "$(result -g --intersect)" = 'nan 0 1000 ' ]
	[ "$(result -g --difference)" = '0 ' ]
	[ "$(result -g -u --difference)" = '' ]
	printf 'x\n1\n' >a
	printf 'y\n2\n' >b
	[ "$(result --header --union)" = 'x 1 2 ' ]
}

@test "options of the output are those of the whole, not of each input" {
	printf '%s\n' 2 255 >a
	printf '%s\n' 1 2 >b
	echo old >out
	ln out other
	gsort --union --in-place -o out a b
	[ "$(tr '\n' ' ' <other)" = '1 2 255 ' ]
	gsort --union --in-place -o out b out
	[ "$(tr '\n' ' ' <other)" = '1 2 255 ' ]
	gsort --union --to=u16 --endian=big a b | cmp - <(printf '\0\1\0\2\0\377')
	printf '\2\377' >a
	gsort -u8 --force --union --to=text --base=16 a a | cmp - <(printf '2\nff\n')
	gsort -u8 --force --union --to=text -z a a | tr '\0' ' ' | grep -qx '2 255 '
}

@test "inputs larger than memory, compressed, from a pipe" {
	needs gzip
	gen --seed 1 --keys 600000 --type u64 >keys
	head -c 3200000 keys >a
	tail -c 3200000 keys >b
	gsort -u64 <(tail -c +1600001 keys | head -c 1600000) >middle
	gsort -u64 --intersect a b | cmp - middle
	gzip -c a >a.gz
	for options in '-S 1M -T .' --parallel=1 '-S 1M -T . -r' '--verify -S 1M -T . --compress-program=zstd'; do
		# shellcheck disable=SC2086
		gsort -u64 --intersect $options a.gz - <b | gsort -u64 | cmp - middle
	done
	gsort -u64 --union -S 1M -T . -o a a.gz b
	gsort -u64 keys | cmp - a
	gsort -u64 --symmetric a a.gz b >/dev/null
	[ -z "$(gsort -u64 --difference b keys)" ]
	printf '%s\0' a b | gsort -u64 --intersect --files0-from=- | cmp - <(gsort -u64 b)
}

@test "many spans in memory, by any number of threads; many equal keys" {
	gen --seed 2 --keys 1500000 --type u64 >keys
	head -c 8000000 keys >a
	tail -c 8000000 keys >b
	gsort -u64 keys >all
	gsort -u64 <(tail -c +4000001 keys | head -c 4000000) >both
	gen --seed 3 --keys 150000 --type u32 --dist zipf >c
	gen --seed 4 --keys 250000 --type u32 --dist zipf >d
	for input in c d; do
		gsort -u32 --to=text $input | LC_ALL=C sort >$input.txt
	done
	LC_ALL=C comm -12 c.txt d.txt | gsort >common
	LC_ALL=C comm -3 c.txt d.txt | tr -d '\t' | gsort >apart
	[ -s common ]
	[ -s apart ]
	for threads in 1 2 5 16; do
		gsort -u64 --parallel=$threads --union a b | cmp - all
		gsort -u64 --parallel=$threads -r --intersect b a | gsort -u64 | cmp - both
		gsort -u32 --parallel=$threads --to=text --intersect c d | cmp - common
		gsort -u32 --parallel=$threads --to=text --symmetric c d | cmp - apart
	done
}

@test "an input that cannot be read ends all of it" {
	seq 100000 >a
	echo x >b
	cp a out
	fails 'b:1: not a number: "x"' gsort --union -o out a b
	fails 'b:1: not a number: "x"' gsort --union -o out b a
	fails 'cannot read: c: No such file' gsort --union -o out a c
	cmp a out
	mkfifo slow
	sleep 1000 >slow 3>&- 4>&- &	# b is read meanwhile
	fails 'b:1: not a number: "x"' gsort --union b slow
	kill $!
	gsort --union --invalid=ignore a b | cmp - a
}

@test "what cannot be combined is refused" {
	echo 1 >a
	for pair in '--union --intersect' '--difference --symmetric' '-c --union' '-m --union' \
	            '--intersect --summary' '--intersect --sample' '--union --device=gpu'; do
		fails "options '${pair% *}' and '${pair#* }' are incompatible" gsort ${pair/sample/sample=2} a a
	done
	fails "'-m' and '--union' are incompatible" gsort -m --union a a
	fails "and '--split' are incompatible: files are cut by the number of all keys" \
		gsort --union --split=2 -o 'x%r' a a
	fails "a set operation needs two FILEs at least" gsort --union
	fails "a set operation needs two FILEs at least" gsort --union a
	fails "standard input ('-') can be only one input of a set operation" gsort --union - a -
	fails "is too large here: with --merge, sets, --unique" gsort --union --tail=2M a a
}
