/*
 * fuzz_transform.c - any bytes as the shards of the layer `indexed`, read, listed, changed and erased through it
 *
 *     input: [order of chunks][bytes of two shards, cut at a byte 0x0A]
 *
 * Apart from not crashing: a listed chunk can be read and has its listed size; a chunk that was put reads back
 * unchanged, or the put was refused because the shard was damaged.
 */
#include <zinc/extend.h>

#include "store/store.h"
#include "fuzz.h"

static int
check_key(void *arg, const char *key, uint64_t nbytes)
{
	zinc_blob b = ZINC_BLOB_INIT;

	insist(zinc_store_get_all((zinc_store *)arg, key, &b, NULL, 0, NULL, NULL) == ZINC_OK);
	insist(b.nbytes == nbytes);
	zinc_blob_fini(&b);
	return 0;
}

static void
check_put(zinc_store *s, const char *key)
{
	zinc_blob b = ZINC_BLOB_INIT;
	const zinc_status st = zinc_store_put(s, NULL, key, "put", 3, NULL, 0, NULL, NULL, NULL);

	insist(st == ZINC_OK || st == ZINC_E_CORRUPT);
	if (st != ZINC_OK)
		return;
	insist(zinc_store_get_all(s, key, &b, NULL, 0, NULL, NULL) == ZINC_OK);
	insist(b.nbytes == 3 && memcmp(b.data, "put", 3) == 0);
	zinc_blob_fini(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t per_shard[] = {2, 2};
	zinc_store *base, *s;
	const uint8_t *cut;
	size_t n;

	if (size == 0)
		return 0;
	cut = (const uint8_t *)memchr(data + 1, '\n', size - 1);
	n = cut ? (size_t)(cut - data) - 1 : size - 1;
	insist(zinc_store_open(&base, "memory://", NULL, NULL) == ZINC_OK);
	insist(zinc_store_put(base, NULL, "c/0/0", data + 1, n, NULL, 0, NULL, NULL, NULL) == ZINC_OK);
	if (cut)
		insist(zinc_store_put(base, NULL, "c/0/1", cut + 1, size - 2 - n, NULL, 0, NULL, NULL, NULL) ==
		       ZINC_OK);
	insist(zinc_store_sharded(
		   &s, base, ZINC_SHARDED_OPTIONS(.ndim = 2, .chunks_per_shard = per_shard, .shard_order = data[0] % 3),
		   NULL) == ZINC_OK);
	(void)!zinc_store_list(s, "", check_key, s, NULL, NULL);
	check_put(s, "c/1/1");
	check_put(s, "c/0/2");
	(void)!zinc_store_del(s, NULL, "c/0/0", NULL, 0, NULL, NULL);
	(void)!zinc_store_list(s, "c/0/", check_key, s, NULL, NULL);
	(void)!zinc_store_del_prefix(s, "c/1/", 0, NULL, NULL);
	zinc_store_close(s);
	zinc_store_close(base);
	return 0;
}
