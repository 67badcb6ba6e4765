/*
 * args.c - parse the command line by the table of options
 *
 * As in GNU programs: options anywhere, "--name value" and "--name=value", "-s value" and "-svalue", flags
 * joined ("-lr"), "--" ends options.  A value is taken as it is, so "-s -5:" selects the last five.
 *
 * The row of an option in commands.c says where its value goes and what it may be.
 */
#include <errno.h>
#include <float.h>
#include <stdio.h>

#include "cli.h"

const struct command *
command_find(const char *name)
{
	const struct command *c;

	for (c = command_table; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int
option_length(const struct option *o)
{
	return (int)strcspn(o->name, ".");
}

/* Is the name a word of the list? */
static bool
has_word(const char *list, const char *name)
{
	const size_t n = strlen(name);

	while (*list) {
		const size_t word = strcspn(list, " ");

		if (word == n && !strncmp(list, name, n))
			return true;
		list += word;
		list += strspn(list, " ");
	}
	return false;
}

/* Does this command take the option? */
static bool
taken(const struct command *c, const struct option *o)
{
	return option_listed(c->options, o) || option_listed(common_options, o) ||
	       (option_listed(server_options, o) && has_word(server_commands, c->name));
}

const struct option *
option_find(const struct command *c, const char *name, size_t n)
{
	const struct option *o;

	for (o = option_table; o->name; o++)
		if ((size_t)option_length(o) == n && !strncmp(o->name, name, n) && taken(c, o))
			return o;
	return NULL;
}

bool
option_listed(const char *list, const struct option *o)
{
	return has_word(list, o->name);
}

static const struct option *
letter_find(const struct command *c, char letter)
{
	const struct option *o;

	for (o = option_table; o->name; o++)
		if (o->letter && o->letter == letter && taken(c, o))
			return o;
	return NULL;
}

/* A decimal number; strtoull alone would take "-1" and " 1". */
static bool
parse_number(const char *s, const char **end, uint64_t *out)
{
	char *stop;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*out = strtoull(s, &stop, 10);
	*end = stop;
	return errno == 0;
}

/* Powers of 1024, spelled "64K", "64k", "64KB" or "64KiB". */
bool
parse_bytes(const char *s, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *u;
	uint64_t n;
	int shift = 0;

	if (!parse_number(s, &s, &n))
		return false;
	if (*s && (u = strchr(units, *s & ~0x20)) && *u) {
		shift = 10 * (int)(u - units + 1);
		s++;
		s += strncmp(s, "iB", 2) ? *s == 'B' || *s == 'b' : 2;
	}
	if (*s || n > UINT64_MAX >> shift)
		return false;
	*out = n << shift;
	return true;
}

/* A trailing comma is accepted (NumPy writes "(5,)").  The empty text is the shape of a scalar. */
bool
parse_shape(const char *s, uint64_t *shape, int *ndim)
{
	*ndim = 0;
	s += strspn(s, " ");
	while (*s) {
		if (*ndim == ZINC_MAX_NDIM || !parse_number(s, &s, &shape[*ndim]))
			return false;
		++*ndim;
		s += strspn(s, " ");
		if (*s == ',')
			s += 1 + strspn(s + 1, " ");
		else if (*s)
			return false;
	}
	return true;
}

static void
words_add(struct words *w, const char *s)
{
	w->at = xrealloc(w->at, ((size_t)w->n + 1) * sizeof *w->at);
	w->at[w->n++] = s;
}

/* Is `s` one of the words of "NAME=a|b|c"? */
static bool
is_choice(const char *choices, const char *s)
{
	size_t n = strlen(s);
	const char *p = strchr(choices, '=') + 1;

	while (n) {
		size_t word = strcspn(p, "|");

		if (word == n && !strncmp(p, s, n))
			return true;
		if (!p[word])
			return false;
		p += word + 1;
	}
	return false;
}

/* "1e-6": a number that is not negative, not NaN and not infinite. */
static bool
parse_tolerance(const char *s, double *out)
{
	char *end;

	if (!*s || s[strspn(s, "0123456789.eE+-")]) /* strtod also accepts hexadecimal numbers, "nan" and "inf" */
		return false;
	*out = strtod(s, &end);
	return !*end && *out >= 0 && *out <= DBL_MAX;
}

/* Store a value; false when the option does not accept it. */
static bool
set(struct args *a, const struct option *o, const char *value)
{
	char *at = (char *)a + o->at;
	const char *end;
	uint64_t n;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)(void *)at = true;
		return true;
	case OPT_CHOICE:
		*(const char **)(void *)at = value;
		return is_choice(o->value, value);
	case OPT_TEXT:
		*(const char **)(void *)at = value;
		return true;
	case OPT_LIST:
		words_add((struct words *)(void *)at, value);
		return true;
	case OPT_INT:
		if (!parse_number(value, &end, &n) || *end || n > 100000)
			return false;
		*(int *)(void *)at = (int)n;
		return true;
	case OPT_NUMBER:
		return parse_tolerance(value, (double *)(void *)at);
	case OPT_BYTES:
		return parse_bytes(value, (uint64_t *)(void *)at);
	}
	return false;
}

struct scan {
	struct args *args;
	const struct command *command;
	char **argv; /* the next word */
};

static int
bad(const struct scan *s, const char *what, const char *why)
{
	return complain(USAGE, what, "%s; see: zinc %s --help", why, s->command->name);
}

/* The same, with an error message that names the accepted values. */
static int
set_checked(struct scan *s, const struct option *o, const char *shown, const char *value)
{
	struct text why = {NULL, 0, 0};
	int status = DONE;

	if (!set(s->args, o, value)) {
		text_printf(&why, "\"%s\" is not a value of this option (%s)", value, o->help);
		status = bad(s, shown, text_str(&why));
		text_free(&why);
	}
	return status;
}

/* "--name", "--name=value", "--name value". */
static int
scan_long(struct scan *s, const char *word)
{
	size_t n = strcspn(word + 2, "=");
	const struct option *o = option_find(s->command, word + 2, n);
	const char *value = word[2 + n] ? word + 3 + n : NULL;

	if (!o)
		return bad(s, word, "no such option");
	if (o->kind == OPT_FLAG && value)
		return bad(s, word, "this option takes no value");
	if (o->kind != OPT_FLAG && !value && !(value = *s->argv++))
		return bad(s, word, "a value is missing");
	return set_checked(s, o, word, value);
}

/* "-lr", "-s value", "-svalue". */
static int
scan_short(struct scan *s, const char *word)
{
	const char *p;

	for (p = word + 1; *p; p++) {
		const struct option *o = letter_find(s->command, *p);
		const char *value;

		if (!o)
			return bad(s, word, "no such option");
		if (o->kind == OPT_FLAG) {
			set(s->args, o, NULL);
			continue;
		}
		value = p[1] ? p + 1 : *s->argv++;
		return value ? set_checked(s, o, word, value) : bad(s, word, "a value is missing");
	}
	return DONE;
}

static int
check_words(const struct scan *s)
{
	const struct args *a = s->args;

	if (a->help || (a->words.n >= s->command->least && a->words.n <= s->command->most))
		return DONE;
	return complain(USAGE, a->words.n < s->command->least ? "an argument is missing" : "too many arguments",
			"usage: zinc %s %s", s->command->name, s->command->usage);
}

/* Messages show URLs without secrets: `words` has the text to show, `typed` the text to open.  Only the first word
 * can be a URL, and the second one of commands that take at most two. */
static void
hide_secrets(struct args *a, const struct command *c)
{
	char shown[8192];
	int i;

	for (i = 0; i < a->words.n; i++) {
		words_add(&a->typed, a->words.at[i]);
		if (i > 1 || (i == 1 && c->most > 2))
			continue;
		zinc_url_show(shown, sizeof shown, a->words.at[i]);
		if (strchr(a->words.at[i], ':') && strcmp(shown, a->words.at[i]) != 0)
			a->words.at[i] = memcpy(xrealloc(NULL, strlen(shown) + 1), shown, strlen(shown) + 1);
	}
}

/* Bytes of a URL before its query. */
static size_t
before_query(const char *url)
{
	return strstr(url, "://") ? strcspn(url, "?") : strlen(url);
}

/* Messages name the node itself. */
static void
name_node(struct args *a)
{
	struct text t = {NULL, 0, 0};
	const char *url;
	size_t n;

	if (!a->node || !*a->node || a->words.n == 0)
		return;
	url = a->words.at[0];
	n = before_query(url);
	text_printf(&t, "%.*s%s%s%s", (int)n, url, n > 0 && url[n - 1] == '/' ? "" : "/", a->node, url + n);
	if (a->words.at[0] != a->typed.at[0])
		free((void *)(uintptr_t)a->words.at[0]);
	a->words.at[0] = t.p;
}

/* The URL of an environment variable comes before other arguments. */
static int
take_url(struct args *a)
{
	const char *url = a->url_from ? getenv(a->url_from) : NULL;

	if (!a->url_from)
		return DONE;
	if (!url)
		return complain(USAGE, "--url-from", "the environment has no %s", a->url_from);
	words_add(&a->words, url);
	memmove(a->words.at + 1, a->words.at, ((size_t)a->words.n - 1) * sizeof *a->words.at);
	a->words.at[0] = url;
	return DONE;
}

const char *
typed_url(const struct args *a, const char *shown)
{
	int i;

	for (i = 0; i < a->words.n; i++)
		if (a->words.at[i] == shown)
			return a->typed.at[i];
	return shown;
}

int
args_parse(struct args *a, const struct command *c, char **argv)
{
	struct scan s = {a, c, argv};
	bool options = true;
	int status = DONE;

	*a = (struct args){.threads = -1, .repeat = -1, .depth = -1, .axis = -1, .width = -1, .height = -1};
	while (status == DONE && *s.argv) {
		const char *word = *s.argv++;

		if (!options || word[0] != '-' || !word[1])
			words_add(&a->words, word);
		else if (!strcmp(word, "--"))
			options = false;
		else
			status = word[1] == '-' ? scan_long(&s, word) : scan_short(&s, word);
	}
	if (status == DONE)
		status = take_url(a);
	hide_secrets(a, c);
	name_node(a);
	return status == DONE ? check_words(&s) : status;
}

void
args_free(struct args *a)
{
	int i;

	for (i = 0; i < a->words.n; i++)
		if (a->words.at[i] != a->typed.at[i])
			free((void *)(uintptr_t)a->words.at[i]);
	free(a->words.at);
	free(a->typed.at);
	free(a->removed.at);
	free(a->hosts.at);
	free(a->include.at);
	free(a->exclude.at);
	free(a->chunks_of.at);
	free(a->shards_of.at);
	free(a->codecs_of.at);
	free(a->dtype_of.at);
}
