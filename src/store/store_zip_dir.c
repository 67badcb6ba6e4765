/*
 * store_zip_dir.c - the directory of a zip archive, from its bytes
 *
 * Promises (tests/unit/test_store_zip_dir.c names each by its number):
 *
 * (1) The end record is the last one whose comment ends with the archive.  Archives of several disks are refused.
 * (2) zip64 is read wherever its records are there.  Bytes before the archive (a program that unpacks itself) are
 *     skipped: the directory ends where its end record begins, and all positions move with it.
 * (3) Nothing is outside of the bytes, whatever they say: every length and position is checked before it is used, and
 *     memory is proportional to the directory.
 * (4) If several records have one name, the last counts.
 * (5) An entry that is encrypted, of another method, a link, on another disk, outside of the archive, overlapping
 *     another, or of impossible sizes (a bomb), is listed and cannot be read.
 * (6) Tags of two generations of a key differ if the bytes differ.  An entry of our own has position, sizes and two
 *     checksums in its tag; any other also the archive's tag, and so another one after each change of the archive.
 */
#include <stdlib.h>

#include "store/store_zip.h"

#define MAX_RATIO 1032u  /* of deflate: 258 bytes from 2 bits */
#define SLACK     65536u /* that a bad encoder may add to bytes that do not shrink */
#define S_LINK    0120000u

/* ---- objects ---- */

zip_dir *
zinc_zip_dir_new(zinc_context *ctx)
{
	zip_dir *d = (zip_dir *)zinc_calloc(ctx, 1, sizeof *d);

	if (!d)
		return NULL;
	d->ctx = ctx;
	atomic_init(&d->refs, 1);
	zinc_buf_init(&d->raw, ctx, zinc_max_list(ctx));
	zinc_buf_init(&d->names, ctx, zinc_max_list(ctx));
	zinc_buf_init(&d->usual, ctx, zinc_max_list(ctx));
	return d;
}

zip_dir *
zinc_zip_dir_ref(zip_dir *d)
{
	atomic_fetch_add_explicit(&d->refs, 1, memory_order_relaxed);
	return d;
}

void
zinc_zip_dir_unref(zip_dir *d)
{
	if (!d || atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) != 1)
		return;
	zinc_buf_fini(&d->raw);
	zinc_buf_fini(&d->names);
	zinc_free(d->ctx, d->entries);
	zinc_free(d->ctx, d->odd);
	zinc_free(d->ctx, d->alias);
	zinc_buf_fini(&d->usual);
	zinc_free(d->ctx, d);
}

/* ---- the end record ---- */

/* The last end record whose comment reaches the end; SIZE_MAX: none. */
static size_t
find_mark(zinc_bytes tail)
{
	size_t at;

	if (tail.n < ZIP_END)
		return SIZE_MAX;
	for (at = tail.n - ZIP_END + 1; at-- > 0;)
		if (zinc_get_le32(tail.p + at) == ZIP_END_MARK && zip_get16(tail.p + at + 20) == tail.n - at - ZIP_END)
			return at;
	return SIZE_MAX;
}

/* The zip64 end record and its locator directly precede the end record.  *at is moved to the first of them. */
static zinc_status
read_end64(zinc_bytes tail, size_t *at, zip_end *out, uint64_t *position, zinc_error *err)
{
	const uint8_t *locator, *p;

	if (*at < ZIP_LOCATOR || zinc_get_le32(tail.p + *at - ZIP_LOCATOR) != ZIP_LOCATOR_MARK)
		return ZINC_OK;
	locator = tail.p + *at - ZIP_LOCATOR;
	if (*at < ZIP_LOCATOR + ZIP_END64 || zinc_get_le32(locator - ZIP_END64) != ZIP_END64_MARK)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the zip64 end record does not directly precede its locator");
	p = locator - ZIP_END64;
	if (zip_get64(p + 4) != ZIP_END64 - 12)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the zip64 end record has an unknown extension");
	if (zinc_get_le32(locator + 4) != 0 || zinc_get_le32(locator + 16) > 1 || zinc_get_le32(p + 16) != 0 ||
	    zinc_get_le32(p + 20) != 0 || zip_get64(p + 24) != zip_get64(p + 32))
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "the archive has several disks: join them (zip -s 0 a.zip --out whole.zip)");
	out->count = zip_get64(p + 32);
	out->wraps = false;
	out->n = zip_get64(p + 40);
	*position = zip_get64(p + 48);
	*at -= ZIP_LOCATOR + ZIP_END64;
	return ZINC_OK;
}

zinc_status
zinc_zip_find_end(zinc_bytes tail, uint64_t nbytes, zip_end *out, zinc_error *err)
{
	size_t at = find_mark(tail);
	uint64_t position, before;
	const uint8_t *p;

	memset(out, 0, sizeof *out);
	if (at == SIZE_MAX)
		return zinc_fail(err, ZINC_E_NOTFOUND, "no end record");
	p = tail.p + at;
	if (zip_get16(p + 4) != zip_get16(p + 6) || zip_get16(p + 8) != zip_get16(p + 10) ||
	    (zip_get16(p + 4) != 0 && zip_get16(p + 4) != 0xFFFF))
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "the archive has several disks: join them (zip -s 0 a.zip --out whole.zip)");
	out->count = zip_get16(p + 10);
	out->wraps = true;
	out->n = zinc_get_le32(p + 12);
	position = zinc_get_le32(p + 16);
	out->comment = at + ZIP_END;
	out->ncomment = tail.n - out->comment;
	ZINC_TRY(read_end64(tail, &at, out, &position, err));
	before = nbytes - tail.n + at; /* position of the first end record */
	if (!zinc_range_within(position, out->n, before))
		return zinc_fail(err, ZINC_E_CORRUPT, "the directory is not inside of the archive");
	out->at = before - out->n;
	out->shift = out->at - position;
	return ZINC_OK;
}

/* ---- one record ---- */

/* The values that do not fit into 32 bits, in the order of the format. */
static zinc_status
read_extra64(zip_record *r, zinc_error *err)
{
	uint64_t *const wide[] = {&r->nbytes, &r->stored, &r->header};
	size_t n = 0, at = 0, i;
	const uint8_t *p = zinc_zip_extra(r->extra, r->nextra, ZIP_EXTRA_64, &n);

	for (i = 0; p && i < 3; i++) {
		if (*wide[i] != UINT32_MAX)
			continue;
		if (n - at < 8)
			return zinc_fail(err, ZINC_E_CORRUPT, "a zip64 field of the directory is too short");
		*wide[i] = zip_get64(p + at);
		at += 8;
	}
	if (p && r->disk == 0xFFFF && n - at >= 4)
		r->disk = zinc_get_le32(p + at);
	return ZINC_OK;
}

zinc_status
zinc_zip_parse_record(zinc_bytes raw, size_t at, zip_record *r, zinc_error *err)
{
	const uint8_t *p = raw.p + at;

	if (raw.n - at < ZIP_RECORD || zinc_get_le32(p) != ZIP_RECORD_MARK)
		return zinc_fail(err, ZINC_E_CORRUPT, "no record at byte %zu of the directory", at);
	memset(r, 0, sizeof *r);
	r->p = p;
	r->nname = zip_get16(p + 28);
	r->nextra = zip_get16(p + 30);
	r->n = ZIP_RECORD + (size_t)r->nname + r->nextra + zip_get16(p + 32);
	if (r->n > raw.n - at)
		return zinc_fail(err, ZINC_E_CORRUPT, "the record at byte %zu of the directory is cut off", at);
	r->name = p + ZIP_RECORD;
	r->extra = r->name + r->nname;
	r->flags = zip_get16(p + 8);
	r->method = zip_get16(p + 10);
	r->crc = zinc_get_le32(p + 16);
	r->stored = zinc_get_le32(p + 20);
	r->nbytes = zinc_get_le32(p + 24);
	r->disk = zip_get16(p + 34);
	r->mode = p[5] == 3 ? zinc_get_le32(p + 38) >> 16 : 0;
	r->header = zinc_get_le32(p + 42);
	return read_extra64(r, err);
}

static bool
has_bad_sizes(const zip_record *r)
{
	if (r->method == ZIP_STORED)
		return r->stored != r->nbytes;
	return r->nbytes / MAX_RATIO > r->stored || (r->stored > SLACK && r->stored - SLACK > r->nbytes);
}

static zip_why
examine(const zip_dir *d, const zip_record *r)
{
	const uint64_t least = ZIP_LOCAL + (uint64_t)r->nname;

	if (r->disk != 0)
		return ZIP_OTHER_DISK;
	if (!zinc_range_within(r->header, least, d->end.at - d->end.shift) ||
	    r->stored > d->end.at - d->end.shift - r->header - least)
		return ZIP_OUTSIDE;
	if (r->flags & ZIP_ENCRYPTED)
		return ZIP_IS_ENCRYPTED;
	if (r->method != ZIP_STORED && r->method != ZIP_DEFLATED)
		return ZIP_OTHER_METHOD;
	if ((r->mode & 0170000u) == S_LINK)
		return ZIP_IS_LINK;
	return has_bad_sizes(r) ? ZIP_BAD_SIZES : ZIP_FINE;
}

zinc_status
zinc_zip_refuse(const zip_entry *e, zinc_error *err)
{
	static const char *const texts[] = {
	    [ZIP_IS_ENCRYPTED] = "the entry is encrypted: unpack the archive with its password, and pack it without",
	    [ZIP_OTHER_METHOD] = "the entry is compressed by method",
	    [ZIP_IS_LINK] = "the entry is a symbolic link, which is not followed",
	    [ZIP_OTHER_DISK] = "the entry is on another disk of the archive",
	    [ZIP_OUTSIDE] = "the entry is not inside of the archive",
	    [ZIP_OVERLAPS] = "the entry shares bytes with another one",
	    [ZIP_BAD_SIZES] = "the entry cannot have the sizes that the directory says",
	};

	if (e->why == ZIP_OTHER_METHOD)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "%s %u; only 0 (stored) and 8 (deflate) can be read",
				 texts[e->why], e->method);
	return zinc_fail(err, e->why < ZIP_OUTSIDE ? ZINC_E_UNSUPPORTED : ZINC_E_CORRUPT, "%s", texts[e->why]);
}

/* ---- overlaps ---- */

/* What a record covers at least. */
typedef struct span {
	uint64_t from, to;
	zip_entry *e; /* NULL: no key */
} span;

static int
by_position(const void *a, const void *b)
{
	const span *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static void
mark(const span *s)
{
	if (s->e && s->e->why == ZIP_FINE)
		s->e->why = ZIP_OVERLAPS;
}

/* `spans` are sorted.  Each entry ends where the next one begins. */
static void
mark_overlaps(const zip_dir *d, span *spans, size_t n)
{
	const span *longest = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		if (longest && spans[i].from < longest->to) {
			mark(&spans[i]);
			mark(longest);
		}
		if (!longest || spans[i].to > longest->to)
			longest = &spans[i];
		if (spans[i].e)
			spans[i].e->end = i + 1 < n ? spans[i + 1].from : d->end.at;
	}
}

/* ---- all records ---- */

typedef struct parsing {
	zip_dir *d;
	zinc_bytes raw;
	size_t nrecords, nnames;
	span *spans;
	size_t nspans;
} parsing;

/* Count records and bytes of names, and check that the records fill the directory. */
static zinc_status
count_records(parsing *p, zinc_error *err)
{
	const zip_end *end = &p->d->end;
	zip_record r;
	size_t at;

	for (at = 0; at < p->raw.n; at += r.n) {
		ZINC_TRY(zinc_zip_parse_record(p->raw, at, &r, err));
		p->nrecords++;
		if (zinc_size_add(p->nnames, zinc_zip_name_room(&r), &p->nnames))
			return zinc_fail_nomem(err);
	}
	if (end->wraps ? (p->nrecords & 0xFFFF) != end->count : p->nrecords != end->count)
		return zinc_fail(err, ZINC_E_CORRUPT, "the directory has %zu records, and its end says %llu",
				 p->nrecords, (unsigned long long)end->count);
	return ZINC_OK;
}

/* The extra field of our own entries. */
static bool
read_own(const zip_record *r, uint32_t *crc32c)
{
	size_t n = 0;
	const uint8_t *p = zinc_zip_extra(r->extra, r->nextra, ZIP_EXTRA_ZINC, &n);

	if (!p || n != 4)
		return false;
	*crc32c = zinc_get_le32(p);
	return true;
}

static zip_entry *
add_entry(zip_dir *d, const zip_record *r, const char *key)
{
	zip_entry *e = &d->entries[d->n++];

	e->key = key;
	e->why = examine(d, r);
	e->header = r->header + d->end.shift;
	e->end = d->end.at;
	e->stored = r->stored;
	e->nbytes = r->nbytes;
	e->record = (size_t)(r->p - d->raw.p);
	e->crc = r->crc;
	e->nname = r->nname;
	e->nextra = r->nextra;
	e->flags = r->flags;
	e->method = r->method;
	e->own = read_own(r, &e->crc32c);
	e->plain = strlen(key) == r->nname && memcmp(key, r->name, r->nname) == 0;
	return e;
}

/* A record whose position is not in the archive covers nothing. */
static void
add_span(parsing *p, const zip_record *r, zip_entry *e)
{
	const zip_end *end = &p->d->end;
	const uint64_t least = ZIP_LOCAL + (uint64_t)r->nname;
	span *s = &p->spans[p->nspans];

	if (r->disk != 0)
		return;
	if (!zinc_range_within(r->header, least, end->at - end->shift) ||
	    r->stored > end->at - end->shift - r->header - least)
		p->d->damaged = true;
	if (r->header > end->at - end->shift)
		return;
	s->from = r->header + end->shift;
	s->to = end->at - s->from < least ? end->at : s->from + least;
	s->to = end->at - s->to < r->stored ? end->at : s->to + r->stored;
	s->e = e;
	p->nspans++;
}

static void
add_record(parsing *p, const zip_record *r)
{
	zip_dir *d = p->d;
	char *name = (char *)d->names.p + d->names.n;
	zip_entry *e = NULL;
	const char *why;

	d->names.n += zinc_zip_name(r, name, &why);
	if (!why)
		e = add_entry(d, r, name);
	else if (*why)
		d->odd[d->nodd++] = (zip_odd){name, why, NULL};
	add_span(p, r, e);
}

static int
by_key(const void *a, const void *b)
{
	const zip_entry *x = a, *y = b;
	const int order = strcmp(x->key, y->key);

	return order ? order : (x->record > y->record) - (x->record < y->record);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const zip_odd *)a)->name, ((const zip_odd *)b)->name);
}

static int
by_usual(const void *a, const void *b)
{
	return strcmp(((const zip_odd *)a)->usual, ((const zip_odd *)b)->usual);
}

/* Which keys would other programs take the odd names for? */
static zinc_status
find_aliases(zip_dir *d, zinc_error *err)
{
	size_t i, n = 0;

	if (d->nodd == 0)
		return ZINC_OK;
	for (i = 0; i < d->nodd; i++)
		n += strlen(d->odd[i].name) + 1; /* they are in memory, one after another */
	ZINC_TRY(zinc_buf_reserve(&d->usual, n, err));
	d->alias = (zip_odd *)zinc_calloc(d->ctx, d->nodd, sizeof *d->alias);
	if (!d->alias)
		return zinc_fail_nomem(err);
	for (i = 0; i < d->nodd; i++) {
		char *usual = (char *)d->usual.p + d->usual.n;

		n = zinc_zip_usual(d->odd[i].name, usual);
		if (n == 0 || zinc_zip_find(d, usual))
			continue;
		d->usual.n += n + 1;
		d->odd[i].usual = usual;
		d->alias[d->nalias++] = d->odd[i];
	}
	qsort(d->alias, d->nalias, sizeof *d->alias, by_usual);
	return ZINC_OK;
}

const zip_odd *
zinc_zip_find_alias(const zip_dir *d, const char *key)
{
	const zip_odd wanted = {NULL, NULL, key};

	return d->nalias ? (const zip_odd *)bsearch(&wanted, d->alias, d->nalias, sizeof wanted, by_usual) : NULL;
}

/* Sort, and keep the last of each key. */
static void
sort_entries(zip_dir *d)
{
	size_t i, n = 0;

	for (i = 1; i < d->n && by_key(&d->entries[i - 1], &d->entries[i]) < 0; i++)
		continue;
	if (i < d->n)
		qsort(d->entries, d->n, sizeof *d->entries, by_key);
	for (i = 0; i < d->n; i++)
		if (i + 1 == d->n || strcmp(d->entries[i].key, d->entries[i + 1].key) != 0)
			memmove(&d->entries[n++], &d->entries[i], sizeof *d->entries);
	d->n = n;
	qsort(d->odd, d->nodd, sizeof *d->odd, by_name);
}

static zinc_status
make_room(parsing *p, zinc_error *err)
{
	zip_dir *d = p->d;

	ZINC_TRY(zinc_buf_reserve(&d->names, p->nnames, err));
	d->entries = (zip_entry *)zinc_calloc(d->ctx, p->nrecords, sizeof *d->entries);
	d->odd = (zip_odd *)zinc_calloc(d->ctx, p->nrecords, sizeof *d->odd);
	p->spans = (span *)zinc_calloc(d->ctx, p->nrecords, sizeof *p->spans);
	return d->entries && d->odd && p->spans ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_zip_parse_dir(zip_dir *d, const zinc_wait *wait, zinc_error *err)
{
	parsing p = {.d = d, .raw = {d->raw.p, (size_t)d->end.n}};
	zip_record r;
	zinc_status st;
	size_t at;

	st = count_records(&p, err);
	if (st == ZINC_OK)
		st = make_room(&p, err);
	for (at = 0; at < p.raw.n && st == ZINC_OK; at += r.n) {
		st = zinc_zip_parse_record(p.raw, at, &r, err);
		if (st == ZINC_OK)
			add_record(&p, &r);
	}
	if (st == ZINC_OK)
		st = zinc_wait_check(wait, err);
	if (st == ZINC_OK) {
		qsort(p.spans, p.nspans, sizeof *p.spans, by_position);
		mark_overlaps(d, p.spans, p.nspans);
		sort_entries(d);
		st = find_aliases(d, err);
	}
	zinc_free(d->ctx, p.spans);
	return st;
}

/* ---- looking up ---- */

size_t
zinc_zip_seek(const zip_dir *d, const char *key)
{
	size_t low = 0, high = d->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(d->entries[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

zip_entry *
zinc_zip_find(const zip_dir *d, const char *key)
{
	const size_t i = zinc_zip_seek(d, key);

	return i < d->n && strcmp(d->entries[i].key, key) == 0 ? &d->entries[i] : NULL;
}

/* ---- tags ---- */

static void
add64(zinc_tag *t, uint64_t v)
{
	int i;

	for (i = 0; i < 8; i++)
		t->b[t->n++] = (uint8_t)(v >> 8 * i);
}

void
zinc_zip_own_tag(uint64_t header, uint64_t nbytes, uint32_t crc, uint32_t crc32c, zinc_tag *out)
{
	out->n = 0;
	add64(out, header);
	add64(out, nbytes);
	add64(out, crc | (uint64_t)crc32c << 32);
}

void
zinc_zip_tag(const zip_dir *d, const zip_entry *e, zinc_tag *out)
{
	out->n = 0;
	if (e->own) {
		zinc_zip_own_tag(e->header, e->nbytes, e->crc, e->crc32c, out);
	} else if (d->tag.n) {
		zinc_zip_own_tag(e->header, e->nbytes, e->crc, 0, out);
		add64(out, d->tag_hash);
	}
}
