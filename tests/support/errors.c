/*
 * errors.c - a call that succeeds does not write to the caller's error
 */
#include <string.h>

#include "base/base.h"
#include "support/test.h"

#define NOBODYS 0x5a

/* An earlier reason in `err` is kept, because a failing assertion shows it. */
uint32_t
error_ready(zinc_error *err)
{
	if (err->code == ZINC_OK) {
		memset(err, NOBODYS, sizeof *err);
		err->code = ZINC_OK;
		err->text[0] = err->line[0] = '\0'; /* zinc_error_text may still be called */
	}
	return zinc_crc32c(0, err, sizeof *err);
}

void
error_untouched(zinc_error *err, uint32_t ready, const char *what)
{
	if (zinc_crc32c(0, err, sizeof *err) != ready)
		fail_msg("%s succeeded and wrote an error: %s", what, err->text);
	if (err->code == ZINC_OK)
		memset(err, 0, sizeof *err);
}
