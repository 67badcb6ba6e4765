/*
 * store_zip_list.c - list the keys of an archive, and the entries that are none
 *
 * Promises (tests/unit/test_store_zip.c names each by its number, S1 ...):
 *
 * (S1) Keys come in byte order, each once; one level of a listing skips what is below it without looking at each key.
 * (S2) Every entry that is no key is reported, except directories.  An entry that cannot be read is a key.
 */
#include "store/store_zip.h"

#define CHECK_EVERY 1024 /* keys between two looks at the deadline */

static int
no_entry(const zinc_non_key *non_key, const char *name)
{
	(void)non_key, (void)name;
	return 0;
}

/* Is the name below the prefix, and for one level of a listing, directly? */
static bool
is_below(const char *name, const char *prefix, bool deep)
{
	const size_t n = strlen(prefix);

	return strncmp(name, prefix, n) == 0 && (deep || !strchr(name + n, '/'));
}

/* Returns non-zero when the caller stopped. */
static int
pass_odd(const zip_dir *d, const char *prefix, const zinc_lister *to)
{
	size_t i;

	for (i = 0; to->non_key && i < d->nodd; i++) {
		const zinc_non_key odd = {sizeof odd, ZINC_NON_KEY_NAME, d->odd[i].name, d->odd[i].why, no_entry, NULL};

		if (is_below(odd.key, prefix, to->key) && to->non_key(to->arg, &odd) != 0)
			return 1;
	}
	return 0;
}

static zinc_status
pass_keys(const zip_dir *d, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	const size_t n = strlen(prefix);
	size_t i = zinc_zip_seek(d, prefix), passed = 0;

	for (; i < d->n && strncmp(d->entries[i].key, prefix, n) == 0; i++) {
		if (passed++ % CHECK_EVERY == 0)
			ZINC_TRY(zinc_wait_check(wait, err));
		if (to->key(to->arg, d->entries[i].key, d->entries[i].nbytes) != 0)
			break;
	}
	return ZINC_OK;
}

/* `name` is "a/b/": the first key after all that are below it. */
static size_t
skip_below(const zip_dir *d, zinc_buf *name)
{
	size_t i;

	name->p[name->n - 1] = '/' + 1;
	i = zinc_zip_seek(d, (const char *)name->p);
	name->p[name->n - 1] = '/';
	return i;
}

static zinc_status
pass_level(const zip_dir *d, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	const size_t n = strlen(prefix);
	size_t i = zinc_zip_seek(d, prefix);
	zinc_status st = ZINC_OK;
	zinc_buf name;
	int stop = 0;

	zinc_buf_init(&name, d->ctx, ZINC_MAX_KEY);
	while (st == ZINC_OK && !stop && i < d->n && strncmp(d->entries[i].key, prefix, n) == 0) {
		const char *key = d->entries[i].key, *slash = strchr(key + n, '/');

		st = zinc_wait_check(wait, err);
		if (st == ZINC_OK && !slash) {
			stop = to->entry(to->arg, key, 0);
			i++;
		} else if (st == ZINC_OK) {
			zinc_buf_end(&name, 0);
			st = zinc_buf_add(&name, key, (size_t)(slash - key) + 1, err);
			if (st == ZINC_OK) {
				i = skip_below(d, &name);
				stop = to->entry(to->arg, (const char *)name.p, 1);
			}
		}
	}
	zinc_buf_fini(&name);
	return st;
}

zinc_status
zinc_zip_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	zip *z = (zip *)self;
	zip_dir *d = NULL;
	zinc_status st;

	ZINC_TRY(zinc_zip_flush(z, wait, err));
	ZINC_TRY(zinc_zip_dir_get(z, &d, wait, err));
	st = zinc_zip_dir_check(z, &d, wait, err);
	if (st == ZINC_OK && pass_odd(d, prefix, to) == 0)
		st = to->key ? pass_keys(d, prefix, to, wait, err) : pass_level(d, prefix, to, wait, err);
	zinc_zip_dir_unref(d);
	return st;
}
