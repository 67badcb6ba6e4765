/*
 * format_v2_codecs.c - filters and compressor as NumCodecs spells them -> a chain of the final version
 *
 *   filters of elements      array->array codecs
 *   (bytes)                  put in between, with the byte order of the elements it sees
 *   filters of bytes         bytes->bytes codecs
 *   compressor               the last codec
 *
 * The drafts of 2020 have such filters, too: zarr-python keeps them in an attribute.
 */
#include "format/format_v2.h"

static const zinc_json *
first_of(const zinc_json *filters)
{
	return zinc_json_is(filters, ZINC_JSON_ARRAY) ? filters->first : NULL;
}

/* What elements of dtype "O" are is said by the codec that makes bytes of them. */
const char *
zinc_v2_object_type(const zinc_json *filters)
{
	const zinc_json *f;

	for (f = first_of(filters); f; f = f->next) {
		const zinc_json *id = zinc_json_member(f, "id");

		if (zinc_json_is_string(id, "vlen-utf8") || zinc_json_is_string(id, "json2") ||
		    zinc_json_is_string(id, "categorize"))
			return "string";
		if (zinc_json_is_string(id, "vlen-bytes"))
			return "bytes";
	}
	return NULL;
}

/* Kinds of codecs as a chain has them: array->array, array->bytes, bytes->bytes. */
static zinc_codec_kind
kind_of(const char *id)
{
	const zinc_codec_ops *ops = zinc_codec_find_v2(id);

	if (ops)
		return ops->kind;
	return strncmp(id, "vlen-", 5) == 0 || strcmp(id, "json2") == 0 ? ZINC_ARRAY_BYTES : ZINC_ARRAY_ARRAY;
}

/* {"name": ..., "configuration": ...}; NULL when memory is out, which the next append tells. */
static zinc_json *
item_of(zinc_json_doc *doc, const char *name, zinc_json *configuration)
{
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT);

	if (zinc_json_set(doc, v, "name", zinc_json_make_string(doc, name), NULL) != ZINC_OK ||
	    zinc_json_set(doc, v, "configuration", configuration, NULL) != ZINC_OK)
		return NULL;
	return v;
}

/* An id that this build does not know gets the name that zarr-python would give it. */
static zinc_status
add(zinc_v2_codecs *c, const char *id, zinc_json *configuration)
{
	const zinc_codec_ops *ops = zinc_codec_find_v2(id);
	zinc_json *item = NULL;
	zinc_buf name;
	zinc_status s;

	zinc_buf_init(&name, zinc_json_context(c->doc), ZINC_JSON_KEY_MAX * 2);
	s = ops ? zinc_buf_puts(&name, ops->name, c->err) : zinc_buf_printf(&name, c->err, "numcodecs.%s", id);
	if (s == ZINC_OK && zinc_buf_text(&name))
		item = item_of(c->doc, zinc_buf_text(&name), configuration);
	zinc_buf_fini(&name);
	ZINC_TRY(s);
	c->n++;
	return zinc_json_append(c->list, item, c->err);
}

zinc_status
zinc_v2_add_codec(zinc_v2_codecs *c, const zinc_json *v)
{
	zinc_json *configuration = zinc_v2_copy(c->doc, v);

	(void)zinc_json_remove(configuration, "id");
	return add(c, zinc_json_member(v, "id")->text, configuration);
}

zinc_status
zinc_v2_add_named(zinc_v2_codecs *c, const char *id, const zinc_json *configuration)
{
	return add(c, id,
		   configuration ? zinc_v2_copy(c->doc, configuration) : zinc_json_make(c->doc, ZINC_JSON_OBJECT));
}

/* Byte order of the elements that `bytes` sees: the type that the last filter makes, where it says so. */
static bool
is_big(const zinc_v2_codecs *c, const zinc_json *filters)
{
	const zinc_json *f, *type;
	bool big = c->big;

	for (f = first_of(filters); f; f = f->next) {
		const zinc_json *id = zinc_json_member(f, "id");

		if (!zinc_json_is(id, ZINC_JSON_STRING) || kind_of(id->text) != ZINC_ARRAY_ARRAY)
			continue;
		type = zinc_json_member(f, strcmp(id->text, "astype") == 0 ? "encode_dtype" : "astype");
		type = type ? type : zinc_json_member(f, "dtype");
		if (zinc_json_is(type, ZINC_JSON_STRING) && (type->text[0] == '<' || type->text[0] == '>'))
			big = type->text[0] == '>';
	}
	return big;
}

static zinc_status
add_bytes(zinc_v2_codecs *c, const zinc_json *filters)
{
	const bool plain = c->n == 0 && (!c->dtype || c->dtype->unit <= 1);
	zinc_json *item = zinc_json_make(c->doc, ZINC_JSON_OBJECT);
	zinc_json *configuration = zinc_json_make(c->doc, ZINC_JSON_OBJECT);
	zinc_json *endian = zinc_json_make_string(c->doc, is_big(c, filters) ? "big" : "little");

	c->n++;
	ZINC_TRY(zinc_json_set(c->doc, item, "name", zinc_json_make_string(c->doc, "bytes"), c->err));
	if (!plain) {
		ZINC_TRY(zinc_json_set(c->doc, configuration, "endian", endian, c->err));
		ZINC_TRY(zinc_json_set(c->doc, item, "configuration", configuration, c->err));
	}
	return zinc_json_append(c->list, item, c->err);
}

/* Filters run on elements first and then on bytes; the codec that makes bytes of elements stands between. */
zinc_status
zinc_v2_add_filters(zinc_v2_codecs *c, const zinc_json *filters)
{
	const zinc_json *f;
	bool bytes = false;

	for (f = first_of(filters); f; f = f->next) {
		const char *id = zinc_json_member(f, "id")->text;
		const zinc_codec_kind kind = kind_of(id);

		if (kind == ZINC_BYTES_BYTES && !bytes)
			ZINC_TRY(add_bytes(c, filters));
		if (bytes && kind != ZINC_BYTES_BYTES)
			return zinc_report_unsupported(c->r, c->rule, c->err,
						       "filter \"%.60s\" of elements behind one of bytes", id);
		bytes = bytes || kind != ZINC_ARRAY_ARRAY;
		ZINC_TRY(zinc_v2_add_codec(c, f));
	}
	return bytes ? ZINC_OK : add_bytes(c, filters);
}
