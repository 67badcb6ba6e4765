/* cmd_attrs.c - zinc attrs: print or edit attributes */
#include "cli.h"

struct attrs {
	struct run *run;
	const char *url;
	zinc_hierarchy *h;
	zinc_attribute *changes;
	char **keys; /* copies of the words, cut at '=' */
	size_t n, nkeys;
};

static int
print_member(void *arg, const char *key, const char *json)
{
	struct text *t = arg;

	text_puts(t, t->n > 1 ? ",\n  " : "\n  ");
	text_json(t, key ? key : "");
	text_printf(t, ": %s", json);
	return 0;
}

/* All attributes, one a line; or the value of one. */
static int
print(struct attrs *a, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob json = ZINC_BLOB_INIT;
	struct text t = {NULL, 0, 0};

	if (zinc_attributes_get(a->h, zinc_hierarchy_path(a->h), key, &json, &until_stopped, &err))
		return fail(a->url, &err);
	if (a->run->args->json || key) {
		text_compact(&t, json.data);
	} else {
		text_puts(&t, "{");
		(void)!zinc_json_each(a->run->ctx, json.data, print_member, &t, NULL);
		text_puts(&t, t.n > 1 ? "\n}" : "}");
	}
	text_puts(&t, "\n");
	out_text(&a->run->out, &t);
	zinc_blob_fini(&json);
	return DONE;
}

/* "KEY=JSON" -> one change. */
static int
add_setting(struct attrs *a, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) : 0;
	zinc_error err = ZINC_ERROR_INIT;
	char *key;

	if (!equals)
		return complain(USAGE, a->url, "\"%s\" is not KEY=JSON; to print a value give one KEY only", word);
	if (zinc_json_each(a->run->ctx, equals + 1, NULL, NULL, &err))
		return complain(USAGE, word, "the value is not JSON; a string needs quotes: '%.*s=\"text\"'", (int)n,
				word);
	key = memcpy(xrealloc(NULL, n + 1), word, n);
	key[n] = '\0';
	a->keys[a->nkeys++] = key;
	a->changes[a->n++] = (zinc_attribute){key, equals + 1};
	return DONE;
}

static int
collect_changes(struct attrs *a)
{
	const struct args *args = a->run->args;
	size_t most = (size_t)args->words.n + (size_t)args->removed.n;
	int i, status = DONE;

	a->changes = xrealloc(NULL, most * sizeof *a->changes);
	a->keys = xrealloc(NULL, most * sizeof *a->keys);
	for (i = 1; i < args->words.n && status == DONE; i++)
		status = add_setting(a, args->words.at[i]);
	for (i = 0; i < args->removed.n; i++)
		a->changes[a->n++] = (zinc_attribute){args->removed.at[i], NULL};
	return status;
}

static int
print_changes(struct attrs *a)
{
	const char *path = zinc_hierarchy_path(a->h);
	const int status = may_write(a->url, a->h);
	size_t i;

	for (i = 0; i < a->n && status == DONE; i++) {
		const zinc_attribute *c = &a->changes[i];
		zinc_blob old = ZINC_BLOB_INIT;
		zinc_error err = ZINC_ERROR_INIT;

		if (!c->json && zinc_attributes_get(a->h, path, c->key, &old, &until_stopped, &err))
			return fail(a->url, &err);
		zinc_blob_fini(&old);
		out_printf(&a->run->out, "would %s %s%s%s\n", c->json ? "set" : "remove", c->key, c->json ? " = " : "",
			   c->json ? c->json : "");
	}
	return status;
}

static int
edit(struct attrs *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	int status = collect_changes(a);

	if (status == DONE && a->run->args->dry_run)
		status = print_changes(a);
	else if (status == DONE &&
		 zinc_attributes_edit(a->h, zinc_hierarchy_path(a->h), a->changes, a->n, &until_stopped, &err))
		status = fail(a->url, &err);
	while (a->nkeys)
		free(a->keys[--a->nkeys]);
	free(a->keys);
	free(a->changes);
	return status;
}

int
cmd_attrs(struct run *r)
{
	const struct words *w = &r->args->words;
	struct attrs a = {.run = r, .url = w->at[0]};
	bool prints = r->args->removed.n == 0 && (w->n == 1 || (w->n == 2 && !strchr(w->at[1], '=')));
	int status = open_node(r, a.url, !prints, &a.h);

	if (status == DONE)
		status = prints ? print(&a, w->n == 2 ? w->at[1] : NULL) : edit(&a);
	zinc_hierarchy_close(a.h);
	return status;
}
