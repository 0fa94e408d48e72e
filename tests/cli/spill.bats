# SPDX-License-Identifier: BSD-2-Clause
#
# Inputs larger than memory: sorted through temporary files, to the same bytes, in
# the memory that was allowed; and nothing stays behind, whatever happens.
#
# -S 1 is the least that gsort does with, 16 MiB: a batch is about 5 MiB of binary keys.
# GSORT_SLOW=1 makes more of it.

load ../helpers

prepare() {
	mkdir temp
	export TMPDIR=$PWD/temp
}

# same FILE OPTION...: with the least memory and with enough, the same
same() {
	local file=$1
	shift
	gsort "$@" "$file" >expected || return 1
	gsort -S 1 --debug "$@" "$file" >out 2>err || return 1
	grep -q "batches go to temporary files" err || { echo "none of $*"; return 1; }
	cmp expected out || { echo "$*"; return 1; }
}

# spilled FILE: bytes of temporary files, by --verbose=json
spilled() {
	sed -n 's/.*"spilled_bytes":\([0-9]*\).*/\1/p' "$1"
}

@test "every type, in every order" {
	local type options
	for type in u32 i32 f32 u64 i64 f64; do
		gen --seed 41 --keys $((48000224 / ${type:1})) --type $type >in		# of 6 MB
		for options in "" -r -u -ru; do
			same in --type=$type $options
		done
		is_sorted out $type --reverse --unique
	done
}

@test "every distribution" {
	local dist
	for dist in uniform sorted reversed equal few saw organ extremes zipf; do
		gen --seed 42 --keys 800007 --type u64 --dist $dist >in
		same in -u64
		same in -u64 -r --batch-size=3
	done
}

@test "text of every range, as sort -n has it" {
	local range
	for range in ${GSORT_CI:+i32 u64 small} u32 i64 full; do
		echo $range
		gen --seed 43 --keys 700007 --type text --range $range >in
		sort -n in >expected
		uniq expected >once
		gsort -S 1 in | cmp - expected
		gsort -S 1 -u in | cmp - once
		gsort -S 1 -r in | cmp - <(tac expected)
		gsort -S 1 -ru in | cmp - <(tac once)
	done
}

@test "one file or many, pipes or not" {
	gen --seed 44 --keys 1000003 --type u64 >a
	gen --seed 45 --keys 1000003 --type u64 >b
	: >c
	cat a b | gsort -u64 >expected
	gsort -u64 -S 1 a c b | cmp - expected
	cat a b | gsort -u64 -S 1 | cmp - expected
	gsort -u64 -S 1 a - <b | cmp - expected
	cat a b | gsort -u64 -S 1 --progress=1 | cmp - expected
}

@test "runs are merged in as many passes as it takes" {
	local width
	gen --seed 46 --keys 2800011 --type u64 >in	# 7 runs
	gsort -u64 in >expected
	for width in 2 3 4 6 7 8 1000; do
		gsort -u64 -S 1 --batch-size=$width in | cmp - expected
	done
	gen --seed 47 --keys 1000017 --type text --range full >in
	sort -n in >expected
	gsort -S 1 --batch-size=2 in | cmp - expected
}

@test "temporary files are compressed if wanted" {
	local program
	gen --seed 48 --keys 2000003 --type u64 --dist few >in
	gsort -u64 in >expected
	for program in zstd lz4; do
		gsort -u64 -S 1 --compress-program=$program --verbose=json:$program in | cmp - expected
		gsort -u64 -S 1 --batch-size=2 --compress-program=$program in | cmp - expected
	done
	for program in gzip ./zstd /usr/bin/zstd LZ4 ""; do
		fails "'--compress-program' is zstd or lz4, which are built in; called as sort, gsort runs the next" \
			gsort -u64 --compress-program=$program in
	done
	[ "$(spilled zstd)" -lt "$(spilled lz4)" ]
	gsort -u64 --to=text in >text
	split -n l/20 text part.			# their descriptors are for runs, once they are read
	(ulimit -n 20; gsort -n -S 1 --compress-program=zstd part.*) | cmp - text
}

@test "temporary files of lines and records are compressed if wanted, within -S" {
	local program threads most=24576
	if is_sanitized; then most=1000000; fi		# a sanitizer takes more
	awk 'BEGIN { srand(4); for (long = "long line "; length(long) < 300000; ) long = long long
		for (i = 0; i < 270000; i++) print int(rand() * 1e6), i % 135000 ? "words that compress well" : long i }' >in
	sort -k2,2 -k1,1n in >expected
	head -c 7200000 in >bytes
	gsort --record-size=24 -k bytes5@3 bytes >sorted
	for program in zstd lz4; do
		for threads in 1 2 16; do
			peak_within $most gsort -k2,2 -k1,1n -S 24M -T . --parallel=$threads --verify \
				--verbose=json:told --compress-program=$program -o out in
			cmp expected out
			grep -q '"runs":[1-9]' told
		done
		mv told $program
		[ "$(spilled $program)" -lt 9000000 ] || { cat $program; false; }
		gsort --record-size=24 -k bytes5@3 -S 5M -T . --compress-program=$program bytes | cmp - sorted
	done
	[ "$(spilled zstd)" -lt "$(spilled lz4)" ]
	gsort -n --lines -S 5M -T . --compress-program=lz4 in | cmp - <(sort -n in)
	gsort --lines --union -S 5M -T . --compress-program=zstd in in | cmp - <(sort in)
	gsort -n -S 5M -T . --compress-program=zstd in | cmp - <(sort -n in)	# numbers, then lines
	head -n 50000 in >fewer		# runs of two stores
	gsort -u --keep-order -k1,1 -S 5M -T . --compress-program=zstd --verbose=json:told fewer |
		cmp - <(awk '!seen[$1]++' fewer)
	grep -q '"runs":[1-9]' told
}

@test "lines in blocks that follow each other are divided at once, with numbers, too" {
	local block bytes
	for block in {1..8}; do
		gen --seed $block --keys 100000 --type text | sed "s/^/block $block of a log, number /"
	done >in
	bytes=$(($(wc -c <in) + 8 * 800000))
	gsort --lines --argsort=u64 -S 16M -T . --verbose=json:told -o out in
	gsort --lines --argsort=u64 in | cmp - out
	[ "$(spilled told)" -le $((5 * bytes / 2)) ]	# each twice; by the first block alone 3.7 times
	gsort --lines -u --keep-order -S 16M -T . --verbose=json:told -o out in
	gsort --lines -u --keep-order in | cmp - out
	[ "$(spilled told)" -le $((7 * bytes / 2)) ]	# once more by number; before 7 times
}

@test "a damaged temporary file is found, plain or compressed, of keys and of lines" {
	local kind options
	needs cc
	skips_under_sanitizer "it has a pwrite() of its own"
	cat >damage.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <string.h>
		#include <sys/stat.h>
		#include <unistd.h>
		ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
		{
			ssize_t (*next)(int, const void *, size_t, off_t) =
				(ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
			struct stat file;
			char last;
			if (bytes < 2 || fstat(fd, &file) != 0 || file.st_nlink > 0)
				return next(fd, from, bytes, at);
			last = (char)(((const char *)from)[bytes - 1] ^ 1);
			return next(fd, from, bytes - 1, at) + next(fd, &last, 1, at + (off_t)bytes - 1);
		}
	END
	cc -shared -fPIC -o damage.so damage.c -ldl
	seq 1500000 -1 1 >in
	for options in "" --compress-program=zstd --compress-program=lz4; do
		for kind in -u32 --lines --record-size=4; do
			LD_PRELOAD=$PWD/damage.so fails "temporary file in .: what was read is not what was written" \
				gsort $kind --force -S 1 -T . $options -o out <(head -c 10000000 in)
			[ ! -e out ]
		done
	done
}

@test "threads or none" {
	local threads
	gen --seed 49 --keys 1000003 --type text --range full >in
	sort -n in >expected
	for threads in 1 2 7; do
		gsort -S 1 --parallel=$threads in | cmp - expected
		gsort -S 64M --parallel=$threads in | cmp - expected
	done
}

@test "what is only counted needs no temporary files" {
	export TMPDIR=/nowhere
	head -c 50000000 /dev/zero >in
	gsort -u8 -S 1 in | cmp - in
	gsort -i16 -S 1 in | cmp - in
}

@test "a file that grows while it is read is sorted as far as it was read" {
	gen --seed 50 --keys 1000 --type u64 >in
	gen --seed 51 --keys 3000000 --type u64 >more
	cat in more | gsort -u64 >expected
	mkfifo out
	gsort -u64 -S 1 -o out in &
	eventually has_open $! "$PWD/in"	# it waits for the output
	cat more >>in
	cmp out expected
	wait $!
}

# ---- the memory that was allowed

# within_limit LIMIT OPTION...: gsort -S LIMIT, of the file in
within_limit() {
	local limit=$1 peak
	shift
	measure took gsort -S "$limit" "$@" -o out in || return 1
	read -r _ peak _ <took
	echo "peak $peak KiB of $limit: $*"
	[ "$peak" -le $((${limit%M} * 1024)) ] || is_sanitized	# which takes its share
}

# few WORD...: all of them if there is time, else the first
few() {
	echo "${GSORT_SLOW:+${*:2}}" "$1"
}

@test "-S is a limit of all memory: binary keys" {
	local limit
	gen --seed 52 --keys 3500000 --type u64 >in
	for limit in 16M 20M 32M; do
		within_limit $limit -u64
		is_sorted out u64
		same_keys in out u64
	done
	for limit in $(few 16M 20M 32M); do
		within_limit $limit -u64 --batch-size=2 -r
		within_limit $limit -f32 --parallel=7
	done
	within_limit 16M -u8
	within_limit 16M -u16
	for limit in $(few 64M 128M); do
		gen --seed 52 --keys $((${limit%M} * 180000)) --type u64 >in
		within_limit $limit -u64
	done
}

@test "-S is a limit of all memory: text" {
	local limit range
	for range in u32 full small; do
		gen --seed 53 --keys 1200000 --type text --range $range >in
		for limit in $(few 16M 20M 32M); do
			within_limit $limit -n
			within_limit $limit -nru --parallel=7
		done
	done
	for range in $(few full u32 small); do
		gen --seed 53 --keys 4000000 --type text --range $range >in
		within_limit 32M -n
		within_limit 64M -n
	done
}

@test "-S is a limit of all memory: with compression in the process" {
	local program
	gen --seed 54 --keys 5000000 --type u64 --dist zipf >in
	for program in zstd lz4; do
		within_limit 32M -u64 --compress-program=$program
		within_limit 64M -u64 --compress-program=$program
	done
}

# ---- where the files are

@test "several directories take turns" {
	local pid
	mkdir a b c
	gen --seed 55 --keys 3000003 --type u64 >in
	mkfifo pipe
	gsort -u64 -S 1 -T a -T b -T c -o out pipe &
	pid=$!
	exec 7>pipe
	cat in >&7
	for dir in a b c; do
		eventually has_open $pid "*work/$dir/*(deleted)"
		[ -z "$(ls $dir)" ]
	done
	[ -z "$(ls temp)" ]
	exec 7>&-
	wait $pid
	gsort -u64 in | cmp - out
}

@test "a directory that cannot be used is an error only if it is needed, as in sort" {
	gen --seed 56 --keys 100 --type u64 >small
	gen --seed 56 --keys 3000000 --type u64 >large
	gsort -u64 small >expected
	touch file
	for options in '-T nowhere' '-T temp -T file' '-S 1 -T nowhere' '-T nowhere --progress=1T'; do
		gsort -u64 $options small | cmp - expected
		cat small | gsort -u64 $options | cmp - expected
		not gsort -u64 $options --plan >/dev/null 2>err || [ ! -s err ]
	done
	TMPDIR=nowhere gsort -u64 small | cmp - expected
	cat small | TMPDIR=nowhere gsort -u64 -S 1 | cmp - expected
	# Of a file it is known at once, of a pipe when memory is full.
	fails "nowhere.*No such file.*-T" gsort -u64 -S 1 -T nowhere -o out large
	fails "file.*Not a directory" gsort -u64 -S 1 -T file -o out large
	fails "nowhere.*No such file.*-T" bash -c 'gsort -u64 -S 1 -T nowhere -o out < <(cat large)'
	TMPDIR=nowhere fails "nowhere.*No such file" gsort -u64 -S 1 -o out large
	if [ "$(id -u)" != 0 ]; then
		mkdir closed
		chmod 555 closed
		fails "closed.*denied" gsort -u64 -S 1 -T closed -o out large
	fi
	[ ! -e out ]
}

@test "a bad TMPDIR is not an error if the input is known to be small" {
	gen --seed 57 --keys 100 --type u64 >in
	gsort -u64 in >expected
	TMPDIR=nowhere gsort -u64 in | cmp - expected
	TMPDIR=nowhere gsort -u64 -S 1 in | cmp - expected
}

# ---- trouble

@test "a full disk: one message, and the output is unchanged" {
	gen --seed 58 --keys 3000000 --type u64 >in
	echo old >out
	if mount -t tmpfs -o size=4M none temp 2>/dev/null; then
		fails "temp: No space left.* [12][0-9] MiB.*-T" gsort -u64 -S 1 -o out in || status=$?
		umount temp
	fi
	[ -z "${status:-}" ]
	[ "$(cat out)" = old ]
	(ulimit -f 4000; fails "temp: File too large.*-T" gsort -u64 -S 1 -o out in)
	[ "$(cat out)" = old ]
}

@test "a full directory is left out, until all are full" {
	unshare -Urm mount -t tmpfs -o size=1m none temp 2>/dev/null || skip "no file system of one's own here"
	gen --seed 58 --keys 1000000 --type u64 >in
	gsort -u64 in >sorted
	gsort -u64 --to=text in >text
	gsort -u64 -m sorted sorted sorted >merged
	gsort --lines text >lines
	mkdir large
	cat >inside <<-'END_OF_SH'
		set -e
		for name in small none full; do mkdir $name && mount -t tmpfs -o size=1m none $name || exit 9; done
		mount -t tmpfs -o size=1m,nr_inodes=1 none none
		! head -c 2M /dev/zero >full/zeros 2>/dev/null
		for dirs in "small large" "large small" "full none large" "none small full large"; do
			for options in "" --compress-program=zstd --parallel=1; do
				options="-S 1 $options -T ${dirs// / -T }"
				gsort -u64 $options in | cmp - sorted
				gsort -u64 -m --batch-size=2 $options sorted sorted sorted | cmp - merged
				gsort --lines $options text | cmp - lines
			done
		done
		says() {	# PATTERN ARGUMENT...
			local status=0 pattern=$1
			shift
			gsort "$@" -S 1 -o out >said 2>&1 || status=$?
			[ $status = 2 ] && [ ! -e out ] && grep -qx "gsort: $pattern" said && [ "$(wc -l <said)" = 1 ] ||
				{ cat said; exit 1; }
		}
		no="No space left on device"
		more="name a directory with more space with -T"
		two="small (0 MiB free), full (0 MiB free): $no"
		says "cannot write a temporary file in $two after . MiB, and . MiB more are needed; $more" \
			-u64 -T small -T full in
		says "cannot write a temporary file in $two after . MiB; $more" --lines -T small -T full text
		says "cannot write a temporary file in $two after . MiB.*; $more" -u64 -m --batch-size=2 -T small -T full \
			sorted sorted sorted
		for kind in -u64 --lines; do
			says "cannot make a temporary file in none: $no; name another directory with -T" $kind -T none in
			says "cannot make a temporary file in none (1 MiB free), none (1 MiB free): $no; name another .*" \
				$kind -T none -T none in
		done
	END_OF_SH
	unshare -Urm bash inside
}

@test "a directory in memory is reported by -vv" {
	local memory=/dev/shm
	[ "$(stat -fc %T $memory 2>/dev/null)" = tmpfs ] || skip "no tmpfs in $memory"
	gen --seed 63 --keys 3000000 --type u64 >in
	gsort -u64 in >expected
	gsort -u64 -S 1 -T $memory -vv in 2>told | cmp - expected
	grep -q "^gsort: temporary files in $memory are kept in memory; name a directory on a disk with -T$" told
	gsort -u64 -S 1 -T $memory in 2>told >out
	[ ! -s told ]
}

@test "-vv says that memory is too little, and that a directory cannot be used but may not be needed" {
	seq 9 >in
	gsort -vv -S 1 in >out 2>told
	grep -qE '^gsort: 0.0 MiB of memory are not enough: gsort uses [0-9.]+$' told
	gsort -vv -S 100M in 2>&1 >out | not grep 'not enough'
	gsort -vv in 2>&1 >out | not grep 'not enough'
	cat in | gsort -vv -S 16M -T nowhere >out 2>told
	grep -qx 'gsort: cannot use nowhere for temporary files: No such file or directory; name another directory with -T; it is needed only if memory is not enough' told
}

@test "SIGKILL at any moment leaves no temporary file, and the output as it was" {
	needs_unnamed_files
	local round
	RANDOM=1
	gen --seed 59 --keys 3000000 --type u64 >in
	gsort -u64 in >expected
	for round in 1 2 3 4 5 6 7 8 9 10; do
		echo old >out
		timeout -s KILL 0.0$((RANDOM % 9 + 1))$((RANDOM % 10)) \
			gsort -u64 -S 1 -o out in || true
		[ "$(head -c 3 out)" = old ] || cmp out expected
		[ -z "$(ls -A temp)" ]
		[ "$(ls -A | tr '\n' ' ')" = "expected in out temp " ]
	done 2>/dev/null
}

@test "a signal at any moment, too" {
	local round
	RANDOM=1
	gen --seed 60 --keys 3000000 --type text --range full >in
	gsort in >expected
	for round in 1 2 3 4 5; do
		echo old >out
		timeout -s INT 0.$((RANDOM % 2))$((RANDOM % 10)) gsort -S 1 -o out in || true
		[ "$(head -c 3 out)" = old ] || cmp out expected
		[ -z "$(ls -A temp)" ]
	done
}

# ---- the plan

@test "--plan: 1 TB in 256 MiB takes two passes" {
	: | gsort -u64 -S 256M --plan=1000G | tee plan
	grep -q "memory .*256.0 MiB" plan
	grep -q "merge .*: 2 passes" plan
	grep -q "disk .*temp: 1000.0 GiB at a time, 1.* TiB written" plan
}

# ---- batches of a GPU

@test "batches of an emulated GPU: in host memory, then on disk" {
	local options
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	export GSORT_EMU_MEMORY=$((64 << 20))
	gen --seed 61 --keys 700007 --type u64 >in		# 5.6 MB do not fit into -S 1
	for options in "" "-r -u" "--batch-size=2"; do
		gsort -u64 $options in >expected
		gsort-emu -u64 -S 1 --device=gpu -Sgpu:2M --debug $options in 2>err | cmp - expected
		grep -q "batches go to temporary files" err
	done
	cat in | gsort-emu -u64 -S 1 --device=gpu -Sgpu:2M | cmp - expected
	gen --seed 62 --keys 500007 --type text --range full >in
	sort -n in >expected
	gsort-emu -S 1 --device=gpu -Sgpu:2M in | cmp - expected
}

@test "-T where no file can be made is found before anything is read, if it is needed" {
	truncate -s 64M in
	fails "/proc" gsort -u64 -S 16M -T /proc -o out in
	[ ! -e out ]
	fails "/proc" gsort -u64 -S 16M -T /proc <in	# found when memory is full, or before
	gsort -u64 -T /proc </dev/null
}
