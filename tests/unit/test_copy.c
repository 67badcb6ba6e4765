/*
 * test_copy.c - strided copies and fills against element-by-element loops
 *
 * The layouts are random: order of the axes, gaps, directions, steps and lists on either side.  The whole
 * destination is compared, so that an extra byte is detected.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid/grid.h"
#include "support/random.h"
#include "support/test.h"

enum { MOST_DIMS = 6, MOST_LIST = 400 };

/* One side of a copy. */
typedef struct side {
	int64_t stride[MOST_DIMS];
	uint64_t extent[MOST_DIMS]; /* places in memory along each dimension */
	size_t nbytes, first;
} side;

/* Lay the dimensions out in random order, with gaps and directions. */
static void
lay_out(side *s, int ndim, size_t element)
{
	int order[MOST_DIMS], i, j, t;
	uint64_t size = element;

	for (i = 0; i < ndim; i++)
		order[i] = i;
	for (i = ndim - 1; i > 0; i--) {
		j = (int)random_below((uint64_t)i + 1);
		t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
	if (random_below(3) == 0) /* C order, so that dimensions are often merged */
		for (i = 0; i < ndim; i++)
			order[i] = ndim - 1 - i;
	s->first = 0;
	for (i = 0; i < ndim; i++) {
		const int d = order[i];

		s->stride[d] = (int64_t)size;
		size *= s->extent[d];
		if (random_below(4) == 0)
			size += random_below(9);
		if (random_below(4) == 0) {
			s->first += (size_t)((int64_t)(s->extent[d] - 1) * s->stride[d]);
			s->stride[d] = -s->stride[d];
		}
	}
	s->nbytes = size;
}

static int64_t
place(uint64_t i, int64_t stride, const uint64_t *list)
{
	return (int64_t)(list ? list[i] : i) * stride;
}

/* In C order, so that of repeats the last wins. */
static void
naive(uint8_t *dst, const uint8_t *src, const zinc_copy_dim *d, int ndim, size_t element)
{
	uint64_t i;

	if (ndim == 0) {
		memcpy(dst, src, element);
		return;
	}
	for (i = 0; i < d->n; i++)
		naive(dst + place(i, d->dst_stride, d->dst_list), src + place(i, d->src_stride, d->src_list), d + 1,
		      ndim - 1, element);
}

static uint64_t lists[2 * MOST_DIMS][MOST_LIST];

/* A list into [0, extent), sometimes without order or with repeats. */
static const uint64_t *
make_list(uint64_t *list, uint64_t n, uint64_t extent)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		list[i] = random_below(extent);
	return list;
}

static uint64_t
choose_n(int ndim)
{
	if (random_below(40) == 0)
		return 0;
	if (random_below(6) == 0)
		return 1;
	return 1 + random_below(ndim <= 2 ? 150 : ndim == 3 ? 20 : 6);
}

static void
one_copy(void)
{
	static const size_t elements[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 64, 100};
	const size_t element = elements[random_below(COUNT(elements))];
	const int ndim = (int)random_below(MOST_DIMS);
	const bool broadcast = random_below(8) == 0;
	zinc_copy_dim d[MOST_DIMS];
	side to, from;
	uint8_t *dst, *want, *src, value[100];
	size_t i;
	int k;

	for (k = 0; k < ndim; k++) {
		d[k] = (zinc_copy_dim){.n = choose_n(ndim)};
		to.extent[k] = from.extent[k] = d[k].n + 1;
		if (random_below(6) == 0)
			d[k].dst_list = make_list(lists[2 * k], d[k].n, to.extent[k]);
		if (random_below(6) == 0)
			d[k].src_list = make_list(lists[2 * k + 1], d[k].n, from.extent[k]);
		if (random_below(2) == 0 && !d[k].dst_list)
			to.extent[k] = d[k].n ? d[k].n : 1;
		if (random_below(2) == 0 && !d[k].src_list)
			from.extent[k] = d[k].n ? d[k].n : 1;
	}
	lay_out(&to, ndim, element);
	lay_out(&from, ndim, element);
	for (k = 0; k < ndim; k++) {
		d[k].dst_stride = to.stride[k];
		d[k].src_stride = broadcast && random_below(2) ? 0 : from.stride[k];
	}
	dst = malloc(to.nbytes);
	want = malloc(to.nbytes);
	src = malloc(from.nbytes);
	assert_true(dst && want && src);
	for (i = 0; i < from.nbytes; i++)
		src[i] = (uint8_t)random_below(256);
	memset(dst, 0xee, to.nbytes);
	memset(want, 0xee, to.nbytes);
	naive(want + to.first, src + from.first, d, ndim, element);
	zinc_copy_nd(dst + to.first, src + from.first, d, ndim, element);
	assert_memory_equal(dst, want, to.nbytes);
	memset(dst, 0xee, to.nbytes);
	zinc_copy_nd_uncached(dst + to.first, src + from.first, d, ndim, element);
	assert_memory_equal(dst, want, to.nbytes);

	for (i = 0; i < element; i++)
		value[i] = random_below(3) ? 7 : (uint8_t)random_below(256);
	memset(dst, 0xee, to.nbytes);
	memset(want, 0xee, to.nbytes);
	zinc_fill_nd(dst + to.first, value, d, ndim, element); /* src members are ignored */
	for (k = 0; k < ndim; k++) {
		d[k].src_stride = 0;
		d[k].src_list = NULL;
	}
	naive(want + to.first, value, d, ndim, element);
	assert_memory_equal(dst, want, to.nbytes);
	free(dst);
	free(want);
	free(src);
}

static void
random_copies(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 6000; i++)
		one_copy();
}

/* C <-> Fortran order, sizes around the tiles. */
static void
transposes(void **state)
{
	static const uint64_t sizes[] = {2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200};
	static const size_t elements[] = {1, 2, 4, 8, 16, 3};
	size_t e, i, j, k;

	(void)state;
	for (e = 0; e < COUNT(elements); e++)
		for (i = 0; i < COUNT(sizes); i++)
			for (j = 0; j < COUNT(sizes); j++) {
				const size_t element = elements[e], n = sizes[i] * sizes[j] * element;
				const int64_t size = (int64_t)element;
				const zinc_copy_dim d[2] = {{sizes[i], (int64_t)sizes[j] * size, size, NULL, NULL},
							    {sizes[j], size, (int64_t)sizes[i] * size, NULL, NULL}};
				uint8_t *src = malloc(n), *dst = malloc(n), *want = malloc(n);

				assert_true(src && dst && want);
				for (k = 0; k < n; k++)
					src[k] = (uint8_t)(k * 31 + (k >> 8));
				naive(want, src, d, 2, element);
				zinc_copy_nd(dst, src, d, 2, element);
				assert_memory_equal(dst, want, n);
				free(src);
				free(dst);
				free(want);
			}
}

/* Rows of whole cache lines, from any address to lines. */
static void
far_copies(void **state)
{
	uint8_t *src = malloc(1 << 16), *dst = aligned_alloc(64, 1 << 18), *want = malloc(1 << 18);
	int round, k;
	size_t i;

	(void)state;
	assert_true(src && dst && want);
	for (i = 0; i < 1 << 16; i++)
		src[i] = (uint8_t)random_below(256);
	for (round = 0; round < 500; round++) {
		const size_t element = 64 * (1 + random_below(4));
		const int ndim = (int)random_below(4);
		const size_t first = random_below(64);
		int64_t to = (int64_t)element, from = (int64_t)element;
		zinc_copy_dim d[3];

		for (k = ndim - 1; k >= 0; k--) {
			d[k] = (zinc_copy_dim){.n = 1 + random_below(5)};
			d[k].dst_stride = to += 64 * (int64_t)random_below(3);
			d[k].src_stride = from += (int64_t)random_below(9);
			to *= (int64_t)d[k].n;
			from *= (int64_t)d[k].n;
		}
		assert_true(to <= 1 << 18 && from + 64 <= 1 << 16);
		memset(dst, 0xee, 1 << 18);
		memset(want, 0xee, 1 << 18);
		naive(want, src + first, d, ndim, element);
		zinc_copy_nd_uncached(dst, src + first, d, ndim, element);
		assert_memory_equal(dst, want, 1 << 18);
	}
	free(src);
	free(dst);
	free(want);
}

/* 64 dimensions, mixed lengths of one and two. */
static void
many_dimensions(void **state)
{
	zinc_copy_dim d[ZINC_MAX_NDIM];
	uint16_t src[4096], dst[4096], want[4096];
	int64_t a = 2, b = 2;
	int i;

	(void)state;
	for (i = 0; i < 4096; i++)
		src[i] = (uint16_t)i;
	for (i = 0; i < ZINC_MAX_NDIM; i++) {
		d[i] = (zinc_copy_dim){.n = i % 6 == 0 ? 2 : 1, .dst_stride = a, .src_stride = 0};
		a *= (int64_t)d[i].n;
	}
	for (i = ZINC_MAX_NDIM - 1; i >= 0; i--) {
		d[i].src_stride = b;
		b *= (int64_t)d[i].n;
	}
	memset(dst, 0, sizeof dst);
	memset(want, 0, sizeof want);
	naive((uint8_t *)want, (const uint8_t *)src, d, ZINC_MAX_NDIM, 2);
	zinc_copy_nd(dst, src, d, ZINC_MAX_NDIM, 2);
	assert_memory_equal(dst, want, sizeof dst);
	assert_int_equal(dst[1], 1024);
}

static void
runs(void **state)
{
	static const size_t elements[] = {1, 2, 3, 4, 8, 16, 100, 5000};
	uint8_t value[5000], *p = malloc(5000 * 400 + 1);
	size_t e, n, i;

	(void)state;
	assert_non_null(p);
	for (e = 0; e < COUNT(elements); e++)
		for (n = 0; n < 400; n += n < 10 ? 1 : 97) {
			const size_t element = elements[e], nbytes = n * element;
			const bool flat = n & 1;

			for (i = 0; i < element; i++)
				value[i] = flat ? 9 : (uint8_t)(i * 5 + 1);
			memset(p, 0xee, nbytes + 1);
			zinc_fill_run(p, value, n, element);
			for (i = 0; i < nbytes; i++)
				assert_int_equal(p[i], value[i % element]);
			assert_int_equal(p[nbytes], 0xee);
			assert_true(zinc_run_is(p, value, n, element));
			for (i = 0; i < nbytes; i += i < 3 || i + 4 > nbytes ? 1 : nbytes / 7 + 1) { /* any byte off */
				p[i] ^= 1;
				assert_false(zinc_run_is(p, value, n, element));
				p[i] ^= 1;
			}
		}
	free(p);
}

static void
strides(void **state)
{
	static const uint64_t shape[] = {2, 3, 0, 5};
	int64_t s[4] = {7, 7, 7, 7};

	(void)state;
	zinc_strides_c(shape, 2, 4, s);
	assert_int_equal(s[0], 12);
	assert_int_equal(s[1], 4);
	assert_int_equal(s[2], 7);
	zinc_strides_c(shape, 4, 8, s);
	assert_int_equal(s[3], 8);
	assert_int_equal(s[2], 40);
	assert_int_equal(s[1], 0);
	assert_int_equal(s[0], 0);
	zinc_strides_c(NULL, 0, 8, s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_copies),   cmocka_unit_test(far_copies), cmocka_unit_test(transposes),
	    cmocka_unit_test(many_dimensions), cmocka_unit_test(runs),       cmocka_unit_test(strides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
