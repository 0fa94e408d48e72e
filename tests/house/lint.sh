#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# lint.sh - analyze sources and scripts; the tools must report nothing
#
#     make lint [LINT="NAME..."] [BASE=COMMIT]
#
#     scripts       shellcheck
#     format        clang-format, of lines changed since BASE (format.py says what it accepts)
#     cppcheck      C; cppcheck.txt has the suppressions, each with its reason
#     analyzer      gcc -fanalyzer of src/: leaks, null pointers, bytes that were not set
#     tidy          clang-tidy of C; .clang-tidy has the checks, and why some are off
#     manuals       groff with all warnings, mandoc without those of style: long lines of source are wanted
#
# A tool that is missing is named and skipped.  make sets:
#
#     GSORT_SOURCE, GSORT_BUILD   the folders of the sources and of the build, which has config.h
#     LINT                        some of the names above [all]
#     LINT_CPPFLAGS               for the headers of the libraries
#     BASE                        a commit [where this branch left origin/main, else HEAD]
#     TIDY                        the sources for analyzer and clang-tidy [all]

set -u
source=$(cd "${GSORT_SOURCE:?}" && pwd) && build=$(cd "${GSORT_BUILD:?}" && pwd) || exit 2
cd "$source" || exit 2
flags=(-std=c11 -D_GNU_SOURCE -DHAVE_CONFIG_H '-DGS_PKGLIBDIR="/lib"' "-I$build" -Itests/emu -Isrc -I.)
read -ra more <<<"${LINT_CPPFLAGS-}"
flags+=("${more[@]}")
# of MPI, whose compiler says where its headers are
for word in $(mpicc -showme:compile 2>/dev/null || mpicc -show 2>/dev/null); do
	[[ $word != -I* ]] || flags+=("-isystem${word#-I}")
done
grep -qs '^#define HAVE_CUDA' "$build/config.h" || flags+=(-DHAVE_CUDA=1 '-DGS_CUDA_ARCH="emulated"')
jobs=$(nproc)
found=0 skipped=()
mapfile -t all < <(find src kernels tests bench examples -name '*.c' | sort)
mapfile -t library < <(find src -name '*.c' | sort)

# check NAME FILES COMMAND...: its output is what was found; nothing, and status 0, is good
check() {
	local name=$1 count=$2 start=$SECONDS output
	shift 2
	if output=$("$@" 2>&1) && [ -z "$output" ]; then
		echo "ok $name: $count files in $((SECONDS - start)) s"
	else
		printf '%s\n' "$output" "not ok $name: $count files"
		found=1
	fi
}

# wanted NAME TOOL: is it asked for, and there?
wanted() {
	[[ " ${LINT:-scripts format cppcheck analyzer tidy manuals} " == *" $1 "* ]] || return 1
	command -v "$2" >/dev/null && return 0
	skipped+=("$1: no $2")
	return 1
}

# named FILE...: those that TIDY names, if it names any
named() {
	local file
	for file; do
		[ -n "${TIDY-}" ] && [[ " ${TIDY//$'\n'/ } " != *" $file "* ]] || echo "$file"
	done
}

# each COMMAND... -- FILE...: one file a process, as many processes as processors
# shellcheck disable=SC2317
each() {
	local command=()
	while [ "$1" != -- ]; do command+=("$1"); shift; done
	shift
	[ $# -gt 0 ] || return 0
	printf '%s\0' "$@" | xargs -0 -P "$jobs" -n 1 "${command[@]}"
}

if wanted scripts shellcheck; then
	mapfile -t scripts < <(grep -rlE '^#!/(usr/bin/env bash|bin/(ba)?sh)' bootstrap .ci tests bench packaging |
		grep -v '\.bats$' | sort)
	check scripts $((${#scripts[@]} + 2)) shellcheck -s bash \
		"${scripts[@]}" completions/gsort.bash tests/helpers.bash tests/examples.bash
fi
if wanted format clang-format; then
	if git rev-parse -q --verify HEAD >/dev/null 2>&1; then
		base=${BASE:-$(git merge-base HEAD origin/main 2>/dev/null || echo HEAD)}
		check format "$(git diff --name-only "$base" | wc -l)" tests/house/format.py --base "$base"
	else
		skipped+=("format: no git repository")
	fi
fi
if wanted cppcheck cppcheck; then
	# Without the flags of the libraries: of their headers nothing is asked.
	check cppcheck ${#all[@]} cppcheck -j "$jobs" --quiet --std=c11 --error-exitcode=1 \
		--enable=warning,performance,portability --suppressions-list=tests/house/cppcheck.txt \
		--template='{file}:{line}: {message} [{id}]' -D__x86_64__ -DHAVE_CUDA=1 \
		"-I$build" -Itests/emu -Isrc -I. "${all[@]}"
fi
if wanted analyzer gcc; then
	mapfile -t files < <(named "${library[@]}" | grep -v '/simd_kernels\.c$')
	check analyzer ${#files[@]} each gcc -fanalyzer -O1 -S -o /dev/null "${flags[@]}" -- "${files[@]}"
	# Inlined networks of vectors take it more than five minutes and 1.9 GB, since each store to a row that is
	# computed is one more place to remember.  A function at a time takes 11 s, but shifts of vectors and what
	# a function has set for its caller are beyond it.
	mapfile -t files < <(named "${library[@]}" | grep '/simd_kernels\.c$')
	[ ${#files[@]} -eq 0 ] || check "analyzer of networks" 1 gcc -fanalyzer -fanalyzer-call-summaries -O1 -S \
		-Dalways_inline=noinline --param=analyzer-max-enodes-per-program-point=3 -Wno-attributes \
		-Wno-analyzer-use-of-uninitialized-value -Wno-analyzer-shift-count-overflow \
		-o /dev/null "${flags[@]}" "${files[@]}"
fi
if wanted tidy clang-tidy; then
	mapfile -t files < <(named "${all[@]}")
	# On standard error it only counts what it does not show.
	# shellcheck disable=SC2016
	check tidy ${#files[@]} each bash -c 'clang-tidy --quiet "$@" 2>/dev/null' tidy \
		"${flags[@]/#/--extra-arg=}" --extra-arg=-Wall --extra-arg=-Wextra --extra-arg=-fopenmp \
		-- "${files[@]}"
fi
mapfile -t pages < <(find "$build/man" -name '*.[137]' 2>/dev/null | sort)
if wanted manuals groff; then check groff ${#pages[@]} groff -man -ww -z "${pages[@]}"; fi
if wanted manuals mandoc; then check mandoc ${#pages[@]} mandoc -T lint -W warning "${pages[@]}"; fi
[ ${#skipped[@]} -eq 0 ] || printf 'skipped %s\n' "${skipped[@]}"
exit $found
