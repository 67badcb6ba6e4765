/*
 * test_sweep.c - the instruments of the other tests, tested themselves
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/sweep.h"
#include "support/test.h"

/* ---- memory ---- */

static void
memory_counts_and_fails(void **state)
{
	sweep_memory m;
	void *a, *b;

	(void)state;
	sweep_memory_init(&m);
	a = m.allocator.alloc(&m, 10);
	b = m.allocator.realloc(&m, NULL, 5);
	assert_true(a && b);
	a = m.allocator.realloc(&m, a, 100);
	assert_int_equal(m.calls, 3);
	assert_int_equal(m.blocks, 2);
	assert_int_equal(m.bytes, 105);
	m.allocator.free(&m, b);
	m.allocator.free(&m, NULL);
	sweep_memory_fail(&m, 2, false);
	b = m.allocator.alloc(&m, 1);
	assert_non_null(b);
	assert_null(m.allocator.realloc(&m, b, 2));
	b = m.allocator.realloc(&m, b, 3);
	assert_non_null(b);
	sweep_memory_fail(&m, 1, true);
	assert_null(m.allocator.alloc(&m, 1));
	assert_null(m.allocator.alloc(&m, 1));
	assert_int_equal(m.failed, 2);
	m.allocator.free(&m, a);
	m.allocator.free(&m, b);
	assert_int_equal(m.blocks, 0);
	assert_int_equal(m.bytes, 0);
	assert_int_equal(m.peak, 105);
}

/* Three blocks, each needed. */
static zinc_status
three_blocks(void *arg, zinc_context *ctx, zinc_error *err)
{
	void *p[3] = {NULL, NULL, NULL};
	bool out = false;
	int i;

	(void)arg;
	for (i = 0; i < 3 && !out; i++) {
		p[i] = zinc_alloc(ctx, 8);
		out = !p[i];
	}
	for (i = 0; i < 3; i++)
		zinc_free(ctx, p[i]);
	return out ? zinc_fail_nomem(err) : ZINC_OK;
}

static void
alloc_driver_visits_every_point(void **state)
{
	(void)state;
	assert_int_equal(sweep_alloc(three_blocks, NULL), 6); /* three, in two modes */
}

/* ---- OS calls ---- */

/* Make a file of ten bytes below the working directory and read it back. */
static zinc_status
write_and_read(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_os *os = ctx->os;
	char bytes[11] = "0123456789";
	zinc_status st = ZINC_OK;
	int dir, fd = -1;
	size_t n = 0;
	ssize_t k = 1;

	(void)arg;
	dir = os->open_root(os, ".", O_RDONLY);
	if (dir == -1)
		return zinc_fail_errno(err, errno, "root");
	fd = os->open_at(os, dir, "file", O_RDWR | O_CREAT | O_TRUNC, 0600, ZINC_LINKS_REFUSE);
	if (fd == -1)
		st = zinc_fail_errno(err, errno, "file");
	while (st == ZINC_OK && n < 10) {
		struct iovec iov[2] = {{NULL, 0}, {bytes + n, 10 - n}};

		k = os->writev(os, fd, iov, 2);
		if (k == -1 && errno != EINTR)
			st = zinc_fail_errno(err, errno, "write");
		n += k > 0 ? (size_t)k : 0;
	}
	for (n = 0; st == ZINC_OK && n < 10;) {
		k = os->pread(os, fd, bytes + n, 10 - n, (off_t)n);
		if (k == -1 && errno != EINTR)
			st = zinc_fail_errno(err, errno, "read");
		n += k > 0 ? (size_t)k : 0;
	}
	if (fd != -1 && os->close(os, fd) == -1 && st == ZINC_OK && errno != EINTR)
		st = zinc_fail_errno(err, errno, "close");
	(void)os->close(os, dir);
	if (st == ZINC_OK)
		assert_string_equal(bytes, "0123456789");
	return st == ZINC_E_NOTFOUND ? zinc_fail(err, ZINC_E_IO, "not there") : st;
}

static void
os_driver_visits_every_point(void **state)
{
	(void)state;
	/* open_root, open_at, writev, pread, close, close; permanent failures stop earlier but have as many points */
	assert_int_equal(sweep_os(write_and_read, NULL, EIO, 0), 12);
	assert_int_equal(sweep_os(write_and_read, NULL, EIO, ENOSPC, 0), 24);
}

static void
calls_are_logged_and_picked_by_name(void **state)
{
	static sweep_calls c;
	zinc_context *ctx = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	long a, b;

	(void)state;
	assert_int_equal(zinc_context_new(&ctx, NULL, NULL), ZINC_OK);
	sweep_calls_init(&c, NULL);
	zinc_context_set_os(ctx, &c.os);
	c.keep_log = true;
	c.most_bytes = 4;
	assert_int_equal(write_and_read(NULL, ctx, &err), ZINC_OK);
	a = sweep_calls_find(&c, 0, "open_at", "file");
	b = sweep_calls_find(&c, 0, "writev", NULL);
	assert_true(a == 1 && b == 2);
	assert_int_equal(c.log[2].result, 4); /* a real short write */
	assert_int_equal(c.log[2].fd, c.log[1].fd);
	assert_int_equal(c.nlog, 2 + 3 + 3 + 2); /* 4 + 4 + 2 bytes each way */

	sweep_calls_forget(&c);
	c.only = "pread";
	sweep_calls_fail(&c, 2, false, EACCES);
	assert_int_equal(write_and_read(NULL, ctx, &err), ZINC_E_IO);
	assert_int_equal(c.calls, 2);
	assert_int_equal(c.nopen, 0);
	assert_int_equal(c.bad_closes, 0);
	assert_int_equal(c.os.close(&c.os, 4000), -1);
	assert_int_equal(c.bad_closes, 1);
	sweep_calls_fini(&c);
	zinc_context_free(ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(memory_counts_and_fails),
	    cmocka_unit_test(alloc_driver_visits_every_point),
	    cmocka_unit_test(os_driver_visits_every_point),
	    cmocka_unit_test(calls_are_logged_and_picked_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
