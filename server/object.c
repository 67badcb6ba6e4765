/*
 * object.c - GET and HEAD of a key of a store
 *
 *   a value in a file    --zinc_store_lend-->  descriptor          the kernel sends it
 *   a small value        --zinc_store_get--->  memory, counted     a budget for all clients
 *   a large value        --zinc_store_get--->  temporary file      at once: it may be made for each request
 *   a very large value   --zinc_store_get--->  temporary file      in pieces, all of one generation
 *
 * Promises (tests/serve/protocol.py and tests/unit/test_server_object.c name each by its number):
 *
 * (1) 404 means that the key is missing; a failure of the store is 500 or above.
 * (2) All bytes of an answer belong to one generation of the value, the one that its ETag names.  Where a store has no
 *     tags, a very large value has no ETag and is read in pieces.
 * (3) If-Match, If-None-Match and If-Range are compared with the tag before any byte is read; then the range counts.
 * (4) HEAD has the headers that GET has without a range, which HEAD does not have (RFC 9110, 14.2).
 * (5) Slow clients hold descriptors, and at most the budget in memory.  When that is used up, values go through files; when
 *     those have reached their limit, too, the answer is 503.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "server.h"

#define IN_MEMORY (4u << 20) /* larger values go through a file */
#define RETRIES   8          /* of a value that keeps changing */

/* ---- memory of answers ---- */

struct held {
	struct budget *budget;
	size_t nbytes;
};

static bool
reserve(atomic_size_t *used, size_t limit, size_t nbytes)
{
	size_t before = atomic_load(used);

	do {
		if (before > limit || nbytes > limit - before)
			return false;
	} while (!atomic_compare_exchange_weak(used, &before, before + nbytes));
	return true;
}

/* Room for nbytes after the structure; NULL: more than `limit` would be used. */
static struct held *
held_new(struct budget *b, uint64_t nbytes, size_t limit)
{
	struct held *h;

	if (nbytes > IN_MEMORY || !reserve(&b->used, limit, sizeof *h + (size_t)nbytes))
		return NULL;
	h = malloc(sizeof *h + (size_t)nbytes);
	if (!h) {
		atomic_fetch_sub(&b->used, sizeof *h + (size_t)nbytes);
		return NULL;
	}
	*h = (struct held){b, (size_t)nbytes};
	return h;
}

static void
held_free(void *arg)
{
	struct held *h = arg;

	if (h)
		atomic_fetch_sub(&h->budget->used, sizeof *h + h->nbytes);
	free(h);
}

/* ---- conditions and ranges ---- */

void
etag_of(char etag[72], const zinc_tag *tag)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char hash[HASH_BYTES] = {0};
	size_t i;

	etag[0] = '\0';
	if (tag->n == 0)
		return;
	hash_add(hash, tag->b, tag->n);
	*etag++ = '"';
	for (i = 0; i < HASH_BYTES; i++) {
		*etag++ = digits[hash[i] >> 4];
		*etag++ = digits[hash[i] & 15];
	}
	memcpy(etag, "\"", 2);
}

/* Is the answer without a body of the value?  412 and 304 by the tag.  304 has the length of the value (RFC 9110, 8.6). */
static bool
conditions(struct answer *a, const struct request *q, uint64_t size)
{
	const char *match = q->header(q, "If-Match"), *none = q->header(q, "If-None-Match");

	if (match && !etag_listed(match, a->etag, false)) {
		answer_text(a, 412, "the value is not the one that If-Match names\n");
		return true;
	}
	if (none && etag_listed(none, a->etag, true)) {
		a->status = 304;
		a->nbytes = size;
		return true;
	}
	return false;
}

/* Blanks behind the value of a header are not part of it (RFC 9110, 5.5). */
static bool
is_tag(const char *header, const char *etag)
{
	const size_t n = strlen(etag);

	return !strncmp(header, etag, n) && header[n + strspn(header + n, " \t")] == '\0';
}

/* Which bytes of the value are asked for?  False: none, 416. */
static bool
choose_range(struct answer *a, const struct request *q, uint64_t size, uint64_t *offset, uint64_t *nbytes)
{
	const char *if_range = q->header(q, "If-Range");
	struct range r;

	a->status = 200;
	*offset = 0;
	*nbytes = size;
	if (q->method != METHOD_GET || !range_parse(&r, q->header(q, "Range")) ||
	    (if_range && !(a->etag[0] && is_tag(if_range, a->etag))))
		return true;
	if (!range_of(&r, size, offset, nbytes)) {
		answer_text(a, 416, "the value has %llu bytes\n", (unsigned long long)size);
		snprintf(a->range, sizeof a->range, "bytes */%llu", (unsigned long long)size);
		return false;
	}
	a->status = 206;
	snprintf(a->range, sizeof a->range, "bytes %llu-%llu/%llu", (unsigned long long)*offset,
		 (unsigned long long)(*offset + *nbytes - 1), (unsigned long long)size);
	return true;
}

static bool
conditional(const struct request *q)
{
	return q->header(q, "If-Match") || q->header(q, "If-None-Match") || q->header(q, "If-Range");
}

/* ---- values in files ---- */

static void
answer_lent(struct answer *a, const struct request *q, zinc_lent *lent)
{
	uint64_t offset;

	etag_of(a->etag, &lent->tag);
	if (!conditions(a, q, lent->nbytes) && choose_range(a, q, lent->nbytes, &offset, &a->nbytes)) {
		a->fd = lent->fd;
		a->offset = lent->offset + offset;
		return;
	}
	close(lent->fd);
}

bool
object_lend(zinc_store *store, const char *key, const struct request *q, struct answer *a)
{
	zinc_lent lent = ZINC_LENT_INIT;
	zinc_wait wait = ZINC_WAIT_INIT;
	zinc_status st;

	wait.cancel = q->cancel;
	wait.until = q->until;
	st = zinc_store_lend(store, key, &lent, &wait, NULL);
	if (st == ZINC_OK)
		answer_lent(a, q, &lent);
	else if (st == ZINC_E_NOTFOUND)
		answer_missing(a, key, NULL);
	return st == ZINC_OK || st == ZINC_E_NOTFOUND; /* of a failure object_answer finds the reason */
}

/* ---- temporary files ---- */

/* Not every file system can make a file without a name. */
static int
temporary_in(const char *dir)
{
	const int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char name[4096];
	int made;

	if (fd >= 0 || (size_t)snprintf(name, sizeof name, "%s/zinc.XXXXXX", dir) >= sizeof name)
		return fd;
	made = mkostemp(name, O_CLOEXEC);
	if (made >= 0)
		unlink(name);
	return made;
}

int
temporary_file(void)
{
	const char *dir = getenv("TMPDIR");
	const int fd = temporary_in(dir && *dir ? dir : "/tmp");

	return fd >= 0 ? fd : temporary_in("/var/tmp");
}

static bool
write_all(int fd, const char *p, size_t n)
{
	ssize_t w;

	for (; n; p += w, n -= (size_t)w) {
		do
			w = write(fd, p, n);
		while (w == -1 && errno == EINTR);
		if (w <= 0)
			return false;
	}
	return true;
}

/* A value on the disk. */
struct spool {
	struct budget *budget;
	size_t nbytes; /* that are reserved */
	int fd;
	void *map; /* NULL: not mapped */
};

static void
spool_unmap(struct spool *s)
{
	if (s->map)
		munmap(s->map, s->nbytes);
	s->map = NULL;
}

/* The descriptor is the answer's, if it has been taken. */
static void
spool_free(void *arg)
{
	struct spool *s = arg;

	if (!s)
		return;
	spool_unmap(s);
	if (s->fd != -1)
		close(s->fd);
	atomic_fetch_sub(&s->budget->spooled, s->nbytes);
	free(s);
}

/* Why there is no room for a value: a status, and a text for people. */
struct refusal {
	int status; /* 0: it is not refused */
	const char *why;
};

static struct spool *
spool_new(struct budget *b, uint64_t nbytes, struct refusal *no)
{
	struct spool *s = NULL;

	if (nbytes > b->disk)
		*no = (struct refusal){413, "the value is too large to be sent at once; ask for ranges of it"};
	else if (!reserve(&b->spooled, b->disk, (size_t)nbytes))
		*no = (struct refusal){503, "too many clients are being served; try again"};
	else if (!(s = malloc(sizeof *s))) {
		atomic_fetch_sub(&b->spooled, (size_t)nbytes);
		*no = (struct refusal){503, "out of memory"};
	}
	if (!s)
		return NULL;
	*s = (struct spool){b, (size_t)nbytes, temporary_file(), NULL};
	if (s->fd != -1)
		return s;
	*no = (struct refusal){answer_is_shortage(errno) ? 503 : 500, "no temporary file can be made"};
	spool_free(s);
	return NULL;
}

/* Its bytes as memory.  They are allocated before: a full disk must be an error, not a signal. */
static struct spool *
spool_mapped(struct budget *b, uint64_t nbytes, struct refusal *no)
{
	struct spool *s = spool_new(b, nbytes, no);

	if (!s)
		return NULL;
	if (posix_fallocate(s->fd, 0, (off_t)nbytes) == 0)
		s->map = mmap(NULL, s->nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->map && s->map != MAP_FAILED)
		return s;
	s->map = NULL;
	*no = (struct refusal){500, "a temporary file cannot be written"};
	spool_free(s);
	return NULL;
}

/* ---- other values ---- */

struct reading {
	zinc_store *store;
	const char *key;
	struct budget *budget;
	size_t limit; /* of memory; none for the pieces of a file: each worker has only one at a time */
	zinc_wait wait;
	/* of the last get */
	struct held *held;   /* the bytes, or */
	struct spool *spool; /* where they are */
	bool too_large;
	struct refusal no;
	zinc_found found;
	uint64_t object_size, nbytes;
	zinc_tag tag;
	zinc_status status;
	zinc_error err;
};

static void
drop_room(struct reading *r)
{
	held_free(r->held);
	spool_free(r->spool);
	r->held = NULL;
	r->spool = NULL;
}

static zinc_room
take_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	struct reading *r = arg;

	(void)i;
	drop_room(r);
	r->held = held_new(r->budget, nbytes, r->limit);
	r->too_large = !r->held && nbytes > r->budget->piece;
	if (!r->held && !nbytes)
		r->no = (struct refusal){503, "too many clients are being served; try again"};
	else if (!r->held && !r->too_large)
		r->spool = spool_mapped(r->budget, nbytes, &r->no);
	if (!r->held && !r->spool)
		return ZINC_ROOM_FAIL;
	*buf = r->held ? (void *)(r->held + 1) : r->spool->map;
	return ZINC_ROOM_OK;
}

static void
take_result(void *arg, size_t i, const zinc_got *got)
{
	struct reading *r = arg;

	(void)i;
	r->found = got->found;
	r->status = got->found == ZINC_FAILED ? got->status : ZINC_OK;
	if (got->found == ZINC_FAILED && got->error)
		r->err = *got->error;
	if (got->found != ZINC_FOUND)
		return;
	r->object_size = got->object_size;
	r->nbytes = got->nbytes;
	r->tag = *got->tag;
}

static void
get(struct reading *r, zinc_get *request)
{
	const zinc_sink sink = {sizeof sink, take_room, take_result, r};

	request->key = r->key;
	r->err = (zinc_error)ZINC_ERROR_INIT;
	r->no.status = 0;
	r->too_large = false;
	r->status = zinc_store_get(r->store, request, 1, &sink, &r->wait, &r->err);
	if (r->status != ZINC_OK)
		r->found = ZINC_FAILED;
	else if (r->found == ZINC_FAILED)
		r->status = r->err.code ? r->err.code : ZINC_E_IO;
}

/* After a get that did not find the value. */
static void
answer_failed(struct reading *r, struct answer *a)
{
	if (r->found == ZINC_MISSING)
		answer_missing(a, r->key, NULL);
	else if (r->no.status)
		answer_text(a, r->no.status, "%s\n", r->no.why);
	else if (r->found == ZINC_CHANGED)
		answer_text(a, 503, "%s: the value keeps changing; try again\n", r->key);
	else
		answer_missing(a, r->key, &r->err);
}

/* Existence, size and tag; false: answered. */
static bool
look(struct reading *r, struct answer *a)
{
	zinc_get request = {.stat = 1};

	get(r, &request);
	if (r->found == ZINC_FOUND) {
		etag_of(a->etag, &r->tag);
		return true;
	}
	answer_failed(r, a);
	return false;
}

static void
answer_spool(struct answer *a, struct spool *s, uint64_t nbytes)
{
	spool_unmap(s);
	a->fd = s->fd;
	s->fd = -1;
	a->nbytes = nbytes;
	a->release = spool_free;
	a->held = s;
}

/* After a get that found the value. */
static void
answer_found(struct reading *r, struct answer *a)
{
	if (r->spool) {
		answer_spool(a, r->spool, r->nbytes);
		r->spool = NULL;
		return;
	}
	a->bytes = r->held + 1;
	a->nbytes = r->nbytes;
	a->release = held_free;
	a->held = r->held;
	r->held = NULL;
}

/* Copy nbytes at offset into a file; false: a get failed, or the file. */
static bool
copy_pieces(struct reading *r, int fd, uint64_t offset, uint64_t nbytes)
{
	const zinc_tag tag = r->tag;
	zinc_get request = {.if_tag = tag.n ? &tag : NULL};

	r->limit = SIZE_MAX;
	for (; nbytes; offset += request.length, nbytes -= request.length) {
		request.offset = offset;
		request.length = nbytes < IN_MEMORY ? nbytes : IN_MEMORY;
		get(r, &request);
		if (r->found != ZINC_FOUND)
			return false;
		if (r->nbytes != request.length || !r->held ||
		    !write_all(fd, (const char *)(r->held + 1), (size_t)r->nbytes)) {
			r->found = ZINC_FAILED;
			r->no = (struct refusal){500, "a temporary file cannot be written"};
			return false;
		}
	}
	return true;
}

static void
answer_pieces(struct reading *r, struct answer *a, uint64_t offset, uint64_t nbytes)
{
	struct spool *s;

	r->found = ZINC_FAILED;
	s = spool_new(r->budget, nbytes, &r->no);
	if (s && copy_pieces(r, s->fd, offset, nbytes)) {
		answer_spool(a, s, nbytes);
		return;
	}
	spool_free(s);
	a->range[0] = a->etag[0] = '\0';
	answer_failed(r, a);
}

/* The bytes of a value whose size and tag are known.  False: it has changed meanwhile. */
static bool
answer_known(struct reading *r, const struct request *q, struct answer *a)
{
	const zinc_tag tag = r->tag;
	zinc_get request = {.if_tag = tag.n ? &tag : NULL};

	if (!choose_range(a, q, r->object_size, &request.offset, &request.length))
		return true;
	if (q->method == METHOD_HEAD || request.length == 0) {
		a->nbytes = request.length;
		return true;
	}
	if (request.length > IN_MEMORY && request.length > r->budget->piece) {
		answer_pieces(r, a, request.offset, request.length);
		return r->found != ZINC_CHANGED;
	}
	get(r, &request);
	if (r->found == ZINC_FOUND) {
		answer_found(r, a);
		return true;
	}
	a->range[0] = a->etag[0] = '\0';
	answer_failed(r, a);
	return r->found != ZINC_CHANGED;
}

/* In one request of the store; false: the value is too large for that. */
static bool
answer_at_once(struct reading *r, const struct request *q, struct answer *a)
{
	struct range range;
	zinc_get request = {.length = ZINC_TO_END};
	uint64_t offset, nbytes;

	if (range_parse(&range, q->header(q, "Range"))) {
		request.suffix = range.kind == RANGE_SUFFIX;
		request.offset = range.first;
		request.length = range.length;
	}
	if (request.suffix && request.length == 0) /* the size is in the answer */
		return false;
	get(r, &request);
	if (r->too_large)
		return false;
	if (r->found != ZINC_FOUND) {
		answer_failed(r, a);
		return true;
	}
	etag_of(a->etag, &r->tag);
	if (choose_range(a, q, r->object_size, &offset, &nbytes))
		answer_found(r, a);
	return true;
}

void
object_answer(zinc_store *store, const char *key, const struct request *q, struct budget *budget, struct answer *a)
{
	struct reading r = {
	    .store = store, .key = key, .budget = budget, .limit = budget->limit, .wait = ZINC_WAIT_INIT};
	bool done;
	int i;

	r.wait.cancel = q->cancel;
	r.wait.until = q->until;
	done = q->method == METHOD_GET && !conditional(q) && answer_at_once(&r, q, a);
	for (i = 0; i < RETRIES && !done; i++) {
		answer_drop(a);
		r.limit = budget->limit;
		done = !look(&r, a) || conditions(a, q, r.object_size) || answer_known(&r, q, a);
	}
	drop_room(&r);
}
