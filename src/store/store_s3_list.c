/*
 * store_s3_list.c - listing a bucket, page by page (ListObjectsV2)
 *
 * Promises (tests/unit/test_store_s3_list.c names each by its number):
 *
 * (1) All keys below the prefix are listed, each once, in byte order.  A server that lists them in another order, or one
 *     that lists the same page again, is an error.
 * (2) An answer that is cut or is no listing is an error, never the end of the listing.
 * (3) Names that are no keys, as those of directories that web consoles make, are reported as such, or skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "store/store_s3.h"

/* ---- parsing ---- */

/* A page while it is parsed. */
typedef struct parsing {
	zinc_web_page *out;
	zinc_xml x;
	zinc_buf value;
	bool escaped; /* names have %XX and '+' */
	zinc_error *err;
} parsing;

/* The text of the element that was just opened, in `value`. */
static zinc_status
take_value(parsing *p)
{
	p->value.n = 0;
	ZINC_TRY(zinc_xml_value(&p->x, &p->value, p->err));
	return zinc_buf_text(&p->value) ? ZINC_OK : zinc_fail_nomem(p->err);
}

static int
digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decode `value` in place. */
static zinc_status
unescape(parsing *p)
{
	uint8_t *s = p->value.p;
	size_t i, n = 0;

	if (!p->escaped || !s)
		return ZINC_OK;
	for (i = 0; i < p->value.n; i++) {
		int c = s[i] == '+' ? ' ' : s[i];

		if (s[i] == '%') {
			if (p->value.n - i < 3 || digit(s[i + 1]) < 0 || digit(s[i + 2]) < 0)
				return zinc_fail(p->err, ZINC_E_CORRUPT, "a listed name has a malformed escape");
			c = digit(s[i + 1]) * 16 + digit(s[i + 2]);
			i += 2;
		}
		s[n++] = (uint8_t)c;
	}
	zinc_buf_end(&p->value, n);
	return ZINC_OK;
}

/* Append `value` to the names, with a NUL. */
static zinc_status
add_name(parsing *p, size_t *at)
{
	return zinc_web_page_name(p->out, p->value.p, p->value.n, at, p->err);
}

static zinc_status
take_number(parsing *p, uint64_t *out)
{
	char *end;

	ZINC_TRY(take_value(p));
	*out = strtoull((const char *)p->value.p, &end, 10);
	if (p->value.n == 0 || p->value.n > 19 || *end || p->value.p[0] < '0' || p->value.p[0] > '9')
		return zinc_fail(p->err, ZINC_E_CORRUPT, "a listed size is no number");
	return ZINC_OK;
}

/* "2010-11-10T20:48:33.000Z" */
static zinc_status
take_date(parsing *p, int64_t *out)
{
	struct tm tm;

	memset(&tm, 0, sizeof tm);
	ZINC_TRY(take_value(p));
	if (sscanf((const char *)p->value.p, "%4d-%2d-%2dT%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec) != 6)
		return ZINC_OK;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*out = (int64_t)timegm(&tm);
	return ZINC_OK;
}

static zinc_status
take_entry_member(parsing *p, zinc_web_entry *e, bool *named)
{
	if (zinc_xml_is(&p->x, "Key") || zinc_xml_is(&p->x, "Prefix")) {
		if (*named)
			return zinc_fail(p->err, ZINC_E_CORRUPT, "a listed entry has two names");
		*named = true;
		ZINC_TRY(take_value(p));
		ZINC_TRY(unescape(p));
		return add_name(p, &e->name);
	}
	if (zinc_xml_is(&p->x, "UploadId")) {
		ZINC_TRY(take_value(p));
		return add_name(p, &e->id);
	}
	if (zinc_xml_is(&p->x, "Size"))
		return take_number(p, &e->nbytes);
	if (zinc_xml_is(&p->x, "Initiated"))
		return take_date(p, &e->begun);
	return zinc_xml_skip(&p->x, p->err);
}

/* Contents, CommonPrefixes or Upload. */
static zinc_status
take_entry(parsing *p, bool is_prefix)
{
	zinc_web_entry e = {.begun = -1, .is_prefix = is_prefix};
	zinc_xml_event event;
	bool named = false;

	while ((event = zinc_xml_next(&p->x)) != ZINC_XML_CLOSE) {
		if (event == ZINC_XML_BAD || event == ZINC_XML_END)
			return zinc_xml_fail(&p->x, p->err);
		if (event == ZINC_XML_OPEN)
			ZINC_TRY(take_entry_member(p, &e, &named));
	}
	if (!named)
		return zinc_fail(p->err, ZINC_E_CORRUPT, "a listed entry has no name");
	return zinc_buf_add(&p->out->entries, &e, sizeof e, p->err);
}

static zinc_status
take_truncated(parsing *p)
{
	ZINC_TRY(take_value(p));
	if (strcmp((const char *)p->value.p, "true") != 0 && strcmp((const char *)p->value.p, "false") != 0)
		return zinc_fail(p->err, ZINC_E_CORRUPT, "the server's listing does not say whether it is complete");
	p->out->truncated = p->value.p[0] == 't';
	return ZINC_OK;
}

/* Where to go on; a key is escaped, a token is not. */
static zinc_status
take_next(parsing *p, zinc_buf *to, bool escaped)
{
	ZINC_TRY(take_value(p));
	if (escaped)
		ZINC_TRY(unescape(p));
	to->n = 0;
	ZINC_TRY(zinc_buf_add(to, p->value.p, p->value.n, p->err));
	if (p->value.n && memchr(p->value.p, 0, p->value.n))
		return zinc_fail(p->err, ZINC_E_CORRUPT, "a token of the server has a zero byte");
	return zinc_buf_text(to) ? ZINC_OK : zinc_fail_nomem(p->err);
}

static zinc_status
take_member(parsing *p, bool *told)
{
	const zinc_xml *x = &p->x;

	if (zinc_xml_is(x, "Contents") || zinc_xml_is(x, "Upload"))
		return take_entry(p, false);
	if (zinc_xml_is(x, "CommonPrefixes"))
		return take_entry(p, true);
	if (zinc_xml_is(x, "IsTruncated")) {
		*told = true;
		return take_truncated(p);
	}
	if (zinc_xml_is(x, "NextContinuationToken"))
		return take_next(p, &p->out->next, false);
	if (zinc_xml_is(x, "NextKeyMarker"))
		return take_next(p, &p->out->next, true);
	if (zinc_xml_is(x, "NextUploadIdMarker"))
		return take_next(p, &p->out->next_id, false);
	return zinc_xml_skip(&p->x, p->err);
}

/* Names are escaped if the page says so, which it may do after the names. */
static zinc_status
find_encoding(parsing *p, const char *text, size_t n, const char *path)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st = zinc_xml_find(text, n, path, &p->value, &e);

	if (st != ZINC_OK && st != ZINC_E_NOTFOUND)
		return zinc_error_copy(p->err, &e);
	p->escaped = st == ZINC_OK && p->value.n == 3 && memcmp(p->value.p, "url", 3) == 0;
	return ZINC_OK;
}

static zinc_status
parse(parsing *p, const char *text, size_t n)
{
	zinc_xml_event e;
	bool told = false;

	zinc_xml_init(&p->x, text, n);
	if (zinc_xml_next(&p->x) != ZINC_XML_OPEN ||
	    (!zinc_xml_is(&p->x, "ListBucketResult") && !zinc_xml_is(&p->x, "ListMultipartUploadsResult")))
		return zinc_fail(p->err, ZINC_E_CORRUPT, "the server's answer is no listing");
	ZINC_TRY(find_encoding(p, text, n,
			       zinc_xml_is(&p->x, "ListBucketResult") ? "ListBucketResult/EncodingType"
								      : "ListMultipartUploadsResult/EncodingType"));
	while ((e = zinc_xml_next(&p->x)) != ZINC_XML_END) {
		if (e == ZINC_XML_BAD)
			return zinc_xml_fail(&p->x, p->err);
		if (e == ZINC_XML_OPEN)
			ZINC_TRY(take_member(p, &told));
	}
	return told ? ZINC_OK
		    : zinc_fail(p->err, ZINC_E_CORRUPT, "the server's listing does not say whether it is complete");
}

zinc_status
zinc_s3_parse_page(zinc_web_page *out, const char *text, size_t n, zinc_error *err)
{
	parsing p = {.out = out, .err = err};
	zinc_status st;

	out->names.n = out->entries.n = out->next.n = out->next_id.n = 0;
	out->truncated = false;
	zinc_buf_init(&p.value, out->names.ctx, ZINC_MAX_KEY);
	st = parse(&p, text, n);
	zinc_buf_fini(&p.value);
	return st;
}

/* ---- listing ---- */

static zinc_status
add_query(zinc_buf *q, const zinc_web_listing *l, const zinc_buf *token, zinc_error *err)
{
	if (token) {
		ZINC_TRY(zinc_buf_puts(q, "continuation-token=", err));
		ZINC_TRY(zinc_sigv4_escape(q, (const char *)token->p, token->n, false, err));
		ZINC_TRY(zinc_buf_puts(q, "&", err));
	}
	if (!l->to->key)
		ZINC_TRY(zinc_buf_puts(q, "delimiter=%2F&", err));
	ZINC_TRY(zinc_buf_puts(q, "encoding-type=url&list-type=2&prefix=", err));
	ZINC_TRY(zinc_sigv4_escape(q, l->base, strlen(l->base), false, err));
	return zinc_sigv4_escape(q, l->prefix, strlen(l->prefix), false, err);
}

static zinc_status
get_page(zinc_web_listing *l, const zinc_buf *token, zinc_web_page *out, zinc_error *err)
{
	zinc_web_call c = {.method = "GET", .reads = true};
	zinc_status st;
	zinc_buf q;

	zinc_buf_init(&q, l->web->ctx, ZINC_MAX_KEY);
	st = add_query(&q, l, token, err);
	c.query = (const char *)q.p;
	if (st == ZINC_OK)
		st = zinc_web_one(l->web, &c, l->wait, err);
	if (st == ZINC_OK)
		st = zinc_s3_parse_page(out, (const char *)c.text.p, c.text.n, err);
	zinc_web_call_fini(l->web, &c);
	zinc_buf_fini(&q);
	return st;
}

zinc_status
zinc_s3_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	s3_store *s = (s3_store *)self;
	zinc_web_listing l = {.web = &s->web,
			      .base = s->prefix,
			      .prefix = prefix,
			      .to = to,
			      .wait = wait,
			      .get = get_page,
			      .disorder = " (directory buckets do)"};

	return zinc_web_walk(&l, err);
}
