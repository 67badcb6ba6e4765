/*
 * aws_sso.c - credentials of a person who is logged in with "aws sso login"
 *
 *     [profile lab]                       ~/.aws/sso/cache/SHA-1 of "work".json: accessToken, expiresAt
 *     sso_session = work                                  |
 *     sso_account_id = 123456789012                       v
 *     sso_role_name = reader              portal.sso.REGION.amazonaws.com/federation/credentials -> keys
 *     [sso-session work]
 *     sso_region = eu-central-1
 *     sso_start_url = https://...         without a session: the SHA-1 of this
 *
 * Promises (tests/unit/test_aws_sso.c names each by its number):
 *
 * (1) Without a login, or after it has expired, the error says which command to run.
 * (2) A region that is no name of a region is an error, so that the token cannot go elsewhere.
 * (3) No error shows any part of the cache.
 */
#include <stdio.h>

#include "json/json.h"
#include "net/aws_inside.h"
#include "net/digest.h"

#define MOST 30.0 /* seconds */

typedef struct login {
	const char *profile;
	const char *key; /* of the cache: the name of the session, or the URL */
	const char *region, *account, *role;
	const char *token;
} login;

static zinc_status
log_in(const login *l, const char *why, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_IO, "%s: run aws sso login --profile %s", why, l->profile);
}

/* ---- settings ---- */

static zinc_status
missing(const char *name, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_INVALID, "%s is not set", name);
}

static zinc_status
read_settings(zinc_aws_search *s, login *l, zinc_error *err)
{
	const zinc_aws_profiles *p = &s->profiles;
	const char *session = zinc_aws_profiles_get(p, ZINC_AWS_PROFILE, l->profile, "sso_session");
	const char *section = session ? session : l->profile;
	const zinc_aws_kind kind = session ? ZINC_AWS_SSO_SESSION : ZINC_AWS_PROFILE;
	const char *url = zinc_aws_profiles_get(p, kind, section, "sso_start_url");

	if (session && !zinc_aws_profiles_has(p, kind, section))
		return zinc_fail(err, ZINC_E_INVALID, "there is no [sso-session %.100s]", session);
	l->region = zinc_aws_profiles_get(p, kind, section, "sso_region");
	l->account = zinc_aws_profiles_get(p, ZINC_AWS_PROFILE, l->profile, "sso_account_id");
	l->role = zinc_aws_profiles_get(p, ZINC_AWS_PROFILE, l->profile, "sso_role_name");
	l->key = session ? session : url;
	if (!url || !l->region || !l->account || !l->role)
		return missing(!url          ? "sso_start_url"
			       : !l->region  ? "sso_region"
			       : !l->account ? "sso_account_id"
					     : "sso_role_name",
			       err);
	return zinc_aws_is_region(l->region) ? ZINC_OK
					     : zinc_fail(err, ZINC_E_INVALID, "sso_region is not a name of a region");
}

/* ---- the cache ---- */

static const char *
text_of(const zinc_json *object, const char *name)
{
	const zinc_json *v = zinc_json_member(object, name);

	return v && v->type == ZINC_JSON_STRING && strlen(v->text) == v->n && v->n ? v->text : NULL;
}

static zinc_status
read_document(zinc_aws_search *s, login *l, const char *text, size_t n, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	const zinc_json *root;
	const char *expires;
	int64_t at;

	if (zinc_json_parse(&doc, zinc_secret_context(s->pool), text, n, 0, &e) != ZINC_OK)
		return e.code == ZINC_E_NOMEM ? zinc_fail_nomem(err)
					      : log_in(l, "the cache of the SSO login is not valid", err);
	root = zinc_json_root(doc);
	l->token = text_of(root, "accessToken");
	expires = text_of(root, "expiresAt");
	if (!l->token || !expires || !zinc_aws_time(expires, &at))
		return log_in(l, "the cache of the SSO login is not valid", err);
	if (at <= zinc_aws_clock(s->ctx))
		return log_in(l, "the SSO login has expired", err);
	return ZINC_OK;
}

static zinc_status
read_cache(zinc_aws_search *s, login *l, zinc_error *err)
{
	uint8_t hash[ZINC_SHA1_BYTES];
	char hex[2 * ZINC_SHA1_BYTES + 1], name[128];
	const char *path, *text;
	size_t n;

	if (!zinc_sha1(l->key, strlen(l->key), hash))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "SHA-1 is not available");
	zinc_hex(hex, hash, sizeof hash);
	snprintf(name, sizeof name, "~/.aws/sso/cache/%s.json", hex);
	path = zinc_secret_path(s->pool, name);
	if (!path)
		return zinc_env("HOME") ? zinc_fail_nomem(err) : zinc_fail(err, ZINC_E_INVALID, "HOME is not set");
	ZINC_TRY(
	    zinc_secret_file(s->pool, path, ZINC_AWS_MAX_ANSWER, "the cache of the SSO login", true, &text, &n, err));
	return text ? read_document(s, l, text, n, err) : log_in(l, "there is no SSO login", err);
}

/* ---- the portal ---- */

static zinc_status
portal_url(zinc_aws_search *s, const login *l, zinc_buf *url, zinc_error *err)
{
	const char *given = zinc_aws_profiles_endpoint(&s->profiles, l->profile, "sso");
	const size_t n = given ? strlen(given) : 0;

	if (given)
		ZINC_TRY(zinc_buf_printf(url, err, "%.*s", (int)(given[n - 1] == '/' ? n - 1 : n), given));
	else
		ZINC_TRY(zinc_buf_printf(url, err, "https://portal.sso.%s.amazonaws.com%s", l->region,
					 strncmp(l->region, "cn-", 3) == 0 ? ".cn" : ""));
	ZINC_TRY(zinc_buf_puts(url, "/federation/credentials?role_name=", err));
	ZINC_TRY(zinc_form_escape(url, l->role, err));
	ZINC_TRY(zinc_buf_puts(url, "&account_id=", err));
	return zinc_form_escape(url, l->account, err);
}

static zinc_status
ask_portal(zinc_aws_search *s, const login *l, zinc_aws_found *out, zinc_error *err)
{
	static const zinc_aws_names names = {
	    "roleCredentials", "accessKeyId", "secretAccessKey", "sessionToken", "expiration", true, false, NULL};
	zinc_ask_request r = {.most = MOST, .retries = 2};
	zinc_ask_answer answer;
	zinc_buf url;

	zinc_buf_init(&url, zinc_secret_context(s->pool), 8192);
	ZINC_TRY(portal_url(s, l, &url, err));
	r.url = zinc_buf_text(&url);
	r.timeout = s->config->timeout > 0 ? s->config->timeout : 10;
	r.fields[0].name = "x-amz-sso_bearer_token";
	r.fields[0].value = l->token;
	ZINC_TRY(zinc_aws_ask(s, &r, &answer, err));
	if (answer.status == 401)
		return log_in(l, "the SSO login is not valid any more", err);
	if (answer.status != 200)
		return zinc_fail(err, ZINC_E_IO,
				 "the SSO portal refuses: HTTP %d (are sso_account_id and sso_role_name right?)",
				 answer.status);
	return zinc_aws_from_json(out, s->pool, answer.text, answer.n, &names, err);
}

zinc_status
zinc_aws_from_sso(zinc_aws_search *s, const char *profile, zinc_aws_found *out, zinc_error *err)
{
	login l = {.profile = profile};

	ZINC_TRY(read_settings(s, &l, err));
	ZINC_TRY(read_cache(s, &l, err));
	return ask_portal(s, &l, out, err);
}
