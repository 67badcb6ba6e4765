/*
 * aws_inside.h - shared by the files aws*.c: one search for credentials
 *
 * aws.c keeps keys and renews them, aws_chain.c tries the sources in order; aws_config.c reads the files of profiles,
 * aws_answer.c the documents that hold keys.  The sources that ask others: aws_process.c, aws_sso.c, aws_sts.c,
 * aws_metadata.c; ask.c makes their requests.
 */
#ifndef ZINC_AWS_INSIDE_H
#define ZINC_AWS_INSIDE_H

#include "net/ask.h"
#include "net/aws.h"
#include "net/secret.h"

#define ZINC_AWS_MAX_FILE   ((size_t)ZINC_MIB)     /* a file of profiles */
#define ZINC_AWS_MAX_ANSWER ZINC_ASK_MAX_ANSWER    /* a document with keys, a token file */
#define ZINC_AWS_MAX_POOL   ((size_t)8 * ZINC_MIB) /* all memory of one search */
#define ZINC_AWS_NEVER      INT64_MAX              /* keys that do not expire */
#define ZINC_AWS_TRIED      512                    /* bytes of the list of what was tried */

/* ---- aws_config.c: files of profiles ---- */

typedef enum zinc_aws_kind {
	ZINC_AWS_PROFILE,
	ZINC_AWS_SSO_SESSION,
	ZINC_AWS_SERVICES,
	ZINC_AWS_OTHER /* sections that mean nothing here */
} zinc_aws_kind;

/* One setting; an indented one is "s3.endpoint_url". */
typedef struct zinc_aws_setting {
	zinc_aws_kind kind;
	const char *section; /* its name: "lab" of [profile lab] */
	const char *name;    /* lower case; NULL: the section itself exists */
	const char *value;
	int rank; /* of its file and section: a higher one wins */
	struct zinc_aws_setting *next;
} zinc_aws_setting;

typedef struct zinc_aws_profiles {
	zinc_aws_setting *first; /* the latest first */
} zinc_aws_profiles;

/* Add the settings of a file's text; `credentials`: of the file of credentials, whose sections are profiles without the
 * word.  E_INVALID with the line number, never with its text. */
zinc_status zinc_aws_profiles_parse(zinc_aws_profiles *p, zinc_secret *pool, const char *text, size_t n,
				    bool credentials, zinc_error *err);
/* Read both files; those that do not exist are empty. */
zinc_status zinc_aws_profiles_read(zinc_aws_profiles *p, zinc_secret *pool, zinc_error *err);
/* NULL: not set, or set to nothing. */
const char *zinc_aws_profiles_get(const zinc_aws_profiles *p, zinc_aws_kind kind, const char *section,
				  const char *name);
bool zinc_aws_profiles_has(const zinc_aws_profiles *p, zinc_aws_kind kind, const char *section);
/* The endpoint of a service ("s3", "sts", "sso") in the environment or the profile; NULL: none. */
const char *zinc_aws_profiles_endpoint(const zinc_aws_profiles *p, const char *profile, const char *service);

/* ---- aws_answer.c: documents with keys ---- */

/* Keys as found, in the pool of the search; all zeros: none. */
typedef struct zinc_aws_found {
	zinc_aws_keys keys;
	int64_t expires; /* seconds since 1970, or NEVER */
} zinc_aws_found;

/* Names of the members of a JSON document. */
typedef struct zinc_aws_names {
	const char *inside; /* the object is this member; NULL: the document itself */
	const char *id, *secret, *token, *expires;
	bool milliseconds;   /* `expires` is a number of them; else it is a text */
	bool token_optional; /* so is `expires` then */
	const char *version; /* NULL, or: a member that must be 1 */
} zinc_aws_names;

/* "2026-11-16T23:00:00Z", with a fraction or an offset; false: it is none. */
bool zinc_aws_time(const char *text, int64_t *seconds);
/* Texts that can be sent in a header.  E_CORRUPT otherwise, without the text. */
zinc_status zinc_aws_check_keys(const zinc_aws_keys *keys, zinc_error *err);
/* E_CORRUPT.  No error contains any part of the document. */
zinc_status zinc_aws_from_json(zinc_aws_found *out, zinc_secret *pool, const char *text, size_t n,
			       const zinc_aws_names *names, zinc_error *err);
/* Of STS: path is "AssumeRoleResponse/AssumeRoleResult/Credentials". */
zinc_status zinc_aws_from_xml(zinc_aws_found *out, zinc_secret *pool, const char *text, size_t n, const char *path,
			      zinc_error *err);

/* ---- aws_chain.c ---- */

/* One search.  What it reads and finds is in `pool`, which is freed when it ends. */
typedef struct zinc_aws_search {
	zinc_context *ctx;
	zinc_secret *pool;
	const zinc_aws_config *config;
	const zinc_wait *wait;
	zinc_aws_profiles profiles;
	const char *profile; /* the name that counts; never NULL */
	const char *source;  /* where keys were found, for messages */
	char *tried;         /* ZINC_AWS_TRIED bytes: sources that are not configured */
} zinc_aws_search;

/* The name of the profile; *named: the user has named it. */
const char *zinc_aws_profile_name(const zinc_aws_config *config, bool *named);
/* Find keys; all zeros: no source is configured. */
zinc_status zinc_aws_find(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err);
/* Add to the list of what was tried. */
void zinc_aws_tried(zinc_aws_search *s, const char *what);
int64_t zinc_aws_clock(zinc_context *ctx);
/* Is it one of the names that AWS gives to regions?  Others could make a URL lead elsewhere. */
bool zinc_aws_is_region(const char *text);
/* A text made in the pool. */
zinc_status zinc_aws_format(zinc_aws_search *s, const char **out, zinc_error *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* zinc_ask for a search. */
static inline zinc_status
zinc_aws_ask(const zinc_aws_search *s, const zinc_ask_request *r, zinc_ask_answer *out, zinc_error *err)
{
	const zinc_asker asker = {s->ctx, s->pool, s->wait, s->config->ca_file};

	return zinc_ask(&asker, r, out, err);
}

/* ---- sources, each in a file; keys without id: it is not configured ---- */

/* Of the environment: AWS_WEB_IDENTITY_TOKEN_FILE; and of a profile. */
zinc_status zinc_aws_from_web_identity(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err);
zinc_status zinc_aws_web_identity(zinc_aws_search *s, const char *token_file, const char *role, const char *session,
				  zinc_aws_found *out, zinc_error *err);
/* Of a profile: a role that other keys may take. */
zinc_status zinc_aws_assume_role(zinc_aws_search *s, const char *profile, const zinc_aws_keys *with,
				 zinc_aws_found *out, zinc_error *err);
/* Of a profile: the cache of "aws sso login". */
zinc_status zinc_aws_from_sso(zinc_aws_search *s, const char *profile, zinc_aws_found *out, zinc_error *err);
/* Of a profile: the output of a command. */
zinc_status zinc_aws_from_process(zinc_aws_search *s, const char *command, zinc_aws_found *out, zinc_error *err);
/* The words of a command as a POSIX shell splits them, without any of its expansions.  *out is NULL-terminated.
 * E_INVALID, without any part of the command. */
zinc_status zinc_aws_split(zinc_secret *pool, const char *command, char ***out, zinc_error *err);
zinc_status zinc_aws_from_container(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err);
zinc_status zinc_aws_from_metadata(zinc_aws_search *s, zinc_aws_found *out, zinc_error *err);

#endif
