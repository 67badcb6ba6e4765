/*
 * store_change.c - puts and deletes of an open store, many in one call: each is checked and reported once
 *
 * Its promises are those of store.c.
 */
#include <stddef.h>

#include "store/store_inside.h"

/* ---- reporting each outcome ---- */

/* One call of put or del.  Placed before the caller; adds URL and key to errors and reports each change once. */
typedef struct named_changes {
	const zinc_store *store;
	const zinc_put *puts; /* either puts or dels is set */
	const zinc_del *dels;
	const zinc_done *done;
	uint8_t *reported;
	size_t n; /* changes passed to the store so far */
} named_changes;

static const char *
changed_key(const named_changes *c, size_t i)
{
	return c->puts ? c->puts[i].key : c->dels[i].key;
}

static const zinc_condition *
changed_when(const named_changes *c, size_t i)
{
	return c->puts ? c->puts[i].when : c->dels[i].when;
}

/* Only the first report of a change counts. */
static bool
is_first(const named_changes *c, size_t i)
{
	return __atomic_exchange_n(&c->reported[i], 1, __ATOMIC_RELAXED) == 0;
}

/* The store's error may be shared, so it is copied before it is changed. */
static void
report_failure(const named_changes *c, size_t i, zinc_status st, const zinc_error *error)
{
	zinc_error e = ZINC_ERROR_INIT;

	if (zinc_error_copy(&e, error) != st)
		zinc_fail(&e, st, "%s", zinc_status_text(st));
	zinc_store_at(c->store, changed_key(c, i), st, &e);
	zinc_done_report(c->done, i, st, NULL, &e);
}

static void
named_outcome(void *arg, size_t i, const zinc_outcome *o)
{
	const named_changes *c = (const named_changes *)arg;
	const size_t whole = offsetof(zinc_outcome, error) + sizeof o->error;

	if (!is_first(c, i))
		return;
	if (o->size < whole)
		report_failure(c, i, ZINC_E_UNCERTAIN, NULL);
	else if (o->status != ZINC_OK)
		report_failure(c, i, o->status, o->error);
	else
		zinc_done_report(c->done, i, ZINC_OK, o->tag, NULL);
}

/* Report the changes that the store did not report.  A store whose call fails should have reported none; if it reported
 * some, the others get its error.  If its call succeeded, the outcome of the others is unknown. */
static zinc_status
report_rest(const named_changes *c, zinc_status st, zinc_error *e, zinc_error *err)
{
	bool any = st == ZINC_OK;
	size_t i;

	for (i = 0; i < c->n && !any; i++)
		any = c->reported[i];
	if (!any) {
		if (e->code == st)
			zinc_error_copy(err, e);
		return zinc_store_at(c->store, NULL, st, err);
	}
	if (st == ZINC_OK)
		st = zinc_fail(e, ZINC_E_UNCERTAIN, "the store did not report the outcome");
	for (i = 0; i < c->n; i++)
		if (is_first(c, i))
			report_failure(c, i, st, e);
	return ZINC_OK;
}

/* What is wrong with a condition; NULL: nothing.  ZINC_EQUALS needs a tag. */
static const char *
condition_error(const zinc_condition *when)
{
	if (when && (unsigned)when->when > ZINC_EQUALS)
		return "unknown condition";
	if (when && when->when == ZINC_EQUALS && (!when->tag || !when->tag->n))
		return "the condition has no tag";
	return NULL;
}

/* What is wrong with the other members.  A missing buffer must not be stored as an empty value. */
static const char *
change_error(const zinc_put *put, const zinc_del *del)
{
	if (put && (put->niov < 0 || (put->niov > 0 && !put->iov)))
		return "niov is negative, or iov is NULL";
	if (put ? put->reserved[0] | put->reserved[1] | put->reserved[2] : del->reserved[0] | del->reserved[1])
		return "reserved must be 0";
	return NULL;
}

static zinc_status
check_change(const named_changes *c, size_t i, zinc_error *err)
{
	const char *key = changed_key(c, i), *why = condition_error(changed_when(c, i));

	ZINC_TRY(zinc_store_check_key(c->store, key, err));
	if (!why)
		why = change_error(c->puts ? &c->puts[i] : NULL, c->dels ? &c->dels[i] : NULL);
	return why ? zinc_store_at(c->store, key, zinc_fail(err, ZINC_E_INVALID, "%s", why), err) : ZINC_OK;
}

static zinc_status
check_done(const zinc_store *s, const zinc_done *done, zinc_error *err)
{
	if (done->size >= offsetof(zinc_done, arg) + sizeof done->arg && done->done)
		return ZINC_OK;
	zinc_fail(err, ZINC_E_INVALID, "set size and done of the zinc_done");
	return zinc_store_at(s, NULL, ZINC_E_INVALID, err);
}

/* ---- more changes during the call ---- */

/* Does the caller offer more changes, and does the store ask for them? */
static bool
has_more(const zinc_store *s, const zinc_done *done, size_t n)
{
	return s->ops.more && done->size >= offsetof(zinc_done, room) + sizeof done->room && done->more &&
	       done->room > n;
}

/* Stop at a change that is invalid or has a condition: a store may have to check a condition before it starts.  That
 * change and those after it are left to a later call. */
static size_t
named_more(void *arg)
{
	named_changes *c = (named_changes *)arg;
	const size_t n = (size_t)zinc_min_u64(c->done->more(c->done->arg), c->done->room);

	for (; c->n < n; c->n++) {
		const zinc_condition *when = changed_when(c, c->n);

		if (when && when->when != ZINC_ANY)
			break;
		if (check_change(c, c->n, NULL) != ZINC_OK)
			break;
	}
	return c->n;
}

/* Without put_begin a group is only a token, and changes are made at once. */
static zinc_put_group *
own_group(const zinc_store *s, zinc_put_group *group)
{
	return s->ops.put_begin || s->ops.forwards ? group : NULL;
}

/* All changes are checked before the first is made. */
static zinc_status
check_changes(const named_changes *c, bool able, zinc_error *err)
{
	size_t i;

	ZINC_TRY(check_done(c->store, c->done, err));
	for (i = 0; i < c->n; i++)
		ZINC_TRY(check_change(c, i, err));
	return able ? ZINC_OK : zinc_store_refuse(c->store, c->n == 1 ? changed_key(c, 0) : NULL, err);
}

/* `group` is the store's own. */
static zinc_status
call_store(const named_changes *c, zinc_put_group *group, const zinc_done *named, uint32_t flags, const zinc_wait *wait,
	   zinc_error *err)
{
	const zinc_store *s = c->store;

	if (c->n == 0)
		return ZINC_OK;
	if (c->puts)
		return s->ops.put(s->self, group, c->puts, c->n, named, flags | s->put_flags, wait, err);
	return s->ops.del(s->self, group, c->dels, c->n, named, flags | s->put_flags, wait, err);
}

static zinc_status
change_many(named_changes *c, zinc_put_group *group, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	const zinc_store *s = c->store;
	uint8_t few[ZINC_FEW_MARKS];
	zinc_done named = {.size = sizeof named, .done = named_outcome, .arg = c, .room = c->n};
	zinc_error e;
	zinc_status st;

	ZINC_TRY(zinc_put_flags_check(s, flags, err));
	if (has_more(s, c->done, c->n)) {
		named.more = named_more;
		named.room = c->done->room;
	}
	c->reported = zinc_marks_new(s, few, named.room);
	if (!c->reported)
		return zinc_store_at(s, NULL, zinc_fail_nomem(err), err);
	zinc_error_clear(&e);
	st = report_rest(c, call_store(c, own_group(s, group), &named, flags, wait, &e), &e, err);
	zinc_marks_free(s, few, c->reported);
	return st;
}

zinc_status
zinc_store_put_many(zinc_store *s, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
		    uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	named_changes c = {NULL, puts, NULL, done, NULL, n};

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(done && (puts || n == 0), err));
	c.store = ZINC_OWNER(s, put);
	ZINC_TRY(check_changes(&c, c.store->ops.put, err));
	return change_many(&c, group, flags, wait, err);
}

zinc_status
zinc_store_del_many(zinc_store *s, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
		    uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	named_changes c = {NULL, NULL, dels, done, NULL, n};

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(done && (dels || n == 0), err));
	c.store = ZINC_OWNER(s, del);
	ZINC_TRY(check_changes(&c, c.store->ops.del, err));
	return change_many(&c, group, flags, wait, err);
}

/* ---- one change ---- */

/* The outcome of a single change. */
typedef struct single {
	zinc_status status;
	zinc_tag *tag;
	zinc_error *err;
} single;

static void
single_done(void *arg, size_t i, const zinc_outcome *o)
{
	single *one = (single *)arg;

	(void)i;
	one->status = o->status;
	if (o->status != ZINC_OK)
		zinc_error_copy(one->err, o->error);
	else if (one->tag && o->tag)
		*one->tag = *o->tag;
}

/* The tag stays empty if the store has no tags. */
zinc_status
zinc_store_putv(zinc_store *s, zinc_put_group *group, const char *key, const struct iovec *iov, int niov,
		const zinc_condition *when, uint32_t flags, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	single one = {ZINC_OK, tag, err};
	const zinc_done done = {.size = sizeof done, .done = single_done, .arg = &one};
	const zinc_put put = {.key = key, .iov = iov, .niov = niov, .when = when};

	if (tag) {
		tag->n = 0;
		flags |= ZINC_PUT_TAGS;
	}
	ZINC_TRY(zinc_store_at(s, key, zinc_store_put_many(s, group, &put, 1, &done, flags, wait, err), err));
	return one.status;
}

zinc_status
zinc_store_put(zinc_store *s, zinc_put_group *group, const char *key, const void *bytes, size_t nbytes,
	       const zinc_condition *when, uint32_t flags, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	struct iovec iov = {(void *)(uintptr_t)bytes, nbytes};

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(bytes || nbytes == 0, err));
	return zinc_store_putv(s, group, key, &iov, nbytes ? 1 : 0, when, flags, tag, wait, err);
}

zinc_status
zinc_store_del(zinc_store *s, zinc_put_group *group, const char *key, const zinc_condition *when, uint32_t flags,
	       const zinc_wait *wait, zinc_error *err)
{
	single one = {ZINC_OK, NULL, err};
	const zinc_done done = {.size = sizeof done, .done = single_done, .arg = &one};
	const zinc_del del = {.key = key, .when = when};

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(zinc_store_at(s, key, zinc_store_del_many(s, group, &del, 1, &done, flags, wait, err), err));
	return one.status;
}
