/*
 * store_s3_parts.c - large values: multipart uploads, and those that were never completed
 *
 *     POST ?uploads           an upload id
 *     PUT ?partNumber=...     many at once; each has an ETag
 *     POST ?uploadId=...      complete: the value appears, whole, if its condition holds
 *     DELETE ?uploadId=...    give it up
 *
 * Promises (tests/unit/test_store_s3_put.c names each by its number):
 *
 * (1) The value appears whole or not at all.
 * (2) An upload that fails is given up, so that its parts are not kept.
 * (3) A condition is used only if the server evaluates it at the end of an upload, which is tested once; otherwise the
 *     value is put by one request.
 * (4) scrub reports uploads that are older than stale_after, no others.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "store/store_s3.h"

#define MAX_PARTS      10000
#define MAX_ID         4096
#define COMPLETE_BYTES (4 * ZINC_MIB)

typedef struct part {
	struct iovec *slice;
	char *query;
} part;

/* One upload. */
typedef struct upload {
	s3_store *store;
	const char *key;
	const zinc_wait *wait;
	zinc_buf id; /* escaped, for queries */
	part *parts; /* by number - 1 */
	zinc_web_calls calls;
	zinc_status status; /* of the first part that failed */
	zinc_error *err;
	char write[40];
} upload;

/* ---- beginning and giving up ---- */

static zinc_status
take_id(upload *u, const zinc_web_call *c, zinc_error *err)
{
	zinc_status st;
	zinc_buf id;

	zinc_buf_init(&id, u->store->web.ctx, MAX_ID);
	st = zinc_xml_find((const char *)c->text.p, c->text.n, "InitiateMultipartUploadResult/UploadId", &id, err);
	if (st == ZINC_OK && id.n == 0)
		st = zinc_fail(err, ZINC_E_IO, "the server began an upload without an id");
	if (st == ZINC_OK)
		st = zinc_sigv4_escape(&u->id, (const char *)id.p, id.n, false, err);
	zinc_buf_fini(&id);
	return st == ZINC_E_NOTFOUND || st == ZINC_E_CORRUPT ? zinc_fail(err, ZINC_E_IO, "the answer has no upload id")
							     : st;
}

static zinc_status
begin_upload(upload *u, zinc_error *err)
{
	zinc_web_call c = {.method = "POST",
			   .key = u->key,
			   .query = "uploads=",
			   .sends = true,
			   .repeats = true,
			   .reads = true,
			   .write = u->write};
	zinc_status st = zinc_web_one(&u->store->web, &c, u->wait, err);

	if (st == ZINC_OK)
		st = take_id(u, &c, err);
	zinc_web_call_fini(&u->store->web, &c);
	return st;
}

static zinc_status
abort_upload(s3_store *s, const char *key, const char *escaped_id, const zinc_wait *wait, zinc_error *err)
{
	zinc_web_call c = {.method = "DELETE", .key = key};
	zinc_status st;
	zinc_buf query;

	zinc_buf_init(&query, s->web.ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&query, err, "uploadId=%s", escaped_id);
	c.query = (const char *)query.p;
	if (st == ZINC_OK)
		st = zinc_web_one(&s->web, &c, wait, err);
	if (st != ZINC_OK && strcmp(c.code, "NoSuchUpload") == 0)
		st = ZINC_OK;
	zinc_web_call_fini(&s->web, &c);
	zinc_buf_fini(&query);
	return st;
}

/* ---- parts ---- */

static zinc_status
make_part(upload *u, size_t k, const zinc_put *put, uint64_t offset, uint64_t nbytes, zinc_error *err)
{
	zinc_web_call *c = &u->calls.all[k];
	part *p = &u->parts[k];
	zinc_status st;
	zinc_buf query;

	*c = (zinc_web_call){.method = "PUT", .key = u->key, .sends = true, .i = k};
	ZINC_TRY(zinc_web_slice(u->store->web.ctx, put, offset, nbytes, &p->slice, &c->nbody, err));
	zinc_buf_init(&query, u->store->web.ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&query, err, "partNumber=%zu&uploadId=%s", k + 1, (const char *)u->id.p);
	p->query = (char *)query.p;
	c->body = p->slice;
	c->query = p->query;
	return st;
}

static void
on_part(void *arg, zinc_web_call *c, const zinc_error *err)
{
	upload *u = (upload *)arg;
	zinc_error e = ZINC_ERROR_INIT;

	if (c->result == ZINC_OK && c->tag.n < 2) {
		c->result = zinc_fail(&e, ZINC_E_IO, "the server stored a part without an ETag");
		err = &e;
	}
	if (u->status == ZINC_OK && c->result != ZINC_OK) {
		u->status = c->result;
		zinc_error_copy(u->err, err);
	}
}

static zinc_status
send_parts(upload *u, const zinc_put *put, uint64_t nbytes, uint64_t part_bytes, zinc_error *err)
{
	size_t k;

	for (k = 0; k < u->calls.n; k++) {
		const uint64_t offset = k * part_bytes;

		ZINC_TRY(make_part(u, k, put, offset, zinc_min_u64(nbytes - offset, part_bytes), err));
	}
	u->err = err;
	ZINC_TRY(zinc_web_run(&u->calls, err));
	return u->status;
}

/* ---- completing ---- */

static zinc_status
write_parts(zinc_buf *out, const upload *u, zinc_error *err)
{
	size_t k;

	ZINC_TRY(
	    zinc_buf_puts(out, "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">", err));
	for (k = 0; k < u->calls.n; k++) {
		const zinc_tag *tag = &u->calls.all[k].tag;
		int i;

		ZINC_TRY(zinc_buf_printf(out, err, "<Part><PartNumber>%zu</PartNumber><ETag>", k + 1));
		for (i = 1; i < tag->n; i++) {
			const char c = (char)tag->b[i];

			ZINC_TRY(c == '"'   ? zinc_buf_puts(out, "&quot;", err)
				 : c == '&' ? zinc_buf_puts(out, "&amp;", err)
				 : c == '<' ? zinc_buf_puts(out, "&lt;", err)
					    : zinc_buf_add(out, &c, 1, err));
		}
		ZINC_TRY(zinc_buf_puts(out, "</ETag></Part>", err));
	}
	return zinc_buf_puts(out, "</CompleteMultipartUpload>", err);
}

/* The head of this answer has no ETag: the text has.  Anything else is no success that can be relied on. */
static zinc_status
take_etag(const upload *u, zinc_web_call *c, zinc_error *err)
{
	zinc_status st;
	zinc_buf etag;

	c->tag.n = 0;
	zinc_buf_init(&etag, u->store->web.ctx, sizeof c->tag.b - 4);
	st = zinc_xml_find((const char *)c->text.p, c->text.n, "CompleteMultipartUploadResult/ETag", &etag, NULL);
	if (st == ZINC_OK && etag.n) {
		const bool quoted = etag.p[0] == '"';

		c->tag.n = (uint8_t)snprintf((char *)c->tag.b, sizeof c->tag.b, quoted ? "E%s" : "E\"%s\"",
					     zinc_buf_text(&etag));
	}
	zinc_buf_fini(&etag);
	if (st == ZINC_OK && c->tag.n > 1)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_UNCERTAIN,
			 "the server's answer is incomplete: the value may or may not have been put");
}

static zinc_status
send_complete(upload *u, zinc_web_call *c, zinc_error *err)
{
	zinc_status st;
	zinc_buf query;

	zinc_buf_init(&query, u->store->web.ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&query, err, "uploadId=%s", (const char *)u->id.p);
	c->query = (const char *)query.p;
	if (st == ZINC_OK)
		st = zinc_web_one(&u->store->web, c, u->wait, err);
	if (st == ZINC_OK)
		st = take_etag(u, c, err);
	c->query = NULL;
	zinc_buf_fini(&query);
	return st;
}

/* A repeated request finds no upload if the first one was executed. */
static bool
may_be_complete(const zinc_web_call *c, zinc_status st)
{
	return st == ZINC_E_UNCERTAIN || (st != ZINC_OK && c->unknown) || strcmp(c->code, "NoSuchUpload") == 0;
}

static zinc_status
complete(upload *u, const zinc_condition *when, zinc_tag *tag, zinc_error *err)
{
	zinc_web_call c = {.method = "POST",
			   .key = u->key,
			   .sends = true,
			   .repeats = true,
			   .reads = true,
			   .when = when,
			   .write = NULL,
			   .nbody = 1};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_buf text;
	struct iovec body;
	zinc_status st;

	zinc_buf_init(&text, u->store->web.ctx, COMPLETE_BYTES);
	st = write_parts(&text, u, &e);
	body = (struct iovec){text.p, text.n};
	c.body = &body;
	if (st == ZINC_OK)
		st = send_complete(u, &c, &e);
	if (may_be_complete(&c, st)) {
		c.write = u->write;
		st = zinc_s3_resolve(u->store, &c, u->wait, &e);
	}
	*tag = c.tag;
	zinc_web_call_fini(&u->store->web, &c);
	zinc_buf_fini(&text);
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	return st;
}

/* ---- a value ---- */

static zinc_status
upload_init(upload *u, s3_store *s, const char *key, size_t nparts, const zinc_wait *wait, zinc_error *err)
{
	*u = (upload){.store = s, .key = key, .wait = wait};
	zinc_web_write_id(u->write);
	zinc_buf_init(&u->id, s->web.ctx, 3 * MAX_ID + 1);
	u->parts = (part *)zinc_calloc(s->web.ctx, nparts, sizeof *u->parts);
	u->calls = (zinc_web_calls){.web = &s->web, .n = nparts, .ended = on_part, .arg = u, .wait = wait};
	u->calls.all = (zinc_web_call *)zinc_calloc(s->web.ctx, nparts, sizeof *u->calls.all);
	return u->parts && u->calls.all ? ZINC_OK : zinc_fail_nomem(err);
}

static void
upload_fini(upload *u)
{
	zinc_context *ctx = u->store->web.ctx;
	size_t k;

	for (k = 0; u->parts && u->calls.all && k < u->calls.n; k++) {
		zinc_web_call_fini(&u->store->web, &u->calls.all[k]);
		zinc_free(ctx, u->parts[k].slice);
		zinc_free(ctx, u->parts[k].query);
	}
	zinc_free(ctx, u->parts);
	zinc_free(ctx, u->calls.all);
	zinc_buf_fini(&u->id);
}

static zinc_status
upload_value(upload *u, const zinc_put *put, uint64_t nbytes, uint64_t part_bytes, zinc_tag *tag, zinc_error *err)
{
	const zinc_condition *when =
	    put->when && put->when->when != ZINC_ANY && u->store->conditions ? put->when : NULL;
	zinc_status st = begin_upload(u, err);
	zinc_wait clean_up;

	if (st != ZINC_OK)
		return st;
	st = send_parts(u, put, nbytes, part_bytes, err);
	if (st == ZINC_OK)
		st = complete(u, when, tag, err);
	if (st == ZINC_OK)
		return ZINC_OK;
	clean_up = zinc_web_clean_up(&u->store->web); /* from now on, however long the upload took */
	(void)abort_upload(u->store, u->key, (const char *)u->id.p, &clean_up, NULL);
	return st;
}

zinc_status
zinc_s3_put_parts(s3_store *s, const zinc_put *put, uint64_t nbytes, zinc_tag *tag, const zinc_wait *wait,
		  zinc_error *err)
{
	const uint64_t least = nbytes / MAX_PARTS + 1, part_bytes = zinc_max_u64(s->part_bytes, least);
	const size_t nparts = nbytes ? (size_t)((nbytes - 1) / part_bytes + 1) : 1;
	zinc_status st;
	upload u;

	st = upload_init(&u, s, put->key, nparts, wait, err);
	if (st == ZINC_OK)
		st = upload_value(&u, put, nbytes, part_bytes, tag, err);
	upload_fini(&u);
	return st;
}

/* ---- conditions ---- */

/* Complete an upload of a new key under a condition that cannot hold.  The caller has tested conditional puts. */
static void
test_completes(s3_store *s, const char *key, const zinc_wait *wait)
{
	static const zinc_tag other_tag = {34, "E\"00000000000000000000000000000000\""};
	static const zinc_condition other = {ZINC_EQUALS, &other_tag};
	const struct iovec one = {(void *)(uintptr_t) "z", 1};
	const zinc_put put = {.key = key, .iov = &one, .niov = 1, .when = &other};
	zinc_web_call undo = {.method = "DELETE", .key = key};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_tag tag;
	const zinc_status st = zinc_s3_put_parts(s, &put, 1, &tag, wait, &e);
	const zinc_wait clean_up = zinc_web_clean_up(&s->web);

	if (st == ZINC_OK) {
		(void)zinc_web_one(&s->web, &undo, &clean_up, NULL);
		zinc_web_call_fini(&s->web, &undo);
	}
	if (st == ZINC_OK || st == ZINC_E_CONFLICT) /* else it is tested again */
		atomic_store(&s->conditional_completes, st == ZINC_OK ? S3_NO : S3_YES);
}

bool
zinc_s3_may_use_parts(s3_store *s, const zinc_put *put, const zinc_wait *wait)
{
	const char *slash = strrchr(put->key, '/');
	zinc_buf beside;
	char id[40];

	if (!put->when || put->when->when == ZINC_ANY || !s->conditions)
		return true;
	if (atomic_load(&s->conditional_completes) == S3_UNKNOWN) {
		zinc_web_write_id(id);
		zinc_buf_init(&beside, s->web.ctx, ZINC_MAX_KEY);
		if (zinc_buf_printf(&beside, NULL, "%.*s.zinc-test-%s", slash ? (int)(slash - put->key) + 1 : 0,
				    put->key, id) == ZINC_OK)
			test_completes(s, (const char *)beside.p, wait);
		zinc_buf_fini(&beside);
	}
	return atomic_load(&s->conditional_completes) == S3_YES;
}

/* ---- uploads that were never completed ---- */

/* One call of scrub. */
typedef struct scrubbing {
	s3_store *store;
	int remove;
	zinc_scrub_fn fn;
	void *arg;
	const zinc_wait *wait;
	int64_t before; /* uploads that began earlier are leftovers */
} scrubbing;

static zinc_status
add_member(zinc_buf *query, const char *name, const char *a, const char *b, zinc_error *err)
{
	ZINC_TRY(zinc_buf_puts(query, name, err));
	ZINC_TRY(zinc_sigv4_escape(query, a, strlen(a), false, err));
	return zinc_sigv4_escape(query, b, strlen(b), false, err);
}

static zinc_status
get_uploads(scrubbing *x, const char *prefix, const zinc_web_page *last, zinc_web_page *page, zinc_error *err)
{
	zinc_web_call c = {.method = "GET", .reads = true};
	zinc_status st;
	zinc_buf q;

	zinc_buf_init(&q, x->store->web.ctx, ZINC_MAX_KEY);
	st = zinc_buf_puts(&q, "encoding-type=url", err);
	if (st == ZINC_OK && last)
		st = add_member(&q, "&key-marker=", (const char *)last->next.p, "", err);
	if (st == ZINC_OK)
		st = add_member(&q, "&prefix=", x->store->prefix, prefix, err);
	if (st == ZINC_OK && last)
		st =
		    add_member(&q, "&upload-id-marker=", last->next_id.n ? (const char *)last->next_id.p : "", "", err);
	if (st == ZINC_OK)
		st = zinc_buf_puts(&q, "&uploads=", err);
	c.query = (const char *)q.p;
	if (st == ZINC_OK)
		st = zinc_web_one(&x->store->web, &c, x->wait, err);
	if (st == ZINC_OK)
		st = zinc_s3_parse_page(page, (const char *)c.text.p, c.text.n, err);
	zinc_web_call_fini(&x->store->web, &c);
	zinc_buf_fini(&q);
	return st;
}

static zinc_status
remove_upload(const scrubbing *x, const char *key, const char *id, zinc_error *err)
{
	zinc_status st;
	zinc_buf escaped;

	zinc_buf_init(&escaped, x->store->web.ctx, ZINC_MAX_KEY);
	st = zinc_sigv4_escape(&escaped, id, strlen(id), false, err);
	if (st == ZINC_OK)
		st = abort_upload(x->store, key, (const char *)escaped.p, x->wait, err);
	zinc_buf_fini(&escaped);
	return st;
}

/* *stop: the caller has seen enough. */
static zinc_status
scrub_page(const scrubbing *x, const zinc_web_page *page, bool *stop, zinc_error *err)
{
	const zinc_web_entry *e = (const zinc_web_entry *)(const void *)page->entries.p;
	const size_t n = page->entries.n / sizeof *e, nprefix = strlen(x->store->prefix);
	size_t i;

	for (i = 0; i < n && !*stop; i++) {
		const char *name = (const char *)page->names.p + e[i].name, *id = (const char *)page->names.p + e[i].id;
		const char *key = name + nprefix;
		int answer;

		if (strncmp(name, x->store->prefix, nprefix) != 0 || zinc_key_check(key, NULL) != ZINC_OK ||
		    e[i].is_prefix || e[i].begun < 0 || e[i].begun > x->before)
			continue;
		answer = x->fn(x->arg, key, key, "a multipart upload that was never completed");
		*stop = answer != 0 && answer != ZINC_SCRUB_KEEP;
		if (answer == 0 && x->remove)
			ZINC_TRY(remove_upload(x, key, id, err));
	}
	return ZINC_OK;
}

static bool
same_place(const zinc_web_page *a, const zinc_web_page *b)
{
	return a->next.n == b->next.n && a->next_id.n == b->next_id.n &&
	       (a->next.n == 0 || memcmp(a->next.p, b->next.p, a->next.n) == 0) &&
	       (a->next_id.n == 0 || memcmp(a->next_id.p, b->next_id.p, a->next_id.n) == 0);
}

static zinc_status
scrub_all(scrubbing *x, const char *prefix, zinc_web_page pages[2], zinc_error *err)
{
	bool stop = false;
	int k;

	ZINC_TRY(get_uploads(x, prefix, NULL, &pages[0], err));
	for (k = 0; !stop; k = !k) {
		ZINC_TRY(scrub_page(x, &pages[k], &stop, err));
		if (stop || !pages[k].truncated)
			break;
		if (pages[k].next.n == 0)
			return zinc_fail(err, ZINC_E_IO, "the server lists uploads without saying where to go on");
		ZINC_TRY(get_uploads(x, prefix, &pages[k], &pages[!k], err));
		if (pages[!k].truncated && same_place(&pages[0], &pages[1]))
			return zinc_fail(err, ZINC_E_IO, "the server lists the same uploads again and again");
	}
	return ZINC_OK;
}

zinc_status
zinc_s3_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, const zinc_wait *wait,
	      zinc_error *err)
{
	s3_store *s = (s3_store *)self;
	const zinc_os *os = s->web.ctx->os;
	scrubbing x = {.store = s, .remove = remove, .fn = fn, .arg = arg, .wait = wait};
	struct timespec now = {0, 0};
	zinc_web_page pages[2];
	zinc_status st;

	(void)os->clock(os, CLOCK_REALTIME, &now);
	x.before = (int64_t)now.tv_sec + atomic_load(&s->skew) - (int64_t)s->stale_after;
	zinc_web_page_init(&pages[0], s->web.ctx);
	zinc_web_page_init(&pages[1], s->web.ctx);
	st = scrub_all(&x, prefix, pages, err);
	zinc_web_page_fini(&pages[0]);
	zinc_web_page_fini(&pages[1]);
	return st;
}
