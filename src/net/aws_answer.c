/*
 * aws_answer.c - keys in the documents of servers and programs
 *
 * Promises (tests/unit/test_aws_answer.c names each by its number):
 *
 * (1) A document gives either complete keys or E_CORRUPT: id and secret are there, and where they must be, token and
 *     time of expiry.
 * (2) Keys are printable ASCII, so that they cannot end a line of a request.
 * (3) No error shows any part of the document.
 * (4) Everything read is in the pool of secrets.
 */
#include <stdio.h>

#include "json/json.h"
#include "net/aws_inside.h"
#include "net/xml.h"

#define MAX_KEY   ((size_t)512)
#define MAX_TOKEN ((size_t)32 * 1024)

/* ---- time ---- */

/* Digits at *p, exactly n of them; -1: there are others. */
static int
digits(const char **p, int n)
{
	int value = 0;

	for (; n > 0; n--, (*p)++) {
		if (**p < '0' || **p > '9')
			return -1;
		value = value * 10 + (**p - '0');
	}
	return value;
}

static bool
skip(const char **p, const char *one_of)
{
	if (!**p || !strchr(one_of, **p))
		return false;
	(*p)++;
	return true;
}

/* Days since 1970 in the Gregorian calendar. */
static int64_t
days_of(int year, int month, int day)
{
	const int64_t y = month <= 2 ? year - 1 : year, era = y / 400, of_era = y - era * 400;
	const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "Z", "UTC", "+01:00" or "+0100". */
static bool
take_zone(const char *p, int *minutes)
{
	const int sign = p[0] == '-' ? -1 : 1;
	int hours, rest;

	*minutes = 0;
	if (strcmp(p, "Z") == 0 || strcmp(p, "z") == 0 || strcmp(p, "UTC") == 0)
		return true;
	if (!skip(&p, "+-"))
		return false;
	hours = digits(&p, 2);
	(void)skip(&p, ":");
	rest = hours < 0 ? -1 : digits(&p, 2);
	*minutes = sign * (hours * 60 + rest);
	return hours >= 0 && hours < 24 && rest >= 0 && rest < 60 && !*p;
}

/* Year, month, day, hour, minute, second. */
static bool
take_fields(const char **p, int field[6])
{
	static const int width[] = {4, 2, 2, 2, 2, 2};
	static const char *const before[] = {"", "-", "-", "Tt ", ":", ":"};
	int k;

	for (k = 0; k < 6; k++) {
		if (k && !skip(p, before[k]))
			return false;
		field[k] = digits(p, width[k]);
		if (field[k] < 0)
			return false;
	}
	return true;
}

static bool
are_valid(const int field[6])
{
	static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return field[0] >= 1970 && field[1] >= 1 && field[1] <= 12 && field[2] >= 1 && field[2] <= days[field[1] - 1] &&
	       field[3] <= 23 && field[4] <= 59 && field[5] <= 60;
}

bool
zinc_aws_time(const char *p, int64_t *seconds)
{
	int f[6], zone;

	if (!take_fields(&p, f) || !are_valid(f))
		return false;
	if (skip(&p, "."))
		while (*p >= '0' && *p <= '9')
			p++;
	if (!take_zone(p, &zone))
		return false;
	*seconds = days_of(f[0], f[1], f[2]) * 86400 + f[3] * 3600 + f[4] * 60 + f[5] - zone * 60;
	return true;
}

/* ---- keys ---- */

static bool
is_word(const char *s, size_t max)
{
	size_t n;

	for (n = 0; s[n]; n++)
		if (n == max || s[n] <= ' ' || s[n] >= 0x7f)
			return false;
	return n > 0;
}

zinc_status
zinc_aws_check_keys(const zinc_aws_keys *keys, zinc_error *err)
{
	if (!is_word(keys->id, MAX_KEY))
		return zinc_fail(err, ZINC_E_CORRUPT, "the access key id is empty, too long or has invalid characters");
	if (!is_word(keys->secret, MAX_KEY))
		return zinc_fail(err, ZINC_E_CORRUPT,
				 "the secret access key is empty, too long or has invalid characters");
	if (keys->token && !is_word(keys->token, MAX_TOKEN))
		return zinc_fail(err, ZINC_E_CORRUPT, "the session token is empty, too long or has invalid characters");
	return ZINC_OK;
}

/* ---- JSON ---- */

/* A text without NUL inside; NULL: missing, null or another type. */
static const char *
text_of(const zinc_json *object, const char *name)
{
	const zinc_json *v = zinc_json_member(object, name);

	return v && v->type == ZINC_JSON_STRING && strlen(v->text) == v->n ? v->text : NULL;
}

/* Is the member there, and not null? */
static bool
has(const zinc_json *object, const char *name)
{
	const zinc_json *v = zinc_json_member(object, name);

	return v && v->type != ZINC_JSON_NULL;
}

static bool
read_expiry(const zinc_json *object, const zinc_aws_names *names, int64_t *out)
{
	const zinc_json *v = zinc_json_member(object, names->expires);
	const char *text = text_of(object, names->expires);
	int64_t value = 0;
	size_t i;

	if (!names->milliseconds)
		return text && zinc_aws_time(text, out);
	if (!v || v->type != ZINC_JSON_NUMBER || v->n > 15)
		return false;
	for (i = 0; i < v->n; i++) {
		if (v->text[i] < '0' || v->text[i] > '9')
			return false;
		value = value * 10 + (v->text[i] - '0');
	}
	*out = value / 1000;
	return true;
}

static bool
is_version_1(const zinc_json *object, const char *name)
{
	const zinc_json *v = zinc_json_member(object, name);

	return v && v->type == ZINC_JSON_NUMBER && strcmp(v->text, "1") == 0;
}

static zinc_status
missing(const char *name, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_CORRUPT, "the document has no valid \"%s\"", name);
}

static zinc_status
take_members(zinc_aws_found *out, const zinc_json *object, const zinc_aws_names *names, zinc_error *err)
{
	out->expires = ZINC_AWS_NEVER;
	if (!object || object->type != ZINC_JSON_OBJECT)
		return zinc_fail(err, ZINC_E_CORRUPT, "the document has no credentials");
	if (names->version && !is_version_1(object, names->version))
		return zinc_fail(err, ZINC_E_CORRUPT, "the document is not of version 1");
	out->keys =
	    (zinc_aws_keys){text_of(object, names->id), text_of(object, names->secret), text_of(object, names->token)};
	if (!out->keys.id)
		return missing(names->id, err);
	if (!out->keys.secret)
		return missing(names->secret, err);
	if (!out->keys.token && (!names->token_optional || has(object, names->token)))
		return missing(names->token, err);
	if ((has(object, names->expires) || !names->token_optional) && !read_expiry(object, names, &out->expires))
		return missing(names->expires, err);
	return zinc_aws_check_keys(&out->keys, err);
}

/* The document is not freed: the keys point into it, and the pool is freed as a whole. */
zinc_status
zinc_aws_from_json(zinc_aws_found *out, zinc_secret *pool, const char *text, size_t n, const zinc_aws_names *names,
		   zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_json *object;
	zinc_json_doc *doc = NULL;
	zinc_status st;

	memset(out, 0, sizeof *out);
	st = zinc_json_parse(&doc, zinc_secret_context(pool), text, n, 0, &e);
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	if (st != ZINC_OK)
		return zinc_fail(err, ZINC_E_CORRUPT, "the document is not JSON, or too large");
	object = zinc_json_root(doc);
	if (names->inside)
		object = zinc_json_member(object, names->inside);
	st = take_members(out, object, names, err);
	if (st != ZINC_OK)
		memset(out, 0, sizeof *out);
	return st;
}

/* ---- XML ---- */

/* *out NULL: the document has no such element. */
static zinc_status
find_text(zinc_secret *pool, const char *text, size_t n, const char *path, const char *name, const char **out,
	  zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	char whole[160];
	zinc_status st;
	zinc_buf value;

	*out = NULL;
	snprintf(whole, sizeof whole, "%s/%s", path, name);
	zinc_buf_init(&value, zinc_secret_context(pool), MAX_TOKEN);
	st = zinc_xml_find(text, n, whole, &value, &e);
	if (st == ZINC_E_NOTFOUND)
		return ZINC_OK;
	if (st != ZINC_OK)
		return zinc_error_copy(err, &e);
	*out = zinc_buf_text(&value);
	if (!*out)
		return zinc_fail_nomem(err);
	return strlen(*out) == value.n ? ZINC_OK : missing(name, err);
}

zinc_status
zinc_aws_from_xml(zinc_aws_found *out, zinc_secret *pool, const char *text, size_t n, const char *path, zinc_error *err)
{
	const char *expires;

	memset(out, 0, sizeof *out);
	ZINC_TRY(find_text(pool, text, n, path, "AccessKeyId", &out->keys.id, err));
	ZINC_TRY(find_text(pool, text, n, path, "SecretAccessKey", &out->keys.secret, err));
	ZINC_TRY(find_text(pool, text, n, path, "SessionToken", &out->keys.token, err));
	ZINC_TRY(find_text(pool, text, n, path, "Expiration", &expires, err));
	if (!out->keys.id || !out->keys.secret || !out->keys.token)
		return missing("Credentials", err);
	if (!expires || !zinc_aws_time(expires, &out->expires))
		return missing("Expiration", err);
	return zinc_aws_check_keys(&out->keys, err);
}
