/*
 * test_codec_gzip.c - gzip members (M75), and the promises of deflate.c, by number
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/sweep.h"
#include "support/test.h"

#define GZIP(level) "{\"name\": \"gzip\", \"configuration\": {\"level\": " level "}}"
#define CHAIN       "[\"bytes\", " GZIP("6") "]"

/* "hello, zinc" as Python's gzip writes it; then with extra field, name, comment and header CRC; then stored. */
#define HELLO "1f8b0800 00000000 00ff cb48cdc9c9d751a8cacc4b0600 38de5d2b 0b000000"
#define HELLO_HEADERS                                                                                                  \
	"1f8b081e 78563412 0003 040061626364 6e616d6500 636f6d6d656e7400 4056 cb48cdc9c9d751a8cacc4b0600 38de5d2b "    \
	"0b000000"
#define HELLO_STORED "1f8b0800 00000000 00ff 010b00f4ff68656c6c6f2c207a696e63 38de5d2b 0b000000"
#define NOTHING      "1f8b0800 00000000 00ff 0300 00000000 00000000"

static const uint64_t eleven[] = {11, ENDED}, twice[] = {22, ENDED};

static void
decodes_to(const char *hex, const uint64_t *shape, const char *text, zinc_status st)
{
	codec_decodes(CHAIN, "uint8", shape, hex, st, text);
}

/* Output of other programs. */
static void
members(void **state)
{
	(void)state;
	decodes_to(HELLO, eleven, "hello, zinc", ZINC_OK);
	decodes_to(HELLO_HEADERS, eleven, "hello, zinc", ZINC_OK);
	decodes_to(HELLO_STORED, eleven, "hello, zinc", ZINC_OK);
	decodes_to(HELLO NOTHING HELLO_STORED NOTHING, twice, "hello, zinchello, zinc", ZINC_OK);
	/* (2) too few, too many, other trailing bytes, no bytes */
	decodes_to(HELLO, twice, "", ZINC_E_CORRUPT);
	decodes_to(HELLO HELLO, eleven, "", ZINC_E_CORRUPT);
	decodes_to(HELLO "00", eleven, "", ZINC_E_CORRUPT);
	decodes_to(HELLO "0000000000000000 0000000000000000 00000000", eleven, "", ZINC_E_CORRUPT);
	decodes_to("", eleven, "", ZINC_E_CORRUPT);
	/* (2) the CRC, then the size */
	decodes_to("1f8b0800 00000000 00ff cb48cdc9c9d751a8cacc4b0600 39de5d2b 0b000000", eleven, "", ZINC_E_CORRUPT);
	decodes_to("1f8b0800 00000000 00ff cb48cdc9c9d751a8cacc4b0600 38de5d2b 0c000000", eleven, "", ZINC_E_CORRUPT);
	/* a method other than deflate, a reserved flag */
	decodes_to("1f8b0700 00000000 00ff cb48cdc9c9d751a8cacc4b0600 38de5d2b 0b000000", eleven, "", ZINC_E_CORRUPT);
	decodes_to("1f8b0820 00000000 00ff cb48cdc9c9d751a8cacc4b0600 38de5d2b 0b000000", eleven, "", ZINC_E_CORRUPT);
}

/* (1) No time, no name, one member; every level; again and again the same. */
static void
written(void **state)
{
	const uint64_t shape[] = {1000, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[1000], back[1000];
	char codecs[80];
	uint8_t *first;
	size_t i, n;
	chain_case t;
	int level;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i / 50);
	for (level = 0; level <= 9; level++) {
		snprintf(codecs, sizeof codecs, "[\"bytes\", " GZIP("%d") "]", level);
		assert_ok(chain_init(&t, NULL, codecs, "uint8", shape, NULL, true, &err));
		assert_ok(chain_encode(&t, in, &err));
		assert_memory_equal(t.out.p, "\x1f\x8b\x08\x00\x00\x00\x00\x00", 8);
		assert_true(level ? t.out.n < sizeof in : t.out.n > sizeof in);
		n = t.out.n;
		first = (uint8_t *)malloc(n);
		assert_non_null(first);
		memcpy(first, t.out.p, n);
		assert_ok(chain_decode(&t, first, n, back, &err));
		assert_memory_equal(in, back, sizeof in);
		assert_ok(chain_encode(&t, in, &err));
		assert_int_equal(t.out.n, n);
		assert_memory_equal(t.out.p, first, n);
		free(first);
		chain_fini(&t);
	}
	chain_roundtrip("[\"bytes\", " GZIP("1") ", " GZIP("9") "]", "uint8", shape, NULL, in);
}

static void
damage(void **state)
{
	(void)state;
	/* the header's time, name and system are not checked; the elements always are */
	assert_damage_noticed(CHAIN);
}

static void
configuration(void **state)
{
	(void)state;
	chain_finds("[\"bytes\", \"gzip\"]", "uint8", eleven, ZINC_E_CORRUPT, "M14", "/1");
	chain_finds("[\"bytes\", {\"name\": \"gzip\"}]", "uint8", eleven, ZINC_E_CORRUPT, "M75", "/1");
	chain_finds("[\"bytes\", " GZIP("10") "]", "uint8", eleven, ZINC_E_CORRUPT, "M75", "/1/configuration/level");
	chain_finds("[\"bytes\", " GZIP("-1") "]", "uint8", eleven, ZINC_E_CORRUPT, "M75", "/1/configuration/level");
	chain_finds("[\"bytes\", " GZIP("1.0") "]", "uint8", eleven, ZINC_E_CORRUPT, "M75", "/1/configuration/level");
	chain_finds("[\"bytes\", " GZIP("\"1\"") "]", "uint8", eleven, ZINC_E_CORRUPT, "M75", "/1/configuration/level");
	chain_finds("[\"bytes\", {\"name\": \"gzip\", \"configuration\": {\"level\": 1, \"mtime\": 0}}]", "uint8",
		    eleven, ZINC_OK, "M75", "/1/configuration/mtime");
}

/* (3) 10 GB of zeros, as 10240 members of 1 MiB each, where 11 bytes should be; and inside another gzip. */
static void
bombs(void **state)
{
	const uint64_t mib[] = {1 << 20, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	chain_case one, t;
	sweep_memory m;
	uint8_t *zeros = (uint8_t *)calloc(1, 1 << 20), *bomb;
	char back[64];
	size_t n, i;

	(void)state;
	assert_non_null(zeros);
	assert_ok(chain_init(&one, NULL, "[\"bytes\", " GZIP("9") "]", "uint8", mib, NULL, true, &err));
	assert_ok(chain_encode(&one, zeros, &err));
	n = one.out.n;
	bomb = (uint8_t *)malloc(10240 * n);
	assert_non_null(bomb);
	for (i = 0; i < 10240; i++)
		memcpy(bomb + i * n, one.out.p, n);
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_ok(chain_init(&t, ctx, CHAIN, "uint8", eleven, NULL, true, &err));
	assert_int_equal(chain_decode(&t, bomb, 10240 * n, back, &err), ZINC_E_CORRUPT);
	chain_fini(&t);
	/* size not known, but bounded by what the inner gzip may take */
	assert_ok(chain_init(&t, ctx, "[\"bytes\", " GZIP("1") ", " GZIP("1") "]", "uint8", eleven, NULL, true, &err));
	assert_int_equal(chain_decode(&t, bomb, 10240 * n, back, &err), ZINC_E_CORRUPT);
	assert_int_equal(chain_decode(&t, bomb, n, back, &err), ZINC_E_CORRUPT);
	chain_fini(&t);
	assert_true(m.peak < 1 << 20);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
	chain_fini(&one);
	free(bomb);
	free(zeros);
}

/* (4) Nothing is allocated from the second chunk on. */
static void
warm(void **state)
{
	const uint64_t shape[] = {1000, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	uint8_t in[1000] = {1, 2, 3};
	zinc_view view;
	sweep_memory m;
	chain_case t;
	int i;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_ok(chain_init(&t, ctx, "[\"bytes\", " GZIP("1") ", " GZIP("1") "]", "uint8", shape, NULL, true, &err));
	for (i = 0; i < 10; i++) {
		if (i == 2)
			sweep_memory_fail(&m, 0, false);
		assert_ok(chain_encode(&t, in, &err));
		assert_ok(zinc_chain_decode(t.chain, t.s, shape, (zinc_bytes){t.out.p, t.out.n}, NULL, 0, &view, &err));
		assert_memory_equal(view.p, in, sizeof in);
	}
	assert_int_equal(m.calls, 0);
	chain_fini(&t);
	zinc_context_free(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(members),       cmocka_unit_test(written), cmocka_unit_test(damage),
	    cmocka_unit_test(configuration), cmocka_unit_test(bombs),   cmocka_unit_test(warm),
	};

	return zinc_codec_gzip.lacks ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
