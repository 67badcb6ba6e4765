/*
 * rule_stores.c - write stores of tests/rules as directories: rule_stores VERSION [PATH...]
 *
 * Each store becomes a directory named by its rule and its name, such as M72-empty, below the working directory;
 * without a PATH all of them.  Prints a line for each: path, rule that a finding names, expectation, what finds it
 * ("-": the document alone shows it).
 */
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "rules.h"
#include "test.h"

struct directory {
	zinc_store *store;
	const char *path;
};

static int
write_key(void *arg, const char *key, uint64_t nbytes)
{
	const struct directory *d = arg;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob value = ZINC_BLOB_INIT;
	char path[512];

	assert_ok(zinc_store_get_all(d->store, key, &value, NULL, 0, NULL, &err));
	assert_int_equal(value.nbytes, nbytes);
	snprintf(path, sizeof path, "%s/%s", d->path, key);
	write_bytes(path, value.data, value.nbytes);
	zinc_blob_fini(&value);
	return 0;
}

static void
write_store(const rule_index *x, const rule_case *c)
{
	struct directory d = {.path = c->path};
	zinc_error err = ZINC_ERROR_INIT;
	char url[128];

	snprintf(url, sizeof url, "memory://%s", c->path);
	assert_ok(zinc_store_open(&d.store, url, NULL, &err));
	rules_build(x, c, d.store);
	make_empty(c->path);
	assert_ok(zinc_store_list(d.store, "", write_key, &d, NULL, &err));
	zinc_store_close(d.store);
	printf("%s %s %s %s\n", c->path, c->rule, c->expect, c->where[0] ? c->where : "-");
}

static bool
wanted(const char *path, char **list, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (strcmp(path, list[i]) == 0)
			return true;
	return n == 0;
}

int
main(int argc, char **argv)
{
	rule_index *x;
	rule_case c;
	size_t i;

	if (argc < 2)
		return 2;
	x = rules_open(argv[1]);
	for (i = 0; i < rules_count(x); i++) {
		rules_case(x, i, &c);
		if (wanted(c.path, argv + 2, argc - 2))
			write_store(x, &c);
	}
	rules_close(x);
	return 0;
}
