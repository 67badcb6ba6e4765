/*
 * cloud.c - what the tests of s3, gs and az share
 */
#include "support/cloud.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gets.h"
#include "support/test.h"

static char last[80];

bool
cloud_can(void)
{
	return ZINC_WITH_CRYPTO && web_can();
}

void
cloud_start(web *w, const char *script, const char *const *names, bool tls)
{
	for (; *names; names++)
		unsetenv(*names);
	unsetenv("SSL_CERT_FILE");
	setenv("HOME", "/nonexistent", 1);
	web_start_script(w, script, NULL, tls);
}

const char *
cloud_new_bucket(const char *quirk)
{
	static int number;

	snprintf(last, sizeof last, "%s-%d", quirk, number++);
	return last;
}

const char *
cloud_bucket(void)
{
	return last;
}

const char *
cloud_ask(const web *w, const char *what, const char *bucket)
{
	static char text[262144];
	zinc_store *s = web_open(w, what, NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;

	assert_ok(zinc_store_get_all(s, bucket, &b, NULL, 0, NULL, &err));
	snprintf(text, sizeof text, "%.*s", (int)b.nbytes, (const char *)b.data);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return text;
}

const char *
cloud_log(const web *w, const char *bucket)
{
	return cloud_ask(w, "_log", bucket);
}

int
cloud_count(const web *w)
{
	return web_count(w, last);
}

int
lines_with(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

zinc_found
cloud_found(zinc_store *s, zinc_get r, zinc_error *err)
{
	zinc_found f;
	gets g;

	gets_init(&g, 1);
	assert_int_equal(gets_run(&g, s, &r, err), ZINC_OK);
	f = g.r[0].found;
	if (f == ZINC_FAILED)
		*err = g.r[0].error;
	gets_fini(&g);
	return f;
}

zinc_status
put_with_proxy(const web *w, cloud_open_fn open, const char *query)
{
	zinc_store *s = open(w, "plain", query);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;

	setenv("http_proxy", "http://127.0.0.1:1", 1); /* nobody is there */
	st = try_put(s, "k", "1", NULL, &err);
	unsetenv("http_proxy");
	zinc_store_close(s);
	return st;
}

uint8_t *
make_large(size_t n)
{
	uint8_t *p = (uint8_t *)malloc(n);
	size_t i;

	assert_non_null(p);
	for (i = 0; i < n; i++)
		p[i] = (uint8_t)(i * 2654435761u >> 13);
	return p;
}

/* ---- listings ---- */

zinc_status
count_keys(zinc_store *s, const char *prefix, int *n, zinc_error *err)
{
	*n = 0;
	return zinc_store_list(s, prefix, count_key, n, NULL, err);
}

void
put_ten(zinc_store *s)
{
	char key[32];
	int i;

	for (i = 0; i < 10; i++) {
		snprintf(key, sizeof key, "d/%d %%+&<k\"", i);
		put_text(s, key, "x");
	}
}

void
assert_pages_joined(zinc_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	int n;

	put_ten(s);
	put_text(s, "e", "");
	assert_ok(count_keys(s, "", &n, &err));
	assert_int_equal(n, 11);
	assert_ok(count_keys(s, "d/", &n, &err));
	assert_int_equal(n, 10);
	n = 0;
	assert_ok(zinc_store_list_dir(s, "", count_entry, &n, NULL, &err));
	assert_int_equal(n, 2);
	zinc_store_close(s);
}

void
assert_lists_refused(const web *w, cloud_open_fn open, const hostile_list *all, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;
	int keys;

	for (i = 0; i < n; i++) {
		zinc_store *s = open(w, all[i].quirk, "");

		if (all[i].puts)
			put_ten(s);
		if (count_keys(s, "d/", &keys, &err) != all[i].st || !strstr(err.text, all[i].text))
			fail_msg("%s: %s", all[i].quirk, err.text);
		zinc_store_close(s);
	}
}
