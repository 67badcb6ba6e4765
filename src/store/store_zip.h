/*
 * store_zip.h - shared by the files of the zip store
 *
 *   store_zip.c        the store: open, close, caps, the table of its operations
 *   store_zip_dir.c    the directory of an archive, from its bytes
 *   store_zip_name.c   names of entries
 *   store_zip_load.c   read and keep the directory; notice when the archive is replaced
 *   store_zip_read.c   get
 *   store_zip_local.c  ranges of an archive that is a local file
 *   store_zip_list.c   walk
 *   store_zip_record.c records of new archives
 *   store_zip_session.c a new archive, from its lock to its rename
 *   store_zip_write.c  put, groups, update
 *
 *   [local header | bytes] [local header | bytes] ... [directory: one record per entry] [zip64 end, locator] [end]
 */
#ifndef ZINC_STORE_ZIP_H
#define ZINC_STORE_ZIP_H

#include "store/store_fs.h"

/* Sizes of records, without names and extra fields. */
#define ZIP_LOCAL        30u
#define ZIP_RECORD       46u
#define ZIP_END          22u
#define ZIP_END64        56u
#define ZIP_LOCATOR      20u
#define ZIP_LOCAL_MARK   0x04034B50u
#define ZIP_RECORD_MARK  0x02014B50u
#define ZIP_END_MARK     0x06054B50u
#define ZIP_END64_MARK   0x06064B50u
#define ZIP_LOCATOR_MARK 0x07064B50u
/* Holds every end record: its comment has at most 65535 bytes. */
#define ZIP_TAIL (65535u + ZIP_END + ZIP_LOCATOR + ZIP_END64)

#define ZIP_UTF8       0x0800u /* flag: the name is UTF-8 */
#define ZIP_ENCRYPTED  0x2041u /* flags: encrypted, strongly, or with a masked directory */
#define ZIP_LATER      0x0008u /* flag: sizes and checksum follow the bytes */
#define ZIP_STORED     0u
#define ZIP_DEFLATED   8u
#define ZIP_EXTRA_64   0x0001u
#define ZIP_EXTRA_NAME 0x7075u
#define ZIP_EXTRA_ZINC 0x435Au /* ours: the CRC-32C of the bytes, so that tags need nothing else */

static inline uint16_t
zip_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint64_t
zip_get64(const uint8_t *p)
{
	return zinc_get_le32(p) | (uint64_t)zinc_get_le32(p + 4) << 32;
}

/* Why an entry cannot be read (store_zip_dir.c). */
typedef enum zip_why {
	ZIP_FINE = 0,
	ZIP_IS_ENCRYPTED,
	ZIP_OTHER_METHOD,
	ZIP_IS_LINK,
	ZIP_OTHER_DISK,
	ZIP_OUTSIDE,
	ZIP_OVERLAPS,
	ZIP_BAD_SIZES
} zip_why;

/* A key of an archive. */
typedef struct zip_entry {
	const char *key;
	uint64_t header;         /* position of its local header */
	uint64_t end;            /* where the next entry or the directory begins */
	uint64_t stored, nbytes; /* bytes in the archive, and decoded */
	_Atomic uint64_t data;   /* position of its bytes; 0: not known yet */
	size_t record;           /* position in the directory */
	uint32_t crc, crc32c;    /* crc32c only if `own` */
	uint16_t nname, nextra;  /* as in the directory */
	uint16_t flags, method;
	bool own;   /* written by Zinc: it has a crc32c */
	bool plain; /* the bytes of its name are those of the key */
	zip_why why;
} zip_entry;

/* An entry that is no key. */
typedef struct zip_odd {
	const char *name; /* as it should be shown */
	const char *why;
	const char *usual; /* the key that other programs may take it for, if no entry has that name; NULL: none */
} zip_odd;

/* What the end record says. */
typedef struct zip_end {
	uint64_t count; /* of records; only the lower 16 bits if `wraps` */
	bool wraps;
	uint64_t at, n;           /* position and size of the directory */
	uint64_t shift;           /* bytes before the archive, to add to each position in it */
	size_t comment, ncomment; /* in the tail */
} zip_end;

/* The directory of one generation of an archive; never changes, except zip_entry.data. */
typedef struct zip_dir {
	zinc_context *ctx;
	atomic_uint refs;
	bool exists;       /* false: there is no archive, and nothing in the rest */
	zinc_tag tag;      /* of the archive; empty if the store below has none */
	uint64_t tag_hash; /* of it */
	uint64_t nbytes;   /* of the archive */
	zip_end end;
	zinc_buf raw; /* the directory itself, if it may be needed to write a new one, and then the comment */
	zinc_buf names, usual;
	zip_entry *entries; /* sorted by key, each once: the last of several */
	size_t n;
	zip_odd *odd; /* sorted by name */
	size_t nodd;
	zip_odd *alias; /* those with `usual`, sorted by it */
	size_t nalias;
	bool damaged; /* a record reaches beyond the archive: it would cover entries that are added */
} zip_dir;

/* A record of the directory, as written. */
typedef struct zip_record {
	const uint8_t *p, *name, *extra;
	size_t n; /* of the whole record */
	uint16_t flags, method, nname, nextra;
	uint32_t crc, disk, mode; /* mode: of Unix; 0: none */
	uint64_t stored, nbytes, header;
} zip_record;

/* ---- store_zip_dir.c ---- */

/* Find the end record in the last bytes of an archive of `nbytes`; the tail is all of it, or has ZIP_TAIL bytes.
 * E_NOTFOUND if there is none, E_CORRUPT, E_UNSUPPORTED. */
zinc_status zinc_zip_find_end(zinc_bytes tail, uint64_t nbytes, zip_end *out, zinc_error *err);
/* Parse the record at raw[at..); E_CORRUPT. */
zinc_status zinc_zip_parse_record(zinc_bytes raw, size_t at, zip_record *out, zinc_error *err);
/* Fill names, entries and odd from d->raw, d->end and d->nbytes.  E_CORRUPT, E_NOMEM. */
zinc_status zinc_zip_parse_dir(zip_dir *d, const zinc_wait *wait, zinc_error *err);
/* The entry of a key, or NULL; and the first whose key is not less. */
zip_entry *zinc_zip_find(const zip_dir *d, const char *key);
size_t zinc_zip_seek(const zip_dir *d, const char *key);
/* An entry that is no key, and that other programs take for this one, which is missing; NULL: none. */
const zip_odd *zinc_zip_find_alias(const zip_dir *d, const char *key);
/* The status and text of ZIP_FINE < why. */
zinc_status zinc_zip_refuse(const zip_entry *e, zinc_error *err);
void zinc_zip_tag(const zip_dir *d, const zip_entry *e, zinc_tag *out);
/* The tag of an entry of our own. */
void zinc_zip_own_tag(uint64_t header, uint64_t nbytes, uint32_t crc, uint32_t crc32c, zinc_tag *out);

zip_dir *zinc_zip_dir_new(zinc_context *ctx);
zip_dir *zinc_zip_dir_ref(zip_dir *d);
void zinc_zip_dir_unref(zip_dir *d);

/* ---- store_zip_name.c ---- */

/* The most bytes of a decoded name, with its NUL. */
size_t zinc_zip_name_room(const zip_record *r);
/* Decode the name of a record.  `out` has that much room.  *why is NULL for a key, else says why it is none; "" for a
 * directory.  Returns the bytes written. */
size_t zinc_zip_name(const zip_record *r, char *out, const char **why);
/* The key that other programs may take an odd name for: '\\' is '/', and "." and empty components are left out.  `out` has
 * room for the name.  Returns its length; 0: none. */
size_t zinc_zip_usual(const char *name, char *out);
/* Say that an entry is no key, in place of this one. */
void zinc_zip_say_alias(const zip_odd *odd, char *out, size_t cap);
/* Find an extra field; NULL: none. */
const uint8_t *zinc_zip_extra(const uint8_t *extra, size_t n, uint16_t id, size_t *nfound);

/* ---- the open store ---- */

typedef struct zip_session zip_session;
typedef struct zip_group zip_group;

typedef struct zip {
	zinc_context *ctx;
	zinc_store *next;
	char *key; /* of the archive, in `next` */
	bool writable, remote;
	zinc_turn loading;    /* one thread reads the directory */
	pthread_mutex_t lock; /* guards `dir` */
	zinc_fork_hook fork;
	zip_dir *dir; /* the newest; NULL: none was read */
	atomic_int
	    slack; /* bytes by which the extra field of the latest local header was longer than that of its record */
	_Atomic(void *) inflater; /* idle; NULL: none */
	zinc_turn writing;        /* guards `session` */
	zip_session *session;     /* NULL: this store is not writing */
	zip_group *groups;
	atomic_int held;         /* callers that hold it: zinc_store_hold */
	zinc_status held_status; /* of changes that were kept back and are lost */
	zinc_error *held_error;
	zinc_fs *fs; /* the store below, if it is the file system, also a read-only one; NULL: it takes whole archives */
} zip;

/* ---- store_zip_load.c ---- */

/* The newest directory that is known, or the first.  The caller gets a reference. */
zinc_status zinc_zip_dir_get(zip *z, zip_dir **out, const zinc_wait *wait, zinc_error *err);
/* Replace *d by the directory of the archive as it is now, if the archive was replaced.  E_IO if it was removed. */
zinc_status zinc_zip_dir_renew(zip *z, zip_dir **d, const zinc_wait *wait, zinc_error *err);
/* The same if the store below is local; a remote archive is not asked for. */
zinc_status zinc_zip_dir_check(zip *z, zip_dir **d, const zinc_wait *wait, zinc_error *err);
/* Read it, whatever is known. */
zinc_status zinc_zip_dir_load(zip *z, zip_dir **out, const zinc_wait *wait, zinc_error *err);

/* ---- store_zip_local.c; z->fs is not NULL ---- */

/* Open the archive of *d, or if it was replaced, the new one, whose directory replaces *d.  *fd is -1 if there is none. */
zinc_status zinc_zip_local_open(zip *z, zip_dir **d, int *fd, const zinc_wait *wait, zinc_error *err);
void zinc_zip_local_close(zip *z, int *fd);
/* Read a range, and the CRC-32 of what follows the first `nhead` bytes of it.  E_CONFLICT if the file is shorter. */
zinc_status zinc_zip_local_sum(zip *z, int fd, const zinc_get *r, size_t nhead, uint32_t *crc, zinc_error *err);

/* ---- the operations ---- */

zinc_status zinc_zip_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
			 zinc_error *err);
zinc_status zinc_zip_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait,
			  zinc_error *err);
zinc_status zinc_zip_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
			 uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_zip_put_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait,
			       zinc_error *err);
zinc_status zinc_zip_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait,
			    zinc_error *err);
void zinc_zip_abort(void *self, zinc_put_group *group);
zinc_status zinc_zip_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
			    const zinc_wait *wait, zinc_error *err);
zinc_status zinc_zip_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, const zinc_wait *wait,
			   zinc_error *err);
zinc_status zinc_zip_sync(void *self, const zinc_wait *wait, zinc_error *err);

/* zinc_zip_get, from inside of a change. */
zinc_status zinc_zip_read(zip *z, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
			  zinc_error *err);
/* Publish what a holder keeps back. */
zinc_status zinc_zip_flush(zip *z, const zinc_wait *wait, zinc_error *err);

/* ---- store_zip_record.c ---- */

/* A new entry. */
typedef struct zip_fresh {
	const char *key;
	uint64_t header; /* position in the new archive */
	uint64_t nbytes;
	uint32_t crc, crc32c;
} zip_fresh;

/* Append the local header, or the record of the directory (`shift` is subtracted from positions). */
zinc_status zinc_zip_put_local(zinc_buf *out, const zip_fresh *f, zinc_error *err);
zinc_status zinc_zip_put_record(zinc_buf *out, const zip_fresh *f, uint64_t shift, zinc_error *err);
/* Append the end records of a directory. */
zinc_status zinc_zip_put_end(zinc_buf *out, const zip_end *end, zinc_bytes comment, zinc_error *err);

/* ---- store_zip_session.c; the turn `writing` is held ---- */

/* A zinc_put_group. */
struct zip_group {
	zip_group *next;
	uint32_t flags;
	size_t npending;    /* its entries in the session */
	zinc_status status; /* of a session that failed with entries of this group */
	zinc_error *error;  /* may be NULL */
	zinc_buf lost;      /* their keys, each with its NUL */
};

/* An entry that was written and is not in a directory yet. */
typedef struct zip_pending {
	zip_fresh f;
	uint64_t data;    /* position of its bytes */
	zip_group *group; /* NULL: none */
	size_t older;     /* entry of the same key before this one; SIZE_MAX: none */
	bool dropped;     /* its group was aborted */
} zip_pending;

/* Begin one unless it has begun: take the lock of the archive and read its directory.  E_CONFLICT if another writer
 * keeps it for a minute. */
zinc_status zinc_zip_session_begin(zip *z, const zinc_wait *wait, zinc_error *err);
/* The newest entry of a key that is not in a directory yet; NULL: none. */
const zip_pending *zinc_zip_session_find(const zip *z, const char *key);
const zip_dir *zinc_zip_session_base(const zip *z);
/* The bytes of a pending entry. */
zinc_status zinc_zip_session_read(zip *z, const zip_pending *p, void *out, zinc_error *err);
/* Write an entry.  `f` has everything but its position, which is set.  If it fails after a byte was written, the session
 * has failed. */
zinc_status zinc_zip_session_add(zip *z, zip_fresh *f, const zinc_put *put, zip_group *group, const zinc_wait *wait,
				 zinc_error *err);
/* Write the directory and publish the archive.  The session ends, also if that fails. */
zinc_status zinc_zip_session_finish(zip *z, uint32_t flags, const zinc_wait *wait, zinc_error *err);
/* Finish it, or if somebody holds the store, leave that for later: the entries are no group's any more. */
zinc_status zinc_zip_session_commit(zip *z, uint32_t flags, const zinc_wait *wait, zinc_error *err);
/* Give up all that is pending, with this reason for the groups concerned (ZINC_OK: none). */
void zinc_zip_session_drop(zip *z, zinc_status st, const zinc_error *why);
/* Drop the entries of one group, and the session if nothing else is left. */
void zinc_zip_session_abort(zip *z, zip_group *g);
/* Drop the session if nothing is pending. */
void zinc_zip_session_end_unused(zip *z);

#endif
