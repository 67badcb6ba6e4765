/*
 * fuzz_s3_answer.c - any bytes as an answer of S3: a listing, an error, the result of deletions
 *
 * (1) Names of a page end inside of it, and no entry is without one.
 * (2) An error has printable characters only.
 * (3) What is parsed twice is the same twice.
 */
#include <string.h>

#include "store/store_s3.h"
#include "fuzz.h"

static void
check_page(zinc_web_page *p, const char *text, size_t size)
{
	const zinc_web_entry *e;
	size_t i;

	if (zinc_s3_parse_page(p, text, size, NULL) != ZINC_OK)
		return;
	e = (const zinc_web_entry *)(const void *)p->entries.p;
	insist(p->entries.n % sizeof *e == 0);
	for (i = 0; i < p->entries.n / sizeof *e; i++) {
		insist(e[i].name < p->names.n && e[i].id < p->names.n); /* (1) */
		insist(memchr(p->names.p + e[i].name, 0, p->names.n - e[i].name));
	}
}

static void
check_printable(const char *s)
{
	for (; *s; s++)
		insist(*s >= ' ' && *s < 0x7f); /* (2) */
}

static void
count_deleted(void *arg, const char *key, const char *code, const char *message)
{
	insist(key && message);
	*(size_t *)arg += strlen(key) + strlen(message) + (code ? strlen(code) + 1 : 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_context *ctx = zinc_context_get(NULL);
	const char *text = (const char *)data;
	size_t once = 0, twice = 0, names;
	s3_fault f;
	zinc_web_page p;

	zinc_web_page_init(&p, ctx);
	check_page(&p, text, size);
	names = p.names.n;
	check_page(&p, text, size);
	insist(p.names.n == names); /* (3) */
	zinc_web_page_fini(&p);
	if (zinc_s3_parse_error(&f, ctx, text, size))
		insist(f.code[0] != '\0');
	check_printable(f.code);
	check_printable(f.message);
	check_printable(f.request);
	check_printable(f.region);
	insist(zinc_s3_parse_deleted(ctx, text, size, count_deleted, &once, NULL) ==
	       zinc_s3_parse_deleted(ctx, text, size, count_deleted, &twice, NULL));
	insist(once == twice);
	return 0;
}
