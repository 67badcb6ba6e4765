/*
 * os_posix.c - the only file that makes file-system calls
 *
 * Promises (tests/unit/test_os_posix.c names each by its number; 5: test_aws_process.c):
 *
 * (1) Unless it follows links, open_at never opens anything outside its directory, whatever the path and whatever is
 *     renamed meanwhile: the kernel resolves the path (openat2), or each component is opened without following links.
 * (2) Every descriptor is closed by exec.
 * (3) Locks belong to the open file, not to the process: two descriptors of one file exclude each other even within one
 *     process, and closing another descriptor releases nothing.
 * (4) read_dir leaves its descriptor as it was, so many threads may list one directory.
 * (5) A child program has the caller's environment and three descriptors: /dev/null, a pipe to us, /dev/null.  It is a
 *     group of its own, so that it and what it has started can be ended together.
 *
 * The functions do what the system calls of the same name do, without retries and without policy.  Tests replace this
 * table, so nothing else may be between the stores and the kernel.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

/* A concurrent rename can make the kernel give up on a path with ".."; then the call is repeated. */
#define MAX_TRIES 16

/* The caller chose the root, so links on its path are followed. */
static int
os_open_root(const zinc_os *self, const char *path, int flags)
{
	(void)self;
	return open(path, flags | O_DIRECTORY | O_CLOEXEC);
}

/* ---- open_at ---- */

/* EXDEV when the path leaves `dir`, ELOOP when a link is not allowed.  Magic links (in /proc) can lead anywhere. */
static int
openat2_beneath(int dir, const char *path, int flags, mode_t mode, int links)
{
	struct open_how how;
	long fd = -1;
	int tries;

	memset(&how, 0, sizeof how);
	how.flags = (uint64_t)(unsigned)flags;
	how.mode = flags & O_CREAT ? mode : 0; /* openat2 refuses a mode without O_CREAT */
	how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
	if (links == ZINC_LINKS_REFUSE)
		how.resolve |= RESOLVE_NO_SYMLINKS;
	for (tries = 0; tries < MAX_TRIES; tries++) {
		fd = syscall(SYS_openat2, dir, path, &how, sizeof how);
		if (fd != -1 || errno != EAGAIN)
			break;
	}
	return (int)fd;
}

static int
fail_with(int errnum)
{
	errno = errnum;
	return -1;
}

/* Open one component; a link is ELOOP even if O_DIRECTORY makes the kernel return ENOTDIR. */
static int
open_component(int dir, const char *name, int flags, mode_t mode)
{
	struct stat st;
	int fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);

	if (fd == -1 && errno == ENOTDIR) {
		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
			return fail_with(ELOOP);
		return fail_with(ENOTDIR);
	}
	return fd;
}

/* Copy the next component of *path to `name` and move *path past it and its slashes.  Returns its length, 0 at the end,
 * -1 if it is too long or "..". */
static int
next_component(const char **path, char name[NAME_MAX + 1])
{
	size_t n = strcspn(*path, "/");

	if (n > NAME_MAX)
		return fail_with(ENAMETOOLONG);
	memcpy(name, *path, n);
	name[n] = '\0';
	if (n == 2 && name[0] == '.' && name[1] == '.')
		return fail_with(EXDEV);
	*path += n;
	*path += strspn(*path, "/");
	return (int)n;
}

/*
 * For kernels before 5.6, and sandboxes without the call.  "a/b/c" is opened as a, b in a, c in b.  O_PATH needs no
 * permission to read the directories on the path, and with O_NOFOLLOW no link can be put in between a check and its
 * use.
 */
static int
walk_beneath(int dir, const char *path, int flags, mode_t mode)
{
	char name[NAME_MAX + 1];
	int at = dir, fd, n, saved;

	if (path[0] == '/')
		return fail_with(EXDEV);
	for (;;) {
		n = next_component(&path, name);
		if (n <= 0)
			fd = n < 0 ? -1 : fail_with(ENOENT);
		else if (*path)
			fd = open_component(at, name, O_PATH | O_DIRECTORY, 0);
		else
			fd = open_component(at, name, flags, mode);
		saved = errno;
		if (at != dir)
			close(at);
		errno = saved;
		if (fd == -1 || !*path)
			return fd;
		at = fd;
	}
}

/* Some sandboxes return EPERM instead of ENOSYS; the walk returns a real EPERM as well. */
static int
os_open_at(const zinc_os *self, int dir, const char *path, int flags, mode_t mode, int links)
{
	size_t n = strlen(path);
	int fd;

	(void)self;
	flags |= O_CLOEXEC;
	if (links == ZINC_LINKS_FOLLOW)
		return openat(dir, path, flags, mode);
	fd = openat2_beneath(dir, path, flags, mode, links);
	if (fd != -1 || (errno != ENOSYS && errno != EPERM))
		return fd;
	if (n && path[n - 1] == '/')
		flags |= O_DIRECTORY;
	return walk_beneath(dir, path, flags, mode);
}

/* ---- descriptors: the caller handles short reads and writes ---- */

/* Linux has closed the descriptor even if it returns EINTR; repeating the call could close another file. */
static int
os_close(const zinc_os *self, int fd)
{
	(void)self;
	return close(fd) == -1 && errno != EINTR ? -1 : 0;
}

static ssize_t
os_pread(const zinc_os *self, int fd, void *p, size_t n, off_t at)
{
	(void)self;
	return pread(fd, p, n, at);
}

static ssize_t
os_preadv(const zinc_os *self, int fd, const struct iovec *iov, int niov, off_t at)
{
	(void)self;
	return preadv(fd, iov, niov, at);
}

static ssize_t
os_writev(const zinc_os *self, int fd, const struct iovec *iov, int niov)
{
	(void)self;
	return writev(fd, iov, niov);
}

static ssize_t
os_copy_range(const zinc_os *self, int from, off_t at, int to, size_t n)
{
	loff_t offset = at;

	(void)self;
	return copy_file_range(from, &offset, to, NULL, n, 0);
}

static int
os_ftruncate(const zinc_os *self, int fd, off_t n)
{
	(void)self;
	return ftruncate(fd, n);
}

static int
os_reserve(const zinc_os *self, int fd, off_t n)
{
	(void)self;
	return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, n);
}

static int
os_fsync(const zinc_os *self, int fd)
{
	(void)self;
	return fsync(fd);
}

static int
os_fstat(const zinc_os *self, int fd, struct stat *st)
{
	(void)self;
	return fstat(fd, st);
}

static int
os_futimens(const zinc_os *self, int fd, const struct timespec times[2])
{
	(void)self;
	return futimens(fd, times);
}

static int
os_fchmod_as(const zinc_os *self, int fd, const struct stat *like)
{
	mode_t mode = like->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
	struct stat st;

	(void)self;
	if (fstat(fd, &st) != 0)
		return -1;
	if (st.st_gid != like->st_gid && fchown(fd, (uid_t)-1, like->st_gid) != 0)
		mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
	if (st.st_uid != like->st_uid && fchown(fd, like->st_uid, (gid_t)-1) != 0 && errno != EPERM)
		return -1;
	return fchmod(fd, mode);
}

/* ---- names: each is one component, checked by the key checker, in an open directory ---- */

static int
os_fstatat(const zinc_os *self, int dir, const char *name, struct stat *st)
{
	(void)self;
	return fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW);
}

static int
os_mkdirat(const zinc_os *self, int dir, const char *name, mode_t mode)
{
	(void)self;
	return mkdirat(dir, name, mode);
}

static int
os_unlinkat(const zinc_os *self, int dir, const char *name, int flags)
{
	(void)self;
	return unlinkat(dir, name, flags);
}

static int
os_renameat(const zinc_os *self, int from, const char *a, int to, const char *b)
{
	(void)self;
	return renameat(from, a, to, b);
}

/* ---- locks ---- */

/* l_pid must be 0; start 0 and length 0 are the whole file. */
static int
set_lock(int fd, short type)
{
	struct flock lock;

	memset(&lock, 0, sizeof lock);
	lock.l_type = type;
	lock.l_whence = SEEK_SET;
	return fcntl(fd, F_OFD_SETLK, &lock);
}

/* A lock held by another is EAGAIN: waiting in the kernel could not be ended by a deadline.  A file that may only be
 * read has a lock that other readers share. */
static int
os_lock(const zinc_os *self, int fd)
{
	const int rc = set_lock(fd, F_WRLCK);

	(void)self;
	return rc != 0 && errno == EBADF ? set_lock(fd, F_RDLCK) : rc;
}

static int
os_unlock(const zinc_os *self, int fd)
{
	(void)self;
	return set_lock(fd, F_UNLCK);
}

/* ---- directories ---- */

/* A new open file description, so that the position of `dir` is neither used nor moved. */
static DIR *
open_stream(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), saved;
	DIR *stream = fd == -1 ? NULL : fdopendir(fd);

	if (fd != -1 && !stream) {
		saved = errno;
		close(fd);
		errno = saved;
	}
	return stream;
}

static bool
is_dots(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* readdir distinguishes the end from an error only by errno. */
static int
os_read_dir(const zinc_os *self, int dir, int (*fn)(void *arg, const char *name, int type), void *arg)
{
	DIR *stream = open_stream(dir);
	struct dirent *e;
	int failed = 0;

	(void)self;
	if (!stream)
		return -1;
	for (;;) {
		errno = 0;
		e = readdir(stream);
		if (!e) {
			failed = errno;
			break;
		}
		if (!is_dots(e->d_name) && fn(arg, e->d_name, e->d_type) != 0)
			break;
	}
	closedir(stream);
	return failed ? fail_with(failed) : 0;
}

static int
os_clock(const zinc_os *self, int id, struct timespec *now)
{
	(void)self;
	return clock_gettime((clockid_t)id, now);
}

int
zinc_cwd(char *out, size_t nbytes)
{
	return getcwd(out, nbytes) ? 0 : -1;
}

const char *
zinc_env(const char *name)
{
	const char *value = secure_getenv(name);

	return value && value[0] ? value : NULL;
}

/* ---- child programs ---- */

static int
spawn(pid_t *pid, int out, char *const argv[])
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	int e;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	e = posix_spawn_file_actions_init(&files);
	if (e)
		return e;
	e = posix_spawnattr_init(&attributes);
	if (e) {
		posix_spawn_file_actions_destroy(&files);
		return e;
	}
	e = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	e = e ? e : posix_spawn_file_actions_adddup2(&files, out, 1);
	e = e ? e : posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	e = e ? e : posix_spawnp(pid, argv[0], &files, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return e;
}

/* The pipe never gets the number of a standard descriptor that the program has closed: that would be confused with
 * the child's. */
int
zinc_child_start(zinc_child *c, char *const argv[])
{
	int ends[2], high, e;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	high = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
	e = high == -1 ? errno : spawn(&c->pid, high, argv);
	if (high != -1)
		close(high);
	close(ends[1]);
	c->out = ends[0];
	if (e)
		close(ends[0]);
	return e;
}

ssize_t
zinc_child_read(const zinc_child *c, void *p, size_t n, int ms)
{
	struct pollfd wanted = {c->out, POLLIN, 0};
	const int ready = poll(&wanted, 1, ms);

	if (ready <= 0)
		return fail_with(ready == 0 || errno == EINTR ? EAGAIN : errno);
	return read(c->out, p, n);
}

/* A program that reaps all children, or ignores SIGCHLD, leaves us without the status: ECHILD. */
int
zinc_child_wait(const zinc_child *c, int *status)
{
	const pid_t pid = waitpid(c->pid, status, WNOHANG);

	return pid == c->pid ? 1 : (int)pid;
}

void
zinc_child_end(zinc_child *c, bool running)
{
	int status;

	close(c->out);
	if (!running)
		return;
	kill(-c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) == -1 && errno == EINTR)
		;
}

const zinc_os zinc_os_posix = {
    .open_root = os_open_root,
    .open_at = os_open_at,
    .close = os_close,
    .pread = os_pread,
    .preadv = os_preadv,
    .writev = os_writev,
    .copy_range = os_copy_range,
    .ftruncate = os_ftruncate,
    .reserve = os_reserve,
    .fsync = os_fsync,
    .fstat = os_fstat,
    .fstatat = os_fstatat,
    .futimens = os_futimens,
    .fchmod_as = os_fchmod_as,
    .mkdirat = os_mkdirat,
    .unlinkat = os_unlinkat,
    .renameat = os_renameat,
    .lock = os_lock,
    .unlock = os_unlock,
    .read_dir = os_read_dir,
    .clock = os_clock,
};
