/*
 * test_codec_bytes.c - elements as bytes: M65, M68-M72
 */
#include "support/chains.h"
#include "support/sweep.h"
#include "support/test.h"

#define BARE   "[\"bytes\"]"
#define LITTLE "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]"
#define BIG    "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}]"

static const uint64_t scalar[] = {ENDED}, two[] = {2, ENDED}, four[] = {4, ENDED}, two_three[] = {2, 3, ENDED};

/* Elements, and the bytes they must become. */
static void
stores(const char *codecs, const char *dtype, const uint64_t *shape, const void *elements, const char *hex)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t want[64], back[64];
	size_t n = unhex(hex, want, sizeof want);
	chain_case t;

	assert_ok(chain_init(&t, NULL, codecs, dtype, shape, NULL, true, &err));
	assert_true(t.chain->fixed_size);
	assert_ok(chain_encode(&t, elements, &err));
	assert_int_equal(t.out.n, n);
	assert_memory_equal(t.out.p, want, n);
	assert_ok(chain_decode(&t, want, n, back, &err));
	assert_memory_equal(back, elements, n);
	chain_fini(&t);
}

/* M68, M69, M71: each kind of type in both byte orders. */
static void
both_byte_orders(void **state)
{
	const uint16_t u16[] = {0x0102, 0x0304, 0x0506, 0x0708, 0x090a, 0x0b0c};
	const uint32_t u32[] = {0x01020304, 0x05060708};
	const uint64_t u64[] = {0x0102030405060708, 1};
	const float complex64[] = {1.0f, -2.0f, 0.5f, 0.0f};
	const double f64 = -0.0;
	const uint8_t raw[] = {1, 2, 3, 4, 5, 6};

	(void)state;
	stores(LITTLE, "uint16", two_three, u16, "0201 0403 0605 0807 0a09 0c0b");
	stores(BIG, "uint16", two_three, u16, "0102 0304 0506 0708 090a 0b0c");
	stores(LITTLE, "uint32", two, u32, "04030201 08070605");
	stores(BIG, "uint32", two, u32, "01020304 05060708");
	stores(LITTLE, "uint64", two, u64, "0807060504030201 0100000000000000");
	stores(BIG, "uint64", two, u64, "0102030405060708 0000000000000001");
	stores(LITTLE, "complex64", two, complex64, "0000803f 000000c0 0000003f 00000000");
	stores(BIG, "complex64", two, complex64, "3f800000 c0000000 3f000000 00000000");
	stores(BIG, "float64", scalar, &f64, "8000000000000000");
	/* one byte, or bytes without meaning: the order is allowed, and does nothing */
	stores(BARE, "uint8", four, raw, "01020304");
	stores(BIG, "int8", four, raw, "01020304");
	stores(BARE, "r24", two, raw, "010203040506");
	stores(BIG, "r24", two, raw, "010203040506");
}

static void
configuration(void **state)
{
	(void)state;
	chain_finds(BARE, "uint16", two, ZINC_E_CORRUPT, "M68", "/0");
	chain_finds("[{\"name\": \"bytes\"}]", "float32", two, ZINC_E_CORRUPT, "M68", "/0");
	chain_finds("[{\"name\": \"bytes\", \"configuration\": {}}]", "float32", two, ZINC_E_CORRUPT, "M68",
		    "/0/configuration");
	chain_finds("[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"Little\"}}]", "float32", two,
		    ZINC_E_CORRUPT, "M68", "/0/configuration/endian");
	chain_finds("[{\"name\": \"bytes\", \"configuration\": {\"endian\": 1}}]", "uint8", two, ZINC_E_CORRUPT, "M68",
		    "/0/configuration/endian");
	chain_finds("[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\", \"x\": 1}}]", "uint16", two,
		    ZINC_OK, "M68", "/0/configuration/x");
	/* the spelling of 2023 */
	chain_finds("[{\"name\": \"endian\", \"configuration\": {\"endian\": \"big\"}}]", "uint16", two, ZINC_OK, "M20",
		    "/0");
}

/* M70: a bool is 0 or 1, on the way in and on the way out. */
static void
bools(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	static uint8_t many[9001], back[9000]; /* one more than a chunk */
	const uint64_t n[] = {9000, ENDED};
	const uint8_t good[] = {1, 0, 0, 1};
	size_t i;
	chain_case t;

	(void)state;
	stores(BARE, "bool", four, good, "01000001");
	assert_ok(chain_init(&t, NULL, BARE, "bool", n, NULL, true, &err));
	assert_int_equal(zinc_chain_plain(t.chain), 0);
	for (i = 0; i < 9000; i += 4095) { /* in every block of the check, also at its ends */
		many[i] = i % 2 ? 255 : 2;
		assert_int_equal(chain_encode(&t, many, &err), ZINC_E_RANGE);
		assert_int_equal(chain_decode(&t, many, sizeof back, back, &err), ZINC_E_CORRUPT);
		assert_string_equal(err.codec, "bytes");
		assert_non_null(strstr(err.text, "M70"));
		many[i] = 1;
		assert_ok(chain_encode(&t, many, &err));
		assert_ok(chain_decode(&t, many, sizeof back, back, &err));
		assert_memory_equal(many, back, sizeof back);
	}
	for (i = sizeof back - 1; i <= sizeof many; i += 2) {
		assert_int_equal(chain_decode(&t, many, i, back, &err), ZINC_E_CORRUPT);
		assert_non_null(strstr(err.text, "M72"));
	}
	chain_fini(&t);
}

/* ---- structs ---- */

static const char record[] =
    "{\"name\": \"struct\", \"configuration\": {\"fields\": [{\"name\": \"id\", \"data_type\": "
    "\"int32\"}, {\"name\": \"flags\", \"data_type\": \"uint8\"}, {\"name\": \"value\", "
    "\"data_type\": \"float64\"}]}}";
static const char old_record[] = "{\"name\": \"structured\", \"configuration\": {\"fields\": [[\"id\", \"int32\"], "
				 "[\"flags\", \"uint8\"], [\"value\", \"float64\"]]}}";

/* An element as this machine has it. */
static void
make_record(uint8_t *p, int32_t id, uint8_t flags, double value)
{
	memcpy(p, &id, 4);
	p[4] = flags;
	memcpy(p + 5, &value, 8);
}

/* Each field by itself; the first bytes are the registry's example. */
static void
structs(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[26], back[26];
	chain_case t;

	(void)state;
	make_record(in, 1, 2, 1.0);
	make_record(in + 13, -2, 255, -0.5);
	stores(LITTLE, record, two, in, "01000000 02 000000000000f03f feffffff ff 000000000000e0bf");
	stores(BIG, record, two, in, "00000001 02 3ff0000000000000 fffffffe ff bfe0000000000000");
	chain_finds(BARE, record, two, ZINC_E_CORRUPT, "M68", "/0");
	/* what zarr-python wrote without a byte order, for years */
	chain_finds(BARE, old_record, two, ZINC_OK, "M68", "/0");
	assert_ok(chain_init(&t, NULL, BARE, old_record, two, NULL, false, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_memory_equal(t.out.p, "\1\0\0\0\2", 5);
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_memory_equal(back, in, 26);
	chain_fini(&t);
	/* no field of several bytes, no byte order */
	stores(BARE, "[['a','|u1'],['b','|S2']]", two, "xabyde", "78 6162 79 6465");
}

/* Of Zarr v2: fields in both byte orders, whatever the machine. */
static void
mixed_orders(void **state)
{
	static const char dtype[] = "[['id','<i4'],['flags','|u1'],['value','>f8']]";
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[26];
	chain_case t;

	(void)state;
	make_record(in, 1, 2, 1.0);
	make_record(in + 13, -2, 255, -0.5);
	stores(LITTLE, dtype, two, in, "01000000 02 3ff0000000000000 feffffff ff bfe0000000000000");
	stores(BIG, dtype, two, in, "00000001 02 000000000000f03f fffffffe ff 000000000000e0bf");
	assert_ok(chain_init(&t, NULL, LITTLE, dtype, two, NULL, true, &err));
	assert_int_equal(zinc_chain_plain(t.chain), 0);
	chain_fini(&t);
}

static void
bools_in_structs(void **state)
{
	static const char dtype[] = "[['id','<i2'],['on','|b1',[2]]]";
	static const uint8_t good[8] = {1, 0, 1, 0, 2, 0, 0, 1}, bad[8] = {1, 0, 1, 0, 2, 0, 3, 1};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t back[8];
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, LITTLE, dtype, two, NULL, true, &err));
	assert_ok(chain_decode(&t, good, 8, back, &err));
	assert_int_equal(chain_decode(&t, bad, 8, back, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, "element 1"));
	assert_non_null(strstr(err.text, "M70"));
	assert_int_equal(chain_encode(&t, bad, &err), ZINC_E_RANGE);
	assert_int_equal(chain_decode(&t, good, 7, back, &err), ZINC_E_CORRUPT);
	chain_fini(&t);
}

/* Times and texts have a byte order, and take part in it. */
static void
numpy_types(void **state)
{
	const int64_t times[2] = {1, -2};
	const uint32_t texts[4] = {'a', 0xe9, 'b', 0};

	(void)state;
	stores(LITTLE, "M8[ns]", two, times, "0100000000000000 feffffffffffffff");
	stores(BIG, "m8[D]", two, times, "0000000000000001 fffffffffffffffe");
	stores(LITTLE, "U2", two, texts, "61000000 e9000000 62000000 00000000");
	stores(BIG, "U2", two, texts, "00000061 000000e9 00000062 00000000");
	stores(BARE, "S2", two, "ab\0\0", "6162 0000");
	stores(BARE, "{\"name\": \"raw_bytes\", \"configuration\": {\"length_bytes\": 2}}", two, "ab\0\1", "6162 0001");
	chain_finds(BARE, "M8[ns]", two, ZINC_E_CORRUPT, "M68", "/0");
	chain_finds(BARE, "U2", two, ZINC_E_CORRUPT, "M68", "/0");
}

/* M72: the encoded length is exactly that of the elements. */
static void
lengths(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t bytes[20] = {0}, back[20];
	size_t n;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, LITTLE, "uint32", four, NULL, true, &err));
	for (n = 0; n <= sizeof bytes; n++) {
		assert_int_equal(chain_decode(&t, bytes, n, back, &err), n == 16 ? ZINC_OK : ZINC_E_CORRUPT);
		if (n != 16)
			assert_non_null(strstr(err.text, "M72"));
	}
	chain_fini(&t);
}

/* How the array may take elements without decoding. */
static void
plain(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, LITTLE, "int32", two, NULL, true, &err));
	assert_int_equal(zinc_chain_plain(t.chain), ZINC_HOST_BIG ? 2 : 1);
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, BIG, "int32", two, NULL, true, &err));
	assert_int_equal(zinc_chain_plain(t.chain), ZINC_HOST_BIG ? 1 : 2);
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, BIG, "r16", two, NULL, true, &err));
	assert_int_equal(zinc_chain_plain(t.chain), 1);
	chain_fini(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(structs),     cmocka_unit_test(mixed_orders),     cmocka_unit_test(bools_in_structs),
	    cmocka_unit_test(numpy_types), cmocka_unit_test(both_byte_orders), cmocka_unit_test(configuration),
	    cmocka_unit_test(bools),       cmocka_unit_test(lengths),          cmocka_unit_test(plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
