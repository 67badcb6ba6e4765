/*
 * store_file_look.c - for stores that are a file: what is at a path
 *
 * Promises (test_store_sqlite.c, test_store_lmdb.c and test_store_embedded.c in tests/unit name it by its number):
 *
 * (10) A file is missing only if it, or a directory on the way, does not exist; every other failure is a failure.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "store/store_batch.h"

#define NAME_BYTES 8192

/* The errno of a look that failed: nothing is there, or that is not known. */
static zinc_status
look_failed(int failed, const char *name, zinc_error *err)
{
	if (failed == ENOENT || failed == ENOTDIR)
		return ZINC_OK;
	if (failed == ENAMETOOLONG)
		return zinc_fail(err, ZINC_E_LIMIT, "the name is too long: %.80s...", name);
	return zinc_fail_errno(err, failed, "cannot look at %s", name);
}

/* One call unless there is a link.  O_PATH: closing any other descriptor of a file drops the locks of the process. */
zinc_status
zinc_file_look(zinc_context *ctx, const char *path, size_t n, const char *suffix, bool *there, struct stat *out,
	       zinc_error *err)
{
	const zinc_os *os = ctx->os;
	char name[NAME_BYTES];
	int fd, failed;

	*there = false;
	if (snprintf(name, sizeof name, "%.*s%s", (int)n, path, suffix) >= (int)sizeof name)
		return look_failed(ENAMETOOLONG, name, err);
	if (os->fstatat(os, AT_FDCWD, name, out) != 0)
		return look_failed(errno, name, err);
	if (S_ISLNK(out->st_mode)) {
		fd = os->open_at(os, AT_FDCWD, name, O_PATH | O_CLOEXEC, 0, ZINC_LINKS_FOLLOW);
		if (fd == -1)
			return look_failed(errno, name, err);
		failed = os->fstat(os, fd, out) == 0 ? 0 : errno;
		os->close(os, fd);
		if (failed)
			return zinc_fail_errno(err, failed, "cannot look at %s", name);
	}
	*there = true;
	return ZINC_OK;
}
