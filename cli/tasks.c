/*
 * tasks.c - `zinc help TASK`: the commands that do a job, for users who know the job and not the command
 *
 * Tests run every command of this table as it is printed.
 */
#include "cli.h"

#define MOST 3 /* commands of a task */

struct task {
	const char *name, *purpose;
	struct {
		const char *what, *command;
	} step[MOST];
};

static const struct task task_table[] = {
    {"look",
     "see what is in it",
     {{"all groups, arrays, dimensions and attributes", "zinc tree data.zarr --attrs"},
      {"the first values, decoded", "zinc cat data.zarr/t2m -s 'time=0' --cf"},
      {"a picture", "zinc plot data.zarr/t2m -s 'time=0'"}}},
    {"select",
     "take a part of an array",
     {{"by coordinate values: a day, a range", "zinc cat data.zarr/t2m -s 'time@2020-01-03, lat@40..50'"},
      {"by indices, into a file for NumPy", "zinc cat data.zarr/t2m -s 'time=3, lat=10:20' -o t2m.npy"}}},
    {"cut",
     "copy a part of a data set",
     {{"every variable, cut by its coordinates", "zinc cp data.zarr region.zarr -s 'lat@40..50, lon@0..20'"},
      {"one variable with its coordinates", "zinc cp data.zarr one.zarr --include t2m"}}},
    {"convert",
     "change the version of Zarr",
     {{"what would change, or be lost", "zinc cp old.zarr new.zarr --format v3 --dry-run"},
      {"convert, then read both and compare", "zinc cp old.zarr new.zarr --format v3 --verify"}}},
    {"shrink",
     "store it in fewer bytes",
     {{"which array takes how much, and its ratio", "zinc du data.zarr"},
      {"a copy with stronger compression", "zinc cp data.zarr small.zarr --codecs zstd:12 --verify"}}},
    {"rechunk",
     "make reads faster with other chunks",
     {{"what a read costs now", "zinc explain data.zarr/t2m -s 'lat=9, lon=18'"},
      {"a copy with other chunks for one array", "zinc cp data.zarr fast.zarr --chunks t2m=48,6,6"}}},
    {"check",
     "find out whether it is whole",
     {{"the metadata only", "zinc validate data.zarr --fast"},
      {"every stored object is decoded", "zinc validate data.zarr"}}},
    {"repair",
     "mend what can be mended safely",
     {{"what would be done", "zinc validate data.zarr --repair --dry-run"},
      {"do it", "zinc validate data.zarr --repair"}}},
    {"compare",
     "see whether two are the same",
     {{"values and metadata, whatever the format", "zinc diff data.zarr same.zarr"},
      {"with a tolerance", "zinc diff data.zarr same.zarr --rtol 1e-6"}}},
    {"import",
     "store a file of NumPy",
     {{"an array of its shape and type", "zinc create data.zarr/new --shape 48,18 --dtype f4"},
      {"write the elements", "zinc put data.zarr/new --from new.npy"}}},
    {"archive",
     "make one file of it",
     {{"a zip archive, read back and compared", "zinc cp data.zarr data.zip --verify"},
      {"which can be read as it is", "zinc tree data.zip"}}},
    {NULL, NULL, {{NULL, NULL}}},
};

const char *
task_name(int i, const char **purpose)
{
	*purpose = task_table[i].purpose;
	return task_table[i].name;
}

/* "see what is in it", and each command below what it does. */
static int
help_task(struct run *r, const struct task *t)
{
	int i;

	out_printf(&r->out, "%s - %s\n", t->name, t->purpose);
	for (i = 0; i < MOST && t->step[i].command; i++)
		out_printf(&r->out, "\n  # %s\n  %s\n", t->step[i].what, t->step[i].command);
	return DONE;
}

void
task_list(struct text *t)
{
	const size_t half = sizeof task_table / sizeof *task_table / 2;
	size_t i;

	for (i = 0; task_table[i].name; i++)
		text_printf(t, "%s%s", i == 0 ? "  " : i == half ? ",\n  " : ", ", task_table[i].name);
}

/* ---- a word that is neither a command nor a task ---- */

#define LONGEST 24

/* Insertions, deletions and replacements of characters that make `b` of `a`; words are cut at LONGEST. */
static int
distance(const char *a, const char *b)
{
	int row[LONGEST + 1], na = (int)strnlen(a, LONGEST), nb = (int)strnlen(b, LONGEST), i, j, corner, least;

	for (j = 0; j <= nb; j++)
		row[j] = j;
	for (i = 1; i <= na; i++) {
		corner = row[0];
		row[0] = i;
		for (j = 1; j <= nb; j++) {
			least = corner + (a[i - 1] != b[j - 1]);
			corner = row[j];
			least = least < row[j] + 1 ? least : row[j] + 1;
			row[j] = least < row[j - 1] + 1 ? least : row[j - 1] + 1;
		}
	}
	return row[nb];
}

/* Keep `name` if it is nearer to `word` than the nearest so far. */
static void
nearer(const char *word, const char *name, const char **nearest, int *least)
{
	const int d = distance(word, name);

	if (d < *least) {
		*least = d;
		*nearest = name;
	}
}

int
complain_of_word(const char *word, bool tasks)
{
	const struct command *c;
	const struct task *t;
	const char *nearest = NULL;
	int least = strlen(word) < 4 ? 2 : 3; /* a longer word may have two wrong characters */

	for (c = command_table; c->name; c++)
		nearer(word, c->name, &nearest, &least);
	for (t = task_table; tasks && t->name; t++)
		nearer(word, t->name, &nearest, &least);
	if (nearest)
		return complain(USAGE, word, "no such command%s; did you mean: %s", tasks ? " or task" : "", nearest);
	return complain(USAGE, word, "no such command%s; see: zinc --help", tasks ? " or task" : "");
}

/* ---- zinc help [WORD] ---- */

int
help_word(struct run *r, const char *word)
{
	const struct command *c = word ? command_find(word) : NULL;
	const struct task *t;

	if (!word)
		return help_all(r);
	if (c)
		return help_command(r, c);
	for (t = task_table; t->name; t++)
		if (!strcmp(t->name, word))
			return help_task(r, t);
	return complain_of_word(word, true);
}
