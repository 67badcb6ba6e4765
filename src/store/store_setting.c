/*
 * store_setting.c - the settings of a store, collected from all sources
 *
 *     options  >  URL  >  environment  >  profile  >  preset of the store's row
 *
 *     "http.timeout" or "timeout"   ?timeout=5   ZINC_HTTP_TIMEOUT   http.timeout = 5
 *
 * Promises (tests/unit/test_store_setting.c names each by its number):
 *
 * (1) The first source that has a value decides; a source that gives it twice is E_INVALID.
 * (2) An unknown name is E_INVALID, and the error suggests the most similar known name, if there is one.  The full name
 *     of another store's setting is ignored, so that one list can serve several stores.
 * (3) A value that is not of its row's type is E_INVALID.  The value of a secret appears in no error.
 * (4) If the server uses the query of a URL itself, the store takes only the settings that its rows know, by names
 *     without escapes; the rest of the query stays as it was.
 * (5) Memory that held a value is overwritten before it is freed.
 * (6) A store with an endpoint is told which settings the URL has, and nobody else can say so.
 */
#include <ctype.h>
#include <stdio.h>

#include "store/store_setting.h"

#define MAX_NAME  128 /* bytes of a name, including its store */
#define MAX_VALUE (64 * ZINC_KIB)

/* Every store has this setting. */
static const zinc_setting_row profile_row = {.name = "profile", .purpose = "section of the file of profiles"};

/* The settings collected so far. */
typedef struct gathering {
	zinc_settings *out;
	const zinc_store_ops *ops;
	const char *source; /* "the URL" */
	size_t before;      /* settings from earlier sources */
} gathering;

/* ---- rows ---- */

static bool
matches(const char *pattern, const char *name)
{
	const size_t n = strlen(pattern);

	if (n && pattern[n - 1] == '*')
		return strncmp(pattern, name, n - 1) == 0 && name[n - 1] != '\0';
	return strcmp(pattern, name) == 0;
}

/* The name without the store's prefix. */
static const char *
own_name(const zinc_store_ops *ops, const char *name)
{
	const size_t n = ops->name ? strlen(ops->name) : 0;

	return n && strncmp(name, ops->name, n) == 0 && name[n] == '.' ? name + n + 1 : name;
}

/* NULL: the store has no such setting. */
static const zinc_setting_row *
find_row(const zinc_store_ops *ops, const char *name)
{
	const zinc_setting_row *row;
	const char *own = own_name(ops, name);

	for (row = ops->settings; row && row->name; row++)
		if (matches(row->name, own))
			return row;
	return strcmp(name, profile_row.name) == 0 ? &profile_row : NULL;
}

bool
zinc_setting_is_place(const zinc_store_ops *ops, const char *name)
{
	const zinc_setting_row *row = find_row(ops, name);

	return row && row->place;
}

/* ---- unknown names ---- */

/* The number of letters to insert, drop or replace; names longer than MAX_NAME match nothing. */
static size_t
distance(const char *a, const char *b)
{
	const size_t n = strlen(b);
	size_t row[MAX_NAME + 1], i, j, diagonal, above;

	if (n > MAX_NAME)
		return SIZE_MAX;
	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 1; a[i - 1]; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= n; j++) {
			above = row[j];
			row[j] = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
			if (above + 1 < row[j])
				row[j] = above + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diagonal = above;
		}
	}
	return row[n];
}

/* A typing error first ("account_kye"), then a name of which the other is a part ("key", "account_key"); one that has little
 * in common is none to suggest. */
static size_t
unlikeness(const char *given, const char *name)
{
	const size_t d = distance(given, name), n = strlen(given);

	if (d <= 1 + n / 4)
		return d;
	return n >= 3 && (strstr(name, given) || strstr(given, name)) ? SIZE_MAX - 1 : SIZE_MAX;
}

static zinc_status
unknown_name(const gathering *g, const char *name, zinc_error *err)
{
	const zinc_setting_row *row, *nearest = NULL;
	const char *own = own_name(g->ops, name), *store = g->ops->name ? g->ops->name : "";
	size_t best = SIZE_MAX, d;

	for (row = g->ops->settings; row && row->name; row++) {
		d = unlikeness(own, row->name);
		if (d < best) {
			best = d;
			nearest = row;
		}
	}
	if (!g->ops->settings || !g->ops->settings->name)
		return zinc_fail(err, ZINC_E_INVALID, "\"%.*s\" in %s: the store %s has no settings", MAX_NAME, name,
				 g->source, store);
	if (!nearest)
		return zinc_fail(err, ZINC_E_INVALID,
				 "unknown setting \"%.*s\" in %s: zinc stores --long lists those of the store %s",
				 MAX_NAME, name, g->source, store);
	return zinc_fail(err, ZINC_E_INVALID, "unknown setting \"%.*s\" in %s: did you mean \"%s.%s\"?", MAX_NAME, name,
			 g->source, store, nearest->name);
}

/* For example "s3.region" for a store that is not s3. */
static bool
is_for_another_store(const zinc_store_ops *ops, const char *name)
{
	const size_t n = strcspn(name, ".");

	return name[n] == '.' && !(ops->name && strlen(ops->name) == n && memcmp(ops->name, name, n) == 0) &&
	       zinc_store_is_name(name, n);
}

/* ---- values ---- */

static bool
is_text(const char *value)
{
	for (; *value; value++)
		if ((unsigned char)*value < ' ' || *value == 0x7f)
			return false;
	return true;
}

/* At most nine digits, and for seconds up to nine more after the point. */
static bool
is_number(const char *value, bool fraction)
{
	size_t n = strspn(value, "0123456789"), m;

	if (n == 0 || n > 9)
		return false;
	if (!fraction || value[n] == '\0')
		return value[n] == '\0';
	m = value[n] == '.' ? strspn(value + n + 1, "0123456789") : 0;
	return m > 0 && m <= 9 && value[n + 1 + m] == '\0';
}

/* What is wrong with it; NULL: nothing. */
static const char *
value_error(zinc_setting_type type, const char *value)
{
	switch (type) {
	case ZINC_SETTING_YES:
		return strcmp(value, "yes") && strcmp(value, "no") ? "must be yes or no" : NULL;
	case ZINC_SETTING_COUNT:
		return is_number(value, false) ? NULL : "must be a number, 0 or more";
	case ZINC_SETTING_SECONDS:
		return is_number(value, true) ? NULL : "must be a number of seconds";
	case ZINC_SETTING_TEXT:
	default:
		return is_text(value) ? NULL : "must be text without control characters";
	}
}

static zinc_status
check_value(const gathering *g, const zinc_setting_row *row, const char *name, const char *value, zinc_error *err)
{
	const char *why = strlen(value) > MAX_VALUE ? "is too long" : value_error(row->type, value);

	if (!why)
		return ZINC_OK;
	if (row->secret || row->type == ZINC_SETTING_TEXT)
		return zinc_fail(err, ZINC_E_INVALID, "\"%.*s\" in %s %s", MAX_NAME, name, g->source, why);
	return zinc_fail(err, ZINC_E_INVALID, "\"%.*s\" in %s %s, not \"%.40s\"", MAX_NAME, name, g->source, why,
			 value);
}

static zinc_status
append(zinc_settings *s, const char *name, const char *value, zinc_error *err)
{
	size_t room = s->room ? 2 * s->room : 8;
	zinc_setting *all = s->all;

	if (s->n == s->room) {
		all = (zinc_setting *)zinc_realloc(s->ctx, s->all, room * sizeof *all);
		if (!all)
			return zinc_fail_nomem(err);
		s->all = all;
		s->room = room;
	}
	all[s->n].name = zinc_strdup(s->ctx, name);
	all[s->n].value = zinc_strdup(s->ctx, value);
	s->n++;
	return all[s->n - 1].name && all[s->n - 1].value ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
take(gathering *g, const char *name, const char *value, zinc_error *err)
{
	const zinc_setting_row *row = find_row(g->ops, name);
	const char *own = row == &profile_row ? name : own_name(g->ops, name);
	size_t i;

	if (!row)
		return is_for_another_store(g->ops, name) ? ZINC_OK : unknown_name(g, name, err);
	ZINC_TRY(check_value(g, row, name, value, err));
	for (i = 0; i < g->out->n; i++)
		if (strcmp(g->out->all[i].name, own) == 0)
			return i < g->before ? ZINC_OK
					     : zinc_fail(err, ZINC_E_INVALID, "\"%.*s\" occurs twice in %s", MAX_NAME,
							 name, g->source);
	return append(g->out, own, value, err);
}

/* ---- sources ---- */

static void
begin_source(gathering *g, const char *source)
{
	g->source = source;
	g->before = g->out->n;
}

static zinc_status
from_options(gathering *g, const zinc_store_options *o, zinc_error *err)
{
	size_t i;

	begin_source(g, "the options");
	if (o->nsettings > 0 && !o->settings)
		return zinc_fail(err, ZINC_E_INVALID, "the options have nsettings, but no settings");
	for (i = 0; i < o->nsettings; i++) {
		const zinc_setting *s = &o->settings[i];

		if (!s->name || !s->name[0] || !s->value)
			return zinc_fail(err, ZINC_E_INVALID, "setting %zu of the options has no name or no value", i);
		ZINC_TRY(take(g, s->name, s->value, err));
	}
	return ZINC_OK;
}

/* One "name=value" of a query. */
static zinc_status
take_query_item(gathering *g, const char *item, size_t n, zinc_buf *foreign, zinc_error *err)
{
	const char *equals = (const char *)memchr(item, '=', n);
	const size_t nname = equals ? (size_t)(equals - item) : 0;
	char name[MAX_NAME + 1] = "";
	zinc_status st;
	zinc_buf value;

	if (nname <= MAX_NAME)
		memcpy(name, item, nname);
	if (g->ops->foreign_query && !(equals && find_row(g->ops, name))) {
		if (foreign->n)
			ZINC_TRY(zinc_buf_add(foreign, "&", 1, err));
		return zinc_buf_add(foreign, item, n, err);
	}
	if (!name[0])
		return zinc_fail(err, ZINC_E_INVALID, "after '?' a URL has settings: name=value&name=value");
	zinc_buf_init(&value, g->out->ctx, MAX_VALUE + 1);
	st = zinc_buf_reserve(&value, n - nname - 1, err);
	if (st == ZINC_OK)
		st = zinc_url_unescape(&value, equals + 1, n - nname - 1, false, err);
	if (st == ZINC_OK && !zinc_buf_text(&value))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = take(g, name, (const char *)value.p, err);
	zinc_buf_wipe(&value);
	return st;
}

static zinc_status
tell_names(gathering *g, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	zinc_buf names;
	size_t i;

	if (g->out->n == g->before || !find_row(g->ops, "endpoint"))
		return ZINC_OK;
	zinc_buf_init(&names, g->out->ctx, MAX_VALUE);
	for (i = g->before; i < g->out->n && st == ZINC_OK; i++)
		st = zinc_buf_printf(&names, err, "%s,", g->out->all[i].name);
	if (st == ZINC_OK && !zinc_buf_text(&names))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = append(g->out, ZINC_SETTING_OF_URL, (const char *)names.p, err);
	zinc_buf_fini(&names);
	return st;
}

static zinc_status
from_query(gathering *g, const char *query, zinc_buf *foreign, zinc_error *err)
{
	size_t n;

	begin_source(g, "the URL");
	for (; *query; query += n + (query[n] == '&')) {
		n = strcspn(query, "&");
		ZINC_TRY(take_query_item(g, query, n, foreign, err));
	}
	return tell_names(g, err);
}

/* "ZINC_HTTP_CA_FILE" */
static const char *
variable(const char *store, const char *name)
{
	char text[MAX_NAME + 16];
	size_t i;
	int n = snprintf(text, sizeof text, "ZINC_%s%s%s", store, store[0] ? "_" : "", name);

	if (n < 0 || n >= (int)sizeof text)
		return NULL;
	for (i = 0; text[i]; i++)
		text[i] = (char)(isalnum((unsigned char)text[i]) ? toupper((unsigned char)text[i]) : '_');
	return zinc_env(text);
}

static zinc_status
from_environment(gathering *g, zinc_error *err)
{
	const zinc_setting_row *row;
	const char *value;

	begin_source(g, "the environment");
	for (row = g->ops->settings; row && row->name; row++) {
		value = variable(g->ops->name, row->name);
		if (!value && row->env)
			value = zinc_env(row->env);
		if (value && !strchr(row->name, '*'))
			ZINC_TRY(take(g, row->name, value, err));
	}
	value = variable("", profile_row.name);
	return value ? take(g, profile_row.name, value, err) : ZINC_OK;
}

/* A profile has full names only. */
static zinc_status
take_profile_item(void *arg, zinc_bytes name, zinc_bytes value, int line, zinc_error *err)
{
	gathering *g = (gathering *)arg;
	char text[MAX_NAME + 1] = "", source[40];
	zinc_status st;
	char *copy;

	snprintf(source, sizeof source, "line %d of the profiles", line);
	if (name.n <= MAX_NAME)
		memcpy(text, name.p, name.n);
	if (!strchr(text, '.'))
		return zinc_fail(err, ZINC_E_INVALID,
				 "line %d of the profiles: write the store in front, \"http.timeout\"", line);
	copy = zinc_strndup(g->out->ctx, (const char *)value.p, value.n);
	if (!copy)
		return zinc_fail_nomem(err);
	g->source = source;
	st = take(g, text, copy, err);
	explicit_bzero(copy, value.n);
	zinc_free(g->out->ctx, copy);
	return st;
}

static zinc_status
from_profile(gathering *g, zinc_error *err)
{
	const zinc_store_options now = {.settings = g->out->all, .nsettings = g->out->n};
	const char *section = zinc_setting_text(&now, profile_row.name);

	begin_source(g, "the profile");
	if (!section || !g->ops->settings)
		return ZINC_OK;
	return zinc_profile_read(g->out->ctx, section, take_profile_item, g, err);
}

static zinc_status
from_presets(gathering *g, zinc_error *err)
{
	const zinc_setting_row *row;

	begin_source(g, "the store's row");
	for (row = g->ops->settings; row && row->name; row++)
		if (row->preset)
			ZINC_TRY(take(g, row->name, row->preset, err));
	return ZINC_OK;
}

zinc_status
zinc_settings_gather(zinc_settings *out, const zinc_store_ops *ops, const zinc_store_options *given, const char *query,
		     zinc_buf *foreign, zinc_error *err)
{
	gathering g = {.out = out, .ops = ops};

	memset(out, 0, sizeof *out);
	out->ctx = given->context;
	ZINC_TRY(from_options(&g, given, err));
	if (query)
		ZINC_TRY(from_query(&g, query, foreign, err));
	if (!ops->settings)
		return ZINC_OK;
	ZINC_TRY(from_environment(&g, err));
	ZINC_TRY(from_profile(&g, err));
	return from_presets(&g, err);
}

void
zinc_settings_fini(zinc_settings *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		char *value = (char *)(uintptr_t)s->all[i].value;

		if (value)
			explicit_bzero(value, strlen(value));
		zinc_free(s->ctx, value);
		zinc_free(s->ctx, (char *)(uintptr_t)s->all[i].name);
	}
	zinc_free(s->ctx, s->all);
	memset(s, 0, sizeof *s);
}

/* ---- for stores ---- */

const char *
zinc_setting_text(const zinc_store_options *options, const char *name)
{
	size_t i;

	for (i = 0; i < options->nsettings; i++)
		if (strcmp(options->settings[i].name, name) == 0)
			return options->settings[i].value;
	return NULL;
}

/* Not strtod: in a locale with a decimal comma it would read 0.5 as 0. */
double
zinc_setting_number(const zinc_store_options *options, const char *name)
{
	const char *text = zinc_setting_text(options, name);
	double value = 0, unit = 1;

	if (!text)
		return 0;
	for (; *text >= '0' && *text <= '9'; text++)
		value = value * 10 + (*text - '0');
	for (text += *text == '.'; *text >= '0' && *text <= '9'; text++) {
		unit /= 10;
		value += unit * (*text - '0');
	}
	return value;
}

int
zinc_setting_yes(const zinc_store_options *options, const char *name)
{
	const char *text = zinc_setting_text(options, name);

	return text && strcmp(text, "yes") == 0;
}
