/*
 * store_live.c - store_live URL [no-conditional-deletes]: the conformance suite on the store at a URL, for scripts/stores.sh
 *
 * "{}" in the URL becomes another number for each test, so that each begins with an empty store.  The program uses the
 * shared library, which loads modules.  At the end it prints the capabilities of the store as they are after a read, a
 * conditional put and a listing: those of a remote store depend on its answers.
 */
#include <stdio.h>

#include "live_url.h"
#include "support/conform_store.h"
#include "support/gets.h"
#include "support/test.h"

static zinc_store *
open_new(const char *pattern)
{
	static int number;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char url[4096], word[16];

	snprintf(word, sizeof word, "%d", ++number);
	assert_true(live_url(url, sizeof url, pattern, word));
	if (zinc_store_open(&s, url, NULL, &err) != ZINC_OK)
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	return s;
}

static bool no_conditional_dels;

static void
make(void *arg, conform_subject *out)
{
	out->no_conditional_dels = no_conditional_dels;
	out->store = out->fill = open_new((const char *)arg);
}

static int
ignore_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)arg, (void)key, (void)nbytes;
	return 0;
}

/* What fails here is a capability less. */
static void
show_caps(const char *pattern)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_blob blob = ZINC_BLOB_INIT;
	zinc_store *s = open_new(pattern);
	char words[256];
	int done = 0;

	if (!s)
		return;
	done += zinc_store_put(s, NULL, "a", "1", 1, &absent, 0, NULL, NULL, NULL) == ZINC_OK;
	done += zinc_store_get_all(s, "a", &blob, NULL, 0, NULL, NULL) == ZINC_OK;
	done += zinc_store_list(s, "", ignore_key, NULL, NULL, NULL) == ZINC_OK;
	zinc_store_caps(s, &caps);
	zinc_caps_show(words, sizeof words, caps.flags);
	printf("caps: %s\n%d of 3 operations\n", words, done);
	zinc_blob_fini(&blob);
	zinc_store_close(s);
}

int
main(int argc, char **argv)
{
	int failed;

	no_conditional_dels = argc == 3 && strcmp(argv[2], "no-conditional-deletes") == 0;
	if (argc != 2 + no_conditional_dels || !strstr(argv[1], "{}")) {
		fprintf(stderr, "usage: store_live URL [no-conditional-deletes], with {} where a number makes it another, empty store\n");
		return 2;
	}
	failed = conform_store_run("live", make, argv[1]);
	show_caps(argv[1]);
	printf("conformance: %d failed\n", failed);
	return failed != 0;
}
