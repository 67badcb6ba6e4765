/*
 * dtype_table.c - every element type of the v3 core, one row each; those that programs add
 *
 * (1) A core type is the bare string; {"name": "float64"} is a lenient finding (M15).
 * (2) An unknown name is E_UNSUPPORTED and named (M17), with or without must_understand.
 * (3) "r24" is three bytes without meaning; a bit count that is no multiple of 8 is M58.
 */
#include "dtype/element.h"

#include <stdio.h>

static const zinc_dtype_ops ops_bool = {zinc_fill_parse_bool, zinc_fill_print_bool, zinc_text_print_bool};
static const zinc_dtype_ops ops_int = {zinc_fill_parse_int, zinc_fill_print_int, zinc_text_print_int};
static const zinc_dtype_ops ops_float = {zinc_fill_parse_float, zinc_fill_print_float, zinc_text_print_float};
static const zinc_dtype_ops ops_complex = {zinc_fill_parse_complex, zinc_fill_print_complex, zinc_text_print_complex};
static const zinc_dtype_ops ops_raw = {zinc_fill_parse_raw, zinc_fill_print_raw, zinc_text_print_raw};

/* clang-format off */
#define ROW(name_, v2_, kind_, type_, size_, bits_, unit_, ops_) \
	[ZINC_##type_ - ZINC_BOOL] = {.name = name_, .v2 = v2_, .kind = ZINC_KIND_##kind_, .type = ZINC_##type_, \
	                              .size = size_, .bits = bits_, .unit = unit_, .ops = &(ops_)}

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
	ROW("float16",    "f2",  FLOAT,   FLOAT16,     2,  16,  2, ops_float),
	ROW("float32",    "f4",  FLOAT,   FLOAT32,     4,  32,  4, ops_float),
	ROW("float64",    "f8",  FLOAT,   FLOAT64,     8,  64,  8, ops_float),
	ROW("complex64",  "c8",  COMPLEX, COMPLEX64,   8,  64,  4, ops_complex),
	ROW("complex128", "c16", COMPLEX, COMPLEX128, 16, 128,  8, ops_complex),
};
#define NTYPES (sizeof types / sizeof types[0])

static const char *const purposes[] = {
	[ZINC_KIND_BOOL] = "true or false, one byte",
	[ZINC_KIND_INT] = "signed integer",
	[ZINC_KIND_UINT] = "unsigned integer",
	[ZINC_KIND_FLOAT] = "IEEE 754 number",
	[ZINC_KIND_COMPLEX] = "complex number: real part, imaginary part",
};
/* clang-format on */

static zinc_registry registered; /* rows of type zinc_dtype_row */

/* The table is in the order of the numbers. */
const zinc_dtype *
zinc_dtype_of(zinc_type type)
{
	return (unsigned)type - ZINC_BOOL < NTYPES ? &types[type - ZINC_BOOL] : NULL;
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

zinc_buffer
zinc_buffer_init(zinc_type type, const void *data, size_t nbytes)
{
	/* one constructor for buffers to read into and to write from: the const is the caller's affair */
	return (zinc_buffer){.type = type, .data = (void *)(uintptr_t)data, .nbytes = nbytes};
}

void
zinc_dtype_zero(const zinc_dtype *t, void *element)
{
	memset(element, 0, t->size);
}

/* Fourteen names: a loop is as quick as anything. */
static const zinc_dtype *
find_core(const char *name)
{
	size_t i;

	for (i = 0; i < NTYPES; i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

/* ---- types that are objects: r*, and those of programs ---- */

static zinc_dtype *
object_new(zinc_context *ctx, const char *name, const char *v2)
{
	zinc_dtype *t;

	ctx = zinc_context_get(ctx); /* never NULL in an object: that marks rows of the table */
	t = ctx ? zinc_calloc(ctx, 1, sizeof *t) : NULL;
	if (t) {
		t->ctx = ctx;
		t->name = name;
		t->v2 = v2;
		t->kind = ZINC_KIND_OTHER;
	}
	return t;
}

void
zinc_dtype_free(const zinc_dtype *t)
{
	zinc_dtype *own = (zinc_dtype *)(uintptr_t)t; /* objects are ours; rows of the table stop here: */

	if (!own || !own->ctx)
		return;
	if (own->fini)
		own->fini(own);
	zinc_free(own->ctx, own);
}

/* More bytes than this would not fit zinc_dtype.bits. */
#define RAW_MAX (UINT32_MAX / 8)

static zinc_status
raw_new(const zinc_dtype **out, zinc_context *ctx, uint64_t nbytes, zinc_error *err)
{
	zinc_context *c = zinc_context_get(ctx);
	const uint64_t max = c ? zinc_min_u64(RAW_MAX, c->limits.chunk_bytes) : RAW_MAX;
	zinc_dtype *t;

	if (nbytes > max)
		return zinc_fail(err, ZINC_E_LIMIT, "elements of %llu bytes; the limit is %llu",
				 (unsigned long long)nbytes, (unsigned long long)max);
	t = object_new(c, NULL, NULL);
	if (!t)
		return zinc_fail_nomem(err);
	snprintf(t->name_buf, sizeof t->name_buf, "r%u", (unsigned)nbytes * 8);
	snprintf(t->v2_buf, sizeof t->v2_buf, "V%u", (unsigned)nbytes);
	t->name = t->name_buf;
	t->v2 = t->v2_buf;
	t->kind = ZINC_KIND_RAW;
	t->type = ZINC_RAW;
	t->size = (uint32_t)nbytes;
	t->bits = (uint32_t)nbytes * 8;
	t->unit = 1;
	t->ops = &ops_raw;
	*out = t;
	return ZINC_OK;
}

/* Digits to the end of the text, as a number that stops growing at 10^12: far above every limit.  False: no such text.
 */
static bool
read_count(const char *s, uint64_t *out)
{
	uint64_t n = 0;

	if (*s < '1' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++)
		n = n < 1000000000000u ? n * 10 + (uint64_t)(*s - '0') : n;
	*out = n;
	return *s == '\0';
}

/* Is it r<digits>?  Whether the digits are good is M58's question. */
static bool
is_raw_name(const char *name)
{
	return name[0] == 'r' && name[1] && name[1 + strspn(name + 1, "0123456789")] == '\0';
}

static zinc_status
parse_raw(const zinc_dtype **out, zinc_context *ctx, const char *name, zinc_report *r, zinc_error *err)
{
	uint64_t bits;

	if (!read_count(name + 1, &bits) || bits % 8 != 0)
		return zinc_report_error(r, "M58", err,
					 "data type \"%.40s\": the number of bits must be a multiple of 8", name);
	return raw_new(out, ctx, bits / 8, err);
}

/* The program's own function does the work; what it left in a failed object is finished like any other. */
static zinc_status
parse_registered(const zinc_dtype **out, zinc_context *ctx, const zinc_dtype_row *row, const zinc_extension *e,
		 zinc_report *r, zinc_error *err)
{
	zinc_dtype *t = object_new(ctx, row->name, row->v2);
	zinc_status s;

	if (!t)
		return zinc_fail_nomem(err);
	t->row = row;
	s = row->parse(t, e->configuration, r, err);
	if (s != ZINC_OK) {
		zinc_dtype_free(t);
		return s;
	}
	*out = t;
	return ZINC_OK;
}

/* Unknown comes first: of a type that nobody knows it does not matter how it is spelt. */
zinc_status
zinc_dtype_parse(const zinc_dtype **out, zinc_context *ctx, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	const zinc_dtype_row *row;
	const zinc_dtype *core;
	zinc_extension e;

	ZINC_TRY(zinc_extension_parse(&e, v, r, err));
	core = find_core(e.name);
	row = zinc_registry_find(&registered, e.name);
	if (!core && !row && !is_raw_name(e.name))
		return zinc_report_unsupported(r, "M17", err, "data type \"%.60s\"", e.name);
	if (e.ignorable)
		ZINC_TRY(zinc_report_lenient(r, "M17", err, "must_understand has no meaning for a data type"));
	if (row)
		return parse_registered(out, ctx, row, &e, r, err);
	if (!e.bare)
		ZINC_TRY(
		    zinc_report_lenient(r, "M15", err, "data type \"%.40s\" must be written as a bare string", e.name));
	if (!core)
		return parse_raw(out, ctx, e.name, r, err);
	*out = core;
	return ZINC_OK;
}

/* The bare string wherever there is no configuration: for core types it is the only right form. */
zinc_json *
zinc_dtype_print(const zinc_dtype *t, zinc_json_doc *doc)
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

/* ---- a caller's text ---- */

/* As zinc_dtype_parse, but all mistakes are the caller's. */
static zinc_status
parse_json_text(const zinc_dtype **out, zinc_context *ctx, const char *text, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_report r;
	zinc_status s;

	zinc_report_init(&r, ctx, false, "data type");
	r.code = ZINC_E_INVALID;
	s = zinc_json_parse(&doc, ctx, text, strlen(text), 0, err);
	if (s == ZINC_E_CORRUPT) { /* the caller's mistake, no file's */
		if (err)
			err->code = ZINC_E_INVALID;
		return ZINC_E_INVALID;
	}
	ZINC_TRY(s);
	s = zinc_dtype_parse(out, ctx, zinc_json_root(doc), &r, err);
	zinc_json_free(doc);
	return s;
}

/* NumPy's kinds that have no row: S, U, M, m, O, ... */
static bool
is_numpy_kind(char c)
{
	return c && strchr("SUOMmaVtbiufcg?", c);
}

/* "<f4", "|b1", "=i8", "f8", "V3" */
static zinc_status
parse_numpy(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *text, zinc_error *err)
{
	const char order = strchr("<>|=", *text) ? *text : '\0';
	const char *code = text + (order != '\0');
	uint64_t n;
	size_t i;

	for (i = 0; i < NTYPES; i++)
		if (strcmp(types[i].v2, code) == 0) {
			*big = types[i].unit > 1 && (order == '>' || (order == '=' && ZINC_HOST_BIG));
			*out = &types[i];
			return ZINC_OK;
		}
	if (*code == 'V' && read_count(code + 1, &n))
		return raw_new(out, ctx, n, err);
	if (order && is_numpy_kind(*code))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "data type \"%.60s\" is not built in", text);
	return zinc_fail(err, ZINC_E_INVALID, "no such data type: \"%.60s\"", text);
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
	*out = find_core(text);
	if (*out)
		return ZINC_OK;
	zinc_report_init(&r, ctx, false, "data type");
	r.code = ZINC_E_INVALID;
	if (is_raw_name(text))
		return parse_raw(out, ctx, text, &r, err);
	row = zinc_registry_find(&registered, text);
	if (row)
		return parse_registered(out, ctx, row, &(zinc_extension){.name = row->name, .bare = true}, &r, err);
	if (*text == '\0')
		return zinc_fail(err, ZINC_E_INVALID, "no data type given");
	return parse_numpy(out, big, ctx, text, err);
}

/* ---- registration, listing ---- */

/* Core names cannot be taken over: documents rely on their meaning. */
zinc_status
zinc_dtype_register(const zinc_dtype_row *row, zinc_error *err)
{
	if (row && row->name && (find_core(row->name) || is_raw_name(row->name)))
		return zinc_fail(err, ZINC_E_EXISTS, "\"%s\" is a core data type", row->name);
	if (row && !row->parse)
		return zinc_fail(err, ZINC_E_INVALID, "data type \"%s\" has no parse function",
				 row->name ? row->name : "");
	return zinc_registry_add(&registered, row, err);
}

void
zinc_dtype_each(int (*fn)(void *arg, const char *name, const char *also, const char *purpose), void *arg)
{
	const zinc_dtype_row *row;
	size_t i;

	for (i = 0; i < NTYPES; i++)
		if (fn(arg, types[i].name, types[i].v2, purposes[types[i].kind]))
			return;
	if (fn(arg, "r*", "V*", "bytes without meaning; * is a number of bits, bytes"))
		return;
	for (i = 0; (row = zinc_registry_item(&registered, i)) != NULL; i++)
		if (fn(arg, row->name, row->v2 ? row->v2 : "", row->purpose ? row->purpose : ""))
			return;
}
