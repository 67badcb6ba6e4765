/*
 * azure_connection.c - connection strings of Azure Storage
 *
 *     DefaultEndpointsProtocol=https;AccountName=lab;AccountKey=...;EndpointSuffix=core.windows.net
 *     BlobEndpoint=https://lab.blob.core.windows.net;SharedAccessSignature=...
 *     UseDevelopmentStorage=true
 *
 * Promises (tests/unit/test_azure.c names each by its number):
 *
 * (1) A member that is there twice, one without a value or a name, an account whose name could lead elsewhere: E_INVALID.
 *     Members that are not known are ignored.
 * (2) No error shows any part of the string.
 * (3) Everything read is in the pool of secrets.
 */
#include <stdio.h>

#include "net/azure_inside.h"

#define MAX_STRING 65536

const char zinc_azure_emulator_account[] = "devstoreaccount1";
const char zinc_azure_emulator_key[] =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

enum { PROTOCOL, ACCOUNT, KEY, SUFFIX, ENDPOINT, SAS, EMULATOR, PROXY, MEMBERS };

static const char *const names[MEMBERS] = {"DefaultEndpointsProtocol",
					   "AccountName",
					   "AccountKey",
					   "EndpointSuffix",
					   "BlobEndpoint",
					   "SharedAccessSignature",
					   "UseDevelopmentStorage",
					   "DevelopmentStorageProxyUri"};

static zinc_status
malformed(const char *why, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_INVALID, "the connection string is malformed: %s", why);
}

/* One "name=value" of n bytes. */
static zinc_status
take_member(const char *values[MEMBERS], zinc_secret *pool, const char *text, size_t n, zinc_error *err)
{
	const char *equals = (const char *)memchr(text, '=', n);
	const size_t nname = equals ? (size_t)(equals - text) : 0, nvalue = n - nname - 1;
	int k;

	if (nname == 0)
		return malformed("a part is not of the form name=value", err);
	for (k = 0; k < MEMBERS; k++)
		if (strlen(names[k]) == nname && strncasecmp(names[k], text, nname) == 0)
			break;
	if (k == MEMBERS)
		return ZINC_OK;
	if (values[k])
		return malformed("a member is there twice", err);
	if (nvalue == 0)
		return malformed("a member has no value", err);
	values[k] = zinc_secret_text(pool, equals + 1, nvalue);
	return values[k] ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
split(const char *values[MEMBERS], zinc_secret *pool, const char *text, zinc_error *err)
{
	size_t n;

	if (strlen(text) > MAX_STRING)
		return malformed("it is too long", err);
	for (; *text; text += n + (text[n] == ';')) {
		text += strspn(text, " \t\r\n");
		n = strcspn(text, ";");
		if (n)
			ZINC_TRY(take_member(values, pool, text, n, err));
	}
	return ZINC_OK;
}

/* A text in the pool from up to six pieces. */
static zinc_status
join(const char **out, zinc_secret *pool, const char *const pieces[6], zinc_error *err)
{
	size_t n = 1;
	char *text;
	int k;

	for (k = 0; k < 6; k++)
		n += strlen(pieces[k]);
	text = (char *)zinc_secret_alloc(pool, n);
	if (!text)
		return zinc_fail_nomem(err);
	snprintf(text, n, "%s%s%s%s%s%s", pieces[0], pieces[1], pieces[2], pieces[3], pieces[4], pieces[5]);
	*out = text;
	return ZINC_OK;
}

static bool
is_host(const char *s)
{
	return s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")] == '\0';
}

/* Azurite on this machine, or on another that is named. */
static zinc_status
use_emulator(zinc_azure_connection *out, zinc_secret *pool, const char *proxy, zinc_error *err)
{
	const char *const pieces[6] = {
	    proxy ? proxy : "http://127.0.0.1", ":10000/", zinc_azure_emulator_account, "", "", ""};

	out->account = zinc_azure_emulator_account;
	out->key = zinc_azure_emulator_key;
	return join(&out->endpoint, pool, pieces, err);
}

static zinc_status
make_endpoint(zinc_azure_connection *out, zinc_secret *pool, const char *const values[MEMBERS], zinc_error *err)
{
	const char *protocol = values[PROTOCOL] ? values[PROTOCOL] : "https";
	const char *const pieces[6] = {
	    protocol, "://", out->account, ".blob.", values[SUFFIX] ? values[SUFFIX] : "core.windows.net", ""};

	if (strcasecmp(protocol, "https") != 0 && strcasecmp(protocol, "http") != 0)
		return malformed("DefaultEndpointsProtocol must be https or http", err);
	if (!is_host(pieces[4]))
		return malformed("EndpointSuffix is not the end of a host name", err);
	return join(&out->endpoint, pool, pieces, err);
}

zinc_status
zinc_azure_parse_connection(zinc_azure_connection *out, zinc_secret *pool, const char *text, zinc_error *err)
{
	const char *values[MEMBERS] = {NULL};

	memset(out, 0, sizeof *out);
	ZINC_TRY(split(values, pool, text, err));
	if (values[EMULATOR] && strcasecmp(values[EMULATOR], "true") == 0)
		return use_emulator(out, pool, values[PROXY], err);
	if (values[ACCOUNT] && !is_host(values[ACCOUNT]))
		return malformed("AccountName is not the name of an account", err);
	if (!values[ACCOUNT] && (values[KEY] || !values[ENDPOINT]))
		return malformed("it has no AccountName", err);
	out->account = values[ACCOUNT];
	out->key = values[KEY];
	out->sas = values[SAS];
	out->endpoint = values[ENDPOINT];
	return out->endpoint ? ZINC_OK : make_endpoint(out, pool, values, err);
}
