/*
 * store_profile.c - the file of profiles: named sets of store settings
 *
 *     # a comment
 *     [lab]
 *     http.timeout = 5
 *     http.header.Authorization = Bearer abc
 *
 * Promises (tests/unit/test_store_profile.c names each by its number):
 *
 * (1) A line that is neither blank, comment, "[section]" nor "name = value" is E_INVALID, in any section, and the error
 *     has its line number.  So is a repeated section and a setting before the first section.
 * (2) No error shows any part of a line: it may be a secret.
 * (3) There is a warning if other users can read or change the file.
 */
#include <errno.h>
#include <fcntl.h>

#include "store/store_setting.h"

#define MAX_BYTES ZINC_MIB

/* ---- lines ---- */

static zinc_bytes
trim(zinc_bytes a)
{
	while (a.n && (a.p[0] == ' ' || a.p[0] == '\t'))
		a = (zinc_bytes){a.p + 1, a.n - 1};
	while (a.n && (a.p[a.n - 1] == ' ' || a.p[a.n - 1] == '\t' || a.p[a.n - 1] == '\r'))
		a.n--;
	return a;
}

static bool
is_name(zinc_bytes a)
{
	size_t i;

	for (i = 0; i < a.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", a.p[i]) ||
		    a.p[i] == '\0')
			return false;
	return a.n != 0;
}

static bool
is_printable(zinc_bytes a)
{
	size_t i;

	for (i = 0; i < a.n; i++)
		if ((a.p[i] < ' ' && a.p[i] != '\t') || a.p[i] == 0x7f)
			return false;
	return zinc_utf8_valid((const char *)a.p, a.n);
}

/* ---- the file ---- */

typedef struct reading {
	const char *section;
	zinc_profile_fn fn;
	void *arg;
	bool *found;
	bool any;    /* a section has begun */
	bool inside; /* it is the requested one */
	int line;
} reading;

static zinc_status
bad_line(const reading *r, const char *what, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_INVALID, "line %d: %s", r->line, what);
}

static zinc_status
begin_section(reading *r, zinc_bytes line, zinc_error *err)
{
	const zinc_bytes name = {line.p + 1, line.n - 2};

	if (line.p[line.n - 1] != ']' || !is_name(name))
		return bad_line(r, "a section is written [name], with letters, digits, '.', '_' and '-'", err);
	r->any = true;
	r->inside = strlen(r->section) == name.n && memcmp(r->section, name.p, name.n) == 0;
	if (r->inside && *r->found)
		return bad_line(r, "this section occurs twice", err);
	*r->found |= r->inside;
	return ZINC_OK;
}

static zinc_status
take_pair(const reading *r, zinc_bytes line, zinc_error *err)
{
	const uint8_t *equals = (const uint8_t *)memchr(line.p, '=', line.n);
	zinc_bytes name, value;

	if (!equals)
		return bad_line(r, "expected \"name = value\", [section] or a comment (#)", err);
	name = trim((zinc_bytes){line.p, (size_t)(equals - line.p)});
	value = trim((zinc_bytes){equals + 1, line.n - (size_t)(equals - line.p) - 1});
	if (!is_name(name))
		return bad_line(r, "the name of a setting has letters, digits, '.', '_' and '-'", err);
	if (!r->any)
		return bad_line(r, "a setting before the first [section]", err);
	return r->inside ? r->fn(r->arg, name, value, r->line, err) : ZINC_OK;
}

static zinc_status
take_line(reading *r, zinc_bytes line, zinc_error *err)
{
	r->line++;
	line = trim(line);
	if (!is_printable(line))
		return bad_line(r, "the line has control characters or is not UTF-8", err);
	if (line.n == 0 || line.p[0] == '#' || line.p[0] == ';')
		return ZINC_OK;
	return line.p[0] == '[' && line.n > 1 ? begin_section(r, line, err) : take_pair(r, line, err);
}

zinc_status
zinc_profile_parse(zinc_bytes text, const char *section, zinc_profile_fn fn, void *arg, bool *found, zinc_error *err)
{
	reading r = {.section = section, .fn = fn, .arg = arg, .found = found};
	const uint8_t *end;
	size_t n;

	*found = false;
	for (; text.n; text = (zinc_bytes){text.p + n, text.n - n}) {
		end = (const uint8_t *)memchr(text.p, '\n', text.n);
		n = end ? (size_t)(end - text.p) + 1 : text.n;
		ZINC_TRY(take_line(&r, (zinc_bytes){text.p, end ? n - 1 : n}, err));
	}
	return ZINC_OK;
}

/* ---- reading it ---- */

/* "" when neither ZINC_PROFILES nor HOME is set. */
static zinc_status
file_name(zinc_buf *out, zinc_error *err)
{
	const char *name = zinc_env("ZINC_PROFILES"), *home = zinc_env("HOME");

	if (name)
		return zinc_buf_puts(out, name, err);
	return home ? zinc_buf_printf(out, err, "%s/.config/zinc/profiles", home) : ZINC_OK;
}

static int
open_name(const zinc_os *os, const char *name)
{
	const bool absolute = name[0] == '/';
	int dir = os->open_root(os, absolute ? "/" : ".", O_PATH), fd, e;

	if (dir == -1)
		return -1;
	fd = os->open_at(os, dir, name + absolute, O_RDONLY | O_NONBLOCK, 0, ZINC_LINKS_FOLLOW);
	e = errno;
	os->close(os, dir);
	errno = e;
	return fd;
}

static zinc_status
read_open(zinc_buf *out, zinc_context *ctx, int fd, const char *name, zinc_error *err)
{
	struct stat st;
	ssize_t n;

	if (ctx->os->fstat(ctx->os, fd, &st) != 0)
		return zinc_fail_errno(err, errno, "%s", name);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > MAX_BYTES)
		return zinc_fail(err, ZINC_E_INVALID, "%s: a file of profiles must be a regular file of at most 1 MiB",
				 name);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		zinc_warn(ctx, name, "other users can read or change it, and it may hold secrets: use chmod 600");
	ZINC_TRY(zinc_buf_reserve(out, (size_t)st.st_size + 1, err));
	do {
		n = ctx->os->pread(ctx->os, fd, out->p + out->n, (size_t)st.st_size - out->n, (off_t)out->n);
		out->n += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? zinc_fail_errno(err, errno, "%s", name) : ZINC_OK;
}

static zinc_status
read_file(zinc_buf *out, zinc_context *ctx, const char *name, zinc_error *err)
{
	zinc_status st;
	int fd;

	if (!name[0])
		return zinc_fail(err, ZINC_E_NOTFOUND,
				 "a profile was requested, but neither ZINC_PROFILES nor HOME is set");
	fd = open_name(ctx->os, name);
	if (fd == -1)
		return zinc_fail_errno(err, errno, "a profile was requested, but %s cannot be read", name);
	st = read_open(out, ctx, fd, name, err);
	ctx->os->close(ctx->os, fd);
	return st;
}

zinc_status
zinc_profile_read(zinc_context *ctx, const char *section, zinc_profile_fn fn, void *arg, zinc_error *err)
{
	zinc_buf name, text;
	bool found = false;
	zinc_status st;

	zinc_buf_init(&name, ctx, 64 * ZINC_KIB);
	zinc_buf_init(&text, ctx, MAX_BYTES + 1);
	st = file_name(&name, err);
	if (st == ZINC_OK && !zinc_buf_text(&name))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = read_file(&text, ctx, (const char *)name.p, err);
	if (st == ZINC_OK)
		st = zinc_profile_parse((zinc_bytes){text.p, text.n}, section, fn, arg, &found, err);
	if (st == ZINC_OK && !found)
		st = zinc_fail(err, ZINC_E_INVALID, "no profile [%.100s] in %s", section, (const char *)name.p);
	if (text.p)
		explicit_bzero(text.p, text.n);
	zinc_buf_fini(&name);
	zinc_buf_fini(&text);
	return st;
}
