# SPDX-License-Identifier: BSD-2-Clause
# Keys of 128 bits, -u128 and -i128: in the order of Python's integers, whatever is done with them.

load ../helpers

prepare() {
	needs python3
	cat >keys.py <<-'END'
	"""keys.py COUNT ORDER: keys of 128 bits, the extremes among them, some of them equal"""
	import random, sys
	count, order, draw = int(sys.argv[1]), sys.argv[2], random.Random(128)
	keys = [0, 1, 2**64 - 1, 2**64, 2**127 - 1, 2**127, 2**127 + 1, 2**128 - 2**64, 2**128 - 1]
	while len(keys) < count:
	    keys.append(draw.choice([draw.getrandbits(128), draw.randrange(count) << 60, draw.getrandbits(64),
	                             2**128 - 1 - draw.randrange(count), draw.choice(keys)]))
	draw.shuffle(keys)
	sys.stdout.buffer.write(b"".join(key.to_bytes(16, order) for key in keys[:count]))
	END
	cat >order.py <<-'END'
	"""order.py <ROWS: what gsort writes, of each row WHAT|OPTIONS, to NUMBER.TYPE.ORDER"""
	import sys
	from collections import Counter
	def order_of(keys, kind, order, what):
	    signed = kind == "i128"
	    times = Counter(keys)
	    if "argsort" in what:
	        return [at.to_bytes(8, order) for at in sorted(range(len(keys)), key=keys.__getitem__)]
	    if "unique" in what or "count" in what:
	        keys = times
	    if "repeated" in what:
	        keys = [key for key in times if times[key] > 1]
	    if "singletons" in what:
	        keys = [key for key in times if times[key] == 1]
	    keys = sorted(keys, reverse="reverse" in what)
	    keys = keys[:100] if "head" in what else keys[-100:] if "tail" in what else keys
	    count = "count" in what
	    return [key.to_bytes(16, order, signed=signed) + (times[key].to_bytes(8, order) if count else b"")
	            for key in keys]
	rows = [line.split("|")[0].split() for line in sys.stdin]
	for order in ("little", "big"):
	    data = open("in." + order, "rb").read()
	    for kind in ("u128", "i128"):
	        keys = [int.from_bytes(data[at:at + 16], order, signed=kind == "i128")
	                for at in range(0, len(data), 16)]
	        for number, what in enumerate(rows, 1):
	            with open(f"{number}.{kind}.{order}", "wb") as file:
	                file.write(b"".join(order_of(keys, kind, order, what)))
	END
}

# disordered PATTERN COMMAND...: it ends with 1 and one line
disordered() {
	local pattern=$1 status=0
	shift
	"$@" 2>disorder || status=$?
	cat disorder
	[ $status = 1 ]
	[ "$(wc -l <disorder)" = 1 ]
	grep -q "^gsort: $pattern" disorder
}

@test "they are in the order of Python's integers, in both byte orders, selected in any way" {
	local number=0 expected options
	for order in little big; do
		python3 keys.py 5000 $order >in.$order
	done
	cat >rows <<-'END'
		|
		reverse|-r
		unique|-u
		unique reverse|-ur
		head|--head=100
		head reverse|-r --head=100
		tail|--tail=100
		unique tail|-u --tail=100
		count|--count
		count reverse|--count -r
		repeated|--unique=repeated
		singletons|--unique=singletons
		argsort|--argsort=u64
		|--verify
	END
	python3 order.py <rows
	while IFS='|' read -r _ options; do
		number=$((number + 1))
		for order in little big; do
			for type in u128 i128; do
				expected=$number.$type.$order
				# shellcheck disable=SC2086
				gsort --type=$type${order:0:1}e $options in.$order | cmp - "$expected"
				# shellcheck disable=SC2086
				gsort -$type${order:0:1}e $options <in.$order >out
				cmp out "$expected"
			done
		done
	done <rows
	[ $number = 14 ]
}

@test "they are keys of records, too" {
	python3 keys.py 3000 little >in.little
	python3 keys.py 3000 big >in.big
	for type in u128 i128; do
		gsort -$type in.little | cmp - <(gsort --record-size=16 -k $type@0 in.little)
		gsort -r${type}be in.big |
			cmp - <(gsort --record-size=16 -k ${type}be@0r in.big)
	done
	fails 'key u128@1 is not inside a record of 16 bytes: its offset is at most 0' \
		gsort --record-size=16 -k u128@1 in.little
}

@test "-c, -C, --check=summary and -m" {
	python3 keys.py 3000 little >in
	for type in u128 i128; do
		gsort -$type in >sorted
		gsort -$type -c sorted
		gsort -$type -c -r <(gsort -$type -r in)
		gsort -$type -cu <(gsort -$type -u in)
		disordered 'sorted:[0-9]*: disorder: -*[0-9]* (byte [0-9]*)$' gsort -$type -cu sorted
		disordered 'in:[0-9]*: disorder: -*[0-9]* (byte [0-9]*)$' gsort -$type -c in
		run gsort -$type -C in
		[ "$status" = 1 ]
		[ -z "$output" ]
		python3 keys.py 1000 little | gsort -$type >other
		gsort -$type -m sorted other | cmp - <(gsort -$type in other)
		gsort -$type -m -u sorted other | cmp - <(gsort -$type -u in other)
		fails 'in:[0-9]*: disorder: .* (byte [0-9]*): merging needs sorted inputs' \
			gsort -$type -m sorted in
	done
	run gsort -u128 --check=summary in
	[ "$status" = 1 ]
	[[ $output == records$'\t'3000* ]]
	# -1 is the largest or the least.
	{ head -c 16 /dev/zero; head -c 16 /dev/zero | tr '\0' '\377'; } >two
	gsort -u128 -c two
	disordered 'two:2: disorder: -1 (byte 16)$' gsort -i128 -c two
	disordered '-:2: disorder: 340282366920938463463374607431768211454 (byte 16)$' \
		gsort -u128be -c < <(printf '%16s%15s\376' '' '' | tr ' ' '\377')
}

@test "--to=text prints what Python does" {
	cat >text.py <<-'END'
	import sys
	from collections import Counter
	kind, order, what = sys.argv[1], sys.argv[2], sys.argv[3:]
	data = sys.stdin.buffer.read()
	keys = [int.from_bytes(data[at:at + 16], order, signed=kind[0] == "i") for at in range(0, len(data), 16)]
	for key, times in sorted(Counter(keys).items(), reverse="reverse" in what):
	    if "count" in what:
	        print("%7d %d" % (times, key))
	    elif "unique" in what:
	        print(key)
	    else:
	        print("\n".join([str(key)] * times))
	END
	sed 's/str(key)/"%x" % key/' text.py >hex.py
	powers=$(python3 -c 'print(*(d + s * 10**k for k in range(39) for d in (-1, 0, 1) for s in (-1, 1)))')
	for order in little big; do
		{
			python3 keys.py 20000 $order
			python3 -c 'import sys
for key in sys.argv[2:]:
    sys.stdout.buffer.write((int(key) % 2**128).to_bytes(16, sys.argv[1]))' $order $powers
		} >in
		for type in u128 i128; do
			gsort -$type${order:0:1}e --to=text in | cmp - <(python3 text.py $type $order <in)
			gsort -$type${order:0:1}e --to=hex in |
				cmp - <(python3 hex.py $type $order <in)
			gsort -$type${order:0:1}e --to=text -r in |
				cmp - <(python3 text.py $type $order reverse <in)
			gsort -$type${order:0:1}e --to=text --count in |
				cmp - <(python3 text.py $type $order count <in)
			python3 text.py $type $order unique <in >expected
			gsort -$type${order:0:1}e --to=text -u in | cmp - expected
			gsort -$type${order:0:1}e --to=text -uz in | tr '\0' '\n' | cmp - expected
			gsort -$type${order:0:1}e in >sorted
			gsort -$type${order:0:1}e --to=text -mu sorted | cmp - expected
			gsort -$type${order:0:1}e --to=text -u --split=3 -o part%r in
			cat part0 part1 part2 | cmp - expected
			gsort -$type${order:0:1}e --to=text -u --tail=9 in | cmp - <(tail -n 9 expected)
		done
	done
}

@test "files: -o in place, --split, --header, compressed ones, a limit of memory" {
	python3 keys.py 60000 little >in
	gsort -i128 in >sorted
	cp in file; gsort -i128 -o file file; cmp file sorted
	cp in file; gsort -i128 --in-place -o file file; cmp file sorted
	gsort -i128 --split=3 -o part%r in
	cat part0 part1 part2 | cmp - sorted
	{ printf HEADER; cat in; } >headed
	gsort -i128 --header=6 headed | cmp - <(printf HEADER; cat sorted)
	gzip -k in
	gsort -i128 in.gz | cmp - sorted
	cat in.gz | gsort -i128 | cmp - sorted
	mkdir tmp
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		cat in
	done >many
	for options in '' --parallel=1; do
		gsort -i128 -S 16M -T tmp $options --verify --verbose=json many 2>stats >out
		grep -E '"runs":[1-9]' stats
		gsort -i128 -C out
		gsort -i128 -u out | cmp - <(gsort -i128 -u in)
		[ "$(stat -c %s out)" = "$(stat -c %s many)" ]
	done
	[ -z "$(ls tmp)" ]
	gsort -i128 </dev/null >out
	[ ! -s out ]
}

@test "what needs keys of at most 64 bits is refused, and says why" {
	for option in --quantiles=0.5 --summary --histogram --to=json; do
		fails "'-u128' and '${option%=0.5}' are incompatible: figures are of at most 64 bits" \
			gsort -u128 $option
	done
	fails "a GPU sorts keys of at most 64 bits" gsort -i128 --device=gpu
	fails "options '-u128' and '--to=u64' are incompatible: keys of 128 bits are converted to text only" \
		gsort -u128 --to=u64
	fails "'--to=u128': keys of 128 bits are converted to text only" gsort --to=u128
	fails "'--header' of binary input needs a number of bytes" gsort -u128 --header
	fails "options '-k' and '-u128' are incompatible" gsort -u128 -k 1
	fails "'-u64' and '-u128' are incompatible" gsort -u64 -u128
	head -c 4096 "$GSORT_SOURCE/README.md" >text
	fails 'text: text, not a file of binary keys' gsort -u128 text
}

@test "a file that ends within a key is refused, and the output stays" {
	head -c 35 /dev/zero >in
	echo old >out
	short='35 bytes is not a multiple of 16 (3 trailing bytes): not a file of'
	fails "in: $short u128" gsort -u128 -o out in
	[ "$(cat out)" = old ]
	fails "$short i128" bash -c 'cat in | gsort -i128'
	fails "$short u128" gsort -u128 -c in
	fails "$short u128" gsort -u128 -m in
	fails "$short u128" gsort -u128 --argsort=u32 in
}

@test "their types have the names of C, too, and --plan speaks of them" {
	python3 keys.py 100 big >in
	for name in __int128 int128 i128 INT128 hugeint; do
		gsort --type=$name in | cmp - <(gsort -i128 in)
	done
	for name in 'unsigned __int128' uint128 __uint128_t uint128_t; do
		gsort --type="$name" in | cmp - <(gsort -u128 in)
	done
	gsort -u128 --plan in | grep -E '^type +u128, smallest first$'
	gsort -u128 --plan in | grep -E '^input .*: 100 keys$'
	gsort -u128 --plan=json in | grep -F '"type":"u128"'
	gsort -u128 --verbose=json in 2>&1 >out | grep -F '"type":"u128"'
}
