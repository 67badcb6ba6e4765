/*
 * store_fs.c - a store whose keys are files below one directory
 *
 * Promises (tests/unit/test_store_fs.c names each by its number):
 *
 * (1)  A key's file is never modified.  It is replaced by rename(2), so a reader sees the old bytes or the new bytes,
 *      never a mixture and never a prefix.
 * (2)  When put() returns ZINC_OK without ZINC_PUT_RELAXED, or commit() does, the bytes survive power loss: write ->
 *      fsync(file) -> rename -> fsync(directory) and an fstat that proves it (sync_dir), and the same for the parent
 *      of every directory made on the way.
 * (3)  If write, fsync or rename fails, the key keeps its old value and put() says so.  A failed fsync is never
 *      retried: the kernel may already have dropped the data.  If only the directory's fsync fails, or close, the
 *      outcome is E_UNCERTAIN.
 * (4)  No key can name anything outside the root but by a symbolic link, and only where links are followed: keys are
 *      checked by zinc_key_check(); with ZINC_LINKS_BENEATH and _REFUSE the kernel keeps reads, writes and deletes
 *      beneath the root (openat2), whoever changes links meanwhile.
 * (5)  put(), del() and update() take the key's lock, so conditions hold against, and update() excludes, every other
 *      writer of this protocol on this host (Zinc's and TensorStore's).
 * (6)  Among such writers a tag (inode, size, mtime) never comes back.
 * (7)  Whoever waits for a lock holds none: groups cannot deadlock.
 * (8)  All requests for one key in a batch are served from one descriptor.  Values are read, never mapped: a program
 *      that truncates one makes a read fail, not the process.
 * (9)  Empty directories are removed after a delete and never listed; so are, on request, lock files nobody holds.
 * (10) Names that fold: where the file system takes two keys for one, caps say so after the first change, and a key
 *      that would fall onto another is refused.
 * (11) The store survives fork(): a child holds no lock of its parent.
 * (12) Nothing that is there is taken for missing: a FIFO, device, socket or directory in the place of a value, and a
 *      link on the way that leads nowhere, make get() fail.  Whatever get() can read is listed.
 * (13) A change follows links to directories as get() does; a link in the place of the value itself is replaced or
 *      erased, and what it leads to stays.  del_prefix follows none from the last name of its prefix on, and scrub
 *      none below its own, also not those that come while they work.
 *
 * What a file system adds to the rules of keys: no '\', no component that ends in ".__lock" or is longer than
 * 248 bytes, and no key that is also the directory of another.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "store/store_fs.h"

#define IOV_AT_ONCE     256
#define MOST_INTERRUPTS 100

/* Where two ranges of a file are closer than this, reading the gap costs less than another call. */
#define MERGE_GAP 4096

/* ---- what the other files call ---- */

/* openat2 can be interrupted where the file system is remote.  Bounded, lest a storm of signals hangs us. */
int
zinc_fs_openat(zinc_fs *fs, int dir, const char *path, int flags, int links)
{
	const zinc_os *os = fs_os(fs);
	int tries, fd = -1;

	for (tries = 0; tries < MOST_INTERRUPTS; tries++) {
		fd = os->open_at(os, dir, path, flags | O_CLOEXEC, 0666, links);
		if (fd != -1 || errno != EINTR)
			break;
	}
	return fd;
}

/* Missing keys are told apart before; here ENOENT means that something vanished. */
zinc_status
zinc_fs_fail(zinc_error *err, int errnum, const char *what)
{
	switch (errnum) {
	case ENOENT:
		return zinc_fail(err, ZINC_E_IO, "%s: it was removed meanwhile", what);
	case ELOOP:
		return zinc_fail(err, ZINC_E_IO, "%s: a symbolic link that is not followed", what);
	case EXDEV:
		return zinc_fail(err, ZINC_E_IO, "%s: a symbolic link leads out of the store", what);
	case ENOLINK:
		return zinc_fail(err, ZINC_E_IO, "%s: a symbolic link on the way leads nowhere", what);
	case ENXIO:
		return zinc_fail(err, ZINC_E_IO, "%s: not a regular file", what);
	default:
		return zinc_fail_errno(err, errnum, "%s", what);
	}
}

/* Checked component by component, because a directory "x.__lock" would block the lock of "x". */
zinc_status
zinc_fs_key_check(const char *key, zinc_error *err)
{
	size_t at, len;
	char name[FS_NAME_BYTES];

	if (strchr(key, '\\'))
		return zinc_fail(err, ZINC_E_INVALID, "a key in a file system must not have a '\\'");
	for (at = 0; key[at]; at += len + (key[at + len] == '/')) {
		len = strcspn(key + at, "/");
		if (len > FS_COMPONENT_MAX)
			return zinc_fail(err, ZINC_E_INVALID,
					 "a component of %zu bytes: a file system holds at most %u", len,
					 FS_COMPONENT_MAX);
		memcpy(name, key + at, len);
		name[len] = '\0';
		if (zinc_fs_is_lock(name))
			return zinc_fail(err, ZINC_E_INVALID,
					 "a component must not end in \"" FS_SUFFIX "\": those are locks");
	}
	return ZINC_OK;
}

/* Inode, size and mtime; the device is the root's. */
void
zinc_fs_tag(zinc_tag *out, const struct stat *st)
{
	const uint64_t parts[4] = {(uint64_t)st->st_ino, (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
				   (uint64_t)st->st_mtim.tv_nsec};

	out->n = sizeof parts;
	memcpy(out->b, parts, sizeof parts);
}

/* ---- reading ---- */

/* Nothing where fstat promised bytes: only a program that writes in place can do that. */
static zinc_status
read_failed(ssize_t got, int errnum, zinc_error *err)
{
	if (got == 0)
		return zinc_fail(err, ZINC_E_CONFLICT, "another program made the file shorter while it was read");
	return zinc_fs_fail(err, errnum, "cannot read");
}

/* A file that grew meanwhile fills the rest of iov, which is the caller's memory and not counted. */
zinc_status
zinc_fs_read(zinc_fs *fs, int fd, uint64_t offset, uint64_t n, const struct iovec *iov, int niov, zinc_error *err)
{
	const zinc_os *os = fs_os(fs);
	zinc_iov_at at = {iov, niov, 0};
	struct iovec next[IOV_AT_ONCE];
	int interrupts = 0, count;
	ssize_t got;

	while (n > 0 && (count = zinc_iov_next(&at, next, IOV_AT_ONCE)) > 0) {
		got = os->preadv(os, fd, next, count, (off_t)offset);
		if (got > 0) {
			zinc_iov_advance(&at, (size_t)got);
			offset += (uint64_t)got;
			n -= zinc_min_u64(n, (uint64_t)got);
		} else if (got == 0 || errno != EINTR || ++interrupts > MOST_INTERRUPTS) {
			return read_failed(got, errno, err);
		}
	}
	return ZINC_OK;
}

/* 0 with the stat of path[0..n), or -1; `flags` may say that a link itself is meant. */
static int
stat_prefix(zinc_fs *fs, int root, const char *path, size_t n, int flags, struct stat *st)
{
	const zinc_os *os = fs_os(fs);
	char prefix[FS_KEY_MAX + 1]; /* a longer key would have been ENAMETOOLONG or refused */
	int fd, failed;

	memcpy(prefix, path, n);
	prefix[n] = '\0';
	fd = zinc_fs_openat(fs, root, prefix, O_PATH | flags, fs->links);
	if (fd == -1)
		return -1;
	failed = os->fstat(os, fd, st);
	os->close(os, fd);
	return failed;
}

static bool
is_absent(int errnum)
{
	return errnum == ENOENT || errnum == ENOTDIR;
}

/* Do both keys lie in the directory key[0..n)? */
static bool
same_dir(const char *other, const char *key, size_t n)
{
	size_t skip = n + (n > 0);

	return strncmp(other, key, skip) == 0 && !strchr(other + skip, '/');
}

/*
 * ENOENT and ENOTDIR do not say that nothing is there: a link on the way, or in the place of the value, may lead nowhere,
 * and a file that is neither directory nor value may stand in the way.  *seen (may be NULL) is the directory of
 * another key of the same batch for which this was found out; keys of one directory come together.
 */
static zinc_status
check_missing(zinc_fs *fs, int root, const char *key, size_t n, const char **seen, zinc_error *err)
{
	const size_t dir = zinc_fs_parent(key, n);
	struct stat st;

	while (stat_prefix(fs, root, key, n, O_NOFOLLOW, &st) == -1) {
		if (!is_absent(errno))
			return zinc_fs_fail(err, errno, "cannot look for it");
		n = zinc_fs_parent(key, n);
		if (n == 0 || (n == dir && seen && *seen && same_dir(*seen, key, n)))
			return ZINC_OK;
	}
	if (S_ISLNK(st.st_mode) && stat_prefix(fs, root, key, n, 0, &st) == -1)
		return zinc_fs_fail(err, is_absent(errno) ? ENOLINK : errno, "cannot open");
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return zinc_fs_fail(err, ENXIO, "cannot open");
	if (seen && n <= dir)
		*seen = key;
	return ZINC_OK;
}

zinc_status
zinc_fs_check_missing(zinc_fs *fs, const char *path, size_t n, zinc_error *err)
{
	const int root = atomic_load(&fs->root);

	return root == -1 || n == 0 || n > FS_KEY_MAX ? ZINC_OK : check_missing(fs, root, path, n, NULL, err);
}

/* O_NONBLOCK: a FIFO of that name must not make us wait. */
static zinc_status
open_value(zinc_fs *fs, const char *key, int *fd, struct stat *st, bool *is_dir, const char **seen, zinc_error *err)
{
	const zinc_os *os = fs_os(fs);
	int root, failed;

	*fd = -1;
	ZINC_TRY(zinc_fs_root(fs, false, &root, err));
	if (root == -1)
		return ZINC_OK;
	*fd = zinc_fs_openat(fs, root, key, O_RDONLY | O_NONBLOCK, fs->links);
	if (*fd == -1 && is_absent(errno))
		return check_missing(fs, root, key, strlen(key), seen, err);
	if (*fd == -1)
		return zinc_fs_fail(err, errno, "cannot open");
	failed = os->fstat(os, *fd, st) == -1 ? errno : 0;
	if (!failed && S_ISREG(st->st_mode))
		return ZINC_OK;
	os->close(os, *fd);
	*fd = -1;
	if (failed)
		return zinc_fs_fail(err, failed, "cannot look at it");
	if (!S_ISDIR(st->st_mode))
		return zinc_fs_fail(err, ENXIO, "cannot open");
	if (is_dir)
		*is_dir = true;
	return is_dir ? ZINC_OK : zinc_fail(err, ZINC_E_IO, "a directory is in the place of the value");
}

zinc_status
zinc_fs_open_value(zinc_fs *fs, const char *key, int *fd, struct stat *st, bool *is_dir, zinc_error *err)
{
	return open_value(fs, key, fd, st, is_dir, NULL, err);
}

zinc_status
zinc_fs_read_open(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	const fs_open_file *f = (const fs_open_file *)arg;

	return zinc_fs_read(f->fs, f->fd, offset, nbytes, iov, niov, err);
}

/* Requests in the order that they are served. */
typedef struct ordered_gets {
	const zinc_get *requests;
	const size_t *order; /* NULL: as they come */
	size_t n;
	const char *seen; /* of check_missing */
} ordered_gets;

/* The request that is served i-th. */
static size_t
nth(const ordered_gets *g, size_t i)
{
	return g->order ? g->order[i] : i;
}

/* Serve the requests from `from` on that have the same key; returns where the next key begins. */
static size_t
serve_key(zinc_fs *fs, ordered_gets *g, size_t from, const zinc_sink *sink, const zinc_wait *wait)
{
	const char *key = g->requests[nth(g, from)].key;
	fs_open_file f = {fs, -1, NULL};
	struct stat st;
	zinc_tag tag;
	zinc_error e;
	zinc_status status;
	size_t i, at;

	if (zinc_sink_cancelled(sink, nth(g, from), wait))
		return from + 1;
	zinc_error_clear(&e);
	status = open_value(fs, key, &f.fd, &st, NULL, &g->seen, &e);
	if (f.fd != -1)
		zinc_fs_tag(&tag, &st);
	for (i = from; i < g->n && strcmp(g->requests[nth(g, i)].key, key) == 0; i++) {
		at = nth(g, i);
		if (status != ZINC_OK)
			zinc_sink_failed(sink, at, status, &e);
		else if (f.fd == -1)
			zinc_sink_missing(sink, at);
		else if (i == from || !zinc_sink_cancelled(sink, at, wait))
			zinc_sink_serve(sink, at, &g->requests[at], (uint64_t)st.st_size, &tag, zinc_fs_read_open, &f,
					wait);
	}
	if (f.fd != -1)
		fs_os(fs)->close(fs_os(fs), f.fd);
	return i;
}

/* By key, and as they came for the same key. */
static int
compare_gets(const void *a, const void *b, void *requests)
{
	const zinc_get *r = (const zinc_get *)requests;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int by_key = strcmp(r[x].key, r[y].key);

	if (by_key)
		return by_key;
	return x < y ? -1 : x > y;
}

/* Keys that are in order already need no memory; those of arrays mostly are. */
static zinc_status
bring_in_order(zinc_context *ctx, const zinc_get *r, size_t n, size_t **out, zinc_error *err)
{
	size_t *order, i;

	*out = NULL;
	for (i = 1; i < n && (zinc_get_goes_on(r, i) || strcmp(r[i - 1].key, r[i].key) <= 0); i++)
		continue;
	if (i >= n)
		return ZINC_OK;
	order = (size_t *)zinc_calloc(ctx, n, sizeof *order);
	if (!order)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof *order, compare_gets, (void *)(uintptr_t)r);
	*out = order;
	return ZINC_OK;
}

/* One request after another, in the calling thread: whoever wants more calls from more threads. */
static zinc_status
fs_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	zinc_fs *fs = (zinc_fs *)self;
	ordered_gets g = {requests, NULL, n, NULL};
	size_t *order, i;

	for (i = 0; i < n; i++)
		if (!zinc_get_goes_on(requests, i))
			ZINC_TRY(zinc_error_at_key(err, zinc_fs_key_check(requests[i].key, err), requests[i].key));
	ZINC_TRY(bring_in_order(fs->ctx, requests, n, &order, err));
	g.order = order;
	for (i = 0; i < n;)
		i = serve_key(fs, &g, i, sink, wait);
	zinc_free(fs->ctx, order);
	return ZINC_OK;
}

/* ---- caps ---- */

/* parallel is 1: a batch is read by the thread that asks.  Ranges and suffixes cost what they bring. */
static void
fs_caps(void *self, zinc_caps *out)
{
	const zinc_fs *fs = (const zinc_fs *)self;

	out->flags = ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE |
		     ZINC_CAP_ERASE | ZINC_CAP_ATOMIC_PUT | ZINC_CAP_DURABLE | ZINC_CAP_CAS |
		     ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE | ZINC_CAP_UPDATE | ZINC_CAP_TAGS;
	out->flags |= atomic_load(&fs->names) & ~FS_NAMES_KNOWN;
	out->parallel = 1;
	out->merge_gap = MERGE_GAP;
	out->key_max = FS_KEY_MAX;
	out->component_max = FS_COMPONENT_MAX;
	out->refused = "\\";
	out->reserved = FS_SUFFIX;
}

/* ---- fork ---- */

/* No call that can block is made under the lock, so fork() waits for nothing. */
static void
before_fork(void *object)
{
	pthread_mutex_lock(&((zinc_fs *)object)->lock);
}

static void
parent_after_fork(void *object)
{
	pthread_mutex_unlock(&((zinc_fs *)object)->lock);
}

/* Locks are the parent's, and so is what waits in groups; the child starts with none. */
static void
child_after_fork(void *object)
{
	zinc_fs *fs = (zinc_fs *)object;

	zinc_fs_lock_forget_all(fs);
	zinc_fs_groups_after_fork(fs);
	pthread_cond_init(&fs->idle, NULL);
	pthread_mutex_unlock(&fs->lock);
}

/* ---- open and close ---- */

/* Without double slashes and slashes at the end. */
static char *
clean_path(zinc_context *ctx, const char *path)
{
	char *out = zinc_strdup(ctx, path);
	size_t i, n = 0;

	for (i = 0; out && path[i]; i++)
		if (path[i] != '/' || n == 0 || out[n - 1] != '/')
			out[n++] = path[i];
	if (n > 1 && out[n - 1] == '/')
		n--;
	if (out)
		out[n] = '\0';
	return out;
}

/* A group that is still open was forgotten by its owner: what it holds is given up. */
static void
fs_close(void *self)
{
	zinc_fs *fs = (zinc_fs *)self;
	int root = atomic_load(&fs->root);

	zinc_fork_remove(&fs->fork);
	while (fs->groups)
		zinc_fs_abort(fs, (zinc_put_group *)fs->groups);
	if (root != -1)
		fs_os(fs)->close(fs_os(fs), root);
	zinc_fs_dirs_fini(fs, &fs->unsynced_files);
	zinc_fs_dirs_fini(fs, &fs->unsynced_dirs);
	pthread_cond_destroy(&fs->idle);
	pthread_mutex_destroy(&fs->lock);
	zinc_free(fs->ctx, fs->path);
	zinc_free(fs->ctx, fs->keep);
	zinc_free(fs->ctx, fs);
}

/* Mutexes and conditions with default attributes take no memory and cannot fail. */
static void
init(zinc_fs *fs, const zinc_store_options *options)
{
	fs->links = options->links;
	fs->create = options->create >= 0;
	atomic_init(&fs->root, -1);
	atomic_init(&fs->names, 0);
	pthread_mutex_init(&fs->lock, NULL);
	pthread_cond_init(&fs->idle, NULL);
	fs->fork.before = before_fork;
	fs->fork.parent = parent_after_fork;
	fs->fork.child = child_after_fork;
	fs->fork.object = fs;
	zinc_fork_add(&fs->fork);
}

/* The root is looked for once, so that what is not a directory is told now; what is not there may come later. */
zinc_status
zinc_fs_open_keeping(void **self, const char *root, const char *keep, const zinc_store_options *options,
		     zinc_error *err)
{
	zinc_context *ctx = zinc_context_get(options->context);
	zinc_fs *fs = (zinc_fs *)zinc_calloc(ctx, 1, sizeof *fs);
	zinc_status st;
	int fd;

	if (!fs)
		return zinc_fail_nomem(err);
	fs->ctx = ctx;
	fs->path = clean_path(ctx, root);
	fs->keep = zinc_strdup(ctx, keep);
	init(fs, options);
	if (!fs->path || !fs->keep)
		st = zinc_fail_nomem(err);
	else if (fs->links < ZINC_LINKS_FOLLOW || fs->links > ZINC_LINKS_REFUSE)
		st = zinc_fail(err, ZINC_E_INVALID, "links must be a zinc_links, not %d", fs->links);
	else
		st = zinc_fs_root(fs, false, &fd, err);
	if (st != ZINC_OK) {
		fs_close(fs);
		return st;
	}
	*self = fs;
	return ZINC_OK;
}

static zinc_status
fs_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	return zinc_fs_open_keeping(self, rest, "", options, err);
}

const zinc_store_ops zinc_store_ops_fs = {
    .size = sizeof(zinc_store_ops),
    .name = "fs",
    .purpose = "files below a directory",
    .schemes = "file",
    .open = fs_open,
    .close = fs_close,
    .caps = fs_caps,
    .get = fs_get,
    .put = zinc_fs_put,
    .del = zinc_fs_del,
    .put_begin = zinc_fs_put_begin,
    .commit = zinc_fs_commit,
    .abort = zinc_fs_abort,
    .update = zinc_fs_update,
    .splice = zinc_fs_splice,
    .del_prefix = zinc_fs_del_prefix,
    .sync = zinc_fs_sync,
    .scrub = zinc_fs_scrub,
    .walk = zinc_fs_walk,
};
