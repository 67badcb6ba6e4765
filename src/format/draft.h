/*
 * draft.h - what the drafts of version 3, of 2019 to 2022, share
 *
 * Unlike the versions before and after, they keep a whole hierarchy in two trees, one of documents and one of data,
 * below an entry point that says how:
 *
 *   zarr.json                            the entry point: version, encoding of documents, extensions
 *   meta/root.group.json                 the root, where it is a group with a document
 *   meta/root/foo/bar.array.json         the array /foo/bar; /foo needs no document, it is a group by what is below
 *   data/root/foo/bar/c0/0               the first chunk of it
 *
 *   draft_entry.c   the entry point
 *   draft_case.c    names that differ only in case, where they are forbidden
 *   draft_key.c     names, and which node a key belongs to
 *   draft_names.c   the URIs that identify codecs, types and transformers
 *   draft_parse.c   documents -> zinc_meta
 *   draft_member.c  the members that the drafts have in common
 *   draft_type.c    data types and fill values -> those of the final version, and back
 *   draft_fallback.c  what may stand in for a data type
 *   draft_make.c    zinc_meta -> documents
 *   draft_rules.h   the numbers of their rules
 *   draft_extend.c  what programs registered, in the drafts' words
 *
 * What differs is a row each: struct zinc_draft, in format_v3_2019.c, format_v3_2020.c and format_v3_2022.c.
 */
#ifndef ZINC_DRAFT_H
#define ZINC_DRAFT_H

#include "format/draft_rules.h"
#include "format/extensions.h"
#include "format/format_v2.h"

typedef struct zinc_draft zinc_draft;
typedef struct zinc_draft_parse zinc_draft_parse;
typedef struct zinc_draft_make zinc_draft_make;

/* How one member of an array's document is read; `v` is NULL when it is not there. */
typedef struct zinc_draft_member {
	const char *name;
	zinc_status (*parse)(zinc_draft_parse *p, const zinc_json *v);
	enum {
		ZINC_DRAFT_REQUIRED,
		ZINC_DRAFT_EXPECTED,
		ZINC_DRAFT_OPTIONAL
	} need; /* EXPECTED: some writers forget it */
} zinc_draft_member;

/* The entry point of one hierarchy. */
typedef struct zinc_draft_entry {
	char *suffix;                               /* behind ".array" and ".group" */
	const char *meta, *data;                    /* "meta/root", "data/root", without '/' at the end */
	bool root_dot;                              /* the root's document is meta + ".array", else meta + "/array" */
	atomic_bool stored;                         /* zarr.json is there */
	zinc_json_doc *doc;                         /* the entry point itself */
	const zinc_metadata_encoding_def *encoding; /* of all other documents, a program's; NULL: JSON */
} zinc_draft_entry;

struct zinc_draft {
	const zinc_format *format;
	const char *name;        /* in messages: "the 2020 draft" */
	const char *core;        /* URI of the core specification, up to its version */
	const char *entry;       /* the text of a new entry point */
	const char *version;     /* what new documents have as zarr_format, and then groups have extensions; NULL */
	const char *meta, *data; /* as in zinc_draft_entry */
	bool root_dot;           /* the root's document is meta + ".array", else meta + "/array" */
	bool scalar_c0;          /* a scalar's chunk may be "c0": zarr-python's */
	const char *chunk;       /* what chunk identifiers begin with: "c" or "" */
	const char *codec;       /* URI of a codec to be written: "https://.../%s/1.0" */
	const char *const *codec_ids; /* codecs that it may be written for, by their ids in version 2; ends with NULL */
	char separator;               /* of chunk identifiers that do not say theirs */
	size_t name_max;              /* bytes of a node's name; 0: any */
	bool names;                   /* data types are "float64", else "<f8" */
	bool complex;                 /* complex numbers are among them, and raw bytes are not: 2019 */
	bool strict_members;          /* a node with a member of an unknown name must not be opened */
	const char *const *rules;     /* ZINC_DRAFT_NRULES of them */
	const zinc_draft_member *members; /* of arrays, in the order in which they need each other; ends with NULL */
	const zinc_draft_member *group_members;
	const char *const *entry_members; /* of the entry point; ends with NULL */
	/* Is this entry point of this draft? */
	bool (*claims)(const zinc_json *root);
	/* metadata_encoding and the suffix -> entry, whose suffix is a string of the document. */
	zinc_status (*parse_encoding)(zinc_draft_entry *e, const zinc_json *root, const char **suffix, zinc_report *r,
				      const zinc_draft *d, zinc_error *err);
	/* Where things lie that the entry point does not say; NULL: it says all. */
	zinc_status (*look)(zinc_hierarchy *h, zinc_draft_entry *e, zinc_report *r, zinc_error *err);
	/* The codecs of one chunk behind the memory layout, appended to a `codecs` member of the final version. */
	zinc_status (*codecs)(zinc_draft_parse *p, zinc_json *list);
	/* And back: the members that say how chunks are encoded. */
	zinc_status (*print_codecs)(zinc_draft_make *b);
};

/* ---- draft_entry.c ---- */

zinc_status zinc_draft_enter(zinc_hierarchy *h, zinc_json_doc *entry, zinc_report *r, zinc_error *err);
/* A list of extensions: `fn` is called for each sound one.  Without it they are the hierarchy's, and judged. */
zinc_status zinc_draft_extensions(zinc_context *ctx, const zinc_draft *d, const zinc_json *list, zinc_report *r,
				  zinc_status (*fn)(void *arg, const char *uri, const zinc_json *item, zinc_error *err),
				  void *arg, zinc_error *err);

/* The declarations of the entry point; NULL: none. */
const zinc_json *zinc_draft_declared(const zinc_hierarchy *h);

/* ---- draft_key.c ---- */

zinc_status zinc_draft_check_name(const zinc_format *f, const char *name, size_t n, zinc_error *err);
zinc_status zinc_draft_place(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_buf *place,
			     zinc_error *err);
/* The last name of a document's key -> bytes of the node's name in it, and its kind; 0: it is no document.  Not for the
 * root. */
size_t zinc_draft_document(const zinc_hierarchy *h, const char *name, zinc_node_kind *kind);
/* Keys of chunks: the draft's `chunk`, then indices with a separator. */
zinc_status zinc_draft_keys_init(zinc_keys *out, zinc_context *ctx, const zinc_draft *d, char separator,
				 zinc_error *err);

/* Where the one chunk of a scalar lies: under "c", or under zarr-python's "c0" when only that is there. */
zinc_status zinc_draft_find_scalar(zinc_hierarchy *h, const char *path, zinc_meta *m, zinc_error *err);

/* ---- draft_case.c ---- */

/* For a new node: E_INVALID when its name, or one above it, differs from a sibling's only in case. */
zinc_status zinc_draft_check_case(zinc_hierarchy *h, const char *path, zinc_error *err);

/* ---- draft_names.c ---- */

/* What every extension point asks of the name of its extension. */
bool zinc_draft_is_uri(const zinc_json *v);
/* "https://purl.org/zarr/spec/codec/gzip/1.0", in all spellings -> "gzip" and "1.0" (or "" without).  False: another
 * URI. */
bool zinc_draft_codec_uri(const char *uri, char *name, size_t room, const char **version);
/* As zinc_dtype_uri_match, and zarr-python's objects. */
zinc_uri_match zinc_draft_type_uri(const char *uri, char letter, bool *has);
/* The URI to be written for a built-in type; NULL: none. */
const char *zinc_draft_type_name(const zinc_draft *d, const zinc_dtype *t);
/* Is it the sharding storage transformer? */
bool zinc_draft_is_sharding(const char *uri, const char **version);
const char *zinc_draft_sharding_name(const zinc_draft *d);
/* The stability policy: `version` against one of the same major number that this build knows ("3.0").  Another minor
 * number is a finding, another major E_UNSUPPORTED naming `uri`. */
zinc_status zinc_draft_check_version(const char *uri, const char *version, const char *known, zinc_report *r,
				     const char *rule, zinc_error *err);

/* ---- draft_parse.c, draft_member.c ---- */

/* Shards within shards that are taken for codecs. */
#define ZINC_DRAFT_SHARDS 4

struct zinc_draft_parse {
	zinc_context *ctx;
	zinc_report *r;
	const zinc_draft *draft;
	const zinc_json *root;
	zinc_json_doc *v3;
	zinc_json *out;          /* its root */
	zinc_json *data_type;    /* in the final version's words; NULL: it is wrong */
	const zinc_dtype *dtype; /* NULL: this build does not know it */
	bool big;                /* byte order as the type says */
	bool extension_type;
	bool fell_back;                                /* dtype is what may stand in for the type */
	bool closed;                                   /* it has a member that forbids to open it */
	const zinc_json *per_shard[ZINC_DRAFT_SHARDS]; /* chunks_per_shard, innermost first */
	size_t nshards;
	const zinc_json *filters; /* zarr-python's, from the attributes; NULL: none */
	zinc_json *layout;        /* a program's memory layout, as a codec; NULL: C or F */
	bool own_keys;            /* the keys of chunks are a program's */
	char separator;
	char *unsupported;
	char rule[ZINC_RULE_BYTES]; /* of that */
	bool opaque;                /* as in zinc_meta */
	bool failed;                /* an error has been found; it is in err */
	zinc_error *err;            /* the caller's */
	zinc_error e;               /* of the member under the parser */
};

/* The draft's number for a rule of the final version, as validators name it. */
const char *zinc_draft_rule_for(const zinc_format *f, const char *rule);
/* The number of a rule in the draft under the parser. */
const char *zinc_draft_rule_of(const zinc_draft_parse *p, zinc_draft_rule rule);
/* Set a member of the final version's document. */
zinc_status zinc_draft_set(zinc_draft_parse *p, const char *key, zinc_json *v);
/* {"name": ..., "configuration": {member: value}}, without it when `member` is NULL.  NULL: no memory. */
zinc_json *zinc_draft_extension(zinc_draft_parse *p, const char *name, const char *member, zinc_json *value);
/* {"extension": URI, "type": ..., more} -> {"name": URI, "configuration": {"type": ..., more}}: what only a registry
 * knows.  E_CORRUPT by `rule` when it has no such members, by the next when the first is no URI. */
zinc_status zinc_draft_foreign(zinc_draft_parse *p, const zinc_json *v, zinc_draft_rule rule, zinc_json **out);

/* The slot `parse`. */
zinc_status zinc_draft_parse_doc(const zinc_format *f, zinc_context *ctx, zinc_json_doc *doc, zinc_node_kind kind,
				 zinc_report *r, zinc_meta **out, zinc_error *err);
/* What a document is by its members. */
zinc_node_kind zinc_draft_kind(const zinc_json *root);

/* Rows for the tables of members. */
zinc_status zinc_draft_parse_shape(zinc_draft_parse *p, const zinc_json *v);
zinc_status zinc_draft_parse_type(zinc_draft_parse *p, const zinc_json *v);
zinc_status zinc_draft_parse_grid(zinc_draft_parse *p, const zinc_json *v);
zinc_status zinc_draft_parse_layout(zinc_draft_parse *p, const zinc_json *v);
zinc_status zinc_draft_parse_fill(zinc_draft_parse *p, const zinc_json *v);
zinc_status zinc_draft_parse_extensions(zinc_draft_parse *p, const zinc_json *v);
zinc_status zinc_draft_parse_attributes(zinc_draft_parse *p, const zinc_json *v);
zinc_status zinc_draft_parse_transformers(zinc_draft_parse *p, const zinc_json *v);
zinc_status zinc_draft_parse_nothing(zinc_draft_parse *p, const zinc_json *v); /* known, and says nothing to us */

/* ---- draft_extend.c ---- */

/* The configuration of a declaration; *out NULL: none. */
zinc_status zinc_draft_configuration(zinc_json **out, zinc_json_doc *doc, const zinc_json *v, zinc_error *err);
/* {"extension": one of the URIs, "type": name, ...}, checked by zinc_draft_foreign -> {"name": name, "configuration":
 * ...} */
zinc_status zinc_draft_registered(zinc_draft_parse *p, const zinc_json *v, const char *name, const char *const *uris,
				  zinc_draft_rule rule, zinc_json **out);
/* The stability policy: say what a URI of another minor version is taken for. */
void zinc_draft_warn_minor(zinc_draft_parse *p, const char *uri, const char *known, zinc_draft_rule rule);
/* A codec by its URI -> {"name": ..., "configuration": ...}; one that nobody knows keeps its URI as the name. */
zinc_status zinc_draft_codec(zinc_draft_parse *p, const char *uri, const zinc_json *configuration, zinc_json **out);
/* Is it a metadata encoding of a program's?  `type` NULL: the draft has none. */
bool zinc_draft_encoding(zinc_draft_entry *e, const char *uri, const char *type, const char *rule, zinc_report *r);
/* And back: {"extension": first of the URIs, "type": name, "configuration": ...} */
zinc_status zinc_draft_declare(zinc_json **out, zinc_json_doc *doc, const char *const *uris, const char *name,
			       const zinc_json *configuration, zinc_error *err);

/* ---- draft_type.c ---- */

/* The `data_type` of a draft: a core identifier in either spelling, or an extension's object. */
zinc_status zinc_draft_type_parse(zinc_draft_parse *p, const zinc_json *v);
/* Its fill value in the final version's words; nothing for null. */
zinc_status zinc_draft_fill_parse(zinc_draft_parse *p, const zinc_json *v, zinc_json **out);
/* The way back.  E_INVALID naming what the draft cannot hold. */
zinc_status zinc_draft_type_print(zinc_json **out, zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t,
				  bool big, zinc_error *err);
zinc_status zinc_draft_fill_print(zinc_json **out, zinc_json_doc *doc, const zinc_dtype *t, bool big, const void *fill,
				  zinc_error *err);

/* ---- draft_fallback.c ---- */

/* The member `fallback` of an extension data type (NULL: there is none): checked, and where the type is not known and
 * p->r->fallback allows it, used. */
zinc_status zinc_draft_fallback_parse(zinc_draft_parse *p, const zinc_json *v);
/* The fill value of a type for which its fallback stands.  E_UNSUPPORTED when it has no such element. */
zinc_status zinc_draft_fallback_fill(zinc_draft_parse *p, const zinc_json *v, zinc_json **out);
/* What is written when nobody says otherwise; NULL: no memory. */
zinc_json *zinc_draft_fallback_print(zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t, bool big);
/* Put the caller's choice (zinc_open_options.fallback; NULL: none) into a data_type that has just been printed.
 * E_INVALID: it is no type, or of another size. */
zinc_status zinc_draft_fallback_choose(zinc_json *type, zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t,
				       bool big, const char *asked, zinc_error *err);

/* ---- draft_make.c ---- */

/* A document of a draft under construction. */
struct zinc_draft_make {
	const zinc_draft *draft;
	const zinc_meta *m;
	const zinc_json *v3;     /* its root in the final version's words */
	const zinc_chain *chain; /* of one chunk: that inside a shard */
	const char *fallback;    /* as the caller asked for it; NULL */
	bool big, fortran;
	const zinc_codec *layout; /* a program's; NULL: C or F */
	zinc_json_doc *doc;
	zinc_json *out; /* root */
	zinc_json *attributes;
	zinc_error *err;
};

zinc_status zinc_draft_refuse(zinc_draft_make *b, const char *what);
/* What the draft calls a member of the document that is an extension: a URI; NULL: it is none. */
const char *zinc_draft_member_uri(const zinc_draft *d, zinc_node_kind kind, const zinc_json *member);
/* {key: URI, "configuration": ...} for a codec; *out NULL when the draft has no name for it. */
zinc_status zinc_draft_codec_print(zinc_draft_make *b, const zinc_codec *c, const char *key, zinc_json **out);
/* The slot `print`. */
zinc_status zinc_draft_print(zinc_hierarchy *h, const zinc_meta *m, zinc_json_doc **out, zinc_error *err);

/* ---- rows ---- */

/* What all drafts do alike, in a row of the table of formats. */
/* clang-format off */
#define ZINC_DRAFT_SLOTS \
    .documents = {{"array", ZINC_NODE_ARRAY, ZINC_PART_NODE}, {"group", ZINC_NODE_GROUP, ZINC_PART_NODE}}, \
    .enter = zinc_draft_enter, .kind = zinc_draft_kind, .parse = zinc_draft_parse_doc, .print = zinc_draft_print, \
    .place = zinc_draft_place, .check_name = zinc_draft_check_name, .rule = zinc_draft_rule_for
/* clang-format on */

#endif
