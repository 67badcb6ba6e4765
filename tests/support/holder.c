/* holder.c - a process that holds the lock of a key and does nothing */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/holder.h"
#include "support/test.h"

static _Noreturn void
hold(const char *lock_file)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failing test leaves no process */
	fd = open(lock_file, O_RDWR | O_CREAT, 0666);
	if (fd == -1 || fcntl(fd, F_OFD_SETLK, &l) == -1)
		_exit(1);
	raise(SIGSTOP);
	for (;;)
		pause();
}

pid_t
holder_start(const char *lock_file)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		hold(lock_file);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	return pid;
}

bool
holder_stands(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG | WCONTINUED) == 0;
}

void
holder_end(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}
