/*
 * json_index.c - the members of an object by name
 *
 * An object has a list of its members in the order of the text, and an array of them sorted by the bytes of their
 * names:
 *
 *    first -> "b" -> "c" -> "a"        sorted: "a" "b" "c"
 *
 * Promises (tests/unit/test_json_index.c names each by its number):
 *
 * (1) The array is made in O(n log n) comparisons whatever the names; a hash table could not promise that for names
 *     made to collide.
 * (2) A member is found in O(log n), and two objects can be compared in parallel.
 * (3) Of members with the same name the last one of the text stays.
 */
#include "json/json_impl.h"

#define SORTED_FIRST 4u

static int
compare_names(const char *a, size_t na, const char *b, size_t nb)
{
	int c = memcmp(a, b, na < nb ? na : nb);

	return c ? c : (na > nb) - (na < nb);
}

static int
compare_members(const zinc_json *a, const zinc_json *b)
{
	return compare_names(a->key, a->nkey, b->key, b->nkey);
}

/* ---- sorting ---- */

/* Merge the sorted a[0..mid) and a[mid..n) into `to`.  Of equal names the earlier comes first, for promise 3. */
static void
merge(zinc_json **a, size_t mid, size_t n, zinc_json **to)
{
	size_t i = 0, j = mid, k;

	for (k = 0; k < n; k++)
		to[k] = j == n || (i < mid && compare_members(a[i], a[j]) <= 0) ? a[i++] : a[j++];
}

/* Merge sort, bottom up: pairs, fours, eights ...  Returns the array that has the result, `a` or `spare`.  The C
 * library's qsort is not stable, and may allocate memory. */
static zinc_json **
sort_members(zinc_json **a, zinc_json **spare, size_t n)
{
	zinc_json **swap;
	size_t width, at, left;

	for (width = 1; width < n; width *= 2) {
		for (at = 0; at < n; at += 2 * width) {
			left = n - at;
			merge(a + at, left < width ? left : width, left < 2 * width ? left : 2 * width, spare + at);
		}
		swap = a;
		a = spare;
		spare = swap;
	}
	return a;
}

/* Link the members that still have a parent again. */
static void
relink_kept(zinc_json *object)
{
	zinc_json *v = object->first, *next;

	object->first = object->last = NULL;
	object->n = 0;
	for (; v; v = next) {
		next = v->next;
		if (v->parent)
			zinc_json_link(object, v);
	}
}

/* Keep the last of each name, in the sorted a[] and in the list.  The others lose their parent first, so that the list
 * is walked once, not once per duplicate. */
static void
drop_duplicates(zinc_json *object, zinc_json **a, const char **duplicate)
{
	size_t i, n = object->n, kept = 0;

	for (i = 0; i < n; i++) {
		if (i + 1 < n && compare_members(a[i], a[i + 1]) == 0) {
			*duplicate = *duplicate ? *duplicate : a[i]->key;
			a[i]->parent = NULL;
		} else
			a[kept++] = a[i];
	}
	if (kept < n)
		relink_kept(object);
}

/* ---- the array ---- */

/* Its capacity for `n` members: the next power of two, so that it need not be stored. */
static size_t
capacity(size_t n)
{
	size_t cap = SORTED_FIRST;

	while (cap < n)
		cap *= 2;
	return cap;
}

static zinc_json **
new_sorted(zinc_json_doc *doc, size_t cap)
{
	size_t nbytes;

	if (zinc_size_mul(cap, sizeof(zinc_json *), &nbytes))
		return NULL;
	return (zinc_json **)zinc_json_alloc(doc, nbytes, _Alignof(zinc_json *));
}

zinc_status
zinc_json_index(zinc_json_doc *doc, zinc_json *object, const char **duplicate, zinc_error *err)
{
	zinc_json **a, **spare, **result, *v;
	size_t i = 0;

	*duplicate = NULL;
	if (object->n == 0)
		return ZINC_OK;
	a = new_sorted(doc, capacity(object->n));
	spare = (zinc_json **)zinc_calloc(doc->ctx, object->n, sizeof *spare);
	if (!a || !spare) {
		zinc_free(doc->ctx, spare);
		return zinc_fail_nomem(err);
	}
	for (v = object->first; v; v = v->next)
		a[i++] = v;
	result = sort_members(a, spare, object->n);
	drop_duplicates(object, result, duplicate);
	for (i = 0; i < object->n; i++)
		a[i] = result[i];
	object->sorted = a;
	zinc_free(doc->ctx, spare);
	return ZINC_OK;
}

/* Binary search; if the name is missing, *at is where to insert it. */
bool
zinc_json_find(const zinc_json *object, const char *key, size_t nkey, size_t *at)
{
	size_t lo = 0, hi = object->n, mid;
	int c;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		c = compare_names(object->sorted[mid]->key, object->sorted[mid]->nkey, key, nkey);
		if (c == 0) {
			*at = mid;
			return true;
		}
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*at = lo;
	return false;
}

/* The array is full when the number of members is a capacity.  After removals this may be reported too early, which
 * only costs a larger array. */
bool
zinc_json_index_open(zinc_json_doc *doc, zinc_json *object, size_t at)
{
	zinc_json **from = object->sorted, **to = from;
	size_t i, n = object->n;

	if (!from || capacity(n) == n) {
		to = new_sorted(doc, capacity(n + 1));
		if (!to)
			return false;
		for (i = 0; i < at; i++)
			to[i] = from[i];
	}
	for (i = n; i > at; i--)
		to[i] = from[i - 1];
	object->sorted = to;
	return true;
}

void
zinc_json_index_close(zinc_json *object, size_t at)
{
	for (; at < object->n; at++)
		object->sorted[at] = object->sorted[at + 1];
}
