/*
 * arrays.c - small arrays in memory with a counting store, for tests of the array room
 */
#include "support/fault.h"
#include "support/arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "support/test.h"

void
stage_open(stage *s, int threads, uint64_t cache)
{
	static unsigned serial;
	zinc_error err = ZINC_ERROR_INIT;
	char url[64];

	memset(s, 0, sizeof *s);
	snprintf(url, sizeof url, "memory://stage-%u", ++serial);
	assert_ok(zinc_context_new(&s->ctx, ZINC_CONTEXT_OPTIONS(.threads = threads, .cache_bytes = cache), &err));
	assert_ok(zinc_store_open(&s->memory, url, ZINC_STORE_OPTIONS(.context = s->ctx), &err));
	assert_ok(zinc_store_log(&s->log, s->memory, NULL, NULL, &err));
	assert_ok(zinc_store_fault(&s->fault, s->log, &err));
	assert_ok(zinc_hierarchy_open(&s->h, s->fault, "", ZINC_OPEN_OPTIONS(.context = s->ctx, .create = 1), &err));
	assert_ok(zinc_group_create(s->h, "/", NULL, 0, NULL, &err));
}

void
stage_close(stage *s)
{
	zinc_hierarchy_close(s->h);
	zinc_store_close(s->fault);
	zinc_store_close(s->log);
	zinc_store_close(s->memory);
	zinc_context_free(s->ctx);
}

zinc_store_counts
stage_counts(stage *s)
{
	static zinc_store_counts last = ZINC_STORE_COUNTS_INIT;
	zinc_store_counts now = ZINC_STORE_COUNTS_INIT, gone = ZINC_STORE_COUNTS_INIT;

	zinc_store_log_counts(s->log, &now);
	if (now.get_calls < last.get_calls || now.put_calls < last.put_calls)
		memset(&last, 0, sizeof last); /* another stage */
	gone = now;
	gone.get_calls -= last.get_calls;
	gone.get_requests -= last.get_requests;
	gone.get_bytes -= last.get_bytes;
	gone.put_calls -= last.put_calls;
	gone.put_bytes -= last.put_bytes;
	gone.del_calls -= last.del_calls;
	gone.list_calls -= last.list_calls;
	gone.update_calls -= last.update_calls;
	last = now;
	return gone;
}

zinc_array *
stage_array(stage *s, const char *name, uint64_t rows, uint64_t cols, uint64_t chunk_rows, uint64_t chunk_cols,
	    uint64_t shard_rows, uint64_t shard_cols, const char *codecs)
{
	const uint64_t shape[] = {rows, cols}, chunks[] = {chunk_rows, chunk_cols}, shards[] = {shard_rows, shard_cols};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create(&a, s->h, name,
				    ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "uint16", .chunks = chunks,
						       .shards = shard_rows > 0 ? shards : NULL, .codecs = codecs,
						       .big_endian = ZINC_HOST_BIG),
				    &err));
	return a;
}

void
stage_fill(zinc_array *a)
{
	const uint64_t *shape = zinc_array_shape(a);
	size_t n = (size_t)(shape[0] * shape[1]), i;
	uint16_t *v = malloc(n * sizeof *v + 1);
	zinc_error err = ZINC_ERROR_INIT;

	assert_non_null(v);
	for (i = 0; i < n; i++)
		v[i] = (uint16_t)(i + 1);
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, n * sizeof *v), NULL, &err));
	free(v);
}
