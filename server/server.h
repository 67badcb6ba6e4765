/*
 * server.h - declarations shared by the files of the server
 *
 *   socket --http.c--> request --route.c--> object.c   raw/ and v3/: the values of two stores
 *                                           api.c      api/: the command, run for one request
 *                                           page.c     the viewer
 *
 * The server sees only <zinc.h> and <zinc/...>.  Only http.c includes <microhttpd.h>.
 */
#ifndef ZINC_SERVER_H
#define ZINC_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <zinc.h>
#include <zinc/extend.h>
#include <zinc/serve.h>
#include <zinc/store.h>

/* ---- server.c ---- */

struct server;
struct request;
struct answer;

zinc_status server_start(zinc_server **out, zinc_hierarchy *h, const char *path, const zinc_server_options *options,
			 zinc_error *err);

/* ---- request ---- */

enum method { METHOD_GET, METHOD_HEAD, METHOD_OPTIONS, METHOD_OTHER };

struct request {
	enum method method;
	const char *path;  /* below the token, unescaped: "raw/a/zarr.json" */
	const char *query; /* still escaped: "path=a%2Fb&s=0"; "" if there is none */
	const char *(*header)(const struct request *q, const char *name); /* NULL: not sent */
	void *inside;                                                     /* of http.c */
	const zinc_cancel *cancel;                                        /* set when the server stops */
	double until; /* when the time for it ends, as zinc_wait.until */
	int socket;   /* to see whether the client has gone; 0: not known */
};

/* ---- query.c: text of a URL ---- */

/* s[0..n) without escapes, for free(); NULL: malformed (a bad escape, a NUL, not UTF-8), or no memory.  `plus`: '+' is a
 * blank. */
char *unescape(const char *s, size_t n, bool plus);
/* The value of a member of the query, unescaped, for free(); NULL: not there, malformed, or no memory. */
char *query_value(const char *query, const char *name);
/* Call fn for each member until it returns false; false then, and for a malformed member. */
typedef bool (*query_fn)(void *arg, const char *name, const char *value);
bool query_each(const char *query, query_fn fn, void *arg);

/* ---- range.c: Range, ETag ---- */

struct range {
	enum { RANGE_NONE, RANGE_FROM, RANGE_SUFFIX } kind;
	uint64_t first;  /* RANGE_FROM */
	uint64_t length; /* or ZINC_TO_END */
};

/* False: no range that is understood; the whole value is meant.  `header` may be NULL. */
bool range_parse(struct range *r, const char *header);
/* The bytes of a value of `size` bytes; false: it has none of them. */
bool range_of(const struct range *r, uint64_t size, uint64_t *offset, uint64_t *nbytes);
/* Is the entity tag in a list as If-None-Match has it?  `weak`: W/"x" counts as "x". */
bool etag_listed(const char *list, const char *etag, bool weak);

/* ---- host.c ---- */

/* Bytes of the name in "NAME:PORT"; 0: malformed. */
size_t host_name_length(const char *host);
bool host_allowed(const char *host, const char *const *names, size_t n);

/* ---- hash.c ---- */

#define HASH_BYTES 16
/* Add bytes to a hash, which begins with zeros. */
void hash_add(unsigned char hash[HASH_BYTES], const void *bytes, size_t n);

/* ---- answer ---- */

/* What a request gets.  The body is `fd` if that is not -1, else `bytes`. */
struct answer {
	int status;
	const char *type;    /* Content-Type; NULL: application/octet-stream */
	char etag[72];       /* with quotes; "": none */
	char range[72];      /* Content-Range; "": none */
	const char *name;    /* of the file to save it as: Content-Disposition; NULL: none.  Letters, digits, "-_." */
	const char *caching; /* Cache-Control; NULL: no-cache, the client asks again with its ETag */
	char note[512];      /* Zinc-Note, a line for people; "": none */
	char *location;      /* of a redirect, for free() */
	int fd;              /* closed by http.c */
	uint64_t offset;     /* in the file */
	const void *bytes;
	uint64_t nbytes;
	void (*release)(
	    void *held); /* called once with `held` when the body is no longer needed; NULL: nothing to do */
	void *held;
};

#define ANSWER_INIT                                                                                                    \
	{                                                                                                              \
		.fd = -1                                                                                               \
	}

/* A text/plain body: one line for people. */
void answer_text(struct answer *a, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The status that belongs to a failed call, and its text without secrets. */
void answer_error(struct answer *a, zinc_error *err);
/* Too much at once: it goes by. */
bool answer_is_shortage(int os_error);
/* The answer for a key that a store could not give; `err` NULL, or a key that no store can have: it is missing. */
void answer_missing(struct answer *a, const char *key, zinc_error *err);
/* Free the body and begin anew. */
void answer_drop(struct answer *a);
/* A body that release(held) frees; `free` for memory of malloc. */
void answer_bytes(struct answer *a, const char *type, void *bytes, uint64_t nbytes, void (*release)(void *),
		  void *held);

/* ---- route.c: which part of the server answers ---- */

/* What is served. */
struct site {
	const char *token; /* "": none */
	const char *const *hosts;
	size_t nhosts;
	zinc_store *raw, *v3;
	bool local; /* no key needs a network */
	bool page;
	struct api *api; /* NULL: none */
	struct budget *budget;
};

/* The part of a path after the token; NULL: the token is not there.  "/TOKEN" alone gives "/". */
const char *route_below(const struct site *s, const char *path);
/* Answer without waiting; false: route_work must answer, in another thread. */
bool route_now(const struct site *s, const struct request *q, struct answer *a);
void route_work(const struct site *s, const struct request *q, struct answer *a);

/* ---- accept.c: new connections ---- */

/* Takes a connected socket, which it closes if it returns false. */
typedef bool (*accept_fn)(void *arg, int fd, const struct sockaddr *from, socklen_t n);

struct acceptor {
	int fd, wake; /* an eventfd: the thread must look again */
	size_t most;
	uint64_t given, lost; /* connections: of the thread alone */
	int64_t settled;      /* the last time when none was between given and begun, in ms */
	atomic_uint_fast64_t begun, ended;
	atomic_bool full; /* the next end must be told */
	atomic_bool stopping;
	accept_fn give;
	void *arg;
	pthread_t thread;
};

/* Accept connections at `fd` and call give(arg, ...) for each, while fewer than `most` are open.  False: errno says why,
 * and `fd` is still the caller's. */
bool accept_start(struct acceptor *a, int fd, size_t most, accept_fn give, void *arg);
/* A connection that was given is there; it has ended.  From any thread, until accept_free. */
void accept_began(struct acceptor *a);
void accept_ended(struct acceptor *a);
/* No more connections; closes the listening socket. */
void accept_stop(struct acceptor *a);
void accept_free(struct acceptor *a);

/* ---- http.c: the protocol, with libmicrohttpd ---- */

struct http;

struct http_options {
	int fd; /* listens; closed by http_stop, or if http_start fails */
	unsigned connections, workers, idle;
	double work;
	zinc_served_fn log;
	void *log_arg;
};

/* Begins to answer; `site` stays the caller's. */
zinc_status http_start(struct http **out, const struct site *site, const struct http_options *options, zinc_error *err);
/* No new connections; waits for running requests, then closes all. */
void http_stop(struct http *http, double grace);
void http_free(struct http *http);

/* ---- listen.c ---- */

/* A socket that listens at "ADDRESS:PORT", and the text of its URL up to the path, in at most `cap` bytes. */
zinc_status listen_at(int *fd, char *base, size_t cap, const char *where, zinc_error *err);

/* ---- object.c: keys of a store ---- */

/* Memory of all answers together, and their bytes in temporary files. */
struct budget {
	atomic_size_t used, spooled;
	size_t limit, disk;
	uint64_t piece; /* the largest value that is read at once */
};

/* A file without a name in $TMPDIR, for answers that are not kept in memory; -1: errno says why. */
int temporary_file(void);
/* The ETag of a value; "" if it has no tag. */
void etag_of(char etag[72], const zinc_tag *tag);
/* Answer with a descriptor; false: the store does not lend this value.  Does not wait for a network. */
bool object_lend(zinc_store *store, const char *key, const struct request *q, struct answer *a);
/* Answer in any other way; may take long. */
void object_answer(zinc_store *store, const char *key, const struct request *q, struct budget *budget,
		   struct answer *a);

/* ---- the faces (face_v3.c) ---- */

/* The options of a call that may take as long as `wait` says. */
zinc_call_options call_until(const zinc_wait *wait);

/* The node at `path` and all below, as a read-only store with the keys of a Zarr version 3 hierarchy: zarr.json, with
 * consolidated metadata in every group, and chunks c/0/0.  It lends what its source lends.  `memory` bounds its cache of
 * recoded chunks. */
zinc_status face_v3_open(zinc_store **out, zinc_hierarchy *h, const char *path, uint64_t memory, zinc_error *err);

/* ---- the command (api.c) ---- */

struct api;

zinc_status api_new(struct api **out, zinc_hierarchy *h, const char *path, const zinc_server_options *options,
		    zinc_error *err);
void api_free(struct api *api);
/* Answer "tree", "info" ...: what follows "api/".  May take long: called in a worker. */
void api_answer(struct api *api, const char *name, const struct request *q, struct answer *a);

/* ---- the viewer (page.c) ---- */

/* A file of the page: "" is index.html.  False: there is none. */
bool page_find(const char *name, const char **type, const void **bytes, size_t *nbytes);

#endif
