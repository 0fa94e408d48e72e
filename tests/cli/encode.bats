# SPDX-License-Identifier: BSD-2-Clause
# Sorted numbers become lines.

load ../helpers

@test "every number of digits, both signs, both directions" {
	for ((n = 1, d = 1; d <= 18; d++, n *= 10)); do
		printf '%s\n' $n $((n - 1)) $((n + 1)) -$n -$((n + 1)) $((n * 9)) -$((n * 9))
	done | sed 's/^-0$/0/' >in
	sort -n in >expected
	gsort in | cmp - expected
	sort -nr in >expected
	gsort -r in | cmp - expected
}

@test "all small numbers" {
	seq -32769 65537 >expected
	tac expected | gsort | cmp - expected
	gsort -r expected | cmp - <(tac expected)
}

@test "many equal numbers" {
	yes 65535 | head -n 300000 >in
	gsort in | cmp - in
	yes -- -123456789012 | head -n 300000 >in
	gsort in | cmp - in
}

@test "millions of lines, as sort would print them" {
	gen --seed 1 --keys 1000000 --type text --range full >in
	sort -n in >expected
	for threads in 1 2 5; do
		gsort --parallel=$threads in | cmp - expected
	done
}

@test "unique lines, of all widths" {
	gen --seed 2 --keys 200000 --type text --range small >a
	gen --seed 3 --keys 1000 --type text --range full >b
	cat a b b b >in
	gsort -u in | cmp - <(sort -nu in)
	gsort -ur in | cmp - <(sort -nur in)
}

# ---- other types ----------------------------------------------------------------

@test "text becomes binary, and text again" {
	gen --seed 4 --keys 200000 --type text --range small >in
	sort -n in >expected
	for type in i32 i64 f64; do
		gsort --to=$type in >out
		gsort -$type --to=text out | cmp - expected
		gsort -r --to=$type in >out
		gsort -$type -r --to=text out | cmp - <(tac expected)
	done
	gen --seed 5 --keys 100000 --type text --range full >in
	grep -v - in >plus
	gsort --to=u64 plus | gsort -u64 --to=text | cmp - <(sort -n plus)
}

@test "binary keys of every type become text" {
	gen --seed 6 --keys 100000 --type u64 >in
	od -An -v -w1 -tu1 in | tr -d ' ' | gsort >expected
	gsort -u8 --to=text in | cmp - expected
	for type in i8:d1 u16:u2 i16:d2 u32:u4 i32:d4 u64:u8 i64:d8; do
		od -An -v -w"${type##*[ud]}" -t"${type#*:}" in | tr -d ' ' | gsort >expected
		gsort -"${type%:*}" --to=text in | cmp - expected
		gsort -r -"${type%:*}" --to=text in | cmp - <(tac expected)
	done
}

@test "wide keys become narrow ones, if they fit" {
	seq 200 | shuf --random-source=<(yes) >lines
	for type in u64 i64 u32 i16; do
		for to in u8 u16 i16 i32 u64; do
			gsort --to=$type lines | gsort -r --type=$type --to=$to | gsort --type=$to --to=text |
				cmp - <(seq 200)
		done
	done
}

@test "floats become the shortest text that is read as the same float" {
	gen --seed 7 --keys 100000 --type f64 >in
	gsort -f64 in >sorted
	gsort -f64 --to=text in | grep -v nan | gsort -g --to=f64 >back
	gsort -f64 --to=text in | grep -v nan | gsort --type=float | cmp - <(gsort -f64 --to=text back)
	[ "$(printf '%s\n' 100000 1e20 0.1 1e-5 1234567890123456.78e2 | gsort --type=float | tr '\n' ' ')" = \
	  "1e-05 0.1 100000 1.2345678901234568e+17 1e+20 " ]
	[ "$(echo 0.1 | gsort -g --to=f32 | gsort -f32 --to=text)" = 0.1 ]
	[ "$(echo 0.1 | gsort -g --to=f32 | gsort -f32 --to=f64 | gsort -f64 --to=text)" = \
	  0.10000000149011612 ]
}

@test "a number that does not fit is named, with a type that holds it" {
	echo 4294967296 >in
	fails "4294967296 does not fit in u32; --to=u64 holds it" gsort --to=u32 in
	echo -1 >in
	fails "-1 does not fit in u8; --to=i8 holds it" gsort --to=u8 in
	printf '%s\n' 5 -1 7 >in
	fails "-1 does not fit in u8; --to=i8 holds it" gsort --to=u8 in
	echo 9007199254740993 >in
	fails "9007199254740993 does not fit in f64; --to=u64 holds it" gsort --to=f64 in
	echo 1.5 >in
	fails "2049 does not fit in f16; --to=f32 holds it" gsort --to=f16 <<<2049
	fails "16777217 does not fit in bf16; --to=f64 holds it" gsort --to=bf16 <<<16777217
	fails "70000 does not fit in f16; --to=f32 holds it" gsort -g --to=f16 <<<70000
	fails "1e+300 does not fit in f16; --to=f64 holds it" gsort -g --to=f16 <<<1e300
	fails "1.5 does not fit in i64; --to=f64 holds it" gsort -g --to=i64 in
	{ seq 100000; echo 70000000000; } >in
	echo old >out
	fails "70000000000 does not fit in u32" gsort --to=u32 -o out in
	[ "$(cat out)" = old ]
}

@test "keys may be in the other byte order" {
	gen --seed 8 --keys 50000 --type u64 >in
	for bytes in 2 4 8; do
		perl -0777 -ne "print join '', map { scalar reverse } unpack '(a$bytes)*'" in >swapped
		for type in u i; do
			type=$type$((8 * bytes))
			gsort -$type in >sorted
			perl -0777 -ne "print join '', map { scalar reverse } unpack '(a$bytes)*'" \
				sorted >expected
			gsort -${type}be swapped | cmp - expected
			gsort -${type}le in | cmp - sorted
		done
	done
	gsort -u8be in | cmp - <(gsort -u8 in)
	seq 3 | gsort --to=u16be | cmp - <(printf '\0\1\0\2\0\3')
	seq 3 | gsort --to=u16be | gsort -u16be --to=text | cmp - <(seq 3)
}
