/*
 * json_print.c - values as text: indented, or on one line
 *
 *    {                                     {"a":1,"b":[1,2],"c":[{}]}
 *      "a": 1,
 *      "b": [1, 2],
 *      "c": [
 *        {}
 *      ]
 *    }
 *
 * The printed text parses to an equal value.  The walk goes by `parent`, without recursion.
 */
#include "json/json_impl.h"

static const char hex[] = "0123456789abcdef";

/* The escape of a control character, quote or backslash; returns its length.  Other characters stay readable. */
static size_t
escape(uint8_t c, char out[6])
{
	static const char plain[] = "\"\\\b\f\n\r\t", named[] = "\"\\bfnrt";
	const char *at = (const char *)memchr(plain, c, sizeof plain - 1);

	out[0] = '\\';
	if (at) {
		out[1] = named[at - plain];
		return 2;
	}
	out[1] = 'u';
	out[2] = out[3] = '0';
	out[4] = hex[c >> 4];
	out[5] = hex[c & 15];
	return 6;
}

/* Runs of characters without escapes are added at once. */
zinc_status
zinc_json_print_string(const char *s, size_t n, zinc_buf *out, zinc_error *err)
{
	size_t i, from = 0, len;
	char text[6];

	if (!zinc_utf8_valid(s, n))
		return zinc_fail(err, ZINC_E_INVALID, "text that is not valid UTF-8 cannot be JSON: %.*s",
				 n < 100 ? (int)n : 100, s);
	ZINC_TRY(zinc_buf_add(out, "\"", 1, err));
	for (i = 0; i < n; i++) {
		if ((uint8_t)s[i] >= 0x20 && s[i] != '"' && s[i] != '\\')
			continue;
		len = escape((uint8_t)s[i], text);
		ZINC_TRY(zinc_buf_add(out, s + from, i - from, err));
		ZINC_TRY(zinc_buf_add(out, text, len, err));
		from = i + 1;
	}
	ZINC_TRY(zinc_buf_add(out, s + from, n - from, err));
	return zinc_buf_add(out, "\"", 1, err);
}

static bool
is_container(const zinc_json *v)
{
	return v->type == ZINC_JSON_ARRAY || v->type == ZINC_JSON_OBJECT;
}

/* A value without children. */
static zinc_status
print_leaf(const zinc_json *v, zinc_buf *out, zinc_error *err)
{
	static const char *const words[] = {
	    [ZINC_JSON_NULL] = "null", [ZINC_JSON_FALSE] = "false", [ZINC_JSON_TRUE] = "true",
	    [ZINC_JSON_ARRAY] = "[]",  [ZINC_JSON_OBJECT] = "{}",
	};

	if (v->type == ZINC_JSON_NUMBER)
		return zinc_buf_add(out, v->text, v->n, err);
	if (v->type == ZINC_JSON_STRING)
		return zinc_json_print_string(v->text, v->n, out, err);
	return zinc_buf_puts(out, words[v->type], err);
}

/* An array of scalars fits on one line. */
static bool
is_flat(const zinc_json *v)
{
	const zinc_json *item;

	if (v->type != ZINC_JSON_ARRAY)
		return false;
	for (item = v->first; item; item = item->next)
		if (is_container(item))
			return false;
	return true;
}

/* A shape is [720, 1440], not a column of numbers. */
static zinc_status
print_flat(const zinc_json *v, zinc_buf *out, zinc_error *err)
{
	const zinc_json *item;

	for (item = v->first; item; item = item->next) {
		ZINC_TRY(zinc_buf_puts(out, item == v->first ? "[" : ", ", err));
		ZINC_TRY(print_leaf(item, out, err));
	}
	return zinc_buf_add(out, "]", 1, err);
}

static zinc_status
print_name(const zinc_json *v, bool pretty, zinc_buf *out, zinc_error *err)
{
	if (!v->parent || v->parent->type != ZINC_JSON_OBJECT)
		return ZINC_OK;
	ZINC_TRY(zinc_json_print_string(v->key, v->nkey, out, err));
	return zinc_buf_puts(out, pretty ? ": " : ":", err);
}

static zinc_status
new_line(size_t depth, bool pretty, zinc_buf *out, zinc_error *err)
{
	if (!pretty)
		return ZINC_OK;
	ZINC_TRY(zinc_buf_add(out, "\n", 1, err));
	for (; depth > 0; depth--)
		ZINC_TRY(zinc_buf_add(out, "  ", 2, err));
	return ZINC_OK;
}

/* Print `v` up to its first child, or completely if it has none or is flat; *whole says which. */
static zinc_status
print_start(const zinc_json *v, bool pretty, bool *whole, zinc_buf *out, zinc_error *err)
{
	*whole = true;
	if (!v->first || !is_container(v))
		return print_leaf(v, out, err);
	if (pretty && is_flat(v))
		return print_flat(v, out, err);
	*whole = false;
	return zinc_buf_puts(out, v->type == ZINC_JSON_OBJECT ? "{" : "[", err);
}

/* Down to the first child, on to the next sibling, or up, closing containers; `depth` is only for indentation. */
static zinc_status
print_tree(const zinc_json *root, bool pretty, zinc_buf *out, zinc_error *err)
{
	const zinc_json *v = root;
	size_t depth = 0;
	bool whole;

	for (;;) {
		ZINC_TRY(print_start(v, pretty, &whole, out, err));
		if (!whole) {
			v = v->first;
			depth++;
		} else {
			for (; v != root && !v->next; v = v->parent) {
				ZINC_TRY(new_line(--depth, pretty, out, err));
				ZINC_TRY(zinc_buf_puts(out, v->parent->type == ZINC_JSON_OBJECT ? "}" : "]", err));
			}
			if (v == root)
				return ZINC_OK;
			ZINC_TRY(zinc_buf_add(out, ",", 1, err));
			v = v->next;
		}
		ZINC_TRY(new_line(depth, pretty, out, err));
		ZINC_TRY(print_name(v, pretty, out, err));
	}
}

zinc_status
zinc_json_print(const zinc_json *v, zinc_buf *out, zinc_error *err)
{
	return v ? print_tree(v, true, out, err) : zinc_fail_nomem(err);
}

zinc_status
zinc_json_print_line(const zinc_json *v, zinc_buf *out, zinc_error *err)
{
	return v ? print_tree(v, false, out, err) : zinc_fail_nomem(err);
}
