#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# abi.sh - what programs compiled with gsort.h rely on
#
#     tests/house/abi.sh libgsort.so.0 >src/libgsort.abi
#     tests/house/abi.sh libgsort_cuda.so.0 gsort_cuda.h >src/libgsort_cuda.abi
#
# Prints the symbols of the library, then the value of each constant, the size of each struct and the
# offset of each of its members.  abi.bats compares this with src/libgsort.abi.  What is in that file
# of a released version must not change: a struct grows at its end, or in a member called reserved.

set -eu
library=${1:?usage: abi.sh LIBRARY [HEADER]}
header=$(cd "$(dirname "$0")/../.." && pwd)/src/${2:-gsort.h}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$library" | sed -n 's/.* T \(.*\)@@.*/\1/p' | LC_ALL=C sort

# Without comments and preprocessor lines, a member is what stands before ";" in a struct with a body.
{
	printf '#include <stddef.h>\n#include <stdio.h>\n#include "%s"\n\nint main(void)\n{\n' "$header"
	${CC:-cc} -w -fpreprocessed -E -P "$header" | sed '/^#/d' >"$work/plain"
	sed -n '/^\(typedef \)\{0,1\}enum .*{/,/}/p' "$work/plain" | grep -oE '\bGSORT_[A-Z0-9_]+' |
		awk '{ printf "\tprintf(\"%s %%lld\\n\", (long long)%s);\n", $0, $0 }'
	awk '
		/^struct gsort_[a-z_]+ \{/ {
			struct = $2
			printf "\tprintf(\"struct %s %%zu\\n\", sizeof(struct %s));\n", struct, struct
			next
		}
		/^\};/ { struct = "" }
		struct != "" && /;/ {
			name = $0
			sub(/;.*/, "", name)
			if (match(name, /\(\*[a-z_]+\)/)) {
				name = substr(name, RSTART + 2, RLENGTH - 3)
			} else {
				gsub(/\[[^]]*\]/, "", name)
				sub(/^[ \t]*(const )?(struct |enum )?[a-z_0-9]+[ \t]+(const[ \t]*)?/, "", name)
			}
			count = split(name, names, /,/)
			for (i = 1; i <= count; i++) {
				gsub(/[^a-z_0-9 ]/, "", names[i])
				sub(/.* /, "", names[i])
				sub(/^const/, "", names[i])
				printf "\tprintf(\"struct %s.%s %%zu\\n\", offsetof(struct %s, %s));\n",
					struct, names[i], struct, names[i]
			}
		}' "$work/plain"
	printf '\treturn 0;\n}\n'
} >"$work/abi.c"
${CC:-cc} -std=c11 -o "$work/abi" "$work/abi.c"
"$work/abi"
