/*
 * store_cache_disk.c - the cache's answers in files, shared by the processes of one user
 *
 *     DIR/v1/              mode 0700, of the user who runs the process
 *       salt               16 random bytes, the key of all names
 *       ab/cdef...         one answer (store_cache_file.c); atime: last used, mtime: last confirmed by the store
 *       ab/cdef....t1-2    being written
 *       changed-0123...    its mtime: when a process last changed that store
 *       ledger, lock       store_cache_sweep.c
 *
 * Files are written under another name and renamed, without fsync: a file torn by a crash fails its checksum.
 *
 * Promises (tests/unit/test_store_cache_disk.c names each by its number):
 *
 * (1) Kept bytes are those that were added, for the same store, key and range.  A file with anything else in it
 *     (truncated, with flipped bits, of another store) is removed and counts as absent.
 * (2) A process that is killed leaves nothing that is ever returned; its temporary files are swept.
 * (3) Nothing is followed out of the directory, and a directory that other users own or can use is refused.
 * (4) No failure of the disk fails a read: there is one warning, and the cache keeps nothing more.
 * (5) Names and heads of files hold no secret of the store, and stores that differ in any setting share nothing.
 * (6) All processes find the same files, also those that open a new directory at the same time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "store/store_cache.h"

#define VERSION    "v1"
#define NAME_ROOM  64
#define SALT_TURNS 500              /* milliseconds that a process has to make the salt */
#define MAX_VALUE  (256 * ZINC_MIB) /* read into memory as a whole, to check it */

int64_t
zinc_cached_now(zinc_context *ctx)
{
	struct timespec t = {0, 0};

	(void)ctx->os->clock(ctx->os, CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct timespec
time_of(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static int64_t
ns_of(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- the directory ---- */

/* Told once: after it, nothing more is written. */
static void
give_up(cached_disk *d, const char *what, int errnum)
{
	zinc_error e = ZINC_ERROR_INIT;

	if (atomic_exchange(&d->full, true))
		return;
	if (errnum)
		zinc_fail_errno(&e, errnum, "%s", what);
	zinc_warn(d->ctx, d->dir, "%s: the cache writes nothing more to disk", errnum ? e.text : what);
}

static void
close_fd(const cached_disk *d, int *fd)
{
	if (*fd != -1)
		d->ctx->os->close(d->ctx->os, *fd);
	*fd = -1;
}

/* Make "a", "a/b", "a/b/c"; a directory that cannot be made cannot be opened either. */
static void
make_directories(const cached_disk *d, int from, const char *path)
{
	const zinc_os *os = d->ctx->os;
	char *part = zinc_strdup(d->ctx, path), *slash;

	for (slash = part; slash && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)os->mkdirat(os, from, part, 0700);
		*slash = '/';
	}
	if (part)
		(void)os->mkdirat(os, from, part, 0700);
	zinc_free(d->ctx, part);
}

/* The user's directory: links on its path are followed. */
static int
open_dir(const cached_disk *d, const char *path)
{
	const zinc_os *os = d->ctx->os;
	int from = os->open_root(os, path[0] == '/' ? "/" : ".", O_PATH), fd, e;

	if (from == -1)
		return -1;
	path += strspn(path, "/");
	fd = os->open_at(os, from, *path ? path : ".", O_RDONLY | O_DIRECTORY, 0, ZINC_LINKS_FOLLOW);
	if (fd == -1 && errno == ENOENT) {
		make_directories(d, from, path);
		fd = os->open_at(os, from, path, O_RDONLY | O_DIRECTORY, 0, ZINC_LINKS_FOLLOW);
	}
	e = errno;
	os->close(os, from);
	errno = e;
	return fd;
}

/* What is wrong with the directory; NULL: nothing. */
static const char *
directory_error(const cached_disk *d)
{
	struct stat st;

	if (d->ctx->os->fstat(d->ctx->os, d->root, &st) != 0)
		return "its subdirectory " VERSION " cannot be checked";
	if (st.st_uid != geteuid())
		return "its subdirectory " VERSION " belongs to another user";
	return st.st_mode & (S_IRWXG | S_IRWXO) ? "its subdirectory " VERSION " can be used by other users (chmod 700)"
						: NULL;
}

/* All of n bytes at `at`. */
static bool
read_exactly(const cached_disk *d, int fd, uint8_t *to, size_t n, uint64_t at)
{
	const zinc_os *os = d->ctx->os;
	ssize_t got;

	while (n > 0) {
		got = os->pread(os, fd, to, n, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		n -= (size_t)got;
		at += (uint64_t)got;
	}
	return true;
}

/* errno is set after a failure. */
static bool
write_all(const cached_disk *d, int fd, const struct iovec *iov, int niov)
{
	const zinc_os *os = d->ctx->os;
	zinc_iov_at at = {iov, niov, 0};
	struct iovec some[16];
	ssize_t put;
	int n;

	while ((n = zinc_iov_next(&at, some, 16)) > 0) {
		put = os->writev(os, fd, some, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		zinc_iov_advance(&at, (size_t)put);
	}
	return true;
}

/* ---- salt ---- */

static bool
read_salt(const cached_disk *d, uint8_t salt[ZINC_HASH_BYTES])
{
	int fd = d->ctx->os->open_at(d->ctx->os, d->root, "salt", O_RDONLY | O_NONBLOCK, 0, ZINC_LINKS_REFUSE);
	bool ok = fd != -1 && read_exactly(d, fd, salt, ZINC_HASH_BYTES, 0);

	close_fd(d, &fd);
	return ok;
}

static bool
make_salt(cached_disk *d, uint8_t salt[ZINC_HASH_BYTES])
{
	const zinc_os *os = d->ctx->os;
	const struct iovec iov = {salt, ZINC_HASH_BYTES};
	char name[NAME_ROOM];
	bool ok;
	int fd;

	if (getrandom(salt, ZINC_HASH_BYTES, 0) != ZINC_HASH_BYTES)
		return false;
	snprintf(name, sizeof name, "salt.t%llx", (unsigned long long)zinc_cached_now(d->ctx));
	fd = os->open_at(os, d->root, name, O_WRONLY | O_CREAT | O_EXCL, 0600, ZINC_LINKS_REFUSE);
	ok = fd != -1 && write_all(d, fd, &iov, 1);
	close_fd(d, &fd);
	ok = ok && os->renameat(os, d->root, name, d->root, "salt") == 0;
	if (!ok)
		(void)os->unlinkat(os, d->root, name, 0);
	return ok && read_salt(d, salt);
}

/* If two processes made one, they would not see each other's changes: one of them makes it.  False: another is still
 * making it. */
static bool
salt_in_turn(cached_disk *d, uint8_t salt[ZINC_HASH_BYTES], bool *ok)
{
	const zinc_os *os = d->ctx->os;
	int lock = os->open_at(os, d->root, "lock", O_RDWR | O_CREAT | O_NONBLOCK, 0600, ZINC_LINKS_REFUSE);
	const bool busy = lock != -1 && os->lock(os, lock) != 0 && (errno == EAGAIN || errno == EACCES);

	*ok = read_salt(d, salt) || (!busy && make_salt(d, salt));
	close_fd(d, &lock);
	return *ok || !busy;
}

static bool
find_salt(cached_disk *d, uint8_t salt[ZINC_HASH_BYTES])
{
	const struct timespec pause = {0, 1000000};
	bool ok = read_salt(d, salt);
	int i;

	for (i = 0; !ok && i < SALT_TURNS && !salt_in_turn(d, salt, &ok); i++)
		nanosleep(&pause, NULL);
	return ok;
}

/* ---- opening ---- */

static bool
open_version(cached_disk *d)
{
	const zinc_os *os = d->ctx->os;
	int dir = open_dir(d, d->dir), e;

	if (dir == -1)
		return false;
	(void)os->mkdirat(os, dir, VERSION, 0700);
	d->root = os->open_at(os, dir, VERSION, O_RDONLY | O_DIRECTORY, 0, ZINC_LINKS_REFUSE);
	e = errno;
	os->close(os, dir);
	errno = e;
	return d->root != -1;
}

static void
open_all(cached_disk *d, const uint8_t identity[ZINC_HASH_BYTES])
{
	const zinc_os *os = d->ctx->os;
	uint8_t salt[ZINC_HASH_BYTES];
	const char *why;

	if (!open_version(d)) {
		give_up(d, "it cannot be opened", errno);
		return;
	}
	why = directory_error(d);
	if (!why && !find_salt(d, salt))
		why = "its file salt cannot be read or made";
	if (!why) {
		zinc_hash128(d->id, salt, identity, ZINC_HASH_BYTES);
		d->ledger = os->open_at(os, d->root, "ledger", O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0600,
					ZINC_LINKS_REFUSE);
		if (d->ledger == -1)
			give_up(d, "its file ledger cannot be opened", errno);
		return;
	}
	give_up(d, why, 0);
	close_fd(d, &d->root);
}

void
zinc_cached_disk_open(cached_disk *d, zinc_context *ctx, const char *dir, uint64_t limit, const char *url,
		      const uint8_t identity[ZINC_HASH_BYTES])
{
	d->ctx = ctx;
	d->limit = limit;
	d->root = d->ledger = -1;
	if (!dir || !dir[0] || limit == 0)
		return;
	d->url = zinc_strdup(ctx, url);
	d->dir = zinc_strdup(ctx, dir);
	if (d->url && d->dir)
		open_all(d, identity);
}

void
zinc_cached_disk_close(cached_disk *d)
{
	close_fd(d, &d->ledger);
	close_fd(d, &d->root);
	zinc_free(d->ctx, d->url);
	zinc_free(d->ctx, d->dir);
	d->url = d->dir = NULL;
}

/* ---- names ---- */

static void
print_hex(char *out, const uint8_t *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* "ab/cdef..." */
static void
file_name(const cached_disk *d, char out[NAME_ROOM], const char *key, const cached_range *range)
{
	const uint64_t numbers[3] = {(uint64_t)range->form, range->offset, range->length};
	uint8_t hash[ZINC_HASH_BYTES];

	zinc_hash128(hash, d->id, numbers, sizeof numbers);
	zinc_hash128(hash, hash, key, strlen(key));
	print_hex(out, hash, 1);
	out[2] = '/';
	print_hex(out + 3, hash + 1, sizeof hash - 1);
}

static void
changed_name(const cached_disk *d, char out[NAME_ROOM])
{
	memcpy(out, "changed-", 8);
	print_hex(out + 8, d->id, sizeof d->id);
}

/* ---- reading ---- */

/* A file being read. */
typedef struct reading {
	int fd;
	char name[NAME_ROOM];
	uint8_t *bytes; /* the head */
	cached_head head;
} reading;

static bool
is_bytes(zinc_bytes a, const char *text)
{
	return a.n == strlen(text) && memcmp(a.p, text, a.n) == 0;
}

static bool
is_of(const cached_disk *d, const cached_head *h, const char *key, const cached_range *range)
{
	return memcmp(h->id, d->id, sizeof h->id) == 0 && is_bytes(h->url, d->url) && is_bytes(h->key, key) &&
	       h->range.form == range->form && h->range.offset == range->offset && h->range.length == range->length;
}

/* The file has exactly the head and the kept bytes. */
static bool
read_head(const cached_disk *d, reading *r, const char *key, const cached_range *range)
{
	const size_t most = zinc_cached_head_max(strlen(d->url), strlen(key));
	struct stat st;
	size_t n;

	if (d->ctx->os->fstat(d->ctx->os, r->fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < CACHED_HEAD_FIXED)
		return false;
	n = zinc_min_u64((uint64_t)st.st_size, most) == most ? most : (size_t)st.st_size;
	if (!read_exactly(d, r->fd, r->bytes, n, 0) || !zinc_cached_head_parse(&r->head, r->bytes, n))
		return false;
	r->head.about.checked = ns_of(st.st_mtim);
	return is_of(d, &r->head, key, range) && (uint64_t)st.st_size - r->head.nbytes == r->head.about.nbytes &&
	       r->head.about.nbytes <= MAX_VALUE;
}

static void
end_reading(const cached_disk *d, reading *r)
{
	close_fd(d, &r->fd);
	zinc_free(d->ctx, r->bytes);
	r->bytes = NULL;
}

/* A file that is not what its name says is removed, unless only memory was missing. */
static bool
begin_reading(const cached_disk *d, reading *r, const char *key, const cached_range *range)
{
	const zinc_os *os = d->ctx->os;

	memset(r, 0, sizeof *r);
	r->fd = -1;
	if (d->root == -1)
		return false;
	file_name(d, r->name, key, range);
	r->fd = os->open_at(os, d->root, r->name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0, ZINC_LINKS_REFUSE);
	if (r->fd == -1)
		return false;
	r->bytes = (uint8_t *)zinc_alloc(d->ctx, zinc_cached_head_max(strlen(d->url), strlen(key)));
	if (r->bytes && read_head(d, r, key, range))
		return true;
	if (r->bytes)
		(void)os->unlinkat(os, d->root, r->name, 0);
	end_reading(d, r);
	return false;
}

bool
zinc_cached_disk_find(cached_disk *d, const char *key, const cached_range *range, cached_about *about)
{
	reading r;

	if (!begin_reading(d, &r, key, range))
		return false;
	*about = r.head.about;
	end_reading(d, &r);
	return true;
}

/* mtime never goes back: two processes may have asked the store.  Nor is a generation marked that was not confirmed: a
 * slower process may have replaced the file by an older one meanwhile. */
static void
mark_used(const cached_disk *d, const reading *r, const zinc_tag *confirmed, int64_t checked)
{
	const cached_about *a = &r->head.about;
	const bool later = confirmed && zinc_tag_equal(confirmed, &a->tag) && checked > a->checked;
	const int64_t when = later ? checked : a->checked;
	const struct timespec times[2] = {time_of(zinc_cached_now(d->ctx)), time_of(when)};

	(void)d->ctx->os->futimens(d->ctx->os, r->fd, times);
}

uint8_t *
zinc_cached_disk_load(cached_disk *d, const char *key, const cached_range *range, cached_about *about,
		      const zinc_tag *confirmed, int64_t checked)
{
	uint8_t *bytes;
	reading r;

	if (!begin_reading(d, &r, key, range))
		return NULL;
	*about = r.head.about;
	bytes = (uint8_t *)zinc_alloc(d->ctx, (size_t)about->nbytes);
	if (bytes && (!read_exactly(d, r.fd, bytes, (size_t)about->nbytes, r.head.nbytes) ||
		      zinc_crc32c(0, bytes, (size_t)about->nbytes) != r.head.crc)) {
		(void)d->ctx->os->unlinkat(d->ctx->os, d->root, r.name, 0);
		zinc_free(d->ctx, bytes);
		bytes = NULL;
	}
	if (bytes)
		mark_used(d, &r, confirmed, checked);
	end_reading(d, &r);
	return bytes;
}

/* ---- writing ---- */

static uint32_t
crc_of(const struct iovec *iov, int niov, size_t n)
{
	uint32_t crc = 0;
	size_t part;
	int i;

	for (i = 0; i < niov && n; i++, n -= part) {
		part = iov[i].iov_len < n ? iov[i].iov_len : n;
		crc = zinc_crc32c(crc, iov[i].iov_base, part);
	}
	return crc;
}

/* The first n bytes of the list. */
static bool
write_some(const cached_disk *d, int fd, const struct iovec *iov, int niov, size_t n)
{
	struct iovec one;
	int i;

	for (i = 0; i < niov && n; i++, n -= one.iov_len) {
		one = iov[i];
		if (one.iov_len > n)
			one.iov_len = n;
		if (!write_all(d, fd, &one, 1))
			return false;
	}
	return true;
}

/* The directory "ab" is made when a file in it is. */
static int
create(const cached_disk *d, const char *name)
{
	const zinc_os *os = d->ctx->os;
	const int flags = O_WRONLY | O_CREAT | O_EXCL;
	char dir[3] = {name[0], name[1], '\0'};
	int fd = os->open_at(os, d->root, name, flags, 0600, ZINC_LINKS_REFUSE);

	if (fd != -1 || errno != ENOENT)
		return fd;
	(void)os->mkdirat(os, d->root, dir, 0700);
	return os->open_at(os, d->root, name, flags, 0600, ZINC_LINKS_REFUSE);
}

static bool
write_file(const cached_disk *d, int fd, const cached_head *h, const struct iovec *iov, int niov)
{
	const struct timespec times[2] = {time_of(zinc_cached_now(d->ctx)), time_of(h->about.checked)};
	uint8_t *bytes = (uint8_t *)zinc_alloc(d->ctx, zinc_cached_head_max(h->url.n, h->key.n));
	struct iovec head;
	bool ok;

	errno = ENOMEM;
	if (!bytes)
		return false;
	head.iov_base = bytes;
	head.iov_len = zinc_cached_head_write(bytes, h);
	ok = write_all(d, fd, &head, 1) && write_some(d, fd, iov, niov, (size_t)h->about.nbytes) &&
	     d->ctx->os->futimens(d->ctx->os, fd, times) == 0;
	zinc_free(d->ctx, bytes);
	return ok;
}

static void
add_file(cached_disk *d, const char *name, const cached_head *h, const struct iovec *iov, int niov)
{
	const zinc_os *os = d->ctx->os;
	char temporary[2 * NAME_ROOM];
	int fd, e;
	bool ok;

	snprintf(temporary, sizeof temporary, "%s.t%llx-%llx", name, (unsigned long long)zinc_cached_now(d->ctx),
		 (unsigned long long)atomic_fetch_add(&d->temporaries, 1));
	fd = create(d, temporary);
	if (fd == -1) {
		if (errno != EEXIST && errno != EINTR)
			give_up(d, "a file cannot be made", errno);
		return;
	}
	ok = write_file(d, fd, h, iov, niov);
	e = errno;
	os->close(os, fd);
	if (ok && os->renameat(os, d->root, temporary, d->root, name) == 0)
		return;
	if (ok)
		e = errno;
	(void)os->unlinkat(os, d->root, temporary, 0);
	if (e != ENOENT && e != ENOMEM) /* ENOENT: somebody cleared the directory */
		give_up(d, "a file cannot be written", e);
}

void
zinc_cached_disk_add(cached_disk *d, const char *key, const cached_range *range, const cached_about *about,
		     const struct iovec *iov, int niov)
{
	char name[NAME_ROOM];
	cached_head h;

	if (d->root == -1 || atomic_load(&d->full) || about->nbytes > MAX_VALUE || about->nbytes > d->limit / 16)
		return;
	memset(&h, 0, sizeof h);
	memcpy(h.id, d->id, sizeof h.id);
	h.range = *range;
	h.about = *about;
	h.url = (zinc_bytes){(const uint8_t *)d->url, strlen(d->url)};
	h.key = (zinc_bytes){(const uint8_t *)key, strlen(key)};
	h.crc = crc_of(iov, niov, (size_t)about->nbytes);
	if (!zinc_cached_disk_room(d, about->nbytes + zinc_cached_head_max(h.url.n, h.key.n)))
		return;
	file_name(d, name, key, range);
	add_file(d, name, &h, iov, niov);
}

void
zinc_cached_disk_drop(cached_disk *d, const char *key, const cached_range *range)
{
	char name[NAME_ROOM];

	if (d->root == -1)
		return;
	file_name(d, name, key, range);
	(void)d->ctx->os->unlinkat(d->ctx->os, d->root, name, 0);
}

/* ---- changes of the store below ---- */

int64_t
zinc_cached_disk_changed(cached_disk *d)
{
	char name[NAME_ROOM];
	struct stat st;

	if (d->root == -1)
		return 0;
	changed_name(d, name);
	if (d->ctx->os->fstatat(d->ctx->os, d->root, name, &st) == 0)
		return ns_of(st.st_mtim);
	return errno == ENOENT ? 0 : INT64_MAX; /* unknown: nothing is fresh */
}

/* If it cannot be noted, other processes may use older answers for as long as their `age` says.  The time never goes
 * back, even if the clock does. */
void
zinc_cached_disk_set_changed(cached_disk *d, int64_t when)
{
	const zinc_os *os = d->ctx->os;
	const int64_t before = zinc_cached_disk_changed(d);
	const struct timespec t = time_of(before > when && before != INT64_MAX ? before : when), times[2] = {t, t};
	char name[NAME_ROOM];
	int fd;

	if (d->root == -1)
		return;
	changed_name(d, name);
	fd = os->open_at(os, d->root, name, O_WRONLY | O_CREAT | O_NONBLOCK, 0600, ZINC_LINKS_REFUSE);
	if (fd == -1 || os->futimens(os, fd, times) != 0)
		give_up(d, "a change cannot be noted", errno);
	close_fd(d, &fd);
}
