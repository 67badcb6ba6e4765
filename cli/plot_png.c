/*
 * plot_png.c - pictures as PNG files
 *
 * Promises (tests/cli/plot.sh, tests/interop/plot.py):
 *
 * (1) A heat map is the picture alone, one pixel for each, without axes, as imsave of matplotlib makes it.
 * (2) The file is a valid PNG: 8 bits per pixel, 256 colours, one IDAT.
 *
 *   signature [length type data crc]...    IHDR PLTE IDAT IEND
 *   IDAT = zlib: 78 01, deflate with the fixed code, adler32
 */
#include "plot.h"

/* ---- deflate: matches found by a hash of three bytes, the fixed Huffman code (RFC 1951) ---- */

#define WINDOW    32768u
#define HASH_BITS 14
#define LONGEST   258u

struct bits {
	struct text *out;
	uint32_t hold;
	int n;
};

static void
put_bits(struct bits *b, uint32_t v, int n)
{
	b->hold |= v << b->n;
	for (b->n += n; b->n >= 8; b->n -= 8) {
		const uint8_t byte = (uint8_t)b->hold;

		text_add(b->out, &byte, 1);
		b->hold >>= 8;
	}
}

/* Huffman codes begin with their highest bit. */
static void
put_code(struct bits *b, uint32_t code, int n)
{
	uint32_t reversed = 0;
	int i;

	for (i = 0; i < n; i++)
		reversed |= (code >> i & 1) << (n - 1 - i);
	put_bits(b, reversed, n);
}

/* A literal or length symbol, section 3.2.6. */
static void
put_symbol(struct bits *b, uint32_t s)
{
	if (s < 144)
		put_code(b, 0x30 + s, 8);
	else if (s < 256)
		put_code(b, 0x190 + s - 144, 9);
	else if (s < 280)
		put_code(b, s - 256, 7);
	else
		put_code(b, 0xc0 + s - 280, 8);
}

/* Symbols of lengths come in groups of four with the same number of extra bits, those of distances in groups of two. */
static void
put_length(struct bits *b, uint32_t length)
{
	uint32_t v = length - 3, extra = 0;

	if (length == LONGEST) {
		put_symbol(b, 285);
		return;
	}
	while (v >> extra >= 8)
		extra++;
	put_symbol(b, 257 + (extra ? 4 * extra + (v >> extra) : v));
	put_bits(b, v & ((1u << extra) - 1), (int)extra);
}

static void
put_distance(struct bits *b, uint32_t distance)
{
	uint32_t v = distance - 1, extra = 0;

	while (v >> extra >= 4)
		extra++;
	put_code(b, extra ? 2 * extra + (v >> extra) : v, 5);
	put_bits(b, v & ((1u << extra) - 1), (int)extra);
}

static uint32_t
hash_of(const uint8_t *p)
{
	const uint32_t v = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;

	return v * 2654435761u >> (32 - HASH_BITS);
}

static uint32_t
match_length(const uint8_t *a, const uint8_t *b, size_t most)
{
	uint32_t n = 0;

	while (n < most && n < LONGEST && a[n] == b[n])
		n++;
	return n;
}

static void
deflate(struct text *out, const uint8_t *p, size_t n)
{
	size_t *last = xrealloc(NULL, ((size_t)1 << HASH_BITS) * sizeof *last), i, next;
	struct bits b = {out, 0, 0};

	memset(last, 0xff, ((size_t)1 << HASH_BITS) * sizeof *last);
	put_bits(&b, 1 | 1 << 1, 3); /* the last block, fixed code */
	for (i = 0; i < n; i = next) {
		const uint32_t h = n - i >= 3 ? hash_of(p + i) : 0;
		const size_t from = n - i >= 3 ? last[h] : SIZE_MAX;
		const uint32_t length =
		    from != SIZE_MAX && i - from <= WINDOW ? match_length(p + from, p + i, n - i) : 0;

		if (n - i >= 3)
			last[h] = i;
		next = i + (length >= 3 ? length : 1);
		if (length >= 3) {
			put_length(&b, length);
			put_distance(&b, (uint32_t)(i - from));
		} else {
			put_symbol(&b, p[i]);
		}
	}
	put_symbol(&b, 256);
	put_bits(&b, 0, 7); /* to the end of the byte */
	free(last);
}

/* ---- PNG ---- */

static void
add_be32(struct text *t, uint32_t v)
{
	const uint8_t b[4] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};

	text_add(t, b, sizeof b);
}

static uint32_t
crc32(const uint8_t *p, size_t n)
{
	uint32_t crc = 0xffffffff;
	int bit;

	for (; n; n--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static uint32_t
adler32(const uint8_t *p, size_t n)
{
	uint32_t a = 1, b = 0;

	for (; n; n--) {
		a = (a + *p++) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

static void
add_chunk(struct text *t, const char *type, const struct text *data)
{
	const size_t from = t->n + 4;

	add_be32(t, (uint32_t)data->n);
	text_puts(t, type);
	text_add(t, data->p, data->n);
	add_be32(t, crc32((const uint8_t *)t->p + from, t->n - from));
}

static void
add_header(struct text *t, size_t width, size_t height)
{
	static const uint8_t rest[] = {8, 3, 0, 0, 0}; /* 8 bits, palette, deflate, filters, not interlaced */
	struct text data = {NULL, 0, 0};

	add_be32(&data, (uint32_t)width);
	add_be32(&data, (uint32_t)height);
	text_add(&data, rest, sizeof rest);
	add_chunk(t, "IHDR", &data);
	text_free(&data);
}

static void
add_palette(struct text *t, const uint32_t *palette)
{
	struct text data = {NULL, 0, 0};
	int i;

	for (i = 0; i < 256; i++) {
		const uint8_t rgb[3] = {(uint8_t)(palette[i] >> 16), (uint8_t)(palette[i] >> 8), (uint8_t)palette[i]};

		text_add(&data, rgb, sizeof rgb);
	}
	add_chunk(t, "PLTE", &data);
	text_free(&data);
}

static void
add_pixels(struct text *t, const uint8_t *pixels, size_t width, size_t height)
{
	struct text lines = {NULL, 0, 0}, data = {NULL, 0, 0};
	size_t row;

	for (row = 0; row < height; row++) {
		text_add(&lines, "\0", 1); /* filter: none */
		text_add(&lines, pixels + row * width, width);
	}
	text_add(&data, "\x78\x01", 2);
	deflate(&data, (const uint8_t *)lines.p, lines.n);
	add_be32(&data, adler32((const uint8_t *)lines.p, lines.n));
	add_chunk(t, "IDAT", &data);
	text_free(&lines);
	text_free(&data);
}

void
plot_png_encode(struct text *t, const uint8_t *pixels, size_t width, size_t height, const uint32_t *palette)
{
	const struct text nothing = {NULL, 0, 0};

	text_add(t, "\x89PNG\r\n\x1a\n", 8);
	add_header(t, width, height);
	add_palette(t, palette);
	add_pixels(t, pixels, width, height);
	add_chunk(t, "IEND", &nothing);
}

/* ---- pictures ---- */

enum { PAPER, INK };

struct canvas {
	uint8_t *pixels;
	size_t width;
};

static void
ink_dot(void *canvas, size_t x, size_t y)
{
	const struct canvas *c = canvas;

	c->pixels[y * c->width + x] = INK;
}

static void
draw_heat(const struct plot *p, uint8_t *pixels, uint32_t *palette)
{
	size_t row, column;
	int i;

	for (i = 0; i < 256; i++)
		palette[i] = plot_map_colour(p->map, i);
	for (row = 0; row < p->height; row++)
		for (column = 0; column < p->width; column++)
			pixels[row * p->width + column] = (uint8_t)plot_pixel(p, row, column);
}

/* The bar of bin i has the columns from i * width / n on, and at least one dot if it counts anything. */
static void
draw_bars(const struct plot *p, struct canvas *c)
{
	uint64_t most = 1;
	size_t x, y;
	int i;

	for (i = 0; i < p->bins.n; i++)
		most = p->bins.count[i] > most ? p->bins.count[i] : most;
	for (x = 0; x < p->width && p->bins.n; x++) {
		const uint64_t count = p->bins.count[x * (size_t)p->bins.n / p->width];
		size_t high = (size_t)((double)count / (double)most * (double)p->height + 0.5);

		high = count && !high ? 1 : high;
		for (y = p->height - high; y < p->height; y++)
			ink_dot(c, x, y);
	}
}

int
plot_png(struct plot *p, const char *path)
{
	uint32_t palette[256] = {[PAPER] = 0xffffff, [INK] = 0x1f5fa8};
	uint8_t *pixels = xrealloc(NULL, p->width * p->height);
	struct canvas c = {pixels, p->width};
	struct text png = {NULL, 0, 0};
	struct out file;
	int status;

	memset(pixels, PAPER, p->width * p->height);
	if (p->kind == PLOT_HEAT)
		draw_heat(p, pixels, palette);
	else if (p->kind == PLOT_LINE)
		plot_line_dots(p, ink_dot, &c);
	else
		draw_bars(p, &c);
	plot_png_encode(&png, pixels, p->width, p->height, palette);
	status = out_open(&file, path, p->run->args->overwrite);
	if (status == DONE)
		out_text(&file, &png);
	status = out_close(&file, status);
	text_free(&png);
	free(pixels);
	return status;
}
