/*
 * format_v2_codecs.c - filters and compressor of NumCodecs -> a chain of the final version
 *
 *   filters of elements      array->array codecs
 *   (bytes)                  put in between, with the byte order of the elements it sees
 *   filters of bytes         bytes->bytes codecs
 *   compressor               the last codec
 *
 * Arrays of the 2020 draft can have such filters, too: zarr-python stores them in an attribute.
 */
#include "format/format_v2.h"

static const zinc_json *
first_of(const zinc_json *filters)
{
	return zinc_json_is(filters, ZINC_JSON_ARRAY) ? filters->first : NULL;
}

/* The codec that turns elements of dtype "O" into bytes defines their type. */
const char *
zinc_v2_object_type(const zinc_json *filters)
{
	const zinc_json *f;

	for (f = first_of(filters); f; f = f->next) {
		const zinc_json *id = zinc_json_member(f, "id");

		if (zinc_json_is_string(id, "vlen-utf8") || zinc_json_is_string(id, "json2") ||
		    zinc_json_is_string(id, "categorize"))
			return "string";
		if (zinc_json_is_string(id, "vlen-bytes") || zinc_json_is_string(id, "vlen-array"))
			return "bytes";
	}
	return NULL;
}

/* The kinds of codecs in a chain: array->array, array->bytes, bytes->bytes. */
static zinc_codec_kind
kind_of(const char *id)
{
	const zinc_codec_ops *ops = zinc_codec_find_v2(id);

	if (ops)
		return ops->kind;
	return strncmp(id, "vlen-", 5) == 0 || strcmp(id, "json2") == 0 ? ZINC_ARRAY_BYTES : ZINC_ARRAY_ARRAY;
}

/* {"name": ..., "configuration": ...}; NULL when memory is out, which the next append reports. */
static zinc_json *
item_of(zinc_json_doc *doc, const char *name, zinc_json *configuration)
{
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT);

	if (zinc_json_set(doc, v, "name", zinc_json_make_string(doc, name), NULL) != ZINC_OK ||
	    zinc_json_set(doc, v, "configuration", configuration, NULL) != ZINC_OK)
		return NULL;
	return v;
}

/* An unknown id gets the name that zarr-python would use. */
static zinc_status
add(zinc_v2_codecs *c, const char *id, zinc_json *configuration)
{
	const zinc_codec_ops *ops = zinc_codec_find_v2(id);
	zinc_json *item = NULL;
	zinc_buf name;
	zinc_status st;

	zinc_buf_init(&name, zinc_json_context(c->doc), ZINC_JSON_KEY_MAX * 2);
	st = ops ? zinc_buf_puts(&name, ops->name, c->err) : zinc_buf_printf(&name, c->err, "numcodecs.%s", id);
	if (st == ZINC_OK && zinc_buf_text(&name))
		item = item_of(c->doc, zinc_buf_text(&name), configuration);
	zinc_buf_fini(&name);
	ZINC_TRY(st);
	c->n++;
	return zinc_json_append(c->list, item, c->err);
}

zinc_status
zinc_v2_add_codec(zinc_v2_codecs *c, const zinc_json *v)
{
	zinc_json *configuration = zinc_json_copy_plain(c->doc, v);

	(void)zinc_json_remove(configuration, "id");
	return add(c, zinc_json_member(v, "id")->text, configuration);
}

/* Such a compressor takes elements in the computer's byte order, and NumCodecs writes no others. */
zinc_status
zinc_v2_add_packer(zinc_v2_codecs *c, const zinc_json *v)
{
	ZINC_TRY(zinc_v2_add_codec(c, v));
	if (c->big && (!c->dtype || c->dtype->unit > 1))
		return zinc_report_unsupported(c->r, c->rule, c->err,
					       "compressor \"%.60s\" does not take big-endian elements",
					       zinc_json_member(v, "id")->text);
	return ZINC_OK;
}

bool
zinc_v2_packs(const zinc_json *compressor)
{
	const zinc_codec_ops *ops = zinc_codec_find_v2(zinc_json_member(compressor, "id")->text);

	return ops && ops->compresses && ops->kind == ZINC_ARRAY_BYTES;
}

zinc_status
zinc_v2_add_named(zinc_v2_codecs *c, const char *id, const zinc_json *configuration)
{
	return add(c, id,
		   configuration ? zinc_json_copy_plain(c->doc, configuration)
				 : zinc_json_make(c->doc, ZINC_JSON_OBJECT));
}

/* The byte order in a type string: '<' or '>'; 0: none, or a single byte. */
static char
order_of(const zinc_json *type)
{
	if (!zinc_json_is(type, ZINC_JSON_STRING) || (type->text[0] != '<' && type->text[0] != '>'))
		return 0;
	return type->text[1] && strcmp(type->text + 2, "1") == 0 ? 0 : type->text[0];
}

void
zinc_v2_filter_orders(const char *id, const zinc_json *filter, char *in, char *out)
{
	const bool astype = strcmp(id, "astype") == 0;

	*in = order_of(zinc_json_member(filter, astype ? "decode_dtype" : "dtype"));
	*out = order_of(zinc_json_member(filter, astype ? "encode_dtype" : "astype"));
}

/* Track the byte order of elements through a filter, in c->big.  NumCodecs reads the bytes as elements of the type that
 * the filter names, whatever they were before.  With another byte order the values would differ. */
static zinc_status
follow_order(zinc_v2_codecs *c, const zinc_json *f, const char *id)
{
	char in, out;
	const bool ordered = c->n > 0 || (c->dtype && c->dtype->unit > 1);

	zinc_v2_filter_orders(id, f, &in, &out);
	if (in && ordered && (in == '>') != c->big)
		return zinc_report_unsupported(c->r, c->rule, c->err,
					       "filter \"%.60s\" reads elements in the wrong byte order", id);
	if (out || in)
		c->big = (out ? out : in) == '>';
	return ZINC_OK;
}

/* With the byte order of the elements at this point of the chain. */
static zinc_status
add_bytes(zinc_v2_codecs *c)
{
	const bool plain = c->n == 0 && (!c->dtype || c->dtype->unit <= 1);
	zinc_json *item = zinc_json_make(c->doc, ZINC_JSON_OBJECT);
	zinc_json *configuration = zinc_json_make(c->doc, ZINC_JSON_OBJECT);
	zinc_json *endian = zinc_json_make_string(c->doc, c->big ? "big" : "little");

	c->n++;
	ZINC_TRY(zinc_json_set(c->doc, item, "name", zinc_json_make_string(c->doc, "bytes"), c->err));
	if (!plain) {
		ZINC_TRY(zinc_json_set(c->doc, configuration, "endian", endian, c->err));
		ZINC_TRY(zinc_json_set(c->doc, item, "configuration", configuration, c->err));
	}
	return zinc_json_append(c->list, item, c->err);
}

/* Filters of elements come first, then filters of bytes; the codec that makes bytes of elements is between them.  With
 * E_UNSUPPORTED the list is still a chain, but its elements are never read. */
zinc_status
zinc_v2_add_filters(zinc_v2_codecs *c, const zinc_json *filters)
{
	zinc_status st, unsupported = ZINC_OK;
	const zinc_json *f;
	bool bytes = false;

	for (f = first_of(filters); f; f = f->next) {
		const char *id = zinc_json_member(f, "id")->text;
		const zinc_codec_kind kind = kind_of(id);

		if (kind == ZINC_BYTES_BYTES && !bytes)
			ZINC_TRY(add_bytes(c));
		if (bytes && kind != ZINC_BYTES_BYTES)
			return zinc_report_unsupported(
			    c->r, c->rule, c->err,
			    "filter \"%.60s\" needs elements, but is after a filter that makes bytes", id);
		bytes = bytes || kind != ZINC_ARRAY_ARRAY;
		st = kind == ZINC_ARRAY_ARRAY ? follow_order(c, f, id) : ZINC_OK;
		unsupported = st == ZINC_OK ? unsupported : st;
		ZINC_TRY(zinc_v2_add_codec(c, f));
	}
	if (!bytes && !c->packed)
		ZINC_TRY(add_bytes(c));
	return unsupported;
}
