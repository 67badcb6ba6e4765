/*
 * secret_file.c - small files that hold credentials, read into memory for secrets
 *
 * Only regular files are read, and at most so many bytes: a device or a pipe would block, or never end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "net/ask.h"

static int
open_name(const zinc_os *os, const char *name)
{
	const bool absolute = name[0] == '/';
	int dir = os->open_root(os, absolute ? "/" : ".", O_PATH), fd, e;

	if (dir == -1)
		return -1;
	fd = os->open_at(os, dir, absolute && name[1] ? name + 1 : name, O_RDONLY | O_NONBLOCK, 0, ZINC_LINKS_FOLLOW);
	e = errno;
	os->close(os, dir);
	errno = e;
	return fd;
}

/* The buffer is in the pool, and stays there. */
static zinc_status
read_open(zinc_buf *out, int fd, const char *path, const char *what, zinc_error *err)
{
	const zinc_os *os = out->ctx->os;
	struct stat st;
	ssize_t n = 1;

	if (os->fstat(os, fd, &st) != 0)
		return zinc_fail_errno(err, errno, "%s %s", what, path);
	if (!S_ISREG(st.st_mode))
		return zinc_fail(err, ZINC_E_INVALID, "%s %s is not a regular file", what, path);
	while (n != 0) {
		if (zinc_buf_reserve(out, 4096, err) != ZINC_OK)
			return err && err->code == ZINC_E_LIMIT
				   ? zinc_fail(err, ZINC_E_INVALID, "%s %s is too long", what, path)
				   : zinc_fail_nomem(err);
		n = os->pread(os, fd, out->p + out->n, 4096, (off_t)out->n);
		if (n < 0 && errno != EINTR)
			return zinc_fail_errno(err, errno, "%s %s", what, path);
		zinc_buf_end(out, out->n + (n > 0 ? (size_t)n : 0));
	}
	return ZINC_OK;
}

zinc_status
zinc_secret_file(zinc_secret *pool, const char *path, size_t max, const char *what, bool optional, const char **out,
		 size_t *n, zinc_error *err)
{
	zinc_context *ctx = zinc_secret_context(pool);
	const int fd = open_name(ctx->os, path);
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_buf text;

	*out = NULL;
	*n = 0;
	if (fd == -1 && optional && (errno == ENOENT || errno == ENOTDIR))
		return ZINC_OK;
	if (fd == -1) {
		zinc_fail_errno(&e, errno, "%s %s cannot be read", what, path);
		return zinc_fail(err, e.code == ZINC_E_NOTFOUND ? ZINC_E_INVALID : e.code, "%s", e.text);
	}
	zinc_buf_init(&text, ctx, max + 4096);
	st = read_open(&text, fd, path, what, &e);
	ctx->os->close(ctx->os, fd);
	if (st == ZINC_OK && text.n > max)
		st = zinc_fail(&e, ZINC_E_INVALID, "%s %s is too long", what, path);
	if (st != ZINC_OK)
		return zinc_error_copy(err, &e);
	*out = (const char *)text.p;
	*n = text.n;
	return ZINC_OK;
}

const char *
zinc_secret_path(zinc_secret *pool, const char *path)
{
	const char *home = zinc_env("HOME");
	size_t n;
	char *out;

	if (path[0] != '~' || path[1] != '/')
		return zinc_secret_text(pool, path, strlen(path));
	if (!home)
		return NULL;
	n = strlen(home) + strlen(path);
	out = (char *)zinc_secret_alloc(pool, n);
	if (out)
		snprintf(out, n, "%s%s", home, path + 1);
	return out;
}
