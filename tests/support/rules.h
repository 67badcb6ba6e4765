/*
 * rules.h - the stores of tests/rules: each line of an index is a store that follows or breaks one rule
 *
 * An index first names documents by name, key and text, and values in hexadecimal:
 *
 *   = array meta/root/a.array.json {"shape": ...}     in every store of the index
 *   = data/root/a/c0 0100                             a value, in every store
 *   ~ array zarr.json {"zarr_format": ...}            only in stores whose line names it
 *
 * Every other line is one case: rules, expectation, name, edits.
 *
 *   20-43     error        negative  array.shape=[-1]
 *   M63,M60   error        backwards array.codecs=[...]
 *   M72       error@store  empty     array +c/0:
 *
 * If there are several rules, a finding names the first, and the case is an example of the last.  The word after an
 * "@" says which check finds it; docs/rules.md and the tests explain the words.  Edits:
 *
 *   array.codecs.0.name="x"   a member is set           array.shape-       a member is removed
 *   array:text                the whole text is set     array-             the document is removed
 *   array                     the unchanged document    +key:@array        the document at another key
 *   +data/root/a/c1:0100      a value is put            +key:              of no bytes
 *   +key:"text"               of text                   -data/root/a/c0    a value is erased
 *
 * Words end at blanks: a blank in a document is written \u0020.
 */
#ifndef RULES_H
#define RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <zinc/store.h>

typedef struct rule_index rule_index;

typedef struct rule_case {
	char rule[16];  /* the one that a finding names */
	char owner[16]; /* the one whose example this is */
	char expect[16], where[16];
	char name[64];
	char path[96]; /* owner-name: the name of the store as a directory */
	const char *edits;
} rule_case;

/* The index tests/rules/index_<version>.txt; "v2", "v3", "v3_2019" ... */
rule_index *rules_open(const char *version);
void rules_close(rule_index *x);
size_t rules_count(const rule_index *x);
void rules_case(const rule_index *x, size_t i, rule_case *c);
/* Put all values of a case's store into an empty one. */
void rules_build(const rule_index *x, const rule_case *c, zinc_store *store);

/*
 * Validate the store of every case, leniently and strictly, and with `fast` also without looking at data,
 * except "@store" and "@copy".  Fails the test if one is not as expected, or if there are fewer than `least`.
 *
 * Expectations: valid (nothing is found, not even strictly); error, lenient, warning and unsupported, as in
 * docs/rules.md and docs/conformance.md, of the first rule (and, except with "@copy" and "@more", of no other); lost
 * (nothing can be opened as this format).  An error in an entry point may end the check itself; then the error must
 * cite the rule.
 */
void rules_validate(const char *version, const char *format, bool fast, size_t least);

#endif
