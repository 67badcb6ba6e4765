/*
 * store_az_error.c - what failures of Azure Blob Storage mean, and what helps
 *
 * Promises (tests/unit/test_store_az_list.c names each by its number):
 *
 * (1) Only BlobNotFound is "missing".  A missing container, ResourceNotFound (which an anonymous request gets for
 *     whatever is not public) and an answer without a code of Azure are failures.
 * (2) A token that is not accepted is asked for again, a wrong clock is corrected, once; then the request is sent again.
 * (3) A condition is unmet only if the code says so: a lease, an immutable blob and a snapshot in the way are failures
 *     that say what helps.
 * (4) The error has the server's code, message and request id as printable characters.  A server that sends credentials
 *     back is not quoted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "store/store_az.h"

#define MAX_SKEW 600 /* seconds; Azure accepts 900 */

const char *const zinc_az_keep[] = {"x-ms-error-code",        "x-ms-meta-zincwrite", "x-ms-request-id",
				    "x-ms-meta-hdi_isfolder", "content-md5",         NULL};

/* ---- error documents ---- */

static zinc_status
take_member(az_fault *out, zinc_xml *x, zinc_buf *value)
{
	const struct {
		const char *name;
		char *to;
		size_t cap;
	} members[] = {{"Code", out->code, sizeof out->code},
		       {"Message", out->message, sizeof out->message},
		       {"AuthenticationErrorDetail", out->detail, sizeof out->detail}};
	size_t i;

	for (i = 0; i < sizeof members / sizeof members[0]; i++)
		if (zinc_xml_is(x, members[i].name)) {
			value->n = 0;
			ZINC_TRY(zinc_xml_value(x, value, NULL));
			/* further lines repeat the request id and the time */
			zinc_web_printable(members[i].to, members[i].cap, value->p,
					   value->n && memchr(value->p, '\n', value->n)
					       ? (size_t)((uint8_t *)memchr(value->p, '\n', value->n) - value->p)
					       : value->n);
			return ZINC_OK;
		}
	return zinc_xml_skip(x, NULL);
}

bool
zinc_az_parse_error(az_fault *out, zinc_context *ctx, const char *text, size_t n)
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

static bool
is_lease(const char *code)
{
	return strncmp(code, "Lease", 5) == 0;
}

static const char *
advice(const az_store *s, const az_fault *f, int status)
{
	static const struct {
		const char *code, *text;
	} known[] = {
	    {"ContainerNotFound", "check the name of the container, az.account and az.endpoint"},
	    {"ContainerBeingDeleted", "the container is being deleted: wait, or use another"},
	    {"AccountIsDisabled", "the account is disabled"},
	    {"AuthenticationFailed", "the key, SAS or token is wrong or has ended, or a proxy changes requests"},
	    {"AuthorizationPermissionMismatch",
	     "the identity needs the role Storage Blob Data Reader or Contributor, or the SAS another permission"},
	    {"AuthorizationFailure", "the key is wrong, or the account admits only some networks"},
	    {"KeyBasedAuthenticationNotPermitted", "the account admits no keys: use an identity or a user's SAS"},
	    {"PublicAccessNotPermitted", "the account admits no anonymous requests: set credentials"},
	    {"SnapshotsPresent", "the blob has snapshots, which are not deleted with it: delete them first"},
	    {"BlobImmutableDueToPolicy", "a policy or a legal hold protects the blob"},
	    {"BlobArchived", "the blob is in the archive tier: set its tier to hot or cool first"},
	    {"BlobBeingRehydrated", "the blob is on its way out of the archive: wait"},
	    {"UnsupportedHeader", "this server is older than version 2023-11-03 of the service"},
	};
	size_t i;

	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(f->code, known[i].code) == 0)
			return known[i].text;
	if (is_lease(f->code))
		return "someone holds a lease of the blob: wait until it ends, or break it (az storage blob lease "
		       "break)";
	if (status != 401 && status != 403 && strcmp(f->code, "ResourceNotFound") != 0)
		return "";
	if (atomic_load(&s->signs))
		return status == 401 ? "the token is not accepted: it may have ended"
				     : "the credentials do not allow this";
	return zinc_azure_advice(s->azure) ? zinc_azure_advice(s->azure)
					   : "the requests have no credentials, because az.anonymous is set";
}

static bool
shows(const az_store *s, const char *text)
{
	return zinc_azure_shows_secret(s->azure, (zinc_bytes){(const uint8_t *)text, strlen(text)});
}

/* The whole text counts: what is shown of it may be cut in the middle of a secret. */
static bool
shows_secret(const az_store *s, const zinc_web_answer *a, const az_fault *f)
{
	return zinc_azure_shows_secret(s->azure, a->text) || shows(s, f->message) || shows(s, f->code) ||
	       shows(s, a->head->kept[AZ_KEEP_REQUEST]) || shows(s, a->head->kept[AZ_KEEP_CODE]);
}

/* Why the credentials are not accepted, if that is no signature. */
static const char *
detail_of(const az_store *s, const az_fault *f)
{
	return strstr(f->detail, "MAC ") || shows(s, f->detail) ? "" : f->detail;
}

static zinc_status
fail(const az_store *s, const zinc_web_answer *a, const az_fault *f, zinc_error *err)
{
	const char *request = a->head->kept[AZ_KEEP_REQUEST];
	const bool listing_denied = a->lists && a->head->status == 403;
	const zinc_status st = listing_denied ? ZINC_E_UNSUPPORTED : ZINC_E_IO;
	const char *more = advice(s, f, a->head->status), *detail = detail_of(s, f);
	char id[ZINC_WEB_NAME];

	zinc_web_printable(id, sizeof id, request, strlen(request));
	if (shows_secret(s, a, f))
		return zinc_fail(err, st, "HTTP %d; the server's words are not shown: they contain the credentials",
				 a->head->status);
	if (!f->code[0] && a->head->status == 404)
		return zinc_fail(err, ZINC_E_IO, "HTTP 404 without a code of Azure; check az.endpoint");
	return zinc_fail(err, st, "%s%s%s%s%s (HTTP %d%s%s)%s%s%s", f->code[0] ? f->code : "refused",
			 f->message[0] ? ": " : "", f->message, detail[0] ? " " : "", detail, a->head->status,
			 id[0] ? ", request " : "", id, more[0] ? "; " : "", more,
			 listing_denied ? "; listing needs the permission to list" : "");
}

/* ---- corrections ---- */

/* Azure says AuthenticationFailed, whatever is wrong; its own date tells whether it is the clock.  Another request may
 * have found out before, after this one was sent: so it is sent again in any case, once. */
static bool
correct_clock(az_store *s, const zinc_web_answer *a)
{
	const zinc_os *os = s->web.ctx->os;
	struct timespec t = {0, 0};
	const bool told = a->head->date >= 0 && os->clock(os, CLOCK_REALTIME, &t) == 0;
	long long ahead = (long long)a->head->date - (long long)t.tv_sec;

	if (llabs(ahead) < MAX_SKEW)
		ahead = 0;
	if (!told || a->rounds > 0 || (!ahead && !atomic_load(&s->skew)))
		return false;
	atomic_store(&s->skew, ahead);
	return true;
}

/* As of the clock: another request may have got a new token meanwhile. */
static bool
correct_token(az_store *s, const zinc_web_answer *a)
{
	if (a->rounds > 0 || !zinc_azure_renews(s->azure))
		return false;
	zinc_azure_refused(s->azure);
	return true;
}

static bool
correct(az_store *s, const zinc_web_answer *a, const az_fault *f)
{
	const int status = a->head->status;

	if (!atomic_load(&s->signs))
		return false;
	if (status == 403 && strcmp(f->code, "AuthenticationFailed") == 0 && correct_clock(s, a))
		return true;
	return status == 401 && correct_token(s, a);
}

/* ---- verdicts ---- */

static zinc_web_verdict
explain(az_store *s, const zinc_web_answer *a, az_fault *f, zinc_error *err)
{
	static const char *const missing[] = {"BlobNotFound", "PathNotFound", "DirectoryIsNotEmpty", NULL};
	static const char *const unmet[] = {"ConditionNotMet", "TargetConditionNotMet", "BlobAlreadyExists", NULL};
	static const char *const passing[] = {"ServerBusy", "InternalError", "OperationTimedOut", NULL};
	const char *code = a->head->kept[AZ_KEEP_CODE];

	(void)zinc_az_parse_error(f, s->web.ctx, (const char *)a->text.p, a->text.n);
	if (!f->code[0])
		zinc_web_printable(f->code, sizeof f->code, code, strlen(code));
	if (is_one_of(f->code, missing))
		return ZINC_WEB_MISSING;
	if (is_one_of(f->code, unmet))
		return ZINC_WEB_UNMET;
	if (correct(s, a, f))
		return ZINC_WEB_AGAIN;
	if (a->bare && !f->code[0])
		return ZINC_WEB_READ;
	if (is_one_of(f->code, passing) && a->rounds < s->web.retries)
		return ZINC_WEB_LATER;
	fail(s, a, f, err);
	return ZINC_WEB_REFUSED;
}

zinc_web_verdict
zinc_az_judge(zinc_web *w, const zinc_web_answer *a, zinc_error *err)
{
	az_fault f;

	return explain((az_store *)w, a, &f, err);
}

zinc_web_verdict
zinc_az_call_judge(zinc_web *w, const zinc_web_answer *a, char code[ZINC_WEB_NAME], zinc_error *err)
{
	zinc_web_verdict v;
	az_fault f;

	v = explain((az_store *)w, a, &f, err);
	memcpy(code, f.code, ZINC_WEB_NAME);
	return v;
}
