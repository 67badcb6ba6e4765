/*
 * store_web_list.c - listing a bucket, page by page
 *
 * Promises (tests/unit/test_store_s3_list.c names each by its number, as those of store_s3_list.c):
 *
 * (1) All keys below the prefix are listed, each once, in byte order.  A server that lists them in another order, or one
 *     that lists the same pages again, is an error.
 * (3) Names that are no keys, as those of directories that web consoles make, are reported as such, or skipped.
 */
#include <stdlib.h>

#include "store/store_web.h"

#define MAX_PAGE  (64 * ZINC_MIB)
#define MAX_ALL   (1024 * ZINC_MIB) /* names of a listing that must be sorted */
#define MAX_EMPTY 1000              /* a server may skip what was deleted */

/* ---- pages ---- */

void
zinc_web_page_init(zinc_web_page *p, zinc_context *ctx)
{
	memset(p, 0, sizeof *p);
	zinc_buf_init(&p->names, ctx, MAX_PAGE);
	zinc_buf_init(&p->entries, ctx, MAX_PAGE);
	zinc_buf_init(&p->next, ctx, ZINC_MAX_KEY);
	zinc_buf_init(&p->next_id, ctx, ZINC_MAX_KEY);
}

void
zinc_web_page_fini(zinc_web_page *p)
{
	zinc_buf_fini(&p->names);
	zinc_buf_fini(&p->entries);
	zinc_buf_fini(&p->next);
	zinc_buf_fini(&p->next_id);
}

zinc_status
zinc_web_page_name(zinc_web_page *p, const void *name, size_t n, size_t *at, zinc_error *err)
{
	if (n && memchr(name, 0, n))
		return zinc_fail(err, ZINC_E_CORRUPT, "a listed name has a zero byte");
	*at = p->names.n;
	ZINC_TRY(zinc_buf_add(&p->names, name, n, err));
	return zinc_buf_add(&p->names, "", 1, err);
}

/* ---- entries ---- */

static int
compare_entries(const void *a, const void *b, void *arg)
{
	const char *names = (const char *)arg;

	return strcmp(names + ((const zinc_web_entry *)a)->name, names + ((const zinc_web_entry *)b)->name);
}

/* Keys and prefixes are two lists in the answer. */
static zinc_status
check_order(zinc_web_listing *l, const char *name)
{
	if (l->last.p && l->last.n && strcmp((const char *)l->last.p, name) >= 0)
		return zinc_fail(l->err, ZINC_E_UNSUPPORTED, "this server lists keys twice or out of order%s",
				 l->disorder);
	l->last.n = 0;
	ZINC_TRY(zinc_buf_puts(&l->last, name, l->err));
	return zinc_buf_text(&l->last) ? ZINC_OK : zinc_fail_nomem(l->err);
}

static void
pass_non_key(zinc_web_listing *l, const char *name)
{
	const zinc_non_key n = {
	    .size = sizeof n, .kind = ZINC_NON_KEY_NAME, .key = name, .why = "its name cannot be a key"};

	if (l->to->non_key)
		l->stop = l->to->non_key(l->to->arg, &n) != 0;
}

/* "a/b/" is what web consoles make for a directory; it holds nothing. */
static bool
is_directory(const zinc_web_entry *e, const char *key)
{
	const size_t n = strlen(key);

	return !e->is_prefix && (n == 0 || key[n - 1] == '/') && e->nbytes == 0;
}

static zinc_status
pass_entry(zinc_web_listing *l, const zinc_web_entry *e)
{
	const size_t nbase = strlen(l->base);
	const char *name = (const char *)l->page.names.p + e->name, *key = name + nbase;

	if (strncmp(name, l->base, nbase) != 0 || strncmp(key, l->prefix, strlen(l->prefix)) != 0)
		return zinc_fail(l->err, ZINC_E_CORRUPT, "the server lists a key outside of the prefix");
	ZINC_TRY(check_order(l, name));
	if (is_directory(e, key))
		return ZINC_OK;
	if ((e->is_prefix ? zinc_prefix_check(key, NULL) : zinc_key_check(key, NULL)) != ZINC_OK)
		pass_non_key(l, key);
	else if (l->to->key)
		l->stop = !e->is_prefix && l->to->key(l->to->arg, key, e->nbytes) != 0;
	else
		l->stop = l->to->entry(l->to->arg, key, e->is_prefix) != 0;
	return ZINC_OK;
}

static zinc_status
pass_page(zinc_web_listing *l)
{
	zinc_web_entry *all = (zinc_web_entry *)(void *)l->page.entries.p;
	const size_t n = l->page.entries.n / sizeof *all;
	size_t i;

	if (n > 1)
		qsort_r(all, n, sizeof *all, compare_entries, l->page.names.p);
	for (i = 0; i < n && !l->stop; i++) {
		if (i % 64 == 0)
			ZINC_TRY(zinc_wait_check(l->wait, l->err));
		ZINC_TRY(pass_entry(l, &all[i]));
	}
	return ZINC_OK;
}

/* ---- listing ---- */

static bool
is_same(const zinc_buf *a, const zinc_buf *b)
{
	return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

/* Each token is compared with that of one earlier page, which is replaced ever more rarely: it is in the circle some time,
 * and stays there long enough. */
static zinc_status
find_circle(zinc_web_listing *l)
{
	if (l->early.n && is_same(&l->token, &l->early))
		return zinc_fail(l->err, ZINC_E_IO, "the server lists the same pages again and again");
	l->pages++;
	if (l->pages & (l->pages - 1))
		return ZINC_OK;
	l->early.n = 0;
	return zinc_buf_add(&l->early, l->token.p, l->token.n, l->err);
}

/* The next page needs a token that was not used before. */
static zinc_status
take_token(zinc_web_listing *l)
{
	const zinc_buf *next = &l->page.next;

	if (next->n == 0)
		return zinc_fail(l->err, ZINC_E_IO, "the server's listing goes on, but it does not say where");
	if (l->page.entries.n == 0 && ++l->empty > MAX_EMPTY)
		return zinc_fail(l->err, ZINC_E_IO, "the server lists empty pages without end");
	l->token.n = 0;
	ZINC_TRY(zinc_buf_add(&l->token, next->p, next->n, l->err));
	ZINC_TRY(find_circle(l));
	return zinc_buf_text(&l->token) ? ZINC_OK : zinc_fail_nomem(l->err);
}

static zinc_status
add_page(zinc_web_page *all, const zinc_web_page *page, zinc_error *err)
{
	const size_t shift = all->names.n, first = all->entries.n;
	zinc_web_entry *e;

	ZINC_TRY(zinc_buf_add(&all->names, page->names.p, page->names.n, err));
	ZINC_TRY(zinc_buf_add(&all->entries, page->entries.p, page->entries.n, err));
	for (e = (zinc_web_entry *)(void *)(all->entries.p + first);
	     all->entries.n && (uint8_t *)e < all->entries.p + all->entries.n; e++)
		e->name += shift;
	return ZINC_OK;
}

static zinc_status
collect_pages(zinc_web_listing *l, zinc_web_page *all)
{
	for (;;) {
		ZINC_TRY(add_page(all, &l->page, l->err));
		if (!l->page.truncated)
			return ZINC_OK;
		ZINC_TRY(take_token(l));
		ZINC_TRY(zinc_wait_for(l->wait, "a listing", l->err));
		ZINC_TRY(l->get(l, &l->token, &l->page, l->err));
	}
}

/* The first page is there.  All pages of a server with another order become one, which is sorted as each page is. */
static zinc_status
list_sorted(zinc_web_listing *l)
{
	zinc_web_page all;
	zinc_status st;

	zinc_web_page_init(&all, l->web->ctx);
	all.names.max = all.entries.max = MAX_ALL;
	st = collect_pages(l, &all);
	zinc_web_page_fini(&l->page);
	l->page = all;
	return st == ZINC_OK ? pass_page(l) : st;
}

static zinc_status
list_pages(zinc_web_listing *l)
{
	bool first = true;

	for (;;) {
		ZINC_TRY(zinc_wait_for(l->wait, "a listing", l->err));
		ZINC_TRY(l->get(l, first ? NULL : &l->token, &l->page, l->err));
		first = false;
		if (l->unordered && l->last.n == 0)
			return list_sorted(l);
		ZINC_TRY(pass_page(l));
		if (l->stop || !l->page.truncated)
			return ZINC_OK;
		ZINC_TRY(take_token(l));
	}
}

zinc_status
zinc_web_walk(zinc_web_listing *l, zinc_error *err)
{
	zinc_context *ctx = l->web->ctx;
	zinc_status st;

	l->err = err;
	zinc_web_page_init(&l->page, ctx);
	zinc_buf_init(&l->token, ctx, ZINC_MAX_KEY);
	zinc_buf_init(&l->early, ctx, ZINC_MAX_KEY);
	zinc_buf_init(&l->last, ctx, ZINC_MAX_KEY);
	st = list_pages(l);
	zinc_web_page_fini(&l->page);
	zinc_buf_fini(&l->token);
	zinc_buf_fini(&l->early);
	zinc_buf_fini(&l->last);
	return st;
}
