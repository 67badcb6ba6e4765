/*
 * json_write.c - the command's only writer of JSON
 *
 * A writer is text and one flag: whether the next value or name needs a comma before it.  So the text may be handed
 * on at any time, and a list may be written while the members around it are not known yet.  Nothing is indented.
 */
#include <math.h>

#include "cli.h"

/* Write the comma before a value or name, if one is due. */
static void
separate(struct json *j)
{
	if (j->comma)
		text_add(&j->text, ",", 1);
	j->comma = true;
}

struct text *
json_value(struct json *j)
{
	separate(j);
	return &j->text;
}

static void
begin(struct json *j, const char *bracket)
{
	text_add(json_value(j), bracket, 1);
	j->comma = false;
}

static void
end(struct json *j, const char *bracket)
{
	text_add(&j->text, bracket, 1);
	j->comma = true;
}

void
json_begin_object(struct json *j)
{
	begin(j, "{");
}

void
json_end_object(struct json *j)
{
	end(j, "}");
}

void
json_begin_array(struct json *j)
{
	begin(j, "[");
}

void
json_end_array(struct json *j)
{
	end(j, "]");
}

void
json_reopen_object(struct json *j)
{
	j->text.n--;
	j->comma = j->text.p[j->text.n - 1] != '{';
}

struct json *
json_key(struct json *j, const char *name)
{
	json_string(j, name);
	text_add(&j->text, ":", 1);
	j->comma = false;
	return j;
}

void
json_string(struct json *j, const char *s)
{
	if (s)
		text_json(json_value(j), s);
	else
		json_null(j);
}

void
json_uint(struct json *j, uint64_t v)
{
	text_printf(json_value(j), "%llu", (unsigned long long)v);
}

void
json_fixed(struct json *j, double v, int decimals)
{
	text_printf(json_value(j), "%.*f", decimals, v);
}

void
text_json_float(struct text *t, double v, enum width w)
{
	if (isfinite(v))
		text_float(t, v, w);
	else
		text_puts(t, isnan(v) ? "\"NaN\"" : v < 0 ? "\"-Infinity\"" : "\"Infinity\"");
}

void
json_float(struct json *j, double v, enum width w)
{
	text_json_float(json_value(j), v, w);
}

void
json_bool(struct json *j, bool v)
{
	json_raw(j, v ? "true" : "false");
}

void
json_null(struct json *j)
{
	json_raw(j, "null");
}

void
json_raw(struct json *j, const char *json)
{
	text_puts(json_value(j), json);
}

void
json_compact(struct json *j, const char *json)
{
	text_compact(json_value(j), json);
}

void
json_shape(struct json *j, const uint64_t *shape, int ndim)
{
	int d;

	json_begin_array(j);
	for (d = 0; d < ndim; d++)
		json_uint(j, shape[d]);
	json_end_array(j);
}

void
json_list(struct json *j, struct json *items)
{
	json_begin_array(j);
	text_add(&j->text, text_str(&items->text), items->text.n);
	json_end_array(j);
	json_free(items);
}

void
out_document(struct out *o, struct json *j)
{
	text_puts(&j->text, "\n");
	out_text(o, &j->text);
	json_free(j);
}

void
json_free(struct json *j)
{
	text_free(&j->text);
	j->comma = false;
}
