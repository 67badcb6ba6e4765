/*
 * store_fs_list.c - the keys of the file system store: list, list_dir, del_prefix
 *
 * A directory is read whole, sorted and closed before anything is handed out, so callbacks may change the store, and no
 * descriptor is held however deep the tree.  A directory's name is sorted with its slash, which makes the order of the
 * walk that of the keys' bytes:   a.b  <  a/x  <  a0
 *
 * What cannot be a key (lock files, names that are not UTF-8, devices, links where none are followed) is passed over.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "store/store_fs.h"

/* ---- one directory ---- */

typedef struct reading {
	zinc_fs *fs;
	fs_entries *out;
	fs_which which;
	size_t npath;
	uint64_t count;
	zinc_status status;
	zinc_error *err;
} reading;

/* The checks of keys, for a single component; a path that would be too long for a key leads to none. */
static bool
is_wanted(const reading *r, const char *name, int type)
{
	if (r->which == FS_EVERYTHING)
		return true;
	if (zinc_key_check(name, NULL) != ZINC_OK || zinc_fs_key_check(name, NULL) != ZINC_OK ||
	    r->npath + strlen(name) + 1 > FS_KEY_MAX)
		return false;
	return type == DT_REG || type == DT_DIR || type == DT_UNKNOWN || (type == DT_LNK && r->fs->follow);
}

/* A name is followed by two NULs: one may become the slash of a directory. */
static int
add_entry(void *arg, const char *name, int type)
{
	reading *r = (reading *)arg;
	fs_entry entry = {r->out->names.n, type, 0};

	if (!is_wanted(r, name, type))
		return 0;
	if (r->count++ >= r->fs->ctx->limits.children)
		r->status = zinc_fail(r->err, ZINC_E_LIMIT, "more than %llu entries in one directory",
				      (unsigned long long)r->fs->ctx->limits.children);
	if (r->status == ZINC_OK)
		r->status = zinc_buf_add(&r->out->names, name, strlen(name) + 1, r->err);
	if (r->status == ZINC_OK)
		r->status = zinc_buf_add(&r->out->names, "", 1, r->err);
	if (r->status == ZINC_OK)
		r->status = zinc_buf_add(&r->out->list, &entry, sizeof entry, r->err);
	return r->status != ZINC_OK;
}

const fs_entry *
zinc_fs_entry(const fs_entries *e, size_t i, const char **name)
{
	const fs_entry *entry;

	if (i >= e->list.n / sizeof *entry) /* an empty list has no memory to point into */
		return NULL;
	entry = (const fs_entry *)(const void *)e->list.p + i;
	*name = (const char *)e->names.p + entry->name;
	return entry;
}

void
zinc_fs_entries_fini(fs_entries *e)
{
	zinc_buf_fini(&e->names);
	zinc_buf_fini(&e->list);
}

/* Where a link leads, beneath the root; anything else than a file or directory there is passed over. */
static int
stat_link(zinc_fs *fs, const char *dir, size_t ndir, const char *name, struct stat *st)
{
	const zinc_os *os = fs_os(fs);
	char path[FS_KEY_MAX + 2];
	size_t n = strlen(name);
	int fd, failed;

	memcpy(path, dir, ndir);
	if (ndir)
		path[ndir++] = '/';
	memcpy(path + ndir, name, n + 1);
	fd = zinc_fs_openat(fs, atomic_load(&fs->root), path, O_PATH, 1);
	if (fd == -1)
		return -1;
	failed = os->fstat(os, fd, st);
	os->close(os, fd);
	return failed;
}

static int
type_of(const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return DT_DIR;
	if (S_ISLNK(st->st_mode))
		return DT_LNK;
	return S_ISREG(st->st_mode) ? DT_REG : DT_UNKNOWN;
}

/* Find out what readdir left open: the type, where a link leads, the size.  What vanished is passed over. */
static int
resolve(zinc_fs *fs, const fs_dir *d, fs_entry *entry, const char *name, fs_which which)
{
	const zinc_os *os = fs_os(fs);
	struct stat st;

	if (entry->type == DT_DIR || (entry->type == DT_REG && which != FS_KEYS_WITH_SIZES))
		return 0;
	if (os->fstatat(os, d->fd, name, &st) == -1) {
		entry->type = DT_UNKNOWN;
		return errno == ENOENT ? 0 : -1;
	}
	entry->type = type_of(&st);
	if (entry->type == DT_LNK && which != FS_EVERYTHING)
		entry->type = fs->follow && stat_link(fs, d->path, d->n, name, &st) == 0 ? type_of(&st) : DT_UNKNOWN;
	entry->size = (uint64_t)st.st_size;
	return 0;
}

static int
compare_names(const void *a, const void *b, void *names)
{
	const fs_entry *x = (const fs_entry *)a, *y = (const fs_entry *)b;

	return strcmp((const char *)names + x->name, (const char *)names + y->name);
}

/* Sorting comes last: only now is it known which names end in a slash. */
static zinc_status
resolve_all(zinc_fs *fs, const fs_dir *d, fs_entries *e, fs_which which, zinc_error *err)
{
	fs_entry *list = (fs_entry *)(void *)e->list.p;
	size_t n = e->list.n / sizeof *list, i;
	char *name;

	for (i = 0; i < n; i++) {
		name = (char *)e->names.p + list[i].name;
		if (resolve(fs, d, &list[i], name, which) == -1)
			return zinc_fs_fail(err, errno, "cannot look at an entry of its directory");
		if (list[i].type == DT_DIR)
			name[strlen(name)] = '/';
	}
	if (n && which != FS_EVERYTHING)
		qsort_r(list, n, sizeof *list, compare_names, e->names.p);
	return ZINC_OK;
}

static zinc_status
read_open(zinc_fs *fs, fs_entries *e, const fs_dir *d, fs_which which, struct stat *where, zinc_error *err)
{
	const zinc_os *os = fs_os(fs);
	reading r = {fs, e, which, d->n, 0, ZINC_OK, err};

	if (where && os->fstat(os, d->fd, where) == -1)
		return zinc_fs_fail(err, errno, "cannot look at a directory");
	if (os->read_dir(os, d->fd, add_entry, &r) == -1)
		return zinc_fs_fail(err, errno, "cannot list a directory");
	ZINC_TRY(r.status);
	return resolve_all(fs, d, e, which, err);
}

/* The directory is closed when this returns; what is deleted meanwhile is met again as missing. */
zinc_status
zinc_fs_entries_read(zinc_fs *fs, fs_entries *e, const char *path, size_t n, fs_which which, struct stat *where,
		     zinc_error *err)
{
	fs_dir *d = NULL;
	zinc_status st;

	zinc_buf_init(&e->names, fs->ctx, SIZE_MAX - 1);
	zinc_buf_init(&e->list, fs->ctx, SIZE_MAX - 1);
	if (where)
		memset(where, 0, sizeof *where);
	ZINC_TRY(zinc_fs_dir_open(fs, path, n, false, &d, NULL, err));
	if (!d)
		return ZINC_OK;
	st = read_open(fs, e, d, which, where, err);
	zinc_fs_dir_unref(fs, d);
	if (st != ZINC_OK) {
		zinc_error_at_key(err, st, path);
		zinc_fs_entries_fini(e);
	}
	return st;
}

/* ---- the walk ---- */

/* The directories that the walk is in; a link back to one of them would lead round for ever. */
typedef struct chain {
	struct stat st;
	const struct chain *up;
} chain;

typedef struct walk {
	zinc_fs *fs;
	zinc_key_fn fn;
	void *arg;
	zinc_buf path; /* "" or ends in '/' */
	bool stop;
	zinc_error *err;
} walk;

static bool
is_round(const chain *here)
{
	const chain *c;

	for (c = here->up; c; c = c->up)
		if (c->st.st_ino == here->st.st_ino && c->st.st_dev == here->st.st_dev)
			return true;
	return false;
}

/* The path without its slash at the end. */
static size_t
path_length(const zinc_buf *path)
{
	return path->n ? path->n - 1 : 0;
}

static zinc_status walk_dir(walk *w, const chain *up);

/* The path is one buffer for the whole walk, cut back behind each entry. */
static zinc_status
walk_entry(walk *w, const fs_entry *entry, const char *name, const chain *here)
{
	size_t n = w->path.n;
	zinc_status st = zinc_buf_puts(&w->path, name, w->err);

	if (st == ZINC_OK && entry->type == DT_DIR)
		st = walk_dir(w, here);
	else if (st == ZINC_OK && entry->type == DT_REG)
		w->stop = w->fn(w->arg, zinc_buf_text(&w->path), entry->size) != 0;
	w->path.n = n;
	return st;
}

/* The depth is that of a key, at most FS_KEY_MAX / 2. */
static zinc_status
walk_dir(walk *w, const chain *up)
{
	chain here = {.up = up};
	const fs_entry *entry;
	const char *name;
	fs_entries e;
	zinc_status st;
	size_t i;

	ZINC_TRY(zinc_fs_entries_read(w->fs, &e, zinc_buf_text(&w->path), path_length(&w->path), FS_KEYS_WITH_SIZES,
				      &here.st, w->err));
	st = ZINC_OK;
	for (i = 0; st == ZINC_OK && !w->stop && !is_round(&here) && (entry = zinc_fs_entry(&e, i, &name)); i++)
		st = walk_entry(w, entry, name, &here);
	zinc_fs_entries_fini(&e);
	return st;
}

zinc_status
zinc_fs_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, zinc_error *err)
{
	walk w = {.fs = (zinc_fs *)self, .fn = fn, .arg = arg, .err = err};
	zinc_status st;

	zinc_buf_init(&w.path, w.fs->ctx, SIZE_MAX - 1);
	st = zinc_buf_puts(&w.path, prefix, err);
	if (st == ZINC_OK && !zinc_buf_text(&w.path))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = walk_dir(&w, NULL);
	zinc_buf_fini(&w.path);
	return st;
}

/* ---- one level ---- */

static int
first_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)key, (void)nbytes;
	*(bool *)arg = true;
	return 1;
}

/* A file that is certainly a key, without reading further. */
static int
first_file(void *arg, const char *name, int type)
{
	reading *r = (reading *)arg;

	r->count += type == DT_REG && is_wanted(r, name, type);
	return r->count != 0;
}

/* Is there a key below "path"?  Mostly the first entries tell. */
static zinc_status
has_key(zinc_fs *fs, const char *path, bool *found, zinc_error *err)
{
	reading r = {fs, NULL, FS_KEYS, strlen(path), 0, ZINC_OK, err};
	fs_dir *d = NULL;
	int failed;

	ZINC_TRY(zinc_fs_dir_open(fs, path, r.npath - 1, false, &d, NULL, err));
	if (!d)
		return ZINC_OK;
	failed = fs_os(fs)->read_dir(fs_os(fs), d->fd, first_file, &r) == -1 ? errno : 0;
	zinc_fs_dir_unref(fs, d);
	if (failed)
		return zinc_fs_fail(err, failed, "cannot list a directory");
	*found = r.count != 0;
	return *found ? ZINC_OK : zinc_fs_list(fs, path, first_key, found, err);
}

static zinc_status
give_entry(zinc_fs *fs, const char *path, const fs_entry *entry, zinc_entry_fn fn, void *arg, bool *stop,
	   zinc_error *err)
{
	bool found = entry->type == DT_REG;

	if (entry->type == DT_DIR)
		ZINC_TRY(has_key(fs, path, &found, err));
	if (found)
		*stop = fn(arg, path, entry->type == DT_DIR) != 0;
	return ZINC_OK;
}

/* An entry that is a directory is a prefix only if some key lies below it, which may take looking deeper. */
zinc_status
zinc_fs_list_dir(void *self, const char *prefix, zinc_entry_fn fn, void *arg, zinc_error *err)
{
	zinc_fs *fs = (zinc_fs *)self;
	size_t n = strlen(prefix), i;
	const fs_entry *entry;
	const char *name;
	bool stop = false;
	fs_entries e;
	zinc_buf path;
	zinc_status st;

	ZINC_TRY(zinc_fs_entries_read(fs, &e, prefix, n ? n - 1 : 0, FS_KEYS, NULL, err));
	zinc_buf_init(&path, fs->ctx, SIZE_MAX - 1);
	st = zinc_buf_puts(&path, prefix, err);
	for (i = 0; st == ZINC_OK && !stop && (entry = zinc_fs_entry(&e, i, &name)); i++) {
		path.n = n;
		st = zinc_buf_puts(&path, name, err);
		if (st == ZINC_OK)
			st = give_entry(fs, zinc_buf_text(&path), entry, fn, arg, &stop, err);
	}
	zinc_buf_fini(&path);
	zinc_fs_entries_fini(&e);
	return st;
}

/* ---- erasing all below ---- */

typedef struct erasing {
	zinc_fs *fs;
	zinc_put_group *group;
	uint32_t flags;
	zinc_status status; /* the first failure */
	zinc_error *err;
} erasing;

static void
note_failure(erasing *x, zinc_status st, const zinc_error *e)
{
	if (st == ZINC_OK || x->status != ZINC_OK)
		return;
	x->status = st;
	zinc_error_copy(x->err, e);
}

/* A key that cannot be erased does not keep the others. */
static int
erase_key(void *arg, const char *key, uint64_t nbytes)
{
	static const zinc_condition any = {ZINC_ANY, NULL};
	erasing *x = (erasing *)arg;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_fs_del(x->fs, x->group, key, &any, x->flags, &e);

	(void)nbytes;
	zinc_error_at_key(&e, st, key);
	note_failure(x, st, &e);
	return 0;
}

static int
ignore_leftover(void *arg, const char *name, const char *what)
{
	(void)arg, (void)name, (void)what;
	return 0;
}

/* Leftovers and empty directories go too: nobody can see them who would. */
zinc_status
zinc_fs_del_prefix(void *self, const char *prefix, uint32_t flags, zinc_error *err)
{
	erasing x = {(zinc_fs *)self, NULL, flags, ZINC_OK, err};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	ZINC_TRY(zinc_fs_put_begin(self, &x.group, flags, err));
	note_failure(&x, zinc_fs_list(self, prefix, erase_key, &x, &e), &e);
	note_failure(&x, zinc_fs_commit(self, x.group, NULL, NULL, &e), &e);
	st = zinc_fs_scrub(self, prefix, 1, ignore_leftover, NULL, &e);
	note_failure(&x, st, &e);
	return x.status;
}
