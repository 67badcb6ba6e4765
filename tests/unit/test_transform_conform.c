/*
 * test_transform_conform.c - the store conformance suite on every layer, alone (22-123+) and two deep (22-125+)
 *
 * The keys of the suite are not chunk keys ("a/b", "k").  To store them in shards, the layers get a key encoding that
 * numbers keys in order of use: a dictionary.
 *
 *     key     "k"  "a/b"  "m/001"         shards of three:   "k" (0..2), "a/b" (3..5)
 *     index    0     1       2
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/conform_store.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/test.h"
#include "transform/transform_inside.h"

/* ---- the dictionary ---- */

enum { MOST_WORDS = 4096 };

typedef struct words {
	pthread_mutex_t lock;
	char *word[MOST_WORDS];
	uint64_t n;
} words;

static words dictionary = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
words_clear(void)
{
	while (dictionary.n > 0)
		free(dictionary.word[--dictionary.n]);
}

/* A number without a key was made only by the layer: the rest of a shard. */
static size_t
word_encode(const zinc_transformer_input *in, const uint64_t *index, char *out, size_t room)
{
	int n;

	(void)in;
	pthread_mutex_lock(&dictionary.lock);
	if (index[0] < dictionary.n)
		n = snprintf(out, room, "%s", dictionary.word[index[0]]);
	else
		n = snprintf(out, room, "no word %d", (int)index[0]);
	pthread_mutex_unlock(&dictionary.lock);
	return (size_t)n;
}

static int
word_decode(const zinc_transformer_input *in, const char *key, uint64_t *index)
{
	(void)in;
	pthread_mutex_lock(&dictionary.lock);
	for (index[0] = 0; index[0] < dictionary.n; index[0]++)
		if (strcmp(dictionary.word[index[0]], key) == 0)
			break;
	if (index[0] == dictionary.n) {
		dictionary.word[dictionary.n++] = strdup(key);
	}
	pthread_mutex_unlock(&dictionary.lock);
	return 1;
}

/* ---- the layers ---- */

typedef struct kind {
	const char *base;   /* "memory" or "fs" */
	const char *layers; /* of the letters below, the lowest first */
	bool by_word;       /* all keys are chunks' */
} kind;

static void
put_layer(zinc_store **top, char what, bool by_word)
{
	static const uint64_t shape[] = {MOST_WORDS}, one[] = {1};
	static const zinc_layer_cache_options kept = {sizeof kept, 1 << 20, 0};
	static const zinc_layer_log_options silent = ZINC_LAYER_LOG_OPTIONS_INIT;
	zinc_transformer_input in = {.size = sizeof in, .next = *top, .prefix = "", .ndim = 1, .shape = shape};
	zinc_store *layer = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	static zinc_keys keys;

	in.context = zinc_store_context(*top);
	in.grid_shape = shape;
	in.chunk_shape = one;
	in.encode_key = word_encode;
	in.decode_key = word_decode;
	in.shard_order = what == 'm' ? ZINC_SHARD_MORTON : what == 'a' ? ZINC_SHARD_APPEND : ZINC_SHARD_ROWS;
	if (!by_word) {
		assert_ok(zinc_keys_parse_text(&keys, NULL, "default", &err));
		zinc_transformer_keys(&in, &keys);
	}
	if (what == 'c')
		assert_ok(zinc_layer_cache(&layer, &kept, &in, &err));
	else if (what == 'l')
		assert_ok(zinc_layer_log(&layer, &silent, &in, &err));
	else
		assert_ok(zinc_sharding_open(&layer, "{\"chunks_per_shard\": [3]}", &in, &err));
	zinc_store_close(*top);
	*top = layer;
}

static void
make(void *arg, conform_subject *out)
{
	static int number;
	const kind *k = (const kind *)arg;
	zinc_error err = ZINC_ERROR_INIT;
	char url[64] = "memory://";
	const char *p;

	words_clear();
	if (strcmp(k->base, "fs") == 0)
		snprintf(url, sizeof url, "layers/%d", number++);
	assert_ok(zinc_store_open(&out->store, url, ZINC_STORE_OPTIONS(.relaxed = 1), &err));
	for (p = k->layers; *p; p++)
		put_layer(&out->store, *p, k->by_word);
	out->fill = out->store;
}

int
main(void)
{
	static const kind kinds[] = {
	    {"memory", "s", true},   {"memory", "ss", true},  {"memory", "m", true},   {"memory", "a", true},
	    {"memory", "am", true},  {"memory", "c", true},   {"memory", "cc", true},  {"memory", "l", true},
	    {"memory", "ll", true},  {"memory", "scl", true}, {"memory", "lsc", true}, {"memory", "s", false},
	    {"memory", "ss", false}, {"fs", "s", false},      {"fs", "ss", false},     {"fs", "c", true},
	    {"fs", "cs", false},
	};
	int failed = 0;
	size_t i;

	make_empty("layers");
	for (i = 0; i < COUNT(kinds); i++) {
		kind k = kinds[i];
		char name[64];

		snprintf(name, sizeof name, "%s below %s%s", k.base, k.layers, k.by_word ? " by word" : "");
		failed += conform_store_run(name, make, &k);
	}
	words_clear();
	return failed;
}
