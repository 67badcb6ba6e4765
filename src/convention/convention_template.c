/*
 * convention_template.c - the template for new conventions, which is not a convention
 *
 * Its uuid is a placeholder, so declaring it is an error (declaration.c, rule C9).
 */
#include "convention/convention.h"

static zinc_status
check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	(void)s, (void)err;
	(void)zinc_report_error(r, "C5", NULL, "the template is declared, which is not a convention");
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
    .schemas = ZINC_URLS(ZINC_RAW "zarr-conventions/template/refs/tags/v1/schema.json"),
    .specs = ZINC_URLS(ZINC_GITHUB "zarr-conventions/template/blob/v1/README.md"),
};
