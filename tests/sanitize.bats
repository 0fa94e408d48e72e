# SPDX-License-Identifier: BSD-2-Clause
# A part of make check-sanitizer for every day: the units and some jobs under AddressSanitizer,
# LeakSanitizer and UndefinedBehaviorSanitizer, built in the folder asan of the build folder.

load helpers

setup_file() {
	: "${GSORT_BUILD:=$PWD}" "${GSORT_SOURCE:=$(cd "$BATS_TEST_DIRNAME/.." && pwd)}"
	[ -e "$GSORT_BUILD/config.status" ] || skip "$GSORT_BUILD is no build folder"
	not_again=$(grep -c 'enable-\(sanitizer\|coverage\)' "$GSORT_BUILD/config.status" || true)
	[ "$not_again" = 0 ] || skip "this build looks for something else"
	echo 'int main(void) { return 0; }' >"$BATS_FILE_TMPDIR/try.c"
	gcc -fsanitize=address,undefined -o "$BATS_FILE_TMPDIR/try" "$BATS_FILE_TMPDIR/try.c" ||
		skip "gcc has no libraries for sanitizers"
	unset MAKEFLAGS MFLAGS MAKELEVEL GSORT
	mkdir -p "$GSORT_BUILD/asan"
	cd "$GSORT_BUILD/asan"
	[ -e config.status ] || "$GSORT_SOURCE/configure" -C --without-cuda CFLAGS='-O1 -g' \
		CXXFLAGS='-O1 -g' --enable-sanitizer=address,undefined >log
	make -j "$(nproc)" gsort tests/gen tests/measure tests/units tests/fault.so >>log
}

# clean FILE.bats: its tests hold, and the sanitizers find nothing
clean() {
	GSORT='' GSORT_BUILD=$GSORT_BUILD/asan "$GSORT_SOURCE/tests/run" "$GSORT_SOURCE/tests/$1"
}

@test "sanitizers: the units"         { clean unit.bats; }
@test "sanitizers: jobs on disk"      { clean spill.bats; }
@test "sanitizers: text and messages" { clean decode.bats; }
@test "sanitizers: compressed input"  { clean sandbox.bats; }
