/*
 * test_fork_waits.c - fork() in one thread while another waits for a process that holds a lock and is stopped
 *
 * None of our own locks may be held while a thread waits for a lock of another process: the handlers around fork()
 * take all of ours.  Each row is a call that waits; each child must start while the holder still has the lock.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/files.h"
#include "support/holder.h"
#include "support/test.h"

typedef struct waiting {
	zinc_array *a;
	zinc_status (*call)(zinc_array *a);
	atomic_bool done;
	zinc_status status;
} waiting;

static zinc_status
do_resize(zinc_array *a)
{
	static const uint64_t shape[1] = {12};

	return zinc_array_resize(a, shape, NULL, NULL);
}

static zinc_status
do_append(zinc_array *a)
{
	static const uint64_t shape[1] = {2};
	uint8_t two[2] = {8, 9};
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_UINT8, two, sizeof two);

	b.shape = shape;
	b.ndim = 1;
	return zinc_array_append(a, 0, &b, NULL, NULL, NULL);
}

static zinc_status
do_edit(zinc_array *a)
{
	static const zinc_attribute change = {"units", "\"m\""};

	return zinc_attributes_edit(zinc_array_hierarchy(a), "/a", &change, 1, NULL, NULL);
}

static zinc_status
do_write_part(zinc_array *a)
{
	uint8_t one = 5;

	return zinc_array_write_text(a, "1:2", ZINC_BUFFER(&one, sizeof one), NULL, NULL);
}

static void *
wait_in_thread(void *arg)
{
	waiting *w = arg;

	w->status = w->call(w->a);
	w->done = true;
	return NULL;
}

/* The child uses the same handle: work in progress of its parent's thread does not block it. */
static bool
child_reads(zinc_array *a)
{
	uint8_t all[8];

	alarm(HANGS);
	return zinc_array_read_text(a, NULL, ZINC_BUFFER(all, sizeof all), NULL, NULL) == ZINC_OK && all[0] == 1 &&
	       zinc_array_refresh(a, NULL, NULL) == ZINC_OK;
}

static void
try_call(zinc_status (*call)(zinc_array *a), const char *lock_file)
{
	static const uint64_t shape[1] = {8}, chunks[1] = {4};
	uint8_t all[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	zinc_error err = ZINC_ERROR_INIT;
	waiting w = {.call = call};
	pid_t holder, child;
	pthread_t thread;
	int status;

	make_empty("d.zarr");
	assert_ok(zinc_array_create_url(
	    &w.a, "d.zarr/a",
	    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks, .dtype = "uint8", .codecs = "none"),
	    ZINC_OPEN_OPTIONS(.relaxed = 1), &err));
	assert_ok(zinc_array_write_text(w.a, NULL, ZINC_BUFFER(all, sizeof all), NULL, &err));
	holder = holder_start(lock_file);
	assert_int_equal(pthread_create(&thread, NULL, wait_in_thread, &w), 0);
	usleep(100000);
	assert_false(w.done);
	child = fork();
	if (child == 0)
		leave_child(child_reads(w.a) ? 0 : 1);
	assert_true(holder_stands(holder));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_false(w.done);
	holder_end(holder);
	pthread_join(thread, NULL);
	assert_int_equal(w.status, ZINC_OK);
	zinc_array_close(w.a);
}

static void
fork_waits_for_no_holder(void **state)
{
	(void)state;
	alarm(HANGS);
	try_call(do_resize, "d.zarr/a/zarr.json.__lock");
	try_call(do_append, "d.zarr/a/zarr.json.__lock");
	try_call(do_edit, "d.zarr/a/zarr.json.__lock");
	try_call(do_write_part, "d.zarr/a/c/0.__lock");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fork_waits_for_no_holder),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
