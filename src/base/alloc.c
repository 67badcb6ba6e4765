/*
 * alloc.c - all memory of the library is allocated here
 *
 * Promises (tests/unit/test_alloc.c names each by its number):
 *
 * (1) Every block comes from the context's allocator and is returned to it; the C library's is used only by contexts
 *     without one of their own.
 * (2) Asking for 0 bytes gives a pointer that can be freed, whatever the allocator does with 0.
 * (3) A product of sizes that overflows is "out of memory", never a small block.
 * (4) Memory for secrets fills whole pages that core dumps leave out, and is wiped before it is freed; a forked child
 *     has a copy.
 *
 * Because all memory passes here, tests can make every allocation fail in turn, and a program can account for every
 * byte.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

/* ---- the C library as a zinc_allocator; its `ctx` is not used ---- */

#define HUGE_PAGE ((uintptr_t)2 << 20)

#ifdef MADV_HUGEPAGE
/* Use whole huge pages inside a large block: one page fault instead of 512.  Measured: a read of 512^3 uint16 in zstd
 * chunks of 256^3 takes 625 ms of processor time instead of 666, from the scratch buffers of its threads alone. */
static void
advise_huge(void *p, size_t nbytes)
{
	const uintptr_t first = ((uintptr_t)p + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	const uintptr_t end = ((uintptr_t)p + nbytes) / HUGE_PAGE * HUGE_PAGE;

	if (first < end)
		(void)madvise((void *)first, end - first, MADV_HUGEPAGE); /* only advice: everything works without it */
}
#else
static void
advise_huge(void *p, size_t nbytes)
{
	(void)p, (void)nbytes;
}
#endif

static void *
libc_alloc(void *ctx, size_t nbytes)
{
	void *p = malloc(nbytes);

	(void)ctx;
	if (p && nbytes >= 2 * HUGE_PAGE)
		advise_huge(p, nbytes);
	return p;
}

static void *
libc_realloc(void *ctx, void *p, size_t nbytes)
{
	(void)ctx;
	return realloc(p, nbytes);
}

static void
libc_free(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

const zinc_allocator zinc_allocator_libc = {sizeof(zinc_allocator), libc_alloc, libc_realloc, libc_free, NULL};

/* ---- for all rooms ---- */

/* malloc(0) may be NULL, which callers could not tell from failure. */
void *
zinc_alloc(zinc_context *ctx, size_t nbytes)
{
	const zinc_allocator *a = &zinc_context_get(ctx)->allocator;

	return a->alloc(a->ctx, nbytes ? nbytes : 1);
}

/* An allocator has no calloc: few have a faster one than this, and three functions are easier to write. */
void *
zinc_calloc(zinc_context *ctx, size_t n, size_t nbytes)
{
	size_t total;
	void *p;

	if (zinc_size_mul(n, nbytes, &total))
		return NULL;
	p = zinc_alloc(ctx, total);
	if (p)
		memset(p, 0, total);
	return p;
}

/* As in C: on failure `p` stays valid. */
void *
zinc_realloc(zinc_context *ctx, void *p, size_t nbytes)
{
	const zinc_allocator *a = &zinc_context_get(ctx)->allocator;

	return a->realloc(a->ctx, p, nbytes ? nbytes : 1);
}

void
zinc_free(zinc_context *ctx, void *p)
{
	const zinc_allocator *a;

	if (!p)
		return;
	a = &zinc_context_get(ctx)->allocator;
	a->free(a->ctx, p);
}

char *
zinc_strdup(zinc_context *ctx, const char *s)
{
	return s ? zinc_strndup(ctx, s, strlen(s)) : NULL;
}

/* The first `n` bytes, all of which must exist, and a NUL. */
char *
zinc_strndup(zinc_context *ctx, const char *s, size_t n)
{
	size_t total;
	char *copy;

	if (zinc_size_add(n, 1, &total))
		return NULL;
	copy = (char *)zinc_alloc(ctx, total);
	if (!copy)
		return NULL;
	if (n)
		memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

/* ---- memory for secrets ---- */

/*
 *     block        first page boundary
 *     [ up to a page | head | the caller's bytes ... up to a page boundary ]
 */
typedef struct secret_head {
	void *block;
	size_t nbytes; /* of the pages */
} secret_head;

#define HEAD_BYTES 64 /* keeps the alignment of malloc */

/* Both are best effort: few bytes can be locked in memory, and some allocators have memory that no advice is for. */
static void
hide_pages(void *p, size_t nbytes)
{
	(void)madvise(p, nbytes, MADV_DONTDUMP);
	(void)mlock(p, nbytes);
}

void *
zinc_alloc_secret(zinc_context *ctx, size_t nbytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	secret_head *head;
	size_t total;
	void *block;

	if (zinc_size_add(nbytes, HEAD_BYTES + 2 * page, &total))
		return NULL;
	total = total / page * page; /* the head, the bytes and the rest of a page, and a page to begin at a boundary */
	block = zinc_alloc(ctx, total);
	if (!block)
		return NULL;
	head = (secret_head *)(((uintptr_t)block + page - 1) / page * page);
	*head = (secret_head){block, total - page};
	hide_pages(head, head->nbytes);
	memset((uint8_t *)head + HEAD_BYTES, 0, head->nbytes - HEAD_BYTES);
	return (uint8_t *)head + HEAD_BYTES;
}

void
zinc_free_secret(zinc_context *ctx, void *p)
{
	secret_head head;
	void *pages;

	if (!p)
		return;
	pages = (uint8_t *)p - HEAD_BYTES;
	memcpy(&head, pages, sizeof head);
	explicit_bzero(pages, head.nbytes);
	(void)munlock(pages, head.nbytes);
	(void)madvise(pages, head.nbytes, MADV_DODUMP);
	zinc_free(ctx, head.block);
}
