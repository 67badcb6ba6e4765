/*
 * plot_colour.c - colour maps
 *
 * A map is a few colours at even distances, with linear interpolation between them.  viridis, magma, inferno and
 * cividis follow the published maps of these names (tests/interop/plot.py compares them); equal steps of the value look
 * equal, also in grey and to colour-blind readers.  `balance` is for differences: zero is white.
 */
#include <math.h>

#include "plot.h"

static const uint32_t viridis[] = {
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453681, 0x424086, 0x3f4989, 0x3b528b, 0x375a8d, 0x33638d,
    0x2f6a8e, 0x2c728e, 0x297a8e, 0x26818e, 0x23898e, 0x21908c, 0x1f988b, 0x1f9f88, 0x21a685, 0x28ae80, 0x31b57b,
    0x3ebc74, 0x4cc26c, 0x5dc963, 0x6ece58, 0x82d34c, 0x96d83f, 0xabdc32, 0xc0df24, 0xd5e21a, 0xeae51a, 0xfde725,
};
static const uint32_t magma[] = {
    0x000004, 0x030311, 0x0a0822, 0x130d33, 0x1d1146, 0x28115a, 0x36106a, 0x430f76, 0x50127c, 0x5d177f, 0x691c81,
    0x762181, 0x822681, 0x8f2a81, 0x9c2e7f, 0xa9327d, 0xb63779, 0xc33b75, 0xcf4170, 0xdb486a, 0xe65163, 0xee5c5e,
    0xf5695c, 0xf9785d, 0xfb8761, 0xfd9668, 0xfea571, 0xfeb47b, 0xfec387, 0xfed194, 0xfde0a2, 0xfceeb0, 0xfcfdbf,
};
static const uint32_t inferno[] = {
    0x000004, 0x040312, 0x0b0724, 0x150b37, 0x210c4a, 0x2e0a5a, 0x3c0965, 0x4a0c6b, 0x57106d, 0x63146e, 0x70196e,
    0x7d1e6d, 0x89226a, 0x962766, 0xa32b61, 0xaf315c, 0xbb3755, 0xc63e4d, 0xd14644, 0xdb4f3b, 0xe35932, 0xeb6528,
    0xf1711e, 0xf67f14, 0xf98d0a, 0xfb9c06, 0xfcab0f, 0xfbba1f, 0xf9ca32, 0xf5d949, 0xf2e865, 0xf3f586, 0xfcffa4,
};
static const uint32_t cividis[] = {
    0x00224e, 0x00285b, 0x002e6a, 0x043371, 0x1a386f, 0x273e6e, 0x32436d, 0x3b496c, 0x434e6c, 0x4b546c, 0x52596d,
    0x5a5f6e, 0x61656f, 0x686a71, 0x6f7073, 0x757676, 0x7c7b78, 0x848179, 0x8b8778, 0x938d78, 0x9b9376, 0xa39a75,
    0xaba072, 0xb3a670, 0xbbad6c, 0xc3b469, 0xccba64, 0xd4c15f, 0xddc958, 0xe6d051, 0xefd748, 0xf8df3c, 0xfee838,
};
static const uint32_t grey[] = {0x000000, 0xffffff};
static const uint32_t balance[] = {
    0x0f1a4a, 0x1c3f95, 0x2f6fbd, 0x6fa5d4, 0xb3d0e6, 0xf4f4f4, 0xefc0b0, 0xdd8a73, 0xc4513f, 0x98202b, 0x4d0a1d,
};

#define ROW(name, symmetric, missing)                                                                                  \
	{                                                                                                              \
#name, symmetric, missing, (int)(sizeof name / sizeof *name), name                                     \
	}

/* Missing values have a colour that the map does not have. */
static const struct plot_map maps[] = {
    ROW(viridis, false, 0xb8b8b8), ROW(magma, false, 0x7f9f8f), ROW(inferno, false, 0x8fa0b0),
    ROW(cividis, false, 0xc83c3c), ROW(grey, false, 0xc83c3c),  ROW(balance, true, 0x6f8f6f),
};

const struct plot_map *
plot_map_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof maps / sizeof *maps; i++)
		if (!strcmp(maps[i].name, name))
			return &maps[i];
	return &maps[0];
}

static uint32_t
mix(uint32_t a, uint32_t b, double share, int shift)
{
	const double from = a >> shift & 255, to = b >> shift & 255;

	return (uint32_t)(from + (to - from) * share + 0.5) << shift;
}

uint32_t
plot_map_colour(const struct plot_map *m, int level)
{
	const double at = (double)level / (PLOT_LEVELS - 1) * (m->n - 1);
	const int i = (int)at < m->n - 2 ? (int)at : m->n - 2;

	if (level == PLOT_MISSING)
		return m->missing;
	return mix(m->point[i], m->point[i + 1], at - i, 16) | mix(m->point[i], m->point[i + 1], at - i, 8) |
	       mix(m->point[i], m->point[i + 1], at - i, 0);
}

int
plot_level(const struct plot_range *range, double v)
{
	int level;

	if (!isfinite(v))
		return PLOT_MISSING;
	level = (int)(plot_range_share(range, v) * PLOT_LEVELS);
	return level < PLOT_LEVELS ? level : PLOT_LEVELS - 1;
}

static int
distance(uint32_t a, uint32_t b)
{
	const int red = (int)(a >> 16 & 255) - (int)(b >> 16 & 255), green = (int)(a >> 8 & 255) - (int)(b >> 8 & 255),
		  blue = (int)(a & 255) - (int)(b & 255);

	return red * red + green * green + blue * blue;
}

/* The step of the colour cube (0, 95, 135, 175, 215, 255) that is nearest. */
static uint32_t
cube_step(uint32_t v)
{
	return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40;
}

static uint32_t
cube_value(uint32_t step)
{
	return step ? 55 + 40 * step : 0;
}

/* 16 to 231 are a cube of colours, 232 to 255 are greys from 8 in steps of 10. */
int
plot_colour_256(uint32_t rgb)
{
	const uint32_t r = cube_step(rgb >> 16 & 255), g = cube_step(rgb >> 8 & 255), b = cube_step(rgb & 255);
	const uint32_t mean = ((rgb >> 16 & 255) + (rgb >> 8 & 255) + (rgb & 255)) / 3;
	const uint32_t step = mean < 8 ? 0 : mean > 233 ? 23 : (mean - 3) / 10, level = 8 + 10 * step;
	const uint32_t cube = cube_value(r) << 16 | cube_value(g) << 8 | cube_value(b);

	if (distance(level << 16 | level << 8 | level, rgb) < distance(cube, rgb))
		return (int)(232 + step);
	return (int)(16 + 36 * r + 6 * g + b);
}
