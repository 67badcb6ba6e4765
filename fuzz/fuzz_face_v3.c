/*
 * fuzz_face_v3.c - a document of any array, the bytes of its chunks, and a key, through the clean version 3 face
 *
 * Input: a line with a key; a line with '2' (.zarray) or '3' (zarr.json); the length of the document as a decimal
 * number on a line; the document; the rest is every chunk that is asked for.
 *
 * (1) The key is served, missing, or an error with a text.
 * (2) Nodes of the face have no problems, and its arrays are supported.
 */
#include <string.h>
#include <zinc/store.h>

#include "fuzz.h"
#include "server.h"

static char *
take_line(const uint8_t **p, size_t *n)
{
	const uint8_t *end = *n ? memchr(*p, '\n', *n) : NULL;
	const size_t length = end ? (size_t)(end - *p) : *n;
	char *line = malloc(length + 1);

	if (!line)
		abort();
	if (length)
		memcpy(line, *p, length);
	line[length] = '\0';
	*p += length + (end != NULL);
	*n -= length + (end != NULL);
	return line;
}

static zinc_status
ask(zinc_store *face, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	const zinc_status st = zinc_store_get_all(face, key, &b, NULL, 64u << 20, NULL, &err);

	insist(st == ZINC_OK || zinc_error_text(&err)[0]); /* (1) */
	zinc_blob_fini(&b);
	return st;
}

/* (2): an array at the root, or the fields of one. */
static int
open_node(void *arg, const zinc_node *node)
{
	zinc_array *a;

	insist(!node->problem);
	if (node->kind == ZINC_NODE_ARRAY && zinc_array_open(&a, arg, node->path, NULL, NULL) == ZINC_OK) {
		insist(!zinc_array_unsupported(a));
		zinc_array_close(a);
	}
	return 0;
}

static void
check(zinc_hierarchy *h, const char *key)
{
	const zinc_open_options *how = ZINC_OPEN_OPTIONS(.context = zinc_store_context(zinc_hierarchy_store(h)));
	zinc_hierarchy *v3 = NULL;
	zinc_store *face = NULL;

	insist(face_v3_open(&face, h, "/", 1 << 20, NULL) == ZINC_OK);
	ask(face, key);
	ask(face, "c");
	ask(face, "c/0");
	ask(face, "c/0/0");
	if (ask(face, "zarr.json") == ZINC_OK && zinc_hierarchy_open(&v3, face, "", how, NULL) == ZINC_OK)
		(void)!zinc_node_walk(v3, "/", -1, open_node, v3, NULL, NULL);
	zinc_hierarchy_close(v3);
	zinc_store_close(face);
}

static void
put(zinc_store *s, const char *key, const void *bytes, size_t n)
{
	insist(zinc_store_put(s, NULL, key, bytes, n, NULL, ZINC_PUT_RELAXED, NULL, NULL, NULL) == ZINC_OK);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const chunks[] = {"0", "0.0", "c/0", "c/0/0", "c"};
	char *key = take_line(&data, &size), *version = take_line(&data, &size), *number = take_line(&data, &size);
	size_t length = strtoul(number, NULL, 10), i;
	zinc_context *ctx = NULL;
	zinc_hierarchy *h = NULL;
	zinc_store *s = NULL;

	if (length > size)
		length = size;
	insist(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1, .limits = ZINC_LIMITS(.chunk_bytes = 1 << 20)),
				NULL) == ZINC_OK);
	insist(zinc_store_open(&s, "memory://", ZINC_STORE_OPTIONS(.context = ctx), NULL) == ZINC_OK);
	put(s, version[0] == '2' ? ".zarray" : "zarr.json", data, length);
	for (i = version[0] == '2' ? 0 : 2; i < (version[0] == '2' ? 2 : 5) && size > length; i++)
		put(s, chunks[i], data + length, size - length);
	if (zinc_hierarchy_open(&h, s, "", ZINC_OPEN_OPTIONS(.context = ctx), NULL) == ZINC_OK)
		check(h, key);
	zinc_hierarchy_close(h);
	zinc_store_close(s);
	zinc_context_free(ctx);
	free(key);
	free(version);
	free(number);
	return 0;
}
