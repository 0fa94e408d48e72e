# SPDX-License-Identifier: BSD-2-Clause
# One list of options: in --help=all, in the man page, in three completions.

load ../helpers

# What follows describes the repository's files, not the installed ones.
prepare() {
	gsort --help=all | sed 's/numeric (-n).*//; s/PROG -d.*//; s/(with -v.*//; s/--rev\.//' | grep -oE '(^| )--?[a-zA-Z][a-z0-9-]*' | tr -d ' ' | sort -u >in-help
	[ "$(wc -l <in-help)" -gt 20 ]
}

# lists NAME: the options on standard input are those of --help=all
lists() {
	sort -u >"in-$1"
	diff in-help "in-$1"
}

@test "the man page has the options of --help" {
	# only the section OPTIONS, and there only the tags
	awk '/^\.SH/ { options = /OPTIONS/ }  options && (tag || /^\.TQ/ && ++tag) ; { tag = /^\.TP|^\.TQ/ }' \
		"$GSORT_SOURCE/man/gsort.1.in" | sed 's/\\f[A-Z]//g; s/\\-/-/g' |
		grep -oE '(^|[ "])--?[a-zA-Z][a-z0-9-]*' | tr -d ' "' | lists man
}

@test "bash completes the options of --help" {
	sed -n "/local options=/,/'$/p" "$GSORT_SOURCE/completions/gsort.bash" |
		grep -oE -- '--?[a-zA-Z][a-z0-9-]*' | lists bash
}

@test "zsh completes the options of --help" {
	sed "s/^	'([^)]*)'/	/; s/([^)]*)//" "$GSORT_SOURCE/completions/_gsort" |
		grep -oE -- "(^|['{,)*])--?[a-zA-Z][a-z0-9-]*" | tr -d "'{,)*" | lists zsh
}

@test "fish completes the options of --help" {
	{
		sed -n 's/^complete.* -s \([a-zA-Z]\) .*/-\1/p; s/.*complete.* -o \([a-z]\)$width.*/\1/p' \
			"$GSORT_SOURCE/completions/gsort.fish" | grep -- -
		sed -n 's/^complete -c gsort -o \([a-z0-9]*\) .*/-\1/p' "$GSORT_SOURCE/completions/gsort.fish"
		sed -n 's/^complete.* -l \([a-z0-9-]*\) .*/--\1/p' "$GSORT_SOURCE/completions/gsort.fish"
		awk '/^for width/ { $1 = $2 = $3 = ""; widths = $0 }
		     / -o [uif]\$width/ { n = split(widths, w, " ")
		                          for (i = 1; i <= n; i++) print "-" substr($5, 1, 1) w[i] }' \
			"$GSORT_SOURCE/completions/gsort.fish"
	} | lists fish
}

@test "the completions are sound for their shells" {
	bash -n "$GSORT_SOURCE/completions/gsort.bash"
	if command -v zsh >/dev/null; then zsh -n "$GSORT_SOURCE/completions/_gsort"; fi
	if command -v fish >/dev/null; then fish -n "$GSORT_SOURCE/completions/gsort.fish"; fi
}

# completes EXPECTED WORD...: what bash offers for the last word
completes() {
	local expected=$1
	shift
	[ "$(bash -c '. "$0"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _gsort; echo "${COMPREPLY[*]}"' \
		"$GSORT_SOURCE/completions/gsort.bash" "$@")" = "$expected" ]
}

@test "bash offers options, values and files" {
	touch file-a file-b
	mkdir place
	completes "--reverse" gsort --rev
	completes "time" gsort --type = t
	completes "i8 i16 i32 i64 i128 int ipv4" gsort --type = i
	completes "text" gsort --to = t
	completes "u8 u16 u32 u64 u128" gsort --type = u
	completes "u16 u128" gsort --type u1
	completes "xz" gsort --decompress = x
	completes "gpu gpu:0" gsort --device = g
	completes "abort fail warn ignore skip-blank" gsort --invalid = ""
	completes "silent summary" gsort --check = s
	for option in --check --header --histogram --unique --verbose --progress --plan --help --version; do	# their values follow "="
		completes "file-a file-b" gsort $option file
	done
	completes "json" gsort --plan = j
	completes "zstd" gsort --compress-program z
	completes "-u8 -u16 -u32 -u64 -u128 -u" gsort -u
	completes "file-a file-b" gsort -u32 file
	completes "file-a file-b" gsort -o file
	completes "file-a file-b" gsort --files0-from = file
	completes "place" gsort -T pl
	completes "" gsort -- --rev
	completes "-ru8 -ru16 -ru32 -ru64 -ru128 -ru" gsort -ru
	printf 'id,price,the rest\n1,2,3\n' >orders.csv
	completes "price" gsort --csv --header orders.csv -k p
	completes "1,1" gsort --csv --header orders.csv -k 1
	completes "the rest" gsort --csv --header orders.csv -k the
	printf 'USER  PID\tRSS\n1 2 3\n' >ps
	completes "RSS" gsort --header ps -k R
	completes "" gsort --csv orders.csv -k p
	printf 'position\n' >out.csv
	for output in "-o out.csv" "-ro out.csv" "--output = out.csv" "--files0-from out.csv"; do
		completes "price" gsort $output --csv --header orders.csv -k p
	done
	printf 'id;price\r\n1;2\r\n' >orders.txt
	completes "price" gsort -t\; --header=1 orders.txt --key p
}

# offered_by_bash OPTION...: the values, a line each
offered_by_bash() {
	for option; do
		bash -c '. "$0"; COMP_WORDS=(gsort "$1" = "") COMP_CWORD=3; _gsort; printf "%s\n" "${COMPREPLY[@]}"' \
			"$GSORT_SOURCE/completions/gsort.bash" "$option" | sed "s/^/$option=/"
	done
}

@test "what is offered as a value is accepted" {
	printf '1\n' >one
	offered_by_bash --type --head --check --invalid --header \
		--buffer-size --batch-size --parallel --unique --verbose --version --progress --plan | grep -v '=raw$' |
		while read -r option; do
			gsort "$option" </dev/null 2>err || { echo "$option"; cat err; false; }
		done
	offered_by_bash --to | grep -v =json | while read -r option; do
		gsort -u8 --plan "$option" one >plan
	done
	for option in --decompress=auto --decompress=none --device=auto --device=cpu; do
		gsort "$option" one
	done
}

@test "the three shells offer the same values" {
	values='--type --to --unique --head --check --decompress --invalid
		--header --compress-program --batch-size --parallel
		--device --progress --plan --verbose --version --buffer-size'
	for option in $values; do
		bash=$(offered_by_bash $option | sed 's/.*=//' | sort | xargs)
		zsh=$(sed -n "s/.*$option=[^(]*\(.*\):(\(.*\))'.*/\2/p" "$GSORT_SOURCE/completions/_gsort" |
			sed 's/\\\\//g' | tr ' ' '\n' | sort | xargs)
		fish=$(sed -n "s/.* -l ${option#--} .*-a '\([^']*\)'.*/\1/p" "$GSORT_SOURCE/completions/gsort.fish" |
			tr ' ' '\n' | sort | xargs)
		[ -n "$bash" ] && [ "$bash" = "$zsh" ] && [ "$bash" = "$fish" ] ||
			{ echo "$option: bash '$bash', zsh '$zsh', fish '$fish'"; false; }
	done
}

# zsh_offers EXPECTED LINE: what zsh offers for the last word of LINE.  Zsh runs in a
# terminal of its own; what its completion adds is noted on the way.
zsh_offers() {
	cat >offer.zsh <<-'END'
		zmodload zsh/zpty
		zpty z zsh -f -i
		zpty -w z "PROMPT=; stty -echo; cd ${(q)PWD}; fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -D
		compadd() {
			if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \"\$@\"; return; fi
			local -a hits; builtin compadd -A hits \"\$@\"; print -rl -- \$hits >>offered
		}
		zle -C offer list-choices _main_complete; bindkey '^I' offer
		finish() { print >>done }; zle -N finish; bindkey '^X' finish; print >ready"
		for ((i = 0; i < 300; i++)); do [[ -e ready ]] && break; sleep 0.1; done
		zpty -w -n z "$2"$'\t\x18'
		for ((i = 0; i < 300; i++)); do [[ -e done ]] && break; sleep 0.1; done
		zpty -d z
	END
	rm -f ready done offered
	zsh -f offer.zsh "$GSORT_SOURCE/completions" "$2" >/dev/null
	[ "$(sort -u offered | xargs)" = "$1" ] || { echo "$2: $(xargs <offered)"; false; }
}

@test "zsh offers options, values and files" {
	needs zsh
	zsh -fc 'zmodload zsh/zpty' 2>/dev/null || skip "this zsh has no zpty"
	touch file-a
	zsh_offers "--invalid" "gsort --inv"
	zsh_offers "abort fail ignore skip-blank warn" "gsort --invalid="
	zsh_offers "diagnose-first quiet silent summary" "gsort --check="
	zsh_offers "u128 u16" "gsort --type=u1"
	zsh_offers "file-a" "gsort -u32 -o fi"
	printf 'id,price,the rest\n1,2,3\n' >orders.csv
	zsh_offers "price" "gsort --csv --header orders.csv -k p"
	zsh_offers "price" "gsort orders.csv --csv --header --key=p"
	zsh_offers "the rest" "gsort --csv --header orders.csv -k the"
	zsh_offers "" "gsort --csv orders.csv -k p"
	printf 'position\n' >out.csv
	zsh_offers "price" "gsort -o out.csv --csv --header orders.csv -k p"
	zsh_offers "price" "gsort --output=out.csv --csv --header orders.csv -k p"
	zsh_offers "-ru128 -ru16 -ru32 -ru64 -ru8" "gsort -ru"
}

# fish_offers EXPECTED LINE
fish_offers() {
	fish -c "source '$GSORT_SOURCE/completions/gsort.fish'; complete -C '$2'" |
		sed 's/\t.*//' | xargs >offered
	[ "$(cat offered)" = "$1" ] || { echo "$2: $(cat offered)"; false; }
}

@test "fish offers options, values and files" {
	needs fish
	export HOME=$PWD
	touch file-a
	fish_offers "--reverse" "gsort --rev"
	fish_offers ", : ; |" "gsort -t "
	fish_offers "abort fail ignore skip-blank warn" "gsort --invalid "
	fish_offers "--check=diagnose-first --check=quiet --check=silent --check=summary" "gsort --check="
	fish_offers "file-a" "gsort -u32 -o fi"
	fish_offers "file-a" "gsort --check fi"
	printf 'id,price,the rest\n1,2,3\n' >orders.csv
	fish_offers "price" "gsort --csv --header orders.csv -k p"
	fish_offers "price" "gsort orders.csv --csv --header -k p"
	fish_offers "the rest" "gsort --csv --header orders.csv -k the"
	fish_offers "" "gsort --csv orders.csv -k p"
	printf 'position\n' >out.csv
	fish_offers "price" "gsort -o out.csv --csv --header orders.csv -k p"
	fish_offers "price" "gsort --output=out.csv --csv --header orders.csv -k p"
	[ "$(fish -c "source '$GSORT_SOURCE/completions/gsort.fish'; complete -C 'gsort -ru'" |
		grep -c '^-ru[1-9]')" = 5 ]
	fish -c "source '$GSORT_SOURCE/completions/gsort.fish'; complete -C 'gsort -'" 2>err >all
	[ ! -s err ]
	[ "$(wc -l <all)" -gt 60 ]
}
