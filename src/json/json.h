/*
 * json.h - interface of the room `json`: documents, exactly as written
 *
 * A document is a tree of values in one arena.  Numbers keep their spelling (no value ever passes through a double),
 * members keep their order, duplicate members are detected.  Reading, printing, copying and comparing are iterative:
 * depth costs memory, never stack.  Members are found by binary search.
 */
#ifndef ZINC_JSON_H
#define ZINC_JSON_H

#include "base/base.h"

typedef enum zinc_json_type {
	ZINC_JSON_NULL,
	ZINC_JSON_FALSE,
	ZINC_JSON_TRUE,
	ZINC_JSON_NUMBER,
	ZINC_JSON_STRING,
	ZINC_JSON_ARRAY,
	ZINC_JSON_OBJECT
} zinc_json_type;

/* One value.  Its members may be read; they are changed only by the functions below. */
typedef struct zinc_json {
	zinc_json_type type;
	uint32_t nkey;
	const char *key;         /* in an object: the member's name (NUL-terminated, may contain NUL inside) */
	const char *text;        /* NUMBER: the token; STRING: the bytes; NUL-terminated */
	size_t n;                /* bytes of text, or number of children */
	struct zinc_json *first; /* children */
	struct zinc_json *last;
	struct zinc_json *next;    /* sibling */
	struct zinc_json *parent;  /* NULL: not part of another value */
	struct zinc_json **sorted; /* OBJECT: its members, sorted by the bytes of their names */
} zinc_json;

typedef struct zinc_json_doc zinc_json_doc; /* owns all values */

#define ZINC_JSON_NAN_TOKENS 1u /* accept NaN, Infinity, -Infinity as numbers: Python writes them into attributes */
#define ZINC_JSON_DUPLICATES 2u /* the last of duplicate members counts, see zinc_json_duplicate; else E_CORRUPT */
#define ZINC_JSON_ANY_SIZE   4u /* ignore the zinc_limits of length and number of values: to make a document shorter */

/* Fixed limits: the longest name and the longest number. */
#define ZINC_JSON_KEY_MAX    (64 * ZINC_KIB)
#define ZINC_JSON_NUMBER_MAX 1000u

/* Parse exactly one value.  E_CORRUPT with line and column, E_LIMIT (zinc_limits), E_NOMEM. */
ZINC_MODULE_API zinc_status zinc_json_parse(zinc_json_doc **out, zinc_context *ctx, const char *text, size_t n,
					    uint32_t flags, zinc_error *err);
/* An empty document for building; its root is set by zinc_json_set_root. */
zinc_status zinc_json_new(zinc_json_doc **out, zinc_context *ctx, zinc_error *err);
ZINC_MODULE_API void zinc_json_free(zinc_json_doc *doc);
ZINC_MODULE_API zinc_json *zinc_json_root(const zinc_json_doc *doc);
void zinc_json_set_root(zinc_json_doc *doc, zinc_json *root);
zinc_context *zinc_json_context(const zinc_json_doc *doc);
/* The name of the first duplicate member, or NULL. */
const char *zinc_json_duplicate(const zinc_json_doc *doc);

/* Access.  All accept NULL values and then return NULL or false. */
ZINC_MODULE_API zinc_json *zinc_json_member(const zinc_json *object, const char *key);
zinc_json *zinc_json_item(const zinc_json *array, size_t i); /* linear */
bool zinc_json_is(const zinc_json *v, zinc_json_type type);
bool zinc_json_is_string(const zinc_json *v, const char *s);
bool zinc_json_bool(const zinc_json *v, bool *out); /* TRUE or FALSE only */
/* An integer token (no fraction, no exponent) in range; "-0" is 0. */
bool zinc_json_u64(const zinc_json *v, uint64_t *out);
bool zinc_json_i64(const zinc_json *v, int64_t *out);
bool zinc_json_is_integer(const zinc_json *v); /* token without fraction and exponent, any size */
/* The nearest double, no locale; false for non-numbers.  Overflow gives infinity. */
bool zinc_json_double(const zinc_json *v, double *out);
/* Are the values equal?  Order of members is ignored.  Numbers are equal by spelling or, if both are integers or both
 * have a fraction or exponent, by value (finite doubles).  At worst O(n log n), and no memory. */
bool zinc_json_equal(const zinc_json *a, const zinc_json *b);

/* Building.  Values belong to `doc`.  NULL: out of memory.  Every function accepts NULL values (and then returns NULL
 * or E_NOMEM), so that one check at the end is enough. */
zinc_json *zinc_json_make(zinc_json_doc *doc, zinc_json_type type); /* NULL, TRUE, FALSE, ARRAY, OBJECT */
zinc_json *zinc_json_make_string(zinc_json_doc *doc, const char *s);
zinc_json *zinc_json_make_stringn(zinc_json_doc *doc, const char *s, size_t n);
zinc_json *zinc_json_make_u64(zinc_json_doc *doc, uint64_t v);
zinc_json *zinc_json_make_i64(zinc_json_doc *doc, int64_t v);
zinc_json *zinc_json_make_u64_list(zinc_json_doc *doc, const uint64_t *numbers, int n); /* a list of them */
zinc_json *zinc_json_make_number(zinc_json_doc *doc, const char *token); /* NULL also when `token` is not a number */
/* The shortest decimal that reads back as the same double (or float), spelled as in Python ("1.0", "1e-05").  NULL also
 * when not finite. */
zinc_json *zinc_json_make_double(zinc_json_doc *doc, double v);
zinc_json *zinc_json_make_float(zinc_json_doc *doc, double v, size_t size); /* of a type of so many bytes */
zinc_json *zinc_json_copy(zinc_json_doc *doc, const zinc_json *v);          /* deep, without its key and siblings */
/* Does it contain NaN tokens?  And a copy with the strings "NaN", "Infinity", "-Infinity" instead. */
bool zinc_json_has_nan(const zinc_json *v);
zinc_json *zinc_json_copy_plain(zinc_json_doc *doc, const zinc_json *v);
/* The value must not be part of another yet (E_INVALID). */
zinc_status zinc_json_append(zinc_json *array, zinc_json *v, zinc_error *err);
/* Set or replace a member; a replaced one keeps its position.  `key` is copied. */
zinc_status zinc_json_set(zinc_json_doc *doc, zinc_json *object, const char *key, zinc_json *v, zinc_error *err);
bool zinc_json_remove(zinc_json *object, const char *key);

/* Printing: indented by two spaces, arrays of scalars on one line.  Or compact, on one line. */
zinc_status zinc_json_print(const zinc_json *v, zinc_buf *out, zinc_error *err);
zinc_status zinc_json_print_line(const zinc_json *v, zinc_buf *out, zinc_error *err);
/* A string with its quotes.  E_INVALID when it is not valid UTF-8, here and above. */
zinc_status zinc_json_print_string(const char *s, size_t n, zinc_buf *out, zinc_error *err);

#endif
