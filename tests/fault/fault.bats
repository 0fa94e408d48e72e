# SPDX-License-Identifier: BSD-2-Clause
# Every call to the system may fail: what tests/fault/faults says.  Here each place that a call is
# made from, or some of them; make check-slow tries all, and for five runs, in memory, on
# disk, merging and with several ranks, each call that is made.  mpi.bats does the same with processes.

load ../helpers

setup_file() {
	file_folder
	export FAULT_FOLDER=$BATS_FILE_TMPDIR	# the inputs of all rows are made once
}

prepare() {
	[ -e "$GSORT_BUILD/tests/fault/fault.so" ] || skip "no preloaded library here"
	! grep -q __tsan_init "$GSORT" || skip "the thread sanitizer does not go with the shim"
}

# faults STEP RUN...: each place in make check-slow; else one in twice STEP places in .ci/run, and in
# check one in four times STEP, of the first half of the runs; prints the last line
faults() {
	local every=$1
	shift
	if [ -n "${GSORT_SLOW-}" ]; then
		every=1
	else
		every=$((every * 2))
		[ -n "${GSORT_CI-}" ] || every=$((every * 2))
		set -- "${@:1:($# + 1) / 2}"
	fi
	"$GSORT_SOURCE/tests/fault/faults" --every "$every" "$@" >told || { cat told; return 1; }
	tail -n 1 told | sed "s/^/# $*: /" >&3
	[ "$(tail -n 1 told | sed 's/ tried: .*//')" -ge 20 ]
}

@test "a call that reads or writes fails at each place: outputs, on disk, merging, sets; memory to decompress" {
	"$GSORT_SOURCE/tests/fault/faults" --only "ftruncate:EIO close:EIO fsync:EIO linkat:EIO rename:EIO fchmod:EPERM
		read:EIO pread:EIO write:ENOSPC pwrite:ENOSPC" 0 inplace stdout itself splitl spill packed passes spillr spilll \
		merge lists addl mergel setl setk >told || { cat told; return 1; }
	tail -n 1 told | sed "s/^/# /" >&3
	"$GSORT_SOURCE/tests/fault/faults" --only malloc:ENOMEM 0 gzip zstd xz >told || { cat told; return 1; }
}

@test "a call fails: in memory" {
	faults 2 memory
	faults 16 text large floats bytes convert verify
}

@test "a call fails: selecting" {
	faults 16 unique figures count head header
}

@test "a call fails: other inputs" {
	faults 4 pipe
	faults 8 stdin files0 gzip zstd xz bzip2 lz4
}

@test "a call fails: other outputs" {
	faults 4 new itself
	faults 8 inplace stdout drain filter hidden hiddens
}

@test "a call fails: several outputs" {
	faults 4 split splits
}

@test "a call fails: on disk" {
	faults 12 spill longer packed packed4 passes
}

@test "a call fails: records" {
	faults 8 records spillr merger
}

@test "a call fails: lines by key" {
	faults 8 keyed spillp placesl placest spilll named located mergel findl
}

@test "a call fails: on one of several ranks" {
	faults 8 ranked rankedr rankedl rankedt rankeds rankedo
}

@test "a call fails: merging" {
	faults 4 merge
	faults 1 mergel
	faults 8 lists add
}

@test "a call fails: sets" {
	faults 8 setl sets
}

@test "a call fails: checking" {
	faults 8 check finds summary plan
}

@test "a call fails: in programs that use the library" {
	faults 6 collect smallest
}

@test "a call fails: first ones, columns, what is skipped, sets of keys, heads of merges" {
	left_to_slow "these runs"
	faults 1 firsts shown columns skips setk mergeh
}

@test "each call that is made fails: in memory, on disk, merging, on one of several ranks" {
	left_to_slow "each call that is made"
	faults 1 --all memory spill merge ranked rankedo
}

# A program for the walk to judge: writes its input to out/file as it is told to.
judged() {
	needs cc
	cat >judged.c <<-'END_OF_C'
		#include <fcntl.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		int
		main(int argc, char **argv)
		{
			const char *how = argv[argc - 1];
			static char *kept;
			int fd;

			if ((kept = malloc(3)) == NULL)
				abort();
			fd = open("out/file", O_WRONLY | O_TRUNC);
			if (write(fd, "ok\n", 3) == 3 || strcmp(how, "lies") == 0)
				return 0;
			if (strcmp(how, "leaks") == 0 && (kept = malloc(3)) != NULL)
				kept[0] = 0;
			if (strcmp(how, "litters") == 0)
				open("temp/left", O_CREAT | O_WRONLY, 0600);
			if (strcmp(how, "keeps") == 0)
				ftruncate(fd, 0), write(fd, "old\n", 4);
			fprintf(stderr, "judged: no\n%s", strcmp(how, "chatters") == 0 ? "judged: so\n" : "");
			_exit(2);
		}
	END_OF_C
	# shellcheck disable=SC2086
	cc $1 -w -o judged judged.c
	echo ok >right
	echo old >before
}

walk() {
	"$GSORT_BUILD/tests/fault/fault_runner" -b before judge right "$2" -- "$PWD/judged" "$1" >told ||
		[ $? -eq 1 ]
	cat told
}

@test "what tests/fault/fault_runner calls wrong" {
	judged ""
	walk keeps write:ENOSPC | grep -q ' 1 tried: 0 harmless, 1 failed cleanly, 0 wrong'
	walk keeps stat:EIO | grep -q ' 0 tried'
	walk lies write:ENOSPC | grep -q 'a wrong result, and status of success'
	walk lies write:EIO:short | grep -q 'a wrong result, and status of success'
	walk keeps write:EINTR:eintr | grep -q 'no reason to fail'
	walk loses write:ENOSPC | grep -q 'the output was lost'
	walk loses write:TERM:signal | grep -q 'the output was lost'
	walk litters write:ENOSPC | grep -q 'files are left'
	walk chatters write:ENOSPC | grep -q 'not one message'
	walk keeps malloc:ENOMEM | grep -q 'a signal ended it'
}

@test "what tests/fault/fault_runner calls a leak" {
	judged -fsanitize=address 2>/dev/null || skip "no address sanitizer here"
	walk keeps write:ENOSPC | grep -q ' 1 failed cleanly, 0 wrong'
	walk leaks write:ENOSPC | grep -q 'a sanitizer complains'
}

# failing CALL N ERRNO COMMAND...: what it says if all calls from the N-th on fail
failing() {
	FAULT_CALL=$1 FAULT_AT=$2 FAULT_ERRNO=$3 FAULT_HOW=on LD_PRELOAD=$GSORT_BUILD/tests/fault/fault.so "${@:4}" 2>&1 || :
}

@test "messages of calls that fail name the file, and how much memory; none is dropped" {
	mkdir temp
	seq 5000 >in
	gen --keys 3000000 --type u64 >wide
	head -c 3m /dev/zero >long
	head -c 4000 /dev/urandom >keys
	export GSORT_RANKS=3
	: >nothing
	for ((n = 100; n > 0; n--)); do echo $n; done >itself
	cp keys ours
	cp itself linked
	ln linked link
	# The output would be right, and its loss may show later only: an error all the same.
	{
		failing close 1 5 gsort -o out in
		failing close 1 5 gsort --split=3 -o out-%r in
		failing fdatasync 1 5 gsort -o itself itself
		failing fsync 1 5 gsort -o itself itself
		failing ftruncate 1 5 gsort -o linked nothing
		failing ftruncate 1 5 gsort -o linked in
		cat wide | failing pread 1 5 gsort -u64 --parallel=1 -S 16M -T temp -o out
		failing mmap 1 12 gsort --lines --parallel=1 -S 64M in
		[ ! -x "$GSORT_BUILD/gsort-ranks" ] || for call in close rename fdatasync; do
			failing $call 1 5 "$GSORT_BUILD/gsort-ranks" -u32 -o ours ours
		done
	} >said
	diff -B said - <<-END
		gsort: close failed: out: Input/output error
		gsort: close failed: out-0: Input/output error
		gsort: write failed: itself: Input/output error
		gsort: cannot replace itself: Input/output error
		gsort: truncate failed: linked: Input/output error
		gsort: truncate failed: linked: Input/output error
		gsort: cannot read a temporary file in temp: Input/output error
		gsort: cannot reserve 6 MiB of memory: Cannot allocate memory
		$([ ! -x "$GSORT_BUILD/gsort-ranks" ] || cat <<-RANKS
			gsort-ranks: rank 0 on here: close failed: ours: Input/output error
			gsort-ranks: rank 0 on here: rename failed: ours: Input/output error
			gsort-ranks: rank 0 on here: write failed: ours: Input/output error
		RANKS
		)
	END
	[ "$(head -n 1 itself)" = 100 ]
	# the line grows by halves: one of these calls is for the third MiB
	for n in {30..80}; do
		failing malloc,mmap $n 12 gsort --lines --parallel=1 -S 64M -o out long
	done >said
	grep -qx "gsort: long: no memory for a line of 3145728 bytes" said
}

@test "messages of memory that is refused say what it was for, whichever allocation it is" {
	left_to_slow "each allocation"
	local command n
	seq 5000 >in
	printf '%s\0' in in >names
	needs gzip
	gzip -k in
	while read -r command; do
		for n in {1..60}; do
			# shellcheck disable=SC2086
			failing malloc $n 12 $command >>said
		done
	done <<-END
		gsort --parallel=1 --top=3 -o out in
		gsort --parallel=1 --sample=9 -o out in
		gsort --parallel=1 -o out in.gz
		gsort --parallel=1 --files0-from=names -o out
	END
	for n in "gsort: no memory for the 3 most frequent values" "gsort: no memory for a sample of 9 keys: 8 bytes each" \
	         "gsort: in.gz: no memory to decompress it" "gsort: out of memory for the names in 'names'"; do
		grep -qx "$n" said || { echo "$n"; sort said | uniq -c; return 1; }
	done
}

@test "no memory to compare lines where the outputs of two ranks meet: the error says so, and the old output stays" {
	[ -x "$GSORT_BUILD/gsort-ranks" ] || skip "no gsort-ranks here"
	needs localedef
	localedef -c -i sv_SE -f UTF-8 ./sv_SE >/dev/null 2>&1 || true
	[ -e sv_SE ] || skip "localedef has no sources (package locales)"
	local calls n said
	for n in 0 7 6 5 4 3 2 1; do printf '%02d%02100d\n' $n 0; done >in	# too long for the stack
	export LOCPATH=$PWD GSORT_RANKS=2 FAULT_CALL=malloc FAULT_ERRNO=12
	sorting() {
		FAULT_AT=$1 LD_PRELOAD=$GSORT_BUILD/tests/fault/fault.so "$GSORT_BUILD/gsort-ranks" --parallel=1 \
			--locale=sv_SE --lines -d -s --verify -o out in
	}
	truncate -s 1M report
	FAULT_REPORT=report sorting 1000000
	calls=$(od -An -tu8 -j 8 -N 8 report)
	for ((n = calls - 24; n <= calls; n++)); do
		echo old >out
		said=$(sorting $n 2>&1) && continue
		[[ $(cat out) = old && $said =~ ^"gsort-ranks: rank "[01]" on here: "(out of|no)" memory" ]] ||
			{ echo "call $n of $calls: $said"; return 1; }
	done
}

@test "each read of a pipe that fails is an error, also behind the last byte" {
	local program n calls
	for ((n = 0; n < 200; n++)); do echo $n; done >plain
	for program in gzip bzip2 xz zstd lz4 cat; do
		command -v $program >/dev/null || continue
		$program <plain >in
		rm -f report && truncate -s 1M report
		cat in | FAULT_REPORT=report failing read 1000 5 gsort --parallel=1 -o out
		calls=$(od -An -tu8 -j 8 -N 8 report)
		[ "$calls" -ge 2 ]
		for ((n = 1; n <= calls; n++)); do
			[ "$(cat in | failing read $n 5 gsort --parallel=1 -o out)" = "gsort: read failed: -: Input/output error" ] ||
				{ echo "read $n of $calls, of $program"; return 1; }
		done
	done
}

@test "the first of equal ones, in their order: each write of a temporary file that fails is an error" {
	mkdir temp
	gen --keys 700000 --type u64 >wide
	rm -f report && truncate -s 1M report
	first=(gsort -u64 -u --keep-order --parallel=1 -S 16M -T temp -o out wide)
	FAULT_REPORT=report failing pwrite 100000 28 "${first[@]}"
	calls=$(od -An -tu8 -j 8 -N 8 report)
	[ "$calls" -ge 100 ]
	for part in 1 5 6 7 8 9 10; do	# of ten; the second half puts the first ones in order
		failing pwrite $((calls * part / 10)) 28 "${first[@]}" |
			grep -q '^gsort: .* temporary file in temp: No space left on device' ||
			{ echo "write $((calls * part / 10)) of $calls"; return 1; }
	done
}

@test "a library that calls exit(1) is an error, not disorder" {
	needs bzip2
	for ((n = 0; n < 5000; n++)); do echo $n; done | bzip2 >in.bz2
	statuses=$(
		export FAULT_CALL=malloc,mmap FAULT_ERRNO=12 FAULT_HOW=on
		for ((n = 60; n < 140; n++)); do
			status=0
			FAULT_AT=$n LD_PRELOAD=$GSORT_BUILD/tests/fault/fault.so gsort -c in.bz2 2>err || status=$?
			! grep -q 'Fatal Internal Error in libarchive' err || echo $status
		done
	)
	[ -n "$statuses" ] || skip "this libarchive does not"
	[ -z "$(grep -v '^2$' <<<"$statuses")" ]
}

# In a small file system of our own: what COMMAND leaves there, and how it ended.
@test "a disk that is really full" {
	unshare -Urm mount -t tmpfs -o size=4m none . 2>/dev/null || skip "no file system of one's own here"
	mkdir disk out temp
	gen --seed 4 --keys 1200000 --type u64 >wide
	gsort -u64 -o sorted wide
	cat >inside <<-'END_OF_SH'
		mount -t tmpfs -o size=4m none disk || exit 9
		echo old >disk/file
		full() {	# PATTERN ARGUMENT...
			local pattern=$1 status=0
			shift
			gsort -u64 "$@" 2>err || status=$?
			grep -q "^gsort: .*$pattern" err || status=message
			found="$status $(grep -c '^gsort: ' err) $(ls -A disk) $(cat disk/file) $(ls -A out)"
			[ "$found" = "2 1 file old " ] || { echo "$found: $*"; cat err; return 1; }
		}
		no="No space left on device"
		full "temporary file in disk: $no after . MiB, and . MiB more are needed; .* -T" \
			-S 16M -T disk -o out/file wide &&
		full "temporary file in disk: $no" -S 16M -T disk --compress-program=zstd -o out/file wide &&
		full "temporary file in disk: $no" -m --batch-size=2 -T disk -o out/file sorted sorted sorted &&
		full "write failed: disk/file: $no" -o disk/file wide &&
		full "write failed: disk/new: $no" -o disk/new wide &&
		{ gsort -u64 wide >disk/more 2>err; [ $? = 2 ]; } && grep -q "standard output: $no" err
	END_OF_SH
	unshare -Urm bash inside
}

@test "standard output that is full, whatever is printed" {
	[ -c /dev/full ] || skip "no /dev/full"
	seq 30000 -1 1 >in
	while read -r options; do
		status=0
		# shellcheck disable=SC2086
		gsort $options >/dev/full 2>err || status=$?
		[ $status -eq 2 ] && [ "$(cat err)" = "gsort: write failed: standard output: No space left on device" ] ||
			{ echo "$status: $options"; cat err; return 1; }
	done <<-END_OF_LIST
		in
		--count in
		--head=3 in
		--to=i64 in
		-m -r in
		-S 16M --parallel=4 in in in in in in in in in in in in in in in in in in in in in in in in in
		--check=summary in
		--plan in
		--version=json
		--help
		--version
	END_OF_LIST
}

# What gsort calls is among those that can be made to fail, or cannot fail (mallopt() and malloc_trim() are
# advice), or not in glibc, or by malloc() alone, or is stdio on a stream that /dev/full stands for; or data, or
# the module that gsort-emu has; or what parts of the C++ library call that floats.cpp does not use.
@test "no call that may fail is forgotten" {
	needs nm
	not grep -aq '__[atu]b\?san_\|__llvm_profile_' "$GSORT_BUILD/gsort" || skip "who watches gsort calls more"
	nm -D --undefined-only "$GSORT_BUILD/gsort" | sed 's/^ *[Uw] //; s/@.*//' | sort -u >called
	nm -D --defined-only "$GSORT_BUILD/tests/fault/fault.so" | sed 's/.* //; s/@.*//' | sort -u >failing
	comm -23 called failing | grep -vxE -e '_.*|mem.*|str.*|stp.*|ferror|feof|fflush|fputc|f?puts|fwrite' \
		-e 'v?(f|s|sn|as)?printf|sig(add|del|empty|fill|is).*|signal|raise|kill|get(auxval|env|euid|pid|opt_long)' \
		-e 'pthread_(mutex|cond|attr|getattr|once|join|self|sigmask).*|posix_spawn(attr|_file_actions)_.*' \
		-e 'free|freelocale|globfree|mallopt|malloc_trim|qsort(_r)?|clock_gettime|dladdr|dlsym|dlclose|dlerror' \
		-e 'rawmemchr|nl_langinfo_l|unsetenv|environ|opt(arg|err|ind|opt)|std(in|out|err)|program_invocation.*|gs_gpu_module' \
		-e 'abort|aligned_alloc|gettext|iswcntrl|mbrtowc|uselocale|wcwidth|(fr|ld)expl?|reg(comp|exec|free)|open_memstream|sched_yield|nanosleep|gs_static_codecs' >forgotten || true
	[ ! -s forgotten ] || { cat forgotten; return 1; }
}
