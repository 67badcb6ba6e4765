/*
 * base64.c - bytes as text of 64 characters (RFC 4648, section 4)
 *
 *     3 bytes = 24 bits = 4 characters; "=" replaces missing characters of the last group
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

/* Padding may be missing: some writers leave it out.  Bits after the last byte must be zero. */
bool
zinc_base64_decode(const char *s, size_t n, void *bytes, size_t room, size_t *nbytes)
{
	const size_t whole = n;
	uint8_t *out = bytes;
	uint32_t bits = 0;
	size_t at = 0, i;

	while (whole - n < 2 && n > 0 && s[n - 1] == '=')
		n--;
	if (n % 4 == 1 || (whole > n && whole % 4 != 0))
		return false;
	for (i = 0; i < n; i++) {
		const int digit = value_of(s[i]);

		if (digit < 0)
			return false;
		bits = bits << 6 | (uint32_t)digit;
		if (i % 4 == 0)
			continue;
		if (at < room)
			out[at] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
		at++;
	}
	*nbytes = at;
	return n % 4 == 0 || (bits & (n % 4 == 2 ? 15u : 3u)) == 0;
}
