# SPDX-License-Identifier: BSD-2-Clause
"""Sort a tensor in the memory of a GPU, then pairs of keys and indices.

    python3 device_sort.py 100000000
"""
import sys

import gsort.cuda
import torch

count = int(sys.argv[1])
keys = torch.randn(count, device="cuda")
before, order = keys.clone(), torch.arange(count, device="cuda", dtype=torch.int32)
gsort.cuda.sort_pairs(keys, order)	# an argsort, on torch's current stream
print(f"{count} keys, sorted: {bool((keys[1:] >= keys[:-1]).all())}, "
      f"in order of their indices: {torch.equal(before[order.long()], keys)}")
again = gsort.cuda.sort(before)
print(f"the same keys: {torch.equal(again, keys)}")
