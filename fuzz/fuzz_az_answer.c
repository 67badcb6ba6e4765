/*
 * fuzz_az_answer.c - any bytes as an answer of Azure Blob Storage: a listing, an error
 *
 * (1) Names of a page end inside of it, and no entry is without one.
 * (2) An error has printable characters only.
 * (3) What is parsed twice is the same twice.
 */
#include <string.h>

#include "store/store_az.h"
#include "fuzz.h"

static bool
check_page(zinc_web_page *p, const char *text, size_t size)
{
	const zinc_web_entry *e;
	bool folders = false;
	size_t i;

	if (zinc_az_parse_page(p, &folders, text, size, NULL) != ZINC_OK)
		return folders;
	e = (const zinc_web_entry *)(const void *)p->entries.p;
	insist(p->entries.n % sizeof *e == 0);
	for (i = 0; i < p->entries.n / sizeof *e; i++) {
		insist(e[i].name < p->names.n); /* (1) */
		insist(memchr(p->names.p + e[i].name, 0, p->names.n - e[i].name));
	}
	insist(!p->truncated == !p->next.n);
	return folders;
}

static void
check_printable(const char *s)
{
	for (; *s; s++)
		insist(*s >= ' ' && *s < 0x7f); /* (2) */
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_context *ctx = zinc_context_get(NULL);
	const char *text = (const char *)data;
	zinc_web_page p;
	size_t names;
	az_fault f;
	bool once;

	zinc_web_page_init(&p, ctx);
	once = check_page(&p, text, size);
	names = p.names.n;
	insist(check_page(&p, text, size) == once && p.names.n == names); /* (3) */
	zinc_web_page_fini(&p);
	if (zinc_az_parse_error(&f, ctx, text, size))
		insist(f.code[0] != '\0');
	check_printable(f.code);
	check_printable(f.message);
	check_printable(f.detail);
	return 0;
}
