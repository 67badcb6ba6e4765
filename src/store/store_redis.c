/*
 * store_redis.c - keys and values in a database of a Redis server; a module
 *
 *     redis://user:password@host:6379/0/a/b      the value of the Redis key  zarr:a/b  in the database 0
 *     rediss://host/0/a/b                        the same with TLS
 *
 * The layout is that of zarr-python's RedisStore (2.x): the setting "prefix" (zarr), a colon and the key; values as they
 * are, as strings of Redis.
 *
 * Promises (tests/unit/test_store_redis*.c and tests/live/redis_faults.py name each by its number):
 *
 * (1) All bytes of an answer, its size and its tag belong to one value: one GET, or one transaction.
 * (2) A tag is a hash of the value (tag_hash.c).  A condition is checked while the key is watched.
 * (3) Puts of one call, or of one group's flush, are one transaction.
 * (4) Whether a change with a condition was made is known also if the connection is lost (store_redis_put.c).
 * (5) A failure of the connection, and a key that is not a string, is never "missing".
 * (6) A change is durable if the server says that it writes before it answers (appendonly yes, appendfsync always), or
 *     can be asked to wait for its disk (WAITAOF); caps say so after the first answer.
 * (7) No call waits longer than its deadline.  Without one a server that is silent for the setting "timeout" has failed;
 *     what may pass is tried again, "retries" times.
 * (8) Neither user nor password is in an error; a password is sent without TLS only to this machine, unless the setting
 *     "plain_password" allows it.
 * (9) Clusters and sentinels are refused by name, and so are changes of a replica.
 * (10) After a fork the child has connections of its own.
 */
#include "store/store_redis.h"

#include <stdio.h>
#include <stdlib.h>

#if ZINC_WITH_SSL && ZINC_WITH_CRYPTO

#define REDIS_FLAGS                                                                                                    \
	(ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE |    \
	 ZINC_CAP_ATOMIC_PUT | ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE |                  \
	 ZINC_CAP_REMOTE | ZINC_CAP_UPDATE | ZINC_CAP_TAGS)

#define PARALLEL    64
#define MERGE_GAP   4096
#define MOST_IDLE   64
#define FIRST_MEAN  65536
#define FIRST_MONEY 200 /* of store_redis_conn.c */

/* ---- the URL ---- */

/* The text s[0..n) without escapes; NULL after a failure. */
static char *
unescaped(const redis_store *s, const char *text, size_t n, zinc_error *err)
{
	char *out = NULL;
	zinc_buf b;

	zinc_buf_init(&b, redis_ctx(s), ZINC_MAX_KEY);
	if (zinc_url_unescape(&b, text, n, false, err) == ZINC_OK && zinc_buf_text(&b))
		out = zinc_strndup(redis_ctx(s), (const char *)b.p, b.n);
	if (b.p)
		explicit_bzero(b.p, b.n);
	zinc_buf_fini(&b);
	return out;
}

static zinc_status
take_password(redis_store *s, const char *plain, zinc_error *err)
{
	const size_t n = strlen(plain);

	if (s->password)
		zinc_free_secret(redis_ctx(s), s->password);
	s->password = (char *)zinc_alloc_secret(redis_ctx(s), n + 1);
	if (s->password)
		memcpy(s->password, plain, n + 1);
	return s->password ? ZINC_OK : zinc_fail_nomem(err);
}

/* "user:password", "user" or ":password" before the '@'. */
static zinc_status
take_user(redis_store *s, const char *text, size_t n, zinc_error *err)
{
	const char *colon = (const char *)memchr(text, ':', n);
	const size_t nuser = colon ? (size_t)(colon - text) : n;
	zinc_status st;
	char *plain;

	if (nuser) {
		zinc_free(redis_ctx(s), s->user);
		s->user = unescaped(s, text, nuser, err);
		if (!s->user)
			return zinc_fail(err, ZINC_E_INVALID, "the user of the URL is malformed");
	}
	if (!colon)
		return ZINC_OK;
	plain = unescaped(s, colon + 1, n - nuser - 1, err);
	if (!plain)
		return zinc_fail(err, ZINC_E_INVALID, "the password of the URL is malformed");
	st = take_password(s, plain, err);
	explicit_bzero(plain, strlen(plain));
	zinc_free(redis_ctx(s), plain);
	return st;
}

/* ":6380", or nothing, at text[0..n). */
static zinc_status
take_port(redis_store *s, const char *text, size_t n, zinc_error *err)
{
	if (n == 0) {
		memcpy(s->port, "6379", 5);
		return ZINC_OK;
	}
	if (*text != ':' || n < 2 || n > 6 || strspn(text + 1, "0123456789") < n - 1)
		return zinc_fail(err, ZINC_E_INVALID,
				 "the port is malformed; in a password write '/' %%2F, '@' %%40, ':' %%3A");
	memcpy(s->port, text + 1, n - 1);
	s->port[n - 1] = '\0';
	return ZINC_OK;
}

/* "host:port" or "[::1]:port". */
static zinc_status
take_host(redis_store *s, const char *text, size_t n, zinc_error *err)
{
	const char *end = text + n, *close = (const char *)memchr(text, ']', n), *colon;
	const bool brackets = n && *text == '[' && close;
	const char *host = brackets ? text + 1 : text;

	colon = (const char *)memchr(text, ':', n);
	colon = brackets ? close + 1 : colon ? colon : end;
	if (host == (brackets ? close : colon))
		return zinc_fail(err, ZINC_E_INVALID, "name the host: redis://HOST:PORT/DATABASE/PATH");
	ZINC_TRY(take_port(s, colon, (size_t)(end - colon), err));
	s->host = zinc_strndup(redis_ctx(s), host, (size_t)((brackets ? close : colon) - host));
	return s->host ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_redis_take_url(redis_store *s, const char *rest, zinc_error *err)
{
	const size_t n = strcspn(rest, "/");
	const char *at = (const char *)memrchr(rest, '@', n), *host = at ? at + 1 : rest, *db = rest + n;
	char *end;

	if (at && memchr(rest, '@', (size_t)(at - rest)))
		return zinc_fail(err, ZINC_E_INVALID, "the URL has two '@': in a password write %%40");
	if (at)
		ZINC_TRY(take_user(s, rest, (size_t)(at - rest), err));
	ZINC_TRY(take_host(s, host, n - (size_t)(host - rest), err));
	if (*db != '/' || db[1] < '0' || db[1] > '9' || strlen(db) > 6)
		return zinc_fail(err, ZINC_E_INVALID,
				 "name the number of the database before the path: redis://HOST/0/PATH");
	s->db = (unsigned)strtoul(db + 1, &end, 10);
	return *end ? zinc_fail(err, ZINC_E_INVALID, "the number of the database is malformed: redis://HOST/0/PATH")
		    : ZINC_OK;
}

/* "HOST/DB" */
static zinc_status
redis_split(const char *rest, zinc_context *ctx, size_t *nbytes, zinc_error *err)
{
	const size_t n = strcspn(rest, "/");

	(void)ctx, (void)err;
	*nbytes = rest[n] ? n + 1 + strcspn(rest + n + 1, "/") : n;
	return ZINC_OK;
}

/* ---- settings ---- */

static const zinc_setting_row redis_settings[] = {
    {.name = "prefix", .place = 1, .preset = "zarr", .purpose = "what a key begins with in the server, before a colon"},
    {.name = "user", .purpose = "user of the server; the URL's comes first"},
    {.name = "password", .env = "REDISCLI_AUTH", .secret = 1, .purpose = "password; the URL's comes first"},
    {.name = "plain_password",
     .type = ZINC_SETTING_YES,
     .preset = "no",
     .purpose = "send the password without TLS to other machines, too"},
    {.name = "socket", .place = 1, .purpose = "path of the server's local socket, used instead of the URL's host"},
    {.name = "ca_file", .env = "SSL_CERT_FILE", .purpose = "certificates to trust instead of the system's, PEM"},
    {.name = "cert_file", .purpose = "certificate of the client, PEM"},
    {.name = "key_file", .purpose = "its key, PEM; default: in cert_file"},
    {.name = "timeout",
     .type = ZINC_SETTING_SECONDS,
     .preset = "30",
     .purpose = "seconds without data before a connection is given up"},
    {.name = "retries", .type = ZINC_SETTING_COUNT, .preset = "8", .purpose = "retries of one operation"},
    {.name = "durable",
     .preset = "ask",
     .purpose = "yes, no: what the server answers is on its disk; ask: as its settings say"},
    {.name = "marker",
     .preset = "zinc:marker:",
     .purpose = "beginning of short-lived keys that tell whether a change was made; empty: none"},
    {.name = NULL},
};

static zinc_status
copy_text(const redis_store *s, const zinc_store_options *o, const char *setting, char **out, zinc_error *err)
{
	const char *text = zinc_setting_text(o, setting);

	if (!text)
		return ZINC_OK;
	*out = zinc_strdup(redis_ctx(s), text);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
take_prefix(redis_store *s, const zinc_store_options *o, zinc_error *err)
{
	const char *text = zinc_setting_text(o, "prefix"), *marker = zinc_setting_text(o, "marker");
	const size_t n = strlen(text ? text : "") + 2;

	s->prefix = (char *)zinc_alloc(redis_ctx(s), n);
	s->marker = zinc_strdup(redis_ctx(s), marker ? marker : "");
	if (!s->prefix || !s->marker)
		return zinc_fail_nomem(err);
	snprintf(s->prefix, n, "%s:", text ? text : "");
	if (strlen(s->marker) > REDIS_MARKER_BYTES - 32)
		return zinc_fail(err, ZINC_E_INVALID, "redis.marker has more than %d bytes", REDIS_MARKER_BYTES - 32);
	if (s->marker[0] && strncmp(s->marker, s->prefix, strlen(s->prefix)) == 0)
		return zinc_fail(err, ZINC_E_INVALID, "redis.marker must not begin with redis.prefix and a colon");
	return ZINC_OK;
}

static zinc_status
take_durable(redis_store *s, const zinc_store_options *o, zinc_error *err)
{
	const char *text = zinc_setting_text(o, "durable");

	if (!text || strcmp(text, "ask") == 0)
		return ZINC_OK;
	s->durable = strcmp(text, "yes") == 0;
	s->not_durable = strcmp(text, "no") == 0;
	return s->durable || s->not_durable ? ZINC_OK
					    : zinc_fail(err, ZINC_E_INVALID, "redis.durable is yes, no or ask");
}

static zinc_status
take_settings(redis_store *s, const zinc_store_options *o, zinc_error *err)
{
	const char *password = zinc_setting_text(o, "password");

	ZINC_TRY(take_prefix(s, o, err));
	ZINC_TRY(take_durable(s, o, err));
	ZINC_TRY(copy_text(s, o, "user", &s->user, err));
	ZINC_TRY(copy_text(s, o, "socket", &s->socket, err));
	ZINC_TRY(copy_text(s, o, "ca_file", &s->ca_file, err));
	ZINC_TRY(copy_text(s, o, "cert_file", &s->cert_file, err));
	ZINC_TRY(copy_text(s, o, "key_file", &s->key_file, err));
	if (password)
		ZINC_TRY(take_password(s, password, err));
	s->retries = (int)zinc_setting_number(o, "retries");
	s->plain_password = zinc_setting_yes(o, "plain_password");
	s->tcp.timeout = zinc_setting_number(o, "timeout");
	if (!(s->tcp.timeout > 0))
		return zinc_fail(err, ZINC_E_INVALID, "redis.timeout must be above 0");
	if (s->socket && s->tcp.tls)
		return zinc_fail(err, ZINC_E_INVALID, "a local socket has no TLS: use redis:// with redis.socket");
	return ZINC_OK;
}

/* ---- open and close ---- */

static void
redis_caps(void *self, zinc_caps *out)
{
	redis_store *s = (redis_store *)self;

	out->flags = REDIS_FLAGS;
	if (s->durable || (!s->not_durable && atomic_load(&s->seen)))
		out->flags |= ZINC_CAP_DURABLE;
	out->parallel = PARALLEL;
	out->merge_gap = MERGE_GAP;
}

static void
redis_close(void *self)
{
	redis_store *s = (redis_store *)self;
	zinc_context *ctx = redis_ctx(s);

	zinc_conns_fini(&s->conns);
	zinc_turn_fini(&s->syncing);
	zinc_free(ctx, s->host);
	zinc_free(ctx, s->socket);
	zinc_free(ctx, s->ca_file);
	zinc_free(ctx, s->cert_file);
	zinc_free(ctx, s->key_file);
	zinc_free(ctx, s->prefix);
	zinc_free(ctx, s->marker);
	zinc_free(ctx, s->user);
	if (s->password)
		zinc_free_secret(ctx, s->password);
	zinc_free(ctx, s);
}

static zinc_status
open_as(void **self, bool tls, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	redis_store *s = (redis_store *)zinc_calloc(options->context, 1, sizeof *s);
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	s->batched = (zinc_batched){&zinc_redis_batch, options->context};
	s->tcp.tls = tls;
	atomic_init(&s->seen, 0);
	atomic_init(&s->budget, FIRST_MONEY);
	atomic_init(&s->mean, FIRST_MEAN);
	atomic_init(&s->relaxed, 0);
	zinc_turn_init(&s->syncing);
	zinc_conns_init(&s->conns, MOST_IDLE, zinc_redis_close);
	st = take_settings(s, options, err);
	if (st == ZINC_OK)
		st = zinc_redis_take_url(s, rest, err);
	if (st == ZINC_OK && s->user && !s->password) /* the server would take it for the user "default" */
		st = zinc_fail(err, ZINC_E_INVALID, "a user without a password: set redis.password");
	s->tcp.host = s->host;
	s->tcp.port = s->port;
	s->tcp.path = s->socket;
	s->tcp.ca_file = s->ca_file;
	s->tcp.cert_file = s->cert_file;
	s->tcp.key_file = s->key_file;
	if (st == ZINC_OK)
		*self = s;
	else
		redis_close(s);
	return st;
}

static zinc_status
open_plain(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	return open_as(self, false, rest, options, err);
}

static zinc_status
open_tls(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	return open_as(self, true, rest, options, err);
}

#define REDIS_OPS(scheme_, open_)                                                                                      \
	{                                                                                                              \
		.size = sizeof(zinc_store_ops), .name = "redis", .purpose = "keys of a database of a Redis server",    \
		.schemes = scheme_, .settings = redis_settings, .split = redis_split, .open = open_,                   \
		.close = redis_close, .caps = redis_caps, .get = zinc_redis_get, .put = zinc_batch_put,                \
		.del = zinc_batch_del, .put_begin = zinc_batch_begin, .commit = zinc_batch_commit,                     \
		.abort = zinc_batch_abort, .update = zinc_redis_update, .del_prefix = zinc_redis_del_prefix,           \
		.sync = zinc_redis_sync, .walk = zinc_redis_walk, .flags = REDIS_FLAGS | ZINC_CAP_DURABLE,             \
	}

const zinc_store_ops zinc_store_ops_redis = REDIS_OPS("redis", open_plain);
const zinc_store_ops zinc_store_ops_rediss = REDIS_OPS("rediss", open_tls);

ZINC_STORE_MODULE_OF_TWO(redis, rediss);

#endif
