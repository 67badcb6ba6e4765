/*
 * store_fs.c - a store whose keys are files below one directory
 *
 * Promises (tests/unit/test_store_fs.c names each by its number):
 *
 * (1) A key's file is never modified.  It is replaced by rename(2), so a reader sees the old bytes or the new bytes,
 *     never a mixture and never a prefix.
 * (2) When put() returns ZINC_OK without ZINC_PUT_RELAXED, or commit() does, the bytes survive power loss: write ->
 *     fsync(file) -> rename -> fsync(directory) and an fstat that proves it (sync_dir), and the same for the parent of
 *     every directory created for the key.
 * (3) If write, fsync or rename fails, the key keeps its old value and put() fails.  A failed fsync is never retried:
 *     the kernel may already have dropped the data.  If only close or the fsync of the directory fails, the status is
 *     E_UNCERTAIN.
 * (4) A key names a file outside the root only through a symbolic link, and only if links are followed.  Keys are
 *     checked by zinc_key_check().  With ZINC_LINKS_BENEATH and _REFUSE the kernel keeps reads, writes and deletes
 *     beneath the root (openat2), even if links change meanwhile.
 * (5) put(), del() and update() take the key's lock.  So conditions hold against every other writer of this protocol on
 *     this host (Zinc's and TensorStore's), and update() excludes them.
 * (6) Among such writers a tag (inode, size, mtime) is never reused.
 * (7) A thread that waits for a lock holds none: groups cannot deadlock.
 * (8) All requests for one key in a batch are served from one descriptor.  Values are read, never mapped: if a program
 *     truncates one, a read fails, but the process does not crash.
 * (9) Empty directories are removed after a delete and never listed.  Lock files that are not held are removed on
 *     request.
 * (10) Folded names: if the file system treats two keys as one, caps say so after the first change, and a key that
 *      would replace another is refused.
 * (11) The store survives fork(): a child holds no lock of its parent.
 * (12) No existing entry is reported as missing: a FIFO, device, socket or directory in the place of a value, and a
 *      dangling link on the path, make get() fail.  Every key that get() can read is listed.
 * (13) A change follows links to directories as get() does.  A link in the place of the value itself is replaced or
 *      erased, and its target stays.  del_prefix follows no link from the last component of its prefix on, and scrub
 *      none below its prefix, not even links that appear while they run.
 *
 * A file system restricts keys further: no '\', no component that ends in ".__lock" or is longer than 248 bytes, and no
 * key that is also the directory of another.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "store/store_fs.h"

#define IOV_AT_ONCE    256
#define MAX_INTERRUPTS 100

/* If two ranges of a file are closer than this, reading the gap is cheaper than another call. */
#define MERGE_GAP 4096

#define FS_CAPS                                                                                                        \
	(ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE |    \
	 ZINC_CAP_ATOMIC_PUT | ZINC_CAP_DURABLE | ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE |                           \
	 ZINC_CAP_LIST_AFTER_WRITE | ZINC_CAP_UPDATE | ZINC_CAP_TAGS)

/* ---- shared with the other files ---- */

/* openat2 can be interrupted on a remote file system.  The retries are bounded, so that constant signals cannot block
 * us for ever. */
int
zinc_fs_openat(zinc_fs *fs, int dir, const char *path, int flags, int links)
{
	const zinc_os *os = fs_os(fs);
	int tries, fd = -1;

	for (tries = 0; tries < MAX_INTERRUPTS; tries++) {
		fd = os->open_at(os, dir, path, flags | O_CLOEXEC, 0666, links);
		if (fd != -1 || errno != EINTR)
			break;
	}
	return fd;
}

/* The caller may decide by `os_error` that a link is not allowed. */
static zinc_status
fail_link(zinc_error *err, int errnum, const char *what, const char *why)
{
	zinc_status st = zinc_fail(err, ZINC_E_IO, "%s: a symbolic link %s", what, why);

	if (err)
		err->os_error = errnum;
	return st;
}

/* Missing keys are handled before; here ENOENT means that a file was removed meanwhile. */
zinc_status
zinc_fs_fail(zinc_error *err, int errnum, const char *what)
{
	switch (errnum) {
	case ENOENT:
		return zinc_fail(err, ZINC_E_IO, "%s: it was removed during the operation", what);
	case ELOOP:
		return fail_link(err, errnum, what, "that is not followed");
	case EXDEV:
		return fail_link(err, errnum, what, "leads out of the store");
	case ENOLINK:
		return zinc_fail(err, ZINC_E_IO, "%s: a symbolic link on the way leads nowhere", what);
	case ENXIO:
		zinc_fail(err, ZINC_E_IO, "%s: not a regular file", what);
		if (err)
			err->os_error = ENXIO;
		return ZINC_E_IO;
	default:
		return zinc_fail_errno(err, errnum, "%s", what);
	}
}

/* Every component is checked: a directory "x.__lock" would block the lock of "x". */
zinc_status
zinc_fs_key_check(const char *key, zinc_error *err)
{
	size_t at, len;
	char name[FS_NAME_BYTES];

	if (strchr(key, '\\'))
		return zinc_fail(err, ZINC_E_INVALID, "a key in a file system must not contain '\\'");
	for (at = 0; key[at]; at += len + (key[at + len] == '/')) {
		len = strcspn(key + at, "/");
		if (len > FS_COMPONENT_MAX)
			return zinc_fail(err, ZINC_E_INVALID,
					 "a component of %zu bytes is too long: a file system allows at most %u", len,
					 FS_COMPONENT_MAX);
		memcpy(name, key + at, len);
		name[len] = '\0';
		if (zinc_fs_is_lock(name))
			return zinc_fail(err, ZINC_E_INVALID,
					 "a component must not end in \"" FS_SUFFIX "\": such files are locks");
	}
	return ZINC_OK;
}

/* The device is left out: all files are on the device of the root. */
void
zinc_fs_tag(zinc_tag *out, const struct stat *st)
{
	const uint64_t parts[4] = {(uint64_t)st->st_ino, (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
				   (uint64_t)st->st_mtim.tv_nsec};

	out->n = sizeof parts;
	memcpy(out->b, parts, sizeof parts);
}

/* ---- reading ---- */

/* End of file before the size that fstat returned: another program modifies the file in place. */
static zinc_status
read_failed(ssize_t got, int errnum, zinc_error *err)
{
	if (got == 0)
		return zinc_fail(err, ZINC_E_CONFLICT, "another program made the file shorter while it was read");
	return zinc_fs_fail(err, errnum, "cannot read");
}

/* If the file has grown meanwhile, preadv may fill more of iov than n bytes; the rest is ignored. */
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
		} else if (got == 0 || errno != EINTR || ++interrupts > MAX_INTERRUPTS) {
			return read_failed(got, errno, err);
		}
	}
	return ZINC_OK;
}

/* stat of path[0..n); 0 or -1.  With O_NOFOLLOW in `flags`, of a link itself. */
static int
stat_prefix(zinc_fs *fs, int root, const char *path, size_t n, int flags, struct stat *st)
{
	const zinc_os *os = fs_os(fs);
	char prefix[FS_KEY_MAX + 1]; /* longer keys were refused, or were ENAMETOOLONG */
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

/* Are both keys in the directory key[0..n)? */
static bool
same_dir(const char *other, const char *key, size_t n)
{
	size_t skip = n + (n > 0);

	return strncmp(other, key, skip) == 0 && !strchr(other + skip, '/');
}

/*
 * ENOENT and ENOTDIR do not prove that the key is missing: a link on the path or in the place of the value may be
 * dangling, or a component may be neither directory nor regular file.  *seen (may be NULL) is an earlier key of the
 * same batch; if it is in the same directory, that directory needs no second check.  Keys of one directory are
 * adjacent.
 */
static zinc_status
check_missing(zinc_fs *fs, int root, const char *key, size_t n, const char **seen, zinc_error *err)
{
	const size_t dir = zinc_fs_parent(key, n);
	struct stat st;

	while (stat_prefix(fs, root, key, n, O_NOFOLLOW, &st) == -1) {
		if (!is_absent(errno))
			return zinc_fs_fail(err, errno, "cannot find out whether it exists");
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

/* The caller may decide by `os_error` that a directory is not a key. */
static zinc_status
fail_directory(zinc_error *err)
{
	zinc_status st = zinc_fail(err, ZINC_E_IO, "a directory has the name of this key");

	if (err)
		err->os_error = EISDIR;
	return st;
}

/* O_NONBLOCK: open must not wait on a FIFO. */
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
		return zinc_fs_fail(err, failed, "cannot stat it");
	if (!S_ISDIR(st->st_mode))
		return zinc_fs_fail(err, ENXIO, "cannot open");
	if (is_dir)
		*is_dir = true;
	return is_dir ? ZINC_OK : fail_directory(err);
}

zinc_status
zinc_fs_open_value(zinc_fs *fs, const char *key, int *fd, struct stat *st, bool *is_dir, zinc_error *err)
{
	return open_value(fs, key, fd, st, is_dir, NULL, err);
}

static zinc_status
fs_lend(void *self, const char *key, zinc_lent *out, const zinc_wait *wait, zinc_error *err)
{
	struct stat st;

	ZINC_TRY(zinc_wait_check(wait, err));
	ZINC_TRY(open_value((zinc_fs *)self, key, &out->fd, &st, NULL, NULL, err));
	if (out->fd == -1)
		return zinc_fail(err, ZINC_E_NOTFOUND, "no such key");
	out->nbytes = (uint64_t)st.st_size;
	zinc_fs_tag(&out->tag, &st);
	return ZINC_OK;
}

zinc_status
zinc_fs_read_open(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	const fs_open_file *f = (const fs_open_file *)arg;

	return zinc_fs_read(f->fs, f->fd, offset, nbytes, iov, niov, err);
}

/* Requests and the order in which they are served. */
typedef struct ordered_gets {
	const zinc_get *requests;
	const size_t *order; /* NULL: in the given order */
	size_t n;
	const char *seen; /* see check_missing */
} ordered_gets;

static size_t
nth(const ordered_gets *g, size_t i)
{
	return g->order ? g->order[i] : i;
}

/* Serve all requests for the key of request `from`; returns the index of the next key. */
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

/* By key, then by position. */
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

/* Requests that are already in order need no memory; those of arrays mostly are. */
static zinc_status
sort_requests(zinc_context *ctx, const zinc_get *r, size_t n, size_t **out, zinc_error *err)
{
	size_t *order, i;

	*out = NULL;
	for (i = 1; i < n && (zinc_get_same_key(r, i) || strcmp(r[i - 1].key, r[i].key) <= 0); i++)
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

/* The requests are served one after another in the calling thread. */
static zinc_status
fs_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	zinc_fs *fs = (zinc_fs *)self;
	ordered_gets g = {requests, NULL, n, NULL};
	size_t *order, i;

	for (i = 0; i < n; i++)
		if (!zinc_get_same_key(requests, i))
			ZINC_TRY(zinc_error_at_key(err, zinc_fs_key_check(requests[i].key, err), requests[i].key));
	ZINC_TRY(sort_requests(fs->ctx, requests, n, &order, err));
	g.order = order;
	for (i = 0; i < n;)
		i = serve_key(fs, &g, i, sink, wait);
	zinc_free(fs->ctx, order);
	return ZINC_OK;
}

/* ---- caps ---- */

/* parallel is 1: the calling thread reads a batch. */
static void
fs_caps(void *self, zinc_caps *out)
{
	const zinc_fs *fs = (const zinc_fs *)self;

	out->flags = FS_CAPS;
	out->flags |= atomic_load(&fs->names) & ~FS_NAMES_KNOWN;
	out->parallel = 1;
	out->merge_gap = MERGE_GAP;
	out->key_max = FS_KEY_MAX;
	out->component_max = FS_COMPONENT_MAX;
	out->refused = "\\";
	out->reserved = FS_SUFFIX;
}

/* ---- fork ---- */

/* Locks and pending changes belong to the parent; the child starts with none.  No blocking call is made under the lock,
 * so fork() does not wait for one. */
static void
child_after_fork(void *object)
{
	zinc_fs *fs = (zinc_fs *)object;

	zinc_fs_lock_forget_all(fs);
	zinc_fs_groups_after_fork(fs);
	pthread_cond_init(&fs->idle, NULL);
}

/* ---- open and close ---- */

/* Remove repeated and trailing slashes. */
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

/* A group that is still open was never committed: its pending changes are dropped. */
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

/* Mutexes and conditions with default attributes allocate no memory and cannot fail. */
static void
init(zinc_fs *fs, const zinc_store_options *options)
{
	fs->links = options->links;
	fs->create = options->create >= 0;
	atomic_init(&fs->root, -1);
	atomic_init(&fs->names, 0);
	pthread_mutex_init(&fs->lock, NULL);
	pthread_cond_init(&fs->idle, NULL);
	fs->fork = (zinc_fork_hook){.lock = &fs->lock, .child = child_after_fork, .object = fs};
	zinc_fork_add(&fs->fork);
}

/* Look for the root now, so that a root that is not a directory is reported at once.  A missing root may be created
 * later. */
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
    .lend = fs_lend,
    .flags = FS_CAPS | ZINC_CAP_FOLDS_CASE | ZINC_CAP_NORMALISES,
};
