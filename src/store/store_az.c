/*
 * store_az.c - blobs of a container of Azure Blob Storage: settings, URLs, signatures; a module
 *
 *     az://container/base   +   key "a b/c"   =   https://account.blob.core.windows.net/container/base/a%20b/c
 *                                            or   https://endpoint/account/container/base/a%20b/c
 *
 * store_web.c reads values, store_web_call.c sends all other requests; put, blocks (of large values), del and list are
 * files of their own, store_az_error.c explains failures, store_az_place.c reads URLs.
 *
 * Promises (tests/unit/test_store_az.c names each by its number; (1) is that of store_az_place.c):
 *
 * (2) A request carries credentials that are valid now.  Without any, requests are anonymous, which public containers
 *     accept.
 * (3) Credentials go only to the endpoint: a redirection elsewhere gets none.  Plain http gets none either, except on
 *     loopback, without a proxy, or with allow_http.
 * (4) No key, token or signature appears in an error or a trace.
 * (5) A directory of an account with a hierarchical namespace is no key: it is missing, and not listed.
 * (6) The last n bytes of a value belong to one generation, although Azure cannot be asked for them by one request.
 */
#include "store/store_az.h"

#include <stdio.h>
#include <time.h>

#define VERSION   "2023-11-03" /* of the service, which Azure and Azurite know */
#define MAX_KEY   1024         /* characters that Azure accepts, with the prefix of the store */
#define MAX_BLOCK 4000         /* MiB */

/* ---- URLs ---- */

static zinc_status
make_url(const az_store *s, const char *key, const char *query, char **out, zinc_error *err)
{
	zinc_status st;
	zinc_buf url;

	zinc_buf_init(&url, s->web.ctx, ZINC_MAX_KEY);
	st = zinc_buf_puts(&url, s->base, err);
	if (st == ZINC_OK && key)
		st = zinc_buf_puts(&url, "/", err);
	if (st == ZINC_OK && key)
		st = zinc_web_escape(&url, s->prefix, err);
	if (st == ZINC_OK && key)
		st = zinc_web_escape(&url, key, err);
	if (st == ZINC_OK && query)
		st = zinc_buf_printf(&url, err, "?%s", query);
	if (st == ZINC_OK && !zinc_buf_text(&url))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		*out = (char *)url.p;
	else
		zinc_buf_fini(&url);
	return st;
}

static zinc_status
key_url(const zinc_web *w, const char *key, const zinc_tag *if_tag, char **out, zinc_error *err)
{
	(void)if_tag; /* it is a field */
	return make_url((const az_store *)w, key, NULL, out, err);
}

static zinc_status
call_url(zinc_web *w, const zinc_web_call *c, char **out, zinc_error *err)
{
	return make_url((const az_store *)w, c->key, c->query, out, err);
}

/* ---- requests ---- */

static zinc_status
call_fields(zinc_web *w, const zinc_web_call *c, zinc_http_request *out, zinc_error *err)
{
	(void)w;
	if (c->when && c->when->when == ZINC_ABSENT)
		ZINC_TRY(zinc_http_header(out, "If-None-Match", "*", err));
	else if (c->when && c->when->when == ZINC_EQUALS)
		ZINC_TRY(zinc_web_add_condition(out, c->when->tag, err));
	return c->write ? zinc_http_header(out, zinc_az_keep[AZ_KEEP_WRITE], c->write, err) : ZINC_OK;
}

static void
call_head(zinc_web *w, zinc_web_call *c, const zinc_http_head *h)
{
	if (h->etag[0])
		zinc_web_take_tag(w, h, ZINC_HTTP_UNKNOWN, &c->tag);
	snprintf(c->found_write, sizeof c->found_write, "%.*s", ZINC_WEB_NAME - 1, h->kept[AZ_KEEP_WRITE]);
}

static bool
is_directory(const zinc_web *w, const zinc_http_head *h)
{
	(void)w;
	return strcasecmp(h->kept[AZ_KEEP_FOLDER], "true") == 0;
}

int64_t
zinc_az_clock(const az_store *s)
{
	const zinc_os *os = s->web.ctx->os;
	struct timespec t = {0, 0};

	(void)os->clock(os, CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec + atomic_load(&s->skew);
}

zinc_status
zinc_az_sign(zinc_web *w, zinc_http_request *r, const char *url, bool away, const zinc_wait *wait, zinc_error *err)
{
	az_store *s = (az_store *)w;
	zinc_status st;
	bool signs = false;

	if (away)
		return ZINC_OK;
	ZINC_TRY(zinc_http_header(r, "x-ms-version", VERSION, err));
	st = zinc_azure_sign(s->azure, r, url, zinc_az_clock(s), &signs, wait, err);
	atomic_store(&s->signs, signs);
	if (st == ZINC_OK && signs && !s->https && !s->allow_http)
		return zinc_fail(err, ZINC_E_INVALID,
				 "credentials are not sent to plain http: use https, or set az.allow_http=yes");
	return st;
}

/* ---- capabilities ---- */

#define AZ_FLAGS                                                                                                       \
	(ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_ATOMIC_PUT |      \
	 ZINC_CAP_DURABLE | ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE | ZINC_CAP_REMOTE |   \
	 ZINC_CAP_TAGS)

/* Azure takes '\' for '/', and drops dots at the end of a component. */
static void
az_caps(void *self, zinc_caps *out)
{
	const az_store *s = (const az_store *)self;

	out->flags = AZ_FLAGS;
	out->parallel = s->parallel;
	out->merge_gap = ZINC_WEB_MERGE_GAP;
	out->key_max = (uint32_t)(MAX_KEY - strlen(s->prefix));
	out->refused = "\\";
	out->reserved = ".";
}

static void
az_close(void *self)
{
	az_store *s = (az_store *)self;

	zinc_http_free(s->web.http);
	zinc_azure_free(s->azure);
	zinc_free(s->web.ctx, s->base);
	zinc_free(s->web.ctx, s->prefix);
	zinc_free(s->web.ctx, s);
}

/* ---- opening ---- */

static const zinc_setting_row az_settings[] = {
    {.name = "account",
     .place = 1,
     .purpose = "storage account [of the URL, AZURE_STORAGE_ACCOUNT, AZURE_STORAGE_ACCOUNT_NAME]"},
    {.name = "endpoint",
     .place = 1,
     .purpose = "server, as https://host or http://127.0.0.1:10000/ACCOUNT [https://ACCOUNT.blob.core.windows.net]"},
    {.name = "anonymous", .preset = "no", .purpose = "yes: send no credentials, for public containers"},
    {.name = "account_key",
     .secret = 1,
     .purpose = "key of the account [AZURE_STORAGE_KEY, _ACCOUNT_KEY, _ACCESS_KEY]"},
    {.name = "sas_token", .secret = 1, .purpose = "shared access signature [AZURE_STORAGE_SAS_TOKEN]"},
    {.name = "connection_string",
     .place = 1,
     .secret = 1,
     .purpose = "account, key and endpoint [AZURE_STORAGE_CONNECTION_STRING]"},
    {.name = "token", .secret = 1, .purpose = "access token of Entra, as it is"},
    {.name = "tenant_id", .purpose = "for client_secret and token_file [AZURE_TENANT_ID]"},
    {.name = "client_id", .purpose = "the same, or which managed identity [AZURE_CLIENT_ID]"},
    {.name = "client_secret", .secret = 1, .purpose = "of an application [AZURE_CLIENT_SECRET]"},
    {.name = "token_file", .purpose = "of workload identity [AZURE_FEDERATED_TOKEN_FILE]"},
    {.name = "authority", .purpose = "of Entra [AZURE_AUTHORITY_HOST, https://login.microsoftonline.com]"},
    {.name = "identity",
     .purpose = "address of managed identity, or none [AZURE_POD_IDENTITY_AUTHORITY_HOST, http://169.254.169.254]"},
    {.name = "allow_http",
     .type = ZINC_SETTING_YES,
     .preset = "no",
     .purpose = "send credentials over plain http to other machines, too"},
    {.name = "block_size", .type = ZINC_SETTING_COUNT, .preset = "16", .purpose = "MiB of a block of large values"},
    ZINC_WEB_SETTINGS("8"),
    {.name = "ca_file", .env = "SSL_CERT_FILE", .purpose = "certificates to trust instead of the system's, PEM"},
    {.name = NULL},
};

/* May whoever wrote the URL have named the server to get credentials of others? */
static bool
is_foreign(const char *endpoint, const zinc_store_options *o)
{
	if (!endpoint)
		return zinc_web_of_url(o, "connection_string");
	return zinc_web_of_url(o, "endpoint") && !zinc_az_is_azure(endpoint) && !zinc_web_is_loopback(endpoint);
}

/* What goes to such a server. */
static void
keep_own(zinc_azure_config *c, const zinc_store_options *o)
{
	const struct {
		const char *name, **value;
	} all[] = {{"account_key", &c->key},
		   {"sas_token", &c->sas},
		   {"token", &c->token},
		   {"connection_string", &c->connection}};
	size_t i;

	for (i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!zinc_web_of_url(o, all[i].name))
			*all[i].value = NULL;
	c->foreign = true;
}

static zinc_status
take_credentials(az_store *s, const az_place *p, const char *endpoint, const zinc_store_options *o, zinc_error *err)
{
	zinc_azure_config c = {.key = zinc_setting_text(o, "account_key"),
			       .account = zinc_setting_text(o, "account"),
			       .sas = zinc_setting_text(o, "sas_token"),
			       .token = zinc_setting_text(o, "token"),
			       .connection = zinc_setting_text(o, "connection_string"),
			       .tenant_id = zinc_setting_text(o, "tenant_id"),
			       .client_id = zinc_setting_text(o, "client_id"),
			       .client_secret = zinc_setting_text(o, "client_secret"),
			       .token_file = zinc_setting_text(o, "token_file"),
			       .authority = zinc_setting_text(o, "authority"),
			       .identity = zinc_setting_text(o, "identity"),
			       .ca_file = zinc_setting_text(o, "ca_file")};
	char *named = NULL;
	zinc_status st;
	int anonymous;

	ZINC_TRY(zinc_web_three_way(o, "az", "anonymous", NULL, &anonymous, err));
	if (zinc_web_of_url(o, "authority"))
		return zinc_fail(err, ZINC_E_INVALID,
				 "az.authority gets secrets, so a URL cannot name it: set AZURE_AUTHORITY_HOST");
	if (is_foreign(endpoint, o))
		keep_own(&c, o);
	if (c.account && p->account && strcasecmp(c.account, p->account) != 0)
		return zinc_fail(err, ZINC_E_INVALID, "az.account is another account than that of the URL");
	if (endpoint)
		ZINC_TRY(zinc_az_account_of(s->web.ctx, endpoint, &named, err));
	if (!c.account)
		c.account = p->account ? p->account : named;
	c.anonymous = anonymous == 1;
	st = zinc_azure_new(&s->azure, s->web.ctx, &c, err);
	zinc_free(s->web.ctx, named);
	return st;
}

/* The endpoint of the account, if no setting names one. */
static zinc_status
account_endpoint(az_store *s, char **out, zinc_error *err)
{
	const char *account = zinc_azure_account(s->azure);
	zinc_status st;
	zinc_buf url;

	if (!account)
		return zinc_fail(
		    err, ZINC_E_INVALID,
		    "which account?  Set az.account, AZURE_STORAGE_ACCOUNT or a connection string, or write "
		    "abfs://container@account.dfs.core.windows.net/path");
	if (account[strspn(account, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return zinc_fail(err, ZINC_E_INVALID, "az.account is not the name of a storage account");
	zinc_buf_init(&url, s->web.ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&url, err, "https://%s.blob.core.windows.net", account);
	*out = (char *)url.p;
	return st;
}

static zinc_status
take_endpoint(az_store *s, const az_place *p, const char *setting, zinc_error *err)
{
	const char *given = setting ? setting : zinc_azure_endpoint(s->azure);
	char *endpoint = NULL;
	zinc_status st;
	zinc_buf url;

	if (!given)
		given = p->endpoint;
	ZINC_TRY(given ? zinc_web_endpoint(s->web.ctx, given, "az.endpoint", true, &endpoint, err)
		       : account_endpoint(s, &endpoint, err));
	s->https = strncmp(endpoint, "https://", 8) == 0;
	s->local = !s->https && zinc_web_is_loopback(endpoint) && !s->allow_http;
	s->allow_http |= zinc_web_is_loopback(endpoint);
	zinc_buf_init(&url, s->web.ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&url, err, "%s/%s", endpoint, p->container);
	if (st == ZINC_OK && !zinc_buf_text(&url))
		st = zinc_fail_nomem(err);
	s->base = (char *)url.p;
	zinc_free(s->web.ctx, endpoint);
	return st;
}

static zinc_status
take_client(az_store *s, const zinc_store_options *o, zinc_error *err)
{
	zinc_http_config c = {.ca_file = zinc_setting_text(o, "ca_file"),
			      .direct = s->local}; /* a proxy is another machine */

	ZINC_TRY(zinc_web_config(o, "az", &c, err));
	ZINC_TRY(zinc_web_mib(o, "az", "block_size", 1, MAX_BLOCK, &s->block_bytes, err));
	s->web.retries = c.retries;
	s->parallel = (uint32_t)c.parallel;
	return zinc_http_new(&s->web.http, s->web.ctx, &c, err);
}

static zinc_status
configure_at(az_store *s, az_place *p, const char *rest, const zinc_store_options *o, zinc_error *err)
{
	const char *endpoint = zinc_setting_text(o, "endpoint");

	s->allow_http = zinc_setting_yes(o, "allow_http");
	ZINC_TRY(zinc_az_place(p, s->web.ctx, rest, err));
	ZINC_TRY(take_credentials(s, p, endpoint, o, err));
	ZINC_TRY(take_endpoint(s, p, endpoint, err));
	s->prefix = p->prefix;
	p->prefix = NULL;
	return take_client(s, o, err);
}

static void
set_web(az_store *s, zinc_context *ctx)
{
	s->web.ctx = ctx;
	s->web.any_encoding = true;
	s->web.no_suffix = s->web.unmet_if_missing = true;
	s->web.keep = s->web.call_keep = zinc_az_keep;
	s->web.call_service = AZ_KEEP_REQUEST + 1;
	s->web.key_url = key_url;
	s->web.is_directory = is_directory;
	s->web.sign = zinc_az_sign;
	s->web.judge = zinc_az_judge;
	s->web.call_url = call_url;
	s->web.call_fields = call_fields;
	s->web.call_head = call_head;
	s->web.call_judge = zinc_az_call_judge;
}

static zinc_status
az_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	zinc_context *ctx = options->context;
	az_store *s = (az_store *)zinc_calloc(ctx, 1, sizeof *s);
	az_place place = {NULL, NULL, NULL, NULL};
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	set_web(s, ctx);
	st = configure_at(s, &place, rest, options, err);
	zinc_az_place_fini(&place, ctx);
	if (st != ZINC_OK) {
		az_close(s);
		return st;
	}
	*self = s;
	return ZINC_OK;
}

const zinc_store_ops zinc_store_ops_az = {
    .size = sizeof(zinc_store_ops),
    .name = "az",
    .purpose = "blobs of a container of Azure Blob Storage",
    .schemes = "az,abfs,abfss",
    .settings = az_settings,
    .open = az_open,
    .close = az_close,
    .caps = az_caps,
    .get = zinc_web_get,
    .put = zinc_az_put,
    .del = zinc_az_del,
    .walk = zinc_az_walk,
    .more = 1,
    .flags = AZ_FLAGS,
    .variables = "AZURE_STORAGE_ACCOUNT,AZURE_STORAGE_ACCOUNT_NAME,AZURE_STORAGE_CONNECTION_STRING,AZURE_STORAGE_KEY,"
		 "AZURE_STORAGE_ACCOUNT_KEY,AZURE_STORAGE_ACCESS_KEY,AZURE_STORAGE_SAS_TOKEN,AZURE_CLIENT_ID,"
		 "AZURE_TENANT_ID",
};

ZINC_STORE_MODULE(az);
