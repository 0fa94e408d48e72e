# SPDX-License-Identifier: BSD-2-Clause
# Where bytes come from: files, pipes, standard input, compressed or not.

load ../helpers

# A packer for each suffix.
pack() {
	case $1 in
	gz)  gzip -c ;;
	bz2) bzip2 -c ;;
	xz)  xz -c ;;
	zst) zstd -qc ;;
	lz4) lz4 -qc ;;
	esac
}

format_of() {
	case $1 in
	gz)  echo gzip ;;
	bz2) echo bzip2 ;;
	xz)  echo xz ;;
	zst) echo zstd ;;
	lz4) echo lz4 ;;
	esac
}

suffixes="gz bz2 xz zst lz4"

# --- files, pipes, standard input ------------------------------------------------

@test "standard input is read when no file is named" {
	[ "$(printf '3\n1\n2\n' | gsort | tr '\n' ' ')" = "1 2 3 " ]
}

@test "- is standard input, among files, in any place" {
	echo 5 >a; echo 3 >b
	[ "$(echo 4 | gsort a - b | tr '\n' ' ')" = "3 4 5 " ]
	[ "$(echo 4 | gsort - b a | tr '\n' ' ')" = "3 4 5 " ]
}

@test "- a second time is empty" {
	[ "$(printf '2\n1\n' | gsort - - | tr '\n' ' ')" = "1 2 " ]
	printf '2\n1\n' >in
	[ "$(gsort - - <in | tr '\n' ' ')" = "1 2 " ]
}

@test "a file may be named twice" {
	echo 1 >a
	[ "$(gsort a a | tr '\n' ' ')" = "1 1 " ]
}

@test "after -- a name may begin with -" {
	echo 7 >-r
	[ "$(gsort -- -r)" = 7 ]
	[ "$(gsort ./-r)" = 7 ]
}

@test "lines do not join across files, even without a last newline" {
	printf '1' >a; printf '2' >b; printf '' >c; printf '3' >d
	[ "$(gsort a b c d | tr '\n' ' ')" = "1 2 3 " ]
}

@test "binary files are sorted as one" {
	gen --seed 1 --keys 1000 --type u64 >a
	gen --seed 2 --keys 3 --type u64 >b
	: >c
	cat a b c >all
	gsort -u64 a b c >out
	is_sorted out u64
	same_keys all out u64
}

@test "empty inputs give an empty output" {
	: >empty
	for arguments in "" "-u32" "empty" "-u8 empty empty" "-f64 - empty"; do
		gsort $arguments <empty >out
		[ ! -s out ]
	done
}

@test "a large cached file is read in parallel, and whole" {
	gen --seed 3 --keys 3000001 --type u32 >in
	gsort -u32 --parallel=4 in >out
	is_sorted out u32
	same_keys in out u32
}

@test "standard input that is a file is read from where it stands, and left at its end" {
	printf '9\n3\n1\n2\n' >in
	{ read -r first; gsort >out; cat >rest; } <in
	[ "$first" = 9 ]
	[ "$(tr '\n' ' ' <out)" = "1 2 3 " ]
	[ ! -s rest ]
}

@test "a slow pipe is waited for" {
	[ "$({ echo 3; sleep 0.1; printf 1; sleep 0.1; echo 0; } | gsort | tr '\n' ' ')" = "3 10 " ]
}

@test "a large pipe is read whole" {
	gen --seed 4 --keys 2000003 --type u32 >in
	cat in | gsort -u32 >out
	is_sorted out u32
	same_keys in out u32
}

@test "process substitutions and named pipes are files" {
	[ "$(gsort <(echo 2) <(echo 1) | tr '\n' ' ')" = "1 2 " ]
	mkfifo p q
	{ seq 20000 -1 1 >p; seq 30000 -1 20001 >q; } &	# q only when p has been read
	timeout 60 gsort p q >out
	seq 30000 | cmp - out
}

@test "a bad line ends the program, whatever pipe waits after it" {
	echo abc >bad
	mkfifo p
	fails "bad:1: not a number" timeout 60 gsort bad p	# nobody ever writes
	exec 4<>p						# a writer, who never writes
	fails "bad:1: not a number" timeout 60 gsort bad p
	fails "bad:1: not a number" timeout 60 gsort bad - <&4
	# Where there is a GPU, a pipe is read before one is chosen; but not before files.
	! command -v gsort-emu || fails "bad:1: not a number" timeout 60 gsort-emu bad p
	exec 4<&-
}

# To choose a device, gsort looks at a pipe before it reads: not at one behind a file.
@test "with a GPU, too, a bad line ends the program before it waits for a pipe" {
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	echo abc >bad
	mkfifo p
	GSORT_EMU_OPEN_MS=1 fails "bad:1: not a number" timeout 60 gsort-emu bad p
}

@test "files of /proc, which have size 0, are read" {
	[ -r /proc/sys/kernel/pid_max ] || skip "no /proc"
	[ "$(gsort /proc/sys/kernel/pid_max)" = "$(cat /proc/sys/kernel/pid_max)" ]
}

@test "more files than may be open at once" {
	for i in $(seq 300); do echo $i >f$i; done
	(ulimit -n 64; gsort $(ls f* | sort -r) >out)
	seq 300 | cmp - out
	fails "cannot read: nofile: No such file" bash -c 'ulimit -n 64; gsort f* nofile'
}

@test "interrupted system calls are taken up again" {
	needs timeout
	mkfifo p
	gsort -u32 p >out &
	pid=$!
	gen --seed 5 --keys 300000 --type u32 >in
	{ head -c 500000 in; sleep 0.3; tail -c +500001 in; } >p &
	for i in 1 2 3 4 5; do		# it waits for the pipe's second half
		kill -STOP $pid
		kill -CONT $pid
		kill -WINCH $pid
		sleep 0.03
	done
	wait $pid
	is_sorted out u32
	same_keys in out u32
}

# --- what cannot be read ---------------------------------------------------------

@test "a missing file is named, and found before anything is read or made" {
	echo 1 >a
	fails "cannot read: nofile: No such file or directory" gsort a nofile
	fails "cannot read: nofile: No such file or directory" gsort -u32 -o out nofile
	[ ! -e out ]
	mkfifo p	# would block if it were opened
	fails "cannot read: nofile" timeout 60 gsort p nofile
}

@test "a directory is not a file" {
	mkdir d
	fails "read failed: d: Is a directory" gsort d
	fails "read failed: d: Is a directory" gsort -u32 d
	fails "read failed: -: Is a directory" bash -c 'gsort <d'
}

@test "an unreadable file is named" {
	echo 1 >a
	chmod 0 a
	[ ! -r a ] || skip "root reads everything"
	fails "cannot read: a: Permission denied" gsort a
}

@test "a file that fails while it is read is named" {
	# the only such file everywhere: address 0 of a process is never mapped
	[ -r /proc/self/mem ] || skip "no /proc/self/mem"
	fails "read failed: /proc/self/mem: Input/output error" gsort -u8 /proc/self/mem
}

@test "closed standard input is an error, also beside files" {
	echo 1 >a
	fails "cannot read: -: Bad file descriptor" bash -c 'gsort <&-'
	fails "cannot read: -: Bad file descriptor" bash -c 'gsort a - <&-'
	[ "$(gsort a <&-)" = 1 ]
}

@test "a length that is not a multiple of the key's is refused before sorting" {
	head -c 1003 /dev/zero >odd
	fails "odd: 1003 bytes is not a multiple of 4 (3 trailing bytes)" gsort -u32 odd
	fails "odd: 1003 bytes is not a multiple of 4" gsort -u32 -o out odd
	[ ! -e out ]
	fails "-: 1003 bytes is not a multiple of 8 (3 trailing bytes)" bash -c 'cat odd | gsort -u64'
	head -c 1 odd >one
	fails "one: 1 byte is not a multiple of 4 (1 trailing byte)" gsort -u32 one
	fails "odd: 1003 bytes is not a multiple of 8" bash -c 'gsort -f64 odd'
}

@test "binary keys are not read from a terminal" {
	needs script
	run script -qec "gsort -u32 >out" /dev/null </dev/null
	[ "$status" -eq 2 ]
	[[ "$output" == *"terminal"*"--force"* ]]
}

@test "text typed at a terminal ends with one control-D" {
	needs script
	{
		sleep 0.2; printf '3\n1\n'
		sleep 0.2; printf '\004'
		eventually [ -s out ]
		cat out >first 2>&1
	} | script -qec 'gsort >out' /dev/null
	[ "$(cat first)" = "$(printf '1\n3')" ]
}

# --- compressed ------------------------------------------------------------------

@test "compressed text is recognized by its first bytes, by any name and in a pipe" {
	gen --seed 6 --keys 20000 --type text >in
	gsort in >expected
	for suffix in $suffixes; do
		echo $suffix
		pack $suffix <in >plainname
		gsort plainname | cmp - expected
		gsort <plainname | cmp - expected
		cat plainname | gsort | cmp - expected
	done
}

@test "compressed binary is recognized by its suffix" {
	gen --seed 7 --keys 20000 --type u32 >in
	gsort -u32 in >expected
	for suffix in $suffixes; do
		echo $suffix
		pack $suffix <in >in.$suffix
		gsort -u32 in.$suffix | cmp - expected
	done
}

@test "compressed binary is recognized by its header, too, by any name and in a pipe" {
	gen --seed 8 --keys 1000 --type u32 >in
	gsort -u32 in >expected
	for suffix in $suffixes; do
		echo $suffix
		pack $suffix <in >packed
		gsort -u32 packed | cmp - expected
		cat packed | gsort -u32 | cmp - expected
		pack $suffix <expected | gsort -u32 -m | cmp - expected
		gsort -u32 -c <(pack $suffix <expected)
		# as keys, if that is what they are
		truncate -s %4 packed
		gsort -u32 --decompress=none packed >out
		same_keys packed out u32
		head -c 400 packed >cut
		fails "truncated.*; if these are raw keys, use --decompress=none" gsort -u32 cut
	done
}

@test "zeros behind a member of gzip or bzip2, as on tapes, are left out" {
	needs bzip2
	for zeros in 1 10 100000 3000000; do
		for pack in gzip bzip2; do
			(seq 3 | $pack; head -c $zeros /dev/zero) >in
			gsort in | cmp - <(seq 3)
			gsort <in | cmp - <(seq 3)
			(cat in; echo 4 | $pack) | gsort | cmp - <(seq 4)
			(cat in; echo 4) >bad
			fails "bad: trailing garbage after the $pack data" gsort bad
		done
	done
}

@test "empty compressed files are recognized" {
	for suffix in $suffixes; do
		echo $suffix
		[ "$(pack $suffix </dev/null | gsort -u32 | wc -c)" = 0 ]
	done
}

@test "text, archives and programs are not binary keys, unless --force is given" {
	seq 1000 >in
	echo old >out
	for type in u8 u16 u32 u64 f64; do
		fails "in: text, not a file of binary keys" gsort -$type -o out in
		fails "-: text, not a file of binary keys" bash -c "cat in | gsort -$type -o out"
		fails "in: text, not a file of binary keys" gsort -$type -c in
		fails "in: text, not a file of binary keys" gsort -$type -m -o out in
		fails "packed: text, not a file of binary keys" bash -c "gzip <in >packed; gsort -$type -o out packed"
		[ "$(cat out)" = old ]
	done
	truncate -s 3888 in
	gsort -u32 --force in >out
	same_keys in out u32
	gsort -u8 --header=3888 in | cmp - in	# what is skipped may be anything
	printf 'PAR1\025\004\025\0\0\0\0\0' >in
	fails "in: a Parquet file, not a file of binary keys" gsort -u32 in
	fails "in: a Parquet file, not a file of numbers" gsort in
	fails "a program, not a file of binary keys" gsort -u8 "$GSORT"
}

# make check-slow asks a million (tests/unit/io/contents.c).
@test "keys of any type are never taken for something else" {
	for seed in 1 2 3 4 5 6 7 8 9 10; do
		for type in u8 i16 u32 i64 f32 f64; do
			gen --seed $seed --keys $((seed * seed * 5)) --type $type >in
			cat in | gsort -$type >out
			same_keys in out $type
		done
	done
}

@test "binary keys that look like compressed data are keys" {
	printf '\037\213\010\0\050\265\057\375BZh9\375\067zXZ\0\002\041\4\"M\030\001' >keys
	gsort -u8 keys >out
	same_keys keys out u8
	cat keys | gsort -u8 | cmp - out
}

@test "compressed data whose content is not a number is an error of that line" {
	printf '1\nx\n' | gzip >bad.gz
	fails "bad.gz:2: not a number" gsort bad.gz
}

@test "--decompress names the format for every input, standard input too" {
	gen --seed 9 --keys 5000 --type u32 >in
	cat in in >both
	gsort -u32 both >expected
	for suffix in $suffixes; do
		echo $suffix
		pack $suffix <in >packed
		gsort -u32 --decompress=$(format_of $suffix) packed - <packed | cmp - expected
		cat packed | gsort -u32 --decompress=$(format_of $suffix) packed - | cmp - expected
	done
}

@test "--decompress=none takes compressed bytes as keys" {
	gen --seed 10 --keys 1001 --type u8 >in
	gzip -c in >in.gz
	gsort -u8 --decompress=none in.gz >out
	same_keys in.gz out u8
	fails "in.gz:1: not a number" gsort --decompress=none in.gz
}

@test "compressed, empty and plain inputs together" {
	seq 1 3 | gzip -c >a
	seq 4 6 | xz -c >b
	: | zstd -qc >c
	seq 7 9 >d
	[ "$(seq 10 12 | lz4 -qc | gsort d c b a - | tr '\n' ' ')" = "1 2 3 4 5 6 7 8 9 10 11 12 " ]
}

@test "members one after the other are one input" {
	seq 1 1000 >a; seq 1001 2000 >b
	for suffix in $suffixes; do
		echo $suffix
		{ pack $suffix <a; : | pack $suffix; pack $suffix <b; : | pack $suffix; } >all
		gsort all | cmp - <(seq 2000)
	done
}

@test "zstd with a long window, and from pzstd or a seekable writer" {
	gen --seed 11 --keys 100000 --type u32 >in
	gsort -u32 in >expected
	zstd -q --long=31 -c in >in.zst
	gsort -u32 in.zst | cmp - expected
	cat in | zstd -q --ultra --long=30 -3 -c >in.zst
	gsort -u32 in.zst | cmp - expected
	gen --seed 11 --keys 1000 --type text >text
	{ printf '\x50\x2a\x4d\x18\x04\0\0\0abcd'; zstd -qc text; } >skips
	gsort skips | cmp - <(gsort text)
}

@test "compressed binary input with a partial key is refused" {
	head -c 1003 /dev/zero | gzip -c >odd.gz
	fails "odd.gz: 1003 bytes is not a multiple of 4" gsort -u32 odd.gz
}

@test "a partial key is found before anything is read, unless a header ends within a key" {
	local header
	mkfifo slow
	sleep 1000 >slow 3>&- 4>&- &
	head -c 1001 /dev/zero >odd
	for header in '' --header=8 --header=16; do
		# shellcheck disable=SC2086
		fails 'odd: 1001 bytes is not a multiple of 8 (1 trailing byte)' timeout 100 gsort -u64 $header slow odd
	done
	kill $!
	gsort -u64 --force --header=1 odd odd | cmp - <(head -c 2001 /dev/zero)
	fails 'odd: after 3 skipped bytes: 998 bytes is not a multiple of 8' gsort -u64 --force --header=3 odd
}

@test "truncated data is an error that names the file, wherever it is cut" {
	gen --seed 12 --keys 30000 --type text >in
	echo old >out
	for suffix in $suffixes; do
		pack $suffix <in >whole
		size=$(stat -c %s whole)
		for length in 7 12 40 $((size / 3)) $((size - 9)) $((size - 5)) $((size - 1)); do
			echo $suffix $length of $size
			head -c $length whole >cut
			fails "cut: truncated.* $(format_of $suffix) data" gsort cut
			fails "-: truncated.* $(format_of $suffix) data" bash -c 'cat cut | gsort'
			fails "cut: truncated.* $(format_of $suffix) data" \
				gsort -u8 --force --decompress=$(format_of $suffix) -o out cut
			[ "$(cat out)" = old ]
		done
	done
}

@test "corrupt data is an error that names the file, wherever a byte changes" {
	gen --seed 13 --keys 30000 --type text >in
	echo old >out
	for suffix in $suffixes; do
		pack $suffix <in >whole
		size=$(stat -c %s whole)
		for at in 50 $((size / 3)) $((size / 2)) $((size - 20)); do
			echo $suffix $at of $size
			cp whole bad
			byte=$(od -An -tu1 -j $at -N 1 whole)
			printf "\\x$(printf %x $((byte ^ 85)))" |
				dd of=bad bs=1 seek=$at conv=notrunc 2>/dev/null
			fails "bad: .*$(format_of $suffix) data\|bad:[0-9]*:" gsort -o out bad
			[ "$(cat out)" = old ]
		done
	done
}

@test "garbage after compressed data is an error" {
	for suffix in $suffixes; do
		{ seq 100 | pack $suffix; echo 12345; } >in
		fails "in: .*$(format_of $suffix) data" gsort in
	done
}

@test "the wrong format is an error that names the right question" {
	seq 100 >in
	for suffix in $suffixes; do
		fails "in: not $(format_of $suffix) data" \
			gsort --decompress=$(format_of $suffix) in
	done
}

# --- compressed, by several threads ------------------------------------------------

# Blocked gzip, as bgzip writes it: one member of standard input, less than 64 KiB.
bgzf_member() {
	gzip -nc >member
	size=$(($(stat -c %s member) + 8))
	printf '\037\213\010\4\0\0\0\0\0\377\6\0BC\2\0'
	printf "\\x$(printf %02x $(((size - 1) & 255)))\\x$(printf %02x $(((size - 1) >> 8)))"
	tail -c +11 member
}

# FILE sorted with these OPTIONS by 1, 2 and 8 threads, from a file and from a pipe: the
# same output, or the same sentence and status.
same_by_threads() {
	local file=$1 threads from status
	shift
	for threads in 1 2 8; do
		for from in file pipe; do
			echo "$file, $threads threads, from a $from"
			status=0
			case $from in
			file) gsort "$@" --parallel=$threads -S 1G <$file >out.$from.$threads 2>&1 ;;
			pipe) cat $file | gsort "$@" --parallel=$threads -S 1G >out.$from.$threads 2>&1 ;;
			esac || status=$?
			printf '\n%s\n' $status >>out.$from.$threads
			cmp out.file.1 out.$from.$threads
		done
	done
}

# FILE, with these OPTIONS, whole, cut and changed in several places.
same_in_any_state() {
	local file=$1 size at byte
	shift
	same_by_threads $file "$@"
	[ "$(tail -n 1 out.file.1)" = 0 ]
	size=$(stat -c %s $file)
	for at in $((size / 5)) $((size / 2)) $((size * 4 / 5)) $((size - 3)); do
		head -c $at $file >cut
		same_by_threads cut "$@"
		grep -q -- "-: truncated" out.file.1
		cp $file bad
		byte=$(od -An -tu1 -j $at -N 1 $file)
		printf "\\x$(printf %x $((byte ^ 85)))" | dd of=bad bs=1 seek=$at conv=notrunc 2>/dev/null
		same_by_threads bad "$@"
		grep -q -- "-: .* data\|-:[0-9]*: " out.file.1	# what came of it may be no number
	done
	{ cat $file; echo 12345; } >garbage
	same_by_threads garbage "$@"
	grep -q -- "-: .* data" out.file.1
}

@test "zstd frames side by side: whole, damaged, cut, followed by garbage" {
	gen --seed 14 --keys 450000 --type text >in
	split -n l/5 in frame.
	for frame in frame.??; do zstd -qc --check $frame; done >in.zst
	# no lines: how much comes before the trouble depends on where calls begin
	same_in_any_state in.zst -u8 --force --decompress=zstd
}

@test "zstd frames without content size, skipped, empty, and a plain file between" {
	gen --seed 15 --keys 400000 --type text >in
	split -n l/3 in part.
	{
		printf '\x5a\x2a\x4d\x18\x03\0\0\0xyz'
		for part in part.??; do cat $part | zstd -qc; : | zstd -qc; done
		printf '\x50\x2a\x4d\x18\x00\0\0\0'
	} >in.zst
	same_by_threads in.zst
	gsort in >expected
	gsort in.zst | cmp - expected
	cat in in in | gsort >expected
	for threads in 1 2 8; do
		gsort --parallel=$threads in.zst in in.zst | cmp - expected
	done
	truncate -s -1 in.zst				# of the last skipped frame
	same_by_threads in.zst
	grep -q "truncated zstd data" out.file.1
}

@test "zstd frames from pzstd" {
	needs pzstd
	gen --seed 16 --keys 2000000 --type u64 >in
	pzstd -q -p 3 -1 in -o in.zst
	gsort -u64 in >expected
	for threads in 1 2 8; do
		gsort -u64 --parallel=$threads in.zst | cmp - expected
	done
}

@test "xz blocks side by side: whole, damaged, cut, followed by garbage" {
	gen --seed 17 --keys 150000 --type text >in
	xz -0 -T2 --block-size=200000 -c in >in.xz
	same_in_any_state in.xz
}

@test "blocked gzip side by side: whole, damaged, cut, followed by garbage" {
	gen --seed 18 --keys 300000 --type text >in
	split -C 60000 in block.
	{ for block in block.*; do bgzf_member <$block; done; : | bgzf_member; } >in.gz
	gzip -dc in.gz | cmp - in			# what was made here is gzip
	same_in_any_state in.gz
	{ cat in.gz; gzip -c in; } >mixed.gz		# and goes on without lengths
	same_by_threads mixed.gz
	cat in in | gsort | cmp - <(gsort mixed.gz)
}

@test "compressed frames with little memory: one thread, the same output" {
	gen --seed 19 --keys 500000 --type u32 >in
	split -b 400000 in piece.
	for piece in piece.??; do zstd -qc $piece; done >in.zst
	gsort -u32 in >expected
	for memory in 16M 64M 300M; do
		gsort -u32 --parallel=4 -S $memory in.zst | cmp - expected
	done
}

@test "a file that is cut while it is read is sorted as far as it was read, if keys are whole" {
	gen --seed 73 --keys 3000000 --type u64 >whole
	head -c 8000000 whole | gsort -u64 >expected
	mkfifo out
	for cut in 8000000 8000003; do
		cp whole in
		gsort -u64 --parallel=3 -o out in 2>err &
		eventually has_open $! "$PWD/in"	# it waits for the output
		truncate -s $cut in
		cat out >got
		if wait $!; then cmp got expected; else grep "8000003 bytes is not a multiple of 8" err; fi
		[ $cut = 8000003 ] || cmp got expected
	done
}
