/*
 * redis_peer.c - see redis_peer.h
 */
#include "support/redis_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/test.h"

enum { MOST_CONNECTIONS = 64, MOST_TEXT = 65536, MOST_ARGS = 64 };

struct peer {
	peer_script script;
	int listener, port;
	pthread_t thread;
	pthread_mutex_t lock;
	size_t next; /* of the answers */
	int nconnections, fds[MOST_CONNECTIONS];
	pthread_t threads[MOST_CONNECTIONS];
	bool ending;
	char heard[MOST_TEXT], shown[MOST_TEXT];
};

typedef struct connection {
	peer *p;
	int fd, number; /* of the connection */
	bool greeted;   /* the last command of the greeting was heard */
} connection;

static const char * or (const char *given, const char *usual)
{
	return given ? given : usual;
}

/* The answer to a command of the greeting; NULL: it is none. */
static const char *
greet(connection *c, const char *command)
{
	const peer_script *s = &c->p->script;

	if (c->greeted)
		return NULL;
	if (strncmp(command, "AUTH ", 5) == 0)
		return or (s->auth, "+OK\r\n");
	if (strncmp(command, "INFO ", 5) == 0 && c->number && s->later_info)
		return s->later_info;
	if (strncmp(command, "INFO ", 5) == 0)
		return or (s->info, "$45\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n\r\n");
	if (strcmp(command, "MULTI") == 0)
		return or (s->multi, "+OK\r\n");
	if (strcmp(command, "EXEC") == 0)
		return s->multi ? "-ERR EXEC without MULTI\r\n" : "*0\r\n";
	if (strncmp(command, "SELECT ", 7) == 0)
		return or (s->select, "+OK\r\n");
	if (strcmp(command, "CONFIG GET appendonly") == 0)
		return or (s->aof, "*2\r\n$10\r\nappendonly\r\n$2\r\nno\r\n");
	if (strcmp(command, "CONFIG GET no-appendfsync-on-rewrite") == 0)
		return or (s->rewrite, "*2\r\n$25\r\nno-appendfsync-on-rewrite\r\n$2\r\nno\r\n");
	c->greeted = strcmp(command, "CONFIG GET appendfsync") == 0;
	return c->greeted ? or (s->fsync, "*2\r\n$11\r\nappendfsync\r\n$8\r\neverysec\r\n") : NULL;
}

/* The answer to any other; NULL: the script has ended. */
static const char *
answer(peer *p, const char *command)
{
	const peer_script *s = &p->script;
	const char *out;
	size_t n;

	pthread_mutex_lock(&p->lock);
	n = strlen(p->heard);
	snprintf(p->heard + n, sizeof p->heard - n, "%s;", command);
	out = s->answers && s->answers[p->next] ? s->answers[p->next++] : NULL;
	pthread_mutex_unlock(&p->lock);
	return out;
}

/* One command as a line; false: there is none. */
static bool
read_command(FILE *in, char *out, size_t room)
{
	char line[64];
	size_t n = 0;
	long args, i;

	if (!fgets(line, sizeof line, in) || line[0] != '*')
		return false;
	args = strtol(line + 1, NULL, 10);
	for (i = 0; i < args; i++) {
		long len, k;

		if (!fgets(line, sizeof line, in) || line[0] != '$')
			return false;
		len = strtol(line + 1, NULL, 10);
		if (i && n + 1 < room)
			out[n++] = ' ';
		for (k = 0; k < len + 2; k++) {
			const int byte = fgetc(in);

			if (byte == EOF)
				return false;
			if (k < len && n + 1 < room)
				out[n++] = (char)byte;
		}
	}
	out[n] = '\0';
	return true;
}

static void *
serve(void *arg)
{
	connection *c = (connection *)arg;
	char command[4096], held[8192] = "", byte;
	int hold = c->p->script.hold;
	FILE *in = fdopen(dup(c->fd), "r");
	const char *text;

	while (in && read_command(in, command, sizeof command)) {
		text = greet(c, command);
		if (!text) {
			text = answer(c->p, command);
			if (text && --hold > 0) {
				strncat(held, text, sizeof held - strlen(held) - 1);
				continue;
			}
		}
		if (!text || strcmp(text, PEER_CLOSE) == 0)
			break;
		if (strcmp(text, PEER_SILENT) == 0) {
			while (read(c->fd, &byte, 1) > 0)
				;
			break;
		}
		if (c->greeted && send(c->fd, held, strlen(held), MSG_NOSIGNAL) < 0)
			break;
		held[0] = '\0';
		if (send(c->fd, text, strlen(text), MSG_NOSIGNAL) < 0)
			break;
	}
	if (in)
		fclose(in);
	shutdown(c->fd, SHUT_RDWR);
	free(c);
	return NULL;
}

static void *
listen_on(void *arg)
{
	peer *p = (peer *)arg;
	int fd;

	while ((fd = accept(p->listener, NULL, NULL)) >= 0) {
		connection *c = (connection *)malloc(sizeof *c);

		pthread_mutex_lock(&p->lock);
		if (!c || p->ending || p->nconnections == MOST_CONNECTIONS) {
			pthread_mutex_unlock(&p->lock);
			free(c);
			close(fd);
			continue;
		}
		*c = (connection){p, fd, p->nconnections, false};
		p->fds[p->nconnections] = fd;
		if (pthread_create(&p->threads[p->nconnections], NULL, serve, c) == 0)
			p->nconnections++;
		pthread_mutex_unlock(&p->lock);
	}
	return NULL;
}

peer *
peer_start(const peer_script *script)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof at;
	peer *p = (peer *)calloc(1, sizeof *p);

	assert_non_null(p);
	p->script = *script;
	pthread_mutex_init(&p->lock, NULL);
	p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(p->listener, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(p->listener, 16), 0);
	assert_int_equal(getsockname(p->listener, (struct sockaddr *)&at, &n), 0);
	p->port = ntohs(at.sin_port);
	assert_int_equal(pthread_create(&p->thread, NULL, listen_on, p), 0);
	return p;
}

void
peer_stop(peer *p)
{
	const char *left;
	int i;

	pthread_mutex_lock(&p->lock);
	p->ending = true;
	left = p->script.answers ? p->script.answers[p->next] : NULL;
	pthread_mutex_unlock(&p->lock);
	shutdown(p->listener, SHUT_RDWR);
	pthread_join(p->thread, NULL);
	for (i = 0; i < p->nconnections; i++) {
		shutdown(p->fds[i], SHUT_RDWR);
		pthread_join(p->threads[i], NULL);
		close(p->fds[i]);
	}
	close(p->listener);
	if (left)
		fail_msg("the store did not ask for the answer %s; it said: %s", left, p->heard);
	free(p);
}

int
peer_port(const peer *p)
{
	return p->port;
}

const char *
peer_heard(peer *p)
{
	pthread_mutex_lock(&p->lock);
	memcpy(p->shown, p->heard, sizeof p->shown);
	pthread_mutex_unlock(&p->lock);
	return p->shown;
}

int
peer_connections(peer *p)
{
	int n;

	pthread_mutex_lock(&p->lock);
	n = p->nconnections;
	pthread_mutex_unlock(&p->lock);
	return n;
}

zinc_store *
peer_open(const peer *p, const char *query)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char url[512];

	snprintf(url, sizeof url, "redis://127.0.0.1:%d/%d?%s%s%s", p->port, p->script.select ? 1 : 0,
		 strstr(query, "retries=") ? "" : "retries=2", query[0] && !strstr(query, "retries=") ? "&" : "",
		 query);
	assert_ok(zinc_store_open(&s, url, NULL, &err));
	return s;
}

const char *
peer_bulk(const char *text)
{
	static char room[8][4096];
	static int at;
	char *out = room[at++ % 8];

	snprintf(out, sizeof room[0], "$%zu\r\n%s\r\n", strlen(text), text);
	return out;
}
