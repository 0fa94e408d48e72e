# SPDX-License-Identifier: BSD-2-Clause
# Every call to the system may fail: what tests/faults says, for some runs in full, for those
# on disk every so often.  make check-slow tries them all.

load helpers

faults() {
	[ -e "$GSORT_BUILD/tests/fault.so" ] || skip "no preloaded library here"
	"$GSORT_SOURCE/tests/faults" "$@"
}

@test "any one call that fails: in memory" {
	faults memory
}

@test "any one call that fails: text" {
	faults text
}

@test "any one call that fails: through a pipe, in place" {
	faults pipe
}

@test "any one call that fails: merging" {
	faults merge
}

@test "some of the calls fail: on disk" {
	faults --stride "$([ -n "${GSORT_SLOW-}" ] && echo 1 || echo 20)" spill
}

@test "some of the calls fail: on disk, compressed" {
	faults --stride "$([ -n "${GSORT_SLOW-}" ] && echo 1 || echo 40)" packed
}
