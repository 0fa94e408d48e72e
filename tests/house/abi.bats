# SPDX-License-Identifier: BSD-2-Clause
# The shared library: what it shows, and that programs compiled with another version go on.

load ../helpers

prepare() {
	library=$GSORT_BUILD/libgsort.so.0
	[ -e "$library" ] || skip "there is no shared library: sanitizer, or --disable-shared"
}

@test "symbols, constants and structs are as in src/libgsort.abi" {
	needs nm cc
	[ "$(getconf LONG_BIT)" = 64 ] || skip "sizes are those of 64 bits"
	"$GSORT_SOURCE/tests/house/abi.sh" "$library" >abi
	[ "$(wc -l <abi)" -gt 150 ]
	diff "$GSORT_SOURCE/src/libgsort.abi" abi || {
		echo "# if programs compiled before go on: tests/house/abi.sh $library >src/libgsort.abi"
		false
	}
}

@test "it is called libgsort.so.0, exports what gsort.h declares, and needs only libc" {
	needs readelf nm
	readelf -d "$library" | grep -q 'SONAME.*\[libgsort\.so\.0\]'
	[ "$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' |
		grep -vxE 'lib(c|m|dl|pthread|stdc\+\+|gcc_s)|ld-linux.*')" = "" ]
	nm -D --defined-only "$library" | sed -n 's/.* T \(.*\)@@GSORT_0/\1/p' | sort >exported
	grep -oE '\bgsort_[a-z_]+\(' "$GSORT_SOURCE/src/gsort.h" | tr -d '(' | sort -u | diff exported -
}

@test "libgsort_cuda.so.0: symbols and constants of src/libgsort_cuda.abi, declared, and only libc needed" {
	library=$GSORT_BUILD/libgsort_cuda.so.0
	[ -e "$library" ] || skip "not built with CUDA"
	needs nm cc readelf
	"$GSORT_SOURCE/tests/house/abi.sh" "$library" gsort_cuda.h >abi
	diff "$GSORT_SOURCE/src/libgsort_cuda.abi" abi || {
		echo "# if programs compiled before go on: tests/house/abi.sh $library gsort_cuda.h >src/libgsort_cuda.abi"
		false
	}
	grep -oE 'gsort_error gsort_[a-z_]+\(|\*gsort_[a-z_]+\(' "$GSORT_SOURCE/src/gsort_cuda.h" | sed 's/.*[ *]//; s/($//' | sort -u >declared
	grep -vE '^(GSORT_|struct )' abi | diff declared -
	[ "$(nm -D --defined-only "$library" | grep -vcE ' (T gsort_cuda_[a-z_]+@@GSORT_CUDA_0|A GSORT_CUDA_0)$')" = 0 ]
	readelf -d "$library" | grep -q 'SONAME.*\[libgsort_cuda\.so\.0\]'
	[ "$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' |
		grep -vxE 'lib(c|m|dl|pthread|rt)|ld-linux.*')" = "" ]
}

@test "gsort_cuda_sort() asks for as much scratch memory as gsort_cuda.h states" {
	library=$GSORT_BUILD/libgsort_cuda.so.0
	[ -e "$library" ] || skip "not built with CUDA"
	needs cc
	cat >scratch.c <<-'END'
		#include <gsort_cuda.h>
		#include <stdio.h>

		/* log2 of keys, and part of the keys in percent: of 32 bits, of 64 bits */
		static const unsigned rows[][3] = {
			{ 17, 410, 410 }, { 19, 410, 410 }, { 21, 250, 250 }, { 26, 43, 22 }, { 28, 22, 17 }, { 30, 14, 14 },
		};

		int main(void)
		{
			int wrong = 0;

			for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++)
				for (unsigned wide = 0; wide < 2; wide++) {
					const size_t count = (size_t)1 << rows[r][0], bytes = count * (wide ? 8 : 4);
					size_t scratch = 0;

					if (gsort_cuda_sort(NULL, NULL, count, wide ? GSORT_U64 : GSORT_U32, 0, NULL, &scratch,
					                    NULL) == GSORT_ERROR_NONE &&
					    scratch <= bytes / 100 * rows[r][1 + wide] && scratch > bytes / 200 * rows[r][1 + wide])
						continue;
					printf("2^%u keys, u%u: %zu bytes\n", rows[r][0], wide ? 64 : 32, scratch);
					wrong = 1;
				}
			return wrong;
		}
	END
	cc -std=c11 -Wall -Werror -I"$GSORT_SOURCE/src" -o scratch scratch.c "$library" "-Wl,-rpath,$GSORT_BUILD"
	./scratch
	grep -A1 '2^26 keys need 43 % (32 bits) or 22 % (64 bits) of their size, 2^28 keys 22 %' \
		"$GSORT_SOURCE/src/gsort_cuda.h" | grep -q 'or 17 %, and 2^30 keys 14 %'
}

@test "gsort_cuda.h is C, and C++, without CUDA's headers" {
	needs cc c++
	printf '#include <gsort_cuda.h>\nint main(void) { return gsort_cuda_message()[0]; }\n' | tee header.c >header.cpp
	cc -std=c11 -Wall -Wextra -Werror -pedantic -I"$GSORT_SOURCE/src" -fsyntax-only header.c
	c++ -std=c++11 -Wall -Wextra -Werror -I"$GSORT_SOURCE/src" -fsyntax-only header.cpp
}

@test "a program of an older and of a newer header runs with this library" {
	needs cc
	cat >ages.c <<-'END'
		#include <assert.h>
		#include <gsort.h>
		#include <stddef.h>
		#include <stdio.h>
		#include <string.h>

		struct newer { struct gsort_options options; int more; };

		int main(void)
		{
			const char *const names[] = { "keys" };
			struct newer newer = { { .struct_size = sizeof newer, .type = GSORT_U8, .inputs = names,
			                         .input_count = 1, .output = "sorted" }, 0 };
			struct gsort_options older;
			gsort *job;

			/* newer, but it uses nothing new */
			assert(gsort_open(&job, &newer.options) == GSORT_OK && gsort_run(job) == GSORT_OK);
			assert(gsort_stats(job)->struct_size == sizeof(struct gsort_stats));
			gsort_close(job);
			newer.more = 1;
			assert(gsort_open(&job, &newer.options) == GSORT_ERROR && job == NULL);
			assert(gsort_last_error() == GSORT_ERROR_USAGE);
			puts(gsort_message());

			/* older: what comes after OUTPUT is not read */
			memset(&older, 0xff, sizeof older);
			memcpy(&older, &newer.options, offsetof(struct gsort_options, in_place));
			older.struct_size = offsetof(struct gsort_options, in_place);
			assert(gsort_open(&job, &older) == GSORT_OK && gsort_run(job) == GSORT_OK);
			gsort_close(job);
			older.struct_size = 0;
			assert(gsort_open(&job, &older) == GSORT_ERROR);
			puts(gsort_message());
			return 0;
		}
	END
	cc -o ages ages.c -I"$GSORT_SOURCE/src" "$library"
	printf 'cab' >keys
	LD_LIBRARY_PATH=$GSORT_BUILD ./ages >printed
	[ "$(cat sorted)" = abc ]
	[[ $(sed -n 1p printed) == *"needs a newer libgsort" ]]
	[[ $(sed -n 2p printed) == "struct_size of the options is 0: set it to sizeof(struct gsort_options)"* ]]
}

@test "what fails has a kind: usage, input, I/O, memory, device, interrupted; each thread its own" {
	needs cc
	cat >kinds.c <<-'END'
		#include <assert.h>
		#include <gsort.h>
		#include <pthread.h>
		#include <signal.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>

		static gsort *running;

		static enum gsort_error run(struct gsort_options options)
		{
			gsort *job;
			gsort_status status;

			options.struct_size = sizeof options;
			status = gsort_open(&job, &options);
			if (status == GSORT_OK) {
				running = job;
				status = gsort_run(job);
			}
			gsort_close(job);
			return status == GSORT_ERROR ? gsort_last_error() : GSORT_ERROR_NONE;
		}

		static ptrdiff_t endless(void *context, void *into, size_t bytes)
		{
			size_t *left = context;

			if (*left > 0 && --*left == 0)
				gsort_interrupt(running);
			memset(into, '\n', bytes);
			for (size_t at = 1; at < bytes; at += 2)
				((char *)into)[at - 1] = '1';
			return (ptrdiff_t)bytes;
		}

		static void alarmed(int signal)
		{
			(void)signal;
			gsort_interrupt(running);
		}

		static void *other(void *context)
		{
			(void)context;
			assert(gsort_last_error() == GSORT_ERROR_NONE && gsort_message()[0] == '\0');
			return NULL;
		}

		int main(void)
		{
			const char *const text[] = { "text" }, *const missing[] = { "missing" }, *const fifo[] = { "fifo" };
			const char *const both[] = { "/dev/null", "fifo" }, *const silent[] = { "fifo", "other" };
			const struct gsort_key key = { .type = GSORT_U32, .bytes = 4 };
			struct sigaction action = { .sa_handler = alarmed };
			size_t reads = 3;
			pthread_t thread;

			assert(run((struct gsort_options){ .head = true, .operation = GSORT_CHECK }) == GSORT_ERROR_USAGE);
			assert(run((struct gsort_options){ .inputs = text, .input_count = 1, .output = "out" })
			       == GSORT_ERROR_INPUT);
			assert(run((struct gsort_options){ .inputs = missing, .input_count = 1, .output = "out" })
			       == GSORT_ERROR_IO);
			assert(run((struct gsort_options){ .inputs = text, .input_count = 1, .output = "out",
			       .type = GSORT_U32, .device = GSORT_DEVICE_GPU }) == GSORT_ERROR_DEVICE);
			assert(strcmp(gsort_message(), "") != 0);
			pthread_create(&thread, NULL, other, NULL);
			pthread_join(thread, NULL);

			/* while it reads from memory without end; then while it waits for a FIFO */
			assert(run((struct gsort_options){ .read = endless, .read_context = &reads, .output = "out" })
			       == GSORT_ERROR_INTERRUPTED);
			assert(strcmp(gsort_message(), "interrupted") == 0);
			assert(access("out", F_OK) != 0);
			sigaction(SIGALRM, &action, NULL);
			alarm(1);
			assert(run((struct gsort_options){ .inputs = fifo, .input_count = 1, .output = "out" })
			       == GSORT_ERROR_INTERRUPTED);
			assert(access("out", F_OK) != 0);
			alarm(1);
			assert(run((struct gsort_options){ .inputs = fifo, .input_count = 1, .operation = GSORT_CHECK })
			       == GSORT_ERROR_INTERRUPTED);
			for (int lines = 0; lines < 2; lines++) {
				alarm(1);
				assert(run((struct gsort_options){ .inputs = both, .input_count = 2, .set = GSORT_UNION,
				       .lines = lines, .output = "out" }) == GSORT_ERROR_INTERRUPTED);
				assert(access("out", F_OK) != 0);
				alarm(1);		/* items of both are read side by side */
				assert(run((struct gsort_options){ .inputs = silent, .input_count = 2, .set = GSORT_UNION,
				       .lines = lines, .record_bytes = lines ? 0 : 4, .keys = &key,
				       .key_count = !lines, .output = "out" }) == GSORT_ERROR_INTERRUPTED);
				assert(access("out", F_OK) != 0);
			}
			return 0;
		}
	END
	cc -o kinds kinds.c -I"$GSORT_SOURCE/src" "$library" -pthread
	echo one >text			# no number, and 4 bytes
	mkfifo fifo other
	exec 9<>fifo 8<>other		# somebody has them open, and writes nothing
	LD_LIBRARY_PATH=$GSORT_BUILD ./kinds
	exec 9>&-
}
