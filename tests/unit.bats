# SPDX-License-Identifier: BSD-2-Clause
# The unit tables of all modules.

load helpers

# all_hold PROGRAM: of each of its modules
all_hold() {
	local module failed=''
	for module in $("$1"); do
		echo "$module:"
		"$1" "$module" || failed+=" $module"
	done
	[ -z "$failed" ] || { echo "failed:$failed"; return 1; }
}

@test "all rows of all unit tables hold" {
	all_hold units
}

@test "all rows of the tables that need a pretend GPU hold" {
	[ -x "$GSORT_BUILD/tests/units-emu" ] || skip "tests/units-emu is not built"
	all_hold "$GSORT_BUILD/tests/units-emu"
}

@test "every registered module has rows" {
	[ -n "$(units)" ]
	for module in $(units); do
		units "$module" | tail -n 1 | grep -q '^[1-9][0-9]* rows, '
	done
}

@test "a module that does not exist is an error" {
	run units no_such_module
	[ "$status" -eq 2 ]
}
