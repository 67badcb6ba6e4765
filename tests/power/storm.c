/*
 * storm.c - write without pause, and print the acknowledged writes
 *
 *     storm write DIR THREADS     write versions 1, 2, 3 ... of the arrays in DIR until killed or the disk
 *                                 fails; each time a write returned ZINC_OK print "array version" and flush
 *     storm check DIR LOG         every array must be complete (one version throughout), with a version at least
 *                                 as new as the last acknowledged in LOG
 *
 * LOG is on another file system.  Each array is one chunk, one shard, or many chunks; all elements of one
 * version are equal, so a mixture, zeros or an older value is detected.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc.h>

#define ARRAYS 6
#define N      16384

static const char *dir;
static pthread_mutex_t out = PTHREAD_MUTEX_INITIALIZER;

static zinc_array *
open_array(int i)
{
	static const uint64_t n = N, chunk[3] = {N, 1024, 2048};
	const uint64_t shard = N;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	char url[512];

	snprintf(url, sizeof url, "%s/a%d.zarr", dir, i);
	if (zinc_array_open_url(&a, url, NULL, NULL) == ZINC_OK)
		return a;
	if (zinc_array_create_url(&a, url,
				  ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = &n, .dtype = "uint32", .chunks = &chunk[i % 3],
						     .shards = i % 3 == 1 ? &shard : NULL,
						     .codecs = i < 3 ? "none" : "zstd:1+crc32c"),
				  NULL, &err) != ZINC_OK) {
		fprintf(stderr, "%s\n", zinc_error_text(&err));
		exit(1);
	}
	return a;
}

static void *
write_versions(void *arg)
{
	int i = (int)(intptr_t)arg;
	uint32_t *v = malloc(N * sizeof *v), version, k;
	zinc_array *a = open_array(i);

	for (version = 1; v; version++) {
		for (k = 0; k < N; k++)
			v[k] = version;
		if (zinc_array_write(a, NULL, ZINC_BUFFER(v, N * sizeof *v), NULL, NULL) != ZINC_OK)
			break; /* the disk failed: nothing more is acknowledged */
		pthread_mutex_lock(&out);
		printf("%d %u\n", i, (unsigned)version);
		fflush(stdout);
		pthread_mutex_unlock(&out);
	}
	free(v);
	return NULL;
}

static int
write_all(int threads)
{
	pthread_t t[ARRAYS];
	int i;

	for (i = 0; i < threads && i < ARRAYS; i++)
		pthread_create(&t[i], NULL, write_versions, (void *)(intptr_t)i);
	for (i = 0; i < threads && i < ARRAYS; i++)
		pthread_join(t[i], NULL);
	return 0;
}

/* The versions of one array: as a whole if it is one object; chunk by chunk if it is many. */
static int
check_array(int i, unsigned acknowledged)
{
	static uint32_t v[N];
	uint32_t piece = i % 3 == 2 ? 2048 : N, k;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	char url[512];

	snprintf(url, sizeof url, "%s/a%d.zarr", dir, i);
	if (zinc_array_open_url(&a, url, NULL, &err) != ZINC_OK ||
	    zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err) != ZINC_OK) {
		printf("array %d: %s\n", i, zinc_error_text(&err));
		return acknowledged > 0;
	}
	zinc_array_close(a);
	for (k = 0; k < N; k++)
		if (v[k] != v[k / piece * piece] || v[k] < acknowledged || v[k] > acknowledged + 1) {
			printf("array %d: element %u is of version %u, acknowledged was %u\n", i, (unsigned)k,
			       (unsigned)v[k], acknowledged);
			return 1;
		}
	return 0;
}

static int
check_all(const char *log)
{
	unsigned last[ARRAYS] = {0}, version, total = 0;
	FILE *f = fopen(log, "r");
	int i, bad = 0;

	if (!f)
		return 2;
	while (fscanf(f, "%d %u", &i, &version) == 2 && i >= 0 && i < ARRAYS) {
		last[i] = version;
		total++;
	}
	fclose(f);
	for (i = 0; i < ARRAYS; i++)
		bad += last[i] > 0 && check_array(i, last[i]);
	printf("%u acknowledged writes, %d arrays wrong\n", total, bad);
	return bad != 0;
}

int
main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	dir = argv[2];
	return strcmp(argv[1], "write") == 0 ? write_all((int)strtol(argv[3], NULL, 10)) : check_all(argv[3]);
}
