/*
 * store_fs_list.c - the keys of the file system store: walk, del_prefix
 *
 * A directory is read completely, sorted and closed before any entry is passed on.  So callbacks may change the store,
 * and no descriptor is held, however deep the tree is.  The name of a directory is sorted with its slash, which makes
 * the order of the walk the byte order of the keys:   a.b  <  a/x  <  a0
 *
 * Every key that get() can read is listed.  Entries that are no keys (names that are not UTF-8, devices, links that are
 * dangling or not followed, a directory that is its own ancestor, one that may not be read) are passed to
 * zinc_lister.non_key, and skipped without it.  Lock files are left to scrub.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

#include "store/store_fs.h"

/* Limit of directories that one walk enters through links: links that branch could make the walk endless. */
#define FS_MAX_LINKED 65536u

/* Type of entries that are skipped. */
#define FS_PASSED_OVER (-1)

/* ---- one directory ---- */

typedef struct reading {
	zinc_fs *fs;
	fs_entries *out;
	fs_which which;
	size_t npath;
	uint64_t count;
	const zinc_wait *wait;
	zinc_status status;
	zinc_error *err;
} reading;

/* A directory may have millions of entries, so the deadline is checked now and then. */
static zinc_status
check_deadline(const zinc_wait *wait, uint64_t i, zinc_error *err)
{
	return i % 256 == 0 ? zinc_wait_for(wait, "the listing of a directory", err) : ZINC_OK;
}

/* Check one component by the rules of keys, and that the path is not too long for a key. */
static bool
is_name(size_t npath, const char *name)
{
	return zinc_key_check(name, NULL) == ZINC_OK && zinc_fs_key_check(name, NULL) == ZINC_OK &&
	       npath + strlen(name) + 1 <= FS_KEY_MAX;
}

/* Two NULs follow a name: the first may become the slash of a directory. */
static int
add_entry(void *arg, const char *name, int type)
{
	reading *r = (reading *)arg;
	fs_entry entry = {.name = r->out->names.n, .type = type};

	if (r->which != FS_EVERYTHING && !is_name(r->npath, name))
		entry.non_key = ZINC_NON_KEY_NAME;
	if (entry.non_key && type == DT_REG && zinc_fs_is_lock(name)) {
		if (r->which != FS_KEYS_AND_LOCKS)
			return 0;
		entry.non_key = ZINC_NON_KEY_LOCK;
	}
	r->status = check_deadline(r->wait, r->count, r->err);
	if (r->status == ZINC_OK && r->count++ >= r->fs->ctx->limits.children)
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

	if (i >= e->list.n / sizeof *entry) /* an empty list has no memory */
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

static int
type_of(const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return DT_DIR;
	if (S_ISLNK(st->st_mode))
		return DT_LNK;
	return S_ISREG(st->st_mode) ? DT_REG : DT_UNKNOWN;
}

/* Open path + '/' + name as keys are opened; the name need not be valid in a key. */
static int
open_below(zinc_fs *fs, const char *path, size_t n, const char *name, int flags)
{
	char whole[PATH_MAX];
	size_t nname = strlen(name);

	if (n + nname + 2 > sizeof whole) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(whole, path, n);
	if (n)
		whole[n++] = '/';
	memcpy(whole + n, name, nname + 1);
	return zinc_fs_openat(fs, atomic_load(&fs->root), whole, flags, fs->links);
}

static int
stat_and_close(zinc_fs *fs, int fd, struct stat *st)
{
	int failed;

	if (fd == -1)
		return -1;
	failed = fs_os(fs)->fstat(fs_os(fs), fd, st);
	fs_os(fs)->close(fs_os(fs), fd);
	return failed;
}

/* Is `st` path[0..n) itself or one of its parents? */
static bool
is_ancestor(zinc_fs *fs, const char *path, size_t n, const struct stat *st)
{
	char up[PATH_MAX];
	struct stat there;

	for (;; n = zinc_fs_parent(path, n)) {
		memcpy(up, path, n);
		up[n] = '\0';
		if (stat_and_close(fs, open_below(fs, "", 0, n ? up : ".", O_PATH), &there) == 0 &&
		    there.st_ino == st->st_ino && there.st_dev == st->st_dev)
			return true;
		if (n == 0)
			return false;
	}
}

static void
make_non_key(fs_entry *entry, zinc_non_key_kind kind, const char *why)
{
	entry->non_key = kind;
	entry->why = why;
}

/* Record why a link cannot be followed. */
static void
bad_link(fs_entry *entry, int errnum)
{
	switch (errnum) {
	case EXDEV:
		make_non_key(entry, ZINC_NON_KEY_LINK, "a symbolic link that leads out of the store");
		break;
	case ELOOP:
		make_non_key(entry, ZINC_NON_KEY_LINK, "a symbolic link that is not followed");
		break;
	case ENOENT:
	case ENOTDIR:
		make_non_key(entry, ZINC_NON_KEY_LINK, "a symbolic link that leads nowhere");
		break;
	default:
		make_non_key(entry, ZINC_NON_KEY_LINK, "a symbolic link that cannot be followed");
	}
}

/* Find the target of a link, as get() would. */
static void
resolve_link(zinc_fs *fs, const fs_dir *d, fs_entry *entry, const char *name)
{
	struct stat st;

	if (stat_and_close(fs, open_below(fs, d->path, d->n, name, O_PATH), &st) == -1) {
		bad_link(entry, errno);
		return;
	}
	entry->type = type_of(&st);
	entry->size = (uint64_t)st.st_size;
	entry->linked = true;
	if (entry->type == DT_UNKNOWN)
		make_non_key(entry, ZINC_NON_KEY_TYPE, "neither a file nor a directory");
	else if (entry->type == DT_DIR && is_ancestor(fs, d->path, d->n, &st))
		make_non_key(entry, ZINC_NON_KEY_LOOP, "a directory that is its own ancestor");
}

/* The type and size of the entry itself.  An entry that was removed meanwhile is skipped. */
static int
stat_entry(zinc_fs *fs, const fs_dir *d, fs_entry *entry, const char *name)
{
	const zinc_os *os = fs_os(fs);
	struct stat st;

	if (os->fstatat(os, d->fd, name, &st) == -1) {
		entry->type = FS_PASSED_OVER;
		return errno == ENOENT ? 0 : -1;
	}
	entry->type = type_of(&st);
	entry->size = (uint64_t)st.st_size;
	return 0;
}

/* What an entry that is neither file nor directory means for keys. */
static void
classify(zinc_fs *fs, const fs_dir *d, fs_entry *entry, const char *name, fs_which which)
{
	if (entry->non_key && entry->type == DT_REG && zinc_fs_is_lock(name)) {
		entry->non_key = ZINC_NON_KEY_LOCK;
		entry->type = which == FS_KEYS_AND_LOCKS ? DT_REG : FS_PASSED_OVER;
	}
	if (entry->type == FS_PASSED_OVER)
		entry->non_key = (zinc_non_key_kind)0;
	else if (entry->type == DT_LNK && !entry->non_key && which == FS_OWN_KEYS)
		entry->type = DT_REG;
	else if (entry->type == DT_LNK && !entry->non_key)
		resolve_link(fs, d, entry, name);
	else if (entry->type == DT_UNKNOWN && !entry->non_key)
		make_non_key(entry, ZINC_NON_KEY_TYPE, "neither a file nor a directory");
}

/* Find out what readdir did not say: the type, the target of a link, the size. */
static int
resolve(zinc_fs *fs, const fs_dir *d, fs_entry *entry, const char *name, fs_which which)
{
	const bool keys = which != FS_EVERYTHING;

	if (entry->type == DT_DIR || (entry->type == DT_REG && which != FS_KEYS_WITH_SIZES))
		return 0;
	if ((entry->type != DT_LNK || !keys) && stat_entry(fs, d, entry, name) == -1)
		return -1;
	if (keys)
		classify(fs, d, entry, name, which);
	return 0;
}

static int
compare_names(const void *a, const void *b, void *names)
{
	const fs_entry *x = (const fs_entry *)a, *y = (const fs_entry *)b;

	return strcmp((const char *)names + x->name, (const char *)names + y->name);
}

/* Sorting is last: only now it is known which names end in a slash. */
static zinc_status
resolve_all(zinc_fs *fs, const fs_dir *d, fs_entries *e, fs_which which, const zinc_wait *wait, zinc_error *err)
{
	fs_entry *list = (fs_entry *)(void *)e->list.p;
	size_t n = e->list.n / sizeof *list, i;
	char *name;

	for (i = 0; i < n; i++) {
		ZINC_TRY(check_deadline(wait, i, err));
		name = (char *)e->names.p + list[i].name;
		if (resolve(fs, d, &list[i], name, which) == -1)
			return zinc_fs_fail(err, errno, "cannot stat an entry of the directory");
		if (list[i].type == DT_DIR && !list[i].non_key)
			name[strlen(name)] = '/';
	}
	if (n && which != FS_EVERYTHING)
		qsort_r(list, n, sizeof *list, compare_names, e->names.p);
	return ZINC_OK;
}

static zinc_status
read_open(zinc_fs *fs, fs_entries *e, const fs_dir *d, fs_which which, struct stat *where, const zinc_wait *wait,
	  zinc_error *err)
{
	const zinc_os *os = fs_os(fs);
	reading r = {fs, e, which, d->n, 0, wait, ZINC_OK, err};

	if (where && os->fstat(os, d->fd, where) == -1)
		return zinc_fs_fail(err, errno, "cannot stat a directory");
	if (os->read_dir(os, d->fd, add_entry, &r) == -1)
		return zinc_fs_fail(err, errno, "cannot list a directory");
	ZINC_TRY(r.status);
	return resolve_all(fs, d, e, which, wait, err);
}

/* A missing directory has no entries.  But if get() would fail here, because of a dangling link or a special file, so
 * does the listing.  An erase finds nothing to erase. */
static zinc_status
check_missing_dir(zinc_fs *fs, const char *path, size_t n, fs_which which, zinc_error *err)
{
	zinc_status st = which == FS_EVERYTHING ? ZINC_OK : zinc_fs_check_missing(fs, path, n, err);

	return zinc_error_at_key(err, st, path);
}

/* The directory is closed on return; an entry deleted meanwhile is found missing later. */
zinc_status
zinc_fs_entries_read(zinc_fs *fs, const fs_dir *base, fs_entries *e, const char *path, size_t n, fs_which which,
		     struct stat *where, const zinc_wait *wait, zinc_error *err)
{
	fs_dir *d = NULL;
	zinc_status st;

	zinc_buf_init(&e->names, fs->ctx, zinc_max_list(fs->ctx));
	zinc_buf_init(&e->list, fs->ctx, zinc_max_list(fs->ctx));
	if (where)
		memset(where, 0, sizeof *where);
	ZINC_TRY(zinc_fs_dir_open(fs, base, path, n, &d, err));
	if (!d)
		return check_missing_dir(fs, path, n, which, err);
	st = read_open(fs, e, d, which, where, wait, err);
	zinc_fs_dir_unref(fs, d);
	if (st != ZINC_OK) {
		zinc_error_at_key(err, st, path);
		zinc_fs_entries_fini(e);
	}
	return st;
}

/* ---- entries that are no keys ---- */

typedef struct walk {
	zinc_fs *fs;
	zinc_lister to;
	zinc_buf path; /* "" or ends in '/' */
	bool stop;
	bool *any_link;  /* NULL, or set at the first link to a directory, which ends the walk */
	uint64_t linked; /* directories entered through links */
	const zinc_wait *wait;
	zinc_error *err;
} walk;

/* For `holds`: the entry's own name, whatever wrappers call it. */
typedef struct non_key_place {
	zinc_fs *fs;
	const char *path;
} non_key_place;

static int
holds(const zinc_non_key *non_key, const char *name)
{
	const non_key_place *p = (const non_key_place *)non_key->inside;
	int fd = open_below(p->fs, p->path, strlen(p->path), name, O_PATH | O_NOFOLLOW);

	if (fd == -1)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	fs_os(p->fs)->close(fs_os(p->fs), fd);
	return 1;
}

/* Report the entry at w->path. */
static void
report_non_key(walk *w, zinc_non_key_kind kind, const char *why)
{
	const char *path;
	non_key_place place;
	zinc_non_key non_key;
	zinc_error e = ZINC_ERROR_INIT;

	if (kind == ZINC_NON_KEY_LOCK)
		zinc_buf_end(&w->path,
			     w->path.n - (sizeof FS_SUFFIX - 1)); /* the caller shortens the path in any case */
	path = zinc_buf_text(&w->path);
	if (!w->to.non_key || !path)
		return;
	place = (non_key_place){w->fs, path};
	non_key =
	    (zinc_non_key){sizeof non_key, kind, path, kind == ZINC_NON_KEY_LOCK ? "a lock file" : why, holds, &place};
	if (kind == ZINC_NON_KEY_NAME) {
		non_key.why = "its name is too long for a key";
		if (zinc_key_check(path, &e) != ZINC_OK || zinc_fs_key_check(path, &e) != ZINC_OK)
			non_key.why = e.text;
	}
	w->stop = w->to.non_key(w->to.arg, &non_key) != 0;
}

bool
zinc_fs_is_denied(zinc_fs *fs, const fs_dir *base, const char *path)
{
	int fd = zinc_fs_open_below(fs, base, path, O_RDONLY | O_DIRECTORY);

	if (fd == -1)
		return errno == EACCES || errno == EPERM;
	fs_os(fs)->close(fs_os(fs), fd);
	return false;
}

/* Report the directory at w->path, without its slash. */
static void
report_dir(walk *w, zinc_non_key_kind kind, const char *why)
{
	if (!w->to.non_key)
		return;
	w->path.n--;
	report_non_key(w, kind, why);
	w->path.p[w->path.n++] = '/'; /* it was replaced by a NUL */
}

static const char in_place[] = "a directory has the name of a key";

static void
tell_denied(walk *w)
{
	report_dir(w, ZINC_NON_KEY_UNREAD, "a directory that may not be read");
}

/* ---- the walk ---- */

/* The directories from the prefix down to the current one.  resolve_link detects links back to one of them; mounts are
 * detected here. */
typedef struct chain {
	struct stat st;
	const struct chain *up;
} chain;

static bool
is_round(const chain *here)
{
	const chain *c;

	for (c = here->up; c; c = c->up)
		if (c->st.st_ino == here->st.st_ino && c->st.st_dev == here->st.st_dev)
			return true;
	return false;
}

/* The length of the path without its final slash. */
static size_t
path_length(const zinc_buf *path)
{
	return path->n ? path->n - 1 : 0;
}

static zinc_status walk_dir(walk *w, const chain *up);

/* The directory at w->path, reached through a link. */
static zinc_status
walk_linked(walk *w, const chain *here)
{
	if (w->any_link) {
		*w->any_link = w->stop = true;
		return ZINC_OK;
	}
	if (w->linked++ >= zinc_min_u64(w->fs->ctx->limits.children, FS_MAX_LINKED))
		return zinc_fail(w->err, ZINC_E_LIMIT, "symbolic links lead to more than %llu directories",
				 (unsigned long long)w->linked - 1);
	return walk_dir(w, here);
}

/* The walk uses one buffer for its path; it is shortened after each entry. */
static zinc_status
walk_entry(walk *w, const fs_entry *entry, const char *name, const chain *here)
{
	size_t n = w->path.n;
	zinc_status st = zinc_buf_puts(&w->path, name, w->err);

	if (st == ZINC_OK && entry->non_key)
		report_non_key(w, entry->non_key, entry->why);
	else if (st == ZINC_OK && entry->type == DT_DIR)
		st = entry->linked ? walk_linked(w, here) : walk_dir(w, here);
	else if (st == ZINC_OK && entry->type == DT_REG)
		w->stop = w->to.key(w->to.arg, zinc_buf_text(&w->path), entry->size) != 0;
	zinc_buf_end(&w->path, n);
	return st;
}

static zinc_status
read_entries(walk *w, fs_entries *e, chain *here, zinc_error *err)
{
	return zinc_fs_entries_read(w->fs, NULL, e, zinc_buf_text(&w->path), path_length(&w->path),
				    w->to.own     ? FS_OWN_KEYS
				    : w->to.locks ? FS_KEYS_AND_LOCKS
						  : FS_KEYS_WITH_SIZES,
				    &here->st, w->wait, err);
}

/* *skip: the directory at w->path may not be read, and this was reported.  For the prefix itself it is an error. */
static zinc_status
read_dir(walk *w, fs_entries *e, chain *here, bool *skip)
{
	*skip = false;
	if (!w->to.non_key || !here->up)
		return read_entries(w, e, here, w->err);
	if (read_entries(w, e, here, NULL) == ZINC_OK)
		return ZINC_OK;
	*skip = zinc_fs_is_denied(w->fs, NULL, zinc_buf_text(&w->path));
	if (!*skip)
		return read_entries(w, e, here, w->err);
	tell_denied(w);
	return ZINC_OK;
}

/* The depth is bounded by that of a key, FS_KEY_MAX / 2. */
static zinc_status
walk_dir(walk *w, const chain *up)
{
	chain here = {.up = up};
	const fs_entry *entry;
	const char *name;
	fs_entries e;
	zinc_status st;
	bool skip;
	size_t i;

	ZINC_TRY(read_dir(w, &e, &here, &skip));
	if (skip)
		return ZINC_OK;
	st = ZINC_OK;
	if (is_round(&here)) {
		report_dir(w, ZINC_NON_KEY_LOOP, "a directory that is its own ancestor");
	} else {
		if (up)
			report_dir(w, ZINC_NON_KEY_DIR, in_place);
		for (i = 0; st == ZINC_OK && !w->stop && (entry = zinc_fs_entry(&e, i, &name)); i++)
			st = walk_entry(w, entry, name, &here);
	}
	zinc_fs_entries_fini(&e);
	return st;
}

static zinc_status
walk_all(zinc_fs *fs, const char *prefix, const zinc_lister *to, bool *any_link, const zinc_wait *wait, zinc_error *err)
{
	walk w = {.fs = fs, .to = *to, .any_link = any_link, .wait = wait, .err = err};
	zinc_status st;

	zinc_buf_init(&w.path, fs->ctx, ZINC_MAX_KEY);
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

/* An entry with the name of a key counts as a key: get() of it fails, so it is not missing. */
static int
first_non_key(void *arg, const zinc_non_key *non_key)
{
	*(bool *)arg = non_key->kind != ZINC_NON_KEY_NAME && non_key->kind != ZINC_NON_KEY_DIR;
	return *(bool *)arg;
}

/* Stop at the first entry that is certainly a key. */
static int
first_file(void *arg, const char *name, int type)
{
	reading *r = (reading *)arg;

	r->count += type == DT_REG && is_name(r->npath, name);
	return r->count != 0;
}

/* Is this likely name that of a key in a directory whose path has npath bytes? */
static bool
is_file(zinc_fs *fs, int dir, size_t npath, const char *name)
{
	struct stat st;

	return name && is_name(npath, name) && fs_os(fs)->fstatat(fs_os(fs), dir, name, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

/* Is there a key below `path`, or a link to a directory?  Such a link is not searched.  The likely name or the first
 * entries mostly suffice. */
static zinc_status
has_key(zinc_fs *fs, const char *path, const char *likely, bool *found, const zinc_wait *wait, zinc_error *err)
{
	const zinc_lister first = {.size = sizeof first, .key = first_key, .non_key = first_non_key, .arg = found};
	reading r = {fs, NULL, FS_KEYS, strlen(path), 0, wait, ZINC_OK, err};
	fs_dir *d = NULL;
	int failed;

	ZINC_TRY(zinc_fs_dir_open(fs, NULL, path, r.npath - 1, &d, err));
	if (!d)
		return ZINC_OK;
	*found = is_file(fs, d->fd, r.npath, likely);
	failed = !*found && fs_os(fs)->read_dir(fs_os(fs), d->fd, first_file, &r) == -1 ? errno : 0;
	zinc_fs_dir_unref(fs, d);
	if (failed)
		return zinc_fs_fail(err, failed, "cannot list a directory");
	*found = *found || r.count != 0;
	return *found ? ZINC_OK : walk_all(fs, path, &first, found, wait, err);
}

/* *found: a directory is a prefix only if some key is below it. */
static zinc_status
find_key_below(walk *w, bool *found)
{
	const char *path = zinc_buf_text(&w->path), *likely = w->to.likely;

	if (!w->to.non_key)
		return has_key(w->fs, path, likely, found, w->wait, w->err);
	if (has_key(w->fs, path, likely, found, w->wait, NULL) == ZINC_OK)
		return ZINC_OK;
	*found = false;
	if (!zinc_fs_is_denied(w->fs, NULL, path))
		return has_key(w->fs, path, likely, found, w->wait, w->err);
	tell_denied(w);
	return ZINC_OK;
}

/* Pass on the entry at w->path. */
static zinc_status
pass_entry(walk *w, const fs_entry *entry)
{
	bool found = entry->type == DT_REG;

	if (entry->non_key) {
		report_non_key(w, entry->non_key, entry->why);
		return ZINC_OK;
	}
	if (entry->type == DT_DIR) {
		report_dir(w, ZINC_NON_KEY_DIR, in_place);
		ZINC_TRY(find_key_below(w, &found));
	}
	if (found && !w->stop)
		w->stop = w->to.entry(w->to.arg, zinc_buf_text(&w->path), entry->type == DT_DIR) != 0;
	return ZINC_OK;
}

static zinc_status
walk_level(zinc_fs *fs, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	walk w = {.fs = fs, .to = *to, .wait = wait, .err = err};
	size_t n = strlen(prefix), i;
	const fs_entry *entry;
	const char *name;
	fs_entries e;
	zinc_status st;

	ZINC_TRY(zinc_fs_entries_read(fs, NULL, &e, prefix, n ? n - 1 : 0, to->own ? FS_OWN_KEYS : FS_KEYS, NULL, wait,
				      err));
	zinc_buf_init(&w.path, fs->ctx, ZINC_MAX_KEY);
	st = zinc_buf_puts(&w.path, prefix, err);
	for (i = 0; st == ZINC_OK && !w.stop && (entry = zinc_fs_entry(&e, i, &name)); i++) {
		zinc_buf_end(&w.path, n);
		st = zinc_buf_puts(&w.path, name, err);
		if (st == ZINC_OK && !zinc_buf_text(&w.path))
			st = zinc_fail_nomem(err);
		if (st == ZINC_OK)
			st = pass_entry(&w, entry);
	}
	zinc_buf_fini(&w.path);
	zinc_fs_entries_fini(&e);
	return st;
}

/* Is path[0..n) itself a link?  Errors are ignored here; reading the directory will report them. */
static bool
is_link(zinc_fs *fs, const fs_dir *base, const char *path, size_t n)
{
	char name[PATH_MAX];
	struct stat st;

	if (n == 0 || n >= sizeof name || atomic_load(&fs->root) == -1)
		return false;
	memcpy(name, path, n);
	name[n] = '\0';
	return stat_and_close(fs, zinc_fs_open_below(fs, base, name, O_PATH | O_NOFOLLOW), &st) == 0 &&
	       S_ISLNK(st.st_mode);
}

zinc_status
zinc_fs_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	zinc_fs *fs = (zinc_fs *)self;
	const size_t n = strlen(prefix);

	if (to->own && is_link(fs, NULL, prefix, n ? n - 1 : 0))
		return ZINC_OK;
	return to->key ? walk_all(fs, prefix, to, NULL, wait, err) : walk_level(fs, prefix, to, wait, err);
}

/* ---- erasing everything below a prefix ---- */

typedef struct erasing {
	zinc_fs *fs;
	const fs_dir *base; /* the parent of the prefix */
	zinc_put_group *group;
	uint32_t flags;
	const zinc_wait *wait;
	zinc_buf path;      /* "" or ends in '/' */
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

/* An entry that is not a key has no lock. */
static zinc_status
unlink_non_key(const erasing *x, const char *path, zinc_error *err)
{
	zinc_fs *fs = x->fs;
	const zinc_os *os = fs_os(fs);
	const size_t n = zinc_fs_parent(path, strlen(path));
	zinc_status st = ZINC_OK;
	fs_dir *d = NULL;

	ZINC_TRY(zinc_fs_dir_open(fs, x->base, path, n, &d, err));
	if (d && os->unlinkat(os, d->fd, path + n + (n > 0), 0) == -1 && errno != ENOENT)
		st = zinc_fs_fail(err, errno, "cannot unlink");
	zinc_fs_dir_unref(fs, d);
	return st;
}

/* Anything but a directory is erased by its own name: a link is removed, and its target stays. */
static void
erase_entry(erasing *x, const char *name)
{
	const char *path = zinc_buf_text(&x->path);
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = path ? zinc_wait_check(x->wait, &e) : zinc_fail_nomem(&e);

	if (st == ZINC_OK)
		st = is_name(x->path.n, name)
			 ? zinc_fs_del_one(x->fs, x->group, path, x->flags | FS_DEL_LINK, x->wait, &e)
			 : unlink_non_key(x, path, &e);
	zinc_error_at_key(&e, st, path ? path : "");
	note_failure(x, st, &e);
}

/* Go on after an entry that cannot be erased.  Locks are left to scrub. */
static void
erase_below(erasing *x)
{
	const size_t n = x->path.n;
	const fs_entry *entry;
	const char *name;
	fs_entries e;
	zinc_status st;
	size_t i;

	st = zinc_fs_entries_read(x->fs, x->base, &e, zinc_buf_text(&x->path), path_length(&x->path), FS_EVERYTHING,
				  NULL, x->wait, x->status == ZINC_OK ? x->err : NULL);
	if (st != ZINC_OK) {
		x->status = x->status == ZINC_OK ? st : x->status;
		return;
	}
	for (i = 0; (entry = zinc_fs_entry(&e, i, &name)); i++) {
		if (entry->type == DT_REG && zinc_fs_is_lock(name))
			continue;
		st = zinc_buf_puts(&x->path, name, x->status == ZINC_OK ? x->err : NULL);
		if (st != ZINC_OK)
			x->status = x->status == ZINC_OK ? st : x->status;
		else if (entry->type == DT_DIR && x->path.n <= FS_KEY_MAX)
			erase_below(x);
		else if (entry->type != DT_DIR)
			erase_entry(x, name);
		else if (x->status == ZINC_OK)
			x->status =
			    zinc_fail(x->err, ZINC_E_IO, "a directory is too deep to be erased: its path has %zu bytes",
				      x->path.n);
		zinc_buf_end(&x->path, n);
	}
	zinc_fs_entries_fini(&e);
}

static int
ignore_leftover(void *arg, const char *name, const char *key, const char *what)
{
	(void)arg, (void)name, (void)key, (void)what;
	return 0;
}

/* x->path is the prefix.  A link is removed, and its target is not touched. */
static void
erase_prefix(erasing *x, bool link)
{
	if (!zinc_buf_text(&x->path)) {
		x->status = zinc_fail_nomem(x->err);
	} else if (link) {
		x->path.n--;
		erase_entry(x, zinc_key_name(zinc_buf_text(&x->path)));
	} else {
		erase_below(x);
	}
}

/* Also remove leftover locks and empty directories: no listing would show them. */
static void
erase_all(erasing *x, const char *prefix)
{
	const size_t n = strlen(prefix);
	const bool link = is_link(x->fs, x->base, prefix, n ? n - 1 : 0);
	zinc_error e = ZINC_ERROR_INIT;

	zinc_buf_init(&x->path, x->fs->ctx, ZINC_MAX_KEY);
	x->status = zinc_buf_add(&x->path, prefix, n, x->err);
	if (x->status == ZINC_OK)
		erase_prefix(x, link);
	zinc_buf_fini(&x->path);
	note_failure(x, zinc_fs_commit(x->fs, x->group, NULL, NULL, x->wait, &e), &e);
	if (!link)
		note_failure(x, zinc_fs_scrub_below(x->fs, x->base, prefix, true, ignore_leftover, NULL, x->wait, &e),
			     &e);
}

zinc_status
zinc_fs_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	erasing x = {.fs = (zinc_fs *)self, .flags = flags, .wait = wait, .err = err};
	fs_dir *base;

	ZINC_TRY(zinc_fs_erase_begin(self, prefix, &x.group, flags, wait, err));
	base = ((fs_group *)x.group)->base;
	if (!base) { /* it does not exist */
		zinc_fs_abort(self, x.group);
		return ZINC_OK;
	}
	x.base = zinc_fs_dir_ref(x.fs, base); /* used after the group is gone */
	erase_all(&x, prefix);
	zinc_fs_dir_unref(x.fs, base);
	return x.status;
}
