/*
 * azure_token.c - access tokens of Azure: who gives them out, in the order of Microsoft's libraries
 *
 *     client secret -> workload identity -> App Service -> managed identity of a machine -> none: anonymous
 *
 * Promises (tests/unit/test_azure.c names each by its number, as those of azure.c):
 *
 * (4) The first source that is configured counts.  If it fails, that is an error that names it; no other source is tried,
 *     and no request becomes anonymous.
 * (5) Secrets go into the body or the fields of a request, never into its URL, and over plain http only to this machine;
 *     the token of managed identity comes from an address of the machine itself, never through a proxy.
 * (6) A refusal is an error with the code of the server.  Its description is not shown: it may quote what was sent.
 * (7) Where nothing answers, or no identity is assigned, managed identity is no source, unless the user has named it.  A
 *     server that answers that it is busy is asked again, and then it is an error; so is one that is being updated (404,
 *     410), if the user has named it.  Otherwise that is no source for now.
 */
#include <ctype.h>
#include <stdio.h>

#include "json/json.h"
#include "net/azure_inside.h"

#define RESOURCE  "https%3A%2F%2Fstorage.azure.com%2F"
#define SCOPE     "https://storage.azure.com/.default"
#define AUTHORITY "https://login.microsoftonline.com"
#define MACHINE   "http://169.254.169.254"
#define MOST      30.0 /* seconds for a request */
#define NEARBY    10.0 /* the same to a server of the machine */
#define UPDATES   3    /* questions to one that is being updated, after the first */
#define MAX_TOKEN ((size_t)32 * 1024)

/* One search. */
typedef struct search {
	const zinc_asker *asker;
	const zinc_azure_config *config;
	zinc_token_found *out;
} search;

static const char *
first_of(const char *setting, const char *variable)
{
	return setting ? setting : zinc_env(variable);
}

/* ---- where secrets may go ---- */

/* The host of "http://host:port/path", in lower case; false: it is none. */
static bool
host_of(const char *url, char *out, size_t cap)
{
	const char *p = strstr(url, "://");
	size_t n, i;

	if (!p)
		return false;
	p += 3;
	n = strcspn(p, "/?#");
	if (n == 0 || n >= cap || memchr(p, '@', n) || memchr(p, '\\', n))
		return false;
	for (i = 0; i < n; i++)
		out[i] = (char)tolower((unsigned char)p[i]);
	out[n] = '\0';
	out[out[0] == '[' ? strcspn(out, "]") + 1 : strcspn(out, ":")] = '\0';
	return true;
}

static bool
is_numbers(const char *host, const char *begin)
{
	return strncmp(host, begin, strlen(begin)) == 0 && host[strspn(host, "0123456789.")] == '\0';
}

/* Is it https, this machine, or (`nearby`) an address that no router passes on? */
static bool
is_safe(const char *url, bool nearby)
{
	char host[256];

	if (strncasecmp(url, "https://", 8) == 0)
		return true;
	if (strncasecmp(url, "http://", 7) != 0 || !host_of(url, host, sizeof host))
		return false;
	return strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 || is_numbers(host, "127.") ||
	       (nearby && is_numbers(host, "169.254."));
}

/* ---- answers ---- */

/* A number, or a text of digits. */
static bool
take_seconds(const zinc_json *object, const char *name, int64_t *out)
{
	const zinc_json *v = zinc_json_member(object, name);
	size_t i;

	*out = 0;
	if (!v || (v->type != ZINC_JSON_NUMBER && v->type != ZINC_JSON_STRING) || v->n == 0 || v->n > 12)
		return false;
	for (i = 0; i < v->n; i++) {
		if (v->text[i] < '0' || v->text[i] > '9')
			return false;
		*out = *out * 10 + (v->text[i] - '0');
	}
	return true;
}

/* It is sent in a header. */
static bool
is_token(const char *text)
{
	size_t n;

	for (n = 0; text[n]; n++)
		if (n == MAX_TOKEN || text[n] <= ' ' || text[n] >= 0x7f)
			return false;
	return n > 0;
}

static zinc_status
take_token(zinc_token_found *out, const zinc_json *object, int64_t now, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(object, "access_token");
	int64_t seconds;

	if (!v || v->type != ZINC_JSON_STRING || strlen(v->text) != v->n || !is_token(v->text))
		return zinc_fail(err, ZINC_E_CORRUPT, "the answer has no valid \"access_token\"");
	if (take_seconds(object, "expires_in", &seconds)) /* does not depend on the clock */
		out->expires = now + seconds;
	else if (take_seconds(object, "expires_on", &seconds))
		out->expires = seconds;
	else
		return zinc_fail(err, ZINC_E_CORRUPT, "the answer has no valid \"expires_in\" or \"expires_on\"");
	out->text = v->text;
	return ZINC_OK;
}

/* The document is not freed: the token points into it, and the pool is freed as a whole. */
zinc_status
zinc_azure_parse_token(zinc_token_found *out, zinc_secret *pool, const char *text, size_t n, int64_t now,
		       zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	const zinc_json *object;
	zinc_status st = zinc_json_parse(&doc, zinc_secret_context(pool), text, n, 0, &e);

	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	object = st == ZINC_OK ? zinc_json_root(doc) : NULL;
	if (!object || object->type != ZINC_JSON_OBJECT)
		return zinc_fail(err, ZINC_E_CORRUPT, "the answer is no JSON object");
	return take_token(out, object, now, err);
}

/* Only names of errors, as they are documented, are shown. */
static zinc_status
refused(const search *s, const zinc_ask_answer *answer, zinc_error *err)
{
	const zinc_json *v = NULL;
	zinc_json_doc *doc = NULL;
	const char *code = NULL;

	if (zinc_json_parse(&doc, zinc_secret_context(s->asker->pool), answer->text, answer->n, 0, NULL) == ZINC_OK &&
	    zinc_json_root(doc)->type == ZINC_JSON_OBJECT)
		v = zinc_json_member(zinc_json_root(doc), "error");
	if (v && v->type == ZINC_JSON_STRING && v->n > 0 && v->n < 60 &&
	    v->text[strspn(v->text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == '\0')
		code = v->text;
	return zinc_fail(err, ZINC_E_IO, "refused: HTTP %d%s%s", answer->status, code ? " " : "", code ? code : "");
}

/* An answer that was complete. */
static zinc_status
take_answer(const search *s, const zinc_ask_answer *answer, int64_t now, zinc_error *err)
{
	if (answer->status != 200)
		return refused(s, answer, err);
	return zinc_azure_parse_token(s->out, s->asker->pool, answer->text, answer->n, now, err);
}

/* ---- Entra: a client's secret, or its token of another issuer ---- */

static zinc_status
add_field(zinc_buf *form, const char *name, const char *value, zinc_error *err)
{
	ZINC_TRY(zinc_buf_printf(form, err, "%s%s=", form->n ? "&" : "", name));
	return zinc_form_escape(form, value, err);
}

static zinc_status
entra_url(const search *s, zinc_buf *url, zinc_error *err)
{
	const char *tenant = first_of(s->config->tenant_id, "AZURE_TENANT_ID");
	const char *authority = first_of(s->config->authority, "AZURE_AUTHORITY_HOST");
	size_t n;

	if (!tenant)
		return zinc_fail(err, ZINC_E_INVALID, "set az.tenant_id or AZURE_TENANT_ID");
	if (tenant[strspn(tenant, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")] || !tenant[0])
		return zinc_fail(err, ZINC_E_INVALID, "az.tenant_id is not the id of a tenant");
	authority = authority ? authority : AUTHORITY;
	for (n = strlen(authority); n && authority[n - 1] == '/';)
		n--;
	if (!is_safe(authority, false))
		return zinc_fail(err, ZINC_E_INVALID, "AZURE_AUTHORITY_HOST must be a URL with https");
	zinc_buf_init(url, zinc_secret_context(s->asker->pool), ZINC_MAX_KEY);
	ZINC_TRY(zinc_buf_printf(url, err, "%.*s/%s/oauth2/v2.0/token", (int)n, authority, tenant));
	return zinc_buf_text(url) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
ask_entra(const search *s, zinc_buf *form, zinc_error *err)
{
	const char *client = first_of(s->config->client_id, "AZURE_CLIENT_ID");
	zinc_ask_request r = {.method = "POST", .timeout = 10, .most = MOST, .retries = 2, .repeats = true};
	const int64_t now = zinc_token_clock(s->asker->ctx);
	zinc_ask_answer answer;
	zinc_buf url;

	if (!client)
		return zinc_fail(err, ZINC_E_INVALID, "set az.client_id or AZURE_CLIENT_ID");
	ZINC_TRY(add_field(form, "client_id", client, err));
	ZINC_TRY(add_field(form, "grant_type", "client_credentials", err));
	ZINC_TRY(add_field(form, "scope", SCOPE, err));
	ZINC_TRY(entra_url(s, &url, err));
	r.url = (const char *)url.p;
	r.body = zinc_buf_text(form);
	if (!r.body)
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_ask(s->asker, &r, &answer, err));
	return take_answer(s, &answer, now, err);
}

static zinc_status
from_client_secret(const search *s, zinc_error *err)
{
	const char *secret = first_of(s->config->client_secret, "AZURE_CLIENT_SECRET");
	zinc_buf form;

	if (!secret)
		return ZINC_OK;
	s->out->source = "the client secret";
	zinc_buf_init(&form, zinc_secret_context(s->asker->pool), 4 * MAX_TOKEN);
	ZINC_TRY(add_field(&form, "client_secret", secret, err));
	return ask_entra(s, &form, err);
}

/* The file is read each time: it is replaced before its token ends. */
static zinc_status
from_workload(const search *s, zinc_error *err)
{
	const char *path = first_of(s->config->token_file, "AZURE_FEDERATED_TOKEN_FILE"), *text;
	zinc_buf form;
	size_t n;

	if (!path)
		return ZINC_OK;
	s->out->source = "workload identity";
	ZINC_TRY(zinc_secret_file(s->asker->pool, path, ZINC_ASK_MAX_ANSWER, "the token file", false, &text, &n, err));
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	text = zinc_secret_text(s->asker->pool, n ? text : "", n);
	if (!text)
		return zinc_fail_nomem(err);
	if (!is_token(text))
		return zinc_fail(err, ZINC_E_INVALID, "the token file %s has no token", path);
	zinc_buf_init(&form, zinc_secret_context(s->asker->pool), 4 * MAX_TOKEN);
	ZINC_TRY(add_field(&form, "client_assertion", text, err));
	ZINC_TRY(
	    add_field(&form, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", err));
	return ask_entra(s, &form, err);
}

/* ---- managed identity ---- */

static zinc_status
identity_url(const search *s, const char *base, const char *rest, const char *client, zinc_buf *url, zinc_error *err)
{
	zinc_buf_init(url, zinc_secret_context(s->asker->pool), ZINC_MAX_KEY);
	ZINC_TRY(zinc_buf_printf(url, err, "%s%s&resource=%s", base, rest, RESOURCE));
	if (client) {
		ZINC_TRY(zinc_buf_puts(url, "&client_id=", err));
		ZINC_TRY(zinc_form_escape(url, client, err));
	}
	return zinc_buf_text(url) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
from_app_service(const search *s, zinc_error *err)
{
	const char *endpoint = zinc_env("IDENTITY_ENDPOINT"), *header = zinc_env("IDENTITY_HEADER");
	zinc_ask_request r = {.timeout = 5, .most = NEARBY, .retries = 2, .direct = true};
	const int64_t now = zinc_token_clock(s->asker->ctx);
	zinc_ask_answer answer;
	zinc_buf url;

	if (!endpoint || !header)
		return ZINC_OK;
	s->out->source = "the identity of the App Service";
	if (!is_safe(endpoint, true))
		return zinc_fail(err, ZINC_E_INVALID, "IDENTITY_ENDPOINT must be https, or http to this machine");
	ZINC_TRY(identity_url(s, endpoint,
			      strchr(endpoint, '?') ? "&api-version=2019-08-01" : "?api-version=2019-08-01",
			      first_of(s->config->client_id, "AZURE_CLIENT_ID"), &url, err));
	r.url = (const char *)url.p;
	r.fields[0].name = "X-IDENTITY-HEADER";
	r.fields[0].value = header;
	ZINC_TRY(zinc_ask(s->asker, &r, &answer, err));
	return take_answer(s, &answer, now, err);
}

/* Nothing answers, or there is no identity: that is no error if the user did not ask for it. */
static zinc_status
no_identity(const search *s, zinc_status st, const zinc_error *e, const zinc_ask_answer *answer, bool named,
	    zinc_error *err)
{
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	if (st == ZINC_E_CANCELLED || (st != ZINC_OK && (named || answer->status)))
		return zinc_error_copy(err, e);
	if (st == ZINC_OK && named)
		return zinc_fail(err, ZINC_E_IO, "HTTP %d: no identity is assigned to this machine", answer->status);
	s->out->unsure = st != ZINC_OK || answer->status != 400;
	return ZINC_OK;
}

/* Where nothing answers, one short try is enough; a server that is busy is there. */
static zinc_status
ask_machine(const search *s, zinc_ask_request *r, bool given, zinc_ask_answer *answer, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	if (!given) {
		st = zinc_ask(s->asker, r, answer, &e);
		if (st == ZINC_OK || !answer->status)
			return st == ZINC_OK ? ZINC_OK : zinc_error_copy(err, &e);
	}
	r->most = NEARBY;
	r->retries = 2;
	return zinc_ask(s->asker, r, answer, err);
}

/* While it is being updated it answers 404 or 410, for seconds; another cloud has a server at that address that always does. */
static zinc_status
ask_patiently(const search *s, zinc_ask_request *r, bool given, bool named, zinc_ask_answer *answer, zinc_error *err)
{
	int k;

	ZINC_TRY(ask_machine(s, r, given, answer, err));
	for (k = 0; k < UPDATES && named && (answer->status == 404 || answer->status == 410); k++) {
		ZINC_TRY(zinc_wait_pause(s->asker->wait, 0.5 * (double)(1 << k), "credentials", err));
		ZINC_TRY(ask_machine(s, r, given, answer, err));
	}
	return ZINC_OK;
}

static zinc_status
from_machine(const search *s, zinc_error *err)
{
	static const char path[] = "/metadata/identity/oauth2/token?api-version=2018-02-01";
	const char *given = first_of(s->config->identity, "AZURE_POD_IDENTITY_AUTHORITY_HOST");
	const char *client = first_of(s->config->client_id, "AZURE_CLIENT_ID");
	zinc_ask_request r = {.timeout = 1, .most = 2, .direct = true};
	zinc_error e = ZINC_ERROR_INIT;
	const int64_t now = zinc_token_clock(s->asker->ctx);
	zinc_ask_answer answer = {0};
	zinc_status st;
	zinc_buf url;

	if (given && strcmp(given, "none") == 0)
		return ZINC_OK;
	s->out->source = "managed identity";
	if (given && !is_safe(given, true))
		return zinc_fail(err, ZINC_E_INVALID, "az.identity must be https, or http to this machine");
	ZINC_TRY(identity_url(s, given ? given : MACHINE, path, client, &url, err));
	r.url = (const char *)url.p;
	r.fields[0].name = "Metadata";
	r.fields[0].value = "true";
	st = ask_patiently(s, &r, given, given || client, &answer, &e);
	if (st != ZINC_OK || answer.status == 400 || answer.status == 404 || answer.status == 410 ||
	    answer.status == 403 || answer.status == 405)
		return no_identity(s, st, &e, &answer, given || client, err);
	return take_answer(s, &answer, now, err);
}

/* ---- the order ---- */

/* For the callers of a store E_CORRUPT is a damaged value, and E_UNSUPPORTED a value that this build cannot read. */
static zinc_status
status_of(zinc_status st)
{
	return st == ZINC_E_CORRUPT || st == ZINC_E_NOTFOUND ? ZINC_E_IO
	       : st == ZINC_E_UNSUPPORTED                    ? ZINC_E_INVALID
							     : st;
}

zinc_status
zinc_azure_find_token(void *arg, const zinc_asker *asker, zinc_token_found *out, zinc_error *err)
{
	static zinc_status (*const sources[])(const search *s, zinc_error *err) = {from_client_secret, from_workload,
										   from_app_service, from_machine};
	const search s = {asker, (const zinc_azure_config *)arg, out};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	size_t i;

	for (i = 0; i < sizeof sources / sizeof sources[0]; i++) {
		ZINC_TRY(zinc_wait_for(asker->wait, "credentials", err));
		st = sources[i](&s, &e);
		if (st == ZINC_E_NOMEM)
			return zinc_fail_nomem(err);
		if (st != ZINC_OK)
			return zinc_fail(err, status_of(st), "credentials from %s: %s", out->source, e.text);
		if (out->text)
			return ZINC_OK;
	}
	out->source = NULL;
	return ZINC_OK;
}
