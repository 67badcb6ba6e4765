/*
 * store_postgresql_hosts.c - the hosts of a list that do not answer
 *
 * libpq goes on to the next host of a list when one refuses.  Of a host that says nothing it waits for ever if it is
 * polled, as here; so such a host is left out, and the connection begins anew with the others.
 */
#include "store/store_postgresql.h"

#if ZINC_WITH_POSTGRESQL

/* Lists of libpq, with items that may be empty; NULL: none. */
typedef struct lists {
	const char *host, *address, *port;
} lists;

static size_t
count(const char *list)
{
	size_t n = list && *list;

	for (; n && *list; list++)
		n += *list == ',';
	return n;
}

static zinc_bytes
item(const char *list, size_t i)
{
	for (; i > 0; i--)
		list = strchr(list, ',') + 1;
	return (zinc_bytes){(const uint8_t *)list, strcspn(list, ",")};
}

/* Is it item i?  One that is empty may be: libpq has put something else in its place. */
static bool
is_item(const char *list, size_t i, const char *text)
{
	const zinc_bytes x = item(list, i);

	return x.n == 0 || (strlen(text) == x.n && memcmp(text, x.p, x.n) == 0);
}

/* The number of the host that the connection is trying; n: not found. */
static size_t
find_current(const PGconn *db, const lists *l, size_t n)
{
	const char *names = count(l->host) == n ? l->host : l->address;
	size_t i;

	for (i = 0; i < n; i++)
		if (is_item(names, i, PQhost(db)) && (count(l->port) != n || is_item(l->port, i, PQport(db))))
			break;
	return i;
}

/* The list without item `out`; one item is that of all hosts. */
static zinc_status
copy_without(zinc_buf *to, const char *list, size_t n, size_t out)
{
	const size_t has = count(list);
	bool first = true;
	size_t i;

	zinc_buf_end(to, 0);
	for (i = 0; i < has; i++) {
		const zinc_bytes x = item(list, i);

		if (has == n && i == out)
			continue;
		if (!first)
			ZINC_TRY(zinc_buf_add(to, ",", 1, NULL));
		ZINC_TRY(zinc_buf_add(to, x.p, x.n, NULL));
		first = false;
	}
	return zinc_buf_text(to) ? ZINC_OK : ZINC_E_NOMEM;
}

void
zinc_pg_hosts_init(pg_hosts *h, zinc_context *ctx)
{
	h->cut = false;
	zinc_buf_init(&h->host, ctx, ZINC_MAX_KEY);
	zinc_buf_init(&h->address, ctx, ZINC_MAX_KEY);
	zinc_buf_init(&h->port, ctx, ZINC_MAX_KEY);
}

void
zinc_pg_hosts_fini(pg_hosts *h)
{
	zinc_buf_fini(&h->host);
	zinc_buf_fini(&h->address);
	zinc_buf_fini(&h->port);
}

static bool
leave_out(pg_hosts *h, const PGconn *db, const lists *l)
{
	const size_t n = count(l->address) ? count(l->address) : count(l->host);
	const size_t i = n > 1 ? find_current(db, l, n) : n;

	if (i == n)
		return false;
	h->cut = copy_without(&h->host, l->host, n, i) == ZINC_OK &&
		 copy_without(&h->address, l->address, n, i) == ZINC_OK &&
		 copy_without(&h->port, l->port, n, i) == ZINC_OK;
	return h->cut;
}

bool
zinc_pg_leave_out(pg_hosts *h, PGconn *db)
{
	PQconninfoOption *all = PQconninfo(db), *o;
	lists l = {NULL, NULL, NULL};
	bool others;

	for (o = all; o && o->keyword; o++) {
		if (strcmp(o->keyword, "host") == 0)
			l.host = o->val;
		else if (strcmp(o->keyword, "hostaddr") == 0)
			l.address = o->val;
		else if (strcmp(o->keyword, "port") == 0)
			l.port = o->val;
	}
	others = leave_out(h, db, &l);
	PQconninfoFree(all);
	return others;
}

#endif
