# SPDX-License-Identifier: BSD-2-Clause
# A part of make check-sanitizer for .ci/run: unit tables and jobs of each kind with AddressSanitizer,
# LeakSanitizer and UndefinedBehaviorSanitizer, and those that share most between threads with
# ThreadSanitizer.  The builds are in the folders asan and tsan of the build folder.

load ../helpers

# why_not: the reason if that cannot be built here
why_not() {
	if ! [ -e "$GSORT_BUILD/config.status" ]; then
		echo "$GSORT_BUILD is no build folder"
	elif grep -q 'enable-\(sanitizer\|coverage\)' "$GSORT_BUILD/config.status"; then
		echo "this build looks for something else"
	elif ! gcc -fsanitize=address,undefined -o "$1/try" -x c - <<<'int main(void) { return 0; }' ||
	     ! gcc -fsanitize=thread -o "$1/try" -x c - <<<'int main(void) { return 0; }'; then
		echo "gcc has no libraries for sanitizers"
	fi
}

# build FOLDER SANITIZERS TARGET...
build() {
	mkdir -p "$GSORT_BUILD/$1"
	cd "$GSORT_BUILD/$1" || return 1
	[ -e config.status ] || "$GSORT_SOURCE/configure" -C --without-cuda CFLAGS='-O1 -g1' \
		CXXFLAGS='-O1 -g1' --enable-sanitizer="$2" >log || return 1
	# By itself: config.status closes descriptors 5 and 6, where Bats and make -j have a pipe.
	make Makefile >>log || return 1
	make -j "$(nproc)" gsort tests/tools/gen tests/tools/measure tests/unit/units "${@:3}" >>log
}

setup_file() {
	file_folder
	[ -n "${GSORT_CI-}" ] || return 0
	WHY_NOT=$(why_not "$BATS_FILE_TMPDIR" 2>/dev/null)
	export WHY_NOT
	[ -z "$WHY_NOT" ] || return 0
	unset MAKEFLAGS MFLAGS MAKELEVEL GSORT
	build asan address,undefined tests/fault/fault.so examples/smallest examples/collect examples/ranks
	build tsan thread
}

prepare() {
	left_to_ci "$BATS_TEST_DESCRIPTION"
	[ -z "$WHY_NOT" ] || skip "$WHY_NOT"
	unset GSORT_CI GSORT_SLOW	# a sanitizer makes each row three times as long, or ten
}

# clean BUILD FILE.bats [REGEX]: its rows hold, or those whose name matches; sanitizers find nothing
clean() {
	GSORT='' GSORT_BUILD=$GSORT_BUILD/$1 "$GSORT_SOURCE/tests/run" ${3:+--filter "$3"} \
		"$GSORT_SOURCE/tests/$2"
}

# tables MODULE...: unit tables with ThreadSanitizer
tables() {
	TSAN_OPTIONS=exitcode=99:die_after_fork=0 "$GSORT_BUILD/tsan/tests/unit/units" "$@"
}

@test "address, undefined: the unit tables"   { clean asan unit/unit.bats 'all unit tables'; }
@test "address, undefined: runs on disk"      { clean asan cli/spill.bats 'one file|many passes|compressed|threads'; }
@test "address, undefined: text"              { clean asan cli/decode.bats; }
@test "address, undefined: compressed input"  { clean asan cli/sandbox.bats; }
@test "address, undefined: selecting"         { clean asan cli/select.bats 'binary|groups'; }
@test "address, undefined: from C"            { clean asan cli/library.bats; }
@test "thread: the tables of teams and merges" { tables team external_merge recorder spill; }
@test "thread: runs on disk"                  { clean tsan cli/spill.bats 'one file|compressed if'; }
@test "thread: text"                          { clean tsan cli/encode.bats 'text becomes binary'; }
