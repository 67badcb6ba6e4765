/*
 * store_fs_write.c - one change of a key, from its lock to its rename
 *
 *   take the lock ── write the lock file ── set its time ── fsync ── check the condition ── rename ── release
 *   └───────── zinc_fs_put, at once ──────┘ └──────── zinc_fs_finish, at once or with its group ────────────┘
 *
 * and then, in store_fs_group.c, the directories are synced.
 */
#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "store/store_fs.h"

#define IOV_AT_ONCE    256
#define MAX_INTERRUPTS 100
#define A_DAY          86400
#define COPY_BLOCK     ((size_t)256 * ZINC_KIB)

/* ---- the object ---- */

/* The condition's tag is the caller's and may be gone when a group finishes the change, so it is copied. */
static void
set_condition(fs_change *c, const zinc_condition *when)
{
	if (when)
		c->when.when = when->when;
	if (c->when.when == ZINC_EQUALS) {
		c->if_tag = *when->tag;
		c->when.tag = &c->if_tag;
	}
}

static zinc_status
change_new(fs_change **out, zinc_fs *fs, zinc_put_group *group, const char *key, const zinc_condition *when,
	   uint32_t flags, zinc_error *err)
{
	size_t n = strlen(key), total;
	fs_change *c;

	ZINC_TRY(zinc_fs_key_check(key, err));
	c = zinc_size_add(n, sizeof *c + 1, &total) ? NULL : (fs_change *)zinc_alloc(fs->ctx, total);
	if (!c)
		return zinc_fail_nomem(err);
	memset(c, 0, sizeof *c);
	memcpy(c->key, key, n + 1);
	c->name = strrchr(c->key, '/');
	c->name = c->name ? c->name + 1 : c->key;
	c->group = (fs_group *)group;
	c->flags = flags | (c->group ? c->group->flags : 0);
	c->lock.fd = -1;
	c->made = SIZE_MAX;
	set_condition(c, when);
	*out = c;
	return ZINC_OK;
}

/* Its lock was released or dropped before. */
void
zinc_fs_change_free(zinc_fs *fs, fs_change *c)
{
	zinc_fs_dir_unref(fs, c->dir);
	zinc_free(fs->ctx, c->error);
	zinc_free(fs->ctx, c);
}

/* The lock file is unlinked while we hold it, so no other writer can be using it.  Directories created for the change
 * are removed, too. */
void
zinc_fs_drop(zinc_fs *fs, fs_change *c)
{
	if (c->lock.fd != -1) {
		zinc_fs_lock_unlink(fs, c->dir->fd, c->name);
		zinc_fs_lock_release(fs, &c->lock);
	}
	if (c->dir && c->made != SIZE_MAX)
		zinc_fs_prune(fs, NULL, c->dir->path, c->dir->n);
}

/* The base of an erase (zinc_fs_base_open), or NULL. */
static const fs_dir *
base_of(const fs_change *c)
{
	return c->group ? c->group->base : NULL;
}

/* ---- the lock ---- */

/* Consecutive puts of one group into one directory share its descriptor. */
static zinc_status
open_dir(zinc_fs *fs, fs_change *c, bool make, zinc_error *err)
{
	size_t n = zinc_fs_parent(c->key, strlen(c->key));

	if (c->group)
		c->dir = zinc_fs_group_dir(fs, c->group, c->key, n);
	if (c->dir)
		return ZINC_OK;
	return make ? zinc_fs_dir_make(fs, c->key, n, &c->dir, &c->made, err)
		    : zinc_fs_dir_open(fs, base_of(c), c->key, n, &c->dir, err);
}

/* All windows are finished before this thread waits (promise 7 of store_fs.c). */
static fs_take
take_once(zinc_fs *fs, fs_change *c, bool wait, const zinc_wait *until, int *errnum)
{
	fs_take took;

	if (wait)
		zinc_fs_wait_begin(fs);
	took = zinc_fs_lock_try(fs, c->dir->fd, c->name, wait, until, &c->lock, errnum);
	if (wait)
		zinc_fs_wait_end(fs);
	return took;
}

/* Try first; wait only after all windows are finished.  Without `make`, c->dir stays NULL if the directory is
 * missing. */
static zinc_status
take_lock(zinc_fs *fs, fs_change *c, bool make, const zinc_wait *until, zinc_error *err)
{
	int tries, errnum = EBUSY;
	bool wait = false;

	for (tries = 0; tries < FS_MAX_TRIES; tries++) {
		if (!c->dir)
			ZINC_TRY(open_dir(fs, c, make, err));
		if (!c->dir)
			return ZINC_OK;
		switch (take_once(fs, c, wait, until, &errnum)) {
		case FS_TAKEN:
			if (c->group)
				zinc_fs_group_keep_dir(fs, c->group, c->dir);
			return ZINC_OK;
		case FS_BUSY:
			wait = true;
			break;
		case FS_GONE:
			if (c->group)
				zinc_fs_group_keep_dir(fs, c->group, NULL);
			zinc_fs_dir_unref(fs, c->dir);
			c->dir = NULL;
			break;
		case FS_FAILED:
		default:
			if (errnum == ECANCELED)
				return zinc_wait_for(until, "the lock of its value, which somebody else has", err);
			return zinc_fs_fail(err, errnum, "cannot create and lock its lock file");
		}
	}
	return zinc_fs_fail(err, EBUSY, "cannot create and lock its lock file");
}

/* ---- bytes ---- */

/* A write of 0 bytes without an errno counts as an error, otherwise it would be repeated for ever. */
zinc_status
zinc_fs_write(zinc_fs *fs, int fd, const struct iovec *iov, int niov, zinc_error *err)
{
	const zinc_os *os = fs_os(fs);
	zinc_iov_at at = {iov, niov, 0};
	struct iovec next[IOV_AT_ONCE];
	int n, interrupts = 0;
	ssize_t wrote;

	while ((n = zinc_iov_next(&at, next, IOV_AT_ONCE)) > 0) {
		wrote = os->writev(os, fd, next, n);
		if (wrote > 0)
			zinc_iov_advance(&at, (size_t)wrote);
		else if (wrote == 0 || errno != EINTR || ++interrupts > MAX_INTERRUPTS)
			return zinc_fs_fail(err, wrote == 0 ? EIO : errno, "cannot write");
	}
	return ZINC_OK;
}

static zinc_status
check_name(zinc_fs *fs, const fs_change *c, zinc_error *err)
{
	zinc_fs_probe_names(fs, c->dir);
	if (atomic_load(&fs->names) & (ZINC_CAP_FOLDS_CASE | ZINC_CAP_NORMALISES))
		ZINC_TRY(zinc_fs_check_names(fs, c, err));
	return ZINC_OK;
}

/* The lock is held: write the value to the lock file. */
static zinc_status
write_change(zinc_fs *fs, fs_change *c, const struct iovec *iov, int niov, zinc_error *err)
{
	ZINC_TRY(check_name(fs, c, err));
	return zinc_fs_write(fs, c->lock.fd, iov, niov, err);
}

/* ---- the old value ---- */

/* stat of the target of a link; if it cannot be followed, `st` stays that of the link. */
static void
stat_link(zinc_fs *fs, const fs_change *c, struct stat *st)
{
	const zinc_os *os = fs_os(fs);
	struct stat there;
	int root = atomic_load(&fs->root), fd;

	fd = root == -1 ? -1 : zinc_fs_openat(fs, root, c->key, O_PATH, fs->links);
	if (fd == -1)
		return;
	if (os->fstat(os, fd, &there) == 0)
		*st = there;
	os->close(os, fd);
}

/* What has the key's name now.  The new value must have a later mtime, and conditions compare its tag. */
static zinc_status
stat_target(zinc_fs *fs, const fs_change *c, struct stat *st, bool *exists, zinc_error *err)
{
	const zinc_os *os = fs_os(fs);

	*exists = os->fstatat(os, c->dir->fd, c->name, st) == 0;
	if (!*exists)
		return errno == ENOENT ? ZINC_OK : zinc_fs_fail(err, errno, "cannot stat the value");
	if (S_ISLNK(st->st_mode) && fs->links != ZINC_LINKS_REFUSE)
		stat_link(fs, c, st);
	return ZINC_OK;
}

/* `st` is used only if `exists`. */
static zinc_status
check_condition(const fs_change *c, const struct stat *st, bool exists, zinc_error *err)
{
	zinc_tag tag;

	if (c->when.when == ZINC_ABSENT && exists)
		return zinc_fail(err, ZINC_E_EXISTS, "the key already exists");
	if (c->when.when != ZINC_EQUALS)
		return ZINC_OK;
	if (exists)
		zinc_fs_tag(&tag, st);
	if (!exists || !zinc_tag_equal(&tag, &c->if_tag))
		return zinc_fail(err, ZINC_E_CONFLICT, "the value is no longer the one that was read");
	return ZINC_OK;
}

/* An empty directory is removed, any other one is an error.  A link that cannot be followed is replaced, unless links
 * are refused. */
static zinc_status
check_kind(zinc_fs *fs, const fs_change *c, const struct stat *st, bool *exists, zinc_error *err)
{
	const zinc_os *os = fs_os(fs);

	if (!*exists || S_ISREG(st->st_mode) || (S_ISLNK(st->st_mode) && fs->links != ZINC_LINKS_REFUSE))
		return ZINC_OK;
	if (!S_ISDIR(st->st_mode))
		return zinc_fail(err, ZINC_E_IO, "the file of this name is not a regular file");
	if (os->unlinkat(os, c->dir->fd, c->name, AT_REMOVEDIR) == -1)
		return zinc_fail(
		    err, ZINC_E_EXISTS,
		    "the name is a directory with other keys: a file system cannot hold both \"a\" and \"a/b\"");
	*exists = false;
	return ZINC_OK;
}

/* ---- time: a tag is never reused ---- */

static bool
is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/*
 * The time that the new mtime must exceed: that of the value it replaces, and that of the newest value deleted.
 * Otherwise, where clocks are coarse, a new file could get the inode and mtime of a deleted one.  A deleted file with a
 * mtime in the far future, set by a wrong clock, is ignored.
 */
static struct timespec
time_floor(zinc_fs *fs, const struct stat *replaced, const struct timespec *now)
{
	struct timespec t = {0, 0};

	pthread_mutex_lock(&fs->lock);
	if (fs->newest_del.tv_sec <= now->tv_sec + A_DAY)
		t = fs->newest_del;
	pthread_mutex_unlock(&fs->lock);
	return replaced && is_later(&replaced->st_mtim, &t) ? replaced->st_mtim : t;
}

/* Only this process remembers it; another process that creates the key again does so at a later time. */
static void
remember_deleted(zinc_fs *fs, const struct stat *st)
{
	pthread_mutex_lock(&fs->lock);
	if (is_later(&st->st_mtim, &fs->newest_del))
		fs->newest_del = st->st_mtim;
	pthread_mutex_unlock(&fs->lock);
}

static struct timespec
one_ns_later(struct timespec t)
{
	if (++t.tv_nsec == 1000000000) {
		t.tv_nsec = 0;
		t.tv_sec++;
	}
	return t;
}

/* Set the mtime to max(now, floor + 1 ns) and read it back.  If the file system has a coarser resolution, try + 1 s and
 * + 2 s (FAT). */
static zinc_status
set_time(zinc_fs *fs, int fd, const struct stat *replaced, struct stat *st, zinc_error *err)
{
	const zinc_os *os = fs_os(fs);
	struct timespec times[2] = {{0, UTIME_OMIT}, {0, 0}}, floor, next;
	int step;

	if (os->clock(os, CLOCK_REALTIME, &times[1]) == -1)
		return zinc_fs_fail(err, errno, "cannot get the time");
	floor = time_floor(fs, replaced, &times[1]);
	next = one_ns_later(floor);
	if (is_later(&next, &times[1]))
		times[1] = next;
	for (step = 1; step <= 3; step++) {
		if (os->futimens(os, fd, times) == -1)
			return zinc_fs_fail(err, errno, "cannot set its time");
		if (os->fstat(os, fd, st) == -1)
			return zinc_fs_fail(err, errno, "cannot read its time back");
		if (is_later(&st->st_mtim, &floor))
			return ZINC_OK;
		times[1].tv_sec = floor.tv_sec + step;
		times[1].tv_nsec = 0;
	}
	return zinc_fail(err, ZINC_E_IO, "the file system does not keep the time that was set");
}

/* ---- finishing ---- */

/* Everything that can fail without harm comes before the rename.  After it only close and the sync of directories can
 * fail. */
static zinc_status
publish(zinc_fs *fs, fs_change *c, zinc_error *err)
{
	const zinc_os *os = fs_os(fs);
	char lock_name[FS_NAME_BYTES];
	struct stat old, made;
	bool exists;

	if (c->lock.fd == -1)
		return zinc_fail(err, ZINC_E_IO, "this process was forked from the one that was writing");
	ZINC_TRY(stat_target(fs, c, &old, &exists, err));
	ZINC_TRY(check_condition(c, &old, exists, err));
	ZINC_TRY(check_kind(fs, c, &old, &exists, err));
	ZINC_TRY(set_time(fs, c->lock.fd, exists ? &old : NULL, &made, err));
	/* Never retried: after a failure the kernel may have dropped the bytes, and reports that only once. */
	if (!(c->flags & ZINC_PUT_RELAXED) && os->fsync(os, c->lock.fd) == -1)
		return zinc_fs_fail(err, errno, "cannot sync");
	if (c->when.when != ZINC_ANY) { /* fsync takes time, and some programs take no lock */
		ZINC_TRY(stat_target(fs, c, &old, &exists, err));
		ZINC_TRY(check_condition(c, &old, exists, err));
	}
	zinc_fs_lock_name(lock_name, c->name);
	if (os->renameat(os, c->dir->fd, lock_name, c->dir->fd, c->name) == -1)
		return zinc_fs_fail(err, errno, "cannot rename");
	if (c->tag_out)
		zinc_fs_tag(c->tag_out, &made);
	return ZINC_OK;
}

/* A failure is kept in the change for commit to report; without memory for the error, only its status. */
void
zinc_fs_finish(zinc_fs *fs, fs_change *c, const zinc_wait *wait)
{
	zinc_error e = ZINC_ERROR_INIT;

	c->status = zinc_wait_for(wait, "the disk", &e);
	if (c->status == ZINC_OK)
		c->status = publish(fs, c, &e);
	if (c->status != ZINC_OK)
		zinc_fs_drop(fs, c);
	else if (zinc_fs_lock_release(fs, &c->lock) == -1) {
		zinc_fs_fail(&e, errno, "renamed, but closing it failed");
		c->status = e.code = ZINC_E_UNCERTAIN;
	}
	if (c->status != ZINC_OK) {
		c->error = (zinc_error *)zinc_alloc(fs->ctx, sizeof e);
		if (c->error)
			*c->error = e;
	}
	zinc_fs_dir_unref(fs, c->dir);
	c->dir = NULL;
}

/* The outcome of a change that was finished at once.  Its directory is synced now or by its group. */
static zinc_status
conclude(zinc_fs *fs, fs_change *c, fs_dirs *own, zinc_error *err)
{
	zinc_status st = c->status;
	bool keep = c->group && st == ZINC_OK;

	if (c->error)
		zinc_error_copy(err, c->error);
	else if (st != ZINC_OK && !c->prune) /* a delete has already reported it */
		zinc_fail(err, st, "%s", zinc_status_text(st));
	if (c->group)
		zinc_fs_group_done(fs, c, keep);
	else if (st == ZINC_OK)
		st = zinc_fs_dirs_sync(fs, NULL, own, err);
	zinc_fs_dirs_fini(fs, own);
	if (!keep)
		zinc_fs_change_free(fs, c);
	return st;
}

/* Nothing was changed, and the change is not in its group. */
static zinc_status
drop_unchanged(zinc_fs *fs, fs_change *c, zinc_status st)
{
	zinc_fs_drop(fs, c);
	zinc_fs_change_free(fs, c);
	return st;
}

/*
 * A failure before the change enters the window is returned at once, in a group or not.  A relaxed put has no fsync to
 * share with others, so it does not wait in the window; the thread that wrote it also renames it.  Replacing large
 * files takes time (old pages are freed, ext4 allocates blocks), which would otherwise fall to the one thread that
 * commits.
 */
static zinc_status
put_one(zinc_fs *fs, zinc_put_group *group, const zinc_put *put, uint32_t flags, zinc_tag *tag, const zinc_wait *wait,
	zinc_error *err)
{
	fs_dirs own = {NULL, 0, 0};
	const bool grouped =
	    group && !(flags & ZINC_PUT_TAGS); /* a tag is returned at once, so the put is finished at once */
	bool relaxed;
	fs_change *c;
	zinc_status st;

	ZINC_TRY(change_new(&c, fs, group, put->key, put->when, flags, err));
	c->tag_out = grouped ? NULL : tag;
	relaxed = c->flags & ZINC_PUT_RELAXED;
	st = take_lock(fs, c, true, wait, err);
	if (st == ZINC_OK)
		st = write_change(fs, c, put->iov, put->niov, err);
	if (st == ZINC_OK)
		st = zinc_fs_enlist(fs, c, &own, !grouped || relaxed, err);
	if (st != ZINC_OK) {
		zinc_fs_dirs_fini(fs, &own);
		return drop_unchanged(fs, c, st);
	}
	if (!grouped) {
		zinc_fs_finish(fs, c, NULL);
		return conclude(fs, c, &own, err);
	}
	if (relaxed) {
		zinc_fs_finish(fs, c, NULL);
		zinc_fs_group_done(fs, c, true);
	}
	zinc_fs_group_flush_full(fs, (fs_group *)group);
	return ZINC_OK;
}

/* The puts are made one after another in the calling thread. */
zinc_status
zinc_fs_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < n; i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_tag tag = {0, {0}};
		zinc_status st = zinc_wait_check(wait, &e);

		if (st == ZINC_OK)
			st = put_one((zinc_fs *)self, group, &puts[i], flags, &tag, wait, &e);
		zinc_done_report(done, i, st, &tag, &e);
	}
	return ZINC_OK;
}

/* ---- deleting ---- */

/* The lock is held: does the value exist, and does the condition hold? */
static zinc_status
check_before_erase(zinc_fs *fs, const fs_change *c, struct stat *st, bool *exists, zinc_error *err)
{
	ZINC_TRY(stat_target(fs, c, st, exists, err));
	if (*exists && S_ISDIR(st->st_mode) && !(c->flags & FS_DEL_LINK))
		*exists = false;
	return check_condition(c, st, *exists, err);
}

/* Unlink the value, drop the lock, prune and sync. */
static zinc_status
erase_existing(zinc_fs *fs, fs_change *c, const struct stat *st, zinc_error *err)
{
	const zinc_os *os = fs_os(fs);
	fs_dirs own = {NULL, 0, 0};
	zinc_status status;

	c->prune = true;
	status = zinc_fs_enlist(fs, c, &own, true, err);
	if (status != ZINC_OK) {
		zinc_fs_dirs_fini(fs, &own);
		return drop_unchanged(fs, c, status);
	}
	if (os->unlinkat(os, c->dir->fd, c->name, 0) == 0)
		remember_deleted(fs, st);
	else
		c->status = zinc_fs_fail(err, errno, "cannot unlink");
	zinc_fs_drop(fs, c);
	if (c->flags & ZINC_PUT_RELAXED)
		zinc_fs_prune(fs, base_of(c), c->dir->path, c->dir->n);
	zinc_fs_dir_unref(fs, c->dir);
	c->dir = NULL;
	return conclude(fs, c, &own, err);
}

/* With the lock held.  A missing value needs no change and leaves no trace. */
static zinc_status
erase(zinc_fs *fs, fs_change *c, zinc_error *err)
{
	struct stat st;
	bool exists;
	zinc_status status = check_before_erase(fs, c, &st, &exists, err);

	if (status != ZINC_OK || !exists)
		return drop_unchanged(fs, c, status);
	return erase_existing(fs, c, &st, err);
}

/* Most deletes of chunks that are all fill value find nothing.  One system call finds that out, without a lock. */
static zinc_status
is_missing(zinc_fs *fs, const fs_change *c, bool *missing, zinc_error *err)
{
	int root, fd;

	*missing = true;
	ZINC_TRY(zinc_fs_root(fs, false, &root, err));
	if (root == -1)
		return ZINC_OK;
	fd = zinc_fs_open_below(fs, base_of(c), c->key, O_PATH | O_NOFOLLOW);
	if (fd != -1)
		fs_os(fs)->close(fs_os(fs), fd);
	else if (errno != ENOENT && errno != ENOTDIR)
		return zinc_fs_fail(err, errno, "cannot stat the value");
	*missing = fd == -1;
	return ZINC_OK;
}

/* A pending put of the same key in the group is finished first, to keep the caller's order. */
static zinc_status
del_one(zinc_fs *fs, zinc_put_group *group, const zinc_del *del, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	fs_change *c;
	bool missing;
	zinc_status st;

	ZINC_TRY(change_new(&c, fs, group, del->key, del->when, flags, err));
	if (c->group)
		zinc_fs_group_finish_key(fs, c->group, del->key);
	st = is_missing(fs, c, &missing, err);
	if (st == ZINC_OK && !missing)
		st = take_lock(fs, c, false, wait, err);
	if (st == ZINC_OK && c->dir)
		return erase(fs, c, err);
	if (st == ZINC_OK)
		st = check_condition(c, NULL, false, err);
	zinc_fs_change_free(fs, c);
	return st;
}

zinc_status
zinc_fs_del_one(zinc_fs *fs, zinc_put_group *group, const char *key, uint32_t flags, const zinc_wait *wait,
		zinc_error *err)
{
	const zinc_del del = {.key = key};

	return del_one(fs, group, &del, flags, wait, err);
}

zinc_status
zinc_fs_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < n; i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st = zinc_wait_check(wait, &e);

		if (st == ZINC_OK)
			st = del_one((zinc_fs *)self, group, &dels[i], flags, wait, &e);
		zinc_done_report(done, i, st, NULL, &e);
	}
	return ZINC_OK;
}

/* ---- update ---- */

/* The value, read under the lock, so that no writer of this protocol can change it; data is NULL when it is missing. */
static zinc_status
read_old(zinc_fs *fs, const fs_change *c, uint64_t limit, zinc_blob *out, zinc_error *err)
{
	struct iovec iov;
	struct stat st;
	zinc_status status;
	bool is_dir;
	int fd;

	ZINC_TRY(zinc_fs_open_value(fs, c->key, &fd, &st, &is_dir, err));
	if (fd == -1) /* missing; or a directory, which publish() removes if it is empty */
		return ZINC_OK;
	if (limit && (uint64_t)st.st_size > limit) {
		fs_os(fs)->close(fs_os(fs), fd);
		return zinc_fail(err, ZINC_E_LIMIT, "the value is longer than the limit of %llu bytes",
				 (unsigned long long)limit);
	}
	iov.iov_len = (size_t)st.st_size;
	iov.iov_base = out->data = zinc_alloc(fs->ctx, iov.iov_len);
	out->nbytes = iov.iov_len;
	out->context = fs->ctx;
	status = out->data ? zinc_fs_read(fs, fd, 0, iov.iov_len, &iov, 1, err) : zinc_fail_nomem(err);
	fs_os(fs)->close(fs_os(fs), fd);
	return status;
}

/* The lock file was written, or `st` says why not.  The lock is held from before the old value is read until the
 * rename. */
static zinc_status
rename_written(zinc_fs *fs, fs_change *c, zinc_status st, zinc_error *err)
{
	fs_dirs own = {NULL, 0, 0};

	if (st == ZINC_OK)
		st = zinc_fs_enlist(fs, c, &own, true, err);
	if (st != ZINC_OK) {
		zinc_fs_dirs_fini(fs, &own);
		return drop_unchanged(fs, c, st);
	}
	zinc_fs_finish(fs, c, NULL);
	return conclude(fs, c, &own, err);
}

static zinc_status
apply(zinc_fs *fs, fs_change *c, const zinc_update *u, zinc_error *err)
{
	struct iovec iov = {(void *)(uintptr_t)u->bytes, u->nbytes};

	if (u->keep)
		return drop_unchanged(fs, c, ZINC_OK);
	if (u->erase)
		return erase(fs, c, err);
	return rename_written(fs, c, write_change(fs, c, &iov, 1, err), err);
}

/* The caller's function runs under the key's lock and no other: it may use other keys of the store. */
zinc_status
zinc_fs_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
	       const zinc_wait *wait, zinc_error *err)
{
	zinc_fs *fs = (zinc_fs *)self;
	zinc_blob old = ZINC_BLOB_INIT;
	zinc_update u = {.size = sizeof u};
	fs_change *c;
	zinc_status st;

	ZINC_TRY(zinc_wait_check(wait, err));
	ZINC_TRY(change_new(&c, fs, NULL, key, NULL, flags, err));
	st = take_lock(fs, c, true, wait, err);
	if (st == ZINC_OK)
		st = read_old(fs, c, limit, &old, err);
	if (st == ZINC_OK)
		st = fn(arg, old.data, old.nbytes, &u, err);
	st = st == ZINC_OK ? apply(fs, c, &u, err) : drop_unchanged(fs, c, st);
	zinc_blob_fini(&old);
	return st;
}

/* ---- splice ---- */

/* Copy from file to file, in blocks that fit the cache. */
static zinc_status
copy_part(fs_open_file *f, int to, const zinc_part *part, uint8_t *block, zinc_error *err)
{
	uint64_t at = 0;

	while (at < part->nbytes) {
		struct iovec iov = {block, (size_t)zinc_min_u64(COPY_BLOCK, part->nbytes - at)};

		ZINC_TRY(zinc_wait_check(f->wait, err));
		ZINC_TRY(zinc_fs_read(f->fs, f->fd, part->offset + at, iov.iov_len, &iov, 1, err));
		ZINC_TRY(zinc_fs_write(f->fs, to, &iov, 1, err));
		at += iov.iov_len;
	}
	return ZINC_OK;
}

static zinc_status
write_parts(fs_change *c, fs_open_file *f, const zinc_splice *u, zinc_error *err)
{
	uint8_t *block = (uint8_t *)zinc_alloc(f->fs->ctx, COPY_BLOCK);
	zinc_status st = block ? check_name(f->fs, c, err) : zinc_fail_nomem(err);
	size_t i;

	for (i = 0; i < u->nparts && st == ZINC_OK; i++) {
		const zinc_part *part = &u->parts[i];
		struct iovec iov = {(void *)(uintptr_t)part->bytes, part->nbytes};

		st = part->bytes ? zinc_fs_write(f->fs, c->lock.fd, &iov, 1, err)
				 : copy_part(f, c->lock.fd, part, block, err);
	}
	zinc_free(f->fs->ctx, block);
	return st;
}

static zinc_status
apply_parts(fs_change *c, fs_open_file *f, const zinc_splice *u, zinc_error *err)
{
	if (u->keep)
		return drop_unchanged(f->fs, c, ZINC_OK);
	if (u->erase)
		return erase(f->fs, c, err);
	return rename_written(f->fs, c, write_parts(c, f, u, err), err);
}

/*
 * zinc_fs_update without the old value in memory.  Processor time to rewrite a part of an 18 MB shard: 12.5 ms when the
 * old shard is read, copied and written; 7.5 in blocks; copy_file_range(2) is no better, 7.3.
 */
zinc_status
zinc_fs_splice(void *self, const char *key, zinc_splice_fn fn, void *arg, uint64_t limit, uint32_t flags,
	       const zinc_wait *wait, zinc_error *err)
{
	fs_open_file f = {(zinc_fs *)self, -1, wait};
	zinc_old old = {sizeof old, 0, 0, zinc_fs_read_open, &f};
	zinc_splice u = {.size = sizeof u};
	struct stat value;
	bool is_dir;
	fs_change *c;
	zinc_status st;

	(void)limit; /* the old value is never in memory */
	ZINC_TRY(zinc_wait_check(wait, err));
	ZINC_TRY(change_new(&c, f.fs, NULL, key, NULL, flags, err));
	st = take_lock(f.fs, c, true, wait, err);
	if (st == ZINC_OK)
		st = zinc_fs_open_value(f.fs, c->key, &f.fd, &value, &is_dir, err);
	if (st == ZINC_OK && f.fd != -1) {
		old.found = 1;
		old.nbytes = (uint64_t)value.st_size;
	}
	if (st == ZINC_OK)
		st = fn(arg, &old, &u, err);
	st = st == ZINC_OK ? apply_parts(c, &f, &u, err) : drop_unchanged(f.fs, c, st);
	if (f.fd != -1)
		fs_os(f.fs)->close(fs_os(f.fs), f.fd);
	return st;
}

/* ---- a value that is written in steps ---- */

/* A new file takes the place of the old one, which somebody else may have named, shared or protected: it gets the same
 * permissions before its first byte, and is not made where the old one is a link or could not be written. */
static zinc_status
replace_alike(zinc_fs *fs, const fs_change *c, zinc_error *err)
{
	const zinc_os *os = fs_os(fs);
	struct stat old;
	int fd;

	if (os->fstatat(os, c->dir->fd, c->name, &old) != 0)
		return errno == ENOENT ? ZINC_OK : zinc_fs_fail(err, errno, "cannot stat the value");
	if (S_ISLNK(old.st_mode))
		return zinc_fail(err, ZINC_E_READONLY,
				 "a symbolic link would be replaced by a file: name the file that it leads to");
	if (!S_ISREG(old.st_mode))
		return ZINC_OK; /* reported by those who read it */
	fd = zinc_fs_openat(fs, c->dir->fd, c->name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW, fs->links);
	if (fd == -1 && (errno == EACCES || errno == EPERM || errno == EROFS))
		return zinc_fs_fail(err, errno, "cannot be written");
	if (fd != -1)
		os->close(os, fd);
	if (os->fchmod_as(os, c->lock.fd, &old) != 0)
		return zinc_fs_fail(err, errno, "cannot give the new file the permissions of the old one");
	return ZINC_OK;
}

zinc_status
zinc_fs_stream_begin(zinc_fs *fs, const char *key, fs_change **out, const zinc_wait *wait, zinc_error *err)
{
	fs_change *c;
	zinc_status st;

	ZINC_TRY(zinc_wait_check(wait, err));
	ZINC_TRY(change_new(&c, fs, NULL, key, NULL, 0, err));
	st = take_lock(fs, c, true, wait, err);
	if (st == ZINC_OK)
		st = check_name(fs, c, err);
	if (st == ZINC_OK)
		st = replace_alike(fs, c, err);
	if (st != ZINC_OK)
		return drop_unchanged(fs, c, st);
	*out = c;
	return ZINC_OK;
}

/* In a forked child the lock belongs to the parent. */
static zinc_status
check_stream(const fs_change *c, zinc_error *err)
{
	return c->lock.fd != -1 ? ZINC_OK
				: zinc_fail(err, ZINC_E_IO, "this process was forked from the one that was writing");
}

zinc_status
zinc_fs_stream_write(zinc_fs *fs, fs_change *c, const struct iovec *iov, int niov, zinc_error *err)
{
	ZINC_TRY(check_stream(c, err));
	return zinc_fs_write(fs, c->lock.fd, iov, niov, err);
}

zinc_status
zinc_fs_stream_copy(zinc_fs *fs, fs_change *c, int from, uint64_t at, uint64_t n, const zinc_wait *wait,
		    zinc_error *err)
{
	ZINC_TRY(check_stream(c, err));
	return zinc_fs_copy(fs, from, at, n, c->lock.fd, wait, err);
}

zinc_status
zinc_fs_stream_read(zinc_fs *fs, fs_change *c, uint64_t offset, void *out, size_t n, zinc_error *err)
{
	const struct iovec iov = {out, n};

	ZINC_TRY(check_stream(c, err));
	return zinc_fs_read(fs, c->lock.fd, offset, n, &iov, 1, err);
}

zinc_status
zinc_fs_stream_finish(zinc_fs *fs, fs_change *c, const zinc_condition *when, uint32_t flags, zinc_error *err)
{
	c->flags = flags;
	set_condition(c, when);
	return rename_written(fs, c, ZINC_OK, err);
}

void
zinc_fs_stream_drop(zinc_fs *fs, fs_change *c)
{
	(void)drop_unchanged(fs, c, ZINC_OK);
}
