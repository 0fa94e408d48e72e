# SPDX-License-Identifier: BSD-2-Clause
# Binary keys of all types: in order, and the same keys.

load ../helpers

types="u8 i8 u16 i16 u32 i32 u64 i64 f32 f64"

# sorts FILE TYPE OPTION...: ascending, descending and unique are right
sorts() {
	local file=$1 type=$2
	shift 2
	gsort -"$type" "$@" "$file" >up || return 1
	is_sorted up "$type" && same_keys "$file" up "$type" || return 1
	gsort -"$type" -r "$@" "$file" >down || return 1
	is_sorted down "$type" --reverse && same_keys "$file" down "$type" || return 1
	gsort -"$type" -u "$@" "$file" >once || return 1
	is_unique_of once "$file" "$type"
}

# is_unique_of OUTPUT INPUT TYPE: every key of the input, once, by od and sort
is_unique_of() {
	local bytes=$((${3:1} / 8))
	gen --check "$1" --type "$3" --unique || return 1
	od -An -v -tx$bytes -w$bytes "$1" | sort >once.hex
	od -An -v -tx$bytes -w$bytes "$2" | sort -u | cmp - once.hex
}

for_all_types() {
	local type
	for type in $types; do
		echo "$type: $*"
		"$@" $type || return 1
	done
}

distribution() {	# DIST TYPE
	gen --seed 3 --keys 30011 --type "$2" --dist "$1" >in
	sorts in "$2"
}

@test "uniform keys of all types"		{ for_all_types distribution uniform; }
@test "sorted keys of all types"		{ for_all_types distribution sorted; }
@test "reversed keys of all types"		{ for_all_types distribution reversed; }
@test "equal keys of all types"			{ for_all_types distribution equal; }
@test "few different keys of all types"		{ for_all_types distribution few; }
@test "saw-toothed keys of all types"		{ for_all_types distribution saw; }
@test "organ-pipe keys of all types"		{ for_all_types distribution organ; }
@test "the extremes of all types"		{ for_all_types distribution extremes; }
@test "NaNs, infinities and zeros"		{ for_all_types distribution nans; }
@test "zipf-distributed keys of all types"	{ for_all_types distribution zipf; }

every_size() {	# TYPE
	local keys
	for keys in 0 1 2 3 7 8 9 15 16 17 31 33 63 64 65 100 255 256 257 1023 1025; do
		gen --seed $keys --keys $keys --type "$1" >in
		gsort -"$1" in >out || return 1
		is_sorted out "$1" && same_keys in out "$1" || { echo "$keys keys"; return 1; }
		gsort -"$1" -ru in >out || return 1
		is_sorted out "$1" --reverse --unique || { echo "$keys keys, -ru"; return 1; }
	done
}

@test "sizes around powers of two, of all types" { for_all_types every_size; }

@test "empty input is empty output" {
	: >empty
	for type in $types; do
		gsort -$type empty >out
		[ ! -s out ]
		gsort -$type </dev/null >out
		[ ! -s out ]
	done
	gsort -u32 -o made empty
	[ -e made ]
	[ ! -s made ]
}

@test "a few million keys, by pipe and by file" {
	for type in u32 i64 f64; do
		gen --seed 11 --keys 3000017 --type $type >in
		gsort -$type in >out
		is_sorted out $type
		same_keys in out $type
		cat in | gsort -$type | cmp - out
	done
}

@test "skewed millions: zipf, few, sorted, one outlier" {
	for dist in zipf few sorted organ; do
		gen --seed 12 --keys 2000003 --type u32 --dist $dist >in
		gsort -u32 in >out
		is_sorted out u32
		same_keys in out u32
	done
	{ gen --keys 1000000 --type u64 --dist equal; gen --seed 4 --keys 1 --type u64; } >in
	gsort -u64 in >out
	is_sorted out u64
	same_keys in out u64
}

@test "one thread and many give the same" {
	gen --seed 5 --keys 500009 --type i32 >in
	gsort -i32 --parallel=1 in >one
	for threads in 2 3 8 64; do
		gsort -i32 --parallel=$threads in | cmp - one
	done
}

@test "several files are sorted together" {
	gen --seed 1 --keys 1000 --type i16 >a
	gen --seed 2 --keys 1 --type i16 >b
	: >c
	gen --seed 3 --keys 50000 --type i16 >d
	cat a b c d >all
	gsort -i16 all >expected
	gsort -i16 a b c d | cmp - expected
	cat b | gsort -i16 a - c d | cmp - expected
	cat a b c d | gsort -i16 - | cmp - expected
	cat a b c d | gsort -i16 | cmp - expected
	gsort -i16 a a >twice
	[ "$(wc -c <twice)" = 4000 ]
}

@test "equal keys from several files are unique together" {
	gen --keys 1000 --type u64 --dist few >a
	cat a a >both
	gsort -uu64 a a a >out
	is_unique_of out both u64
}

@test "NaN is last, one with a sign behind the other" {
	# -inf -1 -0 0 1 inf NaN -NaN, from their bits
	printf '%b' '\0\0\x80\x7f' '\0\0\xc0\x7f' '\0\0\0\x80' '\0\0\x80\xff' '\0\0\0\0' \
		'\0\0\x80\x3f' '\0\0\xc0\xff' '\0\0\x80\xbf' >in
	gsort -f32 in | od -An -v -tx4 -w32 >out
	[ "$(cat out)" = " ff800000 bf800000 80000000 00000000 3f800000 7f800000 7fc00000 ffc00000" ]
	gsort -rf32 in | od -An -v -tx4 -w32 >out
	[ "$(cat out)" = " ffc00000 7fc00000 7f800000 3f800000 00000000 80000000 bf800000 ff800000" ]
}

@test "-u keeps both zeros and all NaNs that differ" {
	printf '%b' '\0\0\0\x80' '\0\0\0\0' '\1\0\xc0\x7f' '\2\0\xc0\x7f' '\0\0\0\x80' \
		'\1\0\xc0\x7f' >in
	gsort -uf32 in | od -An -v -tx4 -w32 >out
	[ "$(cat out)" = " 80000000 00000000 7fc00001 7fc00002" ]
}

@test "python agrees about signed and unsigned order" {
	needs python3
	gen --seed 9 --keys 4099 --type i32 >in
	python3 -c '
import array, sys
for code, name in (("i", "i32"), ("I", "u32")):
    keys = array.array(code, open("in", "rb").read())
    open(name, "wb").write(array.array(code, sorted(keys)).tobytes())
    open(name + ".once", "wb").write(array.array(code, sorted(set(keys), reverse=True)).tobytes())'
	gsort -i32 in | cmp - i32
	gsort -u32 in | cmp - u32
	gsort -uri32 in | cmp - i32.once
	gsort -uru32 in | cmp - u32.once
}

@test "a size that is not a multiple of the width is an error, before anything is written" {
	gen --keys 10 --type u8 >ten
	echo old >out
	fails "ten: 10 bytes .*multiple of 4.*2 trailing" gsort -u32 -o out ten
	[ "$(cat out)" = old ]
	fails "10 bytes .*multiple of 4" gsort -f32 - <ten
	cat ten | fails "10 bytes .*multiple of 8.*2 trailing" gsort -i64
	fails "10 bytes .*multiple of 4" gsort -u32 /dev/null ten
	gsort -u16 ten >out
}
