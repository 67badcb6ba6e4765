/*
 * shard_change.c - change some inner chunks of a stored shard; the new ones are already encoded
 *
 *     old                  [a][b][c][index]               put b', erase c
 *     in order             [a][b'][index]                 rewritten, without gaps
 *     append               [a][b][c][index][b'][index]    old bytes stay; the index no longer has old b and c
 *
 * Promises (tests/unit/test_shard_change.c names each by its number):
 *
 * (1) If no edit changes anything, only the index is read and nothing is written.
 * (2) A shard without inner chunks is erased.  If the store refuses that, its index is stored, in which all are missing.
 * (3) A condition, and the old bytes from which an edit is made, belong to the generation that is replaced.
 */
#include "shard/shard.h"

void
zinc_shard_change_init(zinc_shard_change *c, zinc_context *ctx, const zinc_shard_layout *l, zinc_chunk_edit *edits,
		       size_t n)
{
	*c = (zinc_shard_change){.ctx = ctx, .layout = l, .edits = edits, .nedits = n};
	zinc_buf_init(&c->memory, ctx, 0);
	zinc_buf_init(&c->fresh, ctx, 0);
	zinc_buf_init(&c->tail, ctx, 0);
	zinc_buf_init(&c->chunk, ctx, 0);
	zinc_buf_init(&c->joined, ctx, 0);
}

void
zinc_shard_change_fini(zinc_shard_change *c)
{
	zinc_buf_fini(&c->memory);
	zinc_buf_fini(&c->fresh);
	zinc_buf_fini(&c->tail);
	zinc_buf_fini(&c->chunk);
	zinc_buf_fini(&c->joined);
}

/* ---- before the edits are applied ---- */

static zinc_status
check_condition(const zinc_shard_change *c, const zinc_shard_entry *was, zinc_error *err)
{
	const zinc_when when = c->when ? c->when->when : ZINC_ANY;
	size_t i;

	for (i = 0; i < c->nedits; i++) {
		const bool found = !zinc_shard_entry_empty(&was[c->edits[i].position]);

		if (when == ZINC_ABSENT && found)
			return zinc_fail(err, ZINC_E_EXISTS, "the key exists");
		if (when == ZINC_EQUALS && !(found && zinc_tag_equal(c->when->tag, &c->seen)))
			return zinc_fail(err, ZINC_E_CONFLICT, "the value has changed");
	}
	return ZINC_OK;
}

/* The old bytes of an inner chunk; out->p is NULL only if it is missing. */
static zinc_status
read_chunk(zinc_shard_change *c, const zinc_shard_entry *e, const zinc_old *old, zinc_bytes *out, zinc_error *err)
{
	const uint64_t limit = c->limit ? c->limit : zinc_max_chunk(c->ctx);

	*out = (zinc_bytes){zinc_shard_entry_empty(e) ? NULL : (const uint8_t *)"", 0};
	if (!out->p || e->nbytes == 0)
		return ZINC_OK;
	if (e->nbytes > limit)
		return zinc_fail(err, ZINC_E_LIMIT, "the value is longer than the limit of %llu bytes",
				 (unsigned long long)limit);
	return zinc_shard_read_old(old, e->offset, e->nbytes, &c->chunk, out, err);
}

static zinc_status
revise_edits(zinc_shard_change *c, const zinc_shard_entry *was, const zinc_old *old, zinc_error *err)
{
	zinc_bytes bytes;
	size_t i;

	for (i = 0; c->revise && i < c->nedits; i++) {
		ZINC_TRY(read_chunk(c, &was[c->edits[i].position], old, &bytes, err));
		ZINC_TRY(c->revise(c->arg, i, bytes, err));
	}
	return ZINC_OK;
}

/* ---- the new shard ---- */

/* Does any edit change the shard?  Erasing a missing inner chunk does not. */
static bool
changes(const zinc_shard_change *c, const zinc_shard_entry *was)
{
	size_t i;

	for (i = 0; i < c->nedits; i++)
		if (c->edits[i].what == ZINC_CHUNK_PUT ||
		    (c->edits[i].what == ZINC_CHUNK_ERASE && !zinc_shard_entry_empty(&was[c->edits[i].position])))
			return true;
	return false;
}

/* The edit of a position, or NULL; edits are sorted by position. */
static const zinc_chunk_edit *
edit_of(const zinc_shard_change *c, uint64_t position)
{
	size_t low = 0, high = c->nedits;

	if (c->nedits == c->layout->n) /* one for each */
		return &c->edits[position];
	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (c->edits[mid].position < position)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->nedits && c->edits[low].position == position ? &c->edits[low] : NULL;
}

static void
place(zinc_shard_build *b, const zinc_chunk_edit *e)
{
	if (e->what == ZINC_CHUNK_PUT)
		zinc_shard_build_put(b, e->position, e->bytes, e->nbytes);
	else if (e->what == ZINC_CHUNK_ERASE)
		zinc_shard_build_erase(b, e->position);
}

/* All inner chunks in order, old or new, without gaps. */
static void
place_all(const zinc_shard_change *c, zinc_shard_build *b)
{
	uint64_t i;

	for (i = 0; i < c->layout->n; i++) {
		const uint64_t at = c->sequence ? c->sequence[i] : i;
		const zinc_chunk_edit *e = edit_of(c, at);

		if (!e || e->what == ZINC_CHUNK_KEEP)
			zinc_shard_build_keep(b, at);
		else
			place(b, e);
	}
}

/* The old shard, then the new inner chunks. */
static void
append_new(const zinc_shard_change *c, zinc_shard_build *b, uint64_t nold)
{
	size_t i;

	zinc_shard_build_append(b, nold);
	for (i = 0; i < c->nedits; i++)
		place(b, &c->edits[i]);
}

static zinc_status
apply(zinc_shard_change *c, zinc_scratch *scratch, const zinc_old *old, zinc_splice *out, zinc_error *err)
{
	zinc_shard_build b;

	ZINC_TRY(zinc_shard_build_begin(&b, c->layout, &c->memory, 0, &c->fresh, 0, err));
	ZINC_TRY(zinc_shard_build_load(&b, scratch, old->found ? old : NULL, &c->tail, err));
	ZINC_TRY(check_condition(c, b.was, err));
	ZINC_TRY(revise_edits(c, b.was, old, err));
	out->keep = !changes(c, b.was);
	if (out->keep)
		return ZINC_OK;
	if (old->found && c->append)
		append_new(c, &b, old->nbytes);
	else
		place_all(c, &b);
	c->erases = zinc_shard_build_is_empty(&b) && !(c->no_erase && old->found);
	if (!c->erases)
		return zinc_shard_build_end(&b, scratch, out, err);
	out->erase = old->found;
	out->keep = !old->found;
	return ZINC_OK;
}

zinc_status
zinc_shard_change_splice(void *change, const zinc_old *old, zinc_splice *out, zinc_error *err)
{
	zinc_shard_change *c = (zinc_shard_change *)change;
	zinc_scratch *scratch = zinc_scratch_get(c->ctx);
	zinc_status st;

	if (!scratch)
		return zinc_fail_nomem(err);
	out->nparts = 0;
	out->erase = 0;
	c->erases = false;
	st = apply(c, scratch, old, out, err);
	zinc_scratch_put(scratch);
	return st;
}

zinc_status
zinc_shard_change_whole(zinc_shard_change *c, const zinc_bytes *old, zinc_update *out, zinc_error *err)
{
	*out = (zinc_update){.size = sizeof *out};
	return zinc_splice_whole(zinc_shard_change_splice, c, old, &c->joined, out, err);
}

/* ---- the stored shard ---- */

/* Did the store refuse to erase the shard on condition that nobody changed it?  Then its index is put instead. */
static bool
must_stay(zinc_shard_change *c, zinc_status st)
{
	const bool refused = st == ZINC_E_UNSUPPORTED && c->erases;

	c->no_erase = c->no_erase || refused;
	c->erases = false;
	return refused;
}

zinc_status
zinc_shard_change_run(zinc_shard_change *c, zinc_store *store, const char *key, int single_writer, uint32_t flags,
		      const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	int k;

	for (k = 0; k < 2; k++) {
		st = zinc_store_splice(store, key, zinc_shard_change_splice, c, single_writer, zinc_max_chunk(c->ctx),
				       flags, wait, &e);
		if (!must_stay(c, st))
			break;
	}
	return st == ZINC_OK ? st : zinc_error_copy(err, &e);
}

static zinc_status
change_memory(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	const zinc_bytes shard = {(const uint8_t *)old, nold};

	return zinc_shard_change_whole((zinc_shard_change *)arg, old ? &shard : NULL, out, err);
}

zinc_status
zinc_shard_change_if(zinc_shard_change *c, zinc_store *store, const char *key, const zinc_condition *when,
		     zinc_tag *tag, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	int k;

	c->when = when;
	for (k = 0; k < 2; k++) {
		st = zinc_store_update_tagged(store, key, change_memory, c, &c->seen, tag, zinc_max_chunk(c->ctx),
					      flags, wait, &e);
		if (!must_stay(c, st))
			break;
	}
	return st == ZINC_OK ? st : zinc_error_copy(err, &e);
}

zinc_status
zinc_shard_change_replace(zinc_shard_change *c, zinc_store *store, zinc_put_group *group, const char *key,
			  uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zinc_update u;

	ZINC_TRY(zinc_shard_change_whole(c, NULL, &u, err));
	if (u.keep) /* nothing is put */
		return zinc_store_del(store, group, key, NULL, flags, wait, err);
	return zinc_store_put(store, group, key, u.bytes, u.nbytes, NULL, flags, NULL, wait, err);
}
