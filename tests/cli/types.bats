# SPDX-License-Identifier: BSD-2-Clause
# Types beside those of keys.bats: floats of 16 bits.

load ../helpers

prepare() {
	needs python3
}

# halves: all 65536 patterns of 16 bits, in an order of their own
halves() {
	python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("<65536H", *((i * 40503) % 65536 for i in range(65536))))'
}

@test "all f16 and bf16 are in totalOrder, up and down, and come back unchanged" {
	halves >all
	cat >order.py <<-'END'
	import struct, sys
	keys = sorted(range(65536), key=lambda x: x ^ 0xffff if x >> 15 else x | 0x8000)
	sys.stdout.buffer.write(struct.pack("<65536H", *(keys[::-1] if sys.argv[1:] else keys)))
	END
	for type in f16 bf16; do
		gsort -$type all | cmp - <(python3 order.py)
		gsort -r$type all | cmp - <(python3 order.py reverse)
		gsort -$type -u all all | cmp - <(python3 order.py)
		gsort -$type --endian=big all | gsort -$type --endian=big -c
		gsort --type=$type -m <(gsort -$type all) | cmp - <(python3 order.py)
	done
	gsort -ubf16 all all | cmp - <(python3 order.py)
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
	keys = sorted((x for x in range(65536)), key=lambda x: x ^ 0xffff if x >> 15 else x | 0x8000)
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
	fails '65520 does not fit in f16; --to=f64 holds it' gsort --to=f16 <<<65520
	fails '2049 does not fit in f16; --to=f64 holds it' gsort --to=f16 <<<2049
	fails '1e+39 does not fit in bf16; --to=f64 holds it' gsort -g --to=bf16 <<<1e39
}

@test "figures of f16 and bf16" {
	printf '%s\n' 1.5 -2 1.5 0.25 >in
	for type in f16 bf16; do
		gsort -g --to=$type in | gsort -$type --summary --top=1 | tr '\n\t' '  ' >figures
		printf %s 'count 4 distinct 3 min -2 q1 -2 median 0.25 q3 1.5 max 1.5 sum 1.25        2 1.5 ' | diff - figures
	done
	[ "$(gsort --type=float16 --to=text <(gsort -g --to=f16 in) | tr '\n' ' ')" = '-2 0.25 1.5 1.5 ' ]
}
