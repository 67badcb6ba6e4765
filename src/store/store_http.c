/*
 * store_http.c - keys below a URL; a module.  store_http_put.c changes them, if the setting "write" allows it
 *
 *     http://host/base?query   +   key "a b/c"   =   http://host/base/a%20b/c?query
 *
 * Promises (tests/unit/test_store_http.c names each by its number):
 *
 * (1) 404 and 410 mean "missing"; 403 and every other answer without a value is a failure.
 * (2), (3), (6): store_web.c.
 * (4) A server without ranges can be read, too; caps then say that it has none.
 * (5) Neither password nor query of the URL appears in an error.
 * (7) An ETag is no tag while a change within the same second could have the same one: servers make them of date and
 *     size.  With "conditions" the server is trusted to change it each time.
 * (8) A redirection from a key to the same name with '/' is a directory: the key is missing.
 */
#include "store/store_http.h"

static zinc_status
key_url(const zinc_web *w, const char *key, const zinc_tag *if_tag, char **out, zinc_error *err)
{
	const http_store *s = (const http_store *)w;
	zinc_status st;
	zinc_buf url;

	(void)if_tag;
	zinc_buf_init(&url, s->web.ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&url, err, "%s/", s->base);
	if (st == ZINC_OK)
		st = zinc_web_escape(&url, key, err);
	if (st == ZINC_OK)
		st = zinc_buf_puts(&url, s->query, err);
	if (st == ZINC_OK && !zinc_buf_text(&url))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		*out = (char *)url.p;
	else
		zinc_buf_fini(&url);
	return st;
}

/* Ranges are assumed until a server sends a whole value instead.  Tags are reported once seen, and no longer when one
 * was missing. */
static void
http_caps(void *self, zinc_caps *out)
{
	http_store *s = (http_store *)self;
	const unsigned seen = atomic_load(&s->web.seen);

	out->flags = ZINC_CAP_READ | ZINC_CAP_REMOTE;
	if (!(seen & SEEN_NO_RANGES))
		out->flags |= ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE;
	if ((seen & (SEEN_TAG | SEEN_NO_TAG)) == SEEN_TAG || (s->writes && s->conditions))
		out->flags |= ZINC_CAP_TAGS;
	if (s->writes)
		out->flags |= ZINC_CAP_WRITE | ZINC_CAP_ERASE;
	if (s->writes && s->conditions)
		out->flags |= ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE;
	out->parallel = s->parallel;
	out->merge_gap = ZINC_WEB_MERGE_GAP;
}

static void
http_close(void *self)
{
	http_store *s = (http_store *)self;

	zinc_http_free(s->web.http);
	zinc_free(s->web.ctx, s->base);
	zinc_free(s->web.ctx, s->query);
	zinc_free(s->web.ctx, s);
}

/* "user:password@host:port": a host is required, and a port after the last ':' behind the last '@'.  An unescaped '/'
 * in a password ends the authority too early, and the rest of it looks like a port. */
static bool
is_authority(const char *s, size_t n)
{
	const char *at = (const char *)memrchr(s, '@', n), *host = at ? at + 1 : s, *end = s + n;
	const char *colon = host < end && *host == '[' ? (const char *)memchr(host, ']', (size_t)(end - host)) : host;

	if (!colon)
		return false;
	colon = (const char *)memchr(colon, ':', (size_t)(end - colon));
	if (host == (colon ? colon : end) || (at && memchr(s, '@', (size_t)(at - s))))
		return false;
	return !colon || colon + 1 + strspn(colon + 1, "0123456789") == end;
}

/* "host/base/?query" -> "scheme://host/base" and "?query" */
static zinc_status
split_url(http_store *s, const char *scheme, const char *rest, zinc_error *err)
{
	size_t n = strcspn(rest, "?");
	const char *query = rest + n;
	zinc_buf base;
	zinc_status st;

	if (strcspn(rest, "/?") == 0)
		return zinc_fail(err, ZINC_E_INVALID, "a URL without a host");
	if (!is_authority(rest, strcspn(rest, "/?#")))
		return zinc_fail(
		    err, ZINC_E_INVALID,
		    "host or port are malformed; in a password write '/' %%2F, '?' %%3F, '#' %%23, '@' %%40");
	if (strpbrk(rest, " #\t\r\n"))
		return zinc_fail(err, ZINC_E_INVALID, "the URL has a blank or a '#': write %%20 and %%23");
	while (n && rest[n - 1] == '/')
		n--;
	zinc_buf_init(&base, s->web.ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&base, err, "%s://", scheme);
	if (st == ZINC_OK)
		st = zinc_buf_add(&base, rest, n, err);
	s->query = zinc_strdup(s->web.ctx, query[0] && query[1] ? query : "");
	if (st == ZINC_OK && (!zinc_buf_text(&base) || !s->query))
		st = zinc_fail_nomem(err);
	s->base = (char *)base.p;
	return st;
}

static const zinc_setting_row http_settings[] = {
    ZINC_WEB_SETTINGS("4"),
    {.name = "ca_file", .env = "SSL_CERT_FILE", .purpose = "certificates to trust instead of the system's, PEM"},
    {.name = "write", .type = ZINC_SETTING_YES, .preset = "no", .purpose = "change values by PUT and DELETE"},
    {.name = "conditions",
     .type = ZINC_SETTING_YES,
     .preset = "no",
     .purpose = "the server honours If-Match and If-None-Match of a PUT"},
    {.name = "header.*", .secret = 1, .purpose = "a header of every request, as header.Authorization"},
    {.name = NULL},
};

/* Header names are tokens (RFC 9110 section 5.6.2); values are already checked as text. */
static zinc_status
add_header(const char **lines, size_t *n, const zinc_setting *s, zinc_context *ctx, zinc_error *err)
{
	const char *name = s->name + strlen("header.");
	zinc_status st;
	zinc_buf line;

	if (name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~")])
		return zinc_fail(err, ZINC_E_INVALID, "http.header.%.60s is not a valid header name", name);
	zinc_buf_init(&line, ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&line, err, s->value[0] ? "%s: %s" : "%s;", name, s->value);
	if (st == ZINC_OK && !zinc_buf_text(&line))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		lines[(*n)++] = (const char *)line.p;
	else
		zinc_buf_fini(&line);
	return st;
}

/* Make the HTTP client from the settings. */
static zinc_status
make_client(http_store *s, const zinc_store_options *o, zinc_error *err)
{
	zinc_http_config c = {.ca_file = zinc_setting_text(o, "ca_file")};
	const char **lines = (const char **)zinc_calloc(s->web.ctx, o->nsettings + 1, sizeof *lines);
	zinc_status st = lines ? zinc_web_config(o, "http", &c, err) : zinc_fail_nomem(err);
	size_t i;

	for (i = 0; i < o->nsettings && st == ZINC_OK; i++)
		if (strncmp(o->settings[i].name, "header.", 7) == 0)
			st = add_header(lines, &c.nheaders, &o->settings[i], s->web.ctx, err);
	c.headers = lines;
	s->parallel = (uint32_t)c.parallel;
	s->writes = zinc_setting_yes(o, "write");
	s->conditions = zinc_setting_yes(o, "conditions");
	s->web.dated_tags = !s->conditions;
	if (st == ZINC_OK)
		st = zinc_http_new(&s->web.http, s->web.ctx, &c, err);
	for (i = 0; i < c.nheaders; i++) {
		explicit_bzero((char *)(uintptr_t)lines[i], strlen(lines[i]));
		zinc_free(s->web.ctx, (char *)(uintptr_t)lines[i]);
	}
	zinc_free(s->web.ctx, lines);
	return st;
}

static zinc_status
open_scheme(void **self, const char *scheme, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	zinc_context *ctx = options->context;
	http_store *s = (http_store *)zinc_calloc(ctx, 1, sizeof *s);
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	s->web.ctx = ctx;
	s->web.key_url = key_url;
	atomic_init(&s->web.seen, 0);
	atomic_init(&s->conditions_state, 0);
	st = split_url(s, scheme, rest, err);
	if (st == ZINC_OK)
		st = make_client(s, options, err);
	if (st != ZINC_OK) {
		http_close(s);
		return st;
	}
	*self = s;
	return ZINC_OK;
}

static zinc_status
open_http(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	return open_scheme(self, "http", rest, options, err);
}

static zinc_status
open_https(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	return open_scheme(self, "https", rest, options, err);
}

/* At best: what a server with conditions gives. */
#define HTTP_FLAGS                                                                                                     \
	(ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_CAS |     \
	 ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_REMOTE | ZINC_CAP_TAGS)

#define HTTP_OPS(scheme_, open_)                                                                                       \
	{                                                                                                              \
		.size = sizeof(zinc_store_ops), .name = "http", .purpose = "files of a web server, below a URL",       \
		.schemes = scheme_, .open = open_, .close = http_close, .caps = http_caps, .get = zinc_web_get,        \
		.put = zinc_http_put, .del = zinc_http_del, .settings = http_settings, .foreign_query = 1, .more = 1,  \
		.flags = HTTP_FLAGS,                                                                                   \
	}

const zinc_store_ops zinc_store_ops_http = HTTP_OPS("http", open_http);
const zinc_store_ops zinc_store_ops_https = HTTP_OPS("https", open_https);

ZINC_STORE_MODULE_OF_TWO(http, https);
