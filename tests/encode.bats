# SPDX-License-Identifier: BSD-2-Clause
# Sorted numbers become lines.

load helpers

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
