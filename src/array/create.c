/*
 * create.c - create a new array
 *
 * The document is built as a v3 document, checked by the strict parser and translated by the format.  It is put on
 * condition that the key is absent, so two concurrent creators cannot both succeed.
 */
#include "array/engine.h"

/* Make the metadata of this hierarchy's format from the caller's options. */
static zinc_status
build_meta(zinc_meta **out, zinc_hierarchy *h, const zinc_array_options *options, zinc_error *err)
{
	zinc_array_options o;
	zinc_json_doc *v3;
	zinc_status st;

	ZINC_TRY(zinc_options_take_as(&zinc_array_options_kind, &o, options, err));
	if (!o.codecs && !o.document)
		o.codecs = h->format->codecs;
	if (!o.key_encoding && !o.document)
		o.key_encoding = h->format->keys;
	ZINC_TRY(zinc_document_build(&v3, h->ctx, &o, err));
	st = zinc_meta_from_v3(out, h, v3, err);
	zinc_json_free(v3);
	return st;
}

/* Objects of an earlier array must not appear in the new one: without a document they are leftovers. */
static zinc_status
prepare_place(zinc_hierarchy *h, const char *path, int overwrite, zinc_error *err)
{
	bool vacant;

	if (overwrite)
		return zinc_erase_for(h, path, overwrite, false, err);
	ZINC_TRY(zinc_hierarchy_vacant(h, path, &vacant, err));
	return vacant ? ZINC_OK
		      : zinc_fail(err, ZINC_E_EXISTS, "%s is not empty; overwrite it, or choose another path", path);
}

static zinc_status
create(zinc_array **out, zinc_hierarchy *h, const char *path, const zinc_array_options *options, zinc_error *err)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_meta *m = NULL;
	zinc_status st;

	ZINC_TRY(zinc_path_check_new(path, err));
	ZINC_TRY(zinc_hierarchy_writable(h, err));
	ZINC_TRY(build_meta(&m, h, options, err));
	st = prepare_place(h, path, options->overwrite, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_init(h, err);
	if (st == ZINC_OK)
		st = zinc_write_node(h, path, m, &absent, &m->tag, err);
	if (st == ZINC_OK)
		st = zinc_array_make(out, h, path, m, err);
	zinc_meta_free(m);
	return st;
}

zinc_status
zinc_array_create(zinc_array **out, zinc_hierarchy *h, const char *path, const zinc_array_options *options,
		  zinc_error *err)
{
	zinc_array_options o;
	char *normal = NULL;
	zinc_visit v;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(out && h && options, err));
	ZINC_TRY(zinc_options_take_as(&zinc_array_options_kind, &o, options, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, o.call, err));
	st = zinc_path_normalise(&normal, h, path, err);
	if (st == ZINC_OK)
		st = create(out, h, normal, options, err);
	zinc_error_at_node(err, st, h, normal);
	zinc_free(h->ctx, normal);
	return st;
}

/* A hierarchy of another format is at the array's place.  It is erased only after the new metadata were built without
 * error. */
static zinc_status
replace_other_format(zinc_hierarchy *old, zinc_hierarchy *h, const zinc_array_options *options, zinc_error *err)
{
	zinc_meta *m = NULL;

	if (!options->overwrite)
		return zinc_error_in(err, zinc_fail(err, ZINC_E_EXISTS, "a node already exists at this path"), old);
	ZINC_TRY(zinc_hierarchy_writable(h, err));
	ZINC_TRY(build_meta(&m, h, options, err));
	zinc_meta_free(m);
	return zinc_erase_for(old, "/", options->overwrite, false, err);
}

zinc_status
zinc_array_create_url(zinc_array **out, const char *url, const zinc_array_options *options,
		      const zinc_open_options *open, zinc_error *err)
{
	zinc_hierarchy *h = NULL, *old = NULL, *within;
	zinc_visit v, v_old;
	zinc_array_options a;
	zinc_open_options o;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(out && url && options, err));
	ZINC_TRY(zinc_options_take_as(&zinc_array_options_kind, &a, options, err));
	ZINC_TRY(zinc_options_take_as(&zinc_open_options_kind, &o, open, err));
	if (!o.call) { /* one deadline for opening and creating */
		o.call = a.call;
		a.call = NULL;
	}
	ZINC_TRY(zinc_visit_open_new(&v, &h, &old, url, &o, err));
	within = zinc_visit_within(&v, h, &v.wait);
	st = old ? replace_other_format(zinc_visit_within(&v_old, old, &v.wait), within, &a, err) : ZINC_OK;
	if (st == ZINC_OK)
		st = zinc_array_create(out, within, zinc_hierarchy_path(h), &a, err);
	zinc_hierarchy_close(old);
	zinc_hierarchy_close(h);
	return st;
}
