# SPDX-License-Identifier: BSD-2-Clause
# Small jobs of every kind under valgrind, as the program is shipped; small sorts on a GPU
# under compute-sanitizer.  An access to unmapped memory, a value that was never set, memory or
# descriptors that are lost, a race between threads of a GPU: each is a failure.
#
# Valgrind has no AVX-512, and CPUID says so (base/simd.c).  It records all addresses that are
# reserved, so -S limits them; and it has no Landlock.

load ../helpers

# checked COMMAND...: under valgrind, which finds nothing.  (Not in a pipe: that would lose its
# status.)
checked() {
	local status=0
	valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
		--error-exitcode=99 --fair-sched=yes --log-file=found.%p "$@" || status=$?
	if [ -s "$(find . -name 'found.*' -size +0 | head -n 1)" ]; then
		cat found.* >&2
		return 99
	fi
	rm -f found.*
	return $status
}

prepare() {
	[[ $BATS_TEST_DESCRIPTION == GPU:* ]] || { left_to_ci valgrind; needs valgrind; }
	skips_under_sanitizer "there is no other one"
}

# answers STATUS COMMAND...
answers() {
	local expected=$1 status=0
	shift
	checked "$@" || status=$?
	[ $status -eq "$expected" ] || { echo "status $status: $*"; return 1; }
}

@test "valgrind: keys of every type, in memory" {
	local type
	for type in u8 i16 u32 i64 f32 f64; do
		gen --seed 1 --keys 20000 --type $type >in
		checked gsort -S 64M --device=cpu --parallel=2 -r --type=$type -o out in
		is_sorted out $type --reverse
		same_keys in out $type
	done
}

@test "valgrind: text of integers and of floats, by pipe and file" {
	gen --seed 2 --keys 20000 --type text --range full >in
	checked gsort -S 64M --parallel=2 -u <in >out
	cmp out <(sort -nu in)
	gen --seed 2 --keys 3000 --type f64 >in
	gsort -f64 --to=text in -o text
	checked gsort -S 64M -g --to=f64 -o out text
	cmp out <(gsort -g --to=f64 text)
}

@test "valgrind: a damaged line, a missing file: one message, nothing lost" {
	printf '1\n2\nthree\n' >in
	answers 2 gsort -S 64M in 2>told
	grep -q 'in:3: not a number' told
	answers 2 gsort -S 64M in missing 2>told
	grep -q 'missing: No such file' told
}

@test "valgrind: compressed input, whole and cut" {
	local tool
	seq 20000 -1 1 >lines
	for tool in gzip bzip2 xz zstd lz4; do
		command -v $tool >/dev/null || continue
		$tool -c lines >in.$tool
		checked gsort -S 64M --decompress=no-sandbox in.$tool >out
		cmp out <(seq 20000)
		head -c 5000 in.$tool >cut.$tool
		answers 2 gsort -S 64M --decompress=no-sandbox cut.$tool >out 2>told
		[ -s told ]
	done
}

@test "valgrind: more than memory may hold, packed and not, and output in place" {
	local program
	mkdir temp
	gen --seed 3 --keys 900000 --type u64 >in		# 7.2 MB: two runs
	gsort -u64 -o right in
	for program in "" zstd lz4; do
		checked gsort -u64 -S 16M -T temp --parallel=2 ${program:+--compress-program=$program} -o out in
		cmp out right
	done
	checked gsort -u64 -S 16M -T temp -o in in
	cmp in right
	[ -z "$(ls -A temp)" ]
}

@test "valgrind: merge, check, count, head, verify" {
	local part
	for part in 1 2 3; do gen --seed $part --keys 9000 --type i32 | gsort -i32 -o part.$part; done
	cat part.? >all
	checked gsort -S 64M -m -i32 --batch-size=2 part.1 part.2 part.3 -o out
	cmp out <(gsort -i32 all)
	answers 0 gsort -c -i32 out
	answers 1 gsort -C -i32 all
	seq 3 | cat - <(seq 2) >in
	checked gsort -S 64M --count --to=text in >counts
	cmp counts <(sort -n in | uniq -c)
	checked gsort -S 64M -i32 --head=10 all >head
	cmp head <(head -c 40 out)
	checked gsort -S 64M -i32 --verify -o again all
	cmp again out
}

@test "valgrind: the library, closed as it should be" {
	[ -x "$GSORT_BUILD/examples/smallest" ] || skip "the examples are not built"
	checked "$GSORT_BUILD/examples/smallest" >printed
	[ "$(wc -l <printed)" = 10 ]
	printf '3\n10\n3\nthree\n7' | checked "$GSORT_BUILD/examples/collect" numbers.txt >printed 2>told
	printf '3\n7\n10\n' | cmp - numbers.txt
}

# --- on a GPU -----------------------------------------------------------------------

# on_gpu TOOL TYPE OPTION...: TOOL finds nothing while the keys in the file in are sorted
on_gpu() {
	local tool=$1 type=$2
	shift 2
	compute-sanitizer --tool "$tool" --error-exitcode 99 --log-file found \
		"$(readlink -f "$GSORT")" --device=gpu --type="$type" "$@" -o out in || { cat found; return 1; }
	grep -q 'ERROR SUMMARY: 0 errors\|RACECHECK SUMMARY: 0 hazards' found || { cat found; return 1; }
	gsort --device=cpu --type="$type" "${@/-Sgpu:*/-q}" in | cmp - out
}

all_of() {
	local type
	needs_gpu
	needs_for_gpu compute-sanitizer
	for type in u32 i64 f32 f64; do
		gen --seed 4 --keys 150001 --type $type >in
		on_gpu "$1" $type -r
	done
	gen --seed 5 --keys 200003 --type u32 --dist zipf >in
	on_gpu "$1" u32
	gen --seed 6 --keys 100003 --type text --range full >in
	on_gpu "$1" text -u
}

@test "GPU: compute-sanitizer memcheck"  { all_of memcheck; }
@test "GPU: compute-sanitizer racecheck" { all_of racecheck; }
@test "GPU: compute-sanitizer initcheck" { all_of initcheck; }
@test "GPU: compute-sanitizer synccheck" { all_of synccheck; }
