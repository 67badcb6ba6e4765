/*
 * fuzz_shard.c - any bytes as a shard, and as the index of one
 *
 *     input: [which configuration][bytes of the shard]
 *
 * Apart from not crashing: every entry of a decoded index is empty, or inside the shard and outside the index, and the
 * index, encoded again, decodes to the same entries.
 */
#include "codec/codec.h"
#include "fuzz.h"

#define LITTLE      "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define BIG         "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}"
#define SHARD(rest) "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2,2]," rest "}}]"

/* Inner chunks of 2 x 2 bytes in shards of 4 x 6. */
static const char *const chains[] = {
    SHARD("\"codecs\":[\"bytes\"],\"index_codecs\":[" LITTLE "]"),
    SHARD("\"codecs\":[\"bytes\"],\"index_codecs\":[" BIG "],\"index_location\":\"start\""),
    SHARD("\"codecs\":[\"bytes\",\"crc32c\"],\"index_codecs\":[" LITTLE ",\"crc32c\"]"),
    SHARD("\"codecs\":[\"bytes\"],\"index_codecs\":[{\"name\":\"transpose\",\"configuration\":{\"order\":[2,1,0]}}"
	  "," LITTLE "]"),
    SHARD("\"codecs\":[\"bytes\"]"),
    SHARD("\"index_location\":\"end\""),
    SHARD("\"codecs\":[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[1,2],\"codecs\":[\"bytes\"],"
	  "\"index_codecs\":[" LITTLE "]}}],\"index_codecs\":[" LITTLE "]"),
};
static const uint64_t shape[] = {4, 6};
enum { CHUNKS = 6 };

/* `end` of an index at the end may exclude the checksum, which the spellings of 2023 may lack. */
static void
check_entries(const zinc_shard *sh, const zinc_shard_entry *e, uint64_t size)
{
	size_t nbytes;
	int i;

	insist(zinc_shard_index_bytes(sh, shape, &nbytes) == 0);
	if (!sh->index)
		nbytes = CHUNKS * sizeof *e;
	for (i = 0; i < CHUNKS; i++) {
		if (e[i].offset == ZINC_SHARD_EMPTY && e[i].nbytes == ZINC_SHARD_EMPTY)
			continue;
		insist(e[i].nbytes <= size && e[i].offset <= size - e[i].nbytes);
		insist(sh->index_at_start ? e[i].offset >= nbytes : e[i].offset + e[i].nbytes <= size - nbytes);
	}
}

static void
check_index(const zinc_shard *sh, zinc_scratch *s, zinc_bytes in)
{
	zinc_shard_entry e[CHUNKS], again[CHUNKS];
	zinc_bytes tail = in;
	size_t nbytes;
	zinc_buf out;

	insist(zinc_shard_index_bytes(sh, shape, &nbytes) == 0);
	if (tail.n > nbytes) { /* what the array fetches */
		tail.p += sh->index_at_start ? 0 : tail.n - nbytes;
		tail.n = nbytes;
	}
	if (zinc_shard_index_decode(sh, s, shape, tail, in.n, e, NULL) != ZINC_OK)
		return;
	check_entries(sh, e, in.n);
	zinc_buf_init(&out, s->ctx, PTRDIFF_MAX);
	insist(zinc_shard_index_encode(sh, s, shape, e, &out, NULL) == ZINC_OK);
	/* of a shard that is longer by the checksum, in case it had none */
	insist(zinc_shard_index_decode(sh, s, shape, (zinc_bytes){out.p, out.n}, (uint64_t)in.n + 4, again, NULL) ==
	       ZINC_OK);
	insist(memcmp(e, again, sizeof e) == 0);
	zinc_buf_fini(&out);
}

static void
run(zinc_context *ctx, const char *text, zinc_bytes in)
{
	static const uint8_t fill[1] = {9};
	zinc_rep rep = {.dtype = zinc_dtype_of(ZINC_UINT8), .ndim = 2, .shape = {4, 6}, .fill = fill};
	uint8_t elements[24];
	zinc_json_doc *doc = NULL;
	zinc_chain *c = NULL;
	zinc_scratch *s = zinc_scratch_get(ctx);
	zinc_report r;
	zinc_view v;

	zinc_report_init(&r, ctx, false, "fuzz");
	insist(s != NULL);
	insist(zinc_json_parse(&doc, ctx, text, strlen(text), 0, NULL) == ZINC_OK);
	insist(zinc_chain_parse(&c, ctx, zinc_json_root(doc), &rep, &r, NULL) == ZINC_OK);
	check_index(c->shard, s, in);
	(void)!zinc_chain_decode(c, s, shape, in, elements, 0, &v, NULL);
	zinc_scratch_put(s);
	zinc_chain_free(c);
	zinc_json_free(doc);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_context *ctx = NULL;

	if (size < 1 || zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1), NULL) != ZINC_OK)
		return 0;
	run(ctx, chains[data[0] % (sizeof chains / sizeof chains[0])], (zinc_bytes){data + 1, size - 1});
	zinc_context_free(ctx);
	return 0;
}
