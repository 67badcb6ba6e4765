/*
 * keys_table.c - the built-in chunk key encodings, one row each; registered encodings
 *
 * Both built-in encodings are indices in decimal with a separator.  They differ only in their prefix and default
 * separator, so this file has all the rest.
 *
 * (1) decode is the exact inverse of encode: "c/01", "c/+1" or "c/1/" are not chunk keys, so listing or erasing chunks
 *     ignores such keys.
 * (2) A separator other than "/" and "." is an error (M44), not a guess.
 */
#include <zinc/extend.h>

#include "grid/rows.h"

static const void *const builtin[] = {&zinc_keys_ops_default, &zinc_keys_ops_v2};

static zinc_names
names_of(const void *row)
{
	const zinc_keys_ops *ops = row;

	return (zinc_names){.name = ops->name, .uris = ops->uris, .purpose = ops->purpose};
}

static zinc_table encodings = {.what = "a chunk key encoding", ZINC_TABLE_ROWS(builtin), .names = names_of};

const zinc_keys_ops *
zinc_keys_find(const char *name)
{
	return zinc_table_find(&encodings, name);
}

const zinc_keys_ops *
zinc_keys_find_uri(const char *uri, zinc_uri_match *match)
{
	return zinc_table_find_uri(&encodings, uri, match);
}

/* ---- what the built-in ones share ---- */

void
zinc_keys_separate(zinc_keys *k, char separator)
{
	k->separator = separator;
	k->self = (void *)(uintptr_t)(unsigned char)separator;
}

/* Any other member is a lenient finding: it cannot change keys that are already stored. */
zinc_status
zinc_keys_parse_separator(zinc_keys *k, char otherwise, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	const zinc_json *m;

	zinc_keys_separate(k, otherwise);
	for (m = configuration ? configuration->first : NULL; m; m = m->next) {
		if (strcmp(m->key, "separator") != 0)
			ZINC_TRY(
			    zinc_report_lenient(r, "M44", err, "unknown member \"%.60s\" of a key encoding", m->key));
		else if (zinc_json_is_string(m, "/") || zinc_json_is_string(m, "."))
			zinc_keys_separate(k, m->text[0]);
		else
			return zinc_report_error(r, "M44", err, "the separator of chunk keys must be \"/\" or \".\"");
	}
	return ZINC_OK;
}

/* Always written, although each encoding has a default: some readers do not know the default. */
zinc_json *
zinc_keys_print_separator(const zinc_keys *k, zinc_json_doc *doc)
{
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT);
	zinc_json *separator = zinc_json_make_stringn(doc, &k->separator, 1);

	return zinc_json_set(doc, v, "separator", separator, NULL) == ZINC_OK ? v : NULL;
}

/* Written by hand for speed: a plan of a million chunks prints a million keys. */
char *
zinc_keys_join(char separator, const uint64_t *index, int ndim, char *to)
{
	char digits[20];
	int d, n;

	for (d = 0; d < ndim; d++) {
		uint64_t i = index[d];

		if (d > 0)
			*to++ = separator;
		n = 0;
		do
			digits[n++] = (char)('0' + i % 10);
		while ((i /= 10) != 0);
		while (n > 0)
			*to++ = digits[--n];
	}
	return to;
}

/* Parse one index in decimal; NULL: there is none. */
static const char *
read_index(const char *p, uint64_t *out)
{
	uint64_t i = 0;

	if (*p < '0' || *p > '9' || (*p == '0' && p[1] >= '0' && p[1] <= '9'))
		return NULL;
	for (; *p >= '0' && *p <= '9'; p++)
		if (zinc_u64_mul(i, 10, &i) || zinc_u64_add(i, (uint64_t)(*p - '0'), &i))
			return NULL;
	*out = i;
	return p;
}

bool
zinc_keys_cut(char separator, const char *text, int ndim, uint64_t *index)
{
	int d;

	for (d = 0; d < ndim; d++) {
		if (d > 0 && *text++ != separator)
			return false;
		text = read_index(text, &index[d]);
		if (!text)
			return false;
	}
	return *text == '\0';
}

size_t
zinc_keys_copy_out(const char *text, const char *end, char *out, size_t room)
{
	const size_t n = (size_t)(end - text);

	if (n < room) {
		memcpy(out, text, n);
		out[n] = '\0';
	}
	return n;
}

/* ---- the door ---- */

/* A registered encoding takes its configuration as text; a refusal is reported as a finding. */
static zinc_status
open_user(zinc_keys *k, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	zinc_status st;

	ZINC_TRY(zinc_user_text(&k->configuration, k->ctx, configuration, err));
	st = k->ops->open ? k->ops->open(&k->self, k->configuration, &why) : ZINC_OK;
	k->opened = st == ZINC_OK;
	st = zinc_user_finding(st, k->ops->name, r, &why);
	return st == ZINC_OK ? st : (zinc_error_copy(err, &why), st);
}

/* `configuration` may be NULL.  On failure nothing stays allocated. */
static zinc_status
keys_init(zinc_keys *out, zinc_context *ctx, const zinc_keys_ops *ops, const zinc_json *configuration, zinc_report *r,
	  zinc_error *err)
{
	zinc_status st;

	*out = (zinc_keys){.ops = ops, .ctx = ctx};
	st = (ops->parse ? ops->parse : open_user)(out, configuration, r, err);
	if (st != ZINC_OK)
		zinc_keys_fini(out);
	return st;
}

/* must_understand makes no difference: without the encoding no chunk can be found (M19). */
zinc_status
zinc_keys_parse(zinc_keys *out, zinc_context *ctx, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	const zinc_keys_ops *ops;
	zinc_extension e;
	zinc_status st;
	size_t mark;

	ZINC_TRY(zinc_extension_parse(&e, v, r, err));
	ops = zinc_keys_find(e.name);
	if (!ops)
		return zinc_report_unsupported(r, "M19", err, "chunk key encoding \"%.60s\" is not known", e.name);
	if (e.ignorable)
		ZINC_TRY(zinc_report_lenient(r, "M19", err, "must_understand has no meaning for a chunk key encoding"));
	mark = zinc_report_enter(r, "configuration");
	st = keys_init(out, ctx, ops, e.configuration, r, err);
	zinc_report_leave(r, mark);
	return st;
}

/* Find the encoding of that name; the name of a built-in one may be followed by its separator.  NULL: none. */
static const zinc_keys_ops *
find_by_text(const char *text, char *separator)
{
	size_t i;

	for (i = 0; i < sizeof builtin / sizeof builtin[0]; i++) {
		const zinc_keys_ops *ops = builtin[i];
		const size_t n = strlen(ops->name);

		if (strncmp(text, ops->name, n) == 0 && (text[n] == '/' || text[n] == '.') && text[n + 1] == '\0') {
			*separator = text[n];
			return ops;
		}
	}
	return zinc_keys_find(text);
}

zinc_status
zinc_keys_parse_text(zinc_keys *out, zinc_context *ctx, const char *text, zinc_error *err)
{
	char separator = '\0';
	const zinc_keys_ops *ops = find_by_text(text, &separator);
	zinc_report r;

	if (!ops)
		return zinc_fail(err, ZINC_E_INVALID, "no such chunk key encoding: \"%.60s\"", text);
	zinc_report_init(&r, ctx, false, "chunk key encoding");
	r.code = ZINC_E_INVALID;
	ZINC_TRY(keys_init(out, ctx, ops, NULL, &r, err));
	if (separator)
		zinc_keys_separate(out, separator);
	return ZINC_OK;
}

void
zinc_keys_fini(zinc_keys *k)
{
	if (k->ops && k->opened && k->ops->close)
		k->ops->close(k->self);
	if (k->ops)
		zinc_free(k->ctx, k->configuration);
	*k = (zinc_keys){.ops = NULL};
}

zinc_json *
zinc_keys_print_configuration(const zinc_keys *k, zinc_json_doc *doc)
{
	return k->ops->print ? k->ops->print(k, doc) : zinc_user_object(doc, k->configuration);
}

zinc_json *
zinc_keys_print(const zinc_keys *k, zinc_json_doc *doc)
{
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT);

	if (zinc_json_set(doc, v, "name", zinc_json_make_string(doc, k->ops->name), NULL) != ZINC_OK ||
	    zinc_json_set(doc, v, "configuration", zinc_keys_print_configuration(k, doc), NULL) != ZINC_OK)
		return NULL;
	return v;
}

/* The text that print_key prints. */
typedef struct place {
	const zinc_keys *k;
	const uint64_t *index;
	int ndim;
} place;

static size_t
print_key(const void *arg, char *out, size_t room)
{
	const place *p = arg;

	return p->k->ops->encode(p->k->self, p->index, p->ndim, out, room);
}

zinc_status
zinc_keys_encode(const zinc_keys *k, const uint64_t *index, int ndim, zinc_buf *out, zinc_error *err)
{
	const place p = {k, index, ndim};

	return zinc_user_append(out, print_key, &p, err);
}

zinc_status
zinc_register_key_encoding(const zinc_key_encoding_def *def, zinc_error *err)
{
	zinc_key_encoding_def d;
	zinc_keys_ops row;

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (!d.encode || !d.decode)
		return zinc_fail(err, ZINC_E_INVALID, "a key encoding lacks a function");
	row = (zinc_keys_ops){.name = d.name,
			      .purpose = d.purpose,
			      .uris = d.uris,
			      .open = d.open,
			      .close = d.close,
			      .encode = d.encode,
			      .decode = d.decode};
	return zinc_table_add_copy(&encodings, &row, sizeof row, err);
}

void
zinc_list_key_encodings(zinc_row_fn fn, void *arg)
{
	(void)zinc_table_each(&encodings, fn, arg);
}
