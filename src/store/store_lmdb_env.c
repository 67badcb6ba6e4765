/*
 * store_lmdb_env.c - LMDB environments
 *
 * LMDB forbids a process to open one file twice, so all stores share one environment per file.  A child of fork() must
 * not use those of its parent, not even close them: it leaves them alone and opens its own.
 *
 * The map has a size that may change only while this process has no transaction.  A thread that changes it closes the
 * gate: no new transaction begins, and those that are open end.  It never waits long with the gate closed, because one of them
 * may itself wait for another.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "store/store_lmdb.h"

#if ZINC_WITH_LMDB

#define MAP_STEP   (64 * ZINC_MIB) /* the map is at least that, and grows by that or by half */
#define GATE_WAIT  0.05            /* seconds that the gate is closed at a time */
#define GATE_PAUSE 0.002
#define LOCK_PAUSE 0.0001
#define NAME_BYTES 8192

/* Environments of this process. */
static struct {
	pthread_mutex_t lock;
	pthread_once_t once;
	zinc_fork_hook fork;
	lmdb_env *first;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

/* The child forgets them; the memory stays mapped.  It must not share the locks: they would outlive the parent. */
static void
child_after_fork(void *object)
{
	const lmdb_env *e;

	(void)object;
	for (e = registry.first; e; e = e->next)
		if (e->lock != -1)
			e->ctx->os->close(e->ctx->os, e->lock);
	registry.first = NULL;
}

static void
hook_registry(void)
{
	registry.fork = (zinc_fork_hook){.lock = &registry.lock, .child = child_after_fork};
	zinc_fork_add(&registry.fork);
}

static void
lock_registry(void)
{
	pthread_once(&registry.once, hook_registry);
	pthread_mutex_lock(&registry.lock);
}

static void
unlock_registry(void)
{
	pthread_mutex_unlock(&registry.lock);
}

/* ---- errors ---- */

zinc_status
zinc_lmdb_fail(int rc, const char *doing, zinc_error *err)
{
	switch (rc) {
	case MDB_CORRUPTED:
	case MDB_PAGE_NOTFOUND:
	case MDB_INVALID:
	case MDB_PANIC:
		return zinc_fail(err, ZINC_E_CORRUPT, "%s: %s", doing, mdb_strerror(rc));
	case MDB_VERSION_MISMATCH:
	case MDB_INCOMPATIBLE:
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "%s: %s", doing, mdb_strerror(rc));
	case MDB_BAD_VALSIZE:
		return zinc_fail(err, ZINC_E_LIMIT, "%s: %s", doing, mdb_strerror(rc));
	default:
		break;
	}
	if (rc > 0)
		return zinc_fail_errno(err, rc, "%s", doing);
	return zinc_fail(err, ZINC_E_IO, "%s: %s", doing, mdb_strerror(rc));
}

/* ---- files ---- */

zinc_status
zinc_lmdb_is_database(zinc_context *ctx, const char *path, size_t n, bool *yes, zinc_error *err)
{
	struct stat st;

	ZINC_TRY(zinc_file_look(ctx, path, n, "", yes, &st, err));
	if (*yes && !S_ISREG(st.st_mode))
		ZINC_TRY(zinc_file_look(ctx, path, n, "/data.mdb", yes, &st, err));
	*yes = *yes && S_ISREG(st.st_mode);
	return ZINC_OK;
}

/* The data file: the path itself, or data.mdb in the directory. */
static zinc_status
find_data(const lmdb_store *s, bool *subdir, bool *there, struct stat *out, zinc_error *err)
{
	const size_t n = strlen(s->path);

	ZINC_TRY(zinc_file_look(s->batched.ctx, s->path, n, "", there, out, err));
	*subdir = !*there || S_ISDIR(out->st_mode);
	return *subdir ? zinc_file_look(s->batched.ctx, s->path, n, "/data.mdb", there, out, err) : ZINC_OK;
}

/* The size is taken after the bytes: a writer may extend the file meanwhile, and its meta page then names more pages. */
static ssize_t
read_head(const lmdb_store *s, bool subdir, uint8_t *bytes, size_t n, uint64_t *size)
{
	const zinc_os *os = s->batched.ctx->os;
	char name[NAME_BYTES];
	struct stat st;
	int top, fd = -1;
	ssize_t got = -1;

	if (snprintf(name, sizeof name, "%s%s", s->path + 1, subdir ? "/data.mdb" : "") >= (int)sizeof name)
		return -1;
	top = os->open_root(os, "/", O_PATH | O_CLOEXEC);
	if (top != -1)
		fd = os->open_at(os, top, name, O_RDONLY | O_CLOEXEC, 0, ZINC_LINKS_FOLLOW);
	if (fd != -1)
		got = os->pread(os, fd, bytes, n, 0);
	if (got >= 0 && os->fstat(os, fd, &st) != 0)
		got = -1;
	if (got >= 0)
		*size = (uint64_t)st.st_size;
	if (fd != -1)
		os->close(os, fd);
	if (top != -1)
		os->close(os, top);
	return got;
}

/* A file of 0 bytes is a new database.  (LMDB locks only its lock file, so the data file may be opened and closed.) */
static zinc_status
check_file(const lmdb_store *s, bool subdir, const struct stat *st, zinc_error *err)
{
	uint64_t size = 0;
	uint8_t *bytes;
	ssize_t n;
	lmdb_meta meta;
	zinc_status result;

	if (!S_ISREG(st->st_mode))
		return zinc_fail(err, ZINC_E_IO, "%s is not a file", s->path);
	if (st->st_size == 0)
		return ZINC_OK;
	bytes = (uint8_t *)zinc_alloc(s->batched.ctx, LMDB_META_BYTES);
	if (!bytes)
		return zinc_fail_nomem(err);
	n = read_head(s, subdir, bytes, LMDB_META_BYTES, &size);
	if (n < 0)
		result = zinc_fail_errno(err, errno, "cannot read %s", s->path);
	else
		result = zinc_lmdb_check_meta(bytes, (size_t)n, size, &meta, err);
	zinc_free(s->batched.ctx, bytes);
	return result;
}

/* As zarr-python: a new database is a directory. */
static zinc_status
make_directory(const lmdb_store *s, zinc_error *err)
{
	const zinc_os *os = s->batched.ctx->os;
	int top = os->open_root(os, "/", O_PATH | O_CLOEXEC);
	zinc_status st = ZINC_OK;

	if (top == -1 || (os->mkdirat(os, top, s->path + 1, 0777) != 0 && errno != EEXIST))
		st = zinc_fail_errno(err, errno, "cannot create the directory %s", s->path);
	if (top != -1)
		os->close(os, top);
	return st;
}

/* ---- opening; the registry is locked ---- */

static void
env_free(lmdb_env *e)
{
	if (e->env)
		mdb_env_close(e->env);
	if (e->lock != -1)
		e->ctx->os->close(e->ctx->os, e->lock);
	zinc_known_fini(&e->known, e->ctx);
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->gate);
	zinc_free(e->ctx, e);
}

/* One attempt with these flags. */
static int
try_open(lmdb_env *e, const char *path, unsigned flags, uint64_t file_size)
{
	uint64_t size = zinc_max_u64(MAP_STEP, file_size + file_size / 2);
	int dead, rc = mdb_env_create(&e->env);

	size = (size + MAP_STEP - 1) / MAP_STEP * MAP_STEP;
	if (rc == 0)
		rc = mdb_env_set_mapsize(e->env, (size_t)size);
	if (rc == 0)
		rc = mdb_env_open(e->env, path, flags | MDB_NOTLS, 0666);
	if (rc == 0 && !(flags & MDB_NOLOCK))
		mdb_reader_check(e->env, &dead);
	if (rc != 0) {
		mdb_env_close(e->env);
		e->env = NULL;
	}
	e->readonly = flags & MDB_RDONLY;
	e->unlocked = flags & MDB_NOLOCK;
	return rc;
}

static bool
lacks_permission(int rc)
{
	return rc == EACCES || rc == EROFS || rc == EPERM;
}

/* Without permission to write: first with the lock file, which may be writable, then without. */
static int
open_somehow(lmdb_env *e, const char *path, unsigned flags, uint64_t file_size)
{
	int rc = try_open(e, path, flags, file_size);

	if (lacks_permission(rc))
		rc = try_open(e, path, flags | MDB_RDONLY, file_size);
	if (lacks_permission(rc))
		rc = try_open(e, path, flags | MDB_RDONLY | MDB_NOLOCK, file_size);
	return rc;
}

/* The handle of the one database that a file has without a name. */
static int
open_dbi(lmdb_env *e)
{
	MDB_txn *txn = NULL;
	int rc = mdb_txn_begin(e->env, NULL, MDB_RDONLY, &txn);

	if (rc != 0)
		return rc;
	rc = mdb_dbi_open(txn, NULL, 0, &e->dbi);
	if (rc == 0)
		rc = mdb_txn_commit(txn); /* keeps the handle */
	else
		mdb_txn_abort(txn);
	return rc;
}

/* What file has LMDB opened?  The path may lead to another one meanwhile. */
static int
identify(lmdb_env *e)
{
	const zinc_os *os = e->ctx->os;
	mdb_filehandle_t fd;
	struct stat st;
	int rc = mdb_env_get_fd(e->env, &fd);

	if (rc == 0 && os->fstat(os, fd, &st) != 0)
		rc = errno;
	if (rc == 0) {
		e->dev = st.st_dev;
		e->ino = st.st_ino;
	}
	return rc;
}

/* The data file once more, for the lock of those who write.  One that is another file by now locks nothing. */
static int
open_lock(lmdb_env *e, const char *path, bool subdir)
{
	const zinc_os *os = e->ctx->os;
	char name[NAME_BYTES];

	if (snprintf(name, sizeof name, "%s%s", path, subdir ? "/data.mdb" : "") >= (int)sizeof name)
		return ENAMETOOLONG;
	e->lock = os->open_at(os, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0, ZINC_LINKS_FOLLOW);
	return e->lock == -1 ? errno : 0;
}

static zinc_status
env_new(const lmdb_store *s, bool subdir, const struct stat *st, lmdb_env **out, zinc_error *err)
{
	zinc_context *ctx = zinc_context_get(NULL); /* that of the first store may be freed before the others */
	lmdb_env *e = (lmdb_env *)zinc_calloc(ctx, 1, sizeof *e);
	int rc;

	if (!e)
		return zinc_fail_nomem(err);
	e->ctx = ctx;
	e->lock = -1;
	e->pid = getpid();
	pthread_mutex_init(&e->gate, NULL);
	zinc_wait_cond_init(&e->changed);
	rc = open_somehow(e, s->path, subdir ? 0 : MDB_NOSUBDIR, st ? (uint64_t)st->st_size : 0);
	if (rc == 0)
		rc = open_dbi(e);
	if (rc == 0)
		rc = identify(e);
	if (rc == 0 && !e->readonly)
		rc = open_lock(e, s->path, subdir);
	if (rc != 0) {
		env_free(e);
		return zinc_lmdb_fail(rc, "cannot open the database", err);
	}
	*out = e;
	return ZINC_OK;
}

static lmdb_env *
find_env(const struct stat *st)
{
	lmdb_env *e;

	for (e = registry.first; e; e = e->next)
		if (e->dev == st->st_dev && e->ino == st->st_ino)
			return e;
	return NULL;
}

/* Take the environment of the file, or open one. */
static zinc_status
attach(lmdb_store *s, bool subdir, const struct stat *there, zinc_error *err)
{
	lmdb_env *e = there ? find_env(there) : NULL;

	if (!e) {
		if (there)
			ZINC_TRY(check_file(s, subdir, there, err));
		ZINC_TRY(env_new(s, subdir, there, &e, err));
		e->next = registry.first;
		registry.first = e;
	}
	e->refs++;
	s->env = e;
	return ZINC_OK;
}

/* An environment of the parent is left alone. */
static void
detach(lmdb_store *s)
{
	lmdb_env *e = s->env, **link;

	s->env = NULL;
	if (!e || e->pid != getpid() || --e->refs > 0)
		return;
	for (link = &registry.first; *link && *link != e; link = &(*link)->next)
		continue;
	if (*link)
		*link = e->next;
	env_free(e);
}

void
zinc_lmdb_release(lmdb_store *s)
{
	lock_registry();
	detach(s);
	unlock_registry();
}

/* Does the store have the file that is at the path now open, in this process? */
static bool
is_current(const lmdb_store *s, const struct stat *now)
{
	const lmdb_env *e = s->env;

	return e && now && e->pid == getpid() && e->dev == now->st_dev && e->ino == now->st_ino;
}

/* Under the lock: close what is not the file at the path. */
static zinc_status
drop_replaced(lmdb_store *s, bool *there, bool *subdir, struct stat *now, zinc_error *err)
{
	if (is_current(s, *there ? now : NULL))
		return ZINC_OK;
	ZINC_TRY(find_data(s, subdir, there, now, err)); /* again: another thread may just have made the database */
	if (!is_current(s, *there ? now : NULL))
		detach(s);
	return ZINC_OK;
}

/* The environment of the file that is at the path now, with one more reference, which keeps it open; NULL: none. */
static zinc_status
acquire(lmdb_store *s, bool make, lmdb_env **out, zinc_error *err)
{
	struct stat now;
	bool subdir, there;
	zinc_status st;

	*out = NULL;
	ZINC_TRY(find_data(s, &subdir, &there, &now, err));
	lock_registry();
	st = drop_replaced(s, &there, &subdir, &now, err);
	if (st == ZINC_OK && !s->env && !there && make && subdir)
		st = make_directory(s, err);
	if (st == ZINC_OK && !s->env && (there || make))
		st = attach(s, subdir, there ? &now : NULL, err);
	if (st == ZINC_OK && s->env) {
		s->env->refs++;
		*out = s->env;
	}
	unlock_registry();
	return st;
}

static void
release(lmdb_env *e)
{
	lmdb_store last = {.env = e};

	zinc_lmdb_release(&last);
}

/* ---- the gate ---- */

static zinc_status
gate_enter(lmdb_env *e, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	pthread_mutex_lock(&e->gate);
	while (e->closed && st == ZINC_OK)
		st = zinc_wait_cond(wait, &e->changed, &e->gate, "the map of the database", err);
	if (st == ZINC_OK)
		e->inside++;
	pthread_mutex_unlock(&e->gate);
	return st;
}

static void
gate_leave(lmdb_env *e)
{
	pthread_mutex_lock(&e->gate);
	e->inside--;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->gate);
}

static void
stop_writing(lmdb_env *e)
{
	pthread_mutex_lock(&e->gate);
	e->writing = false;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->gate);
}

/* Wait for other processes, ever longer; LMDB's own lock knows no deadline. */
static zinc_status
lock_file(const lmdb_env *e, const zinc_wait *wait, zinc_error *err)
{
	const zinc_os *os = e->ctx->os;
	double pause = LOCK_PAUSE;

	while (os->lock(os, e->lock) != 0) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return zinc_fail_errno(err, errno, "cannot lock the database");
		ZINC_TRY(zinc_wait_pause(wait, pause, "another process's change", err));
		pause = pause < GATE_PAUSE ? 2 * pause : pause;
	}
	return ZINC_OK;
}

/* Writers of this process take turns here, then those of this library in other processes. */
static zinc_status
writer_enter(lmdb_env *e, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	pthread_mutex_lock(&e->gate);
	while (e->writing && st == ZINC_OK)
		st = zinc_wait_cond(wait, &e->changed, &e->gate, "another thread's change", err);
	if (st == ZINC_OK)
		e->writing = true;
	pthread_mutex_unlock(&e->gate);
	if (st == ZINC_OK) {
		st = lock_file(e, wait, err);
		if (st != ZINC_OK)
			stop_writing(e);
	}
	return st;
}

static void
writer_leave(lmdb_env *e)
{
	e->ctx->os->unlock(e->ctx->os, e->lock);
	stop_writing(e);
}

/* Close the gate for a moment; *rc is the result of the change, and true is returned, if nobody was inside. */
static bool
resize_now(lmdb_env *e, size_t size, int *rc)
{
	const zinc_wait moment = {sizeof moment, zinc_now(e->ctx) + GATE_WAIT, NULL};
	bool mine, empty = false;

	pthread_mutex_lock(&e->gate);
	mine = !e->closed;
	if (mine) {
		e->closed = true;
		while (e->inside > 0 && zinc_wait_cond(&moment, &e->changed, &e->gate, NULL, NULL) == ZINC_OK)
			continue;
		empty = e->inside == 0;
		if (empty)
			*rc = mdb_env_set_mapsize(e->env, size);
		e->closed = false;
		pthread_cond_broadcast(&e->changed);
	}
	pthread_mutex_unlock(&e->gate);
	return empty;
}

/* A new size of the map; 0: the size that another process has given it. */
static zinc_status
resize(lmdb_env *e, size_t size, const zinc_wait *wait, zinc_error *err)
{
	int rc = 0;

	while (!resize_now(e, size, &rc))
		ZINC_TRY(zinc_wait_pause(wait, GATE_PAUSE, "transactions of other threads", err));
	return rc == 0 ? ZINC_OK : zinc_lmdb_fail(rc, "cannot change the size of the map", err);
}

static zinc_status
grow(lmdb_env *e, const zinc_wait *wait, zinc_error *err)
{
	MDB_envinfo info;
	size_t more, size;
	int dead;

	mdb_reader_check(e->env, &dead);
	mdb_env_info(e->env, &info);
	more = info.me_mapsize / 2 > MAP_STEP ? info.me_mapsize / 2 : (size_t)MAP_STEP;
	if (zinc_size_add(info.me_mapsize, more / MAP_STEP * MAP_STEP, &size))
		return zinc_fail(err, ZINC_E_LIMIT, "the map of the database cannot grow");
	return resize(e, size, wait, err);
}

/* ---- transactions ---- */

/* One attempt.  *again: after the map, or the table of readers, was renewed. */
static zinc_status
try_begin(lmdb_env *e, bool write, MDB_txn **out, bool *again, const zinc_wait *wait, zinc_error *err)
{
	int dead, rc;

	*again = false;
	ZINC_TRY(zinc_wait_check(wait, err));
	ZINC_TRY(gate_enter(e, wait, err));
	rc = mdb_txn_begin(e->env, NULL, write ? 0 : MDB_RDONLY, out);
	if (rc == 0)
		return ZINC_OK;
	gate_leave(e);
	*again = rc == MDB_MAP_RESIZED || rc == MDB_READERS_FULL;
	if (rc == MDB_MAP_RESIZED)
		return resize(e, 0, wait, err);
	if (rc == MDB_READERS_FULL) {
		mdb_reader_check(e->env, &dead);
		return zinc_wait_pause(wait, GATE_PAUSE, "a place in the table of readers", err);
	}
	return zinc_lmdb_fail(rc, "cannot begin a transaction", err);
}

static zinc_status
begin(lmdb_env *e, lmdb_txn *t, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	bool again;

	if (t->write && e->readonly)
		return zinc_fail(err, ZINC_E_READONLY, "the database cannot be written");
	if (t->write)
		ZINC_TRY(writer_enter(e, wait, err));
	do
		st = try_begin(e, t->write, &t->txn, &again, wait, err);
	while (st == ZINC_OK && again);
	if (st != ZINC_OK && t->write)
		writer_leave(e);
	return st;
}

zinc_status
zinc_lmdb_begin(lmdb_store *s, zinc_use use, lmdb_txn *t, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;

	*t = (lmdb_txn){.write = use != ZINC_USE_LOOK};
	ZINC_TRY(acquire(s, use == ZINC_USE_MAKE, &t->e, err));
	if (!t->e)
		return ZINC_OK;
	st = begin(t->e, t, wait, err);
	if (st != ZINC_OK) {
		release(t->e);
		t->e = NULL;
		t->txn = NULL;
	}
	return st;
}

/* Without locks nobody keeps the pages of a transaction: after the next change they may be used again. */
zinc_status
zinc_lmdb_check_same(const lmdb_txn *t, zinc_error *err)
{
	MDB_envinfo info;

	if (!t->e->unlocked)
		return ZINC_OK;
	if (mdb_env_info(t->e->env, &info) == 0 && info.me_last_txnid == mdb_txn_id(t->txn))
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_IO,
			 "the database was changed while it was being read, which only a lock prevents, and that needs "
			 "permission to write");
}

void
zinc_lmdb_leave(lmdb_txn *t)
{
	if (t->txn) {
		mdb_txn_abort(t->txn);
		gate_leave(t->e);
		if (t->write)
			writer_leave(t->e);
	}
	t->txn = NULL;
	if (t->e)
		release(t->e);
	t->e = NULL;
}

/* A relaxed commit writes the data, but leaves the sync of the meta page to the next: when the power fails the change
 * may be undone, but the database is whole.  Writers take turns, so the flag is that of this commit. */
static int
commit(lmdb_txn *t, bool relaxed)
{
	int rc = mdb_env_set_flags(t->e->env, MDB_NOMETASYNC, relaxed);

	if (rc == 0)
		rc = mdb_txn_commit(t->txn);
	else
		mdb_txn_abort(t->txn);
	t->txn = NULL;
	return rc;
}

zinc_status
zinc_lmdb_end(lmdb_txn *t, zinc_status st, int rc, bool relaxed, bool *full, const zinc_wait *wait, zinc_error *err)
{
	bool committing = false;

	*full = false;
	if (st == ZINC_OK && rc == 0) {
		committing = true;
		rc = commit(t, relaxed);
	} else {
		mdb_txn_abort(t->txn);
		t->txn = NULL;
	}
	gate_leave(t->e);
	if (st == ZINC_OK && rc == MDB_MAP_FULL) {
		st = grow(t->e, wait, err);
		*full = st == ZINC_OK;
	} else if (st == ZINC_OK && rc == EIO && committing) {
		st = zinc_fail(err, ZINC_E_UNCERTAIN, "cannot commit: %s", mdb_strerror(rc));
	} else if (st == ZINC_OK && rc != 0) {
		st = zinc_lmdb_fail(rc, "cannot write", err);
	}
	writer_leave(t->e);
	release(t->e);
	t->e = NULL;
	return st;
}

static zinc_status
sync_now(lmdb_store *s, zinc_error *err)
{
	lmdb_env *e = NULL;
	int rc = 0;

	ZINC_TRY(acquire(s, false, &e, err));
	if (e && !e->readonly)
		rc = mdb_env_sync(e->env, 1);
	if (e)
		release(e);
	return rc == 0 ? ZINC_OK : zinc_lmdb_fail(rc, "cannot sync the database", err);
}

zinc_status
zinc_lmdb_sync(lmdb_store *s, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	ZINC_TRY(zinc_turn_acquire(&s->syncing, wait, err));
	if (atomic_exchange(&s->relaxed, false))
		st = sync_now(s, err);
	if (st != ZINC_OK)
		atomic_store(&s->relaxed, true);
	zinc_turn_release(&s->syncing);
	return st;
}

zinc_status
zinc_lmdb_is_readonly(lmdb_store *s, bool *yes, zinc_error *err)
{
	lmdb_env *e = NULL;

	ZINC_TRY(acquire(s, false, &e, err));
	*yes = e && e->readonly;
	if (e)
		release(e);
	return ZINC_OK;
}

#endif
