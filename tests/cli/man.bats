# SPDX-License-Identifier: BSD-2-Clause
# The man pages: sound, and their examples run as printed.

load ../helpers
load ../examples

# EXAMPLES and MORE EXAMPLES as plain text: a line ".EX", then lines "$ COMMAND", each
# followed by its output; and so on.
examples() {
	awk '/^\.SH/ { examples = /EXAMPLES/ } examples' "$GSORT_SOURCE/man/gsort.1.in" |
		sed -n '/^\.EX/,/^\.EE/{/^\.EE/d; s/\\-/-/g; s/\\e/\\/g; p}'
	echo .EX
}

@test "each example prints what the man page shows" {
	needs gzip
	try_blocks .EX 4< <(examples)
	[ $ran -ge 20 ]
	[ $failed -eq 0 ]
}

@test "all sections that a manual should have are there" {
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS "NUMBERS AND ORDER" \
	               "MEMORY AND TEMPORARY FILES" "EXIT STATUS" SIGNALS ENVIRONMENT FILES \
	               "DIFFERENCES FROM SORT(1)" STATISTICS NOTES BUGS STANDARDS AUTHORS \
	               "REPORTING BUGS" EXAMPLES "SEE ALSO"; do
		grep -qxF ".SH $section" "$GSORT_SOURCE/man/gsort.1.in" || { echo "$section"; false; }
	done
	for section in NAME SYNOPSIS DESCRIPTION FUNCTIONS "RETURN VALUE" ERRORS THREADS VERSIONS \
	               EXAMPLES "SEE ALSO"; do
		grep -qxF ".SH $section" "$GSORT_SOURCE/man/gsort.3.in" || { echo "$section"; false; }
	done
}

@test "gsort(3) describes every function of gsort.h" {
	functions=$(grep -oE '\<gsort_[a-z_]+\(' "$GSORT_SOURCE/src/gsort.h" | sort -u)
	[ "$(wc -l <<<"$functions")" -ge 15 ]
	for function in $functions; do
		grep -qxF ".SS $function)" "$GSORT_SOURCE/man/gsort.3.in" || { echo "$function"; false; }
		sed '/^\.SH DESCRIPTION/q' "$GSORT_SOURCE/man/gsort.3.in" | grep -qF "$function" ||
			{ echo "not in the synopsis: $function"; false; }
	done
}

@test "gsort_cuda(3) describes every function of gsort_cuda.h" {
	page=$GSORT_SOURCE/man/gsort_cuda.3.in
	functions=$(grep -oE 'gsort_error gsort_cuda_[a-z_]+\(|\*gsort_cuda_[a-z_]+\(' "$GSORT_SOURCE/src/gsort_cuda.h" |
		sed 's/.*[ *]//' | sort -u)
	[ "$(wc -l <<<"$functions")" -ge 6 ]
	for function in $functions; do
		grep -qxF ".SS $function)" "$page" || { echo "$function"; false; }
		sed '/^\.SH DESCRIPTION/q' "$page" | grep -qF "$function" || { echo "not in the synopsis: $function"; false; }
	done
}

@test "the pages have the version of the build and the date of its release" {
	[ -e "$GSORT_BUILD/Makefile" ] || skip "$GSORT_BUILD is no build folder"
	version=$(sed -n 's/^PACKAGE_VERSION = //p' "$GSORT_BUILD/Makefile")
	date=$(sed -n 's/^RELEASE_DATE = //p' "$GSORT_BUILD/Makefile")
	for section in 1 3; do
		grep -q "^\.TH GSORT $section \"$date\" \"gsort $version\" " "$GSORT_BUILD/man/gsort.$section"
		not grep '@[A-Z_]*@' "$GSORT_BUILD/man/gsort.$section"
	done
	[ "$(date -d "$date" +%F)" = "$date" ]
}

@test "gsort-cookbook(7) has every command of doc/cookbook.md" {
	page=$GSORT_BUILD/man/gsort-cookbook.7
	grep '^\$ ' "$GSORT_SOURCE/doc/cookbook.md" >commands
	[ "$(wc -l <commands)" -gt 30 ]
	grep '^\$ ' "$page" | sed 's/\\-/-/g; s/\\e/\\/g' | cmp - commands
	not grep -E '\*\*|`|\]\(' "$page"
}

@test "gsort(1) gives the sizes from which a GPU pays by the rule of plan/device.c" {
	python3 - "$GSORT_SOURCE" <<-'END'
		import re, sys
		rule = open(sys.argv[1] + "/src/plan/device.c").read()
		to_file, elsewhere = map(int, re.search(r"to_file_ms = (\d+), elsewhere_ms = (\d+)", rule).groups())
		most, opens = (int(re.search(name + r"\s*=?\s*(\d+)", rule)[1]) for name in ("SHARING_THREADS", "define OPEN_MS"))
		said = re.search(r"With 4 threads, the GPU sorts inputs of ([\d.]+) GiB .* of ([\d.]+) GiB .*?"
		                 r"With (\d+) threads or more, these sizes are ([\d.]+) and ([\d.]+) GiB",
		                 open(sys.argv[1] + "/man/gsort.1.in").read(), re.DOTALL).groups()
		sizes = [f"{opens * threads / saved:.1f}" for threads in (4, most) for saved in (to_file, elsewhere)]
		assert list(said) == [*sizes[:2], str(most), *sizes[2:]], (said, sizes)
	END
}
