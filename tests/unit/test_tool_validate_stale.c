/*
 * test_tool_validate_stale.c - promise (5) of validate.c: what an old listing could explain is decided by a get
 *
 * The store "stale" has the values of a store in memory.  Its listing leaves out some keys and shows others that are gone.
 */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "nodes.h"
#include "test.h"

static forest wood;
static const char *left_out[4], *gone[4]; /* NULL-terminated */

typedef struct passing {
	const zinc_lister *to;
	int stopped;
} passing;

static bool
is_one_of(const char *const *list, const char *key)
{
	for (; *list; list++)
		if (strcmp(*list, key) == 0)
			return true;
	return false;
}

static int
pass_key(void *arg, const char *key, uint64_t nbytes)
{
	passing *p = arg;

	p->stopped = !is_one_of(left_out, key) && p->to->key(p->to->arg, key, nbytes) != 0;
	return p->stopped;
}

/* Only whole listings are asked for here; what is gone comes first. */
static zinc_status
stale_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	passing p = {to, 0};
	size_t i;

	(void)self;
	if (!to->key)
		return zinc_store_walk(wood.memory, prefix, to, wait, err);
	for (i = 0; gone[i] && !p.stopped; i++)
		p.stopped = to->key(to->arg, gone[i], 1);
	return p.stopped ? ZINC_OK : zinc_store_list(wood.memory, prefix, pass_key, &p, wait, err);
}

static zinc_status
stale_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	(void)self;
	return zinc_store_get(wood.memory, requests, n, sink, wait, err);
}

static zinc_status
stale_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	(void)rest, (void)options, (void)err;
	*self = &wood;
	return ZINC_OK;
}

static void
stale_caps(void *self, zinc_caps *out)
{
	(void)self;
	out->flags = ZINC_CAP_READ | ZINC_CAP_LIST;
	out->parallel = 1;
}

static void
stale_close(void *self)
{
	(void)self;
}

static const zinc_store_ops stale = {
    .size = sizeof stale,
    .name = "stale",
    .schemes = "stale",
    .open = stale_open,
    .close = stale_close,
    .caps = stale_caps,
    .get = stale_get,
    .walk = stale_walk,
};

/* ---- findings as text: "W M25 /a; E ..." ---- */

static int
see(void *arg, const zinc_finding *f)
{
	char *text = arg;
	const size_t n = strlen(text);

	snprintf(text + n, 1024 - n, "%s%c %s %s", n ? "; " : "", "WEU"[f->level], f -> rule, f -> path);
	return 0;
}

static const char *
validate(zinc_validate_counts *n)
{
	static char text[1024];
	zinc_error err = ZINC_ERROR_INIT;

	text[0] = '\0';
	assert_ok(zinc_validate("stale://x", NULL, see, text, n, &err));
	return text;
}

/* Groups, an array of four elements in two chunks, and one below a group. */
static void
plant(void)
{
	memset(left_out, 0, sizeof left_out);
	memset(gone, 0, sizeof gone);
	forest_put(&wood, "zarr.json", GROUP);
	forest_put(&wood, "a/zarr.json", ARRAY);
	forest_put(&wood, "a/c/0", "abcd");
	forest_put(&wood, "g/zarr.json", GROUP);
	forest_put(&wood, "g/h/zarr.json", GROUP);
	forest_put(&wood, "g/h/b/zarr.json", ARRAY);
	forest_put(&wood, "g/h/b/c/1", "abcd");
}

static void
what_is_left_out(void **state)
{
	static const char *const keys[] = {"zarr.json",     "a/zarr.json",     "a/c/0",    "g/zarr.json",
					   "g/h/zarr.json", "g/h/b/zarr.json", "g/h/b/c/1"};
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	size_t i;

	(void)state;
	plant();
	assert_string_equal(validate(&n), "");
	for (i = 0; i < COUNT(keys); i++) {
		left_out[0] = keys[i];
		assert_string_equal(validate(&n), "");
		assert_int_equal(n.arrays, 2);
		assert_int_equal(n.groups, 3);
	}
	left_out[0] = "g/zarr.json";
	left_out[1] = "g/h/zarr.json";
	left_out[2] = "g/h/b/zarr.json";
	assert_string_equal(validate(&n), ""); /* found by the chunk alone */
	assert_int_equal(n.arrays, 2);
	assert_int_equal(n.groups, 3);
}

/* A chunk that is gone is the fill value. */
static void
what_is_gone(void **state)
{
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;

	(void)state;
	plant();
	gone[0] = "a/c/1";
	assert_string_equal(validate(&n), "");
	gone[0] = "d/zarr.json";
	gone[1] = "d/c/0";
	assert_string_equal(validate(&n), "W listing /d");
	assert_int_equal(n.errors, 0);
}

/* What is really foreign or damaged is told as before. */
static void
what_is_wrong(void **state)
{
	(void)state;
	plant();
	forest_put(&wood, "notes/of/mine", "x");
	assert_string_equal(validate(NULL), "W M1 /");
	forest_put(&wood, "a/zarr.json", "{");
	left_out[0] = "a/zarr.json";
	assert_non_null(strstr(validate(NULL), "E M2 /a"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_left_out),
	    cmocka_unit_test(what_is_gone),
	    cmocka_unit_test(what_is_wrong),
	};
	zinc_error err = ZINC_ERROR_INIT;
	int failed;

	forest_open(&wood, "", ZINC_LENIENT);
	if (zinc_store_register(&stale, &err) != ZINC_OK)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	forest_close(&wood);
	return failed;
}
