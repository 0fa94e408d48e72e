# SPDX-License-Identifier: BSD-2-Clause
# The unit tables of all modules.

load ../helpers

# all_hold PROGRAM: each of its modules has rows, and all of them hold
all_hold() {
	local module failed=''
	[ -n "$("$1")" ] || return 1
	for module in $("$1"); do
		echo "$module:"
		"$1" "$module" >rows || failed+=" $module"
		cat rows
		grep -q '^[1-9][0-9]* rows, 0 failed$' rows || failed+=" $module"
	done
	[ -z "$failed" ] || { echo "failed:$failed"; return 1; }
}

@test "all rows of all unit tables hold" {
	all_hold units
}

@test "all rows of the tables that need a pretend GPU hold" {
	[ -x "$GSORT_BUILD/tests/unit/units-emu" ] || skip "tests/unit/units-emu is not built"
	not grep -aqm1 __tsan_init "$GSORT" || skip "under a sanitizer OpenMP's locks are not seen"
	all_hold "$GSORT_BUILD/tests/unit/units-emu"
}

@test "a module that does not exist is an error" {
	run units no_such_module
	[ "$status" -eq 2 ]
}
