# SPDX-License-Identifier: BSD-2-Clause
#
# Which keys are written: --unique, --count, --unique=repeated, --unique=singletons, --head.
# Text against sort(1), uniq(1) and head(1); binary keys as hexadecimal, which has the
# order of unsigned keys, against the same.

load ../helpers

# text KEYS: small and large numbers of both signs, many more than once
text() {
	{
		gen --seed 1 --keys "$1" --type text --range small
		gen --seed 2 --keys $(($1 / 2)) --type text --range i32 --dist few
		gen --seed 3 --keys "$1" --type text --range full
		gen --seed 4 --keys $(($1 / 4)) --type text --range full --dist zipf
		echo 18446744073709551615
		echo -9223372036854775808
	} | awk '{ print; if (NR % 7 == 0) print; if (NR % 70 == 0) print }'
}

# by_uniq SELECTION: standard input, sorted, to what uniq makes of it
by_uniq() {
	case $1 in
	none)             cat ;;
	unique)           uniq ;;
	count)            uniq -c ;;
	repeated)         uniq -d ;;
	singletons)       uniq -u ;;
	count-repeated)   uniq -cd ;;
	count-singletons) uniq -cu ;;
	esac
}

selections="unique count repeated singletons count-repeated count-singletons"

# options SELECTION: of gsort
options() {
	[ "$1" = none ] || sed 's/-/ --/; s/repeated\|singletons/unique=&/; s/^/--/' <<<"$1"
}

# agrees SELECTION OPTION... FILE...: with sort -n | uniq
agrees() {
	local selection=$1
	shift
	echo "$selection: $*"
	sort -n "${@/--*/--stable}" | by_uniq "$selection" >expected
	# shellcheck disable=SC2046
	gsort $(options "$selection") "$@" | cmp - expected
}

@test "text: groups are as in uniq, up and down" {
	text 3000 >in
	for selection in $selections; do
		agrees $selection in
		agrees $selection -r in
		agrees $selection --parallel=1 in
	done
}

@test "text: from pipes and several files, and none" {
	text 1000 >a
	text 2000 | head -n 1777 >b
	: >c
	for selection in $selections; do
		agrees $selection a b c a
		cat a b a | gsort $(options $selection) | cmp - <(agrees_all a b c a $selection)
		agrees $selection c
	done
}

agrees_all() {
	sort -n "${@:1:4}" | by_uniq "$5"
}

@test "text: a group that is longer than everything that is printed at once" {
	{ yes 70000 | head -n 1500000; echo 70001; yes -99999999999 | head -n 600000; echo 3; } >in
	agrees count -r in
	sort -n in >sorted
	for selection in count repeated singletons unique; do
		# shellcheck disable=SC2046
		gsort $(options $selection) in | cmp - <(by_uniq $selection <sorted)
	done
}

@test "text: a small number that comes more often than spans are long" {
	yes 5 | head -n 3000000 >in
	echo 12 >>in
	agrees count in
	gsort --unique=singletons in | cmp - <(echo 12)
}

@test "text: --unique=repeated and --unique=singletons together are refused" {
	fails "--unique=repeated.*--unique=singletons" gsort --unique=repeated --unique=singletons /dev/null
}

# hex TYPE: standard input, one key a line, in the order of unsigned keys
hex() {
	local bytes=$((${1:1} / 8))
	od -An -v -tx$bytes -w$bytes | tr -d ' '
}

# pairs TYPE: what --count makes of binary keys, as uniq -c prints it
pairs() {
	local bytes=$((${1:1} / 8))
	od -An -v -tx1 -w$((bytes + 8)) | awk -v bytes=$bytes '{
		key = ""; count = 0
		for (i = bytes; i >= 1; i--) key = key $i
		for (i = bytes + 8; i > bytes; i--)
			count = count * 256 + index("0123456789abcdef", substr($i, 1, 1)) * 16 - 16 \
				+ index("0123456789abcdef", substr($i, 2, 1)) - 1
		printf "%7d %s\n", count, key
	}'
}

# binary TYPE DIST: all selections, both ways, with and without a head
binary() {
	local reverse selection head shown bytes=$((${1:1} / 8))
	gen --seed 8 --keys 40000 --type "$1" --dist "$2" >in
	{ head -c 8000 in; gen --seed 9 --keys 5000 --type "$1"; } >>more
	cat more >>in
	rm more
	for reverse in "" -r; do
		hex "$1" <in | sort $reverse >sorted
		for selection in none $selections; do
			set -- "$1" "$2" $reverse $(options $selection)
			gsort -"$1" "${@:3}" in >all
			by_uniq "$selection" <sorted >expected
			case $selection in
			count*) shown=$((bytes + 8)) && pairs "$1" <all >got ;;
			*)      shown=$bytes && hex "$1" <all >got ;;
			esac
			cmp got expected
			for head in 0 1 77 6000 100000; do
				echo "$1 $2 $selection $reverse $head"
				gsort -"$1" "${@:3}" --head=$head in | cmp - <(head -c $((head * shown)) all)
			done
		done
	done
}

@test "binary: 8 bits"			{ binary u8 uniform; }
@test "binary: 16 bits"			{ binary u16 uniform; }
@test "binary: 32 bits, zipf"		{ binary u32 zipf; }
@test "binary: 64 bits, few"		{ binary u64 few; }
@test "binary: 64 bits, uniform"	{ binary u64 uniform; }

@test "binary: signed keys and floats, of which the first" {
	for type in i8 i16 i32 i64 f32 f64; do
		gen --seed 5 --keys 20000 --type $type >in
		cat in in >twice
		gsort -$type in >up
		gsort -r$type in >down
		gsort -$type --head=300 in | cmp - <(head -c $((300 * ${type:1} / 8)) up)
		gsort -r$type --head=300 in | cmp - <(head -c $((300 * ${type:1} / 8)) down)
		gsort -$type -u in >up
		gsort -$type --unique=repeated twice | cmp - up
		gsort -$type --unique=singletons twice | cmp - /dev/null
	done
}

# first K OPTION... FILE...: the first K lines of what sort makes of them
first() {
	local count=$1
	shift
	echo "$count $*"
	sort -n "$@" | head -n "$count" >expected
	gsort --head="$count" "$@" | cmp - expected || return 1
	cat "${@: -1}" >pipe.in
	gsort --head="$count" "${@:1:$(($# - 1))}" <pipe.in >got
	cmp got expected
}

# keeps AWK OPTION...: what awk makes of the file in, with two readings, is what --keep-order writes
keeps() {
	awk "$1" in in >expected
	[ -s expected ]
	for more in "" "-S 20M" "--parallel=1 --verify" "-S 5M -T . --parallel=3 --verify"; do
		gsort --keep-order "${@:2}" $more in | cmp - expected
		gsort --keep-order "${@:2}" $more <in | cmp - expected
	done
	gsort --keep-order "${@:2}" --head=3 in | cmp - <(head -n 3 expected)
	gsort --keep-order "${@:2}" --tail=3 in | cmp - <(tail -n 3 expected)
	gsort --keep-order "${@:2}" --split=3 -o 'part-%r' in
	cat part-? | cmp - expected
}

@test "--keep-order: the first of equal lines, rows and records, as they came" {
	awk 'BEGIN { srand(7); for (i = 0; i < 100000; i++) { n = int(rand() * 10000)
		printf "%d %s%x\n", n, i % 3 ? "w" : "W", n * 7919 % 9973 } }' >in
	keeps 'NR == FNR { next } !seen[$0]++' --lines -u
	keeps 'NR == FNR { next } !seen[$1 + 0]++' -n -u
	keeps 'NR == FNR { next } !seen[toupper($2)]++' -k2,2f -u
	keeps 'NR == FNR { times[$0]++; next } times[$0] > 1 && !seen[$0]++' --lines --unique=repeated
	keeps 'NR == FNR { times[$0]++; next } times[$0] == 1' --lines --unique=singletons
	tr '\n' '\0' <in | gsort -z --lines -u --keep-order | tr '\0' '\n' |
		cmp - <(awk '!seen[$0]++' in)
	{ echo '"n",word'; sed 's/\([^ ]*\) \(.*\)/\1,"\2"/' in; } >t.csv
	gsort --csv --header -k word -u --keep-order t.csv |
		cmp - <(awk -F, 'NR == 1 || !seen[$2]++' t.csv)
	gsort --lines -u --keep-order /dev/null | cmp - /dev/null

	gen --seed 7 --keys 30000 --type u32 --dist few >keys
	od -An -tu4 -v -w4 keys | awk '!seen[$1]++' >expected
	gsort -u32 -u --keep-order keys | od -An -tu4 -v -w4 | cmp - expected
	od -An -tu4 -v -w8 keys | awk '!seen[$2]++' >expected
	gsort --record-size=8 -k u32le@4 -u --keep-order keys | od -An -tu4 -v -w8 | cmp - expected
}

@test "--keep-order: what it does not go with" {
	refused() { run gsort --keep-order "${@:2}" in; [ "$status" = 2 ]; [ "$output" = "gsort: $1" ]; }
	: >in
	refused "option '--keep-order' needs '-u'" --lines
	refused "option '--keep-order' needs '--lines' or '-n': numbers are written anew, and lines as they are" -u
	refused "options '--keep-order' and '--count' are incompatible: a count is known after the last element" -u --count
	refused "options '--keep-order' and '-r' are incompatible: the order is that of the input" --lines -ur
	refused "options '-c' and '--keep-order' are incompatible" --lines -uc
	refused "options '-m' and '--keep-order' are incompatible: sort the inputs as they are" --lines -um
	refused "options '--union' and '--keep-order' are incompatible: pipe one gsort into another" --lines -u --union
	refused "options '--argsort' and '--keep-order' are incompatible: sort its numbers" --lines -u --argsort=u32
	refused "options '--keep-order' and '--to=text' are incompatible: elements are written as they are" -u32 -u --to=text
	refused "options '--keep-order' and '--invalid' are incompatible" --csv --header -k a:n -u --invalid=warn
}

@test "head: text, up and down, unique and not" {
	text 3000 >in
	for k in 0 1 2 10 999 5000 100000 18446744073709551615; do
		first_fits $k in
		first_fits $k -r in
		first_fits $k -u in
		first_fits $k -ru in
	done
}

# first_fits K ...: head(1) cannot count to 2^64
first_fits() {
	if [ ${#1} -lt 19 ]; then
		first "$@"
	else
		gsort --head="$1" "${@:2}" | cmp - <(sort -n "${@:2}")
	fi
}

# From here on inputs are so long that gsort drops keys while it reads.

@test "head: of millions of keys, by file and by pipe" {
	for dist in uniform reversed zipf; do
		gen --seed 6 --keys 1500000 --type u32 --dist $dist >in
		for options in -u32 -ru32 "-u -u32" "-ru -u32"; do
			gsort $options in >all
			for k in 0 1000 250000; do
				echo "$dist $options $k"
				head -c $((4 * k)) all >expected
				gsort $options --head=$k in | cmp - expected
				[ $k != 1000 ] || cat in | gsort $options --head=$k | cmp - expected
			done
		done
	done
}

@test "head: of millions of keys of other types" {
	for type in i32 u64 f64; do
		gen --seed 7 --keys 1500000 --type $type >in
		for options in -$type -r$type "-ur$type"; do
			gsort $options in | head -c 32000 >expected
			gsort $options --head=$((32000 * 8 / ${type:1})) in | cmp - expected
		done
	done
}

@test "head: of millions of lines, small numbers among them or not" {
	gen --seed 1 --keys 400000 --type text --range full >wide
	gen --seed 2 --keys 450000 --type text --range i32 >narrow
	gen --seed 3 --keys 25000 --type text --range small >small
	cat wide narrow small wide >all
	sort -n all >up
	uniq up >once
	for k in 1 20000 300000; do
		echo $k
		gsort --head=$k all | cmp - <(head -n $k up)
		gsort -r --head=$k all | cmp - <(tail -n $k up | tac)
		gsort -u --head=$k all | cmp - <(head -n $k once)
		gsort -ru --head=$k all | cmp - <(tail -n $k once | tac)
	done
	# The bound among the small numbers: above them nothing, below them all.
	awk '$1 > 0 || NR % 1000 == 0' up >up-most
	shuf --random-source=all up-most >most
	for k in 1000 10000; do
		gsort --head=$k most | cmp - <(head -n $k up-most)
		gsort -u --head=$k most | cmp - <(uniq up-most | head -n $k)
	done
	awk '$1 < 0 || NR % 1000 == 0' up >up-most
	shuf --random-source=all up-most >most
	gsort -r --head=10000 most | cmp - <(tail -n 10000 up-most | tac)
}

@test "head: fewer values than are wanted, and after them others" {
	{ yes 70005 | head -n 3000000; seq 70006 70099; } | gsort -u --head=9 | cmp - <(seq 70005 70013)
}

@test "head: everything is read and checked all the same" {
	{ seq 2000000; echo x; } >in
	fails "in:2000001: " gsort --head=0 in
	fails "in:2000001: " gsort --head=5 in
	seq 3000000 >numbers
	(cat numbers; : >all-written) | gsort --head=3 >out
	[ "$(cat out)" = "$(seq 3)" ]
	[ -e all-written ]
	gen --keys 3000001 --type u16 >odd
	fails "2 trailing" gsort -u32 --head=0 odd
}

@test "head: memory in proportion to the head, not to the input" {
	skips_under_sanitizer "all takes more memory"
	gen --seed 1 --keys 20000000 --type u32 >in	# 80 MB: half of them would be too much
	mkfifo pipe
	for threads in 2 ${GSORT_CI:+16} 32; do
		for k in 10 100000; do
			cat in >pipe &
			peak_within 40000 gsort -u32 --parallel=$threads --head=$k -o out pipe
			peak_within 40000 gsort -ru -u32 --parallel=$threads --head=$k -o out in
		done
	done
	gen --seed 1 --keys 20000000 --type u32 --dist reversed >in
	peak_within 40000 gsort -u32 --head=1000 -o out in
	gen --seed 1 --keys 10000000 --type text >in
	cat in >pipe &
	peak_within 150000 gsort --head=1000 -o out pipe
	peak_within 150000 gsort --head=1000 --parallel=32 -o out in
}

@test "head: the plan describes it" {
	gsort --plan --head=7 -u32 | grep "^device .*first 7 "
	gsort --plan --head=7 --count -u32 | not grep "^device .*first 7 "
	gsort --plan --head=99999999999999 -u32 | not grep "^device .*first 9"
}

@test "head: also of what a GPU has sorted, if one is demanded" {
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	gen --seed 1 --keys 200000 --type u32 >in
	gsort -u32 in >all
	for k in 0 1 1000 100000 300000; do
		head -c $((4 * k)) all >expected
		gsort-emu --device=gpu -u32 --head=$k in | cmp - expected
		gsort-emu --device=gpu -Sgpu:2M -u32 --head=$k in | cmp - expected
	done
	hex u32 <all | uniq -c | head -n 1000 >expected
	gsort-emu --device=gpu -u32 --count --head=1000 in | pairs u32 | cmp - expected
}
