/*
 * store_known.c - for stores whose tags are hashes: the tags of values that were hashed, and what file is at a path
 *
 * A reader of parts of a long value (the inner chunks of a shard) asks for its tag each time.
 *
 * Promises (tests/unit/test_store_batch.c names each by its number, from 8 on):
 *
 * (8) A tag is found only under the version of the database for which it was kept.  Versions must differ whenever any
 *     value does; they are compared, never ordered.
 * (9) The table has at most 256 tags and is never an error: without memory a tag is not kept.
 * (10) A file is missing only if it, or a directory on the way, does not exist; every other failure is a failure.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "store/store_batch.h"

#define NAME_BYTES 8192

static size_t
place_of(const char *key)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *key; key++)
		h = (h ^ (uint8_t)*key) * 16777619u;
	return (h ^ h >> 16) % ZINC_KNOWN_TAGS;
}

bool
zinc_known_find(const zinc_known *k, uint64_t version, const char *key, zinc_tag *out)
{
	const zinc_known_tag *x = &k->tags[place_of(key)];

	if (!x->key || x->version != version || strcmp(x->key, key) != 0)
		return false;
	*out = x->tag;
	return true;
}

void
zinc_known_keep(zinc_known *k, zinc_context *ctx, uint64_t version, const char *key, const zinc_tag *tag)
{
	zinc_known_tag *x = &k->tags[place_of(key)];

	if (!x->key || strcmp(x->key, key) != 0) {
		zinc_free(ctx, x->key);
		x->key = zinc_strndup(ctx, key, strlen(key));
	}
	x->version = version;
	x->tag = *tag;
}

void
zinc_known_fini(zinc_known *k, zinc_context *ctx)
{
	size_t i;

	for (i = 0; i < ZINC_KNOWN_TAGS; i++)
		zinc_free(ctx, k->tags[i].key);
}

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
