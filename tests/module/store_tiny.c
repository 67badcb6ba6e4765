/*
 * store_tiny.c - a store in one file, as a module outside of src/: it uses the library as a database store would
 *
 *     tiny:///d/x.tiny/a/b      the key b below a in the file /d/x.tiny
 *
 * The file is a counter and the values in order of their keys, each
 *
 *     [bytes of the key, its NUL included][bytes of the value][generation] key value
 *
 * Every change writes a new file and renames it, under its own lock, so that conditions also work between processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "store/store_inside.h"

typedef struct tiny {
	zinc_context *ctx;
	char *path;
	uint64_t most; /* bytes of the file */
} tiny;

/* One value of a file that was read. */
typedef struct record {
	uint64_t nkey, nvalue, generation;
	const char *key;
	const uint8_t *value;
} record;

/* ---- the file ---- */

static zinc_status
take_lock(const tiny *t, int how, int *fd, zinc_error *err)
{
	char name[4096];

	snprintf(name, sizeof name, "%s.lock", t->path);
	*fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (*fd == -1 || flock(*fd, how) != 0)
		return zinc_fail_errno(err, errno, "cannot lock %s", name);
	return ZINC_OK;
}

static void
drop_lock(int fd)
{
	if (fd != -1) {
		flock(fd, LOCK_UN);
		close(fd);
	}
}

/* All of it; a missing file is a counter of 0. */
static zinc_status
read_file(const tiny *t, zinc_buf *out, zinc_error *err)
{
	static const uint64_t nothing = 0;
	int fd = open(t->path, O_RDONLY | O_CLOEXEC);
	zinc_status st = ZINC_OK;
	ssize_t n = 1;

	if (fd == -1)
		return errno == ENOENT ? zinc_buf_add(out, &nothing, sizeof nothing, err)
				       : zinc_fail_errno(err, errno, "cannot open the file");
	while (n > 0 && st == ZINC_OK) {
		st = zinc_buf_reserve(out, 65536, err);
		n = st == ZINC_OK ? read(fd, out->p + out->n, 65536) : 0;
		out->n += n > 0 ? (size_t)n : 0;
	}
	if (st == ZINC_OK && n < 0)
		st = zinc_fail_errno(err, errno, "cannot read the file");
	close(fd);
	return st == ZINC_OK && out->n < sizeof nothing ? zinc_fail(err, ZINC_E_CORRUPT, "the file has no counter")
							: st;
}

static zinc_status
write_file(const tiny *t, const zinc_buf *bytes, zinc_error *err)
{
	char name[4096];
	ssize_t n;
	int fd;

	snprintf(name, sizeof name, "%s.new", t->path);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	n = fd == -1 ? -1 : write(fd, bytes->p, bytes->n);
	if (fd == -1 || close(fd) != 0 || n != (ssize_t)bytes->n || rename(name, t->path) != 0)
		return zinc_fail_errno(err, errno, "cannot write the file");
	return ZINC_OK;
}

/* The record at *at, which is advanced past it; false at the end, or if the file is damaged. */
static bool
next_record(const zinc_buf *file, size_t *at, record *out)
{
	const size_t head = 3 * sizeof(uint64_t);
	size_t left = file->n - *at;

	if (left < head)
		return false;
	memcpy(out, file->p + *at, head);
	left -= head;
	if (out->nkey == 0 || out->nkey > left || out->nvalue > left - out->nkey)
		return false;
	out->key = (const char *)file->p + *at + head;
	out->value = (const uint8_t *)out->key + out->nkey;
	*at += head + (size_t)(out->nkey + out->nvalue);
	return out->key[out->nkey - 1] == '\0';
}

static bool
find(const zinc_buf *file, const char *key, record *out)
{
	size_t at = sizeof(uint64_t);

	while (next_record(file, &at, out))
		if (strcmp(out->key, key) == 0)
			return true;
	return false;
}

static zinc_tag
tag_of(uint64_t generation)
{
	zinc_tag tag = {sizeof generation, {0}};

	memcpy(tag.b, &generation, sizeof generation);
	return tag;
}

/* ---- reading ---- */

static zinc_status
bring(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	(void)err;
	zinc_iov_scatter(iov, niov, ((const record *)arg)->value + offset, (size_t)nbytes);
	return ZINC_OK;
}

static zinc_status
load(const tiny *t, zinc_buf *file, zinc_error *err)
{
	zinc_status st;
	int lock = -1;

	zinc_buf_init(file, t->ctx, (size_t)t->most);
	st = take_lock(t, LOCK_SH, &lock, err);
	if (st == ZINC_OK)
		st = read_file(t, file, err);
	drop_lock(lock);
	if (st != ZINC_OK)
		zinc_buf_fini(file);
	return st;
}

static zinc_status
tiny_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	zinc_buf file;
	zinc_tag tag;
	record r;
	size_t i;

	ZINC_TRY(load((const tiny *)self, &file, err));
	for (i = 0; i < n; i++) {
		if (zinc_sink_cancelled(sink, i, wait))
			continue;
		if (!find(&file, requests[i].key, &r)) {
			zinc_sink_missing(sink, i);
			continue;
		}
		tag = tag_of(r.generation);
		zinc_sink_serve(sink, i, &requests[i], r.nvalue, &tag, bring, &r, wait);
	}
	zinc_buf_fini(&file);
	return ZINC_OK;
}

static zinc_status
tiny_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	size_t at = sizeof(uint64_t);
	zinc_buf file;
	record r;

	ZINC_TRY(zinc_wait_check(wait, err));
	ZINC_TRY(load((const tiny *)self, &file, err));
	while (next_record(&file, &at, &r))
		if (strncmp(r.key, prefix, strlen(prefix)) == 0 && fn(arg, r.key, r.nvalue) != 0)
			break;
	zinc_buf_fini(&file);
	return ZINC_OK;
}

/* ---- changing ---- */

/* One change; without iov the key is erased. */
typedef struct change {
	const char *key;
	const struct iovec *iov;
	int niov;
	const zinc_condition *when;
	uint64_t generation;
} change;

static zinc_status
check(const zinc_buf *file, const change *c, zinc_error *err)
{
	record r;
	const bool there = find(file, c->key, &r);
	zinc_tag tag;

	if (!c->when || c->when->when == ZINC_ANY)
		return ZINC_OK;
	if (c->when->when == ZINC_ABSENT)
		return there ? zinc_fail(err, ZINC_E_EXISTS, "the key already exists") : ZINC_OK;
	tag = tag_of(there ? r.generation : 0);
	if (!there || !zinc_tag_equal(&tag, c->when->tag))
		return zinc_fail(err, ZINC_E_CONFLICT, "the value has another tag");
	return ZINC_OK;
}

static zinc_status
add_record(zinc_buf *out, const change *c, zinc_error *err)
{
	uint64_t head[3] = {strlen(c->key) + 1, 0, c->generation};
	size_t nbytes;
	int k;

	if (!c->iov)
		return ZINC_OK;
	if (zinc_iov_bytes(c->iov, c->niov, &nbytes))
		return zinc_fail_nomem(err);
	head[1] = nbytes;
	ZINC_TRY(zinc_buf_add(out, head, sizeof head, err));
	ZINC_TRY(zinc_buf_add(out, c->key, strlen(c->key) + 1, err));
	for (k = 0; k < c->niov; k++)
		ZINC_TRY(zinc_buf_add(out, c->iov[k].iov_base, c->iov[k].iov_len, err));
	return ZINC_OK;
}

/* The file with the change, in order of the keys. */
static zinc_status
rebuild(const zinc_buf *old, zinc_buf *out, change *c, zinc_error *err)
{
	size_t at = sizeof(uint64_t), from = at;
	bool added = false;
	record r;

	memcpy(&c->generation, old->p, sizeof c->generation);
	c->generation++;
	ZINC_TRY(zinc_buf_add(out, &c->generation, sizeof c->generation, err));
	for (; next_record(old, &at, &r); from = at) {
		const int order = strcmp(r.key, c->key);

		if (order >= 0 && !added) {
			ZINC_TRY(add_record(out, c, err));
			added = true;
		}
		if (order != 0)
			ZINC_TRY(zinc_buf_add(out, old->p + from, at - from, err));
	}
	return added ? ZINC_OK : add_record(out, c, err);
}

static zinc_status
apply(const tiny *t, change *c, zinc_error *err)
{
	zinc_buf old, new;
	int lock = -1;
	zinc_status st;

	zinc_buf_init(&old, t->ctx, (size_t)t->most);
	zinc_buf_init(&new, t->ctx, (size_t)t->most);
	st = take_lock(t, LOCK_EX, &lock, err);
	if (st == ZINC_OK)
		st = read_file(t, &old, err);
	if (st == ZINC_OK)
		st = check(&old, c, err);
	if (st == ZINC_OK)
		st = rebuild(&old, &new, c, err);
	if (st == ZINC_OK)
		st = write_file(t, &new, err);
	drop_lock(lock);
	zinc_buf_fini(&old);
	zinc_buf_fini(&new);
	return st;
}

static void
apply_and_tell(const tiny *t, change *c, const zinc_done *done, size_t i, const zinc_wait *wait)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_wait_check(wait, &e);
	zinc_tag tag;

	if (st == ZINC_OK)
		st = apply(t, c, &e);
	tag = tag_of(c->generation);
	zinc_done_report(done, i, st, st == ZINC_OK && c->iov ? &tag : NULL, st == ZINC_OK ? NULL : &e);
}

static zinc_status
tiny_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	 const zinc_wait *wait, zinc_error *err)
{
	static const struct iovec empty = {NULL, 0};
	size_t i;

	(void)group, (void)flags, (void)err;
	for (i = 0; i < n; i++) {
		change c = {puts[i].key, puts[i].niov ? puts[i].iov : &empty, puts[i].niov ? puts[i].niov : 1,
			    puts[i].when, 0};

		apply_and_tell((const tiny *)self, &c, done, i, wait);
	}
	return ZINC_OK;
}

static zinc_status
tiny_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	 const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)group, (void)flags, (void)err;
	for (i = 0; i < n; i++) {
		change c = {dels[i].key, NULL, 0, dels[i].when, 0};

		apply_and_tell((const tiny *)self, &c, done, i, wait);
	}
	return ZINC_OK;
}

/* ---- the module ---- */

#define TINY_CAPS                                                                                                      \
	(ZINC_CAP_READ | ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_LIST | ZINC_CAP_ATOMIC_PUT | ZINC_CAP_CAS |        \
	 ZINC_CAP_TAGS | ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE)

static void
tiny_caps(void *self, zinc_caps *out)
{
	(void)self;
	out->flags = TINY_CAPS;
	out->parallel = 1;
}

static void
tiny_close(void *self)
{
	tiny *t = (tiny *)self;

	zinc_free(t->ctx, t->path);
	zinc_free(t->ctx, t);
}

static zinc_status
tiny_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	tiny *t = (tiny *)zinc_calloc(options->context, 1, sizeof *t);
	zinc_buf path;
	zinc_status st;

	if (!t)
		return zinc_fail_nomem(err);
	t->ctx = options->context;
	t->most = (uint64_t)zinc_setting_number(options, "most") * ZINC_MIB;
	zinc_buf_init(&path, t->ctx, 4000);
	st = zinc_url_unescape(&path, rest, strlen(rest), true, err);
	if (st == ZINC_OK)
		t->path = zinc_strndup(t->ctx, (const char *)path.p, path.n);
	if (st == ZINC_OK && !t->path)
		st = zinc_fail_nomem(err);
	zinc_buf_fini(&path);
	if (st == ZINC_OK)
		*self = t;
	else
		tiny_close(t);
	return st;
}

static zinc_status
tiny_split(const char *rest, zinc_context *ctx, size_t *nbytes, zinc_error *err)
{
	return zinc_url_split_file(rest, ".tiny", ctx, nbytes, err);
}

static const zinc_setting_row tiny_settings[] = {
    {.name = "most", .type = ZINC_SETTING_COUNT, .preset = "64", .purpose = "MiB of the file"},
    {.name = NULL},
};

static const zinc_store_ops tiny_ops = {
    .size = sizeof tiny_ops,
    .name = "tiny",
    .purpose = "values in one file",
    .schemes = "tiny",
    .settings = tiny_settings,
    .split = tiny_split,
    .open = tiny_open,
    .close = tiny_close,
    .caps = tiny_caps,
    .get = tiny_get,
    .put = tiny_put,
    .del = tiny_del,
    .list = tiny_list,
    .flags = TINY_CAPS,
};

const char zinc_module_build[] = ZINC_BUILD;

const zinc_store_ops *
zinc_module_init(const char *build, const char *scheme)
{
	return build == zinc_build() && strcmp(scheme, "tiny") == 0 ? &tiny_ops : NULL;
}
