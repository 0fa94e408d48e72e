# SPDX-License-Identifier: BSD-2-Clause
# Analyzers must report nothing.  tests/house/lint.sh runs them; "make lint" runs all.

load ../helpers

# lint NAMES
lint() {
	[ -e "$GSORT_BUILD/config.h" ] || skip "$GSORT_BUILD is no build folder"
	lint_of "$GSORT_SOURCE" "$1"
}

lint_of() {
	GSORT_SOURCE=$1 LINT=$2 "$GSORT_SOURCE/tests/house/lint.sh"
}

# changed: C sources that are not as where this branch left origin/main, or HEAD
changed() {
	local base
	cd "$GSORT_SOURCE" || return 1
	base=$(git merge-base HEAD origin/main 2>/dev/null || echo HEAD)
	git diff --name-only --diff-filter=d "$base" -- '*.c' 2>/dev/null | head -n 20
}

@test "check depends neither on the versions of tools that judge style nor on the number of locales" {
	cd "$GSORT_SOURCE/tests"
	awk '/^@test/ { left = 0 }
		/left_to_(ci|slow) / { left = 1 }
		/^\tneeds .*(shellcheck|cppcheck|clang|groff|mandoc)/ && !left || /\$\(locale -a\)/ {
			print FILENAME ":" FNR ": " $0; wrong = 1
		}
		END { exit wrong }' */*.bats
}

@test "shellcheck finds nothing in the scripts" {
	left_to_ci shellcheck
	needs shellcheck
	lint scripts
}

@test "changed lines are laid out as clang-format has it" {
	left_to_ci clang-format
	needs clang-format python3
	lint format
}

@test "groff and mandoc find nothing in the man pages" {
	left_to_ci "groff and mandoc"
	needs groff mandoc
	[ -e "$GSORT_BUILD/man/gsort.1" ] || skip "$GSORT_BUILD is no build folder"
	lint manuals
}

@test "cppcheck finds nothing" {
	left_to_ci cppcheck
	needs cppcheck
	lint cppcheck
}

@test "gcc's analyzer and clang-tidy find nothing in what changed" {
	left_to_ci "gcc -fanalyzer and clang-tidy of changed files"
	needs gcc clang-tidy
	TIDY=$(changed)
	[ -n "$TIDY" ] || skip "no C source has changed"
	export TIDY
	lint "analyzer tidy"
}

@test "gcc's analyzer and clang-tidy find nothing anywhere" {
	left_to_slow "gcc -fanalyzer and clang-tidy of all files"
	needs gcc clang-tidy
	lint "analyzer tidy"
}

# A tool that passes over all it is given would find nothing, too.
@test "what is wrong is found" {
	left_to_ci cppcheck
	needs cppcheck
	mkdir -p wrong/{src,kernels,tests/house,bench,examples}
	cp "$GSORT_SOURCE/tests/house/cppcheck.txt" wrong/tests/house/
	cp -r "$GSORT_SOURCE/tests/emu" wrong/tests/
	printf 'int f(void) { int keys[2] = { 0, 1 }; return keys[2]; }\n' >wrong/src/wrong.c
	run lint_of wrong cppcheck
	[ "$status" -eq 1 ]
	[[ $output == *"src/wrong.c:1: "*"arrayIndexOutOfBounds"*"not ok cppcheck: "* ]]
}

@test "a missing tool is named, and not counted as a success" {
	mkdir bin
	for tool in bash find sort nproc dirname env grep; do ln -s "$(command -v $tool)" bin/; done
	PATH=$PWD/bin run lint_of "$GSORT_SOURCE" "cppcheck tidy"
	[ "$status" -eq 0 ]
	[ "$output" = "skipped cppcheck: no cppcheck
skipped tidy: no clang-tidy" ]
}
