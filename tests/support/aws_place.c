/*
 * aws_place.c - variables, files and a server of AWS for tests
 */
#include "support/aws_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/files.h"
#include "support/test.h"
#include "support/web.h"

static web server;
static char home[4096];

extern char **environ;

void
aws_place(void)
{
	char name[256];
	char **e = environ;

	while (*e) {
		const size_t n = strcspn(*e, "=");

		if (strncmp(*e, "AWS_", 4) != 0 || n >= sizeof name) {
			e++;
			continue;
		}
		memcpy(name, *e, n);
		name[n] = '\0';
		unsetenv(name);
		e = environ;
	}
	make_empty("home");
	assert_non_null(getcwd(home, sizeof home - 8));
	strncat(home, "/home", 6);
	setenv("HOME", home, 1);
	setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
	setenv("no_proxy", "127.0.0.1", 1);
}

void
aws_write(const char *name, const char *text)
{
	char path[8192];

	snprintf(path, sizeof path, "%s/%s", home, name);
	write_file(path, text);
}

bool
aws_server_can(void)
{
	return web_can();
}

void
aws_server_start(void)
{
	web_start_script(&server, "aws_server.py", NULL, false);
}

void
aws_server_stop(void)
{
	web_stop(&server);
}

const char *
aws_url(const char *rest)
{
	static char url[1024];

	snprintf(url, sizeof url, "http://127.0.0.1:%d/%s", server.port, rest);
	return url;
}

/* ---- asking the server ---- */

typedef struct answer {
	char url[1024];
	char text[65536];
	size_t n;
} answer;

static zinc_status
on_ask(void *arg, size_t i, zinc_http_request *r, zinc_error *err)
{
	(void)i, (void)err;
	r->url = ((answer *)arg)->url;
	return ZINC_OK;
}

static zinc_http_next
on_head(void *arg, size_t i, const zinc_http_head *head)
{
	(void)arg, (void)i, (void)head;
	return ZINC_HTTP_GO;
}

static zinc_http_next
on_body(void *arg, size_t i, const uint8_t *bytes, size_t n)
{
	answer *a = (answer *)arg;

	(void)i;
	assert_true(a->n + n < sizeof a->text);
	memcpy(a->text + a->n, bytes, n);
	a->n += n;
	return ZINC_HTTP_GO;
}

static zinc_http_next
on_end(void *arg, size_t i, zinc_status st, const zinc_error *err)
{
	(void)arg, (void)i, (void)err;
	assert_int_equal(st, ZINC_OK);
	return ZINC_HTTP_GO;
}

static const char *
ask(const char *what, const char *mode)
{
	static answer a;
	const zinc_http_user user = {.ask = on_ask, .head = on_head, .body = on_body, .end = on_end, .arg = &a};
	const zinc_http_config config = {.timeout = 20, .parallel = 1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_http *h = NULL;

	a.n = 0;
	snprintf(a.url, sizeof a.url, "http://127.0.0.1:%d/%s/%s", server.port, what, mode);
	assert_ok(zinc_http_new(&h, zinc_context_get(NULL), &config, &err));
	assert_ok(zinc_http_run(h, 1, &user, &err));
	zinc_http_free(h);
	a.text[a.n] = '\0';
	return a.text;
}

int
aws_count(const char *mode)
{
	return (int)strtol(ask("_count", mode), NULL, 10);
}

const char *
aws_log(const char *mode)
{
	return ask("_log", mode);
}

/* ---- looking for keys ---- */

const char *
aws_look(const zinc_aws_config *config)
{
	static const zinc_aws_config none = {0};
	static char text[2048];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_aws_lease *lease = NULL;
	zinc_aws *a = NULL;

	if (zinc_aws_new(&a, NULL, config ? config : &none, &err) != ZINC_OK ||
	    zinc_aws_take(a, &lease, NULL, &err) != ZINC_OK) {
		assert_null(lease);
		snprintf(text, sizeof text, "%s: %s", zinc_status_name(err.code), zinc_error_text(&err));
	} else if (!lease->keys) {
		snprintf(text, sizeof text, "anonymous");
	} else {
		snprintf(text, sizeof text, "%s/%s/%s", lease->keys->id, lease->keys->secret,
			 lease->keys->token ? lease->keys->token : "-");
	}
	zinc_aws_release(lease);
	zinc_aws_free(a);
	return text;
}

void
aws_expect(const zinc_aws_config *config, const char *what, const char *want)
{
	const char *got = aws_look(config);

	if (!strstr(got, want) || (strncmp(got, "E_", 2) == 0 && strstr(got, "canary")))
		fail_msg("%s: %s instead of %s", what, got, want);
}
