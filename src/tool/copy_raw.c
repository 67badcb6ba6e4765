/*
 * copy_raw.c - objects and foreign keys as they are stored
 *
 * A step is a batch of objects, put under one durable commit: if it is interrupted, none of it counts as done in the
 * journal.  Nothing is decoded.  Memory holds one object per thread, or two to compare them; for a remote store, as
 * many are in flight as it allows and memory permits.  A put needs a whole value, so an object larger than the memory
 * limit is E_LIMIT before anything is written.
 *
 * Equal bytes may still be damaged.  So verification also decodes them: the bytes that are read back and, before an old
 * target is erased, those of the source.  This is not possible if a codec is unknown, or with storage transformers,
 * whose objects are not those of the array.
 */
#include "tool/copy.h"

/* The size of one commit. */
#define BATCH_OBJECTS 256u
#define BATCH_BYTES   (64 * ZINC_MIB)

struct batch {
	zinc_cp *c;
	const zinc_cp_node *n;   /* NULL: foreign keys */
	const char *const *keys; /* of foreign keys: from, to */
	size_t first;            /* index of the node's first object */
	bool compare;            /* do not put: compare with the target */
	bool look;               /* do not put: can it be opened? */
	bool decode;             /* with look, or after comparing: does it decode? */
	zinc_put_group **groups; /* one for each worker, or */
	zinc_send *send;         /* for a remote store */
	pthread_mutex_t lock;
	zinc_status status;
	zinc_error error;
	uint64_t nbytes;
};

/* ---- one object ---- */

/* The key of object i of the batch, in the source or in the target. */
static zinc_status
name_object(const struct batch *b, size_t i, bool target, zinc_buf *out, zinc_error *err)
{
	const zinc_cp_node *n = b->n;

	zinc_buf_end(out, 0);
	if (!n)
		ZINC_TRY(zinc_buf_puts(out, b->keys[2 * i + target], err));
	else if (target)
		ZINC_TRY(zinc_chunk_key(b->c->to, n->to, n->target, zinc_cp_object(n, b->first + i), out, err));
	else
		ZINC_TRY(zinc_chunk_key(b->c->from, n->from, n->source, zinc_cp_object(n, b->first + i), out, err));
	return zinc_buf_text(out) ? ZINC_OK : zinc_fail_nomem(err);
}

/* The target must have the bytes of the source. */
static zinc_status
compare_object(zinc_cp *c, const char *key, const zinc_buf *value, zinc_error *err)
{
	zinc_blob back = ZINC_BLOB_INIT;
	zinc_status st = zinc_store_get_all(c->to->store, key, &back, NULL, value->n + 1, c->to->wait, err);

	if (st == ZINC_E_NOTFOUND || st == ZINC_E_LIMIT ||
	    (st == ZINC_OK &&
	     (back.nbytes != value->n || (value->n > 0 && memcmp(back.data, value->p, value->n) != 0))))
		st = zinc_fail(err, ZINC_E_CORRUPT, "verification failed: the bytes differ from those written");
	zinc_blob_fini(&back);
	return st == ZINC_OK ? st : zinc_error_at_key(err, st, key);
}

/* The memory limit of object i or a foreign value (n NULL): the user's limit; without one the default, or more if that
 * chunk of the array is larger: chunks may have several lengths. */
static uint64_t
most_bytes(const zinc_cp *c, const zinc_cp_node *n, size_t i)
{
	if (c->o.max_memory > 0 || !n)
		return c->memory;
	return zinc_max_u64(c->memory, zinc_array_object_limit(n->in, zinc_cp_object(n, i)));
}

/* Request the object, or only its first byte: this shows at low cost whether it can be opened. */
static zinc_status
request_object(void *arg, zinc_fetch_item *it, int worker, zinc_error *err)
{
	const struct batch *b = arg;

	(void)worker;
	ZINC_TRY(name_object(b, it->i, false, &it->key, err));
	it->bound = most_bytes(b->c, b->n, b->first + it->i);
	zinc_fetch_want(it, (zinc_get){.length = b->look ? 1 : ZINC_TO_END, .untagged = 1});
	return ZINC_OK;
}

static zinc_status
too_long(void *arg, const zinc_fetch_item *it, uint64_t nbytes, zinc_error *err)
{
	(void)arg;
	return zinc_fail(err, ZINC_E_LIMIT, "%llu bytes, but the limit is %llu", (unsigned long long)nbytes,
			 (unsigned long long)it->bound);
}

static zinc_status
decode_object(const struct batch *b, size_t i, const zinc_array *a, zinc_error *err)
{
	zinc_object_check seen;

	return b->decode ? zinc_array_object_check(a, zinc_cp_object(b->n, b->first + i), &seen, &b->c->wait, err)
			 : ZINC_OK;
}

/* Both have the same bytes, and the target will never appear: to repair it, the user needs the source's name. */
static zinc_status
name_source(const zinc_cp *c, const char *key, zinc_status st, zinc_error *err)
{
	err->url[0] = err->key[0] = '\0';
	zinc_error_at_key(err, st, key);
	return zinc_error_at_url(err, st, c->from->url);
}

/* The parcel takes over its bytes. */
static zinc_status
send_object(struct batch *b, const zinc_fetch_item *it, zinc_error *err)
{
	const size_t nbytes = it->bytes->n;
	zinc_parcel *p = NULL;
	zinc_status st;

	ZINC_TRY(zinc_parcel_new(b->send, it->i, nbytes, &p, err));
	if (!p)
		return ZINC_OK;
	st = name_object(b, it->i, true, &p->key, err);
	if (st != ZINC_OK) {
		zinc_parcel_drop(b->send, p);
		return st;
	}
	__atomic_add_fetch(&b->nbytes, nbytes, __ATOMIC_RELAXED);
	return zinc_parcel_send(b->send, p, it->bytes, err);
}

static zinc_status
put_object(struct batch *b, const zinc_fetch_item *it, int worker, const char *key, zinc_error *err)
{
	zinc_cp *c = b->c;
	zinc_status st;

	if (b->compare)
		st = compare_object(c, key, it->bytes, err);
	else
		st = zinc_store_put(c->to->store, b->groups[worker], key, it->bytes->n ? (void *)it->bytes->p : "",
				    it->bytes->n, NULL, c->to->put_flags, NULL, c->to->wait, err);
	__atomic_add_fetch(&b->nbytes, it->bytes->n, __ATOMIC_RELAXED);
	if (st != ZINC_OK || !b->compare)
		return st == ZINC_OK ? st : zinc_error_at_key(err, st, key);
	st = decode_object(b, it->i, b->n ? b->n->out : NULL, err);
	return st == ZINC_OK ? st : name_source(c, (const char *)it->key.p, st, err);
}

static zinc_status
take_object(void *arg, zinc_fetch_item *it, int worker, bool *again, zinc_error *err)
{
	struct batch *b = arg;
	zinc_buf key;
	zinc_status st;

	(void)again;
	if (it->found == ZINC_MISSING && b->c->unlisted)
		return ZINC_OK;
	if (it->found == ZINC_MISSING)
		return zinc_error_at_key(err, zinc_fail(err, ZINC_E_CONFLICT, "it was erased during the copy"),
					 (const char *)it->key.p);
	if (b->look)
		return decode_object(b, it->i, b->n ? b->n->in : NULL, err);
	if (b->send)
		return send_object(b, it, err);
	zinc_buf_init(&key, b->c->ctx, ZINC_MAX_KEY);
	st = name_object(b, it->i, true, &key, err);
	if (st == ZINC_OK)
		st = put_object(b, it, worker, (const char *)key.p, err);
	zinc_buf_fini(&key);
	return st;
}

/* The first failure ends the batch. */
static void
fail_batch(struct batch *b, zinc_status st, const zinc_error *err)
{
	pthread_mutex_lock(&b->lock);
	if (b->status == ZINC_OK) {
		b->error = *err;
		__atomic_store_n(&b->status, st, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&b->lock);
}

static void
fail_object(void *arg, zinc_fetch_item *it, zinc_status st, zinc_error *err)
{
	if (it->key.n > 0 && err->key[0] == '\0')
		zinc_error_at_key(err, st, (const char *)it->key.p);
	fail_batch(arg, st, err);
}

static void
sent(void *arg, const zinc_parcel *p, zinc_status st, zinc_error *err)
{
	(void)p;
	if (st != ZINC_OK)
		fail_batch(arg, st, err);
}

static bool
halted(void *arg)
{
	struct batch *b = arg;
	zinc_error e = ZINC_ERROR_INIT;

	if (__atomic_load_n(&b->status, __ATOMIC_RELAXED) != ZINC_OK)
		return true;
	if (zinc_wait_check(&b->c->wait, NULL) == ZINC_OK)
		return false;
	fail_batch(b, zinc_fail(&e, ZINC_E_CANCELLED, "cancelled"), &e);
	return true;
}

static bool
stopped(void *arg, size_t i)
{
	(void)i;
	return halted(arg);
}

/* ---- one batch ---- */

static bool
can_decode(const zinc_cp_node *n)
{
	return !n->source->unsupported && !n->in->stack->layered;
}

/* Decoded bytes of the largest chunk of the array, if it will be decoded. */
static uint64_t
decoded_bytes(const zinc_cp *c, const zinc_cp_node *n)
{
	const uint64_t element = n->source->dtype && !n->source->dtype->variable ? n->source->dtype->size : 1;
	uint64_t chunk[ZINC_MAX_NDIM], nbytes;

	if (!c->o.verify || !can_decode(n) || !zinc_array_chunk_shape(n->in, chunk))
		return 0;
	return zinc_shape_bytes(chunk, n->source->ndim, element, UINT64_MAX / 2, &nbytes) ? UINT64_MAX / 2 : nbytes;
}

/* Not more threads than objects fit into memory at once. */
static int
threads_for(const zinc_cp *c, const struct batch *b, size_t n)
{
	uint64_t largest = b->n ? 1 : zinc_max_u64(1, c->foreign_largest);
	uint64_t fit;
	size_t i;

	for (i = 0; b->n && i < n; i++)
		largest = zinc_max_u64(largest, zinc_cp_object_bytes(b->n, b->first + i));
	fit = c->memory / (largest + (b->decode    ? zinc_max_u64(largest, decoded_bytes(c, b->n))
				      : b->compare ? largest
						   : 0));
	return fit < 1 ? 1 : fit < (uint64_t)c->threads ? (int)fit : c->threads;
}

/* End every group, whether or not others failed. */
static zinc_status
end_groups(struct batch *b, int threads, zinc_status st, zinc_error *err)
{
	int i;

	for (i = 0; i < threads; i++) {
		if (!b->groups[i])
			continue;
		if (st == ZINC_OK)
			st = zinc_store_commit(b->c->to->store, b->groups[i], NULL, NULL, b->c->to->wait, err);
		else
			zinc_store_abort(b->c->to->store, b->groups[i]);
	}
	return st;
}

/* An object that is compared or decoded is in memory twice. */
static zinc_status
fetch_batch(struct batch *b, int threads, size_t n, zinc_error *err)
{
	zinc_cp *c = b->c;
	zinc_fetch_item *items = zinc_calloc(c->ctx, (size_t)threads, sizeof *items);
	zinc_error *errors = zinc_calloc(c->ctx, (size_t)threads, sizeof *errors);
	const zinc_status st = items && errors ? ZINC_OK : zinc_fail_nomem(err);
	zinc_fetch f = {.ctx = c->ctx, .store = c->from->store, .threads = threads, .local = items, .arg = b};
	zinc_caps caps = ZINC_CAPS_INIT;
	int i;

	zinc_store_caps(c->from->store, &caps);
	f.caps = &caps;
	f.in_flight = b->compare || b->decode || b->send ? c->memory / 2 : c->memory;
	f.stopped = stopped;
	f.halted = halted;
	f.wait = &c->wait;
	f.want = request_object;
	f.take = take_object;
	f.fail = fail_object;
	f.too_long = too_long;
	for (i = 0; st == ZINC_OK && i < threads; i++)
		zinc_fetch_item_init(&items[i], c->ctx, NULL, &errors[i]);
	if (st == ZINC_OK)
		zinc_fetch_run(&f, n);
	for (i = 0; st == ZINC_OK && i < threads; i++)
		zinc_fetch_item_fini(&items[i]);
	zinc_free(c->ctx, items);
	zinc_free(c->ctx, errors);
	return st;
}

/* Prepare a sender, or groups, for the puts. */
static zinc_status
begin_puts(struct batch *b, int threads, zinc_error *err)
{
	zinc_cp *c = b->c;
	zinc_caps caps = ZINC_CAPS_INIT;
	int i;

	if (b->compare || b->look)
		return ZINC_OK;
	zinc_store_caps(c->to->store, &caps);
	if (caps.flags & ZINC_CAP_REMOTE) {
		const zinc_sending how = {.ctx = c->ctx,
					  .store = c->to->store,
					  .parallel = caps.parallel,
					  .threads = threads,
					  .in_flight = c->memory / 2,
					  .put_flags = c->to->put_flags,
					  .wait = c->to->wait,
					  .arg = b,
					  .stopped = stopped,
					  .halted = halted,
					  .done = sent};

		return zinc_send_begin(&b->send, &how, err);
	}
	for (i = 0; i < threads; i++)
		ZINC_TRY(zinc_store_put_begin(c->to->store, &b->groups[i], c->to->put_flags, c->to->wait, err));
	return ZINC_OK;
}

static zinc_status
end_puts(struct batch *b, int threads, zinc_status st, zinc_error *err)
{
	zinc_status ended;

	if (!b->send)
		return end_groups(b, threads, st, err);
	ended = zinc_send_end(b->send, st == ZINC_OK ? err : NULL);
	b->send = NULL;
	return st == ZINC_OK ? ended : st;
}

static zinc_status
run_batch(struct batch *b, size_t n, zinc_error *err)
{
	zinc_cp *c = b->c;
	const int threads = threads_for(c, b, n);
	zinc_status st;

	b->groups = zinc_calloc(c->ctx, (size_t)threads, sizeof *b->groups);
	if (!b->groups)
		return zinc_fail_nomem(err);
	pthread_mutex_init(&b->lock, NULL);
	st = begin_puts(b, threads, err);
	if (st == ZINC_OK)
		st = fetch_batch(b, threads, n, err);
	if (st == ZINC_OK && b->send)
		zinc_send_flush(b->send);
	if (st == ZINC_OK && b->status != ZINC_OK)
		st = zinc_error_copy(err, &b->error);
	st = end_puts(b, threads, st, err);
	pthread_mutex_destroy(&b->lock);
	zinc_free(c->ctx, b->groups);
	return st;
}

/* ---- steps ---- */

/* The objects [first, first + count) of step number `step`; false: there is no such step.  Steps are done in order,
 * so the node stores where the last one began. */
static bool
find_batch(zinc_cp_node *n, uint64_t step, size_t *first, size_t *count)
{
	if (step < n->batch) {
		n->batch = 0;
		n->batch_at = 0;
	}
	for (;; n->batch++) {
		size_t at = n->batch_at;
		uint64_t nbytes = 0;

		while (at < n->nobjects && at - n->batch_at < BATCH_OBJECTS && nbytes < BATCH_BYTES)
			nbytes += zinc_cp_object_bytes(n, at++);
		*first = n->batch_at;
		*count = at - n->batch_at;
		if (n->batch == step || *count == 0)
			return *count > 0;
		n->batch_at = at;
	}
}

/* Does memory have room for `copies` of an object that may have `most` bytes? */
static zinc_status
check_size(const zinc_cp *c, uint64_t most, uint64_t nbytes, uint64_t copies, const char *key, zinc_error *err)
{
	zinc_status st;

	if (nbytes <= (c->o.max_memory > 0 ? most / copies : most))
		return ZINC_OK;
	st = zinc_fail(err, ZINC_E_LIMIT, "its %llu bytes are held in memory %s, but max-memory is %llu",
		       (unsigned long long)nbytes, copies == 1 ? "as a whole" : "twice, to verify them",
		       (unsigned long long)most);
	return zinc_error_at_key(err, st, key);
}

/* The same for an object and its decoded bytes. */
static zinc_status
check_decoded(const zinc_cp *c, uint64_t nbytes, uint64_t decoded, const char *key, zinc_error *err)
{
	zinc_status st;

	if (c->o.max_memory == 0 || (decoded <= c->o.max_memory && nbytes <= c->o.max_memory - decoded))
		return ZINC_OK;
	st = zinc_fail(err, ZINC_E_LIMIT,
		       "its %llu bytes and the %llu decoded from them are held in memory, to verify them, but "
		       "max-memory is %llu",
		       (unsigned long long)nbytes, (unsigned long long)decoded, (unsigned long long)c->o.max_memory);
	return zinc_error_at_key(err, st, key);
}

static zinc_status
check_objects(zinc_cp *c, const zinc_cp_node *n, zinc_error *err)
{
	struct batch b = {.c = c, .n = n};
	zinc_buf key;
	zinc_status st;
	size_t i;

	if (n->nobjects == 0)
		return ZINC_OK;
	for (i = 1; i < n->nobjects; i++)
		if (zinc_cp_object_bytes(n, i) > zinc_cp_object_bytes(n, b.first))
			b.first = i;
	zinc_buf_init(&key, c->ctx, ZINC_MAX_KEY);
	st = name_object(&b, 0, false, &key, err);
	if (st == ZINC_OK)
		st = check_size(c, most_bytes(c, n, b.first), zinc_cp_object_bytes(n, b.first), c->o.verify ? 2 : 1,
				(const char *)key.p, err);
	if (st == ZINC_OK)
		st = check_decoded(c, zinc_cp_object_bytes(n, b.first), decoded_bytes(c, n), (const char *)key.p, err);
	zinc_buf_fini(&key);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, c->from->url);
}

static zinc_status
check_foreign(const zinc_cp *c, zinc_error *err)
{
	zinc_status st;

	if (c->foreign.n == 0)
		return ZINC_OK;
	st = check_size(c, most_bytes(c, NULL, 0), c->foreign_largest, 1,
			(const char *)c->foreign.p + c->foreign_largest_at, err);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, c->from->url);
}

zinc_status
zinc_cp_raw_plan(zinc_cp *c, zinc_error *err)
{
	size_t i, first, count;

	ZINC_TRY(check_foreign(c, err));
	for (i = 0; i < c->nnodes; i++) {
		zinc_cp_node *n = &c->nodes[i];

		if (n->kind != ZINC_NODE_ARRAY || n->left_out || n->way != ZINC_CP_RAW)
			continue;
		ZINC_TRY(check_objects(c, n, err));
		while (find_batch(n, n->steps, &first, &count))
			n->steps++;
		n->units = n->nobjects;
	}
	c->foreign_steps = c->foreign.n > 0 ? (c->nforeign + BATCH_OBJECTS - 1) / BATCH_OBJECTS : 0;
	return ZINC_OK;
}

zinc_status
zinc_cp_raw_step(zinc_cp *c, zinc_cp_node *n, uint64_t step, zinc_error *err)
{
	struct batch b = {.c = c, .n = n};
	size_t count = 0;

	if (!find_batch(n, step, &b.first, &count))
		return ZINC_OK;
	ZINC_TRY(run_batch(&b, count, err));
	c->n.raw += count;
	return zinc_cp_progress(c, count, b.nbytes, err);
}

zinc_status
zinc_cp_raw_verify(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	struct batch b = {.c = c, .n = n, .compare = true, .decode = can_decode(n)};
	uint64_t step;
	size_t count;

	for (step = 0; find_batch(n, step, &b.first, &count); step++)
		if (zinc_cp_mine(c, n->first_step + step))
			ZINC_TRY(run_batch(&b, count, err));
	return ZINC_OK;
}

zinc_status
zinc_cp_raw_trial(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	struct batch b = {.c = c, .n = n, .look = true, .decode = c->o.verify && can_decode(n)};
	uint64_t step;
	size_t count;

	for (step = 0; find_batch(n, step, &b.first, &count); step++) {
		ZINC_TRY(run_batch(&b, count, err));
		ZINC_TRY(zinc_cp_trial_progress(c, count, err));
	}
	return ZINC_OK;
}

/* The foreign keys of step number `step`: from, to. */
static size_t
foreign_keys(const zinc_cp *c, uint64_t step, const char **keys)
{
	const char *key = NULL;
	size_t n = 0;
	uint64_t at;

	for (at = 0; at < c->nforeign && n < BATCH_OBJECTS; at++) {
		const char *from = zinc_cp_next(&c->foreign, key);

		key = zinc_cp_next(&c->foreign, from);
		if (at < step * BATCH_OBJECTS)
			continue;
		keys[2 * n] = from;
		keys[2 * n++ + 1] = key;
	}
	return n;
}

zinc_status
zinc_cp_foreign_trial(zinc_cp *c, zinc_error *err)
{
	const char *keys[2 * BATCH_OBJECTS];
	struct batch b = {.c = c, .keys = keys, .look = true};
	uint64_t step;

	for (step = 0; step < c->foreign_steps; step++) {
		const size_t n = foreign_keys(c, step, keys);

		ZINC_TRY(run_batch(&b, n, err));
		ZINC_TRY(zinc_cp_trial_progress(c, n, err));
	}
	return ZINC_OK;
}

zinc_status
zinc_cp_foreign_step(zinc_cp *c, uint64_t step, zinc_error *err)
{
	const char *keys[2 * BATCH_OBJECTS];
	struct batch b = {.c = c, .keys = keys};
	const size_t n = foreign_keys(c, step, keys);

	ZINC_TRY(run_batch(&b, n, err));
	c->n.raw += n;
	return zinc_cp_progress(c, n, b.nbytes, err);
}
