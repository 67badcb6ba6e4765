/*
 * rules_validate.c - what zinc_validate must find in the stores of tests/rules
 */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "nodes.h"
#include "rules.h"
#include "test.h"

/* The store of one case. */
struct bench {
	const rule_case *c;
	forest f;
	bool fast;     /* are documents checked without data? */
	size_t *wrong; /* how many were not as expected */
};

/* The result of a validation. */
struct outcome {
	char rules[3][256]; /* " 20-43 20-44", by level */
	zinc_status status;
	zinc_error err;
};

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
validate(struct bench *b, int strict, int fast, struct outcome *o)
{
	zinc_validate_options options = ZINC_VALIDATE_OPTIONS_INIT;
	char url[128];

	memset(o, 0, sizeof *o);
	options.context = b->f.ctx;
	options.strict = strict;
	options.fast = fast;
	snprintf(url, sizeof url, "%s/", zinc_store_url(b->f.memory));
	o->status = zinc_validate(url, &options, see, o, NULL, &o->err);
}

static void
complain(const struct bench *b, const struct outcome *o)
{
	print_error("%s: %s %s: not as expected: warnings%s, errors%s, unsupported%s, status %s %s\n", b->c->name,
		    b->c->rule, b->c->expect, o->rules[0], o->rules[1], o->rules[2], zinc_status_name(o->status),
		    o->status == ZINC_OK ? "" : o->err.text);
	*b->wrong += 1;
}

static bool
is_where(const struct bench *b, const char *where)
{
	return strcmp(b->c->where, where) == 0;
}

/* Was the rule found at this level, and no other unless the index says so? Or did it end the check? */
static bool
as_expected(const struct bench *b, const struct outcome *o, zinc_level level)
{
	const zinc_status ends = level == ZINC_LEVEL_ERROR         ? ZINC_E_CORRUPT
				 : level == ZINC_LEVEL_UNSUPPORTED ? ZINC_E_UNSUPPORTED
								   : ZINC_OK;
	char cite[32];
	int i;

	snprintf(cite, sizeof cite, " %s", b->c->rule);
	if (o->status != ZINC_OK)
		return o->status == ends && strcmp(o->err.rule, b->c->rule) == 0;
	if (is_where(b, "copy") || is_where(b, "more"))
		return strstr(o->rules[level], cite) != NULL;
	for (i = 0; i < 3; i++)
		if (strcmp(o->rules[i], i == (int)level ? cite : "") != 0)
			return false;
	return true;
}

static void
judge(struct bench *b, int strict, int fast, zinc_level level)
{
	struct outcome o;

	validate(b, strict, fast, &o);
	if (!as_expected(b, &o, level))
		complain(b, &o);
}

static void
check_valid(struct bench *b)
{
	struct outcome o;

	validate(b, 1, 0, &o);
	if (o.status != ZINC_OK || o.rules[0][0] || o.rules[1][0] || o.rules[2][0])
		complain(b, &o);
}

/* Nothing that is recognized as a hierarchy of this format. */
static void
check_lost(struct bench *b, const char *format)
{
	struct outcome o = {.status = ZINC_OK};
	zinc_hierarchy *h = NULL;

	o.status =
	    zinc_hierarchy_open(&h, b->f.memory, "", ZINC_OPEN_OPTIONS(.context = b->f.ctx, .format = format), &o.err);
	if (o.status == ZINC_OK)
		complain(b, &o);
	zinc_hierarchy_close(h);
}

static void
check_breach(struct bench *b)
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
	size_t i;

	for (i = 0; i < COUNT(levels) && strcmp(levels[i].expect, b->c->expect) != 0; i++)
		;
	if (i == COUNT(levels))
		fail_msg("%s: what is \"%s\"?", b->c->name, b->c->expect);
	judge(b, 0, 0, levels[i].lenient);
	judge(b, 1, 0, levels[i].strict);
	if (b->fast && !is_where(b, "store") && !is_where(b, "copy"))
		judge(b, 0, 1, levels[i].lenient);
}

void
rules_validate(const char *version, const char *format, bool fast, size_t least)
{
	rule_index *x = rules_open(version);
	size_t i, wrong = 0;
	rule_case c;

	for (i = 0; i < rules_count(x); i++) {
		struct bench b = {.c = &c, .fast = fast, .wrong = &wrong};

		rules_case(x, i, &c);
		forest_open(&b.f, "", ZINC_LENIENT);
		rules_build(x, &c, b.f.memory);
		if (strcmp(c.expect, "lost") == 0)
			check_lost(&b, format);
		else if (strcmp(c.expect, "valid") == 0)
			check_valid(&b);
		else
			check_breach(&b);
		forest_close(&b.f);
	}
	assert_true(rules_count(x) >= least);
	rules_close(x);
	assert_int_equal(wrong, 0);
}
