// SPDX-License-Identifier: BSD-2-Clause
/*
 * replace.c - a new file that replaces an old one in one step
 *
 * The new file has no name (O_TMPFILE), so that not even SIGKILL leaves it behind.  In the end
 * linkat(2) gives it its name if that is still free.  linkat(2) cannot replace a file, but
 * rename(2) can: for an existing name the new file gets a hidden name for a moment, with signals
 * blocked.  Where there is no O_TMPFILE (NFS, some FUSE), it has a hidden name from the start.
 *
 * Hidden names are in a list that the handler of a fatal signal reads.  A name is listed before
 * its file exists, and until after it is removed: unlink(2) of a name that does not exist does
 * no harm.
 *
 * No fsync(2), unless the old file is an input: the output survives a crash of this process, full disks and
 * limits, but perhaps not a power failure.  cp(1) and sort(1) promise no more, and it would take longer than
 * the sort.
 *
 * Invariant: HIDDEN is the name of a file if and only if it is not empty; then it is listed, if
 * the list is not full.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/filesystem.h"
#include "io/open.h"
#include "io/replace.h"

enum {
	NAME_TRIES   = 100,
	HIDDEN_BYTES = 64,	/* of a hidden name behind its folder, at most */
};

/* ---- hidden names ------------------------------------------------------- */

enum { LISTED_MOST = 2048 };	/* files at once; signals do not clean up after more */

static _Atomic(const char *) listed[LISTED_MOST];

static void
list(const char *hidden)
{
	for (unsigned l = 0; l < LISTED_MOST; l++) {
		const char *none = NULL;

		if (atomic_compare_exchange_strong(&listed[l], &none, hidden))
			return;
	}
}

/* There is no file of this name any more. */
static void
forget(char *name)
{
	for (unsigned l = 0; l < LISTED_MOST; l++) {
		const char *hidden = name;

		(void)atomic_compare_exchange_strong(&listed[l], &hidden, NULL);
	}
	name[0] = '\0';
}

void
gs_replace_abandon(void)
{
	for (unsigned l = 0; l < LISTED_MOST; l++) {
		const char *hidden = atomic_load(&listed[l]);

		if (hidden != NULL)
			(void)unlink(hidden);
	}
}

/* ---- the old file ------------------------------------------------------ */

/* Can the target, which is OLD, be replaced by another file? */
static bool
allows(const struct gs_replace *new, const struct stat *old)
{
	struct stat st;

	/* The name must belong to the file that was opened.  In a directory like /tmp only the owner may
	 * replace it: others fail in keep_attributes(). */
	return lstat(new->target, &st) == 0 && st.st_ino == old->st_ino && st.st_dev == old->st_dev &&
	       !gs_path_is_mount(new->target);
}

/*
 * Give the new file the owner, attributes, ACL and mode of the old one, in this order: until the
 * last step nobody gets access that the old file did not give.  It begins with mode 0600; an ACL
 * that the folder gives it then has the mask ---.
 */
static int
keep_attributes(int old_fd, int new_fd)
{
	struct stat old, new;

	if (fstat(old_fd, &old) != 0 || fstat(new_fd, &new) != 0)
		return -1;
	if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) &&
	    fchown(new_fd, old.st_uid, old.st_gid) != 0)
		return -1;
	if (gs_attributes_copy(old_fd, new_fd) != 0)
		return -1;
	return fchmod(new_fd, old.st_mode & 07777);	/* fchown() has cleared set-id bits */
}

/* ---- the new file ------------------------------------------------------ */

/* What gets a hidden name. */
enum hidden { CREATED, NAMELESS, OLD };

/* Until it has the old file's mode nobody else may open it, to read it later. */
static mode_t
mode_of(const struct gs_replace *new)
{
	return new->existed ? 0600 : 0666;
}

/* Give a file a hidden name, at NAME, beside the target: one that nobody else will use, and is listed.
 * Returns the descriptor of one that is CREATED, 0 for others; -1: an error. */
static int
make_hidden(struct gs_replace *new, char *name, enum hidden what)
{
	char directory[PATH_MAX];
	struct timespec now;

	gs_folder_of(new->target, directory);
	for (unsigned try = 0; try < NAME_TRIES; try++) {
		int length, made;

		clock_gettime(CLOCK_REALTIME, &now);
		length = snprintf(name, PATH_MAX, "%s/.gsort.%ld.%lx.%u", directory, (long)getpid(),
		                  (unsigned long)now.tv_nsec, try);
		if (length <= 0 || length >= PATH_MAX) {
			name[0] = '\0';
			errno = ENAMETOOLONG;
			return -1;
		}
		list(name);
		made = what == CREATED ? gs_open(name, O_WRONLY | O_CREAT | O_EXCL, mode_of(new))
		       : what == NAMELESS ? gs_nameless_link(new->fd, name) : link(new->target, name);
		if (made >= 0)
			return made;
		forget(name);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/*
 * Make the new file.
 *
 * @old_fd  the old file, whose mode, owner, ACL and attributes the new one gets; or -1
 * @return  0, or -1 and errno; EPERM also if the old file belongs to somebody else
 */
static int
make_new(struct gs_replace *new, int old_fd)
{
	char directory[PATH_MAX];
	int error;

	new->fd = -1;
	new->existed = old_fd >= 0;
	gs_folder_of(new->target, directory);
	if (old_fd >= 0 && strlen(directory) > PATH_MAX - HIDDEN_BYTES) {	/* found before the sort */
		errno = ENAMETOOLONG;
		return -1;
	}
	if (!new->shared && gs_nameless_flag() != 0 && access("/proc/self/fd", X_OK) == 0)
		new->fd = gs_open(directory, gs_nameless_flag() | O_WRONLY, mode_of(new));
	if (new->fd < 0)	/* the file system has no O_TMPFILE */
		new->fd = make_hidden(new, new->hidden, CREATED);
	if (new->fd < 0)
		return -1;
	if (old_fd < 0 || keep_attributes(old_fd, new->fd) == 0)
		return 0;
	new->differs = true;
	error = errno;
	close(new->fd);
	gs_replace_drop(new);
	errno = error;
	return -1;
}

/* An error that means: not here, or not by this user. */
static bool
is_forbidden(int error)
{
	return error == EACCES || error == EPERM || error == EROFS || error == ENAMETOOLONG;
}

gs_status
gs_replace_aim(struct gs_replace *new, const char *name, bool in_place, int *fd, enum gs_output_kind *kind)
{
	struct stat old, st;

	if (stat(name, &old) != 0) {
		if (errno == ENOENT && in_place) {
			*fd = gs_open(name, O_WRONLY | O_CREAT, 0666);
			*kind = GS_OUTPUT_IN_PLACE;
		} else if (errno == ENOENT && gs_follow_links(name, new->target) && make_new(new, -1) == 0) {
			*fd = new->fd;
			*kind = GS_OUTPUT_NEW;
		}
		return *fd >= 0 ? GS_OK : gs_fail_errno(GS_EIO, "open failed: %s", name);
	}
	/* Also checks that it may be written; replacing it would not.  O_CREAT, as in sort(1), has the
	 * kernel refuse files of others in folders like /tmp (fs.protected_regular). */
	*fd = gs_open(name, O_WRONLY | O_CREAT, 0666);
	if (*fd < 0 || fstat(*fd, &old) != 0)
		return gs_fail_errno(GS_EIO, "open failed: %s", name);
	*kind = S_ISREG(old.st_mode) ? GS_OUTPUT_IN_PLACE : GS_OUTPUT_DEVICE;
	/* Replace it if that is possible and loses nothing. */
	if (*kind == GS_OUTPUT_DEVICE || in_place || old.st_nlink > 1 ||
	    !gs_follow_links(name, new->target) || !allows(new, &old))
		return GS_OK;
	if (make_new(new, *fd) != 0)
		return is_forbidden(errno) ? GS_OK
		       : gs_fail_errno(GS_EIO, new->differs ? "%s: a new file cannot get its attributes and "
		                       "ACL (--in-place writes into this one)"
		                       : "cannot make a file beside %s", name);
	close(*fd);
	*fd = new->fd;
	*kind = GS_OUTPUT_NEW;
	/* Is the old file read?  Then its bytes may be nowhere else. */
	for (size_t i = 0; i < new->input_count && !new->forced; i++)
		new->forced = (strcmp(new->inputs[i], "-") == 0 ? fstat(STDIN_FILENO, &st)
		                                                : stat(new->inputs[i], &st)) == 0 &&
		              st.st_dev == old.st_dev && st.st_ino == old.st_ino;
	return GS_OK;
}

/* Force the names in the folder of the new file to the disk, if that is wanted.  That the folder may not be
 * read, or that the file system cannot do so, is not an error. */
static int
force_folder(const struct gs_replace *new)
{
	char folder[PATH_MAX];
	int fd, result;

	if (!new->forced)
		return 0;
	gs_folder_of(new->target, folder);
	if ((fd = gs_open(folder, O_RDONLY, 0)) < 0)
		return is_forbidden(errno) ? 0 : -1;
	result = fsync(fd) == 0 || errno == EINVAL || errno == EOPNOTSUPP ? 0 : -1;
	(void)close(fd);
	return result;
}

/* Give the file a hidden name, if it has none. */
static int
link_hidden(struct gs_replace *new)
{
	if (new->hidden[0] == '\0' && make_hidden(new, new->hidden, NAMELESS) != 0)
		return -1;
	return force_folder(new);
}

static void
drop(char *name)
{
	if (name[0] == '\0')
		return;
	(void)unlink(name);
	forget(name);
}

int
gs_replace_prepare(struct gs_replace *new)
{
	if (link_hidden(new) != 0)
		return -1;
	if (new->existed)	/* the old file gets another name, if that can be */
		(void)make_hidden(new, new->backup, OLD);
	return 0;
}

int
gs_replace_settle(struct gs_replace *new, bool stays)
{
	int result;

	if (stays) {
		drop(new->backup);
		return 0;
	}
	errno = EOPNOTSUPP;		/* the old file could get no other name */
	result = !new->existed ? unlink(new->target)	/* the target becomes what it was */
	         : new->backup[0] != '\0' ? rename(new->backup, new->target) : -1;
	forget(new->backup);
	return result;
}

int
gs_replace_finish(struct gs_replace *const new[], size_t count, size_t *failed)
{
	sigset_t all, before;
	int result = 0, error;

	*failed = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	/* The one file may have its name at once, if that is free. */
	if (count == 1 && new[0] != NULL && new[0]->hidden[0] == '\0' && !new[0]->existed &&
	    gs_nameless_link(new[0]->fd, new[0]->target) == 0)
		count = 0;
	for (size_t n = 0; result == 0 && n < count; n++)
		if (new[n] != NULL && (result = link_hidden(new[n])) != 0)
			*failed = n;
	for (size_t n = 0; result == 0 && n < count; n++) {
		if (new[n] == NULL)
			continue;
		if ((result = rename(new[n]->hidden, new[n]->target)) != 0)
			*failed = n;
		else
			forget(new[n]->hidden);
	}
	error = errno;
	for (size_t n = 0; n < count; n++) {
		if (new[n] == NULL)
			continue;
		drop(new[n]->hidden);
		(void)force_folder(new[n]);	/* too late for an error; the file is there, old or new */
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return result;
}

void
gs_replace_adopt(struct gs_replace *new, const char *hidden)
{
	snprintf(new->hidden, sizeof new->hidden, "%s", hidden);
	list(new->hidden);
}

void
gs_replace_forget(struct gs_replace *new)
{
	forget(new->hidden);
}

void
gs_replace_drop(struct gs_replace *new)
{
	drop(new->hidden);
	drop(new->backup);
}
