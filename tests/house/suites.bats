# SPDX-License-Identifier: BSD-2-Clause
# Work of other projects that calls sort has the same results with gsort in its place (tests/tools/suites.sh).

load ../helpers

prepare() {
	mkdir own work
	ln -s "$(readlink -f "$GSORT")" own/sort
	cd work
}

suite() {
	left_to_slow "it takes minutes and a network"
	local status=0
	"$GSORT_SOURCE/tests/tools/suites.sh" ../own "$1" >out 2>err || status=$?
	[ $status != 77 ] || skip "$(tail -n 1 err)"
	tail -n 20 out
	[ $status = 0 ] || { tail -n 20 err; false; }
}

@test "calls of sort are made twice, and a program that does not sort is found" {
	[ "$("$GSORT_SOURCE/tests/tools/suites.sh" ../own self)" = "self: 7 results, 3 calls of sort" ]
	mkdir other
	printf '#!/bin/sh\ncat\n' >other/sort
	chmod +x other/sort
	run "$GSORT_SOURCE/tests/tools/suites.sh" other self
	[ "$status" = 1 ]
	[[ "$output" == *'> b'* ]]
}

@test "coreutils: its tests of sort" { suite coreutils; }

@test "BusyBox: its tests of sort" { suite busybox; }

@test "toybox: its tests of sort" { suite toybox; }

@test "uutils: the calls in its tests of sort" { needs python3; suite uutils; }

@test "Apple: its tests of sort" { suite apple; }

@test "git: tests that compare sorted lists" { suite git; }

@test "dash: the package that its build makes" { suite dash; }

@test "scowl: the lists of words that its build makes" { suite scowl; }
