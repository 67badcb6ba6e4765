/*
 * store_http_put.c - changing keys below a URL by PUT and DELETE, if the setting "write" allows it
 *
 * Promises (tests/unit/test_store_http_put.c names each by its number):
 *
 * (1) ZINC_OK is returned only for a change that the server has answered with 200, 201 or 204.  If a request without an
 *     answer may have been executed, and after 202, it is E_UNCERTAIN.
 * (2) With "conditions" a failed condition is E_EXISTS or E_CONFLICT, and nothing is changed.  The server is tested
 *     once, with a condition that cannot be true: if it ignores conditions, the change is E_UNSUPPORTED.
 * (3) A condition that fails on a retry, when the first try may have been executed, is E_UNCERTAIN.
 * (4) Without "conditions" the value is checked first.  That excludes no other writer, and caps promise nothing.
 * (5) WebDAV (RFC 4918): directories that a server wants to have first are created by MKCOL.  A DELETE never removes a
 *     directory: "Depth: 0" forbids it, and a directory is no key, so that the key counts as deleted.
 */
#include <stdio.h>

#include "store/store_http.h"

#define CLEAN_UP 2.0 /* seconds to remove what a test has left, whatever the deadline is */

/* One change. */
typedef struct change {
	http_store *store;
	const char *method;
	const char *key;
	const struct iovec *iov;
	int niov;
	const zinc_condition *when;
	const zinc_done *done; /* NULL: only `status` and `err` are set */
	size_t i;              /* index in the caller's batch */
	zinc_tag tag;          /* of the new value */
	char *url;
	int http_status;
	bool directory; /* the answer says that one is there */
	bool held;      /* not reported yet: see mend() */
	bool mended;
	int unknown;
	zinc_status status;
	zinc_error *err;
} change;

/* All changes of one call. */
typedef struct changes {
	http_store *store;
	const zinc_put *puts; /* either puts or dels is set */
	const zinc_del *dels;
	const zinc_done *done;
	change *all;
	size_t n, taken; /* n: in `all`; taken: of the caller's, including those that already failed */
} changes;

/* ---- answers ---- */

static zinc_status
on_ask(void *arg, size_t i, zinc_http_request *out, zinc_error *err)
{
	const change *c = &((const changes *)arg)->all[i];

	out->url = c->url;
	out->method = c->method;
	out->sends = strcmp(c->method, "PUT") == 0;
	out->body = c->iov;
	out->nbody = c->niov;
	if (strcmp(c->method, "DELETE") == 0)
		ZINC_TRY(zinc_http_header(out, "Depth", "0", err));
	if (c->when->when == ZINC_ABSENT)
		return zinc_http_header(out, "If-None-Match", "*", err);
	return zinc_web_add_condition(out, c->when->when == ZINC_EQUALS ? c->when->tag : NULL, err);
}

static zinc_http_next
on_head(void *arg, size_t i, const zinc_http_head *h)
{
	change *c = &((const changes *)arg)->all[i];

	c->http_status = h->status;
	c->unknown = h->unknown;
	c->directory = h->directory && h->status / 100 == 3;
	if (h->status / 100 == 2 && h->etag[0])
		zinc_web_take_tag(&c->store->web, h, ZINC_HTTP_UNKNOWN, &c->tag);
	return ZINC_HTTP_STOP;
}

static zinc_http_next
on_body(void *arg, size_t i, const uint8_t *bytes, size_t n)
{
	(void)arg, (void)i, (void)bytes, (void)n;
	return ZINC_HTTP_STOP;
}

/* 404 and 412: the condition does not hold. */
static zinc_status
condition_failed(const change *c)
{
	if (c->unknown)
		return zinc_fail(
		    c->err, ZINC_E_UNCERTAIN,
		    "the condition fails, perhaps because an earlier try without an answer has made the change");
	if (c->when->when == ZINC_ABSENT)
		return zinc_fail(c->err, ZINC_E_EXISTS, "the key already exists");
	return zinc_fail(c->err, ZINC_E_CONFLICT, "the value was changed by someone else");
}

static zinc_status
refused(const change *c)
{
	if (c->unknown && c->http_status != 202)
		return zinc_fail(c->err, ZINC_E_UNCERTAIN,
				 "HTTP %d; an earlier try had no answer, so the change may or may not have been made",
				 c->http_status);
	switch (c->http_status) {
	case 202:
		return zinc_fail(c->err, ZINC_E_UNCERTAIN,
				 "HTTP 202: the server has accepted the change, but not made it yet");
	case 405:
	case 501:
		return zinc_fail(c->err, ZINC_E_READONLY, "HTTP %d: the server does not accept %s here", c->http_status,
				 c->method);
	case 401:
	case 403:
		return zinc_fail(c->err, ZINC_E_IO, "HTTP %d: the server denies access", c->http_status);
	case 409:
		return zinc_fail(c->err, ZINC_E_IO,
				 "HTTP 409: its directory does not exist, and the server must create it");
	default:
		return zinc_fail(c->err, ZINC_E_IO, "HTTP %d", c->http_status);
	}
}

static zinc_status
outcome(const change *c)
{
	const bool deletes = strcmp(c->method, "DELETE") == 0;

	switch (c->directory ? 404 : c->http_status) {
	case 200:
	case 201:
	case 204:
		return ZINC_OK;
	case 404:
	case 410: /* a missing key counts as deleted, unless the condition names a tag */
		if (c->when->when == ZINC_EQUALS)
			return condition_failed(c);
		return deletes ? ZINC_OK : refused(c);
	case 412:
		return c->when->when == ZINC_ANY ? refused(c) : condition_failed(c);
	default:
		return refused(c);
	}
}

/* Is a PUT refused because its directory is missing, or a DELETE perhaps because there is a directory? */
static bool
can_mend(const change *c)
{
	const bool puts = strcmp(c->method, "PUT") == 0, deletes = strcmp(c->method, "DELETE") == 0;

	return c->done && !c->mended &&
	       ((puts && c->http_status == 409) || (deletes && (c->http_status == 400 || c->http_status == 409)));
}

static zinc_http_next
on_end(void *arg, size_t i, zinc_status st, const zinc_error *err)
{
	change *c = &((const changes *)arg)->all[i];
	zinc_error e = ZINC_ERROR_INIT;

	if (!c->err)
		c->err = &e;
	if (st != ZINC_OK && err)
		*c->err = *err;
	c->status = st == ZINC_OK ? outcome(c) : st;
	c->held = st == ZINC_OK && c->status != ZINC_OK && can_mend(c);
	if (c->done && !c->held)
		zinc_done_report(c->done, c->i, c->status, &c->tag, c->status == ZINC_OK ? NULL : c->err);
	if (c->err == &e)
		c->err = NULL;
	return ZINC_HTTP_GO;
}

/* ---- many at once ---- */

static change
make_change(const changes *x, size_t i)
{
	static const zinc_condition any = {ZINC_ANY, NULL};
	const zinc_condition *when = x->puts ? x->puts[i].when : x->dels[i].when;

	return (change){.store = x->store,
			.method = x->puts ? "PUT" : "DELETE",
			.key = x->puts ? x->puts[i].key : x->dels[i].key,
			.iov = x->puts ? x->puts[i].iov : NULL,
			.niov = x->puts ? x->puts[i].niov : 0,
			.when = when ? when : &any,
			.done = x->done,
			.i = i};
}

/* Report a change that failed before it was sent. */
static void
report_failed(change *c, zinc_status st, const zinc_error *e)
{
	c->status = st;
	zinc_done_report(c->done, c->i, st, NULL, e);
}

/* They have no conditions, so nothing is checked first. */
static size_t
on_more(void *arg)
{
	changes *x = (changes *)arg;
	const size_t n = x->done->more(x->done->arg);

	for (; x->taken < n; x->taken++) {
		change *c = &x->all[x->n];
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st;

		*c = make_change(x, x->taken);
		st = x->store->web.key_url(&x->store->web, c->key, NULL, &c->url, &e);
		if (st != ZINC_OK)
			report_failed(c, st, &e);
		else
			x->n++;
	}
	return x->n;
}

/* The client limits the number of open requests.  Fails only before the first one is sent. */
static zinc_status
send_all(changes *x, const zinc_wait *wait, zinc_error *err)
{
	const zinc_http_user user = {.ask = on_ask,
				     .head = on_head,
				     .body = on_body,
				     .end = on_end,
				     .arg = x,
				     .wait = wait,
				     .more = x->done && x->done->more ? on_more : NULL};

	return x->n ? zinc_http_run(x->store->web.http, x->n, &user, err) : ZINC_OK;
}

static zinc_status
run_all(changes *x, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	size_t i;

	for (i = 0; i < x->n && st == ZINC_OK; i++)
		st = x->store->web.key_url(&x->store->web, x->all[i].key, NULL, &x->all[i].url, err);
	if (st == ZINC_OK)
		st = send_all(x, wait, err);
	for (i = 0; i < x->n; i++) {
		zinc_free(x->store->web.ctx, x->all[i].url);
		x->all[i].url = NULL;
	}
	return st;
}

static zinc_status
run(change *c, const zinc_wait *wait, zinc_error *err)
{
	changes x = {.store = c->store, .all = c, .n = 1};

	c->err = err;
	ZINC_TRY(run_all(&x, wait, err));
	return c->status;
}

/* ---- directories ---- */

/* Make the directory url[0..n): 201, or 405 if it is there.  *status is the server's. */
static zinc_status
make_directory(http_store *s, const char *url, size_t n, int *status, const zinc_wait *wait, zinc_error *err)
{
	static const zinc_condition any = {ZINC_ANY, NULL};
	change c = {.store = s, .method = "MKCOL", .key = "", .when = &any, .err = err};
	changes x = {.store = s, .all = &c, .n = 1};
	zinc_buf text;
	zinc_status st;

	zinc_buf_init(&text, s->web.ctx, 2 * ZINC_MAX_KEY);
	st = zinc_buf_printf(&text, err, "%.*s/%s", (int)n, url, s->query);
	if (st == ZINC_OK && !zinc_buf_text(&text))
		st = zinc_fail_nomem(err);
	c.url = (char *)text.p;
	if (st == ZINC_OK)
		st = send_all(&x, wait, err);
	zinc_buf_fini(&text);
	*status = c.http_status;
	return st;
}

/* And those above it.  What the server says about one that it does not make is told by the PUT. */
static zinc_status
make_directories(http_store *s, const char *url, size_t n, const zinc_wait *wait, zinc_error *err)
{
	const char *host = strstr(url, "://"), *slash;
	int status = 0;

	ZINC_TRY(make_directory(s, url, n, &status, wait, err));
	slash = (const char *)memrchr(url, '/', n);
	if (status != 409 || !host || !slash || slash < host + 3)
		return ZINC_OK;
	ZINC_TRY(make_directories(s, url, (size_t)(slash - url), wait, err));
	return make_directory(s, url, n, &status, wait, err);
}

static zinc_status
make_parents(http_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	char *url = NULL;
	const char *slash;
	zinc_status st;

	ZINC_TRY(s->web.key_url(&s->web, key, NULL, &url, err));
	slash = (const char *)memrchr(url, '/', strcspn(url, "?"));
	st = slash ? make_directories(s, url, (size_t)(slash - url), wait, err) : ZINC_OK;
	zinc_free(s->web.ctx, url);
	return st;
}

static void
on_looked(void *arg, size_t i, const zinc_got *got)
{
	(void)i;
	*(bool *)arg = got->found == ZINC_MISSING;
}

/* What held up a change: try it again, or find that nothing is to be done. */
static void
mend(change *c, const zinc_wait *wait)
{
	const zinc_get look = {.key = c->key, .stat = 1};
	bool missing = false;
	const zinc_sink sink = {.size = sizeof sink, .done = on_looked, .arg = &missing};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	c->mended = true;
	if (strcmp(c->method, "PUT") == 0) {
		st = make_parents(c->store, c->key, wait, &e);
		if (st == ZINC_OK)
			st = run(c, wait, &e); /* and reports it, if it was sent */
		if (c->held)
			report_failed(c, st, &e);
		return;
	}
	st = zinc_web_get(c->store, &look, 1, &sink, wait, &e);
	c->err = &e;
	c->directory = st == ZINC_OK && missing;
	st = outcome(c);
	zinc_done_report(c->done, c->i, st, NULL, st == ZINC_OK ? NULL : &e);
}

/* ---- conditions ---- */

/* Test with a condition that cannot be true: a missing value has no tag.  If the server creates the value nevertheless,
 * it is deleted again. */
static zinc_status
probe_key(http_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	static const zinc_tag never = {21, "E\"zinc-no-such-value\""};
	const zinc_condition when = {ZINC_EQUALS, &never};
	static const zinc_condition any = {ZINC_ANY, NULL};
	change probe = {.store = s, .method = "PUT", .key = key, .when = &when};
	change undo = {.store = s, .method = "DELETE", .key = key, .when = &any};
	zinc_wait clean_up = ZINC_WAIT_INIT;
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st = run(&probe, wait, &e);

	if (probe.http_status == 412) { /* even after a retry: the condition was false for every try */
		atomic_store(&s->conditions_state, 1);
		return ZINC_OK;
	}
	if (st == ZINC_E_UNCERTAIN) /* of the test, not of the change itself, which was not sent */
		ZINC_TRY(zinc_wait_for(wait, "a test of the server", err));
	if (st != ZINC_OK) /* it is no conflict with another writer: trying again would not help */
		return zinc_fail(err,
				 st == ZINC_E_CONFLICT    ? ZINC_E_UNSUPPORTED
				 : st == ZINC_E_UNCERTAIN ? ZINC_E_IO
							  : st,
				 "cannot find out whether the server evaluates conditions: HTTP %d, %.400s",
				 probe.http_status, e.text);
	clean_up.until = zinc_now(s->web.ctx) + CLEAN_UP;
	(void)run(&undo, &clean_up, NULL);
	atomic_store(&s->conditions_state, -1);
	return ZINC_OK;
}

/* Test beside the key to change: the server may have other rules elsewhere. */
static zinc_status
probe_conditions(http_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	const char *slash = strrchr(key, '/');
	zinc_buf beside;
	zinc_status st;

	zinc_buf_init(&beside, s->web.ctx, ZINC_MAX_KEY);
	st =
	    zinc_buf_printf(&beside, err, "%.*s.zinc-condition-%p", slash ? (int)(slash - key) + 1 : 0, key, (void *)s);
	if (st == ZINC_OK)
		st = probe_key(s, zinc_buf_text(&beside), wait, err);
	zinc_buf_fini(&beside);
	return st;
}

/* Does the server evaluate conditions? */
static zinc_status
check_server(http_store *s, const char *key, const zinc_wait *wait, zinc_error *err)
{
	if (atomic_load(&s->conditions_state) == 0)
		ZINC_TRY(probe_conditions(s, key, wait, err));
	if (atomic_load(&s->conditions_state) == 1)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "this server ignores If-Match: do not set http.conditions=yes");
}

/* ---- without conditions: check the value first ---- */

/* One batch of gets for all conditions. */
typedef struct value_checks {
	changes *of;
	zinc_get *gets;
	size_t *change_at; /* index in `of` for each get */
} value_checks;

static zinc_status
compare(const zinc_condition *when, const zinc_got *got, zinc_error *err)
{
	const bool found = got->found == ZINC_FOUND;

	if (got->found == ZINC_FAILED)
		return got->error
			   ? zinc_error_copy(err, got->error)
			   : zinc_fail(err, got->status ? got->status : ZINC_E_IO, "the value cannot be checked");
	if (when->when == ZINC_ABSENT)
		return found ? zinc_fail(err, ZINC_E_EXISTS, "the key already exists") : ZINC_OK;
	if (!found || !when->tag || !zinc_tag_equal(when->tag, got->tag))
		return zinc_fail(err, ZINC_E_CONFLICT, "the value was changed by someone else");
	return ZINC_OK;
}

static void
on_checked(void *arg, size_t i, const zinc_got *got)
{
	const value_checks *l = (const value_checks *)arg;
	change *c = &l->of->all[l->change_at[i]];
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st = compare(c->when, got, &e);

	if (st != ZINC_OK)
		report_failed(c, st, &e);
}

static zinc_status
run_checks(value_checks *l, const zinc_wait *wait, zinc_error *err)
{
	const zinc_sink sink = {.size = sizeof sink, .done = on_checked, .arg = l};
	size_t i, n = 0;

	if (!l->gets || !l->change_at)
		return zinc_fail_nomem(err);
	for (i = 0; i < l->of->n; i++)
		if (l->of->all[i].when->when != ZINC_ANY) {
			l->gets[n].key = l->of->all[i].key;
			l->gets[n].stat = 1;
			l->change_at[n++] = i;
		}
	return n ? zinc_web_get(l->of->store, l->gets, n, &sink, wait, err) : ZINC_OK;
}

static zinc_status
check_values(changes *x, const zinc_wait *wait, zinc_error *err)
{
	zinc_context *ctx = x->store->web.ctx;
	value_checks l = {x, (zinc_get *)zinc_calloc(ctx, x->n, sizeof *l.gets),
			  (size_t *)zinc_calloc(ctx, x->n, sizeof *l.change_at)};
	const zinc_status st = run_checks(&l, wait, err);

	zinc_free(ctx, l.gets);
	zinc_free(ctx, l.change_at);
	return st;
}

/* ---- operations ---- */

/* Only a strong ETag can be sent as a condition. */
static zinc_status
check_condition(http_store *s, const change *c, const zinc_wait *wait, zinc_error *err)
{
	const zinc_condition *when = c->when;

	if (when->when == ZINC_ANY)
		return ZINC_OK;
	if (when->when == ZINC_EQUALS && (!when->tag || when->tag->n < 2 || when->tag->b[0] != 'E'))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the server sends no strong ETag, which a condition needs");
	return check_server(s, c->key, wait, err);
}

/* Report changes whose condition already fails; move the others to the front. */
static zinc_status
drop_failed(changes *x, const zinc_wait *wait, zinc_error *err)
{
	size_t i, left = 0;

	if (!x->store->conditions)
		ZINC_TRY(check_values(x, wait, err));
	for (i = 0; i < x->n; i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st = ZINC_OK;

		if (x->store->conditions)
			st = check_condition(x->store, &x->all[i], wait, &e);
		if (st != ZINC_OK)
			report_failed(&x->all[i], st, &e);
		if (x->all[i].status == ZINC_OK)
			x->all[left++] = x->all[i];
	}
	x->n = left;
	return ZINC_OK;
}

static zinc_status
change_all(changes *x, size_t n, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	size_t i;

	x->all = (change *)zinc_calloc(x->store->web.ctx, x->done->more ? x->done->room : n, sizeof *x->all);
	if (!x->all)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++)
		x->all[i] = make_change(x, i);
	x->n = x->taken = n;
	st = drop_failed(x, wait, err);
	if (st == ZINC_OK)
		st = run_all(x, wait, &e);
	for (i = 0; st == ZINC_OK && i < x->n; i++)
		if (x->all[i].held)
			mend(&x->all[i], wait);
	for (i = 0; e.code != ZINC_OK && x->n < n && i < x->n; i++)
		report_failed(&x->all[i], st, &e);
	if (e.code != ZINC_OK)
		st = x->n < n ? ZINC_OK : zinc_error_copy(err, &e);
	zinc_free(x->store->web.ctx, x->all);
	return st;
}

zinc_status
zinc_http_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	      const zinc_wait *wait, zinc_error *err)
{
	changes x = {.store = (http_store *)self, .puts = puts, .done = done};

	(void)group, (void)flags;
	return change_all(&x, n, wait, err);
}

zinc_status
zinc_http_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	      const zinc_wait *wait, zinc_error *err)
{
	changes x = {.store = (http_store *)self, .dels = dels, .done = done};

	(void)group, (void)flags;
	return change_all(&x, n, wait, err);
}
