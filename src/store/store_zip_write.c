/*
 * store_zip_write.c - put, groups and update of archives
 *
 * Promises (tests/unit/test_store_zip_write.c names each by its number, W1 ...):
 *
 * (W1) A put that is not in a group, or wants its tag, is in the archive when the call returns; all puts of one call are
 *      one commit.  The puts of a group are in the archive when commit returns.
 * (W2) Only the last entry of a key is in the directory.  Keys are never erased: that would need another archive.
 * (W3) update excludes all other writers of the archive, also those of other processes.
 * (W4) A commit publishes whatever is pending in this handle, also of other groups.
 * (W5) While somebody holds the store (zinc_store_hold), commits publish nothing; release does, and so does a read by this
 *      handle.  If what was kept back is lost, release fails.
 */
#include "store/store_zip.h"

/* ---- one put ---- */

static zinc_status
sum_up(const zinc_put *put, zip_fresh *f, zinc_error *err)
{
	size_t n = 0;
	int i;

	memset(f, 0, sizeof *f);
	if (zinc_iov_bytes(put->iov, put->niov, &n))
		return zinc_fail_nomem(err);
	f->key = put->key;
	f->nbytes = n;
	for (i = 0; i < put->niov; i++) {
		f->crc = zinc_crc32(f->crc, put->iov[i].iov_base, put->iov[i].iov_len);
		f->crc32c = zinc_crc32c(f->crc32c, put->iov[i].iov_base, put->iov[i].iov_len);
	}
	return ZINC_OK;
}

/* The tag of a key as the next commit would have it; false: there is no such key. */
static bool
tag_now(const zip *z, const char *key, zinc_tag *out)
{
	const zip_pending *p = zinc_zip_session_find(z, key);
	const zip_dir *base = zinc_zip_session_base(z);
	const zip_entry *e = p ? NULL : zinc_zip_find(base, key);

	if (p)
		zinc_zip_own_tag(p->f.header, p->f.nbytes, p->f.crc, p->f.crc32c, out);
	else if (e)
		zinc_zip_tag(base, e, out);
	return p || e;
}

static zinc_status
check_condition(const zip *z, const zinc_put *put, zinc_error *err)
{
	const zinc_condition *when = put->when;
	zinc_tag tag;
	bool exists;

	if (!when || when->when == ZINC_ANY)
		return ZINC_OK;
	exists = tag_now(z, put->key, &tag);
	if (when->when == ZINC_ABSENT && exists)
		return zinc_fail(err, ZINC_E_EXISTS, "the key already exists");
	if (when->when == ZINC_EQUALS && (!exists || !zinc_tag_equal(when->tag, &tag)))
		return zinc_fail(err, ZINC_E_CONFLICT, "the value is no longer the one that was read");
	return ZINC_OK;
}

/* A failure to write ends the session: what follows the last whole entry is unknown. */
static zinc_status
add_put(zip *z, zip_group *g, const zinc_put *put, zip_fresh *f, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;

	if (g && g->status != ZINC_OK)
		return zinc_fail(err, g->status, "an earlier put of the group failed: %s",
				 g->error ? g->error->text : zinc_status_text(g->status));
	ZINC_TRY(zinc_wait_check(wait, err));
	ZINC_TRY(zinc_zip_session_begin(z, wait, err));
	st = check_condition(z, put, err);
	if (st != ZINC_OK) {
		zinc_zip_session_end_unused(z);
		return st;
	}
	st = zinc_zip_session_add(z, f, put, g, wait, err);
	if (st != ZINC_OK) {
		zinc_error why = ZINC_ERROR_INIT;

		zinc_fail(&why, st, "the archive could not be written: %s", err ? err->text : zinc_status_text(st));
		zinc_zip_session_drop(z, st, &why);
		return st;
	}
	zinc_zip_own_tag(f->header, f->nbytes, f->crc, f->crc32c, tag);
	return ZINC_OK;
}

/* ---- many puts ---- */

/* A put of a call. */
typedef struct item {
	zip_fresh f;
	zinc_tag tag;
	bool added, reported;
} item;

static void
report(const zinc_done *done, item *items, size_t i, zinc_status st, const zinc_error *e)
{
	items[i].reported = true;
	zinc_done_report(done, i, st, &items[i].tag, e);
}

static void
report_rest(const zinc_done *done, item *items, size_t n, zinc_status st, const zinc_error *e)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!items[i].reported)
			report(done, items, i, st, e);
}

/* In a group: each put for itself, reported at once. */
static void
put_grouped(zip *z, zip_group *g, const zinc_put *puts, size_t n, item *items, const zinc_done *done,
	    const zinc_wait *wait)
{
	size_t i;

	for (i = 0; i < n; i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st = sum_up(&puts[i], &items[i].f, &e);

		if (st == ZINC_OK)
			st = zinc_turn_acquire(&z->writing, wait, &e);
		if (st == ZINC_OK) {
			st = add_put(z, g, &puts[i], &items[i].f, &items[i].tag, wait, &e);
			zinc_turn_release(&z->writing);
		}
		report(done, items, i, st, &e);
	}
}

static bool
any_added(const item *items, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (items[i].added)
			return true;
	return false;
}

/* A failure that concerns one put is reported; one that took the others with it is returned. */
static zinc_status
add_all(zip *z, const zinc_put *puts, size_t n, item *items, const zinc_done *done, const zinc_wait *wait,
	zinc_error *err)
{
	size_t i;

	for (i = 0; i < n; i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st;

		if (items[i].reported)
			continue;
		st = add_put(z, NULL, &puts[i], &items[i].f, &items[i].tag, wait, &e);
		items[i].added = st == ZINC_OK;
		if (st == ZINC_OK)
			continue;
		if (!z->session && any_added(items, i))
			return zinc_error_copy(err, &e);
		report(done, items, i, st, &e);
	}
	return ZINC_OK;
}

/* One commit of all of them.  The turn is kept until it is done, so that no other thread's failure takes them away. */
static zinc_status
try_put_now(zip *z, const zinc_put *puts, size_t n, item *items, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;
	size_t i;

	for (i = 0; i < n; i++)
		items[i].added = false;
	ZINC_TRY(zinc_turn_acquire(&z->writing, wait, err));
	st = add_all(z, puts, n, items, done, wait, err);
	if (st == ZINC_OK && any_added(items, n))
		st = zinc_zip_session_commit(z, flags, wait, err);
	zinc_turn_release(&z->writing);
	return st;
}

/* Has another writer replaced an archive that has no lock, so that the change should be made again? */
static bool
is_lost(const zip *z, zinc_status st, int tries)
{
	if (st != ZINC_E_CONFLICT || z->fs || tries >= ZINC_UPDATE_TRIES)
		return false;
	zinc_store_back_off(tries, z);
	return true;
}

static void
put_now(zip *z, const zinc_put *puts, size_t n, item *items, const zinc_done *done, uint32_t flags,
	const zinc_wait *wait)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = ZINC_OK;
	int tries = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		st = sum_up(&puts[i], &items[i].f, &e);
		if (st != ZINC_OK)
			report(done, items, i, st, &e);
	}
	do
		st = try_put_now(z, puts, n, items, done, flags, wait, &e);
	while (is_lost(z, st, ++tries));
	report_rest(done, items, n, st, &e);
}

zinc_status
zinc_zip_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	     const zinc_wait *wait, zinc_error *err)
{
	zip *z = (zip *)self;
	zip_group *g = (zip_group *)group;
	item *items = (item *)zinc_calloc(z->ctx, n, sizeof *items);

	if (!items)
		return zinc_fail_nomem(err);
	if (g && !(flags & ZINC_PUT_TAGS))
		put_grouped(z, g, puts, n, items, done, wait);
	else
		put_now(z, puts, n, items, done, flags, wait);
	zinc_free(z->ctx, items);
	return ZINC_OK;
}

/* ---- groups ---- */

zinc_status
zinc_zip_put_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zip *z = (zip *)self;
	zip_group *g = (zip_group *)zinc_calloc(z->ctx, 1, sizeof *g);
	zinc_status st;

	if (!g)
		return zinc_fail_nomem(err);
	st = zinc_turn_acquire(&z->writing, wait, err);
	if (st != ZINC_OK) {
		zinc_free(z->ctx, g);
		return st;
	}
	g->flags = flags;
	zinc_buf_init(&g->lost, z->ctx, zinc_max_list(z->ctx));
	g->next = z->groups;
	z->groups = g;
	zinc_turn_release(&z->writing);
	*group = (zinc_put_group *)g;
	return ZINC_OK;
}

static void
group_free(zip *z, zip_group *g)
{
	zinc_buf_fini(&g->lost);
	zinc_free(z->ctx, g->error);
	zinc_free(z->ctx, g);
}

static void
unlink_group(zip *z, const zip_group *g)
{
	zip_group **link;

	for (link = &z->groups; *link && *link != g; link = &(*link)->next)
		continue;
	if (*link)
		*link = g->next;
}

/* Report the keys of a group that failed, and its status. */
static zinc_status
report_group(const zip_group *g, zinc_committed_fn fn, void *arg, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	const char *key = (const char *)g->lost.p, *end = key + g->lost.n;

	if (g->status == ZINC_OK)
		return ZINC_OK;
	if (g->error)
		zinc_error_copy(&e, g->error);
	else
		zinc_fail(&e, g->status, "%s", zinc_status_text(g->status));
	for (; fn && key < end; key += strlen(key) + 1)
		fn(arg, key, g->status, &e);
	return zinc_error_copy(err, &e);
}

/* Another group's commit may have published its entries before. */
zinc_status
zinc_zip_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait,
		zinc_error *err)
{
	zip *z = (zip *)self;
	zip_group *g = (zip_group *)group;
	zinc_status st;

	ZINC_TRY(zinc_turn_acquire(&z->writing, NULL, err));
	if (g->npending)
		(void)zinc_zip_session_commit(z, g->flags, wait, NULL);
	unlink_group(z, g);
	zinc_turn_release(&z->writing);
	st = report_group(g, fn, arg, err);
	group_free(z, g);
	return st;
}

void
zinc_zip_abort(void *self, zinc_put_group *group)
{
	zip *z = (zip *)self;
	zip_group *g = (zip_group *)group;

	if (zinc_turn_acquire(&z->writing, NULL, NULL) != ZINC_OK)
		return;
	zinc_zip_session_abort(z, g);
	unlink_group(z, g);
	zinc_turn_release(&z->writing);
	group_free(z, g);
}

/* ---- update ---- */

/* The old value, in memory of the call. */
typedef struct old_value {
	zinc_buf bytes;
	bool found;
	zinc_status status;
	zinc_error *err;
} old_value;

static zinc_room
take_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	old_value *o = (old_value *)arg;

	(void)i;
	if (nbytes > SIZE_MAX || zinc_buf_reset(&o->bytes, (size_t)nbytes, o->err) != ZINC_OK)
		return ZINC_ROOM_FAIL;
	o->bytes.n = (size_t)nbytes;
	*buf = o->bytes.p;
	return ZINC_ROOM_OK;
}

static void
take_old(void *arg, size_t i, const zinc_got *got)
{
	old_value *o = (old_value *)arg;

	(void)i;
	o->found = got->found == ZINC_FOUND;
	if (got->found != ZINC_FAILED)
		return;
	o->status = got->status;
	if (got->error)
		zinc_error_copy(o->err, got->error);
}

static zinc_status
check_limit(uint64_t nbytes, uint64_t limit, zinc_error *err)
{
	return limit && nbytes > limit
		   ? zinc_fail(err, ZINC_E_LIMIT, "the value is longer than the limit of %llu bytes",
			       (unsigned long long)limit)
		   : ZINC_OK;
}

/* The archive is locked, so this sees the directory of the session. */
static zinc_status
read_old(zip *z, const char *key, uint64_t limit, old_value *o, const zinc_wait *wait, zinc_error *err)
{
	const zip_pending *p = zinc_zip_session_find(z, key);
	const zinc_get r = {.key = key, .length = ZINC_TO_END, .limit = limit};
	const zinc_sink sink = {sizeof sink, take_room, take_old, o};

	o->err = err;
	if (!p) {
		ZINC_TRY(zinc_zip_read(z, &r, 1, &sink, wait, err));
		return o->status;
	}
	ZINC_TRY(check_limit(p->f.nbytes, limit, err));
	ZINC_TRY(zinc_buf_reset(&o->bytes, (size_t)p->f.nbytes, err));
	o->bytes.n = (size_t)p->f.nbytes;
	o->found = true;
	return zinc_zip_session_read(z, p, o->bytes.p, err);
}

static zinc_status
apply(zip *z, const char *key, const zinc_update *u, const old_value *o, uint32_t flags, const zinc_wait *wait,
      zinc_error *err)
{
	const struct iovec iov = {(void *)(uintptr_t)u->bytes, u->nbytes};
	const zinc_put put = {.key = key, .iov = &iov, .niov = 1};
	zip_fresh f;
	zinc_tag tag;

	if (u->keep || (u->erase && !o->found))
		return ZINC_OK;
	if (u->erase)
		return zinc_fail(err, ZINC_E_READONLY, "a key of a zip archive cannot be erased");
	ZINC_TRY(sum_up(&put, &f, err));
	ZINC_TRY(add_put(z, NULL, &put, &f, &tag, wait, err));
	return zinc_zip_session_commit(z, flags, wait, err);
}

/* With the turn.  *mine: the caller's function has failed, and its status is the result. */
static zinc_status
try_update(zip *z, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags, bool *mine,
	   const zinc_wait *wait, zinc_error *err)
{
	zinc_update u = {.size = sizeof u};
	old_value o = {.found = false};
	zinc_status st;

	zinc_buf_init(&o.bytes, z->ctx, zinc_max_chunk(z->ctx));
	st = zinc_zip_session_begin(z, wait, err);
	if (st == ZINC_OK)
		st = read_old(z, key, limit, &o, wait, err);
	if (st == ZINC_OK) {
		st = fn(arg, o.found ? (o.bytes.p ? o.bytes.p : (const uint8_t *)"") : NULL, o.bytes.n, &u, err);
		*mine = st != ZINC_OK;
	}
	if (st == ZINC_OK)
		st = apply(z, key, &u, &o, flags, wait, err);
	zinc_zip_session_end_unused(z);
	zinc_buf_fini(&o.bytes);
	return st;
}

zinc_status
zinc_zip_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
		const zinc_wait *wait, zinc_error *err)
{
	zip *z = (zip *)self;
	zinc_status st;
	bool mine;
	int tries = 0;

	do {
		mine = false;
		ZINC_TRY(zinc_turn_acquire(&z->writing, wait, err));
		st = try_update(z, key, fn, arg, limit, flags, &mine, wait, err);
		zinc_turn_release(&z->writing);
	} while (!mine && is_lost(z, st, ++tries));
	return st;
}

/* ---- changes that are kept back ---- */

zinc_status
zinc_zip_hold(void *self, const zinc_wait *wait, zinc_error *err)
{
	zip *z = (zip *)self;

	ZINC_TRY(zinc_turn_acquire(&z->writing, wait, err));
	atomic_fetch_add(&z->held, 1);
	zinc_turn_release(&z->writing);
	return ZINC_OK;
}

/* The failure of changes that were kept back; it is reported once. */
static zinc_status
take_failure(zip *z, zinc_error *err)
{
	const zinc_status st = z->held_status;

	if (st == ZINC_OK)
		return ZINC_OK;
	if (z->held_error)
		zinc_error_copy(err, z->held_error);
	else
		zinc_fail(err, st, "%s", zinc_status_text(st));
	zinc_free(z->ctx, z->held_error);
	z->held_error = NULL;
	z->held_status = ZINC_OK;
	return st;
}

zinc_status
zinc_zip_release(void *self, bool keep, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zip *z = (zip *)self;
	zinc_status st;

	ZINC_TRY(zinc_turn_acquire(&z->writing, NULL, err));
	if (!keep)
		zinc_zip_session_drop(z, ZINC_OK, NULL);
	st = take_failure(z, err);
	atomic_fetch_sub(&z->held, 1);
	if (st == ZINC_OK && z->session)
		st = zinc_zip_session_finish(z, flags, wait, err);
	zinc_turn_release(&z->writing);
	return st;
}

zinc_status
zinc_zip_flush(zip *z, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	if (!atomic_load(&z->held))
		return ZINC_OK;
	ZINC_TRY(zinc_turn_acquire(&z->writing, wait, err));
	if (z->session)
		st = zinc_zip_session_finish(z, 0, wait, err);
	zinc_turn_release(&z->writing);
	return st;
}

/* What was published without waiting for the disk. */
zinc_status
zinc_zip_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_sync(((zip *)self)->next, wait, err);
}
