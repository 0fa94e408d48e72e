# SPDX-License-Identifier: BSD-2-Clause
# Text: what LC_ALL=C sort -n does, byte for byte, and where we differ on purpose.

load ../helpers

# agrees FILE...: the same output as sort, for all options of both
agrees() {
	local options
	for options in -n -nr -nu -nru; do
		sort $options "$@" >expected || return 1
		gsort $options "$@" >out || return 1
		cmp expected out || { echo "$options $*"; return 1; }
	done
	gsort "$@" >out
	sort -n "$@" | cmp - out
}

range() {
	local dist
	for dist in uniform sorted reversed equal few saw organ extremes zipf; do
		gen --seed 21 --keys 5003 --type text --range "$1" --dist $dist >in
		echo "$1 $dist"
		agrees in || return 1
	done
}

@test "unsigned numbers of 32 bits"		{ range u32; }
@test "signed numbers of 32 bits"		{ range i32; }
@test "unsigned numbers of 64 bits"		{ range u64; }
@test "signed numbers of 64 bits"		{ range i64; }
@test "small numbers"				{ range small; }
@test "numbers from -2^63 to 2^64-1"		{ range full; }

@test "the ends of every range, and their neighbours" {
	for power in 0 1 7 8 15 16 31 32 63; do
		echo $((1 << power)); echo $(((1 << power) - 1)); echo $(((1 << power) + 1))
		echo -$((1 << power)); echo -$(((1 << power) - 1))
	done | sed 's/^--/-/' | grep -v '^-0$' >in
	printf '%s\n' 18446744073709551615 18446744073709551614 9223372036854775808 \
		9223372036854775807 -9223372036854775807 4294967296 -2147483649 -32769 65536 0 >>in
	sed -i '/^-9223372036854775809$/d' in
	agrees in
}

@test "every number of digits" {
	for digits in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
		echo 1234567890123456789 | cut -c 1-$digits
		echo -1234567890123456789 | cut -c 1-$((digits + 1))
		printf "1%0$((digits - 1))d\n" 0
	done | grep -v '^10$' >in
	agrees in
}

@test "a million lines, by file and by pipe" {
	gen --seed 22 --keys 1000003 --type text >in
	sort -n in >expected
	gsort in | cmp - expected
	cat in | gsort | cmp - expected
	gen --seed 23 --keys 300007 --type text --range full >in
	agrees in
}

@test "several files, standard input among them" {
	gen --seed 1 --keys 1000 --type text --range i64 >a
	gen --seed 2 --keys 999 --type text --range small >b
	: >c
	agrees a b c a
	sort -n a b >expected
	cat a | gsort - b | cmp - expected
}

@test "no input, one line, a newline that is missing" {
	: >empty
	agrees empty
	echo 5 >one
	agrees one
	printf '7\n3' >cut
	agrees cut
	printf '1' >a
	printf '2\n' >b
	agrees a b
	agrees b a
}

@test "the output may be an input" {
	gen --seed 5 --keys 10007 --type text >f
	sort -n f >expected
	gsort -o f f
	cmp f expected
}

# --- where we differ ------------------------------------------------------------

@test "numbers are written anew" {
	printf '%s\n' 007 +5 -0 ' 12' "$(printf '\t3 ')" "$(printf '4\r')" 0000 >in
	gsort in >out
	printf '%s\n' 0 0 3 4 5 7 12 | cmp - out
}

@test "lines that are equal as numbers are equal" {
	printf '%s\n' 01 1 +1 -0 0 >in
	gsort -u in >out
	printf '%s\n' 0 1 | cmp - out
}

@test "what is no number is an error that names file and line" {
	for bad in '' x 1x 1.5 1e3 0x10 - + -- ' ' '1 2' 1,000 ٣ 'N/A'; do
		printf '1\n2\n%s\n3\n' "$bad" >in
		echo old >out
		fails "in:3: " gsort -o out in
		[ "$(cat out)" = old ]
	done
	printf '1\nx\n' | fails "-:2: " gsort
}

@test "numbers out of range are errors that name file and line" {
	for bad in 18446744073709551616 -9223372036854775809 99999999999999999999999; do
		printf '1\n%s\n' $bad >in
		fails "in:2: " gsort in
	done
}

@test "lines are counted anew in every file" {
	gen --keys 100000 --type text >a
	{ gen --keys 54321 --type text; echo bad; gen --keys 10 --type text; } >b
	fails "b:54322: " gsort a b
}
