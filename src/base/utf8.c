/*
 * utf8.c - strict UTF-8
 *
 *    bytes   code points           first byte   second byte
 *    1       U+0000 to U+007F      00..7F
 *    2       U+0080 to U+07FF      C2..DF       80..BF
 *    3       U+0800 to U+FFFF      E0..EF       80..BF, but A0..BF after E0 and 80..9F after ED (surrogates)
 *    4       U+10000 to U+10FFFF   F0..F4       80..BF, but 90..BF after F0 and 80..8F after F4
 *
 * RFC 3629.  Instead of a table of second bytes, the code point is decoded and its range checked.
 */
#include "base/base.h"

/* Length of the character that starts with `b`, from its high bits alone; 0: no character starts so. */
static size_t
length_of(uint8_t b)
{
	if (b < 0x80)
		return 1;
	if (b < 0xC2)
		return 0; /* a continuation byte, or an overlong form of ASCII */
	if (b < 0xE0)
		return 2;
	if (b < 0xF0)
		return 3;
	return b < 0xF5 ? 4 : 0;
}

size_t
zinc_utf8_next(const char *s, size_t n, uint32_t *code)
{
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	const uint8_t *b = (const uint8_t *)s;
	size_t len = n ? length_of(b[0]) : 0;
	uint32_t c;
	size_t i;

	if (len == 0 || len > n)
		return 0;
	c = len == 1 ? b[0] : b[0] & (0x7Fu >> len);
	for (i = 1; i < len; i++) {
		if ((b[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | (b[i] & 0x3F);
	}
	if (c < lowest[len] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		return 0;
	if (code)
		*code = c;
	return len;
}

bool
zinc_utf8_valid(const char *s, size_t n)
{
	size_t i = 0, len;

	while (i < n) {
		len = (uint8_t)s[i] < 0x80 ? 1 : zinc_utf8_next(s + i, n - i, NULL);
		if (len == 0)
			return false;
		i += len;
	}
	return true;
}

size_t
zinc_utf8_put(char out[4], uint32_t code)
{
	const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	size_t i;

	for (i = n - 1; i > 0; i--, code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3F));
	out[0] = (char)(n == 1 ? code : (0xF00u >> n & 0xFF) | code);
	return n;
}
