/*
 * zips.c - zip archives made byte by byte
 */
#include <stdio.h>

#include "support/gets.h"
#include "support/test.h"
#include "support/zips.h"

void
zips_put(uint8_t *all, size_t *n, size_t nbytes, uint64_t v)
{
	for (; nbytes; nbytes--, v >>= 8)
		all[(*n)++] = (uint8_t)v;
}

static void
add(uint8_t *all, size_t *n, const void *bytes, size_t nbytes)
{
	if (nbytes)
		memcpy(all + *n, bytes, nbytes);
	*n += nbytes;
}

void
zips_begin(zips *z, size_t before, size_t shift)
{
	memset(z, 0, sizeof *z);
	memset(z->all, '#', before);
	z->n = before;
	z->shift = shift;
}

/* What local headers and records have in common, from the flags to the sizes. */
static void
add_common(uint8_t *all, size_t *n, const zips_entry *e, bool later)
{
	const uint64_t nbytes = e->nbytes || e->method ? e->nbytes : e->n;
	const uint32_t crc = e->crc ? e->crc : zinc_crc32(0, e->bytes, e->n);

	zips_put(all, n, 2, e->flags);
	zips_put(all, n, 2, e->method);
	zips_put(all, n, 4, 0x00210000);
	zips_put(all, n, 4, later ? 0 : crc);
	zips_put(all, n, 4, later ? 0 : e->n);
	zips_put(all, n, 4, later ? 0 : nbytes);
}

void
zips_add(zips *z, const zips_entry *e)
{
	const size_t nname = e->nname ? e->nname : strlen(e->name), at = z->n;
	const bool later = e->flags & 8;

	zips_put(z->all, &z->n, 4, 0x04034B50);
	zips_put(z->all, &z->n, 2, 20);
	add_common(z->all, &z->n, e, later);
	zips_put(z->all, &z->n, 2, nname);
	zips_put(z->all, &z->n, 2, e->local_extra);
	add(z->all, &z->n, e->local_name ? e->local_name : e->name, nname);
	memset(z->all + z->n, 0, e->local_extra);
	z->n += e->local_extra;
	add(z->all, &z->n, e->bytes, e->n);
	if (later) {
		zips_put(z->all, &z->n, 4, 0x08074B50);
		zips_put(z->all, &z->n, 4, zinc_crc32(0, e->bytes, e->n));
		zips_put(z->all, &z->n, 8, e->n);
	}
	zips_put(z->dir, &z->ndir, 4, 0x02014B50);
	zips_put(z->dir, &z->ndir, 2, e->mode ? 3 << 8 : 20);
	zips_put(z->dir, &z->ndir, 2, 20);
	add_common(z->dir, &z->ndir, e, false);
	zips_put(z->dir, &z->ndir, 2, nname);
	zips_put(z->dir, &z->ndir, 2, e->nextra);
	zips_put(z->dir, &z->ndir, 2, 0);
	zips_put(z->dir, &z->ndir, 2, e->disk);
	zips_put(z->dir, &z->ndir, 2, 0);
	zips_put(z->dir, &z->ndir, 4, (uint64_t)e->mode << 16);
	zips_put(z->dir, &z->ndir, 4, (uint64_t)((int64_t)(at - z->shift) + e->moved));
	add(z->dir, &z->ndir, e->name, nname);
	add(z->dir, &z->ndir, e->extra, e->nextra);
	z->count++;
}

void
zips_text(zips *z, const char *name, const char *text)
{
	zips_add(z, &(zips_entry){.name = name, .bytes = text, .n = strlen(text)});
}

void
zips_end(zips *z, const char *comment, bool wide)
{
	const size_t at = z->n - z->shift, ncomment = comment ? strlen(comment) : 0;

	add(z->all, &z->n, z->dir, z->ndir);
	if (wide) {
		zips_put(z->all, &z->n, 4, 0x06064B50);
		zips_put(z->all, &z->n, 8, 44);
		zips_put(z->all, &z->n, 4, 45 << 16 | 45);
		zips_put(z->all, &z->n, 8, 0);
		zips_put(z->all, &z->n, 8, z->count);
		zips_put(z->all, &z->n, 8, z->count);
		zips_put(z->all, &z->n, 8, z->ndir);
		zips_put(z->all, &z->n, 8, at);
		zips_put(z->all, &z->n, 4, 0x07064B50);
		zips_put(z->all, &z->n, 4, 0);
		zips_put(z->all, &z->n, 8, at + z->ndir);
		zips_put(z->all, &z->n, 4, 1);
	}
	zips_put(z->all, &z->n, 4, 0x06054B50);
	zips_put(z->all, &z->n, 4, 0);
	zips_put(z->all, &z->n, 2, wide ? 0xFFFF : z->count);
	zips_put(z->all, &z->n, 2, wide ? 0xFFFF : z->count);
	zips_put(z->all, &z->n, 4, wide ? 0xFFFFFFFF : z->ndir);
	zips_put(z->all, &z->n, 4, wide ? 0xFFFFFFFF : at);
	zips_put(z->all, &z->n, 2, ncomment);
	add(z->all, &z->n, comment, ncomment);
}

zinc_store *
zips_open(const zips *z, const char *name, zinc_store **below)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char url[128];

	snprintf(url, sizeof url, "memory://%s", name);
	*below = NULL;
	assert_ok(zinc_store_open(below, url, NULL, &err));
	assert_ok(zinc_store_put(*below, NULL, "a.zip", z->all, z->n, NULL, 0, NULL, NULL, &err));
	snprintf(url, sizeof url, "memory://%s/a.zip|zip:", name);
	assert_ok(zinc_store_open(&s, url, NULL, &err));
	return s;
}
