# SPDX-License-Identifier: BSD-2-Clause
# Files of NumPy: --type=npy, or by their magic.

load ../helpers

setup_npy() {
	cat >npy.py <<-'END'
	import ast, random, struct, sys

	def save(name, descr, items, more=0):
	    text = repr({'descr': descr, 'fortran_order': False, 'shape': (len(items),)})
	    text += ' ' * (-(10 + len(text) + 1) % 64 + more) + '\n'
	    with open(name, 'wb') as file:
	        file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(text)) + text.encode())
	        file.write(b''.join(items))

	def load(name):
	    data = open(name, 'rb').read()
	    assert data[:8] == b'\x93NUMPY\x01\x00', data[:8]
	    end = 10 + struct.unpack('<H', data[8:10])[0]
	    assert end % 64 == 0 and data[end - 1:end] == b'\n'
	    head = ast.literal_eval(data[10:end].decode())
	    size = len(data) - end
	    assert head['fortran_order'] is False
	    if head['shape'] == (0,):
	        assert size == 0
	        return head['descr'], []
	    each = size // head['shape'][0]
	    assert size == each * head['shape'][0]
	    return head['descr'], [data[a:a + each] for a in range(end, len(data), each)]
	END
}

@test "arrays of all types and byte orders come out sorted, behind a right header" {
	setup_npy
	cat >test.py <<-'END'
	import os, subprocess
	from npy import *
	gsort = sys.argv[1]
	letters = {'u1': 'B', 'i1': 'b', 'u2': 'H', 'i2': 'h', 'u4': 'I', 'i4': 'i', 'u8': 'Q',
	           'i8': 'q', 'f4': 'f', 'f8': 'd'}
	draw = random.Random(5)

	def run(pipe, *options):
	    with open('out', 'wb') as out:
	        subprocess.run([gsort, *options] + ([] if pipe else ['in.npy', 'in.npy']), check=True,
	                       stdin=open('in.npy', 'rb') if pipe != 2 else
	                       subprocess.Popen(['cat', 'in.npy'], stdout=subprocess.PIPE).stdout,
	                       stdout=out)
	    return load('out')

	for descr, letter in letters.items():
	    for order in '<>':
	        pack = struct.Struct(order + letter)
	        values = [draw.randrange(0 if descr[0] == 'u' else -100, 100) for _ in range(2000)]
	        items = [pack.pack(v) for v in values]
	        kind = ('|' if descr[1] == '1' else order) + descr
	        save('in.npy', kind, items)
	        up = [i for _, i in sorted(zip(values, items))]
	        assert run(1) == (kind, up), descr
	        assert run(2, '--type=npy') == (kind, up), descr
	        assert run(1, '-r') == (kind, up[::-1]), descr
	        assert run(1, '-u') == (kind, sorted(set(items), key=up.index)), descr
	        assert run(2, '--type=npy', '--head=7') == (kind, up[:7]), descr
	        assert run(1, '--tail=7') == (kind, up[-7:]), descr
	        assert run(0, '-u') == run(1, '-u'), descr
	        assert len(run(0)[1]) == 4000
	        places = sorted(range(2000), key=values.__getitem__)
	        assert run(1, '--argsort=u32')[1] == \
	               [struct.pack('=I', p) for p in places], descr
	save('in.npy', '<i4', [])
	assert run(1) == ('<i4', []) and run(1, '-u') == ('<i4', [])
	END
	PYTHONPATH=. python3 test.py "$GSORT_BUILD/gsort"
}

@test "structures are sorted by fields that are named" {
	setup_npy
	cat >make.py <<-'END'
	from npy import *
	draw = random.Random(6)
	rows = [(draw.randrange(-9, 9), b'n%d' % draw.randrange(30), draw.randrange(99) / 8)
	        for _ in range(3000)]
	descr = [('id', '<i4'), ('name', '|S5'), ('price', '>f8'), ('pad', '|V3'), ('m', '<f4', (2,))]
	pack = lambda r: struct.pack('<i5s', r[0], r[1]) + struct.pack('>d', r[2]) + b'xyz' + bytes(8)
	save('in.npy', descr, [pack(r) for r in rows])
	save('by-id.npy', descr, [pack(r) for r in sorted(rows, key=lambda r: (r[0], -r[2]))])
	save('by-name.npy', descr, [pack(r) for r in sorted(rows, key=lambda r: r[1])])
	END
	PYTHONPATH=. python3 make.py
	tail -c +257 by-id.npy >want
	gsort --type=npy -k id -k price:r in.npy >out
	PYTHONPATH=. python3 -c 'from npy import *; assert load("out") == load("by-id.npy")'
	gsort --type=npy -k name <in.npy >out
	PYTHONPATH=. python3 -c 'from npy import *; assert load("out") == load("by-name.npy")'
	gsort --type=npy -k name -c by-name.npy
	not gsort --type=npy -k name -C by-id.npy
	gsort --type=npy -m -k name by-name.npy by-name.npy >out
	PYTHONPATH=. python3 -c 'from npy import *; assert len(load("out")[1]) == 6000'
	fails "a .npy file of structures: name a field with --type=npy and -k: id, name, price$" \
		gsort in.npy
	fails "no field 'm' that can be sorted; there are: id, name, price" gsort --type=npy -k m in.npy
}

@test "names of fields: Latin-1 in version 1, UTF-8 in version 3" {
	setup_npy
	cat >make.py <<-'END'
	from npy import *

	def name(file, version, text):
	    head = repr({'descr': [(text, '<i4'), ('x', '<i4')], 'fortran_order': False, 'shape': (3,)})
	    head = head.encode('utf-8' if version == 3 else 'latin-1') + b'\n'
	    length = struct.pack('<H' if version == 1 else '<I', len(head))
	    with open(file, 'wb') as out:
	        out.write(b'\x93NUMPY' + bytes([version, 0]) + length + head)
	        out.write(struct.pack('<6i', 3, 0, 1, 1, 2, 2))

	def read(file, version, text):
	    data = open(file, 'rb').read()
	    assert data[:8] == b'\x93NUMPY' + bytes([version, 0]), data[:8]
	    before = 10 if version == 1 else 12
	    end = before + int.from_bytes(data[8:before], 'little')
	    head = ast.literal_eval(data[before:end].decode('utf-8' if version == 3 else 'latin-1'))
	    assert end % 64 == 0 and head['descr'][0][0] == text, head
	    assert struct.unpack('<6i', data[end:]) == (1, 1, 2, 2, 3, 0)

	name('latin', 1, '\u00e9'), name('wide', 2, '\u00e9'), name('utf8', 3, '\u043a\u043b')
	name('utf8-2', 3, '\u00e9')
	name('latin-2', 1, '\u00c3\u00a9')		# the same bytes as a name in UTF-8
	END
	PYTHONPATH=. python3 make.py
	gsort --type=npy -k $'\u00e9' latin -o latin.out
	gsort --type=npy -k $'\xe9' wide | cat >wide.out
	gsort --type=npy -k $'\u043a\u043b' -u utf8 -o utf8.out
	gsort --type=npy -k $'\u043a\u043b' --argsort=u32 utf8 >places
	PYTHONPATH=. python3 - <<-'END'
	exec(open('make.py').read())
	read('latin.out', 1, '\u00e9'), read('wide.out', 1, '\u00e9'), read('utf8.out', 3, '\u043a\u043b')
	assert load('places')[1] == [bytes([n, 0, 0, 0]) for n in (1, 2, 0)]
	END
	fails $'no field \'z\' that can be sorted; there are: \u00e9, x' gsort --type=npy -k z latin
	fails 'latin-2: items of another type than in utf8-2' gsort --type=npy -k x utf8-2 latin-2
	gsort --type=npy -k x latin wide | wc -c | grep -qx $((128 + 48))
}

@test "figures of several files, and of a pipe; what does not go with records" {
	setup_npy
	cat >make.py <<-'END'
	from npy import *
	save("a.npy", "<u4", [struct.pack("<I", n) for n in range(5)])
	save("b.npy", "<u4", [struct.pack("<I", n) for n in range(3, 9)])
	save("c.npy", "<u4", [struct.pack("<I", n) for n in range(5)], 64)
	save("d.npy", [("x", "<u4")], [struct.pack("<I", n) for n in range(5)])
	END
	PYTHONPATH=. python3 make.py
	gsort --summary a.npy b.npy | cmp - <({ seq 0 4; seq 3 8; } | gsort --summary)
	cat a.npy | gsort --type=npy --quantiles=0.5 | grep -qw '2$'
	fails 'the headers of the .npy files name 5 items, and there are 4: one is cut off' \
		bash -c 'head -c -4 a.npy | gsort --type=npy --summary'
	fails "a.npy: '--summary' does not go with .npy files here: figures are of files whose headers are of one length" \
		gsort --summary a.npy c.npy
	fails "d.npy: '--summary' does not go with .npy files here: figures are of numbers alone" \
		gsort --summary --type=npy -k x d.npy
	fails "d.npy: '--top' does not go with .npy files here: figures are of numbers alone" \
		gsort --top=2 --type=npy -k x d.npy
	gsort --top=1 a.npy b.npy | grep -qx '      2 3'
	fails "d.npy: '--to=json' does not go with .npy files here: figures are of numbers alone" \
		gsort --to=json --tail=3 --type=npy -k x d.npy
	gsort --compress-program=zstd a.npy b.npy | cmp - <(gsort a.npy b.npy)
	fails "a.npy: '--record-size' does not go with a .npy file, whose header tells what its items are" \
		gsort --record-size=4 a.npy
	gsort --record-size=4 --force a.npy | wc -c | grep -qx 148
}

@test "what is no such file, or not whole, is an error" {
	setup_npy
	PYTHONPATH=. python3 -c 'from npy import *; save("in.npy", "<i4", [b"1234"] * 100)'
	head -c -4 in.npy >short
	fails 'short: the header of the .npy file names 100 items, and there are 99' gsort short
	fails 'the headers of the .npy files name 100 items, and there are 99: one is cut off, or changed while it was read$' \
		bash -c 'cat short | gsort --type=npy'
	head -c 50 in.npy >cut
	fails 'cut: the header of the .npy file is cut off' gsort cut
	echo 1 >text
	fails 'text: the header of the .npy file is cut off' gsort --type=npy text
	seq 100 >text
	fails 'text: not a .npy file' gsort --type=npy text
	sed 's/(100,)/(50,2)/' in.npy >flat
	fails 'flat: a .npy file with 2 dimensions; gsort sorts arrays of one; a.ravel() has one' gsort flat
	sed 's/<i4/<x4/' in.npy >odd
	fails 'odd: the items of this .npy file are of a type that gsort does not know, or its header is damaged; numpy.load() reads it, and tofile() writes items alone' gsort odd
	sed 's/<i4/|V4/' in.npy >void
	fails 'void: the items of this .npy file are not numbers$' gsort void
	sed 's/<i4/<m8/; s/(100,)/(50,) /' in.npy >times
	fails "the items of this .npy file are not numbers; save times as a.view('i8')$" gsort times
	sed 's/<i4/<f4/' in.npy >other
	fails 'other: items of another type than in in.npy' gsort in.npy other
	fails 'in.npy: the items of this .npy file are not of type f64: leave it out, the header names the type' gsort -f64 in.npy
	fails "in.npy: '--to' does not go with a .npy file, but with its keys alone: tail -c +129 in.npy | gsort --type=" \
		gsort --to=text in.npy
	cp in.npy "it's a file"
	fails "with its keys alone: tail -c +129 'it'\\\\''s a file' | gsort --type=i32$" gsort --to=text "it's a file"
	fails "in.npy: '--zero-terminated' does not go with a .npy file, whose header tells what its items are" \
		gsort -z in.npy
	fails "in.npy: the items of this .npy file are in the other byte order: leave the suffix 'be' out, the header names the order" \
		gsort -i32be in.npy
	gsort -i32le in.npy | cmp - <(gsort in.npy)		# as the header says
	sed 's/<i4/>i4/' in.npy >swapped.npy
	for options in '' -u --argsort=u32; do
		gsort -i32be $options swapped.npy | cmp - <(gsort $options swapped.npy)
	done
	# With raw its header is keys, too, also from a pipe.
	gsort --type=raw -u8 in.npy >raw
	[ "$(wc -c <raw)" = "$(wc -c <in.npy)" ]
	od -An -v -tu1 -w1 in.npy | tr -d ' ' | gsort --to=u8 | cmp - raw
	gsort -u8 --type=raw <in.npy | cmp - raw
	gsort --type=raw --record-size=1 in.npy | cmp - raw
	seq 100 >text
	fails 'text: text, not a file of binary keys' gsort -u8 text
	[ "$(gsort --type=raw -u8 text | wc -c)" = 292 ]
	printf '\x93NUMPY\x09\0%0100d' 0 >new
	fails 'new: version 9 of .npy files is not known' gsort new
	printf '\x93NUMPY\x02\0\0\0\0\1%0100d' 0 >long
	fails 'long: a .npy header of 16777228 bytes is too long' gsort long
	PYTHONPATH=. python3 -c 'from npy import *; save("other", "<i4", [b"1234"] * 100, 64)'
	gsort -c other
	fails 'other: a .npy file with a header of another length; check it by itself' \
		gsort -c in.npy other
	mkfifo fifo
	# Nobody writes to it, and nobody waits.
	fails 'fifo: not a regular file; a .npy file in a pipe is read from standard input' \
		gsort --type=npy fifo
}
