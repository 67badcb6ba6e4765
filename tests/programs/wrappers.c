/*
 * wrappers.c - stores around stores, and a program's store with settings
 */
#include "every_call.h"

/* ---- a store with one key, whose value is a setting ---- */

typedef struct only {
	char value[32];
	int closed;
} only;

static only here;

static zinc_status
only_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	const char *value = zinc_setting_text(options, "value");

	(void)rest, (void)err;
	CHECK(zinc_setting_number(options, "number") == 2.5 && zinc_setting_yes(options, "loud"));
	snprintf(here.value, sizeof here.value, "%s", value ? value : "");
	*self = &here;
	return ZINC_OK;
}

static void
only_close(void *self)
{
	((only *)self)->closed++;
}

static void
only_caps(void *self, zinc_caps *out)
{
	(void)self;
	out->flags = ZINC_CAP_READ;
	out->parallel = 1;
}

static zinc_status
only_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	const only *o = (const only *)self;
	size_t i;

	(void)wait, (void)err;
	for (i = 0; i < n; i++) {
		zinc_got got = {sizeof(zinc_got), ZINC_MISSING, 0, 0, NULL, ZINC_OK, NULL};
		zinc_tag tag = {0, {0}};
		void *to = NULL;

		if (strcmp(requests[i].key, "only") == 0 && !requests[i].iov && !requests[i].stat) {
			got.found = ZINC_FOUND;
			got.tag = &tag;
			got.nbytes = got.object_size = strlen(o->value);
			CHECK(sink->room(sink->arg, i, got.nbytes, &to) == ZINC_ROOM_OK);
			memcpy(to, o->value, (size_t)got.nbytes);
		}
		sink->done(sink->arg, i, &got);
	}
	return ZINC_OK;
}

static zinc_setting_row rows[4];
static zinc_store_ops only_ops;

static void
fill_ops(void)
{
	rows[0].name = "value";
	rows[0].purpose = "what its key holds";
	rows[1].name = "number";
	rows[1].type = ZINC_SETTING_SECONDS;
	rows[1].preset = "2.5";
	rows[1].purpose = "any";
	rows[2].name = "loud";
	rows[2].type = ZINC_SETTING_YES;
	rows[2].purpose = "any";
	only_ops.size = sizeof only_ops;
	only_ops.name = "only";
	only_ops.purpose = "one key";
	only_ops.schemes = "only";
	only_ops.settings = rows;
	only_ops.open = only_open;
	only_ops.close = only_close;
	only_ops.caps = only_caps;
	only_ops.get = only_get;
}

static void
own_store(void)
{
	zinc_setting settings[] = {{"only.loud", "yes"}};
	zinc_store_options options = ZINC_STORE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *s = NULL;

	fill_ops();
	OK(zinc_store_register(&only_ops, &err));
	GIVES(ZINC_E_EXISTS, zinc_store_register(&only_ops, &err));
	options.settings = settings;
	options.nsettings = 1;
	OK(zinc_store_open(&s, "only://x?value=told", &options, &err));
	OK(zinc_store_get_all(s, "only", &b, NULL, 0, NULL, &err));
	TEXT_IS((const char *)b.data, "told");
	zinc_blob_fini(&b);
	zinc_store_close(s);
	CHECK(here.closed == 1);
	settings[0].name = "only.unknown";
	GIVES(ZINC_E_INVALID, zinc_store_open(&s, "only://x", &options, &err));
	/* the same without a URL */
	OK(zinc_store_wrap(&s, NULL, &only_ops, &here, "only://wrapped", &err));
	OK(zinc_store_get_all(s, "only", &b, NULL, 0, NULL, &err));
	GIVES(ZINC_E_READONLY, zinc_store_put(s, NULL, "only", "x", 1, NULL, 0, NULL, NULL, &err));
	zinc_blob_fini(&b);
	zinc_store_close(s);
	CHECK(here.closed == 2);
}

/* ---- wrappers ---- */

static void
count_line(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	(void)operation, (void)key, (void)nbytes, (void)st;
	__atomic_add_fetch((int *)arg, 1, __ATOMIC_RELAXED); /* from any thread */
}

static void
around(void)
{
	zinc_store_cache_options options = ZINC_STORE_CACHE_OPTIONS_INIT;
	zinc_store_counts counts = ZINC_STORE_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *m = NULL, *log = NULL, *ro = NULL, *kept = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	int lines = 0;

	OK(zinc_store_open(&m, "memory://around", NULL, &err));
	OK(zinc_store_log(&log, m, count_line, &lines, &err));
	OK(zinc_store_readonly(&ro, log, &err));
	OK(zinc_store_put(log, NULL, "a", "123", 3, NULL, 0, NULL, NULL, &err));
	GIVES(ZINC_E_READONLY, zinc_store_put(ro, NULL, "a", "4", 1, NULL, 0, NULL, NULL, &err));
	OK(zinc_store_get_all(ro, "a", &b, NULL, 0, NULL, &err));
	zinc_store_log_counts(log, &counts);
	CHECK(counts.put_bytes == 3 && counts.get_bytes == 3 && lines >= 2);
	zinc_blob_fini(&b);
	options.dir = "";
	options.age = 1000;
	OK(zinc_store_cache(&kept, log, &options, &err));
	for (lines = 0; counts.get_bytes < 9; counts.get_bytes += 3) {
		OK(zinc_store_get_all(kept, "a", &b, NULL, 0, NULL, &err));
		CHECK(b.nbytes == 3 && lines == 1);
		zinc_blob_fini(&b);
	}
	zinc_store_close(kept);
	zinc_store_close(ro);
	zinc_store_close(log);
	zinc_store_close(m);
}

static void
sharded(void)
{
	static const uint64_t per_shard[] = {2, 2};
	zinc_sharded_options options = ZINC_SHARDED_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *m = NULL, *s = NULL;
	zinc_blob b = ZINC_BLOB_INIT;

	options.ndim = 2;
	options.chunks_per_shard = per_shard;
	OK(zinc_store_open(&m, "memory://sharded", NULL, &err));
	OK(zinc_store_sharded(&s, m, &options, &err));
	OK(zinc_store_put(s, NULL, "c/3/1", "abc", 3, NULL, 0, NULL, NULL, &err));
	OK(zinc_store_get_all(s, "c/3/1", &b, NULL, 0, NULL, &err));
	TEXT_IS((const char *)b.data, "abc");
	zinc_blob_fini(&b);
	OK(zinc_store_get_all(m, "c/1/0", &b, NULL, 0, NULL, &err)); /* its shard */
	CHECK(b.nbytes > 3);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	zinc_store_close(m);
}

void
call_wrappers(void)
{
	own_store();
	around();
	sharded();
}
