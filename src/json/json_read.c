/*
 * json_read.c - text -> document
 *
 * Promises (tests/unit/test_json_read.c names each by its number):
 *
 * (1) Exactly the texts of RFC 8259 in strict UTF-8 are accepted: no comments, no trailing commas, no byte order mark,
 *     no lone surrogates; NaN tokens only by a flag.
 * (2) The reader does not recurse, and stops as soon as a limit is exceeded: a million brackets cost no more than the
 *     limit of depth.
 * (3) Its time is O(n log n) in the length of the text, whatever the text.
 * (4) Every error has line and column.
 *
 * Values are linked into the tree as soon as they begin; `open` is the container that is being read.  Its parents are
 * found by their pointers, so no stack is needed:
 *
 *    {"a": [1, {"b": 2
 *    root   |  open = this object, its parent the array, its parent the root
 */
#include <stdio.h>

#include "json/json_impl.h"

struct reader {
	const char *start, *at, *end;
	zinc_json_doc *doc;
	zinc_json *open; /* the innermost container that is not closed yet */
	uint32_t depth;
	uint64_t nvalues;
	uint32_t flags;
	const zinc_limits *limits;
	zinc_error *err;
};

/* ---- errors ---- */

/* Line and column are counted from the start, so only a rejected text is scanned twice. */
static zinc_status __attribute__((format(printf, 3, 4)))
refuse(const struct reader *r, zinc_status st, const char *fmt, ...)
{
	size_t line = 1, column = 1;
	const char *s;
	char text[256];
	va_list args;

	for (s = r->start; s < r->at; s++) {
		if (*s == '\n') {
			line++;
			column = 1;
		} else if ((*s & 0xC0) != 0x80) /* count characters, not bytes */
			column++;
	}
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return zinc_fail(r->err, st, "JSON, line %zu, column %zu: %s", line, column, text);
}

static zinc_status
unexpected(const struct reader *r, const char *wanted)
{
	if (r->at == r->end)
		return refuse(r, ZINC_E_CORRUPT, "%s expected, but the text ends", wanted);
	if ((uint8_t)*r->at < 0x20 || (uint8_t)*r->at >= 0x7F)
		return refuse(r, ZINC_E_CORRUPT, "%s expected, not byte 0x%02x", wanted, (unsigned)(uint8_t)*r->at);
	return refuse(r, ZINC_E_CORRUPT, "%s expected, not '%c'", wanted, *r->at);
}

static void
skip_space(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
		r->at++;
}

/* If `c` is next, skip it. */
static bool
take(struct reader *r, char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* ---- strings ---- */

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* \uXXXX at r->at.  The closing quote is no digit, so this stops before the end of the string. */
static bool
read_unit(struct reader *r, uint32_t *unit)
{
	int i, h;

	if (r->at[0] != '\\' || r->at[1] != 'u')
		return false;
	*unit = 0;
	for (i = 2; i < 6; i++) {
		h = hex_value(r->at[i]);
		if (h < 0)
			return false;
		*unit = *unit << 4 | (uint32_t)h;
	}
	r->at += 6;
	return true;
}

/* `c` is no surrogate and at most U+10FFFF. */
static char *
put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800)
		*to++ = (char)(0xC0 | c >> 6);
	else {
		if (c < 0x10000)
			*to++ = (char)(0xE0 | c >> 12);
		else {
			*to++ = (char)(0xF0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3F));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3F));
	}
	*to++ = (char)(0x80 | (c & 0x3F));
	return to;
}

/* RFC 8259 section 7.  A character outside the BMP is two \u, a high and a low surrogate; one alone is invalid. */
static zinc_status
read_escape(struct reader *r, char **to)
{
	static const char named[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
	const char *at = (const char *)memchr(named, r->at[1], sizeof named - 1);
	uint32_t c, low;

	if (at) {
		*(*to)++ = plain[at - named];
		r->at += 2;
		return ZINC_OK;
	}
	if (!read_unit(r, &c))
		return refuse(r, ZINC_E_CORRUPT, "unknown escape");
	if (c >= 0xD800 && c <= 0xDFFF) {
		if (c >= 0xDC00 || !read_unit(r, &low) || low < 0xDC00 || low > 0xDFFF)
			return refuse(r, ZINC_E_CORRUPT, "an unpaired surrogate");
		c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
	}
	*to = put_utf8(*to, c);
	return ZINC_OK;
}

/* The bytes between the quotes, before decoding, or -1 when the text ends first. */
static ptrdiff_t
raw_length(const struct reader *r)
{
	size_t i, n = (size_t)(r->end - r->at);

	for (i = 0; i < n && r->at[i] != '"'; i++)
		if (r->at[i] == '\\')
			i++;
	return i < n ? (ptrdiff_t)i : -1;
}

/* Read a string whose opening quote is consumed.  Decoding never makes it longer. */
static zinc_status
read_string(struct reader *r, const char **out, size_t *n)
{
	ptrdiff_t raw = raw_length(r);
	const char *end = r->at + raw;
	char *to, *text;
	size_t len;

	if (raw < 0)
		return refuse(r, ZINC_E_CORRUPT, "the string is not closed");
	text = to = (char *)zinc_json_alloc(r->doc, (size_t)raw + 1, 1);
	if (!text)
		return zinc_fail_nomem(r->err);
	while (r->at < end) {
		if ((uint8_t)*r->at >= 0x20 && (uint8_t)*r->at < 0x80 && *r->at != '\\') {
			*to++ = *r->at++; /* nearly all of any document */
			continue;
		}
		if (*r->at == '\\') {
			ZINC_TRY(read_escape(r, &to));
			continue;
		}
		if ((uint8_t)*r->at < 0x20)
			return refuse(r, ZINC_E_CORRUPT, "a control character must be escaped in a string");
		len = zinc_utf8_next(r->at, (size_t)(end - r->at), NULL);
		if (len == 0)
			return refuse(r, ZINC_E_CORRUPT, "not valid UTF-8");
		memcpy(to, r->at, len);
		to += len;
		r->at += len;
	}
	r->at++;
	*to = '\0';
	*out = text;
	*n = (size_t)(to - text);
	return ZINC_OK;
}

/* ---- values ---- */

/* The token is stored as it is; it is converted later, to an integer or a double. */
static zinc_status
read_number(struct reader *r, zinc_json *v)
{
	const char *end = zinc_json_number_end(r->at, r->end);

	if (!end)
		return unexpected(r, "a value");
	v->type = ZINC_JSON_NUMBER;
	v->n = (size_t)(end - r->at);
	if (v->n > ZINC_JSON_NUMBER_MAX)
		return refuse(r, ZINC_E_LIMIT, "the number has more than %u characters", ZINC_JSON_NUMBER_MAX);
	v->text = zinc_json_text(r->doc, r->at, v->n);
	if (!v->text)
		return zinc_fail_nomem(r->err);
	r->at = end;
	return ZINC_OK;
}

/* null, true, false and NaN tokens, whose texts are these constants. */
static bool
read_word(struct reader *r, zinc_json *v)
{
	static const struct {
		const char *word;
		size_t n;
		zinc_json_type type;
	} words[] = {
	    {"null", 4, ZINC_JSON_NULL},  {"true", 4, ZINC_JSON_TRUE},       {"false", 5, ZINC_JSON_FALSE},
	    {"NaN", 3, ZINC_JSON_NUMBER}, {"Infinity", 8, ZINC_JSON_NUMBER}, {"-Infinity", 9, ZINC_JSON_NUMBER},
	};
	size_t i, nwords = r->flags & ZINC_JSON_NAN_TOKENS ? 6 : 3;

	for (i = 0; i < nwords; i++) {
		if (words[i].n > (size_t)(r->end - r->at) || memcmp(r->at, words[i].word, words[i].n) != 0)
			continue;
		v->type = words[i].type;
		if (v->type == ZINC_JSON_NUMBER) {
			v->text = words[i].word;
			v->n = words[i].n;
		}
		r->at += words[i].n;
		return true;
	}
	return false;
}

/* Rejected at the first bracket beyond the limit, before anything after it is read. */
static zinc_status
open_container(struct reader *r, zinc_json *v, zinc_json_type type)
{
	if (++r->depth > r->limits->json_depth)
		return refuse(r, ZINC_E_LIMIT, "nested deeper than %u", (unsigned)r->limits->json_depth);
	v->type = type;
	r->open = v;
	return ZINC_OK;
}

/* Read a value, or the start of a container, under the open container. */
static zinc_status
read_value(struct reader *r, const char *key, size_t nkey)
{
	zinc_json *v;

	skip_space(r);
	if (++r->nvalues > r->limits->json_values && !(r->flags & ZINC_JSON_ANY_SIZE))
		return refuse(r, ZINC_E_LIMIT, "more than %llu values", (unsigned long long)r->limits->json_values);
	v = zinc_json_node(r->doc, ZINC_JSON_NULL);
	if (!v)
		return zinc_fail_nomem(r->err);
	v->key = key;
	v->nkey = (uint32_t)nkey;
	if (r->open)
		zinc_json_link(r->open, v);
	else
		zinc_json_set_root(r->doc, v);
	if (take(r, '{'))
		return open_container(r, v, ZINC_JSON_OBJECT);
	if (take(r, '['))
		return open_container(r, v, ZINC_JSON_ARRAY);
	if (take(r, '"')) {
		v->type = ZINC_JSON_STRING;
		return read_string(r, &v->text, &v->n);
	}
	return read_word(r, v) ? ZINC_OK : read_number(r, v);
}

static zinc_status
read_member(struct reader *r)
{
	const char *key;
	size_t nkey;

	skip_space(r);
	if (!take(r, '"'))
		return unexpected(r, "a name in quotes");
	ZINC_TRY(read_string(r, &key, &nkey));
	if (nkey > ZINC_JSON_KEY_MAX)
		return refuse(r, ZINC_E_LIMIT, "the name has more than %u bytes", (unsigned)ZINC_JSON_KEY_MAX);
	skip_space(r);
	if (!take(r, ':'))
		return unexpected(r, "':'");
	return read_value(r, key, nkey);
}

/* The names of an object are checked when it is complete, so a duplicate is reported at its end. */
static zinc_status
close_container(struct reader *r)
{
	zinc_json *v = r->open;
	const char *duplicate = NULL;

	if (v->type == ZINC_JSON_OBJECT)
		ZINC_TRY(zinc_json_index(r->doc, v, &duplicate, r->err));
	if (duplicate && !(r->flags & ZINC_JSON_DUPLICATES))
		return refuse(r, ZINC_E_CORRUPT, "the object that ends here has \"%s\" twice", duplicate);
	if (!r->doc->duplicate)
		r->doc->duplicate = duplicate;
	r->open = v->parent;
	r->depth--;
	return ZINC_OK;
}

/* Inside a container: read its end or its next child. */
static zinc_status
step(struct reader *r)
{
	bool object = r->open->type == ZINC_JSON_OBJECT;

	skip_space(r);
	if (take(r, object ? '}' : ']'))
		return close_container(r);
	if (r->open->n > 0 && !take(r, ','))
		return unexpected(r, object ? "',' or '}'" : "',' or ']'");
	return object ? read_member(r) : read_value(r, NULL, 0);
}

static zinc_status
read_document(struct reader *r)
{
	size_t n = (size_t)(r->end - r->start);

	if (n > r->limits->json_bytes && !(r->flags & ZINC_JSON_ANY_SIZE))
		return zinc_fail(r->err, ZINC_E_LIMIT, "the JSON document has %zu bytes, more than the limit of %llu",
				 n, (unsigned long long)r->limits->json_bytes);
	ZINC_TRY(read_value(r, NULL, 0));
	while (r->open)
		ZINC_TRY(step(r));
	skip_space(r);
	return r->at == r->end ? ZINC_OK : unexpected(r, "the end");
}

zinc_status
zinc_json_parse(zinc_json_doc **out, zinc_context *ctx, const char *text, size_t n, uint32_t flags, zinc_error *err)
{
	struct reader r = {.flags = flags, .err = err};
	zinc_status st;

	ctx = zinc_context_get(ctx);
	r.start = r.at = n ? text : "";
	r.end = r.start + n;
	r.limits = &ctx->limits;
	ZINC_TRY(zinc_json_new(&r.doc, ctx, err));
	st = read_document(&r);
	if (st == ZINC_OK)
		*out = r.doc;
	else
		zinc_json_free(r.doc);
	return st;
}
