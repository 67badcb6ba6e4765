/*
 * draft.h - what the drafts of version 3, of 2019 to 2022, share
 *
 * Unlike the versions before and after, a draft keeps a whole hierarchy in two trees, one of documents and one of data.
 * An entry point describes both:
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
 * The differences are in one row per draft: struct zinc_draft, in format_v3_2019.c, format_v3_2020.c and
 * format_v3_2022.c.
 */
#ifndef ZINC_DRAFT_H
#define ZINC_DRAFT_H

#include "format/draft_rules.h"
#include "format/extensions.h"
#include "format/format_v2.h"

typedef struct zinc_draft zinc_draft;
typedef struct zinc_draft_parse zinc_draft_parse;
typedef struct zinc_draft_make zinc_draft_make;

/* Reads one member of an array's document; `v` is NULL when it is missing. */
typedef struct zinc_draft_member {
	const char *name;
	zinc_status (*parse)(zinc_draft_parse *p, const zinc_json *v);
	enum {
		ZINC_DRAFT_REQUIRED,
		ZINC_DRAFT_EXPECTED,
		ZINC_DRAFT_OPTIONAL
	} need; /* EXPECTED: required, but some writers leave it out */
} zinc_draft_member;

/* The entry point of one hierarchy. */
typedef struct zinc_draft_entry {
	char *suffix;                               /* behind ".array" and ".group" */
	const char *meta, *data;                    /* "meta/root", "data/root", without '/' at the end */
	bool root_dot;                              /* the root's document is meta + ".array", else meta + "/array" */
	atomic_bool stored;                         /* zarr.json is there */
	zinc_json_doc *doc;                         /* zarr.json, parsed */
	const zinc_metadata_encoding_def *encoding; /* registered; of all other documents; NULL: JSON */
} zinc_draft_entry;

struct zinc_draft {
	const zinc_format *format;
	const char *name;             /* for messages: "the 2020 draft" */
	const char *core;             /* URI of the core specification, up to its version */
	const char *entry;            /* the text of a new entry point */
	const char *version;          /* zarr_format of new documents, whose groups have extensions, too; NULL: none */
	const char *meta, *data;      /* as in zinc_draft_entry */
	bool root_dot;                /* the root's document is meta + ".array", else meta + "/array" */
	bool scalar_c0;               /* the chunk of a scalar may be "c0", as zarr-python writes it */
	const char *chunk;            /* first characters of chunk identifiers: "c" or "" */
	const char *codec;            /* URI to write for a codec: "https://.../%s/1.0" */
	const char *const *codec_ids; /* the codecs it is written for, by their ids in version 2; ends with NULL */
	char separator;               /* separator of chunk identifiers, when the document does not name one */
	size_t name_max;              /* maximum bytes of a node's name; 0: any */
	bool names;                   /* data types are "float64", else "<f8" */
	bool complex;                 /* 2019: complex numbers are core types, and raw bytes are not */
	bool strict_members;          /* a node with an unknown member must not be opened */
	const char *const *rules;     /* ZINC_DRAFT_NRULES of them */
	const zinc_draft_member *members; /* of arrays, each after those that it needs; ends with NULL */
	const zinc_draft_member *group_members;
	const char *const *entry_members; /* of the entry point; ends with NULL */
	/* Read metadata_encoding and the suffix into `entry`, whose suffix is a string of the document. */
	zinc_status (*parse_encoding)(zinc_draft_entry *e, const zinc_json *root, const char **suffix, zinc_report *r,
				      const zinc_draft *d, zinc_error *err);
	/* Find out where keys lie, if the entry point does not say it; NULL: it always does. */
	zinc_status (*look)(zinc_hierarchy *h, zinc_draft_entry *e, zinc_report *r, zinc_error *err);
	/* Append the codecs of one chunk, after the memory layout, to a `codecs` member of the final version. */
	zinc_status (*codecs)(zinc_draft_parse *p, zinc_json *list);
	/* The reverse: write the members that describe how chunks are encoded. */
	zinc_status (*print_codecs)(zinc_draft_make *b);
};

/* ---- draft_entry.c ---- */

/* The slot `claims`: does this entry point belong to the draft? */
bool zinc_draft_claims(const zinc_format *f, const zinc_json *root, zinc_node_kind *kind);
/* The member metadata_key_suffix; *suffix stays as it is when it is missing (`v` NULL). */
zinc_status zinc_draft_parse_suffix(const zinc_json *v, const char **suffix, zinc_report *r, const zinc_draft *d,
				    zinc_error *err);
zinc_status zinc_draft_enter(zinc_hierarchy *h, zinc_json_doc *entry, zinc_report *r, zinc_error *err);
/* Check a list of extensions and call `fn` for each valid one.  Without `fn` they are those of the hierarchy, and each
 * is checked. */
zinc_status zinc_draft_extensions(zinc_context *ctx, const zinc_draft *d, const zinc_json *list, zinc_report *r,
				  zinc_status (*fn)(void *arg, const char *uri, const zinc_json *item, zinc_error *err),
				  void *arg, zinc_error *err);

/* The declarations of the entry point; NULL: none. */
const zinc_json *zinc_draft_declared(const zinc_hierarchy *h);

/* ---- draft_key.c ---- */

zinc_status zinc_draft_check_name(const zinc_format *f, const char *name, size_t n, zinc_error *err);
zinc_status zinc_draft_place(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_buf *place,
			     zinc_error *err);
/* The last name of a document's key -> the length of the node's name in it, and its kind.  0: it is not a document.  Not
 * for the root. */
size_t zinc_draft_document(const zinc_hierarchy *h, const char *name, zinc_node_kind *kind);
/* Keys of chunks: the draft's `chunk`, then indices with a separator. */
zinc_status zinc_draft_keys_init(zinc_keys *out, zinc_context *ctx, const zinc_draft *d, char separator,
				 zinc_error *err);

/* The key of a scalar's only chunk: "c", or zarr-python's "c0" when only that is there. */
zinc_status zinc_draft_find_scalar(zinc_hierarchy *h, const char *path, zinc_meta *m, zinc_error *err);

/* ---- draft_case.c ---- */

/* For a new node: E_INVALID when its name, or one above it, differs from a sibling's only in case. */
zinc_status zinc_draft_check_case(zinc_hierarchy *h, const char *path, zinc_error *err);

/* ---- draft_names.c ---- */

/* The form that every extension point requires of an extension's name. */
bool zinc_draft_is_uri(const zinc_json *v);
/* "https://purl.org/zarr/spec/codec/gzip/1.0", in all spellings -> "gzip" and "1.0" ("" without a version).  False:
 * another URI. */
bool zinc_draft_codec_uri(const char *uri, char *name, size_t room, const char **version);
/* As zinc_dtype_uri_match, and also for zarr-python's objects. */
zinc_uri_match zinc_draft_type_uri(const char *uri, char letter, bool *has);
/* The URI to write for a built-in type; NULL: none. */
const char *zinc_draft_type_name(const zinc_draft *d, const zinc_dtype *t);
/* Is it the sharding storage transformer? */
bool zinc_draft_is_sharding(const char *uri, const char **version);
const char *zinc_draft_sharding_name(const zinc_draft *d);
/* The stability policy: compare `version` with the version of the same major number that this build knows ("3.0").
 * Another minor number is a finding.  Another major number is E_UNSUPPORTED, and the message names `uri`. */
zinc_status zinc_draft_check_version(const char *uri, const char *version, const char *known, zinc_report *r,
				     const char *rule, zinc_error *err);

/* ---- draft_parse.c, draft_member.c ---- */

/* Maximum depth of shards within shards that are read as codecs. */
#define ZINC_DRAFT_SHARDS 4

struct zinc_draft_parse {
	zinc_context *ctx;
	zinc_report *r;
	const zinc_draft *draft;
	const zinc_json *root;
	zinc_json_doc *v3;
	zinc_json *out;          /* its root */
	zinc_json *data_type;    /* in the final version's vocabulary; NULL: it is wrong */
	const zinc_dtype *dtype; /* NULL: this build does not know it */
	bool big;                /* byte order as the type says */
	bool extension_type;
	bool fell_back;                                /* dtype is the fallback for an unknown type */
	bool closed;                                   /* it has a member that forbids opening it */
	const zinc_json *per_shard[ZINC_DRAFT_SHARDS]; /* chunks_per_shard, innermost first */
	size_t nshards;
	const zinc_json *filters; /* zarr-python's filters, from the attributes; NULL: none */
	zinc_json *layout;        /* a registered memory layout, as a codec; NULL: C or F */
	bool own_keys;            /* the chunk key encoding is registered by a program */
	char separator;
	char *unsupported;
	char rule[ZINC_RULE_BYTES]; /* of that */
	bool opaque;                /* as in zinc_meta */
	bool failed;                /* an error has been found; it is in err */
	zinc_error *err;            /* the caller's */
	zinc_error e;               /* of the member under the parser */
};

/* The draft's number for a rule of the final version, for validators. */
const char *zinc_draft_rule_for(const zinc_format *f, const char *rule);
/* The number of a rule in the draft that is being parsed. */
const char *zinc_draft_rule_of(const zinc_draft_parse *p, zinc_draft_rule rule);
/* Set a member of the final version's document. */
zinc_status zinc_draft_set(zinc_draft_parse *p, const char *key, zinc_json *v);
/* {"name": ..., "configuration": {member: value}}; no configuration when `member` is NULL.  NULL: no memory. */
zinc_json *zinc_draft_extension(zinc_draft_parse *p, const char *name, const char *member, zinc_json *value);
/* {"extension": URI, "type": ..., more} -> {"name": URI, "configuration": {"type": ..., more}}, for things that only a
 * registry knows.  E_CORRUPT by `rule` when the members are missing, by the next rule when the first is not a URI. */
zinc_status zinc_draft_foreign(zinc_draft_parse *p, const zinc_json *v, zinc_draft_rule rule, zinc_json **out);

/* The slot `parse`. */
zinc_status zinc_draft_parse_doc(const zinc_format *f, zinc_context *ctx, zinc_json_doc *doc, zinc_node_kind kind,
				 zinc_report *r, zinc_meta **out, zinc_error *err);
/* The kind of node that the members of a document describe. */
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
zinc_status zinc_draft_parse_nothing(zinc_draft_parse *p, const zinc_json *v); /* known members, not used */

/* ---- draft_extend.c ---- */

/* The configuration of a declaration; *out NULL: none. */
zinc_status zinc_draft_configuration(zinc_json **out, zinc_json_doc *doc, const zinc_json *v, zinc_error *err);
/* {"extension": one of the URIs, "type": name, ...}, checked by zinc_draft_foreign -> {"name": name, "configuration":
 * ...} */
zinc_status zinc_draft_registered(zinc_draft_parse *p, const zinc_json *v, const char *name, const char *const *uris,
				  zinc_draft_rule rule, zinc_json **out);
/* The stability policy: report how a URI of another minor version is read. */
void zinc_draft_warn_minor(zinc_draft_parse *p, const char *uri, const char *known, zinc_draft_rule rule);
/* A codec by its URI -> {"name": ..., "configuration": ...}.  An unknown codec keeps its URI as the name. */
zinc_status zinc_draft_codec(zinc_draft_parse *p, const char *uri, const zinc_json *configuration, zinc_json **out);
/* Is it a registered metadata encoding?  `type` NULL: the draft has none. */
bool zinc_draft_encoding(zinc_draft_entry *e, const char *uri, const char *type, const char *rule, zinc_report *r);
/* The reverse: {"extension": first of the URIs, "type": name, "configuration": ...} */
zinc_status zinc_draft_declare(zinc_json **out, zinc_json_doc *doc, const char *const *uris, const char *name,
			       const zinc_json *configuration, zinc_error *err);

/* ---- draft_type.c ---- */

/* The `data_type` of a draft: a core identifier in either spelling, or an extension's object. */
zinc_status zinc_draft_type_parse(zinc_draft_parse *p, const zinc_json *v);
/* Its fill value in the final version's vocabulary; nothing for null. */
zinc_status zinc_draft_fill_parse(zinc_draft_parse *p, const zinc_json *v, zinc_json **out);
/* The reverse.  E_INVALID naming what the draft cannot hold. */
zinc_status zinc_draft_type_print(zinc_json **out, zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t,
				  bool big, zinc_error *err);
zinc_status zinc_draft_fill_print(zinc_json **out, zinc_json_doc *doc, const zinc_dtype *t, bool big, const void *fill,
				  zinc_error *err);

/* ---- draft_fallback.c ---- */

/* Check the member `fallback` of an extension data type (NULL: there is none).  Use it when the type is not known and
 * p->r->fallback allows it. */
zinc_status zinc_draft_fallback_parse(zinc_draft_parse *p, const zinc_json *v);
/* The fill value of a type that is read as its fallback.  E_UNSUPPORTED when it is not an element of the fallback. */
zinc_status zinc_draft_fallback_fill(zinc_draft_parse *p, const zinc_json *v, zinc_json **out);
/* The fallback to write by default; NULL: no memory. */
zinc_json *zinc_draft_fallback_print(zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t, bool big);
/* Add the caller's choice (zinc_open_options.fallback; NULL: none) to a printed data_type.  E_INVALID: it is not a
 * type, or has another size. */
zinc_status zinc_draft_fallback_choose(zinc_json *type, zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t,
				       bool big, const char *asked, zinc_error *err);

/* ---- draft_make.c ---- */

/* A document of a draft that is being built. */
struct zinc_draft_make {
	const zinc_draft *draft;
	const zinc_meta *m;
	const zinc_json *v3;     /* root of the document in the final version's vocabulary */
	const zinc_chain *chain; /* the codecs of one chunk, inside all shards */
	const char *fallback;    /* as the caller asked for it; NULL */
	bool big, fortran;
	const zinc_codec *layout; /* a registered memory layout; NULL: C or F */
	zinc_json_doc *doc;
	zinc_json *out; /* root */
	zinc_json *attributes;
	zinc_error *err;
};

zinc_status zinc_draft_refuse(zinc_draft_make *b, const char *what);
/* The draft's URI for a member of the document that is an extension; NULL: it is none. */
const char *zinc_draft_member_uri(const zinc_draft *d, zinc_node_kind kind, const zinc_json *member);
/* {key: URI, "configuration": ...} for a codec; *out is NULL when the draft has no name for it. */
zinc_status zinc_draft_codec_print(zinc_draft_make *b, const zinc_codec *c, const char *key, zinc_json **out);
/* The slot `print`. */
zinc_status zinc_draft_print(zinc_hierarchy *h, const zinc_meta *m, zinc_json_doc **out, zinc_error *err);

/* ---- rows ---- */

/* The slots that all drafts fill alike, for a row of the table of formats. */
/* clang-format off */
#define ZINC_DRAFT_SLOTS \
    .documents = {{"array", ZINC_NODE_ARRAY, ZINC_PART_NODE}, {"group", ZINC_NODE_GROUP, ZINC_PART_NODE}}, \
    .claims = zinc_draft_claims, .enter = zinc_draft_enter, .kind = zinc_draft_kind, .parse = zinc_draft_parse_doc, .print = zinc_draft_print, \
    .place = zinc_draft_place, .check_name = zinc_draft_check_name, .rule = zinc_draft_rule_for
/* clang-format on */

#endif
