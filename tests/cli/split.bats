# SPDX-License-Identifier: BSD-2-Clause
# --split: several files that together are the output.

load ../helpers

# splits FILES ARGUMENT...: the files of --split=FILES, one after the other, are what gsort
# writes to one file with the same arguments; the files are part-*
splits() {
	local files=$1
	shift
	rm -f part-*
	gsort "$@" -o whole && gsort --split="$files" "$@" -o 'part-%r' || return 1
	[ "$(ls | grep -c '^part-')" = "$files" ] || { ls; return 1; }
	cat part-* | cmp - whole || { echo "--split=$files $*"; return 1; }
}

# even BYTES: sizes of part-* differ by BYTES at most
even() {
	stat -c %s part-* | sort -n | sed -n '1p;$p' | { read -r least; read -r most
		[ $((most - least)) -le "$1" ] || { ls -l part-*; return 1; }; }
}

# No key is in two of part-*.
disjoint() {
	cat part-* | awk '{ print $NF }' | sort | uniq -d >twice
	[ ! -s twice ]
}

@test "the files together are the output: every type, and every order" {
	for type in u8 i16 u32 i64 f32 f64; do
		gen --keys 10000 --type $type --dist zipf >in
		splits 3 --type=$type in
		splits 4 --type=$type -r --parallel=1 --verify in
	done
	gen --keys 10000 --type text --range full >in
	splits 7 in
	splits 7 -r in
	splits 3 --header=2 in
	sed 's/..$/.5&/' in >floats
	splits 2 -g floats
	splits 3 -g --to=f64 floats
	gen --keys 1000 --type u32 >in
	splits 3 -u32 --to=text in
	splits 5 -u32 --to=u64 in
	splits 5 -u32be in
	splits 5 -u32 --header=12 in
	rm part-*
	tr '\n' '\0' <<<$'3\n1\n2' | gsort -z --split=2 -o 'part-%r'
	[ "$(cat part-* | tr '\0' ' ')" = "1 2 3 " ]
}

@test "sizes of binary files differ by a key at most, and text is cut at lines" {
	gen --keys 100003 --type u32 >in
	for files in 1 2 3 16; do
		splits $files -u32 in
		even 4
	done
	gen --keys 100003 --type text >in
	splits 8 in
	even 30000		# of 134,000: small numbers are short
	for part in part-*; do
		[ "$(tail -c 1 $part | wc -l)" = 1 ]
		wc -l <$part
	done | sort -u >lines
	[ "$(cat lines)" = "$(printf '12500\n12501')" ]
}

@test "more files than keys, no keys at all, and a thousand names" {
	seq 3 >in
	splits 5 in
	splits 5 -u32 /dev/null
	[ "$(cat part-*)" = "" ]
	seq 2000 >in
	splits 1000 in
	[ "$(ls | sed -n '/^part-/p' | head -n 1)" = part-000 ]
	[ "$(cat part-999)" = "$(printf '1999\n2000')" ]
	splits 10 in
	[ -e part-9 ]
	splits 11 in
	[ -e part-00 ]
}

# Everything in memory, by several threads, in small parts: --parallel and -S make them so.
@test "several threads write binary files, each at its place" {
	gen --keys 2000001 --type u64 >in
	for files in 2 3 16 100; do
		splits $files -u64 --parallel=4 -S 64M --verify in
		even 8
	done
	splits 5 -u64 --parallel=2 -S 64M --header=4000 in
	gen --keys 2000001 --type u64 --dist equal >in
	splits 4 -u64 --parallel=4 -S 64M --verify in
	even 8
	gsort -u64 in >sorted
	splits 4 -u64 -r --parallel=4 -S 64M --verify sorted
	gen --keys 3000001 --type u32 >in
	splits 5 -u32 -r --parallel=3 -S 64M --to=i64 --header=8 --verify in
}

@test "several threads write text files" {
	gen --keys 3000000 --type text --range full >in
	splits 3 --parallel=4 -S 96M --verify in
	even 4000000		# of 20 MB
	splits 2 --parallel=4 -S 96M -r --header in
	gen --keys 3000000 --type text --range small >in
	splits 2 --parallel=4 -S 64M in
	gen --keys 2000000 --type u32 >in
	splits 2 -u32 --to=text --parallel=4 -S 64M --verify in
	even 4000000
}

@test "files are written side by side" {
	needs strace
	gen --keys 8000000 --type u64 >in
	strace -f -e trace=pwrite64 -o calls gsort -u64 --parallel=4 --split=4 -o 'part-%r' in
	# from the first write to the last file until the last to the first one
	awk '/pwrite64\(/ {
		sub(/.*pwrite64\(/, ""); fd = $0 + 0
		if (!(fd in first)) { first[fd] = NR; files++ }
		last[fd] = NR
	} END {
		for (a in first) for (b in first) if (first[a] > last[b]) late++
		print files, late + 0
	}' calls >found
	[ "$(cat found)" = "4 0" ]
}

@test "keys that are written once are in one file" {
	gen --keys 30000 --type text --range small >in
	for options in -u --count --unique=repeated --unique=singletons "--count --head=100" "-u -r"; do
		splits 6 $options in
		disjoint
	done
	gen --keys 300000 --type u32 --dist zipf >in
	splits 6 -u32 -u --to=text in
	disjoint
	gen --keys 300000 --type u16 >in
	splits 6 -u16 --count --to=text in
	disjoint
	splits 6 -u16 in
	splits 6 -u16 -r --unique in
	yes 7 | head -n 10000 >in
	splits 3 -u in
	[ "$(cat part-*)" = 7 ]
	splits 3 --head=100 in
	[ "$(wc -l <part-2)" = 34 ]
	splits 3 --head=0 in
}

@test "inputs larger than memory, from pipes, and on a GPU" {
	gen --keys 1400000 --type u64 >in
	splits 3 -u64 -S 16M -T . --verify in
	even 8
	gen --keys 1500000 --type text --range full >in
	splits 3 -S 16M -T . -u in
	rm -f part-*
	gsort in -o whole
	cat in | gsort --split=4 -o 'part-%r'
	cat part-* | cmp - whole
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	gen --keys 300000 --type u32 >in
	gsort -u32 in -o whole
	rm -f part-*
	gsort-emu -u32 --device=gpu --split=3 -o 'part-%r' in
	cat part-* | cmp - whole
	even 4
	# it fails while it gives keys back: the CPU goes on where it was
	failed=0
	for call in 40 60 80 100 120; do
		rm -f part-*
		GSORT_EMU_FAIL=$call:999 gsort-emu -u32 --split=3 -o 'part-%r' in 2>err
		cat part-* | cmp - whole
		even 4
		! grep -q 'the CPU sorts instead' err || failed=$((failed + 1))
	done
	[ $failed -ge 1 ]
}

@test "-m and -c accept the files back" {
	gen --keys 1000000 --type u32 --dist zipf >in
	gsort -u32 in -o whole
	gsort -u32 --split=5 -o 'part-%r' in
	gsort -c -u32 part-*
	gsort -m -u32 part-* | cmp - whole
	not gsort -C -u32 part-1 part-0
	gen --keys 100000 --type text >in
	gsort in -o whole
	gsort --split=12 -o 'list-%r' in
	gsort -c list-*
	gsort -m list-* | cmp - whole
	gsort -u --split=12 -o 'list-%r' in
	gsort -cu list-*
}

# ---- names --------------------------------------------------------------------

@test "%r is the number, %% a percent sign, and without --split neither" {
	seq 20 >in
	gsort --split=11 -o '100%%-%r-of-%r' in
	[ "$(cat '100%-10-of-10')" = "$(seq 19 20)" ]
	mkdir d0 d1
	gsort --split=2 -o 'd%r/x' in
	cat d0/x d1/x | cmp - in
	gsort -o 'all-%r-%%-%d' in
	cmp in 'all-%r-%%-%d'
}

@test "files are replaced as with -o: mode kept, links followed, all or none" {
	seq 10 >in
	echo old >target
	chmod 640 target
	ln -s target part-0
	echo old >part-1
	ln part-1 other		# is written in place
	gsort --split=3 -o 'part-%r' in
	[ -L part-0 ]
	[ "$(stat -c %a target)" = 640 ]
	cat target other part-2 | cmp - in
	# inputs may be outputs
	gsort -r --split=3 -o 'part-%r' part-0 part-1 part-2
	seq 10 -1 1 | cmp - <(cat part-*)
}

# olds: three files, and what they hold; untouched: that is all there is
olds() {
	mkdir dir
	for file in 0 1 2; do echo "old $file" >dir/part-$file; done
}
untouched() {
	[ "$(cat dir/*)" = "$(printf 'old 0\nold 1\nold 2')" ]
	[ "$(ls -A dir | wc -l)" = 3 ]
}

@test "after an error no file has changed, and no file is new" {
	olds
	echo x >in
	fails "not a number" gsort --split=3 -o 'dir/part-%r' in
	untouched
	fails "No such file" gsort --split=3 -o 'dir/part-%r' missing
	untouched
	{ seq 200000; echo 70000000; } >in
	fails "does not fit in u16" gsort --to=u16 --split=4 -o 'dir/part-%r' in
	untouched
	fails "open failed: dir/missing-0/x: No such file" gsort --split=4 -o 'dir/missing-%r/x' in
	mkdir there-0
	fails "open failed: there-1/x: No such file" gsort --split=2 -o 'there-%r/x' in
	[ -z "$(ls -A there-0)" ]
	run bash -c 'ulimit -f 8; gsort in --split=3 -o dir/part-%r 2>/dev/null'
	[ "$status" -ne 0 ]
	untouched
	# a folder in the way of the last one
	seq 100 >in
	mkdir out
	mkdir out/part-2
	fails "open failed: out/part-2: Is a directory" gsort --split=3 -o 'out/part-%r' in
	[ "$(ls -A out)" = part-2 ]
}

@test "a signal leaves all files as they were" {
	olds
	mkfifo in
	for signal in INT:130 TERM:143; do
		env --default-signal gsort --split=3 -o 'dir/part-%r' <in 2>err &
		job=$!
		exec 9>in
		seq 100000 >&9
		eventually awaits $job TERM
		kill -s ${signal%:*} $job
		status=0
		wait $job || status=$?
		exec 9>&-
		[ $status = ${signal#*:} ]
		untouched
	done
}

@test "a full disk leaves all files as they were" {
	gen --keys 1200000 --type u64 >wide
	unshare -Urm bash -c 'mkdir disk && mount -t tmpfs -o size=4m none disk' 2>/dev/null ||
		skip "no file system of one's own here"
	cat >inside <<-'END_OF_SH'
		mount -t tmpfs -o size=4m none disk || exit 9
		for file in 0 1 2; do echo "old $file" >disk/part-$file; done
		for options in "--parallel=4" "--parallel=1" "-S 16M -T ."; do
			status=0
			gsort -u64 --split=3 $options -o disk/part-%r wide 2>err || status=$?
			grep -q "^gsort: write failed: disk/part-.: No space left" err || status=message
			[ "$status $(cat disk/*)" = "2 $(printf 'old 0\nold 1\nold 2')" ] || { cat err; exit 1; }
		done
	END_OF_SH
	unshare -Urm bash inside
}

@test "two names of one file are refused" {
	seq 3 >in
	ln -s x part-0
	ln -s x part-1
	fails "part-0 and part-1 are the same file" gsort --split=2 -o 'part-%r' in
	[ ! -e x ]
	echo old >x
	ln x y
	ln -sf y part-1
	fails "part-0 and part-1 are the same file" gsort --split=2 -o 'part-%r' in
	[ "$(cat x)" = old ]
}

@test "in a sandbox every folder of an output is open" {
	needs gzip
	mkdir d0 d1 d2
	seq 300 | gzip >in.gz
	gsort --split=3 -o 'd%r/part' -v in.gz
	seq 300 | cmp - <(cat d?/part)
}

# ---- the command line -----------------------------------------------------------

@test "--plan names the files" {
	gen --keys 1000 --type u32 >in
	gsort -u32 --plan --parallel=4 --split=8 -o 'part-%r' in |
		grep '^output  *8 files: part-0 to part-7, written side by side'
	gsort -u32 --plan --parallel=4 --split=8 -u -o 'part-%r' in | grep '^output .*, one after the other$'
	gsort -u32 --plan --split=1 -o 'part-%r' in | grep '^output  *1 file: part-0$'
	[ "$(ls)" = in ]
}

@test "what --split does not go with" {
	seq 3 >in
	fails "option '--split' needs '-o'" gsort --split=2 in
	fails "options '--split' and '--in-place' are incompatible" gsort --split=2 --in-place -o '%r' in
	fails "options '--split' and '-m' are incompatible" gsort --split=2 -m -o '%r' in
	fails "options '.*' are incompatible" gsort --split=2 -c -o '%r' in
	fails "options '--split=2' and '--split=3' are incompatible" gsort --split=2 --split=3 -o '%r' in
	for number in 0 -1 x 1025 1.5 ''; do
		fails "invalid --split argument '$number': must be a whole number from 1 to 1024" \
			gsort --split="$number" -o '%r' in
	done
	gsort --split=2 --split=2 -o '%r' in
	[ "$(cat 0 1)" = "$(seq 3)" ]
}
