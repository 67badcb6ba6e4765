/*
 * vectors.c - encoded elements of numcodecs, as tests of a codec
 */
#include <stdbool.h>
#include <stdlib.h>

#include "support/chains.h"
#include "support/test.h"
#include "support/vectors.h"

typedef struct vector {
	const char *codec, *chain, *dtype;
	uint64_t n;
	const char *decoded, *encoded; /* hexadecimal; elements are little-endian */
	const char *again;             /* what `encoded` decodes to; NULL: `decoded` */
	bool same;
} vector;

static const vector vectors[] = {
#include "support/numcodecs_vectors.h"
};

#define MOST_BYTES 8192

/* Elements in this machine's byte order. */
static void
load(const chain_case *t, const char *hex, uint8_t *out)
{
	const size_t n = unhex(hex, out, MOST_BYTES);

	assert_int_equal(n, chain_nbytes(t));
	if (ZINC_HOST_BIG)
		zinc_dtype_swap(t->dtype, out, out, n / t->dtype->size);
}

static void
run(const vector *v)
{
	static uint8_t elements[MOST_BYTES], want[MOST_BYTES], bytes[MOST_BYTES], back[MOST_BYTES];
	const uint64_t shape[] = {v->n, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	size_t n = unhex(v->encoded, bytes, sizeof bytes), bound;
	chain_case t;

	assert_ok(chain_init(&t, NULL, v->chain, v->dtype, shape, NULL, true, &err));
	load(&t, v->decoded, elements);
	load(&t, v->again ? v->again : v->decoded, want);
	assert_ok(chain_decode(&t, bytes, n, back, &err));
	if (memcmp(back, want, chain_nbytes(&t)) != 0)
		fail_msg("%s does not decode as it should", v->chain);
	assert_ok(chain_encode(&t, elements, &err));
	assert_int_equal(zinc_chain_bound(t.chain, shape, &bound), 0);
	assert_true(t.chain->fixed_size ? t.out.n == bound : t.out.n <= bound);
	if (v->same && (t.out.n != n || memcmp(t.out.p, bytes, n) != 0))
		fail_msg("%s does not encode as it should", v->chain);
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_memory_equal(back, want, chain_nbytes(&t));
	chain_fini(&t);
}

void
vectors_run(const char *codec)
{
	size_t i, ran = 0;

	for (i = 0; i < COUNT(vectors); i++)
		if (strcmp(vectors[i].codec, codec) == 0) {
			run(&vectors[i]);
			ran++;
		}
	assert_true(ran > 0);
}
