/*
 * json_value.c - documents in memory: the arena, looking, building
 *
 * All values and texts of a document are in its arena, a list of blocks that are freed together.
 * An object keeps, beside the list of its members in their order, an array of them sorted by name:
 *
 *    first -> "b" -> "c" -> "a"        sorted: "a" "b" "c"
 *
 * so that duplicates are found in O(n log n) whatever the names (no hash to be attacked), a member
 * in O(log n), and objects are compared in step.
 */
#include "json/json_impl.h"

#define BLOCK_FIRST  1024u
#define BLOCK_LAST   (256u * 1024u)
#define SORTED_FIRST 4u

struct block {
	struct block *next;
	size_t used;
	size_t cap;
	_Alignas(max_align_t) uint8_t bytes[];
};

struct zinc_json_doc {
	zinc_context *ctx;
	zinc_json *root;
	const char *duplicate;
	struct block *blocks; /* the first is being filled */
};

/* ---- arena ---- */

static struct block *
add_block(zinc_json_doc *doc, size_t need)
{
	struct block *b, *head = doc->blocks;
	size_t cap = head ? head->cap * 2 : BLOCK_FIRST, total;

	if (cap > BLOCK_LAST)
		cap = BLOCK_LAST;
	if (cap < need)
		cap = need;
	if (zinc_size_add(cap, sizeof *b, &total))
		return NULL;
	b = (struct block *)zinc_alloc(doc->ctx, total);
	if (!b)
		return NULL;
	b->used = 0;
	b->cap = cap;
	if (head && cap == need) { /* all for one: the head is filled on */
		b->next = head->next;
		head->next = b;
	} else {
		b->next = head;
		doc->blocks = b;
	}
	return b;
}

/* `align` is a power of two. */
static void *
arena_alloc(zinc_json_doc *doc, size_t n, size_t align)
{
	struct block *b = doc->blocks;
	size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;

	if (!b || at > b->cap || n > b->cap - at) {
		b = add_block(doc, n);
		at = 0;
	}
	if (!b)
		return NULL;
	b->used = at + n;
	return b->bytes + at;
}

char *
zinc_json_room(zinc_json_doc *doc, size_t n)
{
	return (char *)arena_alloc(doc, n, 1);
}

static const char *
copy_text(zinc_json_doc *doc, const char *s, size_t n)
{
	size_t total;
	char *p;

	if (zinc_size_add(n, 1, &total))
		return NULL;
	p = zinc_json_room(doc, total);
	if (!p)
		return NULL;
	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

zinc_json *
zinc_json_node(zinc_json_doc *doc, zinc_json_type type)
{
	zinc_json *v = (zinc_json *)arena_alloc(doc, sizeof *v, _Alignof(zinc_json));

	if (v) {
		memset(v, 0, sizeof *v);
		v->type = type;
	}
	return v;
}

/* ---- documents ---- */

zinc_status
zinc_json_new(zinc_json_doc **out, zinc_context *ctx, zinc_error *err)
{
	zinc_json_doc *doc = (zinc_json_doc *)zinc_calloc(ctx, 1, sizeof *doc);

	if (!doc)
		return zinc_fail_nomem(err);
	doc->ctx = zinc_context_get(ctx);
	*out = doc;
	return ZINC_OK;
}

void
zinc_json_free(zinc_json_doc *doc)
{
	struct block *b, *next;

	if (!doc)
		return;
	for (b = doc->blocks; b; b = next) {
		next = b->next;
		zinc_free(doc->ctx, b);
	}
	zinc_free(doc->ctx, doc);
}

zinc_json *
zinc_json_root(const zinc_json_doc *doc)
{
	return doc ? doc->root : NULL;
}

void
zinc_json_set_root(zinc_json_doc *doc, zinc_json *root)
{
	doc->root = root;
}

zinc_context *
zinc_json_context(const zinc_json_doc *doc)
{
	return doc->ctx;
}

const char *
zinc_json_duplicate(const zinc_json_doc *doc)
{
	return doc->duplicate;
}

void
zinc_json_set_duplicate(zinc_json_doc *doc, const char *key)
{
	if (!doc->duplicate)
		doc->duplicate = key;
}

/* ---- names ---- */

static int
compare_names(const char *a, size_t na, const char *b, size_t nb)
{
	int c = memcmp(a, b, na < nb ? na : nb);

	return c ? c : (na > nb) - (na < nb);
}

static int
compare_members(const zinc_json *a, const zinc_json *b)
{
	return compare_names(a->key, a->nkey, b->key, b->nkey);
}

/* Merge the sorted a[0..mid) and a[mid..n) into `to`; of equals the earlier comes first. */
static void
merge(zinc_json **a, size_t mid, size_t n, zinc_json **to)
{
	size_t i = 0, j = mid, k;

	for (k = 0; k < n; k++)
		to[k] = j == n || (i < mid && compare_members(a[i], a[j]) <= 0) ? a[i++] : a[j++];
}

/* Merge sort, bottom up; the result is in the array that is returned, `a` or `spare`. */
static zinc_json **
sort_members(zinc_json **a, zinc_json **spare, size_t n)
{
	zinc_json **swap;
	size_t width, at, left;

	for (width = 1; width < n; width *= 2) {
		for (at = 0; at < n; at += 2 * width) {
			left = n - at;
			merge(a + at, left < width ? left : width, left < 2 * width ? left : 2 * width, spare + at);
		}
		swap = a;
		a = spare;
		spare = swap;
	}
	return a;
}

/* Keep the last of each name, in a[] and in the list; returns how many stay. */
static size_t
drop_duplicates(zinc_json *object, zinc_json **a, const char **duplicate)
{
	size_t i, n = object->n, kept = 0;
	zinc_json *v;

	for (i = 0; i < n; i++) {
		if (i + 1 < n && compare_members(a[i], a[i + 1]) == 0) {
			*duplicate = *duplicate ? *duplicate : a[i]->key;
			a[i]->parent = NULL;
		} else
			a[kept++] = a[i];
	}
	if (kept == n)
		return n;
	v = object->first;
	object->first = object->last = NULL;
	object->n = 0;
	while (v) {
		zinc_json *next = v->next;

		if (v->parent)
			zinc_json_link(object, v);
		v = next;
	}
	return kept;
}

/* Room for `n` names grows by powers of two, so its capacity need not be kept. */
static size_t
sorted_cap(size_t n)
{
	size_t cap = SORTED_FIRST;

	while (cap < n)
		cap *= 2;
	return cap;
}

static zinc_json **
new_sorted(zinc_json_doc *doc, size_t cap)
{
	size_t nbytes;

	if (zinc_size_mul(cap, sizeof(zinc_json *), &nbytes))
		return NULL;
	return (zinc_json **)arena_alloc(doc, nbytes, _Alignof(zinc_json *));
}

zinc_status
zinc_json_index(zinc_json_doc *doc, zinc_json *object, const char **duplicate, zinc_error *err)
{
	zinc_json **a, **spare, **result, *v;
	size_t i = 0, n = object->n;

	*duplicate = NULL;
	if (n == 0)
		return ZINC_OK;
	a = new_sorted(doc, sorted_cap(n));
	spare = (zinc_json **)zinc_calloc(doc->ctx, n, sizeof *spare);
	if (!a || !spare) {
		zinc_free(doc->ctx, spare);
		return zinc_fail_nomem(err);
	}
	for (v = object->first; v; v = v->next)
		a[i++] = v;
	result = sort_members(a, spare, n);
	n = drop_duplicates(object, result, duplicate);
	for (i = 0; i < n; i++)
		a[i] = result[i];
	object->sorted = a;
	zinc_free(doc->ctx, spare);
	return ZINC_OK;
}

bool
zinc_json_find(const zinc_json *object, const char *key, size_t nkey, size_t *at)
{
	size_t lo = 0, hi = object->n, mid;
	int c;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		c = compare_names(object->sorted[mid]->key, object->sorted[mid]->nkey, key, nkey);
		if (c == 0) {
			*at = mid;
			return true;
		}
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*at = lo;
	return false;
}

/* ---- looking ---- */

bool
zinc_json_is(const zinc_json *v, zinc_json_type type)
{
	return v && v->type == type;
}

zinc_json *
zinc_json_member(const zinc_json *object, const char *key)
{
	size_t at;

	if (!zinc_json_is(object, ZINC_JSON_OBJECT) || !zinc_json_find(object, key, strlen(key), &at))
		return NULL;
	return object->sorted[at];
}

zinc_json *
zinc_json_item(const zinc_json *array, size_t i)
{
	zinc_json *v;

	if (!zinc_json_is(array, ZINC_JSON_ARRAY) || i >= array->n)
		return NULL;
	for (v = array->first; i > 0; i--)
		v = v->next;
	return v;
}

bool
zinc_json_is_string(const zinc_json *v, const char *s)
{
	return zinc_json_is(v, ZINC_JSON_STRING) && v->n == strlen(s) && memcmp(v->text, s, v->n) == 0;
}

bool
zinc_json_bool(const zinc_json *v, bool *out)
{
	if (!zinc_json_is(v, ZINC_JSON_TRUE) && !zinc_json_is(v, ZINC_JSON_FALSE))
		return false;
	*out = v->type == ZINC_JSON_TRUE;
	return true;
}

/* ---- building ---- */

zinc_json *
zinc_json_make(zinc_json_doc *doc, zinc_json_type type)
{
	return zinc_json_node(doc, type);
}

zinc_json *
zinc_json_make_string(zinc_json_doc *doc, const char *s)
{
	return s ? zinc_json_make_stringn(doc, s, strlen(s)) : NULL;
}

zinc_json *
zinc_json_make_stringn(zinc_json_doc *doc, const char *s, size_t n)
{
	zinc_json *v = zinc_json_node(doc, ZINC_JSON_STRING);

	if (!v)
		return NULL;
	v->text = copy_text(doc, s, n);
	v->n = n;
	return v->text ? v : NULL;
}

zinc_json *
zinc_json_make_number(zinc_json_doc *doc, const char *token)
{
	zinc_json *v;
	const char *end = token ? token + strlen(token) : NULL;

	if (!token || zinc_json_number_end(token, end) != end)
		return NULL;
	v = zinc_json_make_string(doc, token);
	if (v)
		v->type = ZINC_JSON_NUMBER;
	return v;
}

void
zinc_json_link(zinc_json *parent, zinc_json *v)
{
	v->parent = parent;
	v->next = NULL;
	if (parent->last)
		parent->last->next = v;
	else
		parent->first = v;
	parent->last = v;
	parent->n++;
}

static zinc_status
check_free(const zinc_json *parent, zinc_json_type type, const zinc_json *v, zinc_error *err)
{
	if (!parent || !v)
		return zinc_fail_nomem(err);
	if (parent->type != type)
		return zinc_fail(err, ZINC_E_INVALID, "a JSON value that cannot have children of this kind");
	if (v->parent || v == parent)
		return zinc_fail(err, ZINC_E_INVALID, "a JSON value that is part of another already");
	return ZINC_OK;
}

zinc_status
zinc_json_append(zinc_json *array, zinc_json *v, zinc_error *err)
{
	ZINC_TRY(check_free(array, ZINC_JSON_ARRAY, v, err));
	zinc_json_link(array, v);
	return ZINC_OK;
}

/* Take `old` out of the list and put `v` (NULL: nothing) in its place. */
static void
relink(zinc_json *parent, zinc_json *old, zinc_json *v)
{
	zinc_json *before = NULL, *x;

	for (x = parent->first; x != old; x = x->next)
		before = x;
	if (v) {
		v->parent = parent;
		v->next = old->next;
	}
	x = v ? v : old->next;
	if (before)
		before->next = x;
	else
		parent->first = x;
	if (parent->last == old)
		parent->last = v ? v : before;
	old->parent = old->next = NULL;
}

/* Open a gap at `at`; the array is full when the number of names is its capacity. */
static bool
widen(zinc_json_doc *doc, zinc_json *object, size_t at)
{
	size_t i, n = object->n;
	zinc_json **to = object->sorted, **from = object->sorted;

	if (!to || sorted_cap(n) == n) {
		to = new_sorted(doc, sorted_cap(n + 1));
		if (!to)
			return false;
		for (i = 0; i < at; i++)
			to[i] = from[i];
	}
	for (i = n; i > at; i--)
		to[i] = from[i - 1];
	object->sorted = to;
	return true;
}

zinc_status
zinc_json_set(zinc_json_doc *doc, zinc_json *object, const char *key, zinc_json *v, zinc_error *err)
{
	size_t at, nkey = strlen(key);
	const char *copy;

	ZINC_TRY(check_free(object, ZINC_JSON_OBJECT, v, err));
	if (nkey > ZINC_JSON_KEY_MAX)
		return zinc_fail(err, ZINC_E_LIMIT, "a name of %zu bytes", nkey);
	if (zinc_json_find(object, key, nkey, &at)) {
		copy = object->sorted[at]->key;
		relink(object, object->sorted[at], v);
	} else {
		copy = copy_text(doc, key, nkey);
		if (!copy || !widen(doc, object, at))
			return zinc_fail_nomem(err);
		zinc_json_link(object, v);
	}
	v->key = copy;
	v->nkey = (uint32_t)nkey;
	object->sorted[at] = v;
	return ZINC_OK;
}

bool
zinc_json_remove(zinc_json *object, const char *key)
{
	size_t at;

	if (!zinc_json_is(object, ZINC_JSON_OBJECT) || !zinc_json_find(object, key, strlen(key), &at))
		return false;
	relink(object, object->sorted[at], NULL);
	object->n--;
	for (; at < object->n; at++)
		object->sorted[at] = object->sorted[at + 1];
	return true;
}

/* ---- copying ---- */

static zinc_json *
copy_one(zinc_json_doc *doc, const zinc_json *from, zinc_json *parent)
{
	zinc_json *v = zinc_json_node(doc, from->type);

	if (!v)
		return NULL;
	if (from->text) {
		v->n = from->n;
		v->text = copy_text(doc, from->text, from->n);
		if (!v->text)
			return NULL;
	}
	if (parent && from->key) {
		v->nkey = from->nkey;
		v->key = copy_text(doc, from->key, from->nkey);
		if (!v->key)
			return NULL;
	}
	if (parent)
		zinc_json_link(parent, v);
	return v;
}

static bool
index_copy(zinc_json_doc *doc, zinc_json *v)
{
	const char *none;

	return v->type != ZINC_JSON_OBJECT || zinc_json_index(doc, v, &none, NULL) == ZINC_OK;
}

/* Down to the first child, else on to the next sibling, else up, where an object is complete. */
zinc_json *
zinc_json_copy(zinc_json_doc *doc, const zinc_json *v)
{
	const zinc_json *from = v;
	zinc_json *to = v ? copy_one(doc, v, NULL) : NULL;

	while (to) {
		if (from->first) {
			from = from->first;
			to = copy_one(doc, from, to);
			continue;
		}
		while (from != v && !from->next) {
			from = from->parent;
			to = to->parent;
			if (!index_copy(doc, to))
				return NULL;
		}
		if (from == v)
			return to;
		from = from->next;
		to = copy_one(doc, from, to->parent);
	}
	return NULL;
}
