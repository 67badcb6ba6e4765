/*
 * fuzz_aws_answer.c - any bytes as a document with AWS credentials, JSON and XML, and as a time
 *
 * (1) Keys that are accepted are printable, so that they can be sent in a header.
 * (2) The text of an error has no part of the document.
 */
#include <string.h>

#include "net/aws_inside.h"
#include "fuzz.h"

static const zinc_aws_names forms[] = {
    {NULL, "AccessKeyId", "SecretAccessKey", "Token", "Expiration", false, false, NULL},
    {NULL, "AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration", false, true, "Version"},
    {"roleCredentials", "accessKeyId", "secretAccessKey", "sessionToken", "expiration", true, false, NULL},
};

static void
check(zinc_status st, const zinc_aws_found *found, const zinc_error *err)
{
	const char *p;

	if (st != ZINC_OK) {
		insist(strlen(err->text) < 120 && !strstr(err->text, "canary")); /* (2) */
		return;
	}
	for (p = found->keys.secret; *p; p++)
		insist(*p > ' ' && *p < 0x7f); /* (1) */
	insist(found->keys.id[0] && found->keys.secret[0] && found->expires >= -86400);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_secret *pool = NULL;
	zinc_aws_found found;
	int64_t seconds;
	char *copy;
	size_t i;

	if (size > 64 * 1024)
		return 0;
	copy = (char *)malloc(size + 1);
	insist(copy && zinc_secret_new(&pool, NULL, ZINC_AWS_MAX_POOL, &err) == ZINC_OK);
	if (size)
		memcpy(copy, data, size);
	copy[size] = '\0';
	for (i = 0; i < sizeof forms / sizeof forms[0]; i++)
		check(zinc_aws_from_json(&found, pool, copy, size, &forms[i], &err), &found, &err);
	check(zinc_aws_from_xml(&found, pool, copy, size, "AssumeRoleResponse/AssumeRoleResult/Credentials", &err),
	      &found, &err);
	if (zinc_aws_time(copy, &seconds))
		insist(seconds > -86400 && seconds < 253402300800 + 86400);
	zinc_secret_free(pool);
	free(copy);
	return 0;
}
