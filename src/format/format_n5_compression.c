/*
 * format_n5_compression.c - `compression` of N5 <-> a codec of the final version
 *
 *   raw                                   no codec
 *   gzip level, useZlib                   gzip, or numcodecs.zlib
 *   bzip2 blockSize                       numcodecs.bz2
 *   xz preset                             numcodecs.lzma
 *   lz4 blockSize                         n5_lz4
 *   lz4 acceleration                      numcodecs.lz4: zarr-python 2 writes this
 *   blosc cname, clevel, shuffle, ...     blosc
 *   zstd level                            zstd
 *
 * Members that are not there have the defaults of N5 in Java.  Other members do not change bytes, and are ignored.
 */
#include "format/format_n5.h"

struct parse {
	zinc_json_doc *doc;
	const zinc_json *v; /* the compression */
	size_t size;        /* of an element */
	zinc_json *out;     /* the configuration */
	const char *name;   /* of the codec */
	zinc_report *r;
	zinc_error *err;
};

/* ---- reading ---- */

/* An integer member, or `otherwise`. */
static zinc_status
number(const struct parse *p, const char *member, int64_t low, int64_t high, int64_t otherwise, int64_t *out)
{
	const zinc_json *v = zinc_json_member(p->v, member);

	*out = otherwise;
	if (!v || zinc_json_is(v, ZINC_JSON_NULL) || (zinc_json_i64(v, out) && *out >= low && *out <= high))
		return ZINC_OK;
	return zinc_report_error(p->r, "N5-7", p->err, "%s of the compression must be an integer from %lld to %lld",
				 member, (long long)low, (long long)high);
}

static zinc_status
set_number(struct parse *p, const char *member, int64_t v)
{
	return zinc_json_set(p->doc, p->out, member, zinc_json_make_i64(p->doc, v), p->err);
}

/* -1 is zlib's default, which is 6. */
static zinc_status
parse_gzip(struct parse *p)
{
	const zinc_json *zlib = zinc_json_member(p->v, "useZlib");
	bool use_zlib = false;
	int64_t level;

	ZINC_TRY(number(p, "level", -1, 9, -1, &level));
	if (zlib && !zinc_json_bool(zlib, &use_zlib))
		return zinc_report_error(p->r, "N5-7", p->err, "useZlib must be true or false");
	p->name = use_zlib ? "numcodecs.zlib" : "gzip";
	return set_number(p, "level", level < 0 ? 6 : level);
}

static zinc_status
parse_bzip2(struct parse *p)
{
	int64_t level;

	ZINC_TRY(number(p, "blockSize", 1, 9, 8, &level));
	return set_number(p, "level", level);
}

static zinc_status
parse_xz(struct parse *p)
{
	int64_t preset;

	ZINC_TRY(number(p, "preset", 0, 9, 6, &preset));
	ZINC_TRY(set_number(p, "format", 1));
	ZINC_TRY(set_number(p, "check", -1));
	ZINC_TRY(set_number(p, "preset", preset));
	return zinc_json_set(p->doc, p->out, "filters", zinc_json_make(p->doc, ZINC_JSON_NULL), p->err);
}

static zinc_status
parse_lz4(struct parse *p)
{
	const bool java = !zinc_json_member(p->v, "acceleration");
	int64_t n;

	if (java)
		ZINC_TRY(number(p, "blockSize", 0, 1 << 25, 65536, &n));
	else
		ZINC_TRY(number(p, "acceleration", INT32_MIN, INT32_MAX, 1, &n));
	p->name = java ? "n5_lz4" : "numcodecs.lz4";
	return set_number(p, java ? "blockSize" : "acceleration", n);
}

static zinc_status
parse_zstd(struct parse *p)
{
	int64_t level;

	ZINC_TRY(number(p, "level", -131072, 22, 3, &level));
	ZINC_TRY(set_number(p, "level", level));
	return zinc_json_set(p->doc, p->out, "checksum", zinc_json_make(p->doc, ZINC_JSON_FALSE), p->err);
}

/* Shuffle -1 leaves it to the writer: bits of single bytes, else bytes. */
static zinc_status
parse_blosc(struct parse *p)
{
	static const char *const shuffles[] = {"noshuffle", "shuffle", "bitshuffle"};
	const zinc_json *cname = zinc_json_member(p->v, "cname");
	int64_t clevel, shuffle, block;

	if (cname && !zinc_json_is(cname, ZINC_JSON_STRING))
		return zinc_report_error(p->r, "N5-7", p->err, "cname of the compression must be a string");
	ZINC_TRY(number(p, "clevel", 0, 9, 6, &clevel));
	ZINC_TRY(number(p, "shuffle", -1, 2, 0, &shuffle));
	ZINC_TRY(number(p, "blocksize", 0, INT32_MAX, 0, &block));
	if (shuffle < 0)
		shuffle = p->size == 1 ? 2 : 1;
	ZINC_TRY(zinc_json_set(p->doc, p->out, "cname", zinc_json_make_string(p->doc, cname ? cname->text : "blosclz"),
			       p->err));
	ZINC_TRY(set_number(p, "clevel", clevel));
	ZINC_TRY(zinc_json_set(p->doc, p->out, "shuffle", zinc_json_make_string(p->doc, shuffles[shuffle]), p->err));
	ZINC_TRY(set_number(p, "typesize", (int64_t)p->size));
	return set_number(p, "blocksize", block);
}

static const struct row {
	const char *type;
	zinc_status (*parse)(struct parse *p);
	const char *name; /* of the codec; NULL: the parser sets it */
} rows[] = {
    {"gzip", parse_gzip, NULL}, {"bzip2", parse_bzip2, "numcodecs.bz2"}, {"xz", parse_xz, "numcodecs.lzma"},
    {"lz4", parse_lz4, NULL},   {"blosc", parse_blosc, "blosc"},         {"zstd", parse_zstd, "zstd"},
};

static zinc_status
parse_type(struct parse *p, const char *type, zinc_json **out)
{
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows && strcmp(rows[i].type, type) != 0; i++)
		;
	if (i == sizeof rows / sizeof *rows)
		return zinc_report_unsupported(p->r, "N5-8", p->err, "compression \"%.60s\" is not known", type);
	p->name = rows[i].name;
	p->out = zinc_json_make(p->doc, ZINC_JSON_OBJECT);
	ZINC_TRY(rows[i].parse(p));
	*out = zinc_json_make(p->doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(p->doc, *out, "name", zinc_json_make_string(p->doc, p->name), p->err));
	return zinc_json_set(p->doc, *out, "configuration", p->out, p->err);
}

/* `v` is the compression, or the old `compressionType`, which is only a name. */
zinc_status
zinc_n5_codec_parse(zinc_json **out, zinc_json_doc *doc, const zinc_json *v, size_t size, zinc_report *r,
		    zinc_error *err)
{
	const zinc_json *type = zinc_json_is(v, ZINC_JSON_STRING) ? v : zinc_json_member(v, "type");
	struct parse p = {.doc = doc, .v = v, .size = size, .r = r, .err = err};

	*out = NULL;
	if (!zinc_json_is(type, ZINC_JSON_STRING))
		return zinc_report_error(r, "N5-7", err, "compression must be an object with a string \"type\"");
	return strcmp(type->text, "raw") == 0 ? ZINC_OK : parse_type(&p, type->text, out);
}

/* ---- writing ---- */

/* Which members of the codec's configuration the compression has, and under which names. */
static const struct print {
	const char *codec, *type;
	const char *members[5][2];
} prints[] = {
    {"gzip", "gzip", {{"level", "level"}}},
    {"numcodecs.zlib", "gzip", {{"level", "level"}}},
    {"numcodecs.bz2", "bzip2", {{"level", "blockSize"}}},
    {"numcodecs.lzma", "xz", {{"preset", "preset"}}},
    {"n5_lz4", "lz4", {{"blockSize", "blockSize"}}},
    {"numcodecs.lz4", "lz4", {{"acceleration", "acceleration"}}},
    {"blosc", "blosc", {{"cname", "cname"}, {"clevel", "clevel"}, {"blocksize", "blocksize"}}},
    {"zstd", "zstd", {{"level", "level"}}},
};

/* xz is one of the containers of LZMA, with its default filters. */
static bool
is_xz(const zinc_json *configuration)
{
	const zinc_json *filters = zinc_json_member(configuration, "filters");
	const zinc_json *v = zinc_json_member(configuration, "format");
	int64_t format = 1;

	(void)zinc_json_i64(v, &format);
	return format == 1 && (!filters || zinc_json_is(filters, ZINC_JSON_NULL));
}

static zinc_status
print_shuffle(zinc_json *out, zinc_json_doc *doc, const zinc_json *configuration, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(configuration, "shuffle");
	const uint64_t shuffle = zinc_json_is_string(v, "bitshuffle") ? 2 : zinc_json_is_string(v, "shuffle");

	return zinc_json_set(doc, out, "shuffle", zinc_json_make_u64(doc, shuffle), err);
}

static zinc_status
print_members(const struct print *row, zinc_json *out, zinc_json_doc *doc, const zinc_json *configuration,
	      zinc_error *err)
{
	size_t i;

	for (i = 0; i < 5 && row->members[i][0]; i++) {
		const zinc_json *v = zinc_json_member(configuration, row->members[i][0]);

		if (v && !zinc_json_is(v, ZINC_JSON_NULL))
			ZINC_TRY(zinc_json_set(doc, out, row->members[i][1], zinc_json_copy(doc, v), err));
	}
	if (strcmp(row->codec, "gzip") == 0 || strcmp(row->codec, "numcodecs.zlib") == 0)
		return zinc_json_set(
		    doc, out, "useZlib",
		    zinc_json_make(doc, strcmp(row->codec, "gzip") == 0 ? ZINC_JSON_FALSE : ZINC_JSON_TRUE), err);
	return strcmp(row->codec, "blosc") == 0 ? print_shuffle(out, doc, configuration, err) : ZINC_OK;
}

zinc_status
zinc_n5_codec_print(zinc_json **out, zinc_json_doc *doc, const zinc_codec *c, zinc_error *err)
{
	zinc_json *o = zinc_json_make(doc, ZINC_JSON_OBJECT), *configuration = NULL;
	const struct print *row = prints, *end = prints + sizeof prints / sizeof *prints;

	*out = NULL;
	while (c && row < end && strcmp(row->codec, c->ops->name) != 0)
		row++;
	if (row == end)
		return ZINC_OK;
	if (c)
		ZINC_TRY(zinc_codec_print(c, doc, &configuration, err));
	if (c && strcmp(row->type, "xz") == 0 && !is_xz(configuration))
		return ZINC_OK;
	ZINC_TRY(zinc_json_set(doc, o, "type", zinc_json_make_string(doc, c ? row->type : "raw"), err));
	if (c)
		ZINC_TRY(print_members(row, o, doc, configuration, err));
	*out = o;
	return ZINC_OK;
}
