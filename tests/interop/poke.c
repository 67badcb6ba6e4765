/*
 * poke.c - many small writes to one array by many processes, and a reader that checks the elements
 *
 *    poke write URL WORKER WORKERS COUNT    for k < COUNT: element k * WORKERS + WORKER becomes its index + 1
 *    poke watch URL WORKERS                 read everything again and again until stdin ends
 *
 * Both print "ready" when they are; a writer then waits for stdin to end, so that all begin together.
 * The array is one-dimensional, uint32 and starts as zeros.  Each worker writes its elements in order, and
 * all of them are in one stored object.  So the state of a reader existed only if for every worker the first few
 * elements are set, and never fewer than before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <zinc.h>

static zinc_status
write_all(zinc_array *a, uint32_t worker, uint32_t workers, uint32_t count, zinc_error *err)
{
	uint64_t start, one = 1;
	zinc_selection element = {
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_BOX, .ndim = 1, .start = &start, .count = &one};
	zinc_status status = ZINC_OK;

	for (uint32_t k = 0; k < count && status == ZINC_OK; k++) {
		uint32_t value = k * workers + worker + 1;
		start = value - 1;
		status = zinc_array_write(a, &element, ZINC_BUFFER(&value, sizeof value), NULL, err);
	}
	return status;
}

/* How many elements of `worker` are set; -1 if one after an unset one is set, or has a wrong value. */
static long
progress(const uint32_t *seen, uint64_t n, uint32_t worker, uint32_t workers)
{
	long set = 0;
	int open = 1;

	for (uint64_t i = worker; i < n; i += workers) {
		if (seen[i] != 0 && (!open || seen[i] != i + 1))
			return -1;
		open = seen[i] != 0;
		set += open;
	}
	return set;
}

static int
stdin_ended(void)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};

	return poll(&in, 1, 1) > 0; /* a millisecond, to leave the writers the processor */
}

static zinc_status
watch(zinc_array *a, uint32_t workers, zinc_error *err)
{
	uint64_t n = *zinc_array_shape(a), reads = 0;
	uint32_t *seen = malloc(n * sizeof *seen);
	long *before = calloc(workers, sizeof *before);
	zinc_status status = seen && before ? ZINC_OK : ZINC_E_NOMEM;

	for (int last = 0; status == ZINC_OK && !last; reads++) {
		last = stdin_ended();
		status = zinc_array_read_text(a, NULL, ZINC_BUFFER_AS(ZINC_UINT32, seen, n * sizeof *seen), NULL, err);
		for (uint32_t w = 0; status == ZINC_OK && w < workers; w++) {
			long now = progress(seen, n, w, workers);
			if (now < before[w]) {
				fprintf(stderr, "poke: read %llu: worker %u had %ld elements, now %ld\n",
					(unsigned long long)reads, w, before[w], now);
				status = ZINC_E_CORRUPT;
			}
			before[w] = now;
		}
	}
	printf("%llu\n", (unsigned long long)reads);
	free(seen);
	free(before);
	return status;
}

int
main(int argc, char **argv)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	zinc_status status;
	uint32_t number[3] = {0, 0, 0};
	int writes = argc == 6 && strcmp(argv[1], "write") == 0;

	if (!writes && !(argc == 4 && strcmp(argv[1], "watch") == 0)) {
		fprintf(stderr, "usage: poke write URL WORKER WORKERS COUNT | poke watch URL WORKERS\n");
		return 2;
	}
	for (int i = 3; i < argc; i++)
		number[i - 3] = (uint32_t)strtoul(argv[i], NULL, 10);
	status = zinc_array_open_url(&a, argv[2], NULL, &err);
	if (status == ZINC_OK) {
		puts("ready");
		fflush(stdout);
		while (writes && getchar() != EOF)
			continue;
		status = writes ? write_all(a, number[0], number[1], number[2], &err) : watch(a, number[0], &err);
	}
	zinc_array_close(a);
	if (status != ZINC_OK)
		fprintf(stderr, "poke: %s\n", zinc_error_text(&err));
	return (int)status;
}
