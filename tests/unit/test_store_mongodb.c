/*
 * test_store_mongodb.c - what can be tested of store_mongodb.c without a server; scripts/stores/mongodb.sh has one
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_mongodb.h"
#include "support/silent_peer.h"
#include "support/test.h"

#if ZINC_WITH_MONGODB && ZINC_WITH_BSON

/* ---- documents ---- */

static bson_t *
new_doc(const char *key, const char *value, int generation, int64_t size)
{
	static const uint8_t bytes[32] = {1, 2, 3};
	bson_t *doc = bson_new(), mark;

	BSON_APPEND_OID(doc, "_id", &(bson_oid_t){{0}});
	BSON_APPEND_UTF8(doc, "key", key);
	if (value)
		BSON_APPEND_BINARY(doc, "value", BSON_SUBTYPE_BINARY, (const uint8_t *)value, (uint32_t)strlen(value));
	if (generation) {
		BSON_APPEND_DOCUMENT_BEGIN(doc, "zinc", &mark);
		BSON_APPEND_BINARY(&mark, "generation", BSON_SUBTYPE_BINARY, bytes, (uint32_t)generation);
		BSON_APPEND_INT64(&mark, "size", size);
		bson_append_document_end(doc, &mark);
	}
	return doc;
}

static void
expect_doc(bson_t *doc, bool has_mark, uint8_t ntag)
{
	mongo_doc d;
	zinc_tag tag;

	assert_true(zinc_mongo_read(doc, &d));
	assert_string_equal(d.key, "a/b");
	assert_int_equal(d.has_mark, has_mark);
	assert_true(d.has_value);
	assert_memory_equal(d.value, "value", 5);
	zinc_mongo_tag(&d, &tag);
	if (ntag)
		assert_int_equal(tag.n, ntag);
	else
		assert_int_not_equal(tag.n, MONGO_GENERATION); /* the two kinds cannot be equal */
	bson_destroy(doc);
}

static void
documents_of_both_are_read(void **state) /* (1), (2) */
{
	(void)state;
	expect_doc(new_doc("a/b", "value", MONGO_GENERATION, 5), true, MONGO_GENERATION);
	expect_doc(new_doc("a/b", "value", 0, 0), false, 0);                /* MongoDBStore's */
	expect_doc(new_doc("a/b", "value", MONGO_GENERATION, 6), false, 0); /* another program changed the value */
	expect_doc(new_doc("a/b", "value", MONGO_GENERATION, -1), false, 0);
	expect_doc(new_doc("a/b", "value", 3, 5), false, 0);
}

static void
strange_documents_are_noticed(void **state) /* (6) */
{
	bson_t *doc = bson_new();
	mongo_doc d;

	(void)state;
	assert_false(zinc_mongo_read(doc, &d));
	BSON_APPEND_INT32(doc, "key", 7);
	BSON_APPEND_UTF8(doc, "value", "text");
	BSON_APPEND_UTF8(doc, "zinc", "text");
	assert_false(zinc_mongo_read(doc, &d));
	bson_destroy(doc);
	doc = new_doc("k", NULL, MONGO_GENERATION, 5);
	assert_true(zinc_mongo_read(doc, &d));
	assert_false(d.has_value);
	assert_true(d.has_mark);
	bson_destroy(doc);
	doc = new_doc("k", NULL, MONGO_GENERATION, -1); /* as a listing asks for it */
	assert_true(zinc_mongo_read(doc, &d));
	assert_false(d.has_mark);
	bson_destroy(doc);
}

/* ---- URLs ---- */

static void
bad_urls_are_refused(void **state)
{
	static const char *const all[] = {"mongodb://h",
					  "mongodb://h/",
					  "mongodb://h/a%20b",
					  "mongodb://h/a.b",
					  "mongodb://h/%zz",
					  "mongodb:///d",
					  "mongodb://u:canary@h:notaport/d",
					  "mongodb://h/d?collection=system.users",
					  "mongodb://h/d?collection=a$b",
					  "mongodb://h/d?conditions=perhaps"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof all / sizeof all[0]; i++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_store *s = NULL;

		assert_int_equal(zinc_store_open(&s, all[i], NULL, &err), ZINC_E_INVALID);
		assert_null(strstr(zinc_error_text(&err), "canary"));
	}
}

/* ---- failures ---- */

static void
expect_fault(uint32_t domain, uint32_t code, mongo_fault fault, zinc_status status)
{
	const bson_error_t e = {domain, code, "so it is"};
	zinc_error err = ZINC_ERROR_INIT;
	mongo_conn c;

	memset(&c, 0, sizeof c);
	assert_int_equal(zinc_mongo_fail(&c, &e, &err), status);
	assert_int_equal(err.code, status);
	assert_non_null(strstr(err.text, "so it is"));
	assert_int_equal(c.fault, fault);
	assert_int_equal(c.broken, fault == MONGO_LOST || fault == MONGO_DOWN || fault == MONGO_AGAIN);
}

static void
failures_are_told_apart(void **state) /* (3), (5) */
{
	enum { CONCERN = MONGOC_ERROR_WRITE_CONCERN };

	(void)state;
	expect_fault(MONGOC_ERROR_SERVER, 11000, MONGO_TWICE, ZINC_E_EXISTS);
	expect_fault(MONGOC_ERROR_SERVER, 10107, MONGO_AGAIN, ZINC_E_IO);
	expect_fault(MONGOC_ERROR_SERVER, 11600, MONGO_LOST, ZINC_E_IO);
	expect_fault(MONGOC_ERROR_STREAM, 1, MONGO_LOST, ZINC_E_IO);
	expect_fault(MONGOC_ERROR_SERVER_SELECTION, 1, MONGO_DOWN, ZINC_E_IO);
	expect_fault(MONGOC_ERROR_CLIENT, 11, MONGO_FINAL, ZINC_E_IO);
	expect_fault(MONGOC_ERROR_SERVER, 4711, MONGO_FINAL, ZINC_E_IO);
	/* the change was made, but not everywhere: it may be undone */
	expect_fault(MONGOC_ERROR_SERVER, 64, MONGO_FINAL, ZINC_E_UNCERTAIN);
	expect_fault(CONCERN, 64, MONGO_FINAL, ZINC_E_UNCERTAIN);
	expect_fault(CONCERN, 4711, MONGO_FINAL, ZINC_E_UNCERTAIN);
	expect_fault(CONCERN, 13, MONGO_FINAL, ZINC_E_UNCERTAIN);
	expect_fault(CONCERN, 10107, MONGO_LOST, ZINC_E_IO); /* never "nothing was done" */
	expect_fault(CONCERN, 11600, MONGO_LOST, ZINC_E_IO);
}

/* ---- servers that do not answer as they should ---- */

/* Opening asks the server, within the deadline of the call. */
static void
expect_failure(int port, double seconds)
{
	zinc_error err = ZINC_ERROR_INIT;
	const double began = zinc_now(zinc_context_get(NULL));
	zinc_store *s = NULL;
	char url[160];

	snprintf(url, sizeof url, "mongodb://me:canary@127.0.0.1:%d/d", port);
	assert_int_equal(
	    zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.call = ZINC_CALL_OPTIONS(.timeout = seconds)), &err),
	    ZINC_E_CANCELLED);
	assert_true(zinc_now(zinc_context_get(NULL)) - began < seconds + 2);
	assert_null(strstr(zinc_error_text(&err), "canary"));
	assert_null(s);
}

static void
silence_ends_with_the_deadline(void **state) /* (4), (7) */
{
	silent_peer p;

	(void)state;
	peer_start(&p, NULL, 0, false);
	expect_failure(p.port, 0.5);
	peer_stop(&p);
}

/* Without a deadline it is the setting "patience", and nobody has cancelled anything. */
static void
patience_ends(void **state) /* (4) */
{
	zinc_error err = ZINC_ERROR_INIT;
	const double began = zinc_now(zinc_context_get(NULL));
	zinc_store *s = NULL;
	silent_peer p;
	char url[160];

	(void)state;
	peer_start(&p, NULL, 0, false);
	snprintf(url, sizeof url, "mongodb://127.0.0.1:%d/d?patience=0.5", p.port);
	assert_int_equal(zinc_store_open(&s, url, NULL, &err), ZINC_E_IO);
	assert_true(zinc_now(zinc_context_get(NULL)) - began < 8);
	assert_null(s);
	peer_stop(&p);
}

static void
garbage_is_a_failure(void **state) /* (6), (7) */
{
	static const char *const all[] = {"HTTP/1.1 400 Bad Request\r\n\r\n",
					  "\xff\xff\xff\x7f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
					  "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"};
	silent_peer p;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof all / sizeof all[0]; i++) {
		peer_start(&p, all[i], 26, true);
		expect_failure(p.port, 0.5);
		assert_true(atomic_load(&p.accepted) > 1); /* it was tried again */
		peer_stop(&p);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(documents_of_both_are_read),     cmocka_unit_test(strange_documents_are_noticed),
	    cmocka_unit_test(bad_urls_are_refused),           cmocka_unit_test(failures_are_told_apart),
	    cmocka_unit_test(silence_ends_with_the_deadline), cmocka_unit_test(patience_ends),
	    cmocka_unit_test(garbage_is_a_failure),
	};
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_mongodb_register(&err));
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int
main(void)
{
	fprintf(stderr, "built without libmongoc\n");
	return 77;
}

#endif
