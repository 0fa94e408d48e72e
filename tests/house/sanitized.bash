# SPDX-License-Identifier: BSD-2-Clause
#
# sanitized.bash - a build with a sanitizer, in a folder of the build folder, and rows that run in it

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

# build_for_ci FOLDER SANITIZERS TARGET...: for setup_file(), after file_folder
build_for_ci() {
	[ -n "${GSORT_CI-}" ] || return 0
	WHY_NOT=$(why_not "$BATS_FILE_TMPDIR" 2>/dev/null)
	export WHY_NOT
	[ -z "$WHY_NOT" ] || return 0
	unset MAKEFLAGS MFLAGS MAKELEVEL GSORT
	build "$@"
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
