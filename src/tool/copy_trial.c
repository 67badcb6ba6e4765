/*
 * copy_trial.c - check the source before an old target is erased for its copy
 *
 * Promises:
 *
 * (1) Foreseeable failures occur while the old target still exists: every element is read, decoded and converted as in
 *     the copy, in its boxes and within its memory.  If codecs of the target may refuse an element, it is also encoded;
 *     otherwise one box is, which shows whether they work at all.
 * (2) Objects and keys that are copied as they are stored are opened, and their first byte is read; if the copy will be
 *     verified, objects are decoded.
 * (3) Nothing is written: encoded objects are put into a store that discards them.
 */
#include "tool/copy.h"

/* ---- a store that keeps nothing ---- */

static void
nowhere_close(void *self)
{
	(void)self;
}

static void
nowhere_caps(void *self, zinc_caps *out)
{
	(void)self;
	out->flags = ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_ATOMIC_PUT;
}

static zinc_status
nowhere_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	    zinc_error *err)
{
	size_t i;

	(void)self, (void)requests, (void)wait, (void)err;
	for (i = 0; i < n; i++)
		zinc_sink_missing(sink, i);
	return ZINC_OK;
}

static zinc_status
nowhere_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)self, (void)group, (void)puts, (void)flags, (void)wait, (void)err;
	for (i = 0; i < n; i++)
		zinc_done_report(done, i, ZINC_OK, NULL, NULL);
	return ZINC_OK;
}

static zinc_status
nowhere_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)self, (void)group, (void)dels, (void)flags, (void)wait, (void)err;
	for (i = 0; i < n; i++)
		zinc_done_report(done, i, ZINC_OK, NULL, NULL);
	return ZINC_OK;
}

static const zinc_store_ops nowhere_ops = {
    .size = sizeof(zinc_store_ops),
    .name = "nowhere",
    .purpose = "discards what is put",
    .close = nowhere_close,
    .caps = nowhere_caps,
    .get = nowhere_get,
    .put = nowhere_put,
    .del = nowhere_del,
};

static zinc_status
open_nowhere(zinc_cp *c, zinc_hierarchy **h, zinc_error *err)
{
	zinc_store *store = NULL;
	zinc_status st;

	ZINC_TRY(zinc_store_wrap(&store, c->ctx, &nowhere_ops, c, "nowhere://", err));
	st = zinc_hierarchy_open(h, store, "",
				 ZINC_OPEN_OPTIONS(.context = c->ctx, .format = c->to->format->id, .create = 1), err);
	zinc_store_close(store);
	return st;
}

/* ---- elements ---- */

/* Compressors and checksums, which accept any bytes; this is not known of others. */
static bool
accepts_any(const zinc_codec *codec)
{
	static const char prefix[] = "numcodecs.";
	static const char *const names[] = {"crc32c", "gzip", "zstd",  "blosc",   "zlib",       "bz2",
					    "lzma",   "lz4",  "crc32", "adler32", "fletcher32", "jenkins_lookup3",
					    NULL};
	const char *name = codec->ops->name;
	const char *const *k;

	if (strncmp(name, prefix, sizeof prefix - 1) == 0)
		name += sizeof prefix - 1;
	for (k = names; *k; k++)
		if (strcmp(name, *k) == 0)
			return true;
	return false;
}

/* May the target refuse an element of its type, like codecs that convert numbers? */
static bool
may_refuse(const zinc_chain *chain)
{
	int i;

	for (i = 0; i < chain->nbb; i++)
		if (!accepts_any(chain->bb[i]))
			return true;
	if (!chain->reorders_only)
		return true;
	return chain->shard ? may_refuse(chain->shard->inner) : strcmp(chain->ab->ops->name, "bytes") != 0;
}

static zinc_status
check_boxes(zinc_cp *c, zinc_cp_node *n, zinc_hierarchy *nowhere, zinc_error *err)
{
	const bool encode = may_refuse(n->target->chain);
	zinc_cp_plan p;
	zinc_status st;

	ZINC_TRY(zinc_cp_boxes_plan(c, n, &p, err));
	ZINC_TRY(zinc_array_make(&n->trial, nowhere, n->to, n->target, err));
	st = zinc_cp_boxes_trial(c, n, &p, encode, err);
	zinc_array_close(n->trial);
	n->trial = NULL;
	return st;
}

/* ---- everything ---- */

zinc_status
zinc_cp_trial_progress(zinc_cp *c, uint64_t units, zinc_error *err)
{
	c->units_done = zinc_min_u64(c->units_done + units, c->look_until);
	if (zinc_wait_check(&c->wait, NULL) != ZINC_OK ||
	    (c->call.progress && c->call.progress(c->call.progress_arg, c->units_done, c->units, c->n.bytes) != 0))
		return zinc_fail(err, ZINC_E_CANCELLED, "cancelled; nothing was erased");
	return ZINC_OK;
}

static zinc_status
check_nodes(zinc_cp *c, zinc_hierarchy *nowhere, zinc_error *err)
{
	size_t i;

	for (i = 0; i < c->nnodes; i++) {
		zinc_cp_node *n = &c->nodes[i];

		if (n->steps == 0)
			continue;
		c->look_until += n->units;
		ZINC_TRY(n->way == ZINC_CP_RAW ? zinc_cp_raw_trial(c, n, err) : check_boxes(c, n, nowhere, err));
		c->units_done = c->look_until;
	}
	return ZINC_OK;
}

zinc_status
zinc_cp_trial(zinc_cp *c, zinc_error *err)
{
	zinc_hierarchy *nowhere = NULL;
	zinc_status st;

	c->look_until = c->nforeign;
	c->units *= 2; /* the progress has two parts: checking and copying */
	ZINC_TRY(zinc_cp_foreign_trial(c, err));
	ZINC_TRY(open_nowhere(c, &nowhere, err));
	st = check_nodes(c, nowhere, err);
	zinc_hierarchy_close(nowhere);
	return st;
}
