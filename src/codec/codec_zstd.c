/*
 * codec_zstd.c - Zstandard frames (RFC 8878)
 *
 *     [28 b5 2f fd][header: flags, window, size][blocks][checksum: 4, when flagged]
 *     [5x 2a 4d 18][size: 4][anything]                                      skippable frame
 *
 * Promises (tests/unit/test_codec_zstd.c names each by its number):
 *
 * (1) Any number of frames is read, also without content size, with skippable ones between them.  At least one must
 *     hold data, and nothing else may follow the last.
 * (2) Decoding stops at the last needed byte if the header of the first frame gives exactly the size of the chunk.  Two
 *     exceptions: a frame with a checksum, unless the reader does not need it verified, and a window above 8 MiB, which
 *     would have to be allocated.  All other frames are decoded directly into the destination, to the last of them: a
 *     chunk of another size is always E_CORRUPT.  If decoding can stop early, the beginning of the frame is sufficient.
 * (3) A frame that decodes to more than allowed is E_CORRUPT before its bytes are decoded, and memory stays bounded.
 * (4) The same input and level give the same bytes, whatever the context was used for before.
 * (5) Contexts are kept in the scratch, and their memory comes from our allocator.
 */
#include "codec/codec_parts.h"

#define MIN_LEVEL     (-131072)
#define MAX_LEVEL     22
#define DEFAULT_LEVEL 3

typedef struct zstd_codec {
	zinc_codec codec;
	int64_t level, checksum;
} zstd_codec;

/* The specification prefers not to mention a checksum that is absent, but zarrs cannot open an array without the member. */
static const zinc_member members[] = {
    {.name = "level",
     .type = ZINC_MEMBER_INT,
     .min = MIN_LEVEL,
     .max = MAX_LEVEL,
     .required = true,
     .at = offsetof(zstd_codec, level)},
    {.name = "checksum", .type = ZINC_MEMBER_BOOL, .at = offsetof(zstd_codec, checksum)},
    {.name = NULL},
};
/* As in numcodecs: all members may be missing, and a level outside zstd's range is the nearest in it. Its versions before
 * 0.13 refuse a member checksum. */
static const zinc_member v2_members[] = {
    {.name = "level",
     .type = ZINC_MEMBER_INT,
     .min = MIN_LEVEL,
     .max = INT32_MAX,
     .nullable = true,
     .at = offsetof(zstd_codec, level)},
    {.name = "checksum",
     .type = ZINC_MEMBER_BOOL,
     .print = ZINC_PRINT_CHANGED,
     .nullable = true,
     .at = offsetof(zstd_codec, checksum)},
    {.name = NULL},
};

#if ZINC_WITH_ZSTD
#define LACKS   NULL
#define PURPOSE "Zstandard (RFC 8878), levels -131072 to 22"

#define ZSTD_STATIC_LINKING_ONLY /* for contexts with our own allocator */
#include <zstd.h>
#include <zstd_errors.h>

#define FIRST_BYTES   65536u
#define STREAM_WINDOW (8 * ZINC_MIB)
#define HEADER_MAX    18       /* bytes of a frame's header */
enum { DECOMPRESS, COMPRESS }; /* variants of the scratch's states */

/* ---- contexts ---- */

static void *
zstd_alloc(void *ctx, size_t nbytes)
{
	return zinc_alloc((zinc_context *)ctx, nbytes);
}

static void
zstd_free(void *ctx, void *p)
{
	zinc_free((zinc_context *)ctx, p);
}

static void
free_cctx(void *state)
{
	ZSTD_freeCCtx((ZSTD_CCtx *)state);
}

static void
free_dctx(void *state)
{
	ZSTD_freeDCtx((ZSTD_DCtx *)state);
}

/* Translate zstd's error. */
static zinc_status
fail(size_t code, zinc_error *err)
{
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_memory_allocation:
		return zinc_fail_nomem(err);
	case ZSTD_error_checksum_wrong:
		return zinc_fail(err, ZINC_E_CHECKSUM, "the checksum of a frame does not match");
	default:
		return zinc_fail(err, ZINC_E_CORRUPT, "not a valid frame: %s", ZSTD_getErrorName(code));
	}
}

/* ---- encoding ---- */

static zinc_status
zstd_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	const zstd_codec *z = (const zstd_codec *)c;
	const ZSTD_customMem memory = {zstd_alloc, zstd_free, s->ctx};
	void **state = zinc_scratch_state(s, &zinc_codec_zstd, COMPRESS, free_cctx);
	size_t room = ZSTD_compressBound(in.n), n;
	ZSTD_CCtx *cctx;

	if (!*state)
		*state = ZSTD_createCCtx_advanced(memory);
	if (!*state)
		return zinc_fail_nomem(err);
	cctx = (ZSTD_CCtx *)*state;
	if (room == 0 || ZSTD_isError(room))
		return zinc_fail(err, ZINC_E_LIMIT, "%zu bytes are too many for a frame", in.n);
	ZINC_TRY(zinc_buf_reserve(out, room, err));
	ZSTD_CCtx_reset(cctx, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_compressionLevel,
			       (int)z->level); /* both are in range: parse has checked them, */
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_checksumFlag, (int)z->checksum); /* and zstd clamps levels */
	n = ZSTD_compress2(cctx, out->p + out->n, room, in.p, in.n);
	if (ZSTD_isError(n))
		return fail(n, err);
	out->n += n;
	return ZINC_OK;
}

/* ---- decoding ---- */

typedef struct frame {
	size_t nbytes;    /* compressed, including header and checksum */
	uint64_t content; /* decoded bytes, or ZSTD_CONTENTSIZE_UNKNOWN */
	uint64_t window;
	bool checksum;
	bool skippable;
} frame;

/*
 * The frame at the start of `in`.  The header's flags are read here because zstd's function for them is not part of its
 * stable interface:
 *
 *     byte 4: size flag (2 bits), single segment, unused, reserved, checksum, dictionary flag (2)
 *     byte 5: unless single segment, the window: exponent (5 bits), mantissa (3)
 */
static void
read_header(zinc_bytes in, frame *f)
{
	const uint64_t base = (uint64_t)1 << (10 + (in.p[5] >> 3));

	f->content = ZSTD_getFrameContentSize(in.p, in.n);
	f->checksum = in.p[4] & 4;
	f->window = in.p[4] & 32 ? f->content : base + base / 8 * (in.p[5] & 7);
}

static zinc_status
read_frame(zinc_bytes in, frame *f, zinc_error *err)
{
	uint32_t magic = in.n >= 4 ? zinc_get_le32(in.p) : 0;

	f->skippable = (magic & ~0xfu) == ZSTD_MAGIC_SKIPPABLE_START;
	if (!f->skippable && magic != ZSTD_MAGICNUMBER) /* the formats before 1.0 are not RFC 8878 */
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes are not a frame", in.n);
	f->nbytes = ZSTD_findFrameCompressedSize(in.p, in.n);
	if (ZSTD_isError(f->nbytes))
		return fail(f->nbytes, err);
	if (!f->skippable)
		read_header(in, f);
	return ZINC_OK;
}

/* Decode a whole frame to at most `most` more bytes.  If its size is not known, retry with more room. */
static zinc_status
decode_frame(ZSTD_DCtx *d, zinc_bytes in, const frame *f, zinc_buf *out, size_t most, bool known, zinc_error *err)
{
	size_t room = f->nbytes < FIRST_BYTES ? FIRST_BYTES : f->nbytes, n;

	if (f->content != ZSTD_CONTENTSIZE_UNKNOWN) {
		if (f->content > most)
			return zinc_fail(err, ZINC_E_CORRUPT, "a frame of %llu bytes; at most %zu more are allowed",
					 (unsigned long long)f->content, most);
		room = most = (size_t)f->content;
	} else if (known || room > most) {
		room = most;
	}
	for (;;) {
		ZINC_TRY(zinc_decoded_room(out, room, err));
		n = ZSTD_decompressDCtx(d, out->p + out->n, room, in.p, f->nbytes);
		if (!ZSTD_isError(n))
			break;
		if (ZSTD_getErrorCode(n) != ZSTD_error_dstSize_tooSmall)
			return fail(n, err);
		if (room == most)
			return zinc_fail(err, ZINC_E_CORRUPT, "decodes to more than %zu bytes", out->n + room);
		room = room < most / 2 ? room * 2 : most;
	}
	out->n += n;
	return ZINC_OK;
}

/* Decode the beginning of a longer frame, up to `need` bytes of output. */
static zinc_status
stream_frame(ZSTD_DCtx *d, zinc_bytes in, const frame *f, zinc_buf *out, size_t need, zinc_error *err)
{
	ZSTD_inBuffer from = {in.p, f->nbytes, 0};
	ZSTD_outBuffer to = {NULL, need, 0};
	size_t left;

	ZINC_TRY(zinc_decoded_room(out, need, err));
	to.dst = out->p;
	do
		left = ZSTD_decompressStream(d, &to, &from); /* returns an error if it cannot continue */
	while (!ZSTD_isError(left) && left > 0 && to.pos < need);
	ZSTD_DCtx_reset(d, ZSTD_reset_session_only);
	if (ZSTD_isError(left))
		return fail(left, err);
	out->n = to.pos;
	if (to.pos < need) /* the frame ended before its size, which zstd should have reported */
		return zinc_fail(err, ZINC_E_CORRUPT, "a frame of %zu bytes; its header says %llu", to.pos,
				 (unsigned long long)f->content);
	return ZINC_OK;
}

/* Is a stream, which is slower by a third, worth it, and allowed by promise 2?  `f` is the first frame of the chunk. */
static bool
stops_early(const zinc_scratch *s, const frame *f, size_t exact, size_t need)
{
	if (f->content != exact || need > exact - exact / 4)
		return false;
	return (!f->checksum || s->unverified) && f->window <= STREAM_WINDOW;
}

/* The context of this scratch; NULL: no memory. */
static ZSTD_DCtx *
dctx_of(zinc_scratch *s)
{
	const ZSTD_customMem memory = {zstd_alloc, zstd_free, s->ctx};
	void **state = zinc_scratch_state(s, &zinc_codec_zstd, DECOMPRESS, free_dctx);

	if (!*state)
		*state = ZSTD_createDCtx_advanced(memory);
	return (ZSTD_DCtx *)*state;
}

static zinc_status
zstd_decode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t need,
	    zinc_error *err)
{
	const bool known = exact != SIZE_MAX;
	ZSTD_DCtx *d = dctx_of(s);
	bool data = false;
	frame f = {0};

	(void)c;
	if (!d)
		return zinc_fail_nomem(err);
	for (; in.n > 0 || !data; in.p += f.nbytes, in.n -= f.nbytes) {
		ZINC_TRY(read_frame(in, &f, err));
		if (f.skippable)
			continue;
		if (!data && known && stops_early(s, &f, exact, need))
			return stream_frame(d, in, &f, out, need, err);
		data = true;
		ZINC_TRY(decode_frame(d, in, &f, out, (known ? exact : out->max) - out->n, known, err));
	}
	return zinc_decoded_size(out->n, exact, err);
}

/* Only a frame that holds the whole chunk. */
static zinc_status
zstd_decode_start(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t need, bool *enough,
		  zinc_error *err)
{
	ZSTD_DCtx *d = dctx_of(s);
	frame f = {.nbytes = in.n};

	(void)c;
	*enough = false;
	if (!d)
		return zinc_fail_nomem(err);
	if (in.n < HEADER_MAX || zinc_get_le32(in.p) != ZSTD_MAGICNUMBER)
		return ZINC_OK;
	read_header(in, &f);
	if (!stops_early(s, &f, out->max, need))
		return ZINC_OK;
	*enough = stream_frame(d, in, &f, out, need, NULL) == ZINC_OK;
	return ZINC_OK;
}

/* Only frames that this codec has written are known to have a checksum. */
static bool
zstd_verifies(const zinc_codec *c)
{
	return ((const zstd_codec *)c)->checksum != 0;
}

static const zinc_bytes_ops coder = {
    .bound = zinc_bound_compressed,
    .encode = zstd_encode,
    .decode = zstd_decode,
    .decode_start = zstd_decode_start,
    .verifies = zstd_verifies,
};
#define CODER (&coder)

#else
#define LACKS   "libzstd"
#define PURPOSE "Zstandard (RFC 8878); not in this build"
#define CODER   NULL /* without the library no codec is made */
#endif

/* ---- configuration ---- */

static zinc_status
v2_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	 zinc_error *err)
{
	zstd_codec *z = (zstd_codec *)c;

	(void)configuration, (void)in, (void)out, (void)r, (void)err;
	if (z->level > MAX_LEVEL)
		z->level = MAX_LEVEL;
	return ZINC_OK;
}

/* "zstd", "zstd:5", "zstd:5:checksum". */
static zinc_status
zstd_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		 zinc_error *err)
{
	zstd_codec z = {.level = DEFAULT_LEVEL, .checksum = nwords == 2};

	(void)in;
	if (nwords > 2 || (nwords == 2 && strcmp(words[1], "checksum") != 0))
		return zinc_fail(err, ZINC_E_INVALID,
				 "zstd takes only a level and \"checksum\", as in \"zstd:5:checksum\"");
	if (nwords > 0)
		ZINC_TRY(zinc_word_int("zstd", words[0], MIN_LEVEL, MAX_LEVEL, &z.level, err));
	return zinc_members_print(members, &z, doc, out, err);
}

const zinc_codec_ops zinc_codec_v2_zstd = {
    .name = "numcodecs.zstd",
    .v2 = "zstd",
    .uris = ZINC_CODEC_URIS("zstd"),
    .purpose = "zstd, configured as in Zarr v2",
    .kind = ZINC_BYTES_BYTES,
    .members = v2_members,
    .nbytes = sizeof(zstd_codec),
    .made = &zinc_codec_zstd,
    .lacks = LACKS,
    .check = v2_check,
    .parse_words = zstd_parse_words,
};

const zinc_codec_ops zinc_codec_zstd = {
    .name = "zstd",
    .v2 = "zstd",
    .uris = ZINC_CODEC_URIS("zstd"),
    .purpose = PURPOSE,
    .kind = ZINC_BYTES_BYTES,
    .needs_configuration = true,
    .members = members,
    .members_v2 = v2_members,
    .rule = "zstd", /* the registered extension's page has no numbered rules */
    .nbytes = sizeof(zstd_codec),
    .lacks = LACKS,
    .parse_words = zstd_parse_words,
    .bytes = CODER,
};
