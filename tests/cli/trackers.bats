# SPDX-License-Identifier: BSD-2-Clause
# What the trackers of other sorts report: trackers.tsv, a line each.

load ../helpers

prepare() {
	mkdir own
	ln -s "$(readlink -f "$GSORT")" own/sort
	own=$PWD/own
}

# printed FIELD: what it stands for
printed() {
	case $1 in
	-)     ;;
	'$ '*) eval "${1:2}" ;;
	*)     printf '%b' "$1" ;;
	esac
}

# makes INPUTS: the files 1, 2, ...
makes() {
	local at=1 part rest=$1
	[[ $1 != '$ '* ]] || { printed "$1" >1; return; }	# which may have bars of its own
	while part=${rest%%|*}; printed "$part" >$at; [ "$part" != "$rest" ]; do
		rest=${rest#*|} at=$((at + 1))
	done
}

# gives COMMAND...: STATUS and OUTPUT, in a folder of its own with INPUT
gives() {
	local got=0
	rm -rf row && mkdir row && cd row
	makes "$input"
	[ "$options" != - ] || options=
	eval "set -- $* $options"
	PATH=$own "$@" <1 >printed 2>err || got=$?
	[ ! -e out ] || cat out >>printed
	printed "$output" >expected
	cmp -s expected printed && [ "$got" = "$status" ] && { [ "$got" -lt 2 ] || [ -s err ]; } ||
		{ echo "$who: $about: $*: status $got"; cat err; head -c 500 printed | cat -A; cd ..; return 1; }
	cd ..
}

@test "each report, as sort(1) and as gsort --lines" {
	local who about options status input output rows=0 wrong=0
	while IFS=$'\t' read -r who about options status input output; do
		[[ $who != \#* ]] || continue
		rows=$((rows + 1))
		gives "$own/sort" || wrong=1
		gives "$(command -v gsort) --lines" || wrong=1
	done <"$BATS_TEST_DIRNAME/trackers.tsv"
	[ "$rows" -ge 80 ]
	[ "$wrong" = 0 ]
}
