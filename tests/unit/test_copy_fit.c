/*
 * test_copy_fit.c - documents that a version of Zarr cannot represent unchanged, copied into it
 *
 * A table has the message for each kind of change.  Then random documents are copied to every version: whatever was
 * changed, a strict reader accepts the result, and the copy reads every element back and compares it.
 *
 *     COPY_RUNS=1000 COPY_SEED=...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/tool.h>

#include "base/base.h"
#include "nodes.h"
#include "random.h"
#include "test.h"

static const char *const formats[] = {"v3", "v2", "v3-2019", "v3-2020", "v3-2022"};

struct notes {
	char lost[1024], replaced[4096];
};

static int
listen(void *arg, const zinc_copy_note *note)
{
	struct notes *t = arg;
	const bool lost = note->kind == ZINC_COPY_LOST;
	char *out = lost ? t->lost : t->replaced;
	const size_t room = lost ? sizeof t->lost : sizeof t->replaced;

	if (lost || note->kind == ZINC_COPY_REPLACED)
		snprintf(out + strlen(out), room - strlen(out), "%s|", note->message);
	return 0;
}

/* Elements, where the array has integers or floats. */
static void
fill(forest *f)
{
	static const int32_t values[16] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 7, 7, 7, 0, -1, 100, 32767};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	zinc_status st;

	assert_ok(zinc_array_open(&a, f->h, "/a", NULL, &err));
	st = zinc_array_write_text(a, "", ZINC_BUFFER(values, sizeof values), NULL, &err);
	assert_true(st == ZINC_OK || st == ZINC_E_INVALID);
	assert_true(st == ZINC_OK || strcmp(zinc_array_dtype(a), "int32") != 0);
	zinc_array_close(a);
}

/* Put the document, write its elements, copy it; the target is read strictly. */
static zinc_status
carry(const char *document, const char *format, bool lossy, struct notes *t, zinc_error *why)
{
	const zinc_copy_options o = {.size = sizeof o, .lossy = lossy, .verify = 1, .note = listen, .note_arg = t};
	zinc_hierarchy *to = NULL, *again = NULL;
	zinc_array *a = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
	zinc_status st;
	forest f;

	*t = (struct notes){"", ""};
	forest_open(&f, "src", ZINC_LENIENT);
	forest_put(&f, "src/zarr.json", GROUP);
	forest_put(&f, "src/a/zarr.json", document);
	fill(&f);
	assert_ok(zinc_hierarchy_open(&to, f.log, "dst", ZINC_OPEN_OPTIONS(.format = format, .create = 1), &err));
	st = zinc_copy(f.h, "/a", to, "/a", &o, &n, &err);
	if (st == ZINC_OK) {
		assert_ok(zinc_hierarchy_open(&again, f.log, "dst",
					      ZINC_OPEN_OPTIONS(.format = format, .strictness = ZINC_STRICT), &err));
		assert_ok(zinc_array_open(&a, again, "/a", NULL, &err));
		assert_null(zinc_array_unsupported(a));
		zinc_array_close(a);
		zinc_hierarchy_close(again);
	}
	zinc_hierarchy_close(to);
	forest_close(&f);
	zinc_error_copy(why, &err);
	return st;
}

#define DOCUMENT(type, fill, codecs, more)                                                                             \
	"{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4, 4], \"data_type\": " type ", "                  \
	"\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [4, 2]}}, "                      \
	"\"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": " fill ", \"codecs\": [" codecs "]" more "}"
#define BYTES(order)    "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"" order "\"}}"
#define CODEC(name)     "{\"name\": \"" name "\"}"
#define GZIP            "{\"name\": \"gzip\", \"configuration\": {\"level\": 1}}"
#define ZLIB            "{\"name\": \"numcodecs.zlib\", \"configuration\": {\"level\": 3}}"
#define DELTA(dtype)    "{\"name\": \"numcodecs.delta\", \"configuration\": {\"dtype\": \"" dtype "\"}}"
#define TRANSPOSE(axes) "{\"name\": \"transpose\", \"configuration\": {\"order\": [" axes "]}}"
#define SHARD(codecs)                                                                                                  \
	"{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2, 2], \"codecs\": [" codecs           \
	"], \"index_codecs\": [" BYTES("little") "]}}"

static void
test_table(void **state)
{
	static const struct {
		const char *format, *document, *lost, *replaced;
	} rows[] = {
	    {"v2",
	     DOCUMENT("\"float32\"", "0", BYTES("little"),
		      ", \"x1\": {\"must_understand\": false}, \"x2\": {\"must_understand\": false}"),
	     "the member \"x1\"|the member \"x2\"|", ""},
	    {"v2", DOCUMENT("\"float32\"", "\"0x7fc00001\"", BYTES("little"), ""),
	     "the bits of the fill value 0x7fc00001|", ""},
	    {"v2", DOCUMENT("\"complex64\"", "[\"0x7fc00001\", 0]", BYTES("little"), ""), "the fill value|", ""},
	    {"v2", DOCUMENT("\"float32\"", "0", BYTES("little"), ", \"dimension_names\": [\"x\", null]"),
	     "dimension names|", ""},
	    {"v3-2022",
	     DOCUMENT("\"float32\"", "0", BYTES("little"),
		      ", \"dimension_names\": [\"x\", \"y\"], \"attributes\": {\"_ARRAY_DIMENSIONS\": [\"u\", \"v\"]}"),
	     "dimension names|", ""},
	    {"v2", DOCUMENT("\"int16\"", "0", SHARD(BYTES("little") ", " GZIP), ""), "",
	     "shards become plain chunks of the inner shape|"},
	    {"v2", DOCUMENT("\"int16\"", "0", SHARD(SHARD(BYTES("little"))), ""), "",
	     "shards become plain chunks of the inner shape|"},
	    {"v3-2022", DOCUMENT("\"int16\"", "0", SHARD(BYTES("little")) ", " GZIP, ""), "",
	     "shards become plain chunks of the inner shape|"},
	    {"v3-2022", DOCUMENT("\"int16\"", "0", BYTES("little") ", " ZLIB, ""), "",
	     "codec numcodecs.zlib becomes gzip|"},
	    {"v3-2022", DOCUMENT("\"int16\"", "0", BYTES("little") ", " CODEC("crc32c") ", " CODEC("crc32c"), ""), "",
	     "codec crc32c is left out|codec crc32c is left out|"},
	    {"v3-2019", DOCUMENT("\"int16\"", "0", DELTA("<i2") ", " DELTA("<i2") ", " BYTES("little"), ""), "",
	     "codec numcodecs.delta is left out|codec numcodecs.delta is left out|"},
	    {"v3-2022", DOCUMENT("\"bool\"", "false", CODEC("numcodecs.packbits"), ""), "",
	     "codec numcodecs.packbits becomes bytes|"},
	    {"v3-2020",
	     DOCUMENT("\"int16\"", "0", BYTES("little") ", " CODEC("numcodecs.adler32") ", " GZIP ", " CODEC("crc32c"),
		      ""),
	     "", "codec crc32c is left out|"},
	    {"v2", DOCUMENT("\"int16\"", "0", DELTA("<i2") ", " TRANSPOSE("1, 0") ", " BYTES("little"), ""), "",
	     "codec numcodecs.delta is left out|"},
	    {"v2", DOCUMENT("\"int16\"", "0", DELTA("<i2") ", " BYTES("big"), ""), "",
	     "big-endian elements become little-endian|"},
	    {"v2", DOCUMENT("\"int16\"", "0", DELTA(">i2") ", " BYTES("little"), ""), "",
	     "codec numcodecs.delta is left out|"},
	    {"v3-2020",
	     DOCUMENT("\"int16\"", "0", DELTA("<i2") ", " BYTES("little"), ", \"attributes\": {\"filters\": []}"), "",
	     "codec numcodecs.delta is left out|"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		struct notes t;
		const zinc_status st = carry(rows[i].document, rows[i].format, true, &t, &err);

		if (st != ZINC_OK)
			fail_msg("row %zu: %s", i, zinc_error_text(&err));
		if (strcmp(t.lost, rows[i].lost) != 0)
			fail_msg("row %zu: lost %s", i, t.lost);
		if (strncmp(t.replaced, rows[i].replaced, strlen(rows[i].replaced)) != 0)
			fail_msg("row %zu: replaced %s", i, t.replaced);
		err = (zinc_error)ZINC_ERROR_INIT;
		assert_int_equal(carry(rows[i].document, rows[i].format, false, &t, &err),
				 rows[i].lost[0] ? ZINC_E_INVALID : ZINC_OK);
	}
}

/* If no change helps, only the node and its unknown members are reported. */
static void
test_left_out(void **state)
{
	static const char text[] =
	    DOCUMENT("\"string\"", "\"\"", CODEC("vlen-utf8") ", " ZLIB,
		     ", \"x\": {\"must_understand\": false}, \"dimension_names\": [\"x\", null]");
	zinc_error err = ZINC_ERROR_INIT;
	struct notes t;

	(void)state;
	assert_int_equal(carry(text, "v3-2022", true, &t, &err), ZINC_E_INVALID);
	assert_string_equal(t.lost,
			    "the member \"x\"|the whole node: the draft of 2022 cannot hold the data type \"string\"|");
	assert_string_equal(t.replaced, "");
}

/* ---- at random ---- */

#define PICK(list) list[random_below(COUNT(list))]

static void
random_chain(char *out, size_t room, bool inner)
{
	static const char *const front[] = {"",
					    "",
					    "",
					    TRANSPOSE("1, 0") ", ",
					    TRANSPOSE("0, 1") ", ",
					    DELTA("<i4") ", ",
					    DELTA(">i4") ", ",
					    DELTA("<i4") ", " DELTA("<i4") ", ",
					    TRANSPOSE("1, 0") ", " DELTA("<i4") ", ",
					    DELTA("<i4") ", " TRANSPOSE("1, 0") ", "};
	static const char *const middle[] = {BYTES("little"), BYTES("little"), BYTES("big")};
	static const char *const behind[] = {
	    GZIP,
	    ZLIB,
	    CODEC("crc32c"),
	    CODEC("numcodecs.adler32"),
	    CODEC("numcodecs.crc32"),
	    "{\"name\": \"zstd\", \"configuration\": {\"level\": 3, \"checksum\": false}}",
	    ("{\"name\": \"blosc\", \"configuration\": {\"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": "
	     "\"shuffle\", \"typesize\": 4, \"blocksize\": 0}}"),
	    "{\"name\": \"numcodecs.shuffle\", \"configuration\": {\"elementsize\": 4}}",
	    "{\"name\": \"numcodecs.bz2\", \"configuration\": {\"level\": 1}}"};
	char chain[2048] = "";
	size_t n = 0, k;

	if (!inner && random_below(3) == 0) {
		random_chain(chain, sizeof chain, true);
		n = (size_t)snprintf(out, room, SHARD("%s"), chain);
	} else
		n = (size_t)snprintf(out, room, "%s%s", PICK(front), PICK(middle));
	for (k = random_below(inner ? 4 : 3); k > 0; k--)
		n += (size_t)snprintf(out + n, room - n, ", %s", PICK(behind));
}

static void
test_random(void **state)
{
	static const char *const more[] = {"",
					   "",
					   ", \"x\": {\"must_understand\": false}",
					   ", \"dimension_names\": [\"x\", \"y\"]",
					   ", \"dimension_names\": [null, \"y\"]",
					   ", \"attributes\": {\"a\": 1, \"filters\": []}",
					   ", \"https://example.org/e\": {\"must_understand\": false}"};
	const char *runs = getenv("COPY_RUNS"), *seed = getenv("COPY_SEED");
	const long n = runs ? strtol(runs, NULL, 10) : MANY(400);
	char chain[4096], text[8192];
	long i;
	size_t k;

	(void)state;
	random_seed(seed ? strtoull(seed, NULL, 10) : 1);
	for (i = 0; i < n; i++) {
		const uint64_t begin = random_state;

		random_chain(chain, sizeof chain, false);
		snprintf(text, sizeof text, DOCUMENT("\"int32\"", "7", "%s", "%s"), chain, PICK(more));
		for (k = 0; k < COUNT(formats); k++) {
			zinc_error err = ZINC_ERROR_INIT;
			struct notes t;

			if (carry(text, formats[k], true, &t, &err) != ZINC_OK)
				fail_msg("COPY_SEED=%llu: %s: %s: %s", (unsigned long long)begin, formats[k],
					 zinc_error_text(&err), text);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_table),
	    cmocka_unit_test(test_left_out),
	    cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
