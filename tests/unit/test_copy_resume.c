/*
 * test_copy_resume.c - an interrupted copy continues with any number of threads
 *
 * Promises of copy_journal.c and copy_boxes.c, by number.
 */
#include <stdio.h>
#include <string.h>
#include <zinc/erase.h>
#include <zinc/tool.h>

#include "support/arrays.h"
#include "support/test.h"

static uint16_t want[1024 * 1024], have[1024 * 1024];

/* Every way in which a copy moves objects. */
static const struct {
	const char *name;
	uint64_t shape[2], from[2], to[2]; /* of chunks; to[0] 0: as they are */
	const char *codecs;
	uint64_t max_memory;
} ways[] = {
    {"raw", {256, 240}, {8, 8}, {0, 0}, NULL, 0},
    {"boxes", {256, 240}, {32, 240}, {64, 48}, NULL, 64 << 10},
    {"boxes by codecs alone", {256, 240}, {64, 60}, {0, 0}, "gzip:1", 40 << 10},
    {"two passes", {1024, 1024}, {1, 1024}, {1024, 1}, NULL, 512 << 10},
};

static int
count_down(void *arg, uint64_t done, uint64_t total, uint64_t bytes)
{
	(void)done, (void)total, (void)bytes;
	return --*(int *)arg < 0;
}

static int
hear(void *arg, const zinc_copy_note *note)
{
	if (note->kind == ZINC_COPY_PLAN)
		snprintf(arg, 400, "%s", note->message);
	return 0;
}

typedef struct scene {
	stage s;
	size_t way, nbytes;
	zinc_copy_options o;
	char plan[400];
} scene;

static void
scene_open(scene *x, size_t way)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	size_t i;

	memset(x, 0, sizeof *x);
	x->way = way;
	stage_open(&x->s, 4, 0);
	x->nbytes = (size_t)(ways[way].shape[0] * ways[way].shape[1]) * sizeof *want;
	a = stage_array(&x->s, "a", ways[way].shape[0], ways[way].shape[1], ways[way].from[0], ways[way].from[1], 0, 0,
			"zstd:1");
	for (i = 0; i < x->nbytes / sizeof *want; i++)
		want[i] = (uint16_t)(i % 65535 + 1);
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(want, x->nbytes), NULL, &err));
	zinc_array_close(a);
	x->o = (zinc_copy_options)ZINC_COPY_OPTIONS_INIT;
	x->o.ndim = 2;
	x->o.chunks = ways[way].to[0] ? ways[way].to : NULL;
	x->o.codecs = ways[way].codecs;
	x->o.max_memory = ways[way].max_memory;
	x->o.note = hear;
	x->o.note_arg = x->plan;
}

/* Copy to `to` with so many threads until `steps` steps are done; negative: to the end. */
static zinc_status
go(scene *x, const char *to, int threads, int steps, bool resume, zinc_error *err)
{
	zinc_copy_options o = x->o;
	int left = steps;

	if (!resume) /* otherwise the first steps would be those of the check of the source */
		(void)!zinc_node_erase_with(x->s.h, to, ZINC_ERASE_OPTIONS(.force = 1), NULL, NULL);

	o.threads = threads;
	o.resume = resume;
	o.overwrite = !resume;
	o.call = ZINC_CALL_OPTIONS(.progress = steps < 0 ? NULL : count_down, .progress_arg = &left);
	return zinc_copy(x->s.h, "/a", x->s.h, to, &o, NULL, err);
}

static void
compare(scene *x, const char *to, const char *what)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	memset(have, 0, x->nbytes);
	assert_ok(zinc_array_open(&a, x->s.h, to, NULL, &err));
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(have, x->nbytes), NULL, &err));
	zinc_array_close(a);
	if (memcmp(have, want, x->nbytes) != 0)
		fail_msg("%s: elements are lost", what);
}

/* (1) and (4) of copy_boxes.c: the plan is the same, and so are the elements, wherever it was interrupted. */
static void
any_number_of_threads(void **state)
{
	static const int threads[] = {1, 2, 4};
	zinc_error err = ZINC_ERROR_INIT;
	char plan[400], what[100];
	size_t w, i, k;
	int steps;
	scene x;

	(void)state;
	for (w = 0; w < COUNT(ways); w++) {
		scene_open(&x, w);
		for (i = 0; i < COUNT(threads); i++)
			for (k = 0; k < COUNT(threads); k++) {
				for (steps = 0; steps < 40; steps += 1 + steps / 2) {
					const zinc_status st = go(&x, "/b", threads[i], steps, false, &err);

					if (st == ZINC_OK)
						break;
					assert_int_equal(st, ZINC_E_CANCELLED);
					memcpy(plan, x.plan, sizeof plan);
					snprintf(what, sizeof what, "%s, %d steps by %d threads, then %d", ways[w].name,
						 steps + 1, threads[i], threads[k]);
					if (go(&x, "/b", threads[k], -1, true, &err) != ZINC_OK)
						fail_msg("%s: %s", what, zinc_error_text(&err));
					assert_string_equal(plan, x.plan);
					compare(&x, "/b", what);
				}
				assert_true(steps > 2); /* it was interrupted more than once */
			}
		assert_int_equal(strstr(x.plan, "two passes") != NULL, strcmp(ways[w].name, "two passes") == 0);
		stage_close(&x.s);
	}
}

static void
put_journal(scene *x, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(x->s.memory, NULL, "b/__zinc_cp.json", text, strlen(text), NULL, 0, NULL, NULL, &err));
}

/* (2) of copy_journal.c: another plan is refused though it has as many steps, and so is a journal of an earlier Zinc,
 * whose plans depended on threads.  The limit of memory is the journal's. */
static void
another_plan(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob text = ZINC_BLOB_INIT;
	char *journal, *at;
	scene x;

	(void)state;
	scene_open(&x, 1);
	assert_int_equal(go(&x, "/b", 2, 1, false, &err), ZINC_E_CANCELLED);
	x.o.max_memory *= 4;
	assert_int_equal(go(&x, "/b", 1, 1, true, &err), ZINC_E_CANCELLED);
	assert_ok(zinc_store_get_all(x.s.memory, "b/__zinc_cp.json", &text, NULL, 0, NULL, &err));
	journal = text.data;
	at = strstr(journal, "\"plan\": \"");
	assert_non_null(at);
	at[9] = at[9] == '0' ? '1' : '0';
	put_journal(&x, journal);
	assert_int_equal(go(&x, "/b", 1, -1, true, &err), ZINC_E_CONFLICT);
	assert_non_null(strstr(err.text, "another plan"));
	at[9] = at[9] == '0' ? '1' : '0';
	at = strstr(journal, "\"zinc_cp\": 2");
	assert_non_null(at);
	at[11] = '1';
	put_journal(&x, journal);
	assert_int_equal(go(&x, "/b", 1, -1, true, &err), ZINC_E_CONFLICT);
	assert_non_null(strstr(err.text, "another version"));
	zinc_blob_fini(&text);
	assert_ok(go(&x, "/b", 1, -1, false, &err));
	compare(&x, "/b", "begun anew");
	stage_close(&x.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(any_number_of_threads),
	    cmocka_unit_test(another_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
