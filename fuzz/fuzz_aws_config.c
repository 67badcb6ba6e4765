/*
 * fuzz_aws_config.c - any bytes as a file of AWS profiles
 *
 * (1) The text of an error has no part of the file but a line number: the same error comes for the same line number.
 * (2) Every setting has a section that can be found; what is found has a value.
 */
#include <stdio.h>
#include <string.h>

#include "net/aws_inside.h"
#include "fuzz.h"

static void
check(const zinc_aws_profiles *p)
{
	const zinc_aws_setting *s;
	int n = 0;

	for (s = p->first; s && n < 100; s = s->next, n++) {
		insist(s->section && zinc_aws_profiles_has(p, s->kind, s->section)); /* (2) */
		if (s->name) { /* a later one may have another value, or none */
			const char *value = zinc_aws_profiles_get(p, s->kind, s->section, s->name);

			insist(!value || value[0]);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_aws_profiles p = {NULL};
	zinc_secret *pool = NULL;
	char *copy;
	int line;

	if (size == 0 || size > 100000)
		return 0;
	copy = (char *)malloc(size); /* no byte after it, so that an overrun is detected */
	insist(copy && zinc_secret_new(&pool, NULL, ZINC_AWS_MAX_POOL, &err) == ZINC_OK);
	memcpy(copy, data, size);
	if (zinc_aws_profiles_parse(&p, pool, copy + 1, size - 1, copy[0] & 1, &err) != ZINC_OK &&
	    err.code == ZINC_E_INVALID)
		insist(sscanf(err.text, "line %d: ", &line) == 1 && strlen(err.text) < 120); /* (1) */
	check(&p);
	(void)zinc_aws_profiles_endpoint(&p, "default", "s3");
	zinc_secret_free(pool);
	free(copy);
	return 0;
}
