/*
 * register_store.c - a store of your own: a table of keys and bytes, opened as "table://here"
 *
 * Three functions are enough for reading (open, caps, get), five for reading and writing.  Zinc supplies the rest:
 * ranges of many keys, conditional updates, deleting prefixes, listing one level.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc.h>
#include <zinc/store.h>

enum { SLOTS = 64 };

/* One table for the whole program. */
static struct slot {
	char key[128]; /* "" when free */
	unsigned char *bytes;
	size_t nbytes;
	uint64_t generation; /* never the same twice: the value's tag */
} slots[SLOTS];
static uint64_t generations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static zinc_status
fail(zinc_error *err, zinc_status st, const char *text)
{
	if (err) {
		memset(err, 0, sizeof *err);
		err->code = st;
		snprintf(err->text, sizeof err->text, "%s", text);
	}
	return st;
}

static struct slot *
find(const char *key)
{
	int i;

	for (i = 0; i < SLOTS; i++)
		if (strcmp(slots[i].key, key) == 0)
			return &slots[i];
	return NULL;
}

static void
tag_of(const struct slot *s, zinc_tag *tag)
{
	memset(tag, 0, sizeof *tag);
	tag->n = sizeof s->generation;
	memcpy(tag->b, &s->generation, sizeof s->generation);
}

static int
same_tag(const struct slot *s, const zinc_tag *tag)
{
	return tag->n == sizeof s->generation && memcmp(tag->b, &s->generation, sizeof s->generation) == 0;
}

static zinc_status
table_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	(void)rest, (void)options, (void)err;
	*self = slots;
	return ZINC_OK;
}

static void
table_close(void *self)
{
	(void)self;
}

/* Only true capabilities: callers rely on them. */
static void
table_caps(void *self, zinc_caps *out)
{
	(void)self;
	memset(out, 0, sizeof *out);
	out->flags = ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE |
		     ZINC_CAP_ERASE | ZINC_CAP_ATOMIC_PUT | ZINC_CAP_CAS | ZINC_CAP_TAGS | ZINC_CAP_READ_AFTER_WRITE |
		     ZINC_CAP_LIST_AFTER_WRITE;
	out->parallel = 1;
	out->key_max = sizeof slots[0].key - 1;
}

/* The part of the value that a request needs. */
static void
cut(const zinc_get *want, size_t size, size_t *offset, size_t *length)
{
	if (want->stat) {
		*offset = *length = 0;
	} else if (want->suffix) {
		*length = want->length < size ? (size_t)want->length : size;
		*offset = size - *length;
	} else {
		*offset = want->offset < size ? (size_t)want->offset : size;
		*length = want->length < size - *offset ? (size_t)want->length : size - *offset;
	}
}

static void
scatter(const zinc_get *want, const unsigned char *from, size_t n)
{
	int i;

	for (i = 0; i < want->niov && n > 0; i++) {
		size_t part = want->iov[i].iov_len < n ? want->iov[i].iov_len : n;

		memcpy(want->iov[i].iov_base, from, part);
		from += part;
		n -= part;
	}
}

/* One request.  done() may take long, so the value is copied first and the lock released. */
static void
get_one(const zinc_get *want, size_t i, const zinc_sink *sink)
{
	zinc_got got = {sizeof got, ZINC_MISSING, 0, 0, NULL, ZINC_OK, NULL};
	unsigned char *copy = NULL;
	size_t offset = 0, length = 0;
	zinc_tag tag;
	struct slot *s;
	void *to;

	pthread_mutex_lock(&lock);
	s = find(want->key);
	if (s && want->if_tag && !same_tag(s, want->if_tag)) {
		got.found = ZINC_CHANGED;
	} else if (s) {
		tag_of(s, &tag);
		got.found = ZINC_FOUND;
		got.object_size = s->nbytes;
		got.tag = &tag;
		cut(want, s->nbytes, &offset, &length);
		copy = malloc(length + 1);
		if (copy && length)
			memcpy(copy, s->bytes + offset, length);
	}
	pthread_mutex_unlock(&lock);
	if (got.found == ZINC_FOUND && !want->stat) {
		got.nbytes = length;
		if (copy && want->iov)
			scatter(want, copy, length);
		else if (copy && sink->room(sink->arg, i, length, &to) == ZINC_ROOM_OK)
			memcpy(to, copy, length);
		else { /* no memory, here or in the caller; one request at a time never waits for room */
			got.found = ZINC_FAILED;
			got.status = ZINC_E_NOMEM;
		}
	}
	free(copy);
	sink->done(sink->arg, i, &got);
}

static zinc_status
table_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)self, (void)wait, (void)err; /* nothing here waits */
	for (i = 0; i < n; i++)
		get_one(&requests[i], i, sink);
	return ZINC_OK;
}

/* Does the condition hold? `s` is NULL if the key is missing. */
static zinc_status
check(const struct slot *s, const zinc_condition *when, zinc_error *err)
{
	if (when && when->when == ZINC_ABSENT && s)
		return fail(err, ZINC_E_EXISTS, "the key already exists");
	if (when && when->when == ZINC_EQUALS && (!s || !same_tag(s, when->tag)))
		return fail(err, ZINC_E_CONFLICT, "the value has changed");
	return ZINC_OK;
}

static zinc_status
put_one(const zinc_put *put, zinc_tag *tag, zinc_error *err)
{
	size_t n = 0, total = 0;
	unsigned char *bytes;
	zinc_status st;
	struct slot *s;
	int i;

	for (i = 0; i < put->niov; i++)
		total += put->iov[i].iov_len;
	bytes = malloc(total + 1);
	if (!bytes)
		return fail(err, ZINC_E_NOMEM, "out of memory");
	for (i = 0; i < put->niov; n += put->iov[i++].iov_len)
		memcpy(bytes + n, put->iov[i].iov_base, put->iov[i].iov_len);
	pthread_mutex_lock(&lock);
	s = find(put->key);
	st = check(s, put->when, err);
	if (st == ZINC_OK && !s && !(s = find("")))
		st = fail(err, ZINC_E_IO, "the table is full");
	if (st == ZINC_OK) {
		snprintf(s->key, sizeof s->key, "%s", put->key);
		free(s->bytes);
		s->bytes = bytes;
		s->nbytes = total;
		s->generation = ++generations;
		tag_of(s, tag);
	}
	pthread_mutex_unlock(&lock);
	if (st != ZINC_OK)
		free(bytes);
	return st;
}

/* Each put is reported to the caller when it ends; a network store would have many open at once. */
static zinc_status
table_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)self, (void)group, (void)flags, (void)wait, (void)err;
	for (i = 0; i < n; i++) {
		zinc_error why = ZINC_ERROR_INIT;
		zinc_tag tag = {0, {0}};
		zinc_outcome outcome = {sizeof outcome, ZINC_OK, &tag, &why};

		outcome.status = put_one(&puts[i], &tag, &why);
		done->done(done->arg, i, &outcome);
	}
	return ZINC_OK;
}

static zinc_status
table_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	struct slot *s;
	size_t i;

	(void)self, (void)group, (void)flags, (void)wait, (void)err;
	for (i = 0; i < n; i++) {
		zinc_error why = ZINC_ERROR_INIT;
		zinc_outcome outcome = {sizeof outcome, ZINC_OK, NULL, &why};

		pthread_mutex_lock(&lock);
		s = find(dels[i].key);
		outcome.status = check(s, dels[i].when, &why);
		if (outcome.status == ZINC_OK && s) {
			free(s->bytes);
			memset(s, 0, sizeof *s);
		}
		pthread_mutex_unlock(&lock);
		done->done(done->arg, i, &outcome);
	}
	return ZINC_OK;
}

static int
by_key(const void *a, const void *b)
{
	return strcmp(((const struct slot *)a)->key, ((const struct slot *)b)->key);
}

/* In order of the keys' bytes, from a copy: `fn` may call the store. */
static zinc_status
table_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	struct slot *copy = malloc(sizeof slots);
	int i;

	(void)self, (void)wait;
	if (!copy)
		return fail(err, ZINC_E_NOMEM, "out of memory");
	pthread_mutex_lock(&lock);
	memcpy(copy, slots, sizeof slots);
	pthread_mutex_unlock(&lock);
	qsort(copy, SLOTS, sizeof *copy, by_key);
	for (i = 0; i < SLOTS; i++)
		if (copy[i].key[0] && strncmp(copy[i].key, prefix, strlen(prefix)) == 0 &&
		    fn(arg, copy[i].key, copy[i].nbytes))
			break;
	free(copy);
	return ZINC_OK;
}

static const zinc_store_ops table = {
    .size = sizeof table,
    .name = "table",
    .purpose = "a table in this program",
    .schemes = "table",
    .open = table_open,
    .close = table_close,
    .caps = table_caps,
    .get = table_get,
    .put = table_put,
    .del = table_del,
    .list = table_list,
};

int
main(void)
{
	static const uint64_t shape[] = {5, 8}, chunks[] = {1, 4}, shards[] = {2, 8};
	double in[5][8], out[5][8] = {{0}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	int i, right = 0;

	for (i = 0; i < 40; i++)
		in[i / 8][i % 8] = i / 4.0;
	/* Element (3, 3) is written again alone: its inner chunk is replaced within its shard. */
	if (zinc_store_register(&table, &err) ||
	    zinc_array_create_url(&a, "table://here/measured",
				  ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .shards = shards,
						     .dtype = "float64", .codecs = "crc32c"),
				  NULL, &err) ||
	    zinc_array_write_text(a, NULL, ZINC_BUFFER(&in[0][0], sizeof in), NULL, &err) ||
	    (in[3][3] = -1.5, zinc_array_write_text(a, "3, 3", ZINC_BUFFER(&in[3][3], sizeof in[3][3]), NULL, &err)) ||
	    zinc_array_read_text(a, NULL, ZINC_BUFFER(&out[0][0], sizeof out), NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else
		right = memcmp(in, out, sizeof in) == 0 && find("measured/c/1/0") != NULL;
	zinc_array_close(a);
	printf(right ? "40 elements in a table of our own\n" : "the elements are not what was written\n");
	for (i = 0; i < SLOTS; i++)
		free(slots[i].bytes);
	return !right;
}
