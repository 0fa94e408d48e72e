#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Any input, a little of it: every fuzz target on its seeds and so many changes of them, the
# same ones each time.  `make fuzz` is for more (tests/fuzz/run.sh).

load ../helpers

# Long enough for what is changed to be something else, short enough for every day.
fuzz() { # TARGET CHANGES
	"$BATS_TEST_DIRNAME/seeds.sh" "$1" seeds
	run "$GSORT_BUILD/tests/fuzz/fuzzers" "$1" -runs="$2" -seed=1 seeds
	echo "${lines[@]: -5}"
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "$2 changes of what was given, none failed" ]
}

@test "fuzz: facts of the planner" { fuzz plan 20000; }
@test "fuzz: command lines" { fuzz opts 5000; }
@test "fuzz: text, cut anywhere" { fuzz text 3000; }
@test "fuzz: floats, there and back" { fuzz floats 20000; }
@test "fuzz: compressed and damaged input" { fuzz inflate 150; }
@test "fuzz: headers of several inputs" { fuzz header 1500; }
@test "fuzz: merges and checks" { fuzz merge 200; }
@test "fuzz: runs on disk, whole and damaged" { fuzz spill 1000; }
@test "fuzz: sorts of any kind" { fuzz sort 150; }

@test "fuzz: a target that is not there is told apart from a failure" {
	run "$GSORT_BUILD/tests/fuzz/fuzzers" no-such
	[ "$status" -eq 2 ]
	[[ ${lines[0]} == usage:* ]]
	[ "${#lines[@]}" -eq "$((1 + $(grep -c '^TARGET' "$BATS_TEST_DIRNAME/targets.def")))" ]
}
