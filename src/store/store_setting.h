/*
 * store_setting.h - settings of stores and their sources (store_setting.c, store_profile.c)
 */
#ifndef ZINC_STORE_SETTING_H
#define ZINC_STORE_SETTING_H

#include "store/store_inside.h"

/* The settings of one store, by the names of its rows. */
typedef struct zinc_settings {
	zinc_context *ctx;
	zinc_setting *all;
	size_t n, room;
} zinc_settings;

/*
 * Collect the settings of a store of this kind: from the options `given`, then `query` (after '?', NULL: none),
 * environment, profile and presets.  Parts of the query that belong to the server are appended to `foreign`.  Fini also
 * after a failure.
 */
zinc_status zinc_settings_gather(zinc_settings *out, const zinc_store_ops *ops, const zinc_store_options *given,
				 const char *query, zinc_buf *foreign, zinc_error *err);
void zinc_settings_fini(zinc_settings *s);
/* Is it one of the settings that name data? */
bool zinc_setting_is_place(const zinc_store_ops *ops, const char *name);

/* Who wrote a URL may want credentials that are not theirs.  So a store with the setting "endpoint" is told by one more, of
 * this name, which settings the URL's query has: "endpoint,timeout,". */
#define ZINC_SETTING_OF_URL "of the URL"

/* ---- profiles ---- */

/* Called for a line of the requested section; the texts are not NUL-terminated. */
typedef zinc_status (*zinc_profile_fn)(void *arg, zinc_bytes name, zinc_bytes value, int line, zinc_error *err);

/* Call `fn` for each "name = value" below "[section]".  E_INVALID with the line number for a malformed line in any
 * section; *found: the section exists. */
zinc_status zinc_profile_parse(zinc_bytes text, const char *section, zinc_profile_fn fn, void *arg, bool *found,
			       zinc_error *err);
/* The same for the user's file.  E_NOTFOUND without a file, E_INVALID without the section. */
zinc_status zinc_profile_read(zinc_context *ctx, const char *section, zinc_profile_fn fn, void *arg, zinc_error *err);

#endif
