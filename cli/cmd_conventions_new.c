/*
 * cmd_conventions_new.c - zinc conventions --new DIR: write the files of a new convention
 *
 *    DIR/schema.json    JSON Schema of a node that declares it
 *    DIR/README.md      its specification, to be filled in
 *    DIR/example.zarr   a group that declares it and has its property
 *
 * `zinc conventions DIR/example.zarr --schemas DIR` reports the example as valid.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "cli.h"

struct author {
	struct run *run;
	const char *dir;
	char name[64]; /* the prefix without colon */
	char uuid[37];
	char schema_url[160], spec_url[160];
	bool seed; /* of the shape of November 2025, which has no uuid */
};

/* Version 4: random, except for the bits of version and variant. */
static bool
make_uuid(char out[37])
{
	unsigned char b[16];
	size_t i, n = 0;

	if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b)
		return false;
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	for (i = 0; i < sizeof b; i++)
		n +=
		    (size_t)snprintf(out + n, 37 - n, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
	return true;
}

/* "x:" -> "x"; letters, digits, '-' and '_', a letter first. */
static bool
take_prefix(struct author *a, const char *prefix)
{
	size_t n = strlen(prefix);

	if (n > 1 && prefix[n - 1] == ':')
		n--;
	if (n == 0 || n >= sizeof a->name || !strchr("abcdefghijklmnopqrstuvwxyz", prefix[0]) ||
	    strspn(prefix, "abcdefghijklmnopqrstuvwxyz0123456789-_") < n)
		return false;
	snprintf(a->name, sizeof a->name, "%.*s", (int)n, prefix);
	return true;
}

static void
declaration(struct text *t, const struct author *a)
{
	text_puts(t, "{");
	if (!a->seed)
		text_printf(t, "\"uuid\": \"%s\", ", a->uuid);
	text_printf(t,
		    "\"schema%s\": \"%s\", \"spec%s\": \"%s\", \"name\": \"%s:\", "
		    "\"description\": \"What %s: properties say\"}",
		    a->seed ? "" : "_url", a->schema_url, a->seed ? "" : "_url", a->spec_url, a->name, a->name);
}

/* The members of a declaration as the schema has them; the first identifies it. */
static void
members(struct text *t, const struct author *a)
{
	const char *url = a->seed ? "" : "_url";

	text_printf(t, "      \"required\": [\"%s\"],\n      \"properties\": {\n", a->seed ? "schema" : "uuid");
	if (!a->seed)
		text_printf(t, "        \"uuid\": {\"const\": \"%s\"},\n", a->uuid);
	text_printf(t,
		    "        \"schema%s\": {\"const\": \"%s\"},\n"
		    "        \"spec%s\": {\"type\": \"string\"},\n",
		    url, a->schema_url, url);
}

static void
schema(struct text *t, const struct author *a)
{
	text_printf(t,
		    "{\n"
		    "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
		    "  \"$id\": \"%s\",\n"
		    "  \"title\": \"%s: a Zarr convention\",\n"
		    "  \"type\": \"object\",\n"
		    "  \"required\": [\"zarr_format\", \"node_type\", \"attributes\"],\n"
		    "  \"properties\": {\n"
		    "    \"node_type\": {\"enum\": [\"array\", \"group\"]},\n"
		    "    \"attributes\": {\n"
		    "      \"type\": \"object\",\n"
		    "      \"required\": [\"zarr_conventions\", \"%s:value\"],\n"
		    "      \"properties\": {\n"
		    "        \"zarr_conventions\": {\"type\": \"array\", \"contains\": {\"$ref\": "
		    "\"#/$defs/conventionMetadata\"}},\n"
		    "        \"%s:value\": {\"type\": \"string\", \"description\": \"Replace me\"}\n"
		    "      },\n"
		    "      \"additionalProperties\": true\n"
		    "    }\n"
		    "  },\n"
		    "  \"additionalProperties\": true,\n"
		    "  \"$defs\": {\n"
		    "    \"conventionMetadata\": {\n"
		    "      \"type\": \"object\",\n",
		    a->schema_url, a->name, a->name, a->name);
	members(t, a);
	text_puts(t, "        \"name\": {\"type\": \"string\"},\n"
		     "        \"description\": {\"type\": \"string\"}\n"
		     "      },\n"
		     "      \"additionalProperties\": false\n"
		     "    }\n"
		     "  }\n"
		     "}\n");
}

static void
readme(struct text *t, const struct author *a)
{
	text_printf(t,
		    "# %s: a Zarr convention\n\n"
		    "%s%s%s"
		    "- **Name**: `%s:`\n"
		    "- **Schema URL**: %s\n"
		    "- **Spec URL**: %s\n"
		    "- **Scope**: array, group\n\n"
		    "## What it is for\n\n"
		    "Say here what the properties mean, and what a reader that ignores them misses.\n\n"
		    "## Declaration\n\n"
		    "```json\n",
		    a->name, a->seed ? "" : "- **UUID**: ", a->seed ? "" : a->uuid, a->seed ? "" : "\n", a->name,
		    a->schema_url, a->spec_url);
	declaration(t, a);
	text_printf(t,
		    "\n```\n\n"
		    "## Properties\n\n"
		    "| property | type | |\n|---|---|---|\n"
		    "| `%s:value` | string | **required** |\n\n"
		    "## Before publishing\n\n"
		    "Replace both URLs, here, in `schema.json` and in the example, by places that you keep; a breaking "
		    "change gets new ones.\n"
		    "`zinc conventions example.zarr --schemas .` checks the example.\n",
		    a->name);
}

/* ---- writing ---- */

static int
write_file(struct author *a, const char *name, void (*make)(struct text *t, const struct author *a))
{
	struct text path = {NULL, 0, 0}, text = {NULL, 0, 0};
	struct out o;
	int status;

	text_printf(&path, "%s/%s", a->dir, name);
	make(&text, a);
	status = out_open(&o, path.p, a->run->args->overwrite);
	if (status == DONE) {
		out_text(&o, &text);
		status = out_close(&o, DONE);
	} else {
		text_free(&text);
	}
	text_free(&path);
	return status;
}

static int
write_example(struct author *a)
{
	struct text url = {NULL, 0, 0}, attributes = {NULL, 0, 0};
	zinc_open_options o = open_options(a->run, true);
	zinc_error err = ZINC_ERROR_INIT;
	int status = DONE;

	text_printf(&url, "%s/example.zarr", a->dir);
	text_puts(&attributes, "{\"zarr_conventions\": [");
	declaration(&attributes, a);
	text_printf(&attributes, "], \"%s:value\": \"an example\"}", a->name);
	if (zinc_group_create_url(url.p, attributes.p, a->run->args->overwrite, &o, &err))
		status = fail(url.p, &err);
	text_free(&url);
	text_free(&attributes);
	return status;
}

int
conventions_new(struct run *r)
{
	struct author a = {.run = r, .dir = r->args->new_dir};
	const char *shape = r->args->declared_shape;
	int status;

	if (r->args->words.n > 0)
		return complain(USAGE, "--new", "takes no URL");
	if (!r->args->prefix || !take_prefix(&a, r->args->prefix))
		return complain(USAGE, "--new", "needs --prefix X: of lower-case letters, digits, - and _");
	a.seed = shape && !strcmp(shape, "seed");
	if (!make_uuid(a.uuid))
		return complain(TROUBLE, a.dir, "cannot get random numbers for a uuid");
	snprintf(a.schema_url, sizeof a.schema_url, "https://example.org/%s/v0.1/schema.json", a.name);
	snprintf(a.spec_url, sizeof a.spec_url, "https://example.org/%s/v0.1/README.md", a.name);
	if (r->args->dry_run) {
		out_printf(&r->out, "would write %s/schema.json, README.md and example.zarr\n", a.dir);
		return DONE;
	}
	if (mkdir(a.dir, 0777) && errno != EEXIST)
		return complain(TROUBLE, a.dir, "%s", strerror(errno));
	status = write_file(&a, "schema.json", schema);
	if (status == DONE)
		status = write_file(&a, "README.md", readme);
	return status == DONE ? write_example(&a) : status;
}
