/*
 * aws.h - credentials of AWS: where to find them, when to renew them (aws.c)
 *
 * For the S3 store:
 *
 *     zinc_aws_new(&a, ctx, &config, err)
 *     zinc_aws_take(a, &lease, wait, err)      lease->keys are valid now; NULL: anonymous
 *     ... sign with them ...
 *     zinc_aws_refused(a, lease)               only if the server said that they have expired
 *     zinc_aws_release(lease)
 *     zinc_aws_free(a)
 *
 * docs/stores/aws-credentials.md describes the sources and their order.
 */
#ifndef ZINC_AWS_H
#define ZINC_AWS_H

#include "net/net.h"

/* In memory that core dumps leave out. */
typedef struct zinc_aws_keys {
	const char *id, *secret;
	const char *token; /* NULL: none */
} zinc_aws_keys;

typedef struct zinc_aws_lease {
	const zinc_aws_keys *keys; /* NULL: there are none, requests are not signed */
	const char *source; /* for messages: "the environment", "profile lab: credential_process" ...; no secret */
} zinc_aws_lease;

/* What the user has set; NULL: not set.  All of it is copied. */
typedef struct zinc_aws_config {
	const char *id, *secret, *token;
	const char *profile;
	bool anonymous;     /* sign nothing, and look for nothing */
	const char *region; /* for STS; NULL: as zinc_aws_region */
	double timeout;     /* seconds without a byte; 0: 10 */
	const char *ca_file;
} zinc_aws_config;

/* Many threads may use one. */
typedef struct zinc_aws zinc_aws;

/* Reads the files of profiles, but makes no request.  E_INVALID (half a pair of keys, no such profile, a malformed file),
 * E_IO (a file cannot be read), E_NOMEM. */
zinc_status zinc_aws_new(zinc_aws **out, zinc_context *ctx, const zinc_aws_config *config, zinc_error *err);
/* No lease may be in use. */
void zinc_aws_free(zinc_aws *a);

/* Keys that are valid now.  They are renewed five minutes before they expire, by one thread, while others go on with the
 * old ones; at the end all wait.  E_IO: a source that is configured cannot be reached, refuses, or answers
 * something else; E_INVALID: it is configured wrongly; E_CANCELLED, E_NOMEM.  Never E_CORRUPT.  Without any source there are
 * no keys. */
zinc_status zinc_aws_take(zinc_aws *a, zinc_aws_lease **lease, const zinc_wait *wait, zinc_error *err);
void zinc_aws_release(zinc_aws_lease *lease); /* NULL is ignored */
/* The server says that these keys have expired (NULL: those of the last take): the next take renews them.  No effect if
 * that has happened, or on keys that were found in the last seconds: many requests fail together, and keys that are
 * refused at once would not get better. */
void zinc_aws_refused(zinc_aws *a, zinc_aws_lease *lease);
/* Does a text of a server contain the secret, the token, or a part of one, or those before a renewal? */
bool zinc_aws_shows_secret(zinc_aws *a, zinc_bytes text);

/* From the environment (AWS_REGION, AWS_DEFAULT_REGION) or the profile; NULL: none.  Valid as long as `a`. */
const char *zinc_aws_region(const zinc_aws *a);
/* AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or the profile's, unless they are to be ignored; NULL: none. */
const char *zinc_aws_endpoint(const zinc_aws *a);
/* AWS_CA_BUNDLE, or the profile's; NULL: none. */
const char *zinc_aws_ca_file(const zinc_aws *a);
/* For the error of a request that was refused because it was anonymous: what was looked for, and what to set.  False,
 * and "", if there are keys or if the user asked for anonymous requests.  ZINC_AWS_ADVICE bytes are enough. */
#define ZINC_AWS_ADVICE 700
bool zinc_aws_advice(zinc_aws *a, char *out, size_t cap);

#endif
