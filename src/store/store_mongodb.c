/*
 * store_mongodb.c - keys and values in a collection of a MongoDB database; a module
 *
 *     mongodb://USER:PASSWORD@HOST:PORT/DATABASE/a/b?collection=zarr_collection     the key a/b
 *
 * The documents are those of zarr-python's MongoDBStore (2.x), with a mark that it ignores (store_mongodb_get.c).
 *
 * Promises (tests/unit/test_store_mongodb.c and tests/interop/mongodb.py name each by its number):
 *
 * (1) All bytes of an answer, its size and its tag belong to one document.
 * (2) A tag is a random generation, or of a value that MongoDBStore has written a hash of it.  A condition is part of the
 *     update's filter.  Where updates are not atomic (FerretDB 1) the store does not claim that conditions hold.
 * (3) A durable change that returned ZINC_OK is in the journals of a majority of the replica set.
 * (4) No call waits longer than its deadline, or without one than the setting "patience".  (Names of hosts are looked up
 *     without a deadline.)
 * (5) A lost connection is made again.  After a lost answer the document's generation says whether a put was made; if
 *     others have changed it since, a change with a condition is E_UNCERTAIN.
 * (6) A failure is never "missing".
 * (7) No password appears in an error or log.
 * (8) A value that is too long for a document is E_LIMIT before anything is sent.
 */
#include <stdio.h>

#include "store/store_mongodb.h"

#if ZINC_WITH_MONGODB && ZINC_WITH_BSON

#define MAX_IDLE     32
#define PARALLEL     16
#define OPEN_SECONDS 10.0 /* to find out what the server can do */

#define MONGO_FLAGS                                                                                                    \
	(ZINC_CAP_READ | ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_ATOMIC_PUT | ZINC_CAP_DURABLE |    \
	 ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE | ZINC_CAP_REMOTE | ZINC_CAP_TAGS)

static void
mongo_caps(void *self, zinc_caps *out)
{
	mongo_store *s = (mongo_store *)self;

	out->flags = MONGO_FLAGS;
	if (!zinc_mongo_has_conditions(s))
		out->flags &= ~(uint32_t)ZINC_CAP_CAS;
	if (atomic_load(&s->loose))
		out->flags &= ~(uint32_t)ZINC_CAP_DURABLE; /* it tells nothing about its disk */
	out->parallel = PARALLEL;
	out->key_max = MONGO_KEY_MAX;
}

static void
mongo_close(void *self)
{
	mongo_store *s = (mongo_store *)self;

	zinc_conns_fini(&s->pool);
	zinc_turn_fini(&s->syncing);
	if (s->uri)
		mongoc_uri_destroy(s->uri);
	zinc_free(s->ctx, s->database);
	zinc_free(s->ctx, s->collection);
	zinc_free(s->ctx, s->ca_file);
	zinc_free(s->ctx, s->key_file);
	zinc_free(s->ctx, s);
}

/* ---- URL and settings ---- */

static zinc_status
copy_text(mongo_store *s, char **out, const char *text, zinc_error *err)
{
	if (!text || !*text)
		return ZINC_OK;
	*out = zinc_strdup(s->ctx, text);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

/* The database's name; MongoDB refuses some characters. */
static zinc_status
take_database(mongo_store *s, const char *escaped, zinc_error *err)
{
	zinc_status st;
	zinc_buf b;

	zinc_buf_init(&b, s->ctx, 256);
	st = zinc_url_unescape(&b, escaped, strlen(escaped), false, err);
	if (st == ZINC_OK && (b.n == 0 || b.n > 63 || !zinc_buf_text(&b) || strlen((const char *)b.p) != b.n ||
			      strpbrk((const char *)b.p, "/\\. \"$*<>:|?")))
		st = zinc_fail(err, ZINC_E_INVALID,
			       "the URL must name a database of 1 to 63 bytes: mongodb://HOST/DATABASE/PATH");
	if (st == ZINC_OK)
		st = copy_text(s, &s->database, (const char *)b.p, err);
	zinc_buf_fini(&b);
	return st;
}

/* libmongoc's errors about a URI may show it, and are not passed on. */
static zinc_status
parse_uri(mongo_store *s, const char *scheme, const char *rest, zinc_error *err)
{
	zinc_status st;
	zinc_buf b;

	zinc_buf_init(&b, s->ctx, ZINC_MAX_KEY);
	st = zinc_buf_reserve(&b, strlen(rest) + 64, err);
	if (st == ZINC_OK)
		st = zinc_buf_printf(&b, err, "%s://%s", scheme, rest);
	if (st == ZINC_OK && !zinc_buf_text(&b))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK) {
		s->uri = mongoc_uri_new_with_error((const char *)b.p, NULL);
		if (!s->uri)
			st =
			    zinc_fail(err, ZINC_E_INVALID,
				      "not a URL of MongoDB: mongodb://[USER:PASSWORD@]HOST[:PORT]/DATABASE/PATH, with "
				      "special characters as %%XX");
	}
	zinc_buf_wipe(&b);
	return st;
}

static const zinc_setting_row mongo_settings[] = {
    {.name = "collection", .place = 1, .preset = "zarr_collection", .purpose = "the collection"},
    {.name = "user", .purpose = "if the URL has none"},
    {.name = "password", .purpose = "if the URL has none", .secret = 1},
    {.name = "authSource", .purpose = "the database that knows the user; else that of the URL"},
    {.name = "authMechanism", .purpose = "SCRAM-SHA-256, ..."},
    {.name = "replicaSet", .purpose = "the name of the replica set"},
    {.name = "tls", .type = ZINC_SETTING_YES, .preset = "no", .purpose = "use TLS"},
    {.name = "tlsCAFile", .purpose = "certificates of authorities that are trusted; else the system's"},
    {.name = "tlsCertificateKeyFile", .purpose = "certificate and key of this client"},
    {.name = "directConnection", .type = ZINC_SETTING_YES, .preset = "no", .purpose = "only this host, no replica set"},
    {.name = "conditions", .preset = "auto", .purpose = "does the server make updates atomically: yes, no, auto"},
    {.name = "patience",
     .type = ZINC_SETTING_SECONDS,
     .preset = "60",
     .purpose = "how long a call without a deadline waits for the server, and tries again"},
    {.name = NULL},
};

/* The URL's user and password have precedence. */
static bool
set_user(mongo_store *s, const zinc_store_options *o)
{
	const char *user = zinc_setting_text(o, "user"), *password = zinc_setting_text(o, "password"),
		   *source = zinc_setting_text(o, "authSource"), *mechanism = zinc_setting_text(o, "authMechanism");
	bool good = true;

	if (user && !mongoc_uri_get_username(s->uri))
		good = good && mongoc_uri_set_username(s->uri, user);
	if (password && !mongoc_uri_get_password(s->uri))
		good = good && mongoc_uri_set_password(s->uri, password);
	if (source)
		good = good && mongoc_uri_set_auth_source(s->uri, source);
	if (mechanism)
		good = good && mongoc_uri_set_auth_mechanism(s->uri, mechanism);
	return good;
}

static bool
set_options(mongo_store *s, const zinc_store_options *o)
{
	const char *set = zinc_setting_text(o, "replicaSet");
	bool good = true;

	if (set)
		good = good && mongoc_uri_set_option_as_utf8(s->uri, MONGOC_URI_REPLICASET, set);
	if (zinc_setting_yes(o, "directConnection"))
		good = good && mongoc_uri_set_option_as_bool(s->uri, MONGOC_URI_DIRECTCONNECTION, true);
	s->tls = s->tls || zinc_setting_yes(o, "tls");
	return good && set_user(s, o) && mongoc_uri_set_appname(s->uri, "zinc");
}

static zinc_status
take_settings(mongo_store *s, const zinc_store_options *o, zinc_error *err)
{
	const char *conditions = zinc_setting_text(o, "conditions"), *collection = zinc_setting_text(o, "collection");

	s->conditions = strcmp(conditions, "yes") == 0 ? 1 : strcmp(conditions, "no") == 0 ? 0 : -1;
	if (s->conditions == -1 && strcmp(conditions, "auto") != 0)
		return zinc_fail(err, ZINC_E_INVALID, "mongodb.conditions must be yes, no or auto");
	if (!*collection || strlen(collection) > 120 || strchr(collection, '$') ||
	    strncmp(collection, "system.", 7) == 0)
		return zinc_fail(err, ZINC_E_INVALID,
				 "mongodb.collection must have 1 to 120 bytes, no '$', and not begin with \"system.\"");
	s->patience = zinc_setting_number(o, "patience");
	ZINC_TRY(copy_text(s, &s->collection, collection, err));
	ZINC_TRY(copy_text(s, &s->ca_file, zinc_setting_text(o, "tlsCAFile"), err));
	ZINC_TRY(copy_text(s, &s->key_file, zinc_setting_text(o, "tlsCertificateKeyFile"), err));
	return set_options(s, o) ? ZINC_OK : zinc_fail(err, ZINC_E_INVALID, "libmongoc refuses the settings");
}

static zinc_status
take_all(mongo_store *s, const char *scheme, const char *rest, const zinc_store_options *o, zinc_error *err)
{
	const char *slash = strchr(rest, '/');

	ZINC_TRY(take_database(s, slash ? slash + 1 : "", err));
	ZINC_TRY(parse_uri(s, scheme, rest, err));
	s->tls = strcmp(scheme, "mongodb+srv") == 0;
	return take_settings(s, o, err);
}

/* ---- open ---- */

/* Whether the server keeps conditions must be known before anybody relies on them.  Who has set no deadline has missed
 * none: the server has failed. */
static zinc_status
meet_server(mongo_store *s, const zinc_call_options *call, zinc_error *err)
{
	const double own = s->patience < OPEN_SECONDS ? s->patience : OPEN_SECONDS;
	const bool timed = call && call->timeout > 0 && call->timeout < own;
	const double most = timed ? call->timeout : own;
	const zinc_wait wait = {sizeof wait, zinc_now(s->ctx) + most, call ? call->cancel : NULL};
	zinc_status st;
	mongo_conn *c;
	mongo_try t;

	zinc_mongo_try(&t, s, &wait);
	do {
		st = zinc_mongo_enter(&t, &c);
		if (st == ZINC_OK)
			zinc_mongo_leave(&t, c);
	} while (zinc_mongo_again(&t, &st, err));
	if (st != ZINC_E_CANCELLED || timed || zinc_cancel_is(wait.cancel))
		return st;
	return zinc_fail(err, ZINC_E_IO, "MongoDB does not answer within %g s: %.600s", most, t.error.text);
}

static zinc_status
open_scheme(void **self, const char *scheme, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	mongo_store *s = (mongo_store *)zinc_calloc(options->context, 1, sizeof *s);
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	zinc_mongo_init();
	s->ctx = options->context;
	zinc_conns_init(&s->pool, MAX_IDLE, zinc_mongo_close);
	zinc_turn_init(&s->syncing);
	st = take_all(s, scheme, rest, options, err);
	if (st == ZINC_OK)
		st = meet_server(s, options->call, err);
	if (st == ZINC_OK)
		*self = s;
	else
		mongo_close(s);
	return st;
}

static zinc_status
mongo_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	return open_scheme(self, "mongodb", rest, options, err);
}

static zinc_status
srv_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	return open_scheme(self, "mongodb+srv", rest, options, err);
}

/* The server and the database. */
static zinc_status
mongo_split(const char *rest, zinc_context *ctx, size_t *nbytes, zinc_error *err)
{
	const size_t n = strcspn(rest, "/");

	(void)ctx, (void)err;
	*nbytes = rest[n] ? n + 1 + strcspn(rest + n + 1, "/") : n;
	return ZINC_OK;
}

#define OPS(schemes_, open_)                                                                                           \
	.size = sizeof(zinc_store_ops), .name = "mongodb", .purpose = "a collection of a MongoDB database",            \
	.schemes = schemes_, .settings = mongo_settings, .split = mongo_split, .open = open_, .close = mongo_close,    \
	.caps = mongo_caps, .get = zinc_mongo_get, .put = zinc_mongo_put, .del = zinc_mongo_del,                       \
	.del_prefix = zinc_mongo_del_prefix, .sync = zinc_mongo_sync, .walk = zinc_mongo_walk, .flags = MONGO_FLAGS

const zinc_store_ops zinc_store_ops_mongodb = {OPS("mongodb", mongo_open)};
const zinc_store_ops zinc_store_ops_mongodb_srv = {OPS("mongodb+srv", srv_open)};

ZINC_STORE_MODULE_OF_TWO(mongodb, mongodb_srv);

#endif
