# SPDX-License-Identifier: BSD-2-Clause
# The bar of progress, and the line for SIGUSR1.

load ../helpers

prepare() {
	seq 1000 >numbers
	unset COLUMNS
}

# on_terminal COMMAND: a shell runs it with standard error on a terminal 60 columns wide;
# what it shows is in the file shown, and the command's status in status.
on_terminal() {
	needs script
	SHELL=$BASH script -qec "stty cols 60; { $1; }; echo \$? >status" shown >/dev/null </dev/null
	# script(1) adds a line before and one after, and an empty one
	sed -i '/^Script \(started\|done\)/d' shown
	sed -i '${/^$/d}' shown
}

# An input that takes a while.
slow() {
	seq 500
	sleep "${1:-1.6}"
	seq 500
}
export -f slow

@test "a bar is drawn after a second and erased in the end" {
	on_terminal 'slow | gsort --progress -o out'
	[ "$(cat status)" = 0 ]
	[ "$(wc -l <out)" = 1000 ]
	grep -q 'read .* | 0:0[1-9]' shown
	# the last thing is a line of blanks between two carriage returns
	tail -c 200 shown | tr '\r' '\n' | tail -n 2 | head -n 1 | grep -qE '^ *$'
	not grep -q "gsort" shown
}

@test "a wide terminal has a bar, and nothing is drawn while nothing is read" {
	on_terminal 'stty cols 120; slow | gsort --progress=3500 -o out'
	tr '\r' '\n' <shown | grep -qE '^\[####*-*\] read [1-9][0-9]*% '
	on_terminal 'stty cols 120; slow | gsort --progress -o out'	# of what?
	not grep -q '\[#' shown
	on_terminal '{ sleep 1.5; seq 3; } | gsort --progress -o out'
	not grep -q 'read 0B' shown
	[ "$(cat out | tr '\n' ' ')" = "1 2 3 " ]
}

# The last thing shown is a line of blanks between two carriage returns.
is_erased() {
	tr '\r' '\n' <shown | grep -q 'read .*|'
	tail -c 200 shown | tr '\r' '\n' | tail -n "${1:-2}" | head -n 1 | grep -qE '^ +$'
}

@test "a signal leaves no bar behind" {
	for signal in INT TERM HUP; do
		on_terminal "{ seq 5; sleep 2; } | timeout -s $signal 1.5 gsort --progress -o out"
		is_erased
		[ ! -e out ]
	done
}

# alone LINE COMMAND: it stands on a line of its own.  On a machine so busy that gsort waits 0.2 s between erasing its
# bar and the first byte of output, the bar is drawn again: so three times.
alone() {
	for _ in 1 2 3; do
		on_terminal "$2"
		! tr '\r' '\n' <shown | grep -qx "$1" || return 0
	done
	return 1
}

@test "a program that reads the output finds no bar on its line" {
	alone 1 'slow | gsort --progress | head -n 1'
	alone 500 'slow | gsort -v | { sleep 1; cat; }'
	alone 1 'slow | gsort --lines --progress | head -n 1'
	seq 2 3 >few
	alone 1 'slow | gsort --union - few --progress | head -n 1'
}

@test "a bar is drawn at most five times a second, within the width of the terminal" {
	began=$(date +%s%N)
	on_terminal 'slow 2 | gsort --progress -o out'
	most=$((($(date +%s%N) - began) / 200000000 - 4))	# none in the first second
	tr '\r' '\n' <shown | grep -c read >count
	[ "$(cat count)" -ge 2 ]
	[ "$(cat count)" -le $most ]
	tr '\r' '\n' <shown | awk 'length > 59 { exit 1 }'
}

@test "COLUMNS is the width if the terminal does not report one" {
	on_terminal 'stty cols 0; slow | COLUMNS=30 gsort --progress -o out'
	tr '\r' '\n' <shown | grep -q read
	tr '\r' '\n' <shown | awk 'length > 29 { exit 1 }'
}

@test "a job that takes less than a second draws nothing" {
	local began
	quickly() { began=$(date +%s%N); on_terminal "$1"; [ $(($(date +%s%N) - began)) -lt 1000000000 ]; }
	eventually quickly 'gsort --progress -v numbers -o out'		# on a busy machine a job may take longer
	not grep -q 'read .*|' shown
	grep -q '^gsort: 1000 keys' shown
}

@test "-v on a terminal draws; -q and --progress=never do not" {
	on_terminal 'slow | gsort -v -o out'
	grep -q 'read .*| 0:0[1-9]' shown
	grep -q 'gsort: 1000 keys' shown
	for options in '-v -q' '--progress -q' '-v --progress=never' '--progress=always --progress=never'; do
		on_terminal "slow 1.3 | gsort $options -o out"
		not grep -q 'read .*|' shown
	done
}

@test "without -v or --progress nothing is drawn" {
	on_terminal 'slow 1.3 | gsort -o out'
	[ ! -s shown ]
}

@test "without a terminal --progress and -v draw nothing" {
	slow 1.3 | gsort --progress -o out 2>err
	[ ! -s err ]
	slow 1.3 | gsort -v -o out 2>err
	[ "$(wc -l <err)" = 1 ]
}

@test "--progress=always without a terminal prints whole lines, every ten seconds" {
	left_to_ci "ten seconds of progress"
	slow 10.5 | gsort --progress=always -o out 2>err
	[ "$(wc -l <err)" = 1 ]
	grep -qE '^gsort: read [0-9.]+(B|KiB) [^|]*\| 0:1[0-9]$' err
	not grep -q "$(printf '\r')" err
}

@test "the bar is gone before output comes to its terminal" {
	on_terminal 'slow | gsort --progress'
	grep -q 'read .*|' shown
	# from the first number on, only numbers
	tr -d '\r' <shown | sed 's/^.*0:0[1-9] *//; s/^ *//' | tail -n 1000 >lines
	{ seq 500; seq 500; } | sort -n | diff - lines
}

@test "a message has a line of its own" {
	on_terminal '{ slow; echo x; } | gsort --progress -o out'
	[ "$(cat status)" = 2 ]
	tr '\r' '\n' <shown | grep -q '^gsort: .*x'
}

@test "a percentage is shown if the size is known, or promised" {
	on_terminal 'slow | gsort --progress=1000000 -o out'
	grep -q 'read 0% ' shown
	on_terminal 'slow | gsort --progress -o out'
	not grep -q 'read [0-9]*%' shown
	on_terminal 'slow | gsort -c --progress=1000000'
	grep -q 'read 0% ' shown
}

# --- SIGUSR1 ---------------------------------------------------------------------

# tells PATTERN: what it answers when it is asked
tells() {
	kill -USR1 $job
	tail -n 1 err | grep -qE "$1"
}

# has_lines FILE LINES
has_lines() {
	[ "$(wc -l <"$1")" = "$2" ]
}

@test "SIGUSR1 prints one line, even with -q, and the job continues" {
	mkfifo in
	gsort -q -o out <in 2>err &
	job=$!
	exec 9>in
	seq 1000 >&9
	eventually awaits $job USR1
	kill -USR1 $job
	eventually has_lines err 1
	grep -qE '^gsort: (opening|read [^|]* \| 0:)' err
	kill -USR1 $job
	eventually has_lines err 2
	exec 9>&-
	wait $job
	seq 1000 | cmp - out
}

# asked JOB: it answers with a speed
asked() {
	kill -USR1 "$1"
	grep -qE '^gsort: read [^|]*/s' err
}

@test "a set of keys reads: it says how fast" {
	mkfifo in
	seq 1000 >one
	gsort --union -o out one in 2>err &
	job=$!
	exec 9>in
	seq 501 1500 >&9
	eventually awaits $job USR1
	eventually asked $job
	exec 9>&-
	wait $job
	seq 1500 | cmp - out
}

@test "SIGUSR1 is answered without a thread, too, while the output is waited for" {
	mkfifo out
	gsort numbers -o out 2>err &	# opening it waits for a reader
	job=$!
	eventually awaits $job USR1
	for lines in 1 2 3; do
		kill -USR1 $job
		eventually has_lines err $lines
	done
	grep -q '^gsort: opening the input$' err
	cat out | cmp - numbers
	wait $job
}

@test "of compressed files the share that is read is known" {
	needs zstd gzip
	gen --seed 7 --keys 1000000 --type u64 >keys
	gsort -u64 keys -o keys
	for how in 'zstd -qc|-u64' 'gzip -c1|-u64' 'gzip -c1|--record-size=8 -k u64@0'; do
		${how%|*} keys >packed
		mkfifo out
		exec 8<>out
		# shellcheck disable=SC2086
		gsort ${how#*|} -m --decompress=auto packed >out 2>err &
		job=$!
		eventually awaits $job USR1
		eventually tells '^gsort: read [1-9][0-9]*% [0-9.]*[KM]iB [^/]*\| '
		{ head -c 8000000 <&8; } | cmp - keys
		wait $job
		exec 8>&-
		rm out
	done
}

@test "SIGUSR1 is answered while inputs are being opened" {
	mkfifo in
	gsort -o out in 2>err &
	job=$!
	eventually awaits $job USR1
	kill -USR1 $job
	eventually has_lines err 1
	grep -qE '^gsort: (opening the input|read 0B .*)$' err
	seq 3 >in
	wait $job
}

@test "runs, what is written, and the time that is left" {
	gen --seed 7 --keys 3000000 --type u64 >keys
	mkfifo in out
	exec 8<>out
	gsort -q -u64 -S 1 -T . --progress=24000000 <in >out 2>err &
	job=$!
	exec 9>in
	eventually awaits $job USR1
	head -c 20000000 keys >&9
	eventually tells '^gsort: read 8[0-9]% .*/22.9MiB .* \| sorted [1-9][0-9]*/[1-9][0-9]* runs \| [0-9:]* eta '
	tail -c +20000001 keys >&9
	exec 9>&-
	eventually tells '^gsort: read 100% .* \| write [1-9][0-9]*% .* eta '	# no one reads: it waits
	gsort -u64 keys -o expected
	head -c 24000000 <&8 | cmp - expected
	wait $job
	exec 8>&-
}

@test "a terminal that does not block gets all of the output" {
	needs perl
	seq 100000 >many
	on_terminal 'perl -MFcntl -e "fcntl(STDOUT, F_SETFL, O_RDWR | O_NONBLOCK) or die"; gsort -v --progress many'
	[ "$(cat status)" = 0 ]
	tr -d '\r' <shown | grep -x '[0-9]*' | cmp - many
}
