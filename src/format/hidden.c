/*
 * hidden.c - find nodes that no listing reaches
 *
 *   key in a v3 store    the node   why no listing shows it
 *   a/n/zarr.json        /a/n       /a is an array, and arrays have no children
 *   x/y/.zarray          /x/y       it is of another version, and /x is no node of this one
 *   x/y/attributes.json  /x/y       the same, if it is of N5: other programs have files of this name
 *   none                 /b         its document is gone, and only consolidated metadata tells of it
 *
 * Code that lists keys passes them here, with the nodes that were shown.  A document that belongs to none of them is
 * shown as a hidden node.  Promises (tests/cli/hidden.sh):
 *
 * (1) A document at the path of a node that was shown belongs to that node in another version.  It is not reported
 *     here.
 * (2) Of a hidden hierarchy only the topmost node is shown.
 * (3) A walk reads the directory of an array only if one level of it is short: if the grid allows at most LOOK_MAX
 *     entries of chunks there, in a local store.  Directories of chunks are not read.  A directory that cannot be read
 *     is reported, and hides no other node.
 * (4) zinc_walk_thorough looks at every key, and at consolidated metadata.
 */
#include <stdlib.h>

#include "format/draft.h"
#include "format/hidden.h"
#include "format/path_documents.h"

/* A directory of this many files is read in a few milliseconds. */
#define LOOK_MAX 4096

/* At one path, the node that was shown comes first. */
enum what { SHOWN, SHOWN_ARRAY, SHOWN_HIDDEN, OWN, OTHER, COPY };

struct entry {
	size_t path, key; /* in the pool */
	enum what what;
};

/* ---- what is there ---- */

bool
zinc_key_makes_node(const char *key)
{
	static const char *const names[] = {"zarr.json", ".zarray", ".zgroup"};
	const char *name = zinc_key_name(key);
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The name alone says nothing: is it of N5? */
static bool
is_shared_name(const char *key)
{
	return strcmp(zinc_key_name(key), zinc_format_n5.documents[0].name) == 0;
}

zinc_status
zinc_key_is_node(const zinc_hierarchy *h, const char *key, bool *is, zinc_error *err)
{
	const zinc_format *format = NULL;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_node_kind kind;
	zinc_status st;
	char *prefix;

	*is = zinc_key_makes_node(key);
	if (*is || !is_shared_name(key))
		return ZINC_OK;
	prefix = zinc_strndup(h->ctx, key, (size_t)(zinc_key_name(key) - key));
	if (!prefix)
		return zinc_fail_nomem(err);
	st = zinc_format_detect(h->store, prefix, &zinc_format_n5, &format, &kind, NULL, NULL, h->wait, &e);
	zinc_free(h->ctx, prefix);
	if (st == ZINC_E_NOMEM || st == ZINC_E_CANCELLED)
		return zinc_error_copy(err, &e);
	*is = st != ZINC_OK || format; /* what cannot be read may be one */
	return ZINC_OK;
}

void
zinc_hidden_init(zinc_hidden *x, zinc_hierarchy *h)
{
	*x = (zinc_hidden){.h = h};
	zinc_buf_init(&x->pool, h->ctx, zinc_max_list(h->ctx));
	zinc_buf_init(&x->entries, h->ctx, zinc_max_list(h->ctx));
	zinc_buf_init(&x->place, h->ctx, ZINC_MAX_KEY);
}

void
zinc_hidden_fini(zinc_hidden *x)
{
	zinc_buf_fini(&x->pool);
	zinc_buf_fini(&x->entries);
	zinc_buf_fini(&x->place);
}

static zinc_status
add(zinc_hidden *x, const char *path, size_t n, const char *key, enum what what, zinc_error *err)
{
	const struct entry e = {.path = x->pool.n, .key = x->pool.n + n + 1, .what = what};

	ZINC_TRY(zinc_buf_add(&x->pool, path, n, err));
	ZINC_TRY(zinc_buf_add(&x->pool, "", 1, err));
	ZINC_TRY(zinc_buf_add(&x->pool, key, strlen(key) + 1, err));
	return zinc_buf_add(&x->entries, &e, sizeof e, err);
}

zinc_status
zinc_hidden_shown(zinc_hidden *x, const char *path, size_t n, zinc_node_kind kind, bool hidden, zinc_error *err)
{
	return add(x, path, n, "", hidden ? SHOWN_HIDDEN : kind == ZINC_NODE_ARRAY ? SHOWN_ARRAY : SHOWN, err);
}

static bool
is_document(const zinc_hierarchy *h, const char *name)
{
	zinc_node_kind kind;

	return zinc_key_makes_node(name) || is_shared_name(name) || zinc_documents_make(h->format, name) ||
	       (h->entry && zinc_draft_document(h, name, &kind) > 0);
}

/* Names "__x" are not nodes where the format reserves them. */
static bool
is_reserved(const zinc_hierarchy *h, const char *path, size_t n)
{
	const char *end = path + n, *name;

	for (name = path; name < end; name++) {
		const char *slash = memchr(name, '/', (size_t)(end - name));
		const size_t m = (size_t)((slash ? slash : end) - name);

		if (m > 1 && memcmp(name, "__", 2) == 0 && h->format->check_name(h->format, name, m, NULL) != ZINC_OK)
			return true;
		name += m;
	}
	return false;
}

zinc_status
zinc_hidden_key(zinc_hidden *x, const char *key, zinc_error *err)
{
	const char *rel = key + strlen(x->h->prefix), *path;
	zinc_key_role role;
	size_t n;

	if (!is_document(x->h, zinc_key_name(rel)) || zinc_cp_trace_of(rel) != ZINC_CP_NO_TRACE)
		return ZINC_OK;
	zinc_buf_end(&x->place, 0);
	ZINC_TRY(x->h->format->place(x->h, rel, &role, &x->place, err));
	if (role == ZINC_KEY_PART)
		return ZINC_OK;
	if (!zinc_buf_text(&x->place))
		return zinc_fail_nomem(err);
	path = role == ZINC_KEY_FOREIGN ? rel : zinc_buf_text(&x->place);
	n = (size_t)(zinc_key_name(path) - path); /* "a/b/" for a node's place, too */
	n -= n > 0;
	if (is_reserved(x->h, path, n))
		return ZINC_OK;
	x->own = x->own || role == ZINC_KEY_NODE;
	return add(x, path, n, key, role == ZINC_KEY_NODE ? OWN : OTHER, err);
}

struct listing {
	zinc_hidden *x;
	zinc_status status;
	zinc_error *err;
};

static int
list_key(void *arg, const char *key, uint64_t nbytes)
{
	struct listing *l = arg;

	(void)nbytes;
	l->status = zinc_hidden_key(l->x, key, l->err);
	return l->status != ZINC_OK;
}

static int
pass_over(void *arg, const zinc_non_key *non_key)
{
	(void)arg, (void)non_key;
	return 0;
}

zinc_status
zinc_hidden_list(zinc_hidden *x, const char *prefix, zinc_error *err)
{
	struct listing l = {x, ZINC_OK, err};
	const zinc_lister to = {.size = sizeof to, .key = list_key, .non_key = pass_over, .arg = &l};

	ZINC_TRY(zinc_store_walk(x->h->store, prefix, &to, x->h->wait, err));
	return l.status;
}

/* ---- what is left over ---- */

int
zinc_path_compare(const char *a, const char *b)
{
	const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;

	for (; *p && *p == *q; p++, q++)
		;
	if (*p == *q)
		return 0;
	if (*p == '\0' || *q == '\0')
		return *p == '\0' ? -1 : 1;
	if (*p == '/' || *q == '/')
		return *p == '/' ? -1 : 1;
	return *p < *q ? -1 : 1;
}

static int
compare(const void *a, const void *b, void *pool)
{
	const struct entry *x = a, *y = b;
	const int order = zinc_path_compare((const char *)pool + x->path, (const char *)pool + y->path);

	return order != 0 ? order : (int)x->what - (int)y->what;
}

static bool
is_within(const char *path, const char *up)
{
	const size_t n = up ? strlen(up) : 0;

	return up && strncmp(path, up, n) == 0 && (n == 0 || path[n] == '/' || path[n] == '\0');
}

/* The version of the node whose document has this key; *gone: it no longer exists. */
static zinc_status
describe_version(const zinc_hierarchy *h, const char *key, zinc_error *problem, bool *gone, zinc_error *err)
{
	char *prefix = zinc_strndup(h->ctx, key, (size_t)(zinc_key_name(key) - key));
	zinc_error why = ZINC_ERROR_INIT;
	const zinc_format *format = NULL;
	zinc_node_kind kind;
	zinc_status st;

	if (!prefix)
		return zinc_fail_nomem(err);
	st = zinc_format_detect(h->store, prefix, NULL, &format, &kind, NULL, NULL, h->wait, &why);
	zinc_free(h->ctx, prefix);
	if (st == ZINC_E_NOMEM || st == ZINC_E_CANCELLED)
		return zinc_error_copy(err, &why);
	*gone = st == ZINC_OK && !format;
	if (st != ZINC_OK)
		zinc_error_by(problem, zinc_fail(problem, st, "cannot be shown: %s", why.text), &why);
	else if (format)
		zinc_fail(problem, ZINC_E_UNSUPPORTED, "cannot be shown: " ZINC_OTHER_VERSION, format->id);
	return ZINC_OK;
}

static zinc_status
show(const zinc_hidden *x, const struct entry *e, bool below_array, zinc_found_fn fn, void *arg, bool *stopped,
     zinc_error *err)
{
	const char *pool = (const char *)x->pool.p;
	zinc_found_node node = {.kind = ZINC_NODE_NONE, .hidden = true, .key = ""};
	zinc_error problem = ZINC_ERROR_INIT;
	bool gone = false;
	char path[1200] = "/";

	if (e->what == OTHER)
		ZINC_TRY(describe_version(x->h, pool + e->key, &problem, &gone, err));
	if (gone)
		return ZINC_OK;
	if (below_array)
		zinc_fail(&problem, ZINC_E_CORRUPT,
			  "cannot be shown: it is below an array, and arrays have no children");
	else if (e->what == OWN)
		zinc_fail(&problem, ZINC_E_CORRUPT, "cannot be shown: no listing of the nodes above reaches it");
	else if (e->what == COPY)
		zinc_fail(&problem, ZINC_E_CORRUPT,
			  "cannot be read: it exists only in consolidated metadata, without a document");
	zinc_error_at_url(&problem, problem.code, x->h->url);
	zinc_show(path + 1, sizeof path - 1, pool + e->path);
	node.path = path;
	node.problem = &problem;
	*stopped = fn(arg, &node) != 0;
	return ZINC_OK;
}

/* Promises (1) and (2). */
zinc_status
zinc_hidden_each(zinc_hidden *x, zinc_found_fn fn, void *arg, bool *stopped, zinc_error *err)
{
	const char *shown = NULL, *array = NULL, *hidden = NULL;
	const size_t n = x->entries.n / sizeof(struct entry);
	struct entry *e = (struct entry *)(void *)x->entries.p;
	size_t i;

	*stopped = false;
	if (n > 0)
		qsort_r(e, n, sizeof *e, compare, x->pool.p);
	for (i = 0; i < n && !*stopped; i++) {
		const char *path = (const char *)x->pool.p + e[i].path;

		if (e[i].what < OWN) {
			shown = path;
			array = e[i].what == SHOWN_ARRAY && !is_within(path, array) ? path : array;
			hidden = e[i].what == SHOWN_HIDDEN ? path : hidden;
		} else if (!is_within(path, hidden) && !(shown && strcmp(path, shown) == 0)) {
			hidden = path;
			ZINC_TRY(show(x, &e[i], is_within(path, array), fn, arg, stopped, err));
		}
	}
	return ZINC_OK;
}

/* ---- below an array ---- */

/* Are all chunks in one directory "c"? */
static bool
begins_with_c(const zinc_meta *m)
{
	static const uint64_t origin[ZINC_MAX_NDIM];
	char key[1024];

	return m->keys.ops->encode(m->keys.self, origin, m->ndim, key, sizeof key) < sizeof key && key[0] == 'c' &&
	       key[1] == '/';
}

/* The most entries that chunks can make in the array's directory; UINT64_MAX: not known. */
static uint64_t
count_entries(const zinc_meta *m)
{
	const int ndim = m->keys.separator == '/' && m->ndim > 0 ? 1 : m->ndim;
	uint64_t n = 1;
	int d;

	if (begins_with_c(m))
		return 1;
	for (d = 0; d < ndim; d++)
		if (zinc_u64_mul(n, zinc_grid_count(m->grid, d, m->shape[d]), &n))
			return UINT64_MAX;
	return n;
}

/* Promise (3). */
static bool
may_look(const zinc_hierarchy *h, const zinc_meta *m)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(h->store, &caps);
	return (caps.flags & ZINC_CAP_LIST) && !(caps.flags & ZINC_CAP_REMOTE) && zinc_meta_keys_known(m) &&
	       count_entries(m) <= LOOK_MAX;
}

struct below {
	const zinc_meta *array;
	size_t nprefix;
	zinc_buf prefixes; /* each with its NUL */
	zinc_status status;
	zinc_error *err;
};

/* Can a chunk's key begin with these n bytes and a '/'? */
static bool
holds_chunks(const zinc_meta *m, const char *name, size_t n)
{
	uint64_t index[ZINC_MAX_NDIM];
	char text[1024];
	int d;

	if (n + 2 * (size_t)m->ndim + 1 > sizeof text)
		return false;
	memcpy(text, name, n);
	for (d = 0; d < m->ndim; d++) {
		memcpy(text + n + 2 * (size_t)d, "/0", 3);
		if (zinc_keys_decode(&m->keys, text, m->ndim, index))
			return true;
	}
	return false;
}

static int
note_prefix(void *arg, const char *entry, int is_prefix)
{
	struct below *b = arg;
	const char *name = entry + b->nprefix;
	const size_t n = strlen(name);

	if (!is_prefix || n < 2 || holds_chunks(b->array, name, n - 1))
		return 0;
	b->status = zinc_buf_add(&b->prefixes, entry, strlen(entry) + 1, b->err);
	return b->status != ZINC_OK;
}

static zinc_status
list_below(const zinc_hierarchy *h, const char *path, struct below *b)
{
	const zinc_lister to = {.size = sizeof to, .entry = note_prefix, .non_key = pass_over, .arg = b};
	zinc_buf prefix;
	zinc_status st;

	zinc_buf_init(&prefix, h->ctx, ZINC_MAX_KEY);
	st = zinc_data_prefix(h, path, &prefix, b->err);
	b->nprefix = prefix.n;
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix) ? zinc_store_walk(h->store, zinc_buf_text(&prefix), &to, h->wait, b->err)
					    : zinc_fail_nomem(b->err);
	zinc_buf_fini(&prefix);
	return st == ZINC_OK ? b->status : st;
}

static zinc_status
look_into(zinc_hidden *x, const char *path, const zinc_buf *prefixes, zinc_error *err)
{
	const char *prefix;
	size_t at;

	ZINC_TRY(zinc_hidden_shown(x, path + 1, strlen(path) - 1, ZINC_NODE_ARRAY, false, err));
	for (at = 0; at < prefixes->n; at += strlen(prefix) + 1) {
		prefix = (const char *)prefixes->p + at;
		ZINC_TRY(zinc_hidden_list(x, prefix, err));
	}
	return ZINC_OK;
}

/* The array is shown.  What is below it cannot be read, but that hides no other node. */
static int
show_unread(const zinc_hierarchy *h, const char *path, const zinc_error *why, zinc_found_fn fn, void *arg)
{
	zinc_error problem = ZINC_ERROR_INIT;
	const zinc_found_node node = {
	    .kind = ZINC_NODE_NONE, .hidden = true, .path = path, .key = "", .problem = &problem};

	zinc_fail(&problem, ZINC_E_IO, "the nodes below it cannot be shown: %s", why->text);
	zinc_error_by(&problem, ZINC_E_IO, why);
	zinc_error_at_url(&problem, ZINC_E_IO, h->url);
	return fn(arg, &node);
}

zinc_status
zinc_hidden_below(zinc_hierarchy *h, const char *path, const zinc_meta *array, zinc_found_fn fn, void *arg,
		  bool *stopped, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	struct below b = {.array = array, .err = &e};
	zinc_hidden x;
	zinc_status st;

	*stopped = false;
	if (!may_look(h, array))
		return ZINC_OK;
	zinc_buf_init(&b.prefixes, h->ctx, zinc_max_list(h->ctx));
	zinc_hidden_init(&x, h);
	st = list_below(h, path, &b);
	if (st == ZINC_E_IO)
		*stopped = show_unread(h, path, &e, fn, arg) != 0;
	else if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	if (st == ZINC_OK && b.prefixes.n > 0)
		st = look_into(&x, path, &b.prefixes, err);
	if (st == ZINC_OK)
		st = zinc_hidden_each(&x, fn, arg, stopped, err);
	zinc_hidden_fini(&x);
	zinc_buf_fini(&b.prefixes);
	return st == ZINC_E_IO && e.code == ZINC_E_IO ? ZINC_OK : st;
}

/* ---- every key ---- */

struct thorough {
	zinc_hidden x;
	zinc_found_fn fn;
	void *arg;
	bool stopped;
	zinc_status status;
	zinc_error *err;
};

static int
note_shown(void *arg, const zinc_found_node *node)
{
	struct thorough *t = arg;

	t->status = zinc_hidden_shown(&t->x, node->path + 1, strlen(node->path) - 1, node->kind, node->hidden, t->err);
	t->stopped = t->status != ZINC_OK || t->fn(t->arg, node) != 0;
	return t->stopped;
}

/* Groups without a copy are not in consolidated metadata. */
static int
note_copy(void *arg, const zinc_found_node *node)
{
	struct thorough *t = arg;

	if (!node->implicit)
		t->status = add(&t->x, node->path + 1, strlen(node->path) - 1, "", COPY, t->err);
	return t->status != ZINC_OK;
}

static zinc_status
list_copies(struct thorough *t, const char *path, zinc_error *err)
{
	zinc_hierarchy *h = t->x.h;
	zinc_report r;

	zinc_report_init_quiet(&r, h->ctx, false);
	ZINC_TRY(zinc_walk(h, path, ZINC_WALK_COPIES, &r, note_copy, t, err));
	return t->status;
}

static zinc_status
list_prefix(void *arg, const char *prefix, zinc_error *err)
{
	return zinc_hidden_list(arg, prefix, err);
}

/* At the root all keys are read, also those beside the trees of a draft. */
static zinc_status
walk_thorough(struct thorough *t, const char *path, zinc_report *r, zinc_error *err)
{
	zinc_hierarchy *h = t->x.h;

	ZINC_TRY(zinc_walk(h, path, ZINC_WALK_STORED, r, note_shown, t, err));
	if (t->stopped)
		return t->status;
	ZINC_TRY(list_copies(t, path, err));
	ZINC_TRY(path[1] ? zinc_node_prefixes(h, path, list_prefix, &t->x, err)
			 : zinc_hidden_list(&t->x, h->prefix, err));
	return zinc_hidden_each(&t->x, t->fn, t->arg, &t->stopped, err);
}

zinc_status
zinc_walk_thorough(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_found_fn fn, void *arg, zinc_error *err)
{
	struct thorough t = {.fn = fn, .arg = arg, .err = err};
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_status st;

	zinc_store_caps(h->store, &caps);
	if (!(caps.flags & ZINC_CAP_LIST))
		return zinc_walk(h, path, ZINC_WALK_ALL, r, fn, arg, err);
	zinc_hidden_init(&t.x, h);
	st = walk_thorough(&t, path, r, err);
	zinc_hidden_fini(&t.x);
	return st;
}
