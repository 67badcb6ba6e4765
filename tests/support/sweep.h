/*
 * sweep.h - make every allocation and every OS call fail in turn
 *
 * A scenario is a function that uses a context and frees everything:
 *
 *    static zinc_status
 *    open_and_read(void *arg, zinc_context *ctx, zinc_error *err) { ... }
 *
 *    sweep_alloc(open_and_read, arg);                  every allocation
 *    sweep_os(open_and_read, arg, EIO, ENOSPC, 0);     every OS call, with each errno
 *
 * The driver runs it once without failures, then with call 1 failing, then call 2 ... until it ends without reaching
 * the failure; first with that one call failing, then with it and all later ones.  After each run it checks, failing
 * the test otherwise:
 *
 * (1) all memory is freed and all descriptors are closed, none twice;
 * (2) a failure has filled the error with its own status, a success has not written to it;
 * (3) a failed allocation is E_NOMEM, and a failing OS call is never reported as wrong stored bytes or arguments
 *     (E_CORRUPT, E_INVALID ...), nor, except ENOENT, as a missing key.
 *
 * The instruments can also be used without the drivers.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include "base/base.h"

/* ---- memory that fails ---- */

typedef struct sweep_memory {
	zinc_allocator allocator; /* for zinc_context_options; points back here, so do not move or copy */
	atomic_ulong calls;       /* of alloc and realloc */
	atomic_ulong failed;      /* of those, on purpose */
	atomic_ulong fail_at;     /* which call fails, from 1; 0: none */
	atomic_bool forever;      /* and all later ones */
	atomic_long blocks;       /* not freed yet */
	atomic_long bytes;        /* in them */
	atomic_long peak;         /* the most there ever were */
} sweep_memory;

void sweep_memory_init(sweep_memory *m);
/* From now on let call `at` fail; 0: none.  Counts calls from 1 again. */
void sweep_memory_fail(sweep_memory *m, unsigned long at, bool forever);

/* ---- OS calls that fail ---- */

typedef struct sweep_call {
	const char *name; /* "fsync", as in zinc_os */
	char path[256];   /* what it names; of renameat "from -> to"; else "" */
	int fd;           /* what it acts on; of those that open, what they opened */
	long result;
	int errnum; /* 0 when it succeeded */
} sweep_call;

enum { SWEEP_MOST_FDS = 4096 };

typedef struct sweep_calls {
	zinc_os os; /* for zinc_context_set_os; points back here, so do not move or copy */
	const zinc_os *below;

	/* set these, while nothing runs */
	const char *only;      /* count and fail only calls of this name; NULL: all but clock */
	unsigned long fail_at; /* which call fails, from 1; 0: none */
	bool forever;          /* and all later ones */
	int errnum;            /* with this */
	size_t most_bytes;     /* really move at most so many bytes per read or write; 0: no limit */
	bool keep_log;
	void (*hook)(void *arg, const char *name, int fd, const char *path); /* before each call; NULL: none */
	void *hook_arg;

	/* read these */
	unsigned long calls;
	unsigned long failed;
	unsigned long bad_closes; /* of descriptors that were not open */
	long nopen;               /* descriptors open now */
	sweep_call *log;
	size_t nlog;

	size_t log_cap;
	bool is_open[SWEEP_MOST_FDS];
	pthread_mutex_t lock;
} sweep_calls;

/* `below` does the work; NULL: the system. */
void sweep_calls_init(sweep_calls *c, const zinc_os *below);
void sweep_calls_fini(sweep_calls *c);
/* From now on let call `at` fail; 0: none.  Counts calls from 1 again. */
void sweep_calls_fail(sweep_calls *c, unsigned long at, bool forever, int errnum);
/* Empty the log. */
void sweep_calls_forget(sweep_calls *c);
/* Index in the log, from `from` on, of the first such call (`path` NULL: any) that succeeded, or -1. */
long sweep_calls_find(const sweep_calls *c, size_t from, const char *name, const char *path);

/* ---- drivers ---- */

typedef zinc_status (*sweep_fn)(void *arg, zinc_context *ctx, zinc_error *err);

typedef struct sweep_scenario {
	sweep_fn run;
	void *arg;
	void (*before)(void *arg);                /* make the initial state of each run; NULL: none */
	void (*after)(void *arg, zinc_status st); /* check the final state, without further failures; NULL: none */
	int threads;                              /* of the context; 0: 1, so that every run makes the same calls */
} sweep_scenario;

/* Both return the number of failure points reached. */
unsigned long sweep_alloc(sweep_fn run, void *arg);
unsigned long sweep_alloc_scenario(const sweep_scenario *s);
/* errno values ended by 0; EINTR fails once only.  Also runs it with reads and writes of at most 5 bytes. */
unsigned long sweep_os(sweep_fn run, void *arg, ...);
unsigned long sweep_os_scenario(const sweep_scenario *s, const int *errnums);

#endif
