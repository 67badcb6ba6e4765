/*
 * consolidate.c - writing consolidated metadata such that it is true when it stays
 *
 * Promises:
 *
 * (1) After the put all documents are looked at again; if anything moved it starts over, a bounded number of times, and
 *     then leaves none.
 * (2) One that readers would refuse for its size is not written at all, and what was there before stays.
 */
#include "format/consolidate.h"

/* How often a consolidator starts over before it calls the hierarchy too lively. */
#define TRIES 8

static zinc_status
gather(zinc_hierarchy *h, const char *path, const zinc_copies_ops *ops, zinc_json_doc **doc, zinc_error *err)
{
	zinc_status s;

	ZINC_TRY(zinc_json_new(doc, h->ctx, err));
	s = ops->gather(h, path, *doc, err);
	if (s != ZINC_OK) {
		zinc_json_free(*doc);
		*doc = NULL;
	}
	return s;
}

/* Put what `now` holds until the documents are still so afterwards.  `now` is taken. */
static zinc_status
put_until_true(zinc_hierarchy *h, const char *path, const char *key, const zinc_copies_ops *ops, zinc_json_doc *now,
	       zinc_error *err)
{
	zinc_status s = ZINC_OK;
	bool same = false, refused = false;
	int i;

	for (i = 0; i < TRIES && !same && s == ZINC_OK; i++) {
		zinc_json_doc *then = NULL;

		s = ops->put(h, key, zinc_json_root(now), err);
		refused = s == ZINC_E_LIMIT && i == 0;
		if (s == ZINC_OK)
			s = gather(h, path, ops, &then, err);
		if (s == ZINC_OK) {
			same = zinc_json_equal(zinc_json_root(now), zinc_json_root(then));
			zinc_json_free(now);
			now = then;
		}
	}
	zinc_json_free(now);
	if (s == ZINC_OK && !same)
		s = zinc_fail(err, ZINC_E_CONFLICT, "the hierarchy changed during each of %d attempts", TRIES);
	if (s != ZINC_OK && !refused)
		(void)!ops->put(h, key, NULL, NULL); /* rather none than one that may be stale */
	return s;
}

zinc_status
zinc_copies_write(zinc_hierarchy *h, const char *path, const char *key, const zinc_copies_ops *ops, zinc_error *err)
{
	zinc_json_doc *now;

	ZINC_TRY(gather(h, path, ops, &now, err));
	return put_until_true(h, path, key, ops, now, err);
}

zinc_status
zinc_copies_head(zinc_json_doc *doc, zinc_json **metadata, zinc_error *err)
{
	zinc_json *root = zinc_json_make(doc, ZINC_JSON_OBJECT);

	*metadata = zinc_json_make(doc, ZINC_JSON_OBJECT);
	zinc_json_set_root(doc, root);
	ZINC_TRY(zinc_json_set(doc, root, "zarr_consolidated_format", zinc_json_make_u64(doc, 1), err));
	return zinc_json_set(doc, root, "metadata", *metadata, err);
}

static zinc_status
remove_key(zinc_hierarchy *h, const char *key, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status s = zinc_store_del(h->store, NULL, key, NULL, h->put_flags, h->wait, &e);

	return s == ZINC_OK || s == ZINC_E_NOTFOUND ? ZINC_OK : zinc_error_copy(err, &e);
}

zinc_status
zinc_copies_put(zinc_hierarchy *h, const char *key, const zinc_json *copies, zinc_error *err)
{
	zinc_status s;
	zinc_buf text;

	if (!copies)
		return remove_key(h, key, err);
	zinc_buf_init(&text, h->ctx, zinc_max_document(h->ctx));
	s = zinc_json_print(copies, &text, err);
	if (s == ZINC_OK)
		s = zinc_buf_puts(&text, "\n", err);
	if (s == ZINC_OK)
		s = zinc_document_fits(h->ctx, &text, err);
	if (s == ZINC_OK)
		s = zinc_store_put(h->store, NULL, key, text.p, text.n, NULL, h->put_flags, NULL, h->wait, err);
	zinc_buf_fini(&text);
	return s;
}
