/*
 * main.c - every_call DIR [URL]: call every public function, in memory, below DIR and, with a URL of it, by http
 */
#include "every_call.h"

void
add_word(char *out, const char *text)
{
	const size_t n = strlen(out);

	CHECK((size_t)snprintf(out + n, TEXT_ROOM - n, "%s ", text) < TEXT_ROOM - n);
}

static void
call_places(const char *dir)
{
	char url[2][4096];
	int i;

	snprintf(url[0], sizeof url[0], "memory://every");
	snprintf(url[1], sizeof url[1], "%s", dir);
	for (i = 0; i < 2; i++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_store *keep = NULL;

		OK(zinc_store_open(&keep, url[i], NULL, &err)); /* a memory store exists while it is open */
		call_stores(url[i]);
		call_nodes(url[i]);
		call_arrays(url[i]);
		call_numpy(url[i]);
		call_tools(url[i]);
		call_serve(url[i]);
		call_conventions(url[i]);
		zinc_store_close(keep);
	}
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "every_call DIR [URL]\n");
		return 2;
	}
	call_basics();
	call_wrappers();
	call_extensions();
	call_places(argv[1]);
	if (argc > 2)
		call_web(argv[2]);
	zinc_context_trim(NULL);
	zinc_context_free_default();
	printf("every call: %s\n", argc > 2 ? "memory, files and http" : "memory and files");
	return 0;
}
