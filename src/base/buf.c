/*
 * buf.c - the bounded buffer: the only growable memory of the library
 *
 * Promises (tests/unit/test_buf.c names each by its number):
 *
 * (1) A buffer never holds more than `max` bytes: a call that would exceed it is E_LIMIT and leaves the buffer
 *     unchanged.
 * (2) Growth is geometric, so adding n bytes one by one costs O(n).
 * (3) There is always one byte after `cap`, so a NUL never needs growth and is never counted; every call writes one
 *     after the content.  (The chain's view of a destination has no such byte.)
 * (4) A failed call leaves a buffer that can be used and finished.
 *
 *    p
 *    [ n bytes of content | room | 1 ]
 *                                ^ cap <= max
 *
 * A buffer cannot be made without a limit.  A decoder sets it to the size in the metadata, so a decompression bomb is
 * an ordinary error.
 */
#include <stdio.h>

#include "base/base.h"

/* Enough for most keys and small texts. */
#define FIRST_BYTES 64u

void
zinc_buf_init(zinc_buf *b, zinc_context *ctx, size_t max)
{
	memset(b, 0, sizeof *b);
	b->ctx = ctx;
	b->max = max < PTRDIFF_MAX ? max : PTRDIFF_MAX;
}

void
zinc_buf_wrap(zinc_buf *b, void *p, size_t nbytes)
{
	*b = (zinc_buf){.p = p, .cap = nbytes - 1, .max = nbytes - 1, .borrowed = true};
}

void
zinc_buf_fini(zinc_buf *b)
{
	if (!b->borrowed)
		zinc_free(b->ctx, b->p);
	b->p = NULL;
	b->n = b->cap = 0;
}

void
zinc_buf_wipe(zinc_buf *b)
{
	if (b->p)
		explicit_bzero(b->p, b->cap);
	zinc_buf_fini(b);
}

static zinc_status
too_long(const zinc_buf *b, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_LIMIT, "more than %zu bytes", b->max);
}

/* Half as much again, at least `need` and at most max. */
static size_t
next_cap(const zinc_buf *b, size_t need)
{
	size_t cap = b->cap < FIRST_BYTES ? FIRST_BYTES : b->cap;

	if (b->cap >= FIRST_BYTES && zinc_size_add(cap, cap / 2, &cap))
		cap = need;
	if (cap < need)
		cap = need;
	return cap < b->max ? cap : b->max;
}

zinc_status
zinc_buf_reserve(zinc_buf *b, size_t more, zinc_error *err)
{
	size_t need, cap, total;
	uint8_t *p;

	if (zinc_size_add(b->n, more, &need) || need > b->max)
		return too_long(b, err);
	b->peak = need > b->peak ? need : b->peak;
	if (b->p && need <= b->cap)
		return ZINC_OK;
	cap = next_cap(b, need);
	if (zinc_size_add(cap, 1, &total))
		return zinc_fail_nomem(err);
	p = (uint8_t *)zinc_realloc(b->ctx, b->p, total);
	if (!p)
		return zinc_fail_nomem(err);
	b->p = p;
	b->cap = cap;
	p[b->n] = 0;
	return ZINC_OK;
}

/* Exactly `n` bytes: these are the large buffers, and they do not grow step by step. */
zinc_status
zinc_buf_reset(zinc_buf *b, size_t n, zinc_error *err)
{
	size_t total;

	zinc_buf_end(b, 0);
	if (n > b->max)
		return too_long(b, err);
	b->peak = n > b->peak ? n : b->peak;
	if (b->p && n <= b->cap)
		return ZINC_OK;
	zinc_buf_fini(b);
	if (zinc_size_add(n, 1, &total))
		return zinc_fail_nomem(err);
	b->p = (uint8_t *)zinc_alloc(b->ctx, total);
	if (!b->p)
		return zinc_fail_nomem(err);
	b->cap = n;
	b->p[0] = 0;
	return ZINC_OK;
}

/* `p` must not point into the buffer, which may move. */
zinc_status
zinc_buf_add(zinc_buf *b, const void *p, size_t n, zinc_error *err)
{
	ZINC_TRY(zinc_buf_reserve(b, n, err));
	if (n)
		memcpy(b->p + b->n, p, n);
	zinc_buf_end(b, b->n + n);
	return ZINC_OK;
}

zinc_status
zinc_buf_puts(zinc_buf *b, const char *s, zinc_error *err)
{
	return zinc_buf_add(b, s, strlen(s), err);
}

/* Formatted twice, first to get the length: simpler than guessing, and these texts are short. */
zinc_status
zinc_buf_printf(zinc_buf *b, zinc_error *err, const char *fmt, ...)
{
	va_list args;
	zinc_status st;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n < 0)
		return zinc_fail(err, ZINC_E_INVALID, "text that cannot be formatted");
	st = zinc_buf_reserve(b, (size_t)n, err);
	if (st != ZINC_OK)
		return st;
	va_start(args, fmt);
	vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, args); /* the NUL goes into the byte of promise 3 */
	va_end(args);
	b->n += (size_t)n;
	return ZINC_OK;
}

/* Needs memory only if the buffer never had any. */
const char *
zinc_buf_text(zinc_buf *b)
{
	if (zinc_buf_reserve(b, 0, NULL) != ZINC_OK)
		return NULL;
	zinc_buf_end(b, b->n);
	return (const char *)b->p;
}

/* The memory is passed on with its unused part: a copy to save that would need both at once. */
zinc_status
zinc_buf_to_blob(zinc_buf *b, zinc_blob *out, zinc_error *err)
{
	if (!zinc_buf_text(b))
		return zinc_fail_nomem(err);
	out->data = b->p;
	out->nbytes = b->n;
	out->context = b->ctx;
	b->p = NULL;
	b->n = b->cap = 0;
	return ZINC_OK;
}
