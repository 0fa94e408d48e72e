# SPDX-License-Identifier: BSD-2-Clause
# Every call to the system may fail: what tests/faults says.  Here each place that a call is
# made from, or in a hurry some; make check-slow tries all, and for three runs, in memory, on
# disk and merging, each call that is made.

load helpers

prepare() {
	[ -e "$GSORT_BUILD/tests/fault.so" ] || skip "no preloaded library here"
}

# faults HURRY RUN...: every HURRY-th place; the last line is told
faults() {
	local every=$1
	shift
	[ -z "${GSORT_SLOW-}" ] || every=1
	"$GSORT_SOURCE/tests/faults" --every "$every" "$@" >told || { cat told; return 1; }
	tail -n 1 told | sed "s/^/# $*: /" >&3
	[ "$(tail -n 1 told | sed 's/ tried: .*//')" -ge 20 ]
}

@test "a call fails: in memory" {
	faults 1 memory
	faults 4 text large floats bytes convert verify
}

@test "a call fails: selecting" {
	faults 4 unique count head header
}

@test "a call fails: other inputs" {
	faults 2 pipe
	faults 4 stdin files0 gzip zstd xz bzip2 lz4
}

@test "a call fails: other outputs" {
	faults 2 new itself
	faults 4 inplace stdout drain filter hidden hiddens
}

@test "a call fails: on disk" {
	faults 5 spill longer packed packed4 program passes
}

@test "a call fails: merging" {
	faults 2 merge
	faults 4 lists add
}

@test "a call fails: checking" {
	faults 4 check finds summary plan
}

@test "a call fails: in programs that use the library" {
	faults 3 collect smallest
}

@test "each call that is made fails: in memory, on disk, merging" {
	[ -n "${GSORT_SLOW-}" ] || skip "GSORT_SLOW is not set"
	faults 1 --all memory spill merge
}
