# SPDX-License-Identifier: BSD-2-Clause
# Jobs drawn at random write what an independent model writes, whatever the kind of element.  The model
# of keys, CSV and ranks is tests/tools/drawn.py; of records, lines, sets and figures, a file each beside it.

load ../helpers

# with_numpy: sets $python.  Another python3 may come first in PATH than the distribution's.
with_numpy() {
	for python in python3 /usr/bin/python3; do
		"$python" -c 'import numpy' 2>/dev/null && return
	done
	skip "no python3 with numpy (python3-numpy)"
}

# drawn KIND FEW SOME PROGRAM: 5,000 jobs in make check-slow, SOME in .ci/run, FEW in make check
drawn() {
	local jobs=$2
	needs python3
	[ -z "${GSORT_CI-}" ] || jobs=$3
	[ -z "${GSORT_SLOW-}" ] || jobs=5000
	"${python:-python3}" "$GSORT_SOURCE/tests/tools/drawn.py" "$(built "$4")" "$1" 0 "$jobs"
}

@test "keys of all types, binary and text" {
	drawn keys 100 400 gsort
}

@test "CSV" {
	drawn csv 100 400 gsort
}

@test "keys, records, lines and CSV by several ranks" {
	drawn ranks 60 250 gsort-ranks
}

@test "5,000 jobs with records, with lines, with rows of CSV, with sets" {
	left_to_slow "it takes ten minutes"
	needs python3
	local tools=$GSORT_SOURCE/tests/tools
	python3 "$tools/records.py" "$GSORT" 1000 6000
	GSORT=$GSORT python3 "$tools/keydefs.py" 9 5000
	GSORT=$GSORT python3 "$tools/keydefs.py" --csv 9 5000
	PATH=${GSORT%/*}:$PATH python3 "$tools/sets.py" 9 5000
}
