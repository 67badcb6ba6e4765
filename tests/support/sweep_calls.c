/*
 * sweep_calls.c - a table of OS calls that counts, logs and can fail
 *
 * A call that must fail is not executed, except close: a descriptor is closed even if close fails.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/sweep.h"

static sweep_calls *
calls_of(const zinc_os *self)
{
	return (sweep_calls *)(uintptr_t)self; /* `os` is its first member */
}

/* Count a call; the errno it must fail with, or 0. */
static int
enter(sweep_calls *c, const char *name, int fd, const char *path)
{
	int errnum = 0;

	if (c->hook)
		c->hook(c->hook_arg, name, fd, path);
	pthread_mutex_lock(&c->lock);
	if (!c->only || strcmp(c->only, name) == 0) {
		c->calls++;
		if (c->fail_at && (c->forever ? c->calls >= c->fail_at : c->calls == c->fail_at)) {
			errnum = c->errnum;
			c->failed++;
		}
	}
	pthread_mutex_unlock(&c->lock);
	return errnum;
}

static void
add_to_log(sweep_calls *c, const char *name, int fd, const char *path, long result, int errnum)
{
	sweep_call *call;

	if (c->nlog == c->log_cap) {
		c->log_cap = c->log_cap ? c->log_cap * 2 : 64;
		c->log = (sweep_call *)realloc(c->log, c->log_cap * sizeof *c->log);
		if (!c->log)
			abort();
	}
	call = &c->log[c->nlog++];
	*call = (sweep_call){.name = name, .fd = fd, .result = result, .errnum = errnum};
	snprintf(call->path, sizeof call->path, "%s", path);
}

/* Log the outcome, keep errno, return the result. */
static long
leave(sweep_calls *c, const char *name, int fd, const char *path, long result)
{
	int errnum = result == -1 ? errno : 0;

	if (c->keep_log) {
		pthread_mutex_lock(&c->lock);
		add_to_log(c, name, fd, path, result, errnum);
		pthread_mutex_unlock(&c->lock);
	}
	if (result == -1)
		errno = errnum;
	return result;
}

/* ---- descriptors ---- */

static void
mark(sweep_calls *c, int fd, bool open)
{
	pthread_mutex_lock(&c->lock);
	if (fd >= 0 && fd < SWEEP_MOST_FDS) {
		if (!open && !c->is_open[fd])
			c->bad_closes++;
		else
			c->nopen += open ? 1 : -1;
		c->is_open[fd] = open;
	}
	pthread_mutex_unlock(&c->lock);
}

static int
opened(sweep_calls *c, const char *name, const char *path, int errnum, int fd)
{
	if (errnum)
		errno = errnum;
	else if (fd != -1)
		mark(c, fd, true);
	return (int)leave(c, name, fd, path, fd);
}

static int
do_open_root(const zinc_os *self, const char *path, int flags)
{
	sweep_calls *c = calls_of(self);
	int errnum = enter(c, "open_root", -1, path);

	return opened(c, "open_root", path, errnum, errnum ? -1 : c->below->open_root(c->below, path, flags));
}

static int
do_open_at(const zinc_os *self, int dir, const char *path, int flags, mode_t mode, int links)
{
	sweep_calls *c = calls_of(self);
	int errnum = enter(c, "open_at", dir, path);

	return opened(c, "open_at", path, errnum,
		      errnum ? -1 : c->below->open_at(c->below, dir, path, flags, mode, links));
}

static int
do_close(const zinc_os *self, int fd)
{
	sweep_calls *c = calls_of(self);
	int errnum = enter(c, "close", fd, ""), result;

	mark(c, fd, false);
	result = c->below->close(c->below, fd);
	if (errnum) {
		errno = errnum;
		result = -1;
	}
	return (int)leave(c, "close", fd, "", result);
}

/* ---- bytes ---- */

static size_t
shorten(const sweep_calls *c, size_t n)
{
	return c->most_bytes && n > c->most_bytes ? c->most_bytes : n;
}

/* The first bytes of a vector that has any, as a vector of one. */
static int
shorten_vector(const sweep_calls *c, const struct iovec **iov, int niov, struct iovec *one)
{
	int i = 0;

	if (!c->most_bytes)
		return niov;
	while (i + 1 < niov && (*iov)[i].iov_len == 0)
		i++;
	if (niov == 0)
		return 0;
	*one = (*iov)[i];
	one->iov_len = shorten(c, one->iov_len);
	*iov = one;
	return 1;
}

static ssize_t
short_preadv(const sweep_calls *c, int fd, const struct iovec *iov, int niov, off_t at)
{
	struct iovec one;

	niov = shorten_vector(c, &iov, niov, &one);
	return c->below->preadv(c->below, fd, iov, niov, at);
}

static ssize_t
short_writev(const sweep_calls *c, int fd, const struct iovec *iov, int niov)
{
	struct iovec one;

	niov = shorten_vector(c, &iov, niov, &one);
	return c->below->writev(c->below, fd, iov, niov);
}

/* ---- calls that only pass through: type, name, parameters, descriptor, path, what to do ---- */

/* clang-format off */
#define PASS(type, name, parameters, fd, path, done)              \
	static type do_##name parameters                          \
	{                                                         \
		sweep_calls *c = calls_of(self);                  \
		const zinc_os *b = c->below;                      \
		int errnum = enter(c, #name, fd, path);           \
		type result = errnum || !b ? -1 : (done);         \
		if (errnum)                                       \
			errno = errnum;                           \
		return (type)leave(c, #name, fd, path, result);   \
	}
PASS(ssize_t, pread, (const zinc_os *self, int fd, void *p, size_t n, off_t at), fd, "", b->pread(b, fd, p, shorten(c, n), at))
PASS(ssize_t, preadv, (const zinc_os *self, int fd, const struct iovec *iov, int niov, off_t at), fd, "",
     short_preadv(c, fd, iov, niov, at))
PASS(ssize_t, writev, (const zinc_os *self, int fd, const struct iovec *iov, int niov), fd, "", short_writev(c, fd, iov, niov))
PASS(ssize_t, copy_range, (const zinc_os *self, int from, off_t at, int to, size_t n), to, "",
     b->copy_range(b, from, at, to, shorten(c, n)))
PASS(int, ftruncate, (const zinc_os *self, int fd, off_t n), fd, "", b->ftruncate(b, fd, n))
PASS(int, reserve, (const zinc_os *self, int fd, off_t n), fd, "", b->reserve(b, fd, n))
PASS(int, fsync, (const zinc_os *self, int fd), fd, "", b->fsync(b, fd))
PASS(int, fstat, (const zinc_os *self, int fd, struct stat *st), fd, "", b->fstat(b, fd, st))
PASS(int, fstatat, (const zinc_os *self, int dir, const char *path, struct stat *st), dir, path, b->fstatat(b, dir, path, st))
PASS(int, futimens, (const zinc_os *self, int fd, const struct timespec times[2]), fd, "", b->futimens(b, fd, times))
PASS(int, fchmod_as, (const zinc_os *self, int fd, const struct stat *like), fd, "", b->fchmod_as(b, fd, like))
PASS(int, mkdirat, (const zinc_os *self, int dir, const char *path, mode_t mode), dir, path, b->mkdirat(b, dir, path, mode))
PASS(int, unlinkat, (const zinc_os *self, int dir, const char *path, int flags), dir, path, b->unlinkat(b, dir, path, flags))
PASS(int, lock, (const zinc_os *self, int fd), fd, "", b->lock(b, fd))
PASS(int, unlock, (const zinc_os *self, int fd), fd, "", b->unlock(b, fd))
PASS(int, read_dir, (const zinc_os *self, int dir, int (*fn)(void *, const char *, int), void *arg), dir, "",
     b->read_dir(b, dir, fn, arg))
/* clang-format on */

static int
do_renameat(const zinc_os *self, int from, const char *a, int to, const char *name)
{
	sweep_calls *c = calls_of(self);
	char path[256];
	int errnum, result;

	snprintf(path, sizeof path, "%s -> %s", a, name);
	errnum = enter(c, "renameat", from, path);
	result = errnum ? -1 : c->below->renameat(c->below, from, a, to, name);
	if (errnum)
		errno = errnum;
	return (int)leave(c, "renameat", from, path, result);
}

/* Clocks do not fail, and their calls are not counted. */
static int
do_clock(const zinc_os *self, int id, struct timespec *now)
{
	const sweep_calls *c = calls_of(self);

	return c->below->clock(c->below, id, now);
}

/* ---- the instrument ---- */

void
sweep_calls_init(sweep_calls *c, const zinc_os *below)
{
	memset(c, 0, sizeof *c);
	c->below = below ? below : &zinc_os_posix;
	pthread_mutex_init(&c->lock, NULL);
	c->os = (zinc_os){.open_root = do_open_root,
			  .open_at = do_open_at,
			  .close = do_close,
			  .pread = do_pread,
			  .preadv = do_preadv,
			  .writev = do_writev,
			  .copy_range = do_copy_range,
			  .ftruncate = do_ftruncate,
			  .reserve = do_reserve,
			  .fsync = do_fsync,
			  .fstat = do_fstat,
			  .fstatat = do_fstatat,
			  .futimens = do_futimens,
			  .fchmod_as = do_fchmod_as,
			  .mkdirat = do_mkdirat,
			  .unlinkat = do_unlinkat,
			  .renameat = do_renameat,
			  .lock = do_lock,
			  .unlock = do_unlock,
			  .read_dir = do_read_dir,
			  .clock = do_clock};
}

void
sweep_calls_fini(sweep_calls *c)
{
	free(c->log);
	pthread_mutex_destroy(&c->lock);
}

void
sweep_calls_fail(sweep_calls *c, unsigned long at, bool forever, int errnum)
{
	c->calls = 0;
	c->failed = 0;
	c->fail_at = at;
	c->forever = forever;
	c->errnum = errnum;
}

void
sweep_calls_forget(sweep_calls *c)
{
	c->nlog = 0;
}

long
sweep_calls_find(const sweep_calls *c, size_t from, const char *name, const char *path)
{
	size_t i;

	for (i = from; i < c->nlog; i++)
		if (c->log[i].errnum == 0 && strcmp(c->log[i].name, name) == 0 &&
		    (!path || strcmp(c->log[i].path, path) == 0))
			return (long)i;
	return -1;
}
