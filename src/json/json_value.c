/*
 * json_value.c - documents in memory: the arena, access, building, copying
 *
 * Promises (tests/unit/test_json_value.c):
 *
 * (1) A document owns everything in it, and freeing it frees all at once.
 * (2) Access functions accept NULL and building functions pass NULL on: a chain of calls needs one check, at its end.
 * (3) A value is part of at most one other, so that a tree stays a tree.
 * (4) Members keep their order, and a replaced member keeps its position.
 *
 * All values and texts are in an arena, a list of blocks.  Removed and replaced values stay in it until the end:
 * documents are changed a little and then printed.
 *
 *    blocks -> [value text value text .....] -> [all full] -> [one large text]
 */
#include "json/json_impl.h"

#define BLOCK_FIRST 1024u
#define BLOCK_LAST  (256u * 1024u)

struct zinc_json_block {
	struct zinc_json_block *next;
	size_t used;
	size_t cap;
	_Alignas(max_align_t) uint8_t bytes[];
};

/* ---- arena ---- */

/* Each block has twice the size of the last, so that small documents are small and large ones need few blocks.  A piece
 * that does not fit even there gets its own block. */
static struct zinc_json_block *
add_block(zinc_json_doc *doc, size_t need)
{
	struct zinc_json_block *b, *head = doc->blocks;
	size_t cap = head ? head->cap * 2 : BLOCK_FIRST, total;

	if (cap > BLOCK_LAST)
		cap = BLOCK_LAST;
	if (cap < need)
		cap = need;
	if (zinc_size_add(cap, sizeof *b, &total))
		return NULL;
	b = (struct zinc_json_block *)zinc_alloc(doc->ctx, total);
	if (!b)
		return NULL;
	b->used = 0;
	b->cap = cap;
	if (head && cap == need) { /* a block for one piece: the head is still filled */
		b->next = head->next;
		head->next = b;
	} else {
		b->next = head;
		doc->blocks = b;
	}
	return b;
}

void *
zinc_json_alloc(zinc_json_doc *doc, size_t n, size_t align)
{
	struct zinc_json_block *b = doc->blocks;
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

const char *
zinc_json_text(zinc_json_doc *doc, const char *s, size_t n)
{
	size_t total;
	char *p;

	if (zinc_size_add(n, 1, &total))
		return NULL;
	p = (char *)zinc_json_alloc(doc, total, 1);
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
	zinc_json *v = (zinc_json *)zinc_json_alloc(doc, sizeof *v, _Alignof(zinc_json));

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
	struct zinc_json_block *b, *next;

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

/* ---- access ---- */

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

/* Scalars of the other types have their own functions, since they need a text. */
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
	v->text = zinc_json_text(doc, s, n);
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

/* Promises 2 and 3. */
static zinc_status
check_free(const zinc_json *parent, zinc_json_type type, const zinc_json *v, zinc_error *err)
{
	if (!parent || !v)
		return zinc_fail_nomem(err);
	if (parent->type != type)
		return zinc_fail(err, ZINC_E_INVALID, "this JSON value cannot have such a child");
	if (v->parent || v == parent)
		return zinc_fail(err, ZINC_E_INVALID, "the JSON value is already part of another");
	return ZINC_OK;
}

zinc_status
zinc_json_append(zinc_json *array, zinc_json *v, zinc_error *err)
{
	ZINC_TRY(check_free(array, ZINC_JSON_ARRAY, v, err));
	zinc_json_link(array, v);
	return ZINC_OK;
}

/* Replace `old` in the list by `v` (NULL: remove it).  The list is searched for its predecessor: this is rare, and
 * saves a pointer in every value. */
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

/* Every failure happens before anything is changed. */
zinc_status
zinc_json_set(zinc_json_doc *doc, zinc_json *object, const char *key, zinc_json *v, zinc_error *err)
{
	size_t at, nkey = strlen(key);
	const char *copy;

	ZINC_TRY(check_free(object, ZINC_JSON_OBJECT, v, err));
	if (nkey > ZINC_JSON_KEY_MAX)
		return zinc_fail(err, ZINC_E_LIMIT, "the name is too long: %zu bytes", nkey);
	if (zinc_json_find(object, key, nkey, &at)) {
		copy = object->sorted[at]->key;
		relink(object, object->sorted[at], v);
	} else {
		copy = zinc_json_text(doc, key, nkey);
		if (!copy || !zinc_json_index_open(doc, object, at))
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
	zinc_json_index_close(object, at);
	return true;
}

/* ---- copying ---- */

/* One value without its children, with its name if it becomes a member. */
static zinc_json *
copy_one(zinc_json_doc *doc, const zinc_json *from, zinc_json *parent)
{
	zinc_json *v = zinc_json_node(doc, from->type);

	if (!v)
		return NULL;
	if (from->text) {
		v->n = from->n;
		v->text = zinc_json_text(doc, from->text, from->n);
		if (!v->text)
			return NULL;
	}
	if (parent && from->key) {
		v->nkey = from->nkey;
		v->key = zinc_json_text(doc, from->key, from->nkey);
		if (!v->key)
			return NULL;
	}
	if (parent)
		zinc_json_link(parent, v);
	return v;
}

/* The source has no duplicates, so none are found here. */
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
