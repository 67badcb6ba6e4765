/*
 * slots.h - the slots put and del of a test's store, made from functions for one key
 *
 * `one` is (self, group, key, iov, niov, when, flags, tag, wait, err), or for del without iov, niov and tag.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include "store/store.h"

#define PUT_SLOT(name, one)                                                                                            \
	static zinc_status name(void *self, zinc_put_group *group, const zinc_put *puts, size_t n,                     \
				const zinc_done *done, uint32_t flags, const zinc_wait *wait, zinc_error *err)         \
	{                                                                                                              \
		size_t i;                                                                                              \
                                                                                                                       \
		(void)err;                                                                                             \
		for (i = 0; i < n; i++) {                                                                              \
			zinc_error e = ZINC_ERROR_INIT;                                                                \
			zinc_tag tag = {0, {0}};                                                                       \
			zinc_status st = one(self, group, puts[i].key, puts[i].iov, puts[i].niov, puts[i].when, flags, \
					     flags & ZINC_PUT_TAGS ? &tag : NULL, wait, &e);                           \
                                                                                                                       \
			zinc_done_report(done, i, st, &tag, &e);                                                       \
		}                                                                                                      \
		return ZINC_OK;                                                                                        \
	}

#define DEL_SLOT(name, one)                                                                                            \
	static zinc_status name(void *self, zinc_put_group *group, const zinc_del *dels, size_t n,                     \
				const zinc_done *done, uint32_t flags, const zinc_wait *wait, zinc_error *err)         \
	{                                                                                                              \
		size_t i;                                                                                              \
                                                                                                                       \
		(void)err;                                                                                             \
		for (i = 0; i < n; i++) {                                                                              \
			zinc_error e = ZINC_ERROR_INIT;                                                                \
			zinc_status st = one(self, group, dels[i].key, dels[i].when, flags, wait, &e);                 \
                                                                                                                       \
			zinc_done_report(done, i, st, NULL, &e);                                                       \
		}                                                                                                      \
		return ZINC_OK;                                                                                        \
	}

#endif
