/* cmd_consolidate.c - zinc consolidate: write or remove the consolidated metadata of a group */
#include "cli.h"

int
cmd_consolidate(struct run *r)
{
	const char *url = r->args->words.at[0];
	const bool remove = r->args->remove;
	zinc_node_kind kind = ZINC_NODE_NONE;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	int status = open_node(r, url, true, &h);

	if (status != DONE)
		return status;
	if (zinc_node_exists(h, zinc_hierarchy_path(h), &kind, &until_stopped, &err))
		status = fail(url, &err);
	else if (kind != ZINC_NODE_GROUP)
		status = complain(USAGE, url, "not a group: only groups have consolidated metadata");
	else if (r->args->dry_run && (status = may_write(url, h)) == DONE)
		out_printf(&r->out, "would %s the consolidated metadata of %s\n", remove ? "remove" : "write", url);
	else if (!r->args->dry_run && zinc_consolidate(h, zinc_hierarchy_path(h), remove, &until_stopped, &err))
		status = fail(url, &err);
	zinc_hierarchy_close(h);
	return status;
}
