/*
 * store_gs_error.c - what failures of Google Cloud Storage mean, and what helps
 *
 *     {"error": {"code": 403, "message": "...", "errors": [{"reason": "forbidden", ...}]}}    the JSON API
 *     No such object: bucket/key                                                            a read of bytes
 *
 * Promises (tests/unit/test_store_gs.c names each by its number, as those of store_gs.c):
 *
 * (6) "Missing" is only what the server says about the object, or a 404 while the bucket exists, which is asked for once if
 *     no other answer has shown it.  A missing bucket is a failure.
 * (7) A token that is refused (401) is renewed once, and the request is sent again.
 * (8) The error has the server's reason, message and request id as printable characters, and says what may help.  A
 *     server that sends the token back is not quoted.
 */
#include <stdio.h>

#include "json/json.h"
#include "store/store_gs.h"

const char *const zinc_gs_keep[] = {"x-goog-generation", "x-goog-hash", "x-goog-stored-content-encoding",
				    "x-guploader-uploadid", NULL};
const char *const zinc_gs_call_keep[] = {"range", "content-type", "x-goog-request-id", "x-guploader-uploadid", NULL};

/* ---- error documents ---- */

static void
copy_text(char *out, size_t cap, const zinc_json *v)
{
	if (v && v->type == ZINC_JSON_STRING)
		zinc_web_printable(out, cap, v->text, v->n);
}

static bool
take_error(gs_fault *out, const zinc_json *root)
{
	const zinc_json *error = root && root->type == ZINC_JSON_OBJECT ? zinc_json_member(root, "error") : NULL;
	const zinc_json *errors;

	if (!error || error->type != ZINC_JSON_OBJECT)
		return false;
	copy_text(out->message, sizeof out->message, zinc_json_member(error, "message"));
	errors = zinc_json_member(error, "errors");
	if (errors && errors->type == ZINC_JSON_ARRAY && errors->first && errors->first->type == ZINC_JSON_OBJECT)
		copy_text(out->reason, sizeof out->reason, zinc_json_member(errors->first, "reason"));
	return true;
}

bool
zinc_gs_parse_error(gs_fault *out, zinc_context *ctx, const char *text, size_t n)
{
	zinc_json_doc *doc = NULL;
	bool ok;

	memset(out, 0, sizeof *out);
	ok = n && zinc_json_parse(&doc, ctx, text, n, ZINC_JSON_DUPLICATES, NULL) == ZINC_OK &&
	     take_error(out, zinc_json_root(doc));
	zinc_json_free(doc);
	if (!ok && n && text[0] != '<' && text[0] != '{') /* no page of a proxy */
		zinc_web_printable(out->message, sizeof out->message, text, n);
	while (out->message[0] && out->message[strlen(out->message) - 1] == '?')
		out->message[strlen(out->message) - 1] = '\0'; /* the end of a line */
	return ok;
}

/* ---- what helps ---- */

static const char *
advice(gs_store *s, const zinc_web_answer *a)
{
	const int status = a->head->status;

	if (status == 404)
		return "check the name of the bucket and gs.endpoint";
	if (status == 400)
		return "check gs.endpoint and gs.user_project";
	if (status != 401 && status != 403)
		return NULL;
	if (!atomic_load(&s->signs))
		return zinc_google_advice(s->google);
	if (status == 401)
		return "the token is not accepted: log in again, or set new credentials";
	return a->lists ? "listing the bucket needs the permission storage.objects.list"
			: "the credentials do not allow this, or the key is missing and they do not allow "
			  "storage.objects.list";
}

static bool
shows(gs_store *s, const char *text)
{
	return zinc_google_shows_token(s->google, (zinc_bytes){(const uint8_t *)text, strlen(text)});
}

/* The whole text counts: what is shown of it may be cut in the middle of the token. */
static bool
shows_token(gs_store *s, const zinc_web_answer *a, const gs_fault *f)
{
	return zinc_google_shows_token(s->google, a->text) || shows(s, f->message) || shows(s, f->reason) ||
	       shows(s, a->head->kept[GS_KEEP_REQUEST]);
}

static zinc_status
fail(gs_store *s, const zinc_web_answer *a, const gs_fault *f, zinc_error *err)
{
	const zinc_status st = a->lists && a->head->status == 403 ? ZINC_E_UNSUPPORTED : ZINC_E_IO;
	const char *helps = advice(s, a);
	char id[ZINC_WEB_NAME];

	zinc_web_printable(id, sizeof id, a->head->kept[GS_KEEP_REQUEST], strlen(a->head->kept[GS_KEEP_REQUEST]));
	if (shows_token(s, a, f))
		return zinc_fail(err, st, "HTTP %d; the server's words are not shown: they contain the token",
				 a->head->status);
	return zinc_fail(err, st, "%s%s%s (HTTP %d%s%s)%s%s", f->reason[0] ? f->reason : "refused",
			 f->message[0] ? ": " : "", f->message, a->head->status, id[0] ? ", request " : "", id,
			 helps ? "; " : "", helps ? helps : "");
}

/* ---- is it missing? ---- */

/* Ask for a listing of one key: 404 means that there is no bucket.  Whoever may not list gets 403. */
static zinc_status
ask_bucket(gs_store *s, bool *exists, const zinc_wait *wait, zinc_error *err)
{
	zinc_web_call c = {.method = "GET", .kind = GS_LIST, .query = "maxResults=1&fields=kind", .reads = true};
	zinc_status st = zinc_web_one(&s->web, &c, wait, err);

	*exists = st == ZINC_OK || c.status == 403;
	if (c.status == 404 || *exists)
		st = ZINC_OK;
	zinc_web_call_fini(&s->web, &c);
	return st;
}

static zinc_web_verdict
judge_404(gs_store *s, const zinc_web_answer *a, const gs_fault *f, zinc_error *err)
{
	const bool uploads = strcmp(a->method, "POST") == 0 || strcmp(a->method, "PUT") == 0;
	bool exists = atomic_load(&s->bucket_exists);

	if (uploads) { /* a bucket, or an upload in pieces */
		fail(s, a, f, err);
		return ZINC_WEB_FAILED;
	}
	if (strncmp(f->message, "No such object", 14) == 0)
		exists = true;
	if (a->bare) /* nobody promises HEAD here */
		return ZINC_WEB_READ;
	if (strstr(f->message, "bucket does not exist"))
		exists = false;
	else if (!exists && !a->lists && ask_bucket(s, &exists, a->wait, err) != ZINC_OK)
		return ZINC_WEB_FAILED;
	if (exists && !a->lists) {
		atomic_store(&s->bucket_exists, true);
		return ZINC_WEB_MISSING;
	}
	fail(s, a, f, err);
	return ZINC_WEB_FAILED;
}

/* ---- verdicts ---- */

/* Statuses that are retried do not come here. */
static bool
is_passing(const gs_fault *f)
{
	static const char *const reasons[] = {"rateLimitExceeded", "userRateLimitExceeded", "backendError",
					      "internalError"};
	size_t i;

	for (i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		if (strcmp(f->reason, reasons[i]) == 0)
			return true;
	return false;
}

static zinc_web_verdict
explain(gs_store *s, const zinc_web_answer *a, gs_fault *f, zinc_error *err)
{
	const int status = a->head->status;

	(void)zinc_gs_parse_error(f, s->web.ctx, (const char *)a->text.p, a->text.n);
	if (status == 404)
		return judge_404(s, a, f, err);
	if (status == 401 && atomic_load(&s->signs) && a->rounds == 0) {
		zinc_google_refused(s->google);
		return ZINC_WEB_AGAIN;
	}
	if (a->bare)
		return ZINC_WEB_READ;
	if (is_passing(f) && a->rounds < s->web.retries)
		return ZINC_WEB_LATER;
	fail(s, a, f, err);
	return ZINC_WEB_FAILED;
}

zinc_web_verdict
zinc_gs_judge(zinc_web *w, const zinc_web_answer *a, zinc_error *err)
{
	gs_fault f;

	return explain((gs_store *)w, a, &f, err);
}

zinc_web_verdict
zinc_gs_call_judge(zinc_web *w, const zinc_web_answer *a, char code[ZINC_WEB_NAME], zinc_error *err)
{
	zinc_web_verdict v;
	gs_fault f;

	v = explain((gs_store *)w, a, &f, err);
	memcpy(code, f.reason, ZINC_WEB_NAME);
	return v;
}
