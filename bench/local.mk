# SPDX-License-Identifier: BSD-2-Clause
# Benchmarks: make gsort-bench-array gsort-bench-cpu gsort-bench-output gsort-bench-text gsort-bench

EXTRA_PROGRAMS += gsort-bench-array gsort-bench-cpu gsort-bench-output gsort-bench-text
gsort_bench_array_SOURCES = \
  bench/array.cpp \
  bench/clock.h \
  bench/huge.h \
  bench/stats.c \
  bench/stats.h
gsort_bench_array_LDADD = libgsort.a $(HWY_LIBS) -lm
gsort_bench_array_CXXFLAGS = $(AM_CXXFLAGS) $(HWY_CFLAGS) -Wno-shadow	# a function called as its struct
gsort_bench_array_LINK = $(CXX) $(CXXFLAGS) $(LDFLAGS) -o $@

gsort_bench_cpu_SOURCES = \
  bench/clock.h \
  bench/cpu/buckets.c \
  bench/cpu/buckets.h \
  bench/cpu/cpu.c \
  bench/huge.h \
  bench/keys.c \
  bench/keys.h \
  bench/shapes.h \
  bench/stats.c \
  bench/stats.h
gsort_bench_cpu_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
gsort_bench_cpu_LDADD = $(gsort_libs) -lm
gsort_bench_cpu_LDFLAGS = $(OPENMP_CFLAGS)
gsort_bench_output_SOURCES = \
  bench/clock.h \
  bench/output.c \
  bench/stats.c \
  bench/stats.h
gsort_bench_output_LDADD = -lm
gsort_bench_text_SOURCES = \
  bench/clock.h \
  bench/huge.h \
  bench/keys.h \
  bench/shapes.h \
  bench/stats.c \
  bench/stats.h \
  bench/text.c
gsort_bench_text_LDADD = $(gsort_libs) -lm

if HAVE_CUDA
# CUB takes long to compile.
EXTRA_PROGRAMS += gsort-bench gsort-bench-parts
gsort_bench_SOURCES = \
  bench/call_types.h \
  bench/clock.h \
  bench/cpu/buckets.c \
  bench/cpu/buckets.h \
  bench/device/call.c \
  bench/device/call.h \
  bench/device/call_check.c \
  bench/device/check.c \
  bench/device/check.h \
  bench/device/compare.c \
  bench/device/compare.h \
  bench/device/cub.cu \
  bench/device/cub.h \
  bench/device/cub_tuned.cuh \
  bench/device/damage.c \
  bench/device/damage.h \
  bench/device/device.c \
  bench/device/device.h \
  bench/device/device_harness.c \
  bench/device/device_harness.h \
  bench/device/device_keys.cu \
  bench/device/device_keys.h \
  bench/device/pairs.cu \
  bench/device/pairs.h \
  bench/device/rows.c \
  bench/device/rows.h \
  bench/device/segmented.cu \
  bench/device/segmented.h \
  bench/device/source.c \
  bench/device/source.h \
  bench/device/table.c \
  bench/device/table.h \
  bench/keys.c \
  bench/keys.h \
  bench/ladder/args.c \
  bench/ladder/args.h \
  bench/ladder/ladder.c \
  bench/ladder/ladder.h \
  bench/ladder/references.c \
  bench/ladder/references.h \
  bench/ladder/report.c \
  bench/ladder/report.h \
  bench/ladder/run_variant.c \
  bench/ladder/run_variant.h \
  bench/ladder/std_sort.cpp \
  bench/ladder/std_sort.h \
  bench/ladder/sweep.c \
  bench/ladder/sweep.h \
  bench/main.c \
  bench/must.c \
  bench/must.h \
  bench/record.c \
  bench/record.h \
  bench/shapes.h \
  bench/stats.c \
  bench/stats.h \
  bench/usage.c \
  bench/usage.h \
  $(kernel_headers) $(kernel_sources) $(ladder_headers) $(ladder_host) $(ladder_kernels)
nodist_gsort_bench_SOURCES = $(call_sources) \
  kernels/device/sort_pairs.cu kernels/device/sort_short.cu kernels/device/sort_stable.cu \
  kernels/device/verify.cu
# make gsort-bench CCCL=DIR: the CUB in DIR, such as include/cccl of the wheel nvidia-cuda-cccl, not the toolkit's.
# CUB takes parts of Thrust that throw.
bench/device/cub.o bench/device/pairs.o bench/device/segmented.o: \
  AM_NVCCFLAGS += $(CCCL:%=-I%) -Xcompiler=-fexceptions,-frtti
gsort_bench_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
gsort_bench_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
gsort_bench_LINK = $(CXX) $(OPENMP_CFLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@
gsort_bench_LDADD = libgsort.a $(CUDA_LIBS)

# It has the sort itself, compiled once more.
gsort_bench_parts_SOURCES = \
  bench/device/device_keys.cu \
  bench/device/device_keys.h \
  bench/device/parts.cu \
  bench/keys.c \
  bench/keys.h \
  bench/must.c \
  bench/must.h \
  bench/shapes.h \
  bench/stats.c \
  bench/stats.h \
  $(kernel_headers)
gsort_bench_parts_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
gsort_bench_parts_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
gsort_bench_parts_LINK = $(CXX) $(OPENMP_CFLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@
gsort_bench_parts_LDADD = $(CUDA_LIBS)
endif

-include bench/device/$(DEPDIR)/*.cud

# What was measured, and the figures of it: the READMEs show them.
bench_results = \
  bench/results/2cores-2026-11-21/cpu-and-text.txt \
  bench/results/2cores-2026-11-22/versus-u32.json \
  bench/results/2cores-2026-11-25/spilled-keys.txt \
  bench/results/2cores-2026-11-25/python.txt \
  bench/results/2cores-2026-11-27/numbers.txt \
  bench/results/2cores-2026-11-29/all.json \
  bench/results/2cores-2026-11-29/merges.txt \
  bench/results/2cores-2026-11-29/python.txt \
  bench/results/2cores-2026-11-30/merge.txt \
  bench/results/README.md \
  bench/results/h100-2026-11-25/reversed.json \
  bench/results/h100-2026-11-25/table-pairs.txt \
  bench/results/h100-2026-11-25/table.txt \
  bench/results/h200-2026-11-26/arrays.txt \
  bench/results/h200-2026-11-26/jobs.json \
  bench/results/h200-2026-11-26/jobs.txt \
  bench/results/h200-2026-11-26/lines.txt \
  bench/results/h200-2026-11-26/stable.txt \
  bench/results/h200-2026-11-26/table.txt \
  bench/results/h200-2026-11-26/time-left.txt \
  bench/results/h200-2026-11-26/windows.txt \
  bench/results/h200-2026-11-27/crossover.txt \
  bench/results/h200-2026-11-27/long-leaves.txt \
  bench/results/h200-2026-11-28/counters.txt \
  bench/results/h200-2026-11-29/checked.txt \
  bench/results/h200-2026-11-29/cpu.txt \
  bench/results/h200-2026-11-29/shapes.txt \
  bench/results/h200-2026-11-30/merge.txt \
  bench/results/h200-2026-11-30/pairs.txt \
  bench/results/h200-2026-11-30/sanitizer.txt \
  bench/results/h200-2026-11-30/shapes.txt \
  bench/results/h100-2026-11-26/codes.txt \
  bench/results/h100-2026-11-26/one-kernel.txt \
  bench/results/h100-2026-11-26/one-sequence.txt \
  bench/results/h100-2026-11-26/rows.txt \
  bench/results/h100-2026-11-26/skewed.txt \
  bench/results/h100-2026-11-26/slots.txt \
  bench/results/h100-2026-11-26/stable.txt \
  bench/results/h100-2026-11-26/threads.txt \
  bench/results/h200-2026-11-21/perkey.svg \
  bench/results/h200-2026-11-21/sort-ncu.txt \
  bench/results/h200-2026-11-23/call-pairs.txt \
  bench/results/h200-2026-11-23/drain.txt \
  bench/results/h200-2026-11-23/jobs-two-queues.json \
  bench/results/h200-2026-11-23/jobs.json \
  bench/results/h200-2026-11-23/ladder-gsort.json \
  bench/results/h200-2026-11-23/opening.txt \
  bench/results/h200-2026-11-23/pinning.json \
  bench/results/h200-2026-11-23/queues.json \
  bench/results/h200-2026-11-23/ranks.txt \
  bench/results/h200-2026-11-23/two-gpus.json

bench_scripts = \
  bench/array.py \
  bench/mpi/README.md \
  bench/mpi/sample_sort.cpp \
  bench/.clang-tidy \
  bench/all \
  bench/crossover \
  bench/plot

# The yardstick of gsort-mpi, with the MPI of mpicxx.
bench/mpi/sample-sort: bench/mpi/sample_sort.cpp
	$(AM_V_CXX)$(MKDIR_P) $(@D) && mpicxx -std=c++17 -O3 -march=native -o $@ $(srcdir)/bench/mpi/sample_sort.cpp
