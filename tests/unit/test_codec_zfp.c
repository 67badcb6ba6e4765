/*
 * test_codec_zfp.c - zfp and numcodecs.zfpy: the promises of zfp.c, by number
 *
 * The bytes are output of zarrs 0.23 (zfp) and of zfpy 1.0.1 (numcodecs.zfpy).
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/random.h"
#include "support/test.h"
#include "support/zfp_vectors.h"

#define ZFP(configuration)  "[{\"name\": \"zfp\", \"configuration\": {" configuration "}}]"
#define ZFPY(configuration) "[{\"name\": \"numcodecs.zfpy\", \"configuration\": {" configuration "}}]"
#define REVERSIBLE          "\"mode\": \"reversible\""
#define RATE(r)             "\"mode\": \"fixed_rate\", \"rate\": " r
#define PRECISION(p)        "\"mode\": \"fixed_precision\", \"precision\": " p
#define ACCURACY(t)         "\"mode\": \"fixed_accuracy\", \"tolerance\": " t
#define EXPERT(a, b, c, d)                                                                                             \
	"\"mode\": \"expert\", \"minbits\": " a ", \"maxbits\": " b ", \"maxprec\": " c ", \"minexp\": " d
#define AT "/0/configuration"

static const uint64_t six[] = {6, ENDED}, four[] = {4, ENDED}, none[] = {0, 5, ENDED}, scalar[] = {ENDED},
		      plane[] = {5, 6, ENDED}, deep[] = {2, 3, 4, 5, ENDED}, five_d[] = {1, 2, 1, 2, 1, ENDED},
		      cube[] = {4, 5, 6, ENDED};

static void
needs_zfp(void)
{
	if (zinc_codec_zfp.lacks)
		skip();
}

/* The bytes of other programs decode to their elements, and are those that encoding gives. */
static void
vectors(void **state)
{
	size_t i;

	(void)state;
	needs_zfp();
	for (i = 0; i < COUNT(zfp_vectors); i++) {
		const zfp_vector *v = &zfp_vectors[i];
		uint8_t elements[512];

		assert_true(unhex(v->decoded, elements, sizeof elements) <= sizeof elements);
		if (ZINC_HOST_BIG) /* the table is little-endian */
			continue;
		codec_decodes(v->codecs, v->dtype, v->shape, v->encoded, ZINC_OK, elements);
		assert_true(unhex(v->elements, elements, sizeof elements) <= sizeof elements);
		if (!v->read_only)
			codec_encodes(v->codecs, v->dtype, v->shape, elements, ZINC_OK, v->encoded);
	}
}

/* Every type, without loss, extremes included; NaNs keep their bits. */
static void
reversible(void **state)
{
	static const struct {
		const char *dtype;
		size_t size;
		bool is_unsigned;
	} types[] = {{"int8", 1, false},    {"uint8", 1, false},  {"int16", 2, false}, {"uint16", 2, false},
		     {"int32", 4, false},   {"uint32", 4, true},  {"int64", 8, false}, {"uint64", 8, true},
		     {"float32", 4, false}, {"float64", 8, false}};
	const uint64_t *const shapes[] = {scalar, six, plane, cube, deep};
	uint8_t in[120 * 8];
	size_t i, k, j;

	(void)state;
	needs_zfp();
	for (i = 0; i < COUNT(types); i++)
		for (k = 0; k < COUNT(shapes); k++) {
			for (j = 0; j < sizeof in; j++)
				in[j] = (uint8_t)random_below(256);
			memset(in, 0xff, 8);
			memset(in + 8, 0x80, 8);
			for (j = 0; j < sizeof in / types[i].size && types[i].is_unsigned; j++) /* (3): the top bit */
				in[j * types[i].size + (ZINC_HOST_BIG ? 0 : types[i].size - 1)] &= 0x7f;
			chain_roundtrip(ZFP(REVERSIBLE), types[i].dtype, shapes[k], NULL, in);
			if (types[i].size >= 4 && !types[i].is_unsigned)
				chain_roundtrip(ZFPY("\"mode\": 5"), types[i].dtype, shapes[k], NULL, in);
		}
	codec_encodes(ZFP(REVERSIBLE), "int32", none, in, ZINC_OK, "");
	codec_decodes(ZFP(REVERSIBLE), "int32", none, "", ZINC_OK, in);
	codec_decodes(ZFP(REVERSIBLE), "int32", none, "00", ZINC_E_CORRUPT, NULL);
	codec_decodes(ZFP(REVERSIBLE), "int32", six, "", ZINC_E_CORRUPT, NULL);
}

/* The largest difference that a mode makes. */
static double
loss(const char *codecs, const uint64_t *shape, const double *in, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;
	double back[120], most = 0;
	chain_case t;
	size_t i;

	assert_ok(chain_init(&t, NULL, codecs, "float64", shape, NULL, true, &err));
	assert_false(t.chain->fixed_size);
	assert_true(t.chain->ab->ops->pack->loses(t.chain->ab));
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(t.out.n % 8, 0); /* whole words */
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	for (i = 0; i < n; i++)
		most = fmax(most, fabs(in[i] - back[i]));
	chain_fini(&t);
	return most;
}

static void
modes(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	double in[120];
	chain_case t;
	int i;

	(void)state;
	needs_zfp();
	for (i = 0; i < 120; i++)
		in[i] = sin(i * 0.1) * 100;
	assert_true(loss(ZFP(ACCURACY("0.01")), deep, in, 120) <= 0.01);
	assert_true(loss(ZFP(ACCURACY("10")), deep, in, 120) > 0.01);
	assert_true(loss(ZFP(PRECISION("40")), cube, in, 120) < 1e-6);
	assert_true(loss(ZFP(PRECISION("8")), cube, in, 120) > 1e-6);
	assert_true(loss(ZFP(RATE("32")), plane, in, 30) < 1e-3);
	assert_true(loss(ZFP(EXPERT("1", "16658", "64", "-20")), plane, in, 30) < 1e-4);
	assert_true(loss(ZFPY("\"mode\": 4, \"tolerance\": 0.5"), deep, in, 120) <= 0.5);
	assert_true(loss(ZFPY("\"mode\": 2, \"rate\": 20"), plane, in, 30) < 1);
	assert_true(loss(ZFPY("\"mode\": 3, \"precision\": 30"), plane, in, 30) < 1e-3);
	/* a rate is the bits of a number: 30 numbers are 4 blocks of 16 */
	assert_ok(chain_init(&t, NULL, ZFP(RATE("8")), "float64", plane, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(t.out.n, 4 * 16 * 8 / 8);
	chain_fini(&t);
	/* without a tolerance, Python encodes without loss */
	chain_roundtrip(ZFPY("\"mode\": 4"), "float64", plane, NULL, in);
	chain_roundtrip(ZFPY(""), "float64", plane, NULL, in);
	assert_ok(chain_init(&t, NULL, ZFP(REVERSIBLE), "float64", plane, NULL, true, &err));
	assert_false(t.chain->ab->ops->pack->loses(t.chain->ab));
	chain_fini(&t);
}

/* (3) */
static void
refused(void **state)
{
	const double nan[] = {1, 2, (double)NAN, 4}, infinite[] = {1, 2, 3, -(double)INFINITY};
	const float nan4[] = {1, (float)NAN, 3, 4};
	const int32_t wide[] = {0, 1 << 30, 0, 0}, low[] = {0, 0, -(1 << 30), 0},
		      fits[] = {(1 << 30) - 1, 1 - (1 << 30), 0, 0};
	const int64_t wide8[] = {0, (int64_t)1 << 62, 0, 0}, least[] = {INT64_MIN, 0, 0, 0};
	const uint32_t top[] = {0, 0x80000000, 0, 0}, half[] = {0x7fffffff, 0, 0, 0};
	const uint64_t top8[] = {0, 0, 0, (uint64_t)1 << 63};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	needs_zfp();
	codec_encodes(ZFP(PRECISION("30")), "float64", four, nan, ZINC_E_RANGE, NULL);
	codec_encodes(ZFP(ACCURACY("1")), "float64", four, infinite, ZINC_E_RANGE, NULL);
	codec_encodes(ZFP(RATE("8")), "float32", four, nan4, ZINC_E_RANGE, NULL);
	codec_encodes(ZFPY("\"mode\": 2, \"rate\": 16"), "float64", four, nan, ZINC_E_RANGE, NULL);
	codec_encodes(ZFP(RATE("16")), "int32", four, wide, ZINC_E_RANGE, NULL);
	codec_encodes(ZFP(RATE("16")), "int32", four, low, ZINC_E_RANGE, NULL);
	codec_encodes(ZFP(RATE("16")), "int64", four, wide8, ZINC_E_RANGE, NULL);
	codec_encodes(ZFP(RATE("16")), "int64", four, least, ZINC_E_RANGE, NULL);
	codec_encodes(ZFPY("\"mode\": 3, \"precision\": 16"), "int32", four, wide, ZINC_E_RANGE, NULL);
	codec_encodes(ZFP(REVERSIBLE), "uint32", four, top, ZINC_E_RANGE, NULL);
	codec_encodes(ZFP(REVERSIBLE), "uint64", four, top8, ZINC_E_RANGE, NULL);
	codec_encodes(ZFP(PRECISION("32")), "uint32", four, half, ZINC_E_RANGE, NULL);
	chain_roundtrip(ZFP(REVERSIBLE), "uint32", four, NULL, half);
	assert_ok(chain_init(&t, NULL, ZFP(PRECISION("32")), "int32", four, NULL, true, &err));
	assert_ok(chain_encode(&t, fits, &err));
	chain_fini(&t);
}

static void
accepted(const char *codecs, const char *dtype, const uint64_t *shape, const void *in)
{
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	assert_ok(chain_init(&t, NULL, codecs, dtype, shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	chain_fini(&t);
}

/* (3) Blocks of tiny numbers, whose scaling overflows in libzfp, and tiny numbers beside others. */
static void
tiny(void **state)
{
	static const char *const lossy[] = {ZFP(PRECISION("16")), ZFP(RATE("16")), ZFP(ACCURACY("0")),
					    ZFP(EXPERT("1", "4096", "64", "-1074")),
					    ZFPY("\"mode\": 3, \"precision\": 30")};
	const uint64_t pair[] = {5, 3, ENDED};
	float below[15] = {0}, single[4] = {0, 0x1p-98F, 0, -0x1p-98F}, less[4] = {0, 0x1.fffffep-99F, 0, 0};
	double twice[4] = {0x1p-962, 0, 0, 0}, lost[4] = {0x1.8p-963, 0, 0, 0}, least[4] = {0, 0, 5e-324, 0};
	size_t i;

	(void)state;
	needs_zfp();
	for (i = 0; i < COUNT(lossy); i++) {
		codec_encodes(lossy[i], "float32", four, less, ZINC_E_RANGE, NULL);
		codec_encodes(lossy[i], "float64", four, lost, ZINC_E_RANGE, NULL);
		codec_encodes(lossy[i], "float64", four, least, ZINC_E_RANGE, NULL);
		assert_true(loss(lossy[i], four, twice, 4) < 0x1p-966);
	}
	chain_roundtrip(ZFP(PRECISION("32")), "float32", four, NULL, single);
	chain_roundtrip(ZFP(REVERSIBLE), "float32", four, NULL, less);
	chain_roundtrip(ZFP(EXPERT("1", "16658", "64", "-1075")), "float32", four, NULL, less); /* reversible, too */
	chain_roundtrip(ZFPY("\"mode\": 5"), "float64", four, NULL, least);
	/* of 5 x 3, the last row is a block of its own */
	below[3] = 1;
	below[4] = 1e-31F;
	accepted(ZFP(RATE("16")), "float32", pair, below);
	below[12] = 1e-31F;
	codec_encodes(ZFP(RATE("16")), "float32", pair, below, ZINC_E_RANGE, NULL);
	below[14] = 1;
	accepted(ZFP(RATE("16")), "float32", pair, below);
	/* a tolerance under which such a block is 0 */
	assert_true(loss(ZFP(ACCURACY("1e-20")), four, lost, 4) == lost[0]);
}

/* (1) Every prefix and every flipped bit, in memory of exactly that size. */
static void
damaged(void **state)
{
	static const char *const chains[] = {ZFP(REVERSIBLE),
					     ZFP(RATE("9")),
					     ZFP(ACCURACY("0.1")),
					     ZFP(EXPERT("100", "600", "30", "-1074")),
					     ZFPY("\"mode\": 4, \"tolerance\": 0.1"),
					     ZFPY("\"mode\": 2, \"rate\": 7")};
	const uint64_t *const shapes[] = {six, plane, cube, deep};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t *bytes;
	double in[120];
	chain_case t;
	size_t i, k, n;

	(void)state;
	needs_zfp();
	for (i = 0; i < 120; i++)
		in[i] = (double)i * (double)i / 7 - 100;
	for (i = 0; i < COUNT(chains); i++)
		for (k = 0; k < COUNT(shapes); k++) {
			assert_ok(chain_init(&t, NULL, chains[i], "float64", shapes[k], NULL, true, &err));
			assert_ok(chain_encode(&t, in, &err));
			n = t.out.n;
			bytes = malloc(n);
			assert_non_null(bytes);
			memcpy(bytes, t.out.p, n);
			(void)chain_damage(&t, bytes, n, in);
			free(bytes);
			chain_fini(&t);
		}
	/* any bytes: nothing is promised but elements or E_CORRUPT */
	for (i = 0; i < MANY(20000); i++) {
		uint8_t noise[200], back[120 * 8];
		zinc_status st;

		assert_ok(chain_init(&t, NULL, chains[i % COUNT(chains)], "float64", shapes[i % COUNT(shapes)], NULL,
				     true, &err));
		for (k = 0; k < sizeof noise; k++)
			noise[k] = (uint8_t)(random_below(4) ? random_below(256) : 255);
		if (i % COUNT(chains) >= 4)
			memcpy(noise, "zfp\5", 4);
		st = chain_decode(&t, noise, random_below(sizeof noise), back, &err);
		assert_true(st == ZINC_OK || st == ZINC_E_CORRUPT);
		chain_fini(&t);
	}
	codec_decodes(ZFP(RATE("16")), "int32", four, "0000000000000000 0000000000000000", ZINC_E_CORRUPT, NULL);
	codec_decodes(ZFP(EXPERT("32768", "32768", "64", "-1074")), "int32", four, "0000000000000000", ZINC_E_CORRUPT,
		      NULL);
}

/* (1) A stream without the zeros of its last word is read, one that is cut inside the word is not. */
static void
cut(void **state)
{
	static const char *const chains[] = {ZFP(REVERSIBLE), ZFP(ACCURACY("0.1")), ZFP(PRECISION("12")),
					     ZFP(RATE("9"))};
	zinc_error err = ZINC_ERROR_INIT;
	double in[120], whole[120], back[120];
	size_t i, n, used, refused;
	chain_case t;

	(void)state;
	needs_zfp();
	for (i = 0; i < 120; i++)
		in[i] = sin((double)i) * 50;
	for (i = 0; i < COUNT(chains); i++) {
		assert_ok(chain_init(&t, NULL, chains[i], "float64", deep, NULL, true, &err));
		assert_ok(chain_encode(&t, in, &err));
		assert_ok(chain_decode(&t, t.out.p, t.out.n, whole, &err));
		for (used = t.out.n; used > 0 && t.out.p[used - 1] == 0; used--)
			;
		for (n = 1, refused = 0; n <= 8; n++) {
			if (chain_decode(&t, t.out.p, t.out.n - n, back, &err) != ZINC_OK)
				refused++;
			else if (t.out.n - n < used || memcmp(back, whole, sizeof back) != 0)
				fail_msg("%s: other numbers without the last %zu bytes", chains[i], n);
		}
		assert_true(refused > 0);
		chain_fini(&t);
	}
}

/* (2) */
static void
headers(void **state)
{
	const double in[120] = {1, 2, 3, 4, 5, 6};
	const uint64_t s32[] = {3, 2, ENDED}, s23[] = {2, 3, ENDED}, seven[] = {7, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	char hex[600] = "";
	chain_case t;
	size_t i;

	(void)state;
	needs_zfp();
	assert_ok(chain_init(&t, NULL, ZFPY("\"mode\": 5"), "float64", six, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	for (i = 0; i < t.out.n; i++)
		snprintf(hex + 2 * i, 3, "%02x", t.out.p[i]);
	chain_fini(&t);
	/* the mode is the header's: a configuration with another one reads it, too */
	codec_decodes(ZFPY("\"mode\": 2, \"rate\": 3"), "float64", six, hex, ZINC_OK, in);
	codec_decodes(ZFPY(""), "float64", s32, hex, ZINC_OK, in); /* one row, as filters leave it */
	codec_decodes(ZFPY(""), "float64", seven, hex, ZINC_E_CORRUPT, NULL);
	codec_decodes(ZFPY(""), "int64", six, hex, ZINC_E_CORRUPT, NULL);
	codec_decodes(ZFPY(""), "float32", six, hex, ZINC_E_CORRUPT, NULL);
	hex[0] ^= 1;
	codec_decodes(ZFPY(""), "float64", six, hex, ZINC_E_CORRUPT, NULL);
	/* three rows of two are not two of three */
	assert_ok(chain_init(&t, NULL, ZFPY("\"mode\": 5"), "float64", s32, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	for (i = 0; i < t.out.n; i++)
		snprintf(hex + 2 * i, 3, "%02x", t.out.p[i]);
	chain_fini(&t);
	codec_decodes(ZFPY(""), "float64", s23, hex, ZINC_E_CORRUPT, NULL);
	codec_decodes(ZFPY(""), "float64", six, hex, ZINC_E_CORRUPT, NULL);
}

/* (3) Numbers near the end of the range are stored if they do not become infinite. */
static void
huge(void **state)
{
	static const char *const modes[] = {ZFP(PRECISION("24")), ZFP(RATE("24")), ZFP(ACCURACY("1e36")),
					    ZFPY("\"mode\": 3, \"precision\": 24"),
					    ZFP(EXPERT("1", "100", "24", "-1074"))};
	const float in[] = {-FLT_MAX, 1.5F, -FLT_MAX, 2.5F}, less[] = {0x1p127F, 0, -0x1p126F, 0};
	const double twice[] = {-DBL_MAX, 1.5, -DBL_MAX, 2.5};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	float back[4];
	size_t i;

	(void)state;
	needs_zfp();
	for (i = 0; i < COUNT(modes); i++) {
		codec_encodes(modes[i], "float32", four, in, ZINC_E_RANGE, NULL);
		assert_ok(chain_init(&t, NULL, modes[i], "float32", four, NULL, true, &err));
		assert_ok(chain_encode(&t, less, &err));
		assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
		assert_true(fabsf(back[0] - less[0]) <= 0x1p121F && fabsf(back[2] - less[2]) <= 0x1p121F);
		chain_fini(&t);
	}
	codec_encodes(ZFP(PRECISION("24")), "float64", four, twice, ZINC_E_RANGE, NULL);
	codec_encodes(ZFP(RATE("24")), "float64", four, twice, ZINC_E_RANGE, NULL);
	chain_roundtrip(ZFP(REVERSIBLE), "float64", four, NULL, twice);
	codec_sweep(ZFP(RATE("24")), "float32", four, less);
	codec_warm(ZFP(RATE("24")), "float32", four, less);
}

static void
configuration(void **state)
{
	static const char *const wrong[] = {
	    "",
	    "\"mode\": 5",
	    "\"mode\": \"lossless\"",
	    "\"mode\": \"fixed_rate\"",
	    RATE("\"8\""),
	    RATE("0"),
	    RATE("-1"),
	    RATE("1e9"),
	    RATE("0.001"),
	    PRECISION("-1"),
	    PRECISION("1.5"),
	    EXPERT("2", "1", "3", "4"),
	    EXPERT("-1", "1", "3", "4"),
	    EXPERT("1", "100", "0", "4"),
	    EXPERT("1", "100", "65", "4"),
	    EXPERT("40000", "50000", "3", "4"),
	    EXPERT("1", "100", "3", "20000"),
	    EXPERT("1", "4", "64", "-1075"),
	    ACCURACY("1"), /* of integers */
	};
	char codecs[300];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(wrong); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		chain_case t;

		snprintf(codecs, sizeof codecs, ZFP("%s"), wrong[i]);
		assert_int_equal(chain_init(&t, NULL, codecs, "int32", six, NULL, true, &err), ZINC_E_CORRUPT);
		assert_string_equal(t.rule, "zfp");
		chain_fini(&t);
	}
	needs_zfp();
	chain_finds("[\"zfp\"]", "int32", six, ZINC_E_CORRUPT, "M14", "/0");
	chain_finds(ZFP(EXPERT("1", "8", "64", "-1074")), "float32", six, ZINC_E_CORRUPT, "zfp", AT);
	chain_finds(ZFP(ACCURACY("-1")), "float32", six, ZINC_E_CORRUPT, "zfp", AT);
	chain_finds(ZFP(REVERSIBLE), "bool", six, ZINC_E_CORRUPT, "zfp", AT);
	chain_finds(ZFP(REVERSIBLE), "float16", six, ZINC_E_CORRUPT, "zfp", AT);
	chain_finds(ZFP(REVERSIBLE), "complex64", six, ZINC_E_CORRUPT, "zfp", AT);
	chain_finds(ZFP(REVERSIBLE), "int32", five_d, ZINC_E_CORRUPT, "zfp", AT);
	chain_finds(ZFP(REVERSIBLE ", \"rate\": 8"), "int32", six, ZINC_OK, "zfp", AT "/rate");
	chain_finds(ZFPY("\"mode\": 6"), "int32", six, ZINC_E_CORRUPT, "zfpy", AT "/mode");
	chain_finds(ZFPY("\"mode\": 2, \"rate\": 0"), "int32", six, ZINC_E_CORRUPT, "zfpy", AT);
	chain_finds(ZFPY("\"mode\": 4, \"tolerance\": \"x\""), "int32", six, ZINC_E_CORRUPT, "zfpy", AT "/tolerance");
	chain_finds(ZFPY(""), "int16", six, ZINC_E_CORRUPT, "zfpy", AT);
	chain_finds(ZFPY(""), "int32", five_d, ZINC_E_CORRUPT, "zfpy", AT);
	codec_prints(ZFP(REVERSIBLE), "int32", ZFP(REVERSIBLE), "[]");
	codec_prints(ZFP(RATE("10.5")), "int32", ZFP(RATE("10.5")), "[]");
	codec_prints(ZFP(PRECISION("19")), "int32", ZFP(PRECISION("19")), "[]");
	codec_prints(ZFP(ACCURACY("0.05")), "float32", ZFP(ACCURACY("0.05")), "[]");
	codec_prints(ZFP(EXPERT("1", "13", "19", "-2")), "float32", ZFP(EXPERT("1", "13", "19", "-2")), "[]");
#define PRINTED "\"tolerance\": -1, \"rate\": 9.5, \"precision\": -1"
	codec_prints(ZFPY("\"mode\": 2, \"rate\": 9.5"), "int32", ZFPY("\"mode\": 2, " PRINTED),
		     "[{\"id\": \"zfpy\", \"mode\": 2, " PRINTED "}]");
	codec_prints(ZFPY("\"mode\": 2, \"rate\": 9.5, \"compression_kwargs\": {\"rate\": 9.5}"), "int32",
		     ZFPY("\"mode\": 2, " PRINTED), "[{\"id\": \"zfpy\", \"mode\": 2, " PRINTED "}]");
	codec_words("zfp", "int32", ZFP(REVERSIBLE));
	codec_words("zfp:fixed_accuracy:0.01", "float32", ZFP(ACCURACY("0.01")));
	codec_words("zfp:expert:1:13:19:-2", "float32", ZFP(EXPERT("1", "13", "19", "-2")));
	codec_words("zfp:fixed_rate", "float32", NULL);
	codec_words("zfp:fixed_rate:8:9", "float32", NULL);
	codec_words("zfp:fixed_rate:x", "float32", NULL);
	codec_words("zfp:best", "float32", NULL);
}

static void
memory(void **state)
{
	const double in[120] = {1, 2, 3};

	(void)state;
	needs_zfp();
	codec_sweep(ZFP(REVERSIBLE), "float64", plane, in);
	codec_sweep(ZFPY("\"mode\": 2, \"rate\": 9.5"), "float64", plane, in);
	codec_warm(ZFP(RATE("7")), "float64", deep, in);
	codec_warm(ZFP(REVERSIBLE), "int16", deep, in);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),       cmocka_unit_test(reversible), cmocka_unit_test(modes),
	    cmocka_unit_test(refused),       cmocka_unit_test(damaged),    cmocka_unit_test(cut),
	    cmocka_unit_test(tiny),          cmocka_unit_test(headers),    cmocka_unit_test(huge),
	    cmocka_unit_test(configuration), cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
