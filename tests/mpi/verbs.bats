# SPDX-License-Identifier: BSD-2-Clause
# gsort-mpi: every verb, of every kind of element, gives what gsort gives alone.

load ../helpers
load ranks

prepare() {
	prepare_ranks
}

# make_kinds: two files of each kind, with many equal keys; and odd inputs
make_kinds() {
	local f
	for f in 1 2; do
		gen --seed 1$f --keys 3000 --type u16 --dist zipf >u16.$f
		gen --seed 2$f --keys 3000 --type u32 --dist few >u32.$f
		gen --seed 3$f --keys 3000 --type f64 --dist few >f64.$f
		gen --seed 4$f --keys 3000 --type u64 --dist zipf >records.$f
		od -An -v -tu2 -w2 u16.$f | awk '{ printf "%d\n", ($1 - 900) * (NR % 9 ? 1 : 9000000) }' >text.$f
		awk '{ printf "w%d %.3f %d\n", NR % 41, $1 / 8, $1 % 1000 }' text.$f >lines.$f
	done
	: >none
	printf '3\n1\n' >two
	yes 777 | head -n 3000 >equal
}

# each OPTION...: the same by 2, 3 and 5 ranks, of each kind of element
each() {
	local n
	for n in 2 3 5; do
		same $n -u16 "$@" u16.1 u16.2
		same $n -u32 "$@" u32.1 u32.2
		same $n --type=f64 "$@" f64.1
		same $n "$@" text.1 text.2
		same $n -k 2,2n "$@" lines.1 lines.2
		same $n -k u32@0 --record-size=8 "$@" records.1 records.2
	done
}

# odd OPTION...: the same of no elements, of fewer than ranks, and of elements that are all equal
odd() {
	local f
	for f in none two equal; do
		same 4 "$@" $f
		same 4 --lines "$@" $f
	done
	same 3 -u32 "$@" none
	same 3 -k u32@4 --record-size=12 "$@" equal
}

@test "figures of numbers, of a column and of a field" {
	make_kinds
	each --summary
	each --quantiles=0,0.25,0.5,0.999,1
	each --histogram=9
	each --summary --quantiles=0.3 --histogram=3 --json --verify
	each -r --quantiles=0.1
	odd --quantiles=0.5
	same 4 --summary --histogram=4 two
	same 4 --summary --histogram=4 none
	same 4 -k 1,1n --summary --histogram=4 equal
	for n in 2 5; do
		same $n --lines --summary --quantiles=0,0.7,1 lines.1 lines.2
		same $n -k 1,1 -r --quantiles=0.7 lines.1 lines.2
		same $n --tail=40 --json text.1
		same $n --sample=40 --json -u32 u32.1
	done
	# They are few: rank 0 may write them to standard output.
	gsort --summary text.1 >alone
	GSORT_RANKS=3 "$ranks" --summary text.1 | cmp - alone
	GSORT_RANKS=3 "$ranks" --summary text.1 -o 'out-%r'
	cat out-0 out-1 out-2 | cmp - alone
}

@test "the most frequent values" {
	make_kinds
	each --top=7
	each --top=100000
	each -r --top=3
	odd --top=2
	for n in 2 5; do
		same $n --lines --top=9 --verify lines.1 lines.2
		same $n -k 1,1 --top=9 lines.1 lines.2
		same $n --top=3 --json text.1
		same $n --type=u128 --top=3 records.1
	done
	GSORT_RANKS=3 "$ranks" --lines --top=9 lines.1 -o 'out-%r'
	gsort --lines --top=9 lines.1 | cmp - out-0
}

@test "a sample" {
	make_kinds
	each --sample=77
	each --sample=2500 --seed=9
	odd --sample=1
	same 3 --type=u128 --to=text --sample=9 records.1
	gsort --lines --sample=50 lines.1 >alone
	GSORT_RANKS=3 "$ranks" --lines --sample=50 lines.1 -o 'out-%r'
	cat out-0 out-1 out-2 | cmp - alone
}
