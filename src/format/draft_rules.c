/*
 * draft_rules.c - the numbers of each draft's rules, and how rules of the final version map to them
 */
#include "format/draft.h"

#define X(rule, first, second, third) [ZINC_DRAFT_##rule] = first,
const char *const zinc_draft_rules_2019[ZINC_DRAFT_NRULES] = {ZINC_DRAFT_RULES(X)};
#undef X

#define X(rule, first, second, third) [ZINC_DRAFT_##rule] = second,
const char *const zinc_draft_rules_2020[ZINC_DRAFT_NRULES] = {ZINC_DRAFT_RULES(X)};
#undef X

#define X(rule, first, second, third) [ZINC_DRAFT_##rule] = third,
const char *const zinc_draft_rules_2022[ZINC_DRAFT_NRULES] = {ZINC_DRAFT_RULES(X)};
#undef X
