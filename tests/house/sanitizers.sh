#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# sanitizers.sh - all tests in builds that watch every access and every lock
#
#     make check-sanitizer [SANITIZERS="asan tsan msan"]
#     GSORT_SOURCE=DIR GSORT_BUILD=DIR tests/house/sanitizers.sh [FILE.bats]...
#
# Builds in GSORT_BUILD/asan (AddressSanitizer with LeakSanitizer, UndefinedBehaviorSanitizer)
# and GSORT_BUILD/tsan (ThreadSanitizer); what is built is not built again.  All files run in
# each build, or those that are named; then, with the program of GSORT_BUILD, what valgrind can
# see.  Where clang is installed, a part of the unit tables and some files run in GSORT_BUILD/msan (MemorySanitizer,
# tests/tools/msan.c).  SANITIZERS names the builds [all].  The last line is "N passed, N failed, N skipped".

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

# MemorySanitizer, without the tables that call libraries of compressed data themselves.
msan_tables='contents bars base team progress encode encode_text float_sum floats key record text_decoder output
	replace options receive key_exchange parts transport ranks plan plan_items forecast division item_merger
	item_store store line_collector count follow merge scan set_merge splitters batch items owners bitonic spill
	external_merge select split verify'
run_msan() {
	local table folder=$build/msan wraps='' name
	command -v clang >/dev/null || { echo "1 skipped: clang is not installed"; skipped=$((skipped + 1)); return; }
	for name in gs_simd_at_most gs_float_read gs_float_print gs_float_round statx gs_zlib_loads gs_zstd_loads \
			gs_lz4_loads gs_lzma_loads gs_archive_loads; do
		wraps+=,--wrap=$name
	done
	echo "# building with -fsanitize=memory in $folder"
	mkdir -p "$folder" && cd "$folder" || return
	if ! {
		{ [ -e config.status ] || "$source/configure" -C --without-cuda --enable-sanitizer=memory CC=clang \
			CXX=clang++ CFLAGS='-O1 -g1' CXXFLAGS='-O1 -g1'; } &&
			clang -DHAVE_CONFIG_H -D_GNU_SOURCE -I. "-I$source/src" -std=c11 -g1 -O1 -fsanitize=memory -c \
				-o msan.o "$source/tests/tools/msan.c" &&
			make -j "$(nproc)" gsort tests/unit/units LDFLAGS="-fsanitize=memory -Wl$wraps $folder/msan.o" &&
			make -j "$(nproc)" tests/tools/gen tests/tools/measure
	} >log 2>&1; then
		tail -n 20 log
		failed=$((failed + 1))
		return
	fi
	for table in $msan_tables; do
		if tests/unit/units "$table" >told 2>&1; then
			passed=$((passed + 1))
		else
			echo "not ok units $table"
			tail -n 20 told
			failed=$((failed + 1))
		fi
	done
	run_tests "$folder" "$source"/tests/cli/{check,merge,sets}.bats
}

for what in asan:address,undefined tsan:thread; do
	folder=${what%:*}
	[[ " ${SANITIZERS:-asan tsan msan} " == *" $folder "* ]] || continue
	echo "# building with -fsanitize=${what#*:} in $build/$folder"
	if build "$folder" "${what#*:}"; then
		run_tests "$build/$folder" "$@"
	else
		tail -n 20 "$build/$folder/log"
		failed=$((failed + 1))
	fi
done
[[ " ${SANITIZERS:-asan tsan msan} " != *" msan "* ]] || run_msan
[ $# -gt 0 ] || GSORT_CI=1 run_tests "$build" "$source/tests/house/memcheck.bats"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
