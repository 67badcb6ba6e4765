/*
 * test_store_s3_list.c - the promises of store_s3_list.c, store_s3_del.c and store_s3_error.c, on a server on loopback
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_s3.h"
#include "support/bucket.h"
#include "support/gets.h"
#include "support/test.h"

static web server;

/* ---- store_s3_list.c ---- */

/* (1) */
static void
pages_are_joined(void **state)
{
	(void)state;
	assert_pages_joined(bucket_open(&server, "smallpages", ""));
}

/* (1), (2) */
static void
hostile_listings_are_refused(void **state)
{
	static const hostile_list bad[] = {
	    {"samepage", ZINC_E_UNSUPPORTED, "twice or out of order", true},
	    {"emptypages", ZINC_E_IO, "empty pages without end", true},
	    {"cutlist", ZINC_E_CORRUPT, "", true},
	    {"outside", ZINC_E_CORRUPT, "outside of the prefix", true},
	    {"nolist", ZINC_E_UNSUPPORTED, "s3:ListBucket", true},
	    {"html", ZINC_E_IO, "without an error document", false},
	    {"nosuch", ZINC_E_IO, "NoSuchBucket", false},
	};

	(void)state;
	assert_lists_refused(&server, bucket_open, bad, COUNT(bad));
}

static zinc_status
parse(const char *text, int *entries)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_web_page page;

	zinc_web_page_init(&page, zinc_context_get(NULL));
	st = zinc_s3_parse_page(&page, text, strlen(text), &err);
	*entries = (int)(page.entries.n / sizeof(zinc_web_entry));
	zinc_web_page_fini(&page);
	return st;
}

static void
pages_are_parsed(void **state)
{
	static const char *const bad[] = {
	    "",
	    "<Error><Code>X</Code></Error>",
	    "<ListBucketResult></ListBucketResult>",
	    "<ListBucketResult><IsTruncated>false</IsTruncated>",
	    "<ListBucketResult><IsTruncated>maybe</IsTruncated></ListBucketResult>",
	    "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Size>1</Size></Contents></ListBucketResult>",
	    "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>x</Size></Contents>"
	    "</ListBucketResult>",
	    "<ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType><Contents><Key>%4</Key>"
	    "</Contents></ListBucketResult>",
	    "<ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType><Contents><Key>a%00b</"
	    "Key>"
	    "</Contents></ListBucketResult>",
	};
	size_t i;
	int n;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(parse(bad[i], &n), ZINC_E_CORRUPT);
	assert_int_equal(parse("<ListBucketResult><Contents><Key>%4</Key><Size>18446744073709551</Size></Contents>"
			       "<IsTruncated>false</IsTruncated></ListBucketResult>",
			       &n),
			 ZINC_OK);
	assert_int_equal(n, 1);
}

static int
note_non_key(void *arg, const zinc_non_key *n)
{
	assert_int_equal(n->kind, ZINC_NON_KEY_NAME);
	++*(int *)arg;
	return 0;
}

static int
ignore_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)arg, (void)key, (void)nbytes;
	return 0;
}

/* (3) "d//x" is no key, and "d/sub/" is a directory of a web console. */
static void
names_that_are_no_keys(void **state)
{
	static const char *const names[] = {"d//x", "d/sub/", "d/k"};
	zinc_store *s = bucket_open(&server, "plain", "");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_lister to = {.size = sizeof to, .key = ignore_key, .non_key = note_non_key};
	int n = 0;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(names); i++) {
		zinc_web_call c = {.method = "PUT", .key = names[i], .sends = true};

		assert_ok(zinc_web_one((zinc_web *)s->self, &c, NULL, &err));
		zinc_web_call_fini((zinc_web *)s->self, &c);
	}
	to.arg = &n;
	assert_ok(zinc_store_walk(s, "d/", &to, NULL, &err));
	assert_int_equal(n, 1);
	assert_ok(count_keys(s, "", &n, &err));
	assert_int_equal(n, 1);
	zinc_store_close(s);
}

/* ---- store_s3_del.c ---- */

static const char *const many[] = {"a", "b&<>", "keep1", "c d", "keep2", "e", "f", "g", "a"};

typedef struct outcomes {
	zinc_status st[COUNT(many)];
	int n;
} outcomes;

static void
note_outcome(void *arg, size_t i, const zinc_outcome *o)
{
	outcomes *x = (outcomes *)arg;

	x->st[i] = o->status;
	x->n++;
}

static void
delete_all(zinc_store *s, outcomes *x)
{
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_done done = {.size = sizeof done, .done = note_outcome, .arg = x};
	zinc_del dels[COUNT(many)];
	size_t i;

	memset(dels, 0, sizeof dels);
	memset(x, 0, sizeof *x);
	for (i = 0; i < COUNT(many); i++) {
		dels[i].key = many[i];
		if (i < 6)
			put_text(s, many[i], "x");
	}
	assert_ok(zinc_store_del_many(s, NULL, dels, COUNT(many), &done, 0, NULL, &err));
	assert_int_equal(x->n, COUNT(many));
}

/* (1), (2) */
static void
each_key_has_its_result(void **state)
{
	static const struct {
		const char *quirk;
		zinc_status kept;
	} kinds[] = {{"plain", ZINC_OK},
		     {"sorry", ZINC_OK},
		     {"nobatch", ZINC_OK},
		     {"halfbatch", ZINC_E_IO},
		     {"quietbatch", ZINC_E_UNCERTAIN}};
	size_t i, k;

	(void)state;
	for (k = 0; k < COUNT(kinds); k++) {
		zinc_store *s = bucket_open(&server, kinds[k].quirk, "");
		zinc_error err = ZINC_ERROR_INIT;
		outcomes x;
		int n;

		delete_all(s, &x);
		for (i = 0; i < COUNT(many); i++)
			assert_int_equal(x.st[i], strncmp(many[i], "keep", 4) == 0 ? kinds[k].kept : ZINC_OK);
		assert_ok(count_keys(s, "", &n, &err));
		assert_int_equal(n, kinds[k].kept == ZINC_OK ? 0 : 2);
		zinc_store_close(s);
	}
}

/* ---- store_s3_error.c ---- */

/* (1) */
static void
only_a_missing_key_is_missing(void **state)
{
	static const char *const bad[] = {"nosuch", "html", "denied"};
	const zinc_get requests[] = {get_stat("k"), get_range("k", 0, ZINC_TO_END), get_range("k", 3, 2)};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, k;
	gets g;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		zinc_store *s = bucket_open(&server, bad[i], "");

		gets_init(&g, COUNT(requests));
		assert_ok(gets_run(&g, s, requests, &err));
		for (k = 0; k < COUNT(requests); k++)
			assert_int_equal(g.r[k].found, ZINC_FAILED);
		gets_fini(&g);
		zinc_store_close(s);
	}
}

/* (3) */
static void
errors_are_printable(void **state)
{
	static const char text[] = "<Error><Code>A\tB</Code><Message>x&#10;y\xC3\xA9</Message><Region>r</Region>"
				   "<RequestId>id</RequestId><Other><Code>no</Code></Other></Error>";
	s3_fault f;

	(void)state;
	assert_true(zinc_s3_parse_error(&f, zinc_context_get(NULL), text, strlen(text)));
	assert_string_equal(f.code, "A?B");
	assert_string_equal(f.message, "x?y??");
	assert_string_equal(f.region, "r");
	assert_string_equal(f.request, "id");
	assert_false(zinc_s3_parse_error(&f, zinc_context_get(NULL), "<html/>", 7));
	assert_false(zinc_s3_parse_error(&f, zinc_context_get(NULL), "", 0));
	assert_true(zinc_s3_parse_error(&f, zinc_context_get(NULL), text, 38));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pages_are_joined),        cmocka_unit_test(hostile_listings_are_refused),
	    cmocka_unit_test(pages_are_parsed),        cmocka_unit_test(names_that_are_no_keys),
	    cmocka_unit_test(each_key_has_its_result), cmocka_unit_test(only_a_missing_key_is_missing),
	    cmocka_unit_test(errors_are_printable),
	};
	int failed;

	if (!cloud_can())
		return 77;
	bucket_start(&server, false);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
