# SPDX-License-Identifier: BSD-2-Clause
#
# A GPU that fails, or is wrong: --device=auto finishes on the CPU with the right answer, and
# says so; --device=gpu ends with exit status 2.  Each call of the emulated CUDA runtime is
# made to fail in turn, with errors that pass and errors that last, and a bit of what each
# copy or kernel leaves behind is flipped.
#
# All positions are tried by make check-slow (GSORT_SLOW), or one in EACH; some of them otherwise.

load ../helpers

prepare() {
	command -v gsort-emu >/dev/null || skip "gsort-emu is not built"
	export GSORT_EMU_MEMORY=$((64 << 20)) GSORT_EMU_MARK=$PWD/mark
	export OMP_NUM_THREADS=2 TMPDIR=$PWD/temp
	mkdir temp
}

# sorts auto|gpu OPTION...: in.now (a pipe, or to several files, if there is such a file) to out;
# its status
sorts() {
	local status=0
	[ ! -e mark ] || rm mark
	echo old >out
	if [ -e is-split ]; then
		gsort-emu --device="$1" "${@:2}" --split=3 -o 'part-%r' in.now 2>err || status=$?
		[ $status != 0 ] || { cat part-0 part-1 part-2 >out && rm part-?; }
	elif [ -e is-pipe ]; then
		cat in.now | gsort-emu --decompress=no-sandbox --device="$1" "${@:2}" >piped 2>err || status=$?
		[ $status != 0 ] || mv piped out
	else
		gsort-emu --device="$1" "${@:2}" -o out in.now 2>err || status=$?
	fi
	return $status
}

# it_is_right STATUS auto|gpu: what came of it is what must come.  In the shell: it asks this a thousand times.
it_is_right() {
	local said file
	mapfile -t said <err
	lost=$((lost + (${#said[@]} > 0)))
	[ ${#said[@]} -le 1 ] || return 1
	for file in temp/* part-*; do
		[ ! -e "$file" ] || return 1
	done
	case $1$2 in
	0auto)
		cmp out expected || return 1
		[ ${#said[@]} = 0 ] || [[ ${said[0]} == 'gsort-emu: warning: '*'; the CPU sorts instead' ]] ;;
	0gpu)
		cmp out expected || return 1
		[ ${#said[@]} = 0 ] ;;
	2gpu)
		[ "$(<out)" = old ] || return 1
		[[ ${said[0]} == 'gsort-emu: '*GPU* || ${said[0]} == 'gsort-emu: '*CUDA* ]] ;;
	*)
		false ;;
	esac
}

# right POSITION FAULT auto|gpu OPTION...
right() {
	local status=0
	sorts "${@:3}" || status=$?
	it_is_right $status "$3" && return
	echo "position $1 of $2: status $status: ${*:3}"
	cat err
	return 1
}

# walk VARIABLE CODE auto|gpu OPTION...: VARIABLE=N[:CODE] for N = 1, 2, ... until it comes to
# nothing.  Without GSORT_SLOW, one in about twice STEP of those behind the opening, or more if
# none of these lost the GPU.
walk() {
	local at=1 tried=0 lost=0 step=${GSORT_SLOW:+${EACH:-1}}
	local STEP=$((2 * STEP + 1))
	[ "$1" = GSORT_EMU_FAIL ] || step=${step:-$(((STEP + 3) / 4))}	# there are fewer
	while true; do
		export "$1=$at${2:+:$2}"
		right "$at" "$1 ${2:-}" "${@:3}" || return 1
		[ -e mark ] || break
		tried=$((tried + 1))
		at=$((at + ${step:-$STEP}))
	done
	unset "$1"
	echo "${2:-a bit} of $1: $tried positions, $lost of them lost the GPU: ${*:3}"
	[ $lost -gt 0 ] || { [ $STEP -gt 1 ] && STEP=$((STEP / 8)) walk "$@"; }
}

# survives OPTION...: whatever fails.  2 and 100 pass, 214, 700 and 719 last.  With auto a pipe gets no GPU.
survives() {
	local code codes="2 700"
	[ -z "${GSORT_SLOW:-}" ] || codes="2 100 214 700 719"
	gsort --device=cpu "${@/-Sgpu:*/-q}" -o expected in.now || return 1
	sorts gpu "$@" && cmp out expected || return 1
	[ ! -s err ] || return 1
	walk GSORT_EMU_FAIL 700 gpu "$@" && walk GSORT_EMU_CORRUPT "" gpu "$@" || return 1
	[ ! -e is-pipe ] || return 0
	for code in $codes; do
		walk GSORT_EMU_FAIL "$code" auto "$@" || return 1
	done
	walk GSORT_EMU_CORRUPT "" auto "$@"
}

@test "one batch of a file" {
	STEP=7
	gen --seed 51 --keys 20000 --type u32 >in.now
	survives -u32
	survives -u32 -r
}

@test "numbers that become lines" {
	STEP=11
	{ gen --seed 58 --keys 200000 --type text; echo 12 apples; } >in.now
	sort -n in.now >expected
	: >is-file	# read again: nothing comes back from the GPU; a pipe is lines from the beginning
	sorts auto -n
	cmp out expected
	walk GSORT_EMU_FAIL 700 auto -n
}

@test "one batch of a pipe" {
	STEP=11
	: >is-pipe
	gen --seed 52 --keys 10000 --type f64 >in.now
	survives -f64
}

@test "enough for a partition, whose kernels are others" {
	STEP=17
	gen --seed 53 --keys 135000 --type u64 >in.now
	survives -u64
}

@test "text of several key classes, and selections from it" {
	local options
	STEP=19
	for range in u32 i32 u64 i64 small; do
		gen --seed 54 --keys 5000 --type text --range $range
	done >in.now
	for options in "" "-r" "-u" "--count" "--count --head=900" "-r --unique=repeated" \
		"--count --tail=20000" "-r --unique=singletons --tail=9000"; do
		survives -Sgpu:3M $options
	done
}

@test "a pipe is sorted by the CPU, by one thread and of a known size, too" {
	local options
	gen --seed 60 --keys 100000 --type u32 >in.now
	gsort --device=cpu -u32 -o expected in.now
	export GSORT_EMU_FAIL=1:700
	for options in --parallel=1 --parallel=2 "--parallel=1 --progress=400K"; do
		cat in.now | gsort-emu --decompress=none -u32 $options -vv -o out 2>err
		cmp out expected
		[ ! -e mark ]
		not grep 'warning\|no GPU' err
	done
	gsort-emu -u32 --parallel=1 -o out in.now		# a file is not
	[ -e mark ]
	cat in.now | gsort-emu -u32 --plan | grep '^device   cpu: the CPU sorts as fast as a pipe delivers$'
}

@test "an input that has changed is not mixed with what was written" {
	local at step last status=0
	gen --seed 61 --keys 400000 --type u32 >in.now
	# A call that copies sorted keys back, when many have been: the last ones close the GPU.
	export GSORT_EMU_FAIL
	for ((at = 0, step = 1600; step >= 100; )); do
		rm -f mark
		GSORT_EMU_FAIL=$((at + step)):700 gsort-emu -u32 -Sgpu:1M in.now >out 2>err
		if [ -e mark ]; then at=$((at + step)); else step=$((step / 2)); fi
	done
	last=$((at - 100))
	[ $last -ge 100 ]
	mkfifo pipe
	{
		head -c 65536 >first	# gsort-emu is writing, and waits for us
		gen --seed 62 --keys 400000 --type u32 >in.now
		cat >rest
	} <pipe &
	GSORT_EMU_FAIL=$last:700 gsort-emu -u32 -Sgpu:1M in.now >pipe 2>err || status=$?
	wait
	cat err
	[ $status = 2 ]
	grep 'the input has changed since it was read for the GPU: the output cannot be completed' err
}

@test "runs kept in memory" {
	STEP=53
	gen --seed 56 --keys 100000 --type u32 >in.now
	survives -u32 -Sgpu:1M
	survives -u32 -Sgpu:1M -u -r
	: >is-pipe
	gen --seed 56 --keys 40000 --type text --range full >in.now
	survives -Sgpu:2M
}

@test "several files at once" {
	STEP=43
	: >is-split
	gen --seed 64 --keys 60000 --type u32 >in.now
	survives -u32 --verify
	survives -u32 -Sgpu:300K
}

@test "runs written to disk" {
	STEP=740 EACH=16
	gen --seed 57 --keys 580000 --type u64 >in.now
	gsort-emu --device=gpu -u64 -Sgpu:2M -S 16M --verbose=json -o out in.now 2>err
	grep '"runs":[1-9].*"spilled_bytes":4640000,' err
	survives -u64 -Sgpu:2M -S 16M
}

# Of several streams, the staging buffer that was fed last may be the next to be filled.  With one core
# its copy has not even begun by then.
@test "a staging buffer is not filled while it is being copied" {
	# Three of four numbers are in one stream, the others in a second.
	paste -d '\n' <(gen --seed 58 --keys 350000 --type text --range u32) \
		<(gen --seed 59 --keys 350000 --type text --range i32) >in.now
	gsort --device=cpu -o expected in.now
	core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	for at in 40 80 120 160 200; do
		export GSORT_EMU_FAIL=$at:700
		taskset -c "$core" gsort-emu --device=auto -Sgpu:8M -S 40M -o out in.now
		cmp out expected
		[ -e mark ]
		rm mark
	done
}
