/*
 * store_s3_del.c - deleting keys: many by DeleteObjects, one or a conditional one by DELETE
 *
 * Promises (tests/unit/test_store_s3_list.c names each by its number):
 *
 * (1) ZINC_OK is returned only for a key that the server says it has deleted; a missing key counts as deleted.
 * (2) Each key of a batch has its own result.  A key that the answer does not mention is a failure.
 * (3) A conditional delete is sent only to a server that evaluates its condition; others are E_UNSUPPORTED.  A delete of
 *     an absent key is never sent.
 */
#include <stdio.h>

#include "store/store_s3.h"

#define BATCH 1000 /* keys of one DeleteObjects request */
#define FEW   4    /* so many are deleted one by one, at once */

/* ---- conditions ---- */

/* Some servers answer a conditional delete of a missing key with success, so the value is looked at first.  "Delete if it
 * is absent" is only that question: S3 has no such condition, and would ignore it. */
static zinc_status
check_condition(zinc_web *w, const zinc_del *d, bool *only, const zinc_wait *wait, zinc_error *err)
{
	s3_store *s = (s3_store *)w;

	*only = d->when->when == ZINC_ABSENT;
	if (d->when->when == ZINC_EQUALS)
		ZINC_TRY(zinc_s3_check_condition(s, d->key, d->when, wait, err));
	if (d->when->when == ZINC_EQUALS && s->conditions)
		ZINC_TRY(zinc_s3_check_deletes(s, d->key, wait, err));
	return zinc_s3_check_value(s, d->key, d->when, wait, err);
}

/* ---- batches ---- */

/* The request and the keys of one DeleteObjects. */
typedef struct batch {
	zinc_web_dels *run;
	s3_store *store;
	const size_t *at; /* indices in run->dels, sorted by key */
	size_t n;
	size_t nprefix;
	zinc_buf text;
	zinc_buf sum; /* its checksum in base64 */
	zinc_web_field field;
} batch;

static zinc_status
add_text(zinc_buf *out, const char *s, zinc_error *err)
{
	for (; *s; s++) {
		const char *e = *s == '&' ? "&amp;" : *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : NULL;

		ZINC_TRY(e ? zinc_buf_puts(out, e, err) : zinc_buf_add(out, s, 1, err));
	}
	return ZINC_OK;
}

static zinc_status
write_request(batch *b, zinc_error *err)
{
	const s3_store *s = b->store;
	size_t k;

	ZINC_TRY(zinc_buf_puts(&b->text, "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">", err));
	for (k = 0; k < b->n; k++) {
		ZINC_TRY(zinc_buf_puts(&b->text, "<Object><Key>", err));
		ZINC_TRY(add_text(&b->text, s->prefix, err));
		ZINC_TRY(add_text(&b->text, b->run->dels[b->at[k]].key, err));
		ZINC_TRY(zinc_buf_puts(&b->text, "</Key></Object>", err));
	}
	return zinc_buf_puts(&b->text, "</Delete>", err);
}

/* S3 requires a checksum of this request.  All servers know MD5, but some systems forbid it. */
static zinc_status
add_checksum(batch *b, zinc_web_call *c, zinc_error *err)
{
	const struct iovec v = {b->text.p, b->text.n};
	uint8_t digest[ZINC_SHA256_BYTES];
	const bool md5 = zinc_md5(b->text.p, b->text.n, digest);

	if (!md5 && !zinc_sha256(&v, 1, digest))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "no checksum is available");
	ZINC_TRY(zinc_base64_encode(digest, md5 ? ZINC_MD5_BYTES : ZINC_SHA256_BYTES, &b->sum, err));
	if (!zinc_buf_text(&b->sum))
		return zinc_fail_nomem(err);
	b->field = (zinc_web_field){md5 ? "Content-MD5" : "x-amz-checksum-sha256", (const char *)b->sum.p};
	c->fields = &b->field;
	c->nfields = 1;
	return ZINC_OK;
}

/* ---- the answer ---- */

typedef struct deleted {
	zinc_buf key, code, message;
} deleted;

static zinc_status
take_deleted(zinc_xml *x, deleted *d, zinc_error *err)
{
	zinc_xml_event e;

	d->key.n = d->code.n = d->message.n = 0;
	while ((e = zinc_xml_next(x)) != ZINC_XML_CLOSE) {
		if (e == ZINC_XML_BAD || e == ZINC_XML_END)
			return zinc_xml_fail(x, err);
		if (e != ZINC_XML_OPEN)
			continue;
		if (zinc_xml_is(x, "Key"))
			ZINC_TRY(zinc_xml_value(x, &d->key, err));
		else if (zinc_xml_is(x, "Code"))
			ZINC_TRY(zinc_xml_value(x, &d->code, err));
		else if (zinc_xml_is(x, "Message"))
			ZINC_TRY(zinc_xml_value(x, &d->message, err));
		else
			ZINC_TRY(zinc_xml_skip(x, err));
	}
	return ZINC_OK;
}

static zinc_status
take_all(zinc_xml *x, deleted *d, s3_deleted_fn fn, void *arg, zinc_error *err)
{
	zinc_xml_event e;

	if (zinc_xml_next(x) != ZINC_XML_OPEN || !zinc_xml_is(x, "DeleteResult"))
		return zinc_fail(err, ZINC_E_CORRUPT, "the answer to a deletion is no DeleteResult");
	while ((e = zinc_xml_next(x)) != ZINC_XML_END) {
		const bool failed = e == ZINC_XML_OPEN && zinc_xml_is(x, "Error");

		if (e == ZINC_XML_BAD)
			return zinc_xml_fail(x, err);
		if (e != ZINC_XML_OPEN)
			continue;
		if (!failed && !zinc_xml_is(x, "Deleted")) {
			ZINC_TRY(zinc_xml_skip(x, err));
			continue;
		}
		ZINC_TRY(take_deleted(x, d, err));
		if (!zinc_buf_text(&d->key) || !zinc_buf_text(&d->code) || !zinc_buf_text(&d->message))
			return zinc_fail_nomem(err);
		fn(arg, (const char *)d->key.p, failed ? (const char *)d->code.p : NULL, (const char *)d->message.p);
	}
	return ZINC_OK;
}

zinc_status
zinc_s3_parse_deleted(zinc_context *ctx, const char *text, size_t n, s3_deleted_fn fn, void *arg, zinc_error *err)
{
	zinc_status st;
	deleted d;
	zinc_xml x;

	zinc_buf_init(&d.key, ctx, ZINC_MAX_KEY);
	zinc_buf_init(&d.code, ctx, ZINC_MAX_KEY);
	zinc_buf_init(&d.message, ctx, ZINC_MAX_KEY);
	zinc_xml_init(&x, text, n);
	st = take_all(&x, &d, fn, arg, err);
	zinc_buf_fini(&d.key);
	zinc_buf_fini(&d.code);
	zinc_buf_fini(&d.message);
	return st;
}

static size_t
find_key(const batch *b, const char *key)
{
	size_t low = 0, high = b->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(b->run->dels[b->at[middle]].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A key may be in the batch more than once. */
static void
on_deleted(void *arg, const char *key, const char *code, const char *message)
{
	const batch *b = (const batch *)arg;
	const zinc_web_dels *r = b->run;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = ZINC_OK;
	size_t k;

	if (strncmp(key, b->store->prefix, b->nprefix) != 0)
		return;
	key += b->nprefix;
	if (code && strcmp(code, "NoSuchKey") != 0)
		st = zinc_fail(&e, ZINC_E_IO, "%.60s: %.200s", code, message);
	for (k = find_key(b, key); k < b->n && strcmp(r->dels[b->at[k]].key, key) == 0; k++)
		if (!r->reported[b->at[k]])
			zinc_web_report_del(r, b->at[k], st, &e);
}

/* ---- one batch ---- */

/* The answer to a batch that failed altogether. */
static void
report_rest(const batch *b, zinc_status st, const zinc_error *err)
{
	size_t k;

	for (k = 0; k < b->n; k++)
		if (!b->run->reported[b->at[k]])
			zinc_web_report_del(b->run, b->at[k], st, err);
}

static bool
has_no_batches(const zinc_web_call *c)
{
	return c->status == 501 || c->status == 405 || strcmp(c->code, "NotImplemented") == 0 ||
	       strcmp(c->code, "MethodNotAllowed") == 0;
}

/* False: this server has no DeleteObjects. */
static bool
delete_batch(batch *b)
{
	s3_store *s = b->store;
	zinc_web_call c = {.method = "POST", .query = "delete=", .sends = true, .repeats = true, .reads = true};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = write_request(b, &e);
	struct iovec body = {b->text.p, b->text.n};
	bool known = true;

	c.body = &body;
	c.nbody = 1;
	if (st == ZINC_OK)
		st = add_checksum(b, &c, &e);
	if (st == ZINC_OK) {
		st = zinc_web_one(&s->web, &c, b->run->wait, &e);
		known = st == ZINC_OK || !has_no_batches(&c);
	}
	if (st == ZINC_OK)
		st = zinc_s3_parse_deleted(s->web.ctx, (const char *)c.text.p, c.text.n, on_deleted, b, &e);
	if (st == ZINC_OK)
		st = zinc_fail(&e, ZINC_E_UNCERTAIN, "the server's answer does not mention this key");
	if (known)
		report_rest(b, st, &e);
	zinc_web_call_fini(&s->web, &c);
	return known;
}

static bool
delete_many(zinc_web_dels *r, const size_t *at, size_t n)
{
	s3_store *s = (s3_store *)r->web;
	batch b = {.run = r, .store = s, .at = at, .n = n, .nprefix = strlen(s->prefix)};
	bool known;

	zinc_buf_init(&b.text, s->web.ctx, 16 * ZINC_MIB);
	zinc_buf_init(&b.sum, s->web.ctx, ZINC_KIB);
	known = delete_batch(&b);
	zinc_buf_fini(&b.sum);
	zinc_buf_fini(&b.text);
	return known;
}

zinc_status
zinc_s3_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	s3_store *s = (s3_store *)self;
	const zinc_web_del_ops ops = {
	    .batch = BATCH, .few = FEW, .check = check_condition, .many = delete_many, .no_conditions = !s->conditions};

	(void)group, (void)flags;
	return zinc_web_del(&s->web, &ops, &s->no_batches, dels, n, done, wait, err);
}
