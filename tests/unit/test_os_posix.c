/*
 * test_os_posix.c - the promises of os_posix.c, by number
 *
 * Calls that open beneath a directory are tested twice: with openat2, and in a child where a filter makes that call
 * fail as unknown.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "support/test.h"

static const zinc_os *os = &zinc_os_posix;

/*
 *    base/            the root of the tests
 *    base/dir/file    "inside"
 *    base/out         -> ../secret          base/dir/up -> ..
 *    base/link        -> dir/file           base/dirlink -> dir
 *    secret           "outside"
 */
static int
make_tree(void **state)
{
	FILE *f;

	(void)state;
	if (mkdir("base", 0700) || mkdir("base/dir", 0700) || symlink("../secret", "base/out") ||
	    symlink("..", "base/dir/up") || symlink("dir/file", "base/link") || symlink("dir", "base/dirlink"))
		return -1;
	f = fopen("base/dir/file", "w");
	if (!f || fputs("inside", f) < 0 || fclose(f))
		return -1;
	f = fopen("secret", "w");
	return !f || fputs("outside", f) < 0 || fclose(f) ? -1 : 0;
}

/* 0, or the errno of opening `path` beneath base. */
static int
try_open(const char *path, int flags, int links)
{
	int dir = os->open_root(os, "base", O_RDONLY), fd, errnum;

	fd = os->open_at(os, dir, path, flags, 0600, links);
	errnum = fd == -1 ? errno : 0;
	if (fd != -1 && !(fcntl(fd, F_GETFD) & FD_CLOEXEC)) /* (2) */
		errnum = -1;
	if (fd != -1)
		os->close(os, fd);
	os->close(os, dir);
	return errnum;
}

/* (1): path, flags, errno where links are refused, and where they are followed beneath */
static const struct attempt {
	const char *path;
	int flags, plain, follow;
} attempts[] = {
    {"dir/file", O_RDONLY, 0, 0},
    {"dir", O_RDONLY | O_DIRECTORY, 0, 0},
    {"dir/", O_RDONLY, 0, 0},
    {".", O_RDONLY | O_DIRECTORY, 0, 0},
    {"./dir//file", O_RDONLY, 0, 0},
    {"dir/file/x", O_RDONLY, ENOTDIR, ENOTDIR},
    {"dir/file/", O_RDONLY, ENOTDIR, ENOTDIR},
    {"dir/none", O_RDONLY, ENOENT, ENOENT},
    {"none/file", O_RDONLY, ENOENT, ENOENT},
    {"", O_RDONLY, ENOENT, ENOENT},
    {"..", O_RDONLY, EXDEV, EXDEV},
    {"../secret", O_RDONLY, EXDEV, EXDEV},
    {"dir/../../secret", O_RDONLY, EXDEV, EXDEV},
    {"/etc/passwd", O_RDONLY, EXDEV, EXDEV},
    {"out", O_RDONLY, ELOOP, EXDEV},
    {"out", O_WRONLY | O_CREAT, ELOOP, EXDEV},
    {"link", O_RDONLY, ELOOP, 0},
    {"dirlink", O_RDONLY | O_DIRECTORY, ELOOP, 0},
    {"dirlink/file", O_RDONLY, ELOOP, 0},
    {"dir/up/dir/file", O_RDONLY, ELOOP, 0},
    {"dir/up/../secret", O_RDONLY, ELOOP, EXDEV},
    {"dir/new", O_WRONLY | O_CREAT | O_EXCL, 0, EEXIST},
    {"dir/new", O_WRONLY | O_CREAT | O_EXCL, EEXIST, EEXIST},
};

/* The kernel's answer to an invalid call: ENOSYS if the call is unknown. */
static int
errno_of_openat2(void)
{
	return syscall(SYS_openat2, -1, "", NULL, 0) == -1 ? errno : 0;
}

static void
kernel_stays_beneath(void **state)
{
	size_t i;

	(void)state;
	if (errno_of_openat2() == ENOSYS)
		skip(); /* old kernels, and emulators without it */
	for (i = 0; i < COUNT(attempts); i++) {
		int plain = try_open(attempts[i].path, attempts[i].flags, ZINC_LINKS_REFUSE);
		int follow = try_open(attempts[i].path, attempts[i].flags, ZINC_LINKS_BENEATH);

		if (plain != attempts[i].plain || follow != attempts[i].follow)
			fail_msg("%s: %d and %d", attempts[i].path, plain, follow);
	}
	assert_int_equal(unlink("base/dir/new"), 0);
}

/* Let openat2 fail with `errnum` in this process from now on. */
static bool
forbid_openat2(unsigned errnum)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | errnum),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {COUNT(code), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The walk follows no links, so BENEATH may only be stricter; ".." it refuses at once. */
static bool
walk_agrees(const struct attempt *a)
{
	int plain = try_open(a->path, a->flags, ZINC_LINKS_REFUSE);
	int follow = try_open(a->path, a->flags, ZINC_LINKS_BENEATH);
	bool good = plain == a->plain || (strstr(a->path, "..") && plain == EXDEV);

	good = good && (follow == a->follow || follow == ELOOP || follow == EXDEV);
	if (!good)
		fprintf(stderr, "%s: %d and %d\n", a->path, plain, follow);
	return good;
}

static void
walk_stays_beneath(void **state)
{
	static const unsigned errnums[] = {ENOSYS, EPERM};
	size_t i, k;
	int status;
	pid_t pid;

	(void)state;
	for (k = 0; k < COUNT(errnums); k++) {
		pid = fork();
		if (pid == 0) {
			char name[300] = "";
			bool good = true;

			if (errno_of_openat2() != ENOSYS &&
			    (!forbid_openat2(errnums[k]) || errno_of_openat2() != (int)errnums[k]))
				_exit(77);
			for (i = 0; i < COUNT(attempts); i++)
				good = walk_agrees(&attempts[i]) && good;
			memset(name, 'n', 299);
			good = try_open(name, O_RDONLY, ZINC_LINKS_REFUSE) == ENAMETOOLONG && good;
			_exit(good && unlink("base/dir/new") == 0 ? 3 : 4);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == 77)
			skip();
		assert_int_equal(WEXITSTATUS(status), 3);
	}
}

/* (2) */
static void
roots_are_directories(void **state)
{
	int fd;

	(void)state;
	fd = os->open_root(os, "base", O_RDONLY);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(os->close(os, fd), 0);
	assert_int_equal(os->close(os, fd), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(os->open_root(os, "base/dir/file", O_RDONLY), -1);
	assert_int_equal(errno, ENOTDIR);
	assert_int_equal(os->open_root(os, "none", O_RDONLY), -1);
	assert_int_equal(errno, ENOENT);
}

static void
bytes_go_both_ways(void **state)
{
	int dir = os->open_root(os, "base", O_RDONLY);
	int fd = os->open_at(os, dir, "bytes", O_RDWR | O_CREAT, 0640, ZINC_LINKS_REFUSE);
	int to = os->open_at(os, dir, "copy", O_RDWR | O_CREAT, 0640, ZINC_LINKS_REFUSE);
	char a[] = "abc", b[] = "defg", c[8] = "", d[8] = "";
	struct iovec out[2] = {{a, 3}, {b, 4}}, in[2] = {{c, 2}, {d, 5}};
	struct timespec times[2] = {{1, 0}, {1000000000, 5}};
	struct stat st;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(os->writev(os, fd, out, 2), 7);
	assert_int_equal(os->preadv(os, fd, in, 2, 0), 7);
	assert_string_equal(c, "ab");
	assert_string_equal(d, "cdefg");
	assert_int_equal(os->pread(os, fd, c, 4, 5), 2);
	assert_int_equal(os->copy_range(os, fd, 1, to, 3), 3);
	assert_int_equal(os->copy_range(os, fd, 6, to, 3), 1); /* at the position of the file; cut at the end */
	assert_int_equal(os->pread(os, to, c, 8, 0), 4);
	assert_memory_equal(c, "bcdg", 4);
	assert_int_equal(os->close(os, to), 0);
	assert_int_equal(os->unlinkat(os, dir, "copy", 0), 0);
	assert_int_equal(os->ftruncate(os, fd, 2), 0);
	assert_int_equal(os->reserve(os, fd, 100000), 0); /* fstat below: the size is the same */
	assert_int_equal(os->fsync(os, fd), 0);
	assert_int_equal(os->futimens(os, fd, times), 0);
	assert_int_equal(os->fstat(os, fd, &st), 0);
	st.st_mode = S_IFREG | 0640;
	assert_int_equal(os->fchmod_as(os, fd, &st), 0);
	assert_int_equal(os->fstat(os, fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(os->fstat(os, fd, &st), 0);
	assert_int_equal(st.st_size, 2);
	assert_int_equal(st.st_mtime, 1000000000);
	assert_int_equal(os->renameat(os, dir, "bytes", dir, "moved"), 0);
	assert_int_equal(os->fstatat(os, dir, "moved", &st), 0);
	assert_int_equal(os->fstatat(os, dir, "out", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(os->unlinkat(os, dir, "moved", 0), 0);
	assert_int_equal(os->mkdirat(os, dir, "sub", 0700), 0);
	assert_int_equal(os->mkdirat(os, dir, "sub", 0700), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(os->unlinkat(os, dir, "sub", AT_REMOVEDIR), 0);
	assert_int_equal(os->fstatat(os, dir, "sub", &st), -1);
	assert_int_equal(errno, ENOENT);
	os->close(os, fd);
	os->close(os, dir);
}

/* (3) */
static void
locks_belong_to_the_open_file(void **state)
{
	int dir = os->open_root(os, "base", O_RDONLY);
	int a = os->open_at(os, dir, "dir/file", O_RDWR, 0, ZINC_LINKS_REFUSE);
	int b = os->open_at(os, dir, "dir/file", O_RDWR, 0, ZINC_LINKS_REFUSE);
	int c = os->open_at(os, dir, "dir/file", O_RDWR, 0, ZINC_LINKS_REFUSE);

	(void)state;
	assert_int_equal(os->lock(os, a), 0);
	assert_int_equal(os->lock(os, b), -1);
	assert_true(errno == EAGAIN || errno == EACCES);
	os->close(os, c); /* with locks of the process this would release it */
	assert_int_equal(os->lock(os, b), -1);
	assert_int_equal(os->unlock(os, a), 0);
	assert_int_equal(os->lock(os, b), 0);
	assert_int_equal(os->lock(os, a), -1);
	os->close(os, b);
	assert_int_equal(os->lock(os, a), 0);
	os->close(os, a);
	os->close(os, dir);
}

/* ---- (4) ---- */

struct seen {
	int n, stop_at, files, links, dirs, dots;
};

static int
see(void *arg, const char *name, int type)
{
	struct seen *s = (struct seen *)arg;

	s->n++;
	s->files += type == DT_REG;
	s->links += type == DT_LNK;
	s->dirs += type == DT_DIR;
	s->dots += strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
	return s->n == s->stop_at;
}

static void
directories_are_read_from_the_start(void **state)
{
	int dir = os->open_root(os, "base", O_RDONLY), file, i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct seen s = {0};

		assert_int_equal(os->read_dir(os, dir, see, &s), 0);
		assert_int_equal(s.n, 4); /* dir, out, link, dirlink */
		assert_int_equal(s.dots, 0);
		assert_true(s.dirs + s.links == 4 || s.dirs + s.links == 0); /* some file systems report no types */
		s = (struct seen){.stop_at = 2};
		assert_int_equal(os->read_dir(os, dir, see, &s), 0);
		assert_int_equal(s.n, 2);
	}
	file = os->open_at(os, dir, "dir/file", O_RDONLY, 0, ZINC_LINKS_REFUSE);
	assert_int_equal(os->read_dir(os, file, see, NULL), -1);
	assert_int_equal(errno, ENOTDIR);
	os->close(os, file);
	os->close(os, dir);
	assert_int_equal(os->read_dir(os, dir, see, NULL), -1);
	assert_int_equal(errno, EBADF);
}

static void
clocks(void **state)
{
	struct timespec a, b;

	(void)state;
	assert_int_equal(os->clock(os, CLOCK_MONOTONIC, &a), 0);
	assert_int_equal(os->clock(os, CLOCK_MONOTONIC, &b), 0);
	assert_true(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec));
	assert_int_equal(os->clock(os, -12345, &a), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kernel_stays_beneath),
	    cmocka_unit_test(walk_stays_beneath),
	    cmocka_unit_test(roots_are_directories),
	    cmocka_unit_test(bytes_go_both_ways),
	    cmocka_unit_test(locks_belong_to_the_open_file),
	    cmocka_unit_test(directories_are_read_from_the_start),
	    cmocka_unit_test(clocks),
	};

	return cmocka_run_group_tests(tests, make_tree, NULL);
}
