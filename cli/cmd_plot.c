/*
 * cmd_plot.c - zinc plot: a heat map, line or histogram of a selection
 *
 * The selection is reduced to the size of the picture while it is read, so memory depends on the picture and not on the
 * array.  The steps:
 *
 *   kind and size of the picture -> bands of items -> sample of large selections -> cells or counts -> range -> picture
 */
#include <math.h>
#include <sys/stat.h>

#include "plot.h"

#define PIXELS    ((uint64_t)1 << 24) /* of a picture */
#define SIDE      1024                /* of a PNG file without --width */
#define SMALL     256                 /* smaller pictures are enlarged */
#define LINE_WIDE 800                 /* PNG and SVG files of lines and histograms */
#define LINE_HIGH 400
#define SVG_LEAST 160

/* ---- which kind ---- */

/* Is a name one that -s can have without quotes? */
static bool
is_plain_name(const char *name)
{
	return name && *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")];
}

static bool
has_names(const struct plot *p)
{
	int d;

	for (d = 0; d < p->region.ndim; d++)
		if (!is_plain_name(zinc_array_dimension_name(p->array, d)))
			return false;
	return true;
}

/* Is it a slice that leaves out some of the dimension? */
static bool
is_cut(const struct region *g, int d)
{
	return !g->dims[d].list && g->dims[d].count < zinc_array_shape(g->array)[d];
}

static uint64_t
last_of(const zinc_select_dim *s)
{
	return s->start + (s->count - 1) * (s->step ? s->step : 1);
}

/* One item of the selection: an index, or what was selected. */
static void
add_item(struct text *t, const struct region *g, int d, bool index)
{
	const zinc_select_dim *s = &g->dims[d];

	if (index)
		text_printf(t, "%llu", (unsigned long long)(s->list && s->nlist ? s->list[0] : s->start));
	else if (is_cut(g, d))
		text_printf(t, "%llu:%llu", (unsigned long long)s->start, (unsigned long long)last_of(s) + 1);
	else
		text_puts(t, ":");
}

/* "time=0, level=0": a selection that leaves `keep` dimensions; without names "0, 0". */
static void
suggest(struct text *t, const struct plot *p, int keep)
{
	const struct region *g = &p->region;
	const char *select = p->run->args->select;
	const bool names = has_names(p) && (!select || strpbrk(select, "=@"));
	int d, left = g->out_ndim - keep;

	for (d = 0; d < g->ndim; d++) {
		const bool kept = !g->dims[d].drop, cut = kept && left > 0;

		left -= cut;
		if (names && kept && !cut && !is_cut(g, d))
			continue;
		text_puts(t, t->n ? ", " : "");
		if (names)
			text_printf(t, "%s=", zinc_array_dimension_name(p->array, d));
		add_item(t, g, d, cut || !kept);
	}
}

static int
refuse_dimensions(const struct plot *p, const char *what, int keep)
{
	const struct region *g = &p->region;
	struct text has = {NULL, 0, 0}, sel = {NULL, 0, 0};
	int d, status;

	for (d = 0; d < g->out_ndim; d++) {
		const char *name = zinc_array_dimension_name(p->array, g->axis[d]);

		text_puts(&has, d ? ", " : "");
		if (name && *name)
			text_name(&has, name);
		text_printf(&has, "%s%llu", name && *name ? " " : "", (unsigned long long)g->shape[d]);
	}
	suggest(&sel, p, keep);
	status = complain(USAGE, p->url,
			  "the selection has %d dimensions (%s) and %s has %d; select one index of the "
			  "others, for example -s '%s', or draw a histogram (--kind hist)",
			  g->out_ndim, text_str(&has), what, keep, text_str(&sel));
	text_free(&has);
	text_free(&sel);
	return status;
}

/* Dimensions of length 1 are dropped while there are too many. */
static void
squeeze(struct region *g, int keep)
{
	int d;

	for (d = 0; d < g->out_ndim && g->out_ndim > keep;) {
		zinc_select_dim *s = &g->dims[g->axis[d]];

		if (g->shape[d] != 1) {
			d++;
			continue;
		}
		*s = (zinc_select_dim){.start = region_index(g, d, 0), .count = 1, .step = 1, .drop = 1};
		region_narrow(g, d, 0, 1);
	}
}

static int
choose_kind(struct plot *p)
{
	static const char *const what[] = {"a heat map", "a line"};
	const char *kind = p->run->args->kind;
	struct region *g = &p->region;
	int keep;

	if (g->out_ndim == 0)
		return complain(USAGE, p->url, "the selection is one element, not a picture; zinc cat prints it");
	if (g->n == 0 && !g->uncounted)
		return complain(USAGE, p->url, "the selection has no elements; there is nothing to draw");
	squeeze(g, kind && !strcmp(kind, "line") ? 1 : 2);
	if (!kind)
		p->kind = g->out_ndim == 1 ? PLOT_LINE : PLOT_HEAT;
	else
		p->kind = !strcmp(kind, "heat") ? PLOT_HEAT : !strcmp(kind, "line") ? PLOT_LINE : PLOT_HIST;
	if (p->kind == PLOT_HIST)
		return DONE;
	keep = p->kind == PLOT_HEAT ? 2 : 1;
	if (g->out_ndim > keep)
		return refuse_dimensions(p, what[p->kind], keep);
	if (g->out_ndim < keep)
		return complain(USAGE, p->url,
				"the selection has one dimension, and a heat map has two; draw a line "
				"(--kind line)");
	return DONE;
}

/* ---- options ---- */

/* Can the file be written?  Known before everything is read; nothing is left behind.  Pipes are opened only once. */
static int
check_file(const struct plot *p, const char *path)
{
	struct stat st;
	struct out file;
	int status;

	if (!path || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
		return DONE;
	status = out_open(&file, path, p->run->args->overwrite);
	out_close(&file, CANCELLED);
	return status;
}

static int
check_files(const struct plot *p)
{
	const struct args *a = p->run->args;
	int status;

	if (a->svg && p->kind == PLOT_HEAT)
		return complain(USAGE, "--svg", "a heat map has no SVG form; use --png");
	if (a->cells && !a->json)
		return complain(USAGE, "--cells", "works only with --json");
	if (a->json && ((a->png && !strcmp(a->png, "-")) || (a->svg && !strcmp(a->svg, "-"))))
		return complain(USAGE, "--json", "standard output is for the picture");
	if (a->svg && a->png && !strcmp(a->svg, a->png))
		return complain(USAGE, "--svg", "--png names the same file");
	status = check_file(p, a->png);
	return status == DONE ? check_file(p, a->svg) : status;
}

static int
check_options(struct plot *p)
{
	const struct args *a = p->run->args;
	const uint64_t width = a->width < 0 ? 1 : (uint64_t)a->width, height = a->height < 0 ? 1 : (uint64_t)a->height;

	if (width == 0 || height == 0)
		return complain(USAGE, width ? "--height" : "--width", "at least 1 is needed");
	if (width * height > PIXELS)
		return complain(USAGE, "--width", "a picture has at most %llu pixels", (unsigned long long)PIXELS);
	if (a->range && !plot_range_parse(&p->range, a->range))
		return complain(USAGE, "--range", "\"%s\" is not LO,HI with LO < HI, and not full", a->range);
	p->map = plot_map_find(a->cmap ? a->cmap : "viridis");
	p->to_terminal = !a->png && !a->svg && !a->json;
	return check_files(p);
}

static int
open_values(struct plot *p)
{
	zinc_error err = ZINC_ERROR_INIT;
	const int status = plot_values_open(&p->values, p->array, p->run->args->cf, &err);

	if (status == USAGE)
		return complain(USAGE, p->url,
				"elements of type %s cannot be drawn; numbers, truth values and times can",
				zinc_array_dtype(p->array));
	p->region.element = p->values.element;
	return status == DONE ? DONE : fail(p->url, &err);
}

/* ---- sizes ---- */

/* One side of a PNG file: pixels of its own, or in proportion to the other side. */
static size_t
in_proportion(uint64_t n, uint64_t other, size_t given)
{
	const double v = (double)n / (double)other * (double)given;

	return v < 1 ? 1 : v > (double)PIXELS / (double)given ? (size_t)(PIXELS / given) : (size_t)(v + 0.5);
}

/* One pixel for each element, but at most SIDE; small pictures several for each. */
static void
own_size(struct plot *p)
{
	const uint64_t rows = p->shape[0], columns = p->shape[1], longest = rows > columns ? rows : columns;
	const uint64_t zoom = longest < SMALL && p->run->args->png ? SMALL / longest : 1;

	p->width = (size_t)(columns < SIDE ? columns * zoom : SIDE);
	p->height = (size_t)(rows < SIDE ? rows * zoom : SIDE);
	if (longest > SIDE && columns >= rows)
		p->height = in_proportion(rows, columns, p->width);
	else if (longest > SIDE)
		p->width = in_proportion(columns, rows, p->height);
}

static void
heat_size(struct plot *p)
{
	const struct args *a = p->run->args;

	own_size(p);
	if (a->width > 0)
		p->width = (size_t)a->width;
	if (a->height > 0)
		p->height = (size_t)a->height;
	if (a->width > 0 && a->height < 0)
		p->height = in_proportion(p->shape[0], p->shape[1], p->width);
	if (a->height > 0 && a->width < 0)
		p->width = in_proportion(p->shape[1], p->shape[0], p->height);
}

static int
choose_size(struct plot *p, struct plot_room *room)
{
	const struct args *a = p->run->args;

	plot_room_init(room, a);
	if (p->kind != PLOT_HIST)
		p->shape[0] = p->region.shape[0];
	if (p->kind == PLOT_HEAT)
		p->shape[1] = p->region.shape[1];
	if (p->to_terminal) {
		plot_terminal_size(p, room);
	} else if (p->kind == PLOT_HEAT) {
		heat_size(p);
	} else {
		p->width = a->width > 0 ? (size_t)a->width : LINE_WIDE;
		p->height = a->height > 0 ? (size_t)a->height : LINE_HIGH;
	}
	if (a->svg && (p->width < SVG_LEAST || p->height < SVG_LEAST))
		return complain(USAGE, "--svg", "at least %d by %d pixels are needed", SVG_LEAST, SVG_LEAST);
	return DONE;
}

/* ---- reading ---- */

/* Bands of a histogram only matter to a sample: some in each dimension, but few enough to be read. */
static void
hist_bands(struct plot *p)
{
	const struct region *g = &p->region;
	uint64_t cells = 64, product;
	int d;

	do {
		for (product = 1, d = 0; d < g->out_ndim && product < PIXELS; d++)
			product *= g->shape[d] < cells ? g->shape[d] : cells;
		cells = product < PIXELS ? cells : cells / 2;
	} while (product >= PIXELS && cells > 1);
	for (d = 0; d < g->out_ndim; d++)
		plot_band_init(&p->band[d], g->shape[d], cells);
}

/* Bands of all dimensions; for a sample the region changes, too. */
static void
cut_bands(struct plot *p)
{
	int d;

	if (p->kind == PLOT_HIST)
		hist_bands(p);
	else if (p->kind == PLOT_HEAT)
		plot_band_init(&p->band[0], p->shape[0], p->height);
	if (p->kind != PLOT_HIST)
		plot_band_init(&p->band[p->kind == PLOT_HEAT ? 1 : 0], p->shape[p->kind == PLOT_HEAT ? 1 : 0],
			       p->width);
	for (p->selected = 1, d = 0; d < p->region.out_ndim; d++)
		p->selected *= (double)p->region.shape[d];
	if (!p->run->args->exact)
		p->sampled = plot_sample(&p->region, p->band);
}

static int
read_cells(struct plot *p, double factor)
{
	struct plot_grid *g = &p->grid;
	const size_t n = g->nrows * g->ncols;

	g->cell = xrealloc(g->cell, n * sizeof *g->cell);
	memset(g->cell, 0, n * sizeof *g->cell);
	g->factor = factor;
	g->numbers = g->missing = 0;
	return plot_read(p->run, p->url, &p->region, &p->values, &p->damage, plot_reduce_run, g);
}

static bool
has_overflow(const struct plot_grid *g)
{
	size_t i;

	for (i = 0; i < g->nrows * g->ncols; i++)
		if (!isfinite(g->cell[i].sum))
			return true;
	return false;
}

/* Sums of numbers near the largest overflow; then all is read again, with smaller ones. */
static int
reduce(struct plot *p)
{
	const bool heat = p->kind == PLOT_HEAT;
	int status;

	p->grid.rows = heat ? &p->band[0] : NULL;
	p->grid.cols = &p->band[heat ? 1 : 0];
	p->grid.nrows = heat ? p->band[0].n : 1;
	p->grid.ncols = p->grid.cols->n;
	status = read_cells(p, 1);
	if (status == DONE && has_overflow(&p->grid))
		status = read_cells(p, 0x1p-64);
	return status;
}

static void
find_range(struct plot *p)
{
	const struct plot_grid *g = &p->grid;
	const size_t n = g->nrows * g->ncols, each = p->kind == PLOT_LINE ? 2 : 1;
	double *v = xrealloc(NULL, n * each * sizeof *v);
	size_t i;

	for (i = 0; i < n; i++) {
		const struct plot_cell *c = &g->cell[i];

		v[i * each] = p->kind == PLOT_LINE ? (c->count ? c->min : (double)NAN) : plot_cell_mean(g, i);
		if (each == 2)
			v[i * each + 1] = c->count ? c->max : (double)NAN;
	}
	plot_range_find(&p->range, v, n * each, p->kind == PLOT_LINE, p->kind == PLOT_HEAT && p->map->symmetric);
	free(v);
}

/* The first pass finds the ends, the second one counts. */
static int
count(struct plot *p, const struct plot_room *room)
{
	const int most = p->to_terminal && room->width < PLOT_BINS ? (int)room->width : PLOT_BINS;
	int status = plot_read(p->run, p->url, &p->region, &p->values, &p->damage, plot_extent_run, &p->bins);

	if (status != DONE)
		return status;
	p->range.none = p->bins.numbers == 0;
	if (!p->range.fixed) {
		p->range.lo = p->bins.min;
		p->range.hi = p->bins.max;
	}
	plot_bins_init(&p->bins, p->range.lo, p->range.hi, most, p->values.whole && !p->range.fixed);
	return plot_read(p->run, p->url, &p->region, &p->values, &p->damage, plot_count_run, &p->bins);
}

static int
read_all(struct plot *p, const struct plot_room *room)
{
	const bool heat = p->kind == PLOT_HEAT;
	int status;

	cut_bands(p);
	if (p->kind == PLOT_HIST)
		return count(p, room);
	status = reduce(p);
	if (status != DONE)
		return status;
	find_range(p);
	if (heat)
		plot_axis_open(&p->axis[0], p->url, &p->region, 0, &p->band[0]);
	plot_axis_open(&p->axis[1], p->url, &p->region, heat ? 1 : 0, &p->band[heat ? 1 : 0]);
	return interrupted() ? CANCELLED : DONE;
}

int
plot_pixel(const struct plot *p, size_t row, size_t column)
{
	const struct plot_grid *g = &p->grid;
	const size_t y = p->axis[0].up ? p->height - 1 - row : row;

	return plot_level(&p->range,
			  plot_cell_mean(g, y * g->nrows / p->height * g->ncols + column * g->ncols / p->width));
}

/* ---- the command ---- */

/* "2 metre temperature [K], /t2m (721, 1440), sampled" */
static void
make_title(struct plot *p)
{
	const zinc_cf_about *about = &p->values.about;
	struct text *t = &p->title;

	if (about->long_name && *about->long_name) {
		text_name(t, about->long_name);
		text_puts(t, " ");
	}
	if (about->units && *about->units && !p->values.time) {
		text_puts(t, "[");
		text_name(t, about->units);
		text_puts(t, "] ");
	}
	text_name(t, zinc_array_path(p->array));
	text_puts(t, " ");
	text_tuple(t, p->whole, p->region.out_ndim);
	if (is_complex(zinc_array_type(p->array)))
		text_puts(t, ", magnitude");
	if (p->sampled)
		text_puts(t, ", sampled");
}

static void
say_sampled(const struct plot *p)
{
	struct text t = {NULL, 0, 0};

	text_size(&t, PLOT_LIMIT);
	complain(DONE, p->url,
		 "more than %s are selected: the picture is of a sample, 1 of %.0f elements; --exact reads "
		 "all",
		 text_str(&t), p->selected / (double)p->region.n);
	text_free(&t);
}

static int
show(struct plot *p, struct plot_room *room)
{
	const struct args *a = p->run->args;
	int status = DONE;

	if (p->sampled)
		say_sampled(p);
	if (a->png)
		status = plot_png(p, a->png);
	if (a->svg && status == DONE)
		status = plot_svg(p, a->svg);
	if (a->json && status == DONE)
		plot_json(p);
	if (p->to_terminal)
		plot_terminal(p, room);
	return status == DONE ? plot_damage_say(&p->damage, p->url) : status;
}

static int
plot(struct plot *p)
{
	struct plot_room room = {0, 0, 0, 0, 0};
	int status = region_init(&p->region, p->array, p->run->args->select, p->url);

	if (status == DONE)
		status = open_values(p);
	if (status == DONE)
		status = choose_kind(p);
	if (status == DONE)
		status = check_options(p);
	if (status == DONE)
		status = choose_size(p, &room);
	if (status != DONE)
		return status;
	memcpy(p->whole, p->region.shape, sizeof p->whole);
	p->damage.skip = p->run->args->skip_damaged;
	status = read_all(p, &room);
	make_title(p);
	return status == DONE ? show(p, &room) : status;
}

static void
plot_fini(struct plot *p)
{
	int d;

	plot_axis_close(&p->axis[0]);
	plot_axis_close(&p->axis[1]);
	plot_bins_fini(&p->bins);
	plot_values_close(&p->values);
	for (d = 0; d < ZINC_MAX_NDIM; d++)
		plot_band_fini(&p->band[d]);
	free(p->grid.cell);
	text_free(&p->title);
	json_free(&p->damage.list);
	region_fini(&p->region);
	zinc_array_close(p->array);
}

int
cmd_plot(struct run *r)
{
	struct plot p = {.run = r, .url = r->args->words.at[0]};
	int status = open_array(r, p.url, false, &p.array);

	if (status != DONE)
		return status;
	status = plot(&p);
	plot_fini(&p);
	return status;
}
