#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# seeds.sh - something for a fuzz target to begin with: seeds.sh TARGET FOLDER
#
# Made here, and the same everywhere; no blobs in the repository.
set -euo pipefail

target=$1 folder=$2
mkdir -p "$folder"
at=0

# An input: bytes in hexadecimal, then a text with the escapes of printf.
seed() {
	at=$((at + 1))
	# shellcheck disable=SC2001  # of each two digits
	{
		printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"
		printf '%b' "${2-}"
	} >"$folder/seed$at"
}

# COUNT bytes that look random, in hexadecimal: seed TARGET's own.
noise() { # SEED COUNT
	awk -v x="$1" -v n="$2" 'BEGIN { for (x++; n > 0; n--) { x = x * 48271 % 2147483647	# exact in a double
		printf "%02x", int(x / 65536) % 256 } }'
}

case $target in
records)
	for flags in 0000 0010 0020 0040 0100 0200 0480 8000 9001 a010 000f 8020; do
		for rest in 0f 63 05; do
			seed "${flags}07$rest$(noise "$at" 60)"
			seed "${flags}ff$rest$(noise "$at" 300)"
		done
	done;;
lines)
	for flags in 0000 0010 0020 0040 0080 00d0 0100 0200 0480 2000 20c0 6000 9001 b010 000f 802f; do
		seed "${flags}07$(noise "$at" 40)" '1,b\n-2,"a,\n"\n\n01 x'
		seed "${flags}52$(noise "$((at * 7919))" 60)"
	done;;
text)
	for flags in 00 01 10 20 30 04 c0 02; do
		for more in 00 10 30 0a; do
			seed "$flags${more}1234ff" '0\n1\n-1\n+7\r\n  8\t\n18446744073709551615\n-9223372036854775808\n'
			seed "$flags${more}00ff80" '18446744073709551616\n1.5\nx\n\n00000000000000000000000001\n99999999\n'
			seed "$flags${more}abcdff" "$(seq 1 50 | tr '\n' '0' | sed 's/0/\\n/g')"
			seed "$flags${more}$(noise "$at" 200)"
		done
	done;;
floats)
	for bits in 0000000000000001 7fefffffffffffff 3ff0000000000000 8000000000000000 4340000000000001 \
			7ff8000000000001 fff0000000000000 3f50624dd2f1a9fc 0010000000000000 4341c37937e08000; do
		for text in 0.1 1e400 0x1.8p-3 -infinity nan 1e-400 9007199254740993 5e-324 .5e1 123456789012345678901e-7; do
			seed $bits $text
		done
	done;;
inflate)
	for tool in gzip bzip2 xz zstd lz4; do
		case $tool in gzip) format=00;; bzip2) format=01;; xz) format=02;; zstd) format=03;; lz4) format=04;; esac
		command -v $tool >/dev/null || continue
		{ printf '%b\x07' "\\x$format"; seq 200 | $tool -c; } >"$folder/$tool"
		{ printf '%b\x07' "\\x$format"; seq 10 | $tool -c; seq 10 | $tool -c; } >"$folder/$tool.2"
	done
	for format in 80 81 82 83 84; do
		for members in 01 03 d7 ff; do
			seed "${format}05${members}ff$(noise $((0x$format + 0x$members)) 60)"
			seed "${format}60${members}00$(noise $((0x$format * 3 + 0x$members)) 60)"
		done
	done;;
opts)
	seed 00 '-u32\0000-r\0000-S\00001G\0000file'
	seed 00 '--parallel=3\0000--to=text\0000-i64\0000-'
	seed 00 '-c\0000-n\0000--check=summary'
	seed 2c 'one\0000two\0000and thr\0000--files0-from=-\0000-m'
	seed 04 '--device=gpu:1\0000-Sgpu:80%\0000-S50%'
	seed 02 '-ru64\0000-k1\0000--head=3\0000-zT\0000dir'
	seed 03 '-o\0000out\0000--in-place\0000--verbose=json\0000--progress=never';;
*)	# structured: every byte is a choice
	for s in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
		seed "$(noise $((s * 7919)) $((40 + s * 8)))"
	done
	seed 0000000000000000
	# a header that begins with the mark of UTF-16
	[ "$target" != header ] || seed c4fffffffffeffffe780ff04
	seed 0101010101010101 "$(seq 40 | tr -d '\n')";;
esac
