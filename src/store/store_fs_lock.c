/*
 * store_fs_lock.c - the lock of a key, which is also the file its next value is written to
 *
 * The protocol is TensorStore's, so that its writers and ours exclude each other:
 *
 *   open   <key>.__lock, made if need be
 *   lock   it exclusively (open file description: a kill releases it, a second open in this process does not share it)
 *   look   whether the name still leads to the file that was locked: the owner before may have renamed
 *          it to the key, or unlinked it; then begin again
 *
 * Whoever holds the lock of the file that has the name may write it, rename it to the key, or unlink it; nobody else.
 *
 * Promises (tests/unit/test_store_fs_lock.c names each by its number):
 *
 * (1) A leftover of a killed writer is taken over, emptied.  One that belongs to another user (its
 *     times cannot be set) or has another name too (it may be a link to something precious) is unlinked
 *     while held, and made anew.
 * (2) Release is F_UNLCK, then close: a child that inherited the descriptor keeps no lock alive.
 * (3) A forked child closes the descriptors of locks and unlocks nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <time.h>

#include "store/store_fs.h"

#define MOST_INTERRUPTS 100

/* Of waiting for a lock: how often it is asked for without a pause; then the longest pause for the first seconds, and
 * the one that pauses grow to. */
#define QUICK_ASKS       200
#define PATIENCE_NS      2000000000
#define SHORT_PAUSE_NS   1000000
#define LONGEST_PAUSE_NS 20000000

/* Seconds for which others may be quicker, every time, before a waiter gives up. */
#define LOSING_SECONDS 60

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

/* Known to the store before it is locked: a fork between the two leaves the child nothing to keep. */
static void
hold(zinc_fs *fs, fs_lock *lock, int fd)
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

/* Called in a child, with the store's lock held.  F_UNLCK would release the parent's lock: the description is shared.
 */
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
ask_once(zinc_fs *fs, int fd)
{
	const zinc_os *os = fs_os(fs);
	int tries, got = -1;

	for (tries = 0; tries < MOST_INTERRUPTS; tries++) {
		got = os->lock(os, fd);
		if (got == 0 || errno != EINTR)
			break;
	}
	return got;
}

/* The n-th pause, and all of them so far. */
static void
rest(struct timespec *pause, int64_t *waited)
{
	const long most = *waited < PATIENCE_NS ? SHORT_PAUSE_NS : LONGEST_PAUSE_NS;

	nanosleep(pause, NULL);
	*waited += pause->tv_nsec;
	pause->tv_nsec += pause->tv_nsec / 2;
	if (pause->tv_nsec > most)
		pause->tv_nsec = most;
}

/*
 * Ask again and again.  Nobody can leave the kernel's queue (F_OFD_SETLKW) when the caller's time is over, and checkers
 * that run one thread at a time (valgrind 3.19) do not know that it blocks: they would never let a holder in another
 * thread go on.  Most holders are done within a millisecond anyway.
 *
 * The first questions follow each other at once.  A holder renames the file it has locked, so whoever waited for it has
 * lost that round, and wins the next one only by being there before the holder comes back for its next change: with
 * pauses from the start a waiter lost 200 rounds on average against two busy writers, and now and then a thousand.
 */
static int
ask_often(zinc_fs *fs, int fd, const zinc_wait *wait)
{
	struct timespec pause = {0, 20000};
	int64_t waited = 0;
	int asked = 0, got;

	while ((got = ask_once(fs, fd)) == -1 && is_busy(errno)) {
		if (zinc_wait_check(wait, NULL) != ZINC_OK) {
			errno = ECANCELED;
			break;
		}
		if (asked++ < QUICK_ASKS)
			sched_yield();
		else
			rest(&pause, &waited);
	}
	return got;
}

/* Does `name` in `dir` lead to the file that is open as fd?  -1 when that cannot be said. */
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

/* Can what somebody else made be the file of our value?  To set a time of one's own choice is for its owner. */
static bool
is_usable(zinc_fs *fs, int fd, const struct stat *st)
{
	const struct timespec same[2] = {{0, UTIME_OMIT}, st->st_mtim};

	return st->st_nlink == 1 && fs_os(fs)->futimens(fs_os(fs), fd, same) == 0;
}

/* FS_TAKEN with a file of ours, empty; or what else became of it.  `fresh`: we made it a moment ago. */
static fs_take
settle(zinc_fs *fs, int dir, const char *lock_name, const fs_lock *lock, bool fresh)
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

/* Open the lock file, made if need be; *fresh tells which. */
static int
open_lock(zinc_fs *fs, int dir, const char *lock_name, bool *fresh)
{
	int fd = zinc_fs_openat(fs, dir, lock_name, O_RDWR | O_CREAT | O_EXCL, ZINC_LINKS_REFUSE);

	*fresh = fd != -1;
	if (fd == -1 && errno == EEXIST)
		fd = zinc_fs_openat(fs, dir, lock_name, O_RDWR | O_CREAT | O_NONBLOCK, ZINC_LINKS_REFUSE);
	return fd;
}

/* One round of the protocol.  FS_GONE: begin again. */
static fs_take
take_once(zinc_fs *fs, int dir, const char *lock_name, bool wait, const zinc_wait *until, fs_lock *out, bool *dir_gone)
{
	int fd, saved;
	bool fresh;
	fs_take took;

	*dir_gone = false;
	fd = open_lock(fs, dir, lock_name, &fresh);
	if (fd == -1) {
		*dir_gone = errno == ENOENT; /* nothing can be made in a directory that was removed */
		return *dir_gone ? FS_GONE : FS_FAILED;
	}
	hold(fs, out, fd);
	if ((wait ? ask_often(fs, fd, until) : ask_once(fs, fd)) == 0)
		took = settle(fs, dir, lock_name, out, fresh);
	else
		took = is_busy(errno) ? FS_BUSY : FS_FAILED;
	if (took == FS_TAKEN)
		return took;
	saved = errno;
	zinc_fs_lock_release(fs, out);
	errno = saved;
	return took;
}

/* Others who always rename the file between our open and our lock would keep us here.  That they do is progress, so a
 * waiter goes on for long; who does not wait tries a thousand times. */
static bool
may_try_again(zinc_fs *fs, bool wait, int tries, double began)
{
	return tries < FS_MOST_TRIES || (wait && zinc_now(fs->ctx) - began < LOSING_SECONDS);
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

/* Never made, never emptied: it is only looked at, and perhaps unlinked by the caller. */
fs_take
zinc_fs_lock_leftover(zinc_fs *fs, int dir, const char *lock_name, fs_lock *out)
{
	int fd = zinc_fs_openat(fs, dir, lock_name, O_RDWR | O_NONBLOCK, ZINC_LINKS_REFUSE);
	struct stat st;

	if (fd == -1)
		return errno == ENOENT ? FS_GONE : FS_FAILED;
	hold(fs, out, fd);
	if (ask_once(fs, fd) == 0 && is_current(fs, dir, lock_name, fd, &st) == 1 && S_ISREG(st.st_mode))
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

/* Does the directory find our lock file under another spelling too? */
static bool
answers_to(zinc_fs *fs, int dir, const char *name, const struct stat *own)
{
	char lock_name[FS_NAME_BYTES];
	struct stat st;

	zinc_fs_lock_name(lock_name, name);
	return fs_os(fs)->fstatat(fs_os(fs), dir, lock_name, &st) == 0 && st.st_ino == own->st_ino;
}

/*
 * A lock file that is held cannot be anybody else's, so nothing that others do at the same time can mislead
 * the question.  Where it cannot be asked (busy, no room, no such characters) it is asked again by the next change.
 */
void
zinc_fs_probe_names(zinc_fs *fs, const fs_dir *dir)
{
	static const char name[] = "zinc-\xC3\xA9";                                   /* e with acute accent ... */
	static const char upper[] = "ZINC-\xC3\xA9", decomposed[] = "zinc-e\xCC\x81"; /* ... in one or two characters */
	unsigned names = FS_NAMES_KNOWN;
	fs_lock lock;
	struct stat st;
	int errnum;

	if (atomic_load(&fs->names) & FS_NAMES_KNOWN)
		return;
	if (zinc_fs_lock_try(fs, dir->fd, name, false, NULL, &lock, &errnum) != FS_TAKEN)
		return;
	if (fs_os(fs)->fstat(fs_os(fs), lock.fd, &st) == 0) {
		if (answers_to(fs, dir->fd, upper, &st))
			names |= ZINC_CAP_FOLDS_CASE;
		if (answers_to(fs, dir->fd, decomposed, &st))
			names |= ZINC_CAP_NORMALISES;
		atomic_fetch_or(&fs->names, names);
	}
	zinc_fs_lock_unlink(fs, dir->fd, name);
	zinc_fs_lock_release(fs, &lock);
}
