/*
 * store_az_place.c - where a URL of the az store leads
 *
 *     az://container/a/b                                             account and endpoint are settings
 *     abfs://container@account.dfs.core.windows.net/a/b              the same as
 *     az://container@account.blob.core.windows.net/a/b
 *
 * Promises (tests/unit/test_store_az.c names each by its number, as those of store_az.c):
 *
 * (1) A host in a URL is one of Azure's: credentials are found without being asked for, so it cannot send them elsewhere.
 *     Other servers are the setting `endpoint`.  If that is in the URL's query, or the connection string that names the
 *     server is, it gets only credentials of the same query, unless it is of Azure or on this machine.
 */
#include <stdio.h>

#include "store/store_az.h"

#define MAX_CONTAINER 63
#define MAX_KEY       1024

/* ---- hosts of Azure ---- */

static const char *const clouds[] = {".core.windows.net", ".core.chinacloudapi.cn", ".core.usgovcloudapi.net",
				     ".core.cloudapi.de", ".storage.azure.net",     ".fabric.microsoft.com"};

static bool
ends_with(const char *s, size_t n, const char *end)
{
	const size_t m = strlen(end);

	return n > m && strncasecmp(s + n - m, end, m) == 0;
}

/* "account[.z01].blob" of "account.blob.core.windows.net"; 0: it is no host of Azure. */
static size_t
before_cloud(const char *host, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof clouds / sizeof clouds[0]; i++)
		if (ends_with(host, n, clouds[i]))
			return n - strlen(clouds[i]);
	return 0;
}

static bool
is_name(const char *s, size_t n, const char *more)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
	size_t i;

	for (i = 0; i < n; i++)
		if (!s[i] || (!strchr(plain, s[i]) && !strchr(more, s[i])))
			return false;
	return n > 0;
}

/* "account.dfs.core.windows.net" -> "account" and "https://account.blob.core.windows.net" */
static zinc_status
take_host(az_place *out, zinc_context *ctx, const char *host, size_t n, zinc_error *err)
{
	const size_t before = before_cloud(host, n), account = strcspn(host, ".");
	const bool dfs = ends_with(host, before, ".dfs"), blob = ends_with(host, before, ".blob");
	const size_t kept = before - (dfs ? 4 : 5);
	zinc_status st;
	zinc_buf url;

	if (!before || (!dfs && !blob) || !is_name(host, n, ".") || account > kept)
		return zinc_fail(err, ZINC_E_INVALID,
				 "the host of the URL must be ACCOUNT.dfs.core.windows.net or one like it; for another "
				 "server set az.endpoint");
	out->account = zinc_strndup(ctx, host, account);
	zinc_buf_init(&url, ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&url, err, "https://%.*s.blob%.*s", (int)kept, host, (int)(n - before), host + before);
	if (st == ZINC_OK && (!zinc_buf_text(&url) || !out->account))
		st = zinc_fail_nomem(err);
	out->endpoint = (char *)url.p;
	return st;
}

/* ---- URLs ---- */

/* "$root" and "$web" are containers, too. */
static bool
is_container(const char *s, size_t n)
{
	return n <= MAX_CONTAINER && is_name(s + (s[0] == '$'), n - (s[0] == '$'), "");
}

zinc_status
zinc_az_place(az_place *out, zinc_context *ctx, const char *rest, zinc_error *err)
{
	const size_t n = strcspn(rest, "/");
	const char *at = (const char *)memchr(rest, '@', n);
	const size_t container = at ? (size_t)(at - rest) : n;

	memset(out, 0, sizeof *out);
	if (container == 0 || !is_container(rest, container))
		return zinc_fail(err, ZINC_E_INVALID,
				 "the URL needs the name of a container: az://container/path, or "
				 "abfs://container@account.dfs.core.windows.net/path");
	if (at)
		ZINC_TRY(take_host(out, ctx, at + 1, n - container - 1, err));
	out->container = zinc_strndup(ctx, rest, container);
	if (!out->container)
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_web_prefix(ctx, rest + n + (rest[n] == '/'), MAX_KEY, &out->prefix, err));
	if (strchr(out->prefix, '\\') || strstr(out->prefix, "./"))
		return zinc_fail(err, ZINC_E_INVALID,
				 "Azure takes '\\' for '/' and drops dots before '/': name another path");
	return ZINC_OK;
}

void
zinc_az_place_fini(az_place *p, zinc_context *ctx)
{
	zinc_free(ctx, p->container);
	zinc_free(ctx, p->prefix);
	zinc_free(ctx, p->account);
	zinc_free(ctx, p->endpoint);
	memset(p, 0, sizeof *p);
}

bool
zinc_az_is_azure(const char *endpoint)
{
	const zinc_bytes host = zinc_web_host(endpoint);

	return strncasecmp(endpoint, "https://", 8) == 0 && before_cloud((const char *)host.p, host.n);
}

zinc_status
zinc_az_account_of(zinc_context *ctx, const char *endpoint, char **out, zinc_error *err)
{
	const zinc_bytes host = zinc_web_host(endpoint);
	const char *path = host.p ? (const char *)host.p + host.n : "";
	const char *from = path + strspn(path, "/");
	size_t n = strcspn(from, "/");

	*out = NULL;
	if (n == 0 && host.p && before_cloud((const char *)host.p, host.n)) {
		from = (const char *)host.p;
		n = strcspn(from, ".");
	}
	if (!is_name(from, n, "_"))
		return ZINC_OK;
	*out = zinc_strndup(ctx, from, n);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}
