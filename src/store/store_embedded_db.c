/*
 * store_embedded_db.c - the databases that this process has open
 *
 * The libraries let one process at a time open a database, once.  So all stores and threads of this process share one
 * handle per file, and give it up for others: it is closed 50 ms after the last call, by a thread of its own, and after
 * 300 ms of work without a pause, for a moment that is long enough for another process to take it.  Who finds a
 * database taken tries again until its deadline.
 *
 * Calls that read do so at once with others.  One that changes something has the writers' turn from its first look at
 * the database to the end, and keeps readers out only while it changes: the caller's function of an update may read.
 *
 * A fork closes all databases before: what the libraries keep in memory (locks, threads) is wrong in a child.  If a
 * thread is inside for longer than a second, the child cannot use that database.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "store/store_embedded.h"

#define IDLE_SECONDS 0.05
#define HOLD_SECONDS 0.3
#define REST_SECONDS 0.008 /* longer than the pauses of those who wait */
#define FORK_SECONDS 1.0
#define EXIT_SECONDS 1.0 /* to wait for the thread that closes idle databases */
#define COUNTERS     1024
#define PAUSE_FIRST  0.0002
#define PAUSE_LAST   0.004

/* A file that was given up for other processes. */
typedef struct resting {
	dev_t dev;
	ino_t ino;
	double until;
} resting;

static struct {
	pthread_mutex_t lock;
	pthread_once_t once;
	pthread_cond_t changed;
	zinc_fork_hook fork;
	embedded_db *first;
	bool moving;  /* a thread opens or closes a database: one at a time */
	bool forking; /* no new calls */
	bool closer;  /* the thread that closes idle databases runs */
	uint64_t version;
	resting rest;
	pid_t forkless; /* the process that has used an engine of this kind; 0: none */
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

/* Databases that could not be closed, by file; files may share a counter. */
static atomic_uint failures[COUNTERS];

static zinc_context *
context(void)
{
	return zinc_context_get(NULL);
}

/* ---- closing; the registry is locked ---- */

static atomic_uint *
failures_of(const embedded_db *d)
{
	return &failures[((uint64_t)d->ino * 31 + (uint64_t)d->dev) % COUNTERS];
}

/* Here the registry need not be locked. */
static void
close_library(embedded_db *d)
{
	zinc_error err = ZINC_ERROR_INIT;

	if (d->db && d->engine->close(d->db, &err) != ZINC_OK) {
		atomic_fetch_add(failures_of(d), 1);
		zinc_warn(d->ctx, d->path, "%s did not close the database properly: %s", d->engine->library, err.text);
	}
	d->db = NULL;
}

static void
db_free(embedded_db *d)
{
	const zinc_os *os = d->ctx->os;

	close_library(d);
	if (d->lock != -1)
		os->close(os, d->lock);
	zinc_known_fini(&d->known, d->ctx);
	zinc_free(d->ctx, d->path);
	zinc_free(d->ctx, d);
}

static void
unlink_db(const embedded_db *d)
{
	embedded_db **link;

	for (link = &registry.first; *link != d; link = &(*link)->next)
		continue;
	*link = d->next;
}

/* Nobody is inside, and nothing is moving.  It stays in the list until it is closed, so that nobody opens it again. */
static void
close_db(embedded_db *d)
{
	d->stale = true;
	registry.moving = true;
	pthread_mutex_unlock(&registry.lock);
	close_library(d);
	pthread_mutex_lock(&registry.lock);
	unlink_db(d);
	db_free(d);
	registry.moving = false;
	pthread_cond_broadcast(&registry.changed);
}

static bool
is_idle(const embedded_db *d)
{
	return d->inside == 0 && d->pid == getpid() && !registry.moving;
}

/* The database that is idle longest. */
static embedded_db *
find_idle(void)
{
	embedded_db *d, *found = NULL;

	for (d = registry.first; d; d = d->next)
		if (is_idle(d) && (!found || d->idle < found->idle))
			found = d;
	return found;
}

static bool
has_open(void)
{
	const embedded_db *d;

	for (d = registry.first; d && d->pid != getpid(); d = d->next)
		continue;
	return d != NULL;
}

/* Ends when there has been nothing to do for a while. */
static void *
close_idle(void *arg)
{
	zinc_context *ctx = context();
	double until = zinc_now(ctx) + FORK_SECONDS;

	(void)arg;
	pthread_mutex_lock(&registry.lock);
	while (has_open() || zinc_now(ctx) < until) {
		embedded_db *d = find_idle();
		const double now = zinc_now(ctx), due = d ? d->idle + IDLE_SECONDS : now + IDLE_SECONDS;
		const zinc_wait wait = {sizeof wait, due, NULL};

		if (d)
			until = now + FORK_SECONDS;
		if (d && now >= due)
			close_db(d);
		else
			(void)zinc_wait_cond(&wait, &registry.changed, &registry.lock, NULL, NULL);
	}
	registry.closer = false;
	pthread_mutex_unlock(&registry.lock);
	return NULL;
}

/* Without a thread the database stays open until its next use, or until the store is closed. */
static void
start_closer(void)
{
	pthread_t thread;

	if (registry.closer)
		return;
	registry.closer = zinc_thread_start(&thread, close_idle, NULL);
	if (registry.closer)
		pthread_detach(thread);
}

/* ---- fork ---- */

static bool
is_quiet(void)
{
	const embedded_db *d;

	for (d = registry.first; d && d->inside == 0; d = d->next)
		continue;
	return !d && !registry.moving;
}

/* The lock is held; the condition gives it to the threads that leave. */
static void
before_fork(void *object)
{
	const zinc_wait wait = {sizeof wait, zinc_now(context()) + FORK_SECONDS, NULL};
	embedded_db *d;

	(void)object;
	registry.forking = true;
	while (!is_quiet() && zinc_wait_cond(&wait, &registry.changed, &registry.lock, NULL, NULL) == ZINC_OK)
		continue;
	while ((d = find_idle())) {
		unlink_db(d);
		db_free(d);
	}
	registry.forking = false;
	pthread_cond_broadcast(&registry.changed);
}

/* What is still open is the parent's; the child must not share its lock, which would outlive the parent's use. */
static void
child_after_fork(void *object)
{
	const embedded_db *d;

	(void)object;
	for (d = registry.first; d; d = d->next)
		if (d->lock != -1)
			d->ctx->os->close(d->ctx->os, d->lock);
	registry.moving = registry.closer = false;
	zinc_wait_cond_init(&registry.changed);
}

static void
start_registry(void)
{
	zinc_wait_cond_init(&registry.changed);
	registry.fork =
	    (zinc_fork_hook){.lock = &registry.lock, .child = child_after_fork, .before = before_fork, .object = NULL};
	zinc_fork_add(&registry.fork);
}

static void
lock_registry(void)
{
	pthread_once(&registry.once, start_registry);
	pthread_mutex_lock(&registry.lock);
}

static void
unlock_registry(void)
{
	pthread_mutex_unlock(&registry.lock);
}

/* ---- opening ---- */

zinc_status
zinc_embedded_fail_open(const embedded_store *s, zinc_error *err)
{
	if (errno == EACCES || errno == EROFS || errno == EPERM)
		return zinc_fail(err, ZINC_E_READONLY, "the database cannot be written");
	return zinc_fail_errno(err, errno, "cannot open %s", s->path);
}

/* Lock the file for a library that does not; a file that may only be read is shared with other readers. */
static zinc_status
lock_file(const embedded_store *s, embedded_db *d, embedded_mode mode, bool *busy, zinc_error *err)
{
	const zinc_os *os = s->ctx->os;
	const bool reads = mode == EMBEDDED_READ;

	if (!s->engine->unlocked)
		return ZINC_OK;
	d->lock = zinc_embedded_file(s->ctx, s->path, reads ? O_RDONLY : O_RDWR);
	if (d->lock == -1)
		return reads ? zinc_fail_errno(err, errno, "cannot open %s", s->path) : zinc_embedded_fail_open(s, err);
	if (os->lock(os, d->lock) == 0)
		return ZINC_OK;
	*busy = errno == EAGAIN || errno == EACCES || errno == EINTR;
	return zinc_fail_errno(err, errno, "cannot lock %s", s->path);
}

static bool
is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is the file that was there `before` it was opened (NULL: none), and the one that is locked, still the one at the path?
 * *busy: no, try again. */
static zinc_status
identify(const embedded_store *s, embedded_db *d, const struct stat *before, bool *busy, zinc_error *err)
{
	const zinc_os *os = s->ctx->os;
	struct stat st, locked;
	bool there;

	ZINC_TRY(zinc_file_look(s->ctx, s->path, strlen(s->path), s->engine->identity, &there, &st, err));
	if (!there)
		return zinc_fail(err, ZINC_E_IO, "the database was removed while it was being opened");
	d->dev = st.st_dev;
	d->ino = st.st_ino;
	*busy = before && !is_same(before, &st);
	if (d->lock != -1 && os->fstat(os, d->lock, &locked) != 0)
		return zinc_fail_errno(err, errno, "cannot look at %s", s->path);
	*busy = *busy || (d->lock != -1 && !is_same(&locked, &st));
	return *busy ? zinc_fail(err, ZINC_E_IO, "the database was replaced while it was being opened") : ZINC_OK;
}

/* A change that did not end must be undone, which needs permission to write. */
static zinc_status
check_undo(const embedded_store *s, zinc_error *err)
{
	struct stat st;
	bool there;

	if (!s->engine->undo)
		return ZINC_OK;
	ZINC_TRY(zinc_file_look(s->ctx, s->path, strlen(s->path), s->engine->undo, &there, &st, err));
	if (!there || st.st_size == 0)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_IO,
			 "a change that did not end is to be undone from %s%s: let a user who may write open the "
			 "database once",
			 s->path, s->engine->undo);
}

/* Some libraries believe what a file says about itself, and crash if it is damaged.  No handle of the file is open here,
 * so that closing it takes nobody's lock.  A file that cannot be read is the library's to complain about. */
static zinc_status
check_head(const embedded_store *s, zinc_error *err)
{
	const zinc_os *os = s->ctx->os;
	uint8_t head[EMBEDDED_HEAD];
	struct stat st;
	bool whole;
	int fd;

	if (!s->engine->survives)
		return ZINC_OK;
	fd = zinc_embedded_file(s->ctx, s->path, O_RDONLY);
	if (fd == -1)
		return ZINC_OK;
	whole = os->fstat(os, fd, &st) == 0 && os->pread(os, fd, head, sizeof head, 0) == (ssize_t)sizeof head;
	os->close(os, fd);
	if (!whole || s->engine->survives(head, (uint64_t)st.st_size))
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_CORRUPT, "the head of %s is damaged, or it is no database of %s", s->path,
			 s->engine->library);
}

static zinc_status
db_fill(const embedded_store *s, embedded_db *d, embedded_mode mode, bool *busy, zinc_error *err)
{
	struct stat before;
	bool there;

	d->path = zinc_strdup(d->ctx, s->path);
	if (!d->path)
		return zinc_fail_nomem(err);
	ZINC_TRY(lock_file(s, d, mode, busy, err));
	ZINC_TRY(check_head(s, err));
	if (mode == EMBEDDED_READ)
		ZINC_TRY(check_undo(s, err));
	ZINC_TRY(zinc_file_look(s->ctx, s->path, strlen(s->path), s->engine->identity, &there, &before, err));
	ZINC_TRY(s->engine->open(s->path, mode, &d->db, busy, err));
	ZINC_TRY(identify(s, d, there ? &before : NULL, busy, err));
	return mode == EMBEDDED_CREATE ? zinc_embedded_sync_directory(s->ctx, s->path, err) : ZINC_OK;
}

static zinc_status
db_new(const embedded_store *s, embedded_mode mode, embedded_db **out, bool *busy, zinc_error *err)
{
	zinc_context *ctx = context();
	embedded_db *d = (embedded_db *)zinc_calloc(ctx, 1, sizeof *d);
	zinc_status st;

	*busy = false;
	if (!d)
		return zinc_fail_nomem(err);
	d->engine = s->engine;
	d->ctx = ctx;
	d->lock = -1;
	d->readonly = mode == EMBEDDED_READ;
	d->pid = getpid();
	d->since = d->idle = zinc_now(ctx);
	st = db_fill(s, d, mode, busy, err);
	if (st == ZINC_OK)
		*out = d;
	else
		db_free(d);
	return st;
}

/* Only one thread at a time opens a database. */
static zinc_status
check_fork(const embedded_engine *e, zinc_error *err)
{
	if (!e->forkless)
		return ZINC_OK;
	if (registry.forkless != 0 && registry.forkless != getpid())
		return zinc_fail(
		    err, ZINC_E_UNSUPPORTED,
		    "%s cannot be used after a fork of a process that has used it, because its threads are not there: "
		    "start another program, or use it only after the fork",
		    e->library);
	registry.forkless = getpid();
	return ZINC_OK;
}

/* Kyoto and Tokyo Cabinet do not tell a file system that cannot be written from other failures.  The database is not
 * open, so that closing its file here loses no lock. */
static bool
is_on_readonly(const embedded_store *s)
{
	const int fd = zinc_embedded_file(s->ctx, s->path, O_RDWR);
	const bool yes = fd == -1 && errno == EROFS;

	if (fd != -1)
		s->ctx->os->close(s->ctx->os, fd);
	return yes;
}

static zinc_status
db_open(const embedded_store *s, bool there, embedded_db **out, bool *busy, zinc_error *err)
{
	zinc_error first = ZINC_ERROR_INIT;
	zinc_status st;

	*busy = false;
	ZINC_TRY(check_fork(s->engine, err));
	if (!there && !s->engine->marker[0])
		ZINC_TRY(zinc_embedded_create(s, busy, err));
	st = db_new(s, there || !s->engine->marker[0] ? EMBEDDED_WRITE : EMBEDDED_CREATE, out, busy, &first);
	if (there && (st == ZINC_E_READONLY || (st == ZINC_E_IO && !*busy && is_on_readonly(s))))
		return db_new(s, EMBEDDED_READ, out, busy, err);
	if (st != ZINC_OK)
		zinc_error_copy(err, &first);
	return st;
}

/* ---- entering ---- */

static embedded_db *
find_db(const embedded_engine *e, const struct stat *st)
{
	embedded_db *d;

	for (d = registry.first; d; d = d->next)
		if (d->engine == e && d->dev == st->st_dev && d->ino == st->st_ino)
			return d;
	return NULL;
}

/* Another database with this name: one that was removed, or replaced. */
static embedded_db *
find_removed(const embedded_store *s)
{
	embedded_db *d;

	for (d = registry.first; d; d = d->next)
		if (d->engine == s->engine && d->pid == getpid() && strcmp(d->path, s->path) == 0)
			return d;
	return NULL;
}

static zinc_status
wait_changed(const zinc_wait *wait, zinc_error *err)
{
	return zinc_wait_cond(wait, &registry.changed, &registry.lock, "other threads that use the database", err);
}

/* After long work the database is free for others for a moment. */
static void
retire(embedded_db *d)
{
	const double now = zinc_now(d->ctx);

	if (!d->stale && now - d->since > HOLD_SECONDS) {
		d->stale = true;
		registry.rest = (resting){d->dev, d->ino, now + REST_SECONDS};
	}
}

static bool
is_resting(const struct stat *st)
{
	return registry.rest.ino == st->st_ino && registry.rest.dev == st->st_dev &&
	       zinc_now(context()) < registry.rest.until;
}

/* Open the database with the registry unlocked. */
static zinc_status
open_now(const embedded_store *s, bool there, embedded_db **out, bool *busy, zinc_error *err)
{
	zinc_status st;

	registry.moving = true;
	unlock_registry();
	st = db_open(s, there, out, busy, err);
	lock_registry();
	registry.moving = false;
	if (st == ZINC_OK) {
		(*out)->version = ++registry.version; /* others may have changed it meanwhile */
		(*out)->next = registry.first;
		registry.first = *out;
	}
	pthread_cond_broadcast(&registry.changed);
	return st;
}

typedef enum step { STEP_DONE, STEP_AGAIN, STEP_BUSY } step;

/* Close it, or wait until those who use it have left: not without end for one that updates a database which was
 * removed meanwhile, as its function may be what asks. */
static zinc_status
give_up(embedded_db *d, step *next, const zinc_wait *wait, zinc_error *err)
{
	if (is_idle(d)) {
		close_db(d);
		return ZINC_OK;
	}
	d->stale = true;
	if (!d->writing)
		return wait_changed(wait, err);
	*next = STEP_BUSY;
	return ZINC_OK;
}

/* No handle of the file is open. */
static zinc_status
open_unless(const embedded_store *s, zinc_use use, const struct stat *there, embedded_db **out, step *next,
	    zinc_error *err)
{
	bool busy = there && is_resting(there);
	zinc_status st = zinc_embedded_check_kind(s, err);

	if (st == ZINC_OK && !busy && (there || use == ZINC_USE_MAKE))
		st = open_now(s, there != NULL, out, &busy, err);
	*next = busy ? STEP_BUSY : STEP_DONE;
	return busy ? ZINC_OK : st;
}

/* One that is to be closed is still read while a call changes it: its function may be what reads. */
static bool
may_enter(const embedded_db *d, zinc_use use)
{
	return !d->stale || (use == ZINC_USE_LOOK && d->writing && !d->failed);
}

/* One look, with the registry locked.  STEP_AGAIN: something has changed; STEP_BUSY: another process has it. */
static zinc_status
find_or_open(const embedded_store *s, zinc_use use, embedded_db **out, step *next, const zinc_wait *wait,
	     zinc_error *err)
{
	embedded_db *d;
	struct stat st;
	bool there;

	*next = STEP_AGAIN;
	ZINC_TRY(zinc_embedded_look(s, &there, &st, err));
	d = there ? find_db(s->engine, &st) : NULL;
	if (d && d->pid != getpid())
		return zinc_fail(err, ZINC_E_IO, "the process was forked while another thread used the database");
	if (d)
		retire(d);
	if (d && may_enter(d, use)) {
		*next = STEP_DONE;
		*out = d;
		return ZINC_OK;
	}
	if (!d)
		d = find_removed(s);
	return d ? give_up(d, next, wait, err) : open_unless(s, use, there ? &st : NULL, out, next, err);
}

/* Be one of those who use it, when it is one's turn.  STEP_AGAIN: the change that was waited for has failed. */
static zinc_status
step_inside(embedded_db *d, bool write, step *next, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	d->inside++;
	while (st == ZINC_OK && (write ? d->writing : d->applying))
		st = wait_changed(wait, err);
	*next = d->failed ? STEP_AGAIN : STEP_DONE;
	if (st != ZINC_OK || d->failed) {
		d->inside--;
		pthread_cond_broadcast(&registry.changed);
	} else if (write) {
		d->writing = true;
	} else {
		d->readers++;
	}
	return st;
}

static zinc_status
try_enter(embedded_store *s, zinc_use use, embedded_db **out, bool *busy, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	step next = STEP_AGAIN;

	lock_registry();
	while (st == ZINC_OK && next == STEP_AGAIN) {
		*out = NULL;
		if (registry.moving || registry.forking)
			st = wait_changed(wait, err);
		else
			st = find_or_open(s, use, out, &next, wait, err);
		if (st == ZINC_OK && next == STEP_DONE && *out)
			st = step_inside(*out, use != ZINC_USE_LOOK, &next, wait, err);
	}
	unlock_registry();
	*busy = next == STEP_BUSY;
	return st;
}

/* Without a deadline a call waits for the setting "patience". */
static zinc_status
wait_for_others(const embedded_store *s, double began, double *pause, const zinc_wait *wait, zinc_error *err)
{
	if (!(wait && wait->until > 0) && zinc_now(s->ctx) - began > s->patience)
		return zinc_fail(err, ZINC_E_IO,
				 "another process has the database open, and %s allows one at a time: waited %g s "
				 "(setting patience)",
				 s->engine->library, s->patience);
	ZINC_TRY(zinc_wait_pause(wait, *pause, "another process that has the database open", err));
	*pause = 2 * *pause < PAUSE_LAST ? 2 * *pause : PAUSE_LAST;
	return ZINC_OK;
}

zinc_status
zinc_embedded_enter(embedded_store *s, zinc_use use, embedded_db **out, const zinc_wait *wait, zinc_error *err)
{
	const double began = zinc_now(s->ctx);
	double pause = PAUSE_FIRST;
	bool busy = false;

	do {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st = zinc_wait_check(wait, &e);

		if (st == ZINC_OK)
			st = try_enter(s, use, out, &busy, wait, &e);
		if (st == ZINC_OK && busy)
			st = wait_for_others(s, began, &pause, wait, &e);
		if (st != ZINC_OK) {
			*out = NULL;
			zinc_error_copy(err, &e);
			return st;
		}
	} while (busy);
	if (use != ZINC_USE_LOOK && *out && (*out)->readonly) {
		zinc_embedded_leave(*out, true);
		*out = NULL;
		return zinc_fail(err, ZINC_E_READONLY, "the database cannot be written");
	}
	return ZINC_OK;
}

void
zinc_embedded_leave(embedded_db *d, bool write)
{
	if (!d)
		return;
	lock_registry();
	if (write)
		d->writing = false;
	else
		d->readers--;
	d->inside--;
	d->idle = zinc_now(d->ctx);
	if (d->stale && is_idle(d) && !registry.forking)
		close_db(d);
	else
		start_closer();
	pthread_cond_broadcast(&registry.changed);
	unlock_registry();
}

zinc_status
zinc_embedded_apply_begin(embedded_db *d, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	lock_registry();
	d->applying = true;
	while (st == ZINC_OK && d->readers > 0)
		st = wait_changed(wait, err);
	if (st != ZINC_OK) {
		d->applying = false;
		pthread_cond_broadcast(&registry.changed);
	}
	unlock_registry();
	return st;
}

void
zinc_embedded_apply_end(embedded_db *d, zinc_status st)
{
	lock_registry();
	d->applying = false;
	d->version = ++registry.version;
	if (st != ZINC_OK)
		d->stale = d->failed = true;
	pthread_cond_broadcast(&registry.changed);
	unlock_registry();
}

void
zinc_embedded_expire(embedded_db *d)
{
	lock_registry();
	d->stale = true;
	unlock_registry();
}

/* A program that ends now would cut off the thread that closes the database. */
void
zinc_embedded_forget(const embedded_store *s)
{
	const zinc_wait wait = {sizeof wait, zinc_now(s->ctx) + EXIT_SECONDS, NULL};
	embedded_db *d;
	struct stat st;
	bool there;

	lock_registry();
	while (registry.moving && zinc_wait_cond(&wait, &registry.changed, &registry.lock, NULL, NULL) == ZINC_OK)
		continue;
	d = zinc_embedded_look(s, &there, &st, NULL) == ZINC_OK && there ? find_db(s->engine, &st) : NULL;
	if (!d)
		d = find_removed(s);
	if (d && is_idle(d) && !registry.forking)
		close_db(d);
	unlock_registry();
}

/* ---- relaxed changes ---- */

void
zinc_embedded_note_relaxed(embedded_store *s, const embedded_db *d)
{
	lock_registry();
	if (!s->pending.any)
		s->pending = (embedded_pending){true, failures_of(d), atomic_load(failures_of(d))};
	unlock_registry();
}

embedded_pending
zinc_embedded_take_pending(embedded_store *s)
{
	embedded_pending p;

	lock_registry();
	p = s->pending;
	s->pending.any = false;
	unlock_registry();
	return p;
}

void
zinc_embedded_put_back(embedded_store *s, const embedded_pending *p)
{
	lock_registry();
	s->pending = *p;
	unlock_registry();
}

/* ---- versions and tags ---- */

uint64_t
zinc_embedded_version(const embedded_db *d)
{
	uint64_t version;

	lock_registry();
	version = d->version;
	unlock_registry();
	return version;
}

void
zinc_embedded_tag(embedded_db *d, const char *key, const embedded_value *v, zinc_tag *out)
{
	uint64_t version;
	zinc_hash h;
	bool known;

	lock_registry();
	version = d->version;
	known = zinc_known_find(&d->known, version, key, out);
	unlock_registry();
	if (known)
		return;
	zinc_hash_begin(&h);
	zinc_hash_add(&h, v->bytes, v->n);
	zinc_hash_end(&h, out);
	lock_registry();
	zinc_known_keep(&d->known, d->ctx, version, key, out);
	unlock_registry();
}
