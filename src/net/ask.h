/*
 * ask.h - one request to a server that gives out credentials (ask.c), and files that hold them (secret_file.c)
 */
#ifndef ZINC_ASK_H
#define ZINC_ASK_H

#include "net/net.h"
#include "net/secret.h"

#define ZINC_ASK_MAX_ANSWER ((size_t)64 * 1024)
#define ZINC_ASK_FIELDS     4

/* Who asks. */
typedef struct zinc_asker {
	zinc_context *ctx;
	zinc_secret *pool; /* of answers */
	const zinc_wait *wait;
	const char *ca_file;
} zinc_asker;

typedef struct zinc_ask_request {
	const char *method; /* NULL: GET */
	const char *url;
	struct {
		const char *name, *value;
	} fields[ZINC_ASK_FIELDS]; /* up to one without a name; never sent to another host */
	const char *body;          /* NULL: none; a form */
	double timeout;            /* seconds without a byte */
	double most;               /* seconds for all of it */
	int retries;
	bool direct;  /* never through a proxy */
	bool repeats; /* a POST that may be executed twice */
	/* NULL, or: adds a signature. */
	zinc_status (*sign)(void *arg, zinc_http_request *r, const char *url, zinc_error *err);
	void *arg;
} zinc_ask_request;

typedef struct zinc_ask_answer {
	int status;       /* also of a failure, if the server answered that it is busy; 0: none came */
	const char *text; /* in the pool, NUL-terminated */
	size_t n;
} zinc_ask_answer;

/* E_IO: no answer, or one that is too long; E_CANCELLED only if the asker's own time is over. */
zinc_status zinc_ask(const zinc_asker *s, const zinc_ask_request *r, zinc_ask_answer *out, zinc_error *err);

/* ---- secret_file.c ---- */

/* A small file as text in the pool.  `what` is for messages.  *out NULL with `optional`: it does not exist. */
zinc_status zinc_secret_file(zinc_secret *pool, const char *path, size_t max, const char *what, bool optional,
			     const char **out, size_t *n, zinc_error *err);
/* "~/x" below HOME, other paths as they are; NULL: HOME is not set, or out of memory. */
const char *zinc_secret_path(zinc_secret *pool, const char *path);

#endif
