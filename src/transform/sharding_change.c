/*
 * sharding_change.c - put, del and update of chunks: changes of the shards that hold them
 *
 * shard/shard_change.c makes the new shard.  Without a condition, the store below excludes all other writers while
 * the shard is read, changed and put.  A change that has a condition or returns the new tag depends on generations.
 * It is a loop of conditional puts.
 */
#include "transform/transform_inside.h"

void
zinc_sharded_change_init(const zinc_sharded *s, zinc_shard_change *c, zinc_chunk_edit *edits, size_t n)
{
	zinc_shard_change_init(c, s->ctx, &s->layout, edits, n);
	c->sequence = s->sequence;
	c->append = s->in.shard_order == ZINC_SHARD_APPEND;
}

zinc_status
zinc_sharded_change_run(const zinc_sharded *s, zinc_shard_change *c, const char *shard_key, int single_writer,
			uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_splice(s->next, shard_key, zinc_shard_change_splice, c, single_writer, zinc_max_chunk(s->ctx),
				 flags, wait, err);
}

zinc_status
zinc_sharded_old_chunk(const zinc_sharded *s, const zinc_shard_entry *e, const zinc_old *old, uint64_t limit,
		       zinc_buf *to, zinc_bytes *out, bool *found, zinc_error *err)
{
	const uint64_t most = limit ? limit : zinc_max_chunk(s->ctx);

	*found = !zinc_shard_entry_empty(e);
	*out = (zinc_bytes){(const uint8_t *)"", 0};
	if (!*found || e->nbytes == 0)
		return ZINC_OK;
	if (e->nbytes > most)
		return zinc_fail(err, ZINC_E_LIMIT, "the value is longer than the limit of %llu bytes",
				 (unsigned long long)most);
	return zinc_shard_read_old(old, e->offset, e->nbytes, to, out, err);
}

/* ---- with a condition ---- */

typedef struct conditional {
	const zinc_sharded *s;
	zinc_shard_change c;
	const char *key; /* of the shard */
	size_t position;
	const zinc_condition *when;
	uint32_t flags;
	zinc_tag *tag;
	const zinc_wait *wait;
	zinc_tag seen; /* tag of the shard in this attempt */
	bool lost;     /* another writer changed the shard first: try again */
} conditional;

/* Does the condition hold for the chunk in this generation of its shard? */
static zinc_status
check_condition(void *arg, const zinc_shard_build *b, const zinc_old *old, zinc_error *err)
{
	const conditional *x = (const conditional *)arg;
	const bool there = !zinc_shard_entry_empty(&b->was[x->position]);

	(void)old;
	if (x->when && x->when->when == ZINC_ABSENT && there)
		return zinc_fail(err, ZINC_E_EXISTS, "the key exists");
	if (x->when && x->when->when == ZINC_EQUALS && !(there && zinc_tag_equal(x->when->tag, &x->seen)))
		return zinc_fail(err, ZINC_E_CONFLICT, "the value has changed");
	return ZINC_OK;
}

static zinc_status
get_shard(conditional *x, zinc_blob *old, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st =
	    zinc_store_get_all(x->s->next, x->key, old, &x->seen, zinc_max_chunk(x->s->ctx), x->wait, &e);

	if (st == ZINC_OK || st == ZINC_E_NOTFOUND)
		return ZINC_OK;
	return zinc_error_copy(err, &e), st;
}

static zinc_status
put_shard(conditional *x, bool found, const zinc_update *u, zinc_error *err)
{
	const zinc_condition when = {found ? ZINC_EQUALS : ZINC_ABSENT, &x->seen};
	zinc_store *next = x->s->next;
	zinc_status st;

	if (u->keep)
		return ZINC_OK;
	if (u->erase)
		st = zinc_store_del(next, NULL, x->key, &when, x->flags, x->wait, err);
	else
		st = zinc_store_put(next, NULL, x->key, u->bytes, u->nbytes, &when, x->flags, x->tag, x->wait, err);
	x->lost = st == ZINC_E_CONFLICT || st == ZINC_E_EXISTS;
	return st;
}

static zinc_status
try_once(conditional *x, zinc_error *err)
{
	zinc_blob old = ZINC_BLOB_INIT;
	zinc_update u;
	zinc_status st;

	x->seen = (zinc_tag){0, {0}};
	x->lost = false;
	st = get_shard(x, &old, err);
	if (st == ZINC_OK) {
		const zinc_bytes bytes = {(const uint8_t *)old.data, old.nbytes};

		st = zinc_shard_change_whole(&x->c, old.data ? &bytes : NULL, &u, err);
	}
	if (st == ZINC_OK)
		st = put_shard(x, old.data != NULL, &u, err);
	zinc_blob_fini(&old);
	return st;
}

/* The loop ends, because each failed attempt means that another writer succeeded. */
static zinc_status
run_conditional(conditional *x, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	int tries;

	for (tries = 0; tries < ZINC_UPDATE_TRIES; tries++) {
		st = try_once(x, &e);
		if (!x->lost)
			return st == ZINC_OK ? st : (zinc_error_copy(err, &e), st);
		ZINC_TRY(zinc_wait_check(x->wait, err));
		zinc_store_back_off(tries, x);
	}
	return zinc_fail(err, ZINC_E_CONFLICT,
			 "other writers changed the shard %d times during the change of a chunk; try again",
			 ZINC_UPDATE_TRIES);
}

/* ---- put and del ---- */

/* One change of a batch. */
typedef struct one_change {
	const zinc_sharded *s;
	zinc_put_group *group;
	zinc_chunk_place at;
	const zinc_condition *when; /* NULL: any */
	uint32_t flags;
	zinc_tag *tag; /* NULL: not requested */
	const zinc_wait *wait;
} one_change;

static bool
is_plain(const one_change *o)
{
	return (!o->when || o->when->when == ZINC_ANY) && !o->tag;
}

/* Apply one change now, with or without a condition. */
static zinc_status
change_now(const one_change *o, zinc_chunk_edit *edit, zinc_error *err)
{
	conditional x = {.s = o->s, .position = o->at.position, .when = o->when, .flags = o->flags, .tag = o->tag};
	zinc_status st;
	zinc_buf key;

	x.wait = o->wait;
	zinc_buf_init(&key, o->s->ctx, ZINC_MAX_KEY);
	zinc_sharded_change_init(o->s, &x.c, edit, 1);
	st = zinc_sharded_key(o->s, o->at.shard, &key, err);
	if (st == ZINC_OK && is_plain(o)) {
		st = zinc_sharded_change_run(o->s, &x.c, zinc_buf_text(&key), o->s->in.single_writer, o->flags, o->wait,
					     err);
	} else if (st == ZINC_OK) {
		x.key = zinc_buf_text(&key);
		x.c.prepare = check_condition;
		x.c.arg = &x;
		st = run_conditional(&x, err);
	}
	zinc_shard_change_fini(&x.c);
	zinc_buf_fini(&key);
	return st;
}

static zinc_status
gather(zinc_buf *out, const struct iovec *iov, int niov, zinc_error *err)
{
	int i;

	for (i = 0; i < niov; i++)
		ZINC_TRY(zinc_buf_add(out, iov[i].iov_base, iov[i].iov_len, err));
	return ZINC_OK;
}

static zinc_status
put_chunk(const one_change *o, const zinc_put *put, zinc_error *err)
{
	zinc_chunk_edit edit = {.position = o->at.position, .what = ZINC_CHUNK_PUT};
	zinc_status st;
	zinc_buf bytes;

	zinc_buf_init(&bytes, o->s->ctx, zinc_max_chunk(o->s->ctx));
	st = gather(&bytes, put->iov, put->niov, err);
	edit.bytes = bytes.p;
	edit.nbytes = bytes.n;
	if (st == ZINC_OK)
		st = change_now(o, &edit, err);
	zinc_buf_fini(&bytes);
	return st;
}

/* In a group, a change that has a condition or returns its tag is made at once.  Before it, the group's changes of the
 * same shard are written. */
static zinc_status
flush_shard_first(const one_change *o, zinc_error *err)
{
	return o->group ? zinc_sharded_flush_one(o->group, &o->at, o->wait, err) : ZINC_OK;
}

static zinc_status
put_one(one_change *o, const zinc_put *put, zinc_error *err)
{
	o->when = put->when;
	if (!zinc_sharded_locate(o->s, put->key, &o->at))
		return zinc_store_putv(o->s->next, NULL, put->key, put->iov, put->niov, put->when, o->flags, o->tag,
				       o->wait, err);
	if (o->group && is_plain(o))
		return zinc_sharded_enlist(o->group, &o->at, ZINC_CHUNK_PUT, put->iov, put->niov, o->wait, err);
	ZINC_TRY(flush_shard_first(o, err));
	return put_chunk(o, put, err);
}

static zinc_status
del_one(one_change *o, const zinc_del *del, zinc_error *err)
{
	zinc_chunk_edit edit = {.what = ZINC_CHUNK_ERASE};

	o->when = del->when;
	if (!zinc_sharded_locate(o->s, del->key, &o->at))
		return zinc_store_del(o->s->next, NULL, del->key, del->when, o->flags, o->wait, err);
	if (o->group && is_plain(o))
		return zinc_sharded_enlist(o->group, &o->at, ZINC_CHUNK_ERASE, NULL, 0, o->wait, err);
	ZINC_TRY(flush_shard_first(o, err));
	edit.position = o->at.position;
	return change_now(o, &edit, err);
}

zinc_status
zinc_sharded_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
		 uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	one_change o = {.s = (const zinc_sharded *)self, .group = group, .flags = flags, .wait = wait};
	size_t i;

	(void)err;
	for (i = 0; i < n; i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_tag tag = {0, {0}};
		zinc_status st = zinc_wait_check(wait, &e);

		o.tag = flags & ZINC_PUT_TAGS ? &tag : NULL;
		if (st == ZINC_OK)
			st = put_one(&o, &puts[i], &e);
		zinc_done_report(done, i, st, &tag, &e);
	}
	return ZINC_OK;
}

zinc_status
zinc_sharded_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
		 uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	one_change o = {.s = (const zinc_sharded *)self, .group = group, .flags = flags, .wait = wait};
	size_t i;

	(void)err;
	for (i = 0; i < n; i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st = zinc_wait_check(wait, &e);

		if (st == ZINC_OK)
			st = del_one(&o, &dels[i], &e);
		zinc_done_report(done, i, st, NULL, &e);
	}
	return ZINC_OK;
}

/* ---- update ---- */

typedef struct chunk_update {
	const zinc_sharded *s;
	zinc_shard_change c;
	zinc_chunk_edit edit;
	zinc_buf chunk; /* its old bytes */
	zinc_update_fn fn;
	void *arg;
	uint64_t limit; /* bytes of the chunk at most; 0: the limit of every chunk */
} chunk_update;

/* Call the caller's function with the old chunk; the store below updates the shard around it. */
static zinc_status
call_update_fn(void *arg, const zinc_shard_build *b, const zinc_old *old, zinc_error *err)
{
	chunk_update *u = (chunk_update *)arg;
	zinc_update answer = {.size = sizeof answer};
	zinc_bytes was;
	bool found;

	ZINC_TRY(zinc_sharded_old_chunk(u->s, &b->was[u->edit.position], old, u->limit, &u->chunk, &was, &found, err));
	ZINC_TRY(u->fn(u->arg, found ? was.p : NULL, was.n, &answer, err));
	u->edit.what = answer.keep ? ZINC_CHUNK_KEEP : answer.erase ? ZINC_CHUNK_ERASE : ZINC_CHUNK_PUT;
	u->edit.bytes = (const uint8_t *)answer.bytes;
	u->edit.nbytes = answer.nbytes;
	return ZINC_OK;
}

/* Called only for stores with ZINC_CAP_UPDATE, so single_writer is not needed. */
zinc_status
zinc_sharded_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
		    const zinc_wait *wait, zinc_error *err)
{
	const zinc_sharded *s = (const zinc_sharded *)self;
	chunk_update u = {.s = s, .fn = fn, .arg = arg, .limit = limit};
	zinc_chunk_place at;
	zinc_status st;
	zinc_buf shard;

	if (!zinc_sharded_locate(s, key, &at))
		return zinc_store_update(s->next, key, fn, arg, 0, limit, flags, wait, err);
	u.edit.position = at.position;
	zinc_buf_init(&shard, s->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&u.chunk, s->ctx, 0);
	zinc_sharded_change_init(s, &u.c, &u.edit, 1);
	u.c.prepare = call_update_fn;
	u.c.arg = &u;
	st = zinc_sharded_key(s, at.shard, &shard, err);
	if (st == ZINC_OK)
		st = zinc_sharded_change_run(s, &u.c, zinc_buf_text(&shard), 0, flags, wait, err);
	zinc_shard_change_fini(&u.c);
	zinc_buf_fini(&u.chunk);
	zinc_buf_fini(&shard);
	return st;
}
