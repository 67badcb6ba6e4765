/*
 * store_sqlite_db.c - connections to a database: opening, checking, sharing, errors
 *
 * A connection belongs to one thread at a time; those that no thread uses wait in a pool.  Each call looks whether the
 * file at the path is still the one that the connection has open.
 *
 * Why a fork closes connections: SQLite remembers per file, for the whole process, which locks it holds.  A child
 * inherits that memory but not the locks, so it would change the database without them.  Therefore a fork first closes
 * the connections of the pool, and waits a moment for those in use.  If one stays in use, the store refuses to work in
 * the child.
 */
#include <stdio.h>
#include <time.h>

#include "store/store_sqlite.h"

#if ZINC_WITH_SQLITE

#define MAX_IDLE       32
#define FORK_WAIT      1.0 /* seconds */
#define PROGRESS_STEPS 20000

/* Of new databases: values of 16 KiB and more are read in few pieces, and fill their pages.  The map of pages that
 * comes with auto_vacuum leads to the middle of a long value without reading what is before it. */
#define NEW_DATABASE "PRAGMA page_size=16384; PRAGMA auto_vacuum=INCREMENTAL"

/* KiB of pages that a connection keeps.  Few: a page that is read and copied stays in the cache of the processor. */
#define CACHE_KIB "256"

#define TEXT_OF_WORD(x) #x
#define TEXT_OF(x)      TEXT_OF_WORD(x) /* of what the macro x stands for */

#define TABLE "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)"

static const char *const texts[SQL_TEXTS] = {
    [SQL_FIND] =
	"SELECT rowid, k, typeof(v), length(v), CASE WHEN length(v) <= " TEXT_OF(SQL_SMALL) " THEN v END FROM zarr "
											    "WHERE k = ?1",
    [SQL_BEGIN] = "BEGIN IMMEDIATE",
    [SQL_COMMIT] = "COMMIT",
    [SQL_ROLLBACK] = "ROLLBACK",
    [SQL_PUT] = "INSERT INTO zarr(k, v) VALUES(?1, ?2) ON CONFLICT(k) DO UPDATE SET v = excluded.v",
    [SQL_DEL] = "DELETE FROM zarr WHERE k = ?1",
    [SQL_DEL_RANGE] = "DELETE FROM zarr WHERE k >= ?1 AND k < ?2",
    [SQL_LIST] =
	("SELECT k, CASE typeof(v) WHEN 'blob' THEN length(v) WHEN 'text' THEN length(CAST(v AS BLOB)) ELSE -1 END "
	 "FROM zarr WHERE k >= ?1 AND k < ?2 ORDER BY k"),
    [SQL_LIST_KEYS] = "SELECT k FROM zarr WHERE k >= ?1 AND k < ?2 ORDER BY k",
    [SQL_LIST_OTHER] = "SELECT quote(substr(k, 1, 60)) FROM zarr WHERE k >= x'' OR k IS NULL",
};

/* ---- errors ---- */

static zinc_status
status_of(int rc)
{
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return ZINC_E_NOMEM;
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return ZINC_E_READONLY;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_MISMATCH:
		return ZINC_E_CORRUPT;
	case SQLITE_TOOBIG:
		return ZINC_E_LIMIT;
	default:
		return ZINC_E_IO;
	}
}

zinc_status
zinc_sql_fail(const sql_conn *c, int rc, const char *doing, zinc_error *err)
{
	const int what = rc & 0xff;

	if (what == SQLITE_BUSY || what == SQLITE_INTERRUPT || what == SQLITE_LOCKED) {
		ZINC_TRY(zinc_wait_for(c->wait, "another program that uses the database", err));
		return zinc_fail(err, ZINC_E_IO, "%s: another program keeps the database locked (SQLite %d)", doing,
				 rc);
	}
	return zinc_fail(err, status_of(rc), "%s: %s (SQLite %d)", doing,
			 c->db ? sqlite3_errmsg(c->db) : sqlite3_errstr(rc), rc);
}

/* ---- waiting for other processes ---- */

static bool
may_wait(const sql_conn *c)
{
	if (zinc_wait_check(c->wait, NULL) != ZINC_OK)
		return false;
	return (c->wait && c->wait->until > 0) || zinc_now(c->ctx) - c->since < c->patience;
}

/* Called by SQLite while another connection has the lock. */
static int
on_busy(void *arg, int tries)
{
	const sql_conn *c = (const sql_conn *)arg;
	struct timespec pause = {0, tries < 8 ? 500000L : tries < 40 ? 2000000L : 10000000L};
	const double left = zinc_wait_left(c->wait);

	if (!may_wait(c))
		return 0;
	if (left < 0.01)
		pause.tv_nsec = (long)(left * 1e9) + 1;
	nanosleep(&pause, NULL);
	return 1;
}

/* Called by SQLite during long statements. */
static int
on_progress(void *arg)
{
	return zinc_wait_check(((const sql_conn *)arg)->wait, NULL) != ZINC_OK;
}

/* ---- statements ---- */

zinc_status
zinc_sql_stmt(sql_conn *c, sql_text text, sqlite3_stmt **out, zinc_error *err)
{
	int rc = SQLITE_OK;

	if (!c->stmt[text])
		rc = sqlite3_prepare_v3(c->db, texts[text], -1, SQLITE_PREPARE_PERSISTENT, &c->stmt[text], NULL);
	*out = c->stmt[text];
	return rc == SQLITE_OK ? ZINC_OK : zinc_sql_fail(c, rc, "cannot use the table zarr", err);
}

zinc_status
zinc_sql_run(sql_conn *c, sql_text text, const char *doing, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	sqlite3_stmt *q;
	int rc;

	ZINC_TRY(zinc_sql_stmt(c, text, &q, err));
	rc = sqlite3_step(q);
	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		st = zinc_sql_fail(c, rc, doing, err);
	sqlite3_reset(q);
	return st;
}

zinc_status
zinc_sql_exec(sql_conn *c, const char *sql, const char *doing, zinc_error *err)
{
	const int rc = sqlite3_exec(c->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? ZINC_OK : zinc_sql_fail(c, rc, doing, err);
}

/* Text is less than any blob: an empty blob ends the range of all keys. */
zinc_status
zinc_sql_bind_range(sql_conn *c, sqlite3_stmt *q, const char *prefix, zinc_bytes from, zinc_buf *end, zinc_error *err)
{
	int rc = sqlite3_bind_text(q, 1, (const char *)from.p, (int)from.n, SQLITE_STATIC);

	if (rc == SQLITE_OK && prefix[0]) {
		zinc_buf_end(end, 0);
		ZINC_TRY(zinc_buf_puts(end, prefix, err));
		end->p[end->n - 1]++; /* '/' becomes '0' */
		rc = sqlite3_bind_text(q, 2, (const char *)end->p, (int)end->n, SQLITE_STATIC);
	} else if (rc == SQLITE_OK) {
		rc = sqlite3_bind_zeroblob(q, 2, 0);
	}
	return rc == SQLITE_OK ? ZINC_OK : zinc_sql_fail(c, rc, "cannot bind a prefix", err);
}

/* ---- opening ---- */

/* The file at the path plus `suffix`. */
static zinc_status
look(const sql_store *s, const char *suffix, bool *there, struct stat *out, zinc_error *err)
{
	return zinc_file_look(s->batched.ctx, s->path, strlen(s->path), suffix, there, out, err);
}

/* The database, while it is opened. */
static zinc_status
look_again(const sql_store *s, struct stat *out, zinc_error *err)
{
	bool there;

	ZINC_TRY(look(s, "", &there, out, err));
	return there ? ZINC_OK : zinc_fail(err, ZINC_E_IO, "the database was removed while it was opened");
}

static void
conn_free(sql_conn *c)
{
	int i;

	for (i = 0; i < SQL_TEXTS; i++)
		sqlite3_finalize(c->stmt[i]);
	sqlite3_close(c->db);
	zinc_known_fini(&c->known, c->ctx);
	zinc_free(c->ctx, c);
}

/* The URI of a database that nobody changes. */
static zinc_status
immutable_uri(const sql_store *s, zinc_buf *out, zinc_error *err)
{
	const char *p;

	ZINC_TRY(zinc_buf_puts(out, "file:", err));
	for (p = s->path; *p; p++) {
		if (*p == '%' || *p == '?' || *p == '#')
			ZINC_TRY(zinc_buf_printf(out, err, "%%%02X", (unsigned)(unsigned char)*p));
		else
			ZINC_TRY(zinc_buf_add(out, p, 1, err));
	}
	ZINC_TRY(zinc_buf_puts(out, "?immutable=1", err));
	return zinc_buf_text(out) ? ZINC_OK : zinc_fail_nomem(err);
}

/* Nothing that the file says may run: no triggers, views, functions of the schema, other files. */
static int
harden(sql_conn *c)
{
	static const int off[] = {
	    SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
	    SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_DQS_DML,     SQLITE_DBCONFIG_DQS_DDL};
	static const int on[] = {SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE};
	int rc = SQLITE_OK;
	size_t i;

	for (i = 0; rc == SQLITE_OK && i < sizeof off / sizeof off[0]; i++)
		rc = sqlite3_db_config(c->db, off[i], 0, NULL);
	for (i = 0; rc == SQLITE_OK && i < sizeof on / sizeof on[0]; i++)
		rc = sqlite3_db_config(c->db, on[i], 1, NULL);
	sqlite3_limit(c->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(c->db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
	sqlite3_limit(c->db, SQLITE_LIMIT_SQL_LENGTH, 100000);
	sqlite3_extended_result_codes(c->db, 1);
	sqlite3_busy_handler(c->db, on_busy, c);
	sqlite3_progress_handler(c->db, PROGRESS_STEPS, on_progress, c);
	return rc;
}

static zinc_status
connect_to(sql_conn *c, const char *name, int flags, zinc_error *err)
{
	int rc = sqlite3_open_v2(name, &c->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);

	if (rc == SQLITE_OK)
		rc = harden(c);
	if (rc != SQLITE_OK)
		return zinc_sql_fail(c, rc, "cannot open the database", err);
	return zinc_sql_exec(c, "PRAGMA cell_size_check=ON", "cannot open the database", err);
}

/* Is it the text of the table that zarr-python makes?  Case and white space do not matter. */
static bool
is_our_table(const char *sql)
{
	const char *want = TABLE;

	for (;; sql++, want++) {
		while (*sql == ' ' || *sql == '\n' || *sql == '\t' || *sql == '\r')
			sql++;
		while (*want == ' ')
			want++;
		if ((*sql | 0x20) != (*want | 0x20))
			return false;
		if (!*sql)
			return true;
	}
}

typedef struct schema {
	int objects, tables, triggers;
	bool ours;
} schema;

/* One row: type, name, table, sql. */
static int
see_object(void *arg, int n, char **row, char **names)
{
	schema *x = (schema *)arg;

	(void)n, (void)names;
	x->objects++;
	if (!row[0] || !row[1] || !row[2])
		return 0;
	if (sqlite3_stricmp(row[0], "trigger") == 0 && sqlite3_stricmp(row[2], "zarr") == 0)
		x->triggers++;
	if (sqlite3_stricmp(row[1], "zarr") == 0) {
		x->tables++;
		x->ours = sqlite3_stricmp(row[0], "table") == 0 && row[3] && is_our_table(row[3]);
	}
	return 0;
}

/* The first look into the file: every kind of damage and of missing permission is found here. */
static int
look_inside(sql_conn *c, schema *x)
{
	memset(x, 0, sizeof *x);
	return sqlite3_exec(c->db, "SELECT type, name, tbl_name, sql FROM sqlite_master", see_object, x, NULL);
}

/* The first row of a pragma is this text. */
static int
see_text(void *arg, int n, char **row, char **names)
{
	(void)n, (void)names;
	snprintf((char *)arg, 16, "%s", row[0] ? row[0] : "");
	return 0;
}

static zinc_status
check_inside(sql_conn *c, const schema *x, zinc_error *err)
{
	char encoding[16] = "", journal[16] = "";

	if (x->objects > 0 && x->tables == 0)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the database has other tables but no table zarr");
	if (x->tables > 0 && !x->ours)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the table zarr was not made by \"%s\"", TABLE);
	if (sqlite3_exec(c->db, "PRAGMA encoding", see_text, encoding, NULL) != SQLITE_OK ||
	    strcmp(encoding, "UTF-8") != 0)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the text of the database is %s, not UTF-8", encoding);
	if (sqlite3_exec(c->db, "PRAGMA journal_mode", see_text, journal, NULL) == SQLITE_OK)
		c->wal = strcmp(journal, "wal") == 0;
	c->has_table = x->tables > 0;
	c->strange = x->triggers > 0;
	c->readonly = sqlite3_db_readonly(c->db, "main") != 0;
	return ZINC_OK;
}

/* A database in a directory that cannot be written: SQLite cannot make the files that it shares with others.  If no
 * change waits in a "-wal" file, the database itself has everything. */
static zinc_status
open_immutable(const sql_store *s, sql_conn *c, zinc_error *err)
{
	struct stat wal, file;
	zinc_status st;
	zinc_buf uri;
	bool waits;

	ZINC_TRY(look(s, "-wal", &waits, &wal, err));
	if (waits && wal.st_size > 0)
		return zinc_fail(err, ZINC_E_IO,
				 "changes wait in the file %s-wal, which cannot be used without permission to write",
				 s->path);
	sqlite3_close(c->db);
	c->db = NULL;
	ZINC_TRY(look_again(s, &file, err));
	c->immutable = true;
	c->dev = file.st_dev;
	c->ino = file.st_ino;
	c->size = file.st_size;
	c->modified = file.st_mtim;
	zinc_buf_init(&uri, c->ctx, ZINC_MAX_KEY);
	st = immutable_uri(s, &uri, err);
	if (st == ZINC_OK)
		st = connect_to(c, (const char *)uri.p, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
	zinc_buf_fini(&uri);
	return st;
}

static bool
lacks_permission(int rc)
{
	return (rc & 0xff) == SQLITE_CANTOPEN || (rc & 0xff) == SQLITE_READONLY;
}

/* Has the connection the file that is at the path? */
static bool
is_of(const sql_conn *c, const struct stat *now)
{
	int moved = 0;

	if (c->immutable)
		return c->dev == now->st_dev && c->ino == now->st_ino;
	return sqlite3_file_control(c->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && !moved;
}

static zinc_status
open_conn(const sql_store *s, sql_conn *c, bool create, zinc_error *err)
{
	struct stat now;
	schema x;
	int rc;

	ZINC_TRY(connect_to(c, s->path, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), err));
	rc = look_inside(c, &x);
	if (lacks_permission(rc) && !create) {
		ZINC_TRY(open_immutable(s, c, err));
		rc = look_inside(c, &x);
	}
	if (rc != SQLITE_OK)
		return zinc_sql_fail(c, rc, "cannot read the database", err);
	ZINC_TRY(zinc_sql_exec(c,
			       "PRAGMA secure_delete=OFF; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-" CACHE_KIB ";"
			       "PRAGMA journal_size_limit=67108864",
			       "cannot open the database", err));
	ZINC_TRY(check_inside(c, &x, err));
	ZINC_TRY(look_again(s, &now, err));
	if (!is_of(c, &now))
		return zinc_fail(err, ZINC_E_IO, "the database was replaced while it was opened");
	c->dev = now.st_dev;
	c->ino = now.st_ino;
	return ZINC_OK;
}

static zinc_status
conn_new(const sql_store *s, bool create, const zinc_wait *wait, sql_conn **out, zinc_error *err)
{
	sql_conn *c = (sql_conn *)zinc_calloc(s->batched.ctx, 1, sizeof *c);
	zinc_status st;

	if (!c)
		return zinc_fail_nomem(err);
	c->ctx = s->batched.ctx;
	c->wait = wait;
	c->patience = s->patience;
	c->since = zinc_now(s->batched.ctx);
	c->synchronous = -1;
	st = open_conn(s, c, create, err);
	if (st == ZINC_OK)
		*out = c;
	else
		conn_free(c);
	return st;
}

/* ---- the table ---- */

/* Other processes may do the same at this moment.  In WAL mode readers and the writer do not wait for each other; where
 * it is not possible (a network file system) the mode stays as it is. */
static zinc_status
make_table(sql_conn *c, zinc_error *err)
{
	char journal[16] = "";
	zinc_status st;
	int rc;

	if (!c->wal) {
		if (!c->has_table)
			ZINC_TRY(zinc_sql_exec(c, NEW_DATABASE, "cannot create the database", err));
		do
			rc = sqlite3_exec(c->db, "PRAGMA journal_mode=WAL", see_text, journal, NULL);
		while (rc == SQLITE_BUSY && on_busy(c, 0));
		c->wal = rc == SQLITE_OK && strcmp(journal, "wal") == 0;
	}
	if (c->has_table)
		return ZINC_OK;
	ZINC_TRY(zinc_sql_run(c, SQL_BEGIN, "cannot create the table", err));
	st = zinc_sql_exec(c, "CREATE TABLE IF NOT EXISTS zarr(k TEXT PRIMARY KEY, v BLOB)", "cannot create the table",
			   err);
	if (st == ZINC_OK)
		st = zinc_sql_run(c, SQL_COMMIT, "cannot create the table", err);
	if (st != ZINC_OK)
		zinc_sql_run(c, SQL_ROLLBACK, "", NULL);
	c->has_table = st == ZINC_OK;
	return st;
}

/* Without a table there is nothing to change. */
static zinc_status
prepare_to_write(sql_conn *c, zinc_use use, zinc_error *err)
{
	if (c->readonly)
		return zinc_fail(err, ZINC_E_READONLY, "the database cannot be written");
	if (c->strange)
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "the table zarr has triggers, which Zinc does not run: it is only read");
	if ((c->wal && c->has_table) || (use == ZINC_USE_CHANGE && !c->has_table))
		return ZINC_OK;
	return make_table(c, err);
}

/* ---- the pool ---- */

/* Wait while a fork is being prepared. */
static zinc_status
count_in(sql_store *s, sql_conn **out, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	pthread_mutex_lock(&s->lock);
	while (s->forking)
		zinc_wait_cond(NULL, &s->left, &s->lock, NULL, NULL);
	if (s->lost) {
		st = zinc_fail(err, ZINC_E_UNSUPPORTED,
			       "the process was forked while another thread used the database: "
			       "it cannot be used in the child");
	} else {
		s->busy++;
		*out = s->idle;
		if (*out) {
			s->idle = (*out)->next;
			s->nidle--;
		}
	}
	pthread_mutex_unlock(&s->lock);
	return st;
}

static void
count_out(sql_store *s, sql_conn *keep)
{
	pthread_mutex_lock(&s->lock);
	if (keep && s->nidle < MAX_IDLE && !s->forking) {
		keep->next = s->idle;
		s->idle = keep;
		s->nidle++;
		keep = NULL;
	}
	pthread_mutex_unlock(&s->lock);
	if (keep)
		conn_free(keep);
	pthread_mutex_lock(&s->lock);
	s->busy--;
	pthread_cond_broadcast(&s->left);
	pthread_mutex_unlock(&s->lock);
}

/* Is the file at the path the one that the connection has, and as it was if there are no locks? */
static bool
is_same(const sql_store *s, const sql_conn *c, const struct stat *now)
{
	struct stat wal;
	bool waits;

	if (c->dev != now->st_dev || c->ino != now->st_ino)
		return false;
	return !c->immutable || (c->size == now->st_size && c->modified.tv_sec == now->st_mtim.tv_sec &&
				 c->modified.tv_nsec == now->st_mtim.tv_nsec &&
				 look(s, "-wal", &waits, &wal, NULL) == ZINC_OK && !(waits && wal.st_size > 0));
}

zinc_status
zinc_sql_check_same(const sql_store *s, const sql_conn *c, zinc_error *err)
{
	struct stat now;
	bool there;

	if (!c->immutable)
		return ZINC_OK;
	ZINC_TRY(look(s, "", &there, &now, err));
	if (there && is_same(s, c, &now))
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_IO,
			 "the database was changed while it was being read, which only a lock prevents, and that needs "
			 "permission to write");
}

/* The connection of the pool, if it has the file that is at the path now. */
static zinc_status
use_or_open(sql_store *s, sql_conn **c, zinc_use use, const zinc_wait *wait, zinc_error *err)
{
	struct stat now;
	bool there;

	ZINC_TRY(look(s, "", &there, &now, err));
	if (*c && (!there || !is_same(s, *c, &now))) {
		conn_free(*c);
		*c = NULL;
	}
	if (there && !S_ISREG(now.st_mode))
		return zinc_fail(err, ZINC_E_IO, "%s is not a file", s->path);
	if (!*c && !there && use != ZINC_USE_MAKE)
		return ZINC_OK;
	if (!*c)
		ZINC_TRY(conn_new(s, !there, wait, c, err));
	(*c)->wait = wait;
	(*c)->since = zinc_now(s->batched.ctx);
	return use == ZINC_USE_LOOK ? ZINC_OK : prepare_to_write(*c, use, err);
}

/* An empty database may have got its table since. */
static void
drop_empty(sql_conn **c)
{
	if (*c && !(*c)->has_table) {
		conn_free(*c);
		*c = NULL;
	}
}

zinc_status
zinc_sql_enter(sql_store *s, zinc_use use, sql_conn **out, const zinc_wait *wait, zinc_error *err)
{
	sql_conn *c = NULL;
	zinc_status st;

	*out = NULL;
	ZINC_TRY(zinc_wait_check(wait, err));
	ZINC_TRY(count_in(s, &c, err));
	st = use_or_open(s, &c, use, wait, err);
	if (st == ZINC_OK)
		drop_empty(&c);
	if (st != ZINC_OK || !c) {
		if (c)
			conn_free(c);
		count_out(s, NULL);
		return st;
	}
	*out = c;
	return ZINC_OK;
}

void
zinc_sql_leave(sql_store *s, sql_conn *c)
{
	int i;

	if (!c)
		return;
	for (i = 0; i < SQL_TEXTS; i++)
		if (c->stmt[i]) {
			sqlite3_reset(c->stmt[i]);
			sqlite3_clear_bindings(c->stmt[i]);
		}
	c->wait = NULL;
	count_out(s, c);
}

zinc_status
zinc_sql_is_readonly(sql_store *s, bool *yes, zinc_error *err)
{
	sql_conn *c = NULL;

	ZINC_TRY(zinc_sql_enter(s, ZINC_USE_LOOK, &c, NULL, err));
	*yes = c && (c->readonly || c->strange);
	zinc_sql_leave(s, c);
	return ZINC_OK;
}

/* ---- fork ---- */

static void
close_idle(sql_store *s)
{
	sql_conn *c;

	while ((c = s->idle)) {
		s->idle = c->next;
		s->nidle--;
		conn_free(c);
	}
}

/* The lock is held; the condition gives it to the threads that leave. */
static void
before_fork(void *object)
{
	sql_store *s = (sql_store *)object;
	const double until = zinc_now(s->batched.ctx) + FORK_WAIT;
	const zinc_wait wait = {sizeof wait, until, NULL};

	s->forking = true;
	while (s->busy > 0 && zinc_wait_cond(&wait, &s->left, &s->lock, NULL, NULL) == ZINC_OK)
		continue;
	close_idle(s);
	s->forking = false;
	pthread_cond_broadcast(&s->left);
}

static void
child_after_fork(void *object)
{
	sql_store *s = (sql_store *)object;

	s->lost = s->lost || s->busy > 0;
	s->busy = 0;
	zinc_wait_cond_init(&s->left);
}

void
zinc_sql_pool_init(sql_store *s)
{
	pthread_mutex_init(&s->lock, NULL);
	zinc_wait_cond_init(&s->left);
	zinc_turn_init(&s->turn);
	s->fork = (zinc_fork_hook){.lock = &s->lock, .child = child_after_fork, .before = before_fork, .object = s};
	zinc_fork_add(&s->fork);
}

/* The last connection to a database moves the changes from the "-wal" file into it, so that it is one file again. */
void
zinc_sql_pool_fini(sql_store *s)
{
	sql_conn *c = NULL;

	if (s->written && zinc_sql_enter(s, ZINC_USE_LOOK, &c, NULL, NULL) == ZINC_OK)
		zinc_sql_leave(s, c);
	for (c = s->idle; c; c = c->next)
		sqlite3_db_config(c->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	zinc_fork_remove(&s->fork);
	close_idle(s);
	zinc_turn_fini(&s->turn);
	pthread_cond_destroy(&s->left);
	pthread_mutex_destroy(&s->lock);
}

#endif
