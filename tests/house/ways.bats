# SPDX-License-Identifier: BSD-2-Clause
# Fast ways are taken.  One that never is changes no output, and no other test would notice: gsort-ways, in which the
# conditions of src/base/way.h are noted where they hold, tells which ways each of these inputs takes.

load ../helpers

prepare() {
	command -v gsort-ways >/dev/null || skip "gsort-ways is not built"
	needs python3
}

# takes "WAY, WAY..." OPTION...: a job takes these ways, and none that is named with "not "; its plan does not
# depend on this machine
takes() {
	local way ways=$1 wrong=
	shift
	rm -f told && touch told
	GSORT_WAYS=told gsort-ways -S "${limit:-512M}" --parallel=2 -o sorted "$@" || { echo "failed: $*"; return 1; }
	while read -r way; do
		if [ "${way#not }" != "$way" ]; then
			not grep -qx "${way#not }" told || wrong+="$way; "
		else
			grep -qx "$way" told || wrong+="$way; "
		fi
	done <<<"${ways//, /$'\n'}"
	[ -z "$wrong" ] || { echo "$*: wanted $wrong took: $(paste -sd, told)"; return 1; }
}

# keys NAME TYPE COUNT VALUE: a file of COUNT keys, which VALUE gives for each i; random(n) is below n
keys() {
	python3 - "$@" <<-'END'
		import array, random, sys
		draw = random.Random(1)
		random = lambda n: int(draw.random() * n)
		name, code, count, value = sys.argv[1], {"u8": "B", "u32": "I", "u64": "Q"}[sys.argv[2]], *sys.argv[3:]
		value = eval("lambda i: " + value)
		with open(name, "wb") as file:
		    array.array(code, (value(i) for i in range(int(count)))).tofile(file)
	END
}

@test "keys by their values" {
	keys bytes u8 100000 'random(256)'
	takes "counting" -u8 bytes
	keys three u32 50000 '(3, 1 << 20, 1 << 30)[random(3)]'
	takes "tally, not network" -u32 three
	keys fifty u32 100000 '(random(50) * 2654435761) % (1 << 32)'
	takes "known values, not table of values" -u32 fifty
	keys thousands u64 400000 'pow(random(3000) + 1, 7, (1 << 61) - 1)'
	takes "table of values" -u64 thousands
	keys dense u32 100000 '(1 << 31) + random(2000)'
	takes "counts of dense keys, not heavy value" -u32 dense
	keys most u32 100000 '5 if random(10) < 6 else random(4000)'
	takes "heavy value" -u32 most
	gen --keys 1000000 --type u32 >random
	takes "bins of a part, not tally, not counts of dense keys, not heavy value, not table of values" -u32 random
	gen --keys 1500 --type text >short
	takes "network" --lines short
	for _ in {1..40}; do cat three; done >many
	takes "equal keys, not bins of a part" -u32 many
	# buckets follow a sample that threads race for: even keys give even parts whatever it is
	takes "distribution" --argsort=u32 -u32 random
}

@test "keys by their order, and buckets" {
	keys up u32 300000 'i'
	takes "keys in order, not keys in reverse, not network" -u32 up
	keys down u32 300000 '300000 - i'
	takes "keys in reverse, not keys in order, not network" -u32 down
	takes "keys in reverse" -u32 -r up
	keys few u32 2000 'random(1 << 32)'
	takes "few keys, not keys in order" -u32 few
	# a bucket that is most of the keys, as a sample of those before it could not know
	keys part u32 60000 '(7 << 26) + random(1 << 20)'
	gen --keys 1500000 --type u32 >late
	for _ in {1..100}; do cat part; done >>late
	takes "bucket divided together" -u32 late
}

@test "output: strands, pages" {
	local parts
	gen --keys 1000000 --type u64 >u64
	rm -f sorted
	touch told
	GSORT_WAYS=told gsort-ways --parallel=2 -u64 --split=3 -o part%r u64
	grep -qx strands told
	takes "not strands" -u64 u64
	for parts in 2 3; do
		: >told
		GSORT_WAYS=told gsort-ways --parallel=2 --record-size=8 --split=$parts -o part%r u64
		grep -qx "records put in their places" told
	done
	takes "not records put in their places" --record-size=8 u64
	: >told
	GSORT_WAYS=told gsort-ways --parallel=2 -u64 u64 | cat >sorted
	gsort -u64 -o file u64
	cmp file sorted
	grep -qx "pages for a pipe" told || [ "$(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null)" = "always madvise [never]" ]
}

@test "merges: funnels, runs alone, windows that stay" {
	keys up u32 200000 i
	keys above u32 200000 '200000 + i'
	takes "funnel" -u32 -m up up
	takes "one run alone" -u32 -m up above
	gen --keys 1000000 --type u64 >u64
	limit=17M takes "funnel, window stays, not one window alone" -u64 -T . u64
	keys blocks u64 1000000 '(i // 250000) * (1 << 60) + random(1 << 60)'
	limit=17M takes "one window alone, one run alone" -u64 -T . blocks
}

# frames NAME: eight of zstd; members NAME: of gzip, as bgzip has them
frames() {
	for _ in 1 2 3 4 5 6 7 8; do seq 100000 | zstd -q; done >"$1"
}

# blocks NAME BLOCK...: forty frames of zstd, each of these blocks, which are type:bytes: raw, or run, of one byte
blocks() {
	python3 - "$@" <<-'END'
		import struct, sys
		with open(sys.argv[1], "wb") as file:
		    for _ in range(40):
		        file.write(bytes.fromhex("28b52ffd0038"))
		        for place, block in enumerate(sys.argv[2:], 3):
		            kind, size = block.split(":")
		            head = int(size) << 3 | (kind == "run") << 1 | (place == len(sys.argv))
		            file.write(struct.pack("<I", head)[:3] + b"7" * (1 if kind == "run" else int(size)))
	END
}

members() {
	python3 - "$1" <<-'END'
		import struct, sys, zlib
		with open(sys.argv[1], "wb") as file:
		    for first in range(0, 400000, 8000):
		        text = "".join(f"{n}\n" for n in range(first, first + 8000)).encode()
		        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
		        body = packer.compress(text) + packer.flush()
		        file.write(b"\x1f\x8b\x08\x04\0\0\0\0\0\xffBC\2\0"[:10] + struct.pack("<H", 6) + b"BC\2\0" +
		                   struct.pack("<H", len(body) + 25) + body + struct.pack("<II", zlib.crc32(text), len(text)))
	END
}

@test "frames and members of compressed files are decompressed by several threads" {
	needs zstd
	frames in.zst
	takes "frames of zstd" in.zst
	cat in.zst | takes "not frames of zstd" -
	seq 300000 | zstd -q >one.zst
	takes "not frames of zstd" one.zst
	blocks short.zst raw:1 run:100000 raw:9
	takes "frames of zstd" -u8 short.zst
	[ "$(tr -d 7 <sorted | wc -c) $(wc -c <sorted)" = "0 4000400" ]
	blocks empty.zst run:0 raw:100000
	takes "not frames of zstd" -u8 empty.zst
	members in.gz
	takes "members of gzip" in.gz
}

@test "words of lines" {
	seq 100000 | awk '{ print "k" $1 * 7919 % 1000, $1 * 104729 % 99991 }' >pairs
	avx512=$(gsort --version -vv | grep -c avx512 || true)
	takes "words of numbers" -k2,2n pairs
	takes "words one by one" -k2,2n pairs		# short lines
	awk '{ printf "key %s %05d %05d\n", $1, $2, $2 }' pairs >plain
	tr ' ' , <plain >commas
	takes "words of numbers, not words one by one" -k3,3n plain
	takes "words of numbers, not words one by one" -t, -k3,3n commas
	takes "words of numbers, not words one by one" --csv -k4,4nr commas
	awk '{ printf "key %s %.2f\n", $1, 10 + $2 / 100 }' pairs >points
	takes "words of numbers, not words one by one" -k3,3n points
	for sign in '' - +; do
		awk -v sign="$sign" 'NR < 999 { printf "key %s%.2fe%d\n", sign, $2 / 100, $2 % 9 }' pairs >signed
		takes "floats" -k2,2g signed
	done
	takes "words of strings, not words one by one" --lines plain
	takes "not words one by one" -k2,2 -k3,3n plain
	takes "not words one by one" -t, -k2,2 -k3,3 commas
	takes "words of strings, not words one by one" --lines pairs	# short ones, too
	takes "words of strings, not words of numbers" -k1.1,1.9 pairs
	if [ "$avx512" -eq 0 ]; then
		takes "words of pairs, not words of texts" -k1,1 -k2,2n pairs
		takes "not words of strings, not words of texts" -k1,1 -k2,2 pairs
	else
		takes "words of texts" -k1,1 -k2,2n pairs
		takes "words of texts" -k1,1 -k2,2 pairs
		python3 -c 'for i in range(100000): print(f"{i * 2654435761 % (1 << 32):08x}")' >hexadecimal
		takes "bits that differ" --lines hexadecimal
	fi
}

@test "floats of few digits are read as integers, and compared with what gsort prints only if they are longer" {
	local line
	for line in 1 0.5 1.5 0.0001 0.00012 10.01 123456.789012345; do
		echo "$line" >float
		takes "short float" -g float
	done
	for line in 1.50 8.000000000000002 0.00001; do
		echo "$line" >float
		takes "not short float" -g float
	done
}

@test "lines: read by threads, folded, numbered, put in order by text" {
	seq 100000 | awk '{ print "k" $1 * 7919 % 1000, $1 * 104729 % 99991 }' >pairs
	takes "threads read lines, not numbered lines, not fold equal items" -k1,1 pairs
	cat pairs | takes "not threads read lines" --csv -k1,1 -
	takes "fold equal items" --count --lines pairs
	takes "numbered lines" --argsort=u32 --lines pairs
	needs localedef
	[ -e /usr/share/i18n/locales/sv_SE ] || skip "localedef has no sv_SE (package locales)"
	localedef -c -i sv_SE -f UTF-8 "$PWD/sv_SE.UTF-8" >/dev/null 2>&1 || true
	export LOCPATH=$PWD
	seq 10000 | awk '{ print "en-mycket-lång-nyckel-som-inte-får-plats-" $1 % 20, $1 * 7919 % 10007 }' >nycklar
	takes "ties by text" --locale=sv_SE.UTF-8 -k1,1 -k2,2n nycklar
	LC_ALL=sv_SE.UTF-8 sort -k1,1 -k2,2n nycklar | cmp - sorted
}

@test "each way of src is wanted by a row, and gsort itself notes none" {
	cd "$GSORT_SOURCE"
	grep -rhoE 'gs_way\([^,]*"[^,]*,' src --include=*.c | grep -oE '"[^"]*"' | tr -d '"' | sort -u >"$BATS_TEST_TMPDIR/ways"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/ways")" -ge 25 ]
	while read -r way; do
		grep -qE "^[^#]*[\" ]$way[\",]" tests/house/ways.bats || { echo "$way"; false; }
	done <"$BATS_TEST_TMPDIR/ways"
	not grep -aqF "$(sed 1q "$BATS_TEST_TMPDIR/ways")" "$GSORT"
}
