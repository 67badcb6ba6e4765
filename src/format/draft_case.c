/*
 * draft_case.c - names of siblings that differ only in case, which the draft of 2019 forbids
 *
 * Some file systems treat "foo" and "FOO" as one name.  Promise:
 *
 * (1) A node whose name differs from a sibling's only in case is not created, at any level of a new path.  The check
 *     costs one listing per level.  It does not exclude a node that is created at the same time; validators find such a
 *     pair.
 */
#include "format/draft.h"

struct siblings {
	zinc_hierarchy *h;
	const char *name; /* the new name, n bytes */
	size_t n;
	size_t nprefix; /* bytes before the name in each entry */
	bool clash;
};

static bool
differs_in_case(const char *a, const char *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const char x = a[i], y = b[i];

		if (x != y && ((x | 0x20) != (y | 0x20) || (x | 0x20) < 'a' || (x | 0x20) > 'z'))
			return false;
	}
	return memcmp(a, b, n) != 0;
}

/* "foo/" or "foo.array" */
static int
look_at(void *arg, const char *entry, int is_prefix)
{
	struct siblings *s = arg;
	const char *name = entry + s->nprefix;
	zinc_node_kind kind;
	const size_t n = is_prefix ? strlen(name) - 1 : zinc_draft_document(s->h, name, &kind);

	s->clash = n == s->n && differs_in_case(name, s->name, n);
	return s->clash;
}

/* Compare the name that ends at `end` with all its siblings. */
static zinc_status
check_level(zinc_hierarchy *h, const char *path, const char *name, const char *end, zinc_error *err)
{
	struct siblings look = {.h = h, .name = name, .n = (size_t)(end - name)};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_buf parent, prefix;
	zinc_status st;

	zinc_buf_init(&parent, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&prefix, h->ctx, ZINC_MAX_KEY);
	st = zinc_buf_add(&parent, path, name - path > 1 ? (size_t)(name - path - 1) : 1, &e);
	if (st == ZINC_OK)
		st = zinc_buf_text(&parent) ? zinc_node_prefix(h, zinc_buf_text(&parent), &prefix, &e)
					    : zinc_fail_nomem(&e);
	look.nprefix = prefix.n;
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix)
			 ? zinc_store_list_dir(h->store, zinc_buf_text(&prefix), look_at, &look, h->wait, &e)
			 : zinc_fail_nomem(&e);
	zinc_buf_fini(&prefix);
	zinc_buf_fini(&parent);
	if (st == ZINC_OK && look.clash)
		return zinc_fail_rule(err, ZINC_E_INVALID, h->format->draft->rules[ZINC_DRAFT_NAME_CASE],
				      "\"%.*s\" differs from the name of a sibling only in case", (int)look.n, name);
	return st == ZINC_E_UNSUPPORTED ? ZINC_OK : zinc_error_copy(err, &e); /* a store that cannot list */
}

zinc_status
zinc_draft_check_case(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	const char *name = path + 1, *end;

	for (; *name; name = *end ? end + 1 : end) {
		end = name + strcspn(name, "/");
		ZINC_TRY(check_level(h, path, name, end, err));
	}
	return ZINC_OK;
}
