# SPDX-License-Identifier: BSD-2-Clause
"""Sort a file of numbers in place through a memory map, and print their median.

    python3 median.py 1000001
"""
import sys
import tempfile

import gsort
import numpy as np

count = int(sys.argv[1])
with tempfile.NamedTemporaryFile(suffix=".npy") as file:
	np.save(file, np.random.default_rng(1).permutation(count).astype(np.uint32))
	file.flush()
	keys = np.load(file.name, mmap_mode="r+")
	gsort.sort(keys, out=keys)	# in the file: nothing is copied
	print(f"{count} keys, median {keys[count // 2]}, sorted: {gsort.is_sorted(keys)}")
