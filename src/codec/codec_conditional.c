/*
 * codec_conditional.c - codecs that are applied to some chunks and not to others
 *
 *     [bit i of the header: codec i was applied][bytes]        bit 0 is the lowest of the first byte
 *
 *     three codecs, the second was applied  ->  02 | its output
 *
 * Promises (tests/unit/test_codec_conditional.c names each by its number):
 *
 * (1) Encoding applies a codec if its output is smaller than its input; each codec gets the output of those before it.
 * (2) A bit that belongs to no codec must be 0.
 * (3) Every order of codecs decodes, also with a checksum before the bytes of another codec.
 * (4) Decoding needs no more memory than the codecs could have made of the chunk, and errors name the codec inside.
 */
#include "codec/codec_parts.h"

#define RULE      "conditional"
#define MOST_BITS 65536 /* of the header: more than any writer has a use for */
#define DEEPEST   4     /* conditional in conditional */

typedef struct conditional_codec {
	zinc_codec codec;
	int64_t header_bits;
	size_t n;
	zinc_codec **of; /* in encode order */
	int depth;       /* 1: none of them is conditional */
} conditional_codec;

static const zinc_member members[] = {
    {.name = "codecs"},
    {.name = "header_bits", .type = ZINC_MEMBER_INT, .max = INT64_MAX, .at = offsetof(conditional_codec, header_bits)},
    {.name = NULL},
};

/* ---- configuration ---- */

static int64_t
default_bits(size_t n)
{
	return (int64_t)zinc_ceil_div(n, 8) * 8;
}

static void
conditional_free(zinc_codec *c)
{
	conditional_codec *x = (conditional_codec *)c;
	size_t i;

	for (i = 0; i < x->n; i++)
		zinc_codec_free(x->of[i]);
	zinc_free(c->ctx, x->of);
	zinc_free(c->ctx, x);
}

/* An ignorable unknown codec keeps its bit, so it cannot be ignored here. */
static zinc_status
parse_item(conditional_codec *x, const zinc_json *v, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	const zinc_codec_ops *ops;
	zinc_rep out = *in;
	zinc_extension ext;
	zinc_codec *c = NULL;

	ZINC_TRY(zinc_codec_look_up(&ext, &ops, v, r, err));
	if (!ops)
		return zinc_report_unsupported(r, "M20", err, "codec \"%.200s\" is not known", ext.name);
	if (ops->kind != ZINC_BYTES_BYTES)
		return zinc_report_error(r, RULE, err, "\"%s\" is no bytes->bytes codec", ops->name);
	ZINC_TRY(zinc_codec_parse(&c, ops, x->codec.ctx, ext.configuration, in, &out, r, err));
	x->of[x->n++] = c;
	if (x->n > 1 && zinc_codec_needs_size(c))
		return zinc_report_error(r, RULE, err, "\"%s\" stores no size, so it must be the first of the list",
					 ops->name);
	if (c->ops == &zinc_codec_conditional && ((const conditional_codec *)c)->depth >= x->depth)
		x->depth = ((const conditional_codec *)c)->depth + 1;
	if (x->depth > DEEPEST)
		return zinc_fail(err, ZINC_E_LIMIT, "\"conditional\" is nested more than %d deep", DEEPEST);
	return ZINC_OK;
}

static zinc_status
parse_list(conditional_codec *x, const zinc_json *list, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	const uint32_t most = zinc_context_get(x->codec.ctx)->limits.codecs;
	const zinc_json *v;

	if (!zinc_json_is(list, ZINC_JSON_ARRAY))
		return zinc_report_error(r, RULE, err, "\"codecs\" must be an array of codecs");
	if (list->n > most)
		return zinc_fail(err, ZINC_E_LIMIT, "%zu codecs; the limit is %u", list->n, (unsigned)most);
	x->of = (zinc_codec **)zinc_calloc(x->codec.ctx, list->n + 1, sizeof *x->of);
	if (!x->of)
		return zinc_fail_nomem(err);
	for (v = list->first; v; v = v->next) {
		const size_t mark = zinc_report_enter_item(r, x->n);
		const zinc_status st = parse_item(x, v, in, r, err);

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

static zinc_status
check_bits(conditional_codec *x, bool given, zinc_report *r, zinc_error *err)
{
	const size_t mark = zinc_report_enter(r, "header_bits");
	zinc_status st = ZINC_OK;

	if (!given)
		x->header_bits = default_bits(x->n);
	if (x->header_bits % 8 != 0 || (uint64_t)x->header_bits < x->n)
		st = zinc_report_error(r, RULE, err,
				       "\"header_bits\" must be a multiple of 8, and at least the %zu codecs", x->n);
	else if (x->header_bits > MOST_BITS)
		st = zinc_report_unsupported(r, RULE, err, "\"header_bits\" above %d is not supported", MOST_BITS);
	zinc_report_leave(r, mark);
	return st;
}

static zinc_status
parse_all(conditional_codec *x, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	const zinc_json *codecs = zinc_json_member(configuration, "codecs");
	zinc_status st;
	size_t mark;

	ZINC_TRY(zinc_members_parse(members, RULE, configuration, x, r, err));
	if (!codecs)
		return zinc_report_error(r, RULE, err, "\"codecs\" is missing from the configuration");
	x->depth = 1;
	mark = zinc_report_enter(r, "codecs");
	st = parse_list(x, codecs, in, r, err);
	zinc_report_leave(r, mark);
	ZINC_TRY(st);
	return check_bits(x, zinc_json_member(configuration, "header_bits") != NULL, r, err);
}

static zinc_status
conditional_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
		  const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_codec *c;
	zinc_status st;

	(void)out;
	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(conditional_codec), err));
	st = parse_all((conditional_codec *)c, configuration, in, r, err);
	if (st == ZINC_OK)
		*codec = c;
	else
		conditional_free(c);
	return st;
}

static zinc_status
conditional_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const conditional_codec *x = (const conditional_codec *)c;
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY), *configuration;
	size_t i;

	for (i = 0; i < x->n; i++) {
		ZINC_TRY(zinc_codec_print(x->of[i], doc, &configuration, err));
		ZINC_TRY(zinc_codec_append(doc, list, x->of[i]->ops->name, configuration, err));
	}
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(doc, *out, "codecs", list, err));
	if (x->header_bits == default_bits(x->n))
		return ZINC_OK;
	return zinc_json_set(doc, *out, "header_bits", zinc_json_make_i64(doc, x->header_bits), err);
}

/* ---- bytes ---- */

static size_t
header_bytes(const conditional_codec *x)
{
	return (size_t)x->header_bits / 8;
}

static bool
applied(const uint8_t *header, size_t i)
{
	return header[i / 8] >> (i % 8) & 1;
}

/* The maximum of bytes behind the first `n` codecs; `header` NULL: whichever were applied. */
static int
bound_of(const conditional_codec *x, const uint8_t *header, size_t n, size_t decoded, size_t *out)
{
	size_t i, more;

	*out = decoded;
	for (i = 0; i < n; i++) {
		if (header && !applied(header, i))
			continue;
		if (x->of[i]->ops->bytes->bound(x->of[i], *out, &more))
			return 1;
		*out = header || more > *out ? more : *out;
	}
	return 0;
}

static int
conditional_bound(const zinc_codec *c, size_t decoded, size_t *encoded)
{
	const conditional_codec *x = (const conditional_codec *)c;
	size_t n;

	return bound_of(x, NULL, x->n, decoded, &n) || zinc_size_add(n, header_bytes(x), encoded);
}

/* The one of the deeper scratch's buffers that is not `held`, which may be NULL. */
static zinc_buf *
other(zinc_scratch *inner, const zinc_buf *held)
{
	return held == &inner->a ? &inner->b : &inner->a;
}

/* (1) */
static zinc_status
conditional_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	const conditional_codec *x = (const conditional_codec *)c;
	zinc_scratch *inner = zinc_scratch_inner(s);
	zinc_buf *held = NULL;
	const size_t at = out->n;
	zinc_status st;
	size_t i;

	if (!inner)
		return zinc_fail_nomem(err);
	for (i = 0; i < header_bytes(x); i++)
		ZINC_TRY(zinc_buf_add(out, "", 1, err));
	for (i = 0; i < x->n; i++) {
		const zinc_bytes_ops *ops = x->of[i]->ops->bytes;
		zinc_buf *to = other(inner, held);

		if (ops->append_trailer) /* never smaller */
			continue;
		to->n = 0;
		if (ops->bound(x->of[i], in.n, &to->max))
			to->max = zinc_max_chunk(s->ctx);
		st = ops->encode(x->of[i], inner, in, to, err);
		if (st != ZINC_OK)
			return zinc_error_at_codec(err, st, x->of[i]->ops->name);
		if (to->n >= in.n)
			continue;
		held = to;
		in = (zinc_bytes){to->p, to->n};
		out->p[at + i / 8] |= (uint8_t)(1u << (i % 8));
	}
	return zinc_buf_add(out, in.p, in.n, err);
}

/* (2) */
static zinc_status
check_header(const conditional_codec *x, zinc_bytes in, zinc_error *err)
{
	size_t i;

	if (in.n < header_bytes(x))
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes cannot hold a header of %zu", in.n, header_bytes(x));
	for (i = x->n; i < (size_t)x->header_bits; i++)
		if (applied(in.p, i))
			return zinc_fail(err, ZINC_E_CORRUPT, "bit %zu of the header is set, but there are %zu codecs",
					 i, x->n);
	return ZINC_OK;
}

/* One decoding: the last codec to be undone writes to `out`. */
typedef struct undoing {
	const conditional_codec *x;
	const uint8_t *header;
	zinc_scratch *inner;
	zinc_bytes cur; /* the result so far */
	zinc_buf *held; /* the deeper scratch's buffer that holds it, also if it does not begin there; or NULL */
	zinc_buf *out;
	size_t exact, need;
} undoing;

static zinc_status
undo(undoing *u, size_t i, bool last, zinc_error *err)
{
	const zinc_codec *c = u->x->of[i];
	zinc_buf *to;

	if (c->ops->bytes->strip_trailer)
		return c->ops->bytes->strip_trailer(c, u->cur, &u->cur, err);
	if (last) {
		ZINC_TRY(c->ops->bytes->decode(c, u->inner, u->cur, u->out, u->exact, u->need, err));
		u->cur = (zinc_bytes){u->out->p, u->out->n};
		return ZINC_OK;
	}
	to = other(u->inner, u->held);
	if (bound_of(u->x, u->header, i, u->exact == SIZE_MAX ? u->out->max : u->exact, &to->max))
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk is larger than the address space");
	ZINC_TRY(zinc_buf_reset(to, 0, err));
	ZINC_TRY(c->ops->bytes->decode(c, u->inner, u->cur, to, SIZE_MAX, SIZE_MAX, err));
	u->cur = (zinc_bytes){to->p, to->n};
	u->held = to;
	return ZINC_OK;
}

/* (3), (4) */
static zinc_status
conditional_decode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t need,
		   zinc_error *err)
{
	const conditional_codec *x = (const conditional_codec *)c;
	const size_t skip = header_bytes(x);
	undoing u = {.x = x, .header = in.p, .inner = zinc_scratch_inner(s), .out = out, .exact = exact, .need = need};
	size_t first = 0, i;

	if (!u.inner)
		return zinc_fail_nomem(err);
	ZINC_TRY(check_header(x, in, err));
	u.inner->unverified = s->unverified;
	u.cur = (zinc_bytes){in.p + skip, in.n - skip};
	while (first < x->n && !applied(in.p, first))
		first++;
	for (i = x->n; i-- > first;) {
		const zinc_status st = applied(in.p, i) ? undo(&u, i, i == first, err) : ZINC_OK;

		if (st != ZINC_OK)
			return zinc_error_at_codec(err, st, x->of[i]->ops->name);
	}
	if (first < x->n && !x->of[first]->ops->bytes->strip_trailer)
		return ZINC_OK; /* it is in `out` */
	ZINC_TRY(zinc_decoded_size(u.cur.n, exact, err));
	ZINC_TRY(zinc_decoded_room(out, u.cur.n, err));
	return zinc_buf_add(out, u.cur.p, u.cur.n, err);
}

static bool
conditional_needs_size(const zinc_codec *c)
{
	const conditional_codec *x = (const conditional_codec *)c;

	return x->n > 0 && zinc_codec_needs_size(x->of[0]);
}

static const zinc_bytes_ops coder = {
    .bound = conditional_bound,
    .encode = conditional_encode,
    .decode = conditional_decode,
    .needs_size = conditional_needs_size,
};

const zinc_codec_ops zinc_codec_conditional = {
    .name = "conditional",
    .purpose = "codecs for the chunks that they make smaller",
    .kind = ZINC_BYTES_BYTES,
    .needs_configuration = true,
    .parse = conditional_parse,
    .print = conditional_print,
    .free = conditional_free,
    .bytes = &coder,
};
