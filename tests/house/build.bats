# SPDX-License-Identifier: BSD-2-Clause
# What was built, and what installing it gives.

load ../helpers

prepare() {
	[ -e "$GSORT_BUILD/Makefile" ] || skip "$GSORT_BUILD is no build folder"
	unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
	prefix=$(sed -n 's/^prefix = //p' "$GSORT_BUILD/Makefile")
	root=$PWD/root$prefix
	libdir=$PWD/root$(PKG_CONFIG_PATH=$GSORT_BUILD pkg-config --variable=libdir gsort)
}

install() {
	make -s -C "$GSORT_BUILD" install DESTDIR="$PWD/root" "$@" >log 2>&1 || { cat log; return 1; }
}

@test "the program needs neither the C++ library nor a CUDA library" {
	needs readelf			# not ldd: libarchive may need what it likes
	readelf -d "$GSORT" | grep NEEDED >libraries
	not grep libcuda libraries
	grep -qs '^STDCXX_LIBS = .*libstdc++\.a' "$GSORT_BUILD/Makefile" || skip "no static C++ library"
	not grep 'libstdc++' libraries
}

# A loop that is not unrolled takes 1.5 times as long, and gcc 13 does not unroll one that halves its variable.
@test "the compiler unrolls the networks of vectors" {
	local object=$GSORT_BUILD/src/sort/cpu/simd_kernels.o
	needs objdump
	skips_under_sanitizer "its calls are in the code"
	[ "$(uname -m)" = x86_64 ] || skip "x86-64 alone has them"
	grep -qE '^CFLAGS = .*-O[23]' "$GSORT_BUILD/Makefile" || skip "not optimized"
	objdump -d --no-show-raw-insn "$object" | awk -F'\t' '
		/>:$/ { inside = /<merge_near_(avx|floats)/; networks += inside }
		inside && $2 ~ /^j/ { jumps++ }
		END { print networks, jumps; exit networks == 0 || jumps > 4 * networks }'
}

@test "configure sums up the versions of the libraries" {
	for library in zstd lz4 libarchive liblzma zlib; do
		grep -qE "^ +$library +[0-9]+\\.[0-9]" "$GSORT_BUILD/config.log" || { echo $library; false; }
	done
}

@test "an ELF note declares each library that is loaded at run time" {
	local note
	needs readelf objcopy strip
	cd "$GSORT_SOURCE"
	grep -ohE '"lib[a-z0-9]+\.so\.[0-9]+"' src/*/*.{c,h,def} | sort -u >"$BATS_TEST_TMPDIR/sources"
	cd "$BATS_TEST_TMPDIR"
	[ "$(wc -l <sources)" -ge 5 ]
	strip -o stripped "$GSORT"		# notes outlive it
	objcopy -O binary --only-section=.note.dlopen stripped notes
	tr '\0' '\n' <notes | grep -ao '\[{.*' >texts
	[ "$(readelf -n stripped | grep -oE ' FDO +0x[0-9a-f]+' | wc -l)" = "$(wc -l <texts)" ]
	while read -r note; do
		grep -qE '^\[\{"soname":\["lib[a-z0-9]+\.so\.[0-9]+"\],"feature":"[a-z0-9]+","description":"[A-Z][A-Za-z0-9 ,]+","priority":"(recommended|suggested)"\}\]$' <<<"$note" ||
			{ echo "$note"; false; }
	done <texts
	grep -oE '"lib[a-z0-9]+\.so\.[0-9]+"' texts | sort | diff sources -
}

@test "install puts program, library, manual and completions in place" {
	install
	[ -s "$libdir/libgsort.a" ]
	[ ! -e "$GSORT_BUILD/libgsort.so.0" ] || [ -s "$libdir/libgsort.so" ]
	[ ! -e "$GSORT_BUILD/libgsort_cuda.so.0" ] || [ -s "$libdir/libgsort_cuda.so" ]
	[ ! -e "$GSORT_BUILD/libgsort_cuda.so.0" ] || [ -s "$libdir/pkgconfig/gsort-cuda.pc" ]
	[ -s "$libdir/pkgconfig/gsort.pc" ]
	for file in bin/gsort include/gsort.h share/man/man1/gsort.1 share/man/man3/gsort.3 \
	            share/man/man3/gsort_sort.3 share/man/man7/gsort-cookbook.7 \
	            share/bash-completion/completions/gsort share/zsh/site-functions/_gsort \
	            share/fish/vendor_completions.d/gsort.fish share/doc/gsort/README.md share/doc/gsort/NEWS \
	            share/doc/gsort/COPYING share/doc/gsort/examples/ranks.c; do
		[ -s "$root/$file" ] || { echo "$file"; find root; false; }
	done
	[ "$(printf '2\n1\n' | "$root/bin/gsort")" = "$(printf '1\n2')" ]
	links=$(grep -oE '\]\([^)#]+' "$root/share/doc/gsort/README.md" | cut -c 3-)
	[ -n "$links" ]
	for link in $links; do	# what it links to is installed, too
		[ -e "$root/share/doc/gsort/$link" ] || { echo "$link"; false; }
	done
	make -s -C "$GSORT_BUILD" uninstall DESTDIR="$PWD/root" >log 2>&1
	[ -z "$(find root ! -type d)" ]
}

@test "another name reaches program, manual and completions; so does the folder of the link called sort" {
	install program_transform_name='s/gsort/numsort/' libexecdir=/usr/libexec
	[ -h root/usr/libexec/gsort/sort ]
	grep -qF 'PATH=/usr/libexec/gsort:$PATH' "$root/share/man/man1/numsort.1"
	grep -qF 'PATH=/usr/libexec/gsort:$PATH' "$root/share/doc/gsort/README.md"
	for file in bin/numsort share/man/man1/numsort.1 share/man/man7/numsort-cookbook.7 \
	            share/bash-completion/completions/numsort \
	            share/zsh/site-functions/_numsort \
	            share/fish/vendor_completions.d/numsort.fish; do
		[ -s "$root/$file" ] || { echo "$file"; find root; false; }
	done
	[ -z "$(find "$root" -type f -name '*gsort*' ! -name 'libgsort*' ! -name 'gsort.[hp]*' \
		! -name 'gsort[-_]cuda.*' ! -path '*/man3/*')" ]
	for page in "$root"/share/man/man[17]/*; do
		grep -q '^\.TH NUMSORT' "$page"
		grep -A 1 '^\.SH NAME' "$page" | grep -q '^numsort.* \\- '
		! sed 's/--*argsort//g; s/gsort (3)//; s,/gsort/gsort\\-cuda,,; s,libexec/gsort,,' "$page" | grep -w 'gsort' ||
			{ echo "$page"; false; }
	done
	# functions keep their names, and each has a page
	grep -q '^\.BR numsort (1)' "$root/share/man/man3/gsort.3"
	[ "$(cat "$root/share/man/man3/gsort_sort.3")" = ".so man3/gsort.3" ]
	grep -q -- '-F _gsort numsort$' "$root/share/bash-completion/completions/numsort"
	head -n 1 "$root/share/zsh/site-functions/_numsort" | grep -qx '#compdef numsort'
	not grep -w -- '-c gsort' "$root/share/fish/vendor_completions.d/numsort.fish"
	[ "$(printf '2\n1\n' | "$root/bin/numsort" -r)" = "$(printf '2\n1')" ]
}

@test "the installed library sorts for a program of ten lines" {
	skips_under_sanitizer "the library links with nothing but it"
	needs cc
	install
	cat >client.c <<-'END'
	#include <gsort.h>
	#include <stdio.h>

	int main(void)
	{
		const char *names[] = { "keys" };
		struct gsort_options options = { .struct_size = sizeof options, .type = GSORT_U16,
		                                 .inputs = names, .input_count = 1,
		                                 .output = "sorted", .device = GSORT_DEVICE_CPU };
		gsort *job;
		int status = 0;

		if (gsort_open(&job, &options) != GSORT_OK || gsort_run(job) != GSORT_OK) {
			puts(gsort_message());
			status = 1;
		}
		gsort_close(job);
		return status;
	}
	END
	# shellcheck disable=SC2046
	cc -o client client.c $(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config \
		--define-variable=prefix="$root" --cflags --libs gsort)
	export LD_LIBRARY_PATH=$libdir
	gen --keys 1000 --type u16 >keys
	./client
	is_sorted sorted u16
	same_keys keys sorted u16
	rm keys
	run ./client
	[ "$status" -eq 1 ]
	[[ $output == *keys*"No such file"* ]]
}

@test "the example of CUDA compiles with what is installed, and runs where there is a GPU" {
	left_to_ci "nvcc"
	nvcc=$(sed -n 's/^NVCC = //p' "$GSORT_BUILD/Makefile")
	[ -x "$nvcc" ] && [ -e "$GSORT_BUILD/libgsort_cuda.so.0" ] || skip "a build without CUDA"
	install
	export LD_LIBRARY_PATH=$libdir
	# shellcheck disable=SC2046
	"$nvcc" -o device_sort "$root/share/doc/gsort/examples/device_sort.cu" \
		$(PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config --define-variable=prefix="$root" --cflags --libs gsort-cuda)
	needs_gpu
	[ "$(./device_sort)" = "from 2295.0 down to -2000.0" ]
}

@test "clang, too, compiles everything without a warning" {
	left_to_ci "a build with clang"
	needs clang clang++
	mkdir build
	(cd build && "$GSORT_SOURCE/configure" -q CC=clang CXX=clang++ CFLAGS=-O2 CXXFLAGS=-O2 --without-cuda \
		--enable-werror) >log 2>&1 || { tail log; false; }
	make -s -k -C build -j2 gsort >log 2>&1 || { grep -A 5 'error:' log; false; }
	# of the tests nothing is linked: only the warnings count, all of which are of the parser
	make -s -k -C build -j2 tests/unit/units tests/tools/gen tests/tools/measure tests/fault/fault_runner \
		CFLAGS=-fsyntax-only >log 2>&1 || true
	not grep -A 5 -E ':[0-9]+: error:' log
}

@test "a big-endian machine is refused by configure, and by the compiler" {
	mkdir build
	(cd build && not env ac_cv_c_bigendian=yes "$GSORT_SOURCE/configure" -q --without-cuda 2>err)
	grep -q '^configure: error: gsort runs on little-endian machines only: ' build/err
	needs cc
	echo '#include "key/key.h"' >big.c
	cc -std=c11 -D_GNU_SOURCE -fsyntax-only "-I$GSORT_SOURCE/src" big.c
	not cc -std=c11 -D_GNU_SOURCE -fsyntax-only -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__ \
		"-I$GSORT_SOURCE/src" big.c 2>err
	grep -q 'gsort runs on little-endian machines only' err
}

@test "calls that only Linux has are in the files that have a fallback" {
	cd "$GSORT_SOURCE/src"
	grep -rlE '<linux/|<sys/(eventfd|prctl|syscall|vfs|xattr)\.h>|\b(eventfd|fallocate|flistxattr|memfd_create|pipe2|prctl|sched_getaffinity|splice|statfs|statx|syscall|vmsplice)\([^2]|O_TMPFILE [|]|F_SETPIPE_SZ,|MADV_[A-Z]*HUGE' \
		--include=*.[ch] . | grep -v '^./gpu/cuda/' | sort >"$BATS_TEST_TMPDIR/found" || true
	printf './base/%s\n' arena.c cores.c filesystem.c pipe.c sandbox.c shared.c futex.c | sort | diff - "$BATS_TEST_TMPDIR/found"
}

@test "without what only Linux has, the main tests pass" {
	left_to_slow "a build with CPPFLAGS=-DGS_PORTABLE"
	mkdir build
	(cd build && "$GSORT_SOURCE/configure" -q --without-cuda CPPFLAGS=-DGS_PORTABLE) >log 2>&1 || { cat log; false; }
	make -s -C build -j2 gsort tests/tools/gen tests/tools/measure tests/unit/units >log 2>&1 || { tail log; false; }
	not grep -qE 'sched_getaffinity|vmsplice|fallocate|statx|pipe2' <(nm -D --undefined-only build/gsort)
	unset GSORT_CI GSORT_SLOW
	for module in $(build/tests/unit/units); do
		build/tests/unit/units "$module" >log || { cat log; false; }
	done
	# without O_TMPFILE a file that is being written has a name, which SIGKILL leaves behind; and without
	# statfs() no folder is known to be in memory
	GSORT=$PWD/build/gsort GSORT_BUILD=$PWD/build "$GSORT_SOURCE/tests/run" \
		"$GSORT_SOURCE"/tests/cli/{gnu,input,keys,merge,output,spill}.bats >log 2>&1 || true
	sed -nE 's/^not ok [0-9]+ //p' log | LC_ALL=C sort >failed
	diff failed - <<-'END' || { grep -A 9 '^not ok' log; false; }
	SIGKILL at any moment leaves no temporary file, and the output as it was
	a directory in memory is reported by -vv
	a signal while waiting for input leaves nothing behind
	an existing file is untouched by signals, and nothing is left behind
	END
	grep -qE '^[0-9]{3} passed, 4 failed' log
}

@test "the commands of CONTRIBUTING.md and HACKING.md exist, and quick ones run as printed" {
	[ -e "$GSORT_BUILD/Makefile" ] || skip "$GSORT_BUILD is no build folder"
	local command number=0
	for file in "$GSORT_SOURCE"/*; do ln -s "$file" .; done
	rm -f build && ln -s "$GSORT_BUILD" build
	unset GSORT GSORT_BUILD GSORT_SOURCE GSORT_CI GSORT_SLOW
	grep -ohE '`(make|tests/run|build/|\./bootstrap)[^`]*`' CONTRIBUTING.md HACKING.md | tr -d '`' | sort -u >commands
	while read -r command; do
		case $command in
		*\ tests/cli/opts.bats*|*FILE*) set -- $command	# as its files are, and the runner
			for file in "${@:2}"; do [ -e "$file" ] || [ "$file" = FILE ] || { echo "$command"; false; }; done ;;
		tests/run*|build/*)
			bash -c "$command" >told 2>&1 </dev/null || { echo "$command"; cat told; false; }
			number=$((number + 1)) ;;
		./bootstrap*) set -- $command
			[ $# -eq 1 ] || [ "$2" = -- ] || grep -q "^#     ./bootstrap $2 " bootstrap || { echo "$command"; false; } ;;
		"make -C build "*) set -- $command
			grep -qE "^([a-z-]+ )*$4( [a-z-]+)*:" build/Makefile || { echo "$command"; false; } ;;
		make) ;;
		*) echo "$command: in which folder?"; false ;;
		esac
	done <commands
	[ $number -ge 4 ]
	tests/run --filter 'no such row' tests/cli/files0.bats --jobs 1 >told 2>&1 || true
	grep -q 'files of tests against .*/gsort' told
	mkdir bare && touch bare/{Makefile,config.status,gsort} && chmod +x bare/gsort
	not tests/run --verbose 2>err && grep -q '^tests/run: --verbose is not an option' err
	not env GSORT_BUILD=bare tests/run tests/cli/files0.bats 2>err
	grep -qF "tools/gen is missing: run 'make -C $PWD/bare check-programs'" err
}

# Headers of codecs are the same everywhere.
codec_headers() {
	mkdir -p "$1"
	for header in zlib zconf zstd zstd_errors lz4 lzma lzma/ archive archive_entry; do
		for folder in /usr/include /usr/include/*-linux-gnu; do
			[ ! -e "$folder/${header%/}.h" ] || cp "$folder/${header%/}.h" "$1"
			[[ $header != */ ]] || [ ! -d "$folder/$header" ] || cp -r "$folder/$header" "$1"
		done
	done
}

# A build for another machine sorts as the one here; WHAT runs it.
sorts_as_here() {
	for type in u8 i16 u32 i64 f32 f64; do
		gen --keys 100000 --type $type >keys
		"$@" -$type keys | cmp - <("$GSORT" -$type keys)
	done
	seq 1 100000 | sort -R >lines
	"$@" lines | cmp - <(seq 1 100000)
	# 1 to 20 digits, signs, zeros, CRs, and what is too large: vectors of x86-64 read them
	awk 'BEGIN { for (n = 1; n <= 50000; n++) print (n % 2 ? "" : "-") substr(n * 7919 "00123456789012345678", 1, n % 20 + 1) \
		(n % 9 ? "" : "\r"); print "18446744073709551615"; print "18446744073709551616" }' >numbers
	"$@" --invalid=ignore numbers | cmp - <("$GSORT" --invalid=ignore numbers)
	"$@" -k1 lines | cmp - <(LC_ALL=C sort lines)
	printf '1.5\n-2e3\n1e-300\n' | "$@" -g | cmp - <(printf -- '-2000\n1e-300\n1.5\n')
	gen --keys 2000000 --type u64 >keys
	"$@" -u64 -S 10M keys >sorted
	is_sorted sorted u64
	same_keys keys sorted u64
}

# zig, a compiler of C and C++ with the libraries of other systems (PyPI: ziglang).
needs_zig() {
	if command -v zig >/dev/null; then
		zig=$(command -v zig)
	elif python3 -c 'import ziglang' 2>/dev/null; then
		zig=$(python3 -c 'import ziglang, os; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
	else
		skip "zig is not installed (pip install ziglang)"
	fi
}

@test "with musl, statically linked, it sorts what it sorts here" {
	left_to_slow "a build with musl"
	needs_zig
	codec_headers build/headers
	cpu=-mcpu=x86_64+evex512	# of some versions of LLVM, that all of AVX-512 may be used
	"$zig" cc -target x86_64-linux-musl $cpu -E - </dev/null >/dev/null 2>&1 && [ "$(uname -m)" = x86_64 ] || cpu=
	for word in cc c++; do
		printf '#!/bin/sh\nexec "%s" %s -target %s-linux-musl %s "$@"\n' "$zig" $word "$(uname -m)" \
			"$cpu" >build/$word
		chmod +x build/$word
	done
	(cd build && "$GSORT_SOURCE/configure" -q --without-cuda --disable-shared CC="$PWD/cc" CXX="$PWD/c++" \
		CPPFLAGS="-isystem $PWD/headers" LDFLAGS=-static) >log 2>&1 || { cat log; false; }
	make -s -C build -j2 gsort >log 2>&1 || { tail log; false; }
	not grep -q NEEDED <(readelf -d build/gsort)
	sorts_as_here build/gsort
}

@test "all of it compiles for FreeBSD" {
	left_to_slow "FreeBSD"
	needs_zig
	codec_headers headers
	for file in "$GSORT_SOURCE"/src/*/*.c "$GSORT_SOURCE"/src/{sort,ranks}/*/*.c; do
		case $file in */ranks_mpi.c|*/launch_mpi.c) continue;; esac	# they need mpi.h
		"$zig" cc -target aarch64-freebsd -std=c11 -D_GNU_SOURCE -DHAVE_CONFIG_H -DGS_PKGLIBDIR='""' -c \
			-Iheaders "-I$GSORT_BUILD" "-I$GSORT_SOURCE/src" -o object.o "$file"
	done
}

# Static, so that no library of the other machine is needed.
@test "cross-compiled for aarch64, it sorts what it sorts here" {
	left_to_slow "a build for aarch64"
	needs aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64
	codec_headers build/headers
	(cd build && "$GSORT_SOURCE/configure" -q --host=aarch64-linux-gnu --without-cuda --disable-shared \
		CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++ CPPFLAGS="-isystem $PWD/headers" LDFLAGS=-static \
		PKG_CONFIG="$(command -v pkg-config)") >log 2>&1 || { cat log; false; }
	make -s -C build -j2 gsort >log 2>&1 || { cat log; false; }
	sorts_as_here qemu-aarch64 build/gsort
}
