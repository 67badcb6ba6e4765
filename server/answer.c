/* answer.c - making answers */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server.h"

static const struct {
	zinc_status code;
	int status;
} statuses[] = {
    {ZINC_E_INVALID, 400}, {ZINC_E_RANGE, 400}, {ZINC_E_NOTFOUND, 404},  {ZINC_E_UNSUPPORTED, 501},
    {ZINC_E_LIMIT, 413},   {ZINC_E_NOMEM, 503}, {ZINC_E_CANCELLED, 503}, {ZINC_E_CONFLICT, 503},
};

void
answer_bytes(struct answer *a, const char *type, void *bytes, uint64_t nbytes, void (*release)(void *), void *held)
{
	a->type = type;
	a->bytes = bytes;
	a->nbytes = nbytes;
	a->release = release;
	a->held = held;
}

/* One line, which harms no terminal: what came from a request or a store may have any characters. */
static void
make_printable(char *text, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (((unsigned char)text[i] < 0x20 && (text[i] != '\n' || i + 1 < n)) || text[i] == 0x7f)
			text[i] = '?';
}

void
answer_text(struct answer *a, int status, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n > 0)
		make_printable(text, (size_t)n);
	a->status = status;
	a->caching = "no-store";
	if (n >= 0)
		answer_bytes(a, "text/plain; charset=utf-8", text, (uint64_t)n, free, text);
}

void
answer_drop(struct answer *a)
{
	if (a->fd != -1)
		close(a->fd);
	if (a->release)
		a->release(a->held);
	free(a->location);
	*a = (struct answer)ANSWER_INIT;
}

void
answer_missing(struct answer *a, const char *key, zinc_error *err)
{
	const zinc_status code = err ? zinc_error_status(err) : ZINC_E_NOTFOUND;

	if (code == ZINC_E_NOTFOUND || code == ZINC_E_INVALID || err->os_error == EISDIR)
		answer_text(a, 404, "no such key: %s\n", key);
	else if (err->os_error == EXDEV || err->os_error == ELOOP || err->os_error == EACCES)
		answer_text(a, 403, "%s: not allowed\n", key); /* a link that leads out of the store */
	else if (code == ZINC_E_RANGE)
		answer_text(a, 501, "%s\n", zinc_error_text(err)); /* a stored time; the request is not to blame */
	else
		answer_error(a, err);
}

bool
answer_is_shortage(int e)
{
	return e == EMFILE || e == ENFILE || e == ENOMEM || e == ENOBUFS;
}

void
answer_error(struct answer *a, zinc_error *err)
{
	const zinc_status code = zinc_error_status(err);
	int status = answer_is_shortage(err->os_error) ? 503 : 500;
	size_t i;

	for (i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
		if (statuses[i].code == code)
			status = statuses[i].status;
	answer_text(a, status, "%s\n", zinc_error_text(err));
}
