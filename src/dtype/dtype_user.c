/*
 * dtype_user.c - a data type that a program registered, as a zinc_dtype
 *
 * Its elements have a size and a unit of byte order.  Only the program knows what they mean, so they are copied,
 * swapped and compared bit by bit, and never converted.
 */
#include <zinc/extend.h>

#include "dtype/element.h"

typedef struct user_row {
	zinc_dtype_row row; /* first, so that it can be converted back */
	zinc_dtype_def def;
} user_row;

/* zinc_dtype.self */
typedef struct user_dtype {
	void *self;
	bool open;
	char *configuration;
} user_dtype;

static const zinc_dtype_def *
def_of(const zinc_dtype *t)
{
	return &((const user_row *)(const void *)t->row)->def;
}

static user_dtype *
user_of(const zinc_dtype *t)
{
	return (user_dtype *)t->self;
}

static void
user_fini(zinc_dtype *t)
{
	user_dtype *u = user_of(t);

	if (!u)
		return;
	if (u->open && def_of(t)->close)
		def_of(t)->close(u->self);
	zinc_free(t->ctx, u->configuration);
	zinc_free(t->ctx, u);
	t->self = NULL;
}

/* ---- fill values and text ---- */

static zinc_status
user_parse_fill(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	char *text = NULL;
	zinc_status st;

	ZINC_TRY(zinc_user_text(&text, t->ctx, v, err));
	st = def_of(t)->parse_fill(user_of(t)->self, text ? text : "null", element, &why);
	zinc_free(t->ctx, text);
	if (st == ZINC_OK)
		return ZINC_OK;
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	return zinc_report_error(r, "M59", err, "not a fill value of \"%s\": %s", t->name, why.text);
}

/* Which of the two printing functions is called. */
typedef struct one {
	const zinc_dtype *t;
	const void *element;
} one;

static size_t
print_json(const void *arg, char *out, size_t room)
{
	const one *o = (const one *)arg;

	return def_of(o->t)->print_fill(user_of(o->t)->self, o->element, out, room);
}

static size_t
print_words(const void *arg, char *out, size_t room)
{
	const one *o = (const one *)arg;

	return def_of(o->t)->print_text(user_of(o->t)->self, o->element, out, room);
}

/* NULL also when the program's output is not JSON. */
static zinc_json *
user_print_fill(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	const one o = {t, element};
	zinc_json *v = NULL;
	const char *text;
	zinc_buf b;

	zinc_buf_init(&b, t->ctx, zinc_max_text(t->ctx));
	if (zinc_user_append(&b, print_json, &o, NULL) == ZINC_OK && (text = zinc_buf_text(&b)))
		(void)!zinc_user_json(&v, doc, text, NULL);
	zinc_buf_fini(&b);
	return v;
}

/* The JSON of a fill value, printed like any JSON. */
static zinc_status
print_checked_json(const zinc_dtype *t, const void *element, zinc_buf *out, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_status st;

	ZINC_TRY(zinc_json_new(&doc, t->ctx, err));
	st = zinc_json_print_line(user_print_fill(t, element, doc), out, err);
	zinc_json_free(doc);
	return st;
}

static zinc_status
user_print_element(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const one o = {t, element};

	if (how == ZINC_SPELL_JSON)
		return print_checked_json(t, element, out, err);
	return zinc_user_append(out, def_of(t)->print_text ? print_words : print_json, &o, err);
}

static const zinc_dtype_ops user_ops = {
    .parse_fill = user_parse_fill,
    .print_fill = user_print_fill,
    .print = user_print_element,
};

/* ---- opening ---- */

/* Elements without bytes, or with an incomplete unit, would break size calculations. */
static zinc_status
user_open(zinc_dtype *t, user_dtype *u, size_t *size, size_t *unit, zinc_report *r, zinc_error *err)
{
	const zinc_dtype_def *def = def_of(t);
	zinc_error why = ZINC_ERROR_INIT;
	zinc_status st = def->open ? def->open(&u->self, u->configuration, size, unit, &why) : ZINC_OK;

	u->open = st == ZINC_OK;
	if (st == ZINC_OK && (*size == 0 || *size > UINT32_MAX / 8 || (*unit > 1 && *size % *unit != 0)))
		st = zinc_fail(&why, ZINC_E_INVALID, "elements of %zu bytes in units of %zu", *size, *unit);
	st = zinc_user_finding(st, def->name, r, &why);
	return st == ZINC_OK ? st : (zinc_error_copy(err, &why), st);
}

static zinc_status
user_parse(zinc_dtype *t, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	const zinc_dtype_def *def = def_of(t);
	size_t size = def->element_size, unit = def->unit;
	user_dtype *u = (user_dtype *)zinc_calloc(t->ctx, 1, sizeof *u);
	zinc_status st;

	if (!u)
		return zinc_fail_nomem(err);
	t->self = u;
	st = zinc_user_text(&u->configuration, t->ctx, configuration, err);
	if (st == ZINC_OK)
		st = user_open(t, u, &size, &unit, r, err);
	if (st != ZINC_OK) {
		user_fini(t);
		return st;
	}
	if (u->configuration)
		t->v2 = NULL; /* Zarr v2 cannot hold it */
	t->fini = user_fini;
	t->kind = ZINC_KIND_OTHER;
	t->type = ZINC_NATIVE;
	t->size = (uint32_t)size;
	t->bits = (uint32_t)size * 8;
	t->unit = unit ? (uint32_t)unit : 1;
	t->ops = &user_ops;
	return ZINC_OK;
}

static zinc_status
user_print(const zinc_dtype *t, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	return zinc_user_json(out, doc, user_of(t)->configuration, err);
}

zinc_status
zinc_register_dtype(const zinc_dtype_def *def, zinc_error *err)
{
	zinc_dtype_def d;
	zinc_status st;
	user_row *row;

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (!d.parse_fill || !d.print_fill || (!d.open && d.element_size == 0))
		return zinc_fail(err, ZINC_E_INVALID, "a data type lacks a function or its size");
	row = (user_row *)zinc_calloc(NULL, 1, sizeof *row);
	if (!row)
		return zinc_fail_nomem(err);
	row->def = d;
	row->row = (zinc_dtype_row){
	    .name = d.name, .v2 = d.v2, .uris = d.uris, .purpose = d.purpose, .parse = user_parse, .print = user_print};
	st = zinc_dtype_register(&row->row, err);
	if (st != ZINC_OK)
		zinc_free(NULL, row);
	return st; /* the row stays for ever */
}
