# SPDX-License-Identifier: BSD-2-Clause
# The unit tables of all modules.

load ../helpers

# all_hold PROGRAM: each of its modules has rows, and all of them hold.  glibc finds writes beyond the end of a block of
# memory when it is freed; modules that take a third longer with it go without, and kernels, which allocate nothing.
# And units_memory() counts.
all_hold() {
	local module failed='' library=libc_malloc_debug.so.0
	not grep -aqm1 -e __asan_init -e __tsan_init "$GSORT" || library=''
	[ -n "$("$1")" ] || return 1
	for module in $("$1"); do
		echo "$module:"
		case $1:$module in
			*-emu:*|*:array|*:inflate|*:select|*:text_decoder) "$1" "$module" ;;
			*) LD_PRELOAD=$library GLIBC_TUNABLES=glibc.malloc.check=3:glibc.malloc.tcache_count=0 "$1" "$module" ;;
		esac >rows || failed+=" $module"
		cat rows
		grep -q '^[1-9][0-9]* rows, 0 failed$' rows || failed+=" $module"
	done
	[ -z "$failed" ] || { echo "failed:$failed"; return 1; }
}

@test "all rows of all unit tables hold" {
	all_hold units
}

@test "all rows of the tables that need the emulated GPU hold" {
	[ -x "$GSORT_BUILD/tests/unit/units-emu" ] || skip "tests/unit/units-emu is not built"
	not grep -aqm1 __tsan_init "$GSORT" || skip "under a sanitizer OpenMP's locks are not seen"
	all_hold "$GSORT_BUILD/tests/unit/units-emu"
}

@test "a module that does not exist is an error" {
	run units no_such_module
	[ "$status" -eq 2 ]
}
