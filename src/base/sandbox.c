// SPDX-License-Identifier: BSD-2-Clause
/*
 * sandbox.c - Landlock for files, seccomp for system calls
 *
 * Landlock: Linux, Documentation/userspace-api/landlock.rst.  The constants of newer versions
 * are written out here, as kernels are often newer than the headers.
 * seccomp: Documentation/userspace-api/seccomp_filter.rst.  The filter lists the calls that
 * are denied, not those that are allowed, because libc and its allocator may call anything.
 *
 * Landlock does not control who changes the mode, owner, attributes or times of a file by its
 * name, so the filter denies these calls.  It also denies the two ioctls that put characters
 * into a terminal as if its user had typed them (TIOCSTI, TIOCLINUX).
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
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

void
gs_sandbox_begin(struct gs_sandbox *box)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = 0 };

	box->rules = -1;
	box->version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
	                            LANDLOCK_CREATE_RULESET_VERSION);
	if (box->version < 2)	/* without REFER the output could not be renamed */
		return;
	attr.handled_access_fs = known(box->version);
	box->rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr.handled_access_fs, 0);
}

void
gs_sandbox_allow(struct gs_sandbox *box, const char *path, enum gs_sandbox_access access)
{
	const uint64_t wanted = access == GS_SANDBOX_READ ? READ_FILE | READ_DIR :
	                        READ_FILE | READ_DIR | WRITE_FILE | REMOVE_FILE | MAKE_REG | REFER |
	                        TRUNCATE;
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
}

static bool
deny_files(const struct gs_sandbox *box)
{
	return box->rules >= 0 && syscall(SYS_landlock_restrict_self, box->rules, 0) == 0;
}
#else
void
gs_sandbox_begin(struct gs_sandbox *box)
{
	*box = (struct gs_sandbox){ .rules = -1 };
}

void
gs_sandbox_allow(struct gs_sandbox *box, const char *path, enum gs_sandbox_access access)
{
	(void)box;
	(void)path;
	(void)access;
}

static bool
deny_files(const struct gs_sandbox *box)
{
	(void)box;
	return false;
}
#endif

/* ---- calls --------------------------------------------------------------- */

#ifdef ARCHITECTURE
#define REFUSE(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

#define LOAD_LOW(argument) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[argument]))

/* CALL is allowed only if its first argument is FIRST, which stands for this process. */
#define REFUSE_FOR_OTHERS(call, first) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 4), \
	LOAD_LOW(0), \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (first), 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

/* Newer than some headers; all architectures use the same numbers. */
enum {
	PIDFD_SEND_SIGNAL = 424, OPEN_TREE = 428, MOVE_MOUNT = 429, FSOPEN = 430, PIDFD_OPEN = 434,
	CLONE3 = 435, PIDFD_GETFD = 438, MOUNT_SETATTR = 442, FCHMODAT2 = 452,
	SETXATTRAT = 463, REMOVEXATTRAT = 466,
};

/* Deny programs, connections, other processes, changes to files by name, and the kernel's
 * large interfaces (bpf, io_uring, mounts, keys, modules). */
static bool
deny_calls(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef __x86_64__	/* the calls of x32 have this bit */
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x40000000, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
#endif
		REFUSE(SYS_execve), REFUSE(SYS_execveat),
		REFUSE(SYS_socket), REFUSE(SYS_socketpair), REFUSE(SYS_connect), REFUSE(SYS_bind),
#ifndef GS_TIDY		/* LeakSanitizer needs ptrace and a process (configure.ac) */
		REFUSE(SYS_ptrace),
#endif
		REFUSE(SYS_process_vm_readv), REFUSE(SYS_process_vm_writev),
		REFUSE(SYS_kill), REFUSE(SYS_rt_sigqueueinfo), REFUSE(PIDFD_SEND_SIGNAL),
		REFUSE(SYS_tkill), REFUSE(SYS_rt_tgsigqueueinfo),
		REFUSE(PIDFD_OPEN), REFUSE(PIDFD_GETFD),
		/* raise(3) and abort(3) use tgkill, getrlimit(2) uses prlimit64. */
		REFUSE_FOR_OTHERS(SYS_tgkill, (unsigned)getpid()), REFUSE_FOR_OTHERS(SYS_prlimit64, 0),
#ifdef __x86_64__	/* newer architectures have only the *at() calls */
		REFUSE(SYS_chmod), REFUSE(SYS_chown), REFUSE(SYS_lchown), REFUSE(SYS_utime),
		REFUSE(SYS_utimes), REFUSE(SYS_futimesat), REFUSE(SYS_fork), REFUSE(SYS_vfork),
#endif
		REFUSE(SYS_fchmodat), REFUSE(FCHMODAT2), REFUSE(SYS_fchownat), REFUSE(SYS_utimensat),
		REFUSE(SYS_truncate), REFUSE(SYS_setxattr), REFUSE(SYS_lsetxattr), REFUSE(SETXATTRAT),
		REFUSE(SYS_removexattr), REFUSE(SYS_lremovexattr), REFUSE(REMOVEXATTRAT),
		REFUSE(SYS_bpf), REFUSE(SYS_perf_event_open), REFUSE(SYS_userfaultfd),
		REFUSE(SYS_io_uring_setup), REFUSE(SYS_keyctl), REFUSE(SYS_add_key),
		REFUSE(SYS_request_key), REFUSE(SYS_unshare), REFUSE(SYS_setns), REFUSE(SYS_mount),
		REFUSE(SYS_umount2), REFUSE(SYS_pivot_root), REFUSE(SYS_chroot), REFUSE(OPEN_TREE),
		REFUSE(MOVE_MOUNT), REFUSE(FSOPEN), REFUSE(MOUNT_SETATTR), REFUSE(SYS_reboot),
		REFUSE(SYS_open_by_handle_at), REFUSE(SYS_init_module), REFUSE(SYS_finit_module),
		/* Allow threads, deny processes.  A filter cannot see what clone3 is asked for; if
		 * it fails with ENOSYS, libc falls back to clone. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLONE3, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
#ifndef GS_TIDY
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
		LOAD_LOW(0),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
#endif
		/* These send a signal to another process when a descriptor becomes ready. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 8),
		LOAD_LOW(1),
		REFUSE(F_SETOWN), REFUSE(F_SETOWN_EX), REFUSE(F_SETSIG),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		/* The kernel looks at the low 32 bits of an ioctl's request only. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 5),
		LOAD_LOW(1),
		REFUSE(TIOCSTI), REFUSE(TIOCLINUX),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof steps / sizeof *steps, steps };

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}
#else
static bool
deny_calls(void)
{
	return false;
}
#endif

/* The kernel wants it of an ordinary process: no program that it runs gets more rights. */
static bool
give_up_rights(void)
{
#if LINUX
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
#else
	return false;
#endif
}

unsigned
gs_sandbox_enter(struct gs_sandbox *box)
{
	unsigned kinds = 0;

	if (give_up_rights()) {
		kinds |= deny_files(box) ? GS_SANDBOX_FILES : 0;
		kinds |= deny_calls() ? GS_SANDBOX_CALLS : 0;
	}
	if (box->rules >= 0)
		(void)close(box->rules);
	box->rules = -1;
	return kinds;
}
