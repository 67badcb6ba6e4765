/*
 * store_gs_parts.c - large values: uploads in pieces, which go on after a broken connection
 *
 *     POST ?uploadType=resumable    a place for this upload (Location); the condition is evaluated at the end
 *     PUT place, bytes 0-9/30       308 and the bytes received so far, or the object after the last piece
 *     PUT place, bytes * / 30       after a failure: how many bytes are there?
 *     DELETE place                  give it up
 *
 * Promises (tests/unit/test_store_gs_put.c names each by its number, as those of store_gs_put.c):
 *
 * (4) The value appears whole or not at all.
 * (5) After a lost connection the upload goes on with the first byte that the server does not have.  Without progress it
 *     ends after as many failures as a request has retries, with ever longer pauses between them.
 * (6) An upload that fails is given up, so that its bytes are not kept.
 * (7) The place of an upload is on the endpoint, whatever host the server names.
 * (8) If the answer to the last piece was lost and the upload is gone, the write id tells whether it was completed.
 */
#include <inttypes.h>
#include <stdio.h>

#include "store/store_gs.h"

#define MAX_PLACE     (16 * ZINC_KIB)
#define MAX_BEGINS    3   /* of one upload, if the server forgets it */
#define FIRST_PAUSE   0.1 /* seconds */
#define LONGEST_PAUSE 10.0

/* One upload. */
typedef struct upload {
	gs_store *store;
	const zinc_put *put;
	const zinc_wait *wait;
	uint64_t nbytes;
	uint64_t have;  /* bytes that the server has */
	uint64_t best;  /* the most that it had */
	zinc_buf place; /* path and query */
	int failures;   /* since the last progress; bytes that were there before are none */
	int rested;     /* of these, those with a pause after them */
	bool doubtful;  /* the last piece was sent, and no answer came */
	bool is_begun;
	char sum[GS_SUM];
	char write[40];
	zinc_tag tag;
} upload;

/* What one exchange has shown. */
typedef enum step { STEP_ON, STEP_DONE, STEP_GONE, STEP_ASK, STEP_FAILED } step;

bool
zinc_gs_parse_range(const char *text, uint64_t *received)
{
	const char *p = text;
	uint64_t last = 0;
	size_t digits;

	*received = 0;
	if (!text[0])
		return true;
	if (strncmp(p, "bytes=", 6) == 0)
		p += 6;
	else if (strncmp(p, "bytes ", 6) == 0)
		p += 6;
	if (strncmp(p, "0-", 2) != 0)
		return false;
	p += 2;
	digits = strspn(p, "0123456789");
	if (digits == 0 || digits > 18 || p[digits])
		return false;
	for (; *p; p++)
		last = last * 10 + (uint64_t)(*p - '0');
	*received = last + 1;
	return true;
}

/* ---- beginning and giving up ---- */

/* "https://any.host/upload/..." -> "/upload/..." */
static zinc_status
take_place(upload *u, const zinc_buf *location, zinc_error *err)
{
	const char *text = (const char *)location->p, *path;
	size_t i;

	path = location->n ? strstr(text, "://") : NULL;
	path = path ? strchr(path + 3, '/') : text;
	if (!path || path[0] != '/')
		return zinc_fail(err, ZINC_E_IO, "the server began an upload without a place (Location)");
	for (i = 0; path[i]; i++)
		if (path[i] <= ' ' || path[i] >= 0x7f || path[i] == '#' || path[i] == '\\')
			return zinc_fail(err, ZINC_E_IO, "the server began an upload at a place that is no URL");
	u->place.n = 0;
	ZINC_TRY(zinc_buf_puts(&u->place, path, err));
	return zinc_buf_text(&u->place) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
begin_upload(upload *u, zinc_error *err)
{
	char length[24], text[200];
	const zinc_web_field fields[] = {{"Content-Type", "application/json; charset=UTF-8"},
					 {"X-Upload-Content-Type", "application/octet-stream"},
					 {"X-Upload-Content-Length", length}};
	const struct iovec body = {text, (size_t)snprintf(text, sizeof text,
							  "{\"contentType\":\"application/octet-stream\","
							  "\"crc32c\":\"%s\",\"metadata\":{\"zinc-write\":\"%s\"}}",
							  u->sum, u->write)};
	zinc_web_call c = {.method = "POST",
			   .key = u->put->key,
			   .kind = GS_BEGIN,
			   .body = &body,
			   .nbody = 1,
			   .sends = true,
			   .repeats = true,
			   .fields = fields,
			   .nfields = 3,
			   .when = zinc_web_condition(u->put->when)};
	zinc_buf location;
	zinc_status st;

	snprintf(length, sizeof length, "%" PRIu64, u->nbytes);
	zinc_buf_init(&location, u->store->web.ctx, MAX_PLACE);
	c.location = &location;
	st = zinc_web_one(&u->store->web, &c, u->wait, err);
	if (st == ZINC_E_UNCERTAIN && c.status == 412 && c.when) /* nothing was put yet, so it is someone else's */
		st = c.when->when == ZINC_ABSENT
			 ? zinc_fail(err, ZINC_E_EXISTS, "the key already exists")
			 : zinc_fail(err, ZINC_E_CONFLICT, "the value was changed by someone else");
	else if (st == ZINC_E_UNCERTAIN)
		st = zinc_fail(err, ZINC_E_IO, "the server does not say where to upload");
	if (st == ZINC_OK && location.n && !zinc_buf_text(&location))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = take_place(u, &location, err);
	zinc_web_call_fini(&u->store->web, &c);
	zinc_buf_fini(&location);
	u->have = u->best = 0;
	u->is_begun = st == ZINC_OK;
	return st;
}

static void
give_up(upload *u)
{
	zinc_web_call c = {.method = "DELETE", .kind = GS_GIVE_UP, .place = (const char *)u->place.p, .also = 499};
	const zinc_wait clean_up = zinc_web_clean_up(&u->store->web); /* from now on, however long it took */

	if (!u->is_begun)
		return;
	(void)zinc_web_one(&u->store->web, &c, &clean_up, NULL);
	zinc_web_call_fini(&u->store->web, &c);
}

/* ---- pieces ---- */

/* What the answer to a piece, or to the question for them, says. */
static step
take_answer(upload *u, const zinc_web_call *c, uint64_t most, zinc_error *err)
{
	uint64_t have;

	if (c->status / 100 == 2) {
		u->tag = c->tag;
		return STEP_DONE;
	}
	if (!zinc_gs_parse_range(c->note, &have) || have > most) {
		zinc_fail(err, ZINC_E_IO, "the server says that it has other bytes of the upload than were sent");
		return STEP_FAILED;
	}
	u->failures = have > u->best ? 0 : u->failures + 1;
	u->best = zinc_max_u64(u->best, have);
	u->have = have;
	if (u->failures <= u->store->web.retries)
		return STEP_ON;
	zinc_fail(err, ZINC_E_IO, "the server accepts no more bytes of the upload");
	return STEP_FAILED;
}

static step
take_failure(upload *u, const zinc_web_call *c, zinc_status st, bool is_last, zinc_error *err)
{
	if (c->status == 404 || c->status == 410) {
		u->is_begun = false;
		return STEP_GONE;
	}
	if (st == ZINC_E_CANCELLED || st == ZINC_E_NOMEM || st == ZINC_E_CONFLICT || st == ZINC_E_EXISTS)
		return STEP_FAILED;
	if (st == ZINC_E_UNCERTAIN && is_last)
		u->doubtful = true;
	if (st != ZINC_E_UNCERTAIN || u->failures++ >= u->store->web.retries)
		return STEP_FAILED;
	zinc_error_clear(err);
	return STEP_ASK;
}

/* One PUT to the place of the upload; `body` NULL: the question for what is there. */
static step
put_place(upload *u, const struct iovec *body, int nbody, const char *range, uint64_t end, zinc_error *err)
{
	const bool asks = !body;
	const zinc_web_field field = {"Content-Range", range};
	zinc_web_call c = {.method = "PUT",
			   .key = u->put->key,
			   .kind = GS_PIECE,
			   .place = (const char *)u->place.p,
			   .body = body,
			   .nbody = nbody,
			   .sends = true,
			   .once = !asks,
			   .also = 308,
			   .fields = &field,
			   .nfields = 1,
			   .when = zinc_web_condition(u->put->when)};
	zinc_status st;
	step next;

	memcpy(c.sum, u->sum, sizeof u->sum);
	st = zinc_web_one(&u->store->web, &c, u->wait, err);
	next = st == ZINC_OK ? take_answer(u, &c, end, err) : take_failure(u, &c, st, asks || end == u->nbytes, err);
	zinc_web_call_fini(&u->store->web, &c);
	return next;
}

static step
send_piece(upload *u, zinc_error *err)
{
	const uint64_t n = zinc_min_u64(u->store->part_bytes, u->nbytes - u->have), end = u->have + n;
	struct iovec *slice = NULL;
	char range[96];
	int nslice;
	step next;

	snprintf(range, sizeof range, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, u->have, end - 1, u->nbytes);
	if (zinc_web_slice(u->store->web.ctx, u->put, u->have, n, &slice, &nslice, err) != ZINC_OK)
		return STEP_FAILED;
	next = put_place(u, slice, nslice, range, end, err);
	zinc_free(u->store->web.ctx, slice);
	return next;
}

static step
ask_state(upload *u, zinc_error *err)
{
	char range[64];
	const int failures = u->failures;
	step next;

	snprintf(range, sizeof range, "bytes */%" PRIu64, u->nbytes);
	next = put_place(u, NULL, 0, range, u->nbytes, err);
	if (next == STEP_ON && u->failures > failures) /* the question itself is no failure */
		u->failures = failures;
	return next;
}

/* ---- a value ---- */

/* Once after each failure, as between the tries of other requests. */
static zinc_status
rest(upload *u, zinc_error *err)
{
	const double seconds = FIRST_PAUSE * (double)(1u << (u->failures < 10 ? u->failures : 10)) / 2;
	const bool rested = u->failures == 0 || u->rested == u->failures;

	u->rested = u->failures;
	if (rested)
		return zinc_wait_for(u->wait, "an upload", err);
	return zinc_wait_pause(u->wait, seconds < LONGEST_PAUSE ? seconds : LONGEST_PAUSE, "an upload", err);
}

/* Until it is done, fails, or the server has forgotten it. */
static step
send_all(upload *u, zinc_error *err)
{
	step next = STEP_ON;

	while (next == STEP_ON || next == STEP_ASK) {
		if (rest(u, err) != ZINC_OK)
			return STEP_FAILED;
		if (next == STEP_ON && u->have >= u->nbytes) /* all is there, and yet it is not complete */
			next = ++u->failures > u->store->web.retries ? STEP_FAILED : STEP_ASK;
		if (next == STEP_FAILED)
			zinc_fail(err, ZINC_E_IO, "the server has all bytes of the upload and does not complete it");
		else
			next = next == STEP_ASK ? ask_state(u, err) : send_piece(u, err);
	}
	return next;
}

static zinc_status
upload_value(upload *u, zinc_error *err)
{
	step next = STEP_GONE;
	int begins;

	for (begins = 0; begins < MAX_BEGINS && next == STEP_GONE && !u->doubtful; begins++) {
		ZINC_TRY(begin_upload(u, err));
		next = send_all(u, err);
	}
	if (next == STEP_DONE)
		return ZINC_OK;
	if (u->doubtful) {
		zinc_error_clear(err);
		return zinc_gs_resolve(u->store, u->put->key, u->write, u->sum, &u->tag, u->wait, err);
	}
	return next == STEP_GONE ? zinc_fail(err, ZINC_E_IO, "the server forgets the upload") : err->code;
}

zinc_status
zinc_gs_put_parts(gs_store *s, const zinc_put *put, uint64_t nbytes, zinc_tag *tag, const zinc_wait *wait,
		  zinc_error *err)
{
	upload u = {.store = s, .put = put, .wait = wait, .nbytes = nbytes};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	zinc_web_write_id(u.write);
	zinc_buf_init(&u.place, s->web.ctx, MAX_PLACE);
	st = zinc_gs_sum(s->web.ctx, put, u.sum, &e);
	if (st == ZINC_OK)
		st = upload_value(&u, &e);
	if (st != ZINC_OK)
		give_up(&u);
	*tag = u.tag;
	zinc_buf_fini(&u.place);
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	return st;
}
