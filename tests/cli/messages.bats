# SPDX-License-Identifier: BSD-2-Clause
# The messages about bad input, word for word: one line that names the file and the line or
# byte, and what would have worked.  The last row fails if a message of src/ is in no test.

load ../helpers

# table: transcripts from standard input.  A line "$ COMMAND" is run by bash in an empty
# folder of its own; it must write nothing to standard output, exactly the lines that follow
# to standard error, and exit with 2; after "1$" with 1.
table() {
	local line command='' status=2 wrong=0 rows=0
	: >../expected
	while IFS= read -r line; do
		case $line in
		'$ '* | '1$ '* | 'end')
			[ -z "$command" ] || says "$status" "$command" || wrong=$((wrong + 1))
			: >../expected
			status=2
			[ "${line:0:1}" != 1 ] || status=1
			command=${line#*\$ }
			rows=$((rows + 1))
			;;
		*)
			printf '%s\n' "$line" >>../expected
			;;
		esac
	done < <(cat; echo end)
	echo "$((rows - 1)) rows, $wrong of them wrong"
	[ $rows -gt 1 ] || return 1
	[ $wrong -eq 0 ]
}

# says STATUS COMMAND: with exactly the words that are in ../expected
says() {
	local status=0 folder=$PWD/row
	rm -rf "$folder" && mkdir "$folder"
	(cd "$folder" && exec timeout 60 bash -c "$2") </dev/null >../out 2>../err 3>&- 4>&- || status=$?
	if [ $status -ne "$1" ] || [ -s ../out ] || ! diff ../expected ../err; then
		echo "status $status of: $2"
		return 1
	fi
}

@test "text" {
	table <<-'END'
	$ printf '1\nx\n' >in; gsort in
	gsort: in:2: not a number: "x"
	$ printf '3.5\n' >in; gsort in
	gsort: in:1: not an integer: "3.5"; floats need --type=float
	$ printf '1\n\n2\n' >in; gsort in
	gsort: in:2: empty line; --invalid=skip-blank leaves empty lines out
	$ printf '\n\n\n' | gsort -r
	gsort: -:1: empty line; --invalid=skip-blank leaves empty lines out
	$ printf '1\n\n2\nx\n' >in; gsort --invalid=skip-blank in
	gsort: in:4: not a number: "x"
	$ printf '1\n9007199254740993\n' >in; gsort --type=float in
	gsort: in:2: out of range: "9007199254740993" (no f64 holds this integer exactly; without --type=float it is kept)
	$ printf '1\n0x20000000000001\n' >in; gsort --type=float in
	gsort: in:2: out of range: "0x20000000000001" (no f64 holds this integer exactly; --type=hex keeps it)
	$ printf '1\n-18446744073709551617\n' >in; gsort --type=float in
	gsort: in:2: out of range: "-18446744073709551617" (no f64 holds this integer exactly; -k1,1n sorts it)
	$ printf '18446744073709551616\n' >in; gsort in
	gsort: in:1: out of range: "18446744073709551616" (gsort sorts -9223372036854775808 to 18446744073709551615; -k1,1n sorts any)
	$ printf '1\n%s\n' -9223372036854775809 >in; gsort in
	gsort: in:2: out of range: "-9223372036854775809" (gsort sorts -9223372036854775808 to 18446744073709551615; -k1,1n sorts any)
	$ printf '1\n2\0003\n' >in; gsort in
	gsort: in:2: not a number: "2\03"; byte 2 is U+0000 NULL
	$ printf '\003\0\0\0\001\0\0\0' >in; gsort in
	gsort: in:1: not a number: "\x03\0\0\0\x01\0\0\0"; binary keys need a type, such as -u32
	$ printf './a 1\0./b\0' | gsort
	gsort: -:1: not a number: "./a 1\0./b\0"; lines that end in NUL need -z; UTF-16 needs iconv
	$ printf 'why??\0?\0' | gsort
	gsort: -:1: not a number: "why??\0?\0"; lines that end in NUL need -z; UTF-16 needs iconv
	$ printf '12\0003\0' | gsort
	gsort: -:1: not a number: "12\03\0"; lines that end in NUL need -z; UTF-16 needs iconv
	$ { echo 1; head -c 4096 /dev/zero | tr '\0' 7; echo; } >in; gsort in
	gsort: in:2: line longer than 4095 bytes
	$ printf 'score\n3\n' >in; gsort in
	gsort: in:1: not a number: "score"; a heading needs --header, lines of words --lines
	$ printf '\357\273\2771\n' >in; gsort in
	gsort: in:1: not a number: "\xef\xbb\xbf1"; remove the byte order mark before it: tail -c +4
	$ printf '1\n2\032' >in; gsort in
	gsort: in:2: not a number: "2\x1a"; byte 2 is U+001A SUBSTITUTE, the end of a file of DOS
	$ printf '1\n\033[31m2\n' >in; gsort in
	gsort: in:2: not a number: "\x1b[31m2"; byte 1 is U+001B ESCAPE
	$ printf '1\n2\302\240\n' >in; gsort in
	gsort: in:2: not a number: "2\xc2\xa0"; byte 2 is U+00A0 NO-BREAK SPACE
	$ printf '\342\200\256\342\210\2222\n' >in; gsort in
	gsort: in:1: not a number: "\xe2\x80\xae−2"; byte 1 is U+202E a mark of writing direction
	$ printf '1.5\n1,5\n' >in; gsort --type=float in
	gsort: in:2: not a number: "1,5"; replace the decimal comma: tr , .
	$ printf '1e5\nabc\n' >in; gsort --type=float in
	gsort: in:2: not a number: "abc"
	$ printf '1\nx\n' >in; gsort -c in
	gsort: in:2: not a number: "x"
	$ printf 'x\n' >in; echo 1 | gsort -m - in
	gsort: in:1: not a number: "x"; a heading needs --header, lines of words --lines
	$ printf '1\n2\n' >in; gsort -z in
	gsort: in:1: not a number: "1\n2"; these lines end in newlines: leave -z out
	$ seq 2000 >in; gsort -z in
	gsort: in:1: line longer than 4095 bytes; these lines end in newlines: leave -z out
	$ printf '1\nx\n2\n' >in; gsort --invalid=fail in >/dev/null
	gsort: warning: in:2: not a number: "x", left out
	gsort: 1 invalid line was left out
	$ yes | head -c 1048578 >in; gsort --header=1000000 in
	gsort: in: the header of 1000000 lines is longer than 1048576 bytes
	$ printf '300\n' >in; gsort --to=u8 in
	gsort: 300 does not fit in u8; --to=u16 holds it
	$ printf '2.5\n' >in; gsort -g --to=i32 in
	gsort: 2.5 does not fit in i32; --to=f64 holds it
	$ echo -1 | gsort --to=u64
	gsort: -1 does not fit in u64; --to=i64 holds it
	END
}

# Each word, as the second line of a file: what is said of it.
@test "what a line looks like" {
	while IFS='=' read -r line says; do
		printf "1\n$line\n" >in
		status=0
		gsort in 2>err || status=$?
		printf 'gsort: in:2: not a%s\n' "$says" | diff - err
		[ $status -eq 2 ]
	done <<-'END'
	1.5=n integer: "1.5"; floats need --type=float
	nan= number: "nan"; floats need --type=float
	1,000= number: "1,000"; remove the commas between thousands: tr -d ,
	-1,000,000.50= number: "-1,000,000.50"; remove the commas between thousands: tr -d ,
	1.000.000= number: "1.000.000"; versions need -V
	1_000= number: "1_000"; remove what separates thousands: sed -E "s/[_' ]([0-9]{3})/\1/g"
	1 000= number: "1 000"; remove what separates thousands: sed -E "s/[_' ]([0-9]{3})/\1/g"
	1'000= number: "1'000"; remove what separates thousands: sed -E "s/[_' ]([0-9]{3})/\1/g"
	"3"= number: ""3""; remove what is around the number: tr -d \"\',\;
	3,= number: "3,"; remove what is around the number: tr -d \"\',\;
	3,4= number: "3,4"; fields? sort lines by one: gsort --csv -k1,1n
	abc,4.5= number: "abc,4.5"; fields? sort lines by one: gsort --csv -k2,2g
	"a,b",4= number: ""a,b",4"; fields? sort lines by one: gsort --csv -k2,2n
	3;4= number: "3;4"; fields? sort lines by one: gsort -t ';' -k1,1n
	3|4= number: "3|4"; fields? sort lines by one: gsort -t '|' -k1,1n
	3\t4= number: "3\t4"; fields? sort lines by one: gsort -t '\t' -k1,1n
	x  3= number: "x  3"; fields? sort lines by one: gsort -k2,2n
	- 3= number: "- 3"; remove the blank behind the sign: sed -E 's/([-+]) +([0-9])/\1\2/g'
	0x1F= number: "0x1F"; hexadecimal numbers need --type=hex
	1f= number: "1f"; hexadecimal numbers need --type=hex
	1e= number: "1e"
	2026-11-22= number: "2026-11-22"; dates and times need --type=time
	2026-11-22T10:00:00Z= number: "2026-11-22T10:00:00Z"; dates and times need --type=time
	22.11.2026= number: "22.11.2026"; day, month, year? sort by -k1.7,1.10n -k1.4,1.5n -k1.1,1.2n
	10.0.0.1= number: "10.0.0.1"; IPv4 addresses need --type=ipv4
	10.0.0.0/8= number: "10.0.0.0/8"; networks need -V
	2001:db8::1= number: "2001:db8::1"; IPv6 addresses, hardware addresses and UUIDs need --lines, which sorts them as text
	01:23:45:67:89:ab= number: "01:23:45:67:89:ab"; IPv6 addresses, hardware addresses and UUIDs need --lines, which sorts them as text
	123e4567-e89b-12d3-a456-426614174000= number: "123e4567-e89b-12d3-a456-426614174000"; IPv6 addresses, hardware addresses and UUIDs need --lines, which sorts them as text
	12:30= number: "12:30"; times of day need -V
	9:30:15.5= number: "9:30:15.5"; times of day need -V
	2026-11= number: "2026-11"; dates of this form need --lines, which sorts them as text
	Nov 22 2026= number: "Nov 22 2026"; dates? sort by -k3,3n -k1,1M -k2,2n
	0b101= number: "0b101"
	5th= number: "5th"
	v1.10.2= number: "v1.10.2"; versions need -V
	10K= number: "10K"; sizes with suffixes need -h
	5 MB= number: "5 MB"; write sizes as 5M: sed -E 's/([0-9]) *([KMGTP])i?B/\1\U\2/gI'
	5%%= number: "5%"; remove the percent signs: tr -d %
	$3.50= number: "$3.50"; remove the currency signs: sed -E 's/\$|€|£//g'
	N/A= number: "N/A"; --invalid=ignore leaves out what is not a number
	-= number: "-"; --invalid=ignore leaves out what is not a number
	[1, 2]= number: "[1, 2]"; JSON? take the numbers out of it first: jq '.[]'
	1\r2= number: "1\r2"; these lines end in CR: tr '\r' '\n'
	1\r\r= number: "1\r"; remove the CRs: tr -d '\r'
	1\302\240= number: "1\xc2\xa0"; byte 2 is U+00A0 NO-BREAK SPACE
	\342\210\2223= number: "−3"; byte 1 is U+2212 MINUS SIGN, not HYPHEN-MINUS
	3\342\200\213= number: "3\xe2\x80\x8b"; byte 2 is U+200B ZERO WIDTH SPACE
	1\2402= number: "1\xa02"; byte 2 is a no-break space of Latin-1
	1\3772= number: "1\xff2"; byte 2 is not UTF-8
	score= number: "score"
	END
	table <<-'END'
	$ printf '5th\n1st\n' | gsort
	gsort: -:1: not a number: "5th"; lines with numbers in them need --lines, or -V to sort by these
	$ printf '{"name": "x"}\n' | gsort
	gsort: -:1: not a number: "{"name": "x"}"; JSON? take the numbers out of it first: jq .NAME
	$ printf '{"name": "x", "id": 3}\n' | gsort
	gsort: -:1: not a number: "{"name": "x", "id": 3}"; JSON? take the numbers out of it first: jq .id
	$ printf '10.0.0.1 GET\n' | gsort
	gsort: -:1: not a number: "10.0.0.1 GET"; lines that begin with an address need -V
	$ printf '10.0.0.1 GET\n' | gsort --type=ipv4
	gsort: -:1: this is not an IPv4 address, such as 192.0.2.1: "10.0.0.1 GET"; lines that begin with an address need -V
	$ printf '1/2\n' | gsort
	gsort: -:1: not a number: "1/2"; lines with numbers in them need --lines, or -V to sort by these
	$ printf 'id,score\n1,2\n' | gsort
	gsort: -:1: not a number: "id,score"; fields? sort lines by one: gsort --csv --header -k id (:n behind it for numbers)
	$ printf '2\n1,5\n' | gsort
	gsort: -:2: not a number: "1,5"; fields? sort lines by one: gsort --csv -k1,1n
	$ { printf '1 %.0s' {1..99}; echo 11; } | gsort
	gsort: -:1: not a number: "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 ..."; fields? sort lines by one: gsort -k1,1n
	$ { printf '1 %.0s' {1..99}; echo 111; } | gsort
	gsort: -:1: not a number: "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 ..."; write one number a line: tr -s ' ,;\t' '\n'
	$ seq -s, 10000 | gsort
	gsort: -:1: line longer than 4095 bytes; write one number a line: tr -s ' ,;\t' '\n'
	END
}

@test "files of other kinds" {
	table <<-'END'
	$ seq 100 >in; gsort -u32 in
	gsort: in: text, not a file of binary keys; without a type gsort reads text (--force reads it as binary keys)
	$ printf '3\n1\n2\n7\n' | gsort -u32
	gsort: -: text, not a file of binary keys; without a type gsort reads text (--force reads it as binary keys)
	$ printf '\377\3761\0\n\0' >in; gsort in
	gsort: in: text in UTF-16, not a file of numbers; convert it first: iconv -f UTF-16 -t UTF-8 (--force reads it as it is)
	$ printf 'PK\3\4\24\0\0\0\10\0aaaaaaaaaaaaaaaaaaaaaaaaaaaa' | gsort
	gsort: -: a zip archive, not a file of numbers; unpack it first: unzip -p (--force reads it as it is)
	$ printf 'PK\3\4\24\0\0\0\10\0aaaaaaaaaaaaaaaaaaaaaaaaaaaa' | gsort -u32
	gsort: -: a zip archive, not a file of binary keys; unpack it first: unzip -p (--force reads it as it is)
	$ gsort -u32 /proc/self/exe
	gsort: /proc/self/exe: a program, not a file of binary keys; name a file of numbers (--force reads it as it is)
	$ head -c 4000 /dev/zero | gzip | head -c 22 | gsort -u32
	gsort: -: truncated gzip data; if these are raw keys, use --decompress=none
	END
}

@test "binary keys" {
	table <<-'END'
	$ head -c 25 /dev/zero >in; gsort --record-size=10 in
	gsort: in: byte 20: the last record is short: 5 of 10 bytes
	$ head -c 1003 /dev/zero >in; gsort -u32 in
	gsort: in: 1003 bytes is not a multiple of 4 (3 trailing bytes): not a file of u32
	$ head -c 7 /dev/zero | gsort -f64
	gsort: -: 7 bytes is not a multiple of 8 (7 trailing bytes): not a file of f64
	$ head -c 35 /dev/zero | gsort -i128
	gsort: -: 35 bytes is not a multiple of 16 (3 trailing bytes): not a file of i128
	$ printf 1 >in; gsort -u16 in
	gsort: in: 1 byte is not a multiple of 2 (1 trailing byte): not a file of u16
	$ head -c 5 /dev/zero >in; gsort -u8 --header=6 in
	gsort: in: has only 5 of the 6 bytes to be skipped
	$ gsort -u8 /proc/self/mem
	gsort: read failed: /proc/self/mem: Input/output error
	END
}

@test "inputs out of order" {
	table <<-'END'
	1$ printf 'abab' >in; gsort --record-size=1 -c in
	gsort: in:3: disorder: the record at byte 2
	$ printf 'ab' >in; printf 'ba' >not; gsort --record-size=1 -m in not
	gsort: not:2: disorder: the record at byte 1: merging needs sorted inputs; sort it, or use --force
	1$ { printf 1; head -c 31 /dev/zero; } >in; gsort -u128 -c in
	gsort: in:2: disorder: 0 (byte 16)
	1$ printf '1\n3\n2\n' >in; gsort -c in
	gsort: in:3: disorder: 2
	1$ printf 'b\0x\na\0y\r\n' | gsort --lines -c
	gsort: -:2: disorder: a\0y\r
	1$ printf '1\n1\n' | gsort -cu
	gsort: -:2: disorder: 1
	1$ printf '\003\0\001\0' >in; gsort -u16 -c in
	gsort: in:2: disorder: 1 (byte 2)
	$ printf '1\n3\n2\n' >in; gsort -m in
	gsort: in:3: disorder: 2: merging needs sorted inputs; sort it, or use --force
	$ printf '\003\0\001\0' >in; gsort -u16 -m in
	gsort: in:2: disorder: 1 (byte 2): merging needs sorted inputs; sort it, or use --force
	$ printf '1\n-1\n' >in; gsort -m --force in >/dev/null
	gsort: in:2: disorder: -1: numbers of text must be sorted to be merged; sort it, or use -n, which merges lines
	END
}

@test "files that cannot be read" {
	table <<-'END'
	$ gsort nothing
	gsort: cannot read: nothing: No such file or directory
	$ gsort ''
	gsort: the name of an input is empty; for standard input, use -
	$ mkdir d; gsort d
	gsort: read failed: d: Is a directory
	$ gsort <.
	gsort: read failed: -: Is a directory
	$ echo 1 >in; gsort in/x
	gsort: cannot read: in/x: Not a directory
	$ ln -s loop loop; gsort loop
	gsort: cannot read: loop: Too many levels of symbolic links
	$ gsort "$(printf 'a\nb\033[31m\377 %%s %%n')"
	gsort: cannot read: a\nb\x1b[31m\xff %s %n: No such file or directory
	$ gsort <&-
	gsort: cannot read: -: Bad file descriptor
	$ gsort 32
	gsort: cannot read: 32: No such file or directory (did you mean -u32?)
	$ echo 1 >in; gsort --header 1 in
	gsort: cannot read: 1: No such file or directory (did you mean --header=N?)
	$ echo 1 >in; gsort --histogram 5 in
	gsort: cannot read: 5: No such file or directory (did you mean --histogram=N?)
	$ gsort +1 nothing
	gsort: cannot read: +1: No such file or directory (did you mean -k2, which +1 was?)
	$ gsort +1 -2
	gsort: invalid option -- '2'; --head=10 writes the first ten, and -k2,2 is what +1 -2 was
	Try 'gsort --help' for more information.
	$ gsort --files0-from=nothing
	gsort: open failed: nothing: No such file or directory
	$ gsort --files0-from=.
	gsort: cannot read file names from '.': Is a directory
	$ gsort --files0-from=- <&-
	gsort: cannot read file names from '-': Bad file descriptor
	$ gsort --files0-from=/dev/zero
	gsort: /dev/zero:1: invalid zero-length file name
	$ printf 'a\0\0b' | gsort --files0-from=-
	gsort: -:2: invalid zero-length file name
	$ : >in; gsort --files0-from=in
	gsort: no input from 'in'
	$ printf 'a\0-\0' | gsort --files0-from=-
	gsort: when reading file names from standard input, no file name of '-' allowed
	$ { printf 'a\0'; seq 2000; } | gsort --files0-from=-
	gsort: -:2: file name longer than 4095 bytes; a NUL must end each name
	$ printf 'in\nout\n' | gsort --files0-from=-
	gsort: -:1: file name with a newline; a NUL must end each name, as of find -print0
	$ : >$'in\nout\n'; { printf 'in\nout\n'; } | gsort --files0-from=- | cat; exit 2
	$ gsort --files0-from=in in
	gsort: extra operand 'in': file operands cannot be combined with --files0-from
	Try 'gsort --help' for more information.
	END
}

@test "a file that may not be read" {
	[ "$(id -u)" != 0 ] || skip "root reads everything"
	table <<-'END'
	$ : >in; chmod 0 in; gsort in
	gsort: cannot read: in: Permission denied
	$ : >in; chmod 0 in; mkfifo p; chmod 0 p; gsort p
	gsort: cannot read: p: Permission denied
	$ : >out; chmod 400 out; echo 1 | gsort -o out
	gsort: open failed: out: Permission denied
	$ mkdir d; chmod 500 d; gen --keys 3000000 --type u64 >in; gsort -u64 -S 1 -T d in
	gsort: cannot use d for temporary files: Permission denied; name another directory with -T
	END
}

@test "outputs and temporary files" {
	table <<-'END'
	$ gsort -o ''
	gsort: the name of the output is empty
	$ echo 1 | gsort -o ids.txt.gz
	gsort: ids.txt.gz would hold plain text; write to ids.txt, or pipe into gzip
	$ head -c 8 /dev/zero | gsort -u64 --split=2 -o d/%r.zst
	gsort: d/%r.zst would hold plain data; write to d/%r, or pipe into zstd
	$ mkdir d; echo 1 | gsort -o d
	gsort: open failed: d: Is a directory
	$ echo 1 | gsort -o no/out
	gsort: open failed: no/out: No such file or directory
	$ mkdir d d-1; echo 1 | gsort --split=2 -o d-%r
	gsort: open failed: d-1: Is a directory
	$ ln -s x x-1; ln -s x-1 x-0; echo 1 | gsort --split=2 -o x-%r
	gsort: x-0 and x-1 are the same file
	$ gsort --split=2 -o "$(printf '%4095s' '')%r"
	gsort: open failed: the name of output 0 is too long
	$ gen --keys 100000 --type u64 >in; (ulimit -f 100; gsort -u64 --parallel=1 in --split=2 -o out-%r)
	gsort: write failed: out-0: File too large
	$ ln -s loop loop; echo 1 | gsort -o loop
	gsort: open failed: loop: Too many levels of symbolic links
	$ echo 1 | gsort -o /dev/full
	gsort: write failed: /dev/full: No space left on device
	$ echo 1 | gsort >/dev/full
	gsort: write failed: standard output: No space left on device
	$ echo 1 | gsort >&-
	gsort: write failed: standard output: Bad file descriptor
	$ gsort --help >/dev/full
	gsort: write failed: standard output: No space left on device
	$ (trap '' PIPE; seq 1000000 | gsort | true; exit ${PIPESTATUS[1]})
	gsort: write failed: standard output: Broken pipe
	$ (ulimit -f 100; seq 300000 | gsort -o out)
	gsort: write failed: out: File too large
	$ gen --keys 3000000 --type u64 >in; gsort -u64 -S 1 -T nowhere in
	gsort: cannot use nowhere for temporary files: No such file or directory; name another directory with -T
	$ gen --keys 3000000 --type u64 >in; TMPDIR=nowhere gsort -u64 -S 1 in
	gsort: cannot use nowhere for temporary files: No such file or directory; name another directory with -T
	$ gen --keys 3000000 --type u64 | gsort -u64 -S 1 -T /dev/null
	gsort: cannot use /dev/null for temporary files: Not a directory; name another directory with -T
	$ gen --keys 3000000 --type u64 >in; gsort -u64 -S 1 -T "$(printf 'no\nwhere')" in
	gsort: cannot use no\nwhere for temporary files: No such file or directory; name another directory with -T
	$ echo 1 | gsort -T ''
	gsort: the name of a temporary directory is empty
	$ (ulimit -f 1000; gen --keys 1000000 --type u64 | gsort -u64 -S 16M -T . >/dev/null)
	gsort: cannot write a temporary file in .: File too large after 1 MiB; name a directory with more space with -T
	$ gen --keys 2000000 --type u64 >in; (ulimit -f 1000; gsort -u64 -S 16M -T . in >/dev/null)
	gsort: cannot write a temporary file in .: File too large after 1 MiB, and 15 MiB more are needed; name a directory with more space with -T
	$ seq 3000000 >in; (ulimit -n 4; gsort -S 16M -T . in)
	gsort: cannot make a temporary file in . (raise ulimit -n): Too many open files
	END
}

@test "commands that lose data" {
	table <<-'END'
	$ seq 9 >f; gsort f >f; exit 2
	gsort: warning: f is input and output: the shell has emptied it before gsort could read it; to sort a file in its place, use -o
	$ seq 9 >f; gsort -o f; exit 2
	gsort: warning: no input was named and standard input was empty: f, which had 18 bytes, is empty now; to sort that file: gsort -o f f
	$ seq 9 >f; gsort f -o f; gsort -q -o f; seq 3 >>f; gsort f >>f; : >f; gsort /dev/null -o f; exit 2
	END
}

@test "terminals" {
	needs script
	table <<-'END'
	$ script -qec 'gsort -h 2>err' /dev/null >/dev/null; cat err >&2; exit 2
	gsort: reading lines from the terminal; Ctrl-D ends them (for help: gsort --help)
	$ script -qec 'gsort -u8 2>err; echo $? >status' /dev/null >/dev/null; cat err >&2; exit $(cat status)
	gsort: -: will not read binary keys from a terminal; redirect input from a file or pipe, or use --force
	$ script -qec 'gsort -u8 </dev/null 2>err; echo $? >status' /dev/null >/dev/null; cat err >&2; exit $(cat status)
	gsort: will not write binary keys to a terminal; use --to=text, -o FILE, redirect output to a file or pipe, or use --force
	$ script -qec 'gsort --type=u128 </dev/null 2>err; echo $? >status' /dev/null >/dev/null; cat err >&2; exit $(cat status)
	gsort: will not write binary keys to a terminal; use --to=text, -o FILE, redirect output to a file or pipe, or use --force
	$ script -qec 'gsort --record-size=8 </dev/null 2>err; echo $? >status' /dev/null >/dev/null; cat err >&2; exit $(cat status)
	gsort: will not write binary data to a terminal; use -o FILE, redirect output to a file or pipe, or use --force
	END
}

# damaged AT COMMAND...: what the command writes, with a byte changed AT bytes before its end
damaged() {
	local at=$1 size byte
	shift
	"$@" >whole
	size=$(stat -c %s whole)
	byte=$(od -An -tu1 -j $((size - at)) -N 1 whole)
	printf "\\x$(printf %x $((byte ^ 85)))" |
		dd of=whole bs=1 seek=$((size - at)) conv=notrunc 2>/dev/null
	cat whole
}
export -f damaged

@test "compressed data" {
	needs gzip bzip2 xz zstd lz4
	table <<-'END'
	$ seq 100 | gzip | head -c 30 >in; gsort in
	gsort: in: truncated gzip data
	$ seq 100 | bzip2 | head -c 30 >in; gsort in
	gsort: in: truncated bzip2 data
	$ seq 999999 | bzip2 | head -c 300000 >in; gsort in
	gsort: in: truncated bzip2 data
	$ seq 100 | xz | head -c 40 >in; gsort in
	gsort: in: truncated xz data
	$ seq 100 | zstd -q | head -c 40 >in; gsort in
	gsort: in: truncated zstd data
	$ seq 100 | lz4 -qc | head -c 40 >in; gsort in
	gsort: in: truncated lz4 data
	$ seq 100 >a; damaged 8 gzip -c a >in; gsort in
	gsort: in: corrupt gzip data: incorrect data check
	$ seq 100 >a; damaged 4 gzip -c a >in; gsort in
	gsort: in: corrupt gzip data: incorrect length check
	$ seq 100 >a; damaged 40 bzip2 -c a >in; gsort in
	gsort: in: corrupt bzip2 data: bad header or block
	$ seq 100 >a; damaged 40 xz -c a >in; gsort in
	gsort: in: corrupt xz data: damaged, or garbage after it
	$ seq 100 >a; damaged 4 zstd -qc a >in; gsort in
	gsort: in: corrupt zstd data: Restored data doesn't match checksum
	$ seq 100 >a; damaged 4 lz4 -qc a >in; gsort in
	gsort: in: corrupt lz4 data: lz4 stream checksum error
	$ { seq 9 | gzip; echo 7; } >in; gsort in
	gsort: in: trailing garbage after the gzip data
	$ { seq 9 | bzip2; echo 7; } >in; gsort in
	gsort: in: trailing garbage after the bzip2 data
	$ { seq 9 | xz; seq 99; } >in; gsort in
	gsort: in: corrupt xz data: damaged, or garbage after it
	$ { seq 9 | xz; echo 7; } >in; gsort in
	gsort: in: corrupt xz data: damaged, or garbage after it
	$ { seq 9 | zstd -q; echo 7; } >in; gsort in
	gsort: in: trailing garbage after the zstd data
	$ { seq 9 | lz4 -qc; echo 7; } >in; gsort in
	gsort: in: trailing garbage after the lz4 data
	$ seq 9 | gsort --decompress=gzip
	gsort: -: not gzip data; if it is not compressed, use --decompress=none
	$ seq 9 | gsort --decompress=bzip2
	gsort: -: not bzip2 data; if it is not compressed, use --decompress=none
	$ seq 9 | gsort --decompress=xz
	gsort: -: not xz data; if it is not compressed, use --decompress=none
	$ seq 9 | gsort --decompress=zstd
	gsort: -: not zstd data; if it is not compressed, use --decompress=none
	$ seq 9 | gsort --decompress=lz4
	gsort: -: not lz4 data; if it is not compressed, use --decompress=none
	$ seq 9 | lz4 -lqc >in; gsort in
	gsort: in: lz4 data of the old format, not a file of numbers; decompress it first: lz4 -dc (--force reads it as it is)
	$ seq 99999 | lz4 -lqc | gsort -u32
	gsort: -: lz4 data of the old format, not a file of binary keys; decompress it first: lz4 -dc (--force reads it as it is)
	$ seq 9 | lz4 -lqc >in.lz4; gsort -u8 in.lz4
	gsort: in.lz4: not lz4 data; lz4 data of the old format are decompressed first: lz4 -dc
	$ : >in.gz; gsort -u8 in.gz
	gsort: in.gz: truncated gzip data
	$ seq 9 >in.zst; gsort -u8 in.zst
	gsort: in.zst: not zstd data; if it is not compressed, use --decompress=none
	$ seq 9 | xz -9 >in; gsort -S 64M in
	gsort: in: to decompress it takes more than the 16 MiB of memory that are left for that; use a larger -S, or decompress it first
	$ printf '\050\265\057\375\0\250\001\0\0' | gsort -S 64M
	gsort: -: to decompress it takes more than the 16 MiB of memory that are left for that; use a larger -S, or decompress it first
	$ printf '1\nx\n' | gzip >in; gsort in
	gsort: in:2: not a number: "x"
	$ printf 'abc' | gzip >in.gz; gsort -u16 in.gz
	gsort: in.gz: 3 bytes is not a multiple of 2 (1 trailing byte): not a file of u16
	END
}

@test "options" {
	table <<-'END'
	$ gsort --frobnicate
	gsort: unrecognized option '--frobnicate'
	Try 'gsort --help' for more information.
	$ gsort --reverze
	gsort: unrecognized option '--reverze'; did you mean '--reverse'?
	Try 'gsort --help' for more information.
	$ gsort --limit=2
	gsort: unrecognized option '--limit=2'; did you mean '--head'?
	Try 'gsort --help' for more information.
	$ gsort --from=u32
	gsort: unrecognized option '--from=u32'; did you mean '--type'?
	Try 'gsort --help' for more information.
	$ gsort -d, -k2n
	gsort: invalid option -- ','; separators follow -t, such as -t,
	Try 'gsort --help' for more information.
	$ gsort --stdout
	gsort: unrecognized option '--stdout'; gsort keeps its inputs, and writes to standard output
	Try 'gsort --help' for more information.
	$ gsort --epoch
	gsort: unrecognized option '--epoch'; seconds since 1970 need no type
	Try 'gsort --help' for more information.
	$ gsort --ipv6
	gsort: unrecognized option '--ipv6'; gsort knows no IPv6 addresses; --lines sorts them as text
	Try 'gsort --help' for more information.
	$ gsort --last=2
	gsort: unrecognized option '--last=2'; did you mean '--tail'?
	Try 'gsort --help' for more information.
	$ gsort --u32
	gsort: unrecognized option '--u32'; did you mean '-u32'?
	Try 'gsort --help' for more information.
	$ gsort --threads=4
	gsort: unrecognized option '--threads=4'; did you mean '--parallel'?
	Try 'gsort --help' for more information.
	$ gsort --max_memory=4G
	gsort: unrecognized option '--max_memory=4G'; did you mean '--buffer-size'?
	Try 'gsort --help' for more information.
	$ gsort --ipv4
	gsort: unrecognized option '--ipv4'; did you mean '--type=ipv4'?
	Try 'gsort --help' for more information.
	$ gsort --tsv
	gsort: unrecognized option '--tsv'; fields between tabs: -t '\t'
	Try 'gsort --help' for more information.
	$ gsort --ascending
	gsort: unrecognized option '--ascending'; smallest first is the default
	Try 'gsort --help' for more information.
	$ gsort --cuda
	gsort: unrecognized option '--cuda'; did you mean '--device=gpu'?
	Try 'gsort --help' for more information.
	$ gsort --uint32
	gsort: unrecognized option '--uint32'; did you mean '-u32'?
	Try 'gsort --help' for more information.
	$ gsort -j4
	gsort: invalid option -- 'j'; did you mean '--parallel'?
	Try 'gsort --help' for more information.
	$ gsort -help
	gsort: invalid option -- 'e'; did you mean '--help'?
	Try 'gsort --help' for more information.
	$ gsort in -r -revers
	gsort: invalid option -- 'e'; did you mean '--reverse'?
	Try 'gsort --help' for more information.
	$ gsort -rve -re
	gsort: invalid option -- 'e'
	Try 'gsort --help' for more information.
	$ gsort --revers=1
	gsort: option '--revers' doesn't allow an argument
	Try 'gsort --help' for more information.
	$ gsort --he
	gsort: option '--he' is ambiguous; possibilities: '--head' '--header' '--help'
	Try 'gsort --help' for more information.
	$ gsort --type
	gsort: option '--type' requires an argument
	Try 'gsort --help' for more information.
	$ gsort -o
	gsort: option requires an argument -- 'o'
	Try 'gsort --help' for more information.
	$ gsort -x
	gsort: invalid option -- 'x'
	Try 'gsort --help' for more information.
	$ printf '1\n' | gsort --tail=1M -S 16M
	gsort: 16 MiB of memory are not enough for so many values (--top, --sample, --tail, --histogram): gsort needs -S 35M
	$ printf '1\n' | gsort --split=999 -o 'o%r' -S 16M
	gsort: 16 MiB of memory are not enough for so many files of '--split': gsort needs -S 40M
	$ name=$(printf 'n%.0s' {1..200}); : >$name; yes $name | head -60557 | tr '\n' '\0' | gsort --lines -S 16M --files0-from=-
	gsort: 16 MiB of memory are not enough for so many inputs: gsort needs -S 36M
	$ name=$(printf 'n%.0s' {1..200}); : >$name; yes $name | head -10243 | tr '\n' '\0' | gsort -m --lines -S 16M --files0-from=-
	gsort: 16 MiB of memory are not enough for so many inputs: gsort needs -S 25M
	$ printf '1\n' | gsort -u8 --header=8M -S 16M
	gsort: 16 MiB of memory are not enough for the header, which is copied to the output: gsort needs -S 25M
	$ gsort -R
	gsort: -R (random order) is not supported; use shuf(1)
	$ gsort --random
	gsort: --random (random order) is not supported; use shuf(1)
	$ gsort --help=some
	gsort: invalid argument 'some' for --help: must be all
	Try 'gsort --help' for more information.
	$ gsort --sort=random
	gsort: --sort=random is not supported; use shuf(1)
	$ gsort --s
	gsort: option '--s' is ambiguous; possibilities: '--sort' '--stable' '--sample' '--summary' '--symmetric' '--split'
	Try 'gsort --help' for more information.
	$ gsort -u128 --type=hex /dev/null
	gsort: options '-u128' and '--type=hex' are incompatible
	END
}

@test "lines by key" {
	table <<-'END'
	$ gsort -k ''
	gsort: invalid key '': a field number is missing
	$ gsort -k 0
	gsort: invalid key '0': fields count from 1
	$ gsort -k 1.0
	gsort: invalid key '1.0': characters count from 1
	$ gsort -k 2.,3
	gsort: invalid key '2.,3': a character number is missing after '.'
	$ gsort -k 2,
	gsort: invalid key '2,': a field number is missing
	$ gsort --csv -k price:n
	gsort: invalid key 'price:n': a field number is missing; a name needs --header (with commas --csv --header)
	$ gsort -k u32@0
	gsort: invalid key 'u32@0': a field number is missing; keys of records need --record-size
	$ gsort -k 1x
	gsort: invalid key '1x': 'x' is not one of the letters bdfghiMnrV, and the form is FIELD[.CHAR][LETTERS][,FIELD[.CHAR][LETTERS]]
	$ gsort -k 2,2:hex
	gsort: invalid key '2,2:hex': letters follow the number at once, as in -k5,5nr or -k5,5g; behind a colon there is ip or time
	$ gsort -k 2R
	gsort: invalid key '2R': R (random order) is not supported; use shuf(1)
	$ gsort -k 1nM
	gsort: options '-Mn' are incompatible
	$ gsort -hn
	gsort: options '-hn' are incompatible
	$ gsort -k :n --header
	gsort: invalid key ':n': the name of a column is missing
	$ head -c 3m /dev/zero >long; gsort --lines -S 16M long
	gsort: a line or record has 3145729 bytes or more: that needs '--buffer-size=36M' (-S) at least
	$ head -c 3m /dev/zero >long; gsort --lines --header -S 16M long
	gsort: long: the header has 3145729 bytes or more: that needs about '--buffer-size=156M' (-S)
	$ seq 100 | awk '{ printf "%0100000d\n", $1 }' | gsort --lines --top=900 -S 16M --parallel=1
	gsort: 900 lines or records are too large for memory: they need '--buffer-size=1389M' (-S) at least
	$ echo a,b | gsort -t, -k c --header
	gsort: -: the header has no column 'c': "a,b"
	$ echo 'Customer,"Unit Price ",x y' | gsort --csv -k customer --header
	gsort: -: the header has no column 'customer': "Customer,"Unit Price ",x y"; did you mean 'Customer'?
	$ echo 'Customer,"Unit Price ",x y' | gsort --csv -k 'unit price:n' --header
	gsort: -: the header has no column 'unit price': "Customer,"Unit Price ",x y"; did you mean 'Unit Price '?
	$ echo 'a  B' | gsort -k b --header
	gsort: -: the header has no column 'b': "a  B"; did you mean 'B'?
	$ echo a,b,a | gsort -t, -k a:n --header
	gsort: -: the header has several columns 'a': "a,b,a"; name one by its number, as in -k 1,1n
	$ printf 'id,a b\r\n' | gsort -k id:n --header
	gsort: -: the header has no column 'id': "id,a b"; fields between commas need --csv
	$ printf 'id;price\n' | gsort -k price:n --csv --header
	gsort: -: the header has no column 'price': "id;price"; fields between semicolons need -t ';'
	$ printf 'id\tprice\n' | gsort -k price:n --csv --header
	gsort: -: the header has no column 'price': "id\tprice"; fields between tabs need -t '\t'
	$ printf '# of 2026\nid,price\n' | gsort -k id:n --csv --header=2
	gsort: -: the header has no column 'id': "# of 2026"; names are in the first line of a header
	$ { seq -s, 1000; echo; } | gsort --csv -k Price --header 2>&1 | cut -c 1-50,240- >&2; exit ${PIPESTATUS[1]}
	gsort: -: the header has no column 'Price': "1,2,3,69,70..."
	$ echo a,b >a; echo b,a >b; gsort -t, -k a --header a b
	gsort: b: its header is "b,a", and that of the first input "a,b"; to sort its rows all the same: (cat FIRST; tail -n +2 b) | gsort
	$ gsort -k1 -t ''
	gsort: the separator is empty: it must be one byte
	$ gsort -k1 -t ab
	gsort: the separator 'ab' has more than one byte
	$ gsort --csv -t '"'
	gsort: with '--csv' the separator cannot be a quote, or what ends lines
	$ gsort --csv -t $'\n'
	gsort: with '--csv' the separator cannot be a quote, or what ends lines
	$ gsort -t, -t:
	gsort: two different separators: ',' and ':'
	$ gsort -k1 -u32
	gsort: options '-k' and '-u32' are incompatible: lines are text; binary records need --record-size
	$ gsort --type=time -k4
	gsort: options '-k' and '--type=time' are incompatible: of a field the key says it: -k 2,2:time
	$ gsort --csv --type=ipv4
	gsort: options '--csv' and '--type=ipv4' are incompatible: of a field the key says it: -k 2,2:ip
	$ gsort --csv --type=hex
	gsort: options '--csv' and '--type=hex' are incompatible: lines are text; binary records need --record-size
	$ gsort -h --to=u8
	gsort: options '-h' and '--to=u8' are incompatible: lines are written as they are
	$ gsort --csv --invalid=warn
	gsort: '--invalid' needs a key by name, or --csv, and a letter such as n: -k price:n; a key of sort(1) that is not a number counts as 0
	$ gsort --csv -k1n --argsort=u32 --invalid=warn
	gsort: options '--argsort' and '--invalid' are incompatible: the numbers are those of all lines
	$ gsort --header -k 2024:n
	gsort: invalid key '2024:n': letters follow a number, as in -k2,2n; a name that begins with a digit is quoted, as in -k '"2024":n'
	$ gsort --header -k '"20"24":n'
	gsort: invalid key '"20"24":n': the form is "NAME"[:LETTERS], with quotes in NAME doubled
	$ printf 'id,price\n1,2\n"3\n",N/A\n' >in; gsort --csv --header -k price:n in
	gsort: in:3: column "price": not a number: "N/A"; --invalid=ignore leaves out what is not a number
	$ printf '1;Jan\n2;Fob\n' | gsort --csv -t ';' -k 2M
	gsort: -:2: column 2: not a month: "Fob"
	$ printf 'price\n1\n1e3\n' | gsort --header -k price:n
	gsort: -:3: column "price": not a decimal number: "1e3"; floats need :g
	$ echo '"1,000"' | gsort --csv -k1,1h
	gsort: -:1: column 1: not a number: "1,000"; remove the commas between thousands: sed -E ':a; s/"(-?[0-9]+),([0-9]{3}[0-9,.]*)"/"\1\2"/; ta'
	$ printf '"x\0\n\ty"\n' | gsort --csv -k1,1n
	gsort: -:1: column 1: not a number: "x\0\n\ty"; byte 2 is U+0000 NULL
	$ echo 1e3 | gsort --csv -k1,1n
	gsort: -:1: column 1: not a decimal number: "1e3"; floats need g
	$ gsort -k1 --debug -o x
	gsort: options '--debug' and '-o' are incompatible
	$ printf 'a,"x\n' | gsort --csv
	gsort: -:1: a quote is not closed; a quote within quotes must be doubled
	1$ printf 'a 2\nb 1\n' >in; gsort -c -k2n in
	gsort: in:2: disorder: b 1
	$ printf 'a 2\nb 1\n' >in; gsort -m -k2n in
	gsort: in:2: disorder: b 1: merging needs sorted inputs; sort it, use -s if its keys alone are in order, or --force
	$ printf 'a 2\nb 1\n' >in; gsort -m -s -k2n in
	gsort: in:2: disorder: b 1: merging needs sorted inputs; sort it, or use --force
	END
}

@test "values of options" {
	table <<-'END'
	$ gsort --quantiles=0.5,1.5
	gsort: '1.5' is not a quantile: --quantiles takes numbers from 0 to 1, such as 0.5,0.95,0.99
	$ gsort -u --tail=1048577
	gsort: --tail=1048577 is too large here: with --merge, sets, --unique or --count it is at most 1048576
	$ gsort --type=u33
	gsort: invalid argument 'u33' for --type: must be one of u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, u128, i128, int, float, hex, ipv4, time, raw; be behind a binary type is big endian
	Try 'gsort --help' for more information.
	$ gsort --type=ipv6
	gsort: invalid argument 'ipv6' for --type: must be one of u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, u128, i128, int, float, hex, ipv4, time, raw; be behind a binary type is big endian; gsort knows no IPv6 addresses; --lines sorts them as text
	Try 'gsort --help' for more information.
	$ gsort --to=u9
	gsort: invalid argument 'u9' for --to: must be one of u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, text, hex, json; be behind a binary type is big endian
	Try 'gsort --help' for more information.
	$ gsort -u256
	gsort: invalid key width in '-u256': must be one of -u8, -u16, -u32, -u64, -u128
	Try 'gsort --help' for more information.
	$ gsort --record-size=0
	gsort: invalid --record-size argument '0': must be a number of bytes, from 1 to 1M
	$ gsort --type=npy
	gsort: option '--type=npy' is not known: gsort --header=128 -f64 FILE sorts an array of f64 behind 128 bytes, and gsort.sort_file() in Python any
	$ gsort --argsort=u16 -u8
	gsort: invalid argument 'u16' for --argsort: must be u32 or u64
	Try 'gsort --help' for more information.
	$ gsort --unique=middle -u8
	gsort: invalid argument 'middle' for --unique: must be one of repeated, singletons
	Try 'gsort --help' for more information.
	$ gsort --version=xml
	gsort: invalid argument 'xml' for --version: must be json
	Try 'gsort --help' for more information.
	$ gsort --sample=5x
	gsort: invalid --sample argument '5x': must be a number of keys, such as 10, 4K or 2M
	$ gsort --sample=5:x
	gsort: invalid --sample argument '5:x': the seed must be a whole number below 18446744073709551615
	$ gsort -S 1.5G
	gsort: invalid suffix in -S argument '1.5G': must be a whole number and one of b, K, M, G, T, P, E, Z, Y, R, Q, KiB, MiB, GiB, TiB, %
	$ gsort -S x
	gsort: invalid -S argument 'x': must be a size, such as 512M, 8G or 50%
	$ gsort -S -1
	gsort: invalid -S argument '-1': must be a size, such as 512M, 8G or 50%
	$ gsort --plan=16E
	gsort: invalid argument '16E' for --plan: must be text, json, or a size of the input, such as 512, 4K, 6G or 2GiB
	Try 'gsort --help' for more information.
	$ gsort --progress=-1
	gsort: invalid argument '-1' for --progress: must be auto, always, never, or a size of the input, such as 512, 4K, 6G or 2GiB
	Try 'gsort --help' for more information.
	$ gsort --progress=1 --plan=2
	gsort: two different sizes of the input
	$ gsort --header -u8
	gsort: '--header' of binary input needs a number of bytes, such as --header=128
	$ gsort --head=-1
	gsort: invalid --head argument '-1': must be a whole number, such as 1000, 1K or 2M
	$ gsort --head=1KB
	gsort: invalid --head argument '1KB': must be a whole number, such as 1000, 1K or 2M
	$ gsort --to=u32le --type='>u4'
	gsort: --type=>u4 is in another byte order than the option before it
	$ gsort -u32 --argsort=u32be
	gsort: u32 is little-endian input, but the output would be big-endian: add 'be' to both types or to neither
	$ gsort --header=0
	gsort: invalid --header argument '0': must be a whole number, at least 1
	$ gsort --parallel=0
	gsort: invalid --parallel argument '0': must be a whole number, at least 1
	$ gsort --parallel=-1
	gsort: invalid --parallel argument '-1': must be a whole number, at least 1
	$ gsort --batch-size=1
	gsort: invalid --batch-size argument '1': must be a whole number, at least 2
	$ gsort --batch-size=x
	gsort: invalid --batch-size argument 'x': must be a whole number, at least 2
	$ ulimit -n 100; gsort --batch-size=98
	gsort: --batch-size argument '98' is too large: the maximum with the current limit on open files is 97
	$ gsort --split=0 -o x%r
	gsort: invalid --split argument '0': must be a whole number from 1 to 1024
	$ gsort --split=1025 -o x%r
	gsort: invalid --split argument '1025': must be a whole number from 1 to 1024
	$ gsort -Sgpu:0
	gsort: -S argument 'gpu:0' is too small
	$ gsort -Sgpu:101%
	gsort: -S argument 'gpu:101%' is not between 1% and 100%
	$ gsort -Sgpu:x
	gsort: invalid -S argument 'gpu:x': must be a size, such as 512M, 8G or 50%
	$ gsort --plan=0x
	gsort: invalid argument '0x' for --plan: must be text, json, or a size of the input, such as 512, 4K, 6G or 2GiB
	Try 'gsort --help' for more information.
	$ gsort --progress=b
	gsort: invalid argument 'b' for --progress: must be auto, always, never, or a size of the input, such as 512, 4K, 6G or 2GiB
	Try 'gsort --help' for more information.
	$ gsort --device=tpu
	gsort: invalid argument 'tpu' for --device: must be auto, cpu, gpu or gpu:N (N counts the GPUs from 0)
	Try 'gsort --help' for more information.
	$ gsort --decompress=rar
	gsort: invalid argument 'rar' for --decompress: must be one of auto, none, gzip, bzip2, xz, zstd, lz4, no-sandbox
	Try 'gsort --help' for more information.
	$ gsort --invalid=maybe
	gsort: invalid argument 'maybe' for --invalid: must be one of abort, fail, warn, ignore, skip-blank
	Try 'gsort --help' for more information.
	$ gsort --check=maybe
	gsort: invalid argument 'maybe' for --check: must be one of diagnose-first, quiet, silent, summary
	Try 'gsort --help' for more information.
	$ gsort --verbose=xml
	gsort: invalid argument 'xml' for --verbose: must be json or json:FILE
	Try 'gsort --help' for more information.
	$ gsort --verbose=json:
	gsort: invalid argument 'json:' for --verbose: the name of the file is empty
	Try 'gsort --help' for more information.
	$ gsort --verbose=json:no/where in
	gsort: open failed: no/where: No such file or directory
	$ echo 1 >in; gsort --verbose=json:./in in; s=$?; echo 1 | cmp - in; exit $s
	gsort: --verbose=json would overwrite 'in', which is input or output; name another file
	$ gsort --verbose=json:out -o out in
	gsort: --verbose=json would overwrite 'out', which is input or output; name another file
	$ echo 1 >in; gsort --verbose=json:/dev/stdout in 1<>in
	gsort: --verbose=json would overwrite 'in', which is input or output; name another file
	$ echo 1 >in; gsort --verbose=json:out in >out; s=$?; [ ! -s out ] || cat out; exit $s
	gsort: --verbose=json would overwrite 'standard output', which is input or output; name another file
	$ echo 1 >in; gsort --verbose=json:p1 --split=2 -o ./p%r in
	gsort: --verbose=json would overwrite './p1', which is input or output; name another file
	$ printf 'in\0' >names; gsort --verbose=json:names --files0-from=names
	gsort: --verbose=json would overwrite 'names', which is input or output; name another file
	$ printf 'in\0' >names; gsort -o ./names --files0-from=names
	gsort: ./names would overwrite 'names', which names the inputs; name another file
	$ GSORT_DEVICE=$(printf 't\npu') gsort nothing
	gsort: warning: GSORT_DEVICE='t\npu' is ignored: must be auto, cpu, gpu or gpu:N
	gsort: cannot read: nothing: No such file or directory
	END
}

@test "options that do not go together" {
	table <<-'END'
	$ gsort -n -u32
	gsort: options '-n' and '-u32' are incompatible
	$ gsort -g -n
	gsort: options '-gn' are incompatible
	$ gsort --record-size=8 -k 1,2
	gsort: invalid key '1,2': must be TYPE@OFFSET or bytesN@OFFSET, with an r behind it for largest first, such as u32@8, f64@0r or bytes10@0
	Try 'gsort --help' for more information.
	$ gsort --record-size=8 -u32
	gsort: options '--record-size' and '-u32' are incompatible: -k names the types of keys
	$ gsort --record-size=8 --to=text
	gsort: options '--record-size' and '--to=text' are incompatible: records are moved as they are
	$ gsort --record-size=8 -n
	gsort: options '-n' and '--record-size' are incompatible
	$ gsort --record-size=8 --device=gpu
	gsort: options '--record-size' and '--device=gpu' are incompatible: a GPU sorts keys alone
	$ gsort --record-size=8 --type=hex
	gsort: options '--record-size' and '--type=hex' are incompatible: -k names the types of keys
	$ gsort --record-size=8 --type=ipv4
	gsort: options '--record-size' and '--type=ipv4' are incompatible: -k names the types of keys
	$ gsort --argsort=u32 --sample=3
	gsort: options '--argsort' and '--sample' are incompatible: draw from the numbers that it writes
	$ gsort --argsort=u32 --union a b
	gsort: options '--argsort' and '--union' are incompatible: a set is of several inputs, and a number of one
	$ gsort --record-size=8 -k u32@0 -t,
	gsort: options '-t' and '--record-size' are incompatible: keys of records are -k TYPE@OFFSET, such as -k u32@8
	$ gsort --record-size=8 -V
	gsort: options '-V' and '--record-size' are incompatible: keys of records are -k TYPE@OFFSET, such as -k u32@8
	$ gsort --record-size=8 -k u64@1
	gsort: key u64@1 is not inside a record of 8 bytes: its offset is at most 0
	$ gsort --record-size=8 -k u256@0
	gsort: invalid key 'u256@0': must be TYPE@OFFSET or bytesN@OFFSET, with an r behind it for largest first, such as u32@8, f64@0r or bytes10@0
	Try 'gsort --help' for more information.
	$ gsort --argsort=u32 --summary -u8
	gsort: options '--summary' and '--argsort' are incompatible: figures name no positions
	$ gsort --tail=2 --head=1
	gsort: options '--tail' and '--head' are incompatible: pipe one gsort into another
	$ gsort -n --type=ipv4
	gsort: options '-n' and '--type=ipv4' are incompatible
	$ gsort -q -v
	gsort: options '-q' and '-v' are incompatible
	$ gsort --argsort=u32 -c -u8
	gsort: options '--argsort' and '-c' are incompatible
	$ gsort --argsort=u32 -k1 --debug
	gsort: options '--argsort' and '--debug' are incompatible
	$ gsort --argsort=u32 --argsort=u64 -u8
	gsort: options '--argsort=u32' and '--argsort=u64' are incompatible
	$ gsort -u8 -i8
	gsort: options '-u8' and '-i8' are incompatible
	$ gsort -c -C
	gsort: options '-c' and '-C' are incompatible
	$ gsort -c -o x
	gsort: options '-c' and '-o' are incompatible
	$ gsort --split=2
	gsort: option '--split' needs '-o'
	$ gsort --split=2 --in-place -o x%r
	gsort: options '--split' and '--in-place' are incompatible
	$ gsort --split=2 -m -o x%r
	gsort: options '--split' and '-m' are incompatible
	$ gsort --split=2 -o x
	gsort: invalid output name 'x': '--split' needs %r in it, which becomes the number of each file
	$ gsort --split=2 -o x%r-%n
	gsort: invalid output name 'x%r-%n': with '--split', a % stands before r or another %
	$ gsort -c --head=1
	gsort: options '-c' and '--head' are incompatible
	$ gsort -m --device=gpu
	gsort: options '-m' and '--device=gpu' are incompatible
	$ gsort --unique=repeated --unique=singletons
	gsort: options '--unique=repeated' and '--unique=singletons' are incompatible
	$ gsort --in-place
	gsort: option '--in-place' needs '-o'
	$ gsort --header=1 -u8 --to=text
	gsort: options '--header' and '--to=text' are incompatible; to drop the bytes, use tail -c +2
	$ gsort --header --to=u8
	gsort: options '--header' and '--to=u8' are incompatible
	$ gsort --invalid=warn -u8
	gsort: options '--invalid' and '-u8' are incompatible
	$ gsort -z -u8
	gsort: options '-z' and '-u8' are incompatible
	$ gsort -o a -o b
	gsort: multiple output files specified: 'a' and 'b'
	$ gsort --compress-program=gzip
	gsort: '--compress-program' is zstd or lz4, which are built in; called as sort, gsort runs the next sort
	$ gsort --compress-program=a --compress-program=b
	gsort: multiple compress programs specified: 'a' and 'b'
	$ gsort --to=u8 --to=u16
	gsort: options '--to=u8' and '--to=u16' are incompatible
	$ gsort --head=1 --head=2
	gsort: options '--head=1' and '--head=2' are incompatible
	$ gsort -Sgpu:1G -Sgpu:2G
	gsort: two different limits of GPU memory
	$ gsort --device=cpu --device=gpu
	gsort: options '--device=cpu' and '--device=gpu' are incompatible
	$ gsort --files0-from=a --files0-from=b
	gsort: options '--files0-from=a' and '--files0-from=b' are incompatible
	END
}

# The messages of all calls that make one: of each its longest part without a conversion.
messages() {
	find "$GSORT_SOURCE/src" -name "*.c" -exec cat {} + | tr '\n\t' '  ' |
		grep -oE '\<(gs_fail|gs_fail_errno|misuse|gs_report_error|gs_report_usage)\([^";]*("([^"\\]|\\.)*"[ A-Z_]*)+' |
		sed -E 's/^[^"]*"//; s/"[ A-Z_]*"//g; s/" *[A-Z_]* *$//; s/\\"/"/g' |
		sed -E 's/%[-+ #0.*]*[0-9]*(ll|z)?[a-zA-Z]/\n/g; s/%%/%/g; s/$/\n/' |
		awk -v RS='\n\n' -F '\n' '{ best = ""; for (f = 1; f <= NF; f++)
			if (length($f) > length(best)) best = $f; print best }' |
		sed -E 's/^[ :,;]+//; s/[ :,;]+$//' | grep -E '.{6}' | sort -u
}

@test "every message is in a test" {
	# The unit tests, the faults, cuda.bats and guard.bats cause these: only a caller of the
	# library, a machine without free memory or a GPU that fails can.
	cat >known <<-'END'
	a key has at least 1 byte
	bytes that are skipped need a binary type (for text: '--header')
	a byte order needs a binary type
	a record has at most
	'--argsort' has 32 or 64 bits, not
	the input has more than 2^32 keys: use --argsort=u64
	the input has more than 2^32 lines: use --argsort=u64
	memory is not enough for one item of the input
	the result is wrong:
	items were read
	there is no such value
	name is set: fields have an offset, no name
	there are no options: they are NULL
	is NULL, and has
	] is NULL
	reserved is set, which gsort
	there is no job: it is NULL
	gsort_open() needs a place for the job, not NULL
	a job runs once: to sort again, open another one
	keys of records are bytes or of a binary type, not text-float
	the list of
	the arrays of
	set it to sizeof(struct gsort_options), which is
	does not know: the program needs a newer libgsort
	a static program loads no GPU module
	bytes, but gsort_scratch_bytes() are
	a payload has 4 or 8 bytes, not
	an array option is set that this libgsort does not know: the program needs a newer one
	is not aligned to
	keys have indices of 64 bits, u64
	set it to sizeof(struct gsort_array_options), which is
	the keys of an array are of a binary type: u8 .. f64
	interrupted
	f the GPU's memory is more than there is
	'--batch-size' is 1: the minimum is 2
	'--to=text' converts any type to text
	--device=cpu works without it
	out of GPU memory
	the GPU failed while
	the GPU's result is wrong
	out of GPU memory: at least
	the NVIDIA driver is too old: it knows CUDA
	there is no NVIDIA driver on this machine
	the GPU's result is wrong: it is out of order
	the GPU's result is wrong: sorted keys were damaged on their way back
	the GPU was closed
	the input has become shorter since it was read for the GPU: the output cannot be completed
	the input has changed since it was read for the GPU: the output cannot be completed
	--device=gpu: the GPU module is not installed; install it, or use --device=cpu
	but this is gsort
	cannot be read again: it is not a regular file; --device=cpu reads it once
	a line of more than
	a line has more than 4 GiB
	' is not an ordering option
	no memory for a line of
	' for temporary files
	cannot make a pipe to '
	cannot write to '
	cannot read from '
	cannot read a temporary file in
	what was read is not what was written
	truncate failed
	close failed
	cannot make a file beside
	MiB of address space are available; gsort needs
	ranks with this memory: that needs -S
	ranks; gsort sorts it in one process
	cannot reserve
	cannot start a thread
	no memory for a sample of
	ranks sort records or lines by key
	--check: several ranks read one input, or regular files that are not compressed, so that each knows the key before its part; gsort checks
	--merge: several ranks read each input twice, first to see whether it is sorted, so it must be a file; with --force they sort it as it is
	ranks with this memory: at most
	records and lines by key: several ranks read regular files that are not compressed, so that equal ones keep their order; gsort sorts
	the result is wrong: it is not in order where rank
	no memory for the items of
	no memory to hold
	no memory to write
	ranges of keys
	blocks of keys
	the launcher has started
	an input is compressed, and MPI does not allow the sandbox in which gsort decompresses: add --decompress=no-sandbox if you trust the input
	not with several ranks: it is not a regular file, and they write at several places of it
	processes sorts all of the input; gsort-mpi sorts it once, together
	processes, but each is a job of its own: use the mpirun of the MPI that gsort-mpi was built with
	ranks 1: no other process takes part
	its command line is not that of rank 0: all ranks take the same options and inputs
	its names of inputs are not those that rank 0 has read: the file of --files0-from must be the same on all hosts
	not with several ranks: each reads all names, so they must be in a regular file
	rename failed
	which is complete
	its old contents back, which are in
	several ranks cannot write to standard output, which goes through the launcher: name a file with -o FILE, or one a rank with -o 'out-%
	this MPI allows no threads; gsort-mpi needs MPI_THREAD_SERIALIZED
	MPI_Init_thread failed
	where rank 0 runs: all ranks must see the same files
	, which rank 0 has made: is its folder the same on all hosts?
	this is not 
	is in another notation than the option before it
	option '--to=hex' needs binary keys: text is read and written in one notation, with '--type=hex' in this one
	no memory to merge
	no memory to merge inputs
	no memory for a header of
	no memory for a histogram of
	no memory for the figures
	keys by their rank
	most frequent values
	' is not a quantile: --quantiles takes numbers from 0 to 1, such as 0.5,0.95,0.99
	no memory for another run
	no memory for temporary files
	no memory to compress temporary files
	no memory to decompress it
	no memory to open the output
	out of memory for the names in '
	temporary directories
	the result is wrong
	the result is wrong: it is out of order
	the result is wrong: the output has other keys than the input
	threads: read
	no effect on numbers
	END
	messages >all
	[ "$(wc -l <all)" -gt 100 ]
	mapfile -t tables < <(find "$GSORT_SOURCE/tests/unit" -name '*.c')
	[ ${#tables[@]} -gt 50 ]
	while IFS= read -r message; do
		grep -qF -- "$message" known "$GSORT_SOURCE"/tests/*/*.bats "${tables[@]}" || echo "$message"
	done <all >new
	cat new
	[ ! -s new ]
}

@test "every format of a message has an instance in a test, or a reason why not" {
	needs python3
	"$GSORT_SOURCE/tests/tools/formats"
}
