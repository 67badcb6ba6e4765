/*
 * base64.c - bytes as text of 64 characters (RFC 4648, section 4)
 *
 *     3 bytes = 24 bits = 4 characters; "=" stands for what is missing from the last three
 */
#include "base/base.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

zinc_status
zinc_base64_encode(const void *bytes, size_t n, zinc_buf *out, zinc_error *err)
{
	const uint8_t *p = bytes;
	size_t i;

	for (i = 0; i < n; i += 3) {
		const size_t left = n - i;
		const uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
				   (left > 2 ? (uint32_t)p[i + 2] : 0);
		const char four[4] = {digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=',
				      left > 2 ? digits[v & 63] : '='};

		ZINC_TRY(zinc_buf_add(out, four, sizeof four, err));
	}
	return ZINC_OK;
}

/* The value of a character; -1: none. */
static int
value_of(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Bits behind the last byte must be zero: every sequence of bytes has one spelling. */
bool
zinc_base64_decode(const char *s, size_t n, void *bytes, size_t room, size_t *nbytes)
{
	uint8_t *out = bytes;
	size_t pad = 0, at = 0, i, k;
	uint32_t v = 0;

	while (pad < 2 && pad < n && s[n - 1 - pad] == '=')
		pad++;
	if (n % 4 != 0)
		return false;
	for (i = 0; i < n; i++) {
		const int digit = i < n - pad ? value_of(s[i]) : 0;

		if (digit < 0)
			return false;
		v = v << 6 | (uint32_t)digit;
		if (i % 4 != 3)
			continue;
		for (k = 0; k < 3 && at < n / 4 * 3 - pad; k++, at++)
			if (at < room)
				out[at] = (uint8_t)(v >> (16 - 8 * k));
		if (i == n - 1 && (v & ((1u << 8 * pad) - 1)) != 0)
			return false;
		v = 0;
	}
	*nbytes = at;
	return true;
}
