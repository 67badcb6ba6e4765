/*
 * store_zip_list.c - list the keys of an archive, and the entries that are none
 *
 * Promises (tests/unit/test_store_zip.c names each by its number, S1 ...):
 *
 * (S1) Keys come in byte order, each once; one level of a listing skips what is below it without looking at each key.
 * (S2) Every entry that is no key is reported, except directories; by the listing of a level, if no deeper one reaches it.
 *      An entry that cannot be read is a key.
 * (S3) The file that a killed writer left beside a local archive is the only leftover, wherever the caller looks for some.
 */
#include "store/store_zip.h"

#define CHECK_EVERY 1024 /* keys between two looks at the deadline */

/* What follows the last separator of a name.  '\\' is one, too, where it is not "\xNN": some programs of Windows write
 * it. */
static const char *
last_part(const char *name)
{
	const char *p, *last = name;

	for (p = name; *p; p++)
		if (*p == '/' || (*p == '\\' && (p[1] != 'x' || strspn(p + 2, "0123456789abcdef") < 2)))
			last = p + 1;
	return last;
}

/* The entry that was found shows one name in its directory. */
static int
holds_last(const zinc_non_key *non_key, const char *name)
{
	return non_key->inside && strcmp((const char *)non_key->inside, name) == 0;
}

/* Does any key begin with name[0..n)? */
static bool
any_key_below(const zip_dir *d, const char *name, size_t n)
{
	size_t low = 0, high = d->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strncmp(d->entries[middle].key, name, n) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->n && strncmp(d->entries[low].key, name, n) == 0;
}

/* An entry that is no key in the place of one. */
static int
pass_alias(const zip_odd *odd, const zinc_lister *to)
{
	char why[320];
	const zinc_non_key n = {sizeof n, ZINC_NON_KEY_TYPE, odd->usual, why, holds_last, NULL};

	zinc_zip_say_alias(odd, why, sizeof why);
	return to->non_key(to->arg, &n);
}

/* An entry that is no key, in the listing of all keys. */
static int
pass_odd(const zip_odd *odd, const zinc_lister *to)
{
	const char *last = last_part(odd->name);
	const bool plain = last == odd->name || last[-1] == '/';
	const zinc_non_key n = {sizeof n, ZINC_NON_KEY_NAME, odd->name,
				odd->why, holds_last,        plain ? NULL : (const void *)last};

	return to->non_key(to->arg, &n);
}

/* The same in the listing of the level `prefix`: if the listing of no deeper level can reach it, its directory is no
 * prefix of keys, and holds it. */
static zinc_status
pass_odd_level(const zip_dir *d, const zip_odd *odd, const char *prefix, const zinc_lister *to, zinc_buf *dir,
	       int *stop, zinc_error *err)
{
	const size_t nprefix = strlen(prefix);
	const char *slash = strchr(odd->name + nprefix, '/'), *last = last_part(odd->name), *end = last;
	zinc_non_key n = {sizeof n, ZINC_NON_KEY_NAME, odd->name, odd->why, holds_last, NULL};

	if (slash && any_key_below(d, odd->name, (size_t)(slash + 1 - odd->name)))
		return ZINC_OK;
	while (end > odd->name + nprefix && (end[-1] == '/' || end[-1] == '\\'))
		end--;
	if (end > odd->name + nprefix && end < last) {
		zinc_buf_end(dir, 0);
		ZINC_TRY(zinc_buf_add(dir, odd->name, (size_t)(end - odd->name), err));
		n.key = zinc_buf_text(dir);
		n.inside = last;
		if (!n.key)
			return zinc_fail_nomem(err);
	}
	*stop = to->non_key(to->arg, &n);
	return ZINC_OK;
}

/* *stop: the caller stopped. */
static zinc_status
pass_all_odd(const zip_dir *d, const char *prefix, const zinc_lister *to, int *stop, zinc_error *err)
{
	const size_t nprefix = strlen(prefix);
	zinc_status st = ZINC_OK;
	zinc_buf dir;
	size_t i;

	zinc_buf_init(&dir, d->ctx, zinc_max_list(d->ctx));
	for (i = 0; to->non_key && i < d->nodd && st == ZINC_OK && !*stop; i++) {
		if (to->key && d->odd[i].usual && strncmp(d->odd[i].usual, prefix, nprefix) == 0)
			*stop = pass_alias(&d->odd[i], to);
		else if (strncmp(d->odd[i].name, prefix, nprefix) != 0)
			continue;
		else if (to->key)
			*stop = pass_odd(&d->odd[i], to);
		else
			st = pass_odd_level(d, &d->odd[i], prefix, to, &dir, stop, err);
	}
	zinc_buf_fini(&dir);
	return st;
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

typedef struct scrubbing {
	zinc_scrub_fn fn;
	void *arg;
} scrubbing;

/* It is the lock of no key of the archive. */
static int
pass_leftover(void *arg, const char *name, const char *key, const char *what)
{
	const scrubbing *s = (const scrubbing *)arg;

	(void)key, (void)what;
	return s->fn(s->arg, name, NULL, "unfinished archive of a writer that is gone, beside the archive");
}

zinc_status
zinc_zip_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, const zinc_wait *wait,
	       zinc_error *err)
{
	const zip *z = (const zip *)self;
	scrubbing s = {fn, arg};

	(void)prefix;
	ZINC_TRY(zinc_wait_check(wait, err));
	return z->fs ? zinc_fs_scrub_key(z->fs, z->key, remove && z->writable, pass_leftover, &s, err) : ZINC_OK;
}

zinc_status
zinc_zip_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	zip *z = (zip *)self;
	zip_dir *d = NULL;
	zinc_status st;
	int stop = 0;

	ZINC_TRY(zinc_zip_flush(z, wait, err));
	ZINC_TRY(zinc_zip_dir_get(z, &d, wait, err));
	st = zinc_zip_dir_check(z, &d, wait, err);
	if (st == ZINC_OK)
		st = pass_all_odd(d, prefix, to, &stop, err);
	if (st == ZINC_OK && !stop)
		st = to->key ? pass_keys(d, prefix, to, wait, err) : pass_level(d, prefix, to, wait, err);
	zinc_zip_dir_unref(d);
	return st;
}
