/*
 * google.c - credentials of Google, found in the order of Google's own libraries
 *
 *     settings -> GOOGLE_APPLICATION_CREDENTIALS -> gcloud's file -> metadata server -> none: anonymous
 *
 *     service account    a signed text (JWT)    --.
 *     user               a refresh token        ---+-> token server -> token, for an hour
 *     metadata server    nothing: it knows the machine -> token
 *
 * Promises (tests/unit/test_google.c names each by its number):
 *
 * (1) The first source that is configured counts.  If it fails, that is an error that names it; no other source is
 *     tried, and no request becomes anonymous.
 * (2) No error shows a key, a token or any part of a file.
 * (3) The metadata server is asked for at most a second where nothing answers, at most once a minute, and never through
 *     a proxy.  Where nothing answers it is no source, unless GCE_METADATA_HOST names it.  A server that answers that it is
 *     busy is asked again, and then it is an error.
 * (7) Keys and tokens go into the body of a request, never into its URL, and to no other host.
 */
#include <stdio.h>

#include "net/google_inside.h"

#define SCOPE     "https://www.googleapis.com/auth/devstorage.read_write"
#define MAX_FILE  ((size_t)256 * 1024)
#define MOST      30.0 /* seconds for a request to a token server */
#define TIMEOUT   10.0
#define NEAR      10.0 /* seconds for a request to a server nearby */
#define MAX_FORM  ((size_t)256 * 1024)
#define MAX_POOL  ((size_t)64 * 1024)
#define MAX_TOKEN ((size_t)32 * 1024)

struct zinc_google {
	zinc_context *ctx;
	zinc_secret *pool;
	zinc_google_config config;
	zinc_tokens *tokens;
};

/* ---- token servers ---- */

static zinc_status
add_member(zinc_buf *form, const char *name, const char *value, zinc_error *err)
{
	ZINC_TRY(zinc_buf_printf(form, err, "%s%s=", form->n ? "&" : "", name));
	return zinc_form_escape(form, value, err);
}

static zinc_status
add_form(zinc_buf *form, const zinc_google_file *f, int64_t now, zinc_error *err)
{
	if (f->kind == ZINC_GOOGLE_SERVICE) {
		ZINC_TRY(add_member(form, "grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer", err));
		ZINC_TRY(zinc_buf_puts(form, "&assertion=", err));
		return zinc_google_assertion(form, f, SCOPE, now, err);
	}
	ZINC_TRY(add_member(form, "grant_type", "refresh_token", err));
	ZINC_TRY(add_member(form, "client_id", f->client, err));
	ZINC_TRY(add_member(form, "client_secret", f->secret, err));
	return add_member(form, "refresh_token", f->refresh, err);
}

static zinc_status
refused(const zinc_asker *asker, const zinc_google_file *f, const zinc_ask_answer *answer, zinc_error *err)
{
	char code[64];

	zinc_google_parse_refusal(code, asker->pool, answer->text, answer->n);
	return zinc_fail(
	    err, ZINC_E_IO, "the token server refuses: HTTP %d%s%s%s", answer->status, code[0] ? ", " : "", code,
	    strcmp(code, "invalid_grant") != 0 ? ""
	    : f->kind == ZINC_GOOGLE_USER      ? "; log in again: gcloud auth application-default login"
					  : "; the key is not valid any more, or the clock of this machine is wrong");
}

/* A POST may be executed twice: it only makes a token. */
static zinc_status
ask_token(const zinc_asker *asker, const zinc_google_file *f, zinc_token_found *out, zinc_error *err)
{
	zinc_ask_request r = {
	    .method = "POST", .url = f->token_uri, .timeout = TIMEOUT, .most = MOST, .retries = 3, .repeats = true};
	const int64_t now = zinc_token_clock(asker->ctx);
	zinc_ask_answer answer;
	zinc_buf form;

	r.direct = strncmp(f->token_uri, "http:", 5) == 0;
	zinc_buf_init(&form, zinc_secret_context(asker->pool), MAX_FORM);
	ZINC_TRY(add_form(&form, f, now, err));
	r.body = zinc_buf_text(&form);
	if (!r.body)
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_ask(asker, &r, &answer, err));
	if (answer.status != 200)
		return refused(asker, f, &answer, err);
	return zinc_google_parse_token(out, asker->pool, answer.text, answer.n, now, err);
}

/* ---- files ---- */

static zinc_status
from_path(const zinc_asker *asker, const char *path, bool optional, zinc_token_found *out, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_google_file f;
	const char *text;
	size_t n;

	ZINC_TRY(zinc_secret_file(asker->pool, path, MAX_FILE, "the file of credentials", optional, &text, &n, err));
	if (!text)
		return ZINC_OK;
	if (zinc_google_parse(&f, asker->pool, text, n, &e) != ZINC_OK)
		return e.code == ZINC_E_NOMEM ? zinc_fail_nomem(err) : zinc_fail(err, e.code, "%s: %s", path, e.text);
	return ask_token(asker, &f, out, err);
}

static zinc_status
from_settings(const zinc_google *g, const zinc_asker *asker, zinc_token_found *out, zinc_error *err)
{
	const char *path;

	if (g->config.token) {
		*out = (zinc_token_found){.text = g->config.token, .expires = ZINC_TOKEN_NEVER};
		return ZINC_OK;
	}
	if (!g->config.file)
		return ZINC_OK;
	path = zinc_secret_path(asker->pool, g->config.file);
	return path ? from_path(asker, path, false, out, err)
		    : zinc_fail(err, ZINC_E_INVALID, "HOME is not set, which gs.credentials needs");
}

static zinc_status
from_environment(const zinc_google *g, const zinc_asker *asker, zinc_token_found *out, zinc_error *err)
{
	const char *path = zinc_env("GOOGLE_APPLICATION_CREDENTIALS");

	(void)g;
	return path ? from_path(asker, path, false, out, err) : ZINC_OK;
}

/* What "gcloud auth application-default login" has written. */
static zinc_status
from_gcloud(const zinc_google *g, const zinc_asker *asker, zinc_token_found *out, zinc_error *err)
{
	static const char name[] = "application_default_credentials.json";
	const char *given = zinc_env("CLOUDSDK_CONFIG"), *home = zinc_env("HOME");
	zinc_buf path;

	(void)g;
	if (!given && !home)
		return ZINC_OK;
	zinc_buf_init(&path, zinc_secret_context(asker->pool), 8192);
	if (given)
		ZINC_TRY(zinc_buf_printf(&path, err, "%s/%s", given, name));
	else
		ZINC_TRY(zinc_buf_printf(&path, err, "%s/.config/gcloud/%s", home, name));
	return zinc_buf_text(&path) ? from_path(asker, (const char *)path.p, true, out, err) : zinc_fail_nomem(err);
}

/* ---- metadata server ---- */

static bool
is_host(const char *s)
{
	const size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]_");

	return n > 0 && n < 256 && !s[n];
}

static zinc_status
ask_metadata(const zinc_asker *asker, const char *named, zinc_ask_answer *out, zinc_error *err)
{
	zinc_ask_request r = {.timeout = 1, .most = 2, .direct = true};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	char url[400];

	if (named && !is_host(named))
		return zinc_fail(err, ZINC_E_INVALID, "GCE_METADATA_HOST must be a host, or host:port");
	snprintf(url, sizeof url, "http://%s/computeMetadata/v1/instance/service-accounts/default/token",
		 named ? named : "169.254.169.254");
	r.url = url;
	r.fields[0].name = "Metadata-Flavor";
	r.fields[0].value = "Google";
	if (!named) {
		st = zinc_ask(asker, &r, out, &e);
		if (st == ZINC_OK || !out->status) /* a server that is busy is there */
			return st == ZINC_OK ? ZINC_OK : zinc_error_copy(err, &e);
	}
	r.most = NEAR;
	r.retries = 2;
	return zinc_ask(asker, &r, out, err);
}

/* Another cloud may have a server at that address, too. */
static zinc_status
from_metadata(const zinc_google *g, const zinc_asker *asker, zinc_token_found *out, zinc_error *err)
{
	const char *named = zinc_env("GCE_METADATA_HOST"), *off = zinc_env("NO_GCE_CHECK");
	zinc_error e = ZINC_ERROR_INIT;
	zinc_ask_answer answer = {0};
	zinc_status st;

	(void)g;
	if (off && strcasecmp(off, "true") == 0)
		return ZINC_OK;
	st = ask_metadata(asker, named, &answer, &e);
	if (st == ZINC_E_CANCELLED || st == ZINC_E_NOMEM || (st != ZINC_OK && (named || answer.status)))
		return zinc_error_copy(err, &e);
	if (st == ZINC_OK && answer.status != 200 && named)
		return zinc_fail(err, ZINC_E_IO, "HTTP %d: has this machine a service account?", answer.status);
	if (st != ZINC_OK || answer.status != 200) {
		out->unsure = st != ZINC_OK || (answer.status != 400 && answer.status != 404);
		return ZINC_OK;
	}
	return zinc_google_parse_token(out, asker->pool, answer.text, answer.n, zinc_token_clock(asker->ctx), err);
}

/* ---- the order ---- */

static const struct {
	const char *name;
	zinc_status (*find)(const zinc_google *g, const zinc_asker *asker, zinc_token_found *out, zinc_error *err);
} sources[] = {
    {"the settings", from_settings},
    {"GOOGLE_APPLICATION_CREDENTIALS", from_environment},
    {"gcloud's application_default_credentials.json", from_gcloud},
    {"the metadata server", from_metadata},
};

static zinc_status
find(void *arg, const zinc_asker *asker, zinc_token_found *out, zinc_error *err)
{
	const zinc_google *g = (const zinc_google *)arg;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	size_t i;

	memset(out, 0, sizeof *out);
	out->expires = ZINC_TOKEN_NEVER;
	for (i = 0; i < sizeof sources / sizeof sources[0] && !g->config.anonymous; i++) {
		ZINC_TRY(zinc_wait_for(asker->wait, "credentials", err));
		st = sources[i].find(g, asker, out, &e);
		if (st == ZINC_E_NOMEM)
			return zinc_fail_nomem(err);
		if (st == ZINC_E_CANCELLED)
			return zinc_error_copy(err, &e);
		if (st != ZINC_OK)
			return zinc_fail(err, st == ZINC_E_INVALID ? st : ZINC_E_IO, "credentials from %s: %s",
					 sources[i].name, e.text);
		if (out->text) {
			out->source = sources[i].name;
			return ZINC_OK;
		}
	}
	return ZINC_OK;
}

/* ---- new and free ---- */

static bool
is_token(const char *s)
{
	size_t n;

	for (n = 0; s[n]; n++)
		if (n == MAX_TOKEN || s[n] <= ' ' || s[n] >= 0x7f)
			return false;
	return n > 0;
}

/* NULL stays NULL; *ok turns false when there is no memory. */
static const char *
copy_text(zinc_secret *pool, const char *text, bool *ok)
{
	const char *copy = text ? zinc_secret_text(pool, text, strlen(text)) : NULL;

	*ok &= !text || copy;
	return copy;
}

static zinc_status
init(zinc_google *g, const zinc_google_config *c, zinc_error *err)
{
	bool ok = true;

	if (c->token && !is_token(c->token))
		return zinc_fail(err, ZINC_E_INVALID, "gs.token has characters that a token cannot have");
	ZINC_TRY(zinc_secret_new(&g->pool, g->ctx, MAX_POOL, err));
	g->config = *c;
	g->config.file = copy_text(g->pool, c->file, &ok);
	g->config.token = copy_text(g->pool, c->token, &ok);
	g->config.ca_file = copy_text(g->pool, c->ca_file, &ok);
	if (!ok)
		return zinc_fail_nomem(err);
	return zinc_tokens_new(&g->tokens, g->ctx, g->config.ca_file, find, g, err);
}

zinc_status
zinc_google_new(zinc_google **out, zinc_context *ctx, const zinc_google_config *config, zinc_error *err)
{
	zinc_google *g;
	zinc_status st;

	ctx = zinc_context_get(ctx);
	g = (zinc_google *)zinc_calloc(ctx, 1, sizeof *g);
	if (!g)
		return zinc_fail_nomem(err);
	g->ctx = ctx;
	st = init(g, config, err);
	if (st != ZINC_OK) {
		zinc_google_free(g);
		return st;
	}
	*out = g;
	return ZINC_OK;
}

void
zinc_google_free(zinc_google *g)
{
	if (!g)
		return;
	zinc_tokens_free(g->tokens);
	zinc_secret_free(g->pool);
	zinc_free(g->ctx, g);
}

zinc_tokens *
zinc_google_tokens(zinc_google *g)
{
	return g->tokens;
}

/* ---- for requests ---- */

static zinc_status
add_token(zinc_http_request *r, const char *token, zinc_error *err)
{
	zinc_status st;
	zinc_buf value;

	zinc_buf_init(&value, r->headers.ctx, ZINC_MIB);
	st = zinc_buf_reserve(&value, strlen(token) + 16, err); /* it grows no more: no copy is left behind */
	if (st == ZINC_OK)
		st = zinc_buf_printf(&value, err, "Bearer %s", token);
	if (st == ZINC_OK)
		st = zinc_http_header(r, "Authorization", zinc_buf_text(&value), err);
	if (value.p)
		explicit_bzero(value.p, value.n);
	zinc_buf_fini(&value);
	return st;
}

zinc_status
zinc_google_sign(zinc_google *g, zinc_http_request *r, bool secure, bool *signs, const zinc_wait *wait, zinc_error *err)
{
	zinc_token *token = NULL;
	zinc_status st = ZINC_OK;

	ZINC_TRY(zinc_tokens_take(g->tokens, &token, wait, err));
	*signs = token->text != NULL;
	if (token->text && !secure)
		st = zinc_fail(err, ZINC_E_INVALID,
			       "credentials are not sent over plain http: use https, or set gs.anonymous=yes");
	else if (token->text)
		st = add_token(r, token->text, err);
	zinc_token_release(token);
	return st;
}

void
zinc_google_refused(zinc_google *g)
{
	zinc_tokens_refused(g->tokens);
}

bool
zinc_google_shows_token(zinc_google *g, zinc_bytes text)
{
	return zinc_tokens_show(g->tokens, text);
}

const char *
zinc_google_advice(const zinc_google *g)
{
	if (g->config.foreign)
		return "a server that only the URL names gets no credentials: set gs.endpoint as an option, as "
		       "ZINC_GS_ENDPOINT or in a profile";
	return g->config.anonymous
		   ? "the requests are anonymous, because gs.anonymous or an emulator is set"
		   : "no credentials: set GOOGLE_APPLICATION_CREDENTIALS to a key file, run gcloud auth "
		     "application-default login, or set ?anonymous=yes";
}
