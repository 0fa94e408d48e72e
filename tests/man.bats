# SPDX-License-Identifier: BSD-2-Clause
# The man page: sound, and its examples run as printed.

load helpers

@test "each example prints what the man page shows" {
	needs gzip
	local ran=0 command='' expected=''

	# Lines "$ COMMAND", each followed by its output, of the section EXAMPLES.
	sed -n '/^\.SH EXAMPLES/,/^\.SH BUGS/p' "$GSORT_SOURCE/man/gsort.1" |
		sed -n '/^\.EX/,/^\.EE/{/^\.E[XE]/d; s/\\-/-/g; s/\\e/\\/g; p}' >examples
	echo '$ end' >>examples
	while IFS= read -r line; do
		if [[ $line != '$ '* ]]; then
			expected+=$line$'\n'
			continue
		fi
		if [ -n "$command" ]; then
			bash -c "$command" >printed 2>&1 || { echo "status $?: $command"; false; }
			printf %s "$expected" | diff - printed || { echo "of: $command"; false; }
			ran=$((ran + 1))
		fi
		command=${line#'$ '} expected=''
	done <examples
	echo "$ran examples"
	[ $ran -ge 8 ]
}

@test "all sections that a manual should have are there" {
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS "NUMBERS AND ORDER" MEMORY \
	               "DIFFERENCES FROM SORT(1)" "EXIT STATUS" SIGNALS ENVIRONMENT EXAMPLES BUGS \
	               "SEE ALSO"; do
		grep -qxF ".SH $section" "$GSORT_SOURCE/man/gsort.1" || { echo "$section"; false; }
	done
}

@test "groff has nothing to complain about" {
	needs groff
	groff -man -ww -z "$GSORT_SOURCE/man/gsort.1" 2>complaints
	[ ! -s complaints ]
}

@test "mandoc has nothing to complain about" {
	needs mandoc
	mandoc -T lint -W warning "$GSORT_SOURCE/man/gsort.1"
}
