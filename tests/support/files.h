/*
 * files.h - files and stores below the working directory, for tests of the file system store
 */
#ifndef FILES_H
#define FILES_H

#include "store/store.h"
#include "support/sweep.h"

/* An empty directory of that name below the working directory; earlier contents are removed. */
void make_empty(const char *dir);
void remove_tree(const char *dir);
/* Makes the directories above it. */
void write_file(const char *path, const char *text);
void write_bytes(const char *path, const void *bytes, size_t n);
/* The whole file as text in static memory; NULL if there is none. */
const char *read_text(const char *path);
bool exists(const char *path); /* links are not followed */
/* Entries below `dir`, directories with '/', in order, joined by spaces; in static memory. */
const char *tree(const char *dir);

/* Are links followed beneath a directory?  Not without openat2, which emulators may not support. */
bool can_follow(void);

/* End a forked child.  Memory of threads that the child does not have would be reported as leaks, so the child
 * becomes another program. */
_Noreturn void leave_child(int status);

/* Change to a new directory in memory, where fsync costs nothing, if the machine has one; and change back and remove
 * it. */
void enter_fast_dir(void);
void leave_fast_dir(void);
/* The same around all tests of a program. */
int set_up_fast_dir(void **state);
int tear_down_fast_dir(void **state);

/* A store with its own context and with instruments that a test can read and set. */
typedef struct fs_rig {
	zinc_context *ctx;
	zinc_store *store;
	sweep_calls calls;
} fs_rig;

/* `below` NULL: the system. */
void rig_open(fs_rig *rig, const char *dir, const zinc_os *below, const zinc_store_options *options);
void rig_close(fs_rig *rig);
/* Successful calls of that name in the log. */
int rig_count(const fs_rig *rig, const char *name);
/* The log from `from` on as text, one letter or word per call that changes something; in static memory. */
const char *rig_story(const fs_rig *rig);

/* The system, but before its call of number `at` the directory `victim` moves to "aside" and becomes a link to `target`:
 * another process might do so at that moment.  One at a time. */
const zinc_os *swap_os(int at, const char *victim, const char *target);
/* How many calls there were since. */
int swap_calls(void);

#endif
