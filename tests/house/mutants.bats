# SPDX-License-Identifier: BSD-2-Clause
# tests/tools/mutants plants faults in src/ one by one, and says which tests find them.

load ../helpers

# A program of one file, with a unit table and the targets that mutants makes.
prepare() {
	mkdir -p src/sort tests/{tools,unit/sort} build/tests/unit temporary
	cp "$GSORT_SOURCE"/tests/tools/mutants tests/tools
	printf 'CONSTANTS = """\nsort STEP 1\n"""\n' >tests/tools/hostile
	printf '# none\n' >tests/tools/mutants.equivalent
	echo 'MODULE(least)' >tests/unit/modules.def
	printf '%s\n' 'int least(int a, int b);' '' 'int' 'least(int a, int b)' '{' \
		$'\tif (a < b)' $'\t\treturn a;' $'\treturn b;' '}' '' 'int' 'next(int a)' '{' $'\tint n = a;' '' $'\twhile (n-- > 0)' \
		$'\t\ta += 2;' $'\treturn a;' '}' '#if 0' 'int' 'never(int a)' '{' $'\treturn a + 1;' '}' '#endif' >src/sort/least.c
	printf '%s\n' 'int least(int a, int b), next(int a);' 'void' 'unit_least(void)' '{' '}' 'int' 'main(void)' '{' \
		$'\tunit_least();' $'\treturn least(1, 2) != 1 || least(2, 1) != 1 || next(3) != 9;' '}' >tests/unit/sort/least.c
	printf '%s\n' 'gsort check-programs: tests/unit/units' \
		'tests/unit/units: src/sort/least.o ../tests/unit/sort/least.c' $'\tcc -o $@ $^' \
		'src/sort/least.o: ../src/sort/least.c' $'\tmkdir -p src/sort && cc -c -o $@ $<' >build/Makefile
	touch build/config.status
	cp -r src before
}

mutants() {
	TMPDIR=$PWD/temporary MAKEFLAGS='' tests/tools/mutants --build build --limit 1 --tables "$@" >found
	diff -r src before
	[ -z "$(ls temporary)" ]
}

@test "a fault is found by a table, by its time, or left; the sources stay as they are" {
	needs python3 make cc
	make -s -C build tests/unit/units
	mutants --count 20 sort
	grep -qx 'src/sort/least.c:6: relation: "<" is "<=": left' found
	grep -qx 'src/sort/least.c:16: sum: "--" is "++": killed by units least' found	# which takes longer
	grep -qx 'src/sort/least.c:17: constant: "2" is "3": killed by units least' found
	not grep 'least.c:2[0-9]' found		# not compiled
	tail -n 1 found | grep -qxE '[0-9]+ of [0-9]+ faults were found'
	printf 'src/sort/least.c\tif (a < b)\tif (a <= b)\tequal numbers are one\n' \
		>>tests/tools/mutants.equivalent
	grep -v '"<="' found | sort >rest
	mutants --count 20 --jobs 2 sort	# each in its own copy
	grep ' is ' found | sort | diff <(grep ' is ' rest) -
}

@test "what changes in the sources meanwhile is not tried" {
	needs python3 make cc
	make -s -C build tests/unit/units
	printf '\t@echo int >%s\n' "$PWD/src/sort/least.c" >>build/Makefile		# as each fault is built
	TMPDIR=$PWD/temporary MAKEFLAGS='' tests/tools/mutants --build build --limit 1 --tables --count 20 sort >found
	grep -qx 'src/sort/least.c:17: constant: "2" is "3": killed by units least' found
	[ -z "$(ls temporary)" ]
}

@test "drawing depends on the seed alone, and faults that are left out are in the sources" {
	needs python3
	cd "$GSORT_SOURCE"
	tests/tools/mutants --list --count 30 --seed 5 >"$BATS_TEST_TMPDIR/first"
	tests/tools/mutants --list --count 30 --seed 5 | cmp - "$BATS_TEST_TMPDIR/first"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/first")" -eq 30 ]
	[ "$(cut -d: -f3 "$BATS_TEST_TMPDIR/first" | sort -u | wc -l)" -ge 6 ]
	while IFS=$'\t' read -r file line wrong reason; do
		[[ $file != \#* ]] || continue
		[ -n "$wrong" ] && [ -n "$reason" ] && grep -qF -- "$line" <(tr "\t" " " <"$file") || { echo "$file: $line"; false; }
	done <tests/tools/mutants.equivalent
}

@test "each constant of tests/tools/hostile is one of src" {
	needs python3
	"$GSORT_SOURCE"/tests/tools/hostile --list >made
	[ "$(wc -l <made)" -ge 50 ]
}
