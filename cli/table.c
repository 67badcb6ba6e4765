/*
 * table.c - the sub-commands and options, one row each
 *
 * Parsing, help and the man page come from here.  A new command is a row, a function and its test; a new option is a
 * row and a member of struct args.  The help of a command fits a screen of 24 lines and 80 columns, which a test
 * checks, so texts are short; what is in brackets is the default.
 */
#include "cli.h"

#define FIELD(name) offsetof(struct args, name)

const struct option option_table[] = {
    {"select", 's', "SEL", OPT_TEXT, FIELD(select), "elements: 3, 10:20, ::2, -5:, ..., [1,5,9], by commas"},
    {"as", 0, "FORM=text|csv|json|npy|raw", OPT_CHOICE, FIELD(as),
     "text, csv, json, npy or raw [text; npy with -o x.npy]"},
    {"output", 'o', "FILE", OPT_TEXT, FIELD(output), "write to a file instead of standard output"},
    {"full", 0, NULL, OPT_FLAG, FIELD(full), "text: print all elements, however many"},
    {"index", 0, NULL, OPT_FLAG, FIELD(index), "csv: the other indices in front of each row"},
    {"from", 0, "FILE", OPT_TEXT, FIELD(from), ".npy file, or raw little-endian bytes; - is stdin"},
    {"shape", 0, "N,M", OPT_TEXT, FIELD(shape), "lengths; \"\" is a scalar"},
    {"dtype", 0, "TYPE", OPT_TEXT, FIELD(dtype), "float32, <f4, r16, ...; see: zinc dtypes"},
    {"chunks", 0, "N,M", OPT_TEXT, FIELD(chunks), "chunk shape, or auto [auto: 1 to 4 MiB]"},
    {"shards", 0, "N,M", OPT_TEXT, FIELD(shards), "shard shape, multiples of chunks, or auto [none]"},
    {"codecs", 0, "CODECS", OPT_TEXT, FIELD(codecs), "JSON, or zstd:5, blosc:lz4:5:shuffle, none [zstd]"},
    {"fill", 0, "VALUE", OPT_TEXT, FIELD(fill), "fill value: 0, NaN, 0x7fc00001, [1,2], ... [0]"},
    {"dims", 0, "A,B", OPT_TEXT, FIELD(dims), "dimension names; an empty one is none"},
    {"attrs", 0, "JSON", OPT_TEXT, FIELD(attrs), "attributes, an object"},
    {"group", 0, NULL, OPT_FLAG, FIELD(group), "create a group instead of an array"},
    {"key-encoding", 0, "NAME=default|default.|v2|v2/", OPT_CHOICE, FIELD(key_encoding),
     "chunk keys: default, default., v2 or v2/ [default]"},
    {"order", 0, "C|F=C|F", OPT_CHOICE, FIELD(order), "order of elements within chunks [C]"},
    {"endian", 0, "ORDER=little|big", OPT_CHOICE, FIELD(endian), "byte order of elements: little or big [little]"},
    {"overwrite", 0, NULL, OPT_FLAG, FIELD(overwrite), "replace what is there"},
    {"dry-run", 0, NULL, OPT_FLAG, FIELD(dry_run), "say what would be done, and do nothing"},
    {"yes", 'y', NULL, OPT_FLAG, FIELD(yes), "do not ask"},
    {"rm", 0, "KEY", OPT_LIST, FIELD(removed), "remove an attribute; may be repeated"},
    {"long", 'l', NULL, OPT_FLAG, FIELD(detail), "columns: kind, type, shape, chunks, name"},
    {"recursive", 'r', NULL, OPT_FLAG, FIELD(recursive), "everything below, too"},
    {"depth", 0, "N", OPT_INT, FIELD(depth), "at most N levels"},
    {"stored", 0, NULL, OPT_FLAG, FIELD(stored), "add objects present, stored bytes, ratio"},
    {"fast", 0, NULL, OPT_FLAG, FIELD(fast), "metadata only: decode nothing"},
    {"repair", 0, NULL, OPT_FLAG, FIELD(repair), "remove leftovers, refresh stale metadata"},
    {"orphans", 0, NULL, OPT_FLAG, FIELD(orphans), "with --repair: erase what belongs to nothing"},
    {"axis", 0, "K", OPT_INT, FIELD(axis), "dimension that grows, counted from 0 [0]"},
    {"remove", 0, NULL, OPT_FLAG, FIELD(remove), "remove it instead"},
    {"repeat", 0, "N", OPT_INT, FIELD(repeat), "times each workload is run [5]"},
    {"json", 0, NULL, OPT_FLAG, FIELD(json), "one JSON document, for programs"},
    {"threads", 'j', "N", OPT_INT, FIELD(threads), "threads [all cores]"},
    {"cache-bytes", 0, "N", OPT_BYTES, FIELD(cache_bytes), "keep decoded chunks, say 64M [0]"},
    {"max-memory", 0, "N", OPT_BYTES, FIELD(max_memory), "memory of the library, say 1G [no limit]"},
    {"progress", 0, "WHEN=always|never|auto", OPT_CHOICE, FIELD(progress),
     "show how far it is: always, never or auto [auto]"},
    {"format", 0, "ID", OPT_TEXT, FIELD(format), "version of Zarr [detected; v3]; see: zinc formats"},
    {"strict", 0, NULL, OPT_FLAG, FIELD(strict), "refuse what readers usually forgive"},
    {"help", 'h', NULL, OPT_FLAG, FIELD(help), "this text"},
    {NULL, 0, NULL, OPT_FLAG, 0, NULL},
};

/* They tune how the library works, not what a command does, so every command takes them. */
const char common_options[] = "threads cache-bytes max-memory progress format strict help";

const struct command command_table[] = {
    {"info", "show one node: shape, type, chunks, codecs, attributes", "URL", "zinc info data.zarr/t2m --stored",
     "stored json", 1, 1, cmd_info, NULL},
    {"tree", "draw the hierarchy", "URL", "zinc tree data.zarr --depth 2", "depth json", 1, 1, cmd_tree, NULL},
    {"ls", "list the children of a node", "URL", "zinc ls -l data.zarr", "long recursive json", 1, 1, cmd_ls, NULL},
    {"cat", "print elements of an array", "URL", "zinc cat data.zarr/t2m -s '0:24, :, 180' --as csv",
     "select as output full index overwrite", 1, 1, cmd_cat, NULL},
    {"create", "create an array or a group", "URL --shape N,M --dtype TYPE | URL --group",
     "zinc create data.zarr/t2m --shape 24,721,1440 --dtype float32",
     "shape dtype chunks shards codecs fill dims attrs group key-encoding order endian overwrite dry-run", 1, 1,
     cmd_create, NULL},
    {"put", "write elements into an array", "URL --from FILE", "zinc put data.zarr/t2m --from t2m.npy -s '0:24'",
     "from select dry-run", 1, 1, cmd_put, NULL},
    {"attrs", "print or edit attributes", "URL [KEY | KEY=JSON ...]", "zinc attrs data.zarr/t2m 'units=\"K\"'",
     "rm dry-run json", 1, 1000, cmd_attrs, NULL},
    {"resize", "change the shape of an array", "URL N,M", "zinc resize data.zarr/t2m 48,721,1440", "dry-run", 2, 2,
     cmd_resize, "Growing adds fill value; shrinking erases the chunks that lie outside."},
    {"append", "add elements at the end of a dimension", "URL --from FILE.npy",
     "zinc append data.zarr/t2m --axis 0 --from day2.npy", "axis from dry-run", 1, 1, cmd_append, NULL},
    {"consolidate", "write or remove consolidated metadata", "URL", "zinc consolidate data.zarr", "remove dry-run", 1,
     1, cmd_consolidate, NULL},
    {"rm", "erase a node and everything below it", "URL", "zinc rm data.zarr/t2m --yes", "yes dry-run", 1, 1, cmd_rm,
     NULL},
    {"validate", "check metadata and every stored chunk", "URL", "zinc validate data.zarr",
     "fast repair orphans dry-run json", 1, 1, cmd_validate,
     "Exit status: 1 an error was found, 4 only unsupported things were, 0 neither."},
    {"bench", "time reads of one array", "URL", "zinc bench data.zarr/t2m --repeat 3", "select repeat json", 1, 1,
     cmd_bench, NULL},
    {"codecs", "list the codecs of this build", "", "zinc codecs", "json", 0, 0, cmd_codecs, NULL},
    {"dtypes", "list the data types of this build", "", "zinc dtypes", "json", 0, 0, cmd_dtypes, NULL},
    {"stores", "list the stores of this build", "", "zinc stores", "json", 0, 0, cmd_stores, NULL},
    {"formats", "list the versions of Zarr of this build", "", "zinc formats", "json", 0, 0, cmd_formats, NULL},
    {"completion", "print the completion script of a shell", "bash|zsh|fish",
     "zinc completion bash >~/.local/share/bash-completion/completions/zinc", "", 1, 1, cmd_completion, NULL},
    {NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL},
};
