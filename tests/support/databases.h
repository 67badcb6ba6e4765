/*
 * databases.h - what the tests of all stores in databases look at: long values, and tags of parts
 */
#ifndef DATABASES_H
#define DATABASES_H

#include <zinc/store.h>

/* A value of three million bytes: put, read whole, in part and with its tag; too long for a limit. */
void assert_long_value(zinc_store *s);
/* The tag of a part of a value of n bytes is not taken from before a change, by this store or by another of the same
 * database. */
void assert_tags_of_parts(zinc_store *s, zinc_store *other, size_t n);
/* There is no database at the path, and changes that change nothing do not make one. */
void assert_erasing_creates_nothing(zinc_store *s, const char *path);

#endif
