# SPDX-License-Identifier: BSD-2-Clause
# Device code: gsort's kernels, and the systems of the reports.

kernel_headers = \
  kernels/block/bitonic.cuh \
  kernels/block/leaf_sort.cuh \
  kernels/block/leaf_long.cuh \
  kernels/block/leaf_windows.cuh \
  kernels/block/partition.cuh \
  kernels/block/scan.cuh \
  kernels/block/splitters.cuh \
  kernels/device/chunks.cuh \
  kernels/device/codes.cuh \
  kernels/device/each.cuh \
  kernels/device/histogram.cuh \
  kernels/device/leaf_launch.cuh \
  kernels/device/leaf_worklist.cuh \
  kernels/device/order.cuh \
  kernels/device/pieces.cuh \
  kernels/device/sample.cuh \
  kernels/device/scratch.cuh \
  kernels/device/segment.cuh \
  kernels/device/segment_look.cuh \
  kernels/device/slots.cuh \
  kernels/device/sort.cuh \
  kernels/device/strays.cuh \
  kernels/kernels.h \
  kernels/launch.cuh \
  kernels/thread/bitonic.cuh \
  kernels/thread/digit.cuh \
  kernels/thread/rows.cuh \
  kernels/tune.h
kernel_sources = \
  kernels/device/block_firsts.cu \
  kernels/device/check.cu \
  kernels/device/sort_keys.cu \
  kernels/device/tile_sort.cu

# Of libgsort_cuda.so, and of what of those it needs.
call_kernels = \
  kernels/device/sort_keys.cu \
  kernels/device/sort_pairs.cu \
  kernels/device/sort_short.cu \
  kernels/device/sort_stable.cu \
  kernels/device/tile_sort.cu \
  kernels/device/verify.cu

# The systems of the reports: for tests and the benchmark, never linked into gsort.
ladder_headers = \
  kernels/paper/fraidakis.cuh \
  kernels/paper/ladder.h \
  kernels/paper/martoccia.cuh \
  kernels/paper/michalainas.cuh \
  kernels/paper/tile_merge.h \
  kernels/paper/variant.cuh
ladder_host = \
  kernels/paper/ladder.c \
  kernels/paper/martoccia_cpu_v1.c \
  kernels/paper/martoccia_cpu_v2.c \
  kernels/paper/michalainas_serial.c
ladder_kernels = \
  kernels/paper/fraidakis_v0.cu \
  kernels/paper/fraidakis_v1.cu \
  kernels/paper/fraidakis_v2.cu \
  kernels/paper/fraidakis_v3.cu \
  kernels/paper/martoccia_gpu_v1.cu \
  kernels/paper/martoccia_gpu_v2.cu \
  kernels/paper/michalainas_v0.cu \
  kernels/paper/michalainas_v1.cu \
  kernels/paper/michalainas_v2.cu \
  kernels/paper/sharma.cu \
  kernels/paper/slides.cu \
  kernels/paper/tile_merge.cu

-include kernels/block/$(DEPDIR)/*.cud
-include kernels/device/$(DEPDIR)/*.cud
-include kernels/paper/$(DEPDIR)/*.cud

kernel_docs = \
  doc/notebook/device-sort.md \
  kernels/README.md kernels/network.md \
  kernels/paper/README.md
