/*
 * 16_progress_cancel.c - long calls: progress, a time limit, and how to stop them
 */
#include <stdio.h>
#include <zinc.h>

static const uint64_t shape[] = {64, 64}, chunks[] = {16, 16};

struct watch {
	int calls, stop_after;
	uint64_t units_done, units_total;
};

/* Called during a read or write; units are chunks.  The numbers never decrease. */
static int
watch(void *arg, uint64_t units_done, uint64_t units_total, uint64_t bytes_done)
{
	struct watch *w = arg;

	(void)bytes_done;
	w->calls++;
	w->units_done = units_done;
	w->units_total = units_total;
	return w->stop_after && w->calls >= w->stop_after; /* 1 stops the call */
}

static zinc_status
write_watched(zinc_array *a, struct watch *w, const zinc_cancel *cancel, zinc_error *err)
{
	static uint8_t numbers[64 * 64] = {1};
	const zinc_call_options call = {
	    .size = sizeof call, .timeout = 600, .cancel = cancel, .progress = watch, .progress_arg = w};

	return zinc_array_write_text(a, NULL, ZINC_BUFFER(numbers, sizeof numbers), ZINC_IO_OPTIONS(.call = &call),
				     err);
}

int
main(void)
{
	struct watch whole = {0, 0, 0, 0}, stopped = {0, 1, 0, 0}, never = {0, 0, 0, 0};
	zinc_cancel cancel = ZINC_CANCEL_INIT;
	zinc_error err = ZINC_ERROR_INIT, expected = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	zinc_status st;

	if (zinc_array_create_url(&a, "memory://example/long",
				  ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .dtype = "uint8"),
				  NULL, &err) ||
	    write_watched(a, &whole, &cancel, &err)) {
		fprintf(stderr, "%s\n", zinc_error_text(&err));
		return 1;
	}
	printf("written: %d of %d chunks\n", (int)whole.units_done, (int)whole.units_total);

	st = write_watched(a, &stopped, &cancel, &expected);
	printf("stopped by its progress: %s\n", zinc_status_name(st));

	zinc_cancel_set(&cancel); /* from any thread, or from a signal handler */
	st = write_watched(a, &never, &cancel, &expected);
	printf("stopped by zinc_cancel: %s\n", zinc_status_name(st));
	zinc_array_close(a);
	return 0;
}
