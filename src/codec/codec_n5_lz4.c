/*
 * codec_n5_lz4.c - LZ4 as N5 in Java writes it: a stream of blocks, each with sizes and a checksum
 *
 *     ["LZ4Block"][token: 1][stored size: 4][size: 4][checksum: 4][bytes]     once per block; numbers little-endian
 *     ["LZ4Block"][token: 1][0: 4][0: 4][0: 4]                                the end
 *
 *     token      high half: 1 bytes as they are, 2 LZ4; low half: log2 of the block size, minus 10
 *     checksum   the lower 28 bits of XXH32 of the decoded bytes
 *
 * Two other writers of N5 store something else under the same name, which is read, too: zarr-python 2 one LZ4 block
 * after its decoded size, z5 one LZ4 block alone.  What z5 writes as the block size is a level below 64, the smallest
 * block size in Java; with such a number blocks are written as z5 writes them.
 *
 * Promises (tests/unit/test_codec_n5_lz4.c names each by its number):
 *
 * (1) Memory is reserved for a block only if the expected size has room for it.
 * (2) A wrong checksum, a size that does not fit, bytes behind the end and a missing end are errors.
 * (3) A value without "LZ4Block" is read only if it decodes to exactly the expected size.
 * (4) Such a value is written only where that size is known; elsewhere the chain is refused.
 */
#include "codec/codec_parts.h"

#define MAGIC         "LZ4Block"
#define MAGIC_BYTES   8u
#define HEADER_BYTES  21u
#define TOKEN_RAW     0x10u
#define TOKEN_LZ4     0x20u
#define LEVEL_BASE    10u
#define SEED          0x9747b28cu
#define CHECKSUM_MASK 0x0fffffffu
#define MIN_BLOCK     64
#define MAX_BLOCK     (1 << 25)
#define DEFAULT_BLOCK 65536

typedef struct n5_lz4_codec {
	zinc_codec codec;
	int64_t block;
} n5_lz4_codec;

static const zinc_member members[] = {
    {.name = "blockSize",
     .type = ZINC_MEMBER_INT,
     .min = 0,
     .max = MAX_BLOCK,
     .fallback = DEFAULT_BLOCK,
     .at = offsetof(n5_lz4_codec, block)},
    {.name = NULL},
};

/* ---- XXH32 (xxHash specification, "XXH32 algorithm description") ---- */

enum { XXH_1, XXH_2, XXH_3, XXH_4, XXH_5 };
static const uint32_t primes[] = {0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu, 0x165667b1u};

static uint32_t
rotate(uint32_t x, unsigned by)
{
	return x << by | x >> (32 - by);
}

static uint32_t
take_lane(uint32_t acc, const uint8_t *p)
{
	return rotate(acc + zinc_get_le32(p) * primes[XXH_2], 13) * primes[XXH_1];
}

/* Four lanes of four bytes each; *p goes on to the last stripe's end. */
static uint32_t
take_stripes(const uint8_t **p, size_t n, uint32_t seed)
{
	uint32_t acc[4] = {seed + primes[XXH_1] + primes[XXH_2], seed + primes[XXH_2], seed, seed - primes[XXH_1]};
	int i;

	for (; n >= 16; n -= 16)
		for (i = 0; i < 4; i++, *p += 4)
			acc[i] = take_lane(acc[i], *p);
	return rotate(acc[0], 1) + rotate(acc[1], 7) + rotate(acc[2], 12) + rotate(acc[3], 18);
}

static uint32_t
xxh32(const uint8_t *p, size_t n, uint32_t seed)
{
	const uint8_t *end = n > 0 ? p + n : p;
	uint32_t h = (n >= 16 ? take_stripes(&p, n, seed) : seed + primes[XXH_5]) + (uint32_t)n;

	for (; end - p >= 4; p += 4)
		h = rotate(h + zinc_get_le32(p) * primes[XXH_3], 17) * primes[XXH_4];
	for (; p < end; p++)
		h = rotate(h + *p * primes[XXH_5], 11) * primes[XXH_1];
	h = (h ^ h >> 15) * primes[XXH_2];
	h = (h ^ h >> 13) * primes[XXH_3];
	return h ^ h >> 16;
}

/* ---- encoding ---- */

/* The low half of the token. */
static unsigned
level_of(int64_t block)
{
	unsigned bits = 0;

	while (((int64_t)1 << bits) < block)
		bits++;
	return bits > LEVEL_BASE ? bits - LEVEL_BASE : 0;
}

static void
put_head(uint8_t *p, unsigned token, size_t stored, size_t n, uint32_t checksum)
{
	memcpy(p, MAGIC, MAGIC_BYTES);
	p[MAGIC_BYTES] = (uint8_t)token;
	zinc_put_le32(p + MAGIC_BYTES + 1, (uint32_t)stored);
	zinc_put_le32(p + MAGIC_BYTES + 5, (uint32_t)n);
	zinc_put_le32(p + MAGIC_BYTES + 9, checksum);
}

/* Bytes that LZ4 does not make shorter are stored as they are. */
static zinc_status
put_block(zinc_scratch *s, zinc_bytes in, unsigned level, zinc_buf *out, zinc_error *err)
{
	const size_t head = out->n;
	unsigned token = TOKEN_LZ4;

	ZINC_TRY(zinc_buf_reserve(out, HEADER_BYTES, err));
	out->n += HEADER_BYTES;
	ZINC_TRY(zinc_lz4_compress(s, in, 1, out, err));
	if (out->n - head - HEADER_BYTES >= in.n) {
		out->n = head + HEADER_BYTES;
		ZINC_TRY(zinc_buf_add(out, in.p, in.n, err));
		token = TOKEN_RAW;
	}
	put_head(out->p + head, token | level, out->n - head - HEADER_BYTES, in.n,
		 xxh32(in.p, in.n, SEED) & CHECKSUM_MASK);
	return ZINC_OK;
}

/* One block alone, as z5 writes it. */
static bool
n5_lz4_needs_size(const zinc_codec *c)
{
	return ((const n5_lz4_codec *)c)->block < MIN_BLOCK;
}

static bool
n5_lz4_verifies(const zinc_codec *c)
{
	return !n5_lz4_needs_size(c);
}

static zinc_status
n5_lz4_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	const size_t block = (size_t)((const n5_lz4_codec *)c)->block;
	const unsigned level = level_of(((const n5_lz4_codec *)c)->block);
	uint8_t end[HEADER_BYTES];

	if (n5_lz4_needs_size(c))
		return zinc_lz4_compress(s, in, 1, out, err);
	while (in.n > 0) {
		const size_t n = in.n < block ? in.n : block;

		ZINC_TRY(put_block(s, (zinc_bytes){in.p, n}, level, out, err));
		in = (zinc_bytes){in.p + n, in.n - n};
	}
	put_head(end, TOKEN_RAW | level, 0, 0, 0);
	return zinc_buf_add(out, end, sizeof end, err);
}

/* The smallest block size makes the most headers. */
static int
n5_lz4_bound(const zinc_codec *c, size_t decoded, size_t *encoded)
{
	const size_t blocks = decoded / MIN_BLOCK + 2;

	if (zinc_bound_compressed(c, decoded, encoded) || blocks > (SIZE_MAX - *encoded) / HEADER_BYTES)
		return 1;
	*encoded += blocks * HEADER_BYTES;
	return 0;
}

/* ---- decoding ---- */

/* One block; `in` goes on to the next one.  *end: it is the last. */
static zinc_status
take_block(zinc_bytes *in, zinc_buf *out, bool *end, zinc_error *err)
{
	const size_t before = out->n;
	size_t stored, n;
	unsigned token;
	uint32_t sum;

	if (in->n < HEADER_BYTES || memcmp(in->p, MAGIC, MAGIC_BYTES) != 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "an LZ4 stream without its end");
	token = in->p[MAGIC_BYTES] & 0xf0u;
	stored = zinc_get_le32(in->p + MAGIC_BYTES + 1);
	n = zinc_get_le32(in->p + MAGIC_BYTES + 5);
	sum = zinc_get_le32(in->p + MAGIC_BYTES + 9);
	*in = (zinc_bytes){in->p + HEADER_BYTES, in->n - HEADER_BYTES};
	if ((token != TOKEN_RAW && token != TOKEN_LZ4) || stored > in->n || (n == 0) != (stored == 0) ||
	    (token == TOKEN_RAW && stored != n))
		return zinc_fail(err, ZINC_E_CORRUPT, "an LZ4 stream with a wrong header");
	*end = n == 0;
	if (token == TOKEN_LZ4 && n > 0) {
		ZINC_TRY(zinc_lz4_decompress((zinc_bytes){in->p, stored}, n, out, err));
	} else if (n > 0) {
		ZINC_TRY(zinc_decoded_room(out, n, err));
		ZINC_TRY(zinc_buf_add(out, in->p, n, err));
	}
	*in = (zinc_bytes){in->p + stored, in->n - stored};
	if (n > 0 && (xxh32(out->p + before, n, SEED) & CHECKSUM_MASK) != (sum & CHECKSUM_MASK))
		return zinc_fail(err, ZINC_E_CHECKSUM, "the XXH32 of an LZ4 block is wrong");
	return ZINC_OK;
}

/* Promise (3).  z5 stores the block alone, zarr-python its size before it. */
static zinc_status
decode_alone(zinc_bytes in, zinc_buf *out, size_t exact, zinc_error *err)
{
	const size_t before = out->n;
	zinc_status st;

	if (exact == SIZE_MAX)
		return zinc_fail(err, ZINC_E_CORRUPT, "not an LZ4 stream: \"" MAGIC "\" is missing");
	if (in.n > 4 && zinc_get_le32(in.p) == exact &&
	    zinc_lz4_decompress((zinc_bytes){in.p + 4, in.n - 4}, exact, out, NULL) == ZINC_OK)
		return ZINC_OK;
	out->n = before;
	st = zinc_lz4_decompress(in, exact, out, NULL);
	if (st == ZINC_OK || st == ZINC_E_NOMEM)
		return st == ZINC_OK ? st : zinc_fail_nomem(err);
	return zinc_fail(err, ZINC_E_CORRUPT, "neither an LZ4 stream nor an LZ4 block of %zu bytes", exact);
}

static zinc_status
n5_lz4_decode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t need,
	      zinc_error *err)
{
	const size_t before = out->n;
	bool end = false;

	(void)c, (void)s, (void)need;
	if (in.n < MAGIC_BYTES || memcmp(in.p, MAGIC, MAGIC_BYTES) != 0)
		return decode_alone(in, out, exact, err);
	while (!end)
		ZINC_TRY(take_block(&in, out, &end, err));
	if (in.n > 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes behind an LZ4 stream", in.n);
	return zinc_decoded_size(out->n - before, exact, err);
}

static const zinc_bytes_ops coder = {
    .bound = n5_lz4_bound,
    .encode = n5_lz4_encode,
    .decode = n5_lz4_decode,
    .needs_size = n5_lz4_needs_size,
    .verifies = n5_lz4_verifies,
};

/* "n5_lz4", "n5_lz4:1048576". */
static zinc_status
n5_lz4_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		   zinc_error *err)
{
	(void)in;
	return zinc_words_int(zinc_codec_n5_lz4.name, words, nwords, "blockSize", 0, MAX_BLOCK, DEFAULT_BLOCK, doc, out,
			      err);
}

const zinc_codec_ops zinc_codec_n5_lz4 = {
    .name = "n5_lz4",
    .purpose = "LZ4 stream with checksums, as N5 in Java writes it",
    .kind = ZINC_BYTES_BYTES,
    .members = members,
    .rule = "n5_lz4",
    .nbytes = sizeof(n5_lz4_codec),
    .lacks = ZINC_LZ4_LACKS,
    .parse_words = n5_lz4_parse_words,
    .bytes = &coder,
};
