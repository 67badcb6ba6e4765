/*
 * store_setting.h - settings on their way from user to store (store_setting.c, store_profile.c)
 */
#ifndef ZINC_STORE_SETTING_H
#define ZINC_STORE_SETTING_H

#include "store/store_inside.h"

/* All that a store is told, by the names of its rows. */
typedef struct zinc_settings {
	zinc_context *ctx;
	zinc_setting *all;
	size_t n, room;
} zinc_settings;

/*
 * Gather the settings of a store of this kind: `given` by options, then by `query` (behind '?', NULL: none), environment,
 * profile and presets.  What belongs to the server is appended to `foreign`.  Fini also after a failure.
 */
zinc_status zinc_settings_gather(zinc_settings *out, const zinc_store_ops *ops, const zinc_store_options *given,
				 const char *query, zinc_buf *foreign, zinc_error *err);
void zinc_settings_fini(zinc_settings *s);

/* ---- profiles ---- */

/* A line of the section that was asked for; the texts are not NUL-ended. */
typedef zinc_status (*zinc_profile_fn)(void *arg, zinc_bytes name, zinc_bytes value, int line, zinc_error *err);

/* Call `fn` for each "name = value" below "[section]".  E_INVALID naming the line of whatever is none of the four, in any
 * section; *found tells whether the section is there. */
zinc_status zinc_profile_parse(zinc_bytes text, const char *section, zinc_profile_fn fn, void *arg, bool *found,
			       zinc_error *err);
/* The same of the user's file.  E_NOTFOUND without a file, E_INVALID without the section. */
zinc_status zinc_profile_read(zinc_context *ctx, const char *section, zinc_profile_fn fn, void *arg, zinc_error *err);

#endif
