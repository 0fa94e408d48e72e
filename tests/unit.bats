# SPDX-License-Identifier: BSD-2-Clause
# The unit tables of all modules.

load helpers

@test "all rows of all unit tables hold" {
	failed=
	for module in $(units); do
		echo "$module:"
		units "$module" || failed+=" $module"
	done
	[ -z "$failed" ] || { echo "failed:$failed"; false; }
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
