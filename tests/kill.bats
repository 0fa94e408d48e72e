# SPDX-License-Identifier: BSD-2-Clause
# A run that ends before its time: the output is as it was or complete, and no
# temporary file is left.  KILL_ROUNDS=100 for a long night.
#
# How long a run takes is measured, so that the signals come all over it; the shell ignores
# SIGINT in what it runs in the background, so env gives it back.

load helpers

prepare() {
	RANDOM=${KILL_SEED:-5}
	mkdir temp out
	gen --seed 11 --keys 2000000 --type u64 >in
	gsort -u64 in >sorted
	rounds=${KILL_ROUNDS:-6}
	interruptions=0
	began=$(date +%s%N)
	gsort -u64 -S 16M -T temp in >again
	run_us=$((($(date +%s%N) - began) / 1000))
	cmp again sorted
}

# interrupted SIGNAL COMMAND...: after a random time; its status must be that of a death
# by SIGNAL, or 0 when it was too late
interrupted() {
	local signal=$1 status=0 number pid wait_us
	shift
	number=$(kill -l "$signal")
	env --default-signal "$@" 2>messages &
	pid=$!
	wait_us=$((run_us * (RANDOM % 120) / 100))
	sleep "$((wait_us / 1000000)).$(printf '%06d' $((wait_us % 1000000)))"
	kill -s "$signal" $pid 2>/dev/null || true
	wait $pid || status=$?
	case $status in
	0) ;;
	$((128 + number))) interruptions=$((interruptions + 1)) ;;
	*) echo "status $status after SIG$signal"; cat messages; return 1 ;;
	esac
	[ ! -s messages ] || { cat messages; return 1; }
}

# whole BEFORE: out/file is BEFORE or sorted, and nothing else is there
whole() {
	cmp -s out/file "$1" || cmp out/file sorted || return 1
	[ "$(ls -A out)" = file ] && [ -z "$(ls -A temp)" ] || { ls -lA out temp; return 1; }
}

ends_well() {
	local signal=$1 round
	for ((round = 0; round < rounds; round++)); do
		echo old >out/file
		echo old >before
		interrupted "$signal" gsort -u64 -S 16M -T temp -o out/file in
		whole before
		cp in out/file
		interrupted "$signal" gsort -u64 -S 16M -T temp -o out/file out/file
		whole in
	done
	[ $interruptions -gt 0 ]
}

@test "SIGKILL at any moment" { ends_well KILL; }
@test "SIGTERM at any moment" { ends_well TERM; }
@test "SIGINT at any moment" { ends_well INT; }
@test "SIGHUP at any moment" { ends_well HUP; }

@test "a merge interrupted at any moment" {
	split -b 4000000 in part.
	for file in part.*; do gsort -u64 -o $file $file; done
	for ((round = 0; round < rounds; round++)); do
		echo old >out/file
		echo old >before
		interrupted KILL gsort -u64 -m -S 16M --batch-size=2 -T temp -o out/file part.*
		whole before
	done
	[ $interruptions -gt 0 ]
}

@test "a limit of the size of files: the old output stays" {
	echo old >out/file
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
