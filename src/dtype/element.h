/*
 * element.h - inside the room dtype: one element as bits, and IEEE binary16
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
zinc_status zinc_text_print_bool(const zinc_dtype *t, const void *element, zinc_buf *out, zinc_error *err);
zinc_status zinc_text_print_int(const zinc_dtype *t, const void *element, zinc_buf *out, zinc_error *err);
zinc_status zinc_text_print_float(const zinc_dtype *t, const void *element, zinc_buf *out, zinc_error *err);
zinc_status zinc_text_print_complex(const zinc_dtype *t, const void *element, zinc_buf *out, zinc_error *err);
zinc_status zinc_text_print_raw(const zinc_dtype *t, const void *element, zinc_buf *out, zinc_error *err);

/* A number of 1, 2, 4 or 8 bytes in native order <-> its bits, wherever it lies. */
uint64_t zinc_bits_load(const void *p, size_t size);
void zinc_bits_store(void *p, size_t size, uint64_t bits);
/* The same as a signed number. */
int64_t zinc_bits_load_signed(const void *p, size_t size);

/* The double that the shortest decimal of a finite float16 (size 2) or float32 (size 4) names:
 * 0.1 for the float 0.100000001490116.  Printing it as a double prints those digits. */
double zinc_float_shortest(uint64_t bits, size_t size);

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
