# SPDX-License-Identifier: BSD-2-Clause
# Lines in the order of a locale: --locale, and called as "sort" where the environment has one.  What sort(1)
# prints in that locale is right, byte for byte.

load ../helpers

names="en_US.UTF-8 sv_SE.UTF-8 ja_JP.UTF-8 tr_TR.UTF-8 hu_HU.UTF-8"

# localedef makes its locales where its name has a slash.
setup_file() {
	file_folder
	for name in $names; do
		localedef -c -i "${name%.*}" -f "${name#*.}" "$BATS_FILE_TMPDIR/$name" >/dev/null 2>&1 || true
	done
}

prepare() {
	needs localedef sort
	export LOCPATH=$BATS_FILE_TMPDIR LC_ALL=en_US.UTF-8
	for name in $names; do
		[ -e "$LOCPATH/$name" ] || skip "localedef makes no $name (package locales)"
	done
	mkdir own
	ln -s "$(readlink -f "$GSORT")" own/sort
}

# same OPTION...: what sort prints
same() {
	local status=0 wanted=0
	sort "$@" >expected 2>expected-err || wanted=$?
	gsort --locale "$@" >found 2>err || status=$?
	[ $status = $wanted ] && cmp expected found || { echo "$LC_ALL: $*"; cat err; return 1; }
}

# words_of COUNT: lines of words of several languages, most of them of ASCII
words_of() {
	awk -v count="$1" 'BEGIN {
		split("able Able ABLE baker über Übung résumé resume co-op coop か カナ 日本 ıi İ z å x_y naïve a\304 cs dzs", word, " ")
		srand(5)
		for (i = 0; i < count; i++) {
			line = word[int(rand() * 22) + 1]
			for (n = int(rand() * 4); n > 0; n--)
				line = line (rand() < .5 ? " " : rand() < .5 ? "-" : "") word[int(rand() * (rand() < .8 ? 3 : 22)) + 1]
			print line, int(rand() * 1000) (rand() < .3 ? "," int(rand() * 1000) : "") (rand() < .3 ? "." int(rand() * 100) : "")
		}
	}'
}

@test "drawn options and lines give what sort gives, in each locale" {
	needs python3
	for LC_ALL in $names; do
		GSORT=$GSORT python3 "$GSORT_SOURCE/tests/tools/keydefs.py" --locale=$LC_ALL 3 40
	done
}

@test "ranks of ASCII, comparisons and words of texts in each locale" {
	export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0	# with LOCPATH, newlocale(3) of glibc leaks
	units collation | tee rows
	grep -q '^[1-9][0-9]* rows, 0 failed$' rows
	[ "$(cat rows)" != "$(LOCPATH=$PWD units collation)" ]	# these were found
}

@test "3,000 of them in each locale" {
	left_to_slow "it takes minutes"
	needs python3
	for LC_ALL in $names; do
		GSORT=$GSORT python3 "$GSORT_SOURCE/tests/tools/keydefs.py" --locale=$LC_ALL 4 3000
	done
}

@test "larger than memory, from a pipe, merged, checked, with any number of threads" {
	words_of 30000 | sed "s/\$/ $(printf '%0200d' 0)/" >in
	for LC_ALL in en_US.UTF-8 hu_HU.UTF-8; do
		for options in "-u" "-k2,2 -r" "-k2,2n -k1,1f" "-s -k1,1d"; do
			same $options in
			gsort --locale $options -S 5M -T . --parallel=3 --verify --verbose=json:told <in | cmp - expected
			grep -q '"runs":[1-9]' told
		done
		same in
		gsort --locale -c expected
		sort -r in >reversed
		gsort --locale -m -r reversed reversed | cmp - <(sort -m -r reversed reversed)
		not gsort --locale -C reversed
	done
}

@test "many lines with few texts, several of which differ by case, accents and what is ignored" {
	awk 'BEGIN {
		srand(9)
		texts = split("same Same SAME sàme sa-me saMe sæme sa\001me other Öther other- ch cs", text, " ")
		for (i = 0; i < 40000; i++)
			print int(rand() * 9), text[int(rand() * rand() * texts) + 1], text[int(rand() * 4) + 1], int(rand() * 3000)
	}' >in
	for LC_ALL in en_US.UTF-8 hu_HU.UTF-8; do
		for options in "-k2,2" "-s -k2,2" "-k2,2f -k1,1n" "-k2,2r -k3,3 -k4,4nr" "-u -k2,2 -k3,3" "-u -k2,2f" \
			"-k1,1n -k2,2 -k3,3r" "-s -k2,2d -k3,3f -r"; do
			# shellcheck disable=SC2086
			same $options in
		done
		sort -s -k2,2 -k3,3 in >expected
		gsort --locale --argsort=u32 -s -k2,2 -k3,3 in | od -An -tu4 -w4 -v | awk '
			NR == FNR { line[NR - 1] = $0; next } { print line[$1 + 0] }' in - | cmp - expected
		gsort --locale --count -k2,2 in | awk '{ print $1 }' | cmp - <(sort -s -k2,2 in |
			LC_ALL=C awk '$2 != last { if (n) print n; n = 0 } { n++; last = $2 } END { print n }')
	done
}

@test "many keys of text, all equal, on a small stack" {
	words_of 3000 | sed 's/^/Same same /' >text
	keys=()
	for ((k = 0; k < 600; k++)); do keys+=(-k1,1); done
	(ulimit -s 1024; same "${keys[@]}" -k2,2 text)
	same "${keys[@]}" -k3,3 text
}

@test "numbers, sizes, floats and months are the locale's" {
	printf '%s\n' 1.234,5 1234,25 '1.23' 1,5 -2.000 ,5 .5 0 1,2e3 12,5K 1.2K 9.999K 1..000K 2. 3.,5 >numbers
	printf '%s\n' 1,234.5 1234.25 1.23 1.5 -2,000 ,500 .5 1,2K 12,000K 1,,0K 2,K >>numbers
	for LC_ALL in en_US.UTF-8 sv_SE.UTF-8 tr_TR.UTF-8; do
		for options in -n -h -g -ns -hs -gs -nu "-t, -k1,1n" "-t. -k2n -s"; do same $options numbers; done
	done
	printf '%s\n' oca OCAK şub ŞUB Ara mar ' Nis' Haz x 1月 12月 2月 maj OKT Dez jan >months
	for LC_ALL in en_US.UTF-8 sv_SE.UTF-8 ja_JP.UTF-8 tr_TR.UTF-8; do same -M months; same -Ms months; done
}

@test "two characters that are one, and lines that strxfrm makes long" {
	printf '%s\n' cs csa cz cr ct ddz dz dzs dzt gyu gy gz cS aa ba >in
	LC_ALL=hu_HU.UTF-8 same in
	LC_ALL=en_US.UTF-8 same in
	for end in a b é か '' '-' '!'; do
		for middle in ä か - '.' x; do
			for count in 1 500 3000; do
				printf "%s%s%s\n" "$(printf "%${count}s" | sed "s/ /$middle/g")" "ab" "$end"
			done
		done
	done >long
	for LC_ALL in en_US.UTF-8 ja_JP.UTF-8; do same long; same -k1.600,1.3500f long; done
}

@test "lines with NULs, and long numbers with separators of thousands" {
	printf 'é\0b\né\0a\né\0\né\nÉ\0a\né\0\0a\ne\0\303\251\ne\0é\ne\n\0é\n\0\nb\0é\0\nb\0é\nb\0é\0x\n' >nul
	for options in "" -f -s -r -d "-k1,1" "-k1.2" -u; do
		# shellcheck disable=SC2086
		same $options nul
	done
	for number in 12345678901234567 123456789012345678901234 1234567890123456; do
		printf '%s\n' $number $number,890 $number,89 $number, $number,8x -$number -$number,890 ,$number "$number,,8"
	done >numbers
	same -n numbers
	same -s -n numbers
	same -s -h numbers
	printf '%s\n' '1,234 x' 1,,2 ,5 12,345K 1, 1,234,567.5 -1,2x 1,a 1,2, >thousands
	for options in -n -h "-k1,1n" "-k1.2,1.4n"; do
		# shellcheck disable=SC2086
		same --debug $options thousands
	done
}

@test "--debug marks columns of the terminal" {
	printf '%s\n' $'\303\251 b' 'a c' $'\344\270\255\346\226\207 d' $'\tx\303\251 \300z y' $'e\314\201e q' \
		$'\302\205 m' $'\303' >in
	for locale in en_US.UTF-8 ja_JP.UTF-8 C; do
		export LC_ALL=$locale LANGUAGE=C
		for options in "" -k2,2 -k1,1 "-k1.2,1.2 -s" "-k1.2,2.1 -t b" "-k2,2 -k1.3,1n"; do same --debug $options in; done
	done
}

@test "selections, sets, rows of CSV and numbers of lines are in the same order" {
	words_of 3000 >in
	words_of 4000 | tail -n 2500 >other
	sort -u in >sorted
	gsort --locale --count in | cmp - <(sort in | LC_ALL=C uniq -c)
	gsort --locale --head=7 in | cmp - <(sort in | sed 7q)
	gsort --locale --tail=7 -r in | cmp - <(sort -r in | tail -n 7)
	gsort --locale --intersect -u in other | cmp - <(comm -12 sorted <(sort -u other))
	gsort --locale --argsort=u32 in | od -An -tu4 -w4 -v | awk '
		NR == FNR { line[NR - 1] = $0; next } { print line[$1 + 0] }' in - | cmp - <(sort in)
	sed 's/ /,/; s/^/"/; s/,/",/' in | gsort --locale --csv -s -k1,1 | tr -d '"' | cmp - <(sed 's/ /,/' in | sort -s -t, -k1,1)
	printf 'n,p\nb,1.5\na,10\nÄ,2\n' | gsort --locale=sv_SE.UTF-8 --csv --header -k p:n |
		cmp - <(printf 'n,p\nb,1.5\nÄ,2\na,10\n')	# strict numbers are those of C
}

@test "called as sort, the environment says which; an unknown locale is C" {
	local other
	other=$(command -v sort)
	words_of 500 >in
	for name in LC_ALL LC_COLLATE LC_CTYPE LC_NUMERIC LC_TIME LANG; do
		for locale in tr_TR.UTF-8 nowhere; do
			for options in "" "-k2n" "-f -k1,1"; do
				env -u LC_ALL "$name=$locale" PATH="$PWD/own" "$PWD/own/sort" $options in >found
				env -u LC_ALL "$name=$locale" "$other" $options in | cmp - found
			done
		done
	done
}

@test "--locale=NAME; one that does not exist is refused" {
	words_of 500 >in
	LC_ALL=C gsort --locale=sv_SE.UTF-8 in | cmp - <(LC_ALL=sv_SE.UTF-8 sort in)
	LC_ALL=nowhere gsort --locale in | cmp - <(LC_ALL=C sort in)
	for name in C POSIX; do gsort --locale=$name -g -k2 in | cmp - <(LC_ALL=C sort -g -k2 in); done
	fails "there is no locale 'nowhere' here; 'locale -a' prints those there are" gsort --locale=nowhere in
	fails "options '--locale=C' and '--locale=POSIX' are incompatible" gsort --locale=C --locale=POSIX in
	fails "options '--locale' and '-u32' are incompatible" gsort --locale -u32 in
}

@test "several ranks sort in one locale, or not at all" {
	local ranks=$(built gsort-ranks)
	[ -x "$ranks" ] || skip "gsort-ranks was not built"
	words_of 20000 >in
	for options in "" "-k2,2 -k1,1r" "-u -k1,1"; do
		sort $options in >expected
		GSORT_RANKS=3 "$ranks" --locale $options in -o out
		cmp out expected
	done
}
