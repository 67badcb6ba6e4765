/*
 * test_deadline.c - deadline, flag and signal against a stopped process that holds a lock, and against slow servers
 *
 * No time is asserted.  The holder never releases its lock, so a call that returns before it is killed did not wait
 * for it; and no server ends by itself in a way that makes a call E_CANCELLED.
 */
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <zinc/conventions.h>
#include <zinc/erase.h>
#include <zinc/tool.h>

#include "support/files.h"
#include "support/holder.h"
#include "support/test.h"
#include "support/web.h"

/* ---- a name server that does not answer ---- */

static atomic_bool resolver_hangs;

/* Replaces libc's function, for libcurl: otherwise only numeric addresses are used. */
int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **res)
{
	(void)node, (void)service, (void)hints, (void)res;
	while (resolver_hangs)
		usleep(10000);
	return EAI_AGAIN;
}

/* ---- three ways to end a call ---- */

static zinc_cancel flag = ZINC_CANCEL_INIT;

static void
on_alarm(int sig)
{
	(void)sig;
	zinc_cancel_set(&flag);
}

static void *
raise_soon(void *arg)
{
	(void)arg;
	usleep(50000);
	zinc_cancel_set(&flag);
	return NULL;
}

typedef zinc_status (*ended_fn)(void *arg, const zinc_call_options *call, zinc_error *err);

static void
assert_ended(const char *name, zinc_status st, zinc_error *err)
{
	if (st != ZINC_E_CANCELLED)
		fail_msg("%s: %s %s", name, zinc_status_name(st), zinc_error_text(err));
}

static void
end_by_deadline(const char *name, ended_fn fn, void *arg)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ended(name, fn(arg, ZINC_CALL_OPTIONS(.timeout = 0.1), &err), &err);
}

static void
end_by_thread(const char *name, ended_fn fn, void *arg)
{
	zinc_error err = ZINC_ERROR_INIT;
	pthread_t thread;

	zinc_cancel_reset(&flag);
	assert_int_equal(pthread_create(&thread, NULL, raise_soon, NULL), 0);
	assert_ended(name, fn(arg, ZINC_CALL_OPTIONS(.cancel = &flag), &err), &err);
	pthread_join(thread, NULL);
}

static void
end_by_signal(const char *name, ended_fn fn, void *arg)
{
	struct sigaction alarm = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval soon = {.it_value = {0, 50000}};
	zinc_error err = ZINC_ERROR_INIT;

	zinc_cancel_reset(&flag);
	sigaction(SIGALRM, &alarm, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_ended(name, fn(arg, ZINC_CALL_OPTIONS(.cancel = &flag), &err), &err);
}

/* ---- a stopped holder ---- */

typedef struct place {
	zinc_hierarchy *h;
	zinc_array *a, *s;
} place;

static const uint64_t eight[1] = {8}, two[1] = {2}, four[1] = {4}, ten[1] = {10}, index0[1] = {0};
static uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void
make_array(place *p, zinc_array **out, const char *path, const uint64_t *shards)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_array_create(out, p->h, path,
				    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = eight, .chunks = two, .shards = shards,
						       .dtype = "uint8", .codecs = "none"),
				    &err));
	assert_ok(zinc_array_write_text(*out, NULL, ZINC_BUFFER(bytes, sizeof bytes), NULL, &err));
}

static void
place_open(place *p)
{
	zinc_error err = ZINC_ERROR_INIT;

	memset(p, 0, sizeof *p);
	make_empty("d.zarr");
	assert_ok(zinc_hierarchy_open_url(&p->h, "d.zarr", ZINC_OPEN_OPTIONS(.create = 1), &err));
	make_array(p, &p->a, "/g/a", NULL);
	make_array(p, &p->s, "/s", four);
	make_empty("d.zarr/new");
	make_empty("d.zarr/copied");
}

static void
place_close(place *p)
{
	zinc_array_close(p->a);
	zinc_array_close(p->s);
	zinc_hierarchy_close(p->h);
}

#define CALL(name) static zinc_status name(void *arg, const zinc_call_options *call, zinc_error *err)
#define P          ((place *)arg)

CALL(create_array)
{
	zinc_array *a = NULL;
	zinc_status st = zinc_array_create(
	    &a, P->h, "/new", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = eight, .dtype = "uint8", .call = call), err);

	zinc_array_close(a);
	return st;
}

CALL(create_array_url)
{
	zinc_array *a = NULL;
	zinc_status st = zinc_array_create_url(
	    &a, "d.zarr/new", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = eight, .dtype = "uint8", .call = call), NULL, err);

	(void)arg;
	zinc_array_close(a);
	return st;
}

CALL(create_group_url)
{
	(void)arg;
	return zinc_group_create_url("d.zarr/new", "{}", 0, ZINC_OPEN_OPTIONS(.call = call), err);
}

CALL(create_group)
{
	return zinc_group_create(P->h, "/new", "{}", 0, call, err);
}

CALL(write_all)
{
	return zinc_array_write_text(P->a, NULL, ZINC_BUFFER(bytes, sizeof bytes), ZINC_IO_OPTIONS(.call = call), err);
}

CALL(write_part)
{
	return zinc_array_write_text(P->a, "1:2", ZINC_BUFFER(bytes, 1), ZINC_IO_OPTIONS(.call = call), err);
}

CALL(write_shard)
{
	return zinc_array_write_text(P->s, "1:2", ZINC_BUFFER(bytes, 1), ZINC_IO_OPTIONS(.call = call), err);
}

CALL(chunk_put)
{
	return zinc_array_chunk_put(P->a, index0, bytes, 2, call, err);
}

CALL(grow)
{
	return zinc_array_resize(P->a, ten, call, err);
}

CALL(shrink)
{
	return zinc_array_resize(P->a, two, call, err);
}

CALL(append)
{
	zinc_buffer *b = ZINC_BUFFER(bytes, 2);

	b->ndim = 1;
	b->shape = two;
	return zinc_array_append(P->a, 0, b, ZINC_IO_OPTIONS(.call = call), NULL, err);
}

CALL(erase)
{
	return zinc_node_erase(P->h, "/g", call, err);
}

CALL(erase_by_force)
{
	return zinc_node_erase_with(P->h, "/g", ZINC_ERASE_OPTIONS(.force = 1, .call = call), NULL, err);
}

CALL(edit)
{
	const zinc_attribute change = {"title", "1"};

	return zinc_attributes_edit(P->h, "/g/a", &change, 1, call, err);
}

CALL(consolidate)
{
	return zinc_consolidate(P->h, "/", 0, call, err);
}

CALL(copy)
{
	return zinc_copy(P->h, "/g/a", P->h, "/copied", ZINC_COPY_OPTIONS(.call = call), NULL, err);
}

CALL(flush)
{
	zinc_writer *w = NULL;
	zinc_status st = zinc_writer_new(&w, P->a, 0, NULL, err);

	if (st == ZINC_OK)
		st = zinc_writer_write(w, NULL, ZINC_BUFFER(bytes, sizeof bytes), call, err);
	if (st == ZINC_OK)
		st = zinc_writer_flush(w, call, err);
	zinc_writer_free(w);
	return st;
}

static const struct row {
	const char *name;
	ended_fn fn;
	const char *held; /* the key whose lock is held */
} rows[] = {
    {"zinc_array_create", create_array, "new/zarr.json"},
    {"zinc_group_create", create_group, "new/zarr.json"},
    {"zinc_array_create_url", create_array_url, "new/zarr.json"},
    {"zinc_group_create_url", create_group_url, "new/zarr.json"},
    {"zinc_array_write", write_all, "g/a/c/1"},
    {"zinc_array_write, part of a chunk", write_part, "g/a/c/0"},
    {"zinc_array_write, part of a shard", write_shard, "s/c/0"},
    {"zinc_array_chunk_put", chunk_put, "g/a/c/0"},
    {"zinc_array_resize, grow", grow, "g/a/zarr.json"},
    {"zinc_array_resize, shrink", shrink, "g/a/c/2"},
    {"zinc_array_append", append, "g/a/zarr.json"},
    {"zinc_array_append, its elements", append, "g/a/c/4"},
    {"zinc_node_erase, document", erase, "g/zarr.json"},
    {"zinc_node_erase, chunk", erase, "g/a/c/0"},
    {"zinc_node_erase_with, force", erase_by_force, "g/a/c/0"},
    {"zinc_attributes_edit", edit, "g/a/zarr.json"},
    {"zinc_consolidate", consolidate, "zarr.json"},
    {"zinc_copy, journal", copy, "copied/__zinc_cp.json"},
    {"zinc_copy, document", copy, "copied/zarr.json"},
    {"zinc_writer_flush", flush, "g/a/c/1"},
};

static void
nobody_waits_for_a_stopped_holder(void **state)
{
	static void (*const ways[])(const char *, ended_fn, void *) = {end_by_deadline, end_by_thread, end_by_signal};
	char lock_file[256];
	size_t i, k;
	place p;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		for (k = 0; k < COUNT(ways); k++) {
			pid_t holder;

			place_open(&p);
			snprintf(lock_file, sizeof lock_file, "d.zarr/%s.__lock", rows[i].held);
			holder = holder_start(lock_file);
			ways[k](rows[i].name, rows[i].fn, &p);
			assert_true(holder_stands(holder));
			holder_end(holder);
			place_close(&p);
		}
}

/* The text of the failure names what the call waited for. */
static void
the_failure_names_the_lock(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	pid_t holder;
	place p;

	(void)state;
	place_open(&p);
	holder = holder_start("d.zarr/g/a/zarr.json.__lock");
	assert_int_equal(edit(&p, ZINC_CALL_OPTIONS(.timeout = 0.05), &err), ZINC_E_CANCELLED);
	assert_non_null(strstr(err.text, "the deadline passed while waiting for the lock"));
	assert_string_equal(err.key, "g/a/zarr.json");
	holder_end(holder);
	assert_ok(edit(&p, NULL, &err));
	place_close(&p);
}

/* ---- servers ---- */

typedef struct site {
	const web *w;
	char rest[128];
	zinc_context *ctx;
} site;

CALL(open_site)
{
	const site *at = arg;
	zinc_store *s = web_open(at->w, at->rest, at->ctx);
	zinc_hierarchy *h = NULL;
	zinc_status st = zinc_hierarchy_open(&h, s, "", ZINC_OPEN_OPTIONS(.context = at->ctx, .call = call), err);

	zinc_hierarchy_close(h);
	zinc_store_close(s);
	return st;
}

CALL(get_site)
{
	const site *at = arg;
	zinc_wait wait = ZINC_WAIT_INIT;
	zinc_store *s = web_open(at->w, at->rest, at->ctx);
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st = zinc_wait_begin(&wait, call, err);

	if (st == ZINC_OK)
		st = zinc_store_get_all(s, "zarr.json", &b, NULL, 0, &wait, err);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return st;
}

/* A sent request may have been executed: the status says so, and the text says what ended it. */
static zinc_status
ended_on_the_way(zinc_status st, const zinc_error *err)
{
	if (st == ZINC_E_UNCERTAIN && (strstr(err->text, "deadline passed") || strstr(err->text, "cancelled")))
		return ZINC_E_CANCELLED;
	return st;
}

/* Also a conditional one, which queries the server first. */
CALL(put_site)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	const site *at = arg;
	zinc_wait wait = ZINC_WAIT_INIT;
	zinc_store *s = NULL;
	zinc_status st = zinc_store_open(&s, web_url(at->w, at->rest), ZINC_STORE_OPTIONS(.context = at->ctx), err);

	if (st == ZINC_OK)
		st = zinc_wait_begin(&wait, call, err);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "k", "v", 1, &absent, 0, NULL, &wait, err);
	zinc_store_close(s);
	return ended_on_the_way(st, err);
}

CALL(del_site)
{
	const site *at = arg;
	zinc_wait wait = ZINC_WAIT_INIT;
	zinc_store *s = NULL;
	zinc_status st = zinc_store_open(&s, web_url(at->w, at->rest), ZINC_STORE_OPTIONS(.context = at->ctx), err);

	if (st == ZINC_OK)
		st = zinc_wait_begin(&wait, call, err);
	if (st == ZINC_OK)
		st = zinc_store_del(s, NULL, "k", NULL, 0, &wait, err);
	zinc_store_close(s);
	return ended_on_the_way(st, err);
}

static void
nobody_waits_for_a_slow_server(void **state)
{
	static const char *const modes[] = {"trickle", "tricklehead", "tricklehop", "silent", "stalls", "busyalways"};
	zinc_error err = ZINC_ERROR_INIT;
	site at = {.ctx = NULL};
	size_t i;
	place p;
	web w;

	(void)state;
	if (!web_can())
		skip();
	place_open(&p);
	web_start(&w, ".", false);
	at.w = &w;
	assert_ok(zinc_context_new(&at.ctx, NULL, &err));
	for (i = 0; i < COUNT(modes); i++) {
		snprintf(at.rest, sizeof at.rest, "%s/d.zarr", modes[i]);
		end_by_deadline(modes[i], open_site, &at);
		end_by_deadline(modes[i], get_site, &at);
		end_by_thread(modes[i], open_site, &at);
		end_by_signal(modes[i], get_site, &at);
	}
	snprintf(at.rest, sizeof at.rest, "silent/d.zarr?write=yes&conditions=yes");
	end_by_deadline("put", put_site, &at);
	end_by_thread("put", put_site, &at);
	end_by_signal("put", put_site, &at);
	snprintf(at.rest, sizeof at.rest, "silent/d.zarr?write=yes");
	end_by_deadline("delete", del_site, &at);
	end_by_thread("delete", del_site, &at);
	end_by_signal("delete", del_site, &at);
	zinc_context_free(at.ctx);
	web_stop(&w);
	place_close(&p);
}

/* ---- schemas that are fetched ---- */

typedef struct library {
	zinc_hierarchy *h;
	zinc_conventions *c;
} library;

static int
any_verdict(void *arg, const zinc_verdict *v)
{
	(void)arg, (void)v;
	return 0;
}

CALL(check_conventions)
{
	const library *l = arg;

	return zinc_conventions_check(l->c, l->h, "/g", any_verdict, NULL, call, err);
}

/* A schema whose fetch was ended is not treated as missing: each call fetches it again. */
static void
nobody_waits_for_a_schema(void **state)
{
	static const char *const modes[] = {"silent", "trickle", "stalls"};
	zinc_error err = ZINC_ERROR_INIT;
	char json[256];
	library l;
	size_t i;
	place p;
	web w;

	(void)state;
	if (!web_can())
		skip();
	place_open(&p);
	web_start(&w, ".", false);
	l.h = p.h;
	for (i = 0; i < COUNT(modes); i++) {
		const zinc_attribute change = {"zarr_conventions", json};

		snprintf(json, sizeof json, "[{\"schema_url\": \"%s%s/d.zarr/zarr.json\", \"name\": \"x\"}]",
			 web_url(&w, ""), modes[i]);
		assert_ok(zinc_attributes_edit(p.h, "/g", &change, 1, NULL, &err));
		assert_ok(zinc_conventions_new(&l.c, ZINC_CONVENTIONS_OPTIONS(.fetch = 1), &err));
		end_by_deadline(modes[i], check_conventions, &l);
		end_by_thread(modes[i], check_conventions, &l);
		end_by_signal(modes[i], check_conventions, &l);
		zinc_conventions_free(l.c);
	}
	web_stop(&w);
	place_close(&p);
}

CALL(get_unresolved)
{
	zinc_wait wait = ZINC_WAIT_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;
	zinc_status st = zinc_wait_begin(&wait, call, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_store_open(&s, "http://nowhere.invalid/d.zarr", NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_get_all(s, "zarr.json", &b, NULL, 0, &wait, err);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return st;
}

/* The resolver's thread hangs until all three calls have returned. */
static void
nobody_waits_for_a_name_server(void **state)
{
	(void)state;
	if (!web_can())
		skip();
	resolver_hangs = true;
	end_by_deadline("a name", get_unresolved, NULL);
	end_by_thread("a name", get_unresolved, NULL);
	end_by_signal("a name", get_unresolved, NULL);
	assert_true(resolver_hangs);
	resolver_hangs = false;
	usleep(100000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nobody_waits_for_a_stopped_holder), cmocka_unit_test(the_failure_names_the_lock),
	    cmocka_unit_test(nobody_waits_for_a_slow_server),    cmocka_unit_test(nobody_waits_for_a_schema),
	    cmocka_unit_test(nobody_waits_for_a_name_server),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
