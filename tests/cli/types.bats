# SPDX-License-Identifier: BSD-2-Clause
# Types beside those of keys.bats: floats of 16 bits; hexadecimal text, addresses, times.

load ../helpers

prepare() {
	needs python3
}

# halves: all 65536 patterns of 16 bits, in an order of their own
halves() {
	python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("<65536H", *((i * 40503) % 65536 for i in range(65536))))'
}

# order KIND [reverse]: all patterns of 16 bits in order: -inf .. -0, 0 .. inf, NaN, those with a sign last
order() {
	python3 -c 'import struct, sys
infinity = {"f16": 0xfc00, "bf16": 0xff80}[sys.argv[1]]
keys = [*range(infinity, 0x7fff, -1), *range(0x8000), *range(0xffff, infinity, -1)]
sys.stdout.buffer.write(struct.pack("<65536H", *(keys[::-1] if sys.argv[2:] else keys)))' "$@"
}

@test "all f16 and bf16 are in order, up and down, and come back unchanged" {
	halves >all
	for type in f16 bf16; do
		gsort -$type all | cmp - <(order $type)
		gsort -r$type all | cmp - <(order $type reverse)
		gsort -$type -u all all | cmp - <(order $type)
		gsort -${type}be all | gsort -${type}be -c
		gsort --type=$type -m <(gsort -$type all) | cmp - <(order $type)
	done
	gsort -ubf16 all all | cmp - <(order bf16)
}

@test "NaN is last, one with a sign behind the others, on every path of every type" {
	python3 "$BATS_TEST_DIRNAME/../tools/nans.py" "$GSORT"
}

@test "f16 and bf16 are printed with the fewest digits that give them back" {
	halves >all
	cat >check.py <<-'END'
	import math, struct, sys
	from fractions import Fraction
	kind = sys.argv[1]
	def value(x):
	    return struct.unpack("<e", struct.pack("<H", x))[0] if kind == "f16" else \
	        struct.unpack("<f", struct.pack("<I", x << 16))[0]
	def nearest(number):
	    """The finite bits nearest to a positive decimal."""
	    low, high = 0, 0x7bff if kind == "f16" else 0x7f7f
	    while high - low > 1:
	        middle = (low + high) // 2
	        low, high = (middle, high) if value(middle) <= number else (low, middle)
	    below, above = number - Fraction(value(low)), Fraction(value(high)) - number
	    return low if below < above or below == above and low % 2 == 0 else high
	infinity = 0xfc00 if kind == "f16" else 0xff80
	keys = [*range(infinity, 0x7fff, -1), *range(0x8000), *range(0xffff, infinity, -1)]
	lines = sys.stdin.read().split()
	assert len(lines) == 65536
	for line, key in list(zip(lines, keys))[::7]:
	    if math.isnan(value(key)) or math.isinf(value(key)) or value(key) == 0:
	        assert line.lstrip("-") in ("nan", "inf", "0") and line.startswith("-") == bool(key >> 15), (line, key)
	        continue
	    magnitude = Fraction(line.lstrip("-"))
	    assert nearest(magnitude) == key & 0x7fff, (line, key)
	    digits = line.lstrip("-").split("e")[0].replace(".", "").lstrip("0").rstrip("0")
	    shorter = "%.*e" % (max(len(digits) - 2, 0), abs(value(key)))
	    assert len(digits) == 1 or nearest(Fraction(shorter)) != key & 0x7fff, (line, key)
	END
	for type in f16 bf16; do
		gsort -$type --to=text all | python3 check.py $type
		gsort -$type --to=text all | grep -v nan | gsort -g --to=$type >back
		gsort -$type --to=f32 all | gsort -f32 --to=$type | gsort -$type -c
		gsort -$type --to=text all | grep -v nan | gsort -g | cmp - <(gsort -$type --to=text back)
	done
	[ "$(printf '0.1\n65504\n1e-7\n' | gsort -g --to=f16 | gsort -f16 --to=text | tr '\n' ' ')" = '1e-07 0.1 65500 ' ]
	[ "$(printf '0.1\n3e38\n' | gsort -g --to=bf16 | gsort -bf16 --to=text | tr '\n' ' ')" = '0.1 3e+38 ' ]
	fails '65520 does not fit in f16; --to=f32 holds it' gsort --to=f16 <<<65520
	fails '2049 does not fit in f16; --to=f32 holds it' gsort --to=f16 <<<2049
	fails '1e+39 does not fit in bf16; --to=f64 holds it' gsort -g --to=bf16 <<<1e39
}

@test "figures of f16 and bf16" {
	printf '%s\n' 1.5 -2 1.5 0.25 >in
	for type in f16 bf16; do
		gsort -g --to=$type in | gsort -$type --summary --top=1 | tr '\n\t' '  ' >figures
		printf %s 'count 4 distinct 3 min -2 q1 -2 median 0.25 q3 1.5 max 1.5 sum 1.25 mean 0.3125        2 1.5 ' | diff - figures
	done
	[ "$(gsort --type=float16 --to=text <(gsort -g --to=f16 in) | tr '\n' ' ')" = '-2 0.25 1.5 1.5 ' ]
}

# agrees OPTION... : gsort sorts the lines of "in" to those of "sorted", in any way
agrees() {
	for more in '' --parallel=1 '-S 1M -T .' --verify; do
		# shellcheck disable=SC2086
		gsort "$@" $more in | cmp - sorted
	done
	gsort "$@" -r in | tac | cmp - sorted
	gsort "$@" -c sorted
	gsort "$@" -m sorted | cmp - sorted
	gsort "$@" --count in | sed 's/^ *[0-9]* //' | cmp - <(uniq sorted)
	not gsort "$@" -C <(tac sorted)
}

@test "hexadecimal text of any form" {
	python3 - <<-'END'
	import random
	draw = random.Random(1)
	numbers = [draw.choice([draw.randrange(-2**63, 2**64), draw.randrange(2**20), draw.randrange(-2**40, 2**40),
	                        2**32 + draw.randrange(9), -2**31 - draw.randrange(9), -2**15 - 1 - draw.randrange(9)])
	           for _ in range(30000)] + [2**64 - 1, -2**63, 0]
	forms = ["{}{:x}", "{}{:X}", "{}0x{:x}", "{}0X{:X}", "{}000{:x}", " {}{:x}\t"]
	with open("in", "w") as file:
	    for number in numbers:
	        file.write(draw.choice(forms).format("-" if number < 0 else draw.choice(["", "+"]), abs(number)) + "\n")
	with open("sorted", "w") as file:
	    for number in sorted(numbers):
	        file.write("%x\n" % number)
	with open("decimal", "w") as file:
	    for number in sorted(numbers):
	        file.write("%d\n" % number)
	END
	agrees --type=hex
	grep -v - sorted | gsort --type=hex --to=u64 | gsort -u64 --to=text | cmp - <(grep -v - decimal)
	gsort -u64 --to=hex <(grep -v - sorted | gsort --type=hex --to=u64) | cmp - <(grep -v - sorted)
	# the shortest lines of each class fill the memory of the parser
	for line in 10000 100000000 -8001 -80000001; do
		yes $line | head -n 300000 >in
		gsort --type=hex in | cmp - in
	done
	[ "$(printf 'a\n14\n' | gsort --type=hex --quantiles=1 --summary | tr '\n\t' '  ')" = \
		'count 2 distinct 2 min a q1 a median a q3 14 max 14 sum 1e  1 14 ' ]
	printf 'ff\n-1ff\n' | gsort --type=hex --summary --to=json | grep -q '"sum": "-100"}}$'
	for line in g 0x '' - 10000000000000000 -8000000000000001 1.5 '1 2'; do
		printf '%s\n' "$line" >in
		fails "in:1: .*\(this is not a hexadecimal integer of 64 bits, such as 1f\|empty line\)" gsort --type=hex in
	done
	fails "options '--type=hex' and '-u32' are incompatible" gsort --type=hex -u32 /dev/null
	fails "options '-g' and '--type=hex' are incompatible" gsort --type=hex -g in
	fails "option '--to=hex' needs integers as text, in the input or with '--to=text'" gsort -f32 --to=hex /dev/null
	fails "unrecognized option '--base=16'; did you mean '--type=hex'?" gsort --base=16 in
	for type in '' -n -g --type=text; do	# would read decimal numbers as hexadecimal ones
		fails "option '--to=hex' needs binary keys: text is read and written in one notation, with '--type=hex'" \
			gsort $type --to=hex decimal
	done
	fails "options '--csv' and '--to=hex' are incompatible: lines are written as they are" gsort --csv --to=hex in
	fails "options '--record-size' and '--to=hex' are incompatible: records are moved" gsort --record-size=8 --to=hex in
}

@test "IPv4 addresses" {
	python3 - <<-'END'
	import ipaddress, random
	draw = random.Random(2)
	addresses = [ipaddress.ip_address(draw.randrange(draw.choice([2**32, 2**17, 300]))) for _ in range(20000)]
	addresses += [ipaddress.ip_address(2**32 - 1), ipaddress.ip_address(0)]
	with open("in", "w") as file:
	    file.write("".join("%s\n" % address for address in addresses))
	with open("sorted", "w") as file:
	    file.write("".join("%s\n" % address for address in sorted(addresses)))
	END
	agrees --type=ipv4
	gsort --type=ip --to=u32 in | gsort -u32 --to=text >numbers
	python3 -c 'import ipaddress, sys
for line in sys.stdin: print(ipaddress.ip_address(int(line)))' <numbers | cmp - sorted
	for line in 1.2.3 1.2.3.4.5 256.0.0.1 1.2.3.04 1..2.3 1.2.3.4/8 x -1.2.3.4 1.2.3.1000; do
		fails "this is not an IPv4 address, such as 192.0.2.1" gsort --type=ipv4 <<<"$line"
	done
	fails "options '--type=ipv4' and '-u32' are incompatible" gsort --type=ipv4 -u32 in
	fails "--type=hex is in another notation than the option before it" gsort --type=ipv4 --type=hex in
	printf '10.0.0.1\nx\n' | gsort --type=ipv4 --invalid=ignore | grep -qx 10.0.0.1
	gsort --intersect --type=ipv4 in sorted | cmp - sorted
}

@test "times of ISO 8601" {
	python3 - <<-'END'
	import datetime, random
	draw = random.Random(3)
	utc, epoch = datetime.timezone.utc, datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
	keys, lines = [], []
	for _ in range(20000):
	    days, second = draw.randrange(-106000, 210000), draw.randrange(86400)
	    nanosecond = draw.choice([0, 0, draw.randrange(10) * 10**8, draw.randrange(10**9)])
	    offset = draw.choice([0, 0, 60, -210, 14 * 60])
	    zone = datetime.timezone(datetime.timedelta(minutes=offset))
	    time = (epoch + datetime.timedelta(days=days, seconds=second)).astimezone(zone)
	    text = time.strftime("%Y-%m-%d") + draw.choice("Tt ") + time.strftime("%H:%M:%S")
	    text += (".%09d" % nanosecond).rstrip("0") if nanosecond else ""
	    text += time.strftime("%z") if offset else draw.choice(["", "Z", "+00:00", "+00"])
	    keys.append((days * 86400 + second) * 10**9 + nanosecond)
	    lines.append(text)
	lines += ["2000-02-29", "1970-01-01", "1969-12-31T23:59"]
	keys += [951782400 * 10**9, 0, -60 * 10**9]
	with open("in", "w") as file:
	    file.write("".join(line + "\n" for line in lines))
	with open("sorted", "w") as file:
	    for key in sorted(keys):
	        seconds, nanoseconds = divmod(key, 10**9)
	        time = epoch + datetime.timedelta(seconds=seconds)
	        fraction = (".%09d" % nanoseconds).rstrip("0") if nanoseconds else ""
	        file.write(time.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z\n")
	END
	agrees --type=time
	[ "$(gsort --type=date --to=i64 <<<1970-01-02 | gsort -i64 --to=text)" = 86400000000000 ]
	for line in 2026-02-29 1900-02-29 2026-13-01 2026-00-01 2026-01-32 2026-1-1 26-01-01 20260101 2026-01-01T 2026-01-01T24:00 \
	            2026-01-01T10:60 2026-01-01T10:00:60 2026-01-01T10:00:00. 2026-01-01T10:00:00.1234567891 \
	            2026-01-01T10:00+24:00 2026-01-01T10:00+01:60 2026-01-01T10:00X 2026-01-01x 0001-01-01 9999-12-31; do
		fails "this is not a time from 1677-09-21 to 2554-07-21" gsort --type=time <<<"$line"
	done
	for line in 1677-09-21T00:12:43.145224192Z 2554-07-21T23:34:33.709551615Z; do
		[ "$(gsort --type=time <<<"$line")" = "$line" ]
	done
	for line in 1677-09-21T00:12:43.145224191Z 2554-07-21T23:34:33.709551616Z; do
		fails "this is not a time from 1677-09-21" gsort --type=time <<<"$line"
	done
	fails 'such as 2026-11-22T09:30:00Z: "1700000000"; numbers, such as seconds since 1970, need no --type$' \
		gsort --type=time <<<1700000000
	printf '2026-11-22\n2026-11-24\n' | gsort --type=time --histogram=3 | sed 1q |
		grep -qx '2026-11-22T00:00:00Z	2026-11-22T23:59:59.999999999Z	1'
}
