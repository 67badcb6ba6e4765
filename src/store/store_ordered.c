/*
 * store_ordered.c - listings of stores that can read their keys in byte order
 *
 * Promises (tests/unit/test_store_batch.c names each by its number, from 5 on):
 *
 * (5) Rows are taken in batches: the store is not being read while the caller's functions run, so they may change it.
 * (6) One level of a listing reads the first key below each prefix and then seeks past all others.
 * (7) A row whose name is no key, or that has no value, is reported as a non-key and never as a key.
 */
#include "store/store_batch.h"

#define BATCH 256

typedef enum kind { IS_KEY, IS_PREFIX, IS_NAME, IS_TYPE } kind;

typedef struct walk {
	zinc_context *ctx;
	const char *prefix;
	const zinc_lister *to;
	zinc_buf from; /* where the next batch begins */
	zinc_buf keys; /* of the batch, with their NULs */
	uint64_t sizes[BATCH];
	uint8_t kinds[BATCH];
	int n;
	bool more; /* the rows did not end */
	zinc_status status;
	zinc_error error;
} walk;

/* A name that is no key may have a NUL, where it is cut. */
static zinc_status
add_entry(walk *w, const char *key, size_t n, kind what, uint64_t nbytes, zinc_error *err)
{
	ZINC_TRY(zinc_buf_add(&w->keys, key, strnlen(key, n), err));
	ZINC_TRY(zinc_buf_add(&w->keys, "", 1, err));
	w->sizes[w->n] = nbytes;
	w->kinds[w->n++] = (uint8_t)what;
	return ZINC_OK;
}

static zinc_status
set_from(walk *w, const char *key, size_t n, char next, zinc_error *err)
{
	zinc_buf_end(&w->from, 0);
	ZINC_TRY(zinc_buf_add(&w->from, key, n, err));
	return zinc_buf_add(&w->from, &next, 1, err);
}

/* Is key[0..n) a key, or the prefix of keys? */
static zinc_status
check_name(const walk *w, const char *key, size_t n, bool prefix, bool *valid, zinc_error *err)
{
	char *text = zinc_strndup(w->ctx, key, n);

	if (!text)
		return zinc_fail_nomem(err);
	*valid = strlen(text) == n && (prefix ? zinc_prefix_check(text, NULL) : zinc_key_check(text, NULL)) == ZINC_OK;
	zinc_free(w->ctx, text);
	return ZINC_OK;
}

/* The next batch begins after this row: at the successor of its key, or behind all keys of its prefix. */
static zinc_status
take(walk *w, const char *key, size_t n, uint64_t nbytes, bool *seek, zinc_error *err)
{
	const size_t nprefix = strlen(w->prefix);
	const char *slash = NULL;
	bool valid = false;

	if (!w->to->key && n > nprefix)
		slash = (const char *)memchr(key + nprefix, '/', n - nprefix);
	if (slash) {
		const size_t at = (size_t)(slash - key);

		ZINC_TRY(check_name(w, key, at + 1, true, &valid, err));
		*seek = true;
		ZINC_TRY(set_from(w, key, at, '/' + 1, err));
		return add_entry(w, key, valid ? at + 1 : at, valid ? IS_PREFIX : IS_NAME, 0, err);
	}
	ZINC_TRY(set_from(w, key, n, '\0', err));
	ZINC_TRY(check_name(w, key, n, false, &valid, err));
	if (!valid)
		return add_entry(w, key, n, IS_NAME, 0, err);
	return add_entry(w, key, n, nbytes == ZINC_ORDERED_NONE ? IS_TYPE : IS_KEY, nbytes, err);
}

static int
on_row(void *arg, const char *key, size_t n, uint64_t nbytes)
{
	walk *w = (walk *)arg;
	bool seek = false;

	w->status = take(w, key, n, nbytes, &seek, &w->error);
	w->more = w->status == ZINC_OK && (seek || w->n == BATCH);
	return w->status != ZINC_OK || w->more;
}

static zinc_status
fill(walk *w, void *self, zinc_ordered_fn rows, const zinc_wait *wait, zinc_error *err)
{
	zinc_buf from;
	zinc_status st = ZINC_OK;

	w->n = 0;
	zinc_buf_end(&w->keys, 0);
	zinc_buf_init(&from, w->ctx, 2 * ZINC_MAX_KEY);
	do {
		w->more = false;
		zinc_buf_end(&from, 0); /* a copy: w->from changes meanwhile */
		st = zinc_wait_check(wait, err);
		if (st == ZINC_OK)
			st = zinc_buf_add(&from, w->from.p, w->from.n, err);
		if (st == ZINC_OK)
			st = rows(self, w->prefix, (zinc_bytes){from.p, from.n}, w->to->key != NULL, on_row, w, wait,
				  err);
		if (st == ZINC_OK && w->status != ZINC_OK) {
			zinc_error_copy(err, &w->error);
			st = w->status;
		}
	} while (st == ZINC_OK && w->more && w->n < BATCH);
	zinc_buf_fini(&from);
	return st;
}

/* ---- passing on ---- */

static int
holds_nothing(const zinc_non_key *non_key, const char *name)
{
	(void)non_key, (void)name;
	return 0;
}

int
zinc_ordered_non_key(const zinc_lister *to, const char *name, bool value)
{
	const zinc_non_key x = {
	    sizeof x,      value ? ZINC_NON_KEY_TYPE : ZINC_NON_KEY_NAME,
	    name,          value ? "a row whose value is not bytes" : "a row whose name is not a key",
	    holds_nothing, NULL};

	return to->non_key ? to->non_key(to->arg, &x) : 0;
}

/* Non-zero: the caller wants no more. */
static int
pass(const walk *w)
{
	const zinc_lister *to = w->to;
	size_t at = 0;
	int i, stop = 0;

	for (i = 0; i < w->n && !stop; i++) {
		const char *key = (const char *)w->keys.p + at;
		const kind what = (kind)w->kinds[i];

		if (what == IS_NAME || what == IS_TYPE)
			stop = zinc_ordered_non_key(to, key, what == IS_TYPE);
		else if (to->key)
			stop = to->key(to->arg, key, w->sizes[i]);
		else
			stop = to->entry(to->arg, key, what == IS_PREFIX);
		at += strlen(key) + 1;
	}
	return stop;
}

static zinc_status
walk_all(walk *w, void *self, zinc_ordered_fn rows, bool *stopped, const zinc_wait *wait, zinc_error *err)
{
	ZINC_TRY(zinc_buf_puts(&w->from, w->prefix, err));
	do {
		ZINC_TRY(fill(w, self, rows, wait, err));
		*stopped = pass(w) != 0;
	} while (w->more && !*stopped);
	return ZINC_OK;
}

zinc_status
zinc_ordered_walk(void *self, zinc_context *ctx, zinc_ordered_fn rows, const char *prefix, const zinc_lister *to,
		  bool *stopped, const zinc_wait *wait, zinc_error *err)
{
	walk *w = (walk *)zinc_calloc(ctx, 1, sizeof *w);
	zinc_status st;

	*stopped = false;
	if (!w)
		return zinc_fail_nomem(err);
	w->ctx = ctx;
	w->prefix = prefix;
	w->to = to;
	zinc_buf_init(&w->from, ctx, 2 * ZINC_MAX_KEY);
	zinc_buf_init(&w->keys, ctx, (size_t)(BATCH * (ZINC_MAX_KEY + 1)));
	st = walk_all(w, self, rows, stopped, wait, err);
	zinc_buf_fini(&w->from);
	zinc_buf_fini(&w->keys);
	zinc_free(ctx, w);
	return st;
}
