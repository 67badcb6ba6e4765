/*
 * store_web_place.c - URLs and settings of stores on web servers: prefixes, endpoints, this machine, numbers
 */
#include "store/store_setting.h"
#include "store/store_url.h"
#include "store/store_web.h"

#define MAX_RETRIES 100

static zinc_status
add_prefix(zinc_buf *out, const char *path, size_t max, zinc_error *err)
{
	ZINC_TRY(zinc_url_unescape(out, path, strlen(path), true, err));
	if (out->n && out->p[out->n - 1] != '/')
		ZINC_TRY(zinc_buf_puts(out, "/", err));
	if (!zinc_buf_text(out))
		return zinc_fail_nomem(err);
	if (out->n >= max)
		return zinc_fail(err, ZINC_E_INVALID, "the path in the bucket is longer than %zu bytes", max);
	return zinc_prefix_check((const char *)out->p, err);
}

zinc_status
zinc_web_prefix(zinc_context *ctx, const char *path, size_t max, char **out, zinc_error *err)
{
	zinc_status st;
	zinc_buf prefix;

	zinc_buf_init(&prefix, ctx, ZINC_MAX_KEY);
	st = add_prefix(&prefix, path, max, err);
	if (st == ZINC_OK)
		*out = (char *)prefix.p;
	else
		zinc_buf_fini(&prefix);
	return st;
}

zinc_bytes
zinc_web_host(const char *url)
{
	const char *host = strstr(url, "://");
	zinc_bytes none = {NULL, 0};

	if (!host)
		return none;
	host += 3;
	return (zinc_bytes){(const uint8_t *)host, strcspn(host, "/?")};
}

bool
zinc_web_is_loopback(const char *url)
{
	static const char *const names[] = {"localhost", "127.", "[::1]"};
	const zinc_bytes host = zinc_web_host(url);
	size_t i, n;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		n = strlen(names[i]);
		if (host.n >= n && strncasecmp((const char *)host.p, names[i], n) == 0 &&
		    (i == 1 ? strspn((const char *)host.p, "0123456789.:") >= host.n : host.n == n || host.p[n] == ':'))
			return true;
	}
	return false;
}

static bool
is_endpoint(const char *url, bool path)
{
	const zinc_bytes host = zinc_web_host(url);

	return (strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0) && host.n &&
	       (path || !host.p[host.n]) && !strpbrk(url, " @?#\t\r\n\"<>\\^`{|}");
}

zinc_status
zinc_web_endpoint(zinc_context *ctx, const char *text, const char *setting, bool path, char **out, zinc_error *err)
{
	zinc_status st;
	zinc_buf url;

	zinc_buf_init(&url, ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&url, err, "%s%s", strstr(text, "://") ? "" : "https://", text);
	while (st == ZINC_OK && url.n && url.p[url.n - 1] == '/')
		url.n--;
	if (st == ZINC_OK && !zinc_buf_text(&url))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK && !is_endpoint((const char *)url.p, path))
		st = zinc_fail(err, ZINC_E_INVALID, "%s must be https://host or https://host:port", setting);
	if (st == ZINC_OK)
		*out = (char *)url.p;
	else
		zinc_buf_fini(&url);
	return st;
}

bool
zinc_web_of_url(const zinc_store_options *o, const char *name)
{
	const char *names = zinc_setting_text(o, ZINC_SETTING_OF_URL);
	const size_t n = strlen(name);

	for (; names && *names; names += strcspn(names, ",") + 1)
		if (strncmp(names, name, n) == 0 && names[n] == ',')
			return true;
	return false;
}

zinc_status
zinc_web_three_way(const zinc_store_options *o, const char *store, const char *name, const char *other, int *out,
		   zinc_error *err)
{
	static const struct {
		const char *text;
		int value;
	} words[] = {{"yes", 1}, {"1", 1}, {"true", 1}, {"no", 0}, {"0", 0}, {"false", 0}};
	const char *text = zinc_setting_text(o, name);
	size_t i;

	*out = -1;
	for (i = 0; text && i < sizeof words / sizeof words[0]; i++)
		if (strcmp(text, words[i].text) == 0)
			*out = words[i].value;
	if (*out != -1 || (other && text && strcmp(text, other) == 0))
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_INVALID, "%s.%s must be yes or no%s%s", store, name, other ? " or " : "",
			 other ? other : "");
}

zinc_status
zinc_web_config(const zinc_store_options *o, const char *store, zinc_http_config *out, zinc_error *err)
{
	const double timeout = zinc_setting_number(o, "timeout"), retries = zinc_setting_number(o, "retries"),
		     parallel = zinc_setting_number(o, "parallel");

	if (!(timeout > 0))
		return zinc_fail(err, ZINC_E_INVALID, "%s.timeout must be above 0", store);
	if (!(parallel >= 1 && parallel <= ZINC_WEB_MAX_PARALLEL))
		return zinc_fail(err, ZINC_E_INVALID, "%s.parallel must be 1 to %d", store, ZINC_WEB_MAX_PARALLEL);
	if (!(retries <= MAX_RETRIES))
		return zinc_fail(err, ZINC_E_INVALID, "%s.retries must be 0 to %d", store, MAX_RETRIES);
	out->timeout = timeout;
	out->retries = (int)retries;
	out->parallel = (int)parallel;
	return ZINC_OK;
}

zinc_status
zinc_web_mib(const zinc_store_options *o, const char *store, const char *name, unsigned min, unsigned max,
	     uint64_t *out, zinc_error *err)
{
	const double n = zinc_setting_number(o, name);

	if (!(n >= min && n <= max))
		return zinc_fail(err, ZINC_E_INVALID, "%s.%s must be %u to %u MiB", store, name, min, max);
	*out = (uint64_t)n * ZINC_MIB;
	return ZINC_OK;
}

void
zinc_web_printable(char *out, size_t cap, const void *text, size_t n)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t i;

	n = n < cap - 1 ? n : cap - 1;
	for (i = 0; i < n; i++)
		out[i] = p[i] >= ' ' && p[i] < 0x7f ? (char)p[i] : '?';
	out[n] = '\0';
}
