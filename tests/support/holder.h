/*
 * holder.h - a process that holds the lock of a key and does nothing, the worst case for a file system store
 */
#ifndef HOLDER_H
#define HOLDER_H

#include <stdbool.h>
#include <sys/types.h>

/* Start one that takes `lock_file` ("d/k.__lock") as writers of this protocol do, and stops itself. */
pid_t holder_start(const char *lock_file);
/* Does it still exist, stopped? */
bool holder_stands(pid_t pid);
/* Kill it; the kernel releases its lock. */
void holder_end(pid_t pid);

#endif
