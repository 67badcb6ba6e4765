/*
 * store_zip_load.c - read the directory of an archive from the store below, and notice when the archive is replaced
 *
 * Promises (tests/unit/test_store_zip.c names each by its number, L1 ...):
 *
 * (L1) A directory that fits into the last 64 KiB is read with one request, a longer one with two.
 * (L2) Both requests see one generation of the archive, and so do all later ones that use the directory: they carry its
 *      tag.  If the store below has no tags, they compare the size of the archive, and values are read whole and
 *      compared with their checksums.
 * (L3) On a local store, no answer is given from the directory (missing, size, list) of an archive that was replaced.  A
 *      remote archive is not asked for before each of them; bytes are never mixed there either.
 * (L4) A local archive that does not exist has no keys; a remote one is an error, and so is one that was removed after it
 *      was read: its keys must not become "missing".
 */
#include "store/store_zip.h"

#define HEAD      4u
#define MAX_TRIES 16 /* against others who replace the archive while it is read */

/* ---- one request to the store below ---- */

typedef struct answer {
	zinc_buf *buf; /* NULL: no bytes */
	zinc_found found;
	uint64_t nbytes;
	zinc_tag tag;
	zinc_status status;
	zinc_error *err;
} answer;

static zinc_room
take_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	answer *a = (answer *)arg;

	(void)i;
	if (nbytes > SIZE_MAX || zinc_buf_reset(a->buf, (size_t)nbytes, a->err) != ZINC_OK)
		return ZINC_ROOM_FAIL;
	a->buf->n = (size_t)nbytes;
	*buf = a->buf->p;
	return ZINC_ROOM_OK;
}

static void
take_answer(void *arg, size_t i, const zinc_got *got)
{
	answer *a = (answer *)arg;

	(void)i;
	a->found = got->found;
	a->nbytes = got->object_size;
	if (got->found == ZINC_FOUND && got->tag)
		a->tag = *got->tag;
	if (got->found != ZINC_FAILED)
		return;
	a->status = got->status == ZINC_OK ? ZINC_E_IO : got->status;
	if (got->error)
		zinc_error_copy(a->err, got->error);
	else
		zinc_fail(a->err, a->status, "%s", zinc_status_text(a->status));
}

static zinc_status
request(zip *z, const zinc_get *r, answer *a, const zinc_wait *wait, zinc_error *err)
{
	const zinc_sink sink = {sizeof sink, take_room, take_answer, a};

	a->err = err;
	a->status = ZINC_OK;
	ZINC_TRY(zinc_store_get(z->next, r, 1, &sink, wait, err));
	return a->status;
}

/* ---- reading it ---- */

static uint64_t
hash_tag(const zinc_tag *t)
{
	return zinc_crc32(0, t->b, t->n) | (uint64_t)zinc_crc32c(0, t->b, t->n) << 32;
}

/* The end of the archive, by a suffix or, where the store below has none, by its size. */
static zinc_status
read_tail(zip *z, zinc_buf *tail, answer *a, const zinc_wait *wait, zinc_error *err)
{
	zinc_get r = {.key = z->key, .length = ZIP_TAIL, .suffix = 1};
	zinc_caps caps = ZINC_CAPS_INIT;
	answer size = {0};

	a->buf = tail;
	zinc_store_caps(z->next, &caps);
	if (caps.flags & ZINC_CAP_SUFFIX_RANGE)
		return request(z, &r, a, wait, err);
	r.stat = 1;
	ZINC_TRY(request(z, &r, &size, wait, err));
	a->found = size.found;
	if (size.found != ZINC_FOUND)
		return ZINC_OK;
	r.stat = r.suffix = 0;
	r.offset = size.nbytes > ZIP_TAIL ? size.nbytes - ZIP_TAIL : 0;
	r.if_tag = size.tag.n ? &size.tag : NULL;
	return request(z, &r, a, wait, err);
}

/* The directory that is longer than the tail; *changed: the archive was replaced meanwhile. */
static zinc_status
read_long(zip *z, zip_dir *d, bool *changed, const zinc_wait *wait, zinc_error *err)
{
	const zinc_get r = {
	    .key = z->key, .offset = d->end.at, .length = d->end.n, .if_tag = d->tag.n ? &d->tag : NULL};
	answer a = {.buf = &d->raw};

	ZINC_TRY(request(z, &r, &a, wait, err));
	*changed = a.found != ZINC_FOUND || a.nbytes != d->nbytes || d->raw.n != d->end.n;
	return ZINC_OK;
}

/* d->raw becomes the directory and the comment. */
static zinc_status
read_raw(zip *z, zip_dir *d, const zinc_buf *tail, bool *changed, const zinc_wait *wait, zinc_error *err)
{
	const uint64_t begin = d->nbytes - tail->n;

	if (d->end.n > d->raw.max)
		return zinc_fail(err, ZINC_E_LIMIT, "the directory has %llu bytes, more than the limit of %zu",
				 (unsigned long long)d->end.n, d->raw.max);
	if (d->end.at >= begin)
		ZINC_TRY(zinc_buf_add(&d->raw, tail->p + (size_t)(d->end.at - begin), (size_t)d->end.n, err));
	else
		ZINC_TRY(read_long(z, d, changed, wait, err));
	return *changed ? ZINC_OK : zinc_buf_add(&d->raw, tail->p + d->end.comment, d->end.ncomment, err);
}

/* Say what it is instead of an archive, by its first bytes: they are in the tail, or one more request. */
static zinc_status
fail_no_end(zip *z, const zip_dir *d, const zinc_buf *tail, const zinc_wait *wait, zinc_error *err)
{
	const zinc_get r = {.key = z->key, .length = HEAD};
	uint8_t first[HEAD] = {0};
	zinc_buf head;
	answer a = {.buf = &head};
	size_t n = tail->n;

	zinc_buf_init(&head, z->ctx, HEAD);
	if (tail->n == d->nbytes) {
		memcpy(first, tail->p, n < HEAD ? n : HEAD);
	} else if (request(z, &r, &a, wait, NULL) == ZINC_OK && a.found == ZINC_FOUND) {
		memcpy(first, head.p, head.n);
	}
	zinc_buf_fini(&head);
	if (n == 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "no end record: \"%s\" is empty, not an archive: remove it first",
				 z->key);
	if (zinc_get_le32(first) == ZIP_LOCAL_MARK)
		return zinc_fail(
		    err, ZINC_E_CORRUPT,
		    "no end record: the archive \"%s\" was cut off at %llu bytes, or bytes were added to its "
		    "end: copy it again",
		    z->key, (unsigned long long)d->nbytes);
	if (first[0] == '<')
		return zinc_fail(err, ZINC_E_CORRUPT,
				 "no end record: \"%s\" is a page of HTML or XML, not an archive: check the address",
				 z->key);
	return zinc_fail(err, ZINC_E_CORRUPT,
			 "no end record: \"%s\" is not a zip archive, it begins with the bytes %02x %02x %02x %02x",
			 z->key, first[0], first[1], first[2], first[3]);
}

/* One try.  *changed: start again. */
static zinc_status
load_once(zip *z, zip_dir *d, zinc_buf *tail, bool *changed, const zinc_wait *wait, zinc_error *err)
{
	answer a = {0};
	zinc_status st;

	*changed = false;
	ZINC_TRY(zinc_wait_for(wait, "the directory of the archive", err));
	ZINC_TRY(read_tail(z, tail, &a, wait, err));
	*changed = a.found == ZINC_CHANGED;
	if (a.found == ZINC_MISSING && z->remote)
		return zinc_fail(err, ZINC_E_NOTFOUND, "the archive \"%s\" does not exist", z->key);
	if (a.found != ZINC_FOUND)
		return ZINC_OK;
	d->exists = true;
	d->nbytes = a.nbytes;
	d->tag = a.tag;
	d->tag_hash = hash_tag(&a.tag);
	st = zinc_zip_find_end((zinc_bytes){tail->p, tail->n}, d->nbytes, &d->end, err);
	if (st == ZINC_E_NOTFOUND)
		return fail_no_end(z, d, tail, wait, err);
	ZINC_TRY(st);
	ZINC_TRY(read_raw(z, d, tail, changed, wait, err));
	return *changed ? ZINC_OK : zinc_zip_parse_dir(d, wait, err);
}

zinc_status
zinc_zip_dir_load(zip *z, zip_dir **out, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	bool changed = true;
	zip_dir *d = NULL;
	zinc_buf tail;
	int tries;

	zinc_buf_init(&tail, z->ctx, ZIP_TAIL);
	for (tries = 0; tries < MAX_TRIES && changed && st == ZINC_OK; tries++) {
		zinc_zip_dir_unref(d);
		d = zinc_zip_dir_new(z->ctx);
		st = d ? load_once(z, d, &tail, &changed, wait, err) : zinc_fail_nomem(err);
	}
	zinc_buf_fini(&tail);
	if (st == ZINC_OK && changed)
		st = zinc_fail(err, ZINC_E_CONFLICT, "the archive is replaced again and again while it is read");
	if (st == ZINC_OK && !z->writable) /* only needed to write a new one */
		zinc_buf_fini(&d->raw);
	if (st == ZINC_OK)
		*out = d;
	else
		zinc_zip_dir_unref(d);
	return st;
}

/* ---- keeping it ---- */

static zip_dir *
take_known(zip *z)
{
	zip_dir *d;

	pthread_mutex_lock(&z->lock);
	d = z->dir ? zinc_zip_dir_ref(z->dir) : NULL;
	pthread_mutex_unlock(&z->lock);
	return d;
}

static void
keep(zip *z, zip_dir *d)
{
	zip_dir *old;

	pthread_mutex_lock(&z->lock);
	old = z->dir;
	z->dir = zinc_zip_dir_ref(d);
	pthread_mutex_unlock(&z->lock);
	zinc_zip_dir_unref(old);
}

/* Load unless another thread has already replaced `old` (NULL: none was read). */
static zinc_status
load_newer(zip *z, const zip_dir *old, zip_dir **out, const zinc_wait *wait, zinc_error *err)
{
	zip_dir *d;
	zinc_status st;

	ZINC_TRY(zinc_turn_acquire(&z->loading, wait, err));
	d = take_known(z);
	st = ZINC_OK;
	if (d == old) {
		zinc_zip_dir_unref(d);
		d = NULL;
		st = zinc_zip_dir_load(z, &d, wait, err);
		if (st == ZINC_OK && old && old->exists && !d->exists) {
			zinc_zip_dir_unref(d);
			d = NULL;
			st = zinc_fail(err, ZINC_E_IO, "the archive \"%s\" was removed while it was open", z->key);
		}
		if (st == ZINC_OK)
			keep(z, d);
	}
	zinc_turn_release(&z->loading);
	*out = d;
	return st;
}

zinc_status
zinc_zip_dir_get(zip *z, zip_dir **out, const zinc_wait *wait, zinc_error *err)
{
	*out = take_known(z);
	return *out ? ZINC_OK : load_newer(z, NULL, out, wait, err);
}

zinc_status
zinc_zip_dir_renew(zip *z, zip_dir **d, const zinc_wait *wait, zinc_error *err)
{
	zip_dir *newer = NULL;

	ZINC_TRY(load_newer(z, *d, &newer, wait, err));
	zinc_zip_dir_unref(*d);
	*d = newer;
	return ZINC_OK;
}

static bool
is_current(const zip_dir *d, const answer *a)
{
	if (a->found != ZINC_FOUND)
		return a->found == ZINC_MISSING && !d->exists;
	return d->exists && a->nbytes == d->nbytes && (!d->tag.n || zinc_tag_equal(&a->tag, &d->tag));
}

zinc_status
zinc_zip_dir_check(zip *z, zip_dir **d, const zinc_wait *wait, zinc_error *err)
{
	const zinc_get r = {.key = z->key, .stat = 1};
	answer a = {0};

	if (z->remote)
		return ZINC_OK;
	ZINC_TRY(request(z, &r, &a, wait, err));
	return is_current(*d, &a) ? ZINC_OK : zinc_zip_dir_renew(z, d, wait, err);
}
