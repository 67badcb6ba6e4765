/*
 * dtype.h - door of the room `dtype`: element types
 *
 * A data type is a row of dtype_table.c, or an object made from a row with parameters ("r24", a datetime, a struct).
 * Elements in memory are always packed and in this machine's byte order; the `bytes` codec swaps them.  Elements of
 * variable length are zinc_vlen in memory, and have their own codecs.
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
	ZINC_KIND_UTF32,     /* a fixed number of code points, shorter texts padded with zeros: NumPy's U */
	ZINC_KIND_CHARS,     /* a fixed number of bytes, shorter texts padded with zeros: NumPy's S */
	ZINC_KIND_STRING,    /* variable length, UTF-8 */
	ZINC_KIND_BYTES,     /* variable length */
	ZINC_KIND_STRUCT,    /* named fields without gaps */
	ZINC_KIND_SUBARRAY,  /* a field with a fixed shape, only in Zarr v2 */
	ZINC_KIND_OTHER      /* only its own operations know its meaning */
} zinc_kind;

typedef struct zinc_dtype zinc_dtype;
typedef struct zinc_dtype_row zinc_dtype_row;
typedef struct zinc_float_format zinc_float_format; /* dtype/exact.h */

/* Operations of a type besides copying. */
typedef struct zinc_dtype_ops {
	/* Parse the JSON of a fill value (v3 core, "Fill value"; M49-M59) into one element in native order.  An element
	 * of variable length is followed by space for the v->n bytes that it may point to (zinc_dtype_fill_room). */
	zinc_status (*parse_fill)(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r,
				  zinc_error *err);
	/* The JSON of one element as a fill value; -0.0, NaN payloads and 64-bit integers stay exact.  NULL: no
	 * memory. */
	zinc_json *(*print_fill)(const zinc_dtype *t, const void *element, zinc_json_doc *doc);
	/* Append one element in the spelling `how`.  E_CORRUPT when it is not a value of the type. */
	zinc_status (*print)(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out,
			     zinc_error *err);
	/* Reverse the bytes of each part of n elements; with `other` false, only of parts that are always stored in the
	 * other order; as zinc_dtype_swap.  Slot NULL: with `other` each unit, otherwise nothing. */
	void (*swap)(const zinc_dtype *t, bool other, void *dst, const void *src, size_t n);
	/* The index of the first of n elements, in either byte order, with a bool other than 0 and 1, or n.  Slot NULL:
	 * no bools. */
	size_t (*check)(const zinc_dtype *t, const void *elements, size_t n);
} zinc_dtype_ops;

struct zinc_dtype {
	const char *name; /* the v3 name, "float32", "r24" */
	const char *v2;   /* NumPy's name without byte order, "f4", "V3"; NULL: none, or a list (zinc_dtype_print_v2) */
	zinc_kind kind;
	zinc_type type; /* for buffers; ZINC_NATIVE: none */
	uint32_t size;  /* bytes of an element in memory and as stored by `bytes` */
	uint32_t bits;  /* number of meaningful bits */
	uint32_t unit;  /* bytes swapped together, in a struct the maximum; 1: byte order does not matter */
	bool variable;  /* an element is a zinc_vlen, whose bytes are elsewhere */
	bool narrow;    /* stored bytes have bits that are ignored: less than a byte, or a struct with such a field */
	bool mixed;     /* a struct of Zarr v2 whose parts are stored in both byte orders */
	bool legacy;    /* read under an old name, whose writers omitted the byte order: little-endian */
	const zinc_float_format *format; /* of a float, or of the parts of a complex number; NULL: another kind */
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
/* Parse the `data_type` member (a string or an extension object).  M11, M15 (lenient: {"name": "float64"}), M17
 * (E_UNSUPPORTED naming it), M58.  Free with zinc_dtype_free, which accepts rows of the table and NULL. */
zinc_status zinc_dtype_parse(const zinc_dtype **out, zinc_context *ctx, const zinc_json *v, zinc_report *r,
			     zinc_error *err);
/* Parse a caller's text: v3 names, NumPy/v2 strings ("<f4", ">i2", "|b1", "f8", "M8[ns]"; `big` is set for ">"), or
 * JSON that starts with '{' or '"' (v3) or '[' (a struct of v2).  E_INVALID, E_UNSUPPORTED. */
zinc_status zinc_dtype_parse_text(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *text,
				  zinc_error *err);
void zinc_dtype_free(const zinc_dtype *t);
/* The `data_type` member.  NULL: no memory. */
zinc_json *zinc_dtype_print(const zinc_dtype *t, zinc_json_doc *doc);
/* The same for documents that stay in memory: fields of Zarr v2 in the other byte order are marked by a private name,
 * which no stored document may have. */
zinc_json *zinc_dtype_print_orders(const zinc_dtype *t, zinc_json_doc *doc);
/* A `data_type` member of `doc` without these marks: the same value, a changed one, or a part of it.  NULL: no
 * memory. */
zinc_json *zinc_dtype_drop_orders(zinc_json_doc *doc, zinc_json *v);
/* Do elements of both types have the same bytes and the same meaning? r24 and raw_bytes of three bytes do, also as
 * fields.  Old names and the byte orders of fields do not matter.  E_NOMEM. */
zinc_status zinc_dtype_same(const zinc_dtype *a, const zinc_dtype *b, zinc_context *ctx, bool *out, zinc_error *err);
/* The element of the default fill value: zeros, false, or empty. */
void zinc_dtype_zero(const zinc_dtype *t, void *element);
/* Zeroed memory for the fill value that parse_fill makes from `v`; NULL: no memory.  zinc_free. */
void *zinc_dtype_fill_room(const zinc_dtype *t, zinc_context *ctx, const zinc_json *v);

/* A data type that a program registers.  The row begins with its name and must stay valid for ever.  E_EXISTS for a
 * name that is in use. */
struct zinc_dtype_row {
	const char *name;    /* v3 */
	const char *v2;      /* NULL: none */
	const char *purpose; /* one line */
	/* Parse the configuration (NULL when absent) into t.  On entry name, v2, row and ctx are set; all else is zero,
	 * as for raw bytes.  Set kind, type, size, bits, unit, ops, and if t owns something, self and fini. */
	zinc_status (*parse)(zinc_dtype *t, const zinc_json *configuration, zinc_report *r, zinc_error *err);
	/* Print the configuration; *out stays NULL when there is none.  Slot NULL: the type never has one. */
	zinc_status (*print)(const zinc_dtype *t, zinc_json_doc *doc, zinc_json **out, zinc_error *err);
	const char *const *aliases; /* other v3 names it is read under, NULL-ended; may be NULL */
	const char *const *uris;    /* of a registered type in the drafts, NULL-ended; may be NULL */
	bool needs_configuration;   /* the bare name is an error (M14) */
	char letter;                /* NumPy's, 'M'; 0: none */
	/* Parse the text after the letter, "8[ns]", into t, like parse. */
	zinc_status (*parse_v2)(zinc_dtype *t, const char *rest, zinc_report *r, zinc_error *err);
};
zinc_status zinc_dtype_register(const zinc_dtype_row *row, zinc_error *err);

/* Reverse the bytes of each unit of n elements; dst == src is allowed, other overlap is not. */
void zinc_dtype_swap(const zinc_dtype *t, void *dst, const void *src, size_t n);
/* Convert n elements between this machine's byte order and the stored one; `other`: the stored one differs.  The same
 * in both directions. */
void zinc_dtype_reorder(const zinc_dtype *t, bool other, void *dst, const void *src, size_t n);

/* ---- structs ---- */

typedef struct zinc_field {
	char *name;
	const zinc_dtype *type;
	uint32_t offset;
	bool reversed; /* its byte order differs from the struct's (only in Zarr v2) */
} zinc_field;

/* The fields of a struct. */
const zinc_field *zinc_dtype_fields(const zinc_dtype *t, size_t *n);

/* ---- Zarr v2 and NumPy ---- */

/* Parse the `dtype` member of Zarr v2: "<f4", "|S3", "<M8[ns]", or a list of [name, dtype] or [name, dtype, shape].
 * `big` is set to the byte order (false if there is none); parts of a struct in the other order keep it.  Objects,
 * "|O", are E_UNSUPPORTED: the first filter defines what they are. */
zinc_status zinc_dtype_parse_v2(const zinc_dtype **out, bool *big, zinc_context *ctx, const zinc_json *v,
				zinc_report *r, zinc_error *err);
/* The reverse; "|O" for variable length.  NULL: no memory, or v2 has no such type. */
zinc_json *zinc_dtype_print_v2(const zinc_dtype *t, bool big, zinc_json_doc *doc);
/* Does v2 have the type? */
bool zinc_dtype_has_v2(const zinc_dtype *t);
/* Fill values of v2: base64 of the stored bytes (byte order `big`) for S, V and structs, an integer for datetimes,
 * otherwise nearly as in v3.  The caller handles `null`.  As parse_fill and print_fill. */
zinc_status zinc_dtype_parse_fill_v2(const zinc_dtype *t, bool big, const zinc_json *v, void *element, zinc_report *r,
				     zinc_error *err);
zinc_json *zinc_dtype_print_fill_v2(const zinc_dtype *t, bool big, const void *element, zinc_json_doc *doc);
/* Append the type as in the header of a .npy file, all in one byte order: '<f4', [('a', '<i4'), ('b', '|S3', (2,))]; for
 * numbers that NumPy does not have, outside structs, zinc_type_widen.
 * E_UNSUPPORTED when NumPy has no such type. */
zinc_status zinc_dtype_print_numpy(const zinc_dtype *t, bool big, zinc_buf *out, zinc_error *err);
/* The reverse; also for v2's JSON, and names without quotes.  E_INVALID, E_UNSUPPORTED. */
zinc_status zinc_dtype_parse_numpy(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *text,
				   zinc_error *err);

/* ---- the drafts ---- */

/* Parse an extension type of a draft, {"extension": uri, "type": type}, perhaps with the configuration of a registered
 * type (NULL: none).  `match` is set to MINOR or SAME.  E_UNSUPPORTED, naming both, when the URI or the type is not
 * known. */
zinc_status zinc_dtype_parse_uri(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *uri,
				 const zinc_json *type, zinc_json *configuration, zinc_uri_match *match, zinc_report *r,
				 zinc_error *err);
/* All spellings of the URI (zinc_uri_choose); NULL: no draft has it as an extension.  Its `type` is what
 * zinc_dtype_print_v2 prints, or for a registered type (t->row->uris) its name. */
const char *const *zinc_dtype_uris(const zinc_dtype *t);
/* Does the URI match a built-in family, and does that have types with NumPy's letter ("[": a list of fields)? */
zinc_uri_match zinc_dtype_uri_match(const char *uri, char letter, bool *has);

/* ---- conversion ---- */

/* All valid flags. */
#define ZINC_CONVERT_FLAGS (ZINC_CONVERT_CLAMP | ZINC_CONVERT_TRUNCATE | ZINC_CONVERT_WRAP | ZINC_CONVERT_ROUND)

/* Convert a datetime or timedelta to another unit, exactly; NaT stays NaT.  False: the result is not an integer of 64
 * bits.  A month has no fixed number of days, so timedeltas in months and years convert only to each other. */
bool zinc_datetime_convert(const zinc_dtype *to, int64_t *out, const zinc_dtype *from, int64_t v);

/* Convert n elements to another type of the same sort: numbers, datetimes exactly, texts of fixed or variable length
 * (whose bytes go to the arena), structs field by field.  `flags` (zinc_convert) apply to numbers, also in structs.
 * E_INVALID when the types do not convert; E_RANGE naming the first element that does not fit. */
zinc_status zinc_dtype_cast(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, size_t n,
			    int flags, zinc_arena *arena, zinc_error *err);

/* Convert n elements from one number type to another.  Values out of range, NaN or fractions to integers, and integers
 * that a float cannot represent fail, unless `flags` (zinc_convert) allow them.  Floats narrow to nearest even.  Real
 * -> complex has a zero imaginary part.  Returns the index of the first element that does not convert, or n. dst NULL only
 * checks.  The types must convert. */
size_t zinc_dtype_convert(zinc_type to, zinc_type from, void *dst, const void *src, size_t n, int flags);
/* Do these types convert?  Equal types do, as a plain copy; complex -> real, bool <-> number, and real -> complex of a type
 * without zero do not. */
bool zinc_dtype_converts(zinc_type to, zinc_type from);
/* The end of a message when ROUND would help; else "". */
const char *zinc_convert_remedy(bool rounding_helps);

/* IEEE binary16. */
float zinc_half_to_float(uint16_t h);
uint16_t zinc_half_from_double(double d); /* rounds once, to nearest even; overflow gives infinity */

/* The number of a float type nearest to v; v itself if it is out of range or the type has no floats. */
double zinc_dtype_round(zinc_type type, double v);

#include "dtype/exact.h" /* a part of this door */

#endif
