# SPDX-License-Identifier: BSD-2-Clause
# The tests: programs, the emulated GPU, what checks the sources.  One file a line, sorted.

# ---- programs that the tests use ----------------------------------------------
check_PROGRAMS = \
  tests/fault/fault_runner \
  tests/tools/gen \
  tests/tools/measure \
  tests/unit/units

tests_fault_fault_runner_SOURCES = \
  tests/fault/fault.h \
  tests/fault/fault_runner.c \
  tests/fault/fault_runner.h \
  tests/fault/fault_trial.c

tests_tools_gen_SOURCES = tests/tools/gen.c
tests_tools_measure_SOURCES = tests/tools/measure.c

tests_unit_units_SOURCES = \
  tests/mpi/ranks_threads.c \
  tests/mpi/ranks_threads.h \
  tests/tools/codec_headers.c \
  tests/unit/library/array.c \
  tests/unit/library/memory.c \
  tests/unit/base/base.c \
  tests/unit/base/codec_abi.c \
  tests/unit/base/codec_facts.h \
  tests/unit/base/team.c \
  tests/unit/cli/progress.c \
  tests/unit/job/print.c \
  tests/unit/text/encode.c \
  tests/unit/text/float_sum.c \
  tests/unit/text/floats.c \
  tests/unit/text/hint.c \
  tests/unit/text/line.c \
  tests/unit/text/notation.c \
  tests/unit/key/key.c \
  tests/unit/linekey/collation.c \
  tests/unit/linekey/line_fault.c \
  tests/unit/linekey/line_order.c \
  tests/unit/key/record.c \
  tests/unit/text/encode_text.c \
  tests/unit/text/text_decoder.c \
  tests/unit/io/contents.c \
  tests/unit/io/files.c \
  tests/unit/io/inflate.c \
  tests/unit/io/input.c \
  tests/unit/io/output.c \
  tests/unit/io/outputs.c \
  tests/unit/io/parallel_inflate.c \
  tests/unit/io/preallocate.c \
  tests/unit/io/replace.c \
  tests/unit/options/given.c \
  tests/unit/options/options.c \
  tests/unit/ranks/receive.c \
  tests/unit/ranks/key_exchange.c \
  tests/unit/ranks/parts.c \
  tests/unit/modules.def \
  tests/unit/ranks/net/transport.c \
  tests/unit/ranks/net/ranks.c \
  tests/unit/plan/forecast.c \
  tests/unit/plan/plan.c \
  tests/unit/plan/plan_items.c \
  tests/unit/shapes.h \
  tests/unit/sort/buckets/add.c \
  tests/unit/sort/buckets/batch.c \
  tests/unit/sort/buckets/buckets.c \
  tests/unit/sort/buckets/pool.c \
  tests/unit/sort/buckets/seal.c \
  tests/unit/sort/count.c \
  tests/unit/sort/cpu/bitonic.c \
  tests/unit/sort/cpu/bitonic_bits.inc \
  tests/unit/sort/cpu/quicksort.c \
  tests/unit/sort/follow.c \
  tests/unit/sort/items/items.c \
  tests/unit/sort/items/owners.c \
  tests/unit/sort/merge.c \
  tests/unit/sort/scan.c \
  tests/unit/sort/set_merge.c \
  tests/unit/sort/splitters.c \
  tests/unit/spill/external_merge.c \
  tests/unit/spill/spill.c \
  tests/unit/output/emit.c \
  tests/unit/figures/bars.c \
  tests/unit/engine/division.c \
  tests/unit/engine/item_merger.c \
  tests/unit/engine/item_store.c \
  tests/unit/ingest/line_collector.c \
  tests/unit/output/select.c \
  tests/unit/output/show.c \
  tests/unit/output/split.c \
  tests/unit/output/top.c \
  tests/unit/engine/store.c \
  tests/unit/output/verify.c \
  tests/unit/units.c \
  tests/unit/units.h
tests_unit_units_LDADD = libgsort-cli.a $(gsort_libs) $(ARCHIVE_LIBS) $(ZSTD_LIBS) $(ZLIB_LIBS) -lm
tests_unit_units_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=mmap,--wrap=pread,--wrap=pwrite \
  -Wl,--wrap=pthread_cond_wait,--wrap=pthread_cond_signal,--wrap=pthread_cond_broadcast

# Preloaded: system calls that fail.
check_DATA = tests/fault/fault.so tests/emu/gsort-cuda.so tests/emu/libgsort_cuda.so.0
fault_sources = \
  tests/fault/fault.c \
  tests/fault/fault_schedule.c
fault_headers = \
  tests/fault/fault.h \
  tests/fault/fault_schedule.h
tests/fault/fault.so: $(fault_sources) $(fault_headers)
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) -std=gnu11 $(CPPFLAGS) $(C_WARNINGS) $(WERROR) -O1 -g -shared -fPIC \
	  -o $@ $(srcdir)/tests/fault/fault.c $(srcdir)/tests/fault/fault_schedule.c -ldl

# ---- the emulated GPU: the whole program, and units that need one ---------------
check_PROGRAMS += \
  gsort-emu \
  tests/fuzz/fuzzers \
  tests/unit/units-emu

emu_sources = \
  tests/emu/cuda_runtime.h \
  tests/emu/cuda_runtime_api.h \
  tests/emu/launch.cpp \
  tests/emu/runtime.c
if !HAVE_CUDA
emu_defines = -DHAVE_CUDA=1 -DGS_CUDA_ARCH='"emulated"'
endif
# It takes no time to open, and little memory, so that --device=auto always chooses it.
emu_plan = -include stdlib.h -DCUDA_BYTES=1048576 -DOPEN_MS='(getenv("GSORT_EMU_OPEN_MS") == NULL \
  ? 0 : strtoull(getenv("GSORT_EMU_OPEN_MS"), NULL, 10))'
emu_kernels = $(kernel_sources:.cu=.emu.o)
emu_call_kernels = $(call_kernels:.cu=.emu.o)

# All but main(): for gsort-emu, and for the fuzz targets.
check_LIBRARIES = tests/emu/libmodule.a
tests_emu_libmodule_a_SOURCES = $(cuda_sources) $(emu_sources)
tests_emu_libmodule_a_CPPFLAGS = -DCHUNK_BYTES=196608 $(EMU_CPPFLAGS) $(emu_defines) $(AM_CPPFLAGS)
tests_emu_libmodule_a_CFLAGS = $(AM_CFLAGS)
tests_emu_libmodule_a_CXXFLAGS = $(EMU_CXXFLAGS)
tests_emu_libmodule_a_LIBADD = $(emu_kernels)
# The linker takes the engine out of its archive, though only a weak symbol asks for it.
emu_link = -Wl,-u,gs_gpu_module -Wl,--wrap=pthread_attr_setstacksize $(OPENMP_CFLAGS)

# The module as a file, for the tests of loading it.
tests/emu/gsort-cuda.so: tests/emu/libmodule.a libgsort.a
	$(AM_V_CXXLD)$(CXX) $(CXXFLAGS) $(LDFLAGS) $(MODULE_LINK) -o $@ \
	  -Wl,--whole-archive tests/emu/libmodule.a -Wl,--no-whole-archive libgsort.a \
	  $(OPENMP_CFLAGS) -lm

# The library for device memory, where that is memory of the host.
check_LIBRARIES += tests/emu/libcall.a
tests_emu_libcall_a_SOURCES = $(call_sources) $(emu_sources)
tests_emu_libcall_a_CPPFLAGS = $(EMU_CPPFLAGS) $(emu_defines) $(AM_CPPFLAGS)
tests_emu_libcall_a_CFLAGS = $(AM_CFLAGS) -fvisibility=default	# tests call its cudaMalloc()
tests_emu_libcall_a_CXXFLAGS = $(EMU_CXXFLAGS)
tests_emu_libcall_a_LIBADD = $(emu_call_kernels)
tests/emu/libgsort_cuda.so.0: tests/emu/libcall.a
	$(AM_V_CXXLD)$(CXX) $(CXXFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(LIBGSORT_CUDA_SO) -o $@ \
	  -Wl,--whole-archive tests/emu/libcall.a -Wl,--no-whole-archive $(OPENMP_CFLAGS) -lm

# The module linked in; the plan knows that it costs nothing to open.
gsort_emu_SOURCES = src/cli/main.c src/cli/launch_alone.c src/plan/device.c
nodist_EXTRA_gsort_emu_SOURCES = dummy.cxx
gsort_emu_CPPFLAGS = $(emu_plan) $(AM_CPPFLAGS)
gsort_emu_CFLAGS = $(AM_CFLAGS)
gsort_emu_LDFLAGS = $(emu_link)
gsort_emu_LDADD = libgsort-cli.a tests/emu/libmodule.a libgsort.a -lm
gsort_emu_DEPENDENCIES = libgsort-cli.a tests/emu/libmodule.a libgsort.a

# Each fast way that a job takes, by name: what gs_way() is in, once more (src/base/way.h).
check_PROGRAMS += gsort-ways
way_sources = \
  src/text/line.c \
  src/linekey/key_float.c \
  src/linekey/line_order.c \
  src/io/parallel_inflate.c \
  src/sort/buckets/parts.c \
  src/sort/buckets/seal.c \
  src/sort/cpu/quicksort.c \
  src/sort/items/part.c \
  src/sort/merge.c \
  src/spill/external_merge.c \
  src/output/emit.c \
  src/output/emit_items.c \
  src/engine/item_maker.c \
  src/ingest/line_ingest.c \
  src/engine/store.c
gsort_ways_SOURCES = src/cli/main.c src/cli/launch_alone.c tests/tools/ways.c $(way_sources)
gsort_ways_CPPFLAGS = -DGS_WAYS $(AM_CPPFLAGS)
gsort_ways_CFLAGS = $(AM_CFLAGS)
gsort_ways_LDADD = libgsort-cli.a $(gsort_libs)

# Ranks as threads: what several processes do, without MPI.
check_PROGRAMS += gsort-ranks
gsort_ranks_SOURCES = \
  src/cli/main.c \
  tests/mpi/ranks_threads.c \
  tests/mpi/ranks_threads.h \
  tests/mpi/launch_threads.c
gsort_ranks_LDADD = libgsort-cli.a $(gsort_libs)

# gsort-mpi with each MPI that is installed, whatever configure was told: make tests/mpi/gsort-mpich.
tests/mpi/gsort-openmpi tests/mpi/gsort-mpich: libgsort-cli.a libgsort.a src/cli/main.c $(mpi_sources)
	$(AM_V_CC)$(MKDIR_P) $(@D) && mpicc.$(@F:gsort-%=%) $(DEFS) -I. $(AM_CPPFLAGS) $(CPPFLAGS) -std=c11 -O2 -o $@ \
	  $(srcdir)/src/cli/main.c $(srcdir)/src/cli/launch_mpi.c $(srcdir)/src/ranks/net/ranks_mpi.c \
	  libgsort-cli.a libgsort.a $(LDFLAGS) $(STDCXX_LIBS) -lm $(LIBS)

# The fuzz targets without clang: main.c takes libFuzzer's place.
fuzz_sources = \
  tests/fuzz/calls.c \
  tests/fuzz/floats.c \
  tests/fuzz/fuzz.h \
  tests/fuzz/header.c \
  tests/fuzz/inflate.c \
  tests/fuzz/item_run.c \
  tests/fuzz/item_run.h \
  tests/fuzz/job.c \
  tests/fuzz/job.h \
  tests/fuzz/lines.c \
  tests/fuzz/merge.c \
  tests/fuzz/records.c \
  tests/fuzz/opts.c \
  tests/fuzz/oracle.c \
  tests/fuzz/oracle.h \
  tests/fuzz/plan.c \
  tests/fuzz/reference_model.c \
  tests/fuzz/reference_model.h \
  tests/fuzz/sort.c \
  tests/fuzz/spill.c \
  tests/fuzz/targets.c \
  tests/fuzz/targets.def \
  tests/fuzz/text.c
tests_fuzz_fuzzers_SOURCES = tests/fuzz/main.c $(fuzz_sources) src/cli/launch_alone.c src/plan/device.c
nodist_EXTRA_tests_fuzz_fuzzers_SOURCES = dummy.cxx
tests_fuzz_fuzzers_CPPFLAGS = -I$(srcdir)/tests/fuzz $(emu_plan) $(AM_CPPFLAGS)
tests_fuzz_fuzzers_CFLAGS = $(AM_CFLAGS)
tests_fuzz_fuzzers_LDFLAGS = $(emu_link)
tests_fuzz_fuzzers_LDADD = \
  libgsort-cli.a tests/emu/libmodule.a libgsort.a $(ARCHIVE_LIBS) $(ZSTD_LIBS) $(ZLIB_LIBS) -lm
tests_fuzz_fuzzers_DEPENDENCIES = libgsort-cli.a tests/emu/libmodule.a libgsort.a

tests_unit_units_emu_SOURCES = \
  bench/call_types.h \
  bench/device/damage.c \
  bench/device/damage.h \
  bench/must.c \
  bench/must.h \
  bench/stats.c \
  bench/stats.h \
  src/gpu/cuda/call.c \
  tests/emu/network.h \
  tests/emu/samples.h \
  tests/unit/emulator.c \
  tests/unit/gpu/cuda/call.c \
  tests/unit/gpu/cuda/call_arrays.h \
  tests/unit/gpu/cuda/call_cuts.c \
  tests/unit/gpu/cuda/engine.c \
  tests/unit/gpu/cuda/resident.c \
  tests/unit/kernels.c \
  tests/unit/ladder.c \
  tests/unit/modules-emu.def \
  tests/unit/network.c \
  tests/unit/stats.c \
  tests/unit/units.c \
  tests/unit/units.h \
  $(ladder_headers) $(ladder_host)
tests_unit_units_emu_CPPFLAGS = $(EMU_CPPFLAGS) $(emu_defines) -DMODULES='"tests/unit/modules-emu.def"' $(AM_CPPFLAGS)
tests_unit_units_emu_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_unit_units_emu_LDADD = \
  tests/emu/libmodule.a kernels/device/sort_pairs.emu.o kernels/device/sort_short.emu.o \
  kernels/device/sort_stable.emu.o kernels/device/verify.emu.o $(ladder_kernels:.cu=.emu.o) \
  tests/emu/network.emu.o tests/emu/samples.emu.o libgsort.a -lm
tests_unit_units_emu_LDFLAGS = $(emu_link)
tests_unit_units_emu_DEPENDENCIES = \
  tests/emu/libmodule.a kernels/device/sort_pairs.emu.o kernels/device/sort_short.emu.o \
  kernels/device/sort_stable.emu.o kernels/device/verify.emu.o $(ladder_kernels:.cu=.emu.o) tests/emu/network.emu.o tests/emu/samples.emu.o libgsort.a
nodist_EXTRA_tests_unit_units_emu_SOURCES = dummy.cxx

# ---- what make check runs --------------------------------------------------------
BATS_FILES = \
  tests/cli/answers.bats \
  tests/cli/as_sort.bats \
  tests/cli/check.bats \
  tests/cli/completions.bats \
  tests/cli/cookbook.bats \
  tests/cli/decode.bats \
  tests/cli/drawn.bats \
  tests/cli/encode.bats \
  tests/cli/files0.bats \
  tests/cli/gnu.bats \
  tests/cli/hints.bats \
  tests/cli/hostile.bats \
  tests/cli/input.bats \
  tests/cli/keys.bats \
  tests/cli/library.bats \
  tests/cli/lines.bats \
  tests/cli/locale.bats \
  tests/cli/man.bats \
  tests/cli/memory.bats \
  tests/cli/merge.bats \
  tests/cli/messages.bats \
  tests/cli/npy.bats \
  tests/cli/opts.bats \
  tests/cli/output.bats \
  tests/cli/plans.txt \
  tests/cli/progress.bats \
  tests/cli/property.bats \
  tests/cli/python.bats \
  tests/cli/records.bats \
  tests/cli/same_file.bats \
  tests/cli/sandbox.bats \
  tests/cli/select.bats \
  tests/cli/sets.bats \
  tests/cli/signals.bats \
  tests/cli/spill.bats \
  tests/cli/split.bats \
  tests/cli/start.bats \
  tests/cli/trackers.bats \
  tests/cli/types.bats \
  tests/cli/wide.bats \
  tests/cli/verify.bats \
  tests/fault/fault.bats \
  tests/fault/kill.bats \
  tests/fuzz/fuzz.bats \
  tests/gpu/cuda.bats \
  tests/gpu/guard.bats \
  tests/gpu/ladder.bats \
  tests/gpu/module.bats \
  tests/house/abi.bats \
  tests/house/bench.bats \
  tests/house/bootstrap.bats \
  tests/house/build.bats \
  tests/house/lint.bats \
  tests/house/memcheck.bats \
  tests/house/mutants.bats \
  tests/house/packaging.bats \
  tests/house/races.bats \
  tests/house/sanitize.bats \
  tests/house/suites.bats \
  tests/house/tidy.bats \
  tests/house/ways.bats \
  tests/mpi/mpi.bats \
  tests/unit/unit.bats

# What else belongs to the tests and is in the tarball.
test_files = \
  tests/.clang-tidy \
  tests/README.md \
  tests/emu/network.cu \
  tests/emu/samples.cu \
  tests/cli/trackers.tsv \
  tests/fault/faults \
  tests/fuzz/run.sh \
  tests/fuzz/seeds.sh \
  tests/fuzz/text.dict \
  tests/examples.bash \
  tests/helpers.bash \
  tests/mpi/ranks.bash \
  tests/house/abi.sh \
  tests/house/count.py \
  tests/house/figures.py \
  tests/house/coverage.py \
  tests/tools/columns.py \
  tests/tools/crash.py \
  tests/tools/drawn.py \
  tests/tools/keydefs.py \
  tests/tools/numeric.py \
  tests/tools/records.py \
  tests/house/cppcheck.txt \
  tests/house/format.py \
  tests/tools/counted.py \
  tests/tools/figures.py \
  tests/tools/formats \
  tests/tools/formats.listed \
  tests/tools/hostile \
  tests/tools/limits.py \
  tests/tools/msan.c \
  tests/tools/mutants \
  tests/tools/mutants.equivalent \
  tests/tools/nans.py \
  tests/tools/places \
  tests/tools/places.h \
  tests/tools/places.unreached \
  tests/tools/same_file.py \
  tests/tools/sets.py \
  tests/tools/suites.sh \
  tests/tools/suites_rust.py \
  tests/house/lint.sh \
  tests/house/sanitized.bash \
  tests/house/sanitizers.sh \
  tests/run \
  $(BATS_FILES) $(fault_sources) $(fault_headers)

# The tests run against what was built here; tests/run says which files are run.
check-programs: $(bin_PROGRAMS) $(check_PROGRAMS) $(check_DATA)
check-local: check-programs
	GSORT_BUILD='$(abs_builddir)' BATS='$(BATS)' '$(srcdir)/tests/run'
.PHONY: check-programs

# Minutes, not seconds: every float there is, and all that tests leave out in a hurry.
EXTRA_PROGRAMS += tests/tools/slow
tests_tools_slow_SOURCES = tests/tools/slow.c
tests_tools_slow_LDADD = $(gsort_libs) -lm
.PHONY: check-slow check-gpu check-sanitizer
check-slow: tests/tools/slow$(EXEEXT) check-programs
	@echo "# every float, then all tests with what takes long"
	./tests/tools/slow$(EXEEXT)
	GSORT_CI=1 GSORT_SLOW=1 KILL_ROUNDS=50 PROPERTY_CASES=500 \
	  GSORT_BUILD='$(abs_builddir)' BATS='$(BATS)' '$(srcdir)/tests/run'

# Faults in src/ that are drawn by SEED, COUNT of them, and which tests find them.
.PHONY: check-mutants
COUNT = 60
SEED = 1
check-mutants: check-programs
	'$(srcdir)/tests/tools/mutants' --build '$(abs_builddir)' --count $(COUNT) --seed $(SEED) $(MUTANTS)

# Each TRY and THEN has an error once, or one comes to it in a run of faults, a unit table or a file of Bats; PLACES
# names other runs, and with --drop in PLACES each place drops an error that came to it.
.PHONY: check-places
PLACES = plant jobs text given array memory options cli/split.bats
check-places: config.h
	'$(srcdir)/tests/tools/places' --build '$(abs_builddir)' $(PLACES)

# All tests against a build with tiny batches, rooms and thresholds; HOSTILE names some: a unit table, a FILE.bats.
.PHONY: check-hostile
check-hostile: config.h
	'$(srcdir)/tests/tools/hostile' --build '$(abs_builddir)' $(HOSTILE)

# What tools see without running anything.  LINT names the tools, all without it; BASE a commit.
.PHONY: lint
lint: config.h
	GSORT_SOURCE='$(abs_srcdir)' GSORT_BUILD='$(abs_builddir)' LINT='$(LINT)' BASE='$(BASE)' \
	  LINT_CPPFLAGS='$(ZSTD_CFLAGS) $(LZ4_CFLAGS) $(ARCHIVE_CFLAGS) $(LZMA_CFLAGS) $(ZLIB_CFLAGS)' \
	  '$(srcdir)/tests/house/lint.sh'

# With a GPU, or it fails: what uses one, at full size and under compute-sanitizer.
check-gpu: check-programs
	@nvidia-smi -L || echo "# no GPU here: tests will fail"
	GSORT_GPU=1 GSORT_BUILD='$(abs_builddir)' BATS='$(BATS)' '$(srcdir)/tests/run' \
	  `grep -l needs_gpu '$(srcdir)'/tests/*/*.bats`

# In builds of their own: address and undefined behaviour, threads; then valgrind.
check-sanitizer: check-programs
	GSORT_SOURCE='$(abs_srcdir)' GSORT_BUILD='$(abs_builddir)' SANITIZERS='$(SANITIZERS)' \
	  '$(srcdir)/tests/house/sanitizers.sh'

# Any input: make fuzz SECONDS=60, with clang.  FUZZ names the targets, all without it.
SECONDS = 10
.PHONY: fuzz coverage
# What the tests since make clean have run, in one piece or in many: see tests/README.md.
coverage:
	'$(srcdir)/tests/house/coverage.py' --source '$(srcdir)' --build '$(abs_builddir)' \
	  --clang '$(CC)' $(MISSED)
fuzz: config.h
	@GSORT_SOURCE='$(abs_srcdir)' GSORT_BUILD='$(abs_builddir)' FUZZ='$(FUZZ)' FUZZ_SECONDS='$(SECONDS)' \
	  FUZZ_CPPFLAGS='$(fuzz_cppflags)' FUZZ_LIBS='$(ARCHIVE_LIBS) $(ZSTD_LIBS) $(ZLIB_LIBS) -lpthread -ldl -lm' \
	  FUZZ_FILES='$(host_sources) $(cli_sources) $(cuda_sources) $(kernel_sources) $(emu_sources) $(fuzz_sources) src/cli/launch_alone.c' \
	  '$(srcdir)/tests/fuzz/run.sh'
fuzz_cppflags = $(EMU_DEFINES) -I$(abs_srcdir)/tests/emu $(DEFS) -I$(abs_builddir) \
  -I$(abs_srcdir)/src -I$(abs_srcdir) -D_GNU_SOURCE -DGS_PKGLIBDIR="$(pkglibdir)" \
  $(ZSTD_CFLAGS) $(LZ4_CFLAGS) $(ARCHIVE_CFLAGS) $(LZMA_CFLAGS) $(ZLIB_CFLAGS)
