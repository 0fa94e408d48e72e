#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sort random records with gsort, and compare its output with Python's sort.

usage: records.py GSORT FIRST LAST    the numbers of the cases, which are their seeds

Record sizes, keys of all types, byte orders, shapes of data, selections, operations, limits of
memory, and numbers of threads are drawn at random.  Prints each case that differs.
"""
import random
import subprocess
import sys
import tempfile

NUMBERS = ['f16', 'u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'u64', 'i64', 'f32', 'f64',
           'u128', 'i128']
SIZES = [1, 2, 3, 7, 8, 9, 12, 16, 17, 24, 33, 100, 200, 1000]
SHAPES = ['random', 'few', 'equal', 'prefix', 'sorted', 'tenth']
MODES = ['', '', '-u', '--count', '--unique=repeated', '--unique=singletons', '--argsort=u64', '--argsort=u32',
         '-m', '-c']
UNIQUE = {'-u': lambda times: True, '--unique=repeated': lambda times: times > 1,
          '--unique=singletons': lambda times: times == 1}
MOST_BYTES = 2_000_000


def size(kind):
    return int(kind[5:]) if kind.startswith('bytes') else int(kind[1:]) // 8


def ordered(kind, data, reverse, order):
    """The bytes of a key as bytes that compare like it."""
    if kind.startswith('bytes'):
        return bytes(255 - b for b in data) if reverse else data
    bits = 8 * len(data)
    value = int.from_bytes(data, order)
    if kind[0] == 'i':
        value ^= 1 << (bits - 1)
    if kind[0] == 'f':
        value ^= (1 << bits) - 1 if value >> (bits - 1) else 1 << (bits - 1)
        value = (value - ((1 << {16: 10, 32: 23, 64: 52}[bits]) - 1)) % (1 << bits)    # -NaNs are last
    if reverse:
        value ^= (1 << bits) - 1
    return value.to_bytes(len(data), 'big')


class Case:
    def __init__(self, seed, ranked=False):
        self.draw = draw = random.Random(seed)
        self.ranked = ranked
        self.bytes = draw.choice(SIZES)
        self.count = draw.choice([0, 1, 2, 9, 100, 1000, draw.randrange(3000),
                                  draw.randrange(60000)])
        self.count = min(self.count, MOST_BYTES // self.bytes)
        self.order = draw.choice(['little', 'big'])
        self.reverse = draw.random() < .3
        self.keys = self.draw_keys()
        self.shape = draw.choice(SHAPES)
        self.letters = draw.choice([256, 256, 2, 4])
        self.records = [self.record() for _ in range(self.count)]
        if self.shape == 'sorted':
            self.records.sort(key=self.key)
        if all(kind.startswith('bytes') for kind, _, _ in self.keys):
            self.order = 'little'       # no key says another one for counts and places
        self.mode = draw.choice([mode for mode in MODES if not ranked or not mode.startswith('--argsort')])
        self.options = self.draw_options()

    def draw_keys(self):
        keys = []
        for _ in range(self.draw.choice([0, 1, 1, 1, 2, 3])):
            kind = self.draw.choice(NUMBERS + [f'bytes{self.draw.randrange(1, self.bytes + 1)}'])
            if size(kind) <= self.bytes:
                keys.append((kind, self.draw.randrange(self.bytes - size(kind) + 1),
                             self.draw.random() < .3))
        return keys

    def record(self):
        size_, draw = self.bytes, self.draw
        if self.shape == 'equal':
            return bytes(size_)
        if self.shape == 'few':
            return bytes([draw.randrange(3)]) * size_
        if self.shape == 'tenth' and draw.random() < .1:
            return b'T' * size_
        data = bytes(draw.choices(range(self.letters), k=size_))
        if self.shape == 'prefix':
            data = b'p' * (size_ * 3 // 4) + data[size_ * 3 // 4:]
        return data

    def key(self, record):
        if not self.keys:
            return ordered('bytes', record, self.reverse, self.order)
        return b''.join(ordered(kind, record[at:at + size(kind)], reverse or self.reverse,
                                self.order) for kind, at, reverse in self.keys)

    def draw_options(self):
        options = [f'--record-size={self.bytes}',
                   f'--parallel={self.draw.choice([1, 2, 3, 5])}']
        for kind, at, reverse in self.keys:
            named = kind if kind.startswith('bytes') else f'{kind}{self.order[0]}e'
            options += ['-k', f'{named}@{at}{"r" if reverse else ""}']
        if self.reverse:
            options.append('-r')
        if self.draw.random() < .4:
            options += ['-S', '16M']
        if self.mode:
            options.append(self.mode)
        self.kept = self.mode in UNIQUE and not self.reverse and self.draw.random() < .5 and not self.ranked
        if self.kept:
            options.append('--keep-order')
        if self.mode == '-c':
            return options
        if self.draw.random() < .3:
            options.append('--verify')
        count = self.draw.choice([0, 1, 5, self.count // 2, self.count, self.count + 5])
        self.first = self.last = None
        if self.draw.random() < .2:
            self.first = count
            options.append(f'--head={count}')
        elif self.draw.random() < .2:
            self.last = count
            options.append(f'--tail={count}')
        return options

    def expected(self):
        """The right output, as a list."""
        places = sorted(range(self.count), key=lambda i: self.key(self.records[i]))
        groups = []
        for place in places:
            if groups and self.key(self.records[groups[-1][0]]) == self.key(self.records[place]):
                groups[-1].append(place)
            else:
                groups.append([place])
        if self.mode.startswith('--argsort'):
            out = [p.to_bytes(int(self.mode[-2:]) // 8, self.order) for p in places]
        elif self.mode in UNIQUE:
            chosen = [g[0] for g in groups if UNIQUE[self.mode](len(g))]
            out = [self.records[p] for p in (sorted(chosen) if self.kept else chosen)]
        elif self.mode == '--count':
            out = [b''.join(self.records[g[0]][at:at + size(kind)] for kind, at, _ in self.keys or
                            [(f'bytes{self.bytes}', 0, False)]) + len(g).to_bytes(8, self.order) for g in groups]
        else:
            out = [self.records[p] for p in places]
        if self.first is not None:
            out = out[:self.first]
        if self.last is not None:
            out = out[max(0, len(out) - self.last):]
        return b''.join(out)

    def inputs(self):
        """The records of each input file."""
        cut = self.draw.randrange(self.count + 1)
        files = [self.records[:cut], self.records[cut:]]
        if self.mode == '-m':
            files = [sorted(f, key=self.key) for f in files]
        return files

    def is_right(self, gsort):
        with tempfile.TemporaryDirectory() as folder:
            names = []
            files = self.inputs()
            self.records = files[0] + files[1]
            for number, records in enumerate(files):
                names.append(f'{folder}/{number}')
                with open(names[-1], 'wb') as file:
                    file.write(b''.join(records))
            pipe = self.mode != '-m' and not self.ranked and self.draw.random() < .5
            written = f'{folder}/out' if self.ranked and self.mode != '-c' else ''
            run = subprocess.run([gsort] + self.options + ([] if pipe else names) + (['-o', written] if written else []),
                                 input=b''.join(self.records) if pipe else b'',
                                 capture_output=True, check=False)
            output = run.stdout
            if written and run.returncode == 0:
                with open(written, 'rb') as file:
                    output = file.read()
        if self.mode == '-c':
            keys = [self.key(r) for r in self.records]
            want = (1 if any(a > b for a, b in zip(keys, keys[1:])) else 0, b'')
        else:
            want = (0, self.expected())
        if (run.returncode, output) == want:
            return True
        print(f'status {run.returncode}, {len(output)} bytes, {len(want[1])} are right, of '
              f'{self.count} records ({self.shape}): {" ".join(self.options)}: '
              f'{run.stderr.decode(errors="replace")}')
        return False


def main():
    wrong = 0
    for seed in range(int(sys.argv[2]), int(sys.argv[3])):
        if not Case(seed).is_right(sys.argv[1]):
            print(f'seed {seed}')
            wrong += 1
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
