/*
 * replay.c - main of a fuzz target without a fuzzer: run it on files, and on all files in directories
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long ninputs;

/* A copy of exactly its size, so that a sanitizer detects reads past the end. */
static int
replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;
	int ok = 0;

	if (f && fseek(f, 0, SEEK_END) == 0)
		size = ftell(f);
	if (size >= 0 && fseek(f, 0, SEEK_SET) == 0) {
		data = (uint8_t *)malloc(size ? (size_t)size : 1);
		ok = data && fread(data, 1, (size_t)size, f) == (size_t)size;
	}
	if (f)
		fclose(f);
	if (ok) {
		LLVMFuzzerTestOneInput(data, (size_t)size);
		ninputs++;
	} else
		fprintf(stderr, "%s: cannot be read\n", path);
	free(data);
	return ok ? 0 : 1;
}

static int
replay_directory(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	char name[4096];
	int failed = 0;

	if (!dir) {
		fprintf(stderr, "%s: cannot be listed\n", path);
		return 1;
	}
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof name, "%s/%s", path, e->d_name);
		failed |= replay_file(name);
	}
	closedir(dir);
	return failed;
}

int
main(int argc, char **argv)
{
	struct stat st;
	int i, failed = 0;

	for (i = 1; i < argc; i++) {
		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
			failed |= replay_directory(argv[i]);
		else
			failed |= replay_file(argv[i]);
	}
	printf("%lu inputs replayed\n", ninputs);
	return failed;
}
