/*
 * google_file.c - files of credentials of Google, tokens, and the text that asks for one
 *
 * Promises (tests/unit/test_google.c names each by its number, as those of google.c):
 *
 * (4) A file gives complete credentials or an error that names its type or the missing member, and nothing else of it.
 * (5) Tokens are printable ASCII, so that they cannot end a line of a request.
 * (6) A token server is https, or plain http on this machine.
 */
#include <inttypes.h>
#include <stdio.h>

#include "json/json.h"
#include "net/google_inside.h"
#include "net/rsa.h"

#define TOKEN_URI   "https://oauth2.googleapis.com/token"
#define MAX_TOKEN   ((size_t)32 * 1024)
#define MAX_KEY     ((size_t)64 * 1024)
#define LIFE        3600 /* seconds that a token is asked for, the most that Google gives */
#define MAX_SECONDS ((int64_t)366 * 86400)

/* A text without NUL inside; NULL: missing, empty or another type. */
static const char *
text_of(const zinc_json *object, const char *name)
{
	const zinc_json *v = zinc_json_member(object, name);

	return v && v->type == ZINC_JSON_STRING && v->n && strlen(v->text) == v->n ? v->text : NULL;
}

/* Printable ASCII that needs no escapes in JSON, forms apart. */
static bool
is_word(const char *s, size_t max)
{
	size_t n;

	for (n = 0; s[n]; n++)
		if (n == max || s[n] <= ' ' || s[n] >= 0x7f || s[n] == '"' || s[n] == '\\')
			return false;
	return n > 0;
}

/* The document stays in the pool, which is freed as a whole. */
static zinc_status
parse(const zinc_json **out, zinc_secret *pool, const char *text, size_t n, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	const zinc_status st = zinc_json_parse(&doc, zinc_secret_context(pool), text, n, ZINC_JSON_DUPLICATES, &e);

	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	*out = st == ZINC_OK ? zinc_json_root(doc) : NULL;
	if (!*out || (*out)->type != ZINC_JSON_OBJECT)
		return zinc_fail(err, ZINC_E_INVALID, "it is no JSON object");
	return ZINC_OK;
}

/* ---- files ---- */

static zinc_status
lacks(const char *name, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_INVALID, "it has no valid \"%s\"", name);
}

/* "localhost", "127.0.0.1", "[::1]" and a port, if any. */
static bool
is_here(const char *host)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
	const size_t n = strcspn(host, "/?");
	size_t i, length;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		length = strlen(names[i]);
		if (n >= length && strncasecmp(host, names[i], length) == 0 &&
		    (n == length || (host[length] == ':' && strspn(host + length + 1, "0123456789") == n - length - 1)))
			return true;
	}
	return false;
}

static bool
is_server(const char *url)
{
	if (!is_word(url, 2048) || strpbrk(url, "@#<>^`{|}"))
		return false;
	return strncmp(url, "https://", 8) == 0 || (strncmp(url, "http://", 7) == 0 && is_here(url + 7));
}

static zinc_status
take_service(zinc_google_file *out, const zinc_json *object, zinc_error *err)
{
	out->kind = ZINC_GOOGLE_SERVICE;
	out->email = text_of(object, "client_email");
	out->key = text_of(object, "private_key");
	out->key_id = text_of(object, "private_key_id");
	if (!out->email || !is_word(out->email, 1024))
		return lacks("client_email", err);
	if (!out->key || strlen(out->key) > MAX_KEY)
		return lacks("private_key", err);
	if (out->key_id && !is_word(out->key_id, 1024))
		return lacks("private_key_id", err);
	return ZINC_OK;
}

static zinc_status
take_user(zinc_google_file *out, const zinc_json *object, zinc_error *err)
{
	out->kind = ZINC_GOOGLE_USER;
	out->client = text_of(object, "client_id");
	out->secret = text_of(object, "client_secret");
	out->refresh = text_of(object, "refresh_token");
	if (!out->client || !is_word(out->client, 4096))
		return lacks("client_id", err);
	if (!out->secret || !is_word(out->secret, 4096))
		return lacks("client_secret", err);
	if (!out->refresh || !is_word(out->refresh, 8192))
		return lacks("refresh_token", err);
	return ZINC_OK;
}

/* The types that Google's libraries know, and what to do instead. */
static zinc_status
refuse(const char *type, zinc_error *err)
{
	static const char *const known[] = {"external_account", "external_account_authorized_user",
					    "impersonated_service_account", "gdch_service_account"};
	size_t i;

	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(type, known[i]) == 0)
			return zinc_fail(err, ZINC_E_INVALID,
					 "credentials of the type %s are not supported: pass a token of \"gcloud auth "
					 "print-access-token\" as CLOUDSDK_AUTH_ACCESS_TOKEN",
					 known[i]);
	return zinc_fail(err, ZINC_E_INVALID, "its \"type\" is neither service_account nor authorized_user");
}

zinc_status
zinc_google_parse(zinc_google_file *out, zinc_secret *pool, const char *text, size_t n, zinc_error *err)
{
	const zinc_json *object = NULL;
	const char *type;

	memset(out, 0, sizeof *out);
	ZINC_TRY(parse(&object, pool, text, n, err));
	type = text_of(object, "type");
	if (!type)
		return lacks("type", err);
	out->token_uri = text_of(object, "token_uri");
	if (!out->token_uri)
		out->token_uri = TOKEN_URI;
	if (!is_server(out->token_uri))
		return zinc_fail(err, ZINC_E_INVALID, "its \"token_uri\" is not https://...");
	if (strcmp(type, "service_account") == 0)
		return take_service(out, object, err);
	return strcmp(type, "authorized_user") == 0 ? take_user(out, object, err) : refuse(type, err);
}

/* ---- tokens ---- */

/* "expires_in": 3599, perhaps as a text */
static bool
take_seconds(const zinc_json *v, int64_t *out)
{
	size_t i;

	*out = 0;
	if (!v || (v->type != ZINC_JSON_NUMBER && v->type != ZINC_JSON_STRING) || v->n == 0 || v->n > 10)
		return false;
	for (i = 0; i < v->n; i++) {
		if (v->text[i] < '0' || v->text[i] > '9')
			return false;
		*out = *out * 10 + (v->text[i] - '0');
	}
	return *out > 0 && *out <= MAX_SECONDS;
}

zinc_status
zinc_google_parse_token(zinc_token_found *out, zinc_secret *pool, const char *text, size_t n, int64_t now,
			zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_json *object = NULL;
	const char *type;
	zinc_status st;
	int64_t life;

	st = parse(&object, pool, text, n, &e);
	if (st != ZINC_OK)
		return st == ZINC_E_NOMEM ? zinc_fail_nomem(err)
					  : zinc_fail(err, ZINC_E_IO, "the answer is no token: %s", e.text);
	out->text = text_of(object, "access_token");
	type = text_of(object, "token_type");
	if (!out->text || !is_word(out->text, MAX_TOKEN))
		return zinc_fail(err, ZINC_E_IO, "the answer has no valid \"access_token\"");
	if (type && strcasecmp(type, "Bearer") != 0)
		return zinc_fail(err, ZINC_E_IO, "the token is no bearer token");
	if (!take_seconds(zinc_json_member(object, "expires_in"), &life))
		return zinc_fail(err, ZINC_E_IO, "the answer has no valid \"expires_in\"");
	out->expires = now + life;
	return ZINC_OK;
}

void
zinc_google_parse_refusal(char out[64], zinc_secret *pool, const char *text, size_t n)
{
	const zinc_json *object = NULL;
	const char *code = NULL;

	out[0] = '\0';
	if (parse(&object, pool, text, n, NULL) == ZINC_OK)
		code = text_of(object, "error");
	if (code && strlen(code) < 64 && strspn(code, "abcdefghijklmnopqrstuvwxyz_") == strlen(code))
		memcpy(out, code, strlen(code) + 1);
}

/* ---- assertions ---- */

/* RFC 4648 section 5, without padding. */
static zinc_status
add_base64url(zinc_buf *out, const void *p, size_t n, zinc_error *err)
{
	const size_t from = out->n;
	size_t i;

	ZINC_TRY(zinc_base64_encode((const uint8_t *)p, n, out, err));
	while (out->n > from && out->p[out->n - 1] == '=')
		out->n--;
	for (i = from; i < out->n; i++)
		out->p[i] = out->p[i] == '+' ? '-' : out->p[i] == '/' ? '_' : out->p[i];
	return ZINC_OK;
}

static zinc_status
add_claims(zinc_buf *out, zinc_buf *text, const zinc_google_file *f, const char *scope, int64_t now, zinc_error *err)
{
	ZINC_TRY(zinc_buf_puts(text, "{\"alg\":\"RS256\",\"typ\":\"JWT\"", err));
	if (f->key_id)
		ZINC_TRY(zinc_buf_printf(text, err, ",\"kid\":\"%s\"", f->key_id));
	ZINC_TRY(zinc_buf_puts(text, "}", err));
	ZINC_TRY(add_base64url(out, text->p, text->n, err));
	text->n = 0;
	ZINC_TRY(zinc_buf_printf(
	    text, err, "{\"iss\":\"%s\",\"scope\":\"%s\",\"aud\":\"%s\",\"iat\":%" PRId64 ",\"exp\":%" PRId64 "}",
	    f->email, scope, f->token_uri, now, now + LIFE));
	ZINC_TRY(zinc_buf_puts(out, ".", err));
	return add_base64url(out, text->p, text->n, err);
}

/* All of it is in the memory of `out`, which is that of secrets. */
zinc_status
zinc_google_assertion(zinc_buf *out, const zinc_google_file *f, const char *scope, int64_t now, zinc_error *err)
{
	const size_t from = out->n;
	zinc_buf part;
	zinc_status st;

	zinc_buf_init(&part, out->ctx, MAX_KEY);
	st = add_claims(out, &part, f, scope, now, err);
	part.n = 0;
	if (st == ZINC_OK)
		st = zinc_rsa_sign(f->key, strlen(f->key), out->p + from, out->n - from, &part, err);
	if (st == ZINC_OK)
		st = zinc_buf_puts(out, ".", err);
	if (st == ZINC_OK)
		st = add_base64url(out, part.p, part.n, err);
	zinc_buf_fini(&part);
	return st;
}
