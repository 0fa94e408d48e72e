#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# sanitizers.sh - all tests in builds that watch every access and every lock
#
#     make check-sanitizer [SANITIZERS="asan tsan"]
#     GSORT_SOURCE=DIR GSORT_BUILD=DIR tests/house/sanitizers.sh [FILE.bats]...
#
# Builds in GSORT_BUILD/asan (AddressSanitizer with LeakSanitizer, UndefinedBehaviorSanitizer)
# and GSORT_BUILD/tsan (ThreadSanitizer); what is built is not built again.  All files run in
# each build, or those that are named; then, with the program of GSORT_BUILD, what valgrind can
# see.  SANITIZERS names the builds [both].  The last line is "N passed, N failed, N skipped".

set -u
source=$(cd "${GSORT_SOURCE:?}" && pwd) && build=$(cd "${GSORT_BUILD:?}" && pwd) || exit 2
unset MAKEFLAGS MFLAGS MAKELEVEL GSORT GSORT_BUILD GSORT_SOURCE
passed=0 failed=0 skipped=0

# build FOLDER LIST: configure and make there, quietly
build() {
	mkdir -p "$build/$1" && cd "$build/$1" || return 1
	{ [ -e config.status ] || "$source/configure" -C --without-cuda --enable-sanitizer="$2" \
		CFLAGS='-O1 -g' CXXFLAGS='-O1 -g'; } >log 2>&1 &&
		make -j "$(nproc)" all >>log 2>&1 && make -j "$(nproc)" EMU_FAST= check-programs >>log 2>&1
}

# run_tests FOLDER FILE...: adds what they counted
run_tests() {
	local line='' folder=$1
	shift
	while IFS= read -r line; do
		printf '%s\n' "$line"
		[[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]] || continue
		passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
		skipped=$((skipped + BASH_REMATCH[3]))
	done < <(cd "$folder" && GSORT_BUILD=$folder "$source/tests/run" "$@")
	[[ $line == *skipped ]] || failed=$((failed + 1))
}

for what in asan:address,undefined tsan:thread; do
	folder=${what%:*}
	[[ " ${SANITIZERS:-asan tsan} " == *" $folder "* ]] || continue
	echo "# building with -fsanitize=${what#*:} in $build/$folder"
	if build "$folder" "${what#*:}"; then
		run_tests "$build/$folder" "$@"
	else
		tail -n 20 "$build/$folder/log"
		failed=$((failed + 1))
	fi
done
[ $# -gt 0 ] || GSORT_CI=1 run_tests "$build" "$source/tests/house/memcheck.bats"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
