/*
 * erase.c - erasing nodes, in every version of Zarr
 *
 * Promises (tests/unit/test_erase.c names each by its number):
 *
 * (1) Documents are erased before data: an interrupted erase never leaves an array without some of its chunks.
 * (2) Nothing is erased unless everything below the node is certainly its own (own.c), or the caller forces it.  An
 *     erase that is refused has not erased any key.
 * (3) A dry run reports the same nodes and fails in the same cases as the erase itself.
 * (4) What an interrupted erase leaves behind has no document any more, and is erased only by force.
 * (5) A link is erased and its target stays, also when somebody creates the link during the erase.
 * (6) Erasing the root of a draft erases the hierarchy, the entry point last: until then the erase can be repeated.
 * (7) Nothing is erased to make room for a node that could not be created there.
 * (8) Nothing is erased from a group that must not be opened, unless it is forced.
 */
#include "format/draft.h"
#include "format/own.h"

/* ---- the deed ---- */

/* Is the key one of the documents to be erased? */
static bool
is_listed(const zinc_survey *s, const char *key)
{
	const char *one;
	size_t at;

	for (at = 0; at < s->documents.n; at += strlen(one) + 1) {
		one = (const char *)s->documents.p + at;
		if (strcmp(one, key) == 0)
			return true;
	}
	return false;
}

struct documents {
	zinc_hierarchy *h;
	const char *keys; /* each with its NUL */
	size_t n;         /* bytes left; 0: done */
};

/* The first prefix of a node is that of its documents.  All deletions share one commit, which waits for the disk
 * once. */
static zinc_status
erase_below(void *arg, const char *prefix, zinc_error *err)
{
	struct documents *d = arg;
	zinc_store *store = d->h->store;
	const uint32_t flags = d->h->put_flags;
	zinc_put_group *group;
	zinc_status st;

	if (d->n == 0)
		return ZINC_OK;
	ZINC_TRY(zinc_store_erase_begin(store, prefix, &group, flags, d->h->wait, err));
	st = zinc_store_del_list(store, group, d->keys, d->n, flags, d->h->wait, err);
	d->n = 0;
	if (st == ZINC_OK)
		return zinc_store_commit(store, group, NULL, NULL, d->h->wait, err);
	zinc_store_abort(store, group);
	return st;
}

/* Documents that the survey found; none of them lies behind a link.  A link that is created now is not followed. */
static zinc_status
erase_documents(const zinc_survey *s, const zinc_buf *keys, zinc_error *err)
{
	struct documents d = {s->h, (const char *)keys->p, keys->n};

	return zinc_node_prefixes(s->h, s->path, erase_below, &d, err);
}

zinc_status
zinc_hierarchy_drop(zinc_hierarchy *h, zinc_buf *key, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	zinc_fetched doc;
	char *text;

	if (!zinc_buf_text(key))
		return zinc_fail_nomem(err);
	text = (char *)key->p;
	ZINC_TRY(zinc_fetch(h->store, &text, 1, &doc, h->wait, err));
	if (doc.found != ZINC_MISSING)
		st = zinc_store_del(h->store, NULL, text, NULL, h->put_flags, h->wait, err);
	zinc_fetched_fini(h->ctx, &doc, 1);
	return st;
}

/* Erase the documents of both kinds: a path may have two.  A draft's lie beside what is below the node.  In other
 * formats they lie below, unless the node is a link. */
static zinc_status
erase_document(zinc_hierarchy *h, const zinc_survey *survey, zinc_node_kind kind, zinc_error *err)
{
	zinc_status st;
	zinc_buf key;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	st = zinc_node_key(h, survey->path, kind, &key, err);
	if (st == ZINC_OK && !zinc_buf_text(&key))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK && is_listed(survey, zinc_buf_text(&key))) {
		key.n++; /* its NUL */
		st = erase_documents(survey, &key, err);
	} else if (st == ZINC_OK && h->entry) {
		st = zinc_hierarchy_drop(h, &key, err);
	}
	zinc_buf_fini(&key);
	return st;
}

static zinc_status
erase_prefix(void *arg, const char *prefix, zinc_error *err)
{
	zinc_hierarchy *h = arg;

	return zinc_store_del_prefix(h->store, prefix, h->put_flags, h->wait, err);
}

/* Promise (1) sets the order: this node's documents, those below, the data.  The root of a draft also has an entry
 * point beside its two trees: promise (6). */
static zinc_status
erase_all(zinc_hierarchy *h, const char *path, zinc_survey *s, zinc_error *err)
{
	ZINC_TRY(zinc_survey_documents(s, err));
	ZINC_TRY(zinc_change_begin(h, path, false, err));
	ZINC_TRY(erase_document(h, s, ZINC_NODE_ARRAY, err));
	ZINC_TRY(erase_document(h, s, ZINC_NODE_GROUP, err));
	ZINC_TRY(erase_documents(s, &s->documents, err));
	ZINC_TRY(zinc_node_prefixes(h, path, erase_prefix, h, err));
	if (path[1] || !h->entry)
		return zinc_change_end(h, path, err);
	ZINC_TRY(erase_prefix(h, h->prefix, err));
	atomic_store(&h->entry->stored, false);
	return ZINC_OK;
}

/* ---- may it be done? ---- */

/* Number and names of foreign keys, as text. */
static zinc_status
refuse(const zinc_survey *s, const char *what, zinc_error *err)
{
	const char *names = s->foreign.n > 0 ? (const char *)s->foreign.p : "";

	return zinc_fail(err, ZINC_E_EXISTS,
			 "%s %llu key%s (%s%s); nothing was erased, --force erases all that is below", what,
			 (unsigned long long)s->nforeign, s->nforeign == 1 ? "" : "s", names,
			 s->nforeign > ZINC_SURVEY_NAMED ? ", ..." : "");
}

/* Promise (2), after the whole survey. */
static zinc_status
permit(const zinc_survey *s, const zinc_erase_options *o, zinc_error *err)
{
	if (!s->there && s->keys == 0)
		return zinc_fail(err, ZINC_E_NOTFOUND, "there is no node at this path");
	if (s->h->linked && !s->path[1])
		return zinc_fail(err, ZINC_E_INVALID,
				 "a symbolic link; nothing was erased of what it leads to, which must be named itself");
	if (o->force)
		return ZINC_OK;
	if (s->nforeign > 0)
		return refuse(s,
			      s->there ? "there are foreign keys below the node:"
				       : "there is no node at this path, but there are",
			      err);
	if (!s->there && !o->replace)
		return zinc_fail(
		    err, ZINC_E_NOTFOUND,
		    "there is no node at this path, only an unfinished copy; --force erases what it has written");
	return ZINC_OK;
}

struct reporting {
	const zinc_erase_options *o;
	zinc_erase_counts *counts;
};

static zinc_status
report_node(void *arg, const char *path, zinc_error *err)
{
	const struct reporting *t = arg;

	t->counts->nodes++;
	return t->o->fn && t->o->fn(t->o->arg, path) ? zinc_fail(err, ZINC_E_CANCELLED, "cancelled") : ZINC_OK;
}

static zinc_status
run(zinc_hierarchy *h, const char *path, const zinc_erase_options *o, zinc_erase_counts *counts, zinc_error *err)
{
	struct reporting t = {o, counts};
	zinc_survey survey;
	zinc_status st;

	if (!o->dry_run)
		ZINC_TRY(zinc_hierarchy_writable(h, err));
	if (h->format->draft && !o->force)
		ZINC_TRY(zinc_check_open(h, path, err));
	st = zinc_survey_init(&survey, h, path, !o->force, err);
	if (st == ZINC_OK)
		st = permit(&survey, o, err);
	counts->keys = survey.keys;
	if (st == ZINC_OK)
		st = zinc_survey_each(&survey, report_node, &t, err);
	if (st == ZINC_OK)
		st = zinc_visit_progress(h, 0, counts->nodes, err);
	if (st == ZINC_OK && !o->dry_run)
		st = erase_all(h, path, &survey, err);
	if (st == ZINC_OK) /* all is erased: too late to cancel */
		(void)!zinc_visit_progress(h, counts->nodes, counts->nodes, NULL);
	zinc_survey_fini(&survey);
	if (st != ZINC_OK)
		zinc_error_at_key(err, st, path[1] ? path + 1 : "");
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, h->url);
}

/* ---- the calls ---- */

/* If nothing is there, there is nothing to do.  If the new node could not be created, nothing is erased. */
static zinc_status
replace(zinc_hierarchy *h, const char *path, const zinc_erase_options *o, zinc_erase_counts *counts, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	ZINC_TRY(zinc_check_above(h, path, err));
	st = run(h, path, o, counts, &e);
	return st == ZINC_OK || st == ZINC_E_NOTFOUND ? ZINC_OK : zinc_error_copy(err, &e);
}

zinc_status
zinc_erase(zinc_hierarchy *h, const char *path, const zinc_erase_options *o, zinc_erase_counts *counts, zinc_error *err)
{
	zinc_erase_counts ignored = ZINC_ERASE_COUNTS_INIT;

	if (counts)
		*counts = ignored;
	else
		counts = &ignored;
	return o->replace ? replace(h, path, o, counts, err) : run(h, path, o, counts, err);
}

zinc_status
zinc_overwrite_check(int overwrite, zinc_error *err)
{
	return overwrite >= 0 && overwrite <= ZINC_FORCE
		   ? ZINC_OK
		   : zinc_fail(err, ZINC_E_INVALID, "overwrite is %d, and must be 0, 1 or ZINC_FORCE", overwrite);
}

zinc_status
zinc_erase_for(zinc_hierarchy *h, const char *path, int overwrite, bool dry_run, zinc_error *err)
{
	const zinc_erase_options o = {
	    .size = sizeof o, .force = overwrite == ZINC_FORCE, .replace = 1, .dry_run = dry_run};

	return zinc_erase(h, path, &o, NULL, err);
}
