# SPDX-License-Identifier: BSD-2-Clause
# Binary records: --record-size, -k TYPE@OFFSET, and --argsort.

load ../helpers

# records N: N records of 16 bytes, a u64 that occurs several times and a u64 that does not
records() {
	python3 -c '
import array, random, sys
count = int(sys.argv[1])
records = array.array("Q", bytes(16 * count))
records[0::2] = array.array("Q", [key << 40 for key in random.Random(7).choices(range(count), k=count)])
records[1::2] = array.array("Q", range(count))
sys.stdout.buffer.write(records)
' "$1"
}

@test "records are in the order that Python makes of them, whatever keys and options" {
	python3 "$GSORT_SOURCE/tests/tools/records.py" "$GSORT" 0 120
}

@test "records are moved as a whole, and equal ones stay in input order" {
	records 50000 >in
	gsort --record-size=16 -k u64@0 in >out
	gsort --record-size=16 -k u64@0 -k u64@8 in | cmp - out	# the second one is the place
	gsort --record-size=16 -k u64@0 -r in >down
	gsort --record-size=16 -k u64@0r -k u64@8 in | cmp - down
	gsort --record-size=16 out | cmp - <(gsort --record-size=16 in)
}

@test "a pipe, several files and compressed files are the same input" {
	records 60000 >in
	gsort --record-size=16 -k u64@0 in >out
	gsort --record-size=16 -k u64@0 <in | cmp - out
	cat in | gsort --record-size=16 -k u64@0 | cmp - out
	head -c 320000 in >a; tail -c +320001 in >b
	gsort --record-size=16 -k u64@0 a b | cmp - out
	gzip b
	gsort --record-size=16 -k u64@0 a b.gz | cmp - out
}

@test "records larger than memory go to disk, come back divided, and stay within -S" {
	records 1600000 >in
	gsort --record-size=16 -k u64@0 in >out
	mkdir tmp
	for threads in 1 3; do
		gsort --record-size=16 -k u64@0 -S 20M -T tmp --parallel=$threads --verify \
			--verbose=json -o again in 2>stats
		cmp out again
		grep -E '"runs":[1-9]' stats
		[ "$(grep -o '"peak_rss":[0-9]*' stats | cut -d : -f 2)" -le $((24 << 20)) ]
	done
	[ -z "$(ls tmp)" ]
	# All keys equal, and sorted by a pipe: one bucket has nearly everything.
	gsort --record-size=16 -k bytes1@0 -S 20M -T tmp <in | cmp - in
	gsort --record-size=16 -k u64@0 -S 20M -T tmp <out | cmp - out
	gsort --record-size=16 -k u64@0 -S 20M -u --count in |
		cmp - <(gsort --record-size=16 -k u64@0 -u --count in)
}

@test "empty input is empty output; a record that is short is an error before anything is written" {
	gsort --record-size=100 -k bytes10@0 </dev/null >out
	[ ! -s out ]
	head -c 205 /dev/zero >in
	echo old >out
	fails 'in: byte 200: the last record is short: 5 of 100 bytes' gsort --record-size=100 -o out in
	[ "$(cat out)" = old ]
	fails 'byte 200: the last record is short' gsort --record-size=100 <in
	fails 'byte 200: the last record is short' bash -c 'cat in | gsort --record-size=100'
	fails 'in: byte 164: the last record is short: 41 of 82' gsort --record-size=82 in
}

@test "--header keeps the bytes before the records" {
	records 1000 >in
	{ printf HEAD; cat in; } >a
	gsort --record-size=16 -k u64@0 --header=4 a a >out
	[ "$(head -c 4 out)" = HEAD ]
	gsort --record-size=16 -k u64@0 in in | cmp - <(tail -c +5 out)
	{ head -c 20004 /dev/zero; cat in; } >long
	for options in '--record-size=16 -k u64@0' -u64; do
		{ head -c 20004 /dev/zero; cat in in | gsort $options; } >out.long
		gsort $options --header=20004 long long | cmp - out.long
		gsort $options --header=20004 - long < <(cat long) | cmp - out.long
		gsort $options --header=20004 -c out.long
	done
	gsort --record-size=16 -k u64@0 --header=4 -c out
	gsort --record-size=16 -k u64@0 --header=4 -m out a 2>err && return 1
	grep -F 'a:' err
}

@test "--argsort: places of the sorted keys, from 0 over all inputs, and --verify" {
	gen --seed 3 --keys 40000 --type f64 --dist few >in
	gsort -f64 --argsort=u64 --verify in in >places
	python3 -c '
import struct, sys
bits = [b for b, in struct.iter_unpack("<Q", open("in", "rb").read() * 2)]
keys = [b ^ (1 << 64) - 1 if b >> 63 else b | 1 << 63 for b in bits]
places = [p for p, in struct.iter_unpack("<Q", open("places", "rb").read())]
assert places == sorted(range(len(keys)), key=lambda i: keys[i])'
	gsort -f64 --argsort=u32 --to=text in 2>/dev/null && return 1
	gsort -f64 --argsort=u32 in in | gsort -u32 | cmp - <(seq 0 79999 | gsort --to=u32)
	gsort -f64 --argsort=u32le -r in | head -c 4 | od -An -tu4
}

# Where lines that are numbers would be written, by sort(1); arguments: its options.
places_by_sort() {
	awk '{print NR - 1 "\t" $0}' | sort -s -t "$(printf '\t')" "$@" | cut -f 1
}

@test "--argsort of text: where the lines are, whatever the notation; a bad line is an error" {
	# of all classes of integers, many of them twice
	awk 'BEGIN {
		srand(5)
		for (i = 0; i < 150000; i++) {
			n = i % 4
			if (n == 0) printf "%d\n", rand() * 90000 - 30000
			if (n == 1) printf "%.0f\n", rand() * 8e9 - 4e9
			if (n > 1) printf "%s%d%09d%09d\n", n == 2 ? "-" : "", rand() * 9, rand() * 1e9, rand() * 1e9
		}
		print "18446744073709551615\n-9223372036854775808\n18446744073709551614\n-9223372036854775807"
	}' >in
	printf '7' >last
	cat in last | places_by_sort -k2n >want
	gsort --argsort=u64 --verify in last | gsort -u64 --to=text | cmp - <(seq 0 150004)
	for options in "" "-S 4M -T ." --parallel=3; do
		# shellcheck disable=SC2086
		gsort --argsort=u64 $options in last | od -An -v -tu8 -w8 | tr -d ' ' | cmp - want
	done
	cat in last | gsort --argsort=u32be | od -An -v -tu4 -w4 --endian=big | tr -d ' ' | cmp - want
	cat in last | tr '\n' '\0' | gsort -z --argsort=u32 | od -An -v -tu4 -w4 | tr -d ' ' | cmp - want
	places_by_sort -k2nr <in >want
	gsort -r --argsort=u32 in | od -An -v -tu4 -w4 | tr -d ' ' | cmp - want
	gsort -r --tail=1000 --argsort=u32 in | od -An -v -tu4 -w4 | tr -d ' ' | cmp - <(tail -n 1000 want)
	places_by_sort -u -k2n <in >want
	gsort -u --argsort=u32 in | od -An -v -tu4 -w4 | tr -d ' ' | cmp - want
	# floats, hexadecimal, headers of two files, lines that are left out
	awk '{printf "%d.%06de%d\n", NR * 7919 % 1000 - 500, NR % 1000000, NR % 40 - 20}' in >floats
	places_by_sort -k2g <floats >want
	gsort -g --argsort=u32 --parallel=3 floats | od -An -v -tu4 -w4 | tr -d ' ' | cmp - want
	printf 'ff\n0x1\n-2\n' | gsort --type=hex --argsort=u32 | od -An -tu4 | grep -qx ' *2 *1 *0'
	printf '10.0.0.2\n9.9.9.9\n' | gsort --type=ipv4 --argsort=u32 | od -An -tu4 | grep -qx ' *1 *0'
	printf 'h\n3\n1\n' >h
	gsort --header --argsort=u32 h h | od -An -tu4 | grep -qx ' *1 *3 *0 *2'
	printf '5\n\n4\nx\n' >bad
	gsort --invalid=warn --argsort=u32 bad 2>err | od -An -tu4 | grep -qx ' *2 *0'
	printf '%s\n' 'gsort: warning: bad:2: empty line, left out' \
		'gsort: warning: bad:4: not a number: "x", left out' | cmp - err
}

@test "--argsort of text names the first bad line, whichever thread finds one" {
	{ seq 1 400000; echo x; seq 1 300000; echo y; } >in
	printf 'h\n1\n2' >a
	{ echo h; cat in; } >b
	for threads in 1 3; do
		fails 'in:400001: not a number: "x"' gsort --parallel=$threads --argsort=u32 in
		fails 'b:400002: not a number: "x"' \
			gsort --parallel=$threads --header --argsort=u32 a b
	done
	{ seq 1 400000; echo 1e999; seq 1 300000; echo 2e999; } >in
	gsort -g --parallel=3 --argsort=u32 in 2>&1 >/dev/null | grep -c . | grep -qx 1
	gsort -g --parallel=3 --argsort=u32 in 2>&1 >/dev/null | grep -F 'in:400001: "1e999" is beyond'
	head -c 5000000 /dev/zero | tr '\0' 1 >in	# refused before all of it was read
	fails 'in:1: line longer than 4095 bytes' gsort --argsort=u32 in
}

@test "sorted records from a pipe: nearly all come behind the first bounds" {
	gen --seed 2 --keys 5000000 --type u64 | gsort --record-size=16 -k u64@0 >in	# 40 MB
	for options in "" "-S 30M -T ." "--parallel=3 --verify" -r; do
		# shellcheck disable=SC2086
		cat in | gsort --record-size=16 -k u64@0 $options >out
		gsort --record-size=16 -k u64@0 $options in | cmp - out
		[ "$options" = -r ] || cmp in out
	done
}

@test "a new file gets what a pipe gets, whichever threads write it, and a full disk is an error" {
	records 400000 >in	# several parts
	for options in "" -r --head=200001 --tail=150001 --argsort=u32 --header=16 \
	               "--head=0" "-S 20M" "--verify --tail=100000"; do
		gsort --record-size=16 -k u64@0 --parallel=3 $options -o out in
		gsort --record-size=16 -k u64@0 --parallel=3 $options in | cat | cmp - out
		[[ $options == *--tail* ]] && continue
		gsort --record-size=16 -k u64@0 --parallel=3 $options --split=5 -o 'part%r' in
		cat part? | cmp - out
	done
	echo old >kept
	(ulimit -f 2000; gsort --record-size=16 -k u64@0 --parallel=3 -o kept in) 2>err && return 1
	grep -x 'gsort: write failed: kept: File too large' err
	[ "$(cat kept)" = old ]
}

@test "--head of records needs memory for its records, however many there are" {
	records 2000000 >in	# 32 MB
	gsort --record-size=16 -k u64@0 in >out
	for options in "" -r "--parallel=1 --verify"; do
		gsort --record-size=16 -k u64@0 $options in | head -c 16000 >want
		gsort --record-size=16 -k u64@0 $options --head=1000 --verbose=json in 2>stats | cmp - want
		grep '"records":2000000,"records_out":1000,' stats
		[ "$(grep -o '"peak_rss":[0-9]*' stats | cut -d : -f 2)" -le $((24 << 20)) ]
	done
	for count in 1 65536 1300000 1999999 2000001; do	# in memory, and in files
		head -c $((16 * count)) out >want
		gsort --record-size=16 -k u64@0 --parallel=3 --head=$count in | cmp - want
		cat in | gsort --record-size=16 -k u64@0 -S 20M -T . --head=$count | cmp - want
	done
	gsort --record-size=16 -k u64@0 -u in | head -c 16000 >want
	gsort --record-size=16 -k u64@0 -u --head=1000 in | cmp - want
	gsort --record-size=16 -k bytes1@0 --head=1000 in | cmp - <(head -c 16000 in)	# all are equal
}

@test "--split divides records, all of them or the selected ones" {
	records 30000 >in
	gsort --record-size=16 -k u64@0 in >out
	gsort --record-size=16 -k u64@0 --split=4 -o 'part%r' in
	cat part? | cmp - out
	[ "$(stat -c %s part0)" -eq 120000 ]
	gsort --record-size=16 -k u64@0 -u --split=3 -o 'part%r' in
	cat part[0-2] | cmp - <(gsort --record-size=16 -k u64@0 -u in)
	ln part1 link		# is written in place
	gsort --record-size=16 -k u64@0 --split=3 -o 'part%r' in
	cat part0 link part2 | cmp - out
	gsort -u128 --to=text --split=3 -o 'text%r' in
	cat text[0-2] | cmp - <(gsort -u128 --to=text in)
}

@test "-m merges many files, and files that the output overwrites" {
	records 11300 | split -d -a 3 --numeric-suffixes=100 -b 2240 - r	# to r180
	for file in r*; do
		gsort --record-size=16 -k u64@0 $file >m${file#r}
	done
	cat m* | gsort --record-size=16 -k u64@0 >out
	gsort -m --record-size=16 -k u64@0 --verify m1* | cmp - out
	gsort -m --record-size=16 -k u64@0 --batch-size=5 m1* | cmp - out
	gsort -m --record-size=16 -k u64@0 -u m1* | cmp - <(gsort --record-size=16 -k u64@0 -u out)
	gsort -m --record-size=16 -k u64@0 --in-place -o m100 m1*
	cmp m100 out
	# what would be sorted instead has to be in order, too
	cp r101 both
	run gsort -m --record-size=16 -k u64@0 --in-place -o both both m102
	[ "$status" = 2 ]
	[[ $output = "gsort: both:"*": disorder: the record at byte "*": merging needs sorted inputs"* ]]
	cmp both r101
	run gsort -m --record-size=16 -k u64@0 <(head -c 40 m101) m102
	[ "$status" = 2 ]
	[[ $output = *": byte 32: the last record is short: 8 of 16 bytes" ]]
}
