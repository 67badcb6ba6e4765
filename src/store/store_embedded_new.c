/*
 * store_embedded_new.c - making a database that is a file
 *
 * The libraries write the head of a new file in several steps, and refuse it if they were killed between them.  So a
 * database is made under another name, .new-x.tcb beside x.tcb, and renamed when it is whole.
 *
 * A file of 0 bytes at the path is no database yet; those who make one hold a lock of it, one at a time.  Who gets the
 * lock of a file that is no longer the one at the path, or no longer empty, was too late: the database is there.
 *
 * Promise (tests/unit/test_store_embedded.c names it by its number):
 *
 * (12) At every moment there is a whole database at the path, or none, or a file of 0 bytes.
 * (13) A link at the path stays one: the database is made where it leads.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/store_embedded.h"

/* "/d/.new-x.tcb" in `out`. */
static zinc_status
name_new(const char *path, zinc_buf *out, zinc_error *err)
{
	const char *slash = strrchr(path, '/');

	ZINC_TRY(zinc_buf_printf(out, err, "%.*s/.new-%s", (int)(slash - path), path, slash + 1));
	return zinc_buf_text(out) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
sync_file(const embedded_store *s, const char *name, zinc_error *err)
{
	const zinc_os *os = s->ctx->os;
	const int fd = zinc_embedded_file(s->ctx, name, O_RDONLY);
	const int failed = fd == -1 || os->fsync(os, fd) != 0 ? errno : 0;

	if (fd != -1)
		os->close(os, fd);
	return failed ? zinc_fail_errno(err, failed, "cannot sync %s", name) : ZINC_OK;
}

static zinc_status
make_file(const embedded_store *s, const char *name, zinc_error *err)
{
	bool busy = false;
	void *db = NULL;

	ZINC_TRY(s->engine->open(name, EMBEDDED_CREATE, &db, &busy, err));
	ZINC_TRY(s->engine->close(db, err));
	return sync_file(s, name, err);
}

static zinc_status
remove_old(const embedded_store *s, int top, const char *name, const char *suffix, zinc_error *err)
{
	const zinc_os *os = s->ctx->os;
	char whole[PATH_MAX + 16];

	if (snprintf(whole, sizeof whole, "%s%s", name + 1, suffix) >= (int)sizeof whole)
		return zinc_fail(err, ZINC_E_LIMIT, "the path is too long");
	if (os->unlinkat(os, top, whole, 0) != 0 && errno != ENOENT)
		return zinc_fail_errno(err, errno, "cannot remove %s%s", name, suffix);
	return ZINC_OK;
}

/* The lock is held.  What a process that was killed has left under the name is removed. */
static zinc_status
make_and_rename(const embedded_store *s, const char *name, const char *path, zinc_error *err)
{
	const zinc_os *os = s->ctx->os;
	const int top = os->open_root(os, "/", O_PATH | O_CLOEXEC);
	zinc_status st = top == -1 ? zinc_fail_errno(err, errno, "cannot open the directory /") : ZINC_OK;

	if (st == ZINC_OK)
		st = remove_old(s, top, name, "", err);
	if (st == ZINC_OK && s->engine->undo)
		st = remove_old(s, top, name, s->engine->undo, err);
	if (st == ZINC_OK && s->engine->undo)
		st = remove_old(s, top, path, s->engine->undo, err); /* it would be applied to the new database */
	if (st == ZINC_OK)
		st = make_file(s, name, err);
	if (st == ZINC_OK && os->renameat(os, top, name + 1, top, path + 1) != 0)
		st = zinc_fail_errno(err, errno, "cannot rename %s", name);
	if (top != -1)
		os->close(os, top);
	return st == ZINC_OK ? zinc_embedded_sync_directory(s->ctx, path, err) : st;
}

/* Is the locked file the one at the path, and still empty? */
static zinc_status
is_first(const embedded_store *s, int fd, const char *path, bool *yes, zinc_error *err)
{
	const zinc_os *os = s->ctx->os;
	struct stat locked, now;

	if (os->fstat(os, fd, &locked) != 0)
		return zinc_fail_errno(err, errno, "cannot look at %s", path);
	ZINC_TRY(zinc_file_look(s->ctx, path, strlen(path), "", yes, &now, err));
	*yes = *yes && locked.st_dev == now.st_dev && locked.st_ino == now.st_ino && now.st_size == 0;
	return ZINC_OK;
}

/* The lock is held.  `path` is without links: a rename would replace a link. */
static zinc_status
create_at(const embedded_store *s, int fd, const char *path, bool *busy, zinc_error *err)
{
	bool first = false;
	zinc_status st;
	zinc_buf name;

	ZINC_TRY(is_first(s, fd, s->path, &first, err));
	if (first)
		ZINC_TRY(is_first(s, fd, path, &first, err));
	if (!first) {
		*busy = true;
		return zinc_fail(err, ZINC_E_IO, "another process has made %s", s->path);
	}
	zinc_buf_init(&name, s->ctx, 2 * (size_t)ZINC_MAX_KEY);
	st = name_new(path, &name, err);
	if (st == ZINC_OK)
		st = make_and_rename(s, (const char *)name.p, path, err);
	zinc_buf_fini(&name);
	return st;
}

static zinc_status
create_locked(const embedded_store *s, int fd, bool *busy, zinc_error *err)
{
	const zinc_os *os = s->ctx->os;
	char path[PATH_MAX];

	if (os->lock(os, fd) != 0) {
		*busy = errno == EAGAIN || errno == EACCES || errno == EINTR;
		return zinc_fail_errno(err, errno, "cannot lock %s", s->path);
	}
	if (!realpath(s->path, path))
		return zinc_fail_errno(err, errno, "cannot find where %s is", s->path);
	return create_at(s, fd, path, busy, err);
}

zinc_status
zinc_embedded_create(const embedded_store *s, bool *busy, zinc_error *err)
{
	const zinc_os *os = s->ctx->os;
	const int fd = zinc_embedded_file(s->ctx, s->path, O_RDWR | O_CREAT);
	zinc_status st;

	if (fd == -1)
		return zinc_embedded_fail_open(s, err);
	st = create_locked(s, fd, busy, err);
	os->close(os, fd);
	return st;
}
