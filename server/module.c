/* module.c - the entry of serve.so, called by zinc_server_start */
#include "server.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT extern const char zinc_module_build[];
const char zinc_module_build[] = ZINC_BUILD;

EXPORT zinc_status zinc_module_init(const char *version, zinc_server **out, zinc_hierarchy *h, const char *path,
				    const zinc_server_options *options, zinc_error *err);

/* The library's text of its version is at one address: another one is that of another library. */
zinc_status
zinc_module_init(const char *version, zinc_server **out, zinc_hierarchy *h, const char *path,
		 const zinc_server_options *options, zinc_error *err)
{
	if (version != zinc_version())
		return zinc_error_set(err, ZINC_E_UNSUPPORTED,
				      "the server is linked with another libzinc than this one");
	return server_start(out, h, path, options, err);
}
