/*
 * rules.c - the stores of tests/rules: each line of an index is a store that follows or breaks one rule
 */
#include "rules.h"

#include <stdio.h>
#include <string.h>

#include "json/json.h"
#include "test.h"

#define MAX_LINES 400
#define MAX_LINE  4096
#define MAX_DOCS  16

struct rule_index {
	char described[MAX_LINES][MAX_LINE]; /* lines that begin with "=" or "~" */
	char cases[MAX_LINES][MAX_LINE];
	size_t ndescribed, ncases;
};

struct document {
	char name[16], key[64];
	zinc_json_doc *doc;
};

/* The store under construction. */
struct builder {
	zinc_store *store;
	zinc_context *ctx;
	const char *name; /* of the case, for messages */
	struct document docs[MAX_DOCS];
	size_t ndocs;
};

/* The next word of a line, which is terminated after it; NULL: no more. */
static char *
next_word(char **at)
{
	char *word = *at + strspn(*at, " ");

	if (!*word)
		return NULL;
	*at = word + strcspn(word, " ");
	if (**at)
		*(*at)++ = '\0';
	return word;
}

/* ---- the index ---- */

rule_index *
rules_open(const char *version)
{
	rule_index *x = calloc(1, sizeof *x);
	char path[512], line[MAX_LINE];
	FILE *file;

	assert_non_null(x);
	snprintf(path, sizeof path, ZINC_TEST_SOURCE_DIR "/tests/rules/index_%s.txt", version);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s: cannot be read", path);
	while (fgets(line, sizeof line, file)) {
		const size_t n = strcspn(line, "\n");

		if (line[n] == '\0')
			fail_msg("%s: too long: %.60s", path, line);
		line[n] = '\0';
		if (line[0] == '#' || n == 0)
			continue;
		assert_true(x->ndescribed < MAX_LINES && x->ncases < MAX_LINES);
		if (line[0] == '=' || line[0] == '~')
			memcpy(x->described[x->ndescribed++], line, n + 1);
		else
			memcpy(x->cases[x->ncases++], line, n + 1);
	}
	fclose(file);
	return x;
}

void
rules_close(rule_index *x)
{
	free(x);
}

size_t
rules_count(const rule_index *x)
{
	return x->ncases;
}

void
rules_case(const rule_index *x, size_t i, rule_case *c)
{
	const char *line = x->cases[i];
	char rules[64], expect[40], *comma, *at;
	int used = 0;

	if (sscanf(line, "%63s %39s %63s%n", rules, expect, c->name, &used) != 3)
		fail_msg("not a case: %s", line);
	c->edits = line + used;
	comma = strrchr(rules, ',');
	snprintf(c->owner, sizeof c->owner, "%.15s", comma ? comma + 1 : rules);
	rules[strcspn(rules, ",")] = '\0';
	snprintf(c->rule, sizeof c->rule, "%.15s", rules);
	at = strchr(expect, '@');
	snprintf(c->where, sizeof c->where, "%.15s", at ? at + 1 : "");
	expect[strcspn(expect, "@")] = '\0';
	snprintf(c->expect, sizeof c->expect, "%.15s", expect);
	snprintf(c->path, sizeof c->path, "%s-%s", c->owner, c->name);
}

/* ---- a store ---- */

static void
put(struct builder *b, const char *key, const void *bytes, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(b->store, NULL, key, bytes, n, NULL, 0, NULL, NULL, &err));
}

static void
erase(struct builder *b, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_del(b->store, NULL, key, NULL, 0, NULL, &err));
}

static struct document *
find_document(struct builder *b, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < b->ndocs; i++)
		if (strlen(b->docs[i].name) == n && memcmp(b->docs[i].name, name, n) == 0)
			return &b->docs[i];
	fail_msg("%s: no document \"%.*s\"", b->name, (int)n, name);
	return NULL;
}

static zinc_json_doc *
parse(const struct builder *b, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;

	if (zinc_json_parse(&doc, b->ctx, text, strlen(text), ZINC_JSON_NAN_TOKENS, &err) != ZINC_OK)
		fail_msg("%s: %s: %s", b->name, text, err.text);
	return doc;
}

static void
put_document(struct builder *b, const struct document *d, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf text;

	zinc_buf_init(&text, b->ctx, SIZE_MAX);
	assert_ok(zinc_json_print_line(zinc_json_root(d->doc), &text, &err));
	put(b, key, zinc_buf_text(&text), strlen(zinc_buf_text(&text)));
	zinc_buf_fini(&text);
}

/* `value` is "text" in quotes, @document or hexadecimal. */
static void
put_value(struct builder *b, const char *key, const char *value)
{
	uint8_t bytes[1024];
	size_t n;
	unsigned v;

	if (value[0] == '"') {
		put(b, key, value + 1, strlen(value) - 2);
		return;
	}
	if (value[0] == '@') {
		put_document(b, find_document(b, value + 1, strlen(value + 1)), key);
		return;
	}
	for (n = 0; value[0]; value += 2, n++) {
		assert_true(n < sizeof bytes);
		assert_int_equal(sscanf(value, "%2x", &v), 1);
		bytes[n] = (uint8_t)v;
	}
	put(b, key, bytes, n);
}

/* The target of a step of a path: the item of a list, or the member of an object. */
static zinc_json *
step(const struct builder *b, zinc_json *at, const char *name)
{
	zinc_json *next = zinc_json_is(at, ZINC_JSON_ARRAY) ? zinc_json_item(at, (size_t)strtoul(name, NULL, 10))
							    : zinc_json_member(at, name);

	if (!next)
		fail_msg("%s: nothing is called \"%s\"", b->name, name);
	return next;
}

/* "chunk_grid.type=..." or "shape-", of a document */
static void
edit_member(struct builder *b, struct document *d, char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json *at = zinc_json_root(d->doc);
	char *end = path + strcspn(path, "=-"), *dot;
	const char how = *end;
	zinc_json_doc *value;

	*end = '\0';
	while ((dot = strchr(path, '.'))) {
		*dot = '\0';
		at = step(b, at, path);
		path = dot + 1;
	}
	if (how == '-') {
		assert_true(zinc_json_remove(at, path));
	} else {
		value = parse(b, end + 1);
		assert_ok(zinc_json_set(d->doc, at, path, zinc_json_copy(d->doc, zinc_json_root(value)), &err));
		zinc_json_free(value);
	}
}

static void
edit_document(struct builder *b, char *word)
{
	const size_t n = strcspn(word, ".:-");
	struct document *d = find_document(b, word, n);

	if (word[n] == ':') {
		put(b, d->key, word + n + 1, strlen(word + n + 1));
	} else if (word[n] == '-') {
		erase(b, d->key);
	} else {
		if (word[n] == '.')
			edit_member(b, d, word + n + 1);
		put_document(b, d, d->key);
	}
}

static void
edit(struct builder *b, char *word)
{
	char *colon;

	if (word[0] == '+') {
		colon = strchr(word, ':');
		assert_non_null(colon);
		*colon = '\0';
		put_value(b, word + 1, colon + 1);
	} else if (word[0] == '-') {
		erase(b, word + 1);
	} else {
		edit_document(b, word);
	}
}

/* "= array key text", "~ array key text" or "= key hex" */
static void
describe(struct builder *b, char *line)
{
	char *how = next_word(&line), *first = next_word(&line), *second = next_word(&line);
	struct document *d = &b->docs[b->ndocs];

	if (strchr(first, '/')) {
		put_value(b, first, second);
		return;
	}
	assert_true(b->ndocs < MAX_DOCS);
	b->ndocs++;
	snprintf(d->name, sizeof d->name, "%s", first);
	snprintf(d->key, sizeof d->key, "%s", second);
	d->doc = parse(b, line);
	if (how[0] == '=')
		put_document(b, d, d->key);
}

void
rules_build(const rule_index *x, const rule_case *c, zinc_store *store)
{
	struct builder b = {.store = store, .ctx = zinc_context_get(NULL), .name = c->name};
	char line[MAX_LINE], *rest = line, *word;
	size_t i;

	for (i = 0; i < x->ndescribed; i++) {
		snprintf(line, sizeof line, "%s", x->described[i]);
		describe(&b, line);
	}
	snprintf(line, sizeof line, "%s", c->edits);
	while ((word = next_word(&rest)))
		edit(&b, word);
	for (i = 0; i < b.ndocs; i++)
		zinc_json_free(b.docs[i].doc);
}
