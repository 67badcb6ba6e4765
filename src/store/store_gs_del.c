/*
 * store_gs_del.c - deleting keys: many by /batch, one or a conditional one by DELETE
 *
 *     POST /batch/storage/v1, multipart/mixed: up to 100 requests "DELETE /storage/v1/b/bucket/o/key", each with a
 *     Content-ID; the answer has one part for each, with its own status
 *
 * Promises (tests/unit/test_store_gs_list.c names each by its number, as those of store_gs_list.c):
 *
 * (4) ZINC_OK is returned only for a key that the server says it has deleted; a missing key counts as deleted.
 * (5) Each key of a batch has its own result.  What the answer does not mention, or refuses, is deleted by a request of
 *     its own, which says why it fails.
 * (6) A conditional delete is sent only to a server that evaluates its condition; others are E_UNSUPPORTED.  A delete of
 *     an absent key is never sent.
 */
#include <stdio.h>

#include "store/store_gs.h"

#define AT_ONCE   1000 /* keys of one call of delete_many */
#define BATCH     100  /* of one request: Google's limit */
#define FEW       8    /* so many are deleted one by one, at once */
#define MAX_TEXT  (4 * ZINC_MIB)
#define ITEM_NAME "item-"

/* ---- conditions ---- */

/* "Delete if it is absent" is only a question. */
static zinc_status
check_condition(zinc_web *w, const zinc_del *d, bool *only, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	gs_store *s = (gs_store *)w;
	zinc_web_call c;
	zinc_status st;

	*only = d->when->when == ZINC_ABSENT;
	if (!*only)
		return zinc_gs_check_deletes(s, d->key, wait, err);
	st = zinc_gs_stat(s, d->key, &c, wait, &e);
	zinc_web_call_fini(w, &c);
	if (st == ZINC_E_NOTFOUND)
		return ZINC_OK;
	return st == ZINC_OK ? zinc_fail(err, ZINC_E_EXISTS, "the key already exists") : zinc_error_copy(err, &e);
}

/* ---- the answer ---- */

typedef struct piece {
	const char *p;
	size_t n;
} piece;

/* The next line, without its end; `rest` begins after it. */
static piece
take_line(piece *rest)
{
	const char *end = (const char *)memchr(rest->p, '\n', rest->n);
	piece line = {rest->p, end ? (size_t)(end - rest->p) : rest->n};

	rest->p += line.n + (end != NULL);
	rest->n -= line.n + (end != NULL);
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	return line;
}

/* "multipart/mixed; boundary=xyz", perhaps in quotes */
static bool
take_boundary(const char *type, char out[128])
{
	const char *p = strcasestr(type, "boundary=");
	size_t n;

	if (strncasecmp(type, "multipart/", 10) != 0 || !p)
		return false;
	p += strlen("boundary=");
	n = *p == '"' ? strcspn(++p, "\"") : strcspn(p, "; \t");
	if (n == 0 || n > 120)
		return false;
	snprintf(out, 128, "--%.*s", (int)n, p);
	return true;
}

/* "Content-ID: <response-item-12>" -> 12 */
static bool
take_id(piece line, size_t *out)
{
	static const char name[] = "content-id:";
	const char *p;
	size_t i, n = 0;

	if (line.n < sizeof name || strncasecmp(line.p, name, sizeof name - 1) != 0)
		return false;
	p = (const char *)memmem(line.p, line.n, ITEM_NAME, strlen(ITEM_NAME));
	if (!p)
		return false;
	p += strlen(ITEM_NAME);
	*out = 0;
	for (i = (size_t)(p - line.p); i < line.n && line.p[i] >= '0' && line.p[i] <= '9' && n < 9; i++, n++)
		*out = *out * 10 + (size_t)(line.p[i] - '0');
	return n > 0;
}

/* "HTTP/1.1 204 No Content" -> 204; 0: it is no status line */
static int
take_status(piece line)
{
	size_t i = 5;

	if (line.n < 10 || memcmp(line.p, "HTTP/", 5) != 0)
		return 0;
	while (i < line.n && line.p[i] != ' ')
		i++;
	if (line.n - i < 4 || line.p[i + 1] < '1' || line.p[i + 1] > '5' || line.p[i + 2] < '0' ||
	    line.p[i + 2] > '9' || line.p[i + 3] < '0' || line.p[i + 3] > '9')
		return 0;
	return (line.p[i + 1] - '0') * 100 + (line.p[i + 2] - '0') * 10 + (line.p[i + 3] - '0');
}

/* A part: its head with the Content-ID, then an answer of its own.  One without these is passed over. */
static void
take_part(piece part, gs_part_fn fn, void *arg)
{
	bool named = false;
	size_t i = 0;
	piece line;
	int status;

	do {
		line = take_line(&part);
		named |= !named && take_id(line, &i);
	} while (line.n && part.n);
	status = take_status(take_line(&part));
	do
		line = take_line(&part);
	while (line.n && part.n);
	if (named && status)
		fn(arg, i, status, part.p, part.n);
}

/* The next line that begins with the boundary; *part is what is before it.  False: there is none. */
static bool
find_boundary(piece *rest, const char *boundary, piece *part, bool *is_last)
{
	const size_t n = strlen(boundary);
	const char *begin = rest->p;

	while (rest->n) {
		const char *at = rest->p;
		const piece line = take_line(rest);

		if (line.n >= n && memcmp(line.p, boundary, n) == 0) {
			*part = (piece){begin, (size_t)(at - begin)};
			*is_last = line.n >= n + 2 && memcmp(line.p + n, "--", 2) == 0;
			return true;
		}
	}
	return false;
}

zinc_status
zinc_gs_parse_batch(const char *type, const char *text, size_t n, gs_part_fn fn, void *arg, zinc_error *err)
{
	piece rest = {text, n}, part;
	bool is_last = false;
	char boundary[128];

	if (!take_boundary(type, boundary) || !n || !find_boundary(&rest, boundary, &part, &is_last))
		return zinc_fail(err, ZINC_E_CORRUPT, "the answer to a deletion is no batch");
	while (!is_last) {
		if (!find_boundary(&rest, boundary, &part, &is_last))
			return zinc_fail(err, ZINC_E_CORRUPT, "the answer to a deletion is cut");
		take_part(part, fn, arg);
	}
	return ZINC_OK;
}

/* ---- batches ---- */

/* One request, with its keys. */
typedef struct batch {
	zinc_web_dels *run;
	const size_t *at; /* indices in run->dels */
	size_t n;
	zinc_buf text;
	struct iovec body;
	char type[96];
	zinc_web_field field;
} batch;

static zinc_status
write_request(batch *b, zinc_web_call *c, zinc_error *err)
{
	const gs_store *s = (const gs_store *)b->run->web;
	char id[40];
	size_t k;

	zinc_web_write_id(id);
	for (k = 0; k < b->n; k++) {
		ZINC_TRY(zinc_buf_printf(&b->text, err,
					 "--zinc-%s\r\nContent-Type: application/http\r\nContent-ID: <" ITEM_NAME
					 "%zu>\r\n\r\nDELETE ",
					 id, k));
		ZINC_TRY(zinc_gs_object_path(&b->text, s, b->run->dels[b->at[k]].key, err));
		ZINC_TRY(zinc_gs_add_user(&b->text, s, true, err));
		ZINC_TRY(zinc_buf_puts(&b->text, " HTTP/1.1\r\n\r\n\r\n", err));
	}
	ZINC_TRY(zinc_buf_printf(&b->text, err, "--zinc-%s--\r\n", id));
	snprintf(b->type, sizeof b->type, "multipart/mixed; boundary=zinc-%s", id);
	b->field = (zinc_web_field){"Content-Type", b->type};
	b->body = (struct iovec){b->text.p, b->text.n};
	*c = (zinc_web_call){.method = "POST",
			     .kind = GS_BATCH,
			     .body = &b->body,
			     .nbody = 1,
			     .sends = true,
			     .repeats = true,
			     .reads = true,
			     .fields = &b->field,
			     .nfields = 1};
	return ZINC_OK;
}

/* Only what is certain is reported here.  Without the bucket a 404 would be no success. */
static void
on_part(void *arg, size_t i, int status, const char *text, size_t n)
{
	const batch *b = (const batch *)arg;
	const bool gone = status == 404 && atomic_load(&((const gs_store *)b->run->web)->bucket_exists);

	(void)text, (void)n;
	if (i < b->n && !b->run->reported[b->at[i]] && (status / 100 == 2 || gone))
		zinc_web_report_del(b->run, b->at[i], ZINC_OK, NULL);
}

static void
on_ended(void *arg, zinc_web_call *c, const zinc_error *err)
{
	batch *b = &((batch *)arg)[c->i];
	size_t k;

	if (c->result == ZINC_OK) {
		(void)zinc_gs_parse_batch(c->note, (const char *)c->text.p, c->text.n, on_part, b, NULL);
		return;
	}
	if (c->status / 100 == 4 || c->status == 501) /* the requests one by one say why, or succeed */
		return;
	for (k = 0; k < b->n; k++)
		zinc_web_report_del(b->run, b->at[k], c->result, err);
}

static bool
lacks_batches(const zinc_web_call *c)
{
	return c->result != ZINC_OK && (c->status == 404 || c->status == 405 || c->status == 501);
}

static zinc_status
make_batches(batch *b, zinc_web_calls *x, zinc_web_dels *r, const size_t *at, size_t n, zinc_error *err)
{
	size_t k;

	for (k = 0; k * BATCH < n; k++) {
		b[k] = (batch){.run = r, .at = at + k * BATCH, .n = n - k * BATCH < BATCH ? n - k * BATCH : BATCH};
		zinc_buf_init(&b[k].text, r->web->ctx, MAX_TEXT);
		x->n = k + 1;
		ZINC_TRY(write_request(&b[k], &x->all[k], err));
		x->all[k].i = k;
	}
	return ZINC_OK;
}

/* Without memory nothing is reported, and the keys are deleted one by one. */
static bool
delete_many(zinc_web_dels *r, const size_t *at, size_t n)
{
	const size_t count = (n + BATCH - 1) / BATCH;
	zinc_context *ctx = r->web->ctx;
	batch *b = (batch *)zinc_calloc(ctx, count, sizeof *b);
	zinc_web_calls x = {.web = r->web, .ended = on_ended, .arg = b, .wait = r->wait};
	bool known = true;
	size_t k;

	x.all = (zinc_web_call *)zinc_calloc(ctx, count, sizeof *x.all);
	if (b && x.all && make_batches(b, &x, r, at, n, NULL) == ZINC_OK)
		(void)zinc_web_run(&x, NULL);
	for (k = 0; b && x.all && k < x.n; k++) {
		known &= !lacks_batches(&x.all[k]);
		zinc_web_call_fini(r->web, &x.all[k]);
		zinc_buf_fini(&b[k].text);
	}
	zinc_free(ctx, x.all);
	zinc_free(ctx, b);
	return known;
}

zinc_status
zinc_gs_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	static const zinc_web_del_ops ops = {
	    .batch = AT_ONCE, .few = FEW, .check = check_condition, .many = delete_many};
	gs_store *s = (gs_store *)self;

	(void)group, (void)flags;
	return zinc_web_del(&s->web, &ops, &s->no_batches, dels, n, done, wait, err);
}
