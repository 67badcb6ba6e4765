/*
 * sharding_change.c - put, del and update of chunks: changes of the shards that hold them
 *
 * shard/shard_change.c changes the shard.  Without a condition, the store below excludes all other writers while the
 * shard is read, changed and put.  A change that has a condition or returns the new tag depends on generations, and is
 * a loop of conditional puts.
 */
#include "transform/transform_inside.h"

void
zinc_sharded_change_init(const zinc_sharded *s, zinc_shard_change *c, zinc_chunk_edit *edits, size_t n)
{
	zinc_shard_change_init(c, s->ctx, &s->layout, edits, n);
	c->sequence = s->sequence;
	c->append = s->in.shard_order == ZINC_SHARD_APPEND;
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
	const zinc_sharded *s = o->s;
	zinc_shard_change c;
	const char *key;
	zinc_status st;
	zinc_buf text;

	zinc_sharded_change_init(s, &c, edit, 1);
	st = zinc_sharded_shard_key(s, &o->at, &text, &key, err);
	if (st == ZINC_OK && is_plain(o))
		st = zinc_shard_change_run(&c, s->next, key, s->in.single_writer, o->flags, o->wait, err);
	else if (st == ZINC_OK)
		st = zinc_shard_change_if(&c, s->next, key, o->when, o->tag, o->flags, o->wait, err);
	zinc_shard_change_fini(&c);
	zinc_buf_fini(&text);
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
	zinc_chunk_edit edit;
	zinc_update_fn fn;
	void *arg;
} chunk_update;

/* Call the caller's function with the old chunk; the store below updates the shard around it. */
static zinc_status
call_update_fn(void *arg, size_t i, zinc_bytes old, zinc_error *err)
{
	chunk_update *u = (chunk_update *)arg;
	zinc_update answer = {.size = sizeof answer};

	(void)i;
	ZINC_TRY(u->fn(u->arg, old.p, old.n, &answer, err));
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
	chunk_update u = {.fn = fn, .arg = arg};
	zinc_chunk_place at;
	zinc_shard_change c;
	const char *shard;
	zinc_status st;
	zinc_buf text;

	if (!zinc_sharded_locate(s, key, &at))
		return zinc_store_update(s->next, key, fn, arg, 0, limit, flags, wait, err);
	u.edit.position = at.position;
	zinc_sharded_change_init(s, &c, &u.edit, 1);
	c.revise = call_update_fn;
	c.arg = &u;
	c.limit = limit;
	st = zinc_sharded_shard_key(s, &at, &text, &shard, err);
	if (st == ZINC_OK)
		st = zinc_shard_change_run(&c, s->next, shard, 0, flags, wait, err);
	zinc_shard_change_fini(&c);
	zinc_buf_fini(&text);
	return st;
}
