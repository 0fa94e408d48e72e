# SPDX-License-Identifier: BSD-2-Clause
# Sorted inputs become one: -m, as sort(1) does it, and with the order verified.

load ../helpers

# sorted TYPE SEED KEYS [OPTION...]: so many sorted keys on standard output
sorted() {
	gen --seed "$2" --keys "$3" --type "$1" | gsort --type="$1" "${@:4}"
}

# texts: sorted files t0 ... t5 of all classes and sizes, and r0 ... r5 of the same, largest first
texts() {
	gen --seed 31 --keys 3001 --type text --range full | sort -n >t0
	gen --seed 32 --keys 20011 --type text --range small | sort -n >t1
	gen --seed 33 --keys 5003 --type text --range i32 | sort -n >t2
	gen --seed 34 --keys 5003 --type text --range u64 | sort -n >t3
	echo -9223372036854775808 >t4
	: >t5
	for i in 0 1 2 3 4 5; do tac t$i >r$i; done
}

# trouble PATTERN COMMAND...: exit status 2, a message that matches; output may be there
trouble() {
	local pattern=$1 status=0
	shift
	"$@" >trouble-out 2>trouble-err || status=$?
	if [ $status -ne 2 ] || ! grep -q -- "^gsort: .*$pattern" trouble-err; then
		echo "status $status of: $*"
		cat trouble-err
		return 1
	fi
}

# endless: a pipe, in, of many sorted lines and no end; $! writes them
endless() {
	mkfifo in
	exec 7<>in		# it has a writer as long as this test runs
	seq 900000 >&7 &
}

# --- what comes out ------------------------------------------------------------------

@test "text: what sort -m makes of it" {
	texts
	for options in "" -u "--batch-size=2" "-u --batch-size=3" "-S 16M" --parallel=1; do
		gsort -m $options t? | cmp - <(sort -nm $options t?)
		gsort -m -r $options r? | cmp - <(sort -nmr $options r?)
		gsort -m $options t1 t5 | cmp - <(sort -nm $options t1 t5)
	done
}

@test "text: random runs of random numbers, as sort merges them" {
	for seed in 1 2 3 4 5 6 7 8; do
		rm -f in-*
		gen --seed $seed --keys 4000 --type text --range full --dist zipf >all
		split -n r/$((seed + 1)) all in-
		for file in in-*; do sort -n -o "$file" "$file"; done
		gsort -m in-* | cmp - <(sort -n all)
		gsort -mu --batch-size=2 in-* | cmp - <(sort -nu all)
	done
}

@test "binary: what sorting all of it makes, for all types, both ways" {
	for type in u8 i8 u16 i16 u32 i32 u64 i64 f32 f64; do
		for order in "" -r; do
			for i in 1 2 3; do sorted $type $i $((i * 30011)) $order >in$i; done
			cat in1 in2 in3 | gsort --type=$type $order >expected
			gsort -m --type=$type $order in1 in2 in3 | cmp - expected
			gsort -m --type=$type $order --batch-size=2 in3 in1 in2 | cmp - expected
			gsort -mu --type=$type $order in1 in2 in3 |
				cmp - <(gsort -u --type=$type $order expected)
			gsort -m --verify --type=$type $order in1 in2 in3 | cmp - expected
		done
	done
}

@test "inputs of very different sizes" {
	sorted u32 1 1500000 >large
	for keys in 0 1 2 4095 200000; do
		sorted u32 $keys $keys >small
		gsort -m -u32 large small | cmp - <(cat large small | gsort -u32)
		gsort -m -u32 small large small | cmp - <(cat large small small | gsort -u32)
	done
}

@test "equal keys, few keys, keys that follow each other" {
	gen --keys 300000 --type u64 --dist equal | gsort -u64 >equal
	gsort -m -u64 equal equal | cmp - <(cat equal equal)
	gsort -mu -u64 equal equal | cmp - <(head -c 8 equal)
	gen --keys 300000 --type u64 --dist few | gsort -u64 >few
	gsort -m -u64 few equal few | cmp - <(cat few equal few | gsort -u64)
	sorted u32 1 300000 >all
	head -c 400000 all >low
	tail -c +400001 all >high
	gsort -m -u32 high low | cmp - all
}

@test "text floats are merged by value" {
	printf -- '-inf\n-1.5\n0\n1e300\nnan\n' >a
	printf -- '-1.25\n2.5\ninf\n' >b
	gsort -m --type=text-float a b >out
	gsort -c --type=text-float out
	[ "$(wc -l <out)" = 8 ]
	gsort --type=text-float a b | cmp - out
}

@test "--head: the first of what would go out, but all is read and checked" {
	texts
	gsort -m --head=100 t? | cmp - <(sort -nm t? | head -n 100)
	seq 100000 199999 >more
	(seq 300000; echo x) >bad
	(seq 300000; echo 5) >unsorted
	for options in --head=2 "--head=2 --lines -n" "--head=2 -u --count" --head=0; do
		(seq 300000; echo $? >ended) | gsort -m $options --verbose=json:stats - more >out
		[ "$(cat ended)" = 0 ]
		grep -q '"records":400000' stats
		trouble "unsorted:300001: disorder" gsort -m $options unsorted more
	done
	trouble "bad:300001: not a number" gsort -m --head=2 bad
	sorted u64 1 100000 >a
	(cat a; head -c 8 a) >b
	gsort -m -u64 --head=3 a a --verbose=json:stats | cmp - <(gsort -u64 --head=3 a a)
	grep -q '"records":200000' stats
	trouble "b:100001: disorder" gsort -m -u64 --head=3 a b
	trouble "b:100001: disorder" gsort -m --record-size=8 -k u64@0 --head=3 a b
	(cat a; printf 123) >part
	trouble "part" gsort -m -u64 --head=0 part
}

# --- which inputs ----------------------------------------------------------------------

@test "no input, one input, the same input twice, standard input once" {
	texts
	gsort -m <t0 | cmp - t0
	gsort -m t0 | cmp - t0
	gsort -m t5 t5 | cmp - t5
	gsort -m t0 t0 | cmp - <(sort -nm t0 t0)
	gsort -m t1 - t0 - <t2 | cmp - <(sort -nm t0 t1 t2)
	sorted u64 1 1000 >in
	gsort -m -u64 - in - <in | cmp - <(cat in in | gsort -u64)
	sorted u8 1 1000 >in
	gsort -m -u8 - in - <in | cmp - <(cat in in | gsort -u8)
	# an empty one has no header, however often it is named
	printf 'id,name\n1,a\n2,b\n' >table
	gsort -m --csv --header -k id:n - - table - </dev/null | cmp - table
	cut -d, -f1 table >numbers
	gsort -m --type=int --header - - numbers </dev/null | cmp - numbers
}

@test "pipes, named and not" {
	texts
	mkfifo p q
	cat t0 >p &
	cat t1 >q &
	gsort -m p q - <t2 >out
	wait
	sort -nm t0 t1 t2 | cmp - out
	gsort -m <(cat t0) <(cat t3) | cmp - <(sort -nm t0 t3)
}

@test "compressed inputs" {
	needs gzip zstd
	texts
	sort -nm t0 t1 t2 >expected
	gzip -k t0
	zstd -q t1
	gsort -m t0.gz t1.zst t2 | cmp - expected
	gsort -m --batch-size=2 t0.gz t1.zst t2 | cmp - expected
	sorted u32 1 200000 >a
	sorted u32 2 200000 >b
	gzip -k a
	gsort -m -u32 a.gz b | cmp - <(cat a b | gsort -u32)
}

@test "more inputs than may be open, of text and binary keys" {
	gen --seed 5 --keys 50000 --type text --range full >all
	split -n r/60 all in-
	for file in in-*; do sort -n -o "$file" "$file"; done
	sort -n all >expected
	(ulimit -n 20; gsort -m -v in-* 2>says | cmp - expected)
	grep -q '; [1-9][0-9]* merge passes, ' says
	(ulimit -n 20; gsort -m --batch-size=5 in-* in-aa | cmp - <(sort -n all in-aa))
	gen --seed 5 --keys 50000 --type u32 >all
	rm in-*
	split -b 4000 all in-
	for file in in-*; do gsort -u32 -o "$file" "$file"; done
	(ulimit -n 20; gsort -m -u32 in-* | cmp - <(gsort -u32 all))
	for file in in-*; do gzip "$file"; done
	(ulimit -n 20; gsort -m -u32 in-*.gz | cmp - <(gsort -u32 all))
}

@test "many inputs in little memory" {
	gen --seed 6 --keys 300000 --type u64 >all
	split -b 12000 all in-
	for file in in-*; do gsort -u64 -o "$file" "$file"; done
	gsort -m -u64 -S 16M in-* | cmp - <(gsort -u64 all)
	printf '\1\0\0\0\5\0\0\0' >two
	mapfile -t many < <(yes two | head -n 5000)
	[ "$(gsort -m -u32 -S 20M "${many[@]}" | od -An -v -tu4 -w4 | uniq -c | tr -s ' \n' '  ')" = " 5000 1 5000 5 " ]
}

@test "few inputs in little memory need no temporary files" {
	for ((i = 0; i < 10; i++)); do seq $i 50000 2000000 >in-$i; done
	gsort -m -S 16M --verbose=json in-* 2>stats | cmp - <(sort -n in-*)
	grep -q '"spilled_bytes":0,' stats
	gsort -m -g -S 16M --verbose=json in-* 2>stats | cmp - <(sort -n in-*)
	grep -q '"spilled_bytes":0,' stats
}

@test "more runs than files may be open, where each run has one" {
	for ((i = 0; i < 300; i++)); do echo $((i * 7 % 300)) >t-$i; done
	for ((i = 0; i < 300; i++)); do gen --seed $i --keys 1 --type u32 >b-$i; done
	ulimit -n 100
	gsort -m --batch-size=2 --compress-program=zstd t-* | cmp - <(seq 0 299)
	gsort -m -u32 --batch-size=2 --compress-program=zstd b-* | cmp - <(cat b-* | gsort -u32)
}

@test "all inputs are looked at before the output is touched" {
	texts
	echo old >out
	fails "cannot read: missing: No such file" gsort -m t0 missing -o out
	fails "cannot read: missing: No such file" gsort -m t0 missing -o new
	[ "$(cat out)" = old ]
	[ ! -e new ]
	fails "open failed: none/out" gsort -m t0 -o none/out
	head -c 10 /dev/zero >part
	fails "part: 10 bytes is not a multiple of 4" gsort -m -u32 part /dev/null
	trouble "10 bytes is not a multiple of 4" gsort -m -u32 <(cat part) /dev/null
}

# --- headers -----------------------------------------------------------------------

@test "the header goes out once" {
	printf 'a\nb\n1\n3\n' >one
	printf 'a\r\nb\r\n2\n' >two
	gsort -m --header=2 one two | cmp - <(printf 'a\nb\n1\n2\n3\n')
	gsort -m --header=2 two one | cmp - <(printf 'a\r\nb\r\n1\n2\n3\n')
	gsort -m --header=2 --batch-size=2 one two two | cmp - <(printf 'a\nb\n1\n2\n2\n3\n')
	gsort -m --header=9 one one | cmp - one
	gsort -m --header=2 <(printf 'a\nb') two | cmp - <(printf 'a\nb\n2\n')
	echo 1 >>two
	trouble "two:4: disorder: 1" gsort -m --header=2 one two
	printf 'xyz\1\3' >one
	printf 'abc\2' >two
	gsort -m -u8 --header=3 one two | cmp - <(printf 'xyz\1\2\3')
	printf 'xyz\1\0\0\0\3\0\0\0' >one
	printf 'abc\2\0\0\0' >two
	gsort -m -u32 --header=3 one two | cmp - <(printf 'xyz\1\0\0\0\2\0\0\0\3\0\0\0')
	trouble "two: has only 7 of the 9 bytes to be skipped" gsort -m -u32 --header=9 two one
}

# --- order -------------------------------------------------------------------------------

@test "an input out of order is an error that names the place" {
	printf '1\n3\n2\n' >bad
	texts
	trouble "bad:3: disorder: 2: merging needs sorted inputs; sort it, or use --force$" \
		gsort -m t0 bad
	trouble "bad:2: disorder: 3: " gsort -mr bad
	trouble "-:3: disorder: 2: " gsort -m t0 - <bad
	trouble "bad:3: disorder: 2: " gsort -m --batch-size=2 t0 t1 bad
	printf '\1\0\0\0\3\0\0\0\2\0\0\0' >f.bin
	trouble "f.bin:3: disorder: 2 (byte 8): merging needs" gsort -m -u32 f.bin /dev/null
	printf '\1\3\2' >f.bin
	fails "f.bin:3: disorder: 2 (byte 2): merging needs" gsort -m -u8 f.bin /dev/null
	seq 1 1000000 >long
	echo 7 >>long
	trouble "long:1000001: disorder: 7: " gsort -m t0 long
	echo old >out
	fails "long:1000001: disorder: 7: " gsort -m t0 long -o out
	[ "$(cat out)" = old ]
}

@test "equal keys are in order, with -u, too" {
	printf '1\n1\n2\n' >in
	gsort -m in in | cmp - <(printf '1\n1\n1\n1\n2\n2\n')
	gsort -mu in in | cmp - <(printf '1\n2\n')
}

@test "numbers become lines in the middle of a merge, and nothing is written twice" {
	for line in 0.50 29999.0 59999x; do
		seq 1 2 60000 >a
		(seq 2 2 60000; echo "$line") >b
		for options in -n -g '-n -r' '-n -u' '-n --count' '-n --head=20000' '-n --tail=9' '-n --verify'; do
			for file in a b; do
				gsort ${options%% --*} "$file" >"sorted.$file"
			done
			gsort -m $options -vv sorted.a sorted.b sorted.a 2>notes >out
			grep -q '^gsort: a line is not a number as gsort prints it: ' notes
			cat a b a | gsort $options | cmp - out
		done
	done
	(echo head; seq 1 2 60000) >a
	(echo head; seq 2 2 60000; echo 60001.0) >b
	gsort -m -n --header a b | cmp - <(echo head; seq 60000; echo 60001.0)
	gsort -m -n -s --header a b | cmp - <(echo head; seq 60000; echo 60001.0)
	gsort -m -n --header -o b a b
	cmp b <(echo head; seq 60000; echo 60001.0)
	(echo head; seq 2 2 60000; echo 60001.0; echo 5) >b
	trouble 'b:30003: disorder: 5: merging needs sorted inputs' gsort -m -n --header a b
}

@test "with --force no key is lost, whatever the order" {
	gen --seed 7 --keys 100000 --type u32 >bad
	sorted u32 8 100000 >good
	gsort -m -u32 --force bad good >out
	cat bad good >both
	same_keys both out u32
	# what is verified then is that all is there, not its order
	gsort -m -u32 --force --verify bad good | cmp - out
	for options in --lines -k1 '-u --lines'; do
		printf 'c\na\n' | gsort -m $options --force --verify | cmp - <(printf 'c\na\n')
	done
	gen --seed 7 --keys 100000 --type u16 >bad
	gsort -m -u16 --force bad | cmp - <(gsort -u16 bad)
	printf '1\n3\n2\n' >bad
	gsort -m --force bad >out
	sort -n out | cmp - <(seq 3)
	# those below 0 would come too late to be printed
	printf '5000000000\n-2\n' >bad
	trouble "bad:2: disorder: -2: numbers of text must be sorted to be merged; sort it, or use -n, which merges lines$" \
	        gsort -m --force bad
	gsort -n -m --force bad | cmp - bad
}

@test "lines that are not numbers are errors, or left out" {
	printf '1\nx\n3\n' >in
	echo 2 >other
	trouble "in:2: " gsort -m in other
	gsort -m --invalid=ignore in other | cmp - <(seq 3)
	status=0
	gsort -m --invalid=fail in other >out 2>err || status=$?
	[ $status = 2 ]
	cmp out <(seq 3)
}

# --- outputs -----------------------------------------------------------------------------

@test "the output may be an input" {
	texts
	sort -nm t0 t1 >expected
	for way in "" --in-place; do
		cp t0 out
		gsort -m $way out t1 -o out
		cmp expected out
		cp t0 out
		gsort -m $way t1 - -o out <out
		cmp expected out
	done
	cp t0 out
	ln out other
	gsort -m t1 other -o out
	cmp expected out
	cmp expected other
	gsort -m out t1 -o out --batch-size=2
	sort -nm expected t1 | cmp - other
}

@test "standard output may be an input" {
	texts
	cp t0 out
	gsort -m out t1 >>out
	cat t0 <(sort -nm t0 t1) | cmp - out
	cp t0 out
	gsort -m t1 out 1<>out
	sort -nm t0 t1 | cmp - out
	sorted u32 1 100000 >one
	sorted u32 2 100000 >two
	cat one two | gsort -u32 >expected
	gsort -m -u32 two one 1<>one
	cmp expected one
}

@test "temporary files leave nothing behind" {
	texts
	mkdir tmp
	gsort -m --batch-size=2 -T tmp t? >/dev/null
	[ -z "$(ls -A tmp)" ]
	fails "cannot" gsort -m --batch-size=2 -T nowhere t?
}

@test "a full output is an error at once" {
	[ -c /dev/full ] || skip "no /dev/full"
	status=0
	endless
	timeout 30 gsort -m in /dev/null >/dev/full 2>err || status=$?
	kill $! || true
	[ $status = 2 ]
	grep -q "write failed" err
}

@test "a pipe whose writer rests does not hold up what comes before its next line" {
	[ -c /dev/full ] || skip "no /dev/full"
	seq -w 4000000 >in
	mkfifo pipe
	exec 5<>pipe		# so nobody finds its end
	yes z | head -c 1000000 >&5 &
	status=0
	timeout 30 gsort -m --lines --parallel=2 in pipe >/dev/full 2>err || status=$?
	kill $! || true
	exec 5>&-
	[ $status = 2 ]
	grep -q "write failed" err
}

@test "lines of many rounds by any number of threads: ties, groups, and the first line out of order" {
	local i options
	for i in 1 2 3; do
		seq $i 3 200000 | awk '{ print $1 % 50 "," int($1 / 7) "," $1 }' | sort -t, -k2,2n -k1,1 -s >in$i
	done
	for options in "-t, -k2,2n -k1,1 -s" "-t, -k2,2n -k1,1 -u"; do
		for i in 1 2 3 7; do
			gsort -m $options --parallel=$i --verify in? | cmp - <(sort -m $options in?)
			gsort -m $options --parallel=$i --count in? | cmp - <(gsort $options --count in?)
		done
	done
	# equal lines are in one share, and others have none
	(yes a | head -n 20000; echo b) >equal
	gsort -m --lines --parallel=4 equal equal | cmp - <(sort -m equal equal)
	{ head -n 60000 in2; head -n 1 in2; tail -n +60001 in2; } >bad
	for i in 1 2 7; do
		not gsort -m -t, -k2,2n -k1,1 -s --parallel=$i in1 bad in3 >out 2>err
		grep -q "^gsort: bad:60001: disorder: $(head -n 1 in2): merging needs sorted inputs" err
	done
	# the first one of two, at the bounds of parts and of what is loaded, too
	for i in 2 256 257 258 32769 65536 65537 65538; do
		seq -f %06g 80000 | sed "${i}s/./-/; 70000s/./-/" >bad
		trouble "bad:$i: disorder: -" gsort -m --lines --parallel=1 bad /dev/null
		trouble "bad:$i: disorder: -" gsort -m --lines --parallel=7 bad /dev/null
	done
}

@test "a line out of order is an error at once, and its number right, whatever comes behind it" {
	local options refused
	for options in --lines --csv --record-size=40; do
		rm -f pipe
		mkfifo pipe
		exec 5<>pipe		# so nobody finds its end
		yes "$(printf '%039d' 9)" | head -n 30000 | sed '4000s/9$/5/' >&5 &
		status=0
		timeout 30 gsort -m $options --parallel=2 pipe >out 2>err || status=$?
		kill $! || true
		exec 5>&-
		[ $status = 2 ]
		grep -q "^gsort: pipe:4000: disorder: " err
	done
	# lines are counted before one that is refused, though nobody gets them
	for refused in 4000 10000 20000; do
		yes "$(printf '%039d' 9)" | head -n 30000 | sed "2000s/9\$/5/; ${refused}s/9\$/x/" >bad
		trouble "bad:2000: disorder: " gsort -m --csv -k1,1n -s --parallel=2 bad /dev/null
	done
}

# rests PID: none of its threads runs, and none has run for a moment
rests() {
	local before after
	before=$(awk '{ print $14 + $15 }' "/proc/$1/stat")
	! awk '$3 != "S" { found = 1 } END { exit !found }' "/proc/$1/task/"*/stat || return 1
	sleep 0.1
	after=$(awk '{ print $14 + $15 }' "/proc/$1/stat")
	[ "$before" = "$after" ]
}

@test "a span that writes nothing does not hand the memory of the one before to the next" {
	{ seq 400000; yes 500000 | head -n 2000000; seq 600000 1000000; } | gsort --to=u64 >in
	{ seq 400000; echo 500000; seq 600000 1000000; } | gsort --to=u64 >expected
	gsort -u64 -r expected -o expected-r
	mkfifo pipe
	for options in '-m in in' '-S 4M in' '-r -S 4M in'; do
		gsort -u64 -u $options >pipe &
		exec 5<pipe
		eventually rests $!		# the pipe is full, and all that can be done without it is done
		case $options in -r*) cmp - expected-r <&5 ;; *) cmp - expected <&5 ;; esac
		exec 5<&-
		wait $!
	done
}

@test "more inputs than are merged at once: bad lines count where nothing else is, and empty inputs have no header" {
	printf 'x\ny\n' >bad
	: >empty
	not gsort -m --invalid=fail --batch-size=2 bad empty empty empty empty 2>told
	grep -qx 'gsort: 2 invalid lines were left out' told
	printf 'h\n1\n5\n' >one
	printf 'h\n2\n4\n' >two
	gsort -m --header --batch-size=2 empty - empty one two <empty >merged
	printf 'h\n1\n2\n4\n5\n' | cmp - merged
}

@test "long lines of several inputs: the memory that a message names is enough" {
	local i j options
	for i in 1 2 3 4 5 6 7 8 9; do
		for j in 1 2 3 4; do
			printf '%d%01000000d\n' $j $i
		done >in$i
	done
	fails "a line or record has .* that needs '--buffer-size=" gsort -m --lines -S 16M in?
	options=$(grep -o -e '--buffer-size=[0-9]*M' fails-err)
	gsort -m --lines $options in? | cmp - <(sort -m in?)
}

@test "-m selects numbers, lines and records by how often they occur, the last ones, too" {
	local pair keys
	for pair in '1 1 2 3 3:2 4' '1 2 4 4:2' '1 2 2:2 2' '1:1' '7:' ':7 7' '1 2 9:9' '1 2:3' '1 1 1:1 1'; do
		# shellcheck disable=SC2086
		printf '%s\n' ${pair%:*} | sed '/^$/d' >one
		# shellcheck disable=SC2086
		printf '%s\n' ${pair#*:} | sed '/^$/d' >two
		sort one two >all
		for keys in --type=text --lines -k1,1n --record-size=2; do
			gsort -m "$keys" -u one two | cmp - <(uniq all)
			gsort -m "$keys" --unique=repeated one two | cmp - <(uniq -d all)
			gsort -m "$keys" --unique=singletons one two | cmp - <(uniq -u all)
		done
	done
}
