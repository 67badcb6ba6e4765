/*
 * aws_chain.c - the sources of credentials, in the order of the AWS SDKs
 *
 *     settings -> environment -> web identity -> profile -> container -> EC2 metadata -> none: anonymous
 *                                                   |
 *                  role (from other keys), web identity, SSO, keys in the files, credential_process
 *
 * Promises (tests/unit/test_aws.c names each by its number):
 *
 * (1) The first source that is configured counts.  If it fails, that is an error that names it; no other source is
 *     tried, and no request becomes anonymous.
 * (2) A profile that the user names in the URL or the settings wins over keys in the environment.
 * (3) Half a configuration (an id without its secret, a role without its keys) is an error.
 * (4) No error shows a key or a token.
 */
#include <stdio.h>
#include <time.h>

#include "net/aws_inside.h"

#define MAX_ROLES 5 /* roles that give keys for the next role */

/* ---- help for all sources ---- */

void
zinc_aws_tried(zinc_aws_search *s, const char *what)
{
	const size_t n = strlen(s->tried);

	snprintf(s->tried + n, ZINC_AWS_TRIED - n, "%s%s", n ? ", " : "", what);
}

int64_t
zinc_aws_clock(zinc_context *ctx)
{
	struct timespec now;

	return ctx->os->clock(ctx->os, CLOCK_REALTIME, &now) == 0 ? (int64_t)now.tv_sec : 0;
}

zinc_status
zinc_aws_format(zinc_aws_search *s, const char **out, zinc_error *err, const char *fmt, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	text = n < 0 ? NULL : (char *)zinc_secret_alloc(s->pool, (size_t)n + 1);
	if (!text)
		return zinc_fail_nomem(err);
	va_start(args, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, args);
	va_end(args);
	*out = text;
	return ZINC_OK;
}

bool
zinc_aws_is_region(const char *text)
{
	const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return n > 0 && n < 40 && !text[n] && text[0] != '-' && text[n - 1] != '-';
}

const char *
zinc_aws_profile_name(const zinc_aws_config *config, bool *named)
{
	const char *name = config->profile ? config->profile : zinc_env("AWS_PROFILE");

	if (!name)
		name = zinc_env("AWS_DEFAULT_PROFILE");
	*named = name != NULL;
	return name ? name : "default";
}

/* ---- settings and environment ---- */

/* Keys that were given as they are. */
static zinc_status
take_keys(zinc_aws_search *s, zinc_aws_keys keys, const char *source, const char *const names[2], zinc_aws_found *out,
	  zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;

	if (!keys.id && !keys.secret)
		return ZINC_OK;
	s->source = source;
	if (!keys.id || !keys.secret)
		return zinc_fail(err, ZINC_E_INVALID, "%s is set, but %s is not", names[!keys.id], names[!keys.secret]);
	if (zinc_aws_check_keys(&keys, &e) != ZINC_OK)
		return zinc_fail(err, ZINC_E_INVALID, "%s", e.text);
	*out = (zinc_aws_found){keys, ZINC_AWS_NEVER};
	return ZINC_OK;
}

static zinc_status
from_settings(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err)
{
	static const char *const names[] = {"access_key_id", "secret_access_key"};
	const zinc_aws_config *c = s->config;
	const zinc_aws_keys keys = {c->id, c->secret, c->token};

	return take_keys(s, keys, "the settings", names, out, err);
}

static zinc_status
keys_of_environment(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err)
{
	static const char *const names[] = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"};
	const zinc_aws_keys keys = {zinc_env(names[0]), zinc_env(names[1]), zinc_env("AWS_SESSION_TOKEN")};

	return take_keys(s, keys, "the environment", names, out, err);
}

/* Promise 2. */
static zinc_status
from_environment(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err)
{
	return s->config->profile ? ZINC_OK : keys_of_environment(s, out, err);
}

/* ---- profiles ---- */

static const char *
profile_get(const zinc_aws_search *s, const char *profile, const char *name)
{
	return zinc_aws_profiles_get(&s->profiles, ZINC_AWS_PROFILE, profile, name);
}

static zinc_status
keys_in_files(zinc_aws_search *s, const char *profile, zinc_aws_found *out, zinc_error *err)
{
	static const char *const names[] = {"aws_access_key_id", "aws_secret_access_key"};
	const zinc_aws_keys keys = {profile_get(s, profile, names[0]), profile_get(s, profile, names[1]),
				    profile_get(s, profile, "aws_session_token")};

	return take_keys(s, keys, s->source, names, out, err);
}

/* What a profile has besides a role.  No keys: nothing. */
static zinc_status
keys_of_profile(zinc_aws_search *s, const char *profile, zinc_aws_found *out, zinc_error *err)
{
	const char *command = profile_get(s, profile, "credential_process");

	if (profile_get(s, profile, "sso_session") || profile_get(s, profile, "sso_start_url") ||
	    profile_get(s, profile, "sso_account_id")) {
		ZINC_TRY(zinc_aws_format(s, &s->source, err, "profile %s (SSO)", profile));
		return zinc_aws_from_sso(s, profile, out, err);
	}
	ZINC_TRY(zinc_aws_format(s, &s->source, err, "profile %s", profile));
	ZINC_TRY(keys_in_files(s, profile, out, err));
	if (out->keys.id || !command)
		return ZINC_OK;
	ZINC_TRY(zinc_aws_format(s, &s->source, err, "profile %s (credential_process)", profile));
	return zinc_aws_from_process(s, command, out, err);
}

/* ---- roles: their keys come from another place ---- */

static zinc_status
keys_of_place(zinc_aws_search *s, const char *place, zinc_aws_found *out, zinc_error *err)
{
	static const struct {
		const char *name;
		zinc_status (*find)(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err);
	} places[] = {{"Environment", keys_of_environment},
		      {"EcsContainer", zinc_aws_from_container},
		      {"Ec2InstanceMetadata", zinc_aws_from_metadata}};
	size_t i;

	for (i = 0; i < sizeof places / sizeof places[0]; i++)
		if (strcmp(place, places[i].name) == 0)
			return places[i].find(s, out, err);
	return zinc_fail(err, ZINC_E_INVALID,
			 "credential_source must be Environment, EcsContainer or Ec2InstanceMetadata");
}

typedef struct roles {
	const char *profile[MAX_ROLES]; /* whose roles are taken one after another: the last first */
	int n;
} roles;

static bool
is_among(const roles *r, const char *profile)
{
	int k;

	for (k = 0; k < r->n; k++)
		if (strcmp(r->profile[k], profile) == 0)
			return true;
	return false;
}

/* The chain of profiles with roles, and the keys that it begins with.  A profile may name itself as the source: then its
 * own keys count. */
static zinc_status
begin_of_roles(zinc_aws_search *s, const char *profile, roles *r, zinc_aws_found *out, zinc_error *err)
{
	const char *place, *source;

	while (profile_get(s, profile, "role_arn") && !is_among(r, profile)) {
		place = profile_get(s, profile, "credential_source");
		source = profile_get(s, profile, "source_profile");
		if (r->n == MAX_ROLES)
			return zinc_fail(err, ZINC_E_INVALID, "more than %d roles, each with the keys of the next",
					 MAX_ROLES);
		if (!place == !source)
			return zinc_fail(
			    err, ZINC_E_INVALID,
			    "profile %s has a role_arn; it needs either source_profile or credential_source", profile);
		r->profile[r->n++] = profile;
		if (place)
			return keys_of_place(s, place, out, err);
		if (!zinc_aws_profiles_has(&s->profiles, ZINC_AWS_PROFILE, source))
			return zinc_fail(err, ZINC_E_INVALID, "there is no profile %.100s, which is a source_profile",
					 source);
		if (is_among(r, source) && strcmp(source, profile) != 0)
			return zinc_fail(err, ZINC_E_INVALID, "the source_profile settings form a circle");
		profile = source;
	}
	return keys_of_profile(s, profile, out, err);
}

static zinc_status
keys_of_role(zinc_aws_search *s, const char *profile, zinc_aws_found *out, zinc_error *err)
{
	zinc_aws_found next;
	roles r = {.n = 0};

	ZINC_TRY(zinc_aws_format(s, &s->source, err, "profile %s (role)", profile));
	ZINC_TRY(begin_of_roles(s, profile, &r, out, err));
	if (!out->keys.id)
		return zinc_fail(err, ZINC_E_INVALID, "the source of the role has no credentials");
	for (; r.n > 0; r.n--) {
		ZINC_TRY(zinc_aws_format(s, &s->source, err, "profile %s (role)", r.profile[r.n - 1]));
		ZINC_TRY(zinc_aws_assume_role(s, r.profile[r.n - 1], &out->keys, &next, err));
		*out = next;
	}
	return ZINC_OK;
}

static zinc_status
from_profile(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err)
{
	const char *role = profile_get(s, s->profile, "role_arn");
	const char *token = profile_get(s, s->profile, "web_identity_token_file");

	if (role && token) {
		ZINC_TRY(zinc_aws_format(s, &s->source, err, "profile %s (web identity)", s->profile));
		return zinc_aws_web_identity(s, token, role, profile_get(s, s->profile, "role_session_name"), out, err);
	}
	return role ? keys_of_role(s, s->profile, out, err) : keys_of_profile(s, s->profile, out, err);
}

/* ---- the order ---- */

static const struct {
	const char *name;
	zinc_status (*find)(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err);
} sources[] = {
    {NULL, from_settings},
    {"the environment", from_environment},
    {"web identity", zinc_aws_from_web_identity},
    {"the files of profiles", from_profile},
    {"the container", zinc_aws_from_container},
    {"EC2 metadata", zinc_aws_from_metadata},
};

/* For the callers of a store E_CORRUPT is a damaged value, and E_UNSUPPORTED a value that this build cannot read. */
static zinc_status
status_of(zinc_status st)
{
	return st == ZINC_E_CORRUPT || st == ZINC_E_NOTFOUND ? ZINC_E_IO
	       : st == ZINC_E_UNSUPPORTED                    ? ZINC_E_INVALID
							     : st;
}

zinc_status
zinc_aws_find(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	size_t i;

	memset(out, 0, sizeof *out);
	for (i = 0; i < sizeof sources / sizeof sources[0]; i++) {
		s->source = NULL; /* of a source that was not configured */
		ZINC_TRY(zinc_wait_for(s->wait, "credentials", err));
		st = sources[i].find(s, out, &e);
		if (st == ZINC_E_NOMEM)
			return zinc_fail_nomem(err);
		if (st != ZINC_OK)
			return zinc_fail(err, status_of(st), "credentials from %s: %s",
					 s->source ? s->source : sources[i].name, e.text);
		if (out->keys.id)
			return ZINC_OK;
		if (sources[i].name)
			zinc_aws_tried(s, sources[i].name);
	}
	s->source = NULL;
	out->expires = ZINC_AWS_NEVER;
	return ZINC_OK;
}
