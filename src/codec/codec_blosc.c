/*
 * codec_blosc.c - the Blosc-1 container (M82)
 *
 *     byte 0       1          2      3         4          8           12
 *     [version: 2][versionlz][flags][typesize][nbytes: 4][blocksize: 4][cbytes: 4][blocks ...]
 *
 *     flags: 1 byte shuffle, 2 stored, 4 bit shuffle, 8 reserved, 16 blocks not split, 32.. compressor's format
 *     shuffle and bit shuffle together: the 32-byte header of Blosc 2, which is another container
 *
 * Promises (tests/unit/test_codec_blosc.c names each by its number):
 *
 * (1) The header is checked before the library gets a byte: version, flags, nbytes against the expected size, cbytes
 *     against the actual size, block and type size.
 * (2) Stored containers (clevel 0, or bytes that do not shrink) are copied here, without the library.
 * (3) Only the blocks that hold the needed bytes are decoded.
 * (4) Nothing global is used: no locks, no environment, one thread per call.  The library allocates its own work space.
 * (5) Decoding depends on the bytes alone: the configuration matters only for writing.
 */
#include <inttypes.h>

#include "codec/codec_parts.h"

#define MAX_CLEVEL     9
#define DEFAULT_CLEVEL 5
#define MAX_TYPESIZE   255 /* the header's maximum; beyond it the library does not shuffle */

typedef struct blosc_codec {
	zinc_codec codec;
	int64_t cname, clevel, shuffle; /* indices of the tables below, and a level */
	int64_t typesize;               /* 0: not given */
	int64_t blocksize;              /* 0: chosen by the library */
} blosc_codec;

static const char *const cnames[] = {"lz4", "lz4hc", "blosclz", "zstd", "snappy", "zlib", NULL};
static const char *const shuffles[] = {"noshuffle", "shuffle", "bitshuffle", NULL}; /* in the library's order */
enum { AUTOSHUFFLE = -1, NOSHUFFLE, SHUFFLE, BITSHUFFLE };                          /* the first in Zarr v2 only */

#if ZINC_WITH_BLOSC
#define PURPOSE "Blosc 1: blosclz, lz4, lz4hc, snappy, zlib, zstd with shuffle"

#include <blosc.h>

/* NULL, or what this build needs for the compressor and does not have. */
static const char *
missing(int64_t cname)
{
	return blosc_compname_to_compcode(cnames[cname]) < 0 ? cnames[cname] : NULL;
}

static zinc_status
blosc_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	const blosc_codec *b = (const blosc_codec *)c;
	size_t typesize = b->typesize && b->typesize <= MAX_TYPESIZE ? (size_t)b->typesize : 1;
	size_t blocksize = (size_t)zinc_min_u64((uint64_t)b->blocksize, in.n), room;
	int n;

	(void)s;
	if (in.n > BLOSC_MAX_BUFFERSIZE || zinc_size_add(in.n, BLOSC_MAX_OVERHEAD, &room))
		return zinc_fail(err, ZINC_E_LIMIT, "%zu bytes; a Blosc container holds at most %d", in.n,
				 BLOSC_MAX_BUFFERSIZE);
	ZINC_TRY(zinc_buf_reserve(out, room, err));
	n = blosc_compress_ctx((int)b->clevel, (int)b->shuffle, typesize, in.n, in.p, out->p + out->n, room,
			       cnames[b->cname], blocksize, 1);
	if (n <= 0) /* with this much room it can fail only for lack of memory */
		return zinc_fail_nomem(err);
	out->n += (size_t)n;
	return ZINC_OK;
}

/* The header's numbers; `format` is the compressor's, shared by lz4 and lz4hc. */
typedef struct header {
	uint8_t flags, format;
	uint32_t typesize, nbytes, blocksize, cbytes;
} header;

/* Promise 1.  The order ensures that each message is about the first error. */
static zinc_status
check_header(zinc_bytes in, size_t exact, header *h, zinc_error *err)
{
	if (in.n < BLOSC_MIN_HEADER_LENGTH)
		return zinc_fail_rule(err, ZINC_E_CORRUPT, "M82", "%zu bytes cannot hold a header", in.n);
	*h = (header){.flags = in.p[2],
		      .format = in.p[2] >> 5,
		      .typesize = in.p[3],
		      .nbytes = zinc_get_le32(in.p + 4),
		      .blocksize = zinc_get_le32(in.p + 8),
		      .cbytes = zinc_get_le32(in.p + 12)};
	if ((h->flags & 5) == 5)
		return zinc_fail_rule(err, ZINC_E_CORRUPT, "M82", "a container of Blosc 2, not of Blosc 1");
	if (in.p[0] != BLOSC_VERSION_FORMAT || h->flags & 8 || h->typesize == 0)
		return zinc_fail_rule(err, ZINC_E_CORRUPT, "M82", "not the header of a Blosc container");
	if (h->cbytes != in.n)
		return zinc_fail(err, ZINC_E_CORRUPT, "the header says %" PRIu32 " bytes, but there are %zu", h->cbytes,
				 in.n);
	ZINC_TRY(zinc_decoded_size(h->nbytes, exact, err));
	if (h->nbytes > BLOSC_MAX_BUFFERSIZE)
		return zinc_fail(err, ZINC_E_CORRUPT, "decodes to more than a container can hold");
	if (h->flags & 2)
		return h->cbytes - BLOSC_MIN_HEADER_LENGTH == h->nbytes
			   ? ZINC_OK
			   : zinc_fail(err, ZINC_E_CORRUPT, "the length of the stored bytes differs from the header");
	if (h->blocksize == 0 || h->blocksize > h->nbytes || h->blocksize > BLOSC_MAX_BLOCKSIZE)
		return zinc_fail(err, ZINC_E_CORRUPT, "the header has a wrong size of blocks: %" PRIu32 " bytes",
				 h->blocksize);
	return ZINC_OK;
}

/* Can the library decode what the header names? */
static zinc_status
check_format(const header *h, zinc_error *err)
{
	static const char *const names[] = {"blosclz", "lz4", "snappy", "zlib", "zstd"};

	if (h->format >= sizeof names / sizeof names[0])
		return zinc_fail(err, ZINC_E_CORRUPT, "compressor number %u does not exist", h->format);
	if (blosc_compname_to_compcode(names[h->format]) < 0)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "libblosc was built without %s", names[h->format]);
	return ZINC_OK;
}

/* Decode the items that hold bytes [skip, need), each in its place.  Only whole items, so not for containers that
 * end with a partial item. */
static int
decode_items(const uint8_t *in, const header *h, size_t skip, size_t need, uint8_t *out)
{
	const size_t first = skip / h->typesize, end = need / h->typesize + (need % h->typesize != 0);
	const int n = blosc_getitem(in, (int)first, (int)(end - first), out + first * h->typesize);

	return n < 0 ? n : n + (int)(first * h->typesize);
}

/* Allocate the whole container even if only a part of it is needed: a later chunk of the same size needs it.
 * Measured: a plane of axis 0 in the middle of 512^3 uint16 in chunks of 128^3 takes 12 ms instead of 18 with all
 * blocks before it decoded. */
static zinc_status
blosc_decode_part(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t skip,
		  size_t need, zinc_error *err)
{
	header h = {0};
	int n;

	(void)c, (void)s;
	ZINC_TRY(check_header(in, exact, &h, err));
	ZINC_TRY(zinc_decoded_room(out, h.nbytes, err));
	if (h.flags & 2)
		return zinc_buf_add(out, in.p + BLOSC_MIN_HEADER_LENGTH, h.nbytes, err);
	ZINC_TRY(check_format(&h, err));
	need = zinc_min_u64(need, h.nbytes);
	if ((skip > 0 || need < h.nbytes) && skip < need && h.nbytes % h.typesize == 0 && h.nbytes > h.blocksize)
		n = decode_items(in.p, &h, skip, need, out->p + out->n);
	else
		n = blosc_decompress_ctx(in.p, out->p + out->n, h.nbytes, 1);
	if (n < 0 || (size_t)n < need)
		return zinc_fail(err, ZINC_E_CORRUPT, "the blocks do not decode");
	out->n += (size_t)n;
	return ZINC_OK;
}

static zinc_status
blosc_decode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t need,
	     zinc_error *err)
{
	return blosc_decode_part(c, s, in, out, exact, 0, need, err);
}

static const zinc_bytes_ops coder = {
    .bound = zinc_bound_compressed,
    .encode = blosc_encode,
    .decode = blosc_decode,
    .decode_part = blosc_decode_part,
};
#define CODER (&coder)

#else
#define PURPOSE "Blosc 1; not in this build"
#define CODER   NULL /* without the library no codec is made */

static const char *
missing(int64_t cname)
{
	(void)cname;
	return "libblosc";
}
#endif

/* ---- configuration ---- */

#define AT(member) offsetof(blosc_codec, member)

/* Everything is recorded, also defaults chosen for the caller (M81). */
static const zinc_member members[] = {
    {.name = "cname", .type = ZINC_MEMBER_CHOICE, .choices = cnames, .required = true, .at = AT(cname), .rule = "M76"},
    {.name = "clevel", .type = ZINC_MEMBER_INT, .max = MAX_CLEVEL, .required = true, .at = AT(clevel), .rule = "M77"},
    {.name = "shuffle",
     .type = ZINC_MEMBER_CHOICE,
     .choices = shuffles,
     .required = true,
     .at = AT(shuffle),
     .rule = "M78"},
    {.name = "typesize",
     .type = ZINC_MEMBER_INT,
     .min = 1,
     .max = INT64_MAX,
     .print = ZINC_PRINT_CHANGED,
     .at = AT(typesize),
     .rule = "M79"},
    {.name = "blocksize",
     .type = ZINC_MEMBER_INT,
     .max = INT64_MAX,
     .required = true,
     .at = AT(blocksize),
     .rule = "M80"},
    {.name = NULL},
};

/*
 * Zarr v2: all members may be missing.  "shuffle" is a number: 0 none, 1 bytes, 2 bits, and -1, which is bits for
 * elements of one byte and bytes for others.  The element's size is only in the array's metadata, except that newer
 * writers may have a "typesize".
 */
static const zinc_member v2_members[] = {
    {.name = "cname", .type = ZINC_MEMBER_CHOICE, .choices = cnames, .nullable = true, .at = AT(cname)},
    {.name = "clevel",
     .type = ZINC_MEMBER_INT,
     .max = MAX_CLEVEL,
     .nullable = true,
     .fallback = DEFAULT_CLEVEL,
     .at = AT(clevel)},
    {.name = "shuffle",
     .type = ZINC_MEMBER_INT,
     .min = AUTOSHUFFLE,
     .max = BITSHUFFLE,
     .nullable = true,
     .fallback = SHUFFLE,
     .at = AT(shuffle)},
    {.name = "typesize",
     .type = ZINC_MEMBER_INT,
     .min = 1,
     .max = INT64_MAX,
     .nullable = true,
     .print = ZINC_PRINT_NEVER,
     .at = AT(typesize)},
    {.name = "blocksize", .type = ZINC_MEMBER_INT, .max = INT64_MAX, .nullable = true, .at = AT(blocksize)},
    {.name = NULL},
};

static zinc_status
check_library(const blosc_codec *b, zinc_report *r, zinc_error *err)
{
	if (missing(b->cname))
		return zinc_report_unsupported(r, "M20", err, "blosc: built without %s", missing(b->cname));
	return ZINC_OK;
}

/* Without shuffle the size of an element has no effect and may be missing; if given, it must still be valid. */
static zinc_status
blosc_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	    zinc_error *err)
{
	const blosc_codec *b = (const blosc_codec *)c;

	(void)configuration, (void)in, (void)out;
	if (b->shuffle != NOSHUFFLE && !b->typesize)
		return zinc_report_error(r, "M79", err, "\"typesize\" is missing from the configuration");
	return check_library(b, r, err);
}

static zinc_status
v2_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	 zinc_error *err)
{
	const uint32_t size = in->dtype->variable ? 1 : in->dtype->size;
	blosc_codec *b = (blosc_codec *)c;

	(void)configuration, (void)out;
	if (b->shuffle == AUTOSHUFFLE)
		b->shuffle = size == 1 ? BITSHUFFLE : SHUFFLE;
	if (!b->typesize)
		b->typesize = size;
	return check_library(b, r, err);
}

static zinc_status
choose(const char *word, const char *const *choices, int64_t *out, zinc_error *err)
{
	int i;

	for (i = 0; choices[i]; i++)
		if (strcmp(choices[i], word) == 0) {
			*out = i;
			return ZINC_OK;
		}
	return zinc_fail(err, ZINC_E_INVALID, "blosc: \"%.60s\" is not known", word);
}

/* "blosc", "blosc:lz4", "blosc:lz4:5", "blosc:lz4:5:shuffle", "blosc:lz4:5:shuffle:65536". */
static zinc_status
blosc_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		  zinc_error *err)
{
	const uint32_t size = in->dtype->variable ? 1 : in->dtype->size;
	blosc_codec b = {.clevel = DEFAULT_CLEVEL,
			 .shuffle = size > 1 ? SHUFFLE : BITSHUFFLE,
			 .typesize = size <= MAX_TYPESIZE ? size : 1};

	if (nwords > 4)
		return zinc_fail(err, ZINC_E_INVALID, "blosc takes only compressor, level, shuffle and block size");
	if (nwords > 0)
		ZINC_TRY(choose(words[0], cnames, &b.cname, err));
	if (nwords > 1)
		ZINC_TRY(zinc_word_int("blosc", words[1], 0, MAX_CLEVEL, &b.clevel, err));
	if (nwords > 2)
		ZINC_TRY(choose(words[2], shuffles, &b.shuffle, err));
	if (nwords > 3)
		ZINC_TRY(zinc_word_int("blosc", words[3], 0, INT32_MAX, &b.blocksize, err));
	return zinc_members_print(members, &b, doc, out, err);
}

const zinc_codec_ops zinc_codec_v2_blosc = {
    .name = "numcodecs.blosc",
    .v2 = "blosc",
    .uris = ZINC_CODEC_URIS("blosc"),
    .purpose = "blosc, configured as in Zarr v2",
    .kind = ZINC_BYTES_BYTES,
    .members = v2_members,
    .nbytes = sizeof(blosc_codec),
    .made = &zinc_codec_blosc,
    .check = v2_check,
};

const zinc_codec_ops zinc_codec_blosc = {
    .name = "blosc",
    .v2 = "blosc",
    .uris = ZINC_CODEC_URIS("blosc"),
    .purpose = PURPOSE,
    .kind = ZINC_BYTES_BYTES,
    .needs_configuration = true,
    .members = members,
    .members_v2 = v2_members,
    .rule = "M76",
    .nbytes = sizeof(blosc_codec),
    .check = blosc_check,
    .parse_words = blosc_parse_words,
    .bytes = CODER,
};
