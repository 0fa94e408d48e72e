# SPDX-License-Identifier: BSD-2-Clause
# gsort-mpi: several ranks give what gsort gives, byte for byte, or one message.
#
# gsort-ranks, whose ranks are threads, does most of it: it needs no MPI and starts at once.  Then
# the same with each MPI for which a gsort-mpi can be built.

load ../helpers
load ranks

prepare() {
	prepare_ranks
	mpi_setup
}

# What mpirun needs here: more ranks than processors, and root in a container.
mpi_setup() {
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_orte_base_help_aggregate=0
}

# needs_mpi NAME: skip unless mpirun.NAME is there; sets $mpi to a gsort-mpi of that MPI
needs_mpi() {
	command -v "mpirun.$1" >/dev/null && command -v "mpicc.$1" >/dev/null ||
		skip "$1 is not installed"
	not is_sanitized || skip "under a sanitizer MPI's own leaks would count"
	mpi=$(built tests/mpi/gsort-"$1")
	[ -x "$mpi" ] || make -s -C "$GSORT_BUILD" "tests/mpi/gsort-$1" >made 2>&1 ||
		{ cat made; return 1; }
	mpi=$(built tests/mpi/gsort-"$1")
}

# same_mpi NAME N OPTION...: the same with mpirun
same_mpi() {
	local name=$1 n=$2
	shift 2
	gsort "$@" -o alone
	timeout 120 "mpirun.$name" -n "$n" "$mpi" "$@" -o together 2>told ||
		{ echo "failed: $name -n $n $*"; cat told; return 1; }
	cmp alone together || { echo "differs: $name -n $n $*"; return 1; }
	rm -f together
}

# make_text: numbers of all classes, many of them twice
make_text() {
	gen --seed 7 --keys 20000 --type text >in.txt
	{ seq -500 40000; seq 1 3 30000; echo -5; cat in.txt; } >mix.txt
}

@test "every type is sorted as gsort does" {
	for type in u8 i8 u16 i16 u32 i32 u64 i64 f32 f64; do
		gen --seed 3 --keys 20000 --type $type >in
		same 2,3,7 --type=$type in
		same 3 --type=$type -r --verify in
		same 4 --type=$type -u in
		same 3 --type=$type --to=text in
		same 3 --type=$type --head=1000 in
	done
}

@test "text, and every selection" {
	make_text
	same 2,3,7 mix.txt in.txt
	same 2,3,7 -g -r mix.txt
	same 2,3,7 --count mix.txt in.txt
	for selection in -r -u --unique=repeated --unique=singletons --head=777 '-r --head=9' '-u --head=333 -r' \
			'--count --head=50000' '--count --verify -r' '-g -u' '-g --count'; do
		same 3 $selection mix.txt in.txt
	done
	for file in mix in; do printf '%s\n' a b c | cat - $file.txt >$file.headed; done
	: >empty
	same 5 --header=3 mix.headed in.headed
	same 2,3,7 --header=3 empty mix.headed empty in.headed
	says_the_same 3 --header=3 mix.headed in.txt -o out
	tr '\n' '\0' <mix.txt >mix.zero
	same 3 -z mix.zero
}

@test "hexadecimal integers, addresses and times: as many bytes as each line has" {
	local n type options
	gen --seed 7 --keys 9000 --type u32 >in
	gsort -u32 --to=hex in >16
	for n in 1 23 145; do seq 255 -1 1 | sed "s/.*/$n.&.0.7\n7.$n.1.&/"; done >ipv4
	seq 1000 1999 | sed 's/.*/2026-11-22T09:30:00.&Z/; p; s/T.*//' >time
	for options in '' -u '-r --count' '--tail=700' '--head=700' --verify; do
		same 2,3,7 --type=hex $options 16
		same 2,3,7 --type=ipv4 $options ipv4
		same 2,3,7 --type=time $options time
		same 2,3,7 -u32 --to=hex $options in
	done
	# The sample of a rank has them, too: each gets its share.
	for type in hex:16 ipv4:ipv4 time:time; do
		GSORT_RANKS=2 "$ranks" "--type=${type%:*}" "${type#*:}" -o 'out-%r'
		[ "$(wc -l <out-0)" -gt $(($(wc -l <"${type#*:}") / 3)) ]
		[ "$(wc -l <out-1)" -gt $(($(wc -l <"${type#*:}") / 3)) ]
	done
	gsort -u32 in >sorted
	gsort --type=ipv4 ipv4 >sorted.ipv4
	same 3 -m -u32 --to=hex sorted sorted
	same 3 -m -u32 --to=text -z sorted sorted
	same 3 -m --type=ipv4 --to=u64be sorted.ipv4 ipv4 --force
	same 3 -m --type=ipv4 --to=u64be sorted.ipv4 sorted.ipv4
}

@test "a rank that has nothing to read has no header to skip" {
	gen --seed 7 --keys 9000 --type u32 >in
	gzip -k in
	head -c 8 in >few
	same 2,3,7 -u32 --header=4 --decompress=gzip --decompress=no-sandbox in.gz
	same 2,3,7 -u32 --header=4 few
	same 2,3,7 -u32 --header=8 few
}

@test "the last keys" {
	make_text
	for file in mix in; do printf '%s\n' a b | cat - $file.txt >$file.headed; done
	grep -v - mix.txt >positive.txt
	gen --seed 3 --keys 20000 --type u64 >in
	gen --seed 3 --keys 20000 --type u16 >narrow
	local options
	while read -r options; do
		same 2,3,7 $options
	done <<-END
		-u64 --tail=1000 in
		-u64 --tail=15000 --verify in
		-u64 -r --tail=9 --to=text in
		-u64 --tail=1000000 in
		-u64 -u --tail=777 in in
		-u16 --tail=5000 narrow
		-u16 -u --tail=50 narrow
		--tail=30 mix.txt
		--tail=30000 -g -r mix.txt
		--tail=30000 --count --header=2 mix.headed in.headed
		-m --tail=7 --force positive.txt
	END
	gsort -u64 -u --tail=12000 in in -o alone
	GSORT_RANKS=3 "$ranks" -u64 -u --tail=12000 in in -o 'out-%r'
	cat out-0 out-1 out-2 | cmp - alone
}

@test "keys of any distribution" {
	for kind in sorted reversed equal few saw organ extremes zipf; do
		gen --seed 4 --keys 100000 --type u64 --dist $kind >in
		same 3 -u64 in
		same 7 -u64 -u in
	done
	yes 7777777 | head -n 50000 >same.txt
	same 2,7 same.txt
	same 2,7 -u same.txt
	same 2,7 --count same.txt
}

@test "more ranks than keys, and no keys" {
	printf '5\n3\n' >two
	: >none
	same 7 two
	same 7 none
	same 7 -u64 none
	same 4 -u32 none none
	printf '12345678' >one
	same 7 -u64 one
	printf '5\n3' >unfinished
	same 3 unfinished two
	printf 'headers.12345678' >headed
	same 7 -u64 --header=8 headed
	same 3 -u8 --header=15 headed
	same 3 -u64 --header=16 headed
	same 3 -k u32@0 --record-size=8 --header=8 headed
	says_the_same 3 -c -u64 --header=8 headed
	says_the_same 3 -c -k u32@0 --record-size=8 --header=8 headed
}

@test "headers, bytes that are skipped, a file that is named twice" {
	gen --seed 3 --keys 5000 --type u32 >in
	same 3 -u32 --header=8 in in
	same 3 -u32 in in
	printf 'a long header\nanother\n' >h
	seq 100 -1 1 >>h
	same 7 --header=2 h h
	same 7 --header=200 h h
}

@test "every rank spills, and its memory is its -S" {
	gen --seed 5 --keys 3000000 --type u64 >in
	gsort -u64 in -o alone
	GSORT_RANKS=2 "$ranks" -u64 -S 16M -T . --verify --verbose=json in -o together 2>stats
	cmp alone together
	[ "$(sed 's/.*"runs":\([0-9]*\).*/\1/' stats)" -ge 2 ]
	[ "$(sed 's/.*"records":\([0-9]*\).*/\1/' stats)" = 3000000 ]
	[ -z "$(find . -name '*gsort.*')" ]
}

# The module of the emulated GPU is found beside the program.
@test "each rank has a GPU: keys that stay and keys that come fill its buffers at once" {
	not is_sanitized || skip "the module is a file of its own"
	make -s -C "$GSORT_BUILD" tests/emu/gsort-cuda.so
	cp "$(built tests/emu/gsort-cuda.so)" "$ranks" .
	ranks=$PWD/$(basename "$ranks")
	export GSORT_EMU_DEVICES=3
	make_text
	gen --seed 5 --keys 300000 --type u64 >in
	gsort -u64 in -o alone
	GSORT_RANKS=3 "$ranks" -u64 --device=gpu --verify --verbose=json in -o together 2>stats
	cmp alone together
	grep -q '"device":"emulated GPU 0"' stats
	[ "$(sed 's/.*"batches":\([0-9]*\).*/\1/' stats)" -ge 3 ]
	# GPUs of a list, or all, are dealt to the ranks of a host in turn.
	GSORT_RANKS=3 "$ranks" -u64 --device=gpu:1,2 --verbose=json in -o together 2>stats
	cmp alone together
	grep -q '"device":"emulated GPU 1"' stats
	GSORT_EMU_DEVICES=2 GSORT_RANKS=3 "$ranks" -u64 --device=gpu:all --verbose=json in -o together 2>stats
	cmp alone together
	grep -q '"device":"emulated GPU 0"' stats
	# A GPU and host memory that are full: runs on disk.
	gen --seed 6 --keys 1500000 --type u64 >large
	gsort -u64 large -o alone
	GSORT_RANKS=2 "$ranks" -u64 --device=gpu -Sgpu:2M -S 16M -T . --verbose=json large \
		-o together 2>stats
	cmp alone together
	[ "$(sed 's/.*"runs":\([0-9]*\).*/\1/' stats)" -ge 2 ]
	gsort -r -u mix.txt in.txt -o alone
	GSORT_RANKS=2 "$ranks" --device=gpu -r -u mix.txt in.txt -o together
	cmp alone together
	gsort -g --tail=5000 mix.txt -o alone
	GSORT_RANKS=3 "$ranks" --device=gpu -g --tail=5000 mix.txt -o together
	cmp alone together
	local call
	for call in 1 40 90 130; do
		GSORT_EMU_FAIL=$call:700 GSORT_RANKS=2 run timeout 60 "$ranks" -u64 --device=gpu in -o failed
		[ "$status" -eq 2 ] && [ ! -e failed ] || { echo "$call: $status $output"; return 1; }
	done
}

@test "standard input is read by rank 0 and dealt out" {
	gen --seed 5 --keys 400000 --type u64 >in
	gsort -u64 in -o alone
	GSORT_RANKS=3 "$ranks" -u64 -o together <in
	cmp alone together
	cat in | GSORT_RANKS=3 "$ranks" -u64 -r - -o together
	gsort -u64 -r in | cmp - together
	make_text
	cat mix.txt | GSORT_RANKS=4 "$ranks" -u -o together
	gsort -u mix.txt | cmp - together
}

@test "compressed files are dealt out whole, without a sandbox and only if the user says so" {
	needs gzip zstd
	gen --seed 5 --keys 300000 --type u64 >in
	gsort -u64 in -o alone
	split -n 3 -d in part.
	gzip part.00
	zstd -q part.01
	GSORT_RANKS=3 run "$ranks" -u64 part.00.gz part.01.zst part.02 -o together
	[ "$status" -eq 2 ]
	[[ $output == *"add --decompress=no-sandbox"* ]]
	[ ! -e together ]
	GSORT_RANKS=3 run "$ranks" -u64 -o together < <(cat part.00.gz)
	[ "$status" -eq 2 ]
	[[ $output == *"add --decompress=no-sandbox"* ]]
	[ ! -e together ]
	GSORT_RANKS=3 "$ranks" -u64 --decompress=no-sandbox part.00.gz part.01.zst part.02 -o together
	cmp alone together
	zstd -q part.02
	GSORT_RANKS=4 "$ranks" -u64 --decompress=no-sandbox part.00.gz part.01.zst part.02.zst -o together
	cmp alone together
}

@test "an item that is too large for the ranks is named, with the memory that would do" {
	head -c 3000000 /dev/zero | tr '\0' x >in
	GSORT_RANKS=2 run "$ranks" --lines -S 16M in -o out
	[ "$status" -eq 2 ]
	[ "$output" = "gsort-ranks: rank 0 on here: an item of 3000001 bytes is too large for 2 ranks with this memory: that needs -S 109M" ]
}

@test "a check of a compressed file is one of this file alone" {
	needs gzip
	seq 1000 >in
	seq 999 -1 1 | gzip >falls.gz
	gzip <in >rises.gz
	local options="-c --decompress=no-sandbox"
	GSORT_RANKS=3 "$ranks" $options rises.gz
	GSORT_RANKS=3 run "$ranks" $options falls.gz
	[ "$status" -eq 1 ]
	[[ $output == *"falls.gz:2: disorder"* ]]
	GSORT_RANKS=2 run "$ranks" $options in rises.gz
	[ "$status" -eq 2 ]
	[ "$output" = "gsort-ranks: rank 0 on here: --check: several ranks read one input, or regular files that are not compressed, so that each knows the key before its part; gsort checks compressed files in one process" ]
	GSORT_RANKS=2 run "$ranks" --lines --decompress=no-sandbox rises.gz -o out
	[ "$status" -eq 2 ]
	[ "$output" = "gsort-ranks: rank 0 on here: records and lines by key: several ranks read regular files that are not compressed, so that equal ones keep their order; gsort sorts compressed files in one process" ]
}

@test "-o 'out-%r': a file a rank" {
	local options
	gen --seed 5 --keys 300000 --type u64 >in
	gsort -u64 in -o alone
	GSORT_RANKS=3 "$ranks" -u64 --verify in -o 'out-%r'
	[ "$(ls out-*)" = "$(printf 'out-0\nout-1\nout-2')" ]
	cat out-0 out-1 out-2 | cmp - alone
	gsort -u64 -u --head=100000 in -o alone
	GSORT_RANKS=3 "$ranks" -u64 -u --head=100000 in -o 'out-%r'
	cat out-0 out-1 out-2 | cmp - alone
	for options in '-u64 --to=text' '-u64 --to=text -r' '-k 4,9n' '-u128'; do
		gsort $options --head=50 in -o alone --force
		GSORT_RANKS=3 "$ranks" $options --head=50 in -o 'out-%r' --force
		cat out-0 out-1 out-2 | cmp - alone || { echo "differs: $options"; return 1; }
	done
}

@test "an output that is an input; --in-place keeps the inode; a device" {
	gen --seed 5 --keys 300000 --type u64 >in
	gsort -u64 in -o alone
	cp in file
	GSORT_RANKS=3 "$ranks" -u64 file -o file
	cmp alone file
	cp in file
	chmod 640 file
	inode=$(stat -c %i file)
	GSORT_RANKS=3 "$ranks" -u64 --in-place file -o file
	cmp alone file
	[ "$(stat -c '%i %a' file)" = "$inode 640" ]
	GSORT_RANKS=3 "$ranks" -u64 in -o /dev/null
}

@test "the numbers of an array of NumPy, behind the same header" {
	local type descr text
	while read -r type descr; do
		gen --seed 3 --keys 20000 --type $type >keys
		text="{'descr': '$descr', 'fortran_order': False, 'shape': (20000,), }"
		{ printf '\x93NUMPY\x01\0\x76\0%-117s\n' "$text"; cat keys; } >in.npy
		same 2 --header=128 -${type} in.npy
		same 3 --header=128 -${type} -r --verify in.npy
		says_the_same 3 --header=128 -${type} -c in.npy
		says_the_same 3 -${type} in.npy -o out
	done <<-END
		u8 |u1
		i16 <i2
		f64 <f8
	END
}

# Keys of few values show whether equal records keep their order.
make_records() {
	gen --seed 8 --keys 125000 --type u64 >records
	python3 -c '
import random, sys
random.seed(1)
for i in range(60000):
    sys.stdout.buffer.write(bytes([random.randrange(4)]) + i.to_bytes(9, "big"))' >few
	head -c 2000000 /dev/zero >same
	: >none
}

@test "records: whole, stable, shared out" {
	needs python3
	make_records
	local options
	while read -r options; do
		same 2,7 $options
	done <<-END
		-k bytes10@0 --record-size=100 records
		-k u32@4r -k i16@0 --record-size=20 records records
		-k u64@0 --record-size=1000 --verify records
		--record-size=10 few
		-k bytes1@0 --record-size=10 few few
		-k bytes1@0 --record-size=10 -r few none few
		-k bytes1@0 --record-size=10 -u few
		-k bytes1@0 --record-size=10 --count few
		-k bytes2@0 --record-size=10 --unique=repeated --head=3 few
		-k u32@4 --record-size=20 --head=1000 records
		-k u32@4 --record-size=20 --tail=1000 records
		-k bytes1@0 --record-size=10 --header=20 few few
		-k bytes1@0 --record-size=10 same
		-k bytes9@0 --record-size=500000 same
		--type=u128 records
		--type=i128 --to=text records
		-k bytes1@0 --record-size=10 none
	END
	gsort -k bytes10@0 --record-size=100 records -o alone
	GSORT_RANKS=3 "$ranks" -k bytes10@0 --record-size=100 records -o 'out-%r'
	cat out-0 out-1 out-2 | cmp - alone
	cp records file
	GSORT_RANKS=3 "$ranks" -k bytes10@0 --record-size=100 file -o file
	cmp alone file
	# Equal records of three ranks go to three ranks.
	GSORT_RANKS=3 "$ranks" -k bytes1@0 --record-size=10 same -o 'out-%r'
	[ "$(stat -c %s out-0 out-1 out-2 | sort -u)" = "$(stat -c %s out-0)" ] ||
		[ "$(stat -c %s out-1)" -gt 600000 ]
}

@test "lines by key: as sort(1) has them, whatever their length" {
	make_text
	awk 'BEGIN { srand(4); for (i = 0; i < 30000; i++) {
		printf "%d k%d ", rand() * 3000, rand() * 50
		for (j = rand() * 60; j > 0; j--) printf "x"
		print "" } printf "7 last" }' >lines
	awk 'BEGIN { srand(5); for (i = 0; i < 20; i++) {
		printf "%d ", rand() * 10
		for (j = rand() * 60000; j > 0; j--) printf "long line"
		print "\n" i } }' >long
	local options
	while read -r options; do
		same 3,5 $options
	done <<-END
		-k 1,1n lines
		-k 2,2 -s lines lines
		-k 2,2 -u lines
		-k 2,2 --count lines
		-k 1,1nr -k 2,2 --header=2 lines lines
		-k 1,1n --head=77 lines
		-k 1,1n --tail=77 lines
		-k 2,2 --verify lines
		-k 1,1n long
		--lines mix.txt in.txt
	END
	tr '\n' '\0' <lines >zero
	same 3 -z -k 1,1n zero
}

@test "items that do not fit in memory keep their order in files" {
	needs python3
	make_records
	for i in 1 2 3 4 5; do cat few; done >five
	for i in 1 2 3 4 5 6 7 8; do cat five; done >many
	gsort -k bytes1@0 --record-size=10 many -o alone
	for n in 2 5; do
		GSORT_RANKS=$n "$ranks" -k bytes1@0 --record-size=10 -S 16M -T . --verify --verbose=json \
			many -o together 2>stats
		cmp alone together
		[ "$n" -gt 2 ] || [ "$(sed 's/.*"spilled_bytes":\([0-9]*\).*/\1/' stats)" -gt 0 ]
	done
	[ -z "$(find . -name '*gsort.*')" ]
}

@test "a check finds the first disorder, with gsort's words" {
	gen --seed 5 --keys 300000 --type u64 >in
	gsort -u64 in -o sorted
	make_text
	gsort mix.txt -o sorted.txt
	{ head -n 30000 sorted.txt; echo 5; tail -n 9 sorted.txt; } >broken.txt
	{ head -c 800000 sorted; head -c 8 sorted; tail -c 8 sorted; } >broken
	while read -r options; do
		for n in 2 3 7; do
			says_the_same $n $options
		done
	done <<-END
		-c -u64 sorted
		-c -u64 in
		-c -u64 broken
		-c -u64 sorted sorted
		-c -u -u64 sorted
		-C -u64 in
		-c -u64 --header=16 sorted
		--check=summary -u64 in sorted
		-c sorted.txt
		-c broken.txt
		-c -u sorted.txt
		-c sorted.txt sorted.txt
		--check=summary broken.txt
		-c --header=3 sorted.txt
	END
}

@test "a check of records and lines finds the first disorder, with gsort's words" {
	gen --seed 5 --keys 100000 --type u64 >in
	gsort -k u32@4 --record-size=8 in -o records
	{ head -c 400000 records; head -c 8 in; tail -c 400000 records; } >broken
	seq 30000 | sort -n -k 1 | awk '{ print $1, $1 % 7 }' >lines
	{ head -n 17000 lines; echo 5 6; tail -n 9000 lines; } >broken.txt
	while read -r options; do
		for n in 2 3 7; do
			says_the_same $n $options
		done
	done <<-END
		-c -k u32@4 --record-size=8 records
		-c -k u32@4 --record-size=8 broken
		-c -k u32@4 --record-size=8 records broken
		-c -u -k u32@4 --record-size=8 records records
		-C -k u32@4 --record-size=8 in
		--check=summary -k u32@4 --record-size=8 in
		-c --type=u128 records
		-c -k 1,1n lines
		-c -k 1,1n broken.txt
		-c -k 1,1n --header=2 broken.txt
		-c -k 1,1n lines lines
		-c -u -k 2,2n lines
		-c -k 1,1nr lines
		--check=summary -k 1,1n broken.txt
	END
}

# make_csv: two files with many equal keys, the second with a byte order mark; and none
make_csv() {
	local f
	for f in 1 2; do
		gen --seed 1$f --keys 3000 --type u16 --dist zipf | od -An -v -tu2 -w2 |
			awk -v f=$f 'BEGIN { print (f == 2 ? "\xef\xbb\xbf" : "") "\"the\nname\",price,note" }
			     { printf "\"%s\n\"\"%s\",%d,x\"%d\n", NR % 5 ? "a," : "b", NR % 41, $1 % 99, $1 % 3 }' >csv.$f
	done
	: >none
}

@test "rows of CSV, and keys by the name of a column" {
	local n options
	make_csv
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
	printf '\xef\xbb\xbf' >mark		# and no line, so no column is missed
	same 3 --csv --header -k c mark header
	same 3 --csv --header -k c mark
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
	[ ! -s out ]
}

@test "records, with memory for larger pieces in the store than in the exchange" {
	gen --seed 5 --keys 1500000 --type u64 >one
	gsort -k u32@0 --record-size=8 one -o alone
	for memory in 30M 48M; do
		GSORT_RANKS=2 "$ranks" -S $memory -T . -k u32@0 --record-size=8 one -o together
		cmp alone together
	done
}

@test "-m: each input must be sorted; the output is gsort's" {
	for part in 1 2 3; do
		gen --seed 1$part --keys 30000 --type u64 >in
		gsort -u64 in -o part.$part
		gsort --record-size=8 -k u16@2 in -o records.$part
		gen --seed 2$part --keys 4000 --type text >list
		gsort list -o list.$part
		awk '{ print NR % 97, $1 }' list.$part | gsort -k 1,1n -o lines.$part
	done
	# Only as one key are they in order: -0 is 0, and the rest of a line does not count.
	printf '0\n-0\n7\n' >zeros
	printf 'a 2\nb 2\n' >equal
	printf 'b 2\na 2\n' >equal.2
	while read -r options; do
		same 2,3,7 -m $options
	done <<-END
		-u64 part.1 part.2 part.3
		-u64 -u --verify part.1 part.1
		-u64 --to=text part.2 part.3
		list.1 list.2 list.3
		-u list.1 list.2
		--record-size=8 -k u16@2 records.3 records.1 records.2
		-k 1,1n lines.1 lines.2 lines.3
		-u64 --force part.3 part.1
		-g -u zeros zeros
		-k 2,2 --count equal equal.2
	END
	while read -r options; do	# each of which a check would refuse, or which it takes otherwise
		same 2 -m $options
	done <<-END
		-u64 --count part.1 part.1
		-u64 --unique=repeated part.1 part.1
		--unique=singletons list.1 list.2
		-u64 --head=99 part.1 part.2
		-u64 --tail=99 part.1 part.2
		--in-place list.1 list.2
		--verify list.1 list.2
		-k 1,1n -s lines.1 lines.2
		--to=u64be --force list.1 list.2
	END
	head -c 80000 in >unsorted
	{ seq 9; echo 3; seq 5; } >unsorted.txt
	while read -r options; do
		for n in 2 3; do
			says_the_same $n -m $options -o out
			[ ! -e out ]
		done
	done <<-END
		-u64 part.1 unsorted part.2
		list.1 unsorted.txt
		--record-size=8 -k u16@2 records.1 unsorted
		-k 1,1n lines.1 unsorted.txt
		-k 2,2 equal.2
		-g zeros
	END
}

@test "what several ranks cannot do is refused, once" {
	seq 9 >in
	mkfifo fifo
	head -c 9000000 /dev/zero >large
	while read -r wanted options; do
		GSORT_RANKS=3 run "$ranks" $options
		[ "$status" -eq 2 ] && [ "$(wc -l <<<"$output")" = 1 ] && [[ $output == *"${wanted//_/ }"* ]] ||
			{ echo "$options: $output"; return 1; }
	done <<-END
		cannot_write_to_standard_output in
		so_it_must_be_a_file -m fifo -o out
		--merge_with_--invalid:_not_with_several_ranks: -m --invalid=warn in -o out
		--split: --split=2 in -o out%r
		figures:_not_with_several_ranks:_gsort_does_that,_in_one_process --summary in
		figures: --quantiles=.5 -u8 nofile -o out
		figures: --histogram --record-size=8 -k u8@0 in -o out
		figures: -k1,1n --top=3 --to=json in -o out
		figures: --lines --tail=3 --to=json in -o out
		operations_on_sets:_not_with_several_ranks:_gsort_does_that,_in_one_process --union in in -o out
		operations_on_sets: --lines --difference nofile in -o out%r
		--sample:_not_with_several_ranks:_gsort_does_that,_in_one_process --sample=3 -u8 in -o out
		--argsort:_not_with_several_ranks:_gsort_does_that,_in_one_process --argsort=u32 -u8 in -o out
		--keep-order:_not_with_several_ranks:_gsort_does_that,_in_one_process --lines -u --keep-order in -o out
		out-%r.xz_would_hold_plain_text;_write_to_out-%r,_or_pipe_into_xz in -o out-%r.xz
		--check_with_--invalid -c --invalid=warn in
		No_such_file nofile in -o out
		it_is_not_a_regular_file in -o fifo
		it_is_not_a_regular_file in -o /dev/zero
		it_is_not_a_regular_file in -o /dev/full
		must_be_in_a_regular_file --files0-from=- -o out
		not_compressed,_so_that_equal_ones_keep_their_order -k 1 fifo -o out
		gsort_checks_from_a_pipe_in_one_process -c in fifo in
		the_last_record_is_short --record-size=4 in -o out
		too_large_for_3_ranks -S 16M --record-size=1000000 large -o out
	END
	[ ! -e out ]
}

@test "a bad line ends all ranks, with its number in the file" {
	{ seq 30000; echo 5x; seq 10; } >in
	echo old >out
	GSORT_RANKS=3 run "$ranks" in -o out
	[ "$status" -eq 2 ]
	[[ $output == *"rank "*" on here: in:30001: not a number: \"5x\"" ]]
	[ "$(cat out)" = old ]
	[ -z "$(find . -name '.gsort*')" ]
	GSORT_RANKS=3 run "$ranks" --invalid=fail in -o out
	[ "$status" -eq 2 ]
	[[ $output == *"in:30001: not a number"*"1 invalid line was left out"* ]]
	[ "$(wc -l <out)" = 30010 ]
}

@test "a full disk: status 2, the old output, no hidden file" {
	[ "$(id -u)" = 0 ] || skip "only root makes a small file system"
	gen --seed 5 --keys 300000 --type u64 >in
	mkdir small
	mount -t tmpfs -o size=1M none small 2>/dev/null || skip "no tmpfs can be mounted here"
	echo old >small/out
	GSORT_RANKS=3 run timeout 60 "$ranks" -u64 in -o small/out
	left=$(ls -A small; cat small/out)
	umount small
	[ "$status" -eq 2 ]
	[[ $output == *"write failed: small/out: No space left on device"* ]]
	[ "$left" = "$(printf 'out\nold')" ]
}

@test "gsort under mpirun warns that each process sorts all of it" {
	seq 9 >in
	OMPI_COMM_WORLD_SIZE=4 run gsort in -o out
	[ "$status" -eq 0 ]
	[ "$output" = "gsort: warning: each of 4 processes sorts all of the input; gsort-mpi sorts it once, together" ]
	PMI_SIZE=4 run gsort -q in -o out
	[ -z "$output" ]
}

# ---- with MPI ------------------------------------------------------------------

# Some of the rows above with mpirun NAME.
with_mpi() {
	needs_mpi "$1"
	make_text
	gen --seed 3 --keys 100000 --type u64 >in
	same_mpi "$1" 1 -u64 in
	same_mpi "$1" 2 -u64 --verify in
	same_mpi "$1" 3 mix.txt in.txt
	same_mpi "$1" 4 -u64 -r -u in
	same_mpi "$1" 7 --count mix.txt
	same_mpi "$1" 3 -k bytes10@0 --record-size=100 in
	same_mpi "$1" 3 --lines mix.txt in.txt
	same_mpi "$1" 3 --csv -k 1,1 --count mix.txt in.txt
	run timeout 30 "mpirun.$1" -n 3 "$mpi" --summary mix.txt
	[ "$status" -eq 2 ]
	[ "$(grep -c "figures: not with several ranks: gsort does that, in one process" <<<"$output")" = 1 ]
}

@test "Open MPI: ranks are processes" {
	with_mpi openmpi
	OMPI_MCA_btl=self,tcp same_mpi openmpi 3 -u64 in
	# Each is process 1 of a namespace of its own, so they cannot share memory: tcp carries the blocks.
	unshare --pid --fork true 2>/dev/null || return 0
	printf '#!/bin/sh\nexec unshare --pid --fork "%s" "$@"\n' "$mpi" >apart
	chmod +x apart
	mpi=$PWD/apart
	OMPI_MCA_btl=self,tcp same_mpi openmpi 3 -u64 --verify in
	OMPI_MCA_btl=self,tcp same_mpi openmpi 4 -k bytes10@0 --record-size=100 in
	OMPI_MCA_btl=self,tcp same_mpi openmpi 2 --count mix.txt
}

@test "MPICH: ranks are processes" {
	left_to_ci "the rows of MPICH, whose ranks poll while they wait"
	with_mpi mpich
}

@test "all options, with each MPI and 1 to 7 ranks" {
	left_to_slow "every type and selection with mpirun"
	local name n type selection
	for name in openmpi mpich; do
		command -v "mpirun.$name" >/dev/null || continue
		needs_mpi $name
		make_text
		for n in 1 2 3 4 7; do
			for type in u8 i16 u32 i32 u64 i64 f32 f64; do
				gen --seed $n --keys 30000 --type $type >in
				same_mpi $name $n --type=$type in
				same_mpi $name $n --type=$type -r in
			done
			for selection in '' -r -u --count --unique=repeated --head=777 '-u --head=333 -r' -g; do
				same_mpi $name $n $selection mix.txt in.txt
			done
			gen --seed 5 --keys 3000000 --type u64 >in
			same_mpi $name $n -u64 -S 16M -T . in
		done
	done
}

# fails_mpi NAME N WANTED COMMAND...: status not 0, the message, the old output, no hidden file
fails_mpi() {
	local name=$1 n=$2 wanted=$3
	shift 3
	echo old >out
	run timeout 60 "mpirun.$name" -n "$n" "$mpi" "$@" -o out
	[ "$status" -ne 0 ] && [ "$status" -ne 124 ] && [ "$(cat out)" = old ] ||
		{ echo "$name $*: status $status"; cat out; return 1; }
	[ "$(grep -c "^gsort-[a-z]*: .*$wanted" <<<"$output")" = 1 ] || { echo "$output"; return 1; }
	[ -z "$(find . -name '.gsort*')" ] || { find . -name '.gsort*'; return 1; }
}

@test "a rank in trouble ends the job: one sentence, status not 0, the old output" {
	for name in openmpi mpich; do
		command -v "mpirun.$name" >/dev/null || continue
		needs_mpi $name
		{ seq 30000; echo 5x; seq 10; } >in
		fails_mpi $name 3 'rank [0-9] on .*: in:30001: not a number' in
		fails_mpi $name 3 'rank 0 on .*: cannot read: nofile' nofile in
		fails_mpi $name 2 'invalid' --parallel=x in
	done
	[ -n "${mpi-}" ] || skip "no MPI is installed"
}

# ends_all NAME WANTED ARGUMENT...: within seconds all ranks end with status 2, after one line; no output
ends_all() {
	local name=$1 wanted=$2
	shift 2
	run timeout 30 "mpirun.$name" "$@" <files
	[ "$status $(grep "^gsort-$name: " <<<"$output" | sed "s|^gsort-$name: $wanted.*|good|")" = "2 good" ] ||
		{ echo "$name $*: $status"; echo "$output"; return 1; }
	[ ! -e out ] || { echo "$name $*: there is an output"; return 1; }
}

# Each rank has a command line and a folder of its own.
ranks_differ() {
	local one="rank 1 on [^ ]*: " name=$1
	needs_mpi "$name"
	mkdir here there
	seq 3000 | shuf --random-source=<(yes) | tee in >also
	printf 'in\0also\0' >files
	ln in also files here
	ln in also there
	set -- -n 1 "$mpi" in -o out : -n 2 "$mpi"
	ends_all "$name" "${one}its command line is not that of rank 0" "$@" in -S 20M -o out
	ends_all "$name" "${one}its command line is not that of rank 0" "$@" also -o out
	ends_all "$name" "${one}its command line is not that of rank 0" "$@" --help
	ends_all "$name" "${one}invalid suffix in -S argument '20x'" "$@" in -S 20x -o out
	ends_all "$name" "${one}unrecognized option '--bad'" "$@" --bad
	ends_all "$name" "rank 0 on [^ ]*: unrecognized option '--bad'" -n 1 "$mpi" --bad : -n 2 "$mpi" in
	ends_all "$name" "unrecognized option '--bad'" -n 3 "$mpi" --bad
	ends_all "$name" "--files0-from=-: not with several ranks: each reads all names, so they must be in a regular file" -n 3 "$mpi" --files0-from=- -o out
	ends_all "$name" "--files0-from=/dev/stdin: not with" -n 2 "$mpi" --files0-from=/dev/stdin -o out
	set -- -n 2 -wdir "$PWD/here" "$mpi" --files0-from=files -o "$PWD/out" \
		: -n 1 -wdir "$PWD/there" "$mpi" --files0-from=files -o "$PWD/out"
	# of another MPI: each is alone
	[ "$name" != openmpi ] || PMI_SIZE=3 not timeout 30 "$mpi" in -o out >told 2>&1
	[ "$name" != openmpi ] || grep -qx "gsort-openmpi: the launcher has started 3 processes, but each is a job of its own: use the mpirun of the MPI that gsort-mpi was built with" told
	one="rank 2 on [^ ]*: "
	ends_all "$name" "${one}open failed: files: No such file" "$@"
	printf 'also\0in\0' >there/files
	ends_all "$name" "${one}its names of inputs are not those that rank 0 has read" "$@"
	cp files there/files
	timeout 30 "mpirun.$name" "$@"
	gsort in also | cmp - out
	rm out
	head -c 100 in >there/less
	cp in here/less
	ends_all "$name" "${one}less: has 100 bytes here, and 13893 where rank 0 runs: all ranks must see the same files" \
		-n 2 -wdir "$PWD/here" "$mpi" less -o out : -n 1 -wdir "$PWD/there" "$mpi" less -o out
	# A file, or a folder, that one rank does not see.
	mkdir here/sub
	rm there/in
	set -- -n 2 -wdir "$PWD/here" "$mpi"
	ends_all "$name" "${one}cannot read: in: No such file" "$@" in -o sub/out : \
		-n 1 -wdir "$PWD/there" "$mpi" in -o sub/out
	ends_all "$name" "${one}cannot open sub/[^ ]*, which rank 0 has made: is its folder the same on all hosts?: No such file or directory" "$@" also \
		-o sub/out : -n 1 -wdir "$PWD/there" "$mpi" also -o sub/out
	ends_all "$name" "${one}.*sub/out-2: No such file" "$@" also -o sub/out-%r : \
		-n 1 -wdir "$PWD/there" "$mpi" also -o sub/out-%r
	[ -z "$(ls -A here/sub)" ] || { ls -A here/sub; return 1; }
	# Under Open MPI standard output is a terminal; under MPICH it is a pipe.
	ends_all "$name" "rank 0 on [^ ]*: /dev/stdout: not with several ranks: it is not a regular file, and they write at several places of it" -n 3 "$mpi" in -o /dev/stdout
}

@test "Open MPI: ranks that differ, or do not understand their command lines, end together" {
	ranks_differ openmpi
}

@test "MPICH: ranks that differ, or do not understand their command lines, end together" {
	left_to_ci "the rows of MPICH, whose ranks poll while they wait"
	ranks_differ mpich
}

# faults NAME STEP: each place that a call of one of two ranks is made from, or one in STEP, fails
faults() {
	needs_mpi "$1"
	[ -e "$GSORT_BUILD/tests/fault/fault.so" ] || skip "no preloaded library here"
	"$GSORT_SOURCE/tests/fault/faults" --every "$2" "$1" >told || { cat told; return 1; }
	tail -n 1 told | sed "s/^/# $1: /" >&3
	[ "$(tail -n 1 told | sed 's/ tried: .*//')" -ge 20 ]
}

@test "MPICH: a call fails on one rank, from its command line to its end" {
	left_to_ci "the rows of MPICH, whose ranks poll while they wait"
	faults mpich "$([ -n "${GSORT_SLOW-}" ] && echo 1 || echo 60)"
}

@test "Open MPI: a call fails on one rank, from its command line to its end" {
	left_to_slow "each place that a call is made from"
	faults openmpi 1
}

@test "ranks in different locales are refused" {
	needs_mpi openmpi
	needs localedef
	mkdir locales
	localedef -c -i sv_SE -f ISO-8859-1 ./locales/sv_SE >/dev/null 2>&1 || true
	[ -e locales/sv_SE ] || skip "localedef has no sources (package locales)"
	printf 'z\n\366\na\n' >in		# \366 is ö
	export LOCPATH=$PWD/locales
	mpirun.openmpi -x LOCPATH -n 2 "$mpi" --locale=sv_SE in -o out
	cmp out <(printf 'a\nz\n\366\n')
	rm out
	not mpirun.openmpi -x LOCPATH -n 1 env LC_ALL=sv_SE "$mpi" --locale in -o out : \
		-n 1 env LC_ALL=C "$mpi" --locale in -o out 2>told
	grep -q "rank 1 on .*: --locale: the locale here is another one than where rank 0 runs: all ranks need the same, of the same release" told
	[ ! -e out ]
}

# The rank that is killed, and when, are drawn; a job that has ended by then has succeeded.
@test "a rank is killed: nothing hangs, the output is old or new" {
	local round rounds=${KILL_ROUNDS:-3} name=openmpi status
	needs_mpi openmpi
	gen --seed 5 --keys 1000000 --type u64 >in
	gsort -u64 in -o new
	RANDOM=${KILL_SEED:-1}
	for ((round = 0; round < rounds; round++)); do
		echo old >out
		timeout 60 mpirun.openmpi -n 3 "$mpi" -u64 -S 16M -T . in -o out >told 2>&1 &
		local job=$! victim=$((RANDOM % 3)) turns=$((RANDOM % 40)) pids=
		for ((turn = 0; turn < 400; turn++)); do
			# timeout, mpirun, ranks
			pids=($(pgrep -P "$(pgrep -P $job)" 2>/dev/null || true))
			[ ${#pids[@]} -lt 3 ] || [ $turn -lt $turns ] || break
			kill -0 $job 2>/dev/null || break
			sleep 0.01
		done
		[ ${#pids[@]} -lt 3 ] || kill -KILL "${pids[victim]}" 2>/dev/null || true
		status=0
		wait $job || status=$?
		[ $status -ne 124 ] || { echo "it hangs"; return 1; }
		if [ $status -eq 0 ]; then
			cmp new out
		else
			[ "$(head -c 4 out)" = "old" ] || cmp new out
		fi
		rm -f .gsort.*
	done
}

# Two hosts, as far as one can be two: namespaces of the network with a slow link between them.
@test "two hosts with a slow link" {
	left_to_slow "two namespaces of the network"
	needs ip tc ssh
	[ "$(id -u)" = 0 ] || skip "only root makes namespaces of the network"
	needs_mpi mpich
	ip netns add gsort-a 2>/dev/null || skip "no namespaces of the network here"
	ip netns add gsort-b
	ip link add gsort-va netns gsort-a type veth peer name gsort-vb netns gsort-b
	ip -n gsort-a addr add 10.99.0.1/24 dev gsort-va
	ip -n gsort-b addr add 10.99.0.2/24 dev gsort-vb
	for n in a b; do ip -n gsort-$n link set lo up; ip -n gsort-$n link set gsort-v$n up; done
	tc -n gsort-a qdisc add dev gsort-va root netem delay 2ms rate 200mbit || true
	gen --seed 5 --keys 1000000 --type u64 >in
	gsort -u64 in -o alone
	# A launcher for hydra: "ssh" to a host is a command in its namespace.
	cat >enter <<-'END'
		#!/bin/sh
		while [ $# -gt 0 ]; do
			case $1 in
			-x) shift ;;
			10.99.0.1) shift; exec ip netns exec gsort-a sh -c "$*" ;;
			10.99.0.2) shift; exec ip netns exec gsort-b sh -c "$*" ;;
			*) shift ;;
			esac
		done
	END
	chmod +x enter
	status=0
	MPIR_CVAR_NOLOCAL=1 ip netns exec gsort-a timeout 120 mpirun.mpich -launcher ssh \
		-launcher-exec "$PWD/enter" -hosts 10.99.0.1,10.99.0.2 -n 4 "$mpi" -u64 "$PWD/in" \
		-o "$PWD/together" >told 2>&1 || status=$?
	ip netns del gsort-a
	ip netns del gsort-b
	[ $status -eq 0 ] || { cat told; return 1; }
	cmp alone together
}
