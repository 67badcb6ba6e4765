/*
 * stores.c - every operation of a store
 */
#include "every_call.h"

/* ---- callbacks ---- */

typedef struct told {
	int n, failed;
	uint64_t nbytes;
	char bytes[16];
	char last[64];
} told;

static zinc_room
give_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	told *t = (told *)arg;

	(void)i;
	CHECK(nbytes < sizeof t->bytes);
	*buf = t->bytes;
	return ZINC_ROOM_OK;
}

static void
got_one(void *arg, size_t i, const zinc_got *got)
{
	told *t = (told *)arg;

	(void)i;
	t->n++;
	t->failed += got->found != ZINC_FOUND;
	t->nbytes += got->nbytes;
}

static void
done_one(void *arg, size_t i, const zinc_outcome *outcome)
{
	told *t = (told *)arg;

	(void)i;
	t->n++;
	t->failed += outcome->status != ZINC_OK;
}

static int
see_key(void *arg, const char *key, uint64_t nbytes)
{
	told *t = (told *)arg;

	t->n++;
	t->nbytes += nbytes;
	snprintf(t->last, sizeof t->last, "%s", key);
	return 0;
}

static int
see_entry(void *arg, const char *key_or_prefix, int is_prefix)
{
	told *t = (told *)arg;

	t->n++;
	t->failed += is_prefix;
	snprintf(t->last, sizeof t->last, "%s", key_or_prefix);
	return 0;
}

static int
see_non_key(void *arg, const zinc_non_key *non_key)
{
	told *t = (told *)arg;

	t->failed++;
	(void)non_key;
	return 0;
}

static int
see_leftover(void *arg, const char *name, const char *key, const char *what)
{
	(void)arg, (void)name, (void)key;
	CHECK(what);
	return 0;
}

/* ---- reading and writing ---- */

static void
value_is(zinc_store *s, const char *key, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_tag tag;

	OK(zinc_store_get_all(s, key, &b, &tag, 1024, NULL, &err));
	CHECK(b.nbytes == strlen(want));
	TEXT_IS((const char *)b.data, want);
	zinc_blob_fini(&b);
	CHECK(!b.data && b.nbytes == 0);
}

static void
put_and_get(zinc_store *s)
{
	zinc_sink sink = {sizeof(zinc_sink), give_room, got_one, NULL};
	zinc_condition absent = {ZINC_ABSENT, NULL}, same = {ZINC_EQUALS, NULL};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_get wants[2];
	zinc_tag tag;
	told t;

	OK(zinc_store_put(s, NULL, "k/a", "hello", 5, &absent, 0, &tag, NULL, &err));
	GIVES(ZINC_E_EXISTS, zinc_store_put(s, NULL, "k/a", "again", 5, &absent, 0, NULL, NULL, &err));
	same.tag = &tag;
	OK(zinc_store_put(s, NULL, "k/a", "hallo", 5, &same, ZINC_PUT_RELAXED, NULL, NULL, &err));
	GIVES(ZINC_E_CONFLICT, zinc_store_del(s, NULL, "k/a", &same, 0, NULL, &err));
	value_is(s, "k/a", "hallo");
	GIVES(ZINC_E_NOTFOUND, zinc_store_get_all(s, "k/none", &b, NULL, 0, NULL, &err));
	GIVES(ZINC_E_LIMIT, zinc_store_get_all(s, "k/a", &b, NULL, 4, NULL, &err));
	memset(wants, 0, sizeof wants);
	memset(&t, 0, sizeof t);
	sink.arg = &t;
	wants[0].key = "k/a";
	wants[0].offset = 1;
	wants[0].length = 3;
	wants[1].key = "k/none";
	wants[1].length = ZINC_TO_END;
	OK(zinc_store_get(s, wants, 2, &sink, NULL, &err));
	CHECK(t.n == 2 && t.failed == 1 && t.nbytes == 3 && memcmp(t.bytes, "all", 3) == 0);
}

static void
put_many(zinc_store *s)
{
	static const char *const names[] = {"m/a", "m/b", "m/c"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_done done;
	zinc_put puts[3];
	zinc_del dels[2];
	struct iovec iov;
	told t;
	int i;

	iov.iov_base = (void *)"xyz";
	iov.iov_len = 3;
	memset(puts, 0, sizeof puts);
	memset(dels, 0, sizeof dels);
	memset(&t, 0, sizeof t);
	memset(&done, 0, sizeof done);
	done.size = sizeof done;
	done.done = done_one;
	done.arg = &t;
	for (i = 0; i < 3; i++) {
		puts[i].key = names[i];
		puts[i].iov = &iov;
		puts[i].niov = 1;
		if (i < 2)
			dels[i].key = names[i];
	}
	OK(zinc_store_put_many(s, NULL, puts, 3, &done, 0, NULL, &err));
	CHECK(t.n == 3 && t.failed == 0);
	value_is(s, "m/b", "xyz");
	OK(zinc_store_del_many(s, NULL, dels, 2, &done, 0, NULL, &err));
	CHECK(t.n == 5 && t.failed == 0);
	OK(zinc_store_del_keys(s, &names[1], 2, 0, NULL, &err)); /* one of them was already erased */
	memset(&t, 0, sizeof t);
	OK(zinc_store_list(s, "m/", see_key, &t, NULL, &err));
	CHECK(t.n == 0);
}

static void
put_in_groups(zinc_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *group = NULL;

	OK(zinc_store_put_begin(s, &group, 0, NULL, &err));
	OK(zinc_store_put(s, group, "g/a", "1", 1, NULL, 0, NULL, NULL, &err));
	OK(zinc_store_put(s, group, "g/b", "2", 1, NULL, 0, NULL, NULL, &err));
	OK(zinc_store_commit(s, group, NULL, NULL, NULL, &err));
	value_is(s, "g/b", "2");
	OK(zinc_store_put_begin(s, &group, 0, NULL, &err));
	zinc_store_abort(s, group);
	OK(zinc_store_del(s, NULL, "g/a", NULL, 0, NULL, &err));
	OK(zinc_store_sync(s, NULL, &err));
}

/* ---- changing ---- */

static zinc_status
add_dot(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	char *room = (char *)arg;

	if (nold + 1 > 16)
		return zinc_error_set(err, ZINC_E_LIMIT, "too long");
	if (nold)
		memcpy(room, old, nold);
	room[nold] = '.';
	out->bytes = room;
	out->nbytes = nold + 1;
	return ZINC_OK;
}

/* The old value, in brackets; its first byte is checked. */
static zinc_status
add_brackets(void *arg, const zinc_old *old, zinc_splice *out, zinc_error *err)
{
	static const uint8_t open[] = {'['}, close[] = {']'};
	static zinc_part parts[3];
	struct iovec iov;
	zinc_status st;

	iov.iov_base = arg;
	iov.iov_len = 1;
	CHECK(old->found);
	st = old->read(old->arg, 0, 1, &iov, 1, err);
	memset(parts, 0, sizeof parts);
	parts[0].bytes = open;
	parts[0].nbytes = parts[2].nbytes = 1;
	parts[1].nbytes = (size_t)old->nbytes;
	parts[2].bytes = close;
	out->parts = parts;
	out->nparts = 3;
	return st;
}

static void
change(zinc_store *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	char room[16], first = 0;
	zinc_partial part;

	OK(zinc_store_update(s, "c/a", add_dot, room, 0, 16, 0, NULL, &err));
	OK(zinc_store_update(s, "c/a", add_dot, room, 0, 16, 0, NULL, &err));
	value_is(s, "c/a", "..");
	GIVES(ZINC_E_LIMIT, zinc_store_update(s, "c/a", add_dot, room, 0, 1, 0, NULL, &err));
	OK(zinc_store_splice(s, "c/a", add_brackets, &first, 0, 16, 0, NULL, &err));
	CHECK(first == '.');
	value_is(s, "c/a", "[..]");
	memset(&part, 0, sizeof part);
	part.key = "c/a";
	part.offset = 1;
	part.bytes = "xy";
	part.nbytes = 2;
	OK(zinc_store_put_partial(s, &part, 1, 0, 0, NULL, &err));
	value_is(s, "c/a", "[xy]");
}

/* ---- listing, and the rest ---- */

static void
list(zinc_store *s)
{
	zinc_lister to = {sizeof(zinc_lister), see_key, NULL, see_non_key, NULL, 0, 0, NULL};
	zinc_error err = ZINC_ERROR_INIT;
	told t;

	memset(&t, 0, sizeof t);
	OK(zinc_store_list(s, "", see_key, &t, NULL, &err));
	CHECK(t.n == 3 && t.nbytes == 4 + 1 + 5);
	TEXT_IS(t.last, "k/a");
	memset(&t, 0, sizeof t);
	OK(zinc_store_list_dir(s, "", see_entry, &t, NULL, &err));
	CHECK(t.n == 3 && t.failed == 3);
	TEXT_IS(t.last, "k/");
	memset(&t, 0, sizeof t);
	to.arg = &t;
	OK(zinc_store_walk(s, "g/", &to, NULL, &err));
	CHECK(t.n == 1 && t.failed == 0);
	OK(zinc_store_scrub(s, "", 1, see_leftover, NULL, NULL, &err));
	OK(zinc_store_del_prefix(s, "k/", 0, NULL, &err));
	OK(zinc_store_del_prefix(s, "", 0, NULL, &err));
	memset(&t, 0, sizeof t);
	OK(zinc_store_list(s, "", see_key, &t, NULL, &err));
	CHECK(t.n == 0);
}

void
call_stores(const char *url)
{
	zinc_store_options options = ZINC_STORE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *whole = NULL, *s = NULL;
	zinc_caps caps = ZINC_CAPS_INIT;

	OK(zinc_store_open(&whole, url, &options, &err));
	CHECK(zinc_store_ref(whole) == whole);
	zinc_store_close(whole);
	HAS(zinc_store_url(whole), "every");
	CHECK(zinc_store_context(whole));
	OK(zinc_store_prefix(&s, whole, "store/", &err));
	zinc_store_caps(s, &caps);
	CHECK(caps.flags & ZINC_CAP_LIST && caps.flags & ZINC_CAP_UPDATE);
	put_and_get(s);
	put_many(s);
	put_in_groups(s);
	change(s);
	list(s);
	zinc_store_close(s);
	zinc_store_close(whole);
}
