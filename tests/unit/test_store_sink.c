/*
 * test_store_sink.c - ranges, room and iovec lists, by the promises of store_sink.c
 */
#include <stdio.h>

#include "store/store_inside.h"
#include "support/test.h"

typedef struct told {
	int rooms, dones, not_now;
	bool refuse;
	zinc_got got;
	zinc_error error;
	char order[32];
	char buf[16];
} told;

static void
note(told *t, char what)
{
	size_t n = strlen(t->order);

	if (n + 1 < sizeof t->order) {
		t->order[n] = what;
		t->order[n + 1] = '\0';
	}
}

static zinc_room
room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	told *t = (told *)arg;

	(void)i;
	assert_true(nbytes <= sizeof t->buf);
	note(t, 'r');
	t->rooms++;
	if (t->refuse)
		return ZINC_ROOM_FAIL;
	if (t->not_now-- > 0)
		return ZINC_ROOM_NOT_NOW;
	*buf = t->buf;
	return ZINC_ROOM_OK;
}

static void
done(void *arg, size_t i, const zinc_got *got)
{
	told *t = (told *)arg;

	(void)i;
	note(t, 'd');
	t->dones++;
	t->got = *got;
	if (got->error)
		t->error = *got->error;
}

/* A value whose bytes are their own positions, and the expected result of its read. */
typedef struct positions {
	told *t;
	zinc_status status;
} positions;

static zinc_status
read_positions(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	const positions *p = (const positions *)arg;
	uint8_t bytes[16];
	size_t i;

	note(p->t, 'b');
	for (i = 0; i < nbytes && i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(offset + i);
	zinc_iov_scatter(iov, niov, bytes, (size_t)nbytes);
	return p->status == ZINC_OK ? ZINC_OK : zinc_fail(err, p->status, "as asked");
}

static told
serve(const zinc_get *r, uint64_t size, int not_now, bool refuse, zinc_status st, const zinc_cancel *cancel)
{
	told t = {.not_now = not_now, .refuse = refuse};
	const zinc_sink k = {sizeof k, room, done, &t};
	const zinc_wait wait = {sizeof wait, 0, cancel};
	zinc_tag tag = {1, {42}};
	positions p = {&t, st};

	zinc_sink_serve(&k, 0, r, size, &tag, read_positions, &p, &wait);
	assert_int_equal(t.dones, 1); /* promise 1 */
	assert_int_equal(t.order[strlen(t.order) - 1], 'd');
	return t;
}

/* ---- promises 2 and 3 ---- */

static void
ranges_are_cut(void **state)
{
	static const struct {
		uint64_t offset, length;
		int suffix;
		uint64_t size, first, n;
	} rows[] = {
	    {0, ZINC_TO_END, 0, 10, 0, 10},
	    {3, 4, 0, 10, 3, 4},
	    {9, 4, 0, 10, 9, 1},
	    {10, 1, 0, 10, 0, 0},
	    {UINT64_MAX, UINT64_MAX, 0, 10, 0, 0},
	    {5, ZINC_TO_END, 0, 10, 5, 5},
	    {0, 4, 1, 10, 6, 4},
	    {7, 99, 1, 10, 0, 10},
	    {0, 4, 1, 0, 0, 0},
	    {0, UINT64_MAX, 1, 3, 0, 3},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_get r = {.key = "k", .offset = rows[i].offset, .length = rows[i].length, .suffix = rows[i].suffix};
		told t = serve(&r, rows[i].size, 0, false, ZINC_OK, NULL);

		assert_int_equal(t.got.found, ZINC_FOUND);
		assert_int_equal(t.got.nbytes, rows[i].n);
		assert_int_equal(t.got.object_size, rows[i].size);
		assert_string_equal(t.order, rows[i].n ? "rbd" : "rd");
		if (rows[i].n)
			assert_int_equal(t.buf[0], rows[i].first);
	}
}

static void
room_is_asked_again(void **state)
{
	zinc_get r = {.key = "k", .length = ZINC_TO_END};
	const zinc_cancel cancel = {1};
	told t = serve(&r, 5, 12, false, ZINC_OK, NULL);

	(void)state;
	assert_int_equal(t.rooms, 13);
	assert_int_equal(t.got.found, ZINC_FOUND);
	t = serve(&r, 5, 0, true, ZINC_OK, NULL);
	assert_int_equal(t.got.found, ZINC_FAILED);
	assert_int_equal(t.got.status, ZINC_E_NOMEM);
	assert_string_equal(t.order, "rd");
	t = serve(&r, 5, 1000000, false, ZINC_OK, &cancel);
	assert_int_equal(t.got.status, ZINC_E_CANCELLED);
	assert_int_equal(t.rooms, 1);
	r.stat = 1;
	t = serve(&r, 5, 0, true, ZINC_OK, NULL);
	assert_int_equal(t.got.found, ZINC_FOUND);
	assert_string_equal(t.order, "d");
}

/* ---- promise 4 ---- */

static void
changed_is_told(void **state)
{
	zinc_tag same = {1, {42}}, other = {1, {43}}, longer = {2, {42}}, none = {0, {42}};
	zinc_get r = {.key = "k", .length = ZINC_TO_END, .if_tag = &same};
	told t = serve(&r, 5, 0, false, ZINC_OK, NULL);

	(void)state;
	assert_int_equal(t.got.found, ZINC_FOUND);
	t = serve(&r, 5, 0, false, ZINC_E_CONFLICT, NULL);
	assert_int_equal(t.got.found, ZINC_CHANGED);
	assert_int_equal(t.got.nbytes, 0);
	assert_int_equal(t.got.status, ZINC_OK);
	r.if_tag = &other;
	t = serve(&r, 5, 0, false, ZINC_OK, NULL);
	assert_int_equal(t.got.found, ZINC_CHANGED);
	assert_string_equal(t.order, "d");
	r.if_tag = &longer;
	assert_int_equal(serve(&r, 5, 0, false, ZINC_OK, NULL).got.found, ZINC_CHANGED);
	r.if_tag = &none;
	assert_int_equal(serve(&r, 5, 0, false, ZINC_OK, NULL).got.found, ZINC_CHANGED);
	r.if_tag = NULL;
	t = serve(&r, 5, 0, false, ZINC_E_CONFLICT, NULL);
	assert_int_equal(t.got.found, ZINC_FAILED);
	assert_int_equal(t.got.status, ZINC_E_IO);
	assert_int_equal(t.error.code, ZINC_E_IO);
}

/* ---- iovec lists ---- */

static void
iovec_lists(void **state)
{
	char a[2], b[3];
	uint8_t joined[5] = "....";
	struct iovec iov[5] = {{a, 2}, {NULL, 0}, {b, 3}, {NULL, 0}, {a, 1}}, out[3], huge[2] = {{a, SIZE_MAX}, {a, 1}};
	zinc_iov_at at = {iov, 5, 0};
	size_t n;

	(void)state;
	assert_int_equal(zinc_iov_bytes(iov, 5, &n), 0);
	assert_int_equal(n, 6);
	assert_int_not_equal(zinc_iov_bytes(huge, 2, &n), 0);
	zinc_iov_scatter(iov, 3, (const uint8_t *)"12345", 5);
	zinc_iov_gather(iov, 3, joined, 4);
	assert_memory_equal(joined, "1234", sizeof joined);
	assert_int_equal(zinc_iov_next(&at, out, 3), 3);
	assert_ptr_equal(out[1].iov_base, b); /* the empty one is left out */
	assert_int_equal(zinc_iov_next(&at, out, 1), 1);
	zinc_iov_advance(&at, 3);
	assert_int_equal(zinc_iov_next(&at, out, 3), 2);
	assert_ptr_equal(out[0].iov_base, b + 1);
	assert_int_equal(out[0].iov_len, 2);
	zinc_iov_advance(&at, 2);
	assert_int_equal(zinc_iov_next(&at, out, 3), 1);
	zinc_iov_advance(&at, 1);
	assert_int_equal(zinc_iov_next(&at, out, 3), 0);
}

static void
cancelled_before_it_begins(void **state)
{
	zinc_cancel cancel = ZINC_CANCEL_INIT;
	const zinc_wait wait = {sizeof wait, 0, &cancel};
	told t = {.not_now = 0};
	const zinc_sink k = {sizeof k, room, done, &t};

	(void)state;
	assert_false(zinc_sink_cancelled(&k, 0, NULL));
	assert_false(zinc_sink_cancelled(&k, 0, &wait));
	assert_int_equal(t.dones, 0);
	zinc_cancel_set(&cancel);
	assert_true(zinc_sink_cancelled(&k, 0, &wait));
	assert_int_equal(t.dones, 1);
	assert_int_equal(t.got.status, ZINC_E_CANCELLED);
	zinc_sink_missing(&k, 0);
	assert_int_equal(t.got.found, ZINC_MISSING);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ranges_are_cut),
	    cmocka_unit_test(room_is_asked_again),
	    cmocka_unit_test(changed_is_told),
	    cmocka_unit_test(iovec_lists),
	    cmocka_unit_test(cancelled_before_it_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
