/*
 * comma.c - checks in a process whose locale has a decimal comma
 *
 * Few machines have such a locale installed.  localedef is part of glibc and can make one, given a source and a
 * character map; both are written here, so that no package with sources of locales is needed.
 */
#include "support/comma.h"

#include <locale.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "support/files.h"
#include "support/test.h"

bool
same_text(const char *got, const char *want)
{
	if (strcmp(got, want) == 0)
		return true;
	print_error("\"%s\" instead of \"%s\"\n", got, want);
	return false;
}

static void
write_source(void)
{
	write_file("comma.source",
		   "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n");
}

static void
write_ascii(void)
{
	char text[8192];
	int i, n = snprintf(text, sizeof text, "<code_set_name> ASCII\n<escape_char> /\nCHARMAP\n");

	for (i = 0; i < 128; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "<U%04X> /x%02x\n", (unsigned)i, (unsigned)i);
	snprintf(text + n, sizeof text - (size_t)n, "END CHARMAP\n");
	write_file("ascii", text);
}

/* An emulated program runs the host's localedef, so the byte order must be given. */
#define LOCALEDEF(order) "localedef -c -i ./comma.source -f ./ascii " order " ./comma >/dev/null 2>&1"

/* In the working directory, which is an empty one.  The status of localedef is not checked: it warns of the categories
 * that the source does not have. */
static locale_t
make_locale(void)
{
	write_source();
	write_ascii();
	(void)!system(ZINC_HOST_BIG ? LOCALEDEF("--big-endian") : LOCALEDEF("--little-endian"));
	(void)!setenv("LOCPATH", ".", 1);
	return newlocale(LC_NUMERIC_MASK, "comma", (locale_t)0);
}

static locale_t
find_locale(void)
{
	static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ru_RU.UTF-8", "ps_AF.UTF-8"};
	locale_t l = (locale_t)0;
	size_t i;

	for (i = 0; i < COUNT(names) && !l; i++)
		l = newlocale(LC_NUMERIC_MASK, names[i], (locale_t)0);
	return l ? l : make_locale();
}

/* In the child, where an assert would continue with the tests of its parent.  The file "done" says that it checked. */
static bool
run(bool (*check)(void))
{
	const locale_t l = find_locale();
	char text[16];

	if (l)
		uselocale(l);
	snprintf(text, sizeof text, "%.1f", 1.5);
	if (strcmp(text, "1,5") != 0)
		return true;
	write_file("done", "");
	return check();
}

void
with_decimal_comma(bool (*check)(void))
{
	char dir[] = "comma-XXXXXX", path[32];
	bool checked;
	int status;
	pid_t pid;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/done", dir);
	pid = fork();
	if (pid == 0)
		leave_child(chdir(dir) == 0 && run(check) ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	checked = exists(path);
	remove_tree(dir);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	if (checked)
		return;
	print_message("skipped: no locale has a decimal comma, and localedef does not make one\n");
	skip();
}
