/*
 * store_cache_sweep.c - the cache's files together stay below a limit
 *
 * Every process appends to the file "ledger" one byte for each 4 KiB that it is about to write.  The size of the ledger
 * says how much all processes have written since the last sweep; so no process needs to know of the others, and none
 * can leave a lock behind.  The process that finds a sixteenth of the limit there sweeps: it adds up all files, and if
 * they have more than 7/8 of the limit, removes those that were not used for the longest time, until 3/4 are left.  Then
 * it shortens the ledger by what was in it at the start.  It holds a lock on the file "lock", which ends with the
 * process.  When an eighth of the limit has been written without a sweep, nothing more is written until there was one.
 *
 * The sweep needs no memory for names: the first pass counts bytes by age (16 classes per doubling), the second removes
 * the oldest classes.
 *
 * Promises (tests/unit/test_store_cache_disk.c names each by its number, S1 ...):
 *
 * (S1) All files together have at most the limit and what is being written at that moment, however many processes write;
 *      each file counts in units of 4 KiB.
 * (S2) Files used longer ago are removed before files used later, except for those whose age differs by less than 5 %.
 * (S3) Temporary files of processes that were killed are removed after ten minutes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

#include "store/store_cache.h"

#define UNIT      ((uint64_t)4 * ZINC_KIB)
#define LEFTOVER  ((int64_t)600 * 1000000000) /* age of a temporary file that nobody is writing */
#define CLASSES   (64 * 16)
#define NAME_ROOM 96

static uint64_t
units(uint64_t nbytes)
{
	return nbytes / UNIT + (nbytes % UNIT != 0);
}

/* ---- the ledger ---- */

static bool
append_units(const cached_disk *d, uint64_t n)
{
	static const uint8_t zeros[512];
	const zinc_os *os = d->ctx->os;
	struct iovec iov = {(void *)(uintptr_t)zeros, 0};
	ssize_t put;

	while (n > 0) {
		iov.iov_len = (size_t)zinc_min_u64(n, sizeof zeros);
		put = os->writev(os, d->ledger, &iov, 1);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		n -= (uint64_t)put;
	}
	return true;
}

static uint64_t
written(const cached_disk *d)
{
	struct stat st;

	if (d->ctx->os->fstat(d->ctx->os, d->ledger, &st) != 0)
		return UINT64_MAX;
	return (uint64_t)st.st_size * UNIT;
}

/* A ledger that was removed ends the count of this process; nothing more is written then. */
bool
zinc_cached_disk_room(cached_disk *d, uint64_t nbytes)
{
	uint64_t total;

	if (d->ledger == -1)
		return false;
	total = written(d);
	if (total >= d->limit / 16)
		atomic_store(&d->sweep, true);
	if (total > d->limit / 8 || units(nbytes) * UNIT > d->limit / 8 - total)
		return false;
	return append_units(d, units(nbytes));
}

/* ---- one pass over all files ---- */

typedef struct sweeping {
	const cached_disk *d;
	int dir;
	int64_t now;
	uint64_t total;            /* bytes of all files */
	uint64_t classes[CLASSES]; /* of those, by age; 0: the newest */
	bool removing;
	int oldest_kept;   /* in the second pass: older classes are removed */
	uint64_t too_many; /* and so many bytes of this one */
} sweeping;

/* The logarithm of the age, in sixteenths. */
static int
class_of(int64_t age)
{
	uint64_t x = age > 16 ? (uint64_t)age : 16;
	int bits = 0;

	for (; x >= 32; x >>= 1)
		bits++;
	return bits * 16 + (int)(x - 16);
}

static int64_t
age_of(const sweeping *s, struct timespec t)
{
	return s->now - ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec);
}

static bool
is_old(sweeping *s, const struct stat *st, uint64_t nbytes)
{
	const int class = class_of(age_of(s, st->st_atim));

	if (class != s->oldest_kept || s->too_many == 0)
		return class > s->oldest_kept;
	s->too_many -= zinc_min_u64(s->too_many, nbytes);
	return true;
}

static int
take_file(void *arg, const char *name, int type)
{
	sweeping *s = (sweeping *)arg;
	const zinc_os *os = s->d->ctx->os;
	uint64_t nbytes;
	struct stat st;

	(void)type;
	if (os->fstatat(os, s->dir, name, &st) != 0)
		return 0;
	nbytes = units((uint64_t)st.st_size) * UNIT;
	if (strstr(name, ".t") && age_of(s, st.st_ctim) > LEFTOVER) {
		(void)os->unlinkat(os, s->dir, name, 0);
	} else if (!s->removing) {
		s->total += nbytes;
		s->classes[class_of(age_of(s, st.st_atim))] += nbytes;
	} else if (is_old(s, &st, nbytes)) {
		(void)os->unlinkat(os, s->dir, name, 0);
	}
	return 0;
}

/* False: it was cancelled. */
static bool
pass(sweeping *s, const zinc_wait *wait)
{
	const zinc_os *os = s->d->ctx->os;
	char name[3];
	int i;

	for (i = 0; i < 256; i++) {
		if (zinc_wait_check(wait, NULL) != ZINC_OK)
			return false;
		snprintf(name, sizeof name, "%02x", (unsigned)i);
		s->dir = os->open_at(os, s->d->root, name, O_RDONLY | O_DIRECTORY, 0, ZINC_LINKS_REFUSE);
		if (s->dir == -1)
			continue;
		(void)os->read_dir(os, s->dir, take_file, s);
		os->close(os, s->dir);
	}
	return true;
}

/* Which classes go, so that 3/4 of the limit are left. */
static void
choose(sweeping *s)
{
	const uint64_t keep = s->d->limit - s->d->limit / 4;
	uint64_t kept = 0;
	int i;

	for (i = 0; i < CLASSES - 1 && kept + s->classes[i] <= keep; i++)
		kept += s->classes[i];
	s->oldest_kept = i;
	s->too_many = kept + s->classes[i] > keep ? kept + s->classes[i] - keep : 0;
	s->removing = true;
}

/* False: it was not finished. */
static bool
sweep_files(const cached_disk *d, const zinc_wait *wait)
{
	sweeping *s = (sweeping *)zinc_calloc(d->ctx, 1, sizeof *s);
	bool ok;

	if (!s)
		return false;
	s->d = d;
	s->now = zinc_cached_now(d->ctx);
	ok = pass(s, wait);
	if (ok && s->total > d->limit - d->limit / 8) {
		choose(s);
		ok = pass(s, wait);
	}
	zinc_free(d->ctx, s);
	return ok;
}

/* Files that are written during the sweep stay in the ledger.  What is appended between the last two calls is lost, but
 * the next sweep counts all files again. */
static void
sweep_locked(const cached_disk *d, const zinc_wait *wait)
{
	const uint64_t before = written(d);
	uint64_t after;

	if (before < d->limit / 16 || before == UINT64_MAX || !sweep_files(d, wait))
		return;
	after = written(d);
	if (after >= before && after != UINT64_MAX)
		(void)d->ctx->os->ftruncate(d->ctx->os, d->ledger, (off_t)((after - before) / UNIT));
}

void
zinc_cached_disk_sweep(cached_disk *d, const zinc_wait *wait)
{
	const zinc_os *os = d->ctx->os;
	int lock;

	if (d->root == -1 || d->ledger == -1 || !atomic_exchange(&d->sweep, false))
		return;
	lock = os->open_at(os, d->root, "lock", O_RDWR | O_CREAT | O_NONBLOCK, 0600, ZINC_LINKS_REFUSE);
	if (lock == -1)
		return;
	if (os->lock(os, lock) == 0)
		sweep_locked(d, wait);
	os->close(os, lock);
}
