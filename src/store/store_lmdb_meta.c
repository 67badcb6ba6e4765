/*
 * store_lmdb_meta.c - the first two pages of an LMDB file, checked before LMDB maps it
 *
 * LMDB believes its files: it follows page numbers and sizes without looking whether they are in the file.  Here is
 * checked what can be checked without reading it all.
 *
 * Promises (tests/unit/test_store_lmdb.c names each by its number, 10 and 11):
 *
 * (10) A file that is no LMDB database of this machine's form, or that is shorter than its newest meta page says, is
 *      refused before it is mapped.
 * (11) No byte outside of the given ones is read.
 *
 * Each of the first two pages is, in the byte order of the machine:
 *
 *     [page number 8][pad 2][flags 2][lower, upper 4]
 *     [magic 4][version 4][address 8][map size 8][free pages: db 48][main: db 48][last page 8][transaction 8]
 *     db: [page size, of the first 4][flags 2][depth 2][branch 8][leaf 8][overflow 8][entries 8][root 8]
 */
#include "store/store_lmdb.h"

#define HEAD      16
#define META      (HEAD + 136)
#define MAGIC     0xBEEFC0DEu
#define VERSION   1u
#define FLAG_META 0x08u
#define NO_PAGE   UINT64_MAX
#define MAX_DEPTH 32

static uint64_t
get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static uint32_t
get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static uint16_t
get16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

typedef struct page {
	uint64_t page_size, last, txn, roots[2];
	uint16_t db_flags[2], depths[2];
} page;

static bool
is_page_size(uint64_t n)
{
	return n >= 512 && n <= 65536 && (n & (n - 1)) == 0;
}

static zinc_status
take_page(const uint8_t *p, page *out, zinc_error *err)
{
	const uint8_t *m = p + HEAD, *dbs = m + 24;
	int i;

	if (get32(m) != MAGIC || !(get16(p + 10) & FLAG_META))
		return zinc_fail(err, ZINC_E_CORRUPT, "the file is not an LMDB database");
	if (get32(m + 4) != VERSION)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the LMDB database has version %u, not 1",
				 (unsigned)get32(m + 4));
	out->page_size = get32(dbs);
	for (i = 0; i < 2; i++) {
		out->db_flags[i] = get16(dbs + 48 * i + 4);
		out->depths[i] = get16(dbs + 48 * i + 6);
		out->roots[i] = get64(dbs + 48 * i + 40);
	}
	out->last = get64(m + 120);
	out->txn = get64(m + 128);
	if (!is_page_size(out->page_size))
		return zinc_fail(err, ZINC_E_CORRUPT, "the LMDB database has pages of %llu bytes",
				 (unsigned long long)out->page_size);
	return ZINC_OK;
}

/* Do the numbers of a meta page lead nowhere outside of the file? */
static zinc_status
check_page(const page *p, uint64_t file_size, zinc_error *err)
{
	uint64_t need;
	int i;

	if (zinc_u64_add(p->last, 1, &need) || zinc_u64_mul(need, p->page_size, &need) || need > file_size)
		return zinc_fail(err, ZINC_E_CORRUPT, "the LMDB database is cut short: it has %llu bytes",
				 (unsigned long long)file_size);
	for (i = 0; i < 2; i++)
		if ((p->roots[i] != NO_PAGE && (p->roots[i] > p->last || p->roots[i] < 2)) ||
		    p->depths[i] > MAX_DEPTH || (p->roots[i] == NO_PAGE) != (p->depths[i] == 0))
			return zinc_fail(err, ZINC_E_CORRUPT, "the LMDB database is damaged: its root is no page");
	if (p->db_flags[1] != 0)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the LMDB database has keys of another kind (flags %x)",
				 (unsigned)p->db_flags[1]);
	return ZINC_OK;
}

zinc_status
zinc_lmdb_check_meta(const uint8_t *bytes, size_t n, uint64_t file_size, lmdb_meta *out, zinc_error *err)
{
	page pages[2];
	const page *newest;

	if (n < META)
		return zinc_fail(err, ZINC_E_CORRUPT, "the file is not an LMDB database");
	ZINC_TRY(take_page(bytes, &pages[0], err));
	if (n < pages[0].page_size + META)
		return zinc_fail(err, ZINC_E_CORRUPT, "the LMDB database is cut short: it has %llu bytes",
				 (unsigned long long)file_size);
	ZINC_TRY(take_page(bytes + pages[0].page_size, &pages[1], err));
	if (pages[1].page_size != pages[0].page_size)
		return zinc_fail(err, ZINC_E_CORRUPT, "the LMDB database is damaged: its pages differ in size");
	newest = &pages[pages[1].txn > pages[0].txn];
	ZINC_TRY(check_page(newest, file_size, err));
	out->page_size = newest->page_size;
	out->pages = newest->last + 1;
	return ZINC_OK;
}
