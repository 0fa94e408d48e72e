#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""numeric.py - compare "gsort -n" and "-g" with LC_ALL=C sort, for lines that are numbers up to some point

    numeric.py GSORT SEED JOBS [LINES]

Draws JOBS jobs: numbers as gsort prints them, and among them a few lines that are none; options; files or a
pipe.  With LINES a job has so many, more than are read at once, and not much memory.  The first job whose
output or status differs is shown, and its files are kept.
"""
import os
import random
import subprocess
import sys

# nan is left out, because sort 9.1 distinguishes equal NaNs with -u.
ODD = ['', 'abc', '007', '+5', '-0', '0', '12 apples', ' 7', '7 ', '1.5', '1e3', '1E3', '-', '--1', '0x10', 'inf',
       '-inf', '99999999999999999999999', '-9999999999999999999', '18446744073709551616', '-9223372036854775809',
       '5\r', '1,000', '.5', '5.', '-.5', '00', '-00', '01', '1.50', '0.00001', '1e-05', '1e+20', '\t3',
       'x' * 300, '9' * 5000, '0' * 4090 + '1', '-' + '0' * 15 + '1', '0' * 16 + '1']


def whole(draw):
    low, high = draw.choice([(-20, 20), (-10**6, 10**6), (0, 2**32), (0, 2**64 - 1), (-2**63, 0),
                             (-10**16, 10**16), (-10**17, 10**17)])
    return str(draw.randint(low, high))


def decimal(draw):
    value = draw.choice([draw.random(), draw.random() * 1000, round(draw.random(), 2),
                         draw.random() * 10.0 ** draw.randrange(-8, 25), float(draw.randrange(100))])
    return repr(-value if draw.random() < .3 else value).removesuffix('.0')


def job(draw, gsort, lines):
    letter = draw.choice('nng')
    number = whole if letter == 'n' else decimal
    count = lines or draw.choice([0, 1, 2, 5, 20, 200])
    rows = [number(draw) for _ in range(count)]
    for _ in range(draw.choice([0, 0, 1, 2, 5])):
        rows.insert(draw.choice([len(rows), draw.randint(0, len(rows))]), draw.choice(ODD))
    options = ['-' + letter] + [o for o, p in (('-r', .3), ('-u', .3), ('-s', .3), ('-b', .1), ('-z', .15))
                                if draw.random() < p]
    end = '\0' if '-z' in options else '\n'
    cuts = sorted(draw.randint(0, len(rows)) for _ in range(draw.choice([0, 0, 1, 2])))
    names = []
    for i, (low, high) in enumerate(zip([0] + cuts, cuts + [len(rows)])):
        text = ''.join(row + end for row in rows[low:high])
        if text and draw.random() < .3:
            text = text[:-1]
        names.append(f'numbers.{i}')
        with open(names[-1], 'w', newline='') as file:
            file.write(text)
    own = [f'--parallel={draw.randint(1, 4)}'] + (['-S16M'] if lines and draw.random() < .5 else [])
    given = {'stdin': subprocess.DEVNULL}, names
    if draw.random() < .3:
        given = {'input': b''.join(open(name, 'rb').read() for name in names)}, []
    wanted, got = (subprocess.run(program + options + more + given[1], capture_output=True, **given[0])
                   for program, more in ((['sort'], []), ([gsort], own)))
    if (wanted.stdout, wanted.returncode) == (got.stdout, got.returncode) and not got.stderr:
        return True
    print(f'gsort {" ".join(options + own + given[1])}: status {got.returncode}, {got.stderr!r}, of {names}')
    return False


def main():
    gsort, seed, jobs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.environ['LC_ALL'] = 'C'
    for i in range(jobs):
        if not job(random.Random(seed * 10**6 + i), gsort, int(sys.argv[4]) if len(sys.argv) > 4 else 0):
            return f'job {i} of seed {seed} differs'
    return 0


if __name__ == '__main__':
    sys.exit(main())
