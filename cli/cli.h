/*
 * cli.h - what the files of the command share
 *
 * The command sees only <zinc.h> and <zinc/...>.  A sub-command is one row of commands.c and one function;
 * help, man page and option parsing come from that table.
 */
#ifndef ZINC_CLI_H
#define ZINC_CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zinc.h>
#include <zinc/conventions.h>
#include <zinc/erase.h>
#include <zinc/numpy.h>
#include <zinc/store.h>
#include <zinc/tool.h>

/* What the command's exit status says.  Never DONE on something not understood. */
enum {
	DONE = 0,
	FOUND = 1,       /* a check found an error */
	USAGE = 2,       /* the command line is wrong */
	TROUBLE = 3,     /* not found, or input/output failed */
	UNSUPPORTED = 4, /* valid Zarr that this build does not support */
	CORRUPT = 5,     /* corrupt data or metadata in the way */
	CANCELLED = 130  /* Ctrl-C */
};

/* ---- text.c: memory that cannot fail, text that grows ---- */

/* Memory, or an end of the program with TROUBLE. */
void *need(void *p, size_t nbytes);

struct text {
	char *p; /* NUL behind n bytes once anything was added */
	size_t n, cap;
};

void text_add(struct text *t, const void *p, size_t n);
void text_puts(struct text *t, const char *s);
void text_fill(struct text *t, char c, size_t n);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list ap);
/* "s" as a JSON string, quotes included. */
void text_json(struct text *t, const char *s);
/* JSON without the white space between its tokens. */
void text_compact(struct text *t, const char *json);
/* A JSON string's content where it has no escapes, any other value as it is. */
void text_unquoted(struct text *t, const char *json);
/* A name that may hold anything, on one line and not too long. */
#define NAME_MOST 120
void text_name(struct text *t, const char *s);
/* "(10, 20)" and "10 x 20". */
void text_tuple(struct text *t, const uint64_t *shape, int ndim);
void text_times(struct text *t, const uint64_t *shape, int ndim);
/* 1536 -> "1.5 KiB". */
void text_size(struct text *t, uint64_t nbytes);
void text_free(struct text *t);
const char *text_str(const struct text *t); /* "" when empty */

/* Columns that a terminal needs for UTF-8 text: its characters, nearly. */
size_t columns(const char *s);
size_t text_columns(const struct text *t);

/* ---- args.c: the command line ---- */

struct words {
	const char **at;
	int n;
};

struct args {
	struct words words; /* what is not an option; URLs without what is secret */
	struct words typed; /* the same as it was typed */
	bool help, json, strict, detail, recursive, full, index, overwrite, dry_run, yes, group, stored, fast, repair,
	    orphans, remove, keep_parents, no_climb, consolidate, no_consolidate, resume, verify, lossy, for_xarray,
	    round, fetch, storage, trace_requests, force;
	const char *select, *as, *output, *from, *format, *progress, *shape, *dtype, *chunks, *shards, *codecs, *fill;
	const char *dims, *attrs, *order, *endian, *key_encoding, *fallback, *links;
	const char *schemas, *declare, *retract, *new_dir, *prefix, *declared_shape, *schema, *spec, *name,
	    *description;
	struct words removed;             /* --rm KEY ... */
	int threads, repeat, depth, axis; /* -1: not given */
	uint64_t cache_bytes, max_memory;
	double rtol, atol, timeout;
};

enum option_kind { OPT_FLAG, OPT_TEXT, OPT_CHOICE, OPT_LIST, OPT_INT, OPT_BYTES, OPT_NUMBER };

struct option {
	const char *name;  /* without "--"; what follows a '.' is not typed: it tells rows of one name apart */
	char letter;       /* 0: none */
	const char *value; /* its name in the help; of a choice "NAME=a|b|c" */
	enum option_kind kind;
	size_t at; /* in struct args */
	const char *help;
};

struct run;

struct command {
	const char *name;
	const char *purpose;
	const char *usage;   /* behind "zinc NAME " */
	const char *example; /* a whole command line */
	const char *options; /* names, separated by blanks */
	int least, most;     /* words */
	int (*run)(struct run *r);
	const char *more; /* paragraphs for help and man page; NULL: none */
};

extern const struct option option_table[];
extern const struct command command_table[];
extern const char common_options[]; /* what every command takes */

const struct command *command_find(const char *name);
/* The option that a command takes under this name; NULL: none. */
const struct option *option_find(const struct command *c, const char *name, size_t n);
/* Of its name as it is typed. */
int option_length(const struct option *o);
bool option_listed(const char *list, const struct option *o);
/* DONE, or USAGE after one line on stderr. */
int args_parse(struct args *a, const struct command *c, char **argv);
void args_free(struct args *a);
/* The URL to open, of one of `words`; any other text is given back. */
const char *typed_url(const struct args *a, const char *shown);
/* "10,20" -> numbers; false when it is not a list of at most ZINC_MAX_NDIM of them. */
bool parse_shape(const char *s, uint64_t *shape, int *ndim);
/* "64M" -> bytes. */
bool parse_bytes(const char *s, uint64_t *out);

/* ---- help.c ---- */

int help_all(struct run *r);
int help_command(struct run *r, const struct command *c);
/* "-s, --select SEL" */
void option_spell(struct text *t, const struct option *o);

/* ---- man.c ---- */

int man_all(struct run *r);
int man_command(struct run *r, const struct command *c);

/* ---- escape.c: what came from a store ---- */

enum escaping {
	ESCAPE_NONE,   /* data */
	ESCAPE_TEXT,   /* for people */
	ESCAPE_COLOUR, /* for people who see colours */
	ESCAPE_JSON,
	ESCAPE_LINE /* a message: line ends and tabs, too */
};

/* s[0..n) with everything escaped that a terminal might obey. */
void text_escape(struct text *t, const char *s, size_t n, enum escaping how);
/* One line on stderr, escaped. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- out.c: where data goes ---- */

struct out {
	int fd;
	struct text buf;
	char *path;      /* of -o FILE, resolved; NULL: stdout */
	char *temporary; /* of a regular file, until out_close */
	bool replace;
	enum escaping escape; /* of what is added */
};

/* DONE, or what was printed to stderr.  `path` NULL or "-" is stdout. */
int out_open(struct out *o, const char *path, bool overwrite);
/* Ends the program: quietly with DONE on a closed pipe, with TROUBLE on any other failure. */
void out_add(struct out *o, const void *p, size_t n);
void out_puts(struct out *o, const char *s);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void out_text(struct out *o, struct text *t); /* and frees it */
void out_flush(struct out *o);
/* Put a file in its place (`status` DONE), or drop it.  The status to exit with. */
int out_close(struct out *o, int status);

/* ---- run.c: one run of the command ---- */

struct run {
	const struct command *command;
	const struct args *args;
	zinc_context *ctx;
	struct out out; /* stdout */
	bool colour;
	struct budget {
		uint64_t limit, used; /* bytes of the library, with --max-memory */
	} budget;
};

extern zinc_cancel cancel_flag;               /* set by Ctrl-C; for the library */
extern const zinc_call_options until_stopped; /* for every call that may wait */
int interrupted(void);                        /* is it set? other threads ask too */
bool timed_out(void);                         /* ... by --timeout? */

/* "zinc: what: why" on stderr; returns `status`. */
int complain(int status, const char *what, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same for a failed call; the exit status that belongs to it. */
int fail(const char *url, zinc_error *err);
/* The same for a command with two URLs: the one that the error names, or both. */
int fail_either(const char *a, const char *b, zinc_error *err);
/* The last words of a command that --timeout has stopped: at which URL, and what it waited for. */
int complain_late(void);
int exit_status(zinc_status st);
/* A key of the store without the prefix of the hierarchy's root. */
const char *key_below(const zinc_hierarchy *h, const char *key);
int run_context(struct run *r); /* makes r->ctx */
/* The node that a URL names. */
int open_node(struct run *r, const char *url, bool write, zinc_hierarchy **h);
int open_array(struct run *r, const char *url, bool write, zinc_array **a);
/* DONE where the store can be written; else one line on stderr. */
int may_write(const char *url, const zinc_hierarchy *h);
zinc_io_options io_options(const struct run *r);
int convert_flags(const struct run *r); /* zinc_convert, of the command line */
int thread_count(const struct run *r);
/* Open options as the command line asks for. */
zinc_open_options open_options(const struct run *r, bool write);
int links_option(const struct run *r); /* zinc_links */

/* ---- consolidated.c: what an edit finds, it leaves ---- */

struct consolidated {
	const char *url;
	zinc_hierarchy *h; /* NULL: nothing to restore */
	char **path;       /* of groups that have some */
	int n;
};

/* Before the command runs, and after it ended with `status`; what to exit with. */
void consolidated_note(struct consolidated *c, struct run *r);
int consolidated_restore(struct consolidated *c, struct run *r, int status);

/* ---- colour.c ---- */

enum paint { PLAIN, BOLD, DIM, RED, YELLOW, GREEN, BLUE };
bool colour_wanted(int fd);
/* `s` in a colour, or as it is. */
void text_paint(struct text *t, bool colour, enum paint p, const char *s);

/* ---- progress.c ---- */

struct progress {
	zinc_call_options call; /* for the call that it shows */
	bool on;
	const char *what;            /* "checking" */
	const char *unit;            /* "chunk", one of them; may be set after progress_init */
	uint64_t done, total, bytes; /* of the last tick */
	double began, shown;
	int lock;
};

void progress_init(struct progress *p, const struct run *r, const char *what);
int progress_tick(void *progress, uint64_t done, uint64_t total, uint64_t bytes); /* a zinc_progress_fn */
/* Take the bar away, before other output. */
void progress_end(struct progress *p);
/* The same, and one line: "checked 50 chunks, 3.2 GiB, in 6.4 s (512 MiB/s)".  Nothing where no bar would be. */
void progress_summary(struct progress *p, const char *what, uint64_t units, uint64_t bytes);
double now(void);

/* ---- region.c: a selection, piece by piece in bounded memory ---- */

struct region {
	zinc_array *array;
	int ndim;                            /* of the array */
	zinc_select_dim dims[ZINC_MAX_NDIM]; /* orthogonal */
	zinc_selection *parsed;
	int out_ndim;
	uint64_t shape[ZINC_MAX_NDIM]; /* of the result */
	int axis[ZINC_MAX_NDIM];       /* of the array, of each dimension of the result */
	size_t element;
	uint64_t n;     /* elements */
	bool uncounted; /* there are more */
};

/* The index along the array's axis of item i along dimension d of the result. */
uint64_t region_index(const struct region *g, int d, uint64_t i);
int region_init(struct region *g, zinc_array *a, const char *select, const char *url);
void region_fini(struct region *g);
zinc_selection region_selection(const struct region *g);
/* Only `n` items along dimension `d` of the result, from `first`. */
void region_narrow(struct region *g, int d, uint64_t first, uint64_t n);

/* Called for consecutive pieces, in C order (or Fortran order) of elements; a status other than DONE stops. */
typedef int (*piece_fn)(void *arg, const struct region *piece);
int region_pieces(const struct region *g, uint64_t budget, bool fortran, piece_fn fn, void *arg);
/* Bytes that a piece may have. */
uint64_t piece_budget(const struct run *r);

/* ---- printers: one stream of elements in C order, several spellings ---- */

struct printer;

struct printer_ops {
	const char *name; /* of --as */
	int passes; /* over the elements: 2 for text, whose columns depend on all of them; begin() may want more */
	void (*begin)(struct printer *p);
	void (*elements)(struct printer *p, void *elements, size_t n); /* may change them */
	void (*end)(struct printer *p);
	void (*fini)(struct printer *p); /* frees p->state */
};

extern const struct printer_ops printer_text, printer_csv, printer_json, printer_npy, printer_raw;

struct printer {
	const struct printer_ops *ops;
	struct out *out;
	struct text text; /* not yet in `out` */
	const struct region *region;
	zinc_type type;
	size_t element;
	uint64_t at[ZINC_MAX_NDIM]; /* of the next element */
	bool index;                 /* csv: other indices in front */
	int pass, passes;           /* of two, 0 measures and 1 prints */
	int status;                 /* other than DONE: an element has no text, which was said */
	const char *url;
	const uint64_t *whole; /* text: NULL, or the shape of which `region` is only the edges */
	void *state;
};

#define PRINTER_FLUSH_AT (1u << 16) /* bytes of text before it is handed on */
#define EDGE             3          /* items shown at either end of a summarised dimension */

/* Step p->at to the next element; the number of trailing dimensions that began anew, out_ndim at the end. */
int printer_step(struct printer *p);
/* Hand p->text on when it has grown. */
void printer_flush(struct printer *p);
void printer_nothing(struct printer *p);
/* One element of any type, by the library; on failure p->status. */
void text_element(struct text *t, struct printer *p, const void *element, zinc_spelling how);

/* ---- decimal.c: numbers as text ---- */

struct decimal {
	bool negative;
	int n;        /* digits; 1 for zero */
	int exponent; /* of the first digit: d.ddd * 10^exponent */
	char digit[20];
};

enum width { HALF = 2, SINGLE = 4, DOUBLE = 8 };

/* The fewest digits that read back as the same number of that width; finite only. */
void decimal_shortest(struct decimal *d, double v, enum width w);
/* The nearest number of at most that many digits (<= 18). */
void decimal_rounded(struct decimal *d, double v, int digits);
/* As Python's repr and NumPy's scalars: "1.0", "1e-05", "nan". */
void text_float(struct text *t, double v, enum width w);
/* "1+2j"; without the real part "2j". */
void text_complex(struct text *t, zinc_type type, const void *element, bool bare);
double half_value(uint16_t h);

/* One element that is a number or a truth value, as NumPy prints a scalar ("True", "-3", "1.5"). */
void text_integer(struct text *t, zinc_type type, const void *element);
double real_part(zinc_type type, const void *element);
double imaginary_part(zinc_type type, const void *element);
enum width width_of(zinc_type type);
bool is_float(zinc_type type), is_complex(zinc_type type);

/* ---- json_write.c: every JSON text that the command prints ---- */

struct json {
	struct text text; /* what is written so far, without what was handed on */
	bool comma;       /* the next value or name needs one before it */
};

#define JSON_INIT                                                                                                      \
	{                                                                                                              \
		{NULL, 0, 0}, false                                                                                    \
	}

void json_begin_object(struct json *j), json_end_object(struct json *j);
void json_begin_array(struct json *j), json_end_array(struct json *j);
/* The object that was written last gets more members; json_end_object must follow. */
void json_reopen_object(struct json *j);
/* The name of the member that follows; gives `j` back: json_uint(json_key(j, "n"), 3). */
struct json *json_key(struct json *j, const char *name);
void json_string(struct json *j, const char *s); /* NULL: null */
void json_uint(struct json *j, uint64_t v);
void json_fixed(struct json *j, double v, int decimals);
/* NaN and infinities are strings, as in Zarr v3. */
void json_float(struct json *j, double v, enum width w);
void text_json_float(struct text *t, double v, enum width w);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
void json_raw(struct json *j, const char *json);     /* a value that is JSON already */
void json_compact(struct json *j, const char *json); /* the same without white space */
void json_shape(struct json *j, const uint64_t *shape, int ndim);
/* An array of the items that were written one after the other by another writer, which is freed. */
void json_list(struct json *j, struct json *items);
/* For a value in a spelling of its own: the text to add it to. */
struct text *json_value(struct json *j);
/* The document and a line end; frees it. */
void out_document(struct out *o, struct json *j);
void json_free(struct json *j);

/* ---- in_npy.c ---- */

struct npy {
	zinc_type type;    /* ZINC_RAW: bytes */
	zinc_numpy *numpy; /* a type without a number: dates, texts, records; else NULL */
	size_t element;
	bool swap; /* the other byte order than this machine's */
	bool fortran;
	int ndim;
	uint64_t shape[ZINC_MAX_NDIM];
};

/* The header of a file whose first 6 bytes were the magic string.  zinc_numpy_free(n->numpy) must follow in any case.
 */
int npy_read_header(struct npy *n, zinc_context *ctx, int fd, const char *name);
extern const char npy_magic[6];
/* Read exactly n bytes; the number read, fewer only at the end; -1 with errno. */
ptrdiff_t read_full(int fd, void *p, size_t n);
/* Reverse the bytes of each unit. */
void swap_bytes(void *p, size_t nbytes, size_t unit);
size_t swap_unit(zinc_type type);

/* ---- source.c: the input of put and append ---- */

struct source {
	struct run *run;
	const char *url, *name;
	int fd; /* -1: not open */
	bool is_npy;
	struct npy npy;
	unsigned char held[6]; /* raw: the bytes that might have been the magic string */
	size_t nheld;
	uint64_t left; /* bytes still to come */
	void *buffer;
	void *native;      /* elements of types without a number, as the array has them */
	zinc_arena *arena; /* what those of variable length point to */
};

/* Open --from and read its header; source_close must follow in any case.  Plain bytes have the shape of `g`; NULL: they
 * are not accepted. */
int source_open(struct source *s, struct run *r, const char *url, const struct region *g);
/* Do its elements convert to the array's, and does a plain file have the `n` of them? */
int source_check(struct source *s, const zinc_array *a, uint64_t n);
/* The next elements, of this shape, as a buffer for the library; strides[ZINC_MAX_NDIM] is room for its strides. */
int source_take(struct source *s, const zinc_array *a, const uint64_t *shape, int ndim, zinc_buffer *b,
		int64_t *strides);
/* A piece_fn: the next elements into this piece of the array. */
int source_write_piece(void *source, const struct region *piece);
void source_close(struct source *s);

/* ---- show_node.c: nodes for people and as JSON ---- */

/* The node as `info --json` has it; the object stays open for more members: json_end_object must follow. */
int describe_json(struct json *j, const zinc_node *node, const zinc_hierarchy *h, const char *url);
/* "zstd", "transpose+blosc": the codecs that matter, from a `codecs` member. */
void describe_codecs(struct text *t, const char *codecs_json);
/* "float32 (24, 721)  zstd", or what is wrong with it. */
void describe_line(struct text *t, const zinc_node *node);
/* "array", "group". */
const char *kind_name(const zinc_node *node);
/* What a node's problem makes of the exit status: what is unsupported can be shown. */
int problem_status(const zinc_node *node);
/* The same, said on stderr with the key of its document. */
int complain_of_node(const zinc_hierarchy *h, const char *url, const zinc_node *node);

/* ---- json_parts.c: what is inside a JSON text of the library's ---- */

/* Call fn for each member or item, as zinc_json_each does; of other values for none. */
void json_parts(const char *json, zinc_member_fn fn, void *arg);
/* One member of an object as JSON, appended; false when there is none. */
bool json_member(const char *object, const char *key, struct text *value);

/* ---- finding.c ---- */

void finding_json(struct json *j, const zinc_finding *f);
/* One line; `where` is a key or path, "" when it is clear. */
void finding_text(struct text *t, bool colour, const char *where, const zinc_finding *f);

/* ---- commands ---- */

int cmd_info(struct run *r), cmd_tree(struct run *r), cmd_ls(struct run *r), cmd_cat(struct run *r);
int cmd_create(struct run *r), cmd_put(struct run *r), cmd_attrs(struct run *r), cmd_rm(struct run *r);
int cmd_resize(struct run *r), cmd_append(struct run *r), cmd_consolidate(struct run *r);
int cmd_completion(struct run *r), cmd_stats(struct run *r), cmd_diff(struct run *r);
int cmd_chunks(struct run *r), cmd_explain(struct run *r);
int cmd_validate(struct run *r), cmd_bench(struct run *r), cmd_cp(struct run *r), cmd_mv(struct run *r);
int cmd_conventions(struct run *r);
/* `zinc conventions --new DIR`: a convention to begin with. */
int conventions_new(struct run *r);
/* Where fetched schemas are kept; nothing when there is no such place. */
void schema_cache(struct text *t);
int cmd_codecs(struct run *r), cmd_dtypes(struct run *r), cmd_stores(struct run *r), cmd_formats(struct run *r);
/* `zinc --array_path=DIR`: every chunk of an array decodes? */
int cmd_array_path(struct run *r);
int print_version(struct run *r);
/* `zinc --complete WORD ...`: what the last word may become, for the scripts of `zinc completion`. */
int complete(struct run *r, char **words);

#endif
