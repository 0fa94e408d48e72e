# SPDX-License-Identifier: BSD-2-Clause
# One list of options: in --help, in the man page, in three completions.

load helpers

# What follows describes the repository's files, not the installed ones.
prepare() {
	gsort --help | grep -oE '(^| )--?[a-z][a-z0-9-]*' | tr -d ' ' | sort -u >in-help
	[ "$(wc -l <in-help)" -gt 20 ]
}

# lists NAME: the options on standard input are those of --help
lists() {
	sort -u >"in-$1"
	diff in-help "in-$1"
}

@test "the man page has the options of --help" {
	# only the section OPTIONS, and there only the tags
	awk '/^\.SH/ { options = /OPTIONS/ }  options && (tag || /^\.TQ/ && ++tag) ; { tag = /^\.TP|^\.TQ/ }' \
		"$GSORT_SOURCE/man/gsort.1" | sed 's/\\f[A-Z]//g; s/\\-/-/g' |
		grep -oE '(^|[ "])--?[a-z][a-z0-9-]*' | tr -d ' "' | lists man
}

@test "bash completes the options of --help" {
	sed -n "/local options=/,/'$/p" "$GSORT_SOURCE/completions/gsort.bash" |
		grep -oE -- '--?[a-z][a-z0-9-]*' | lists bash
}

@test "zsh completes the options of --help" {
	sed "s/^	'([^)]*)'/	/; s/([^)]*)//" "$GSORT_SOURCE/completions/_gsort" |
		grep -oE -- "(^|['{,)])--?[a-z][a-z0-9-]*" | tr -d "'{,)" | lists zsh
}

@test "fish completes the options of --help" {
	{
		sed -n 's/^complete.* -s \([a-z]\) .*/-\1/p; s/.*complete.* -o \([a-z]\)$width.*/\1/p' \
			"$GSORT_SOURCE/completions/gsort.fish" | grep -- -
		sed -n 's/^complete.* -l \([a-z-]*\) .*/--\1/p' "$GSORT_SOURCE/completions/gsort.fish"
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
	completes "--reverse" gsort --rev
	completes "u8 u16 u32 u64" gsort --type = u
	completes "u16" gsort --type u1
	completes "xz" gsort --decompress = x
	completes "gpu gpu:0" gsort --device = g
	completes "-u8 -u16 -u32 -u64 -u" gsort -u
	completes "file-a file-b" gsort -u32 file
	completes "file-a file-b" gsort -o file
	completes "" gsort -- --rev
}

@test "what is offered as a value is accepted" {
	printf '1\n' >one
	for type in $(sed -n "s/.*local types='\(.*\)'/\1/p" "$GSORT_SOURCE/completions/gsort.bash"); do
		gsort --type=$type </dev/null
	done
	for word in auto none; do
		gsort --decompress=$word one
	done
	for size in 50% 80% 1G 4G 16G; do
		gsort --gpu-memory=$size one
	done
}

@test "fish offers options and values" {
	needs fish
	run fish -c "source '$GSORT_SOURCE/completions/gsort.fish'; complete -C 'gsort --decompress '"
	[[ $output == *lz4* ]]
	run fish -c "source '$GSORT_SOURCE/completions/gsort.fish'; complete -C 'gsort --rev'"
	[[ $output == *--reverse* ]]
}
