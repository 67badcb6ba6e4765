/*
 * test_read_damaged.c - damaged objects x codecs x partial and full reads
 *
 * One chunk (or shard) is damaged in many ways; each time the whole array and several parts of it are read.  The rule:
 *
 * (1) If a full read succeeds, a partial read has the same elements.
 * (2) An object of another size than the chunk's is an error also for partial reads.
 * (3) If only the partial read succeeds, its elements are correct: the damage is after them.  The exception is a zstd
 *     frame without a checksum: a flipped bit in its decoded beginning may be detected only later.
 * (4) With a checksum of the whole object, both detect every damage.
 *
 * The printed table counts the partial reads: "same" result and elements as the full read, "refused" although the
 * full read succeeds, "unseen" damage in bytes that the part does not need, and "wrong".
 */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "support/arrays.h"
#include "support/test.h"

enum { MOST = 512 * 512, OBJECT = 1 << 21 };

static uint16_t right[MOST], full[MOST], part[MOST];
static uint32_t other[4 * MOST];
static uint8_t object[OBJECT], damaged[OBJECT];

typedef struct row {
	const char *codecs;
	uint64_t n; /* chunks of n x n, of which a shard has two */
	bool sharded;
	bool sealed;    /* promise 4 */
	size_t size_at; /* offset of the decoded size, 0: none */
	size_t size_bytes;
} row;

static const row rows[] = {
    {"none", 64, false, false, 0, 0},
    {"crc32c", 64, false, true, 0, 0},
    {"zstd:1", 64, false, false, 5, 2},  /* 256 less */
    {"zstd:1", 512, false, false, 5, 4}, /* of which the beginning is fetched */
    {"zstd:1:checksum", 64, false, false, 5, 2},
    {"zstd:1+crc32c", 64, false, true, 5, 2},
    {"blosc:lz4:5:shuffle:1024", 64, false, false, 4, 4},
    {"blosc:zstd:5:bitshuffle:1024", 64, false, false, 4, 4},
    {"blosc:lz4:0", 64, false, false, 4, 4},
    {"blosc:lz4:5:shuffle:1024+crc32c", 64, false, true, 4, 4},
    {"numcodecs.lz4", 64, false, false, 0, 4},
    {"gzip:1", 64, false, false, 0, 0},
    {"numcodecs.zlib", 64, false, false, 0, 0},
    {"none", 64, true, false, 0, 0},
    {"zstd:1", 64, true, false, 0, 0},
    {"blosc:lz4:5:shuffle:1024", 64, true, false, 0, 0},
    {"numcodecs.lz4", 64, true, false, 0, 0},
    {"gzip:1", 64, true, false, 0, 0},
    {"zstd:1+crc32c", 64, true, true, 0, 0},
};

/* ---- the selections ---- */

typedef struct pick {
	uint64_t start[2], count[2], step[2];
	bool points;
} pick;

static const pick picks[] = {
    {{0, 0}, {1, 64}, {1, 1}, false}, {{0, 0}, {1, 1}, {1, 1}, false},   {{63, 0}, {1, 64}, {1, 1}, false},
    {{20, 3}, {9, 7}, {1, 1}, false}, {{1, 2}, {9, 3}, {7, 20}, false},  {{0, 0}, {40, 64}, {1, 1}, false},
    {{30, 0}, {1, 3}, {1, 30}, true}, {{10, 60}, {5, 2}, {10, 1}, true},
};

typedef struct kind {
	const char *name;
	uint64_t parts, same, refused, unseen, wrong;
	uint64_t objects, read; /* damaged, and of them read whole */
} kind;

enum { WHOLE, CUT, ADDED, FLIPPED, RESIZED, TYPESIZE, ANOTHER, UNSIZED, NKINDS };

typedef struct table {
	const row *r;
	zinc_array *a;
	uint64_t shape[2];
	kind kinds[NKINDS];
} table;

/* Element i of the selection in C order: its place in the array. */
static uint64_t
place(const table *t, const pick *p, uint64_t i)
{
	const uint64_t r = p->start[0] + i / p->count[1] * p->step[0], c = p->start[1] + i % p->count[1] * p->step[1];

	return r * t->shape[1] + c;
}

static zinc_status
read_pick(const table *t, const pick *p, zinc_error *err)
{
	zinc_selection s = {.size = sizeof(zinc_selection),
			    .kind = ZINC_SELECT_BOX,
			    .ndim = 2,
			    .start = p->start,
			    .count = p->count,
			    .step = p->step};
	const uint64_t n = p->count[0] * p->count[1];
	uint64_t points[2 * 64], i;

	if (p->points) {
		for (i = 0; i < n; i++) {
			points[2 * i] = place(t, p, i) / t->shape[1];
			points[2 * i + 1] = place(t, p, i) % t->shape[1];
		}
		s = (zinc_selection){.size = sizeof(zinc_selection),
				     .kind = ZINC_SELECT_POINTS,
				     .ndim = 2,
				     .points = points,
				     .npoints = (size_t)n};
	}
	memset(part, 0xee, n * sizeof *part);
	return zinc_array_read(t->a, &s, ZINC_BUFFER(part, n * sizeof *part), NULL, err);
}

static bool
equal(const table *t, const pick *p, const uint16_t *from)
{
	uint64_t i;

	for (i = 0; i < p->count[0] * p->count[1]; i++)
		if (part[i] != from[place(t, p, i)])
			return false;
	return true;
}

/* zstd alone decodes no further than a part needs. */
static bool
stops_early(const row *r)
{
	return strncmp(r->codecs, "zstd", 4) == 0 && r->n > 64 && !r->sealed;
}

/* May a part be read where the full read has failed? */
static bool
may_be_unseen(const table *t, int k, const pick *p)
{
	if (k == RESIZED || k == ANOTHER || k == UNSIZED || t->r->sealed)
		return t->r->sharded && (k == RESIZED || k == FLIPPED); /* another inner chunk was hit */
	return (k == FLIPPED && stops_early(t->r)) || equal(t, p, right);
}

/* The object is replaced by `n` damaged bytes. */
static void
judge(table *t, int k, size_t n)
{
	const uint64_t index[2] = {0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	kind *v = &t->kinds[k];
	zinc_status all, some;
	size_t i;

	assert_ok(zinc_array_chunk_put(t->a, index, damaged, n, NULL, &err));
	all = zinc_array_read(t->a, NULL, ZINC_BUFFER(full, t->shape[0] * t->shape[1] * sizeof *full), NULL, &err);
	v->objects++;
	v->read += all == ZINC_OK;
	if (all == ZINC_OK && t->r->sealed && k != WHOLE)
		assert_memory_equal(full, right, t->shape[0] * t->shape[1] * sizeof *full);
	for (i = 0; i < COUNT(picks); i++) {
		some = read_pick(t, &picks[i], &err);
		v->parts++;
		if (all == ZINC_OK && some == ZINC_OK && equal(t, &picks[i], full))
			v->same++;
		else if (all != ZINC_OK && some != ZINC_OK)
			v->same++;
		else if (some != ZINC_OK)
			v->refused++;
		else if (all != ZINC_OK && may_be_unseen(t, k, &picks[i]) &&
			 (!t->r->sealed || equal(t, &picks[i], right)))
			v->unseen++;
		else
			v->wrong++;
	}
}

/* ---- how it is damaged ---- */

static zinc_array *
make(stage *s, const char *name, const row *r, const char *dtype, uint64_t nrows, uint64_t ncols)
{
	const uint64_t shape[] = {nrows * (r->sharded ? 2 : 1), ncols}, chunks[] = {nrows, ncols};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create(&a, s->h, name,
				    ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = dtype, .chunks = chunks,
						       .shards = r->sharded ? shape : NULL, .codecs = r->codecs,
						       .big_endian = ZINC_HOST_BIG),
				    &err));
	return a;
}

/* The object of an array -> `to`; returns its size. */
static size_t
take(zinc_array *a, uint8_t *to)
{
	const uint64_t index[2] = {0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob blob = {0};
	size_t n;

	assert_ok(zinc_array_chunk_get(a, index, &blob, NULL, &err));
	assert_in_range(blob.nbytes, 1, OBJECT / 2);
	n = blob.nbytes;
	memcpy(to, blob.data, n);
	zinc_blob_fini(&blob);
	return n;
}

/* Every length that is less, and some that are more. */
static void
lengths(table *t, size_t n)
{
	const size_t step = n > 1024 ? n / 256 : 1;
	size_t k;

	for (k = 0; k < n; k += step) {
		memcpy(damaged, object, n);
		judge(t, CUT, k);
	}
	for (k = 1; k < 40; k += 7) {
		memcpy(damaged, object, n);
		memset(damaged + n, (int)k & 1 ? 0 : 0x5a, k);
		judge(t, ADDED, n + k);
	}
	memcpy(damaged + n, object, n);
	judge(t, ADDED, 2 * n);
}

/* A bit at every position, all of them where headers and checksums are; of large objects at every fifth. */
static void
flips(table *t, size_t n)
{
	const size_t step = (n > 4096 || t->r->n > 64 ? 5u : 1u) * (getenv("ZINC_QUICK") ? 20u : 1u);
	size_t at, bit;

	for (at = 0; at < n; at++)
		for (bit = 0; bit < 8; bit++) {
			if (at >= 48 && at + 24 < n && (bit != at % 8 || at % step > 0))
				continue;
			memcpy(damaged, object, n);
			damaged[at] ^= (uint8_t)(1 << bit);
			judge(t, FLIPPED, n);
		}
}

/* The size that the object states. */
static void
sizes(table *t, size_t n)
{
	const row *r = t->r;
	uint32_t was, now[7];
	size_t i;

	if (r->size_bytes == 0)
		return;
	was = r->size_bytes == 2 ? (uint32_t)(object[r->size_at] | object[r->size_at + 1] << 8) + 256
				 : zinc_get_le32(object + r->size_at);
	assert_int_equal(was, r->n * r->n * sizeof(uint16_t));
	now[0] = was / 2, now[1] = was * 2, now[2] = was - 1, now[3] = was + 1, now[4] = was / 4, now[5] = was * 4,
	now[6] = was * 3 / 4 + 1;
	for (i = 0; i < COUNT(now); i++) {
		memcpy(damaged, object, n);
		if (r->size_bytes == 2) {
			damaged[r->size_at] = (uint8_t)(now[i] - 256);
			damaged[r->size_at + 1] = (uint8_t)((now[i] - 256) >> 8);
		} else {
			zinc_put_le32(damaged + r->size_at, now[i]);
		}
		judge(t, RESIZED, n);
	}
}

static void
typesizes(table *t, size_t n)
{
	unsigned size;

	if (strncmp(t->r->codecs, "blosc", 5) != 0 || t->r->sharded)
		return;
	for (size = 0; size < 256; size++) {
		memcpy(damaged, object, n);
		damaged[3] = (uint8_t)size;
		judge(t, TYPESIZE, n);
	}
}

/* The object of an array of another type or shape, but the same codecs: int32 under an int64 document. */
static void
others(stage *s, table *t)
{
	static const struct {
		const char *dtype;
		int rows, cols; /* in quarters */
	} what[] = {{"uint8", 4, 4},  {"uint32", 4, 4}, {"uint16", 2, 4}, {"uint16", 8, 4},
		    {"uint16", 4, 2}, {"uint16", 4, 8}, {"uint32", 4, 8}, {"uint16", 3, 4}};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, k, n;

	for (i = 0; i < COUNT(what); i++) {
		const uint64_t r = t->r->n * (uint64_t)what[i].rows / 4, c = t->r->n * (uint64_t)what[i].cols / 4;
		zinc_array *b;
		char name[16];

		snprintf(name, sizeof name, "b%zu", i);
		b = make(s, name, t->r, what[i].dtype, r, c);
		for (k = 0; k < r * c * (t->r->sharded ? 2 : 1); k++)
			other[k] = (uint32_t)(k % 200) + 1;
		assert_ok(zinc_array_write_text(b, "", ZINC_BUFFER(other, k * sizeof *other), NULL, &err));
		n = take(b, damaged);
		judge(t, ANOTHER, n);
		zinc_array_close(b);
	}
}

/* A frame of raw blocks without its size at `at`; returns its end. */
static size_t
frame(size_t at, const uint8_t *bytes, size_t n)
{
	static const uint8_t head[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0x38}; /* window of 128 KiB */
	size_t k, done;

	memcpy(damaged + at, head, sizeof head);
	for (at += sizeof head, done = 0; done < n || n == 0; done += k, at += k) {
		k = n - done < 65536 ? n - done : 65536;
		damaged[at++] = (uint8_t)(k << 3 | (done + k == n));
		damaged[at++] = (uint8_t)(k >> 5);
		damaged[at++] = (uint8_t)(k >> 13);
		memcpy(damaged + at, bytes + done, k);
		if (n == 0)
			break;
	}
	return at;
}

/* zstd frames without a size, or only with that of a part: of the right size in all, and of others. */
static void
unsized(table *t, size_t n)
{
	const size_t nbytes = (size_t)(t->shape[0] * t->shape[1]) * sizeof *right;
	const uint8_t *bytes = (const uint8_t *)right;

	if (strcmp(t->r->codecs, "zstd:1") != 0 || t->r->sharded)
		return;
	judge(t, WHOLE, frame(0, bytes, nbytes));
	judge(t, WHOLE, frame(frame(0, bytes, nbytes / 2), bytes + nbytes / 2, nbytes / 2));
	judge(t, WHOLE, frame(frame(0, bytes, 0), bytes, nbytes));
	assert_int_equal(t->kinds[WHOLE].read, t->kinds[WHOLE].objects);
	judge(t, UNSIZED, frame(0, bytes, nbytes / 2));
	judge(t, UNSIZED, frame(0, bytes, nbytes - 1));
	judge(t, UNSIZED, frame(frame(0, bytes, nbytes), bytes, 2));
	judge(t, UNSIZED, frame(frame(0, bytes, nbytes / 2), bytes, nbytes));
	memcpy(damaged + frame(0, bytes, nbytes / 2), object, n); /* the second has the size of the chunk */
	judge(t, UNSIZED, frame(0, bytes, nbytes / 2) + n);
	assert_int_equal(t->kinds[UNSIZED].read, 0);
}

static const char *const names[NKINDS] = {"undamaged",  "cut off",         "added to",   "bit flipped",
					  "size wrong", "type size wrong", "of another", "no size, wrong"};

static void
print(const table *t)
{
	char name[64];
	int k;

	snprintf(name, sizeof name, "%s%s, %llu^2", t->r->sharded ? "shard of " : "", t->r->codecs,
		 (unsigned long long)t->r->n);
	for (k = 0; k < NKINDS; k++) {
		const kind *v = &t->kinds[k];

		if (v->objects > 0)
			print_message("%-40s %-16s %7llu %7llu | %7llu %7llu %7llu %7llu\n", name, names[k],
				      (unsigned long long)v->objects, (unsigned long long)v->read,
				      (unsigned long long)v->same, (unsigned long long)v->refused,
				      (unsigned long long)v->unseen, (unsigned long long)v->wrong);
	}
}

static void
judge_row(const row *r)
{
	table t = {.r = r};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, n, count;
	stage s;
	int k;

	stage_open(&s, 1, 0);
	t.a = make(&s, "a", r, "uint16", r->n, r->n);
	t.shape[0] = r->n * (r->sharded ? 2 : 1);
	t.shape[1] = r->n;
	count = (size_t)(t.shape[0] * t.shape[1]);
	for (i = 0; i < count; i++) /* packs well, so that there are few places to damage */
		right[i] = (uint16_t)(i / (8 * r->n) * 3 + i % 7 * 300 + (i % 977 == 0));
	assert_ok(zinc_array_write_text(t.a, "", ZINC_BUFFER(right, count * sizeof *right), NULL, &err));
	n = take(t.a, object);
	memcpy(damaged, object, n);
	judge(&t, WHOLE, n);
	assert_int_equal(t.kinds[WHOLE].same, COUNT(picks));
	assert_int_equal(t.kinds[WHOLE].read, 1);
	lengths(&t, n);
	flips(&t, n);
	if (!r->sharded)
		sizes(&t, n);
	typesizes(&t, n);
	others(&s, &t);
	unsized(&t, n);
	print(&t);
	for (k = 0; k < NKINDS; k++) {
		assert_int_equal(t.kinds[k].wrong, 0);
		assert_int_equal(t.kinds[k].refused, 0);
	}
	assert_int_equal(t.kinds[CUT].read, 0);
	assert_int_equal(t.kinds[ADDED].read, r->sharded ? t.kinds[ADDED].read : 0);
	assert_int_equal(t.kinds[ANOTHER].read, 0);
	zinc_array_close(t.a);
	stage_close(&s);
}

/* (1) to (4) */
static void
parts_and_all(void **state)
{
	size_t i;

	(void)state;
	print_message("%-40s %-16s %7s %7s | %7s %7s %7s %7s\n", "codecs, chunk", "damage", "objects", "read", "same",
		      "refused", "unseen", "wrong");
	for (i = 0; i < COUNT(rows); i++)
		judge_row(&rows[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_and_all)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
