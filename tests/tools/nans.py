#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sort floats of all types, a third of them NaNs, in each way that gsort has, and compare with their order.

nans.py GSORT: works in the current folder.  Prints each job whose output is wrong, and exits with 1 if there
is one.  The order: -inf .. -0, 0 .. inf, NaN from the least payload on, -NaN from the largest.
"""
import random
import struct
import subprocess
import sys

KINDS = {'f16': ('H', 10), 'bf16': ('H', 7), 'f32': ('I', 23), 'f64': ('Q', 52)}
wrong = 0


class Floats:
    def __init__(self, kind):
        self.kind, (self.code, fraction) = kind, KINDS[kind]
        self.bytes = struct.calcsize(self.code)
        self.sign = 1 << 8 * self.bytes - 1
        self.infinity = infinity = self.sign - (1 << fraction)
        draw = random.Random(kind)
        keys = [key | sign for sign in (0, self.sign) for key in
                (0, 1, infinity - 1, infinity, infinity + 1, infinity | 1 << fraction - 1, self.sign - 1)]
        keys += [draw.getrandbits(8 * self.bytes) for _ in range(2000)] + draw.choices(keys, k=100)
        keys += [draw.randrange(infinity + 1, self.sign) | draw.choice([0, self.sign]) for _ in range(1000)]
        draw.shuffle(keys)
        self.keys = keys
        self.once = list(dict.fromkeys(keys))

    def place(self, key):
        if key < self.sign:
            return key
        return self.sign - 1 - key if key <= self.sign + self.infinity else 4 * self.sign - key

    def ordered(self, keys, reverse=False):
        return sorted(keys, key=self.place, reverse=reverse)

    def pack(self, keys, order='<'):
        return struct.pack('%s%d%s' % (order, len(keys), self.code), *keys)

    def records(self, keys):
        """Each key between its place in self.once and a byte."""
        return b''.join(struct.pack('<I%sB' % self.code, self.once.index(key), key, key % 251) for key in keys)

    def array(self, keys, order='<'):
        head = "{'descr': '%sf%d', 'fortran_order': False, 'shape': (%d,), }" % (order, self.bytes, len(keys))
        return b'\x93NUMPY\1\0\x76\0' + head.ljust(117).encode() + b'\n' + self.pack(keys, order)

    def has_disorder(self, first, second):
        """Does gsort report the second of two keys as out of order?"""
        got = subprocess.run([sys.argv[1], '-c', '-' + self.kind], input=self.pack([first, second]),
                             capture_output=True, check=False)
        return got.returncode == 1 and b':2: disorder: ' in got.stderr


def expect(data, output, *options):
    """Run GSORT with OPTIONS on DATA, and return its output."""
    global wrong
    got = subprocess.run([sys.argv[1], *options], input=data, capture_output=True, check=False)
    if (got.returncode, got.stdout) != (0, output):
        wrong += 1
        print('wrong:', *options, got.stderr.decode())


def merge(floats, reverse):
    """The options for merging two sorted files, which it writes."""
    for name, part in ('one', floats.keys[::2]), ('other', floats.keys[1::2]):
        with open(name, 'wb') as file:
            file.write(floats.pack(floats.ordered(part, reverse)))
    return ['-m', 'one', 'other']


def try_all(floats, reverse):
    type_option, down = '-' + floats.kind, ['-r'] if reverse else []
    plain, ordered = floats.pack(floats.keys), floats.ordered(floats.keys, reverse)
    once = floats.ordered(floats.once, reverse)
    for options in [], ['--verify'], ['--parallel=1'], ['-S1M', '-T.'], merge(floats, reverse):
        expect(plain, floats.pack(ordered), type_option, *down, *options)
    expect(floats.pack(floats.keys, '>'), floats.pack(ordered, '>'), type_option + 'be', *down)
    expect(plain, floats.pack(once), type_option, *down, '-u')
    expect(floats.pack(ordered), b'', type_option, *down, '-c')
    expect(floats.pack(once), b'', type_option, *down, '-cu')
    expect(plain, floats.pack(ordered[-1500:]), type_option, *down, '--tail=1500')
    expect(floats.pack(floats.once), struct.pack('<%dI' % len(once), *map(floats.once.index, once)),
           type_option, *down, '--argsort=u32')
    expect(floats.records(floats.once), floats.records(once), '--record-size=%d' % (5 + floats.bytes),
           '-k%s@4' % floats.kind + ('r' if reverse else ''))
    if floats.kind != 'bf16':
        for order in '<>':
            expect(floats.array(floats.keys, order), floats.array(ordered, order),
                   type_option + ('be' if order == '>' else ''), '--header=128', *down)


for name in KINDS:
    sample = Floats(name)
    for way in False, True:
        try_all(sample, way)
    last = sample.ordered(sample.once)
    for before, after in zip(last[::100], last[1::100]):
        if sample.has_disorder(before, after) or not sample.has_disorder(after, before):
            wrong += 1
            print('wrong: order of 0x%x and 0x%x as %s' % (before, after, name))
sys.exit(wrong > 0)
