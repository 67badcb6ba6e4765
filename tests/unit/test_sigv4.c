/*
 * test_sigv4.c - the promises of sigv4.c: AWS's examples of signatures and presigned URLs
 *
 * The examples are those of the S3 API reference ("Authenticating Requests"), of 24 May 2013, and the cases of AWS's
 * test suite (sigv4_suite.h).  tests/interop/sigv4_peer.py compares random requests with botocore.
 */
#include <stdio.h>

#include "net/net.h"
#include "support/sigv4_suite.h"
#include "support/test.h"

#define EMPTY     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define S3_DAY    1369353600 /* 20130524T000000Z */
#define SUITE_DAY 1440938160 /* 20150830T123600Z */

static const zinc_aws_keys s3_keys = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", NULL};

typedef struct example {
	const char *method, *url;
	const char *headers[8]; /* name, value ... */
	const char *payload;
	const char *names, *signature;
} example;

/* The Authorization of a request, in static memory. */
static const char *
authorization(const example *x, const zinc_aws_keys *keys, const char *service, int64_t now)
{
	static char text[2048];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_http_request r;
	size_t i;

	memset(&r, 0, sizeof r);
	zinc_buf_init(&r.headers, zinc_context_get(NULL), 65536);
	r.method = x->method;
	for (i = 0; i < 8 && x->headers[i]; i += 2)
		assert_ok(zinc_http_header(&r, x->headers[i], x->headers[i + 1], &err));
	assert_ok(zinc_sigv4_sign(&r, x->url, keys, "us-east-1", service, x->payload, now, &err));
	text[0] = '\0';
	for (i = 0; i < r.headers.n; i += strlen((const char *)r.headers.p + i) + 1)
		if (strncmp((const char *)r.headers.p + i, "Authorization: ", 15) == 0)
			snprintf(text, sizeof text, "%s", (const char *)r.headers.p + i + 15);
	zinc_buf_fini(&r.headers);
	return text;
}

static bool
is_signed_so(const example *x, const zinc_aws_keys *keys, const char *service, int64_t now)
{
	const char *text = authorization(x, keys, service, now), *found = strstr(text, "Signature=");
	char names[256];

	snprintf(names, sizeof names, "SignedHeaders=%s,", x->names);
	return strstr(text, names) && found && strcmp(found + 10, x->signature) == 0;
}

/* (1) */
static void
examples_of_s3(void **state)
{
	static const example all[] = {
	    {"GET",
	     "https://examplebucket.s3.amazonaws.com/test.txt",
	     {"Range", "bytes=0-9"},
	     EMPTY,
	     "host;range;x-amz-content-sha256;x-amz-date",
	     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
	    {"PUT",
	     "https://examplebucket.s3.amazonaws.com/test%24file.text",
	     {"Date", "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class", "REDUCED_REDUNDANCY"},
	     "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
	     "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
	     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
	    {"GET",
	     "https://examplebucket.s3.amazonaws.com/?lifecycle",
	     {NULL},
	     EMPTY,
	     "host;x-amz-content-sha256;x-amz-date",
	     "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
	    {"GET",
	     "https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J",
	     {NULL},
	     EMPTY,
	     "host;x-amz-content-sha256;x-amz-date",
	     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(all); i++)
		assert_true(is_signed_so(&all[i], &s3_keys, "s3", S3_DAY));
}

/* The URL of a case, with path and query escaped as the store does it. */
static void
suite_url(const suite_case *x, zinc_buf *url)
{
	zinc_error err = ZINC_ERROR_INIT;
	const char *q = x->query;
	size_t n;

	assert_ok(zinc_buf_puts(url, "https://example.amazonaws.com", &err));
	assert_ok(zinc_sigv4_escape(url, x->path, strlen(x->path), true, &err));
	for (; *q; q += n) {
		assert_ok(zinc_buf_puts(url, q == x->query ? "?" : *q == '=' ? "=" : "&", &err));
		q += q != x->query;
		n = strcspn(q, "=&");
		assert_ok(zinc_sigv4_escape(url, q, n, false, &err));
	}
	assert_non_null(zinc_buf_text(url));
}

static void
cases_of_the_suite(void **state)
{
	zinc_context *ctx = zinc_context_get(NULL);
	size_t i;

	(void)state;
	assert_true(COUNT(suite) >= 20);
	for (i = 0; i < COUNT(suite); i++) {
		const zinc_aws_keys keys = {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", suite[i].token};
		example x = {suite[i].method, NULL, {NULL}, suite[i].payload, suite[i].names, suite[i].signature};
		zinc_buf url;

		zinc_buf_init(&url, ctx, 65536);
		suite_url(&suite[i], &url);
		x.url = (const char *)url.p;
		memcpy(x.headers, suite[i].headers, sizeof x.headers);
		if (!is_signed_so(&x, &keys, "service", SUITE_DAY))
			fail_msg("%s is signed in another way", suite[i].name);
		zinc_buf_fini(&url);
	}
}

static void
example_of_a_presigned_url(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf url;

	(void)state;
	zinc_buf_init(&url, zinc_context_get(NULL), 65536);
	assert_ok(zinc_sigv4_presign(&url, "GET", "https://examplebucket.s3.amazonaws.com/test.txt", &s3_keys,
				     "us-east-1", "s3", S3_DAY, 86400, &err));
	assert_string_equal(zinc_buf_text(&url),
			    "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
			    "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
			    "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
			    "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
	zinc_buf_fini(&url);
}

/* (2) */
static void
secrets_are_not_sent(void **state)
{
	static const zinc_aws_keys keys = {"ID", "CANARY-SECRET", "CANARY-TOKEN"};
	const example x = {"GET", "https://h/k", {NULL}, EMPTY, NULL, NULL};
	const char *text = authorization(&x, &keys, "s3", S3_DAY);

	(void)state;
	assert_null(strstr(text, "CANARY"));
	assert_non_null(strstr(text, "host;x-amz-content-sha256;x-amz-date;x-amz-security-token"));
}

/* (3) */
static void
urls_that_cannot_be_signed(void **state)
{
	static const char *const bad[] = {"https://user@h/k", "https://h/a b", "https://h/k#x", "h/k"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_http_request r;
	size_t i;

	(void)state;
	memset(&r, 0, sizeof r);
	zinc_buf_init(&r.headers, zinc_context_get(NULL), 65536);
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(zinc_sigv4_sign(&r, bad[i], &s3_keys, "r", "s3", EMPTY, S3_DAY, &err), ZINC_E_INVALID);
	zinc_buf_fini(&r.headers);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(examples_of_s3),
	    cmocka_unit_test(cases_of_the_suite),
	    cmocka_unit_test(example_of_a_presigned_url),
	    cmocka_unit_test(secrets_are_not_sent),
	    cmocka_unit_test(urls_that_cannot_be_signed),
	};

	if (!ZINC_WITH_CRYPTO)
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
