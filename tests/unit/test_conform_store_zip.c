/*
 * test_conform_store_zip.c - the conformance suite on zip archives: in a file, in memory, and in an archive
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/conform_store.h"
#include "support/gets.h"
#include "support/test.h"

static void
make(void *arg, conform_subject *out)
{
	static int number;
	const char *pattern = (const char *)arg;
	const bool read_only = strncmp(pattern, "read-only ", 10) == 0;
	zinc_error err = ZINC_ERROR_INIT;
	char url[64];

	snprintf(url, sizeof url, pattern + (read_only ? 10 : 0), number++);
	out->store = out->fill = NULL;
	assert_ok(zinc_store_open(&out->fill, url, ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	if (read_only)
		assert_ok(zinc_store_open(&out->store, url, ZINC_STORE_OPTIONS(.read_only = 1), &err));
	else
		out->store = out->fill;
}

int
main(void)
{
	static char file[] = "made/%d.zip|zip:", inside[] = "made/%d.zip|zip:some/where",
		    memory[] = "memory://m%d/d/a.zip|zip:", nested[] = "made/%d.zip|zip:b.zip|zip:",
		    reader[] = "read-only read/%d.zip|zip:";

	return conform_store_run("zip in a file", make, file) + conform_store_run("zip below a path", make, inside) +
	       conform_store_run("zip in memory", make, memory) + conform_store_run("zip in a zip", make, nested) +
	       conform_store_run("zip, read-only", make, reader);
}
