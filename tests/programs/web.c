/*
 * web.c - the same arrays through a web server, which cannot list and accepts PUT
 */
#include "every_call.h"

static void
use(const char *url, const char *name)
{
	static const zinc_setting settings[] = {{"http.write", "yes"}, {"http.conditions", "yes"}};
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_array *a = NULL;
	char at[4200];

	snprintf(at, sizeof at, "%s/arrays.zarr/%s", url, name);
	open.settings = settings;
	open.nsettings = 2;
	OK(zinc_array_open_url(&a, at, &open, &err));
	zinc_store_caps(zinc_hierarchy_store(zinc_array_hierarchy(a)), &caps);
	CHECK(caps.flags & ZINC_CAP_REMOTE && caps.flags & ZINC_CAP_CAS && !(caps.flags & ZINC_CAP_LIST));
	use_array(a);
	OK(zinc_attributes_get(zinc_array_hierarchy(a), zinc_array_path(a), "units", &b, NULL, &err));
	TEXT_IS((const char *)b.data, "\"m\"");
	zinc_blob_fini(&b);
	zinc_array_close(a);
}

void
call_web(const char *url)
{
	use(url, "plain");
	use(url, "sharded");
}
