# SPDX-License-Identifier: BSD-2-Clause
# The man pages: sound, and their examples run as printed.

load ../helpers

# The section EXAMPLES as plain text: a line ".EX", then lines "$ COMMAND", each
# followed by its output; and so on.
examples() {
	sed -n '/^\.SH EXAMPLES/,/^\.SH SEE ALSO/p' "$GSORT_SOURCE/man/gsort.1.in" |
		sed -n '/^\.EX/,/^\.EE/{/^\.EE/d; s/\\-/-/g; s/\\e/\\/g; p}'
	echo .EX
}

# Run COMMAND; it prints what the page shows, and fails only where that is a message.
try() {
	local command=$1 expected=$2 status=0

	eval "$command" >../printed 2>&1 || status=$?
	if [ $status -ne 0 ] && [[ $expected != *gsort:* ]]; then
		echo "status $status: $command"
		cat ../printed
		return 1
	fi
	printf %s "$expected" | diff - ../printed || { echo "of: $command"; return 1; }
}

# Run the examples of one block, given on standard input.
try_block() {
	local line command='' expected=''

	while IFS= read -r line <&3; do
		if [[ $line != '$ '* ]]; then
			expected+=$line$'\n'
			continue
		fi
		[ -z "$command" ] || try "$command" "$expected" || return
		command=${line#'$ '} expected=''
	done
	[ -z "$command" ] || try "$command" "$expected"
}

@test "each example prints what the man page shows" {
	needs gzip
	local line block='' before='' ran=0 failed=0

	# The first block makes the files that every other one begins with.
	while IFS= read -r line; do
		if [ "$line" != .EX ]; then
			block+=$line$'\n'
		elif [ -z "$before" ]; then
			before=$block block=''
		else
			mkdir -p example
			(cd example && try_block 3<<<"${before%$'\n'}" </dev/null &&
				try_block 3<<<"${block%$'\n'}" </dev/null) || failed=$((failed + 1))
			rm -rf example
			ran=$((ran + 1)) block=''
		fi
	done < <(examples)
	echo "$ran examples, $failed failed"
	[ $ran -ge 20 ]
	[ $failed -eq 0 ]
}

@test "all sections that a manual should have are there" {
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS "NUMBERS AND ORDER" \
	               "MEMORY AND TEMPORARY FILES" "EXIT STATUS" SIGNALS ENVIRONMENT FILES \
	               "DIFFERENCES FROM SORT(1)" STATISTICS NOTES BUGS STANDARDS EXAMPLES \
	               "SEE ALSO"; do
		grep -qxF ".SH $section" "$GSORT_SOURCE/man/gsort.1.in" || { echo "$section"; false; }
	done
	for section in NAME SYNOPSIS DESCRIPTION FUNCTIONS "RETURN VALUE" ERRORS THREADS VERSIONS \
	               EXAMPLES "SEE ALSO"; do
		grep -qxF ".SH $section" "$GSORT_SOURCE/man/gsort.3.in" || { echo "$section"; false; }
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

@test "groff has nothing to complain about" {
	needs groff
	groff -man -ww -z "$GSORT_BUILD"/man/gsort.[13] 2>complaints
	[ ! -s complaints ] || { cat complaints; false; }
}

@test "mandoc has nothing to complain about" {
	needs mandoc
	mandoc -T lint -W style "$GSORT_BUILD"/man/gsort.[13] >complaints || true
	[ ! -s complaints ] || { cat complaints; false; }
}
