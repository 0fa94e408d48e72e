# SPDX-License-Identifier: BSD-2-Clause
# A decompressor that an attacker has taken over can do nothing.  A preloaded read() plays it: from
# the first read of compressed bytes on it tries, and reports on descriptor 9.

# The calls that a job may make (base/sandbox.c), in glibc and musl; all others fail.
may_call='access brk clock_getres clock_gettime clock_nanosleep clone close exit exit_group faccessat
	faccessat2 fadvise64 fallocate fcntl fdatasync fstat fstatfs fsync ftruncate futex getcpu getpid getrandom getrlimit
	getrusage gettid gettimeofday ioctl kill link linkat lseek lstat madvise membarrier mmap mprotect mremap
	munmap nanosleep newfstatat open openat pipe pipe2 poll ppoll pread64 prlimit64 pwrite64 read readlink
	readlinkat readv rename renameat renameat2 restart_syscall rseq rt_sigaction rt_sigprocmask rt_sigreturn
	rt_sigtimedwait sched_getaffinity sched_yield set_robust_list sigaltstack stat statfs statx sysinfo
	tgkill time uname unlink unlinkat vmsplice write writev'

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
		#include <sched.h>
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
		static const short may_call[] = {
		#include "may_call.h"
		};

		static void
		tell(const char *what, int result)
		{
			dprintf(9, "%s %s\n", what, result >= 0 ? "done" : strerror(errno));
		}

		/* The filter denies it: not the kernel, because an argument is wrong. */
		static void
		denied(const char *what, long result)
		{
			dprintf(9, "%s %s\n", what, result >= 0 ? "done" :
			        errno == EPERM || errno == ENOSYS ? "denied" : strerror(errno));
		}

		/* Every call that is not on the list, also of kernels to come. */
		static void
		walk(void)
		{
			unsigned walked = 0, others = 0;

			denied("name", prctl(15, "x"));
			denied("thread elsewhere", syscall(SYS_clone, CLONE_THREAD | CLONE_SIGHAND | CLONE_VM | CLONE_NEWNET,
			                                   NULL, NULL, NULL, NULL));
			for (int call = 0; call <= 600; call++) {
				size_t m = 0;
				long result;

		#ifdef __x86_64__	/* uretprobe and uprobe: no filter sees them, and SIGILL follows */
				if (call == 335 || call == 336)
					continue;
		#endif
				while (m < sizeof may_call / sizeof *may_call && may_call[m] != call)
					m++;
				if (m < sizeof may_call / sizeof *may_call)
					continue;
				errno = 0;
				result = syscall(call, -1L, -1L, -1L, -1L, -1L, -1L);
				if (result == 0 && getpid() != (int)syscall(SYS_gettid))
					_exit(0);	/* fork(2) */
				walked++;
				if (result >= 0 || (errno != EPERM && errno != ENOSYS)) {
					others++;
					dprintf(9, "call %d: %ld, %s\n", call, result, strerror(errno));
				}
			}
			dprintf(9, "walk %s\n", walked > 500 && others == 0 ? "denied" : "done");
		}

		/* Files that are made set-id or sticky, in a folder where files may be made. */
		static void
		make_set_id(void)
		{
			static const int modes[] = { 04755, 02755, 01777, 06600 };
			const int fd = open("temp/mine", O_WRONLY | O_CREAT, 0600);

			tell("make", fd);
			for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
				denied("make set-id", openat(AT_FDCWD, "temp/set-id", O_WRONLY | O_CREAT, modes[m]));
				denied("make set-id, unnamed", open("temp", O_WRONLY | O_TMPFILE, modes[m]));
				denied("set-id, high bits set", syscall(SYS_openat, AT_FDCWD, "temp/set-id",
				                                       O_CREAT | O_WRONLY | 1L << 32, modes[m] | 1L << 32));
				denied("mode of descriptor", fchmod(fd, modes[m]));
			}
			denied("folder", mkdir("temp/set-id", 02755));
			denied("node", mknod("temp/set-id", S_IFREG | 04755, 0));
			tell("unmake", unlink("temp/mine"));
		}

		/* Memory, processors and priorities of other processes; the machine. */
		static void
		reach_others(void)
		{
			struct sched_param first = { .sched_priority = 1 };
			char attributes[24] = { 0 };
			cpu_set_t one;

			CPU_ZERO(&one);
			CPU_SET(0, &one);
			denied("flags of file", syscall(469, AT_FDCWD, getenv("SECRET"), attributes, sizeof attributes, 0));
			denied("shared memory", syscall(SYS_shmget, 0, 4096, 0600));
			denied("attach", syscall(SYS_shmat, 0, NULL, 0));
			denied("remove memory", syscall(SYS_shmctl, 0, 0, NULL));
			denied("semaphore", syscall(SYS_semctl, 0, 0, 0, NULL));
			denied("message", syscall(SYS_msgctl, 0, 0, NULL));
			denied("priority", setpriority(PRIO_PROCESS, (id_t)getppid(), 1));
			denied("own priority", setpriority(PRIO_PROCESS, 0, 1));
			denied("processors", sched_setaffinity(getppid(), sizeof one, &one));
			denied("scheduler", sched_setscheduler(getppid(), SCHED_FIFO, &first));
			denied("input priority", syscall(SYS_ioprio_set, 1, getppid(), 3 << 13));
			denied("host", sethostname("x", 1));
			denied("clock", syscall(SYS_clock_adjtime, 0, attributes));
			denied("time", syscall(SYS_settimeofday, NULL, NULL));
			denied("swap", syscall(SYS_swapoff, "/none"));
			denied("quota", syscall(SYS_quotactl, 0, NULL, 0, NULL));
			denied("mount", syscall(433, AT_FDCWD, "/", 0));	/* fspick */
			denied("log", syscall(SYS_syslog, 3, attributes, sizeof attributes));
			denied("own limit", prlimit(0, RLIMIT_CORE, &(struct rlimit){ 0, 0 }, NULL));
			denied("lock", fcntl(2, F_SETLK, &(struct flock){ .l_type = F_WRLCK }));
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
				denied("connect", socket(AF_INET, SOCK_STREAM, 0));
				denied("run", execv("/bin/true", arguments));
				denied("mode", chmod(getenv("SECRET"), 04777));
				denied("mode beside", fchmodat(AT_FDCWD, getenv("SECRET"), 04777, 0));
				denied("owner", chown(getenv("SECRET"), 0, 0));
				denied("times", utimensat(AT_FDCWD, getenv("SECRET"), NULL, 0));
				denied("attribute", setxattr(getenv("SECRET"), "user.a", "b", 1, 0));
				denied("cut", truncate(getenv("SECRET"), 0));
				tell("remove", unlink(getenv("SECRET")));
				denied("signal", kill(getppid(), 0));
				denied("signal when ready", fcntl(fd, F_SETOWN, getppid()));
				denied("signal a thread", (int)syscall(SYS_tkill, getppid(), 0));
				denied("signal its thread", (int)syscall(SYS_tgkill, getppid(), getppid(), 0));
				tell("signal myself", raise(0));
				denied("limit", prlimit(getppid(), RLIMIT_CPU, NULL, &limit));
				tell("limit myself", prlimit(0, RLIMIT_CPU, NULL, &limit));
				tell("myself", kill(getpid(), 0));
				child = (int)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
				if (child == 0)
					_exit(0);
				denied("fork", child);
				denied("look into", (int)syscall(434, getppid(), 0));	/* pidfd_open */
				denied("type", ioctl(2, TIOCSTI, "x"));
				denied("type, high bits set", (int)syscall(SYS_ioctl, 2, TIOCSTI | 1L << 32, "x"));
				denied("paste", ioctl(2, TIOCLINUX, "x"));
				reach_others();
				make_set_id();
				if (getenv("SANITIZED") == NULL)
					walk();
			}
			return real(fd, to, bytes);
		}
	END
	for call in $may_call; do
		printf '#ifdef SYS_%s\nSYS_%s,\n#endif\n' "$call" "$call"
	done >"$BATS_FILE_TMPDIR/may_call.h"
	cc -shared -fPIC -o "$BATS_FILE_TMPDIR/taken.so" "$BATS_FILE_TMPDIR/taken.c" -ldl
	cat >"$BATS_FILE_TMPDIR/each.c" <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <fcntl.h>
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/socket.h>
		#include <sys/syscall.h>
		#include <unistd.h>

		static volatile int sandboxed;
		static __thread int told;

		#define NEXT(type, name, ...)	((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

		/* Once a thread, from then on. */
		static void
		probe(const char *where)
		{
			if (!sandboxed || told)
				return;
			told = 1;
			dprintf(9, "%s: read %s, make %s, socket %s\n", where,
			        open(getenv("SECRET"), O_RDONLY) >= 0 ? "done" : "denied",
			        open(getenv("PLACE"), O_WRONLY | O_CREAT, 0600) >= 0 ? "done" : "denied",
			        socket(AF_INET, SOCK_STREAM, 0) >= 0 ? "done" : "denied");
		}

		int
		prctl(int option, ...)
		{
			sandboxed = 1;
			return (int)syscall(SYS_prctl, option, 1L, 0L, 0L, 0L);
		}

		ssize_t
		read(int fd, void *to, size_t bytes)
		{
			probe("read");
			return NEXT(ssize_t, read, int, void *, size_t)(fd, to, bytes);
		}

		ssize_t
		pread(int fd, void *to, size_t bytes, off_t at)
		{
			probe("pread");
			return NEXT(ssize_t, pread, int, void *, size_t, off_t)(fd, to, bytes, at);
		}

		ssize_t
		write(int fd, const void *from, size_t bytes)
		{
			probe("write");
			return NEXT(ssize_t, write, int, const void *, size_t)(fd, from, bytes);
		}

		ssize_t
		pwrite(int fd, const void *from, size_t bytes, off_t at)
		{
			probe("pwrite");
			return NEXT(ssize_t, pwrite, int, const void *, size_t, off_t)(fd, from, bytes, at);
		}

		int
		pthread_mutex_lock(pthread_mutex_t *lock)
		{
			probe("lock");
			return NEXT(int, pthread_mutex_lock, pthread_mutex_t *)(lock);
		}
	END
	cc -shared -fPIC -o "$BATS_FILE_TMPDIR/each.so" "$BATS_FILE_TMPDIR/each.c" -ldl
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
	[ -e secret/key ] || echo secret >secret/key
	cp "$BATS_FILE_TMPDIR/taken.so" .	# other users may not get there
	sanitized=
	not is_sanitized || sanitized=yes	# who looks for leaks calls more (base/sandbox.c)
	$as env ${sanitized:+SANITIZED=1} SECRET=secret/key PLACE=secret/new LD_PRELOAD=./taken.so "$GSORT" -T temp "$@" 9>told
}

# Has this kernel what the sandbox is made of?  It is asked, not gsort, which might be wrong.
needs_sandbox() {
	needs cc gzip
	"$BATS_FILE_TMPDIR/has" || skip "this kernel has not both Landlock and seccomp"
}

# tries_all: no way out is open to the decompressor of a file, nor of a pipe
tries_all() {
	local input seen=''
	for input in file pipe; do
		rm -f told
		if [ $input = file ]; then taken in.gz -o out/sorted; else taken <in.gz >sorted; fi || true
		[ -s told ] || continue
		printf '%s\n' 'read Permission denied' 'write Permission denied' 'remove Permission denied' \
			'signal myself done' 'limit myself done' 'myself done' 'make done' 'unmake done' \
			'walk denied' >expected
		sed -n 's/.*\bdenied("\([^"]*\)".*/\1 denied/p' "$BATS_FILE_TMPDIR/taken.c" >>expected
		[ -z "$sanitized" ] ||
			sed -i 's/^fork .*/fork done/; /^name /d; /^thread elsewhere /d; /^walk /d' expected
		diff <(sort -u expected) <(sort -u told)
		[ ! -e secret/new ]
		[ "$(cat secret/key)" = secret ]
		seen=yes
	done
	[ "$seen" = yes ]
}

@test "a decompressor that is taken over reads, writes, calls and starts nothing" {
	needs_sandbox
	needs setsid
	seq 300000 | gzip >in.gz
	as='setsid -w' tries_all	# without a terminal that it could take away if it were let
}

@test "nor does one of an ordinary user, who has no rights to give up" {
	needs_sandbox
	needs setsid setpriv
	[ "$(id -u)" = 0 ] || skip "the test before was one"
	as="setsid -w setpriv --reuid=12345 --regid=12345 --clear-groups"
	seq 300000 | gzip >in.gz
	mkdir secret out temp
	echo secret >secret/key
	chown -R 12345 .
	chmod a+x "$BATS_TEST_TMPDIR"
	$as test -x "$GSORT" -a -w temp || skip "not everybody can get here"
	tries_all
}

# each_thread: none of any job that reads a compressed pipe can open a file outside, wherever the pipe is among
# the inputs, and whenever it is read
each_thread() {
	local places=('pipe plain plain' 'plain pipe plain' 'plain plain pipe' 'pipe pipe pipe' 'pipe')
	local kind verb file name options inputs number=0
	mkdir -p secret out temp
	echo secret >secret/key
	cp "$BATS_FILE_TMPDIR/each.so" .
	seq 100000 160000 >text
	{ echo n; cat text; } >csv
	head -c 400000 /dev/zero >u32
	for file in text csv u32; do
		gzip -1 -c $file >$file.gz
	done
	mkfifo pipe1 pipe2 pipe3
	[ -z "$as" ] || chown -R 12345 .
	while IFS=: read -r file kind; do
		while read -r name verb; do
			inputs=()
			# shellcheck disable=SC2086
			set -- ${places[number++ % 4]}
			[ "$name" != check ] || set -- pipe
			for input; do
				[ $input = pipe ] || { inputs+=("$file"); continue; }
				inputs+=("pipe$((${#inputs[@]} + 1))")
				cat "$file.gz" >"${inputs[-1]}" 2>/dev/null 3>&- 4>&- &
			done
			rm -f told
			# shellcheck disable=SC2086
			if ! $as env SECRET=secret/key PLACE=secret/new LD_PRELOAD=./each.so \
				"$GSORT" -T temp $kind $verb "${inputs[@]}" >printed 2>err 9>told; then
				echo "gsort $kind $verb ${inputs[*]}"
				cat err
				jobs -p | xargs -r kill
				return 1
			fi
			if [ ! -s told ] || grep -q done told || [ -e secret/new ]; then
				echo "gsort $kind $verb ${inputs[*]}: $*"
				cat told
				return 1
			fi
			wait
		done <<-'END'
			sort
			unique -u
			count --count
			top --top=3
			merge -m
			union --union
			intersect --intersect
			difference --difference
			summary --summary
			quantiles --quantiles=0.5
			split --split=2 -o out/%r
			tail --tail=5
			check -c
			progress -v --progress=always -o out/sorted
		END
	done <<-'END'
		text:
		text:--lines
		u32:-u32
		u32:--record-size=4 -k u16@2
		csv:--csv --header -k n:n
	END
	[ $number -gt 60 ]
}

@test "no thread of a job that decompresses a pipe opens a file, whichever input the pipe is" {
	needs_sandbox
	as='' each_thread
}

@test "nor does one of a job of an ordinary user" {
	needs_sandbox
	needs setpriv
	[ "$(id -u)" = 0 ] || skip "the test before was one"
	as="setpriv --reuid=12345 --regid=12345 --clear-groups"
	chmod a+x "$BATS_TEST_TMPDIR"
	$as test -x "$GSORT" || skip "not everybody can get here"
	each_thread
}

@test "calls of another architecture end the process" {
	needs_sandbox
	[ "$(uname -m)" = x86_64 ] || skip "it knows only x86-64 of two"
	skips_under_sanitizer "signals have handlers"
	cat >old.c <<-'END'
		#include <unistd.h>
		#include <sys/syscall.h>

		long
		lseek(int fd, long at, int from)
		{
			long result = 20;	/* getpid */

			if (fd == 9)
				return 0;
			__asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
			return syscall(SYS_lseek, fd, at, from);
		}
	END
	cc -shared -fPIC -o old.so old.c
	seq 300000 | gzip >in.gz
	LD_PRELOAD=$PWD/old.so gsort --decompress=no-sandbox in.gz -o sorted || skip "this kernel has no calls of i386"
	run env LD_PRELOAD="$PWD/old.so" gsort in.gz -o sorted
	[ "$status" = 159 ]	# SIGSYS
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
	taken --decompress=no-sandbox in.gz >sorted || true
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

@test "a kernel without Landlock or seccomp: the job runs, and -vv reports it" {
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
		$tool -1 -c lines >in.$tool
		gsort in.$tool -o out/$tool
		cmp sorted out/$tool
		gsort in.$tool -o out/$tool	# replaces it
		gsort <in.$tool | cmp sorted
		ln -sf ../out/$tool links/$tool
		gsort in.$tool -o links/$tool
		cmp sorted out/$tool
	done
	[ "$(ls -A out | wc -l)" = 5 ]
	gen --seed 3 --keys 1400000 --type u64 >wide
	gzip -1 <wide >wide.gz
	gsort -u64 -S 16M -T temp wide.gz -o out/wide
	gsort -u64 wide | cmp out/wide
	TMPDIR=$PWD/temp gsort -u64 -S 16M wide.gz | cmp out/wide
	gzip -k sorted
	gsort -m sorted.gz <(gzip <sorted) | cmp <(gsort sorted sorted)
	gsort -c <(gzip <sorted)
	LD_LIBRARY_PATH=/nowhere::$PWD/temp gsort in.gzip | cmp - sorted
	cat sorted >plain
	gsort plain in.gzip plain <(xz -0 <lines) >four
	[ "$(wc -l <four)" = 1200000 ]
	[ -z "$(ls -A temp)" ]
}

@test "what jobs call is on the list, in every format" {
	local tool job number bytes
	needs_sandbox
	needs strace gzip bzip2 xz zstd lz4
	skips_under_sanitizer "there are more calls"
	strace -f -o trace true || skip "strace cannot trace here"
	seq 60000 | shuf --random-source=<(yes) >lines
	gen --seed 3 --keys 1200000 --type u64 >keys
	mkdir temp out
	cat >list <<-'END'
		gsort lines.$tool -o out/new
		gsort --parallel=4 --split=2 lines.$tool -o out/part-%r
		gsort -vv --progress=always --verbose=json:out/stats --verify lines.$tool lines.$tool -o out/new
		cat lines.$tool | traced -g --summary | cat
		gsort --lines --merge --force lines.$tool lines.$tool
		gsort --csv -k1,1n lines.$tool
		gsort -c lines.$tool
		gsort cut.$tool -o out/new
		[ $tool != zstd ] || gsort -u64 -S 10M -T temp keys.$tool -o out/keys
		[ $tool != gzip ] || gsort -u64 -S 10M -T temp --compress-program=zstd keys.$tool
		gsort -u64 --to=u8 keys.$tool -o out/new
	END
	traced() { strace -f -qq -o "trace.$tool.$((++number))" "$GSORT" "$@"; }
	for tool in gzip bzip2 xz zstd lz4; do
		number=0
		$tool -c -1 <lines >lines.$tool
		case $tool in gzip | zstd) bytes=9600000 ;; *) bytes=2400000 ;; esac	# -S 10M, or none
		head -c $bytes keys | $tool -c -1 >keys.$tool
		head -c 20000 lines.$tool >cut.$tool
		while read -r job; do
			eval "${job/gsort/traced}" >sorted 2>told </dev/null || [ $? -le 2 ]
		done <list
	done
	# trace.gzip.1: 123 openat(...  or  123 <... futex resumed>
	for trace in trace.*; do
		sed -n '/ seccomp(/,$ s/^[0-9]* *\([a-z_0-9]*\)(.*/\1/p' "$trace"
	done | sort -u >called
	[ "$(wc -l <called)" -gt 20 ]
	# clone3 is on no list: libc falls back to clone.
	comm -23 called <(tr -s ' \t' '\n' <<<"$may_call clone3 seccomp" | sort) >unforeseen
	[ ! -s unforeseen ] || { grep -wFf unforeseen trace.* | tail -n 20; false; }
}

@test "a call that the sandbox denies is an error that names --decompress=no-sandbox" {
	needs_sandbox
	skips_under_sanitizer "it comes first"
	cat >new.c <<-'END'
		#define _GNU_SOURCE
		#include <sys/syscall.h>
		#include <unistd.h>

		/* Of a library yet to come. */
		int
		ftruncate(int fd, off_t bytes)
		{
			return syscall(SYS_fchmod, fd, 0600) == 0 ? (int)syscall(SYS_ftruncate, fd, bytes) : -1;
		}
	END
	cc -shared -fPIC -o new.so new.c
	seq 300000 | gzip >in.gz
	LD_PRELOAD=$PWD/new.so fails "truncate failed: out: Operation not permitted (if the sandbox denies it: --decompress=no-sandbox)" \
		gsort in.gz -o out
	[ ! -e out ]
	LD_PRELOAD=$PWD/new.so gsort --decompress=no-sandbox in.gz -o out
	seq 300000 | sort -n | cmp - out
}

@test "a fatal signal ends a job in the sandbox, and leaves nothing behind" {
	needs_sandbox
	mkfifo pipe
	seq 300000 | gzip >in.gz
	mkdir temp
	for signal in TERM HUP; do
		gsort -T temp -vv -o out <pipe 2>told &
		exec 7>pipe
		head -c 300000 in.gz >&7
		eventually grep -q 'sandbox: files and calls' told
		kill -s $signal $!
		status=0
		wait $! || status=$?
		exec 7>&-
		[ $status = $((128 + $(kill -l $signal))) ]
		[ ! -e out ]
		[ -z "$(ls -A temp)" ]
	done
}
