/*
 * dtype_chars.c - the characters of a text element: plain, as a Python literal, as JSON
 *
 *     abc    'abc'  "it's"  'two\nlines'  b'\xff'    "abc"
 *
 * (1) Bytes that need not be UTF-8 (NumPy's S) lose nothing as JSON: a byte that is not part of a character becomes
 *     \udc00 + byte, as with Python's "surrogateescape".
 * (2) Text that should be Unicode and is not is E_CORRUPT.
 */
#include "dtype/element.h"

/* The next character and its length in bytes; 0: there is no valid character. */
static size_t
next(const zinc_chars *c, size_t at, uint32_t *code)
{
	const char *p = (const char *)c->p + at;

	if (c->coding == ZINC_CODING_UTF8)
		return zinc_utf8_next(p, c->n - at, code);
	if (c->coding == ZINC_CODING_BYTES) {
		*code = (uint8_t)*p;
		return 1;
	}
	memcpy(code, p, sizeof *code);
	return *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF) ? 0 : sizeof *code;
}

static zinc_status
no_character(const zinc_chars *c, size_t at, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_CORRUPT, "the text is not valid Unicode at byte %zu of %zu", at, c->n);
}

static zinc_status
put_utf8(uint32_t code, zinc_buf *out, zinc_error *err)
{
	char bytes[4];

	return zinc_buf_add(out, bytes, zinc_utf8_put(bytes, code), err);
}

static zinc_status
print_text(const zinc_chars *c, zinc_buf *out, zinc_error *err)
{
	size_t at, n;
	uint32_t code;

	if (c->coding != ZINC_CODING_UTF32)
		return zinc_buf_add(out, c->p, c->n, err);
	for (at = 0; at < c->n; at += n) {
		n = next(c, at, &code);
		if (n == 0)
			return no_character(c, at, err);
		ZINC_TRY(put_utf8(code, out, err));
	}
	return ZINC_OK;
}

/* ---- Python ---- */

/* Single quotes, unless the text contains single quotes and no double ones. */
static char
choose_quote(const zinc_chars *c)
{
	bool has_single = false, has_double = false;
	uint32_t code;
	size_t at, n;

	for (at = 0; at < c->n && (n = next(c, at, &code)) > 0; at += n) {
		has_single |= code == '\'';
		has_double |= code == '"';
	}
	return has_single && !has_double ? '"' : '\'';
}

static zinc_status
put_python(uint32_t code, char quote, bool is_byte, zinc_buf *out, zinc_error *err)
{
	if (code == '\\' || code == (uint32_t)quote)
		return zinc_buf_printf(out, err, "\\%c", (char)code);
	if (code == '\n' || code == '\r' || code == '\t')
		return zinc_buf_printf(out, err, "\\%c", code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
	if (code < 0x20 || code == 0x7F || (is_byte && code > 0x7F) || (code >= 0x80 && code <= 0xA0) || code == 0xAD)
		return zinc_buf_printf(out, err, "\\x%02x", (unsigned)code);
	return put_utf8(code, out, err);
}

static zinc_status
print_repr(const zinc_chars *c, zinc_buf *out, zinc_error *err)
{
	const bool is_bytes = c->coding == ZINC_CODING_BYTES;
	const char quote = choose_quote(c);
	uint32_t code;
	size_t at, n;

	ZINC_TRY(zinc_buf_printf(out, err, "%s%c", is_bytes ? "b" : "", quote));
	for (at = 0; at < c->n; at += n) {
		n = next(c, at, &code);
		if (n == 0)
			return no_character(c, at, err);
		ZINC_TRY(put_python(code, quote, is_bytes, out, err));
	}
	return zinc_buf_add(out, &quote, 1, err);
}

/* ---- JSON ---- */

zinc_status
zinc_char_json(uint32_t code, zinc_buf *out, zinc_error *err)
{
	static const char letters[] = "btn.fr"; /* of \b \t \n . \f \r */

	if (code == '"' || code == '\\')
		return zinc_buf_printf(out, err, "\\%c", (char)code);
	if (code >= '\b' && code <= '\r' && code != '\v')
		return zinc_buf_printf(out, err, "\\%c", letters[code - '\b']);
	if (code < 0x20 || (code >= 0xD800 && code <= 0xDFFF))
		return zinc_buf_printf(out, err, "\\u%04x", (unsigned)code);
	return put_utf8(code, out, err);
}

static zinc_status
print_json(const zinc_chars *c, zinc_buf *out, zinc_error *err)
{
	const bool is_bytes = c->coding == ZINC_CODING_BYTES;
	const zinc_chars as_utf8 = {c->p, c->n, ZINC_CODING_UTF8};
	uint32_t code;
	size_t at, n;

	ZINC_TRY(zinc_buf_add(out, "\"", 1, err));
	for (at = 0; at < c->n; at += n) {
		n = next(is_bytes ? &as_utf8 : c, at, &code);
		if (n == 0 && !is_bytes)
			return no_character(c, at, err);
		if (n == 0) {
			code = 0xDC00u | c->p[at];
			n = 1;
		}
		ZINC_TRY(zinc_char_json(code, out, err));
	}
	return zinc_buf_add(out, "\"", 1, err);
}

zinc_status
zinc_chars_print(const zinc_chars *c, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	if (how == ZINC_SPELL_JSON)
		return print_json(c, out, err);
	return how == ZINC_SPELL_REPR ? print_repr(c, out, err) : print_text(c, out, err);
}
