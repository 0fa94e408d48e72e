# SPDX-License-Identifier: BSD-2-Clause
# Where bytes go: nothing is lost, and nothing left behind.

load ../helpers

prepare() {
	gen --seed 1 --keys 50000 --type u32 >in
	printf 'old' >old
}

# only FILES...: the folder holds these, in and old, and nothing else
only() {
	local expected
	expected=$(printf '%s\n' in old "$@" | sort)
	[ "$(ls -A | grep -v '^fails-')" = "$expected" ] || { ls -lA; return 1; }
}

# --- a new file ------------------------------------------------------------------

@test "-o makes a file, with the mode of umask" {
	umask 027
	gsort -u32 -o out in
	same_keys in out u32
	[ "$(stat -c %a out)" = 640 ]
	only out
}

@test "-o may come last, and - is a file of that name" {
	gsort -u32 in -o -
	same_keys in ./- u32
	only -
}

@test "an output that cannot be made is an error, and found before reading" {
	mkfifo p
	fails "open failed: nodir/out: No such file or directory" timeout 60 gsort -o nodir/out p
	fails "open failed: old/out: Not a directory" timeout 60 gsort -o old/out p
	mkdir d
	fails "open failed: d: Is a directory" gsort -u32 -o d in
	fails "open failed: d/: Is a directory" gsort -u32 -o d/ in
	fails "the name of the output is empty" gsort -u32 -o '' in
}

@test "a dangling symbolic link is followed" {
	ln -s target link
	gsort -u32 -o link in
	[ -L link ]
	[ ! -L target ]
	same_keys in target u32
	only link target
}

# --- an existing file ------------------------------------------------------------

@test "an existing file is replaced, and keeps its mode" {
	chmod 751 old
	[ "$(id -u)" != 0 ] || chmod 2751 old	# anyone else's write clears set-id bits, here as with >
	mode=$(stat -c %a old)
	gsort -u32 -o old in
	same_keys in old u32
	[ "$(stat -c %a old)" = "$mode" ]
	only
}

@test "an existing file keeps its owner" {
	[ "$(id -u)" = 0 ] || skip "only root gives files away"
	chown 12345:23456 old
	gsort -u32 -o old in
	[ "$(stat -c %u:%g old)" = 12345:23456 ]
	chown 0:23456 old
	gsort -u32 -o old in
	[ "$(stat -c %u:%g old)" = 0:23456 ]
}

@test "another user's file stays theirs: it is written in place" {
	[ "$(id -u)" = 0 ] || skip "needs root to be somebody else"
	needs setpriv
	local other="setpriv --reuid=12345 --regid=12345 --clear-groups"
	mkdir shared
	chown 12345 shared
	chmod a+x "$BATS_TEST_TMPDIR" .
	$other test -x "$GSORT" -a -w shared || skip "not everybody can get here"
	echo old >shared/out
	chmod 4666 shared/out
	printf '2\n1\n' | $other "$GSORT" -o shared/out
	[ "$(tr '\n' ' ' <shared/out)" = "1 2 " ]
	[ "$(stat -c %u:%g shared/out)" = 0:0 ]
	chown 0 shared		# where nobody else may replace it
	chmod 1777 shared
	printf '4\n3\n' | $other "$GSORT" -o shared/out
	[ "$(tr '\n' ' ' <shared/out)" = "3 4 " ]
	[ "$(stat -c %u:%g shared/out)" = 0:0 ]
	mkdir blind		# its names cannot be forced to the disk
	printf '6\n5\n' >blind/own
	chown 12345 blind blind/own
	chmod 300 blind
	$other "$GSORT" -o blind/own blind/own
	[ "$(tr '\n' ' ' <blind/own)" = "5 6 " ]
}

@test "an existing file keeps its attributes" {
	needs setfattr getfattr
	setfattr -n user.note -v kept old || skip "no user attributes here"
	gsort -u32 -o old in
	[ "$(getfattr --only-values -n user.note old)" = kept ]
}

# access FILE: its mode, owner, ACL and attributes
access() {
	stat -c '%a %u:%g' "$1"
	getfacl -cpn "$1"
	getfattr -h --absolute-names -d -m - "$1" | tail -n +2
}

# writes HOW FILE: write the keys of in into it; with ranks or split, into part-0 of two
writes() {
	case $1 in
	replace) gsort -u32 -o "$2" in ;;
	in-place) gsort -u32 --in-place -o "$2" in ;;
	split) cp -p --preserve=all "$2" "${2%/*}/part-1" && mv "$2" "${2%/*}/part-0" &&
		gsort -u32 --split=2 -o "${2%/*}/part-%r" in && mv "${2%/*}/part-0" "$2" ;;
	ranks) GSORT_RANKS=2 "$(built gsort-ranks)" -u32 -o "$2" in ;;
	esac
}

# in_memory SCRIPT: run it in a folder of tmpfs, whose files have attributes of any size, with in.
# 77: that cannot be.
in_memory() {
	mkdir -p memory
	export -f access writes built fails
	unshare -m bash -euc 'mount -t tmpfs none memory || exit 77; cp in memory; cd memory; touch probe
		setfattr -n user.a -v b probe && setfacl -m u:1:r probe && rm probe || exit 77; '"$1"
}

@test "a file has exactly the mode, owner, ACL and attributes it had, in any folder" {
	local status=0
	needs setfacl setfattr unshare
	[ "$(id -u)" = 0 ] || skip "only root mounts, and gives files away"
	in_memory '
		note=$(head -c 5000 /dev/zero | tr "\0" x)
		long=$(head -c 200 /dev/zero | tr "\0" n)
		users=$(printf "u:%d:rw," {2000..2600})
		jobs="replace in-place split"
		[ ! -x "$(built gsort-ranks)" ] || jobs+=" ranks"
		makes() {		# MODE ACL ATTRIBUTES: d/old
			echo old >d/old
			setfacl -b d/old
			chown 12345:23456 d/old
			chmod "$1" d/old
			[ "$2" != few ] || setfacl -m u:1000:rw,g:1000:r,m:r d/old
			[ "$2" != many ] || setfacl -m "${users}g::-,m:rw" d/old
			for ((a = 0; a < $3; a++)); do echo "user.$long$a=\"$a\""; done |
				{ echo "# file: d/old"; cat; } | setfattr --restore=-
			[ "$3" != 1 ] || setfattr -n user.note -v "$note" d/old
		}
		for folder in plain default; do
			rm -rf d; mkdir d
			[ $folder = plain ] || setfacl -d -m u:1000:rw,g:1001:rwx d
			while read -r mode acl attributes; do
				for job in $jobs; do
					makes $mode $acl $attributes
					access d/old >before
					writes $job d/old
					access d/old >after
					diff before after || { echo "$folder: $job $mode $acl $attributes"; exit 1; }
					[ "$(wc -c <d/old)" != 4 ]
					rm -rf d/part-*
					[ "$(ls -A d)" = old ]
				done
			done <<-END
				660 none 0
				600 none 1
				4755 none 40
				2770 few 0
				1640 few 150
				660 many 1
				7777 many 0
				0 none 0
			END
		done' || status=$?
	[ $status != 77 ] || skip "no tmpfs with attributes can be mounted here"
	[ $status = 0 ]
}

@test "a file whose attributes a new one cannot get is left as it is" {
	local status=0
	needs setfattr unshare
	[ "$(id -u)" = 0 ] || skip "only root mounts"
	in_memory '
		long=$(head -c 245 /dev/zero | tr "\0" n)
		echo old >old
		for a in {1..300}; do echo "user.$long$a=1"; done | { echo "# file: old"; cat; } |
			setfattr --restore=-		# names of more than the 64 KiB that Linux lists
		fails "old: a new file cannot get its attributes and ACL (--in-place writes into this one): " \
			gsort -u32 -o old in
		[ "$(cat old)" = old ]
		[ "$(find . -name ".gsort*")" = "" ]
		gsort -u32 --in-place -o old in
		gsort -u32 in | cmp - old
		getfattr -n "user.${long}300" old' || status=$?
	[ $status != 77 ] || skip "no tmpfs with attributes can be mounted here"
	[ $status = 0 ]
}

@test "a file that only root can give its attributes is written in place" {
	needs setfattr setpriv
	[ "$(id -u)" = 0 ] || skip "needs root to be somebody else"
	local other="setpriv --reuid=12345 --regid=12345 --clear-groups"
	mkdir own
	echo old >own/out
	chown -R 12345:12345 own
	setfattr -n security.note -v kept own/out || skip "no such attributes here"
	chmod a+x "$BATS_TEST_TMPDIR" .
	$other test -x "$GSORT" -a -w own || skip "not everybody can get here"
	access own/out >before
	printf '2\n1\n' | $other "$GSORT" -o own/out
	[ "$(tr '\n' ' ' <own/out)" = "1 2 " ]
	access own/out | diff before -
}

@test "with --in-place a file keeps its inode, and a link its target" {
	local inode
	ln -s old link
	inode=$(stat -c %i old)
	gsort -u32 --in-place -o link in
	[ "$(stat -c %i old)" = "$inode" ]
	[ -L link ]
	is_sorted old u32
	gsort -u32 --in-place -o new in
	cmp new old
	rm new
	cp in old
	gsort -u32 --in-place -o old old
	[ "$(stat -c %i old)" = "$inode" ]
	is_sorted old u32
	same_keys in old u32
	fails "open failed: missing/new: No such file" gsort -u32 --in-place -o missing/new in
	only link
}

@test "the output may be an input, by any name" {
	cp in a; cp in b; ln -s b c
	gsort -u32 -o a a
	gsort -u32 -o c b
	is_sorted a u32
	cmp a b
	[ -L c ]
	cp in d
	gsort -u32 -o d <d
	cmp a d
	only a b c d
}

@test "the suffix of a compressed file is refused, unless --force is given" {
	local suffix program status name options
	for name in .gz ./.gz; do	# has no suffix
		gsort -u32 -o $name in
		same_keys in $name u32
		rm .gz
	done
	while read -r suffix program; do
		cp old out.$suffix
		for options in "-o out.$suffix" "--in-place -o out.$suffix" "--split=2 -o %r.$suffix"; do
			name=${options##* }
			status=0
			gsort -u32 $options in 2>fails-err || status=$?
			[ "$status $(cat fails-err)" = "2 gsort: $name would hold plain data; write to ${name%.*}, or pipe into $program" ]
		done
		cmp old out.$suffix
		only out.$suffix
		rm out.$suffix
	done <<-END
		gz gzip
		bz2 bzip2
		xz xz
		zst zstd
		lz4 lz4
	END
	gsort -u32 --force -o out.gz in
	same_keys in out.gz u32
	gsort -u32 -o .gz in		# no suffix: there is nothing before it
	gsort -u32 -o gz in
	gsort -u32 -o a.gz.old in
	gsort -u32 --plan -o out.xz in >plan
	only .gz a.gz.old gz out.gz plan
}

@test "an empty result empties the file" {
	: >none
	gsort -u32 -o old none
	[ -f old ]
	[ ! -s old ]
	printf 'old' >old; ln old other
	gsort -o old none
	[ ! -s other ]
}

@test "symbolic links are followed, one after the other and into folders" {
	mkdir -p d/e
	mv old d/e/real
	ln -s e/real d/one
	ln -s d/one two
	gsort -u32 -o two in
	[ -L two ]
	[ -L d/one ]
	[ ! -L d/e/real ]
	same_keys in d/e/real u32
	[ "$(ls -A d/e)" = real ]
}

@test "a file with two names is written in place, under both" {
	ln old other
	inode=$(stat -c %i old)
	gsort -u32 -o old in
	cmp old other
	same_keys in other u32
	[ "$(stat -c %i old)" = "$inode" ]
	head -c 400 in >short
	gsort -u32 -o old short
	[ "$(stat -c %s other)" = 400 ]
}

@test "a file with two names may be an input" {
	cp in a; ln a b
	gsort -u32 -o a b
	is_sorted b u32
	same_keys in b u32
}

@test "a file that may not be written is an error, though it could be replaced" {
	chmod 444 old
	[ ! -w old ] || skip "root writes everything"
	fails "open failed: old: Permission denied" gsort -u32 -o old in
}

@test "a file in a folder that may not be written is written in place" {
	mkdir d
	printf old >d/out
	chmod 555 d
	if [ -w d ]; then
		chattr +i d 2>/dev/null || skip "root writes everywhere"
	fi
	status=0
	gsort -u32 -o d/out in || status=$?
	chattr -i d 2>/dev/null || true
	chmod 755 d
	[ $status = 0 ]
	same_keys in d/out u32
}

# --- devices and pipes -----------------------------------------------------------

@test "a named pipe is written through" {
	mkfifo p
	cat p >got &
	gsort -u32 -o p in
	wait
	[ -p p ]
	same_keys in got u32
}

@test "/dev/null stays a device" {
	gsort -u32 -o /dev/null in
	[ -c /dev/null ]
}

@test "/dev/stdout is what standard output is" {
	{ echo header; gsort -u32 -o /dev/stdout in; } | tail -c +8 >got
	same_keys in got u32
}

@test "standard output may be an open file, and is appended to" {
	{ printf abcd; gsort -u32 in; printf efgh; } >out
	[ "$(stat -c %s out)" = 200008 ]
	gsort -u32 in >>out
	[ "$(stat -c %s out)" = 400008 ]
}

# tight FILES...: no blocks are kept behind their ends
tight() {
	local file
	for file; do
		[ $(($(stat -c '%b * %B - %s' "$file"))) -lt 300000 ] || { stat "$file"; return 1; }
	done
}

@test "standard output may be an open file that is longer, and keeps its end" {
	gen --seed 4 --keys 1000000 --type u32 >more
	gsort -u32 more >expected
	head -c 5000000 /dev/zero | tr '\0' z >out
	{ printf abc; gsort -u32 more; printf def; } 1<>out
	{ printf abc; cat expected; printf def; head -c 999994 /dev/zero | tr '\0' z; } | cmp - out
}

@test "a large output has no more blocks than it needs" {
	gen --seed 4 --keys 1000000 --type u32 >more
	cp more other; ln other link		# written in place
	gsort -u32 more >out
	gsort -u32 more >>out
	gsort -u32 -o new more
	gsort -u32 -o old more
	gsort -u32 -o link more
	gsort -u32 more --to=text | tee text >/dev/null
	gsort -u32 more --to=text >text2
	tight out new old other text2
	cmp new old; cmp new other; cmp text text2
	is_sorted new u32
	cat new new | cmp - out
}

@test "binary keys are not written to a terminal" {
	needs script
	run script -qec "gsort -u32 in" /dev/null
	[ "$status" -eq 2 ]
	[[ "$output" == *"terminal"*"--to=text"*"-o FILE"*"--force"* ]]
	run script -qec "gsort -u32 --force in" /dev/null
	[ "$status" -eq 0 ]
	run script -qec "gsort -u32 --plan in" /dev/null
	[ "$status" -eq 0 ]
	run script -qec "echo 3 | gsort" /dev/null
	[ "$status" -eq 0 ]
}

# --- trouble ---------------------------------------------------------------------

@test "a full device is an error" {
	[ -c /dev/full ] || skip "no /dev/full"
	fails "write failed: standard output: No space left on device" \
		bash -c 'gsort -u32 in >/dev/full'
	fails "write failed: standard output: No space left" bash -c 'echo 1 | gsort >/dev/full'
	fails "write failed: /dev/full: No space left on device" gsort -u32 -o /dev/full in
}

@test "a full device is an error of every kind of job, of one line or of a million bytes" {
	local options size
	[ -c /dev/full ] || skip "no /dev/full"
	seq 100001 250000 >large
	seq 100001 100003 >small
	: >none
	for size in large small; do
		for options in -r -u --count --unique=singletons --head=90000 --tail=90000 --sample=90000 \
		               --summary --quantiles=0.5 --top=90000 --histogram "--summary --to=json" --argsort=u32 \
		               -m --to=u64 "-m none" \
		               "--union none" "--difference none" "--intersect $size" "--symmetric none" "-S 1" \
		               --record-size=7 "--record-size=7 --argsort=u64" --lines "--lines -u" "--lines --count" \
		               "--lines -u --keep-order" "--lines --union none" "--lines --tail=90000" "--lines -m" \
		               "--lines --top=90000" "--lines -S 1" --header; do
			fails "No space left" gsort $size $options -o /dev/full
		done
	done
}

@test "closed standard output is an error, even with nothing to write" {
	fails "write failed: standard output: Bad file descriptor" bash -c 'gsort -u32 in >&-'
	: >none
	fails "write failed: standard output: Bad file descriptor" bash -c 'gsort none >&-'
}

@test "closed standard output and error do not get an output file's bytes" {
	gsort -u32 -o out in >&- 2>&-
	same_keys in out u32
	fails "." gsort -u32 -o out nofile
	run bash -c 'gsort -u32 -o out nofile 2>&- >&-'
	[ "$status" -eq 2 ]
	same_keys in out u32
}

@test "a reader that goes away kills us in silence" {
	gen --seed 2 --keys 1000000 --type u32 >more
	set +o pipefail
	gsort -u32 more 2>err | head -c 100 >/dev/null
	[ "${PIPESTATUS[0]}" = 141 ]
	[ ! -s err ]
	seq 1000000 >text
	gsort text 2>err | head -n 1 >/dev/null
	[ "${PIPESTATUS[0]}" = 141 ]
	[ ! -s err ]
}

@test "a reader that goes away is an error where SIGPIPE is ignored" {
	gen --seed 2 --keys 1000000 --type u32 >more
	bash -c 'trap "" PIPE; gsort -u32 more 2>err; echo $? >status' | head -c 100 >/dev/null
	eventually test -s status
	[ "$(cat status)" = 2 ]
	grep -q "write failed: standard output: Broken pipe" err
}

@test "a reader that goes away ends the threads that wait for their turn" {
	local status
	seq -f 'row %.0f, of several words' 250000 -1 1 >rows
	for _ in 1 2 3; do
		status=$(trap '' PIPE; timeout 60 gsort --lines --parallel=8 rows 2>err | head -c 1000 >/dev/null; echo "${PIPESTATUS[0]}")
		[ "$status" = 2 ]
	done
	grep -q "write failed: standard output: Broken pipe" err
}

@test "an existing file is untouched by every error" {
	head -c 1003 in >odd
	{ seq 1000; echo x; } >text
	gzip -c in | head -c 5000 >cut.gz
	fails "." gsort -u32 -o old nofile
	fails "." gsort -u32 -o old odd
	fails "." gsort -o old text
	fails "." gsort -u32 -o old cut.gz
	fails "." bash -c 'cat odd | gsort -u32 -o old'
	[ "$(cat old)" = old ]
	only odd text cut.gz
}

@test "an existing file is untouched by a limit on file sizes" {
	run bash -c 'ulimit -f 50; gsort -u32 -o old in'
	[ "$status" -ne 0 ]
	run bash -c 'trap "" XFSZ; ulimit -f 50; gsort -u32 -o old in'
	[ "$status" -eq 2 ]
	run bash -c 'ulimit -f 50; gsort -u32 -o new in'
	[ "$status" -ne 0 ]
	[ "$(cat old)" = old ]
	only
}

@test "an existing file is untouched by signals, and nothing is left behind" {
	gen --seed 3 --keys 2000000 --type u32 >more
	gsort -u32 more >expected
	for signal in KILL TERM INT; do
		for delay in 0.001 0.005 0.01 0.02 0.03 0.05 0.08; do
			printf old >old
			timeout -s $signal $delay gsort -u32 -o old more || true
			[ "$(head -c 3 old)" = old ] || cmp old expected
			timeout -s $signal $delay gsort -u32 -o new more || true
			[ ! -e new ] || cmp new expected
			rm -f new
		done
	done
	only more expected
}

@test "a signal while waiting for input leaves nothing behind" {
	mkfifo p
	exec 7<>p		# it has a writer, who never writes
	for signal in TERM KILL; do
		gsort -u32 -o old p &
		eventually has_open $! "$PWD/p"
		kill -s $signal $!
		status=0
		wait $! || status=$?
		[ $status = $((128 + $(kill -l $signal))) ]
	done
	[ "$(cat old)" = old ]
	only p
}

# ---- many threads, one output

@test "any number of threads writes the same, wherever it goes" {
	local threads options
	gen --seed 71 --keys 1500007 --type u32 >in
	gsort -u32 --parallel=1 in >expected
	for threads in 2 3 5 16; do
		options="-u32 --verify --parallel=$threads"
		gsort $options in | cmp - expected
		gsort $options in >out
		cmp out expected
		echo old >out
		gsort $options -o out in
		cmp out expected
		echo top >out
		gsort $options in >>out
		{ echo top; cat expected; } | cmp - out
		head -c 8000000 /dev/zero >out		# longer than what is written into it
		{ echo top; gsort $options in; } 1<>out
		{ echo top; cat expected; tail -c 1999968 out; } | cmp - out
		gsort $options --to=text in | sort -cn
		fails "No space left" gsort $options -o /dev/full in
	done
}

@test "a reader of pages may go away" {
	gen --seed 72 --keys 3000000 --type u32 >in
	gsort -u32 in | head -c 100000 >out
	gsort -u32 in | cat | head -c 100000 | cmp - out
	is_sorted out u32
}

# crashes FILES COMMAND...: after a crash of the machine each of FILES is what it was, or what it was to become
crashes() {
	local status=0
	python3 "$GSORT_SOURCE/tests/tools/crash.py" "$@" || status=$?
	[ $status != 77 ] || skip "strace cannot trace here"
	return $status
}

@test "an input that is replaced survives a crash of the machine" {
	needs strace python3
	gen --seed 1 --keys 100000 --type u32 >one
	gen --seed 2 --keys 100000 --type u32 >two
	cp one f
	crashes f "$GSORT" -u32 -o f f
	cp one f
	crashes f "$GSORT" -u32 -o f - two <f
	cp one f0
	cp two f1
	crashes f0,f1 "$GSORT" -u32 --split=2 -o f%r f0 f1
	cat f0 f1 | cmp - <(gsort -u32 one two)
	cp one f
	not crashes f "$GSORT" -u32 --in-place -o f f	# what may be lost is seen
	if [ -x "$GSORT_BUILD/gsort-ranks" ]; then
		cp one f
		GSORT_RANKS=2 crashes f "$GSORT_BUILD/gsort-ranks" -u32 -o f f
		cp one f0
		cp two f1
		GSORT_RANKS=2 crashes f0,f1 "$GSORT_BUILD/gsort-ranks" -u32 -o f%r f0 f1
	fi
	strace -f -qq -e trace=fsync,fdatasync -o calls "$GSORT" -u32 -o f two	# no input
	[ ! -s calls ]
}

# forces NUMBER COMMAND...: its NUMBERth forcing of bytes to a disk fails; NUMBER is that of the last one, and one more
# is not made
forces() {
	local shim=$GSORT_BUILD/tests/fault/fault.so
	! FAULT_CALL=fdatasync FAULT_ERRNO=5 FAULT_AT=$(($1 + 1)) LD_PRELOAD=$shim "${@:2}" 2>err && return 1
	[ "$1" -eq 0 ] || fails "write failed: .*: Input/output error" \
		env FAULT_CALL=fdatasync FAULT_ERRNO=5 FAULT_AT="$1" LD_PRELOAD="$shim" "${@:2}"
}

@test "outputs are forced to the disk where one of them replaces an input, and only there" {
	[ -e "$GSORT_BUILD/tests/fault/fault.so" ] || skip "needs tests/fault/fault.so"
	skips_under_sanitizer "no library is preloaded"
	gen --seed 1 --keys 1000 --type u32 >one
	forces 0 gsort -u32 -o new one
	forces 0 gsort -u32 -o new one		# over another file
	forces 0 gsort -u32 --split=2 -o part%r one
	cp one f
	forces 1 gsort -u32 -o f f
	cp one f1				# the second of three is an input
	forces 3 gsort -u32 --split=3 -o f%r f1
	cp one f
	forces 0 gsort -u32 --in-place -o f f
}

@test "a file of another user in a folder like /tmp is written if the kernel lets sort(1) do so" {
	needs strace
	seq 5 >in
	mkdir -m 1777 shared
	seq 9 >shared/f
	[ "$(id -u)" != 0 ] || chown 12345 shared/f
	strace -e trace=open,openat -o calls true || skip "strace cannot trace here"
	if strace -e trace=open,openat -o calls gsort -o shared/f in; then
		cmp in shared/f
	else	# fs.protected_regular
		seq 9 | cmp - shared/f
	fi
	grep -q '"shared/f", O_WRONLY|O_CREAT' calls
}
