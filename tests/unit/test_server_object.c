/*
 * test_server_object.c - promises 1 to 5 of object.c, over a store that counts, fails and changes its value
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "server.h"
#include "support/gets.h"
#include "test.h"

#define LARGE ((5u << 20) + 7) /* more than one piece */

/* ---- a store with one key, "k" ---- */

static struct {
	unsigned char *bytes;
	size_t n;
	unsigned generation; /* 0: it has no tags */
	int change_each;     /* a new generation after every so many requests; 0: never */
	int requests, pieces;
	zinc_status fail;
	int os_error;
} one;

static void
fill(void)
{
	size_t i;

	for (i = 0; i < one.n; i++)
		one.bytes[i] = (unsigned char)(i * 7 + i / 256 + one.generation);
}

static void
one_tag(zinc_tag *tag)
{
	*tag = (zinc_tag){0, {0}};
	if (one.generation)
		*tag = (zinc_tag){1, {(uint8_t)one.generation}};
}

static void
one_close(void *self)
{
	(void)self;
}

static void
one_caps(void *self, zinc_caps *out)
{
	(void)self;
	out->flags = ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE;
	out->parallel = 1;
}

static void
give(const zinc_get *r, const zinc_sink *sink)
{
	const uint64_t whole = one.n;
	uint64_t offset = r->suffix ? whole - (r->length < whole ? r->length : whole) : r->offset;
	uint64_t n = offset >= whole ? 0 : whole - offset;
	zinc_tag tag;
	zinc_got got = {sizeof got, ZINC_FOUND, 0, whole, &tag, ZINC_OK, NULL};
	void *to = NULL;

	one_tag(&tag);
	if (!r->suffix && r->length < n)
		n = r->length;
	if (strcmp(r->key, "k") != 0)
		got.found = ZINC_MISSING;
	else if (r->if_tag && (r->if_tag->n != tag.n || r->if_tag->b[0] != tag.b[0]))
		got.found = ZINC_CHANGED;
	else if (!r->stat && sink->room(sink->arg, 0, n, &to) != ZINC_ROOM_OK) {
		got.found = ZINC_FAILED;
		got.status = ZINC_E_NOMEM;
	} else if (!r->stat) {
		memcpy(to, one.bytes + (n ? offset : 0), (size_t)n);
		got.nbytes = n;
	}
	sink->done(sink->arg, 0, &got);
}

static zinc_status
one_get(void *self, const zinc_get *r, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	(void)self, (void)wait;
	assert_int_equal(n, 1);
	one.requests++;
	one.pieces += !r->stat;
	if (one.fail) {
		zinc_error_set(err, one.fail, "it failed");
		err->os_error = one.os_error;
		return one.fail;
	}
	give(r, sink);
	if (one.change_each && one.requests % one.change_each == 0) {
		one.generation++;
		fill();
	}
	return ZINC_OK;
}

static zinc_store *
open_one(size_t n)
{
	static const zinc_store_ops ops = {.size = sizeof ops,
					   .name = "one",
					   .purpose = "one key",
					   .close = one_close,
					   .caps = one_caps,
					   .get = one_get};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	free(one.bytes);
	memset(&one, 0, sizeof one);
	one.bytes = malloc(n + 1);
	one.n = n;
	one.generation = 1;
	assert_non_null(one.bytes);
	fill();
	assert_ok(zinc_store_wrap(&s, NULL, &ops, &one, "one:", &err));
	return s;
}

/* ---- requests ---- */

static const char *headers[4][2];

static const char *
header(const struct request *q, const char *name)
{
	size_t i;

	(void)q;
	for (i = 0; i < COUNT(headers); i++)
		if (headers[i][0] && !strcmp(headers[i][0], name))
			return headers[i][1];
	return NULL;
}

static struct budget budget;
static struct answer a;
static char content[LARGE + 1];

static void
read_body(void)
{
	if (a.fd != -1)
		assert_int_equal(pread(a.fd, content, (size_t)a.nbytes, (off_t)a.offset), a.nbytes);
	else if (a.bytes)
		memcpy(content, a.bytes, (size_t)a.nbytes);
}

/* The status; the body is in `content`. */
static int
ask(zinc_store *s, enum method method, const char *key)
{
	const struct request q = {.method = method, .path = key, .query = "", .header = header};

	answer_drop(&a);
	one.requests = one.pieces = 0;
	object_answer(s, key, &q, &budget, &a);
	read_body();
	return a.status;
}

static void
with(const char *name, const char *value, const char *name2, const char *value2)
{
	memset(headers, 0, sizeof headers);
	headers[0][0] = name;
	headers[0][1] = value;
	headers[1][0] = name2;
	headers[1][1] = value2;
}

static int
set_up(void **state)
{
	(void)state;
	a = (struct answer)ANSWER_INIT;
	memset(headers, 0, sizeof headers);
	atomic_store(&budget.used, 0);
	atomic_store(&budget.spooled, 0);
	budget.limit = 64u << 20;
	budget.disk = 64u << 20;
	budget.piece = 4u << 20;
	return 0;
}

/* Everything is given back. */
static int
tear_down(void **state)
{
	(void)state;
	answer_drop(&a);
	return atomic_load(&budget.used) || atomic_load(&budget.spooled);
}

/* ---- tests ---- */

static void
only_a_missing_key_is_404(void **state)
{
	static const struct {
		zinc_status st;
		int os_error, status;
	} cases[] = {
	    {ZINC_E_IO, 0, 500},        {ZINC_E_IO, EACCES, 403},     {ZINC_E_IO, EXDEV, 403},
	    {ZINC_E_IO, ELOOP, 403},    {ZINC_E_NOMEM, 0, 503},       {ZINC_E_CORRUPT, 0, 500},
	    {ZINC_E_CANCELLED, 0, 503}, {ZINC_E_UNSUPPORTED, 0, 501}, {ZINC_E_CONFLICT, 0, 503},
	    {ZINC_E_CHECKSUM, 0, 500},
	};
	zinc_store *s = open_one(10);
	size_t i;

	(void)state;
	assert_int_equal(ask(s, METHOD_GET, "x"), 404); /* promise 1 */
	assert_int_equal(ask(s, METHOD_HEAD, "x"), 404);
	assert_int_equal(ask(s, METHOD_GET, "../x"), 404);
	assert_int_equal(ask(s, METHOD_GET, ""), 404);
	for (i = 0; i < COUNT(cases); i++) {
		one.fail = cases[i].st;
		one.os_error = cases[i].os_error;
		assert_int_equal(ask(s, METHOD_GET, "k"), cases[i].status);
		assert_int_equal(ask(s, METHOD_HEAD, "k"), cases[i].status);
		assert_string_equal(a.etag, "");
	}
	zinc_store_close(s);
}

static void
a_small_value_takes_one_request(void **state)
{
	zinc_store *s = open_one(1000);

	(void)state;
	assert_int_equal(ask(s, METHOD_GET, "k"), 200);
	assert_int_equal(one.requests, 1);
	assert_int_equal(a.nbytes, 1000);
	assert_memory_equal(content, one.bytes, 1000);
	with("Range", "bytes=-10", NULL, NULL);
	assert_int_equal(ask(s, METHOD_GET, "k"), 206);
	assert_int_equal(one.requests, 1);
	assert_string_equal(a.range, "bytes 990-999/1000");
	assert_memory_equal(content, one.bytes + 990, 10);
	with("Range", "bytes=1000-", NULL, NULL);
	assert_int_equal(ask(s, METHOD_GET, "k"), 416);
	assert_string_equal(a.range, "bytes */1000");
	with("Range", "bytes=-0", NULL, NULL);
	assert_int_equal(ask(s, METHOD_GET, "k"), 416);
	zinc_store_close(s);
}

static void
compares_tags_before_it_reads(void **state)
{
	zinc_store *s = open_one(1000);
	char tag[72];

	(void)state;
	assert_int_equal(ask(s, METHOD_GET, "k"), 200);
	snprintf(tag, sizeof tag, "%s", a.etag);
	with("If-None-Match", tag, "Range", "bytes=5000-"); /* promise 3 */
	assert_int_equal(ask(s, METHOD_GET, "k"), 304);
	assert_int_equal(one.pieces, 0);
	assert_string_equal(a.etag, tag);
	assert_int_equal(a.nbytes, 1000); /* its Content-Length, without a body */
	assert_null(a.bytes);
	with("If-Match", "\"x\"", NULL, NULL);
	assert_int_equal(ask(s, METHOD_GET, "k"), 412);
	assert_int_equal(one.pieces, 0);
	with("If-Range", "\"x\"", "Range", "bytes=1-2");
	assert_int_equal(ask(s, METHOD_GET, "k"), 200);
	with("If-Range", tag, "Range", "bytes=1-2");
	assert_int_equal(ask(s, METHOD_GET, "k"), 206);
	assert_memory_equal(content, one.bytes + 1, 2);
	one.generation = 0; /* without tags no condition can hold but "*" */
	with("If-Range", "", "Range", "bytes=1-2");
	assert_int_equal(ask(s, METHOD_GET, "k"), 200);
	with("If-None-Match", "\"\"", NULL, NULL);
	assert_int_equal(ask(s, METHOD_GET, "k"), 200);
	with("If-None-Match", "*", NULL, NULL);
	assert_int_equal(ask(s, METHOD_GET, "k"), 304);
	zinc_store_close(s);
}

static void
head_has_the_headers_of_get(void **state)
{
	static const size_t sizes[] = {0, 1000, LARGE};
	char tag[72];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(sizes); i++) {
		zinc_store *s = open_one(sizes[i]);

		with("Range", "bytes=0-1", NULL, NULL); /* promise 4: HEAD has no range */
		assert_int_equal(ask(s, METHOD_HEAD, "k"), 200);
		assert_int_equal(a.nbytes, sizes[i]);
		assert_int_equal(one.pieces, 0);
		assert_string_equal(a.range, "");
		assert_int_equal(a.fd, -1);
		snprintf(tag, sizeof tag, "%s", a.etag);
		with(NULL, NULL, NULL, NULL);
		assert_int_equal(ask(s, METHOD_GET, "k"), 200);
		assert_int_equal(a.nbytes, sizes[i]);
		assert_string_equal(a.etag, tag);
		zinc_store_close(s);
	}
}

static void
a_large_value_goes_through_a_file(void **state)
{
	zinc_store *s = open_one(LARGE);

	(void)state;
	assert_int_equal(ask(s, METHOD_GET, "k"), 200);
	assert_int_not_equal(a.fd, -1);
	assert_int_equal(a.nbytes, LARGE);
	assert_memory_equal(content, one.bytes, LARGE);
	assert_int_equal(atomic_load(&budget.used), 0);
	assert_int_equal(atomic_load(&budget.spooled), LARGE);
	with("Range", "bytes=3-4500000", NULL, NULL);
	assert_int_equal(ask(s, METHOD_GET, "k"), 206);
	assert_int_equal(a.nbytes, 4499998);
	assert_memory_equal(content, one.bytes + 3, 4499998);
	one.generation = 0; /* no tags: in pieces, without an ETag */
	assert_int_equal(ask(s, METHOD_GET, "k"), 206);
	assert_string_equal(a.etag, "");
	zinc_store_close(s);
}

/* A chunk that is encoded for each request must not be encoded for each piece. */
static void
a_large_value_is_read_at_once(void **state)
{
	zinc_store *s = open_one(LARGE);

	(void)state;
	budget.piece = LARGE;
	for (one.generation = 0; one.generation < 2; one.generation++) {
		fill();
		with(NULL, NULL, NULL, NULL);
		assert_int_equal(ask(s, METHOD_GET, "k"), 200);
		assert_int_equal(one.requests, 1);
		assert_int_not_equal(a.fd, -1);
		assert_int_equal(a.etag[0] != '\0', one.generation != 0);
		assert_memory_equal(content, one.bytes, LARGE);
		assert_int_equal(atomic_load(&budget.spooled), LARGE);
		with("If-None-Match", "\"x\"", "Range", "bytes=-4500000");
		assert_int_equal(ask(s, METHOD_GET, "k"), 206);
		assert_int_equal(one.requests, 2);
		assert_memory_equal(content, one.bytes + LARGE - 4500000, 4500000);
		assert_int_equal(atomic_load(&budget.spooled), 4500000);
	}
	with(NULL, NULL, NULL, NULL);
	budget.disk = LARGE - 1;
	assert_int_equal(ask(s, METHOD_GET, "k"), 413);
	assert_int_equal(atomic_load(&budget.spooled), 0);
	zinc_store_close(s);
}

static void
bytes_are_of_one_generation(void **state)
{
	zinc_store *s = open_one(LARGE);
	zinc_tag tag;
	char etag[72];
	int every;

	(void)state;
	for (every = 1; every <= 6; every++) { /* promise 2 */
		one.change_each = 0;
		one.generation = 1;
		fill();
		one.change_each = every;
		if (ask(s, METHOD_GET, "k") == 503) {
			assert_true(every <= 3); /* look and two pieces are three requests */
			assert_string_equal(a.etag, "");
			continue;
		}
		assert_int_equal(a.status, 200);
		one.change_each = 0;
		for (one.generation = 1; one.generation < 200; one.generation++) {
			one_tag(&tag);
			etag_of(etag, &tag);
			if (!strcmp(etag, a.etag))
				break;
		}
		fill();
		assert_memory_equal(content, one.bytes, LARGE);
	}
	with("If-Match", "*", NULL, NULL); /* a small one, looked at first */
	one.n = 1000;
	one.change_each = 1;
	assert_int_equal(ask(s, METHOD_GET, "k"), 503);
	one.change_each = 3;
	assert_int_equal(ask(s, METHOD_GET, "k"), 200);
	zinc_store_close(s);
}

static void
the_budget_bounds_memory_and_files(void **state)
{
	zinc_store *s = open_one(1000);
	const struct request q = {.method = METHOD_GET, .path = "k", .query = "", .header = header};
	struct answer many[4] = {ANSWER_INIT, ANSWER_INIT, ANSWER_INIT, ANSWER_INIT};
	size_t i;

	(void)state;
	budget.limit = 3 * 1100;
	for (i = 0; i < 4; i++) { /* promise 5 */
		object_answer(s, "k", &q, &budget, &many[i]);
		assert_int_equal(many[i].status, 200);
		assert_int_equal(many[i].fd != -1, i == 3);
	}
	assert_true(atomic_load(&budget.used) <= budget.limit);
	answer_drop(&many[0]);
	answer_drop(&many[3]);
	object_answer(s, "k", &q, &budget, &many[3]);
	assert_int_equal(many[3].status, 200);
	assert_int_equal(many[3].fd, -1);
	for (i = 1; i < 4; i++)
		answer_drop(&many[i]);
	zinc_store_close(s);

	s = open_one(LARGE);
	budget.limit = 64u << 20;
	budget.disk = LARGE - 1;
	assert_int_equal(ask(s, METHOD_GET, "k"), 413); /* never */
	assert_string_equal(a.etag, "");
	budget.disk = LARGE + 10;
	assert_int_equal(ask(s, METHOD_GET, "k"), 200);
	object_answer(s, "k", &q, &budget, &many[0]);
	assert_int_equal(many[0].status, 503); /* not now */
	answer_drop(&many[0]);
	budget.limit = 1000; /* less than a piece */
	assert_int_equal(ask(s, METHOD_GET, "k"), 200);
	assert_memory_equal(content, one.bytes, LARGE);
	with("Range", "bytes=5-2000", NULL, NULL);
	assert_int_equal(ask(s, METHOD_GET, "k"), 206);
	assert_int_equal(a.nbytes, 1996);
	assert_memory_equal(content, one.bytes + 5, 1996);
	budget.disk = 10;
	assert_int_equal(ask(s, METHOD_GET, "k"), 413);
	zinc_store_close(s);
}

static void
needs_a_temporary_directory(void **state)
{
	zinc_store *s = open_one(LARGE);

	(void)state;
	setenv("TMPDIR", "/proc/self/fd", 1); /* no file can be made there: the next place is used */
	assert_int_equal(ask(s, METHOD_GET, "k"), 200);
	unsetenv("TMPDIR");
	zinc_store_close(s);
}

static void
lends_only_what_is_lent(void **state)
{
	const struct request q = {.method = METHOD_GET, .path = "k", .query = "", .header = header};
	zinc_store *s = open_one(10);

	(void)state;
	assert_false(object_lend(s, "k", &q, &a));
	assert_int_equal(one.requests, 0);
	zinc_store_close(s);
	free(one.bytes);
	one.bytes = NULL;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(only_a_missing_key_is_404),         TEST(a_small_value_takes_one_request),
	    TEST(compares_tags_before_it_reads),     TEST(head_has_the_headers_of_get),
	    TEST(a_large_value_goes_through_a_file), TEST(a_large_value_is_read_at_once),
	    TEST(bytes_are_of_one_generation),       TEST(the_budget_bounds_memory_and_files),
	    TEST(needs_a_temporary_directory),       TEST(lends_only_what_is_lent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
