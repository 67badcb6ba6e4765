/*
 * options.h - what the numbers of an options structure may be
 *
 * Each room describes the options of its own calls:
 *
 *     ZINC_OPTIONS_KIND(zinc_stats_options, ZINC_OPTION_COUNT(zinc_stats_options, threads));
 */
#ifndef ZINC_OPTIONS_H
#define ZINC_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct zinc_option_range {
	const char *name; /* NULL: the end */
	size_t at;
	bool real; /* a double, not negative; else an int: */
	int least, most;
} zinc_option_range;

typedef struct zinc_options_kind {
	const char *name;
	size_t nbytes;
	const zinc_option_range *ranges;
} zinc_options_kind;

/* clang-format off */
#define ZINC_OPTION_RANGE(type, member, least, most) {#member, offsetof(type, member), false, least, most}
#define ZINC_OPTION_YES_NO(type, member)             ZINC_OPTION_RANGE(type, member, 0, 1)
#define ZINC_OPTION_UNLESS(type, member)             ZINC_OPTION_RANGE(type, member, -1, 1) /* unset, no, yes */
#define ZINC_OPTION_COUNT(type, member)              ZINC_OPTION_RANGE(type, member, 0, INT_MAX)
#define ZINC_OPTION_LINKS(type)                      ZINC_OPTION_RANGE(type, links, 0, ZINC_LINKS_REFUSE)
#define ZINC_OPTION_REAL(type, member)               {#member, offsetof(type, member), true, 0, 0}
/* clang-format on */

/* Defines the kind zinc_x_options_kind of a structure zinc_x_options. */
#define ZINC_OPTIONS_KIND(type, ...)                                                                                   \
	const zinc_options_kind type##_kind = {#type, sizeof(type),                                                    \
					       (const zinc_option_range[]){__VA_ARGS__, {NULL, 0, false, 0, 0}}}

extern const zinc_options_kind zinc_context_options_kind, zinc_call_options_kind;

#endif
