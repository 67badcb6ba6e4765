/*
 * fuzz_gs_answer.c - any bytes as an answer of Google Cloud Storage: a listing, an error, an object, a batch, a range of an
 * upload
 *
 * (1) Names of a page end inside of it, and no entry is without one.
 * (2) An error has printable characters only.
 * (3) What is parsed twice is the same twice.
 * (4) Parts of a batch are inside of it.
 */
#include <stdio.h>
#include <string.h>

#include "store/store_gs.h"
#include "fuzz.h"

static void
check_page(zinc_web_page *p, const char *text, size_t size)
{
	const zinc_web_entry *e;
	size_t i;

	if (zinc_gs_parse_page(p, zinc_context_get(NULL), text, size, NULL) != ZINC_OK)
		return;
	e = (const zinc_web_entry *)(const void *)p->entries.p;
	insist(p->entries.n % sizeof *e == 0);
	for (i = 0; i < p->entries.n / sizeof *e; i++) {
		insist(e[i].name < p->names.n); /* (1) */
		insist(memchr(p->names.p + e[i].name, 0, p->names.n - e[i].name));
	}
}

static void
check_printable(const char *s)
{
	for (; *s; s++)
		insist(*s >= ' ' && *s < 0x7f); /* (2) */
}

typedef struct counted {
	const char *from, *to;
	size_t sum;
} counted;

static void
count_part(void *arg, size_t i, int status, const char *text, size_t n)
{
	counted *c = (counted *)arg;

	insist(status >= 100 && status <= 599);
	insist(text >= c->from && text + n <= c->to); /* (4) */
	c->sum = c->sum * 31 + i + (size_t)status + n;
}

static void
check_batch(const char *text, size_t size)
{
	counted once = {text, text + size, 0}, twice = once;
	const zinc_status st = zinc_gs_parse_batch("multipart/mixed; boundary=b", text, size, count_part, &once, NULL);

	insist(zinc_gs_parse_batch("multipart/mixed; boundary=\"b\"", text, size, count_part, &twice, NULL) == st);
	insist(once.sum == twice.sum); /* (3) */
}

/* Texts of heads: the first bytes of the input. */
static void
check_fields(const char *text, size_t size)
{
	char field[64];
	uint64_t received;

	snprintf(field, sizeof field, "%.*s", (int)(size < 60 ? size : 60), text);
	if (zinc_gs_parse_range(field, &received))
		insist(received <= UINT64_C(1000000000000000000));
	(void)zinc_gs_parse_batch(field, text, size, count_part, &(counted){text, text + size, 0}, NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_context *ctx = zinc_context_get(NULL);
	const char *text = (const char *)data;
	zinc_web_page p;
	gs_object o;
	gs_fault f;
	size_t names;

	zinc_web_page_init(&p, ctx);
	check_page(&p, text, size);
	names = p.names.n;
	check_page(&p, text, size);
	insist(p.names.n == names); /* (3) */
	zinc_web_page_fini(&p);
	(void)zinc_gs_parse_error(&f, ctx, text, size);
	check_printable(f.reason);
	check_printable(f.message);
	if (zinc_gs_parse_object(&o, ctx, text, size, NULL) == ZINC_OK)
		insist(o.generation[0] && strspn(o.generation, "0123456789") == strlen(o.generation));
	if (size) {
		check_batch(text, size);
		check_fields(text, size);
	}
	return 0;
}
