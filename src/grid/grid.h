/*
 * grid.h - door of the room `grid`: shapes, chunk grids, key encodings, selections, copies
 *
 * Code outside this room must not assume that chunks are equal.  Every grid is separable: along each dimension it cuts
 * [0, length) into consecutive spans.
 */
#ifndef ZINC_GRID_H
#define ZINC_GRID_H

#include "base/base.h"
#include "report/report.h"

/* ---- chunk grids ---- */

typedef struct zinc_grid zinc_grid;

/* One row type for built-in and registered grids; they differ in how a grid is made from its configuration. */
typedef struct zinc_grid_ops {
	const char *name;
	const char *purpose;
	const char *const *uris;  /* in the drafts, NULL-ended; may be NULL */
	bool needs_configuration; /* a bare string is an error (M14) */
	/* Built in: parse the configuration into grid->step and self (M38-M40), and print it (NULL: no memory).
	 * `shape` is the array's. */
	zinc_status (*parse)(zinc_grid *g, const zinc_json *configuration, const uint64_t *shape, zinc_report *r,
			     zinc_error *err);
	zinc_json *(*print)(const zinc_grid *g, zinc_json_doc *doc);
	/* Registered (<zinc/extend.h>): open takes the configuration as text. */
	zinc_status (*open)(void **self, const char *configuration, int ndim, const uint64_t *shape, zinc_error *err);
	void (*close)(void *self); /* may be NULL */
	/* The number of chunks along dimension `dim` that hold one of its `length` elements. */
	uint64_t (*count)(void *self, int dim, uint64_t length);
	/* The chunk that holds index i. */
	uint64_t (*find)(void *self, int dim, uint64_t i);
	/* The first element and the full extent of a chunk. */
	void (*span)(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent);
	/* The largest extent along a dimension. */
	uint64_t (*widest)(void *self, int dim);
	/* Built in; NULL where all extents are the widest, or the grid fits every shape. */
	bool (*divides)(void *self, int dim, uint64_t by);
	zinc_status (*fit)(zinc_grid *g, const uint64_t *before, const uint64_t *after, const uint64_t *unit,
			   bool *changed, zinc_error *err);
	/* Built in: the last chunks end with the array and become longer with it, up to the widest extent; each stored
	 * chunk says its own shape. */
	bool grows;
} zinc_grid_ops;

/* Never copied: `self` may point into it. */
struct zinc_grid {
	const zinc_grid_ops *ops;
	zinc_context *ctx;
	int ndim;
	void *self;                   /* regular: `step` */
	bool opened;                  /* a registered grid that must be closed */
	char *configuration;          /* of a registered grid, as text; NULL: none */
	uint64_t step[ZINC_MAX_NDIM]; /* the chunk shape of a regular grid */
};

static inline uint64_t
zinc_grid_count(const zinc_grid *g, int dim, uint64_t length)
{
	return g->ops->count(g->self, dim, length);
}

static inline uint64_t
zinc_grid_chunk_of(const zinc_grid *g, int dim, uint64_t i)
{
	return g->ops->find(g->self, dim, i);
}

static inline void
zinc_grid_span(const zinc_grid *g, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	g->ops->span(g->self, dim, chunk, start, extent);
}

static inline uint64_t
zinc_grid_widest(const zinc_grid *g, int dim)
{
	return g->ops->widest(g->self, dim);
}

/* Is the extent of every chunk along the dimension a multiple of `by`?  A registered grid is asked for the widest. */
static inline bool
zinc_grid_divides(const zinc_grid *g, int dim, uint64_t by)
{
	return g->ops->divides ? g->ops->divides(g->self, dim, by) : zinc_grid_widest(g, dim) % by == 0;
}

/* The number of elements that a chunk of this extent has when the array has all of them. */
static inline uint64_t
zinc_grid_whole(const zinc_grid *g, int dim, uint64_t extent)
{
	return g->ops->grows ? zinc_grid_widest(g, dim) : extent;
}

/* Change the grid for another shape of the array; new chunks are multiples of `unit`.  *changed: it must be stored.
 * E_UNSUPPORTED, E_RANGE. */
zinc_status zinc_grid_fit(zinc_grid *g, const uint64_t *before, const uint64_t *after, const uint64_t *unit,
			  bool *changed, zinc_error *err);
/* Are chunks of one shape, stored whole?  Not of a registered grid, which does not say. */
bool zinc_grid_is_regular(const zinc_grid *g);

/* Parse the `chunk_grid` member.  M11, M14, M18 (E_UNSUPPORTED), M38-M40. */
zinc_status zinc_grid_parse(zinc_grid **out, zinc_context *ctx, const zinc_json *v, int ndim, const uint64_t *shape,
			    zinc_report *r, zinc_error *err);
/* Make a regular grid. */
zinc_status zinc_grid_regular(zinc_grid **out, zinc_context *ctx, int ndim, const uint64_t *chunk_shape,
			      zinc_error *err);
void zinc_grid_regular_init(zinc_grid *g, int ndim,
			    const uint64_t *chunk_shape); /* in the caller's memory, nothing to free */
/* Make a rectilinear grid from a caller's chunk_shapes, as JSON text; E_INVALID. */
zinc_status zinc_grid_rectilinear(zinc_grid **out, zinc_context *ctx, int ndim, const uint64_t *shape,
				  const char *chunk_shapes, zinc_error *err);
/* The number of dimensions of such a text; E_INVALID. */
zinc_status zinc_grid_edges_rank(zinc_context *ctx, const char *chunk_shapes, int *ndim, zinc_error *err);

/* Turn a regular grid, which zinc_grid_parse has made, into one whose chunks end with an array of this shape. */
zinc_status zinc_grid_cut(zinc_grid *g, const uint64_t *shape, zinc_error *err);
void zinc_grid_free(zinc_grid *g);
zinc_json *zinc_grid_print(const zinc_grid *g, zinc_json_doc *doc); /* the whole extension object */
zinc_json *zinc_grid_print_configuration(const zinc_grid *g, zinc_json_doc *doc);
/* Did zinc_grid_parse read the grid from `v` under another name than it is printed with?  That is a finding (M18, M40),
 * so a document that is written anyway gets the printed grid. */
bool zinc_grid_is_renamed(const zinc_grid *g, const zinc_json *v);

/* Find a grid by its v3 name, or by URI; `match` is set to MINOR or SAME, or to MAJOR with no result.  NULL:
 * unknown. */
const zinc_grid_ops *zinc_grid_find(const char *name);
const zinc_grid_ops *zinc_grid_find_uri(const char *uri, zinc_uri_match *match);

/* Choose a chunk shape: near-cubic, 1 to 4 MiB, at least 1 and at most the (non-zero) length along each dimension. */
void zinc_grid_choose(const uint64_t *shape, int ndim, uint64_t element, uint64_t *chunk_shape);
/* Choose a shard shape: multiples of the chunk shape, 64 to 256 MiB, not larger than needed to cover the array. */
void zinc_grid_choose_shard(const uint64_t *shape, int ndim, uint64_t element, const uint64_t *chunk_shape,
			    uint64_t *shard_shape);

/* ---- chunk key encodings ---- */

typedef struct zinc_keys zinc_keys;

/* One row type for built-in and registered encodings, as for grids. */
typedef struct zinc_keys_ops {
	const char *name;
	const char *purpose;
	const char *const *uris; /* in the drafts, where it is an extension of the array; NULL-ended; may be NULL */
	/* Built in: parse the configuration into separator and self (M44), and print it (NULL: no memory). */
	zinc_status (*parse)(zinc_keys *k, const zinc_json *configuration, zinc_report *r, zinc_error *err);
	zinc_json *(*print)(const zinc_keys *k, zinc_json_doc *doc);
	/* Registered (<zinc/extend.h>); both may be NULL. */
	zinc_status (*open)(void **self, const char *configuration, zinc_error *err);
	void (*close)(void *self);
	/* Print the key of an index like snprintf, but write nothing if the room is too small.  The exact inverse
	 * returns 0 for a key that is not a chunk's. */
	size_t (*encode)(void *self, const uint64_t *index, int ndim, char *out, size_t room);
	int (*decode)(void *self, const char *key, int ndim, uint64_t *index);
} zinc_keys_ops;

struct zinc_keys {
	const zinc_keys_ops *ops;
	zinc_context *ctx;
	char separator;
	void *self;          /* built in: the separator itself */
	bool opened;         /* a registered encoding that must be closed */
	char *configuration; /* of a registered encoding, as text; NULL: none */
};

static inline bool
zinc_keys_decode(const zinc_keys *k, const char *key, int ndim, uint64_t *index)
{
	return k->ops->decode(k->self, key, ndim, index) != 0;
}

/* Parse the `chunk_key_encoding` member.  M11, M19, M43-M48. */
zinc_status zinc_keys_parse(zinc_keys *out, zinc_context *ctx, const zinc_json *v, zinc_report *r, zinc_error *err);
/* Parse a caller's text: "default", "default.", "v2", "v2/". */
zinc_status zinc_keys_parse_text(zinc_keys *out, zinc_context *ctx, const char *text, zinc_error *err);
/* The drafts' "c1/23/45", with their separator. */
void zinc_keys_init_draft(zinc_keys *out, zinc_context *ctx, char separator);
extern const zinc_keys_ops zinc_keys_ops_draft;
/* N5's "45/23/1": the indices reversed. */
void zinc_keys_init_n5(zinc_keys *out, zinc_context *ctx);
void zinc_keys_fini(zinc_keys *k);
zinc_json *zinc_keys_print(const zinc_keys *k, zinc_json_doc *doc); /* the whole extension object */
zinc_json *zinc_keys_print_configuration(const zinc_keys *k, zinc_json_doc *doc);
/* Append the key of an index. */
zinc_status zinc_keys_encode(const zinc_keys *k, const uint64_t *index, int ndim, zinc_buf *out, zinc_error *err);
/* Set another separator for a built-in encoding; the drafts of 2019 and 2020 allow any character. */
void zinc_keys_separate(zinc_keys *k, char separator);

/* As for grids. */
const zinc_keys_ops *zinc_keys_find(const char *name);
const zinc_keys_ops *zinc_keys_find_uri(const char *uri, zinc_uri_match *match);

/* ---- selections, normalised ---- */

typedef struct zinc_sel_dim {
	uint64_t start, step, count;
	const uint64_t *list; /* `count` indices, or NULL */
	bool drop;
} zinc_sel_dim;

/* Either one entry per dimension, or (points != NULL or is_points) npoints coordinates. */
typedef struct zinc_sel {
	zinc_context *ctx;
	int ndim;
	zinc_sel_dim dim[ZINC_MAX_NDIM];
	bool is_points;
	size_t npoints;
	const uint64_t *points;
	int out_ndim; /* of the result: without dropped dimensions; 1 for points */
	uint64_t out_shape[ZINC_MAX_NDIM];
	uint64_t out_n; /* elements of the result */
	void *own;
} zinc_sel;

/* Check a selection against the shape (E_RANGE, E_INVALID) and normalise it; NULL selects everything.  Lists and
 * points stay the caller's and must outlive the result.  Masks become points in C order. */
zinc_status zinc_sel_init(zinc_sel *out, zinc_context *ctx, const zinc_selection *s, const zinc_grid *grid, int ndim,
			  const uint64_t *shape, zinc_error *err);
void zinc_sel_fini(zinc_sel *s);
/* Parse text (zinc.h section 5) into a selection of kind ORTHO in one allocation, freed by zinc_selection_free.
 * Negative numbers count from the end; slices are clipped.  E_INVALID: negative steps, too many items, bad syntax.
 * E_RANGE: out of bounds. */
zinc_status zinc_sel_parse_text(zinc_selection **out, zinc_context *ctx, const char *text, int ndim,
				const uint64_t *shape, zinc_error *err);

/* The dimensions of the array that a text selects from. */
typedef struct zinc_sel_axes {
	int ndim;
	const uint64_t *shape;
	const char *const *names; /* ndim entries, each may be NULL; NULL: none */
	bool lenient;             /* pass over names that no dimension has */
	uint64_t *used;           /* NULL, or gets bit i when item i belongs to one of the dimensions */
	/* What "name@value" selects: as a dimension of ZINC_SELECT_ORTHO with a step of at least 1.  A list belongs to
	 * the selection then, and comes from zinc_alloc.  NULL: values are E_INVALID. */
	zinc_status (*value)(void *arg, int dim, const char *text, bool quoted, zinc_select_dim *out, zinc_error *err);
	void *arg;
} zinc_sel_axes;
/* The same, also by names. */
zinc_status zinc_sel_parse_axes(zinc_selection **out, zinc_context *ctx, const char *text, const zinc_sel_axes *axes,
				zinc_error *err);

/* ---- cutting a selection at chunk boundaries ---- */

/* The part of one dimension's selection that is in one chunk. */
typedef struct zinc_segment {
	uint64_t chunk;              /* index along this dimension */
	uint64_t start, extent;      /* of the chunk */
	uint64_t first, step, count; /* selected elements, counted from the chunk's start */
	uint64_t out;                /* index of the first element in the result */
	const uint64_t *in_list;  /* lists: `count` offsets from the chunk's start, and their indices in the result; */
	const uint64_t *out_list; /* NULL: first + i * step and out + i */
} zinc_segment;

typedef struct zinc_split {
	zinc_segment *segments; /* in order of chunks, none empty */
	size_t n;
	zinc_context *ctx;
	void *own; /* the lists */
} zinc_split;

/* O(n log n) for a list of n items, O(chunks touched) for slices, never O(elements).  A strided slice may skip
 * chunks.  E_NOMEM; E_INVALID if a registered grid contradicts itself. */
zinc_status zinc_split_init(zinc_split *out, zinc_context *ctx, const zinc_grid *grid, int dim, const zinc_sel_dim *sel,
			    zinc_error *err);
void zinc_split_fini(zinc_split *s);
/* An upper bound of the number of segments, in constant time: the chunks from the first to the last one touched, or
 * the elements, whichever is less. */
uint64_t zinc_split_bound(const zinc_grid *grid, int dim, const zinc_sel_dim *sel);

/* ---- strided N-d copy ---- */

/* One dimension of a copy.  Strides in bytes; with a list, element i is at list[i] * stride. */
typedef struct zinc_copy_dim {
	uint64_t n;
	int64_t dst_stride, src_stride;
	const uint64_t *dst_list, *src_list;
} zinc_copy_dim;

/* Copy prod(n) elements of `element` bytes.  Dimensions are merged and ordered for speed; the inner loop is
 * specialised for 1, 2, 4, 8, 16 bytes and for contiguous rows (memcpy).  The caller guarantees bounds.  No
 * allocation. */
void zinc_copy_nd(void *dst, const void *src, const zinc_copy_dim *dims, int ndim, size_t element);
/* The same into memory that is far larger than the caches; dst is a part of it. */
void zinc_copy_nd_uncached(void *dst, const void *src, const zinc_copy_dim *dims, int ndim, size_t element);
/* The same with one value for all elements (src members are ignored). */
void zinc_fill_nd(void *dst, const void *value, const zinc_copy_dim *dims, int ndim, size_t element);
/* Fill n consecutive elements with one value. */
void zinc_fill_run(void *dst, const void *value, size_t n, size_t element);
/* Are n consecutive elements all equal to `value`, bit for bit?  Fast if they are not. */
bool zinc_run_is(const void *p, const void *value, size_t n, size_t element);

/* The strides of a C-order array; the product is known to fit. */
void zinc_strides_c(const uint64_t *shape, int ndim, uint64_t element, int64_t *strides);

#endif
