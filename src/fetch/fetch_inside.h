/*
 * fetch_inside.h - shared by fetch_local.c, fetch_remote.c and send.c: one round of an item, threads and conditions
 */
#ifndef ZINC_FETCH_INSIDE_H
#define ZINC_FETCH_INSIDE_H

#include "fetch/fetch.h"

/* Before want(): reset the results of the previous round. */
void zinc_fetch_round_init(zinc_fetch_item *it);
/* After want(): the requests to send. */
void zinc_fetch_round_send(const zinc_fetch *f, zinc_fetch_item *it, const zinc_get **gets, size_t *n);
/* Handle an answer; true: it was the last.  The first failure of an item is reported at once. */
bool zinc_fetch_round_done(const zinc_fetch *f, zinc_fetch_item *it, const zinc_got *got);
/* All answers are there: set it->found, and count. */
void zinc_fetch_round_end(const zinc_fetch *f, zinc_fetch_item *it);
/* The bytes that the item needs if one request delivers `nbytes`. */
uint64_t zinc_fetch_round_bytes(const zinc_fetch_item *it, uint64_t nbytes);
/* The destination of request k. */
void *zinc_fetch_round_place(const zinc_fetch_item *it, size_t k);
/* Report that the object is too long; false: it is not. */
bool zinc_fetch_round_too_long(const zinc_fetch *f, zinc_fetch_item *it, uint64_t nbytes);
/* Report the failure of an item, once. */
void zinc_fetch_round_fail(const zinc_fetch *f, zinc_fetch_item *it, zinc_status st, zinc_error *err);

#define ZINC_FETCH_POLL_MS 20 /* a cancel is noticed within this time */

/* Wait at most POLL_MS; false: not signalled.  The condition is made by zinc_wait_cond_init. */
bool zinc_fetch_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock);

/* False: there is not enough memory to start. */
bool zinc_fetch_remote(const zinc_fetch *f, size_t n);

#endif
