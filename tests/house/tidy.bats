# SPDX-License-Identifier: BSD-2-Clause
# The house rules that a machine can check.  See HACKING.md.

load ../helpers

prepare() {
	cd "$GSORT_SOURCE" || return 1
	[ "$(all_files | wc -l)" -gt 300 ]	# of no files all is true
}

# Every file that belongs to the project: of a clone, or else of a distribution.
all_files() {
	# git refuses the clone of another user.
	{ [ -e .git ] && git ls-files --cached --others --exclude-standard 2>/dev/null; } ||
		find . -type f -not -path './build*' -not -name '*.o' | sed 's|^\./||' |
			grep -E '^(src|kernels|bench|tests|examples|man|completions|packaging|m4)/' |
			grep -vE '\.(a|so|cud)$|/\.' |
			grep -vE '^(tests/(tools/(gen|measure|slow)|unit/units(-emu)?|fault/fault_runner|fuzz/fuzzers)|examples/(collect|smallest))$'
}

@test "each folder includes only what it may see" {
	# own[folder]: the folders below it, which it may include
	wrong=$(all_files | grep -E '^src/.*\.(c|cpp|h|inc|def)$' | xargs awk '
		BEGIN {
			own["cli"] = ""
			own["job"] = "stages|gpu|plan|spill|sort|format|io|base"
			own["stages"] = "gpu|plan|spill|sort|format|io|base"
			own["gpu"] = "sort|base"
			own["plan"] = "spill|sort|format|io|base"
			own["spill"] = own["gpu"]
			own["sort"] = own["format"] = own["io"] = "base"
			own["base"] = ""
		}
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			split(FILENAME, path, "/")
			folder = path[3] == "" ? "" : path[2]
			split($0, quoted, "\"")
			if (FILENAME ~ /^src\/sort\/backend_cuda(_open)?\.c$/ && quoted[2] == "kernels/kernels.h")
				next
			if (folder == "" || quoted[2] !~ may[folder])
				print FILENAME ": " $0
		}')
	[ -z "$wrong" ] || { echo "$wrong"; false; }
}

@test "base does not even know the public header, except for its types" {
	run grep -rlE '#include "(io|format|sort|job|cli)/' src/base
	[ -z "$output" ]
}

@test "kernels see only their own headers" {
	wrong=$(all_files | grep -E '^kernels/.*\.(cu|cuh|h|c)$' | xargs awk '
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			split($0, quoted, "\"")
			if (quoted[2] !~ /^kernels\// && quoted[2] !~ /^[a-z_0-9]+\.(h|cuh)$/)
				print FILENAME ": " $0
		}')
	[ -z "$wrong" ] || { echo "$wrong"; false; }
}

@test "only the GPU module sees CUDA and kernels.h" {
	run bash -c "grep -rlE '#include .*kernels/' src | grep -v '^src/gpu/cuda/'"
	[ -z "$output" ]
	run bash -c "grep -rlE 'cuda_runtime|HAVE_CUDA' src | grep -v '^src/gpu/cuda/'"
	[ -z "$output" ]
}

# A file and its header are one node; tsort names the nodes of a loop.
@test "includes of the kernels and the benchmarks make no loop" {
	all_files | grep -E '^(kernels|bench)/.*\.(c|cpp|h|cu|cuh)$' | xargs awk '
		/^[ \t]*#[ \t]*include[ \t]*"(kernels|bench)\// {
			split($0, quoted, "\"")
			from = FILENAME; to = quoted[2]
			sub(/\.[a-z]*$/, "", from); sub(/\.[a-z]*$/, "", to)
			if (from != to)
				print from, to
		}' >"$BATS_TEST_TMPDIR/arrows"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/arrows")" -gt 100 ]
	tsort "$BATS_TEST_TMPDIR/arrows" >/dev/null
}

@test "the library neither prints nor exits" {
	run grep -nE '(^|[^a-z_])(printf|puts|putchar|perror|exit|_exit|abort) ?\(|[^a-z_]std(out|err)[^a-z_]' \
		-r $(ls -d src/*/ | grep -v cli) --include=*.c --include=*.cpp --include=*.h --include=*.inc
	wrong=$(grep -vE ':[[:space:]]*(/?\*|//)|/\*.*\*/|PRINTF\(' <<<"$output" || true)
	[ -z "$wrong" ] || { echo "$wrong"; false; }
}

@test "every source says its licence in the first lines" {
	wrong=$(all_files | grep -E '\.(c|cpp|h|inc|cu|cuh|bats|bash|sh|py|m4|ac|am|mk|[13]\.in|fish)$|^(bootstrap|tests/(run|fault/faults)|\.ci/run|bench/(versus|crossover|plot)|completions/_gsort|packaging/debian/(build|rules))$' |
		while read -r file; do
			head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-2-Clause' || echo "$file"
		done)
	[ -z "$wrong" ] || { echo "no licence: $wrong"; false; }
}

@test "no file is large or binary" {
	wrong=$(all_files | while read -r file; do
		[ -s "$file" ] || continue
		[ "$(wc -c <"$file")" -le 200000 ] || echo "large: $file"
		grep -qI . "$file" || echo "binary: $file"
	done)
	[ -z "$wrong" ] || { echo "$wrong"; false; }
}

# 100 columns is the aim; a few more are better than a bad break.
@test "no line of code is wider than 110 columns or ends in a blank" {
	wrong=$(all_files | grep -E '^(src|kernels|tests|bench|examples)/.*\.(c|cpp|h|inc|cu|cuh|def)$' |
		while read -r file; do
			expand "$file" | awk -v file="$file" '
				length > 110 { print file ":" NR ": " length " columns" }
				/[ \t]$/     { print file ":" NR ": blank at the end" }'
		done)
	[ -z "$wrong" ] || { echo "$wrong"; false; }
}

@test "every file is named in a makefile" {
	wrong=$(all_files | grep -E '^(src|kernels|tests|bench|examples|man|completions|packaging)/' |
		grep -v '\.gitignore$' | sed 's|^\(man/.*\)\.in$|\1|' | while read -r file; do
			grep -qF -- "$file" Makefile.am */local.mk || echo "$file"
		done)
	[ -z "$wrong" ] || { echo "in no makefile: $wrong"; false; }
}

@test "every source is on the map, or in the README of its folder" {
	wrong=$(all_files | grep -E '^src/.*\.(c|cpp)$' | while read -r file; do
		grep -qsF -- "${file##*/}" HACKING.md "$(dirname "$file")/README.md" || echo "$file"
	done)
	[ -z "$wrong" ] || { echo "neither in HACKING.md nor in a README: $wrong"; false; }
}

@test "every module with a unit table is registered" {
	for file in tests/unit/*.c; do
		module=$(basename "$file" .c)
		[ "$module" != units ] || continue
		grep -qx "MODULE($module)" tests/unit/modules*.def || { echo "$module"; false; }
	done
}

# tests/README.md: `file: row`, `units NAME`, and the options in the first column of its tables.
@test "what tests/README.md names exists" {
	grep -oE '`[a-z]+: [^`]+`' tests/README.md | tr -d '`' | sort -u >"$BATS_TEST_TMPDIR/named"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/named")" -gt 100 ]
	wrong=$(while IFS= read -r row; do
		grep -qF "@test \"${row#*: }\"" tests/*/"${row%%: *}.bats" || echo "$row"
	done <"$BATS_TEST_TMPDIR/named")
	wrong+=$(grep -oE '`units(-emu)? [a-z_]+`' tests/README.md | tr -d '`' | while read -r _ module; do
		grep -qx "MODULE($module)" tests/unit/modules*.def || echo "units $module"
	done)
	[ -z "$wrong" ] || { echo "$wrong"; false; }
	for file in tests/*/*.bats; do
		grep -qF "\`${file##*/}\`" tests/README.md || { echo "not in tests/README.md: $file"; false; }
	done
}

@test "every option is in the table of promises" {
	promises=$(grep '^| ' tests/README.md | cut -d '|' -f 2)
	options=$(
		sed -n 's/^[OR][A-Z]*([^"]*"\([a-z0-9-]*\)".*/--\1/p' src/cli/opts.def
		sed -n "s/^[OR][A-Z]*(.*, *'\(.\)',.*/-\1/p" src/cli/opts.def
		sed -n "s/^TYPE( '\(.\)', WIDTHS(\(.*\)),.*/\1 \2/p" src/cli/opts.def | tr -d , |
			while read -r letter widths; do printf -- "-$letter%s\n" $widths; done
	)
	[ "$(wc -l <<<"$options")" -gt 90 ]
	wrong=$(for option in $options; do
		grep -qE -- "\`$option[\`= ]" <<<"$promises" || echo "$option"
	done)
	[ -z "$wrong" ] || { echo "$wrong"; false; }
}

@test "shell scripts are sound" {
	for script in bootstrap tests/run .ci/run packaging/debian/build tests/helpers.bash completions/gsort.bash; do
		[ -e "$script" ] || continue	# .ci is not distributed by everyone
		bash -n "$script"
	done
	needs shellcheck
	LINT=scripts tests/house/lint.sh . "$GSORT_BUILD"
}

@test "tests need nothing newer than Bats 1.2" {
	not grep -nE '^[[:space:]]*(bats_require_minimum_version|run [-!])' tests/*/*.bats
	for file in $(grep -l 'BATS_FILE''_TMPDIR' tests/*/*.bats); do
		sed -n '/^setup_file/,/^}/p' "$file" >"$BATS_TEST_TMPDIR/setup"
		grep -qx '	file_folder' "$BATS_TEST_TMPDIR/setup" || { echo "$file: file_folder is missing"; false; }
		not grep -nE '\<(skip|needs) ' "$BATS_TEST_TMPDIR/setup"
	done
}

# Of "a && b" alone on a line a test sees only b fail.
@test "no assertion of a test is lost in a chain" {
	not grep -nE '^[[:space:]]+(\[ .* \]|is_sorted .*|same_keys .*) && (\[ [^|{]*\]|grep|same_keys)[^|]*$' \
		tests/*/*.bats
}
