/*
 * validate.c - check a whole hierarchy against the specification, and decode every stored object
 *
 * The order of the work: list all keys once to find the documents; parse these by the format with a report that
 * collects; compare consolidated metadata with them; let the store name leftovers of killed writers; list all keys
 * again, where each key that is not a document is an object of an array, or belongs to nothing.  Promises:
 *
 * (1) An error in stored bytes is a finding, never a failure of the call: one bad document or object does not hide
 *     another.
 * (2) Findings are reported by the calling thread, in the same order for any number of threads.
 * (3) Nothing is changed without `repair`; no object is erased without `orphans`.
 * (4) Memory grows with the number of documents, not of objects.
 * (5) What a listing does not show is not taken for missing: before it is a finding, a get of the document decides.  A
 *     document that is listed, but not there, is no error.
 */
#include <stdio.h>

#include "tool/copy.h"

ZINC_OPTIONS_KIND(zinc_validate_options, ZINC_OPTION_YES_NO(zinc_validate_options, strict),
		  ZINC_OPTION_YES_NO(zinc_validate_options, fast), ZINC_OPTION_YES_NO(zinc_validate_options, repair),
		  ZINC_OPTION_YES_NO(zinc_validate_options, orphans), ZINC_OPTION_COUNT(zinc_validate_options, threads),
		  ZINC_OPTION_LINKS(zinc_validate_options), ZINC_OPTION_UNLESS(zinc_validate_options, climb),
		  ZINC_OPTION_YES_NO(zinc_validate_options, fetch));

/* ---- findings ----
 *
 * The caller's callback is called in two ways.  The calling thread reports a finding directly (zinc_check_found).  A
 * worker must not call it, and the order must not depend on the speed of workers: it keeps copies in the list of its
 * own job (zinc_kept_add), and when the whole window is done the lists are reported in order of their jobs.
 */

/* Missing text becomes empty text, so that code that prints a finding need not check for NULL. */
static void
fill_in(zinc_finding *f)
{
	const char **text[] = {&f->rule, &f->path, &f->key, &f->pointer, &f->message, &f->fix, &f->region};
	size_t i;

	f->size = sizeof *f;
	for (i = 0; i < sizeof text / sizeof *text; i++)
		if (!*text[i])
			*text[i] = "";
}

/*
 * The validator names rules by the numbers of the final version.  A format with its own numbers translates them here,
 * in one place; a rule that it does not have gives no finding.  A repaired finding does not count as an error: a second
 * run would not have it.
 */
void
zinc_check_found(zinc_check *c, const zinc_finding *finding)
{
	zinc_finding f = *finding;

	fill_in(&f);
	if (c->h && c->h->format->rule)
		f.rule = c->h->format->rule(c->h->format, f.rule);
	if (!f.rule)
		return;
	if (f.repaired)
		c->n.repaired++;
	else if (f.level == ZINC_LEVEL_ERROR)
		c->n.errors++;
	else if (f.level == ZINC_LEVEL_WARNING)
		c->n.warnings++;
	else
		c->n.unsupported++;
	if (c->fn && !c->stopped && c->fn(c->arg, &f))
		c->stopped = true;
}

/* One allocation for the structure and its seven texts.  A finding must not be lost silently for lack of memory: the
 * list records it, and reporting fails. */
void
zinc_kept_add(zinc_kept_list *list, const zinc_finding *finding)
{
	zinc_finding f = *finding;
	const char **text[] = {&f.rule, &f.path, &f.key, &f.pointer, &f.message, &f.fix, &f.region};
	size_t nbytes = sizeof(zinc_kept), i, n;
	zinc_kept *k;
	char *p;

	fill_in(&f);
	for (i = 0; i < sizeof text / sizeof *text; i++)
		if (zinc_size_add(nbytes, strlen(*text[i]) + 1, &nbytes))
			return;
	k = zinc_alloc(list->ctx, nbytes);
	if (!k) {
		list->lost = true;
		return;
	}
	p = (char *)(k + 1);
	for (i = 0; i < sizeof text / sizeof *text; i++, p += n) {
		n = strlen(*text[i]) + 1;
		*text[i] = memcpy(p, *text[i], n);
	}
	*k = (zinc_kept){NULL, f};
	if (list->last)
		list->last->next = k;
	else
		list->first = k;
	list->last = k;
}

void
zinc_kept_free(zinc_kept_list *list)
{
	while (list->first) {
		zinc_kept *k = list->first;

		list->first = k->next;
		zinc_free(list->ctx, k);
	}
	list->last = NULL;
}

zinc_status
zinc_check_report_kept(zinc_check *c, zinc_kept_list *list, zinc_error *err)
{
	const zinc_kept *k;

	for (k = list->first; k; k = k->next)
		zinc_check_found(c, &k->f);
	zinc_kept_free(list);
	return list->lost ? zinc_fail_nomem(err) : ZINC_OK;
}

const char *
zinc_check_message(char *out, const zinc_error *e)
{
	const size_t n = e->sentence ? e->sentence : strlen(e->text);

	memcpy(out, e->text, n);
	out[n] = '\0';
	return out;
}

/*
 * What this build cannot do (E_UNSUPPORTED) or exceeds its limits (E_LIMIT) may be valid, so it is not an error of the
 * hierarchy.  The error has separate members for key and chunk; the message begins with the chunk because an index is
 * easier to read than a key.
 */
void
zinc_kept_error(zinc_kept_list *list, const zinc_check *c, const zinc_error *e, const char *rule, const char *path,
		const char *key)
{
	char text[sizeof e->text], message[sizeof e->text + sizeof e->chunk + sizeof e->codec + sizeof e->region + 48];
	zinc_finding f = {.level = ZINC_LEVEL_ERROR, .rule = *rule ? rule : e->rule, .path = path};

	if (e->code == ZINC_E_UNSUPPORTED || e->code == ZINC_E_LIMIT)
		f.level = ZINC_LEVEL_UNSUPPORTED;
	snprintf(message, sizeof message, "%s%s%s%s%s%s%s%s", e->chunk[0] ? "chunk " : "", e->chunk,
		 e->chunk[0] ? ": " : "", e->codec, e->codec[0] ? ": " : "", zinc_check_message(text, e),
		 e->region[0] ? "; elements " : "", e->region);
	f.message = message;
	f.region = e->region;
	f.key = zinc_check_key(c, key);
	zinc_kept_add(list, &f);
}

zinc_status
zinc_check_cancelled(zinc_check *c, zinc_error *err)
{
	return zinc_wait_check(&c->wait, err);
}

/* ---- keys and paths ---- */

zinc_status
zinc_check_path(zinc_buf *out, const char *prefix, size_t n, zinc_error *err)
{
	zinc_buf_end(out, 0);
	ZINC_TRY(zinc_buf_puts(out, "/", err));
	ZINC_TRY(zinc_buf_add(out, prefix, n > 0 ? n - 1 : 0, err));
	return zinc_buf_text(out) ? ZINC_OK : zinc_fail_nomem(err);
}

/* The store of a local path begins at "/", so its keys contain the whole path of the root: findings omit it. */
const char *
zinc_check_key(const zinc_check *c, const char *key)
{
	const size_t n = strlen(c->h->prefix);

	return strncmp(key, c->h->prefix, n) == 0 ? key + n : key;
}

/* The format defines which names are reserved: "__x" is an ordinary node in version 2. */
bool
zinc_check_reserved(const zinc_check *c, const char *key)
{
	while (key) {
		if (key[0] == '_' && key[1] == '_' &&
		    c->h->format->check_name(c->h->format, key, strcspn(key, "/"), NULL) != ZINC_OK)
			return true;
		key = strchr(key, '/');
		key = key ? key + 1 : NULL;
	}
	return false;
}

struct listing {
	zinc_check *c;
	zinc_lister to;
};

static zinc_status
list_prefix(void *arg, const char *prefix, zinc_error *err)
{
	const struct listing *l = arg;

	return zinc_store_walk(l->c->h->store, prefix, &l->to, l->c->h->wait, err);
}

/* For a whole hierarchy, everything is checked, also keys that no node would have. */
static zinc_status
each_prefix(const zinc_check *c, zinc_status (*fn)(void *arg, const char *prefix, zinc_error *err), void *arg,
	    zinc_error *err)
{
	return c->h->path[1] ? zinc_node_prefixes(c->h, c->h->path, fn, arg, err) : fn(arg, c->h->prefix, err);
}

zinc_status
zinc_check_list(zinc_check *c, zinc_key_fn fn, zinc_non_key_fn non_key, void *arg, zinc_error *err)
{
	struct listing l = {c, {.size = sizeof l.to, .key = fn, .non_key = non_key, .arg = arg}};

	return each_prefix(c, list_prefix, &l, err);
}

zinc_status
zinc_check_place(zinc_check *c, const char *key, zinc_key_role *role, zinc_error *err)
{
	ZINC_TRY(c->h->format->place(c->h, zinc_check_key(c, key), role, &c->place, err));
	if (!zinc_buf_text(&c->place))
		return zinc_fail_nomem(err);
	if (c->place.n >= c->base.n && zinc_check_reserved(c, zinc_buf_text(&c->place) + c->base.n))
		*role = ZINC_KEY_PART;
	return ZINC_OK;
}

/* ---- leftovers ----
 *
 * Only the store can identify its temporaries and locks, and which of them are no longer held; it removes them under
 * their own lock, so a running writer loses nothing.  But any file may have a name like a lock, and any program may
 * upload a value, so only those that a writer of this hierarchy would make are removed: of documents, of a copy's
 * traces, and of names like chunks.
 */

static bool
is_of_writer(zinc_check *c, const char *key)
{
	zinc_key_role role;

	if (!key || zinc_cp_trace_of(key) != ZINC_CP_NO_TRACE) /* an empty directory; a copy's */
		return true;
	if (c->h->format->place(c->h, zinc_check_key(c, key), &role, &c->place, NULL) != ZINC_OK)
		return false;
	return role == ZINC_KEY_NODE || role == ZINC_KEY_PART ||
	       (role == ZINC_KEY_OTHER && zinc_is_chunk_name(zinc_key_name(key)));
}

/* In N5 other programs make a group without attributes as an empty directory.  Below an array it is a leftover. */
static bool
may_be_group(const zinc_check *c, const char *name)
{
	const zinc_check_node *owner = zinc_check_owner(c, zinc_check_key(c, name));

	return c->h->format->bare_groups && !(owner && owner->kind == ZINC_NODE_ARRAY);
}

static int
leftover(void *arg, const char *name, const char *key, const char *what)
{
	zinc_check *c = arg;
	zinc_finding f = {.level = ZINC_LEVEL_WARNING, .rule = "leftover", .path = "", .message = what};
	const bool ours = is_of_writer(c, key);

	if (!key && may_be_group(c, name))
		return ZINC_SCRUB_KEEP;
	f.key = zinc_check_key(c, name);
	f.repaired = c->o.repair && ours;
	f.fix = ours ? "zinc validate --repair removes it" : NULL;
	if (!ours && strcmp(name, key) == 0) /* an upload */
		f.fix = "no writer of this hierarchy makes this key, so it is kept";
	else if (!ours)
		f.message = "has the name of a lock file, but no writer of this hierarchy makes it; it is kept";
	zinc_check_found(c, &f);
	if (c->stopped || zinc_wait_check(&c->wait, NULL) != ZINC_OK)
		return 1;
	return ours ? 0 : ZINC_SCRUB_KEEP;
}

static zinc_status
scrub_prefix(void *arg, const char *prefix, zinc_error *err)
{
	zinc_check *c = arg;

	return zinc_store_scrub(c->h->store, prefix, c->o.repair, leftover, c, c->h->wait, err);
}

/* ---- the whole ---- */

/* Set the prefix of the validated node. */
static zinc_status
name_base(zinc_check *c, zinc_error *err)
{
	if (c->h->path[1])
		ZINC_TRY(zinc_buf_printf(&c->base, err, "%s/", c->h->path + 1));
	return zinc_buf_text(&c->base) ? ZINC_OK : zinc_fail_nomem(err);
}

static void
collect_entry(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	zinc_finding f = {.rule = rule, .path = "/", .key = "zarr.json", .pointer = pointer, .message = message};

	f.level = severity == ZINC_SEVERITY_ERROR     ? ZINC_LEVEL_ERROR
		  : severity == ZINC_SEVERITY_WARNING ? ZINC_LEVEL_WARNING
						      : ZINC_LEVEL_UNSUPPORTED;
	zinc_check_found(arg, &f);
}

/* Check the entry point, if the format has one; opening it only required that it is usable. */
static zinc_status
check_entry(zinc_check *c, zinc_error *err)
{
	zinc_report r;

	zinc_report_init(&r, c->ctx, c->o.strict, "");
	r.found = collect_entry;
	r.arg = c;
	return zinc_hierarchy_check_entry(c->h, &r, err);
}

/* Is there nothing to check, in a hierarchy that is not just new? */
static bool
is_vacant(zinc_check *c)
{
	zinc_meta *m = NULL;
	zinc_report r;

	zinc_report_init_quiet(&r, c->ctx, false);
	if (c->nnodes == 0 && zinc_read_node(c->h, c->h->path, &r, &m, NULL) == ZINC_E_NOTFOUND)
		return true;
	zinc_meta_free(m);
	return false;
}

static int
find_journal(void *arg, const char *key, uint64_t nbytes)
{
	(void)nbytes;
	*(bool *)arg = zinc_cp_trace_of(key) == ZINC_CP_UNFINISHED;
	return *(bool *)arg;
}

static zinc_status
fail_vacant(zinc_check *c, zinc_error *err)
{
	bool copy = false;

	ZINC_TRY(zinc_check_list(c, find_journal, NULL, &copy, err));
	return zinc_fail(err, ZINC_E_NOTFOUND, "there is no Zarr node at this path%s",
			 copy ? ", but an unfinished copy: zinc cp --resume continues it" : "");
}

/*
 * Documents first: only they show to which array an object belongs and how to decode it.  A place without a document is
 * not a hierarchy with one finding but not a hierarchy: checking the wrong directory must not look like a success.
 */
static zinc_status
run(zinc_check *c, zinc_error *err)
{
	ZINC_TRY(name_base(c, err));
	ZINC_TRY(check_entry(c, err));
	ZINC_TRY(zinc_check_nodes(c, err));
	if (is_vacant(c))
		return fail_vacant(c, err);
	if (!c->stopped && c->h->format->fold_case)
		ZINC_TRY(zinc_check_case(c, err));
	if (!c->stopped)
		ZINC_TRY(zinc_check_conventions(c, err));
	if (!c->stopped)
		ZINC_TRY(zinc_check_copies(c, err));
	if (!c->stopped)
		ZINC_TRY(each_prefix(c, scrub_prefix, c, err));
	return c->stopped ? ZINC_OK : zinc_check_objects(c, err);
}

/* A place without any document may still hold nodes, or what is left of them. */
static zinc_status
open_bare(zinc_check *c, const char *url, const zinc_open_options *o, zinc_error *err)
{
	zinc_store_options so = ZINC_STORE_OPTIONS_INIT;
	zinc_open_options open = *o;
	zinc_place place;
	zinc_status st;

	so.context = o->context;
	so.read_only = o->read_only;
	so.links = o->links;
	so.settings = o->settings;
	so.nsettings = o->nsettings;
	ZINC_TRY(zinc_place_open(&place, url, &so, err));
	open.create = 1; /* meaning: it need not exist */
	st = zinc_place_narrow(&place, strlen(place.path), &so, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&c->own, place.store, place.path, &open, err);
	zinc_place_fini(&place);
	return st;
}

static zinc_status
open_hierarchy(zinc_check *c, const char *url, zinc_error *err)
{
	const zinc_call_options rest = zinc_wait_rest(&c->wait);
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	open.context = c->ctx;
	open.format = c->o.format;
	open.strictness = c->o.strict ? ZINC_STRICT : ZINC_LENIENT;
	open.read_only = !c->o.repair;
	open.links = c->o.links;
	open.climb = c->o.climb;
	open.settings = c->o.settings;
	open.nsettings = c->o.nsettings;
	open.below = c->o.below;
	open.call = &rest;
	st = zinc_hierarchy_open_url(&c->own, url, &open, &e);
	st = st == ZINC_E_NOTFOUND && !c->o.format && !c->o.below ? open_bare(c, url, &open, err)
								  : zinc_error_copy(err, &e);
	c->h = zinc_visit_within(&c->visit, c->own, &c->wait);
	return st;
}

static void
check_fini(zinc_check *c)
{
	while (c->nnodes > 0)
		zinc_free(c->ctx, c->nodes[--c->nnodes].prefix);
	zinc_free(c->ctx, c->nodes);
	zinc_buf_fini(&c->base);
	zinc_buf_fini(&c->place);
	zinc_buf_fini(&c->copies);
	zinc_hierarchy_close(c->own);
}

/* An entry point that cannot be used is also a finding, and the last. */
static zinc_status
bad_entry(zinc_check *c, const zinc_error *e)
{
	zinc_finding f = {.level = ZINC_LEVEL_ERROR, .rule = "M2", .path = "/", .key = "zarr.json"};
	char text[sizeof e->text];

	if (e->rule[0])
		f.rule = e->rule;
	f.message = zinc_check_message(text, e);
	zinc_check_found(c, &f);
	return ZINC_OK;
}

zinc_status
zinc_validate(const char *url, const zinc_validate_options *options, zinc_finding_fn fn, void *arg,
	      zinc_validate_counts *counts, zinc_error *err)
{
	zinc_check c = {.fn = fn, .arg = arg};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(url, err));
	ZINC_TRY(zinc_result_check(counts, err));
	ZINC_TRY(zinc_options_take_as(&zinc_validate_options_kind, &c.o, options, err));
	ZINC_TRY(zinc_call_options_take(&c.call, c.o.call, err));
	ZINC_TRY(zinc_wait_begin(&c.wait, c.o.call, err));
	c.ctx = zinc_context_get(c.o.context);
	c.threads = c.o.threads > 0 ? c.o.threads : c.ctx->threads;
	zinc_buf_init(&c.base, c.ctx, ZINC_MAX_KEY);
	zinc_buf_init(&c.place, c.ctx, ZINC_MAX_KEY);
	zinc_buf_init(&c.copies, c.ctx, zinc_max_list(c.ctx));
	st = open_hierarchy(&c, url, &e);
	if (st == ZINC_E_CORRUPT)
		st = bad_entry(&c, &e);
	else if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	else
		st = run(&c, err);
	zinc_result_fill(counts, &c.n, sizeof c.n);
	check_fini(&c);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, url);
}
