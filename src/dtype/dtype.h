/*
 * dtype.h - door of the room `dtype`: element types
 *
 * A data type is a row of dtype_table.c, or an object made from a parametrised row
 * ("r24").  Elements in memory are always in this machine's byte order and packed; the `bytes`
 * codec swaps.
 */
#ifndef ZINC_DTYPE_H
#define ZINC_DTYPE_H

#include "base/base.h"
#include "json/json.h"

typedef enum zinc_kind {
	ZINC_KIND_BOOL,
	ZINC_KIND_INT,
	ZINC_KIND_UINT,
	ZINC_KIND_FLOAT,
	ZINC_KIND_COMPLEX,
	ZINC_KIND_RAW,
	ZINC_KIND_OTHER /* meaning known to its own operations only */
} zinc_kind;

typedef struct zinc_dtype zinc_dtype;
typedef struct zinc_dtype_row zinc_dtype_row;

/* What a type can do beyond being copied. */
typedef struct zinc_dtype_ops {
	/* A fill value's JSON (v3 core, "Fill value"; M49-M59) -> one element in native order. */
	zinc_status (*parse_fill)(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err);
	/* One element -> the JSON of a fill value; -0.0, NaN payloads and 64-bit integers survive.  NULL: no memory. */
	zinc_json *(*print_fill)(const zinc_dtype *t, const void *element, zinc_json_doc *doc);
	/* One element -> text for people, as NumPy prints a scalar. */
	zinc_status (*print_text)(const zinc_dtype *t, const void *element, zinc_buf *out, zinc_error *err);
} zinc_dtype_ops;

struct zinc_dtype {
	const char *name;  /* the v3 name, "float32", "r24" */
	const char *v2;    /* NumPy's without byte order, "f4", "V3"; NULL: none */
	zinc_kind kind;
	zinc_type type;    /* for buffers; ZINC_NATIVE: none */
	uint32_t size;     /* bytes of an element in memory and as stored by `bytes` */
	uint32_t bits;     /* of them meaningful */
	uint32_t unit;     /* bytes swapped together; 1: byte order does not matter */
	bool variable;     /* an element is a zinc_vlen, whose bytes lie elsewhere */
	const zinc_dtype_ops *ops;
	zinc_context *ctx; /* NULL for rows of the table */
	const zinc_dtype_row *row; /* of a registered type */
	void *self;        /* of a parametrised or registered type */
	void (*fini)(zinc_dtype *t);
	char name_buf[32];
	char v2_buf[16];
};

/* The row of a type number; NULL for ZINC_NATIVE, ZINC_RAW and unknown numbers. */
const zinc_dtype *zinc_dtype_of(zinc_type type);
/* The `data_type` member (bare string, or extension object) -> type.  M11, M15 (lenient: {"name": "float64"}), M17 (E_UNSUPPORTED
 * naming it), M58.  Free with zinc_dtype_free, which accepts rows of the table and NULL. */
zinc_status zinc_dtype_parse(const zinc_dtype **out, zinc_context *ctx, const zinc_json *v, zinc_report *r, zinc_error *err);
/* A caller's text: v3 names, NumPy/v2 strings ("<f4", ">i2", "|b1", "f8"; `big` tells ">"), or JSON that starts with '{' or '"'.
 * E_INVALID, E_UNSUPPORTED. */
zinc_status zinc_dtype_parse_text(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *text, zinc_error *err);
void zinc_dtype_free(const zinc_dtype *t);
/* The `data_type` member.  NULL: no memory. */
zinc_json *zinc_dtype_print(const zinc_dtype *t, zinc_json_doc *doc);
/* The default fill value's element: zeros, false. */
void zinc_dtype_zero(const zinc_dtype *t, void *element);
/* Call fn for each row and each registered type: v3 name, v2 string, purpose. */
void zinc_dtype_each(int (*fn)(void *arg, const char *name, const char *also, const char *purpose), void *arg);

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
};
zinc_status zinc_dtype_register(const zinc_dtype_row *row, zinc_error *err);

/* Reverse the bytes of each unit of n elements; dst == src is fine, other overlap is not. */
void zinc_dtype_swap(const zinc_dtype *t, void *dst, const void *src, size_t n);

/*
 * Convert n elements from one number type to another (design: out of range, NaN to integer and fractions to
 * integer fail unless `flags` (zinc_convert) say otherwise; float narrowing and int -> float round to nearest even;
 * real -> complex gives a zero imaginary part; complex -> real and bool <-> number are refused by `supported`).
 * Returns the index of the first element that does not convert, or n.  dst NULL only checks.
 */
typedef size_t (*zinc_convert_fn)(void *dst, const void *src, size_t n, int flags);
/* NULL when these two types do not convert.  Equal types give a plain copy. */
zinc_convert_fn zinc_dtype_converter(zinc_type to, zinc_type from);

/* IEEE binary16. */
float zinc_half_to_float(uint16_t h);
uint16_t zinc_half_from_double(double d); /* rounds once, to nearest even; overflow gives infinity */

#endif
