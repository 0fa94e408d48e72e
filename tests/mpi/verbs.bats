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
		awk 'BEGIN { print "\"the\nname\",price,note" }
			{ printf "\"%s\n\"\"%s\",%d,x\"%d\n", NR % 5 ? "a," : "b", NR % 41, $1 % 99, $1 % 3 }' text.$f >csv.$f
	done
	: >none
	printf '3\n1\n' >two
	yes 777 | head -n 3000 >equal
}

# each OPTION...: the same by 2, 3 and 5 ranks, of each kind of element
each() {
	same 2,3,5 -u16 "$@" u16.1 u16.2
	same 2,3,5 -u32 "$@" u32.1 u32.2
	same 2,3,5 --type=f64 "$@" f64.1 f64.2
	same 2,3,5 "$@" text.1 text.2
	same 2,3,5 -k 2,2n "$@" lines.1 lines.2
	same 2,3,5 -k u32@0 --record-size=8 "$@" records.1 records.2
	same 2,3,5 --csv --header -k price:n "$@" csv.1 csv.2
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

@test "rows of CSV, and keys by the name of a column" {
	local n options
	make_kinds
	while read -r options; do
		same 2,3,5,7 $options
	done <<-END
		--csv --header -k price:nr -k note csv.1 csv.2
		--csv --header -k note -u csv.2
		--csv --header -k price:n --count --tail=40 csv.1 csv.2
		--csv --header -k price:n --head=9 --verify csv.1
		--csv --lines csv.1 csv.2
		--csv -z -k 2,2 csv.1
		--csv -t ; -k 1,1 csv.1
	END
	# A row that is longer than the share of a rank; a header that is all there is.
	{ echo 'a,b'; for n in 7 3 5; do printf '"%s",%d\n' "$(seq $((n * 3000)))" $n; done; } >long
	printf '"a\nb",c' >header
	same 3,6 --csv --header -k b:n long
	same 3,6 --csv --header -k c header
	# A share begins between quotes; two ways to read it are the same behind a while, and all three much later.
	{
		yes 'aaaaaaaa,b' | head -c 400004
		echo
		printf 'x,"y",z\n%.0s' {1..13000}
		printf '"'
		yes q | head -n 60000
		echo '",c'
		yes 'aaaaaaaa,b' | head -n 25000
	} >turns
	same 2,3,4 --csv --lines turns
	gsort --csv --header -k price:n csv.1 -o sorted
	{ head -n 4000 sorted; tail -n 9 csv.1; } >broken
	for n in 2 3 7; do
		says_the_same $n -c --csv --header -k price:n sorted
		says_the_same $n -c --csv --header -k price:n sorted broken
		says_the_same $n --check=summary --csv --header -k price:n csv.1 sorted
		says_the_same $n --csv --header -k cost:n csv.1 -o out
		says_the_same $n --csv --header -k price:n csv.1 long -o out
		same $n -m --csv --header -k price:n sorted sorted
	done
	says_the_same 3 --header -k price:n none -o out
	[ ! -e out ]
}

@test "figures of numbers, of a column and of a field" {
	make_kinds
	each --summary
	each --quantiles=0,0.25,0.5,0.999,1
	each --histogram=9
	each --summary --quantiles=0.3 --histogram=3 --to=json --verify
	each -r --quantiles=0.1
	odd --quantiles=0.5
	same 4 --summary --histogram=4 two
	same 4 --summary --histogram=4 none
	same 4 -k 1,1n --summary --histogram=4 equal
	same 2,5 --lines --summary --quantiles=0,0.7,1 lines.1 lines.2
	same 2,5 -k 1,1 -r --quantiles=0.7 lines.1 lines.2
	same 2,5 --tail=40 --to=json text.1
	same 2,5 --sample=40 --to=json -u32 u32.1
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
	same 2,5 --lines --top=9 --verify lines.1 lines.2
	same 2,5 -k 1,1 --top=9 lines.1 lines.2
	same 2,5 --top=3 --to=json text.1
	same 2,5 --type=u128 --top=3 records.1
	GSORT_RANKS=3 "$ranks" --lines --top=9 lines.1 -o 'out-%r'
	gsort --lines --top=9 lines.1 | cmp - out-0
}

@test "a sample" {
	make_kinds
	each --sample=77
	each --sample=2500:9
	odd --sample=1
	same 3 --type=u128 --to=text --sample=9 records.1
	gsort --lines --sample=50 lines.1 >alone
	GSORT_RANKS=3 "$ranks" --lines --sample=50 lines.1 -o 'out-%r'
	cat out-0 out-1 out-2 | cmp - alone
}

@test "where the sorted elements are in the input" {
	make_kinds
	each --argsort=u32
	each --argsort=u64 -r
	same 3 --argsort=u64be text.1 text.2
	each --argsort=u32 -u --verify
	each --argsort=u64 --head=40
	odd --argsort=u32
	same 4 --argsort=u64 --tail=9 text.1 text.2
	same 4 --argsort=u32 --header=2 text.1 text.2
	same 4 --type=float --argsort=u32 text.1
	same 4 --type=u128 --argsort=u32 records.1
	same 4 -u32 --argsort=u32 --header=8 u32.1 u32.2
	gsort --lines --argsort=u64 lines.1 lines.2 >alone
	GSORT_RANKS=3 "$ranks" --lines --argsort=u64 lines.1 lines.2 -o 'out-%r'
	cat out-0 out-1 out-2 | cmp - alone
}

# keeps OPTION...: the first of equal elements, and those that occur twice, or once, in the order of the input
keeps() {
	local unique
	for unique in "" =repeated =singletons; do
		same 2,3,4 "$@" --unique$unique --keep-order
	done
}

@test "the first of equal elements, in the order of the input" {
	local f
	make_kinds
	keeps --lines lines.1 lines.2 text.1
	keeps -n --header=1 text.1 none text.2
	keeps -k 1,1 --verify lines.1 lines.2 lines.1
	keeps --csv --header -k price:n csv.1 csv.2
	keeps -u32 --header=8 u32.1 u32.2
	keeps -u16 u16.1 none u16.2 u16.1
	keeps --type=u128 records.1
	keeps -k u32@4r --record-size=8 --verify records.1 records.2
	for f in none two equal; do
		same 5 --lines -u --keep-order $f two
		same 7 --csv --header --lines -u --keep-order --verify $f
		same 7 --record-size=2 -k u16@0 -u --keep-order $f
	done
	for f in --head=1 --head=30 --tail=30 --tail=9999; do
		same 3 --lines -u --keep-order $f lines.1 lines.2
		same 4 -u16 -u --keep-order $f --verify u16.1 u16.2
	done
	# All that leave were read by the first rank, and by the last one.
	{ seq 20000; yes 7 | head -n 90000; } >first
	{ yes x | head -n 90000; seq 20000; } >last
	keeps --lines first
	keeps --lines last
	gsort --lines -u --keep-order lines.1 lines.2 >alone
	GSORT_RANKS=3 "$ranks" --lines -u --keep-order lines.1 lines.2 -o 'out-%r'
	cat out-0 out-1 out-2 | cmp - alone
}

@test "the first of equal elements, which do not fit in memory" {
	gen --seed 5 --keys 900000 --type u64 >one
	head -c 3000000 one >two
	od -An -v -tx8 -w8 one | awk '{ print $1 (NR % 99 ? "" : "\n" (NR % 500)) }' >lines
	head -n 99999 lines >again
	{ head -c 700000 /dev/zero | tr '\0' x; echo; } >long
	while read -r options; do
		gsort $options -u --keep-order -o alone
		GSORT_RANKS=3 "$ranks" -S 16M -T . --verify --verbose=json -u --keep-order $options -o together 2>stats
		cmp alone together
		[ "$(sed 's/.*"spilled_bytes":\([0-9]*\).*/\1/' stats)" -gt 10000000 ]
	done <<-END
		-u64 one two one
		--record-size=8 -k u32@4 one two
		--lines lines again lines
	END
	GSORT_RANKS=3 run "$ranks" -S 16M -T . --lines -u --keep-order lines long -o out
	[ "$status" -eq 2 ]
	[[ $output == *"too large for 3 ranks with this memory: that needs -S "* ]]
	GSORT_RANKS=3 "$ranks" -S 64M -T . --lines -u --keep-order long again long again lines -o together
	gsort --lines -u --keep-order long again long again lines | cmp - together
	[ ! -e out ]
	[ -z "$(find . -name '*gsort.*')" ]
}

@test "operations on sets" {
	local set n f
	make_kinds
	for set in --union --intersect --difference --symmetric; do
		each $set
		same 3 -u32 $set -u --verify u32.1 u32.2 u32.1
		same 3 -u16 $set -r u16.1 u16.2
		same 4 $set --count text.1 text.2
		same 4 --type=float $set -r --tail=9 text.1 text.2
		same 3 --lines $set -u --verify lines.1 lines.2 lines.1
		same 3 -k 1,1 $set --head=9 lines.2 lines.1
		same 3 --type=u128 $set -u records.1 records.2
		for f in none two equal; do
			same 5 $set $f two
			same 5 --lines $set equal $f
		done
		same 3 -u32 $set none none
	done
	same 3 -k 2,2n --header=1 --difference lines.1 lines.2
	gsort --lines --symmetric lines.1 lines.2 >alone
	GSORT_RANKS=3 "$ranks" --lines --symmetric lines.1 lines.2 -o 'out-%r'
	cat out-0 out-1 out-2 | cmp - alone
	# Not a file: the keys that come first give the ranges, or those of the other operands.
	cat u32.1 | GSORT_RANKS=3 "$ranks" -u32 --difference - u32.2 -o together
	gsort -u32 --difference u32.1 u32.2 | cmp - together
	gzip -k u32.1 u32.2 u16.1 u16.2
	for n in 2 4; do
		GSORT_RANKS=$n "$ranks" --decompress=no-sandbox -u32 --difference u32.1.gz u32.2.gz -o together
		gsort -u32 --difference u32.1 u32.2 | cmp - together
		GSORT_RANKS=$n "$ranks" --decompress=no-sandbox -u16 --symmetric u16.1.gz u16.2.gz -o together
		gsort -u16 --symmetric u16.1 u16.2 | cmp - together
	done
	{ seq 3000; echo 5x; seq 30; } >bad
	GSORT_RANKS=3 run "$ranks" --union text.1 bad -o out
	[ "$status" -eq 2 ]
	[[ $output == *"on here: bad:3001: not a number: \"5x\""* ]]
	[ ! -e out ]
}

@test "a set operation that does not fit in memory" {
	gen --seed 5 --keys 1500000 --type u64 >one
	gen --seed 6 --keys 1000000 --type u64 >two
	head -c 4000000 one >>two
	gsort -u64 --intersect one two -o alone
	GSORT_RANKS=2 "$ranks" -u64 -S 24M -T . --verify --verbose=json --intersect one two -o together 2>stats
	cmp alone together
	[ "$(sed 's/.*"runs":\([0-9]*\).*/\1/' stats)" -ge 2 ]
	gsort -k u32@0 --record-size=8 --difference one two -o alone
	GSORT_RANKS=2 "$ranks" -S 24M -T . --verify --verbose=json -k u32@0 --record-size=8 --difference one two \
		-o together 2>stats
	cmp alone together
	[ "$(sed 's/.*"spilled_bytes":\([0-9]*\).*/\1/' stats)" -gt 0 ]
	[ -z "$(find . -name '*gsort.*')" ]
}

@test "records, with memory for larger pieces in the store than in the exchange" {
	gen --seed 5 --keys 1500000 --type u64 >one
	gsort -k u32@0 --record-size=8 one -o alone
	for memory in 30M 48M; do
		GSORT_RANKS=2 "$ranks" -S $memory -T . -k u32@0 --record-size=8 one -o together
		cmp alone together
	done
}
