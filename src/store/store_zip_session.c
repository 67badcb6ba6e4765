/*
 * store_zip_session.c - a new archive, from its lock to its rename
 *
 *     lock ── read the directory ── copy the entries ── add entries ... ── directory, end ── fsync ── rename
 *
 * A changed archive is a new file beside the old one: the entries of the old one, as they are, then the new entries, then
 * one directory of both.  It replaces the old one by a rename.
 *
 * Why not in place: the directory is at the end, and programs look for it only there.  Entries that are written over it,
 * or after it, make the archive unreadable until the new directory is complete; a crash would leave it so.  Only the
 * rename makes old and new readable at any moment and by every program.  The price is a copy of the archive per commit,
 * not per key: a group, or one call with many puts, is one commit.  The kernel makes the copy (store_fs_copy.c), and where
 * files can share blocks it costs next to nothing.
 *
 * Promises (tests/unit/test_store_zip_write.c names each by its number):
 *
 * (1) A reader sees the old archive or the new one, whole, whatever happens to the writer, at any byte.
 * (2) Writers exclude each other: the lock of the archive (that of store_fs.c: "a.zip.__lock") is held from before the
 *     directory is read until the rename.  So conditions hold against all writers, and no entry of another is lost.
 *     An archive that a program without that lock has changed meanwhile is not replaced: E_CONFLICT.
 * (3) Records that are not replaced stay as they are, also those that are no keys, and so does the archive's comment.
 * (4) Memory is bounded by the directory: bytes are written as they come, and an entry of the caller's is not copied.
 * (5) If anything fails after the first byte, nothing is published, and every group with an entry in it fails, naming
 *     its keys.
 *
 * Over a store that is not the file system the archive is built in memory and put with a condition.
 */
#include "store/store_zip.h"

#define LOCK_SECONDS 60
#define COPY_BLOCK   ((size_t)4 * ZINC_MIB)
#define FLUSH_BYTES  ((size_t)ZINC_MIB)
#define MAX_MEMORY   ((size_t)4 * ZINC_GIB - 1) /* of an archive in memory */
#define NONE         SIZE_MAX

struct zip_session {
	zip_dir *base;
	fs_change *stream; /* NULL: `bytes` */
	zinc_buf bytes;
	uint64_t at; /* bytes written */
	bool copied; /* the old entries */
	zip_pending *pending;
	size_t n, cap;
	size_t *slots; /* table of `pending` by key: number of the newest entry, or NONE */
	size_t nslots; /* a power of 2, or 0 */
};

/* ---- begin and end ---- */

static void
free_session(zip *z)
{
	zip_session *s = z->session;
	size_t i;

	z->session = NULL;
	for (i = 0; i < s->n; i++) {
		zinc_free(z->ctx, (void *)(uintptr_t)s->pending[i].f.key);
		if (s->pending[i].group && !s->pending[i].dropped)
			s->pending[i].group->npending--;
	}
	if (s->stream)
		zinc_fs_stream_drop(z->fs, s->stream);
	zinc_zip_dir_unref(s->base);
	zinc_buf_fini(&s->bytes);
	zinc_free(z->ctx, s->pending);
	zinc_free(z->ctx, s->slots);
	zinc_free(z->ctx, s);
}

/* Wait for another writer, but not for ever: it may be this thread, by another handle. */
static zinc_status
take_lock(zip *z, const zinc_wait *wait, zinc_error *err)
{
	zinc_wait bounded = ZINC_WAIT_INIT;
	zinc_status st;

	if (wait)
		bounded = *wait;
	bounded.until = zinc_now(z->ctx) + LOCK_SECONDS;
	if (wait && wait->until != 0 && wait->until < bounded.until)
		bounded.until = wait->until;
	st = zinc_fs_stream_begin(z->fs, z->key, &z->session->stream, &bounded, err);
	if (st == ZINC_E_CANCELLED && zinc_wait_check(wait, NULL) == ZINC_OK)
		st = zinc_fail(err, ZINC_E_CONFLICT, "another writer has kept the archive \"%s\" for %d seconds",
			       z->key, LOCK_SECONDS);
	return st;
}

zinc_status
zinc_zip_session_begin(zip *z, const zinc_wait *wait, zinc_error *err)
{
	zip_session *s;
	zinc_status st = ZINC_OK;

	if (z->session)
		return ZINC_OK;
	s = (zip_session *)zinc_calloc(z->ctx, 1, sizeof *s);
	if (!s)
		return zinc_fail_nomem(err);
	zinc_buf_init(&s->bytes, z->ctx, MAX_MEMORY);
	z->session = s;
	if (z->fs)
		st = take_lock(z, wait, err);
	if (st == ZINC_OK)
		st = zinc_zip_dir_load(z, &s->base, wait, err);
	if (st == ZINC_OK && s->base->damaged)
		st = zinc_fail(err, ZINC_E_CORRUPT,
			       "the archive has entries that are not inside of it: it can be read, not written");
	if (st != ZINC_OK)
		free_session(z);
	return st;
}

const zip_dir *
zinc_zip_session_base(const zip *z)
{
	return z->session->base;
}

/* NULL: no memory. */
static zinc_error *
copy_error(zip *z, zinc_status st, const zinc_error *why)
{
	zinc_error *e = (zinc_error *)zinc_alloc(z->ctx, sizeof *e);

	if (!e)
		return NULL;
	zinc_error_clear(e);
	zinc_error_copy(e, why);
	e->code = st;
	return e;
}

/* Keep the keys of a group whose entries are lost; without memory for them, only the status. */
static void
fail_group(zip *z, zip_group *g, zinc_status st, const zinc_error *why)
{
	const zip_session *s = z->session;
	size_t i;

	g->status = st;
	g->error = copy_error(z, st, why);
	for (i = 0; i < s->n; i++)
		if (s->pending[i].group == g && !s->pending[i].dropped)
			(void)zinc_buf_add(&g->lost, s->pending[i].f.key, strlen(s->pending[i].f.key) + 1, NULL);
}

void
zinc_zip_session_drop(zip *z, zinc_status st, const zinc_error *why)
{
	zip_group *g;

	if (!z->session)
		return;
	for (g = z->groups; g && st != ZINC_OK; g = g->next)
		if (g->npending && g->status == ZINC_OK)
			fail_group(z, g, st, why);
	if (st != ZINC_OK && atomic_load(&z->held) && z->held_status == ZINC_OK) {
		z->held_status = st;
		z->held_error = copy_error(z, st, why);
	}
	free_session(z);
}

static bool
is_unused(const zip_session *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!s->pending[i].dropped)
			return false;
	return true;
}

void
zinc_zip_session_end_unused(zip *z)
{
	if (z->session && is_unused(z->session))
		free_session(z);
}

void
zinc_zip_session_abort(zip *z, zip_group *g)
{
	zip_session *s = z->session;
	size_t i;

	for (i = 0; s && i < s->n; i++)
		if (s->pending[i].group == g && !s->pending[i].dropped) {
			s->pending[i].dropped = true;
			g->npending--;
		}
	zinc_zip_session_end_unused(z);
}

/* ---- pending entries, by key ---- */

/* The slot of a key, or the empty one where it belongs. */
static size_t
find_slot(const zip_session *s, const char *key)
{
	size_t at = zinc_crc32c(0, key, strlen(key)) & (s->nslots - 1);

	while (s->slots[at] != NONE && strcmp(s->pending[s->slots[at]].f.key, key) != 0)
		at = (at + 1) & (s->nslots - 1);
	return at;
}

const zip_pending *
zinc_zip_session_find(const zip *z, const char *key)
{
	const zip_session *s = z->session;
	size_t i;

	if (!s || !s->nslots)
		return NULL;
	for (i = s->slots[find_slot(s, key)]; i != NONE; i = s->pending[i].older)
		if (!s->pending[i].dropped)
			return &s->pending[i];
	return NULL;
}

/* Room for one more.  The table is at most half full. */
static zinc_status
grow(zip *z, zinc_error *err)
{
	zip_session *s = z->session;
	const size_t cap = s->cap ? 2 * s->cap : 64;
	zip_pending *pending;
	size_t *slots, i;

	if (s->n < s->cap)
		return ZINC_OK;
	slots = (size_t *)zinc_calloc(z->ctx, 2 * cap, sizeof *slots);
	pending = slots ? (zip_pending *)zinc_calloc(z->ctx, cap, sizeof *pending) : NULL;
	if (!pending) {
		zinc_free(z->ctx, slots);
		return zinc_fail_nomem(err);
	}
	if (s->n)
		memcpy(pending, s->pending, s->n * sizeof *pending);
	zinc_free(z->ctx, s->pending);
	zinc_free(z->ctx, s->slots);
	s->pending = pending;
	s->slots = slots;
	s->cap = cap;
	s->nslots = 2 * cap;
	for (i = 0; i < s->nslots; i++)
		slots[i] = NONE;
	for (i = 0; i < s->n; i++)
		slots[find_slot(s, pending[i].f.key)] = i; /* the newest comes last */
	return ZINC_OK;
}

/* ---- bytes ---- */

static zinc_status
write_bytes(zip *z, const struct iovec *iov, int niov, zinc_error *err)
{
	zip_session *s = z->session;
	size_t n = 0;
	int i;

	if (zinc_iov_bytes(iov, niov, &n))
		return zinc_fail_nomem(err);
	if (s->stream)
		ZINC_TRY(zinc_fs_stream_write(z->fs, s->stream, iov, niov, err));
	for (i = 0; !s->stream && i < niov; i++)
		ZINC_TRY(zinc_buf_add(&s->bytes, iov[i].iov_base, iov[i].iov_len, err));
	s->at += n;
	return ZINC_OK;
}

static zinc_status
flush(zip *z, zinc_buf *b, size_t least, zinc_error *err)
{
	const struct iovec iov = {b->p, b->n};

	if (b->n == 0 || b->n < least)
		return ZINC_OK;
	ZINC_TRY(write_bytes(z, &iov, 1, err));
	zinc_buf_end(b, 0);
	return ZINC_OK;
}

typedef struct copying {
	zinc_found found;
	zinc_status status;
	zinc_error *err;
} copying;

static void
copy_done(void *arg, size_t i, const zinc_got *got)
{
	copying *c = (copying *)arg;

	(void)i;
	c->found = got->found;
	c->status = got->found == ZINC_FAILED ? got->status : ZINC_OK;
	if (got->found == ZINC_FAILED && got->error)
		zinc_error_copy(c->err, got->error);
}

static zinc_status
fail_replaced(const zip *z, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_CONFLICT, "the archive \"%s\" was replaced by a program that takes no lock",
			 z->key);
}

static zinc_status
copy_block(zip *z, uint64_t offset, const struct iovec *block, const zinc_wait *wait, zinc_error *err)
{
	const zip_dir *d = z->session->base;
	const zinc_get r = {.key = z->key,
			    .offset = offset,
			    .length = block->iov_len,
			    .iov = block,
			    .niov = 1,
			    .if_tag = d->tag.n ? &d->tag : NULL};
	copying c = {ZINC_FAILED, ZINC_OK, err};
	const zinc_sink sink = {sizeof sink, NULL, copy_done, &c};

	ZINC_TRY(zinc_store_get(z->next, &r, 1, &sink, wait, err));
	if (c.found == ZINC_FAILED)
		return c.status;
	if (c.found != ZINC_FOUND)
		return fail_replaced(z, err);
	return write_bytes(z, block, 1, err);
}

/* From file to file. */
static zinc_status
copy_file(zip *z, const zinc_wait *wait, zinc_error *err)
{
	zip_session *s = z->session;
	const zip_dir *d = s->base;
	zinc_tag tag = {0};
	struct stat old;
	zinc_status st;
	int fd = -1;

	ZINC_TRY(zinc_fs_open_value(z->fs, z->key, &fd, &old, NULL, err));
	if (fd != -1)
		zinc_fs_tag(&tag, &old);
	if (zinc_tag_equal(&tag, &d->tag))
		st = zinc_fs_stream_copy(z->fs, s->stream, fd, 0, d->end.at, wait, err);
	else
		st = fail_replaced(z, err);
	zinc_zip_local_close(z, &fd);
	if (st == ZINC_OK)
		s->at = d->end.at;
	return st;
}

/* By the operations of the store below. */
static zinc_status
copy_blocks(zip *z, const zinc_wait *wait, zinc_error *err)
{
	const zip_session *s = z->session;
	const uint64_t end = s->base->end.at;
	zinc_status st = ZINC_OK;
	uint8_t *block;

	block = (uint8_t *)zinc_alloc(z->ctx, (size_t)zinc_min_u64(COPY_BLOCK, end));
	if (!block)
		return zinc_fail_nomem(err);
	while (s->at < end && st == ZINC_OK) {
		const struct iovec iov = {block, (size_t)zinc_min_u64(COPY_BLOCK, end - s->at)};

		st = zinc_wait_for(wait, "the copy of the archive", err);
		if (st == ZINC_OK)
			st = copy_block(z, s->at, &iov, wait, err);
	}
	zinc_free(z->ctx, block);
	return st;
}

/* Everything before the old directory. */
static zinc_status
copy_old(zip *z, const zinc_wait *wait, zinc_error *err)
{
	zip_session *s = z->session;

	if (!s->copied && s->base->end.at > 0)
		ZINC_TRY(s->stream ? copy_file(z, wait, err) : copy_blocks(z, wait, err));
	s->copied = true;
	return ZINC_OK;
}

zinc_status
zinc_zip_session_read(zip *z, const zip_pending *p, void *out, zinc_error *err)
{
	zip_session *s = z->session;

	if (s->stream)
		return zinc_fs_stream_read(z->fs, s->stream, p->data, out, (size_t)p->f.nbytes, err);
	if (p->f.nbytes)
		memcpy(out, s->bytes.p + (size_t)p->data, (size_t)p->f.nbytes);
	return ZINC_OK;
}

/* ---- entries ---- */

/* Header and bytes. */
static zinc_status
write_entry(zip *z, const zip_fresh *f, const zinc_put *put, uint64_t *data, zinc_error *err)
{
	zinc_buf head;
	struct iovec iov;
	zinc_status st;

	zinc_buf_init(&head, z->ctx, ZINC_MAX_KEY);
	st = zinc_zip_put_local(&head, f, err);
	iov = (struct iovec){head.p, head.n};
	if (st == ZINC_OK)
		st = write_bytes(z, &iov, 1, err);
	*data = z->session->at;
	if (st == ZINC_OK)
		st = write_bytes(z, put->iov, put->niov, err);
	zinc_buf_fini(&head);
	return st;
}

zinc_status
zinc_zip_session_add(zip *z, zip_fresh *f, const zinc_put *put, zip_group *group, const zinc_wait *wait,
		     zinc_error *err)
{
	zip_session *s = z->session;
	zip_pending p = {.f = *f, .group = group};
	zinc_status st = grow(z, err);
	char *key = st == ZINC_OK ? zinc_strdup(z->ctx, f->key) : NULL;
	size_t slot;

	if (!key)
		return st == ZINC_OK ? zinc_fail_nomem(err) : st;
	p.f.key = key;
	st = copy_old(z, wait, err);
	p.f.header = f->header = s->at;
	if (st == ZINC_OK)
		st = write_entry(z, &p.f, put, &p.data, err);
	if (st != ZINC_OK) {
		zinc_free(z->ctx, key);
		return st;
	}
	slot = find_slot(s, key);
	p.older = s->slots[slot];
	s->slots[slot] = s->n;
	s->pending[s->n++] = p;
	if (group)
		group->npending++;
	return ZINC_OK;
}

/* ---- the directory ---- */

/* Does the new directory have this record of the old one?  Not if it is replaced, or was superseded before. */
static bool
is_kept(const zip *z, const zip_record *r, zinc_buf *name)
{
	const zip_dir *d = z->session->base;
	const zip_entry *e;
	const char *why;

	(void)zinc_zip_name(r, (char *)name->p, &why);
	if (why)
		return true;
	e = zinc_zip_find(d, (const char *)name->p);
	return e && e->record == (size_t)(r->p - d->raw.p) && !zinc_zip_session_find(z, e->key);
}

static zinc_status
write_old_records(zip *z, zip_end *end, zinc_buf *out, zinc_error *err)
{
	const zip_dir *d = z->session->base;
	const zinc_bytes raw = {d->raw.p, (size_t)d->end.n};
	zinc_status st = ZINC_OK;
	zinc_buf name;
	zip_record r;
	size_t at;

	zinc_buf_init(&name, z->ctx, zinc_max_list(z->ctx));
	for (at = 0; at < raw.n && st == ZINC_OK; at += r.n) {
		st = zinc_zip_parse_record(raw, at, &r, err);
		if (st == ZINC_OK)
			st = zinc_buf_reset(&name, zinc_zip_name_room(&r), err);
		if (st != ZINC_OK || !is_kept(z, &r, &name))
			continue;
		end->count++;
		st = zinc_buf_add(out, r.p, r.n, err);
		if (st == ZINC_OK)
			st = flush(z, out, FLUSH_BYTES, err);
	}
	zinc_buf_fini(&name);
	return st;
}

static zinc_status
write_new_records(zip *z, zip_end *end, zinc_buf *out, zinc_error *err)
{
	const zip_session *s = z->session;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (zinc_zip_session_find(z, s->pending[i].f.key) != &s->pending[i])
			continue;
		end->count++;
		ZINC_TRY(zinc_zip_put_record(out, &s->pending[i].f, end->shift, err));
		ZINC_TRY(flush(z, out, FLUSH_BYTES, err));
	}
	return ZINC_OK;
}

static zinc_status
write_directory(zip *z, zinc_error *err)
{
	zip_session *s = z->session;
	const zip_dir *d = s->base;
	zip_end end = {.at = s->at, .shift = d->end.shift};
	zinc_bytes comment = {NULL, 0};
	zinc_buf out;
	zinc_status st;

	if (d->end.ncomment)
		comment = (zinc_bytes){d->raw.p + (size_t)d->end.n, d->end.ncomment};
	zinc_buf_init(&out, z->ctx, 2 * FLUSH_BYTES);
	st = write_old_records(z, &end, &out, err);
	if (st == ZINC_OK)
		st = write_new_records(z, &end, &out, err);
	if (st == ZINC_OK)
		st = flush(z, &out, 1, err);
	end.n = s->at - end.at;
	if (st == ZINC_OK)
		st = zinc_zip_put_end(&out, &end, comment, err);
	if (st == ZINC_OK)
		st = flush(z, &out, 1, err);
	zinc_buf_fini(&out);
	return st;
}

/* The stream is freed, whatever happens. */
static zinc_status
publish(zip *z, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zip_session *s = z->session;
	const zinc_condition when = {s->base->exists ? ZINC_EQUALS : ZINC_ABSENT, &s->base->tag};
	fs_change *stream = s->stream;
	zinc_status st;

	s->stream = NULL;
	if (stream)
		st = zinc_fs_stream_finish(z->fs, stream, &when, flags & ZINC_PUT_RELAXED, err);
	else
		st = zinc_store_put(z->next, NULL, z->key, s->bytes.p, s->bytes.n, &when, flags & ZINC_PUT_RELAXED,
				    NULL, wait, err);
	if (st == ZINC_E_EXISTS || st == ZINC_E_CONFLICT)
		return zinc_fail(err, ZINC_E_CONFLICT, "another writer changed the archive \"%s\"", z->key);
	return st;
}

zinc_status
zinc_zip_session_finish(zip *z, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_wait_for(wait, "the disk", &e);

	if (st == ZINC_OK)
		st = copy_old(z, wait, &e);
	if (st == ZINC_OK)
		st = write_directory(z, &e);
	if (st == ZINC_OK)
		st = publish(z, flags, wait, &e);
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	zinc_zip_session_drop(z, st, &e);
	return st;
}

zinc_status
zinc_zip_session_commit(zip *z, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zip_session *s = z->session;
	size_t i;

	if (!atomic_load(&z->held))
		return zinc_zip_session_finish(z, flags, wait, err);
	for (i = 0; i < s->n; i++)
		if (s->pending[i].group && !s->pending[i].dropped) {
			s->pending[i].group->npending--;
			s->pending[i].group = NULL;
		}
	return ZINC_OK;
}
