/*
 * rows.h - inside of the room `grid`: the built-in rows of its two tables
 */
#ifndef ZINC_GRID_ROWS_H
#define ZINC_GRID_ROWS_H

#include "grid/grid.h"

extern const zinc_grid_ops zinc_grid_ops_regular;     /* grid_regular.c */
extern const zinc_grid_ops zinc_grid_ops_rectilinear; /* grid_rectilinear.c */
extern const zinc_grid_ops zinc_grid_ops_rectangular;
extern const zinc_grid_ops zinc_grid_ops_bounded; /* grid_bounded.c */
extern const zinc_keys_ops zinc_keys_ops_default; /* keys_default.c */
extern const zinc_keys_ops zinc_keys_ops_v2;      /* keys_v2.c */

/* Shared by the grids. */

/* An edge of chunks, or how many there are.  Spellings of zarr-python are lenient findings: true and false for 1 and 0,
 * 4.0 for 4 (grid_table.c). */
zinc_status zinc_grid_parse_edge(uint64_t *out, const zinc_json *v, zinc_report *r, zinc_error *err);
/* Make `g` a rectilinear grid of these chunk_shapes (grid_rectilinear.c). */
zinc_status zinc_grid_parse_shapes(zinc_grid *g, const zinc_json *list, const uint64_t *shape, zinc_report *r,
				   zinc_error *err);

/* Shared by the two key encodings (keys_table.c). */

/* The longest key of ndim indices with its prefix. */
#define ZINC_KEYS_MAX (ZINC_MAX_NDIM * 21 + 2)

/* "separator", if given, must be "/" or "."; the default is `otherwise`. */
zinc_status zinc_keys_parse_separator(zinc_keys *k, char otherwise, const zinc_json *configuration, zinc_report *r,
				      zinc_error *err);
zinc_json *zinc_keys_print_separator(const zinc_keys *k, zinc_json_doc *doc);
/* `self` of a built-in encoding is its separator, not an address: a zinc_keys may be copied and moved. */
static inline char
zinc_keys_separator(void *self)
{
	return (char)(uintptr_t)self;
}
/* Print indices in decimal with separators between them; returns the end of the text (no NUL). */
char *zinc_keys_join(char separator, const uint64_t *index, int ndim, char *to);
/* The exact inverse, which must use the whole text: no signs, no leading zeros, at most 2^64-1. */
bool zinc_keys_cut(char separator, const char *text, int ndim, uint64_t *index);
/* Copy the key text[0..end) to the caller's room if it fits; returns its length. */
size_t zinc_keys_copy_out(const char *text, const char *end, char *out, size_t room);

#endif
