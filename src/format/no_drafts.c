/*
 * no_drafts.c - replacements for the drafts' files, in a build without them (ZINC_WITH_DRAFTS=0)
 *
 * No hierarchy has an entry point then, so most of this is never called.
 */
#include "format/draft.h"

#if !ZINC_WITH_DRAFTS

const zinc_json *
zinc_draft_declared(const zinc_hierarchy *h)
{
	(void)h;
	return NULL;
}

size_t
zinc_draft_document(const zinc_hierarchy *h, const char *name, zinc_node_kind *kind)
{
	(void)h, (void)name;
	*kind = ZINC_NODE_NONE;
	return 0;
}

zinc_status
zinc_draft_find_scalar(zinc_hierarchy *h, const char *path, zinc_meta *m, zinc_error *err)
{
	(void)h, (void)path, (void)m, (void)err;
	return ZINC_OK;
}

zinc_status
zinc_draft_check_case(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	(void)h, (void)path, (void)err;
	return ZINC_OK;
}

const char *
zinc_draft_member_uri(const zinc_draft *d, zinc_node_kind kind, const zinc_json *member)
{
	(void)d, (void)kind, (void)member;
	return NULL;
}

zinc_status
zinc_hierarchy_init(zinc_hierarchy *h, zinc_error *err)
{
	(void)h, (void)err;
	return ZINC_OK;
}

void
zinc_hierarchy_leave(zinc_hierarchy *h)
{
	(void)h;
}

#endif
