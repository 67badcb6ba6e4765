/* text.h - text that grows, and JSON that is taken apart one level at a time */
#ifndef ZINC_SERVER_TEXT_H
#define ZINC_SERVER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text of at most `most` bytes.  What does not fit, or has no memory, sets a flag; all further additions do nothing. */
struct text {
	char *p; /* NULL: nothing added yet */
	size_t n, room, most;
	bool no_memory, too_long;
};

#define TEXT_INIT(limit)                                                                                               \
	{                                                                                                              \
		NULL, 0, 0, (limit), false, false                                                                      \
	}

void text_add(struct text *t, const char *s);
void text_bytes(struct text *t, const char *bytes, size_t n);
/* A number, or with `list` numbers separated by commas. */
void text_u64(struct text *t, uint64_t v);
void text_list(struct text *t, const uint64_t *v, int n);
/* Bytes in base64, without quotes. */
void text_base64(struct text *t, const unsigned char *bytes, size_t n);
/* A string of JSON, with quotes. */
void text_quote(struct text *t, const char *s);
/* JSON as strict readers want it: NaN, Infinity and -Infinity outside of strings become strings. */
void text_strict(struct text *t, const char *json);
bool text_ok(const struct text *t);
/* The text for free(), "" if nothing was added; NULL if it failed.  `t` is empty then. */
char *text_take(struct text *t);
void text_free(struct text *t);

/* The members of an object, or the items of a list (whose keys are NULL). */
struct items {
	char **keys, **values;
	size_t n;
	bool no_memory;
};

/* False: not JSON, or no memory.  Free the items in both cases. */
bool json_split(const char *json, struct items *out);
void items_free(struct items *x);
/* The value of a member, borrowed; NULL: none. */
const char *items_find(const struct items *x, const char *key);
/* The value of a member of an object, for free(); NULL: none. */
char *json_member(const char *json, const char *key);
/* A string of JSON without quotes and escapes, for free(); NULL: not a string. */
char *json_string(const char *json);
/* Numbers of a list; the count, or -1: not such a list, or more than `most`. */
int json_numbers(const char *json, uint64_t *out, int most);
bool json_number(const char *json, uint64_t *out);

#endif
