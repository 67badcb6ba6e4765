/*
 * serve.h - serve a hierarchy over HTTP, read-only
 *
 * Below the server's URL, http://127.0.0.1:PORT/TOKEN/, are
 *
 *     raw/KEY    the values of the store, as they are
 *     v3/KEY     the same hierarchy as Zarr version 3 that other programs can read, whatever it is stored as
 *     api/...    what the command shows: tree, info, slice, stats, chunks, validate ... (docs/serve.md)
 *
 * and with `page` a viewer for browsers at the URL itself.  The server is a module beside the library, which needs
 * libmicrohttpd.  Everything here may still change before version 1.0.
 */
#ifndef ZINC_SERVE_H
#define ZINC_SERVE_H

#include <zinc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A running server.  Its functions are those of the module; call the functions below. */
typedef struct zinc_server {
	size_t size;
	const char *url;
	void (*stop)(struct zinc_server *server, double grace);
	void (*free)(struct zinc_server *server);
} zinc_server;

/* One line for each request, when it has ended: "127.0.0.1 GET raw/zarr.json 200 512 bytes 0.2 ms".  It is escaped and
 * contains no token.  Called from any thread. */
typedef void (*zinc_served_fn)(void *arg, const char *line);

typedef struct zinc_server_options {
	size_t size;
	const char *listen;       /* "ADDRESS:PORT", "[::1]:8080"; port 0: any ["127.0.0.1:0"] */
	const char *token;        /* the first part of every path; "": none [random] */
	const char *const *hosts; /* further names that the header Host may have */
	size_t nhosts;
	int page;                 /* 1: the viewer, too; it needs `command` */
	const char *command;      /* path of the program `zinc`, which answers api/; NULL: api/ is 501 */
	const char *url;          /* what the program opens for it, with secrets */
	const char *const *arguments; /* further arguments of the program: "--format=v2" ... */
	size_t narguments;
	uint32_t connections;     /* at once [1024]; at most half of the descriptors of the process */
	uint32_t workers;         /* requests that are worked on at once [4 for each processor] */
	double idle;              /* seconds without progress after which a connection is closed [30] */
	double work;              /* seconds that a request may take [120] */
	uint64_t memory;          /* bytes of answers that are held for clients, and of recoded chunks [256 MiB] */
	uint64_t answer;          /* bytes of one answer of api/ [1 GiB] */
	zinc_served_fn log;       /* [silent] */
	void *log_arg;
} zinc_server_options;

/* clang-format off */
#define ZINC_SERVER_OPTIONS(...) ZINC_OPTIONS_OF(zinc_server_options, __VA_ARGS__)
#define ZINC_SERVER_OPTIONS_INIT \
	{sizeof(zinc_server_options), NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, 0, 0, 0, 0.0, 0.0, 0, 0, NULL, NULL}
/* clang-format on */

/* Listen, and answer requests in threads of the server until zinc_server_stop.  `path` is the node that is served with
 * everything below it; NULL: that of the hierarchy's URL.  Keys of raw/ are those below the node.  Free with
 * zinc_server_free, before `h` is closed.  E_NOTFOUND (no such node), E_CORRUPT (its document is damaged), E_UNSUPPORTED
 * (no module), E_INVALID (an option), E_IO (the address is in use). */
ZINC_API ZINC_CHECKED zinc_status zinc_server_start(zinc_server **out, zinc_hierarchy *h, const char *path,
	const zinc_server_options *options, zinc_error *err);

/* "http://127.0.0.1:8080/TOKEN/"; borrowed. */
ZINC_API const char *zinc_server_url(const zinc_server *server);

/* Accept no more connections, let running requests end for at most `grace` seconds, then close all. */
ZINC_API void zinc_server_stop(zinc_server *server, double grace);

/* Stop at once, and free it; NULL is fine.  Not while another thread is in zinc_server_stop. */
ZINC_API void zinc_server_free(zinc_server *server);

#ifdef __cplusplus
}
#endif
#endif
