# SPDX-License-Identifier: BSD-2-Clause
# One file under two names: nothing is lost with status 0.

load ../helpers

@test "in all pairs of what a job reads and writes, by all ways to name a file twice" {
	needs python3
	ranks=$(built gsort-ranks)
	[ -x "$ranks" ] || ranks=
	python3 "$GSORT_SOURCE/tests/tools/same_file.py" $ranks
}

@test "pipes, terminals and devices may have several names" {
	seq 3 >in
	[ "$(gsort --verbose=json:/dev/stdout in | wc -l)" = 4 ]
	[ "$(gsort -q --verbose=json:/dev/stderr in 2>&1 >out | wc -l)" = 1 ]
	gsort --verbose=json:/dev/null -o /dev/null in
	printf 'in\0' | gsort --verbose=json:/dev/null -o /dev/null --files0-from=/dev/stdin
	mkfifo pipe
	cat pipe >got &
	gsort -o pipe --verbose=json:stats in
	wait
	seq 3 | cmp - got
}

@test "of one part, too, statistics are not the output" {
	seq 3 >in
	fails "would overwrite 'o0', which is input or output" gsort --split=1 -o o%r --verbose=json:o0 in
	[ ! -e o0 ]
	gsort --split=1 -o o%r --verbose=json:o1 in
	cmp in o0
}

@test "statistics that cannot be opened end all ranks" {
	ranks=$(built gsort-ranks)
	[ -x "$ranks" ] || skip "gsort-ranks was not built"
	seq 3 >in
	GSORT_RANKS=3 run timeout 100 "$ranks" --verbose=json:no/where -o out in
	[ "$status" = 2 ]
	[ "$output" = "gsort-ranks: open failed: no/where: No such file or directory" ]
	[ ! -e out ]
}
