# SPDX-License-Identifier: BSD-2-Clause
#
# helpers.bash - what every test file loads
#
# A test starts in an empty folder of its own.  PATH has gsort (by this name, however the
# program under test is called), gsort-emu, and the tools gen, measure and units.
#
# GSORT_BUILD is the build folder [.]; or, on a host where nothing was built, a folder with the
# programs in bin/ and the tests in tests/ (README.md, "On a GPU host").

: "${GSORT_SOURCE:=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}"
if [ -z "${GSORT_BUILD-}" ]; then
	GSORT_BUILD=$PWD
	[ -x gsort ] || ! [ -x "$GSORT_SOURCE/bin/gsort" ] || GSORT_BUILD=$GSORT_SOURCE
fi

# built PATH: that program of the build folder, wherever it is
built() {
	if [ -e "$GSORT_BUILD/$1" ]; then echo "$GSORT_BUILD/$1"; else echo "$GSORT_BUILD/bin/${1##*/}"; fi
}

: "${GSORT:=$(built gsort)}"
export GSORT_BUILD GSORT GSORT_SOURCE
# Threads of OpenMP that wait must not take the processor of another test.
export OMP_WAIT_POLICY=passive

# make_bin FOLDER: once for all rows of a file, which took as long to make it as an empty row takes
make_bin() {
	local program
	mkdir "$1"
	ln -sf "$GSORT" "$1/gsort"
	for program in gsort-emu gsort-ways tests/tools/gen tests/tools/measure tests/unit/units; do
		[ ! -x "$(built "$program")" ] || ln -sf "$(built "$program")" "$1/${program##*/}"
	done
}

# shellcheck disable=SC2034  # the variables are of Bats
# row_failed: instead of bats_error_trap, for rows whose commands Bats does not follow
row_failed() {
	bats_error_trap
	bats_capture_stack_trace
	# A row that returns 1 says itself what is wrong; its line is not known any more.
	[ "${FUNCNAME[1]}" != bats_perform_test ] || BATS_DEBUG_LAST_STACK_TRACE=()
}

# follow_failures_only: Bats notes the line of each command before it runs, in case it fails.  That took
# longer than most commands: 5,000 turns of a loop 3.9 s, without it 0.03.  Here a command is noted once
# it has failed.
# shellcheck disable=SC2034
follow_failures_only() {
	[ -n "${BATS_DEBUG_LAST_STACK_TRACE_IS_VALID+set}" ] || return 0	# Bats before 1.5
	trap - DEBUG
	trap row_failed ERR
	BATS_DEBUG_LASTLAST_STACK_TRACE=()
}

setup() {
	follow_failures_only
	# Bats before 1.4, as in Ubuntu 22.04, makes no folder for a test.
	: "${BATS_TEST_TMPDIR:=$(mktemp -d -p "${BATS_RUN_TMPDIR:-}")}"
	mkdir -p "${BATS_TEST_TMPDIR:?}/work"
	local bin=${BATS_RUN_TMPDIR:-$BATS_TEST_TMPDIR}/bin
	[ -d "$bin" ] || make_bin "$bin"
	PATH=$bin:$PATH
	cd "$BATS_TEST_TMPDIR/work" || return 1
	unset GSORT_DEVICE POSIXLY_CORRECT
	export LC_ALL=C
	if declare -F prepare >/dev/null; then prepare; fi
}

# For setup_file: a folder for what all tests of a file use.  Bats before 1.4 makes none; and
# before 1.8.2 setup_file cannot skip.
file_folder() {
	: "${BATS_FILE_TMPDIR:=$(mktemp -d -p "${BATS_RUN_TMPDIR:-}")}"
	export BATS_FILE_TMPDIR
}

# GSORT_TIMES: a file for the seconds of processors that each row takes; tests/run --timing
teardown() {
	cd / && rm -rf "${BATS_TEST_TMPDIR:?}/work"
	[ -z "${GSORT_TIMES-}" ] || { times >"$BATS_TEST_TMPDIR/times"; row_time >>"$GSORT_TIMES"; }
}

# row_time: the sum of what times(1) prints, and the row
row_time() {
	LC_ALL=C awk -F '[ms ]' -v row="${BATS_TEST_FILENAME##*/}: $BATS_TEST_DESCRIPTION" \
		'{ sum += 60 * ($1 + $4) + $2 + $5 } END { printf "%7.2f %s\n", sum, row }' "$BATS_TEST_TMPDIR/times"
}

# Skip the test unless gsort can really sort on a GPU; for make check-gpu, fail.
needs_gpu() {
	gen --keys 16 >gpu-probe
	if ! gsort -u32 --device=gpu gpu-probe >gpu-sorted 2>gpu-error; then
		[ -z "${GSORT_GPU-}" ] || { cat gpu-error; return 1; }
		skip "no GPU: $(head -n 1 gpu-error)"
	fi
	rm -f gpu-probe gpu-sorted gpu-error
}

# Is this a build of configure --enable-sanitizer?
is_sanitized() {
	: "${sanitizer_found:=$(grep -aqm1 '__[amt]san_init' "$GSORT" && echo yes || echo no)}"
	[ "$sanitizer_found" = yes ]
}

# skips_under_sanitizer REASON
skips_under_sanitizer() {
	not is_sanitized || skip "under a sanitizer $1"
}

# Skip the test unless these programs are installed.
needs() {
	local program
	for program; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# left_to_ci WHAT, left_to_slow WHAT: skip the test unless this is .ci/run, which sets GSORT_CI,
# or make check-slow, which sets both.
left_to_ci() {
	[ -n "${GSORT_CI-}" ] || skip "left to .ci/run: $1"
}

left_to_slow() {
	[ -n "${GSORT_SLOW-}" ] || skip "left to make check-slow: $1"
}

# The same as needs, but make check-gpu fails without them.
needs_for_gpu() {
	[ -z "${GSORT_GPU-}" ] || command -v "$@" >/dev/null || return 1
	needs "$@"
}

# Skip the test unless files here can be without a name (O_TMPFILE; overlayfs of older kernels
# knows none): else SIGKILL may leave a hidden one, as the manual says.
needs_unnamed_files() {
	! command -v python3 >/dev/null ||
		python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_WRONLY)' 2>/dev/null ||
		skip "unnamed files are missing here"
}

# same_keys A B TYPE: the same multiset of keys.
same_keys() {
	local a b
	a=$(gen --type "$3" --digest "$1") && b=$(gen --type "$3" --digest "$2") || return 1
	[ "$a" = "$b" ] || { echo "$1: $a; $2: $b"; return 1; }
}

# is_sorted FILE TYPE [--reverse] [--unique]
is_sorted() {
	gen --check "$1" --type "${2:?}" "${@:3}"
}

# peak_within KIB COMMAND...: its largest resident set is no more.
peak_within() {
	local most=$1 peak
	shift
	measure took "$@" || return 1
	read -r _ peak _ <took
	echo "peak $peak KiB of $most: $*"
	[ "$peak" -le "$most" ]
}

# not COMMAND...: it fails.  (A bare "! COMMAND" never fails a test.)
not() {
	! "$@"
}

# library_flags: what a program outside the build needs, behind its source, to be linked to the
# library that was built
library_flags() {
	local libs
	libs=$(sed -n 's/^STDCXX_LIBS = //p; s/^LIBS = //p' "$GSORT_BUILD/Makefile" | tr '\n' ' ')
	echo "-I$GSORT_SOURCE/src $GSORT_BUILD/libgsort.a $libs"
}

# compiler: the C compiler of the build, with its flags, such as those of a sanitizer
compiler() {
	sed -n 's/^CC = //p; s/^CFLAGS = //p' "$GSORT_BUILD/Makefile" | tr '\n' ' '
}

# fails PATTERN COMMAND...: exit status 2, nothing on standard output, and one
# message (and perhaps the line that names --help) that matches the pattern.
fails() {
	local pattern=$1 status=0
	shift
	"$@" >fails-out 2>fails-err || status=$?
	if [ $status -ne 2 ] || [ -s fails-out ] ||
	   [ "$(grep -vc "^Try 'gsort --help'" fails-err)" != 1 ] ||
	   ! grep -q -- "^gsort\(-emu\)\?: .*$pattern" fails-err; then
		echo "status $status of: $*"
		cat fails-err
		return 1
	fi
}

# eventually COMMAND...: it succeeds within half a minute.  (Never a fixed sleep: what takes
# a moment here takes seconds on a loaded machine.)
eventually() {
	local try
	for ((try = 0; try < 600; try++)); do
		if "$@"; then return 0; fi
		sleep 0.05
	done
	echo "never: $*"
	return 1
}

# has_open PID GLOB: one of the files that the process has open has such a name
has_open() {
	[ -n "$(find "/proc/$1/fd" -lname "$2" 2>/dev/null)" ]
}

# awaits PID SIGNAL: the process has a handler for it, or blocks it to fetch it.  Until it is the program, it is
# a child of the shell, which blocks all signals for a moment in fork(2).
awaits() {
	local mask
	[ ! "/proc/$1/exe" -ef "/proc/$$/exe" ] || return 1
	while read -r mask; do
		[ $((0x$mask >> ($(kill -l "$2") - 1) & 1)) = 0 ] || return 0
	done < <(sed -n 's/^Sig\(Cgt\|Blk\):[[:space:]]*//p' "/proc/$1/status")
	return 1
}
