#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# suites.sh - do work of other projects that calls sort twice: with this system's sort, and with ours
#
#     suites.sh FOLDER SUITE
#
#     FOLDER   has a program of the name sort: libexec/gsort of an installation
#     SUITE    coreutils     its tests of sort
#              busybox, toybox, uutils, apple     those of others, and a third time as gsort --lines
#              git           those of its tests that compare sorted lists
#              dash, scowl   two Debian packages whose builds call sort: what they make
#              self          three calls of sort, without a network
#
# Sources come from apt-get source, into the current folder; or they are in folder SUITES_SOURCES, as uutils' may be
# as rust-coreutils-1, and Apple's, which Debian has not, as text_cmds-1.  Prints how many results there are, and the difference.  Status 0: both times gave the same; 1: they did not; 77: the source, or a tool
# that it needs, cannot be had here.

set -u -o pipefail
tools=$(cd "${0%/*}" && pwd) ours=$(cd "${1:?}" && pwd) suite=${2:?}
here=$PWD

exec 3>&2

absent() {
	echo "$1" >&3
	exit 77
}

# Into the folder of the source of PACKAGE, with the lists of sources that this system has; "published": without
# what Debian adds.
source_of() {
	local apt=$here/apt only=()
	local options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt/parts"
		-o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o "APT::Sandbox::User=$(id -un)")

	folder=("${SUITES_SOURCES:-$here}/$1"-[0-9]*/)
	if [ ! -d "${folder[0]}" ]; then
		mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
		sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$apt/parts/debian.list"
		sed 's/^Types: .*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$apt/parts/debian.sources"
		[ -z "${2-}" ] || only=(--tar-only)
		if ! timeout 300 apt-get "${options[@]}" update ||
		   ! timeout 300 apt-get "${options[@]}" source "${only[@]}" "$1"; then
			absent "apt-get source $1 does not work here"
		fi
		[ -z "${2-}" ] || { mkdir "$1-1" && tar -C "$1-1" --strip-components=1 -xf "$1"_*.orig.tar.*; }
		folder=("$1"-[0-9]*/)
	fi >&3 2>&1
	cd "${folder[0]}" || exit 2
}

# What configure and make would tell the tests; getlimits is one of their programs.  Of two cases the wanted
# result is not ours: that a merge of four files two at a time needs a temporary file, and the word stdin in a message of
# coreutils before 9.2.
coreutils() {
	local name status test
	source_of coreutils
	mkdir -p src
	cat >src/getlimits <<-'END'
		#!/bin/sh
		for type in SCHAR=127 INT=2147483647 UINT=4294967295 LONG=9223372036854775807 SSIZE=9223372036854775807 \
			OFF_T=9223372036854775807 INTMAX=9223372036854775807 ULONG=18446744073709551615 \
			SIZE=18446744073709551615 UINTMAX=18446744073709551615; do
			echo "${type%=*}_MAX=${type#*=}"
			echo "${type%=*}_OFLOW=$(echo "${type#*=}" | sed 's/7$/8/; s/5$/6/')"
		done
		echo FLT_MIN=1.175494e-38 FLT_MAX=3.402823e+38 DBL_MIN=2.225074e-308 DBL_MAX=1.797693e+308 \
			LDBL_MIN=3.362103e-4932 LDBL_MAX=1.189731e+4932 | tr ' ' '\n'
	END
	chmod +x src/getlimits
	: >src/config.h
	export srcdir=. top_srcdir=. abs_srcdir=$PWD abs_top_srcdir=$PWD abs_top_builddir=$PWD VERBOSE=yes \
		CONFIG_HEADER=$PWD/src/config.h RUN_EXPENSIVE_TESTS=yes built_programs="sort ls printf getlimits" \
		LOCALE_FR=none LOCALE_FR_UTF8=none SHELL=/bin/bash PERL=perl AWK=awk host_os=linux-gnu
	PATH=$PATH:$PWD/src
	for test in tests/{misc,sort}/sort[-.]*{pl,sh}; do
		[ -e "$test" ] || continue
		name=${test##*/}
		export CU_TEST_NAME=$name
		case $test in
		*.pl) perl -w -Itests -MCuSkip -MCoreutils -M"CuTmpdir qw($name)" "$test" ;;
		*)    bash "$test" ;;
		esac >"$here/log" 2>&1 9>&1 </dev/null
		status=$?
		case $test in	# those of Perl name their cases, and those that fail
		*.pl) sed -n "s/^\([^ +]*\)\.\.\.$/$name \1/p; s/^[^ ]*: test \([^: ]*\).*/$name \1: failed/p" "$here/log" ;;
		*)    echo "$name: $status" ;;
		esac
	done | grep -v -e 'nmerge-no: f' -e 'minus-in-stdin: f'
}

# A script of: testing NAME COMMAND RESULT INPUT STDIN.  In some of these, sort is not in COMMAND: testcmd.
testing_of() {
	source_of "$1" published
	local script=$PWD/$2
	mkdir -p "$here/cases"
	cd "$here/cases" || exit 2
	cat >testing.sh <<-'END'
		optional() { :; }
		toyonly() { :; }
		testing() {
			printf '%b' "$4" >input
			printf '%b' "$5" | eval "$2" >printed 2>/dev/null
			echo "$((number += 1)) $1: $? $(cksum <printed)"
		}
		testcmd() { testing "$1" "sort $2" "$3" "$4" "$5"; }
	END
	bash "$script" || :
}

busybox() { testing_of busybox testsuite/sort.tests; }

toybox() { testing_of toybox tests/sort.test; }

# Left out: a program that does not exist, from which some releases of coreutils crash.
uutils() {
	source_of rust-coreutils published
	python3 "$tools/suites_rust.py" "$PWD" | grep -v 'nonexistent-program'
}

# Its cases are functions that call atf_check.
# shellcheck disable=SC2317  # it calls these
apple() {
	source_of text_cmds published
	local source=$PWD/sort/tests cases=() unit
	atf_set() { :; }
	atf_expect_fail() { :; }
	atf_fail() { echo "$unit: $*"; }
	atf_get_srcdir() { echo "$source"; }
	atf_test_case() { cases+=("$1"); }
	atf_check() {
		local wanted="" status
		while [[ $1 == -[soe] ]]; do
			[[ $1 != -o || $2 != file:* ]] || wanted=${2#file:}
			shift 2
		done
		if [ "$1" = -x ]; then eval "$2"; else "$@"; fi >"$here/printed" 2>/dev/null
		status=$?
		if [ "$wanted" ] && cmp -s "$here/printed" "$wanted"; then
			echo "$unit: $status as wanted"
		else
			echo "$unit: $status $(cksum <"$here/printed")"
		fi
	}
	# shellcheck source=/dev/null
	. "$source/t_sort.sh"
	for unit in "${cases[@]}"; do
		rm -rf "$here/case" && mkdir "$here/case" && cd "$here/case" || exit 2
		"${unit}_body"
	done
}

dash() {
	source_of dash
	[ -e configure ] || autoreconf -fi >&2 || absent "no autoconf"
	[ -e Makefile ] || ./configure >&2 || absent "no compiler"
	make -s clean >&2
	make -s >&2
	sha256sum src/{builtins,syntax,nodes}.[ch] src/dash
}

scowl() {
	source_of scowl
	rm -rf final_utf8 ./*-english*
	make -s -f debian/rules override_dh_auto_build >&2
	sha256sum ./*-english*
}

git() {
	local test
	source_of git
	[ -x git ] || make -s -j2 CFLAGS=-O0 NO_{CURL,EXPAT,GETTEXT,TCLTK,PYTHON,OPENSSL}=1 >&2 || absent "no make of git"
	cd t || exit 2
	for test in t3200 t3203 t5317 t5319 t6112 t6300 t6302 t7004 t7700; do
		bash "$test"-*.sh 2>&1 | sed -n "s/^\(ok\|not ok\|#\) /$test: &/p"
	done
}

self() {
	printf 'b\n\na\n' | sort
	printf '10\n9\n' | sort -n
	printf 'b 2\na 2\n' | sort -s -k2,2
}

# once NAME SORT: the suite with that program as sort; its results, and how often it was called
once() {
	local status
	: >"$here/calls"
	export SUITES_SORT=$2
	(PATH=$here/bin:$PATH && "$suite") >"$here/$1"
	status=$?
	calls=$(wc -l <"$here/calls")
	return $status
}

case $suite in coreutils | busybox | toybox | uutils | apple | git | dash | scowl | self) ;; *) echo "no suite $suite" >&2; exit 2 ;; esac
export LC_ALL=C SUITES_HERE=$here SUITES_OPTION=
mkdir -p bin
cat >bin/sort <<-'END'
	#!/bin/bash
	echo >>"$SUITES_HERE/calls"
	PATH=${PATH/"$SUITES_HERE/bin:"/}
	exec -a "${SUITES_OPTION:+g}sort" "$SUITES_SORT" $SUITES_OPTION "$@"
END
chmod +x bin/sort
once system "$(command -v sort)" || exit $?
once ours "$ours/sort"
echo "$suite: $(wc -l <ours) results, $calls calls of sort"
[ "$calls" -gt 0 ] && [ -s ours ] && diff system ours || exit 1
case $suite in busybox | toybox | uutils | apple) ;; *) exit 0 ;; esac
SUITES_OPTION=--lines
mv ours as-sort
once ours "$ours/sort"
# What differs as gsort: sizes beyond the machine's memory, which set no limit; old keys (+1); the source of a random
# order; the version.
differences=$(diff as-sort ours | grep '^[<>]' |
	grep -v -e "'1Y'" -e "%'\]" -e '^. plus_' -e '^. tflag' -e random-source= -e "'--version'")
echo "$differences"
[ -z "$differences" ]
