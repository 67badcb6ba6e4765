/*
 * convention_findings.c - findings of a check of conventions, until they are reported
 *
 * A list of zinc_finding for each convention in turn.  It is bounded: the first two hundred findings of a
 * convention are kept, and the others are only counted.
 */
#include <stdio.h>

#include "convention/convention.h"

#define FINDINGS 200u /* kept of one convention */

/* Grows by doubling; NULL when out of memory. */
static zinc_finding *
make_room(zinc_findings *f)
{
	zinc_finding *items;
	size_t room, nbytes;

	if (f->n == f->room) {
		room = f->room ? 2 * f->room : 8;
		if (zinc_size_mul(room, sizeof *items, &nbytes))
			return NULL;
		items = zinc_realloc(f->ctx, f->items, nbytes);
		if (!items)
			return NULL;
		f->items = items;
		f->room = room;
	}
	return &f->items[f->n];
}

/* A convention may have two schemas, the built-in one and a newer one, with the same findings. */
static bool
is_known(const zinc_findings *f, const char *rule, const char *pointer, const char *message)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (strcmp(f->items[i].rule, rule) == 0 && strcmp(f->items[i].pointer, pointer) == 0 &&
		    strcmp(f->items[i].message, message) == 0)
			return true;
	return false;
}

/* Message and pointer in one allocation that begins with the message. */
static void
keep(zinc_findings *f, zinc_level level, const char *rule, const char *pointer, const char *message)
{
	zinc_finding *to = make_room(f);
	char *text = zinc_alloc(f->ctx, strlen(pointer) + strlen(message) + 2);

	if (!to || !text) {
		zinc_free(f->ctx, text);
		f->lost = true;
		return;
	}
	memcpy(text, message, strlen(message) + 1);
	*to = (zinc_finding){.size = sizeof *to,
			     .level = level,
			     .rule = rule,
			     .path = f->path,
			     .key = "",
			     .message = text,
			     .pointer = memcpy(text + strlen(message) + 1, pointer, strlen(pointer) + 1),
			     .fix = "",
			     .region = ""};
	f->n++;
}

void
zinc_findings_add(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	zinc_findings *f = arg;
	const bool error = severity == ZINC_SEVERITY_ERROR;

	if (f->n >= FINDINGS) {
		f->errors += error;
		f->more++;
	} else if (!is_known(f, rule, pointer, message)) {
		f->errors += error;
		keep(f, error ? ZINC_LEVEL_ERROR : ZINC_LEVEL_WARNING, rule, pointer, message);
	}
}

void
zinc_findings_close(zinc_findings *f)
{
	char text[60];

	if (f->more == 0)
		return;
	snprintf(text, sizeof text, "and %u findings more", f->more);
	f->more = 0;
	keep(f, ZINC_LEVEL_WARNING, "C2", "", text);
}

const zinc_finding *const *
zinc_findings_list(zinc_findings *f)
{
	size_t i;

	zinc_free(f->ctx, f->list);
	f->list = f->n > 0 ? zinc_calloc(f->ctx, f->n, sizeof *f->list) : NULL;
	f->lost = f->lost || (f->n > 0 && !f->list);
	for (i = 0; f->list && i < f->n; i++)
		f->list[i] = &f->items[i];
	return f->list;
}

void
zinc_findings_empty(zinc_findings *f)
{
	while (f->n > 0)
		zinc_free(f->ctx, (void *)(uintptr_t)f->items[--f->n].message);
	f->more = f->errors = 0;
}

/* Is the finding at or below `pointer`? */
static bool
is_within(const zinc_finding *f, const char *pointer)
{
	const size_t n = strlen(pointer);

	return strncmp(f->pointer, pointer, n) == 0 && (f->pointer[n] == '\0' || f->pointer[n] == '/');
}

/* Move the findings within `pointer` to another list. */
void
zinc_findings_move(zinc_findings *to, zinc_findings *from, const char *pointer)
{
	size_t i, left = 0;

	for (i = 0; i < from->n; i++) {
		zinc_finding *room = is_within(&from->items[i], pointer) ? make_room(to) : NULL;

		if (room) {
			*room = from->items[i];
			to->n++;
			to->errors += room->level == ZINC_LEVEL_ERROR;
			from->errors -= room->level == ZINC_LEVEL_ERROR;
		} else {
			from->items[left++] = from->items[i];
		}
	}
	from->n = left;
}

void
zinc_findings_fini(zinc_findings *f)
{
	zinc_findings_empty(f);
	zinc_free(f->ctx, f->items);
	zinc_free(f->ctx, f->list);
	f->items = NULL;
	f->list = NULL;
}
