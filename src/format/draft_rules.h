/*
 * draft_rules.h - the rules of the drafts for documents and data, with the numbers of docs/conformance.md
 *
 * One row per check that the drafts share.  A draft without such a rule has the number of the nearest one.
 */
#ifndef ZINC_DRAFT_RULES_H
#define ZINC_DRAFT_RULES_H

/* clang-format off */
#define ZINC_DRAFT_RULES(X)                                             \
	/*                    2019     2020     2022 */                 \
	X(ENTRY_JSON,         "19-27", "20-70", "22-90")                \
	X(ENTRY,              "19-69", "20-30", "22-39")                \
	X(URI,                "19-29", "20-31", "22-40")                \
	X(VERSION,            "19-30", "20-32", "22-41")                \
	X(ENCODING,           "19-70", "20-33", "22-42")                \
	X(ENCODING_EXTENSION, "19-70", "20-33", "22-43")                \
	X(ENCODING_URI,       "19-70", "20-33", "22-44")                \
	X(SUFFIX,             "19-70", "20-34", "22-42")                \
	X(EXTENSIONS,         "19-31", "20-35", "22-45")                \
	X(EXTENSION_URI,      "19-32", "20-36", "22-46")                \
	X(EXTENSION_FLAG,     "19-33", "20-37", "22-47")                \
	X(UNDERSTAND,         "19-35", "20-40", "22-50")                \
	X(OWN_EXTENSIONS,     "19-31", "20-64", "22-79")                \
	X(OWN_URI,            "19-32", "20-64", "22-79")                \
	X(OWN_FLAG,           "19-33", "20-64", "22-79")                \
	X(OWN_UNDERSTAND,     "19-35", "20-64", "22-79")                \
	X(NAME_EMPTY,         "19-6",  "20-6",  "22-11")                \
	X(NAME,               "19-7",  "20-7",  "22-12")                \
	X(NAME_PERIODS,       "19-8",  "20-8",  "22-13")                \
	X(NAME_LENGTH,        "19-9",  "20-9",  "22-14")                \
	X(NAME_CASE,          "19-10", "20-10", "22-14")                \
	X(JSON,               "19-27", "20-71", "22-91")                \
	X(OBJECT,             "19-27", "20-42", "22-52")                \
	X(MEMBERS,            "19-37", "20-42", "22-52")                \
	X(ALL_MEMBERS,        "19-28", "20-42", "22-52")                \
	X(UNKNOWN,            "19-59", "20-67", "22-87")                \
	X(GROUP,              "19-61", "20-68", "22-88")                \
	X(GROUP_UNKNOWN,      "19-62", "20-69", "22-89")                \
	X(ATTRIBUTES,         "19-36", "20-65", "22-80")                \
	X(SHAPE,              "19-38", "20-43", "22-53")                \
	X(TYPE,               "19-39", "20-44", "22-54")                \
	X(TYPE_NAME,          "19-11", "20-11", "22-15")                \
	X(TYPE_RAW,           "19-11", "20-14", "22-18")                \
	X(TYPE_OBJECT,        "19-40", "20-45", "22-55")                \
	X(TYPE_URI,           "19-41", "20-46", "22-56")                \
	X(TYPE_FALLBACK,      "19-42", "20-47", "22-57")                \
	X(TYPE_FALLBACK_SIZE, "19-64", "20-47", "22-57")                \
	X(TYPE_UNKNOWN,       "19-43", "20-48", "22-58")                \
	X(TYPE_UNIT,          "19-40", "20-45", "22-134")               \
	X(TYPE_DATETIME,      "19-40", "20-45", "22-135")               \
	X(TYPE_TIMEDELTA,     "19-40", "20-45", "22-136")               \
	X(TYPE_BYTES,         "19-40", "20-45", "22-137")               \
	X(TYPE_TEXT,          "19-40", "20-45", "22-138")               \
	X(TYPE_STRUCT,        "19-40", "20-45", "22-139")               \
	X(GRID,               "19-44", "20-49", "22-62")                \
	X(GRID_TYPE,          "19-45", "20-50", "22-63")                \
	X(GRID_SHAPE,         "19-46", "20-51", "22-64")                \
	X(GRID_ZERO,          "19-46", "20-4",  "22-5")                 \
	X(GRID_EXTENSION,     "19-47", "20-52", "22-66")                \
	X(GRID_URI,           "19-48", "20-53", "22-67")                \
	X(SEPARATOR,          "19-16", "20-18", "22-65")                \
	X(SEPARATOR_MISSING,  "19-16", "20-18", "22-62")                \
	X(LAYOUT,             "19-49", "20-54", "22-68")                \
	X(LAYOUT_EXTENSION,   "19-50", "20-55", "22-69")                \
	X(LAYOUT_URI,         "19-51", "20-56", "22-70")                \
	X(FILL_BOOL,          "19-55", "20-57", "22-71")                \
	X(FILL_INTEGER,       "19-56", "20-58", "22-72")                \
	X(FILL_RANGE,         "19-57", "20-59", "22-73")                \
	X(FILL_NULL,          "19-58", "20-60", "22-74")                \
	X(FILL_EXTENSION,     "19-37", "20-61", "22-76")                \
	X(FILL_BITS,          "19-37", "20-62", "22-77")                \
	X(FILL,               "19-37", "20-63", "22-78")                \
	X(CODECS,             "19-52", "20-66", "22-81")                \
	X(CODEC,              "19-53", "20-66", "22-81")                \
	X(CODEC_URI,          "19-22", "20-25", "22-34")                \
	X(CODEC_UNKNOWN,      "19-53", "20-25", "22-34")                \
	X(COMPRESSOR,         "19-68", "20-66", "22-81")                \
	X(CONFIGURATION,      "19-68", "20-66", "22-82")                \
	X(PARAMETER,          "19-24", "20-27", "22-36")                \
	X(GZIP_LEVEL,         "19-24", "20-27", "22-164")               \
	X(BLOSC_NAME,         "19-24", "20-27", "22-156")               \
	X(BLOSC_LEVEL,        "19-24", "20-27", "22-157")               \
	X(BLOSC_SHUFFLE,      "19-24", "20-27", "22-158")               \
	X(BLOSC_BLOCK,        "19-24", "20-27", "22-159")               \
	X(ENDIAN,             "19-24", "20-27", "22-161")               \
	X(TRANSFORMER,        "19-59", "20-67", "22-83")                \
	X(TRANSFORMER_URI,    "19-59", "20-67", "22-84")                \
	X(TRANSFORMER_CONFIG, "19-59", "20-67", "22-85")                \
	X(SHARD_TYPE,         "19-59", "20-67", "22-140")               \
	X(SHARD_SHAPE,        "19-59", "20-67", "22-141")               \
	X(SHARD_STRATEGY,     "19-59", "20-67", "22-149")               \
	X(SHARD_INDEX,        "19-20", "20-23", "22-145")               \
	X(SHARD_MISSING,      "19-20", "20-23", "22-146")               \
	X(TWO,                "19-75", "20-86", "22-112")               \
	X(BELOW,              "19-1",  "20-1",  "22-2")                 \
	X(KEY,                "19-76", "20-82", "22-108")               \
	X(DATA,               "19-77", "20-41", "22-51")                \
	X(OUTSIDE,            "19-14", "20-16", "22-20")                \
	X(CHUNK_KEY,          "19-15", "20-17", "22-21")                \
	X(SCALAR_KEY,         "19-15", "20-19", "22-23")                \
	X(CHUNK_SIZE,         "19-20", "20-23", "22-32")                \
	X(CHUNK,              "19-54", "20-89", "22-115")               \
	X(CHUNK_BOOL,         "19-12", "20-12", "22-16")                \
	X(CHUNK_GZIP,         "19-54", "20-89", "22-165")               \
	X(CHUNK_BLOSC,        "19-54", "20-89", "22-160")
/* clang-format on */

#define X(rule, first, second, third) ZINC_DRAFT_##rule,
typedef enum zinc_draft_rule { ZINC_DRAFT_RULES(X) ZINC_DRAFT_NRULES } zinc_draft_rule;
#undef X

/* The numbers, by rule. */
extern const char *const zinc_draft_rules_2019[ZINC_DRAFT_NRULES];
extern const char *const zinc_draft_rules_2020[ZINC_DRAFT_NRULES];
extern const char *const zinc_draft_rules_2022[ZINC_DRAFT_NRULES];

#endif
