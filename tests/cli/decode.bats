# SPDX-License-Identifier: BSD-2-Clause
# Lines become numbers, or a message that says which one did not.

load ../helpers

# line TEXT: the output for one line
line() {
	printf -- "$1" | gsort
}

@test "output is canonical" {
	[ "$(line '007\n')" = 7 ]
	[ "$(line '-0\n')" = 0 ]
	[ "$(line '+5\n')" = 5 ]
	[ "$(line ' \t12 \t\n')" = 12 ]
	[ "$(line '12\r\n' | od -An -c | tr -d ' ')" = '12\n' ]
	[ "$(line '12' | od -An -c | tr -d ' ')" = '12\n' ]
	[ "$(line '-0012 \r' | od -An -c | tr -d ' ')" = '-12\n' ]
}

@test "numbers go from -2^63 to 2^64-1" {
	printf '%s\n' 18446744073709551615 -9223372036854775808 0 >in
	[ "$(gsort in | tr '\n' ' ')" = "-9223372036854775808 0 18446744073709551615 " ]
	[ "$(gsort -r in | tr '\n' ' ')" = "18446744073709551615 0 -9223372036854775808 " ]
}

@test "numbers outside are named, with the range and what to use" {
	range="(gsort sorts -9223372036854775808 to 18446744073709551615; -k1,1n sorts any)"
	for number in 18446744073709551616 -9223372036854775809 99999999999999999999 \
	              100000000000000000000000000; do
		echo $number >in
		fails "in:1: out of range: \"$number\" $range" gsort in
	done
}

@test "what is not a number is named" {
	for bad in abc - + 1x x1 1,000 '1 2' '- 1' --1 . 1e .e5 0x 0xg 0x1: 12-; do
		printf '1\n%s\n2\n' "$bad" >in
		fails "in:2: not a number: \"$bad\"" gsort in
	done
}

@test "what is a number but no integer is called that" {
	for bad in 1.5 -.5 1. 1e9 -1E-3 1.5e+10; do
		printf '1\n%s\n2\n' "$bad" >in
		fails "in:2: not an integer: \"$bad\"; floats need --type=float" gsort in
	done
}

@test "an empty line is an error, of blanks too, and the last" {
	for text in '1\n\n2\n' '1\n \n' '1\n\t\r\n' '1\n\n'; do
		printf "$text" >in
		fails "in:2: empty line" gsort in
	done
}

@test "an integer is never rounded: what no double holds is out of range, as --invalid says" {
	for whole in 9007199254740993 -9007199254740993 100000000000000000000000 0x20000000000001; do
		printf '1.5\n%s\n' $whole >in
		fails "in:2: out of range: \"$whole\" (no f64 holds this integer exactly; " gsort --type=float in
		fails "in:2: out of range: \"$whole\"" gsort --type=float -c in
		fails "in:2: out of range: \"$whole\"" gsort --type=float -m -o out in
		[ "$(gsort --type=float --invalid=ignore in)" = 1.5 ]
	done
	printf '9007199254740993.0\n9007199254740994\n1e23\n0x20000000000002\n' >in
	[ "$(gsort --type=float in | tr '\n' ' ')" = "9007199254740992 9007199254740994 9007199254740994 1e+23 " ]
}

@test "skip-blank leaves out empty lines, and nothing else" {
	printf '\n3\n\n \t\n1\r\n\r\n2\n\n' >in
	for options in '' -g; do
		[ "$(gsort $options --invalid=skip-blank in | tr '\n' ' ')" = "1 2 3 " ]
		[ "$(gsort $options --invalid=skip-blank -r in | tr '\n' ' ')" = "3 2 1 " ]
	done
	[ "$(gsort --invalid=skip-blank -v -o out in 2>&1 | grep -c 'left out')" = 0 ]
	printf '1\n\n2\n' >in
	gsort --invalid=skip-blank -c in
	for blanks in 1 9 10 11 5000; do
		{ echo 1; yes '' | head -n $blanks; echo x; } >in
		fails "in:$((blanks + 2)): not a number: \"x\"" gsort --invalid=skip-blank --parallel=2 in
	done
}

@test "a first line of bytes that no text has brings up binary types" {
	gen --seed 1 --keys 1000 --type u32 >in
	fails "in:1: not a number: .*; binary keys need a type, such as -u32" gsort in
	head -c 10000 /dev/zero >in
	fails "in:1: line longer than 4095 bytes; binary keys need a type" gsort in
	printf '1\n\0\n' >in
	fails 'in:2: not a number: "\\0"; byte 1 is U+0000 NULL$' gsort in
}

@test "what cannot be seen is shown by number, what can as it is" {
	printf '\357\273\2771\n' >in			# a byte order mark
	fails '"\\xef\\xbb\\xbf1"' gsort in
	printf '\303\274\302\233\377\n' >in		# u umlaut, a control character, no UTF-8
	fails "$(printf '"\303\274')\\\\xc2\\\\x9b\\\\xff\"" gsort in
	printf '\340\240\200\340\202\233\n' >in		# one of three bytes; the control character in as many
	fails "$(printf '"\340\240\200')\\\\xe0\\\\x82\\\\x9b\"" gsort in
}

@test "a NUL is neither a digit nor a blank" {
	printf '1\n2\0003\n' >in
	fails "in:2: not a number" gsort in
	printf '1\n2\000\n' >in
	fails "in:2: not a number" gsort in
}

@test "lines may be long, but not longer than 4095 bytes" {
	printf '%04095d\n' 7 >in
	[ "$(gsort in)" = 7 ]
	{ echo 1; printf '%04096d\n' 7; } >in
	fails "in:2: line longer than 4095 bytes" gsort in
	{ echo 1; head -c 3000000 /dev/zero | tr '\0' 1; } >in
	fails "in:2: line longer than 4095 bytes" gsort in
	fails "in:2: line longer than 4095 bytes" gsort --type=float in
	yes 123456 | tr -d '\n' | head -c 3000000 >in
	fails "in:1: line longer than 4095 bytes" gsort in
}

@test "a long bad line is shown in part" {
	head -c 4000 /dev/zero | tr '\0' x >in
	fails "in:1: not a number: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\"" gsort in
	[ "$(wc -c <fails-err)" -lt 200 ]
}

@test "standard input is called -" {
	fails "-:1: not a number: \"x\"" bash -c 'echo x | gsort'
}

@test "line numbers are of the file, and name the first bad one" {
	seq 10 >a
	printf '1\nx\ny\n' >b
	fails "b:2: not a number: \"x\"" gsort a b
	fails "b:2: not a number: \"x\"" gsort b a
}

@test "line numbers are exact in large files, for any number of threads" {
	seq 1000000 1 4999999 >whole		# 32 MB: several chunks
	for at in 1 2 77777 1048576 2000000 3999999 4000000; do
		sed "${at}s/./x/" whole >in
		for threads in 1 2 5; do
			fails "in:$at: not a number: \"x" gsort --parallel=$threads in
		done
		fails "-:$at: not a number: \"x" bash -c 'cat in | gsort --parallel=3'
	done
}

@test "of several bad lines the first is named" {
	seq 2000000 >whole
	sed -e '1999999s/.*/last/' -e '1000001s/.*/second/' -e '1000000s/.*/first/' whole >in
	for threads in 1 2 7; do
		fails "in:1000000: not a number: \"first\"" gsort --parallel=$threads in
	done
}

@test "an output that exists is untouched when a line is bad" {
	echo old >out
	{ seq 100000; echo bad; } >in
	fails "in:100001: not a number" gsort -o out in
	[ "$(cat out)" = old ]
	[ "$(ls -A)" = "$(printf '%s\n' fails-err fails-out in out)" ]
}

@test "text from DOS, without a last newline, large" {
	gen --seed 1 --keys 300000 --type text --range full >in
	sed 's/$/\r/' in | head -c -2 >dos
	gsort in >expected
	gsort dos | cmp - expected
}

# ---- lines that are left out --------------------------------------------------

# told PATTERN...: each line of the file "told" matches its pattern, and there are no more.
told() {
	[ "$(wc -l <told)" = $# ] || { cat told; return 1; }
	local at=0
	for pattern; do
		at=$((at + 1))
		sed -n "${at}p" told | grep -q -- "$pattern" || { cat told; return 1; }
	done
}

@test "bad lines end the job, or are left out, as --invalid says" {
	printf '3\nx\n1\n1.5\n2\n' >in
	fails "in:2: not a number: \"x\"" gsort in
	fails "in:2: not a number: \"x\"" gsort --invalid=abort in

	[ "$(gsort --invalid=warn in 2>told | tr '\n' ' ')" = "1 2 3 " ]
	told 'in:2: not a number: "x", left out$' 'in:4: not an integer: "1.5", left out$'
	[ "$(gsort --invalid=ignore in 2>told | tr '\n' ' ')" = "1 2 3 " ]
	told

	status=0
	gsort --invalid=fail in >out 2>told || status=$?
	[ $status -eq 2 ]
	[ "$(tr '\n' ' ' <out)" = "1 2 3 " ]
	told 'in:2: .*, left out$' 'in:4: .*, left out$' '^gsort: 2 invalid lines were left out$'
	seq 3 >in
	gsort --invalid=fail in | cmp - in
}

@test "ten bad lines are reported, the others counted" {
	seq 25 | sed 's/$/x/' >in
	seq 3 >>in
	gsort --invalid=warn in 2>told | cmp - <(seq 3)
	[ "$(grep -c 'left out$' told)" = 11 ]
	grep -q 'in:10: not a number: "10x", left out$' told
	grep -q '\.\.\. and 15 more, left out$' told
	[ "$(gsort -q --invalid=warn in 2>&1 | wc -l)" = 3 ]
}

@test "numbers of lines are right when others are left out, for any number of threads" {
	seq 1000000 1 3999999 >whole		# 24 MB: several chunks
	sed -e '500000s/./x/' -e '2999999s/.*//' -e '1700000s/./-/2' whole >in
	for threads in 1 2 5; do
		gsort --parallel=$threads --invalid=warn in >out 2>told
		told 'in:500000: not a number: "x499999"' 'in:1700000: not a number: ' \
		     'in:2999999: empty line'
		[ "$(wc -l <out)" = 2999997 ]
	done
	cat in | gsort --invalid=warn >out 2>told
	told '-:500000: ' '-:1700000: ' '-:2999999: '
}

@test "a line that is too long is left out whole, and counted once" {
	{ echo 5; head -c 3000000 /dev/zero | tr '\0' 1; echo; echo 4; echo z; } >in
	[ "$(gsort --invalid=warn in 2>told | tr '\n' ' ')" = "4 5 " ]
	told 'in:2: line longer than 4095 bytes, left out$' 'in:4: not a number: "z", left out$'
}

# ---- headers, terminators ------------------------------------------------------

@test "a header goes out first, as it was" {
	printf 'name \t of it\n3\n1\n2\n' >in
	[ "$(gsort --header in)" = "$(printf 'name \t of it\n1\n2\n3')" ]
	[ "$(gsort -r --header=2 in)" = "$(printf 'name \t of it\n3\n2\n1')" ]
	printf 'h' | gsort --header | cmp - <(echo h)
	gsort --header </dev/null | cmp - /dev/null
	gsort --header --to=text in | cmp - <(gsort --header in)
	printf 'one\ntwo\nx\n' >in
	fails "in:3: not a number: \"x\"" gsort --header=2 in
}

@test "of several files the header goes out once: all that have a line share it" {
	local kind verb
	: >e
	printf 'a\n1\n3\n' >a
	printf '\xef\xbb\xbfa\r\n2\n' >b
	printf 'c\n2\n' >c
	printf 'a\n4\n' >f
	printf 'a\n1\ny\n' >d
	for kind in --type=text --type=float --type=hex -n --lines; do
		for verb in --verify -m --union --sample=9 -u; do
			gsort $kind $verb --header a b | cmp - <(printf '%s\n' a 1 2 3)
			gsort $kind $verb --header e a e b | cmp - <(printf '%s\n' a 1 2 3)
			gsort $kind $verb --header e e | cmp - e
			fails 'c: its header is "c", and that of the first input "a"; .*tail -n +2 c' \
				gsort $kind $verb --header e a c -o out
			[ ! -e out ]
		done
		gsort $kind -c --header e a e f
		fails 'c: its header is "c", and that of the first input "a"' gsort $kind -c --header e a c
	done
	fails "d:3: not a number: \"y\"" gsort --header a d
	fails 'c: its header is "c", and that of the first input "a"' gsort --header --summary a c
	# more inputs than are merged at a time, the first of which are empty
	gsort -m --batch-size=2 --header e e e e a b a | cmp - <(printf '%s\n' a 1 1 2 3 3)
}

@test "a header may be long, but not without end" {
	{ head -c 1000000 /dev/zero | tr '\0' h; echo; seq 3; } >in
	gsort -r --header in | cmp - <(head -n 1 in; seq 3 -1 1)
	{ head -c 1100000 /dev/zero | tr '\0' h; echo; seq 3; } >in
	fails "in: the header of 1 line is longer than 1048576 bytes" gsort --header in
}

@test "the first bytes of a binary input go out first, as they were" {
	gen --seed 1 --keys 10000 --type u32 >keys
	gsort -u32 keys >sorted
	for n in 1 4 1000 100000; do
		gen --seed $n --keys $n --type u8 >top
		cat top keys >in
		gsort -u32 --header=$n in | cmp - <(cat top sorted)
		cat in | gsort -u32 --header=$n | cmp - <(cat top sorted)
		gsort -u32 --header=$n --to=u64 in | cmp - <(cat top; gsort -u32 --to=u64 sorted)
		gsort -u16 --header=$n in | cmp - <(cat top <(gsort -u16 keys))
	done
	cat top keys >a
	printf '%0100000d' 0 | cat - keys >b
	gsort -u32 --header=100000 a b | cmp - <(cat top; cat keys keys | gsort -u32)
	fails "in: .* trailing byte" gsort -u32 --header=3 in
	printf 'abcd' >in
	fails "in: has only 4 of the 8 bytes to be skipped" gsort -u32 --header=8 in
	# standard input that is named again is empty
	for kind in -u32 --record-size=4 -u128 "-m -u32"; do
		# shellcheck disable=SC2086
		cat top sorted keys | head -c 100016 | gsort $kind --header=100000 - - |
			cmp - <(cat top sorted | head -c 100016)
	done
}

@test "NUL ends lines, and then a newline is a blank" {
	printf '3\0\n1\n\0-2\0' >in
	gsort -z in | cmp - <(printf -- '-2\0001\0003\0')
	printf '3\0001' >in
	gsort -z in | cmp - <(printf '1\0003\0')
	gsort -zr in | cmp - <(printf '3\0001\0')
	gen --seed 1 --keys 300000 --type text --range full | tr '\n' '\0' >in
	for threads in 1 2 5; do
		gsort -z --parallel=$threads in | cmp - <(sort -zn in)
	done
	printf '1\0002\n3\0' >in
	fails 'in:2: not a number: ' gsort -z in
	printf 'a b\0003\0001\0' | gsort -z --header | cmp - <(printf 'a b\0001\0003\0')
}

# ---- floats ----------------------------------------------------------------------

@test "floats as text are in their order" {
	printf '%s\n' 1e3 -inf 0x10 .5 -1.5e-300 1e300 inf NaN 7 -7 1e-320 5. >in
	[ "$(gsort --type=text-float in | tr '\n' ' ')" = \
	  "-inf -7 -1.5e-300 1e-320 0.5 5 7 16 1000 1e+300 inf nan " ]
	[ "$(gsort --type=text-float -r in | tr '\n' ' ')" = \
	  "nan inf 1e+300 1000 16 7 5 0.5 1e-320 -1.5e-300 -7 -inf " ]
	printf '%s\n' 1 -1 0 -0 0.0 >in
	[ "$(gsort --type=text-float in | tr '\n' ' ')" = "-1 -0 0 0 1 " ]
	[ "$(gsort --type=text-float -u in | tr '\n' ' ')" = "-1 0 1 " ]
	printf '1\n-nan(7)\n-inf\n' | gsort --type=text-float --to=f32 |
		cmp - <(printf '\0\0\200\377\0\0\200\077\0\0\300\177')	# one NaN, without a sign
}

@test "what is not a float is named" {
	for bad in abc - . 1e 0x 1,5 '1 2' --1 1..2 nano; do
		printf '1\n%s\n2\n' "$bad" >in
		fails "in:2: not a number: \"$bad\"" gsort --type=float in
	done
	printf '1\n\n' >in
	fails "in:2: empty line" gsort --type=float in
	printf '2.5\nx\n 1.5\t\r\n' >in
	[ "$(gsort --type=float --invalid=ignore in | tr '\n' ' ')" = "1.5 2.5 " ]
}

@test "a float too large becomes infinite, with one warning" {
	printf '%s\n' 1 1e999 -1e999 2e999 inf >in
	[ "$(gsort --type=float in 2>told | tr '\n' ' ')" = "-inf 1 inf inf inf " ]
	told 'in:2: "1e999" is beyond the range of f64 and becomes infinite'
	[ -z "$(gsort -q --type=float in 2>&1 >out)" ]
}

@test "many floats are in the order of sort -g, for any number of threads" {
	gen --seed 1 --keys 60000 --type f64 >in.f64
	gsort -f64 --to=text in.f64 | grep -v nan >shuffled
	gen --seed 2 --keys 60000 --type text --range full |
		sed -e 's/^\(-*[0-9]\)\([0-9]\{3\}\)/\1.\2/' >>shuffled
	shuf --random-source=shuffled shuffled >in
	sort -g in >sorted
	gsort -g in >expected
	gsort -g sorted | cmp - expected
	# the same numbers at the same places
	paste sorted expected | awk '$1 + 0 != $2 + 0 && $1 != $2 { print; bad = 1 } END { exit bad }'
	for threads in 1 2 5; do
		gsort -g --parallel=$threads in | cmp - expected
		gsort -gr --parallel=$threads in | cmp - <(tac expected)
	done
}
