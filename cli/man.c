/*
 * man.c - man pages from the tables of commands.c: zinc.1, and one for each sub-command
 *
 * They are made while building (cmake/ZincManual.cmake) by `zinc --man` and `zinc --man NAME`.
 */
#include "cli.h"

/* Escape text for roff: backslashes, hyphens, and a line that would begin a request. */
static void
roff(struct text *t, const char *s)
{
	for (; *s; s++) {
		if (*s == '\\')
			text_puts(t, "\\e");
		else if (*s == '-')
			text_puts(t, "\\-");
		else if ((*s == '.' || *s == '\'') && (t->n == 0 || t->p[t->n - 1] == '\n'))
			text_printf(t, "\\&%c", *s);
		else
			text_add(t, s, 1);
	}
}

static void
heading(struct text *t, const char *name)
{
	struct text upper = {NULL, 0, 0};
	size_t i;

	text_puts(&upper, name);
	for (i = 0; i < upper.n; i++)
		if (upper.p[i] >= 'a' && upper.p[i] <= 'z')
			upper.p[i] = (char)(upper.p[i] - 'a' + 'A');
	text_printf(t, ".TH %s 1 \"\" \"zinc %s\" \"User Commands\"\n", upper.p, zinc_version());
	text_free(&upper);
}

static void
options(struct text *t, const char *list)
{
	const struct option *o;

	for (o = option_table; o->name; o++) {
		struct text line = {NULL, 0, 0};

		if (!o->help || !option_listed(list, o))
			continue;
		option_spell(&line, o);
		text_puts(t, ".TP\n.B ");
		roff(t, text_str(&line));
		text_puts(t, "\n");
		roff(t, o->help);
		text_puts(t, "\n");
		text_free(&line);
	}
}

static const char exit_text[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nsuccess\n"
    ".TP\n.B 1\na difference, or a check found an error\n"
    ".TP\n.B 2\nthe command line is wrong, or a selection is out of bounds\n"
    ".TP\n.B 3\nnot found, the target already exists, or input/output failed\n"
    ".TP\n.B 4\nvalid Zarr that this build does not support\n"
    ".TP\n.B 5\ncorrupt data or metadata\n"
    ".TP\n.B 130\ninterrupted\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B NO_COLOR\nif set and not empty: no colours\n"
    ".TP\n.BR ZINC_PROFILE ,\\ ZINC_PROFILES ,\\ ZINC_HTTP_TIMEOUT \\ ...\n"
    "settings of stores: see zinc\\-stores(1)\n"
    ".TP\n.B SSL_CERT_FILE\nPEM file of the certificates to trust, instead of those of the system\n"
    ".TP\n.BR http_proxy ,\\ https_proxy ,\\ all_proxy\n"
    "proxies for http, for https and for both, as in curl(1); the last two also in upper case\n"
    ".TP\n.B no_proxy\nhosts to reach without a proxy, separated by commas; * means all\n"
    ".TP\n.B XDG_CACHE_HOME\ndirectory of downloaded schemas, in zinc/schemas [~/.cache]\n";

static const char url_text[] =
    "A URL names a store (see zinc\\-stores(1)) and the path of a node in it: data.zarr/foo/bar.\n"
    "The version of Zarr is detected.\n"
    ".PP\n"
    "The root of the hierarchy is searched from the URL upwards.\n"
    "The first directory with a document is in the hierarchy; the search continues while the parent is a group.\n"
    "A document that cannot be read ends the search.\n"
    "With\n.B \\-\\-no\\-climb\nthe URL is the root.\n"
    ".PP\n"
    "A new node becomes part of the hierarchy above it; missing directories in between become groups.\n"
    "An existing directory without a document ends the search.\n"
    "Then the root is the first name below that directory that ends in .zarr, .zr3, .zr or .n5, else the URL.\n"
    "Nothing is written above the root.\n"
    ".PP\n"
    "A draft (v3\\-2019 to v3\\-2022) has one entry point, zarr.json, at the root.\n"
    "To create one without such a name, create the root first, or write dir|foo/bar.\n";

static const char progress_text[] =
    ".PP\n"
    "With \\-\\-progress=json standard error gets lines for programs, at most five a second:\n"
    "{\"done\":23,\"total\":50,\"bytes\":1610612736}.\n";

static const char select_text[] =
    ".SH SELECTIONS\n"
    "Items are separated by commas; dimensions without an item are selected whole.\n"
    ".TP\n.B 3, 10:20, ::2, \\-5:, [1,5,9], ...\n"
    "by position, as in NumPy: a number drops the dimension, a slice is clipped, a list is for its own dimension\n"
    ".TP\n.B time=3, lat=10:20\n"
    "by name, in any order; a name with odd characters stands between double quotes\n"
    ".TP\n.B time@2020\\-01\\-03\n"
    "by value of the coordinate, the array of the dimension's name in the same group or above.\n"
    "A value that one element has drops the dimension.\n"
    "A date that is coarser than the coordinate, such as 2020\\-01, means all of its period.\n"
    ".TP\n.B lat@40..50\n"
    "all values from 40 to 50, both included, whichever way the coordinate runs; one end may be left out\n"
    ".TP\n.B lon@~7.5\n"
    "the nearest value, of two equally near ones the larger\n"
    ".PP\n"
    "Items with and without names do not mix.\n"
    "Packed numbers, missing values and CF times of the coordinate are decoded first.\n"
    "A value that is not there ends with status 2; a range may select nothing.\n";

/* ---- zinc-NAME.1 ---- */

int
man_command(struct run *r, const struct command *c)
{
	struct text t = {NULL, 0, 0}, name = {NULL, 0, 0};

	text_printf(&name, "zinc-%s", c->name);
	heading(&t, name.p);
	text_free(&name);
	text_printf(&t, ".SH NAME\nzinc\\-%s \\- ", c->name);
	roff(&t, c->purpose);
	text_printf(&t, "\n.SH SYNOPSIS\n.B zinc %s\n[\\fIOPTION\\fR...] ", c->name);
	roff(&t, c->usage);
	text_puts(&t, "\n.SH EXAMPLE\n.EX\n");
	roff(&t, c->example);
	text_puts(&t, "\n.EE\n.SH DESCRIPTION\n");
	if (c->more) {
		roff(&t, c->more);
		text_puts(&t, "\n.PP\n");
	}
	text_puts(&t, url_text);
	if (*c->options) {
		text_puts(&t, ".SH OPTIONS\n");
		options(&t, c->options);
	}
	if (option_find(c, "select", strlen("select")))
		text_puts(&t, select_text);
	text_puts(&t, ".SH OPTIONS OF EVERY COMMAND\n");
	options(&t, common_options);
	text_puts(&t, progress_text);
	text_puts(&t, exit_text);
	text_puts(&t, ".SH SEE ALSO\n.BR zinc (1)\n");
	out_text(&r->out, &t);
	return DONE;
}

/* ---- zinc.1 ---- */

int
man_all(struct run *r)
{
	const struct command *c;
	const char *name, *purpose;
	int i;
	struct text t = {NULL, 0, 0};

	heading(&t, "zinc");
	text_puts(&t, ".SH NAME\nzinc \\- create, read, write, convert and check Zarr arrays\n");
	text_puts(&t, ".SH SYNOPSIS\n.B zinc\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIURL\\fR...]\n");
	text_puts(&t, ".SH DESCRIPTION\n");
	text_puts(&t, url_text);
	text_puts(
	    &t,
	    ".PP\nEach command has its own page.\n.B \\-\\-help\nprints a short text that begins with an example.\n");
	text_puts(&t, ".SH COMMANDS\n");
	for (c = command_table; c->name; c++) {
		text_printf(&t, ".TP\n.B zinc %s ", c->name);
		roff(&t, c->usage);
		text_puts(&t, "\n");
		roff(&t, c->purpose);
		text_puts(&t, "\n");
	}
	text_puts(&t, ".SH TASKS\nEach of these prints the commands that do it.\n");
	for (i = 0; (name = task_name(i, &purpose)); i++) {
		text_printf(&t, ".TP\n.B zinc help %s\n", name);
		roff(&t, purpose);
		text_puts(&t, "\n");
	}
	text_puts(&t, ".SH OPTIONS OF EVERY COMMAND\n");
	options(&t, common_options);
	text_puts(&t, progress_text);
	text_puts(&t, select_text);
	text_puts(&t, exit_text);
	text_puts(&t, ".SH SEE ALSO\n");
	for (c = command_table; c->name; c++)
		text_printf(&t, ".BR zinc\\-%s (1)%s\n", c->name, c[1].name ? "," : "");
	out_text(&r->out, &t);
	return DONE;
}
