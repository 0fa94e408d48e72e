# SPDX-License-Identifier: BSD-2-Clause
# What tools see in the sources: nothing.  tests/house/lint.sh runs them; "make lint" runs all.

load ../helpers

lint() {
	[ -e "$GSORT_BUILD/config.h" ] || skip "$GSORT_BUILD is no build folder"
	LINT=$1 "$GSORT_SOURCE/tests/house/lint.sh" "$GSORT_SOURCE" "$GSORT_BUILD"
}

@test "cppcheck finds nothing" {
	needs cppcheck
	lint cppcheck
}

@test "gcc's analyzer and clang-tidy find nothing" {
	[ -n "${GSORT_SLOW:-}" ] || skip "minutes: set GSORT_SLOW, or make lint"
	needs gcc clang-tidy
	lint "analyzer tidy"
}

# A tool that passes over all it is given would find nothing, too.
@test "what is wrong is found" {
	needs cppcheck
	mkdir -p wrong/{src,kernels,tests/house,bench,examples}
	cp "$GSORT_SOURCE/tests/house/cppcheck.txt" wrong/tests/house/
	cp -r "$GSORT_SOURCE/tests/emu" wrong/tests/
	printf 'int f(void) { int keys[2] = { 0, 1 }; return keys[2]; }\n' >wrong/src/wrong.c
	run env LINT=cppcheck "$GSORT_SOURCE/tests/house/lint.sh" wrong "$GSORT_BUILD"
	[ "$status" -eq 1 ]
	[[ $output == *"src/wrong.c:1: "*"arrayIndexOutOfBounds"*"not ok cppcheck: "* ]]
}

@test "a missing tool is named, and not counted as a success" {
	mkdir bin
	for tool in bash find sort nproc dirname env grep; do ln -s "$(command -v $tool)" bin/; done
	run env PATH="$PWD/bin" LINT="cppcheck tidy" "$GSORT_SOURCE/tests/house/lint.sh" "$GSORT_SOURCE" "$GSORT_BUILD"
	[ "$status" -eq 0 ]
	[ "$output" = "skipped cppcheck: no cppcheck
skipped tidy: no clang-tidy" ]
}
