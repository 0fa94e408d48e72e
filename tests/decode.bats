# SPDX-License-Identifier: BSD-2-Clause
# Lines become numbers, or a message that says which one did not.

load helpers

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
	range="(gsort sorts -9223372036854775808 to 18446744073709551615; use sort -n)"
	for number in 18446744073709551616 -9223372036854775809 99999999999999999999 \
	              100000000000000000000000000; do
		echo $number >in
		fails "in:1: out of range: \"$number\" $range" gsort in
	done
}

@test "what is no number is named" {
	for bad in abc - + 1x x1 1,000 '1 2' '- 1' --1 . 1e .e5 0x 12-; do
		printf '1\n%s\n2\n' "$bad" >in
		fails "in:2: not a number: \"$bad\"" gsort in
	done
}

@test "what is a number but no integer is called that" {
	for bad in 1.5 -.5 1. 1e9 -1E-3 1.5e+10 0x10 0XFF; do
		printf '1\n%s\n2\n' "$bad" >in
		fails "in:2: not an integer: \"$bad\"" gsort in
	done
}

@test "an empty line is an error, of blanks too, and the last" {
	for text in '1\n\n2\n' '1\n \n' '1\n\t\r\n' '1\n\n'; do
		printf "$text" >in
		fails "in:2: empty line" gsort in
	done
}

@test "a first line of bytes that no text has brings up binary types" {
	gen --seed 1 --keys 1000 --type u32 >in
	fails "in:1: not a number: .*; binary keys need a type, such as -u32" gsort in
	head -c 10000 /dev/zero >in
	fails "in:1: line longer than 4095 bytes; binary keys need a type" gsort in
	printf '1\n\0\n' >in
	fails 'in:2: not a number: "?"$' gsort in
}

@test "what cannot be seen is shown by number, what can as it is" {
	printf '\357\273\2771\n' >in			# a byte order mark
	fails '"\\357\\273\\2771"' gsort in
	printf '\303\274\302\233\377\n' >in		# u umlaut, a control character, no UTF-8
	fails "$(printf '"\303\274')\\\\302\\\\233\\\\377\"" gsort in
}

@test "a NUL is no digit and no blank" {
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
