# SPDX-License-Identifier: BSD-2-Clause
# doc/cookbook.md and README.md: what they print is what happens.

load ../helpers
load ../examples

# Blocks between "```console" and "```" as text; each ends with the line "```".
blocks() {
	sed -n '/^```console$/,/^```$/{/^```console$/d; p}' "$GSORT_SOURCE/doc/cookbook.md"
}

@test "each job of the cookbook prints what the cookbook shows" {
	needs gzip
	try_blocks '```' 4< <(blocks)
	[ $ran -ge 20 ]
	[ $failed -eq 0 ]
}
