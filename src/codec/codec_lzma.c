/*
 * codec_lzma.c - the formats of Python's lzma: .xz streams, .lzma files, or bare filters
 *
 *     format 1, xz:     [fd 37 7a 58 5a 00][flags][blocks, each with its check][index][footer]
 *     format 2, alone:  [lc, lp, pb][dictionary size: 4][decoded size: 8, or all ff][LZMA, with a marker at its end]
 *     format 3, raw:    the output of the filters, and nothing else
 *
 * Promises (tests/unit/test_codec_lzma.c names each by its number):
 *
 * (1) The check of an xz block is always verified; a check that this build cannot compute is E_UNSUPPORTED.  The other
 *     two formats have none.
 * (2) Several consecutive xz streams are read, with the padding that the format allows; other bytes after the end are
 *     an error in all three formats.
 * (3) A dictionary never takes more than 64 MiB, the largest of any preset, or than the size of the elements if that is
 *     more: streams that need more are E_CORRUPT.
 * (4) Written dictionaries are not larger than the input, so that a small chunk needs little memory for writing and
 *     reading.  The bytes may therefore differ from Python's, but decode to the same.
 * (5) Coders are kept in the scratch, and their memory comes from our allocator.
 */
#include <inttypes.h>

#include "codec/codec_parts.h"

enum { FORMAT_XZ = 1, FORMAT_ALONE, FORMAT_RAW };
#define DEFAULT_PRESET 6
#define MAX_FILTERS    4

/* The configuration, -1: missing.  Every object begins with it. */
typedef struct settings {
	zinc_codec codec;
	int64_t format, check, preset;
	char *filters; /* the member as it was given, or NULL */
} settings;

/* Missing numbers are printed as null, as in numcodecs; a missing check is -1. */
static const zinc_member members[] = {
    {.name = "format",
     .type = ZINC_MEMBER_INT,
     .min = FORMAT_XZ,
     .max = FORMAT_RAW,
     .nullable = true,
     .fallback = FORMAT_XZ,
     .at = offsetof(settings, format)},
    {.name = "check",
     .type = ZINC_MEMBER_INT,
     .min = -1,
     .max = 15,
     .nullable = true,
     .fallback = -1,
     .at = offsetof(settings, check)},
    {.name = "preset",
     .type = ZINC_MEMBER_INT,
     .max = UINT32_MAX,
     .nullable = true,
     .fallback = -1,
     .print = ZINC_PRINT_NULL,
     .at = offsetof(settings, preset)},
    {.name = "filters", .print = ZINC_PRINT_NULL},
    {.name = NULL},
};

#if ZINC_WITH_LZMA
#define PURPOSE "LZMA: .xz, .lzma or bare filters, presets 0 to 9"

#include <lzma.h>

#define MIN_DICTIONARY 4096u
#define MAX_DICTIONARY (64 * ZINC_MIB)
#define STATE_BYTES    ZINC_MIB /* memory of a decoder besides its dictionary, with a margin */
enum { ENCODE, DECODE };        /* variants of the scratch's states */

typedef union options {
	lzma_options_lzma lzma;
	lzma_options_delta delta;
	lzma_options_bcj bcj;
} options;

typedef struct lzma_codec {
	settings set;
	int nfilters; /* none given: one filter, by the preset */
	lzma_vli id[MAX_FILTERS];
	options option[MAX_FILTERS];
} lzma_codec;

/* ---- filters from their description ---- */

#define FIELD(name_, member, min_, max_)                                                                               \
	{                                                                                                              \
		.name = name_, .type = ZINC_MEMBER_INT, .min = min_, .max = max_, .nullable = true, .fallback = -1,    \
		.at = offsetof(options, member)                                                                        \
	}

static const zinc_member id_field = {.name = "id", .type = ZINC_MEMBER_INT, .max = INT64_MAX, .required = true};
static const zinc_member preset_field = {
    .name = "preset", .type = ZINC_MEMBER_INT, .max = UINT32_MAX, .nullable = true, .fallback = DEFAULT_PRESET};

static const zinc_member lzma_fields[] = {
    {.name = "id"},
    {.name = "preset"},
    FIELD("dict_size", lzma.dict_size, MIN_DICTIONARY, (int64_t)1536 * 1024 * 1024),
    FIELD("lc", lzma.lc, 0, 4),
    FIELD("lp", lzma.lp, 0, 4),
    FIELD("pb", lzma.pb, 0, 4),
    FIELD("mode", lzma.mode, 1, 2),
    FIELD("nice_len", lzma.nice_len, 2, 273),
    FIELD("mf", lzma.mf, 3, 20),
    FIELD("depth", lzma.depth, 0, UINT32_MAX),
    {.name = NULL},
};
static const zinc_member delta_fields[] = {
    {.name = "id"},
    FIELD("dist", delta.dist, 1, 256),
    {.name = NULL},
};
static const zinc_member bcj_fields[] = {
    {.name = "id"},
    FIELD("start_offset", bcj.start_offset, 0, UINT32_MAX),
    {.name = NULL},
};

static bool
is_lzma(lzma_vli id)
{
	return id == LZMA_FILTER_LZMA1 || id == LZMA_FILTER_LZMA2;
}

/* The fields of a filter, all of 32 bits; NULL: unknown filter. */
static const zinc_member *
fields_of(lzma_vli id)
{
	if (is_lzma(id))
		return lzma_fields;
	if (id == LZMA_FILTER_DELTA)
		return delta_fields;
	return id >= LZMA_FILTER_X86 && id <= LZMA_FILTER_SPARC ? bcj_fields : NULL;
}

static zinc_status
parse_fields(const zinc_json *v, const zinc_member *f, options *o, const char *rule, zinc_report *r, zinc_error *err)
{
	ZINC_TRY(zinc_members_check(f, rule, v, r, err));
	for (; f->name; f++) {
		int64_t number = -1;
		uint32_t value;

		if (f->type != ZINC_MEMBER_OWN)
			ZINC_TRY(zinc_member_parse(f, rule, v, &number, r, err));
		value = (uint32_t)number;
		if (number >= 0)
			memcpy((uint8_t *)o + f->at, &value, sizeof value);
	}
	return ZINC_OK;
}

/* {"id": 33, "preset": 6, "dict_size": ...} */
static zinc_status
parse_filter(lzma_codec *z, const zinc_json *v, const char *rule, zinc_report *r, zinc_error *err)
{
	options *o = &z->option[z->nfilters];
	int64_t id, preset;

	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return zinc_report_error(r, rule, err, "a filter must be an object");
	ZINC_TRY(zinc_member_parse(&id_field, rule, v, &id, r, err));
	if (!fields_of((lzma_vli)id))
		return zinc_report_unsupported(r, rule, err, "lzma: filter %" PRId64 " is not known", id);
	ZINC_TRY(zinc_member_parse(&preset_field, rule, v, &preset, r, err));
	z->id[z->nfilters++] = (lzma_vli)id;
	if (is_lzma((lzma_vli)id) && lzma_lzma_preset(&o->lzma, (uint32_t)preset))
		return zinc_report_error(r, rule, err, "unknown preset %" PRId64, preset);
	if (id == LZMA_FILTER_DELTA)
		o->delta = (lzma_options_delta){.type = LZMA_DELTA_TYPE_BYTE, .dist = LZMA_DELTA_DIST_MIN};
	return parse_fields(v, fields_of((lzma_vli)id), o, rule, r, err);
}

static zinc_status
parse_filters(lzma_codec *z, const zinc_json *list, const char *rule, zinc_report *r, zinc_error *err)
{
	const zinc_json *v;
	size_t i = 0;

	if (list->n == 0 || list->n > MAX_FILTERS)
		return zinc_report_error(r, rule, err, "%zu filters; there must be 1 to %d", list->n, MAX_FILTERS);
	for (v = list->first; v; v = v->next, i++) {
		const size_t mark = zinc_report_enter_item(r, i);
		const zinc_status st = parse_filter(z, v, rule, r, err);

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

/* Without filters: one, by the preset. */
static zinc_status
default_filter(lzma_codec *z, const char *rule, zinc_report *r, zinc_error *err)
{
	if (z->set.format == FORMAT_RAW)
		return zinc_report_error(r, rule, err, "\"filters\" must be given for format 3");
	z->id[0] = z->set.format == FORMAT_ALONE ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA2;
	z->nfilters = 1;
	if (lzma_lzma_preset(&z->option[0].lzma, (uint32_t)(z->set.preset < 0 ? DEFAULT_PRESET : z->set.preset)))
		return zinc_report_error(r, rule, err, "unknown preset %" PRId64, z->set.preset);
	return ZINC_OK;
}

/* ---- filters for the library ---- */

/* Make the library's chain; dictionaries have at most `most` bytes.  The chain points to `o`. */
static void
make_filters(const lzma_codec *z, uint64_t most, lzma_filter *f, options *o)
{
	int i;

	memcpy(o, z->option, sizeof z->option);
	for (i = 0; i < z->nfilters; i++) {
		f[i] = (lzma_filter){.id = z->id[i], .options = &o[i]};
		if (is_lzma(z->id[i]) && o[i].lzma.dict_size > most)
			o[i].lzma.dict_size = (uint32_t)zinc_max_u64(most, MIN_DICTIONARY);
	}
	f[i] = (lzma_filter){.id = LZMA_VLI_UNKNOWN};
}

/* Does the library accept this chain in this format? */
static zinc_status
check_filters(const lzma_codec *z, const char *rule, zinc_report *r, zinc_error *err)
{
	lzma_filter f[MAX_FILTERS + 1];
	options o[MAX_FILTERS];
	bool fits = true;
	int i;

	make_filters(z, UINT32_MAX, f, o);
	if (z->set.format == FORMAT_ALONE)
		fits = z->nfilters == 1 && z->id[0] == LZMA_FILTER_LZMA1;
	for (i = 0; i < z->nfilters && z->set.format == FORMAT_XZ; i++)
		fits = fits && z->id[i] != LZMA_FILTER_LZMA1;
	if (!fits || lzma_raw_encoder_memusage(f) == UINT64_MAX || lzma_raw_decoder_memusage(f) == UINT64_MAX)
		return zinc_report_error(r, rule, err, "these filters are not valid for format %" PRId64,
					 z->set.format);
	return ZINC_OK;
}

/* ---- coders ---- */

/* A coder with its allocator, in the scratch. */
typedef struct coder {
	lzma_stream stream;
	lzma_allocator allocator;
} coder;

static void *
alloc_for_lzma(void *ctx, size_t n, size_t nbytes)
{
	size_t total;

	return zinc_size_mul(n, nbytes, &total) ? NULL : zinc_alloc((zinc_context *)ctx, total);
}

static void
free_for_lzma(void *ctx, void *p)
{
	zinc_free((zinc_context *)ctx, p);
}

static void
free_coder(void *state)
{
	coder *k = (coder *)state;

	lzma_end(&k->stream);
	zinc_free((zinc_context *)k->allocator.opaque, k);
}

/* The scratch's stream; NULL: no memory. */
static lzma_stream *
get_stream(zinc_scratch *s, int64_t variant)
{
	void **state = zinc_scratch_state(s, &zinc_codec_lzma, variant, free_coder);
	coder *k = (coder *)*state;

	if (k)
		return &k->stream;
	k = (coder *)zinc_calloc(s->ctx, 1, sizeof *k);
	if (!k)
		return NULL;
	k->allocator = (lzma_allocator){.alloc = alloc_for_lzma, .free = free_for_lzma, .opaque = s->ctx};
	k->stream = (lzma_stream)LZMA_STREAM_INIT;
	k->stream.allocator = &k->allocator;
	*state = k;
	return &k->stream;
}

/* ---- encoding ---- */

static lzma_ret
start_encoder(const lzma_codec *z, lzma_stream *stream, size_t nbytes)
{
	lzma_filter f[MAX_FILTERS + 1];
	options o[MAX_FILTERS];

	make_filters(z, nbytes, f, o);
	switch (z->set.format) {
	case FORMAT_XZ:
		return lzma_stream_encoder(stream, f, z->set.check < 0 ? LZMA_CHECK_CRC64 : (lzma_check)z->set.check);
	case FORMAT_ALONE:
		return lzma_alone_encoder(stream, &o[0].lzma);
	default:
		return lzma_raw_encoder(stream, f);
	}
}

static zinc_status
lzma_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	lzma_stream *stream = get_stream(s, ENCODE);
	lzma_ret result = stream ? start_encoder((const lzma_codec *)c, stream, in.n) : LZMA_MEM_ERROR;

	if (result == LZMA_OK) {
		stream->next_in = in.p;
		stream->avail_in = in.n;
	}
	while (result == LZMA_OK) {
		ZINC_TRY(zinc_buf_reserve(out, in.n / 2 + 1024, err));
		stream->next_out = out->p + out->n;
		stream->avail_out = out->cap - out->n;
		result = lzma_code(stream, LZMA_FINISH);
		out->n = (size_t)(stream->next_out - out->p);
	}
	if (result == LZMA_MEM_ERROR)
		return zinc_fail_nomem(err);
	if (result != LZMA_STREAM_END)
		return zinc_fail(err, ZINC_E_INVALID, "%zu bytes cannot be compressed (%d)", in.n, (int)result);
	return ZINC_OK;
}

/* ---- decoding ---- */

static lzma_ret
start_decoder(const lzma_codec *z, lzma_stream *stream, size_t most)
{
	const uint64_t memory = zinc_max_u64(most, MAX_DICTIONARY) + STATE_BYTES;
	lzma_filter f[MAX_FILTERS + 1];
	options o[MAX_FILTERS];

	switch (z->set.format) {
	case FORMAT_XZ:
		return lzma_stream_decoder(stream, memory, LZMA_TELL_UNSUPPORTED_CHECK | LZMA_CONCATENATED);
	case FORMAT_ALONE:
		return lzma_alone_decoder(stream, memory);
	default:
		make_filters(z, most, f, o); /* a match begins at the first byte at the earliest */
		return lzma_raw_decoder(stream, f);
	}
}

/* Translate the library's result. */
static zinc_status
check_result(lzma_ret result, zinc_error *err)
{
	switch (result) {
	case LZMA_OK:
	case LZMA_STREAM_END:
		return ZINC_OK;
	case LZMA_MEM_ERROR:
		return zinc_fail_nomem(err);
	case LZMA_UNSUPPORTED_CHECK:
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "liblzma cannot compute the check of this stream");
	case LZMA_MEMLIMIT_ERROR:
		return zinc_fail(err, ZINC_E_CORRUPT, "the dictionary is larger than the chunk can use");
	case LZMA_BUF_ERROR:
		return zinc_fail(err, ZINC_E_CORRUPT, "the stream ends too early");
	case LZMA_OPTIONS_ERROR:
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the stream has filters or flags that liblzma does not know");
	default:
		return zinc_fail(err, ZINC_E_CORRUPT, "not a valid stream, or a check of it is wrong");
	}
}

static zinc_status
lzma_decode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t need,
	    zinc_error *err)
{
	lzma_stream *stream = get_stream(s, DECODE);
	const size_t most = exact != SIZE_MAX ? exact : out->max;
	lzma_ret result = stream ? start_decoder((const lzma_codec *)c, stream, most) : LZMA_MEM_ERROR;
	zinc_decode_out pour = {.out = out, .exact = exact};
	uint8_t *to;
	size_t room;

	(void)need; /* checks are at the end */
	ZINC_TRY(check_result(result, err));
	stream->next_in = in.p;
	stream->avail_in = in.n;
	while (result != LZMA_STREAM_END) {
		ZINC_TRY(zinc_decode_out_room(&pour, &to, &room, err));
		stream->next_out = to;
		stream->avail_out = room;
		result = lzma_code(stream, LZMA_FINISH);
		ZINC_TRY(check_result(result, err));
		ZINC_TRY(zinc_decode_out_done(&pour, to, room - stream->avail_out, err));
	}
	if (stream->avail_in > 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes after the end", stream->avail_in);
	return zinc_decoded_size(out->n, exact, err);
}

static zinc_status
parse_list(lzma_codec *z, const zinc_json *filters, const char *rule, zinc_report *r, zinc_error *err)
{
	const size_t mark = zinc_report_enter(r, "filters");
	zinc_status st = parse_filters(z, filters, rule, r, err);

	if (st == ZINC_OK)
		st = check_filters(z, rule, r, err);
	zinc_report_leave(r, mark);
	return st;
}

/* Make the filters, from their list or (NULL) from the preset. */
static zinc_status
finish(settings *x, const zinc_json *filters, const char *rule, zinc_report *r, zinc_error *err)
{
	lzma_codec *z = (lzma_codec *)x;

	if (x->check >= 0 && !lzma_check_is_supported((lzma_check)x->check))
		return zinc_report_unsupported(r, rule, err, "lzma: check %" PRId64 " is not in liblzma", x->check);
	return filters ? parse_list(z, filters, rule, r, err) : default_filter(z, rule, r, err);
}

static bool
lzma_verifies(const zinc_codec *c)
{
	const lzma_codec *z = (const lzma_codec *)c;

	return z->set.format == FORMAT_XZ && z->set.check != LZMA_CHECK_NONE;
}

static const zinc_bytes_ops lzma_ops = {
    .bound = zinc_bound_compressed,
    .encode = lzma_encode,
    .decode = lzma_decode,
    .verifies = lzma_verifies,
};
#define CODER        (&lzma_ops)
#define OBJECT_BYTES sizeof(lzma_codec)

#else
#define PURPOSE      "LZMA; not in this build"
#define CODER        NULL /* without the library no codec is made */
#define OBJECT_BYTES sizeof(settings)

static zinc_status
finish(settings *x, const zinc_json *filters, const char *rule, zinc_report *r, zinc_error *err)
{
	(void)x, (void)filters, (void)rule;
	return zinc_report_unsupported(r, "M20", err, "lzma: built without liblzma");
}
#endif

/* ---- configuration ---- */

static void
lzma_free(zinc_codec *c)
{
	zinc_free(c->ctx, ((settings *)c)->filters);
	zinc_free(c->ctx, c);
}

static zinc_status
lzma_check_members(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
		   zinc_error *err)
{
	const zinc_json *filters = zinc_json_member(configuration, "filters");
	const char *rule = c->ops->v2;
	settings *x = (settings *)c;

	(void)in, (void)out;
	if (zinc_json_is(filters, ZINC_JSON_NULL))
		filters = NULL;
	if (filters && filters->type != ZINC_JSON_ARRAY)
		return zinc_report_error(r, rule, err, "\"filters\" must be an array or null");
	if (x->format != FORMAT_XZ && x->check > 0)
		return zinc_report_error(r, rule, err, "only format 1 has a \"check\"");
	if (filters && x->preset >= 0)
		return zinc_report_error(r, rule, err, "\"preset\" and \"filters\" exclude each other");
	if (filters)
		ZINC_TRY(zinc_user_text(&x->filters, c->ctx, filters, err));
	return finish(x, filters, rule, r, err);
}

static zinc_status
lzma_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const settings *x = (const settings *)c;
	zinc_json *filters = NULL;

	ZINC_TRY(zinc_members_print(members, x, doc, out, err));
	if (!x->filters)
		return ZINC_OK;
	ZINC_TRY(zinc_user_json(&filters, doc, x->filters, err));
	return zinc_json_set(doc, *out, "filters", filters, err);
}

/* "numcodecs.lzma", "numcodecs.lzma:9". */
static zinc_status
lzma_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		 zinc_error *err)
{
	(void)in;
	return zinc_words_int(zinc_codec_lzma.name, words, nwords, "preset", 0, 9, DEFAULT_PRESET, doc, out, err);
}

const zinc_codec_ops zinc_codec_lzma = {
    .name = "numcodecs.lzma",
    .v2 = "lzma",
    .uris = ZINC_CODEC_URIS("lzma"),
    .purpose = PURPOSE,
    .kind = ZINC_BYTES_BYTES,
    .members = members,
    .nbytes = OBJECT_BYTES,
    .check = lzma_check_members,
    .print = lzma_print,
    .parse_words = lzma_parse_words,
    .free = lzma_free,
    .bytes = CODER,
};
