/*
 * store_fs.h - shared by the files of the file system store
 *
 *   store_fs.c        the store: open, get, the table of its operations
 *   store_fs_path.c   directories: create, open, remove when empty, sync
 *   store_fs_lock.c   <key>.__lock: take, wait for, release, drop in a forked child
 *   store_fs_copy.c   copy bytes from file to file
 *   store_fs_write.c  one change, from its lock to its rename: put, del, update
 *   store_fs_group.c  many changes in one commit; sync
 *   store_fs_list.c   walk, del_prefix
 *   store_fs_scrub.c  remove leftovers
 */
#ifndef ZINC_STORE_FS_H
#define ZINC_STORE_FS_H

#include "store/store_inside.h"

#define FS_SUFFIX        ".__lock"
#define FS_COMPONENT_MAX 248u  /* NAME_MAX, less the suffix */
#define FS_KEY_MAX       4000u /* less than PATH_MAX, the kernel's limit of paths */
#define FS_NAME_BYTES    (FS_COMPONENT_MAX + sizeof FS_SUFFIX)
#define FS_WINDOW        64u  /* puts of one group that may hold their locks at the same time */
#define FS_MAX_HELD      256u /* locks of all groups of one store; bounds the open descriptors */
#define FS_MAX_TRIES     1000 /* against others who remove directories or replace lock files */

typedef struct fs_group fs_group;

/* An open directory, shared by the changes in it; refs are guarded by zinc_fs.lock. */
typedef struct fs_dir {
	int fd;
	unsigned refs;
	size_t n;    /* length of path */
	char path[]; /* "" for the root */
} fs_dir;

/* A set of directories, sorted by path. */
typedef struct fs_dirs {
	struct fs_dirs_entry {
		char *path;
		bool prune;    /* something was deleted in it: remove it if it is empty */
		bool failed;   /* the sync of it failed, or, in sync(), that of a file in it */
		bool lost;     /* an fsync failed, and the kernel may have dropped the data: never try again */
		size_t synced; /* length of the path of the directory that was synced for it */
	} * e;
	size_t n, cap;
} fs_dirs;

/* An open lock file.  It is in the store's list while it is open, so that a forked child can close it. */
typedef struct fs_lock {
	int fd; /* -1: none, or closed by fork */
	struct fs_lock *next, **link;
} fs_lock;

/* One put or delete that is not finished. */
typedef struct fs_change {
	struct fs_change *next;       /* in the group's list `pending` or `done` */
	struct fs_change *next_taken; /* in the list of changes that one thread finishes */
	fs_group *group;              /* NULL: not in a group */
	bool taken;                   /* a thread is finishing it */
	bool prune;                   /* a delete: its directory may be empty now */
	fs_dir *dir;
	fs_lock lock;
	zinc_condition when;
	zinc_tag if_tag;   /* copy of the tag in `when` */
	zinc_tag *tag_out; /* NULL, or the place for the new tag */
	uint32_t flags;
	size_t made; /* length of the path of the parent of the first directory that was created; SIZE_MAX: none was */
	zinc_status status;
	zinc_error *error; /* NULL: no error, or no memory for it */
	const char *name;  /* the last component of key */
	char key[];
} fs_change;

/* A zinc_put_group of this store. */
struct fs_group {
	fs_group *next, **link; /* in the store's list */
	uint32_t flags;
	fs_change *pending; /* changes that hold their locks */
	unsigned nwindow;   /* pending changes that are not taken */
	unsigned busy;      /* pending changes that are taken */
	fs_change *done;    /* renamed or failed; their directories are not yet synced */
	size_t ndone;
	fs_change *failed; /* commit reports them */
	fs_dirs dirs;      /* to sync */
	fs_dir *last;      /* directory of the latest put; most often also that of the next one */
	fs_dir *base;      /* NULL, or the directory below which keys are erased */
};

typedef struct zinc_fs {
	zinc_context *ctx;
	char *path; /* path of the root, as given */
	char *keep; /* this directory and those above it are never removed */
	int links;  /* zinc_links */
	bool create;
	atomic_int root;   /* descriptor; -1: the root does not exist yet */
	atomic_uint names; /* ZINC_CAP_FOLDS_CASE, ZINC_CAP_NORMALISES, FS_NAMES_KNOWN */

	/* Guards the members below, and those of groups.  Never held during a call that can block. */
	pthread_mutex_t lock;
	pthread_cond_t idle; /* signalled when a group's `busy` becomes 0 */
	zinc_fork_hook fork;
	fs_lock *held;
	unsigned nheld;
	fs_group *groups;
	unsigned waiting;           /* threads that wait for a lock; groups must hold none meanwhile */
	struct timespec newest_del; /* mtime of the newest value deleted */
	fs_dirs unsynced_files;     /* directories with relaxed puts and deletes */
	fs_dirs unsynced_dirs;      /* directories in which directories were created */
	bool lost;                  /* an fsync of sync() failed; a later one cannot repair that */
} zinc_fs;

#define FS_NAMES_KNOWN 1u

/* ---- system calls, repeated when interrupted (store_fs.c) ---- */

static inline const zinc_os *
fs_os(const zinc_fs *fs)
{
	return fs->ctx->os;
}

int zinc_fs_openat(zinc_fs *fs, int dir, const char *path, int flags, int links);
zinc_status zinc_fs_fail(zinc_error *err, int errnum, const char *what);
/* Read n bytes from `offset`; E_CONFLICT when the file is shorter. */
zinc_status zinc_fs_read(zinc_fs *fs, int fd, uint64_t offset, uint64_t n, const struct iovec *iov, int niov,
			 zinc_error *err);
/* The same as a zinc_read_fn, for an open file. */
typedef struct fs_open_file {
	zinc_fs *fs;
	int fd;
	const zinc_wait *wait; /* checked by long copies */
} fs_open_file;

zinc_status zinc_fs_read_open(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov,
			      zinc_error *err);
void zinc_fs_tag(zinc_tag *out, const struct stat *st);
/* Open a value.  *fd is -1 with ZINC_OK when it is missing, or, if `is_dir` is not NULL, when it is a directory.  E_IO
 * if anything else is in its place or on its path. */
zinc_status zinc_fs_open_value(zinc_fs *fs, const char *key, int *fd, struct stat *st, bool *is_dir, zinc_error *err);
/* To call after path[0..n) could not be opened because it is missing.  E_IO if a dangling link or a special file is the
 * reason. */
zinc_status zinc_fs_check_missing(zinc_fs *fs, const char *path, size_t n, zinc_error *err);

/* Write all of it at the file's position (store_fs_write.c). */
zinc_status zinc_fs_write(zinc_fs *fs, int fd, const struct iovec *iov, int niov, zinc_error *err);
/* Copy `n` bytes from `at` to the position of the file `to` (store_fs_copy.c).  E_CONFLICT if there are fewer. */
zinc_status zinc_fs_copy(zinc_fs *fs, int from, uint64_t at, uint64_t n, int to, const zinc_wait *wait,
			 zinc_error *err);

/* ---- directories (store_fs_path.c) ---- */

/* The root's descriptor; -1 with ZINC_OK when it does not exist and `make` is false. */
zinc_status zinc_fs_root(zinc_fs *fs, bool make, int *out, zinc_error *err);
/* The length of the parent's path: "a/b/c" -> 3, "a" -> 0. */
size_t zinc_fs_parent(const char *path, size_t n);
/*
 * The base of an erase: the directory below which files are erased.  It is opened once; links on its own path are
 * followed as usual.  Below it no link is followed, so nothing is erased elsewhere if a directory is replaced by a link
 * meanwhile.  A path that is not at or below the base is resolved without it.  NULL: the root.
 */
/* Open path[0..n); *out is NULL with ZINC_OK when it is missing. */
zinc_status zinc_fs_base_open(zinc_fs *fs, const char *path, size_t n, fs_dir **out, zinc_error *err);
/* open(2) of `path`, which may end in a slash. */
int zinc_fs_open_below(zinc_fs *fs, const fs_dir *base, const char *path, int flags);
/* Open path[0..n); *out is NULL with ZINC_OK when it is missing. */
zinc_status zinc_fs_dir_open(zinc_fs *fs, const fs_dir *base, const char *path, size_t n, fs_dir **out,
			     zinc_error *err);
/* The same, but create it if it is missing.  *made as in fs_change; it is only ever lowered. */
zinc_status zinc_fs_dir_make(zinc_fs *fs, const char *path, size_t n, fs_dir **out, size_t *made, zinc_error *err);

fs_dir *zinc_fs_dir_ref(zinc_fs *fs, fs_dir *d);
void zinc_fs_dir_unref(zinc_fs *fs, fs_dir *d);
/* Remove path[0..n), then its parents, as long as they are empty.  Returns true when path[0..n) itself is gone. */
bool zinc_fs_prune(zinc_fs *fs, const fs_dir *base, const char *path, size_t n);
bool zinc_fs_may_remove(const zinc_fs *fs, const char *path, size_t n);
/* E_EXISTS if the file system treats the name of another existing key as this one. */
zinc_status zinc_fs_check_names(zinc_fs *fs, const fs_change *c, zinc_error *err);

/* Sets of directories; the caller does the locking. */
zinc_status zinc_fs_dirs_add(zinc_fs *fs, fs_dirs *set, const char *path, size_t n, bool prune, zinc_error *err);
bool zinc_fs_dirs_has(const fs_dirs *set, const char *path, size_t n);
void zinc_fs_dirs_fini(zinc_fs *fs, fs_dirs *set);
/* Prune, then fsync each directory, or the nearest one above it that still exists; entries record which failed.
 * Returns the first failure. */
zinc_status zinc_fs_dirs_sync(zinc_fs *fs, const fs_dir *base, fs_dirs *set, zinc_error *err);

/* ---- locks (store_fs_lock.c) ---- */

/* Write "name.__lock". */
void zinc_fs_lock_name(char out[FS_NAME_BYTES], const char *name);
bool zinc_fs_is_lock(const char *name);

typedef enum fs_take { FS_TAKEN, FS_BUSY, FS_GONE, FS_FAILED } fs_take;
/* Take the lock of `name` in `dir`; the lock file is empty afterwards.  FS_BUSY: another holds it, unless `wait`: then
 * wait until `until`.  FS_GONE: the directory was removed.  FS_FAILED: *errnum has the errno; ECANCELED: cancelled or
 * timed out. */
fs_take zinc_fs_lock_try(zinc_fs *fs, int dir, const char *name, bool wait, const zinc_wait *until, fs_lock *out,
			 int *errnum);
/* Take an existing lock file that is not held; for scrub. */
fs_take zinc_fs_lock_leftover(zinc_fs *fs, int dir, const char *lock_name, fs_lock *out);
/* Remove a lock file that we hold. */
void zinc_fs_lock_unlink(zinc_fs *fs, int dir, const char *name);
/* F_UNLCK, then close; -1 when close fails. */
int zinc_fs_lock_release(zinc_fs *fs, fs_lock *lock);
/* In a forked child: close the inherited descriptors, but do not unlock. */
void zinc_fs_lock_forget_all(zinc_fs *fs);
/* Find out, once, whether this directory folds names. */
void zinc_fs_probe_names(zinc_fs *fs, const fs_dir *dir);

/* ---- changes (store_fs_write.c) ---- */

zinc_status zinc_fs_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
			uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_fs_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
			uint32_t flags, const zinc_wait *wait, zinc_error *err);
/* Delete without a condition.  With FS_DEL_LINK a symbolic link itself is erased and its target is ignored. */
#define FS_DEL_LINK 0x80000000u
zinc_status zinc_fs_del_one(zinc_fs *fs, zinc_put_group *group, const char *key, uint32_t flags, const zinc_wait *wait,
			    zinc_error *err);
zinc_status zinc_fs_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
			   const zinc_wait *wait, zinc_error *err);
zinc_status zinc_fs_splice(void *self, const char *key, zinc_splice_fn fn, void *arg, uint64_t limit, uint32_t flags,
			   const zinc_wait *wait, zinc_error *err);
/* Set the time, fsync, check the condition, rename, release; do nothing if the deadline has passed.  The outcome is in
 * c->status and c->error. */
void zinc_fs_finish(zinc_fs *fs, fs_change *c, const zinc_wait *wait);
/* Drop a change that was not renamed: unlink and release its lock file. */
void zinc_fs_drop(zinc_fs *fs, fs_change *c);
void zinc_fs_change_free(zinc_fs *fs, fs_change *c);

/*
 * A value that is written in steps, for a store above that keeps one large file: the lock is held from begin to finish
 * or drop, one of which frees the change.  Nobody sees the new value before finish has renamed it.
 */
zinc_status zinc_fs_stream_begin(zinc_fs *fs, const char *key, fs_change **out, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_fs_stream_write(zinc_fs *fs, fs_change *c, const struct iovec *iov, int niov, zinc_error *err);
/* Bytes of an open file. */
zinc_status zinc_fs_stream_copy(zinc_fs *fs, fs_change *c, int from, uint64_t at, uint64_t n, const zinc_wait *wait,
				zinc_error *err);
/* Bytes that were written. */
zinc_status zinc_fs_stream_read(zinc_fs *fs, fs_change *c, uint64_t offset, void *out, size_t n, zinc_error *err);
/* E_EXISTS or E_CONFLICT if a program that takes no lock has changed what `when` says. */
zinc_status zinc_fs_stream_finish(zinc_fs *fs, fs_change *c, const zinc_condition *when, uint32_t flags,
				  zinc_error *err);
void zinc_fs_stream_drop(zinc_fs *fs, fs_change *c);

/* ---- groups (store_fs_group.c) ---- */

zinc_status zinc_fs_put_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait,
			      zinc_error *err);
zinc_status zinc_fs_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait,
			   zinc_error *err);
void zinc_fs_abort(void *self, zinc_put_group *group);
zinc_status zinc_fs_sync(void *self, const zinc_wait *wait, zinc_error *err);
/* The directory of the group's latest change, if it is path[0..n); with a new reference. */
fs_dir *zinc_fs_group_dir(zinc_fs *fs, fs_group *g, const char *path, size_t n);
/* Make d the directory of the group's latest change; NULL: none. */
void zinc_fs_group_keep_dir(zinc_fs *fs, fs_group *g, fs_dir *d);
/* Return when no put of `key` is pending in the group. */
void zinc_fs_group_finish_key(zinc_fs *fs, fs_group *g, const char *key);
/* Before a change is made: record the directories to sync, in its group, in `own` or for sync().  Then add the change
 * to its group, which finishes it unless the caller does (`taken`). */
zinc_status zinc_fs_enlist(zinc_fs *fs, fs_change *c, fs_dirs *own, bool taken, zinc_error *err);
/* Finish the group's window if it is full. */
void zinc_fs_group_flush_full(zinc_fs *fs, fs_group *g);
/* The caller has finished a change that it took.  With `keep` it is passed on to the group; without, the caller keeps
 * it, to report a failure at once. */
void zinc_fs_group_done(zinc_fs *fs, fs_change *c, bool keep);
/* Finish the window of one group, or of all groups (NULL). */
void zinc_fs_flush(zinc_fs *fs, fs_group *g, const zinc_wait *wait);
/* To call before and after waiting for a lock: no group holds a lock in between. */
void zinc_fs_wait_begin(zinc_fs *fs);
void zinc_fs_wait_end(zinc_fs *fs);
void zinc_fs_groups_after_fork(zinc_fs *fs);

/* ---- listing (store_fs_list.c, store_fs_scrub.c) ---- */

/* An entry of one directory. */
typedef struct fs_entry {
	size_t name;               /* offset in `names`; the name of a directory ends in '/' */
	int type;                  /* DT_REG, DT_DIR, DT_LNK; others are skipped */
	zinc_non_key_kind non_key; /* 0, or why it is not a key */
	const char *why;           /* the same in words; NULL for ZINC_NON_KEY_NAME */
	uint64_t size;             /* of a file, if requested */
	bool linked;               /* reached through a symbolic link */
} fs_entry;

typedef struct fs_entries {
	zinc_buf names, list; /* list: fs_entry */
} fs_entries;

/* Read path[0..n); a missing directory or a file has no entries.  FS_EVERYTHING: unsorted, links as links.  Otherwise
 * sorted, without locks unless FS_KEYS_AND_LOCKS, links followed as the store does (FS_OWN_KEYS: as files of size 0),
 * with sizes of files where the name says so.  `where` (may be NULL) gets the stat of the directory. */
typedef enum fs_which { FS_EVERYTHING, FS_KEYS, FS_KEYS_WITH_SIZES, FS_OWN_KEYS, FS_KEYS_AND_LOCKS } fs_which;
zinc_status zinc_fs_entries_read(zinc_fs *fs, const fs_dir *base, fs_entries *e, const char *path, size_t n,
				 fs_which which, struct stat *where, const zinc_wait *wait, zinc_error *err);
void zinc_fs_entries_fini(fs_entries *e);
/* Entry i and its name; NULL past the end. */
const fs_entry *zinc_fs_entry(const fs_entries *e, size_t i, const char **name);
/* Does the directory exist, without permission to read it?  `path` ends in '/'. */
bool zinc_fs_is_denied(zinc_fs *fs, const fs_dir *base, const char *path);
zinc_status zinc_fs_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_fs_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg,
			  const zinc_wait *wait, zinc_error *err);
/* Only the lock of one key. */
zinc_status zinc_fs_scrub_key(zinc_fs *fs, const char *key, bool remove, zinc_scrub_fn fn, void *arg, zinc_error *err);
zinc_status zinc_fs_scrub_below(zinc_fs *fs, const fs_dir *base, const char *prefix, bool remove, zinc_scrub_fn fn,
				void *arg, const zinc_wait *wait, zinc_error *err);

#endif
