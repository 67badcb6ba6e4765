/*
 * store_redis_conn.c - connections to a Redis server
 *
 * A new connection sends its greeting in one round trip: password, what kind of server it is, the number of the
 * database, and how the server writes to its disk.  Each is kept in the pool while it is idle, and dropped after any
 * failure: replies to what was sent before might be under way.
 *
 * Retries are paid from a budget: 20 at once, and one more for ten operations that succeed.  Without it the pause is the
 * longest.
 */
#include "store/store_redis.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#define FIRST_PAUSE 0.05
#define LONGEST     2.0
#define BUDGET      200
#define PRICE       10
#define INFO_BYTES  16384
#define TOO_MANY    "ERR max number of clients"

/* ---- errors of the server ---- */

static const struct {
	const char *word;
	zinc_status status;
	bool again;       /* it may pass */
	const char *says; /* NULL: what the server says */
} failures[] = {
    {"NOAUTH", ZINC_E_IO, false,
     "the server wants a password: set redis.password, or write USER:PASSWORD@ before the host"},
    {"WRONGPASS", ZINC_E_IO, false, "the server refuses the user or the password"},
    {"READONLY", ZINC_E_READONLY, false, "the server is a replica, which cannot be written: name its master"},
    {"WRONGTYPE", ZINC_E_CORRUPT, false, "the key is there, but what it holds is not a string of bytes"},
    {"OOM", ZINC_E_IO, false, "the server has no memory left for changes (its maxmemory)"},
    {"MISCONF", ZINC_E_IO, false, NULL},
    {"MOVED", ZINC_E_UNSUPPORTED, false,
     "the server is part of a Redis cluster, which is not supported: name a single server"},
    {"ASK", ZINC_E_UNSUPPORTED, false,
     "the server is part of a Redis cluster, which is not supported: name a single server"},
    {"CROSSSLOT", ZINC_E_UNSUPPORTED, false,
     "the server is part of a Redis cluster, which is not supported: name a single server"},
    {"CLUSTERDOWN", ZINC_E_UNSUPPORTED, false,
     "the server is part of a Redis cluster, which is not supported: name a single server"},
    {"LOADING", ZINC_E_IO, true, "the server is still loading its data"},
    {"BUSY", ZINC_E_IO, true, "the server is busy with a script"},
    {"MASTERDOWN", ZINC_E_IO, true, "the server is a replica without its master"},
    {"NOREPLICAS", ZINC_E_IO, true, "the server has fewer replicas than it needs for changes"},
    {"TRYAGAIN", ZINC_E_IO, true, NULL},
};

static void
blot_out(char *text, const char *secret)
{
	const size_t n = secret ? strlen(secret) : 0;

	for (; n && (text = strstr(text, secret)) != NULL; text += n)
		memset(text, '*', n);
}

zinc_status
zinc_redis_fail(redis_conn *c, const zinc_resp_head *h, zinc_error *err)
{
	const size_t n = strcspn(h->text, " ");
	char text[ZINC_RESP_TEXT_BYTES];
	size_t i;

	memcpy(text, h->text, sizeof text);
	blot_out(text, c->s->password);
	blot_out(text, c->s->user);
	c->again = strncmp(h->text, TOO_MANY, strlen(TOO_MANY)) == 0;
	if (n == 6 && memcmp(h->text, "NOPERM", 6) == 0)
		return zinc_fail(
		    err, ZINC_E_IO,
		    "the server's access list does not allow it; the keys %.60s* and, for conditions, %.60s* "
		    "are used: %s",
		    c->s->prefix, c->s->marker, text);
	for (i = 0; i < sizeof failures / sizeof failures[0]; i++)
		if (strlen(failures[i].word) == n && memcmp(failures[i].word, h->text, n) == 0) {
			c->again = failures[i].again || (failures[i].status == ZINC_E_READONLY && c->was_idle);
			return failures[i].says
				   ? zinc_fail(err, failures[i].status, "%s (%s)", failures[i].says, failures[i].word)
				   : zinc_fail(err, failures[i].status, "the server refuses: %s", text);
		}
	return zinc_fail(err, ZINC_E_IO, "the server refuses: %s", text);
}

zinc_status
zinc_redis_strange(redis_conn *c, zinc_error *err)
{
	c->again = false;
	return zinc_fail(err, ZINC_E_CORRUPT, "the server's answer does not match the question: is it Redis?");
}

zinc_status
zinc_redis_expect(redis_conn *c, char type, zinc_resp_head *out, const zinc_wait *wait, zinc_error *err)
{
	ZINC_TRY(zinc_resp_next(c->r, out, wait, err));
	if (out->type == '-')
		return zinc_redis_fail(c, out, err);
	return out->type == type ? ZINC_OK : zinc_redis_strange(c, err);
}

/* ---- commands ---- */

zinc_status
zinc_redis_key(redis_conn *c, const char *key, size_t n, const zinc_wait *wait, zinc_error *err)
{
	const struct iovec iov[2] = {{c->s->prefix, strlen(c->s->prefix)}, {(void *)(uintptr_t)key, n}};

	return zinc_resp_iov(c->r, iov, 2, iov[0].iov_len + n, wait, err);
}

zinc_status
zinc_redis_ask(redis_conn *c, const char *command, const char *key, const zinc_wait *wait, zinc_error *err)
{
	ZINC_TRY(zinc_resp_begin(c->r, 2, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, command, wait, err));
	return zinc_redis_key(c, key, strlen(key), wait, err);
}

/* ---- the greeting ---- */

static zinc_status
send_password(redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	const redis_store *s = c->s;

	if (!s->password)
		return ZINC_OK;
	if (!s->tcp.tls && !s->plain_password && !zinc_tcp_is_local(zinc_resp_tcp(c->r)))
		return zinc_fail(err, ZINC_E_INVALID,
				 "a password would be sent without TLS to another machine: use rediss://, or set "
				 "redis.plain_password=yes");
	ZINC_TRY(zinc_resp_begin(c->r, s->user ? 3 : 2, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "AUTH", wait, err));
	if (s->user)
		ZINC_TRY(zinc_resp_arg(c->r, s->user, wait, err));
	return zinc_resp_secret(c->r, s->password, wait, err);
}

static zinc_status
send_greeting(redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	char select[32];

	snprintf(select, sizeof select, "SELECT %u", c->s->db);
	ZINC_TRY(send_password(c, wait, err));
	ZINC_TRY(zinc_resp_words(c->r, "INFO server", wait, err));
	ZINC_TRY(zinc_resp_words(c->r, "MULTI", wait, err));
	ZINC_TRY(zinc_resp_words(c->r, "EXEC", wait, err));
	if (c->s->db) /* 0 is selected */
		ZINC_TRY(zinc_resp_words(c->r, select, wait, err));
	ZINC_TRY(zinc_resp_words(c->r, "CONFIG GET appendonly", wait, err));
	ZINC_TRY(zinc_resp_words(c->r, "CONFIG GET no-appendfsync-on-rewrite", wait, err));
	ZINC_TRY(zinc_resp_words(c->r, "CONFIG GET appendfsync", wait, err));
	return zinc_resp_flush(c->r, wait, err);
}

/* What a server says about a password is not shown: it might repeat it. */
static zinc_status
read_password(redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	zinc_resp_head h;

	if (!c->s->password)
		return ZINC_OK;
	ZINC_TRY(zinc_resp_next(c->r, &h, wait, err));
	if (h.type != '-')
		return zinc_resp_skip(c->r, &h, wait, err);
	if (strncmp(h.text, TOO_MANY, strlen(TOO_MANY)) == 0) /* which is said before anything is asked */
		return zinc_redis_fail(c, &h, err);
	h.text[strcspn(h.text, " ")] = '\0';
	if (strncmp(h.text, "WRONGPASS", 9) != 0 && strncmp(h.text, "ERR", 3) != 0)
		return zinc_redis_fail(c, &h, err);
	return zinc_fail(err, ZINC_E_IO, "the server refuses the user or the password, or has none (%s)", h.text);
}

/* The value of "name:" at the beginning of a line; NULL: there is none. */
static const char *
info_line(const char *info, const char *name)
{
	const size_t n = strlen(name);

	while (strncmp(info, name, n) != 0) {
		info = strchr(info, '\n');
		if (!info)
			return NULL;
		info++;
	}
	return info + n;
}

/* WAITAOF exists since 7.2.  But Valkey, which calls itself 7.2.4, was seen to answer it before it wrote to its disk; Redis
 * 8 was seen to wait. */
static bool
has_waitaof(const char *info)
{
	const char *version = info_line(info, "redis_version:");

	return version && strtol(version, NULL, 10) >= 8 && !info_line(info, "valkey_version:");
}

/* Valkey has another name for the mode. */
static zinc_status
check_kind(const char *info, zinc_error *err)
{
	const char *mode = info_line(info, "redis_mode:");

	if (!mode)
		mode = info_line(info, "server_mode:");
	if (mode && strncmp(mode, "cluster", 7) == 0)
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "the server is part of a Redis cluster, which is not supported: name a single server");
	if (mode && strncmp(mode, "sentinel", 8) == 0)
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "the server is a Redis Sentinel, which has no data: name the server that it watches");
	return ZINC_OK;
}

/* The first 64 bits of the run's 160. */
static uint64_t
run_of(const char *info)
{
	const char *id = info_line(info, "run_id:");
	char some[17] = "";

	if (id)
		memcpy(some, id, strnlen(id, 16));
	return strtoull(some, NULL, 16);
}

/* Is the command forbidden or not there? */
static bool
may_not(const zinc_resp_head *h)
{
	return strncmp(h->text, "NOPERM", 6) == 0 || strncmp(h->text, "ERR unknown", 11) == 0;
}

/* A user who may not ask gets an error, which says nothing; but without a password every answer is NOAUTH. */
static zinc_status
read_info(redis_conn *c, bool *waitaof, const zinc_wait *wait, zinc_error *err)
{
	char info[INFO_BYTES];
	zinc_resp_head h;
	size_t n;

	ZINC_TRY(zinc_resp_next(c->r, &h, wait, err));
	if (h.type == '-' && !may_not(&h))
		return zinc_redis_fail(c, &h, err);
	if (h.type == '$' && h.null)
		return zinc_redis_strange(c, err);
	if (h.type != '$')
		return zinc_resp_skip(c->r, &h, wait, err);
	n = h.number < INFO_BYTES - 1 ? (size_t)h.number : INFO_BYTES - 1;
	ZINC_TRY(zinc_resp_read(c->r, info, n, wait, err));
	ZINC_TRY(zinc_resp_end(c->r, wait, err));
	info[n] = '\0';
	c->run = run_of(info);
	*waitaof = has_waitaof(info) && c->run;
	return check_kind(info, err);
}

/* A pair of name and value; "": the user may not ask, or there is no such setting. */
static zinc_status
read_setting(redis_conn *c, char *out, size_t room, const zinc_wait *wait, zinc_error *err)
{
	zinc_resp_head h;
	size_t n;

	out[0] = '\0';
	ZINC_TRY(zinc_resp_next(c->r, &h, wait, err));
	if (h.type != '*' || h.number != 2)
		return zinc_resp_skip(c->r, &h, wait, err);
	ZINC_TRY(zinc_redis_expect(c, '$', &h, wait, err));
	ZINC_TRY(zinc_redis_expect(c, '$', &h, wait, err));
	if (h.null)
		return zinc_redis_strange(c, err);
	n = (uint64_t)h.number < room ? (size_t)h.number : room - 1;
	ZINC_TRY(zinc_resp_read(c->r, out, n, wait, err));
	out[n] = '\0';
	return zinc_resp_end(c->r, wait, err);
}

/* A transaction of nothing.  Where MULTI is refused, what is sent behind it would be done at once: so it is never sent. */
static zinc_status
read_multi(redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	zinc_resp_head h;

	ZINC_TRY(zinc_resp_next(c->r, &c->no_multi, wait, err));
	ZINC_TRY(zinc_resp_next(c->r, &h, wait, err));
	if (c->no_multi.type == '-')
		return may_not(&c->no_multi) ? ZINC_OK : zinc_redis_fail(c, &c->no_multi, err);
	if (h.type == '-') /* the connection stays in the transaction */
		return zinc_redis_fail(c, &h, err);
	return h.type == '*' && h.number == 0 ? ZINC_OK : zinc_redis_strange(c, err);
}

static zinc_status
read_select(redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	zinc_resp_head h;

	if (!c->s->db)
		return ZINC_OK;
	ZINC_TRY(zinc_resp_next(c->r, &h, wait, err));
	if (h.type == '-' && strncmp(h.text, "ERR DB", 6) == 0)
		return zinc_fail(err, ZINC_E_INVALID, "the server has no database %u", c->s->db);
	if (h.type == '-')
		return zinc_redis_fail(c, &h, err);
	return h.type == '+' ? ZINC_OK : zinc_redis_strange(c, err);
}

/* "always" is not always while the server writes its file anew, unless told so; and with "no" WAITAOF would never see
 * the disk written. */
static unsigned
durability(const char *aof, const char *not_during_rewrite, const char *when, bool waitaof)
{
	const bool always = strcmp(when, "always") == 0;

	if (strcmp(aof, "yes") != 0)
		return 0;
	if (always && strcmp(not_during_rewrite, "yes") != 0)
		return REDIS_FSYNC_ALWAYS;
	return waitaof && (always || strcmp(when, "everysec") == 0) ? REDIS_WAITAOF : 0;
}

static zinc_status
greet(redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	char aof[8], not_during_rewrite[8], when[16];
	bool waitaof = false;

	ZINC_TRY(send_greeting(c, wait, err));
	ZINC_TRY(read_password(c, wait, err));
	ZINC_TRY(read_info(c, &waitaof, wait, err));
	ZINC_TRY(read_multi(c, wait, err));
	ZINC_TRY(read_select(c, wait, err));
	ZINC_TRY(read_setting(c, aof, sizeof aof, wait, err));
	ZINC_TRY(read_setting(c, not_during_rewrite, sizeof not_during_rewrite, wait, err));
	ZINC_TRY(read_setting(c, when, sizeof when, wait, err));
	atomic_store(&c->s->seen, durability(aof, not_during_rewrite, when, waitaof && c->marker[0]));
	return ZINC_OK;
}

/* ---- connections ---- */

/* The marker of a connection that ends in peace is not needed any more. */
void
zinc_redis_close(zinc_conn *conn, bool forked)
{
	redis_conn *c = (redis_conn *)(void *)conn;
	const zinc_wait now = {sizeof now, 1e-9, NULL}; /* nothing waits for this */

	if (c->r && !forked && c->changes && !zinc_resp_is_broken(c->r) &&
	    zinc_resp_begin(c->r, 2, &now, NULL) == ZINC_OK && zinc_resp_arg(c->r, "DEL", &now, NULL) == ZINC_OK &&
	    zinc_resp_arg(c->r, c->marker, &now, NULL) == ZINC_OK)
		(void)zinc_resp_flush(c->r, &now, NULL);
	zinc_resp_free(c->r);
	zinc_free(redis_ctx(c->s), c);
}

static zinc_status
make_marker(redis_conn *c, zinc_error *err)
{
	uint8_t random[12];
	char hex[2 * sizeof random + 1];

	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return zinc_fail(err, ZINC_E_IO, "no random numbers");
	zinc_hex(hex, random, sizeof random);
	if (c->s->marker[0])
		snprintf(c->marker, sizeof c->marker, "%s%s", c->s->marker, hex);
	return ZINC_OK;
}

static zinc_status
connect_new(redis_store *s, redis_conn **out, bool *again, const zinc_wait *wait, zinc_error *err)
{
	redis_conn *c = (redis_conn *)zinc_calloc(redis_ctx(s), 1, sizeof *c);
	zinc_tcp *tcp = NULL;
	zinc_status st;

	*again = false;
	if (!c)
		return zinc_fail_nomem(err);
	c->s = s;
	st = zinc_tcp_open(&tcp, redis_ctx(s), &s->tcp, again, wait, err);
	if (st == ZINC_OK)
		st = zinc_resp_new(&c->r, redis_ctx(s), tcp, (zinc_bytes){NULL, 0}, err);
	if (st == ZINC_OK)
		st = make_marker(c, err);
	if (st == ZINC_OK) {
		st = greet(c, wait, err);
		*again = c->again || zinc_resp_is_broken(c->r);
	}
	if (st == ZINC_OK)
		*out = c;
	else
		zinc_redis_close(&c->conn, true);
	return st;
}

/* One that the server has closed meanwhile is not worth a retry. */
static zinc_status
enter(redis_store *s, redis_conn **out, bool *again, const zinc_wait *wait, zinc_error *err)
{
	zinc_conn *idle;

	while ((idle = zinc_conns_take(&s->conns)) != NULL) {
		redis_conn *c = (redis_conn *)(void *)idle;

		if (!zinc_tcp_is_stale(zinc_resp_tcp(c->r))) {
			c->was_idle = true;
			*out = c;
			return ZINC_OK;
		}
		zinc_redis_close(idle, true);
	}
	return connect_new(s, out, again, wait, err);
}

/* ---- retries ---- */

static void
earn(redis_store *s)
{
	if (atomic_load(&s->budget) < BUDGET)
		atomic_fetch_add(&s->budget, 1);
}

static bool
spend(redis_store *s)
{
	int have = atomic_load(&s->budget);

	while (have >= PRICE)
		if (atomic_compare_exchange_weak(&s->budget, &have, have - PRICE))
			return true;
	return false;
}

/* A random part of a time that doubles with each try. */
static zinc_status
rest(redis_store *s, int tries, const zinc_wait *wait)
{
	double most = FIRST_PAUSE * (double)(1u << (tries < 10 ? tries : 10)), part = 0.5;
	uint32_t random;

	if (getrandom(&random, sizeof random, GRND_NONBLOCK) == (ssize_t)sizeof random)
		part = (double)random / UINT32_MAX;
	most = most < LONGEST ? most : LONGEST;
	return zinc_wait_pause(wait, spend(s) ? most * part : LONGEST * (0.5 + part / 2), "the server", NULL);
}

/* Answers to what was not asked would be taken for those to the next questions. */
static void
give_back(redis_store *s, redis_conn *c)
{
	if (zinc_resp_is_idle(c->r))
		zinc_conns_give(&s->conns, &c->conn);
	else
		zinc_redis_close(&c->conn, true);
}

/* What fails in one idle connection may fail in all: each would cost a timeout after the server has vanished, and each
 * may lead to the one that was the master before another took its place. */
static zinc_status
try_once(redis_store *s, redis_work_fn work, void *arg, bool *again, const zinc_wait *wait, zinc_error *err)
{
	redis_conn *c = NULL;
	zinc_status st;
	bool useless;

	ZINC_TRY(enter(s, &c, again, wait, err));
	c->again = false;
	st = work(c, arg, wait, err);
	*again = (st == ZINC_E_IO || st == ZINC_E_READONLY) && (c->again || zinc_resp_is_broken(c->r));
	if (st == ZINC_OK) {
		earn(s);
		give_back(s, c);
		return ZINC_OK;
	}
	useless = zinc_resp_is_broken(c->r) || st == ZINC_E_READONLY;
	if (useless)
		zinc_conns_drop(&s->conns);
	zinc_redis_close(&c->conn, useless);
	return st;
}

/* The error of the last try is the one that is reported, also if the deadline ends the pause after it. */
zinc_status
zinc_redis_run(redis_store *s, redis_work_fn work, void *arg, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e;
	zinc_status st;
	bool again;
	int tries;

	for (tries = 0;; tries++) {
		again = false;
		zinc_error_clear(&e);
		st = try_once(s, work, arg, &again, wait, &e);
		if (st == ZINC_OK)
			return ZINC_OK;
		if ((st != ZINC_E_IO && st != ZINC_E_READONLY) || !again || tries >= s->retries)
			break;
		if (rest(s, tries, wait) != ZINC_OK) {
			e.code = st = ZINC_E_CANCELLED;
			break;
		}
	}
	zinc_error_copy(err, &e);
	return st;
}
