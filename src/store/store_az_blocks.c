/*
 * store_az_blocks.c - large values: blocks, and the list that makes them a value
 *
 *     PUT ?comp=block&blockid=...    many at once
 *     PUT ?comp=blocklist            the value appears, whole, if its condition holds
 *
 * Blocks that no list names are dropped by Azure after a week, and by the next put of the same key.  So the blocks of one
 * writer can vanish because another one was faster: then InvalidBlockList says so, and the put begins again.
 *
 * Promises (tests/unit/test_store_az_put.c names each by its number, as those of store_az_put.c):
 *
 * (4) The value appears whole or not at all.
 * (5) Block ids are those of one put, so that the blocks of two writers are never mixed.
 * (6) Blocks that were dropped for another writer's are sent again, at most five times, unless the condition fails.
 * (7) A key whose uncommitted blocks have ids of another length, by another program, is put by one request.
 */
#include <inttypes.h>
#include <stdio.h>

#include "store/store_az.h"

#define MAX_BLOCKS 50000
#define MAX_WHOLE  ((uint64_t)5000 * ZINC_MIB)
#define MAX_LIST   (8 * ZINC_MIB)
#define ID_BYTES   48 /* "write id" and number, before base64 */
#define TRIES      5

typedef struct block {
	struct iovec *slice;
	char *query;
} block;

/* One put. */
typedef struct upload {
	az_store *store;
	const zinc_put *put;
	uint64_t nbytes, block_bytes;
	const zinc_wait *wait;
	block *blocks;
	zinc_web_calls calls;
	zinc_status status; /* of the first block that failed */
	char code[ZINC_WEB_NAME];
	zinc_error *err;
	char write[40];
} upload;

/* ---- blocks ---- */

/* In base64; of equal length for all blocks, without characters that a query escapes but '+', '/' and '='. */
static zinc_status
add_id(zinc_buf *out, const upload *u, size_t k, zinc_error *err)
{
	char id[ID_BYTES];

	snprintf(id, sizeof id, "%.39s-%05u", u->write, (unsigned)(k % 100000)); /* 50 000 at most */
	return zinc_base64_encode(id, strlen(id), out, err);
}

static zinc_status
make_query(const upload *u, size_t k, char **out, zinc_error *err)
{
	zinc_buf id, query;
	zinc_status st;

	zinc_buf_init(&id, u->store->web.ctx, 2 * ID_BYTES);
	zinc_buf_init(&query, u->store->web.ctx, ZINC_MAX_KEY);
	st = add_id(&id, u, k, err);
	if (st == ZINC_OK)
		st = zinc_buf_puts(&query, "comp=block&blockid=", err);
	if (st == ZINC_OK)
		st = zinc_form_escape(&query, zinc_buf_text(&id), err);
	if (st == ZINC_OK && !zinc_buf_text(&query))
		st = zinc_fail_nomem(err);
	*out = (char *)query.p;
	zinc_buf_fini(&id);
	return st;
}

static zinc_status
make_block(upload *u, size_t k, zinc_error *err)
{
	const uint64_t offset = k * u->block_bytes, n = zinc_min_u64(u->nbytes - offset, u->block_bytes);
	zinc_web_call *c = &u->calls.all[k];
	block *b = &u->blocks[k];

	*c = (zinc_web_call){.method = "PUT", .key = u->put->key, .sends = true, .i = k};
	ZINC_TRY(zinc_web_slice(u->store->web.ctx, u->put, offset, n, &b->slice, &c->nbody, err));
	ZINC_TRY(make_query(u, k, &b->query, err));
	c->body = b->slice;
	c->query = b->query;
	return ZINC_OK;
}

static void
on_block(void *arg, zinc_web_call *c, const zinc_error *err)
{
	upload *u = (upload *)arg;

	if (u->status == ZINC_OK && c->result != ZINC_OK) {
		u->status = c->result;
		memcpy(u->code, c->code, sizeof u->code);
		zinc_error_copy(u->err, err);
	}
}

static zinc_status
send_blocks(upload *u, zinc_error *err)
{
	size_t k;

	for (k = 0; k < u->calls.n; k++)
		ZINC_TRY(make_block(u, k, err));
	u->err = err;
	ZINC_TRY(zinc_web_run(&u->calls, err));
	return u->status;
}

/* ---- the list ---- */

/* "Latest" also finds blocks of a list that was executed, so that it can be sent again. */
static zinc_status
write_list(zinc_buf *out, const upload *u, zinc_error *err)
{
	size_t k;

	ZINC_TRY(zinc_buf_puts(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>", err));
	for (k = 0; k < u->calls.n; k++) {
		ZINC_TRY(zinc_buf_puts(out, "<Latest>", err));
		ZINC_TRY(add_id(out, u, k, err));
		ZINC_TRY(zinc_buf_puts(out, "</Latest>", err));
	}
	return zinc_buf_puts(out, "</BlockList>", err);
}

/* Sent again, a list may find that its blocks are gone, because it was executed, and then another put was. */
static zinc_status
send_list(upload *u, zinc_tag *tag, zinc_error *err)
{
	zinc_web_call c = {.method = "PUT",
			   .key = u->put->key,
			   .query = "comp=blocklist",
			   .sends = true,
			   .when = zinc_web_condition(u->put->when),
			   .write = u->write,
			   .nbody = 1};
	zinc_error e = ZINC_ERROR_INIT;
	struct iovec body;
	zinc_status st;
	zinc_buf text;

	zinc_buf_init(&text, u->store->web.ctx, MAX_LIST);
	st = write_list(&text, u, &e);
	body = (struct iovec){text.p, text.n};
	c.body = &body;
	if (st == ZINC_OK)
		st = zinc_web_one(&u->store->web, &c, u->wait, &e);
	if (st == ZINC_E_UNCERTAIN)
		st = zinc_az_resolve(&u->store->web, &c, u->wait, &e);
	*tag = c.tag;
	memcpy(u->code, c.code, sizeof u->code);
	zinc_web_call_fini(&u->store->web, &c);
	zinc_buf_fini(&text);
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	return st;
}

/* ---- one upload ---- */

static zinc_status
upload_init(upload *u, zinc_error *err)
{
	zinc_context *ctx = u->store->web.ctx;
	const size_t n = (size_t)((u->nbytes - 1) / u->block_bytes + 1);

	zinc_web_write_id(u->write);
	u->code[0] = '\0';
	u->status = ZINC_OK;
	u->blocks = (block *)zinc_calloc(ctx, n, sizeof *u->blocks);
	u->calls = (zinc_web_calls){.web = &u->store->web, .n = n, .ended = on_block, .arg = u, .wait = u->wait};
	u->calls.all = (zinc_web_call *)zinc_calloc(ctx, n, sizeof *u->calls.all);
	return u->blocks && u->calls.all ? ZINC_OK : zinc_fail_nomem(err);
}

static void
upload_fini(upload *u)
{
	zinc_context *ctx = u->store->web.ctx;
	size_t k;

	for (k = 0; u->blocks && u->calls.all && k < u->calls.n; k++) {
		zinc_web_call_fini(&u->store->web, &u->calls.all[k]);
		zinc_free(ctx, u->blocks[k].slice);
		zinc_free(ctx, u->blocks[k].query);
	}
	zinc_free(ctx, u->blocks);
	zinc_free(ctx, u->calls.all);
}

static zinc_status
upload_once(upload *u, zinc_tag *tag, zinc_error *err)
{
	zinc_status st = upload_init(u, err);

	if (st == ZINC_OK)
		st = send_blocks(u, err);
	if (st == ZINC_OK)
		st = send_list(u, tag, err);
	upload_fini(u);
	return st;
}

/* Another put has dropped our blocks: is there still something to do? */
static zinc_status
may_repeat(upload *u, zinc_error *err)
{
	const zinc_condition *when = zinc_web_condition(u->put->when);

	return when ? zinc_az_check_value(u->store, u->put->key, when, u->wait, err) : ZINC_OK;
}

static bool
is_dropped(const upload *u, zinc_status st)
{
	return st != ZINC_OK && strcmp(u->code, "InvalidBlockList") == 0 &&
	       (st != ZINC_E_UNCERTAIN || !zinc_web_condition(u->put->when));
}

static bool
has_other_ids(const upload *u)
{
	return strcmp(u->code, "InvalidBlobOrBlock") == 0 || strcmp(u->code, "InvalidBlockId") == 0 ||
	       strcmp(u->code, "BlockCountExceedsLimit") == 0;
}

zinc_status
zinc_az_put_blocks(az_store *s, const zinc_put *put, uint64_t nbytes, zinc_tag *tag, const zinc_wait *wait,
		   zinc_error *err)
{
	upload u = {.store = s, .put = put, .nbytes = nbytes, .wait = wait};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = ZINC_OK;
	int k;

	u.block_bytes = zinc_max_u64(s->block_bytes, nbytes / MAX_BLOCKS + 1);
	for (k = 0; k < TRIES; k++) {
		st = upload_once(&u, tag, &e);
		if (!is_dropped(&u, st))
			break;
		ZINC_TRY(may_repeat(&u, err));
	}
	if (st != ZINC_OK && st != ZINC_E_UNCERTAIN && has_other_ids(&u) && nbytes <= MAX_WHOLE)
		return zinc_az_put_whole(s, put, tag, wait, err);
	return st == ZINC_OK ? ZINC_OK : zinc_error_copy(err, &e);
}
