/*
 * forks.h - fork() during the work of other threads
 *
 * The library and glibc's malloc are safe in a child, whatever other threads were doing.  The allocator of
 * AddressSanitizer is not: gcc 12 and clang 14 copy its locks in their current state, and the child's next allocation
 * may wait forever.  Only under that sanitizer a fork waits for the end of every thread's step; in release builds
 * there is no wait.
 */
#ifndef FORKS_H
#define FORKS_H

#include <sys/types.h>

/* Around each piece of work of the threads that do not fork. */
void step_begin(void);
void step_end(void);
/* fork(), for the tests whose threads work in steps. */
pid_t fork_amidst(void);

#endif
