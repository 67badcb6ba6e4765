/*
 * test_store_embedded_open.c - a promise of store_embedded.c, by number, with a library whose databases change while it opens them
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store_embedded.h"
#include "support/gets.h"
#include "support/test.h"

/* ---- a library: each key of a database has the bytes of its file as its value ---- */

static int opened;
static const char *replaces; /* the file that takes the place of the next one that is opened */

static void
fill_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static zinc_status
fake_open(const char *path, embedded_mode mode, void **db, bool *busy, zinc_error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = (char *)calloc(1, 64);

	(void)mode, (void)busy, (void)err;
	assert_non_null(text);
	assert_true(fd >= 0 && read(fd, text, 63) > 0);
	close(fd);
	if (replaces)
		assert_int_equal(rename(replaces, path), 0);
	replaces = NULL;
	opened++;
	*db = text;
	return ZINC_OK;
}

static zinc_status
fake_close(void *db, zinc_error *err)
{
	(void)err;
	free(db);
	return ZINC_OK;
}

static zinc_status
fake_get(void *db, const char *key, size_t n, embedded_value *out, zinc_error *err)
{
	(void)key, (void)n, (void)err;
	out->owner = strdup((const char *)db);
	out->bytes = (const uint8_t *)out->owner;
	out->n = strlen((const char *)db);
	return ZINC_OK;
}

static void
fake_release(embedded_value *v)
{
	free(v->owner);
}

static const embedded_engine engine = {
    .library = "a library",
    .example = "fake:///x.fake",
    .endings = ".fake",
    .marker = "",
    .identity = "",
    .flags = EMBEDDED_FLAGS,
    .value_max = 100,
    .open = fake_open,
    .close = fake_close,
    .get = fake_get,
    .release = fake_release,
};

static zinc_status
store_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	return zinc_embedded_open(&engine, self, rest, options, err);
}

static const zinc_store_ops ops = {
    EMBEDDED_SLOTS, .name = "fake", .purpose = "a file", .schemes = "fake", .open = store_open, .flags = EMBEDDED_FLAGS,
};

/* (9) */
static void
replaced_while_it_is_opened(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char here[4000], url[4100];
	zinc_store *s = NULL;

	(void)state;
	fill_file("x.fake", "old");
	fill_file("y.fake", "new");
	replaces = "y.fake";
	assert_non_null(getcwd(here, sizeof here));
	snprintf(url, sizeof url, "fake://%s/x.fake", here);
	assert_ok(zinc_store_open(&s, url, NULL, &err));
	assert_text(s, "k", "new");
	assert_int_equal(opened, 2);
	zinc_store_close(s);
	unlink("x.fake");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(replaced_while_it_is_opened)};
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_register(&ops, &err));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
