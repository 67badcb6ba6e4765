/*
 * codec_packbits_v2.c - eight bools in a byte, as Zarr v2 packs them
 *
 *     [number of padding bits in the last byte: 1][byte]...      the first bool is the top bit of its byte
 *
 *     true false false true  ->  04 90
 *
 * Other libraries treat it as an array->array codec whose result is an array of bytes, so "bytes" follows it in v3
 * chains.  The registered codec "packbits" is another one: codec_packbits.c.
 */
#include "codec/codec_parts.h"

static zinc_status
packbits_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	       zinc_error *err)
{
	(void)configuration, (void)out;
	if (in->dtype->kind != ZINC_KIND_BOOL)
		return zinc_report_error(r, c->ops->v2, err, "only bool can be packed, not %s", in->dtype->name);
	return ZINC_OK;
}

static int
packbits_bound(const zinc_codec *c, const zinc_rep *rep, size_t *encoded)
{
	size_t n;

	(void)c;
	if (zinc_rep_bytes(rep, &n, NULL) != ZINC_OK)
		return 1;
	*encoded = 1 + (size_t)zinc_ceil_div(n, 8);
	return 0;
}

/* The number of padding bits in the last byte. */
static uint8_t
padding(size_t n)
{
	return (uint8_t)((8 - n % 8) % 8);
}

static zinc_status
packbits_pack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out, zinc_error *err)
{
	const uint8_t *bools = (const uint8_t *)in;
	size_t n, i, nbytes;
	uint8_t *to;

	(void)c, (void)s;
	ZINC_TRY(zinc_rep_bytes(rep, &n, err));
	nbytes = (size_t)zinc_ceil_div(n, 8);
	ZINC_TRY(zinc_buf_reserve(out, 1 + nbytes, err));
	to = out->p + out->n;
	*to++ = padding(n);
	memset(to, 0, nbytes);
	for (i = 0; i < n; i++) {
		if (bools[i] > 1)
			return zinc_fail(err, ZINC_E_RANGE, "element %zu is %u, but a bool is 0 or 1", i, bools[i]);
		to[i / 8] |= (uint8_t)(bools[i] << (7 - i % 8));
	}
	out->n += 1 + nbytes;
	return ZINC_OK;
}

static zinc_status
packbits_unpack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out, zinc_error *err)
{
	uint8_t *bools = (uint8_t *)out;
	size_t n, i;

	(void)c, (void)s;
	ZINC_TRY(zinc_rep_bytes(rep, &n, err));
	if (in.n != 1 + zinc_ceil_div(n, 8))
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes for %zu bools", in.n, n);
	if (in.p[0] != padding(n))
		return zinc_fail(err, ZINC_E_CORRUPT, "%u bits of padding for %zu bools", in.p[0], n);
	for (i = 0; i < n; i++)
		bools[i] = in.p[1 + i / 8] >> (7 - i % 8) & 1;
	return ZINC_OK;
}

static const zinc_pack_ops coder = {
    .encode = packbits_pack,
    .decode = packbits_unpack,
    .bound = packbits_bound,
};

const zinc_codec_ops zinc_codec_v2_packbits = {
    .name = "numcodecs.packbits",
    .v2 = "packbits",
    .uris = ZINC_CODEC_URIS("packbits"),
    .purpose = "eight bools in a byte, the first in the top bit",
    .kind = ZINC_ARRAY_BYTES,
    .fixed_size = true,
    .bytes_behind = true,
    .members = zinc_no_members,
    .prints_empty = true,
    .check = packbits_check,
    .pack = &coder,
};
