/*
 * commands.c - the sub-commands and options, one row each
 *
 * Parsing, help and the man page come from here.  A new command is a row, a function and its test; a new option is a
 * row and a member of struct args.  The help of a command fits a screen of 24 lines and 80 columns, which a test
 * checks, so texts are short; what is in brackets is the default.
 */
#include "cli.h"

#define FIELD(name) offsetof(struct args, name)

const struct option option_table[] = {
    {"select", 's', "SEL", OPT_TEXT, FIELD(select), "selection, e.g. '0, 10:20, ::2, -5:, ..., [1,5,9]'"},
    {"as", 0, "FORM=text|csv|json|npy|raw", OPT_CHOICE, FIELD(as),
     "text, csv, json, npy or raw [text, or the suffix of -o]"},
    {"output", 'o', "FILE", OPT_TEXT, FIELD(output), "write to a file instead of standard output"},
    {"full", 0, NULL, OPT_FLAG, FIELD(full), "text: print all elements, without a summary"},
    {"index", 0, NULL, OPT_FLAG, FIELD(index), "csv: print the other indices before each row"},
    {"from", 0, "FILE", OPT_TEXT, FIELD(from), ".npy file, or raw little-endian bytes; - is stdin"},
    {"shape", 0, "N,M", OPT_TEXT, FIELD(shape), "length of each dimension; \"\" is a scalar"},
    {"dtype", 0, "TYPE", OPT_TEXT, FIELD(dtype), "float32, <f4, r16, ...; see: zinc dtypes"},
    {"chunks", 0, "N,M", OPT_TEXT, FIELD(chunks), "chunk shape, or auto [auto: 1 to 4 MiB]"},
    {"chunks.copy", 0, "N,M", OPT_TEXT, FIELD(chunks), "chunk shape, or auto: 1 to 4 MiB [the source's]"},
    {"shards", 0, "N,M", OPT_TEXT, FIELD(shards), "shard shape, multiples of chunks, or auto [none]"},
    {"shards.copy", 0, "N,M", OPT_TEXT, FIELD(shards), "shard shape, or auto [the source's]"},
    {"codecs", 0, "CODECS", OPT_TEXT, FIELD(codecs), "JSON, or zstd:5, none, ... [v3: zstd+crc32c; else zstd]"},
    {"codecs.copy", 0, "CODECS", OPT_TEXT, FIELD(codecs), "JSON, or zstd:5, none, ... [the source's]"},
    {"fill", 0, "VALUE", OPT_TEXT, FIELD(fill), "fill value: 0, NaN, 0x7fc00001, [1,2], ... [0]"},
    {"dims", 0, "A,B", OPT_TEXT, FIELD(dims), "dimension names; an empty name means none"},
    {"attrs", 0, "JSON", OPT_TEXT, FIELD(attrs), "attributes, a JSON object"},
    {"group", 0, NULL, OPT_FLAG, FIELD(group), "create a group instead of an array"},
    {"key-encoding", 0, "NAME=default|default.|v2|v2/", OPT_CHOICE, FIELD(key_encoding),
     "chunk keys: default, default., v2 or v2/ [default]"},
    {"key-encoding.copy", 0, "NAME=default|default.|v2|v2/", OPT_CHOICE, FIELD(key_encoding),
     "chunk keys: default, default., v2 or v2/ [the source's]"},
    {"order", 0, "C|F=C|F", OPT_CHOICE, FIELD(order), "order of elements within chunks [C]"},
    {"endian", 0, "ORDER=little|big", OPT_CHOICE, FIELD(endian), "byte order of elements: little or big [little]"},
    {"overwrite", 0, NULL, OPT_FLAG, FIELD(overwrite), "replace the target if it exists"},
    {"force", 0, NULL, OPT_FLAG, FIELD(force), "also erase foreign keys and broken nodes"},
    {"dry-run", 0, NULL, OPT_FLAG, FIELD(dry_run), "print what would be done, and change nothing"},
    {"yes", 'y', NULL, OPT_FLAG, FIELD(yes), "do not ask for confirmation"},
    {"rm", 0, "KEY", OPT_LIST, FIELD(removed), "remove an attribute; may be repeated"},
    {"long", 'l', NULL, OPT_FLAG, FIELD(detail), "columns: kind, type, shape, chunks, name"},
    {"long.stores", 'l', NULL, OPT_FLAG, FIELD(detail), "also list the settings of each store"},
    {"recursive", 'r', NULL, OPT_FLAG, FIELD(recursive), "include everything below the node"},
    {"depth", 0, "N", OPT_INT, FIELD(depth), "at most N levels"},
    {"stored", 0, NULL, OPT_FLAG, FIELD(stored), "add objects present, stored bytes, ratio"},
    {"fast", 0, NULL, OPT_FLAG, FIELD(fast), "check metadata only; decode no chunks"},
    {"repair", 0, NULL, OPT_FLAG, FIELD(repair), "remove leftover files, rewrite stale metadata"},
    {"orphans", 0, NULL, OPT_FLAG, FIELD(orphans), "with --repair: erase chunks outside the shape"},
    {"axis", 0, "K", OPT_INT, FIELD(axis), "dimension to extend, counted from 0 [0]"},
    {"remove", 0, NULL, OPT_FLAG, FIELD(remove), "remove consolidated metadata"},
    {"keep-parents", 0, NULL, OPT_FLAG, FIELD(keep_parents), "write documents of implicit groups above, to keep them"},
    {"resume", 0, NULL, OPT_FLAG, FIELD(resume), "continue an interrupted copy"},
    {"verify", 0, NULL, OPT_FLAG, FIELD(verify), "read everything back, decode and compare it"},
    {"round", 0, NULL, OPT_FLAG, FIELD(round), "round integers that a float cannot hold exactly"},
    {"lossy", 0, NULL, OPT_FLAG, FIELD(lossy), "drop, and list, what the target cannot hold"},
    {"for-xarray", 0, NULL, OPT_FLAG, FIELD(for_xarray), "v2: set fill_value to what xarray masks, or null"},
    {"schemas", 0, "DIR", OPT_TEXT, FIELD(schemas), "directory with more schemas of conventions"},
    {"fetch", 0, NULL, OPT_FLAG, FIELD(fetch), "download missing schemas, and keep them"},
    {"add", 0, "ID", OPT_TEXT, FIELD(declare), "declare a convention: a URL, uuid or built-in name"},
    {"remove.declaration", 0, "ID", OPT_TEXT, FIELD(retract), "remove a declaration; its properties stay"},
    {"shape.declaration", 0, "SHAPE=live|seed", OPT_CHOICE, FIELD(declared_shape),
     "live or seed [with --add: seed for a URL, else live]"},
    {"schema", 0, "URL", OPT_TEXT, FIELD(schema), "with --add: URL of its schema [ID]"},
    {"spec", 0, "URL", OPT_TEXT, FIELD(spec), "with --add: URL of its text [ID, if .md or .html]"},
    {"name", 0, "TEXT", OPT_TEXT, FIELD(name), "with --add: name to display"},
    {"description", 0, "TEXT", OPT_TEXT, FIELD(description), "with --add: purpose"},
    {"new", 0, "DIR", OPT_TEXT, FIELD(new_dir), "write schema, README and example of a new convention"},
    {"prefix", 0, "X:", OPT_TEXT, FIELD(prefix), "with --new: prefix of the properties"},
    {"storage", 0, NULL, OPT_FLAG, FIELD(storage), "also compare format, chunks, shards and codecs"},
    {"rtol", 0, "X", OPT_NUMBER, FIELD(rtol), "relative tolerance: X times the number in B [0]"},
    {"atol", 0, "X", OPT_NUMBER, FIELD(atol), "absolute tolerance, added to that of --rtol [0]"},
    {"repeat", 0, "N", OPT_INT, FIELD(repeat), "number of runs of each workload [5]"},
    {"consolidate", 0, NULL, OPT_FLAG, FIELD(consolidate), "rewrite consolidated metadata on remote stores, too"},
    {"no-consolidate", 0, NULL, OPT_FLAG, FIELD(no_consolidate), "do not rewrite consolidated metadata"},
    {"json", 0, NULL, OPT_FLAG, FIELD(json), "print one JSON document"},
    {"threads", 'j', "N", OPT_INT, FIELD(threads), "number of threads [all cores]"},
    {"cache-bytes", 0, "N", OPT_BYTES, FIELD(cache_bytes), "size of the cache of decoded chunks, e.g. 64M [0]"},
    {"max-memory", 0, "N", OPT_BYTES, FIELD(max_memory), "memory limit of the library, e.g. 1G [none]"},
    {"progress", 0, "WHEN=always|never|auto", OPT_CHOICE, FIELD(progress),
     "progress bar: always, never or auto [auto]"},
    {"format", 0, "ID", OPT_TEXT, FIELD(format), "version of Zarr [detected; v3]; see: zinc formats"},
    {"no-climb", 0, NULL, OPT_FLAG, FIELD(no_climb), "the URL is the root; do not search above it"},
    {"fallback", 0, "TYPES", OPT_TEXT, FIELD(fallback), "drafts: fallback data types to accept, or any"},
    {"links", 0, "HOW=follow|beneath|refuse", OPT_CHOICE, FIELD(links),
     "symbolic links: follow, beneath or refuse [follow]"},
    {"strict", 0, NULL, OPT_FLAG, FIELD(strict), "refuse deviations from the spec that are tolerated"},
    {"timeout", 0, "SECONDS", OPT_NUMBER, FIELD(timeout), "stop after this time [no limit]"},
    {"trace-requests", 0, NULL, OPT_FLAG, FIELD(trace_requests), "print each request to a remote store on stderr"},
    {"help", 'h', NULL, OPT_FLAG, FIELD(help), "print this help"},
    {NULL, 0, NULL, OPT_FLAG, 0, NULL},
};

/* Every command takes these: they change how the library works, not what a command does. */
const char common_options[] =
    "threads cache-bytes max-memory progress format no-climb fallback links strict timeout trace-requests help";

const struct command command_table[] = {
    {"info", "show one node: shape, type, chunks, codecs, attributes", "URL", "zinc info data.zarr/t2m --stored",
     "stored json", 1, 1, cmd_info, NULL},
    {"tree", "draw the hierarchy", "URL", "zinc tree data.zarr --depth 2", "depth json", 1, 1, cmd_tree, NULL},
    {"ls", "list the children of a node", "URL", "zinc ls -l data.zarr", "long recursive json", 1, 1, cmd_ls, NULL},
    {"cat", "print elements of an array", "URL", "zinc cat data.zarr/t2m -s '0:24, :, 180' --as csv",
     "select as output full index overwrite", 1, 1, cmd_cat, NULL},
    {"create", "create an array or a group", "URL --shape N,M --dtype TYPE | URL --group",
     "zinc create data.zarr/t2m --shape 24,721,1440 --dtype float32",
     "shape dtype chunks shards codecs fill dims attrs group key-encoding order endian overwrite force dry-run "
     "consolidate no-consolidate",
     1, 1, cmd_create, NULL},
    {"put", "write elements into an array", "URL --from FILE", "zinc put data.zarr/t2m --from t2m.npy -s '0:24'",
     "from select round dry-run", 1, 1, cmd_put, NULL},
    {"attrs", "print or edit attributes", "URL [KEY | KEY=JSON ...]", "zinc attrs data.zarr/t2m 'units=\"K\"'",
     "rm dry-run consolidate no-consolidate json", 1, 1000, cmd_attrs, NULL},
    {"resize", "change the shape of an array", "URL N,M", "zinc resize data.zarr/t2m 48,721,1440",
     "dry-run consolidate no-consolidate", 2, 2, cmd_resize,
     "New elements have the fill value. Chunks outside the new shape are erased."},
    {"append", "add elements at the end of a dimension", "URL --from FILE.npy",
     "zinc append data.zarr/t2m --axis 0 --from day2.npy", "axis from round dry-run consolidate no-consolidate", 1, 1,
     cmd_append, NULL},
    {"consolidate", "write or remove consolidated metadata", "URL", "zinc consolidate data.zarr", "remove dry-run", 1,
     1, cmd_consolidate, NULL},
    {"rm", "erase a node and everything below it", "URL", "zinc rm data.zarr/t2m --yes",
     "yes keep-parents force dry-run consolidate no-consolidate", 1, 1, cmd_rm,
     "Only keys that belong to the nodes are erased. If there are others below, or a\n"
     "node is not understood, nothing is erased, unless --force is given."},
    {"cp", "copy a node to another store or version of Zarr", "SRC DST",
     "zinc cp data.zarr/t2m out.zarr/t2m --chunks 24,180,180",
     "chunks.copy shards.copy codecs.copy dtype round select key-encoding.copy for-xarray resume verify lossy "
     "overwrite force dry-run consolidate no-consolidate json",
     2, 2, cmd_cp,
     "Copies the node and everything below it. Values, types, names and attributes\n"
     "are kept; if the target cannot hold one, nothing is copied, unless --lossy is\n"
     "given. Chunks whose encoding does not change are copied byte for byte. The\n"
     "copy appears when it is complete; --resume continues an interrupted one."},
    {"mv", "rename a node within its store: copy, verify, erase", "URL NEWPATH", "zinc mv data.zarr/t2m /surface/t2m",
     "resume overwrite force dry-run consolidate no-consolidate", 2, 2, cmd_mv, NULL},
    {"validate", "check metadata and every stored chunk", "URL", "zinc validate data.zarr",
     "fast repair orphans schemas fetch dry-run consolidate no-consolidate json", 1, 1, cmd_validate,
     "Exit status: 0 no errors, 1 errors found, 4 only unsupported features found."},
    {"diff", "compare two arrays or hierarchies", "A B", "zinc diff data.zarr copy.zarr --rtol 1e-6",
     "select storage rtol atol json", 2, 2, cmd_diff,
     "Compares what a copy keeps, in any formats: tree, shape, data type,\n"
     "fill value, dimension names, attributes, values.\n"
     "Exit status: 0 equal, 1 different, 4 this build cannot read some elements."},
    {"chunks", "list the chunks that a selection touches", "URL", "zinc chunks data.zarr/t2m -s '0, 100:200'",
     "select json", 1, 1, cmd_chunks, "Columns: index in the grid, stored bytes, offset in the shard, key."},
    {"explain", "show what reading a selection costs", "URL -s SEL", "zinc explain data.zarr/t2m -s ':, 100, 200'",
     "select json", 1, 1, cmd_explain,
     "Only sizes of objects and indexes of shards are read. If more than half of the\n"
     "decoded elements are not selected, better chunks are suggested."},
    {"stats", "summarise elements: min, max, mean, histogram", "URL", "zinc stats data.zarr/t2m -s '0:24'",
     "select json", 1, 1, cmd_stats,
     "The width of a bin is a power of two, so one pass over the elements is enough.\n"
     "Stored bytes are those of the whole array, also with -s."},
    {"conventions", "list, check or declare Zarr conventions",
     "URL | --new DIR --prefix X:", "zinc conventions -r data.zarr --schemas my-schemas",
     "recursive schemas fetch add schema spec name description remove.declaration shape.declaration new prefix "
     "overwrite dry-run consolidate no-consolidate json",
     0, 1, cmd_conventions, NULL},
    {"bench", "time reads of one array", "URL", "zinc bench data.zarr/t2m --repeat 3", "select repeat json", 1, 1,
     cmd_bench, NULL},
    {"codecs", "list the codecs of this build", "", "zinc codecs", "json", 0, 0, cmd_codecs, NULL},
    {"dtypes", "list the data types of this build", "", "zinc dtypes", "json", 0, 0, cmd_dtypes, NULL},
    {"stores", "list the stores of this build", "", "zinc stores --long", "long.stores json", 0, 0, cmd_stores,
     "Give a setting in the URL (https://host/a.zarr?timeout=5), in the environment\n"
     "(ZINC_HTTP_TIMEOUT=5) or in a profile (http.timeout = 5). A profile is a section\n"
     "[name] of $ZINC_PROFILES or ~/.config/zinc/profiles; ?profile=name or\n"
     "ZINC_PROFILE=name selects it. Query parameters that are not settings of the\n"
     "http store are sent to the server; ?%74imeout=5 sends one that is a setting."},
    {"formats", "list the versions of Zarr of this build", "", "zinc formats", "json", 0, 0, cmd_formats, NULL},
    {"completion", "print the completion script of a shell", "bash|zsh|fish",
     "zinc completion bash >~/.local/share/bash-completion/completions/zinc", "", 1, 1, cmd_completion, NULL},
    {NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL},
};
