# SPDX-License-Identifier: BSD-2-Clause
# --files0-from: names of inputs in a file, and sort(1)'s messages about bad ones.

load ../helpers

prepare() {
	printf '3\n1\n' >a
	printf '2\n' >b
	printf 'a\0b\0' >names
}

sorts_to() {
	local expected=$1
	shift
	[ "$("$@")" = "$(printf "$expected")" ]
}

@test "names are read from a file, or from standard input" {
	sorts_to '1\n2\n3' gsort --files0-from=names
	sorts_to '1\n2\n3' gsort --files0-from=- <names
	sorts_to '1\n2\n3' gsort --files0-from names
}

@test "the last NUL may be missing, and a file may come twice" {
	printf 'a\0b' >names
	sorts_to '1\n2\n3' gsort --files0-from=names
	printf 'a\0a' >names
	sorts_to '1\n1\n3\n3' gsort --files0-from=names
}

@test "names may hold anything but NUL" {
	printf '7\n' >$'new\nline'
	printf '8\n' >' -r'
	printf 'new\nline\0 -r\0' >names
	sorts_to '7\n8' gsort --files0-from=names
}

@test "more names than a command line could hold" {
	yes ./././././././././././././././././a | head -n 60000 | tr '\n' '\0' >names
	[ "$(wc -c <names)" -gt "$(getconf ARG_MAX)" ]
	[ "$(gsort --files0-from=names | wc -l)" = 120000 ]
}

@test "-o may be one of the names" {
	gsort --files0-from=names -o a
	[ "$(cat a)" = "$(printf '1\n2\n3')" ]
}

@test "names and operands are not combined" {
	fails "extra operand 'a': file operands cannot be combined with --files0-from" \
		gsort --files0-from=names a
	grep -q "^Try 'gsort --help'" fails-err
}

@test "a file of names that cannot be read" {
	fails "open failed: nothing: No such file" gsort --files0-from=nothing
	fails "cannot read file names from '.': Is a directory" gsort --files0-from=.
	run bash -c 'gsort --files0-from=- <&-'
	[ "$status" -eq 2 ]
	[[ $output == "gsort: cannot read file names from '-': Bad file descriptor" ]]
}

@test "no names at all" {
	: >empty
	fails "no input from 'empty'" gsort --files0-from=empty
	fails "no input from '-'" gsort --files0-from=- </dev/null
}

@test "standard input cannot be a name here" {
	printf 'a\0-\0' >names
	fails "when reading file names from standard input, no file name of '-' allowed" \
		gsort --files0-from=names
	fails "no file name of '-' allowed" gsort --files0-from=- <names
}

@test "an empty name is reported by its number" {
	printf '\0a\0' >names
	fails "names:1: invalid zero-length file name" gsort --files0-from=names
	printf 'a\0\0b\0' >names
	fails "names:2: invalid zero-length file name" gsort --files0-from=names
	fails "-:2: invalid zero-length file name" gsort --files0-from=- <names
}

@test "a name that does not exist is reported before anything is written" {
	printf 'a\0nothing\0' >names
	fails "nothing: No such file" gsort --files0-from=names -o out
	[ ! -e out ]
}

@test "a check takes several names, too" {
	printf '1\n2\n' >a
	printf '2\n1\n' >b
	printf 'a\0b\0' >names
	run gsort -c --files0-from=names
	[ "$status" -eq 1 ]
	[ "$output" = "gsort: b:2: disorder: 1" ]
}

@test "two files of names are an error" {
	fails "incompatible" gsort --files0-from=names --files0-from=other
	sorts_to '1\n2\n3' gsort --files0-from=names --files0-from=names
}
