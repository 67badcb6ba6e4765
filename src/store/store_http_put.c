/*
 * store_http_put.c - changing keys below a URL by PUT and DELETE, where the setting "write" allows it
 *
 * Promises (tests/unit/test_store_http_put.c names each by its number):
 *
 * (1) ZINC_OK is said only of a change that the server has answered with 200, 201 or 204; after a request that may have
 *     been done without an answer, and after 202, it is E_UNCERTAIN.
 * (2) With "conditions" a lost condition is E_EXISTS or E_CONFLICT, and nothing is changed.  The server is tried once, with
 *     a condition that cannot hold: one that does not look at conditions is E_UNSUPPORTED, not trusted.
 * (3) A condition that fails on a second try, the first having perhaps been done, is E_UNCERTAIN.
 * (4) Without "conditions" the value is looked at first.  That excludes nobody, and caps promise nothing.
 */
#include <stdio.h>

#include "store/store_http.h"

/* One change under way. */
typedef struct change {
	http_store *store;
	const char *method;
	const char *key;
	const struct iovec *iov;
	int niov;
	const zinc_condition *when;
	const zinc_done *done; /* NULL: `status` and `err` are enough */
	size_t i;              /* as done() counts */
	zinc_tag tag;          /* of the new value */
	char *url;
	int http_status;
	int unknown;
	zinc_status status;
	zinc_error *err;
} change;

/* ---- what the server says ---- */

static zinc_status
on_ask(void *arg, size_t i, zinc_http_request *out, zinc_error *err)
{
	change *c = &((change *)arg)[i];

	out->url = c->url;
	out->method = c->method;
	out->sends = strcmp(c->method, "PUT") == 0;
	out->body = c->iov;
	out->nbody = c->niov;
	if (c->when->when == ZINC_ABSENT)
		return zinc_http_header(out, "If-None-Match", "*", err);
	return zinc_http_add_condition(out, c->when->when == ZINC_EQUALS ? c->when->tag : NULL, err);
}

static zinc_http_next
on_head(void *arg, size_t i, const zinc_http_head *h)
{
	change *c = &((change *)arg)[i];

	c->http_status = h->status;
	c->unknown = h->unknown;
	if (h->status / 100 == 2 && h->etag[0])
		zinc_http_take_tag(c->store, h, ZINC_HTTP_UNKNOWN, &c->tag);
	return ZINC_HTTP_STOP;
}

static zinc_http_next
on_body(void *arg, size_t i, const uint8_t *bytes, size_t n)
{
	(void)arg, (void)i, (void)bytes, (void)n;
	return ZINC_HTTP_STOP;
}

/* 404 and 412: the value is not as the condition says. */
static zinc_status
lost_condition(const change *c)
{
	if (c->unknown)
		return zinc_fail(
		    c->err, ZINC_E_UNCERTAIN,
		    "the condition fails, perhaps by an earlier try of this very change that had no answer");
	if (c->when->when == ZINC_ABSENT)
		return zinc_fail(c->err, ZINC_E_EXISTS, "the key is there already");
	return zinc_fail(c->err, ZINC_E_CONFLICT, "the value was changed by someone else");
}

static zinc_status
refused(const change *c)
{
	switch (c->http_status) {
	case 202:
		return zinc_fail(c->err, ZINC_E_UNCERTAIN, "HTTP 202: the server will do it later, or not");
	case 405:
	case 501:
		return zinc_fail(c->err, ZINC_E_READONLY, "HTTP %d: the server takes no %s here", c->http_status,
				 c->method);
	case 401:
	case 403:
		return zinc_fail(c->err, ZINC_E_IO, "HTTP %d: the server does not allow it", c->http_status);
	case 409:
		return zinc_fail(c->err, ZINC_E_IO,
				 "HTTP 409: there is no directory for it, which the server must make itself");
	default:
		return zinc_fail(c->err, ZINC_E_IO, "HTTP %d", c->http_status);
	}
}

static zinc_status
outcome(const change *c)
{
	const bool deletes = strcmp(c->method, "DELETE") == 0;

	switch (c->http_status) {
	case 200:
	case 201:
	case 204:
		return ZINC_OK;
	case 404:
	case 410: /* what is not there is as good as deleted, unless it should have had a tag */
		if (deletes)
			return c->when->when == ZINC_EQUALS ? lost_condition(c) : ZINC_OK;
		return refused(c);
	case 412:
		return c->when->when == ZINC_ANY ? refused(c) : lost_condition(c);
	default:
		return refused(c);
	}
}

static zinc_http_next
on_end(void *arg, size_t i, zinc_status st, const zinc_error *err)
{
	change *c = &((change *)arg)[i];
	zinc_error e = ZINC_ERROR_INIT;

	if (!c->err)
		c->err = &e;
	if (st != ZINC_OK && err)
		*c->err = *err;
	c->status = st == ZINC_OK ? outcome(c) : st;
	if (c->done)
		zinc_done_tell(c->done, c->i, c->status, &c->tag, c->status == ZINC_OK ? NULL : c->err);
	if (c->err == &e)
		c->err = NULL;
	return ZINC_HTTP_GO;
}

/* As many at once as the client keeps open.  Fails only before the first was begun. */
static zinc_status
run_all(http_store *s, change *c, size_t n, const zinc_wait *wait, zinc_error *err)
{
	static const zinc_condition any = {ZINC_ANY, NULL};
	const zinc_http_user user = {.ask = on_ask,
				     .head = on_head,
				     .body = on_body,
				     .end = on_end,
				     .arg = c,
				     .wait = wait};
	zinc_status st = ZINC_OK;
	size_t i;

	for (i = 0; i < n && st == ZINC_OK; i++) {
		if (!c[i].when)
			c[i].when = &any;
		st = zinc_http_key_url(s, c[i].key, &c[i].url, err);
	}
	if (st == ZINC_OK && n)
		st = zinc_http_run(s->http, n, &user, err);
	for (i = 0; i < n; i++)
		zinc_free(s->ctx, c[i].url);
	return st;
}

static zinc_status
run(change *c, const zinc_wait *wait, zinc_error *err)
{
	c->err = err;
	ZINC_TRY(run_all(c->store, c, 1, wait, err));
	return c->status;
}

/* ---- conditions ---- */

/* A value that is not there cannot have a tag.  Where the server makes one all the same, it is taken away again. */
static zinc_status
try_key(http_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	static const zinc_tag never = {21, "E\"zinc-no-such-value\""};
	const zinc_condition when = {ZINC_EQUALS, &never};
	change probe = {.store = s, .method = "PUT", .key = key, .when = &when};
	change undo = {.store = s, .method = "DELETE", .key = key};
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st = run(&probe, wait, &e);

	if (probe.http_status == 412) { /* whatever became of earlier tries: it can hold for none */
		atomic_store(&s->honours, 1);
		return ZINC_OK;
	}
	if (st != ZINC_OK)
		return zinc_fail(err, st, "whether the server looks at conditions cannot be told: %.400s", e.text);
	(void)run(&undo, NULL, NULL);
	atomic_store(&s->honours, -1);
	return ZINC_OK;
}

/* Beside the key that is to be changed: elsewhere the server may have other rules. */
static zinc_status
try_conditions(http_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	const char *slash = strrchr(key, '/');
	zinc_buf beside;
	zinc_status st;

	zinc_buf_init(&beside, s->ctx, ZINC_MAX_KEY);
	st =
	    zinc_buf_printf(&beside, err, "%.*s.zinc-condition-%p", slash ? (int)(slash - key) + 1 : 0, key, (void *)s);
	if (st == ZINC_OK)
		st = try_key(s, zinc_buf_text(&beside), wait, err);
	zinc_buf_fini(&beside);
	return st;
}

/* Is the condition in good hands? */
static zinc_status
check_server(http_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	if (atomic_load(&s->honours) == 0)
		ZINC_TRY(try_conditions(s, key, wait, err));
	if (atomic_load(&s->honours) == 1)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_UNSUPPORTED,
			 "this server does not look at If-Match: http.conditions=yes must not be said of it");
}

typedef struct look {
	zinc_found found;
	zinc_tag tag;
	zinc_status status;
	zinc_error *err;
} look;

static void
looked(void *arg, size_t i, const zinc_got *got)
{
	look *l = (look *)arg;

	(void)i;
	l->found = got->found;
	if (got->found == ZINC_FOUND)
		l->tag = *got->tag;
	if (got->found == ZINC_FAILED) {
		l->status = got->status ? got->status : ZINC_E_IO;
		if (l->err && got->error)
			*l->err = *got->error;
	}
}

/* Without conditions: as it is now. */
static zinc_status
check_value(http_store *s, const char *key, const zinc_condition *when, const zinc_wait *wait, zinc_error *err)
{
	look l = {.err = err};
	const zinc_sink sink = {.size = sizeof sink, .done = looked, .arg = &l};
	zinc_get r;

	memset(&r, 0, sizeof r);
	r.key = key;
	r.stat = 1;
	ZINC_TRY(zinc_http_get(s, &r, 1, &sink, wait, err));
	if (l.found == ZINC_FAILED)
		return l.status;
	if (when->when == ZINC_ABSENT)
		return l.found == ZINC_FOUND ? zinc_fail(err, ZINC_E_EXISTS, "the key is there already") : ZINC_OK;
	if (l.found != ZINC_FOUND || !when->tag || !zinc_tag_equal(when->tag, &l.tag))
		return zinc_fail(err, ZINC_E_CONFLICT, "the value was changed by someone else");
	return ZINC_OK;
}

/* A tag that is no strong ETag cannot be given to a server as a condition that holds. */
static zinc_status
check_condition(http_store *s, const char *key, const zinc_condition *when, const zinc_wait *wait, zinc_error *err)
{
	if (!when || when->when == ZINC_ANY)
		return ZINC_OK;
	if (!s->conditions)
		return check_value(s, key, when, wait, err);
	if (when->when == ZINC_EQUALS && (!when->tag || when->tag->n < 2 || when->tag->b[0] != 'E'))
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "the server gives no strong ETag that a condition could name");
	return check_server(s, key, wait, err);
}

/* ---- operations ---- */

/* Whose condition is lost already is told at once; the others stay, moved to the front. */
static size_t
sort_out(http_store *s, change *c, size_t n, const zinc_wait *wait)
{
	size_t i, left = 0;

	for (i = 0; i < n; i++) {
		zinc_error e = ZINC_ERROR_INIT;
		const zinc_status st = check_condition(s, c[i].key, c[i].when, wait, &e);

		if (st != ZINC_OK)
			zinc_done_tell(c[i].done, c[i].i, st, NULL, &e);
		else
			c[left++] = c[i];
	}
	return left;
}

/* Frees the changes. */
static zinc_status
change_all(http_store *s, change *c, size_t n, const zinc_wait *wait, zinc_error *err)
{
	const size_t left = sort_out(s, c, n, wait);
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = run_all(s, c, left, wait, &e);
	size_t i;

	for (i = 0; st != ZINC_OK && left < n && i < left; i++)
		zinc_done_tell(c[i].done, c[i].i, st, NULL, &e);
	if (st != ZINC_OK && left < n)
		st = ZINC_OK;
	if (st != ZINC_OK)
		zinc_fail(err, st, "%s", e.text);
	zinc_free(s->ctx, c);
	return st;
}

zinc_status
zinc_http_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	      const zinc_wait *wait, zinc_error *err)
{
	http_store *s = (http_store *)self;
	change *c = (change *)zinc_calloc(s->ctx, n, sizeof *c);
	size_t i;

	(void)group, (void)flags;
	if (!c)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++)
		c[i] = (change){.store = s,
				.method = "PUT",
				.key = puts[i].key,
				.iov = puts[i].iov,
				.niov = puts[i].niov,
				.when = puts[i].when,
				.done = done,
				.i = i};
	return change_all(s, c, n, wait, err);
}

zinc_status
zinc_http_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	      const zinc_wait *wait, zinc_error *err)
{
	http_store *s = (http_store *)self;
	change *c = (change *)zinc_calloc(s->ctx, n, sizeof *c);
	size_t i;

	(void)group, (void)flags;
	if (!c)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++)
		c[i] = (change){
		    .store = s, .method = "DELETE", .key = dels[i].key, .when = dels[i].when, .done = done, .i = i};
	return change_all(s, c, n, wait, err);
}
