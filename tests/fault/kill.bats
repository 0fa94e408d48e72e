# SPDX-License-Identifier: BSD-2-Clause
# A run that is killed: the output is unchanged or complete, and no temporary file is left.
# KILL_ROUNDS=100 tries more.
#
# The moment is a number of bytes read and written, between 0 and those of a whole run, so it does
# not depend on the speed of the machine.  (tests/fault/faults kills at each call.)
# The shell ignores SIGINT in what it runs in the background, so env gives it back.

load ../helpers

# moved PID: sets $moved to the bytes that it has read and written
moved() {
	local key value
	moved=0
	while read -r key value; do
		case $key in rchar: | wchar:) moved=$((moved + value)) ;; esac
	done <"/proc/$1/io"
}

prepare() {
	[ -r /proc/self/io ] || skip "no /proc/PID/io"
	RANDOM=${KILL_SEED:-5}
	mkdir temp out
	gen --seed 11 --keys 2000000 --type u64 >in
	gsort -u64 in >sorted
	rounds=${KILL_ROUNDS:-4}
	runs=0 interruptions=0
	all_moved=$(		# what children have done counts when they have ended
		moved self
		before=$moved
		gsort -u64 -S 16M -T temp -o again in
		moved self
		echo $((moved - before))
	)
	cmp again sorted
	[ "$all_moved" -gt $((3 * 16000000)) ]		# in, some of it to disk and back, out
}

# reach PID: wait until it reaches a random moment, or ends
reach() {
	local at=$(((RANDOM * 32768 + RANDOM) % (all_moved / 100 * 102)))
	while [ -e "/proc/$1/exe" ] && moved "$1" 2>/dev/null && [ "$moved" -lt $at ]; do
		:
	done
}

# interrupted "SIGNAL..." COMMAND...: by these, at a random moment; its status must be that of
# a death by the last, or 0 when it was too late
interrupted() {
	local signals=$1 status=0 signal pid
	shift
	env --default-signal "$@" 2>messages &
	pid=$!
	reach $pid
	for signal in $signals; do
		kill -s "$signal" $pid 2>/dev/null || true
	done
	wait $pid || status=$?
	runs=$((runs + 1))
	case $status in
	0) ;;
	$((128 + $(kill -l "$signal")))) interruptions=$((interruptions + 1)) ;;
	*) echo "status $status after SIG$signal"; cat messages; return 1 ;;
	esac
	[ ! -s messages ] || { cat messages; return 1; }
}

# whole BEFORE: out/file is BEFORE or sorted, and nothing else is there, but for the complete new file
# between getting a name and replacing the old one (SIGNALS in the man page)
whole() {
	local named
	for named in out/.gsort.*; do
		[ ! -e "$named" ] || { cmp "$named" sorted && rm "$named"; } || return 1
	done
	cmp -s out/file "$1" || cmp out/file sorted || return 1
	[ "$(ls -A out)" = file ] && [ -z "$(ls -A temp)" ] || { ls -lA out temp; return 1; }
}

# Go on until this many runs were interrupted; on a busy machine a run may end before its signal.
more() {
	[ $((interruptions < $1 && runs < 30 * $1)) = 1 ]
}

# some ROUNDS: enough of them
some() {
	echo "# $interruptions of $runs runs interrupted" >&3
	[ $interruptions -ge "$1" ]
}

ends_well() {
	local signals=$1
	echo old >before
	while more $((rounds + 1)); do
		echo old >out/file
		interrupted "$signals" gsort -u64 -S 16M -T temp -o out/file in
		whole before
		cp in out/file
		interrupted "$signals" gsort -u64 -S 16M -T temp -o out/file out/file
		whole in
	done
	some $((rounds + 1))
}

@test "SIGKILL at any moment" {
	needs_unnamed_files
	ends_well KILL
}

@test "SIGTERM at any moment" { ends_well TERM; }
@test "SIGTERM twice at any moment" { ends_well "TERM TERM"; }
@test "SIGINT at any moment" { ends_well INT; }
@test "SIGHUP at any moment" { ends_well HUP; }

@test "a merge interrupted at any moment" {
	needs_unnamed_files
	split -b 4000000 in part.
	for file in part.*; do gsort -u64 -o $file $file; done
	echo old >before
	while more "$rounds"; do
		echo old >out/file
		interrupted KILL gsort -u64 -m -S 16M --batch-size=2 -T temp -o out/file part.*
		whole before
	done
	some "$rounds"
}

# The process waits for SIGCONT, or has ended.
is_stopped() {
	grep -q '^State:[[:space:]]*[TZ]' "/proc/$1/status" 2>/dev/null || [ ! -e "/proc/$1" ]
}

@test "stopped at any moment, and continued, it sorts on" {
	for ((round = 0; round < rounds; round++)); do
		gsort -u64 -S 16M -T temp -o out/file in &
		reach $!
		kill -s STOP $! || true
		eventually is_stopped $!
		kill -s CONT $! || true
		wait $!
		cmp out/file sorted
		rm out/file
	done
	[ -z "$(ls -A temp)" ]
}

@test "a reader that goes away, at any byte" {
	for ((round = 0; round < rounds; round++)); do
		run env --default-signal bash -c \
			"gsort -u64 -S 16M -T temp in | head -c $((RANDOM * 480)) >part; echo \${PIPESTATUS[0]}"
		[ "$output" = 141 ]
		cmp -n "$(wc -c <part)" part sorted
		[ -z "$(ls -A temp)" ]
	done
}

@test "a limit of the size of files: the old output stays" {
	echo old >out/file
	for blocks in 0 1 4000; do
		status=0
		(ulimit -f $blocks; exec gsort -u64 -o out/file in) 2>messages || status=$?
		[ $status -eq 2 ]
		[ $blocks -eq 0 ] || grep -q "^gsort: write failed: out/file: File too large" messages
		[ "$(cat out/file)" = old ]
		[ "$(ls -A out)" = file ]
	done
	status=0
	(ulimit -f 4000; trap '' XFSZ; gsort -u64 -o out/file in) 2>messages || status=$?
	[ $status -eq 2 ]
	[ "$(cat out/file)" = old ]
	[ "$(ls -A out)" = file ]
	grep -q '^gsort: .*out/file: File too large' messages
	status=0
	(ulimit -f 4000; trap '' XFSZ; gsort -u64 -S 16M -T temp -o out/file in) 2>messages || status=$?
	[ $status -eq 2 ]
	[ "$(cat out/file)" = old ]
	[ "$(ls -A out)" = file ]
	[ "$(wc -l <messages)" -eq 1 ]
	grep -q 'temp' messages
	[ -z "$(ls -A temp)" ]
}
