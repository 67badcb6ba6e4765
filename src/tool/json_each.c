/*
 * json_each.c - iterate over JSON for callers without a parser
 *
 * The command prints codecs, attributes and fill values, which the library returns as JSON text.  It needs one level at
 * a time, and can pass a value back to get the next level.
 */
#include "tool/tool.h"

static zinc_status
call_each(zinc_context *ctx, const zinc_json *root, zinc_member_fn fn, void *arg, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	const zinc_json *v;
	zinc_buf text;
	int stop = 0;

	zinc_buf_init(&text, ctx, zinc_max_text(ctx));
	for (v = root->first; v && !stop && st == ZINC_OK; v = v->next) {
		zinc_buf_end(&text, 0);
		st = zinc_json_print_line(v, &text, err);
		if (st == ZINC_OK && !zinc_buf_text(&text))
			st = zinc_fail_nomem(err);
		if (st == ZINC_OK)
			stop = fn(arg, root->type == ZINC_JSON_OBJECT ? v->key : NULL, zinc_buf_text(&text));
	}
	zinc_buf_fini(&text);
	return st;
}

zinc_status
zinc_json_each(zinc_context *ctx, const char *json, zinc_member_fn fn, void *arg, zinc_error *err)
{
	zinc_json_doc *doc;
	const zinc_json *root;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(json, err));
	ctx = zinc_context_get(ctx);
	st = zinc_json_parse(&doc, ctx, json, strlen(json), ZINC_JSON_DUPLICATES, err);
	if (st != ZINC_OK) {
		if (st == ZINC_E_CORRUPT && err) /* the text is the caller's, not stored */
			err->code = ZINC_E_INVALID;
		return st == ZINC_E_CORRUPT ? ZINC_E_INVALID : st;
	}
	root = zinc_json_root(doc);
	if (fn && (root->type == ZINC_JSON_OBJECT || root->type == ZINC_JSON_ARRAY))
		st = call_each(ctx, root, fn, arg, err);
	zinc_json_free(doc);
	return st;
}
