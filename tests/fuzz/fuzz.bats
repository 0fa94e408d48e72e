#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
#
# Every fuzz target on its seeds and on some changes of them, the same ones each time.  `make fuzz`
# tries more (tests/fuzz/run.sh).

load ../helpers

# A third of the changes in ./bootstrap check, ten times as many in make check-slow.
fuzz() { # TARGET CHANGES
	local changes=$2
	[ -n "${GSORT_CI-}" ] || changes=$(($2 / 3))		# ./bootstrap check
	[ -z "${GSORT_SLOW-}" ] || changes=$(($2 * 10))
	"$BATS_TEST_DIRNAME/seeds.sh" "$1" seeds
	run "$GSORT_BUILD/tests/fuzz/fuzzers" "$1" -runs="$changes" -seed=1 seeds
	echo "${lines[@]: -5}"
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "$changes changes of what was given, none failed" ]
}

@test "fuzz: facts of the planner" { fuzz plan 20000; }
@test "fuzz: command lines" { fuzz opts 5000; }
@test "fuzz: text, cut anywhere" { fuzz text 3000; }
@test "fuzz: floats, there and back" { fuzz floats 20000; }
@test "fuzz: compressed and damaged input" { fuzz inflate 150; }
@test "fuzz: headers of several inputs" { fuzz header 1500; }
@test "fuzz: merges and checks" { fuzz merge 200; }
@test "fuzz: records and their keys" { fuzz records 300; }
@test "fuzz: lines and their keys" { fuzz lines 6000; }
@test "fuzz: runs on disk, whole and damaged" { fuzz spill 1000; }
@test "fuzz: sorts of any kind" { fuzz sort 150; }
@test "fuzz: calls of the library" { fuzz calls 1500; }

@test "fuzz: a missing target is not reported as a failure" {
	run "$GSORT_BUILD/tests/fuzz/fuzzers" no-such
	[ "$status" -eq 2 ]
	[[ ${lines[0]} == usage:* ]]
	[ "${#lines[@]}" -eq "$((1 + $(grep -c '^TARGET' "$BATS_TEST_DIRNAME/targets.def")))" ]
}
