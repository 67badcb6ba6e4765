/*
 * help.c - help and man page, out of table.c
 *
 * Help begins with an example, for that is what most people came for.
 */
#include "cli.h"

/* "-s, --select SEL" */
static void
spell(struct text *t, const struct option *o)
{
	if (o->letter)
		text_printf(t, "-%c, ", o->letter);
	text_printf(t, "--%.*s", option_length(o), o->name);
	if (o->value)
		text_printf(t, " %.*s", (int)strcspn(o->value, "="), o->value);
}

/* The options of a list, in the order of the table. */
static void
option_lines(struct run *r, const char *list)
{
	const struct option *o;

	for (o = option_table; o->name; o++) {
		struct text t = {NULL, 0, 0};

		if (!option_listed(list, o))
			continue;
		text_puts(&t, "  ");
		spell(&t, o);
		text_fill(&t, ' ', t.n < 24 ? 24 - t.n : 2);
		out_printf(&r->out, "%s%s\n", text_str(&t), o->help);
		text_free(&t);
	}
}

int
help_command(struct run *r, const struct command *c)
{
	out_printf(&r->out, "Example: %s\n\n", c->example);
	out_printf(&r->out, "zinc %s - %s\nUsage: zinc %s [options] %s\n\n", c->name, c->purpose, c->name, c->usage);
	option_lines(r, c->options);
	if (c->more)
		out_printf(&r->out, "\n%s\n", c->more);
	out_puts(&r->out, "\nEvery command takes -j, --format, --strict and more: see zinc --help\n");
	return DONE;
}

int
help_all(struct run *r)
{
	const struct command *c;

	out_puts(&r->out, "Example: zinc cat data.zarr/t2m -s '0:24, :, 180'\n\n");
	for (c = command_table; c->name; c++)
		out_printf(&r->out, "  zinc %-11s %s\n", c->name, c->purpose);
	out_puts(&r->out, "\n");
	option_lines(r, common_options);
	return DONE;
}

/* ---- man page (roff) ---- */

/* Text for roff: backslashes and hyphens escaped, no line that begins like a request. */
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
man_options(struct text *t, const char *list)
{
	const struct option *o;

	for (o = option_table; o->name; o++) {
		struct text line = {NULL, 0, 0};

		if (!option_listed(list, o))
			continue;
		spell(&line, o);
		text_puts(t, ".TP\n.B ");
		roff(t, text_str(&line));
		text_puts(t, "\n");
		roff(t, o->help);
		text_puts(t, "\n");
		text_free(&line);
	}
}

static void
man_command(struct text *t, const struct command *c)
{
	text_printf(t, ".SS zinc %s ", c->name);
	roff(t, c->usage);
	text_puts(t, "\n");
	roff(t, c->purpose);
	text_puts(t, ".\n.br\nExample: ");
	roff(t, c->example);
	text_puts(t, "\n");
	man_options(t, c->options);
	if (c->more) {
		text_puts(t, ".PP\n");
		roff(t, c->more);
		text_puts(t, "\n");
	}
}

static const char man_status[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\ndone\n"
    ".TP\n.B 1\na check found an error\n"
    ".TP\n.B 2\nthe command line is wrong, or a selection out of bounds\n"
    ".TP\n.B 3\nnot found, already there, or input/output failed\n"
    ".TP\n.B 4\nvalid Zarr that this build does not support\n"
    ".TP\n.B 5\ncorrupt data or metadata met on the way\n"
    ".TP\n.B 130\ninterrupted\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B NO_COLOR\nno colours when set and not empty\n"
    ".TP\n.B SSL_CERT_FILE\ncertificates (PEM) that https trusts, instead of the system's\n"
    ".TP\n.B http_proxy, https_proxy, no_proxy\nas libcurl understands them\n";

int
man_all(struct run *r)
{
	const struct command *c;
	struct text t = {NULL, 0, 0};

	text_printf(&t, ".TH ZINC 1 \"\" \"zinc %s\" \"User Commands\"\n", zinc_version());
	text_puts(&t, ".SH NAME\nzinc \\- create, read, write and check Zarr arrays\n");
	text_puts(&t, ".SH SYNOPSIS\n.B zinc\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIURL\\fR...]\n");
	text_puts(&t, ".SH DESCRIPTION\nA URL is anything that a store opens (see zinc stores), with the path of "
		      "the node behind it: data.zarr/foo/bar.\nThe version of Zarr is detected.\n");
	text_puts(&t, ".SH OPTIONS OF EVERY COMMAND\n");
	man_options(&t, common_options);
	text_puts(&t, ".SH COMMANDS\n");
	for (c = command_table; c->name; c++)
		man_command(&t, c);
	text_puts(&t, man_status);
	out_text(&r->out, &t);
	return DONE;
}
