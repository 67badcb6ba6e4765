/*
 * out.c - output: standard output, or the file of -o
 *
 * Promises:
 *
 * (1) A regular file is replaced by rename(2) after fsync(2), and only with --overwrite: it holds
 *     its old bytes or all of the new ones.  Devices and pipes are written as they are.
 * (2) A closed pipe ends the command quietly with 0; any other failure is said, with 3.
 * (3) What is not data is escaped (escape.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#define FLUSH_AT (1u << 18)

static void
drop_temporary(struct out *o)
{
	if (o->temporary)
		unlink(o->temporary);
	free(o->temporary);
	o->temporary = NULL;
}

/* The reader of a pipe may stop early (head -n 1): that is no failure, and nothing is left to do. */
static void
write_all(struct out *o, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(o->fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0 && errno == EPIPE)
			exit(DONE);
		if (w < 0) {
			int status = complain(TROUBLE, o->path ? o->path : "standard output", "%s", strerror(errno));

			drop_temporary(o);
			exit(status);
		}
		p += w;
		n -= (size_t)w;
	}
}

void
out_flush(struct out *o)
{
	write_all(o, o->buf.p, o->buf.n);
	o->buf.n = 0;
}

/* Small pieces are buffered; a large one is written directly, without a copy. */
void
out_add(struct out *o, const void *p, size_t n)
{
	if (n >= FLUSH_AT && o->escape == ESCAPE_NONE) {
		out_flush(o);
		write_all(o, p, n);
		return;
	}
	if (o->escape == ESCAPE_NONE)
		text_add(&o->buf, p, n);
	else
		text_escape(&o->buf, p, n, o->escape);
	if (o->buf.n >= FLUSH_AT)
		out_flush(o);
}

void
out_puts(struct out *o, const char *s)
{
	out_add(o, s, strlen(s));
}

void
out_printf(struct out *o, const char *fmt, ...)
{
	struct text t = {NULL, 0, 0};
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	out_text(o, &t);
}

void
out_text(struct out *o, struct text *t)
{
	out_add(o, text_str(t), t->n);
	text_free(t);
}

/* A new file beside the one to be replaced, with the permissions that a plain open would give it. */
static int
open_temporary(struct out *o, const struct stat *old)
{
	mode_t mask = umask(0);
	struct text name = {NULL, 0, 0};

	umask(mask);
	text_printf(&name, "%s.XXXXXX", o->path);
	o->temporary = name.p;
	o->fd = mkostemp(o->temporary, O_CLOEXEC);
	if (o->fd < 0) {
		free(o->temporary);
		o->temporary = NULL;
		return complain(TROUBLE, o->path, "%s", strerror(errno));
	}
	if (fchmod(o->fd, old ? old->st_mode & 07777 : 0666 & ~mask))
		return out_close(o, complain(TROUBLE, o->path, "%s", strerror(errno)));
	return DONE;
}

int
out_open(struct out *o, const char *path, bool overwrite)
{
	struct stat st;
	bool there;

	*o = (struct out){.fd = STDOUT_FILENO, .replace = overwrite};
	if (!path || !strcmp(path, "-"))
		return DONE;
	there = stat(path, &st) == 0;
	if (there && S_ISREG(st.st_mode) && !overwrite)
		return complain(TROUBLE, path, "the file already exists; --overwrite replaces it");
	/* A link to a file stays one: what it points to is replaced. */
	o->path = there ? realpath(path, NULL) : NULL;
	if (!o->path)
		o->path = memcpy(xrealloc(NULL, strlen(path) + 1), path, strlen(path) + 1);
	if (!there || S_ISREG(st.st_mode))
		return open_temporary(o, there ? &st : NULL);
	o->fd = open(path, O_WRONLY | O_CLOEXEC);
	return o->fd < 0 ? complain(TROUBLE, path, "%s", strerror(errno)) : DONE;
}

/* rename; or link and unlink, which fails if another program has made the file meanwhile. */
static int
put_in_place(struct out *o)
{
	if (fsync(o->fd))
		return complain(TROUBLE, o->path, "%s", strerror(errno));
	if (o->replace ? rename(o->temporary, o->path) : link(o->temporary, o->path))
		return complain(TROUBLE, o->path, "%s", strerror(errno));
	if (o->replace) {
		free(o->temporary);
		o->temporary = NULL;
	}
	return DONE;
}

/* After a failure the temporary file is removed: a partial result must not look complete. */
int
out_close(struct out *o, int status)
{
	if (o->fd >= 0 && status != CANCELLED)
		out_flush(o);
	if (o->temporary && status == DONE)
		status = put_in_place(o);
	drop_temporary(o);
	if (o->path && o->fd >= 0 && close(o->fd) && status == DONE)
		status = complain(TROUBLE, o->path, "%s", strerror(errno));
	text_free(&o->buf);
	free(o->path);
	*o = (struct out){.fd = -1};
	return status;
}
