/*
 * zips.h - zip archives made byte by byte, right and wrong ones
 */
#ifndef ZIPS_H
#define ZIPS_H

#include "store/store.h"

/* An entry, as its headers say; `bytes` are what is stored. */
typedef struct zips_entry {
	const char *name;
	size_t nname; /* 0: strlen */
	const void *bytes;
	size_t n;
	uint64_t nbytes; /* decoded; 0 and method 0: n */
	uint16_t method, flags;
	uint32_t crc;  /* 0: that of the bytes */
	uint32_t mode; /* of Unix, 0: none */
	uint16_t disk;
	const void *extra; /* of the record */
	size_t nextra;
	size_t local_extra;     /* bytes of zeros after the local name */
	int64_t moved;          /* added to its position in the directory */
	const char *local_name; /* if it differs */
} zips_entry;

typedef struct zips {
	uint8_t all[1 << 16];
	size_t n;
	uint8_t dir[1 << 15];
	size_t ndir;
	unsigned count;
	size_t shift; /* bytes before the archive that its positions do not count */
} zips;

void zips_begin(zips *z, size_t before, size_t shift);
void zips_add(zips *z, const zips_entry *e);
/* A stored entry. */
void zips_text(zips *z, const char *name, const char *text);
/* The directory and its end, with a comment (NULL: none), as zip64 if `wide`. */
void zips_end(zips *z, const char *comment, bool wide);
/* Put the archive into the memory store `name` as "a.zip" and open it; *below is that store. */
zinc_store *zips_open(const zips *z, const char *name, zinc_store **below);

void zips_put(uint8_t *all, size_t *n, size_t nbytes, uint64_t v);

#endif
