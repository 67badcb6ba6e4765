/*
 * store_postgresql_error.c - the server's failures as statuses, with advice
 *
 * A failure is known by its SQLSTATE, never by words, which depend on the server's language.  libpq keeps no SQLSTATE of
 * a connection that fails; it is asked to write it into its text ("FATAL:  57P03: the database ...").
 */
#include <ctype.h>
#include <stdio.h>

#include "store/store_postgresql.h"

#if ZINC_WITH_POSTGRESQL

#define MOST_TEXT 400

/* Of a code, or of a class if `state` is shorter; the first that fits. */
static const struct meaning {
	const char *state;
	pg_fault fault;
	zinc_status status;
	const char *advice;
} meanings[] = {
    {"42P01", PG_NO_TABLE, ZINC_E_IO, ""},
    {"3F000", PG_NO_TABLE, ZINC_E_IO, "; create the schema"},
    {"40", PG_AGAIN, ZINC_E_IO, ""},
    {"55P03", PG_AGAIN, ZINC_E_IO, ""},
    {"57P04", PG_FINAL, ZINC_E_IO, "; the database was dropped"},
    {"57P", PG_LOST, ZINC_E_IO, ""},
    {"25P03", PG_LOST, ZINC_E_IO, ""},
    {"08", PG_LOST, ZINC_E_IO, ""},
    {"53300", PG_LOST, ZINC_E_IO, "; raise max_connections, or let fewer programs use the server"},
    {"25006", PG_FINAL, ZINC_E_READONLY, "; a standby, or a role that only reads: it cannot be written"},
    {"42501", PG_FINAL, ZINC_E_IO,
     "; to read a role needs SELECT on the table and USAGE on its schema; to write also INSERT, UPDATE and DELETE, and "
     "USAGE on its sequence; "
     "for a new table CREATE on the schema"},
    {"28", PG_FINAL, ZINC_E_IO, "; check user, password (PGPASSWORD, ~/.pgpass) and the server's pg_hba.conf"},
    {"3D000", PG_FINAL, ZINC_E_IO, "; create it with createdb"},
    {"42703", PG_FINAL, ZINC_E_UNSUPPORTED,
     "; the table needs the columns key text, value bytea, generation bigint: name another by postgresql.table"},
    {"428", PG_FINAL, ZINC_E_UNSUPPORTED,
     "; the columns must be key text, value bytea, generation bigint: name another table by postgresql.table"},
    {"42804", PG_FINAL, ZINC_E_UNSUPPORTED,
     "; the columns must be key text, value bytea, generation bigint: name another table by postgresql.table"},
    {"42P10", PG_FINAL, ZINC_E_UNSUPPORTED, "; the column key must be the primary key"},
    {"23502", PG_FINAL, ZINC_E_UNSUPPORTED, "; the column generation needs a default from a sequence"},
    {"2202", PG_FINAL, ZINC_E_UNSUPPORTED, ""},
    {"22P05", PG_FINAL, ZINC_E_UNSUPPORTED, "; the database must be of the encoding UTF8"},
    {"54", PG_FINAL, ZINC_E_LIMIT, ""},
    {"57014", PG_FINAL, ZINC_E_IO, "; the server's statement_timeout may be too short"},
    {"XX001", PG_FINAL, ZINC_E_CORRUPT, ""},
    {"XX002", PG_FINAL, ZINC_E_CORRUPT, "; REINDEX the table"},
    {"", PG_FINAL, ZINC_E_IO, ""},
};

static const struct meaning *
find(const char *state)
{
	const struct meaning *m = meanings;

	while (strncmp(state, m->state, strlen(m->state)) != 0)
		m++;
	return m;
}

pg_fault
zinc_pg_fault_of(const char *state)
{
	return find(state)->fault;
}

/* The first line of a text, without white space at its end. */
static void
first_line(char out[MOST_TEXT], const char *text)
{
	size_t n = strcspn(text, "\n");

	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	snprintf(out, MOST_TEXT, "%.*s", (int)n, text);
}

/* The connection is of no use any more. */
static zinc_status
fail_lost(pg_conn *c, zinc_error *err)
{
	char line[MOST_TEXT];

	c->broken = true;
	c->fault = PG_LOST;
	c->state[0] = '\0';
	first_line(line, PQerrorMessage(c->db));
	return zinc_fail(err, ZINC_E_IO, "the connection to PostgreSQL was lost: %s",
			 line[0] ? line : "no reason is known");
}

zinc_status
zinc_pg_fail(pg_conn *c, const PGresult *res, zinc_error *err)
{
	const char *state = res ? PQresultErrorField(res, PG_DIAG_SQLSTATE) : NULL, *text;
	const struct meaning *m;
	char line[MOST_TEXT];

	if (!state)
		return fail_lost(c, err);
	m = find(state);
	snprintf(c->state, sizeof c->state, "%s", state);
	c->fault = m->fault;
	c->broken = c->broken || m->fault == PG_LOST || PQstatus(c->db) != CONNECTION_OK;
	text = PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY);
	first_line(line, text ? text : "");
	return zinc_fail(err, m->status, "PostgreSQL: %s (SQLSTATE %s)%s", line, state, m->advice);
}

/* ---- tables that are not seen ---- */

/* A schema of the search path that has the table, and that this role may not use: PostgreSQL passes over it. */
#define HIDDEN                                                                                                         \
	"SELECT n.nspname::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE "            \
	"array_length(parse_ident($1::text), 1) = 1 AND c.relname = (parse_ident($1::text))[1] AND NOT "               \
	"has_schema_privilege(n.oid, 'USAGE') AND n.nspname IN (SELECT CASE WHEN w = '\"$user\"' THEN "                \
	"current_user::text WHEN left(w, 1) = '\"' THEN replace(substr(w, 2, length(w) - 2), '\"\"', '\"') ELSE "      \
	"lower(w) END FROM (SELECT btrim(a) AS w FROM regexp_split_to_table(current_setting('search_path'), ',') AS "  \
	"a) AS b) LIMIT 1"

zinc_status
zinc_pg_check_hidden(pg_conn *c, zinc_error *err)
{
	pg_params p = {.n = 0};
	PGresult *r = NULL;
	zinc_status st = ZINC_OK;

	zinc_pg_add_text(&p, c->s->table);
	ZINC_TRY(zinc_pg_run(c, HIDDEN, &p, &r, err));
	if (PQntuples(r) > 0) {
		c->fault = PG_FINAL;
		st = zinc_fail(
		    err, ZINC_E_IO,
		    "PostgreSQL: the table %s is in the schema \"%.100s\", which this role may not use: GRANT "
		    "USAGE ON SCHEMA, or name another table",
		    c->s->table, zinc_pg_column(r, 0, 0));
	}
	PQclear(r);
	return st;
}

/* ---- connecting ---- */

/* The code in "FATAL:  57P03: the database system is starting up"; returns what follows it. */
static const char *
find_state(const char *text, char state[6])
{
	const char *at = text;
	int i;

	for (; (at = strstr(at, ":  ")); at += 3) {
		for (i = 0; i < 5 && (isdigit((unsigned char)at[3 + i]) || isupper((unsigned char)at[3 + i])); i++)
			state[i] = at[3 + i];
		state[i] = '\0';
		if (i == 5 && at[8] == ':')
			return at + 9 + (at[9] == ' ');
	}
	state[0] = '\0';
	return NULL;
}

zinc_status
zinc_pg_fail_connect(const char *text, pg_fault *fault, zinc_error *err)
{
	char line[MOST_TEXT], state[6];
	const char *said = find_state(text, state);
	const struct meaning *m;

	if (!said) {
		/* "invalid sslmode value", before libpq tries anything */
		const bool refused = strncmp(text, "invalid ", 8) == 0;

		*fault = refused ? PG_FINAL : PG_DOWN;
		first_line(line, text);
		return zinc_fail(err, refused ? ZINC_E_INVALID : ZINC_E_IO, "cannot connect to PostgreSQL: %s", line);
	}
	m = find(state);
	*fault = m->fault == PG_LOST ? PG_AGAIN : m->fault;
	first_line(line, said);
	return zinc_fail(err, m->status, "cannot connect to PostgreSQL: %s (SQLSTATE %s)%s", line, state, m->advice);
}

#endif
