/*
 * face_v3_node.c - nodes of the source, kept for some seconds
 *
 * A path of the face is a node of the source, or a field below an array of records.  Promises
 * (tests/unit/test_face_v3.c names each by its number):
 *
 * (1) What is kept is at most 2 s old, 10 s where the source is remote, also the absence of a node.
 * (2) It is bounded: KEEP_NODES, and KEEP_BYTES of documents.
 * (3) A node with a problem is that problem, never missing; failures of the store are not kept.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "face_v3.h"

#define KEEP_NODES 512
#define KEEP_BYTES (64u << 20)

struct nodes {
	pthread_mutex_t lock;
	struct node *first; /* the newest */
	size_t n;
	uint64_t nbytes;
	double age;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- one node ---- */

void
node_unref(struct node *n)
{
	if (!n || __atomic_sub_fetch(&n->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	free(n->path);
	free(n->problem);
	free(n->attributes);
	zinc_array_close(n->array);
	recipes_free(&n->recipes);
	blob_unref(n->document);
	free(n);
}

static struct node *
node_new(const char *path)
{
	struct node *n = calloc(1, sizeof *n);

	if (!n)
		return NULL;
	n->refs = 1;
	n->made = now();
	n->path = strdup(path);
	if (n->path)
		return n;
	node_unref(n);
	return NULL;
}

struct load {
	struct face *f;
	struct node *node;
	const zinc_call_options *call;
	zinc_error *err;
	zinc_status st;
};

/* Why a node cannot be served, as an answer that is kept. */
static zinc_status
set_problem(struct node *n, const zinc_error *why, zinc_error *err)
{
	n->problem = malloc(sizeof *n->problem);
	if (!n->problem)
		return face_nomem(err);
	*n->problem = *why;
	return ZINC_OK;
}

static zinc_status
load_array(struct load *x, const zinc_array_info *info)
{
	struct node *n = x->node;
	struct described d = {NULL, 0, 0, NULL, NULL};
	zinc_error why = ZINC_ERROR_INIT;
	zinc_blob json = ZINC_BLOB_INIT;
	zinc_status st = zinc_array_info_open(&n->array, info, x->call, x->err);
	size_t i;

	if (st == ZINC_OK)
		st = zinc_array_describe(n->array, &json, x->err);
	if (st != ZINC_OK)
		return st;
	hash_add(n->described, json.data, strlen(json.data));
	d = (struct described){json.data, zinc_array_element_size(n->array), zinc_array_variable(n->array),
			       zinc_array_unsupported(n->array), zinc_array_fill(n->array)};
	st = recipes_of(&n->recipes, x->f->twins, &d, &why);
	zinc_blob_fini(&json);
	if (st == ZINC_E_NOMEM) {
		if (x->err)
			*x->err = why;
		return st;
	}
	for (i = 0; i < n->recipes.n; i++)
		n->nbytes += strlen(n->recipes.r[i].document);
	return st == ZINC_OK ? ZINC_OK : set_problem(n, &why, x->err);
}

static int
load_node(void *arg, const zinc_node *node)
{
	struct load *x = arg;
	zinc_error why = ZINC_ERROR_INIT;

	if (node->hidden)
		return 1;
	x->node->kind = node->kind;
	if (node->problem) {
		face_fail(&why, node->problem_code ? node->problem_code : ZINC_E_CORRUPT, "%s", node->problem);
		x->st = set_problem(x->node, &why, x->err);
	} else if (node->kind == ZINC_NODE_ARRAY && node->array) {
		x->st = load_array(x, node->array);
	} else if (node->kind == ZINC_NODE_GROUP) {
		x->node->attributes = strdup(node->attributes);
		x->node->nbytes = strlen(node->attributes);
		x->st = x->node->attributes ? ZINC_OK : face_nomem(x->err);
	}
	return 1;
}

/* Is it the state of the store, which is kept, or a failure of this call? */
static bool
is_lasting(zinc_status st)
{
	return st == ZINC_E_CORRUPT || st == ZINC_E_CHECKSUM || st == ZINC_E_UNSUPPORTED || st == ZINC_E_LIMIT;
}

static zinc_status
load(struct face *f, const char *path, struct node **out, const zinc_call_options *call, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	struct load x = {f, node_new(path), call, &why, ZINC_OK};
	zinc_status st;

	if (!x.node)
		return face_nomem(err);
	st = zinc_node_stat(f->h, path, load_node, &x, call, &why);
	if (st == ZINC_OK || st == ZINC_E_CANCELLED)
		st = x.st != ZINC_OK ? x.st : st;
	if (st == ZINC_E_NOTFOUND || st == ZINC_E_INVALID) {
		x.node->kind = ZINC_NODE_NONE;
		st = ZINC_OK;
	} else if (is_lasting(st)) {
		st = set_problem(x.node, &why, &why);
	}
	if (st != ZINC_OK) {
		node_unref(x.node);
		if (err)
			*err = why;
		return st;
	}
	*out = x.node;
	return ZINC_OK;
}

/* ---- all of them ---- */

/* With the lock held: unlink, and drop the list's reference. */
static void
forget(struct nodes *x, struct node **at)
{
	struct node *n = *at;

	*at = n->next;
	x->n--;
	x->nbytes -= n->nbytes;
	n->kept = false;
	node_unref(n);
}

/* The one that is kept, to the front; what is too old goes. */
static struct node *
recall(struct nodes *x, const char *path)
{
	struct node **p = &x->first, *n;

	while (*p && strcmp((*p)->path, path) != 0)
		p = &(*p)->next;
	n = *p;
	if (!n)
		return NULL;
	if (now() - n->made > x->age) {
		forget(x, p);
		return NULL;
	}
	*p = n->next;
	n->next = x->first;
	x->first = n;
	__atomic_add_fetch(&n->refs, 1, __ATOMIC_RELAXED);
	return n;
}

/* Promise (2). */
static void
trim(struct nodes *x)
{
	struct node **p;

	while (x->n > 1 && (x->n > KEEP_NODES || x->nbytes > KEEP_BYTES)) {
		for (p = &x->first; (*p)->next;)
			p = &(*p)->next;
		forget(x, p);
	}
}

static void
remember(struct nodes *x, struct node *n)
{
	pthread_mutex_lock(&x->lock);
	__atomic_add_fetch(&n->refs, 1, __ATOMIC_RELAXED);
	n->next = x->first;
	x->first = n;
	x->n++;
	x->nbytes += n->nbytes;
	n->kept = true;
	trim(x);
	pthread_mutex_unlock(&x->lock);
}

static zinc_status
node_at(struct face *f, const char *path, struct node **out, const zinc_call_options *call, zinc_error *err)
{
	zinc_status st;

	pthread_mutex_lock(&f->nodes->lock);
	*out = recall(f->nodes, path);
	pthread_mutex_unlock(&f->nodes->lock);
	if (*out)
		return ZINC_OK;
	st = load(f, path, out, call, err);
	if (st == ZINC_OK)
		remember(f->nodes, *out);
	return st;
}

zinc_status
node_check(struct face *f, const struct node *n, const zinc_call_options *call, zinc_error *err)
{
	unsigned char now_described[HASH_BYTES] = {0};
	zinc_blob json = ZINC_BLOB_INIT;
	zinc_array *array = NULL;
	zinc_status st = zinc_array_open(&array, f->h, n->path, call, err);

	if (st == ZINC_OK)
		st = zinc_array_describe(array, &json, err);
	if (st == ZINC_OK)
		hash_add(now_described, json.data, strlen(json.data));
	zinc_blob_fini(&json);
	zinc_array_close(array);
	if (st == ZINC_E_NOTFOUND || (st == ZINC_OK && memcmp(now_described, n->described, HASH_BYTES) != 0))
		return face_fail(err, ZINC_E_CONFLICT, "the array changes while it is read");
	return st;
}

void
node_forget(struct face *f, struct node *n)
{
	pthread_mutex_lock(&f->nodes->lock);
	n->made = -f->nodes->age;
	pthread_mutex_unlock(&f->nodes->lock);
}

struct nodes *
nodes_new(double age)
{
	struct nodes *x = calloc(1, sizeof *x);

	if (!x)
		return NULL;
	x->age = age;
	pthread_mutex_init(&x->lock, NULL);
	return x;
}

void
nodes_free(struct nodes *x)
{
	if (!x)
		return;
	while (x->first)
		forget(x, &x->first);
	pthread_mutex_destroy(&x->lock);
	free(x);
}

/* ---- paths of the face ---- */

/* Which array of an array of records?  `name` is below it. */
static bool
find_field(const struct recipes *x, const char *name, size_t *out)
{
	for (*out = 0; *out < x->n; ++*out)
		if (!strcmp(x->r[*out].leaf.name, name))
			return true;
	return false;
}

static zinc_status
missing(zinc_error *err)
{
	return face_fail(err, ZINC_E_NOTFOUND, "no such node");
}

/* What the node is for the path, of which `rest` lies below the node. */
static zinc_status
choose(const struct node *n, const char *rest, size_t *recipe, zinc_error *err)
{
	*recipe = 0;
	if (n->problem) {
		if (err)
			*err = *n->problem;
		return n->problem->code;
	}
	if (n->kind == ZINC_NODE_ARRAY)
		return find_field(&n->recipes, rest, recipe) ? ZINC_OK : missing(err);
	return n->kind == ZINC_NODE_GROUP && !*rest ? ZINC_OK : missing(err);
}

/* The node at the first `n` bytes of a path below the root. */
static zinc_status
node_below(struct face *f, const char *path, size_t n, struct node **out, const zinc_call_options *call,
	   zinc_error *err)
{
	struct text t = TEXT_INIT(1u << 20);
	zinc_status st;
	char *whole;

	text_add(&t, f->root);
	text_add(&t, n || !*f->root ? "/" : "");
	text_bytes(&t, path, n);
	whole = text_take(&t);
	if (!whole)
		return face_nomem(err);
	st = node_at(f, whole, out, call, err);
	free(whole);
	return st;
}

static size_t
parent_length(const char *path, size_t n)
{
	while (n > 0 && path[n - 1] != '/')
		n--;
	return n ? n - 1 : 0;
}

/* From the path upwards: a field lies below an array, but not deep: a long path that is nowhere must not take long. */
zinc_status
node_find(struct face *f, const char *path, struct node **out, size_t *recipe, const zinc_call_options *call,
	  zinc_error *err)
{
	size_t n = strlen(path), levels;
	zinc_status st;

	for (levels = 0;; levels++) {
		st = node_below(f, path, n, out, call, err);
		if (st != ZINC_OK)
			return st;
		if ((*out)->kind != ZINC_NODE_NONE || (*out)->problem || n == 0 || levels == FACE_MAX_LEVELS)
			break;
		node_unref(*out);
		*out = NULL;
		n = parent_length(path, n);
	}
	st = choose(*out, path + n + (n > 0 && path[n] == '/'), recipe, err);
	if (st != ZINC_OK) {
		node_unref(*out);
		*out = NULL;
	}
	return st;
}

/* ---- documents ---- */

static zinc_status
group_document(struct face *f, struct node *n, struct blob **out, const zinc_call_options *call, zinc_error *err)
{
	zinc_status st;

	pthread_mutex_lock(&f->nodes->lock);
	*out = n->document ? blob_ref(n->document) : NULL;
	pthread_mutex_unlock(&f->nodes->lock);
	if (*out)
		return ZINC_OK;
	st = document_of_group(out, f, n->path, n->attributes, call, err);
	if (st != ZINC_OK)
		return st;
	pthread_mutex_lock(&f->nodes->lock);
	if (n->kept && !n->document && (*out)->nbytes < KEEP_BYTES / 8) {
		n->document = blob_ref(*out);
		n->nbytes += (*out)->nbytes;
		f->nodes->nbytes += (*out)->nbytes;
		trim(f->nodes);
	}
	pthread_mutex_unlock(&f->nodes->lock);
	return ZINC_OK;
}

zinc_status
node_document(struct face *f, struct node *n, size_t recipe, struct blob **out, const zinc_call_options *call,
	      zinc_error *err)
{
	char *text;

	if (n->kind == ZINC_NODE_GROUP)
		return group_document(f, n, out, call, err);
	if (n->recipes.r[recipe].leaf.group)
		return document_of_record(out, &n->recipes, recipe, err);
	text = strdup(n->recipes.r[recipe].document);
	*out = blob_of_text(text);
	return *out ? ZINC_OK : face_nomem(err);
}
