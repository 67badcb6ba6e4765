/*
 * test_http.c - methods, bodies, signatures and outcomes of requests, by the promises of http_send.c and http.c (6)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/net.h"
#include "support/files.h"
#include "support/test.h"
#include "support/web.h"

static web server;

/* One exchange as a test makes it, and what came of it. */
typedef struct trial {
	const char *method, *path, *body;
	size_t nstream; /* bytes of a streamed body */
	bool once, sign;
	char url[256];
	struct iovec parts[2];
	int asks, signs, heads, ends;
	zinc_http_head head;
	char text[4096];
	size_t ntext;
	zinc_status status;
	zinc_error err;
} trial;

static zinc_status
on_ask(void *arg, size_t i, zinc_http_request *out, zinc_error *err)
{
	static const char *const keep[] = {"x-answer", "x-none", NULL};
	trial *t = &((trial *)arg)[i];

	t->asks++;
	t->ntext = 0;
	snprintf(t->url, sizeof t->url, "%s", web_url(&server, t->path));
	out->url = t->url;
	out->method = t->method;
	out->once = t->once;
	out->keep = keep;
	if (t->body) { /* in two pieces */
		const size_t n = strlen(t->body), half = n / 2;

		t->parts[0] = (struct iovec){(char *)(uintptr_t)t->body, half};
		t->parts[1] = (struct iovec){(char *)(uintptr_t)t->body + half, n - half};
		out->body = t->parts;
		out->nbody = 2;
	}
	out->sends = t->nstream > 0;
	out->nbytes = t->nstream;
	return zinc_http_header(out, "X-Test", "t", err);
}

static zinc_status
on_sign(void *arg, size_t i, zinc_http_request *r, const char *url, bool away, zinc_error *err)
{
	trial *t = &((trial *)arg)[i];
	char text[64];

	if (!t->sign)
		return ZINC_OK;
	snprintf(text, sizeof text, "%d,%s,%s", ++t->signs, r->method, strrchr(url, '/') + 1);
	assert_false(away);
	return zinc_http_header(r, "X-Signature", text, err);
}

static size_t
on_pull(void *arg, size_t i, uint64_t at, void *to, size_t room)
{
	const trial *t = &((trial *)arg)[i];
	size_t k;

	if (at + room > 1000)
		room = at < 1000 ? (size_t)(1000 - at) : 0; /* a source that has no more */
	assert_true(at + room <= t->nstream);
	for (k = 0; k < room; k++)
		((char *)to)[k] = (char)('a' + (at + k) % 26);
	return room;
}

static zinc_http_next
on_head(void *arg, size_t i, const zinc_http_head *head)
{
	trial *t = &((trial *)arg)[i];

	t->heads++;
	t->head = *head;
	return ZINC_HTTP_GO;
}

static zinc_http_next
on_body(void *arg, size_t i, const uint8_t *bytes, size_t n)
{
	trial *t = &((trial *)arg)[i];

	assert_true(t->ntext + n < sizeof t->text);
	memcpy(t->text + t->ntext, bytes, n);
	t->ntext += n;
	t->text[t->ntext] = '\0';
	return ZINC_HTTP_GO;
}

static zinc_http_next
on_end(void *arg, size_t i, zinc_status st, const zinc_error *err)
{
	trial *t = &((trial *)arg)[i];

	t->ends++;
	t->status = st;
	if (err)
		t->err = *err;
	return ZINC_HTTP_GO;
}

static void
run(trial *t, size_t n, int retries)
{
	const zinc_http_user user = {
	    .ask = on_ask, .head = on_head, .body = on_body, .end = on_end, .arg = t, .sign = on_sign, .pull = on_pull};
	const zinc_http_config config = {.timeout = 5, .retries = retries, .parallel = 8};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_http *h = NULL;
	size_t i;

	assert_ok(zinc_http_new(&h, zinc_context_get(NULL), &config, &err));
	assert_ok(zinc_http_run(h, n, &user, &err));
	for (i = 0; i < n; i++)
		assert_int_equal(t[i].ends, 1);
	zinc_http_free(h);
}

static trial
one(trial t, int retries)
{
	run(&t, 1, retries);
	return t;
}

/* ---- methods, many at once ---- */

static void
methods_and_bodies(void **state)
{
	static const char *const methods[] = {"PUT", "POST", "DELETE", "OPTIONS", "PROPFIND",
					      "PUT", "POST", "GET",    "HEAD"};
	trial t[40];
	char want[128];
	size_t i;

	(void)state;
	memset(t, 0, sizeof t);
	for (i = 0; i < COUNT(t); i++) {
		t[i].method = methods[i % COUNT(methods)];
		t[i].path = i % 9 < 7 ? "_mirror/x" : "_echo/x";
		t[i].body = i % 9 < 2 ? "some bytes" : i % 9 == 5 ? "" : NULL;
	}
	run(t, COUNT(t), 0);
	for (i = 0; i < COUNT(t); i++) {
		assert_int_equal(t[i].status, ZINC_OK);
		assert_int_equal(t[i].head.status, 200);
		snprintf(want, sizeof want, "%s /_mirror/x t - %s", t[i].method, i % 9 < 2 ? "some bytes" : "");
		if (i % 9 < 7) {
			assert_string_equal(t[i].text, want);
			assert_string_equal(t[i].head.kept[0], "yes");
			assert_string_equal(t[i].head.kept[1], "");
		}
	}
}

/* ---- http_send.c 1 and 2: signatures and bodies of second tries ---- */

static void
every_try_is_signed_and_whole(void **state)
{
	trial t = one((trial){.method = "PUT", .path = "putdrop/signed", .body = "whole", .sign = true}, 3);

	(void)state;
	assert_int_equal(t.status, ZINC_OK);
	assert_int_equal(t.asks, 2);
	assert_int_equal(t.signs, 2);
	assert_string_equal(read_text("served/signed"), "whole");
	t = one((trial){.method = "PUT", .path = "_mirror/s", .body = "b", .sign = true}, 0);
	assert_string_equal(t.text, "PUT /_mirror/s t 1,PUT,s b");
	t = one((trial){.method = "PUT", .path = "moved307/there", .body = "moved", .sign = true}, 0);
	assert_int_equal(t.head.status, 201);
	assert_int_equal(t.asks, 1);
	assert_int_equal(t.signs, 2);
	assert_string_equal(read_text("served/there"), "moved");
	t = one((trial){.method = "PUT", .path = "tomirror/m", .body = "b", .sign = true}, 0);
	assert_string_equal(t.text, "PUT /_mirror/m t 2,PUT,m b");
}

static void
streams(void **state)
{
	trial t = one((trial){.method = "PUT", .path = "plain/stream", .nstream = 1000}, 0);

	(void)state;
	assert_int_equal(t.head.status, 201);
	assert_int_equal(strlen(read_text("served/stream")), 1000);
	assert_memory_equal(read_text("served/stream"), "abcdefghijklmnopqrstuvwxyzab", 28);
	t = one((trial){.method = "PUT", .path = "plain/short", .nstream = 1001}, 0);
	assert_int_not_equal(t.status, ZINC_OK);
	assert_non_null(strstr(t.err.text, "shorter than announced"));
	assert_null(read_text("served/short"));
}

/* ---- http_send.c 3 ---- */

static void
changes_are_not_made_elsewhere(void **state)
{
	trial t = one((trial){.method = "PUT", .path = "moved/elsewhere", .body = "b"}, 0);

	(void)state;
	assert_int_equal(t.head.status, 302);
	assert_null(read_text("served/elsewhere"));
}

/* ---- http.c 6: outcomes ---- */

static void
what_is_not_known_is_told(void **state)
{
	trial t = one((trial){.method = "PUT", .path = "putcut/c1", .body = "b"}, 2);

	(void)state;
	assert_int_equal(t.status, ZINC_OK); /* the second try is as good as the first */
	assert_int_equal(t.asks, 2);
	assert_int_equal(t.head.unknown, 1);
	t = one((trial){.method = "PUT", .path = "putcut/c2", .body = "b", .once = true}, 2);
	assert_int_equal(t.asks, 1);
	assert_int_equal(t.status, ZINC_E_UNCERTAIN);
	assert_non_null(strstr(t.err.text, "may or may not"));
	assert_string_equal(read_text("served/c2"), "b");
	t = one((trial){.method = "POST", .path = "putcut/c3", .body = "b"}, 2);
	assert_int_equal(t.asks, 1);
	assert_int_equal(t.status, ZINC_E_UNCERTAIN);
	t = one((trial){.method = "DELETE", .path = "putsilent/c2"}, 1);
	assert_int_equal(t.asks, 2);
	assert_int_equal(t.status, ZINC_E_UNCERTAIN);
	t = one((trial){.method = "PUT", .path = "put500/c4", .body = "b"}, 0);
	assert_int_equal(t.status, ZINC_E_UNCERTAIN);
	t = one((trial){.method = "POST", .path = "busy/c5", .body = "b"}, 2);
	assert_int_equal(t.asks, 3); /* 503: it was not executed, so it may be repeated */
	t = one((trial){.method = "PUT", .path = "busyalways/c6", .body = "b"}, 0);
	assert_int_equal(t.status, ZINC_E_IO);
}

static void
bad_headers_are_refused(void **state)
{
	static const char *const rows[][2] = {{"", "x"}, {"a b", "x"}, {"a:", "x"}, {"a", "x\r\nb: y"}, {"a\n", "x"}};
	zinc_http_request r;
	size_t i;

	(void)state;
	memset(&r, 0, sizeof r);
	zinc_buf_init(&r.headers, zinc_context_get(NULL), 1000);
	for (i = 0; i < COUNT(rows); i++)
		assert_int_equal(zinc_http_header(&r, rows[i][0], rows[i][1], NULL), ZINC_E_INVALID);
	assert_int_equal(r.headers.n, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(methods_and_bodies),
	    cmocka_unit_test(every_try_is_signed_and_whole),
	    cmocka_unit_test(streams),
	    cmocka_unit_test(changes_are_not_made_elsewhere),
	    cmocka_unit_test(what_is_not_known_is_told),
	    cmocka_unit_test(bad_headers_are_refused),
	};
	int failed;

	if (!web_can())
		return 77;
	make_empty("served");
	web_start(&server, "served", false);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
