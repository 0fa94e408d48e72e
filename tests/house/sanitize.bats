# SPDX-License-Identifier: BSD-2-Clause
# A part of make check-sanitizer for every day: the units and some jobs under AddressSanitizer,
# LeakSanitizer and UndefinedBehaviorSanitizer, built in the folder asan of the build folder.

load ../helpers

# why_not: the reason if that cannot be built here
why_not() {
	if ! [ -e "$GSORT_BUILD/config.status" ]; then
		echo "$GSORT_BUILD is no build folder"
	elif grep -q 'enable-\(sanitizer\|coverage\)' "$GSORT_BUILD/config.status"; then
		echo "this build looks for something else"
	elif ! gcc -fsanitize=address,undefined -o "$1/try" -x c - <<<'int main(void) { return 0; }'; then
		echo "gcc has no libraries for sanitizers"
	fi
}

setup_file() {
	file_folder
	WHY_NOT=$(why_not "$BATS_FILE_TMPDIR" 2>/dev/null)
	export WHY_NOT
	[ -z "$WHY_NOT" ] || return 0
	unset MAKEFLAGS MFLAGS MAKELEVEL GSORT
	mkdir -p "$GSORT_BUILD/asan"
	cd "$GSORT_BUILD/asan"
	[ -e config.status ] || "$GSORT_SOURCE/configure" -C --without-cuda CFLAGS='-O1 -g' \
		CXXFLAGS='-O1 -g' --enable-sanitizer=address,undefined >log
	make -j "$(nproc)" gsort tests/tools/gen tests/tools/measure tests/unit/units tests/fault/fault.so >>log
}

prepare() {
	[ -z "$WHY_NOT" ] || skip "$WHY_NOT"
}

# clean FOLDER/FILE.bats: its tests hold, and the sanitizers find nothing
clean() {
	GSORT='' GSORT_BUILD=$GSORT_BUILD/asan "$GSORT_SOURCE/tests/run" "$GSORT_SOURCE/tests/$1"
}

@test "sanitizers: the units"         { clean unit/unit.bats; }
@test "sanitizers: jobs on disk"      { clean cli/spill.bats; }
@test "sanitizers: text and messages" { clean cli/decode.bats; }
@test "sanitizers: compressed input"  { clean cli/sandbox.bats; }
