/*
 * store_s3.c - keys of a bucket: settings, URLs, signatures; a module
 *
 *     s3://bucket/base   +   key "a b/c"   =   https://bucket.s3.region.amazonaws.com/base/a%20b/c
 *                                         or   https://endpoint/bucket/base/a%20b/c
 *
 * store_web.c reads values, store_web_call.c sends all other requests; put, del, list, parts (multipart uploads) and test
 * (of conditions) are files of their own, store_s3_error.c explains failures.
 *
 * Promises (tests/unit/test_store_s3.c names each by its number):
 *
 * (1) A request is signed with keys that are valid now.  Without any keys requests are not signed, which public buckets
 *     accept.
 * (2) Keys are used only for the endpoint: a redirection is signed only if it leads to https and to a host of the same
 *     service.  Plain http gets no signed request, except on loopback, without a proxy, or with allow_http; on the
 *     way to another machine the signature covers the content, too.
 * (3) The bucket's region is learned from the server's answer, and the difference of the clocks from its date.
 * (4) No key, token or signature appears in an error.
 * (8) A value that is read whole has the CRC-32C that the server has for it, if it has one.
 */
#include "store/store_s3.h"

#include <stdio.h>
#include <time.h>

#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define AWS_DOMAIN   "amazonaws.com"
#define MAX_BUCKET   255
#define MAX_KEY      1024 /* bytes that S3 accepts, with the prefix of the store */
#define MIN_PART     5    /* MiB */
#define MAX_PART     1024 /* MiB */

/* ---- region and clock ---- */

void
zinc_s3_region(s3_store *s, char out[S3_NAME])
{
	pthread_mutex_lock(&s->lock);
	memcpy(out, s->region, S3_NAME);
	pthread_mutex_unlock(&s->lock);
}

static bool
is_region(const char *s)
{
	const size_t n = strlen(s);

	return n > 0 && n < S3_NAME && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == n;
}

bool
zinc_s3_set_region(s3_store *s, const char *region)
{
	bool fresh;

	if (!is_region(region))
		return false;
	pthread_mutex_lock(&s->lock);
	fresh = strcmp(s->region, region) != 0;
	snprintf(s->region, sizeof s->region, "%s", region);
	pthread_mutex_unlock(&s->lock);
	return fresh;
}

static int64_t
now_there(const s3_store *s)
{
	const zinc_os *os = s->web.ctx->os;
	struct timespec t = {0, 0};

	(void)os->clock(os, CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec + atomic_load(&s->skew);
}

/* ---- URLs ---- */

/* Scheme, host and, with path style, the bucket. */
static zinc_status
add_base(zinc_buf *out, s3_store *s, zinc_error *err)
{
	const char *host = s->endpoint ? strstr(s->endpoint, "://") + 3 : NULL;
	char region[S3_NAME];

	if (s->endpoint && s->path_style)
		return zinc_buf_printf(out, err, "%s/%s", s->endpoint, s->bucket);
	if (s->endpoint)
		return zinc_buf_printf(out, err, "%.*s%s.%s", (int)(host - s->endpoint), s->endpoint, s->bucket, host);
	zinc_s3_region(s, region);
	if (s->path_style)
		return zinc_buf_printf(out, err, "https://s3.%s." AWS_DOMAIN "%s/%s", region,
				       strncmp(region, "cn-", 3) == 0 ? ".cn" : "", s->bucket);
	return zinc_buf_printf(out, err, "https://%s.s3.%s." AWS_DOMAIN "%s", s->bucket, region,
			       strncmp(region, "cn-", 3) == 0 ? ".cn" : "");
}

static zinc_status
add_url(zinc_buf *out, const s3_store *s, const char *key, const char *query, zinc_error *err)
{
	ZINC_TRY(add_base(out, (s3_store *)(uintptr_t)s, err));
	ZINC_TRY(zinc_buf_puts(out, "/", err));
	if (key)
		ZINC_TRY(zinc_web_escape(out, s->prefix, err));
	if (key)
		ZINC_TRY(zinc_web_escape(out, key, err));
	if (query)
		ZINC_TRY(zinc_buf_printf(out, err, "?%s", query));
	return zinc_buf_text(out) ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_s3_url(const s3_store *s, const char *key, const char *query, char **out, zinc_error *err)
{
	zinc_status st;
	zinc_buf url;

	zinc_buf_init(&url, s->web.ctx, ZINC_MAX_KEY);
	st = add_url(&url, s, key, query, err);
	if (st == ZINC_OK)
		*out = (char *)url.p;
	else
		zinc_buf_fini(&url);
	return st;
}

static zinc_status
key_url(const zinc_web *w, const char *key, const zinc_tag *if_tag, char **out, zinc_error *err)
{
	(void)if_tag;
	return zinc_s3_url((const s3_store *)w, key, NULL, out, err);
}

static zinc_status
call_url(zinc_web *w, const zinc_web_call *c, char **out, zinc_error *err)
{
	return zinc_s3_url((const s3_store *)w, c->key, c->query, out, err);
}

/* ---- signatures ---- */

static bool
ends_with(zinc_bytes s, const char *end, size_t n)
{
	return s.n >= n && strncasecmp((const char *)s.p + s.n - n, end, n) == 0;
}

/* "eu-west-1", "us-gov-east-1": no other label of Amazon's names ends so. */
static bool
is_region_label(const char *p, size_t n)
{
	size_t i, dashes = 0;

	for (i = 0; i < n; i++)
		dashes += p[i] == '-';
	return n > 4 && n < 40 && dashes >= 2 && p[n - 1] >= '0' && p[n - 1] <= '9' && p[n - 2] == '-';
}

/* The label in front of `end`; moves `end` before its dot. */
static zinc_bytes
take_label(const char *host, size_t *end)
{
	size_t from = *end;
	zinc_bytes label;

	while (from > 0 && host[from - 1] != '.')
		from--;
	label = (zinc_bytes){(const uint8_t *)host + from, *end - from};
	*end = from > 0 ? from - 1 : 0;
	return label;
}

static bool
is_word(zinc_bytes label, const char *word)
{
	return label.n == strlen(word) && strncasecmp((const char *)label.p, word, label.n) == 0;
}

/* [bucket.]s3[.dualstack][.region].amazonaws.com, or the older [bucket.]s3-region.amazonaws.com.  Other names below that
 * domain are chosen by its customers: s3-1.eu-west-1.elb.amazonaws.com may be anyone's. */
static bool
is_aws_s3(zinc_bytes host, const char *domain)
{
	const size_t n = strlen(domain);
	zinc_bytes label;
	size_t end;

	if (!ends_with(host, domain, n))
		return false;
	end = host.n - n;
	label = take_label((const char *)host.p, &end);
	if (label.n > 3 && strncasecmp((const char *)label.p, "s3-", 3) == 0)
		return is_region_label((const char *)label.p + 3, label.n - 3);
	if (is_region_label((const char *)label.p, label.n))
		label = take_label((const char *)host.p, &end);
	if (is_word(label, "dualstack"))
		label = take_label((const char *)host.p, &end);
	return is_word(label, "s3") || is_word(label, "s3-fips");
}

/* Only of AWS itself: elsewhere hosts below one domain may belong to different customers. */
bool
zinc_s3_same_service(const char *from, const char *to)
{
	static const char *const domains[] = {"." AWS_DOMAIN, "." AWS_DOMAIN ".cn"};
	const zinc_bytes a = zinc_web_host(from), b = zinc_web_host(to);
	size_t i;

	if (strncmp(to, "https://", 8) != 0 || strncmp(from, "https://", 8) != 0 || !a.n || !b.n)
		return false;
	if (memchr(b.p, '@', b.n) || memchr(b.p, ':', b.n) || memchr(b.p, '\\', b.n) || memchr(b.p, '#', b.n))
		return false;
	for (i = 0; i < sizeof domains / sizeof domains[0]; i++)
		if (is_aws_s3(a, domains[i]) && is_aws_s3(b, domains[i]))
			return true;
	return false;
}

/* TLS protects the body, and nobody is between two programs of this machine.  Elsewhere its hash is signed. */
static zinc_status
hash_body(const s3_store *s, const zinc_http_request *r, const char *url, char hex[ZINC_SHA256_HEX], zinc_error *err)
{
	uint8_t hash[ZINC_SHA256_BYTES];

	if (!r->sends) {
		memcpy(hex, EMPTY_SHA256, sizeof EMPTY_SHA256);
	} else if (s->local || strncmp(url, "https:", 6) == 0) {
		memcpy(hex, ZINC_UNSIGNED_PAYLOAD, sizeof ZINC_UNSIGNED_PAYLOAD);
	} else {
		if (!zinc_sha256(r->body, r->nbody, hash))
			return zinc_fail(err, ZINC_E_UNSUPPORTED, "SHA-256 is not available");
		zinc_hex(hex, hash, sizeof hash);
	}
	return ZINC_OK;
}

static zinc_status
sign_with(s3_store *s, zinc_http_request *r, const char *url, const zinc_aws_keys *keys, zinc_error *err)
{
	char region[S3_NAME], hash[ZINC_SHA256_HEX];

	if (!s->https && !s->allow_http)
		return zinc_fail(err, ZINC_E_INVALID,
				 "credentials are not sent to plain http: use https, or set s3.allow_http=yes");
	zinc_s3_region(s, region);
	ZINC_TRY(hash_body(s, r, url, hash, err));
	if (s->payer)
		ZINC_TRY(zinc_http_header(r, "x-amz-request-payer", "requester", err));
	return zinc_sigv4_sign(r, url, keys, region, "s3", hash, now_there(s), err);
}

zinc_status
zinc_s3_sign(zinc_web *w, zinc_http_request *r, const char *url, bool away, const zinc_wait *wait, zinc_error *err)
{
	s3_store *s = (s3_store *)w;
	zinc_aws_lease *lease;
	zinc_status st = ZINC_OK;

	if (away && !zinc_s3_same_service(r->url, url))
		return ZINC_OK;
	ZINC_TRY(zinc_aws_take(s->aws, &lease, wait, err));
	atomic_store(&s->signs, lease->keys != NULL);
	if (lease->keys)
		st = sign_with(s, r, url, lease->keys, err);
	zinc_aws_release(lease);
	return st;
}

/* ---- capabilities ---- */

#define S3_FLAGS                                                                                                       \
	(ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE |    \
	 ZINC_CAP_ATOMIC_PUT | ZINC_CAP_DURABLE | ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE |              \
	 ZINC_CAP_REMOTE | ZINC_CAP_TAGS)

/* Conditions are assumed until the test of the server fails. */
static void
s3_caps(void *self, zinc_caps *out)
{
	s3_store *s = (s3_store *)self;

	out->flags = S3_FLAGS;
	if (s->conditions && atomic_load(&s->conditional_puts) != S3_NO)
		out->flags |= ZINC_CAP_CAS;
	out->parallel = s->parallel;
	out->merge_gap = ZINC_WEB_MERGE_GAP;
	out->key_max = (uint32_t)(MAX_KEY - strlen(s->prefix));
}

static void
s3_close(void *self)
{
	s3_store *s = (s3_store *)self;

	zinc_fork_remove(&s->fork);
	pthread_mutex_destroy(&s->lock);
	zinc_http_free(s->web.http);
	zinc_aws_free(s->aws);
	zinc_free(s->web.ctx, s->endpoint);
	zinc_free(s->web.ctx, s->bucket);
	zinc_free(s->web.ctx, s->prefix);
	zinc_free(s->web.ctx, s);
}

/* ---- opening ---- */

static const zinc_setting_row s3_settings[] = {
    {.name = "region", .env = "AWS_REGION", .purpose = "region of the bucket [from the server's answer]"},
    {.name = "endpoint",
     .place = 1,
     .purpose = "server, as https://host:port [AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the profile's, AWS]"},
    {.name = "aws_profile", .place = 1, .purpose = "section of ~/.aws/config and ~/.aws/credentials [AWS_PROFILE]"},
    {.name = "anonymous", .preset = "no", .purpose = "yes: do not sign requests, for public buckets"},
    {.name = "path_style",
     .preset = "auto",
     .purpose = "yes: the bucket is part of the path, no: of the host [path for an endpoint, host for AWS]"},
    {.name = "request_payer",
     .type = ZINC_SETTING_YES,
     .preset = "no",
     .purpose = "the requester pays, not the owner of the bucket"},
    {.name = "conditions",
     .type = ZINC_SETTING_YES,
     .preset = "yes",
     .purpose = "exclude other writers by If-Match and If-None-Match, which is tested first"},
    {.name = "allow_http",
     .type = ZINC_SETTING_YES,
     .preset = "no",
     .purpose = "send signed requests over plain http to other machines, too"},
    {.name = "part_size", .type = ZINC_SETTING_COUNT, .preset = "16", .purpose = "MiB of a part of large values"},
    {.name = "stale_after",
     .type = ZINC_SETTING_SECONDS,
     .preset = "86400",
     .purpose = "seconds after which an upload that was not completed counts as a leftover"},
    ZINC_WEB_SETTINGS("8"),
    {.name = "ca_file", .purpose = "certificates to trust instead of the system's, PEM [AWS_CA_BUNDLE, SSL_CERT_FILE]"},
    {.name = "access_key_id", .secret = 1, .purpose = "key to sign with [AWS_ACCESS_KEY_ID, ~/.aws ...]"},
    {.name = "secret_access_key", .secret = 1, .purpose = "its secret"},
    {.name = "session_token", .secret = 1, .purpose = "its token, if it is temporary"},
    {.name = NULL},
};

static bool
is_bucket(const char *s, size_t n)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";

	return n > 0 && n <= MAX_BUCKET && s[0] != '.' && strspn(s, plain) >= n;
}

/* "bucket/a/b" -> "bucket" and "a/b/" */
static zinc_status
take_place(s3_store *s, const char *rest, zinc_error *err)
{
	const size_t n = strcspn(rest, "/");

	if (!is_bucket(rest, n))
		return zinc_fail(err, ZINC_E_INVALID, "an s3 URL needs the name of a bucket: s3://bucket/path");
	s->bucket = zinc_strndup(s->web.ctx, rest, n);
	if (!s->bucket)
		return zinc_fail_nomem(err);
	return zinc_web_prefix(s->web.ctx, rest + n + (rest[n] == '/'), MAX_KEY, &s->prefix, err);
}

static zinc_status
take_endpoint(s3_store *s, const char *text, zinc_error *err)
{
	ZINC_TRY(zinc_web_endpoint(s->web.ctx, text, "s3.endpoint", false, &s->endpoint, err));
	s->https = strncmp(s->endpoint, "https://", 8) == 0;
	s->allow_http |= zinc_web_is_loopback(s->endpoint);
	return ZINC_OK;
}

/* Can the bucket be the first label of a host name?  A certificate covers no dots in it. */
static bool
is_label(const char *bucket)
{
	const size_t n = strlen(bucket);

	return n >= 3 && n <= 63 && strspn(bucket, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

static zinc_status
take_style(s3_store *s, const zinc_store_options *o, zinc_error *err)
{
	int style;

	ZINC_TRY(zinc_web_three_way(o, "s3", "path_style", "auto", &style, err));
	s->path_style = style == -1 ? s->endpoint || !is_label(s->bucket) : style == 1;
	if (!s->path_style && !is_label(s->bucket) && s->https)
		return zinc_fail(err, ZINC_E_INVALID,
				 "this bucket's name cannot be part of a host name: set "
				 "s3.path_style=yes");
	return ZINC_OK;
}

static zinc_status
take_region(s3_store *s, const zinc_store_options *o, zinc_error *err)
{
	const char *region = zinc_setting_text(o, "region");

	if (!region)
		region = zinc_aws_region(s->aws);
	if (region && !is_region(region))
		return zinc_fail(err, ZINC_E_INVALID, "s3.region is not the name of a region");
	snprintf(s->region, sizeof s->region, "%s", region ? region : "us-east-1");
	return ZINC_OK;
}

static zinc_status
take_keys(s3_store *s, const zinc_store_options *o, zinc_error *err)
{
	zinc_aws_config c = {.id = zinc_setting_text(o, "access_key_id"),
			     .secret = zinc_setting_text(o, "secret_access_key"),
			     .token = zinc_setting_text(o, "session_token"),
			     .profile = zinc_setting_text(o, "aws_profile"),
			     .region = zinc_setting_text(o, "region"),
			     .ca_file = zinc_setting_text(o, "ca_file")};
	int anonymous;

	ZINC_TRY(zinc_web_three_way(o, "s3", "anonymous", NULL, &anonymous, err));
	c.anonymous = anonymous == 1;
	if (!c.anonymous && !c.id != !c.secret)
		return zinc_fail(err, ZINC_E_INVALID, "s3.access_key_id and s3.secret_access_key must be set together");
	return zinc_aws_new(&s->aws, s->web.ctx, &c, err);
}

/* As AWS's own tools have it, then as OpenSSL has it. */
static const char *
ca_file(const s3_store *s, const zinc_store_options *o)
{
	const char *file = zinc_setting_text(o, "ca_file");

	if (!file)
		file = zinc_aws_ca_file(s->aws);
	return file ? file : zinc_env("SSL_CERT_FILE");
}

static zinc_status
take_client(s3_store *s, const zinc_store_options *o, zinc_error *err)
{
	zinc_http_config c = {.ca_file = ca_file(s, o)};

	ZINC_TRY(zinc_web_config(o, "s3", &c, err));
	ZINC_TRY(zinc_web_mib(o, "s3", "part_size", MIN_PART, MAX_PART, &s->part_bytes, err));
	/* a proxy is another machine, to which plain http would show what is signed */
	s->local = s->endpoint && !s->https && zinc_web_is_loopback(s->endpoint) && !zinc_setting_yes(o, "allow_http");
	c.direct = s->local;
	s->web.retries = c.retries;
	s->parallel = (uint32_t)c.parallel;
	s->stale_after = zinc_setting_number(o, "stale_after");
	return zinc_http_new(&s->web.http, s->web.ctx, &c, err);
}

static zinc_status
configure(s3_store *s, const char *rest, const zinc_store_options *o, zinc_error *err)
{
	const char *endpoint = zinc_setting_text(o, "endpoint");

	s->payer = zinc_setting_yes(o, "request_payer");
	s->conditions = zinc_setting_yes(o, "conditions");
	s->allow_http = zinc_setting_yes(o, "allow_http");
	s->https = true;
	ZINC_TRY(take_place(s, rest, err));
	ZINC_TRY(take_keys(s, o, err));
	if (!endpoint)
		endpoint = zinc_aws_endpoint(s->aws);
	if (endpoint)
		ZINC_TRY(take_endpoint(s, endpoint, err));
	ZINC_TRY(take_style(s, o, err));
	ZINC_TRY(take_region(s, o, err));
	return take_client(s, o, err);
}

static zinc_status
s3_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	zinc_context *ctx = options->context;
	s3_store *s = (s3_store *)zinc_calloc(ctx, 1, sizeof *s);
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	s->web.ctx = ctx;
	s->web.any_encoding = true;
	s->web.keep = zinc_s3_keep;
	s->web.sum_field = "x-amz-checksum-mode";
	s->web.sum_value = "ENABLED";
	s->web.sum_kept = S3_KEEP_SUM;
	s->web.key_url = key_url;
	s->web.sign = zinc_s3_sign;
	s->web.judge = zinc_s3_judge;
	s->web.call_keep = zinc_s3_keep;
	s->web.call_service = S3_KEEP_REQUEST + 1;
	s->web.call_url = call_url;
	s->web.call_fields = zinc_s3_call_fields;
	s->web.call_head = zinc_s3_call_head;
	s->web.call_is_error = zinc_s3_call_is_error;
	s->web.call_judge = zinc_s3_call_judge;
	pthread_mutex_init(&s->lock, NULL);
	s->fork = (zinc_fork_hook){.lock = &s->lock};
	zinc_fork_add(&s->fork);
	st = configure(s, rest, options, err);
	if (st != ZINC_OK) {
		s3_close(s);
		return st;
	}
	*self = s;
	return ZINC_OK;
}

const zinc_store_ops zinc_store_ops_s3 = {
    .size = sizeof(zinc_store_ops),
    .name = "s3",
    .purpose = "keys of a bucket of Amazon S3 or a server like it",
    .schemes = "s3",
    .variables =
	"AWS_ENDPOINT_URL_S3,AWS_ENDPOINT_URL,AWS_IGNORE_CONFIGURED_ENDPOINT_URLS,AWS_PROFILE,AWS_DEFAULT_PROFILE,"
	"AWS_CONFIG_FILE,AWS_ROLE_ARN,AWS_SHARED_CREDENTIALS_FILE,AWS_ACCESS_KEY_ID",
    .settings = s3_settings,
    .open = s3_open,
    .close = s3_close,
    .caps = s3_caps,
    .get = zinc_web_get,
    .put = zinc_s3_put,
    .del = zinc_s3_del,
    .walk = zinc_s3_walk,
    .scrub = zinc_s3_scrub,
    .more = 1,
    .flags = S3_FLAGS | ZINC_CAP_CAS,
};

ZINC_STORE_MODULE(s3);
