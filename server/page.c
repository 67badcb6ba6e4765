/* page.c - the files of the viewer, which are part of the program */
#include <string.h>

#include "page.h"
#include "server.h"

static const char *
type_of(const char *name)
{
	const char *ending = strrchr(name, '.');

	if (ending && !strcmp(ending, ".html"))
		return "text/html; charset=utf-8";
	if (ending && !strcmp(ending, ".css"))
		return "text/css; charset=utf-8";
	if (ending && !strcmp(ending, ".svg"))
		return "image/svg+xml";
	return "text/javascript; charset=utf-8";
}

bool
page_find(const char *name, const char **type, const void **bytes, size_t *nbytes)
{
	const struct page_file *f;

	if (!*name)
		name = "index.html";
	for (f = page_files; f->name; f++) {
		if (strcmp(f->name, name) != 0)
			continue;
		*type = type_of(name);
		*bytes = f->bytes;
		*nbytes = f->nbytes;
		return true;
	}
	return false;
}
