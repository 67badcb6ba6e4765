/*
 * serve.c - the HTTP server, which is a module: libzinc links no HTTP server
 *
 * The module is server/ of the source tree, serve.so beside the library.
 */
#include <zinc/serve.h>

#include "tool/tool.h"

/* zinc_module_init of the module; `version` tells whether it is linked with this very library. */
typedef zinc_status (*serve_fn)(const char *version, zinc_server **out, zinc_hierarchy *h, const char *path,
				const zinc_server_options *options, zinc_error *err);

/* A build without the module cannot serve: that is no missing node. */
static zinc_status
load(serve_fn *fn, zinc_context *ctx, zinc_error *err)
{
	void *symbol = NULL;
	zinc_status st = zinc_module_load(ctx, "serve", &symbol, err);

	memcpy(fn, &symbol, sizeof *fn);
	if (st == ZINC_E_NOTFOUND)
		st = zinc_fail(err, ZINC_E_UNSUPPORTED,
			       "built without the HTTP server, which needs libmicrohttpd (Debian: libmicrohttpd-dev)");
	return st;
}

zinc_status
zinc_server_start(zinc_server **out, zinc_hierarchy *h, const char *path, const zinc_server_options *options,
		  zinc_error *err)
{
	const zinc_server_options none = ZINC_SERVER_OPTIONS_INIT;
	serve_fn fn;

	ZINC_TRY(ZINC_NEED(out && h, err));
	if (options && options->size != sizeof *options)
		return zinc_fail(err, ZINC_E_INVALID, "zinc_server_options.size is not set");
	ZINC_TRY(load(&fn, zinc_store_context(zinc_hierarchy_store(h)), err));
	return fn(zinc_version(), out, h, path ? path : zinc_hierarchy_path(h), options ? options : &none, err);
}

const char *
zinc_server_url(const zinc_server *server)
{
	return server ? server->url : "";
}

void
zinc_server_stop(zinc_server *server, double grace)
{
	if (server)
		server->stop(server, grace);
}

void
zinc_server_free(zinc_server *server)
{
	if (server)
		server->free(server);
}
