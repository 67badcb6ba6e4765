/*
 * store_embedded.c - keys and values in a database of LevelDB, Berkeley DB, Kyoto Cabinet or Tokyo Cabinet
 *
 *     leveldb:///d/x.leveldb/a/b        the key a/b in the database in the directory /d/x.leveldb
 *     berkeleydb:///d/x.bdb/a/b         the key a/b in the file /d/x.bdb; so kyotocabinet and tokyocabinet
 *
 * Keys and values are stored as they are, so that other programs share them.  What the libraries have in common is
 * here, what differs is a table (store_embedded.h) in store_leveldb.c and the others.
 *
 * Promises (tests/unit/test_store_embedded.c names each by its number):
 *
 * (1) All bytes of an answer, its size and its tag belong to one value.
 * (2) A tag is a hash of the value (tag_hash.c).  A condition is checked while all other writers are excluded, of this
 *     process and of others, and sees the changes of the same call that precede it.
 * (3) Readers see all changes of one call or none.  Where caps say so, a durable change that returned ZINC_OK survives
 *     kill -9 and power loss; the pages of the stores say what the others survive.
 * (4) No call waits for another process longer than its deadline, or without one than the setting "patience".
 * (5) Several stores of one process, and its threads, share one handle per file.
 * (6) Processes take turns: a database that no call uses is closed after a moment, and one that is always in use now
 *     and then.
 * (7) After a fork the child opens the database anew, and both work (not LevelDB, which refuses).
 * (8) Without permission to write, a database is read if the library can.
 * (9) A database that is removed or replaced, also while it is being opened, is noticed by the next call.
 * (10) Keys are listed in byte order; a database of another order is refused, not listed wrongly.
 */
#include <stdio.h>

#include "store/store_embedded.h"

#define CHANGES                                                                                                        \
	(ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_DURABLE | ZINC_CAP_CAS | ZINC_CAP_UPDATE | ZINC_CAP_ATOMIC_PUT)
#define ERASE_KEYS 1024 /* of a prefix at a time */

/* ---- get ---- */

/* One value, for requests of the same key that follow each other. */
typedef struct reading {
	const embedded_engine *engine;
	embedded_value value;
	zinc_tag tag;
} reading;

static zinc_status
read_value(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	const reading *x = (const reading *)arg;

	(void)err;
	zinc_iov_scatter(iov, niov, x->value.bytes + offset, (size_t)nbytes);
	return ZINC_OK;
}

static void
stop_reading(reading *x)
{
	if (x->value.bytes)
		x->engine->release(&x->value);
	x->value.bytes = NULL;
	x->tag.n = 0;
}

/* The value is a copy: the database is not in use while the caller's functions run. */
static zinc_status
load(embedded_store *s, reading *x, const zinc_get *r, const zinc_wait *wait, zinc_error *err)
{
	embedded_db *d = NULL;
	zinc_status st;

	ZINC_TRY(zinc_embedded_enter(s, ZINC_USE_LOOK, &d, wait, err));
	if (!d)
		return ZINC_OK;
	st = s->engine->get(d->db, r->key, strlen(r->key), &x->value, err);
	if (st == ZINC_OK && x->value.bytes && (r->if_tag || !r->untagged))
		zinc_embedded_tag(d, r->key, &x->value, &x->tag);
	zinc_embedded_leave(d, false);
	return st;
}

static void
get_one(embedded_store *s, reading *x, const zinc_sink *sink, size_t i, const zinc_get *r, bool same,
	const zinc_wait *wait)
{
	const bool tagged = r->if_tag || !r->untagged;
	zinc_status st = ZINC_OK;
	zinc_error e;

	zinc_error_clear(&e);
	if (!same || !x->value.bytes || (tagged && x->tag.n == 0)) {
		stop_reading(x);
		st = load(s, x, r, wait, &e);
	}
	if (st != ZINC_OK)
		zinc_sink_failed(sink, i, st, &e);
	else if (x->value.bytes)
		zinc_sink_serve(sink, i, r, x->value.n, &x->tag, read_value, x, wait);
	else
		zinc_sink_missing(sink, i);
}

zinc_status
zinc_embedded_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
		  zinc_error *err)
{
	embedded_store *s = (embedded_store *)self;
	reading x = {.engine = s->engine};
	size_t i;

	(void)err;
	for (i = 0; i < n; i++)
		if (!zinc_sink_cancelled(sink, i, wait))
			get_one(s, &x, sink, i, &requests[i], zinc_get_same_key(requests, i), wait);
	stop_reading(&x);
	return ZINC_OK;
}

/* ---- changes ---- */

/* The changes of a call in the form of the engines; values of several pieces are joined. */
typedef struct prepared {
	zinc_context *ctx;
	embedded_change *changes;
	uint8_t **joined;
	size_t n, njoined;
} prepared;

static void
prepared_fini(prepared *p)
{
	size_t i;

	for (i = 0; i < p->njoined; i++)
		zinc_free(p->ctx, p->joined[i]);
	zinc_free(p->ctx, p->joined);
	zinc_free(p->ctx, p->changes);
}

static zinc_status
prepared_init(prepared *p, zinc_context *ctx, size_t n, zinc_error *err)
{
	*p = (prepared){.ctx = ctx};
	p->changes = (embedded_change *)zinc_calloc(ctx, n, sizeof *p->changes);
	p->joined = (uint8_t **)zinc_calloc(ctx, n, sizeof *p->joined);
	return p->changes && p->joined ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
join(prepared *p, const zinc_change *x, size_t n, const void **out, zinc_error *err)
{
	uint8_t *bytes = (uint8_t *)zinc_alloc(p->ctx, n);

	if (!bytes)
		return zinc_fail_nomem(err);
	zinc_iov_gather(x->iov, x->niov, bytes, n);
	p->joined[p->njoined++] = bytes;
	*out = bytes;
	return ZINC_OK;
}

static zinc_status
prepare(const embedded_store *s, prepared *p, const zinc_change *x, zinc_error *err)
{
	embedded_change c = {x->key, strlen(x->key), NULL, 0};

	if (!x->erase) {
		if (zinc_iov_bytes(x->iov, x->niov, &c.nbytes) || c.nbytes > s->engine->value_max)
			return zinc_fail(err, ZINC_E_LIMIT, "a value of %s has at most %llu bytes", s->engine->library,
					 (unsigned long long)s->engine->value_max);
		c.bytes = x->niov == 1 ? x->iov->iov_base : "";
		if (c.nbytes == 0)
			c.bytes = "";
		else if (x->niov > 1)
			ZINC_TRY(join(p, x, c.nbytes, &c.bytes, err));
	}
	p->changes[p->n++] = c;
	return ZINC_OK;
}

/* The writers' turn is held, so the result stays true. */
static zinc_status
check_condition(const embedded_db *d, zinc_change *const *changes, size_t i, zinc_error *err)
{
	zinc_change *x = changes[i];
	const zinc_change *earlier = zinc_batch_earlier(changes, i);
	embedded_value v = {NULL, 0, NULL};
	zinc_tag tag = {0, {0}};
	zinc_hash h;

	if (earlier) {
		zinc_batch_hash(earlier, &tag);
		x->status = zinc_batch_check(x->when, earlier->erase ? NULL : &tag);
		return ZINC_OK;
	}
	ZINC_TRY(d->engine->get(d->db, x->key, strlen(x->key), &v, err));
	if (v.bytes) {
		zinc_hash_begin(&h);
		zinc_hash_add(&h, v.bytes, v.n);
		zinc_hash_end(&h, &tag);
	}
	x->status = zinc_batch_check(x->when, v.bytes ? &tag : NULL);
	if (v.bytes)
		d->engine->release(&v);
	return ZINC_OK;
}

/* Change the database while nobody reads it. */
static zinc_status
write_all(embedded_store *s, embedded_db *d, const embedded_change *changes, size_t n, bool relaxed,
	  const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;

	if (n == 0)
		return ZINC_OK;
	ZINC_TRY(zinc_embedded_apply_begin(d, wait, err));
	st = s->engine->write(d->db, changes, n, !relaxed, err);
	zinc_embedded_apply_end(d, st);
	if (st == ZINC_OK && relaxed)
		zinc_embedded_note_relaxed(s, d);
	return st;
}

static zinc_status
check_and_write(embedded_store *s, embedded_db *d, prepared *p, zinc_change *const *changes, size_t n, bool relaxed,
		const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	for (i = 0; i < n; i++) {
		changes[i]->status = ZINC_OK;
		if (changes[i]->when && changes[i]->when->when != ZINC_ANY)
			ZINC_TRY(check_condition(d, changes, i, err));
		ZINC_TRY(zinc_wait_check(wait, err));
		if (changes[i]->status == ZINC_OK)
			ZINC_TRY(prepare(s, p, changes[i], err));
	}
	return write_all(s, d, p->changes, p->n, relaxed, wait, err);
}

static zinc_status
apply_all(void *self, zinc_change *const *changes, size_t n, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	embedded_store *s = (embedded_store *)self;
	embedded_db *d = NULL;
	zinc_status st;
	prepared p;

	st = prepared_init(&p, s->ctx, n, err);
	if (st == ZINC_OK)
		st = zinc_embedded_enter(s, zinc_batch_use(changes, n), &d, wait, err);
	if (st == ZINC_OK && d) {
		st = check_and_write(s, d, &p, changes, n, relaxed, wait, err);
		zinc_embedded_leave(d, true);
	}
	prepared_fini(&p);
	return st;
}

/* Where the library has no such function, a database that is opened reads its log and writes it as tables. */
static zinc_status
sync_now(embedded_store *s, const zinc_wait *wait, zinc_error *err)
{
	embedded_db *d = NULL;
	zinc_status st;

	st = zinc_embedded_enter(s, ZINC_USE_LOOK, &d, wait, err);
	if (st == ZINC_OK && d && !d->readonly && s->engine->sync) {
		st = s->engine->sync(d->db, err);
	} else if (st == ZINC_OK && d && !d->readonly) {
		zinc_embedded_expire(d);
		zinc_embedded_leave(d, false);
		st = zinc_embedded_enter(s, ZINC_USE_LOOK, &d, wait, err);
	}
	zinc_embedded_leave(d, false);
	return st;
}

/* What was lost stays lost: another sync does not make it good. */
static zinc_status
check_lost(const embedded_store *s, const embedded_pending *p, zinc_error *err)
{
	if (atomic_load(p->failures) == p->before)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_IO,
			 "%s failed to write relaxed changes when it closed the database, so that they may be lost: "
			 "open the store anew and make them again",
			 s->engine->library);
}

zinc_status
zinc_embedded_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	embedded_store *s = (embedded_store *)self;
	zinc_status st = ZINC_OK;
	embedded_pending p;

	ZINC_TRY(zinc_turn_acquire(&s->syncing, wait, err));
	p = zinc_embedded_take_pending(s);
	if (p.any)
		st = sync_now(s, wait, err);
	if (p.any && st == ZINC_OK)
		st = check_lost(s, &p, err);
	if (st != ZINC_OK)
		zinc_embedded_put_back(s, &p);
	zinc_turn_release(&s->syncing);
	return st;
}

static const zinc_batch_ops batch = {apply_all, zinc_embedded_sync};

/* ---- update ---- */

typedef struct updating {
	const char *key;
	zinc_update_fn fn;
	void *arg;
	uint64_t limit;
	bool relaxed;
} updating;

static zinc_status
change_value(embedded_store *s, embedded_db *d, const updating *u, const embedded_value *old, const zinc_wait *wait,
	     zinc_error *err)
{
	zinc_update out = {.size = sizeof out};
	embedded_change c = {u->key, strlen(u->key), NULL, 0};

	if (old->bytes && u->limit && old->n > u->limit)
		return zinc_fail(err, ZINC_E_LIMIT, "the value is longer than the limit of %llu bytes",
				 (unsigned long long)u->limit);
	ZINC_TRY(u->fn(u->arg, old->bytes, old->n, &out, err));
	if (out.keep || (out.erase && !old->bytes))
		return ZINC_OK;
	if (!out.erase) {
		c.bytes = out.nbytes ? out.bytes : "";
		c.nbytes = out.nbytes;
	}
	if (c.nbytes > s->engine->value_max)
		return zinc_fail(err, ZINC_E_LIMIT, "a value of %s has at most %llu bytes", s->engine->library,
				 (unsigned long long)s->engine->value_max);
	return write_all(s, d, &c, 1, u->relaxed, wait, err);
}

zinc_status
zinc_embedded_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
		     const zinc_wait *wait, zinc_error *err)
{
	embedded_store *s = (embedded_store *)self;
	const updating u = {key, fn, arg, limit, flags & ZINC_PUT_RELAXED};
	embedded_value old = {NULL, 0, NULL};
	embedded_db *d = NULL;
	zinc_status st;

	ZINC_TRY(zinc_embedded_enter(s, ZINC_USE_MAKE, &d, wait, err));
	st = s->engine->get(d->db, key, strlen(key), &old, err);
	if (st == ZINC_OK)
		st = change_value(s, d, &u, &old, wait, err);
	if (old.bytes)
		s->engine->release(&old);
	zinc_embedded_leave(d, true);
	return st;
}

/* ---- listing and prefixes ---- */

static bool
begins_with(const char *key, size_t n, const char *prefix)
{
	const size_t nprefix = strlen(prefix);

	return n >= nprefix && memcmp(key, prefix, nprefix) == 0;
}

static bool
is_unordered(const embedded_db *d)
{
	return d->engine->unordered && d->engine->unordered(d->db);
}

/* Rows on their way from the engine, with a check of their order. */
typedef struct ordered {
	const char *prefix;
	zinc_ordered_row_fn fn;
	void *arg;
	zinc_buf last; /* the key before */
	zinc_bytes from;
	bool any, disordered;
	zinc_status status;
	zinc_error *err;
} ordered;

static bool
is_less(const void *a, size_t na, const void *b, size_t nb)
{
	const size_t both = na < nb ? na : nb;
	const int order = both ? memcmp(a, b, both) : 0;

	return order < 0 || (order == 0 && na < nb);
}

static int
pass_row(void *arg, const char *key, size_t n, uint64_t nbytes)
{
	ordered *o = (ordered *)arg;

	if (o->any ? !is_less(o->last.p, o->last.n, key, n) : is_less(key, n, o->from.p, o->from.n)) {
		o->disordered = true;
		return 1;
	}
	if (!begins_with(key, n, o->prefix))
		return 1;
	o->any = true;
	zinc_buf_end(&o->last, 0);
	o->status = zinc_buf_add(&o->last, key, n, o->err);
	return o->status != ZINC_OK || o->fn(o->arg, key, n, nbytes) != 0;
}

zinc_status
zinc_embedded_fail_order(zinc_error *err)
{
	return zinc_fail(err, ZINC_E_UNSUPPORTED,
			 "the keys of the database are not in byte order: it has another comparator, or is damaged");
}

static zinc_status
scan_ordered(embedded_store *s, embedded_db *d, const char *prefix, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn,
	     void *arg, zinc_error *err)
{
	ordered o = {.prefix = prefix, .fn = fn, .arg = arg, .from = from, .err = err};
	zinc_status st;

	zinc_buf_init(&o.last, s->ctx, EMBEDDED_NAME_MAX);
	st = s->engine->scan(d->db, from, sizes, pass_row, &o, err);
	zinc_buf_fini(&o.last);
	if (st == ZINC_OK && o.disordered)
		st = zinc_embedded_fail_order(err);
	return st == ZINC_OK ? o.status : st;
}

/* One listing. */
typedef struct listing {
	embedded_store *s;
	embedded_run run;
} listing;

static zinc_status
rows(void *self, const char *prefix, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg,
     const zinc_wait *wait, zinc_error *err)
{
	listing *l = (listing *)self;
	embedded_db *d = NULL;
	zinc_status st;

	ZINC_TRY(zinc_embedded_enter(l->s, ZINC_USE_LOOK, &d, wait, err));
	if (!d)
		return ZINC_OK;
	if (is_unordered(d))
		st = zinc_embedded_sorted(&l->run, d, prefix, from, fn, arg, wait, err);
	else
		st = scan_ordered(l->s, d, prefix, from, sizes, fn, arg, err);
	zinc_embedded_leave(d, false);
	return st;
}

zinc_status
zinc_embedded_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	listing l = {.s = (embedded_store *)self};
	zinc_status st;
	bool stopped;

	zinc_embedded_run_init(&l.run, l.s->ctx);
	st = zinc_ordered_walk(&l, l.s->ctx, rows, prefix, to, &stopped, wait, err);
	zinc_embedded_run_fini(&l.run);
	return st;
}

/* Keys below a prefix, as changes that erase them.  Their names are in one block, which may move while it grows. */
typedef struct erasing {
	const char *prefix;
	bool ordered;
	const zinc_wait *wait;
	size_t seen;
	zinc_buf names;
	size_t ends[ERASE_KEYS];
	size_t n;
	zinc_status status;
	zinc_error *err;
} erasing;

static int
note_key(void *arg, const char *key, size_t n, uint64_t nbytes)
{
	erasing *x = (erasing *)arg;

	(void)nbytes;
	if (x->ordered && is_less(key, n, x->prefix, strlen(x->prefix))) {
		x->status = zinc_embedded_fail_order(x->err);
		return 1;
	}
	if (++x->seen % EMBEDDED_LOOK_KEYS == 0)
		x->status = zinc_wait_check(x->wait, x->err);
	if (x->status != ZINC_OK)
		return 1;
	if (!begins_with(key, n, x->prefix))
		return x->ordered;
	x->status = zinc_buf_add(&x->names, key, n, x->err);
	if (x->status == ZINC_OK)
		x->ends[x->n++] = x->names.n;
	return x->status != ZINC_OK || x->n == ERASE_KEYS;
}

static zinc_status
erase_some(embedded_store *s, embedded_db *d, erasing *x, embedded_change *changes, bool relaxed, zinc_error *err)
{
	const zinc_bytes from = {(const uint8_t *)x->prefix, strlen(x->prefix)};
	size_t i, at = 0;

	x->n = 0;
	zinc_buf_end(&x->names, 0);
	ZINC_TRY(s->engine->scan(d->db, from, false, note_key, x, err));
	ZINC_TRY(x->status);
	for (i = 0; i < x->n; at = x->ends[i++])
		changes[i] = (embedded_change){(const char *)x->names.p + at, x->ends[i] - at, NULL, 0};
	return x->n ? s->engine->write(d->db, changes, x->n, !relaxed, err) : ZINC_OK;
}

static zinc_status
erase_all(embedded_store *s, embedded_db *d, erasing *x, embedded_change *changes, bool relaxed, const zinc_wait *wait,
	  zinc_error *err)
{
	zinc_status st;

	ZINC_TRY(zinc_embedded_apply_begin(d, wait, err));
	do {
		st = erase_some(s, d, x, changes, relaxed, err);
		if (st == ZINC_OK && x->n == ERASE_KEYS)
			st = zinc_wait_check(wait, err);
	} while (st == ZINC_OK && x->n == ERASE_KEYS);
	zinc_embedded_apply_end(d, st);
	if (relaxed)
		zinc_embedded_note_relaxed(s, d);
	return st;
}

/* In steps, with readers kept out: a failure, or a crash, may leave some of the keys. */
zinc_status
zinc_embedded_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	embedded_store *s = (embedded_store *)self;
	embedded_change *changes = (embedded_change *)zinc_calloc(s->ctx, ERASE_KEYS, sizeof *changes);
	erasing *x = (erasing *)zinc_calloc(s->ctx, 1, sizeof *x);
	embedded_db *d = NULL;
	zinc_status st = changes && x ? ZINC_OK : zinc_fail_nomem(err);

	if (x)
		zinc_buf_init(&x->names, s->ctx, ERASE_KEYS * (size_t)EMBEDDED_NAME_MAX);
	if (st == ZINC_OK)
		st = zinc_embedded_enter(s, ZINC_USE_CHANGE, &d, wait, err);
	if (st == ZINC_OK && d) {
		x->prefix = prefix;
		x->err = err;
		x->wait = wait;
		x->ordered = !is_unordered(d);
		st = erase_all(s, d, x, changes, flags & ZINC_PUT_RELAXED, wait, err);
		zinc_embedded_leave(d, true);
	}
	if (x)
		zinc_buf_fini(&x->names);
	zinc_free(s->ctx, x);
	zinc_free(s->ctx, changes);
	return st;
}

/* ---- open and close ---- */

void
zinc_embedded_caps(void *self, zinc_caps *out)
{
	const embedded_store *s = (const embedded_store *)self;

	out->flags = s->readonly ? s->engine->flags & ~CHANGES : s->engine->flags;
	out->parallel = 1;
}

void
zinc_embedded_close(void *self)
{
	embedded_store *s = (embedded_store *)self;

	if (s->path)
		zinc_embedded_forget(s);
	zinc_turn_fini(&s->syncing);
	zinc_free(s->ctx, s->path);
	zinc_free(s->ctx, s);
}

/* The path without escapes, absolute: the current directory may change. */
static zinc_status
fill_path(zinc_buf *path, const char *rest, zinc_error *err)
{
	char cwd[4096] = "";

	if (rest[0] != '/' && zinc_cwd(cwd, sizeof cwd) != 0)
		return zinc_fail(err, ZINC_E_IO, "there is no current directory");
	if (rest[0] != '/')
		ZINC_TRY(zinc_buf_printf(path, err, "%s/", cwd));
	ZINC_TRY(zinc_url_unescape(path, rest, strlen(rest), true, err));
	while (path->n > 1 && path->p[path->n - 1] == '/')
		path->n--;
	return zinc_buf_text(path) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
take_path(embedded_store *s, const char *rest, zinc_error *err)
{
	const char *refused = s->engine->refused;
	zinc_status st;
	zinc_buf path;

	if (rest[0] == '\0')
		return zinc_fail(err, ZINC_E_INVALID, "name a database: %s", s->engine->example);
	zinc_buf_init(&path, s->ctx, ZINC_MAX_KEY);
	st = fill_path(&path, rest, err);
	if (st == ZINC_OK && refused && strpbrk((const char *)path.p, refused))
		st = zinc_fail(err, ZINC_E_UNSUPPORTED, "%s takes no path with one of %s", s->engine->library, refused);
	if (st == ZINC_OK)
		s->path = (char *)path.p;
	else
		zinc_buf_fini(&path);
	return st;
}

/* What a database is, and whether it can be opened at all, is found out at once. */
static zinc_status
look_at(embedded_store *s, zinc_error *err)
{
	embedded_db *d = NULL;

	ZINC_TRY(zinc_embedded_enter(s, ZINC_USE_LOOK, &d, NULL, err));
	if (d)
		s->readonly = d->readonly;
	zinc_embedded_leave(d, false);
	return ZINC_OK;
}

zinc_status
zinc_embedded_open(const embedded_engine *e, void **self, const char *rest, const zinc_store_options *options,
		   zinc_error *err)
{
	embedded_store *s = (embedded_store *)zinc_calloc(options->context, 1, sizeof *s);
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	s->engine = e;
	s->ctx = options->context;
	s->batched = (zinc_batched){&batch, s->ctx};
	s->patience = zinc_setting_number(options, "patience");
	zinc_turn_init(&s->syncing);
	st = take_path(s, rest, err);
	if (st == ZINC_OK)
		st = look_at(s, err);
	if (st == ZINC_OK)
		*self = s;
	else
		zinc_embedded_close(s);
	return st;
}

/* The first part of the path that is a database; else as for other files. */
zinc_status
zinc_embedded_split(const embedded_engine *e, const char *rest, zinc_context *ctx, size_t *nbytes, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	zinc_buf plain;
	size_t at, end;
	bool yes = false;

	zinc_buf_init(&plain, ctx, ZINC_MAX_KEY);
	for (at = 0; rest[at] && !yes && st == ZINC_OK; at = end + (rest[end] == '/')) {
		end = at + strcspn(rest + at, "/");
		zinc_buf_end(&plain, 0);
		st = zinc_url_unescape(&plain, rest, end, true, err);
		if (st == ZINC_OK && end > at)
			st = zinc_embedded_is_database(e, ctx, (const char *)plain.p, plain.n, &yes, err);
		if (yes)
			*nbytes = end;
	}
	zinc_buf_fini(&plain);
	return st != ZINC_OK || yes ? st : zinc_url_split_file(rest, e->endings, ctx, nbytes, err);
}

const zinc_setting_row zinc_embedded_settings[] = {
    {.name = "patience",
     .type = ZINC_SETTING_SECONDS,
     .preset = "60",
     .purpose = "how long a call without a deadline waits for another process that has the database open"},
    {.name = NULL},
};
