/*
 * copy_select.c - the part of each array that is copied
 *
 * One text selects from all arrays of a group: by names of dimensions, as indices or as values of coordinates.  An
 * array without any of the dimensions is copied whole.
 *
 * Promises (tests/unit/test_copy_select.c names each by its number):
 *
 * (1) Every array that has a selected dimension is cut, coordinates and their bounds included; an index or a single
 *     value drops the dimension.
 * (2) An item of the text that belongs to no array is E_INVALID before anything is written.
 * (3) What the text means is part of the plan: a copy is not resumed if coordinates have other values then.
 */
#include "tool/copy.h"

/* Positions have none of these characters. */
static bool
has_names(const char *text)
{
	return strpbrk(text, "=@\"") != NULL;
}

static bool
is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

static bool
is_whole(const zinc_selection *s, const zinc_meta *m)
{
	int d;

	for (d = 0; d < m->ndim; d++)
		if (s->dims[d].drop || s->dims[d].list || s->dims[d].start > 0 || s->dims[d].step > 1 ||
		    s->dims[d].count != m->shape[d])
			return false;
	return true;
}

/* A selection of everything is none, so that objects can be copied as they are. */
static zinc_status
select_from(zinc_cp *c, zinc_cp_node *n, bool lenient, uint64_t *used, zinc_error *err)
{
	const zinc_call_options rest = zinc_wait_rest(&c->wait);
	zinc_find_options o = ZINC_FIND_OPTIONS_INIT;
	uint64_t mine = 0;

	o.lenient = lenient;
	o.used = &mine;
	o.call = &rest;
	if (!n->in)
		ZINC_TRY(zinc_array_make(&n->in, c->from, n->from, n->source, err));
	ZINC_TRY(zinc_selection_find(&n->select, n->in, c->o.select, &o, err));
	*used |= mine;
	if (lenient && is_whole(n->select, n->source)) {
		zinc_selection_free(n->select);
		n->select = NULL;
	}
	return ZINC_OK;
}

zinc_status
zinc_cp_select_all(zinc_cp *c, zinc_error *err)
{
	const bool group = c->nodes[0].kind != ZINC_NODE_ARRAY || c->nnodes != 1;
	uint64_t used = 0;
	size_t i;

	if (!c->o.select || (group && is_blank(c->o.select)))
		return ZINC_OK;
	if (group && !has_names(c->o.select))
		return zinc_fail(err, ZINC_E_INVALID,
				 "a selection from a group needs names of dimensions, like time=3 or lat@40..50");
	for (i = 0; i < c->nnodes; i++)
		if (c->nodes[i].kind == ZINC_NODE_ARRAY && !c->nodes[i].outside)
			ZINC_TRY(select_from(c, &c->nodes[i], group, &used, err));
	return group ? zinc_selection_check_used(c->o.select, used, err) : ZINC_OK;
}

void
zinc_cp_select_hash(zinc_cp *c, const zinc_cp_node *n)
{
	int d;

	for (d = 0; n->select && d < n->source->ndim; d++) {
		const zinc_select_dim *s = &n->select->dims[d];
		const uint64_t words[] = {(uint64_t)d, s->start, s->count, s->step, s->drop != 0, s->nlist};

		c->plan = zinc_cp_hash(c->plan, words, sizeof words);
		if (s->list)
			c->plan = zinc_cp_hash(c->plan, s->list, s->nlist * sizeof *s->list);
	}
}
