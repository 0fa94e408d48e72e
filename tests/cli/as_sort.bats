# SPDX-License-Identifier: BSD-2-Clause
# Called as "sort", gsort is sort(1): bytes and status, or another sort does it.

load ../helpers

prepare() {
	mkdir own next
	ln -s "$(readlink -f "$GSORT")" own/sort
	next=$(command -v sort)
	PATH=$PWD/own:$PATH
	printf '%s\n' b 'a 2' B '' 'a 10' '_ 1' b >in
}

# asks_next OPTION...: another sort does it, which gets all words
asks_next() {
	cat >next/sort <<-'END'
		#!/bin/sh
		echo "next: $*"
	END
	chmod +x next/sort
	PATH=$PWD/own:$PWD/next sort "$@" </dev/null >out 2>err
	echo "next: $*" | cmp - out || { echo "not asked: $*"; cat err; return 1; }
}

# same OPTION...: own and the next sort give the same
same() {
	local wanted=0 got=0
	"$next" "$@" >expected 2>expected-err || wanted=$?
	# nothing else may run
	PATH=$PWD/own "$PWD/own/sort" "$@" >out 2>err || got=$?
	[ $got = $wanted ] || { echo "status $got, not $wanted: $*"; cat err; return 1; }
	cmp expected out || { echo "$*"; return 1; }
}

@test "whole lines, keys, checks and merges are as in sort" {
	printf '3\n1\n' >unsorted
	gzip -c in >in.gz
	for options in in "-r in" "-u in" "-n in" "-k2n in" "-k2,2n -k1,1r in" "-s -k1,1 in" "-f -u in" "-t1 -k2 in" \
	               "-c in" "-C in" "-c -u in" "--check=quiet unsorted" "-m unsorted in" "-m in unsorted -" \
	               "-z in" "-bdf in" "-V in" "-h in" "-M in" "-g in" "--sort=version in" "-S 1b in" "-S 1% in" \
	               "--parallel=3 --batch-size=2 in unsorted in" "--compress-program=zstd -S 1M in" "-S 99999999999b in" "-n --compress-program=lz4 in" "-k +1 in" "-k1,+2 in" "-T . in" "in -r" "in.gz" "-- in" "-k1.2 -n in" \
	               "nothing" "in nothing" "-k 0 in" "-c nothing" "--files0-from=nothing"; do
		same $options </dev/null
	done
	same -o out.gz in
	cmp out.gz <("$next" in)
	printf 'in\0unsorted\0' >names
	same --files0-from=names
	same --files0-from=names -c
}

@test "each option with each input gives the bytes and the status of sort" {
	local options input
	: >empty
	printf 'b\na' >no-end
	printf 'x 1\r\na 10\r\n\nx 9\r\n' >returns
	printf 'b\0a 3\0\nc\0' >nuls
	seq 2000 | tac >numbers
	printf '%s\n' 1e3 -inf nan 0x1F +5 1,000 2K 3M jan FEB v1.10 v1.9 ' 7' -0 0 >words
	{ head -c 300000 /dev/zero | tr '\0' 9; echo; head -c 300000 /dev/zero | tr '\0' '8'; } >long
	for input in in empty no-end returns nuls numbers words long "in words" "numbers -" nothing; do
		for options in "" -n -g -h -M -V -f -d -i -b -r -u -z -s -nu "-rs -k2" "-k1.2,1.3n" "-t. -k2,2n" -c -C -m \
		               "-S 1" "-n -S 1k --parallel=2" "--batch-size=2 -m" "+0 -1" "+1 -n" "-t1 +1.1 -2"; do
			case $options in
			+* | *" +"*) [ "$(sort $options $input </dev/null 2>&1 | sum)" = \
			             "$("$next" $options $input </dev/null 2>&1 | sed 's,^[^ :]*sort:,sort:,' | sum)" ] ;;
			*) same $options $input </dev/null ;;
			esac
		done
	done
}

@test "every option of sort --help does in gsort what it does there" {
	local option words status got
	printf 'in\0in\0' >names
	mkdir temp
	echo 1 >one
	"$next" --help | grep -oE '(^| )--[a-z0-9-]+(=[A-Z]+)?' | tr -d ' ' | sort -u >options
	[ "$(wc -l <options)" -ge 30 ]
	while read -r option; do
		case $option in
		--random-s*)                words= ;;	# of sort alone
		--help | --version)         words= ;;
		--merge)                    words="--merge one one" ;;	# others are checked
		--key=*)                    words="--key=2,2n in" ;;
		--field-separator=*)        words="--field-separator=_ -k2 in" ;;
		--sort=*)                   words="--sort=human-numeric in" ;;
		--batch-size=*)             words="--batch-size=2 in in in" ;;
		--buffer-size=*)            words="--buffer-size=1k in" ;;
		--parallel=*)               words="--parallel=3 in" ;;
		--compress-program=*)       words="--compress-program=zstd in" ;;
		--temporary-directory=*)    words="--temporary-directory=temp in" ;;
		--files0-from=*)            words="--files0-from=names" ;;
		--output=*)                 words="--output=given in" ;;
		*=*)                        echo "no argument for $option"; false ;;
		*)                          words="$option in" ;;
		esac
		[ -n "$words" ] || continue
		for words in "$words" "$words -r" "$words -s -k1.2" "$words -u"; do
			: >given
			status=0
			"$next" $words >expected 2>/dev/null || status=$?
			cat given >>expected
			: >given
			got=0
			gsort --lines $words >out 2>/dev/null || got=$?
			[ $got = $status ] || { echo "status $got, not $status: $words"; false; }
			cat given >>out
			cmp expected out || { echo "$words"; false; }
		done
	done <options
}

@test "what this sort would do otherwise goes to the next one on PATH" {
	for options in -R --random-sort --random-source=in --sort=random --sort=r "-k1,1R" "-k 2 -k1R" "+1 -2" "+1n" \
	               --debug --compress-program=gzip --help --version --uni --re "--p=2" "--t=." --check=summary \
	               "--check=q" "-y3 in" "-y 5" "-t ab in" "-S 1R in" "-S 1Y" "-S 99999999999999999999% in" "-S 99999999G in" --sort=x -n1 -q -u32 --head=3 --csv -X "-c in in" "in -c in" -k -nx; do
		asks_next $options
	done
	for locale in C POSIX C.UTF-8 C.utf8 '' nowhere; do	# for others: locale.bats
		(unset LC_ALL; export LANG=$locale; same -r in)
		(export LC_ALL=$locale LANG=de_DE; [ -z "$locale" ] || same -r in)
	done
}

@test "a long line fits, whatever -S says" {
	# gsort --lines says that each of these needs 48 to 197 MB
	{ seq 10000; head -c 10000000 /dev/zero | tr '\0' x; echo; echo a; head -c 10000000 /dev/zero | tr '\0' x; } >long
	head -c 10000000 long | tail -c 9750000 >other
	for options in "-S 1k long" "-S 20M -u long other" "-S 1M -k2 -r other" "-m -S 1k other long" "-c -S 1k other" \
	               "-S 1M -n --compress-program=zstd long"; do same $options; done
	"$next" other long >expected
	cat long | own/sort -S 1M other - | cmp - expected
	yes in | head -n 50000 | tr '\n' '\0' >names	# more than -S has room for
	same --files0-from=names -u -S 1M
}

@test "more inputs than may be open are merged by the next one, in order or not" {
	local many
	mapfile -t many < <(yes in | head -n 50)
	(
		ulimit -n 64
		asks_next -m "${many[@]}"
		asks_next "${many[@]}" -m --batch-size=2
		same -m "${many[@]:10}"
		same "${many[@]}"
		PATH=$PWD/own sort -m "${many[@]}" | sort -c
	)
}

@test "the next sort may start this one again" {
	cat >next/sort <<-'END'
		#!/bin/sh
		[ "$1" != -R ] || exec sh -c 'sort -r in; sort --debug </dev/null'
		echo "next: $*"
	END
	chmod +x next/sort
	PATH=$PWD/own:$PWD/next:$PATH sort -R in >out
	{ "$next" -r in; echo "next: --debug"; } | cmp - out
	POSIXLY_CORRECT=1 asks_next in -o out
}

@test "what is refused has the words of the next sort, or without one its own" {
	for options in "-k 0" "-k 2," "-k 1.0" "-k1.1,-k0" -c\ -o\ x -Co\ x -cC --batch-size={0,1,x,99999999999999999999} \
	               "-c in in" "-C in in" "--files0-from=in in" -nh -ni "-k1in,2" "-o d/e in" "absent" "-k1,1x" "-o a -o b"; do
		same $options
		PATH=$PWD/own:$PATH same_words $options
	done
	printf 'in\0\0' | PATH=$PWD/own sort --files0-from=- 2>err && return 1
	grep -q -- '-:2: invalid zero-length' err
	[ ! -e x ]
}

# same_words OPTION...: of messages, too
same_words() {
	"$next" "$@" 2>&1 | sed 's,^[^ :]*sort:,sort:,; s,^Try .*sort --,Try sort --,' >expected
	sort "$@" 2>&1 | sed 's,^[^ :]*sort:,sort:,; s,^Try .*sort --,Try sort --,' | cmp expected - ||
		{ echo "other words: $*"; return 1; }
}

@test "the next sort is found without /proc, too" {
	unshare -Urm mount -t tmpfs none /proc 2>/dev/null || skip "no mounts of one's own here"
	for name in "$PWD/own/sort" sort own/sort; do
		PATH=$PWD/own:$PATH unshare -Urm sh -c 'mount -t tmpfs none /proc; [ ! -e /proc/self ]; "$1" -R --version' \
			sh "$name" | head -n 1 | cmp - <("$next" --version | head -n 1)
	done
}

@test "without a next sort, or with this one by other names, that is an error" {
	for path in "$PWD/own" "$PWD/own:$PWD/copy"; do
		mkdir -p copy && cp "$(readlink -f "$GSORT")" copy/sort
		PATH=$path run "$PWD/own/sort" -R in
		[ "$status" = 2 ]
		[ "$output" = "sort: one of the options needs another sort, and PATH has none" ]
		PATH=$path run "$PWD/own/sort" -k 0 in
		[ "$status$output" = "2sort: invalid key '0': fields count from 1" ]
		PATH=$path run "$PWD/own/sort" -c in in
		[ "$status$output" = "2sort: extra operand 'in' not allowed with -c" ]
	done
}

@test "drawn options and lines give what sort gives" {
	needs python3
	python3 "$GSORT_SOURCE/tests/tools/numeric.py" "$PWD/own/sort" 11 100
}

@test "make install makes the link, which is found before the other sort" {
	[ -e "$GSORT_BUILD/Makefile" ] || skip "needs a build folder"
	make -s -C "$GSORT_BUILD" install-sort DESTDIR="$PWD/root" pkglibexecdir=/libexec/gsort bindir=/bin
	[ "$(readlink root/libexec/gsort/sort)" = /bin/gsort ]
	make -s -C "$GSORT_BUILD" uninstall-sort DESTDIR="$PWD/root" pkglibexecdir=/libexec/gsort
	[ ! -e root/libexec/gsort/sort ]
}
