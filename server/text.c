/* text.c - text that grows, and JSON that is taken apart one level at a time */
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/tool.h>

/* ---- text ---- */

static bool
reserve(struct text *t, size_t n)
{
	size_t room = t->room ? t->room : 256;
	char *p;

	if (!text_ok(t))
		return false;
	if (n > t->most - t->n) {
		t->too_long = true;
		return false;
	}
	while (room <= t->n + n)
		room *= 2;
	if (room == t->room)
		return true;
	p = realloc(t->p, room);
	if (!p) {
		t->no_memory = true;
		return false;
	}
	t->p = p;
	t->room = room;
	return true;
}

bool
text_ok(const struct text *t)
{
	return !t->no_memory && !t->too_long;
}

void
text_bytes(struct text *t, const char *bytes, size_t n)
{
	if (!reserve(t, n))
		return;
	memcpy(t->p + t->n, bytes, n);
	t->n += n;
	t->p[t->n] = '\0';
}

void
text_add(struct text *t, const char *s)
{
	text_bytes(t, s, strlen(s));
}

void
text_u64(struct text *t, uint64_t v)
{
	char digits[24];

	snprintf(digits, sizeof digits, "%llu", (unsigned long long)v);
	text_add(t, digits);
}

void
text_list(struct text *t, const uint64_t *v, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		text_add(t, i ? "," : "");
		text_u64(t, v[i]);
	}
}

void
text_base64(struct text *t, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i;

	for (i = 0; i < n; i += 3) {
		const unsigned second = i + 1 < n ? bytes[i + 1] : 0, third = i + 2 < n ? bytes[i + 2] : 0;
		const unsigned three = (unsigned)bytes[i] << 16 | second << 8 | third;
		const char four[] = {digits[three >> 18], digits[three >> 12 & 63],
				     i + 1 < n ? digits[three >> 6 & 63] : '=', i + 2 < n ? digits[three & 63] : '='};

		text_bytes(t, four, sizeof four);
	}
}

void
text_quote(struct text *t, const char *s)
{
	char escape[8];

	text_add(t, "\"");
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			text_add(t, "\\");
		if ((unsigned char)*s < 0x20) {
			snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*s);
			text_add(t, escape);
		} else {
			text_bytes(t, s, 1);
		}
	}
	text_add(t, "\"");
}

/* The length of the string that begins here, with its quotes. */
static size_t
string_length(const char *s)
{
	size_t n = 1;

	while (s[n] && s[n] != '"')
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return s[n] ? n + 1 : n;
}

/* The length of a token that is no number of strict JSON, or 0. */
static size_t
odd_token(const char *s)
{
	static const char *const tokens[] = {"NaN", "-NaN", "Infinity", "-Infinity"};
	size_t i;

	for (i = 0; i < sizeof tokens / sizeof tokens[0]; i++)
		if (!strncmp(s, tokens[i], strlen(tokens[i])))
			return strlen(tokens[i]);
	return 0;
}

void
text_strict(struct text *t, const char *json)
{
	size_t n;

	while (*json) {
		if (*json == '"') {
			n = string_length(json);
			text_bytes(t, json, n);
		} else if ((n = odd_token(json)) > 0) {
			text_add(t, "\"");
			text_bytes(t, json, n);
			text_add(t, "\"");
		} else {
			text_bytes(t, json, n = 1);
		}
		json += n;
	}
}

char *
text_take(struct text *t)
{
	char *p;

	text_add(t, "");
	p = text_ok(t) ? t->p : NULL;
	if (p)
		t->p = NULL;
	text_free(t);
	return p;
}

void
text_free(struct text *t)
{
	free(t->p);
	*t = (struct text)TEXT_INIT(t->most);
}

/* ---- JSON ---- */

static bool
grow(struct items *x)
{
	const size_t n = x->n + 1;
	char **p;

	if (x->n & (x->n - 1)) /* it is grown at powers of two */
		return true;
	if (!(p = realloc(x->keys, 2 * n * sizeof *p)))
		return false;
	x->keys = p;
	if (!(p = realloc(x->values, 2 * n * sizeof *p)))
		return false;
	x->values = p;
	return true;
}

static int
add_item(void *arg, const char *key, const char *json)
{
	struct items *x = arg;

	if (!grow(x)) {
		x->no_memory = true;
		return 1;
	}
	x->keys[x->n] = key ? strdup(key) : NULL;
	x->values[x->n] = strdup(json);
	x->no_memory = !x->values[x->n] || (key && !x->keys[x->n]);
	x->n++;
	return x->no_memory;
}

bool
json_split(const char *json, struct items *out)
{
	*out = (struct items){NULL, NULL, 0, false};
	return json && zinc_json_each(NULL, json, add_item, out, NULL) == ZINC_OK && !out->no_memory;
}

void
items_free(struct items *x)
{
	size_t i;

	for (i = 0; i < x->n; i++) {
		free(x->keys[i]);
		free(x->values[i]);
	}
	free(x->keys);
	free(x->values);
	*x = (struct items){NULL, NULL, 0, false};
}

const char *
items_find(const struct items *x, const char *key)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		if (x->keys[i] && !strcmp(x->keys[i], key))
			return x->values[i];
	return NULL;
}

char *
json_member(const char *json, const char *key)
{
	struct items x;
	const char *found;
	char *out = NULL;

	if (json_split(json, &x) && (found = items_find(&x, key)))
		out = strdup(found);
	items_free(&x);
	return out;
}

/* The library unescapes names of members. */
char *
json_string(const char *json)
{
	struct text t = TEXT_INIT(SIZE_MAX / 4);
	struct items x;
	char *object, *out = NULL;

	if (!json || json[0] != '"')
		return NULL;
	text_add(&t, "{");
	text_add(&t, json);
	text_add(&t, ":0}");
	object = text_take(&t);
	if (json_split(object, &x) && x.n == 1) {
		out = x.keys[0];
		x.keys[0] = NULL;
	}
	items_free(&x);
	free(object);
	return out;
}

bool
json_number(const char *json, uint64_t *out)
{
	char *end;

	if (!json || *json < '0' || *json > '9')
		return false;
	errno = 0;
	*out = strtoull(json, &end, 10);
	return errno == 0 && *end == '\0';
}

int
json_numbers(const char *json, uint64_t *out, int most)
{
	struct items x;
	int n = -1;
	size_t i;

	if (json && json[0] == '[' && json_split(json, &x)) {
		for (i = 0; i < x.n && (int)i < most && json_number(x.values[i], &out[i]);)
			i++;
		n = i == x.n ? (int)i : -1;
		items_free(&x);
	}
	return n;
}
