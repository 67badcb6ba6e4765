/*
 * test_draft_rules.c - stores that keep or break one rule of a draft each, and what validate finds in them
 *
 * The stores are lines of tests/rules/index_v3_*.txt.  Each file first describes a sound store:
 *
 *   = array meta/root/a.array.json {"shape": ...}     a document, by name, key and text
 *   = data/root/a/c0 0100                             another value, in hexadecimal
 *
 * and then, line by line, what is done to it and what must come of it:
 *
 *   20-43  error  negative  array.shape=[-1]
 *
 * Rules (several by commas), expectation, a name, and edits:
 *
 *   array.chunk_grid.type="x"   a member is set           array.shape-       a member is removed
 *   array:text                  the whole text is set     array-             the document is removed
 *   +data/root/a/c1:0100        a value is put            +key:              of no bytes
 *   +key:"text"                 of text                   -data/root/a/c0    a value is erased
 *
 * Expectations: valid (nothing is found, not even strictly); error, lenient, warning and unsupported, as
 * docs/conformance.md has them, of the first rule alone (others are broken by the same store); lost (nothing is there
 * that could be opened as this draft).  What is wrong with the entry point may end the check itself; then the error
 * must cite the rule.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "format/format.h"
#include "nodes.h"
#include "test.h"

#define MAX_DOCS 8
#define MAX_LINE 4096

struct document {
	char name[16], key[64];
	zinc_json_doc *doc;
};

/* The store under construction. */
struct bench {
	const char *format;
	forest f;
	struct document docs[MAX_DOCS];
	size_t ndocs;
	const char *line; /* the name of what is tested */
	size_t *wrong;    /* how many were not as expected */
};

/* What a validation gave. */
struct outcome {
	char rules[3][256]; /* " 20-43 20-44", by level */
	zinc_status status;
	zinc_error err;
};

/* The next word of a line, which is cut behind it; NULL: no more. */
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

/* ---- the store ---- */

static void
put_hex(struct bench *b, const char *key, const char *hex)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t bytes[1024];
	const size_t quoted = strlen(hex);
	size_t n = 0;
	unsigned v;

	if (hex[0] == '"') {
		assert_ok(zinc_store_put(b->f.memory, NULL, key, hex + 1, quoted - 2, NULL, 0, NULL, NULL, &err));
		return;
	}
	for (; hex[0] && n < sizeof bytes; hex += 2, n++) {
		assert_int_equal(sscanf(hex, "%2x", &v), 1);
		bytes[n] = (uint8_t)v;
	}
	assert_ok(zinc_store_put(b->f.memory, NULL, key, bytes, n, NULL, 0, NULL, NULL, &err));
}

static struct document *
find_document(struct bench *b, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < b->ndocs; i++)
		if (strlen(b->docs[i].name) == n && memcmp(b->docs[i].name, name, n) == 0)
			return &b->docs[i];
	fail_msg("%s: no document \"%.*s\"", b->line, (int)n, name);
	return NULL;
}

static zinc_json_doc *
parse(struct bench *b, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;

	if (zinc_json_parse(&doc, b->f.ctx, text, strlen(text), 0, &err) != ZINC_OK)
		fail_msg("%s: %s: %s", b->line, text, err.text);
	return doc;
}

static void
store_document(struct bench *b, const struct document *d)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf text;

	zinc_buf_init(&text, b->f.ctx, SIZE_MAX);
	assert_ok(zinc_json_print_line(zinc_json_root(d->doc), &text, &err));
	forest_put(&b->f, d->key, zinc_buf_text(&text));
	zinc_buf_fini(&text);
}

static void
erase(struct bench *b, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_del(b->f.memory, NULL, key, NULL, 0, NULL, &err));
}

/* "array.chunk_grid.type=..." or "array.shape-": `path` begins behind the document's name. */
static void
edit_member(struct bench *b, struct document *d, char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json *at = zinc_json_root(d->doc);
	char *end = path + strcspn(path, "=-"), *dot;
	const char how = *end;
	zinc_json_doc *value;

	*end = '\0';
	while ((dot = strchr(path, '.')) != NULL) {
		*dot = '\0';
		at = zinc_json_member(at, path);
		path = dot + 1;
	}
	if (how == '-') {
		assert_true(zinc_json_remove(at, path));
	} else {
		value = parse(b, end + 1);
		assert_ok(zinc_json_set(d->doc, at, path, zinc_json_copy(d->doc, zinc_json_root(value)), &err));
		zinc_json_free(value);
	}
	store_document(b, d);
}

static void
edit(struct bench *b, char *word)
{
	const size_t n = strcspn(word, ".:-");
	struct document *d;
	char *colon;

	if (word[0] == '+') {
		colon = strchr(word, ':');
		assert_non_null(colon);
		*colon = '\0';
		put_hex(b, word + 1, colon + 1);
		return;
	}
	if (word[0] == '-') {
		erase(b, word + 1);
		return;
	}
	d = find_document(b, word, n);
	if (word[n] == '.')
		edit_member(b, d, word + n + 1);
	else if (word[n] == ':')
		forest_put(&b->f, d->key, word + n + 1);
	else
		erase(b, d->key);
}

/* "= array key text" or "= key hex" */
static void
describe(struct bench *b, char *line)
{
	char *a = next_word(&line), *second = next_word(&line);
	struct document *d = &b->docs[b->ndocs];

	if (strchr(a, '/')) {
		put_hex(b, a, second);
		return;
	}
	assert_true(b->ndocs < MAX_DOCS);
	b->ndocs++;
	snprintf(d->name, sizeof d->name, "%s", a);
	snprintf(d->key, sizeof d->key, "%s", second);
	d->doc = parse(b, line);
	store_document(b, d);
}

/* ---- the outcome ---- */

static int
see(void *arg, const zinc_finding *f)
{
	struct outcome *o = arg;
	char *text = o->rules[f->level];
	const size_t n = strlen(text);

	snprintf(text + n, sizeof o->rules[0] - n, " %s", f->rule);
	return 0;
}

static void
validate(struct bench *b, int strict, struct outcome *o)
{
	zinc_validate_options options = ZINC_VALIDATE_OPTIONS_INIT;
	char url[128];

	memset(o, 0, sizeof *o);
	options.context = b->f.ctx;
	options.strict = strict;
	snprintf(url, sizeof url, "%s/", zinc_store_url(b->f.memory));
	o->status = zinc_validate(url, &options, see, o, NULL, &o->err);
}

static void
complain(const struct bench *b, const struct outcome *o, const char *rule, const char *expect)
{
	print_error("%s: %s %s: not as expected: warnings%s, errors%s, unsupported%s, status %s %s\n", b->line, rule,
		    expect, o->rules[0], o->rules[1], o->rules[2], zinc_status_name(o->status),
		    o->status == ZINC_OK ? "" : o->err.text);
	*b->wrong += 1;
}

/* Was the rule, and no other, found at this level?  Or did it end the check? */
static void
judge(const struct bench *b, const struct outcome *o, const char *rule, zinc_level level, const char *expect)
{
	const zinc_status ends = level == ZINC_LEVEL_ERROR         ? ZINC_E_CORRUPT
				 : level == ZINC_LEVEL_UNSUPPORTED ? ZINC_E_UNSUPPORTED
								   : ZINC_OK;
	char cite[32];
	int i;

	snprintf(cite, sizeof cite, " %s", rule);
	for (i = 0; i < 3 && o->status == ZINC_OK; i++)
		if (strcmp(o->rules[i], i == (int)level ? cite : "") != 0) {
			complain(b, o, rule, expect);
			return;
		}
	if (o->status == ZINC_OK)
		return;
	if (o->status != ends || strcmp(o->err.rule, rule) != 0)
		complain(b, o, rule, expect);
}

/* Nothing that could be taken for a hierarchy of this draft. */
static void
check_lost(struct bench *b, const char *rule)
{
	struct outcome o = {.status = ZINC_OK};
	zinc_hierarchy *h = NULL;

	o.status = zinc_hierarchy_open(&h, b->f.memory, "", ZINC_OPEN_OPTIONS(.context = b->f.ctx, .format = b->format),
				       &o.err);
	if (o.status == ZINC_OK)
		complain(b, &o, rule, "lost");
	zinc_hierarchy_close(h);
}

static void
check(struct bench *b, const char *rule, const char *expect)
{
	static const struct {
		const char *expect;
		zinc_level lenient, strict;
	} levels[] = {
	    {"error", ZINC_LEVEL_ERROR, ZINC_LEVEL_ERROR},
	    {"lenient", ZINC_LEVEL_WARNING, ZINC_LEVEL_ERROR},
	    {"warning", ZINC_LEVEL_WARNING, ZINC_LEVEL_WARNING},
	    {"unsupported", ZINC_LEVEL_UNSUPPORTED, ZINC_LEVEL_UNSUPPORTED},
	};
	struct outcome o;
	size_t i;

	if (strcmp(expect, "lost") == 0) {
		check_lost(b, rule);
		return;
	}
	if (strcmp(expect, "valid") == 0) {
		validate(b, 1, &o);
		if (o.status != ZINC_OK || o.rules[0][0] || o.rules[1][0] || o.rules[2][0])
			complain(b, &o, rule, expect);
		return;
	}
	for (i = 0; i < COUNT(levels) && strcmp(levels[i].expect, expect) != 0; i++)
		;
	assert_true(i < COUNT(levels));
	validate(b, 0, &o);
	judge(b, &o, rule, levels[i].lenient, expect);
	validate(b, 1, &o);
	judge(b, &o, rule, levels[i].strict, expect);
}

/* ---- the index ---- */

struct index {
	const char *format;
	char lines[400][MAX_LINE];
	size_t n;
};

static void
open_bench(struct bench *b, const struct index *x)
{
	char line[MAX_LINE];
	size_t i;

	memset(b, 0, sizeof *b);
	forest_open(&b->f, "", ZINC_LENIENT);
	b->line = "=";
	for (i = 0; i < x->n; i++)
		if (x->lines[i][0] == '=') {
			snprintf(line, sizeof line, "%s", x->lines[i] + 2);
			describe(b, line);
		}
}

static void
close_bench(struct bench *b)
{
	size_t i;

	for (i = 0; i < b->ndocs; i++)
		zinc_json_free(b->docs[i].doc);
	forest_close(&b->f);
}

static void
replay(const struct index *x, const char *text, size_t *wrong)
{
	char line[MAX_LINE], *rest = line, *rule, *expect, *name, *word;
	struct bench b;

	snprintf(line, sizeof line, "%s", text);
	rule = next_word(&rest);
	expect = next_word(&rest);
	name = next_word(&rest);
	assert_non_null(name);
	open_bench(&b, x);
	b.format = x->format;
	b.line = name;
	b.wrong = wrong;
	while ((word = next_word(&rest)) != NULL)
		edit(&b, word);
	rule[strcspn(rule, ",")] = '\0';
	check(&b, rule, expect);
	close_bench(&b);
}

static void
replay_index(const char *format, size_t least)
{
	struct index *x = calloc(1, sizeof *x);
	char path[512];
	size_t i, n = 0, wrong = 0;
	FILE *file;

	assert_non_null(x);
	x->format = format;
	snprintf(path, sizeof path, ZINC_TEST_SOURCE_DIR "/tests/rules/index_v3_%s.txt", format + strlen("v3-"));
	file = fopen(path, "r");
	assert_non_null(file);
	while (x->n < COUNT(x->lines) && fgets(x->lines[x->n], MAX_LINE, file)) {
		x->lines[x->n][strcspn(x->lines[x->n], "\n")] = '\0';
		x->n += x->lines[x->n][0] != '#' && x->lines[x->n][0] != '\0';
	}
	fclose(file);
	assert_true(x->n < COUNT(x->lines));
	for (i = 0; i < x->n; i++)
		if (isdigit((unsigned char)x->lines[i][0])) {
			replay(x, x->lines[i], &wrong);
			n++;
		}
	free(x);
	assert_true(n >= least);
	assert_int_equal(wrong, 0);
}

static void
test_2019(void **state)
{
	(void)state;
	replay_index("v3-2019", 60);
}

static void
test_2020(void **state)
{
	(void)state;
	replay_index("v3-2020", 60);
}

static void
test_2022(void **state)
{
	(void)state;
	replay_index("v3-2022", 80);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_2019),
	    cmocka_unit_test(test_2020),
	    cmocka_unit_test(test_2022),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
