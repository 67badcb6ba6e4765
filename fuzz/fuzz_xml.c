/*
 * fuzz_xml.c - any bytes as an XML document
 *
 * (1) Events balance: after END every element that was opened was closed, by its own name.
 * (2) There are at most as many events as bytes, so reading always ends.
 * (3) Decoded text is never longer than the document, and is valid UTF-8.
 */
#include <string.h>

#include "net/xml.h"
#include "fuzz.h"

static void
check_text(const zinc_xml *x, size_t size)
{
	zinc_buf text;

	zinc_buf_init(&text, NULL, size);
	insist(zinc_xml_text(x, &text, NULL) == ZINC_OK); /* (3) */
	insist(zinc_utf8_valid((const char *)text.p, text.n));
	zinc_buf_fini(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = (char *)malloc(size ? size : 1); /* no byte after it, so that an overrun is detected */
	size_t events = 0;
	zinc_xml_event e;
	int depth = 0;
	zinc_buf out;
	zinc_xml x;

	insist(copy);
	if (size)
		memcpy(copy, data, size);
	zinc_xml_init(&x, copy, size);
	while ((e = zinc_xml_next(&x)) != ZINC_XML_END && e != ZINC_XML_BAD) {
		insist(++events <= size); /* (2) */
		depth += e == ZINC_XML_OPEN ? 1 : e == ZINC_XML_CLOSE ? -1 : 0;
		insist(depth == x.depth && depth >= 0 && depth <= ZINC_XML_DEPTH);
		insist((e == ZINC_XML_TEXT) == !x.name);
		if (e == ZINC_XML_TEXT)
			check_text(&x, size);
	}
	insist(e == ZINC_XML_BAD || (depth == 0 && events > 0)); /* (1) */
	zinc_buf_init(&out, NULL, size);
	(void)zinc_xml_find(copy, size, "Error/Code", &out, NULL);
	zinc_buf_fini(&out);
	free(copy);
	return 0;
}
