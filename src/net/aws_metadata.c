/*
 * aws_metadata.c - credentials of a container (ECS, EKS) and of a machine (EC2 metadata, version 2)
 *
 * Promises (tests/unit/test_aws_web.c names each by its number):
 *
 * (4) A container's token goes over plain http only to this machine and to the addresses that AWS uses for it.
 * (5) EC2 metadata is asked with a session token, once, for at most a second where nothing answers, and never through a
 *     proxy.  Where nothing answers, or no role is attached, it is no source.
 */
#include <ctype.h>
#include <stdio.h>

#include "net/aws_inside.h"

#define MOST 10.0 /* seconds for a request to a server nearby */

static const zinc_aws_names document = {NULL,  "AccessKeyId", "SecretAccessKey", "Token", "Expiration", false,
					false, NULL};

/* ---- container ---- */

/* The host of "http://host:port/path", in lower case.  False: it is none, or it has a user, or is too long. */
static bool
host_of(const char *url, char *out, size_t cap)
{
	const char *p = url + strlen("http://");
	const size_t n = strcspn(p, "/?#");
	size_t end = n, i;

	if (n == 0 || n >= cap || memchr(p, '@', n) || memchr(p, '\\', n))
		return false;
	for (i = 0; i < n; i++)
		out[i] = (char)tolower((unsigned char)p[i]);
	out[n] = '\0';
	if (out[0] == '[')
		end = strcspn(out, "]") + 1;
	else
		end = strcspn(out, ":");
	if (end > n || (out[end] && (out[end] != ':' || strspn(out + end + 1, "0123456789") != strlen(out + end + 1))))
		return false;
	out[end] = '\0';
	return true;
}

/* 127.x.y.z, as four decimal numbers. */
static bool
is_loopback(const char *host)
{
	int dots = 0;
	size_t i, digits = 0;

	if (strncmp(host, "127.", 4) != 0)
		return false;
	for (i = 0; host[i]; i++) {
		if (host[i] == '.' ? digits == 0 : !isdigit((unsigned char)host[i]) || digits == 3)
			return false;
		dots += host[i] == '.';
		digits = host[i] == '.' ? 0 : digits + 1;
	}
	return dots == 3 && digits > 0;
}

static bool
is_allowed(const char *url)
{
	static const char *const hosts[] = {"localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};
	char host[256];
	size_t i;

	if (strncasecmp(url, "https://", 8) == 0)
		return true;
	if (strncasecmp(url, "http://", 7) != 0 || !host_of(url, host, sizeof host))
		return false;
	for (i = 0; i < sizeof hosts / sizeof hosts[0]; i++)
		if (strcmp(host, hosts[i]) == 0)
			return true;
	return is_loopback(host);
}

/* The token, from a file or the environment, without the end of its line; NULL: none. */
static zinc_status
container_token(zinc_aws_search *s, const char **out, zinc_error *err)
{
	const char *path = zinc_env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"), *text;
	size_t n;

	*out = zinc_env("AWS_CONTAINER_AUTHORIZATION_TOKEN");
	if (!path)
		return ZINC_OK;
	ZINC_TRY(zinc_secret_file(s->pool, path, ZINC_AWS_MAX_ANSWER, "the token file", false, &text, &n, err));
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	*out = zinc_secret_text(s->pool, text, n);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
container_url(zinc_aws_search *s, const char **out, zinc_error *err)
{
	const char *relative = zinc_env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	const char *full = zinc_env("AWS_CONTAINER_CREDENTIALS_FULL_URI");

	*out = NULL;
	if (!relative && !full)
		return ZINC_OK;
	s->source = "the container";
	if (relative && relative[0] != '/')
		return zinc_fail(err, ZINC_E_INVALID, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must begin with '/'");
	if (relative)
		return zinc_aws_format(s, out, err, "http://169.254.170.2%s", relative);
	if (!is_allowed(full))
		return zinc_fail(err, ZINC_E_INVALID,
				 "AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or http to this machine or to an "
				 "address of the container service");
	*out = full;
	return ZINC_OK;
}

zinc_status
zinc_aws_from_container(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err)
{
	zinc_ask_request r = {.timeout = 2, .most = MOST, .retries = 2, .direct = true};
	zinc_ask_answer answer;
	const char *token;

	ZINC_TRY(container_url(s, &r.url, err));
	if (!r.url)
		return ZINC_OK;
	ZINC_TRY(container_token(s, &token, err));
	r.fields[0].name = token ? "Authorization" : NULL;
	r.fields[0].value = token;
	ZINC_TRY(zinc_aws_ask(s, &r, &answer, err));
	if (answer.status != 200)
		return zinc_fail(err, ZINC_E_IO, "HTTP %d", answer.status);
	return zinc_aws_from_json(out, s->pool, answer.text, answer.n, &document, err);
}

/* ---- EC2 metadata ---- */

static const char *
metadata_endpoint(void)
{
	const char *given = zinc_env("AWS_EC2_METADATA_SERVICE_ENDPOINT");
	const char *mode = zinc_env("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");

	if (given)
		return given;
	return mode && strcasecmp(mode, "ipv6") == 0 ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
}

static zinc_status
ask_metadata(zinc_aws_search *s, const char *base, const char *path, const char *token, zinc_ask_answer *out,
	     zinc_error *err)
{
	const size_t n = strlen(base);
	zinc_ask_request r = {.timeout = 1, .most = token ? MOST : 2, .retries = token ? 2 : 0, .direct = true};

	ZINC_TRY(
	    zinc_aws_format(s, &r.url, err, "%.*s/latest/%s", (int)(n && base[n - 1] == '/' ? n - 1 : n), base, path));
	r.method = token ? NULL : "PUT";
	r.fields[0].name = token ? "X-aws-ec2-metadata-token" : "X-aws-ec2-metadata-token-ttl-seconds";
	r.fields[0].value = token ? token : "300";
	return zinc_aws_ask(s, &r, out, err);
}

/* Of a file or a header: no spaces and no end of a line. */
static bool
is_token(const char *text)
{
	size_t n;

	for (n = 0; text[n]; n++)
		if (text[n] <= ' ' || text[n] >= 0x7f)
			return false;
	return n > 0 && n < 4096;
}

/* *out NULL: nothing answers, or the service is switched off.  If the user has named the address, that is an error. */
static zinc_status
metadata_token(zinc_aws_search *s, const char *base, const char **out, zinc_error *err)
{
	const bool named = zinc_env("AWS_EC2_METADATA_SERVICE_ENDPOINT") != NULL;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_ask_answer answer;
	zinc_status st = ask_metadata(s, base, "api/token", NULL, &answer, &e);

	*out = NULL;
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	if (st == ZINC_E_CANCELLED || (st != ZINC_OK && named))
		return zinc_error_copy(err, &e);
	if (st != ZINC_OK || answer.status == 403 || answer.status == 404 || answer.status == 405)
		return ZINC_OK;
	if (answer.status != 200)
		return zinc_fail(err, ZINC_E_IO, "HTTP %d", answer.status);
	if (!is_token(answer.text))
		return zinc_fail(err, ZINC_E_CORRUPT, "the answer is not a token");
	*out = answer.text;
	return ZINC_OK;
}

/* The first line of the answer; a role's name has no characters that a URL cannot hold. */
static zinc_status
metadata_role(zinc_aws_search *s, const char *base, const char *token, const char **out, zinc_error *err)
{
	zinc_ask_answer answer;
	size_t n;

	*out = NULL;
	ZINC_TRY(ask_metadata(s, base, "meta-data/iam/security-credentials/", token, &answer, err));
	if (answer.status == 404)
		return ZINC_OK; /* no role is attached */
	if (answer.status != 200)
		return zinc_fail(err, ZINC_E_IO, "HTTP %d", answer.status);
	n = strspn(answer.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+=,.@-");
	if (n == 0 || n > 128 || (answer.text[n] && !isspace((unsigned char)answer.text[n])))
		return zinc_fail(err, ZINC_E_CORRUPT, "the answer is not the name of a role");
	*out = zinc_secret_text(s->pool, answer.text, n);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
metadata_keys(zinc_aws_search *s, const char *base, const char *token, const char *role, zinc_aws_found *out,
	      zinc_error *err)
{
	zinc_ask_answer answer;
	const char *path;

	ZINC_TRY(zinc_aws_format(s, &path, err, "meta-data/iam/security-credentials/%s", role));
	ZINC_TRY(ask_metadata(s, base, path, token, &answer, err));
	if (answer.status != 200)
		return zinc_fail(err, ZINC_E_IO, "HTTP %d", answer.status);
	return zinc_aws_from_json(out, s->pool, answer.text, answer.n, &document, err);
}

zinc_status
zinc_aws_from_metadata(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err)
{
	const char *disabled = zinc_env("AWS_EC2_METADATA_DISABLED"), *base = metadata_endpoint(), *token, *role;

	if (disabled && strcasecmp(disabled, "true") == 0)
		return ZINC_OK;
	s->source = "EC2 metadata";
	ZINC_TRY(metadata_token(s, base, &token, err));
	if (!token)
		return ZINC_OK;
	ZINC_TRY(metadata_role(s, base, token, &role, err));
	return role ? metadata_keys(s, base, token, role, out, err) : ZINC_OK;
}
