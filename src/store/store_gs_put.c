/*
 * store_gs_put.c - putting values by one request
 *
 *     POST /upload/...?uploadType=media        the bytes; without a condition
 *     POST /upload/...?uploadType=multipart    metadata with a write id and the CRC-32C, then the bytes; with a condition
 *
 * Promises (tests/unit/test_store_gs_put.c names each by its number):
 *
 * (1) ZINC_OK is returned only for a put that the server has answered with its generation, and with the CRC-32C of the
 *     bytes if it sends one.
 * (2) A conditional put carries a write id in its metadata.  If the condition fails after a try without an answer, the id
 *     that the value has now tells whether that try was executed.  Only if the value has another id, it is E_UNCERTAIN.
 *     It is E_IO if the value has the id and the CRC-32C of other bytes.
 * (3) Before the first conditional put a server that is not Google's is tested (store_gs_test.c).  One that ignores
 *     conditions is E_UNSUPPORTED, and caps then promise no CAS.
 */
#include <stdio.h>

#include "json/json.h"
#include "store/store_gs.h"

#define PARTS_FROM 4 /* values of so many pieces are uploaded in pieces */
#define WRITE_NAME "zinc-write"
#define MAX_OBJECT (64 * ZINC_KIB) /* of the JSON of one object */

/* ---- answers ---- */

static void
take_text(char *out, size_t cap, const zinc_json *v)
{
	if (v && v->type == ZINC_JSON_STRING && v->n < cap && strlen(v->text) == v->n)
		memcpy(out, v->text, v->n + 1);
}

/* A number as a text, as JSON has 64-bit numbers here. */
static bool
take_number(uint64_t *out, const zinc_json *v)
{
	size_t i;

	*out = 0;
	if (!v || (v->type != ZINC_JSON_STRING && v->type != ZINC_JSON_NUMBER) || v->n == 0 || v->n > 19)
		return false;
	for (i = 0; i < v->n; i++) {
		if (v->text[i] < '0' || v->text[i] > '9')
			return false;
		*out = *out * 10 + (uint64_t)(v->text[i] - '0');
	}
	return true;
}

static zinc_status
take_object(gs_object *out, const zinc_json *root, zinc_error *err)
{
	const zinc_json *generation, *size, *metadata;
	uint64_t number;

	if (!root || root->type != ZINC_JSON_OBJECT)
		return zinc_fail(err, ZINC_E_CORRUPT, "the server's answer is no object");
	generation = zinc_json_member(root, "generation");
	if (!take_number(&number, generation) || number == 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "the server's answer has no generation");
	snprintf(out->generation, sizeof out->generation, "%s", generation->text);
	size = zinc_json_member(root, "size");
	if (size && !take_number(&out->nbytes, size))
		return zinc_fail(err, ZINC_E_CORRUPT, "the server's answer has no valid size");
	take_text(out->sum, sizeof out->sum, zinc_json_member(root, "crc32c"));
	metadata = zinc_json_member(root, "metadata");
	if (metadata && metadata->type == ZINC_JSON_OBJECT)
		take_text(out->write, sizeof out->write, zinc_json_member(metadata, WRITE_NAME));
	return ZINC_OK;
}

zinc_status
zinc_gs_parse_object(gs_object *out, zinc_context *ctx, const char *text, size_t n, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_status st;

	memset(out, 0, sizeof *out);
	out->nbytes = UINT64_MAX;
	st = zinc_json_parse(&doc, ctx, text, n, ZINC_JSON_DUPLICATES | ZINC_JSON_ANY_SIZE, &e);
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	if (st != ZINC_OK)
		return zinc_fail(err, ZINC_E_CORRUPT, "the server's answer is no complete JSON document");
	st = take_object(out, zinc_json_root(doc), err);
	zinc_json_free(doc);
	return st;
}

static bool
has_object(const zinc_web_call *c)
{
	switch ((gs_kind)c->kind) {
	case GS_MEDIA:
	case GS_MULTIPART:
		return true;
	case GS_PIECE:
		return c->status / 100 == 2;
	case GS_OBJECT:
		return strcmp(c->method, "GET") == 0;
	default:
		return false;
	}
}

static zinc_status
other_bytes(zinc_error *err)
{
	return zinc_fail(err, ZINC_E_IO, "the server has stored other bytes than were sent (CRC-32C)");
}

zinc_status
zinc_gs_call_text(zinc_web *w, zinc_web_call *c, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	gs_object o;
	zinc_status st;

	if (!has_object(c))
		return ZINC_OK;
	st = zinc_gs_parse_object(&o, w->ctx, (const char *)c->text.p, c->text.n, &e);
	if (st != ZINC_OK) /* no value is damaged: the answer is */
		return st == ZINC_E_NOMEM ? zinc_fail_nomem(err) : zinc_fail(err, ZINC_E_IO, "%s", e.text);
	if (c->sum[0] && o.sum[0] && strcmp(c->sum, o.sum) != 0)
		return other_bytes(err);
	memcpy(c->sum, o.sum, sizeof o.sum); /* of the value, for whoever did not know it */
	c->tag.n = (uint8_t)snprintf((char *)c->tag.b, sizeof c->tag.b, "G%s", o.generation);
	memcpy(c->found_write, o.write, sizeof c->found_write);
	return ZINC_OK;
}

zinc_status
zinc_gs_sum(zinc_context *ctx, const zinc_put *p, char out[GS_SUM], zinc_error *err)
{
	uint32_t crc = 0;
	zinc_status st;
	zinc_buf text;
	int k;

	for (k = 0; k < p->niov; k++)
		if (p->iov[k].iov_len)
			crc = zinc_crc32c(crc, p->iov[k].iov_base, p->iov[k].iov_len);
	zinc_buf_init(&text, ctx, 64);
	st = zinc_base64_encode(
	    (const uint8_t[4]){(uint8_t)(crc >> 24), (uint8_t)(crc >> 16), (uint8_t)(crc >> 8), (uint8_t)crc}, 4, &text,
	    err);
	if (st == ZINC_OK)
		snprintf(out, GS_SUM, "%.*s", (int)text.n, (const char *)text.p);
	zinc_buf_fini(&text);
	return st;
}

/* ---- unknown outcomes ---- */

zinc_status
zinc_gs_stat(gs_store *s, const char *key, zinc_web_call *c, const zinc_wait *wait, zinc_error *err)
{
	*c = (zinc_web_call){.method = "GET", .key = key, .kind = GS_OBJECT, .reads = true, .most = MAX_OBJECT};
	return zinc_web_one(&s->web, c, wait, err);
}

zinc_status
zinc_gs_resolve(gs_store *s, const char *key, const char *write, const char *sum, zinc_tag *tag, const zinc_wait *wait,
		zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_web_call c;
	zinc_status st = zinc_gs_stat(s, key, &c, wait, &e);

	if (st != ZINC_OK || strcmp(c.found_write, write) != 0)
		st = zinc_web_unresolved(st, &e, err);
	else if (c.sum[0] && strcmp(c.sum, sum) != 0)
		st = other_bytes(err);
	else
		*tag = c.tag;
	zinc_web_call_fini(&s->web, &c);
	return st;
}

static zinc_status
resolve_put(zinc_web *w, zinc_web_call *c, const zinc_wait *wait, zinc_error *err)
{
	return zinc_gs_resolve((gs_store *)w, c->key, c->write, c->sum, &c->tag, wait, err);
}

/* ---- one put ---- */

/* The memory of a call: the body, and what is around it. */
typedef struct upload_body {
	zinc_web_field type;
	char type_text[96];
	char head[512];
	char tail[64];
	struct iovec v[];
} upload_body;

static void
fill_multipart(upload_body *b, zinc_web_call *c, const zinc_put *p)
{
	int n;

	snprintf(b->type_text, sizeof b->type_text, "multipart/related; boundary=zinc-%s", c->own_write);
	n = snprintf(b->head, sizeof b->head,
		     "--zinc-%s\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n"
		     "{\"contentType\":\"application/octet-stream\",\"crc32c\":\"%s\",\"metadata\":{\"" WRITE_NAME
		     "\":\"%s\"}}\r\n"
		     "--zinc-%s\r\nContent-Type: application/octet-stream\r\n\r\n",
		     c->own_write, c->sum, c->own_write, c->own_write);
	b->v[0] = (struct iovec){b->head, (size_t)n};
	if (p->niov)
		memcpy(b->v + 1, p->iov, (size_t)p->niov * sizeof *b->v);
	n = snprintf(b->tail, sizeof b->tail, "\r\n--zinc-%s--\r\n", c->own_write);
	b->v[p->niov + 1] = (struct iovec){b->tail, (size_t)n};
	c->body = b->v;
	c->nbody = p->niov + 2;
}

/* The boundary is a random number of 128 bits, which is in no value. */
static zinc_status
make_call(const gs_store *s, zinc_web_call *c, const zinc_put *p, zinc_error *err)
{
	upload_body *b;

	*c = (zinc_web_call){.method = "POST",
			     .key = p->key,
			     .kind = GS_MEDIA,
			     .body = p->iov,
			     .nbody = p->niov,
			     .sends = true,
			     .repeats = true};
	ZINC_TRY(zinc_gs_sum(s->web.ctx, p, c->sum, err));
	b = (upload_body *)zinc_alloc(s->web.ctx, sizeof *b + ((size_t)p->niov + 2) * sizeof *b->v);
	if (!b)
		return zinc_fail_nomem(err);
	snprintf(b->type_text, sizeof b->type_text, "application/octet-stream");
	c->own = b;
	c->when = zinc_web_condition(p->when);
	if (c->when) {
		c->kind = GS_MULTIPART;
		zinc_web_write_id(c->own_write);
		c->write = c->own_write;
		fill_multipart(b, c, p);
	}
	b->type = (zinc_web_field){"Content-Type", b->type_text};
	c->fields = &b->type;
	c->nfields = 1;
	return ZINC_OK;
}

zinc_status
zinc_gs_put_one(gs_store *s, const zinc_put *p, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_web_call c;
	zinc_status st = make_call(s, &c, p, &e);

	if (st == ZINC_OK)
		st = zinc_web_one(&s->web, &c, wait, &e);
	if (st == ZINC_E_UNCERTAIN && c.write)
		st = resolve_put(&s->web, &c, wait, &e);
	*tag = c.tag;
	zinc_web_call_fini(&s->web, &c);
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	return st;
}

static bool
in_parts(const gs_store *s, const zinc_put *p, size_t *nbytes)
{
	*nbytes = 0;
	(void)zinc_iov_bytes(p->iov, p->niov, nbytes); /* values in memory: the sum cannot overflow */
	return *nbytes >= PARTS_FROM * s->part_bytes;
}

/* All of a put, step by step. */
static zinc_status
put_alone(zinc_web *w, const zinc_put *p, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	gs_store *s = (gs_store *)w;
	size_t nbytes;

	if (zinc_web_condition(p->when))
		ZINC_TRY(zinc_gs_check_puts(s, p->key, wait, err));
	if (in_parts(s, p, &nbytes))
		return zinc_gs_put_parts(s, p, nbytes, tag, wait, err);
	return zinc_gs_put_one(s, p, tag, wait, err);
}

/* ---- many at once ---- */

static bool
begin_put(zinc_web *w, zinc_web_call *c, const zinc_put *p)
{
	const gs_store *s = (const gs_store *)w;
	size_t nbytes;

	if ((zinc_web_condition(p->when) && !zinc_gs_is_tested(s)) || in_parts(s, p, &nbytes))
		return false;
	if (make_call(s, c, p, NULL) == ZINC_OK)
		return true;
	zinc_free(w->ctx, c->own); /* put_alone reports the lack of memory */
	return false;
}

/* Test the server before a batch with conditions, so that they can be sent together. */
static void
test_first(gs_store *s, const zinc_put *puts, size_t n, const zinc_wait *wait)
{
	size_t i;

	for (i = 0; i < n && !zinc_gs_is_tested(s); i++)
		if (zinc_web_condition(puts[i].when)) {
			(void)zinc_gs_check_puts(s, puts[i].key, wait, NULL); /* put_alone reports a failure */
			return;
		}
}

zinc_status
zinc_gs_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	static const zinc_web_put_ops ops = {.begin = begin_put, .alone = put_alone, .resolve = resolve_put};
	gs_store *s = (gs_store *)self;

	(void)group, (void)flags;
	test_first(s, puts, n, wait);
	return zinc_web_put(&s->web, &ops, puts, n, done, wait, err);
}
