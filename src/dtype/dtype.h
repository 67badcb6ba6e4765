/*
 * dtype.h - door of the room `dtype`: element types
 *
 * A data type is a row of dtype_table.c, or an object made from a parametrised row
 * ("r24", a datetime, a struct).  Elements in memory are always in this machine's byte order and packed; the `bytes`
 * codec swaps.  Elements of variable length are zinc_vlen in memory, and have codecs of their own.
 */
#ifndef ZINC_DTYPE_H
#define ZINC_DTYPE_H

#include "base/base.h"
#include "report/report.h"

typedef enum zinc_kind {
	ZINC_KIND_BOOL,
	ZINC_KIND_INT,
	ZINC_KIND_UINT,
	ZINC_KIND_FLOAT,
	ZINC_KIND_COMPLEX,
	ZINC_KIND_RAW,
	ZINC_KIND_DATETIME,  /* int64 since 1970 in some unit; -2^63 is NaT */
	ZINC_KIND_TIMEDELTA, /* int64 in some unit; the same */
	ZINC_KIND_UTF32,     /* so many code points, zeros behind a shorter text: NumPy's U */
	ZINC_KIND_CHARS,     /* so many bytes, zeros behind a shorter text: NumPy's S */
	ZINC_KIND_STRING,    /* variable length, UTF-8 */
	ZINC_KIND_BYTES,     /* variable length */
	ZINC_KIND_STRUCT,    /* named fields without gaps */
	ZINC_KIND_SUBARRAY,  /* a field of a fixed shape, which only Zarr v2 has */
	ZINC_KIND_OTHER      /* meaning known to its own operations only */
} zinc_kind;

typedef struct zinc_dtype zinc_dtype;
typedef struct zinc_dtype_row zinc_dtype_row;

/* What a type can do beyond being copied. */
typedef struct zinc_dtype_ops {
	/* A fill value's JSON (v3 core, "Fill value"; M49-M59) -> one element in native order.  Behind an element of
	 * variable length there is room for the v->n bytes that it may point to (zinc_dtype_fill_room). */
	zinc_status (*parse_fill)(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r,
				  zinc_error *err);
	/* One element -> the JSON of a fill value; -0.0, NaN payloads and 64-bit integers survive.  NULL: no memory. */
	zinc_json *(*print_fill)(const zinc_dtype *t, const void *element, zinc_json_doc *doc);
	/* One element in the spelling `how`, appended.  E_CORRUPT for what is no value of the type. */
	zinc_status (*print)(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out,
			     zinc_error *err);
	/* n elements with the bytes of each part reversed, or with `other` false only those of parts that are always
	 * stored in the other order; as zinc_dtype_swap.  NULL: each unit, none. */
	void (*swap)(const zinc_dtype *t, bool other, void *dst, const void *src, size_t n);
	/* The first of n elements, in either byte order, that has a bool other than 0 and 1, or n.  NULL: no bools. */
	size_t (*check)(const zinc_dtype *t, const void *elements, size_t n);
} zinc_dtype_ops;

struct zinc_dtype {
	const char *name; /* the v3 name, "float32", "r24" */
	const char *v2;   /* NumPy's without byte order, "f4", "V3"; NULL: none, or a list (zinc_dtype_print_v2) */
	zinc_kind kind;
	zinc_type type; /* for buffers; ZINC_NATIVE: none */
	uint32_t size;  /* bytes of an element in memory and as stored by `bytes` */
	uint32_t bits;  /* of them meaningful */
	uint32_t unit;  /* bytes swapped together, of a struct the most; 1: byte order does not matter */
	bool variable;  /* an element is a zinc_vlen, whose bytes lie elsewhere */
	bool mixed;     /* a struct of Zarr v2 whose parts are stored in both byte orders */
	bool legacy;    /* read under an old name, whose writers left out the byte order: little-endian */
	const zinc_dtype_ops *ops;
	zinc_context *ctx;         /* NULL for rows of the table */
	const zinc_dtype_row *row; /* of a registered type */
	void *self;                /* of a parametrised or registered type */
	void (*fini)(zinc_dtype *t);
	char name_buf[32];
	char v2_buf[32];
};

/* The row of a type number; NULL for ZINC_NATIVE, ZINC_RAW and unknown numbers. */
const zinc_dtype *zinc_dtype_of(zinc_type type);
/* The `data_type` member (bare string, or extension object) -> type.  M11, M15 (lenient: {"name": "float64"}), M17 (E_UNSUPPORTED
 * naming it), M58.  Free with zinc_dtype_free, which accepts rows of the table and NULL. */
zinc_status zinc_dtype_parse(const zinc_dtype **out, zinc_context *ctx, const zinc_json *v, zinc_report *r,
			     zinc_error *err);
/* A caller's text: v3 names, NumPy/v2 strings ("<f4", ">i2", "|b1", "f8", "M8[ns]"; `big` tells ">"), or JSON that starts with '{' or
 * '"' (of v3) or '[' (a struct of v2).  E_INVALID, E_UNSUPPORTED. */
zinc_status zinc_dtype_parse_text(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *text,
				  zinc_error *err);
void zinc_dtype_free(const zinc_dtype *t);
/* The `data_type` member.  NULL: no memory. */
zinc_json *zinc_dtype_print(const zinc_dtype *t, zinc_json_doc *doc);
/* The same for documents that stay in memory: fields of Zarr v2 that are stored in the other byte order are marked by a
 * private name, which no document of a store may have. */
zinc_json *zinc_dtype_print_orders(const zinc_dtype *t, zinc_json_doc *doc);
/* A `data_type` member of `doc` without these marks: itself, changed, or a part of it.  NULL: no memory. */
zinc_json *zinc_dtype_drop_orders(zinc_json_doc *doc, zinc_json *v);
/* Have elements of both the same bytes and the same meaning?  r24 and raw_bytes of three bytes have, also as fields; old
 * names and the byte orders of fields do not matter.  E_NOMEM. */
zinc_status zinc_dtype_same(const zinc_dtype *a, const zinc_dtype *b, zinc_context *ctx, bool *out, zinc_error *err);
/* The default fill value's element: zeros, false, nothing. */
void zinc_dtype_zero(const zinc_dtype *t, void *element);
/* Zeroed room for the fill value that parse_fill makes of `v`; NULL: no memory.  zinc_free. */
void *zinc_dtype_fill_room(const zinc_dtype *t, zinc_context *ctx, const zinc_json *v);

/* A program's own data type; it begins with its name and stays for ever.  E_EXISTS for a name that is taken. */
struct zinc_dtype_row {
	const char *name;    /* v3 */
	const char *v2;      /* NULL: none */
	const char *purpose; /* one line */
	/* The configuration (NULL when absent) -> t.  On entry name, v2, row and ctx are set and all else is zero, as for
	 * bytes without meaning; set kind, type, size, bits, unit, ops, and self with fini when it owns something. */
	zinc_status (*parse)(zinc_dtype *t, const zinc_json *configuration, zinc_report *r, zinc_error *err);
	/* The configuration; *out stays NULL when there is none.  NULL: never one. */
	zinc_status (*print)(const zinc_dtype *t, zinc_json_doc *doc, zinc_json **out, zinc_error *err);
	const char *const *aliases; /* other v3 names it is read under, NULL-ended; may be NULL */
	const char *const *uris;    /* of a program's type in the drafts, NULL-ended; may be NULL */
	bool needs_configuration;   /* the bare name is an error (M14) */
	char letter;                /* NumPy's, 'M'; 0: none */
	/* What follows the letter, "8[ns]" -> t, as parse does. */
	zinc_status (*parse_v2)(zinc_dtype *t, const char *rest, zinc_report *r, zinc_error *err);
};
zinc_status zinc_dtype_register(const zinc_dtype_row *row, zinc_error *err);

/* Reverse the bytes of each unit of n elements; dst == src is fine, other overlap is not. */
void zinc_dtype_swap(const zinc_dtype *t, void *dst, const void *src, size_t n);
/* n elements from or to the byte order that is not this machine's (`other`) or is; the same for both ways. */
void zinc_dtype_reorder(const zinc_dtype *t, bool other, void *dst, const void *src, size_t n);

/* ---- structs ---- */

typedef struct zinc_field {
	char *name;
	const zinc_dtype *type;
	uint32_t offset;
	bool reversed; /* stored in the other byte order than the struct (only in Zarr v2) */
} zinc_field;

/* The fields of a struct. */
const zinc_field *zinc_dtype_fields(const zinc_dtype *t, size_t *n);

/* ---- Zarr v2 and NumPy ---- */

/*
 * The `dtype` member of Zarr v2: "<f4", "|S3", "<M8[ns]", or a list of [name, dtype] or [name, dtype, shape].  `big` tells
 * the byte order (false where there is none); parts of a struct in the other one are kept as such.  Objects, "|O", are
 * E_UNSUPPORTED: what they are, the first filter says.
 */
zinc_status zinc_dtype_parse_v2(const zinc_dtype **out, bool *big, zinc_context *ctx, const zinc_json *v,
				zinc_report *r, zinc_error *err);
/* The same printed; "|O" for variable length.  NULL: no memory, or v2 has no such type. */
zinc_json *zinc_dtype_print_v2(const zinc_dtype *t, bool big, zinc_json_doc *doc);
/* Is there such a type in v2? */
bool zinc_dtype_has_v2(const zinc_dtype *t);
/* Fill values of v2: base64 of the stored bytes (byte order `big`) for S, V and structs, an integer for datetimes, else
 * nearly as in v3.  `null` is the caller's to see.  As parse_fill and print_fill. */
zinc_status zinc_dtype_parse_fill_v2(const zinc_dtype *t, bool big, const zinc_json *v, void *element, zinc_report *r,
				     zinc_error *err);
zinc_json *zinc_dtype_print_fill_v2(const zinc_dtype *t, bool big, const void *element, zinc_json_doc *doc);
/* As the header of a .npy file spells it, all of one byte order: '<f4', [('a', '<i4'), ('b', '|S3', (2,))].
 * E_UNSUPPORTED where NumPy has none. */
zinc_status zinc_dtype_print_numpy(const zinc_dtype *t, bool big, zinc_buf *out, zinc_error *err);
/* And back; also v2's JSON, and names without quotes.  E_INVALID, E_UNSUPPORTED. */
zinc_status zinc_dtype_parse_numpy(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *text,
				   zinc_error *err);

/* ---- the drafts ---- */

/*
 * An extension type of a draft, {"extension": uri, "type": type} and perhaps a configuration of a program's type (NULL:
 * none) -> type.  `match` tells MINOR or SAME.  E_UNSUPPORTED, naming both, when the URI or the type is not known.
 */
zinc_status zinc_dtype_parse_uri(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *uri,
				 const zinc_json *type, zinc_json *configuration, zinc_uri_match *match, zinc_report *r,
				 zinc_error *err);
/* All spellings of the URI (zinc_uri_choose); NULL: no draft has it as an extension.  Its `type` is what
 * zinc_dtype_print_v2 prints, or of a program's type (t->row->uris) its name. */
const char *const *zinc_dtype_uris(const zinc_dtype *t);
/* How far the URI is one of a built-in family, and whether that has types of NumPy's letter ("[": a list of fields). */
zinc_uri_match zinc_dtype_uri_match(const char *uri, char letter, bool *has);

/* ---- conversion ---- */

/* All flags that there are. */
#define ZINC_CONVERT_FLAGS (ZINC_CONVERT_CLAMP | ZINC_CONVERT_TRUNCATE | ZINC_CONVERT_WRAP | ZINC_CONVERT_ROUND)

/*
 * An instant or a span of time in another unit, exactly; NaT stays NaT.  False: it has no whole number of the other
 * unit that fits.  Months have no number of days, so spans of months and years convert among each other only.
 */
bool zinc_datetime_convert(const zinc_dtype *to, int64_t *out, const zinc_dtype *from, int64_t v);

/*
 * n elements of one type to another of the same sort: numbers, datetimes exactly, texts to fixed or variable length
 * (whose bytes go to the arena), structs field by field.  `flags` (zinc_convert) are for numbers, those in structs
 * included.  E_INVALID when the types do not convert, E_RANGE naming the first element that does not fit.
 */
zinc_status zinc_dtype_cast(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, size_t n,
			    int flags, zinc_arena *arena, zinc_error *err);

/*
 * Convert n elements from one number type to another (design: out of range, NaN to integer and fractions to
 * integer, and integers that a float does not have fail unless `flags` (zinc_convert) say otherwise; floats narrow
 * to nearest even;
 * real -> complex gives a zero imaginary part; complex -> real and bool <-> number are refused by `supported`).
 * Returns the index of the first element that does not convert, or n.  dst NULL only checks.
 */
typedef size_t (*zinc_convert_fn)(void *dst, const void *src, size_t n, int flags);
/* NULL when these two types do not convert.  Equal types give a plain copy. */
zinc_convert_fn zinc_dtype_converter(zinc_type to, zinc_type from);
/* What a message adds where ROUND would help; else "". */
const char *zinc_convert_remedy(bool rounding_helps);

/* IEEE binary16. */
float zinc_half_to_float(uint16_t h);
uint16_t zinc_half_from_double(double d); /* rounds once, to nearest even; overflow gives infinity */

#endif
