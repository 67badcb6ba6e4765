/*
 * web.h - the web server of tests (http_server.py), as a child process
 */
#ifndef WEB_H
#define WEB_H

#include <sys/types.h>

#include "store/store.h"

typedef struct web {
	pid_t pid;
	int stop; /* closing it ends the server */
	int port;
	bool tls;
} web;

/* Is a server possible: libcurl built in, and Python installed? Otherwise tests are skipped. */
bool web_can(void);
/* Serve `dir`; with `tls` over https, with a certificate for 127.0.0.1 that is made in the working directory as
 * cert.pem. */
void web_start(web *w, const char *dir, bool tls);
/* Another server of this directory; `dir` may be NULL. */
void web_start_script(web *w, const char *script, const char *dir, bool tls);
void web_stop(web *w);

/* "http://127.0.0.1:port/rest", in static memory. */
const char *web_url(const web *w, const char *rest);
/* A store at a URL, through the code of the module; NULL: the default context. */
zinc_store *web_open(const web *w, const char *rest, zinc_context *ctx);
/* Number of requests to the server for a mode. */
int web_count(const web *w, const char *mode);
/* The most reads in progress at once. */
int web_most(const web *w, const char *mode);

#endif
