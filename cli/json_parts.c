/*
 * json_parts.c - members and items of a JSON text that the library made
 *
 * The library gives descriptions and attributes as one line of valid JSON, so the parts can be cut out of the text
 * without parsing and printing it again.  A text with escapes is passed to the library.
 */
#include "cli.h"

/* The end of the value at p: a comma or bracket outside of it. */
static const char *
value_end(const char *p)
{
	bool quoted = false;
	int depth = 0;

	for (; *p; p++) {
		if (*p == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		if (depth == 0 && strchr(",]}", *p))
			break;
		depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
	}
	return p;
}

void
json_parts(const char *json, zinc_member_fn fn, void *arg)
{
	const bool object = *json == '{';
	struct text name = {NULL, 0, 0}, value = {NULL, 0, 0};
	const char *p = json + 1, *end;
	bool stop = !object && *json != '[';

	if (strchr(json, '\\')) {
		(void)!zinc_json_each(NULL, json, fn, arg, NULL);
		return;
	}
	for (; !stop && *p && *p != ']' && *p != '}'; p = end + (*end == ',')) {
		name.n = value.n = 0;
		if (object) { /* "name":value */
			const size_t n = strcspn(++p, "\"");

			text_add(&name, p, n);
			p += n + 2;
		}
		end = value_end(p);
		text_add(&value, p, (size_t)(end - p));
		stop = fn(arg, object ? text_str(&name) : NULL, text_str(&value)) != 0;
	}
	text_free(&name);
	text_free(&value);
}

struct wanted {
	const char *key;
	struct text *value;
	bool found;
};

static int
take_member(void *arg, const char *key, const char *json)
{
	struct wanted *w = arg;

	w->found = key && !strcmp(key, w->key);
	if (w->found)
		text_puts(w->value, json);
	return w->found;
}

bool
json_member(const char *object, const char *key, struct text *value)
{
	struct wanted w = {key, value, false};

	json_parts(object, take_member, &w);
	return w.found;
}
