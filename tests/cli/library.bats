# SPDX-License-Identifier: BSD-2-Clause
# libgsort from C: the examples, built here and from what an installation gives.

load ../helpers

# The programs in FOLDER do what their first lines say.
smallest_works() {
	"$1/smallest" >printed
	awk 'BEGIN { for (i = 0; i < 10; i++) print i / 8 - 1 }' | diff - printed
}

collect_works() {
	printf '3\n10\n3\nthree\n7' | "$1/collect" numbers.txt >printed 2>warning
	[ "$(cat printed)" = "4 numbers, 3 different" ]
	grep -q ':4: ' warning
	printf '3\n7\n10\n' | cmp - numbers.txt
	{ printf '1\n2\n'; sleep 0.1; printf '0\n'; } | "$1/collect" numbers.txt >printed
	printf '0\n1\n2\n' | cmp - numbers.txt

	# what cannot be opened, or is no input, is said, and the file is as it was
	run "$1/collect" no/folder/numbers.txt </dev/null
	[ "$status" -eq 2 ]
	[[ $output == *no/folder/numbers.txt*"No such file"* ]]
	run "$1/collect" numbers.txt <.
	[ "$status" -eq 2 ]
	printf '0\n1\n2\n' | cmp - numbers.txt
}

ranks_works() {
	"$1/ranks" >printed
	printf '%s\n' '1. Ben 12' '2. Dan 12' '3. Ada 7.5' '4. Cleo 3.25' '5. Eve -1' | diff - printed
}

@test "players by score: indices of an array" {
	ranks_works "$GSORT_BUILD/examples"
}

@test "the ten smallest of a million doubles, from memory to memory" {
	smallest_works "$GSORT_BUILD/examples"
}

@test "numbers from a pipe, sorted into a file" {
	collect_works "$GSORT_BUILD/examples"
}

@test "killed while it reads, it leaves the file as it was, and nothing beside it" {
	echo old >numbers.txt
	mkfifo ../fifo
	"$GSORT_BUILD/examples/collect" numbers.txt <../fifo &
	exec 9>../fifo
	printf '1\n2\n' >&9
	eventually has_open $! "$PWD/*"		# its output, which has no name yet
	kill -KILL $!
	wait $! || true
	exec 9>&-
	[ "$(cat numbers.txt)" = old ]
	[ "$(ls -A)" = numbers.txt ]
}

@test "the examples build with what make install and pkg-config give" {
	skips_under_sanitizer "the library links with nothing but it"
	needs cc pkg-config
	[ -e "$GSORT_BUILD/Makefile" ] || skip "$GSORT_BUILD is no build folder"
	unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
	prefix=$(sed -n 's/^prefix = //p' "$GSORT_BUILD/Makefile")
	make -s -C "$GSORT_BUILD" install DESTDIR="$PWD/root" >log 2>&1 || { cat log; false; }

	root=$PWD/root$prefix
	PKG_CONFIG_PATH=$(dirname "$(find "$root" -name gsort.pc)")
	export PKG_CONFIG_PATH
	[ "$(pkg-config --modversion gsort)" = "$("$root/bin/gsort" --version | sed -n 's/^gsort //p')" ]
	flags=$(pkg-config --define-variable=prefix="$root" --cflags --libs gsort)
	LD_LIBRARY_PATH=$(pkg-config --define-variable=prefix="$root" --variable=libdir gsort)
	export LD_LIBRARY_PATH
	for example in smallest collect ranks; do
		# shellcheck disable=SC2086
		cc -std=c11 -Wall -Wextra -Werror -o $example "$(find "$root" -name $example.c)" $flags
	done
	smallest_works .
	collect_works .
	ranks_works .
	for python in python3 /usr/bin/python3 ''; do "$python" -c 'import numpy' 2>/dev/null && break; done
	[ -n "$python" ] && [ -e "$LD_LIBRARY_PATH/libgsort.so.0" ] || skip "no numpy; those of C are right"
	GSORT_LIBRARY=$LD_LIBRARY_PATH/libgsort.so.0 PYTHONPATH=$GSORT_SOURCE/python PYTHONDONTWRITEBYTECODE=1 \
		"$python" "$(find "$root" -name median.py)" 1001 | grep -qx '1001 keys, median 500, sorted: True'
}

@test "gsort.3 shows the example as it is" {
	sed -n '/^\.SH EXAMPLES/,$p' "$GSORT_SOURCE/man/gsort.3.in" | sed -n '/^\.EX/,/^\.EE/p' |
		sed '/^\.E[XE]/d; s/\\&//; s/\\-/-/g; s/\\e/\\/g' >shown
	sed -n '/^#include/,$p' "$GSORT_SOURCE/examples/smallest.c" | expand -t 4 | diff - shown
}

@test "gsort.3 has every function of gsort.h" {
	grep -oE '\bgsort_[a-z_]+\(' "$GSORT_SOURCE/src/gsort.h" | sort -u >functions
	[ "$(wc -l <functions)" -ge 13 ]
	while read -r function; do
		grep -qF "${function%(}" "$GSORT_SOURCE/man/gsort.3.in" || { echo "$function"; false; }
	done <functions
}
