/*
 * store_fs_scrub.c - what killed writers left behind: lock files that nobody holds, empty directories
 *
 * A lock file is reported, and removed, only while this process holds it; so a writer at work is never disturbed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include "store/store_fs.h"

typedef struct scrub {
	zinc_fs *fs;
	bool remove;
	zinc_scrub_fn fn;
	void *arg;
	zinc_buf path; /* "" or ends in '/' */
	bool stop;
	zinc_error *err;
} scrub;

/* True when the lock file is nobody's: gone when asked to remove it, else as good as gone. */
static bool
scrub_lock(scrub *s, const char *name)
{
	zinc_fs *fs = s->fs;
	const zinc_os *os = fs_os(fs);
	size_t n = s->path.n;
	fs_dir *d = NULL;
	fs_lock lock;
	bool gone = false;

	if (zinc_fs_dir_open(fs, zinc_buf_text(&s->path), n ? n - 1 : 0, false, &d, NULL, NULL) != ZINC_OK || !d)
		return false;
	if (zinc_fs_lock_leftover(fs, d->fd, name, &lock) == FS_TAKEN) {
		gone = !s->remove || os->unlinkat(os, d->fd, name, 0) == 0;
		zinc_fs_lock_release(fs, &lock);
	}
	zinc_fs_dir_unref(fs, d);
	if (gone && zinc_buf_puts(&s->path, name, NULL) == ZINC_OK) {
		s->stop = s->fn(s->arg, zinc_buf_text(&s->path), "lock file of a writer that is gone") != 0;
		s->path.n = n;
	}
	return gone;
}

/* The directory s->path holds nothing (any more). */
static bool
scrub_empty(scrub *s)
{
	size_t n = s->path.n ? s->path.n - 1 : 0;
	const char *path = zinc_buf_text(&s->path);
	fs_dir *d = NULL;

	if (!zinc_fs_may_remove(s->fs, path, n))
		return false;
	if (s->remove) {
		zinc_fs_prune(s->fs, path, n);
		if (zinc_fs_dir_open(s->fs, path, n, false, &d, NULL, NULL) != ZINC_OK || d) {
			zinc_fs_dir_unref(s->fs, d);
			return false;
		}
	}
	s->stop = s->fn(s->arg, path, "empty directory") != 0;
	return true;
}

static zinc_status scrub_dir(scrub *s, bool *empty);

/* Whatever is neither a lock nor a directory, a key above all, makes its directory one that is in use. */
static zinc_status
scrub_entry(scrub *s, const fs_entry *entry, const char *name, bool *empty)
{
	size_t n = s->path.n;
	bool gone = false;
	zinc_status st = ZINC_OK;

	if (entry->type == DT_REG && zinc_fs_is_lock(name)) {
		gone = scrub_lock(s, name);
	} else if (entry->type == DT_DIR && n + strlen(name) <= FS_KEY_MAX) {
		st = zinc_buf_puts(&s->path, name, s->err);
		if (st == ZINC_OK)
			st = scrub_dir(s, &gone);
		s->path.n = n;
	}
	*empty = *empty && gone;
	return st;
}

/* *empty: nothing is below, or would be after removing. */
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
	if (n && zinc_fs_is_denied(s->fs, zinc_buf_text(&s->path)))
		return ZINC_OK; /* not ours, whatever is in it */
	*empty = true;
	ZINC_TRY(zinc_fs_entries_read(s->fs, &e, zinc_buf_text(&s->path), n, FS_EVERYTHING, &where, s->err));
	for (i = 0; st == ZINC_OK && !s->stop && (entry = zinc_fs_entry(&e, i, &name)); i++)
		st = scrub_entry(s, entry, name, empty);
	zinc_fs_entries_fini(&e);
	if (st == ZINC_OK && !s->stop && *empty && where.st_nlink > 0)
		*empty = scrub_empty(s);
	return st;
}

zinc_status
zinc_fs_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, zinc_error *err)
{
	scrub s = {.fs = (zinc_fs *)self, .remove = remove != 0, .fn = fn, .arg = arg, .err = err};
	bool empty;
	zinc_status st;

	zinc_buf_init(&s.path, s.fs->ctx, SIZE_MAX - 1);
	st = zinc_buf_puts(&s.path, prefix, err);
	if (st == ZINC_OK && !zinc_buf_text(&s.path))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = scrub_dir(&s, &empty);
	zinc_buf_fini(&s.path);
	return st;
}
