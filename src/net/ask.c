/*
 * ask.c - one request to a server that gives out credentials: metadata of a machine, tokens, STS
 *
 * Promises (tests/unit/test_aws_web.c names each by its number):
 *
 * (1) Fields of the request, which hold tokens, and its body go to no other host: a redirection there is an error.
 * (2) A request ends in time, whether the server is silent, slow or endless; an answer has at most 64 KiB.
 * (3) The answer is in memory for secrets.  Errors and the trace show method, host, path and status, never a token.
 */
#include "net/ask.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct asking {
	const zinc_ask_request *request;
	const zinc_asker *asker;
	zinc_wait wait; /* the deadline of the asker, or that of the request */
	struct iovec body;
	zinc_buf text;
	int status;
	uint64_t length; /* of the body, as announced */
	bool too_long;
	zinc_status st;
	zinc_error *err;
} asking;

zinc_status
zinc_form_escape(zinc_buf *out, const char *text, zinc_error *err)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (isalnum(c) || strchr("-._~", c))
			ZINC_TRY(zinc_buf_add(out, text, 1, err));
		else
			ZINC_TRY(zinc_buf_printf(out, err, "%%%02X", c));
	}
	return ZINC_OK;
}

static zinc_status
on_ask(void *arg, size_t i, zinc_http_request *r, zinc_error *err)
{
	asking *a = (asking *)arg;

	(void)i;
	zinc_buf_end(&a->text, 0);
	r->url = a->request->url;
	r->method = a->request->method;
	if (!a->request->body)
		return ZINC_OK;
	a->body = (struct iovec){(char *)(uintptr_t)a->request->body, strlen(a->request->body)};
	r->body = &a->body;
	r->nbody = 1;
	r->repeats = a->request->repeats;
	return zinc_http_header(r, "Content-Type", "application/x-www-form-urlencoded; charset=utf-8", err);
}

/* After every redirection, too. */
static zinc_status
on_sign(void *arg, size_t i, zinc_http_request *r, const char *url, bool away, zinc_error *err)
{
	const zinc_ask_request *q = ((asking *)arg)->request;
	size_t k;

	(void)i;
	if (away)
		return zinc_fail(err, ZINC_E_IO, "a redirection to another host, which is not followed");
	for (k = 0; k < ZINC_ASK_FIELDS && q->fields[k].name; k++)
		ZINC_TRY(zinc_http_header(r, q->fields[k].name, q->fields[k].value, err));
	return q->sign ? q->sign(q->arg, r, url, err) : ZINC_OK;
}

static zinc_http_next
on_head(void *arg, size_t i, const zinc_http_head *head)
{
	(void)i;
	((asking *)arg)->status = head->status;
	((asking *)arg)->length = head->length;
	return ZINC_HTTP_GO;
}

static zinc_http_next
on_body(void *arg, size_t i, const uint8_t *bytes, size_t n)
{
	asking *a = (asking *)arg;

	(void)i;
	a->too_long = zinc_buf_add(&a->text, bytes, n, NULL) != ZINC_OK;
	return a->too_long ? ZINC_HTTP_STOP : ZINC_HTTP_GO;
}

static zinc_http_next
on_end(void *arg, size_t i, zinc_status st, const zinc_error *err)
{
	asking *a = (asking *)arg;

	(void)i;
	a->st = st;
	if (st != ZINC_OK)
		zinc_error_copy(a->err, err);
	return ZINC_HTTP_GO;
}

/* The asker's deadline, or that of the request if it is earlier. */
static zinc_wait
sooner(const zinc_asker *s, double seconds)
{
	const double until = zinc_now(s->ctx) + seconds;
	zinc_wait w = ZINC_WAIT_INIT;

	if (s->wait)
		w = *s->wait;
	if (w.until <= 0 || w.until > until)
		w.until = until;
	return w;
}

/* All memory of the request is in the pool, except what libcurl has. */
static zinc_status
run(asking *a, zinc_error *err)
{
	const zinc_ask_request *q = a->request;
	const zinc_http_user user = {.ask = on_ask,
				     .head = on_head,
				     .body = on_body,
				     .end = on_end,
				     .sign = on_sign,
				     .arg = a,
				     .wait = &a->wait};
	const zinc_http_config config = {.timeout = q->timeout,
					 .retries = q->retries,
					 .parallel = 1,
					 .ca_file = a->asker->ca_file,
					 .direct = q->direct};
	zinc_http *h = NULL;
	zinc_status st;

	ZINC_TRY(zinc_http_new(&h, zinc_secret_context(a->asker->pool), &config, err));
	st = zinc_http_run(h, 1, &user, err);
	zinc_http_free(h);
	return st;
}

/* These requests change nothing, so that it does not matter whether one was executed. */
static zinc_status
failed(const asking *a, zinc_status st, const char *url, zinc_error *err)
{
	const char *text = a->err->text, *change = strstr(text, "; the change ");
	const int n = (int)(change ? (size_t)(change - text) : strlen(text));

	if (st == ZINC_E_CANCELLED || (st == ZINC_E_UNCERTAIN && zinc_wait_left(&a->wait) <= 0)) {
		ZINC_TRY(zinc_wait_for(a->asker->wait, "credentials", err));
		return zinc_fail(err, ZINC_E_IO, "%s: no complete answer within %.0f s", url, a->request->most);
	}
	return zinc_fail(err, st == ZINC_E_UNCERTAIN ? ZINC_E_IO : st, "%s: %.*s", url, n, text);
}

/* Of a server that is busy, or 0.  The user of http.c does not see those answers, only the error. */
static int
busy_status(const zinc_error *e)
{
	return strncmp(e->text, "HTTP ", 5) == 0 ? (int)strtol(e->text + 5, NULL, 10) : 0;
}

zinc_status
zinc_ask(const zinc_asker *s, const zinc_ask_request *r, zinc_ask_answer *out, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	asking a = {.request = r, .asker = s, .err = &e};
	char url[256];
	zinc_status st;

	memset(out, 0, sizeof *out);
	zinc_buf_init(&a.text, zinc_secret_context(s->pool), ZINC_ASK_MAX_ANSWER);
	a.wait = sooner(s, r->most);
	st = run(&a, &e);
	if (st == ZINC_OK)
		st = a.st;
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	zinc_url_show(url, sizeof url, r->url);
	if (st != ZINC_OK) {
		out->status = busy_status(&e);
		return failed(&a, st, url, err);
	}
	if (a.too_long)
		return zinc_fail(err, ZINC_E_IO, "%s: the answer is too long", url);
	if (a.length != ZINC_HTTP_UNKNOWN && a.text.n < a.length) /* http.c allows it after PUT and POST */
		return zinc_fail(err, ZINC_E_IO, "%s: no complete answer", url);
	out->status = a.status;
	out->text = zinc_buf_text(&a.text);
	out->n = a.text.n;
	return out->text ? ZINC_OK : zinc_fail_nomem(err);
}
