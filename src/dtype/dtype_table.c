/*
 * dtype_table.c - every data type of the v3 core and of the registry, one row each, and those that programs register
 *
 * (1) A core type is a plain string; {"name": "float64"} is a lenient finding (M15).
 * (2) An unknown name is E_UNSUPPORTED, and the message names it (M17), with or without must_understand.
 * (3) "r24" is three raw bytes; a number of bits that is not a multiple of 8 is M58.  NumPy's "V3" is raw_bytes, since
 *     zarr-python has no r*. zinc_dtype_same treats both as one type.
 * (4) An old name ("structured") is read with a warning and never written.
 */
#include <zinc/extend.h>

#include "dtype/element.h"
#include "dtype/exact.h"

#include <stdio.h>

static const zinc_dtype_ops ops_bool = {
    .parse_fill = zinc_fill_parse_bool,
    .print_fill = zinc_fill_print_bool,
    .print = zinc_print_bool,
    .check = zinc_bool_check,
};
static const zinc_dtype_ops ops_small_int = {
    .parse_fill = zinc_fill_parse_int,
    .print_fill = zinc_fill_print_int,
    .print = zinc_print_int,
    .swap = zinc_small_swap,
};
static const zinc_dtype_ops ops_small_float = {
    .parse_fill = zinc_fill_parse_float,
    .print_fill = zinc_fill_print_float,
    .print = zinc_print_float,
    .swap = zinc_small_swap,
};
static const zinc_dtype_ops ops_small_complex = {
    .parse_fill = zinc_fill_parse_complex,
    .print_fill = zinc_fill_print_complex,
    .print = zinc_print_complex,
    .swap = zinc_small_swap,
};
static const zinc_dtype_ops ops_int = {
    .parse_fill = zinc_fill_parse_int,
    .print_fill = zinc_fill_print_int,
    .print = zinc_print_int,
};
static const zinc_dtype_ops ops_float = {
    .parse_fill = zinc_fill_parse_float,
    .print_fill = zinc_fill_print_float,
    .print = zinc_print_float,
};
static const zinc_dtype_ops ops_complex = {
    .parse_fill = zinc_fill_parse_complex,
    .print_fill = zinc_fill_print_complex,
    .print = zinc_print_complex,
};
static const zinc_dtype_ops ops_raw = {
    .parse_fill = zinc_fill_parse_raw,
    .print_fill = zinc_fill_print_raw,
    .print = zinc_print_raw,
};

/* clang-format off */
#define ROW(name_, v2_, kind_, type_, size_, bits_, unit_, ops_) \
	{.name = name_, .v2 = v2_, .kind = ZINC_KIND_##kind_, .type = ZINC_##type_, .size = size_, .bits = bits_, \
	 .unit = unit_, .narrow = (bits_) < 8, .ops = &(ops_)}
#define FLOAT(name_, v2_, type_, size_, bits_, format_, ops_) \
	{.name = name_, .v2 = v2_, .kind = ZINC_KIND_FLOAT, .type = ZINC_##type_, .size = size_, .bits = bits_, \
	 .unit = size_, .narrow = (bits_) < 8, .format = &zinc_format_##format_, .ops = &(ops_)}
#define COMPLEX(name_, v2_, type_, unit_, bits_, format_, ops_) \
	{.name = name_, .v2 = v2_, .kind = ZINC_KIND_COMPLEX, .type = ZINC_##type_, .size = 2 * (unit_), \
	 .bits = 2 * (bits_), .unit = unit_, .narrow = (bits_) < 8, .format = &zinc_format_##format_, .ops = &(ops_)}

/* In the order of the type numbers, without ZINC_RAW. */
static const zinc_dtype types[] = {
	/*  v3 name       v2    kind     type        size bits unit */
	ROW("bool",       "b1",  BOOL,    BOOL,        1,   8,  1, ops_bool),
	ROW("int8",       "i1",  INT,     INT8,        1,   8,  1, ops_int),
	ROW("int16",      "i2",  INT,     INT16,       2,  16,  2, ops_int),
	ROW("int32",      "i4",  INT,     INT32,       4,  32,  4, ops_int),
	ROW("int64",      "i8",  INT,     INT64,       8,  64,  8, ops_int),
	ROW("uint8",      "u1",  UINT,    UINT8,       1,   8,  1, ops_int),
	ROW("uint16",     "u2",  UINT,    UINT16,      2,  16,  2, ops_int),
	ROW("uint32",     "u4",  UINT,    UINT32,      4,  32,  4, ops_int),
	ROW("uint64",     "u8",  UINT,    UINT64,      8,  64,  8, ops_int),
	/*      v3 name       v2       type        size bits format; complex: of each part */
	FLOAT("float16",      "f2",  FLOAT16,      2, 16, float16, ops_float),
	FLOAT("float32",      "f4",  FLOAT32,      4, 32, float32, ops_float),
	FLOAT("float64",      "f8",  FLOAT64,      8, 64, float64, ops_float),
	COMPLEX("complex64",  "c8",  COMPLEX64,    4, 32, float32, ops_complex),
	COMPLEX("complex128", "c16", COMPLEX128,   8, 64, float64, ops_complex),
	/* the registry's */
	FLOAT("bfloat16",     NULL,  BFLOAT16,     2, 16, bfloat16, ops_float),
	ROW("int2",           NULL,  INT,  INT2,   1,  2, 1, ops_small_int),
	ROW("uint2",          NULL,  UINT, UINT2,  1,  2, 1, ops_small_int),
	ROW("int4",           NULL,  INT,  INT4,   1,  4, 1, ops_small_int),
	ROW("uint4",          NULL,  UINT, UINT4,  1,  4, 1, ops_small_int),
	FLOAT("float4_e2m1fn",      NULL, FLOAT4_E2M1FN,      1, 4, float4_e2m1fn, ops_small_float),
	FLOAT("float6_e2m3fn",      NULL, FLOAT6_E2M3FN,      1, 6, float6_e2m3fn, ops_small_float),
	FLOAT("float6_e3m2fn",      NULL, FLOAT6_E3M2FN,      1, 6, float6_e3m2fn, ops_small_float),
	FLOAT("float8_e3m4",        NULL, FLOAT8_E3M4,        1, 8, float8_e3m4, ops_float),
	FLOAT("float8_e4m3",        NULL, FLOAT8_E4M3,        1, 8, float8_e4m3, ops_float),
	FLOAT("float8_e4m3b11fnuz", NULL, FLOAT8_E4M3B11FNUZ, 1, 8, float8_e4m3b11fnuz, ops_float),
	FLOAT("float8_e4m3fnuz",    NULL, FLOAT8_E4M3FNUZ,    1, 8, float8_e4m3fnuz, ops_float),
	FLOAT("float8_e5m2",        NULL, FLOAT8_E5M2,        1, 8, float8_e5m2, ops_float),
	FLOAT("float8_e5m2fnuz",    NULL, FLOAT8_E5M2FNUZ,    1, 8, float8_e5m2fnuz, ops_float),
	FLOAT("float8_e8m0fnu",     NULL, FLOAT8_E8M0FNU,     1, 8, float8_e8m0fnu, ops_float),
	COMPLEX("complex_float16",            NULL, COMPLEX_FLOAT16,            2, 16, float16, ops_complex),
	COMPLEX("complex_bfloat16",           NULL, COMPLEX_BFLOAT16,           2, 16, bfloat16, ops_complex),
	COMPLEX("complex_float4_e2m1fn",      NULL, COMPLEX_FLOAT4_E2M1FN,      1,  4, float4_e2m1fn, ops_small_complex),
	COMPLEX("complex_float6_e2m3fn",      NULL, COMPLEX_FLOAT6_E2M3FN,      1,  6, float6_e2m3fn, ops_small_complex),
	COMPLEX("complex_float6_e3m2fn",      NULL, COMPLEX_FLOAT6_E3M2FN,      1,  6, float6_e3m2fn, ops_small_complex),
	COMPLEX("complex_float8_e3m4",        NULL, COMPLEX_FLOAT8_E3M4,        1,  8, float8_e3m4, ops_complex),
	COMPLEX("complex_float8_e4m3",        NULL, COMPLEX_FLOAT8_E4M3,        1,  8, float8_e4m3, ops_complex),
	COMPLEX("complex_float8_e4m3b11fnuz", NULL, COMPLEX_FLOAT8_E4M3B11FNUZ, 1,  8, float8_e4m3b11fnuz, ops_complex),
	COMPLEX("complex_float8_e4m3fnuz",    NULL, COMPLEX_FLOAT8_E4M3FNUZ,    1,  8, float8_e4m3fnuz, ops_complex),
	COMPLEX("complex_float8_e5m2",        NULL, COMPLEX_FLOAT8_E5M2,        1,  8, float8_e5m2, ops_complex),
	COMPLEX("complex_float8_e5m2fnuz",    NULL, COMPLEX_FLOAT8_E5M2FNUZ,    1,  8, float8_e5m2fnuz, ops_complex),
	COMPLEX("complex_float8_e8m0fnu",     NULL, COMPLEX_FLOAT8_E8M0FNU,     1,  8, float8_e8m0fnu, ops_complex),
	/* other names, which documents keep */
	COMPLEX("complex_float32",  "c8",  COMPLEX64,  4, 32, float32, ops_complex),
	COMPLEX("complex_float64",  "c16", COMPLEX128, 8, 64, float64, ops_complex),
};
#define NTYPES   (sizeof types / sizeof types[0])
#define NNUMBERS (ZINC_COMPLEX_FLOAT8_E8M0FNU - ZINC_BOOL) /* the rows before the other names */
#define NCORE    (ZINC_COMPLEX128 - ZINC_BOOL + 1)

static const char *const purposes[] = {
	[ZINC_KIND_BOOL] = "true or false, one byte",
	[ZINC_KIND_INT] = "signed integer",
	[ZINC_KIND_UINT] = "unsigned integer",
	[ZINC_KIND_FLOAT] = "floating-point number",
	[ZINC_KIND_COMPLEX] = "complex number: real part, imaginary part",
};
/* clang-format on */

static const void *const extensions[] = {
    &zinc_row_string,     &zinc_row_bytes,       &zinc_row_utf32,  &zinc_row_chars,
    &zinc_row_datetime64, &zinc_row_timedelta64, &zinc_row_struct, &zinc_row_raw_bytes,
};
#define NEXTENSIONS (sizeof extensions / sizeof extensions[0])

/* The table does not contain URIs: several types may share one (dtype_uri.c). */
static zinc_names
names_of(const void *row)
{
	const zinc_dtype_row *r = row;

	return (zinc_names){.name = r->name, .aliases = r->aliases, .purpose = r->purpose, .also = r->v2};
}

static zinc_table rows = {.what = "a data type", ZINC_TABLE_ROWS(extensions), .names = names_of};

const zinc_dtype *
zinc_dtype_of(zinc_type type)
{
	const unsigned row = (unsigned)type - ZINC_BOOL - ((unsigned)type > ZINC_RAW);

	return row < NNUMBERS && type != ZINC_RAW ? &types[row] : NULL;
}

size_t
zinc_type_size(zinc_type type)
{
	const zinc_dtype *t = zinc_dtype_of(type);

	return t ? t->size : 0;
}

const char *
zinc_type_name(zinc_type type)
{
	const zinc_dtype *t = zinc_dtype_of(type);

	return t ? t->name : NULL;
}

zinc_type
zinc_type_widen(zinc_type type)
{
	const zinc_dtype *t = type > ZINC_RAW ? zinc_dtype_of(type) : NULL;

	if (!t)
		return type;
	return t->kind == ZINC_KIND_FLOAT     ? ZINC_FLOAT32
	       : t->kind == ZINC_KIND_COMPLEX ? ZINC_COMPLEX64
	       : t->kind == ZINC_KIND_INT     ? ZINC_INT8
					      : ZINC_UINT8;
}

void
zinc_dtype_zero(const zinc_dtype *t, void *element)
{
	memset(element, 0, t->size);
}

/* A few names: a loop is fast enough. */
static const zinc_dtype *
find_fixed(const char *name)
{
	size_t i;

	for (i = 0; i < NTYPES; i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

const zinc_dtype_row *
zinc_dtype_row_at(size_t i)
{
	return zinc_table_row(&rows, i);
}

/* ---- types that are objects: r*, those of the registry, and those of programs ---- */

zinc_dtype *
zinc_dtype_new(zinc_context *ctx, const zinc_dtype_row *row)
{
	zinc_dtype *t;

	ctx = zinc_context_get(ctx); /* never NULL in an object: NULL marks rows of the table */
	t = ctx ? zinc_calloc(ctx, 1, sizeof *t) : NULL;
	if (t) {
		t->ctx = ctx;
		t->row = row;
		t->name = row ? row->name : NULL;
		t->v2 = row ? row->v2 : NULL;
		t->kind = ZINC_KIND_OTHER;
	}
	return t;
}

void
zinc_dtype_free(const zinc_dtype *t)
{
	zinc_dtype *own = (zinc_dtype *)(uintptr_t)t; /* objects are freed; rows of the table end here: */

	if (!own || !own->ctx)
		return;
	if (own->fini)
		own->fini(own);
	zinc_free(own->ctx, own);
}

/* No real element is larger, and a short document must not cost that much memory. */
#define SIZE_LIMIT (16 * ZINC_MIB)

zinc_status
zinc_dtype_set_size(zinc_dtype *t, uint64_t nbytes, zinc_error *err)
{
	const uint64_t max = zinc_min_u64(SIZE_LIMIT, t->ctx->limits.chunk_bytes);

	if (nbytes > max)
		return zinc_fail(err, ZINC_E_LIMIT, "elements of %llu bytes; the limit is %llu",
				 (unsigned long long)nbytes, (unsigned long long)max);
	t->size = (uint32_t)nbytes;
	t->bits = (uint32_t)nbytes * 8;
	return ZINC_OK;
}

void *
zinc_dtype_fill_room(const zinc_dtype *t, zinc_context *ctx, const zinc_json *v)
{
	size_t nbytes;

	if (zinc_size_add(t->size, t->variable && v ? v->n : 0, &nbytes))
		return NULL;
	return zinc_calloc(ctx, 1, nbytes);
}

static zinc_status
raw_new(const zinc_dtype **out, zinc_context *ctx, uint64_t nbytes, zinc_error *err)
{
	zinc_dtype *t = zinc_dtype_new(ctx, NULL);
	zinc_status st = t ? zinc_dtype_set_size(t, nbytes, err) : zinc_fail_nomem(err);

	if (st != ZINC_OK) {
		zinc_dtype_free(t);
		return st;
	}
	snprintf(t->name_buf, sizeof t->name_buf, "r%u", (unsigned)t->bits);
	snprintf(t->v2_buf, sizeof t->v2_buf, "V%u", (unsigned)t->size);
	t->name = t->name_buf;
	t->v2 = t->v2_buf;
	t->kind = ZINC_KIND_RAW;
	t->type = ZINC_RAW;
	t->unit = 1;
	t->ops = &ops_raw;
	*out = t;
	return ZINC_OK;
}

bool
zinc_read_count(const char *s, uint64_t *out)
{
	uint64_t n = 0;

	if (*s < '1' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++)
		n = n < 1000000000000u ? n * 10 + (uint64_t)(*s - '0') : n;
	*out = n;
	return *s == '\0';
}

/* Is it r<digits>?  M58 checks the digits. */
static bool
is_raw_name(const char *name)
{
	return name[0] == 'r' && name[1] && name[1 + strspn(name + 1, "0123456789")] == '\0';
}

static zinc_status
parse_raw(const zinc_dtype **out, zinc_context *ctx, const char *name, zinc_report *r, zinc_error *err)
{
	uint64_t bits;

	if (!zinc_read_count(name + 1, &bits) || bits % 8 != 0)
		return zinc_report_error(r, "M58", err,
					 "data type \"%.40s\": the number of bits must be a multiple of 8", name);
	return raw_new(out, ctx, bits / 8, err);
}

zinc_status
zinc_dtype_members(const zinc_dtype *t, const zinc_json *object, const char *const *names, zinc_report *r,
		   zinc_error *err)
{
	const zinc_json *m;
	const char *const *name;

	for (m = object ? object->first : NULL; m; m = m->next) {
		for (name = names; *name && (strlen(*name) != m->nkey || strcmp(*name, m->key) != 0); name++)
			;
		if (!*name)
			ZINC_TRY(zinc_report_lenient(r, t->name, err, "unknown member \"%.60s\"", m->key));
	}
	return ZINC_OK;
}

/* By its name in a document, or (`code`) by the text after NumPy's letter. */
static zinc_status
make(const zinc_dtype **out, zinc_context *ctx, const zinc_dtype_row *row, const zinc_extension *e, const char *code,
     zinc_report *r, zinc_error *err)
{
	zinc_dtype *t = zinc_dtype_new(ctx, row);
	size_t mark = r->npointer;
	zinc_status st;

	if (!t)
		return zinc_fail_nomem(err);
	t->legacy = e && strcmp(e->name, row->name) != 0;
	if (e && e->configuration)
		mark = zinc_report_enter(r, "configuration");
	st = code ? row->parse_v2(t, code, r, err) : row->parse(t, e->configuration, r, err);
	zinc_report_leave(r, mark);
	if (st != ZINC_OK) {
		zinc_dtype_free(t);
		return st;
	}
	*out = t;
	return ZINC_OK;
}

zinc_status
zinc_dtype_parse_row(const zinc_dtype **out, zinc_context *ctx, const zinc_dtype_row *row, const zinc_extension *e,
		     zinc_report *r, zinc_error *err)
{
	if (row->needs_configuration && !e->configuration)
		return zinc_report_error(r, "M14", err, "data type \"%s\" needs a configuration", row->name);
	if (strcmp(e->name, row->name) != 0)
		ZINC_TRY(zinc_report_lenient(r, "M17", err, "\"%.60s\" is another name of data type \"%s\"", e->name,
					     row->name));
	return make(out, ctx, row, e, NULL, r, err);
}

/* An unknown name is reported first: how an unknown type is spelled does not matter. */
zinc_status
zinc_dtype_parse(const zinc_dtype **out, zinc_context *ctx, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	const zinc_dtype_row *row;
	const zinc_dtype *fixed;
	zinc_extension e;

	ZINC_TRY(zinc_extension_parse(&e, v, r, err));
	fixed = find_fixed(e.name);
	row = zinc_table_find(&rows, e.name);
	if (!fixed && !row && !is_raw_name(e.name))
		return zinc_report_unsupported(r, "M17", err, "data type \"%.200s\" is not known", e.name);
	if (e.ignorable)
		ZINC_TRY(zinc_report_lenient(r, "M17", err, "must_understand is not defined for a data type"));
	if (row)
		return zinc_dtype_parse_row(out, ctx, row, &e, r, err);
	if (!e.bare && (!fixed || fixed < types + NCORE))
		ZINC_TRY(zinc_report_lenient(r, "M15", err, "data type \"%.40s\" must be written as a plain string",
					     e.name));
	if (!fixed)
		return parse_raw(out, ctx, e.name, r, err);
	*out = fixed;
	if (fixed < types + NCORE)
		return ZINC_OK;
	return zinc_dtype_members(fixed, e.configuration, (const char *const[]){NULL}, r, err);
}

/* A plain string if there is no configuration: for core types it is the only valid form. */
zinc_json *
zinc_dtype_print_orders(const zinc_dtype *t, zinc_json_doc *doc)
{
	zinc_json *configuration = NULL, *v;

	if (t->row && t->row->print && t->row->print(t, doc, &configuration, NULL) != ZINC_OK)
		return NULL;
	if (!configuration)
		return zinc_json_make_string(doc, t->name);
	v = zinc_json_make(doc, ZINC_JSON_OBJECT);
	if (zinc_json_set(doc, v, "name", zinc_json_make_string(doc, t->name), NULL) != ZINC_OK ||
	    zinc_json_set(doc, v, "configuration", configuration, NULL) != ZINC_OK)
		return NULL;
	return v;
}

zinc_json *
zinc_dtype_print(const zinc_dtype *t, zinc_json_doc *doc)
{
	zinc_json *v = zinc_dtype_print_orders(t, doc);

	return v && t->mixed ? zinc_dtype_drop_orders(doc, v) : v;
}

/* ---- a caller's text ---- */

/* As zinc_dtype_parse, but all errors are the caller's. */
static zinc_status
parse_json_text(const zinc_dtype **out, zinc_context *ctx, const char *text, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_report r;
	zinc_status st;

	zinc_report_init(&r, ctx, false, "data type");
	r.code = ZINC_E_INVALID;
	st = zinc_json_parse(&doc, ctx, text, strlen(text), 0, err);
	if (st == ZINC_E_CORRUPT) { /* a mistake of the caller, not of a document */
		if (err)
			err->code = ZINC_E_INVALID;
		return ZINC_E_INVALID;
	}
	ZINC_TRY(st);
	st = zinc_dtype_parse(out, ctx, zinc_json_root(doc), &r, err);
	zinc_json_free(doc);
	return st;
}

/* NumPy's kinds, with or without a row in the table. */
static bool
is_numpy_kind(char c)
{
	return c && strchr("SUOMmaVtbiufcg?", c);
}

static const zinc_dtype_row *
row_of_letter(char c)
{
	const zinc_dtype_row *row;
	size_t i;

	for (i = 0; c && i < NEXTENSIONS; i++) {
		row = extensions[i];
		if (row->letter == c)
			return row;
	}
	return NULL;
}

zinc_status
zinc_dtype_parse_code(const zinc_dtype **out, zinc_context *ctx, const char *code, bool ordered, zinc_report *r,
		      zinc_error *err)
{
	const zinc_dtype_row *row = row_of_letter(*code), *own;
	size_t i;

	for (i = 0; i < NCORE; i++)
		if (strcmp(types[i].v2, code) == 0) {
			*out = &types[i];
			return ZINC_OK;
		}
	for (i = NEXTENSIONS; (own = zinc_dtype_row_at(i)); i++)
		if (own->v2 && strcmp(own->v2, code) == 0)
			return zinc_dtype_parse_row(out, ctx, own, &(zinc_extension){.name = own->name}, r, err);
	if (row)
		return make(out, ctx, row, NULL, code + 1, r, err);
	if (ordered && is_numpy_kind(*code))
		return zinc_report_unsupported(r, "dtype", err, "data type \"%.60s\" is not built in", code);
	return zinc_report_error(r, "dtype", err, "data type \"%.60s\" does not exist", code);
}

zinc_status
zinc_dtype_parse_text(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *text, zinc_error *err)
{
	const zinc_dtype_row *row;
	zinc_report r;
	bool ignored;

	big = big ? big : &ignored;
	*big = false;
	if (*text == '{' || *text == '"')
		return parse_json_text(out, ctx, text, err);
	if (*text == '[')
		return zinc_dtype_parse_numpy(out, big, ctx, text, err);
	*out = find_fixed(text);
	if (*out)
		return ZINC_OK;
	zinc_report_init(&r, ctx, false, "data type");
	r.code = ZINC_E_INVALID;
	if (is_raw_name(text))
		return parse_raw(out, ctx, text, &r, err);
	row = zinc_table_find(&rows, text);
	if (row)
		return zinc_dtype_parse_row(out, ctx, row, &(zinc_extension){.name = text, .bare = true}, &r, err);
	if (*text == '\0')
		return zinc_fail(err, ZINC_E_INVALID, "no data type given");
	return zinc_dtype_parse_word(out, big, ctx, text, &r, err);
}

/* ---- registration, listing ---- */

/* Core names cannot be replaced: documents rely on their meaning. */
zinc_status
zinc_dtype_register(const zinc_dtype_row *row, zinc_error *err)
{
	if (row && row->name && (find_fixed(row->name) || is_raw_name(row->name)))
		return zinc_fail(err, ZINC_E_EXISTS, "data type \"%s\" exists already", row->name);
	if (row && zinc_dtype_uri_taken(row))
		return zinc_fail(err, ZINC_E_EXISTS, "the URI of data type \"%s\" belongs to another type", row->name);
	if (row && !row->parse)
		return zinc_fail(err, ZINC_E_INVALID, "data type \"%s\" has no parse function",
				 row->name ? row->name : "");
	return zinc_table_add(&rows, row, err);
}

void
zinc_list_dtypes(zinc_row_fn fn, void *arg)
{
	size_t i;

	for (i = 0; i < NTYPES; i++)
		if (fn(arg, types[i].name, types[i].v2 ? types[i].v2 : "", purposes[types[i].kind]))
			return;
	if (fn(arg, "r*", "V*", "bytes without meaning; * is a number of bits, bytes"))
		return;
	(void)zinc_table_each(&rows, fn, arg);
}
