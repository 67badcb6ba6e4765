/*
 * store_fs_scrub.c - remove what killed writers left: lock files that nobody holds, empty directories
 *
 * A lock file is reported and removed only while this process holds it, so a running writer is never disturbed.  Any
 * file may have such a name, so the caller decides on each one before it is removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include "store/store_fs.h"

typedef struct scrub {
	zinc_fs *fs;
	const fs_dir *base;
	bool remove;
	zinc_scrub_fn fn;
	void *arg;
	zinc_buf path; /* "" or ends in '/' */
	zinc_buf key;  /* the key that the lock belongs to */
	bool stop;
	const zinc_wait *wait;
	zinc_error *err;
} scrub;

/* Does the caller allow the removal of s->path?  `key` NULL: a directory. */
static bool
ask_caller(scrub *s, const char *key, const char *what)
{
	const int answer = s->fn(s->arg, zinc_buf_text(&s->path), key, what);

	s->stop = answer != 0 && answer != ZINC_SCRUB_KEEP;
	return answer == 0;
}

/* Ask the caller about a lock file that we hold, and remove it.  *gone: it was removed, or would be. */
static zinc_status
scrub_held(scrub *s, const fs_dir *d, const char *name, bool *gone)
{
	const size_t n = s->path.n;
	zinc_status st = zinc_buf_puts(&s->path, name, s->err);

	zinc_buf_end(&s->key, 0);
	if (st == ZINC_OK)
		st = zinc_buf_add(&s->key, s->path.p, s->path.n - (sizeof FS_SUFFIX - 1), s->err);
	if (st == ZINC_OK && (!zinc_buf_text(&s->path) || !zinc_buf_text(&s->key)))
		st = zinc_fail_nomem(s->err);
	*gone = st == ZINC_OK && ask_caller(s, zinc_buf_text(&s->key), "lock file of a writer that is gone");
	if (*gone && s->remove && fs_os(s->fs)->unlinkat(fs_os(s->fs), d->fd, name, 0) == -1)
		st =
		    zinc_error_at_key(s->err, zinc_fs_fail(s->err, errno, "cannot remove it"), zinc_buf_text(&s->path));
	zinc_buf_end(&s->path, n);
	return st;
}

/* *gone: nobody holds the lock file, and it was removed, or would be. */
static zinc_status
scrub_lock(scrub *s, const char *name, bool *gone)
{
	const size_t n = s->path.n;
	zinc_status st = ZINC_OK;
	fs_dir *d = NULL;
	fs_lock lock;

	if (zinc_fs_dir_open(s->fs, s->base, zinc_buf_text(&s->path), n ? n - 1 : 0, &d, NULL) != ZINC_OK || !d)
		return ZINC_OK;
	if (zinc_fs_lock_leftover(s->fs, d->fd, name, &lock) == FS_TAKEN) {
		st = scrub_held(s, d, name, gone);
		zinc_fs_lock_release(s->fs, &lock);
	}
	zinc_fs_dir_unref(s->fs, d);
	return st;
}

/* The directory s->path is empty, or would be. */
static bool
scrub_empty(scrub *s)
{
	size_t n = s->path.n ? s->path.n - 1 : 0;
	const char *path = zinc_buf_text(&s->path);

	if (!zinc_fs_may_remove(s->fs, path, n) || !ask_caller(s, NULL, "empty directory"))
		return false;
	return !s->remove || zinc_fs_prune(s->fs, s->base, path, n);
}

static zinc_status scrub_dir(scrub *s, bool *empty);

/* An entry that is neither a lock nor a directory, such as a key, shows that its directory is in use. */
static zinc_status
scrub_entry(scrub *s, const fs_entry *entry, const char *name, bool *empty)
{
	size_t n = s->path.n;
	bool gone = false;
	zinc_status st = ZINC_OK;

	if (entry->type == DT_REG && zinc_fs_is_lock(name)) {
		st = scrub_lock(s, name, &gone);
	} else if (entry->type == DT_DIR && n + strlen(name) <= FS_KEY_MAX) {
		st = zinc_buf_puts(&s->path, name, s->err);
		if (st == ZINC_OK)
			st = scrub_dir(s, &gone);
		zinc_buf_end(&s->path, n);
	}
	*empty = *empty && gone;
	return st;
}

/* *empty: there is nothing below, or would be nothing after removal. */
static zinc_status
scrub_dir(scrub *s, bool *empty)
{
	size_t n = s->path.n ? s->path.n - 1 : 0, i;
	struct stat where;
	const fs_entry *entry;
	const char *name;
	fs_entries e;
	zinc_status st = ZINC_OK;

	*empty = false;
	if (n && zinc_fs_is_denied(s->fs, s->base, zinc_buf_text(&s->path)))
		return ZINC_OK; /* not ours, whatever is in it */
	*empty = true;
	ZINC_TRY(zinc_fs_entries_read(s->fs, s->base, &e, zinc_buf_text(&s->path), n, FS_EVERYTHING, &where, s->wait,
				      s->err));
	for (i = 0; st == ZINC_OK && !s->stop && (entry = zinc_fs_entry(&e, i, &name)); i++)
		st = scrub_entry(s, entry, name, empty);
	zinc_fs_entries_fini(&e);
	if (st == ZINC_OK && !s->stop && *empty && where.st_nlink > 0)
		*empty = scrub_empty(s);
	return st;
}

zinc_status
zinc_fs_scrub_below(zinc_fs *fs, const fs_dir *base, const char *prefix, bool remove, zinc_scrub_fn fn, void *arg,
		    const zinc_wait *wait, zinc_error *err)
{
	scrub s = {.fs = fs, .base = base, .remove = remove, .fn = fn, .arg = arg, .wait = wait, .err = err};
	bool empty;
	zinc_status st;

	zinc_buf_init(&s.path, s.fs->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&s.key, s.fs->ctx, ZINC_MAX_KEY);
	st = zinc_buf_puts(&s.path, prefix, err);
	if (st == ZINC_OK && !zinc_buf_text(&s.path))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = scrub_dir(&s, &empty);
	zinc_buf_fini(&s.key);
	zinc_buf_fini(&s.path);
	return st;
}

zinc_status
zinc_fs_scrub_key(zinc_fs *fs, const char *key, bool remove, zinc_scrub_fn fn, void *arg, zinc_error *err)
{
	scrub s = {.fs = fs, .remove = remove, .fn = fn, .arg = arg, .err = err};
	const char *name = zinc_key_name(key);
	char lock_name[FS_NAME_BYTES];
	zinc_status st;
	bool gone;

	zinc_buf_init(&s.path, s.fs->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&s.key, s.fs->ctx, ZINC_MAX_KEY);
	st = zinc_fs_key_check(key, err);
	if (st == ZINC_OK)
		st = zinc_buf_add(&s.path, key, (size_t)(name - key), err);
	if (st == ZINC_OK && !zinc_buf_text(&s.path))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK) {
		zinc_fs_lock_name(lock_name, name);
		st = scrub_lock(&s, lock_name, &gone);
	}
	zinc_buf_fini(&s.key);
	zinc_buf_fini(&s.path);
	return st;
}

/* The prefix itself may be a link; below it no link is followed. */
zinc_status
zinc_fs_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, const zinc_wait *wait,
	      zinc_error *err)
{
	zinc_fs *fs = (zinc_fs *)self;
	const size_t n = strlen(prefix);
	fs_dir *base = NULL;
	zinc_status st;

	ZINC_TRY(zinc_wait_check(wait, err));
	if (n && zinc_fs_is_denied(fs, NULL, prefix))
		return ZINC_OK;
	ZINC_TRY(zinc_fs_base_open(fs, prefix, n ? n - 1 : 0, &base, err));
	st = base ? zinc_fs_scrub_below(fs, base, prefix, remove != 0, fn, arg, wait, err) : ZINC_OK;
	zinc_fs_dir_unref(fs, base);
	return st;
}
