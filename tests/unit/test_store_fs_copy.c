/*
 * test_store_fs_copy.c - copies from file to file, by the promises of store_fs_copy.c
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/store_fs.h"
#include "support/files.h"
#include "support/test.h"

#define BYTES 2500001u /* several blocks, the last one short */

static uint8_t bytes[BYTES], got[BYTES];

typedef struct files {
	fs_rig rig;
	zinc_fs *fs;
	int from, to;
} files;

static void
set_up(files *f)
{
	size_t i;

	for (i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(i * 31 >> 4);
	make_empty("d");
	write_bytes("d/from", bytes, BYTES);
	rig_open(&f->rig, "d", NULL, NULL);
	f->fs = (zinc_fs *)f->rig.store->self;
	f->from = open("d/from", O_RDONLY);
	f->to = open("d/to", O_RDWR | O_CREAT | O_TRUNC, 0644);
	assert_true(f->from >= 0 && f->to >= 0);
	assert_int_equal(write(f->to, "head", 4), 4);
}

static void
tear_down(files *f)
{
	assert_int_equal(close(f->from), 0);
	assert_int_equal(close(f->to), 0);
	rig_close(&f->rig);
}

static void
assert_copied(const files *f, size_t at)
{
	assert_int_equal(lseek(f->to, 0, SEEK_END), 4 + BYTES - at);
	assert_int_equal(pread(f->to, got, BYTES - at, 4), BYTES - at);
	assert_memory_equal(got, bytes + at, BYTES - at);
}

/* ---- 1 ---- */

/* The kernel does it, in pieces of any size, interrupted or not; and where it stops, the bytes are read and written. */
static void
copies_by_the_kernel_or_by_blocks(void **state)
{
	static const int errnums[] = {0, EINTR, ENOSYS, EXDEV, EINVAL, EOPNOTSUPP};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, most;
	files f;

	(void)state;
	for (i = 0; i < sizeof errnums / sizeof *errnums; i++)
		for (most = 0; most <= 300000; most += 300000) {
			const bool kernel = errnums[i] == 0 || errnums[i] == EINTR;

			set_up(&f);
			f.rig.calls.only = "copy_range";
			f.rig.calls.most_bytes = most;
			sweep_calls_fail(&f.rig.calls, errnums[i] ? 2 : 0, !kernel, errnums[i]);
			assert_ok(zinc_fs_copy(f.fs, f.from, 3, BYTES - 3, f.to, NULL, &err));
			assert_copied(&f, 3);
			assert_int_equal(rig_count(&f.rig, "writev") == 0, kernel);
			tear_down(&f);
		}
}

/* ---- 2 ---- */

static void
real_failures_are_failures(void **state)
{
	static const int errnums[] = {EIO, ENOSPC, EFBIG, ENOMEM};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;
	files f;

	(void)state;
	for (i = 0; i < sizeof errnums / sizeof *errnums; i++) {
		set_up(&f);
		f.rig.calls.only = "copy_range";
		sweep_calls_fail(&f.rig.calls, 1, false, errnums[i]);
		assert_true(zinc_fs_copy(f.fs, f.from, 0, BYTES, f.to, NULL, &err) != ZINC_OK);
		assert_int_equal(rig_count(&f.rig, "writev"), 0);
		tear_down(&f);
	}
	set_up(&f);
	assert_int_equal(zinc_fs_copy(f.fs, f.from, 1, BYTES, f.to, NULL, &err), ZINC_E_CONFLICT);
	assert_non_null(strstr(err.text, "shorter"));
	tear_down(&f);
}

/* ---- 3 ---- */

static void
stops_at_the_deadline(void **state)
{
	const zinc_wait past = {sizeof past, 1e-9, NULL};
	zinc_error err = ZINC_ERROR_INIT;
	files f;

	(void)state;
	set_up(&f);
	assert_int_equal(zinc_fs_copy(f.fs, f.from, 0, BYTES, f.to, &past, &err), ZINC_E_CANCELLED);
	assert_int_equal(rig_count(&f.rig, "copy_range"), 0);
	tear_down(&f);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(copies_by_the_kernel_or_by_blocks),
	    cmocka_unit_test(real_failures_are_failures),
	    cmocka_unit_test(stops_at_the_deadline),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
