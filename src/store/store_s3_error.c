/*
 * store_s3_error.c - what failures of S3 mean, and what helps
 *
 * Promises (tests/unit/test_store_s3_list.c names each by its number):
 *
 * (1) Only NoSuchKey is "missing".  NoSuchBucket and an answer without an error document are failures.  An answer to HEAD
 *     has no document: it is "missing" only if the bucket is known to exist.
 * (2) A wrong region, a wrong clock and expired keys are corrected once, and the request is sent again.
 * (3) The error has the server's code, message and request id as printable characters, and says what may help.  A
 *     server that sends credentials back is not quoted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "store/store_s3.h"

#define MAX_AGAIN 3 /* corrections of one request: region, clock, keys */

const char *const zinc_s3_keep[] = {"x-amz-bucket-region", "x-amz-meta-zinc-write", "x-amz-request-id",
				    "x-amz-checksum-crc32c", NULL};

/* ---- error documents ---- */

static zinc_status
take_member(s3_fault *out, zinc_xml *x, zinc_buf *value)
{
	const struct {
		const char *name;
		char *to;
		size_t cap;
	} members[] = {{"Code", out->code, sizeof out->code},
		       {"Message", out->message, sizeof out->message},
		       {"RequestId", out->request, sizeof out->request},
		       {"Region", out->region, sizeof out->region}};
	size_t i;

	for (i = 0; i < sizeof members / sizeof members[0]; i++)
		if (zinc_xml_is(x, members[i].name)) {
			value->n = 0;
			ZINC_TRY(zinc_xml_value(x, value, NULL));
			zinc_web_printable(members[i].to, members[i].cap, value->p, value->n);
			return ZINC_OK;
		}
	return zinc_xml_skip(x, NULL);
}

bool
zinc_s3_may_be_error(const char *text, size_t n)
{
	size_t blanks = 0;
	zinc_xml_event e;
	zinc_xml x;

	while (blanks < n && (text[blanks] == ' ' || (text[blanks] >= '\t' && text[blanks] <= '\r')))
		blanks++;
	if (blanks == n || text[blanks] != '<')
		return false;
	zinc_xml_init(&x, text, n);
	e = zinc_xml_next(&x);
	return e == ZINC_XML_OPEN ? zinc_xml_is(&x, "Error") : true;
}

bool
zinc_s3_parse_error(s3_fault *out, zinc_context *ctx, const char *text, size_t n)
{
	zinc_xml_event e;
	zinc_buf value;
	bool ok = true;
	zinc_xml x;

	memset(out, 0, sizeof *out);
	zinc_xml_init(&x, text, n);
	if (zinc_xml_next(&x) != ZINC_XML_OPEN || !zinc_xml_is(&x, "Error"))
		return false;
	zinc_buf_init(&value, ctx, 64 * ZINC_KIB);
	while (ok && (e = zinc_xml_next(&x)) != ZINC_XML_END) {
		ok = e != ZINC_XML_BAD;
		if (e == ZINC_XML_OPEN)
			ok = take_member(out, &x, &value) == ZINC_OK;
	}
	zinc_buf_fini(&value);
	return out->code[0] != '\0';
}

/* ---- what helps ---- */

static bool
is_one_of(const char *code, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(code, *list) == 0)
			return true;
	return false;
}

/* Written to `out` if it is not constant. */
static const char *
advice(const s3_store *s, const s3_fault *f, int status, char *out, size_t cap)
{
	static const struct {
		const char *code, *text;
	} known[] = {
	    {"NoSuchBucket", "; check the name of the bucket and s3.endpoint"},
	    {"InvalidAccessKeyId", "; this server does not know the access key: check s3.endpoint and the profile"},
	    {"SignatureDoesNotMatch", "; the secret key is wrong, or a proxy changes requests"},
	    {"ExpiredToken", "; log in again, or set new credentials"},
	    {"InvalidToken", "; set new credentials"},
	    {"RequestTimeTooSkewed", "; set the clock of this machine"},
	    {"PermanentRedirect", "; set s3.region or s3.endpoint"},
	    {"AuthorizationHeaderMalformed", "; set s3.region"},
	    {"InvalidBucketName", "; check the name of the bucket"},
	};
	size_t i;

	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(f->code, known[i].code) == 0)
			return known[i].text;
	if (status != 401 && status != 403)
		return "";
	if (atomic_load(&s->signs))
		return "; the credentials do not allow this, or the key is missing and they do not allow s3:ListBucket";
	memcpy(out, "; ", 3);
	if (zinc_aws_advice(s->aws, out + 2, cap - 2))
		return out;
	return "; the requests are not signed, because s3.anonymous is set";
}

static bool
shows(const s3_store *s, const char *text)
{
	return zinc_aws_shows_secret(s->aws, (zinc_bytes){(const uint8_t *)text, strlen(text)});
}

/* The message may be cut in the middle of a secret.  Code and id can be shown, though: AWS itself quotes the token, in
 * the request that it has computed another signature for. */
static const char *
message_of(const s3_store *s, const zinc_web_answer *a, const s3_fault *f)
{
	return zinc_aws_shows_secret(s->aws, a->text) ? "the message is not shown: it may contain the credentials"
						      : f->message;
}

static zinc_status
fail(const s3_store *s, const zinc_web_answer *a, const s3_fault *f, zinc_error *err)
{
	const char *request = f->request[0] ? f->request : a->head->kept[S3_KEEP_REQUEST];
	const bool listing_denied = a->lists && a->head->status == 403;
	const zinc_status st = listing_denied ? ZINC_E_UNSUPPORTED : ZINC_E_IO;
	char id[S3_NAME], more[ZINC_AWS_ADVICE + 2];
	const char *message = message_of(s, a, f);

	zinc_web_printable(id, sizeof id, request, strlen(request));
	if (shows(s, f->message) || shows(s, request) || shows(s, f->code))
		return zinc_fail(err, st, "HTTP %d; the server's words are not shown: they contain the credentials",
				 a->head->status);
	if (!f->code[0] && a->head->status == 404)
		return zinc_fail(err, ZINC_E_IO, "HTTP 404 without an error document of S3; check s3.endpoint");
	return zinc_fail(err, st, "%s%s%s (HTTP %d%s%s)%s%s", f->code[0] ? f->code : "refused", message[0] ? ": " : "",
			 message, a->head->status, id[0] ? ", request " : "", id,
			 advice(s, f, a->head->status, more, sizeof more),
			 listing_denied ? "; listing the bucket needs s3:ListBucket" : "");
}

/* ---- corrections ---- */

static bool
correct_region(s3_store *s, const zinc_web_answer *a, const s3_fault *f)
{
	return zinc_s3_set_region(s, f->region) || zinc_s3_set_region(s, a->head->kept[S3_KEEP_REGION]);
}

static bool
correct_clock(s3_store *s, const zinc_web_answer *a)
{
	const zinc_os *os = s->web.ctx->os;
	struct timespec t;

	if (a->head->date < 0 || os->clock(os, CLOCK_REALTIME, &t) != 0)
		return false;
	atomic_store(&s->skew, (long long)a->head->date - (long long)t.tv_sec);
	return true;
}

/* Can the next try succeed, because it is signed in another way? */
static bool
correct(s3_store *s, const zinc_web_answer *a, const s3_fault *f)
{
	static const char *const regions[] = {"AuthorizationHeaderMalformed",
					      "PermanentRedirect",
					      "TemporaryRedirect",
					      "IllegalLocationConstraintException",
					      "",
					      NULL};
	static const char *const keys[] = {"ExpiredToken", "InvalidToken", "TokenRefreshRequired",
					   "ExpiredTokenException", NULL};
	const int status = a->head->status;

	if (a->rounds >= MAX_AGAIN)
		return false;
	if ((status / 100 == 3 || status == 400 || status == 403) && is_one_of(f->code, regions) &&
	    correct_region(s, a, f))
		return true;
	if (strcmp(f->code, "RequestTimeTooSkewed") == 0)
		return correct_clock(s, a);
	if (!is_one_of(f->code, keys) || !atomic_load(&s->signs))
		return false;
	zinc_aws_refused(s->aws, NULL);
	return true;
}

/* ---- verdicts ---- */

/* Statuses that are retried do not come here, but errors in an answer of status 200 do. */
static bool
is_passing(const s3_fault *f)
{
	static const char *const codes[] = {"InternalError",
					    "SlowDown",
					    "ServiceUnavailable",
					    "Busy",
					    "RequestTimeout",
					    "OperationAborted",
					    "Throttling",
					    "ThrottlingException",
					    "RequestLimitExceeded",
					    "XMinioServerNotInitialized",
					    NULL};

	return is_one_of(f->code, codes);
}

zinc_web_verdict
zinc_s3_explain(s3_store *s, const zinc_web_answer *a, s3_fault *f, zinc_error *err)
{
	static const char *const missing[] = {"NoSuchKey", "NoSuchVersion", NULL};
	const int status = a->head->status;

	(void)zinc_s3_parse_error(f, s->web.ctx, (const char *)a->text.p, a->text.n);
	if (status == 404 && is_one_of(f->code, missing)) {
		atomic_store(&s->bucket_exists, true);
		return ZINC_WEB_MISSING;
	}
	if (status == 404 && a->bare && atomic_load(&s->bucket_exists))
		return ZINC_WEB_MISSING;
	if (correct(s, a, f))
		return ZINC_WEB_AGAIN;
	if (a->bare)
		return ZINC_WEB_READ;
	if (is_passing(f) && a->rounds < s->web.retries)
		return ZINC_WEB_LATER;
	fail(s, a, f, err);
	return ZINC_WEB_FAILED;
}

zinc_web_verdict
zinc_s3_judge(zinc_web *w, const zinc_web_answer *a, zinc_error *err)
{
	s3_fault f;

	return zinc_s3_explain((s3_store *)w, a, &f, err);
}

/* ---- requests that are no gets ---- */

zinc_status
zinc_s3_call_fields(zinc_web *w, const zinc_web_call *c, zinc_http_request *out, zinc_error *err)
{
	(void)w;
	if (c->when && c->when->when == ZINC_ABSENT)
		ZINC_TRY(zinc_http_header(out, "If-None-Match", "*", err));
	else if (c->when && c->when->when == ZINC_EQUALS)
		ZINC_TRY(zinc_web_add_condition(out, c->when->tag, err));
	return c->write ? zinc_http_header(out, zinc_s3_keep[S3_KEEP_WRITE], c->write, err) : ZINC_OK;
}

void
zinc_s3_call_head(zinc_web *w, zinc_web_call *c, const zinc_http_head *h)
{
	atomic_store(&((s3_store *)w)->bucket_exists, true);
	if (h->etag[0])
		zinc_web_take_tag(w, h, ZINC_HTTP_UNKNOWN, &c->tag);
	snprintf(c->found_write, sizeof c->found_write, "%.*s", ZINC_WEB_NAME - 1, h->kept[S3_KEEP_WRITE]);
}

bool
zinc_s3_call_is_error(zinc_web *w, const zinc_web_call *c)
{
	const bool reads = strcmp(c->method, "GET") == 0 || strcmp(c->method, "HEAD") == 0;
	const char *text = (const char *)c->text.p;
	s3_fault f;

	return reads ? zinc_s3_parse_error(&f, w->ctx, text, c->text.n) : zinc_s3_may_be_error(text, c->text.n);
}

zinc_web_verdict
zinc_s3_call_judge(zinc_web *w, const zinc_web_answer *a, char code[ZINC_WEB_NAME], zinc_error *err)
{
	zinc_web_verdict v;
	s3_fault f;

	v = zinc_s3_explain((s3_store *)w, a, &f, err);
	memcpy(code, f.code, ZINC_WEB_NAME);
	return v;
}
