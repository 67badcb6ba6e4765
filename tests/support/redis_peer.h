/*
 * redis_peer.h - a server that speaks Redis's protocol and answers what a script says, for tests without Redis
 */
#ifndef REDIS_PEER_H
#define REDIS_PEER_H

#include "store/store.h"

/* The answers, as they are sent, one for each command after the greeting, over all connections; ended by NULL.
 * Instead of one: */
#define PEER_CLOSE  "!close"  /* the connection */
#define PEER_SILENT "!silent" /* say nothing, and keep it open */

typedef struct peer_script {
	const char *const *answers;
	const char *auth, *info, *multi, *select, *aof, *rewrite, *fsync; /* of the greeting; NULL: as usual */
	int hold;               /* answer nothing before this many commands after the greeting */
	const char *later_info; /* of all connections but the first; NULL: `info` */
} peer_script;

typedef struct peer peer;

peer *peer_start(const peer_script *script);
/* Ends it; fails the test if answers are left. */
void peer_stop(peer *p);
int peer_port(const peer *p);
/* The commands after the greetings so far, arguments joined by blanks, each ended by ';'. */
const char *peer_heard(peer *p);
/* Connections so far. */
int peer_connections(peer *p);

/* A store at "redis://127.0.0.1:PORT/0?query" (1 if the script answers SELECT), with few and short retries. */
zinc_store *peer_open(const peer *p, const char *query);

#define ANSWERS(...)   ((const char *const[]){__VA_ARGS__, NULL})
#define SCRIPT(...)    (&(const peer_script){.answers = ANSWERS(__VA_ARGS__)})
#define WATCHED_ABSENT "+OK\r\n", ":0\r\n", "+OK\r\n", "+QUEUED\r\n", "+QUEUED\r\n"
#define EXECUTED       "*2\r\n+OK\r\n+OK\r\n"
#define NOT_MADE       ":1\r\n", "$1\r\n!\r\n", ":1\r\n" /* what the marker says */
#define NOPERM         "-NOPERM this user has no permissions to run the command\r\n"

/* "$3\r\nabc\r\n" and the like, in static memory that is used again after eight calls. */
const char *peer_bulk(const char *text);

#endif
