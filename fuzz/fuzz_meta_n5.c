/*
 * fuzz_meta_n5.c - attributes.json of N5
 *
 * The stored form becomes the form in memory and back without a change of meaning; the form in memory meets the
 * conditions of meta.h.
 */
#include "format/format_n5.h"
#include "meta.h"

/* Stored -> in memory -> stored -> in memory: the second time gives the same.  *text is the form in memory. */
static bool
pack_again(zinc_json_doc *doc, zinc_buf *text)
{
	zinc_json_doc *back = NULL;
	zinc_buf stored;

	zinc_buf_init(&stored, text->ctx, 256u << 20);
	insist(zinc_format_n5.unpack(doc, NULL) == ZINC_OK);
	insist(zinc_json_print(zinc_json_root(doc), text, NULL) == ZINC_OK);
	if (zinc_json_is(zinc_json_root(doc), ZINC_JSON_OBJECT) && zinc_format_n5.pack(doc, NULL) == ZINC_OK) {
		insist(zinc_json_print(zinc_json_root(doc), &stored, NULL) == ZINC_OK);
		insist(zinc_json_parse(&back, text->ctx, (const char *)stored.p, stored.n, ZINC_V3_JSON, NULL) ==
		       ZINC_OK);
		insist(zinc_format_n5.unpack(back, NULL) == ZINC_OK && zinc_format_n5.unpack(doc, NULL) == ZINC_OK);
		insist(zinc_json_equal(zinc_json_root(back), zinc_json_root(doc)));
	}
	zinc_json_free(back);
	zinc_buf_fini(&stored);
	return text->n > 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_json_doc *doc = NULL;
	zinc_buf text;

	zinc_buf_init(&text, zinc_context_get(NULL), 256u << 20);
	if (zinc_json_parse(&doc, text.ctx, (const char *)data, size, ZINC_V3_JSON, NULL) == ZINC_OK &&
	    pack_again(doc, &text))
		(void)fuzz_meta(&zinc_format_n5, text.p, text.n);
	else
		(void)fuzz_meta(&zinc_format_n5, data, size);
	zinc_json_free(doc);
	zinc_buf_fini(&text);
	return 0;
}
