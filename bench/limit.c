/*
 * limit.c - the limit of the machine: the same files and codec calls, without any Zarr
 *
 *     read   sel=a:b,c:d,e:f shape=.. chunk=.. [inner=..] size=2 codec=raw|zstd|gzip|blosc
 *            [version=2]
 *     chunks the same without sel: every chunk, or inner chunk, on its own, into memory that is used again
 *     write  the same without sel: all chunks to=PATH, from the result of `read`
 *     poke   the same without sel: count=N boxes, 16 on each side, into the shards of to=PATH, each shard rewritten
 *
 * All parameters are given; nothing is read from metadata or checked.  Contexts and buffers are made once per thread;
 * the destination is in huge pages; a chunk is decoded into scratch and copied once, or read directly into the rows
 * if it is raw; zstd is decoded no further than needed.  Inner chunks of a shard are read one by one, by the shard's
 * index:
 *
 *     [inner chunk]...[index: (offset, nbytes) * n][crc32c]
 */
#include <blosc.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

#include "bench.h"

#define DIMS     3
#define MOST_IOV 1024

typedef struct worker {
	ZSTD_DCtx *zd;
	ZSTD_CCtx *zc;
	struct libdeflate_decompressor *gd;
	struct libdeflate_compressor *gc;
	uint8_t *in, *out;
	size_t nin;
} worker;

typedef struct shard {
	int fd;
	uint64_t *index;
} shard;

typedef struct limit {
	uint64_t shape[DIMS], chunk[DIMS], inner[DIMS], size;
	uint64_t unit[DIMS];              /* the unit of decoding: a chunk, or an inner chunk */
	uint64_t from[DIMS], count[DIMS]; /* the selection */
	uint64_t first[DIMS], grid[DIMS]; /* units that it touches */
	bool sharded, v2;
	bool alone; /* units are decoded, and discarded */
	char codec;
	const char *path;
	uint8_t *dst;
	size_t ndst, nunit;
	uint64_t shards[DIMS]; /* in the whole array */
	shard *shard;
	worker w[MOST_THREADS];
} limit;

/* A region of a unit, and its place in the destination. */
typedef struct region {
	uint64_t at[DIMS]; /* in the unit */
	uint64_t to[DIMS]; /* in the destination */
	uint64_t count[DIMS];
} region;

static uint64_t
product(const uint64_t n[DIMS])
{
	return n[0] * n[1] * n[2];
}

/* ---- files ---- */

static void
name_chunk(const limit *x, const uint64_t at[DIMS], char *out, size_t cap)
{
	snprintf(out, cap, x->v2 ? "%s/%llu.%llu.%llu" : "%s/c/%llu/%llu/%llu", x->path, (unsigned long long)at[0],
		 (unsigned long long)at[1], (unsigned long long)at[2]);
}

static int
open_chunk(const limit *x, const uint64_t at[DIMS])
{
	char name[4096];
	int fd;

	name_chunk(x, at, name, sizeof name);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		bench_die(name);
	return fd;
}

static void
read_at(int fd, void *p, size_t n, uint64_t at)
{
	while (n) {
		const ssize_t got = pread(fd, p, n, (off_t)at);

		if (got <= 0)
			bench_die("cannot read");
		p = (uint8_t *)p + got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
}

static void
reserve(worker *w, size_t n)
{
	if (n <= w->nin)
		return;
	free(w->in);
	w->in = malloc(n);
	w->nin = n;
	if (!w->in)
		bench_die("no memory");
}

/* ---- copying ---- */

static size_t
offset_in(const uint64_t shape[DIMS], const uint64_t at[DIMS], uint64_t size)
{
	return (size_t)(((at[0] * shape[1] + at[1]) * shape[2] + at[2]) * size);
}

static void
copy_rows(const limit *x, const region *r, const uint8_t *unit)
{
	const size_t row = (size_t)(r->count[2] * x->size);
	uint64_t i, j;

	for (i = 0; i < r->count[0] && !x->alone; i++)
		for (j = 0; j < r->count[1]; j++) {
			const uint64_t a[DIMS] = {r->at[0] + i, r->at[1] + j, r->at[2]};
			const uint64_t b[DIMS] = {r->to[0] + i, r->to[1] + j, r->to[2]};

			memcpy(x->dst + offset_in(x->count, b, x->size), unit + offset_in(x->unit, a, x->size), row);
		}
}

/* A whole raw chunk, directly into the rows. */
static void
read_rows(const limit *x, const region *r, int fd)
{
	const size_t row = (size_t)(r->count[2] * x->size);
	struct iovec iov[MOST_IOV];
	uint64_t i, j, at = 0;
	int n = 0;

	for (i = 0; i < r->count[0]; i++)
		for (j = 0; j < r->count[1]; j++) {
			const uint64_t b[DIMS] = {r->to[0] + i, r->to[1] + j, r->to[2]};

			iov[n].iov_base = x->dst + offset_in(x->count, b, x->size);
			iov[n++].iov_len = row;
			if (n == MOST_IOV || (i + 1 == r->count[0] && j + 1 == r->count[1])) {
				if (preadv(fd, iov, n, (off_t)at) != (ssize_t)(row * (size_t)n))
					bench_die("cannot read rows");
				at += row * (uint64_t)n;
				n = 0;
			}
		}
}

/* Part of a raw chunk: the bytes between the first and the last of each plane. */
static void
read_planes(const limit *x, const region *r, worker *w, int fd)
{
	region plane = *r;
	uint64_t i;

	for (i = 0; i < r->count[0]; i++) {
		const uint64_t a[DIMS] = {r->at[0] + i, r->at[1], r->at[2]};
		const size_t first = offset_in(x->unit, a, x->size);
		const size_t n = (size_t)(((r->count[1] - 1) * x->unit[2] + r->count[2]) * x->size);

		read_at(fd, w->out + first, n, first);
		plane.at[0] = a[0];
		plane.to[0] = r->to[0] + i;
		plane.count[0] = 1;
		copy_rows(x, &plane, w->out);
	}
}

/* ---- codecs ---- */

static void
decode(const limit *x, worker *w, size_t nin, size_t need)
{
	ZSTD_inBuffer in = {w->in, nin, 0};
	ZSTD_outBuffer out = {w->out, need, 0};
	size_t got = 0;

	switch (x->codec) {
	case 'z':
		if (need == x->nunit) {
			got = ZSTD_decompressDCtx(w->zd, w->out, x->nunit, w->in, nin);
			break;
		}
		ZSTD_DCtx_reset(w->zd, ZSTD_reset_session_only);
		while (out.pos < need && !ZSTD_isError(ZSTD_decompressStream(w->zd, &out, &in)) && in.pos < nin)
			continue;
		got = out.pos;
		break;
	case 'g':
		if (libdeflate_gzip_decompress(w->gd, w->in, nin, w->out, x->nunit, &got) != LIBDEFLATE_SUCCESS)
			got = 0;
		break;
	case 'b':
		got = (size_t)blosc_decompress_ctx(w->in, w->out, x->nunit, 1);
		break;
	default:
		memcpy(w->out, w->in, nin);
		got = nin;
		break;
	}
	if (got < need)
		bench_die("cannot decode");
}

static size_t
encode(const limit *x, worker *w, const uint8_t *from, uint8_t *to, size_t cap)
{
	switch (x->codec) {
	case 'z':
		return ZSTD_compressCCtx(w->zc, to, cap, from, x->nunit, 0);
	case 'g':
		return libdeflate_gzip_compress(w->gc, from, x->nunit, to, cap);
	case 'b':
		return (size_t)blosc_compress_ctx(5, BLOSC_SHUFFLE, x->size, x->nunit, from, to, cap, "lz4", 0, 1);
	default:
		memcpy(to, from, x->nunit);
		return x->nunit;
	}
}

/* ---- reading ---- */

/* The part of unit number i that is selected. */
static void
find_region(const limit *x, size_t i, uint64_t at[DIMS], region *r)
{
	int d;

	for (d = DIMS - 1; d >= 0; d--) {
		const uint64_t u = x->first[d] + i % x->grid[d], begin = u * x->unit[d], end = begin + x->unit[d];
		const uint64_t lo = begin > x->from[d] ? begin : x->from[d];
		const uint64_t stop = x->from[d] + x->count[d], hi = end < stop ? end : stop;

		i /= x->grid[d];
		at[d] = u;
		r->at[d] = lo - begin;
		r->to[d] = lo - x->from[d];
		r->count[d] = hi - lo;
	}
}

static void
load_chunk(const limit *x, worker *w, const uint64_t at[DIMS], const region *r, size_t need)
{
	const int fd = open_chunk(x, at);
	struct stat st;

	if (x->codec == 'r' && x->alone) {
		read_at(fd, w->out, x->nunit, 0);
	} else if (x->codec == 'r' && product(r->count) == product(x->unit)) {
		read_rows(x, r, fd);
	} else if (x->codec == 'r') {
		read_planes(x, r, w, fd);
	} else {
		if (fstat(fd, &st) != 0)
			bench_die("cannot stat");
		reserve(w, (size_t)st.st_size);
		read_at(fd, w->in, (size_t)st.st_size, 0);
		decode(x, w, (size_t)st.st_size, need);
		copy_rows(x, r, w->out);
	}
	close(fd);
}

static void
load_inner(const limit *x, worker *w, const uint64_t at[DIMS], const region *r, size_t need)
{
	uint64_t s = 0, k = 0;
	const uint64_t *entry;
	int d;

	for (d = 0; d < DIMS; d++) {
		const uint64_t per = x->chunk[d] / x->inner[d];

		s = s * x->shards[d] + at[d] / per;
		k = k * per + at[d] % per;
	}
	entry = x->shard[s].index + 2 * k;
	reserve(w, (size_t)entry[1]);
	read_at(x->shard[s].fd, w->in, (size_t)entry[1], entry[0]);
	decode(x, w, (size_t)entry[1], need);
	copy_rows(x, r, w->out);
}

static void
load_unit(void *arg, size_t i, int number)
{
	limit *x = (limit *)arg;
	uint64_t at[DIMS], last[DIMS];
	region r;
	size_t need;
	int d;

	find_region(x, i, at, &r);
	for (d = 0; d < DIMS; d++)
		last[d] = r.at[d] + r.count[d] - 1;
	need = offset_in(x->unit, last, x->size) + (size_t)x->size;
	if (x->sharded)
		load_inner(x, &x->w[number], at, &r, need);
	else
		load_chunk(x, &x->w[number], at, &r, need);
}

/* Open the shards that are touched, and read their indexes. */
static void
open_shards(limit *x)
{
	const uint64_t n = product(x->chunk) / product(x->inner), nbytes = 16 * n;
	uint64_t at[DIMS], i;
	struct stat st;

	x->shard = calloc(product(x->shards), sizeof *x->shard);
	for (i = 0; i < product(x->shards); i++) {
		const uint64_t rest = i / x->shards[2];
		int d;
		bool touched = true;

		at[2] = i % x->shards[2];
		at[1] = rest % x->shards[1];
		at[0] = rest / x->shards[1];
		for (d = 0; d < DIMS; d++)
			touched &=
			    at[d] * x->chunk[d] < x->from[d] + x->count[d] && (at[d] + 1) * x->chunk[d] > x->from[d];
		if (!touched)
			continue;
		x->shard[i].fd = open_chunk(x, at);
		x->shard[i].index = malloc(nbytes);
		if (fstat(x->shard[i].fd, &st) != 0)
			bench_die("cannot stat");
		read_at(x->shard[i].fd, x->shard[i].index, nbytes, (uint64_t)st.st_size - nbytes - 4);
	}
}

static void
close_shards(limit *x)
{
	uint64_t i;

	for (i = 0; i < product(x->shards); i++)
		if (x->shard[i].index) {
			close(x->shard[i].fd);
			free(x->shard[i].index);
		}
	free(x->shard);
	x->shard = NULL;
}

static void
read_once(limit *x, int threads)
{
	x->dst = bench_fresh(x->ndst);
	if (x->sharded)
		open_shards(x);
	bench_share(threads, product(x->grid), load_unit, x);
	if (x->sharded)
		close_shards(x);
}

/* ---- writing ---- */

/* Copy a unit from the array, with zeros past its end. */
static void
gather(const limit *x, const uint64_t begin[DIMS], uint8_t *unit)
{
	uint64_t i, j, n[DIMS];
	int d;

	for (d = 0; d < DIMS; d++) {
		const uint64_t left = begin[d] < x->shape[d] ? x->shape[d] - begin[d] : 0;

		n[d] = left < x->unit[d] ? left : x->unit[d];
	}
	if (product(n) != product(x->unit))
		memset(unit, 0, x->nunit);
	for (i = 0; i < n[0]; i++)
		for (j = 0; j < n[1]; j++) {
			const uint64_t a[DIMS] = {begin[0] + i, begin[1] + j, begin[2]}, b[DIMS] = {i, j, 0};

			memcpy(unit + offset_in(x->unit, b, x->size), x->dst + offset_in(x->shape, a, x->size),
			       (size_t)(n[2] * x->size));
		}
}

static void
write_out(int fd, const uint8_t *bytes, size_t n)
{
	while (n) {
		const ssize_t done = write(fd, bytes, n);

		if (done <= 0)
			bench_die("cannot write");
		bytes += done;
		n -= (size_t)done;
	}
}

static int
create(const char *name, char temporary[4200])
{
	int fd;

	snprintf(temporary, 4200, "%s.tmp", name);
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		bench_die(temporary);
	return fd;
}

static void
put(const char *name, const uint8_t *bytes, size_t n)
{
	char temporary[4200];
	const int fd = create(name, temporary);

	write_out(fd, bytes, n);
	if (close(fd) != 0 || rename(temporary, name) != 0)
		bench_die(temporary);
}

/* One stored object: a chunk, or all inner chunks of a shard one after another with their index. */
static void
store_object(void *arg, size_t i, int number)
{
	limit *x = (limit *)arg;
	worker *w = &x->w[number];
	const uint64_t units = product(x->chunk) / product(x->unit), cap = x->nunit + x->nunit / 8 + 4096;
	const uint64_t at[DIMS] = {i / x->shards[2] / x->shards[1], i / x->shards[2] % x->shards[1], i % x->shards[2]};
	uint64_t begin[DIMS], index[2], k, used = 0;
	char name[4096];

	reserve(w, (size_t)(units * (cap + 16) + 4));
	for (k = 0; k < units; k++) {
		const uint64_t per[DIMS] = {x->chunk[0] / x->unit[0], x->chunk[1] / x->unit[1],
					    x->chunk[2] / x->unit[2]};

		begin[0] = at[0] * x->chunk[0] + k / per[2] / per[1] * x->unit[0];
		begin[1] = at[1] * x->chunk[1] + k / per[2] % per[1] * x->unit[1];
		begin[2] = at[2] * x->chunk[2] + k % per[2] * x->unit[2];
		gather(x, begin, w->out);
		index[0] = used;
		index[1] = encode(x, w, w->out, w->in + used, (size_t)cap);
		memcpy(w->in + units * cap + 16 * k, index, sizeof index);
		used += index[1];
	}
	if (x->sharded) {
		memmove(w->in + used, w->in + units * cap, (size_t)(16 * units + 4));
		used += 16 * units + 4;
	}
	name_chunk(x, at, name, sizeof name);
	put(name, w->in, (size_t)used);
}

/* ---- parts of shards ---- */

#define BOX        16
#define COPY_BLOCK ((size_t)256 << 10)

/* Kept bytes, from file to file. */
static void
copy_range(int from, int to, uint64_t at, uint64_t n)
{
	static uint8_t block[COPY_BLOCK];

	for (; n; n -= n < COPY_BLOCK ? n : COPY_BLOCK, at += COPY_BLOCK) {
		const size_t part = n < COPY_BLOCK ? (size_t)n : COPY_BLOCK;

		read_at(from, block, part, at);
		write_out(to, block, part);
	}
}

/* The part of the box [at, at + BOX) that is in the unit at `begin`, with zeros; false: none. */
static bool
change(const limit *x, uint8_t *unit, const uint64_t begin[DIMS], const uint64_t at[DIMS])
{
	uint64_t lo[DIMS], hi[DIMS], i, j;
	int d;

	for (d = 0; d < DIMS; d++) {
		lo[d] = at[d] > begin[d] ? at[d] - begin[d] : 0;
		hi[d] = at[d] + BOX < begin[d] + x->unit[d] ? at[d] + BOX - begin[d] : x->unit[d];
		if (at[d] + BOX <= begin[d] || at[d] >= begin[d] + x->unit[d])
			return false;
	}
	for (i = lo[0]; i < hi[0] && unit; i++)
		for (j = lo[1]; j < hi[1]; j++) {
			const uint64_t a[DIMS] = {i, j, lo[2]};

			memset(unit + offset_in(x->unit, a, x->size), 0, (size_t)((hi[2] - lo[2]) * x->size));
		}
	return true;
}

/* The inner chunk: read, decode, change, encode, write.  Returns its new length. */
static uint64_t
rewrite_inner(const limit *x, worker *w, int from, int to, const uint64_t entry[2], const uint64_t begin[DIMS],
	      const uint64_t at[DIMS])
{
	const size_t cap = x->nunit + x->nunit / 8 + 4096;
	size_t n;

	reserve(w, cap);
	read_at(from, w->in, (size_t)entry[1], entry[0]);
	decode(x, w, (size_t)entry[1], x->nunit);
	change(x, w->out, begin, at);
	n = encode(x, w, w->out, w->in, cap);
	write_out(to, w->in, n);
	return n;
}

static void
rewrite_shard(const limit *x, worker *w, const uint64_t shard_at[DIMS], const uint64_t at[DIMS])
{
	const uint64_t per[DIMS] = {x->chunk[0] / x->unit[0], x->chunk[1] / x->unit[1], x->chunk[2] / x->unit[2]};
	const uint64_t units = product(per), nbytes = 16 * units + 4;
	const int from = open_chunk(x, shard_at);
	uint64_t *index = malloc(nbytes + 4), begin[DIMS], k, used = 0, kept = 0, kept_at = 0;
	char name[4096], temporary[4200];
	struct stat st;
	int to;

	name_chunk(x, shard_at, name, sizeof name);
	to = create(name, temporary);
	if (!index || fstat(from, &st) != 0)
		bench_die("cannot look at a shard");
	read_at(from, index, nbytes, (uint64_t)st.st_size - nbytes);
	for (k = 0; k < units; k++) {
		uint64_t *entry = index + 2 * k;
		const uint64_t was = entry[0];

		begin[0] = shard_at[0] * x->chunk[0] + k / per[2] / per[1] * x->unit[0];
		begin[1] = shard_at[1] * x->chunk[1] + k / per[2] % per[1] * x->unit[1];
		begin[2] = shard_at[2] * x->chunk[2] + k % per[2] * x->unit[2];
		if (change(x, NULL, begin, at)) {
			copy_range(from, to, kept_at, kept);
			kept = 0;
			entry[1] = rewrite_inner(x, w, from, to, entry, begin, at);
		} else {
			if (kept && kept_at + kept != was) {
				copy_range(from, to, kept_at, kept);
				kept = 0;
			}
			kept_at = kept ? kept_at : was;
			kept += entry[1];
		}
		entry[0] = used;
		used += entry[1];
	}
	copy_range(from, to, kept_at, kept);
	write_out(to, (const uint8_t *)index, nbytes);
	free(index);
	if (close(from) != 0 || close(to) != 0 || rename(temporary, name) != 0)
		bench_die(temporary);
}

/* The boxes of ours.c and peers.py. */
static void
poke(limit *x, uint64_t count)
{
	uint64_t i, k, at[DIMS], shard_at[DIMS];
	int d;

	for (i = 0; i < count; i++) {
		for (d = 0; d < DIMS; d++)
			at[d] = (i + 1) * (uint64_t)(37 + 10 * d) % (x->shape[d] - BOX);
		for (k = 0; k < product(x->shards); k++) {
			bool touched = true;

			shard_at[2] = k % x->shards[2];
			shard_at[1] = k / x->shards[2] % x->shards[1];
			shard_at[0] = k / x->shards[2] / x->shards[1];
			for (d = 0; d < DIMS; d++)
				touched &=
				    at[d] < (shard_at[d] + 1) * x->chunk[d] && at[d] + BOX > shard_at[d] * x->chunk[d];
			if (touched)
				rewrite_shard(x, &x->w[0], shard_at, at);
		}
	}
}

/* ---- options ---- */

static void
parse_selection(limit *x, const char *s)
{
	char *end;
	int d;

	for (d = 0; d < DIMS; d++) {
		x->from[d] = 0;
		x->count[d] = x->shape[d];
		if (!s || !*s)
			continue;
		if (*s != ':') {
			x->from[d] = strtoull(s, &end, 10);
			x->count[d] = strtoull(end + 1, &end, 10) - x->from[d];
			s = end;
		} else {
			s++;
		}
		s += *s == ',';
	}
}

static void
prepare(limit *x, const bench *b)
{
	const char *codec = bench_option(b, "codec"), *size = bench_option(b, "size");
	const char *version = bench_option(b, "version");
	int d, k;

	memset(x, 0, sizeof *x);
	x->path = b->path;
	x->codec = codec ? codec[0] : 'r';
	x->v2 = version && version[0] == '2';
	x->size = size ? strtoull(size, NULL, 10) : 2;
	if (bench_numbers(b, "shape", x->shape, DIMS) != DIMS || bench_numbers(b, "chunk", x->chunk, DIMS) != DIMS)
		bench_die("shape and chunk are three numbers each");
	x->sharded = bench_numbers(b, "inner", x->inner, DIMS) == DIMS;
	memcpy(x->unit, x->sharded ? x->inner : x->chunk, sizeof x->unit);
	parse_selection(x, bench_option(b, "sel"));
	for (d = 0; d < DIMS; d++) {
		x->first[d] = x->from[d] / x->unit[d];
		x->grid[d] = (x->from[d] + x->count[d] - 1) / x->unit[d] - x->first[d] + 1;
		x->shards[d] = (x->shape[d] + x->chunk[d] - 1) / x->chunk[d];
	}
	x->ndst = (size_t)(product(x->count) * x->size);
	x->nunit = (size_t)(product(x->unit) * x->size);
	for (k = 0; k < b->threads; k++) {
		x->w[k].zd = ZSTD_createDCtx();
		x->w[k].zc = ZSTD_createCCtx();
		x->w[k].gd = libdeflate_alloc_decompressor();
		x->w[k].gc = libdeflate_alloc_compressor(5);
		x->w[k].out = bench_fresh(x->nunit);
	}
}

static void
run(limit *x, const bench *b)
{
	if (strcmp(b->operation, "write") == 0) {
		bench_share(b->threads, product(x->shards), store_object, x);
	} else if (strcmp(b->operation, "poke") == 0) {
		poke(x, strtoull(bench_option(b, "count"), NULL, 10));
	} else {
		read_once(x, b->threads);
	}
}

int
main(int argc, char **argv)
{
	bench b = bench_begin(argc, argv);
	static limit x;
	int k;

	prepare(&x, &b);
	x.alone = strcmp(b.operation, "chunks") == 0;
	if (strcmp(b.operation, "write") == 0)
		read_once(&x, b.threads);
	if (bench_option(&b, "to"))
		x.path = bench_option(&b, "to");
	for (k = 0; k < b.repeat; k++) {
		bench_start(&b);
		run(&x, &b);
		bench_stop(&b);
		if (!bench_option(&b, "to"))
			bench_drop(x.dst, x.ndst);
	}
	return bench_print(&b);
}
