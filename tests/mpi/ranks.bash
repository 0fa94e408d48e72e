# SPDX-License-Identifier: BSD-2-Clause
#
# ranks.bash - gsort, and several ranks as threads, which need no MPI and start at once

prepare_ranks() {
	ranks=$(built gsort-ranks)
	[ -x "$ranks" ] || skip "gsort-ranks was not built"
}

# same RANKS OPTION...: gsort and so many ranks as threads (4; or 2,3,7, one after the other) write the same
same() {
	local n counts=$1
	shift
	gsort "$@" -o alone
	for n in ${counts//,/ }; do
		GSORT_RANKS=$n "$ranks" "$@" -o together || { echo "failed: -n $n $*"; return 1; }
		cmp alone together || { echo "differs: -n $n $*"; return 1; }
		: >together
	done
}

# says_the_same N OPTION...: gsort and N ranks have one status, and say the same
says_the_same() {
	local n=$1 alone=0 together=0
	shift
	gsort "$@" >a 2>&1 || alone=$?
	GSORT_RANKS=$n "$ranks" "$@" >t 2>&1 || together=$?
	sed -i 's/^gsort-ranks: \(rank . on here: \)*/gsort: /' t
	[ $alone = $together ] && cmp a t || { echo "-n $n $*"; cat a t; return 1; }
}
