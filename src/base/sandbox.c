// SPDX-License-Identifier: BSD-2-Clause
/*
 * sandbox.c - Landlock for files, seccomp for system calls
 *
 * Landlock: Linux, Documentation/userspace-api/landlock.rst.  The constants of newer versions
 * are written out here, as kernels are often newer than the headers.
 * seccomp: Documentation/userspace-api/seccomp_filter.rst.  The filter lists the calls that are
 * allowed, and denies all others, also the ones that a newer kernel adds.  What a codec or libc calls
 * is the same from version to version except a few calls; tests/cli/sandbox.bats records them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sandbox.h"

#if defined __linux__ && !defined GS_PORTABLE
#include <sys/prctl.h>
#include <sys/syscall.h>
#define LINUX	1
#else
#define LINUX	0
#endif
#if LINUX && __has_include(<linux/landlock.h>) && defined SYS_landlock_create_ruleset
#include <linux/landlock.h>
#define HAVE_LANDLOCK	1
#else
#define HAVE_LANDLOCK	0
#endif
#if LINUX && __has_include(<linux/seccomp.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#if defined __x86_64__
#define ARCHITECTURE	AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE	AUDIT_ARCH_AARCH64
#endif
#endif

static atomic_bool entered;

/* ---- files --------------------------------------------------------------- */

#if HAVE_LANDLOCK
enum {
	EXECUTE = 1 << 0, WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3,
	REMOVE_FILE = 1 << 5, MAKE_REG = 1 << 8,
	VERSION_1 = (1 << 13) - 1,
	REFER = 1 << 13,	/* version 2: to rename and link from folder to folder */
	TRUNCATE = 1 << 14,	/* version 3 */
	OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE,
};

static uint64_t
known(int version)
{
	return VERSION_1 | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
}
#endif

void
gs_sandbox_begin(struct gs_sandbox *box)
{
	*box = (struct gs_sandbox){ .rules = -1 };
#if HAVE_LANDLOCK
	struct landlock_ruleset_attr attr = { .handled_access_fs = 0 };

	box->version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (box->version < 2)	/* without REFER the output could not be renamed */
		return;
	attr.handled_access_fs = known(box->version);
	box->rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr.handled_access_fs, 0);
#endif
}

void
gs_sandbox_allow(struct gs_sandbox *box, const char *path, enum gs_sandbox_access access)
{
#if HAVE_LANDLOCK
	const uint64_t wanted = access == GS_SANDBOX_READ ? READ_FILE | READ_DIR :
	                        READ_FILE | READ_DIR | WRITE_FILE | REMOVE_FILE | MAKE_REG | REFER | TRUNCATE;
	struct landlock_path_beneath_attr rule = { .allowed_access = wanted & known(box->version) };
	struct stat st;

	if (box->rules < 0)
		return;
	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return;
	if (fstat(rule.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed_access &= OF_FILES;
	(void)syscall(SYS_landlock_add_rule, box->rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	(void)close(rule.parent_fd);
#else
	(void)box, (void)path, (void)access;
#endif
}

/* ---- calls --------------------------------------------------------------- */

#ifdef ARCHITECTURE
#define LOAD(what)		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define LOAD_HIGH(what)		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what) + 4)
#define IF_IS(value, skip)	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), 0, skip)
#define IF_HAS(bits, skip)	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (unsigned)(bits), 0, skip)
#define SKIP_IF_HAS(bits, skip)	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (unsigned)(bits), skip, 0)
#define RETURN(what)		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##what)
#define ACCEPT			RETURN(ALLOW)
#define REFUSE			RETURN(ERRNO | EPERM)
#define UNKNOWN			RETURN(ERRNO | ENOSYS)

/* The low half of each argument is all that the kernel looks at, but of a pointer. */
#define ALLOW(call)			IF_IS(call, 1), ACCEPT
#define ALLOW_IF_FIRST(call, value)	IF_IS(call, 4), LOAD(args[0]), IF_IS(value, 1), ACCEPT, REFUSE
#define ALLOW_IF_SECOND(call, count)	IF_IS(call, 2 + 2 * (count)), LOAD(args[1])

/* A file that is made has no set-id and no sticky bit. */
#define ALLOW_TO_OPEN(call, flags)	IF_IS(call, 7), LOAD(args[flags]), \
	SKIP_IF_HAS(O_CREAT | (O_TMPFILE & ~O_DIRECTORY), 1), ACCEPT, \
	LOAD(args[(flags) + 1]), SKIP_IF_HAS(S_ISUID | S_ISGID | S_ISVTX, 1), ACCEPT, REFUSE

/* Threads as the C libraries start them, no processes. */
#define ALLOW_THREADS(flags)		IF_IS(SYS_clone, 5), LOAD(args[0]), IF_HAS(CLONE_THREAD, 2), \
	SKIP_IF_HAS(~(unsigned)(flags), 1), ACCEPT, REFUSE

#define TERMINAL_2		0x802c542aU	/* TCGETS2, whose headers contradict libc's */

enum {
	FACCESSAT2 = 439,		/* newer than some headers */
	FIRST_OF_ALL = 424,		/* from here on calls have one number on all architectures */
	CLONE_DETACHED_OF_MUSL = 0x400000,
	THREAD = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD |
	         CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_DETACHED_OF_MUSL,
};

#ifdef __x86_64__	/* newer architectures do not have these */
#define OF_X86_64	ALLOW(SYS_poll), ALLOW_TO_OPEN(SYS_open, 1), ALLOW(SYS_stat), ALLOW(SYS_lstat), \
	ALLOW(SYS_access), ALLOW(SYS_readlink), ALLOW(SYS_unlink), ALLOW(SYS_link), ALLOW(SYS_rename), \
	ALLOW(SYS_getrlimit), ALLOW(SYS_time), ALLOW(SYS_pipe),
#define LIST_FOLDER	SYS_getdents
#else
#define OF_X86_64
#define LIST_FOLDER	SYS_getdents64
#endif

#ifdef GS_TIDY		/* LeakSanitizer starts a process that stops this one (configure.ac) */
#define OF_A_SANITIZER	ALLOW(SYS_clone), ALLOW(SYS_dup), ALLOW(SYS_ptrace), ALLOW(SYS_wait4), \
	ALLOW(SYS_prctl), ALLOW(SYS_getppid), ALLOW(SYS_getdents64), ALLOW(LIST_FOLDER),
#else
#define OF_A_SANITIZER
#endif

/*
 * The calls of a job that decompresses: of gsort, the codecs, glibc and musl.  The most frequent
 * come first; since Linux 5.11 the kernel finds each that ALLOW allows in one step.
 *
 * A call that is not on the list fails with EPERM; a newer one with ENOSYS, as on a kernel that does
 * not have it, and libc takes an older one, as clone for clone3.  The calls of x32 have large numbers.
 */
static bool
deny_calls(void)
{
	struct sock_filter steps[] = {
		LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0), RETURN(KILL_PROCESS),
		LOAD(nr),
		OF_A_SANITIZER
		/* bytes */
		ALLOW(SYS_read), ALLOW(SYS_write), ALLOW(SYS_futex), ALLOW(SYS_pread64),
		ALLOW(SYS_pwrite64), ALLOW(SYS_lseek),
		ALLOW(SYS_readv), ALLOW(SYS_writev), ALLOW(SYS_vmsplice), ALLOW(SYS_ppoll),
		/* memory */
		ALLOW(SYS_mmap), ALLOW(SYS_munmap), ALLOW(SYS_mprotect), ALLOW(SYS_mremap),
		ALLOW(SYS_madvise), ALLOW(SYS_brk),
		/* threads, signals; membarrier for dlopen(3) of musl; raise(3) takes tgkill or kill */
		ALLOW_THREADS(THREAD), ALLOW(SYS_rt_sigprocmask), ALLOW(SYS_set_robust_list), ALLOW(SYS_rseq),
		ALLOW(SYS_sched_yield), ALLOW(SYS_sched_getaffinity), ALLOW(SYS_membarrier), ALLOW(SYS_exit),
		ALLOW(SYS_exit_group), ALLOW(SYS_getpid), ALLOW(SYS_gettid), ALLOW(SYS_rt_sigaction),
		ALLOW(SYS_rt_sigreturn), ALLOW(SYS_rt_sigtimedwait), ALLOW(SYS_sigaltstack),
		ALLOW(SYS_restart_syscall), ALLOW_IF_FIRST(SYS_tgkill, getpid()),
		ALLOW_IF_FIRST(SYS_kill, getpid()),
		/* time, and what there is of this machine; limits may be read */
		ALLOW(SYS_clock_gettime), ALLOW(SYS_clock_getres), ALLOW(SYS_gettimeofday),
		ALLOW(SYS_nanosleep), ALLOW(SYS_clock_nanosleep), ALLOW(SYS_getrandom), ALLOW(SYS_getcpu),
		ALLOW(SYS_getrusage), ALLOW(SYS_sysinfo), ALLOW(SYS_uname),
		IF_IS(SYS_prlimit64, 8), LOAD(args[0]), IF_IS(0, 5), LOAD(args[2]), IF_IS(0, 3),
		LOAD_HIGH(args[2]), IF_IS(0, 1), ACCEPT, REFUSE,
		/* files, as far as Landlock allows */
		ALLOW_TO_OPEN(SYS_openat, 2), ALLOW(SYS_close), ALLOW(SYS_fstat), ALLOW(SYS_newfstatat),
		ALLOW(SYS_statx), ALLOW(SYS_statfs), ALLOW(SYS_fstatfs), ALLOW(SYS_faccessat),
		ALLOW(FACCESSAT2), ALLOW(SYS_readlinkat), ALLOW(SYS_unlinkat), ALLOW(SYS_linkat),
		ALLOW(SYS_renameat), ALLOW(SYS_renameat2), ALLOW(SYS_ftruncate), ALLOW(SYS_fallocate),
		ALLOW(SYS_fsync), ALLOW(SYS_fdatasync),
		ALLOW(SYS_fadvise64), ALLOW(SYS_pipe2), OF_X86_64
		/* descriptors: duplicates, flags, the size of a pipe; whether it is a terminal */
		ALLOW_IF_SECOND(SYS_fcntl, 7), ALLOW(F_DUPFD), ALLOW(F_DUPFD_CLOEXEC), ALLOW(F_GETFD),
		ALLOW(F_SETFD), ALLOW(F_GETFL), ALLOW(F_SETFL), ALLOW(F_SETPIPE_SZ), REFUSE,
		ALLOW_IF_SECOND(SYS_ioctl, 4), ALLOW(TCGETS), ALLOW(TERMINAL_2), ALLOW(TIOCGWINSZ),
		ALLOW(TIOCGPGRP), REFUSE,
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_OF_ALL, 0, 1), UNKNOWN, REFUSE,
	};
	const struct sock_fprog program = { sizeof steps / sizeof *steps, steps };

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}
#endif

unsigned
gs_sandbox_enter(struct gs_sandbox *box)
{
	unsigned kinds = 0;

#if LINUX	/* The kernel wants it of an ordinary process: no program that it runs gets more rights. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
#if HAVE_LANDLOCK
		if (box->rules >= 0 && syscall(SYS_landlock_restrict_self, box->rules, 0) == 0)
			kinds |= GS_SANDBOX_FILES;
#endif
#ifdef ARCHITECTURE
		if (deny_calls())
			kinds |= GS_SANDBOX_CALLS;
#endif
	}
#endif
	if (box->rules >= 0)
		(void)close(box->rules);
	box->rules = -1;
	if (kinds != 0)
		atomic_store(&entered, true);
	return kinds;
}

bool
gs_sandbox_holds(void)
{
	return atomic_load(&entered);
}
