/*
 * test_store_setting.c - settings of stores, by the promises of store_setting.c
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "store/store_setting.h"
#include "support/files.h"
#include "support/sweep.h"
#include "support/test.h"

static const zinc_setting_row rows[] = {
    {.name = "timeout", .type = ZINC_SETTING_SECONDS, .preset = "30"},
    {.name = "tries", .type = ZINC_SETTING_COUNT},
    {.name = "write", .type = ZINC_SETTING_YES, .preset = "no"},
    {.name = "place", .env = "ELSEWHERE"},
    {.name = "key", .secret = 1},
    {.name = "pin", .type = ZINC_SETTING_COUNT, .secret = 1},
    {.name = "header.*", .secret = 1},
    {.name = NULL},
};
static const zinc_store_ops kind = {.size = sizeof kind, .name = "kind", .settings = rows};
static const zinc_store_ops guest = {.size = sizeof guest, .name = "kind", .settings = rows, .foreign_query = 1};

static zinc_status
gather(zinc_settings *out, const zinc_store_ops *ops, const zinc_setting *given, size_t n, const char *query,
       char *foreign, zinc_error *err)
{
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_buf rest;
	zinc_status st;

	o.context = zinc_context_get(NULL);
	o.settings = given;
	o.nsettings = n;
	zinc_buf_init(&rest, o.context, 1000);
	st = zinc_settings_gather(out, ops, &o, query, &rest, err);
	if (foreign)
		snprintf(foreign, 100, "%s", zinc_buf_text(&rest));
	zinc_buf_fini(&rest);
	return st;
}

/* The value of a setting from all sources, in static memory. */
static const char *
value(const char *name, const zinc_setting *given, size_t n, const char *query)
{
	static char text[100];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_settings s;

	assert_ok(gather(&s, &kind, given, n, query, NULL, &err));
	o.settings = s.all;
	o.nsettings = s.n;
	snprintf(text, sizeof text, "%s", zinc_setting_text(&o, name) ? zinc_setting_text(&o, name) : "(none)");
	zinc_settings_fini(&s);
	return text;
}

static void
refuse(const zinc_setting *given, size_t n, const char *query, const char *says)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_settings s;

	assert_int_equal(gather(&s, &kind, given, n, query, NULL, &err), ZINC_E_INVALID);
	if (!strstr(err.text, says))
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
	assert_null(strstr(err.text, "hush"));
	zinc_settings_fini(&s);
	zinc_settings_fini(&s); /* harmless */
}

static void
write_profiles(const char *text)
{
	write_file("profiles", text);
	assert_int_equal(chmod("profiles", 0600), 0);
	setenv("ZINC_PROFILES", "profiles", 1);
}

/* ---- promise 1: order ---- */

static void
the_first_source_decides(void **state)
{
	static const zinc_setting given[] = {{"kind.timeout", "1"}};

	(void)state;
	write_profiles("[lab]\nkind.timeout = 4\nhttp.timeout = 9\nkind.place = here\n");
	assert_string_equal(value("timeout", NULL, 0, NULL), "30");
	assert_string_equal(value("timeout", NULL, 0, "profile=lab"), "4");
	assert_string_equal(value("place", NULL, 0, "profile=lab"), "here");
	setenv("ZINC_KIND_TIMEOUT", "3", 1);
	setenv("ZINC_PROFILE", "lab", 1);
	setenv("ELSEWHERE", "there", 1);
	assert_string_equal(value("timeout", NULL, 0, NULL), "3");
	assert_string_equal(value("place", NULL, 0, NULL), "there");
	setenv("ZINC_KIND_PLACE", "nearer", 1);
	assert_string_equal(value("place", NULL, 0, NULL), "nearer");
	assert_string_equal(value("timeout", NULL, 0, "timeout=2"), "2");
	assert_string_equal(value("timeout", given, 1, "kind.timeout=2"), "1");
	setenv("ZINC_KIND_TIMEOUT", "", 1);
	assert_string_equal(value("timeout", NULL, 0, NULL), "4");
	unsetenv("ZINC_PROFILE");
	unsetenv("ZINC_KIND_PLACE");
	unsetenv("ELSEWHERE");
	assert_string_equal(value("tries", NULL, 0, NULL), "(none)");
	refuse(NULL, 0, "timeout=1&kind.timeout=2", "twice in the URL");
}

/* ---- promise 2: names ---- */

static void
unknown_names_are_told(void **state)
{
	static const zinc_setting others[] = {{"fs.x", "1"}, {"http.timeout", "1"}, {"header.X-A", "b"}},
				  typo[] = {{"kind.timout", "1"}}, nobody[] = {{"knd.timeout", "1"}},
				  none[] = {{"", "1"}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_settings s;

	(void)state;
	assert_string_equal(value("header.X-A", others, 3, NULL), "b");
	refuse(typo, 1, NULL, "did you mean \"kind.timeout\"?");
	refuse(NULL, 0, "tres=1", "did you mean \"kind.tries\"?");
	refuse(NULL, 0, "time=1", "did you mean \"kind.timeout\"?");
	refuse(NULL, 0, "my_place=1", "did you mean \"kind.place\"?");
	refuse(NULL, 0, "timepinut=1", "did you mean \"kind.timeout\"?"); /* though it has "pin" in it */
	refuse(NULL, 0, "PLACE=1", "did you mean \"kind.place\"?");
	refuse(NULL, 0, "application=1", "zinc stores --long lists those of the store kind");
	refuse(nobody, 1, NULL, "knd.timeout");
	refuse(none, 1, NULL, "no name");
	refuse(NULL, 0, "hush", "name=value");
	refuse(NULL, 0, "header.=1", "unknown setting");
	write_profiles("[lab]\nkind.timout = 4\n");
	refuse(NULL, 0, "profile=lab", "line 2 of the profiles");
	write_profiles("[lab]\ntimeout = 4\n");
	refuse(NULL, 0, "profile=lab", "store in front");
	refuse(NULL, 0, "profile=none", "[none]");
	assert_int_equal(gather(&s, &zinc_store_ops_fs, typo, 1, NULL, NULL, &err), ZINC_E_INVALID);
	zinc_settings_fini(&s);
	assert_ok(gather(&s, &zinc_store_ops_fs, others + 1, 1, NULL, NULL, &err));
	zinc_settings_fini(&s);
}

/* ---- promise 3: values ---- */

static void
values_are_checked_and_secrets_kept(void **state)
{
	static const char *const bad[] = {
	    "timeout=",  "timeout=x",        "timeout=-1", "timeout=1.", "timeout=.5",  "timeout=1e3",
	    "tries=1.5", "tries=9999999999", "tries=",     "write=true", "write=YES",   "place=a%0Ab",
	    "place=%7F", "place=%zz",        "place=%00",  "pin=hush",   "key=hush%01", "header.X=hush%0D%0A"};
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_settings s;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		refuse(NULL, 0, bad[i], "");
	refuse(NULL, 0, "timeout=x", "must be a number of seconds, not \"x\"");
	setenv("ZINC_KIND_PIN", "hush", 1);
	refuse(NULL, 0, NULL, "the environment");
	unsetenv("ZINC_KIND_PIN");
	assert_ok(gather(&s, &kind, NULL, 0, "timeout=0.25&tries=7&write=yes&place=a%26b%20/c", NULL, &err));
	o.settings = s.all;
	o.nsettings = s.n;
	assert_true(zinc_setting_number(&o, "timeout") == 0.25);
	assert_true(zinc_setting_number(&o, "tries") == 7);
	assert_true(zinc_setting_number(&o, "none") == 0);
	assert_int_equal(zinc_setting_yes(&o, "write"), 1);
	assert_int_equal(zinc_setting_yes(&o, "none"), 0);
	assert_string_equal(zinc_setting_text(&o, "place"), "a&b /c");
	zinc_settings_fini(&s);
}

/* ---- promise 4: queries of a server ---- */

static void
a_server_gets_the_rest(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_settings s;
	char rest[100];

	(void)state;
	assert_ok(
	    gather(&s, &guest, NULL, 0, "X-Sig=a%2Fb&timeout=2&flag&%74imeout=3&&kind.tries=1&timeouts=4", rest, &err));
	assert_string_equal(rest, "X-Sig=a%2Fb&flag&%74imeout=3&&timeouts=4");
	assert_string_equal(s.all[0].name, "timeout");
	assert_string_equal(s.all[0].value, "2");
	assert_string_equal(s.all[1].name, "tries");
	zinc_settings_fini(&s);
}

/* ---- promise 6: what a URL has named ---- */

static void
stores_know_what_a_url_says(void **state)
{
	static const zinc_setting_row more[] = {{.name = "endpoint"}, {.name = "token", .secret = 1}, {.name = NULL}};
	static const zinc_store_ops far = {.size = sizeof far, .name = "far", .settings = more};
	static const zinc_setting given[] = {{"token", "t"}}, lie[] = {{ZINC_SETTING_OF_URL, "endpoint,"}};
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_settings s;

	(void)state;
	assert_ok(gather(&s, &far, given, 1, "far.endpoint=h&token=u", NULL, &err));
	o.settings = s.all;
	o.nsettings = s.n;
	assert_string_equal(zinc_setting_text(&o, ZINC_SETTING_OF_URL),
			    "endpoint,"); /* the option counts, not the URL */
	zinc_settings_fini(&s);
	assert_ok(gather(&s, &kind, NULL, 0, "timeout=1", NULL, &err));
	assert_int_equal(s.n, 2);
	zinc_settings_fini(&s);
	assert_int_equal(gather(&s, &far, lie, 1, NULL, NULL, &err), ZINC_E_INVALID);
	zinc_settings_fini(&s);
}

static zinc_status
gather_all(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const zinc_setting given[] = {{"kind.tries", "1"}};
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_settings s;
	zinc_status st;
	zinc_buf rest;

	(void)arg;
	o.context = ctx;
	o.settings = given;
	o.nsettings = 1;
	zinc_buf_init(&rest, ctx, 1000);
	st = zinc_settings_gather(
	    &s, &guest, &o, "a=b&timeout=1&c=d&profile=lab&place=x&key=k&header.a=1&header.b=2&pin=1", &rest, err);
	zinc_settings_fini(&s);
	zinc_buf_fini(&rest);
	return st;
}

static void
every_failing_allocation(void **state)
{
	(void)state;
	write_profiles("[lab]\nkind.write = yes\n");
	assert_true(sweep_alloc(gather_all, NULL) > 20);
}

/* ---- (5): an allocator that checks freed memory ---- */

#define FRONT _Alignof(max_align_t)
static unsigned long given_back, unwiped;

static void
look_into(const void *p)
{
	size_t nbytes;

	if (!p)
		return;
	memcpy(&nbytes, (const uint8_t *)p - FRONT, sizeof nbytes);
	given_back++;
	unwiped += memmem(p, nbytes, "hush", 4) != NULL;
}

static void *
looking_alloc(void *ctx, size_t nbytes)
{
	uint8_t *block = calloc(1, nbytes + FRONT);

	(void)ctx;
	assert_non_null(block);
	memcpy(block, &nbytes, sizeof nbytes);
	return block + FRONT;
}

static void
looking_free(void *ctx, void *p)
{
	(void)ctx;
	look_into(p);
	free(p ? (uint8_t *)p - FRONT : NULL);
}

/* Always moves, so that the old block is checked. */
static void *
looking_realloc(void *ctx, void *p, size_t nbytes)
{
	uint8_t *q = looking_alloc(ctx, nbytes);
	size_t old = 0;

	if (p)
		memcpy(&old, (uint8_t *)p - FRONT, sizeof old);
	if (p)
		memcpy(q, p, old < nbytes ? old : nbytes);
	looking_free(ctx, p);
	return q;
}

static zinc_status
open_told(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	(void)rest, (void)err;
	assert_string_equal(zinc_setting_text(options, "key"), "hush, hush");
	*self = NULL;
	return ZINC_OK;
}

static void
close_told(void *self)
{
	(void)self;
}

static void
caps_told(void *self, zinc_caps *out)
{
	(void)self, (void)out;
}

static zinc_status
get_nothing(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	    zinc_error *err)
{
	(void)self, (void)requests, (void)n, (void)sink, (void)wait;
	return zinc_fail(err, ZINC_E_IO, "nothing");
}

static void
values_are_overwritten(void **state)
{
	static const zinc_store_ops told = {.size = sizeof told,
					    .name = "kind",
					    .schemes = "kind",
					    .settings = rows,
					    .foreign_query = 1,
					    .open = open_told,
					    .close = close_told,
					    .caps = caps_told,
					    .get = get_nothing};
	static const char *const urls[] = {"kind://host/a/b?key=hush%2c%20hush",
					   "kind://h?X-Sig=hush&key=hush,%20hush&a=b"};
	static const zinc_setting given[] = {{"key", "hush, hush"}};
	const zinc_allocator looking = {sizeof looking, looking_alloc, looking_realloc, looking_free, NULL};
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_store *s = NULL;
	size_t i;

	(void)state;
	assert_ok(zinc_context_new(&o.context, ZINC_CONTEXT_OPTIONS(.allocator = &looking, .threads = 1), &err));
	assert_ok(zinc_store_register(&told, &err));
	for (i = 0; i < COUNT(urls); i++) {
		assert_ok(zinc_store_open(&s, urls[i], &o, &err));
		zinc_store_close(s);
		assert_int_not_equal(
		    zinc_hierarchy_open_url(&h, urls[i], ZINC_OPEN_OPTIONS(.context = o.context), &err), ZINC_OK);
	}
	o.settings = given;
	o.nsettings = 1;
	assert_ok(zinc_store_open(&s, "kind://host/a", &o, &err));
	zinc_store_close(s);
	zinc_context_free(o.context);
	assert_true(given_back > 30);
	assert_int_equal(unwiped, 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_first_source_decides),
	    cmocka_unit_test(unknown_names_are_told),
	    cmocka_unit_test(values_are_checked_and_secrets_kept),
	    cmocka_unit_test(a_server_gets_the_rest),
	    cmocka_unit_test(stores_know_what_a_url_says),
	    cmocka_unit_test(every_failing_allocation),
	    cmocka_unit_test(values_are_overwritten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
