/*
 * known.c - documents that were read, for calls that follow
 *
 * Opening a URL reads the documents of its node and of the groups above.  The calls that follow need them, too: the
 * call that opened the URL, or all calls on a handle with `keep_documents`.  Promises:
 *
 * (1) A key that is known is not read again; that it is missing is known, too.  A failure is not known.
 * (2) The bytes known are limited.  What is beyond the limit is read again.
 * (3) Many threads may use it.  Nothing is freed before the end, so what was found needs no lock.
 * (4) Without memory to keep a document it is not known, and nothing fails.
 */
#include "format/known.h"

#define KNOWN_BYTES ((size_t)4 << 20) /* a walk over many nodes shall not need more memory */
#define BUCKETS     256

struct entry {
	struct entry *next;
	char *key;
	zinc_fetched doc;
	zinc_json_doc *parsed;
	bool lent; /* `parsed` belongs to the first call that fetched the document */
};

struct zinc_known {
	zinc_context *ctx;
	size_t nbytes;
	struct entry *bucket[BUCKETS];
};

zinc_known *
zinc_known_new(zinc_context *ctx)
{
	zinc_known *k = zinc_calloc(ctx, 1, sizeof *k);

	if (k)
		k->ctx = ctx;
	return k;
}

static void
entry_free(zinc_context *ctx, struct entry *e)
{
	if (!e)
		return;
	zinc_fetched_fini(ctx, &e->doc, 1);
	zinc_json_free(e->parsed);
	zinc_free(ctx, e->key);
	zinc_free(ctx, e);
}

void
zinc_known_free(zinc_known *k)
{
	size_t i;

	for (i = 0; k && i < BUCKETS; i++)
		while (k->bucket[i]) {
			struct entry *next = k->bucket[i]->next;

			entry_free(k->ctx, k->bucket[i]);
			k->bucket[i] = next;
		}
	if (k)
		zinc_free(k->ctx, k);
}

static struct entry **
bucket_of(zinc_known *k, const char *key)
{
	return &k->bucket[zinc_crc32c(0, key, strlen(key)) % BUCKETS];
}

/* With the lock held. */
static struct entry *
find(zinc_known *k, const char *key)
{
	struct entry *e = *bucket_of(k, key);

	while (e && strcmp(e->key, key) != 0)
		e = e->next;
	return e;
}

static bool
copy_text(zinc_context *ctx, zinc_fetched *out, const zinc_fetched *doc)
{
	*out = (zinc_fetched){.found = doc->found, .n = doc->n, .tag = doc->tag};
	if (doc->found == ZINC_FOUND)
		out->text = zinc_strndup(ctx, doc->text, doc->n);
	return doc->found != ZINC_FOUND || out->text;
}

/* ---- keeping ---- */

static struct entry *
entry_new(zinc_context *ctx, const char *key, const zinc_fetched *doc)
{
	struct entry *e = zinc_calloc(ctx, 1, sizeof *e);

	if (!e)
		return NULL;
	e->key = zinc_strdup(ctx, key);
	if (e->key && copy_text(ctx, &e->doc, doc))
		return e;
	entry_free(ctx, e);
	return NULL;
}

/* With the lock held. */
static bool
has_room(zinc_known *k, const char *key, size_t nbytes)
{
	return nbytes <= KNOWN_BYTES - k->nbytes && !find(k, key);
}

/* Without a copy of what will not be kept: a document may be very long. */
static struct entry *
entry_for(zinc_known *k, const char *key, const zinc_fetched *doc, size_t nbytes)
{
	bool room;

	pthread_mutex_lock(&k->ctx->lock);
	room = has_room(k, key, nbytes);
	pthread_mutex_unlock(&k->ctx->lock);
	return room ? entry_new(k->ctx, key, doc) : NULL;
}

void
zinc_known_add(zinc_known *k, const char *key, const zinc_fetched *doc, zinc_json_doc *parsed)
{
	const size_t nbytes = sizeof(struct entry) + strlen(key) + doc->n;
	struct entry *e = k && doc->found != ZINC_FAILED ? entry_for(k, key, doc, nbytes) : NULL;
	bool added;

	if (!e) {
		zinc_json_free(parsed);
		return;
	}
	e->parsed = parsed;
	pthread_mutex_lock(&k->ctx->lock);
	added = has_room(k, key, nbytes);
	if (added) {
		struct entry **to = bucket_of(k, key);

		k->nbytes += nbytes;
		e->next = *to;
		*to = e;
	}
	pthread_mutex_unlock(&k->ctx->lock);
	if (!added)
		entry_free(k->ctx, e);
}

/* ---- fetching ---- */

bool
zinc_known_missing(zinc_known *k, const char *key)
{
	const struct entry *e;

	if (!k)
		return false;
	pthread_mutex_lock(&k->ctx->lock);
	e = find(k, key);
	pthread_mutex_unlock(&k->ctx->lock);
	return e && e->doc.found == ZINC_MISSING;
}

/* False: it must be read. */
static bool
take(zinc_known *k, const char *key, zinc_fetched *out)
{
	zinc_json_doc **parsed = NULL;
	struct entry *e;

	pthread_mutex_lock(&k->ctx->lock);
	e = find(k, key);
	if (e && e->parsed && !e->lent) {
		e->lent = true;
		parsed = &e->parsed;
	}
	pthread_mutex_unlock(&k->ctx->lock);
	if (!e || !copy_text(k->ctx, out, &e->doc))
		return false;
	out->parsed = parsed;
	return true;
}

/* The keys that are not known, in one batch. */
struct rest {
	char **keys;
	zinc_fetched *docs;
	size_t *at; /* of each in the whole list */
	size_t n;
};

static zinc_status
fetch_rest(zinc_known *k, zinc_store *s, struct rest *x, zinc_fetched *out, const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	if (x->n == 0)
		return ZINC_OK;
	ZINC_TRY(zinc_fetch(s, x->keys, x->n, x->docs, wait, err));
	for (i = 0; i < x->n; i++) {
		zinc_known_add(k, x->keys[i], &x->docs[i], NULL);
		out[x->at[i]] = x->docs[i];
	}
	return ZINC_OK;
}

zinc_status
zinc_known_fetch(zinc_known *k, zinc_store *s, char *const *keys, size_t n, zinc_fetched *out, const zinc_wait *wait,
		 zinc_error *err)
{
	struct rest x = {.n = 0};
	zinc_status st;
	size_t i;

	if (!k)
		return zinc_fetch(s, keys, n, out, wait, err);
	x.keys = zinc_calloc(k->ctx, n, sizeof *x.keys);
	x.docs = zinc_calloc(k->ctx, n, sizeof *x.docs);
	x.at = zinc_calloc(k->ctx, n, sizeof *x.at);
	st = x.keys && x.docs && x.at ? ZINC_OK : zinc_fail_nomem(err);
	for (i = 0; i < n && st == ZINC_OK; i++) {
		out[i] = (zinc_fetched){.found = ZINC_FAILED};
		if (!take(k, keys[i], &out[i])) {
			x.keys[x.n] = keys[i];
			x.at[x.n++] = i;
		}
	}
	if (st == ZINC_OK) {
		st = fetch_rest(k, s, &x, out, wait, err);
		if (st != ZINC_OK)
			zinc_fetched_fini(k->ctx, out, n);
	}
	zinc_free(k->ctx, x.keys);
	zinc_free(k->ctx, x.docs);
	zinc_free(k->ctx, x.at);
	return st;
}
