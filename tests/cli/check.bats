# SPDX-License-Identifier: BSD-2-Clause
# Is it sorted: -c, -C, --check, as sort(1) answers, and on binary keys.

load ../helpers

# answers STATUS MESSAGE COMMAND...: this exit status, this on standard error (without the
# program's name), nothing on standard output
answers() {
	local expected=$1 message=${2:+gsort: $2} status=0
	shift 2
	"$@" >answers-out 2>answers-err || status=$?
	if [ $status != "$expected" ] || [ -s answers-out ] ||
	   [ "$(cat answers-err)" != "$message" ]; then
		echo "status $status of: $*"
		cat answers-out answers-err
		return 1
	fi
}

# agrees FILE [OPTIONS]...: sort and gsort give the same answers and messages
agrees() {
	local options file=$1 expected
	shift
	[ $# -gt 0 ] || set -- -c -cr -cu -cru -Cu
	for options; do
		expected=0
		sort -n $options "$file" 2>expected-err || expected=$?
		answers $expected "$(sed 's/^sort: //' expected-err)" gsort $options "$file" ||
			return 1
	done
}

# poke FILE OFFSET BYTES: write over a part of it
poke() {
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# --- text --------------------------------------------------------------------------

@test "text: every order of a few numbers, as sort sees it" {
	for a in -1 0 7; do for b in -1 0 7; do for c in -1 0 7; do
		printf '%s\n' $a $b $c >in
		agrees in
	done; done; done
	: >in; agrees in
	echo 5 >in; agrees in
	printf '5\n6' >in; agrees in
	printf '6\n5' >in; agrees in
}

@test "numbers become lines in the middle of a check" {
	for line in 7.0 50000x; do
		(seq 100000; echo "$line") | gsort -n >in
		gsort -c -n in
		gsort -c -n -u in || status=$?
		test "$status" -eq 1
		(cat in; echo 9; echo 8) >out_of_order
		status=0
		gsort -c -n out_of_order 2>message || status=$?
		test "$status" -eq 1
		grep -q '^gsort: out_of_order:100002: disorder: 9$' message
		gsort --check=summary -n out_of_order >counts || :
		cat out_of_order | gsort --check=summary -n | cmp - counts
	done
}

@test "text: a check has many names" {
	printf '6\n6\n5' >in
	seq 3 >up
	for file in in up; do
		agrees $file -C -Cr --check --check=quiet --check=silent --check=diagnose-first
	done
}

@test "text: random files, as sort sees them" {
	for seed in 1 2 3 4 5 6; do
		gen --seed $seed --keys 2000 --type text --range full | sort -n >in
		agrees in
		sort -nr in >down
		agrees down
		# one line goes elsewhere
		sed "$((seed * 300))"'{h;d};$G' in >moved
		agrees moved
		sed "$((seed * 300))p" in >twice
		agrees twice
	done
}

@test "text: numbers of all classes follow each other" {
	printf '%s\n' -9223372036854775808 -2147483649 -2147483648 -32769 -32768 -1 0 65535 65536 \
		4294967295 4294967296 9223372036854775808 18446744073709551615 >in
	agrees in
	tac in >down
	agrees down
}

@test "text: the message names the line, wherever it is" {
	seq 1 300000 >in
	for line in 2 2048 2049 2050 4097 149797 300000; do
		sed "${line}s/.*/0/" in >out-of-order
		answers 1 "out-of-order:$line: disorder: 0" gsort -c out-of-order
		answers 1 "-:$line: disorder: 0" gsort -c <out-of-order
	done
	answers 0 "" gsort -c in
}

@test "text: the message quotes the line, cut if it is long" {
	printf '7\n  +005  \n' >in
	answers 1 "in:2: disorder:   +005  " gsort -c in
	printf '7\n%s5\n' "$(printf '0%.0s' {1..1500})" >in
	answers 1 "in:2: disorder: $(printf '0%.0s' {1..1000})..." gsort -c in
}

@test "text: NUL ends lines with -z" {
	printf '1\0003\0002\000' >in
	answers 1 "in:3: disorder: 2" gsort -cz in
	printf '1\0002\000' >in
	answers 0 "" gsort -cz in
}

@test "text: a header is passed over, and its lines are counted" {
	printf 'name\n9\n1\n3\n2\n' >in
	answers 1 "in:5: disorder: 2" gsort -c --header=2 in
	answers 1 "in:3: disorder: 1" gsort -c --header in
	printf 'name\n1\n3\n' >in
	answers 0 "" gsort -c --header in
}

@test "text: lines that are not numbers are errors, or left out" {
	printf '1\nx\n3\n2\n' >in
	fails "in:2: " gsort -c in
	answers 1 "in:4: disorder: 2" gsort -c --invalid=ignore in
	printf '1\nx\n3\n' >in
	answers 0 "" gsort -c --invalid=ignore in
	gsort -c --invalid=warn in 2>err
	grep -q '^gsort: warning: in:2: ' err
	status=0
	gsort -c --invalid=fail in 2>err || status=$?
	[ $status = 2 ]
	printf '2\n1\nx\n' >in		# sort, too, stops at what it meets first
	answers 1 "in:2: disorder: 1" gsort -c in
}

@test "text: floats" {
	printf '%s\n' -inf -1e300 -0 0 1e-300 2.5 inf nan -nan NaN >in
	answers 0 "" gsort -c --type=text-float in
	answers 1 "in:4: disorder: 0" gsort -cu --type=text-float in
	printf '%s\n' 1 nan 2 >in
	answers 1 "in:3: disorder: 2" gsort -c --type=text-float in
	printf '1\n2.5\n2.25\n' >in
	answers 1 "in:3: disorder: 2.25" gsort -cg in
	printf 'nan\n2.5\n2.25\n1\n' >in
	answers 0 "" gsort -cr --type=text-float in
}

# --- binary ------------------------------------------------------------------------

@test "binary: all types, both ways, strictly or not" {
	for type in u8 i8 u16 i16 u32 i32 u64 i64 f32 f64; do
		for order in "" -r; do
			gen --seed 3 --keys 30000 --type $type | gsort --type=$type $order >in
			answers 0 "" gsort -c --type=$type $order in
			gsort --type=$type $order -u in >once
			answers 0 "" gsort -cu --type=$type $order once
			cat once once >twice
			not gsort -C --type=$type $order twice
		done
		not gsort -C --type=$type once
	done
}

@test "binary: the message names number, value and offset of the key" {
	printf '\1\0\0\0\3\0\0\0\2\0\0\0' >f.bin
	answers 1 "f.bin:3: disorder: 2 (byte 8)" gsort -c -u32 f.bin
	answers 1 "-:3: disorder: 2 (byte 8)" gsort -c -u32 <f.bin
	answers 1 "f.bin:2: disorder: 3 (byte 4)" gsort -cr -u32 f.bin
	answers 1 "f.bin:2: disorder: 0 (byte 1)" gsort -c -i8 f.bin
	printf '\1\0\377\377' >f.bin
	answers 1 "f.bin:2: disorder: -1 (byte 2)" gsort -c -i16 f.bin
	answers 0 "" gsort -c -u16 f.bin
	printf '\0\0\200\77\0\0\0\77' >f.bin		# 1, 0.5
	answers 1 "f.bin:2: disorder: 0.5 (byte 4)" gsort -c -f32 f.bin
}

@test "binary: equal keys are out of order with -u alone" {
	printf '\1\0\0\0\1\0\0\0' >f.bin
	answers 0 "" gsort -c -u32 f.bin
	answers 1 "f.bin:2: disorder: 1 (byte 4)" gsort -cu -u32 f.bin
}

@test "binary: the byte order is the type's" {
	printf '\0\1\1\0' >f.bin
	answers 0 "" gsort -c -u16be f.bin
	answers 1 "f.bin:2: disorder: 1 (byte 2)" gsort -c -u16le f.bin
}

@test "binary: the message is right at the borders of blocks and chunks" {
	head -c $((9 << 20)) /dev/zero | tr '\0' '\1' >ones
	for at in 1 4095 4096 4097 65536 $(((4 << 20) - 1)) $((4 << 20)) $(((4 << 20) + 1)) \
	          $((8 << 20)) $(((9 << 20) - 1)); do
		cp ones in
		poke in $at '\0'
		answers 1 "in:$((at + 1)): disorder: 0 (byte $at)" gsort -c -u8 in
	done
	for at in 1 1023 1024 $(((1 << 20) - 1)) $((1 << 20)) $(((1 << 20) + 1)); do
		cp ones in
		poke in $((8 * at + 7)) '\0'
		value=$((0x0001010101010101))
		answers 1 "in:$((at + 1)): disorder: $value (byte $((8 * at)))" gsort -c -u64 in
		answers 1 "-:$((at + 1)): disorder: $value (byte $((8 * at)))" gsort -c -u64 < <(cat in)
	done
}

@test "binary: skipped bytes count for the offset, not for the order" {
	printf '\377\377\377\1\0\0\0\3\0\0\0\2\0\0\0' >f.bin
	answers 1 "f.bin:3: disorder: 2 (byte 11)" gsort -c -u32 --header=3 f.bin
	answers 1 "-:3: disorder: 2 (byte 11)" gsort -c -u32 --header=3 < <(cat f.bin)
	answers 0 "" gsort -c -u32 --header=11 f.bin
	answers 0 "" gsort -c -u32 --header=15 f.bin
	fails "has only 15 of the 17 bytes to be skipped" gsort -c -u32 --header=17 f.bin
}

@test "binary: a partial key is an error, also at the end of a pipe" {
	head -c 4099 /dev/zero >in
	fails "in: 4099 bytes is not a multiple of 4 (3 trailing bytes)" gsort -c -u32 in
	fails "4099 bytes is not a multiple of 4" gsort -c -u32 < <(cat in)
	fails "in: after 2 skipped bytes: 4097 bytes is not a multiple of 4" gsort -c -u32 --header=2 in
}

# --- any -----------------------------------------------------------------------------

@test "quiet checks print nothing, a summary counts" {
	printf '1\n1\n3\n2\n2\n2\n0\n' >in
	answers 1 "" gsort -C in
	answers 1 "" gsort --check=quiet in
	status=0
	gsort --check=summary in >out || status=$?
	[ $status = 1 ]
	grep -qx 'records[[:space:]]*7' out
	grep -qx 'breaks[[:space:]]*2' out
	grep -qx 'duplicates[[:space:]]*3' out
	gen --seed 4 --keys 300000 --type u16 >in
	status=0
	gsort --check=summary -u16 in >out || status=$?
	[ $status = 1 ]
	od -An -v -tu2 -w2 in | awk 'NR > 1 { breaks += $1 < last; duplicates += $1 == last }
		{ last = $1 + 0 } END { print NR, breaks, duplicates }' >expected
	awk '{ printf "%s%s", sep, $2; sep = " " } END { print "" }' out | cmp - expected
	gsort -u16 in | gsort --check=summary -u16 >out
	grep -qx 'breaks[[:space:]]*0' out
	printf '1\n1\n2\n' >in
	gsort --check=summary in
	status=0
	gsort -u --check=summary in || status=$?
	[ $status = 1 ]
}

@test "compressed input is checked, too" {
	needs gzip zstd
	seq 1 100000 >up
	{ cat up; echo 5; } >in
	gzip -k in up
	answers 1 "in.gz:100001: disorder: 5" gsort -c in.gz
	answers 1 "-:100001: disorder: 5" gsort -c <in.gz
	answers 0 "" gsort -c up.gz
	gen --keys 100000 --type u64 >in
	zstd -q in -o in.zst
	not gsort -C -u64 in.zst
	gsort -u64 in | zstd -q >up.zst
	answers 0 "" gsort -c -u64 up.zst
}

@test "several inputs are checked as if they were one" {
	printf '1\n2\n' >a
	printf '2\n3\n3\n' >b
	printf '4\n2\n' >c
	answers 0 "" gsort -c a b
	answers 0 "" gsort -c a - <b
	answers 1 "c:2: disorder: 2" gsort -c a b c
	answers 1 "a:1: disorder: 1" gsort -c b a
	answers 1 "b:1: disorder: 2" gsort -cu a b
	answers 1 "b:3: disorder: 3" gsort -cu <(echo 1) b
	answers 0 "" gsort --lines -c a b
	answers 1 "a:1: disorder: 1" gsort -k1,1n -c b a
	answers 1 "b:1: disorder: 2" gsort --lines -c -u a b
	[ "$(gsort --lines --check=summary b a a | tail -n 2 | tr '\n\t' '  ')" = "breaks 2 duplicates 1 " ]
	run gsort --check=summary a b c
	[ "$status" -eq 1 ]
	[ "$output" = "$(printf 'records\t7\nbreaks\t1\nduplicates\t2')" ]
	# lines that are none are counted over all
	printf 'x\n1\n' >d
	printf '2\ny\n' >e
	fails "2 invalid lines were left out" gsort -c -q --invalid=fail d e
	printf '1\nx\n2\n1\n' >in
	fails "in:4: disorder: 1; 1 invalid line was left out" gsort -c -q --invalid=fail in
	run gsort -q --invalid=fail --check=summary in
	[ "$status" -eq 2 ]
	[ "${lines[*]//$'\t'/ }" = "gsort: 1 invalid line was left out records 3 breaks 1 duplicates 0" ] ||
		[ "${lines[*]//$'\t'/ }" = "records 3 breaks 1 duplicates 0 gsort: 1 invalid line was left out" ]
	fails "d:1: " gsort -c d e
	printf '1\n9\n' | gsort -c --header a -

	# binary, of more than a chunk; places are those in the file
	gen --keys 3000000 --type u64 | gsort -u64 >all
	split -n 5 all part.
	answers 0 "" gsort -c -u64 part.*
	answers 1 "part.aa:1: disorder: $(gsort -u64 --to=text --head=1 part.aa) (byte 0)" \
		gsort -c -u64 part.ab part.aa
	{ cat part.ab; head -c 8 part.aa; } >bad
	answers 1 "bad:600001: disorder: $(gsort -u64 --to=text --head=1 part.aa) (byte 4800000)" \
		gsort -c -u64 part.aa bad part.ac
	{ echo headline; cat part.ab; } >odd
	fails "odd: 4800009 bytes is not a multiple of 8" gsort -c -u64 part.aa odd
	fails ": 4800001 bytes is not a multiple of 8" gsort -c -u64 part.aa <(cat part.ab; printf x)
	for part in a b; do { echo header; cat part.a$part; } >h.$part; done
	answers 0 "" gsort -c -u64 --header=7 h.a h.b
	needs jq
	gsort -c -u64 --header=7 --verbose=json h.a h.b 2>&1 | jq -e '.bytes_in == 9600014 and .records == 1200000'
	printf '1\n3\n2\n1\n' >in	# bytes 49, 10, 51 ...
	for type in '' --lines '--force -u8' '--force -u16' '--force --record-size=2 -k u16@0'; do
		gsort -c $type --verbose=json:stats in 2>err && exit 1
		jq -e '.breaks == 1 and .status == 1' stats
	done
	printf '1\n1\n' >in
	for type in '' --lines '--force -u16' '--force --record-size=2 -k u16@0'; do
		gsort -c -u $type --verbose=json:stats in 2>err && exit 1
		jq -e '.breaks == 0 and .duplicates == 1 and .status == 1' stats
	done
}

@test "no output, no temporary files, no GPU" {
	printf '2\n1\n' >in
	fails "incompatible" gsort -c in -o out
	[ ! -e out ]
	fails "cannot read: missing: No such file" gsort -c missing
	fails "cannot read: -" gsort -c <&-
	answers 1 "in:2: disorder: 1" gsort -c in >&-
	answers 1 "in:2: disorder: 1" env TMPDIR=/nowhere gsort -c -T /nowhere in
	answers 0 "" gsort -c /dev/null
	answers 0 "" gsort -c -f64 /dev/null
}

@test "a check takes no more memory for more input" {
	skips_under_sanitizer "no limit of addresses holds"
	head -c $((128 << 20)) /dev/zero >in
	(ulimit -v 300000; gsort -c -u32 in)
	answers 0 "" gsort -c -u32 -S 20M in
}

@test "a check that has its answer does not read on" {
	status=0
	mkfifo in
	exec 7<>in		# it has a writer as long as this test runs
	{ printf '2\n1\n'; exec seq 3 300000; } >&7 &
	timeout 30 gsort -C in || status=$?
	kill $! || true
	[ $status = 1 ]
}

@test "a thread that cannot be started is an error, not disorder" {
	gen --seed 9 --keys 1000000 --dist sorted >in
	status=0
	(ulimit -u 1; exec gsort -c -u32 --parallel=4 in) 2>told || status=$?
	[ $status -eq 2 ] && [ -s told ] || [ $status -eq 0 ]	# 0: they were to be had, by root
}
