# SPDX-License-Identifier: BSD-2-Clause
# For canonical integers gsort OPTIONS is LC_ALL=C sort -n OPTIONS, byte for byte, exit
# status and messages included, whatever the options.  Cases are drawn from a seed, so
# that a failure can be repeated:  PROPERTY_SEED=7 PROPERTY_CASES=1000

load ../helpers

prepare() {
	RANDOM=${PROPERTY_SEED:-1}
	cases=${PROPERTY_CASES:-60}
	mkdir temp1 temp2
}

# pick WORD...: one of them, into $picked.  (A subshell would repeat its random numbers.)
pick() {
	shift $((RANDOM % $#))
	picked=$1
}

# numbers FILE KEYS: canonical integers of a random kind, in a random order
numbers() {
	local range dist
	pick u32 i32 u64 i64 small full; range=$picked
	pick uniform sorted reversed equal few saw organ extremes zipf; dist=$picked
	gen --seed $RANDOM --keys "$2" --type text --range "$range" --dist "$dist" >"$1"
}

# Into $options: some of those that only say how, not what.
draw_resources() {
	pick "" "" "-S 1M" "-S 16M" "-S 20%" "--buffer-size=50K"; options+=" $picked"
	pick "" "" "-T temp1" "-T temp1 -T temp2"; options+=" $picked"
	pick "" "" "--parallel=1" "--parallel=3"; options+=" $picked"
	pick "" "" "--batch-size=2" "--batch-size=5"; options+=" $picked"
}

# Into $zero: -z or nothing; then the inputs end their lines in NUL.
draw_zero() {
	local file
	pick "" "" "" -z; zero=$picked
	[ -n "$zero" ] || return 0
	for file in in*; do tr '\n' '\0' <"$file" >zeros && mv zeros "$file"; done
}

# same STDIN OPTIONS...: both programs say and do the same; the output is on standard
# output, or in the file "out"
same() {
	local theirs=0 ours=0 stdin=$1
	shift
	rm -f out
	sort -n "$@" <$stdin >expected 2>expected-err || theirs=$?
	[ ! -e out ] || mv out expected
	gsort -n "$@" <$stdin >got 2>got-err || ours=$?
	[ ! -e out ] || mv out got
	# (sort ends a NUL-terminated line it shows with that NUL.)
	tr '\0' '\n' <expected-err | sed 's/^sort: //' >expected-told
	sed 's/^gsort: //' got-err >got-told
	if [ $theirs -ne $ours ] || ! cmp expected got || ! diff expected-told got-told; then
		echo "sort $theirs, gsort $ours: $*"
		return 1
	fi
}

@test "sorting" {
	for ((i = 0; i < cases; i++)); do
		rm -f in*
		numbers in1 $((RANDOM % 3000)); numbers in2 $((RANDOM % 300))
		draw_zero
		options=$zero
		pick "" -r; options+=" $picked"
		pick "" -u; options+=" $picked"
		pick "" "-o out"; options+=" $picked"
		draw_resources
		pick "in1" "in1 in2" "in2 in1 in2" "- in2"; files=$picked
		same in1 $options $files
	done
}

@test "sorting more than fits in memory" {
	gen --seed 3 --keys 900000 --type text --range i32 >in1
	gen --seed 4 --keys 500000 --type text --range full >in2
	for options in "-S 16M -T temp1" "-u -S 17M -T temp1 -T temp2 --batch-size=2 -o out" \
	               "-r -S 20M --parallel=1"; do
		same in1 $options in1 in2
	done
}

@test "checking" {
	for ((i = 0; i < cases; i++)); do
		rm -f in*
		numbers in1 $((RANDOM % 2000 + 1))
		pick "" -r; options=$picked
		pick "" -u; options+=" $picked"
		pick yes yes no; [ $picked = no ] || { sort -n $options in1 >in2; mv in2 in1; }
		pick "" "" swap
		[ -z "$picked" ] || { sed '2,3{h;d};4G' in1 >in2; mv in2 in1; }
		draw_zero
		draw_resources
		pick -c -C --check --check=quiet --check=silent --check=diagnose-first
		options+=" $picked $zero"
		pick in1 -; same in1 $options $picked
	done
}

@test "merging" {
	for ((i = 0; i < cases; i++)); do
		rm -f in*
		pick "" -r; reverse=$picked
		files=$((RANDOM % 9 + 1))
		for ((f = 1; f <= files; f++)); do
			numbers in$f $((RANDOM % 900))
			sort -n $reverse -o in$f in$f
		done
		draw_zero
		options="-m $reverse $zero"
		pick "" -u; options+=" $picked"
		pick "" "-o out"; options+=" $picked"
		draw_resources
		same in1 $options in*
	done
}

@test "names from a file" {
	for ((i = 0; i < cases / 4; i++)); do
		rm -f in*
		files=$((RANDOM % 5 + 1))
		for ((f = 1; f <= files; f++)); do numbers in$f $((RANDOM % 500)); done
		draw_zero
		printf '%s\0' in* >names
		options=$zero
		pick "" -r; options+=" $picked"
		pick "" -u; options+=" $picked"
		draw_resources
		pick "--files0-from=names" "--files0-from=-"
		same names $options $picked
	done
}

@test "an output that is an input" {
	for ((i = 0; i < cases / 4; i++)); do
		rm -f in*
		numbers in1 $((RANDOM % 2000)); numbers in2 $((RANDOM % 300))
		cp in1 in3
		draw_zero
		pick "" -u; options="$zero $picked"
		sort -n $options -o in1 in1 in2
		gsort -n $options -o in3 in3 in2
		cmp in1 in3
	done
}

@test "what both refuse" {
	echo 1 >in1
	for options in "--batch-size=1 in1" "--parallel=0 in1" "-c in1 in1" "-c -o out in1" \
	               "-o out -o out2 in1" "in1 missing" "-S 1x in1" \
	               "--files0-from=missing" "--files0-from=/dev/null" "-cC in1"; do
		theirs=0; ours=0
		sort -n $options >/dev/null 2>&1 || theirs=$?
		gsort -n $options >/dev/null 2>got-err || ours=$?
		[ $theirs -eq 2 ] && [ $ours -eq 2 ] && [ -s got-err ] ||
			{ echo "sort $theirs, gsort $ours: $options"; false; }
		[ ! -e out ]
	done
}
