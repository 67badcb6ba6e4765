/*
 * store_gs.c - keys of a bucket of Google Cloud Storage, by its JSON API: settings, URLs, tokens; a module
 *
 *     gs://bucket/base   +   key "a b/c"   =   https://storage.googleapis.com/storage/v1/b/bucket/o/base%2Fa%20b%2Fc
 *
 * A value's tag is its generation, a number that Google gives to each upload.  store_web.c reads values, store_web_call.c
 * sends all other requests; put, del, list, parts (uploads in pieces) and test (of conditions) are files of their own,
 * store_gs_error.c explains failures.
 *
 * Promises (tests/unit/test_store_gs.c names each by its number):
 *
 * (1) A request has a token that is valid now, if there are credentials.  Without any it is anonymous, which public
 *     buckets accept.
 * (2) A token goes only to the endpoint.  It never goes to the target of a redirection, and never over plain http, except
 *     on this machine with allow_http.  With an emulator (STORAGE_EMULATOR_HOST) there are none.  An endpoint of a URL's
 *     query, which is neither Google's nor this machine, gets no token but that of the same query.
 * (3) Bytes are those that were stored, also if somebody has stored them as gzip: what was decompressed or compressed on
 *     its way is an error.
 * (4) A value that is read whole has the CRC-32C that the server has for it.
 * (5) No key or token appears in an error.
 */
#include "store/store_gs.h"

#include <stdio.h>

#define GOOGLE     "https://storage.googleapis.com"
#define MAX_BUCKET 222  /* with dots; 63 without */
#define MAX_KEY    1024 /* bytes that Google accepts, with the prefix of the store */
#define MAX_PART   1024 /* MiB */

/* ---- URLs ---- */

/* In these paths a '/' of a name is %2F. */
static zinc_status
add_name(zinc_buf *out, const char *name, zinc_error *err)
{
	return zinc_form_escape(out, name, err);
}

zinc_status
zinc_gs_object_path(zinc_buf *out, const gs_store *s, const char *key, zinc_error *err)
{
	ZINC_TRY(zinc_buf_printf(out, err, "/storage/v1/b/%s/o/", s->bucket));
	ZINC_TRY(add_name(out, s->prefix, err));
	return add_name(out, key, err);
}

zinc_status
zinc_gs_add_user(zinc_buf *out, const gs_store *s, bool first, zinc_error *err)
{
	return s->user ? zinc_buf_printf(out, err, "%cuserProject=%s", first ? '?' : '&', s->user) : ZINC_OK;
}

static bool
is_generation(const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] < '0' || p[i] > '9')
			return false;
	return n > 0 && n < 20;
}

const char *
zinc_gs_generation(const zinc_tag *tag, char out[ZINC_WEB_NAME])
{
	const char *p = tag && tag->n > 1 && tag->b[0] == 'G' ? (const char *)tag->b + 1 : "";
	const size_t n = *p ? (size_t)tag->n - 1 : 0;

	if (is_generation(p, n))
		snprintf(out, ZINC_WEB_NAME, "%.*s", (int)n, p);
	else
		snprintf(out, ZINC_WEB_NAME, "1");
	return out;
}

/* A finished text, or nothing. */
static zinc_status
give_url(zinc_buf *url, zinc_status st, char **out, zinc_error *err)
{
	if (st == ZINC_OK && !zinc_buf_text(url))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		*out = (char *)url->p;
	else
		zinc_buf_fini(url);
	return st;
}

static zinc_status
add_media_url(zinc_buf *url, const gs_store *s, const char *key, const zinc_tag *if_tag, zinc_error *err)
{
	char generation[ZINC_WEB_NAME];

	ZINC_TRY(zinc_buf_puts(url, s->endpoint, err));
	ZINC_TRY(zinc_gs_object_path(url, s, key, err));
	ZINC_TRY(zinc_buf_puts(url, "?alt=media", err));
	if (if_tag)
		ZINC_TRY(zinc_buf_printf(url, err, "&ifGenerationMatch=%s", zinc_gs_generation(if_tag, generation)));
	return zinc_gs_add_user(url, s, false, err);
}

static zinc_status
key_url(const zinc_web *w, const char *key, const zinc_tag *if_tag, char **out, zinc_error *err)
{
	zinc_buf url;

	zinc_buf_init(&url, w->ctx, ZINC_MAX_KEY);
	return give_url(&url, add_media_url(&url, (const gs_store *)w, key, if_tag, err), out, err);
}

static zinc_status
add_upload(zinc_buf *url, const gs_store *s, const zinc_web_call *c, const char *type, zinc_error *err)
{
	ZINC_TRY(zinc_buf_printf(url, err, "/upload/storage/v1/b/%s/o?uploadType=%s&name=", s->bucket, type));
	ZINC_TRY(add_name(url, s->prefix, err));
	ZINC_TRY(add_name(url, c->key, err));
	return zinc_buf_puts(url, "&fields=generation,size,crc32c", err);
}

static zinc_status
add_path(zinc_buf *url, const gs_store *s, const zinc_web_call *c, zinc_error *err)
{
	switch ((gs_kind)c->kind) {
	case GS_MEDIA:
		return add_upload(url, s, c, "media", err);
	case GS_MULTIPART:
		return add_upload(url, s, c, "multipart", err);
	case GS_BEGIN:
		return add_upload(url, s, c, "resumable", err);
	case GS_LIST:
		return zinc_buf_printf(url, err, "/storage/v1/b/%s/o?%s", s->bucket, c->query);
	case GS_PIECE:
	case GS_GIVE_UP:
		return zinc_buf_puts(url, c->place, err);
	case GS_BATCH:
		return zinc_buf_puts(url, "/batch/storage/v1", err);
	case GS_OBJECT:
	default:
		ZINC_TRY(zinc_gs_object_path(url, s, c->key, err));
		return zinc_buf_puts(url, "?fields=generation,size,crc32c,metadata", err);
	}
}

static zinc_status
add_call_url(zinc_buf *url, const gs_store *s, const zinc_web_call *c, zinc_error *err)
{
	const bool is_here = c->kind == GS_PIECE || c->kind == GS_GIVE_UP; /* its place has the rest */
	char generation[ZINC_WEB_NAME];

	ZINC_TRY(zinc_buf_puts(url, s->endpoint, err));
	ZINC_TRY(add_path(url, s, c, err));
	if (c->when && !is_here)
		ZINC_TRY(
		    zinc_buf_printf(url, err, "&ifGenerationMatch=%s",
				    c->when->when == ZINC_ABSENT ? "0" : zinc_gs_generation(c->when->tag, generation)));
	return is_here ? ZINC_OK : zinc_gs_add_user(url, s, c->kind == GS_BATCH, err);
}

static zinc_status
call_url(zinc_web *w, const zinc_web_call *c, char **out, zinc_error *err)
{
	zinc_buf url;

	zinc_buf_init(&url, w->ctx, ZINC_MAX_KEY);
	return give_url(&url, add_call_url(&url, (const gs_store *)w, c, err), out, err);
}

/* ---- tokens ---- */

static zinc_status
sign(zinc_web *w, zinc_http_request *r, const char *url, bool away, const zinc_wait *wait, zinc_error *err)
{
	gs_store *s = (gs_store *)w;
	bool signs = false;
	zinc_status st;

	(void)url;
	if (away)
		return ZINC_OK;
	st = zinc_google_sign(s->google, r, s->sends_token, &signs, wait, err);
	atomic_store(&s->signs, signs);
	return st;
}

/* ---- heads ---- */

/* An object may be stored with Content-Encoding: gzip.  Its bytes are wanted as they are, which the server sends to those
 * who accept gzip. */
static const char *
refuse(const zinc_web *w, const zinc_http_head *h)
{
	const char *stored = h->kept[GS_KEEP_ENCODING];
	const bool is_plain = !stored[0] || strcasecmp(stored, "identity") == 0;

	atomic_store(&((gs_store *)(uintptr_t)w)->bucket_exists, true);
	if (is_plain && h->encoded)
		return "the server compresses the value on its way (Content-Encoding)";
	if (!is_plain && !h->encoded)
		return "the server decompresses the value, which is stored with a Content-Encoding, on its way";
	return is_generation(h->kept[GS_KEEP_GENERATION], strlen(h->kept[GS_KEEP_GENERATION]))
		   ? NULL
		   : "the server does not send the generation of the value (x-goog-generation); check gs.endpoint";
}

static void
call_head(zinc_web *w, zinc_web_call *c, const zinc_http_head *h)
{
	if (h->status / 100 == 2 && c->kind != GS_BATCH)
		atomic_store(&((gs_store *)w)->bucket_exists, true);
	snprintf(c->note, sizeof c->note, "%s", h->kept[c->kind == GS_BATCH ? GS_KEEP_TYPE : GS_KEEP_RANGE]);
}

/* ---- capabilities ---- */

#define GS_FLAGS                                                                                                       \
	(ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE |    \
	 ZINC_CAP_ATOMIC_PUT | ZINC_CAP_DURABLE | ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE |              \
	 ZINC_CAP_REMOTE | ZINC_CAP_TAGS)

static void
gs_caps(void *self, zinc_caps *out)
{
	gs_store *s = (gs_store *)self;

	out->flags = GS_FLAGS;
	if (atomic_load(&s->conditional_puts) != GS_NO)
		out->flags |= ZINC_CAP_CAS;
	out->parallel = s->parallel;
	out->merge_gap = ZINC_WEB_MERGE_GAP;
	out->key_max = (uint32_t)(MAX_KEY - strlen(s->prefix));
}

static void
gs_close(void *self)
{
	gs_store *s = (gs_store *)self;

	zinc_http_free(s->web.http);
	zinc_google_free(s->google);
	zinc_free(s->web.ctx, s->endpoint);
	zinc_free(s->web.ctx, s->bucket);
	zinc_free(s->web.ctx, s->prefix);
	zinc_free(s->web.ctx, s->user);
	zinc_free(s->web.ctx, s);
}

/* ---- opening ---- */

static const zinc_setting_row gs_settings[] = {
    {.name = "endpoint", .place = 1, .purpose = "server, as https://host:port [STORAGE_EMULATOR_HOST, Google]"},
    {.name = "credentials",
     .purpose = "file with the key of a service account, or of a user [GOOGLE_APPLICATION_CREDENTIALS, gcloud's file, "
		"the metadata server]"},
    {.name = "anonymous", .preset = "no", .purpose = "yes: send no token, for public buckets"},
    {.name = "user_project", .env = "GOOGLE_CLOUD_QUOTA_PROJECT", .purpose = "project that pays, not the owner's"},
    {.name = "allow_http",
     .type = ZINC_SETTING_YES,
     .preset = "no",
     .purpose = "send tokens over plain http to this machine, for tests"},
    {.name = "part_size", .type = ZINC_SETTING_COUNT, .preset = "16", .purpose = "MiB of a piece of large values"},
    ZINC_WEB_SETTINGS("8"),
    {.name = "ca_file", .purpose = "certificates to trust instead of the system's, PEM [SSL_CERT_FILE]"},
    {.name = "token", .secret = 1, .env = "CLOUDSDK_AUTH_ACCESS_TOKEN", .purpose = "access token, as it is"},
    {.name = NULL},
};

static bool
is_bucket(const char *s, size_t n)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789.-_";

	return n > 0 && n <= MAX_BUCKET && s[0] != '.' && strspn(s, plain) >= n;
}

/* "bucket/a/b" -> "bucket" and "a/b/" */
static zinc_status
take_place(gs_store *s, const char *rest, zinc_error *err)
{
	const size_t n = strcspn(rest, "/");

	if (!is_bucket(rest, n))
		return zinc_fail(err, ZINC_E_INVALID,
				 "a gs URL needs the name of a bucket, in lower case: gs://bucket/path");
	s->bucket = zinc_strndup(s->web.ctx, rest, n);
	if (!s->bucket)
		return zinc_fail_nomem(err);
	return zinc_web_prefix(s->web.ctx, rest + n + (rest[n] == '/'), MAX_KEY, &s->prefix, err);
}

/* "host:port" of an emulator is plain http, as for Google's libraries. */
static zinc_status
take_emulator(gs_store *s, const char *host, zinc_error *err)
{
	char url[300];

	if (strlen(host) > 256)
		return zinc_fail(err, ZINC_E_INVALID, "STORAGE_EMULATOR_HOST is too long");
	snprintf(url, sizeof url, "%s%s", strstr(host, "://") ? "" : "http://", host);
	return zinc_web_endpoint(s->web.ctx, url, "STORAGE_EMULATOR_HOST", false, &s->endpoint, err);
}

/* *emulated: there is no need for credentials. */
static zinc_status
take_endpoint(gs_store *s, const zinc_store_options *o, bool *emulated, zinc_error *err)
{
	const char *given = zinc_setting_text(o, "endpoint"), *emulator = zinc_env("STORAGE_EMULATOR_HOST");

	*emulated = !given && emulator;
	if (!given && !emulator) {
		atomic_store(&s->conditional_puts, GS_YES);
		atomic_store(&s->conditional_deletes, GS_YES);
	}
	if (*emulated)
		return take_emulator(s, emulator, err);
	return zinc_web_endpoint(s->web.ctx, given ? given : GOOGLE, "gs.endpoint", false, &s->endpoint, err);
}

/* Is it https://...googleapis.com? */
static bool
is_google(const char *endpoint)
{
	static const char end[] = ".googleapis.com";
	const zinc_bytes host = zinc_web_host(endpoint);

	return strncmp(endpoint, "https://", 8) == 0 && host.n > strlen(end) &&
	       strncasecmp((const char *)host.p + host.n - strlen(end), end, strlen(end)) == 0;
}

/* What goes to a server that only a URL names. */
static void
keep_own(zinc_google_config *c, const zinc_store_options *o)
{
	if (!zinc_web_of_url(o, "token"))
		c->token = NULL;
	c->foreign = !c->token;
}

static zinc_status
take_credentials(gs_store *s, const zinc_store_options *o, bool emulated, zinc_error *err)
{
	zinc_google_config c = {.file = zinc_setting_text(o, "credentials"),
				.token = zinc_setting_text(o, "token"),
				.ca_file = zinc_setting_text(o, "ca_file")};
	const bool https = strncmp(s->endpoint, "https://", 8) == 0;
	int anonymous;

	ZINC_TRY(zinc_web_three_way(o, "gs", "anonymous", NULL, &anonymous, err));
	if (zinc_web_of_url(o, "endpoint") && !is_google(s->endpoint) && !zinc_web_is_loopback(s->endpoint))
		keep_own(&c, o);
	s->sends_token = https || (zinc_web_is_loopback(s->endpoint) && zinc_setting_yes(o, "allow_http"));
	/* an emulator, and a server on this machine that could not get a token, is not asked with one */
	c.anonymous = anonymous == 1 || emulated || c.foreign ||
		      (!s->sends_token && !c.file && !c.token && zinc_web_is_loopback(s->endpoint));
	return zinc_google_new(&s->google, s->web.ctx, &c, err);
}

static zinc_status
take_user(gs_store *s, const zinc_store_options *o, zinc_error *err)
{
	const char *user = zinc_setting_text(o, "user_project");
	zinc_status st;
	zinc_buf text;

	if (!user)
		return ZINC_OK;
	zinc_buf_init(&text, s->web.ctx, ZINC_KIB);
	st = zinc_form_escape(&text, user, err);
	return give_url(&text, st, &s->user, err);
}

static zinc_status
take_client(gs_store *s, const zinc_store_options *o, zinc_error *err)
{
	zinc_http_config c = {.ca_file = zinc_setting_text(o, "ca_file")};

	ZINC_TRY(zinc_web_config(o, "gs", &c, err));
	ZINC_TRY(zinc_web_mib(o, "gs", "part_size", 1, MAX_PART, &s->part_bytes, err));
	if (!c.ca_file)
		c.ca_file = zinc_env("SSL_CERT_FILE");
	c.direct = zinc_web_is_loopback(s->endpoint);
	s->web.retries = c.retries;
	s->parallel = (uint32_t)c.parallel;
	return zinc_http_new(&s->web.http, s->web.ctx, &c, err);
}

static zinc_status
configure(gs_store *s, const char *rest, const zinc_store_options *o, zinc_error *err)
{
	bool emulated;

	ZINC_TRY(take_place(s, rest, err));
	ZINC_TRY(take_endpoint(s, o, &emulated, err));
	ZINC_TRY(take_credentials(s, o, emulated, err));
	ZINC_TRY(take_user(s, o, err));
	return take_client(s, o, err);
}

static void
set_hooks(zinc_web *w)
{
	w->any_encoding = true;
	w->encoding = "gzip";
	w->keep = zinc_gs_keep;
	w->tag_kept = GS_KEEP_GENERATION + 1;
	w->sum_kept = GS_KEEP_SUM;
	w->sum_name = "crc32c=";
	w->key_url = key_url;
	w->refuse = refuse;
	w->sign = sign;
	w->judge = zinc_gs_judge;
	w->call_keep = zinc_gs_call_keep;
	w->call_service = GS_KEEP_REQUEST + 1;
	w->call_url = call_url;
	w->call_head = call_head;
	w->call_text = zinc_gs_call_text;
	w->call_judge = zinc_gs_call_judge;
}

static zinc_status
gs_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	zinc_context *ctx = options->context;
	gs_store *s = (gs_store *)zinc_calloc(ctx, 1, sizeof *s);
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	s->web.ctx = ctx;
	set_hooks(&s->web);
	st = configure(s, rest, options, err);
	if (st != ZINC_OK) {
		gs_close(s);
		return st;
	}
	*self = s;
	return ZINC_OK;
}

const zinc_store_ops zinc_store_ops_gs = {
    .size = sizeof(zinc_store_ops),
    .name = "gs",
    .purpose = "keys of a bucket of Google Cloud Storage",
    .schemes = "gs",
    .settings = gs_settings,
    .open = gs_open,
    .close = gs_close,
    .caps = gs_caps,
    .get = zinc_web_get,
    .put = zinc_gs_put,
    .del = zinc_gs_del,
    .walk = zinc_gs_walk,
    .more = 1,
    .flags = GS_FLAGS | ZINC_CAP_CAS,
    .variables = "STORAGE_EMULATOR_HOST,GOOGLE_APPLICATION_CREDENTIALS,CLOUDSDK_CONFIG,GCE_METADATA_HOST",
};

ZINC_STORE_MODULE(gs);
