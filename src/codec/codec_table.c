/*
 * codec_table.c - the built-in codecs, one row each, and registered codecs
 *
 * A codec is one file codec_<name>.c and one line here.  A row stays if its library is missing from the build: its
 * metadata can be read, and the error of parsing names the library.
 */
#include <stdio.h>
#include <zinc/extend.h>

#include "codec/codec_parts.h"

static const void *const builtin[] = {
    &zinc_codec_bytes,
    &zinc_codec_transpose,
    &zinc_codec_gzip,
    &zinc_codec_blosc,
    &zinc_codec_zstd,
    &zinc_codec_crc32c,
    &zinc_codec_sharding,
    &zinc_codec_bitround,
    &zinc_codec_cast_value,
    &zinc_codec_scale_offset,
    &zinc_codec_packbits,
    &zinc_codec_vlen_utf8,
    &zinc_codec_vlen_bytes,
    &zinc_codec_reshape,
    &zinc_codec_squeeze,
    &zinc_codec_zfp,
    &zinc_codec_conditional,
    &zinc_codec_zarrs_vlen,
    &zinc_codec_zarrs_vlen_v2,
    &zinc_codec_n5_default,

    &zinc_codec_zlib,
    &zinc_codec_bz2,
    &zinc_codec_lzma,
    &zinc_codec_lz4,
    &zinc_codec_shuffle,
    &zinc_codec_crc32,
    &zinc_codec_adler32,
    &zinc_codec_fletcher32,
    &zinc_codec_jenkins_lookup3,
    &zinc_codec_delta,
    &zinc_codec_fixedscaleoffset,
    &zinc_codec_quantize,
    &zinc_codec_astype,
    &zinc_codec_categorize,
    &zinc_codec_v2_packbits,
    &zinc_codec_json2,
    &zinc_codec_zfpy,
    &zinc_codec_vlen_array,
    &zinc_codec_v2_gzip,
    &zinc_codec_v2_blosc,
    &zinc_codec_v2_zstd,
    &zinc_codec_v2_crc32c,
    &zinc_codec_v2_bitround,

    &zinc_codec_pcodec,
    &zinc_codec_jpeg,
    &zinc_codec_jpegxl,
    &zinc_codec_gdeflate,
    &zinc_codec_n5,
    &zinc_codec_n5_lz4,
};

static zinc_names
names_of(const void *row)
{
	const zinc_codec_ops *ops = row;

	return (zinc_names){.name = ops->name, .aliases = ops->aliases, .uris = ops->uris, .purpose = ops->purpose};
}

static zinc_table codecs = {.what = "a codec", ZINC_TABLE_ROWS(builtin), .names = names_of};

/* Is `name` "numcodecs.<id>"? */
static bool
is_numcodecs(const char *name, const char *id)
{
	static const char prefix[] = "numcodecs.";

	return strncmp(name, prefix, sizeof prefix - 1) == 0 && strcmp(name + sizeof prefix - 1, id) == 0;
}

const zinc_codec_ops *
zinc_codec_find(const char *name)
{
	return zinc_table_find(&codecs, name);
}

/* A codec whose configuration differs in v3 has two rows, and "numcodecs.<id>" is the one that reads the drafts'
 * configurations.  A registered codec may have any name. */
const zinc_codec_ops *
zinc_codec_find_uri(const char *uri, zinc_uri_match *match)
{
	const zinc_codec_ops *found = zinc_table_find_uri(&codecs, uri, match), *old;

	old = found && found->v2 ? zinc_codec_find_v2(found->v2) : NULL;
	return old && zinc_uri_among(old->uris, uri) == *match ? old : found;
}

const zinc_codec_ops *
zinc_codec_find_v2(const char *id)
{
	const zinc_codec_ops *ops, *found = NULL;
	size_t i;

	for (i = 0; (ops = zinc_table_row(&codecs, i)); i++) {
		if (is_numcodecs(ops->name, id))
			return ops;
		if (!found && ops->v2 && strcmp(ops->v2, id) == 0)
			found = ops;
	}
	return found;
}

zinc_status
zinc_codec_print_old(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	*out = NULL;
	if (c->ops->members_v2)
		return zinc_members_print(c->ops->members_v2, c, doc, out, err);
	return zinc_codec_print(c, doc, out, err);
}

zinc_status
zinc_codec_print_v2(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	zinc_json *o, *configuration = NULL;
	const zinc_json *m;

	*out = NULL;
	if (!c->ops->v2)
		return ZINC_OK;
	ZINC_TRY(zinc_codec_print_old(c, doc, &configuration, err));
	o = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(doc, o, "id", zinc_json_make_string(doc, c->ops->v2), err));
	for (m = configuration ? configuration->first : NULL; m; m = m->next)
		ZINC_TRY(zinc_json_set(doc, o, m->key, zinc_json_copy(doc, m), err));
	*out = o;
	return ZINC_OK;
}

bool
zinc_codec_registered(const zinc_codec_ops *ops)
{
	return !zinc_table_is_builtin(&codecs, ops);
}

zinc_status
zinc_codec_add(const zinc_codec_ops *ops, zinc_error *err)
{
	return zinc_table_add(&codecs, ops, err);
}

/* "endian, other", without URLs; truncated if there are too many, because people read it. */
static void
join_aliases(const zinc_codec_ops *ops, char *out, size_t cap)
{
	const char *const *alias;
	size_t n = 0;
	int more;

	out[0] = '\0';
	for (alias = ops->aliases; alias && *alias; alias++) {
		if (strstr(*alias, "://"))
			continue;
		more = snprintf(out + n, cap - n, "%s%s", n ? ", " : "", *alias);
		if (more < 0 || (size_t)more >= cap - n)
			return;
		n += (size_t)more;
	}
}

void
zinc_list_codecs(zinc_row_fn fn, void *arg)
{
	const zinc_codec_ops *ops;
	char also[128];
	size_t i;

	for (i = 0; (ops = zinc_table_row(&codecs, i)); i++) {
		join_aliases(ops, also, sizeof also);
		if (fn(arg, ops->name, also, ops->purpose ? ops->purpose : ""))
			return;
	}
}
