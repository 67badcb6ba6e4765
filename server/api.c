/*
 * api.c - answers of the command, as JSON and other formats
 *
 *     api/slice?path=t2m&s=0&as=npy    ->    zinc cat --url-from=... --node=t2m --select=0 --as=npy
 *
 * A row for each name says which command answers and which option a parameter becomes.  Promises
 * (tests/unit/test_server_api.c names each by its number):
 *
 * (1) A parameter that a row does not have, one that is there twice, and one that is malformed are 400, naming it.
 * (2) A value never becomes another option: it is part of one argument, "--select=VALUE".
 * (3) The status follows from how the command ended: docs/serve.md has the table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"

#define ANSWER    ((uint64_t)1 << 30)   /* bytes */
#define MEMORY    ((uint64_t)256 << 20) /* bytes */
#define WORK      120.0                 /* seconds */
#define ARGUMENTS 24                    /* of a command, beside those of the caller */

/* ---- the table ---- */

enum taken {
	TAKEN_PATH,  /* a node */
	TAKEN_VALUE, /* --option=VALUE */
	TAKEN_FLAG,  /* --option if it is 1 */
	TAKEN_AS,    /* the form of a slice, which decides about the command, too */
	TAKEN_JOB
};

struct parameter {
	const char *name;
	enum taken taken;
	const char *option; /* TAKEN_FLAG: "--option"; TAKEN_VALUE: "--option=" */
	const char *value;  /* the only value of TAKEN_VALUE; NULL: any */
};

struct row {
	const char *name;
	const char *command;
	const char *always; /* an option */
	struct parameter parameters[14];
};

#define PATH                                                                                                           \
	{                                                                                                              \
		"path", TAKEN_PATH, NULL, NULL                                                                         \
	}
#define SELECT                                                                                                         \
	{                                                                                                              \
		"s", TAKEN_VALUE, "--select=", NULL                                                                    \
	}
#define CF                                                                                                             \
	{                                                                                                              \
		"cf", TAKEN_FLAG, "--cf", NULL                                                                         \
	}
#define VALUE(name)                                                                                                    \
	{                                                                                                              \
#name, TAKEN_VALUE, "--" #name "=", NULL                                                               \
	}

static const struct row rows[] = {
    {"tree",
     "tree",
     "--json",
     {PATH, VALUE(depth), {"sizes", TAKEN_FLAG, "--sizes", NULL}, {"attrs", TAKEN_FLAG, "--attrs", NULL}}},
    {"info", "info", "--json", {PATH, {"stored", TAKEN_FLAG, "--stored", NULL}}},
    {"slice",
     "cat",
     NULL,
     {PATH,
      SELECT,
      CF,
      {"as", TAKEN_AS, "--as=", NULL},
      {"full", TAKEN_FLAG, "--full", NULL},
      {"index", TAKEN_FLAG, "--index", NULL}}},
    {"slice.png",
     "plot",
     "--png=-",
     {PATH,
      SELECT,
      CF,
      {"as", TAKEN_AS, NULL, NULL},
      VALUE(kind),
      VALUE(cmap),
      VALUE(range),
      VALUE(width),
      VALUE(height),
      {"exact", TAKEN_FLAG, "--exact", NULL},
      {"damaged", TAKEN_VALUE, "--skip-damaged", "mark"}}},
    {"plot",
     "plot",
     "--json",
     {PATH,
      SELECT,
      CF,
      VALUE(kind),
      VALUE(cmap),
      VALUE(range),
      VALUE(width),
      VALUE(height),
      {"exact", TAKEN_FLAG, "--exact", NULL},
      VALUE(cells),
      {"damaged", TAKEN_VALUE, "--skip-damaged", "mark"}}},
    {"stats", "stats", "--json", {PATH, SELECT, CF}},
    {"chunks", "chunks", "--json", {PATH, SELECT}},
    {"explain", "explain", "--json", {PATH, SELECT}},
    {"validate", "validate", "--json", {PATH, {"fast", TAKEN_FLAG, "--fast", NULL}, {"job", TAKEN_JOB, NULL, NULL}}},
    {"conventions", "conventions", "--json", {PATH, {"recursive", TAKEN_FLAG, "--recursive", NULL}}},
    {"du", "du", "--json", {PATH, VALUE(depth)}},
};

/* Forms of a slice. */
static const struct form {
	const char *name;
	const char *type;
	const char *ending; /* of the file that it is saved as; NULL: it is shown */
} forms[] = {
    {"json", "application/json", NULL},          {"npy", "application/octet-stream", ".npy"},
    {"csv", "text/csv; charset=utf-8", ".csv"},  {"raw", "application/octet-stream", ".bin"},
    {"text", "text/plain; charset=utf-8", NULL}, {"png", "image/png", NULL},
};

static const struct row *
find_row(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

static const struct form *
find_form(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	return NULL;
}

/* ---- a request becomes a command ---- */

struct call {
	struct api *api;
	const struct row *row;
	struct answer *answer;
	const struct form *form;
	bool as;    /* the form is given */
	char *node; /* relative to the served one */
	char *job;
	char **argv; /* NULL-ended; each for free() */
	size_t argc, room;
	unsigned seen; /* parameters, by their bits */
	struct job *running;
};

/* False: no memory, which is answered. */
static bool
add(struct call *c, const char *option, const char *value)
{
	char *s = NULL;

	if (c->argc + 1 < c->room && asprintf(&s, "%s%s", option, value) >= 0) {
		c->argv[c->argc++] = s;
		return true;
	}
	answer_text(c->answer, 503, "out of memory\n");
	return false;
}

static bool
refuse(struct call *c, const char *name, const char *value, const char *wanted)
{
	answer_text(c->answer, 400, "%s=%.200s: %s\n", name, value, wanted);
	return false;
}

/* "/a/b/" -> "a/b" */
static char *
trim(const char *path)
{
	size_t n;

	path += *path == '/';
	n = strlen(path);
	n -= n > 0 && path[n - 1] == '/';
	return strndup(path, n);
}

static bool
take_path(struct call *c, const char *value)
{
	const char *below = c->api->below;
	char *node = trim(value), *whole = NULL;
	bool ok = node && asprintf(&whole, "%s%s%s", below, *below && *node ? "/" : "", node) >= 0;

	c->node = node;
	if (ok && *whole)
		ok = add(c, "--node=", whole);
	else if (!ok)
		answer_text(c->answer, 503, "out of memory\n");
	free(whole);
	return ok;
}

static bool
take_flag(struct call *c, const struct parameter *p, const char *value)
{
	if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
		return refuse(c, p->name, value, "must be 0 or 1");
	return *value == '0' || add(c, p->option, "");
}

static bool
take_value(struct call *c, const struct parameter *p, const char *value)
{
	if (p->value && strcmp(p->value, value) != 0) {
		answer_text(c->answer, 400, "%s=%.200s: must be %s\n", p->name, value, p->value);
		return false;
	}
	return add(c, p->option, p->value ? "" : value);
}

static bool
take_job(struct call *c, const char *value)
{
	if (!job_name_ok(value))
		return refuse(c, "job", value, "must be 1 to 32 letters, digits and '-'");
	c->job = strdup(value);
	if (!c->job)
		answer_text(c->answer, 503, "out of memory\n");
	return c->job != NULL;
}

static bool
take(struct call *c, const struct parameter *p, const char *value)
{
	switch (p->taken) {
	case TAKEN_PATH:
		return take_path(c, value);
	case TAKEN_FLAG:
		return take_flag(c, p, value);
	case TAKEN_VALUE:
		return take_value(c, p, value);
	case TAKEN_JOB:
		return take_job(c, value);
	case TAKEN_AS:
		c->as = true;
		return !p->option || add(c, p->option, value);
	}
	return false;
}

/* The parameter of this name, which is there for the first time; NULL: it is not, which is answered. */
static const struct parameter *
know_parameter(struct call *c, const char *name)
{
	unsigned bit = 1;
	const struct parameter *p;

	for (p = c->row->parameters; p->name && strcmp(p->name, name) != 0; p++)
		bit <<= 1;
	if (p->name && !(c->seen & bit)) {
		c->seen |= bit;
		return p;
	}
	if (p->name)
		answer_text(c->answer, 400, "the parameter \"%s\" is there twice\n", name);
	else
		answer_text(c->answer, 400, "api/%.*s has no parameter \"%.100s\"\n", (int)strcspn(c->row->name, "."),
			    c->row->name, name);
	return NULL;
}

/* A query_fn. */
static bool
take_member(void *arg, const char *name, const char *value)
{
	struct call *c = arg;
	const struct parameter *p = know_parameter(c, name);

	return p && take(c, p, value);
}

/* The node itself, when no parameter names one. */
static bool
add_node(struct call *c)
{
	return c->node || take_path(c, "");
}

static bool
add_arguments(struct call *c, const char *query)
{
	struct api *api = c->api;
	char number[40];
	size_t i;

	c->room = ARGUMENTS + api->narguments;
	c->argv = calloc(c->room, sizeof *c->argv);
	c->room = c->argv ? c->room : 0;
	if (!add(c, api->command, "") || !add(c, c->row->command, "") || !add(c, "--url-from=", URL_VARIABLE))
		return false;
	snprintf(number, sizeof number, "%.3f", api->seconds);
	if (!add(c, "--timeout=", number))
		return false;
	snprintf(number, sizeof number, "%llu", (unsigned long long)api->memory);
	if (!add(c, "--max-memory=", number) || (c->row->always && !add(c, c->row->always, "")))
		return false;
	for (i = 0; i < api->narguments; i++)
		if (!add(c, api->arguments[i], ""))
			return false;
	if (!query_each(query, take_member, c)) {
		if (!c->answer->status)
			answer_text(c->answer, 400, "the query is malformed\n");
		return false;
	}
	if (c->form && !c->as && !add(c, "--as=json", ""))
		return false;
	return add_node(c) && add(c, c->job ? "--progress=json" : "--progress=never", "");
}

/* ---- what the command said becomes an answer ---- */

/* The body: a file, counted until the client has it. */
struct body {
	struct children *children;
	uint64_t nbytes;
	char name[128]; /* to save it as */
};

static void
release_body(void *held)
{
	struct body *b = held;

	children_release(b->children, b->nbytes);
	free(b);
}

/* "a/t2m" -> "t2m.npy" */
static void
name_file(struct body *b, const char *node, const char *ending)
{
	const char *name = strrchr(node, '/');
	size_t i;

	name = name ? name + 1 : *node ? node : "data";
	snprintf(b->name, sizeof b->name - 8, "%s", name);
	for (i = 0; b->name[i]; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", b->name[i]))
			b->name[i] = '_';
	if (b->name[0] == '.')
		b->name[0] = '_';
	snprintf(b->name + i, sizeof b->name - i, "%s", ending);
}

static void
give_body(struct call *c, struct ran *r)
{
	struct body *b = calloc(1, sizeof *b);
	struct answer *a = c->answer;

	if (!b) {
		answer_text(a, 503, "out of memory\n");
		return;
	}
	*b = (struct body){.children = &c->api->children, .nbytes = r->nbytes};
	if (c->form && c->form->ending) {
		name_file(b, c->node, c->form->ending);
		a->name = b->name;
	}
	a->status = 200;
	a->type = c->form ? c->form->type : "application/json";
	a->caching = "no-store";
	a->fd = r->fd;
	a->nbytes = r->nbytes;
	a->release = release_body;
	a->held = b;
	memcpy(a->note, r->message, sizeof a->note - 1);
	r->fd = -1;
	r->nbytes = 0;
}

static bool
wants_array(const struct row *row)
{
	static const char *const commands[] = {"cat", "plot", "chunks", "explain"};
	size_t i;

	for (i = 0; i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(row->command, commands[i]))
			return true;
	return false;
}

/* The command says 3 for what is missing, for a group where an array is needed, and for what cannot be read. */
static int
status_of_trouble(const struct call *c)
{
	char *path = api_node(c->api, c->node);
	zinc_node_kind kind;
	int status = 500;

	if (path && zinc_node_exists(c->api->h, path, &kind, NULL, NULL) == ZINC_OK) {
		if (kind == ZINC_NODE_NONE)
			status = 404;
		else if (kind == ZINC_NODE_GROUP && wants_array(c->row))
			status = 400;
	}
	free(path);
	return status;
}

static void
give_status(struct call *c, const struct ran *r)
{
	static const struct {
		int exit, status;
	} table[] = {{2, 400}, {4, 501}, {130, 504}};
	int status = r->status == 3 ? status_of_trouble(c) : 500;
	size_t i;

	for (i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].exit == r->status)
			status = table[i].status;
	answer_text(c->answer, status, "%s\n", *r->message ? r->message : "the command failed");
}

/* The documents of these two are whole, and name the problem of each node, when some nodes are damaged. */
static bool
shows_problems(const struct call *c, const struct ran *r)
{
	const bool lists = !strcmp(c->row->command, "tree") || !strcmp(c->row->command, "du");

	return lists && r->nbytes > 0 && (r->status == 3 || r->status == 5);
}

static void
give(struct call *c, struct ran *r)
{
	struct answer *a = c->answer;

	switch (r->ending) {
	case ENDED:
		if (r->status == 0 || r->status == 1 || shows_problems(c, r))
			give_body(c, r);
		else
			give_status(c, r);
		break;
	case ENDED_STOP:
		answer_text(a, 503, "the server stops\n");
		break;
	case ENDED_GONE:
		answer_text(a, 503, "the client has gone\n");
		break;
	case ENDED_LATE:
		answer_text(a, 504, "the time limit is reached\n");
		break;
	case ENDED_LARGE:
		answer_text(a, 413, "the answer has more than %llu bytes; select less\n",
			    (unsigned long long)c->api->children.answer);
		break;
	case ENDED_FULL:
		answer_text(a, 503, "too many large answers are under way; try again later\n");
		break;
	case ENDED_SIGNAL:
		answer_text(a, 500, "the command ended with signal %d\n", r->status);
		break;
	case ENDED_NEVER:
		answer_text(a, 503, "the command could not be started: %s\n", strerror(r->status));
		break;
	}
}

/* A child_line_fn. */
static bool
hear(void *arg, const char *line)
{
	struct call *c = arg;

	return job_tell(&c->api->jobs, c->running, line);
}

static void
run(struct call *c, const struct request *q)
{
	struct ran *r = malloc(sizeof *r);

	if (c->job)
		c->running = job_begin(&c->api->jobs, c->job);
	if (c->job && !c->running) {
		answer_text(c->answer, 503, "job %s is running already, or too many are\n", c->job);
	} else if (!r) {
		answer_text(c->answer, 503, "out of memory\n");
	} else {
		child_run(&c->api->children, c->argv, q, hear, c, r);
		give(c, r);
		if (r->fd >= 0)
			close(r->fd);
		children_release(&c->api->children, r->nbytes);
	}
	job_end(&c->api->jobs, c->running);
	free(r);
}

static void
answer_progress(struct api *api, const struct request *q, struct answer *a)
{
	char *name = query_value(q->query, "job"), *text = NULL;
	struct job job = {.running = false};
	bool known = name && job_find(&api->jobs, name, &job);

	if (!name || !job_name_ok(name))
		answer_text(a, 400, "job: 1 to 32 letters, digits and '-' are needed\n");
	else if (asprintf(&text, "{\"done\":%llu,\"total\":%llu,\"bytes\":%llu,\"running\":%s,\"known\":%s}\n",
			  (unsigned long long)job.done, (unsigned long long)job.total, (unsigned long long)job.bytes,
			  job.running ? "true" : "false", known ? "true" : "false") < 0)
		answer_text(a, 503, "out of memory\n");
	else {
		a->status = 200;
		a->caching = "no-store";
		answer_bytes(a, "application/json", text, strlen(text), free, text);
	}
	free(name);
}

/* ---- requests ---- */

/* What the server answers itself has no row, but the same rules. */
static const struct row own_rows[] = {
    {"about", NULL, NULL, {{NULL, TAKEN_PATH, NULL, NULL}}},
    {"changed", NULL, NULL, {PATH, SELECT}},
    {"progress", NULL, NULL, {{"job", TAKEN_JOB, NULL, NULL}}},
};

static void (*const own_answers[])(struct api *api, const struct request *q,
				   struct answer *a) = {answer_about, answer_changed, answer_progress};

/* A query_fn. */
static bool
know_member(void *arg, const char *name, const char *value)
{
	struct call *c = arg;

	(void)value;
	return know_parameter(c, name) != NULL;
}

/* False: it is a command that answers. */
static bool
answer_itself(struct api *api, const char *name, const struct request *q, struct answer *a)
{
	struct call c = {.api = api, .answer = a};
	size_t i;

	for (i = 0; i < sizeof own_rows / sizeof *own_rows; i++) {
		if (strcmp(own_rows[i].name, name) != 0)
			continue;
		c.row = &own_rows[i];
		if (query_each(q->query, know_member, &c))
			own_answers[i](api, q, a);
		else if (!a->status)
			answer_text(a, 400, "the query is malformed\n");
		return true;
	}
	return false;
}

/* The form of a slice is needed before its row. */
static const struct row *
choose_row(struct call *c, const char *name, const char *query)
{
	char *as;

	if (strcmp(name, "slice") != 0)
		return strchr(name, '.') ? NULL : find_row(name);
	as = query_value(query, "as");
	c->form = find_form(as ? as : "json");
	if (!c->form)
		refuse(c, "as", as, "must be json, npy, csv, raw, text or png");
	free(as);
	return find_row(c->form && !strcmp(c->form->name, "png") ? "slice.png" : "slice");
}

static void
answer_command(struct api *api, const char *name, const struct request *q, struct answer *a)
{
	struct call c = {.api = api, .answer = a};

	c.row = choose_row(&c, name, q->query);
	if (!c.row)
		answer_text(a, 404, "there is no api/%.100s\n", name);
	else if (!api->command && !a->status)
		answer_text(a, 501, "the server does not know the program that answers this\n");
	else if (!a->status && add_arguments(&c, q->query))
		run(&c, q);
	while (c.argc > 0)
		free(c.argv[--c.argc]);
	free(c.argv);
	free(c.node);
	free(c.job);
}

void
api_answer(struct api *api, const char *name, const struct request *q, struct answer *a)
{
	if (!answer_itself(api, name, q, a))
		answer_command(api, name, q, a);
}

/* ---- the object ---- */

char *
api_node(const struct api *api, const char *path)
{
	char *node = trim(path), *whole = NULL;

	if (node && asprintf(&whole, "%s%s%s", strcmp(api->path, "/") ? api->path : "", *node ? "/" : "", node) < 0)
		whole = NULL;
	if (whole && !*whole) {
		free(whole);
		whole = strdup("/");
	}
	free(node);
	return whole;
}

/* The served path without that of the URL: "/a/b" without "/a" is "b". */
static const char *
below_url(const zinc_hierarchy *h, const char *path)
{
	const char *url = zinc_hierarchy_path(h);
	const size_t n = strcmp(url, "/") ? strlen(url) : 0;

	if (strncmp(path, url, n) != 0 || (path[n] && path[n] != '/'))
		return "";
	return path + n + (path[n] == '/');
}

/* False: no memory. */
static bool
copy_options(struct api *api, const zinc_server_options *options)
{
	size_t i;

	api->command = options->command ? strdup(options->command) : NULL;
	api->url = options->url ? strdup(options->url) : NULL;
	api->arguments = calloc(options->narguments + 1, sizeof *api->arguments);
	if (!api->arguments || (options->command && !api->command) || (options->url && !api->url))
		return false;
	for (i = 0; i < options->narguments; i++) {
		api->arguments[i] = strdup(options->arguments[i]);
		if (!api->arguments[i])
			return false;
		api->narguments++;
	}
	return true;
}

static bool
is_remote(const zinc_hierarchy *h)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(zinc_hierarchy_store(h), &caps);
	return caps.flags & ZINC_CAP_REMOTE;
}

zinc_status
api_new(struct api **out, zinc_hierarchy *h, const char *path, const zinc_server_options *options, zinc_error *err)
{
	struct api *api = calloc(1, sizeof *api);

	if (!api)
		return zinc_error_set(err, ZINC_E_NOMEM, "out of memory");
	api->h = h;
	api->path = strdup(path);
	api->below = strdup(below_url(h, path));
	api->remote = is_remote(h);
	api->seconds = options->work > 0 ? options->work : WORK;
	api->memory = options->memory ? options->memory : MEMORY;
	api->memory = api->memory > UINT64_MAX / 4 ? UINT64_MAX : 4 * api->memory;
	pthread_mutex_init(&api->jobs.lock, NULL);
	if (!children_init(&api->children, options, options->answer ? options->answer : ANSWER, api->seconds + GRACE) ||
	    !api->path || !api->below || !copy_options(api, options)) {
		api_free(api);
		return zinc_error_set(err, ZINC_E_NOMEM, "out of memory");
	}
	*out = api;
	return ZINC_OK;
}

void
api_free(struct api *api)
{
	if (!api)
		return;
	children_fini(&api->children); /* before that no answer of it may be used any more */
	pthread_mutex_destroy(&api->jobs.lock);
	while (api->narguments > 0)
		free(api->arguments[--api->narguments]);
	free(api->arguments);
	free(api->command);
	free(api->url);
	free(api->path);
	free(api->below);
	free(api);
}
