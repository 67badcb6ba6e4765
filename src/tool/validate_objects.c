/*
 * validate_objects.c - decode stored objects, and find keys that belong to nothing
 *
 * Keys are listed in order, so those of one array are consecutive: its metadata is kept meanwhile, and its objects are
 * decoded in parallel, a window at a time.
 *
 *   key                 owner        what it is
 *   a/c/0/0             array /a     an object: decoded
 *   a/c/9/9             array /a     an orphan: outside the grid (M41)
 *   a/c/00/1, a/note    array /a     not a chunk's key (M43, M45 to M48)
 *   z/c/0               group /      a chunk of an array that has lost its document (M26): an error
 *   README              group /      not part of Zarr (M1)
 *   a/.zarray           array /a     a document of another version (M1)
 *   a/b/.zarray         array /a     a node that no listing shows: an error, "hidden"
 *   b/__zinc_cp.json    none         a copy to /b that was not finished,
 *   b/c/0               none         and what it has put
 *
 * All others are warnings: they never cause a wrong number.  Of all these, only orphans of arrays that are fully
 * understood are ever erased, and unfinished copies.  An entry that is not a key, in the place of a document or an
 * object (a FIFO, a directory, a broken link), is an error, "hidden"; elsewhere one whose name is no key is foreign.
 */
#include <stdlib.h>

#include "tool/copy.h"

#define WINDOW 256

/* One object of the window and the result of its check.  Errors are large, so a window has few. */
struct object {
	uint64_t index[ZINC_MAX_NDIM];
	uint64_t empty; /* inner chunks that are not stored */
	zinc_error error;
};

struct objects {
	zinc_check *c;
	const zinc_check_node *owner; /* of `array` */
	zinc_array *array;            /* NULL: not usable */
	zinc_meta *meta;
	bool looked, shared; /* does an array of another version have the same place?  Checked once */
	bool unread;         /* that document cannot be read */
	struct object *window;
	size_t n;
	uint64_t done, bytes;
	zinc_buf looked_at; /* the last directory in which nodes were looked for that no listing showed */
	zinc_status status;
	zinc_error *err;
};

/* ---- decoding ---- */

static const uint64_t *
index_of(void *arg, size_t i)
{
	return ((const struct objects *)arg)->window[i].index;
}

/* Runs in a worker. */
static void
object_checked(void *arg, size_t i, const zinc_object_check *seen, zinc_status st, const zinc_error *err)
{
	struct object *x = &((const struct objects *)arg)->window[i];

	x->empty = seen->empty_units;
	if (st != ZINC_OK)
		zinc_error_copy(&x->error, err);
}

/* Everything is decoded, also what a read would skip. */
static void
check_objects(struct objects *o)
{
	const zinc_call_options call = zinc_wait_rest(&o->c->wait);
	const zinc_object_checks all = {
	    .n = o->n, .index = index_of, .told = object_checked, .arg = o, .threads = o->c->threads, .call = &call};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	size_t i;

	for (i = 0; i < o->n; i++) {
		o->window[i].error = (zinc_error)ZINC_ERROR_INIT;
		o->window[i].empty = 0;
	}
	st = zinc_array_objects_check(o->array, &all, &e);
	for (i = 0; st != ZINC_OK && st != ZINC_E_CANCELLED && i < o->n; i++)
		zinc_error_copy(&o->window[i].error, &e);
}

/* Does the chunk extend beyond the array?  It must still be stored in full (M42). */
static bool
on_border(const zinc_meta *m, const uint64_t *index)
{
	uint64_t start, extent;
	int d;

	for (d = 0; d < m->ndim; d++) {
		zinc_grid_span(m->grid, d, index[d], &start, &extent);
		if (extent > m->shape[d] - start)
			return true;
	}
	return false;
}

/* The rule that an object breaks: the one its error names, or its codec's.  Too few bytes at the border come from a
 * writer that cut the chunk to the array; this has a separate rule. */
static const char *
rule_of(const struct objects *o, const struct object *x)
{
	static const struct {
		const char *codec, *rule;
	} rules[] = {
	    {"bytes", "M72"}, {"gzip", "M75"}, {"blosc", "M82"}, {"crc32c", "M84"}, {"sharding_indexed", "M91"}};
	size_t i;

	if (x->error.code == ZINC_E_IO)
		return "read";
	if (x->error.rule[0])
		return strcmp(x->error.rule, "M72") == 0 && on_border(o->meta, x->index) ? "M42" : x->error.rule;
	for (i = 0; i < sizeof rules / sizeof *rules; i++)
		if (strcmp(x->error.codec, rules[i].codec) == 0)
			return rules[i].rule;
	return "decode";
}

/* Decode the collected objects and report the findings. */
static zinc_status
flush(struct objects *o)
{
	zinc_kept_list list = {.ctx = o->c->ctx};
	zinc_check *c = o->c;
	size_t i;

	if (!c->o.fast && o->n > 0)
		check_objects(o);
	for (i = 0; !c->o.fast && i < o->n; i++) {
		const zinc_error *e = &o->window[i].error;

		c->n.empty += o->window[i].empty;
		if (e->code == ZINC_E_NOMEM)
			list.lost = true;
		else if (e->code != ZINC_OK && e->code != ZINC_E_NOTFOUND) /* erased meanwhile: not stored */
			zinc_kept_error(&list, c, e, rule_of(o, &o->window[i]), o->array->path, e->key);
	}
	o->n = 0;
	ZINC_TRY(zinc_check_report_kept(c, &list, o->err));
	ZINC_TRY(zinc_check_cancelled(c, o->err));
	if (c->call.progress && c->call.progress(c->call.progress_arg, o->done, c->keys, o->bytes))
		return zinc_fail(o->err, ZINC_E_CANCELLED, "cancelled");
	return ZINC_OK;
}

/* ---- the owners of keys ---- */

/* Close the current array. */
static void
leave(struct objects *o)
{
	zinc_array_close(o->array);
	zinc_meta_free(o->meta);
	o->array = NULL;
	o->meta = NULL;
}

/* Open the array, whose document was valid before; an error now is a finding. */
static zinc_status
open_array(struct objects *o, const char *path)
{
	zinc_kept_list list = {.ctx = o->c->ctx};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_report r;
	zinc_status st;

	zinc_report_init_quiet(&r, o->c->ctx, false);
	st = zinc_read_node(o->c->h, path, &r, &o->meta, &e);
	if (st == ZINC_OK)
		st = zinc_array_make(&o->array, o->c->h, path, o->meta, &e);
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(o->err);
	if (st != ZINC_OK)
		zinc_kept_error(&list, o->c, &e, "read", path, e.key);
	return zinc_check_report_kept(o->c, &list, o->err);
}

static zinc_status array_key(struct objects *o, const char *key, const char *rel, uint64_t nbytes);

static int
layered_key(void *arg, const char *key, uint64_t nbytes)
{
	struct objects *o = arg;
	zinc_key_role role;

	o->status = zinc_check_place(o->c, key, &role, o->err);
	if (o->status == ZINC_OK && role == ZINC_KEY_OTHER)
		o->status = array_key(o, key, (const char *)o->c->place.p, nbytes);
	return o->status != ZINC_OK || o->c->stopped;
}

/* With storage transformers the keys of the store are theirs; their listing has the array's keys. */
static zinc_status
layered_keys(struct objects *o)
{
	zinc_kept_list list = {.ctx = o->c->ctx};
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_stack *layers = o->array->stack;
	zinc_status st;

	if (!layers->layered)
		return ZINC_OK;
	st = zinc_store_list(layers->store, layers->prefix, layered_key, o, o->c->h->wait, &e);
	if (st == ZINC_OK || st == ZINC_E_NOMEM)
		return st == ZINC_OK ? o->status : zinc_fail_nomem(o->err);
	zinc_kept_error(&list, o->c, &e, "read", o->array->path, e.key); /* a shard that cannot be opened */
	return zinc_check_report_kept(o->c, &list, o->err);
}

/* Switch to the keys of another node. */
static zinc_status
enter(struct objects *o, const zinc_check_node *owner)
{
	zinc_status st = ZINC_OK;
	zinc_buf path;

	if (o->owner == owner)
		return ZINC_OK;
	ZINC_TRY(flush(o));
	leave(o);
	o->owner = owner;
	o->looked = false;
	if (!owner || owner->kind != ZINC_NODE_ARRAY)
		return ZINC_OK;
	zinc_buf_init(&path, o->c->ctx, ZINC_MAX_KEY);
	st = zinc_check_path(&path, owner->prefix, strlen(owner->prefix), o->err);
	if (st == ZINC_OK)
		st = open_array(o, zinc_buf_text(&path));
	zinc_buf_fini(&path);
	if (st == ZINC_OK && o->array)
		st = layered_keys(o);
	return st;
}

/* ---- what belongs to nothing ---- */

/* The store in which the current key was listed. */
static zinc_store *
store_of(const struct objects *o)
{
	return o->array && o->array->stack->layered ? o->array->stack->store : o->c->h->store;
}

/* Report a key that is not an object; `f` has the reason.  With `erase`, repair and orphans it is erased. */
static zinc_status
report_key(struct objects *o, const char *key, zinc_finding f, bool erase)
{
	zinc_check *c = o->c;
	zinc_status st = ZINC_OK;
	zinc_buf path;

	zinc_buf_init(&path, c->ctx, ZINC_MAX_KEY);
	if (o->owner)
		st = zinc_check_path(&path, o->owner->prefix, strlen(o->owner->prefix), o->err);
	if (st == ZINC_OK) {
		f.path = o->owner ? zinc_buf_text(&path) : "";
		f.key = zinc_check_key(c, key);
		if (erase && c->o.repair && c->o.orphans)
			f.repaired =
			    zinc_store_del(store_of(o), NULL, key, NULL, c->h->put_flags, c->h->wait, NULL) == ZINC_OK;
		zinc_check_found(c, &f);
	}
	zinc_buf_fini(&path);
	return st;
}

/* A key that readers do not use.  It may belong to another program. */
static zinc_status
stray(struct objects *o, const char *key, const char *rule, const char *message)
{
	const zinc_finding f = {.level = ZINC_LEVEL_WARNING, .rule = rule, .message = message};

	return report_key(o, key, f, false);
}

/* A key that a fully understood array would have written, but does not read any more. */
static zinc_status
orphan(struct objects *o, const char *key, const char *rule, const char *message)
{
	const zinc_finding f = {.level = ZINC_LEVEL_WARNING,
				.rule = rule,
				.message = message,
				.fix = "zinc validate --repair --orphans erases it"};

	return report_key(o, key, f, true);
}

/* Is the last name that of a document?  Documents of this version were handled before, so it is of another version. */
static bool
is_document(const char *name)
{
	static const char *const names[] = {"zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* What is never erased, because it may be needed:
 *
 *   HIDDEN_NODE    a hierarchy of another version in a node of this one: no listing shows its content
 *   OTHER_VERSION  two versions in one place: both may have been written on purpose
 *   LOST_DOCUMENT  data that cannot be read any more, until its document is restored
 */
enum kept { HIDDEN_NODE, OTHER_VERSION, LOST_DOCUMENT };

static zinc_status
report_kept(struct objects *o, const char *key, enum kept what)
{
	static const zinc_finding findings[] = {
	    [HIDDEN_NODE] = {.level = ZINC_LEVEL_ERROR,
			     .rule = "hidden",
			     .message = "a node of another version of Zarr, which cannot be shown in this hierarchy",
			     .fix = "move it out of the hierarchy, or open it by its own URL"},
	    [OTHER_VERSION] = {.level = ZINC_LEVEL_WARNING,
			       .rule = "M1",
			       .message = "a document of another version of Zarr: readers may use either",
			       .fix = "keep one of them; --format selects the one that Zinc reads"},
	    [LOST_DOCUMENT] = {.level = ZINC_LEVEL_ERROR,
			       .rule = "M26",
			       .message = "looks like a chunk, but there is no document of an array",
			       .fix = "restore the document of the array from a copy or from consolidated metadata"},
	};

	return report_key(o, key, findings[what], false);
}

/* A key of a group that is not its document: of an array without a document (M26), or of nothing (M1). */
static zinc_status
loose_key(struct objects *o, const char *key, const char *rel)
{
	const char *name = zinc_key_name(rel);
	const size_t from = o->owner ? strlen(o->owner->prefix) : 0;
	bool node;

	ZINC_TRY(zinc_key_is_node(o->c->h, key, &node, o->err));
	if (node && name > rel + from)
		return report_kept(o, key, HIDDEN_NODE);
	if (node || is_document(name))
		return report_kept(o, key, OTHER_VERSION);
	if (name > rel + from && zinc_is_chunk_name(name))
		return report_kept(o, key, LOST_DOCUMENT);
	return stray(o, key, "M1", "belongs to no node");
}

/* "c/00/1": would it be a chunk's key without the leading zeros (M48)? */
static bool
is_padded(const zinc_meta *m, const char *key)
{
	uint64_t index[ZINC_MAX_NDIM];
	char plain[512];
	size_t n = 0;

	for (; *key && n < sizeof plain - 1; key++)
		if (*key != '0' || key[1] < '0' || key[1] > '9' ||
		    (n > 0 && plain[n - 1] >= '0' && plain[n - 1] <= '9'))
			plain[n++] = *key;
	plain[n] = '\0';
	return !*key && zinc_keys_decode(&m->keys, plain, m->ndim, index);
}

/* The rule that is broken by a key below an array that is not a chunk's. */
static const char *
key_rule(const zinc_meta *m, const char *key)
{
	const bool v2 = strcmp(m->keys.ops->name, "v2") == 0;

	if (!v2 && strcmp(m->keys.ops->name, "default") != 0 && strcmp(m->keys.ops->name, "draft") != 0)
		return "orphan";
	if (m->ndim == 0)
		return v2 ? "M47" : "M45";
	if (is_padded(m, key))
		return "M48";
	return v2 ? "M46" : "M43";
}

static int
see_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)key, (void)nbytes;
	*(bool *)arg = true;
	return 1;
}

/* *any: does a key exist below this one?  Not possible in a file system, but in other stores. */
static zinc_status
has_below(struct objects *o, const char *key, bool *any)
{
	zinc_status st;
	zinc_buf prefix;

	*any = false;
	zinc_buf_init(&prefix, o->c->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&prefix, o->err, "%s/", key);
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix)
			 ? zinc_store_list(store_of(o), zinc_buf_text(&prefix), see_key, any, o->c->h->wait, o->err)
			 : zinc_fail_nomem(o->err);
	zinc_buf_fini(&prefix);
	return st;
}

static const zinc_finding lost = {.level = ZINC_LEVEL_ERROR,
				  .message = "a file in place of a directory of chunks: these chunks are missing",
				  .fix = "remove it, and restore the directory from a copy"};

/* A key below an array that is not a chunk's.  If it takes the place of a directory of chunks, these are lost. */
static zinc_status
not_a_chunk(struct objects *o, const char *key, const char *below)
{
	const zinc_non_key file = {.size = sizeof file, .kind = ZINC_NON_KEY_TYPE, .key = key};
	zinc_finding f = lost;
	bool any = true;

	f.rule = key_rule(o->meta, below);
	if (zinc_meta_reads(o->meta, below, &file))
		ZINC_TRY(has_below(o, key, &any));
	return any ? stray(o, key, f.rule, "no chunk of the array has this key") : report_key(o, key, f, false);
}

/* Does the entry hide all objects of some array?  `top` is where a root array's objects begin; below it are the
 * paths of nodes. */
static bool
hides_array(const zinc_check *c, const char *top, const zinc_non_key *non_key)
{
	const size_t ntop = strlen(top);
	const bool all = zinc_non_key_hides_prefix(non_key, top);
	zinc_non_key rel = *non_key;
	size_t i;

	if (!all && strncmp(non_key->key, top, ntop) != 0)
		return false;
	rel.key += all ? 0 : ntop;
	for (i = all ? 0 : zinc_check_below(c, rel.key); i < c->nnodes; i++) {
		if (!all && !zinc_non_key_hides_prefix(&rel, c->nodes[i].prefix))
			return false;
		if (c->nodes[i].kind == ZINC_NODE_ARRAY)
			return true;
	}
	return false;
}

static zinc_status
is_above_array(struct objects *o, const zinc_non_key *non_key, bool *hidden)
{
	zinc_status st;
	zinc_buf top;

	if (non_key->kind == ZINC_NON_KEY_DIR)
		return ZINC_OK; /* these are frequent */
	zinc_buf_init(&top, o->c->ctx, ZINC_MAX_KEY);
	st = zinc_data_prefix(o->c->h, "/", &top, o->err);
	if (st == ZINC_OK && !zinc_buf_text(&top))
		st = zinc_fail_nomem(o->err);
	if (st == ZINC_OK)
		*hidden = hides_array(o->c, zinc_buf_text(&top), non_key);
	zinc_buf_fini(&top);
	return st;
}

/* A key outside of arrays: does it take the place of the directory of an array's chunks, or of one above it? */
static zinc_status
blocks_chunks(struct objects *o, const char *key, bool *yes)
{
	const zinc_non_key file = {.size = sizeof file, .kind = ZINC_NON_KEY_TYPE, .key = key};
	bool any = false;

	*yes = false;
	ZINC_TRY(is_above_array(o, &file, yes));
	if (*yes)
		ZINC_TRY(has_below(o, key, &any));
	*yes = *yes && !any;
	return ZINC_OK;
}

/* Reported, and never changed by a repair. */
static zinc_status
foreign(struct objects *o, const char *key)
{
	const zinc_finding f = {.level = ZINC_LEVEL_WARNING,
				.rule = "foreign",
				.key = zinc_check_key(o->c, key),
				.message = "a foreign key: neither a document nor a chunk of the hierarchy"};

	zinc_check_found(o->c, &f);
	return ZINC_OK;
}

/* A key outside of arrays that is not a document of this version; `rel` is NULL outside of the trees of a draft. */
static zinc_status
other_key(struct objects *o, const char *key, const char *rel)
{
	zinc_finding f = lost;
	bool yes;

	ZINC_TRY(blocks_chunks(o, key, &yes));
	if (!yes)
		return rel ? loose_key(o, key, rel) : foreign(o, key);
	f.rule = "M1";
	f.key = zinc_check_key(o->c, key);
	zinc_check_found(o->c, &f);
	return ZINC_OK;
}

/* Erase everything that a copy has put where no node exists yet; nothing if other keys are there too. */
static bool
erase_copied(zinc_check *c, const char *prefix, size_t n)
{
	const zinc_erase_options o = {.size = sizeof o, .replace = 1};
	bool done = false;
	zinc_buf path;

	zinc_buf_init(&path, c->ctx, ZINC_MAX_KEY);
	if (zinc_check_path(&path, prefix, n, NULL) == ZINC_OK)
		done = zinc_erase(c->h, zinc_buf_text(&path), &o, NULL, NULL) == ZINC_OK;
	zinc_buf_fini(&path);
	return done;
}

/* Remove an unfinished copy.  If the node already exists, only its temporary array and the journal are left; the
 * array is erased first, so that it never exists without the journal. */
static bool
remove_copy(zinc_check *c, const char *key)
{
	const char *prefix = zinc_check_copied(c, (const char *)c->place.p); /* of this key */
	bool done = false;
	zinc_buf middle;

	if (!zinc_cp_is_journal(c->h, key))
		return false;
	if (prefix)
		return erase_copied(c, prefix, strlen(prefix));

	zinc_buf_init(&middle, c->ctx, ZINC_MAX_KEY);
	if (zinc_buf_add(&middle, key, (size_t)(zinc_key_name(key) - key), NULL) == ZINC_OK &&
	    zinc_buf_puts(&middle, ZINC_CP_PASS_NAME "/", NULL) == ZINC_OK && zinc_buf_text(&middle))
		done = zinc_store_del_prefix(c->h->store, zinc_buf_text(&middle), c->h->put_flags, c->h->wait, NULL) ==
			   ZINC_OK &&
		       zinc_store_del(c->h->store, NULL, key, NULL, c->h->put_flags, c->h->wait, NULL) == ZINC_OK;
	zinc_buf_fini(&middle);
	return done;
}

/* One finding about the journal stands for all that its copy has put.  Erasing it gives up a copy that could be
 * resumed, so `repair` alone does not do it. */
static void
unfinished_copy(zinc_check *c, const char *key)
{
	zinc_finding f = {.level = ZINC_LEVEL_WARNING,
			  .rule = "leftover",
			  .key = zinc_check_key(c, key),
			  .message = "an unfinished copy to this place",
			  .fix = "zinc cp --resume continues it, --overwrite starts again; "
				 "zinc validate --repair --orphans removes it"};

	f.repaired = c->o.repair && c->o.orphans && remove_copy(c, key);
	zinc_check_found(c, &f);
}

/* ---- every key ---- */

/* The document may or may not exist: so nothing here is certain to be an orphan. */
static void
report_unread(struct objects *o, const char *key, const zinc_error *e)
{
	char text[sizeof e->text];
	zinc_finding f = {.level = ZINC_LEVEL_ERROR,
			  .rule = "M1",
			  .key = zinc_check_key(o->c, key),
			  .message = zinc_check_message(text, e)};

	zinc_check_found(o->c, &f);
}

/* Is a document of this name, of another version, next to the owner's? */
static zinc_status
look_beside(struct objects *o, const char *name)
{
	const zinc_hierarchy *h = o->c->h;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_blob text = ZINC_BLOB_INIT;
	bool is = false;
	zinc_status st;
	zinc_buf key;

	zinc_buf_init(&key, o->c->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&key, o->err, "%s%s%s", h->prefix, o->owner->prefix, name);
	if (st == ZINC_OK && !zinc_buf_text(&key))
		st = zinc_fail_nomem(o->err);
	if (st == ZINC_OK) { /* its existence is enough, so one byte will do */
		zinc_status got = zinc_store_get_all(h->store, zinc_buf_text(&key), &text, NULL, 1, h->wait, &e);

		if (got == ZINC_OK || got == ZINC_E_LIMIT)
			got = zinc_key_is_node(h, zinc_buf_text(&key), &is, &e);
		o->shared = o->shared || is;
		if (got == ZINC_E_NOMEM || got == ZINC_E_CANCELLED)
			st = zinc_error_copy(o->err, &e);
		else if (got != ZINC_OK && got != ZINC_E_NOTFOUND) {
			o->unread = true;
			report_unread(o, zinc_buf_text(&key), &e);
		}
	}
	zinc_blob_fini(&text);
	zinc_buf_fini(&key);
	return st;
}

/* Does an array of another version have its document next to the owner's?  Drafts keep data in a separate tree. */
static zinc_status
find_other_version(struct objects *o)
{
	const zinc_format *own = o->c->h->format, *f;
	size_t i;

	o->looked = true;
	o->shared = o->unread = false;
	for (i = 0; !own->draft && (f = zinc_format_row(i)); i++)
		if (f != own && !f->draft)
			ZINC_TRY(look_beside(o, f->documents[0].name));
	return ZINC_OK;
}

static const char outside[] = "a chunk outside the shape of the array";

/* A chunk outside the grid: an orphan, unless the array is not understood, or the chunk may belong to another one. */
static zinc_status
outside_key(struct objects *o, const char *key)
{
	if (!o->looked)
		ZINC_TRY(find_other_version(o));
	if (o->shared)
		return stray(o, key, "M41",
			     "a chunk outside the shape of the array; it may belong to the other version beside it");
	return o->meta->unsupported || o->unread ? stray(o, key, "M41", outside) : orphan(o, key, "M41", outside);
}

/* A key below an array.  If the grid or the key encoding is unknown, it may or may not be an object; if only the
 * codecs are, it is counted but not decoded. */
static zinc_status
array_key(struct objects *o, const char *key, const char *rel, uint64_t nbytes)
{
	const char *below = rel + strlen(o->owner->prefix);
	const zinc_meta *m = o->meta;
	struct object *x = &o->window[o->n];
	bool node;
	int d;

	if (!m || !zinc_meta_keys_known(m))
		return ZINC_OK; /* its role is unknown */
	ZINC_TRY(zinc_key_is_node(o->c->h, key, &node, o->err));
	if (node || is_document(zinc_key_name(rel)))
		return report_kept(o, key, node && strchr(below, '/') ? HIDDEN_NODE : OTHER_VERSION);
	if (!zinc_keys_decode(&m->keys, below, m->ndim, x->index))
		return not_a_chunk(o, key, below);
	for (d = 0; d < m->ndim; d++)
		if (x->index[d] >= zinc_grid_count(m->grid, d, m->shape[d]))
			return outside_key(o, key);
	o->c->n.objects++;
	o->c->n.bytes += nbytes;
	o->c->n.missing -= o->c->n.missing != UINT64_MAX;
	if (m->unsupported)
		return ZINC_OK;
	return ++o->n == WINDOW ? flush(o) : ZINC_OK;
}

/* Is the key, whose place is known, part of an unfinished copy?  The journal is reported for all of them. */
static bool
is_of_copy(zinc_check *c, const char *key)
{
	const zinc_cp_trace trace = zinc_cp_trace_of(key);

	if (trace == ZINC_CP_UNFINISHED)
		unfinished_copy(c, key);
	return trace != ZINC_CP_NO_TRACE || zinc_check_copied(c, (const char *)c->place.p);
}

/* Add the nodes on the way to rel, below its owner, that the first listing did not show.  Each directory is looked at
 * once. */
static zinc_status
find_late(struct objects *o, const char *rel)
{
	const char *last = o->looked_at.n ? (const char *)o->looked_at.p : "";
	size_t n = o->owner ? strlen(o->owner->prefix) : o->c->base.n, same = 0, i;
	bool found;

	for (i = 0; last[i] && last[i] == rel[i]; i++)
		if (rel[i] == '/')
			same = i + 1;
	for (n = n > same ? n : same; strchr(rel + n, '/');) {
		n += strcspn(rel + n, "/") + 1;
		ZINC_TRY(enter(o, NULL));
		ZINC_TRY(zinc_check_late(o->c, rel, n, &found, o->err));
	}
	zinc_buf_end(&o->looked_at, 0);
	ZINC_TRY(zinc_buf_add(&o->looked_at, rel, n, o->err));
	return zinc_buf_text(&o->looked_at) ? ZINC_OK : zinc_fail_nomem(o->err);
}

static zinc_status
enter_owner(struct objects *o, const char *rel)
{
	ZINC_TRY(enter(o, zinc_check_owner(o->c, rel)));
	if (o->owner && o->owner->kind != ZINC_NODE_GROUP)
		return ZINC_OK;
	ZINC_TRY(find_late(o, rel));
	return enter(o, zinc_check_owner(o->c, rel));
}

/* The second listing of all keys.  Documents, and other keys that the format knows, were handled before. */
static zinc_status
any_key(struct objects *o, const char *key, uint64_t nbytes)
{
	const char *rel;
	bool node = false;
	zinc_key_role role;

	ZINC_TRY(zinc_check_place(o->c, key, &role, o->err));
	if (is_of_copy(o->c, key))
		return ZINC_OK;
	if (role != ZINC_KEY_OTHER && role != ZINC_KEY_FOREIGN)
		return ZINC_OK;
	o->done++;
	o->bytes += nbytes;
	if (role == ZINC_KEY_FOREIGN)
		ZINC_TRY(zinc_key_is_node(o->c->h, key, &node, o->err));
	if (node) {
		o->owner = NULL;
		return report_kept(o, key, HIDDEN_NODE);
	}
	if (role == ZINC_KEY_FOREIGN)
		return other_key(o, key, NULL);
	rel = (const char *)o->c->place.p;
	ZINC_TRY(enter_owner(o, rel));
	if (o->array && (o->array->stack->layered || !o->array->stack->store))
		return ZINC_OK; /* a key of its layers; `place` is that of a key they list */
	if (o->owner && o->owner->kind == ZINC_NODE_ARRAY)
		return array_key(o, key, rel, nbytes);
	if (o->owner && o->owner->kind == ZINC_NODE_NONE)
		return ZINC_OK; /* its document is not usable: the key's role is unknown */
	return other_key(o, key, rel);
}

static int
list_key(void *arg, const char *key, uint64_t nbytes)
{
	struct objects *o = arg;

	o->status = any_key(o, key, nbytes);
	return o->status != ZINC_OK || o->c->stopped;
}

/* Is it in the place of a document or an object that a reader would look for? */
static zinc_status
is_hidden(struct objects *o, const zinc_non_key *non_key, bool *hidden)
{
	const char *rel;
	zinc_key_role role;

	ZINC_TRY(zinc_key_role_of(o->c->h, non_key->key, &role, o->err));
	*hidden = role == ZINC_KEY_NODE || role == ZINC_KEY_PART || zinc_non_key_may_hide_node(o->c->h, non_key);
	if (*hidden || role != ZINC_KEY_OTHER)
		return ZINC_OK;
	ZINC_TRY(zinc_check_place(o->c, non_key->key, &role, o->err));
	rel = (const char *)o->c->place.p;
	ZINC_TRY(enter(o, zinc_check_owner(o->c, rel)));
	if (role != ZINC_KEY_OTHER || !o->meta || !o->owner || o->owner->kind != ZINC_NODE_ARRAY)
		return ZINC_OK;
	if (non_key->kind == ZINC_NON_KEY_DIR && o->meta->ndim == 0)
		return ZINC_OK; /* keys below it have a separate rule (M45, M47) */
	*hidden = o->array && o->array->stack->layered
		      ? non_key->kind != ZINC_NON_KEY_DIR && non_key->kind != ZINC_NON_KEY_NAME
		      : zinc_meta_reads(o->meta, rel + strlen(o->owner->prefix), non_key);
	return ZINC_OK;
}

/* An entry whose name cannot be part of a key is foreign, wherever it is: it may have been a chunk before its name was
 * damaged. */
static zinc_status
any_non_key(struct objects *o, const zinc_non_key *non_key)
{
	zinc_finding f = {.level = ZINC_LEVEL_ERROR, .rule = "hidden", .message = non_key->why};
	bool hidden;
	char key[1100];

	ZINC_TRY(is_hidden(o, non_key, &hidden));
	if (!hidden)
		ZINC_TRY(is_above_array(o, non_key, &hidden));
	if (!hidden && non_key->kind != ZINC_NON_KEY_NAME)
		return ZINC_OK;
	if (!hidden) {
		f.level = ZINC_LEVEL_WARNING;
		f.rule = "foreign";
	}
	zinc_show(key, sizeof key, zinc_check_key(o->c, non_key->key));
	f.key = key;
	zinc_check_found(o->c, &f);
	return ZINC_OK;
}

static int
list_non_key(void *arg, const zinc_non_key *non_key)
{
	struct objects *o = arg;

	o->status = any_non_key(o, non_key);
	return o->status != ZINC_OK || o->c->stopped;
}

zinc_status
zinc_check_objects(zinc_check *c, zinc_error *err)
{
	struct objects o = {.c = c, .err = err};
	zinc_status st;

	zinc_buf_init(&o.looked_at, c->ctx, ZINC_MAX_KEY);
	o.window = zinc_calloc(c->ctx, WINDOW, sizeof *o.window);
	if (!o.window)
		return zinc_fail_nomem(err);
	st = zinc_check_list(c, list_key, list_non_key, &o, err);
	if (st == ZINC_OK)
		st = o.status;
	if (st == ZINC_OK && !c->stopped)
		st = flush(&o);
	leave(&o);
	zinc_buf_fini(&o.looked_at);
	zinc_free(c->ctx, o.window);
	return st;
}
