/*
 * codec_config.c - shared by the codecs: objects, configurations, decoded sizes
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "codec/codec_parts.h"

zinc_status
zinc_codec_new(zinc_codec **out, const zinc_codec_ops *ops, zinc_context *ctx, size_t nbytes, zinc_error *err)
{
	zinc_codec *c = (zinc_codec *)zinc_calloc(ctx, 1, nbytes);

	if (!c)
		return zinc_fail_nomem(err);
	c->ops = ops;
	c->ctx = ctx;
	*out = c;
	return ZINC_OK;
}

void
zinc_codec_free(zinc_codec *c)
{
	if (c && c->ops->free)
		c->ops->free(c);
	else if (c)
		zinc_free(c->ctx, c);
}

/*
 * ---- configurations ----
 *
 * The report points at the configuration (or, without one, at the codec).  A missing member is reported there, a wrong
 * one at the member itself.  A codec without configuration has all members missing.
 */

const zinc_member zinc_no_members[] = {{.name = NULL}};

static int64_t *
value_of(const zinc_member *m, const void *object)
{
	return (int64_t *)(void *)((uint8_t *)(uintptr_t)object + m->at);
}

static bool
is_among(const zinc_member *m, const char *name)
{
	for (; m->name; m++)
		if (strcmp(m->name, name) == 0)
			return true;
	return false;
}

/* The first member of `configuration` from `m` on that is not in the table; NULL: none.  A name that contains a NUL is
 * never in the table. */
static const zinc_json *
find_unknown(const zinc_member *members, const zinc_json *m)
{
	for (; m; m = m->next)
		if (strlen(m->key) != m->nkey || !is_among(members, m->key))
			return m;
	return NULL;
}

zinc_status
zinc_members_check(const zinc_member *members, const char *rule, const zinc_json *configuration, zinc_report *r,
		   zinc_error *err)
{
	const zinc_json *m = find_unknown(members, configuration ? configuration->first : NULL);

	for (; m; m = find_unknown(members, m->next)) {
		const size_t mark = zinc_report_enter(r, m->key);
		const zinc_status st =
		    zinc_report_lenient(r, rule, err, "unknown member \"%.60s\" of a configuration", m->key);

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

zinc_status
zinc_members_only(const zinc_member *members, const char *rule, const zinc_json *configuration, zinc_report *r,
		  zinc_error *err)
{
	const zinc_json *m = find_unknown(members, configuration ? configuration->first : NULL);
	zinc_status st;
	size_t mark;

	if (!m)
		return ZINC_OK;
	mark = zinc_report_enter(r, m->key);
	st = zinc_report_error(r, rule, err, "unknown member \"%.60s\" of a configuration", m->key);
	zinc_report_leave(r, mark);
	return st;
}

static zinc_status
read_choice(const zinc_member *m, const zinc_json *v, const char *rule, int64_t *out, zinc_report *r, zinc_error *err)
{
	int i;

	for (i = 0; m->choices[i]; i++)
		if (zinc_json_is_string(v, m->choices[i])) {
			*out = i;
			return ZINC_OK;
		}
	if (zinc_json_is(v, ZINC_JSON_STRING))
		return zinc_report_error(r, rule, err, "\"%s\" cannot be \"%.60s\"", m->name, v->text);
	return zinc_report_error(r, rule, err, "\"%s\" must be a string", m->name);
}

static zinc_status
read_value(const zinc_member *m, const zinc_json *v, const char *rule, int64_t *out, zinc_report *r, zinc_error *err)
{
	bool flag;

	switch (m->type) {
	case ZINC_MEMBER_INT:
		if (zinc_json_i64(v, out) && *out >= m->min && *out <= m->max)
			return ZINC_OK;
		return zinc_report_error(r, rule, err, "\"%s\" must be an integer from %" PRId64 " to %" PRId64,
					 m->name, m->min, m->max);
	case ZINC_MEMBER_BOOL:
		if (!zinc_json_bool(v, &flag))
			return zinc_report_error(r, rule, err, "\"%s\" must be true or false", m->name);
		*out = flag;
		return ZINC_OK;
	default:
		return read_choice(m, v, rule, out, r, err);
	}
}

zinc_status
zinc_member_parse(const zinc_member *m, const char *rule, const zinc_json *configuration, int64_t *out, zinc_report *r,
		  zinc_error *err)
{
	const zinc_json *v = zinc_json_member(configuration, m->name);
	zinc_status st;
	size_t mark;

	*out = m->fallback;
	if (!v && m->required)
		return zinc_report_error(r, rule, err, "\"%s\" is missing from the configuration", m->name);
	if (!v || (m->nullable && v->type == ZINC_JSON_NULL))
		return ZINC_OK;
	mark = zinc_report_enter(r, m->name);
	st = read_value(m, v, rule, out, r, err);
	zinc_report_leave(r, mark);
	return st;
}

zinc_status
zinc_members_parse(const zinc_member *members, const char *rule, const zinc_json *configuration, void *object,
		   zinc_report *r, zinc_error *err)
{
	const zinc_member *m;

	ZINC_TRY(zinc_members_check(members, rule, configuration, r, err));
	for (m = members; m->name; m++)
		if (m->type != ZINC_MEMBER_OWN)
			ZINC_TRY(
			    zinc_member_parse(m, m->rule ? m->rule : rule, configuration, value_of(m, object), r, err));
	return ZINC_OK;
}

zinc_status
zinc_codec_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
		 const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	const size_t nbytes = ops->nbytes ? ops->nbytes : sizeof(zinc_codec);
	zinc_codec *c = NULL;
	zinc_status st;

	if (ops->parse)
		return ops->parse(codec, ops, ctx, configuration, in, out, r, err);
	ZINC_TRY(zinc_codec_new(&c, ops->made ? ops->made : ops, ctx, nbytes, err));
	st = zinc_members_parse(ops->members, ops->rule ? ops->rule : ops->v2, configuration, c, r, err);
	if (st == ZINC_OK && ops->lacks)
		st = zinc_report_unsupported(r, "M20", err, "%s: built without %s", ops->v2, ops->lacks);
	if (st == ZINC_OK && ops->check)
		st = ops->check(c, configuration, in, out, r, err);
	if (st == ZINC_OK)
		*codec = c;
	else
		zinc_codec_free(c);
	return st;
}

static zinc_json *
make_value(const zinc_member *m, int64_t v, zinc_json_doc *doc)
{
	if (m->type == ZINC_MEMBER_CHOICE)
		return zinc_json_make_string(doc, m->choices[v]);
	if (m->type == ZINC_MEMBER_BOOL)
		return zinc_json_make(doc, v ? ZINC_JSON_TRUE : ZINC_JSON_FALSE);
	return zinc_json_make_i64(doc, v);
}

zinc_status
zinc_members_print(const zinc_member *members, const void *object, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	zinc_json *o = *out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	const zinc_member *m;

	if (!o)
		return zinc_fail_nomem(err);
	for (m = members; m->name; m++) {
		const bool own = m->type == ZINC_MEMBER_OWN;
		const bool fallback = own || *value_of(m, object) == m->fallback;

		if (m->print == ZINC_PRINT_NULL && fallback)
			ZINC_TRY(zinc_json_set(doc, o, m->name, zinc_json_make(doc, ZINC_JSON_NULL), err));
		else if (!own && m->print != ZINC_PRINT_NEVER && !(m->print == ZINC_PRINT_CHANGED && fallback))
			ZINC_TRY(zinc_json_set(doc, o, m->name, make_value(m, *value_of(m, object), doc), err));
	}
	return ZINC_OK;
}

zinc_status
zinc_codec_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	*out = NULL;
	if (c->ops->print)
		return c->ops->print(c, doc, out, err);
	if (!c->ops->members)
		return ZINC_OK;
	ZINC_TRY(zinc_members_print(c->ops->members, c, doc, out, err));
	if (!(*out)->first && !c->ops->prints_empty)
		*out = NULL;
	return ZINC_OK;
}

/* ---- lists and words ---- */

static zinc_status
parse_u64s(const zinc_json *v, int n, uint64_t min, const char *rule, uint64_t *out, zinc_report *r, zinc_error *err)
{
	const zinc_json *item;
	int i = 0;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(r, rule, err, "must be an array of integers");
	if (v->n != (size_t)n)
		return zinc_report_error(r, rule, err, "%zu integers for %d dimensions", v->n, n);
	for (item = v->first; item; item = item->next, i++)
		if (!zinc_json_u64(item, &out[i]) || out[i] < min) {
			size_t mark = zinc_report_enter_item(r, (size_t)i);
			zinc_status st =
			    zinc_report_error(r, rule, err, "must be an integer of at least %" PRIu64, min);

			zinc_report_leave(r, mark);
			return st;
		}
	return ZINC_OK;
}

zinc_status
zinc_config_u64s(const zinc_json *configuration, const char *member, int n, uint64_t min, const char *rule,
		 uint64_t *out, zinc_report *r, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(configuration, member);
	zinc_status st;
	size_t mark;

	if (!v)
		return zinc_report_error(r, rule, err, "\"%s\" is missing from the configuration", member);
	mark = zinc_report_enter(r, member);
	st = parse_u64s(v, n, min, rule, out, r, err);
	zinc_report_leave(r, mark);
	return st;
}

zinc_status
zinc_config_double(const zinc_json *configuration, const char *member, const double *fallback, const char *rule,
		   double *out, zinc_report *r, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(configuration, member);
	zinc_status st = ZINC_OK;
	size_t mark;

	if (!v && !fallback)
		return zinc_report_error(r, rule, err, "\"%s\" is missing from the configuration", member);
	if (!v || (fallback && v->type == ZINC_JSON_NULL)) {
		*out = *fallback;
		return ZINC_OK;
	}
	mark = zinc_report_enter(r, member);
	if (!zinc_json_double(v, out) || !isfinite(*out))
		st = zinc_report_error(r, rule, err, "\"%s\" must be a finite number", member);
	zinc_report_leave(r, mark);
	return st;
}

zinc_status
zinc_word_int(const char *codec, const char *word, int64_t min, int64_t max, int64_t *out, zinc_error *err)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(word, &end, 10);
	if (end == word || *end || errno || v < min || v > max)
		return zinc_fail(err, ZINC_E_INVALID, "%s: \"%.60s\" is not an integer from %" PRId64 " to %" PRId64,
				 codec, word, min, max);
	*out = v;
	return ZINC_OK;
}

zinc_status
zinc_config_make_int(zinc_json_doc *doc, const char *member, int64_t v, zinc_json **out, zinc_error *err)
{
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	return zinc_json_set(doc, *out, member, zinc_json_make_i64(doc, v), err);
}

zinc_status
zinc_words_int(const char *codec, const char *const *words, int nwords, const char *member, int64_t min, int64_t max,
	       int64_t fallback, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	if (nwords > 1)
		return zinc_fail(err, ZINC_E_INVALID, "%s takes only \"%s\", as in \"%s:%" PRId64 "\"", codec, member,
				 codec, fallback);
	if (nwords == 1)
		ZINC_TRY(zinc_word_int(codec, words[0], min, max, &fallback, err));
	return zinc_config_make_int(doc, member, fallback, out, err);
}

/*
 * ---- sizes ----
 *
 * Stored bytes may claim any size.  A decoder checks it here before it allocates, so that it never allocates more than
 * the metadata allow.
 */

zinc_status
zinc_decoded_room(zinc_buf *out, size_t n, zinc_error *err)
{
	if (out->n > out->max || n > out->max - out->n)
		return zinc_fail(err, ZINC_E_CORRUPT, "decodes to more than the allowed %zu bytes", out->max);
	return zinc_buf_reserve(out, n, err);
}

zinc_status
zinc_decoded_size(size_t n, size_t exact, zinc_error *err)
{
	if (exact == SIZE_MAX || n == exact)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_CORRUPT, "decodes to %zu bytes instead of %zu", n, exact);
}

#define FIRST_BYTES 65536u

zinc_status
zinc_decode_out_room(zinc_decode_out *p, uint8_t **to, size_t *room, zinc_error *err)
{
	const bool known = p->exact != SIZE_MAX;
	const size_t most = known ? p->exact : p->out->max;
	size_t n;

	if (p->out->n >= most) {
		*to = &p->spare;
		*room = 1;
		return ZINC_OK;
	}
	n = most - p->out->n;
	if (!known) /* double what is used */
		n = (size_t)zinc_min_u64(n, zinc_max_u64(p->out->n, FIRST_BYTES));
	ZINC_TRY(zinc_decoded_room(p->out, n, err));
	*to = p->out->p + p->out->n;
	*room = n;
	return ZINC_OK;
}

zinc_status
zinc_decode_out_done(zinc_decode_out *p, const uint8_t *to, size_t n, zinc_error *err)
{
	if (to == &p->spare && n > 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "decodes to more than %zu bytes", p->out->n);
	p->out->n += n;
	return ZINC_OK;
}

/* The formats let an encoder waste any number of bytes (empty blocks, names, skippable frames).  No encoder wastes
 * more than this, and the limit prevents that nested decompression bombs are unpacked. */
int
zinc_bound_compressed(const zinc_codec *c, size_t decoded, size_t *encoded)
{
	size_t n;

	(void)c;
	return zinc_size_mul(decoded, 2, &n) || zinc_size_add(n, 64 * ZINC_KIB, encoded);
}

bool
zinc_verifies_always(const zinc_codec *c)
{
	(void)c;
	return true;
}

zinc_status
zinc_codec_encoded_shape(const zinc_codec *c, zinc_rep *rep, zinc_error *err)
{
	const int *order = zinc_codec_order(c);
	const zinc_rep old = *rep;
	int i;

	if (zinc_codec_reshapes(c->ops))
		return c->ops->array->reshape(c, &old, rep, err);
	for (i = 0; order && i < rep->ndim; i++)
		rep->shape[i] = old.shape[order[i]];
	return ZINC_OK;
}

zinc_status
zinc_rep_bytes(const zinc_rep *rep, size_t *nbytes, zinc_error *err)
{
	uint64_t n;

	if (zinc_shape_bytes(rep->shape, rep->ndim, rep->dtype->size, PTRDIFF_MAX, &n))
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk is larger than the address space");
	*nbytes = (size_t)n;
	return ZINC_OK;
}
