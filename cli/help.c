/*
 * help.c - print help from the tables of commands.c
 *
 * Help begins with an example, which is what most users need.
 */
#include "cli.h"

void
option_spell(struct text *t, const struct option *o)
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

		if (!o->help || !option_listed(list, o))
			continue;
		text_puts(&t, "  ");
		option_spell(&t, o);
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
	struct text tasks = {NULL, 0, 0};

	out_puts(&r->out, "Example: zinc cat data.zarr/t2m -s '0:24, :, 180'\n\n");
	for (c = command_table; c->name; c++)
		out_printf(&r->out, "  zinc %-11s %s\n", c->name, c->purpose);
	task_list(&tasks);
	out_printf(&r->out, "\nzinc help TASK shows the commands for one of these tasks:\n%s\n\n", text_str(&tasks));
	text_free(&tasks);
	option_lines(r, common_options);
	out_puts(&r->out, "\nThe root of the hierarchy is searched from the URL upwards. A new root is the\n"
			  "first name that ends in .zarr, .zr3, .zr or .n5, else the URL. For a draft\n"
			  "without such a name create the root first, or mark it with '|': dir|foo/bar\n");
	return DONE;
}
