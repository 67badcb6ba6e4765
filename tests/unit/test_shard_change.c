/*
 * test_shard_change.c - edits of inner chunks as bytes: order, appending, erasing, failing allocations
 */
#include <string.h>

#include "shard/shard.h"
#include "support/remote_store.h"
#include "support/sweep.h"
#include "support/test.h"

#define CHUNKS 4u
#define INDEX  (16 * CHUNKS)

typedef struct fixture {
	zinc_shard *sh;
	zinc_shard_layout l;
	zinc_shard_change c;
	zinc_chunk_edit edits[CHUNKS];
	uint8_t old[8 + INDEX]; /* "aabbccdd" */
} fixture;

static zinc_chunk_edit
put(uint64_t position, const char *text)
{
	return (zinc_chunk_edit){position, ZINC_CHUNK_PUT, (const uint8_t *)text, strlen(text)};
}

static zinc_chunk_edit
erase(uint64_t position)
{
	return (zinc_chunk_edit){.position = position, .what = ZINC_CHUNK_ERASE};
}

static void
begin(fixture *f, zinc_context *ctx, size_t nedits)
{
	static const uint64_t per_shard[] = {CHUNKS};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_update u;
	unsigned i;

	memset(f, 0, sizeof *f);
	ctx = zinc_context_get(ctx);
	assert_ok(zinc_shard_new_indexed(&f->sh, ctx, 1, per_shard, &err));
	assert_ok(zinc_shard_layout_init(&f->l, f->sh, per_shard, &err));
	zinc_shard_change_init(&f->c, ctx, &f->l, f->edits, CHUNKS);
	for (i = 0; i < CHUNKS; i++)
		f->edits[i] = put(i, &"aa\0bb\0cc\0dd"[3 * i]);
	assert_ok(zinc_shard_change_whole(&f->c, NULL, &u, &err));
	assert_int_equal(u.nbytes, sizeof f->old);
	memcpy(f->old, u.bytes, sizeof f->old);
	f->c.nedits = nedits;
}

static void
end(fixture *f)
{
	zinc_shard_change_fini(&f->c);
	zinc_shard_free(f->sh);
}

static zinc_update
change(fixture *f)
{
	const zinc_bytes old = {f->old, sizeof f->old};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_update u;

	assert_ok(zinc_shard_change_whole(&f->c, &old, &u, &err));
	return u;
}

static void
test_anew(void **unused)
{
	static const uint64_t backwards[] = {3, 2, 1, 0};
	fixture f;
	zinc_update u;

	(void)unused;
	begin(&f, NULL, 2);
	f.edits[0] = put(1, "BBB");
	f.edits[1] = erase(3);
	u = change(&f);
	assert_int_equal(u.nbytes, 7 + INDEX);
	assert_memory_equal(u.bytes, "aaBBBcc", 7);
	f.c.sequence = backwards;
	u = change(&f);
	assert_memory_equal(u.bytes, "ccBBBaa", 7);
	end(&f);
}

static void
test_append(void **unused)
{
	fixture f;
	zinc_update u;

	(void)unused;
	begin(&f, NULL, 1);
	f.edits[0] = put(1, "BBB");
	f.c.append = true;
	u = change(&f);
	assert_int_equal(u.nbytes, sizeof f.old + 3 + INDEX);
	assert_memory_equal(u.bytes, f.old, sizeof f.old);
	assert_memory_equal((const uint8_t *)u.bytes + sizeof f.old, "BBB", 3);
	end(&f);
}

/* An old shard that counts its reads. */
typedef struct counted {
	const uint8_t *bytes;
	uint64_t nbytes;
} counted;

static zinc_status
read_counted(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	counted *x = arg;

	(void)niov, (void)err;
	x->nbytes += nbytes;
	memcpy(iov[0].iov_base, x->bytes + offset, (size_t)nbytes);
	return ZINC_OK;
}

/* shard_change.c (1) */
static void
test_nothing_changes(void **unused)
{
	fixture f;
	counted x = {f.old, 0};
	const zinc_old old = {sizeof old, 1, sizeof f.old, read_counted, &x};
	const zinc_old none = {sizeof none, 0, 0, read_counted, &x};
	zinc_splice out = {.size = sizeof out};
	zinc_error err = ZINC_ERROR_INIT;

	(void)unused;
	begin(&f, NULL, 2);
	memset(f.old + 8 + 16, 0xff, 16); /* chunk 1 is missing */
	f.edits[0] = erase(1);
	f.edits[1] = (zinc_chunk_edit){.position = 2, .what = ZINC_CHUNK_KEEP};
	assert_ok(zinc_shard_change_splice(&f.c, &old, &out, &err));
	assert_true(out.keep);
	assert_int_equal(out.nparts, 0);
	assert_int_equal(x.nbytes, INDEX);
	assert_ok(zinc_shard_change_splice(&f.c, &none, &out, &err));
	assert_true(out.keep);
	f.edits[1] = put(2, "CC"); /* kept chunks are not read */
	assert_ok(zinc_shard_change_splice(&f.c, &old, &out, &err));
	assert_false(out.keep);
	assert_int_equal(out.nparts, 4); /* aa, CC, dd, index */
	assert_int_equal(x.nbytes, 2 * INDEX);
	end(&f);
}

/* shard_change.c (2) */
static void
test_empty(void **unused)
{
	fixture f;
	zinc_update u;
	unsigned i;

	(void)unused;
	begin(&f, NULL, CHUNKS);
	for (i = 0; i < CHUNKS; i++)
		f.edits[i] = erase(i);
	u = change(&f);
	assert_true(u.erase);
	assert_false(u.keep);
	f.c.append = true;
	u = change(&f);
	assert_true(u.erase);
	end(&f);
}

/* Chunk 1: written twice.  A missing chunk becomes "new", chunk 3 is refused. */
static zinc_status
twice(void *arg, size_t i, zinc_bytes old, zinc_error *err)
{
	static uint8_t text[4];
	fixture *f = arg;
	zinc_chunk_edit *e = &f->edits[i];

	if (e->position == 3)
		return zinc_fail(err, ZINC_E_EXISTS, "%.2s", (const char *)old.p);
	if (!old.p) {
		*e = put(e->position, "new");
		return ZINC_OK;
	}
	assert_int_equal(old.n, 2);
	memcpy(text, old.p, 2);
	memcpy(text + 2, old.p, 2);
	*e = (zinc_chunk_edit){e->position, ZINC_CHUNK_PUT, text, sizeof text};
	return ZINC_OK;
}

/* shard_change.c (3): edits are made from the old inner chunks, up to a limit of their bytes */
static void
test_revise(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_bytes old;
	zinc_update u;
	fixture f;

	(void)unused;
	begin(&f, NULL, 2);
	old = (zinc_bytes){f.old, sizeof f.old};
	memset(f.old + 8 + 32, 0xff, 16); /* chunk 2 is missing */
	f.c.revise = twice;
	f.c.arg = &f;
	f.edits[0] = (zinc_chunk_edit){.position = 1};
	f.edits[1] = (zinc_chunk_edit){.position = 2};
	u = change(&f);
	assert_int_equal(u.nbytes, 11 + INDEX);
	assert_memory_equal(u.bytes, "aabbbbnewdd", 11);
	f.edits[1].position = 3;
	assert_int_equal(zinc_shard_change_whole(&f.c, &old, &u, &err), ZINC_E_EXISTS);
	assert_string_equal(err.text, "dd");
	f.c.limit = 1;
	assert_int_equal(zinc_shard_change_whole(&f.c, &old, &u, &err), ZINC_E_LIMIT);
	f.c.limit = 2;
	f.c.nedits = 1;
	(void)change(&f);
	end(&f);
}

/* A shard that another writer replaces when it is about to be put. */
typedef struct rival {
	fixture *f;
	zinc_store *s;
	int puts;  /* this many times */
	int calls; /* of revise */
} rival;

static zinc_status
come_between(void *arg, size_t i, zinc_bytes old, zinc_error *err)
{
	rival *r = arg;

	(void)i, (void)old;
	r->calls++;
	r->f->edits[0] = put(1, "BBB");
	return r->puts-- > 0 ? zinc_store_put(r->s, NULL, "k", r->f->old, sizeof r->f->old, NULL, 0, NULL, NULL, err)
			     : ZINC_OK;
}

/* shard_change.c (3): a condition holds for the generation that is replaced */
static void
test_condition(void **unused)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_tag tag, old = {0, {0}};
	const zinc_condition same = {ZINC_EQUALS, &old};
	zinc_error err = ZINC_ERROR_INIT;
	rival r = {.puts = 2};
	zinc_store *s;
	fixture f;

	(void)unused;
	begin(&f, NULL, 1);
	assert_ok(zinc_store_open(&s, "memory://", NULL, &err));
	f.edits[0] = put(1, "B");
	assert_ok(zinc_shard_change_if(&f.c, s, "k", &absent, &old, 0, NULL, &err));
	assert_int_equal(zinc_shard_change_if(&f.c, s, "k", &absent, NULL, 0, NULL, &err), ZINC_E_EXISTS);
	f.edits[0] = put(2, "C");
	assert_int_equal(zinc_shard_change_if(&f.c, s, "k", &same, NULL, 0, NULL, &err), ZINC_E_CONFLICT); /* missing */
	assert_ok(zinc_shard_change_if(&f.c, s, "k", &absent, &tag, 0, NULL, &err));
	f.edits[0] = put(1, "BB");
	assert_int_equal(zinc_shard_change_if(&f.c, s, "k", &same, NULL, 0, NULL, &err), ZINC_E_CONFLICT);
	old = tag;
	assert_ok(zinc_shard_change_if(&f.c, s, "k", &same, &tag, 0, NULL, &err));
	r.f = &f;
	r.s = s;
	f.c.revise = come_between;
	f.c.arg = &r;
	assert_ok(zinc_shard_change_if(&f.c, s, "k", NULL, &tag, 0, NULL, &err)); /* repeated for each new generation */
	assert_int_equal(r.calls, 3);
	old = tag;
	r.puts = 1;
	assert_int_equal(zinc_shard_change_if(&f.c, s, "k", &same, NULL, 0, NULL, &err), ZINC_E_CONFLICT);
	assert_int_equal(r.calls, 4);
	zinc_store_close(s);
	end(&f);
}

static void
test_replace(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s;
	fixture f;
	unsigned i;

	(void)unused;
	begin(&f, NULL, CHUNKS);
	assert_ok(zinc_store_open(&s, "memory://", NULL, &err));
	assert_ok(zinc_store_put(s, NULL, "k", "damaged", 7, NULL, 0, NULL, NULL, &err)); /* not read */
	assert_ok(zinc_shard_change_replace(&f.c, s, NULL, "k", 0, NULL, &err));
	assert_ok(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err));
	assert_int_equal(b.nbytes, sizeof f.old);
	assert_memory_equal(b.data, f.old, sizeof f.old);
	zinc_blob_fini(&b);
	for (i = 0; i < CHUNKS; i++)
		f.edits[i] = erase(i);
	assert_ok(zinc_shard_change_replace(&f.c, s, NULL, "k", 0, NULL, &err));
	assert_int_equal(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err), ZINC_E_NOTFOUND);
	zinc_store_close(s);
	end(&f);
}

/* shard_change.c (2) A store without conditional deletes keeps an index. */
static void
test_empty_stays(void **unused)
{
	zinc_condition same = {ZINC_EQUALS, NULL};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	remote_store x = {.parallel = 1, .writes = true, .cas = true, .no_conditional_dels = true};
	zinc_tag tag;
	zinc_store *s;
	unsigned i, k;
	fixture f;

	(void)unused;
	begin(&f, NULL, CHUNKS);
	assert_ok(zinc_store_open(&x.local, "memory://", NULL, &err));
	s = remote_store_open(&x, zinc_context_get(NULL));
	for (i = 0; i < CHUNKS; i++)
		f.edits[i] = erase(i);
	for (k = 0; k < 2; k++) {
		f.c.no_erase = false;
		assert_ok(zinc_store_put(s, NULL, "k", f.old, sizeof f.old, NULL, 0, &tag, NULL, &err));
		same.tag = &tag;
		assert_ok(k ? zinc_shard_change_if(&f.c, s, "k", &same, NULL, 0, NULL, &err)
			    : zinc_shard_change_run(&f.c, s, "k", 0, 0, NULL, &err));
		assert_ok(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err));
		assert_int_equal(b.nbytes, INDEX);
		for (i = 0; i < INDEX; i++)
			assert_int_equal(((const uint8_t *)b.data)[i], 0xff);
		zinc_blob_fini(&b);
	}
	zinc_store_close(s);
	zinc_store_close(x.local);
	end(&f);
}

static zinc_status
change_once(void *arg, zinc_context *ctx, zinc_error *err)
{
	fixture *f = arg;
	const zinc_bytes old = {f->old, sizeof f->old};
	zinc_shard_change c;
	zinc_update u;
	zinc_status st;

	zinc_shard_change_init(&c, ctx, &f->l, f->edits, CHUNKS);
	st = zinc_shard_change_whole(&c, &old, &u, err);
	if (st == ZINC_OK)
		assert_memory_equal(u.bytes, f->old, sizeof f->old);
	zinc_shard_change_fini(&c);
	return st;
}

static void
test_no_memory(void **unused)
{
	fixture f;

	(void)unused;
	begin(&f, NULL, CHUNKS);
	assert_true(sweep_alloc(change_once, &f) > 3);
	end(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_anew),
	    cmocka_unit_test(test_append),
	    cmocka_unit_test(test_nothing_changes),
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_empty_stays),
	    cmocka_unit_test(test_revise),
	    cmocka_unit_test(test_condition),
	    cmocka_unit_test(test_replace),
	    cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
