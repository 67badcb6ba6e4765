/*
 * store_redis_get.c - reading: many requests in one round trip
 *
 *     the whole value, or a tag is wanted      GET
 *     a part                                   MULTI, STRLEN, EXISTS, GETRANGE, EXEC
 *     size and existence                       MULTI, STRLEN, EXISTS, EXEC
 *
 * A tag is a hash of all bytes, so a part with its tag costs the whole value; parts of one key that follow each other in
 * a call are then served from one GET.  Requests are sent ahead of their answers, but not so many that the server would
 * have to keep much more than AHEAD_BYTES of them.  The bytes of an answer go from the socket to where they are wanted.
 */
#include "store/store_redis.h"

#include <inttypes.h>
#include <stdio.h>

#define AHEAD       128
#define AHEAD_BYTES (16 * ZINC_MIB)
#define PIECE       32768

typedef enum question { ASK_ALL, ASK_PART, ASK_SIZE } question;

/* One call. */
typedef struct reading {
	redis_store *s;
	const zinc_get *requests;
	size_t n;
	const zinc_sink *sink;
	size_t done;          /* requests that are answered */
	size_t sent;          /* on this connection */
	size_t ahead;         /* questions that are sent and not answered */
	uint64_t ahead_bytes; /* about */
	/* of the request that is being answered: */
	redis_conn *c;
	const zinc_wait *wait;
	uint64_t left; /* bytes of the value that are not read yet */
	bool hashes;
	zinc_hash hash;
	zinc_tag tag;
	zinc_status status; /* of the connection, while the sink was served */
	zinc_error error;
	/* memory that the sink gave for request `done`, which is asked for again after a failure */
	bool has_room, changed; /* changed: another size than before */
	uint64_t room_bytes;
	void *room;
} reading;

/* ---- questions ---- */

static bool
wants_tag(const zinc_get *r)
{
	return r->if_tag || !r->untagged;
}

static question
question_of(const zinc_get *r)
{
	if (wants_tag(r))
		return ASK_ALL;
	if (r->stat || r->length == 0)
		return ASK_SIZE;
	return r->offset == 0 && r->length == ZINC_TO_END && !r->suffix ? ASK_ALL : ASK_PART;
}

/* How many requests from i on one GET answers. */
static size_t
run_of(const reading *x, size_t i)
{
	size_t n = 1;

	if (question_of(&x->requests[i]) != ASK_ALL)
		return 1;
	while (i + n < x->n && question_of(&x->requests[i + n]) == ASK_ALL &&
	       strcmp(x->requests[i].key, x->requests[i + n].key) == 0)
		n++;
	return n;
}

/* About how many bytes the server will send. */
static uint64_t
guess(const reading *x, const zinc_get *r)
{
	const uint64_t mean = atomic_load(&x->s->mean);

	switch (question_of(r)) {
	case ASK_SIZE:
		return 0;
	case ASK_PART:
		return r->length < mean ? r->length : r->length == ZINC_TO_END ? mean : r->length;
	case ASK_ALL:
	default:
		return mean;
	}
}

/* The server takes the numbers as they are, up to 63 bits, and a range past the end is empty. */
static zinc_status
ask_part(redis_conn *c, const zinc_get *r, const zinc_wait *wait, zinc_error *err)
{
	const uint64_t most = INT64_MAX;
	char first[32], last[32] = "-1";
	uint64_t end;

	if (r->suffix)
		snprintf(first, sizeof first, "-%" PRIu64, zinc_min_u64(r->length, most));
	else
		snprintf(first, sizeof first, "%" PRIu64, zinc_min_u64(r->offset, most));
	if (!r->suffix && !zinc_u64_add(r->offset, r->length - 1, &end) && end < most)
		snprintf(last, sizeof last, "%" PRIu64, end);
	ZINC_TRY(zinc_resp_begin(c->r, 4, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "GETRANGE", wait, err));
	ZINC_TRY(zinc_redis_key(c, r->key, strlen(r->key), wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, first, wait, err));
	return zinc_resp_arg(c->r, last, wait, err);
}

static zinc_status
ask(redis_conn *c, const zinc_get *r, const zinc_wait *wait, zinc_error *err)
{
	const question q = question_of(r);

	if (q == ASK_ALL)
		return zinc_redis_ask(c, "GET", r->key, wait, err);
	if (c->no_multi.type == '-')
		return zinc_redis_fail(c, &c->no_multi, err);
	ZINC_TRY(zinc_resp_words(c->r, "MULTI", wait, err));
	ZINC_TRY(zinc_redis_ask(c, "STRLEN", r->key, wait, err));
	ZINC_TRY(zinc_redis_ask(c, "EXISTS", r->key, wait, err));
	if (q == ASK_PART)
		ZINC_TRY(ask_part(c, r, wait, err));
	return zinc_resp_words(c->r, "EXEC", wait, err);
}

/* Ask ahead; nothing while much is under way, so that many questions become one packet. */
static zinc_status
ask_ahead(reading *x, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	if (x->ahead > AHEAD / 2)
		return ZINC_OK;
	while (x->sent < x->n && x->ahead < AHEAD) {
		const zinc_get *r = &x->requests[x->sent];
		const uint64_t nbytes = guess(x, r);

		if (x->ahead && x->ahead_bytes + nbytes > AHEAD_BYTES)
			break;
		ZINC_TRY(ask(c, r, wait, err));
		x->sent += run_of(x, x->sent);
		x->ahead++;
		x->ahead_bytes += nbytes;
	}
	return zinc_resp_flush(c->r, wait, err);
}

/* ---- the sink: its memory outlives a connection, and it hears of no failure that is retried ---- */

static zinc_room
give_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	reading *x = (reading *)arg;
	zinc_room room;

	if (x->has_room && x->room_bytes == nbytes) {
		*buf = x->room;
		return ZINC_ROOM_OK;
	}
	if (x->has_room) {
		x->changed = true;
		return ZINC_ROOM_FAIL;
	}
	room = x->sink->room(x->sink->arg, i, nbytes, buf);
	x->has_room = room == ZINC_ROOM_OK;
	x->room_bytes = nbytes;
	x->room = *buf;
	return room;
}

static void
pass_on(void *arg, size_t i, const zinc_got *got)
{
	reading *x = (reading *)arg;

	if (x->status != ZINC_OK)
		return;
	x->has_room = false;
	x->done = i + 1;
	if (!x->changed) {
		x->sink->done(x->sink->arg, i, got);
		return;
	}
	x->changed = false; /* it fails alone */
	zinc_fail(&x->error, ZINC_E_IO, "the value was changed while it was read again");
	zinc_sink_failed(x->sink, i, ZINC_E_IO, &x->error);
}

/* ---- answers ---- */

/* Read n bytes of the value, or skip them (NULL); all are hashed if the tag is wanted. */
static zinc_status
take(reading *x, uint8_t *to, uint64_t n, zinc_error *err)
{
	uint8_t piece[PIECE];

	x->left -= n;
	if (to) {
		ZINC_TRY(zinc_resp_read(x->c->r, to, (size_t)n, x->wait, err));
		if (x->hashes)
			zinc_hash_add(&x->hash, to, (size_t)n);
		return ZINC_OK;
	}
	while (x->hashes && n) {
		const size_t some = (size_t)zinc_min_u64(n, sizeof piece);

		ZINC_TRY(zinc_resp_read(x->c->r, piece, some, x->wait, err));
		zinc_hash_add(&x->hash, piece, some);
		n -= some;
	}
	return ZINC_OK;
}

/* The rest of the value.  Only with its end it is one. */
static zinc_status
take_rest(reading *x, zinc_error *err)
{
	ZINC_TRY(take(x, NULL, x->left, err));
	ZINC_TRY(zinc_resp_end(x->c->r, x->wait, err));
	if (x->hashes)
		zinc_hash_end(&x->hash, &x->tag);
	return ZINC_OK;
}

static zinc_status
take_pieces(reading *x, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	int i;

	for (i = 0; i < niov && nbytes; i++) {
		const uint64_t n = zinc_min_u64(iov[i].iov_len, nbytes);

		ZINC_TRY(take(x, (uint8_t *)iov[i].iov_base, n, err));
		nbytes -= n;
	}
	return ZINC_OK;
}

/* What the sink gets of a whole value; the failure is kept, because it may be retried. */
static zinc_status
read_value(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	reading *x = (reading *)arg;
	const zinc_tag want = x->tag;

	(void)err;
	x->status = take(x, NULL, offset, &x->error);
	if (!x->hashes && offset && x->status == ZINC_OK) /* without a tag, parts are read by ASK_PART */
		x->status = zinc_redis_strange(x->c, &x->error);
	if (x->status == ZINC_OK)
		x->status = take_pieces(x, nbytes, iov, niov, &x->error);
	if (x->status == ZINC_OK)
		x->status = take_rest(x, &x->error);
	if (x->status != ZINC_OK)
		return x->status;
	return want.n && !zinc_tag_equal(&want, &x->tag) ? ZINC_E_CONFLICT : ZINC_OK;
}

/* The reply has exactly the bytes that were asked for. */
static zinc_status
read_part(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	reading *x = (reading *)arg;

	(void)offset, (void)err;
	x->status =
	    x->left == nbytes ? take_pieces(x, nbytes, iov, niov, &x->error) : zinc_redis_strange(x->c, &x->error);
	if (x->status == ZINC_OK)
		x->status = zinc_resp_end(x->c->r, x->wait, &x->error);
	return x->status;
}

/* An error of the server that concerns the key alone is the answer; others are those of the connection. */
static zinc_status
answer_error(reading *x, size_t i, const zinc_resp_head *h, zinc_error *err)
{
	const zinc_status st = zinc_redis_fail(x->c, h, err);

	if (x->c->again)
		return st;
	zinc_sink_failed(&(zinc_sink){sizeof(zinc_sink), NULL, pass_on, x}, i, st, err);
	return ZINC_OK;
}

static void
note_size(const reading *x, uint64_t size)
{
	const uint64_t mean = atomic_load(&x->s->mean);

	atomic_store(&x->s->mean, (unsigned)((3 * mean + zinc_min_u64(size, REDIS_VALUE_MAX)) / 4));
}

/* Several requests of one value, which is held in memory meanwhile. */
static zinc_status
read_memory(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	(void)err;
	zinc_iov_scatter(iov, niov, (const uint8_t *)arg + offset, (size_t)nbytes);
	return ZINC_OK;
}

static zinc_status
answer_many(reading *x, size_t first, size_t n, uint64_t size, zinc_error *err)
{
	const zinc_sink sink = {sizeof sink, give_room, pass_on, x};
	uint8_t *bytes = (uint8_t *)zinc_alloc(redis_ctx(x->s), (size_t)size);
	zinc_status st;
	size_t i;

	if (!bytes)
		return zinc_fail_nomem(err);
	st = take(x, bytes, size, err);
	if (st == ZINC_OK)
		st = take_rest(x, err);
	for (i = first; i < first + n && st == ZINC_OK; i++) {
		if (i >= x->done)
			zinc_sink_serve(&sink, i, &x->requests[i], size, &x->tag, read_memory, bytes, x->wait);
		st = x->status;
	}
	if (x->status != ZINC_OK)
		zinc_error_copy(err, &x->error);
	zinc_free(redis_ctx(x->s), bytes);
	return st;
}

/* One request of a value that is about to be read: its tag is known only afterwards.  So a condition is taken to hold
 * until then (read_value). */
static zinc_status
answer_whole(reading *x, size_t i, uint64_t size, zinc_error *err)
{
	const zinc_sink sink = {sizeof sink, give_room, pass_on, x};
	const zinc_get *r = &x->requests[i];
	uint64_t offset, nbytes;

	zinc_get_select(r, size, &offset, &nbytes);
	if (r->stat || nbytes == 0)
		ZINC_TRY(take_rest(x, err));
	else if (r->if_tag)
		x->tag = *r->if_tag;
	zinc_sink_serve(&sink, i, r, size, &x->tag, read_value, x, x->wait);
	if (x->status == ZINC_OK) /* the sink may have wanted nothing */
		return zinc_resp_end(x->c->r, x->wait, err);
	zinc_error_copy(err, &x->error);
	return x->status;
}

static zinc_status
answer_all(reading *x, size_t i, zinc_error *err)
{
	const size_t n = run_of(x, i);
	zinc_resp_head h;
	size_t k;

	ZINC_TRY(zinc_resp_next(x->c->r, &h, x->wait, err));
	if (h.type != '$' && h.type != '-')
		return zinc_redis_strange(x->c, err);
	for (k = i; k < i + n && (h.type == '-' || h.null); k++)
		if (h.type == '-')
			ZINC_TRY(answer_error(x, k, &h, err));
		else
			zinc_sink_missing(&(zinc_sink){sizeof(zinc_sink), NULL, pass_on, x}, k);
	if (h.type == '-' || h.null)
		return ZINC_OK;
	x->left = (uint64_t)h.number;
	note_size(x, x->left);
	if (n > 1 && x->left > REDIS_VALUE_MAX)
		return zinc_fail(err, ZINC_E_LIMIT, "the value is longer than %llu bytes",
				 (unsigned long long)REDIS_VALUE_MAX);
	return n > 1 ? answer_many(x, i, n, x->left, err) : answer_whole(x, i, x->left, err);
}

/* MULTI and what is queued: "+OK", "+QUEUED" ...; an error comes again with EXEC.  Without MULTI there is no transaction. */
static zinc_status
skip_queued(reading *x, int n, zinc_resp_head *error, zinc_error *err)
{
	zinc_resp_head h;

	ZINC_TRY(zinc_redis_expect(x->c, '+', error, x->wait, err));
	if (strcmp(error->text, "OK") != 0)
		return zinc_redis_strange(x->c, err);
	for (; n > 1; n--) {
		ZINC_TRY(zinc_resp_next(x->c->r, &h, x->wait, err));
		if (h.type == '-' && error->type != '-')
			*error = h;
		else if (h.type != '-' && (h.type != '+' || strcmp(h.text, "QUEUED") != 0))
			return zinc_redis_strange(x->c, err);
	}
	return ZINC_OK;
}

/* The elements of EXEC: the length, whether it exists, the bytes. */
static zinc_status
answer_part(reading *x, size_t i, bool part, zinc_error *err)
{
	const zinc_sink sink = {sizeof sink, give_room, pass_on, x};
	const zinc_get *r = &x->requests[i];
	zinc_resp_head length, exists, bytes = {.type = '$'};

	ZINC_TRY(zinc_resp_next(x->c->r, &length, x->wait, err));
	ZINC_TRY(zinc_redis_expect(x->c, ':', &exists, x->wait, err));
	if (part)
		ZINC_TRY(zinc_resp_next(x->c->r, &bytes, x->wait, err));
	if (length.type == '-')
		return answer_error(x, i, &length, err);
	if (length.type != ':' || length.number < 0 || bytes.type != '$' || bytes.null)
		return zinc_redis_strange(x->c, err);
	x->left = (uint64_t)bytes.number;
	if (exists.number == 0)
		zinc_sink_missing(&sink, i);
	else
		zinc_sink_serve(&sink, i, r, (uint64_t)length.number, &x->tag, read_part, x, x->wait);
	if (x->status == ZINC_OK)
		return zinc_resp_end(x->c->r, x->wait, err);
	zinc_error_copy(err, &x->error);
	return x->status;
}

static zinc_status
answer_transaction(reading *x, size_t i, bool part, zinc_error *err)
{
	zinc_resp_head h, error;

	ZINC_TRY(skip_queued(x, part ? 4 : 3, &error, err));
	ZINC_TRY(zinc_resp_next(x->c->r, &h, x->wait, err));
	if (h.type == '-')
		return answer_error(x, i, error.type == '-' ? &error : &h, err);
	if (h.type != '*' || h.number != (part ? 3 : 2))
		return zinc_redis_strange(x->c, err);
	return answer_part(x, i, part, err);
}

static zinc_status
answer(reading *x, redis_conn *c, size_t i, const zinc_wait *wait, zinc_error *err)
{
	const question q = question_of(&x->requests[i]);

	x->c = c;
	x->wait = wait;
	x->left = 0;
	x->status = ZINC_OK;
	x->tag.n = 0;
	x->hashes = wants_tag(&x->requests[i]);
	zinc_error_clear(&x->error);
	if (x->hashes)
		zinc_hash_begin(&x->hash);
	return q == ASK_ALL ? answer_all(x, i, err) : answer_transaction(x, i, q == ASK_PART, err);
}

/* All that are left, on a new connection from the first that is not answered. */
static zinc_status
read_all(redis_conn *c, void *arg, const zinc_wait *wait, zinc_error *err)
{
	reading *x = (reading *)arg;

	x->sent = x->done;
	x->ahead = 0;
	x->ahead_bytes = 0;
	while (x->done < x->n) {
		const size_t i = x->done;
		const uint64_t nbytes = guess(x, &x->requests[i]);

		ZINC_TRY(zinc_wait_check(wait, err));
		ZINC_TRY(ask_ahead(x, c, wait, err));
		ZINC_TRY(answer(x, c, i, wait, err));
		x->ahead--;
		x->ahead_bytes -= x->ahead ? zinc_min_u64(nbytes, x->ahead_bytes) : x->ahead_bytes;
	}
	return ZINC_OK;
}

zinc_status
zinc_redis_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	       zinc_error *err)
{
	reading x = {.s = (redis_store *)self, .requests = requests, .n = n, .sink = sink};
	zinc_status st;
	zinc_error e;

	(void)err;
	zinc_error_clear(&e);
	st = n ? zinc_redis_run(x.s, read_all, &x, wait, &e) : ZINC_OK;
	for (; st != ZINC_OK && x.done < n; x.done++)
		zinc_sink_failed(sink, x.done, st, &e);
	return ZINC_OK;
}
