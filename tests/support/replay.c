/*
 * replay.c - run a fuzz target over files instead of under a fuzzer
 *
 * Each argument is a file or a directory (read recursively).  The program succeeds when the
 * target returned from every input; crashes and sanitizer reports end it.  No input at all
 * is a failure, so that a corpus cannot vanish unnoticed.
 */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long replayed; /* nftw() gives its callback no argument */

static int
replay_file(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(size ? size : 1); /* exact, so that an over-read is seen */
	int failed = !f || !data || fread(data, 1, size, f) != size;

	if (failed)
		fprintf(stderr, "replay: cannot read %s\n", path);
	else
		failed = LLVMFuzzerTestOneInput(data, size) != 0;
	replayed++;
	free(data);
	if (f)
		fclose(f);
	return failed;
}

static int
visit(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)where;
	if (type == FTW_F)
		return replay_file(path, (size_t)st->st_size);
	return type == FTW_NS || type == FTW_DNR;
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (nftw(argv[i], visit, 16, FTW_PHYS)) {
			fprintf(stderr, "replay: %s failed\n", argv[i]);
			return 1;
		}
	printf("%lu inputs replayed\n", replayed);
	return replayed == 0;
}
