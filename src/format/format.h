/*
 * format.h - door of the room `format`: one file per version of Zarr
 *
 * All versions describe the same things, so this room translates each of them to and from one common zinc_meta.  No
 * other room depends on the version of a node.  A version is a row of data and two translations, parse and print.  The
 * operations on nodes are written once, on top of that row.
 */
#ifndef ZINC_FORMAT_H
#define ZINC_FORMAT_H

#include <zinc/erase.h>

#include "codec/codec.h"
#include "dtype/dtype.h"
#include "grid/grid.h"
#include "report/report.h"
#include "store/store.h"

typedef struct zinc_format zinc_format;
struct zinc_draft;
struct zinc_draft_entry;
struct zinc_known;

/* ---- the common metadata ---- */

/* A node's metadata.  It is immutable once made, and reference-counted, so that running reads keep theirs when a handle
 * gets new metadata.  `doc` is the document as found (or to be written), with members that Zinc does not know. */
typedef struct zinc_meta {
	atomic_uint refs;
	zinc_context *ctx;
	const zinc_format *format; /* of the document */
	zinc_node_kind kind;
	zinc_json_doc *doc;          /* the stored document (v3: zarr.json) */
	zinc_json_doc *v3;           /* the same in the final version's vocabulary; NULL: doc is already */
	const zinc_json *attributes; /* an object in doc or v3, or NULL */
	char *unsupported;           /* NULL, or why elements cannot be accessed */
	char unsupported_rule[ZINC_RULE_BYTES];
	bool closed;   /* and why only its metadata may be shown */
	bool no_fill;  /* `fill_value` is null; `fill` is the value that is read */
	bool opaque;   /* something unknown may decide which keys exist */
	bool implicit; /* a group without a document, with descendants: `doc` is not stored */
	zinc_tag tag;  /* of the document as read; n == 0: none */

	/* arrays only */
	int ndim;
	uint64_t shape[ZINC_MAX_NDIM];
	const zinc_dtype *dtype;             /* NULL when unsupported */
	zinc_grid *grid;                     /* NULL when unsupported */
	zinc_keys keys;                      /* keys.ops NULL when unsupported */
	zinc_chain *chain;                   /* NULL when unsupported */
	void *fill;                          /* one element in native order; NULL when dtype is NULL */
	const char **dimension_names;        /* NULL, or ndim entries, each may be NULL; borrowed from doc */
	uint64_t chunk_shape[ZINC_MAX_NDIM]; /* the widest stored object; zeros when unsupported */
} zinc_meta;

/* New metadata with `doc` only, for the parsers; `doc` is taken, also on failure. */
zinc_status zinc_meta_new(zinc_meta **out, zinc_context *ctx, const zinc_format *format, zinc_json_doc *doc,
			  zinc_error *err);
void zinc_meta_free(zinc_meta *m); /* drops a reference; NULL is fine */
/* Would a read of the whole array request this entry of the store, or something below or behind it?  `rest` is its name
 * after the array's prefix. */
bool zinc_meta_reads(const zinc_meta *m, const char *rest, const zinc_non_key *non_key);
/* Does this entry hide everything below the prefix?  A draft's documents may be visible although their chunks are
 * not. */
bool zinc_non_key_hides_prefix(const zinc_non_key *non_key, const char *prefix);
/* Does this member of a document, of any version, define only what stored bytes mean, and not which keys exist? */
bool zinc_meta_is_of_values(const char *member);
zinc_meta *zinc_meta_ref(zinc_meta *m);
/* The document in the final version's vocabulary. */
const zinc_json *zinc_meta_v3(const zinc_meta *m);
/* The document of a new node in the v3 vocabulary (still the caller's) -> metadata of the hierarchy's own format,
 * checked strictly.  E_INVALID naming what the format cannot hold. */
zinc_status zinc_meta_from_v3(zinc_meta **out, zinc_hierarchy *h, zinc_json_doc *v3, zinc_error *err);
/* The same, as a document of the hierarchy's own format. */
zinc_status zinc_document_from_v3(zinc_json_doc **out, zinc_hierarchy *h, const zinc_json_doc *v3, zinc_error *err);
/* E_UNSUPPORTED with the text of m->unsupported. */
zinc_status zinc_meta_refuse(const zinc_meta *m, zinc_error *err);
/* A copy with another shape (same rank).  Its document is changed, too.  Its tag is empty.  E_INVALID when the grid
 * does not allow the shape. */
zinc_status zinc_meta_resized(zinc_meta **out, const zinc_meta *m, const uint64_t *shape, zinc_error *err);

/* Would a reader accept this document?  E_LIMIT when it is too long or has too many values. */
zinc_status zinc_document_fits(zinc_context *ctx, const zinc_buf *text, zinc_error *err);

/* A report that discards its findings: for documents that were checked before. */
void zinc_report_init_quiet(zinc_report *r, zinc_context *ctx, bool strict);

/* ---- which storage transformers are known (transformer_table.c) ---- */

/* By its name in version 3, or by a URI of the drafts; NULL: unknown.  The built-in one has no open(). */
const struct zinc_transformer_def *zinc_transformer_find(const char *name);
/* By a URI of the drafts; `match` as zinc_table_find_uri. */
const struct zinc_transformer_def *zinc_transformer_find_uri(const char *uri, zinc_uri_match *match);

/* ---- hierarchies ---- */

/* The role of a key's value. */
typedef enum zinc_key_role {
	ZINC_KEY_OTHER,  /* a stored object, or something that the format does not define */
	ZINC_KEY_NODE,   /* a document that makes a node */
	ZINC_KEY_PART,   /* another document, or a known file without a meaning */
	ZINC_KEY_FOREIGN /* in a place that the format does not use */
} zinc_key_role;

/* The progress of a call, counted in nodes. */
typedef struct zinc_node_progress {
	zinc_progress_fn fn;
	void *arg;
	uint64_t done;
} zinc_node_progress;

struct zinc_hierarchy {
	atomic_uint refs;
	zinc_context *ctx;
	zinc_store *store;
	char *url;    /* of the root, for messages */
	char *prefix; /* of the root in the store: "" or "a/b/" */
	char *path;   /* of the node that the URL named */
	const zinc_format *format;
	bool strict;
	bool read_only;
	bool linked;                    /* its root is a link that erasing would follow: strict modes, drafts */
	bool fresh;                     /* nothing of it was there when it was opened for creating */
	char *fallback;                 /* as in zinc_open_options; NULL */
	uint32_t put_flags;             /* ZINC_PUT_RELAXED or 0 */
	struct zinc_draft_entry *entry; /* of a draft; NULL in other formats */
	zinc_hierarchy *of;             /* in the copy of a call: the handle (visit.c); NULL: this is the handle */
	const zinc_wait *wait;          /* of the call; NULL: no time limit */
	zinc_node_progress *progress;   /* of the call; NULL: no progress function */
	struct zinc_known *known;       /* documents that are not read again (known.c); NULL: none */
};

/* zinc_hierarchy_open_url that also returns the documents that it has read, so that the call that goes on with the node
 * need not read them again.  *known may be NULL; free it with zinc_known_free. */
zinc_status zinc_hierarchy_open_node(zinc_hierarchy **out, struct zinc_known **known, const char *url,
				     const zinc_open_options *options, zinc_error *err);
/* NULL: no memory.  Free with zinc_known_free; NULL is fine. */
struct zinc_known *zinc_known_new(zinc_context *ctx);
void zinc_known_free(struct zinc_known *k);

/* The part of a call's state that lies on its stack. */
typedef struct zinc_visit {
	zinc_hierarchy h;
	zinc_wait wait;
	zinc_node_progress progress;
} zinc_visit;

/* Replace *h by the call's copy, which needs no close.  Without options *h is unchanged, and keeps the deadline of the
 * call that this one is a part of.  E_INVALID as zinc_wait_begin, and when *h is NULL; the message names the caller. */
#define zinc_visit_begin(v, h, call, err) zinc_visit_begin_of(__func__, v, h, call, err)
zinc_status zinc_visit_begin_of(const char *function, zinc_visit *v, zinc_hierarchy **h, const zinc_call_options *call,
				zinc_error *err);
/* The same for a call whose progress is counted in nodes.  zinc_visit_progress adds `more` nodes of `total` (0:
 * unknown).  E_CANCELLED when the progress function returns non-zero. */
#define zinc_visit_begin_counted(v, h, call, err) zinc_visit_begin_counted_of(__func__, v, h, call, err)
zinc_status zinc_visit_begin_counted_of(const char *function, zinc_visit *v, zinc_hierarchy **h,
					const zinc_call_options *call, zinc_error *err);
zinc_status zinc_visit_progress(const zinc_hierarchy *h, uint64_t more, uint64_t total, zinc_error *err);
/* zinc_hierarchy_open_new whose deadline, in v->wait, stays valid for the operations that follow. */
zinc_status zinc_visit_open_new(zinc_visit *v, zinc_hierarchy **h, zinc_hierarchy **old, const char *url,
				const zinc_open_options *options, zinc_error *err);
/* The same for a second hierarchy of the call. */
zinc_hierarchy *zinc_visit_within(zinc_visit *v, zinc_hierarchy *h, const zinc_wait *wait);

/* Name the hierarchy in an error, and make the key relative to its root.  Returns `st`. */
zinc_status zinc_error_in(zinc_error *err, zinc_status st, const zinc_hierarchy *h);
/* The same for a call on the node at `path` (normalised; NULL: on the hierarchy): names the node's URL. */
zinc_status zinc_error_at_node(zinc_error *err, zinc_status st, const zinc_hierarchy *h, const char *path);

zinc_hierarchy *zinc_hierarchy_ref(zinc_hierarchy *h);
/* zinc_hierarchy_open_url for a new node; `otherwise` is the format of a new hierarchy [v3].  If the URL is the root of
 * a hierarchy of another format than the requested one, *old becomes that hierarchy, which an overwriting caller erases
 * first; else *old is NULL. */
zinc_status zinc_hierarchy_open_new(zinc_hierarchy **out, zinc_hierarchy **old, const char *url, const char *otherwise,
				    const zinc_open_options *options, zinc_error *err);
/* Normalise a caller's path ("foo/bar", "/foo/bar/", "") to "/foo/bar", and check the node names by the format's rules
 * (E_INVALID, naming M29-M35).  The result is the caller's (zinc_free). */
zinc_status zinc_path_normalise(char **out, const zinc_hierarchy *h, const char *path, zinc_error *err);
/* E_READONLY for a hierarchy that was opened read-only. */
zinc_status zinc_hierarchy_writable(const zinc_hierarchy *h, zinc_error *err);
/* Prepare an empty hierarchy: put the entry point, if the format has one. */
zinc_status zinc_hierarchy_init(zinc_hierarchy *h, zinc_error *err);
/* Free what `enter` made. */
void zinc_hierarchy_leave(zinc_hierarchy *h);
/* Can the store hold the documents and the data of a node at this path? */
zinc_status zinc_hierarchy_check_keys(const zinc_hierarchy *h, const char *path, zinc_error *err);
/* Does the last name of a key look like a chunk's: numbers and points, perhaps after a "c"? */
bool zinc_is_chunk_name(const char *name);
/* The role of a key, from the format's `place`. */
zinc_status zinc_key_role_of(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_error *err);
/* Warn when the root has documents of another version, too.  `known`: what opening it has read. */
void zinc_hierarchy_warn_other_versions(zinc_hierarchy *h, struct zinc_known *known);
/* The text of a draft's entry point, with a NUL; E_NOTFOUND. */
zinc_status zinc_entry_get(zinc_hierarchy *h, zinc_blob *text, zinc_error *err);
/* Read the entry point again, if the format has one, for a report that collects. */
zinc_status zinc_hierarchy_check_entry(zinc_hierarchy *h, zinc_report *r, zinc_error *err);
/* Is there no key at `path` and below?  A new array in a place with old chunks would show their values. */
zinc_status zinc_hierarchy_vacant(zinc_hierarchy *h, const char *path, bool *vacant, zinc_error *err);

/* Where the value is stored that marks missing elements for xarray and other CF readers.  It is fill_value in versions
 * where that may be null, else the attribute.  Drafts that those programs do not read use it, too, so that a chain of
 * copies keeps the value. */
typedef enum zinc_masks {
	ZINC_MASKS_FILL,     /* fill_value; if it is null, the attribute _FillValue as a plain number */
	ZINC_MASKS_ATTRIBUTE /* only the attribute _FillValue, floats as base64 */
} zinc_masks;

/* One node of a listing.  `meta` is borrowed, and NULL when there is a problem. */
typedef struct zinc_found_node {
	const char *path;
	const char *key; /* of the document; "" when implicit */
	zinc_node_kind kind;
	bool implicit;
	bool copy; /* known from consolidated metadata, which may be older than the document */
	/* A child that cannot be shown because of its name, a link, its file type or its place (hidden.c).  `path` is
	 * escaped, and `key` is "". */
	bool hidden;
	zinc_meta *meta;
	const zinc_error *problem; /* NULL, or why its document cannot be used */
} zinc_found_node;
typedef int (*zinc_found_fn)(void *arg, const zinc_found_node *node); /* non-zero stops */

/* Depths of a walk without a limit: as readers see the nodes; without consolidated metadata; from consolidated metadata
 * only, that is, the nodes below that it has, if there is any. */
enum { ZINC_WALK_ALL = -1, ZINC_WALK_STORED = -2, ZINC_WALK_COPIES = -3 };

/* zinc_walk that misses no node (hidden.c): if the store can list, it uses stored documents and looks at every key.
 * Nodes that only consolidated metadata has are hidden. */
zinc_status zinc_walk_thorough(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_found_fn fn, void *arg,
			       zinc_error *err);
/* Does a document of this name make a node, in any version of Zarr whose documents lie in the node's directory? */
bool zinc_key_makes_node(const char *key);
/* The same for a key of the store, also for N5: other programs have files named attributes.json, so that one is read.
 * One that cannot be read counts. */
zinc_status zinc_key_is_node(const zinc_hierarchy *h, const char *key, bool *is, zinc_error *err);

/* One copy in consolidated metadata: its path below the group ("a/b") and the value that meta->doc would have.
 * Non-zero stops. */
typedef int (*zinc_copy_fn)(void *arg, const char *below, const zinc_json *copy);

/* Which groups can have consolidated metadata? */
typedef enum zinc_copies_of { ZINC_COPIES_NONE, ZINC_COPIES_OF_ROOT, ZINC_COPIES_OF_GROUPS } zinc_copies_of;

/* Where it is stored (copies_read.c).  In a member the copies are named by paths ("a/b"), in a separate document by the
 * keys of the copied documents ("a/.zarray").  Readers use only that of groups. */
typedef struct zinc_copies {
	zinc_copies_of of;
	const char *member; /* of the group's own document */
	/* Or the name of a separate document, after the prefix of the group.  Where groups have it, it is also one of
	 * `documents`. */
	const char *document;
} zinc_copies;

/* Which part of a node does a document hold? */
typedef enum zinc_document_part { ZINC_PART_NODE, ZINC_PART_ATTRIBUTES, ZINC_PART_COPIES } zinc_document_part;

/* A document that a node can have. */
typedef struct zinc_document {
	const char *name;     /* in the node's directory; in a draft the part between the node's name and the suffix */
	zinc_node_kind makes; /* with ZINC_PART_NODE: the kind of node that it makes; NONE: it says so itself */
	zinc_document_part part;
} zinc_document;

/* Maximum number of documents of a node. */
#define ZINC_DOCUMENTS_MAX 4

/* What a version can hold, in the vocabulary of the final version.  Copies use it to change beforehand what the target
 * version cannot hold; the version's printer refuses the rest. */
typedef enum zinc_holds_codecs {
	ZINC_HOLDS_ANY,
	ZINC_HOLDS_ID,   /* codecs with an id in version 2 */
	ZINC_HOLDS_URI,  /* those of `codecs`, and registered ones with a URI */
	ZINC_HOLDS_NAME, /* those of `codecs`, by their names in the final version */
	ZINC_HOLDS_NO_CODEC
} zinc_holds_codecs;

/* Positions in the chain of one chunk.  `bytes` and a leading transpose are the byte order and the layout, not
 * codecs. */
typedef enum zinc_codec_place { ZINC_OF_ELEMENTS, ZINC_TO_BYTES, ZINC_OF_BYTES, ZINC_LAST } zinc_codec_place;

typedef struct zinc_holds {
	bool regular_grid; /* chunks have one shape, except on a grid of a program */
	bool no_shards;
	bool plain_shards;      /* shards as a whole are neither reordered nor compressed */
	bool plain_orders;      /* axes are forwards or backwards, before any other codec */
	bool no_orders;         /* axes are forwards */
	bool zero_fill;         /* the fill value is 0 */
	bool plain_nan;         /* a NaN as fill value has no payload */
	bool whole_names;       /* all dimensions have names or none has, in the attribute ZINC_DIMENSIONS */
	bool filters;           /* codecs of elements name their byte order, which is the type's */
	const char *filters_in; /* the attribute that holds them; NULL: they are in a member */
	/* Has an attribute of that name another meaning beside the others?  NULL: none has. */
	bool (*reserved)(zinc_node_kind kind, const zinc_json *attributes, const char *name);
	zinc_holds_codecs places[4];
	const char *const *codecs; /* ids in version 2, or names; NULL-ended */
	/* Members that the core does not define, and key encodings: all, those with a URI, none. */
	enum { ZINC_HOLDS_EXTENSIONS, ZINC_HOLDS_URIS, ZINC_HOLDS_NO_EXTENSION } extensions;
} zinc_holds;

/* A version of Zarr.  Paths are normalised ("/", "/foo").  Reading functions take a report, which selects strict or
 * lenient reading and collects findings. */
struct zinc_format {
	const char *id; /* "v3" */
	const char *purpose;
	const char *codecs;     /* default codecs of new arrays, as text for zinc_chain_parse_text */
	bool shards_when_asked; /* it can hold shards, but few readers support them: copies make them only on request */
	bool crc32c_when_asked; /* the same for crc32c after a compressor */

	/* Of a node: those that make it first, consolidated metadata last. */
	zinc_document documents[ZINC_DOCUMENTS_MAX];
	zinc_holds holds;

	const char *group;      /* the document of a group without attributes */
	bool bare_groups;       /* a directory without a document is a group if a node is below it */
	bool nan_in_attributes; /* NaN tokens, which are not JSON, are accepted in attributes only */

	zinc_copies copies; /* consolidated metadata */
	zinc_masks masks;   /* where the value for missing elements is stored */
	const char *keys;   /* default chunk key encoding of new arrays; NULL: "default" */

	/* Does this zarr.json belong to this format?  `root` NULL: it is damaged.  *kind is NONE for a damaged one and
	 * for an entry point.  Slot NULL: the format has no zarr.json and uses detect. */
	bool (*claims)(const zinc_format *f, const zinc_json *root, zinc_node_kind *kind);
	/* Sets *found when a node of this format is at `prefix` of the store; *kind is NONE when its document is
	 * damaged.  What was read goes to `known` (NULL: nowhere).  E_UNSUPPORTED for a related format that Zinc does
	 * not read. */
	zinc_status (*detect)(zinc_store *s, const char *prefix, bool *found, zinc_node_kind *kind,
			      struct zinc_known *known, const zinc_wait *wait, zinc_error *err);
	/* Drafts: make h->entry from an entry point, which is taken, also on failure, or from NULL for a new hierarchy.
	 * E_UNSUPPORTED for an unknown extension that must be understood.  Slot NULL: there is no entry point. */
	zinc_status (*enter)(zinc_hierarchy *h, zinc_json_doc *entry, zinc_report *r, zinc_error *err);
	const struct zinc_draft *draft; /* the row of a draft, for the files that drafts share; else NULL */
	bool lax_paths;                 /* in a caller's path, '\' counts as '/', and several count as one */
	bool fold_case;                 /* names of siblings must not differ only in case */
	/* Is the name valid for a node? */
	zinc_status (*check_name)(const zinc_format *f, const char *name, size_t n, zinc_error *err);
	/* The kind that a document in memory claims to be, even if the rest is broken. */
	zinc_node_kind (*kind)(const zinc_json *root);
	/* A stored document -> the document in memory, and back: for a version in which the shape and the attributes are
	 * in other places.  Slots NULL: they are the same. */
	zinc_status (*unpack)(zinc_json_doc *doc, zinc_error *err);
	zinc_status (*pack)(zinc_json_doc *doc, zinc_error *err);
	/* A document in memory -> metadata; `doc` is taken, also on failure.  `kind` NONE: the document says it. */
	zinc_status (*parse)(const zinc_format *f, zinc_context *ctx, zinc_json_doc *doc, zinc_node_kind kind,
			     zinc_report *r, zinc_meta **out, zinc_error *err);
	/* The reverse: metadata of any format, fully understood -> this format's document in memory.  E_INVALID naming
	 * what it cannot hold.  Slot NULL: the document is the final version's. */
	zinc_status (*print)(zinc_hierarchy *h, const zinc_meta *m, zinc_json_doc **out, zinc_error *err);

	/* The role of a key below the root, and its place in the tree.  For a document that makes a node, `place`
	 * becomes the node's prefix ("", "a/b/").  For other keys it becomes the prefix of the node they would belong
	 * to and the rest of the key ("a/b/0.0").  Empty for PART and FOREIGN. */
	zinc_status (*place)(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_buf *place,
			     zinc_error *err);
	/* For validators: this format's number for a rule of the final version; NULL when it has no such rule.  Slot
	 * NULL: all numbers are the same. */
	const char *(*rule)(const zinc_format *f, const char *rule);
};

extern const zinc_format zinc_format_v3, zinc_format_v2, zinc_format_v3_2019, zinc_format_v3_2020, zinc_format_v3_2022;
extern const zinc_format zinc_format_n5;

/* ---- where things lie (node_key.c) ---- */

/* The number of documents of a node up to this part.  They come first in the row's table. */
size_t zinc_documents(const zinc_format *f, zinc_document_part upto);
/* The index of the one that makes a node of this kind. */
size_t zinc_document_of(const zinc_format *f, zinc_node_kind kind);
/* Append the key of a document, or of the one that makes a node of this kind. */
zinc_status zinc_document_key(const zinc_hierarchy *h, const char *path, size_t which, zinc_buf *out, zinc_error *err);
zinc_status zinc_node_key(const zinc_hierarchy *h, const char *path, zinc_node_kind kind, zinc_buf *out,
			  zinc_error *err);
/* The kind of node that the document under this key makes; NONE: it makes none, or says so itself. */
zinc_node_kind zinc_key_kind(const zinc_hierarchy *h, const char *key);
/* Append the key of one stored object of an array.  E_UNSUPPORTED when the key encoding is unknown. */
zinc_status zinc_chunk_key(const zinc_hierarchy *h, const char *path, const zinc_meta *m, const uint64_t *index,
			   zinc_buf *out, zinc_error *err);
/* Append the prefix ("" or "a/b/") of the documents below a node, or of all stored objects of an array. */
zinc_status zinc_node_prefix(const zinc_hierarchy *h, const char *path, zinc_buf *out, zinc_error *err);
zinc_status zinc_data_prefix(const zinc_hierarchy *h, const char *path, zinc_buf *out, zinc_error *err);
/* Each prefix with keys of the node and of all nodes below it; that of documents first.  Drafts have two. */
zinc_status zinc_node_prefixes(const zinc_hierarchy *h, const char *path,
			       zinc_status (*fn)(void *arg, const char *prefix, zinc_error *err), void *arg,
			       zinc_error *err);

/* ---- reading and writing a node (documents.c, node_read.c, node_write.c, node_edit.c) ---- */

/* The format's number for a rule of the final version; NULL: it has no such rule. */
const char *zinc_rule(const zinc_format *f, const char *rule);
/* Parse the text of a node's document, which includes its attributes; and append metadata as such a text. */
zinc_status zinc_text_parse(const zinc_format *f, zinc_context *ctx, const char *text, size_t n, zinc_report *r,
			    zinc_meta **out, zinc_error *err);
zinc_status zinc_meta_print(const zinc_meta *m, zinc_buf *out, zinc_error *err);
/* The node at `path`; E_NOTFOUND when there is none. */
zinc_status zinc_read_node(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_meta **out, zinc_error *err);
/* The attributes of a group that has no document; NULL: it has none. */
zinc_status zinc_read_bare_group(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_meta **out, zinc_error *err);
/* Called around every change of metadata at `path`.  Before it, consolidated metadata that would become stale is
 * removed; with `create`, all ancestors are also made groups (M37; E_INVALID when one is an array).  After it,
 * consolidated metadata written meanwhile is removed: of a writer and a consolidation one always sees the other. */
zinc_status zinc_change_begin(zinc_hierarchy *h, const char *path, bool create, zinc_error *err);
zinc_status zinc_change_end(zinc_hierarchy *h, const char *path, zinc_error *err);
/* Check before any change what zinc_change_begin with `create` would refuse. */
zinc_status zinc_check_above(zinc_hierarchy *h, const char *path, zinc_error *err);
/* For a node to be erased: E_UNSUPPORTED when a group above it must not be opened. */
zinc_status zinc_check_open(zinc_hierarchy *h, const char *path, zinc_error *err);
/* Put the node's documents, between zinc_change_begin and zinc_change_end.  The put of the document that makes the node is
 * conditional.  E_EXISTS, E_CONFLICT. */
zinc_status zinc_write_node(zinc_hierarchy *h, const char *path, const zinc_meta *m, const zinc_condition *when,
			    zinc_tag *tag, zinc_error *err);
/* The same without reading anything: no other program writes, the group above exists and the node does not. */
zinc_status zinc_put_node(zinc_hierarchy *h, const char *path, const zinc_meta *m, zinc_error *err);
/* For an edit that changes the shape: write the chunk lengths that the document does not state, but that reading takes
 * from the shape as it was (state_chunks.c). */
zinc_status zinc_state_chunks(const zinc_meta *stored, zinc_json_doc *doc, zinc_error *err);
/* Read-modify-write of the document under the store's exclusion: `edit` changes doc's root, perhaps more than once,
 * each time from the stored document, whose metadata are `stored` (NULL: a group without a document).  A document with
 * duplicate members is refused, since a rewrite would lose one.  `out` may be NULL; its tag is empty. */
typedef zinc_status (*zinc_edit_fn)(void *arg, const zinc_meta *stored, zinc_json_doc *doc, zinc_error *err);
zinc_status zinc_edit_node(zinc_hierarchy *h, const char *path, zinc_edit_fn edit, void *arg, zinc_meta **out,
			   zinc_error *err);

/* ---- consolidated metadata (copies_read.c, consolidate.c) ---- */

/* Call fn for each copy in a group's consolidated metadata; *has: there is some.  `group` may be NULL where it is a
 * separate document.  E_CORRUPT, with *has set, when it cannot be used. */
zinc_status zinc_copies_each(zinc_hierarchy *h, const char *path, const zinc_meta *group, bool *has, zinc_copy_fn fn,
			     void *arg, zinc_error *err);
/* Write the consolidated metadata of a group, or remove it. */
zinc_status zinc_consolidate_group(zinc_hierarchy *h, const char *path, bool remove, zinc_error *err);
/* Append the key of the document that consolidated metadata is, or that has it as a member. */
zinc_status zinc_copies_key(const zinc_hierarchy *h, const char *path, zinc_buf *key, zinc_error *err);

/* ---- listing (walk.c, walk_level.c) ---- */

/* Children, or the node and all nodes below (depth < 0: all levels), parents first, siblings in byte order. */
zinc_status zinc_children(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_found_fn fn, void *arg,
			  zinc_error *err);
zinc_status zinc_walk(zinc_hierarchy *h, const char *path, int depth, zinc_report *r, zinc_found_fn fn, void *arg,
		      zinc_error *err);
/* Is this entry of the store, which is not a key, a child of some group, or may it hide one? */
bool zinc_non_key_may_hide_node(const zinc_hierarchy *h, const zinc_non_key *non_key);

/* ---- what a version can hold (holds.c) ---- */

bool zinc_holds_codec(const zinc_format *f, const zinc_codec_ops *ops, zinc_codec_place place);
bool zinc_holds_keys(const zinc_format *f, const zinc_keys_ops *ops); /* NULL: an unknown encoding, copied as it is */
/* Does the core define this member of the final version's document?  storage_transformers only while it is empty. */
bool zinc_core_member(const zinc_json *member);
/* A member of the final version's document. */
bool zinc_holds_member(const zinc_format *f, zinc_node_kind kind, const zinc_json *member);
/* The byte order of elements that a version 2 filter reads, and that it writes: '<' or '>'; 0: not stated. */
void zinc_v2_filter_orders(const char *id, const zinc_json *filter, char *in, char *out);

/* ---- names of dimensions (dimension_names.c); `root` is in the final version's vocabulary ---- */

/* xarray's attribute, for versions without a member. */
#define ZINC_DIMENSIONS "_ARRAY_DIMENSIONS"
/* The list, from the member or the attribute; NULL: none. */
const zinc_json *zinc_dimension_names_list(const zinc_json *root);
/* The same; NULL also when no dimension has a name. */
const zinc_json *zinc_dimension_names_find(const zinc_json *root);
/* Is it a list in which every dimension has a name? */
bool zinc_dimension_names_all(const zinc_json *v);
/* What a version with holds.whole_names writes as the attribute: nothing (*out NULL) when no dimension has a name, an
 * empty list for a scalar.  Returns what it cannot hold; NULL: it can. */
const char *zinc_dimension_names_fit(const zinc_json *root, const zinc_json *attributes, const zinc_json **out);

/* ---- whose keys, and erasing them (own.c, erase.c) ---- */

/* Names of what unfinished copies leave at their targets. */
#define ZINC_CP_JOURNAL   "__zinc_cp.json"
#define ZINC_CP_PART      "__zinc_cp." /* then a number and ".json": of one part of a copy */
#define ZINC_CP_PASS_NAME "__zinc_cp_pass"

typedef enum zinc_cp_trace {
	ZINC_CP_NO_TRACE,
	ZINC_CP_UNFINISHED, /* a journal */
	ZINC_CP_TEMPORARY   /* a key of the temporary array beside it, or of a part */
} zinc_cp_trace;

/* By the name of the key. */
zinc_cp_trace zinc_cp_trace_of(const char *key);
/* By its content: is it a journal? */
bool zinc_cp_is_journal(const zinc_hierarchy *h, const char *key);

/* Are the keys of the array's stored objects known for certain?  Unknown codecs and data types do not matter. */
bool zinc_meta_keys_known(const zinc_meta *m);
/* Can the array have a stored object at `below`, a key after the prefix of its data, inside or outside the grid? */
bool zinc_meta_owns(const zinc_hierarchy *h, const zinc_meta *m, const char *below);

/* Erase the node and everything below, documents first, after checking that all of it is the node's own (zinc.h,
 * zinc_node_erase_with).  `counts` may be NULL. */
zinc_status zinc_erase(zinc_hierarchy *h, const char *path, const zinc_erase_options *o, zinc_erase_counts *counts,
		       zinc_error *err);
/* Is it 0, 1 or ZINC_FORCE?  E_INVALID. */
zinc_status zinc_overwrite_check(int overwrite, zinc_error *err);
/* Make room for a new node: erase the one that is there, or what an unfinished copy left.  `overwrite` is as in
 * zinc_array_options.  ZINC_OK when there was nothing. */
zinc_status zinc_erase_for(zinc_hierarchy *h, const char *path, int overwrite, bool dry_run, zinc_error *err);

/* Detect the format (`only`, or any) of a node or an entry point at `prefix`; *format NULL: none.  It costs one get of
 * zarr.json, and the gets of formats without it.  An entry point is returned parsed in *entry (NULL: not wanted), which
 * is the caller's; what was read goes to `known` (NULL: nowhere). */
zinc_status zinc_format_detect(zinc_store *s, const char *prefix, const zinc_format *only, const zinc_format **format,
			       zinc_node_kind *kind, zinc_json_doc **entry, struct zinc_known *known,
			       const zinc_wait *wait, zinc_error *err);

/* Is it the name of a document of any version? */
bool zinc_format_is_document(const char *name, size_t n);
/* May new nodes have the names in this path?  E_INVALID when one is the name of a document of any version: a reader
 * that looks for the document would find a directory. */
zinc_status zinc_path_check_new(const char *path, zinc_error *err);
/* Does this zarr.json claim to be of a draft of 2019 to 2022? */
bool zinc_format_is_draft(const zinc_json *root);

/* By number, in the order of detection; NULL: no more.  By id; NULL: unknown. */
const zinc_format *zinc_format_row(size_t i);
const zinc_format *zinc_format_find(const char *id);
/* False: this build is without the drafts of version 3. */
extern const bool zinc_format_has_drafts;
void zinc_format_each(int (*fn)(void *arg, const char *name, const char *also, const char *purpose), void *arg);

/* Build the v3 document of a new array from a caller's options, with all defaults recorded (M23).  E_INVALID,
 * E_UNSUPPORTED. */
zinc_status zinc_document_build(zinc_json_doc **out, zinc_context *ctx, const zinc_array_options *o, zinc_error *err);
zinc_status zinc_document_build_group(zinc_json_doc **out, zinc_context *ctx, const char *attributes, zinc_error *err);
/* Describe the node as `zinc info --json` does; keys are relative to the root.  `m` NULL: an implicit group. */
zinc_status zinc_meta_describe(const zinc_hierarchy *h, const char *path, const zinc_meta *m, zinc_buf *out,
			       zinc_error *err);

/* Allowed values of the numbers in options. */
extern const zinc_options_kind zinc_open_options_kind, zinc_array_options_kind;

#endif
