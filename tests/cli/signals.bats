# SPDX-License-Identifier: BSD-2-Clause
# After any signal, the shell sees how gsort ended, the output is unchanged, and no file is left.

load ../helpers

prepare() {
	mkdir dir
	echo old >dir/out
}

# waiting COMMAND...: run it in the background with an input that does not end, as $job;
# it has opened its output when its input is being read.
waiting() {
	mkfifo in
	"$@" <in 2>err &
	job=$!
	exec 9>in
	seq 100000 >&9
}

# ended STATUS: the job ends so
ended() {
	local status=0
	wait $job || status=$?
	exec 9>&-
	[ $status = "$1" ] || { echo "status $status, not $1"; cat err; false; }
}

untouched() {
	[ "$(cat dir/out)" = old ]
	[ "$(ls -A dir)" = out ]
}

# A library that knows no O_TMPFILE, as NFS and some FUSE do not.
no_tmpfile() {
	needs cc
	cat >shim.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <fcntl.h>
		#include <stdarg.h>
		int
		open(const char *name, int flags, ...)
		{
			int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
			va_list args;
			mode_t mode;

			va_start(args, flags);
			mode = va_arg(args, mode_t);
			va_end(args);
			if ((flags & O_TMPFILE) == O_TMPFILE) {
				errno = EOPNOTSUPP;
				return -1;
			}
			return next(name, flags, mode);
		}
	END
	cc -shared -fPIC -o shim.so shim.c -ldl
}

@test "a fatal signal ends gsort by that signal, and the output is as it was" {
	for signal in INT:130 TERM:143 HUP:129 XCPU:152 USR2:140; do
		# Bash ignores SIGINT in background jobs: env gives it back
		waiting env --default-signal gsort -o dir/out
		kill -s ${signal%:*} $job
		ended ${signal#*:}
		rm in
		untouched
	done
}

holds_two() {
	[ "$(ls -A "$1" | wc -l)" = 2 ]
}

@test "without O_TMPFILE the hidden file is removed" {
	no_tmpfile
	for signal in INT:130 TERM:143 HUP:129; do
		waiting env --default-signal LD_PRELOAD="$PWD/shim.so" gsort -o dir/out
		eventually holds_two dir		# the shim works
		kill -s ${signal%:*} $job
		ended ${signal#*:}
		rm in
		untouched
	done
}

@test "there, too, the output is replaced in the end" {
	no_tmpfile
	seq 3 | LD_PRELOAD=$PWD/shim.so gsort -r -o dir/out
	[ "$(cat dir/out)" = "$(printf '3\n2\n1')" ]
	[ "$(ls -A dir)" = out ]
	echo x | not env LD_PRELOAD="$PWD/shim.so" gsort -o dir/out
	[ "$(cat dir/out)" = "$(printf '3\n2\n1')" ]
	[ "$(ls -A dir)" = out ]
}

@test "SIGKILL leaves nothing behind" {
	waiting gsort -o dir/out
	kill -KILL $job
	ended 137
	untouched
}

@test "a signal that was ignored at the start stays ignored" {
	mkfifo in
	(trap '' HUP TERM; exec gsort -o dir/out <in) &
	job=$!
	exec 9>in
	seq 3 >&9
	eventually has_open $job "$PWD/dir/*"
	kill -HUP $job
	kill -TERM $job
	exec 9>&-
	wait $job
	[ "$(cat dir/out)" = "$(seq 3)" ]
}

@test "a size limit leaves the output as it was" {
	seq 100000 >many
	for command in '' 'trap "" XFSZ;'; do	# no signal ends it: there is a message
		run bash -c "$command ulimit -f 8; gsort many -o dir/out"
		[ "$status" -eq 2 ]
		[[ $output == "gsort: "*"File too large"* ]]
		untouched
	done
}

@test "an ignored SIGCHLD harms nothing" {
	[ "$(trap '' CHLD; printf '2\n1\n' | gsort)" = "$(seq 2)" ]
}

@test "SIGUSR1 ends nothing, at whatever moment it comes" {
	mkfifo in
	for ((i = 0; i < 20; i++)); do
		gsort -q -o out <in 2>err &
		job=$!
		exec 9>in
		seq 1000 >&9
		eventually awaits $job USR1	# until then it is as for any program
		kill -USR1 $job
		seq 1001 2000 >&9
		exec 9>&-
		sleep 0.00$((i / 2))
		kill -USR1 $job || true
		wait $job
		seq 2000 | cmp - out
	done
}
