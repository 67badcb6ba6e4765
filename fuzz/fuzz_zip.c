/*
 * fuzz_zip.c - any bytes as a zip archive: its directory, and every entry
 *
 * (1) Keys are valid, in order, and each is there once.
 * (2) What is found has the size that the directory says, and the same bytes when it is read again, from its known position.
 * (3) After a put, everything that could be read can still be read, and so can the new value.
 */
#include <stdlib.h>

#include "store/store_zip.h"
#include "fuzz.h"

#define MOST 64 /* entries to read */

typedef struct seen {
	zinc_store *s;
	char *last;
	int n, readable;
} seen;

/* Again: its position is known now. */
static void
read_again(zinc_store *s, const char *key, const zinc_blob *whole)
{
	zinc_blob again = ZINC_BLOB_INIT;

	insist(zinc_store_get_all(s, key, &again, NULL, 0, NULL, NULL) == ZINC_OK);
	insist(again.nbytes == whole->nbytes && memcmp(again.data, whole->data, again.nbytes) == 0);
	zinc_blob_fini(&again);
}

static int
check_key(void *arg, const char *key, uint64_t nbytes)
{
	seen *x = (seen *)arg;
	zinc_blob b = ZINC_BLOB_INIT;

	insist(zinc_key_check(key, NULL) == ZINC_OK && !strchr(key, '\\'));
	insist(!x->last || strcmp(x->last, key) < 0); /* (1) */
	free(x->last);
	x->last = strdup(key);
	insist(x->last);
	if (x->n++ < MOST && zinc_store_get_all(x->s, key, &b, NULL, 1 << 20, NULL, NULL) == ZINC_OK) {
		insist(b.nbytes == nbytes); /* (2) */
		read_again(x->s, key, &b);
		x->readable++;
		zinc_blob_fini(&b);
	}
	return 0;
}

static seen
check_all(zinc_store *s)
{
	seen x = {.s = s};

	(void)!zinc_store_list(s, "", check_key, &x, NULL, NULL);
	free(x.last);
	return x;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_store *below = NULL, *s = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	seen before, after;

	insist(zinc_store_open(&below, "memory://fuzz-zip", NULL, NULL) == ZINC_OK);
	insist(zinc_store_put(below, NULL, "a.zip", data, size, NULL, 0, NULL, NULL, NULL) == ZINC_OK);
	insist(zinc_store_open(&s, "memory://fuzz-zip/a.zip|zip:", NULL, NULL) == ZINC_OK);
	before = check_all(s);
	if (zinc_store_put(s, NULL, "~new", "value", 5, NULL, 0, NULL, NULL, NULL) == ZINC_OK) {
		insist(zinc_store_get_all(s, "~new", &b, NULL, 0, NULL, NULL) == ZINC_OK);
		insist(b.nbytes == 5 && memcmp(b.data, "value", 5) == 0);
		zinc_blob_fini(&b);
		after = check_all(s);
		insist(before.n > MOST || after.readable >= before.readable); /* (3) */
	}
	zinc_store_close(s);
	zinc_store_close(below);
	return 0;
}
