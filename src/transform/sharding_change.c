/*
 * sharding_change.c - a shard with some of its chunks changed
 *
 *     old                  [a][b][c][index]          put b', erase c
 *     rows or Morton       [a][b'][index]            laid anew, without gaps
 *     append               [a][b][c][index][b'][index]   what was there stays, and is not pointed to any more
 *
 * Without a condition the store below excludes all other writers while the shard is read, changed and put.  A condition
 * (and whoever wants the new tag) needs to know generations, so then it is a loop of conditional puts.
 */
#include "transform/transform_inside.h"

/* Lost races after which a conditional change gives up. */
#define MOST_TRIES 64

void
zinc_shard_change_init(zinc_shard_change *c, const zinc_sharded *s, const zinc_chunk_edit *edits, size_t n,
		       const zinc_wait *wait)
{
	*c = (zinc_shard_change){.s = s, .edits = edits, .nedits = n, .wait = wait};
	zinc_buf_init(&c->out, s->ctx, zinc_max_many(s->n + 1, zinc_max_chunk(s->ctx)));
}

void
zinc_shard_change_fini(zinc_shard_change *c)
{
	zinc_buf_fini(&c->out);
}

/* ---- the new shard ---- */

/* All empty without a shard. */
zinc_status
zinc_sharded_entries(const zinc_sharded *s, const void *old, size_t nold, zinc_shard_entry *was, zinc_error *err)
{
	zinc_bytes tail = {(const uint8_t *)old, nold};

	memset(was, 0xff, s->n * sizeof *was);
	if (!old)
		return ZINC_OK;
	if (tail.n > s->index_bytes) {
		tail.p += tail.n - s->index_bytes;
		tail.n = s->index_bytes;
	}
	return zinc_sharded_index(s, tail, nold, was, err);
}

/* Does any edit change anything?  Only erasing what is not there does not. */
static bool
changes(const zinc_shard_change *c, const zinc_shard_entry *was)
{
	size_t i;

	for (i = 0; i < c->nedits; i++)
		if (c->edits[i].what == ZINC_CHUNK_PUT ||
		    (c->edits[i].what == ZINC_CHUNK_ERASE && !zinc_entry_empty(&was[c->edits[i].position])))
			return true;
	return false;
}

static zinc_status
lay(zinc_buf *out, zinc_shard_entry *e, const void *bytes, size_t n, zinc_error *err)
{
	*e = (zinc_shard_entry){out->n, n};
	return zinc_buf_add(out, bytes, n, err);
}

/* The edit of a position, or NULL; edits are in order. */
static const zinc_chunk_edit *
edit_of(const zinc_shard_change *c, size_t position)
{
	size_t low = 0, high = c->nedits;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (c->edits[mid].position < position)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->nedits && c->edits[low].position == position ? &c->edits[low] : NULL;
}

/* Every chunk in its turn, old or new, without gaps. */
static zinc_status
lay_anew(zinc_shard_change *c, const uint8_t *old, const zinc_shard_entry *was, zinc_shard_entry *now, zinc_error *err)
{
	const zinc_sharded *s = c->s;
	size_t i;

	for (i = 0; i < s->n; i++) {
		const size_t at = s->sequence ? (size_t)s->sequence[i] : i;
		const zinc_chunk_edit *e = edit_of(c, at);

		now[at] = (zinc_shard_entry){ZINC_SHARD_EMPTY, ZINC_SHARD_EMPTY};
		if (e && e->what == ZINC_CHUNK_PUT)
			ZINC_TRY(lay(&c->out, &now[at], e->bytes, e->nbytes, err));
		else if ((!e || e->what == ZINC_CHUNK_KEEP) && !zinc_entry_empty(&was[at]))
			ZINC_TRY(lay(&c->out, &now[at], old + was[at].offset, (size_t)was[at].nbytes, err));
	}
	return ZINC_OK;
}

/* New chunks behind all that is there. */
static zinc_status
lay_behind(zinc_shard_change *c, const uint8_t *old, size_t nold, const zinc_shard_entry *was, zinc_shard_entry *now,
	   zinc_error *err)
{
	size_t i;

	memcpy(now, was, c->s->n * sizeof *now);
	ZINC_TRY(zinc_buf_add(&c->out, old, nold, err));
	for (i = 0; i < c->nedits; i++) {
		const zinc_chunk_edit *e = &c->edits[i];

		if (e->what == ZINC_CHUNK_PUT)
			ZINC_TRY(lay(&c->out, &now[e->position], e->bytes, e->nbytes, err));
		else if (e->what == ZINC_CHUNK_ERASE)
			now[e->position] = (zinc_shard_entry){ZINC_SHARD_EMPTY, ZINC_SHARD_EMPTY};
	}
	return ZINC_OK;
}

static zinc_status
add_index(zinc_shard_change *c, const zinc_shard_entry *now, zinc_error *err)
{
	zinc_scratch *scratch = zinc_scratch_get(c->s->ctx);
	zinc_status st;

	if (!scratch)
		return zinc_fail_nomem(err);
	st = zinc_shard_index_encode(c->s->sh, scratch, c->s->per_shard, now, &c->out, err);
	zinc_scratch_put(scratch);
	return st;
}

static zinc_status
apply(zinc_shard_change *c, const uint8_t *old, size_t nold, zinc_shard_entry *was, zinc_shard_entry *now,
      zinc_error *err)
{
	static const zinc_shard_entry none = {ZINC_SHARD_EMPTY, ZINC_SHARD_EMPTY};

	ZINC_TRY(zinc_sharded_entries(c->s, old, nold, was, err));
	c->nothing = !changes(c, was);
	if (c->nothing)
		return ZINC_OK;
	c->out.n = 0;
	if (old && c->s->in.shard_order == ZINC_SHARD_APPEND)
		ZINC_TRY(lay_behind(c, old, nold, was, now, err));
	else
		ZINC_TRY(lay_anew(c, old, was, now, err));
	c->empty = zinc_run_is(now, &none, c->s->n, sizeof none);
	return c->empty ? ZINC_OK : add_index(c, now, err);
}

zinc_status
zinc_shard_change_apply(zinc_shard_change *c, const void *old, size_t nold, zinc_error *err)
{
	zinc_shard_entry *both = NULL;
	zinc_status st;
	size_t n;

	if (!zinc_size_mul(c->s->n, 2, &n))
		both = (zinc_shard_entry *)zinc_calloc(c->s->ctx, n, sizeof *both);
	if (!both)
		return zinc_fail_nomem(err);
	st = apply(c, (const uint8_t *)old, nold, both, both + c->s->n, err);
	zinc_free(c->s->ctx, both);
	return st;
}

/* ---- under the store's exclusion ---- */

zinc_status
zinc_shard_change_update(void *change, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	zinc_shard_change *c = (zinc_shard_change *)change;

	ZINC_TRY(zinc_shard_change_apply(c, old, nold, err));
	out->keep = c->nothing || (c->empty && !old);
	out->erase = !out->keep && c->empty;
	out->bytes = c->out.p;
	out->nbytes = c->out.n;
	return ZINC_OK;
}

zinc_status
zinc_shard_change_run(zinc_shard_change *c, const char *shard_key, uint32_t flags, zinc_error *err)
{
	return zinc_store_update(c->s->next, shard_key, zinc_shard_change_update, c, c->s->in.single_writer,
				 zinc_max_chunk(c->s->ctx), flags, c->wait, err);
}

/* ---- under a condition ---- */

typedef struct conditional {
	zinc_shard_change *c;
	const char *key; /* of the shard */
	size_t position;
	const zinc_condition *when;
	uint32_t flags;
	zinc_tag *tag;
	bool lost; /* somebody was faster: try again */
} conditional;

/* Does the condition hold for the chunk in this generation of its shard? */
static zinc_status
check_condition(const conditional *x, const zinc_blob *old, const zinc_tag *tag, zinc_error *err)
{
	const zinc_sharded *s = x->c->s;
	zinc_shard_entry *was = (zinc_shard_entry *)zinc_calloc(s->ctx, s->n, sizeof *was);
	zinc_status st = was ? zinc_sharded_entries(s, old->data, old->nbytes, was, err) : zinc_fail_nomem(err);

	if (st == ZINC_OK) {
		const bool there = !zinc_entry_empty(&was[x->position]);

		if (x->when && x->when->when == ZINC_ABSENT && there)
			st = zinc_fail(err, ZINC_E_EXISTS, "the key exists");
		else if (x->when && x->when->when == ZINC_EQUALS && !(there && zinc_tag_equal(x->when->tag, tag)))
			st = zinc_fail(err, ZINC_E_CONFLICT, "the value has changed");
	}
	zinc_free(s->ctx, was);
	return st;
}

static zinc_status
get_shard(const conditional *x, zinc_blob *old, zinc_tag *tag, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st =
	    zinc_store_get_all(x->c->s->next, x->key, old, tag, zinc_max_chunk(x->c->s->ctx), x->c->wait, &e);

	if (st == ZINC_OK || st == ZINC_E_NOTFOUND)
		return ZINC_OK;
	return zinc_error_copy(err, &e), st;
}

static zinc_status
put_shard(conditional *x, const zinc_blob *old, const zinc_tag *tag, zinc_error *err)
{
	const zinc_condition when = {old->data ? ZINC_EQUALS : ZINC_ABSENT, tag};
	zinc_store *next = x->c->s->next;
	zinc_status st;

	if (x->c->nothing || (x->c->empty && !old->data))
		return ZINC_OK;
	if (x->c->empty)
		st = zinc_store_del(next, NULL, x->key, &when, x->flags, x->c->wait, err);
	else
		st = zinc_store_put(next, NULL, x->key, x->c->out.p, x->c->out.n, &when, x->flags, x->tag, x->c->wait,
				    err);
	x->lost = st == ZINC_E_CONFLICT || st == ZINC_E_EXISTS;
	return st;
}

static zinc_status
try_once(conditional *x, zinc_error *err)
{
	zinc_blob old = ZINC_BLOB_INIT;
	zinc_tag tag = {0, {0}};
	zinc_status st = get_shard(x, &old, &tag, err);

	x->lost = false;
	if (st == ZINC_OK)
		st = check_condition(x, &old, &tag, err);
	if (st == ZINC_OK)
		st = zinc_shard_change_apply(x->c, old.data, old.nbytes, err);
	if (st == ZINC_OK)
		st = put_shard(x, &old, &tag, err);
	zinc_blob_fini(&old);
	return st;
}

/* The loop ends: each loss means that somebody else's change of the shard was made. */
static zinc_status
run_conditional(conditional *x, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	int tries;

	for (tries = 0; tries < MOST_TRIES; tries++) {
		st = try_once(x, &e);
		if (!x->lost)
			return st == ZINC_OK ? st : (zinc_error_copy(err, &e), st);
		ZINC_TRY(zinc_wait_check(x->c->wait, err));
		zinc_store_back_off(tries, x);
	}
	return zinc_fail(err, ZINC_E_CONFLICT, "others changed the shard %d times while a chunk was being changed",
			 MOST_TRIES);
}

/* ---- put and del ---- */

/* One change of a batch. */
typedef struct one_change {
	const zinc_sharded *s;
	zinc_put_group *group;
	zinc_chunk_place at;
	const zinc_condition *when; /* NULL: any */
	uint32_t flags;
	zinc_tag *tag; /* NULL: not asked for */
	const zinc_wait *wait;
} one_change;

static bool
is_plain(const one_change *o)
{
	return (!o->when || o->when->when == ZINC_ANY) && !o->tag;
}

/* At once, in whichever of the two ways it needs. */
static zinc_status
change_now(const one_change *o, const zinc_chunk_edit *edit, zinc_error *err)
{
	zinc_shard_change c;
	conditional x = {&c, NULL, o->at.position, o->when, o->flags, o->tag, false};
	zinc_status st;
	zinc_buf key;

	zinc_buf_init(&key, o->s->ctx, ZINC_MAX_KEY);
	zinc_shard_change_init(&c, o->s, edit, 1, o->wait);
	st = zinc_sharded_key(o->s, o->at.shard, &key, err);
	if (st == ZINC_OK) {
		x.key = zinc_buf_text(&key);
		st = is_plain(o) ? zinc_shard_change_run(&c, x.key, o->flags, err) : run_conditional(&x, err);
	}
	zinc_shard_change_fini(&c);
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

/* In a group, what has a condition or wants its tag is done at once, after what the group has for its shard. */
static zinc_status
settle_before(const one_change *o, zinc_error *err)
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
	ZINC_TRY(settle_before(o, err));
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
	ZINC_TRY(settle_before(o, err));
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
		zinc_done_tell(done, i, st, &tag, &e);
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
		zinc_done_tell(done, i, st, NULL, &e);
	}
	return ZINC_OK;
}

/* ---- update ---- */

typedef struct chunk_update {
	zinc_shard_change c;
	zinc_chunk_edit edit;
	zinc_update_fn fn;
	void *arg;
	uint64_t limit; /* of the chunk, 0: any */
} chunk_update;

/* The caller's function sees its chunk, the store below the shard around it. */
static zinc_status
ask_caller(chunk_update *u, const uint8_t *old, size_t nold, zinc_error *err)
{
	const zinc_sharded *s = u->c.s;
	zinc_shard_entry *was = (zinc_shard_entry *)zinc_calloc(s->ctx, s->n, sizeof *was), e = {0, 0};
	zinc_status st = was ? zinc_sharded_entries(s, old, nold, was, err) : zinc_fail_nomem(err);
	zinc_update answer = {.size = sizeof answer};

	if (st == ZINC_OK)
		e = was[u->edit.position];
	zinc_free(s->ctx, was);
	ZINC_TRY(st);
	if (!zinc_entry_empty(&e) && u->limit && e.nbytes > u->limit)
		return zinc_fail(err, ZINC_E_LIMIT, "more than the %llu bytes that are taken",
				 (unsigned long long)u->limit);
	if (zinc_entry_empty(&e))
		ZINC_TRY(u->fn(u->arg, NULL, 0, &answer, err));
	else
		ZINC_TRY(u->fn(u->arg, old + e.offset, (size_t)e.nbytes, &answer, err));
	u->edit.what = answer.keep ? ZINC_CHUNK_KEEP : answer.erase ? ZINC_CHUNK_ERASE : ZINC_CHUNK_PUT;
	u->edit.bytes = (const uint8_t *)answer.bytes;
	u->edit.nbytes = answer.nbytes;
	return ZINC_OK;
}

static zinc_status
update_shard(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	chunk_update *u = (chunk_update *)arg;

	ZINC_TRY(ask_caller(u, (const uint8_t *)old, nold, err));
	return zinc_shard_change_update(&u->c, old, nold, out, err);
}

/* Called only where caps say UPDATE, so nobody need say that he is the only writer. */
zinc_status
zinc_sharded_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
		    const zinc_wait *wait, zinc_error *err)
{
	const zinc_sharded *s = (const zinc_sharded *)self;
	chunk_update u = {.fn = fn, .arg = arg, .limit = limit};
	zinc_chunk_place at;
	zinc_status st;
	zinc_buf shard;

	if (!zinc_sharded_locate(s, key, &at))
		return zinc_store_update(s->next, key, fn, arg, 0, limit, flags, wait, err);
	u.edit.position = at.position;
	zinc_buf_init(&shard, s->ctx, ZINC_MAX_KEY);
	zinc_shard_change_init(&u.c, s, &u.edit, 1, wait);
	st = zinc_sharded_key(s, at.shard, &shard, err);
	if (st == ZINC_OK)
		st = zinc_store_update(s->next, zinc_buf_text(&shard), update_shard, &u, 0, zinc_max_chunk(s->ctx),
				       flags, wait, err);
	zinc_shard_change_fini(&u.c);
	zinc_buf_fini(&shard);
	return st;
}
