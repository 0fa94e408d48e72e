# SPDX-License-Identifier: BSD-2-Clause
# The last keys, random keys, and figures about all keys: against tail(1) and Python.

load ../helpers

prepare() {
	needs python3
}

types="u8 i8 u16 i16 u32 i32 u64 i64 f32 f64"

# text KEYS: small and large numbers of both signs, many more than once
text() {
	{
		gen --seed 1 --keys "$1" --type text --range small
		gen --seed 2 --keys $(($1 / 2)) --type text --range i32 --dist few
		gen --seed 3 --keys "$1" --type text --range full
		echo 18446744073709551615
		echo -9223372036854775808
	} | awk '{ print; if (NR % 7 == 0) print }'
}

# floats: some of each kind, one a line
floats() {
	printf '%s\n' 1.5 -0 0 nan -inf inf 1e300 -2.25 1.5 NaN 1e-320 -1e300 0.1 0.2 0.1
}

# tails K OPTION... FILE: with the last K lines of the sorted output
tails() {
	local k=$1
	shift
	gsort "$@" | tail -n "$k" >expected
	gsort "$@" --tail="$k" | cmp - expected || { echo "--tail=$k $*"; return 1; }
}

@test "the tail is that of tail, for all types, selections and sizes" {
	text 3000 >in
	for k in 0 1 7 1000 5000 100000; do
		for options in '' -r -u '-r -u' --count '-r --repeated' --singletons --parallel=1 '-S 1M -T .'; do
			# shellcheck disable=SC2086
			tails $k $options in
		done
	done
	floats >in
	tails 3 -g in
	tails 3 -g -r -u in
	for type in $types; do
		gen --seed 5 --keys 20000 --type "$type" >keys
		for options in '' -r '-u -r' --verify; do
			# shellcheck disable=SC2086
			tails 300 "-$type" --to=text $options keys
			gsort "-$type" -r keys | tail -c $((100 * ${type:1} / 8)) >expected
			gsort "-$type" -r --tail=100 keys | cmp - expected
		done
	done
}

@test "a tail of more than is kept in memory, and of what does not fit in memory" {
	gen --seed 6 --keys 1300000 --type u32 >keys
	gsort -u32 keys >sorted
	for options in '' '-S 2M -T .' --parallel=1 --verify; do
		# shellcheck disable=SC2086
		gsort -u32 --tail=1100000 $options keys | cmp - <(tail -c 4400000 sorted)
		# shellcheck disable=SC2086
		gsort -u32 --tail=10 $options keys | cmp - <(tail -c 40 sorted)
	done
	gsort -u32 --tail=2M keys | cmp - sorted
	gsort -m -u32 --tail=1000 sorted sorted | cmp - <(gsort -u32 sorted sorted | tail -c 4000)
	for selection in -u --count --repeated -m; do
		fails "is too large here: with --merge, --unique, --count, --repeated or --singletons it is at most 1048576" \
			gsort -u32 $selection --tail=2M sorted
	done
}

@test "a sample has so many keys of the input, and depends on keys and seed alone" {
	text 2000 >in
	gsort in >sorted
	all=$(wc -l <in)
	for k in 0 1 10 $((all / 2)) $((all - 1)) $all 1048576; do
		gsort --sample=$k in >sample
		[ "$(wc -l <sample)" = $((k > all ? all : k)) ]
		gsort -c sample
		[ -z "$(comm -23 <(LC_ALL=C sort sample) <(LC_ALL=C sort sorted))" ]
	done
	gsort --sample=1M in | cmp - sorted
	gsort --sample=100 in >sample
	LC_ALL=C sort in | gsort --sample=100 | cmp - sample
	gsort --sample=100 --parallel=1 in | cmp - sample
	gsort --sample=100 -S 1M -T . --verify in | cmp - sample
	gsort --sample=100 --seed=0 in | cmp - sample
	not cmp -s sample <(gsort --sample=100 --seed=1 in)
	gen --seed 6 --keys 1000000 --type u32 >keys
	gsort -u32 --sample=5000 keys >sample
	is_sorted sample u32
	[ "$(wc -c <sample)" = 20000 ]
	gsort -u32 --sample=5000 -S 1M -T . keys | cmp - sample
	[ "$(gsort -u8 --sample=3 --to=text <<<$'\t\t\t' | tr '\n' ,)" = 9,9,9, ]
}

@test "every key is sampled as often as any other" {
	seq 20 >in
	for seed in {1..600}; do gsort --sample=5 --seed=$seed in; done | sort -n | uniq -c |
		awk '{ n++; wrong += $1 < 150 - 5 * 10.6 || $1 > 150 + 5 * 10.6 } END { exit n != 20 || wrong }'
}

@test "what cannot be combined is refused" {
	echo 1 >in
	for pair in '-c --tail' '-c --sample' '-m --sample' '--tail --head-count' '--tail --split' \
	            '--sample --head-count' '--sample --tail' '--sample -u' '--sample --count' \
	            '--sample --repeated' '--sample --singletons' '--sample --split'; do
		typed=()
		for option in $pair; do
			case $option in
			--tail | --sample | --head-count) typed+=($option=3) ;;
			--split) typed+=(--split=2 -o 'part%r') ;;
			*)       typed+=($option) ;;
			esac
		done
		fails "options '${pair% *}' and '${pair#* }' are incompatible" gsort "${typed[@]}" in
	done
	fails "option '--seed' needs '--sample'" gsort --seed=1 in
	fails "invalid --tail argument 'x': must be a number of keys, such as 10, 4K or 2M" gsort --tail=x in
	fails "invalid --seed argument '-1': must be a whole number" gsort --seed=-1 in
	fails "options '--tail=1' and '--tail=2' are incompatible" gsort --tail=1 --tail=2 in
}
