/*
 * api.h - declarations shared by the files of api/
 *
 *   api.c      which command answers a request, with which options
 *   child.c    runs the command
 *   job.c      progress of long ones
 *   changed.c  what the server answers itself
 */
#ifndef ZINC_SERVER_API_H
#define ZINC_SERVER_API_H

#include <pthread.h>

#include "server.h"

/* ---- job.c: the progress of checks, by the name that the client gives them ---- */

#define JOBS     64
#define JOB_NAME 32 /* bytes */

struct job {
	char name[JOB_NAME + 1]; /* "": free */
	bool running;
	uint64_t done, total, bytes;
	uint64_t begun; /* order */
};

struct jobs {
	pthread_mutex_t lock;
	struct job job[JOBS];
	uint64_t count; /* that ever began */
};

/* 1 to 32 letters, digits and '-'. */
bool job_name_ok(const char *name);
/* The job; NULL: one of this name is running, or too many are. */
struct job *job_begin(struct jobs *jobs, const char *name);
/* A line of --progress=json; false: it is none. */
bool job_tell(struct jobs *jobs, struct job *job, const char *line);
void job_end(struct jobs *jobs, struct job *job);
/* A copy; false: there is none of this name. */
bool job_find(struct jobs *jobs, const char *name, struct job *out);

/* ---- child.c: the program, run for one request ---- */

#define GRACE 3.0 /* seconds that the command has to end by itself when its time is over */

struct children {
	pthread_mutex_t lock;
	pthread_cond_t none;   /* is left */
	struct child *first;   /* of those that run */
	bool stopped;          /* start no more */
	uint64_t spooled;      /* bytes of outputs that exist, also of those that clients still read */
	uint64_t most, answer; /* bytes: of all outputs, and of one */
	double seconds;        /* after which a child is killed */
	char **environment;    /* for execve; the last entry is the URL */
};

/* What became of a child. */
enum ending {
	ENDED,        /* by itself, with a status */
	ENDED_STOP,   /* the server stops */
	ENDED_GONE,   /* the client has gone */
	ENDED_LATE,   /* it was killed: no time left */
	ENDED_LARGE,  /* its output is too large */
	ENDED_FULL,   /* there are too many outputs */
	ENDED_SIGNAL, /* it crashed */
	ENDED_NEVER   /* it could not be started */
};

#define MESSAGE_BYTES 8192

struct ran {
	enum ending ending;
	int status; /* exit status, signal or errno */
	int fd;     /* its output, at its beginning; -1: none */
	uint64_t nbytes;
	char message[MESSAGE_BYTES]; /* its last line on standard error */
};

/* A line on standard error; true: it is no message. */
typedef bool (*child_line_fn)(void *arg, const char *line);

/* The environment variable that has the URL. */
#define URL_VARIABLE "ZINC_SERVED_URL"

/* False: no memory.  children_fini kills those that run, and waits for them. */
bool children_init(struct children *c, const zinc_server_options *options, uint64_t answer, double seconds);
void children_fini(struct children *c);
/* Run argv[0] with these arguments to its end.  The caller closes out->fd and gives its bytes back. */
void child_run(struct children *c, char *const *argv, const struct request *q, child_line_fn line, void *arg,
	       struct ran *out);
void children_release(struct children *c, uint64_t nbytes);

/* ---- changed.c ---- */

struct api {
	zinc_hierarchy *h;
	char *path;          /* of the node that is served, "/a" */
	char *below;         /* the same, below the node of the URL, "" or "a" */
	char *command, *url; /* NULL: none */
	char **arguments;
	size_t narguments;
	bool remote;
	double seconds;
	uint64_t memory;
	struct children children;
	struct jobs jobs;
};

/* The path of a node in the hierarchy, for free(); `path` is relative to the served one.  NULL: no memory. */
char *api_node(const struct api *api, const char *path);
void answer_about(struct api *api, const struct request *q, struct answer *a);
void answer_changed(struct api *api, const struct request *q, struct answer *a);

#endif
