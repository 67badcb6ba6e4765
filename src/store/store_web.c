/*
 * store_web.c - reading values from web servers: what the http store and those of clouds share
 *
 * Promises (tests/unit/test_store_http.c names each by its number, as those of store_http.c):
 *
 * (1) 404 and 410 mean "missing", unless the store's judge() knows better; every other answer without a value is a
 *     failure.
 * (2) All bytes of an answer belong to one generation of the value: the one that the request named, if it named one.
 *     Tags are strong ETags, else the date of Last-Modified if it is at least two seconds older than the answer.
 * (3) An answer that is longer or shorter than its head says, or has another range than requested, is a failure.  An
 *     answer whose end cannot be told from a broken connection is refused.
 * (4) A server without ranges can be read, too.
 * (6) Values of unknown length are buffered a few at a time: in an eighth of the bytes that a call may have in flight,
 *     or one value.
 */
#include "store/store_web.h"

#include <inttypes.h>
#include <stdio.h>

#define SUM_TEXT     8 /* a CRC-32C in base64 */
#define GATHER_BYTES (32 * ZINC_MIB)
#define GATHER_SHARE 8               /* share of the bytes in flight */
#define MAX_TEXT     (64 * ZINC_KIB) /* of an answer without a value */
#define MAX_ROUNDS   6               /* requests that judge() may ask for again */

/* The HTTP request that is sent for a get; the answer may require another one. */
typedef enum question {
	ASK_BYTES, /* GET of a range or of the whole value */
	ASK_HEAD,  /* HEAD: no bytes are needed, or the range begins past the end (416) */
	ASK_FIRST, /* GET of the first byte, if HEAD is not allowed */
	ASK_SIZE   /* HEAD, before GET of the last bytes from a server that cannot count from the end */
} question;

/* The state of one get. */
typedef struct exchange {
	char *url;
	question question;
	bool placed;   /* after ASK_SIZE: `size` and `tag` are known, and the value must still have that tag */
	bool plain;    /* without the condition, to see whether the key is there at all */
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
	char sum[SUM_TEXT + 1]; /* of the whole value, as the server has sent it; "": none */
	uint32_t crc;           /* CRC-32C of the bytes that have arrived */
	bool judged;            /* an answer without a value; its text is kept for judge() */
	bool later;             /* send it again after a pause */
	int rounds;             /* answers judged before */
	zinc_http_head *head;   /* of the judged answer */
	zinc_buf text;
} exchange;

/* One call of get. */
typedef struct batch {
	zinc_web *store;
	const zinc_wait *wait;
	const zinc_get *requests;
	const zinc_sink *sink;
	exchange *x;
	size_t n, low;      /* all requests before `low` are finished */
	uint64_t gathering; /* bytes reserved for values of unknown length */
} batch;

/* ---- sending requests ---- */

zinc_status
zinc_web_escape(zinc_buf *out, const char *key, zinc_error *err)
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

/* A request for no bytes uses HEAD; so does one whose offset no value can reach. */
static question
first_question(const zinc_web *w, const zinc_get *r)
{
	if (w->no_suffix && r->suffix && !r->stat && r->length)
		return ASK_SIZE;
	return r->stat || r->length == 0 || (!r->suffix && r->offset > INT64_MAX) ? ASK_HEAD : ASK_BYTES;
}

/* No range for the whole value.  The server cuts a range at the end of the value. */
static zinc_status
add_range(zinc_http_request *out, const exchange *x, const zinc_get *r, zinc_error *err)
{
	uint64_t last;
	char text[64];

	if (x->placed)
		snprintf(text, sizeof text, "bytes=%" PRIu64 "-%" PRIu64, x->size - zinc_min_u64(r->length, x->size),
			 x->size - 1);
	else if (r->suffix)
		snprintf(text, sizeof text, "bytes=-%" PRIu64, r->length < INT64_MAX ? r->length : (uint64_t)INT64_MAX);
	else if (r->length != ZINC_TO_END && !zinc_u64_add(r->offset, r->length - 1, &last) && last < INT64_MAX)
		snprintf(text, sizeof text, "bytes=%" PRIu64 "-%" PRIu64, r->offset, last);
	else if (r->offset)
		snprintf(text, sizeof text, "bytes=%" PRIu64 "-", r->offset);
	else
		return ZINC_OK;
	return zinc_http_header(out, "Range", text, err);
}

static bool
is_for_all(const exchange *x, const zinc_get *r)
{
	return x->question == ASK_BYTES && !r->suffix && r->offset == 0 && r->length == ZINC_TO_END;
}

zinc_status
zinc_web_add_condition(zinc_http_request *out, const zinc_tag *tag, zinc_error *err)
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

	x->again = x->later = x->gathers = x->judged = false;
	x->text.n = 0;
	x->have = 0;
	x->gathered.n = 0;
	x->sum[0] = '\0';
	x->crc = 0;
	if (!x->url)
		ZINC_TRY(b->store->key_url(b->store, r->key, r->if_tag, &x->url, err));
	out->url = x->url;
	out->keep = b->store->keep;
	out->encoding = b->store->encoding;
	out->method = x->question == ASK_HEAD || x->question == ASK_SIZE ? "HEAD" : "GET";
	if (x->question == ASK_BYTES)
		ZINC_TRY(add_range(out, x, r, err));
	else if (x->question == ASK_FIRST)
		ZINC_TRY(zinc_http_header(out, "Range", "bytes=0-0", err));
	if (b->store->sum_field && is_for_all(x, r))
		ZINC_TRY(zinc_http_header(out, b->store->sum_field, b->store->sum_value, err));
	return zinc_web_add_condition(out, x->plain ? NULL : x->placed ? &x->tag : r->if_tag, err);
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
zinc_web_take_tag(zinc_web *w, const zinc_http_head *h, uint64_t size, zinc_tag *out)
{
	int n = 0;

	out->n = 0;
	if (w->dated_tags && h->etag[0] && zinc_http_head_is_fresh(h))
		return; /* this value has no tag yet; caps stay as they are */
	if (w->tag_kept)
		n = h->kept[w->tag_kept - 1][0]
			? snprintf((char *)out->b, sizeof out->b, "G%s", h->kept[w->tag_kept - 1])
			: 0;
	else if (h->etag[0])
		n = snprintf((char *)out->b, sizeof out->b, "E%s", h->etag);
	else if (zinc_http_head_date_is_tag(h) && size != ZINC_HTTP_UNKNOWN)
		n = snprintf((char *)out->b, sizeof out->b, "M%s %" PRIu64, h->modified, size);
	out->n = (uint8_t)(n > 0 && n < (int)sizeof out->b ? n : 0);
	atomic_fetch_or(&w->seen, out->n ? SEEN_TAG : SEEN_NO_TAG);
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

	zinc_web_take_tag(b->store, h, size, &tag);
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

	if (h->first == ZINC_HTTP_UNKNOWN && h->length == 0 && x->question == ASK_BYTES)
		return ask_next(x,
				ASK_HEAD); /* Azurite, if the range begins at the end: no bytes, and no valid range */
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
	zinc_web_take_tag(b->store, h, ZINC_HTTP_UNKNOWN, &x->tag);
	return ZINC_HTTP_GO;
}

/* 412 and 416 have the same meaning everywhere; others without a value are judged if the store can. */
static bool
is_for_judge(const batch *b, size_t i, const zinc_http_head *h)
{
	if (!b->store->judge || h->status == 200 || h->status == 203 || h->status == 206)
		return false;
	if (h->status == 412)
		return !b->requests[i].if_tag && !b->x[i].placed;
	return h->status != 416 || b->x[i].question == ASK_HEAD;
}

static zinc_http_next
keep_head(const batch *b, exchange *x, const zinc_http_head *h)
{
	if (!x->head)
		x->head = (zinc_http_head *)zinc_alloc(b->store->ctx, sizeof *x->head);
	if (!x->head)
		return fault(x, ZINC_E_NOMEM, "no memory for an answer");
	*x->head = *h;
	x->judged = true;
	return ZINC_HTTP_GO;
}

/* The checksum of the parts of an upload has another form ("...-3") and is not that of the value. */
static void
take_sum(const batch *b, size_t i, const zinc_http_head *h)
{
	const zinc_web *w = b->store;
	const char *sum = w->sum_field || w->sum_name ? h->kept[w->sum_kept] : "";

	if (w->sum_name) {
		sum = strstr(sum, w->sum_name);
		sum = sum ? sum + strlen(w->sum_name) : "";
	}
	if (strcspn(sum, ",") == SUM_TEXT)
		memcpy(b->x[i].sum, sum, SUM_TEXT);
}

/* The size is known: ask for the last bytes of that value. */
static zinc_http_next
accept_size(const batch *b, size_t i, const zinc_http_head *h)
{
	const zinc_get *r = &b->requests[i];
	exchange *x = &b->x[i];
	zinc_tag tag = {0, {0}};

	zinc_web_take_tag(b->store, h, h->length, &tag);
	if (r->if_tag && !zinc_tag_equal(r->if_tag, &tag))
		return result(x, ZINC_CHANGED);
	if (h->length == ZINC_HTTP_UNKNOWN || tag.n == 0)
		return fault(x, ZINC_E_IO, "the server does not send size and ETag of the value");
	if (h->length == 0) {
		x->question = ASK_HEAD;
		return select_bytes(b, i, h, 0) == ZINC_HTTP_GO ? accept_head(b, i) : ZINC_HTTP_STOP;
	}
	x->tag = tag;
	x->size = h->length;
	x->placed = true;
	return ask_next(x, ASK_BYTES);
}

/* 200, 203, 206 */
static zinc_http_next
accept_success(batch *b, size_t i, const zinc_http_head *h)
{
	const char *why = b->store->refuse ? b->store->refuse(b->store, h) : NULL;

	if (b->store->is_directory && b->store->is_directory(b->store, h))
		return result(&b->x[i], ZINC_MISSING);
	if (why)
		return fault(&b->x[i], ZINC_E_IO, why);
	if (h->encoded && !b->store->any_encoding)
		return fault(&b->x[i], ZINC_E_IO,
			     "the server compresses the value, which the request forbids (Content-Encoding)");
	if (b->x[i].question == ASK_SIZE)
		return accept_size(b, i, h);
	if (h->status == 206)
		return accept_part(b, i, h);
	take_sum(b, i, h);
	return accept_whole(b, i, h);
}

/* 412: the value has another tag.  If only its size was known, it is asked for again. */
static zinc_http_next
accept_other(const batch *b, size_t i, const zinc_http_head *h)
{
	exchange *x = &b->x[i];

	if (b->requests[i].if_tag && b->store->unmet_if_missing && !x->plain && !x->has_room) {
		x->plain = true;
		return ask_next(x, ASK_HEAD);
	}
	if (b->requests[i].if_tag)
		return result(x, ZINC_CHANGED);
	if (!x->placed)
		return fault(x, ZINC_E_IO, h->reason);
	if (x->has_room || ++x->rounds > MAX_ROUNDS)
		return fault(x, ZINC_E_IO, "the value changed while it was being read");
	x->placed = false;
	return ask_next(x, ASK_SIZE);
}

/* 416: the range begins past the end; this answer has no tag. */
static zinc_http_next
accept_past_end(batch *b, size_t i, const zinc_http_head *h)
{
	exchange *x = &b->x[i];

	if (x->question == ASK_BYTES)
		return ask_next(x, ASK_HEAD);
	if (x->question == ASK_FIRST && h->total == 0)
		return select_bytes(b, i, h, 0) == ZINC_HTTP_GO ? accept_head(b, i) : ZINC_HTTP_STOP;
	return fault(x, ZINC_E_IO, NULL);
}

static zinc_http_next
on_head(void *arg, size_t i, const zinc_http_head *h)
{
	batch *b = (batch *)arg;
	exchange *x = &b->x[i];

	x->http_status = h->status;
	if (is_for_judge(b, i, h))
		return keep_head(b, x, h);
	if (h->no_ranges)
		atomic_fetch_or(&b->store->seen, SEEN_NO_RANGES);
	if (h->status / 100 == 3 && h->directory)
		return result(x, ZINC_MISSING);
	switch (h->status) {
	case 200:
	case 203:
	case 206:
		return accept_success(b, i, h);
	case 404:
	case 410:
		return result(x, ZINC_MISSING);
	case 412:
		return accept_other(b, i, h);
	case 416:
		return accept_past_end(b, i, h);
	case 405:
	case 501:
		return x->question == ASK_HEAD ? ask_next(x, ASK_FIRST) : fault(x, ZINC_E_IO, NULL);
	default:
		return fault(x, ZINC_E_IO, NULL);
	}
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
	if (x->sum[0])
		x->crc = zinc_crc32c(x->crc, bytes + skip, take);
	scatter(x, bytes + skip, take);
	x->have += take;
}

static zinc_http_next
on_body(void *arg, size_t i, const uint8_t *bytes, size_t n)
{
	exchange *x = &((const batch *)arg)->x[i];
	zinc_status st;

	if (x->judged) { /* a text that is too long is cut */
		st = zinc_buf_add(&x->text, bytes, n, NULL);
		x->judged = st != ZINC_E_NOMEM;
		if (!x->judged)
			return fault(x, st, "no memory for an answer");
		return st == ZINC_OK ? ZINC_HTTP_GO : ZINC_HTTP_STOP;
	}
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

/* The value has arrived: all of it, and unchanged? */
static void
check_value(const batch *b, exchange *x)
{
	const uint8_t crc[4] = {(uint8_t)(x->crc >> 24), (uint8_t)(x->crc >> 16), (uint8_t)(x->crc >> 8),
				(uint8_t)x->crc};
	zinc_buf text;

	if (x->have != x->want) {
		fault(x, ZINC_E_IO, "the server sends fewer bytes than announced");
		return;
	}
	if (!x->sum[0] || x->have != x->size)
		return;
	zinc_buf_init(&text, b->store->ctx, 64);
	if (zinc_base64_encode(crc, sizeof crc, &text, NULL) != ZINC_OK || !zinc_buf_text(&text))
		fault(x, ZINC_E_NOMEM, "no memory for a checksum");
	else if (strcmp((const char *)text.p, x->sum) != 0)
		fault(x, ZINC_E_CHECKSUM, "the value does not have the checksum (CRC-32C) that the server has for it");
	zinc_buf_fini(&text);
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

/* An answer without a value: what the store makes of it. */
static void
judge(const batch *b, size_t i, zinc_error *err)
{
	exchange *x = &b->x[i];
	const zinc_web_answer a = {.head = x->head,
				   .key = b->requests[i].key,
				   .method = x->question == ASK_HEAD ? "HEAD" : "GET",
				   .text = {x->text.p, x->text.n},
				   .bare = x->question == ASK_HEAD || x->question == ASK_SIZE,
				   .rounds = x->rounds,
				   .wait = b->wait};

	x->found = ZINC_FAILED;
	switch (b->store->judge(b->store, &a, err)) {
	case ZINC_WEB_MISSING:
		x->found = ZINC_MISSING;
		return;
	case ZINC_WEB_LATER:
		x->later = true;
		/* fall through */
	case ZINC_WEB_AGAIN:
		x->again = ++x->rounds <= MAX_ROUNDS;
		zinc_free(b->store->ctx, x->url); /* the server may have named another place */
		x->url = NULL;
		break;
	case ZINC_WEB_READ:
		(void)ask_next(x, ASK_FIRST);
		break;
	case ZINC_WEB_UNMET:
	case ZINC_WEB_REFUSED:
	case ZINC_WEB_FAILED:
	default:
		break;
	}
	if (!x->again && err->code == ZINC_OK)
		zinc_fail(err, ZINC_E_IO, "HTTP %d", x->http_status);
	x->status = err->code;
}

static zinc_http_next
next_try(const exchange *x)
{
	return x->later ? ZINC_HTTP_LATER : ZINC_HTTP_AGAIN;
}

static void
free_exchange(batch *b, exchange *x)
{
	b->gathering -= x->counted ? x->gathered.max : 0;
	x->over = true;
	zinc_free(b->store->ctx, x->url);
	zinc_buf_fini(&x->gathered);
	zinc_buf_fini(&x->text);
	zinc_free(b->store->ctx, x->head);
}

static zinc_http_next
on_end(void *arg, size_t i, zinc_status st, const zinc_error *err)
{
	batch *b = (batch *)arg;
	exchange *x = &b->x[i];
	zinc_error e = ZINC_ERROR_INIT;

	if (st == ZINC_OK && x->judged) {
		judge(b, i, &e);
		err = &e;
	}
	if (st == ZINC_OK && x->again)
		return next_try(x);
	if (st == ZINC_OK && x->gathers && x->found == ZINC_FOUND && place_gathered(b, i) == ZINC_HTTP_WAIT)
		return ZINC_HTTP_WAIT;
	if (st == ZINC_OK && x->found == ZINC_FOUND)
		check_value(b, x);
	if (st != ZINC_OK || x->found == ZINC_FAILED)
		report_failure(b, i, st != ZINC_OK ? st : x->status, err);
	else
		report_answer(b, i);
	free_exchange(b, x);
	return ZINC_HTTP_GO;
}

/* ---- operations ---- */

/* The limit of an answer of unknown length: what the caller accepts; for a part of a value at least GATHER_BYTES, so
 * that a small value can be read whole. */
static size_t
gather_most(const zinc_web *w, const zinc_get *r)
{
	const bool all = !r->suffix && r->offset == 0 && r->length == ZINC_TO_END && !r->stat;
	uint64_t end;

	if (r->limit && !r->suffix && r->offset == 0)
		return (size_t)zinc_min_u64(r->limit, PTRDIFF_MAX / 2);
	if (all)
		return (size_t)w->ctx->limits.chunk_bytes;
	if (r->suffix || r->stat || zinc_u64_add(r->offset, r->length, &end))
		end = 0;
	return (size_t)zinc_min_u64(zinc_max_u64(end, GATHER_BYTES), w->ctx->limits.chunk_bytes);
}

static zinc_status
on_sign(void *arg, size_t i, zinc_http_request *r, const char *url, bool away, zinc_error *err)
{
	const batch *b = (const batch *)arg;

	(void)i;
	return b->store->sign(b->store, r, url, away, b->wait, err);
}

zinc_status
zinc_web_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	     zinc_error *err)
{
	zinc_web *w = (zinc_web *)self;
	batch b = {w, wait, requests, sink, (exchange *)zinc_calloc(w->ctx, n, sizeof(exchange)), n, 0, 0};
	const zinc_http_user user = {.ask = on_ask,
				     .head = on_head,
				     .body = on_body,
				     .end = on_end,
				     .arg = &b,
				     .wait = wait,
				     .sign = w->sign ? on_sign : NULL};
	zinc_status st;
	size_t i;

	if (!b.x)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++) {
		b.x[i].question = first_question(w, &requests[i]);
		zinc_buf_init(&b.x[i].gathered, w->ctx, gather_most(w, &requests[i]));
		zinc_buf_init(&b.x[i].text, w->ctx, MAX_TEXT);
	}
	st = zinc_http_run(w->http, n, &user, err);
	zinc_free(w->ctx, b.x);
	return st;
}
