/*
 * convention_template.c - the template that conventions are written from, which is none
 *
 * Its placeholder of a uuid identifies nothing, so declaring it is an error (declaration.c says so, rule C9).
 */
#include "convention/convention.h"

static const char *const schemas[] = {
    ZINC_RAW "zarr-conventions/template/refs/tags/v1/schema.json",
    NULL,
};

static const char *const specs[] = {
    ZINC_HUB "zarr-conventions/template/blob/v1/README.md",
    NULL,
};

static zinc_status
check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	(void)s, (void)err;
	(void)zinc_report_error(r, "C5", NULL, "the template of conventions is declared, which is none itself");
	return ZINC_OK;
}

const zinc_convention_row zinc_convention_template = {
    .name = "template",
    .prefix = "template:",
    .uuid = "00000000-0000-0000-0000-000000000000",
    .description = "Template of conventions, not for data",
    .groups = true,
    .arrays = true,
    .check = check,
    .schemas = schemas,
    .specs = specs,
};
