/*
 * files.c - helpers of the tests of the file system store
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/files.h"
#include "support/test.h"

/* ---- files ---- */

static int
remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

/* A tree may be deeper than a path can be; rm can remove it. */
void
remove_tree(const char *dir)
{
	char command[4200];

	nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	if (exists(dir))
		assert_int_equal(system(command), 0);
}

void
make_empty(const char *dir)
{
	remove_tree(dir);
	assert_int_equal(mkdir(dir, 0777), 0);
}

void
write_bytes(const char *path, const void *bytes, size_t n)
{
	const char *slash = path;
	char dir[256];
	FILE *f;

	while ((slash = strchr(slash, '/'))) {
		snprintf(dir, sizeof dir, "%.*s", (int)(slash++ - path), path);
		mkdir(dir, 0777);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

void
write_file(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

const char *
read_text(const char *path)
{
	static char text[4096];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return NULL;
	n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

bool
exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static char tree_text[4096];
static size_t tree_from;

static int
add_to_tree(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	size_t n = strlen(tree_text);

	(void)st, (void)type, (void)ftw;
	if (strlen(path) > tree_from)
		snprintf(tree_text + n, sizeof tree_text - n, "%s%s%s", n ? " " : "", path + tree_from,
			 S_ISDIR(st->st_mode) ? "/" : "");
	return 0;
}

/* readdir has no order, so the words are sorted. */
static int
compare_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *
tree(const char *dir)
{
	static char sorted[sizeof tree_text];
	char *words[256], *save = NULL, *w;
	size_t n = 0, i;

	tree_text[0] = sorted[0] = '\0';
	tree_from = strlen(dir) + 1;
	nftw(dir, add_to_tree, 16, FTW_PHYS);
	for (w = strtok_r(tree_text, " ", &save); w && n < COUNT(words); w = strtok_r(NULL, " ", &save))
		words[n++] = w;
	qsort(words, n, sizeof words[0], compare_words);
	for (i = 0; i < n; i++)
		snprintf(sorted + strlen(sorted), sizeof sorted - strlen(sorted), "%s%s", i ? " " : "", words[i]);
	return sorted;
}

bool
can_follow(void)
{
	int dir, fd;

	make_empty("can_follow");
	write_file("can_follow/file", "");
	assert_int_equal(symlink("file", "can_follow/link"), 0);
	dir = open("can_follow", O_RDONLY | O_DIRECTORY);
	fd = zinc_os_posix.open_at(&zinc_os_posix, dir, "link", O_RDONLY, 0, ZINC_LINKS_BENEATH);
	close(dir);
	if (fd != -1)
		close(fd);
	return fd != -1;
}

_Noreturn void
leave_child(int status)
{
	execl("/bin/sh", "sh", "-c", status == 0 ? "exit 0" : "exit 1", (char *)NULL);
	_exit(1);
}

static char home[4096], fast[64];

void
enter_fast_dir(void)
{
	snprintf(fast, sizeof fast, "/dev/shm/zinc-XXXXXX");
	assert_non_null(getcwd(home, sizeof home));
	if (!mkdtemp(fast) || chdir(fast) != 0)
		fast[0] = '\0';
}

void
leave_fast_dir(void)
{
	assert_int_equal(chdir(home), 0);
	if (fast[0])
		remove_tree(fast);
}

int
set_up_fast_dir(void **state)
{
	(void)state;
	enter_fast_dir();
	return 0;
}

int
tear_down_fast_dir(void **state)
{
	(void)state;
	leave_fast_dir();
	return 0;
}

/* ---- the rig ---- */

void
rig_open(fs_rig *rig, const char *dir, const zinc_os *below, const zinc_store_options *options)
{
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	memset(rig, 0, sizeof *rig);
	/* one thread, so that the order of calls is always the same */
	assert_ok(zinc_context_new(&rig->ctx, ZINC_CONTEXT_OPTIONS(.threads = 1), &err));
	sweep_calls_init(&rig->calls, below);
	rig->calls.keep_log = true;
	zinc_context_set_os(rig->ctx, &rig->calls.os);
	if (options)
		o = *options;
	o.context = rig->ctx;
	assert_ok(zinc_store_open(&rig->store, dir, &o, &err));
}

void
rig_close(fs_rig *rig)
{
	zinc_store_close(rig->store);
	assert_int_equal(rig->calls.nopen, 0);
	assert_int_equal(rig->calls.bad_closes, 0);
	sweep_calls_fini(&rig->calls);
	zinc_context_free(rig->ctx);
}

int
rig_count(const fs_rig *rig, const char *name)
{
	size_t i;
	int n = 0;

	for (i = 0; i < rig->calls.nlog; i++)
		n += strcmp(rig->calls.log[i].name, name) == 0 && rig->calls.log[i].errnum == 0;
	return n;
}

/* What was opened as `fd` when log entry `i` happened. */
static const char *
opened_as(const fs_rig *rig, size_t i)
{
	const sweep_call *log = rig->calls.log;
	int fd = log[i].fd;

	while (i-- > 0)
		if (strncmp(log[i].name, "open", 4) == 0 && log[i].fd == fd && log[i].errnum == 0)
			return log[i].path;
	return "?";
}

static const char *
word_of(const char *name)
{
	static const char *const words[][2] = {
	    {"writev", "write"},    {"futimens", "time"},   {"fsync", "sync"},
	    {"renameat", "rename"}, {"unlinkat", "unlink"}, {"mkdirat", "mkdir"},
	    {"unlock", "unlock"},   {"lock", "lock"},       {"ftruncate", "truncate"}};
	size_t i;

	for (i = 0; i < COUNT(words); i++)
		if (strcmp(words[i][0], name) == 0)
			return words[i][1];
	return NULL;
}

const char *
rig_story(const fs_rig *rig)
{
	static char story[8192];
	size_t i, n;

	story[0] = '\0';
	for (i = 0; i < rig->calls.nlog; i++) {
		const sweep_call *c = &rig->calls.log[i];
		const char *word = word_of(c->name);

		n = strlen(story);
		if (word && c->errnum == 0)
			snprintf(story + n, sizeof story - n, "%s%s(%s)", n ? " " : "", word,
				 c->path[0] ? c->path : opened_as(rig, i));
	}
	return story;
}

/* ---- links that appear meanwhile ---- */

static struct {
	zinc_os os;
	int n, at;
	const char *victim, *target;
} swapped;

static void
count_call(void)
{
	if (swapped.n++ == swapped.at && rename(swapped.victim, "aside") == 0)
		assert_int_equal(symlink(swapped.target, swapped.victim), 0);
}

static int
swap_open(const zinc_os *self, int dir, const char *path, int flags, mode_t mode, int links)
{
	count_call();
	return zinc_os_posix.open_at(self, dir, path, flags, mode, links);
}

static int
swap_stat(const zinc_os *self, int dir, const char *name, struct stat *st)
{
	count_call();
	return zinc_os_posix.fstatat(self, dir, name, st);
}

static int
swap_unlink(const zinc_os *self, int dir, const char *name, int flags)
{
	count_call();
	return zinc_os_posix.unlinkat(self, dir, name, flags);
}

static int
swap_read_dir(const zinc_os *self, int dir, int (*fn)(void *arg, const char *name, int type), void *arg)
{
	count_call();
	return zinc_os_posix.read_dir(self, dir, fn, arg);
}

const zinc_os *
swap_os(int at, const char *victim, const char *target)
{
	swapped.os = zinc_os_posix;
	swapped.os.open_at = swap_open;
	swapped.os.fstatat = swap_stat;
	swapped.os.unlinkat = swap_unlink;
	swapped.os.read_dir = swap_read_dir;
	swapped.n = 0;
	swapped.at = at;
	swapped.victim = victim;
	swapped.target = target;
	return &swapped.os;
}

int
swap_calls(void)
{
	return swapped.n;
}
