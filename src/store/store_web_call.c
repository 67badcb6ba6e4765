/*
 * store_web_call.c - requests to web servers that are no gets: many at once, signed, retried, their failures explained
 *
 * Promises (tests/unit/test_store_s3.c names each by its number, as those of store_s3.c):
 *
 * (5) An error document in an answer of status 200 is a failure, whatever the request.  Codes of passing failures are
 *     retried.
 * (6) A condition that does not hold is E_CONFLICT or E_EXISTS only if no earlier try may have been executed.  409 of
 *     a conditional request is retried.  412 of a request without a condition is a failure, as of a policy of the bucket.
 * (7) A change that failed is E_UNCERTAIN if any of its tries may have been executed, also one before a correction of
 *     region, clock or keys, and one to which a proxy has answered 503.
 */
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "store/store_web.h"

#define MAX_ANSWER (64 * ZINC_MIB) /* a listing has up to 1000 keys of 1024 bytes, each byte escaped */
#define MAX_ERROR  (64 * ZINC_KIB) /* of a text that is only needed if it is an error document */
#define CLEAN_UP   15.0            /* seconds */

void
zinc_web_write_id(char out[40])
{
	static atomic_ullong count;
	uint8_t random[16] = {0};

	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) { /* unique, if not random */
		const unsigned long long parts[2] = {
		    (unsigned long long)time(NULL) << 20 ^ (unsigned long long)getpid(), atomic_fetch_add(&count, 1)};

		memcpy(random, parts, sizeof random);
	}
	zinc_hex(out, random, sizeof random);
}

zinc_wait
zinc_web_clean_up(const zinc_web *w)
{
	zinc_wait wait = ZINC_WAIT_INIT;

	wait.until = zinc_now(w->ctx) + CLEAN_UP;
	return wait;
}

zinc_status
zinc_web_unresolved(zinc_status st, const zinc_error *why, zinc_error *err)
{
	static const char may[] = "a try without an answer may have made the change";

	if (st == ZINC_OK)
		return zinc_fail(err, ZINC_E_UNCERTAIN, "%s, and someone else changed it since", may);
	if (st == ZINC_E_NOTFOUND)
		return zinc_fail(err, ZINC_E_UNCERTAIN, "%s, but the key does not exist now", may);
	return zinc_fail(err, ZINC_E_UNCERTAIN, "%s, and the question for it failed: %.600s", may, why->text);
}

/* Whatever became of the test, the change itself is neither lost nor in doubt. */
zinc_status
zinc_web_untested(const zinc_error *why, const zinc_wait *wait, zinc_error *err)
{
	const bool of_test =
	    why->code == ZINC_E_CONFLICT || why->code == ZINC_E_EXISTS || why->code == ZINC_E_UNCERTAIN;

	ZINC_TRY(zinc_wait_for(wait, "a test of the server", err));
	return zinc_fail(err, of_test ? ZINC_E_IO : why->code,
			 "cannot find out whether the server evaluates conditions: %.600s", why->text);
}

/* ---- requests ---- */

static zinc_status
add_fields(zinc_web *w, zinc_http_request *out, const zinc_web_call *c, zinc_error *err)
{
	size_t k;

	for (k = 0; k < c->nfields; k++)
		ZINC_TRY(zinc_http_header(out, c->fields[k].name, c->fields[k].value, err));
	return w->call_fields ? w->call_fields(w, c, out, err) : ZINC_OK;
}

static zinc_status
on_ask(void *arg, size_t i, zinc_http_request *out, zinc_error *err)
{
	const zinc_web_calls *x = (const zinc_web_calls *)arg;
	zinc_web_call *c = &x->all[i];

	c->status = 0; /* of the last answer */
	c->text.n = 0;
	c->cut = ZINC_OK;
	if (!c->url)
		ZINC_TRY(x->web->call_url(x->web, c, &c->url, err));
	out->url = c->url;
	out->method = c->method;
	out->sends = c->sends;
	out->body = c->body;
	out->nbody = c->nbody;
	out->keep = x->web->call_keep;
	out->service = x->web->call_service;
	out->repeats = c->repeats;
	out->once = c->once;
	out->location = c->location;
	return add_fields(x->web, out, c, err);
}

static zinc_status
on_sign(void *arg, size_t i, zinc_http_request *r, const char *url, bool away, zinc_error *err)
{
	const zinc_web_calls *x = (const zinc_web_calls *)arg;

	(void)i;
	return x->web->sign(x->web, r, url, away, x->wait, err);
}

/* ---- answers ---- */

static bool
is_head(const zinc_web_call *c)
{
	return strcmp(c->method, "HEAD") == 0;
}

static bool
is_change(const zinc_web_call *c)
{
	return !is_head(c) && strcmp(c->method, "GET") != 0;
}

static bool
is_good(const zinc_web_call *c)
{
	return c->status / 100 == 2 || (c->also && c->status == c->also);
}

static zinc_http_next
on_head(void *arg, size_t i, const zinc_http_head *h)
{
	const zinc_web_calls *x = (const zinc_web_calls *)arg;
	zinc_web_call *c = &x->all[i];

	c->status = h->status;
	c->length = h->length;
	c->unknown += h->unknown;
	c->date = h->date;
	c->tag.n = 0;
	if (is_good(c)) {
		if (x->web->call_head)
			x->web->call_head(x->web, c, h);
		return ZINC_HTTP_GO; /* the text may be an error */
	}
	if (!c->head)
		c->head = (zinc_http_head *)zinc_alloc(x->web->ctx, sizeof *c->head);
	if (c->head)
		*c->head = *h;
	return ZINC_HTTP_GO;
}

static zinc_http_next
on_body(void *arg, size_t i, const uint8_t *bytes, size_t n)
{
	zinc_web_call *c = &((const zinc_web_calls *)arg)->all[i];

	if (!c->reads && c->text.n + n > MAX_ERROR)
		return ZINC_HTTP_STOP;
	c->cut = zinc_buf_add(&c->text, bytes, n, NULL);
	return c->cut == ZINC_OK ? ZINC_HTTP_GO : ZINC_HTTP_STOP;
}

/* The text does not fit.  A change may nevertheless have been made. */
static zinc_status
fail_cut(zinc_web_call *c, zinc_error *err)
{
	c->unknown += is_change(c) && c->status / 100 == 2;
	return c->cut == ZINC_E_NOMEM
		   ? zinc_fail_nomem(err)
		   : zinc_fail(err, c->cut, "the server's answer is longer than %zu bytes", c->text.max);
}

/* Another writer was faster, or is changing the key now. */
static zinc_status
condition_failed(const zinc_web_call *c, zinc_error *err)
{
	if (c->unknown)
		return zinc_fail(
		    err, ZINC_E_UNCERTAIN,
		    "the condition fails, perhaps because an earlier try without an answer has made the change");
	if (c->when && c->when->when == ZINC_ABSENT)
		return zinc_fail(err, ZINC_E_EXISTS, "the key already exists");
	return zinc_fail(err, ZINC_E_CONFLICT, "the value was changed by someone else");
}

static bool
is_conditional(const zinc_web_call *c)
{
	return c->when && c->when->when != ZINC_ANY;
}

/* Was the text of a successful change announced and not sent?  It may have been an error. */
static bool
lacks_text(const zinc_web_call *c)
{
	return is_change(c) && !c->reads && c->status != 204 && c->length != ZINC_HTTP_UNKNOWN &&
	       c->length <= MAX_ERROR && c->text.n < c->length;
}

/* An answer of status 200 may be a failure: the server sends it before the work is done. */
static bool
is_success(zinc_web *w, const zinc_web_call *c)
{
	if (!is_good(c) || lacks_text(c))
		return false;
	return !w->call_is_error || !w->call_is_error(w, c);
}

/* Does the error document in an answer of status 200 leave open whether the change was made? */
static bool
is_open(const zinc_web_call *c)
{
	return is_change(c) && c->status / 100 == 2 && (c->code[0] == '\0' || strcmp(c->code, "InternalError") == 0);
}

static zinc_web_verdict
explain(const zinc_web_calls *x, zinc_web_call *c, zinc_error *err)
{
	zinc_http_head plain;
	zinc_web_answer a = {.head = c->head,
			     .key = c->key,
			     .method = c->method,
			     .text = {c->text.p, c->text.n},
			     .bare = is_head(c),
			     .lists = !c->key && strcmp(c->method, "GET") == 0,
			     .rounds = c->rounds,
			     .wait = x->wait};

	if (!c->head || is_good(c)) {
		zinc_http_head_init(&plain);
		plain.status = c->status;
		a.head = &plain;
	}
	return x->web->call_judge(x->web, &a, c->code, err);
}

static zinc_status
no_such_key(zinc_error *err)
{
	return zinc_fail(err, ZINC_E_NOTFOUND, "the key does not exist");
}

/* What an answer that is no success means.  *next: whether to send the request again. */
static zinc_status
failure(const zinc_web_calls *x, zinc_web_call *c, zinc_http_next *next, zinc_error *err)
{
	const zinc_web_verdict v = explain(x, c, err);

	*next = ZINC_HTTP_GO;
	c->unknown += is_open(c);
	if (is_open(c) && c->rounds < x->web->retries) {
		*next = ZINC_HTTP_LATER;
		return ZINC_OK;
	}
	if (v == ZINC_WEB_REFUSED)
		return err->code;
	if (is_conditional(c) && (c->status == 412 || v == ZINC_WEB_UNMET))
		return condition_failed(c, err);
	if (c->status == 409 && is_conditional(c)) {
		if (c->rounds >= x->web->retries)
			return condition_failed(c, err);
		*next = ZINC_HTTP_LATER;
		return ZINC_OK;
	}
	switch (v) {
	case ZINC_WEB_MISSING:
		return is_conditional(c) ? condition_failed(c, err) : no_such_key(err);
	case ZINC_WEB_READ: /* an answer to HEAD */
		return c->status == 404 ? no_such_key(err) : zinc_fail(err, ZINC_E_IO, "HTTP %d", c->status);
	case ZINC_WEB_AGAIN:
		*next = ZINC_HTTP_AGAIN;
		return ZINC_OK;
	case ZINC_WEB_LATER:
		*next = ZINC_HTTP_LATER;
		return ZINC_OK;
	case ZINC_WEB_UNMET:
	case ZINC_WEB_REFUSED:
	case ZINC_WEB_FAILED:
	default:
		break;
	}
	return err->code != ZINC_OK ? err->code : zinc_fail(err, ZINC_E_IO, "HTTP %d", c->status);
}

/* The outcome of one try is unknown, whatever the last one says.  Who needs the text of an answer looks at c->unknown if
 * there is no memory for it. */
static zinc_status
add_doubt(const zinc_web_call *c, zinc_status st, const zinc_error *why, zinc_error *err)
{
	const bool no_room = st == ZINC_E_NOMEM && c->reads && c->cut == st;

	if (st == ZINC_E_UNCERTAIN || st == ZINC_E_NOTFOUND || no_room || !c->unknown) {
		zinc_error_copy(err, why);
		return st;
	}
	return zinc_fail(err, ZINC_E_UNCERTAIN, "%.700s; the change may or may not have been made", why->text);
}

static void
end_call(zinc_web_calls *x, zinc_web_call *c, zinc_status st, const zinc_error *err)
{
	zinc_free(x->web->ctx, c->url);
	c->url = NULL;
	if (!c->reads) /* there may be many calls */
		zinc_buf_fini(&c->text);
	c->result = st;
	if (x->ended)
		x->ended(x->arg, c, err);
}

static zinc_http_next
on_end(void *arg, size_t i, zinc_status st, const zinc_error *err)
{
	zinc_web_calls *x = (zinc_web_calls *)arg;
	zinc_web_call *c = &x->all[i];
	zinc_http_next next = ZINC_HTTP_GO;
	zinc_error e = ZINC_ERROR_INIT, shown = ZINC_ERROR_INIT;

	c->code[0] = '\0';
	if (st == ZINC_OK && c->cut != ZINC_OK) {
		st = fail_cut(c, &e);
		err = &e;
	} else if (st == ZINC_OK && !is_success(x->web, c)) {
		st = failure(x, c, &next, &e);
		err = &e;
	} else if (st == ZINC_OK && x->web->call_text) {
		st = x->web->call_text(x->web, c, &e);
		c->unknown += st != ZINC_OK && is_change(c);
		err = &e;
	}
	if (next != ZINC_HTTP_GO) {
		c->rounds++;
		zinc_free(x->web->ctx, c->url); /* the server may have named another place */
		c->url = NULL;
		return next;
	}
	if (st != ZINC_OK)
		st = add_doubt(c, st, err, &shown);
	end_call(x, c, st, st == ZINC_OK ? NULL : &shown);
	return ZINC_HTTP_GO;
}

/* ---- running ---- */

static size_t
on_more(void *arg)
{
	const zinc_web_calls *x = (const zinc_web_calls *)arg;

	return x->more(x->arg);
}

void
zinc_web_call_init(const zinc_web *w, zinc_web_call *c)
{
	zinc_buf_init(&c->text, w->ctx, c->most ? c->most : MAX_ANSWER);
}

zinc_status
zinc_web_run(zinc_web_calls *x, zinc_error *err)
{
	const zinc_http_user user = {.ask = on_ask,
				     .head = on_head,
				     .body = on_body,
				     .end = on_end,
				     .arg = x,
				     .wait = x->wait,
				     .sign = x->web->sign ? on_sign : NULL,
				     .more = x->more ? on_more : NULL};
	size_t i;

	for (i = 0; i < x->n; i++)
		zinc_web_call_init(x->web, &x->all[i]);
	return x->n || x->more ? zinc_http_run(x->web->http, x->n, &user, err) : ZINC_OK;
}

void
zinc_web_call_fini(zinc_web *w, zinc_web_call *c)
{
	zinc_buf_fini(&c->text);
	zinc_free(w->ctx, c->head);
	zinc_free(w->ctx, c->url);
	zinc_free(w->ctx, c->own);
	c->head = NULL;
	c->url = NULL;
	c->own = NULL;
}

static void
keep_error(void *arg, zinc_web_call *c, const zinc_error *err)
{
	(void)c;
	if (err)
		zinc_error_copy((zinc_error *)arg, err);
}

/* The caller frees the answer. */
zinc_status
zinc_web_one(zinc_web *w, zinc_web_call *c, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_web_calls x = {.web = w, .all = c, .n = 1, .ended = keep_error, .arg = &e, .wait = wait};
	zinc_status st;

	c->unknown = c->rounds = 0;
	st = zinc_web_run(&x, &e);
	if (st == ZINC_OK)
		st = c->result;
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	return st;
}
