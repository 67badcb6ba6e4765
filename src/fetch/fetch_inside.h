/*
 * fetch_inside.h - what near.c, far.c and send.c share: one round of an item, threads that wait for others
 */
#ifndef ZINC_FETCH_INSIDE_H
#define ZINC_FETCH_INSIDE_H

#include "fetch/fetch.h"

/* Before want(): forget what came of the round before. */
void zinc_fetch_round_init(zinc_fetch_item *it);
/* After want(): what is to be sent. */
void zinc_fetch_round_send(const zinc_fetch *f, zinc_fetch_item *it, const zinc_get **gets, size_t *n);
/* An answer.  True: it was the last.  A failure is told at once, the first of an item only. */
bool zinc_fetch_round_done(const zinc_fetch *f, zinc_fetch_item *it, const zinc_got *got);
/* All answers are here: it->found, and counting. */
void zinc_fetch_round_end(const zinc_fetch *f, zinc_fetch_item *it);
/* How many bytes the item needs, if `nbytes` come of one request. */
uint64_t zinc_fetch_round_bytes(const zinc_fetch_item *it, uint64_t nbytes);
/* Where those of request k go. */
void *zinc_fetch_round_place(const zinc_fetch_item *it, size_t k);
/* Tell that the object is too long; false: it is not. */
bool zinc_fetch_round_too_long(const zinc_fetch *f, zinc_fetch_item *it, uint64_t nbytes);
/* It is over with the item, once. */
void zinc_fetch_round_fail(const zinc_fetch *f, zinc_fetch_item *it, zinc_status st, zinc_error *err);

#define ZINC_FETCH_POLL_MS 20 /* how late a cancel may be noticed */

/* A thread of ours, to which no signal of the program is delivered; false: there is none to be had. */
bool zinc_fetch_thread(pthread_t *thread, void *(*fn)(void *), void *arg);
/* A condition for the next. */
void zinc_fetch_cond_init(pthread_cond_t *cond);
/* Wait, but no longer than POLL_MS; false: nothing happened meanwhile. */
bool zinc_fetch_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock);

/* false: there is no memory to begin with. */
bool zinc_fetch_far(const zinc_fetch *f, size_t n);

#endif
