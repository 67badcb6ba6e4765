/*
 * element.h - inside the room dtype: rows and operations of types, elements as bits, IEEE binary16
 */
#ifndef ZINC_ELEMENT_H
#define ZINC_ELEMENT_H

#include "dtype/dtype.h"

/* The operations of the core kinds: dtype_fill.c and dtype_text.c, joined in dtype_table.c. */
zinc_status zinc_fill_parse_bool(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r,
				 zinc_error *err);
zinc_status zinc_fill_parse_int(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r,
				zinc_error *err);
zinc_status zinc_fill_parse_float(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r,
				  zinc_error *err);
zinc_status zinc_fill_parse_complex(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r,
				    zinc_error *err);
zinc_status zinc_fill_parse_raw(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r,
				zinc_error *err);
zinc_json *zinc_fill_print_bool(const zinc_dtype *t, const void *element, zinc_json_doc *doc);
zinc_json *zinc_fill_print_int(const zinc_dtype *t, const void *element, zinc_json_doc *doc);
zinc_json *zinc_fill_print_float(const zinc_dtype *t, const void *element, zinc_json_doc *doc);
zinc_json *zinc_fill_print_complex(const zinc_dtype *t, const void *element, zinc_json_doc *doc);
zinc_json *zinc_fill_print_raw(const zinc_dtype *t, const void *element, zinc_json_doc *doc);
zinc_status zinc_print_bool(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out,
			    zinc_error *err);
zinc_status zinc_print_int(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err);
zinc_status zinc_print_float(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out,
			     zinc_error *err);
zinc_status zinc_print_complex(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out,
			       zinc_error *err);
zinc_status zinc_print_raw(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err);
size_t zinc_bool_check(const zinc_dtype *t, const void *elements, size_t n);
/* Make the bits of bytes above the type's own the sign of an INT, otherwise 0. */
void zinc_small_swap(const zinc_dtype *t, bool other, void *dst, const void *src, size_t n);

/* ---- the types of the registry, one file and one row each ---- */

extern const zinc_dtype_row zinc_row_datetime64, zinc_row_timedelta64;          /* dtype_datetime.c */
extern const zinc_dtype_row zinc_row_utf32, zinc_row_chars, zinc_row_raw_bytes; /* dtype_fixed.c */
extern const zinc_dtype_row zinc_row_string, zinc_row_bytes;                    /* dtype_vlen.c */
extern const zinc_dtype_row zinc_row_struct;                                    /* dtype_struct.c */

/* A new object of a row, all else zero; NULL: no memory. */
zinc_dtype *zinc_dtype_new(zinc_context *ctx, const zinc_dtype_row *row);
/* Set its size and bits.  E_LIMIT. */
zinc_status zinc_dtype_set_size(zinc_dtype *t, uint64_t nbytes, zinc_error *err);
/* Members of an object that are not in `names` (NULL-ended) are lenient findings. */
zinc_status zinc_dtype_members(const zinc_dtype *t, const zinc_json *object, const char *const *names, zinc_report *r,
			       zinc_error *err);
/* Parse digits up to the end of the text, as a number from 1 on that is limited above 10^12; false: not such a text. */
bool zinc_read_count(const char *s, uint64_t *out);
/* NumPy's code without byte order, "f4", "M8[ns]"; `ordered`: the text had one. */
zinc_status zinc_dtype_parse_code(const zinc_dtype **out, zinc_context *ctx, const char *code, bool ordered,
				  zinc_report *r, zinc_error *err);
/* The same with a byte order. */
zinc_status zinc_dtype_parse_word(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *text,
				  zinc_report *r, zinc_error *err);

/* A struct: begin with space for n fields, add them (`type` is taken, also on failure), end. */
zinc_status zinc_struct_begin(zinc_dtype *t, size_t n, zinc_error *err);
zinc_status zinc_struct_add(zinc_dtype *t, const zinc_json *name, const zinc_dtype *type, bool reversed, zinc_report *r,
			    zinc_error *err);
zinc_status zinc_struct_end(zinc_dtype *t, zinc_report *r, zinc_error *err);

/* A field with a fixed shape; `base` is taken, also on failure. */
extern const char zinc_subarray_name[];
zinc_status zinc_subarray_new(const zinc_dtype **out, zinc_context *ctx, const zinc_dtype *base, const zinc_json *shape,
			      zinc_report *r, zinc_error *err);
zinc_status zinc_subarray_parse(const zinc_dtype **out, zinc_context *ctx, const zinc_json *v, zinc_report *r,
				zinc_error *err);
const zinc_dtype *zinc_subarray_base(const zinc_dtype *t, size_t *n); /* n of them */
int zinc_subarray_shape(const zinc_dtype *t, const uint64_t **shape); /* its rank */
zinc_json *zinc_subarray_print_shape(const zinc_dtype *t, zinc_json_doc *doc);

/* ---- the tables (dtype_table.c, dtype_uri.c) ---- */

/* Row i of the types of the registry and of programs; NULL: no more. */
const zinc_dtype_row *zinc_dtype_row_at(size_t i);
zinc_status zinc_dtype_parse_row(const zinc_dtype **out, zinc_context *ctx, const zinc_dtype_row *row,
				 const zinc_extension *e, zinc_report *r, zinc_error *err);
/* Does one of its URIs belong to a built-in family? */
bool zinc_dtype_uri_taken(const zinc_dtype_row *row);

/* ---- texts (dtype_chars.c) ---- */

typedef enum zinc_coding { ZINC_CODING_BYTES, ZINC_CODING_UTF8, ZINC_CODING_UTF32 } zinc_coding;

typedef struct zinc_chars {
	const uint8_t *p;
	size_t n; /* bytes */
	zinc_coding coding;
} zinc_chars;

/* Append the text plain, as a Python literal, or as a JSON string.  E_CORRUPT when it should be Unicode and is not. */
zinc_status zinc_chars_print(const zinc_chars *c, zinc_spelling how, zinc_buf *out, zinc_error *err);
zinc_status zinc_char_json(uint32_t code, zinc_buf *out, zinc_error *err); /* one character, without quotes */
/* Store UTF-8 in an element of kind UTF32; false: it does not fit, or is not UTF-8. */
bool zinc_utf32_store(const zinc_dtype *t, void *element, const char *s, size_t n);
/* A fill value that is base64 of the element's bytes. */
zinc_status zinc_fill_parse_base64(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r,
				   zinc_error *err);
/* After base64: are all texts of the element Unicode? */
zinc_status zinc_fill_check_texts(const zinc_dtype *t, const void *element, zinc_report *r, zinc_error *err);
zinc_json *zinc_json_make_base64(zinc_json_doc *doc, const void *p, size_t n);

/* ---- numbers ---- */

/* A number of 1, 2, 4 or 8 bytes in native order, at any address <-> its bits. */
uint64_t zinc_bits_load(const void *p, size_t size);
void zinc_bits_store(void *p, size_t size, uint64_t bits);
/* The same as a signed number. */
int64_t zinc_bits_load_signed(const void *p, size_t size);

/* Conversions without kernels (dtype_small.c), as zinc_dtype_convert. */
bool zinc_small_converts(zinc_type to, zinc_type from);
size_t zinc_small_convert(zinc_type to, zinc_type from, void *dst, const void *src, size_t n, int flags);
size_t zinc_real_to_complex(zinc_type to, zinc_type from, void *dst, const void *src, size_t n, int flags);

/* The exact value of a float, from its bits. */
double zinc_float_value(const zinc_float_format *f, uint64_t bits);

/*
 *   15 14     10 9          0
 *   s  exponent  significand      bias 15; exponent 0: subnormal, 31: infinity or NaN
 *
 * Without branches, so that loops over it vectorise, and without subnormal floats on the way, so that a
 * program which flushes them to zero gets the right numbers too.
 */
static inline float
zinc_half_widen(uint16_t h)
{
	const uint32_t sign = (uint32_t)(h & 0x8000) << 16;
	const uint32_t rest = h & 0x7fff;
	const uint32_t is_special = 0u - (rest >= 0x7c00); /* all bits or none */
	const uint32_t is_nan = 0u - (rest > 0x7c00);
	const uint32_t is_small = 0u - (rest < 0x0400);
	const uint32_t normal =
	    (rest << 13) + (112u << 23) + (is_special & 112u << 23); /* re-bias 15 -> 127, 31 -> 255 */
	const float small = (float)(int32_t)rest * 0x1p-24f;         /* the value where the exponent is 0 */
	uint32_t bits;
	float f;

	memcpy(&bits, &small, sizeof bits);
	bits =
	    (bits & is_small) | (normal & ~is_small) | (is_nan & 0x00400000u) | sign; /* NaN: quiet, as hardware does */
	memcpy(&f, &bits, sizeof f);
	return f;
}

#endif
