/*
 * store_fs_path.c - the directories of the file system store: create, open, remove when empty, sync
 *
 * Every path is resolved beneath the descriptor of the root, or of the base of an erase.  Names are created and removed
 * as single components of an open directory.  So no rename or link made meanwhile can lead outside.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "store/store_fs.h"

size_t
zinc_fs_parent(const char *path, size_t n)
{
	while (n > 0 && path[n - 1] != '/')
		n--;
	return n ? n - 1 : 0;
}

/* The end of the component that follows path[0..n). */
static size_t
component_end(const char *path, size_t n)
{
	n += n > 0;
	return n + strcspn(path + n, "/");
}

static bool
is_below(const fs_dir *base, const char *path)
{
	const size_t n = base->n;

	return n == 0 || (strncmp(path, base->path, n) == 0 && (path[n] == '/' || path[n] == '\0'));
}

int
zinc_fs_open_below(zinc_fs *fs, const fs_dir *base, const char *path, int flags)
{
	const char *rest = path;

	if (!base || !is_below(base, path))
		return zinc_fs_openat(fs, atomic_load(&fs->root), *path ? path : ".", flags, fs->links);
	rest += base->n;
	rest += *rest == '/';
	return zinc_fs_openat(fs, base->fd, *rest ? rest : ".", flags, ZINC_LINKS_REFUSE);
}

/* Open path[0..n); a NUL is put at path[n] meanwhile. */
static int
open_prefix(zinc_fs *fs, const fs_dir *base, char *path, size_t n)
{
	char kept = path[n];
	int fd;

	path[n] = '\0';
	fd = zinc_fs_open_below(fs, base, path, O_RDONLY | O_DIRECTORY);
	path[n] = kept;
	return fd;
}

/* Create the component that follows path[0..n) in the open directory. */
static int
make_component(zinc_fs *fs, int dir, char *path, size_t n)
{
	const zinc_os *os = fs_os(fs);
	size_t end = component_end(path, n);
	char kept = path[end];
	int made;

	path[end] = '\0';
	made = os->mkdirat(os, dir, path + n + (n > 0), 0777);
	path[end] = kept;
	return made;
}

static void
close_keeping_errno(zinc_fs *fs, int fd)
{
	const zinc_os *os = fs_os(fs);
	int saved = errno;

	os->close(os, fd);
	errno = saved;
}

/* ---- the root ---- */

/* Open the first n bytes of the root's path after its leading slash.  The user chose this path, so links are
 * followed. */
static int
open_root_prefix(zinc_fs *fs, char *path, size_t n)
{
	const zinc_os *os = fs_os(fs);
	bool absolute = path[0] == '/';
	char *end = path + absolute + n, kept = *end;
	int fd;

	if (n == 0)
		return os->open_root(os, absolute ? "/" : ".", O_RDONLY);
	*end = '\0';
	fd = os->open_root(os, path, O_RDONLY);
	*end = kept;
	return fd;
}

/*
 * After XFS has shut itself down because of an I/O error, it drops what it had not logged, and then the fsync of a
 * directory succeeds: nothing is left to write.  But fstat fails with EIO from that moment on.  So an fstat that
 * succeeds after the fsync proves that the fsync was real.
 */
static int
sync_dir(const zinc_os *os, int fd)
{
	struct stat st;

	return os->fsync(os, fd) == -1 ? -1 : os->fstat(os, fd, &st);
}

/* mkdir -p of the root; each step is durable before the next.  This also holds for relaxed puts, because later durable
 * puts depend on it. */
static int
make_root(zinc_fs *fs, char *path)
{
	const zinc_os *os = fs_os(fs);
	char *names = path + (path[0] == '/');
	size_t n = strlen(names), m = n;
	int fd, failed, downs = 0;

	while (downs < FS_MAX_TRIES) {
		fd = open_root_prefix(fs, path, m);
		if (fd == -1 && errno == ENOENT && m > 0) {
			m = zinc_fs_parent(names, m);
			continue;
		}
		if (fd == -1)
			return -1;
		failed = m < n && make_component(fs, fd, names, m) == -1 && errno != EEXIST;
		if (!failed && m < n)
			failed = sync_dir(os, fd) == -1;
		close_keeping_errno(fs, fd);
		if (failed)
			return -1;
		if (m == n)
			return 0;
		m = component_end(names, m);
		downs++;
	}
	errno = EBUSY;
	return -1;
}

/* The first thread that opens the root publishes its descriptor for all. */
static int
publish_root(zinc_fs *fs, int fd)
{
	int seen = -1;

	if (atomic_compare_exchange_strong(&fs->root, &seen, fd))
		return fd;
	fs_os(fs)->close(fs_os(fs), fd);
	return seen;
}

static zinc_status
create_root(zinc_fs *fs, zinc_error *err)
{
	char *path;
	int failed = 0;

	if (!fs->create)
		return zinc_fail(err, ZINC_E_NOTFOUND, "the directory does not exist");
	path = zinc_strdup(fs->ctx, fs->path);
	if (!path)
		return zinc_fail_nomem(err);
	if (make_root(fs, path) == -1)
		failed = errno;
	zinc_free(fs->ctx, path);
	return failed ? zinc_fs_fail(err, failed, "cannot create the store's directory") : ZINC_OK;
}

/* A listing has no key to name in its error, so the message has the full path of the directory. */
static zinc_status
fail_dir(const zinc_fs *fs, const char *path, int errnum, zinc_error *err)
{
	char what[512];

	snprintf(what, sizeof what, "cannot open the directory %s%s%s", fs->path,
		 path[0] && strcmp(fs->path, "/") != 0 ? "/" : "", path);
	return zinc_fs_fail(err, errnum, what);
}

/* The root is opened once and stays open, so that the store remains the same directory even if it is renamed.  O_PATH
 * needs no read permission, which "/" or a parent's home may not grant. */
zinc_status
zinc_fs_root(zinc_fs *fs, bool make, int *out, zinc_error *err)
{
	const zinc_os *os = fs_os(fs);
	int fd = atomic_load(&fs->root);

	if (fd == -1) {
		fd = os->open_root(os, fs->path, O_PATH);
		if (fd == -1 && errno == ENOENT && make) {
			ZINC_TRY(create_root(fs, err));
			fd = os->open_root(os, fs->path, O_PATH);
		}
		if (fd == -1 && (errno != ENOENT || make))
			return fail_dir(fs, "", errno, err);
		if (fd != -1)
			fd = publish_root(fs, fd);
	}
	*out = fd;
	return ZINC_OK;
}

/* ---- opening and making ---- */

/* A dangling link is no directory, and none can be created in its place. */
static bool
is_link(zinc_fs *fs, int dir, char *path, size_t n)
{
	const zinc_os *os = fs_os(fs);
	size_t end = component_end(path, n);
	char kept = path[end];
	struct stat st;
	bool link;

	path[end] = '\0';
	link = os->fstatat(os, dir, path + n + (n > 0), &st) == 0 && S_ISLNK(st.st_mode);
	path[end] = kept;
	return link;
}

/* Create the component that follows path[0..n); -1 when it can never be a directory. */
static int
make_or_find(zinc_fs *fs, int dir, char *path, size_t n)
{
	if (make_component(fs, dir, path, n) == 0 || errno == ENOENT)
		return 0;
	if (errno == EEXIST && !is_link(fs, dir, path, n))
		return 0;
	errno = errno == EEXIST ? ENOLINK : errno;
	return -1;
}

/* Go up to the nearest existing directory, then down again.  Other processes may remove directories that were just
 * created. */
static int
make_dirs(zinc_fs *fs, char *path, size_t n, size_t *made)
{
	size_t m = n;
	int fd, failed, downs = 0;

	while (downs < FS_MAX_TRIES) {
		fd = open_prefix(fs, NULL, path, m);
		if (fd == -1 && errno == ENOENT && m > 0) {
			m = zinc_fs_parent(path, m);
			continue;
		}
		if (fd == -1 || m == n)
			return fd;
		/* Also if another process created it: it may not have synced it yet. */
		failed = make_or_find(fs, fd, path, m) == -1;
		close_keeping_errno(fs, fd);
		if (failed)
			return -1;
		if (m < *made)
			*made = m;
		m = component_end(path, m);
		downs++;
	}
	errno = EBUSY;
	return -1;
}

/* The most common mistake has its own message.  It is not E_EXISTS, which means that the key itself exists. */
static zinc_status
cannot_open_dir(const zinc_fs *fs, const char *path, int errnum, zinc_error *err)
{
	if (errnum == ENOTDIR)
		return zinc_fail(
		    err, ZINC_E_IO,
		    "a file has the name of its directory: a file system cannot hold both \"a\" and \"a/b\"");
	return fail_dir(fs, path, errnum, err);
}

/* A directory that is not opened yet; NULL: out of memory. */
static fs_dir *
dir_new(zinc_fs *fs, const char *path, size_t n)
{
	size_t total;
	fs_dir *d = zinc_size_add(n, sizeof *d + 1, &total) ? NULL : (fs_dir *)zinc_alloc(fs->ctx, total);

	if (!d)
		return NULL;
	memcpy(d->path, path, n);
	d->path[n] = '\0';
	d->n = n;
	d->refs = 1;
	d->fd = -1;
	return d;
}

/* Return the opened directory; if it is missing and may be, NULL.  errno says why there is no descriptor. */
static zinc_status
dir_opened(zinc_fs *fs, fs_dir *d, bool may_miss, fs_dir **out, zinc_error *err)
{
	zinc_status st;

	if (d->fd != -1) {
		*out = d;
		return ZINC_OK;
	}
	st = may_miss && (errno == ENOENT || errno == ENOTDIR) ? ZINC_OK : cannot_open_dir(fs, d->path, errno, err);
	zinc_free(fs->ctx, d);
	return st;
}

static zinc_status
open_dir(zinc_fs *fs, const fs_dir *base, const char *path, size_t n, int flags, fs_dir **out, zinc_error *err)
{
	fs_dir *d;
	int root;

	*out = NULL;
	ZINC_TRY(zinc_fs_root(fs, false, &root, err));
	if (root == -1)
		return ZINC_OK;
	d = dir_new(fs, path, n);
	if (!d)
		return zinc_fail_nomem(err);
	d->fd = zinc_fs_open_below(fs, base, d->path, flags | O_DIRECTORY);
	return dir_opened(fs, d, true, out, err);
}

/* O_RDONLY, not O_PATH: the descriptor is used for listing and fsync. */
zinc_status
zinc_fs_dir_open(zinc_fs *fs, const fs_dir *base, const char *path, size_t n, fs_dir **out, zinc_error *err)
{
	return open_dir(fs, base, path, n, O_RDONLY, out, err);
}

/* O_PATH, as for the root: the directory need not be readable. */
zinc_status
zinc_fs_base_open(zinc_fs *fs, const char *path, size_t n, fs_dir **out, zinc_error *err)
{
	return open_dir(fs, NULL, path, n, O_PATH, out, err);
}

zinc_status
zinc_fs_dir_make(zinc_fs *fs, const char *path, size_t n, fs_dir **out, size_t *made, zinc_error *err)
{
	fs_dir *d;
	int root;

	*out = NULL;
	ZINC_TRY(zinc_fs_root(fs, true, &root, err));
	d = dir_new(fs, path, n);
	if (!d)
		return zinc_fail_nomem(err);
	d->fd = make_dirs(fs, d->path, n, made);
	return dir_opened(fs, d, false, out, err);
}

fs_dir *
zinc_fs_dir_ref(zinc_fs *fs, fs_dir *d)
{
	pthread_mutex_lock(&fs->lock);
	d->refs++;
	pthread_mutex_unlock(&fs->lock);
	return d;
}

void
zinc_fs_dir_unref(zinc_fs *fs, fs_dir *d)
{
	unsigned left;

	if (!d)
		return;
	pthread_mutex_lock(&fs->lock);
	left = --d->refs;
	pthread_mutex_unlock(&fs->lock);
	if (left)
		return;
	fs_os(fs)->close(fs_os(fs), d->fd);
	zinc_free(fs->ctx, d);
}

/* ---- removing ---- */

/* The root, `keep` and the directories above it stay. */
bool
zinc_fs_may_remove(const zinc_fs *fs, const char *path, size_t n)
{
	if (n == 0)
		return false;
	return strncmp(fs->keep, path, n) != 0 || (fs->keep[n] != '\0' && fs->keep[n] != '/');
}

/* rmdir of path[0..n); true when it is gone. */
static bool
remove_dir(zinc_fs *fs, const fs_dir *base, char *path, size_t n)
{
	const zinc_os *os = fs_os(fs);
	size_t above = zinc_fs_parent(path, n);
	int dir = open_prefix(fs, base, path, above);
	bool gone;

	if (dir == -1)
		return errno == ENOENT;
	path[n] = '\0';
	gone = os->unlinkat(os, dir, path + above + (above > 0), AT_REMOVEDIR) == 0 || errno == ENOENT;
	os->close(os, dir);
	return gone;
}

/* rmdir fails if the directory is not empty, so no check is needed and no race can remove a file. */
bool
zinc_fs_prune(zinc_fs *fs, const fs_dir *base, const char *path, size_t n)
{
	const size_t whole = n;
	char buf[FS_KEY_MAX + 1];

	memcpy(buf, path, n);
	buf[n] = '\0';
	while (atomic_load(&fs->root) != -1 && zinc_fs_may_remove(fs, buf, n) && remove_dir(fs, base, buf, n))
		n = zinc_fs_parent(buf, n);
	return n < whole;
}

/* ---- links on the path to a root ---- */

bool
zinc_path_has_link(zinc_context *ctx, const char *path, size_t from, size_t to)
{
	const zinc_os *os = ctx->os;
	char *part = zinc_strndup(ctx, path, to);
	const int top = os->open_root(os, "/", O_PATH);
	bool linked = !part || top == -1; /* unknown: assume a link */
	struct stat st;
	size_t n = to;

	for (; !linked && n > from && n > 1; n = zinc_fs_parent(part, n)) {
		part[n] = '\0';
		linked = os->fstatat(os, top, part + 1, &st) == 0 && S_ISLNK(st.st_mode);
	}
	if (top != -1)
		os->close(os, top);
	zinc_free(ctx, part);
	return linked;
}

zinc_status
zinc_path_check_links(zinc_context *ctx, const char *path, size_t from, int links, zinc_error *err)
{
	const zinc_os *os = ctx->os;
	char *above = zinc_strndup(ctx, path, from);
	int dir, fd, failed = 0;

	if (!above)
		return zinc_fail_nomem(err);
	dir = os->open_root(os, above, O_PATH);
	fd = dir == -1 ? -1 : os->open_at(os, dir, path + from + (path[from] == '/'), O_PATH | O_CLOEXEC, 0, links);
	if (fd == -1)
		failed = errno == ENOENT || errno == ENOTDIR ? 0 : errno;
	else
		os->close(os, fd);
	if (dir != -1)
		os->close(os, dir);
	zinc_free(ctx, above);
	return failed ? zinc_fs_fail(err, failed, "cannot follow its path") : ZINC_OK;
}

/* ---- sets of directories ---- */

/* strcmp with a path that ends at n. */
static int
compare_path(const char *entry, const char *path, size_t n)
{
	int order = strncmp(entry, path, n);

	return order ? order : entry[n] != '\0';
}

/* The index of path[0..n), or where to insert it. */
static size_t
dirs_find(const fs_dirs *set, const char *path, size_t n, bool *found)
{
	size_t low = 0, high = set->n, mid;
	int order;

	*found = false;
	while (low < high) {
		mid = low + (high - low) / 2;
		order = compare_path(set->e[mid].path, path, n);
		if (order == 0)
			*found = true;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool
zinc_fs_dirs_has(const fs_dirs *set, const char *path, size_t n)
{
	bool found;

	dirs_find(set, path, n, &found);
	return found;
}

static zinc_status
dirs_grow(zinc_fs *fs, fs_dirs *set, zinc_error *err)
{
	size_t cap = set->cap ? set->cap : 4, nbytes;
	void *e;

	if (set->n < set->cap)
		return ZINC_OK;
	if (zinc_size_add(cap, set->cap, &cap) || zinc_size_mul(cap, sizeof set->e[0], &nbytes))
		return zinc_fail_nomem(err);
	e = zinc_realloc(fs->ctx, set->e, nbytes);
	if (!e)
		return zinc_fail_nomem(err);
	set->e = (struct fs_dirs_entry *)e;
	set->cap = cap;
	return ZINC_OK;
}

/* Insertion sort: keys of an array come in order, so new entries are mostly last. */
zinc_status
zinc_fs_dirs_add(zinc_fs *fs, fs_dirs *set, const char *path, size_t n, bool prune, zinc_error *err)
{
	bool found;
	size_t i = dirs_find(set, path, n, &found);
	char *copy;

	if (found) {
		set->e[i].prune |= prune;
		return ZINC_OK;
	}
	ZINC_TRY(dirs_grow(fs, set, err));
	copy = zinc_strndup(fs->ctx, path, n);
	if (!copy)
		return zinc_fail_nomem(err);
	memmove(&set->e[i + 1], &set->e[i], (set->n - i) * sizeof set->e[0]);
	set->e[i].path = copy;
	set->e[i].prune = prune;
	set->e[i].failed = set->e[i].lost = false;
	set->e[i].synced = 0;
	set->n++;
	return ZINC_OK;
}

void
zinc_fs_dirs_fini(zinc_fs *fs, fs_dirs *set)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		zinc_free(fs->ctx, set->e[i].path);
	zinc_free(fs->ctx, set->e);
	memset(set, 0, sizeof *set);
}

/* Open path[0..*n), or the nearest parent that still exists.  The base is opened by name, since its descriptor stays
 * valid after it is removed. */
static int
open_survivor(zinc_fs *fs, const fs_dir *base, char *path, size_t *n)
{
	int fd;

	while ((fd = open_prefix(fs, base && *n > base->n ? base : NULL, path, *n)) == -1 && errno == ENOENT && *n > 0)
		*n = zinc_fs_parent(path, *n);
	return fd;
}

/* The index of an earlier entry for which the same directory, path[0..n), was synced or failed to sync; i: none.
 * Shorter paths are earlier, so the entry of the directory itself has been handled.  Beyond that only the previous
 * entry and failed entries are searched: a second fsync after a failed one would succeed. */
static size_t
synced_before(const fs_dirs *set, size_t i, const char *path, size_t n, bool any_failed)
{
	bool found;
	size_t k = dirs_find(set, path, n, &found);

	if (found && k < i)
		return k;
	for (k = i; k-- > 0 && (any_failed || k + 1 == i);)
		if (set->e[k].synced == n && memcmp(set->e[k].path, path, n) == 0 && (set->e[k].failed || k + 1 == i))
			return k;
	return i;
}

/* A removed directory is made durable by an fsync of its parent. */
static void
sync_entry(zinc_fs *fs, const fs_dir *base, fs_dirs *set, size_t i, bool any_failed)
{
	struct fs_dirs_entry *e = &set->e[i];
	size_t n = strlen(e->path), k;
	int fd;
	const bool gone = atomic_load(&fs->root) == -1 || (fd = open_survivor(fs, base, e->path, &n)) == -1;

	e->synced = n;
	e->failed = gone;
	e->lost = false;
	if (gone)
		return;
	k = synced_before(set, i, e->path, n, any_failed);
	if (k < i) {
		e->failed = set->e[k].failed;
		e->lost = set->e[k].lost;
		errno = EIO;
	} else if (sync_dir(fs_os(fs), fd) != 0) {
		e->failed = e->lost = true;
	}
	close_keeping_errno(fs, fd);
}

/* Children are pruned before their parents; the remaining directories are synced from the top down.  All are tried; the
 * first failure is returned. */
zinc_status
zinc_fs_dirs_sync(zinc_fs *fs, const fs_dir *base, fs_dirs *set, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	size_t i;

	for (i = set->n; i-- > 0;)
		if (set->e[i].prune)
			zinc_fs_prune(fs, base, set->e[i].path, strlen(set->e[i].path));
	for (i = 0; i < set->n; i++) {
		sync_entry(fs, base, set, i, st != ZINC_OK);
		if (set->e[i].failed && st == ZINC_OK) {
			zinc_fs_fail(
			    err, errno,
			    "written, but its directory could not be synced, so it may not survive a power cut");
			st = ZINC_E_UNCERTAIN;
			if (err)
				err->code = st;
		}
	}
	return st;
}

/* ---- names that fold ---- */

typedef struct exact_name {
	const char *name;
	bool found;
} exact_name;

static int
match_name(void *arg, const char *name, int type)
{
	exact_name *x = (exact_name *)arg;

	(void)type;
	x->found = strcmp(x->name, name) == 0;
	return x->found;
}

/* Does `dir` find `name` although no entry has exactly that spelling? */
static int
is_folded(zinc_fs *fs, int dir, const char *name)
{
	const zinc_os *os = fs_os(fs);
	exact_name x = {name, false};
	struct stat st;

	if (os->fstatat(os, dir, name, &st) == -1)
		return errno == ENOENT ? 0 : -1;
	if (os->read_dir(os, dir, match_name, &x) == -1)
		return -1;
	return !x.found;
}

/* From the root down: directories fold as well as files.  Called only if names are known to fold, because it reads
 * directories. */
zinc_status
zinc_fs_check_names(zinc_fs *fs, const fs_change *c, zinc_error *err)
{
	int dir, folded = 0;
	char path[FS_KEY_MAX + 1];
	size_t n = strlen(c->key), at, end;

	memcpy(path, c->key, n + 1);
	for (at = 0; folded == 0 && at < n; at = end + 1) {
		end = at + strcspn(path + at, "/");
		dir = open_prefix(fs, NULL, path, at ? at - 1 : 0);
		if (dir == -1)
			return zinc_fs_fail(err, errno, "cannot check for folded names");
		path[end] = '\0';
		folded = is_folded(fs, dir, path + at);
		path[end] = c->key[end];
		close_keeping_errno(fs, dir);
	}
	if (folded == -1)
		return zinc_fs_fail(err, errno, "cannot check for folded names");
	if (folded)
		return zinc_fail(err, ZINC_E_EXISTS,
				 "this file system does not distinguish the key from an existing one: it folds case or "
				 "Unicode forms");
	return ZINC_OK;
}
