/*
 * databases.c - see databases.h
 */
#include "databases.h"

#include <stdlib.h>
#include <unistd.h>

#include "gets.h"
#include "test.h"

void
assert_long_value(zinc_store *s)
{
	enum { N = 3000000 };
	uint8_t *bytes = (uint8_t *)malloc(N);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get r = get_range("k", N - 70000, 60000);
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_tag put, whole, now;
	gets g;
	size_t i;

	assert_non_null(bytes);
	for (i = 0; i < N; i++)
		bytes[i] = (uint8_t)(i * 2654435761u >> 11);
	assert_ok(zinc_store_put(s, NULL, "k", bytes, N, NULL, 0, &put, NULL, &err));
	assert_ok(zinc_store_get_all(s, "k", &b, &whole, 0, NULL, &err));
	assert_int_equal(b.nbytes, N);
	assert_memory_equal(b.data, bytes, N);
	zinc_blob_fini(&b);
	now = tag_of(s, "k");
	assert_true(zinc_tag_equal(&put, &whole));
	assert_true(zinc_tag_equal(&put, &now));
	r.if_tag = &put;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &r, &err));
	assert_int_equal(g.r[0].nbytes, 60000);
	assert_memory_equal(g.r[0].bytes, bytes + N - 70000, 60000);
	gets_fini(&g);
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, N - 1, NULL, &err), ZINC_E_LIMIT);
	free(bytes);
}

/* A part of "k" on condition of a tag (NULL: none); *tag is that of the answer. */
static zinc_found
part_of(zinc_store *s, const zinc_tag *if_tag, uint64_t untagged, zinc_tag *tag)
{
	zinc_get r = get_range("k", 2000, 50);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_found found;
	gets g;

	r.if_tag = if_tag;
	r.untagged = untagged;
	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &r, &err));
	found = g.r[0].found;
	*tag = g.r[0].tag;
	gets_fini(&g);
	return found;
}

void
assert_tags_of_parts(zinc_store *s, zinc_store *other, size_t n)
{
	uint8_t *bytes = (uint8_t *)calloc(1, n);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag first, now, put;
	int i;

	assert_non_null(bytes);
	assert_ok(zinc_store_put(s, NULL, "k", bytes, n, NULL, 0, &first, NULL, &err));
	for (i = 0; i < 3; i++) {
		assert_int_equal(part_of(s, i ? &first : NULL, 0, &now), ZINC_FOUND);
		assert_true(zinc_tag_equal(&first, &now));
		assert_int_equal(part_of(s, NULL, 1, &now), ZINC_FOUND);
		assert_int_equal(now.n, 0);
		bytes[n - 1]++; /* outside of the part */
		assert_ok(zinc_store_put(i % 2 ? s : other, NULL, "k", bytes, n, NULL, 0, &put, NULL, &err));
		assert_int_equal(part_of(s, &first, i == 1, &now), ZINC_CHANGED);
		assert_int_equal(part_of(s, &put, 1, &now), ZINC_FOUND); /* the tag is compared, whoever uses it */
		assert_int_equal(part_of(s, &put, 0, &now), ZINC_FOUND);
		assert_true(zinc_tag_equal(&put, &now));
		first = put;
	}
	free(bytes);
}

void
assert_erasing_creates_nothing(zinc_store *s, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_tag tag = {1, {7}};
	const zinc_condition equals = {ZINC_EQUALS, &tag}, absent = {ZINC_ABSENT, NULL};

	assert_ok(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err));
	assert_ok(zinc_store_del(s, NULL, "k", &absent, 0, NULL, &err));
	assert_int_equal(zinc_store_del(s, NULL, "k", &equals, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_ok(zinc_store_del_prefix(s, "k/", 0, NULL, &err));
	assert_int_equal(zinc_store_put(s, NULL, "k", "1", 1, &equals, 0, NULL, NULL, &err), ZINC_E_CONFLICT);
	assert_int_equal(access(path, F_OK), -1);
	assert_ok(zinc_store_put(s, NULL, "k", "1", 1, &absent, 0, NULL, NULL, &err));
	assert_int_equal(access(path, F_OK), 0);
}
