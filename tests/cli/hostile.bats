# SPDX-License-Identifier: BSD-2-Clause
# Input, files and surroundings made to do harm.  Each must end soon, within the memory that
# was allowed, and either with the right output or with one line and status 2.

load ../helpers

# A preloaded library: before the read number MEDDLE_AT, counted from 1, of at least 1000 bytes,
# the shell runs MEDDLE.  With NO_TMPFILE there are no unnamed files; names with ".gsort." are
# written with their modes to PLACES, and instead of the first three of them a link to PLANT is
# made.
setup_file() {
	command -v cc >/dev/null || return 0
	file_folder
	cat >"$BATS_FILE_TMPDIR/meddle.c" <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <fcntl.h>
		#include <stdarg.h>
		#include <stdatomic.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>

		static void
		meddle(size_t bytes)
		{
			static atomic_int reads;
			const char *at = getenv("MEDDLE_AT");

			if (at == NULL || bytes < 1000 || atomic_fetch_add(&reads, 1) + 1 != atoi(at))
				return;
			unsetenv("LD_PRELOAD");
			if (system(getenv("MEDDLE")) != 0)
				abort();
		}

		ssize_t
		read(int fd, void *to, size_t bytes)
		{
			ssize_t (*next)(int, void *, size_t) =
				(ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");

			meddle(bytes);
			return next(fd, to, bytes);
		}

		ssize_t
		pread(int fd, void *to, size_t bytes, off_t offset)
		{
			ssize_t (*next)(int, void *, size_t, off_t) =
				(ssize_t (*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");

			meddle(bytes);
			return next(fd, to, bytes, offset);
		}

		static void
		plant(const char *name, int mode)
		{
			static atomic_int plants;
			FILE *told = fopen(getenv("PLACES"), "a");

			fprintf(told, "%o\n", mode);
			fclose(told);
			if (atomic_fetch_add(&plants, 1) < 3 && symlink(getenv("PLANT"), name) != 0)
				abort();
		}

		int
		open(const char *name, int flags, ...)
		{
			int (*next)(const char *, int, ...) =
				(int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
			va_list args;
			mode_t mode;

			va_start(args, flags);
			mode = va_arg(args, mode_t);
			va_end(args);
			if (getenv("NO_TMPFILE") != NULL && (flags & O_TMPFILE) == O_TMPFILE) {
				errno = EOPNOTSUPP;
				return -1;
			}
			if (getenv("PLANT") != NULL && strstr(name, "/.gsort.") != NULL)
				plant(name, mode);
			return next(name, flags, mode);
		}

		int
		linkat(int from, const char *old, int to, const char *name, int flags)
		{
			int (*next)(int, const char *, int, const char *, int) =
				(int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT, "linkat");

			if (getenv("PLANT") != NULL && strstr(name, "/.gsort.") != NULL)
				plant(name, 0);
			return next(from, old, to, name, flags);
		}
	END
	cc -shared -fPIC -o "$BATS_FILE_TMPDIR/meddle.so" "$BATS_FILE_TMPDIR/meddle.c" -ldl
}

prepare() {
	export LC_ALL=C
}

# meddled COMMAND...: with what is preloaded
meddled() {
	[ -z "${ASAN_OPTIONS:-}${TSAN_OPTIONS:-}" ] || skip "the sanitizer wants to come first"
	needs cc
	PRELOAD=$BATS_FILE_TMPDIR/meddle.so "$@"
}

# bounded MIB STATUS COMMAND...: ends within a minute with that status, or any of 0 and 2 if it
# is "-", and within so much memory; standard output to out, and if it fails one line to err
bounded() {
	local mib=$1 wanted=$2 status=0 seconds=60 peak told
	shift 2
	not is_sanitized || seconds=600
	measure took timeout $seconds ${PRELOAD:+env "LD_PRELOAD=$PRELOAD"} "$@" >out 2>err || status=$?
	read -r _ peak _ <took
	IFS= read -r -N 300 -d '' told <err || true
	echo "status $status, $((peak >> 10)) MiB of $mib: $* ($told)"
	[ "$status" = "$wanted" ] || [[ $wanted = - && $status = [02] ]] || return 1
	[ $status -ne 2 ] || [ "$(wc -l <err)" = 1 ] || return 1
	[ "$peak" -le $((mib << 10)) ] || [ -n "${ASAN_OPTIONS:-}${TSAN_OPTIONS:-}" ]
}

# says SENTENCE: the one line of what ran last
says() {
	[ "$(cat err)" = "gsort: $1" ] || { cat err; return 1; }
}

# --- bombs -----------------------------------------------------------------------

# tenfold TIMES FILE: ten times the file, so many times
tenfold() {
	local times
	for ((times = $1; times > 0; times--)); do
		cat "$2" "$2" "$2" "$2" "$2" "$2" "$2" "$2" "$2" "$2" >"$2.ten"
		mv "$2.ten" "$2"
	done
}

# pile TIMES FILE: so many of it, one behind the other
pile() {
	local times
	for ((times = $1; times > 0; times--)); do cat "$2"; done
}

# zeros TIMES: bomb.SUFFIX, of each format, with so many times 64 MiB of zeros
zeros() {
	head -c 64M /dev/zero >zeros
	gzip -1c zeros >one && pile "$1" one >bomb.gz
	zstd -qc zeros >one && pile "$1" one >bomb.zst
	xz -0c zeros >one && pile "$1" one >bomb.xz
	lz4 -qc zeros >one && pile "$1" one >bomb.lz4
	bzip2 -c zeros >one && pile "$1" one >bomb.bz2
	rm zeros one
}

@test "zeros without end: counted, cut off by the disk, or no number" {
	needs gzip zstd xz lz4 bzip2
	local times=1

	[ -z "${GSORT_SLOW:-}" ] || times=128		# 8 GiB
	zeros $times
	for bomb in bomb.*; do
		bounded 34 0 gsort -u8 -S 32M --unique "$bomb"
		[ "$(wc -c <out)" = 1 ]
		# not even a run fits
		bounded 34 2 bash -c "ulimit -f 9000; exec gsort -u64 -S 32M -T . $bomb"
		grep -q '^gsort: cannot write a temporary file in .: File too large after [0-9]* MiB; name' err
		bounded 34 0 gsort -u64 -S 32M --head=2 "$bomb"
		[ "$(wc -c <out)" = 16 ]
		bounded 34 2 gsort -S 32M "$bomb"
		says "$bomb:1: line longer than 4095 bytes; binary keys need a type, such as -u32"
		bounded 34 2 bash -c "cat $bomb | gsort -S 32M"
		says "-:1: line longer than 4095 bytes; binary keys need a type, such as -u32"
	done
	rm bomb.*
}

@test "compressed twice is decompressed once" {
	needs gzip
	seq 3 | gzip | gzip >in.gz
	bounded 64 2 gsort in.gz
	grep -q '^gsort: in.gz:1: not a number' err
	zcat in.gz >once
	bounded 64 0 gsort -u8 in.gz
	same_keys once out u8
}

@test "a window larger than a quarter of -S is refused, however small the file" {
	needs zstd xz base64
	# a frame that claims 2 GiB and holds nothing, by itself and behind 300 kB of a good one
	printf '\050\265\057\375\0\250\001\0\0' >claims.zst
	{ seq 50000 | zstd -q; cat claims.zst; } >behind.zst
	seq 100000 | zstd -q --long=31 -1 -c >long.zst
	# two lines, with a dictionary of 4 GiB
	base64 -d >claims.xz <<</Td6WFoAAAFpIt42AgAhASgAAADmoBGzAQADMgoxCgBMhHlQAAEYBGvp8KWQQpkNAQAAAAABWVo=
	for file in claims.zst behind.zst long.zst claims.xz; do
		for threads in 1 4; do
			bounded 66 2 gsort -S 64M --parallel=$threads $file
			says "$file: to decompress it takes more than the 16 MiB of memory that are left for that; use a larger -S, or decompress it first"
			bounded 66 2 bash -c "cat $file | gsort -S 64M --parallel=$threads"
			bounded 66 2 gsort -c -S 64M --parallel=$threads $file
			bounded 66 2 gsort -m -S 64M --parallel=$threads $file $file
		done
	done
	# what xz -6 and zstd -19 write is never refused
	seq 9 | xz -6 >small.xz
	seq 9 | zstd -q -19 >small.zst
	bounded 32 0 gsort -S 16M small.xz small.zst
	[ "$(wc -l <out)" = 18 ]
	bounded 64 0 gsort -m -S 16M small.xz small.zst
	# and what is allowed is: the same with more memory
	bounded 100 0 gsort -S 9G claims.zst
	bounded 100 0 gsort -S 20G claims.xz
	[ "$(cat out)" = "$(printf '1\n2')" ]
}

@test "a window is memory of -S" {
	needs zstd
	yes 3 | head -c 140M | zstd -q --long=27 --zstd=wlog=27 -c >in.zst
	bounded 66 2 gsort -S 64M in.zst
	bounded 600 0 gsort -S 600M in.zst -o sorted
	gen --keys 12000000 --type u32 | zstd -q --fast=9 --long=24 -c >in.zst
	bounded 66 0 gsort -u32 -S 64M -T . in.zst -o sorted
	is_sorted sorted u32
}

@test "empty members by the hundred thousand" {
	needs gzip bzip2 xz zstd lz4
	for suffix in gz bz2 xz zst lz4; do
		case $suffix in
		gz) gzip -nc ;; bz2) bzip2 -c ;; xz) xz -c ;; zst) zstd -qc ;; lz4) lz4 -qc ;;
		esac </dev/null >many.$suffix
		tenfold 5 many.$suffix
		bounded 48 0 gsort -S 64M -u8 many.$suffix
		[ ! -s out ]
		{ cat many.$suffix; echo 1; } >bad.$suffix
		bounded 48 2 gsort -S 64M -u8 bad.$suffix
	done
	printf '\120\052\115\030\0\0\0\0' >many.zst		# a frame of zstd to be skipped
	tenfold 5 many.zst
	bounded 48 0 gsort -S 1G -u8 --parallel=4 many.zst
	[ ! -s out ]
}

@test "headers that claim impossible sizes" {
	needs base64
	# zstd: content of 2^60 bytes in one segment; two empty frames of blocks without end
	printf '\050\265\057\375\340\0\0\0\0\0\0\0\020\1\0\0' >claims.zst
	bounded 32 2 gsort -S 64M -u8 claims.zst
	printf '\050\265\057\375\340\0\0\0\0\0\0\0\020\1\0\0' | bounded 32 2 gsort
	says "-: corrupt zstd data: Frame requires too much memory for decoding"
	# xz: a block of 2^61 bytes that becomes 2^62; an index of 2^63 - 1 blocks
	base64 -d >block.xz <<-'END'
		/Td6WFoAAAFpIt42BsCAgICAgICAgCCAgICAgICAgEAhARIA7jgvkQEAAzIKMQoATIR5UAABKASY37Z6kEKZDQEAAAAAAVla
	END
	base64 -d >index.xz <<<'/Td6WFoAAAFpIt42AP//////////fwAAkIeT0pvjUUADAAAAAAFZWg=='
	for file in block.xz index.xz; do
		for threads in 1 4; do
			bounded 32 2 gsort -S 64M --parallel=$threads $file
			says "$file: corrupt xz data: damaged, or garbage after it"
		done
	done
	# lz4: a block of 2 GiB; bgzf: a member of 64 KiB, in 30 bytes
	printf '\4\042\115\030\140\160\163\377\377\377\177x' >block.lz4
	bounded 32 2 gsort -S 64M -u8 block.lz4
	printf '\037\213\010\4\0\0\0\0\0\377\6\0BC\2\0\377\377\3\0\0\0\0\0\0\0\0\0' >block.gz
	bounded 32 0 gsort -S 64M -u8 --parallel=4 block.gz
	[ ! -s out ]
}

# count_reads: into $reads, the calls to read(2) and the like, of this shell and all that it
# has waited for
count_reads() {
	local io=/proc/$BASHPID/io
	[ -r "$io" ] || skip "no /proc/PID/io"
	reads=$(sed -n 's/^syscr: //p' "$io")
}

@test "a hole behind a header of zstd is not walked through in vain" {
	printf '\050\265\057\375\0\070' >hole.zst	# what follows are empty blocks
	truncate -s 40M hole.zst
	local before reads
	count_reads
	before=$reads
	bounded 66 2 gsort -S 1G -u8 --parallel=4 hole.zst
	says "hole.zst: truncated zstd data"
	count_reads
	[ $((reads - before)) -gt 10 ]
	[ $((reads - before)) -lt 100000 ]		# and not 14 million
}

# --- archives, and what looks like them --------------------------------------------

@test "archives are not input: not opened, by themselves or in a compressed file" {
	needs tar gzip bzip2 lz4
	seq 9 >1
	tar cf tar 1
	printf '070707000000000000000000000000000000000000000000000000000000000000000000001\n' >cpio
	printf '#mtree\n./1 type=file\n' >mtree
	printf '!<arch>\n1/              0           0     0     644     4         `\n1\n2\n' >ar
	printf 'PK\3\4\12\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\2\0\0\0\1\0\0\0001\061\n' >zip
	for archive in tar cpio mtree ar zip; do
		for tool in cat gzip bzip2 lz4; do
			$tool <$archive >in
			bounded 64 2 gsort in
			case $archive in
			tar | zip) grep -q "^gsort: in: a $archive archive, not a file of numbers" err ;;
			*) grep -qE '^gsort: in:1: (not a number|out of range)' err ;;
			esac
			bounded 64 0 gsort -u8 --force --decompress=${tool/cat/none} in
			same_keys $archive out u8
		done
	done
}

@test "binary keys may begin like compressed data, in a file or a pipe" {
	for magic in '\037\213\010\0' 'BZh9' '\3757zX' '\050\265\057\375' '\004\042\115\030' '\120\052\115\030'; do
		# eight bytes that no header has; of random ones one file in 75 is a frame of zstd
		{ printf "$magic"; printf '\377%.0s' 1 2 3 4 5 6 7 8; gen --keys 4084 --type u8; } >keys
		for type in u8 u16 u32 u64 f64; do
			bounded 64 0 gsort --type=$type keys
			same_keys keys out $type
			bounded 64 0 bash -c "cat keys | gsort --type=$type"
			same_keys keys out $type
			bounded 64 0 gsort --type=$type - <keys
			same_keys keys out $type
		done
	done
	# only the name says otherwise, and then --decompress has the last word
	cp keys keys.zst
	bounded 64 - gsort -u32 keys.zst
	bounded 64 0 gsort -u32 --decompress=none keys.zst
	same_keys keys out u32
}

# --- lines -----------------------------------------------------------------------

@test "a line without an end: soon, and by its number" {
	local bytes='head -c 80M /dev/zero'
	[ -z "${GSORT_SLOW:-}" ] || bytes='head -c 4G /dev/zero'
	for char in '\0' 7 0 ' ' -; do
		for option in --type=int --type=float -c -m; do
			bounded 66 2 bash -c "{ echo 5; $bytes | tr '\\0' '$char'; } | gsort -S 64M $option"
			says "-:2: line longer than 4095 bytes"
		done
		bounded 66 0 bash -c "{ echo 5; $bytes | tr '\\0' '$char'; } | gsort -S 64M --invalid=ignore"
		[ "$(cat out)" = 5 ]
		bounded 66 2 bash -c "{ echo 5; $bytes | tr '\\0' '$char'; } | gsort -S 64M --header=2"
		says "-: the header of 2 lines is longer than 1048576 bytes"
	done
}

@test "numbers as long as a line may be" {
	{ head -c 4094 /dev/zero | tr '\0' 0; echo 7; } >in
	bounded 64 0 gsort in
	[ "$(cat out)" = 7 ]
	{ printf 0.; head -c 4093 /dev/zero | tr '\0' 5; echo; } >in
	bounded 64 0 gsort --type=float in
	[ "$(cat out)" = 0.5555555555555556 ]
	{ printf 1; head -c 4000 /dev/zero | tr '\0' 0; echo e-4000; } >in
	bounded 64 0 gsort --type=float in
	[ "$(cat out)" = 1 ]
	echo 1e999999999999999999999 >in
	bounded 64 0 gsort --type=float in
	[ "$(cat out)" = inf ]
}

# --- sizes ------------------------------------------------------------------------

@test "a hint of any size reserves nothing and changes no output" {
	fails 'a size of the input' gsort -n --plan=-0
	fails 'a size of the input' gsort -n --progress=-0
	for hint in 1 1T 1099511627776 4E 4611686018427387904 9223372036854775807 15E 18446744073709551614; do
		for type in -n -u8 -u64; do
			bounded 64 0 gsort $type --plan=$hint </dev/null
			bounded 64 0 bash -c "printf '15\\n14\\n13\\n1234567' | gsort $type --progress=$hint"
			[ -s out ]
		done
	done
	bounded 64 0 gsort -S 64M --plan=15E </dev/null
	grep ' 6.0 EiB at a time, 16.0 EiB written in all' out	# as much as 64 bits hold
}

@test "a file of 2^40 bytes: planned at once, and ended by the disk" {
	truncate -s 1T hole || skip "no such holes here"
	bounded 64 0 gsort -u64 -S 64M -T . --plan hole
	grep -q '^input    1.0 TiB: 137438953472 keys' out
	grep -q 'NOT ENOUGH' out
	bounded 66 2 bash -c 'ulimit -f 20000; exec gsort -u64 -S 64M -T . hole'
	grep -q 'File too large after [0-9]* MiB, and 10[0-9]* MiB more are needed; name a directory' err
	bounded 66 2 gsort -S 64M hole
	says "hole:1: line longer than 4095 bytes; binary keys need a type, such as -u32"
	bounded 66 2 gsort -u64 --header=3 -S 64M -o no/out hole
	says "open failed: no/out: No such file or directory"
}

@test "a hundred thousand names; and names without end" {
	seq 3 >in
	yes in | head -n 100000 | tr '\n' '\0' >names
	bounded 100 0 gsort -u --files0-from=names
	[ "$(cat out)" = "$(seq 3)" ]
	bounded 100 0 bash -c 'yes in | head -n 20000 | xargs -n 20000 gsort -u'
	[ "$(cat out)" = "$(seq 3)" ]
	bounded 32 2 gsort --files0-from=/dev/zero
	bounded 32 2 bash -c "yes | tr -d '\\n' | gsort --files0-from=-"
	says "-:1: file name longer than 4095 bytes; a NUL must end each name"
	bounded 300 2 bash -c "yes a | tr '\\n' '\\0' | gsort --files0-from=-"
	says "-: more than 256 MiB of file names"
}

# --- files that change ----------------------------------------------------------------

@test "an input that is cut, grows, changes or goes while it is read" {
	gen --keys 600000 --type u32 >keys
	gen --keys 150000 --type text >text
	gsort -u32 keys >keys.sorted
	gsort text >text.sorted
	for kind in keys text; do
		type=$([ $kind = keys ] && echo -u32 || echo -n)
		for threads in 1 2; do
			for what in 'truncate -s 0 in' 'truncate -s 1002 in' 'truncate -s 1000000 in' \
				"cat $kind >>in" "cat $kind.sorted >in" 'head -c 1000003 /dev/zero >>in' \
				'rm in' 'rm in; mkdir in' 'echo 5 >new; mv new in'; do
				for at in 1 $((1 + threads)) 6; do
					rm -rf in
					cp $kind in
					MEDDLE=$what MEDDLE_AT=$at \
						meddled bounded 400 - gsort $type --parallel=$threads in
					if [ -s err ]; then
						grep -q '^gsort: in' err
					elif [ $kind = keys ]; then
						is_sorted out u32
					else
						gsort -C out
					fi
					case $what in	# what was open is what is read
					rm* | echo*)
						[ ! -s err ]
						cmp out $kind.sorted ;;
					esac
				done
			done
		done
	done
}

@test "an output that is taken away, or replaced by something else, meanwhile" {
	gen --keys 500000 --type u32 >in
	gsort -u32 in >sorted
	for before in 'echo old >d/out' ':'; do
		for what in 'ln -sfn ../victim d/out' 'rm -f d/out' 'echo new >d/out' 'chmod 444 d/out || :'; do
			rm -rf d victim
			mkdir d
			echo victim >victim
			eval "$before"
			MEDDLE=$what MEDDLE_AT=2 meddled bounded 100 0 gsort -u32 --parallel=1 -o d/out in
			cmp d/out sorted		# and no link
			[ ! -L d/out ]
			[ "$(cat victim)" = victim ]
			[ "$(ls -A d)" = out ]
		done
		rm -rf d
		mkdir d
		eval "$before"
		MEDDLE='rm -f d/out; mkdir d/out' MEDDLE_AT=2 \
			meddled bounded 100 2 gsort -u32 --parallel=1 -o d/out in
		grep -q '^gsort: cannot replace d/out: ' err
		[ "$(ls -A d)" = out ]
		rm -rf d
		mkdir d
		eval "$before"
		MEDDLE='rm -r d' MEDDLE_AT=2 meddled bounded 100 2 gsort -u32 --parallel=1 -o d/out in
		says "cannot replace d/out: No such file or directory"
	done
}

@test "an input that is the output, by whatever name" {
	for way in 'gsort -o in in' 'gsort -o link in' 'gsort -o hard in' 'gsort -o in hard' \
		'gsort -o /dev/stdin in <in' 'gsort -o /proc/self/fd/0 - <in' 'gsort in 1<>in' \
		'gsort --in-place -o in in' 'gsort --in-place -o ./link in' 'gsort -o "$PWD/in" - <in' \
		'gsort -m --force -o in in' 'gsort -S 16M -o in in'; do
		rm -f in link hard
		printf '3\n1\n2\n' >in
		ln -s in link
		[[ $way != *hard* ]] || ln in hard
		echo "$way"
		case $way in
		*-m*) printf '1\n2\n3\n' >in ;;
		esac
		bash -c "$way"
		[ "$(cat in)" = "$(seq 3)" ]
		[ -L link ]
	done
}

@test "sockets, devices and pipes where a file should be" {
	needs python3
	python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'
	bounded 64 2 gsort sock
	says "cannot read: sock: No such device or address"
	echo 1 >in
	bounded 64 2 gsort in -o sock
	says "open failed: sock: No such device or address"
	[ -S sock ]
	bounded 64 0 gsort -o /dev/null in /dev/null
	bounded 64 2 gsort -o /dev/full in
	mkfifo pipe
	gsort -o pipe in & cat pipe >out
	wait $!
	[ "$(cat out)" = 1 ]
	[ -p pipe ]
	python3 -c '
import socket, subprocess, sys
a, b = socket.socketpair()
b.sendall(b"3\n1\n"); b.shutdown(socket.SHUT_WR)
subprocess.run(["gsort"], stdin=a, stdout=a, check=True)
a.close()
a, told = socket.socketpair(type=socket.SOCK_DGRAM)		# a report is one write
subprocess.run(["gsort", "--verbose=json", "in", "-o", "out"], stderr=a, check=True)
sys.exit(b.recv(100) != b"1\n3\n" or told.recv(10000)[-2:] != b"}\n")'
}

# --- temporary files and hidden names ----------------------------------------------------

@test "without unnamed files, planted links are not followed, and no other user can read" {
	gen --keys 100000 --type u32 >in
	gsort -u32 in >sorted
	for tmpfile in '' NO_TMPFILE=1; do
		for before in 'echo old >out; chmod 600 out' 'rm -f out'; do
			rm -f places .gsort.*
			echo victim >victim
			eval "$before"
			meddled bounded 64 0 env $tmpfile PLACES=places PLANT=victim gsort -u32 -o out in
			cmp out sorted
			[ ! -L out ]
			[ "$(cat victim)" = victim ]
			if [ -e places ]; then		# it was tried, and the first three were links
				[ "$(wc -l <places)" = 4 ]
				[ "$(find . -name '.gsort.*' -type l | wc -l)" = 3 ]
				[ "$(find . -name '.gsort.*' | wc -l)" = 3 ]
			else
				[ "$tmpfile$before" = 'rm -f out' ]
			fi
			if [ -n "$tmpfile" ] && [[ $before = echo* ]]; then
				[ "$(sort -u places)" = 600 ]	# from its first moment
			fi
			[[ $before != echo* ]] || [ "$(stat -c %a out)" = 600 ]
		done
	done
}

# temporary DIR COMMAND...: while it runs, a temporary file of it in DIR has no name and is
# only its user's
temporary() {
	local dir=$1 file
	shift
	mkfifo fifo
	env ${PRELOAD:+"LD_PRELOAD=$PRELOAD"} "$@" <fifo >out &
	exec 9>fifo
	cat keys >&9
	eventually has_open $! "$dir/*(deleted)"
	file=$(find "/proc/$!/fd" -lname "$dir/*(deleted)" | head -n 1)
	[ "$(stat -Lc %a "$file")" = 600 ]
	[ "$(stat -Lc %h "$file")" = 0 ]
	[ -z "$(ls -A "$dir")" ]
	exec 9>&-
	wait $!
	rm fifo
	is_sorted out u64
	same_keys keys out u64
}

@test "temporary files have no name and no other readers, with any umask and any TMPDIR" {
	gen --keys 4000000 --type u64 >keys
	mkdir -m 777 open
	ln -s open link
	mkdir "$(printf 'new\nline')"
	umask 0
	temporary "$PWD/open" gsort -u64 -S 16M -T open
	umask 022
	TMPDIR=$PWD/link temporary "$PWD/open" gsort -u64 -S 16M
	TMPDIR=open temporary "$PWD/open" gsort -u64 -S 16M
	TMPDIR=$(printf 'new\nline') temporary "$PWD/$(printf 'new\nline')" gsort -u64 -S 16M
	NO_TMPFILE=1 meddled temporary "$PWD/open" gsort -u64 -S 16M -T open
}

@test "a TMPDIR that is not a directory is named, in one line" {
	for dir in /nonexistent /dev/null "$(printf 'no\n\033[2Jsuch')" "$(head -c 5000 /dev/zero | tr '\0' x)"; do
		TMPDIR=$dir bounded 64 2 gsort -u64 -S 16M - < <(head -c 64M /dev/zero)
		grep -q "^gsort: cannot use .* for temporary files: \(No such\|Not a\|File name too long\).*-T$" err
		not grep -q $'\033' err
		printf '2\n1\n' >in		# known to be small: nobody's business
		TMPDIR=$dir bounded 64 0 gsort in
	done
}

# --- surroundings ------------------------------------------------------------------------

@test "no environment changes a result" {
	gen --keys 100000 --type text >in
	gsort in >expected
	printf '10\n2.5\n1e1\n' >floats
	gsort -g floats >floats.expected
	for value in '' -1 0 x 1e9 99999999999999999999 4,2 $'\n' $'\033[2J' 1.5 '%s%n' ' 3'; do
		set --
		for name in OMP_NUM_THREADS OMP_THREAD_LIMIT COLUMNS LINES TERM NO_COLOR LC_ALL LC_NUMERIC \
			LANG LANGUAGE GSORT_DEVICE GSORT_OPTIONS CUDA_VISIBLE_DEVICES \
			CUDA_DEVICE_MAX_CONNECTIONS POSIXLY_CORRECT MALLOC_ARENA_MAX TZ HOME XZ_OPT XZ_DEFAULTS ZSTD_CLEVEL ZSTD_NBTHREADS GZIP; do
			set -- "$@" "$name=$value"
		done
		env "$@" "$GSORT" -q in | cmp - expected
		env "$@" "$GSORT" -q --progress=always -g floats | cmp - floats.expected
	done
	env -i "$GSORT" in | cmp - expected
	not grep -q $'\033' <(GSORT_DEVICE=$'\033[2J' gsort in 2>&1 >/dev/null)
}

@test "a program that has set a locale with a decimal comma reads and prints points" {
	needs cc localedef
	[ -e "$GSORT_BUILD/libgsort.a" ] && [ -e "$GSORT_BUILD/Makefile" ] || skip "no library"
	printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n' >source
	mkdir locales
	localedef -c -i ./source locales/comma >/dev/null 2>&1 || true
	[ -e locales/comma/LC_NUMERIC ] || skip "localedef makes no locale"
	cat >host.c <<-'END'
		#include <gsort.h>
		#include <locale.h>
		#include <stdio.h>

		int
		main(void)
		{
			const struct gsort_options options = { .struct_size = sizeof options,
			                                       .type = GSORT_TEXT_FLOAT };
			gsort *job;

			setlocale(LC_NUMERIC, "comma");
			if (printf("%.1f\n", 0.5) < 0 || fflush(stdout) != 0 ||
			    gsort_open(&job, &options) != GSORT_OK ||
			    gsort_run(job) != GSORT_OK)
				return 1;
			gsort_close(job);
			return 0;
		}
	END
	# shellcheck disable=SC2046
	$(compiler) -o host host.c $(library_flags)
	# the last three are left to strtod(3)
	printf '1e3\n2.5\n-1234567.875\n0x1.8p1\n3.00000000000000000000000000000000000000001\n1.7976931348623157e308\n' |
		LOCPATH=$PWD/locales ./host >out
	[ "$(head -n 1 out)" = 0,5 ]		# the locale is in force
	printf '%s\n' -1234567.875 2.5 3 3 1000 1.7976931348623157e+308 | cmp - <(tail -n +2 out)
	printf '2,5\n' | not env LOCPATH="$PWD/locales" ./host >/dev/null
}

@test "whatever of 0, 1 and 2 is closed, nothing goes where it should not" {
	local closed
	for closed in '0<&-' '1>&-' '2>&-' '0<&- 1>&-' '0<&- 2>&-' '1>&- 2>&-' '0<&- 1>&- 2>&-'; do
		for options in '-o out in' 'in -S 16M -o out' '-o out -S 16M nothing' '-m in -o out' \
			'-u3 in' '-v --verbose=json in -o out'; do
			rm -f out
			seq 100000 >in
			cp in copy
			echo "$closed: $options"
			bash -c "exec gsort $options $closed" >/dev/null 2>&1 || [ $? = 2 ]
			cmp in copy
			if [ -e out ]; then
				sort -n in | cmp - out
			fi
		done
	done
}

@test "few descriptors: the right output, or one line" {
	skips_under_sanitizer "who looks for leaks needs descriptors"
	seq 100000 >in
	seq 3 | gzip >in.gz
	yes in | head -n 50 | tr '\n' '\0' >names
	for limit in 4 5 6 7 9 12 20; do
		for options in in '-S 16M -T . -u64' '-m in in in' 'in.gz' '-c in' '--files0-from=names'; do
			case $options in
			*u64) head -c 8000000 /dev/zero ;; *) : ;;
			esac >from
			rm -f out sorted
			bash -c "exec 3>&- 4>&- 5>&- 6>&-; ulimit -n $limit; exec gsort $options" <from >out 2>err ||
				{ [ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q '^gsort: ' err; }
			if [ -s out ] && [ ! -s err ]; then
				case $options in
				*u64) cmp out from ;;
				*) sort -nC out ;;
				esac
			fi
		done
	done
}

@test "any umask: a new file has its mode from the umask, a replaced one keeps its mode" {
	echo 1 >in
	for mask in 000 022 077 777; do
		rm -f out
		(umask $mask && gsort -o out in)
		[ "$(stat -c %a out)" = "$(printf %o $((0666 & ~0$mask)))" ]
		chmod 640 out
		(umask $mask && gsort -o out in)
		[ "$(stat -c %a out)" = 640 ]
	done
}

# --- names ---------------------------------------------------------------------------

@test "whatever a name is, a message is one line without control characters" {
	local name
	for name in $'a\nb' $'\033[2J' $'\377\376' $'\302\233x' '%s%n%1000000d' "'\"\\" ' ' '$(reboot)' \
		"$(head -c 255 /dev/zero | tr '\0' $'\001')" $'caf\303\251' $'\342\200\256x' '-' '--help'; do
		for message in 'gsort -- "$N"' 'gsort -o "$N/x" /dev/null' 'gsort -T "$N/" /dev/null' \
			'gsort --files0-from="$N"/x' 'gsort --type="$N"' 'gsort -S "$N"' 'gsort --"$N"' \
			'gsort --compress-program="$N" --compress-program=x' \
			'gsort -v --debug -T . --verbose=json -- "$N"' 'exec -a "$N" gsort --frob' \
			'gsort -u8 -o "$N" --header=9 /dev/null'; do
			rm -f -- "$N" 2>/dev/null || true
			N=$name bash -c "$message" </dev/null >out 2>err || true
			if LC_ALL=C grep -q '[[:cntrl:]]' err || LC_ALL=C grep -q $'\302[\200-\237]' err; then
				echo "$message with $name:"
				cat -A err
				return 1
			fi
			grep -v "^Try '.* --help'" err >lines || true
			[[ $message == *--debug* ]] || [ "$(wc -l <lines)" -le 1 ]
		done
		mkdir -p "d$name" 2>/dev/null || continue		# too long
		TMPDIR=$PWD/d$name gsort --version -vv >out
		not grep -q '[[:cntrl:]]' <(tr '\t' ' ' <out)
		gsort -T "d$name" --plan=1T </dev/null >out
		not grep -q '[[:cntrl:]]' <(tr '\t' ' ' <out)
	done
}

@test "figures are JSON, whatever the names are" {
	needs python3
	local name
	for name in $'a\nb' '"\\' $'\377' $'\033[2J'; do
		echo 1 >"x$name"
		gsort --verbose=json -v --progress=always -o "y$name" "x$name" 2>err
		tail -n 1 err | python3 -c 'import json, sys; assert json.load(sys.stdin)["records"] == 1'
		GSORT_DEVICE=$name gsort --verbose=json "z$name" 2>err || true
		tail -n 1 err | python3 -c 'import json, sys; assert json.load(sys.stdin)["status"] == 2'
	done
}
