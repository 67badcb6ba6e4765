/* test_face_v3.c - hierarchies of every format through the clean version 3 face */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <zinc/store.h>
#include <zinc/tool.h>

#include "server.h"
#include "support/fault.h"
#include "test.h"
#include "text.h"

typedef struct rig {
	zinc_store *store, *face;
	zinc_hierarchy *h, *v3;
} rig;

static void
rig_open(rig *r, const char *format)
{
	zinc_error err = ZINC_ERROR_INIT;

	*r = (rig){NULL, NULL, NULL, NULL};
	assert_ok(zinc_store_open(&r->store, "memory://", NULL, &err));
	assert_ok(zinc_hierarchy_open(&r->h, r->store, "", ZINC_OPEN_OPTIONS(.format = format, .create = 1), &err));
}

/* The face of a node, as a store and as a hierarchy. */
static void
rig_face(rig *r, const char *path, uint64_t memory)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(face_v3_open(&r->face, r->h, path, memory, &err));
	assert_ok(zinc_hierarchy_open(&r->v3, r->face, "", ZINC_OPEN_OPTIONS(.read_only = 1), &err));
	assert_string_equal(zinc_hierarchy_format(r->v3), "v3");
}

static void
rig_unface(rig *r)
{
	zinc_hierarchy_close(r->v3);
	zinc_store_close(r->face);
	r->v3 = NULL;
	r->face = NULL;
}

static void
rig_close(rig *r)
{
	rig_unface(r);
	zinc_hierarchy_close(r->h);
	zinc_store_close(r->store);
}

static void
put(rig *r, const char *key, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(r->store, NULL, key, text, strlen(text), NULL, 0, NULL, NULL, &err));
}

/* The value of a key of the face as text; until the next call. */
static const char *
got(rig *r, const char *key)
{
	static char text[1 << 16];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	const zinc_status st = zinc_store_get_all(r->face, key, &b, NULL, 0, NULL, &err);

	if (st == ZINC_OK)
		snprintf(text, sizeof text, "%s", (const char *)b.data);
	else
		snprintf(text, sizeof text, "%s", zinc_status_name(st));
	zinc_blob_fini(&b);
	return text;
}

static void
has(rig *r, const char *key, const char *part)
{
	const char *text = got(r, key);

	if (!strstr(text, part))
		fail_msg("%s: no %s in %s", key, part, text);
}

static zinc_tag
tag_of(rig *r, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_tag tag = {0, {0}};

	assert_ok(zinc_store_get_all(r->face, key, &b, &tag, 0, NULL, &err));
	zinc_blob_fini(&b);
	return tag;
}

static bool
same(zinc_tag a, zinc_tag b)
{
	return a.n == b.n && !memcmp(a.b, b.b, a.n);
}

/* ---- all formats, compared by zinc_diff ---- */

static int
report(void *arg, const zinc_difference *d)
{
	(void)arg;
	print_message("%d %s %s: %s / %s\n", (int)d->kind, d->path, d->what, d->a, d->b);
	return 0;
}

static void
equal_trees(rig *r)
{
	zinc_diff_counts counts = ZINC_DIFF_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_diff(r->h, "/", r->v3, "/", NULL, report, NULL, &counts, &err));
	assert_int_equal(counts.differences, 0);
	assert_int_equal(counts.unknown, 0);
	assert_true(counts.nodes > 1);
}

/* Write some chunks of a 2-d array only, so that others are missing. */
static void
fill_some(zinc_array *a)
{
	static int32_t v[7][6];
	zinc_error err = ZINC_ERROR_INIT;
	int i, k;

	for (i = 0; i < 7; i++)
		for (k = 0; k < 6; k++)
			v[i][k] = 10 * i + k + 1;
	assert_ok(zinc_array_write_text(a, "0:7, 0:6", ZINC_BUFFER(&v[0][0], sizeof v), NULL, &err));
}

static void
make(rig *r, const char *name, zinc_array_options *o)
{
	static const uint64_t shape[] = {11, 7}, chunks[] = {4, 3};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;

	o->ndim = 2;
	o->shape = shape;
	if (!o->chunks)
		o->chunks = chunks;
	if (!o->dtype)
		o->dtype = "int32";
	assert_ok(zinc_array_create(&a, r->h, name, o, &err));
	fill_some(a);
	zinc_array_close(a);
}

#define MAKE(r, name, ...) make(r, name, &(zinc_array_options){.size = sizeof(zinc_array_options), __VA_ARGS__})

static const char *const formats[] = {"v2", "v3", "v3-2019", "v3-2020", "v3-2022"};

static void
test_formats(void **state)
{
	static const char *const names[] = {"y", "x"};
	static const uint64_t shards[] = {8, 6};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		rig r;

		rig_open(&r, formats[i]);
		assert_ok(zinc_group_create(r.h, "/", "{\"title\":\"all\"}", 0, NULL, &err));
		assert_ok(zinc_group_create(r.h, "/g", "{\"n\":[1,2.5,\"x\"]}", 0, NULL, &err));
		MAKE(&r, "/plain", .codecs = "none", .fill = "-1");
		MAKE(&r, "/g/gzip", .codecs = "gzip:3", .attributes = "{\"units\":\"K\"}");
		MAKE(&r, "/g/c", .codecs = "gzip:3", .dtype = "float64", .fill = "\"NaN\"");
		MAKE(&r, "/g/big", .codecs = "gzip:1", .big_endian = 1);
		MAKE(&r, "/g/fortran", .codecs = "gzip:1", .fortran = 1);
		if (strcmp(formats[i], "v3-2019") != 0 && strcmp(formats[i], "v2") != 0) {
			MAKE(&r, "/g/shards", .codecs = "gzip:1", .shards = shards);
			MAKE(&r, "/g/bigshards", .codecs = "gzip:1", .shards = shards, .big_endian = 1);
		}
		if (strcmp(formats[i], "v2") == 0 || strcmp(formats[i], "v3") == 0)
			MAKE(&r, "/g/named", .dimension_names = names, .codecs = "gzip:1");
		rig_face(&r, "/", 1 << 20);
		equal_trees(&r);
		has(&r, "zarr.json", "\"g/gzip\":{");
		has(&r, "g/zarr.json", "\"metadata\":{\"big\":{");
		assert_string_equal(got(&r, "g/gzip/c/2/2"), "E_NOTFOUND");
		assert_string_equal(got(&r, "g/big/c/2/2"), "E_NOTFOUND");
		rig_close(&r);
	}
}

/* ---- types ---- */

/* A document of version 2 for a 1-d array of `n` elements in chunks of two. */
static void
put_v2(rig *r, const char *name, const char *n, const char *dtype, const char *fill, const char *attributes)
{
	char key[64], text[1024];

	snprintf(key, sizeof key, "%s/.zarray", name);
	snprintf(text, sizeof text,
		 "{\"zarr_format\":2,\"shape\":[%s],\"chunks\":[2],\"dtype\":%s,\"compressor\":null,\"filters\":null,"
		 "\"order\":\"C\",\"fill_value\":%s}",
		 n, dtype, fill);
	put(r, key, text);
	snprintf(key, sizeof key, "%s/.zattrs", name);
	put(r, key, attributes);
}

static void
put_chunk(rig *r, const char *key, const void *bytes, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(r->store, NULL, key, bytes, n, NULL, 0, NULL, NULL, &err));
}

/* Read a whole array of the face. */
static void
read_all(rig *r, const char *path, const char *dtype, void *to, size_t nbytes)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;

	assert_ok(zinc_array_open(&a, r->v3, path, NULL, &err));
	assert_string_equal(zinc_array_dtype(a), dtype);
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, to, nbytes), NULL, &err));
	zinc_array_close(a);
}

static const char record[] =
    "[[\"a\",\"<i4\"],[\"b\",\">f8\",[2,3]],[\"n\",[[\"x\",\"<c8\"],[\"t\",\"<M8[25s]\"],[\"s\",\"<U2\"]]],"
    "[\"p/q\",\"|u1\"]]";

#pragma pack(push, 1)
struct stored {
	int32_t a;
	uint8_t b[2][3][8];
	float x[2];
	int64_t t;
	uint32_t s[2];
	uint8_t q;
};
#pragma pack(pop)

static void
put_records(rig *r)
{
	struct stored v[2] = {{.a = 0}};
	int i, j, k, m;

	for (i = 0; i < 2; i++) {
		v[i].a = 100 + i;
		for (j = 0; j < 2; j++)
			for (k = 0; k < 3; k++) {
				const double d = i * 100 + j * 10 + k;
				uint64_t bits;

				memcpy(&bits, &d, 8);
				for (m = 0; m < 8; m++)
					v[i].b[j][k][m] = (uint8_t)(bits >> (56 - 8 * m));
			}
		v[i].x[0] = (float)i;
		v[i].x[1] = -1.5f;
		v[i].t = i ? INT64_MIN : 4;
		v[i].s[0] = 0x20ac;
		v[i].q = (uint8_t)(7 + i);
	}
	put(r, ".zgroup", "{\"zarr_format\":2}");
	put_v2(r, "rec", "5", record, "null", "{\"note\":\"kept\"}");
	put_chunk(r, "rec/1", v, sizeof v);
}

/* type (1), (2): each field is an array, nested ones in groups. */
static void
test_records(void **state)
{
	int32_t a[5];
	double b[5][2][3];
	float x[5][2];
	int64_t t[5];
	uint8_t q[5];
	rig r;

	(void)state;
	rig_open(&r, "v2");
	put_records(&r);
	rig_face(&r, "/", 1 << 20);
	has(&r, "rec/zarr.json", "\"attributes\":{\"note\":\"kept\"},\"consolidated_metadata\"");
	has(&r, "rec/n/zarr.json", "\"metadata\":{\"x\":{");
	has(&r, "zarr.json", "\"rec/n/t\":{");
	has(&r, "rec/field_3/zarr.json", "\"field_name\":\"p/q\"");
	has(&r, "rec/n/t/zarr.json", "\"units\":\"seconds since 1970-01-01\"");
	assert_string_equal(got(&r, "rec/p/q/zarr.json"), "E_NOTFOUND");
	assert_string_equal(got(&r, "rec/c/1"), "E_NOTFOUND");
	read_all(&r, "/rec/a", "int32", a, sizeof a);
	read_all(&r, "/rec/b", "float64", b, sizeof b);
	read_all(&r, "/rec/n/x", "float32", x, sizeof x);
	read_all(&r, "/rec/n/t", "int64", t, sizeof t);
	read_all(&r, "/rec/field_3", "uint8", q, sizeof q);
	assert_int_equal(a[1], 0);
	assert_int_equal(a[3], 101);
	assert_true(b[3][1][2] == 112 && b[2][1][0] == 10);
	assert_true(x[3][0] == 1.0f && x[3][1] == -1.5f);
	assert_true(t[2] == 100 && t[3] == INT64_MIN && t[0] == 0);
	assert_int_equal(q[3], 8);
	assert_string_equal(got(&r, "rec/a/c/0"), "E_NOTFOUND");
	rig_close(&r);
}

static void
read_texts(rig *r, const char *path, zinc_vlen *v, size_t n, zinc_arena *arena)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer to = ZINC_BUFFER_INIT(ZINC_NATIVE, v, n * sizeof *v);
	zinc_array *a;

	to.arena = arena;
	assert_ok(zinc_array_open(&a, r->v3, path, NULL, &err));
	assert_string_equal(zinc_array_dtype(a), "string");
	assert_ok(zinc_array_read(a, NULL, &to, NULL, &err));
	zinc_array_close(a);
}

/* Fixed-length texts become strings, and half of a surrogate pair is an error. */
static void
test_texts(void **state)
{
	static const uint32_t text[2][3] = {{'a', 0, 0x1f600}, {0xe4, 0, 0}}, bad[2][3] = {{0xd800, 0, 0}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_arena *arena;
	zinc_vlen v[5];
	rig r;

	(void)state;
	rig_open(&r, "v2");
	put_records(&r);
	put_v2(&r, "u", "3", "\"<U3\"", "\"\\u00e9\"", "{}");
	put_chunk(&r, "u/0", text, sizeof text);
	put_v2(&r, "bad", "3", "\"<U3\"", "\"\"", "{}");
	put_chunk(&r, "bad/0", bad, sizeof bad);
	rig_face(&r, "/", 1 << 20);
	assert_ok(zinc_arena_new(&arena, NULL, 1 << 20, &err));
	read_texts(&r, "/u", v, 3, arena);
	assert_int_equal(v[0].nbytes, 6);
	assert_memory_equal(v[0].data, "a\0\xf0\x9f\x98\x80", 6);
	assert_int_equal(v[1].nbytes, 2);
	assert_memory_equal(v[1].data, "\xc3\xa4", 2);
	assert_memory_equal(v[2].data, "\xc3\xa9", 2);
	read_texts(&r, "/rec/n/s", v, 5, arena);
	assert_int_equal(v[3].nbytes, 3);
	assert_memory_equal(v[3].data, "\xe2\x82\xac", 3);
	assert_int_equal(v[4].nbytes, 0);
	if (strncmp(got(&r, "bad/c/0"), "E_", 2) != 0 || !strcmp(got(&r, "bad/c/0"), "E_NOTFOUND"))
		fail_msg("served: %s", got(&r, "bad/c/0"));
	zinc_arena_free(arena);
	rig_close(&r);
}

/* type (3): a fill value of two numbers. */
static void
test_complex(void **state)
{
	static const float some[2][2] = {{1, 2}, {3, 4}};
	float v[5][2];
	rig r;

	(void)state;
	rig_open(&r, "v2");
	put(&r, ".zgroup", "{\"zarr_format\":2}");
	put_v2(&r, "same", "5", "\"<c8\"", "[0,0]", "{\"_ARRAY_DIMENSIONS\":[\"x\"]}");
	put_v2(&r, "odd", "5", "\"<c8\"", "[5.0,6.0]", "{}");
	put_chunk(&r, "same/1", some, sizeof some);
	put_chunk(&r, "odd/1", some, sizeof some);
	rig_face(&r, "/", 1 << 20);
	has(&r, "same/zarr.json", "\"shape\":[5,2],\"data_type\":\"float32\"");
	has(&r, "same/zarr.json", "\"dimension_names\":[\"x\",\"complex\"]");
	assert_string_equal(got(&r, "same/c/0/0"), "E_NOTFOUND");
	read_all(&r, "/same", "float32", v, sizeof v);
	assert_true(v[0][1] == 0 && v[2][0] == 1 && v[3][1] == 4 && v[4][0] == 0);
	read_all(&r, "/odd", "float32", v, sizeof v);
	assert_true(v[0][0] == 5 && v[0][1] == 6 && v[2][0] == 1 && v[3][1] == 4 && v[4][1] == 6);
	rig_close(&r);
}

/* Types that few readers know are served as float32 and int8; a record's field, too. */
static void
test_types_of_the_registry(void **state)
{
	static const char document[] =
	    "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[3],\"data_type\":%s,\"chunk_grid\":{\"name\":"
	    "\"regular\",\"configuration\":{\"chunk_shape\":[2]}},\"chunk_key_encoding\":{\"name\":\"default\"},"
	    "\"fill_value\":%s,\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]}";
	static const uint8_t bfloats[] = {0x80, 0x3f, 0x20, 0xc0}, ints[] = {0x0f, 0x78},
			     pairs[] = {0x3c, 0xbc, 0, 0x7b}, records[] = {0xf7, 0x80, 0x3f, 0x08, 0x00, 0xc0};
	char text[1024];
	float f[3], c[3][2];
	int8_t i[3];
	rig r;

	(void)state;
	rig_open(&r, "v3");
	put(&r, "zarr.json", "{\"zarr_format\":3,\"node_type\":\"group\"}");
	snprintf(text, sizeof text, document, "\"bfloat16\"", "\"NaN\"");
	put(&r, "b/zarr.json", text);
	put_chunk(&r, "b/c/0", bfloats, sizeof bfloats);
	snprintf(text, sizeof text, document, "\"int4\"", "-7");
	put(&r, "i/zarr.json", text);
	put_chunk(&r, "i/c/0", ints, sizeof ints);
	snprintf(text, sizeof text, document, "\"complex_float8_e5m2\"", "[\"0x3c\",\"Infinity\"]");
	put(&r, "c/zarr.json", text);
	put_chunk(&r, "c/c/0", pairs, sizeof pairs);
	snprintf(text, sizeof text, document,
		 "{\"name\":\"struct\",\"configuration\":{\"fields\":[{\"name\":\"a\",\"data_type\":\"int4\"},{"
		 "\"name\":\"b\",\"data_type\":\"bfloat16\"}]}}",
		 "{\"a\":3,\"b\":0.5}");
	put(&r, "r/zarr.json", text);
	put_chunk(&r, "r/c/0", records, sizeof records);
	rig_face(&r, "/", 1 << 20);
	has(&r, "b/zarr.json", "\"fill_value\":\"NaN\"");
	read_all(&r, "/b", "float32", f, sizeof f);
	assert_true(f[0] == 1 && f[1] == -2.5f && isnan(f[2]));
	has(&r, "i/zarr.json", "\"fill_value\":-7");
	read_all(&r, "/i", "int8", i, sizeof i);
	assert_true(i[0] == -1 && i[1] == -8 && i[2] == -7);
	read_all(&r, "/c", "float32", c, sizeof c);
	assert_true(c[0][0] == 1 && c[0][1] == -1 && c[1][0] == 0 && c[1][1] == 57344);
	assert_true(c[2][0] == 1 && isinf(c[2][1]));
	read_all(&r, "/r/a", "int8", i, sizeof i);
	assert_true(i[0] == 7 && i[1] == -8 && i[2] == 3);
	read_all(&r, "/r/b", "float32", f, sizeof f);
	assert_true(f[0] == 1 && f[1] == -2 && f[2] == 0.5f);
	rig_close(&r);
}

/* ---- times ---- */

struct times {
	const char *dtype, *units;
	int64_t in, out;
	const char *span, *name;
};

/* time (1), (2), (3) */
static void
test_times(void **state)
{
	static const struct times rows[] = {
	    {"<M8[ns]", "nanoseconds since 1970-01-01", 12, 12, NULL, NULL},
	    {"<M8[W]", "days since 1970-01-01", -3, -21, NULL, NULL},
	    {"<M8[25s]", "seconds since 1970-01-01", 4, 100, NULL, NULL},
	    {"<M8[M]", "days since 1970-01-01", 1, 31, NULL, NULL},
	    {"<M8[M]", "days since 1970-01-01", 26, 790, NULL, NULL},        /* 1972-03, behind a leap day */
	    {"<M8[M]", "days since 1970-01-01", -1, -31, NULL, NULL},        /* 1969-12 */
	    {"<M8[M]", "days since 1970-01-01", 362, 11017, NULL, NULL},     /* 2000-03 */
	    {"<M8[Y]", "days since 1970-01-01", 31, 11323, NULL, NULL},      /* 2001 */
	    {"<M8[Y]", "days since 1970-01-01", -1970, -719528, NULL, NULL}, /* year 0 */
	    {"<M8[10Y]", "days since 1970-01-01", 3, 10957, NULL, NULL},     /* 2000 */
	    {"<M8[Y]", "days since 1970-01-01", 131, 47847, NULL, NULL}, /* 2101, behind 2100, which is no leap year */
	    {"<m8[h]", "hours", 5, 5, "\"dtype\":\"timedelta64[s]\"", NULL},
	    {"<m8[us]", "microseconds", 5, 5, "\"dtype\":\"timedelta64[us]\"", NULL},
	    {"<m8[2W]", "days", 5, 70, "\"dtype\":\"timedelta64[s]\"", NULL},
	    {"<m8[Y]", "calendar_months", 2, 24, NULL, NULL},
	    {"<m8[ps]", "picoseconds", 5, 5, NULL, "time_units"},
	    {"<M8[ps]", "picoseconds since 1970-01-01", 5, 5, NULL, "time_units"},
	};
	char dtype[32], units[80];
	int64_t v[2], w[2];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		rig r;

		rig_open(&r, "v2");
		put(&r, ".zgroup", "{\"zarr_format\":2}");
		snprintf(dtype, sizeof dtype, "\"%s\"", rows[i].dtype);
		put_v2(&r, "t", "2", dtype, "null", "{\"units\":\"K\",\"long_name\":\"time\"}");
		v[0] = rows[i].in;
		v[1] = INT64_MIN;
		put_chunk(&r, "t/0", v, sizeof v);
		rig_face(&r, "/", 1 << 20);
		snprintf(units, sizeof units, "\"%s\":\"%s\"", rows[i].name ? rows[i].name : "units", rows[i].units);
		has(&r, "t/zarr.json", units);
		if (rows[i].span) /* or xarray takes it for an integer */
			has(&r, "t/zarr.json", rows[i].span);
		has(&r, "t/zarr.json",
		    "\"stored_units\":\"K\",\"long_name\":\"time\",\"_FillValue\":-9223372036854775808");
		read_all(&r, "/t", "int64", w, sizeof w);
		if (w[0] != rows[i].out || w[1] != INT64_MIN)
			fail_msg("%s %lld: %lld %lld", rows[i].dtype, (long long)v[0], (long long)w[0],
				 (long long)w[1]);
		rig_close(&r);
	}
}

/* No name is there twice. */
static void
test_renamed_twice(void **state)
{
	rig r;

	(void)state;
	rig_open(&r, "v2");
	put(&r, ".zgroup", "{\"zarr_format\":2}");
	put_v2(&r, "t", "2", "\"<M8[s]\"", "null", "{\"units\":\"K\",\"stored_units\":\"J\"}");
	rig_face(&r, "/", 1 << 20);
	has(&r, "t/zarr.json", "\"attributes\":{\"source_units\":\"K\",\"stored_units\":\"J\",\"_FillValue\":");
	rig_close(&r);
}

/* A time that does not fit is an error, not another time. */
static void
test_times_overflow(void **state)
{
	static const int64_t v[2] = {INT64_MAX / 3, 0};
	static const char *const types[] = {"\"<M8[W]\"", "\"<M8[Y]\"", "\"<m8[7s]\""};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(types); i++) {
		rig r;

		rig_open(&r, "v2");
		put(&r, ".zgroup", "{\"zarr_format\":2}");
		put_v2(&r, "t", "2", types[i], "\"NaT\"", "{}");
		put_chunk(&r, "t/0", v, sizeof v);
		rig_face(&r, "/", 1 << 20);
		assert_string_equal(got(&r, "t/c/0"), "E_RANGE");
		rig_close(&r);
	}
}

/* ---- keys ---- */

static void
test_keys(void **state)
{
	static const char *const none[] = {"c",           "c/0",           "a",        "a/c",
					   "a/c/0",       "a/c/0/0/0",     "a/c/00/0", "a/c/0/-0",
					   "a/c/3/0",     "a/c/0/3",       "a/c/+0/0", "a/c/0/18446744073709551616",
					   "b/zarr.json", "a/b/zarr.json", ".zgroup",  "a/zarr.json/c/0",
					   "xzarr.json",  "a/c/c/0/0",     "g/c/0"};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;
	rig r;

	(void)state;
	rig_open(&r, "v3");
	MAKE(&r, "/a", .codecs = "none");
	MAKE(&r, "/c", .codecs = "none");
	MAKE(&r, "/g/0", .codecs = "none");
	rig_face(&r, "/", 1 << 20);
	for (i = 0; i < COUNT(none); i++)
		if (strcmp(got(&r, none[i]), "E_NOTFOUND") != 0)
			fail_msg("%s: %s", none[i], got(&r, none[i]));
	assert_memory_equal(got(&r, "a/c/0/0"), "\1\0\0", 1);
	assert_memory_equal(got(&r, "c/c/0/1"), "\4\0\0", 1);
	assert_memory_equal(got(&r, "g/0/c/1/0"), "\51\0\0", 1);
	rig_unface(&r);
	assert_ok(face_v3_open(&r.face, r.h, "/g/0", 1 << 20, &err));
	has(&r, "zarr.json", "\"node_type\":\"array\"");
	assert_memory_equal(got(&r, "c/1/0"), "\51\0\0", 1);
	assert_string_equal(got(&r, "a/zarr.json"), "E_NOTFOUND");
	rig_close(&r);
}

/* 0-d and empty arrays. */
static void
test_small(void **state)
{
	static const uint64_t none[] = {0, 5}, chunks[] = {2, 2};
	const char *const types[] = {"int32", "complex64"};
	zinc_error err = ZINC_ERROR_INIT;
	int32_t v = 42;
	float x[2];
	zinc_array *a;
	size_t i;
	rig r;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		rig_open(&r, formats[i]);
		assert_ok(zinc_group_create(r.h, "/", NULL, 0, NULL, &err));
		assert_ok(
		    zinc_array_create(&a, r.h, "/s", ZINC_ARRAY_OPTIONS(.dtype = types[0], .big_endian = 1), &err));
		assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(&v, sizeof v), NULL, &err));
		zinc_array_close(a);
		assert_ok(zinc_array_create(
		    &a, r.h, "/e", ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = none, .chunks = chunks, .dtype = "int32"),
		    &err));
		zinc_array_close(a);
		if (strncmp(formats[i], "v3-", 3) != 0) {
			assert_ok(zinc_array_create(&a, r.h, "/z",
						    ZINC_ARRAY_OPTIONS(.dtype = types[1], .fill = "[1.0,2.0]"), &err));
			zinc_array_close(a);
		}
		rig_face(&r, "/", 1 << 20);
		v = 0;
		read_all(&r, "/s", "int32", &v, sizeof v);
		assert_int_equal(v, 42);
		has(&r, "e/zarr.json", "\"shape\":[0,5]");
		assert_string_equal(got(&r, "e/c/0/0"), "E_NOTFOUND");
		if (strncmp(formats[i], "v3-", 3) != 0) {
			read_all(&r, "/z", "float32", x, sizeof x);
			assert_true(x[0] == 1 && x[1] == 2);
		}
		rig_close(&r);
	}
}

/* ---- what cannot be served ---- */

/* recipe (2), node (3), document (2) */
static void
test_problems(void **state)
{
	rig r;

	(void)state;
	rig_open(&r, "v2");
	put(&r, ".zgroup", "{\"zarr_format\":2}");
	put(&r, "odd/.zarray",
	    "{\"zarr_format\":2,\"shape\":[4],\"chunks\":[2],\"dtype\":\"<i4\",\"compressor\":{\"id\":\"no such\"},"
	    "\"filters\":null,\"order\":\"C\",\"fill_value\":0}");
	put(&r, "bad/.zarray", "{\"zarr_format\":2");
	put(&r, "huge/.zarray",
	    "{\"zarr_format\":2,\"shape\":[1000000000000],\"chunks\":[100000000],\"dtype\":\"<i4\",\"compressor\":{"
	    "\"id\":"
	    "\"zlib\",\"level\":1},\"filters\":null,\"order\":\"C\",\"fill_value\":0}");
	put(&r, "huge/0", "xxxxxxxx");
	put_v2(&r, "nan", "2", "\"<i4\"", "0", "{\"a\":NaN,\"b\":[-Infinity,\"NaN\"]}");
	put(&r, "torn/.zgroup", "{");
	put_v2(&r, "torn/below", "2", "\"<i4\"", "0", "{}");
	put_v2(&r, "torn2", "2", "\"<i4\"", "0", "{}");
	rig_face(&r, "/", 1 << 20);
	assert_string_equal(got(&r, "odd/zarr.json"), "E_UNSUPPORTED");
	assert_string_equal(got(&r, "odd/c/0"), "E_UNSUPPORTED");
	assert_string_equal(got(&r, "bad/zarr.json"), "E_CORRUPT");
	assert_string_equal(got(&r, "bad/c/0"), "E_CORRUPT");
	assert_string_equal(got(&r, "huge/c/0"), "E_LIMIT");
	has(&r, "nan/zarr.json", "{\"a\":\"NaN\",\"b\":[\"-Infinity\",\"NaN\"]}");
	has(&r, "zarr.json", "\"metadata\":{\"huge\":{");
	assert_null(strstr(got(&r, "zarr.json"), "\"odd\""));
	assert_null(strstr(got(&r, "zarr.json"), "\"bad\""));
	/* readers need the group of each node */
	assert_null(strstr(got(&r, "zarr.json"), "\"torn"
						 "/below\""));
	has(&r, "zarr.json", "\"torn2\":{");
	has(&r, "torn/below/zarr.json", "\"int32\"");
	rig_close(&r);
}

/* document (2): a failure of the store is never a group without nodes, and is not kept. */
static void
test_group_failures(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *fault;
	uint64_t at, failures = 0;
	rig r;

	(void)state;
	rig_open(&r, "v2");
	put(&r, ".zgroup", "{\"zarr_format\":2}");
	put(&r, "g/.zgroup", "{\"zarr_format\":2}");
	put_v2(&r, "g/a", "2", "\"<i4\"", "0", "{}");
	put_v2(&r, "b", "2", "\"<i4\"", "0", "{}");
	assert_ok(zinc_store_fault(&fault, r.store, &err));
	zinc_hierarchy_close(r.h);
	assert_ok(zinc_hierarchy_open(&r.h, fault, "", NULL, &err));
	for (at = 1; at < 40; at++) {
		zinc_store_fault_set(fault, &(zinc_fault){.at = 0});
		assert_ok(face_v3_open(&r.face, r.h, "/", 1 << 20, &err));
		zinc_store_fault_set(fault, &(zinc_fault){.at = at, .status = ZINC_E_IO});
		failures += !strcmp(got(&r, "zarr.json"), "E_IO");
		has(&r, "zarr.json", "\"g/a\":{");
		has(&r, "zarr.json", "\"b\":{");
		rig_unface(&r);
	}
	assert_true(failures > 5);
	zinc_store_fault_set(fault, &(zinc_fault){.at = 0});
	rig_face(&r, "/", 1 << 20);
	rig_close(&r);
	zinc_store_close(fault);
}

/* chunk (1): damage is an error, of whole chunks and of a shard's. */
static void
test_damage(void **state)
{
	static const uint64_t shards[] = {8, 6};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	rig r;

	(void)state;
	rig_open(&r, "v3");
	MAKE(&r, "/a", .codecs = "crc32c", .big_endian = 1);
	MAKE(&r, "/s", .codecs = "crc32c", .big_endian = 1, .shards = shards);
	put(&r, "a/c/0/0", "damaged");
	assert_ok(zinc_store_get_all(r.store, "s/c/0/0", &b, NULL, 0, NULL, &err));
	((char *)b.data)[3] ^= 1;
	put_chunk(&r, "s/c/0/0", b.data, b.nbytes);
	zinc_blob_fini(&b);
	rig_face(&r, "/", 1 << 20);
	assert_string_equal(got(&r, "a/c/0/0"), "E_CHECKSUM");
	assert_true(strncmp(got(&r, "a/c/1/0"), "E_", 2) != 0);
	assert_string_equal(got(&r, "s/c/0/0"), "E_CHECKSUM");
	assert_true(strncmp(got(&r, "s/c/1/0"), "E_", 2) != 0);
	put(&r, "s/c/0/0", "no index");
	assert_string_equal(got(&r, "s/c/1/0"), "E_CORRUPT");
	rig_close(&r);
}

/* ---- requests ---- */

struct answer_of {
	zinc_found found;
	uint64_t nbytes, object_size;
	zinc_tag tag;
	char bytes[4096];
};

static zinc_room
room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	struct answer_of *a = arg;

	(void)i;
	*buf = a->bytes;
	return nbytes <= sizeof a->bytes ? ZINC_ROOM_OK : ZINC_ROOM_FAIL;
}

static void
done(void *arg, size_t i, const zinc_got *g)
{
	struct answer_of *a = arg;

	(void)i;
	a->found = g->found;
	a->nbytes = g->nbytes;
	a->object_size = g->object_size;
	if (g->found == ZINC_FOUND)
		a->tag = *g->tag;
}

static struct answer_of
ask(rig *r, zinc_get q)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct answer_of a = {ZINC_FAILED, 0, 0, {0, {0}}, ""};
	const zinc_sink sink = {sizeof sink, room, done, &a};

	assert_ok(zinc_store_get(r->face, &q, 1, &sink, NULL, &err));
	return a;
}

/* face (2), (3), for a document, a chunk that passes and one that is made. */
static void
test_requests(void **state)
{
	static const char *const keys[] = {"pass/zarr.json", "pass/c/0/0", "made/c/0/0"};
	size_t i;
	rig r;

	(void)state;
	rig_open(&r, "v3");
	MAKE(&r, "/pass", .codecs = "none");
	MAKE(&r, "/made", .codecs = "none", .big_endian = 1);
	rig_face(&r, "/", 1 << 20);
	for (i = 0; i < COUNT(keys); i++) {
		const struct answer_of all = ask(&r, (zinc_get){.key = keys[i], .length = ZINC_TO_END}),
				       stat = ask(&r, (zinc_get){.key = keys[i], .length = ZINC_TO_END, .stat = 1});
		zinc_tag other = all.tag;
		char half[5];
		struct iovec iov[] = {{half, 2}, {half + 2, 3}};
		struct answer_of a;

		assert_int_equal(all.found, ZINC_FOUND);
		assert_int_equal(all.nbytes, all.object_size);
		assert_int_equal(stat.nbytes, 0);
		assert_int_equal(stat.object_size, all.nbytes);
		assert_int_equal(all.tag.n, 16);
		assert_true(same(stat.tag, all.tag));
		a = ask(&r, (zinc_get){.key = keys[i], .offset = 3, .length = 5});
		assert_int_equal(a.nbytes, 5);
		assert_memory_equal(a.bytes, all.bytes + 3, 5);
		a = ask(&r, (zinc_get){.key = keys[i], .offset = 4, .length = 5, .iov = iov, .niov = 2});
		assert_memory_equal(half, all.bytes + 4, 5);
		a = ask(&r, (zinc_get){.key = keys[i], .length = 7, .suffix = 1});
		assert_memory_equal(a.bytes, all.bytes + all.nbytes - 7, 7);
		a = ask(&r, (zinc_get){.key = keys[i], .length = 1 << 20, .suffix = 1});
		assert_int_equal(a.nbytes, all.nbytes);
		a = ask(&r, (zinc_get){.key = keys[i], .offset = 1 << 20, .length = 7});
		assert_int_equal(a.nbytes, 0);
		assert_int_equal(a.found, ZINC_FOUND);
		a = ask(&r, (zinc_get){.key = keys[i], .length = ZINC_TO_END, .if_tag = &all.tag});
		assert_int_equal(a.found, ZINC_FOUND);
		other.b[0] ^= 1;
		a = ask(&r, (zinc_get){.key = keys[i], .length = ZINC_TO_END, .if_tag = &other});
		assert_int_equal(a.found, ZINC_CHANGED);
		a = ask(&r, (zinc_get){.key = keys[i], .length = ZINC_TO_END, .limit = 3});
		assert_int_equal(a.found, ZINC_FAILED);
	}
	rig_close(&r);
}

/* face (2): tags follow the chunks of the source, and the same chunk has the same tag in another run. */
static void
test_tags(void **state)
{
	static const char *const keys[] = {"pass/c/0/0", "made/c/0/0", "made/c/1/0"};
	const char *const names[] = {"/pass", "/made"};
	zinc_tag before[3], again[3];
	zinc_error err = ZINC_ERROR_INIT;
	const int32_t v = 99;
	zinc_array *a;
	size_t i;
	rig r;

	(void)state;
	rig_open(&r, "v3");
	MAKE(&r, "/pass", .codecs = "none");
	MAKE(&r, "/made", .codecs = "none", .big_endian = 1);
	for (i = 0; i < 2; i++) {
		rig_face(&r, "/", 1 << 20);
		before[0] = tag_of(&r, keys[0]);
		before[1] = tag_of(&r, keys[1]);
		before[2] = tag_of(&r, keys[2]);
		if (i)
			assert_memory_equal(before, again, sizeof again);
		memcpy(again, before, sizeof again);
		if (!i)
			rig_unface(&r);
	}
	for (i = 0; i < 2; i++) {
		assert_ok(zinc_array_open(&a, r.h, names[i], NULL, &err));
		assert_ok(zinc_array_write_text(a, "1:2, 1:2", ZINC_BUFFER(&v, sizeof v), NULL, &err));
		zinc_array_close(a);
	}
	assert_false(same(tag_of(&r, keys[0]), before[0]));
	assert_false(same(tag_of(&r, keys[1]), before[1]));
	assert_true(same(tag_of(&r, keys[2]), before[2]));
	equal_trees(&r);
	rig_close(&r);
}

/* cache (1): with little memory all is served, and nothing is kept beyond it. */
static void
test_memory(void **state)
{
	zinc_store_counts before = ZINC_STORE_COUNTS_INIT, after = ZINC_STORE_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *log;
	rig r;
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		rig_open(&r, "v3");
		MAKE(&r, "/made", .codecs = "none", .big_endian = 1);
		assert_ok(zinc_store_log(&log, r.store, NULL, NULL, &err));
		zinc_hierarchy_close(r.h);
		assert_ok(zinc_hierarchy_open(&r.h, log, "", NULL, &err));
		rig_face(&r, "/", i ? 1 << 20 : 100);
		equal_trees(&r);
		zinc_store_log_counts(log, &before);
		assert_true(strncmp(got(&r, "made/c/0/0"), "E_", 2) != 0);
		zinc_store_log_counts(log, &after);
		/* kept: only the tag is asked for */
		if (i)
			assert_true(after.get_bytes == before.get_bytes);
		else
			assert_true(after.get_bytes > before.get_bytes);
		rig_close(&r);
		zinc_store_close(log);
	}
}

/* cache (3): the texts of a chunk count, however few bytes are stored. */
static void
test_long_texts(void **state)
{
	static const uint64_t shape[] = {2};
	zinc_error err = ZINC_ERROR_INIT;
	const size_t n = 6 << 20; /* more than is tried first */
	char *text = malloc(n);
	zinc_vlen v[2] = {{text, n}, {text, n - 1}}, w[2];
	const zinc_buffer from = ZINC_BUFFER_INIT(ZINC_NATIVE, v, sizeof v);
	zinc_arena *arena = NULL;
	zinc_array *a = NULL;
	rig r;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', n);
	rig_open(&r, "v3");
	assert_ok(zinc_array_create(&a, r.h, "/s",
				    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "string", .chunks = shape,
						       .codecs = "numcodecs.bz2"),
				    &err));
	assert_ok(zinc_array_write(a, NULL, &from, NULL, &err));
	zinc_array_close(a);
	rig_face(&r, "/", 1 << 20);
	assert_ok(zinc_arena_new(&arena, NULL, 64 << 20, &err));
	read_texts(&r, "/s", w, 2, arena);
	assert_int_equal(w[0].nbytes, n);
	assert_int_equal(w[1].nbytes, n - 1);
	assert_memory_equal(w[0].data, text, n);
	zinc_arena_free(arena);
	rig_close(&r);
	free(text);
}

/* Raw bytes have the name that most readers know, with their fill value. */
static void
test_raw(void **state)
{
	static const char bytes[] = "\1\2\3\4\5\6";
	static const struct {
		const char *dtype, *fill, *want;
	} rows[] = {{"r8", "[255]", "\"/w==\""},
		    {"r16", "[1,2]", "\"AQI=\""},
		    {"r24", "[1,2,255]", "\"AQL/\""},
		    {"r48", "[0,0,0,0,0,1]", "\"AAAAAAAB\""}};
	static const uint64_t shape[] = {2};
	zinc_error err = ZINC_ERROR_INIT;
	char key[64], want[200];
	zinc_array *a;
	rig r;
	size_t i;

	(void)state;
	rig_open(&r, "v3");
	put(&r, "zarr.json", "{\"zarr_format\":3,\"node_type\":\"group\"}");
	for (i = 0; i < COUNT(rows); i++) {
		snprintf(key, sizeof key, "/%s", rows[i].dtype);
		assert_ok(zinc_array_create(&a, r.h, key,
					    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = rows[i].dtype,
							       .chunks = shape, .codecs = "none", .fill = rows[i].fill),
					    &err));
		zinc_array_close(a);
	}
	put_chunk(&r, "r24/c/0", bytes, 6);
	rig_face(&r, "/", 1 << 20);
	for (i = 0; i < COUNT(rows); i++) {
		snprintf(key, sizeof key, "%s/zarr.json", rows[i].dtype);
		snprintf(want, sizeof want,
			 "\"data_type\":{\"name\":\"raw_bytes\",\"configuration\":{\"length_bytes\":%d}}",
			 (int)strtol(rows[i].dtype + 1, NULL, 10) / 8);
		has(&r, key, want);
		snprintf(want, sizeof want, "\"fill_value\":%s", rows[i].want);
		has(&r, key, want);
	}
	has(&r, "r24/c/0", bytes);
	rig_close(&r);
}

/* missing (1): xarray could not open the data set. */
static void
test_unsuited(void **state)
{
	static const struct {
		const char *dtype, *own;
		bool renamed;
	} rows[] = {{"\"<i4\"", "NaN", true},  {"\"<i4\"", "\"x\"", true}, {"\"<i4\"", "-9", false},
		    {"\"|b1\"", "3", true},    {"\"|b1\"", "true", false}, {"\"|S3\"", "\"x\"", true},
		    {"\"<f4\"", "\"x\"", true}};
	char attributes[100];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		rig r;

		rig_open(&r, "v2");
		put(&r, ".zgroup", "{\"zarr_format\":2}");
		snprintf(attributes, sizeof attributes, "{\"_ARRAY_DIMENSIONS\":[\"x\"],\"_FillValue\":%s}",
			 rows[i].own);
		put_v2(&r, "a", "2", rows[i].dtype, "null", attributes);
		rig_face(&r, "/", 1 << 20);
		has(&r, "a/zarr.json", rows[i].renamed ? "{\"stored__FillValue\":" : "{\"_FillValue\":");
		rig_close(&r);
	}
}

/* missing (1) */
static void
test_missing(void **state)
{
	static const char named[] = "{\"_ARRAY_DIMENSIONS\":[\"x\"]}",
			  own[] = "{\"_ARRAY_DIMENSIONS\":[\"x\"],\"_FillValue\":-9.0}";
	rig r;

	(void)state;
	rig_open(&r, "v2");
	put(&r, ".zgroup", "{\"zarr_format\":2}");
	put_v2(&r, "i", "2", "\"<i2\"", "-999", named);
	put_v2(&r, "f", "2", "\"<f4\"", "0.1", named);
	put_v2(&r, "h", "2", "\"<f2\"", "-9.0", named);
	put_v2(&r, "null", "2", "\"<f4\"", "null", named);
	put_v2(&r, "own", "2", "\"<f8\"", "null", own);
	put_v2(&r, "both", "2", "\"<f8\"", "\"NaN\"", own);
	put_v2(&r, "nameless", "2", "\"<f8\"", "-9.0", "{}");
	rig_face(&r, "/", 1 << 20);
	has(&r, "i/zarr.json", "\"attributes\":{\"_FillValue\":-999}");
	has(&r, "f/zarr.json", "\"attributes\":{\"_FillValue\":\"AAAAoJmZuT8=\"}");
	has(&r, "h/zarr.json", "\"attributes\":{\"_FillValue\":\"AAAAAAAAIsA=\"}");
	has(&r, "null/zarr.json", "\"attributes\":{}");
	has(&r, "own/zarr.json", "\"attributes\":{\"_FillValue\":\"AAAAAAAAIsA=\"}");
	has(&r, "both/zarr.json", "\"attributes\":{\"stored__FillValue\":-9.0,\"_FillValue\":\"AAAAAAAA+H8=\"}");
	has(&r, "nameless/zarr.json", "\"attributes\":{}");
	rig_close(&r);
}

/* Strict JSON, whatever the source's documents have. */
static void
test_strict(void **state)
{
	struct text t = TEXT_INIT(1000);
	char *out;

	(void)state;
	text_strict(&t, "{\"a\":NaN,\"b\\\"NaN\":[-Infinity,Infinity,\"NaN\"]}");
	out = text_take(&t);
	assert_string_equal(out, "{\"a\":\"NaN\",\"b\\\"NaN\":[\"-Infinity\",\"Infinity\",\"NaN\"]}");
	free(out);
}

/* ---- chains ---- */

#define LITTLE "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define BIG    "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}"
#define FLIP   "{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}"
#define CRC    "{\"name\":\"crc32c\"}"
#define GZIP   "{\"name\":\"gzip\",\"configuration\":{\"level\":1}}"
#define SHARD(inner, index, location)                                                                                  \
	"{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2,3],\"codecs\":[" inner                   \
	"],\"index_codecs\":[" index "],\"index_location\":\"" location "\"}}"

static const struct {
	const char *codecs, *served; /* NULL: the same */
} chains[] = {
    {"[" LITTLE "]", NULL},
    {"[" FLIP "," LITTLE "," GZIP "," CRC "]", NULL},
    {"[" SHARD(LITTLE "," CRC, LITTLE "," CRC, "end") "]", NULL},
    {"[" LITTLE ",{\"name\":\"zstd\",\"configuration\":{\"level\":3}}]",
     "[" LITTLE ",{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":false}}]"},
    {"[" BIG "]", "[" LITTLE "," GZIP "]"},
    {"[" BIG "," CRC "]", "[" LITTLE "," GZIP "]"},
    {"[" LITTLE ",{\"name\":\"numcodecs.zlib\",\"configuration\":{\"level\":1}}]", "[" LITTLE "," GZIP "]"},
    {"[" SHARD(BIG, LITTLE "," CRC, "end") "]", "[" LITTLE "," GZIP "]"},
    {"[" SHARD(LITTLE, LITTLE "," CRC, "start") "]", "[" LITTLE "," GZIP "]"},
    {"[" SHARD(LITTLE, BIG "," CRC, "end") "]", "[" LITTLE "," GZIP "]"},
    {"[" SHARD(LITTLE, LITTLE, "end") "]", "[" LITTLE "," GZIP "]"},
    {"[" SHARD(LITTLE, LITTLE "," CRC, "end") "," CRC "]", "[" LITTLE "," GZIP "]"},
};

/* recipe (1), and the elements are the same in each case. */
static void
test_chains(void **state)
{
	char document[2048], want[2048];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(chains); i++) {
		rig r;

		rig_open(&r, "v3");
		assert_ok(zinc_group_create(r.h, "/", NULL, 0, NULL, &err));
		snprintf(
		    document, sizeof document,
		    "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[11,7],\"data_type\":\"int32\",\"chunk_"
		    "grid\":"
		    "{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[4,3]}},\"chunk_key_encoding\":{\"name\":"
		    "\"default\"},\"fill_value\":5,\"codecs\":%s}",
		    chains[i].codecs);
		assert_ok(zinc_array_create(&a, r.h, "/a", ZINC_ARRAY_OPTIONS(.document = document), &err));
		fill_some(a);
		zinc_array_close(a);
		rig_face(&r, "/", 1 << 20);
		snprintf(want, sizeof want, "\"codecs\":%s,\"attributes\"",
			 chains[i].served ? chains[i].served : chains[i].codecs);
		has(&r, "a/zarr.json", want);
		equal_trees(&r);
		rig_close(&r);
	}
}

/* ---- a source that changes ---- */

struct change {
	rig *r;
	int left;       /* changes to be made while the chunk is read */
	unsigned reads; /* of the chunk's bytes */
	char bytes[48];
	bool slow; /* so that others ask meanwhile */
	unsigned gets;
};

/* Called for each operation of the source; it changes the chunk behind the reader's back. */
static void
note(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	struct change *c = arg;

	(void)st;
	__atomic_add_fetch(&c->gets, 1, __ATOMIC_RELAXED);
	if (strcmp(operation, "get") != 0 || strcmp(key, "made/c/0/0") != 0 || nbytes == 0)
		return;
	__atomic_add_fetch(&c->reads, 1, __ATOMIC_RELAXED);
	if (c->slow)
		usleep(200000);
	if (c->left > 0) {
		c->left--;
		c->bytes[3]++;
		put_chunk(c->r, "made/c/0/0", c->bytes, sizeof c->bytes);
	}
}

static void
open_noted(rig *r, struct change *c, zinc_store **log)
{
	zinc_error err = ZINC_ERROR_INIT;

	rig_open(r, "v3");
	MAKE(r, "/made", .codecs = "none", .big_endian = 1);
	assert_ok(zinc_store_log(log, r->store, note, c, &err));
	zinc_hierarchy_close(r->h);
	assert_ok(zinc_hierarchy_open(&r->h, *log, "", NULL, &err));
	rig_face(r, "/", 1 << 20);
}

/* chunk (2): the tag belongs to the bytes, or there is none. */
static void
test_changing(void **state)
{
	struct change c = {NULL, 0, 0, {0, 0, 0, 50}, false, 0};
	zinc_store *log;
	int32_t v[11][7];
	rig r;

	(void)state;
	c.r = &r;
	open_noted(&r, &c, &log);
	c.left = 1;
	assert_true(strncmp(got(&r, "made/c/0/0"), "E_", 2) != 0);
	assert_int_equal(c.reads, 2);
	read_all(&r, "/made", "int32", v, sizeof v);
	assert_int_equal(v[0][0], 51);
	c.bytes[3] = 40;
	put_chunk(&r, "made/c/0/0", c.bytes, sizeof c.bytes);
	c.left = 100;
	assert_string_equal(got(&r, "made/c/0/0"), "E_CONFLICT");
	c.left = 0;
	rig_close(&r);
	zinc_store_close(log);
}

static void *
get_chunk(void *arg)
{
	(void)tag_of(arg, "made/c/0/0");
	return NULL;
}

/* cache (2): many ask, one decodes. */
static void
test_flights(void **state)
{
	struct change c = {NULL, 0, 0, "", true, 0};
	pthread_t thread[8];
	zinc_store *log;
	size_t i;
	rig r;

	(void)state;
	c.r = &r;
	open_noted(&r, &c, &log);
	for (i = 0; i < COUNT(thread); i++)
		assert_int_equal(pthread_create(&thread[i], NULL, get_chunk, &r), 0);
	for (i = 0; i < COUNT(thread); i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(c.reads, 1);
	rig_close(&r);
	zinc_store_close(log);
}

/* node (1): what is kept is soon looked at again. */
static void
test_fresh(void **state)
{
	static const uint64_t shape[] = {20, 7};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	rig r;

	(void)state;
	rig_open(&r, "v3");
	MAKE(&r, "/a", .codecs = "none");
	rig_face(&r, "/", 1 << 20);
	has(&r, "a/zarr.json", "\"shape\":[11,7]");
	assert_string_equal(got(&r, "b/zarr.json"), "E_NOTFOUND");
	assert_ok(zinc_array_open(&a, r.h, "/a", NULL, &err));
	assert_ok(zinc_array_resize(a, shape, NULL, &err));
	zinc_array_close(a);
	MAKE(&r, "/b", .codecs = "none");
	usleep(2100000);
	has(&r, "a/zarr.json", "\"shape\":[20,7]");
	has(&r, "b/zarr.json", "\"shape\":[11,7]");
	has(&r, "zarr.json", "\"b\":{");
	rig_close(&r);
}

/* document (2): consolidated metadata of the source that is out of date is not passed on. */
static void
test_stale_copies(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob document = ZINC_BLOB_INIT;
	char *at;
	rig r;

	(void)state;
	rig_open(&r, "v3");
	MAKE(&r, "/a", .codecs = "none");
	assert_ok(zinc_consolidate(r.h, "/", 0, NULL, &err));
	assert_ok(zinc_store_get_all(r.store, "a/zarr.json", &document, NULL, 0, NULL, &err));
	at = strstr(document.data, "11");
	assert_non_null(at);
	memcpy(at, "13", 2); /* the first length */
	put(&r, "a/zarr.json", document.data);
	put(&r, "b/zarr.json", document.data);
	zinc_blob_fini(&document);
	rig_face(&r, "/", 1 << 20);
	has(&r, "zarr.json", "\"shape\":[13,7]");
	has(&r, "zarr.json", "\"b\":{");
	rig_close(&r);
}

/* chunk (2): the array is written anew with a filter, and the same document is served for it. */
static void
test_rewritten(void **state)
{
	static const char document[] =
	    "{\"zarr_format\":2,\"shape\":[2],\"chunks\":[2],\"dtype\":\">i4\",\"order\":\"C\","
	    "\"fill_value\":0,\"compressor\":null,\"filters\":",
			  delta[] = "[{\"id\":\"delta\",\"dtype\":\">i4\"}]}";
	static const unsigned char one_three[] = {0, 0, 0, 1, 0, 0, 0, 3}, one_six[] = {0, 0, 0, 1, 0, 0, 0, 6};
	char text[512], before[512];
	int32_t v[2];
	rig r;

	(void)state;
	rig_open(&r, "v2");
	put(&r, ".zgroup", "{\"zarr_format\":2}");
	snprintf(text, sizeof text, "%snull}", document);
	put(&r, "a/.zarray", text);
	put_chunk(&r, "a/0", one_three, sizeof one_three);
	rig_face(&r, "/", 1 << 20);
	snprintf(before, sizeof before, "%s", got(&r, "a/zarr.json"));
	read_all(&r, "/a", "int32", v, sizeof v);
	assert_int_equal(v[1], 3);
	snprintf(text, sizeof text, "%s%s", document, delta);
	put(&r, "a/.zarray", text);
	put_chunk(&r, "a/0", one_six, sizeof one_six);
	read_all(&r, "/a", "int32", v, sizeof v); /* the node is still kept */
	assert_int_equal(v[1], 7);
	assert_string_equal(got(&r, "a/zarr.json"), before);
	rig_close(&r);
}

/* chunk (2): fields of one type have equal documents, but not equal chunks. */
static void
test_twin_fields(void **state)
{
	static const unsigned char bytes[] = {1, 2, 3, 4};
	zinc_tag x, y;
	uint8_t v[2];
	rig r;

	(void)state;
	rig_open(&r, "v2");
	put(&r, ".zgroup", "{\"zarr_format\":2}");
	put(&r, "a/.zarray",
	    "{\"zarr_format\":2,\"shape\":[2],\"chunks\":[2],\"dtype\":[[\"x\",\"|u1\"],[\"y\",\"|u1\"]],\"order\":"
	    "\"C\","
	    "\"fill_value\":null,\"compressor\":null,\"filters\":null}");
	put_chunk(&r, "a/0", bytes, sizeof bytes);
	rig_face(&r, "/", 1 << 20);
	x = tag_of(&r, "a/x/c/0");
	y = tag_of(&r, "a/y/c/0");
	assert_false(same(x, y));
	read_all(&r, "/a/x", "uint8", v, sizeof v);
	assert_int_equal(v[0] * 10 + v[1], 13);
	read_all(&r, "/a/y", "uint8", v, sizeof v);
	assert_int_equal(v[0] * 10 + v[1], 24);
	rig_close(&r);
}

/* A long path that is nowhere is given up soon. */
static void
test_long_path(void **state)
{
	struct change c = {NULL, 0, 0, {0}, false, 0};
	char key[8192] = "";
	zinc_store *log;
	size_t i;
	rig r;

	(void)state;
	c.r = &r;
	open_noted(&r, &c, &log);
	for (i = 0; i + 16 < sizeof key; i += 2)
		memcpy(key + i, "a/", 3);
	memcpy(key + i, "c/0", 4);
	c.gets = 0;
	assert_string_equal(got(&r, key), "E_NOTFOUND");
	assert_in_range(c.gets, 1, 1000);
	rig_close(&r);
	zinc_store_close(log);
}

/* Lending is quick: what must be made is not made for it. */
static void
test_lend(void **state)
{
	static const char *const keys[] = {"zarr.json", "made/zarr.json", "made/c/0/0"};
	struct change c = {NULL, 0, 0, {0}, false, 0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_lent lent = ZINC_LENT_INIT;
	zinc_store *log;
	size_t i;
	rig r;

	(void)state;
	c.r = &r;
	open_noted(&r, &c, &log);
	for (i = 0; i < COUNT(keys); i++)
		assert_int_equal(zinc_store_lend(r.face, keys[i], &lent, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(c.reads, 0);
	rig_close(&r);
	zinc_store_close(log);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_formats),       cmocka_unit_test(test_records),
	    cmocka_unit_test(test_renamed_twice), cmocka_unit_test(test_group_failures),
	    cmocka_unit_test(test_long_texts),    cmocka_unit_test(test_raw),
	    cmocka_unit_test(test_unsuited),      cmocka_unit_test(test_texts),
	    cmocka_unit_test(test_complex),       cmocka_unit_test(test_types_of_the_registry),
	    cmocka_unit_test(test_times),         cmocka_unit_test(test_times_overflow),
	    cmocka_unit_test(test_keys),          cmocka_unit_test(test_small),
	    cmocka_unit_test(test_problems),      cmocka_unit_test(test_damage),
	    cmocka_unit_test(test_requests),      cmocka_unit_test(test_tags),
	    cmocka_unit_test(test_memory),        cmocka_unit_test(test_missing),
	    cmocka_unit_test(test_strict),        cmocka_unit_test(test_chains),
	    cmocka_unit_test(test_changing),      cmocka_unit_test(test_flights),
	    cmocka_unit_test(test_fresh),         cmocka_unit_test(test_rewritten),
	    cmocka_unit_test(test_lend),          cmocka_unit_test(test_long_path),
	    cmocka_unit_test(test_stale_copies),  cmocka_unit_test(test_twin_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
