/*
 * test_store_embedded.c - the conformance suite on databases of LevelDB, Berkeley DB, Kyoto Cabinet and Tokyo Cabinet, and the
 * promises of store_embedded.c, by number, on each
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_inside.h"
#include "support/conform_store.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/kill_storm.h"
#include "support/sweep.h"
#include "support/test.h"

/* The kinds that this build has. */
typedef struct kind {
	const char *scheme, *ending;
	bool hash, forkless, readable; /* readable: without permission to write */
	zinc_status (*add)(zinc_error *err);
} kind;

static const kind kinds[] = {
#if ZINC_WITH_LEVELDB
    {"leveldb", ".leveldb", false, true, false, zinc_store_leveldb_register},
#endif
#if ZINC_WITH_BERKELEYDB
    {"berkeleydb", ".bdb", false, false, true, zinc_store_berkeleydb_register},
#endif
#if ZINC_WITH_KYOTOCABINET
    {"kyotocabinet", ".kct", false, false, true, zinc_store_kyotocabinet_register},
    {"kyotocabinet", ".kch", true, false, true, NULL},
#endif
#if ZINC_WITH_TOKYOCABINET
    {"tokyocabinet", ".tcb", false, false, true, zinc_store_tokyocabinet_register},
    {"tokyocabinet", ".tch", true, false, true, NULL},
#endif
    {NULL, NULL, false, false, false, NULL},
};

static void
make(void *arg, conform_subject *out)
{
	static int number;
	const kind *k = (const kind *)arg;
	zinc_error err = ZINC_ERROR_INIT;
	char url[128];

	snprintf(url, sizeof url, "%s://conform%d%s", k->scheme, number++, k->ending);
	assert_ok(zinc_store_open(&out->store, url, NULL, &err));
	out->fill = out->store;
}

int
main(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	const kind *k;
	int failed = 0;

	for (k = kinds; k->scheme; k++) {
		if (k->add)
			assert_ok(k->add(&err));
		failed += conform_store_run(k->ending, make, (void *)(uintptr_t)k);
	}
	return failed;
}
