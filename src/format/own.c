/*
 * own.c - which keys below a node are its own, and which are foreign
 *
 * A node's own keys are its documents, all keys that its chunk key encoding can produce for its rank, inside or outside
 * the grid, and those of the nodes below it.  Every erase checks them here first.
 *
 *   a/zarr.json             own       the document of the array /a
 *   a/c/0/1, a/c/99/99      own       chunks, one of them outside the grid
 *   a/c/0, a/c/00/1         foreign   no array of two dimensions has such a chunk
 *   a/.zarray, a/note.txt   foreign   of another version; of nobody
 *   a/b/zarr.json           foreign   below an array nobody looks for nodes
 *   z/__zinc_cp.json        own       the journal of a copy to /z that was not finished,
 *   z/c/0                   own       and what it has put, as long as /z has no document,
 *   z/note.txt              foreign   which no copy has put
 *
 * Promises (tests/unit/test_own.c names each by its number):
 *
 * (1) A key is foreign unless a document that is understood, or a journal, makes it own.  A file that only has the name
 *     of a journal does not count.
 * (2) If a document is broken, or something in it is not understood, codecs and data types included, the survey fails:
 *     E_CORRUPT, E_UNSUPPORTED.
 * (3) The nodes are those of stored documents, never those of consolidated metadata.
 * (4) Memory grows with the number of nodes, not of chunks.
 */
#include <stdlib.h>

#include "format/draft.h"
#include "format/own.h"

/* ---- one key ---- */

/* The rest of a key in the temporary array of a copy; NULL: it is not one. */
static const char *
below_middle(const char *key)
{
	const char *at = key;

	while ((at = strstr(at, ZINC_CP_PASS_NAME "/")) && at > key && at[-1] != '/')
		at++;
	return at ? at + strlen(ZINC_CP_PASS_NAME "/") : NULL;
}

/* "__zinc_cp.12.json" */
static bool
is_part_journal(const char *key)
{
	const size_t n = strlen(ZINC_CP_PART);
	const char *name = zinc_key_name(key);
	size_t digits;

	if (strncmp(name, ZINC_CP_PART, n) != 0)
		return false;
	digits = strspn(name + n, "0123456789");
	return digits > 0 && strcmp(name + n + digits, ".json") == 0;
}

zinc_cp_trace
zinc_cp_trace_of(const char *key)
{
	if (strcmp(zinc_key_name(key), ZINC_CP_JOURNAL) == 0)
		return ZINC_CP_UNFINISHED;
	return below_middle(key) || is_part_journal(key) ? ZINC_CP_TEMPORARY : ZINC_CP_NO_TRACE;
}

static bool
is_journal_text(zinc_context *ctx, const zinc_blob *text)
{
	const zinc_json *root;
	zinc_json_doc *doc;
	uint64_t version;
	bool is;

	if (zinc_json_parse(&doc, ctx, text->data, text->nbytes, 0, NULL) != ZINC_OK)
		return false;
	root = zinc_json_root(doc);
	is = zinc_json_u64(zinc_json_member(root, "zinc_cp"), &version) &&
	     zinc_json_is(zinc_json_member(root, "source"), ZINC_JSON_STRING) &&
	     zinc_json_is(zinc_json_member(root, "path"), ZINC_JSON_STRING);
	zinc_json_free(doc);
	return is;
}

bool
zinc_cp_is_journal(const zinc_hierarchy *h, const char *key)
{
	zinc_blob text = ZINC_BLOB_INIT;
	bool is;

	if (zinc_store_get_all(h->store, key, &text, NULL, h->ctx->limits.json_bytes, h->wait, NULL) != ZINC_OK)
		return false;
	is = is_journal_text(h->ctx, &text);
	zinc_blob_fini(&text);
	return is;
}

bool
zinc_is_chunk_name(const char *name)
{
	const char *numbers = name + (*name == 'c');

	return *name && numbers[strspn(numbers, "0123456789.")] == '\0';
}

bool
zinc_meta_keys_known(const zinc_meta *m)
{
	return m->kind == ZINC_NODE_ARRAY && m->grid && m->keys.ops && !m->opaque;
}

/* zarr-python's scalars of 2020 have "c0" where the draft has "c"; readers look for both. */
static bool
is_scalar_key(const zinc_hierarchy *h, const char *below)
{
	return h->format->draft && h->format->draft->scalar_c0 && (strcmp(below, "c") == 0 || strcmp(below, "c0") == 0);
}

static bool
decodes(const zinc_hierarchy *h, const zinc_keys *keys, int ndim, const char *below)
{
	uint64_t index[ZINC_MAX_NDIM];

	return zinc_keys_decode(keys, below, ndim, index) || (ndim == 0 && is_scalar_key(h, below));
}

bool
zinc_meta_owns(const zinc_hierarchy *h, const zinc_meta *m, const char *below)
{
	return zinc_meta_keys_known(m) && decodes(h, &m->keys, m->ndim, below);
}

/* Is a key with the role PART a document of Zarr, and not only a similar name? */
static bool
is_part(const zinc_survey *s, const char *rel)
{
	static const char *const names[] = {".zattrs", ".zmetadata", ".nczarr", ".nczgroup", ".nczarray", ".nczattr"};
	const char *name = zinc_key_name(rel);
	size_t i;

	if (s->h->format->draft)
		return strcmp(name, ".zmetadata") == 0 || strcmp(rel, "zarr.json") == 0;
	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* ---- the table of nodes ---- */

/* What is known of one prefix: a document, a journal, or both. */
typedef struct owner {
	size_t at; /* of the prefix, in the pool */
	size_t n;
	bool document, journal;
	bool hidden; /* below an array */
	zinc_node_kind kind;
	zinc_status status; /* of its document */
	zinc_error *error;  /* unless that is OK or NOMEM */
	zinc_keys keys;     /* of an array; borrowed from `meta` when that is kept */
	int ndim;
	zinc_meta *meta; /* only for keys with a state of their own */
} owner;

static owner *
owners_of(const zinc_survey *s, size_t *n)
{
	*n = s->owners.n / sizeof(owner);
	return (owner *)(void *)s->owners.p;
}

static const char *
prefix_of(const zinc_survey *s, const owner *o)
{
	return (const char *)s->pool.p + o->at;
}

/* Check the names between the surveyed node and this one: what readers do not show is not a node. */
static bool
names_ok(const zinc_survey *s, const char *prefix, size_t n)
{
	const zinc_format *f = s->h->format;
	const char *name = prefix + s->base.n, *end = prefix + n;

	while (name < end) {
		const char *slash = memchr(name, '/', (size_t)(end - name));
		const size_t m = (size_t)((slash ? slash : end) - name);

		if (f->check_name(f, name, m, NULL) != ZINC_OK)
			return false;
		name += m + 1;
	}
	return true;
}

static zinc_status
add_owner(zinc_survey *s, const char *prefix, size_t n, bool journal, zinc_error *err)
{
	const owner o = {.at = s->pool.n, .n = n, .document = !journal, .journal = journal};
	size_t count;

	if (n < s->base.n || !names_ok(s, prefix, n))
		return ZINC_OK;
	(void)owners_of(s, &count);
	if (count >= s->h->ctx->limits.children)
		return zinc_fail(err, ZINC_E_LIMIT, "more than %zu nodes", count);
	ZINC_TRY(zinc_buf_add(&s->pool, prefix, n, err));
	ZINC_TRY(zinc_buf_add(&s->pool, "", 1, err));
	return zinc_buf_add(&s->owners, &o, sizeof o, err);
}

static int
by_prefix(const void *a, const void *b, void *pool)
{
	return strcmp((const char *)pool + ((const owner *)a)->at, (const char *)pool + ((const owner *)b)->at);
}

/* Sort by bytes, so that everything below a node directly follows it, and drop duplicates. */
static void
sort_owners(zinc_survey *s)
{
	size_t n, i, k = 0;
	owner *o = owners_of(s, &n);

	if (n == 0)
		return;
	qsort_r(o, n, sizeof *o, by_prefix, s->pool.p);
	for (i = 1; i < n; i++) {
		if (strcmp(prefix_of(s, &o[i]), prefix_of(s, &o[k])) != 0) {
			o[++k] = o[i];
			continue;
		}
		o[k].document = o[k].document || o[i].document;
		o[k].journal = o[k].journal || o[i].journal;
	}
	s->owners.n = (k + 1) * sizeof *o;
}

/* The owner whose prefix is the first n bytes of `place`; NULL: none. */
static const owner *
find(const zinc_survey *s, const char *place, size_t n)
{
	size_t low = 0, high;
	const owner *o = owners_of(s, &high);

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const char *prefix = prefix_of(s, &o[mid]);
		int order = strncmp(prefix, place, n);

		if (order == 0)
			order = prefix[n] != '\0';
		if (order == 0)
			return &o[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* The nearest owner of `place`, and whether an unfinished copy to there or above owns it. */
static const owner *
owner_of(const zinc_survey *s, const char *place, bool *copied)
{
	const owner *nearest = NULL;
	size_t n = strlen(place);

	*copied = false;
	for (;;) {
		const owner *o;

		while (n > s->base.n && place[n - 1] != '/')
			n--;
		o = find(s, place, n);
		if (o && o->journal && !o->document)
			*copied = true;
		else if (o && !nearest)
			nearest = o;
		if (n <= s->base.n)
			return nearest;
		n--;
	}
}

/* ---- first listing: which nodes there are ---- */

static zinc_status
place_of(zinc_survey *s, const char *key, zinc_key_role *role, zinc_error *err)
{
	zinc_buf_end(&s->place, 0);
	ZINC_TRY(s->h->format->place(s->h, key + strlen(s->h->prefix), role, &s->place, err));
	return zinc_buf_text(&s->place) ? ZINC_OK : zinc_fail_nomem(err);
}

/* A journal is where its node's data will be.  At the root this may be a place that the format does not use. */
static zinc_status
gather_journal(zinc_survey *s, const char *key, zinc_key_role role)
{
	const char *place = zinc_buf_text(&s->place);

	if (role == ZINC_KEY_OTHER)
		return add_owner(s, place, (size_t)(zinc_key_name(place) - place), true, s->err);
	return strchr(key + strlen(s->h->prefix), '/') ? ZINC_OK : add_owner(s, "", 0, true, s->err);
}

static zinc_status
gather(zinc_survey *s, const char *key)
{
	const zinc_cp_trace trace = zinc_cp_trace_of(key + strlen(s->h->prefix));
	zinc_key_role role;

	s->keys++;
	ZINC_TRY(place_of(s, key, &role, s->err));
	if (trace == ZINC_CP_UNFINISHED)
		return zinc_cp_is_journal(s->h, key) ? gather_journal(s, key, role) : ZINC_OK;
	if (trace != ZINC_CP_NO_TRACE || role != ZINC_KEY_NODE)
		return ZINC_OK;
	return add_owner(s, zinc_buf_text(&s->place), s->place.n, false, s->err);
}

static int
gather_key(void *arg, const char *key, uint64_t nbytes)
{
	zinc_survey *s = arg;

	(void)nbytes;
	s->status = gather(s, key);
	return s->status != ZINC_OK;
}

/* ---- the documents ---- */

static zinc_status
path_of(const zinc_survey *s, const owner *o, zinc_buf *path, zinc_error *err)
{
	ZINC_TRY(zinc_buf_puts(path, "/", err));
	ZINC_TRY(zinc_buf_add(path, prefix_of(s, o), o->n > 0 ? o->n - 1 : 0, err));
	return zinc_buf_text(path) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
read_owner(const zinc_survey *s, const owner *o, zinc_meta **m, zinc_error *err)
{
	zinc_report r;
	zinc_status st;
	zinc_buf path;

	zinc_buf_init(&path, s->h->ctx, ZINC_MAX_KEY);
	zinc_report_init_quiet(&r, s->h->ctx, false);
	st = path_of(s, o, &path, err);
	if (st == ZINC_OK)
		st = zinc_read_node(s->h, zinc_buf_text(&path), &r, m, err);
	zinc_buf_fini(&path);
	return st;
}

/* Keep what classification needs of the metadata, and free the rest. */
static zinc_status
take_meta(owner *o, zinc_meta *m, zinc_error *err)
{
	const bool known = !m->unsupported && (m->kind == ZINC_NODE_ARRAY ? zinc_meta_keys_known(m) : !m->opaque);

	o->kind = m->kind;
	o->ndim = m->ndim;
	o->keys = m->keys;
	if (!known) {
		zinc_fail(err, ZINC_E_UNSUPPORTED, "%s: the node is not understood",
			  m->unsupported ? m->unsupported : "something is not understood");
		zinc_error_by_rule(err, ZINC_E_UNSUPPORTED, m->unsupported_rule);
	}
	if (known && m->keys.ops && m->keys.ops->close)
		o->meta = m;
	else
		zinc_meta_free(m);
	return known ? ZINC_OK : ZINC_E_UNSUPPORTED;
}

/* Runs in a worker. */
static void
read_one(void *arg, size_t i, int worker)
{
	const zinc_survey *s = arg;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	size_t n;
	owner *o = &owners_of(s, &n)[i];

	(void)worker;
	if (!o->document)
		return;
	o->status = read_owner(s, o, &m, &e);
	if (o->status == ZINC_OK)
		o->status = take_meta(o, m, &e);
	if (o->status == ZINC_OK || o->status == ZINC_E_NOMEM)
		return;
	zinc_error_at_key(&e, o->status, prefix_of(s, o));
	o->error = zinc_calloc(s->h->ctx, 1, sizeof *o->error);
	if (o->error)
		*o->error = e;
	else
		o->status = ZINC_E_NOMEM;
}

/* Promise (2): the reason why keys of the node cannot be classified. */
static zinc_status
refuse(const owner *o, zinc_error *err)
{
	if (o->status == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	if (o->status != ZINC_E_CORRUPT && o->status != ZINC_E_UNSUPPORTED)
		return zinc_error_copy(err, o->error);
	zinc_fail(err, o->status, "%.400s; nothing was erased, --force erases all that is below", o->error->text);
	zinc_error_by(err, o->status, o->error);
	return zinc_error_at_key(err, o->status, o->error->key);
}

static zinc_status
read_all(zinc_survey *s, zinc_error *err)
{
	const owner *array = NULL;
	size_t n, i;
	owner *o = owners_of(s, &n);

	zinc_pool_run(s->h->ctx, s->h->ctx->threads, n, read_one, s);
	for (i = 0; i < n; i++) {
		if (o[i].status == ZINC_E_NOTFOUND) /* it was erased meanwhile */
			o[i].document = false;
		else if (o[i].status != ZINC_OK)
			return refuse(&o[i], err);
		o[i].hidden = array && strncmp(prefix_of(s, &o[i]), prefix_of(s, array), array->n) == 0;
		if (!o[i].hidden && o[i].document)
			array = o[i].kind == ZINC_NODE_ARRAY ? &o[i] : NULL;
	}
	return ZINC_OK;
}

/* ---- second listing: whose each key is ---- */

/* Other documents are in the directory of a node, or of a group without a document. */
static bool
is_near_node(const zinc_survey *s, const char *rel)
{
	const size_t n = (size_t)(zinc_key_name(rel) - rel);
	size_t count, i;
	const owner *o;

	if (s->h->format->draft)
		return strcmp(rel, "zarr.json") != 0 || s->base.n == 0;
	if (find(s, rel, n))
		return true;
	o = owners_of(s, &count);
	for (i = 0; i < count; i++)
		if (o[i].document && o[i].n > n && strncmp(prefix_of(s, &o[i]), rel, n) == 0)
			return true;
	return false;
}

/* Can the unfinished copy above the key have put it? */
static bool
is_copys(const zinc_survey *s, const char *rel, zinc_key_role role)
{
	return role == ZINC_KEY_NODE ||
	       (role == ZINC_KEY_PART ? is_part(s, rel) : zinc_is_chunk_name(zinc_key_name(rel)));
}

/* A journal, or a key of a copy's temporary array, which is of version 3. */
static bool
is_trace(const zinc_survey *s, const char *key, zinc_cp_trace trace)
{
	const char *below = below_middle(key + strlen(s->h->prefix));

	if (trace == ZINC_CP_UNFINISHED || !below)
		return zinc_cp_is_journal(s->h, key);
	return strcmp(below, "zarr.json") == 0 || zinc_is_chunk_name(zinc_key_name(below));
}

/* Promise (1). */
static bool
is_own(const zinc_survey *s, const char *rel, zinc_key_role role)
{
	const char *place = (const char *)s->place.p;
	const owner *o;
	bool copied;

	if (role == ZINC_KEY_FOREIGN)
		return false;
	o = owner_of(s, role == ZINC_KEY_PART && !s->h->format->draft ? rel : place, &copied);
	if (copied && is_copys(s, rel, role))
		return true;
	if (!s->there)
		return false;
	if (role == ZINC_KEY_PART)
		return is_part(s, rel) && is_near_node(s, rel);
	if (!o || !o->document || o->hidden)
		return false;
	if (role == ZINC_KEY_NODE)
		return o->n == strlen(place);
	return o->kind == ZINC_NODE_ARRAY && decodes(s->h, &o->keys, o->ndim, place + o->n);
}

static zinc_status
add_foreign(zinc_survey *s, const char *what, const char *rel, zinc_error *err)
{
	if (s->nforeign++ >= ZINC_SURVEY_NAMED)
		return ZINC_OK;
	if (s->foreign.n > 0)
		ZINC_TRY(zinc_buf_puts(&s->foreign, ", ", err));
	return zinc_buf_printf(&s->foreign, err, "%s%.100s", what, rel);
}

static int
classify_key(void *arg, const char *key, uint64_t nbytes)
{
	zinc_survey *s = arg;
	const char *rel = key + strlen(s->h->prefix);
	const zinc_cp_trace trace = zinc_cp_trace_of(rel);
	zinc_key_role role;

	(void)nbytes;
	s->keys++;
	if (trace != ZINC_CP_NO_TRACE && is_trace(s, key, trace))
		return 0;
	s->status = place_of(s, key, &role, s->err);
	if (s->status == ZINC_OK && (trace != ZINC_CP_NO_TRACE || !is_own(s, rel, role)))
		s->status = add_foreign(s, "", rel, s->err);
	return s->status != ZINC_OK;
}

/* ---- the whole ---- */

struct listing {
	zinc_survey *s;
	zinc_lister to;
};

/* A lock is own if its key would be: that of a document, a chunk, or a leftover of a copy. */
static zinc_status
note_lock(zinc_survey *s, const char *key)
{
	const char *rel = key + strlen(s->h->prefix);
	char shown[300];
	zinc_key_role role;

	if (!s->classifying || zinc_cp_trace_of(rel) != ZINC_CP_NO_TRACE)
		return ZINC_OK;
	ZINC_TRY(place_of(s, key, &role, s->err));
	if (is_own(s, rel, role))
		return ZINC_OK;
	zinc_show(shown, sizeof shown, rel);
	s->keys++;
	return add_foreign(s, "lock file of ", shown, s->err);
}

/* Odd entries are foreign, except for locks. */
static int
note_non_key(void *arg, const zinc_non_key *non_key)
{
	zinc_survey *s = arg;
	char shown[300];

	if (non_key->kind == ZINC_NON_KEY_DIR) /* its keys are classified */
		return 0;
	if (non_key->kind == ZINC_NON_KEY_LOCK) {
		s->status = note_lock(s, non_key->key);
	} else {
		s->keys++;
		zinc_show(shown, sizeof shown, non_key->key + strlen(s->h->prefix));
		s->status = add_foreign(s, "", shown, s->err);
	}
	return s->status != ZINC_OK;
}

static zinc_status
list_prefix(void *arg, const char *prefix, zinc_error *err)
{
	const struct listing *l = arg;

	ZINC_TRY(zinc_store_walk(l->s->h->store, prefix, &l->to, l->s->h->wait, err));
	return l->s->status;
}

/* At the root all keys are listed, also those beside the trees of a draft. */
static zinc_status
list(zinc_survey *s, zinc_key_fn fn, zinc_error *err)
{
	struct listing l = {s, {.size = sizeof l.to, .key = fn, .non_key = note_non_key, .arg = s, .locks = 1}};

	s->err = err;
	s->classifying = fn == classify_key;
	s->keys = s->nforeign = 0;
	zinc_buf_end(&s->foreign, 0);
	return s->path[1] ? zinc_node_prefixes(s->h, s->path, list_prefix, &l, err)
			  : list_prefix(&l, s->h->prefix, err);
}

/* Is the root's document one of the format?  Other programs have files of N5's name. */
static zinc_status
is_root(const zinc_survey *s, bool *is, zinc_error *err)
{
	zinc_status st;
	zinc_buf key;

	zinc_buf_init(&key, s->h->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&key, err, "%s%s", s->h->prefix, s->h->format->documents[0].name);
	if (st == ZINC_OK)
		st = zinc_buf_text(&key) ? zinc_key_is_node(s->h, zinc_buf_text(&key), is, err) : zinc_fail_nomem(err);
	zinc_buf_fini(&key);
	return st;
}

/* Read the surveyed node; *found is false when it has no document.  A broken one counts as found. */
static zinc_status
look_at_base(zinc_survey *s, bool *found, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status st;

	*found = false;
	if (s->h->entry && !atomic_load(&s->h->entry->stored))
		return ZINC_OK; /* the hierarchy of a draft that does not exist yet */
	zinc_report_init_quiet(&r, s->h->ctx, false);
	st = zinc_read_node(s->h, s->path, &r, &m, &e);
	s->kind = m ? m->kind : ZINC_NODE_NONE;
	s->implicit = m && m->implicit;
	zinc_meta_free(m);
	if (st == ZINC_E_NOTFOUND)
		return ZINC_OK;
	*found = true;
	if (st != ZINC_OK && st != ZINC_E_CORRUPT && st != ZINC_E_UNSUPPORTED && st != ZINC_E_LIMIT)
		return zinc_error_copy(err, &e);
	return s->path[1] || s->h->entry ? ZINC_OK : is_root(s, found, err);
}

static zinc_status
name_base(zinc_survey *s, zinc_error *err)
{
	if (s->path[1])
		ZINC_TRY(zinc_buf_printf(&s->base, err, "%s/", s->path + 1));
	return zinc_buf_text(&s->base) ? ZINC_OK : zinc_fail_nomem(err);
}

static bool
has_documents(const zinc_survey *s)
{
	size_t n, i;
	const owner *o = owners_of(s, &n);

	for (i = 0; i < n; i++)
		if (o[i].document)
			return true;
	return false;
}

/* An array has no visible nodes below it, but perhaps a million chunks: it is listed only once. */
static zinc_status
run(zinc_survey *s, bool classify, zinc_error *err)
{
	bool found;

	ZINC_TRY(name_base(s, err));
	ZINC_TRY(look_at_base(s, &found, err));
	if (!classify || s->kind != ZINC_NODE_ARRAY)
		ZINC_TRY(list(s, gather_key, err));
	if (found && !s->implicit)
		ZINC_TRY(add_owner(s, (const char *)s->base.p, s->base.n, false, err));
	sort_owners(s);
	s->there = found || (s->path[1] && has_documents(s)); /* a root without a document is not a node */
	if (!classify || (s->keys == 0 && !found))
		return ZINC_OK;
	if (s->there)
		ZINC_TRY(read_all(s, err));
	ZINC_TRY(list(s, classify_key, err));
	return zinc_buf_text(&s->foreign) ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_survey_init(zinc_survey *s, zinc_hierarchy *h, const char *path, bool classify, zinc_error *err)
{
	zinc_buf *bufs[] = {&s->base, &s->place, &s->pool, &s->owners, &s->documents, &s->foreign};
	zinc_caps caps = ZINC_CAPS_INIT;
	size_t i;

	*s = (zinc_survey){.h = h, .path = path};
	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_init(bufs[i], h->ctx, zinc_max_list(h->ctx));
	zinc_store_caps(h->store, &caps);
	if (!(caps.flags & ZINC_CAP_LIST))
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "this store cannot list its keys, so what is below the node is not known; erase it "
				 "through a store that can, such as the server's own files");
	return run(s, classify, err);
}

void
zinc_survey_fini(zinc_survey *s)
{
	zinc_buf *bufs[] = {&s->base, &s->place, &s->pool, &s->owners, &s->documents, &s->foreign};
	size_t n, i;
	owner *o = owners_of(s, &n);

	for (i = 0; i < n; i++) {
		zinc_meta_free(o[i].meta);
		zinc_free(s->h->ctx, o[i].error);
	}
	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_fini(bufs[i]);
}

/* ---- documents, for who erases ---- */

static int
gather_document(void *arg, const char *key, uint64_t nbytes)
{
	zinc_survey *s = arg;
	zinc_key_role role;

	(void)nbytes;
	s->status = place_of(s, key, &role, s->err);
	if (s->status == ZINC_OK && role == ZINC_KEY_NODE)
		s->status = zinc_buf_add(&s->documents, key, strlen(key) + 1, s->err);
	return s->status != ZINC_OK;
}

zinc_status
zinc_survey_documents(zinc_survey *s, zinc_error *err)
{
	struct listing l = {s, {.size = sizeof l.to, .key = gather_document, .own = 1, .arg = s}};

	s->err = err;
	return zinc_node_prefixes(s->h, s->path, list_prefix, &l, err);
}

/* ---- the nodes, for callers ---- */

/* Groups without a document are reported before the first node below them. */
static zinc_status
report_owner(const zinc_survey *s, const char *prefix, size_t n, const char *before, zinc_buf *path,
	     zinc_status (*fn)(void *arg, const char *path, zinc_error *err), void *arg, zinc_error *err)
{
	size_t i;

	for (i = s->base.n; i <= n; i++) {
		if (i > s->base.n && prefix[i - 1] != '/')
			continue;
		if (before && strncmp(before, prefix, i) == 0)
			continue;
		zinc_buf_end(path, 0);
		ZINC_TRY(zinc_buf_puts(path, "/", err));
		ZINC_TRY(zinc_buf_add(path, prefix, i > 0 ? i - 1 : 0, err));
		ZINC_TRY(zinc_buf_text(path) ? fn(arg, zinc_buf_text(path), err) : zinc_fail_nomem(err));
	}
	return ZINC_OK;
}

zinc_status
zinc_survey_each(const zinc_survey *s, zinc_status (*fn)(void *arg, const char *path, zinc_error *err), void *arg,
		 zinc_error *err)
{
	zinc_status st = ZINC_OK;
	const char *before = NULL;
	zinc_buf path;
	size_t n, i;
	const owner *o = owners_of(s, &n);

	zinc_buf_init(&path, s->h->ctx, ZINC_MAX_KEY);
	if (s->implicit && !has_documents(s)) /* the root of a draft that has nothing yet */
		st = fn(arg, s->path, err);
	for (i = 0; i < n && st == ZINC_OK; i++) {
		if (!o[i].document)
			continue;
		st = report_owner(s, prefix_of(s, &o[i]), o[i].n, before, &path, fn, arg, err);
		before = prefix_of(s, &o[i]);
	}
	zinc_buf_fini(&path);
	return st;
}
