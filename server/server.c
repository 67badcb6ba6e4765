/*
 * server.c - starting and stopping the server
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server.h"

#define TOKEN_BYTES       15 /* 120 bits */
#define MOST_CONNECTIONS  (1u << 20)
#define OTHER_DESCRIPTORS 64
#define MEMORY            ((uint64_t)256 << 20)
#define DISK              ((size_t)8 << 30) /* of values that are neither lent nor held */
#define PIECE                                                                                                          \
	((uint64_t)384 << 20) /* more than any recoded chunk, which is made for each request if the cache is small */

struct server {
	zinc_server base; /* first: a zinc_server is this */
	zinc_hierarchy *h;
	char *path;
	char token[128];
	char url[600];
	char **hosts;
	size_t nhosts;
	struct site site;
	struct budget budget;
	struct http *http;
};

static zinc_status
no_memory(zinc_error *err)
{
	return zinc_error_set(err, ZINC_E_NOMEM, "out of memory");
}

/* ---- options ---- */

static zinc_status
random_token(char *out, zinc_error *err)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned char bytes[TOKEN_BYTES];
	unsigned word = 0, bits = 0;
	size_t i;

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return zinc_error_set(err, ZINC_E_IO, "the system gives no random bytes for a token");
	for (i = 0; i < sizeof bytes; i++)
		for (word = word << 8 | bytes[i], bits += 8; bits >= 6; bits -= 6)
			*out++ = letters[word >> (bits - 6) & 63];
	*out = '\0';
	return ZINC_OK;
}

/* A token is a part of paths and must look the same escaped. */
static zinc_status
take_token(struct server *s, const char *token, zinc_error *err)
{
	if (!token)
		return random_token(s->token, err);
	if (strlen(token) >= sizeof s->token ||
	    token[strspn(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")] ||
	    (token[0] && token[strspn(token, ".")] == '\0'))
		return zinc_error_set(err, ZINC_E_INVALID,
				      "a token has at most 127 letters, digits and characters of \"-_.~\"");
	snprintf(s->token, sizeof s->token, "%s", token);
	return ZINC_OK;
}

static zinc_status
take_host(struct server *s, const char *name, size_t n, zinc_error *err)
{
	s->hosts[s->nhosts] = strndup(name, n);
	if (!s->hosts[s->nhosts])
		return no_memory(err);
	s->nhosts++;
	return ZINC_OK;
}

/* A port behind a name means nothing: every port is accepted. */
static zinc_status
take_given_host(struct server *s, const char *name, zinc_error *err)
{
	const size_t n = !strcmp(name, "*") ? 1 : host_name_length(name);
	char text[400];

	if (n)
		return take_host(s, name, n, err);
	snprintf(text, sizeof text, "\"%.300s\" is no name of a host: write NAME, or * for all", name);
	return zinc_error_set(err, ZINC_E_INVALID, text);
}

/* The names given, that in `listen`, and that of the machine if the URL has it. */
static zinc_status
take_hosts(struct server *s, const zinc_server_options *o, const char *base, zinc_error *err)
{
	const char *own = base + strlen("http://"), *typed = o->listen ? o->listen : "";
	zinc_status st = ZINC_OK;
	size_t i;

	s->hosts = calloc(o->nhosts + 2, sizeof *s->hosts);
	if (!s->hosts)
		return no_memory(err);
	for (i = 0; i < o->nhosts && st == ZINC_OK; i++)
		st = take_given_host(s, o->hosts[i], err);
	if (st == ZINC_OK)
		st = take_host(s, own, own[0] == '[' ? 0 : strcspn(own, ":"), err);
	if (st == ZINC_OK && strchr(typed, ':') && typed[0] != '[')
		st = take_host(s, typed, strcspn(typed, ":"), err);
	return st;
}

/* ---- what is served ---- */

struct root {
	const char *path;
	size_t above; /* bytes of the hierarchy's own prefix, with which keys begin */
	char *prefix; /* of the node, when its document lies there */
	zinc_error *err;
	zinc_status st; /* E_CORRUPT: nothing below the node could be shown */
};

static int
note_root(void *arg, const zinc_node *node)
{
	struct root *r = arg;
	const char *path = node->path + (node->path[0] == '/'), *key = node->metadata_key;
	const size_t n = strlen(path);

	free(r->prefix);
	r->prefix = NULL;
	key += strlen(key) > r->above ? r->above : 0;
	if (n && strncmp(key, path, n) == 0 && key[n] == '/' && asprintf(&r->prefix, "%s/", path) < 0)
		r->prefix = NULL;
	if (node->problem && node->problem_code == ZINC_E_CORRUPT) {
		r->st = zinc_error_set(r->err, ZINC_E_CORRUPT, node->problem);
		if (r->err)
			snprintf(r->err->key, sizeof r->err->key, "%s", key);
	}
	return 0;
}

/* Keys below the node.  In the drafts documents lie elsewhere: then those of the whole hierarchy. */
static zinc_status
open_raw(struct server *s, zinc_error *err)
{
	struct root root = {s->path, strlen(zinc_hierarchy_prefix(s->h)), NULL, err, ZINC_OK};
	char *prefix = NULL;
	zinc_status st = zinc_node_stat(s->h, s->path, note_root, &root, NULL, err);

	if (st == ZINC_OK)
		st = root.st;
	if (st == ZINC_OK &&
	    asprintf(&prefix, "%s%s", zinc_hierarchy_prefix(s->h), root.prefix ? root.prefix : "") < 0) {
		prefix = NULL;
		st = no_memory(err);
	}
	if (st == ZINC_OK && prefix[0])
		st = zinc_store_prefix(&s->site.raw, zinc_hierarchy_store(s->h), prefix, err);
	else if (st == ZINC_OK)
		st = zinc_store_readonly(&s->site.raw, zinc_hierarchy_store(s->h), err);
	free(prefix);
	free(root.prefix);
	return st;
}

/* A page whose every request fails helps nobody: say at once what is missing. */
static zinc_status
check_command(const zinc_server_options *o, zinc_error *err)
{
	char text[400];

	if (o->page && !o->command)
		return zinc_error_set(err, ZINC_E_INVALID, "the viewer needs `command`, the path of the program zinc");
	if (!o->command || access(o->command, X_OK) == 0)
		return ZINC_OK;
	snprintf(text, sizeof text, "the command %.300s: %s", o->command, strerror(errno));
	return zinc_error_set(err, ZINC_E_INVALID, text);
}

static zinc_status
open_site(struct server *s, const zinc_server_options *o, zinc_error *err)
{
	const uint64_t memory = o->memory ? o->memory : MEMORY;
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_status st = open_raw(s, err);

	s->budget.limit = (size_t)(memory / 2);
	s->budget.disk = DISK;
	s->budget.piece = PIECE;
	if (st == ZINC_OK)
		st = face_v3_open(&s->site.v3, s->h, s->path, memory / 2, err);
	if (st == ZINC_OK && o->command)
		st = api_new(&s->site.api, s->h, s->path, o, err);
	if (st != ZINC_OK)
		return st;
	zinc_store_caps(s->site.raw, &caps);
	s->site.local = !(caps.flags & ZINC_CAP_REMOTE);
	s->site.page = o->page != 0;
	s->site.budget = &s->budget;
	return ZINC_OK;
}

/* Each connection may need a second descriptor, for the file that it is sent. */
static unsigned
room_for_connections(unsigned most)
{
	struct rlimit limit;
	rlim_t room;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return most;
	room = limit.rlim_cur > OTHER_DESCRIPTORS ? (limit.rlim_cur - OTHER_DESCRIPTORS) / 2 : 0;
	return room >= most ? most : room ? (unsigned)room : 1;
}

static zinc_status
begin(struct server *s, const zinc_server_options *o, zinc_error *err)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct http_options h = {.fd = -1, .log = o->log, .log_arg = o->log_arg};
	char base[400];
	zinc_status st = listen_at(&h.fd, base, sizeof base, o->listen ? o->listen : "127.0.0.1:0", err);

	h.connections = !o->connections ? 1024 : o->connections < MOST_CONNECTIONS ? o->connections : MOST_CONNECTIONS;
	h.connections = room_for_connections(h.connections);
	h.workers = o->workers ? o->workers : 4 * (unsigned)(cpus > 0 ? cpus : 1);
	h.idle = o->idle > 0 ? (unsigned)(o->idle < 1 ? 1 : o->idle) : 30;
	h.work = o->work > 0 ? o->work : 120;
	if (st == ZINC_OK)
		st = take_hosts(s, o, base, err);
	if (st == ZINC_OK) {
		snprintf(s->url, sizeof s->url, "%s%s%s", base, s->token, s->token[0] ? "/" : "");
		s->site.token = s->token;
		s->site.hosts = (const char *const *)s->hosts;
		s->site.nhosts = s->nhosts;
		return http_start(&s->http, &s->site, &h, err);
	}
	if (h.fd != -1)
		close(h.fd);
	return st;
}

/* ---- start and stop ---- */

static void
server_stop(zinc_server *server, double grace)
{
	struct server *s = (struct server *)server;

	http_stop(s->http, grace);
}

static void
server_free(zinc_server *server)
{
	struct server *s = (struct server *)server;
	size_t i;

	http_stop(s->http, 0);
	http_free(s->http);
	api_free(s->site.api);
	zinc_store_close(s->site.v3);
	zinc_store_close(s->site.raw);
	for (i = 0; i < s->nhosts; i++)
		free(s->hosts[i]);
	free(s->hosts);
	free(s->path);
	free(s);
}

zinc_status
server_start(zinc_server **out, zinc_hierarchy *h, const char *path, const zinc_server_options *options,
	     zinc_error *err)
{
	struct server *s = calloc(1, sizeof *s);
	zinc_status st;

	if (!s)
		return no_memory(err);
	s->base = (zinc_server){sizeof(zinc_server), s->url, server_stop, server_free};
	s->h = h;
	s->path = strdup(path);
	st = s->path ? take_token(s, options->token, err) : no_memory(err);
	if (st == ZINC_OK)
		st = check_command(options, err);
	if (st == ZINC_OK)
		st = open_site(s, options, err);
	if (st == ZINC_OK)
		st = begin(s, options, err);
	if (st != ZINC_OK) {
		server_free(&s->base);
		return st;
	}
	*out = &s->base;
	return ZINC_OK;
}
