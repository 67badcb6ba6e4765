/*
 * sizes.c - what each node has in its store, for du and tree --sizes
 *
 * The store is listed once.  Keys that belong to no node are counted, and the first ones are named.
 */
#include <stdio.h>

#include "cli.h"

#define NAMED 1000 /* foreign keys that are kept by name */

static char *
copy(const char *s)
{
	const size_t n = strlen(s) + 1;

	return memcpy(xrealloc(NULL, n), s, n);
}

/* Room for one more in a list of n items. */
static void *
grown(void *p, size_t n, size_t nbytes)
{
	return (n & (n + 1)) ? p : xrealloc(p, (2 * n + 2) * nbytes);
}

static int
add_node(void *arg, const zinc_usage *u)
{
	struct sizes *s = arg;

	s->nodes = grown(s->nodes, s->n, sizeof *s->nodes);
	s->nodes[s->n] = *u;
	s->nodes[s->n].path = copy(u->path);
	s->nodes[s->n].problem = u->problem ? copy(u->problem) : NULL;
	s->n++;
	return interrupted();
}

static int
add_foreign(void *arg, const zinc_foreign *f)
{
	struct sizes *s = arg;

	s->hidden += f->hidden != 0;
	if (s->nforeign < NAMED) {
		s->foreign = grown(s->foreign, s->nforeign, sizeof *s->foreign);
		s->foreign[s->nforeign] = *f;
		s->foreign[s->nforeign].key = copy(key_below(s->h, f->key));
		s->foreign[s->nforeign].why = copy(f->why);
		s->nforeign++;
	}
	return interrupted();
}

int
sizes_read(struct sizes *s, const struct run *r, zinc_hierarchy *h, const char *url)
{
	zinc_usage_options o = ZINC_USAGE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	struct progress progress;
	zinc_status st;

	*s = (struct sizes){.h = h};
	progress_init(&progress, r, "listing");
	progress.unit = "key";
	o.call = &progress.call;
	o.foreign = add_foreign;
	st = zinc_node_usage(h, zinc_hierarchy_path(h), &o, add_node, s, &err);
	progress_end(&progress);
	if (st != ZINC_OK)
		return fail(url, &err);
	return interrupted() ? CANCELLED : DONE;
}

/* The nodes are in order of their prefixes, "a/b/": the path and a '/'. */
static int
compare(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	if (!*a && !*b)
		return 0;
	if (!*a)
		return *b == '/' ? -1 : '/' - (int)(unsigned char)*b;
	if (!*b)
		return *a == '/' ? 1 : (int)(unsigned char)*a - '/';
	return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

const zinc_usage *
sizes_find(const struct sizes *s, const char *path)
{
	size_t low = 0, high = s->n;

	if (s->n && !strcmp(s->nodes[0].path, path))
		return &s->nodes[0];
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const int order = compare(s->nodes[mid].path, path);

		if (order == 0)
			return &s->nodes[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* The bytes that `decoded_bytes` come from. */
static uint64_t
understood_bytes(const zinc_usage *u)
{
	return u->chunk_bytes - u->unknown_bytes;
}

void
text_ratio(struct text *t, const zinc_usage *u)
{
	if (understood_bytes(u))
		text_printf(t, "%.2f", (double)u->decoded_bytes / (double)understood_bytes(u));
	else
		text_puts(t, "-");
}

void
usage_json(struct json *j, const zinc_usage *u)
{
	json_uint(json_key(j, "objects"), u->objects);
	json_uint(json_key(j, "bytes"), u->bytes);
	json_uint(json_key(j, "chunks"), u->chunks);
	json_uint(json_key(j, "chunk_bytes"), u->chunk_bytes);
	json_uint(json_key(j, "decoded_bytes"), u->decoded_bytes);
	json_key(j, "ratio");
	if (understood_bytes(u))
		json_fixed(j, (double)u->decoded_bytes / (double)understood_bytes(u), 4);
	else
		json_null(j);
	if (u->unknown)
		json_uint(json_key(j, "unknown_chunks"), u->unknown);
	json_uint(json_key(j, "foreign"), u->foreign);
	json_uint(json_key(j, "foreign_bytes"), u->foreign_bytes);
}

int
complain_of_hidden(const struct sizes *s, const char *url)
{
	size_t i;

	for (i = 0; i < s->nforeign; i++)
		if (s->foreign[i].hidden)
			(void)complain(FOUND, url, "%s: %s", s->foreign[i].key, s->foreign[i].why);
	return s->hidden ? FOUND : DONE;
}

void
sizes_free(struct sizes *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free((void *)(uintptr_t)s->nodes[i].path);
		free((void *)(uintptr_t)s->nodes[i].problem);
	}
	for (i = 0; i < s->nforeign; i++) {
		free((void *)(uintptr_t)s->foreign[i].key);
		free((void *)(uintptr_t)s->foreign[i].why);
	}
	free(s->nodes);
	free(s->foreign);
	*s = (struct sizes){.h = NULL};
}
