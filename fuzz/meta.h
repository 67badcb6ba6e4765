/*
 * meta.h - any bytes as the document of a node: the body of one fuzz target per version of Zarr
 *
 * (1) A refused document is E_CORRUPT, which cites a rule, or E_LIMIT.
 * (2) A document that strict reading accepts, lenient reading accepts with the same meaning.
 * (3) A collector gets an error exactly if the document is refused as corrupt.
 * (4) An accepted document can be described; printed and parsed again it is the same document.
 * (5) Setting the shape of an array to its own shape does not change the array.
 * (6) An array of a version with another vocabulary can be printed in the final version's and translated back, or is
 *     refused as E_INVALID; the result is read as the same array.
 * (7) The same bytes as a draft's entry point open a hierarchy, or are refused as E_CORRUPT, E_UNSUPPORTED or
 *     E_LIMIT.
 */
#ifndef FUZZ_META_H
#define FUZZ_META_H

#include "format/format.h"
#include "fuzz.h"

static void
count(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	insist(rule[0] && pointer && message[0]);
	*(unsigned *)arg += severity == ZINC_SEVERITY_ERROR;
}

static zinc_status
parse(const zinc_format *f, zinc_bytes text, bool strict, unsigned *errors, zinc_meta **out)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_report r;
	zinc_status s;

	zinc_report_init(&r, zinc_context_get(NULL), strict, "fuzz");
	if (errors) {
		r.found = count;
		r.arg = errors;
	}
	s = zinc_text_parse(f, r.ctx, (const char *)text.p, text.n, &r, out, &err);
	insist(s == ZINC_OK || s == err.code);
	insist(s == ZINC_OK || s == ZINC_E_LIMIT || (s == ZINC_E_CORRUPT && strstr(err.text, "(rule "))); /* (1) */
	return s;
}

/* An empty store for a hierarchy. */
static zinc_store *
empty_store(void)
{
	static zinc_store *s;

	if (!s)
		insist(zinc_store_open(&s, "memory://fuzz", NULL, NULL) == ZINC_OK);
	return s;
}

/* A hierarchy in an empty store, with its own entry point if the format has one (NULL: a new one). */
static zinc_status
enter(zinc_hierarchy *h, const zinc_format *f, const char *text, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_report r;

	*h = (zinc_hierarchy){.ctx = zinc_context_get(NULL), .store = empty_store(), .format = f};
	h->url = (char *)(uintptr_t) "u";
	h->prefix = (char *)(uintptr_t) "";
	h->path = (char *)(uintptr_t) "/";
	zinc_report_init_quiet(&r, h->ctx, false);
	if (!f->enter)
		return ZINC_OK;
	if (text)
		ZINC_TRY(zinc_json_parse(&doc, h->ctx, text, n, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS, &err));
	return f->enter(h, doc, &r, &err);
}

/* (4) */
static void
describe(zinc_hierarchy *h, const zinc_meta *m)
{
	zinc_json_doc *doc = NULL;
	zinc_buf text;

	zinc_buf_init(&text, m->ctx, 256u << 20);
	insist(zinc_meta_describe(h, "/a", m, &text, NULL) == ZINC_OK);
	insist(zinc_json_parse(&doc, m->ctx, (const char *)text.p, text.n, 0, NULL) == ZINC_OK);
	zinc_json_free(doc);
	zinc_buf_fini(&text);
}

static bool
same(const zinc_meta *a, const zinc_meta *b)
{
	return a->kind == b->kind && !a->unsupported == !b->unsupported &&
	       zinc_json_equal(zinc_json_root(a->doc), zinc_json_root(b->doc)) && a->ndim == b->ndim &&
	       memcmp(a->shape, b->shape, sizeof a->shape) == 0 && !a->chain == !b->chain;
}

/* (4) (5) */
static void
again(zinc_meta *m)
{
	zinc_meta *back = NULL;
	zinc_buf text;

	zinc_buf_init(&text, m->ctx, 256u << 20);
	insist(zinc_meta_print(m, &text, NULL) == ZINC_OK);
	insist(parse(m->format, (zinc_bytes){text.p, text.n}, false, NULL, &back) == ZINC_OK && same(m, back));
	zinc_meta_free(back);
	zinc_buf_fini(&text);
	if (m->kind != ZINC_NODE_ARRAY)
		return;
	insist(zinc_meta_resized(&back, m, m->shape, NULL) == ZINC_OK && same(m, back));
	zinc_meta_free(back);
}

/* (6) */
static void
around(zinc_hierarchy *h, const zinc_meta *m)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *back = NULL;
	zinc_status s;

	if (m->unsupported || !m->v3)
		return;
	s = zinc_meta_from_v3(&back, h, m->v3, &err);
	insist(s == ZINC_OK || s == ZINC_E_INVALID || s == ZINC_E_LIMIT);
	insist(s != ZINC_OK || (back->kind == m->kind && back->ndim == m->ndim && !back->dtype == !m->dtype &&
				memcmp(back->shape, m->shape, sizeof m->shape) == 0));
	zinc_meta_free(back);
}

/* (7) */
static void
open_entry(const zinc_format *f, zinc_bytes text)
{
	zinc_hierarchy h;
	const zinc_status s = enter(&h, f, (const char *)text.p, text.n);

	insist(s == ZINC_OK || s == ZINC_E_CORRUPT || s == ZINC_E_UNSUPPORTED || s == ZINC_E_LIMIT);
	if (s == ZINC_OK)
		zinc_hierarchy_leave(&h);
}

static int
fuzz_meta(const zinc_format *f, const uint8_t *data, size_t size)
{
	const zinc_bytes text = {data, size};
	zinc_meta *strict = NULL, *lenient = NULL, *collected = NULL;
	unsigned errors = 0;
	const zinc_status a = parse(f, text, true, NULL, &strict), b = parse(f, text, false, NULL, &lenient);
	const zinc_status c = parse(f, text, false, &errors, &collected);
	zinc_hierarchy h;

	insist(a != ZINC_OK || (b == ZINC_OK && same(strict, lenient))); /* (2) */
	insist((b == ZINC_OK) == (c == ZINC_OK));
	insist(c == ZINC_E_LIMIT || (c == ZINC_E_CORRUPT) == (errors > 0)); /* (3) */
	if (b == ZINC_OK && enter(&h, f, NULL, 0) == ZINC_OK) {
		describe(&h, lenient);
		again(lenient);
		around(&h, lenient);
		zinc_hierarchy_leave(&h);
	}
	if (size > 0 && f->enter)
		open_entry(f, text);
	zinc_meta_free(strict);
	zinc_meta_free(lenient);
	zinc_meta_free(collected);
	return 0;
}

#endif
