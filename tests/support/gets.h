/*
 * gets.h - one call of zinc_store_get, with all its results kept for a test
 */
#ifndef GETS_H
#define GETS_H

#include "store/store.h"

typedef struct get_result {
	int rooms; /* calls of room() */
	int dones; /* calls of done() */
	zinc_found found;
	uint64_t nbytes, object_size;
	zinc_tag tag;
	zinc_status status;
	zinc_error error;
	uint8_t *bytes; /* of room() */
} get_result;

typedef struct gets {
	get_result *r;
	size_t n;
	int not_now; /* answer "not now" this many times first */
	bool refuse; /* no room at all */
	zinc_cancel cancel;
	int cancel_after; /* set cancel after so many are done; 0: never */
	int total_dones;
	pthread_mutex_t lock;
} gets;

void gets_init(gets *g, size_t n);
void gets_fini(gets *g);
/* The sink that records the results; it refers to *g. */
zinc_sink gets_sink(gets *g);
zinc_status gets_run(gets *g, zinc_store *s, const zinc_get *requests, zinc_error *err);

/* A request for bytes of a key. */
zinc_get get_range(const char *key, uint64_t offset, uint64_t length);
zinc_get get_suffix(const char *key, uint64_t length);
zinc_get get_stat(const char *key);

/* The value of `key` must be these bytes. */
void assert_value(zinc_store *s, const char *key, const void *bytes, size_t n);
void assert_text(zinc_store *s, const char *key, const char *text);
void assert_missing(zinc_store *s, const char *key);
void put_text(zinc_store *s, const char *key, const char *text);
/* The same where it may fail. */
zinc_status try_get(zinc_store *s, const char *key, zinc_error *err);
zinc_status try_put(zinc_store *s, const char *key, const char *text, const zinc_condition *when, zinc_error *err);
zinc_tag tag_of(zinc_store *s, const char *key);

/* Add one to the int `arg`, for each key of zinc_store_list or each entry of zinc_store_list_dir. */
int count_key(void *arg, const char *key, uint64_t nbytes);
int count_entry(void *arg, const char *name, int is_prefix);

#endif
