/*
 * chain_text.c - a caller's text for a chain -> the `codecs` member
 *
 *     zstd:5                            bytes, zstd
 *     transpose:1,0+blosc:lz4+crc32c    transpose, bytes, blosc, crc32c
 *     none, transpose:1,0+none          bytes, or the codec for elements of variable length
 *     [{"name": "gzip", ...}]           unchanged, with bytes added if it is missing
 *
 * Only the spelling is checked here; errors in the configuration are found when the result is parsed.
 */
#include "codec/codec_parts.h"

#define MOST_WORDS 8

/* The codec of an item of the list, bare or not; NULL: its name is unknown. */
static const zinc_codec_ops *
ops_of(const zinc_json *item)
{
	const zinc_json *name = zinc_json_is(item, ZINC_JSON_OBJECT) ? zinc_json_member(item, "name") : item;

	return zinc_json_is(name, ZINC_JSON_STRING) ? zinc_codec_find(name->text) : NULL;
}

/* May a codec of the list change the type of the elements? */
static bool
changes_type(const zinc_json *list)
{
	const zinc_json *item;

	for (item = list->first; item; item = item->next) {
		const zinc_codec_ops *ops = ops_of(item);

		if (ops && ops->kind == ZINC_ARRAY_ARRAY && !zinc_codec_reorders(ops) && !zinc_codec_reshapes(ops))
			return true;
	}
	return false;
}

/* The byte order is given if elements of several bytes may reach "bytes". */
static zinc_status
append_bytes(zinc_json_doc *doc, zinc_json *list, const zinc_rep *rep, bool big, zinc_error *err)
{
	static const char *const big_word[] = {"big"}, *const little_word[] = {"little"};
	const bool ordered = rep->dtype->unit > 1 || changes_type(list);
	zinc_json *configuration = NULL;

	ZINC_TRY(zinc_codec_bytes.parse_words(big ? big_word : little_word, ordered, rep, doc, &configuration, err));
	return zinc_codec_append(doc, list, zinc_codec_bytes.name, configuration, err);
}

/* Append the default array->bytes codec. */
static zinc_status
append_packer(zinc_json_doc *doc, zinc_json *list, const zinc_rep *rep, bool big, zinc_error *err)
{
	if (rep->dtype->kind == ZINC_KIND_STRING)
		return zinc_codec_append(doc, list, zinc_codec_vlen_utf8.name, NULL, err);
	if (rep->dtype->kind == ZINC_KIND_BYTES)
		return zinc_codec_append(doc, list, zinc_codec_vlen_bytes.name, NULL, err);
	return append_bytes(doc, list, rep, big, err);
}

static zinc_status
append_reversal(zinc_json_doc *doc, zinc_json *list, int ndim, zinc_error *err)
{
	zinc_json *o = zinc_json_make(doc, ZINC_JSON_OBJECT), *axes = zinc_json_make(doc, ZINC_JSON_ARRAY);
	int i;

	for (i = ndim; i-- > 0;)
		ZINC_TRY(zinc_json_append(axes, zinc_json_make_i64(doc, i), err));
	ZINC_TRY(zinc_json_set(doc, o, "order", axes, err));
	return zinc_codec_append(doc, list, zinc_codec_transpose.name, o, err);
}

/* ---- the two spellings ---- */

/* Parse "name:word:word", which is split at its colons in place. */
static zinc_status
read_short(char *text, const zinc_rep *rep, bool big, zinc_json_doc *doc, zinc_json *list, zinc_error *err)
{
	const char *words[MOST_WORDS];
	const zinc_codec_ops *ops;
	zinc_json *configuration = NULL;
	int n = 0;
	char *at;

	for (at = strchr(text, ':'); at; at = strchr(at, ':')) {
		*at++ = '\0';
		if (n == MOST_WORDS)
			return zinc_fail(err, ZINC_E_INVALID, "too many words after codec \"%.60s\"", text);
		words[n++] = at;
	}
	ops = zinc_codec_find(text);
	if (!ops)
		return zinc_fail(err, ZINC_E_INVALID, "there is no codec \"%.60s\"", text);
	if (ops == &zinc_codec_bytes && n == 0)
		return append_bytes(doc, list, rep, big, err);
	if (ops->parse_words)
		ZINC_TRY(ops->parse_words(words, n, rep, doc, &configuration, err));
	else if (n > 0 || ops->needs_configuration)
		return zinc_fail(err, ZINC_E_INVALID, "codec \"%s\" %s", ops->name,
				 n > 0 ? "takes no words" : "needs a configuration: give the codecs as JSON");
	return zinc_codec_append(doc, list, ops->name, configuration, err);
}

/* Parse codecs joined by '+'. */
static zinc_status
read_shorts(const char *text, const zinc_rep *rep, bool big, zinc_json_doc *doc, zinc_json *list, zinc_error *err)
{
	zinc_context *ctx = zinc_json_context(doc);
	char *copy, *at, *end;
	zinc_status st = ZINC_OK;

	copy = zinc_strdup(ctx, text);
	if (!copy)
		return zinc_fail_nomem(err);
	for (at = copy; at && st == ZINC_OK; at = end) {
		end = strchr(at, '+');
		if (end)
			*end++ = '\0';
		if (!end && strcmp(at, "none") == 0) /* no compressor after the codecs before it */
			break;
		st = read_short(at, rep, big, doc, list, err);
	}
	zinc_free(ctx, copy);
	return st;
}

static zinc_status
read_json(const char *text, zinc_json_doc *doc, zinc_json **list, zinc_error *err)
{
	zinc_json_doc *given = NULL;
	zinc_status st = zinc_json_parse(&given, zinc_json_context(doc), text, strlen(text), 0, err);

	if (st == ZINC_E_CORRUPT) { /* the text is a caller's, not stored */
		st = ZINC_E_INVALID;
		if (err)
			err->code = st;
	}
	ZINC_TRY(st);
	*list = zinc_json_copy(doc, zinc_json_root(given));
	zinc_json_free(given);
	return *list ? ZINC_OK : zinc_fail_nomem(err);
}

/* ---- what the caller left out ---- */

/* Must "bytes" be added?  Not if an unknown codec may be the array->bytes codec. */
static bool
lacks_packer(const zinc_json *list)
{
	const zinc_json *item;

	for (item = list->first; item; item = item->next) {
		const zinc_codec_ops *ops = ops_of(item);

		if (!ops || (ops->kind == ZINC_ARRAY_BYTES && !ops->bytes_behind))
			return false;
	}
	return true;
}

zinc_status
zinc_chain_parse_text(zinc_json **out, zinc_json_doc *doc, const char *text, const zinc_rep *rep, bool big,
		      bool fortran, zinc_error *err)
{
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY), *all = zinc_json_make(doc, ZINC_JSON_ARRAY);
	const zinc_json *item;
	bool lacking;

	if (!list || !all)
		return zinc_fail_nomem(err);
	if (text[0] == '[')
		ZINC_TRY(read_json(text, doc, &list, err));
	else
		ZINC_TRY(read_shorts(text, rep, big, doc, list, err));
	if (fortran && rep->ndim > 1)
		ZINC_TRY(append_reversal(doc, all, rep->ndim, err));
	lacking = lacks_packer(list);
	for (item = list->first; item; item = item->next) {
		if (lacking && ops_of(item)->kind == ZINC_BYTES_BYTES) {
			ZINC_TRY(append_packer(doc, all, rep, big, err));
			lacking = false;
		}
		ZINC_TRY(zinc_json_append(all, zinc_json_copy(doc, item), err));
	}
	if (lacking)
		ZINC_TRY(append_packer(doc, all, rep, big, err));
	*out = all;
	return ZINC_OK;
}

/* The usual index codecs: little-endian with a checksum, at the end. */
static zinc_status
make_index_codecs(zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY), *o = zinc_json_make(doc, ZINC_JSON_OBJECT);

	ZINC_TRY(zinc_json_set(doc, o, "endian", zinc_json_make_string(doc, "little"), err));
	ZINC_TRY(zinc_codec_append(doc, list, zinc_codec_bytes.name, o, err));
	ZINC_TRY(zinc_codec_append(doc, list, zinc_codec_crc32c.name, NULL, err));
	*out = list;
	return ZINC_OK;
}

zinc_status
zinc_chain_make_sharded(zinc_json **out, zinc_json_doc *doc, zinc_json *inner, const uint64_t *chunk_shape, int ndim,
			zinc_error *err)
{
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY), *o = zinc_json_make(doc, ZINC_JSON_OBJECT);
	zinc_json *index = NULL;

	ZINC_TRY(make_index_codecs(doc, &index, err));
	ZINC_TRY(zinc_json_set(doc, o, "chunk_shape", zinc_json_make_u64_list(doc, chunk_shape, ndim), err));
	ZINC_TRY(zinc_json_set(doc, o, "codecs", inner, err));
	ZINC_TRY(zinc_json_set(doc, o, "index_codecs", index, err));
	ZINC_TRY(zinc_json_set(doc, o, "index_location", zinc_json_make_string(doc, "end"), err));
	ZINC_TRY(zinc_codec_append(doc, list, zinc_codec_sharding.name, o, err));
	*out = list;
	return ZINC_OK;
}
