/*
 * serve.c - lent values, and a server in this process
 */
#include <unistd.h>

#include "every_call.h"

/* Files are lent, other stores have none. */
static void
lend(const char *url)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_lent lent = ZINC_LENT_INIT;
	zinc_store *s = NULL;
	char text[8] = "";

	OK(zinc_store_open(&s, url, NULL, &err));
	OK(zinc_store_put(s, NULL, "lent", "value", 5, NULL, 0, NULL, NULL, &err));
	if (strncmp(url, "memory:", 7) == 0) {
		GIVES(ZINC_E_UNSUPPORTED, zinc_store_lend(s, "lent", &lent, NULL, &err));
	} else {
		OK(zinc_store_lend(s, "lent", &lent, NULL, &err));
		CHECK(lent.nbytes == 5 && lent.tag.n > 0);
		CHECK(lseek(lent.fd, (off_t)lent.offset, SEEK_SET) == (off_t)lent.offset &&
		      read(lent.fd, text, 5) == 5);
		TEXT_IS(text, "value");
		close(lent.fd);
		GIVES(ZINC_E_NOTFOUND, zinc_store_lend(s, "not lent", &lent, NULL, &err));
	}
	OK(zinc_store_del(s, NULL, "lent", NULL, 0, NULL, &err));
	zinc_store_close(s);
}

void
call_serve(const char *url)
{
	zinc_server_options options = ZINC_SERVER_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_server *server = NULL;
	zinc_status st;
	char at[4096];

	lend(url);
	snprintf(at, sizeof at, "%s/served", url);
	OK(zinc_group_create_url(at, NULL, 0, NULL, &err));
	OK(zinc_hierarchy_open_url(&h, at, NULL, &err));
	options.token = "secret";
	st = zinc_server_start(&server, h, NULL, &options, &err);
	if (st != ZINC_E_UNSUPPORTED) { /* built without it */
		GIVES(ZINC_OK, st);
		CHECK(strncmp(zinc_server_url(server), "http://127.0.0.1:", 17) == 0);
		HAS(zinc_server_url(server), "/secret/");
		zinc_server_stop(server, 1.0);
		zinc_server_free(server);
	}
	options.listen = "nonsense";
	CHECK(zinc_server_start(&server, h, NULL, &options, &err) != ZINC_OK);
	zinc_server_free(NULL);
	zinc_server_stop(NULL, 0);
	TEXT_IS(zinc_server_url(NULL), "");
	zinc_hierarchy_close(h);
}
