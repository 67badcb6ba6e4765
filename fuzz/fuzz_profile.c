/*
 * fuzz_profile.c - any bytes as a file of profiles
 *
 * (1) A reported setting has a name without blanks or control characters, and a trimmed value of one line.
 * (2) A section that does not exist reports no setting.
 * (3) A failure names a line, and its text shows nothing of the file.
 */
#include "store/store_setting.h"
#include "fuzz.h"

static zinc_status
check(void *arg, zinc_bytes name, zinc_bytes value, int line, zinc_error *err)
{
	size_t i;

	(void)err;
	++*(int *)arg;
	insist(line > 0 && name.n > 0);
	for (i = 0; i < name.n; i++)
		insist(name.p[i] > ' ' && name.p[i] != '=');
	for (i = 0; i < value.n; i++)
		insist(value.p[i] >= ' ' || value.p[i] == '\t'); /* (1) */
	insist(value.n == 0 || (value.p[0] != ' ' && value.p[value.n - 1] != ' '));
	return ZINC_OK;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;
	bool found;
	int told = 0;

	st = zinc_profile_parse((zinc_bytes){data, size}, "a", check, &told, &found, &err);
	insist(found || told == 0);                                                            /* (2) */
	insist(st == ZINC_OK || (st == ZINC_E_INVALID && strncmp(err.text, "line ", 5) == 0)); /* (3) */
	return 0;
}
