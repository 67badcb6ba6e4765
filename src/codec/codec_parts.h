/*
 * codec_parts.h - inside of the room `codec`: the built-in rows and what they share
 */
#ifndef ZINC_CODEC_PARTS_H
#define ZINC_CODEC_PARTS_H

#include "codec/codec.h"

/* Libraries that a build may lack; a plain `cc` defines none of these. */
#ifndef ZINC_WITH_ZSTD
#define ZINC_WITH_ZSTD 0
#endif
#ifndef ZINC_WITH_BLOSC
#define ZINC_WITH_BLOSC 0
#endif
#ifndef ZINC_WITH_DEFLATE
#define ZINC_WITH_DEFLATE 0
#endif

extern const zinc_codec_ops zinc_codec_bytes;
extern const zinc_codec_ops zinc_codec_transpose;
extern const zinc_codec_ops zinc_codec_gzip;
extern const zinc_codec_ops zinc_codec_blosc;
extern const zinc_codec_ops zinc_codec_zstd;
extern const zinc_codec_ops zinc_codec_crc32c;
extern const zinc_codec_ops zinc_codec_sharding;

/* A zeroed object of `nbytes` that begins with a zinc_codec. */
zinc_status zinc_codec_new(zinc_codec **out, const zinc_codec_ops *ops, zinc_context *ctx, size_t nbytes,
			   zinc_error *err);
void zinc_codec_free(zinc_codec *c); /* NULL is fine */

/* ---- configurations ---- */

/* Any member of `configuration` (NULL is fine) that is not in `names` (NULL-ended) is a lenient finding. */
zinc_status zinc_config_members(const zinc_json *configuration, const char *const *names, const char *rule,
				zinc_report *r, zinc_error *err);
/* A member that must be there, an integer from `min` to `max`. */
zinc_status zinc_config_int(const zinc_json *configuration, const char *member, int64_t min, int64_t max,
			    const char *rule, int64_t *out, zinc_report *r, zinc_error *err);
/* A member that must be there, one of the NULL-ended `choices`; `out` is its index. */
zinc_status zinc_config_choice(const zinc_json *configuration, const char *member, const char *const *choices,
			       const char *rule, int *out, zinc_report *r, zinc_error *err);
/* A member that must be there, an array of `n` integers of at least `min`. */
zinc_status zinc_config_u64s(const zinc_json *configuration, const char *member, int n, uint64_t min, const char *rule,
			     uint64_t *out, zinc_report *r, zinc_error *err);
/* A word of the short form, "5", as an integer.  E_INVALID. */
zinc_status zinc_word_int(const char *codec, const char *word, int64_t min, int64_t max, int64_t *out, zinc_error *err);

/* ---- decoding ---- */

/* Make room for n more bytes.  More than out->max is E_CORRUPT: a bomb, or plain nonsense. */
zinc_status zinc_decoded_room(zinc_buf *out, size_t n, zinc_error *err);
/* E_CORRUPT unless `n` is `exact`, or `exact` is not known. */
zinc_status zinc_decoded_size(size_t n, size_t exact, zinc_error *err);

/* zinc_codec_ops.bound of every compressor. */
int zinc_bound_compressed(const zinc_codec *c, size_t decoded, size_t *encoded);

/* The bytes that a C-order array of this type and shape takes; E_LIMIT past what an int64_t stride can say. */
zinc_status zinc_rep_bytes(const zinc_rep *rep, size_t *nbytes, zinc_error *err);

/* ---- extend.c: what programs' own codecs, types, grids and keys share ---- */

/* A configuration as text of its own (zinc_free), NULL for NULL; and back. */
zinc_status zinc_user_text(char **out, zinc_context *ctx, const zinc_json *v, zinc_error *err);
zinc_status zinc_user_json(zinc_json **out, zinc_json_doc *doc, const char *text, zinc_error *err);
/* What a program's function returned, with an error that says so even when the function did not. */
zinc_status zinc_user_status(zinc_status st, const char *name, zinc_error *err);
/* The same of open(): a finding under the thing's own name. */
zinc_status zinc_user_finding(zinc_status st, const char *name, zinc_report *r, zinc_error *err);
/* What an snprintf-like function prints, appended.  `print` is called with `arg` until the room is enough. */
typedef size_t (*zinc_user_print)(const void *arg, char *out, size_t room);
zinc_status zinc_user_append(zinc_buf *out, zinc_user_print print, const void *arg, zinc_error *err);

/* ---- deflate.c: the only file that knows a deflate library ---- */

/* NULL, or the name of the library that this build lacks. */
const char *zinc_deflate_missing(void);
/* One RFC 1952 member without name and time, appended. */
zinc_status zinc_deflate_gzip(zinc_scratch *s, int level, zinc_bytes in, zinc_buf *out, zinc_error *err);
/* All members of `in`, appended; as zinc_codec_ops.decode. */
zinc_status zinc_deflate_gunzip(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, zinc_error *err);

#endif
