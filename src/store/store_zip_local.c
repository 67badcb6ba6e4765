/*
 * store_zip_local.c - ranges of an archive that is a local file, from one descriptor
 *
 * A get of the zip store opens the file once.  That descriptor shows whether the directory is current and has all the bytes
 * of the call; so a get costs what the same get of a file costs, and no archive can be replaced in the middle of it.
 *
 * Promises (tests/unit/test_store_zip_local.c names each by its number, F1 ...):
 *
 * (F1) A get of a local archive opens it once and asks for its size once, however many entries it reads.
 * (F2) The descriptor is that of the generation of the directory.
 * (F3) Bytes are summed up while they are in the processor's cache: a block after it was read, not all after the last.
 */
#include "store/store_zip.h"

#define MAX_TRIES  16
#define BLOCK      ((size_t)128 * ZINC_KIB)
#define IOV_BLOCKS 64

static bool
is_of(const zip_dir *d, const struct stat *st)
{
	zinc_tag tag;

	zinc_fs_tag(&tag, st);
	return d->exists && (uint64_t)st->st_size == d->nbytes && zinc_tag_equal(&tag, &d->tag);
}

zinc_status
zinc_zip_local_open(zip *z, zip_dir **d, int *fd, const zinc_wait *wait, zinc_error *err)
{
	struct stat st;
	int tries;

	for (tries = 0; tries < MAX_TRIES; tries++) {
		ZINC_TRY(zinc_wait_for(wait, "the archive", err));
		ZINC_TRY(zinc_error_at_key(err, zinc_fs_open_value(z->fs, z->key, fd, &st, NULL, err), z->key));
		if (*fd == -1 ? !(*d)->exists : is_of(*d, &st))
			return ZINC_OK;
		zinc_zip_local_close(z, fd);
		ZINC_TRY(zinc_zip_dir_renew(z, d, wait, err));
	}
	return zinc_fail(err, ZINC_E_CONFLICT, "the archive is replaced again and again while it is read");
}

void
zinc_zip_local_close(zip *z, int *fd)
{
	if (*fd != -1)
		fs_os(z->fs)->close(fs_os(z->fs), *fd);
	*fd = -1;
}

/* The next block of iov; returns its bytes. */
static size_t
next_block(const zinc_iov_at *at, struct iovec out[IOV_BLOCKS], int *n)
{
	const int have = zinc_iov_next(at, out, IOV_BLOCKS);
	size_t nbytes = 0;
	int i;

	for (i = 0; i < have && nbytes < BLOCK; i++) {
		if (out[i].iov_len > BLOCK - nbytes)
			out[i].iov_len = BLOCK - nbytes;
		nbytes += out[i].iov_len;
	}
	*n = i;
	return nbytes;
}

/* The first *skip bytes are left out. */
static uint32_t
sum_block(uint32_t crc, const struct iovec *iov, int n, size_t *skip)
{
	size_t left;
	int i;

	for (i = 0; i < n; i++) {
		left = *skip < iov[i].iov_len ? *skip : iov[i].iov_len;
		*skip -= left;
		crc = zinc_crc32(crc, (const uint8_t *)iov[i].iov_base + left, iov[i].iov_len - left);
	}
	return crc;
}

zinc_status
zinc_zip_local_sum(zip *z, int fd, const zinc_get *r, size_t nhead, uint32_t *crc, zinc_error *err)
{
	zinc_iov_at at = {r->iov, r->niov, 0};
	struct iovec block[IOV_BLOCKS];
	uint64_t done = 0;
	size_t n;
	int count;

	*crc = 0;
	for (; done < r->length && (n = next_block(&at, block, &count)) > 0; done += n) {
		ZINC_TRY(zinc_fs_read(z->fs, fd, r->offset + done, n, block, count, err));
		*crc = sum_block(*crc, block, count, &nhead);
		zinc_iov_advance(&at, n);
	}
	return ZINC_OK;
}
