/*
 * test_draft_operations.c - operations on a hierarchy as the drafts define them: which keys, and how many calls
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "format/format.h"
#include "nodes.h"
#include "test.h"

/* Where a draft keeps things; %s is a path without its first '/'. */
static const struct draft {
	const char *id;
	const char *array, *group, *data; /* formats of keys */
	const char *chunk;                /* of the first chunk of one dimension */
	const char *root_group, *root_array;
} drafts[] = {
    {"v3-2019", "meta/root/%s.array", "meta/root/%s.group", "data/%s/%s", "0", "meta/root.group", "meta/root.array"},
    {"v3-2020", "meta/root/%s.array.json", "meta/root/%s.group.json", "data/root/%s/%s", "c0", "meta/root.group.json",
     "meta/root.array.json"},
    {"v3-2022", "meta/%s.array.json", "meta/%s.group.json", "data/%s/%s", "c0", "meta/group.json", "meta/array.json"},
};

static void
open_draft(forest *f, const struct draft *d)
{
	zinc_error err = ZINC_ERROR_INIT;

	forest_open(f, "", ZINC_LENIENT);
	zinc_hierarchy_close(f->h);
	assert_ok(zinc_hierarchy_open(&f->h, f->log, "",
				      ZINC_OPEN_OPTIONS(.context = f->ctx, .create = 1, .format = d->id), &err));
	forest_counts(f);
}

static void
make_array(forest *f, const char *path)
{
	static const uint64_t shape[] = {4}, chunks[] = {2};
	static const int16_t values[] = {1, 2, 3, 4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create(
	    &a, f->h, path,
	    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks, .dtype = "int16", .codecs = "none"), &err));
	assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(values, sizeof values), NULL, &err));
	zinc_array_close(a);
}

static void
make_group(forest *f, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_group_create(f->h, path, NULL, 0, NULL, &err));
}

/* Is there a key of this form? */
static bool
has(forest *f, const char *format, const char *path, const char *chunk)
{
	char key[128];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(key, sizeof key, format, path, chunk);
#pragma GCC diagnostic pop
	return forest_get(f, key) != NULL;
}

static zinc_node_kind
exists(forest *f, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_node_kind kind = ZINC_NODE_NONE;

	assert_ok(zinc_node_exists(f->h, path, &kind, NULL, &err));
	return kind;
}

/* ---- the operations, in order ---- */

/* "get KEY\ndel KEY\n": the operations of one call. */
struct diary {
	char text[4096];
	zinc_store *store;
	zinc_hierarchy *h;
};

static void
note(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* reads are made by threads of the pool */
	struct diary *d = arg;
	size_t n;

	(void)nbytes, (void)st;
	pthread_mutex_lock(&lock);
	n = strlen(d->text);
	snprintf(d->text + n, sizeof d->text - n, "%s %s\n", operation, key);
	pthread_mutex_unlock(&lock);
}

/* Another hierarchy on the same store, whose every operation is written down. */
static void
diary_open(struct diary *d, const forest *f)
{
	zinc_error err = ZINC_ERROR_INIT;

	memset(d, 0, sizeof *d);
	assert_ok(zinc_store_log(&d->store, f->memory, note, d, &err));
	assert_ok(zinc_hierarchy_open(&d->h, d->store, "", ZINC_OPEN_OPTIONS(.context = f->ctx), &err));
	d->text[0] = '\0';
}

static void
diary_close(struct diary *d)
{
	zinc_hierarchy_close(d->h);
	zinc_store_close(d->store);
}

/* Only the lines that begin so. */
static const char *
only(const struct diary *d, const char *begins, char *out, size_t room)
{
	const char *line = d->text;
	size_t n = 0;

	out[0] = '\0';
	for (; *line; line += strcspn(line, "\n") + 1)
		if (strncmp(line, begins, strlen(begins)) == 0)
			n += (size_t)snprintf(out + n, room - n, "%.*s", (int)strcspn(line, "\n") + 1, line);
	return out;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* The key of a document, or without its suffix the prefix of the nodes below. */
static const char *
key_of(const char *format, const char *path, char key[128])
{
	snprintf(key, 128, format, path, "");
	return key;
}
#pragma GCC diagnostic pop

/* The length of the part of a group document's key that is the prefix of the nodes below. */
static int
below_of(const struct draft *d, const char *path, char key[128])
{
	return (int)(strstr(key_of(d->group, path, key), ".group") - key);
}

/* Initialising is one put of zarr.json, creating a node one put of its document, whatever is above it.
 * A second node of the same name is refused: 19-2+ 20-2+ 22-3+.  19-74+ 19-78+ 20-80+ 20-87+ 20-88+ 22-106+ 22-113+
 * 22-114+ */
static void
create(const struct draft *d)
{
	static const uint64_t shape[] = {4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_array *a = NULL;
	forest f;

	open_draft(&f, d);
	assert_ok(zinc_hierarchy_init(f.h, &err));
	n = forest_counts(&f);
	assert_int_equal(n.put_calls, 1);
	assert_string_equal(forest_keys(&f), "zarr.json");
	make_group(&f, "/a/b/c");
	n = forest_counts(&f);
	assert_int_equal(n.put_calls, 1);
	assert_int_equal(n.list_calls, f.h->format->fold_case ? 3 : 0); /* names of siblings, at each level */
	assert_true(has(&f, d->group, "a/b/c", ""));
	assert_ok(zinc_array_create(&a, f.h, "/a/x/y", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int16"),
				    &err));
	zinc_array_close(a);
	n = forest_counts(&f);
	assert_int_equal(n.put_calls, 1);
	assert_true(has(&f, d->array, "a/x/y", ""));
	assert_non_null(strstr(f.text, "\"fill_value\": 0")); /* recorded, although no caller chose it: 22-75+ */
	assert_false(has(&f, d->group, "a", "") || has(&f, d->group, "a/x", ""));
	assert_string_equal(forest_list(&f, "/", -1), "g/ g/a g/a/b G/a/b/c g/a/x A/a/x/y");
	assert_int_equal(zinc_group_create(f.h, "/a/b/c", NULL, 0, NULL, &err), ZINC_E_EXISTS);
	forest_close(&f);
}

/* Children and all nodes are one list each, and that of the root one more, to report foreign entries beside the
 * trees.  Foreign entries beside the objects of an array are reported, too, by one list of these. 19-79+ 19-80+
 * 20-84+ 20-90+ 20-92+ 22-110+ 22-116+ 22-118+ */
static void
discover(const struct draft *d)
{
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	forest f;

	open_draft(&f, d);
	make_group(&f, "/foo/bar");
	make_array(&f, "/foo/baz/qux");
	make_array(&f, "/foo/a");
	forest_counts(&f);
	assert_string_equal(forest_list(&f, "/foo", CHILDREN), "A/foo/a G/foo/bar g/foo/baz");
	n = forest_counts(&f);
	assert_int_equal(n.list_calls, 1);
	assert_string_equal(forest_list(&f, "/", -1), "g/ g/foo A/foo/a G/foo/bar g/foo/baz A/foo/baz/qux");
	n = forest_counts(&f);
	assert_int_equal(n.list_calls, 2 + 2);
	forest_close(&f);
}

/* The array's document and the group's in one request, of which the array's is used; then the nodes below.
 * 20-98+ 22-122+ */
static void
look(const struct draft *d)
{
	static const struct {
		const char *path;
		zinc_node_kind kind;
		int requests;
	} cases[] = {{"a", ZINC_NODE_ARRAY, 1},
		     {"g", ZINC_NODE_GROUP, 1},
		     {"i", ZINC_NODE_GROUP, 2},
		     {"i/b", ZINC_NODE_ARRAY, 1},
		     {"none", ZINC_NODE_NONE, 2}};
	zinc_error err = ZINC_ERROR_INIT;
	char want[512], array[128], group[128], path[16];
	zinc_node_kind kind;
	struct diary diary;
	forest f;
	size_t i;

	open_draft(&f, d);
	make_array(&f, "/a");
	make_group(&f, "/g");
	make_array(&f, "/i/b");
	diary_open(&diary, &f);
	for (i = 0; i < COUNT(cases); i++) {
		const int below = below_of(d, cases[i].path, group);
		int n;

		(void)key_of(d->array, cases[i].path, array);
		n = snprintf(want, sizeof want, "get %s\nget %s\n", array, group); /* in one request */
		if (cases[i].requests > 1)
			snprintf(want + n, sizeof want - (size_t)n, "list_dir %.*s/\n", below, group);
		diary.text[0] = '\0';
		snprintf(path, sizeof path, "/%s", cases[i].path);
		assert_ok(zinc_node_exists(diary.h, path, &kind, NULL, &err));
		assert_int_equal(kind, cases[i].kind);
		assert_string_equal(diary.text, want);
	}
	diary_close(&diary);
	assert_int_equal(exists(&f, "/"), ZINC_NODE_GROUP);
	forest_close(&f);
}

/* Documents are erased before data, so that no array keeps only some of its chunks, and each prefix once.
 * 20-93+ 20-94+ 20-95+ 22-119+ 22-120+ 22-121+ */
static void
erase_order(const struct draft *d)
{
	static const struct {
		const char *path;
		bool array, group; /* which documents it has */
	} cases[] = {{"a", true, false}, {"i", false, false}, {"g", false, true}};
	zinc_error err = ZINC_ERROR_INIT;
	char want[1024], key[128], data[128], path[16], dels[1024];
	struct diary diary;
	forest f;
	size_t i;

	open_draft(&f, d);
	make_array(&f, "/a");
	make_array(&f, "/i/b");
	make_group(&f, "/g");
	make_array(&f, "/g/b");
	diary_open(&diary, &f);
	for (i = 0; i < COUNT(cases); i++) {
		const int below = below_of(d, cases[i].path, key);
		int n = 0;

		want[0] = '\0';
		if (cases[i].array)
			n = snprintf(want, sizeof want, "del %s\n", key_of(d->array, cases[i].path, key));
		if (cases[i].group)
			n = snprintf(want, sizeof want, "del %s\n", key_of(d->group, cases[i].path, key));
		if (!cases[i].array) { /* documents below are also erased before any data */
			snprintf(path, sizeof path, "%s/b", cases[i].path);
			n += snprintf(want + n, sizeof want - (size_t)n, "del %s\n", key_of(d->array, path, key));
		}
		snprintf(want + n, sizeof want - (size_t)n, "del_prefix %.*s/\ndel_prefix %s\n", below, key,
			 key_of(d->data, cases[i].path, data));
		diary.text[0] = '\0';
		snprintf(path, sizeof path, "/%s", cases[i].path);
		assert_ok(zinc_node_erase(diary.h, path, NULL, &err));
		assert_string_equal(only(&diary, "del", dels, sizeof dels), want);
	}
	diary_close(&diary);
	forest_close(&f);
}

/* Erasing takes documents and data of all below, and nothing else; parents that were implied by them vanish.
 * 20-96+ 22-129+ */
static void
erase(const struct draft *d)
{
	zinc_error err = ZINC_ERROR_INIT;
	char before[1024];
	forest f;

	open_draft(&f, d);
	make_array(&f, "/keep");
	snprintf(before, sizeof before, "%s", forest_keys(&f));
	make_array(&f, "/a");
	assert_ok(zinc_node_erase(f.h, "/a", NULL, &err)); /* an array */
	assert_string_equal(forest_keys(&f), before);
	make_array(&f, "/i/j/b");
	assert_ok(zinc_node_erase(f.h, "/i", NULL, &err)); /* an implicit group */
	assert_string_equal(forest_keys(&f), before);
	make_group(&f, "/g");
	make_array(&f, "/g/b");
	assert_ok(zinc_node_erase(f.h, "/g", NULL, &err)); /* an explicit one */
	assert_string_equal(forest_keys(&f), before);
	make_array(&f, "/r/b");
	make_group(&f, "/r"); /* made explicit */
	assert_ok(zinc_node_erase(f.h, "/r/b", NULL, &err));
	assert_int_equal(exists(&f, "/r"), ZINC_NODE_GROUP);
	assert_ok(zinc_node_erase(f.h, "/r", NULL, &err));
	make_array(&f, "/v/b");
	assert_ok(zinc_node_erase(f.h, "/v/b", NULL, &err));
	assert_int_equal(exists(&f, "/v"), ZINC_NODE_NONE); /* it existed only by its child */
	assert_string_equal(forest_keys(&f), before);
	assert_int_equal(zinc_node_erase(f.h, "/v", NULL, &err), ZINC_E_NOTFOUND);
	forest_close(&f);
}

/* A parent to be kept is made explicit first, before anything is erased.  20-97+ 22-129+ */
static void
keep_parent(const struct draft *d)
{
	zinc_error err = ZINC_ERROR_INIT;
	char key[128], puts[512], want[160];
	struct diary diary;
	forest f;

	open_draft(&f, d);
	make_array(&f, "/v/b");
	diary_open(&diary, &f);
	assert_ok(zinc_node_keep_parents(diary.h, "/v/b", NULL, &err));
	snprintf(want, sizeof want, "put %s\n", key_of(d->group, "v", key));
	assert_non_null(strstr(only(&diary, "put", puts, sizeof puts), want));
	assert_ok(zinc_node_erase(diary.h, "/v/b", NULL, &err));
	diary_close(&diary);
	assert_string_equal(forest_list(&f, "/", -1), "G/ G/v");
	forest_close(&f);
}

/* ---- a store that cannot list ---- */

static void
mute_close(void *self)
{
	zinc_store_close((zinc_store *)self);
}

static void
mute_caps(void *self, zinc_caps *out)
{
	zinc_store_caps((zinc_store *)self, out);
	out->flags &= ~ZINC_CAP_LIST;
}

static zinc_status
mute_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_get((zinc_store *)self, requests, n, sink, wait, err);
}

static const zinc_store_ops mute_ops = {
    .size = sizeof mute_ops, .name = "mute", .close = mute_close, .caps = mute_caps, .get = mute_get};

static int
count(void *arg, const zinc_node *node)
{
	(void)node;
	*(int *)arg += 1;
	return 0;
}

/* The nodes cannot be listed, which is not reported as an empty hierarchy; a node can be opened by its path.
 * 19-73+ 20-91+ 22-117+ */
static void
no_list(const struct draft *d)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *mute = NULL;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	int16_t values[4] = {0};
	int n = 0;
	forest f;

	open_draft(&f, d);
	make_array(&f, "/i/b");
	assert_ok(zinc_store_wrap(&mute, f.ctx, &mute_ops, zinc_store_ref(f.memory), "mute:", &err));
	assert_ok(zinc_hierarchy_open(&h, mute, "", ZINC_OPEN_OPTIONS(.context = f.ctx), &err));
	assert_int_equal(zinc_node_children(h, "/i", count, &n, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_node_walk(h, "/", -1, count, &n, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(n, 0);
	assert_ok(zinc_array_open(&a, h, "/i/b", NULL, &err));
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(values, sizeof values), NULL, &err));
	assert_int_equal(values[3], 4);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(mute);
	forest_close(&f);
}

/* One object is one key; its elements are read back.  20-89+ 22-115+ 19-66+ 19-67+ */
static void
chunks(const struct draft *d)
{
	static const uint64_t longer[] = {6}, shorter[] = {1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	int16_t values[6] = {0};
	zinc_array *a = NULL;
	forest f;

	open_draft(&f, d);
	make_array(&f, "/x");
	assert_true(has(&f, d->data, "x", d->chunk));
	assert_ok(zinc_array_open(&a, f.h, "/x", NULL, &err));
	forest_counts(&f);
	assert_ok(zinc_array_resize(a, longer, NULL, &err));
	n = forest_counts(&f);
	assert_int_equal(n.put_calls + n.update_calls, 1); /* the document alone */
	assert_int_equal(n.del_calls, 0);
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(values, sizeof values), NULL, &err));
	assert_int_equal(values[3], 4);
	assert_int_equal(values[4], 0);
	assert_ok(zinc_array_resize(a, shorter, NULL, &err));
	assert_true(has(&f, d->data, "x", d->chunk));
	assert_false(has(&f, d->data, "x", strcmp(d->chunk, "0") == 0 ? "1" : "c1"));
	zinc_array_close(a);
	forest_close(&f);
}

/* The root can be an array or a group with a document.  20-85+ 22-111+ 19-76+ */
static void
roots(const struct draft *d)
{
	forest f;

	open_draft(&f, d);
	make_array(&f, "/");
	assert_non_null(forest_get(&f, d->root_array));
	assert_string_equal(forest_list(&f, "/", -1), "A/");
	forest_close(&f);
	open_draft(&f, d);
	make_group(&f, "/");
	assert_non_null(forest_get(&f, d->root_group));
	assert_string_equal(forest_list(&f, "/", -1), "G/");
	forest_close(&f);
}

/* ---- consolidated metadata of zarr-python ---- */

#define ZMETADATA "meta/root/consolidated/.zmetadata"

/* A reader must not see the state before a change: the first change erases it. */
static void
test_copies(void **state)
{
	static const uint64_t shape[] = {6};
	const zinc_attribute color = {"color", "\"red\""};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	int i;
	forest f;

	(void)state;
	open_draft(&f, &drafts[1]);
	make_array(&f, "/a/x");
	assert_ok(zinc_array_open(&a, f.h, "/a/x", NULL, &err));
	for (i = 0; i < 7; i++) {
		forest_put(&f, ZMETADATA, "{}");
		switch (i) {
		case 0:
			assert_int_equal(zinc_attributes_edit(f.h, "/no", &color, 1, NULL, &err), ZINC_E_NOTFOUND);
			assert_non_null(forest_get(&f, ZMETADATA));
			break;
		case 1:
			assert_ok(zinc_attributes_edit(f.h, "/a", &color, 1, NULL, &err));
			break;
		case 2:
			assert_ok(zinc_array_resize(a, shape, NULL, &err));
			break;
		case 3:
			make_group(&f, "/b");
			break;
		case 4:
			make_array(&f, "/c");
			break;
		case 5:
			assert_ok(zinc_node_copy(f.h, "/a", f.h, "/d", NULL, &err));
			break;
		default:
			assert_ok(zinc_node_erase(f.h, "/b", NULL, &err));
		}
		assert_true(i == 0 || !forest_get(&f, ZMETADATA));
	}
	zinc_array_close(a);
	forest_close(&f);
}

/* Its directory is not a group, except for its other contents; in the other drafts the name is like any other. */
static void
test_name_of_copies(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(drafts); i++) {
		forest f;

		open_draft(&f, &drafts[i]);
		make_array(&f, "/x");
		if (i == 1) {
			forest_put(&f, ZMETADATA, "{}");
			assert_string_equal(forest_list(&f, "/", 1), "g/ A/x");
		}
		make_array(&f, "/consolidated/y");
		if (i == 1)
			forest_put(&f, ZMETADATA, "{}");
		assert_string_equal(forest_list(&f, "/", 1), "g/ g/consolidated A/x");
		assert_string_equal(forest_list(&f, "/", -1), "g/ g/consolidated A/consolidated/y A/x");
		forest_close(&f);
	}
}

/* ---- a group that must not be opened ---- */

/* Nothing is created in it or removed from it without force; a dry run reports the same.  22-89- */
static void
test_closed(void **state)
{
	static const uint64_t shape[] = {4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	char before[512];
	forest f;
	int dry;

	(void)state;
	open_draft(&f, &drafts[2]);
	make_array(&f, "/x");
	make_group(&f, "/g");
	make_array(&f, "/g/i/b");
	forest_put(&f, "meta/g.group.json", "{\"attributes\": {}, \"colour\": \"red\"}");
	snprintf(before, sizeof before, "%s", forest_keys(&f));
	assert_int_equal(zinc_group_create(f.h, "/g/n", NULL, 0, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "colour"));
	assert_string_equal(err.key, "meta/g.group.json");
	assert_int_equal(zinc_group_create(f.h, "/g/i/n", NULL, ZINC_FORCE, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(
	    zinc_array_create(&a, f.h, "/g/i/b",
			      ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int16", .overwrite = 1), &err),
	    ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_array_open(&a, f.h, "/g", NULL, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_node_copy(f.h, "/x", f.h, "/g/z", NULL, &err), ZINC_E_UNSUPPORTED);
	for (dry = 0; dry < 2; dry++) {
		assert_int_equal(zinc_node_erase_with(f.h, "/g/i/b", ZINC_ERASE_OPTIONS(.dry_run = dry), NULL, &err),
				 ZINC_E_UNSUPPORTED);
		assert_int_equal(zinc_copy(f.h, "/x", f.h, "/g/z", ZINC_COPY_OPTIONS(.dry_run = dry), NULL, &err),
				 ZINC_E_UNSUPPORTED);
		assert_int_equal(zinc_move(f.h, "/g/i/b", "/b", ZINC_COPY_OPTIONS(.dry_run = dry), &err),
				 ZINC_E_UNSUPPORTED);
		assert_int_equal(zinc_move(f.h, "/x", "/g/x", ZINC_COPY_OPTIONS(.dry_run = dry), &err),
				 ZINC_E_UNSUPPORTED);
	}
	assert_string_equal(forest_keys(&f), before);
	assert_ok(zinc_node_erase_with(f.h, "/g/i/b", ZINC_ERASE_OPTIONS(.force = 1), NULL, &err));
	forest_close(&f);
}

#define EACH(name)                                                                                                     \
	static void test_##name(void **state)                                                                          \
	{                                                                                                              \
		size_t i;                                                                                              \
                                                                                                                       \
		(void)state;                                                                                           \
		for (i = 0; i < COUNT(drafts); i++)                                                                    \
			name(&drafts[i]);                                                                              \
	}

EACH(create)
EACH(discover)
EACH(look)
EACH(erase)
EACH(erase_order)
EACH(no_list)
EACH(keep_parent)
EACH(chunks)
EACH(roots)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_create),         cmocka_unit_test(test_discover),
	    cmocka_unit_test(test_look),           cmocka_unit_test(test_erase),
	    cmocka_unit_test(test_keep_parent),    cmocka_unit_test(test_chunks),
	    cmocka_unit_test(test_roots),          cmocka_unit_test(test_copies),
	    cmocka_unit_test(test_name_of_copies), cmocka_unit_test(test_erase_order),
	    cmocka_unit_test(test_no_list),        cmocka_unit_test(test_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
