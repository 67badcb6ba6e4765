/*
 * aws_sts.c - credentials of STS: a role taken with a web identity, or with other keys
 *
 * Promises (tests/unit/test_aws_sts.c names each by its number):
 *
 * (1) Tokens go into the body of the request, never into its URL.
 * (2) A region that is no name of a region is an error, so that it cannot make the request go elsewhere.
 * (3) A refusal is an error with the code of STS.  The message of STS is not shown: it may quote what was sent.
 */
#include <ctype.h>
#include <stdio.h>

#include "net/aws_inside.h"
#include "net/digest.h"
#include "net/sigv4.h"
#include "net/xml.h"

#define MOST 30.0 /* seconds */

/* ---- requests ---- */

/* One field of a form; without a value it is left out. */
static zinc_status
add_field(zinc_buf *form, const char *name, const char *value, zinc_error *err)
{
	if (!value)
		return ZINC_OK;
	ZINC_TRY(zinc_buf_printf(form, err, "%s%s=", form->n ? "&" : "", name));
	return zinc_form_escape(form, value, err);
}

/* Without a region it is the global server, which is in us-east-1. */
static zinc_status
server_url(zinc_aws_search *s, const char **out, zinc_error *err)
{
	const char *region = s->config->region, *given = zinc_aws_profiles_endpoint(&s->profiles, s->profile, "sts");
	const size_t n = given ? strlen(given) : 0;

	if (given && strncasecmp(given, "http://", 7) != 0 && strncasecmp(given, "https://", 8) != 0)
		return zinc_fail(err, ZINC_E_INVALID, "the endpoint of STS is not a URL");
	if (given)
		return zinc_aws_format(s, out, err, "%s%s", given, given[n - 1] == '/' ? "" : "/");
	if (!region)
		return zinc_aws_format(s, out, err, "https://sts.amazonaws.com/");
	if (!zinc_aws_is_region(region))
		return zinc_fail(err, ZINC_E_INVALID, "the region is not a name of a region");
	return zinc_aws_format(s, out, err, "https://sts.%s.amazonaws.com%s/", region,
			       strncmp(region, "cn-", 3) == 0 ? ".cn" : "");
}

/* Only names of errors, as they are documented, are shown. */
static zinc_status
refused(zinc_aws_search *s, const zinc_ask_answer *answer, zinc_error *err)
{
	const char *code = NULL;
	zinc_buf text;

	zinc_buf_init(&text, zinc_secret_context(s->pool), 100);
	if (zinc_xml_find(answer->text, answer->n, "ErrorResponse/Error/Code", &text, NULL) == ZINC_OK)
		code = zinc_buf_text(&text);
	if (code && (!*code || code[strspn(code, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.")]))
		code = NULL;
	return zinc_fail(err, ZINC_E_IO, "STS refuses: HTTP %d%s%s", answer->status, code ? " " : "", code ? code : "");
}

static zinc_status
ask(zinc_aws_search *s, zinc_ask_request *r, zinc_buf *form, const char *path, zinc_aws_found *out, zinc_error *err)
{
	zinc_ask_answer answer;

	ZINC_TRY(server_url(s, &r->url, err));
	r->method = "POST";
	r->body = zinc_buf_text(form);
	r->timeout = s->config->timeout > 0 ? s->config->timeout : 10;
	r->most = MOST;
	r->retries = 2;
	if (!r->body)
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_aws_ask(s, r, &answer, err));
	if (answer.status != 200)
		return refused(s, &answer, err);
	return zinc_aws_from_xml(out, s->pool, answer.text, answer.n, path, err);
}

/* A name for the session in the logs of AWS. */
static zinc_status
session_name(zinc_aws_search *s, const char *given, const char **out, zinc_error *err)
{
	*out = given;
	return given ? ZINC_OK : zinc_aws_format(s, out, err, "zinc-%lld", (long long)zinc_aws_clock(s->ctx));
}

/* ---- web identity ---- */

static zinc_status
read_token(zinc_aws_search *s, const char *path, const char **out, zinc_error *err)
{
	const char *text;
	size_t n;

	ZINC_TRY(zinc_secret_file(s->pool, path, ZINC_AWS_MAX_ANSWER, "the token file", false, &text, &n, err));
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (n == 0 || memchr(text, 0, n))
		return zinc_fail(err, ZINC_E_INVALID, "the token file %s has no token", path);
	*out = zinc_secret_text(s->pool, text, n);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_aws_web_identity(zinc_aws_search *s, const char *token_file, const char *role, const char *session,
		      zinc_aws_found *out, zinc_error *err)
{
	zinc_ask_request r = {.direct = false};
	const char *token;
	zinc_buf form;

	ZINC_TRY(read_token(s, token_file, &token, err));
	ZINC_TRY(session_name(s, session, &session, err));
	zinc_buf_init(&form, zinc_secret_context(s->pool), 4 * ZINC_AWS_MAX_ANSWER);
	ZINC_TRY(add_field(&form, "Action", "AssumeRoleWithWebIdentity", err));
	ZINC_TRY(add_field(&form, "Version", "2011-06-15", err));
	ZINC_TRY(add_field(&form, "RoleArn", role, err));
	ZINC_TRY(add_field(&form, "RoleSessionName", session, err));
	ZINC_TRY(add_field(&form, "WebIdentityToken", token, err));
	return ask(s, &r, &form, "AssumeRoleWithWebIdentityResponse/AssumeRoleWithWebIdentityResult/Credentials", out,
		   err);
}

zinc_status
zinc_aws_from_web_identity(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err)
{
	const char *path = zinc_env("AWS_WEB_IDENTITY_TOKEN_FILE"), *role = zinc_env("AWS_ROLE_ARN");

	if (!path || s->config->profile)
		return ZINC_OK;
	s->source = "web identity";
	if (!role)
		return zinc_fail(err, ZINC_E_INVALID, "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not");
	return zinc_aws_web_identity(s, path, role, zinc_env("AWS_ROLE_SESSION_NAME"), out, err);
}

/* ---- a role ---- */

typedef struct signing {
	zinc_aws_search *search;
	const zinc_aws_keys *keys;
	const zinc_buf *form;
} signing;

static zinc_status
sign(void *arg, zinc_http_request *r, const char *url, zinc_error *err)
{
	const signing *g = (const signing *)arg;
	const struct iovec body = {g->form->p, g->form->n};
	const char *region = g->search->config->region;
	uint8_t hash[ZINC_SHA256_BYTES];
	char hex[ZINC_SHA256_HEX];

	if (!zinc_sha256(&body, 1, hash))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "SHA-256 is not available");
	zinc_hex(hex, hash, sizeof hash);
	return zinc_sigv4_sign(r, url, g->keys, region ? region : "us-east-1", "sts", hex,
			       zinc_aws_clock(g->search->ctx), err);
}

zinc_status
zinc_aws_assume_role(zinc_aws_search *s, const char *profile, const zinc_aws_keys *with, zinc_aws_found *out,
		     zinc_error *err)
{
	const zinc_aws_profiles *p = &s->profiles;
	const char *session = zinc_aws_profiles_get(p, ZINC_AWS_PROFILE, profile, "role_session_name");
	zinc_buf form;
	signing g = {s, with, &form};
	zinc_ask_request r = {.sign = sign, .arg = &g};

	if (zinc_aws_profiles_get(p, ZINC_AWS_PROFILE, profile, "mfa_serial"))
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "the role asks for a code (mfa_serial), which only the AWS tools can ask for: use "
				 "credential_process = aws configure export-credentials --profile NAME");
	ZINC_TRY(session_name(s, session, &session, err));
	zinc_buf_init(&form, zinc_secret_context(s->pool), ZINC_AWS_MAX_ANSWER);
	ZINC_TRY(add_field(&form, "Action", "AssumeRole", err));
	ZINC_TRY(add_field(&form, "Version", "2011-06-15", err));
	ZINC_TRY(add_field(&form, "RoleArn", zinc_aws_profiles_get(p, ZINC_AWS_PROFILE, profile, "role_arn"), err));
	ZINC_TRY(add_field(&form, "RoleSessionName", session, err));
	ZINC_TRY(
	    add_field(&form, "ExternalId", zinc_aws_profiles_get(p, ZINC_AWS_PROFILE, profile, "external_id"), err));
	ZINC_TRY(add_field(&form, "DurationSeconds",
			   zinc_aws_profiles_get(p, ZINC_AWS_PROFILE, profile, "duration_seconds"), err));
	return ask(s, &r, &form, "AssumeRoleResponse/AssumeRoleResult/Credentials", out, err);
}
