/*
 * store_redis_put.c - changes: put, del, groups, update, sync
 *
 *     without a condition     MULTI, SET ..., DEL ..., EXEC                     one round trip
 *     with conditions         WATCH, GET ...;  MULTI, SET ..., EXEC             two; again if a key was changed between
 *
 * The connection may be lost after EXEC was sent.  A change without a condition is then made again.  One with a condition
 * is not, because its own success would look like somebody else's change.  So its transaction also sets a marker, a key
 * of this connection, to a number; and it watches the marker.  The next connection appends a '!' to the marker and looks:
 * if it begins with the number, the change was made; if not, it will never be, because its watch is broken, however long
 * it was under way.  This may be repeated, because '!' is all that it adds.  A marker vanishes after MARKER_SECONDS, or
 * when its connection is closed.
 *
 * A server that was restarted may have forgotten what it has answered, unless its disk was waited for.  So a change that
 * was made by another run of the server than the one that the disk is waited for on is looked for, or made, again.
 */
#include "store/store_redis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define MARKER_SECONDS "3600"
#define MARKER_LOOK    40 /* bytes of it that tell */
#define PIECE          32768
#define AHEAD          16 /* values that are asked for before the first is read */

typedef struct changing changing;

/* What a change does between WATCH and EXEC; both may be called several times. */
struct changing {
	redis_store *s;
	bool relaxed, conditional, syncs;
	/* Watch and look; *n is the number of commands that `send` will send. */
	zinc_status (*look)(changing *x, redis_conn *c, size_t *n, const zinc_wait *wait, zinc_error *err);
	zinc_status (*send)(changing *x, redis_conn *c, const zinc_wait *wait, zinc_error *err);
	bool sent;    /* a transaction whose outcome is not known */
	bool made;    /* it was made, but is perhaps not on the disk */
	uint64_t run; /* of the server that has made it; 0: not known */
	char marker[REDIS_MARKER_BYTES];
	uint64_t number;
	/* put and del: */
	zinc_change *const *changes;
	size_t n;
	/* erase: */
	const zinc_bytes *names;
	size_t nnames;
	/* update: */
	const char *key;
	zinc_update_fn fn;
	void *arg;
	uint64_t limit;
	uint8_t *old;
	zinc_update out;
};

/* ---- durability ---- */

/* Wait until what this connection has changed is on the disk. */
static zinc_status
wait_for_disk(redis_conn *c, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	const double left = zinc_wait_left(wait), most = c->s->tcp.timeout / 2;
	char words[64];
	zinc_resp_head all, local;

	if (relaxed || c->s->not_durable || !(atomic_load(&c->s->seen) & REDIS_WAITAOF))
		return ZINC_OK;
	snprintf(words, sizeof words, "WAITAOF 1 0 %.0f", ceil((left < most ? left : most) * 1000) + 1);
	ZINC_TRY(zinc_resp_words(c->r, words, wait, err));
	ZINC_TRY(zinc_resp_flush(c->r, wait, err));
	ZINC_TRY(zinc_redis_expect(c, '*', &all, wait, err));
	if (all.number != 2)
		return zinc_redis_strange(c, err);
	ZINC_TRY(zinc_redis_expect(c, ':', &local, wait, err));
	ZINC_TRY(zinc_redis_expect(c, ':', &all, wait, err));
	return local.number >= 1
		   ? ZINC_OK
		   : zinc_fail(err, ZINC_E_UNCERTAIN,
			       "the change is made, but the server has not written it to its disk in time");
}

/* ---- markers ---- */

static zinc_status
send_marker(redis_conn *c, uint64_t number, const zinc_wait *wait, zinc_error *err)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, number);
	ZINC_TRY(zinc_resp_begin(c->r, 5, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "SET", wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, c->marker, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, text, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "EX", wait, err));
	return zinc_resp_arg(c->r, MARKER_SECONDS, wait, err);
}

static bool
has_marker(const changing *x, const redis_conn *c)
{
	return x->conditional && c->marker[0];
}

/* "7!", "7!!" ... is a marker of number 7 that was settled, perhaps several times. */
static bool
is_number_of(const char *marker, uint64_t number)
{
	char want[24];
	const size_t n = (size_t)snprintf(want, sizeof want, "%" PRIu64 "!", number);

	return strncmp(marker, want, n) == 0 && marker[n + strspn(marker + n, "!")] == '\0';
}

/* Was the change made whose outcome is not known?  From now on it cannot be any more. */
static zinc_status
settle(changing *x, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	char had[MARKER_LOOK + 1] = "";
	zinc_resp_head h;
	size_t n;

	ZINC_TRY(zinc_resp_begin(c->r, 3, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "APPEND", wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, x->marker, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "!", wait, err));
	ZINC_TRY(zinc_resp_begin(c->r, 2, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "GET", wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, x->marker, wait, err));
	ZINC_TRY(zinc_resp_begin(c->r, 3, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "EXPIRE", wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, x->marker, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, MARKER_SECONDS, wait, err));
	ZINC_TRY(zinc_resp_flush(c->r, wait, err));
	ZINC_TRY(zinc_redis_expect(c, ':', &h, wait, err));
	ZINC_TRY(zinc_redis_expect(c, '$', &h, wait, err));
	if (h.null) /* somebody erases markers */
		return zinc_redis_strange(c, err);
	n = (size_t)zinc_min_u64((uint64_t)h.number, MARKER_LOOK);
	ZINC_TRY(zinc_resp_read(c->r, had, n, wait, err));
	ZINC_TRY(zinc_redis_expect(c, ':', &h, wait, err));
	x->made = is_number_of(had, x->number);
	x->run = c->run;
	x->sent = false;
	return ZINC_OK;
}

/* ---- runs of the server ---- */

/* A relaxed change was made by this run; what needs a sync was made by one run, or by several. */
static void
note_run(redis_store *s, uint64_t run)
{
	uint64_t had = 0;

	if (run && !atomic_compare_exchange_strong(&s->relaxed, &had, run) && had != run)
		atomic_store(&s->relaxed, REDIS_RUNS);
}

/* ---- transactions ---- */

/* The results of n commands.  The server goes on after one that failed: then only a part of the change may be made, which
 * no repetition mends. */
static zinc_status
read_results(changing *x, redis_conn *c, size_t n, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	zinc_resp_head h;
	size_t i, failed = 0;

	for (i = 0; i < n; i++) {
		ZINC_TRY(zinc_resp_next(c->r, &h, wait, err));
		if (h.type != '-' && h.type != '+' && h.type != ':')
			return zinc_redis_strange(c, err);
		if (h.type == '-' && failed++ == 0)
			st = zinc_redis_fail(c, &h, err);
	}
	x->sent = failed && failed < n;
	x->made = !failed;
	c->again = c->again && !x->sent;
	return st;
}

/* A key that was changed between WATCH and EXEC makes EXEC return nothing. */
static zinc_status
read_exec(changing *x, redis_conn *c, size_t n, bool *raced, const zinc_wait *wait, zinc_error *err)
{
	zinc_resp_head h;

	ZINC_TRY(zinc_resp_next(c->r, &h, wait, err));
	if (h.type == '-') {
		x->sent = false;
		return zinc_redis_fail(c, &h, err);
	}
	if (h.type != '*' || (!h.null && (uint64_t)h.number != n) || (h.null && !x->conditional))
		return zinc_redis_strange(c, err);
	*raced = h.null;
	if (!h.null)
		return read_results(x, c, n, wait, err);
	x->sent = false;
	return ZINC_OK;
}

/* "+OK" of MULTI, "+QUEUED" of the others.  After an error EXEC does nothing; but without MULTI each command was on its
 * own, and nobody knows what was made. */
static zinc_status
read_queued(changing *x, redis_conn *c, size_t n, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	zinc_resp_head h;
	size_t i;

	for (i = 0; i < n + 1; i++) {
		ZINC_TRY(zinc_resp_next(c->r, &h, wait, err));
		if (h.type == '-' && st == ZINC_OK)
			st = zinc_redis_fail(c, &h, err);
		else if (h.type != '-' && (h.type != '+' || strcmp(h.text, i ? "QUEUED" : "OK") != 0))
			return st != ZINC_OK ? st : zinc_redis_strange(c, err);
		if (h.type == '-' && i == 0)
			c->again = false;
	}
	if (st == ZINC_OK)
		return ZINC_OK;
	if (zinc_resp_next(c->r, &h, wait, NULL) == ZINC_OK)
		x->sent = h.type != '-';
	return st;
}

static zinc_status
commit(changing *x, redis_conn *c, size_t n, bool *raced, const zinc_wait *wait, zinc_error *err)
{
	const bool marks = has_marker(x, c);

	if (c->no_multi.type == '-')
		return zinc_redis_fail(c, &c->no_multi, err);
	ZINC_TRY(zinc_resp_words(c->r, "MULTI", wait, err));
	ZINC_TRY(x->send(x, c, wait, err));
	if (marks) {
		x->number = ++c->changes;
		memcpy(x->marker, c->marker, sizeof x->marker);
		ZINC_TRY(send_marker(c, x->number, wait, err));
	}
	x->sent = true;
	x->run = c->run;
	ZINC_TRY(zinc_resp_words(c->r, "EXEC", wait, err));
	ZINC_TRY(zinc_resp_flush(c->r, wait, err));
	ZINC_TRY(read_queued(x, c, n + marks, wait, err));
	return read_exec(x, c, n + marks, raced, wait, err);
}

/* One change without a condition needs no transaction. */
static zinc_status
change_one(changing *x, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	zinc_resp_head h;

	ZINC_TRY(x->send(x, c, wait, err)); /* but for its end, which flush sends */
	x->sent = true;
	x->run = c->run;
	ZINC_TRY(zinc_resp_flush(c->r, wait, err));
	ZINC_TRY(zinc_resp_next(c->r, &h, wait, err));
	if (h.type != '-' && h.type != '+' && h.type != ':')
		return zinc_redis_strange(c, err);
	x->sent = false;
	x->made = h.type != '-';
	return x->made ? ZINC_OK : zinc_redis_fail(c, &h, err);
}

static zinc_status
unwatch(const changing *x, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	zinc_resp_head h;

	if (!x->conditional)
		return ZINC_OK;
	ZINC_TRY(zinc_resp_words(c->r, "UNWATCH", wait, err));
	ZINC_TRY(zinc_resp_flush(c->r, wait, err));
	return zinc_redis_expect(c, '+', &h, wait, err);
}

/* Look and commit, until nobody has changed anything between. */
static zinc_status
change_now(changing *x, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	bool raced = false;
	int tries;
	size_t n = 0;

	for (tries = 0; tries < ZINC_UPDATE_TRIES; tries++) {
		ZINC_TRY(zinc_wait_check(wait, err));
		ZINC_TRY(x->look(x, c, &n, wait, err));
		if (n == 0)
			return unwatch(x, c, wait, err);
		ZINC_TRY(n == 1 && !x->conditional ? change_one(x, c, wait, err) : commit(x, c, n, &raced, wait, err));
		if (!raced)
			return ZINC_OK;
		zinc_store_back_off(tries, c);
	}
	return zinc_fail(err, ZINC_E_CONFLICT, "others have changed the key before each of %d tries", tries);
}

/* On a connection that has changed nothing, so that the disk is not waited for: change the marker. */
static zinc_status
touch(const changing *x, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	zinc_resp_head h;

	if (x->relaxed || !(atomic_load(&c->s->seen) & REDIS_WAITAOF) || !c->marker[0])
		return ZINC_OK;
	ZINC_TRY(send_marker(c, ++c->changes, wait, err));
	ZINC_TRY(zinc_resp_flush(c->r, wait, err));
	return zinc_redis_expect(c, '+', &h, wait, err);
}

/* What was made by an earlier run of the server may be lost. */
static zinc_status
check_run(changing *x, const redis_conn *c, zinc_error *err)
{
	if (!x->made || x->relaxed || x->run == 0 || x->run == c->run)
		return ZINC_OK;
	if (x->syncs)
		return zinc_fail(err, ZINC_E_UNCERTAIN,
				 "the server was restarted before earlier changes were known to be on its disk");
	x->made = false;
	x->sent = true;
	return ZINC_OK;
}

static zinc_status
try_change(redis_conn *c, void *arg, const zinc_wait *wait, zinc_error *err)
{
	changing *x = (changing *)arg;
	bool again;

	ZINC_TRY(check_run(x, c, err));
	again = x->made;
	if (x->sent && x->conditional && !x->marker[0])
		return zinc_fail(err, ZINC_E_UNCERTAIN,
				 "the connection was lost before the server answered, and without redis.marker nothing "
				 "tells whether the change was made");
	if (x->sent && x->conditional)
		ZINC_TRY(settle(x, c, wait, err));
	if (!x->made)
		ZINC_TRY(change_now(x, c, wait, err));
	else if (again)
		ZINC_TRY(touch(x, c, wait, err));
	if (x->made && x->relaxed && (atomic_load(&c->s->seen) & REDIS_WAITAOF))
		note_run(c->s, c->run);
	return x->made ? wait_for_disk(c, x->relaxed, wait, err) : ZINC_OK;
}

/* An outcome that stays unknown is said to be so. */
static zinc_status
run(changing *x, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = zinc_redis_run(x->s, try_change, x, wait, err);

	if (st == ZINC_OK || (!x->sent && !x->made))
		return st;
	if (err)
		err->code = ZINC_E_UNCERTAIN;
	return ZINC_E_UNCERTAIN;
}

/* ---- values and conditions ---- */

static zinc_status
send_set(redis_conn *c, const char *key, const struct iovec *iov, int niov, const zinc_wait *wait, zinc_error *err)
{
	size_t n;

	if (zinc_iov_bytes(iov, niov, &n) || n > REDIS_VALUE_MAX)
		return zinc_fail(err, ZINC_E_LIMIT, "a value of Redis has at most %llu bytes",
				 (unsigned long long)REDIS_VALUE_MAX);
	ZINC_TRY(zinc_resp_begin(c->r, 3, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "SET", wait, err));
	ZINC_TRY(zinc_redis_key(c, key, strlen(key), wait, err));
	return zinc_resp_iov(c->r, iov, niov, n, wait, err);
}

static bool
has_condition(const zinc_change *x)
{
	return x->when && x->when->when != ZINC_ANY;
}

static zinc_status
send_watch(changing *x, redis_conn *c, size_t nkeys, const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	ZINC_TRY(zinc_resp_begin(c->r, 1 + nkeys + (c->marker[0] != 0), wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "WATCH", wait, err));
	if (x->key)
		ZINC_TRY(zinc_redis_key(c, x->key, strlen(x->key), wait, err));
	for (i = 0; i < x->n; i++)
		if (has_condition(x->changes[i]))
			ZINC_TRY(zinc_redis_key(c, x->changes[i]->key, strlen(x->changes[i]->key), wait, err));
	return c->marker[0] ? zinc_resp_arg(c->r, c->marker, wait, err) : ZINC_OK;
}

static zinc_status
ask_condition(redis_conn *c, const zinc_change *x, const zinc_wait *wait, zinc_error *err)
{
	return zinc_redis_ask(c, x->when->when == ZINC_EQUALS ? "GET" : "EXISTS", x->key, wait, err);
}

static zinc_status
hash_reply(redis_conn *c, uint64_t left, zinc_tag *out, const zinc_wait *wait, zinc_error *err)
{
	uint8_t piece[PIECE];
	zinc_hash h;

	zinc_hash_begin(&h);
	while (left) {
		const size_t some = (size_t)zinc_min_u64(left, sizeof piece);

		ZINC_TRY(zinc_resp_read(c->r, piece, some, wait, err));
		zinc_hash_add(&h, piece, some);
		left -= some;
	}
	zinc_hash_end(&h, out);
	return zinc_resp_end(c->r, wait, err);
}

/* The answer to ask_condition: does it hold? */
static zinc_status
check_condition(redis_conn *c, zinc_change *x, const zinc_wait *wait, zinc_error *err)
{
	zinc_tag tag = {0, {0}};
	zinc_resp_head h;
	bool found;

	ZINC_TRY(zinc_redis_expect(c, x->when->when == ZINC_EQUALS ? '$' : ':', &h, wait, err));
	found = h.type == ':' ? h.number > 0 : !h.null;
	if (h.type == '$' && found)
		ZINC_TRY(hash_reply(c, (uint64_t)h.number, &tag, wait, err));
	x->status = zinc_batch_check(x->when, found ? &tag : NULL);
	return ZINC_OK;
}

/* A key that the same call has changed before is as that change leaves it. */
static void
check_after(const changing *x, size_t i)
{
	const zinc_change *before = zinc_batch_earlier(x->changes, i);
	zinc_tag tag = {0, {0}};

	if (!before || !has_condition(x->changes[i]))
		return;
	if (!before->erase)
		zinc_batch_hash(before, &tag);
	x->changes[i]->status = zinc_batch_check(x->changes[i]->when, before->erase ? NULL : &tag);
}

/* All conditions are asked about, a few ahead. */
static zinc_status
check_conditions(changing *x, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	size_t asked = 0, i, ahead = 0;

	for (i = 0; i < x->n; i++) {
		for (; asked < x->n && ahead < AHEAD; asked++)
			if (has_condition(x->changes[asked])) {
				ZINC_TRY(ask_condition(c, x->changes[asked], wait, err));
				ahead++;
			}
		x->changes[i]->status = ZINC_OK;
		if (!has_condition(x->changes[i]))
			continue;
		ZINC_TRY(zinc_resp_flush(c->r, wait, err));
		ZINC_TRY(check_condition(c, x->changes[i], wait, err));
		ahead--;
		check_after(x, i);
	}
	return ZINC_OK;
}

/* ---- put and del ---- */

static zinc_status
look_at_changes(changing *x, redis_conn *c, size_t *n, const zinc_wait *wait, zinc_error *err)
{
	size_t i, conditions = 0;
	zinc_resp_head h;

	for (i = 0; i < x->n; i++) {
		conditions += has_condition(x->changes[i]);
		x->changes[i]->status = ZINC_OK;
	}
	if (conditions) {
		ZINC_TRY(send_watch(x, c, conditions, wait, err));
		ZINC_TRY(zinc_resp_flush(c->r, wait, err));
		ZINC_TRY(zinc_redis_expect(c, '+', &h, wait, err));
		ZINC_TRY(check_conditions(x, c, wait, err));
	}
	for (i = *n = 0; i < x->n; i++)
		*n += x->changes[i]->status == ZINC_OK;
	return ZINC_OK;
}

static zinc_status
send_changes(changing *x, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	for (i = 0; i < x->n; i++) {
		const zinc_change *ch = x->changes[i];

		if (ch->status != ZINC_OK)
			continue;
		ZINC_TRY(ch->erase ? zinc_redis_ask(c, "DEL", ch->key, wait, err)
				   : send_set(c, ch->key, ch->iov, ch->niov, wait, err));
	}
	return ZINC_OK;
}

static zinc_status
apply(void *self, zinc_change *const *changes, size_t n, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	changing x = {.s = (redis_store *)self, .relaxed = relaxed, .changes = changes, .n = n};
	size_t i;

	x.look = look_at_changes;
	x.send = send_changes;
	for (i = 0; i < n; i++)
		x.conditional |= has_condition(changes[i]);
	return run(&x, wait, err);
}

const zinc_batch_ops zinc_redis_batch = {apply, zinc_redis_sync};

/* ---- erasing what a listing found ---- */

static zinc_status
look_at_nothing(changing *x, redis_conn *c, size_t *n, const zinc_wait *wait, zinc_error *err)
{
	(void)x, (void)c, (void)wait, (void)err;
	*n = 1;
	return ZINC_OK;
}

static zinc_status
send_erase(changing *x, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	ZINC_TRY(zinc_resp_begin(c->r, 1 + x->nnames, wait, err));
	ZINC_TRY(zinc_resp_arg(c->r, "DEL", wait, err));
	for (i = 0; i < x->nnames; i++)
		ZINC_TRY(zinc_redis_key(c, (const char *)x->names[i].p, x->names[i].n, wait, err));
	return ZINC_OK;
}

zinc_status
zinc_redis_erase(redis_store *s, const zinc_bytes *names, size_t n, bool relaxed, const zinc_wait *wait,
		 zinc_error *err)
{
	changing x = {
	    .s = s, .relaxed = relaxed, .look = look_at_nothing, .send = send_erase, .names = names, .nnames = n};

	return n ? run(&x, wait, err) : ZINC_OK;
}

/* ---- update ---- */

static zinc_status
read_old(changing *x, redis_conn *c, size_t *nold, bool *found, const zinc_wait *wait, zinc_error *err)
{
	const uint64_t most = x->limit ? x->limit : REDIS_VALUE_MAX;
	zinc_resp_head h;

	ZINC_TRY(zinc_redis_expect(c, '$', &h, wait, err));
	*found = !h.null;
	*nold = (size_t)h.number;
	if (h.null)
		return ZINC_OK;
	if ((uint64_t)h.number > most)
		return zinc_fail(err, ZINC_E_LIMIT, "the value is longer than the limit of %llu bytes",
				 (unsigned long long)most);
	zinc_free(redis_ctx(x->s), x->old);
	x->old = (uint8_t *)zinc_alloc(redis_ctx(x->s), *nold);
	if (!x->old)
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_resp_read(c->r, x->old, *nold, wait, err));
	return zinc_resp_end(c->r, wait, err);
}

static zinc_status
look_at_value(changing *x, redis_conn *c, size_t *n, const zinc_wait *wait, zinc_error *err)
{
	size_t nold = 0;
	zinc_resp_head h;
	bool found;

	ZINC_TRY(send_watch(x, c, 1, wait, err));
	ZINC_TRY(zinc_redis_ask(c, "GET", x->key, wait, err));
	ZINC_TRY(zinc_resp_flush(c->r, wait, err));
	ZINC_TRY(zinc_redis_expect(c, '+', &h, wait, err));
	ZINC_TRY(read_old(x, c, &nold, &found, wait, err));
	x->out = (zinc_update){.size = sizeof x->out};
	ZINC_TRY(x->fn(x->arg, found ? x->old : NULL, nold, &x->out, err));
	*n = !x->out.keep && (found || !x->out.erase);
	return ZINC_OK;
}

static zinc_status
send_update(changing *x, redis_conn *c, const zinc_wait *wait, zinc_error *err)
{
	const struct iovec iov = {(void *)(uintptr_t)x->out.bytes, x->out.nbytes};

	return x->out.erase ? zinc_redis_ask(c, "DEL", x->key, wait, err) : send_set(c, x->key, &iov, 1, wait, err);
}

zinc_status
zinc_redis_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
		  const zinc_wait *wait, zinc_error *err)
{
	changing x = {.s = (redis_store *)self,
		      .relaxed = flags & ZINC_PUT_RELAXED,
		      .conditional = true,
		      .look = look_at_value,
		      .send = send_update,
		      .key = key,
		      .fn = fn,
		      .arg = arg,
		      .limit = limit};
	const zinc_status st = run(&x, wait, err);

	zinc_free(redis_ctx(x.s), x.old);
	return st;
}

/* ---- sync: a change of this connection is on the disk after all that came before ---- */

/* Relaxed changes from now on need no sync; those before do, until the disk has them. */
zinc_status
zinc_redis_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	changing x = {.s = (redis_store *)self, .made = true, .syncs = true};
	zinc_status st;

	if (!(atomic_load(&x.s->seen) & REDIS_WAITAOF))
		return ZINC_OK;
	ZINC_TRY(zinc_turn_acquire(&x.s->syncing, wait, err));
	x.run = atomic_exchange(&x.s->relaxed, 0);
	st = run(&x, wait, err);
	if (st != ZINC_OK)
		note_run(x.s, x.run);
	zinc_turn_release(&x.s->syncing);
	return st;
}
