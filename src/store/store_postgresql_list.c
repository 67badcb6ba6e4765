/*
 * store_postgresql_list.c - listing: pages of the table's index, each after the last key of the one before
 */
#include "store/store_postgresql.h"

#if ZINC_WITH_POSTGRESQL

/* Rows of a page.  One level of a listing often seeks past a row, so that a long page would be wasted. */
#define PAGE       256
#define PAGE_LEVEL 32

/* Where a page begins.  A NUL at its end, which PostgreSQL's text cannot have, means: after that key. */
typedef struct page {
	pg_store *s;
	const char *prefix;
	zinc_buf from, end;
	bool after, sizes;
} page;

static zinc_status
set_from(page *x, const void *bytes, size_t n, bool after, zinc_error *err)
{
	const uint8_t *b = (const uint8_t *)bytes;

	zinc_buf_end(&x->from, 0);
	x->after = after || (n > 0 && b[n - 1] == '\0');
	ZINC_TRY(zinc_buf_add(&x->from, b, n, err));
	return zinc_buf_text(&x->from) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
ask(page *x, pg_conn *c, PGresult **out, zinc_error *err)
{
	const bool all = !x->prefix[0];
	const pg_text text = x->sizes ? (all ? PG_LIST_ALL : PG_LIST) : (all ? PG_LIST_ALL_KEYS : PG_LIST_KEYS);
	pg_params p = {.n = 0};

	zinc_pg_add_text(&p, (const char *)x->from.p);
	zinc_pg_add_number(&p, x->after);
	zinc_pg_add_number(&p, x->sizes ? PAGE : PAGE_LEVEL);
	if (!all)
		ZINC_TRY(zinc_pg_add_end(&p, x->prefix, &x->end, err));
	return zinc_pg_run(c, c->s->sql[text], &p, out, err);
}

/* *out is NULL if there is no table. */
static zinc_status
read_page(page *x, PGresult **out, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;
	pg_conn *c;
	pg_try t;

	*out = NULL;
	zinc_pg_try(&t, x->s, wait);
	do {
		st = zinc_pg_enter(&t, &c);
		if (st != ZINC_OK)
			continue;
		st = ask(x, c, out, &t.error);
		if (st != ZINC_OK && c->fault == PG_NO_TABLE)
			st = zinc_pg_check_hidden(c, &t.error);
		zinc_pg_leave(&t, c);
	} while (zinc_pg_again(&t, &st, err));
	return st;
}

/* Pass the rows on; *more: there may be others after them. */
static zinc_status
pass_page(page *x, const PGresult *r, zinc_ordered_row_fn fn, void *arg, bool *more, zinc_error *err)
{
	const int n = PQntuples(r);
	int64_t size;
	int i;

	*more = n == (x->sizes ? PAGE : PAGE_LEVEL);
	for (i = 0; i < n; i++) {
		const bool has = zinc_pg_number(r, i, 1, &size) && size >= 0;

		if (fn(arg, PQgetvalue(r, i, 0), (size_t)PQgetlength(r, i, 0),
		       has ? (uint64_t)size : ZINC_ORDERED_NONE) != 0) {
			*more = false;
			return ZINC_OK;
		}
	}
	return *more ? set_from(x, PQgetvalue(r, n - 1, 0), (size_t)PQgetlength(r, n - 1, 0), true, err) : ZINC_OK;
}

static zinc_status
rows(void *self, const char *prefix, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg,
     const zinc_wait *wait, zinc_error *err)
{
	page x = {.s = (pg_store *)self, .prefix = prefix, .sizes = sizes};
	bool more = true;
	zinc_status st;
	PGresult *r;

	zinc_buf_init(&x.from, x.s->batched.ctx, 2 * ZINC_MAX_KEY);
	zinc_buf_init(&x.end, x.s->batched.ctx, ZINC_MAX_KEY);
	st = set_from(&x, from.p, from.n, false, err);
	while (st == ZINC_OK && more) {
		st = read_page(&x, &r, wait, err);
		more = false;
		if (st == ZINC_OK && r)
			st = pass_page(&x, r, fn, arg, &more, err);
		PQclear(r);
	}
	zinc_buf_fini(&x.from);
	zinc_buf_fini(&x.end);
	return st;
}

zinc_status
zinc_pg_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	pg_store *s = (pg_store *)self;
	bool stopped;

	return zinc_ordered_walk(s, s->batched.ctx, rows, prefix, to, &stopped, wait, err);
}

#endif
