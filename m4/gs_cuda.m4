# SPDX-License-Identifier: BSD-2-Clause
# GS_CUDA: find nvcc and the CUDA runtime.  Sets NVCC, NVCCFLAGS (architectures),
# CUDA_CPPFLAGS, CUDA_LIBS, gs_cuda_summary, and the conditional HAVE_CUDA.
#
#   --with-cuda[=DIR]       required, from DIR       --without-cuda   not wanted
#   --with-cuda-arch=LIST   as nvcc's -arch, or numbers: 80,90; one: this machine's GPU, else 90;
#                           quick: the same, and no time for a GPU that is not here; draft: nor
#                           for machine code of it
AC_DEFUN([GS_CUDA], [
  AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@], [build the GPU module, with the toolkit in DIR [default: if nvcc is found]])],
    [], [with_cuda=auto])
  AC_ARG_WITH([cuda-arch],
    [AS_HELP_STRING([--with-cuda-arch=LIST], [GPU architectures, e.g. 80,90, or one, for development, or quick or draft, for tests [default: this machine's GPU, else all major ones and PTX]])],
    [], [with_cuda_arch=auto])
  AC_ARG_VAR([NVCC], [CUDA compiler])
  AC_ARG_VAR([NVCCFLAGS], [CUDA compiler flags])

  gs_cuda_summary=no
  AS_IF([test "x$with_cuda" != xno], [
    AS_CASE([$with_cuda], [yes|auto], [gs_cuda_dir=], [gs_cuda_dir=$with_cuda])
    AS_IF([test -n "$gs_cuda_dir"],
      [AC_PATH_PROG([NVCC], [nvcc], [], [$gs_cuda_dir/bin])],
      [AC_PATH_PROG([NVCC], [nvcc], [], [${CUDA_HOME:+$CUDA_HOME/bin:}$PATH:/usr/local/cuda/bin])])
    AS_IF([test -z "$NVCC"], [
      AS_IF([test "x$with_cuda" != xauto],
        [AC_MSG_ERROR([nvcc was not found in ${gs_cuda_dir:-\$CUDA_HOME, PATH and /usr/local/cuda}${gs_cuda_dir:+/bin}; say --with-cuda=DIR, for DIR/bin/nvcc, or --without-cuda])])
    ], [
      gs_nvcc_real=`readlink -f "$NVCC"`
      gs_cuda_root=`dirname "$gs_nvcc_real"`; gs_cuda_root=`dirname "$gs_cuda_root"`
      AS_IF([test -n "$gs_cuda_dir"], [gs_cuda_root=$gs_cuda_dir])
      for gs_lib in "$gs_cuda_root/lib64" "$gs_cuda_root/targets/x86_64-linux/lib" "$gs_cuda_root/lib" /usr/lib/x86_64-linux-gnu; do
        test -f "$gs_lib/libcudart_static.a" && break
      done
      CUDA_CPPFLAGS="-isystem $gs_cuda_root/include"
      CUDA_LIBS="-L$gs_lib -lcudart_static -lpthread -ldl -lrt"

      AC_MSG_CHECKING([whether $NVCC compiles])
      mkdir -p conftest.dir
      echo '__global__ void k(int *p) { *p = 1; }' > conftest.dir/k.cu
      AS_IF(["$NVCC" -c -o conftest.dir/k.o conftest.dir/k.cu >&AS_MESSAGE_LOG_FD 2>&1], [
        AC_MSG_RESULT([yes])
        gs_cuda_summary="$NVCC"
      ], [
        AC_MSG_RESULT([no])
        AS_IF([test "x$with_cuda" != xauto], [AC_MSG_ERROR([$NVCC does not work; see config.log])])
        AC_MSG_WARN([$NVCC does not work, so there will be no GPU module; see config.log, or say --without-cuda])
        NVCC=
      ])
    ])
  ])

  AS_IF([test "$gs_cuda_summary" != no], [
    AC_MSG_CHECKING([for the GPU architectures to build for])
    # All major ones of cards; a driver compiles PTX for 11.0 and for what comes.  The front end of nvcc
    # takes half of its time and runs once for each virtual architecture; 7.5 and 12 have half of the
    # kernels (kernels/launch.cuh).
    gs_all="-gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80"
    gs_all="$gs_all -gencode arch=compute_90,code=@<:@sm_90,sm_100,compute_90@:>@"
    gs_all="$gs_all -gencode arch=compute_120,code=sm_120"
    # What follows tries one thing after the other, each for all architectures; all of it at once is a few seconds.
    gs_tried=no
    AS_CASE([$with_cuda_arch], [auto|yes|''],
      [AS_IF([nvidia-smi -L 2>/dev/null | grep -q '^GPU'], [],
         ["$NVCC" $gs_all --compress-mode=size --threads=0 -c -o conftest.dir/k.o conftest.dir/k.cu >&AS_MESSAGE_LOG_FD 2>&1],
         [gs_tried=yes])])
    AS_CASE([$with_cuda_arch],
      [auto|yes|one|quick|draft|''], [
        # -arch=native fails, or warns and falls back, where there is no GPU.
        AS_IF([nvidia-smi -L 2>/dev/null | grep -q '^GPU' &&
               "$NVCC" -arch=native -c -o conftest.dir/k.o conftest.dir/k.cu >&AS_MESSAGE_LOG_FD 2>&1],
          [gs_arch=-arch=native],
          [test "$with_cuda_arch" = one || test "$with_cuda_arch" = quick || test "$with_cuda_arch" = draft ||
           test "$gs_tried" = yes || "$NVCC" $gs_all -c -o conftest.dir/k.o conftest.dir/k.cu >&AS_MESSAGE_LOG_FD 2>&1],
          [gs_arch=$gs_all], [gs_arch=-arch=all-major])
        # One architecture takes a fifth of the time of all major ones to compile.
        AS_IF([test "$gs_arch" != -arch=native], [AS_CASE([$with_cuda_arch], [one|quick|draft], [
          gs_one=`"$NVCC" --list-gpu-arch | sed 's/compute_//' | sort -n | sed -n '/^90$/{p;q;};$p'`
          # Where nothing will run it, it need be neither fast nor small: a fifth of that time, and as PTX
          # alone, of which a driver makes the rest, half of that.  nvcc has --Ofast-compile since 12.9.
          AS_IF([test "$with_cuda_arch" = draft], [gs_code=compute], [gs_code=sm])
          gs_arch="-gencode arch=compute_$gs_one,code=${gs_code}_$gs_one"
          AS_IF([test "$with_cuda_arch" != one &&
                 "$NVCC" $gs_arch --Ofast-compile=max -c -o conftest.dir/k.o conftest.dir/k.cu >&AS_MESSAGE_LOG_FD 2>&1],
            [gs_arch="$gs_arch --Ofast-compile=max"
             gs_compressions='' NVCCFLAGS=${NVCCFLAGS--O0}])])])],
      [native|all|all-major|compute_*], [gs_arch=-arch=$with_cuda_arch],
      [
        gs_arch=
        for gs_one in `echo "$with_cuda_arch" | sed 's/@<:@,;@:>@/ /g; s/sm_//g'`; do
          gs_arch="${gs_arch:+$gs_arch }-gencode arch=compute_$gs_one,code=@<:@sm_$gs_one,compute_$gs_one@:>@"
        done])
    AC_MSG_RESULT([$gs_arch])
    AS_IF([test "$gs_tried" = yes || "$NVCC" $gs_arch -c -o conftest.dir/k.o conftest.dir/k.cu >&AS_MESSAGE_LOG_FD 2>&1], [],
      [gs_known=`"$NVCC" --list-gpu-arch | sed 's/compute_//' | sort -n | xargs`
       AC_MSG_ERROR([nvcc cannot build for --with-cuda-arch=$with_cuda_arch; it knows $gs_known, native, all, all-major])])
    # By default only PTX is compressed.  "size" makes a seventh of machine code; nvcc has it since 12.8.
    AC_MSG_CHECKING([how $NVCC compresses device code])
    for gs_compress in ${gs_compressions---compress-mode=size -Xfatbin=-compress-all} ''; do
      test "$gs_tried" = yes || "$NVCC" $gs_arch $gs_compress -c -o conftest.dir/k.o conftest.dir/k.cu >&AS_MESSAGE_LOG_FD 2>&1 && break
    done
    AC_MSG_RESULT([${gs_compress:-not}])
    # For several architectures at once, on as many cores as there are; nvcc has it since 11.2.
    gs_threads=
    AS_CASE([$gs_arch], [*,*|*gencode*gencode*|*all*],
      [AS_IF([test "$gs_tried" = yes || "$NVCC" $gs_arch --threads=0 -c -o conftest.dir/k.o conftest.dir/k.cu >&AS_MESSAGE_LOG_FD 2>&1],
         [gs_threads=" --threads=0"])])
    CUDA_ARCH="$gs_arch${gs_compress:+ $gs_compress}$gs_threads"
    # Of host code, which launches kernels; device code has all of it anyway.
    : ${NVCCFLAGS=-O1}
    gs_cuda_summary="$gs_cuda_summary ($gs_arch)"
    AC_DEFINE_UNQUOTED([GS_CUDA_ARCH], ["$gs_arch"], [GPU architectures, in nvcc's words.])
    AC_DEFINE([HAVE_CUDA], [1], [Define if the GPU module is built.])
  ])
  rm -rf conftest.dir
  AC_SUBST([CUDA_ARCH])
  AC_SUBST([CUDA_CPPFLAGS])
  AC_SUBST([CUDA_LIBS])
  AM_CONDITIONAL([HAVE_CUDA], [test "$gs_cuda_summary" != no])
])
