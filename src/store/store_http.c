/*
 * store_http.c - keys below a URL; a module.  store_http_put.c changes them, if the setting "write" allows it
 *
 *     http://host/base?query   +   key "a b/c"   =   http://host/base/a%20b/c?query
 *
 * Promises (tests/unit/test_store_http.c names each by its number):
 *
 * (1) 404 and 410 mean "missing"; 403 and every other answer without a value is a failure.
 * (2) All bytes of an answer belong to one generation of the value: the one that the request named, if it named one.
 *     Tags are strong ETags, else the date of Last-Modified if it is at least two seconds older than the answer.
 * (3) An answer that is longer or shorter than its head says, or has another range than requested, is a failure.  An
 *     answer whose end cannot be told from a broken connection is refused.
 * (4) A server without ranges can be read, too; caps then say that it has none.
 * (5) Neither password nor query of the URL appears in an error.
 * (6) Values of unknown length are buffered a few at a time: in an eighth of the bytes that a call may have in flight,
 *     or one value.
 */
#include <inttypes.h>
#include <stdio.h>

#include "store/store_http.h"

#define MAX_PARALLEL 1000
#define MERGE_GAP    ZINC_MIB /* bytes that one round trip costs, on a line of 10 ms and 1 Gbit/s */
#define GATHER_BYTES (32 * ZINC_MIB)
#define GATHER_SHARE 8 /* share of the bytes in flight */

/* The HTTP request that is sent for a get; the answer may require another one. */
typedef enum question {
	ASK_BYTES, /* GET of a range or of the whole value */
	ASK_HEAD,  /* HEAD: no bytes are needed, or the range begins past the end (416) */
	ASK_FIRST  /* GET of the first byte, if HEAD is not allowed */
} question;

/* The state of one get. */
typedef struct exchange {
	char *url;
	question question;
	bool again;    /* send the request again, `question` has changed */
	bool has_room; /* the sink has provided memory for the bytes */
	bool gathers;  /* the size is unknown until the end */
	bool counted;  /* its buffer is counted in batch.gathering */
	bool over;
	zinc_found found;
	zinc_status status; /* of a failure */
	const char *fault;
	int http_status;
	zinc_tag tag;
	uint64_t size;
	uint64_t skip; /* bytes of the answer before the first requested one */
	uint64_t want, have;
	struct iovec slot;
	zinc_iov_at at;
	zinc_buf gathered;
} exchange;

/* One call of get. */
typedef struct batch {
	http_store *store;
	const zinc_get *requests;
	const zinc_sink *sink;
	exchange *x;
	size_t n, low;      /* all requests before `low` are finished */
	uint64_t gathering; /* bytes reserved for values of unknown length */
} batch;

/* ---- sending requests ---- */

/* RFC 3986: unreserved characters are copied, everything else is escaped. */
static zinc_status
add_escaped(zinc_buf *out, const char *key, zinc_error *err)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
	size_t n;

	for (; *key; key += n) {
		n = strspn(key, plain);
		ZINC_TRY(zinc_buf_add(out, key, n, err));
		if (n == 0) {
			ZINC_TRY(zinc_buf_printf(out, err, "%%%02X", (unsigned)(unsigned char)*key));
			n = 1;
		}
	}
	return ZINC_OK;
}

zinc_status
zinc_http_key_url(const http_store *s, const char *key, char **out, zinc_error *err)
{
	zinc_status st;
	zinc_buf url;

	zinc_buf_init(&url, s->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&url, err, "%s/", s->base);
	if (st == ZINC_OK)
		st = add_escaped(&url, key, err);
	if (st == ZINC_OK)
		st = zinc_buf_puts(&url, s->query, err);
	if (st == ZINC_OK && !zinc_buf_text(&url))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		*out = (char *)url.p;
	else
		zinc_buf_fini(&url);
	return st;
}

/* A request for no bytes uses HEAD; so does one whose offset no value can reach. */
static question
first_question(const zinc_get *r)
{
	return r->stat || r->length == 0 || (!r->suffix && r->offset > INT64_MAX) ? ASK_HEAD : ASK_BYTES;
}

/* No range for the whole value.  The server cuts a range at the end of the value. */
static zinc_status
add_range(zinc_http_request *out, const zinc_get *r, zinc_error *err)
{
	uint64_t last;
	char text[64];

	if (r->suffix)
		snprintf(text, sizeof text, "bytes=-%" PRIu64, r->length < INT64_MAX ? r->length : (uint64_t)INT64_MAX);
	else if (r->length != ZINC_TO_END && !zinc_u64_add(r->offset, r->length - 1, &last) && last < INT64_MAX)
		snprintf(text, sizeof text, "bytes=%" PRIu64 "-%" PRIu64, r->offset, last);
	else if (r->offset)
		snprintf(text, sizeof text, "bytes=%" PRIu64 "-", r->offset);
	else
		return ZINC_OK;
	return zinc_http_header(out, "Range", text, err);
}

zinc_status
zinc_http_add_condition(zinc_http_request *out, const zinc_tag *tag, zinc_error *err)
{
	char text[sizeof tag->b + 1];

	if (tag && tag->n > 1 && tag->b[0] == 'E') {
		snprintf(text, sizeof text, "%.*s", tag->n - 1, (const char *)tag->b + 1);
		return zinc_http_header(out, "If-Match", text, err);
	}
	if (tag && tag->n > 30 && tag->b[0] == 'M') {
		snprintf(text, sizeof text, "%.29s", (const char *)tag->b + 1);
		return zinc_http_header(out, "If-Unmodified-Since", text, err);
	}
	return ZINC_OK;
}

static zinc_status
on_ask(void *arg, size_t i, zinc_http_request *out, zinc_error *err)
{
	const batch *b = (const batch *)arg;
	const zinc_get *r = &b->requests[i];
	exchange *x = &b->x[i];

	x->again = x->gathers = false;
	x->have = 0;
	x->gathered.n = 0;
	if (!x->url)
		ZINC_TRY(zinc_http_key_url(b->store, r->key, &x->url, err));
	out->url = x->url;
	out->method = x->question == ASK_HEAD ? "HEAD" : "GET";
	if (x->question == ASK_BYTES)
		ZINC_TRY(add_range(out, r, err));
	else if (x->question == ASK_FIRST)
		ZINC_TRY(zinc_http_header(out, "Range", "bytes=0-0", err));
	return zinc_http_add_condition(out, r->if_tag, err);
}

/* ---- heads ---- */

/* The answer cannot be used; its body is not read. */
static zinc_http_next
fault(exchange *x, zinc_status status, const char *why)
{
	x->found = ZINC_FAILED;
	x->status = status;
	x->fault = why;
	return ZINC_HTTP_STOP;
}

static zinc_http_next
result(exchange *x, zinc_found found)
{
	x->found = found;
	return ZINC_HTTP_STOP;
}

static zinc_http_next
ask_next(exchange *x, question q)
{
	x->question = q;
	x->again = true;
	return ZINC_HTTP_STOP;
}

void
zinc_http_take_tag(http_store *s, const zinc_http_head *h, uint64_t size, zinc_tag *out)
{
	int n = 0;

	if (h->etag[0])
		n = snprintf((char *)out->b, sizeof out->b, "E%s", h->etag);
	else if (zinc_http_head_date_is_tag(h) && size != ZINC_HTTP_UNKNOWN)
		n = snprintf((char *)out->b, sizeof out->b, "M%s %" PRIu64, h->modified, size);
	out->n = (uint8_t)(n > 0 && n < (int)sizeof out->b ? n : 0);
	atomic_fetch_or(&s->seen, out->n ? SEEN_TAG : SEEN_NO_TAG);
}

/* Ask the sink for memory for x->want bytes.  After a retry the memory of the first try is used again. */
static zinc_http_next
make_room(const batch *b, size_t i)
{
	const zinc_get *r = &b->requests[i];
	exchange *x = &b->x[i];

	if (!r->iov && !x->has_room) {
		switch (b->sink->room(b->sink->arg, i, x->want, &x->slot.iov_base)) {
		case ZINC_ROOM_NOT_NOW:
			return ZINC_HTTP_WAIT;
		case ZINC_ROOM_OK:
			break;
		case ZINC_ROOM_FAIL:
		default:
			return fault(x, ZINC_E_NOMEM, "no memory for the value");
		}
		x->slot.iov_len = (size_t)x->want;
	}
	x->has_room = true;
	x->at = r->iov ? (zinc_iov_at){r->iov, r->niov, 0} : (zinc_iov_at){&x->slot, 1, 0};
	return ZINC_HTTP_GO;
}

/* Size and tag of the value are known: select the bytes.  After a retry the value must be the same. */
static zinc_http_next
select_bytes(const batch *b, size_t i, const zinc_http_head *h, uint64_t size)
{
	const zinc_get *r = &b->requests[i];
	exchange *x = &b->x[i];
	uint64_t offset, nbytes;
	zinc_tag tag = {0, {0}};

	zinc_http_take_tag(b->store, h, size, &tag);
	if (r->if_tag && !zinc_tag_equal(r->if_tag, &tag))
		return result(x, ZINC_CHANGED);
	zinc_get_select(r, size, &offset, &nbytes);
	if (r->stat)
		nbytes = 0;
	if ((x->has_room && (nbytes != x->want || tag.n != x->tag.n || memcmp(tag.b, x->tag.b, tag.n) != 0)) ||
	    (x->question != ASK_BYTES && nbytes))
		return fault(x, ZINC_E_IO, "the value changed while it was being read");
	if (nbytes > SIZE_MAX)
		return fault(x, ZINC_E_NOMEM, "the value does not fit in memory");
	x->found = ZINC_FOUND;
	x->tag = tag;
	x->size = size;
	x->skip = offset;
	x->want = nbytes;
	return ZINC_HTTP_GO;
}

/* The head is accepted: get memory, then read the body if there is one. */
static zinc_http_next
accept_head(const batch *b, size_t i)
{
	zinc_http_next next = b->requests[i].stat ? ZINC_HTTP_STOP : make_room(b, i);

	return next == ZINC_HTTP_GO && b->x[i].want == 0 ? ZINC_HTTP_STOP : next;
}

/* 206: the requested range, cut at the end of the value. */
static zinc_http_next
accept_part(const batch *b, size_t i, const zinc_http_head *h)
{
	exchange *x = &b->x[i];

	if (h->first == ZINC_HTTP_UNKNOWN || h->total == ZINC_HTTP_UNKNOWN)
		return fault(x, ZINC_E_IO, "the server sends a range without Content-Range");
	if (select_bytes(b, i, h, h->total) != ZINC_HTTP_GO)
		return ZINC_HTTP_STOP;
	if (x->question == ASK_BYTES && (h->first != x->skip || h->last - h->first + 1 != x->want ||
					 (h->length != ZINC_HTTP_UNKNOWN && h->length != x->want)))
		return fault(x, ZINC_E_IO, "the server sends another range than requested");
	x->skip = 0;
	return accept_head(b, i);
}

/* May this answer be buffered now?  The oldest unfinished one always may; later ones wait for the memory that it
 * holds. */
static bool
may_gather(batch *b, size_t i)
{
	exchange *x = &b->x[i];

	while (b->low < b->n && b->x[b->low].over)
		b->low++;
	if (!x->counted && i != b->low &&
	    b->gathering + x->gathered.max > b->store->ctx->in_flight_bytes / GATHER_SHARE)
		return false;
	b->gathering += x->counted ? 0 : x->gathered.max;
	x->counted = true;
	return true;
}

/* 200: the whole value, even if a range was requested. */
static zinc_http_next
accept_whole(batch *b, size_t i, const zinc_http_head *h)
{
	const zinc_get *r = &b->requests[i];
	exchange *x = &b->x[i];

	if (x->question != ASK_HEAD && (r->suffix || r->offset || r->length != ZINC_TO_END))
		atomic_fetch_or(&b->store->seen, SEEN_NO_RANGES);
	if (h->length != ZINC_HTTP_UNKNOWN)
		return select_bytes(b, i, h, h->length) == ZINC_HTTP_GO ? accept_head(b, i) : ZINC_HTTP_STOP;
	if (x->question == ASK_HEAD)
		return ask_next(x, ASK_FIRST);
	if (!h->framed)
		return fault(x, ZINC_E_IO, "the server does not send the length of the value (Content-Length)");
	if (x->has_room) /* a first try had a length: this may be another value */
		return fault(x, ZINC_E_IO, "the server sends no Content-Length when the request is repeated");
	if (!may_gather(b, i))
		return ZINC_HTTP_WAIT;
	x->gathers = true;
	x->found = ZINC_FOUND;
	zinc_http_take_tag(b->store, h, ZINC_HTTP_UNKNOWN, &x->tag);
	return ZINC_HTTP_GO;
}

static zinc_http_next
on_head(void *arg, size_t i, const zinc_http_head *h)
{
	batch *b = (batch *)arg;
	exchange *x = &b->x[i];

	x->http_status = h->status;
	if (h->no_ranges)
		atomic_fetch_or(&b->store->seen, SEEN_NO_RANGES);
	switch (h->status) {
	case 200:
	case 203:
	case 206:
		if (h->encoded)
			return fault(x, ZINC_E_IO,
				     "the server compresses the value, which the request forbids (Content-Encoding)");
		return h->status == 206 ? accept_part(b, i, h) : accept_whole(b, i, h);
	case 404:
	case 410:
		return result(x, ZINC_MISSING);
	case 412:
		return b->requests[i].if_tag ? result(x, ZINC_CHANGED) : fault(x, ZINC_E_IO, h->reason);
	case 416: /* the range begins past the end; this answer has no tag */
		if (x->question == ASK_BYTES)
			return ask_next(x, ASK_HEAD);
		if (x->question == ASK_FIRST && h->total == 0)
			return select_bytes(b, i, h, 0) == ZINC_HTTP_GO ? accept_head(b, i) : ZINC_HTTP_STOP;
		break;
	case 405:
	case 501:
		if (x->question == ASK_HEAD)
			return ask_next(x, ASK_FIRST);
		break;
	default:
		break;
	}
	return fault(x, ZINC_E_IO, NULL);
}

/* ---- bodies ---- */

static void
scatter(exchange *x, const uint8_t *bytes, size_t n)
{
	struct iovec part;

	while (n && zinc_iov_next(&x->at, &part, 1)) {
		if (part.iov_len > n)
			part.iov_len = n;
		memcpy(part.iov_base, bytes, part.iov_len);
		zinc_iov_advance(&x->at, part.iov_len);
		bytes += part.iov_len;
		n -= part.iov_len;
	}
}

/* Skip bytes before the requested range (from a server without ranges) and after it. */
static void
take_bytes(exchange *x, const uint8_t *bytes, size_t n)
{
	const size_t skip = (size_t)zinc_min_u64(x->skip, n);
	const size_t take = (size_t)zinc_min_u64(n - skip, x->want - x->have);

	x->skip -= skip;
	scatter(x, bytes + skip, take);
	x->have += take;
}

static zinc_http_next
on_body(void *arg, size_t i, const uint8_t *bytes, size_t n)
{
	exchange *x = &((const batch *)arg)->x[i];
	zinc_status st;

	if (x->gathers) {
		st = zinc_buf_add(&x->gathered, bytes, n, NULL);
		if (st == ZINC_E_LIMIT)
			return fault(x, st, "the answer has no length and is longer than the limit");
		return st == ZINC_OK ? ZINC_HTTP_GO : fault(x, st, "no memory for an answer without a length");
	}
	if (x->http_status == 206 && n > x->want - x->have)
		return fault(x, ZINC_E_IO, "the server sends more bytes than announced");
	take_bytes(x, bytes, n);
	return x->have == x->want && x->http_status != 206 ? ZINC_HTTP_STOP : ZINC_HTTP_GO;
}

/* ---- ends ---- */

/* The end of a value of unknown length. */
static zinc_http_next
place_gathered(const batch *b, size_t i)
{
	const zinc_get *r = &b->requests[i];
	exchange *x = &b->x[i];
	zinc_http_next next;

	if (r->if_tag && !zinc_tag_equal(r->if_tag, &x->tag)) {
		x->found = ZINC_CHANGED;
		return ZINC_HTTP_GO;
	}
	x->size = x->gathered.n;
	zinc_get_select(r, x->size, &x->skip, &x->want);
	if (r->stat)
		x->want = 0;
	next = r->stat ? ZINC_HTTP_GO : make_room(b, i);
	if (next == ZINC_HTTP_GO && x->want)
		take_bytes(x, x->gathered.p, x->gathered.n);
	return next == ZINC_HTTP_WAIT ? ZINC_HTTP_WAIT : ZINC_HTTP_GO;
}

static void
report_failure(const batch *b, size_t i, zinc_status st, const zinc_error *err)
{
	const exchange *x = &b->x[i];
	zinc_error e = ZINC_ERROR_INIT;

	if (!err && x->fault && st == ZINC_E_LIMIT)
		zinc_fail(&e, st, "%s: %zu", x->fault, x->gathered.max);
	else if (!err && x->fault)
		zinc_fail(&e, st, "%s", x->fault);
	else if (!err)
		zinc_fail(&e, st, "HTTP %d%s", x->http_status,
			  x->http_status == 401 || x->http_status == 403 ? ": the server denies access" : "");
	zinc_sink_failed(b->sink, i, st, err ? err : &e);
}

static void
report_answer(const batch *b, size_t i)
{
	const exchange *x = &b->x[i];
	zinc_got got;

	memset(&got, 0, sizeof got);
	got.size = sizeof got;
	got.found = x->found;
	if (x->found == ZINC_FOUND) {
		got.nbytes = x->have;
		got.object_size = x->size;
		got.tag = &x->tag;
	}
	b->sink->done(b->sink->arg, i, &got);
}

static zinc_http_next
on_end(void *arg, size_t i, zinc_status st, const zinc_error *err)
{
	batch *b = (batch *)arg;
	exchange *x = &b->x[i];

	if (st == ZINC_OK && x->again)
		return ZINC_HTTP_AGAIN;
	if (st == ZINC_OK && x->gathers && x->found == ZINC_FOUND && place_gathered(b, i) == ZINC_HTTP_WAIT)
		return ZINC_HTTP_WAIT;
	if (st == ZINC_OK && x->found == ZINC_FOUND && x->have != x->want)
		fault(x, ZINC_E_IO, "the server sends fewer bytes than announced");
	if (st != ZINC_OK || x->found == ZINC_FAILED)
		report_failure(b, i, st != ZINC_OK ? st : x->status, err);
	else
		report_answer(b, i);
	b->gathering -= x->counted ? x->gathered.max : 0;
	x->over = true;
	zinc_free(b->store->ctx, x->url);
	zinc_buf_fini(&x->gathered);
	return ZINC_HTTP_GO;
}

/* ---- operations ---- */

/* The limit of an answer of unknown length: what the caller accepts; for a part of a value at least GATHER_BYTES, so
 * that a small value can be read whole. */
static size_t
gather_most(const http_store *s, const zinc_get *r)
{
	const bool all = !r->suffix && r->offset == 0 && r->length == ZINC_TO_END && !r->stat;
	uint64_t end;

	if (r->limit && !r->suffix && r->offset == 0)
		return (size_t)zinc_min_u64(r->limit, PTRDIFF_MAX / 2);
	if (all)
		return (size_t)s->ctx->limits.chunk_bytes;
	if (r->suffix || r->stat || zinc_u64_add(r->offset, r->length, &end))
		end = 0;
	return (size_t)zinc_min_u64(zinc_max_u64(end, GATHER_BYTES), s->ctx->limits.chunk_bytes);
}

zinc_status
zinc_http_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	      zinc_error *err)
{
	http_store *s = (http_store *)self;
	batch b = {s, requests, sink, (exchange *)zinc_calloc(s->ctx, n, sizeof(exchange)), n, 0, 0};
	const zinc_http_user user = {
	    .ask = on_ask, .head = on_head, .body = on_body, .end = on_end, .arg = &b, .wait = wait};
	zinc_status st;
	size_t i;

	if (!b.x)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++) {
		b.x[i].question = first_question(&requests[i]);
		zinc_buf_init(&b.x[i].gathered, s->ctx, gather_most(s, &requests[i]));
	}
	st = zinc_http_run(s->http, n, &user, err);
	zinc_free(s->ctx, b.x);
	return st;
}

/* Ranges are assumed until a server sends a whole value instead.  Tags are reported once seen, and no longer when one
 * was missing. */
static void
http_caps(void *self, zinc_caps *out)
{
	http_store *s = (http_store *)self;
	const unsigned seen = atomic_load(&s->seen);

	out->flags = ZINC_CAP_READ | ZINC_CAP_REMOTE;
	if (!(seen & SEEN_NO_RANGES))
		out->flags |= ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE;
	if ((seen & (SEEN_TAG | SEEN_NO_TAG)) == SEEN_TAG || (s->writes && s->conditions))
		out->flags |= ZINC_CAP_TAGS;
	if (s->writes)
		out->flags |= ZINC_CAP_WRITE | ZINC_CAP_ERASE;
	if (s->writes && s->conditions)
		out->flags |= ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE;
	out->parallel = s->parallel;
	out->merge_gap = MERGE_GAP;
}

static void
http_close(void *self)
{
	http_store *s = (http_store *)self;

	zinc_http_free(s->http);
	zinc_free(s->ctx, s->base);
	zinc_free(s->ctx, s->query);
	zinc_free(s->ctx, s);
}

/* "user:password@host:port": a host is required, and a port after the last ':' behind the last '@'.  An unescaped '/'
 * in a password ends the authority too early, and the rest of it looks like a port. */
static bool
is_authority(const char *s, size_t n)
{
	const char *at = (const char *)memrchr(s, '@', n), *host = at ? at + 1 : s, *end = s + n;
	const char *colon = host < end && *host == '[' ? (const char *)memchr(host, ']', (size_t)(end - host)) : host;

	if (!colon)
		return false;
	colon = (const char *)memchr(colon, ':', (size_t)(end - colon));
	if (host == (colon ? colon : end) || (at && memchr(s, '@', (size_t)(at - s))))
		return false;
	return !colon || colon + 1 + strspn(colon + 1, "0123456789") == end;
}

/* "host/base/?query" -> "scheme://host/base" and "?query" */
static zinc_status
split_url(http_store *s, const char *scheme, const char *rest, zinc_error *err)
{
	size_t n = strcspn(rest, "?");
	const char *query = rest + n;
	zinc_buf base;
	zinc_status st;

	if (strcspn(rest, "/?") == 0)
		return zinc_fail(err, ZINC_E_INVALID, "a URL without a host");
	if (!is_authority(rest, strcspn(rest, "/?#")))
		return zinc_fail(
		    err, ZINC_E_INVALID,
		    "host or port are malformed; in a password write '/' %%2F, '?' %%3F, '#' %%23, '@' %%40");
	if (strpbrk(rest, " #\t\r\n"))
		return zinc_fail(err, ZINC_E_INVALID, "the URL has a blank or a '#': write %%20 and %%23");
	while (n && rest[n - 1] == '/')
		n--;
	zinc_buf_init(&base, s->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&base, err, "%s://", scheme);
	if (st == ZINC_OK)
		st = zinc_buf_add(&base, rest, n, err);
	s->query = zinc_strdup(s->ctx, query[0] && query[1] ? query : "");
	if (st == ZINC_OK && (!zinc_buf_text(&base) || !s->query))
		st = zinc_fail_nomem(err);
	s->base = (char *)base.p;
	return st;
}

static const zinc_setting_row http_settings[] = {
    {.name = "timeout",
     .type = ZINC_SETTING_SECONDS,
     .preset = "30",
     .purpose = "seconds without data before a request is retried"},
    {.name = "retries", .type = ZINC_SETTING_COUNT, .preset = "4", .purpose = "retries of one request"},
    {.name = "parallel",
     .type = ZINC_SETTING_COUNT,
     .preset = "64",
     .purpose = "requests kept open at once, 1 to 1000"},
    {.name = "ca_file", .env = "SSL_CERT_FILE", .purpose = "certificates to trust instead of the system's, PEM"},
    {.name = "write", .type = ZINC_SETTING_YES, .preset = "no", .purpose = "change values by PUT and DELETE"},
    {.name = "conditions",
     .type = ZINC_SETTING_YES,
     .preset = "no",
     .purpose = "the server honours If-Match and If-None-Match of a PUT"},
    {.name = "header.*", .secret = 1, .purpose = "a header of every request, as header.Authorization"},
    {.name = NULL},
};

/* Header names are tokens (RFC 9110 section 5.6.2); values are already checked as text. */
static zinc_status
add_header(const char **lines, size_t *n, const zinc_setting *s, zinc_context *ctx, zinc_error *err)
{
	const char *name = s->name + strlen("header.");
	zinc_status st;
	zinc_buf line;

	if (name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~")])
		return zinc_fail(err, ZINC_E_INVALID, "http.header.%.60s is not a valid header name", name);
	zinc_buf_init(&line, ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&line, err, s->value[0] ? "%s: %s" : "%s;", name, s->value);
	if (st == ZINC_OK && !zinc_buf_text(&line))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		lines[(*n)++] = (const char *)line.p;
	else
		zinc_buf_fini(&line);
	return st;
}

static zinc_status
check_config(const zinc_http_config *c, zinc_error *err)
{
	if (!(c->timeout > 0))
		return zinc_fail(err, ZINC_E_INVALID, "http.timeout must be above 0");
	if (c->parallel < 1 || c->parallel > MAX_PARALLEL)
		return zinc_fail(err, ZINC_E_INVALID, "http.parallel must be 1 to %d", MAX_PARALLEL);
	return ZINC_OK;
}

/* Make the HTTP client from the settings. */
static zinc_status
make_client(http_store *s, const zinc_store_options *o, zinc_error *err)
{
	zinc_http_config c = {.timeout = zinc_setting_number(o, "timeout"),
			      .retries = (int)zinc_setting_number(o, "retries"),
			      .parallel = (int)zinc_setting_number(o, "parallel"),
			      .ca_file = zinc_setting_text(o, "ca_file")};
	const char **lines = (const char **)zinc_calloc(s->ctx, o->nsettings + 1, sizeof *lines);
	zinc_status st = lines ? check_config(&c, err) : zinc_fail_nomem(err);
	size_t i;

	for (i = 0; i < o->nsettings && st == ZINC_OK; i++)
		if (strncmp(o->settings[i].name, "header.", 7) == 0)
			st = add_header(lines, &c.nheaders, &o->settings[i], s->ctx, err);
	c.headers = lines;
	s->parallel = (uint32_t)c.parallel;
	s->writes = zinc_setting_yes(o, "write");
	s->conditions = zinc_setting_yes(o, "conditions");
	if (st == ZINC_OK)
		st = zinc_http_new(&s->http, s->ctx, &c, err);
	for (i = 0; i < c.nheaders; i++) {
		explicit_bzero((char *)(uintptr_t)lines[i], strlen(lines[i]));
		zinc_free(s->ctx, (char *)(uintptr_t)lines[i]);
	}
	zinc_free(s->ctx, lines);
	return st;
}

static zinc_status
open_scheme(void **self, const char *scheme, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	zinc_context *ctx = options->context;
	http_store *s = (http_store *)zinc_calloc(ctx, 1, sizeof *s);
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	s->ctx = ctx;
	atomic_init(&s->seen, 0);
	atomic_init(&s->conditions_state, 0);
	st = split_url(s, scheme, rest, err);
	if (st == ZINC_OK)
		st = make_client(s, options, err);
	if (st != ZINC_OK) {
		http_close(s);
		return st;
	}
	*self = s;
	return ZINC_OK;
}

static zinc_status
open_http(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	return open_scheme(self, "http", rest, options, err);
}

static zinc_status
open_https(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	return open_scheme(self, "https", rest, options, err);
}

/* At best: what a server with conditions gives. */
#define HTTP_FLAGS                                                                                                     \
	(ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_CAS |     \
	 ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_REMOTE | ZINC_CAP_TAGS)

#define HTTP_OPS(scheme_, open_)                                                                                       \
	{                                                                                                              \
		.size = sizeof(zinc_store_ops), .name = "http", .purpose = "files of a web server, below a URL",       \
		.schemes = scheme_, .open = open_, .close = http_close, .caps = http_caps, .get = zinc_http_get,       \
		.put = zinc_http_put, .del = zinc_http_del, .settings = http_settings, .foreign_query = 1, .more = 1,  \
		.flags = HTTP_FLAGS,                                                                                   \
	}

const zinc_store_ops zinc_store_ops_http = HTTP_OPS("http", open_http);
const zinc_store_ops zinc_store_ops_https = HTTP_OPS("https", open_https);

#ifdef ZINC_MODULE
const char zinc_module_build[] = ZINC_BUILD;

/* `scheme` is "http" or "https", in any case. */
const zinc_store_ops *
zinc_module_init(const char *build, const char *scheme)
{
	if (build != zinc_build())
		return NULL;
	return strlen(scheme) == strlen("https") ? &zinc_store_ops_https : &zinc_store_ops_http;
}
#else
zinc_status
zinc_store_http_register(zinc_error *err)
{
	if (strcmp(zinc_build(), ZINC_BUILD) != 0)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "libzinc_http.a is of another build than libzinc");
	ZINC_TRY(zinc_store_register(&zinc_store_ops_http, err));
	return zinc_store_register(&zinc_store_ops_https, err);
}
#endif
