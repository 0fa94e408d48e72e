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

@test "the tail is what tail prints, for all types, selections and sizes" {
	text 3000 >in
	for k in 0 1 7 1000 5000 100000; do
		for options in '' -r -u '-r -u' --count '-r --unique=repeated' --unique=singletons --parallel=1 '-S 1M -T .'; do
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
	for selection in -u --count --unique=repeated -m; do
		fails "is too large here: with --merge, sets, --unique or --count it is at most 1048576" \
			gsort -u32 $selection --tail=2M sorted
	done
}

@test "a sample has K keys of the input, and depends on keys and seed alone" {
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
	gsort --sample=100:0 in | cmp - sample
	for k in 100 $((all - 50)); do	# ranks that are chosen, and that are left out
		gsort -r --sample=$k in | tac | cmp - <(gsort --sample=$k in)
	done
	not cmp -s sample <(gsort --sample=100:1 in)
	[ "$(for seed in {0..7}; do seq 8 | gsort --sample=4:$seed | tr -d '\n'; echo; done | paste -sd ' ')" = \
	  "1348 4568 3567 1256 4578 1247 1456 1458" ]
	gen --seed 6 --keys 1000000 --type u32 >keys
	gsort -u32 --sample=5000 keys >sample
	is_sorted sample u32
	[ "$(wc -c <sample)" = 20000 ]
	gsort -u32 --sample=5000 -S 1M -T . keys | cmp - sample
	[ "$(gsort -u8 --sample=3 --to=text <<<$'\t\t\t' | tr '\n' ,)" = 9,9,9, ]
}

# listed OPTION... FILE: keys as JSON are the lines that the same options write
listed() {
	gsort "$@" >lines
	gsort "$@" --to=json | python3 -c '
import json, sys
answer = json.load(sys.stdin)
print(*(answer.get("tail") or answer.get("sample") or []), sep="\n")' | sed '/^$/d' | cmp - lines ||
		{ echo "$*"; return 1; }
}

@test "--tail and --sample as JSON are the keys of their lines, alone or beside figures" {
	local k
	text 3000 >in
	for k in 0 1 100 100000; do
		listed --tail="$k" in
		listed -r --tail="$k" in
		listed --sample="$k":3 in
	done
	text 300000 >large
	listed --sample=1000 -S 1M -T . large
	listed --tail=1000 -S 1M -T . large
	text 20000 | awk '$1 >= 0 && $1 < 60000' | gsort --to=u16 -o u16
	listed -u16 --tail=9 --to=text u16
	listed -u16 --sample=9 --to=text u16
	[ "$(printf '1\n5\n1\n' | gsort --quantiles=0 --tail=2 --to=json)" = \
	  '{"keys": 3, "quantiles": [{"quantile": "0", "value": 1}], "tail": [1, 5]}' ]
	[ "$(printf '10.0.0.9\n1.2.3.4\n' | gsort --type=ipv4 --tail=1 --to=json)" = '{"keys": 2, "tail": ["10.0.0.9"]}' ]
	[ "$(gsort --sample=4 --to=json </dev/null)" = '{"keys": 0, "sample": []}' ]
	{ head -c 100000 /dev/zero | tr '\0' '\1'; echo; } >wide		# each byte is shown as six, or two
	[ "$(gsort -k1,1 --top=1 --to=json wide | tr -d -c u | wc -c)" -eq 100002 ]
	{ printf %s '"'; yes '""' | head -c 150000 | tr -d '\n'; echo '"'; } >wide
	[ "$(gsort --csv -k1.1,1.200000 --count wide | tr -d '\n' | wc -c)" -eq 100004 ]
	fails "options '--to=json' and '-u' are incompatible: it is of all keys; pipe one gsort into another" gsort --tail=2 -u --to=json in
	fails "options '--summary' and '--tail' are incompatible: with --to=json they go together" gsort --summary --tail=2 in
}

@test "every key is sampled as often as any other" {
	seq 20 >in
	for seed in {1..600}; do gsort --sample=5:$seed in; done | sort -n | uniq -c |
		awk '{ n++; wrong += $1 < 150 - 5 * 10.6 || $1 > 150 + 5 * 10.6 } END { exit n != 20 || wrong }'
}

@test "what cannot be combined is refused" {
	echo 1 >in
	for pair in '-c --tail' '-c --sample' '-m --sample' '--tail --head' '--tail --split' \
	            '--sample --head' '--sample --tail' '--sample -u' '--sample --count' \
	            '--sample --unique=repeated' '--sample --unique=singletons' '--sample --split'; do
		typed=()
		for option in $pair; do
			case $option in
			--tail | --sample | --head) typed+=($option=3) ;;
			--split) typed+=(--split=2 -o 'part%r') ;;
			*)       typed+=($option) ;;
			esac
		done
		fails "options '${pair% *}' and '${pair#* }' are incompatible" gsort "${typed[@]}" in
	done
	for figures in --summary --top=3 --histogram --quantiles=0.5; do
		for option in -m -c --head=3 --tail=3 --sample=3 -u --count --unique=repeated --unique=singletons \
		              '--split=2 -o part%r' --to=u8; do
			# shellcheck disable=SC2086
			fails "and '.*' are incompatible" gsort $figures $option in
		done
	done
	fails "options '-r' and '--summary' are incompatible: a summary names its figures" gsort -r --summary in
	# decimals beyond the 18th are rounded up: of fewer than 10^18 keys that is the same rank
	seq 1000 | gsort --quantiles=0.9999999999999999999,1.00000000000000000000,0.5000000000000000000,0.50000000000000000001 |
		cut -f2 | tr '\n' ' ' | grep -qx '1000 1000 500 501 '
	fails "options '-r' and '--histogram' are incompatible: its intervals ascend" gsort -r --histogram in
	fails "are incompatible: figures need no sorted inputs: leave -m out" gsort -m --summary in
	fails "'--top' and '-u' are incompatible: it is of all keys; pipe one gsort into another" gsort -u --top=2 in
	fails "are incompatible: figures are text" gsort --to=u8 --summary in
	fails "are incompatible: how many keys there are is known only after the last" gsort -m --sample=2 in
	fails "are incompatible: files are cut by the number of all keys" gsort --split=2 -o part%r --tail=2 in
	fails "option '--to=json' needs figures: '--summary', '--quantiles', '--top', '--histogram', '--tail' or '--sample'" gsort --to=json in
	for list in '' 0.5, ,0.5 1.1 -0.5 x 50 0.5,x 5% 1.0000000000000000001 1..0; do
		fails "is not a quantile: --quantiles takes numbers from 0 to 1, such as 0.5,0.95,0.99" \
			gsort --quantiles="$list" in
	done
	fails "must be a number of intervals, from 1 to 1048576, or log, or log:N" gsort --histogram=0 in
	fails "must be a number of intervals" gsort --histogram=log:0 in
	fails "must be a number of intervals" gsort --histogram=lo in
	fails "options '--histogram=20' and '--histogram=log' are incompatible" gsort --histogram=20 --histogram=log in
	fails "'--histogram=log' is of numbers, not of '--type=time'" gsort --type=time --histogram=log in
	fails "must be a number of intervals, from 1 to 1048576" gsort --histogram=4294967297 in
	fails "must be a whole number below 18446744073709551615" gsort --sample=1:99999999999999999999 in
	fails "'--histogram' is 2097152: the maximum is 1048576" gsort --histogram=2M in
	fails "options '--histogram=10' and '--histogram=11' are incompatible" gsort --histogram --histogram=11 in
	fails "unrecognized option '--seed=1'; the seed is behind the number of keys: --sample=10:SEED" gsort --seed=1 in
	fails "invalid --tail argument 'x': must be a number of keys, such as 10, 4K or 2M" gsort --tail=x in
	fails "invalid --sample argument '1:-1': the seed must be a whole number" gsort --sample=1:-1 in
	fails "options '--tail=1' and '--tail=2' are incompatible" gsort --tail=1 --tail=2 in
}

@test "figures about random keys are Python's" {
	python3 "$GSORT_SOURCE/tests/tools/figures.py" 1 150
}

@test "figures are lines with tabs, or JSON" {
	printf '%s\n' 5 -3 5 18446744073709551615 0 5 -3 >in
	gsort --summary --quantiles=0.5,.9,1 --top=2 --histogram=2 in >figures
	diff - figures <<-'END'
	count	7
	distinct	4
	min	-3
	q1	-3
	median	5
	q3	5
	max	18446744073709551615
	sum	18446744073709551624
	mean	2.6352491533870787e+18

	0.5	5
	.9	18446744073709551615
	1	18446744073709551615

	      3 5
	      2 -3

	-20000000000000000000	-1	2
	0	19999999999999999999	5
	END
	gsort --to=json --quantiles=.9 --top=1 in >figures
	diff - figures <<-'END'
	{"keys": 7, "quantiles": [{"quantile": ".9", "value": 18446744073709551615}], "top": [{"value": 5, "count": 3}]}
	END
	floats | gsort -g --summary --histogram=2 >figures
	diff - figures <<-'END'
	count	15
	distinct	11
	min	-inf
	q1	0
	median	0.1
	q3	1e+300
	max	nan
	sum	nan
	mean	nan

	-inf	-inf	1
	-1e+300	0	2
	0	1e+300	9
	inf	inf	1
	nan	nan	2
	END
	[ "$(printf '%s\n' -1e308 -1.5e308 -1e308 | gsort -g --summary | tail -n 2)" = \
	  "$(printf 'sum\t-inf\nmean\t-1.1666666666666667e+308')" ]
	gsort --summary --top=3 --quantiles=0.5 --histogram </dev/null >figures
	diff - figures <<-'END'
	count	0
	distinct	0
	min	-
	q1	-
	median	-
	q3	-
	max	-
	sum	0
	mean	-

	0.5	-


	END
	[ "$(printf '1\0002\0003\0' | gsort -z --quantiles=0.5)" = "0.5	2" ]
	[ "$(gsort -u64 --force --quantiles=0 --to=text <<<1234567)" = "0	736116666235302449" ]
	(printf head; printf '\3\4') | gsort -u8 --header=4 --quantiles=1 -o out
	[ "$(cat out)" = "1	4" ]
	[ "$(printf 'a\n1\n2\n' | gsort --header --tail=1 | tr '\n' ,)" = a,2, ]
	[ "$(printf 'a\n1\n2\n' | gsort --header --quantiles=0)" = "0	1" ]
}

@test "intervals of neighbouring floats ascend" {	# narrow ranges of all types: units bars
	printf '0.3\n0.30000000000000004\n' >in
	printf '0.3\t0.3000000000000005\t2\n' >expected
	gsort -g --histogram in | cmp - expected
	cat >expected <<-'END'
	{"keys": 2, "histogram": [{"from": 0.3, "to": 0.3000000000000005, "count": 2}]}
	END
	gsort -g --histogram --to=json in | cmp - expected
	printf '6.03652733992967\n6.036527339929671\n' | gsort -g --to=f64 |
		gsort -f64 --histogram=50 | awk '{ all += $3 } $2 < $1 { exit 1 } END { exit all != 2 }'
	printf -- '-1.7976931348623157e308\n0\n1.7976931348623157e308\n' | gsort -g --histogram=4 |
		awk '{ print $3 }' | tr -d '\n' | grep -qx 1011
	printf -- '-1e308\n1e308\n' | gsort -g --histogram=1 | cmp - <(printf -- '-1e+308\t1e+308\t2\n')
}

@test "a histogram has edges of few digits" {
	seq 100 | gsort --histogram | cmp - <(printf '%s\t%s\t%s\n' 0 19 19 20 39 20 40 59 20 60 79 20 80 99 20 100 119 1)
	seq 0 0.01 0.3 | gsort -g --histogram=6 | cut -f 1,2 |
		cmp - <(printf '%s\t%s\n' 0 0.05 0.05 0.1 0.1 0.15 0.15 0.2 0.2 0.25 0.25 0.3)
	seq -3 120 | gsort --histogram=log | cmp - <(printf '%s\t%s\t%s\n' -4 -2 2 -1 -1 1 0 0 1 1 1 1 2 4 3 5 9 5 \
		10 19 10 20 49 30 50 99 50 100 199 21)
	seq 0 0.5 2000 | gsort --type=float --histogram=log:7 | cmp - <(printf '%s\t%s\t%s\n' 0 0.0001 1 0.0001 0.01 0 0.01 1 1 \
		1 100 198 100 10000 3801)
	printf '255.1.2.3\n10.0.0.1\n' | gsort --type=ipv4 --histogram=4 | tail -n 1 |
		cmp - <(printf '192.0.0.0\t255.255.255.255\t1\n')
	printf '2026-11-22T03:04:05\n2026-11-22T05:04:05\n' | gsort --type=time --histogram=3 | head -n 1 |
		cmp - <(printf '2026-11-22T03:00:00Z\t2026-11-22T03:59:59.999999999Z\t1\n')
	printf 'ff\n0\n' | gsort --type=hex --histogram=log | tail -n 1 | cmp - <(printf '80\tff\t1\n')
}

@test "bars are drawn on a terminal" {
	needs script
	seq 20 | awk '{ for (i = 0; i < $1; i++) print $1 }' >in
	COLUMNS=60 script -qc 'stty cols 60; gsort --histogram=3 in' /dev/null | tr -d '\r' >bars
	diff - bars <<-'END'
	 0 ..  9  45 ##############
	10 .. 19 145 ###############################################
	20 .. 29  20 ######
	END
}

@test "the names of --summary are aligned on a terminal" {
	needs script
	printf '3\n1\n' >in
	script -qc 'gsort --summary in' /dev/null | tr -d '\r' >rows
	[ "$(wc -l <rows)" -eq 9 ]
	[ -z "$(expand rows | grep -vE '^[a-z0-9]+ +[0-9.]+$' || :)" ]
	[ "$(expand rows | sed 's/[0-9.]*$//' | awk '{ print length }' | sort -u)" = 16 ]
	gsort --summary in | diff - <(sed 's/ *\t/\t/' rows)
}

@test "figures of keys that do not fit in memory" {
	gen --seed 6 --keys 700000 --type u64 >keys
	gen --seed 7 --keys 300000 --type u64 --dist zipf >>keys
	figures=(-u64 --summary --quantiles=0.1,0.999 --top=20 --top=20 --histogram=50 --to=json)
	gsort "${figures[@]}" keys >expected
	gsort "${figures[@]}" -S 2M -T . keys | cmp - expected
	gsort "${figures[@]}" --parallel=1 keys | cmp - expected
	gsort -u64 --top=5000 keys | cmp - <(gsort -u64 --count --to=text keys | sort -s -k1,1nr | head -n 5000)
}

@test "-0 and 0 are one number of --top, --summary and sets, as of -u" {
	printf '0\n-0\n0\n1\n' >in
	gsort -g --top=1 in | cmp - <(printf '      3 0\n')
	[ "$(gsort -g --summary in | sed -n 2p)" = "$(printf 'distinct\t2')" ]
	[ "$(gsort -g --summary --top=2 --to=json in)" = "$(sed 's/-0/0/' in | gsort -g --summary --top=2 --to=json)" ]
	echo -0 >minus
	echo 0 >plus
	for set in union intersect; do gsort --type=float --$set minus plus | cmp - plus; done
	for set in difference symmetric; do [ -z "$(gsort --type=float --$set plus minus)" ]; done
	gsort --type=float --union -u minus minus | cmp - plus
	for set in union intersect; do gsort -g --$set minus plus | cmp - minus; done	# a line stays as it is
	for set in difference symmetric; do [ -z "$(gsort -g --$set plus minus)" ]; done
	gsort -g minus plus | cmp - <(printf -- '-0\n0\n')
}

@test "figures of columns of lines are what Python's csv and statistics say" {
	python3 "$GSORT_SOURCE/tests/tools/columns.py" 1 150
}

@test "figures of a column are of its numbers, and missing values are counted" {
	cat >in <<-'END'
	item,price,"a ""b"""
	a,1.50,3
	"b,b",10,4
	c,,5
	d,-2,6
	"e
	f",7.25,1
	END
	cat >expected <<-'END'
	count	4
	missing	1
	distinct	4
	min	-2
	q1	-2
	median	1.5
	q3	7.25
	max	10
	sum	16.75
	mean	4.1875

	0.5	1.5
	1	10

	-10	0	1
	0	10	3
	END
	figures=(--csv --header --summary --quantiles=0.5,1 --histogram=2)
	gsort "${figures[@]}" -k price:n in | cmp - expected
	gsort "${figures[@]}" -k 2,2g in | cmp - expected
	gsort "${figures[@]}" -k price:n - <in | cmp - expected
	tail -n +2 in | tr ',' ' ' | grep -v e | awk '{ print NR, $NF }' | gsort -k2,2n --quantiles=1 | cmp - <(printf '1\t6\n')
	[ "$(gsort --csv --header -k '"a ""b""":nr' --quantiles=0 --to=json in)" = \
	  '{"keys": 5, "quantiles": [{"quantile": "0", "value": 6}]}' ]
	[ "$(printf '1K\n2M\n3\n' | gsort -h --quantiles=0,.5,1 | tr '\n\t' '  ')" = '0 3 .5 1024 1 2097152 ' ]
	[ "$(printf '12 apples\n7 pears\n' | gsort --lines -n --quantiles=1)" = "1	12" ]
	[ "$(printf 'x\0001\0y\0003\0' | gsort -z --csv -k1,1n --invalid=ignore --quantiles=1)" = "1	3" ]
	[ "$(printf 'a\t1\t2\nb\t\t3\n' | gsort -t "$(printf '\t')" -k2,2n --quantiles=1)" = "1	1" ]
	seq 200000 | awk '{ print "x," ($1 * 7919) % 200000 "," }' >large
	for options in '' --parallel=1 '-S 1M -T .' --verify; do
		# shellcheck disable=SC2086
		gsort -t, -k2,2n --summary --quantiles=.1 $options large | md5sum
	done | uniq | wc -l | grep -qx 1
	[ "$(gsort -t, -k2,2n --quantiles=.1 large)" = "$(printf '.1\t19999')" ]
}

@test "a column has numbers, or names the first other value" {
	printf 'item,price\na,1\nb,N/A\nc,\nd,7 \n' >in
	fails 'in:3: column "price": not a number: "N/A"' gsort --csv --header -k price:n --summary in
	fails 'in:3: column 2: not a number: "N/A"' gsort -t, --header -k2,2n --summary in
	[ "$(gsort --csv --header -k price:n --invalid=ignore --quantiles=1 in)" = "1	7" ]
	[ "$(gsort --csv --header -k price:n --invalid=warn --quantiles=1 in 2>said)" = "1	7" ]
	grep -q 'warning: in:3: column "price": not a number: "N/A", left out$' said
	fails 'in:3: column "price"' gsort --csv --header -k price:n --invalid=skip-blank --quantiles=1 in
	sed -i /N/d in
	[ "$(gsort --csv --header -k price:n --invalid=skip-blank --summary in | sed -n 2p)" = "missing	0" ]
	fails 'the header has no column .nix.: "item,price"' gsort --csv --header -k nix:n --summary in
	printf '1\n9007199254740993\n' | gsort -k1,1n --quantiles=1 >out 2>said
	cmp out <(printf '1\t9007199254740992\n')
	cmp said <(echo 'gsort: warning: -: 9007199254740993 is rounded: figures of lines are of f64')
	warned() { printf '%s\n' 1 "$2" | gsort -k1,1"$1" --quantiles=1 2>&1 >/dev/null; }
	told=': figures of lines are of f64'
	[ "$(warned n 9007199254740993.0)" = "gsort: warning: -: 9007199254740993.0 is rounded$told" ]
	[ "$(warned g +9007199254740993.)" = "gsort: warning: -: +9007199254740993. is rounded$told" ]
	[ "$(warned h 9007199254740993.00K)" = "gsort: warning: -: 9007199254740993.00K is rounded$told" ]
	[ "$(warned g 1e400)" = "gsort: warning: -: 1e400 is infinite$told" ]
	[ "$(warned n "$(printf '9%.0s' {1..400})")" = "gsort: warning: -: $(printf '9%.0s' {1..40})... is infinite$told" ]
	for exact in 9007199254740992.0 9007199254740994. 0.10000000000000000000001 1e300 0x20000000000001p4 inf -infinity 5.0; do
		[ -z "$(warned g $exact)" ]
	done
	for option in --quantiles=0.5 --summary --histogram; do
		fails "figures are of one key; there are 2" gsort --csv --header -k item:n -k price:n $option in
	done
	fails "'--histogram' of lines needs a key with the letter n, g or h: -k 3,3n, or -k price:n with '--header'" \
		gsort --csv --header -k item --histogram --to=json in
	fails "needs a key with the letter n, g or h: cut the column out, and sort it with --type=time or ipv4" \
		gsort -k1,1:time --histogram in
	for option in tail sample; do
		fails "'--$option' beside figures needs a key with the letter n, g or h" \
			gsort --lines --to=json --summary --$option=2 in
	done
	printf 'a 1\na x\nb 3\n' | gsort -k1,1 -k2,2n --quantiles=0.5 | cmp - <(printf '0.5\ta 1\n')
	printf 'XX 1\nJan 2\n' | gsort -M --quantiles=0.5 | cmp - <(printf '0.5\tXX 1\n')
	fails "'--top' and '--sample' are incompatible: it is of all keys" gsort --lines --top=2 --sample=1 in
	printf 'a,b\n1,"9007199254740993"\n' | gsort --csv --header -k b:n --quantiles=0.5 2>told >/dev/null
	grep -q 'warning: -: 9007199254740993 is rounded' told
	fails "options '-r' and '--summary' are incompatible" gsort --csv --header -k price:nr --summary in
	fails "options '-r' and '--summary' are incompatible" gsort --lines -r --summary in
	fails "options '-r' and '--histogram' are incompatible" gsort --csv --header -k price:nr --histogram in
	{ echo head; head -c 3000000 /dev/zero | tr '\0' x; echo ,5; } >long
	fails "a line or record has .* bytes or more: that needs '--buffer-size=" \
		gsort --csv --header -k2,2n --quantiles=1 -S 20M long
	[ "$(gsort --csv --header -k2,2n --quantiles=1 -S 128M long)" = "1	5" ]
}

# common K OPTION... : the K most frequent lines of "in", as sort, uniq and sort again have them
common() {
	local k=$1
	shift
	LC_ALL=C sort in | uniq -c | LC_ALL=C sort -s -k1,1nr | head -n "$k" | cmp - <(gsort --lines --top="$k" "$@" in)
}

@test "the most frequent lines are what sort, uniq and head print" {
	local options
	awk 'BEGIN { srand(1); for (i = 0; i < 200000; i++) printf "%s%d\n", i % 3 ? "word" : "a longer word ", 3000 * rand() * rand() }' >in
	head -c 100000 /dev/zero | tr '\0' x >>in
	for options in '' --parallel=1 '-S 1M -T .' --verify; do
		# shellcheck disable=SC2086
		for k in 0 1 20 5000; do common $k $options; done
	done
	common 100000
	LC_ALL=C sort -r in | uniq -c | LC_ALL=C sort -s -k1,1nr | head -n 9 | cmp - <(gsort --lines -r --top=9 in)
	tr '\n' '\0' <in | gsort -z --lines --top=9 | tr '\0' '\n' | cmp - <(gsort --lines --top=9 in)
	gsort --lines --top=9 <in | cmp - <(gsort --lines --top=9 in)
	[ -z "$(gsort --lines --top=3 </dev/null)" ]
	printf '%s\n' 'b 2' 'a 1' 'B 2' 'c 3' 'x 1' | gsort -k2,2n --top=2 | cmp - <(printf '      2 1\n      2 2\n')
	printf '%s\n' 'b 2' 'a 1' 'B 2' 'c 3' 'x 1' | gsort -k2,2nr --top=2 | cmp - <(printf '      2 2\n      2 1\n')
	printf 'a   9\nb   9\nc  10\n' >blanks	# count before a string, not before a number
	for letter in '' V d f b; do [ "$(gsort "-k2,2$letter" --top=1 blanks)" = '      2    9' ]; done
	for letter in n g h; do [ "$(gsort "-k2,2$letter" --top=1 blanks)" = '      2 9' ]; done
	printf 'item,n\n"b\nc",1\na,2\n"b\nc",3\n' | gsort --csv --header -k item --top=1 |
		cmp - <(printf 'count,item\n2,"b\nc"\n')
	printf 'item,n\na,1\nb,N/A\n' >table
	fails 'table:3: column "n": not a number: "N/A"' gsort --csv --header -k n:n --top=1 table
}

@test "the most frequent records, and keys of 128 bits" {
	gen --seed 8 --keys 200000 --type u64 --dist zipf >keys
	for key in u32@0 u64@0; do
		python3 - $key >expected <<-'END'
		import struct, sys
		keys = open("keys", "rb").read()
		width = int(sys.argv[1][1:3]) // 8
		groups = {}
		for at in range(0, len(keys), 8):
		    record = keys[at:at + 8]
		    count, first = groups.get(record[:width], (0, record))
		    groups[record[:width]] = (count + 1, first)
		order = sorted(groups.items(), key=lambda row: (-row[1][0], int.from_bytes(row[0], "little")))
		for _, (count, first) in order[:50]:
		    sys.stdout.buffer.write(first[:width] + struct.pack("<Q", count))
		END
		for options in '' --parallel=1 '-S 1M -T .'; do
			# shellcheck disable=SC2086
			gsort --record-size=8 -k $key --top=50 $options keys | cmp - expected
		done
	done
	gsort -u128 --to=text --top=5 keys | cmp - <(gsort -u128 --to=text --count keys | sort -s -k1,1nr | head -n 5)
}

@test "keys of lines with their counts are what Python's csv and Counter say" {
	local rounds=100
	needs python3
	[ -z "${GSORT_CI-}" ] || rounds=400
	[ -z "${GSORT_SLOW-}" ] || rounds=5000
	python3 "$GSORT_SOURCE/tests/tools/counted.py" 1 "$rounds"
}

@test "a count of lines by key stands before the fields of the keys" {
	cat >in <<-'END'
	id,customer,n
	1,"ACME, Inc.",3
	2,Bob,4
	3,"ACME, Inc.",5
	4,"a ""x"" b",9
	END
	top() { gsort --csv --header --top=2 "$@" in; }
	top -k customer | cmp - <(printf '%s\n' count,customer '2,"ACME, Inc."' 1,Bob)
	top -k customer -k n:nr | cmp - <(printf '%s\n' count,customer,n '1,"ACME, Inc.",5' '1,"ACME, Inc.",3')
	top -k customer --to=json | cmp - <(echo '{"keys": 4, "top": [{"value": "ACME, Inc.", "count": 2}, {"value": "Bob", "count": 1}]}')
	top -k customer -k n --to=json | grep -qF '{"value": ["ACME, Inc.", "3"], "count": 1}'
	top -k 2.4,2.6 | cmp - <(printf '%s\n' count,customer '2,"E, "' '1,",4"')
	gsort --csv --header -k customer --count in | cmp - <(printf '%s\n' count,customer '2,"ACME, Inc."' 1,Bob '1,"a ""x"" b"')
	gsort --csv --header -k customer in >sorted
	gsort --csv --header -k customer -m --count sorted sorted | cmp - <(printf '%s\n' count,customer '4,"ACME, Inc."' 2,Bob '2,"a ""x"" b"')
	gsort --csv --header -k customer --union --count in in | cmp - <(gsort --csv --header -k customer --count in)
	gsort --csv --header -k customer -u in | cmp - <(sed 4d in)
	gsort --csv --header -k customer --unique=repeated in | cmp - <(head -n 2 in)
	gsort --csv --header --count in | sed 1q | grep -qx 'count,id,customer,n'
	printf 'ab\rc,1\nab\rd,2\n"a,b",3\n"a""x",4\n' >parts
	gsort --csv -k1.1,1.3 --count parts | cmp - <(printf '1,"a""x"\n1,"a,b"\n2,"ab\r"\n')
	gsort --csv -k1,1.2 --count parts | cmp - <(printf '1,"a"""\n1,"a,"\n2,ab\n')
	{ seq -s, 99999; seq -s, 99999; } >wide
	gsort --csv --header --count wide | cmp - <(sed '1s/^/count,/; 2s/^/1,/' wide)
	printf '%s\n' 'b  x 07' 'a x  7' 'c y 8' >words
	gsort -k2b,2 -k3,3n --count words | cmp - <(printf '%s\n' '      2 x 07' '      1 y 8')
	gsort --header -k3,3n --top=1 words | cmp - <(printf '%s\n' '  count 07' '      1 7')
	gsort -t ' ' -k1,1f --top=1 --debug words 2>/dev/null | cmp - <(printf '%s\n' '      1 a x  7' '        _')
}

# Blanks before a number are not a part of it; before other text, and after another separator, they are.
@test "counts of keys: with which blanks, and below which header" {
	printf '%s\n' 'a  name, x' 'b  7, 9' 'c  7, 9' >in
	while IFS='|' read -r options wanted; do
		# shellcheck disable=SC2086
		gsort --count $options in | paste -sd'|' >found
		[ "$(cat found)" = "$wanted" ] || { echo "$options"; cat found; return 1; }
	done <<-'END'
		-k2,2n|      1 name,|      2 7,
		-k2,2|      2   7,|      1   name,
		-k2,2V|      2   7,|      1   name,
		-k2b,2|      2 7,|      1 name,
		-t, -k2,2n|      1  x|      2  9
		--header -k2,2n|  count name,|      2 7,
		--header -k2,2|  count name,|      2   7,
		-t, --header -k2,2|  count  x|      2  9
		-t, --header --lines|a  name, x|      1 b  7, 9|      1 c  7, 9
		--csv --header --lines|count,a  name, x|1,b  7, 9|1,c  7, 9
	END
}

# as_json PYTHON OPTION...: what gsort --to=json writes is {"keys": number of lines, PYTHON}, of lines = sorted bytes
as_json() {
	gsort --to=json "${@:2}" in >out
	python3 - "$1" <<-'END'
		import json, sys
		from collections import Counter
		text = open("in", "rb").read().split(b"\n")[:-1]
		lines = [line.decode("utf-8", "surrogateescape") for line in sorted(text)]
		top = lambda k: [{"value": v, "count": n}
		                 for v, n in sorted(Counter(lines).items(), key=lambda item: -item[1])[:k]]
		wanted = {"keys": len(lines), **eval(sys.argv[1])}
		got = open("out", encoding="utf-8", newline="").read()
		assert got[-1] == "\n" and min(got[:-1]) >= " ", got
		assert json.loads(got) == wanted, (got, wanted)
	END
}

@test "--to=json of lines: the most frequent, the last, a sample, quantiles and a summary" {
	needs python3
	printf '%s\n' b 'a "q"\' b '' $'\t\x7f\x01' $'\xff\xc3\xa9\xc3' $'\xed\xa0\x80' $'\xf0\x9f\x98\x80' >in
	as_json '{"top": top(99)}' --lines --top=99
	as_json '{"tail": lines[-3:]}' --lines --tail=3
	as_json '{"tail": []}' --lines --tail=0
	as_json '{"sample": lines}' --lines --sample=99
	as_json '{"quantiles": [{"quantile": "0", "value": lines[0]}, {"quantile": "1", "value": lines[-1]}]}' --lines --quantiles=0,1
	as_json '{"summary": {"count": 8, "distinct": 7, "min": "", "q1": lines[1], "median": lines[3], "q3": lines[5],
	                      "max": lines[7]}}' --lines --summary
	seq 40000 | awk '{ print $1 * $1 % 7919, "x" }' >in
	as_json '{"top": top(50)}' --lines --top=50 -S 20M
	as_json '{"tail": lines[-20000:]}' --lines --tail=20000
	: >in
	as_json '{"top": []}' --lines --top=1
	as_json '{"tail": []}' --lines --tail=1
	printf 'k,v\n2,"x\ny"\n1,z\n2,w\n' | gsort --csv --header -k k --to=json --tail=2 |
		cmp - <(echo '{"keys": 3, "tail": ["2,\"x\u000ay\"", "2,w"]}')
	printf 'a 1\na 2\n' | gsort -k1,1 --to=json --tail=2 | cmp - <(echo '{"keys": 2, "tail": ["a 1", "a 2"]}')
}

@test "what --top of lines excludes, and what it needs" {
	echo 1 >in
	fails "options '--summary' and '--top' are incompatible: the first is of numbers, the other of lines or records: use two commands" \
		gsort -k1,1n --summary --top=3 in
	fails "options '--top' and '--tail' are incompatible: it is of all keys" gsort --lines --top=3 --tail=1 --to=json in
	fails "options '--summary' and '--top' are incompatible: the first is of numbers" gsort --record-size=2 -k u8@0 --summary --top=3 in
	fails "options '--to=json' and '--record-size' are incompatible: figures are of numbers" gsort --record-size=2 --to=json --top=3 in
	for option in -m -c --head=3 --tail=3 -u --count --unique=repeated --unique=singletons; do
		fails "and '.*' are incompatible" gsort --lines --top=3 $option in
	done
	for i in {1..9}; do head -c 400000 /dev/zero | tr '\0' $i; echo; done >long
	fails "9 lines or records are too large for memory: they need '--buffer-size=" \
		gsort --lines --top=9 -S 20M long
	gsort --lines --top=9 -S 128M long | cmp - <(sed 's/^/      1 /' long)
}

# picks K OPTION... : of the lines of "in", sorted, those that a sample of as many numbers has
picks() {
	local k=$1
	shift
	gsort "$@" in | awk 'NR == FNR { wanted[$1]; next } FNR in wanted' <(seq "$(wc -l <in)" | gsort --sample="$k") - |
		cmp - <(gsort "$@" --sample="$k" in) || { echo "--sample=$k $*"; return 1; }
}

@test "a sample of lines, records and keys of 128 bits has the ranks of one of numbers" {
	awk 'BEGIN { srand(2); for (i = 0; i < 60000; i++) printf "%d line %*s\n", 9999 * rand(), 40 * rand(), "x" }' >in
	for options in --lines '--lines --parallel=1' '--lines -S 1M -T .' '--lines --verify' '-k1,1n' '-s -k1,1nr' \
	               "-t x -k1,1f"; do
		for k in 0 1 100 30000 59999 60000 60001; do
			# shellcheck disable=SC2086
			picks $k $options
		done
	done
	gsort --lines --sample=100:1 in >one
	gsort --lines --sample=100:1 <in | cmp - one
	shuf --random-source=in in | gsort --lines --sample=100:1 | cmp - one
	not cmp -s one <(gsort --lines --sample=100 in)
	[ "$(gsort --lines --debug --sample=3 in 2>/dev/null | wc -l)" = 6 ]
	{ head -c 400000 /dev/zero | tr '\0' y; echo; cat in; } >long
	[ "$(gsort --lines --sample=60000 long | wc -l)" = 60000 ]
	printf 'n,item\n3,"a\nb"\n1,c\n' | gsort --csv --header -k n:n --sample=2 | cmp - <(printf 'n,item\n1,c\n3,"a\nb"\n')
	gen --seed 9 --keys 100000 --type u64 >keys
	for k in 0 1 1000 99999 100001; do
		gsort --record-size=8 -k u64@0 --sample=$k keys | cmp - <(gsort -u64 --sample=$k keys)
	done
	gen --seed 9 --keys 900000 --type u64 >many
	gsort --record-size=8 -k u64@0 -S 1M -T . --sample=1000 many | cmp - <(gsort -u64 --sample=1000 many)
	gsort -u128 --to=text keys >in
	gsort -u128 --to=text --sample=77 keys | cmp - <(picks 77 -k1,1n; gsort -k1,1n --sample=77 in)
}

@test "figures of a field of records are the same as of its keys alone" {
	local type options
	for type in $types; do
		gen --seed 10 --keys 30000 --type "$type" >keys
		python3 - "${type:1}" <<-'END'
		import sys
		width = int(sys.argv[1]) // 8
		keys = open("keys", "rb").read()
		fields = [keys[at:at + width] for at in range(0, len(keys), width)]
		open("little", "wb").write(b"".join(b"abc" + key + b"xy" for key in fields))
		open("big", "wb").write(b"head" + b"".join(b"abc" + key[::-1] + b"xy" for key in fields))
		END
		size=$((${type:1} / 8 + 5))
		figures=(--summary --histogram=7 --quantiles=0,.25,.999)
		gsort "-$type" "${figures[@]}" keys >expected
		for options in '' --parallel=1 '-S 1M -T .' --verify; do
			# shellcheck disable=SC2086
			gsort --record-size=$size -k "$type@3" "${figures[@]}" $options little | cmp - expected
		done
		gsort --record-size=$size -k "${type}be@3" --header=4 "${figures[@]}" big | cmp - expected
		gsort --record-size=$size -k "$type@3" --quantiles=.1,.9 -r --to=json <little |
			cmp - <(gsort "-$type" --quantiles=.1,.9 -r --to=json keys)
	done
	gen --keys 3000000 --type u8 >large
	gsort --record-size=1000000 -k u16@999998 --summary large | sed -n 1p | grep -qx 'count	3'
	fails 'large: .*record' gsort --record-size=7 -k u16@2 --summary large
	for key in u128@0 bytes2@0 'u8@0 -k u8@1'; do
		# shellcheck disable=SC2086
		fails "figures of records need one key that is a number of at most 64 bits, such as -k u32@8" \
			gsort --record-size=20 -k $key --summary large
	done
	fails "figures of records need one key" gsort --record-size=20 --quantiles=1 large
	fails "options '-r' and '--summary' are incompatible" gsort --record-size=8 -k u8@0r --summary large
}

# ranked OPTION... : figures of the lines of "in" are those of the sorted ones
ranked() {
	local n q options
	LC_ALL=C sort "$@" in >sorted
	n=$(wc -l <sorted)
	{
		printf 'count\t%s\ndistinct\t%s\n' "$n" "$(LC_ALL=C sort -u "$@" in | wc -l)"
		for q in min:0 q1:25 median:50 q3:75 max:100; do
			q1=$(((${q#*:} * n + 99) / 100))
			printf '%s\t%s\n' ${q%:*} "$(sed -n $((q1 > 0 ? q1 : 1))p sorted)"
		done
		printf '\n.01\t%s\n1\t%s\n' "$(sed -n $(((n + 99) / 100))p sorted)" "$(sed -n '$p' sorted)"
	} >expected
	for options in '' --parallel=1 '-S 1M -T .' --verify; do
		# shellcheck disable=SC2086
		gsort "$@" $options --summary --quantiles=.01,1 in | cmp - expected
	done
}

@test "figures of lines whose key is not a number are the lines themselves" {
	awk 'BEGIN { srand(3); for (i = 0; i < 90000; i++) printf "%s %d\n", i % 3 ? "word" : "a longer word", 40000 * rand() * rand() }' >in
	ranked -s -f
	ranked -s -k2
	cp in all
	for n in 1 2 3; do
		head -n $n all >in
		ranked -s -f
	done
	[ "$(gsort --lines -r --quantiles=0 all)" = "0	$(LC_ALL=C sort -r all | head -n 1)" ]
	[ "$(printf 'b\0a\nx\0' | gsort -z --lines --quantiles=1 | tail -n 1)" = "1	b" ]
	[ "$(printf 'a\0b\n' | gsort --lines --quantiles=1 | tr '\0' 0)" = "1	a0b" ]
	[ "$(gsort --lines --quantiles=0.5 </dev/null)" = "0.5	-" ]
	[ "$(printf 'i,n\n"x\ny",1\nz,2\n' | gsort --csv --header -k i --quantiles=0)" = "$(printf '0\t"x\ny",1')" ]
}
