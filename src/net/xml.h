/*
 * xml.h - reading XML documents of servers (xml.c): answers of S3 and STS
 *
 *     zinc_xml_init(&x, bytes, n);
 *     while ((e = zinc_xml_next(&x)) == ZINC_XML_OPEN || e == ZINC_XML_CLOSE || e == ZINC_XML_TEXT)
 *             ...
 *     e is END, or BAD with x.why
 */
#ifndef ZINC_XML_H
#define ZINC_XML_H

#include "base/base.h"

#define ZINC_XML_DEPTH 32 /* elements inside each other; S3 has 5 */

typedef enum zinc_xml_event {
	ZINC_XML_OPEN,  /* <a>, and <a/>, which a CLOSE follows */
	ZINC_XML_CLOSE, /* </a> */
	ZINC_XML_TEXT,  /* a piece of text, never empty; one text may come in several pieces */
	ZINC_XML_END,   /* the document is complete */
	ZINC_XML_BAD    /* not an XML document, or more than this reader accepts; all later events are BAD too */
} zinc_xml_event;

/* A position in a document.  It points into the bytes, which must stay; there is nothing to free. */
typedef struct zinc_xml {
	const char *name; /* OPEN, CLOSE: the name without its prefix; not NUL-terminated */
	size_t nname;
	int depth;       /* open elements, including that of OPEN, excluding that of CLOSE */
	const char *why; /* BAD: what is wrong; contains nothing of the document */
	/* the rest is of xml.c */
	const char *at, *end;
	const char *text;
	size_t ntext;
	bool cdata;   /* the text has no references */
	bool empty;   /* <a/>: its CLOSE is next */
	bool started; /* the first element was found */
	struct {
		const char *p; /* the name with its prefix */
		size_t n;
	} open[ZINC_XML_DEPTH];
} zinc_xml;

void zinc_xml_init(zinc_xml *x, const char *bytes, size_t n);
zinc_xml_event zinc_xml_next(zinc_xml *x);
/* Is the name of an OPEN or CLOSE equal to this one? */
bool zinc_xml_is(const zinc_xml *x, const char *name);
/* After OPEN: does it have this attribute? */
bool zinc_xml_has(const zinc_xml *x, const char *name, const char *value);
/* Append a TEXT to `out`, with its references decoded.  E_LIMIT, E_NOMEM. */
zinc_status zinc_xml_text(const zinc_xml *x, zinc_buf *out, zinc_error *err);
/* After OPEN: append the whole text of the element to `out` and move past its CLOSE.  E_CORRUPT also if it contains an
 * element. */
zinc_status zinc_xml_value(zinc_xml *x, zinc_buf *out, zinc_error *err);
/* After OPEN: move past its CLOSE. */
zinc_status zinc_xml_skip(zinc_xml *x, zinc_error *err);
/* E_CORRUPT that says what is wrong. */
zinc_status zinc_xml_fail(const zinc_xml *x, zinc_error *err);

/* The text of the first element at a path of names, from the outermost on: "Error/Code".  The whole document is read:
 * E_CORRUPT if it is BAD anywhere, E_NOTFOUND without such an element; then `out` is empty. */
zinc_status zinc_xml_find(const char *bytes, size_t n, const char *path, zinc_buf *out, zinc_error *err);

#endif
