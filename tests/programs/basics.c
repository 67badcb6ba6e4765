/*
 * basics.c - what every program uses first: status, errors, types, contexts, waiting, and what this build has
 */
#include "every_call.h"

static void
call_status(void)
{
	zinc_error err = ZINC_ERROR_INIT;

	TEXT_IS(zinc_version(), ZINC_VERSION);
	CHECK(zinc_error_status(&err) == ZINC_OK);
	TEXT_IS(zinc_error_text(&err), "");
	GIVES(ZINC_E_RANGE, zinc_error_set(&err, ZINC_E_RANGE, "too far"));
	CHECK(zinc_error_status(&err) == ZINC_E_RANGE);
	HAS(zinc_error_text(&err), "too far");
	TEXT_IS(zinc_status_name(ZINC_E_CORRUPT), "E_CORRUPT");
	TEXT_IS(zinc_status_text(ZINC_E_NOMEM), "out of memory");
}

static void
call_types(void)
{
	char digits[18];
	int exponent;

	TEXT_IS(zinc_type_name(ZINC_FLOAT32), "float32");
	CHECK(zinc_type_size(ZINC_COMPLEX128) == 16);
	CHECK(zinc_type_digits(ZINC_FLOAT32, (double)1.25e-7f, digits, &exponent) == 3 && exponent == -7);
	TEXT_IS(digits, "125");
	CHECK(zinc_type_widen(ZINC_INT4) == ZINC_INT8 && zinc_type_widen(ZINC_BOOL) == ZINC_BOOL);
	CHECK(!zinc_type_name(ZINC_RAW) && zinc_type_size(ZINC_NATIVE) == 0);
}

/* ---- memory: everything is allocated from the context's allocator, and freed ---- */

static long held; /* blocks; one thread */

static void *
count_alloc(void *ctx, size_t nbytes)
{
	(void)ctx;
	held++;
	return malloc(nbytes);
}

static void *
count_realloc(void *ctx, void *p, size_t nbytes)
{
	(void)ctx;
	held += !p;
	return realloc(p, nbytes);
}

static void
count_free(void *ctx, void *p)
{
	(void)ctx;
	held -= p != NULL;
	free(p);
}

static void
call_context(void)
{
	zinc_allocator allocator = ZINC_ALLOCATOR_INIT;
	zinc_context_options options = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_limits limits = ZINC_LIMITS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_arena *arena = NULL;

	allocator.alloc = count_alloc;
	allocator.realloc = count_realloc;
	allocator.free = count_free;
	limits.rank = 2;
	options.threads = 1;
	options.allocator = &allocator;
	options.limits = &limits;
	OK(zinc_context_new(&ctx, &options, &err));
	OK(zinc_arena_new(&arena, ctx, 0, &err));
	CHECK(held > 0);
	zinc_arena_empty(arena);
	zinc_arena_free(arena);
	zinc_context_trim(ctx);
	zinc_context_free(ctx);
	CHECK(held == 0);
	options.threads = -1;
	GIVES(ZINC_E_INVALID, zinc_context_new(&ctx, &options, &err));
}

static void
call_waits(void)
{
	zinc_cancel cancel = ZINC_CANCEL_INIT;
	zinc_wait wait = ZINC_WAIT_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	CHECK(!zinc_cancel_is(NULL) && !zinc_cancel_is(&cancel));
	wait.cancel = &cancel;
	OK(zinc_wait_check(&wait, &err));
	CHECK(zinc_wait_left(&wait) == HUGE_VAL);
	zinc_cancel_set(&cancel);
	CHECK(zinc_cancel_is(&cancel));
	GIVES(ZINC_E_CANCELLED, zinc_wait_check(&wait, &err));
	zinc_cancel_reset(&cancel);
	OK(zinc_wait_check(&wait, &err));
	wait.until = 1e-9; /* long ago */
	GIVES(ZINC_E_CANCELLED, zinc_wait_check(&wait, &err));
	CHECK(zinc_wait_left(&wait) <= 0);
}

/* ---- lists: is a name among them? ---- */

typedef struct wanted {
	const char *name;
	int found;
} wanted;

static int
look_at_row(void *arg, const char *name, const char *also, const char *purpose)
{
	wanted *w = (wanted *)arg;

	CHECK(also && purpose);
	w->found += strcmp(name, w->name) == 0;
	return 0;
}

static int
look_at_setting(void *arg, const char *store, const zinc_setting_row *row)
{
	wanted *w = (wanted *)arg;

	CHECK(store && row->purpose);
	w->found += strcmp(store, "http") == 0 && strcmp(row->name, w->name) == 0;
	return 0;
}

static int
look_at_store(void *arg, const zinc_store_row *row)
{
	wanted *w = (wanted *)arg;
	char caps[256];

	CHECK(row->name && (row->schemes || row->adapters) && row->purpose);
	CHECK(zinc_caps_show(caps, sizeof caps, row->flags) == strlen(caps));
	CHECK(row->missing || strstr(caps, "read"));
	w->found += strcmp(row->name, w->name) == 0;
	return 0;
}

static void
check_list(void (*list)(zinc_row_fn fn, void *arg), const char *name)
{
	wanted w = {name, 0};

	list(look_at_row, &w);
	if (w.found != 1)
		fprintf(stderr, "%s: %d times in its list\n", name, w.found);
	CHECK(w.found == 1);
}

static void
call_lists(void)
{
	wanted timeout = {"timeout", 0}, memory = {"memory", 0};

	check_list(zinc_list_codecs, "crc32c");
	check_list(zinc_list_dtypes, "float32");
	check_list(zinc_list_grids, "regular");
	check_list(zinc_list_key_encodings, "default");
	check_list(zinc_list_metadata_encodings, "json");
	check_list(zinc_list_transformers, "indexed");
	check_list(zinc_list_formats, "v3");
	check_list(zinc_list_libraries, "zstd");
	check_list(zinc_list_conventions, "proj");
	check_list(zinc_store_each, "memory");
	zinc_store_each_setting(NULL, look_at_setting, &timeout); /* of the http store, if there is one */
	CHECK(timeout.found <= 1);
	zinc_store_each_row(NULL, look_at_store, &memory);
	CHECK(memory.found == 1);
	CHECK(zinc_store_opens_file("a.zip") && zinc_store_opens_file("dir/a.SQLITE") &&
	      !zinc_store_opens_file("a.txt"));
	CHECK(!zinc_store_opens_file("") && !zinc_store_opens_file(NULL));
}

/* ---- texts ---- */

static int
join_member(void *arg, const char *key, const char *json)
{
	add_word((char *)arg, key);
	add_word((char *)arg, json);
	return 0;
}

static void
call_texts(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	char text[TEXT_ROOM] = "", shown[64];

	OK(zinc_json_each(NULL, "{\"a\": 1, \"b\": [true, null]}", join_member, text, &err));
	TEXT_IS(text, "a 1 b [true,null] ");
	GIVES(ZINC_E_INVALID, zinc_json_each(NULL, "{\"a\"", join_member, text, &err));
	CHECK(zinc_url_show(shown, sizeof shown, "https://me:sesame@host/a?token=sesame") == strlen("https://host/a"));
	TEXT_IS(shown, "https://host/a");
}

void
call_basics(void)
{
	call_status();
	call_types();
	call_context();
	call_waits();
	call_lists();
	call_texts();
}
