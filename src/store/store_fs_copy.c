/*
 * store_fs_copy.c - copy bytes from one open file to the end of another
 *
 * Promises (tests/unit/test_store_fs_copy.c names each by its number):
 *
 * (1) The kernel copies, if it can: nothing passes through our memory, and a file system that can share blocks between
 *     files (XFS, btrfs) writes almost nothing.  Where it cannot, the bytes are read and written.
 * (2) All bytes are copied, or it fails; a file that is too short is E_CONFLICT.
 * (3) The deadline is checked before each piece.
 */
#include <errno.h>

#include "store/store_fs.h"

#define PIECE          ((size_t)64 * ZINC_MIB)
#define BLOCK          ((size_t)ZINC_MIB)
#define SHARED         ((size_t)64 * ZINC_KIB) /* whole blocks of a file system can be shared, others are copied */
#define MAX_INTERRUPTS 100

typedef struct copy {
	zinc_fs *fs;
	int from, to;
	uint64_t at, left;
} copy;

static void
advance(copy *c, size_t n)
{
	c->at += n;
	c->left -= n;
}

/* The next piece: whole blocks as long as there are any, then the rest. */
static size_t
next_piece(const copy *c)
{
	const size_t n = (size_t)zinc_min_u64(PIECE, c->left);

	return n > SHARED ? n - n % SHARED : n;
}

/* Would reading and writing fail, too?  All others mean that the kernel, or the file system, has no such copy. */
static bool
is_final(int errnum)
{
	return errnum == EIO || errnum == ENOSPC || errnum == EDQUOT || errnum == EFBIG || errnum == ENOMEM;
}

/* ZINC_OK with bytes left: the kernel does not copy these files. */
static zinc_status
copy_in_kernel(copy *c, const zinc_wait *wait, zinc_error *err)
{
	const zinc_os *os = fs_os(c->fs);
	int interrupts = 0;
	ssize_t n;

	while (c->left) {
		ZINC_TRY(zinc_wait_for(wait, "the copy of a file", err));
		n = os->copy_range(os, c->from, (off_t)c->at, c->to, next_piece(c));
		if (n > 0)
			advance(c, (size_t)n);
		else if (n == -1 && is_final(errno))
			return zinc_fs_fail(err, errno, "cannot copy");
		else if (n == 0 || errno != EINTR || ++interrupts > MAX_INTERRUPTS)
			return ZINC_OK;
	}
	return ZINC_OK;
}

static zinc_status
copy_by_block(copy *c, const zinc_wait *wait, zinc_error *err)
{
	uint8_t *block = (uint8_t *)zinc_alloc(c->fs->ctx, BLOCK);
	zinc_status st = block ? ZINC_OK : zinc_fail_nomem(err);

	while (c->left && st == ZINC_OK) {
		const struct iovec iov = {block, (size_t)zinc_min_u64(BLOCK, c->left)};

		st = zinc_wait_for(wait, "the copy of a file", err);
		if (st == ZINC_OK)
			st = zinc_fs_read(c->fs, c->from, c->at, iov.iov_len, &iov, 1, err);
		if (st == ZINC_OK)
			st = zinc_fs_write(c->fs, c->to, &iov, 1, err);
		advance(c, iov.iov_len);
	}
	zinc_free(c->fs->ctx, block);
	return st;
}

zinc_status
zinc_fs_copy(zinc_fs *fs, int from, uint64_t at, uint64_t n, int to, const zinc_wait *wait, zinc_error *err)
{
	copy c = {fs, from, to, at, n};

	ZINC_TRY(copy_in_kernel(&c, wait, err));
	return c.left ? copy_by_block(&c, wait, err) : ZINC_OK;
}
