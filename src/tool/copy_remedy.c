/*
 * copy_remedy.c - what can be changed about a document that the target does not take
 *
 * Each remedy changes one thing.  Which of them helps, only the target's format can say: whoever uses them tries one,
 * and keeps it when the format has nothing more to say about that thing.  Choices of storage come first, from the
 * nearest substitute to the last resort; then content, which costs something.  No remedy changes a single value.
 */
#include <stdio.h>

#include "tool/copy.h"

#define DIMENSIONS "_ARRAY_DIMENSIONS"

struct remedy {
	zinc_json_doc *doc;
	zinc_json *root;
	zinc_json *holder; /* of a chain: the root, or the configuration of its shard */
	zinc_json *codecs; /* the chain */
	zinc_json *codec;  /* of those that are about one */
	char *what;
	size_t room;
};

static const char *
codec_name(const zinc_json *codec)
{
	const zinc_json *name = zinc_json_member(codec, "name");

	return zinc_json_is(name, ZINC_JSON_STRING) ? name->text : "?";
}

/* ---- codecs ---- */

/* The same list with one codec replaced, or left out. */
static bool
put_codec(struct remedy *m, zinc_json *instead)
{
	zinc_json *out = zinc_json_make(m->doc, ZINC_JSON_ARRAY), *v;

	for (v = m->codecs->first; v && out; v = v->next) {
		zinc_json *item = v == m->codec ? instead : zinc_json_copy(m->doc, v);

		if ((item || v != m->codec) && zinc_json_append(out, item, NULL) != ZINC_OK)
			return false;
	}
	return zinc_json_set(m->doc, m->holder, "codecs", out, NULL) == ZINC_OK;
}

/* A codec from its JSON text. */
static zinc_json *
make_codec(struct remedy *m, const char *text)
{
	zinc_json_doc *doc;
	zinc_json *v;

	if (zinc_json_parse(&doc, zinc_json_context(m->doc), text, strlen(text), 0, NULL) != ZINC_OK)
		return NULL;
	v = zinc_json_copy(m->doc, zinc_json_root(doc));
	zinc_json_free(doc);
	return v;
}

/* The level that the codec has, or 5. */
static uint64_t
level_of(const struct remedy *m)
{
	const zinc_json *v = zinc_json_member(zinc_json_member(m->codec, "configuration"), "level");
	uint64_t level = 5;

	return zinc_json_u64(v, &level) && level >= 1 && level <= 9 ? level : 5;
}

static bool
zstd_to_blosc(struct remedy *m)
{
	char text[160];

	if (strcmp(codec_name(m->codec), "zstd") != 0)
		return false;
	snprintf(text, sizeof text,
		 "{\"name\": \"blosc\", \"configuration\": {\"cname\": \"zstd\", \"clevel\": %u, \"shuffle\": "
		 "\"noshuffle\", \"typesize\": 1, \"blocksize\": 0}}",
		 (unsigned)level_of(m));
	snprintf(m->what, m->room, "codec zstd becomes blosc with zstd");
	return put_codec(m, make_codec(m, text));
}

/* Every version of Zarr has gzip. */
static bool
codec_to_gzip(struct remedy *m)
{
	const zinc_codec_ops *ops = zinc_codec_find(codec_name(m->codec));
	char text[80];

	if (!ops || ops->kind != ZINC_BYTES_BYTES || ops->fixed_size || strcmp(ops->name, "gzip") == 0)
		return false;
	snprintf(text, sizeof text, "{\"name\": \"gzip\", \"configuration\": {\"level\": %u}}", (unsigned)level_of(m));
	snprintf(m->what, m->room, "codec %.60s becomes gzip", codec_name(m->codec));
	return put_codec(m, make_codec(m, text));
}

/* Elements of variable length have codecs of their own, and no others. */
static bool
has_own_codec(const struct remedy *m)
{
	const zinc_json *type = zinc_json_member(m->root, "data_type");

	return zinc_json_is_string(type, "string") || zinc_json_is_string(type, "bytes");
}

/* What makes bytes of elements cannot be left out, only be the plain one. */
static bool
codec_to_bytes(struct remedy *m)
{
	const zinc_codec_ops *ops = zinc_codec_find(codec_name(m->codec));

	if (has_own_codec(m))
		return false;
	if (!ops || ops->kind != ZINC_ARRAY_BYTES || strcmp(ops->name, "bytes") == 0 ||
	    strcmp(ops->name, "sharding_indexed") == 0)
		return false;
	snprintf(m->what, m->room, "codec %.60s becomes bytes", codec_name(m->codec));
	return put_codec(m, make_codec(m, "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"));
}

static bool
codec_to_nothing(struct remedy *m)
{
	const zinc_codec_ops *ops = zinc_codec_find(codec_name(m->codec));

	if (ops && ops->kind == ZINC_ARRAY_BYTES)
		return false;
	snprintf(m->what, m->room, "codec %.60s is left out", codec_name(m->codec));
	return put_codec(m, NULL);
}

static bool
big_to_little(struct remedy *m)
{
	zinc_json *c = zinc_json_member(m->codec, "configuration");

	if (!zinc_json_is_string(zinc_json_member(c, "endian"), "big"))
		return false;
	snprintf(m->what, m->room, "big-endian elements become little-endian");
	return zinc_json_set(m->doc, c, "endian", zinc_json_make_string(m->doc, "little"), NULL) == ZINC_OK;
}

/* ---- grids and keys ---- */

static bool
unshard(struct remedy *m)
{
	snprintf(m->what, m->room, "shards become plain chunks of the inner shape");
	return zinc_cp_unshard(m->doc);
}

static bool
default_keys(struct remedy *m)
{
	const zinc_json *keys = zinc_json_member(m->root, "chunk_key_encoding");

	if (strcmp(codec_name(keys), "default") == 0)
		return false;
	snprintf(m->what, m->room, "chunk keys \"%.60s\" become those of the format", codec_name(keys));
	return zinc_json_set(m->doc, m->root, "chunk_key_encoding",
			     make_codec(m, "{\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}}"),
			     NULL) == ZINC_OK;
}

/* ---- content ---- */

/* Not a loss where they come back from the attribute. */
static bool
names_to_attribute(struct remedy *m)
{
	zinc_json *names = zinc_json_member(m->root, "dimension_names"), *attributes, *v;

	if (!zinc_json_is(names, ZINC_JSON_ARRAY))
		return false;
	for (v = names->first; v; v = v->next)
		if (!zinc_json_is(v, ZINC_JSON_STRING))
			return false;
	attributes = zinc_json_member(m->root, "attributes");
	if (!attributes) {
		attributes = zinc_json_make(m->doc, ZINC_JSON_OBJECT);
		if (zinc_json_set(m->doc, m->root, "attributes", attributes, NULL) != ZINC_OK)
			return false;
	}
	v = zinc_json_member(attributes, DIMENSIONS);
	if (v && !zinc_json_equal(v, names))
		return false;
	snprintf(m->what, m->room, "names of dimensions go into the attribute " DIMENSIONS);
	if (zinc_json_set(m->doc, attributes, DIMENSIONS, zinc_json_copy(m->doc, names), NULL) != ZINC_OK)
		return false;
	return zinc_json_remove(m->root, "dimension_names");
}

static bool
drop_names(struct remedy *m)
{
	snprintf(m->what, m->room, "names of dimensions");
	return zinc_json_remove(m->root, "dimension_names");
}

/* A NaN with bits of its own becomes the plain one, any other value nothing. */
static bool
plain_fill(struct remedy *m)
{
	zinc_json *fill = zinc_json_member(m->root, "fill_value");

	if (!zinc_json_is(fill, ZINC_JSON_STRING) || strncmp(fill->text, "0x", 2) != 0)
		return false;
	snprintf(m->what, m->room, "the bits of the fill value %.40s", fill->text);
	return zinc_json_set(m->doc, m->root, "fill_value", zinc_json_make_string(m->doc, "NaN"), NULL) == ZINC_OK;
}

static bool
zero_fill(struct remedy *m)
{
	zinc_json *type = zinc_json_member(m->root, "data_type");
	const zinc_dtype *t = NULL;
	zinc_report r;
	void *element;
	bool done = false;

	zinc_report_init_quiet(&r, zinc_json_context(m->doc), false);
	if (!type || zinc_dtype_parse(&t, zinc_json_context(m->doc), type, &r, NULL) != ZINC_OK)
		return false;
	element = zinc_dtype_fill_room(t, zinc_json_context(m->doc), NULL);
	if (element) {
		zinc_dtype_zero(t, element);
		snprintf(m->what, m->room, "the fill value");
		done = zinc_json_set(m->doc, m->root, "fill_value", t->ops->print_fill(t, element, m->doc), NULL) ==
		       ZINC_OK;
	}
	zinc_free(zinc_json_context(m->doc), element);
	zinc_dtype_free(t);
	return done;
}

/* The i-th member that the core specification does not name. */
static bool
drop_member(struct remedy *m, size_t i)
{
	static const char *const known[] = {
	    "zarr_format",     "node_type",          "shape",  "data_type",  "chunk_grid", "fill_value",
	    "dimension_names", "chunk_key_encoding", "codecs", "attributes", NULL};
	const char *const *k;
	zinc_json *v;

	for (v = m->root->first; v; v = v->next) {
		for (k = known; *k && strcmp(*k, v->key) != 0; k++)
			;
		if (*k || i-- > 0)
			continue;
		snprintf(m->what, m->room, "the member \"%.60s\"", v->key);
		return zinc_json_remove(m->root, v->key);
	}
	return false;
}

/* ---- the table ---- */

static const struct {
	bool (*try)(struct remedy *m);
	bool each_codec;
	zinc_copy_kind kind;
} table[] = {
    {unshard, false, ZINC_COPY_REPLACED},       {default_keys, false, ZINC_COPY_REPLACED},
    {zstd_to_blosc, true, ZINC_COPY_REPLACED},  {codec_to_gzip, true, ZINC_COPY_REPLACED},
    {big_to_little, true, ZINC_COPY_REPLACED},  {codec_to_nothing, true, ZINC_COPY_REPLACED},
    {codec_to_bytes, true, ZINC_COPY_REPLACED}, {names_to_attribute, false, ZINC_COPY_PLAN},
    {drop_names, false, ZINC_COPY_LOST},        {plain_fill, false, ZINC_COPY_LOST},
    {zero_fill, false, ZINC_COPY_LOST},
};

/* Of a chain so many codecs are looked at: first the inner chain of a shard, then the one around it. */
enum { ROWS = sizeof table / sizeof *table, CODECS = 16, TRIES = 2 * CODECS, MEMBERS = 32 };

/* Set holder, codecs and codec to number i of the two chains; codec NULL: there is none. */
static void
find_codec(struct remedy *m, size_t i)
{
	zinc_json *v;

	m->holder = m->root;
	m->codecs = zinc_json_member(m->root, "codecs");
	for (v = m->codecs && i < CODECS ? m->codecs->first : NULL; v; v = v->next)
		if (strcmp(codec_name(v), "sharding_indexed") == 0) {
			m->holder = zinc_json_member(v, "configuration");
			m->codecs = zinc_json_member(m->holder, "codecs");
			break;
		}
	m->codec = m->codecs ? zinc_json_item(m->codecs, i % CODECS) : NULL;
}

bool
zinc_cp_remedy(zinc_json_doc *doc, size_t i, bool *changed, zinc_copy_kind *kind, char *what, size_t room)
{
	struct remedy m = {.doc = doc, .root = zinc_json_root(doc), .what = what, .room = room};
	const size_t row = i / TRIES;

	what[0] = '\0';
	*changed = false;
	*kind = ZINC_COPY_LOST;
	if (i >= (size_t)ROWS * TRIES) {
		*changed = drop_member(&m, i - (size_t)ROWS * TRIES);
		return i < (size_t)ROWS * TRIES + MEMBERS;
	}
	*kind = table[row].kind;
	find_codec(&m, i % TRIES);
	if (m.codecs && (table[row].each_codec ? m.codec != NULL : i % TRIES == 0)) /* a group has none of it */
		*changed = table[row].try(&m);
	return true;
}
