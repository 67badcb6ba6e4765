/*
 * store_fs_group.c - many changes in one commit
 *
 * A grouped put writes its lock file at once.  It keeps the lock and stays in the group's window until it is finished:
 *
 *   put ── write ──> pending (at most 64) ── finish each: time, fsync, check, rename, release ──> done
 *   commit: finish what is pending, fsync each touched directory once, report what failed
 *
 * Why there is no deadlock: a thread that finds a lock busy first makes all groups of this store release their locks
 * (zinc_fs_wait_begin finishes all windows; while a thread waits, every new put is finished at once).  Only then it
 * waits.  So every thread that waits, in this process or another, waits for one that makes progress.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include "store/store_fs.h"

/*
 * Threads that wait for the disk while a window is finished.  A journalling file system commits the fsyncs of many
 * threads together: 64 files of 64 KiB take 170 ms one after another and 10 ms in eight threads (ext4).
 */
#define MAX_HELPERS 7

/* A group syncs its directories before commit when it has this many finished changes, to bound its memory. */
#define MAX_DONE 4096u

/* ---- directories to sync ---- */

/* The directory of the key, the parents of directories that were created, and those that relaxed changes left
 * unsynced. */
static zinc_status
record_dirs(zinc_fs *fs, fs_dirs *set, const fs_change *c, zinc_error *err)
{
	bool relaxed = c->flags & ZINC_PUT_RELAXED;
	fs_dirs *leaf = relaxed ? &fs->unsynced_files : set, *above = relaxed ? &fs->unsynced_dirs : set;
	size_t n = zinc_fs_parent(c->key, strlen(c->key));

	ZINC_TRY(zinc_fs_dirs_add(fs, leaf, c->key, n, c->prune && !relaxed, err));
	while (n > 0) {
		n = zinc_fs_parent(c->key, n);
		if (n >= c->made || (fs->unsynced_dirs.n && zinc_fs_dirs_has(&fs->unsynced_dirs, c->key, n)))
			ZINC_TRY(zinc_fs_dirs_add(fs, above, c->key, n, false, err));
	}
	return ZINC_OK;
}

/* Both steps under one lock, so that take_done sees every change whose directories must stay in the set. */
zinc_status
zinc_fs_enlist(zinc_fs *fs, fs_change *c, fs_dirs *own, bool taken, zinc_error *err)
{
	fs_group *g = c->group;
	zinc_status st;

	pthread_mutex_lock(&fs->lock);
	st = record_dirs(fs, g ? &g->dirs : own, c, err);
	if (st == ZINC_OK && g) {
		c->taken = taken;
		c->next = g->pending;
		g->pending = c;
		if (taken)
			g->busy++;
		else
			g->nwindow++;
	}
	pthread_mutex_unlock(&fs->lock);
	return st;
}

/* ---- the window ---- */

/* The list is short: at most one window. */
static void
unlink_pending(fs_group *g, const fs_change *c)
{
	fs_change **link = &g->pending;

	while (*link != c)
		link = &(*link)->next;
	*link = c->next;
}

void
zinc_fs_group_done(zinc_fs *fs, fs_change *c, bool keep)
{
	fs_group *g = c->group;

	pthread_mutex_lock(&fs->lock);
	unlink_pending(g, c);
	if (keep) {
		c->next = g->done;
		g->done = c;
		g->ndone++;
	}
	if (--g->busy == 0)
		pthread_cond_broadcast(&fs->idle);
	pthread_mutex_unlock(&fs->lock);
}

/* Move the group's pending changes to the front of `taken`; the caller holds the lock. */
static fs_change *
take_pending(fs_group *g, fs_change *taken)
{
	fs_change *c;

	for (c = g->pending; c; c = c->next)
		if (!c->taken) {
			c->taken = true;
			c->next_taken = taken;
			taken = c;
			g->nwindow--;
			g->busy++;
		}
	return taken;
}

/* Changes that several threads finish; each thread takes the next one. */
typedef struct finishing {
	zinc_fs *fs;
	fs_change *next;       /* guarded by the store's lock */
	const zinc_wait *wait; /* of the commit; NULL: the changes belong to others, or have no deadline */
} finishing;

static void *
finish_taken(void *arg)
{
	finishing *f = (finishing *)arg;
	fs_change *c;

	for (;;) {
		pthread_mutex_lock(&f->fs->lock);
		c = f->next;
		if (c)
			f->next = c->next_taken;
		pthread_mutex_unlock(&f->fs->lock);
		if (!c)
			return NULL;
		zinc_fs_finish(f->fs, c, f->wait);
		zinc_fs_group_done(f->fs, c, true);
	}
}

/* The number of extra threads: none if no fsync is needed, and none if the context has no threads. */
static int
count_helpers(const zinc_fs *fs, const fs_change *taken)
{
	int n = -1;

	if (fs->ctx->threads < 2)
		return 0;
	for (; taken && n < MAX_HELPERS; taken = taken->next_taken)
		n += !(taken->flags & ZINC_PUT_RELAXED);
	return n > 0 ? n : 0;
}

static int
start_helpers(pthread_t *threads, int n, finishing *f)
{
	int i = 0;

	while (i < n && zinc_thread_start(&threads[i], finish_taken, f))
		i++;
	return i;
}

void
zinc_fs_flush(zinc_fs *fs, fs_group *g, const zinc_wait *wait)
{
	finishing f = {fs, NULL, wait};
	pthread_t helpers[MAX_HELPERS];
	fs_group *each;
	int n;

	pthread_mutex_lock(&fs->lock);
	if (g)
		f.next = take_pending(g, NULL);
	else
		for (each = fs->groups; each; each = each->next)
			f.next = take_pending(each, f.next);
	pthread_mutex_unlock(&fs->lock);
	n = start_helpers(helpers, count_helpers(fs, f.next), &f);
	finish_taken(&f);
	while (n-- > 0)
		pthread_join(helpers[n], NULL);
}

/* The counter is raised before the windows are finished: a put that starts in between sees it and does not stay in its
 * window. */
void
zinc_fs_wait_begin(zinc_fs *fs)
{
	pthread_mutex_lock(&fs->lock);
	fs->waiting++;
	pthread_mutex_unlock(&fs->lock);
	zinc_fs_flush(fs, NULL, NULL);
}

void
zinc_fs_wait_end(zinc_fs *fs)
{
	pthread_mutex_lock(&fs->lock);
	fs->waiting--;
	pthread_mutex_unlock(&fs->lock);
}

fs_dir *
zinc_fs_group_dir(zinc_fs *fs, fs_group *g, const char *path, size_t n)
{
	fs_dir *d;

	pthread_mutex_lock(&fs->lock);
	d = g->last;
	if (d && (d->n != n || memcmp(d->path, path, n) != 0))
		d = NULL;
	if (d)
		d->refs++;
	pthread_mutex_unlock(&fs->lock);
	return d;
}

void
zinc_fs_group_keep_dir(zinc_fs *fs, fs_group *g, fs_dir *d)
{
	fs_dir *before;

	pthread_mutex_lock(&fs->lock);
	before = g->last;
	g->last = d;
	if (d)
		d->refs++;
	pthread_mutex_unlock(&fs->lock);
	zinc_fs_dir_unref(fs, before);
}

/* If another thread has taken it, wait until it is finished; else finish it here. */
void
zinc_fs_group_finish_key(zinc_fs *fs, fs_group *g, const char *key)
{
	fs_change *c;
	bool flush = false;

	pthread_mutex_lock(&fs->lock);
	for (c = g->pending; c && strcmp(c->key, key) != 0; c = c->next)
		continue;
	if (c && c->taken)
		while (g->busy)
			pthread_cond_wait(&fs->idle, &fs->lock);
	else
		flush = c != NULL;
	pthread_mutex_unlock(&fs->lock);
	if (flush)
		zinc_fs_flush(fs, g, NULL);
}

/* ---- finished changes ---- */

static bool
lies_below(const char *key, const char *dir)
{
	size_t n = strlen(dir);

	return n == 0 || (strncmp(key, dir, n) == 0 && key[n] == '/');
}

/* If a directory was not synced, its entries may be lost, and with them everything below. */
static void
mark_uncertain(zinc_fs *fs, fs_change *c, const fs_dirs *dirs, const zinc_error *e)
{
	size_t i;

	for (i = 0; i < dirs->n && c->status == ZINC_OK; i++)
		if (dirs->e[i].failed && lies_below(c->key, dirs->e[i].path)) {
			c->status = ZINC_E_UNCERTAIN;
			c->error = (zinc_error *)zinc_alloc(fs->ctx, sizeof *e);
			if (c->error)
				*c->error = *e;
		}
}

/* Sync the directories of finished changes; failed changes stay in the group for commit. */
static void
sync_done(zinc_fs *fs, fs_group *g, fs_change *done, fs_dirs *dirs)
{
	zinc_error e = ZINC_ERROR_INIT;
	bool uncertain = zinc_fs_dirs_sync(fs, g->base, dirs, &e) != ZINC_OK;
	fs_change *c;

	while ((c = done)) {
		done = c->next;
		if (uncertain)
			mark_uncertain(fs, c, dirs, &e);
		if (c->status == ZINC_OK) {
			zinc_fs_change_free(fs, c);
			continue;
		}
		pthread_mutex_lock(&fs->lock);
		c->next = g->failed;
		g->failed = c;
		pthread_mutex_unlock(&fs->lock);
	}
	zinc_fs_dirs_fini(fs, dirs);
}

/* Take the finished changes and their directories out of the group; directories that pending changes need stay. */
static fs_change *
take_done(zinc_fs *fs, fs_group *g, fs_dirs *dirs)
{
	fs_dirs still = {NULL, 0, 0};
	zinc_status st = ZINC_OK;
	fs_change *c, *done = NULL;

	memset(dirs, 0, sizeof *dirs);
	pthread_mutex_lock(&fs->lock);
	for (c = g->pending; c && st == ZINC_OK; c = c->next)
		st = record_dirs(fs, &still, c, NULL);
	if (st == ZINC_OK) {
		done = g->done;
		*dirs = g->dirs;
		g->dirs = still;
		g->done = NULL;
		g->ndone = 0;
	} else {
		zinc_fs_dirs_fini(fs, &still); /* out of memory: try later */
	}
	pthread_mutex_unlock(&fs->lock);
	return done;
}

void
zinc_fs_group_flush_full(zinc_fs *fs, fs_group *g)
{
	bool full, crowded, many;
	fs_dirs dirs;
	fs_change *done;

	pthread_mutex_lock(&fs->lock);
	crowded = fs->waiting > 0 || fs->nheld >= FS_MAX_HELD;
	full = g->nwindow >= FS_WINDOW;
	many = g->ndone >= MAX_DONE;
	pthread_mutex_unlock(&fs->lock);
	if (full || crowded)
		zinc_fs_flush(fs, crowded ? NULL : g, NULL);
	if (many) {
		done = take_done(fs, g, &dirs);
		sync_done(fs, g, done, &dirs);
	}
}

/* ---- begin, commit, abort ---- */

zinc_status
zinc_fs_put_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zinc_fs *fs = (zinc_fs *)self;
	fs_group *g = (fs_group *)zinc_calloc(fs->ctx, 1, sizeof *g);

	(void)wait;
	if (!g)
		return zinc_fail_nomem(err);
	g->flags = flags;
	pthread_mutex_lock(&fs->lock);
	g->next = fs->groups;
	g->link = &fs->groups;
	if (g->next)
		g->next->link = &g->next;
	fs->groups = g;
	pthread_mutex_unlock(&fs->lock);
	*group = (zinc_put_group *)g;
	return ZINC_OK;
}

/* The base is the parent of the prefix, so that a link in the place of the prefix is not followed either.  The group
 * owns it. */
zinc_status
zinc_fs_erase_begin(void *self, const char *prefix, zinc_put_group **group, uint32_t flags, const zinc_wait *wait,
		    zinc_error *err)
{
	zinc_fs *fs = (zinc_fs *)self;
	const size_t n = strlen(prefix);
	fs_dir *base = NULL;
	zinc_status st;

	ZINC_TRY(zinc_fs_base_open(fs, prefix, n ? zinc_fs_parent(prefix, n - 1) : 0, &base, err));
	st = zinc_fs_put_begin(self, group, flags, wait, err);
	if (st == ZINC_OK)
		((fs_group *)*group)->base = base;
	else
		zinc_fs_dir_unref(fs, base);
	return st;
}

/* Wait for other threads that finish changes of the group, then take it off the store's list. */
static void
detach(zinc_fs *fs, fs_group *g)
{
	pthread_mutex_lock(&fs->lock);
	while (g->busy)
		pthread_cond_wait(&fs->idle, &fs->lock);
	*g->link = g->next;
	if (g->next)
		g->next->link = g->link;
	pthread_mutex_unlock(&fs->lock);
}

/* The list is in reverse order of failure.  The caller gets all failures, and the first of the list as its status. */
static zinc_status
report(zinc_fs *fs, fs_group *g, zinc_committed_fn fn, void *arg, zinc_error *err)
{
	zinc_status first = ZINC_OK;
	zinc_error e;
	fs_change *c;

	while ((c = g->failed)) {
		g->failed = c->next;
		if (c->error)
			e = *c->error;
		else
			zinc_fail(&e, c->status, "%s", zinc_status_text(c->status));
		zinc_error_at_key(&e, c->status, c->key);
		if (first == ZINC_OK) {
			first = c->status;
			zinc_error_copy(err, &e);
		}
		if (fn)
			fn(arg, c->key, c->status, &e);
		zinc_fs_change_free(fs, c);
	}
	return first;
}

zinc_status
zinc_fs_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait,
	       zinc_error *err)
{
	zinc_fs *fs = (zinc_fs *)self;
	fs_group *g = (fs_group *)group;
	zinc_status st;

	zinc_fs_flush(fs, g, wait);
	detach(fs, g);
	zinc_fs_group_keep_dir(fs, g, NULL);
	sync_done(fs, g, g->done, &g->dirs);
	st = report(fs, g, fn, arg, err);
	zinc_fs_dir_unref(fs, g->base);
	zinc_free(fs->ctx, g);
	return st;
}

/* Changes that are already renamed stay, and their directories are synced. */
void
zinc_fs_abort(void *self, zinc_put_group *group)
{
	zinc_fs *fs = (zinc_fs *)self;
	fs_group *g = (fs_group *)group;
	fs_change *taken, *c;

	pthread_mutex_lock(&fs->lock);
	taken = take_pending(g, NULL);
	pthread_mutex_unlock(&fs->lock);
	while ((c = taken)) {
		taken = c->next_taken;
		zinc_fs_drop(fs, c);
		zinc_fs_group_done(fs, c, false);
		zinc_fs_change_free(fs, c);
	}
	detach(fs, g);
	zinc_fs_group_keep_dir(fs, g, NULL);
	sync_done(fs, g, g->done, &g->dirs);
	(void)report(fs, g, NULL, NULL, NULL);
	zinc_fs_dir_unref(fs, g->base);
	zinc_free(fs->ctx, g);
}

/* In a forked child: the threads that had taken changes do not exist here, and the locks were closed. */
void
zinc_fs_groups_after_fork(zinc_fs *fs)
{
	fs_group *g;
	fs_change *c;

	fs->waiting = 0;
	for (g = fs->groups; g; g = g->next)
		for (c = g->pending; c; c = c->next)
			if (c->taken) {
				c->taken = false;
				c->dir = NULL;
				g->busy--;
				g->nwindow++;
			}
}

/* ---- sync ---- */

typedef struct file_sync {
	zinc_fs *fs;
	int dir;
	int failed; /* errno of the first failure */
	bool lost;  /* an fsync failed */
} file_sync;

/* A new descriptor will do: fsync writes the file, whichever descriptor wrote it. */
static int
sync_file(void *arg, const char *name, int type)
{
	file_sync *s = (file_sync *)arg;
	const zinc_os *os = fs_os(s->fs);
	int fd, failed = 0;

	if (type == DT_DIR || zinc_fs_is_lock(name))
		return 0;
	fd = zinc_fs_openat(s->fs, s->dir, name, O_RDONLY | O_NONBLOCK, ZINC_LINKS_REFUSE);
	if (fd == -1) { /* deleted meanwhile, or a link, which is not ours */
		failed = errno == ENOENT || errno == ELOOP || errno == ENXIO ? 0 : errno;
	} else if (os->fsync(os, fd) == -1 && errno != EINVAL) { /* EINVAL: not a regular file */
		failed = errno;
		s->lost = true;
	}
	if (fd != -1)
		os->close(os, fd);
	s->failed = s->failed ? s->failed : failed;
	return 0;
}

/* It is not known which files relaxed puts wrote in this directory, so every file is synced; clean ones cost little. */
static zinc_status
sync_files(zinc_fs *fs, const char *path, bool *lost, zinc_error *err)
{
	file_sync s = {fs, -1, 0, false};
	fs_dir *d = NULL;

	ZINC_TRY(zinc_fs_dir_open(fs, NULL, path, strlen(path), &d, err));
	if (!d)
		return ZINC_OK;
	s.dir = d->fd;
	if (fs_os(fs)->read_dir(fs_os(fs), d->fd, sync_file, &s) == -1 && !s.failed)
		s.failed = errno;
	zinc_fs_dir_unref(fs, d);
	*lost = s.lost;
	return s.failed ? zinc_fs_fail(err, s.failed, "cannot sync") : ZINC_OK;
}

/* Sync the files of all directories, then the directories.  All are tried; the first failure is returned. */
static zinc_status
sync_set(zinc_fs *fs, fs_dirs *set, bool files, zinc_error *err)
{
	zinc_status st = ZINC_OK, all;
	bool *lost = NULL;
	size_t i;

	if (files && set->n > 0 && !(lost = (bool *)zinc_calloc(fs->ctx, 2 * set->n, sizeof *lost)))
		return zinc_fail_nomem(err);
	for (i = 0; lost && i < set->n; i++) {
		const zinc_status s = sync_files(fs, set->e[i].path, &lost[2 * i], st == ZINC_OK ? err : NULL);

		lost[2 * i + 1] = s != ZINC_OK;
		st = st == ZINC_OK ? s : st;
	}
	all = zinc_fs_dirs_sync(fs, NULL, set, st == ZINC_OK ? err : NULL);
	for (i = 0; lost && i < set->n; i++) {
		set->e[i].lost |= lost[2 * i];
		set->e[i].failed |= lost[2 * i + 1];
	}
	zinc_free(fs->ctx, lost);
	return st == ZINC_OK ? all : st;
}

/* What was not synced stays for the next sync, except after a failed fsync: a second one might succeed although the
 * data is lost. */
static void
put_back(zinc_fs *fs, fs_dirs *waiting, const fs_dirs *set, bool untried)
{
	size_t i;

	pthread_mutex_lock(&fs->lock);
	for (i = 0; i < set->n; i++) {
		const struct fs_dirs_entry *e = &set->e[i];

		fs->lost |= e->lost;
		if ((untried || e->failed) && !e->lost &&
		    zinc_fs_dirs_add(fs, waiting, e->path, strlen(e->path), false, NULL) != ZINC_OK)
			fs->lost = true; /* the failure cannot be recorded elsewhere */
	}
	pthread_mutex_unlock(&fs->lock);
}

/* The sets are taken away first: puts that happen meanwhile are left to the next sync. */
zinc_status
zinc_fs_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	zinc_fs *fs = (zinc_fs *)self;
	fs_dirs files, dirs;
	zinc_status st, above;
	bool lost;

	(void)wait;
	pthread_mutex_lock(&fs->lock);
	files = fs->unsynced_files;
	dirs = fs->unsynced_dirs;
	lost = fs->lost;
	memset(&fs->unsynced_files, 0, sizeof files);
	memset(&fs->unsynced_dirs, 0, sizeof dirs);
	pthread_mutex_unlock(&fs->lock);
	st = sync_set(fs, &files, true, err);
	above = sync_set(fs, &dirs, false, st == ZINC_OK ? err : NULL);
	put_back(fs, &fs->unsynced_files, &files, st == ZINC_E_NOMEM);
	put_back(fs, &fs->unsynced_dirs, &dirs, false);
	zinc_fs_dirs_fini(fs, &files);
	zinc_fs_dirs_fini(fs, &dirs);
	if (st == ZINC_OK && above == ZINC_OK && lost)
		return zinc_fail(err, ZINC_E_UNCERTAIN,
				 "an earlier sync failed, so what was written before it may not survive a power cut: "
				 "reopen the store and write it again");
	return st == ZINC_OK ? above : st;
}
