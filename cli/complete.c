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

		if (option_find(c, o->name, n) == o && strlen(word) - 2 <= n &&
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

static void
offer_value(struct run *r, const char *before, const struct option *o, const char *word)
{
	if (o->kind == OPT_CHOICE)
		offer_choices(r, before, strchr(o->value, '=') + 1, word);
}

/* "--as=cs" */
static void
offer_joined(struct run *r, const struct command *c, const char *word)
{
	size_t n = strcspn(word, "=");
	const struct option *o = option_find(c, word + 2, n - 2);
	struct text before = {NULL, 0, 0};

	text_add(&before, word, n + 1);
	if (o)
		offer_value(r, before.p, o, word + n + 1);
	text_free(&before);
}

static void
offer_word(struct run *r, const struct command *c, const char *before, const char *word)
{
	const struct option *o = awaited(c, before);

	if (o)
		offer_value(r, "", o, word);
	else if (begins(word, "--") && strchr(word, '='))
		offer_joined(r, c, word);
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
		offer_word(r, c, words[n - 2], words[n - 1]);
	return DONE;
}

/* ---- the scripts ---- */

/* Bash splits words at '=' and ':'.  The script joins them again, and removes from each candidate the part that
 * bash split off. */
static const char bash_script[] =
    "# bash completion for zinc\n"
    "_zinc() {\n"
    "\tlocal words=() cut='' i w glue=''\n"
    "\tfor ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "\t\tw=${COMP_WORDS[i]}\n"
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
    "\t\tCOMPREPLY+=(\"${w#\"$cut\"}\")\n"
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
				 "\t(( ${#plain} )) && compadd -Q -- $plain\n"
				 "\t(( ${#dirs} )) && compadd -Q -S '' -- $dirs\n"
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
