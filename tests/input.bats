# SPDX-License-Identifier: BSD-2-Clause
# Where the bytes come from: files, pipes, terminals; compressed or not.

load helpers

# pack FORMAT: compress standard input
pack() {
	case $1 in
	gzip)  gzip -c ;;
	bzip2) bzip2 -c ;;
	xz)    xz -c -1 ;;
	zstd)  zstd -q -c ;;
	lz4)   lz4 -q -c ;;
	esac
}

suffix() {
	case $1 in
	gzip) echo gz ;; bzip2) echo bz2 ;; zstd) echo zst ;; *) echo "$1" ;;
	esac
}

text_is_sniffed() {
	needs "$1"
	gen --keys 50000 --type text >text
	gsort text >expected
	pack "$1" <text >packed
	gsort packed | cmp - expected			# by its first bytes
	gsort - <packed | cmp - expected
	cat packed | gsort | cmp - expected
	gsort --decompress="$1" packed | cmp - expected
	gsort packed text >both
	[ "$(wc -l <both)" = 100000 ]
	fails "packed:1: " gsort --decompress=none packed
}

binary_goes_by_name() {
	needs "$1"
	local name
	name=keys.$(suffix "$1")
	gen --keys 50000 --type u16 >keys
	gsort -u16 keys >expected
	pack "$1" <keys >"$name"
	gsort -u16 "$name" | cmp - expected
	gsort -u16 --decompress="$1" - <"$name" | cmp - expected
	gsort -u16 --decompress="$1" <"$name" | cmp - expected
	gsort -u8 --decompress=none "$name" >raw	# its bytes are keys, too
	same_keys "$name" raw u8
	cat "$name" | gsort -u8 | cmp - raw		# a pipe has no suffix
	gsort -u8 -o "out.$(suffix "$1")" keys		# the name of the output means nothing
	same_keys keys "out.$(suffix "$1")" u8
}

several_members() {
	needs "$1"
	gen --seed 1 --keys 30000 --type text >a
	gen --seed 2 --keys 1 --type text >b
	: >empty
	gen --seed 3 --keys 30000 --type text >c
	cat a b c >all
	for part in a b empty c; do pack "$1" <$part; done >packed
	gsort packed | cmp - <(gsort all)
}

damaged_is_an_error() {
	needs "$1"
	local bytes
	gen --keys 300000 --type text >text
	pack "$1" <text >whole
	bytes=$(wc -c <whole)
	echo old >out
	for keep in $((bytes - 1)) $((bytes / 2)) 20; do
		head -c "$keep" whole >cut
		fails "cut: " gsort -o out cut
	done
	{ head -c $((bytes / 2)) whole; printf 'XXXXXXXXXXXXXXXX'; tail -c +$((bytes / 2 + 17)) whole; } >bad
	fails "bad:" gsort -o out bad	# or it gives lines that are no numbers
	printf 'not compressed\n' >plain
	fails "plain: " gsort -o out --decompress="$1" plain
	gen --keys 10000 --type u32 | pack "$1" | head -c 1000 >"keys.$(suffix "$1")"
	fails "keys.$(suffix "$1"): " gsort -u32 -o out "keys.$(suffix "$1")"
	[ "$(cat out)" = old ]
}

@test "gzip: text is recognised"		{ text_is_sniffed gzip; }
@test "bzip2: text is recognised"		{ text_is_sniffed bzip2; }
@test "xz: text is recognised"			{ text_is_sniffed xz; }
@test "zstd: text is recognised"		{ text_is_sniffed zstd; }
@test "lz4: text is recognised"			{ text_is_sniffed lz4; }
@test "gzip: binary goes by name or option"	{ binary_goes_by_name gzip; }
@test "bzip2: binary goes by name or option"	{ binary_goes_by_name bzip2; }
@test "xz: binary goes by name or option"	{ binary_goes_by_name xz; }
@test "zstd: binary goes by name or option"	{ binary_goes_by_name zstd; }
@test "lz4: binary goes by name or option"	{ binary_goes_by_name lz4; }
@test "gzip: several members are one stream"	{ several_members gzip; }
@test "bzip2: several members are one stream"	{ several_members bzip2; }
@test "xz: several members are one stream"	{ several_members xz; }
@test "zstd: several members are one stream"	{ several_members zstd; }
@test "lz4: several members are one stream"	{ several_members lz4; }
@test "gzip: damage is an error"		{ damaged_is_an_error gzip; }
@test "bzip2: damage is an error"		{ damaged_is_an_error bzip2; }
@test "xz: damage is an error"			{ damaged_is_an_error xz; }
@test "zstd: damage is an error"		{ damaged_is_an_error zstd; }
@test "lz4: damage is an error"			{ damaged_is_an_error lz4; }

@test "zstd with a long window" {
	needs zstd
	gen --keys 200000 --type text >text
	zstd -q -c --long=31 --ultra -1 text >packed || skip "this zstd has no long windows"
	gsort packed | cmp - <(gsort text)
}

@test "binary keys that look like compressed data are keys" {
	printf '\037\213\010\0\050\265\057\375BZh9\375\067zXZ\0\002\041\4\"M\030\001' >keys
	gsort -u8 keys >out
	same_keys keys out u8
	cat keys | gsort -u8 | cmp - out
}

@test "compressed data whose content is no number is an error of that line" {
	printf '1\nx\n' | gzip >bad.gz
	fails "bad.gz:2: " gsort bad.gz
}

@test "compressed binary keys that end within a key are an error" {
	printf '12345' | gzip >keys.gz
	fails "5 bytes .*multiple of 4" gsort -u32 keys.gz
}

@test "a missing file is found before anything is read or written" {
	mkfifo never
	echo old >out
	run timeout 5 "$(command -v gsort)" -o out /dev/null missing
	[ "$status" -eq 2 ]
	[[ $output == "gsort: "*missing*"No such file or directory" ]]
	[ "$(cat out)" = old ]
	fails "missing.*No such file" gsort -o new missing
	[ ! -e new ]
}

@test "a directory is an error" {
	mkdir folder
	fails "folder.*[Dd]irectory" gsort folder
	fails "folder.*[Dd]irectory" gsort -u32 folder
	fails "[Dd]irectory" gsort -u32 <folder
}

@test "an unreadable file is an error" {
	[ "$(id -u)" -ne 0 ] || skip "root may read everything"
	echo 1 >secret
	chmod 0 secret
	fails "secret.*Permission denied" gsort secret
}

@test "standard input twice is read once" {
	printf '2\n1\n' >in
	gsort - - <in >out
	printf '1\n2\n' | cmp - out
}

@test "standard input is read from where it stands" {
	printf '9\n2\n1\n' >in
	{ read -r first; gsort; } <in >out
	printf '1\n2\n' | cmp - out
	[ "$first" = 9 ]
	gen --keys 10 --type u8 >keys
	{ head -c 2 >/dev/null; gsort -u32; } <keys >out || true	# head may read ahead
	{ dd bs=1 count=2 of=/dev/null 2>/dev/null; gsort -u32; } <keys >out
	[ "$(wc -c <out)" = 8 ]
}

@test "named pipes are inputs" {
	gen --keys 50000 --type u32 >keys
	mkfifo pipe
	cat keys >pipe &
	gsort -u32 pipe | cmp - <(gsort -u32 keys)
	wait
}

@test "slow pipes are waited for" {
	{ printf '5\n1'; sleep 0.2; printf '2\n'; sleep 0.2; printf '3'; } | gsort >out
	printf '3\n5\n12\n' | cmp - out
}

# on_terminal COMMAND: run it with a terminal for standard streams; status in it
on_terminal() {
	needs script
	script -qec "$1" typescript </dev/null
}

@test "binary keys from a terminal are refused, text is read" {
	run on_terminal "gsort -u32 -o out"
	[ "$status" -eq 2 ]
	[[ $output == *"gsort: "*terminal* ]]
	[ ! -e out ]
}

@test "binary keys to a terminal are refused before reading, unless --force" {
	gen --keys 4 >keys
	run on_terminal "gsort -u32 keys"
	[ "$status" -eq 2 ]
	[[ $output == *"gsort: "*terminal* ]]
	run on_terminal "gsort -u32 keys >out"
	[ "$status" -eq 0 ]
	run on_terminal "gsort -u32 --force keys"
	[ "$status" -eq 0 ]
	printf '2\n1\n' >text
	run on_terminal "gsort text"
	[ "$status" -eq 0 ]
}
