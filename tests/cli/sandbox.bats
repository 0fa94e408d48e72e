# SPDX-License-Identifier: BSD-2-Clause
# What a decompressor that has been taken over can do: nothing.  A preloaded read() stands
# for it: from the first read of compressed bytes on it tries, and tells on descriptor 9.

load ../helpers

setup_file() {
	command -v cc >/dev/null || return 0
	file_folder
	cat >"$BATS_FILE_TMPDIR/taken.c" <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <fcntl.h>
		#include <pthread.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/ioctl.h>
		#include <sys/prctl.h>
		#include <sys/resource.h>
		#include <sys/socket.h>
		#include <sys/stat.h>
		#include <sys/syscall.h>
		#include <sys/xattr.h>
		#include <unistd.h>

		static int tries, threads;

		static void
		tell(const char *what, int result)
		{
			dprintf(9, "%s %s\n", what, result >= 0 ? "done" : strerror(errno));
		}

		/* Threads, and how many there were when the first step into the sandbox was made. */
		int
		pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		               void *(*run)(void *), void *context)
		{
			int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
				(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))
				dlsym(RTLD_NEXT, "pthread_create");

			threads++;
			return real(thread, attributes, run, context);
		}

		int
		prctl(int option, ...)
		{
			if (getenv("THREADS") != NULL)
				dprintf(9, "%d threads\n", threads);
			return (int)syscall(SYS_prctl, option, 1L, 0L, 0L, 0L);
		}

		/* The third read is of the decompressor: the magic was the first or second. */
		ssize_t
		read(int fd, void *to, size_t bytes)
		{
			static ssize_t (*real)(int, void *, size_t);
			char *const arguments[] = { "true", NULL };
			struct rlimit limit;
			int child;

			if (real == NULL)
				real = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
			if (bytes > 1000 && tries++ == 1) {
				tell("read", open(getenv("SECRET"), O_RDONLY));
				tell("write", open(getenv("PLACE"), O_WRONLY | O_CREAT, 0600));
				tell("connect", socket(AF_INET, SOCK_STREAM, 0));
				tell("run", execv("/bin/true", arguments));
				tell("mode", chmod(getenv("SECRET"), 04777));
				tell("mode beside", fchmodat(AT_FDCWD, getenv("SECRET"), 04777, 0));
				tell("owner", chown(getenv("SECRET"), 0, 0));
				tell("times", utimensat(AT_FDCWD, getenv("SECRET"), NULL, 0));
				tell("attribute", setxattr(getenv("SECRET"), "user.a", "b", 1, 0));
				tell("cut", truncate(getenv("SECRET"), 0));
				tell("remove", unlink(getenv("SECRET")));
				tell("signal", kill(getppid(), 0));
				tell("signal when ready", fcntl(fd, F_SETOWN, getppid()));
				tell("signal a thread", (int)syscall(SYS_tkill, getppid(), 0));
				tell("signal its thread", (int)syscall(SYS_tgkill, getppid(), getppid(), 0));
				tell("signal myself", raise(0));
				tell("limit", prlimit(getppid(), RLIMIT_CPU, NULL, &limit));
				tell("limit myself", prlimit(0, RLIMIT_CPU, NULL, &limit));
				child = (int)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
				if (child == 0)
					_exit(0);
				tell("fork", child);
				tell("look into", (int)syscall(434, getppid(), 0));	/* pidfd_open */
				tell("type", ioctl(2, TIOCSTI, "x"));
				tell("type, high bits set", (int)syscall(SYS_ioctl, 2, TIOCSTI | 1L << 32, "x"));
				tell("paste", ioctl(2, TIOCLINUX, "x"));
			}
			return real(fd, to, bytes);
		}
	END
	cc -shared -fPIC -o "$BATS_FILE_TMPDIR/taken.so" "$BATS_FILE_TMPDIR/taken.c" -ldl
	cat >"$BATS_FILE_TMPDIR/has.c" <<-'END'
		#define _GNU_SOURCE
		#include <errno.h>
		#include <sys/prctl.h>
		#include <unistd.h>

		/* Landlock's version; a filter for seccomp(2) that is nowhere. */
		int
		main(void)
		{
			return syscall(444, NULL, 0, 1) < 1 ||
			       prctl(PR_SET_SECCOMP, 2, NULL, 0, 0) == 0 || errno != EFAULT;
		}
	END
	cc -o "$BATS_FILE_TMPDIR/has" "$BATS_FILE_TMPDIR/has.c"
}

# taken INPUT OPTION...: sort a file with a decompressor that is not what it should be
taken() {
	mkdir -p secret out temp
	echo secret >secret/key
	SECRET=$PWD/secret/key PLACE=$PWD/secret/new LD_PRELOAD=$BATS_FILE_TMPDIR/taken.so \
		gsort -T temp "$@" 9>told
}

# Has this kernel what the sandbox is made of?  It is asked, not gsort, which might be wrong.
needs_sandbox() {
	needs cc gzip
	"$BATS_FILE_TMPDIR/has" || skip "this kernel has not both Landlock and seccomp"
}

@test "a decompressor that is taken over reads, writes, calls and starts nothing" {
	needs_sandbox
	seq 300000 | gzip >in.gz
	for input in file pipe; do
		rm -f told
		if [ $input = file ]; then taken in.gz -o out/sorted; else taken <in.gz >sorted; fi || true
		[ -s told ] || continue
		printf '%s\n' 'read Permission denied' 'write Permission denied' \
			'connect Operation not permitted' 'run Operation not permitted' \
			'remove Permission denied' >expected
		for try in mode 'mode beside' owner times attribute cut signal 'signal when ready' 'signal a thread' \
			'signal its thread' limit fork 'look into' type \
			'type, high bits set' paste; do
			echo "$try Operation not permitted"
		done | cat - <(printf '%s done\n' 'signal myself' 'limit myself') | sort - expected -o expected
		# Who looks for leaks is a process (base/sandbox.c).
		not is_sanitized || sed -i 's/^fork .*/fork done/' expected
		sort told -o told
		diff expected told
		[ ! -e secret/new ]
		[ "$(cat secret/key)" = secret ]
		seen=yes
	done
	[ "${seen-}" = yes ]
}

@test "of files that are compressed no thread is older than the sandbox" {
	# Landlock binds a thread and those that it starts; SIGUSR1 has one, too.
	needs_sandbox
	seq 300000 | gzip >in.gz
	THREADS=1 taken in.gz -o out/sorted || true
	[ "$(head -n 1 told)" = "0 threads" ]
}

@test "without the sandbox it does" {
	needs_sandbox
	seq 300000 | gzip >in.gz
	taken --no-sandbox in.gz >sorted || true
	grep -qx 'read done' told
	grep -qx 'connect done' told
}

# A kernel without $1: landlock, seccomp, or both.
kernel_without() {
	cat >kernel.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/syscall.h>

		long
		syscall(long call, long a, long b, long c, long d, long e, long f)
		{
			long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
			const char *lacks = getenv("LACKS");

			if ((call == SYS_landlock_create_ruleset && strstr(lacks, "landlock") != NULL) ||
			    (call == SYS_seccomp && strstr(lacks, "seccomp") != NULL)) {
				errno = ENOSYS;
				return -1;
			}
			return next(call, a, b, c, d, e, f);
		}
	END
	[ -e kernel.so ] || cc -shared -fPIC -o kernel.so kernel.c -ldl
	LACKS=$1 LD_PRELOAD=$PWD/kernel.so gsort --debug "${@:2}"
}

@test "what a kernel lacks is done without, and told" {
	needs_sandbox
	not grep -aqE 'lib[at]san\.so' "$GSORT" || skip "a sanitizer comes first"
	seq 1000 | gzip >in.gz
	while read -r lacks said; do
		kernel_without "$lacks" in.gz 2>told | cmp - <(seq 1000)
		grep -q "^gsort: sandbox: $said\$" told
	done <<-'END'
		landlock calls
		seccomp files
		landlock,seccomp this kernel has none
	END
}

@test "confined jobs do all they should" {
	needs gzip bzip2 xz zstd lz4
	seq 300000 | shuf --random-source=<(yes) >lines
	seq 300000 >sorted
	mkdir out temp links
	for tool in gzip bzip2 xz zstd lz4; do
		$tool -c lines >in.$tool
		gsort in.$tool -o out/$tool
		cmp sorted out/$tool
		gsort in.$tool -o out/$tool	# replaces it
		gsort <in.$tool | cmp sorted
		ln -sf ../out/$tool links/$tool
		gsort in.$tool -o links/$tool
		cmp sorted out/$tool
	done
	[ "$(ls -A out | wc -l)" = 5 ]
	gen --seed 3 --keys 3000000 --type u64 >wide
	gzip -1 <wide >wide.gz
	gsort -u64 -S 16M -T temp wide.gz -o out/wide
	gsort -u64 wide | cmp out/wide
	TMPDIR=$PWD/temp gsort -u64 -S 16M wide.gz | cmp out/wide
	gzip -k sorted
	gsort -m sorted.gz <(gzip <sorted) | cmp <(gsort sorted sorted)
	gsort -c <(gzip <sorted)
	LD_LIBRARY_PATH=/nowhere::$PWD/temp gsort in.gzip | cmp - sorted
	cat sorted >plain
	gsort plain in.gzip plain <(xz <lines) >four
	[ "$(wc -l <four)" = 1200000 ]
	[ -z "$(ls -A temp)" ]
}

@test "a program for temporary files can still be run" {
	needs gzip
	gen --seed 3 --keys 3000000 --type u64 >wide
	gzip -1 <wide >wide.gz
	gsort -u64 -S 16M --compress-program=gzip wide.gz --debug 2>told | cmp <(gsort -u64 wide)
	grep -q 'no sandbox' told
}
