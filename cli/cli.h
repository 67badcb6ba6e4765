/*
 * cli.h - declarations shared by the files of the command
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
#include <zinc/cf.h>
#include <zinc/conventions.h>
#include <zinc/erase.h>
#include <zinc/numpy.h>
#include <zinc/store.h>
#include <zinc/tool.h>

/* Exit statuses.  Never DONE for something that was not understood. */
enum {
	DONE = 0,
	FOUND = 1,       /* a check found an error */
	USAGE = 2,       /* the command line is wrong */
	TROUBLE = 3,     /* not found, or input/output failed */
	UNSUPPORTED = 4, /* valid Zarr that this build does not support */
	CORRUPT = 5,     /* corrupt data or metadata */
	CANCELLED = 130  /* Ctrl-C */
};

/* ---- text.c: memory, and text that grows ---- */

/* realloc that ends the program with TROUBLE on failure. */
void *xrealloc(void *p, size_t nbytes);

struct text {
	char *p; /* n bytes and a NUL; NULL while nothing was added */
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
/* The content of a JSON string without escapes; any other value unchanged. */
void text_unquoted(struct text *t, const char *json);
/* A name from a store, escaped, on one line and at most NAME_MOST bytes long. */
#define NAME_MOST 120
void text_name(struct text *t, const char *s);
/* "(10, 20)" and "10 x 20". */
void text_tuple(struct text *t, const uint64_t *shape, int ndim);
void text_times(struct text *t, const uint64_t *shape, int ndim);
/* 1536 -> "1.5 KiB". */
void text_size(struct text *t, uint64_t nbytes);
void text_free(struct text *t);
const char *text_str(const struct text *t); /* "" when empty */

/* ---- args.c: the command line ---- */

struct words {
	const char **at;
	int n;
};

struct args {
	struct words words; /* arguments that are not options; URLs without secrets */
	struct words typed; /* the same, URLs with secrets */
	bool show_attrs, sizes;
	bool help, json, strict, detail, recursive, full, index, overwrite, dry_run, yes, group, stored, fast, repair,
	    orphans, remove, keep_parents, no_climb, consolidate, no_consolidate, resume, verify, lossy, for_xarray,
	    round, fetch, storage, trace_requests, force, cf, exact, skip_damaged;
	const char *select, *as, *output, *from, *format, *progress, *shape, *dtype, *chunks, *shards, *codecs, *fill;
	const char *dims, *attrs, *order, *endian, *key_encoding, *fallback, *links;
	const char *schemas, *declare, *retract, *new_dir, *prefix, *declared_shape, *schema, *spec, *name,
	    *description;
	const char *kind, *cmap, *range, *png, *svg, *cells;                      /* plot */
	const char *node, *url_from;                                              /* of the server; not in help */
	struct words removed;                                                     /* --rm KEY ... */
	struct words include, exclude, chunks_of, shards_of, codecs_of, dtype_of; /* of cp; VALUE or NAME=VALUE */
	const char *part;
	bool no_token, open; /* serve, view */
	const char *listen, *token;
	struct words hosts;
	int threads, repeat, depth, axis, width, height; /* -1: not given */
	uint64_t cache_bytes, max_memory;
	double rtol, atol, timeout;
};

enum option_kind { OPT_FLAG, OPT_TEXT, OPT_CHOICE, OPT_LIST, OPT_INT, OPT_BYTES, OPT_NUMBER };

struct option {
	const char *name;  /* without "--"; a part from '.' on is not typed: it distinguishes rows of one name */
	char letter;       /* 0: none */
	const char *value; /* name of its value in the help; of a choice "NAME=a|b|c" */
	enum option_kind kind;
	size_t at;        /* offset in struct args */
	const char *help; /* NULL: for the server, not shown to people */
};

struct run;

struct command {
	const char *name;
	const char *purpose;
	const char *usage;   /* after "zinc NAME " */
	const char *example; /* a whole command line */
	const char *options; /* names, separated by blanks */
	int least, most;     /* number of arguments */
	int (*run)(struct run *r);
	const char *more; /* paragraphs for help and man page; NULL: none */
};

extern const struct option option_table[];
extern const struct command command_table[];
extern const char common_options[];                    /* of every command */
extern const char server_commands[], server_options[]; /* commands that the server runs, and options for it */

const struct command *command_find(const char *name);
/* The option that a command takes under this name; NULL: none. */
const struct option *option_find(const struct command *c, const char *name, size_t n);
/* Length of the name without the part from '.' on. */
int option_length(const struct option *o);
bool option_listed(const char *list, const struct option *o);
/* DONE, or USAGE after one line on stderr. */
int args_parse(struct args *a, const struct command *c, char **argv);
void args_free(struct args *a);
/* The URL to open for one of `words`; any other text is returned unchanged. */
const char *typed_url(const struct args *a, const char *shown);
/* "10,20" -> numbers; false when it is not a list of at most ZINC_MAX_NDIM numbers. */
bool parse_shape(const char *s, uint64_t *shape, int *ndim);
/* "64M" -> bytes. */
bool parse_bytes(const char *s, uint64_t *out);

/* ---- help.c ---- */

int help_all(struct run *r);
int help_command(struct run *r, const struct command *c);
/* "-s, --select SEL" */
void option_spell(struct text *t, const struct option *o);

/* ---- tasks.c ---- */

/* `zinc help [WORD]`: of a command, of a task, or of all. */
int help_word(struct run *r, const char *word);
/* Their names, on two lines. */
void task_list(struct text *t);
/* The task of this number; NULL after the last. */
const char *task_name(int i, const char **purpose);
/* The message for a word that is no command (and no task); names the nearest.  Returns USAGE. */
int complain_of_word(const char *word, bool tasks);

/* ---- man.c ---- */

int man_all(struct run *r);
int man_command(struct run *r, const struct command *c);

/* ---- escape.c: text from a store ---- */

enum escaping {
	ESCAPE_NONE,   /* data */
	ESCAPE_TEXT,   /* for people */
	ESCAPE_COLOUR, /* the same, with our colours */
	ESCAPE_JSON,
	ESCAPE_LINE /* a message: line ends and tabs are escaped, too */
};

/* s[0..n) with control characters and invalid UTF-8 escaped. */
void text_escape(struct text *t, const char *s, size_t n, enum escaping how);
/* Bytes of the UTF-8 character, or of the colour, at s[0..n), n > 0; 0: there is none. */
size_t utf8_length(const char *s, size_t n, unsigned *code);
size_t colour_length(const char *s, size_t n);
/* One line on stderr, escaped. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- out.c: output ---- */

struct out {
	int fd;
	struct text buf;
	char *path;      /* of -o FILE, resolved; NULL: stdout */
	char *temporary; /* file that out_close renames to `path`; NULL: none */
	bool replace;
	enum escaping escape; /* of text that is added */
};

/* DONE, or the status of a failure that was reported.  `path` NULL or "-" is stdout. */
int out_open(struct out *o, const char *path, bool overwrite);
/* A failure ends the program: a closed pipe with DONE and no message, any other with TROUBLE. */
void out_add(struct out *o, const void *p, size_t n);
void out_puts(struct out *o, const char *s);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void out_text(struct out *o, struct text *t); /* and frees it */
void out_flush(struct out *o);
/* Rename the file to its final name (`status` DONE), or remove it.  Returns the exit status. */
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
extern const zinc_call_options until_stopped; /* cancel flag and time limit, for every call that may wait */
int interrupted(void);                        /* is it set?  Called by any thread */
bool timed_out(void);                         /* ... by --timeout? */

/* Print "zinc: what: why" on stderr; returns `status`. */
int complain(int status, const char *what, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same for a failed call; returns its exit status. */
int fail(const char *url, zinc_error *err);
/* The same for a command with two URLs: names the one that the error belongs to, or both. */
int fail_either(const char *a, const char *b, zinc_error *err);
/* The message of a command that --timeout has stopped: the URL, and the call that was stopped. */
int complain_timeout(void);
int exit_status(zinc_status st);
/* A key of the store without the prefix of the hierarchy's root. */
const char *key_below(const zinc_hierarchy *h, const char *key);
int run_context(struct run *r); /* makes r->ctx */
/* Open the node that a URL names. */
int open_node(struct run *r, const char *url, bool write, zinc_hierarchy **h);
int open_array(struct run *r, const char *url, bool write, zinc_array **a);
/* DONE if the store can be written; else a message on stderr. */
int may_write(const char *url, const zinc_hierarchy *h);
zinc_io_options io_options(const struct run *r);
int convert_flags(const struct run *r); /* zinc_convert flags of the command line */
int thread_count(const struct run *r);
/* Open options of the command line. */
zinc_open_options open_options(const struct run *r, bool write);
int links_option(const struct run *r);      /* zinc_links */
int selects_by_value(const struct args *a); /* has -s an "@"? */

/* ---- consolidated.c: restore consolidated metadata after an edit ---- */

struct consolidated {
	const char *url;
	zinc_hierarchy *h; /* NULL: nothing to restore */
	char **path;       /* of groups with consolidated metadata */
	int n;
};

/* Called before the command, and after it with its status; returns the exit status. */
void consolidated_note(struct consolidated *c, struct run *r);
int consolidated_restore(struct consolidated *c, struct run *r, int status);

/* ---- colour.c ---- */

enum paint { PLAIN, BOLD, DIM, RED, YELLOW, GREEN, BLUE };
bool colour_wanted(int fd);
/* `s` in a colour, or unchanged. */
void text_paint(struct text *t, bool colour, enum paint p, const char *s);
/* The first column of a table of two. */
void text_label(struct text *t, bool colour, const char *label);

/* ---- width.c: the width of the terminal, and of text on it ---- */

#define WIDTH_ANY SIZE_MAX

/* Columns of a line of output; WIDTH_ANY off a terminal. */
size_t screen_width(void);
/* Columns of UTF-8 text without control characters; colours have none. */
size_t columns(const char *s);
size_t columns_of(const char *s, size_t n);
size_t text_columns(const struct text *t);
/* How many bytes of s[0..n) take at most `width` columns. */
size_t fitting(const char *s, size_t n, size_t width);
/* Append `s`, escaped, in at most `width` columns, the last of them "…" if there is more; or the first of them.
 * Returns the columns used. */
size_t text_cut(struct text *t, const char *s, size_t width);
size_t text_cut_front(struct text *t, const char *s, size_t width);

/* A line that is made of parts, and is never wider than the terminal. */
struct line {
	struct text text;
	bool colour;
	size_t width, left; /* columns of the terminal, and those not used yet */
	bool cut;
};

/* A part; nothing follows one that was cut. */
void line_add(struct line *l, enum paint p, const char *s);
/* The last part, on several lines: those after the first are indented.  What does not fit into `most` lines is cut, with
 * the mark. */
void line_wrap(struct line *l, const char *s, size_t indent, size_t most, const char *mark);
void line_end(struct line *l, struct out *o);
/* Text of several lines, each of them wrapped; frees it. */
void out_wrapped(struct run *r, struct text *t);

/* ---- columns.c: tables ---- */

enum column_kind {
	COLUMN_LEFT,
	COLUMN_RIGHT, /* numbers */
	COLUMN_CUT,   /* text that may be cut at its end */
	COLUMN_KEY    /* or at its beginning, as the end of a path tells more */
};

#define TABLE_COLUMNS 12

/*
 * A table with a header.  Its first rows decide how wide the columns are; later ones are printed at once, so a table of
 * any length takes little memory.  Columns that may be cut get narrower where the terminal is too narrow.
 */
struct table {
	struct out *out;
	bool colour;
	size_t screen; /* columns */
	int n;
	const char *head[TABLE_COLUMNS];
	enum column_kind kind[TABLE_COLUMNS];
	size_t width[TABLE_COLUMNS], widest[TABLE_COLUMNS];
	int optional[TABLE_COLUMNS]; /* 1, 2: left out first, then; 0: never */
	bool left_out[TABLE_COLUMNS];
	bool begun; /* the widths are fixed, and the header is printed */
	struct cell {
		char *text;
		enum paint paint;
	} * cells; /* of rows that are not printed yet */
	size_t ncells, room;
};

void table_init(struct table *t, const struct run *r);
void table_column(struct table *t, const char *head, enum column_kind kind);
/* The same; where the terminal is too narrow those of rank 1 are left out, then those of rank 2, the last
 * first; a line below the table says so. */
void table_optional(struct table *t, const char *head, enum column_kind kind, int rank);
/* The next cell of the row; the table prints a row when all its cells are there. */
void table_cell(struct table *t, enum paint p, const char *s);
void table_text(struct table *t, enum paint p, struct text *s); /* and frees it */
/* Print what is left; frees it. */
void table_end(struct table *t);
/* Forget rows that are not printed yet. */
void table_drop(struct table *t);

/* ---- progress.c ---- */

struct progress {
	zinc_call_options call; /* for the call whose progress is shown */
	bool on, json;
	const char *what;            /* "checking" */
	const char *unit;            /* "chunk", one of them; may be set after progress_init */
	uint64_t done, total, bytes; /* of the last tick */
	double began, shown;
	int lock;
};

void progress_init(struct progress *p, const struct run *r, const char *what);
int progress_tick(void *progress, uint64_t done, uint64_t total, uint64_t bytes); /* a zinc_progress_fn */
/* Remove the bar, before other output. */
void progress_end(struct progress *p);
/* The same, and print "checked 50 chunks, 3.2 GiB, in 6.4 s (512 MiB/s)".  Prints nothing if the bar is off. */
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
	bool uncounted; /* there are more than 2^64 */
};

/* The index along the array's axis of item i along dimension d of the result. */
uint64_t region_index(const struct region *g, int d, uint64_t i);
int region_init(struct region *g, zinc_array *a, const char *select, const char *url);
/* The same; lenient: ignore dimensions that the array does not have, with `used` as in zinc_find_options. */
int region_init_some(struct region *g, zinc_array *a, const char *select, const char *url, bool lenient,
		     uint64_t *used);
/* Every item of the selection belongs to some array, by the bits of `used` of all of them; else USAGE, with a message. */
int select_used(const char *select, uint64_t used);
void region_fini(struct region *g);
zinc_selection region_selection(const struct region *g);
/* Only `n` items along dimension `d` of the result, from `first`. */
void region_narrow(struct region *g, int d, uint64_t first, uint64_t n);

/* Called for consecutive pieces, in C (or Fortran) order; a status other than DONE stops. */
typedef int (*piece_fn)(void *arg, const struct region *piece);
int region_pieces(const struct region *g, uint64_t budget, bool fortran, piece_fn fn, void *arg);
/* The most bytes of a piece. */
uint64_t piece_budget(const struct run *r);

/* ---- printers: elements in C order, printed in several formats ---- */

struct printer;

struct printer_ops {
	const char *name; /* of --as */
	int passes; /* over the elements: 2 for text, whose columns depend on all elements; begin() may raise it */
	void (*begin)(struct printer *p);
	void (*elements)(struct printer *p, void *elements, size_t n); /* may overwrite them */
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
	bool index;                 /* csv: print the other indices first */
	int pass, passes;           /* of two, 0 measures and 1 prints */
	int status;                 /* other than DONE: printing an element failed, which was reported */
	const char *url;
	const zinc_cf *cf;     /* NULL: elements are not decoded, or are numbers of `type` after decoding */
	zinc_cf_about about;   /* of decoded ones; kind ZINC_CF_PLAIN: they are not */
	const uint64_t *whole; /* text: NULL, or the shape of the whole result when `region` is only its edges */
	void *state;
};

#define PRINTER_FLUSH_AT (1u << 16) /* bytes of text before it is written */
#define EDGE             3          /* items shown at either end of a summarised dimension */

/* Step p->at to the next element; returns how many trailing dimensions start again at 0 (all: out_ndim). */
int printer_step(struct printer *p);
/* Write p->text if it is long enough. */
void printer_flush(struct printer *p);
void printer_noop(struct printer *p);
/* One element of any type, printed by the library; sets p->status on failure. */
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
	struct text text; /* written, and not yet passed on */
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
/* For any other value: the text to add it to. */
struct text *json_value(struct json *j);
/* The document and a line end; frees it. */
void out_document(struct out *o, struct json *j);
void json_free(struct json *j);

/* ---- in_npy.c ---- */

struct npy {
	zinc_type type;    /* ZINC_RAW: bytes */
	zinc_numpy *numpy; /* a type that has no zinc_type: dates, texts, records; else NULL */
	size_t element;
	bool swap; /* the byte order is not that of this machine */
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
	unsigned char held[6]; /* raw: the bytes that were read to look for the magic string */
	size_t nheld;
	uint64_t left; /* bytes not yet read */
	void *buffer;
	void *native;      /* converted elements of types that have no zinc_type */
	zinc_arena *arena; /* of elements of variable length */
};

/* Open --from and read its header; source_close must follow in any case.  Raw bytes have the shape of `g`; NULL: raw
 * bytes are not accepted. */
int source_open(struct source *s, struct run *r, const char *url, const struct region *g);
/* Check that its elements can be converted to those of the array, and that a raw file has `n` of them. */
int source_check(struct source *s, const zinc_array *a, uint64_t n);
/* The next elements, of this shape, as a buffer for the library; `strides` has room for ZINC_MAX_NDIM. */
int source_next(struct source *s, const zinc_array *a, const uint64_t *shape, int ndim, zinc_buffer *b,
		int64_t *strides);
/* A piece_fn: write the next elements into this piece of the array. */
int source_write_piece(void *source, const struct region *piece);
void source_close(struct source *s);

/* ---- show_node.c: nodes as text and as JSON ---- */

/* The node as `info --json` has it; the object stays open for more members: json_end_object must follow. */
int describe_json(struct json *j, const zinc_node *node, const zinc_hierarchy *h, const char *url);
/* "zstd", "transpose+blosc": the codecs of a `codecs` member, without "bytes". */
void describe_codecs(struct text *t, const char *codecs_json);
/* The product of a shape and `size`, the number of stored objects, and that of chunks; UINT64_MAX: more, or not known. */
uint64_t shape_count(const uint64_t *shape, int ndim, uint64_t size);
uint64_t object_count(const zinc_array_info *a), chunk_count(const zinc_array_info *a);
/* Does a description have chunks, or shards, of one shape? */
bool has_equal_chunks(const char *json);
/* "float32", "M8[ns]". */
void describe_type(struct text *t, const zinc_array_info *a);
/* "float32 (24, 721)  zstd"; to declare it "float32 t2m(time, lat)  zstd"; or the problem of the node. */
void describe_line(struct text *t, const zinc_node *node, bool declare);
/* "array", "group". */
const char *kind_name(const zinc_node *node);
/* The exit status for the problem of a node; unsupported nodes can be shown, so that is DONE. */
int problem_status(const zinc_node *node);
/* The same, and print the problem on stderr with the key of its document. */
int complain_of_node(const zinc_hierarchy *h, const char *url, const zinc_node *node);

/* ---- sizes.c: what each node has in its store ---- */

struct sizes {
	const zinc_hierarchy *h;
	zinc_usage *nodes; /* in the order of zinc_node_usage */
	size_t n;
	zinc_foreign *foreign; /* the first ones, keys from the root of the hierarchy on */
	size_t nforeign;
	uint64_t hidden; /* nodes among the foreign keys that no listing shows */
};

/* DONE, or the status of a failure that was reported; sizes_free must follow in any case. */
int sizes_read(struct sizes *s, const struct run *r, zinc_hierarchy *h, const char *url);
const zinc_usage *sizes_find(const struct sizes *s, const char *path); /* NULL: none */
void text_ratio(struct text *t, const zinc_usage *u);                  /* "2.71", "-" */
void usage_json(struct json *j, const zinc_usage *u);                  /* members of an open object */
/* Name what no listing shows; FOUND, or DONE if there is nothing. */
int complain_of_hidden(const struct sizes *s, const char *url);
void sizes_free(struct sizes *s);

/* ---- json_parts.c: members and items of a JSON text of the library ---- */

/* Call fn for each member or item, as zinc_json_each does; other values have none. */
void json_parts(const char *json, zinc_member_fn fn, void *arg);
/* One member of an object as JSON, appended; false when there is none. */
bool json_member(const char *object, const char *key, struct text *value);

/* ---- finding.c ---- */

void finding_json(struct json *j, const zinc_finding *f);
/* One line; `where` is a key or path, or "". */
void finding_text(struct text *t, bool colour, const char *where, const zinc_finding *f);

/* ---- commands ---- */

int cmd_du(struct run *r);
int cmd_info(struct run *r), cmd_tree(struct run *r), cmd_ls(struct run *r), cmd_cat(struct run *r);
int cmd_create(struct run *r), cmd_put(struct run *r), cmd_attrs(struct run *r), cmd_rm(struct run *r);
int cmd_resize(struct run *r), cmd_append(struct run *r), cmd_consolidate(struct run *r);
int cmd_completion(struct run *r), cmd_stats(struct run *r), cmd_diff(struct run *r);
int cmd_chunks(struct run *r), cmd_explain(struct run *r);
int cmd_validate(struct run *r), cmd_bench(struct run *r), cmd_cp(struct run *r), cmd_mv(struct run *r);
int cmd_conventions(struct run *r), cmd_plot(struct run *r);
int cmd_serve(struct run *r), cmd_view(struct run *r);
/* `zinc conventions --new DIR`: write the files of a new convention. */
int conventions_new(struct run *r);
/* The directory of downloaded schemas; nothing when there is none. */
void schema_cache(struct text *t);
int cmd_codecs(struct run *r), cmd_dtypes(struct run *r), cmd_stores(struct run *r), cmd_formats(struct run *r);
/* `zinc --array_path=DIR`: decode every chunk of an array. */
int cmd_array_path(struct run *r);
int print_version(struct run *r);
/* `zinc --complete WORD ...`: candidates for the last word, for the scripts of `zinc completion`. */
int complete(struct run *r, char **words);

#endif
