/*
 * test_azure.c - credentials of Azure, by the promises of azure.c, azure_token.c and azure_connection.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/azure_inside.h"
#include "support/blobs.h"
#include "support/files.h"
#include "support/sweep.h"
#include "support/test.h"

static web server;
static char text[4096];

static const char *
identity(const char *mode)
{
	static char all[4][256];
	static int k;

	k = (k + 1) % 4;
	snprintf(all[k], sizeof all[k], "http://127.0.0.1:%d/_identity/%s", server.port, mode);
	return all[k];
}

static void
clean(void)
{
	static const char *const names[] = {"AZURE_STORAGE_ACCOUNT",   "AZURE_STORAGE_ACCOUNT_NAME",
					    "AZURE_STORAGE_KEY",       "AZURE_STORAGE_ACCOUNT_KEY",
					    "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_CONNECTION_STRING",
					    "AZURE_CLIENT_ID",         "AZURE_TENANT_ID",
					    "AZURE_CLIENT_SECRET",     "AZURE_FEDERATED_TOKEN_FILE",
					    "AZURE_AUTHORITY_HOST",    "IDENTITY_ENDPOINT",
					    "IDENTITY_HEADER"};
	size_t i;

	for (i = 0; i < COUNT(names); i++)
		unsetenv(names[i]);
	setenv("AZURE_POD_IDENTITY_AUTHORITY_HOST", "none", 1);
}

/* What a request to a URL carries: "SharedKey lab", "sas ...", "Bearer ...", "nothing", or the error. */
static const char *
carried(zinc_azure *a, const char *url)
{
	zinc_http_request r = {.method = "GET", .url = url};
	zinc_error err = ZINC_ERROR_INIT;
	const char *line = NULL;
	bool signs = false;
	size_t i;

	zinc_buf_init(&r.headers, zinc_context_get(NULL), ZINC_MIB);
	if (zinc_azure_sign(a, &r, url, 1700000000, &signs, NULL, &err) != ZINC_OK) {
		snprintf(text, sizeof text, "%s %s", zinc_status_name(err.code), zinc_error_text(&err));
		zinc_buf_fini(&r.headers);
		return text;
	}
	for (i = 0; i < r.headers.n; i += strlen((const char *)r.headers.p + i) + 1)
		if (strncmp((const char *)r.headers.p + i, "Authorization: ", 15) == 0)
			line = (const char *)r.headers.p + i + 15;
	assert_int_equal(signs, line || r.secret_query);
	if (line && strncmp(line, "SharedKey", 9) == 0)
		snprintf(text, sizeof text, "%.*s", (int)strcspn(line, ":"), line);
	else
		snprintf(text, sizeof text, "%s%s", r.secret_query ? "sas " : "",
			 line             ? line
			 : r.secret_query ? r.secret_query
					  : "nothing");
	zinc_buf_fini(&r.headers);
	return text;
}

static const char *
look(zinc_azure_config c)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_azure *a = NULL;

	if (zinc_azure_new(&a, NULL, &c, &err) != ZINC_OK)
		snprintf(text, sizeof text, "%s %s", zinc_status_name(err.code), zinc_error_text(&err));
	else
		(void)carried(a, "https://h/c/k");
	zinc_azure_free(a);
	if (strncmp(text, "E_", 2) == 0)
		assert_null(strstr(text, "canary")); /* (3) */
	return text;
}

#define LOOK(...) look((zinc_azure_config){__VA_ARGS__})

static void
expect(const char *got, const char *want)
{
	if (!strstr(got, want))
		fail_msg("%s instead of %s", got, want);
}

/* ---- azure.c ---- */

/* (1) */
static void
settings_win(void **state)
{
	(void)state;
	clean();
	expect(LOOK(.account = "lab"), "nothing");
	setenv("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=env", 1);
	expect(LOOK(.account = "lab"), "sas sv=1&sig=env");
	setenv("AZURE_STORAGE_KEY", "AAAA", 1);
	expect(LOOK(.account = "lab"), "SharedKey lab");
	setenv("AZURE_STORAGE_CONNECTION_STRING", "AccountName=lab;SharedAccessSignature=?sv=1&sig=connection", 1);
	expect(LOOK(.account = "lab"), "sas sv=1&sig=connection");
	expect(LOOK(.account = "lab", .sas = "?sig=mine"), "sas sig=mine");
	expect(LOOK(.account = "lab", .token = "canary"), "Bearer canary");
	expect(LOOK(.account = "lab", .key = "BBBB", .sas = "sig=mine"), "SharedKey lab");
	expect(LOOK(.account = "lab", .anonymous = true, .key = "BBBB"), "nothing");
	expect(LOOK(.account = "lab", .identity = identity("good")), "Bearer canary-token");
	clean();
	setenv("AZURE_STORAGE_ACCOUNT_NAME", "named", 1);
	expect(LOOK(.key = "AAAA"), "SharedKey named");
	clean();
	expect(LOOK(.key = "AAAA"), "E_INVALID a key needs the name of its account");
	expect(LOOK(.key = "canary*"), "E_INVALID the key of the account is not base64");
	expect(LOOK(.sas = "canary"), "E_INVALID the SAS token is not");
	expect(LOOK(.sas = "sig=canary\r\nX: 1"), "E_INVALID the SAS token is not");
}

/* (2) */
static void
environment_is_of_its_account(void **state)
{
	(void)state;
	clean();
	setenv("AZURE_STORAGE_ACCOUNT", "lab", 1);
	setenv("AZURE_STORAGE_KEY", "AAAA", 1);
	expect(LOOK(.account = NULL), "SharedKey lab");
	expect(LOOK(.account = "lab"), "SharedKey lab");
	expect(LOOK(.account = "other"), "nothing");
	clean();
	setenv("AZURE_STORAGE_CONNECTION_STRING", "AccountName=lab;AccountKey=AAAA", 1);
	expect(LOOK(.account = NULL), "SharedKey lab");
	expect(LOOK(.account = "other"), "nothing");
	expect(LOOK(.account = "other", .connection = "AccountName=lab;AccountKey=AAAA"), "E_INVALID");
}

/* (8) */
static void
refused_tokens_are_asked_for_again(void **state)
{
	zinc_azure_config c = {.account = "lab", .identity = identity("number")};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_azure *a = NULL;

	(void)state;
	clean();
	assert_ok(zinc_azure_new(&a, NULL, &c, &err));
	expect(carried(a, "https://h/c/k"), "Bearer canary-token-");
	assert_true(zinc_azure_shows_secret(a, (zinc_bytes){(const uint8_t *)text, strlen(text)}));
	assert_false(zinc_azure_refused(a)); /* it is new: it would not get better */
	assert_int_equal(web_count(&server, "number"), 1);
	zinc_azure_free(a);
	c.key = "AAAA";
	assert_ok(zinc_azure_new(&a, NULL, &c, &err));
	assert_false(zinc_azure_refused(a));
	zinc_azure_free(a);
}

/* ---- azure_token.c ---- */

/* (4), (6), (7) */
static void
managed_identities(void **state)
{
	static const struct {
		const char *mode, *want;
	} modes[] = {
	    {"good", "Bearer canary-token-"},
	    {"number", "Bearer canary-token-"},
	    {"absolute", "Bearer canary-token-"},
	    {"short", "Bearer canary-token-"},
	    {"busy", "Bearer canary-token-"},
	    {"updating", "Bearer canary-token-"},
	    {"past", "E_IO the token from managed identity has already ended; if it is new, the clock"},
	    {"none", "E_IO credentials from managed identity: HTTP 400: no identity"},
	    {"refuse", "E_IO credentials from managed identity: refused: HTTP 401 invalid_client"},
	    {"html", "E_IO credentials from managed identity: the answer is no JSON"},
	    {"cut", "E_IO credentials from managed identity: the answer is no JSON"},
	    {"empty", "E_IO credentials from managed identity: the answer has no valid \"access_token\""},
	    {"spaces", "E_IO credentials from managed identity: the answer has no valid \"access_token\""},
	    {"never", "E_IO credentials from managed identity: the answer has no valid \"expires_in\""},
	    {"long", "too long"},
	    {"away", "E_IO"},
	};
	size_t i;

	(void)state;
	clean();
	for (i = 0; i < COUNT(modes); i++)
		expect(LOOK(.account = "lab", .identity = identity(modes[i].mode)), modes[i].want);
	expect(LOOK(.account = "lab", .identity = identity("good"), .client_id = "a b"), "Bearer");
	expect(cloud_log(&server, "good"), "resource=https%3A%2F%2Fstorage.azure.com%2F&client_id=a%20b true");
	expect(LOOK(.account = "lab", .identity = "http://192.0.2.1"), "E_INVALID");
	expect(LOOK(.account = "lab", .identity = "http://127.0.0.1@evil.org"), "E_INVALID");
	expect(LOOK(.account = "lab", .identity = "http://127.0.0.1.evil.org"), "E_INVALID");
	expect(LOOK(.account = "lab", .identity = "none"), "nothing");
}

static void
app_service(void **state)
{
	char endpoint[256];

	(void)state;
	clean();
	snprintf(endpoint, sizeof endpoint, "%s/msi", identity("absolute"));
	setenv("IDENTITY_ENDPOINT", endpoint, 1);
	expect(LOOK(.account = "lab"), "nothing"); /* half of it is another product's */
	setenv("IDENTITY_HEADER", "canary-header", 1);
	expect(LOOK(.account = "lab"), "Bearer canary-token-");
	expect(cloud_log(&server, "absolute"), "GET msi api-version=2019-08-01&resource=");
	setenv("IDENTITY_HEADER", "canary-wrong", 1);
	expect(LOOK(.account = "lab"),
	       "E_IO credentials from the identity of the App Service: refused: HTTP 401 unauthorized");
	setenv("IDENTITY_ENDPOINT", "http://192.0.2.1/msi", 1);
	expect(LOOK(.account = "lab"), "E_INVALID");
	clean();
}

/* (4), (5), (6) */
static void
entra(void **state)
{
	static const char *const bad[] = {"http://evil.org", "ftp://h", "login"};
	size_t i;

	(void)state;
	clean();
	expect(LOOK(.client_secret = "canary+/="), "E_INVALID credentials from the client secret: set az.client_id");
	expect(LOOK(.client_secret = "canary", .client_id = "me"), "set az.tenant_id");
	expect(LOOK(.client_secret = "canary", .client_id = "me", .tenant_id = "a/b"), "not the id of a tenant");
	setenv("AZURE_AUTHORITY_HOST", identity("number"), 1);
	expect(LOOK(.client_secret = "canary+/=", .client_id = "me", .tenant_id = "t.example"), "Bearer canary-token-");
	expect(cloud_log(&server, "number"), "POST t.example/oauth2/v2.0/token    "
					     "client_secret=canary%2B%2F%3D&client_id=me&grant_type=client_credentials&"
					     "scope=https%3A%2F%2Fstorage.azure.com%2F.default");
	expect(LOOK(.client_secret = "canary", .client_id = "me", .tenant_id = "t", .authority = identity("refuse")),
	       "refused: HTTP 401 invalid_client");
	for (i = 0; i < COUNT(bad); i++)
		expect(LOOK(.client_secret = "canary", .client_id = "me", .tenant_id = "t", .authority = bad[i]),
		       "E_INVALID");
	expect(LOOK(.client_secret = "canary", .client_id = "me", .tenant_id = "t", .authority = identity("away")),
	       "E_IO");
	assert_null(strstr(cloud_log(&server, "away-log"), "canary"));
	clean();
}

static void
workload_identity(void **state)
{
	(void)state;
	clean();
	setenv("AZURE_CLIENT_ID", "me", 1);
	setenv("AZURE_TENANT_ID", "t", 1);
	setenv("AZURE_AUTHORITY_HOST", identity("short"), 1);
	setenv("AZURE_FEDERATED_TOKEN_FILE", "none", 1);
	expect(LOOK(.account = "lab"),
	       "E_INVALID credentials from workload identity: the token file none cannot be read");
	setenv("AZURE_FEDERATED_TOKEN_FILE", "token", 1);
	write_file("token", "canary.jwt.x\n");
	expect(LOOK(.account = "lab"), "Bearer canary-token-");
	expect(cloud_log(&server, "short"), "client_assertion=canary.jwt.x&client_assertion_type=urn%3Aietf");
	write_file("token", "canary two");
	expect(LOOK(.account = "lab"), "has no token");
	write_file("token", "");
	expect(LOOK(.account = "lab"), "has no token");
	clean();
}

/* ---- azure_connection.c ---- */

static void
connection_strings(void **state)
{
	static const struct {
		const char *string, *account, *endpoint; /* NULL: malformed */
	} all[] = {
	    {"UseDevelopmentStorage=true", "devstoreaccount1", "http://127.0.0.1:10000/devstoreaccount1"},
	    {"usedevelopmentstorage=TRUE;DevelopmentStorageProxyUri=http://h", "devstoreaccount1",
	     "http://h:10000/devstoreaccount1"},
	    {"DefaultEndpointsProtocol=https;AccountName=lab;AccountKey=AA==;EndpointSuffix=core.windows.net", "lab",
	     "https://lab.blob.core.windows.net"},
	    {" AccountName=lab; AccountKey=AA==;;", "lab", "https://lab.blob.core.windows.net"},
	    {"AccountName=lab;AccountKey=AA==;BlobEndpoint=http://127.0.0.1:1/lab;QueueEndpoint=x", "lab",
	     "http://127.0.0.1:1/lab"},
	    {"BlobEndpoint=https://h;SharedAccessSignature=sv=1&sig=2", NULL, "https://h"},
	    {"", NULL, NULL},
	    {"canary", NULL, NULL},
	    {"=canary", NULL, NULL},
	    {"AccountName=", NULL, NULL},
	    {"AccountName=lab;AccountName=canary;AccountKey=AA==", NULL, NULL},
	    {"AccountName=evil.org/canary;AccountKey=AA==", NULL, NULL},
	    {"AccountName=lab;AccountKey=AA==;EndpointSuffix=evil/canary", NULL, NULL},
	    {"AccountName=lab;DefaultEndpointsProtocol=canary", NULL, NULL},
	    {"AccountKey=canary;BlobEndpoint=https://h", NULL, NULL},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		zinc_azure_connection c;
		zinc_secret *pool = NULL;

		assert_ok(zinc_secret_new(&pool, NULL, ZINC_MIB, &err));
		if (!all[i].endpoint) {
			assert_int_equal(zinc_azure_parse_connection(&c, pool, all[i].string, &err), ZINC_E_INVALID);
			assert_null(strstr(err.text, "canary"));
		} else {
			assert_ok(zinc_azure_parse_connection(&c, pool, all[i].string, &err));
			assert_string_equal(c.endpoint, all[i].endpoint);
			assert_true(all[i].account ? c.account && strcmp(c.account, all[i].account) == 0 : !c.account);
		}
		zinc_secret_free(pool);
	}
}

/* ---- memory ---- */

static zinc_status
open_and_sign(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_azure_config *c = (const zinc_azure_config *)arg;
	zinc_http_request r = {.method = "GET"};
	zinc_azure *a = NULL;
	zinc_status st;
	bool signs;

	ZINC_TRY(zinc_azure_new(&a, ctx, c, err));
	zinc_buf_init(&r.headers, ctx, ZINC_MIB);
	st = zinc_azure_sign(a, &r, "https://h/c/k?comp=list", 1700000000, &signs, NULL, err);
	zinc_buf_fini(&r.headers);
	zinc_azure_free(a);
	return st;
}

static void
memory_runs_out(void **state)
{
	zinc_azure_config key = {.connection = "AccountName=lab;AccountKey=AAAA"};
	zinc_azure_config token = {.account = "lab", .identity = identity("number")};

	(void)state;
	clean();
	sweep_alloc(open_and_sign, &key);
	sweep_alloc(open_and_sign, &token);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(settings_win),
	    cmocka_unit_test(environment_is_of_its_account),
	    cmocka_unit_test(refused_tokens_are_asked_for_again),
	    cmocka_unit_test(managed_identities),
	    cmocka_unit_test(app_service),
	    cmocka_unit_test(entra),
	    cmocka_unit_test(workload_identity),
	    cmocka_unit_test(connection_strings),
	    cmocka_unit_test(memory_runs_out),
	};
	int failed;

	if (!cloud_can())
		return 77;
	blobs_start(&server, false);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	web_stop(&server);
	return failed;
}
