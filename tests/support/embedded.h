/*
 * embedded.h - the kinds of databases of LevelDB, Berkeley DB, Kyoto Cabinet and Tokyo Cabinet that this build has
 *
 * LevelDB cannot be used in a child of a process that has used it.  So each test runs in a process of its own.
 */
#ifndef EMBEDDED_H
#define EMBEDDED_H

#include "store/store_inside.h"
#include "support/test.h"

typedef struct kind {
	const char *scheme, *ending;
	bool forkless; /* see above */
	bool readable; /* without permission to write */
	bool killable; /* a writer that is killed loses nothing */
	/* By the library itself: any bytes as a key, with the value "x", as another program may write them. */
	void (*put_raw)(const char *file, const char *key, size_t n);
	/* A database with the keys 9 and 10, in this order; NULL: the library has no other. */
	void (*put_numbers)(const char *file);
	zinc_status (*add)(zinc_error *err); /* NULL: its store was added before */
} kind;

/* The one that is tested. */
const kind *this_kind(void);
/* A file of that name. */
const char *named(const char *name);
zinc_status open_with(zinc_store **s, const char *name, const char *query, zinc_error *err);
zinc_store *open_at(const char *name);
/* A command of the shell, with "%s" for the file. */
void run(const char *format, const char *name);
int exit_of(pid_t pid);

/* Run the tests, and `suite` (NULL: none), on each kind, in a directory in memory.  Returns the exit status. */
int run_on_each(const struct CMUnitTest *tests, size_t n, int (*suite)(const char *name));

#endif
