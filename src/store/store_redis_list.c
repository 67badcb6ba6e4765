/*
 * store_redis_list.c - listing and del_prefix
 *
 * SCAN returns names in no order, some of them twice.  A listing takes all below the prefix into memory, sorts them and
 * asks for the sizes of those that it will report as keys; a key that is not a string has none.  The server looks at all
 * keys of its database for each listing, whatever the prefix.
 */
#include "store/store_redis.h"

#include <stdio.h>
#include <stdlib.h>

#define PAGE       "1000"
#define AHEAD      512
#define NAME_BYTES 256 /* of memory for each name that the limit of children allows */
#define ERASE      1000
#define MOST_PAGES (1u << 24) /* a server whose cursor never ends */
#define GONE       (ZINC_ORDERED_NONE - 1)

typedef struct name {
	zinc_bytes text; /* without the prefix of the store */
	uint64_t nbytes;
} name;

/* The names below a prefix. */
typedef struct names {
	redis_store *s;
	const char *prefix;
	bool all, sizes; /* sizes of all, or of one level only; none */
	zinc_buf text;   /* each after its length */
	size_t n;
	name *sorted;
} names;

/* ---- the names ---- */

/* Characters that mean something in a pattern. */
static zinc_status
add_pattern(zinc_buf *out, const char *text, zinc_error *err)
{
	for (; *text; text++) {
		if (strchr("*?[]\\^-", *text))
			ZINC_TRY(zinc_buf_puts(out, "\\", err));
		ZINC_TRY(zinc_buf_add(out, text, 1, err));
	}
	return ZINC_OK;
}

static zinc_status
send_scan(names *l, redis_conn *c, const char *cursor, const char *pattern, const zinc_wait *wait, zinc_error *err)
{
	(void)l;
	ZINC_TRY(zinc_resp_begin(c->r, 6, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "SCAN", wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, cursor, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "MATCH", wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, pattern, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "COUNT", wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, PAGE, wait, err));
	return zinc_resp_flush(c->r, wait, err);
}

/* One name; those that the pattern does not match are not ours. */
static zinc_status
keep_name(names *l, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	const size_t nstore = strlen(l->s->prefix), nprefix = strlen(l->prefix), at = l->text.n;
	zinc_resp_head h;
	uint8_t *p;
	uint32_t n;

	ZINC_TRY(zinc_redis_expect(c, '$', &h, wait, err));
	if (h.null || (uint64_t)h.number > ZINC_MAX_KEY + nstore)
		return h.null ? zinc_redis_strange(c, err) : zinc_resp_end(c->r, wait, err);
	ZINC_TRY(zinc_buf_reserve(&l->text, sizeof n + (size_t)h.number, err));
	p = l->text.p + at + sizeof n;
	ZINC_TRY(zinc_resp_read(c->r, p, (size_t)h.number, wait, err));
	ZINC_TRY(zinc_resp_end(c->r, wait, err));
	if ((size_t)h.number < nstore + nprefix || memcmp(p, l->s->prefix, nstore) != 0 ||
	    memcmp(p + nstore, l->prefix, nprefix) != 0)
		return ZINC_OK;
	n = (uint32_t)((size_t)h.number - nstore);
	memmove(p, p + nstore, n);
	memcpy(l->text.p + at, &n, sizeof n);
	zinc_buf_end(&l->text, at + sizeof n + n);
	l->n++;
	return ZINC_OK;
}

/* A page: the next cursor and names. */
static zinc_status
read_page(names *l, redis_conn *c, char cursor[32], const zinc_wait *wait, zinc_error *err)
{
	zinc_resp_head h;
	int64_t i;

	ZINC_TRY(zinc_redis_expect(c, '*', &h, wait, err));
	if (h.number != 2)
		return zinc_redis_strange(c, err);
	ZINC_TRY(zinc_redis_expect(c, '$', &h, wait, err));
	if (h.null || h.number < 1 || h.number > 31)
		return zinc_redis_strange(c, err);
	ZINC_TRY(zinc_resp_read(c->r, cursor, (size_t)h.number, wait, err));
	cursor[h.number] = '\0';
	if (cursor[strspn(cursor, "0123456789")])
		return zinc_redis_strange(c, err);
	ZINC_TRY(zinc_redis_expect(c, '*', &h, wait, err));
	for (i = 0; i < h.number; i++)
		ZINC_TRY(keep_name(l, c, wait, err));
	return ZINC_OK;
}

static zinc_status
scan(names *l, redis_conn *c, const char *pattern, const zinc_wait *wait, zinc_error *err)
{
	char cursor[32] = "0";
	unsigned pages = 0;

	do {
		if (++pages > MOST_PAGES)
			return zinc_redis_strange(c, err);
		ZINC_TRY(zinc_wait_check(wait, err));
		ZINC_TRY(send_scan(l, c, cursor, pattern, wait, err));
		ZINC_TRY(read_page(l, c, cursor, wait, err));
	} while (strcmp(cursor, "0") != 0);
	return ZINC_OK;
}

/* ---- order ---- */

static int
compare_bytes(const zinc_bytes *a, const zinc_bytes *b)
{
	const int order = memcmp(a->p, b->p, a->n < b->n ? a->n : b->n);

	return order ? order : (a->n > b->n) - (a->n < b->n);
}

static int
compare(const void *a, const void *b)
{
	return compare_bytes(&((const name *)a)->text, &((const name *)b)->text);
}

static zinc_status
sort(names *l, zinc_error *err)
{
	const uint8_t *p = l->text.p;
	size_t i, n = 0;
	uint32_t len;

	l->sorted = (name *)zinc_calloc(redis_ctx(l->s), l->n + 1, sizeof *l->sorted);
	if (!l->sorted)
		return zinc_fail_nomem(err);
	for (i = 0; i < l->n; i++, p += sizeof len + len) {
		memcpy(&len, p, sizeof len);
		l->sorted[i].text = (zinc_bytes){p + sizeof len, len};
	}
	qsort(l->sorted, l->n, sizeof *l->sorted, compare);
	for (i = 0; i < l->n; i++)
		if (n == 0 || compare(&l->sorted[n - 1], &l->sorted[i]) != 0)
			l->sorted[n++] = l->sorted[i];
	l->n = n;
	return ZINC_OK;
}

/* ---- sizes ---- */

static bool
needs_size(const names *l, const name *x)
{
	const size_t n = strlen(l->prefix);

	return l->sizes && (l->all || !memchr(x->text.p + n, '/', x->text.n - n));
}

static zinc_status
read_size(redis_conn *c, name *x, const zinc_wait *wait, zinc_error *err)
{
	zinc_resp_head h;

	ZINC_TRY(zinc_resp_next(c->r, &h, wait, err));
	if (h.type == '-' && strncmp(h.text, "WRONGTYPE", 9) == 0) {
		x->nbytes = ZINC_ORDERED_NONE;
		return ZINC_OK;
	}
	if (h.type == '-')
		return zinc_redis_fail(c, &h, err);
	if (h.type != ':' || h.number < 0)
		return zinc_redis_strange(c, err);
	x->nbytes = (uint64_t)h.number;
	return ZINC_OK;
}

/* Is it empty, or was it erased after SCAN had found it? */
static bool
is_empty(const names *l, const name *x)
{
	return needs_size(l, x) && x->nbytes == 0;
}

static zinc_status
read_exists(redis_conn *c, name *x, const zinc_wait *wait, zinc_error *err)
{
	zinc_resp_head h;

	ZINC_TRY(zinc_redis_expect(c, ':', &h, wait, err));
	if (h.number == 0)
		x->nbytes = GONE;
	return ZINC_OK;
}

/* Ask about each name that `which` chooses, some ahead. */
static zinc_status
ask_each(const names *l, redis_conn *c, const char *command, bool (*which)(const names *l, const name *x),
	 zinc_status (*read_one)(redis_conn *c, name *x, const zinc_wait *wait, zinc_error *err), const zinc_wait *wait,
	 zinc_error *err)
{
	size_t i, asked = 0, ahead = 0;

	for (i = 0; i < l->n; i++) {
		if (!which(l, &l->sorted[i]))
			continue;
		for (asked = asked > i ? asked : i; ahead < AHEAD && asked < l->n; asked++) {
			if (!which(l, &l->sorted[asked]))
				continue;
			ZINC_TRY(zinc_resp_begin(c->r, 2, wait, err));
			ZINC_TRY(zinc_resp_arg(c->r, command, wait, err));
			ZINC_TRY(zinc_redis_key(c, (const char *)l->sorted[asked].text.p, l->sorted[asked].text.n, wait,
						err));
			ahead++;
		}
		ZINC_TRY(zinc_resp_flush(c->r, wait, err));
		ZINC_TRY(read_one(c, &l->sorted[i], wait, err));
		ahead--;
	}
	return ZINC_OK;
}

static zinc_status
find_sizes(names *l, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	size_t i, n = 0;

	ZINC_TRY(ask_each(l, c, "STRLEN", needs_size, read_size, wait, err));
	ZINC_TRY(ask_each(l, c, "EXISTS", is_empty, read_exists, wait, err));
	for (i = 0; i < l->n; i++)
		if (l->sorted[i].nbytes != GONE)
			l->sorted[n++] = l->sorted[i];
	l->n = n;
	return ZINC_OK;
}

/* ---- all of it ---- */

static void
forget(names *l)
{
	zinc_free(redis_ctx(l->s), l->sorted);
	l->sorted = NULL;
	zinc_buf_fini(&l->text);
	l->n = 0;
}

/* For the names of all children that a listing may have. */
static size_t
most_bytes(const redis_store *s)
{
	return (size_t)zinc_min_u64(redis_ctx(s)->limits.children, SIZE_MAX / 2 / NAME_BYTES) * NAME_BYTES;
}

/* After a lost connection it begins anew. */
static zinc_status
collect(redis_conn *c, void *arg, const zinc_wait *wait, zinc_error *err)
{
	names *l = (names *)arg;
	zinc_buf pattern;
	zinc_status st;

	forget(l);
	zinc_buf_init(&l->text, redis_ctx(l->s), most_bytes(l->s));
	zinc_buf_init(&pattern, redis_ctx(l->s), 4 * ZINC_MAX_KEY);
	st = add_pattern(&pattern, l->s->prefix, err);
	if (st == ZINC_OK)
		st = add_pattern(&pattern, l->prefix, err);
	if (st == ZINC_OK)
		st = zinc_buf_puts(&pattern, "*", err);
	if (st == ZINC_OK)
		st = scan(l, c, (const char *)pattern.p, wait, err);
	zinc_buf_fini(&pattern);
	if (st == ZINC_OK)
		st = sort(l, err);
	return st == ZINC_OK ? find_sizes(l, c, wait, err) : st;
}

/* Those from `from` on. */
static zinc_status
rows(void *self, const char *prefix, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg,
     const zinc_wait *wait, zinc_error *err)
{
	const names *l = (const names *)self;
	size_t low = 0, high = l->n;

	(void)prefix, (void)sizes, (void)wait, (void)err;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_bytes(&l->sorted[middle].text, &from) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < l->n; low++)
		if (fn(arg, (const char *)l->sorted[low].text.p, l->sorted[low].text.n, l->sorted[low].nbytes) != 0)
			break;
	return ZINC_OK;
}

zinc_status
zinc_redis_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	names l = {.s = (redis_store *)self, .prefix = prefix, .all = to->key != NULL, .sizes = true};
	zinc_status st = zinc_redis_run(l.s, collect, &l, wait, err);
	bool stopped;

	if (st == ZINC_OK)
		st = zinc_ordered_walk(&l, redis_ctx(l.s), rows, prefix, to, &stopped, wait, err);
	forget(&l);
	return st;
}

/* A thousand keys at a time: one after another would keep the server from others for long. */
zinc_status
zinc_redis_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	names l = {.s = (redis_store *)self, .prefix = prefix};
	zinc_status st = zinc_redis_run(l.s, collect, &l, wait, err);
	zinc_bytes some[ERASE];
	size_t i = 0, n;

	while (st == ZINC_OK && i < l.n) {
		for (n = 0; n < ERASE && i < l.n; n++, i++)
			some[n] = l.sorted[i].text;
		st = zinc_redis_erase(l.s, some, n, flags & ZINC_PUT_RELAXED, wait, err);
	}
	forget(&l);
	return st;
}
