/*
 * test_shard_write.c - one open shard, whole or on top of its old bytes; numbers are the promises of src/array/shard_write.c
 *
 * An array of 4 x 4 elements of uint16 in one shard of four inner chunks of 2 x 2, with a checksum each: 12 bytes.
 */
#include <stdio.h>

#include "array/engine.h"
#include "support/arrays.h"
#include "support/test.h"

#define KEY   "a/c/0/0"
#define INNER 12u

typedef struct scene {
	stage s;
	zinc_array *a;
	zinc_blob old;          /* the stored shard */
	_Atomic uint64_t asked; /* bytes of it that were read, without the index */
	bool convert;           /* the written elements have another type */
	/* what was written */
	zinc_status st;
	bool erase;
	uint8_t bytes[512];
	size_t nbytes, nparts;
} scene;

static void
scene_open(scene *x, int threads)
{
	zinc_error err = ZINC_ERROR_INIT;

	memset(x, 0, sizeof *x);
	x->old = (zinc_blob)ZINC_BLOB_INIT;
	stage_open(&x->s, threads, 0);
	x->a = stage_array(&x->s, "a", 4, 4, 2, 2, 4, 4, "crc32c");
	stage_fill(x->a);
	assert_ok(zinc_store_get_all(x->s.memory, KEY, &x->old, NULL, 0, NULL, &err));
}

static void
scene_close(scene *x)
{
	zinc_blob_fini(&x->old);
	zinc_array_close(x->a);
	stage_close(&x->s);
}

static zinc_status
read_old(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	scene *x = arg;

	(void)err;
	if (offset < 4 * INNER)
		x->asked += nbytes;
	zinc_iov_scatter(iov, niov, (const uint8_t *)x->old.data + offset, (size_t)nbytes);
	return ZINC_OK;
}

/* The parts of the new shard, joined. */
static void
join(scene *x, const zinc_splice *out)
{
	x->nbytes = 0;
	x->nparts = out->nparts;
	for (size_t i = 0; i < out->nparts; i++) {
		const zinc_part *p = &out->parts[i];

		assert_true(x->nbytes + p->nbytes <= sizeof x->bytes);
		memcpy(x->bytes + x->nbytes, p->bytes ? p->bytes : (const uint8_t *)x->old.data + p->offset, p->nbytes);
		x->nbytes += p->nbytes;
	}
}

/* The public function of the file: write `value` to the selection.  `parallel`: on all threads of the call. */
static void
write_shard(scene *x, const char *text, uint16_t value, bool on_top, bool parallel, zinc_error *err)
{
	const zinc_old old = {.size = sizeof old, .found = 1, .nbytes = x->old.nbytes, .read = read_old, .arg = x};
	zinc_error ok = ZINC_ERROR_INIT;
	zinc_selection *sel = NULL;
	uint16_t v[16];
	int64_t wide[16];
	zinc_buffer b = x->convert ? (zinc_buffer)ZINC_BUFFER_INIT(ZINC_INT64, wide, sizeof wide)
				   : (zinc_buffer)ZINC_BUFFER_INIT(ZINC_UINT16, v, sizeof v);
	zinc_splice out = {.size = sizeof out};
	zinc_target t;
	zinc_plan p;
	zinc_call c;
	zinc_object o;
	zinc_job j = {.c = &c, .p = &p, .t = &t, .inner_parallel = parallel};

	for (size_t i = 0; i < COUNT(v); i++)
		wide[i] = v[i] = value;
	if (zinc_selection_parse(&sel, x->a, text, &ok) || zinc_call_begin(&c, x->a, NULL, &ok) ||
	    zinc_plan_init(&p, c.ctx, c.m, sel, &ok) || zinc_target_init(&t, c.m, &p.sel, &b, 0, true, &ok))
		fail_msg("%s: %s", text, ok.text);
	zinc_plan_object(&p, 0, &o);
	x->asked = 0;
	c.workers[0].erase = false;
	x->st = zinc_shard_write(&j, &c.workers[0], &o, on_top ? &old : NULL, &out, err);
	x->erase = c.workers[0].erase;
	if (x->st == ZINC_OK)
		join(x, &out);
	zinc_plan_fini(&p);
	zinc_selection_free(sel);
	(void)!zinc_call_end(&c, ZINC_OK, &ok);
}

/* The elements of the array when the new shard is stored. */
static void
assert_reads(scene *x, const uint16_t want[16])
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t v[16];

	assert_ok(zinc_store_put(x->s.memory, NULL, KEY, x->bytes, x->nbytes, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_array_read(x->a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err));
	for (int i = 0; i < 16; i++)
		assert_int_equal(v[i], want[i]);
}

/* (1) The bytes are the same on one thread and on many, whole or on top of old ones. */
static void
test_same_bytes(void **state)
{
	static const char *const texts[] = {":, :", "0:2, :", "1:3, 1:3", "3, 3"};
	zinc_error err = ZINC_ERROR_INIT;
	scene one, many;

	(void)state;
	scene_open(&one, 1);
	scene_open(&many, 4);
	for (size_t i = 0; i < COUNT(texts); i++) {
		write_shard(&one, texts[i], 7, i > 0, false, &err);
		write_shard(&many, texts[i], 7, i > 0, true, &err);
		assert_int_equal(one.st, ZINC_OK);
		assert_int_equal(many.st, ZINC_OK);
		assert_int_equal(one.nbytes, many.nbytes);
		assert_memory_equal(one.bytes, many.bytes, one.nbytes);
	}
	scene_close(&one);
	scene_close(&many);
}

/* (2) Untouched inner chunks do not change and are never in memory. */
static void
test_kept(void **state)
{
	static const uint16_t want[] = {9, 9, 3, 4, 9, 9, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	zinc_error err = ZINC_ERROR_INIT;
	scene x;

	(void)state;
	scene_open(&x, 1);
	write_shard(&x, "0:2, 0:2", 9, true, false, &err);
	assert_int_equal(x.st, ZINC_OK);
	assert_int_equal(x.asked, 0);
	assert_int_equal(x.nparts, 3); /* new, kept, index */
	assert_int_equal(x.nbytes, x.old.nbytes);
	assert_memory_equal(x.bytes + INNER, (const uint8_t *)x.old.data + INNER, 3 * INNER);
	assert_reads(&x, want);
	scene_close(&x);
}

/* (3) Only touched inner chunks that are not fully covered are read and decoded: damage elsewhere does not matter. */
static void
test_decoded(void **state)
{
	static const uint16_t want[] = {1, 2, 3, 4, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
	zinc_error err = ZINC_ERROR_INIT;
	scene x;

	(void)state;
	for (int convert = 0; convert < 2; convert++) {
		scene_open(&x, 1);
		x.convert = convert;
		((uint8_t *)x.old.data)[2 * INNER] ^= 1; /* in inner chunk 2, which is covered */
		write_shard(&x, "1:4, :", 9, true, false, &err);
		assert_int_equal(x.st, ZINC_OK);
		assert_int_equal(x.asked, 2 * INNER);
		assert_reads(&x, want);
		scene_close(&x);
	}
}

/* (4) An inner chunk of fill value is left out, and a shard of nothing else is erased. */
static void
test_fill(void **state)
{
	static const uint16_t want[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 13, 14, 0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	scene x;

	(void)state;
	scene_open(&x, 1);
	write_shard(&x, "2:4, 2:4", 0, true, false, &err);
	assert_int_equal(x.st, ZINC_OK);
	assert_false(x.erase);
	assert_int_equal(x.nbytes, x.old.nbytes - INNER);
	assert_reads(&x, want);
	write_shard(&x, ":, :", 0, false, false, &err);
	assert_int_equal(x.st, ZINC_OK);
	assert_true(x.erase);
	scene_close(&x);
}

/* (5) An inner chunk that cannot be decoded fails the shard, on one thread and on many; of several the lowest. */
static void
test_damaged(void **state)
{
	scene x;

	(void)state;
	for (int parallel = 0; parallel < 2; parallel++) {
		zinc_error err = ZINC_ERROR_INIT;

		scene_open(&x, 4);
		((uint8_t *)x.old.data)[1 * INNER] ^= 1;
		((uint8_t *)x.old.data)[3 * INNER] ^= 1;
		write_shard(&x, ":, 3", 9, true, parallel, &err);
		assert_int_equal(x.st, ZINC_E_CHECKSUM);
		assert_string_equal(err.codec, "crc32c");
		scene_close(&x);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_kept),    cmocka_unit_test(test_decoded),
	    cmocka_unit_test(test_fill),       cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
