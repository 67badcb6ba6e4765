/*
 * arrays.h - small arrays in memory with a counting store, for tests of the array room
 */
#ifndef ARRAYS_H
#define ARRAYS_H

#include <zinc.h>
#include <zinc/store.h>

typedef struct stage {
	zinc_context *ctx;
	zinc_store *memory, *log, *fault;
	zinc_hierarchy *h; /* on the fault store, on the log store, on the memory store */
} stage;

/* A fresh, empty hierarchy; `threads` and `cache` are the context's. */
void stage_open(stage *s, int threads, uint64_t cache);
void stage_close(stage *s);
/* The requests to the log store since the last call. */
zinc_store_counts stage_counts(stage *s);

/* A 2-d uint16 array of rows x cols; shard_rows 0: not sharded. */
zinc_array *stage_array(stage *s, const char *name, uint64_t rows, uint64_t cols, uint64_t chunk_rows,
			uint64_t chunk_cols, uint64_t shard_rows, uint64_t shard_cols, const char *codecs);
/* Write element (r, c) = r * cols + c + 1 everywhere. */
void stage_fill(zinc_array *a);

#endif
