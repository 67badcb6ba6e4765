/*
 * copy_nodes.c - find the nodes of a copy and their new paths
 *
 * The tree is walked once for the paths.  If the source can list, the walk uses what is stored: consolidated metadata
 * may be outdated, and does not show hidden nodes.  Then each document is read separately.  A node with an invalid
 * document ends the copy before it starts.
 */
#include <stdio.h>

#include "tool/copy.h"

struct walk {
	zinc_cp *c;
	zinc_status status;
	zinc_error *err;
};

/* "/b/c" below "/a" -> below "/x": "/x/b/c".  NULL: no memory. */
static char *
target_path(const zinc_cp *c, const char *path)
{
	const char *base = strcmp(c->from_path, "/") == 0 ? "" : c->from_path;
	const char *root = strcmp(c->to_path, "/") == 0 ? "" : c->to_path;
	const char *rest = path + strlen(base);
	char *out = NULL;
	zinc_buf b;

	zinc_buf_init(&b, c->ctx, ZINC_MAX_KEY);
	if (strcmp(rest, "/") == 0)
		rest = "";
	if (zinc_buf_puts(&b, root, NULL) == ZINC_OK && zinc_buf_puts(&b, rest, NULL) == ZINC_OK &&
	    (b.n > 0 || zinc_buf_puts(&b, "/", NULL) == ZINC_OK))
		out = zinc_strndup(c->ctx, (const char *)b.p, b.n);
	zinc_buf_fini(&b);
	return out;
}

static zinc_status
more_nodes(zinc_cp *c, zinc_error *err)
{
	const size_t room = c->room ? 2 * c->room : 16;
	zinc_cp_node *nodes;
	size_t nbytes;

	if (c->nnodes < c->room)
		return ZINC_OK;
	if (zinc_size_mul(room, sizeof *nodes, &nbytes) || !(nodes = zinc_realloc(c->ctx, c->nodes, nbytes)))
		return zinc_fail_nomem(err);
	c->nodes = nodes;
	c->room = room;
	return ZINC_OK;
}

/* The place of its only chunk is found when it is read. */
static bool
is_draft_scalar(const zinc_hierarchy *h, const zinc_found_node *found)
{
	return h->entry && found->kind == ZINC_NODE_ARRAY && found->meta->ndim == 0;
}

static zinc_status
add_node(zinc_cp *c, const zinc_found_node *found, zinc_error *err)
{
	const bool excluded = zinc_cp_excludes(c, found->path);
	zinc_cp_node *n;

	if (found->hidden && excluded)
		return ZINC_OK;
	if (found->hidden)
		return zinc_cp_note(c, ZINC_COPY_HIDDEN, found->path, err, "%s", found->problem->text);
	if (found->problem && !excluded) {
		zinc_error_copy(err, found->problem);
		return zinc_error_at_key(err, found->problem->code, found->path);
	}
	ZINC_TRY(more_nodes(c, err));
	n = &c->nodes[c->nnodes++];
	*n = (zinc_cp_node){.kind = found->kind, .implicit = found->implicit, .excluded = excluded};
	if (excluded)
		n->kind = ZINC_NODE_GROUP; /* its keys are not looked at either */
	else if (c->walked && found->meta && !is_draft_scalar(c->from, found))
		n->source = zinc_meta_ref(found->meta);
	n->from = zinc_strdup(c->ctx, found->path);
	n->to = target_path(c, found->path);
	return n->from && n->to ? ZINC_OK : zinc_fail_nomem(err);
}

static int
walk_node(void *arg, const zinc_found_node *found)
{
	struct walk *w = arg;

	w->status = add_node(w->c, found, w->err);
	return w->status != ZINC_OK;
}

static int
stop_at_first(void *arg, const char *below, const zinc_json *copy)
{
	(void)arg, (void)below, (void)copy;
	return 1;
}

zinc_status
zinc_cp_has_copies(zinc_hierarchy *h, const char *path, const zinc_meta *group, bool *has, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st = zinc_copies_each(h, path, group, has, stop_at_first, NULL, &e);

	if (st == ZINC_OK)
		return st;
	*has = false;
	return st == ZINC_E_CORRUPT ? ZINC_OK : zinc_error_copy(err, &e); /* readers ignore it, and so does the copy */
}

/* If the documents of a node are written again, its attributes need a group; otherwise they are copied as they are. */
static zinc_status
read_implicit(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	zinc_report r;

	if (c->from->format->copies.of == ZINC_COPIES_OF_ROOT) /* these need no document */
		ZINC_TRY(zinc_cp_has_copies(c->from, n->from, NULL, &n->copies, err));
	if (c->walked && c->from->format == c->to->format)
		return ZINC_OK;
	zinc_report_init(&r, c->ctx, c->from->strict, c->from->url);
	ZINC_TRY(zinc_read_bare_group(c->from, n->from, &r, &n->source, err));
	n->implicit = !n->source;
	return ZINC_OK;
}

static zinc_status
read_nodes(zinc_cp *c, zinc_error *err)
{
	zinc_report r;
	size_t i;

	for (i = 0; i < c->nnodes; i++) {
		zinc_cp_node *n = &c->nodes[i];

		if (n->excluded)
			continue;
		if (n->implicit)
			ZINC_TRY(read_implicit(c, n, err));
		if (n->implicit)
			continue;
		if (c->walked) /* the walk has already reported everything */
			zinc_report_init_quiet(&r, c->ctx, c->from->strict);
		else
			zinc_report_init(&r, c->ctx, c->from->strict, c->from->url);
		if (!n->source)
			ZINC_TRY(zinc_read_node(c->from, n->from, &r, &n->source, err));
		n->kind = n->source->kind;
		c->narrays += n->kind == ZINC_NODE_ARRAY;
		if (n->kind == ZINC_NODE_GROUP)
			ZINC_TRY(zinc_cp_has_copies(c->from, n->from, n->source, &n->copies, err));
	}
	return ZINC_OK;
}

/* Does a walk read the same as a reader of the node?  On a store that cannot list it reads consolidated metadata. */
static bool
walk_reads(zinc_hierarchy *h)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(h->store, &caps);
	return (caps.flags & ZINC_CAP_LIST) != 0;
}

struct reading {
	zinc_report r;
	zinc_cp *c;
	zinc_status status;
	zinc_error *err;
};

/* Report what a reader of the node would; a copy ignores what only a walk finds: groups without a document.  In
 * drafts two documents may be at one path: only the array is copied, so the group's document is reported as hidden. */
static void
warn_of_document(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	struct reading *x = arg;
	const zinc_hierarchy *h = x->c->from;
	char more[192];

	if (severity != ZINC_SEVERITY_WARNING || strcmp(rule, "M25") == 0 || strcmp(rule, "V2-17") == 0)
		return;
	if (h->entry && strcmp(rule, zinc_rule(h->format, "two")) == 0) {
		if (x->status == ZINC_OK)
			x->status = zinc_cp_note(x->c, ZINC_COPY_HIDDEN, x->c->from_path, x->err, "%s: %s",
						 x->r.where + strlen(h->prefix), message);
		return;
	}
	zinc_rule_suffix(more, sizeof more, rule, pointer);
	zinc_warn(x->r.ctx, x->r.where, "%s%s", message, more);
}

zinc_status
zinc_cp_find_nodes(zinc_cp *c, zinc_error *err)
{
	struct walk w = {c, ZINC_OK, err};
	struct reading x = {.c = c, .err = err};

	c->walked = walk_reads(c->from);
	zinc_report_init_quiet(&x.r, c->ctx,
			       c->from->strict); /* without the walk, each document is reported when it is read */
	if (c->walked) {
		x.r.found = warn_of_document;
		x.r.arg = &x;
	}
	ZINC_TRY(zinc_walk_thorough(c->from, c->from_path, &x.r, walk_node, &w, err));
	ZINC_TRY(w.status);
	ZINC_TRY(x.status);
	if (c->nnodes == 0)
		return zinc_fail(err, ZINC_E_NOTFOUND, "there is no node at this path");
	return read_nodes(c, err);
}

void
zinc_cp_free_nodes(zinc_cp *c)
{
	size_t i;

	for (i = 0; i < c->nnodes; i++) {
		zinc_cp_node *n = &c->nodes[i];

		zinc_array_close(n->in);
		zinc_array_close(n->out);
		zinc_selection_free(n->select);
		zinc_meta_free(n->source);
		zinc_meta_free(n->target);
		zinc_free(c->ctx, n->objects);
		zinc_free(c->ctx, n->boxes);
		zinc_free(c->ctx, n->data);
		zinc_free(c->ctx, n->from);
		zinc_free(c->ctx, n->to);
	}
	zinc_free(c->ctx, c->nodes);
	zinc_free(c->ctx, c->arrays);
}

/* ---- reporting ---- */

/* "/a: no such type; /b: ..." until the error has no more room. */
static zinc_status
keep_for_error(zinc_cp *c, const char *path, const char *message, zinc_error *err)
{
	if (c->lost.n > 400)
		return ZINC_OK;
	return zinc_buf_printf(&c->lost, err, "%s%s: %s", c->lost.n ? "; " : "", path, message);
}

zinc_status
zinc_cp_check_hidden(zinc_cp *c, zinc_error *err)
{
	if (c->n.hidden == 0 || c->o.lossy)
		return ZINC_OK;
	ZINC_TRY(zinc_cp_note(c, ZINC_COPY_REFUSED, c->from_path, err, "nothing is copied"));
	return zinc_fail(err, ZINC_E_IO, "nothing is copied: %llu %s of the source cannot be read",
			 (unsigned long long)c->n.hidden, c->n.hidden == 1 ? "entry" : "entries");
}

zinc_status
zinc_cp_note(zinc_cp *c, zinc_copy_kind kind, const char *path, zinc_error *err, const char *fmt, ...)
{
	zinc_copy_note note = {.size = sizeof note, .kind = kind, .path = path};
	char raw[1024], text[1024];
	va_list args;

	va_start(args, fmt);
	if (vsnprintf(raw, sizeof raw, fmt, args) < 0)
		raw[0] = '\0';
	va_end(args);
	zinc_show(text, sizeof text, raw);
	note.message = text;
	c->n.lost += kind == ZINC_COPY_LOST;
	c->n.replaced += kind == ZINC_COPY_REPLACED;
	c->n.hidden += kind == ZINC_COPY_HIDDEN;
	if (kind == ZINC_COPY_LOST)
		ZINC_TRY(keep_for_error(c, path, text, err));
	if (c->o.note && c->o.note(c->o.note_arg, &note) != 0)
		return zinc_fail(err, ZINC_E_CANCELLED, "cancelled");
	return ZINC_OK;
}
