/*
 * store_embedded_files.c - what is at the path of a database, before a library sees it
 */
#include <errno.h>
#include <fcntl.h>

#include "store/store_embedded.h"

/* The directory of a database without its marker. */
typedef struct remains {
	const embedded_store *s;
	int dir;
	bool any;
} remains;

static int
see_name(void *arg, const char *name, int type)
{
	remains *r = (remains *)arg;
	const zinc_os *os = r->s->ctx->os;
	struct stat st;

	(void)type;
	r->any = os->fstatat(os, r->dir, name, &st) == 0 && r->s->engine->remains(name, (uint64_t)st.st_size);
	return r->any;
}

static zinc_status
has_remains(const embedded_store *s, bool *any, zinc_error *err)
{
	const zinc_os *os = s->ctx->os;
	remains r = {.s = s};
	int failed;

	*any = false;
	if (!s->engine->remains)
		return ZINC_OK;
	r.dir = zinc_embedded_file(s->ctx, s->path, O_RDONLY | O_DIRECTORY);
	failed = r.dir == -1 || os->read_dir(os, r.dir, see_name, &r) != 0 ? errno : 0;
	if (r.dir != -1)
		os->close(os, r.dir);
	*any = r.any;
	if (r.any || !failed || failed == ENOENT || failed == ENOTDIR)
		return ZINC_OK;
	return zinc_fail_errno(err, failed, "cannot look at %s", s->path);
}

static zinc_status
look_for_marker(const embedded_store *s, bool *there, struct stat *out, zinc_error *err)
{
	return zinc_file_look(s->ctx, s->path, strlen(s->path), s->engine->marker, there, out, err);
}

/* The library would take a directory without the marker for a new database, and make one over what is left of another.
 * But another process may have made this one since the marker was missed. */
static zinc_status
check_remains(const embedded_store *s, bool *there, struct stat *out, zinc_error *err)
{
	bool any;

	ZINC_TRY(has_remains(s, &any, err));
	if (any)
		ZINC_TRY(look_for_marker(s, there, out, err));
	if (any && !*there)
		return zinc_fail(err, ZINC_E_CORRUPT, "%s has files of a database but no file %s", s->path,
				 s->engine->marker + 1);
	return ZINC_OK;
}

zinc_status
zinc_embedded_look(const embedded_store *s, bool *there, struct stat *out, zinc_error *err)
{
	bool known;

	ZINC_TRY(look_for_marker(s, there, out, err));
	if (!*there)
		ZINC_TRY(check_remains(s, there, out, err));
	if (!*there)
		return ZINC_OK;
	if (s->engine->identity[0])
		return zinc_file_look(s->ctx, s->path, strlen(s->path), s->engine->identity, &known, out, err);
	*there = !S_ISREG(out->st_mode) || out->st_size > 0;
	return ZINC_OK;
}

zinc_status
zinc_embedded_is_database(const embedded_engine *e, zinc_context *ctx, const char *path, size_t n, bool *yes,
			  zinc_error *err)
{
	struct stat st;

	ZINC_TRY(zinc_file_look(ctx, path, n, e->marker, yes, &st, err));
	*yes = *yes && S_ISREG(st.st_mode);
	return ZINC_OK;
}

zinc_status
zinc_embedded_check_kind(const embedded_store *s, zinc_error *err)
{
	const bool directory = s->engine->marker[0];
	struct stat st;
	bool there;

	ZINC_TRY(zinc_file_look(s->ctx, s->path, strlen(s->path), "", &there, &st, err));
	if (!there || (directory ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode)))
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_IO, "%s is not a %s", s->path, directory ? "directory" : "file");
}

int
zinc_embedded_file(zinc_context *ctx, const char *path, int flags)
{
	const zinc_os *os = ctx->os;
	const int top = os->open_root(os, "/", O_PATH | O_CLOEXEC);
	int fd = -1;

	if (top == -1)
		return -1;
	fd = os->open_at(os, top, path + 1, flags | O_CLOEXEC, 0666, ZINC_LINKS_FOLLOW);
	os->close(os, top);
	return fd;
}

/* The name of a new database must survive a power loss, too. */
zinc_status
zinc_embedded_sync_directory(zinc_context *ctx, const char *path, zinc_error *err)
{
	const zinc_os *os = ctx->os;
	const size_t n = (size_t)(strrchr(path, '/') - path);
	char *name = zinc_strndup(ctx, path, n ? n : 1);
	int fd, failed;

	if (!name)
		return zinc_fail_nomem(err);
	fd = os->open_root(os, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	zinc_free(ctx, name);
	failed = fd == -1 || os->fsync(os, fd) != 0 ? errno : 0;
	if (fd != -1)
		os->close(os, fd);
	return failed ? zinc_fail_errno(err, failed, "cannot sync the directory of %s", path) : ZINC_OK;
}
