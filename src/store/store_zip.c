/*
 * store_zip.c - a store whose keys are the entries of one zip archive, a value of any other store
 *
 *     /d/a.zip|zip:x.zarr/t      https://host/a.zip|zip:x.zarr      zip://x.zarr/t::/d/a.zip
 *
 * Promises:
 *
 * (1) caps are those of the store below, as far as an archive can keep them: no erasing; conditions, updates and
 *     durable puts only where the archive itself can be replaced under a lock or a condition; reading only if the store
 *     below is remote.
 * (2) What cannot be written is refused with E_READONLY.
 *
 * The other promises are in the files that keep them: see store_zip.h.
 */
#include "store/store_zip.h"

#define NEEDED_TO_WRITE (ZINC_CAP_WRITE | ZINC_CAP_ATOMIC_PUT | ZINC_CAP_CAS | ZINC_CAP_TAGS)
#define KEPT            (ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_REMOTE | ZINC_CAP_TAGS)
#define KEPT_BY_WRITERS                                                                                                \
	(ZINC_CAP_WRITE | ZINC_CAP_ATOMIC_PUT | ZINC_CAP_DURABLE | ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE)

#define AT_BEST (ZINC_CAP_READ | ZINC_CAP_LIST | KEPT | KEPT_BY_WRITERS | ZINC_CAP_UPDATE | ZINC_CAP_LIST_AFTER_WRITE)

/* The name of an entry has at most 65535 bytes. */
#define KEY_MAX 65535u

static void
zip_caps(void *self, zinc_caps *out)
{
	zip *z = (zip *)self;
	zinc_caps below = ZINC_CAPS_INIT;

	zinc_store_caps(z->next, &below);
	out->flags = ZINC_CAP_READ | ZINC_CAP_LIST | (below.flags & KEPT);
	if (!(below.flags & ZINC_CAP_TAGS))
		out->flags &=
		    ~(ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE); /* values are read whole, for their checksums */
	else if (below.flags & ZINC_CAP_RANGE)
		out->flags |= ZINC_CAP_SUFFIX_RANGE; /* the directory has the sizes */
	if (z->writable) {
		out->flags |= below.flags & KEPT_BY_WRITERS;
		out->flags |= ZINC_CAP_UPDATE;
		if (below.flags & ZINC_CAP_READ_AFTER_WRITE)
			out->flags |= ZINC_CAP_LIST_AFTER_WRITE;
	}
	out->parallel = below.parallel;
	out->merge_gap = below.merge_gap;
	out->key_max = KEY_MAX;
	out->refused = "\\";
}

static void
zip_free(zip *z)
{
	zinc_zip_dir_unref(z->dir);
	zinc_inflater_free(atomic_load(&z->inflater));
	zinc_store_close(z->next);
	zinc_free(z->ctx, z->key);
	zinc_free(z->ctx, z);
}

/* Groups that were neither committed nor aborted are lost. */
static void
zip_close(void *self)
{
	zip *z = (zip *)self;

	zinc_zip_session_drop(z, ZINC_OK, NULL);
	zinc_free(z->ctx, z->held_error);
	zinc_turn_fini(&z->writing);
	zinc_turn_fini(&z->loading);
	zinc_fork_remove(&z->fork);
	pthread_mutex_destroy(&z->lock);
	zip_free(z);
}

/* The thread that was writing does not exist in the child, and the lock is the parent's: what it was doing is left as it
 * is, not even freed. */
static void
child_after_fork(void *object)
{
	zip *z = (zip *)object;
	zip_group *g;

	z->session = NULL;
	for (g = z->groups; g; g = g->next) {
		g->npending = 0;
		g->status = ZINC_E_IO;
	}
}

/* The file system is read by descriptors and written as a stream; other stores that can replace a value under a condition, as a whole. */
static void
find_out_writing(zip *z)
{
	zinc_store *file = zinc_store_below_readonly(z->next);
	zinc_caps below = ZINC_CAPS_INIT;

	zinc_store_caps(z->next, &below);
	z->remote = below.flags & ZINC_CAP_REMOTE;
	if (file->ops.put == zinc_fs_put)
		z->fs = (zinc_fs *)file->self;
	z->writable = !z->remote && (below.flags & NEEDED_TO_WRITE) == NEEDED_TO_WRITE;
}

static zinc_status
zip_adapt(void **self, zinc_store *next, const char *key, const zinc_store_options *options, zinc_error *err)
{
	zip *z;

	if (key[0] == '\0')
		return zinc_fail(err, ZINC_E_INVALID, "\"|zip:\" follows the name of an archive");
	z = (zip *)zinc_calloc(options->context, 1, sizeof *z);
	if (!z)
		return zinc_fail_nomem(err);
	z->ctx = options->context;
	z->next = zinc_store_ref(next);
	z->key = zinc_strdup(z->ctx, key);
	if (!z->key || pthread_mutex_init(&z->lock, NULL) != 0) {
		zip_free(z);
		return zinc_fail_nomem(err);
	}
	find_out_writing(z);
	z->fork = (zinc_fork_hook){.lock = &z->lock, .child = child_after_fork, .object = z};
	zinc_fork_add(&z->fork);
	zinc_turn_init(&z->loading);
	zinc_turn_init(&z->writing);
	*self = z;
	return ZINC_OK;
}

const zinc_store_ops zinc_store_ops_zip = {
    .size = sizeof(zinc_store_ops),
    .name = "zip",
    .purpose = "the entries of a zip archive in another store",
    .adapters = "zip",
    .endings = ".zip",
    .adapt = zip_adapt,
    .close = zip_close,
    .caps = zip_caps,
    .get = zinc_zip_get,
    .put = zinc_zip_put,
    .put_begin = zinc_zip_put_begin,
    .commit = zinc_zip_commit,
    .abort = zinc_zip_abort,
    .update = zinc_zip_update,
    .sync = zinc_zip_sync,
    .walk = zinc_zip_walk,
    .scrub = zinc_zip_scrub,
    .flags = AT_BEST,
};
