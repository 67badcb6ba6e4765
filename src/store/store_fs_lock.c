/*
 * store_fs_lock.c - the lock of a key, which is also the file that its next value is written to
 *
 * The protocol is TensorStore's, so that its writers and ours exclude each other:
 *
 *   open   <key>.__lock, create it if it is missing
 *   lock   it exclusively, by open file description: killing the process releases it, a second open in the same
 *          process does not share it
 *   check  that the name still belongs to the locked file: the previous holder may have renamed it to the key
 *          or unlinked it; then start again
 *
 * Only the holder of the lock may write the lock file, rename it to the key or unlink it.
 *
 * Promises (tests/unit/test_store_fs_lock.c names each by its number):
 *
 * (1) A leftover of a killed writer is emptied and reused.  If it belongs to another user (its times cannot be set) or
 *     has a second hard link (which may be somebody's data), it is unlinked while held, and created again.
 * (2) Release is F_UNLCK, then close: a child that inherited the descriptor does not keep the lock.
 * (3) A forked child closes the descriptors of locks and unlocks nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <time.h>

#include "store/store_fs.h"

#define MAX_INTERRUPTS 100

/* Waiting for a lock: tries without a pause; then the longest pause during the first FIRST_WAIT_NS, and after that. */
#define QUICK_TRIES      200
#define FIRST_WAIT_NS    2000000000
#define SHORT_PAUSE_NS   1000000
#define LONGEST_PAUSE_NS 20000000

/* A waiter that keeps losing the race for the lock gives up after this many seconds. */
#define RETRY_SECONDS 60

void
zinc_fs_lock_name(char out[FS_NAME_BYTES], const char *name)
{
	size_t n = strlen(name);

	memcpy(out, name, n);
	memcpy(out + n, FS_SUFFIX, sizeof FS_SUFFIX);
}

bool
zinc_fs_is_lock(const char *name)
{
	const size_t suffix = sizeof FS_SUFFIX - 1;
	size_t n = strlen(name);

	return n >= suffix && memcmp(name + n - suffix, FS_SUFFIX, suffix) == 0;
}

/* ---- descriptors that a forked child must close ---- */

/* The descriptor is in the store's list before it is locked, so that a fork in between leaves nothing open in the
 * child. */
static void
add_held(zinc_fs *fs, fs_lock *lock, int fd)
{
	lock->fd = fd;
	pthread_mutex_lock(&fs->lock);
	fs->nheld++;
	lock->next = fs->held;
	lock->link = &fs->held;
	if (lock->next)
		lock->next->link = &lock->next;
	fs->held = lock;
	pthread_mutex_unlock(&fs->lock);
}

int
zinc_fs_lock_release(zinc_fs *fs, fs_lock *lock)
{
	const zinc_os *os = fs_os(fs);
	int fd;

	pthread_mutex_lock(&fs->lock);
	fd = lock->fd;
	lock->fd = -1;
	if (fd != -1) {
		fs->nheld--;
		*lock->link = lock->next;
		if (lock->next)
			lock->next->link = lock->link;
	}
	pthread_mutex_unlock(&fs->lock);
	if (fd == -1)
		return 0;
	os->unlock(os, fd);
	return os->close(os, fd);
}

/* Called in a forked child, with the store's lock held.  F_UNLCK would release the parent's lock: both share the
 * description. */
void
zinc_fs_lock_forget_all(zinc_fs *fs)
{
	fs_lock *l, *next;

	for (l = fs->held; l; l = next) {
		next = l->next;
		fs_os(fs)->close(fs_os(fs), l->fd);
		l->fd = -1;
	}
	fs->held = NULL;
	fs->nheld = 0;
}

/* ---- taking ---- */

static bool
is_busy(int errnum)
{
	return errnum == EAGAIN || errnum == EACCES;
}

static int
try_lock(zinc_fs *fs, int fd)
{
	const zinc_os *os = fs_os(fs);
	int tries, got = -1;

	for (tries = 0; tries < MAX_INTERRUPTS; tries++) {
		got = os->lock(os, fd);
		if (got == 0 || errno != EINTR)
			break;
	}
	return got;
}

/* Sleep for *pause, add it to *waited, and make the next pause longer. */
static void
sleep_longer(struct timespec *pause, int64_t *waited)
{
	const long most = *waited < FIRST_WAIT_NS ? SHORT_PAUSE_NS : LONGEST_PAUSE_NS;

	nanosleep(pause, NULL);
	*waited += pause->tv_nsec;
	pause->tv_nsec += pause->tv_nsec / 2;
	if (pause->tv_nsec > most)
		pause->tv_nsec = most;
}

/*
 * Poll for the lock.
 *
 * Not F_OFD_SETLKW: a thread in the kernel's queue cannot leave it at the caller's deadline, and checkers that run one
 * thread at a time (valgrind 3.19) do not know that it blocks, so that the holder in another thread would never run.
 * Most holders are done within a millisecond anyway.
 *
 * The first tries have no pause.  The holder renames the file it has locked, so a waiter loses that round.  It wins the
 * next one only if it opens the new file before the holder returns for its next change: with pauses from the start a
 * waiter lost 200 rounds on average against two busy writers, and sometimes a thousand.
 */
static int
poll_lock(zinc_fs *fs, int fd, const zinc_wait *wait)
{
	struct timespec pause = {0, 20000};
	int64_t waited = 0;
	int tries = 0, got;

	while ((got = try_lock(fs, fd)) == -1 && is_busy(errno)) {
		if (zinc_wait_check(wait, NULL) != ZINC_OK) {
			errno = ECANCELED;
			break;
		}
		if (tries++ < QUICK_TRIES)
			sched_yield();
		else
			sleep_longer(&pause, &waited);
	}
	return got;
}

/* Does `name` in `dir` still belong to the open file fd?  -1: unknown. */
static int
is_current(zinc_fs *fs, int dir, const char *name, int fd, struct stat *st)
{
	const zinc_os *os = fs_os(fs);
	struct stat named;

	if (os->fstat(os, fd, st) == -1)
		return -1;
	if (os->fstatat(os, dir, name, &named) == -1)
		return errno == ENOENT ? 0 : -1;
	return st->st_ino == named.st_ino && st->st_dev == named.st_dev;
}

/* Can a file that somebody else created hold our value?  Only its owner can set its time. */
static bool
is_usable(zinc_fs *fs, int fd, const struct stat *st)
{
	const struct timespec same[2] = {{0, UTIME_OMIT}, st->st_mtim};

	return st->st_nlink == 1 && fs_os(fs)->futimens(fs_os(fs), fd, same) == 0;
}

/* Empty the locked file and return FS_TAKEN, or say why it cannot be used.  `fresh`: we have just created it. */
static fs_take
prepare_file(zinc_fs *fs, int dir, const char *lock_name, const fs_lock *lock, bool fresh)
{
	const zinc_os *os = fs_os(fs);
	struct stat st;
	int current = is_current(fs, dir, lock_name, lock->fd, &st);

	if (current <= 0)
		return current == 0 ? FS_GONE : FS_FAILED;
	if (!S_ISREG(st.st_mode)) {
		errno = EISDIR;
		return FS_FAILED;
	}
	if (!fresh && !is_usable(fs, lock->fd, &st))
		return os->unlinkat(os, dir, lock_name, 0) == 0 || errno == ENOENT ? FS_GONE : FS_FAILED;
	if (st.st_size > 0 && os->ftruncate(os, lock->fd, 0) == -1)
		return FS_FAILED;
	return FS_TAKEN;
}

/* Open the lock file, or create it; *fresh says which. */
static int
open_lock(zinc_fs *fs, int dir, const char *lock_name, bool *fresh)
{
	int fd = zinc_fs_openat(fs, dir, lock_name, O_RDWR | O_CREAT | O_EXCL, ZINC_LINKS_REFUSE);

	*fresh = fd != -1;
	if (fd == -1 && errno == EEXIST)
		fd = zinc_fs_openat(fs, dir, lock_name, O_RDWR | O_CREAT | O_NONBLOCK, ZINC_LINKS_REFUSE);
	return fd;
}

/* One round of the protocol.  FS_GONE: start again. */
static fs_take
take_once(zinc_fs *fs, int dir, const char *lock_name, bool wait, const zinc_wait *until, fs_lock *out, bool *dir_gone)
{
	int fd, saved;
	bool fresh;
	fs_take took;

	*dir_gone = false;
	fd = open_lock(fs, dir, lock_name, &fresh);
	if (fd == -1) {
		*dir_gone = errno == ENOENT; /* no file can be created in a removed directory */
		return *dir_gone ? FS_GONE : FS_FAILED;
	}
	add_held(fs, out, fd);
	if ((wait ? poll_lock(fs, fd, until) : try_lock(fs, fd)) == 0)
		took = prepare_file(fs, dir, lock_name, out, fresh);
	else
		took = is_busy(errno) ? FS_BUSY : FS_FAILED;
	if (took == FS_TAKEN)
		return took;
	saved = errno;
	zinc_fs_lock_release(fs, out);
	errno = saved;
	return took;
}

/* Others may always rename the file between our open and our lock.  They make progress, so a waiter keeps trying for
 * RETRY_SECONDS; a caller that does not wait tries FS_MAX_TRIES times. */
static bool
may_try_again(zinc_fs *fs, bool wait, int tries, double began)
{
	return tries < FS_MAX_TRIES || (wait && zinc_now(fs->ctx) - began < RETRY_SECONDS);
}

fs_take
zinc_fs_lock_try(zinc_fs *fs, int dir, const char *name, bool wait, const zinc_wait *until, fs_lock *out, int *errnum)
{
	char lock_name[FS_NAME_BYTES];
	fs_take took = FS_GONE;
	double began = wait ? zinc_now(fs->ctx) : 0;
	bool dir_gone = false;
	int tries;

	zinc_fs_lock_name(lock_name, name);
	for (tries = 0; took == FS_GONE && !dir_gone && may_try_again(fs, wait, tries, began); tries++)
		took = take_once(fs, dir, lock_name, wait, until, out, &dir_gone);
	*errnum = errno;
	if (took == FS_GONE && !dir_gone) {
		*errnum = EBUSY;
		took = FS_FAILED;
	}
	return took;
}

/* The file is neither created nor emptied; the caller may unlink it. */
fs_take
zinc_fs_lock_leftover(zinc_fs *fs, int dir, const char *lock_name, fs_lock *out)
{
	int fd = zinc_fs_openat(fs, dir, lock_name, O_RDWR | O_NONBLOCK, ZINC_LINKS_REFUSE);
	struct stat st;

	if (fd == -1)
		return errno == ENOENT ? FS_GONE : FS_FAILED;
	add_held(fs, out, fd);
	if (try_lock(fs, fd) == 0 && is_current(fs, dir, lock_name, fd, &st) == 1 && S_ISREG(st.st_mode))
		return FS_TAKEN;
	zinc_fs_lock_release(fs, out);
	return FS_BUSY;
}

void
zinc_fs_lock_unlink(zinc_fs *fs, int dir, const char *name)
{
	char lock_name[FS_NAME_BYTES];

	zinc_fs_lock_name(lock_name, name);
	fs_os(fs)->unlinkat(fs_os(fs), dir, lock_name, 0);
}

/* ---- names that fold ---- */

/* Does the directory also find our lock file under this spelling? */
static bool
is_found_as(zinc_fs *fs, int dir, const char *name, const struct stat *own)
{
	char lock_name[FS_NAME_BYTES];
	struct stat st;

	zinc_fs_lock_name(lock_name, name);
	return fs_os(fs)->fstatat(fs_os(fs), dir, lock_name, &st) == 0 && st.st_ino == own->st_ino;
}

/*
 * The lock file that we hold belongs to nobody else, so changes by others cannot falsify the result.  If the probe is
 * impossible (busy, no space, characters not allowed) the next change repeats it.
 */
void
zinc_fs_probe_names(zinc_fs *fs, const fs_dir *dir)
{
	static const char name[] = "zinc-\xC3\xA9"; /* e with acute accent, one character */
	static const char upper[] = "ZINC-\xC3\xA9", decomposed[] = "zinc-e\xCC\x81"; /* the same as two characters */
	unsigned names = FS_NAMES_KNOWN;
	fs_lock lock;
	struct stat st;
	int errnum;

	if (atomic_load(&fs->names) & FS_NAMES_KNOWN)
		return;
	if (zinc_fs_lock_try(fs, dir->fd, name, false, NULL, &lock, &errnum) != FS_TAKEN)
		return;
	if (fs_os(fs)->fstat(fs_os(fs), lock.fd, &st) == 0) {
		if (is_found_as(fs, dir->fd, upper, &st))
			names |= ZINC_CAP_FOLDS_CASE;
		if (is_found_as(fs, dir->fd, decomposed, &st))
			names |= ZINC_CAP_NORMALISES;
		atomic_fetch_or(&fs->names, names);
	}
	zinc_fs_lock_unlink(fs, dir->fd, name);
	zinc_fs_lock_release(fs, &lock);
}
