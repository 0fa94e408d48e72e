# SPDX-License-Identifier: BSD-2-Clause
#
# The systems of the reports on a real GPU (on the host: tests/unit/ladder.c), and
# the subcommands that measure them.  Needs `make gsort-bench`.

load ../helpers

# The program under test in this file; skip if it is not built.
prepare() {
	bench=$(built gsort-bench)
	[ -x "$bench" ] || skip "gsort-bench is not built: make gsort-bench"
}

@test "every variant is right on a GPU, in its orders, at awkward sizes" {
	needs_gpu
	"$bench" ladder --check-only --keys=1,2,64,256,512,1000,1024,2048,4096,8192,16384,1000000,2^20
}

@test "every GPU variant is right at 2^24 and at 10 million keys" {
	needs_gpu
	"$bench" ladder --check-only --variants=gpu --keys=2^24,10000000
}

@test "CPU variants are right without a GPU" {
	"$bench" ladder --check-only --variants=cpu --threads=3 --keys=1,2,777,1024,50000
}

@test "a size that a variant cannot do is skipped, with the reason" {
	"$bench" ladder --variants=michalainas_serial --keys=1000 --runs=1 >table
	grep -q "skipped: michalainas_serial sorts powers of two only, such as 512 keys" table
}

@test "JSON has a row a line, with the figures of the table" {
	"$bench" ladder --variants=qsort,martoccia_cpu_v2 --keys=2^12 --runs=3 --json=rows --csv=rows.csv
	[ "$(grep -c '"variant": ' rows)" -eq 2 ]
	grep -q '"variant": "martoccia_cpu_v2".*"keys": 4096.*"over_qsort": ' rows
	[ "$(wc -l <rows.csv)" -eq 3 ]
}

# A cold run would show here: loading a kernel takes fifty times as long as these 256 keys.
@test "kinds of kernels are timed warm: together hardly longer than all kernels" {
	needs_gpu
	"$bench" ladder --variants=slides --keys=256 --runs=5 --json=rows
	sed -n 's/.*"kernels_ms": \([0-9.e-]*\),.*"kind0_ms": \([0-9.e-]*\),.*/\1 \2/p' rows >both
	[ "$(wc -l <both)" -eq 1 ]
	awk '{ print; exit !($2 > 0 && $2 < 3 * $1) }' both
}

@test "the sort that gsort uses and its network alone are two variants" {
	"$bench" ladder --list >list
	grep -q "^gsort  .*bins, then networks" list
	grep -q "^gsort_network  .*network alone" list
}

@test "device prints a table of shapes and sizes, the worst cell last" {
	needs_gpu
	"$bench" device --keys=2^16..2^18 --type=u32 --runs=1 --json=rows >table
	[ "$(grep -c '"shape": ' rows)" -eq $((3 * $("$bench" --shapes | wc -l))) ]
	tail -n 1 table | grep -q "^worst cell from 2^18 on: .*, u32 .* 2^18 (--seed="
}

@test "only device prints tables, of powers of two" {
	run "$bench" tile --keys=2^16..2^18
	[ "$status" -eq 2 ]
	run "$bench" device --keys=2^18..2^16
	[ "$status" -eq 2 ]
	run "$bench" device --keys=2^16..100000
	[ "$status" -eq 2 ]
}

@test "sweep runs every number of threads" {
	"$bench" sweep --variants=martoccia_cpu_v2 --keys=2^16 --threads=1,2,3 --runs=2 --json=rows
	[ "$(grep -c '"what": "sweep"' rows)" -eq 3 ]
}

@test "a variant that does not exist is named" {
	run "$bench" ladder --variants=bogo
	[ "$status" -eq 2 ]
	[[ $output == *"no variant or group 'bogo'"* ]]
}
