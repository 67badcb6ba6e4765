/*
 * checksum.c - four bytes of checksum before or behind the others: what the checksum codecs of Zarr v2 share
 *
 *     start: [checksum: 4, little-endian][input]
 *     end:   [input][checksum: 4, little-endian]
 *
 * Promises (tests/unit/test_checksum.c names each by its number):
 *
 * (1) Decoding always verifies; on a mismatch no byte is handed out.
 * (2) Reading copies nothing.  Writing moves the bytes only where the checksum stands in front.
 * (3) A location that is the default is not written, because the oldest readers know no such member.
 */
#include "codec/codec_parts.h"

#define BYTES 4u

static const char *const members[] = {"location", NULL};
static const char *const locations[] = {"start", "end", NULL};

zinc_status
zinc_checksum_new(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, zinc_sum_fn sum, uint32_t seed,
		  bool at_start, zinc_error *err)
{
	zinc_checksum *k;

	ZINC_TRY(zinc_codec_new(codec, ops, ctx, sizeof *k, err));
	k = (zinc_checksum *)*codec;
	k->sum = sum;
	k->seed = seed;
	k->at_start = at_start;
	return ZINC_OK;
}

zinc_status
zinc_checksum_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
		    zinc_sum_fn sum, uint32_t seed, zinc_report *r, zinc_error *err)
{
	int location = 0;

	ZINC_TRY(zinc_config_members(configuration, members, ops->v2, r, err));
	ZINC_TRY(zinc_config_choice_or(configuration, "location", locations, ops->v2, &location, r, err));
	return zinc_checksum_new(codec, ops, ctx, sum, seed, location == 0, err);
}

zinc_status
zinc_checksum_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	if (!*out)
		return zinc_fail_nomem(err);
	if (((const zinc_checksum *)c)->at_start)
		return ZINC_OK;
	return zinc_json_set(doc, *out, "location", zinc_json_make_string(doc, "end"), err);
}

static int
bound(const zinc_codec *c, size_t decoded, size_t *encoded)
{
	(void)c;
	return zinc_size_add(decoded, BYTES, encoded);
}

static zinc_status
append_trailer(const zinc_codec *c, zinc_buf *b, size_t from, zinc_error *err)
{
	const zinc_checksum *k = (const zinc_checksum *)c;
	const size_t n = b->n - from;
	uint32_t sum;
	uint8_t *p;

	ZINC_TRY(zinc_buf_reserve(b, BYTES, err));
	p = b->p + from;
	sum = k->sum(k->seed, p, n);
	if (k->at_start)
		memmove(p + BYTES, p, n);
	zinc_put_le32(k->at_start ? p : p + n, sum);
	b->n += BYTES;
	return ZINC_OK;
}

static zinc_status
strip_trailer(const zinc_codec *c, zinc_bytes in, zinc_bytes *out, zinc_error *err)
{
	const zinc_checksum *k = (const zinc_checksum *)c;
	uint32_t stored, actual;
	zinc_bytes body;

	if (in.n < BYTES)
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes cannot hold a checksum", in.n);
	body = (zinc_bytes){k->at_start ? in.p + BYTES : in.p, in.n - BYTES};
	stored = zinc_get_le32(k->at_start ? in.p : in.p + body.n);
	actual = k->sum(k->seed, body.p, body.n);
	if (stored != actual)
		return zinc_fail(err, ZINC_E_CHECKSUM, "the stored checksum is %08x, that of the bytes %08x",
				 (unsigned)stored, (unsigned)actual);
	*out = body;
	return ZINC_OK;
}

const zinc_bytes_ops zinc_checksum_coder = {
    .bound = bound,
    .append_trailer = append_trailer,
    .strip_trailer = strip_trailer,
};
