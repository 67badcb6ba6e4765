/*
 * plot.h - declarations shared by the files of `zinc plot`
 *
 *   region --boxes--> numbers --bands--> cells --range, colours--> picture
 *   plot_read.c   plot_values.c  plot_reduce.c  plot_range.c, plot_colour.c  plot_terminal.c, plot_png.c ...
 *
 * An item is an element along one dimension of the selection.  A cell is what is left of a band of items after the
 * reduction.  A pixel is a dot of the picture; several show one cell when the picture has more pixels than there are
 * items.
 */
#ifndef ZINC_PLOT_H
#define ZINC_PLOT_H

#include "cli.h"

enum plot_kind { PLOT_HEAT, PLOT_LINE, PLOT_HIST };

/* ---- plot_values.c: elements as numbers ---- */

struct plot_values {
	zinc_array *array;
	zinc_cf *cf;
	zinc_cf_about about;
	bool decode;             /* by cf */
	bool time;               /* numbers are times or durations */
	bool whole;              /* numbers are integers */
	zinc_type read;          /* the type that elements are read in */
	size_t element, decoded; /* bytes of one, as read and after decoding */
	void (*widen)(const void *from, size_t n, double *to);
	void *room; /* of PLOT_STRIP decoded elements */
};

#define PLOT_STRIP 4096 /* elements that are widened at once */

/* DONE; USAGE without a message: elements of this type are not numbers; else a failure in `err`, -1. */
int plot_values_open(struct plot_values *v, zinc_array *a, bool decode, zinc_error *err);
void plot_values_close(struct plot_values *v);
/* At most PLOT_STRIP elements; what is missing becomes NaN. */
zinc_status plot_values_widen(struct plot_values *v, const void *elements, size_t n, double *to, zinc_error *err);
/* A value for people: a time as ISO 8601, any other number with at most `digits` digits. */
void plot_values_label(const struct plot_values *v, struct text *t, double value, int digits);

/* ---- plot_damage.c: chunks that do not decode, with --skip-damaged ---- */

struct plot_damage {
	bool skip;
	uint64_t n;
	struct json list; /* the first of them */
};

/* Read a part of a box, or with `missing` take all its elements for missing. */
typedef int (*plot_part_fn)(void *arg, const struct region *part, const uint64_t *first, bool missing);
/* After a failed read of a box: read what can be read.  -1: it did not fail because of damage. */
int plot_damage_read(struct plot_damage *damage, const struct region *box, const uint64_t *first, zinc_error *err,
		     plot_part_fn read, void *arg);
/* FOUND, with a message, or DONE if there is none. */
int plot_damage_say(const struct plot_damage *damage, const char *url);

/* ---- plot_read.c: the elements of a selection, box by box ---- */

/* A run of numbers along the last dimension; `at` is the item of the first in each dimension. */
typedef void (*plot_run_fn)(void *arg, const uint64_t *at, const double *v, size_t n);
/* `damage` gets the chunks that do not decode. */
int plot_read(struct run *r, const char *url, const struct region *g, struct plot_values *v, struct plot_damage *damage,
	      plot_run_fn fn, void *arg);

/* ---- plot_sample.c: bands of items, and the items that are read of each ---- */

#define PLOT_LIMIT ((uint64_t)256 << 20) /* decoded bytes; more are sampled without --exact */

struct plot_band {
	size_t n;       /* cells */
	uint64_t *edge; /* n + 1: cell i has items edge[i] to edge[i + 1] - 1 of the region */
	uint64_t *list; /* indices of sampled items, which the region points to; NULL: all items */
};

void plot_band_init(struct plot_band *b, uint64_t items, uint64_t cells);
void plot_band_fini(struct plot_band *b);
/* Make the region a sample of itself, at least one item of each band; false: it is small enough. */
bool plot_sample(struct region *g, struct plot_band *bands);

/* ---- plot_reduce.c: numbers of bands to cells ---- */

struct plot_cell {
	double sum, min, max, first, last; /* min, max, first and last of lines only */
	uint64_t count;                    /* of numbers; 0: all are missing */
};

struct plot_grid {
	const struct plot_band *rows, *cols; /* rows: NULL for lines */
	size_t nrows, ncols;
	struct plot_cell *cell;
	double factor; /* of numbers in sums: 1, or small where sums would overflow */
	uint64_t numbers, missing;
};

struct plot_bins {
	int n;
	double *edge;    /* n + 1 */
	uint64_t *count; /* n */
	uint64_t numbers, missing, outside;
	double min, max; /* of all numbers */
};

#define PLOT_BINS 64 /* at most */

/* The mean of a cell; NaN when all its elements are missing. */
double plot_cell_mean(const struct plot_grid *g, size_t i);
void plot_reduce_run(void *grid, const uint64_t *at, const double *v, size_t n); /* a plot_run_fn */
void plot_extent_run(void *bins, const uint64_t *at, const double *v, size_t n); /* finds min and max */
void plot_count_run(void *bins, const uint64_t *at, const double *v, size_t n);  /* counts */
/* Edges of at most `most` bins from lo to hi; with `whole` each has the same number of integers. */
void plot_bins_init(struct plot_bins *b, double lo, double hi, int most, bool whole);
void plot_bins_fini(struct plot_bins *b);

/* ---- plot_range.c: the range of values that the colours show ---- */

struct plot_range {
	bool fixed, full; /* --range LO,HI; --range full */
	bool none;        /* there is no number */
	double lo, hi;
};

/* "LO,HI" or "full"; false: malformed. */
bool plot_range_parse(struct plot_range *range, const char *s);
/* The numbers among v[0..n), which are sorted: 2 % to 98 % of them, or all. */
void plot_range_find(struct plot_range *range, double *v, size_t n, bool all, bool symmetric);
/* The place of a value between lo and hi, 0 to 1. */
double plot_range_share(const struct plot_range *range, double v);

/* ---- plot_colour.c ---- */

#define PLOT_LEVELS  255 /* colours of a map */
#define PLOT_MISSING 255 /* the level of missing values */

struct plot_map {
	const char *name;
	bool symmetric;   /* zero is in the middle */
	uint32_t missing; /* 0xrrggbb */
	int n;
	const uint32_t *point; /* n colours, evenly spaced */
};

const struct plot_map *plot_map_find(const char *name);
uint32_t plot_map_colour(const struct plot_map *m, int level);
int plot_level(const struct plot_range *range, double v);
/* The nearest of the 256 colours of a terminal. */
int plot_colour_256(uint32_t rgb);

/* ---- plot_axis.c: coordinates and ticks ---- */

struct plot_axis {
	struct text name; /* with units; escaped */
	double *at;       /* coordinate of the middle of each cell */
	size_t n;
	bool up;                   /* a latitude that ascends: north is at the top */
	zinc_array *coordinate;    /* NULL: `at` is indices */
	struct plot_values values; /* of the coordinate */
};

/* Of dimension d of the region. */
void plot_axis_open(struct plot_axis *x, const char *url, const struct region *g, int d, const struct plot_band *band);
void plot_axis_close(struct plot_axis *x);
/* The coordinate of a cell as JSON. */
void plot_axis_json(struct json *j, const struct plot_axis *x);

#define PLOT_TICKS 24

struct plot_ticks {
	int n;
	struct plot_tick {
		double at; /* cell; of values 0 to 1 */
		char label[40];
	} tick[PLOT_TICKS];
};

/* At most `most` ticks along the cells of an axis, and along a range of values; `v` NULL: of counts. */
void plot_ticks_cells(struct plot_ticks *t, const struct plot_axis *x, int most);
void plot_ticks_values(struct plot_ticks *t, const struct plot_values *v, const struct plot_range *range, int most);
size_t plot_ticks_width(const struct plot_ticks *t); /* of the longest label */

/* ---- a plot ---- */

struct plot {
	struct run *run;
	const char *url;
	zinc_array *array;
	struct region region;
	struct plot_values values;
	struct plot_damage damage;
	enum plot_kind kind;
	bool to_terminal;
	bool sampled;
	double selected;               /* elements */
	uint64_t shape[2];             /* of the selection, lines and heat maps */
	uint64_t whole[ZINC_MAX_NDIM]; /* shape of the selection; the region may be a sample */
	size_t width, height;          /* of the picture: pixels, or dots of characters */
	struct plot_band band[ZINC_MAX_NDIM];
	struct plot_grid grid;
	struct plot_bins bins;
	struct plot_axis axis[2]; /* y, x; of lines x only */
	struct plot_range range;  /* of values */
	const struct plot_map *map;
	struct text title;
};

/* The level of a pixel of a heat map, PLOT_MISSING for missing values; row 0 is at the top. */
int plot_pixel(const struct plot *p, size_t row, size_t column);

/* ---- plot_line.c: dots of lines ---- */

/* Pixels x, y to x, y2 of a line; row 0 is at the top. */
typedef void (*plot_dot_fn)(void *arg, size_t x, size_t y);
void plot_line_dots(const struct plot *p, plot_dot_fn fn, void *arg);
/* The place of a cell from left to right, 0 to 1. */
double plot_line_share(const struct plot *p, double cell);

/* ---- outputs ---- */

struct plot_room {
	size_t columns, rows; /* of the terminal */
	size_t width, height; /* of the picture, in characters */
	size_t left;          /* columns of labels */
};

void plot_room_init(struct plot_room *room, const struct args *a);
void plot_terminal_size(struct plot *p, struct plot_room *room);
void plot_terminal(struct plot *p, struct plot_room *room);
int plot_png(struct plot *p, const char *path);
int plot_svg(struct plot *p, const char *path);
void plot_json(struct plot *p);

/* An indexed picture as a PNG file; `palette` has 256 colours. */
void plot_png_encode(struct text *t, const uint8_t *pixels, size_t width, size_t height, const uint32_t *palette);

#endif
