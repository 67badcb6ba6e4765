/*
 * format.h - door of the room `format`: one file per version of Zarr
 *
 * All versions describe the same thing, so each is translated to and from one common zinc_meta here, and nobody else asks
 * which version a node has.  A version is a row of data and two translations, parse and print; what is done with a node is
 * written once, on top of that row.
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

/* ---- the common metadata ---- */

/*
 * A node's metadata; immutable once made, and counted, so that running reads keep theirs
 * while a handle moves on.  `doc` is the document as found (or to be written), with
 * members that Zinc does not know.
 */
typedef struct zinc_meta {
	atomic_uint refs;
	zinc_context *ctx;
	const zinc_format *format; /* of the document */
	zinc_node_kind kind;
	zinc_json_doc *doc;          /* the stored document (v3: zarr.json) */
	zinc_json_doc *v3;           /* the same in the final version's vocabulary; NULL: doc is */
	const zinc_json *attributes; /* an object in doc or v3, or NULL */
	char *unsupported;           /* NULL, or why elements cannot be accessed */
	char unsupported_rule[ZINC_RULE_BYTES];
	bool closed;   /* and why nothing may be done with it but to show it */
	bool no_fill;  /* `fill_value` is null, and `fill` what is read for it */
	bool opaque;   /* something that is not understood may say which keys there are */
	bool implicit; /* a group that exists by its descendants only: `doc` is nobody's */
	zinc_tag tag;  /* of the document as read; n == 0: none */

	/* arrays only */
	int ndim;
	uint64_t shape[ZINC_MAX_NDIM];
	const zinc_dtype *dtype;             /* NULL when unsupported */
	zinc_grid *grid;                     /* NULL when unsupported */
	zinc_keys keys;                      /* keys.ops NULL when unsupported */
	zinc_chain *chain;                   /* NULL when unsupported */
	void *fill;                          /* one element in native order; NULL when dtype is */
	const char **dimension_names;        /* NULL, or ndim entries, each may be NULL; borrowed from doc */
	uint64_t chunk_shape[ZINC_MAX_NDIM]; /* of the stored object at the origin; zeros when unsupported */
} zinc_meta;

/* Metadata that holds `doc` and nothing else yet, for the parsers; `doc` is taken, also on failure. */
zinc_status zinc_meta_new(zinc_meta **out, zinc_context *ctx, const zinc_format *format, zinc_json_doc *doc,
			  zinc_error *err);
void zinc_meta_free(zinc_meta *m); /* drops a reference; NULL is fine */
/* Would a read of the whole array ask for this entry of the store that is no key, or for something below or behind it?
 * `rest` is what follows the array's prefix in its name. */
bool zinc_meta_reads(const zinc_meta *m, const char *rest, const zinc_odd *odd);
/* Does all that lies below the prefix lie behind this entry, so that nobody can see it?  A draft's documents may be there
 * though the way to their chunks is not. */
bool zinc_odd_is_above(const zinc_odd *odd, const char *prefix);
/* Does this member of a document, of any version, say what stored bytes mean, and nothing of which keys there are? */
bool zinc_meta_is_of_values(const char *member);
zinc_meta *zinc_meta_ref(zinc_meta *m);
/* The document in the final version's vocabulary. */
const zinc_json *zinc_meta_v3(const zinc_meta *m);
/* The document of a new node in the v3 vocabulary (stays the caller's) -> metadata of the hierarchy's own format,
 * judged strictly. E_INVALID naming what the format cannot hold. */
zinc_status zinc_meta_from_v3(zinc_meta **out, zinc_hierarchy *h, zinc_json_doc *v3, zinc_error *err);
/* The same, and the hierarchy's own document of it. */
zinc_status zinc_document_from_v3(zinc_json_doc **out, zinc_hierarchy *h, const zinc_json_doc *v3, zinc_error *err);
/* E_UNSUPPORTED as it says. */
zinc_status zinc_meta_refuse(const zinc_meta *m, zinc_error *err);
/* A copy with another shape (same rank); its document is changed to match.  Its tag is empty.  E_INVALID when the grid
 * cannot take the shape. */
zinc_status zinc_meta_resized(zinc_meta **out, const zinc_meta *m, const uint64_t *shape, zinc_error *err);

/* Would a reader take this document?  E_LIMIT when it is too long or has too many values. */
zinc_status zinc_document_fits(zinc_context *ctx, const zinc_buf *text, zinc_error *err);

/* A report whose findings nobody hears: for documents that were judged already. */
void zinc_report_init_quiet(zinc_report *r, zinc_context *ctx, bool strict);

/* ---- which storage transformers are known (transformer_table.c) ---- */

/* By its name in version 3, or by a URI of the drafts in its place; NULL: unknown.  The built-in one has no open(). */
const struct zinc_transformer_def *zinc_transformer_find(const char *name);
/* By a URI of the drafts; `match` as zinc_table_find_uri. */
const struct zinc_transformer_def *zinc_transformer_find_uri(const char *uri, zinc_uri_match *match);

/* ---- hierarchies ---- */

/* What a key says that the value is. */
typedef enum zinc_key_role {
	ZINC_KEY_OTHER,  /* a stored object, or nothing of the format's */
	ZINC_KEY_NODE,   /* a document that makes a node */
	ZINC_KEY_PART,   /* another document, or something known to lie about */
	ZINC_KEY_FOREIGN /* where the format puts nothing: not ours to judge */
} zinc_key_role;

/* Who is told how many nodes a call has come to: its progress function. */
typedef struct zinc_told {
	zinc_progress_fn fn;
	void *arg;
	uint64_t done;
} zinc_told;

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
	bool linked;                    /* its root is a link that erasing would go through: strict modes, drafts */
	bool fresh;                     /* nothing of it was there when it was opened to be made */
	char *fallback;                 /* as in zinc_open_options; NULL */
	uint32_t put_flags;             /* ZINC_PUT_RELAXED or 0 */
	struct zinc_draft_entry *entry; /* of a draft; NULL in other formats */
	zinc_hierarchy *of;             /* of a call's copy: the handle (visit.c); NULL: this is it */
	const zinc_wait *wait;          /* of the call; NULL: for ever */
	zinc_told *told;                /* of the call; NULL: nobody */
	struct zinc_opened *opened;     /* of the call that opened it: the document of `path`; NULL: none */
};

/* A zarr.json as detection has read it.  Whoever takes a part of it sets that to NULL. */
typedef struct zinc_opened {
	char *text; /* as stored, and a NUL; NULL: none, or damaged */
	size_t n;
	zinc_tag tag;
	zinc_json_doc *doc; /* the same, parsed */
} zinc_opened;

void zinc_opened_fini(zinc_context *ctx, zinc_opened *node);
/* zinc_hierarchy_open_url that also gives the document of the node, where it was read: it need not be read again by the
 * call that goes on with the node. */
zinc_status zinc_hierarchy_open_node(zinc_hierarchy **out, zinc_opened *node, const char *url,
				     const zinc_open_options *options, zinc_error *err);

/* What a call has on its stack. */
typedef struct zinc_visit {
	zinc_hierarchy h;
	zinc_wait wait;
	zinc_told told;
} zinc_visit;

/* *h becomes the call's copy, which needs no close; without options it stays, and with it the wait of the call that this
 * one is a part of.  E_INVALID, as zinc_wait_begin, and without a hierarchy, naming the caller. */
#define zinc_visit_begin(v, h, call, err) zinc_visit_begin_of(__func__, v, h, call, err)
zinc_status zinc_visit_begin_of(const char *function, zinc_visit *v, zinc_hierarchy **h, const zinc_call_options *call,
				zinc_error *err);
/* The same for a call whose units of progress are nodes; and so many more of them are done, of `total` (0: nobody knows).
 * E_CANCELLED when the progress function says so. */
#define zinc_visit_begin_told(v, h, call, err) zinc_visit_begin_told_of(__func__, v, h, call, err)
zinc_status zinc_visit_begin_told_of(const char *function, zinc_visit *v, zinc_hierarchy **h,
				     const zinc_call_options *call, zinc_error *err);
zinc_status zinc_visit_tell(const zinc_hierarchy *h, uint64_t more, uint64_t total, zinc_error *err);
/* zinc_hierarchy_open_new whose time, in v->wait, goes on for what follows. */
zinc_status zinc_visit_open_new(zinc_visit *v, zinc_hierarchy **h, zinc_hierarchy **old, const char *url,
				const zinc_open_options *options, zinc_error *err);
/* The same for another hierarchy of the call. */
zinc_hierarchy *zinc_visit_within(zinc_visit *v, zinc_hierarchy *h, const zinc_wait *wait);

/* Name the hierarchy that an error happened in, and the key as seen from its root.  Returns `code`. */
zinc_status zinc_error_in(zinc_error *err, zinc_status st, const zinc_hierarchy *h);
/* The same for a call on the node at `path` (normalised; NULL: of the hierarchy), whose own URL is named. */
zinc_status zinc_error_at_node(zinc_error *err, zinc_status st, const zinc_hierarchy *h, const char *path);

zinc_hierarchy *zinc_hierarchy_ref(zinc_hierarchy *h);
/*
 * zinc_hierarchy_open_url for a new node; `otherwise` is the format of a hierarchy that is not there yet [v3].  Where
 * the URL is the root of a hierarchy of another format than the one asked for, *old becomes that hierarchy, and whoever
 * overwrites erases it first; else NULL.
 */
zinc_status zinc_hierarchy_open_new(zinc_hierarchy **out, zinc_hierarchy **old, const char *url, const char *otherwise,
				    const zinc_open_options *options, zinc_error *err);
/* "/foo/bar" with anything that a caller may write ("foo/bar", "/foo/bar/", "") -> "/foo/bar"; checks the node names
 * by the format's rules (E_INVALID, naming M29-M35).  The result is the caller's (zinc_free). */
zinc_status zinc_path_normalise(char **out, const zinc_hierarchy *h, const char *path, zinc_error *err);
/* E_READONLY for a hierarchy that was opened so. */
zinc_status zinc_hierarchy_writable(const zinc_hierarchy *h, zinc_error *err);
/* Prepare an empty hierarchy: where the format has an entry point it is put. */
zinc_status zinc_hierarchy_init(zinc_hierarchy *h, zinc_error *err);
/* Free what `enter` made. */
void zinc_hierarchy_leave(zinc_hierarchy *h);
/* Can the store hold the documents and the data of a node at this path? */
zinc_status zinc_hierarchy_check_keys(const zinc_hierarchy *h, const char *path, zinc_error *err);
/* Is this a chunk's, as far as the last name of a key tells: numbers and points, perhaps behind a "c"? */
bool zinc_is_chunk_name(const char *name);
/* What a key of the store is, by the format's `place`. */
zinc_status zinc_key_role_of(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_error *err);
/* Warn when the root has documents of another version, too. */
void zinc_hierarchy_warn_other_versions(zinc_hierarchy *h);
/* Read the entry point once more, where the format has one, for a report that collects. */
zinc_status zinc_hierarchy_judge(zinc_hierarchy *h, zinc_report *r, zinc_error *err);
/* Is there no key at all at `path` and below?  A new array over leftovers of another would show their values. */
zinc_status zinc_hierarchy_vacant(zinc_hierarchy *h, const char *path, bool *vacant, zinc_error *err);

/*
 * What elements equal that xarray, and others who follow CF, take for missing.  It is fill_value where that may be null,
 * and the attribute where it may not.  Drafts that they do not read have it so, too: every chain of copies ends alike.
 */
typedef enum zinc_masks {
	ZINC_MASKS_FILL,     /* fill_value, unless it is null; then the attribute _FillValue, a plain number */
	ZINC_MASKS_ATTRIBUTE /* the attribute _FillValue alone, floats as base64 */
} zinc_masks;

/* One node of a listing; `meta` is borrowed, NULL with a problem. */
typedef struct zinc_found_node {
	const char *path;
	const char *key; /* of the document; "" when implicit */
	zinc_node_kind kind;
	bool implicit;
	bool
	    hidden; /* a child that cannot be shown, by its name, a link, the kind of file or its place (hidden.c); `path` is
		      * escaped, `key` "" */
	zinc_meta *meta;
	const zinc_error *problem; /* NULL, or why its document cannot be used */
} zinc_found_node;
typedef int (*zinc_found_fn)(void *arg, const zinc_found_node *node); /* non-zero stops */

/* How deep a walk goes: to the end, from what a reader takes; never from consolidated metadata; from nothing else, which
 * is what it says of the nodes below, if there is any. */
enum { ZINC_WALK_ALL = -1, ZINC_WALK_STORED = -2, ZINC_WALK_COPIES = -3 };

/* zinc_walk for those who must miss nothing (hidden.c): where the store can list, stored documents count, every key
 * is looked at, and what only consolidated metadata has is hidden. */
zinc_status zinc_walk_thorough(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_found_fn fn, void *arg,
			       zinc_error *err);
/* Does a document of this name make a node, in any version that keeps one in the node's directory? */
bool zinc_key_makes_node(const char *key);

/* One copy in consolidated metadata: its path below the group ("a/b") and what meta->doc would be; non-zero stops. */
typedef int (*zinc_copy_fn)(void *arg, const char *below, const zinc_json *copy);

/* Which groups can have consolidated metadata? */
typedef enum zinc_copies_of { ZINC_COPIES_NONE, ZINC_COPIES_OF_ROOT, ZINC_COPIES_OF_GROUPS } zinc_copies_of;

/* Where it lies (copies_read.c): in a member the copies go by paths ("a/b"), in a document by the keys of what was copied
 * ("a/.zarray").  Readers go by that of groups. */
typedef struct zinc_copies {
	zinc_copies_of of;
	const char *member; /* of the group's own document */
	const char
	    *document; /* or one of its own, behind the prefix of the group; where groups have it, among `documents` */
} zinc_copies;

/* Which part of a node does a document hold? */
typedef enum zinc_document_part { ZINC_PART_NODE, ZINC_PART_ATTRIBUTES, ZINC_PART_COPIES } zinc_document_part;

/* A document that a node may have. */
typedef struct zinc_document {
	const char *name; /* in the node's directory; of a draft what stands between the node's name and the suffix */
	zinc_node_kind makes; /* with ZINC_PART_NODE: what is there when it is there; NONE: it says so itself */
	zinc_document_part part;
} zinc_document;

/* At most so many has a node. */
#define ZINC_DOCUMENTS_MAX 4

/*
 * What a version can hold, in the vocabulary of the final one, for those who copy into it: they change beforehand what
 * it has no place for.  Its printer refuses the rest.
 */
typedef enum zinc_holds_codecs {
	ZINC_HOLDS_ANY,
	ZINC_HOLDS_ID,  /* those that have an id in version 2 */
	ZINC_HOLDS_URI, /* those of `codecs`, and programs' that have a URI */
	ZINC_HOLDS_NO_CODEC
} zinc_holds_codecs;

/* Places in the chain of one chunk; `bytes` and a transpose in front are a byte order and a layout, not codecs. */
typedef enum zinc_codec_place { ZINC_OF_ELEMENTS, ZINC_TO_BYTES, ZINC_OF_BYTES, ZINC_LAST } zinc_codec_place;

typedef struct zinc_holds {
	bool no_shards;
	bool plain_shards;      /* not reordered or compressed as a whole */
	bool plain_orders;      /* of axes: forwards or backwards, before any other codec */
	bool plain_nan;         /* as a fill value: no bits of its own */
	bool whole_names;       /* of all dimensions or of none, and in the attribute _ARRAY_DIMENSIONS */
	bool filters;           /* codecs of elements say their byte order, which is that of the type */
	const char *filters_in; /* an attribute; NULL: it is no attribute */
	zinc_holds_codecs places[4];
	const char *const *codecs; /* ids in version 2, NULL-ended */
	/* Members that the core does not name, and key encodings: all, those with a URI, none. */
	enum { ZINC_HOLDS_EXTENSIONS, ZINC_HOLDS_URIS, ZINC_HOLDS_NO_EXTENSION } extensions;
} zinc_holds;

/*
 * A version of Zarr.  Paths are normalised ("/", "/foo").  Reading functions take a report that
 * says strict or lenient and collects findings.
 */
struct zinc_format {
	const char *id; /* "v3" */
	const char *purpose;
	const char *codecs;     /* of new arrays whose creator names none, as zinc_chain_parse_text takes them */
	bool shards_when_asked; /* it can hold shards, but few readers know them: copies make none unless asked to */
	bool crc32c_when_asked; /* the same of crc32c behind a compressor */

	zinc_document
	    documents[ZINC_DOCUMENTS_MAX]; /* of a node: those that make it first, consolidated metadata last */
	zinc_holds holds;

	const char *group;      /* the text of a group without attributes */
	bool nan_in_attributes; /* NaN tokens, which JSON does not have, are forgiven in attributes only */

	zinc_copies copies; /* consolidated metadata */
	zinc_masks masks;   /* what xarray takes for missing */
	const char *keys;   /* chunk keys of new arrays that do not say theirs; NULL: "default" */

	/* Is this zarr.json of this format?  `root` NULL: it is damaged.  *kind is NONE for those, and for entry
	 * points. NULL: the format has no document of that name, but detect. */
	bool (*claims)(const zinc_json *root, zinc_node_kind *kind);
	/* Is there a node of this format at `prefix` of the store?  *found says; *kind is NONE when its document is
	 * damaged.  E_UNSUPPORTED for a sister format that only another reader knows. */
	zinc_status (*detect)(zinc_store *s, const char *prefix, bool *found, zinc_node_kind *kind,
			      const zinc_wait *wait, zinc_error *err);
	/* Drafts: make h->entry of an entry point, which is taken, also on failure, or of nothing (NULL) for a new
	 * hierarchy.  E_UNSUPPORTED for what must be understood and is not.  NULL: there is none. */
	zinc_status (*enter)(zinc_hierarchy *h, zinc_json_doc *entry, zinc_report *r, zinc_error *err);
	const struct zinc_draft *draft; /* what the drafts' shared files need to know of this one; else NULL */
	bool lax_paths;                 /* in what callers write for a path '\' is '/', and several are one */
	bool fold_case;                 /* names of siblings must differ in more than case */
	/* A name legal for a node? */
	zinc_status (*check_name)(const zinc_format *f, const char *name, size_t n, zinc_error *err);
	/* What a document in memory says it is, however broken the rest. */
	zinc_node_kind (*kind)(const zinc_json *root);
	/* A document in memory -> metadata; `doc` is taken, also on failure.  `kind` NONE: what it says. */
	zinc_status (*parse)(const zinc_format *f, zinc_context *ctx, zinc_json_doc *doc, zinc_node_kind kind,
			     zinc_report *r, zinc_meta **out, zinc_error *err);
	/* The way back: metadata of any format, all of it understood -> this format's document in memory, or E_INVALID
	 * naming what it cannot hold.  NULL: it is the final version's. */
	zinc_status (*print)(zinc_hierarchy *h, const zinc_meta *m, zinc_json_doc **out, zinc_error *err);

	/* What a key below the root is, and where it lies in the tree: `place` becomes the prefix ("", "a/b/") of the
	 * node that a document makes, or for other keys the prefix of the node they would belong to and what follows
	 * ("a/b/0.0").  Empty for PART and FOREIGN. */
	zinc_status (*place)(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_buf *place,
			     zinc_error *err);
	/* For validators: this format's number for a rule of the final version, or the same, or NULL where there is
	 * none such. NULL: all the same. */
	const char *(*rule)(const zinc_format *f, const char *rule);
};

extern const zinc_format zinc_format_v3, zinc_format_v2, zinc_format_v3_2019, zinc_format_v3_2020, zinc_format_v3_2022;

/* ---- where things lie (node_key.c) ---- */

/* How many documents of a node are `upto` this part?  They stand first in the row's table. */
size_t zinc_documents(const zinc_format *f, zinc_document_part upto);
/* Which of them makes a node of this kind? */
size_t zinc_document_of(const zinc_format *f, zinc_node_kind kind);
/* The key of one of them, and of the one that makes a node of this kind, appended. */
zinc_status zinc_document_key(const zinc_hierarchy *h, const char *path, size_t which, zinc_buf *out, zinc_error *err);
zinc_status zinc_node_key(const zinc_hierarchy *h, const char *path, zinc_node_kind kind, zinc_buf *out,
			  zinc_error *err);
/* The kind of node that the document under this key makes; NONE: none, or it says so itself. */
zinc_node_kind zinc_key_kind(const zinc_hierarchy *h, const char *key);
/* The key of one stored object of an array, appended.  E_UNSUPPORTED when nobody knows them. */
zinc_status zinc_chunk_key(const zinc_hierarchy *h, const char *path, const zinc_meta *m, const uint64_t *index,
			   zinc_buf *out, zinc_error *err);
/* The prefix ("" or "a/b/") of documents below a node, and that of all stored objects of an array, appended. */
zinc_status zinc_node_prefix(const zinc_hierarchy *h, const char *path, zinc_buf *out, zinc_error *err);
zinc_status zinc_data_prefix(const zinc_hierarchy *h, const char *path, zinc_buf *out, zinc_error *err);
/* Every prefix below which keys of the node and of everything below it lie, that of documents first: two in drafts. */
zinc_status zinc_node_prefixes(const zinc_hierarchy *h, const char *path,
			       zinc_status (*fn)(void *arg, const char *prefix, zinc_error *err), void *arg,
			       zinc_error *err);

/* ---- reading and writing a node (documents.c, node_read.c, node_write.c, node_edit.c) ---- */

/* The format's number for a rule of the final version; NULL: it has none such. */
const char *zinc_rule(const zinc_format *f, const char *rule);
/* The text of a node's document, with its attributes in it, -> metadata; and metadata -> such a text, appended. */
zinc_status zinc_text_parse(const zinc_format *f, zinc_context *ctx, const char *text, size_t n, zinc_report *r,
			    zinc_meta **out, zinc_error *err);
zinc_status zinc_meta_print(const zinc_meta *m, zinc_buf *out, zinc_error *err);
/* The node at `path`; E_NOTFOUND when there is none. */
zinc_status zinc_read_node(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_meta **out, zinc_error *err);
/* A group that lacks its document and has attributes in one of their own; NULL: it has none. */
zinc_status zinc_read_bare_group(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_meta **out, zinc_error *err);
/* Around every change of metadata at `path`.  prepare drops consolidated metadata that would be stale and, with `create`,
 * makes sure that all ancestors are groups (M37; E_INVALID when one is an array); settle looks again and drops what came
 * back: of a writer and a consolidator one always sees the other. */
zinc_status zinc_prepare(zinc_hierarchy *h, const char *path, bool create, zinc_error *err);
zinc_status zinc_settle(zinc_hierarchy *h, const char *path, zinc_error *err);
/* What zinc_prepare with `create` would refuse, asked before anything is changed. */
zinc_status zinc_check_above(zinc_hierarchy *h, const char *path, zinc_error *err);
/* For a node that goes: E_UNSUPPORTED when a group above must not be opened. */
zinc_status zinc_check_open(zinc_hierarchy *h, const char *path, zinc_error *err);
/* Put the node's documents, the one that makes it under a condition, with zinc_prepare and zinc_settle around.  E_EXISTS,
 * E_CONFLICT. */
zinc_status zinc_write_node(zinc_hierarchy *h, const char *path, const zinc_meta *m, const zinc_condition *when,
			    zinc_tag *tag, zinc_error *err);
/* The same where nobody else writes, the group above is there and no node: nothing is read. */
zinc_status zinc_put_node(zinc_hierarchy *h, const char *path, const zinc_meta *m, zinc_error *err);
/* Read-modify-write of the document under the store's exclusion: `edit` changes doc's root, perhaps more than once, each
 * time from what is stored.  A document with duplicate members is refused, for a rewrite would lose one.  `out` may be
 * NULL; its tag is empty. */
zinc_status zinc_edit_node(zinc_hierarchy *h, const char *path,
			   zinc_status (*edit)(void *arg, zinc_json_doc *doc, zinc_error *err), void *arg,
			   zinc_meta **out, zinc_error *err);

/* ---- consolidated metadata (copies_read.c, consolidate.c) ---- */

/* Has the group any?  Then call fn for each copy in it.  `group` may be NULL where it is a document.  E_CORRUPT, and *has,
 * when it cannot be used. */
zinc_status zinc_copies_each(zinc_hierarchy *h, const char *path, const zinc_meta *group, bool *has, zinc_copy_fn fn,
			     void *arg, zinc_error *err);
/* Write that of a group, or remove it. */
zinc_status zinc_consolidate_group(zinc_hierarchy *h, const char *path, bool remove, zinc_error *err);

/* ---- listing (walk.c, walk_level.c) ---- */

/* Children, or the node and everything below (depth < 0: all), parents first, siblings in order of bytes. */
zinc_status zinc_children(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_found_fn fn, void *arg,
			  zinc_error *err);
zinc_status zinc_walk(zinc_hierarchy *h, const char *path, int depth, zinc_report *r, zinc_found_fn fn, void *arg,
		      zinc_error *err);
/* Is an entry of the store that is no key a child of some group, or may it hide one? */
bool zinc_hides(const zinc_hierarchy *h, const zinc_odd *odd);

/* ---- what a version can hold (holds.c) ---- */

bool zinc_holds_codec(const zinc_format *f, const zinc_codec_ops *ops, zinc_codec_place place);
bool zinc_holds_keys(const zinc_format *f, const zinc_keys_ops *ops); /* NULL: some that are not known, as they are */
/* A member of the final version's document. */
bool zinc_holds_member(const zinc_format *f, zinc_node_kind kind, const zinc_json *member);
/* What a filter of version 2 takes elements for, and what it makes of them: '<' or '>'; 0: it does not say. */
void zinc_v2_filter_orders(const char *id, const zinc_json *filter, char *in, char *out);

/* ---- whose keys, and erasing them (own.c, erase.c) ---- */

/* Names of what copies that are not finished have at their targets. */
#define ZINC_CP_JOURNAL   "__zinc_cp.json"
#define ZINC_CP_PASS_NAME "__zinc_cp_pass"

typedef enum zinc_cp_trace {
	ZINC_CP_NO_TRACE,
	ZINC_CP_UNFINISHED, /* a journal */
	ZINC_CP_TEMPORARY   /* a key of the array beside it */
} zinc_cp_trace;

/* By the name of the key. */
zinc_cp_trace zinc_cp_trace_of(const char *key);
/* And by its content: is it a journal? */
bool zinc_cp_is_journal(const zinc_hierarchy *h, const char *key);

/* Is it certain which keys the array's stored objects have?  Unknown codecs and data types do not matter. */
bool zinc_meta_keys_known(const zinc_meta *m);
/* Can the array have a stored object at `below`, a key behind the prefix of its data, inside or outside the grid? */
bool zinc_meta_owns(const zinc_hierarchy *h, const zinc_meta *m, const char *below);

/* Erase the node and everything below, documents first, once all of it is known to be its own (zinc.h,
 * zinc_node_erase_with).  `counts` may be NULL. */
zinc_status zinc_erase(zinc_hierarchy *h, const char *path, const zinc_erase_options *o, zinc_erase_counts *counts,
		       zinc_error *err);
/* Is it 0, 1 or ZINC_FORCE?  E_INVALID. */
zinc_status zinc_overwrite_check(int overwrite, zinc_error *err);
/* Make place for a new node: the one that is there goes, or what an unfinished copy has left.
 * `overwrite` is as in zinc_array_options.  ZINC_OK when there was nothing. */
zinc_status zinc_erase_for(zinc_hierarchy *h, const char *path, int overwrite, bool dry_run, zinc_error *err);

/* Which format (`only`, or any) has a node or an entry point at `prefix`; *format NULL: none.  One get of zarr.json,
 * which goes to `node` if that is not NULL, and those of formats without it. */
zinc_status zinc_format_detect(zinc_store *s, const char *prefix, const zinc_format *only, const zinc_format **format,
			       zinc_node_kind *kind, zinc_opened *node, const zinc_wait *wait, zinc_error *err);

/* Is it the name of a document, of whatever version? */
bool zinc_format_is_document(const char *name, size_t n);
/* May new nodes have the names of this path?  E_INVALID where one is a document's of any version: a reader that looks for
 * it would find a directory. */
zinc_status zinc_path_check_new(const char *path, zinc_error *err);
/* Does this zarr.json say that it is of a draft of 2019 to 2022? */
bool zinc_format_is_draft(const zinc_json *root);

/* By number, in the order of detection; NULL: no more.  By id; NULL: unknown. */
const zinc_format *zinc_format_row(size_t i);
const zinc_format *zinc_format_find(const char *id);
/* False: the drafts of version 3 were left out of this build. */
extern const bool zinc_format_has_drafts;
void zinc_format_each(int (*fn)(void *arg, const char *name, const char *also, const char *purpose), void *arg);

/* Build the v3 document of a new array from a caller's options (E_INVALID, E_UNSUPPORTED), defaults recorded (M23). */
zinc_status zinc_document_build(zinc_json_doc **out, zinc_context *ctx, const zinc_array_options *o, zinc_error *err);
zinc_status zinc_document_build_group(zinc_json_doc **out, zinc_context *ctx, const char *attributes, zinc_error *err);
/* The node described as `zinc info --json` does; keys are relative to the root.  `m` NULL: an implicit group. */
zinc_status zinc_meta_describe(const zinc_hierarchy *h, const char *path, const zinc_meta *m, zinc_buf *out,
			       zinc_error *err);

/* What the numbers in options may be. */
extern const zinc_options_kind zinc_open_options_kind, zinc_array_options_kind;

#endif
