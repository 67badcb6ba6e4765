/*
 * route.c - which part of the server answers a request
 *
 *     /TOKEN/raw/KEY   /TOKEN/v3/KEY   /TOKEN/api/NAME   /TOKEN/FILE
 *
 * Promises (tests/serve/protocol.py names each by its number):
 *
 * (1) Nothing is answered for a Host that is not ours, nor without the token: 403, and the same text whatever is there.
 * (2) Only GET, HEAD and OPTIONS: 405.
 * (3) Every answer may be read by any origin (CORS); the token is what protects the data.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

/* Takes the same time wherever the texts differ. */
static bool
same_text(const char *a, const char *b, size_t n)
{
	unsigned char differ = 0;
	size_t i;

	for (i = 0; i < n; i++)
		differ |= (unsigned char)(a[i] ^ b[i]);
	return differ == 0;
}

const char *
route_below(const struct site *s, const char *path)
{
	const size_t n = strlen(s->token);

	if (*path++ != '/')
		return NULL;
	if (n == 0)
		return path;
	if (strlen(path) < n || !same_text(path, s->token, n) || (path[n] && path[n] != '/'))
		return NULL;
	return path[n] ? path + n + (path[n + 1] != '/') : "/"; /* "TOKEN//" is no address of ours */
}

/* Without the '/' at its end all relative links of the page would be wrong. */
static void
redirect(const struct site *s, struct answer *a)
{
	const size_t n = strlen(s->token) + 4;

	answer_text(a, 308, "the page is one '/' further\n");
	a->location = malloc(n);
	if (a->location)
		snprintf(a->location, n, "%s/", s->token);
}

static void
serve_page(const char *name, struct answer *a)
{
	const void *bytes;
	size_t nbytes;

	if (page_find(name, &a->type, &bytes, &nbytes)) {
		a->status = 200;
		a->bytes = bytes;
		a->nbytes = nbytes;
	} else {
		answer_text(a, 404, "no such page: %s\n", name);
	}
}

/* False: let a worker do it. */
static bool
serve_key(const struct site *s, zinc_store *store, const char *key, const struct request *q, struct answer *a)
{
	return s->local && object_lend(store, key, q, a);
}

static bool
starts(const char *s, const char *with, const char **rest)
{
	const size_t n = strlen(with);

	*rest = s + n;
	return strncmp(s, with, n) == 0;
}

static bool
refused(const struct site *s, const struct request *q, struct answer *a)
{
	const char *host = q->header(q, "Host");

	if (host && !host_allowed(host, s->hosts, s->nhosts))
		answer_text(a, 403, "this server does not answer for that name; start it with --host NAME\n");
	else if (!q->path)
		answer_text(a, 403, "the address is not complete: it has a token, as `zinc serve` printed it\n");
	else if (q->method == METHOD_OTHER)
		answer_text(a, 405, "this server is read-only\n");
	else
		return false;
	return true;
}

bool
route_now(const struct site *s, const struct request *q, struct answer *a)
{
	const char *rest;

	if (refused(s, q, a))
		return true;
	if (q->method == METHOD_OPTIONS) {
		a->status = 204;
		return true;
	}
	if (!strcmp(q->path, "/")) {
		redirect(s, a);
		return true;
	}
	if (starts(q->path, "raw/", &rest))
		return serve_key(s, s->raw, rest, q, a);
	if (starts(q->path, "v3/", &rest))
		return serve_key(s, s->v3, rest, q, a);
	if (starts(q->path, "api/", &rest)) {
		if (!s->api)
			answer_text(a, 501, "this server has no command that answers api/\n");
		return !s->api;
	}
	if (s->page)
		serve_page(q->path, a);
	else if (!*q->path)
		answer_text(a, 200, "This is `zinc serve`: see raw/KEY, v3/KEY and api/tree below this address.\n");
	else
		answer_text(a, 404, "nothing is served here\n");
	return true;
}

void
route_work(const struct site *s, const struct request *q, struct answer *a)
{
	const char *rest;

	if (starts(q->path, "raw/", &rest))
		object_answer(s->raw, rest, q, s->budget, a);
	else if (starts(q->path, "v3/", &rest))
		object_answer(s->v3, rest, q, s->budget, a);
	else if (starts(q->path, "api/", &rest))
		api_answer(s->api, rest, q, a);
}
