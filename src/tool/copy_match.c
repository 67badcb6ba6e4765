/*
 * copy_match.c - which nodes are copied, and options of single arrays: patterns of paths
 *
 *     pattern = name { "/" name }
 *     name    = "**" | { "*" | "?" | "\" character | character }
 *
 * '*' is any text and '?' one character of a name, "**" any number of names.  A pattern of a group also means
 * everything below it.
 *
 * Promises (tests/unit/test_copy_match.c names each by its number):
 *
 * (1) Time is at most the product of both lengths, whatever the pattern.
 * (2) A pattern without a node, and an option without an array, is E_INVALID before anything is written.
 * (3) What is excluded need not be readable.
 * (4) An array is included with its coordinates, unless they are excluded.
 */
#include <stdlib.h>

#include "tool/copy.h"

/* ---- one pattern ---- */

/* The bytes of one character; a byte that begins none counts as one. */
static size_t
character(const char *s, size_t n)
{
	size_t i = 1;

	while (i < n && ((unsigned char)s[i] & 0xc0) == 0x80)
		i++;
	return i;
}

/* Does a pattern without '/' match a whole name?  After a failure only the last '*' needs to take more. */
static bool
match_name(const char *p, size_t np, const char *s, size_t ns)
{
	size_t i = 0, k = 0, star = SIZE_MAX, from = 0;

	while (k < ns) {
		const size_t escaped = i + 1 < np && p[i] == '\\';

		if (i < np && p[i] == '*') {
			star = ++i;
			from = k;
		} else if (i < np && p[i] == '?') {
			i++;
			k += character(s + k, ns - k);
		} else if (i < np && p[i + escaped] == s[k]) {
			i += 1 + escaped;
			k++;
		} else if (star != SIZE_MAX) {
			i = star;
			from += character(s + from, ns - from);
			k = from;
		} else {
			return false;
		}
	}
	while (i < np && p[i] == '*')
		i++;
	return i == np;
}

/* After the first name of a path. */
static const char *
after_name(const char *s)
{
	s += strcspn(s, "/");
	return s + (*s == '/');
}

/* The same for names of a path: only the last "**" needs to take more. */
bool
zinc_cp_match(const char *pattern, const char *path)
{
	const char *p = pattern + strspn(pattern, "/"), *s = path;
	const char *more = NULL, *from = NULL;

	while (*p) {
		const size_t np = strcspn(p, "/");

		if (np == 2 && memcmp(p, "**", 2) == 0) {
			more = p = after_name(p);
			from = s;
		} else if (*s && match_name(p, np, s, strcspn(s, "/"))) {
			p = after_name(p);
			s = after_name(s);
		} else if (more && *from) {
			p = more;
			s = from = after_name(from);
		} else {
			return false;
		}
	}
	return true;
}

/* Is every character literal? */
static bool
is_literal(const char *pattern)
{
	return !strpbrk(pattern, "*?\\");
}

/* ---- paths ---- */

/* A path below the source; of the source itself "", or the name of an array. */
static const char *
below_source(const zinc_cp *c, const char *path)
{
	const size_t n = c->from_path[1] ? strlen(c->from_path) : 0;

	return path[n] == '/' ? path + n + 1 : "";
}

static const char *
name_of(const zinc_cp *c, const zinc_cp_node *n)
{
	const char *below = below_source(c, n->from);

	return !*below && n->kind == ZINC_NODE_ARRAY ? strrchr(n->from, '/') + 1 : below;
}

/* Notes which patterns have matched; all are tried. */
static bool
match_any(const char *const *patterns, size_t n, bool *hits, const char *path)
{
	bool any = false;
	size_t i;

	for (i = 0; i < n; i++)
		if (zinc_cp_match(patterns[i], path))
			any = hits[i] = true;
	return any;
}

bool
zinc_cp_excludes(const zinc_cp *c, const char *path)
{
	return match_any(c->o.exclude, c->o.nexclude, c->hits + c->o.ninclude, below_source(c, path));
}

static bool
includes(const zinc_cp *c, const char *below)
{
	return c->o.ninclude == 0 || match_any(c->o.include, c->o.ninclude, c->hits, below);
}

bool
zinc_cp_takes_key(const zinc_cp *c, const char *path)
{
	return !zinc_cp_excludes(c, path) && includes(c, below_source(c, path));
}

/* ---- coordinates ---- */

struct search {
	zinc_cp *c;
	zinc_buf path; /* that is looked for */
	bool more;     /* an array was added */
	zinc_error *err;
};

/* Find the array of this name beside a node, or above: the nearest; NULL: none. */
static zinc_status
find_beside(struct search *x, const char *path, const char *name, size_t nname, zinc_cp_node **out)
{
	const size_t base = x->c->from_path[1] ? strlen(x->c->from_path) : 0;
	size_t up = strlen(path);
	zinc_cp_node *n;

	for (*out = NULL; !*out && up > base;) {
		for (up--; path[up] != '/'; up--)
			;
		zinc_buf_end(&x->path, 0);
		ZINC_TRY(zinc_buf_add(&x->path, path, up, x->err));
		ZINC_TRY(zinc_buf_printf(&x->path, x->err, "/%.*s", (int)nname, name));
		if (!zinc_buf_text(&x->path))
			return zinc_fail_nomem(x->err);
		n = zinc_cp_find_node(x->c, zinc_buf_text(&x->path));
		if (n && n->kind == ZINC_NODE_ARRAY && !n->excluded)
			*out = n;
	}
	return ZINC_OK;
}

static zinc_status
take_beside(struct search *x, const zinc_cp_node *n, const char *name, size_t nname)
{
	zinc_cp_node *found;

	if (nname == 0 || nname > ZINC_MAX_KEY)
		return ZINC_OK;
	ZINC_TRY(find_beside(x, n->from, name, nname, &found));
	if (found && !found->included)
		found->included = x->more = true;
	return ZINC_OK;
}

/* Names in the attributes that the CF conventions have for it: "time lat", "crs: x y". */
static zinc_status
take_named(struct search *x, const zinc_cp_node *n)
{
	static const char *const keys[] = {"coordinates", "bounds", "grid_mapping"};
	const zinc_json *attributes = zinc_json_member(zinc_meta_v3(n->source), "attributes");
	size_t i, k;

	for (i = 0; i < sizeof keys / sizeof *keys; i++) {
		const zinc_json *v = zinc_json_member(attributes, keys[i]);
		const char *s = zinc_json_is(v, ZINC_JSON_STRING) ? v->text : "";

		for (; *s; s += k + (s[k] != '\0')) {
			k = strcspn(s, " :");
			ZINC_TRY(take_beside(x, n, s, k));
		}
	}
	return ZINC_OK;
}

static zinc_status
take_coordinates(struct search *x, const zinc_cp_node *n)
{
	const zinc_json *names = zinc_dimension_names_find(zinc_meta_v3(n->source)), *v;

	for (v = names ? names->first : NULL; v; v = v->next)
		if (zinc_json_is(v, ZINC_JSON_STRING))
			ZINC_TRY(take_beside(x, n, v->text, strlen(v->text)));
	return take_named(x, n);
}

/* Promise (4); coordinates have bounds, and may have coordinates. */
static zinc_status
include_coordinates(zinc_cp *c, zinc_error *err)
{
	struct search x = {.c = c, .more = c->o.ninclude > 0, .err = err};
	zinc_status st = ZINC_OK;
	size_t i;

	zinc_buf_init(&x.path, c->ctx, 2 * ZINC_MAX_KEY);
	while (st == ZINC_OK && x.more) {
		x.more = false;
		for (i = 0; i < c->nnodes && st == ZINC_OK; i++) {
			zinc_cp_node *n = &c->nodes[i];

			if (!n->included || n->excluded || n->looked || n->kind != ZINC_NODE_ARRAY)
				continue;
			n->looked = true;
			st = take_coordinates(&x, n);
		}
	}
	zinc_buf_fini(&x.path);
	return st;
}

/* ---- the nodes that are copied ---- */

static zinc_status
check_hits(const zinc_cp *c, zinc_error *err)
{
	const zinc_copy_options *o = &c->o;
	size_t i;

	for (i = 0; i < o->ninclude + o->nexclude; i++)
		if (!c->hits[i])
			return zinc_fail(err, ZINC_E_INVALID, "nothing matches the pattern \"%.200s\" of %s",
					 i < o->ninclude ? o->include[i] : o->exclude[i - o->ninclude],
					 i < o->ninclude ? "include" : "exclude");
	return ZINC_OK;
}

static bool
is_above(const char *path, const char *other)
{
	const size_t n = path[1] ? strlen(path) : 0;

	return strncmp(other, path, n) == 0 && other[n] == '/';
}

/* Groups above an included node are kept.  Nodes are sorted: what is below a node follows it. */
static void
keep_groups(zinc_cp *c)
{
	size_t i, k;

	for (i = c->nnodes; i-- > 0;) {
		zinc_cp_node *n = &c->nodes[i];

		n->outside = n->excluded || !n->included;
		for (k = i + 1; n->outside && !n->excluded && k < c->nnodes && is_above(n->from, c->nodes[k].from); k++)
			n->outside = c->nodes[k].outside;
	}
}

zinc_status
zinc_cp_choose_nodes(zinc_cp *c, zinc_error *err)
{
	size_t i;

	if (c->o.ninclude + c->o.nexclude == 0)
		return ZINC_OK;
	for (i = 0; i < c->nnodes; i++)
		c->nodes[i].included = includes(c, name_of(c, &c->nodes[i]));
	ZINC_TRY(include_coordinates(c, err));
	ZINC_TRY(check_hits(c, err));
	keep_groups(c);
	return c->nodes[0].outside ? zinc_fail(err, ZINC_E_INVALID, "nothing is left to copy") : ZINC_OK;
}

/* ---- options of single arrays ---- */

static bool
parse_shape(const char *s, uint64_t *shape, int *ndim)
{
	for (*ndim = 0; *s && *ndim < ZINC_MAX_NDIM; ++*ndim) {
		uint64_t n = 0;

		if (*s < '0' || *s > '9')
			return false;
		for (; *s >= '0' && *s <= '9'; s++)
			if (zinc_u64_mul(n, 10, &n) || zinc_u64_add(n, (uint64_t)(*s - '0'), &n))
				return false;
		shape[*ndim] = n;
		s += strspn(s, " ");
		if (*s && *s != ',')
			return false;
		s += *s == ',';
		s += strspn(s, " ");
	}
	return *s == '\0';
}

/* "auto", edges as JSON, or a shape. */
static zinc_status
parse_choice_shape(zinc_context *ctx, const zinc_copy_choice *in, zinc_cp_choice *out, zinc_error *err)
{
	out->is_auto = strcmp(in->value, "auto") == 0;
	out->is_edges = in->value[0] == '[';
	if (out->is_edges)
		return zinc_grid_edges_rank(ctx, in->value, &out->ndim, err);
	if (!out->is_auto && !parse_shape(in->value, out->shape, &out->ndim))
		return zinc_fail(err, ZINC_E_INVALID, "%s of %.100s: \"%.100s\" is not a list of lengths like 10,20",
				 in->option, in->name, in->value);
	return ZINC_OK;
}

static zinc_status
parse_choice(zinc_context *ctx, const zinc_copy_choice *in, zinc_cp_choice *out, zinc_error *err)
{
	const bool shape = in->option && (strcmp(in->option, "chunks") == 0 || strcmp(in->option, "shards") == 0);

	if (!in->name || !in->value || !*in->name || !in->option ||
	    (!shape && strcmp(in->option, "codecs") != 0 && strcmp(in->option, "dtype") != 0))
		return zinc_fail(err, ZINC_E_INVALID, "an option of single arrays has no name, or is unknown");
	return shape ? parse_choice_shape(ctx, in, out, err) : ZINC_OK;
}

zinc_status
zinc_cp_patterns_init(zinc_cp *c, zinc_error *err)
{
	const zinc_copy_options *o = &c->o;
	size_t i;

	ZINC_TRY(ZINC_NEED((o->include || !o->ninclude) && (o->exclude || !o->nexclude) && (o->choices || !o->nchoices),
			   err));
	for (i = 0; i < o->ninclude + o->nexclude; i++) {
		const char *pattern = i < o->ninclude ? o->include[i] : o->exclude[i - o->ninclude];

		if (!pattern || !pattern[strspn(pattern, "/")])
			return zinc_fail(err, ZINC_E_INVALID, "a pattern is empty");
	}
	c->hits = zinc_calloc(c->ctx, o->ninclude + o->nexclude + 1, sizeof *c->hits);
	c->choices = zinc_calloc(c->ctx, o->nchoices + 1, sizeof *c->choices);
	if (!c->hits || !c->choices)
		return zinc_fail_nomem(err);
	for (i = 0; i < o->nchoices; i++)
		ZINC_TRY(parse_choice(c->ctx, &o->choices[i], &c->choices[i], err));
	return ZINC_OK;
}

/* The number of dimensions after the selection. */
static int
rank_of(const zinc_cp_node *n)
{
	int d, rank = n->source->ndim;

	for (d = 0; d < n->source->ndim && n->select; d++)
		rank -= n->select->dims[d].drop != 0;
	return rank;
}

/* Patterns, then names of groups, then the array's own path. */
static int
strength(const char *pattern, const char *path)
{
	if (!is_literal(pattern))
		return 0;
	return strcmp(pattern + strspn(pattern, "/"), path) == 0 ? 2 : 1;
}

static void
take_choice(const zinc_copy_choice *in, zinc_cp_choice *choice, zinc_cp_wish *w, int rank)
{
	choice->met = true;
	if (strcmp(in->option, "codecs") == 0)
		w->codecs = in->value;
	else if (strcmp(in->option, "dtype") == 0)
		w->dtype = in->value;
	else if (!choice->is_auto && choice->ndim != rank)
		return;
	else if (strcmp(in->option, "chunks") == 0) {
		w->chunks = choice->is_auto || choice->is_edges ? NULL : choice->shape;
		w->chunk_edges = choice->is_edges ? in->value : NULL;
		w->auto_chunks = choice->is_auto;
	} else {
		w->shards = choice->is_auto || choice->is_edges ? NULL : choice->shape;
		w->shard_edges = choice->is_edges ? in->value : NULL;
		w->auto_shards = choice->is_auto;
	}
	choice->fits = true;
}

static void
choose_options(zinc_cp *c, zinc_cp_node *n)
{
	const zinc_copy_options *o = &c->o;
	const char *path = name_of(c, n);
	const int rank = rank_of(n);
	size_t i;
	int k;

	n->wish = (zinc_cp_wish){.chunks = o->ndim == rank ? o->chunks : NULL,
				 .shards = o->ndim == rank ? o->shards : NULL,
				 .chunk_edges = c->chunk_rank == rank ? o->chunk_edges : NULL,
				 .shard_edges = c->shard_rank == rank ? o->shard_edges : NULL,
				 .auto_chunks = o->auto_chunks != 0,
				 .auto_shards = o->auto_shards != 0,
				 .codecs = o->codecs,
				 .dtype = o->dtype};
	c->fitting +=
	    o->ndim == rank || (o->chunk_edges && c->chunk_rank == rank) || (o->shard_edges && c->shard_rank == rank);
	for (k = 0; k < 3; k++)
		for (i = 0; i < o->nchoices; i++)
			if (strength(o->choices[i].name, path) == k && zinc_cp_match(o->choices[i].name, path))
				take_choice(&o->choices[i], &c->choices[i], &n->wish, rank);
}

/* One of the three forms; sets the ranks of edges. */
static zinc_status
check_shapes(zinc_cp *c, zinc_error *err)
{
	const zinc_copy_options *o = &c->o;

	if ((o->chunks != NULL) + (o->auto_chunks != 0) + (o->chunk_edges != NULL) > 1 ||
	    (o->shards != NULL) + (o->auto_shards != 0) + (o->shard_edges != NULL) > 1)
		return zinc_fail(err, ZINC_E_INVALID,
				 "chunks or shards are given twice: as a shape, as edges or as auto");
	if (o->chunk_edges)
		ZINC_TRY(zinc_grid_edges_rank(c->ctx, o->chunk_edges, &c->chunk_rank, err));
	if (o->shard_edges)
		ZINC_TRY(zinc_grid_edges_rank(c->ctx, o->shard_edges, &c->shard_rank, err));
	return ZINC_OK;
}

/* Does no array have the rank of the options' chunks and shards? */
static zinc_status
check_fitting(const zinc_cp *c, zinc_error *err)
{
	const zinc_copy_options *o = &c->o;
	const int ndim = o->chunk_edges ? c->chunk_rank : o->shard_edges ? c->shard_rank : o->ndim;

	if (c->fitting > 0 || o->select || !(o->chunks || o->shards || o->chunk_edges || o->shard_edges))
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_INVALID, "chunks or shards have %d dimensions, but no array does", ndim);
}

zinc_status
zinc_cp_choose_options(zinc_cp *c, zinc_error *err)
{
	const zinc_copy_options *o = &c->o;
	size_t i;

	ZINC_TRY(check_shapes(c, err));
	for (i = 0; i < c->nnodes; i++)
		if (c->nodes[i].kind == ZINC_NODE_ARRAY && !c->nodes[i].outside)
			choose_options(c, &c->nodes[i]);
	ZINC_TRY(check_fitting(c, err));
	for (i = 0; i < o->nchoices; i++)
		if (!c->choices[i].met)
			return zinc_fail(err, ZINC_E_INVALID, "no array that is copied matches \"%.200s\" of %s",
					 o->choices[i].name, o->choices[i].option);
		else if (!c->choices[i].fits)
			return zinc_fail(err, ZINC_E_INVALID, "%s of %.200s have %d dimensions, but no such array does",
					 o->choices[i].option, o->choices[i].name, c->choices[i].ndim);
	return ZINC_OK;
}
