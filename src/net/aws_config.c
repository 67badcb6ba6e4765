/*
 * aws_config.c - the files of profiles: ~/.aws/config and ~/.aws/credentials
 *
 *     [profile lab]                  [lab]  in the file of credentials
 *     region = eu-central-1          aws_access_key_id = AKIA...
 *     services = here
 *     [services here]
 *     s3 =
 *       endpoint_url = http://localhost:9000
 *
 * Promises (tests/unit/test_aws_config.c names each by its number):
 *
 * (1) A line that is neither blank, comment, section, setting nor the continuation of one is E_INVALID, with the name of
 *     the file and the line number.
 * (2) No error shows any part of a line: it may be a secret.
 * (3) The file of credentials wins over the other, [profile default] over [default], and the later of two lines.
 * (4) All that is read is in the pool of secrets.
 * (5) A line that is indented more than the setting before it continues that setting; if that has no value, it is a
 *     setting of its own: "s3.endpoint_url".
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "net/aws_inside.h"

#define MAX_SETTINGS 20000

typedef struct piece {
	const char *p;
	size_t n;
} piece;

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static piece
trim(piece a)
{
	while (a.n && is_blank(a.p[0]))
		a = (piece){a.p + 1, a.n - 1};
	while (a.n && is_blank(a.p[a.n - 1]))
		a.n--;
	return a;
}

static bool
is(piece a, const char *text)
{
	return a.n == strlen(text) && memcmp(a.p, text, a.n) == 0;
}

/* ---- lines ---- */

typedef struct reading {
	zinc_aws_profiles *out;
	zinc_secret *pool;
	bool credentials;
	int line;
	int settings;
	bool inside; /* a section has begun */
	zinc_aws_kind kind;
	const char *section;
	int rank;
	zinc_aws_setting *last; /* the setting that an indented line continues; NULL: none */
	size_t indent;          /* of its line */
} reading;

static zinc_status
bad_line(const reading *r, const char *what, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_INVALID, "line %d: %s", r->line, what);
}

static zinc_status
add(reading *r, const char *name, const char *value, zinc_error *err)
{
	zinc_aws_setting *s;

	if (++r->settings > MAX_SETTINGS)
		return bad_line(r, "too many settings", err);
	s = (zinc_aws_setting *)zinc_secret_alloc(r->pool, sizeof *s);
	if (!s)
		return zinc_fail_nomem(err);
	*s = (zinc_aws_setting){r->kind, r->section, name, value, r->rank, r->out->first};
	r->out->first = s;
	return ZINC_OK;
}

/* The first word of a section's name says what it is; what follows is the name, perhaps in quotes. */
static piece
section_kind(reading *r, piece name)
{
	static const struct {
		const char *word;
		zinc_aws_kind kind;
	} words[] = {
	    {"profile", ZINC_AWS_PROFILE}, {"sso-session", ZINC_AWS_SSO_SESSION}, {"services", ZINC_AWS_SERVICES}};
	const bool known = r->credentials || is(name, "default");
	size_t i, n;

	r->kind = known ? ZINC_AWS_PROFILE : ZINC_AWS_OTHER;
	r->rank = r->credentials ? 2 : 0;
	for (i = 0; i < sizeof words / sizeof words[0] && !known; i++) {
		n = strlen(words[i].word);
		if (name.n > n && memcmp(name.p, words[i].word, n) == 0 && is_blank(name.p[n])) {
			r->kind = words[i].kind;
			r->rank = 1;
			name = trim((piece){name.p + n, name.n - n});
		}
	}
	if (name.n > 1 && (name.p[0] == '"' || name.p[0] == '\'') && name.p[name.n - 1] == name.p[0])
		name = (piece){name.p + 1, name.n - 2};
	return name;
}

/* [name], perhaps with a comment behind it. */
static zinc_status
begin_section(reading *r, piece line, zinc_error *err)
{
	const char *close = (const char *)memchr(line.p, ']', line.n);
	piece name, rest;

	if (!close)
		return bad_line(r, "a section is written [name]", err);
	rest = trim((piece){close + 1, line.n - (size_t)(close - line.p) - 1});
	name = trim((piece){line.p + 1, (size_t)(close - line.p) - 1});
	if (name.n == 0 || (rest.n && rest.p[0] != '#' && rest.p[0] != ';'))
		return bad_line(r, "a section is written [name]", err);
	name = section_kind(r, name);
	r->section = zinc_secret_text(r->pool, name.p, name.n);
	r->inside = true;
	r->last = NULL;
	return r->section ? add(r, NULL, NULL, err) : zinc_fail_nomem(err);
}

static bool
is_name(piece a)
{
	size_t i;

	for (i = 0; i < a.n; i++)
		if (!isalnum((unsigned char)a.p[i]) && !strchr("_-.:/%@+", a.p[i]))
			return false;
	return a.n != 0;
}

/* "name = value" as lower-case name, behind `parent` and a dot, and value.  False: it is none. */
static bool
split(reading *r, piece line, const char *parent, char **name, char **value)
{
	const char *equals = (const char *)memchr(line.p, '=', line.n);
	const size_t before = parent ? strlen(parent) + 1 : 0;
	piece a, b;
	size_t i;

	*name = *value = NULL;
	if (!equals)
		return false;
	a = trim((piece){line.p, (size_t)(equals - line.p)});
	b = trim((piece){equals + 1, line.n - (size_t)(equals - line.p) - 1});
	if (!is_name(a))
		return false;
	*name = (char *)zinc_secret_alloc(r->pool, before + a.n + 1);
	*value = zinc_secret_text(r->pool, b.p, b.n);
	if (!*name || !*value)
		return true;
	if (parent)
		snprintf(*name, before + 1, "%s.", parent);
	for (i = 0; i < a.n; i++)
		(*name)[before + i] = (char)tolower((unsigned char)a.p[i]);
	(*name)[before + a.n] = '\0';
	return true;
}

static zinc_status
take_setting(reading *r, piece line, const char *parent, zinc_error *err)
{
	char *name, *value;

	if (!split(r, line, parent, &name, &value))
		return bad_line(r, "expected \"name = value\", [section] or a comment (#)", err);
	if (!name || !value)
		return zinc_fail_nomem(err);
	if (!r->inside)
		return bad_line(r, "a setting before the first [section]", err);
	return add(r, name, value, err);
}

/* More of the setting before it. */
static zinc_status
continue_setting(reading *r, piece line, zinc_error *err)
{
	const size_t n = strlen(r->last->value);
	char *value;

	if (n == 0)
		return take_setting(r, line, r->last->name, err);
	value = (char *)zinc_secret_alloc(r->pool, n + line.n + 2);
	if (!value)
		return zinc_fail_nomem(err);
	snprintf(value, n + line.n + 2, "%s\n%.*s", r->last->value, (int)line.n, line.p);
	r->last->value = value;
	return ZINC_OK;
}

static bool
is_printable(piece a)
{
	size_t i;

	for (i = 0; i < a.n; i++)
		if (((unsigned char)a.p[i] < ' ' && !is_blank(a.p[i])) || a.p[i] == 0x7f)
			return false;
	return zinc_utf8_valid(a.p, a.n);
}

static zinc_status
take_line(reading *r, piece whole, zinc_error *err)
{
	const piece line = trim(whole);
	const size_t indent = line.n ? (size_t)(line.p - whole.p) : 0;

	r->line++;
	if (!is_printable(whole))
		return bad_line(r, "the line has control characters or is not UTF-8", err);
	if (line.n == 0 || line.p[0] == '#' || line.p[0] == ';')
		return ZINC_OK;
	if (r->last && indent > r->indent)
		return continue_setting(r, line, err);
	if (line.p[0] == '[')
		return begin_section(r, line, err);
	ZINC_TRY(take_setting(r, line, NULL, err));
	r->last = r->out->first;
	r->indent = indent;
	return ZINC_OK;
}

zinc_status
zinc_aws_profiles_parse(zinc_aws_profiles *p, zinc_secret *pool, const char *text, size_t n, bool credentials,
			zinc_error *err)
{
	reading r = {.out = p, .pool = pool, .credentials = credentials};
	const char *end;
	size_t length;

	if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		n -= 3;
	}
	for (; n; text += length, n -= length) {
		end = (const char *)memchr(text, '\n', n);
		length = end ? (size_t)(end - text) + 1 : n;
		ZINC_TRY(take_line(&r, (piece){text, end ? length - 1 : length}, err));
	}
	return ZINC_OK;
}

/* ---- files ---- */

/* Without HOME there are no files. */
static zinc_status
read_file(zinc_aws_profiles *p, zinc_secret *pool, const char *variable, const char *usual, bool credentials,
	  zinc_error *err)
{
	const char *given = zinc_env(variable), *path, *text;
	zinc_error e = ZINC_ERROR_INIT;
	size_t n;

	if (!given && !zinc_env("HOME"))
		return ZINC_OK;
	path = zinc_secret_path(pool, given ? given : usual);
	if (!path)
		return zinc_env("HOME") ? zinc_fail_nomem(err) : ZINC_OK;
	ZINC_TRY(zinc_secret_file(pool, path, ZINC_AWS_MAX_FILE, "the file of profiles", true, &text, &n, err));
	if (zinc_aws_profiles_parse(p, pool, text, n, credentials, &e) == ZINC_OK)
		return ZINC_OK;
	return e.code == ZINC_E_NOMEM ? zinc_fail_nomem(err) : zinc_fail(err, e.code, "%s, %s", path, e.text);
}

zinc_status
zinc_aws_profiles_read(zinc_aws_profiles *p, zinc_secret *pool, zinc_error *err)
{
	p->first = NULL;
	ZINC_TRY(read_file(p, pool, "AWS_CONFIG_FILE", "~/.aws/config", false, err));
	return read_file(p, pool, "AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials", true, err);
}

/* ---- settings ---- */

/* Of several, the one of highest rank; of these the latest, which comes first in the list. */
static const zinc_aws_setting *
find(const zinc_aws_profiles *p, zinc_aws_kind kind, const char *section, const char *name)
{
	const zinc_aws_setting *s, *best = NULL;

	for (s = p->first; s; s = s->next)
		if (s->kind == kind && strcmp(s->section, section) == 0 && (name ? s->name != NULL : !s->name) &&
		    (!name || strcmp(s->name, name) == 0) && (!best || s->rank > best->rank))
			best = s;
	return best;
}

const char *
zinc_aws_profiles_get(const zinc_aws_profiles *p, zinc_aws_kind kind, const char *section, const char *name)
{
	const zinc_aws_setting *s = find(p, kind, section, name);

	return s && s->value[0] ? s->value : NULL;
}

bool
zinc_aws_profiles_has(const zinc_aws_profiles *p, zinc_aws_kind kind, const char *section)
{
	return find(p, kind, section, NULL) != NULL;
}

static bool
is_yes(const char *text)
{
	return text && strcasecmp(text, "true") == 0;
}

/* In the order of the SDKs: the variable of the service, the general one, the services section, the profile. */
const char *
zinc_aws_profiles_endpoint(const zinc_aws_profiles *p, const char *profile, const char *service)
{
	const char *value, *services = zinc_aws_profiles_get(p, ZINC_AWS_PROFILE, profile, "services");
	char name[64];
	size_t i;

	if (is_yes(zinc_env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")) ||
	    is_yes(zinc_aws_profiles_get(p, ZINC_AWS_PROFILE, profile, "ignore_configured_endpoint_urls")))
		return NULL;
	snprintf(name, sizeof name, "AWS_ENDPOINT_URL_%s", service);
	for (i = 0; name[i]; i++)
		name[i] = (char)toupper((unsigned char)name[i]);
	value = zinc_env(name);
	if (!value)
		value = zinc_env("AWS_ENDPOINT_URL");
	snprintf(name, sizeof name, "%s.endpoint_url", service);
	if (!value && services)
		value = zinc_aws_profiles_get(p, ZINC_AWS_SERVICES, services, name);
	return value ? value : zinc_aws_profiles_get(p, ZINC_AWS_PROFILE, profile, "endpoint_url");
}
