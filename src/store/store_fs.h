/*
 * store_fs.h - what the files of the file system store share
 *
 *   store_fs.c        the store: open, get, the table of its operations
 *   store_fs_path.c   directories: made, opened, removed when empty, synced
 *   store_fs_lock.c   <key>.__lock: taken, waited for, released, dropped in a forked child
 *   store_fs_write.c  one change from its lock to its rename: put, del, update
 *   store_fs_group.c  many changes under one commit; sync
 *   store_fs_list.c   walk, del_prefix
 *   store_fs_scrub.c  leftovers
 */
#ifndef ZINC_STORE_FS_H
#define ZINC_STORE_FS_H

#include "store/store_inside.h"

#define FS_SUFFIX        ".__lock"
#define FS_COMPONENT_MAX 248u  /* with the suffix, NAME_MAX */
#define FS_KEY_MAX       4000u /* the kernel takes paths of less than PATH_MAX bytes */
#define FS_NAME_BYTES    (FS_COMPONENT_MAX + sizeof FS_SUFFIX)
#define FS_WINDOW        64u  /* puts of one group that hold their locks at once */
#define FS_MOST_HELD     256u /* locks of all groups of one store, so that descriptors do not run out */
#define FS_MOST_TRIES    1000 /* races against others that remove directories or replace lock files */

typedef struct fs_group fs_group;

/* A directory held open by the changes that happen in it; counted under zinc_fs.lock. */
typedef struct fs_dir {
	int fd;
	unsigned refs;
	size_t n;    /* of path */
	char path[]; /* "" for the root */
} fs_dir;

/* A set of directories, in order of their paths. */
typedef struct fs_dirs {
	struct fs_dirs_entry {
		char *path;
		bool prune;  /* something was deleted in it: remove it when it is empty */
		bool failed; /* it is not synced: of it or, for sync(), of a file in it */
		bool lost; /* and never will be: an fsync failed, after which the kernel may have dropped what it had */
		size_t synced; /* bytes of the path of what was synced for it */
	} * e;
	size_t n, cap;
} fs_dirs;

/* A lock file that is open; in the list of its store while it is, so that a forked child can close it. */
typedef struct fs_lock {
	int fd; /* -1: none, or taken away by fork */
	struct fs_lock *next, **link;
} fs_lock;

/* One put or delete on its way. */
typedef struct fs_change {
	struct fs_change *next; /* of its group's pending or done */
	struct fs_change *mate; /* of those that one thread finishes together */
	fs_group *group;        /* NULL: on its own */
	bool taken;             /* some thread is finishing it */
	bool prune;             /* a delete: its directory may have become empty */
	fs_dir *dir;
	fs_lock lock;
	zinc_condition when;
	zinc_tag if_tag;   /* of when */
	zinc_tag *tag_out; /* NULL, or where the new tag goes */
	uint32_t flags;
	size_t made; /* length of the path above the first directory that was not there; SIZE_MAX: all were */
	zinc_status status;
	zinc_error *error; /* NULL: none, or no memory for it */
	const char *name;  /* the last component of key */
	char key[];
} fs_change;

/* What a zinc_put_group is in this store. */
struct fs_group {
	fs_group *next, **link; /* of the store's */
	uint32_t flags;
	fs_change *pending; /* hold their locks */
	unsigned nwindow;   /* of those, not taken */
	unsigned busy;      /* taken */
	fs_change *done;    /* renamed or failed, directories not yet synced */
	size_t ndone;
	fs_change *failed; /* for commit to report */
	fs_dirs dirs;      /* to sync */
	fs_dir *last;      /* directory of the latest put: most often that of the next, too */
	fs_dir *base;      /* NULL, or what its changes are erased below */
};

typedef struct zinc_fs {
	zinc_context *ctx;
	char *path; /* of the root, as given */
	char *keep; /* never removed, nor what is above */
	int links;  /* zinc_links */
	bool create;
	atomic_int root;   /* -1: not there yet */
	atomic_uint names; /* ZINC_CAP_FOLDS_CASE, ZINC_CAP_NORMALISES, FS_NAMES_KNOWN */

	/* Guards what follows, in groups too.  Never held during a call that can block. */
	pthread_mutex_t lock;
	pthread_cond_t idle; /* a group's busy went to 0 */
	zinc_fork_hook fork;
	fs_lock *held;
	unsigned nheld;
	fs_group *groups;
	unsigned waiting;           /* threads that wait for a lock: groups may not hold any meanwhile */
	struct timespec newest_del; /* mtime of the newest value deleted */
	fs_dirs unsynced_files;     /* relaxed puts and deletes happened in these ... */
	fs_dirs unsynced_dirs;      /* ... and directories were made in these */
	bool lost;                  /* an fsync of sync() failed: no later one can make that good */
} zinc_fs;

#define FS_NAMES_KNOWN 1u

/* ---- calls of the system, interrupted ones repeated (store_fs.c) ---- */

static inline const zinc_os *
fs_os(const zinc_fs *fs)
{
	return fs->ctx->os;
}

int zinc_fs_openat(zinc_fs *fs, int dir, const char *path, int flags, int links);
zinc_status zinc_fs_fail(zinc_error *err, int errnum, const char *what);
/* Read n bytes from `offset`; E_CONFLICT when the file ends before. */
zinc_status zinc_fs_read(zinc_fs *fs, int fd, uint64_t offset, uint64_t n, const struct iovec *iov, int niov,
			 zinc_error *err);
/* The same as a zinc_read_fn of a file that stays open. */
typedef struct fs_open_file {
	zinc_fs *fs;
	int fd;
	const zinc_wait *wait; /* of who copies much of it */
} fs_open_file;

zinc_status zinc_fs_read_open(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov,
			      zinc_error *err);
void zinc_fs_tag(zinc_tag *out, const struct stat *st);
/* Open a value; *fd -1 and ZINC_OK when it is missing, or, with `is_dir` (may be NULL), a directory.  Anything else in its
 * place, or on the way to it, is E_IO. */
zinc_status zinc_fs_open_value(zinc_fs *fs, const char *key, int *fd, struct stat *st, bool *is_dir, zinc_error *err);
/* path[0..n) could not be opened for want of it: E_IO when something is in its place, or on the way, that leads nowhere.
 */
zinc_status zinc_fs_check_missing(zinc_fs *fs, const char *path, size_t n, zinc_error *err);

/* ---- directories (store_fs_path.c) ---- */

/* The root's descriptor; -1 and ZINC_OK when it is not there and not to be made. */
zinc_status zinc_fs_root(zinc_fs *fs, bool make, int *out, zinc_error *err);
/* The length of the path above: "a/b/c" -> 3, "a" -> 0. */
size_t zinc_fs_parent(const char *path, size_t n);
/*
 * Who erases what lies below a directory opens that one once, links on the way to it followed as the store does: this
 * is the base.  From there on no link is followed, so that whoever swaps a directory for a link meanwhile has nothing
 * erased elsewhere.  A path that is not at or below the base is resolved as without one; NULL: the root.
 */
/* path[0..n); *out NULL and ZINC_OK when it is missing. */
zinc_status zinc_fs_base_open(zinc_fs *fs, const char *path, size_t n, fs_dir **out, zinc_error *err);
/* open(2) of `path`, which may end in a slash. */
int zinc_fs_open_below(zinc_fs *fs, const fs_dir *base, const char *path, int flags);
/* Open path[0..n); *out NULL and ZINC_OK when it is missing. */
zinc_status zinc_fs_dir_open(zinc_fs *fs, const fs_dir *base, const char *path, size_t n, fs_dir **out,
			     zinc_error *err);
/* The same, made if need be.  `made` as in fs_change, only ever lowered. */
zinc_status zinc_fs_dir_make(zinc_fs *fs, const char *path, size_t n, fs_dir **out, size_t *made, zinc_error *err);

fs_dir *zinc_fs_dir_ref(zinc_fs *fs, fs_dir *d);
void zinc_fs_dir_unref(zinc_fs *fs, fs_dir *d);
/* Remove path[0..n) and what is above as long as it is empty.  True when path[0..n) itself is gone. */
bool zinc_fs_prune(zinc_fs *fs, const fs_dir *base, const char *path, size_t n);
bool zinc_fs_may_remove(const zinc_fs *fs, const char *path, size_t n);
/* Is there a key that file system takes for this one? */
zinc_status zinc_fs_check_names(zinc_fs *fs, const fs_change *c, zinc_error *err);

/* Sets of directories; the caller guards them. */
zinc_status zinc_fs_dirs_add(zinc_fs *fs, fs_dirs *set, const char *path, size_t n, bool prune, zinc_error *err);
bool zinc_fs_dirs_has(const fs_dirs *set, const char *path, size_t n);
void zinc_fs_dirs_fini(zinc_fs *fs, fs_dirs *set);
/* Prune, then fsync each (or what is left above it); entries say which failed.  Returns the first failure. */
zinc_status zinc_fs_dirs_sync(zinc_fs *fs, const fs_dir *base, fs_dirs *set, zinc_error *err);

/* ---- locks (store_fs_lock.c) ---- */

/* Write "name.__lock". */
void zinc_fs_lock_name(char out[FS_NAME_BYTES], const char *name);
bool zinc_fs_is_lock(const char *name);

typedef enum fs_take { FS_TAKEN, FS_BUSY, FS_GONE, FS_FAILED } fs_take;
/* Take the lock of `name` in `dir`, and leave the file empty.  FS_BUSY: somebody has it; with `wait` that is waited for,
 * until the time is over.  FS_GONE: the directory was removed.  FS_FAILED: errno is in *errnum; ECANCELED: too late. */
fs_take zinc_fs_lock_try(zinc_fs *fs, int dir, const char *name, bool wait, const zinc_wait *until, fs_lock *out,
			 int *errnum);
/* Only an existing, free lock file: for scrub. */
fs_take zinc_fs_lock_leftover(zinc_fs *fs, int dir, const char *lock_name, fs_lock *out);
/* Remove the lock file that is held. */
void zinc_fs_lock_unlink(zinc_fs *fs, int dir, const char *name);
/* F_UNLCK, then close; -1 when close says that something was not written. */
int zinc_fs_lock_release(zinc_fs *fs, fs_lock *lock);
/* In a forked child: close what was inherited, without unlocking what the parent holds. */
void zinc_fs_lock_forget_all(zinc_fs *fs);
/* Find out, once, whether names fold in this directory. */
void zinc_fs_probe_names(zinc_fs *fs, const fs_dir *dir);

/* ---- changes (store_fs_write.c) ---- */

zinc_status zinc_fs_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
			uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_fs_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
			uint32_t flags, const zinc_wait *wait, zinc_error *err);
/* One without a condition; also with FS_DEL_LINK: a link has no value to speak of, whatever it leads to, and is itself
 * what is erased. */
#define FS_DEL_LINK 0x80000000u
zinc_status zinc_fs_del_one(zinc_fs *fs, zinc_put_group *group, const char *key, uint32_t flags, const zinc_wait *wait,
			    zinc_error *err);
zinc_status zinc_fs_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
			   const zinc_wait *wait, zinc_error *err);
zinc_status zinc_fs_splice(void *self, const char *key, zinc_splice_fn fn, void *arg, uint64_t limit, uint32_t flags,
			   const zinc_wait *wait, zinc_error *err);
/* Time, fsync, conditions, rename, release; nothing of it when the time is over.  The outcome is in c->status and c->error. */
void zinc_fs_finish(zinc_fs *fs, fs_change *c, const zinc_wait *wait);
/* Give up what was not renamed: unlink and release the lock. */
void zinc_fs_drop(zinc_fs *fs, fs_change *c);
void zinc_fs_change_free(zinc_fs *fs, fs_change *c);

/* ---- groups (store_fs_group.c) ---- */

zinc_status zinc_fs_put_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait,
			      zinc_error *err);
zinc_status zinc_fs_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait,
			   zinc_error *err);
void zinc_fs_abort(void *self, zinc_put_group *group);
zinc_status zinc_fs_sync(void *self, const zinc_wait *wait, zinc_error *err);
/* The directory of the group's latest change, if it is path[0..n); counted. */
fs_dir *zinc_fs_group_dir(zinc_fs *fs, fs_group *g, const char *path, size_t n);
/* This one is the latest now, or none is (NULL). */
void zinc_fs_group_keep_dir(zinc_fs *fs, fs_group *g, fs_dir *d);
/* Return when no put of `key` is pending. */
void zinc_fs_group_settle(zinc_fs *fs, fs_group *g, const char *key);
/* Note which directories must be synced for a change, before it is made: in its group, in `own`, or for sync(); and
 * make it known to its group, which will finish it unless it is `taken` by the caller. */
zinc_status zinc_fs_enlist(zinc_fs *fs, fs_change *c, fs_dirs *own, bool taken, zinc_error *err);
/* Finish the group's window if it is full. */
void zinc_fs_group_turn(zinc_fs *fs, fs_group *g);
/* The caller has finished what it took: hand it over, or take a failed one back to report it at once. */
void zinc_fs_group_done(zinc_fs *fs, fs_change *c, bool keep);
/* Finish the windows of one group, or of all (NULL). */
void zinc_fs_flush(zinc_fs *fs, fs_group *g, const zinc_wait *wait);
/* Around waiting for a lock: no group holds one meanwhile. */
void zinc_fs_wait_begin(zinc_fs *fs);
void zinc_fs_wait_end(zinc_fs *fs);
void zinc_fs_groups_after_fork(zinc_fs *fs);

/* ---- listing (store_fs_list.c, store_fs_scrub.c) ---- */

/* Names of one directory, whatever they are. */
typedef struct fs_entry {
	size_t name;       /* where it begins in the names; a directory's ends in '/' */
	int type;          /* DT_REG, DT_DIR, DT_LNK; others are passed over */
	zinc_odd_kind odd; /* 0, or why it is no key */
	const char *why;   /* in words; NULL for a name */
	uint64_t size;     /* of a file, when asked for */
	bool linked;       /* a link leads there */
} fs_entry;

typedef struct fs_entries {
	zinc_buf names, list; /* list: of fs_entry */
} fs_entries;

/* Read path[0..n) (missing, or a file: no entries).  Everything, in any order, links as links; or else all but locks, in order,
 * links followed where the store does (or, own, as files of size 0), with sizes of files; or with locks.  `where` (may be NULL) gets the directory's own stat. */
typedef enum fs_which { FS_EVERYTHING, FS_KEYS, FS_KEYS_WITH_SIZES, FS_OWN_KEYS, FS_KEYS_AND_LOCKS } fs_which;
zinc_status zinc_fs_entries_read(zinc_fs *fs, const fs_dir *base, fs_entries *e, const char *path, size_t n,
				 fs_which which, struct stat *where, const zinc_wait *wait, zinc_error *err);
void zinc_fs_entries_fini(fs_entries *e);
/* Entry i and its name; NULL past the end. */
const fs_entry *zinc_fs_entry(const fs_entries *e, size_t i, const char **name);
/* Is the directory there, and not to be read by us?  `path` ends in '/'. */
bool zinc_fs_is_denied(zinc_fs *fs, const fs_dir *base, const char *path);
zinc_status zinc_fs_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_fs_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg,
			  const zinc_wait *wait, zinc_error *err);
zinc_status zinc_fs_scrub_below(zinc_fs *fs, const fs_dir *base, const char *prefix, bool remove, zinc_scrub_fn fn,
				void *arg, const zinc_wait *wait, zinc_error *err);

#endif
