/*
 * store_zip_read.c - get: requests for entries become ranges of the archive, all in one call to the store below, or from one
 * descriptor of a local file
 *
 *     known position      [bytes]                 one range, directly into the caller's memory
 *     from the beginning  [header | bytes]        one range: the header into ours, the bytes into the caller's
 *     from the middle     [header], then [bytes]  two, the first time
 *     deflated            [header | all bytes]    one range, decoded into the caller's memory
 *
 * Promises (tests/unit/test_store_zip.c names each by its number, R1 ...):
 *
 * (R1) All requests of a call go to the store below in one call, and again only for those that need another range.
 * (R2) A part of a stored entry transfers that part, and the local header once.
 * (R3) The CRC-32 of an entry is checked whenever all of it is read; no byte of a wrong one is delivered as found.
 * (R4) The local header must have the name, method and checksum of the directory, and its bytes must end before the next
 *      entry.
 * (R5) Every range has the tag of the archive whose directory it was taken from.  If that was replaced, the new directory
 *      is read and the request is made again; if the caller's memory does not fit any more, it fails with E_CONFLICT.
 * (R6) A deflated entry that decodes to more or fewer bytes than it declares is an error, and never needs more memory.
 */
#include <time.h>

#include "store/store_zip.h"

#define MAX_TRIES 16

typedef enum job_state {
	JOB_RUNNING,
	JOB_DONE,
	JOB_AGAIN,  /* the position of the bytes is known now */
	JOB_CHANGED /* the archive was replaced */
} job_state;

/* A request that needs bytes. */
typedef struct job {
	size_t i; /* of the request */
	zip_entry *e;
	uint64_t offset, nbytes; /* what it selects of the entry */
	void *room;              /* what room() gave; NULL: the request has iov */
	struct iovec *iov; /* [head] and the destination of the bytes, or [head] and `body`; then room for the head */
	int niov;          /* without the head */
	uint8_t *head;
	size_t head_room;
	size_t nhead; /* bytes of the header to read first */
	uint32_t crc; /* of the bytes, if `summed` */
	bool summed;
	bool only_head;
	uint8_t
	    *body; /* all stored bytes of the entry, to decode or compare before a part is delivered; NULL: no need */
	job_state state;
} job;

typedef struct batch {
	zip *z;
	zip_dir *d;
	const zinc_get *requests;
	const zinc_sink *sink;
	const zinc_wait *wait;
	job *jobs;
	zinc_get *gets;
	size_t n;
	int fd; /* of a local archive; -1: none */
} batch;

/* ---- answers ---- */

static void
fail_job(const batch *b, job *j, zinc_status st, const zinc_error *e)
{
	j->state = JOB_DONE;
	zinc_sink_failed(b->sink, j->i, st, e);
}

static void
finish(const batch *b, job *j)
{
	zinc_got got;
	zinc_tag tag;

	memset(&got, 0, sizeof got);
	zinc_zip_tag(b->d, j->e, &tag);
	got.size = sizeof got;
	got.nbytes = j->nbytes;
	got.object_size = j->e->nbytes;
	got.tag = &tag;
	j->state = JOB_DONE;
	b->sink->done(b->sink->arg, j->i, &got);
}

/* ---- one job: what to read ---- */

static void
job_fini(zip *z, job *j)
{
	zinc_free(z->ctx, j->iov);
	zinc_free(z->ctx, j->body);
	j->iov = NULL;
	j->head = j->body = NULL;
}

/* Must all of it be read first?  Without tags only the checksum can tell that the archive was not replaced. */
static bool
needs_body(const zip_dir *d, const job *j)
{
	return j->e->method == ZIP_DEFLATED || (d->tag.n == 0 && j->nbytes < j->e->nbytes);
}

/* The first `left` bytes of the caller's iov. */
static int
copy_iov(struct iovec *to, const struct iovec *from, int n, uint64_t left)
{
	int i, made = 0;

	for (i = 0; i < n && left; i++) {
		to[made] = from[i];
		if (to[made].iov_len > left)
			to[made].iov_len = (size_t)left;
		left -= to[made].iov_len;
		made += to[made].iov_len != 0;
	}
	return made;
}

static zinc_status
make_body(const batch *b, job *j, zinc_error *err)
{
	const zip_entry *e = j->e;
	const size_t most = zinc_max_chunk(b->z->ctx);

	if (e->stored > most || e->nbytes > most)
		return zinc_fail(err, ZINC_E_LIMIT, "the entry has %llu bytes, more than the limit of %zu",
				 (unsigned long long)zinc_max_u64(e->stored, e->nbytes), most);
	j->body = (uint8_t *)zinc_alloc(b->z->ctx, (size_t)e->stored);
	return j->body ? ZINC_OK : zinc_fail_nomem(err);
}

/* The destination, with a place for the header before it, and the memory of the header: one block. */
static zinc_status
make_iov(const batch *b, job *j, zinc_error *err)
{
	const zinc_get *r = &b->requests[j->i];
	const struct iovec slot = {j->room, (size_t)j->nbytes};
	const int n = r->iov ? r->niov : 1;
	const int slack = atomic_load(&b->z->slack);
	size_t nbytes;

	if (needs_body(b->d, j))
		ZINC_TRY(make_body(b, j, err));
	j->head_room = ZIP_LOCAL + (size_t)j->e->nname + j->e->nextra + (slack > 0 ? (size_t)slack : 0);
	if (zinc_size_mul((size_t)n + 2, sizeof *j->iov, &nbytes) || zinc_size_add(nbytes, j->head_room, &nbytes))
		return zinc_fail_nomem(err);
	j->iov = (struct iovec *)zinc_alloc(b->z->ctx, nbytes);
	if (!j->iov)
		return zinc_fail_nomem(err);
	j->head = (uint8_t *)(j->iov + n + 2);
	j->niov = copy_iov(j->iov + 2, r->iov ? r->iov : &slot, n, j->nbytes);
	return ZINC_OK;
}

/* How long the header will be; the extra fields of local headers and of records often differ by a constant. */
static size_t
guess_head(const batch *b, const job *j, uint64_t nbytes)
{
	const zip_entry *e = j->e;
	const size_t least = ZIP_LOCAL + (size_t)e->nname;
	const uint64_t most = e->end - e->header - least - nbytes;
	const int extra = e->nextra + atomic_load(&b->z->slack);

	return least +
	       (extra <= 0 ? 0 : (size_t)zinc_min_u64(zinc_min_u64((uint64_t)extra, most), j->head_room - least));
}

/* The range to read now: a request for the store below. */
static void
plan_job(const batch *b, job *j, zinc_get *out)
{
	const uint64_t data = atomic_load(&j->e->data);
	const uint64_t offset = j->body ? 0 : j->offset, nbytes = j->body ? j->e->stored : j->nbytes;
	struct iovec *iov = j->iov + 2;
	int niov = j->niov;

	memset(out, 0, sizeof *out);
	j->state = JOB_RUNNING;
	j->nhead = 0;
	j->summed = false;
	j->only_head = data == 0 && offset > 0;
	if (j->body) {
		iov = j->iov + 1;
		*iov = (struct iovec){j->body, (size_t)nbytes};
		niov = 1;
	}
	if (data == 0) {
		j->nhead = j->only_head ? ZIP_LOCAL + (size_t)j->e->nname : guess_head(b, j, nbytes);
		*--iov = (struct iovec){j->head, j->nhead};
		niov++;
	}
	out->key = b->z->key;
	out->offset = data ? data + offset : j->e->header;
	out->length = j->nhead + (j->only_head ? 0 : nbytes);
	out->iov = iov;
	out->niov = j->only_head ? 1 : niov;
	out->if_tag = b->d->tag.n ? &b->d->tag : NULL;
}

/* ---- one job: what was read ---- */

/* Find the position of the bytes. */
static zinc_status
check_head(const batch *b, job *j, zinc_error *err)
{
	zip_entry *e = j->e;
	const uint8_t *p = j->head;
	const uint64_t data = e->header + ZIP_LOCAL + e->nname + zip_get16(p + 28);

	if (zinc_get_le32(p) != ZIP_LOCAL_MARK || zip_get16(p + 26) != e->nname || zip_get16(p + 8) != e->method ||
	    zip_get16(p + 6) & ZIP_ENCRYPTED || (e->plain && memcmp(p + ZIP_LOCAL, e->key, e->nname) != 0) ||
	    (!(zip_get16(p + 6) & ZIP_LATER) && zinc_get_le32(p + 14) != e->crc))
		return zinc_fail(err, ZINC_E_CORRUPT, "the header at byte %llu of the archive is not that of the entry",
				 (unsigned long long)e->header);
	if (e->stored > e->end || data > e->end - e->stored)
		return zinc_fail(err, ZINC_E_CORRUPT, "the entry shares bytes with the next one");
	atomic_store(&b->z->slack, (int)zip_get16(p + 28) - (int)e->nextra);
	atomic_store(&e->data, data);
	if (j->only_head || data != e->header + j->nhead)
		j->state = JOB_AGAIN;
	return ZINC_OK;
}

static zinc_status
check_crc(const zip_entry *e, uint32_t crc, zinc_error *err)
{
	return crc == e->crc ? ZINC_OK
			     : zinc_fail(err, ZINC_E_CHECKSUM, "CRC-32 stored in the directory %08x, computed %08x",
					 (unsigned)e->crc, (unsigned)crc);
}

static uint32_t
sum_iov(const struct iovec *iov, int niov)
{
	uint32_t crc = 0;
	int i;

	for (i = 0; i < niov; i++)
		crc = zinc_crc32(crc, iov[i].iov_base, iov[i].iov_len);
	return crc;
}

/* A decompressor is kept for the next entry. */
static zinc_status
inflate(zip *z, const job *j, void *out, zinc_error *err)
{
	void *d = atomic_exchange(&z->inflater, NULL), *none = NULL;
	const zinc_bytes in = {j->body, (size_t)j->e->stored};
	size_t used = 0, got = 0;
	zinc_flate_result result;

	if (ZINC_FLATE_LACKS)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the entry is deflated, and Zinc was built without %s",
				 ZINC_FLATE_LACKS ? ZINC_FLATE_LACKS : "");
	if (!d)
		d = zinc_inflater_new();
	if (!d)
		return zinc_fail_nomem(err);
	result = zinc_inflate(d, ZINC_FLATE_BARE, in, out, (size_t)j->e->nbytes, &used, &got);
	if (!atomic_compare_exchange_strong(&z->inflater, &none, d))
		zinc_inflater_free(d);
	if (result != ZINC_FLATE_OK || got != j->e->nbytes || used != in.n)
		return zinc_fail(err, ZINC_E_CORRUPT, "the entry does not decode to the %llu bytes of the directory",
				 (unsigned long long)j->e->nbytes);
	return ZINC_OK;
}

/* All stored bytes are in j->body: decode them, compare the checksum, and deliver what was selected. */
static zinc_status
deliver_body(const batch *b, job *j, zinc_error *err)
{
	const bool direct = j->niov == 1 && j->nbytes == j->e->nbytes;
	struct iovec whole = {j->body, (size_t)j->e->nbytes};
	zinc_status st = ZINC_OK;
	uint8_t *decoded = NULL;

	if (j->e->method == ZIP_DEFLATED) {
		if (!direct)
			decoded = (uint8_t *)zinc_alloc(b->z->ctx, whole.iov_len);
		whole.iov_base = direct ? j->iov[2].iov_base : decoded;
		st = whole.iov_base ? inflate(b->z, j, whole.iov_base, err) : zinc_fail_nomem(err);
	}
	if (st == ZINC_OK)
		st = check_crc(j->e, sum_iov(&whole, 1), err);
	if (st == ZINC_OK && whole.iov_base != j->iov[2].iov_base)
		zinc_iov_scatter(j->iov + 2, j->niov, (const uint8_t *)whole.iov_base + (size_t)j->offset,
				 (size_t)j->nbytes);
	zinc_free(b->z->ctx, decoded);
	return st;
}

static zinc_status
take_bytes(const batch *b, job *j, zinc_error *err)
{
	if (j->nhead)
		ZINC_TRY(check_head(b, j, err));
	if (j->state == JOB_AGAIN)
		return ZINC_OK;
	if (j->body)
		return deliver_body(b, j, err);
	if (j->nbytes < j->e->nbytes)
		return ZINC_OK;
	return check_crc(j->e, j->summed ? j->crc : sum_iov(j->iov + 2, j->niov), err);
}

/* From any thread. */
static void
below_done(void *arg, size_t i, const zinc_got *got)
{
	batch *b = (batch *)arg;
	job *j = &b->jobs[i];
	zinc_error e;
	zinc_status st;

	if (got->found == ZINC_FAILED) {
		fail_job(b, j, got->status, got->error);
		return;
	}
	if (got->found != ZINC_FOUND || got->object_size != b->d->nbytes || got->nbytes != b->gets[i].length) {
		j->state = JOB_CHANGED;
		return;
	}
	zinc_error_clear(&e);
	st = take_bytes(b, j, &e);
	if (st != ZINC_OK)
		fail_job(b, j, st, &e);
	else if (j->state == JOB_RUNNING)
		finish(b, j);
}

/* ---- a batch ---- */

/* An entry of a name that is no key may be what was meant: then it is not missing. */
static void
answer_missing(const batch *b, size_t i)
{
	const zip_odd *alias = zinc_zip_find_alias(b->d, b->requests[i].key);
	zinc_error err;
	char text[320];

	if (!alias) {
		zinc_sink_missing(b->sink, i);
		return;
	}
	zinc_error_clear(&err);
	zinc_zip_say_alias(alias, text, sizeof text);
	zinc_sink_failed(b->sink, i, zinc_fail(&err, ZINC_E_CORRUPT, "%s", text), &err);
}

/* Answer a request that needs no bytes. */
static void
answer_directly(const batch *b, size_t i, const zip_entry *e)
{
	const zinc_get *r = &b->requests[i];
	zinc_error err;
	zinc_tag tag;

	zinc_error_clear(&err);
	if (!e) {
		answer_missing(b, i);
		return;
	}
	zinc_zip_tag(b->d, e, &tag);
	if (e->why != ZIP_FINE && !r->stat)
		zinc_sink_failed(b->sink, i, zinc_zip_refuse(e, &err), &err);
	else
		zinc_sink_serve(b->sink, i, r, e->nbytes, &tag, NULL, NULL, b->wait);
}

/* Does the directory alone answer it? */
static bool
is_direct(const zip_dir *d, const zinc_get *r, const zip_entry *e)
{
	uint64_t offset, nbytes;
	zinc_tag tag;

	if (!e || e->why != ZIP_FINE || r->stat)
		return true;
	zinc_get_select(r, e->nbytes, &offset, &nbytes);
	if (nbytes == 0)
		return true;
	zinc_zip_tag(d, e, &tag);
	return r->if_tag && !zinc_tag_equal(r->if_tag, &tag);
}

static zinc_status
check_limit(const zinc_get *r, const job *j, zinc_error *err)
{
	if (r->limit && j->nbytes > r->limit)
		return zinc_fail(err, ZINC_E_LIMIT, "the value is longer than the limit of %llu bytes",
				 (unsigned long long)r->limit);
	return j->nbytes <= SIZE_MAX / 2 ? ZINC_OK : zinc_fail_nomem(err);
}

/* The archive was replaced: prepare the job again, with the entry of the new directory. */
static void
renew_job(const batch *b, job *j)
{
	const zinc_get *r = &b->requests[j->i];
	zip_entry *e = zinc_zip_find(b->d, r->key);
	const uint64_t had = j->nbytes;
	zinc_error err;
	zinc_status st;

	job_fini(b->z, j);
	if (is_direct(b->d, r, e)) {
		j->state = JOB_DONE;
		answer_directly(b, j->i, e);
		return;
	}
	zinc_error_clear(&err);
	j->e = e;
	zinc_get_select(r, e->nbytes, &j->offset, &j->nbytes);
	if (!r->iov && j->nbytes != had)
		st = zinc_fail(&err, ZINC_E_CONFLICT, "the archive was replaced while it was read: read again");
	else
		st = make_iov(b, j, &err);
	if (st != ZINC_OK)
		fail_job(b, j, st, &err);
}

/* Remove the finished jobs; the others are planned again.  Returns whether the archive was replaced. */
static bool
compact(batch *b)
{
	bool changed = false;
	size_t i, n = 0;

	for (i = 0; i < b->n; i++) {
		if (b->jobs[i].state == JOB_DONE) {
			job_fini(b->z, &b->jobs[i]);
			continue;
		}
		changed |= b->jobs[i].state == JOB_CHANGED;
		b->jobs[n++] = b->jobs[i];
	}
	b->n = n;
	return changed;
}

static void
fail_all(batch *b, zinc_status st, const zinc_error *e)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (b->jobs[i].state != JOB_DONE)
			fail_job(b, &b->jobs[i], st, e);
}

/* All jobs are of the old directory: none of them may be read by the new one unchanged. */
static void
renew_all(batch *b, int tries)
{
	zinc_error e;
	zinc_status st;
	size_t i;

	zinc_error_clear(&e);
	zinc_zip_local_close(b->z, &b->fd);
	if (tries >= MAX_TRIES)
		st = zinc_fail(&e, ZINC_E_CONFLICT, "the archive is replaced again and again while it is read");
	else if (b->z->fs)
		st = zinc_zip_local_open(b->z, &b->d, &b->fd, b->wait, &e);
	else
		st = zinc_zip_dir_renew(b->z, &b->d, b->wait, &e);
	if (st != ZINC_OK)
		fail_all(b, st, &e);
	for (i = 0; st == ZINC_OK && i < b->n; i++)
		renew_job(b, &b->jobs[i]);
}

/* Plan the next range of each job. */
static void
plan_all(batch *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		plan_job(b, &b->jobs[i], &b->gets[i]);
}

/* Read a range of a local archive. */
static zinc_status
read_local(const batch *b, job *j, const zinc_get *r, zinc_error *err)
{
	ZINC_TRY(zinc_wait_check(b->wait, err));
	j->summed = !j->body && !j->only_head && j->nbytes == j->e->nbytes;
	return j->summed ? zinc_zip_local_sum(b->z, b->fd, r, j->nhead, &j->crc, err)
			 : zinc_fs_read(b->z->fs, b->fd, r->offset, r->length, r->iov, r->niov, err);
}

static void
read_all_local(batch *b)
{
	zinc_error e;
	size_t i;

	for (i = 0; i < b->n; i++) {
		zinc_got got = {.size = sizeof got, .nbytes = b->gets[i].length, .object_size = b->d->nbytes};

		zinc_error_clear(&e);
		got.status = read_local(b, &b->jobs[i], &b->gets[i], &e);
		got.error = &e;
		if (got.status != ZINC_OK) /* E_CONFLICT: another program made the file shorter */
			got.found = got.status == ZINC_E_CONFLICT ? ZINC_CHANGED : ZINC_FAILED;
		below_done(b, i, &got);
	}
}

/* Do all jobs. */
static void
run(batch *b)
{
	const zinc_sink sink = {sizeof sink, NULL, below_done, b};
	zinc_error e;
	zinc_status st;
	int tries;

	for (tries = 0; b->n; tries++) {
		zinc_error_clear(&e);
		st = ZINC_OK;
		plan_all(b);
		if (b->z->fs)
			read_all_local(b);
		else
			st = zinc_store_get(b->z->next, b->gets, b->n, &sink, b->wait, &e);
		if (st != ZINC_OK)
			fail_all(b, st, &e);
		if (compact(b))
			renew_all(b, tries);
		(void)compact(b);
	}
}

/* ---- entry point ---- */

/* Memory for a request without iov.  While there is none, do the jobs so far, or wait for calls of other threads. */
static zinc_status
take_room(batch *b, job *j, zinc_error *err)
{
	struct timespec pause = {0, 20000};

	for (;;) {
		switch (b->sink->room(b->sink->arg, j->i, j->nbytes, &j->room)) {
		case ZINC_ROOM_OK:
			return ZINC_OK;
		case ZINC_ROOM_NOT_NOW:
			break;
		case ZINC_ROOM_FAIL:
		default:
			return zinc_fail(err, ZINC_E_NOMEM, "no memory for %llu bytes", (unsigned long long)j->nbytes);
		}
		ZINC_TRY(zinc_wait_check(b->wait, err));
		if (b->n) {
			run(b);
			continue;
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 1000000)
			pause.tv_nsec *= 2;
	}
}

static void
add_job(batch *b, size_t i, zip_entry *e)
{
	const zinc_get *r = &b->requests[i];
	const zip_dir *d = b->d;
	job j = {.i = i, .e = e};
	zinc_error err;
	zinc_status st;

	zinc_error_clear(&err);
	zinc_get_select(r, e->nbytes, &j.offset, &j.nbytes);
	st = check_limit(r, &j, &err);
	if (st == ZINC_OK && !r->iov)
		st = take_room(b, &j, &err);
	if (st == ZINC_OK && b->d != d) /* take_room did the jobs so far, and the archive was replaced */
		renew_job(b, &j);
	else if (st == ZINC_OK)
		st = make_iov(b, &j, &err);
	if (st != ZINC_OK)
		fail_job(b, &j, st, &err);
	if (j.state == JOB_DONE)
		job_fini(b->z, &j);
	else
		b->jobs[b->n++] = j;
}

static void
serve(batch *b, const zip_dir *d, zip_entry *const *found, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		zip_entry *e = b->d == d ? found[i] : zinc_zip_find(b->d, b->requests[i].key);

		if (zinc_sink_cancelled(b->sink, i, b->wait))
			continue;
		if (is_direct(b->d, &b->requests[i], e))
			answer_directly(b, i, e);
		else
			add_job(b, i, e);
	}
	run(b);
}

/* Look up all keys, and open a local archive.  The directory must be current if it answers a request alone, or if the
 * caller is told a size by room() before the bytes are read. */
static zinc_status
look_up(zip *z, zip_dir **d, int *fd, const zinc_get *requests, size_t n, zip_entry **found, const zinc_wait *wait,
	zinc_error *err)
{
	const zip_dir *before = NULL;
	bool direct;
	size_t i;

	if (z->fs)
		ZINC_TRY(zinc_zip_local_open(z, d, fd, wait, err));
	while (before != *d) {
		before = *d;
		for (i = 0, direct = false; i < n; i++) {
			found[i] = zinc_zip_find(*d, requests[i].key);
			direct |= !requests[i].iov || is_direct(*d, &requests[i], found[i]);
		}
		if (direct && !z->fs)
			ZINC_TRY(zinc_zip_dir_check(z, d, wait, err));
	}
	return ZINC_OK;
}

/* Cancelled before any could begin. */
static void
fail_each(const zinc_sink *sink, size_t n, const zinc_error *e)
{
	size_t i;

	for (i = 0; i < n; i++)
		zinc_sink_failed(sink, i, ZINC_E_CANCELLED, e);
}

zinc_status
zinc_zip_read(zip *z, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	batch b = {.z = z, .requests = requests, .sink = sink, .wait = wait, .fd = -1};
	zip_entry **found = (zip_entry **)zinc_calloc(z->ctx, n, sizeof *found);
	zip_dir *d = NULL;
	zinc_status st;

	b.jobs = (job *)zinc_calloc(z->ctx, n, sizeof *b.jobs);
	b.gets = (zinc_get *)zinc_calloc(z->ctx, n, sizeof *b.gets);
	st = found && b.jobs && b.gets ? zinc_zip_dir_get(z, &d, wait, err) : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = look_up(z, &d, &b.fd, requests, n, found, wait, err);
	if (st == ZINC_E_CANCELLED) {
		fail_each(sink, n, err);
		st = ZINC_OK;
	} else if (st == ZINC_OK) {
		b.d = zinc_zip_dir_ref(d); /* `found` points into d, which stays */
		serve(&b, d, found, n);
		zinc_zip_dir_unref(b.d);
	}
	zinc_zip_local_close(z, &b.fd);
	zinc_zip_dir_unref(d);
	zinc_free(z->ctx, b.gets);
	zinc_free(z->ctx, b.jobs);
	zinc_free(z->ctx, found);
	return st;
}

zinc_status
zinc_zip_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	     zinc_error *err)
{
	zip *z = (zip *)self;
	const zinc_status st = zinc_zip_flush(z, wait, err);

	if (st == ZINC_E_CANCELLED) {
		fail_each(sink, n, err);
		return ZINC_OK;
	}
	return st == ZINC_OK ? zinc_zip_read(z, requests, n, sink, wait, err) : st;
}
