/*
 * store_postgresql_sql.c - statements, their parameters and results
 *
 * Every connection is in libpq's pipeline mode: many statements travel in one round.  Numbers and values travel as
 * binary, so that nothing is escaped.  Statements are not prepared: they work behind a pooler that gives each
 * transaction another session.
 */
#include <limits.h>

#include "store/store_postgresql.h"

#if ZINC_WITH_POSTGRESQL

#define MOST_QUEUED ZINC_MIB /* bytes that libpq may hold before they are sent */

/*
 * PG_FIND gives generation, size and, if they are at most 1 MiB, the bytes that the request selects: $2 offset, $3
 * length, $4 whether it is a suffix, $5 the generation that they must have (-1: any).  Every part of a row is of one
 * version of it.  Keys are compared by bytes, also if the table was made without COLLATE "C".
 */
static const char *const texts[PG_TEXTS] = {
    [PG_FIND] =
	"SELECT generation, size::int8, CASE WHEN n <= 1048576 AND ($5::int8 = -1 OR $5::int8 = generation) THEN "
	"substring(value FROM (CASE WHEN $4::int8 = 1 THEN size - n ELSE $2::int8 END + 1)::int4 FOR n::int4) END FROM "
	"(SELECT generation, value, size, least($3::int8, CASE WHEN $4::int8 = 1 THEN size ELSE greatest(size - "
	"$2::int8, 0) END) AS n FROM (SELECT generation, value, octet_length(value) AS size FROM @ WHERE key = $1) AS "
	"a) AS b",
    [PG_STAT] = "SELECT generation, octet_length(value)::int8 FROM @ WHERE key = $1",
    [PG_PIECE] = "SELECT generation, substring(value FROM $2::int8::int4 FOR $3::int8::int4) FROM @ WHERE key = $1",
    [PG_PUT] = "INSERT INTO @ (key, value) VALUES ($1, $2::bytea) ON CONFLICT (key) DO UPDATE SET value = "
	       "EXCLUDED.value, generation = EXCLUDED.generation RETURNING generation",
    [PG_PUT_ABSENT] =
	"INSERT INTO @ (key, value) VALUES ($1, $2::bytea) ON CONFLICT (key) DO NOTHING RETURNING generation",
    [PG_PUT_EQUALS] = "UPDATE @ SET value = $2::bytea, generation = DEFAULT WHERE key = $1 AND generation = $3::int8 "
		      "RETURNING generation",
    [PG_DEL] = "DELETE FROM @ WHERE key = $1",
    [PG_DEL_EQUALS] = "DELETE FROM @ WHERE key = $1 AND generation = $2::int8 RETURNING generation",
    [PG_DEL_RANGE] = "DELETE FROM @ WHERE key COLLATE \"C\" >= $1 AND key COLLATE \"C\" < $2",
    [PG_DEL_ALL] = "DELETE FROM @",
    [PG_LIST] = "SELECT key, octet_length(value)::int8 FROM @ WHERE key COLLATE \"C\" >= $1 AND ($2::int8 = 0 OR key "
		"<> $1) AND key COLLATE \"C\" < $4 ORDER BY key COLLATE \"C\" LIMIT $3::int8",
    [PG_LIST_KEYS] = "SELECT key, 0::int8 FROM @ WHERE key COLLATE \"C\" >= $1 AND ($2::int8 = 0 OR key <> $1) AND key "
		     "COLLATE \"C\" < $4 ORDER BY key COLLATE \"C\" LIMIT $3::int8",
    [PG_LIST_ALL] = "SELECT key, octet_length(value)::int8 FROM @ WHERE key COLLATE \"C\" >= $1 AND ($2::int8 = 0 OR "
		    "key <> $1) ORDER BY key COLLATE \"C\" LIMIT $3::int8",
    [PG_LIST_ALL_KEYS] = "SELECT key, 0::int8 FROM @ WHERE key COLLATE \"C\" >= $1 AND ($2::int8 = 0 OR key <> $1) "
			 "ORDER BY key COLLATE \"C\" LIMIT $3::int8",
};

/* One statement with the name of the table. */
static zinc_status
make_text(pg_store *s, const char *pattern, char **out, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	const char *at;
	zinc_buf b;

	zinc_buf_init(&b, s->batched.ctx, ZINC_MAX_KEY);
	for (; st == ZINC_OK && (at = strchr(pattern, '@')); pattern = at + 1) {
		st = zinc_buf_add(&b, pattern, (size_t)(at - pattern), err);
		if (st == ZINC_OK)
			st = zinc_buf_puts(&b, s->table, err);
	}
	if (st == ZINC_OK)
		st = zinc_buf_puts(&b, pattern, err);
	if (st == ZINC_OK) {
		*out = zinc_strndup(s->batched.ctx, (const char *)b.p, b.n);
		st = *out ? ZINC_OK : zinc_fail_nomem(err);
	}
	zinc_buf_fini(&b);
	return st;
}

zinc_status
zinc_pg_texts(pg_store *s, zinc_error *err)
{
	int i;

	for (i = 0; i < PG_TEXTS; i++)
		ZINC_TRY(make_text(s, texts[i], &s->sql[i], err));
	return ZINC_OK;
}

/* ---- parameters ---- */

void
zinc_pg_add_text(pg_params *p, const char *text)
{
	p->value[p->n] = text;
	p->length[p->n] = 0;
	p->format[p->n++] = 0;
}

/* A parameter without bytes must not be NULL, which is SQL's. */
void
zinc_pg_add_bytes(pg_params *p, const void *bytes, size_t n)
{
	p->value[p->n] = n ? (const char *)bytes : "";
	p->length[p->n] = (int)n;
	p->format[p->n++] = 1;
}

/* Big-endian, as PostgreSQL sends numbers. */
static void
write_number(uint8_t b[8], int64_t number)
{
	int i;

	for (i = 0; i < 8; i++)
		b[i] = (uint8_t)((uint64_t)number >> (56 - 8 * i));
}

static int64_t
read_number(const uint8_t b[8])
{
	uint64_t n = 0;
	int64_t number;
	int i;

	for (i = 0; i < 8; i++)
		n = n << 8 | b[i];
	memcpy(&number, &n, sizeof n);
	return number;
}

void
zinc_pg_add_number(pg_params *p, int64_t number)
{
	write_number(p->room[p->n], number);
	zinc_pg_add_bytes(p, p->room[p->n], 8);
}

zinc_status
zinc_pg_add_end(pg_params *p, const char *prefix, zinc_buf *end, zinc_error *err)
{
	zinc_buf_end(end, 0);
	ZINC_TRY(zinc_buf_puts(end, prefix, err));
	end->p[end->n - 1]++; /* '/' becomes '0' */
	if (!zinc_buf_text(end))
		return zinc_fail_nomem(err);
	zinc_pg_add_text(p, (const char *)end->p);
	return ZINC_OK;
}

/* ---- rounds ---- */

/* Send what libpq holds.  What arrives meanwhile is taken, or the server would stop to read. */
static zinc_status
flush(pg_conn *c, zinc_error *err)
{
	int left;

	while ((left = PQflush(c->db)) == 1) {
		ZINC_TRY(zinc_pg_wait(c, true, err));
		if (!PQconsumeInput(c->db))
			return zinc_pg_fail(c, NULL, err);
	}
	c->queued = 0;
	return left == 0 ? ZINC_OK : zinc_pg_fail(c, NULL, err);
}

zinc_status
zinc_pg_send(pg_conn *c, const char *sql, const pg_params *p, zinc_error *err)
{
	static const pg_params none;
	int i;

	if (!p)
		p = &none;
	ZINC_TRY(zinc_wait_check(c->wait, err));
	if (!PQsendQueryParams(c->db, sql, p->n, NULL, p->value, p->length, p->format, 1))
		return zinc_pg_fail(c, NULL, err);
	for (i = 0; i < p->n; i++)
		c->queued += (size_t)p->length[i];
	return c->queued > MOST_QUEUED ? flush(c, err) : ZINC_OK;
}

zinc_status
zinc_pg_sent(pg_conn *c, zinc_error *err)
{
	c->since = zinc_now(c->s->batched.ctx);
	if (!PQpipelineSync(c->db))
		return zinc_pg_fail(c, NULL, err);
	return flush(c, err);
}

/* The next result; libpq puts a NULL after that of each statement. */
static zinc_status
next(pg_conn *c, PGresult **out, zinc_error *err)
{
	int nulls;

	for (nulls = 0; nulls < 2; nulls++) {
		while (PQisBusy(c->db)) {
			ZINC_TRY(zinc_pg_wait(c, false, err));
			if (!PQconsumeInput(c->db))
				return zinc_pg_fail(c, NULL, err);
		}
		*out = PQgetResult(c->db);
		if (*out)
			return ZINC_OK;
	}
	return zinc_pg_fail(c, NULL, err);
}

zinc_status
zinc_pg_take(pg_conn *c, PGresult **out, zinc_error *err)
{
	zinc_status st;

	ZINC_TRY(next(c, out, err));
	if (PQresultStatus(*out) == PGRES_TUPLES_OK || PQresultStatus(*out) == PGRES_COMMAND_OK)
		return ZINC_OK;
	st = zinc_pg_fail(c, *out, err);
	PQclear(*out);
	*out = NULL;
	return st;
}

zinc_status
zinc_pg_end(pg_conn *c, zinc_error *err)
{
	PGresult *r = NULL;
	bool end = false;

	while (!end) {
		if (c->broken)
			return ZINC_E_IO;
		ZINC_TRY(next(c, &r, err));
		end = PQresultStatus(r) == PGRES_PIPELINE_SYNC;
		PQclear(r);
	}
	return ZINC_OK;
}

zinc_status
zinc_pg_run(pg_conn *c, const char *sql, const pg_params *p, PGresult **out, zinc_error *err)
{
	PGresult *r = NULL;
	zinc_status st;

	ZINC_TRY(zinc_pg_send(c, sql, p, err));
	ZINC_TRY(zinc_pg_sent(c, err));
	st = zinc_pg_take(c, &r, err);
	if (!c->broken && zinc_pg_end(c, st == ZINC_OK ? err : NULL) != ZINC_OK && st == ZINC_OK)
		st = err ? err->code : ZINC_E_IO;
	if (st == ZINC_OK && out)
		*out = r;
	else
		PQclear(r);
	return st;
}

/* ---- results ---- */

bool
zinc_pg_number(const PGresult *r, int row, int column, int64_t *out)
{
	if (column >= PQnfields(r) || row >= PQntuples(r) || PQgetisnull(r, row, column) ||
	    PQgetlength(r, row, column) != 8)
		return false;
	*out = read_number((const uint8_t *)PQgetvalue(r, row, column));
	return true;
}

const char *
zinc_pg_column(const PGresult *r, int row, int column)
{
	return column < PQnfields(r) && row < PQntuples(r) ? PQgetvalue(r, row, column) : "";
}

void
zinc_pg_tag(int64_t generation, zinc_tag *out)
{
	out->n = 8;
	write_number(out->b, generation);
}

int64_t
zinc_pg_generation(const zinc_tag *tag)
{
	return tag->n == 8 ? read_number(tag->b) : -1;
}

#endif
