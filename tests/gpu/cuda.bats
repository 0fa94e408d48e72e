# SPDX-License-Identifier: BSD-2-Clause
#
# The GPU's output is the CPU's, byte for byte.
#
# Every check runs twice: small, with gsort-emu, whose CUDA is an emulated device
# of GSORT_EMU_MEMORY bytes; and at full size on a GPU, if there is one.

load ../helpers

# on emulated|real: set $gpu, the program; skip if there is none.
on() {
	size=$1
	case $1 in
	emulated)
		command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
		gpu=gsort-emu
		export GSORT_EMU_MEMORY=$((64 << 20)) ;;
	real)
		needs_gpu
		gpu=gsort ;;
	esac
}

# pick SMALL FULL: the one for this run
pick() {
	case $size in
	emulated) echo "$1" ;;
	real)     echo "$2" ;;
	esac
}

# agree FILE OPTION...: on both devices the same
agree() {
	local file=$1
	shift
	local cpu=("${@/-Sgpu:*/-q}")
	gsort "${cpu[@]/--device=*/-q}" --device=cpu "$file" >by-cpu || return 1
	[[ "$*" == *--device=* ]] || set -- --device=gpu "$@"
	"$gpu" "$@" "$file" >by-gpu || return 1
	cmp by-cpu by-gpu || { echo "of $file, $(wc -c <"$file") bytes: $*"; return 1; }
}

all_types() {
	local type options
	for type in u8 i8 u16 i16 u32 i32 u64 i64 f32 f64; do
		gen --seed 31 --keys "$(pick 20011 3000017)" --type $type >in
		for options in "" -r -u -ru; do
			agree in --type=$type $options
		done
	done
}

text() {
	local range options
	for range in u32 i32 u64 i64 small full; do
		gen --seed 32 --keys "$(pick 20011 2000003)" --type text --range $range >in
		for options in "" -r -u -ru; do
			agree in -n $options
		done
	done
}

# Of keys of one type: a row each, for on a GPU it takes 75 processes.
awkward_sizes() {
	local power keys
	for power in $(pick "0 1 5 8 10 12 13 14 15" "$(seq 0 24 | tr '\n' ' ')"); do
		for keys in $(((1 << power) - 1)) $((1 << power)) $(((1 << power) + 1)); do
			gen --seed $power --keys $keys --type $1 >in
			agree in -$1
		done
	done
	: >in
	agree in -$1
}

distributions() {
	local dist type
	for dist in uniform sorted reversed equal few saw organ extremes nans zipf; do
		for type in u32 i64 f32; do
			gen --seed 33 --keys "$(pick 30011 8388617)" --type $type --dist $dist >in
			agree in -$type
			[ $dist != uniform ] || agree in -r$type
		done
	done
}

several_buffers() {
	local type
	for type in u32 u64 f64; do
		gen --seed 34 --keys "$(pick 100003 20000003)" --type $type >in
		agree in -$type -Sgpu:"$(pick 4M 2G)"
		agree in -ru$type -Sgpu:"$(pick 4M 2G)"
	done
}

several_batches() {
	local type
	for type in u32 u64; do
		gen --seed 35 --keys "$(pick 300007 30000001)" --type $type >in
		agree in -$type -Sgpu:"$(pick 1M 64M)"
		agree in -ru$type -Sgpu:"$(pick 1M 64M)"
	done
	gen --seed 36 --keys "$(pick 200003 20000003)" --type u32 --dist few >in
	agree in -u32 -Sgpu:"$(pick 1M 64M)"
	agree in -uu32 -Sgpu:"$(pick 1M 64M)"
	"$gpu" --device=gpu -u32 -v -Sgpu:"$(pick 1M 64M)" in 2>&1 >/dev/null | grep -q ' keys (u32)'
}

# Keys in all four streams of text, and a histogram; then all in one of them.
text_of_streams() {
	local range keys
	keys=$(pick 30011 3000017)
	for range in u32 i32 u64 i64 small; do
		gen --seed 39 --keys "$keys" --type text --range $range
	done >in
	agree in -n
	agree in -nr -Sgpu:"$(pick 3M 300M)"
	gen --seed 40 --keys "$(pick 150001 9000001)" --type text --range u64 >in
	agree in -nr
}

# What a partition does not divide evenly, in numbers that only it sorts.
crowds() {
	local dist type
	for dist in few zipf organ extremes nans saw; do
		for type in u32 f64; do
			gen --seed 41 --keys "$(pick 150001 70000001)" --type $type --dist $dist >in
			agree in -$type
		done
	done
}

text_in_batches() {
	gen --seed 37 --keys "$(pick 200003 10000019)" --type text --range full >in
	agree in -n -Sgpu:"$(pick 2M 64M)"
	agree in -nr -Sgpu:"$(pick 2M 64M)"
	agree in -nu -Sgpu:"$(pick 2M 64M)"
	# Two streams so large that sorting them takes both halves of the GPU's memory.
	gen --seed 37 --keys "$(pick 500003 10000019)" --type text --range i64 >in
	agree in -n -Sgpu:"$(pick 9M 64M)"
}

pipes_and_files() {
	gen --seed 38 --keys "$(pick 50021 5000011)" --type i32 >in
	gsort -i32 --device=cpu in >by-cpu
	cat in | "$gpu" -i32 --device=gpu | cmp - by-cpu
	head -c 40000 in >part0
	tail -c +40001 in >part1
	"$gpu" -i32 --device=gpu part0 part1 | cmp - by-cpu
	cat part1 | "$gpu" -i32 --device=gpu -o out part0 -
	cmp out by-cpu
	"$gpu" -i32 --device=gpu -o in in
	cmp in by-cpu
}

for_size() {
	on "$1"
	"${@:2}"
}

@test "emulated GPU: all types, directions and -u"	{ for_size emulated all_types; }
@test "emulated GPU: text"				{ for_size emulated text; }
@test "emulated GPU: sizes around powers of two, u32"		{ for_size emulated awkward_sizes u32; }
@test "emulated GPU: sizes around powers of two, u64"		{ for_size emulated awkward_sizes u64; }
@test "emulated GPU: all distributions"			{ for_size emulated distributions; }
@test "emulated GPU: several staging buffers"			{ for_size emulated several_buffers; }
@test "emulated GPU: several batches"			{ for_size emulated several_batches; }
@test "emulated GPU: text of all key classes"		{ for_size emulated text_of_streams; }
@test "emulated GPU: keys that crowd"			{ for_size emulated crowds; }
@test "emulated GPU: text in several batches"		{ for_size emulated text_in_batches; }
@test "emulated GPU: pipes and several files"		{ for_size emulated pipes_and_files; }

@test "GPU: all types, directions and -u"		{ for_size real all_types; }
@test "GPU: text"					{ for_size real text; }
@test "GPU: sizes around powers of two, u32"			{ for_size real awkward_sizes u32; }
@test "GPU: sizes around powers of two, u64"			{ for_size real awkward_sizes u64; }
@test "GPU: all distributions"				{ for_size real distributions; }
@test "GPU: several staging buffers"				{ for_size real several_buffers; }
@test "GPU: several batches"				{ for_size real several_batches; }
@test "GPU: text of all key classes"			{ for_size real text_of_streams; }
@test "GPU: keys that crowd"				{ for_size real crowds; }
@test "GPU: text in several batches"			{ for_size real text_in_batches; }
@test "GPU: pipes and several files"			{ for_size real pipes_and_files; }

@test "GPU: the calls of the library, for keys of all types, pairs, rows and segments" {
	needs_gpu
	local bench kb pid pids=
	bench=$(built gsort-bench)
	[ -x "$bench" ] || skip "gsort-bench is not built: make gsort-bench"
	for kb in 227 64 99 163; do
		"$bench" --shared=$kb check &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait $pid
	done
}

# --- no GPU, or one that fails ------------------------------------------------------

# Keys land in host memory while the GPU is opened; it holds a part of them, so what
# has landed is handed over in several batches, with more landing behind it.
@test "emulated GPU: one that takes long to open sorts all keys, from file and pipe" {
	local type memory ms
	on emulated
	for type in u32 f64 text; do
		gen --seed 37 --keys 100000 --type $type >in
		gsort --device=cpu --type=$type -r -o expected in
		for memory in 500000 1500000 64000000; do
			export GSORT_EMU_MEMORY=$memory
			[ $type = u32 ] || [ $memory = 500000 ] || continue
			for ms in 2 100; do
				export GSORT_EMU_OPEN_MS=$ms
				gsort-emu --device=gpu --type=$type -r -o out in
				cmp out expected
				{ head -c 400000 in; sleep 0.05; tail -c +400001 in; } |
					gsort-emu --device=gpu --type=$type -r | cmp - expected
			done
		done
	done
}

@test "without a GPU, --device=gpu reports why, and writes nothing" {
	export CUDA_VISIBLE_DEVICES=
	gen --keys 100 >in
	echo old >out
	fails "GPU\|CUDA\|driver" gsort -u32 --device=gpu -o out in
	[ "$(cat out)" = old ]
	GSORT_DEVICE=gpu fails "GPU\|CUDA\|driver" gsort -u32 in
}

@test "without a GPU, auto is silent and the CPU sorts, however large the input" {
	export CUDA_VISIBLE_DEVICES=
	{ printf '\1\0\0\0'; head -c 199999996 /dev/zero; } >in	# for one thread more than a GPU pays from
	gsort -u32 --parallel=1 -o out in 2>err || { cat err; false; }
	[ ! -s err ]
	cmp out <(head -c 199999996 /dev/zero; printf '\1\0\0\0')
}

@test "a GPU that does not exist is named" {
	on emulated
	gen --keys 100 >in
	fails "no GPU 7" gsort-emu -u32 --device=gpu:7 in
	GSORT_EMU_DEVICES=0 fails "GPU\|CUDA\|device" gsort-emu -u32 --device=gpu in
	GSORT_EMU_DEVICES=0 gsort-emu -u32 -vv in 2>err | cmp - <(gsort -u32 in)
	grep -qx 'gsort-emu: no GPU (no CUDA-capable device is detected): sorting on the CPU' err
	GSORT_EMU_FAIL=1:35 fails "driver is too old: it knows CUDA 13.0, gsort needs" \
		gsort-emu -u32 --device=gpu in
}

@test "GPUs whose blocks have 64, 99 and 163 KB of shared memory, and get no more from CUDA" {
	local type kb
	on emulated
	for type in u32 u64; do
		gen --keys 200003 --type $type >in
		gsort -$type --device=cpu -o expected in
		for kb in 64 99 163; do
			GSORT_EMU_SHARED=$((kb << 10)) gsort-emu -$type --device=gpu in | cmp - expected
		done
	done
	fails "invalid argument" env GSORT_EMU_SHARED=49152 gsort-emu -u64 --device=gpu in
}

# GSORT_EMU_DEVICES is how many there are, CUDA_VISIBLE_DEVICES which of them the user sees.
@test "of several GPUs, the one that is used is the one that was meant" {
	on emulated
	export GSORT_EMU_DEVICES=4 CUDA_VISIBLE_DEVICES
	gen --keys 100 >in
	while read -r CUDA_VISIBLE_DEVICES asked used; do
		gsort-emu -u32 -v --device=$asked in 2>err >/dev/null
		grep "device emulated GPU $used\$" err
	done <<-ROWS
		0,1,2,3 gpu   0
		0,1,2,3 gpu:3 3
		2,0     gpu   2
		2,0     gpu:1 0
		3       gpu:0 3
	ROWS
	for CUDA_VISIBLE_DEVICES in 2,0 7 ""; do
		fails "no GPU 2\|no CUDA-capable device\|no NVIDIA driver" gsort-emu -u32 --device=gpu:2 in
	done
	unset CUDA_VISIBLE_DEVICES
	gsort-emu -u32 -v --device=gpu:2 in 2>&1 >/dev/null | grep 'device emulated GPU 2$'
	fails "there is no GPU 4: the last one is 3" gsort-emu -u32 --device=gpu:4 in
}

@test "CUDA is asked for two queues, unless the user says otherwise" {
	on emulated
	gen --keys 100 >in
	unset CUDA_DEVICE_MAX_CONNECTIONS
	GSORT_EMU_QUEUES=2 gsort-emu -u32 --device=gpu -o out in
	fails "no CUDA-capable device\|no NVIDIA driver" \
		env GSORT_EMU_QUEUES=8 gsort-emu -u32 --device=gpu in
	CUDA_DEVICE_MAX_CONNECTIONS=3 GSORT_EMU_QUEUES=3 gsort-emu -u32 --device=gpu -o out in
}

@test "--verbose=json and -vv print what the GPU did" {
	on emulated
	gen --keys 100003 --type text --range full >in
	gsort-emu -vv --device=gpu --verbose=json in 2>err >/dev/null
	grep -E '"peak_vram":[1-9][0-9]*,' err
	grep -E '^gsort-emu: emulated GPU 0: a batch holds [0-9]{1,5}\.[0-9] MiB$' err
	grep -E '^gsort-emu: [0-9]+ threads: read [0-9.]*, decode [0-9.]*, sort [0-9.]*, merge [0-9.]*, spill [0-9.]*, encode [0-9.]*, write [0-9.]*, idle [0-9.]* s$' err
	grep -E '"h2d_ms":[0-9.]*[1-9][0-9.]*,"gpu_ms":[0-9.]*[1-9][0-9.]*,"d2h_ms":[0-9.]*[1-9][0-9.]*,' err
	grep -E '"stages_ms":.*"h2d":[0-9.]*[1-9][0-9.]*,"sort":[0-9.]*[1-9].*"d2h":[0-9.]*[1-9]' err
	grep -E 'GPU: copy to it [0-9.]*, sort [0-9.]*, copy back [0-9.]* s; [0-9.]* MiB of GPU memory$' err
	gsort --device=cpu --verbose=json in 2>err >/dev/null
	grep '"peak_vram":0,' err
	grep '"h2d_ms":0.000,"gpu_ms":0.000,"d2h_ms":0.000,' err
}

@test "too little GPU memory is an error with --device=gpu" {
	on emulated
	gen --keys 100000 >in
	fails "memory" env GSORT_EMU_MEMORY=1000 gsort-emu -u32 --device=gpu in
}

@test "whichever CUDA call fails, the output is right or the error is said" {
	on emulated
	gen --keys 40000 >in
	gsort -u32 in >expected
	failed=0
	for code in 2 700 999; do
		for call in 1 2 3 4 5 6 7 8 9 10 12 14 16 20 25 30 40 60; do
			echo old >out
			status=0
			GSORT_EMU_FAIL=$call:$code gsort-emu -u32 --device=gpu -o out in 2>err || status=$?
			cat err >>said
			echo "call $call fails with $code: status $status, $(cat err)"
			case $status in
			0) cmp out expected ;;
			2) [ "$(cat out)" = old ]
			   [ "$(grep -c '^gsort-emu: ' err)" = 1 ]
			   failed=$((failed + 1)) ;;
			*) false ;;
			esac
		done
	done
	[ $failed -gt 0 ]
	grep -qx 'gsort-emu: the GPU failed while sorting: an illegal memory access was encountered; --device=cpu works without it' said
}
