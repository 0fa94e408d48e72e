#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# run.sh - build the fuzz targets with clang, and let each run for a while
#
#     make fuzz SECONDS=N [FUZZ="TARGET..."]
#
# One program, BUILD/fuzz/fuzz, has all targets (targets.def) and gsort with the emulated GPU; all
# but device code has address and undefined behaviour sanitizers, simd_kernels.c that of addresses
# alone.  A corpus grows in BUILD/fuzz/TARGET.corpus, from seeds that are made (tests/fuzz/seeds.sh).
# An input that fails is left in BUILD/fuzz/TARGET.crash-*, and
#
#     BUILD/fuzz/fuzz TARGET FILE
#
# runs it again; so does tests/fuzz/fuzzers, without clang.  The last line is
# "fuzz: N targets, N executions, N failed".
#
# make sets:
#
#     GSORT_SOURCE, GSORT_BUILD   the folders of the sources and of the build
#     FUZZ                        the targets [all]
#     FUZZ_SECONDS                for each target
#     FUZZ_CPPFLAGS, FUZZ_LIBS    for compiler and linker
#     FUZZ_FILES                  the sources; others are ignored
set -euo pipefail

source=${GSORT_SOURCE:?} build=${GSORT_BUILD:?} seconds=${FUZZ_SECONDS:-10} files=${FUZZ_FILES:?}
read -ra words <<<"${FUZZ_CPPFLAGS-}"
read -ra libraries <<<"${FUZZ_LIBS-}"
read -ra targets <<<"${FUZZ-}"
here=$source/tests/fuzz
clang=${CLANG:-clang}
command -v "$clang" >/dev/null || { echo "fuzz: needs clang (CLANG=...)" >&2; exit 2; }
work=$build/fuzz
mkdir -p "$work"
emulated=(-DHAVE_CUDA=1 '-DGS_CUDA_ARCH="emulated"' -Wno-macro-redefined)
# shellcheck disable=SC2054  # commas of the compiler
sanitizers=(-fsanitize=address,undefined -fno-sanitize-recover=undefined)
watched=(-fno-omit-frame-pointer -DGS_TIDY=1 "${sanitizers[@]}" -fsanitize=fuzzer-no-link
	"${emulated[@]}" "${words[@]}" "-I$here")
c=("$clang" -g -O1 -std=c11 "${watched[@]}")
# For the networks of simd_kernels.c clang takes more than ten minutes at -O1, and 96 s at -O0; with addresses and
# coverage alone 31, without any 8.
kernels=("$clang" -g -O0 -std=c11 -DGS_TIDY=1 -fno-omit-frame-pointer "-fsanitize=address,fuzzer-no-link"
	"${emulated[@]}" "${words[@]}")
cpp=("$clang++" -g -O1 -std=c++17 -fno-exceptions -fno-rtti "${watched[@]}")
cxx=("$clang++" -g -O2 -std=c++17 "${emulated[@]}" "${words[@]}" -x c++)

# How to compile FILE into OBJECT.
command_of() {
	case $1 in
	src/sort/cpu/simd_kernels.c) echo "${kernels[*]@Q} -c ${source@Q}/${1@Q} -o ${2@Q}";;
	# lines are compared byte by byte: to trace each of these comparisons took 70 % of the target's time
	src/linekey/*.c) echo "${c[*]@Q} -O2 -fno-sanitize-coverage=trace-cmp -c ${source@Q}/${1@Q} -o ${2@Q}";;
	*.c) echo "${c[*]@Q} -c ${source@Q}/${1@Q} -o ${2@Q}";;
	src/*.cpp) echo "${cpp[*]@Q} -c ${source@Q}/${1@Q} -o ${2@Q}";;
	*)   echo "${cxx[*]@Q} -c ${source@Q}/${1@Q} -o ${2@Q}";;
	esac
}

# A header has changed: build everything again.
if [ ! -e "$work/begun" ] || [ -n "$(find "$source/src" "$source/kernels" "$source/tests" \
	"$build/config.h" -newer "$work/begun" -name '*.[hid]*')" ]; then
	rm -f "$work"/*.o
fi
touch "$work/begun"
echo "fuzz: compiling"
objects=()
for file in $files; do
	case $file in *.c|*.cu|*.cpp) objects+=("$work/$(tr / _ <<<"${file%.*}").o");; esac
done
for file in $files; do
	object=$work/$(tr / _ <<<"${file%.*}").o
	case $file in
	*.c|*.cu|*.cpp) [ "$object" -nt "$source/$file" ] || command_of "$file" "$object";;
	esac
done | xargs -d '\n' -P "$(nproc)" -I{} sh -c '{}'
# as emu_link in local.mk: shared memory of the emulated GPU is a MiB in each thread
"$clang++" "${sanitizers[@]}" -fsanitize=fuzzer -Wl,--wrap=pthread_attr_setstacksize "${objects[@]}" "${libraries[@]}" -o "$work/fuzz"

[ ${#targets[@]} -gt 0 ] ||
	mapfile -t targets < <(sed -n 's/^TARGET( *\([a-z]*\),.*/\1/p' "$here/targets.def")
failed=0 executions=0
for target in "${targets[@]}"; do
	"$here/seeds.sh" "$target" "$work/$target.corpus"
	status=0 more=()
	case $target in
	text) more=(-dict="$here/text.dict");;
	opts)
		sed -n 's/^[OR][A-Z]*([^"]*"\([a-z0-9-]*\)".*/"--\1"/p' "$source/src/cli/opts.def" >"$work/opts.dict"
		more=(-dict="$work/opts.dict");;
	esac
	# The messages of opts are not printed, and what options allocate lives as long as gsort.
	[ "$target" != opts ] || more+=(-close_fd_mask=2 -detect_leaks=0)
	ASAN_OPTIONS=detect_leaks=$([ "$target" = opts ] && echo 0 || echo 1) "$work/fuzz" "$target" \
		-max_total_time="$seconds" -entropic_scale_per_exec_time=1 -max_len=4096 -timeout=60 -rss_limit_mb=8192 -malloc_limit_mb=8192 \
		-print_final_stats=1 "${more[@]}" -artifact_prefix="$work/$target." "$work/$target.corpus" \
		>"$work/$target.log" 2>&1 || status=$?
	runs=$(awk '/number_of_executed_units/ {n = $2} END {print n + 0}' "$work/$target.log")
	echo "fuzz: $target: $runs executions$([ $status -eq 0 ] || echo ", FAILED: see $work/$target.log")"
	[ $status -eq 0 ] || failed=$((failed + 1))
	executions=$((executions + runs))
done
echo "fuzz: ${#targets[@]} targets, $executions executions, $failed failed"
[ $failed -eq 0 ]
