# SPDX-License-Identifier: BSD-2-Clause
# Union, intersection and difference of inputs, as multisets and as sets.

load ../helpers

@test "sets of random keys, lines and records are Python's" {
	needs python3
	python3 "$GSORT_SOURCE/tests/tools/sets.py" 1 160
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
	[ "$(result --type=float --intersect)" = '0 1000 nan ' ]
	[ "$(result --type=float --difference)" = '0 ' ]
	[ "$(result --type=float -u --difference)" = '' ]
	[ "$(result -g --intersect)" = 'nan -0 1e3 ' ]	# lines, by sort's -g
	[ "$(result -g --difference)" = '0 ' ]
	printf '%s\n' 007 'x y' 12k '' >a
	printf '%s\n' 7 '12 apples' z >b
	[ "$(gsort -n --intersect a b | tr '\n' ,)" = 'x y,007,12k,' ]
	[ "$(gsort -n --union a b | tr '\n' ,)" = 'x y,,007,12k,' ]
	[ "$(gsort -n -u --difference b a | tr '\n' ,)" = '' ]
	printf 'x\n1\n' >a
	printf 'x\n2\n' >b
	[ "$(result --header --union)" = 'x 1 2 ' ]
	[ "$(gsort --header --union /dev/null /dev/null b | tr '\n' ' ')" = 'x 2 ' ]
}

# of SET A B: that of two sorted files of lines, without tabs, by comm
of() {
	case $1 in
	union)      LC_ALL=C comm "$2" "$3" ;;
	intersect)  LC_ALL=C comm -12 "$2" "$3" ;;
	difference) LC_ALL=C comm -23 "$2" "$3" ;;
	symmetric)  LC_ALL=C comm -3 "$2" "$3" ;;
	esac | tr -d '\t'
}

@test "sets of lines are what comm prints of sorted lines, with any options of sort and uniq" {
	for input in a b; do
		gen --seed $((36#$input)) --keys 60000 --type u32 --dist zipf | gsort -u32 --to=text |
			awk '{ print "line " $1 % 50000 (NR % 7 == 0 ? "x" : "") }' >$input
		LC_ALL=C sort $input >$input.all
		uniq $input.all >$input.once
		tr '\n' '\0' <$input >$input.zero
	done
	for set in union intersect difference symmetric; do
		of $set a.all b.all >all
		of $set a.once b.once >once
		[ -s all ]
		for options in '' --parallel=1 --parallel=5 --verify '-S 1M -T .'; do
			# shellcheck disable=SC2086
			gsort --lines --$set $options a b | cmp - all
		done
		gsort --lines --$set -r a b | cmp - <(LC_ALL=C sort -r all)
		gsort --lines --$set --count a b | cmp - <(uniq -c all)
		gsort --lines --$set --unique=repeated a b | cmp - <(uniq -d all)
		gsort --lines --$set --unique=singletons --head=9 a b | cmp - <(uniq -u all | head -n 9)
		gsort --lines --$set --tail=9 a b | cmp - <(tail -n 9 all)
		gsort --lines --$set --tail=20000 -S 4M a b | cmp - <(tail -n 20000 all)
		gsort --lines --$set -u -S 1M -T . a b | cmp - once
		gsort --lines --$set -u -r --tail=3 a b | cmp - <(LC_ALL=C sort -r once | tail -n 3)
		gsort --lines --$set -z a.zero - <b.zero | tr '\0' '\n' | cmp - all
	done
	of union a.all b.all | tail -n 100000 | cmp - <(gsort --lines --union --tail=100000 -S 1M -T . a b)
	# lines that are all of a bucket
	for input in a b; do
		{ cat $input; yes "line of many" | head -n 40000; } >$input.many
	done
	for options in '--union -u' '--intersect -u' '--symmetric --unique=singletons'; do
		# shellcheck disable=SC2086
		gsort --lines $options a.many b.many >all
		[ -s all ]
		# shellcheck disable=SC2086
		gsort --lines $options -S 1M -T . a.many b.many | cmp - all
	done
}

# prints LINES COMMAND: so many words, lines in one, are printed
prints() {
	local lines=$1
	shift
	"$@" 2>err | tr '\n' ',' | cmp - <(printf '%s' "$lines") || { echo "of $*"; return 1; }
}

@test "lines with equal keys are one value, and the line shown is the first file's" {
	printf '%s\n' 'c 3' 'a 1' 'b 1' 'd 2' >a
	printf '%s\n' 'v 2' 'w 1' 'x 5' 'y 2' >b
	prints 'a 1,b 1,d 2,y 2,c 3,x 5,' gsort -k2,2n --union a b
	prints 'a 1,d 2,' gsort -k2,2n --intersect a b
	prints 'b 1,c 3,' gsort -k2,2n --difference a b
	prints 'x 5,c 3,y 2,b 1,' gsort -k2,2nr --symmetric a b
	prints 'w 1,v 2,c 3,x 5,' gsort -s -k2,2n -u --union b a
	prints '      1 1,      1 2,' gsort -k2,2n --intersect --count a b a
	prints 'a 1,  _,d 2,  _,' gsort -k2,2n --intersect --debug a b
	printf 'name,n\n"x\ny",2\nz,1\n' >a.csv
	printf 'name,n\nw,1\n' >b.csv
	prints 'name,n,"x,y",2,' gsort --csv --header -k n:n --difference a.csv b.csv
	prints 'count,n,2,1,1,2,' gsort --csv --header -k n:n --union --count a.csv <(cat b.csv; echo v,1)
	printf 'n,name\n1,w\n' >c.csv
	fails 'c.csv: its header is "n,name", and that of the first input "name,n"' \
		gsort --csv --header -k n:n --difference a.csv c.csv
	fails 'c.csv: its header is "n,name", and that of the first input "name,n"' \
		gsort --csv --header -k1,1 --union a.csv c.csv
}

@test "records and keys of 128 bits, larger than memory; a header of bytes" {
	gen --seed 6 --keys 800000 --type u64 >keys
	for options in -u128 '--record-size=16 -k u64@0 -k u64@8r' '--record-size=16 -k u64@8'; do
		head -c 4800000 keys >a
		tail -c 4800000 keys >b
		# shellcheck disable=SC2086
		gsort $options keys >all
		tail -c +1600001 keys | head -c 3200000 >middle
		for more in '' '-S 1M -T .' '--verify --parallel=1'; do
			# shellcheck disable=SC2086
			gsort $options $more --union --verbose=json:told a b | cmp - all
			[ "${more:1:1}" != S ] || grep -q '"runs":[1-9]' told
			# shellcheck disable=SC2086
			gsort $options $more --intersect a b | cmp - <(gsort $options middle)
		done
		(printf head; cat b) >c
		# shellcheck disable=SC2086
		gsort $options --header=4 --difference c <(printf more; cat a) |
			cmp - <(printf head; tail -c 1600000 keys | gsort $options)
	done
}

@test "options of the output hold for the whole, not for each input" {
	printf '%s\n' 2 255 >a
	printf '%s\n' 1 2 >b
	echo old >out
	ln out other
	gsort --union --in-place -o out a b
	[ "$(tr '\n' ' ' <other)" = '1 2 255 ' ]
	gsort --union --in-place -o out b out
	[ "$(tr '\n' ' ' <other)" = '1 2 255 ' ]
	gsort --union --to=u16be a b | cmp - <(printf '\0\1\0\2\0\377')
	printf '\2\377' >a
	gsort -u8 --force --union --to=hex a a | cmp - <(printf '2\nff\n')
	gsort -u8 --force --union --to=text -z a a | tr '\0' ' ' | grep -qx '2 255 '
}

@test "inputs larger than memory, compressed, from a pipe" {
	needs gzip
	gen --seed 1 --keys 1000000 --type u64 >keys
	head -c 6400000 keys >a
	tail -c 6400000 keys >b
	gsort -u64 <(tail -c +1600001 keys | head -c 4800000) >middle
	gsort -u64 --intersect a b | cmp - middle
	gzip -c a >a.gz
	for options in '-S 1M -T .' --parallel=1 '-S 1M -T . -r' '--verify -S 1M -T . --compress-program=zstd'; do
		# shellcheck disable=SC2086
		gsort -u64 --intersect --verbose=json:told $options a.gz - <b | gsort -u64 | cmp - middle
		[[ $options != *-S* ]] || grep -q '"runs":[1-9]' told
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
	printf 'n\n1\nx\n' >bad
	printf 'n\n1\n' >good
	for files in 'good bad' 'bad good'; do
		# shellcheck disable=SC2086
		fails 'bad:3: column "n": not a number: "x"' gsort --header -k n:n --union -o out $files
		# shellcheck disable=SC2086
		not gsort --header -k n:n --invalid=fail --intersect $files 2>err >printed
		grep -q '1 invalid line was left out' err
		[ "$(cat printed)" = "$(cat good)" ]
	done
	fails 'cannot read: c: No such file' gsort --lines --union -o out a c
	fails 'b: byte 0: the last record is short' gsort --record-size=4 --union -o out b a
	cmp a out
	mkfifo wait
	sleep 1000 >wait 3>&- 4>&- &
	fails 'bad:3: column "n": not a number: "x"' gsort --header -k n:n --union bad wait
	kill $!
	cmp a out
	[ "$(echo out* ./*.* .gsort*)" = 'out ./*.* .gsort*' ]
}

@test "operands are read one after the other: each pipe has all to itself" {
	local set options first second job
	mkfifo p q r
	seq 9 20000 | sed 's/\(.*\)/\1,\1 x/; s/9,/,/; s/8 x/8 y/' >lines
	sed '4,$ { s/x$/X/; s/77/7/ }' lines >other
	head -c 160000 lines >bytes		# more than a pipe holds
	tail -c 160000 other >more
	seq 20000 >numbers
	seq 15000 30000 >others
	while IFS=: read -r options first second; do
		for set in --union --intersect --difference --symmetric; do
			# shellcheck disable=SC2086
			gsort -T . $options $set "$first" "$second" "$second" >expected
			rm -f done
			{ cat "$first" >p; : >done; cat "$second" >q; cat "$second" >r; } &
			# shellcheck disable=SC2086
			timeout 100 gsort -T . $options $set p q r | cmp - expected
			wait
			[ -e done ]
		done
	done <<-'END'
		--lines:lines:other
		-s -t, -k1,1n -k2,2f -u:lines:other
		--csv --header=3 -k 2,2:lines:other
		--record-size=16 -k bytes2@3 --header=48:bytes:more
		-u128 --force:bytes:more
		-u32 --force:bytes:more
		:numbers:others
	END
	seq 200000 >numbers		# more than an enlarged pipe holds
	for options in '' --lines; do
		# shellcheck disable=SC2086
		gsort $options --union p q >out &
		job=$!
		exec 7>p
		cat numbers >&7
		not grep -q '/q$' <(readlink /proc/$job/fd/*)
		exec 7>&-
		cat others >q
		wait $job
		# shellcheck disable=SC2086
		gsort $options --union numbers others | cmp - out
	done
	{ echo n; seq 5; echo x; } >bad
	cat bad >p &
	fails 'p:7: column "n": not a number: "x"' timeout 100 gsort --header -k n:n --union p q
	wait
	printf 'abc' >p & fails 'the last record is short' timeout 100 gsort --record-size=4 --union p q
	wait
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
	for set in union difference; do
		fails "options '--argsort' and '--$set' are incompatible: a set is of several inputs" \
			gsort --argsort=u32 --lines --$set a a
		fails "options '--lines' and '--device=gpu' are incompatible" gsort --lines --$set --device=gpu a a
		fails "options '--$set' and '--split' are incompatible" gsort --lines --$set --split=2 -o 'x%r' a a
	done
	fails "a set operation needs two FILEs at least" gsort --lines --union a
	fails "a set operation needs two FILEs at least" gsort --union
	fails "a set operation needs two FILEs at least" gsort --union a
	fails "standard input ('-') can be only one input of a set operation" gsort --union - a -
	fails "is too large here: with --merge, sets, --unique" gsort --union --tail=2M a a
}
