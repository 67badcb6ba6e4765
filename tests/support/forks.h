/*
 * forks.h - fork() in the midst of other threads' work
 *
 * The library and glibc's malloc are safe in a child, whatever other threads were doing; the
 * allocator of AddressSanitizer is not (gcc 12 and clang 14 copy its locks as they are, and the child's
 * next allocation may wait for ever).  Under that sanitizer, and there alone, a fork waits for the
 * end of every thread's step; as shipped nothing waits for anything.
 */
#ifndef FORKS_H
#define FORKS_H

#include <sys/types.h>

/* Around each piece of work of a thread that is not the one that forks. */
void step_begin(void);
void step_end(void);
/* fork(), for the tests whose threads work in steps. */
pid_t fork_amidst(void);

#endif
