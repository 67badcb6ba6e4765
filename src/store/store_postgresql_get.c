/*
 * store_postgresql_get.c - reading
 *
 * Requests of a call travel together, MOST at a time; each answer has generation, size and at most PIECE bytes of one
 * version of its row.  Longer values are read afterwards, in pieces, in a transaction that sees one state of the
 * database.  If the connection is lost between two pieces, the rest must be of the same generation.
 */
#include <limits.h>

#include "store/store_postgresql.h"

#if ZINC_WITH_POSTGRESQL

#define MOST      32
#define PIECE     (4 * ZINC_MIB) /* of a long value */
#define SNAPSHOT  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
#define INT32_TOP ((uint64_t)INT32_MAX - 1)

/* Some requests of a call. */
typedef struct batch {
	pg_store *s;
	const zinc_get *requests;
	const zinc_sink *sink;
	size_t first;       /* the sink counts from the begin of the call */
	size_t n;           /* at most MOST */
	bool done[MOST];    /* it was answered */
	bool is_long[MOST]; /* it is to be read in pieces */
	const zinc_wait *wait;
} batch;

/* ---- short values ---- */

static zinc_status
send_request(pg_conn *c, const zinc_get *r, zinc_error *err)
{
	pg_params p = {.n = 0};

	zinc_pg_add_text(&p, r->key);
	zinc_pg_add_number(&p, (int64_t)zinc_min_u64(r->suffix ? 0 : r->offset, INT32_TOP));
	zinc_pg_add_number(&p, r->stat ? 0 : (int64_t)zinc_min_u64(r->length, INT32_TOP));
	zinc_pg_add_number(&p, r->suffix != 0);
	zinc_pg_add_number(&p, r->if_tag ? zinc_pg_generation(r->if_tag) : -1);
	return zinc_pg_send(c, c->s->sql[PG_FIND], &p, err);
}

static zinc_status
read_result(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	const PGresult *r = (const PGresult *)arg;

	(void)offset;
	if ((uint64_t)PQgetlength(r, 0, 2) != nbytes)
		return zinc_fail(err, ZINC_E_IO, "PostgreSQL sent %d bytes instead of %llu", PQgetlength(r, 0, 2),
				 (unsigned long long)nbytes);
	zinc_iov_scatter(iov, niov, (const uint8_t *)PQgetvalue(r, 0, 2), (size_t)nbytes);
	return ZINC_OK;
}

/* Would its bytes be delivered, and were they too many for one answer? */
static bool
needs_pieces(const zinc_get *q, const PGresult *r, const zinc_tag *tag, uint64_t size)
{
	uint64_t offset, nbytes;

	zinc_get_select(q, size, &offset, &nbytes);
	return !q->stat && nbytes > 0 && (!q->if_tag || zinc_tag_equal(q->if_tag, tag)) && PQgetisnull(r, 0, 2);
}

/* The answer to request i of the batch. */
static void
answer(batch *b, size_t i, PGresult *r)
{
	const zinc_get *q = &b->requests[i];
	int64_t generation, size;
	zinc_error e;
	zinc_tag tag;

	zinc_error_clear(&e);
	if (PQntuples(r) == 0) {
		b->done[i] = true;
		zinc_sink_missing(b->sink, b->first + i);
		return;
	}
	if (!zinc_pg_number(r, 0, 0, &generation) || !zinc_pg_number(r, 0, 1, &size) || size < 0) {
		b->done[i] = true;
		zinc_fail(&e, ZINC_E_CORRUPT, "the row has no value or no generation");
		zinc_sink_failed(b->sink, b->first + i, ZINC_E_CORRUPT, &e);
		return;
	}
	zinc_pg_tag(generation, &tag);
	b->is_long[i] = needs_pieces(q, r, &tag, (uint64_t)size);
	if (b->is_long[i])
		return;
	b->done[i] = true;
	zinc_sink_serve(b->sink, b->first + i, q, (uint64_t)size, &tag, read_result, r, b->wait);
}

/* One round for those that are not answered yet. */
static zinc_status
ask_all(batch *b, pg_conn *c, zinc_error *err)
{
	PGresult *r = NULL;
	size_t i;

	for (i = 0; i < b->n; i++)
		if (!b->done[i] && !b->is_long[i])
			ZINC_TRY(send_request(c, &b->requests[i], err));
	ZINC_TRY(zinc_pg_sent(c, err));
	for (i = 0; i < b->n; i++)
		if (!b->done[i] && !b->is_long[i]) {
			ZINC_TRY(zinc_pg_take(c, &r, err));
			answer(b, i, r);
			PQclear(r);
		}
	return zinc_pg_end(c, err);
}

/* Without a table there is no key. */
static zinc_status
ask_once(batch *b, pg_try *t)
{
	pg_conn *c;
	zinc_status st;
	size_t i;

	ZINC_TRY(zinc_pg_enter(t, &c));
	st = ask_all(b, c, &t->error);
	if (st != ZINC_OK && c->fault == PG_NO_TABLE) {
		st = zinc_pg_end(c, &t->error);
		if (st == ZINC_OK)
			st = zinc_pg_check_hidden(c, &t->error);
		for (i = 0; i < b->n && st == ZINC_OK; i++)
			if (!b->done[i] && !b->is_long[i]) {
				b->done[i] = true;
				zinc_sink_missing(b->sink, b->first + i);
			}
	}
	zinc_pg_leave(t, c);
	return st;
}

/* ---- long values ---- */

typedef struct reading {
	pg_try t;
	pg_conn *c; /* in a transaction; NULL: none */
	const char *key;
	bool found, known;
	int64_t generation, size; /* once they are known */
} reading;

static void
stop_reading(reading *x)
{
	if (x->c) {
		if (!x->c->broken)
			zinc_pg_run(x->c, "COMMIT", NULL, NULL, NULL);
		zinc_pg_leave(&x->t, x->c);
	}
	x->c = NULL;
}

/* The row in a state of the database that stays until stop_reading. */
static zinc_status
look(reading *x, zinc_error *err)
{
	pg_params p = {.n = 0};
	PGresult *r = NULL;
	int64_t generation = 0, size = 0;
	zinc_status st;
	bool found;

	zinc_pg_add_text(&p, x->key);
	ZINC_TRY(zinc_pg_run(x->c, SNAPSHOT, NULL, NULL, err));
	ZINC_TRY(zinc_pg_run(x->c, x->c->s->sql[PG_STAT], &p, &r, err));
	found = PQntuples(r) > 0;
	st = !found || (zinc_pg_number(r, 0, 0, &generation) && zinc_pg_number(r, 0, 1, &size) && size >= 0)
		 ? ZINC_OK
		 : zinc_fail(err, ZINC_E_CORRUPT, "the row has no value or no generation");
	PQclear(r);
	if (st == ZINC_OK && x->known && (!found || generation != x->generation)) {
		x->c->fault = PG_FINAL;
		return zinc_fail(err, ZINC_E_CONFLICT, "the value was changed while it was being read");
	}
	x->found = found;
	x->known = st == ZINC_OK;
	x->generation = generation;
	x->size = size;
	return st;
}

static zinc_status
begin_reading(reading *x, zinc_error *err)
{
	zinc_status st;

	do {
		st = zinc_pg_enter(&x->t, &x->c);
		if (st == ZINC_OK)
			st = look(x, &x->t.error);
		if (st != ZINC_OK)
			stop_reading(x);
	} while (zinc_pg_again(&x->t, &st, err));
	return st;
}

static zinc_status
read_piece(reading *x, uint64_t offset, uint64_t n, zinc_iov_at *to, zinc_error *err)
{
	pg_params p = {.n = 0};
	PGresult *r = NULL;
	struct iovec v;
	const uint8_t *bytes;
	size_t part, left;

	zinc_pg_add_text(&p, x->key);
	zinc_pg_add_number(&p, (int64_t)offset + 1);
	zinc_pg_add_number(&p, (int64_t)n);
	ZINC_TRY(zinc_pg_run(x->c, x->c->s->sql[PG_PIECE], &p, &r, err));
	if (PQntuples(r) != 1 || PQnfields(r) != 2 || (uint64_t)PQgetlength(r, 0, 1) != n) {
		PQclear(r);
		return zinc_fail(err, ZINC_E_IO, "PostgreSQL sent another number of bytes than was asked for");
	}
	bytes = (const uint8_t *)PQgetvalue(r, 0, 1);
	for (left = (size_t)n; left && zinc_iov_next(to, &v, 1); left -= part, bytes += part) {
		part = v.iov_len < left ? v.iov_len : left;
		memcpy(v.iov_base, bytes, part);
		zinc_iov_advance(to, part);
	}
	PQclear(r);
	return ZINC_OK;
}

static zinc_status
read_pieces(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	reading *x = (reading *)arg;
	zinc_iov_at to = {iov, niov, 0};
	zinc_status st = ZINC_OK;
	uint64_t n;

	while (nbytes && st == ZINC_OK) {
		n = zinc_min_u64(nbytes, PIECE);
		st = read_piece(x, offset, n, &to, &x->t.error);
		if (st == ZINC_OK) {
			offset += n;
			nbytes -= n;
			continue;
		}
		stop_reading(x);
		if (zinc_pg_again(&x->t, &st, err))
			st = begin_reading(x, err);
	}
	stop_reading(x);
	return st;
}

static void
answer_long(batch *b, size_t i)
{
	const zinc_get *q = &b->requests[i];
	reading x = {.key = q->key};
	zinc_status st;
	zinc_error e;
	zinc_tag tag;

	zinc_error_clear(&e);
	zinc_pg_try(&x.t, b->s, b->wait);
	st = begin_reading(&x, &e);
	zinc_pg_tag(x.generation, &tag);
	b->done[i] = true;
	if (st != ZINC_OK)
		zinc_sink_failed(b->sink, b->first + i, st, &e);
	else if (x.found)
		zinc_sink_serve(b->sink, b->first + i, q, (uint64_t)x.size, &tag, read_pieces, &x, b->wait);
	else
		zinc_sink_missing(b->sink, b->first + i);
	stop_reading(&x);
}

/* ---- the slot ---- */

static void
get_batch(batch *b)
{
	zinc_status st;
	size_t i;
	pg_try t;

	zinc_pg_try(&t, b->s, b->wait);
	do
		st = ask_once(b, &t);
	while (zinc_pg_again(&t, &st, NULL));
	for (i = 0; i < b->n; i++) {
		if (b->done[i])
			continue;
		if (st == ZINC_OK || b->is_long[i])
			answer_long(b, i);
		else
			zinc_sink_failed(b->sink, b->first + i, st, &t.error);
	}
}

zinc_status
zinc_pg_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	    zinc_error *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < n; i += MOST) {
		batch b = {.s = (pg_store *)self,
			   .requests = requests + i,
			   .sink = sink,
			   .first = i,
			   .n = n - i < MOST ? n - i : MOST,
			   .wait = wait};

		get_batch(&b);
	}
	return ZINC_OK;
}

#endif
