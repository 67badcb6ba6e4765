/*
 * store_az_list.c - listing a container, page by page (List Blobs)
 *
 * Promises (tests/unit/test_store_az_list.c names each by its number):
 *
 * (1) All keys below the prefix are listed, each once, in byte order; (2) and those of accounts with a hierarchical
 *     namespace too, which lists directories in another order: they are sorted first.
 * (3) An answer that is cut or is no listing is an error, never the end of the listing.
 * (4) Snapshots, versions, deleted blobs and directories are no keys.
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_az.h"

/* ---- parsing ---- */

/* A page while it is parsed. */
typedef struct parsing {
	zinc_web_page *out;
	zinc_xml x;
	zinc_buf value;
	bool folders;
	bool told; /* whether it goes on */
	zinc_error *err;
} parsing;

/* A blob while it is parsed. */
typedef struct entry {
	zinc_web_entry e;
	bool named, hidden;
} entry;

typedef zinc_status (*member_fn)(parsing *p, entry *e);

/* The text of the element that was just opened, in `value`. */
static zinc_status
take_value(parsing *p)
{
	p->value.n = 0;
	ZINC_TRY(zinc_xml_value(&p->x, &p->value, p->err));
	return zinc_buf_text(&p->value) ? ZINC_OK : zinc_fail_nomem(p->err);
}

static bool
is_text(const parsing *p, const char *text)
{
	return strcasecmp((const char *)p->value.p, text) == 0;
}

/* Call fn for each element inside of the one that was just opened. */
static zinc_status
each_member(parsing *p, entry *e, member_fn fn)
{
	zinc_xml_event event;

	while ((event = zinc_xml_next(&p->x)) != ZINC_XML_CLOSE) {
		if (event == ZINC_XML_BAD || event == ZINC_XML_END)
			return zinc_xml_fail(&p->x, p->err);
		if (event == ZINC_XML_OPEN)
			ZINC_TRY(fn(p, e));
	}
	return ZINC_OK;
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

/* Decode the %XX of `value` in place. */
static zinc_status
unescape(parsing *p)
{
	uint8_t *s = p->value.p;
	size_t i, n = 0;

	for (i = 0; i < p->value.n; i++) {
		int c = s[i];

		if (c == '%') {
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

/* <Name Encoded="true">: it has characters that XML has not. */
static zinc_status
take_name(parsing *p, entry *e)
{
	const bool encoded = zinc_xml_has(&p->x, "Encoded", "true");

	if (e->named)
		return zinc_fail(p->err, ZINC_E_CORRUPT, "a listed entry has two names");
	e->named = true;
	ZINC_TRY(take_value(p));
	if (encoded)
		ZINC_TRY(unescape(p));
	return zinc_web_page_name(p->out, p->value.p, p->value.n, &e->e.name, p->err);
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

static zinc_status
take_property(parsing *p, entry *e)
{
	if (zinc_xml_is(&p->x, "Content-Length"))
		return take_number(p, &e->e.nbytes);
	if (!zinc_xml_is(&p->x, "ResourceType"))
		return zinc_xml_skip(&p->x, p->err);
	ZINC_TRY(take_value(p));
	p->folders = true;
	e->hidden |= is_text(p, "directory");
	return ZINC_OK;
}

static zinc_status
take_metadata(parsing *p, entry *e)
{
	const bool folder = p->x.nname == 12 && strncasecmp(p->x.name, "hdi_isfolder", 12) == 0;

	if (!folder)
		return zinc_xml_skip(&p->x, p->err);
	ZINC_TRY(take_value(p));
	e->hidden |= is_text(p, "true");
	return ZINC_OK;
}

static zinc_status
take_member(parsing *p, entry *e)
{
	const zinc_xml *x = &p->x;

	if (zinc_xml_is(x, "Name"))
		return take_name(p, e);
	if (zinc_xml_is(x, "Properties"))
		return each_member(p, e, take_property);
	if (zinc_xml_is(x, "Metadata"))
		return each_member(p, e, take_metadata);
	if (zinc_xml_is(x, "Snapshot")) {
		ZINC_TRY(take_value(p));
		e->hidden |= p->value.n > 0;
		return ZINC_OK;
	}
	if (zinc_xml_is(x, "Deleted") || zinc_xml_is(x, "IsCurrentVersion")) {
		const bool deleted = zinc_xml_is(x, "Deleted");

		ZINC_TRY(take_value(p));
		e->hidden |= is_text(p, deleted ? "true" : "false");
		return ZINC_OK;
	}
	return zinc_xml_skip(&p->x, p->err);
}

/* Blob or BlobPrefix. */
static zinc_status
take_entry(parsing *p, entry *unused)
{
	const bool is_prefix = zinc_xml_is(&p->x, "BlobPrefix");
	entry e = {.e = {.begun = -1, .is_prefix = is_prefix}};

	(void)unused;
	if (!is_prefix && !zinc_xml_is(&p->x, "Blob"))
		return zinc_xml_skip(&p->x, p->err);
	ZINC_TRY(each_member(p, &e, take_member));
	if (!e.named)
		return zinc_fail(p->err, ZINC_E_CORRUPT, "a listed entry has no name");
	return e.hidden && !is_prefix ? ZINC_OK : zinc_buf_add(&p->out->entries, &e.e, sizeof e.e, p->err);
}

static zinc_status
take_marker(parsing *p)
{
	ZINC_TRY(take_value(p));
	p->told = true;
	p->out->truncated = p->value.n > 0;
	p->out->next.n = 0;
	if (p->value.n && memchr(p->value.p, 0, p->value.n))
		return zinc_fail(p->err, ZINC_E_CORRUPT, "a marker of the server has a zero byte");
	ZINC_TRY(zinc_buf_add(&p->out->next, p->value.p, p->value.n, p->err));
	return zinc_buf_text(&p->out->next) ? ZINC_OK : zinc_fail_nomem(p->err);
}

static zinc_status
parse(parsing *p, const char *text, size_t n)
{
	zinc_xml_event e;

	zinc_xml_init(&p->x, text, n);
	if (zinc_xml_next(&p->x) != ZINC_XML_OPEN || !zinc_xml_is(&p->x, "EnumerationResults"))
		return zinc_fail(p->err, ZINC_E_CORRUPT, "the server's answer is no listing");
	while ((e = zinc_xml_next(&p->x)) != ZINC_XML_END) {
		if (e == ZINC_XML_BAD)
			return zinc_xml_fail(&p->x, p->err);
		if (e != ZINC_XML_OPEN)
			continue;
		if (zinc_xml_is(&p->x, "Blobs"))
			ZINC_TRY(each_member(p, NULL, take_entry));
		else
			ZINC_TRY(zinc_xml_is(&p->x, "NextMarker") ? take_marker(p) : zinc_xml_skip(&p->x, p->err));
	}
	return p->told ? ZINC_OK
		       : zinc_fail(p->err, ZINC_E_CORRUPT, "the server's listing does not say whether it is complete");
}

zinc_status
zinc_az_parse_page(zinc_web_page *out, bool *folders, const char *text, size_t n, zinc_error *err)
{
	parsing p = {.out = out, .err = err};
	zinc_status st;

	out->names.n = out->entries.n = out->next.n = out->next_id.n = 0;
	out->truncated = false;
	zinc_buf_init(&p.value, out->names.ctx, ZINC_MAX_KEY);
	st = parse(&p, text, n);
	*folders = p.folders;
	zinc_buf_fini(&p.value);
	return st;
}

/* ---- listing ---- */

static zinc_status
add_query(zinc_buf *q, const zinc_web_listing *l, const zinc_buf *token, zinc_error *err)
{
	ZINC_TRY(zinc_buf_puts(q, "restype=container&comp=list&prefix=", err));
	ZINC_TRY(zinc_form_escape(q, l->base, err));
	ZINC_TRY(zinc_form_escape(q, l->prefix, err));
	if (!l->to->key)
		ZINC_TRY(zinc_buf_puts(q, "&delimiter=%2F", err));
	if (token) {
		ZINC_TRY(zinc_buf_puts(q, "&marker=", err));
		ZINC_TRY(zinc_form_escape(q, (const char *)token->p, err));
	}
	return zinc_buf_text(q) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
get_page(zinc_web_listing *l, const zinc_buf *token, zinc_web_page *out, zinc_error *err)
{
	zinc_web_call c = {.method = "GET", .reads = true};
	bool folders = false;
	zinc_status st;
	zinc_buf q;

	zinc_buf_init(&q, l->web->ctx, ZINC_MAX_KEY);
	st = add_query(&q, l, token, err);
	c.query = (const char *)q.p;
	if (st == ZINC_OK)
		st = zinc_web_one(l->web, &c, l->wait, err);
	if (st == ZINC_OK)
		st = zinc_az_parse_page(out, &folders, (const char *)c.text.p, c.text.n, err);
	l->unordered |= folders;
	zinc_web_call_fini(l->web, &c);
	zinc_buf_fini(&q);
	return st;
}

zinc_status
zinc_az_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	az_store *s = (az_store *)self;
	zinc_web_listing l = {.web = &s->web,
			      .base = s->prefix,
			      .prefix = prefix,
			      .to = to,
			      .wait = wait,
			      .get = get_page,
			      .disorder = ""};

	return zinc_web_walk(&l, err);
}
