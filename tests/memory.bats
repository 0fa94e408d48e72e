# SPDX-License-Identifier: BSD-2-Clause
#
# What the man page promises of memory: on the CPU at most twice the input and
# 256 MB, with a GPU that holds the keys at most the input and 512 MB.

load helpers

prepare() {
	skips_under_sanitizer "all takes more memory"
	ln -sf "$GSORT_BUILD/tests/measure" "$BATS_TEST_TMPDIR/bin/measure"
}

# peak_within KIB COMMAND...: its largest resident set
peak_within() {
	local most=$1 peak
	shift
	measure took "$@" || return 1
	read -r _ peak <took
	echo "peak $peak KiB of $most: $*"
	[ "$peak" -le "$most" ]
}

# on_cpu FILE OPTION...: FILE within twice its size and 256 MB, from file and pipe
on_cpu() {
	local file=$1 kib
	shift
	kib=$(($(stat -c %s "$file") / 1024 * 2 + 256000000 / 1024))
	peak_within $kib gsort --device=cpu "$@" -o out "$file"
	mkfifo pipe
	cat "$file" >pipe &
	peak_within $kib gsort --device=cpu "$@" -o out pipe
	rm pipe
}

@test "binary keys: twice the input, from file and pipe" {
	gen --keys 40000000 --type u32 >in
	on_cpu in -u32
	gen --keys 20000000 --type f64 >in
	on_cpu in -rf64
}

@test "binary keys are in memory once" {
	gen --keys 64000000 --type u32 >in
	peak_within $((256000000 / 1024 * 11 / 10 + 32000)) gsort -u32 --device=cpu -o out in
	is_sorted out u32
	same_keys in out u32
}

@test "keys of 8 and 16 bits: no memory to speak of, however many" {
	head -c 200000000 /dev/zero >in
	peak_within 150000 gsort -u8 -o out in
	peak_within 150000 gsort -i16 -o out in
}

@test "text: twice the input, also where keys are larger than their lines" {
	yes 7 | head -n 50000000 >in
	on_cpu in
	yes 65536 | head -n 25000000 >in		# the shortest that is sorted, not counted
	on_cpu in
	yes -32769 | head -n 20000000 >in
	on_cpu in
	{ yes 65536 | head -n 20000000; echo 18446744073709551615; echo -9223372036854775808; } >in
	on_cpu in -r
	yes 4294967296 | head -n 12000000 >in
	on_cpu in
}

@test "skewed keys: no more than others" {
	gen --keys 20000000 --type u64 --dist zipf >in
	on_cpu in -u64
}

@test "few addresses: fewer threads, or one sentence" {
	local kib threads status
	gen --keys 100000 --type text >in
	gsort -o expected in
	for kib in 130000 200000 230000 250000 275000 300000 320000 400000 500000 1000000; do
		for threads in 1 3 4 64; do
			status=0
			cat in | (ulimit -v $kib; gsort --parallel=$threads >out 2>err) || status=$?
			echo "$kib KiB, $threads threads: status $status, $(cat err)"
			case $status in
			0) cmp out expected ;;
			2) grep "memory .*can be had" err && [ $kib -lt 400000 ] ;;
			*) false ;;
			esac
		done
	done
}

@test "with a GPU: the input and 512 MB" {
	needs_gpu
	gen --keys $((1 << 28)) --type u32 >in
	peak_within $(((1 << 20) + 512000000 / 1024)) gsort -u32 --device=gpu -o out in
	mkfifo pipe
	cat in >pipe &
	peak_within $(((1 << 20) + 512000000 / 1024)) gsort -u32 --device=gpu -o out pipe
}
