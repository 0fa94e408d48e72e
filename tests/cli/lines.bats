# SPDX-License-Identifier: BSD-2-Clause
# Lines by key: what LC_ALL=C sort does with the same options, byte for byte.

load ../helpers

# same OPTION... <INPUT: the same output and status as sort, from a file
same() {
	local expected=0 status=0
	cat >in
	sort "$@" in >expected 2>expected-err || expected=$?
	gsort --lines "$@" in >out 2>err || status=$?
	[ $status -eq $expected ] || { echo "status $status, not $expected: $*"; cat err; return 1; }
	cmp expected out || { echo "$*"; return 1; }
}

# table: rows of "OPTIONS | LINES | SORTED"; '/' ends a line, '.' is no line, \t and \1 are bytes.
# sort must agree with each of them.
table() {
	local options lines sorted rows=0
	while IFS='|' read -r options lines sorted; do
		lines=$(sed 's/^ //; s/ $//' <<<"$lines") sorted=$(sed 's/^ //; s/ $//' <<<"$sorted")
		printf '%b' "${lines//\//\\n}" >row
		printf '%b' "${sorted//\//\\n}" >wanted
		for program in "gsort --lines" sort; do
			eval "$program $options" <row >out || { echo "$program $options: $?"; return 1; }
			cmp wanted out || { echo "$program $options, for $lines"; return 1; }
		done
		rows=$((rows + 1))
	done
	echo "$rows rows"
	[ $rows -gt 5 ]
}

# The facts that the tests of the GNU coreutils hold on to, in lines of our own.
@test "numbers" {
	table <<-'END'
	-n | .3/0/ | 0/.3/
	-n | .07/.00/.05/ | .00/.05/.07/
	-n | .04/.0x/ | .0x/.04/
	-n | .04/.x/ | .x/.04/
	-n | 13/4/ | 4/13/
	-n | 3e2/4e1/ | 3e2/4e1/
	-n | 4e1/3e2/ | 3e2/4e1/
	-s -n -k1,1 | .0z/.0b/ | .0z/.0b/
	-s -n -k1,1 | .00z/.000b/ | .00z/.000b/
	-s -n -k1,1 | .070/.07z/ | .070/.07z/
	-n -t: -k2 | k:3/l:-/ | l:-/k:3/
	-n -t: -k2 | l:Y/k:3/ | l:Y/k:3/
	-k1.2n | kxx/l-3/ | l-3/kxx/
	-g | 3e2/4e1/ | 4e1/3e2/
	-k2g | k 3e2/l 4e1/ | l 4e1/k 3e2/
	-n -k1.3,1.1 | k 4/l 3/ | k 4/l 3/
	-n -k2.2,1.2 | kk 4/ll 3/ | kk 4/ll 3/
	-k1.3nb,1.3 |   k 4/  l 3/ |   k 4/  l 3/
	END
}

@test "numbers behind fields that are empty, at the begin of a line, too" {
	local key
	for separator in , ' '; do
		awk -v s="$separator" 'BEGIN {
			srand(4)
			for (i = 0; i < 4000; i++) {
				line = i % 3 ? "" : i % 7
				for (f = 0; f < 5; f++)
					line = line s (rand() < .3 ? "" : int(rand() * 1000) - 200)
				print line s "padding"
			}
		}' >drawn
		for key in 1,1n 2,2n 3,3n 4,4n 2n 3,3nr '2,2n -k4,4n' '3,3 -k2,2n'; do
			same -k $key <drawn
			[ "$separator" = ' ' ] || same -t , -k $key <drawn
		done
	done
}

@test "numbers of 15 to 33 digits, and letters of any case" {
	awk 'BEGIN {
		srand(18)
		for (i = 0; i < 3000; i++) {
			number = ""
			for (left = 15 + int(rand() * 19); left > 0; left--)
				number = number (rand() < .5 && length(number) > 14 ? 0 : int(rand() * 10))
			if (i % 3 == 1)
				number = "12345678901234567" i % 97
			split(",-,0,-00, ,\t-", front, ","); split(",.,.5,m,M,k,E3,x,-,.0", behind, ",")
			print i % 7 "," front[1 + int(rand() * 6)] number behind[1 + int(rand() * 10)] "," i
		}
	}' >lines
	for options in "-t, -k2,2n" "-t, -k2,2nr -k1,1" "-s -t, -k1,1 -k2n" "-t, -k2,2nf" "-f -t, -k2,2n" "-t, -k2,2h" \
	               "-t, -k2,2hf" "-f -t, -k2,2h -k1,1r" "-u -t, -k2,2n"; do
		same $options <lines
	done
	cut -d, -f2 lines >column
	same -n <column
	same -nf <column
	same -hf <column
}

@test "sizes, months and versions" {
	table <<-'END'
	-h | 3M/-4G/-5K | -4G/-5K/3M/
	-h | 2Y/2Z/2E/2P/2T/2G/2M/2K/03/2/Z/-2k/-2Y/ | -2Y/-2k/Z/2/03/2K/2M/2G/2T/2P/2E/2Z/2Y/
	-h | 3.E/4.M/ | 4.M/3.E/
	-h | 3..4E/4..4M/ | 3..4E/4..4M/
	-h | 2GiB/1031MiB/ | 1031MiB/2GiB/
	-k2,2h -k1,1 | k 2G/l 1022M/ | l 1022M/k 2G/
	-n -k2,2h | 3 3E/4 4M/ | 4 4M/3 3E/
	-M | may/x/ FEB/jun 3/ | x/ FEB/may/jun 3/
	-k2M | 1 Dec/2 mar/ | 2 mar/1 Dec/
	-V | v1.10/v1.9/v1.2.3/ | v1.2.3/v1.9/v1.10/
	-V | f-2.tar.gz/f-10.tar/f-1~/ | f-1~/f-2.tar.gz/f-10.tar/
	-rV | k2/k10/k1/ | k10/k2/k1/
	END
}

@test "fields and characters" {
	table <<-'END'
	-k1 | l/k/ | k/l/
	-k1,1 | l/k/ | k/l/
	-k1 -k2 | k l/k k/ | k k/k l/
	-k1,2 | k l k/k k z/ | k k z/k l k/
	-k2,2 | k l z/k k k/ | k k k/k l z/
	-k 2,3 | y m l/z m k/ | z m k/y m l/
	-k 2,3.0 | k k l/z k k/ | z k k/k k l/
	-k2 | word L/z-w K/ | z-w K/word L/
	-t : -k 2.2,2.2 | :lk/:kl/ | :lk/:kl/
	-t : -k 2.2,2.2 | :kl/:lk/ | :lk/:kl/
	-k 2.3,2.3 | z lk/z kl/ | z lk/z kl/
	-b -k 2.2,2.2 | z lk/z kl/ | z lk/z kl/
	-k 1.2,1.2 | kl/lk/ | lk/kl/
	-t : -k 1.3,1.3 | :kl/:lk/ | :lk/:kl/
	-k 1.4,1.4 | k kl/l lk/ | l lk/k kl/
	-s -k1,1 -t/ | k l,x/k-l-m,x/ | k l,x/k-l-m,x/
	-s -k1,1 | k m/k l/ | k m/k l/
	-k1,1b | k  z/k y/ | k  z/k y/
	-k1b,1 | k  z/k y/ | k  z/k y/
	END
}

@test "blanks, case, and bytes that do not count" {
	table <<-'END'
	-t: -k1,1b -k2,2 | k :l/k\t:k/ | k\t:k/k :l/
	-t: -k2,2b -k3,3 | z:k :l/k\t:k/ | k\t:k/z:k :l/
	-k1.1,1.2n |  701/300/ |  701/300/
	-b -k1.1,1.2n |  701/300/ |  701/300/
	-k1.1,1.2nb |  701/300/ | 300/ 701/
	-k1.1b,1.2n |  701/300/ |  701/300/
	-nb -k1.1,1.2 |  701/300/ | 300/ 701/
	-d -u | mol/mol-/mola/ | mol/mola/
	-f -d -u | mol/mol-/mola/ | mol/mola/
	-i -u | k/k\001/ | k/
	-i -u | \001k/k/ | \001k/
	-f | z/Z/_/ | Z/z/_/
	-f | z/_/Z/ | Z/z/_/
	-fs | z/Z/_/ | z/Z/_/
	-fu | z/_/ | z/_/
	-k 2,2fd -k 1,1r | 5 l/6 L/ | 6 L/5 l/
	-k1 -k2nr | l 3/l 2/l 4/ | l 2/l 3/l 4/
	-k1,1 -k2nr | l 3/l 2/l 4/ | l 4/l 3/l 2/
	END
}

@test "letters of all keys are inherited by keys without letters" {
	printf '%s\n' 'b 2' 'a 10' 'c 1' 'A 1' >in
	for options in "-n -k2,2" "-nr -k2,2" "-n -k2,2r" "-n -k2b,2" "-r -k2,2n -k1,1" "-f -k1,1 -k2,2n" \
		"-fr -k1,1 -k2,2n" "-b -k2,2" "-rb -k2n -k1,1f" "-h -k2 -k1V"; do
		same $options <in
	done
}

@test "lines that are empty, cut, long, or have NULs and CRs" {
	: | same
	: | same -k2n
	printf '\n\n' | same -k1,1
	printf 'b\na' | same
	printf 'b 1\na 2' | same -k2nr
	printf 'b\r\na\r\n\r\nA\r\n' | same -f
	printf 'a\0b 2\na\0a 3\na 1\n' | same -k1,1
	printf 'b\0a\nc\0' | same -z
	printf 'x,2\ny,1\n\0a,3\n\0' | same -z -t, -k2n
	head -c 3000000 /dev/zero | tr '\0' 'x' >long
	{ cat long; echo 2; cat long; echo 1; echo; cat long; } >lines
	same <lines
	same -k1.2999999,1.3000001r <lines
	gsort --lines -S 32M lines | cmp - <(sort lines)
}

@test "-u writes the first of equal lines, -s keeps the order of the input" {
	printf '%s\n' 'b 1' 'a 1' 'c 0' 'a 01' 'B 1' >in
	for options in -u "-u -k2n" "-u -k2n -r" "-s -k2n" "-su -k2n" "-fu -k1,1" "-s -k2n -r" "-s"; do
		same $options <in
	done
}

@test "-c and -C" {
	printf 'a 1\nb 3\nc 2\n' >in
	for options in -c -C "-c -k2n" "-C -k2n" "-c -k1,1 -u" "-c -k2n -k1" "-cr"; do
		same $options <in
		sed 's/^sort: //' expected-err >words
		sed 's/^gsort: //' err | cmp - words
	done
	printf 'a\na\n' | same -c
	printf 'a\na\n' | same -cu
	printf 'a b\na\n' | same -c -k1,1		# the last resort counts
	printf 'a b\na\n' | same -cs -k1,1
	[ "$(printf '3\n2\n2\n1\n' | gsort --lines --check=summary)" = "records	4
breaks	2
duplicates	1" ] || [ $? -eq 1 ]
}

@test "-m merges what is sorted, ties in the order of the files" {
	printf 'a 1\nb 1\n' >x
	printf 'c 1\na 2\n' >y
	gsort -s -m -k2n x y | cmp - <(sort -s -m -k2n x y)
	gsort -u -m -k2n y x | cmp - <(sort -u -m -k2n y x)
	not gsort -m -k1 x y 2>err
	grep -q '^gsort: y:2: disorder: a 2: merging needs sorted inputs' err
	gsort -m -k1 --force x y | cmp - <(sort -m -k1 x y)	# in whatever order they are
	gsort -m --lines --force - x - <y | cmp - <(sort -m - x - <y)
	printf 'b' | gsort -m --lines x - | cmp - <(printf 'b\n' | sort -m x -)
}

@test "-m takes as many files as there are, in memory that does not grow with them" {
	local i
	lines 120000 >in
	split -n l/150 in part.
	for i in part.*; do sort -t, -k1,1n -o "$i" "$i"; done
	sort -t, -k1,1n in >expected
	gsort -m -t, -k1,1n part.* | cmp - expected
	(ulimit -n 64; gsort -m -t, -k1,1n part.*) | cmp - expected
	gsort -m -t, -k1,1n --batch-size=20 part.* | cmp - expected
	gsort -m -t, -k1,1n -u part.* | cmp - <(sort -m -t, -k1,1n -u part.*)
	gsort -m -t, -k1,1n --count part.* | cmp - <(gsort -t, -k1,1n --count part.*)
	gsort -m -t, -k1,1n --head=7 --verify part.* | cmp - <(head -n 7 expected)
	gsort -m -t, -k1,1n --tail=7 part.* | cmp - <(tail -n 7 expected)
	gsort -m -t, -k1,1n --debug part.aa part.ab | cmp - <(sort -m -t, -k1,1n --debug part.aa part.ab)
	gzip part.aa
	gsort -m -t, -k1,1n part.* | cmp - expected
	gunzip part.aa.gz
	sort -t, -k1,1n -o half part.a?
	sort -m -t, -k1,1n part.b? part.c? part.d? part.e? part.f? >other
	gsort -m -t, -k1,1n -o half half other		# the output is an input
	cmp half expected
	for i in 1 2 3; do sort -o all.$i <(cat in in in in in in) & done
	wait
	skips_under_sanitizer "all takes more memory"
	peak_within 20480 gsort -S 20M -m --lines --verify -o out all.?
	sort -m all.? | cmp - out
	for i in 1 2 3 4; do echo $i; head -c 700000 /dev/zero | tr '\0' $i; echo; done >all.1
	peak_within 20480 gsort -S 20M -m --lines -o out all.1 all.1
	sort -m all.1 all.1 | cmp - out
	{ head -c 9000000 /dev/zero; echo; } >long
	not gsort -S 20M -m --lines long all.1 >out 2>err
	grep -q "^gsort: a line or record has [0-9]* bytes or more: that needs '--buffer-size=" err
}

@test "-m keeps one header, and finds columns by it" {
	printf 'id,price\n3,9\n1,10\n' >a
	printf 'id,price\n2,8\n7,12' >b
	gsort -m -t, -k price:n --header a b | cmp - <(printf 'id,price\n2,8\n3,9\n1,10\n7,12\n')
	printf 'price,id\n1,2\n' >c
	fails 'c: its header is "price,id", and that of the first input "id,price"' \
		gsort -m -t, -k price:n --header a c
	printf 'x,"a\nb"\ny,c\n' >q
	printf 'w,"a"\nz,"b\n"\n' >r
	gsort -m --csv -k2 q r | cmp - <(printf 'w,"a"\nx,"a\nb"\nz,"b\n"\ny,c\n')
}

@test "--debug marks the keys below each line" {
	printf 'b\t2 x\na 10\n\nc  1K\nfeb 1e3\n' >in
	for options in -k2,2n "-k2b,2" "-n" "-k1,1 -k2g" -r "-s -k2,2n" "-k1M -u" -h -V "-k2h"; do
		same --debug $options <in
	done
	printf '\t\t b\n\tx 7\n' >tabs	# blanks of the first field end where it ends
	for options in "-k1b,1" "-k1,1b" "-k2b,2" "-k1n,1" "-k1Mb,1" "-k2n,2"; do same --debug -t $'\t' $options <tabs; done
	printf 'a\nb\na\n' | gsort --lines --debug --count 2>/dev/null |
		cmp - <(printf '      %s\n        _\n' '2 a' '1 b')
	printf '"a\nb",2\n"c",1\n' | gsort --csv --debug -s -k2,2 2>/dev/null |
		cmp - <(printf '"c",1\n    _\n"a|b",2\n      _\n')
	printf '1,"5"\n2,7\n' | gsort --csv --debug -s -k2,2n 2>/dev/null |
		cmp - <(printf '1,"5"\n   _\n2,7\n  _\n')
	printf 'ab,"c"\n"a""b",c\n' >quoted	# a quote elsewhere in the line
	gsort --csv --debug -s -k1b,1 quoted 2>/dev/null | cmp - <(printf '"a""b",c\n_____\nab,"c"\n__\n')
	gsort --csv --debug -s -k1.2,1.3 quoted 2>/dev/null | cmp - <(printf '"a""b",c\n  ___\nab,"c"\n __\n')
	gsort --csv --debug -s -k2.2,2.3 quoted 2>/dev/null |
		cmp - <(printf '%s\n' 'ab,"c"' '     ^ no match for key' '"a""b",c' '        ^ no match for key')
	not gsort -k1 --debug -o x in
	not gsort -k1 --debug -c in
}

@test "options drawn at random do what sort does" {
	needs python3
	GSORT=$(command -v gsort) python3 "$GSORT_SOURCE/tests/tools/keydefs.py" 7 400
}

@test "5,000 random sets of options do what sort does" {
	left_to_slow "it takes two minutes"
	needs python3
	GSORT=$(command -v gsort) python3 "$GSORT_SOURCE/tests/tools/keydefs.py" 8 5000
}

# --- beyond sort(1) ------------------------------------------------------------------

@test "--csv: separators, quotes and newlines between quotes" {
	needs python3
	printf 'name,n\r\n"b, ""x""\nz",2\r\na,10\r\n"c",1\r\n' >in
	gsort --csv --header -k n:n in >out
	printf 'name,n\r\n"c",1\r\n"b, ""x""\nz",2\r\na,10\r\n' | cmp - out
	printf '"a;";2\nb;1\n' | gsort --csv -t ';' -k2n | cmp - <(printf 'b;1\n"a;";2\n')
	GSORT=$(command -v gsort) python3 "$GSORT_SOURCE/tests/tools/keydefs.py" --csv 7 400
}

@test "a table with separators in quotes that is sorted without --csv: a warning, and the bytes of sort" {
	printf 'name,price\n"A, B",2\n"C",1\n' >quoted
	gsort -t, --header -k2,2n quoted >out 2>err
	printf 'name,price\n"A, B",2\n"C",1\n' | cmp - out
	[ "$(cat err)" = "gsort: warning: quoted: a field in quotes has a separator in it and counts as two; --csv reads quotes" ]
	printf 'name,price\n"say ""A"", B",2\n' >doubled
	tr ,  '\247' <quoted >paragraph
	for warned in "-t, --header -k2,2n doubled" "-t $(printf '\247') --header -k2,2n paragraph"; do
		gsort $warned 2>err >out
		grep -q "counts as two" err || { echo "$warned"; false; }
	done
	tr '\n' '\0' <quoted | gsort -z -t, --header -k2,2n 2>err >out
	grep -q "counts as two" err
	for quiet in "-q -t, --header -k2,2n" "-t, -k2,2n" "--csv --header -k2,2n" "-t; --header -k2,2n"; do
		gsort $quiet quoted 2>err >out
		[ ! -s err ] || { echo "$quiet"; false; }
	done
	printf '%s\n' 'a,b,c' '"x",y,"z"' '"",5"6,7"' '"' '1,"2' ',"' >unquoted
	gsort -t, --header -k2,2n unquoted 2>err >out
	[ ! -s err ]
	gsort -t '"' --header -k2,2 quoted 2>err >out		# --csv has no such separator
	[ ! -s err ]
}

@test "--csv: a quote opens only where a field begins" {
	printf 'id,name\n2,5" pipe\n1,3" pipe\n0,none\n' >in
	gsort --csv --header -k id:n in | cmp - <(printf 'id,name\n0,none\n1,3" pipe\n2,5" pipe\n')
	gsort --csv -k2,2 -c <(printf '1,2" a\n0,3" b\n')
	# rows that are cut between chunks and between threads
	awk 'BEGIN { for (i = 300000; i > 0; i--) printf i % 3 ? "%d,%d\" x,\"a\"b\n" : "%d,\"\n,%d\"\"\"\n", i, i * 7 % 1000 }' >in
	awk 'BEGIN { for (i = 1; i <= 300000; i++) printf i % 3 ? "%d,%d\" x,\"a\"b\n" : "%d,\"\n,%d\"\"\"\n", i, i * 7 % 1000 }' >sorted
	gsort --csv -k1,1n in | cmp - sorted
	gsort --csv -k1,1n -S 5M -T . --parallel=3 <in | cmp - sorted
	gsort --csv -k1,1n -m sorted <(printf '0,"a\nb"\n') | cmp - <(printf '0,"a\nb"\n'; cat sorted)
}

@test "--csv: a byte order mark and a CR before a newline are not part of a field" {
	local mark=$'\357\273\277' options
	printf '%s"Last, First",age\r\n"Doe, J",5\r\n"Ann, K",30\r\n"Zed, L",7\r\n' "$mark" >in
	{ sed -n 1,2p in; sed -n 4p in; sed -n 3p in; } >sorted
	for options in "-k age:n" "-k 2,2n" "-k age:n -m" "-k age:n -S 5M --parallel=2" "-k age:n -u" \
		"-k age:n --keep-order -u --tail=3"; do
		# shellcheck disable=SC2086
		gsort --csv --header $options sorted | cmp - sorted || { echo "$options"; false; }
	done 2>/dev/null
	gsort --csv --header -k 'Last, First:r' <(cat in) | tail -n 1 | grep -q Ann
	[ "$(gsort --csv --header -k age:n --summary in | head -n 2 | tr '\n' ' ')" = "count	3 missing	0 " ]
	printf '%s"x,y",2\n"a,b",1\n' "$mark" >plain
	gsort --csv -k2,2 plain | cmp - <(printf '%s"a,b",1\n"x,y",2\n' "$mark")
	gsort --csv -k2,2 --count plain | cmp - <(printf '%s1,1\n1,2\n' "$mark")
	disorder 'plain:2: disorder: "a,b",1' gsort --csv -k2,2 -c plain
	# that of another input goes away, as its header does
	printf '%s"a,b",3\n' "$mark" | gsort --csv -k2,2 - plain | cmp - <(printf '%s"a,b",1\n"x,y",2\n"a,b",3\n' "$mark")
	printf '"a,b",3\n' | gsort --csv -k2,2 - plain | cmp - <(printf '"a,b",1\n"x,y",2\n"a,b",3\n')
	gsort --csv -s -k1,1 --union plain <(tail -c +4 plain) | cmp - <(gsort --csv -k1,1 plain)
	printf '%s"a\nb",age\nx,5\ny,30\n' "$mark" | gsort --csv --header -k 2,2 | head -n 2 | cmp - <(printf '%s"a\nb",age\n' "$mark")
	printf '%sid price\n2 3\n1 4\n' "$mark" | gsort --header -k id:n | cmp - <(printf '%sid price\n1 4\n2 3\n' "$mark")
	printf 'k,ab\r\nk,ab\tc\r\nk,"ab"\n' >in
	gsort --csv -s -k2,2 in | cmp - <(printf 'k,ab\r\nk,"ab"\nk,ab\tc\r\n')
	gsort --csv -k2,2 --count in | cmp - <(printf '2,ab\n1,ab\tc\n')
	gsort --csv -k2,2 --difference in <(printf 'ab,"ab\tc"\n') | cmp - <(printf 'k,ab\r\nk,"ab"\n')
	printf '1,x\r\n1,x\n' | gsort --csv -u | cmp - <(printf '1,x\r\n')
	printf '1,x\r\n1,x\n' | gsort -t, -k2,2 -u | cmp - <(printf '1,x\n1,x\r\n')
	printf 'x,1\r\000x,1\000' | gsort -z --csv -k2,2 -u | cmp - <(printf 'x,1\000x,1\r\000')
}

@test "several inputs have one header: names in one order, whatever quotes, marks and CRs are around them" {
	printf 'a,b\n1,9\n' >one
	printf '\357\273\277"a","b"\r\n0,3\r\n' >same
	printf 'b,a\n8,2\n' >other
	printf 'a,b,c\n8,2,7\n' >more
	for options in "-k1,1n" "-k a:n" "-m -k1,1n" "-k1,1n --union" "-c -k2,2n"; do
		for file in other more; do
			# shellcheck disable=SC2086
			fails "$file: its header is \"$(head -n 1 $file)\", and that of the first input \"a,b\"" \
				gsort --csv --header $options one $file
		done
	done
	gsort --csv --header -k1,1n one same | cmp - <(printf 'a,b\n0,3\r\n1,9\n')
	gsort -m --csv --header -k a:n same one | cmp - <(printf '\357\273\277"a","b"\r\n0,3\r\n1,9\n')
	fails 'other: its header is "8,2", and that of the first input "1,9"' \
		gsort --header=2 --lines <(printf 'b,a\n1,9\n') other
	head -n 1 one >short
	fails 'short: its header is "", and that of the first input "1,9"; .*(cat FIRST; tail -n +3 short)' \
		gsort --header=2 --lines one short
	printf 'a  b\n1  9\n' >blanks
	printf 'a b\n' | fails '-: its header is "a b", and that of the first input "a  b"' gsort --header -k1,1n blanks -
	# an input without a line has no header
	: >empty
	printf '\357\273\277' >mark
	for files in "empty one same" "one empty same" "one same mark"; do
		for merge in "" -m; do
			# shellcheck disable=SC2086
			gsort $merge --csv --header -k a:n $files | cmp - <(printf 'a,b\n0,3\r\n1,9\n')
		done
	done
	gsort --csv --header -k a:n empty | cmp - empty
}

@test "--csv: the line of a quote that is not closed is named" {
	{ echo a,b; seq 30000 | sed 's/$/,1/'; printf '"1\n2",3,"y,6\n'; seq 30000 | sed 's/$/,1/'; } >in
	for options in "-k b:n" "-k b" "-k b:n --summary" "-k b --parallel=3" "-s -k b:n -m -o out" "-k2,2 --argsort=u32"; do
		# shellcheck disable=SC2086
		fails 'in:30003: a quote is not closed' gsort --csv --header $options in
	done
	sed '2,30001s/.*/1,1/' in >equal
	fails 'equal:30003: a quote is not closed' gsort --csv --header -k b -c equal
	printf '"a\nb,c\n' | fails '-:1: a quote is not closed' gsort --csv --header=2
}

@test "keys by name, and numbers of --csv, are strict: what is not a number is refused, or left out" {
	needs python3
	GSORT=$(command -v gsort) python3 "$GSORT_SOURCE/tests/tools/keydefs.py" --strict 7 150
	zeros=$(printf '%5000s' '' | tr ' ' 0)
	printf 'a,"%s5"\nb,6\n' "$zeros" >long	# as without quotes
	gsort --csv -k2,2n long | cmp - long
	gsort --csv -k2,2n --quantiles=0 long | cmp - <(printf '0\t5\n')
	printf '"5",x\n12,y\n3,z\n' | gsort --csv -k1.1,1.2n | cmp - <(printf '3,z\n"5",x\n12,y\n')
	printf 'a\t\t7\nb\t3\t1\n' >tabs
	gsort --csv -t '\t' -k2bn -c tabs
	fails "'--invalid' needs a key by name, or --csv, and a letter such as n" gsort -k2,2n --invalid=abort tabs
	fails '-:2: not a number: "x"' gsort -n --invalid=abort <<<$'5\nx'
	gsort -t '\t' -k3,3n --summary --invalid=abort tabs | grep -q '^sum.8$'
	printf 'a,1KB\nb,1Ki\nc,1KiB\nd,2K\n' | gsort --csv -k2,2h -c
	for size in 1KX 1KiX 1KBi 1Kii K; do
		fails "-:1: column 2: not a number: \"$size\"" gsort --csv -k2,2h <<<"a,$size"
	done
	# a key that is no number stops the job behind an empty one as before it
	printf 'a,b\n,N/A\n1,2\n' >in
	fails 'in:2: column "b": not a number' gsort --csv --header --invalid=skip-blank -k a:n -k b:n in
	fails 'in:2: column "b": not a number' gsort --csv --header --invalid=skip-blank -k b:n -k a:n in
	printf 'a,price\nx,N/A\nz,2\ny,\nw,-1\n' >in
	not gsort --csv --header -k price:n in >out
	cmp out /dev/null
	gsort --csv --header -k price:n --invalid=ignore in | cmp - <(printf 'a,price\ny,\nw,-1\nz,2\n')
	gsort --csv --header -k price:nr --invalid=ignore in | cmp - <(printf 'a,price\nz,2\nw,-1\ny,\n')
	gsort -t, -k2,2n --header in | cmp - <(printf 'a,price\nw,-1\nx,N/A\ny,\nz,2\n')	# as sort(1)
	gsort --csv --header -k price:n --count --invalid=ignore in | grep -cx '1,.*' | grep -qx 3
	not gsort -m --csv --header -k price:n <(printf 'a,price\nb,1\n') in
	gsort -m --csv --header -k price:n --invalid=ignore <(printf 'a,price\nb,\nc,3\n') <(grep -v '[yw]' in) |
		cmp - <(printf 'a,price\nb,\nz,2\nc,3\n')
	printf 'a,price\nx,1\n"\n",no\nz,2\nw,0\n' >in
	disorder 'in:6: disorder: w,0' gsort --csv --header -k price:n -c --invalid=ignore in
	fails 'in:3: column "price": not a number: "no"' gsort --csv --header -k price:n -c in
	fails 'in:3: column "price": not a number: "no"' gsort --csv --header -k price:n --argsort=u32 in
	# in any chunk and piece, of any input
	{ echo n; seq 300000 | shuf --random-source=/dev/zero; } >big
	{ cat big; echo 12x; } >bad
	fails 'bad:300002: column "n": not a number: "12x"' gsort --header -k n:n big bad -o out
	gsort --header -k n:n --invalid=warn -S 5M -T . --parallel=3 big bad -o out 2>err
	{ echo n; seq 300000 | sed p; } | cmp - out
	grep -qx 'gsort: warning: bad:300002: column "n": not a number: "12x", left out' err
	awk '{ print NR % 3 == 2 ? "x" : $1 }' big >thirds
	not gsort --header -k n:n --invalid=fail thirds 2>err >out
	tail -n 2 err | cmp - <(printf 'gsort: %s\n' 'warning: ... and 99990 more, left out' \
		'100000 invalid lines were left out')
	[ "$(grep -c '' err)" = 12 ]
	gsort --header -k n:n -u --invalid=ignore thirds | cmp - <(awk 'NR % 3 != 2' big | gsort --header -k n:n)
}

# disorder TEXT COMMAND...: it ends with status 1 and this message
disorder() {
	status=0
	"${@:2}" 2>err || status=$?
	[ "$status" -eq 1 ]
	grep -qxF "gsort: $1" err
}

@test "addresses and times are keys: -k2,2:ip, -k when:timer" {
	needs python3
	python3 - >in <<-'END'
		import random
		draw = random.Random(5)
		zones = ["", "Z", "+01:00", "-09:30"]
		for _ in range(3000):
		    ip = ".".join(str(draw.choice([0, 1, 9, 10, 99, 100, 192, 255])) for _ in range(4))
		    day = f"{draw.choice([1700, 1969, 1970, 2026, 2500])}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}"
		    when = day + draw.choice(["", f"T{draw.randrange(24):02}:{draw.randrange(60):02}" + draw.choice(zones)])
		    print(f"{draw.randrange(9)} {ip} {draw.choice(['', when, when])}")
	END
	cat >model <<-'END'
		import datetime, ipaddress, sys
		def when(text):
		    if text == "":
		        return (0, 0)
		    text = text.replace("Z", "+00:00") if "T" in text else text + "T00:00+00:00"
		    text += "" if text[-6] in "+-" else "+00:00"
		    return (1, datetime.datetime.fromisoformat(text).timestamp())
		keys = {"ip": lambda row: int(ipaddress.ip_address(row.split()[1])),
		        "time": lambda row: when(row.split(" ")[2])}
		rows = sys.stdin.read().split("\n")[:-1]
		backwards = len(sys.argv) > 2
		sys.stdout.writelines(r + "\n" for r in sorted(rows, key=keys[sys.argv[1]], reverse=backwards))
	END
	gsort -s -k2,2:ip in | cmp - <(python3 model ip <in)
	gsort -s -t' ' -k3,3:time in | cmp - <(python3 model time <in)
	gsort -s -k2,2:ipr in | cmp - <(python3 model ip backwards <in)
	{ echo 'n,ip,when'; tr ' ' ',' <in | sed 's/,\([0-9.]*\),/,"\1",/'; } >in.csv
	gsort --csv --header -s -k when:timer in.csv | tail -n +2 | tr ',' ' ' | tr -d '"' |
		cmp - <(python3 model time backwards <in)
	gsort -S16M --parallel=1 -k2,2:ip -k1,1n in | gsort -c -k2,2:ip -k1,1n
	printf '1 10.0.0.256\n' | fails '-:1: column 2: not an IPv4 address: " 10.0.0.256"' gsort -k2,2:ip
	printf 'a,when\n1,2026-13-01\n' | fails '-:2: column "when": not a .*: "2026-13-01"' \
		gsort --csv --header -k when:time
	fails 'a key has one order: ip, time, or that of its letters' gsort -k2n,2:ip in
	for key in 1,2:time 2:ip 1,3:ip; do
		fails "invalid key '$key': an address or a time is one field: -k3,3:ip; a date and a time between blanks sort as text: -k1,1 -k2,2" gsort -k "$key" in
	done
	fails "invalid key '2,2:ipn': behind ip or time there is only b or r" gsort -k2,2:ipn in
	printf '"%70s9.0.0.1",a\n10.0.0.1,b\n9.0.0.0,c\n' '' | gsort --csv -k1,1:ip | cut -d, -f2 | tr -d '\n' |
		cmp - <(printf cab)
	fails "invalid key '2,2:it': letters follow the number at once" gsort -k2,2:it in
}

@test "--csv --count writes the counts as a column" {
	printf 'name;n\nb;1\n"a;x";2\nb;1\n' >in
	gsort --csv -t';' --header --count -k name in | cmp - <(printf 'count;name\n1;"a;x"\n2;b\n')
	gsort --csv -t';' --header --count -k name in | gsort --csv -t';' --header -k count:nr |
		cmp - <(printf 'count;name\n2;b\n1;"a;x"\n')
	tail -n +2 in | gsort --csv -t';' --count -r | cmp - <(printf '2;b;1\n1;"a;x";2\n')
	printf '1,a\n1,a\n' | gsort --csv --unique=repeated --count | cmp - <(echo 2,1,a)
	printf 'x,y\na,1\na,2\nb,1\n' >one
	printf 'x,y\na,5\nc,2\n' >two
	gsort --csv --header -k x -m --count one two | cmp - <(printf 'count,x\n3,a\n1,b\n1,c\n')
	printf '\357\273\277n,v\n"a\nb",c\nx,1\nx,1\n' | gsort --csv --header=2 --count |
		cmp - <(printf '\357\273\277count,n,v\n,"a\nb",c\n2,x,1\n')
}

@test "-c of CSV names the line that an editor shows" {
	printf '1,"x\ny\nz"\n0,q\n' >in
	disorder 'in:4: disorder: 0,q' gsort --csv -k1,1n -c in
	printf 'n,"x\ny"\n1,a\n0,q\n' >in
	disorder 'in:4: disorder: 0,q' gsort --csv --header -k1,1n -c in
	fails 'in:4: disorder: 0,q' gsort --csv --header -k1,1n -m -o out in
}

@test "--header stays on top, and names columns" {
	printf 'id,price\n3,9\n1,10\n' >a
	printf 'id,price\n2,5\n' >b
	gsort -t, -k price:nr --header a b | cmp - <(printf 'id,price\n1,10\n3,9\n2,5\n')
	gsort -t, -k 1,1n --header a b | cmp - <(printf 'id,price\n1,10\n2,5\n3,9\n')
	printf 'id  price\n7 5\n8 4\n' | gsort -k price:n --header | cmp - <(printf 'id  price\n8 4\n7 5\n')
	printf 'x\ny\nb\na' | gsort --lines --header=2 | cmp - <(printf 'x\ny\na\nb\n')
	printf 'only' | gsort --lines --header | cmp - <(printf 'only\n')
}

@test "selection: counts, repeated and single lines, the first and the last" {
	printf '%s\n' 'b 2' 'a 1' 'c 2' 'd 3' >in
	gsort --count -k2n in | cmp - <(printf '      1 1\n      2 2\n      1 3\n')
	gsort --unique=repeated -k2n in | cmp - <(printf 'b 2\n')
	gsort --unique=singletons -k2n in | cmp - <(printf 'a 1\nd 3\n')
	gsort --head=2 -k2nr in | cmp - <(sort -k2nr in | head -n 2)
	gsort --tail=3 -k2nr in | cmp - <(sort -k2nr in | tail -n 3)
	gsort --verify -k2nr in | cmp - <(sort -k2nr in)
	gsort --split=2 -o 'part-%r' -k2nr in
	cat part-0 part-1 | cmp - <(sort -k2nr in)
	[ "$(wc -l <part-0)" -eq 2 ]
}

# places: numbers of lines, u32 on standard input, put the lines of "in" into the order of "out",
# each once, and equal lines in their own order
places() {
	cat >numbers
	python3 -c '
import struct
data = open("in", "rb").read()
lines = [line + b"\n" for line in data.split(b"\n")]
places = [p for p, in struct.iter_unpack("<I", open("numbers", "rb").read())]
assert len(set(places)) == len(places)
assert b"".join(lines[p] for p in places) == open("out", "rb").read()
assert all(p < q for p, q in zip(places, places[1:]) if lines[p] == lines[q])'
}

@test "--argsort: where the sorted lines are, from 0 over all inputs" {
	needs python3
	printf 'id,n\n3,9\n1,10\n' >a
	printf 'id,n\n2,5' >b
	gsort -t, -k n:nr --header --argsort=u64 a b | od -An -tu8 | tr -s ' \n' ' ' | grep -qx ' 1 0 2 '
	printf '"a\n",2\n"b\n\n",1\n' | gsort --csv -k2n --argsort=u32be | od -An -tx1 |
		grep -qx ' 00 00 00 01 00 00 00 00'
	: | gsort --lines --argsort=u32 | cmp - /dev/null
	{ lines 20000; printf '\n\n7\nword,x\n'; lines 9000; head -c 800000 /dev/zero | tr '\0' 1; } >in
	for options in "-t, -k2,2 -k3,3n" "-rst, -k2,2" "-k9 -f" "-u -t, -k1,1n" ""; do
		# shellcheck disable=SC2086
		sort $options in >out
		# shellcheck disable=SC2086
		gsort --lines $options --verify --argsort=u32le in | places
		# shellcheck disable=SC2086
		gsort --lines $options --argsort=u32 -S 3M -T . --parallel=3 <in | cmp - numbers
	done
	gsort --lines --argsort=u32 --head=5 in | cmp - <(head -c 20 numbers)
	tr '\n' '\0' <in | gsort -z --lines --argsort=u32 | cmp - numbers
	gsort -t, -k3,3n --argsort=u64 --split=2 -o 'part-%r' in
	gsort -t, -k3,3n --argsort=u64 in | cmp - <(cat part-0 part-1)
	[ "$(wc -c <part-0)" -ge 116000 ]
}

# lines COUNT: rows with a number, a word that repeats, and a number with a fraction
lines() {
	awk -v count="$1" 'BEGIN {
		for (x = 7; i < count; i++) {
			x = x * 48271 % 2147483647	# exact in a double
			printf "%d,word%d,%d.%02d,end of line\n", x % 100003, x % 17, x % 9001, x % 100
		}
	}'
}

@test "larger than memory, from a pipe, compressed, several files, any number of threads" {
	lines 200000 >in
	sort -t, -k2,2 -k3,3nr in >expected
	for memory in 1M 3M 20M 1G; do
		gsort -S $memory -T . -t, -k2,2 -k3,3nr in | cmp - expected
	done
	cat in | gsort -S 4M --parallel=3 -t, -k2,2 -k3,3nr | cmp - expected
	gzip -c in | gsort -t, -k2,2 -k3,3nr | cmp - expected
	head -n 70000 in >a
	tail -n +70001 in >b
	gsort --parallel=1 -t, -k2,2 -k3,3nr a - <b | cmp - expected
	cp in own
	gsort -t, -k2,2 -k3,3nr -o own own
	cmp own expected
	gsort -S 1M -t, -u -k2,2 in | cmp - <(sort -t, -u -k2,2 in)
	{ cat in; yes "one line of many" | head -n 60000; } >many
	sort many >sorted
	gsort -S 1M --lines --unique=singletons many | cmp - <(uniq -u sorted)
	gsort -S 1M --lines --count many | cmp - <(uniq -c sorted)
	gsort -S 2M --verify -t, -k3,3n in | cmp - <(sort -t, -k3,3n in)
}

@test "long lines where threads read pieces of a file" {
	{ seq -f '%020.0f' 150000; head -c 3m /dev/zero | tr '\0' x; echo; seq -f '%020.0f' 100000
	  head -c 400k /dev/zero | tr '\0' y; } >in
	gsort --lines --parallel=4 in | cmp - <(sort in)
}

@test "all keys equal, sorted lines, long common prefixes" {
	lines 30000 >in
	sed 's/^/a long beginning that all of these lines have in common, and longer than sixteen words of it: /
		s/,.*//' in >prefix
	sort -n in >sorted
	same -k2,2 <prefix
	same <prefix
	same -t, -k9 <in
	same -s -t, -k9 <in
	same -n <sorted
	same -nr <sorted
}

@test "a large file: lines from all over it choose the buckets" {
	lines 300000 | tee in | sort -n >sorted
	[ "$(stat -c %s in)" -gt 8388608 ]
	for threads in 1 2 17; do
		gsort --parallel=$threads -t, -k2,2 -k3,3n in | cmp - <(sort -t, -k2,2 -k3,3n in)
	done
	gsort -n --lines sorted | cmp - sorted
	gsort -nr --lines sorted | cmp - <(sort -nr sorted)
	{ echo 'id,word,n,text'; cat sorted; } >named
	gsort --header -t, -k n:n named | tail -n +2 | cmp - <(sort -t, -k3,3n sorted)
	gsort --lines sorted in named /dev/null | cmp - <(sort sorted in named)
	# lines longer than a place, none at all, and no newline at the end
	awk '{printf "%s%c", $0, NR % 400 ? "," : "\n"}' in >long
	same -t, -k3,3n <long
	tr '\n' , <in >one
	gsort -t, -k2 one | cmp - <(sort -t, -k2 one)
	gsort --lines one sorted | cmp - <(sort one sorted)
	# what threads read themselves ends before a line that is longer than they look for its end, and goes on
	awk '{print; if (NR % 60000 == 0) {for (i = 0; i < 9000; i++) printf "%d,a word,", NR; print ""}}' in >some
	for threads in 2 3 17; do
		gsort --parallel=$threads -s -t, -k2,2 some in one | cmp - <(sort -s -t, -k2,2 some in one)
		gsort --parallel=$threads -S 30M -T . -s -t, -k2,2 some in | cmp - <(sort -s -t, -k2,2 some in)
	done
	# the last line has no newline and began before the last piece, of whatever size that is
	for bytes in $(seq 5000000 60000 5600000); do
		{ head -c $bytes in; head -c 60000 in | tr '\n' ,; } >cut
		gsort --parallel=2 --lines cut | cmp - <(sort cut)
	done
}
