/*
 * xml.c - a reader of XML documents that needs no memory
 *
 * Promises (tests/unit/test_xml.c names each by its number):
 *
 * (1) END comes only after a complete, well-formed document: elements closed in order, one root, strict UTF-8, no
 *     control characters, only known references.  A document that was cut off anywhere is BAD.
 * (2) A document type is BAD, so there are no entities to expand and no files to include.
 * (3) More than ZINC_XML_DEPTH elements inside each other are BAD.  Time is linear in the length.
 * (4) BAD is final, and its reason shows nothing of the document, which may hold secrets.
 *
 * Not checked, because no answer depends on it: that prefixes are declared and attributes are unique.  Attributes are
 * skipped, unless zinc_xml_has asks for one.
 */
#include "net/xml.h"

#define MAX_REFERENCE 12 /* "&#x0010FFFF;" */

static zinc_xml_event
bad(zinc_xml *x, const char *why)
{
	if (!x->why)
		x->why = why;
	x->name = x->text = NULL;
	x->nname = x->ntext = 0;
	return ZINC_XML_BAD;
}

static size_t
left(const zinc_xml *x)
{
	return (size_t)(x->end - x->at);
}

static bool
begins(const zinc_xml *x, const char *with)
{
	const size_t n = strlen(with);

	return left(x) >= n && memcmp(x->at, with, n) == 0;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void
skip_spaces(zinc_xml *x)
{
	while (x->at < x->end && is_space(*x->at))
		x->at++;
}

/* Move to the end of `mark`; false: there is none. */
static bool
skip_past(zinc_xml *x, const char *mark)
{
	const char *found = (const char *)memmem(x->at, left(x), mark, strlen(mark));

	if (!found)
		return false;
	x->at = found + strlen(mark);
	return true;
}

/* ---- the document as a whole ---- */

static bool
has_control(const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((unsigned char)p[i] < ' ' && !is_space(p[i]))
			return true;
	return false;
}

/* <?xml version="1.0" encoding="UTF-8"?>; the encoding may be missing. */
static void
take_declaration(zinc_xml *x)
{
	const char *from = x->at, *encoding;

	if (!begins(x, "<?xml") || left(x) < 6 || !is_space(x->at[5]))
		return;
	if (!skip_past(x, "?>")) {
		bad(x, "the XML declaration does not end");
		return;
	}
	encoding = (const char *)memmem(from, (size_t)(x->at - from), "encoding", 8);
	if (!encoding)
		return;
	encoding += 8;
	while (is_space(*encoding) || *encoding == '=')
		encoding++;
	if (strncasecmp(encoding + 1, "utf-8", 5) != 0 || (encoding[0] != '"' && encoding[0] != '\'') ||
	    encoding[6] != encoding[0])
		bad(x, "another encoding than UTF-8");
}

void
zinc_xml_init(zinc_xml *x, const char *bytes, size_t n)
{
	memset(x, 0, sizeof *x);
	x->at = bytes;
	x->end = n ? bytes + n : bytes;
	if (n && (!zinc_utf8_valid(bytes, n) || has_control(bytes, n))) {
		bad(x, "control characters, or not UTF-8");
		return;
	}
	if (begins(x, "\xef\xbb\xbf"))
		x->at += 3;
	take_declaration(x);
}

/* ---- references ---- */

static const struct {
	const char *text;
	char means;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

static int
digit_of(char c, unsigned base)
{
	const int v = c >= '0' && c <= '9'   ? c - '0'
		      : c >= 'a' && c <= 'f' ? c - 'a' + 10
		      : c >= 'A' && c <= 'F' ? c - 'A' + 10
					     : 16;

	return v < (int)base ? v : -1;
}

/* "#65;" or "#x41;" behind the '&'.  Characters that XML 1.0 cannot hold are accepted as references, except NUL: S3
 * writes keys so. */
static size_t
read_number(const char *p, size_t n, uint32_t *code)
{
	const unsigned base = n > 2 && p[2] == 'x' ? 16 : 10;
	size_t i = base == 16 ? 3 : 2;
	const size_t first = i;

	*code = 0;
	for (; i < n && i < MAX_REFERENCE && digit_of(p[i], base) >= 0; i++) {
		*code = *code * base + (uint32_t)digit_of(p[i], base);
		if (*code > 0x10ffff)
			return 0;
	}
	if (i == first || i == n || p[i] != ';' || *code == 0 || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return i + 1;
}

/* Length of the reference at `p`, its character in *code; 0: not a reference. */
static size_t
read_reference(const char *p, size_t n, uint32_t *code)
{
	size_t i;

	if (n > 1 && p[1] == '#')
		return read_number(p, n, code);
	for (i = 0; i < sizeof entities / sizeof entities[0]; i++)
		if (n >= strlen(entities[i].text) && memcmp(p, entities[i].text, strlen(entities[i].text)) == 0) {
			*code = (uint32_t)entities[i].means;
			return strlen(entities[i].text);
		}
	return 0;
}

static bool
has_good_references(const char *p, size_t n)
{
	const char *end = p + n;
	uint32_t code;
	size_t length;

	while ((p = (const char *)memchr(p, '&', (size_t)(end - p)))) {
		length = read_reference(p, (size_t)(end - p), &code);
		if (length == 0)
			return false;
		p += length;
	}
	return true;
}

/* ---- names and tags ---- */

/* Any character may be in a name that does not end it: names are only compared. */
static size_t
name_length(const zinc_xml *x)
{
	size_t n = 0;

	while (n < left(x) && !is_space(x->at[n]) && !strchr("<>/=&'\"?!;#", x->at[n]))
		n++;
	return n && !strchr("-.0123456789", x->at[0]) ? n : 0;
}

static void
set_name(zinc_xml *x, const char *p, size_t n)
{
	const char *colon = (const char *)memchr(p, ':', n);

	x->name = colon ? colon + 1 : p;
	x->nname = n - (size_t)(x->name - p);
}

/* name = "value"; false: malformed. */
static bool
skip_attribute(zinc_xml *x)
{
	const size_t n = name_length(x);
	const char *value, *close;
	char quote;

	x->at += n;
	skip_spaces(x);
	if (n == 0 || !begins(x, "="))
		return false;
	x->at++;
	skip_spaces(x);
	if (!begins(x, "\"") && !begins(x, "'"))
		return false;
	quote = *x->at++;
	value = x->at;
	close = (const char *)memchr(value, quote, left(x));
	if (!close || memchr(value, '<', (size_t)(close - value)) ||
	    !has_good_references(value, (size_t)(close - value)))
		return false;
	x->at = close + 1;
	return true;
}

/* Attributes, each after a space, up to '>' or "/>". */
static bool
skip_attributes(zinc_xml *x)
{
	const char *before;

	for (;;) {
		before = x->at;
		skip_spaces(x);
		if (x->at == x->end || *x->at == '>' || *x->at == '/')
			return true;
		if (before == x->at || !skip_attribute(x))
			return false;
	}
}

/* The attributes were accepted, and lie between the name and x->at. */
bool
zinc_xml_has(const zinc_xml *x, const char *name, const char *value)
{
	zinc_xml tag = {.at = x->name + x->nname, .end = x->at};
	const size_t nvalue = strlen(value);

	for (;;) {
		const char *from;
		size_t n;

		skip_spaces(&tag);
		from = tag.at;
		n = name_length(&tag);
		if (n == 0 || !skip_attribute(&tag))
			return false;
		if (n == strlen(name) && memcmp(from, name, n) == 0)
			return (size_t)(tag.at - from) > n + nvalue + 2 &&
			       tag.at[-2 - (ptrdiff_t)nvalue] == tag.at[-1] &&
			       memcmp(tag.at - 1 - nvalue, value, nvalue) == 0;
	}
}

static zinc_xml_event
open_element(zinc_xml *x)
{
	const char *name = ++x->at;
	const size_t n = name_length(x);

	if (n == 0)
		return bad(x, "a '<' that begins no tag");
	if (x->depth == 0 && x->started)
		return bad(x, "more than one root element");
	if (x->depth == ZINC_XML_DEPTH)
		return bad(x, "too many elements inside each other");
	x->at += n;
	if (!skip_attributes(x))
		return bad(x, "a malformed attribute");
	x->empty = begins(x, "/>");
	if (!x->empty && !begins(x, ">"))
		return bad(x, "a tag that does not end");
	x->at += x->empty ? 2 : 1;
	x->open[x->depth].p = name;
	x->open[x->depth].n = n;
	x->depth++;
	x->started = true;
	set_name(x, name, n);
	return ZINC_XML_OPEN;
}

/* The element that is open ends. */
static zinc_xml_event
leave(zinc_xml *x)
{
	x->depth--;
	x->empty = false;
	set_name(x, x->open[x->depth].p, x->open[x->depth].n);
	return ZINC_XML_CLOSE;
}

static zinc_xml_event
close_element(zinc_xml *x)
{
	size_t n;

	x->at += 2;
	n = name_length(x);
	if (x->depth == 0 || n != x->open[x->depth - 1].n || memcmp(x->at, x->open[x->depth - 1].p, n) != 0)
		return bad(x, "an end tag that closes no open element");
	x->at += n;
	skip_spaces(x);
	if (!begins(x, ">"))
		return bad(x, "a tag that does not end");
	x->at++;
	return leave(x);
}

/* ---- text, and what is skipped ---- */

/* All up to the next '<'.  Outside the root only spaces are allowed; true: they were skipped. */
static bool
take_text(zinc_xml *x, zinc_xml_event *event)
{
	const char *from = x->at, *next = (const char *)memchr(from, '<', left(x));
	const size_t n = next ? (size_t)(next - from) : left(x);

	x->at += n;
	if (x->depth == 0) {
		while (from < x->at && is_space(*from))
			from++;
		if (from == x->at)
			return true;
		*event = bad(x, "text outside of the root element");
		return false;
	}
	x->text = from;
	x->ntext = n;
	x->cdata = false;
	*event = memmem(from, n, "]]>", 3)       ? bad(x, "]]> in a text")
		 : !has_good_references(from, n) ? bad(x, "an unknown reference")
						 : ZINC_XML_TEXT;
	return false;
}

/* True: it is empty, so there is no event. */
static bool
take_cdata(zinc_xml *x, zinc_xml_event *event)
{
	const char *from = x->at + strlen("<![CDATA[");

	if (x->depth == 0 || !skip_past(x, "]]>")) {
		*event = bad(x, "a CDATA section that does not end or is outside of the root element");
		return false;
	}
	x->text = from;
	x->ntext = (size_t)(x->at - from) - 3;
	x->cdata = true;
	*event = ZINC_XML_TEXT;
	return x->ntext == 0;
}

/* <!-- comment --> and <?instruction?>.  True: skipped. */
static bool
skip_comment(zinc_xml *x, zinc_xml_event *event)
{
	const bool comment = begins(x, "<!--");

	x->at += comment ? 4 : 2;
	if (skip_past(x, comment ? "-->" : "?>"))
		return true;
	*event = bad(x, "a comment or instruction that does not end");
	return false;
}

/* What begins with '<'.  True: no event, go on. */
static bool
take_markup(zinc_xml *x, zinc_xml_event *event)
{
	if (begins(x, "<!--") || begins(x, "<?"))
		return skip_comment(x, event);
	if (begins(x, "<![CDATA["))
		return take_cdata(x, event);
	if (begins(x, "<!"))
		*event = bad(x, "a document type, which is not accepted");
	else
		*event = begins(x, "</") ? close_element(x) : open_element(x);
	return false;
}

zinc_xml_event
zinc_xml_next(zinc_xml *x)
{
	zinc_xml_event event = ZINC_XML_BAD;
	bool again = true;

	if (x->why)
		return ZINC_XML_BAD;
	x->name = x->text = NULL;
	x->nname = x->ntext = 0;
	if (x->empty)
		return leave(x);
	while (again) {
		if (x->at == x->end)
			return x->depth || !x->started ? bad(x, "the document ends too early") : ZINC_XML_END;
		again = *x->at == '<' ? take_markup(x, &event) : take_text(x, &event);
	}
	return event;
}

/* ---- for callers ---- */

bool
zinc_xml_is(const zinc_xml *x, const char *name)
{
	return x->name && x->nname == strlen(name) && memcmp(x->name, name, x->nname) == 0;
}

zinc_status
zinc_xml_fail(const zinc_xml *x, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_CORRUPT, "malformed XML: %s", x->why ? x->why : "an unexpected element");
}

/* One character at `p`, of which the length is returned, as it is meant: ends of lines are "\n". */
static size_t
decode(const zinc_xml *x, const char *p, size_t n, char out[4], size_t *nout)
{
	uint32_t code;
	size_t length;

	*nout = 1;
	out[0] = p[0];
	if (p[0] == '\r') {
		out[0] = '\n';
		return n > 1 && p[1] == '\n' ? 2 : 1;
	}
	if (p[0] != '&' || x->cdata)
		return 1;
	length = read_reference(p, n, &code);
	*nout = zinc_utf8_put(out, code);
	return length;
}

zinc_status
zinc_xml_text(const zinc_xml *x, zinc_buf *out, zinc_error *err)
{
	size_t i, n, run;
	char text[4];

	for (i = 0; i < x->ntext;) {
		for (run = i; run < x->ntext && x->text[run] != '&' && x->text[run] != '\r';)
			run++;
		ZINC_TRY(zinc_buf_add(out, x->text + i, run - i, err));
		i = run;
		if (i < x->ntext) {
			i += decode(x, x->text + i, x->ntext - i, text, &n);
			ZINC_TRY(zinc_buf_add(out, text, n, err));
		}
	}
	return ZINC_OK;
}

zinc_status
zinc_xml_value(zinc_xml *x, zinc_buf *out, zinc_error *err)
{
	zinc_xml_event e;

	while ((e = zinc_xml_next(x)) == ZINC_XML_TEXT)
		ZINC_TRY(zinc_xml_text(x, out, err));
	return e == ZINC_XML_CLOSE ? ZINC_OK : zinc_xml_fail(x, err);
}

zinc_status
zinc_xml_skip(zinc_xml *x, zinc_error *err)
{
	const int depth = x->depth;
	zinc_xml_event e;

	do
		e = zinc_xml_next(x);
	while (e != ZINC_XML_BAD && e != ZINC_XML_END && (e != ZINC_XML_CLOSE || x->depth >= depth));
	return e == ZINC_XML_CLOSE ? ZINC_OK : zinc_xml_fail(x, err);
}

/* Does the element that was opened match the component of the path at its depth?  *last: it is the last one. */
static bool
matches(const zinc_xml *x, const char *path, bool *last)
{
	int k;
	size_t n;

	for (k = 1; k < x->depth; k++)
		path += strcspn(path, "/") + 1;
	n = strcspn(path, "/");
	*last = path[n] == '\0';
	return n == x->nname && memcmp(path, x->name, n) == 0;
}

/* Elements that do not match are skipped, so the ancestors of an open one always match. */
static zinc_status
take_open(zinc_xml *x, const char *path, zinc_buf *out, bool *found, zinc_error *err)
{
	bool last;

	if (*found || !matches(x, path, &last))
		return zinc_xml_skip(x, err);
	if (!last)
		return ZINC_OK;
	*found = true;
	return zinc_xml_value(x, out, err);
}

zinc_status
zinc_xml_find(const char *bytes, size_t n, const char *path, zinc_buf *out, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	bool found = false;
	zinc_xml_event e;
	zinc_xml x;

	zinc_buf_end(out, 0);
	zinc_xml_init(&x, bytes, n);
	while (st == ZINC_OK && (e = zinc_xml_next(&x)) != ZINC_XML_END)
		if (e == ZINC_XML_BAD)
			st = zinc_xml_fail(&x, err);
		else if (e == ZINC_XML_OPEN)
			st = take_open(&x, path, out, &found, err);
	if (st == ZINC_OK && !found)
		st = zinc_fail(err, ZINC_E_NOTFOUND, "the document has no %s", path);
	if (st != ZINC_OK)
		zinc_buf_end(out, 0);
	return st;
}
