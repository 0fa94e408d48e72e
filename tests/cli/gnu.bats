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
	gen --seed 23 --keys 100007 --type text --range full >in
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

@test "what is not a number is an error that names file and line" {
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

# ---- -n and -g: numbers, until a line is none --------------------------------------

# turns OPTION...: -n does with "in" what it does where lines are lines from the beginning, as with -f
turns() {
	local way
	gsort -f -n "$@" in >expected
	gsort -n "$@" in >out
	cmp expected out || { echo "$*"; return 1; }
	gsort -n "$@" <in | cmp expected -
	cat in | gsort -n "$@" | cmp expected - || { echo "pipe $*"; return 1; }
	for way in -S16M --parallel=1 --verify; do
		gsort -n "$way" "$@" in | cmp expected - || { echo "$way $*"; return 1; }
	done
}

@test "-n and -g print what sort prints, whatever the lines" {
	needs python3
	local drawn=$GSORT_SOURCE/tests/tools/numeric.py times=1
	[ -z "${GSORT_SLOW-}" ] || times=10
	python3 "$drawn" "$GSORT" 1 $((300 * times))
	python3 "$drawn" "$GSORT" 2 $((3 * times)) 200000
}

@test "-n: a line that is not a number, after millions of bytes, with every option that selects" {
	{ gen --seed 61 --keys 250000 --type text --range small; printf '7 apples\n7\n007\n'
	  gen --seed 62 --keys 50000 --type text; } >in
	for options in "" -r -u -s "-s -u -r" --count --unique=repeated --unique=singletons --head=1000 --tail=1000 \
	               "--tail=1000 -r" "--head=10 -u" --header=3 "--header --count -r"; do
		turns $options
	done
	gsort -n --split=3 -o 'part-%r' in
	cat part-0 part-1 part-2 | cmp - <(sort -n in)
}

@test "-n: a word at the end of a file is seen at its beginning, one in the middle where it is" {
	gen --seed 66 --keys 1000000 --type text >keys
	{ cat keys; echo total 7; } >end
	{ cat keys; echo total 7; cat keys keys; } >middle
	for name in end middle; do
		gsort -n $name | cmp - <(sort -n $name)
		gsort -n -S16M $name | cmp - <(sort -n $name)
	done
	needs strace
	strace -f -o trace true || skip "strace cannot trace here"
	read_by() { strace -f -e trace=read,pread64 -P "$1" -o trace "$GSORT" -n -S16M "$1" >out 2>/dev/null
	            awk '/ = [0-9]+$/ { sum += $NF } END { print sum }' trace; }
	(( $(read_by end) < $(wc -c <end) * 5 / 4 ))
	(( $(read_by middle) > $(wc -c <middle) * 5 / 4 ))
}

@test "-n: the header of a later file, and a line, may be cut by the end of what is read at once" {
	head -c 1500000 /dev/zero | tr '\0' h >header
	gen --seed 63 --keys 300000 --type text >keys
	{ cat header; echo; echo second; cat keys; } >one
	{ cat header; echo; echo second; echo '3 apples'; cat keys; } >other
	{ head -n 2 one; { cat keys; echo '3 apples'; cat keys; } | sort -n; } >expected
	gsort -n --header=2 one other | cmp expected -
	gsort -n --header=2 <(cat one) <(cat other) | cmp expected -
	{ head -n 1 one; tail -qn +2 one other | sort -n; } >expected
	gsort -n --header=1 one other | cmp expected -
	gsort -n --header=1 <(cat one) <(cat other) | cmp expected -
	{ cat keys; head -c 1500000 header; echo; cat keys; } >long
	gsort -n long | cmp - <(sort -n long)
	cat long | gsort -n | cmp - <(sort -n long)
}

@test "-n: files of one header each are lines, as pipes are" {
	printf '9\n3\n1\n' >f
	printf '7\n5\n4\n' >g
	: >e
	printf 'x\n3\n' >x
	for other in g <(cat g); do
		run gsort -n --header f "$other"
		[ "$status" -eq 2 ]
		[[ $output == *'its header is "7", and that of the first input "9"'* ]]
	done
	[ "$(gsort -n --header e x | paste -sd,)" = x,3 ]
	[ "$(gsort -g --header f f | paste -sd,)" = 9,1,1,3,3 ]
}

@test "-n: other places of a file are looked at only while nobody else reads" {
	: >empty
	echo 7 >small
	seq 2000 >large
	for n in 1 2 3 4 5 6 7 8; do
		gsort -n --parallel=2 empty small large | cmp - <(sort -n small large)
		gsort -n empty empty large small | cmp - <(sort -n small large)
	done
}

@test "-n: headers of files that are empty or long" {
	: >empty
	{ echo h; seq 1000 200000; echo apple; seq 3; } >in
	{ for i in {1..3000}; do echo "# line $i of a header that is long enough to matter"; done; echo apple; seq 3; } >long
	{ head -c 1500000 /dev/zero | tr '\0' h; echo; seq 9; } >wide
	for files in "--header empty in" "--header=2 empty in" "--header in empty in" "--header=3000 long" \
	             "--header=3000 -S20M long long" "--header empty wide" "--header wide" "--header=2 wide wide"; do
		gsort -f -n $files >expected
		gsort -n $files | cmp expected - || { echo "$files"; return 1; }
		cat "${files##* }" | gsort -n ${files% *} - | cmp expected - || { echo "pipe: $files"; return 1; }
	done
}

@test "-n: numbers that became lines are counted, compressed, and replaced like others" {
	{ gen --seed 64 --keys 300000 --type text; echo apple; } >in
	sort -n in >expected
	gsort -n --verbose=json in 2>stats | cmp - expected
	grep -q '"records":300001,' stats
	grep -q "\"bytes_in\":$(wc -c <in)," stats
	gsort -nvv in 2>&1 >out | grep -q '^gsort: a line is not a number as gsort prints it: sorting lines$'
	gzip -k in
	gsort -n in.gz | cmp - expected
	cp in same
	gsort -n -o same same
	cmp same expected
}

@test "-n: a file that is replaced after it was read is read again as it was" {
	local program bytes pid
	{ seq 1000000; echo apple; seq 1000; } >b
	{ seq 1000; cat b; } | sort -n >expected
	for program in zstd lz4; do
		seq 1000 >a
		gsort -n --compress-program=$program a b >out &
		pid=$! bytes=0
		while [ "$bytes" -lt 1000000 ] && { read -r _ bytes <"/proc/$pid/io"; } 2>/dev/null; do :; done
		kill -STOP $pid || :	# a slow shell may come when all is done
		echo 7777777 >new
		mv new a
		kill -CONT $pid || :
		wait $pid
		cmp expected out
	done
}

@test "-n, -g: files begin as numbers, a pipe and compressed files as lines" {
	local note="gsort: a line is not a number as gsort prints it: sorting lines" name
	{ gen --seed 65 --keys 30000 --type text; echo apple; } >in
	gzip -k in
	sort -n in >expected
	: >empty
	for options in "in" "empty in" "- empty" "in.gz" "in in.gz"; do
		gsort -nvv $options <in 2>told >out
		[ "$options" = "in in.gz" ] || cmp expected out
		case $options in *.gz) not grep -qx "$note" told ;; *) grep -qx "$note" told ;; esac
		case $options in - | *.gz) continue ;; esac
		cat in | gsort -gvv ${options/in/-} 2>told | cmp - <(sort -g in)
		not grep -qx "$note" told
	done
	mkfifo pipe
	cat in >pipe &
	gsort -n pipe | cmp - expected
	printf '%s\n' 1 apple | gsort -n -T nowhere | cmp - <(printf '%s\n' apple 1)
}

@test "options that name numbers make -n and -g strict" {
	printf '%s\n' 1 apple >in
	for options in --type=text --to=u32 --quantiles=.5 --summary --top=1 --histogram=2 --sample=1 \
	               --argsort=u32 --invalid=skip-blank; do
		fails 'in:2: .*: "apple"' gsort -n $options in
	done
	fails 'in:2: not a number: "apple"' gsort -g --to=f32 in
	gsort -n --invalid=ignore in | cmp - <(echo 1)
	for program in zstd lz4; do
		gsort -n --compress-program=$program in | cmp - <(sort -n in)
	done
}
