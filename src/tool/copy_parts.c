/*
 * copy_parts.c - one copy by several processes
 *
 * Steps are dealt out in turn: of N parts, part K has the steps K - 1, K - 1 + N, ...  Each step writes whole objects
 * of the target, so no two parts write the same one.
 *
 *   __zinc_cp.json      the copy: put by the part that comes first, the others compare it with their own plan
 *   __zinc_cp.K.json    part K: how many of its steps are done; "complete": 1 after the last one, and after verification
 *
 * The part that finds all others complete puts its number as "ending" into the first journal, then the documents, and
 * removes all journals, the first one last.
 *
 * Promises (tests/unit/test_copy_parts.c names each by its number):
 *
 * (1) No document is put before all parts are complete: a copy with a missing part has no node, but a journal.
 * (2) A part can be interrupted at any time and resumed, also while it puts the documents.
 * (3) All parts have the same source, options, plan and number of parts, else E_CONFLICT.
 * (4) Every put of a journal is conditional: of two processes with the same part one fails, and does no harm; of two
 *     that end at once one puts the documents.
 * (5) Without conditional puts: E_UNSUPPORTED, before anything is written.
 * (6) An old target, also a copy that no part can join, is erased by part 1 only, before any other part can begin.
 */
#include <stdio.h>

#include "tool/copy.h"

/* A journal as it is stored. */
struct stored {
	bool found;
	zinc_tag tag;
	uint64_t done, complete, ending;
};

zinc_status
zinc_cp_parts_check(zinc_cp *c, zinc_error *err)
{
	const uint32_t need = ZINC_CAP_CAS | ZINC_CAP_TAGS | ZINC_CAP_ERASE;
	zinc_caps caps = ZINC_CAPS_INIT;

	c->nparts = 1;
	if (c->o.part == 0 && c->o.nparts == 0)
		return ZINC_OK;
	if (c->o.part < 1 || c->o.part > c->o.nparts)
		return zinc_fail(err, ZINC_E_INVALID, "there is no part %d of %d", c->o.part, c->o.nparts);
	zinc_store_caps(c->to->store, &caps);
	if ((caps.flags & need) != need) /* promise (5) */
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "a copy in parts needs a store with conditional puts, so that its processes agree");
	c->nparts = (uint64_t)c->o.nparts;
	c->part = (uint64_t)c->o.part - 1;
	return ZINC_OK;
}

bool
zinc_cp_divided(const zinc_cp *c)
{
	return c->o.nparts > 0;
}

bool
zinc_cp_part_erases(const zinc_cp *c)
{
	return zinc_cp_divided(c) && c->part == 0 && c->o.overwrite && !c->o.resume;
}

bool
zinc_cp_mine(const zinc_cp *c, uint64_t step)
{
	return step % c->nparts == c->part;
}

bool
zinc_cp_due(const zinc_cp *c, uint64_t step)
{
	return zinc_cp_mine(c, step) && step / c->nparts >= c->done;
}

uint64_t
zinc_cp_share(const zinc_cp *c, uint64_t steps)
{
	return steps / c->nparts + (steps % c->nparts > c->part);
}

zinc_status
zinc_cp_part_note(zinc_cp *c, zinc_error *err)
{
	return zinc_cp_note(c, ZINC_COPY_PLAN, c->from_path, err, "part %d of %d does %llu of %llu steps", c->o.part,
			    c->o.nparts, (unsigned long long)zinc_cp_share(c, c->steps), (unsigned long long)c->steps);
}

/* ---- journals ---- */

static zinc_status
name_journal(const zinc_cp *c, uint64_t part, zinc_buf *key, zinc_error *err)
{
	const char *first = (const char *)c->journal_key.p;

	zinc_buf_end(key, 0);
	ZINC_TRY(zinc_buf_printf(key, err, "%.*s" ZINC_CP_PART "%llu.json",
				 (int)(strlen(first) - strlen(ZINC_CP_JOURNAL)), first, (unsigned long long)part + 1));
	return zinc_buf_text(key) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
parse(zinc_cp *c, const zinc_blob *text, struct stored *out, zinc_error *err)
{
	zinc_json_doc *doc;
	const zinc_json *root;
	zinc_status st;

	st = zinc_cp_journal_parse(c, text, &doc, err);
	if (st != ZINC_OK)
		return st;
	root = zinc_json_root(doc);
	(void)!zinc_json_u64(zinc_json_member(root, "done"), &out->done);
	(void)!zinc_json_u64(zinc_json_member(root, "complete"), &out->complete);
	(void)!zinc_json_u64(zinc_json_member(root, "ending"), &out->ending);
	zinc_json_free(doc);
	return zinc_cp_journal_fits(c) ? ZINC_OK
				       : zinc_fail(err, ZINC_E_CONFLICT,
						   "the target has a copy in parts with another plan; erase it first");
}

static zinc_status
get(zinc_cp *c, const char *key, struct stored *out, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	*out = (struct stored){.found = false};
	st = zinc_store_get_all(c->to->store, key, &text, &out->tag, c->ctx->limits.json_bytes, c->to->wait, &e);
	if (st == ZINC_E_NOTFOUND)
		return ZINC_OK;
	if (st != ZINC_OK)
		return zinc_error_at_key(err, zinc_error_copy(err, &e), key);
	out->found = true;
	st = parse(c, &text, out, err);
	zinc_blob_fini(&text);
	return st == ZINC_OK ? st : zinc_error_at_key(err, st, key);
}

/* Promise (4).  `tag` is that of the journal before, and becomes that of the new one; n == 0: there is none. */
static zinc_status
put(zinc_cp *c, const char *key, const char *more, uint64_t number, zinc_tag *tag, zinc_error *err)
{
	const zinc_condition when = {tag->n > 0 ? ZINC_EQUALS : ZINC_ABSENT, tag};
	zinc_tag fresh = {.n = 0};
	zinc_status st;
	zinc_buf text;

	zinc_buf_init(&text, c->ctx, zinc_max_document(c->ctx));
	st = zinc_cp_journal_print(c, more, number, &text, err);
	if (st == ZINC_OK)
		st = zinc_store_put(c->to->store, NULL, key, text.p, text.n, &when, c->to->put_flags, &fresh,
				    c->to->wait, err);
	zinc_buf_fini(&text);
	if (st == ZINC_OK)
		*tag = fresh;
	return st;
}

static zinc_status
put_mine(zinc_cp *c, bool complete, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = put(c, (const char *)c->part_key.p, "complete", complete, &c->part_tag, &e);

	c->saved = zinc_now(c->ctx);
	c->saved_bytes = c->n.bytes;
	if (st == ZINC_E_EXISTS || st == ZINC_E_CONFLICT)
		st = zinc_fail(&e, ZINC_E_CONFLICT, "another process works on part %d", c->o.part);
	return st == ZINC_OK ? st : zinc_error_at_key(err, zinc_error_copy(err, &e), (const char *)c->part_key.p);
}

zinc_status
zinc_cp_part_save(zinc_cp *c, zinc_error *err)
{
	return c->ending ? ZINC_OK : put_mine(c, false, err);
}

/* ---- the beginning ---- */

/* Someone else puts the documents, or was interrupted there. */
static zinc_status
join_ending(zinc_cp *c, const struct stored *copy, zinc_error *err)
{
	c->ending = true;
	if (c->o.resume)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_EXISTS,
			 "all parts are complete, and part %llu ends the copy; if that was interrupted, resume",
			 (unsigned long long)copy->ending);
}

zinc_status
zinc_cp_part_begin(zinc_cp *c, zinc_error *err)
{
	struct stored copy, mine;

	ZINC_TRY(get(c, (const char *)c->journal_key.p, &copy, err));
	if (!copy.found)
		return zinc_fail(err, ZINC_E_CONFLICT, "the copy has just ended, or was erased");
	if (copy.ending > 0)
		return join_ending(c, &copy, err);
	ZINC_TRY(name_journal(c, c->part, &c->part_key, err));
	ZINC_TRY(get(c, (const char *)c->part_key.p, &mine, err));
	c->done = 0;
	c->part_tag.n = 0;
	if (!mine.found)
		return put_mine(c, false, err);
	if (!mine.complete && !c->o.resume)
		return zinc_fail(err, ZINC_E_EXISTS, "part %d runs, or was interrupted; resume continues it",
				 c->o.part);
	c->done = mine.done;
	c->part_tag = mine.tag;
	c->complete = mine.complete != 0;
	return c->complete ? ZINC_OK : put_mine(c, false, err);
}

/* ---- the end ---- */

/* How many parts are not complete?  Names the first ones. */
static zinc_status
count_missing(zinc_cp *c, uint64_t *missing, char *names, size_t room, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	struct stored other;
	size_t used = 0;
	zinc_buf key;
	uint64_t i;

	*missing = 0;
	names[0] = '\0';
	zinc_buf_init(&key, c->ctx, ZINC_MAX_KEY);
	for (i = 0; i < c->nparts && st == ZINC_OK; i++) {
		st = name_journal(c, i, &key, err);
		if (st == ZINC_OK)
			st = get(c, zinc_buf_text(&key), &other, err);
		if (st != ZINC_OK || (other.found && other.complete))
			continue;
		++*missing;
		if (used + 24 < room)
			used += (size_t)snprintf(names + used, room - used, "%s%llu", used ? ", " : "",
						 (unsigned long long)i + 1);
	}
	zinc_buf_fini(&key);
	return st;
}

/* Of parts that end at once, one is the last.  *mine: this one puts the documents. */
static zinc_status
elect(zinc_cp *c, bool *mine, zinc_error *err)
{
	const char *key = (const char *)c->journal_key.p;
	zinc_error e = ZINC_ERROR_INIT;
	struct stored copy;
	zinc_status st;

	*mine = false;
	ZINC_TRY(get(c, key, &copy, err));
	if (!copy.found || (copy.ending > 0 && !c->ending))
		return ZINC_OK;
	c->resuming = copy.ending > 0; /* some documents may exist */
	st = put(c, key, "ending", (uint64_t)c->o.part, &copy.tag, &e);
	if (st == ZINC_E_CONFLICT || st == ZINC_E_EXISTS)
		return ZINC_OK;
	*mine = st == ZINC_OK;
	return st == ZINC_OK ? st : zinc_error_at_key(err, zinc_error_copy(err, &e), key);
}

static zinc_status
remove_journals(zinc_cp *c, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	zinc_buf key;
	uint64_t i;

	zinc_buf_init(&key, c->ctx, ZINC_MAX_KEY);
	for (i = 0; i < c->nparts && st == ZINC_OK; i++) {
		st = name_journal(c, i, &key, err);
		if (st == ZINC_OK)
			st = zinc_store_del(c->to->store, NULL, zinc_buf_text(&key), NULL, c->to->put_flags,
					    c->to->wait, err);
	}
	zinc_buf_fini(&key);
	return st == ZINC_OK ? zinc_cp_journal_end(c, err) : st;
}

static zinc_status
note_missing(zinc_cp *c, uint64_t missing, const char *names, zinc_error *err)
{
	c->n.parts_left = missing;
	return zinc_cp_note(c, ZINC_COPY_NOTICE, c->from_path, err,
			    "part %d of %d is done; the copy appears after the last one, still to do: %s%s", c->o.part,
			    c->o.nparts, names, strlen(names) > 100 ? " ..." : "");
}

zinc_status
zinc_cp_part_end(zinc_cp *c, zinc_error *err)
{
	uint64_t missing = 0;
	char names[128];
	bool mine;

	if (!c->ending) {
		if (!c->complete)
			ZINC_TRY(put_mine(c, true, err));
		ZINC_TRY(count_missing(c, &missing, names, sizeof names, err));
	}
	if (missing > 0)
		return note_missing(c, missing, names, err);
	ZINC_TRY(elect(c, &mine, err));
	if (!mine)
		return zinc_cp_note(c, ZINC_COPY_NOTICE, c->from_path, err,
				    "all parts are done; another one puts the documents");
	ZINC_TRY(zinc_cp_documents(c, err));
	return remove_journals(c, err);
}
