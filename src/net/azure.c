/*
 * azure.c - credentials of Azure Storage: which kind there is, and requests that carry it
 *
 *     settings: anonymous, key, SAS, token, connection string
 *     environment: connection string, key, SAS
 *     tokens: azure_token.c
 *
 * Promises (tests/unit/test_azure.c names each by its number; (4) to (7) are those of azure_token.c):
 *
 * (1) Settings win over the environment, and what names a key over what has to ask for a token.
 * (2) A key or SAS of the environment is used only for the account that the environment names, if it names one.
 * (3) No error shows a secret.  A SAS is never in a URL that is shown.
 * (8) A token that the server does not accept is asked for again, once.  Keys and SAS are what they are.
 */
#include "net/azure.h"

#include <stdio.h>
#include <time.h>

#include "net/azure_inside.h"

#define MAX_POOL ((size_t)256 * 1024)
#define MAX_KEY  256

typedef enum kind { ANONYMOUS, KEY, SAS, TOKEN, TOKENS } kind;

struct zinc_azure {
	zinc_context *ctx;
	zinc_secret *pool; /* holds all texts; never changed after new */
	zinc_azure_config config;
	kind kind;
	const char *account, *endpoint;
	const char *key_text;
	uint8_t *key;
	size_t nkey;
	const char *sas, *token;
	zinc_tokens *tokens;
};

/* ---- sources ---- */

static const char *
variable(const char *const *names)
{
	const char *value = NULL;

	for (; *names && !value; names++)
		value = zinc_env(*names);
	return value;
}

static zinc_status
use_key(zinc_azure *a, const char *text, zinc_error *err)
{
	const size_t n = strlen(text);

	a->kind = KEY;
	a->key_text = text;
	a->key = (uint8_t *)zinc_secret_alloc(a->pool, MAX_KEY);
	if (!a->key)
		return zinc_fail_nomem(err);
	if (!zinc_base64_decode(text, n, a->key, MAX_KEY, &a->nkey) || a->nkey == 0)
		return zinc_fail(err, ZINC_E_INVALID, "the key of the account is not base64");
	return ZINC_OK;
}

/* "?sv=..." -> "sv=..."; it becomes part of URLs. */
static zinc_status
use_sas(zinc_azure *a, const char *text, zinc_error *err)
{
	static const char plain[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%&=+:,/!$'()*;@?";

	text += *text == '?';
	if (!strstr(text, "sig=") || text[strspn(text, plain)])
		return zinc_fail(err, ZINC_E_INVALID, "the SAS token is not of the form sv=...&sig=...");
	a->kind = SAS;
	a->sas = text;
	return ZINC_OK;
}

/* What a connection string says; the account of the URL must be its own. */
static zinc_status
use_connection(zinc_azure *a, const char *text, bool must, zinc_error *err)
{
	zinc_azure_connection c;

	ZINC_TRY(zinc_azure_parse_connection(&c, a->pool, text, err));
	if (a->account && c.account && strcasecmp(a->account, c.account) != 0)
		return must ? zinc_fail(err, ZINC_E_INVALID,
					"the connection string is of another account than the URL or az.account")
			    : ZINC_OK;
	if (!a->account)
		a->account = c.account;
	a->endpoint = c.endpoint;
	if (c.key)
		return use_key(a, c.key, err);
	return c.sas ? use_sas(a, c.sas, err) : ZINC_OK;
}

static zinc_status
from_settings(zinc_azure *a, zinc_error *err)
{
	const zinc_azure_config *c = &a->config;

	if (c->connection)
		ZINC_TRY(use_connection(a, c->connection, true, err));
	if (c->token) {
		a->kind = TOKEN;
		a->token = c->token;
	}
	if (c->sas)
		ZINC_TRY(use_sas(a, c->sas, err));
	return c->key ? use_key(a, c->key, err) : ZINC_OK;
}

/* Is there a setting that asks for a token? */
static bool
asks_for_token(const zinc_azure_config *c)
{
	return c->client_secret || c->token_file || (c->identity && strcmp(c->identity, "none") != 0);
}

/* NULL: not set, or out of memory, which *ok then says. */
static const char *
copy_text(zinc_secret *pool, const char *text, bool *ok)
{
	const char *copy = text && text[0] ? zinc_secret_text(pool, text, strlen(text)) : NULL;

	*ok &= !text || !text[0] || copy;
	return copy;
}

static zinc_status
name_account(zinc_azure *a, const char *name, zinc_error *err)
{
	bool ok = true;

	if (!a->account)
		a->account = copy_text(a->pool, name, &ok);
	return ok ? ZINC_OK : zinc_fail_nomem(err);
}

/* A connection string names its account itself; key and SAS are of the account that the environment names. */
static zinc_status
from_environment(zinc_azure *a, const char *account, zinc_error *err)
{
	static const char *const keys[] = {"AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_ACCESS_KEY",
					   NULL};
	const char *connection, *key, *sas;
	bool ok = true;

	connection = copy_text(a->pool, zinc_env("AZURE_STORAGE_CONNECTION_STRING"), &ok);
	key = copy_text(a->pool, variable(keys), &ok);
	sas = copy_text(a->pool, zinc_env("AZURE_STORAGE_SAS_TOKEN"), &ok);
	if (!ok)
		return zinc_fail_nomem(err);
	if (connection)
		ZINC_TRY(use_connection(a, connection, false, err));
	ZINC_TRY(name_account(a, account, err));
	if (asks_for_token(&a->config))
		a->kind = ANONYMOUS;
	if (a->kind != ANONYMOUS || asks_for_token(&a->config))
		return ZINC_OK;
	if (account && a->account && strcasecmp(account, a->account) != 0)
		return ZINC_OK; /* promise 2 */
	if (key)
		return use_key(a, key, err);
	return sas ? use_sas(a, sas, err) : ZINC_OK;
}

static zinc_status
choose(zinc_azure *a, zinc_error *err)
{
	static const char *const accounts[] = {"AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME", NULL};

	ZINC_TRY(from_settings(a, err));
	ZINC_TRY(a->kind == ANONYMOUS && !a->config.connection && !a->config.foreign
		     ? from_environment(a, variable(accounts), err)
		     : name_account(a, variable(accounts), err));
	if (a->config.anonymous) {
		a->kind = ANONYMOUS;
		return ZINC_OK;
	}
	if (a->kind != ANONYMOUS || a->config.foreign)
		return ZINC_OK;
	a->kind = TOKENS;
	return zinc_tokens_new(&a->tokens, a->ctx, a->config.ca_file, zinc_azure_find_token, &a->config, err);
}

/* ---- new and free ---- */

static zinc_status
copy_config(zinc_azure *a, const zinc_azure_config *c, zinc_error *err)
{
	const char *const from[] = {c->account,    c->key,       c->sas,       c->token,
				    c->connection, c->tenant_id, c->client_id, c->client_secret,
				    c->token_file, c->authority, c->identity,  c->ca_file};
	const char **to[] = {&a->config.account,   &a->config.key,           &a->config.sas,
			     &a->config.token,     &a->config.connection,    &a->config.tenant_id,
			     &a->config.client_id, &a->config.client_secret, &a->config.token_file,
			     &a->config.authority, &a->config.identity,      &a->config.ca_file};
	bool ok = true;
	size_t i;

	a->config = *c;
	for (i = 0; i < sizeof from / sizeof from[0]; i++)
		*to[i] = copy_text(a->pool, from[i], &ok);
	a->account = a->config.account;
	return ok ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
init(zinc_azure *a, const zinc_azure_config *config, zinc_error *err)
{
	ZINC_TRY(zinc_secret_new(&a->pool, a->ctx, MAX_POOL, err));
	ZINC_TRY(copy_config(a, config, err));
	return choose(a, err);
}

zinc_status
zinc_azure_new(zinc_azure **out, zinc_context *ctx, const zinc_azure_config *config, zinc_error *err)
{
	zinc_azure *a;
	zinc_status st;

	ctx = zinc_context_get(ctx);
	a = (zinc_azure *)zinc_calloc(ctx, 1, sizeof *a);
	if (!a)
		return zinc_fail_nomem(err);
	a->ctx = ctx;
	st = init(a, config, err);
	if (st != ZINC_OK) {
		zinc_azure_free(a);
		return st;
	}
	*out = a;
	return ZINC_OK;
}

void
zinc_azure_free(zinc_azure *a)
{
	if (!a)
		return;
	zinc_tokens_free(a->tokens);
	zinc_secret_free(a->pool);
	zinc_free(a->ctx, a);
}

/* ---- requests ---- */

/* "Mon, 17 Nov 2026 08:00:00 GMT", whatever the locale is. */
static zinc_status
add_date(zinc_http_request *r, int64_t now, zinc_error *err)
{
	static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
					     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	const time_t t = (time_t)now;
	char text[64];
	struct tm tm;

	if (!gmtime_r(&t, &tm) || tm.tm_year < 70 || tm.tm_year > 8000)
		return zinc_fail(err, ZINC_E_INVALID, "the clock of this machine is wrong: requests cannot be signed");
	snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[tm.tm_wday], tm.tm_mday,
		 months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
	return zinc_http_header(r, "x-ms-date", text, err);
}

static zinc_status
sign_with_key(const zinc_azure *a, zinc_http_request *r, const char *url, zinc_error *err)
{
	zinc_status st;
	zinc_buf line;

	if (!a->account)
		return zinc_fail(err, ZINC_E_INVALID, "a key needs the name of its account: set az.account");
	zinc_buf_init(&line, a->ctx, ZINC_MAX_KEY);
	st = zinc_azure_authorize(&line, r, url, a->account, a->key, a->nkey, err);
	if (st == ZINC_OK)
		st = zinc_http_header(r, "Authorization", zinc_buf_text(&line), err);
	zinc_buf_fini(&line);
	return st;
}

/* http_send.c wipes the headers; libcurl has a copy of its own. */
static zinc_status
add_bearer(zinc_azure *a, zinc_http_request *r, const char *token, zinc_error *err)
{
	zinc_secret *pool = NULL;
	const size_t n = strlen(token) + 8;
	zinc_status st;
	char *line;

	ZINC_TRY(zinc_buf_reserve(&r->headers, n + 32, err)); /* growing would leave copies */
	ZINC_TRY(zinc_secret_new(&pool, a->ctx, MAX_POOL, err));
	line = (char *)zinc_secret_alloc(pool, n);
	if (line)
		snprintf(line, n, "Bearer %s", token);
	st = line ? zinc_http_header(r, "Authorization", line, err) : zinc_fail_nomem(err);
	zinc_secret_free(pool);
	return st;
}

static zinc_status
sign_with_tokens(zinc_azure *a, zinc_http_request *r, bool *signs, const zinc_wait *wait, zinc_error *err)
{
	zinc_token *lease;
	zinc_status st = ZINC_OK;

	ZINC_TRY(zinc_tokens_take(a->tokens, &lease, wait, err));
	*signs = lease->text != NULL;
	if (lease->text)
		st = add_bearer(a, r, lease->text, err);
	zinc_token_release(lease);
	return st;
}

zinc_status
zinc_azure_sign(zinc_azure *a, zinc_http_request *r, const char *url, int64_t now, bool *signs, const zinc_wait *wait,
		zinc_error *err)
{
	*signs = a->kind != ANONYMOUS;
	ZINC_TRY(add_date(r, now, err));
	switch (a->kind) {
	case KEY:
		return sign_with_key(a, r, url, err);
	case SAS:
		r->secret_query = a->sas;
		return ZINC_OK;
	case TOKEN:
		return add_bearer(a, r, a->token, err);
	case TOKENS:
		return sign_with_tokens(a, r, signs, wait, err);
	case ANONYMOUS:
	default:
		return ZINC_OK;
	}
}

bool
zinc_azure_refused(zinc_azure *a)
{
	return a->kind == TOKENS && zinc_tokens_refused(a->tokens);
}

/* ---- facts ---- */

bool
zinc_azure_renews(const zinc_azure *a)
{
	return a->kind == TOKENS;
}

static int
digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* "a%2Bb" -> "a+b"; its length, or 0 if it does not fit. */
static size_t
unescape(char *out, size_t cap, const char *text, size_t n)
{
	size_t i, k = 0;

	for (i = 0; i < n && k < cap; i++) {
		const bool escaped = text[i] == '%' && i + 2 < n && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;

		out[k++] = escaped ? (char)(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i];
		i += escaped ? 2 : 0;
	}
	return i >= n ? k : 0;
}

/* A SAS may be quoted as it is sent, or only its signature, which is what makes it a secret, as it is or unescaped. */
static bool
shows_sas(const char *sas, zinc_bytes text)
{
	const char *sig = strstr(sas, "sig=");
	const size_t n = strcspn(sig + 4, "&");
	char plain[256];
	const size_t nplain = unescape(plain, sizeof plain, sig + 4, n);
	const bool found = zinc_secret_shows(sig + 4, n, text) || zinc_secret_shows(plain, nplain, text);

	explicit_bzero(plain, sizeof plain);
	return found;
}

bool
zinc_azure_shows_secret(zinc_azure *a, zinc_bytes text)
{
	switch (a->kind) {
	case KEY:
		return zinc_secret_shows(a->key_text, strlen(a->key_text), text);
	case SAS:
		return shows_sas(a->sas, text);
	case TOKEN:
		return zinc_secret_shows(a->token, strlen(a->token), text);
	case TOKENS:
		return zinc_tokens_show(a->tokens, text);
	case ANONYMOUS:
	default:
		return false;
	}
}

const char *
zinc_azure_account(const zinc_azure *a)
{
	return a->account;
}

const char *
zinc_azure_endpoint(const zinc_azure *a)
{
	return a->endpoint;
}

const char *
zinc_azure_advice(const zinc_azure *a)
{
	if (a->config.foreign)
		return "a server that only the URL names gets no credentials but those of the URL: set az.endpoint "
		       "as an option, as ZINC_AZ_ENDPOINT or in a profile";
	return a->kind != TOKENS
		   ? NULL
		   : "no credentials: set AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or "
		     "AZURE_STORAGE_CONNECTION_STRING, or ?anonymous=1 (tried these, AZURE_CLIENT_SECRET, "
		     "workload identity, App Service and managed identity)";
}
