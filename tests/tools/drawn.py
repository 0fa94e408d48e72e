#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run jobs drawn at random, and compare what gsort writes with a model in Python.

usage: drawn.py PROGRAM KIND FIRST LAST    the numbers of the jobs, which are their seeds

KIND is keys (all types, binary and text), csv, or ranks: keys, records, lines and CSV
by PROGRAM = gsort-ranks.  Records, lines, sets and figures alone have models of their own: records.py,
keydefs.py, sets.py, figures.py.  Prints each job that differs, with its seed.
"""
import bz2
import csv
import gzip
import io
import ipaddress
import json
import lzma
import os
import random
import struct
import subprocess
import sys
import tempfile

import keydefs
import records

BINARY = ['u8', 'i8', 'u16', 'i16', 'f16', 'bf16', 'u32', 'i32', 'f32', 'u64', 'i64', 'f64', 'u128', 'i128']
TEXT = ['text', 'text', 'float', 'hex', 'ipv4']
PACK = [lambda d: d, lambda d: d, lambda d: d, gzip.compress, bz2.compress, lzma.compress]


def bits_of(kind):
    return int(kind.lstrip('uifb'))


def ordered(kind, pattern):
    """A bit pattern as a whole number that compares like the key: NaNs are last, those with a sign behind others."""
    top = 1 << bits_of(kind) - 1
    if kind[0] == 'i':
        return pattern ^ top
    if kind[0] not in 'fb' or pattern < top:
        return pattern
    infinity = {'f16': 0xfc00, 'bf16': 0xff80, 'f32': 0xff800000, 'f64': 0xfff0000000000000}[kind]
    return top - 1 - pattern if pattern <= infinity else 4 * top - pattern


class Outcome:
    """The right status and output of a run."""

    def __init__(self, status, output):
        self.status, self.output = status, output


class Job:
    """Options and inputs that all kinds share."""

    ends = b'\n'

    def __init__(self, seed, ranks=0):
        self.draw = random.Random(seed)
        self.ranks = ranks
        self.options = []

    def one(self, *choices):
        return self.draw.choice(choices)

    def chance(self, share):
        return self.draw.random() < share

    def count(self):
        return self.one(0, 1, 2, 3, 10, self.draw.randrange(100), self.draw.randrange(2000), self.draw.randrange(20000))

    def cut(self, items):
        """Split the items into one to four inputs."""
        cuts = sorted(self.draw.randrange(len(items) + 1) for _ in range(self.one(0, 0, 0, 1, 2, 3)))
        return [items[a:b] for a, b in zip([0] + cuts, cuts + [len(items)])]

    def resources(self):
        self.options += self.one([], [], ['-S', '1M'], ['-S', '16M'], ['-S', '20M', '--batch-size=2'])
        self.options += self.one([], [f'--parallel={self.one(1, 2, 3, 5)}'])
        self.options += ['--verify'] if self.chance(.2) and self.mode not in ('-c', '-C') else []

    def limits(self, size):
        """Draws --head or --tail, and returns the slice of the output that they leave."""
        k = self.one(0, 1, 5, size // 2, size, size + 3)
        limit = self.one('', '', '', 'head', 'tail')
        if self.mode in ('-c', '-C') or not limit:
            return slice(None)
        self.options.append(f'--{limit}={k}')
        return slice(0, k) if limit == 'head' else slice(-k if k else size + 1, None)

    def run(self, program, folder, files):
        names = []
        for number, data in enumerate(files):
            names.append(f'{folder}/in{number}')
            with open(names[-1], 'wb') as file:
                file.write(data)
        out = f'{folder}/out'
        words, stdin = self.options + [], None
        way = 'file' if self.ranks else self.one('pipe', 'pipe', 'file', 'onto')
        if self.mode in ('-c', '-C'):
            way = 'pipe'
        if way == 'onto':
            out = names[0]
        if way != 'pipe':
            words += ['-o', out]
        if len(names) == 1 and way != 'onto' and not self.ranks and self.chance(.4):
            stdin, names = files[0], []
        elif self.chance(.1):
            with open(f'{folder}/names', 'wb') as file:
                file.write(b''.join(n.encode() + b'\0' for n in names))
            words, names = words + [f'--files0-from={folder}/names'], []
        self.words = words + names
        done = subprocess.run([program] + self.words, input=stdin or b'', capture_output=True, check=False,
                              env=dict(os.environ, LC_ALL='C', GSORT_RANKS=str(self.ranks or 1)))
        self.said = done.stderr.decode(errors='replace')
        if way == 'pipe' or done.returncode == 2:
            return Outcome(done.returncode, done.stdout)
        with open(out, 'rb') as file:
            return Outcome(done.returncode, file.read())

    def is_right(self, program):
        with tempfile.TemporaryDirectory() as folder:
            want = self.expected()
            got = self.run(program, folder, self.files)
        if got.status == want.status and (want.status == 2 or self.same(got.output, want.output)):
            return True
        print(f'status {got.status}, {want.status} is right; {len(got.output)} bytes, {len(want.output)} are right: '
              f'{" ".join(self.words)}: {self.said}')
        return False

    def same(self, got, want):
        return got == want

    def groups(self, items, key):
        """Lists of neighbours that are equal."""
        out = []
        for item in items:
            if out and key(out[-1][0]) == key(item):
                out[-1].append(item)
            else:
                out.append([item])
        return out


class Keys(Job):
    def __init__(self, seed, ranks=0):
        super().__init__(seed, ranks)
        self.kind = self.one(*BINARY, *TEXT)
        self.mode = self.one('', '', '', '-u', '--count', '--unique=repeated', '--unique=singletons', '-m', '-c', '-C', *['--argsort'] * (not ranks))
        self.is_text = self.kind in TEXT
        self.is_wide = self.kind.endswith('128')
        self.reverse = self.chance(.3)
        self.order = self.one('little', 'big') if not self.is_text else 'little'
        self.zero = self.is_text and self.chance(.1)
        self.values = [self.value() for _ in range(self.one(1, 3, 30, 5000, 5000))]
        self.keys = [self.draw.choice(self.values) for _ in range(self.count())]
        shape = self.one('', '', '', 'sorted', 'nearly')
        if shape or self.mode == '-c' and self.chance(.5):
            self.keys.sort(key=self.rank, reverse=self.reverse)
        if shape == 'nearly' and self.keys:
            self.keys[self.draw.randrange(len(self.keys))] = self.value()
        self.parts = self.cut(self.keys) if self.mode not in ('-c', '-C') else [self.keys]
        if self.mode == '-m':
            self.parts = [sorted(p, key=self.rank, reverse=self.reverse) for p in self.parts]
        self.head = self.lead()
        self.say_options()
        pack = self.one(*PACK) if not ranks else PACK[0]
        self.files = [pack(lead + b''.join(map(self.write, part)))
                      for lead, part in zip([self.head] + [self.lead_like() for _ in self.parts], self.parts)]

    # ---- keys: whole numbers for binary types, ordered by rank(); lines are written from them ----

    def value(self):
        if self.kind == 'text':
            return self.one(self.draw.randrange(-10, 10), self.draw.randrange(-2**63, 2**63),
                            self.draw.randrange(2**64), self.draw.randrange(10**self.draw.randrange(1, 18)))
        if self.kind == 'hex':
            return self.draw.randrange(2**self.one(4, 16, 32, 64))
        if self.kind == 'ipv4':
            return self.draw.randrange(2**self.one(8, 32))
        if self.kind == 'float':
            return self.one(0.0, -0.0, float('inf'), float('-inf'), float(self.draw.randrange(-9, 9)),
                            struct.unpack('d', struct.pack('Q', self.draw.randrange(0x7ff << 52)))[0],
                            -struct.unpack('d', struct.pack('Q', self.draw.randrange(0x7ff << 52)))[0],
                            self.draw.gauss(0, 100), round(self.draw.random(), 2))
        bits = bits_of(self.kind)
        return self.one(self.draw.randrange(1 << bits), self.draw.randrange(1 << bits), self.draw.randrange(4), 0,
                        1 << bits - 1, (1 << bits) - 1, self.draw.randrange(1 << bits // 2))

    def rank(self, key):
        if self.kind == 'float':
            return ordered('f64', struct.unpack('Q', struct.pack('d', key))[0])
        return key if self.is_text else ordered(self.kind, key)

    def equal(self, key):
        """-0 and 0 are one number of -g."""
        return 0.0 if self.kind == 'float' and key == 0 else self.rank(key)

    def canonical(self, key):
        if self.kind == 'hex':
            return f'{key:x}'
        if self.kind == 'ipv4':
            return str(ipaddress.IPv4Address(key))
        return repr(key) if self.kind == 'float' else str(key)

    def write(self, key):
        if not self.is_text:
            return key.to_bytes(bits_of(self.kind) // 8, self.order)
        line = self.canonical(key)
        if self.kind == 'text' and self.chance(.05):
            line = self.one(' ' + line, line + ' ', '\t' + line, line + '\r', '+' + line if key >= 0 else line,
                            ('-' if key < 0 else '') + '00' + str(abs(key)))
        if self.kind == 'hex' and self.chance(.2):
            line = self.one(line.upper(), '0x' + line, '0' + line)
        return line.encode() + (b'\0' if self.zero else b'\n')

    def lead(self):
        """The header or skipped bytes of the first input, and the option for it."""
        if self.mode == '--argsort' or self.chance(.85):
            self.leads = 0
            return b''
        self.leads = self.one(1, 2, 5)
        if self.is_text:
            self.options.append(f'--header={self.leads}')
            return b''.join(b'id %d' % i + (b'\0' if self.zero else b'\n') for i in range(self.leads))
        self.options.append(f'--header={self.leads}')
        return bytes(range(self.leads))

    def lead_like(self):
        return self.head

    # ---- options and the model ----

    def say_options(self):
        words = {'text': ['--type=int'], 'float': ['--type=float'], 'hex': ['--type=hex'], 'ipv4': ['--type=ipv4']}
        self.options += words.get(self.kind, [f'--type={self.kind}{self.order[0]}e'])
        self.options += ['-r'] * self.reverse + ['-z'] * self.zero
        self.to_text = not self.is_text and not self.leads and self.mode not in ('-c', '-C', '--argsort') and self.kind[0] in 'ui' and \
            self.chance(.2)
        self.options += ['--to=text'] if self.to_text else []
        if self.mode == '--argsort':
            self.width = self.one(4, 8)
            self.options.append(f'--argsort=u{self.width * 8}')
        elif self.mode:
            self.options.append(self.mode)
        self.resources()

    def show(self, key, count=None):
        end = b'\0' if self.zero else b'\n'
        if self.is_text:
            prefix = b'' if count is None else b'%7d ' % count
            return prefix + self.canonical(key).encode() + end
        if self.to_text:
            bits = bits_of(self.kind)
            value = key - (1 << bits) if self.kind[0] == 'i' and key >> bits - 1 else key
            return (b'' if count is None else b'%7d ' % count) + b'%d\n' % value
        return key.to_bytes(bits_of(self.kind) // 8, self.order) + \
            (b'' if count is None else count.to_bytes(8, self.order))

    def expected(self):
        keys = [k for part in self.parts for k in part]
        if self.mode in ('-c', '-C'):
            ranks = [self.rank(k) for k in keys]
            pairs = list(zip(ranks, ranks[1:]))
            bad = any(a < b for a, b in pairs) if self.reverse else any(a > b for a, b in pairs)
            return Outcome(int(bad), b'')
        sign = -1 if self.reverse else 1
        places = sorted(range(len(keys)), key=lambda i: sign * self.rank(keys[i]))
        if self.mode == '--argsort':
            out = [p.to_bytes(self.width, self.order) for p in places]
        else:
            groups = self.groups([keys[p] for p in places], self.equal)
            out = {'-u': lambda: [self.show(self.kept(g)) for g in groups],
                   '--count': lambda: [self.show(self.kept(g), len(g)) for g in groups],
                   '--unique=repeated': lambda: [self.show(self.kept(g)) for g in groups if len(g) > 1],
                   '--unique=singletons': lambda: [self.show(self.kept(g)) for g in groups if len(g) == 1]}.get(
                       self.mode, lambda: [self.show(k) for g in groups for k in g])()
        return Outcome(0, self.head + b''.join(out[self.limits(len(out))]))

    def kept(self, group):
        """The manual: -u writes 0 for 0 and -0."""
        return group[0] or 0 if self.kind == 'float' else group[0]

    def same(self, got, want):
        if self.kind != 'float' or self.mode == '--argsort':
            return got == want
        return self.parsed(got) == self.parsed(want)

    def parsed(self, output):
        """Lines with floats: their doubles, which may be printed in more than one way."""
        end = b'\0' if self.zero else b'\n'
        return [word if word.startswith(b'id') else
                [*line.split()[:-1], struct.pack('d', float(line.split()[-1]))]
                for line in output.split(end)[:-1] for word in [line]]


def raw_fields(row):
    """The fields of a row, unchanged; a quote counts only at the beginning of a field."""
    fields, at = [], 0
    while True:
        begin = at
        if row[at:at + 1] == '"':
            at += 1
            while row[at] != '"' or row[at + 1:at + 2] == '"':
                at += 2 if row[at] == '"' else 1
        end = row.find(',', at)
        if end < 0:
            return fields + [row[begin:]]
        fields.append(row[begin:end])
        at = end + 1


class Csv(Job):
    """Rows as spreadsheets write them, by the fields that Python's csv reads, with encoding utf-8-sig: a column with
    n or g holds numbers or nothing, or is refused."""

    mark = b'\xef\xbb\xbf'
    one_of_equals = '-u', '--count', '--top', '--unique=repeated', '--unique=singletons', '-u --keep-order'

    def __init__(self, seed, ranks=0):
        super().__init__(seed, ranks)
        self.mode = self.one('', '', '', '', '-u', '--count', '--unique=repeated', '--unique=singletons', '-m', '-c',
                             *['--argsort', '--top', '--top', '-u --keep-order'] * (not ranks))
        self.columns = self.draw.randrange(1, 5)
        self.types = [self.one('word', 'word', 'int', 'float') for _ in range(self.columns)]
        self.words = [''.join(self.one(*'ab,"\n1 -.xyz\r') for _ in range(self.draw.randrange(6))) for _ in range(20)]
        self.header = self.chance(.5) and self.mode != '--argsort'
        self.names = [f'{self.one("id", "name", "ü", "a b", "c,d", "p;q")}{i}' for i in range(self.columns)]
        self.ends = self.one(['\n'], ['\r\n'], ['\n', '\r\n'])
        self.rows = [self.row() for _ in range(min(self.count(), 3000))]
        self.draw_keys()
        self.parts = self.cut(self.rows) if self.mode != '-c' else [self.rows]
        if self.mode == '-m' or self.mode == '-c' and self.chance(.5):
            self.parts = [sorted(p, key=self.key) for p in self.parts]
        self.options += ['--csv'] + ['--header'] * self.header
        self.most, self.json = self.one(0, 1, 5, 10000), self.chance(.5)
        self.options += {'--argsort': ['--argsort=u32'], '--top': [f'--top={self.most}'] + ['--to=json'] * self.json}.get(
            self.mode, self.mode.split())
        self.resources()
        self.files = [self.file(part) for part in self.parts]
        self.check_model()

    def file(self, part):
        """Each input has a header; an input without rows may be empty."""
        mark = self.mark * self.chance(.3)
        head = ','.join(map(self.quoted, self.names)) + self.one(*self.ends) if self.header else ''
        return mark * self.chance(.5) if not part and self.chance(.5) else mark + (head + ''.join(map(''.join, part))).encode()

    def check_model(self):
        """Python reads the fields that were drawn."""
        for part, data in zip(self.parts, self.files):
            read = list(csv.reader(io.StringIO(data.decode('utf-8-sig'), newline='')))
            assert read[self.header:] == [self.fields(row) if row[0] else [] for row in part]
            assert not read or not self.header or read[0] == self.names

    def field(self, kind):
        if self.chance(.1):
            return ''
        if kind == 'int':
            return str(self.one(self.draw.randrange(-5, 5), self.draw.randrange(10**9), -self.draw.randrange(10**12)))
        if kind == 'float':
            return self.one(f'{self.draw.gauss(0, 10):.2f}', f'{self.draw.randrange(-9, 9)}e{self.draw.randrange(-5, 5)}')
        return self.draw.choice(self.words)

    def quoted(self, text):
        must = ',' in text or '\n' in text or '\r' in text or text.startswith('"')
        return '"' + text.replace('"', '""') + '"' if must or self.chance(.2) else text

    def row(self):
        """The text of a row, which may lack fields, and its end."""
        types = self.types[:self.draw.randrange(1, self.columns + 1)] if self.chance(.05) else self.types
        return ','.join(self.quoted(self.field(kind)) for kind in types), self.one(*self.ends)

    def fields(self, row):
        return next(csv.reader(io.StringIO(row[0], newline='')), [''])

    def draw_keys(self):
        """Keys as (begin, character, end, character, letters); numbers where a letter says so."""
        self.reverse = self.chance(.2) and self.mode != '-u --keep-order'
        self.stable = self.chance(.3)
        self.keys = []
        numbers = False
        for _ in range(self.one(1, 1, 2, 3)):
            column = end = self.draw.randrange(self.columns)
            letters = {'int': self.one('n', 'n', 'g', ''), 'float': self.one('g', 'g', ''), 'word': ''}[
                self.types[column]] + self.one('', '', 'r')
            name, first, last = self.names[column], 1, 0
            if self.header and self.chance(.6):
                self.options += ['-k', f'{name}:{letters}' if letters else name]
            else:
                if self.chance(.3) and self.mode not in ('-m', '-c', '--count', '--top'):
                    end, first, last = self.draw.randrange(self.columns), self.one(1, 1, 2, 3), self.one(0, 1, 2, 9, 70)
                position = f'{column + 1}.{first}' if first > 1 else str(column + 1)
                self.options += ['-k', f'{position},{end + 1}' + f'.{last}' * (last > 0) + letters]
            self.keys.append((column, first, end, last, letters))
            numbers |= 'n' in letters or 'g' in letters
        self.options += ['-r'] * self.reverse + ['-s'] * self.stable
        if numbers and self.rows and self.chance(.1) and self.mode not in ('-m', '-c'):
            self.spoil()

    def spoil(self):
        """Put something that is not a number into the column of a number."""
        column, letters = self.draw.choice([(k[0], k[-1]) for k in self.keys if 'n' in k[-1] or 'g' in k[-1]])
        at = self.draw.randrange(len(self.rows))
        fields = (self.fields(self.rows[at]) + [''] * self.columns)[:self.columns]
        fields[column] = self.one('N/A', '1,000', '$1', '12 apples', '-', 'x"', *(['1e3'] if 'n' in letters else []))
        self.rows[at] = ','.join(map(self.quoted, fields)), self.rows[at][1]

    def text(self, fields, key):
        """The part of the row that is KEY: its characters may go beyond the field, except for a number."""
        column, first, end, last, letters = key
        at = [sum(len(f) + 1 for f in fields[:i]) for i in range(len(fields))] + [len(','.join(fields))] * 5
        begin = at[column] + first - 1
        limit = at[end] + last if last else at[end] + len(fields[end]) if end < len(fields) else at[-1]
        if letters.strip('r') and column < len(fields):
            limit = min(limit, at[column] + len(fields[column])) if end <= column else at[column] + len(fields[column])
        return ','.join(fields)[begin:max(begin, limit)]

    def key(self, row):
        """Bytes and numbers that compare like the row; without the last resort under -s and -u."""
        fields = self.fields(row)
        out = []
        for key in self.keys:
            letters, text = key[-1], self.text(fields, key)
            word = keydefs.read_number(text, letters[0]) if letters.strip('r') else text.encode()
            self.bad = self.bad or word is None
            backwards = 'r' in letters or not letters and self.reverse
            word = () if word is None else word
            out.append(Backwards(word) if backwards else word)
        if not self.equal_rows():
            out.append(Backwards(row[0].encode()) if self.reverse else row[0].encode())
        return out

    bad = False

    def equal_rows(self):
        return self.stable or self.mode in self.one_of_equals

    def lead(self):
        """The start of the output: the mark and header of the first input that has a line, if headers are lines."""
        head = b''
        for data in self.files if self.header else self.files[:1]:
            marked = data.startswith(self.mark)
            head = head or self.mark * marked
            if self.header and len(data) > 3 * marked:
                line = next(io.StringIO(data.decode('utf-8-sig'), newline='')).encode()
                return head + (self.counted('count', line.decode().rstrip('\r\n')) if self.mode in ('--count', '--top') else line)
        return head

    def expected(self):
        rows = [r for part in self.parts for r in part]
        keys = [self.key(r) for r in rows]
        if self.bad:
            return Outcome(2, b'')
        if self.mode == '-c':
            return Outcome(int(any(b < a for a, b in zip(keys, keys[1:]))), b'')
        places = sorted(range(len(rows)), key=lambda i: keys[i])
        if self.mode == '--argsort':
            out = [p.to_bytes(4, 'little') for p in places]
            return Outcome(0, b''.join(out[self.limits(len(out))]))
        groups = self.groups(places, lambda i: keys[i])
        if self.mode == '--top':
            groups = sorted(groups, key=lambda g: -len(g))[:self.most]
            if self.json:
                top = ', '.join(f'{{"value": {self.as_json(rows[g[0]])}, "count": {len(g)}}}' for g in groups)
                return Outcome(0, f'{{"keys": {len(rows)}, "top": [{top}]}}\n'.encode())
        kept = {'-u': lambda: [g[0] for g in groups],
                '-u --keep-order': lambda: sorted(g[0] for g in groups),
                '--unique=repeated': lambda: [g[0] for g in groups if len(g) > 1],
                '--unique=singletons': lambda: [g[0] for g in groups if len(g) == 1]}.get(self.mode, lambda: places)()
        out = [''.join(rows[i]).encode() for i in kept]
        if self.mode in ('--count', '--top'):
            out = [self.counted(len(g), rows[g[0]][0]) for g in groups]
        return Outcome(0, self.lead() + b''.join(out if self.mode == '--top' else out[self.limits(len(out))]))

    def counted(self, count, row):
        """A count and the fields of the keys, unchanged."""
        fields = raw_fields(row) + [''] * self.columns
        return ','.join([str(count)] + [fields[key[0]] for key in self.keys]).encode() + b'\n'

    def as_json(self, row):
        fields = self.fields(row) + [''] * self.columns
        words = [json.dumps(fields[key[0]]).replace('\\n', '\\u000a').replace('\\r', '\\u000d') for key in self.keys]
        return words[0] if len(words) == 1 else '[' + ', '.join(words) + ']'


class Backwards:
    """Compares the other way round."""

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return other.value < self.value

    def __eq__(self, other):
        return self.value == other.value


class Ranks:
    """Keys, records, lines or CSV by several ranks: the model is the same as for one."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.ranks = draw.randrange(1, 8)
        self.seed = seed
        self.kind = draw.choice(['keys', 'keys', 'records', 'lines', 'csv'])
        self.draw = draw

    def is_right(self, program):
        os.environ['GSORT_RANKS'] = keydefs.ENV['GSORT_RANKS'] = str(self.ranks)
        if self.kind in ('keys', 'csv'):
            return KINDS[self.kind](self.seed, self.ranks).is_right(program)
        if self.kind == 'records':
            return records.Case(self.seed, ranked=True).is_right(program)
        return keydefs.compare_ranks(self.draw, program)


KINDS = {'keys': Keys, 'csv': Csv, 'ranks': Ranks}


def main():
    program, kind, first, last = sys.argv[1:]
    wrong = 0
    for seed in range(int(first), int(last)):
        if not KINDS[kind](seed).is_right(program):
            print(f'seed {seed}', flush=True)
            wrong += 1
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
