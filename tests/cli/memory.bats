# SPDX-License-Identifier: BSD-2-Clause
#
# What the man page promises of memory, and more: on the CPU at most twice the input and
# 64 MB, with a GPU that holds the keys at most the input and 512 MB.

# .ci/run also takes 16 threads, make check-slow as well.

load ../helpers

prepare() {
	skips_under_sanitizer "all takes more memory"
}

# on_cpu FILE OPTION...: FILE within twice its size and BESIDE [64] MB, from file and pipe
on_cpu() {
	local file=$1 kib
	shift
	kib=$(($(stat -c %s "$file") / 1024 * 2 + ${BESIDE:-64} * 1000000 / 1024))
	peak_within $kib gsort --device=cpu "$@" -o out "$file"
	mkfifo pipe
	cat "$file" >pipe &
	peak_within $kib gsort --device=cpu "$@" -o out pipe
	rm pipe
}

@test "binary keys: twice the input, from file and pipe" {
	gen --keys 10000000 --type u32 >in
	on_cpu in -u32
	gen --keys 5000000 --type f64 >in
	on_cpu in -rf64
}

@test "binary keys are in memory once, with a tenth, 32 MB, and half of a MB a thread" {
	local threads
	gen --keys 32000000 --type u32 >in		# half of a second copy is more than is allowed
	for threads in 2 ${GSORT_CI:+16} 32; do
		peak_within $((128000000 / 1024 * 11 / 10 + 32000 + threads * 500)) \
			gsort -u32 --device=cpu --parallel=$threads -o out in
	done
	is_sorted out u32
	same_keys in out u32
}

@test "skewed keys and text: within the same bounds, with few threads and many" {
	local threads
	gen --keys 5000000 --type u64 --dist zipf >keys
	gen --keys 12000000 --type text --range full >text
	on_cpu keys -u64
	for threads in ${GSORT_CI:+16} 32; do
		on_cpu keys -u64 --parallel=$threads
		BESIDE=256 on_cpu text --parallel=$threads	# each thread reads text of its own
	done
}

@test "keys of 8 and 16 bits: no memory to speak of, however many" {
	head -c 50000000 /dev/zero >in
	peak_within 37500 gsort -u8 -o out in
	peak_within 37500 gsort -i16 -o out in
}

@test "-S limits figures, samples and tails, too: with less memory than they need they are refused" {
	local options mib
	gen --keys 4000000 --type u64 >in
	for options in --top=1M --sample=1M --histogram=1M '--tail=1M --count'; do
		# shellcheck disable=SC2086
		fails 'MiB of memory are not enough for so many values' gsort -u64 -S 16M -T . $options in
		mib=$(grep -o '[0-9]*M$' fails-err)
		# shellcheck disable=SC2086
		peak_within $((${mib%M} * 1024)) gsort -u64 -S "$mib" -T . $options -o out in
		[ -s out ]
	done
	peak_within 20480 gsort -u64 --device=cpu -S 20M -T . --top=1000 --summary -o out in
	head -c 80000 in >few		# there are no more values than keys
	gsort -u64 --device=cpu -S 16M --top=1M few >out
	[ "$(wc -l <out)" -eq 10000 ]
	gen --keys 700000 --type text >lines
	for options in --top=700000 "--top=300000 -k1,1"; do	# copies of lines take more than a sixteenth of this memory
		# shellcheck disable=SC2086
		fails 'MiB of memory are not enough for so many values' gsort --lines -S 16M -T . $options lines
		mib=$(grep -o '[0-9]*M$' fails-err)
		# shellcheck disable=SC2086
		peak_within $((${mib%M} * 1024)) gsort --lines -S "$mib" -T . $options -o out lines
		[ -s out ]
	done
}

@test "16M is enough for every kind of text and any number of threads" {
	local type threads
	echo 1 >in
	for type in --type=text -g --type=hex --type=ipv4 --type=time; do
		case $type in *ipv4) echo 192.0.2.1 >in;; *time) echo 2026-11-22 >in;; esac
		for threads in 1 2 16; do
			[ "$(gsort $type --parallel=$threads -S 16M --count in | wc -l)" -eq 1 ]
			gsort $type --parallel=$threads -S 16M --count --split=2 -o 'part-%r' in
			gsort $type --parallel=$threads -S 16M -m --count in in >out
		done
	done
}

@test "text: twice the input, also where keys are larger than their lines" {
	yes 7 | head -n 12500000 >in
	on_cpu in
	yes 65536 | head -n 6250000 >in		# the shortest that is sorted, not counted
	on_cpu in
	yes -- -32769 | head -n 5000000 >in
	on_cpu in
	{ yes 65536 | head -n 5000000; echo 18446744073709551615; echo -9223372036854775808; } >in
	on_cpu in -r
	yes 4294967296 | head -n 3000000 >in
	on_cpu in
}

# lines_of FORMAT COUNT: lines with random numbers
lines_of() {
	awk -v format="$1\\n" -v count="$2" 'BEGIN {
		for (x = 7; i < count; i++) {
			x = (x * 1103515245 + 12345) % 2147483648
			printf format, x, x % 7
		}
	}'
}

@test "lines: -S is a limit where keys tie: equal ones, few different ones, long common prefixes" {
	local prefix options
	gen --keys 1500000 --type text | sed 's/$/ same/' >in
	for options in "-s -k2,2" "-u -k2,2" "--count -k2,2" "-k2,2" "-s -k2,2 --verify"; do
		# shellcheck disable=SC2086
		peak_within 20480 gsort -S 20M -T . $options -o out in
	done
	gsort -S 20M -T . -s -k2,2 in | cmp - in		# in the order of the input
	[ "$(gsort -S 20M -T . --count -k2,2 in)" = "1500000  same" ]
	lines_of "%.0s%d,$(printf '%040d')" 1000000 >in
	peak_within 20480 gsort -S 20M -T . -t, -k1,1 -o out in
	prefix=$(printf '%0200d' 0)
	lines_of "$prefix%d" 250000 >in
	peak_within 20480 gsort -S 20M -T . --lines -o out in
	sort in | cmp - out
	peak_within 20480 gsort -S 20M -T . --lines -u -o out in
	sort -u in | cmp - out
}

@test "lines: what is kept of files on disk does not grow with the input, whatever is known of it" {
	local files=15 names
	needs lz4
	[ -z "${GSORT_CI-}" ] || files=40
	lines_of "%d some words %d" 400000 | lz4 -q -B4 >in
	mapfile -t names < <(yes in | head -n $files)
	peak_within 18432 gsort -S 18M -T . --lines --argsort=u64 -o out "${names[@]}"
	[ "$(stat -c %s out)" = $((files * 400000 * 8)) ]
}

@test "long lines: -S is a limit, and what does not fit in it is an error" {
	local bytes
	for bytes in 1000000 10 700000 90000 1500000 700000 800000 1100000; do
		head -c $bytes /dev/zero | tr '\0' y
		echo $bytes
	done >some
	for bytes in 1 2 3 4 5 6; do sed "s/^yy/$bytes/" some; done >in
	for options in --lines "-s -k1,1" "--lines --argsort=u64"; do
		# shellcheck disable=SC2086
		peak_within 24576 gsort -S 24M -T . $options -o out in
	done
	gsort -S 24M -T . --lines in | cmp - <(sort in)
	head -c 20000000 /dev/zero >in
	not peak_within 24576 gsort -S 24M -T . --lines -o out in
	gsort -S 24M -T . --lines -o out in 2>err || [ $? -eq 2 ]
	grep -q "^gsort: a line or record has [0-9]* bytes or more: that needs '--buffer-size=[0-9]*M'" err
	gsort -S 116M --lines in | cmp - <(cat in; echo)
	{ echo; cat in; echo; cat in; } >two		# for the first of equal lines, two stores share memory
	fails "that needs '--buffer-size=" gsort -S 24M -T . --lines -u --keep-order --parallel=16 two
	bytes=$(grep -o '[0-9]*M' fails-err)
	gsort -S "$bytes" -T . --lines -u --keep-order --parallel=16 two | cmp - <(echo; cat in; echo)
}

@test "lines of a set that come from many pipes: -S is a limit" {
	local bytes name names=()
	for name in {1..200}; do mkfifo "p$name" && names+=("p$name"); done
	# feed COUNT FILE: to so many pipes
	feed() { for name in "${names[@]:0:$1}"; do cat "$2" >"$name" 2>/dev/null 3>&- 4>&- & done; }
	for bytes in {1..5}; do
		head -c 240000 /dev/zero | tr '\0' y
		echo "$bytes"
	done >in
	feed 100 in
	peak_within 65536 gsort -S 64M -T . --lines --union -o out "${names[@]:0:100}"
	cmp in out
	wait
	seq 100000 149999 >in
	feed 200 in
	peak_within $((28 << 10)) gsort -S 28M -T . --lines --union -o out "${names[@]}"
	cmp in out
	wait
	head -c 3000000 /dev/zero >in
	feed 40 in
	peak_within 65536 gsort -S 64M -T . --lines --union -o out "${names[@]:0:40}"
	cmp out <(cat in; echo)
	wait
}

@test "large records: -S is a limit" {
	gen --keys 6553600 --type u64 >in		# 50 records of 1 MiB
	for options in "-k bytes8@0" "-k bytes1@3" ""; do
		# shellcheck disable=SC2086
		peak_within 20480 gsort -S 20M -T . --record-size=1M $options --verify -o out in
	done
	head -c 30000000 /dev/zero >in
	peak_within 20480 gsort -S 20M -T . --record-size=100000 -o out in
	cmp out in
}

@test "equal records: in memory once, and little beside" {
	head -c 100000000 /dev/zero >in
	peak_within $((100000000 / 1024 + 14000)) gsort --record-size=100 -k bytes10@0 --parallel=2 -o out in
	cmp in out
}

@test "much larger than -S: what is in temporary files takes little memory" {
	local keys=20000000		# 160 MB, or 480 in .ci/run: 53 or 160 flushes to some hundred buckets
	[ -z "${GSORT_CI-}" ] || keys=60000000
	gen --seed 1 --keys $keys --type u64 >in
	peak_within 10752 gsort --record-size=16 -k u64@0 -S 16M -T . -o out in
	rm in
	gsort -c --record-size=16 -k u64@0 out
}

@test "tiny inputs of a merge take little memory, however many are open" {
	gen --keys 900 --type u64 >in
	gsort -u64 --split=300 -o in-%r in
	gsort -u64 --split=300 --to=text -o text-%r in
	peak_within 50000 gsort -m -u64 -o out in-*
	gsort -u64 in | cmp - out
	peak_within 70000 gsort -m -o out text-*	# 300 readers, each with a batch of its own
	gsort -u64 --to=text in | cmp - out
}

@test "few addresses: fewer threads, or one message" {
	local kib threads status
	gen --keys 100000 --type text >in
	gsort -o expected in
	for kib in 130000 200000 230000 250000 275000 300000 320000 400000 500000 1000000; do
		for threads in 1 3 4 64; do
			status=0
			cat in | (ulimit -v $kib; gsort --parallel=$threads >out 2>err) || status=$?
			echo "$kib KiB, $threads threads: status $status, $(cat err)"
			case $status in
			0) cmp out expected ;;
			2)
				grep -qE "^gsort: only [0-9]+ MiB of address space are available; gsort needs [0-9]+ MiB \(see ulimit -v\)$" err ||
					grep "memory .*are available" err
				[ $kib -lt 400000 ] ;;
			*) false ;;
			esac
		done
	done
}

@test "few addresses: lines lie one behind the other, not in addresses of each thread" {
	skips_under_sanitizer "it takes addresses itself"
	local kib threads
	seq -f '%039.0f' 1000000 >in
	while read -r kib threads; do
		(ulimit -v $kib; gsort --lines -r --parallel=$threads -o out in)
		[ "$(head -n 1 out)" = "$(tail -n 1 in)" ]
		[ "$(stat -c %s out)" = 40000000 ]
	done < <(printf '%s\n' "160000 2" "180000 16" "200000 16" "230000 3" "270000 4" "300000 16" "400000 16")
	cat in in >twice	# threads have no arenas of malloc(3)
	for threads in 3 16; do
		(ulimit -v 250000; gsort --lines -S 100M -r --parallel=$threads -o out twice)
		[ "$(stat -c %s out)" = 80000000 ]
	done
}

# From here on programs read files of the kernel from below the folder kernel, if they are there,
# and see no control groups but those.
other_kernel() {
	needs cc
	not grep -aqE 'lib[at]san\.so' "$GSORT" || skip "a sanitizer comes first"
	cat >preload.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdio.h>
		#include <string.h>
		#include <unistd.h>

		FILE *
		fopen(const char *name, const char *mode)
		{
			FILE *(*next)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
			char path[4300];

			snprintf(path, sizeof path, "kernel%s", name);
			if (access(path, F_OK) == 0 || strncmp(name, "/sys/fs/cgroup", 14) == 0)
				name = path;
			return next(name, mode);
		}
	END
	cc -shared -fPIC -o preload.so preload.c -ldl
	there() { LD_PRELOAD=$PWD/preload.so "$@"; }
}

# says DIR FILE=CONTENT...: the kernel does
says() {
	local what
	mkdir -p "kernel$1"
	for what in "${@:2}"; do printf '%b\n' "${what#*=}" >"kernel$1/${what%%=*}"; done
}

# allows THREADS MIB: what --version -vv says of the machine
allows() {
	there gsort --version -vv >info
	grep -E '^(cpu|memory|-S)' info
	grep -q "^cpu  *$1 thread" info
	grep -q "^-S  *$2 MiB" info
}

@test "control groups of both versions limit memory and threads, as do those above them" {
	local all room=$((600 << 20)) used=$((300 << 20)) cache=$((100 << 20))
	unset OMP_NUM_THREADS OMP_THREAD_LIMIT
	all=$(nproc)
	other_kernel
	says /proc/self cgroup=0::/a/b
	says /sys/fs/cgroup/a memory.max=max memory.current=1000 'cpu.max=50000 100000'
	says /sys/fs/cgroup/a/b memory.max=$room memory.current=$used 'cpu.max=max 100000' \
		"memory.stat=anon 1\ninactive_file $cache"
	allows 1 375.0			# 600 - 300 + 100, 15 of 16
	says /sys/fs/cgroup/a memory.max=$((200 << 20)) memory.current=$((100 << 20))
	allows 1 93.8
	says /sys/fs/cgroup/a memory.max=$((200 << 20)) memory.current=$((300 << 20))
	fails "only 0 MiB of memory are available; gsort needs 16 MiB" there gsort --parallel=1
	rm -r kernel
	says /proc/self 'cgroup=4:memory:/m\n3:cpuacct,cpu:/c\nno group\n7:pids:/p'
	says /sys/fs/cgroup/cpu/c cpu.cfs_quota_us=-1
	says /sys/fs/cgroup/memory/m memory.limit_in_bytes=$room memory.usage_in_bytes=$used \
		"memory.stat=total_inactive_file $cache"
	allows "$all" 375.0
	says /sys/fs/cgroup/cpu/c cpu.cfs_quota_us=100000 cpu.cfs_period_us=100000
	says /sys/fs/cgroup/memory memory.limit_in_bytes=9223372036854771712
	allows 1 375.0
}

@test "what a kernel that promises no more than it has has promised already is heeded" {
	other_kernel
	says /proc/self cgroup=0::/
	says /proc/sys/vm overcommit_memory=2
	says /proc 'meminfo=MemAvailable: 1000000 kB\nCommitLimit: 900000 kB\nCommitted_AS: 490400 kB'
	allows '[0-9]*' 375.0
	says /proc 'meminfo=MemAvailable: 1000000 kB\nCommitLimit: 900000 kB\nCommitted_AS: 900001 kB'
	fails "only 0 MiB of memory are available" there gsort
}

@test "with a GPU: the input and 512 MB" {
	needs_gpu
	gen --keys $((1 << 28)) --type u32 >in
	peak_within $(((1 << 20) + 512000000 / 1024)) gsort -u32 --device=gpu -o out in
	mkfifo pipe
	cat in >pipe &
	peak_within $(((1 << 20) + 512000000 / 1024)) gsort -u32 --device=gpu -o out pipe
}

# refused_until_named OPTION...: refused with -S 16M, with a SIZE that is enough, and kept; a third of it is not enough
refused_until_named() {
	local size
	fails 'need' gsort -S 16M -T . "$@"
	size=$(grep -o '[0-9]*M' fails-err | tail -n 1)
	not gsort -S "$((${size%M} / 3))M" -T . "$@" >out-of-it 2>told		# part of a merge may be written
	grep -q '^gsort: .*need.*[0-9]M' told
	peak_within $((${size%M} * 1024)) gsort -S "$size" -T . "$@" >out-of-it
}

@test "-S holds for skipped bytes, names, headers and files of --split, or they are refused with the SIZE" {
	head -c 40000000 /dev/zero >in
	refused_until_named -u64 --header=20000000 in
	refused_until_named -u64 -m --header=20000000 in
	refused_until_named --record-size=8 --header=20000000 in
	peak_within 16384 gsort -u64 -C -S 16M --header=20000000 in
	printf '1\n' >name
	yes name | head -n 40000 | tr '\n' '\0' >names
	refused_until_named --files0-from=names -o out
	[ "$(wc -l <out)" -eq 40000 ]
	refused_until_named -m --files0-from=names
	refused_until_named -u64 --split=700 in -o 'part%r'
	peak_within 16384 gsort -u64 -S 16M -T . --split=64 -o 'part%r' in
	{ head -c 1000000 /dev/zero | tr '\0' h; printf '\n2\n1\n'; } >in
	refused_until_named --lines --header in -o out
	[ "$(sed 1d out)" = "$(printf '1\n2')" ]
	fails 'the header has [0-9]* bytes or more' gsort --lines --header -C -S 16M in
	{ head -c 11165638 /dev/zero | tr '\0' h; printf '\n2\n1\n'; } >in
	refused_until_named --lines --header --argsort=u32 in -o out
	[ "$(stat -c %s out)" -eq 8 ]
}

@test "-c of lines keeps to -S; the SIZE named for a long line of a file is enough at once" {
	local options
	{ head -c 20000000 /dev/zero | tr '\0' a; echo; head -c 20000000 /dev/zero | tr '\0' b; echo; } >in
	for options in --lines '-k1,1 -u' '--lines -m' '--lines --argsort=u32'; do
		# shellcheck disable=SC2086
		refused_until_named $options in
	done
	refused_until_named --lines -C in
	sed 's/$/,5/' in >rows
	refused_until_named --csv -k2,2n --quantiles=1 rows
	printf '%0100000d\n' {1..60} >rows
	refused_until_named --lines --top=60 rows
	for options in 1 2 3 4 5 6 7 8; do head -c 2000000 /dev/zero | tr '\0' "$options"; echo; done >in
	peak_within 20480 gsort --lines -C -S 20M in
	peak_within 20480 gsort --csv -C -S 20M in
}

@test "--plan counts keys, not headers and skipped bytes" {
	head -c 148 /dev/zero >in
	gsort -u32 --header=128 --plan in | grep -q '148 bytes: 5 keys$'
	gsort -u32 --header=128 --plan=json in in | grep -q '"keys":10,'
	gsort --record-size=4 --header=128 --plan in | grep -q '148 bytes: 5 records$'
	[ "$(gsort -u32 --header=200 --plan=json in | grep -c '"keys":0,')" -eq 1 ]
}

# on_small_stack COMMAND...: it works with a stack of 64 KiB, of its threads, too
on_small_stack() {
	echo "$*"
	(ulimit -s 64; "$@") >out
}

@test "a stack of 64 KiB is enough for every kind of job" {
	local options
	skips_under_sanitizer "all frames are larger"
	gen --keys 1000000 --type u64 >in
	gsort -u64 --to=text in >text
	gsort --lines text >lines
	for options in '' '-S 16M -T .' --parallel=1 '--to=text --count' '--split=8 -o part%r' --tail=9 \
	               '--top=9 --to=json' --quantiles=0.5 --header=80000 '--record-size=16 -k u64@0' \
	               '--record-size=16 --header=16' --argsort=u64 --plan=json; do
		case $options in *--record*) ;; *) options="-u64 $options" ;; esac
		# shellcheck disable=SC2086
		on_small_stack gsort $options in
	done
	for options in 3 4 7 8; do	# many keys side by side, in one bin among others
		gen --seed $options --keys 253500 --type u32 >clump
		awk -v seed=$options 'BEGIN {
			srand(seed)
			for (i = 0; i < 6500; i++) print 1500000000 + int(rand() * 65536)
		}' | gsort --to=u32 >>clump
		on_small_stack gsort -u32 clump
		on_small_stack gsort -u32 --parallel=1 clump
	done
	gsort -u64 -o in in
	for options in --check=summary -m -u; do
		on_small_stack gsort -u64 $options in
	done
	on_small_stack gsort -C --record-size=8 -k u64@0 in
	for options in '' '-k1,1n -s' -c -m '--union text' '--lines --union text' '--csv -k1' '-k1,1g' --argsort=u32 --invalid=warn; do
		# shellcheck disable=SC2086
		on_small_stack gsort $options text
	done
	on_small_stack gsort --lines -C lines
	on_small_stack gsort --lines -m lines
	on_small_stack gsort --version=json
	for options in gzip xz bzip2 lz4 zstd; do
		command -v $options >/dev/null || continue
		head -n 50000 text | $options -c >text.z
		on_small_stack gsort text.z
	done
}

@test "decompression has its part of -S, and what one input took is given back before the next" {
	local options
	needs lz4
	gen --keys 600000 --type text | lz4 -q -B7 >text.lz4	# blocks of 4 MiB
	for options in '-S 18M' '-S 20M --count' '-S 18M --lines'; do
		# shellcheck disable=SC2086
		peak_within $((${options:3:2} * 1024)) gsort $options -T . -o out text.lz4 text.lz4 text.lz4
	done
	{ echo b; head -c 2M /dev/zero | tr '\0' z; printf '\na\n'; } | lz4 -q >long.lz4
	fails "that needs '--buffer-size=" gsort -S 31M --lines --argsort=u32 long.lz4
	options=$(grep -o -e '--buffer-size=[0-9]*M' fails-err)
	peak_within $((${options//[!0-9]/} * 1024)) gsort "$options" --lines --argsort=u32 -o out long.lz4
}

@test "jobs of all kinds, drawn: -S is the peak of the process, or the job is refused with the SIZE" {
	local seed=${LIMITS_SEED:-7} jobs=${LIMITS_JOBS:-${GSORT_SLOW:+2000}} most=${GSORT_SLOW:+100}
	jobs=${jobs:-${GSORT_CI:+40}}
	needs python3
	skips_under_sanitizer "all takes more memory"
	PATH=$GSORT_BUILD:$GSORT_BUILD/tests/tools:$PATH \
		python3 "$GSORT_SOURCE/tests/tools/limits.py" "$seed" "${jobs:-15}" "${most:-8}"
}
