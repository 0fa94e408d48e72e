# SPDX-License-Identifier: BSD-2-Clause
# A part of make check-sanitizer for .ci/run, beside sanitize.bats: what shares most between threads, with
# ThreadSanitizer, in the folder tsan of the build folder.

load ../helpers
load sanitized

setup_file() {
	file_folder
	build_for_ci tsan thread
}

# tables MODULE...: unit tables with ThreadSanitizer
tables() {
	TSAN_OPTIONS=exitcode=99:die_after_fork=0 "$GSORT_BUILD/tsan/tests/unit/units" "$@"
}

@test "thread: the tables of teams and merges" { tables team external_merge input spill; }
@test "thread: runs on disk"                  { clean tsan cli/spill.bats 'one file|compressed if'; }
@test "thread: text"                          { clean tsan cli/encode.bats 'text becomes binary'; }
@test "thread: lines that are read ahead" {
	seq 1000000 | TSAN_OPTIONS=exitcode=99 "$GSORT_BUILD/tsan/gsort" --lines --parallel=4 >out
	seq 1000000 | sort | cmp - out
}
@test "thread: operands of a set, with a header, too" {
	local header
	seq 0 99999 >a
	seq 0 2 99999 >b
	for header in '' --header; do
		TSAN_OPTIONS=exitcode=99 "$GSORT_BUILD/tsan/gsort" --union $header --parallel=4 a b >out
		cmp a out
	done
}
@test "thread: merges of numbers and of lines, with a header, too" {
	local option
	seq 0 2 199999 >a
	{ echo 0; seq 1 2 199999; } >b
	for option in -n '-n --header' -k1,1n '-k1,1n --header'; do
		TSAN_OPTIONS=exitcode=99 "$GSORT_BUILD/tsan/gsort" -m $option --parallel=4 a b >out
		gsort $option a b | cmp - out
	done
}
