/* page.h - the table of the viewer's files, made from server/page by cmake/EmbedPage.cmake */
#ifndef ZINC_PAGE_H
#define ZINC_PAGE_H

#include <stddef.h>

struct page_file {
	const char *name;
	const unsigned char *bytes;
	size_t nbytes;
};

extern const struct page_file page_files[]; /* ended by a row without a name */

#endif
