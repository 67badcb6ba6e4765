/*
 * complete.c - zinc completion: complete the words of a command line
 *
 * The shell scripts are short: each passes the words typed so far to `zinc --complete` and offers the candidates
 * that it prints, one per line, with a description after a tab.  So all shells complete by the same table:
 *
 *   zinc --complete ca                     cat  completion ...
 *   zinc --complete cat --a                --as
 *   zinc --complete cat --as=              --as=text  --as=csv ...
 *   zinc --complete cat data.zarr/t        data.zarr/t2m  data.zarr/tp/
 *   zinc --complete cat data.zarr/t2m -s ''     time=  time@  lat=  lat@ ...
 *   zinc --complete cat data.zarr/t2m -s lat@   lat@-90  lat@90
 *
 * If it prints nothing, the shell completes file names.
 */
#include <stdio.h>

#include "cli.h"

static bool
begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static void
offer(struct run *r, const char *before, const char *s, size_t n, const char *purpose)
{
	out_printf(&r->out, "%s%.*s%s%s\n", before, (int)n, s, *purpose ? "\t" : "", purpose);
}

static void
offer_commands(struct run *r, const char *word)
{
	const struct command *c;

	for (c = command_table; c->name; c++)
		if (begins(c->name, word))
			offer(r, "", c->name, strlen(c->name), c->purpose);
}

static void
offer_tasks(struct run *r, const char *word)
{
	const char *name, *purpose;
	int i;

	for (i = 0; (name = task_name(i, &purpose)); i++)
		if (begins(name, word))
			offer(r, "", name, strlen(name), purpose);
}

/* The words of "a|b|c" that begin like `word`, each behind `before`. */
static void
offer_choices(struct run *r, const char *before, const char *choices, const char *word)
{
	for (;;) {
		size_t n = strcspn(choices, "|");

		if (strlen(word) <= n && !strncmp(choices, word, strlen(word)))
			offer(r, before, choices, n, "");
		if (!choices[n])
			return;
		choices += n + 1;
	}
}

static void
offer_options(struct run *r, const struct command *c, const char *word)
{
	const struct option *o;

	for (o = option_table; o->name; o++) {
		size_t n = (size_t)option_length(o);

		if (o->help && option_find(c, o->name, n) == o && strlen(word) - 2 <= n &&
		    !strncmp(o->name, word + 2, strlen(word) - 2))
			offer(r, "--", o->name, n, o->help);
	}
}

/* ---- paths of nodes ---- */

struct children {
	struct run *run;
	const char *base, *word; /* the word is base, '/', and the beginning of a name */
};

static int
offer_child(void *arg, const zinc_node *node)
{
	const struct children *c = arg;
	struct text t = {NULL, 0, 0};

	if (node->depth == 0)
		return 0;
	text_printf(&t, "%s/%s%s", c->base, node->name, node->kind == ZINC_NODE_ARRAY ? "" : "/");
	if (begins(text_str(&t), c->word))
		offer(c->run, "", t.p, t.n, kind_name(node));
	text_free(&t);
	return 0;
}

/* Errors are ignored: what cannot be opened has no children to offer. */
static void
offer_nodes(struct run *r, const char *word)
{
	const char *slash = strrchr(word, '/');
	zinc_open_options o = ZINC_OPEN_OPTIONS_INIT;
	zinc_hierarchy *h = NULL;
	struct text base = {NULL, 0, 0};
	struct children c = {r, NULL, word};

	if (!slash || slash == word)
		return;
	text_add(&base, word, (size_t)(slash - word));
	c.base = base.p;
	o.read_only = 1;
	if (zinc_hierarchy_open_url(&h, base.p, &o, NULL) == ZINC_OK)
		(void)!zinc_node_children(h, zinc_hierarchy_path(h), offer_child, &c, &until_stopped, NULL);
	zinc_hierarchy_close(h);
	text_free(&base);
}

/* ---- selections ---- */

/* The part of a selection that is being typed, and what is before it. */
struct typed {
	struct run *run;
	const char *before; /* "--select=", or "" */
	const char *word;
	size_t done; /* bytes of `word` up to the last comma and the blanks after it */
};

static void
offer_item(const struct typed *t, const char *name, char op, const char *value, const char *purpose)
{
	struct text whole = {NULL, 0, 0};
	const bool quote = name[strcspn(name, "=@,\" ")] != '\0';

	text_printf(&whole, "%s%.*s%s%s%s%c%s", t->before, (int)t->done, t->word, quote ? "\"" : "", name,
		    quote ? "\"" : "", op, value);
	if (begins(text_str(&whole) + strlen(t->before), t->word))
		offer(t->run, "", whole.p, whole.n, purpose);
	text_free(&whole);
}

/* One element of a coordinate as its dates and numbers are typed; false when it cannot be read. */
static bool
print_end(zinc_array *c, uint64_t i, char out[80])
{
	union {
		uint64_t bytes[4];
		double wide;
		float narrow;
	} element = {{0}}, decoded = {{0}};
	uint64_t one = 1;
	const zinc_selection box = {.size = sizeof box, .kind = ZINC_SELECT_BOX, .ndim = 1, .start = &i, .count = &one};
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_NATIVE, &element, zinc_array_element_size(c));
	zinc_cf_about about = ZINC_CF_ABOUT_INIT;
	zinc_cf *cf = NULL;
	bool ok = zinc_array_element_size(c) <= sizeof element && !zinc_array_variable(c) &&
		  zinc_array_read(c, &box, &b, NULL, NULL) == ZINC_OK && zinc_cf_open(&cf, c, NULL) == ZINC_OK &&
		  zinc_cf_describe(cf, &about, NULL) == ZINC_OK &&
		  zinc_cf_decode(cf, &element, 1, &decoded, NULL) == ZINC_OK;
	size_t n;

	if (ok && about.kind == ZINC_CF_PLAIN)
		ok = zinc_array_element_print(c, &element, ZINC_SPELL_TEXT, out, 80, &n, NULL) == ZINC_OK && n < 80;
	else if (ok && about.kind == ZINC_CF_NUMBER)
		snprintf(out, 80, "%.9g", about.type == ZINC_FLOAT32 ? (double)decoded.narrow : decoded.wide);
	else if (ok)
		ok = zinc_cf_print(cf, &decoded, out, NULL) == ZINC_OK;
	zinc_cf_close(cf);
	return ok;
}

/* The first and the last value of the coordinate. */
static void
offer_ends(const struct typed *t, zinc_array *a, int d)
{
	const char *name = zinc_array_dimension_name(a, d);
	zinc_array *c = NULL;
	char first[80], last[80];

	if (zinc_cf_coordinate(&c, a, d, &until_stopped, NULL) != ZINC_OK)
		return;
	if (!zinc_array_unsupported(c) && zinc_array_shape(c)[0] > 0 && print_end(c, 0, first) &&
	    print_end(c, zinc_array_shape(c)[0] - 1, last)) {
		offer_item(t, name, '@', first, "the first");
		if (strcmp(first, last))
			offer_item(t, name, '@', last, "the last");
	}
	zinc_array_close(c);
}

/* Names of dimensions, and the ends of the one whose value is being typed. */
static void
offer_selection(struct run *r, const char *before, const char *word, const char *url)
{
	zinc_open_options o = ZINC_OPEN_OPTIONS_INIT;
	struct typed t = {r, before, word, 0};
	const char *comma = strrchr(word, ','), *name;
	zinc_array *a = NULL;
	int d;

	for (t.done = comma ? (size_t)(comma + 1 - word) : 0; word[t.done] == ' ';)
		t.done++;
	o.context = r->ctx;
	o.read_only = o.climb = 1;
	o.call = &until_stopped;
	if (!url || zinc_array_open_url(&a, url, &o, NULL) != ZINC_OK)
		return;
	for (d = 0; d < zinc_array_ndim(a); d++) {
		name = zinc_array_dimension_name(a, d);
		if (name && strchr(word + t.done, '@'))
			offer_ends(&t, a, d);
		else if (name) {
			offer_item(&t, name, '=', "", "by index");
			offer_item(&t, name, '@', "", "by value of the coordinate");
		}
	}
	zinc_array_close(a);
}

/* ---- the last word ---- */

/* The option whose value the last word is; NULL: none. */
static const struct option *
awaited(const struct command *c, const char *before)
{
	const struct option *o;

	if (begins(before, "--") && !strchr(before, '='))
		o = option_find(c, before + 2, strlen(before + 2));
	else
		for (o = before[0] == '-' && before[1] && !before[2] ? option_table : NULL;
		     o && o->letter != before[1];)
			o = o->name ? o + 1 : NULL;
	return o && o->name && o->kind != OPT_FLAG ? o : NULL;
}

/* The URL among the words: the first after the command that is no option and no option's value. */
static const char *
typed_place(const struct command *c, char **words, size_t n)
{
	size_t i;

	for (i = 1; i + 1 < n; i++)
		if (words[i][0] != '-' && !awaited(c, words[i - 1]))
			return words[i];
	return NULL;
}

static void
offer_value(struct run *r, const char *before, const struct option *o, const char *word, const char *url)
{
	if (o->kind == OPT_CHOICE)
		offer_choices(r, before, strchr(o->value, '=') + 1, word);
	else if (!strcmp(o->name, "select"))
		offer_selection(r, before, word, url);
}

/* "--as=cs" */
static void
offer_joined(struct run *r, const struct command *c, const char *word, const char *url)
{
	size_t n = strcspn(word, "=");
	const struct option *o = option_find(c, word + 2, n - 2);
	struct text before = {NULL, 0, 0};

	text_add(&before, word, n + 1);
	if (o)
		offer_value(r, before.p, o, word + n + 1, url);
	text_free(&before);
}

static void
offer_word(struct run *r, const struct command *c, char **words, size_t n)
{
	const char *word = words[n - 1], *url = typed_place(c, words, n);
	const struct option *o = awaited(c, words[n - 2]);

	if (o)
		offer_value(r, "", o, word, url);
	else if (begins(word, "--") && strchr(word, '='))
		offer_joined(r, c, word, url);
	else if (begins(word, "--") || !strcmp(word, "-"))
		offer_options(r, c, word[1] ? word : "--");
	else if (c->most > 0 && strchr(c->usage, '|') && !strpbrk(c->usage, " -"))
		offer_choices(r, "", c->usage, word); /* "bash|zsh|fish" */
	else if (c->most > 0)
		offer_nodes(r, word);
}

int
complete(struct run *r, char **words)
{
	const struct command *c;
	size_t n = 0;

	while (words[n])
		n++;
	if (n <= 1)
		offer_commands(r, n ? words[0] : "");
	else if (!strcmp(words[0], "help") && n == 2) {
		offer_commands(r, words[1]);
		offer_tasks(r, words[1]);
	} else if ((c = command_find(words[0])))
		offer_word(r, c, words, n);
	return DONE;
}

/* ---- the scripts ---- */

/* Bash splits words at '=' and ':'.  The script joins them again, and removes from each candidate the part that
 * bash split off.  Names come from a store: outside of quotes what a shell would take apart is quoted, and within
 * quotes what would end them is not offered. */
static const char bash_script[] =
    "# bash completion for zinc\n"
    "_zinc() {\n"
    "\tlocal words=() cut='' i w glue=''\n"
    "\tfor ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "\t\tw=${COMP_WORDS[i]}\n"
    "\t\t[[ $w == [\\'\\\"]* ]] || w=${w//\\\\/}\n"
    "\t\tif [[ ${#words[@]} -gt 0 && ( -n $glue || $w == [:=]* ) ]]; then\n"
    "\t\t\twords[-1]+=$w\n"
    "\t\telse\n"
    "\t\t\twords+=(\"$w\")\n"
    "\t\tfi\n"
    "\t\tglue=''\n"
    "\t\t[[ $w == *[:=] ]] && glue=1\n"
    "\tdone\n"
    "\tlocal last=${words[-1]}\n"
    "\t[[ $last == *[:=]* ]] && cut=${last%\"${last##*[:=]}\"}\n"
    "\tCOMPREPLY=()\n"
    "\twhile IFS= read -r w; do\n"
    "\t\tw=${w%%$'\\t'*}\n"
    "\t\tw=${w#\"$cut\"}\n"
    "\t\tif [[ $last == \\'* ]]; then\n"
    "\t\t\t[[ ${w:1} == *\\'* ]] && continue\n"
    "\t\telif [[ $last == \\\"* ]]; then\n"
    "\t\t\t[[ ${w:1} == *[\\\"\\$\\`\\\\]* ]] && continue\n"
    "\t\telif [[ $w == *[!a-zA-Z0-9_./@=:,%+~^-]* ]]; then\n"
    "\t\t\tprintf -v w %q \"$w\"\n"
    "\t\tfi\n"
    "\t\tCOMPREPLY+=(\"$w\")\n"
    "\tdone < <(zinc --complete \"${words[@]}\" 2>/dev/null)\n"
    "\tif [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]]; then compopt -o nospace; fi\n"
    "}\n"
    "complete -o default -F _zinc zinc\n";

static const char zsh_script[] = "#compdef zinc\n"
				 "# zsh completion for zinc\n"
				 "_zinc() {\n"
				 "\tlocal line word\n"
				 "\tlocal -a plain dirs\n"
				 "\twhile IFS= read -r line; do\n"
				 "\t\tword=${line%%$'\\t'*}\n"
				 "\t\tif [[ $word == */ ]]; then dirs+=(\"$word\"); else plain+=(\"$word\"); fi\n"
				 "\tdone < <(zinc --complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)\n"
				 "\tif (( ${#plain} + ${#dirs} == 0 )); then _files; return; fi\n"
				 "\t(( ${#plain} )) && compadd -- $plain\n"
				 "\t(( ${#dirs} )) && compadd -S '' -- $dirs\n"
				 "\treturn 0\n"
				 "}\n"
				 "if [ \"$funcstack[1]\" = _zinc ]; then _zinc \"$@\"; else compdef _zinc zinc; fi\n";

static const char fish_script[] = "# fish completion for zinc\n"
				  "function __zinc_complete\n"
				  "\tset -l words (commandline -opc) (commandline -ct)\n"
				  "\tset -l found (zinc --complete $words[2..-1] 2>/dev/null)\n"
				  "\tif test (count $found) -gt 0\n"
				  "\t\tprintf '%s\\n' $found\n"
				  "\telse\n"
				  "\t\t__fish_complete_path (commandline -ct)\n"
				  "\tend\n"
				  "end\n"
				  "complete -c zinc -f -a '(__zinc_complete)'\n";

int
cmd_completion(struct run *r)
{
	static const struct {
		const char *shell, *script;
	} scripts[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
	const char *shell = r->args->words.at[0];
	size_t i;

	for (i = 0; i < sizeof scripts / sizeof *scripts; i++)
		if (!strcmp(shell, scripts[i].shell)) {
			out_puts(&r->out, scripts[i].script);
			return DONE;
		}
	return complain(USAGE, shell, "unknown shell; completion exists for bash, zsh and fish");
}
