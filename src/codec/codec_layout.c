/*
 * codec_layout.c - registered memory layouts, as array->array codecs
 *
 * The drafts have a member chunk_memory_layout, "C" or "F" or a registered one; version 3 has codecs that reorder
 * elements.  Both do the same, so a layout is a row of the codec table that the drafts' formats find by its URI.
 *
 * Promises (tests/unit/test_codec_layout.c names each by its number):
 *
 * (1) A layout that puts two elements in one place, or one outside of the chunk, is an error, never a wrong element.
 * (2) Nothing is allocated for a chunk after the scratch has been used for one of its size.
 */
#include <zinc/extend.h>

#include "codec/codec_parts.h"

typedef struct layout_row {
	zinc_codec_ops ops; /* first, so that a codec can be converted to its row */
	zinc_memory_layout_def def;
} layout_row;

typedef struct layout_codec {
	zinc_codec codec;
	void *self;
	bool open;
	char *configuration;
} layout_codec;

static const zinc_memory_layout_def *
def_of(const zinc_codec *c)
{
	return &((const layout_row *)(const void *)c->ops)->def;
}

static void
layout_free(zinc_codec *c)
{
	layout_codec *l = (layout_codec *)c;

	if (l->open && def_of(c)->close)
		def_of(c)->close(l->self);
	zinc_free(c->ctx, l->configuration);
	zinc_free(c->ctx, l);
}

/* ---- opening ---- */

static zinc_status
layout_open(layout_codec *l, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	const zinc_memory_layout_def *def = def_of(&l->codec);
	const zinc_codec_input input = zinc_codec_input_of(&l->codec, in);
	zinc_error why = ZINC_ERROR_INIT;
	zinc_status st;

	ZINC_TRY(zinc_user_text(&l->configuration, l->codec.ctx, configuration, err));
	st = def->open ? def->open(&l->self, l->configuration, &input, &why) : ZINC_OK;
	l->open = st == ZINC_OK;
	st = zinc_user_finding(st, def->name, r, &why);
	return st == ZINC_OK ? st : (zinc_error_copy(err, &why), st);
}

static zinc_status
layout_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	     const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_codec *c;
	zinc_status st;

	(void)out; /* the same elements, so the same type and fill value */
	if (!configuration && ops->needs_configuration)
		return zinc_report_error(r, ops->name, err, "\"%s\" needs a configuration", ops->name);
	if (in->dtype->variable)
		return zinc_report_error(r, "M65", err, "\"%s\" cannot reorder elements of variable length", ops->name);
	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(layout_codec), err));
	st = layout_open((layout_codec *)c, configuration, in, r, err);
	if (st != ZINC_OK) {
		layout_free(c);
		return st;
	}
	*codec = c;
	return ZINC_OK;
}

static zinc_status
layout_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	return zinc_user_json(out, doc, ((const layout_codec *)c)->configuration, err);
}

/* ---- elements ---- */

/* The next index in C order. */
static void
step(uint64_t *index, const uint64_t *shape, int ndim)
{
	int d = ndim;

	while (d-- > 0) {
		if (++index[d] < shape[d])
			return;
		index[d] = 0;
	}
}

/* Mark a place as used: one bit of `taken` for each.  False: it is already used, or outside. */
static bool
take(uint8_t *taken, uint64_t n, uint64_t place)
{
	uint8_t *byte;
	const uint8_t bit = (uint8_t)(1u << (place % 8));

	if (place >= n)
		return false;
	byte = &taken[place / 8];
	if (*byte & bit)
		return false;
	*byte |= bit;
	return true;
}

/* Copy from C order to the layout's order (`laying`), or back. */
static zinc_status
move(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const uint8_t *in, uint8_t *out, bool laying,
     zinc_error *err)
{
	const zinc_memory_layout_def *def = def_of(c);
	const size_t size = rep->dtype->size;
	uint64_t index[ZINC_MAX_NDIM] = {0};
	size_t n, i;

	ZINC_TRY(zinc_recode_count(rep, &n, err));
	ZINC_TRY(zinc_buf_reset(&s->places, n / 8 + 1, err));
	memset(s->places.p, 0, n / 8 + 1);
	for (i = 0; i < n; i++) {
		const uint64_t place = def->place(((const layout_codec *)c)->self, rep->ndim, rep->shape, index);

		if (!take(s->places.p, n, place))
			return zinc_fail(err, ZINC_E_INVALID,
					 "\"%s\" puts element %zu of %zu at place %llu, which is %s", def->name, i, n,
					 (unsigned long long)place, place < n ? "taken" : "outside");
		if (laying)
			memcpy(out + (size_t)place * size, in + i * size, size);
		else
			memcpy(out + i * size, in + (size_t)place * size, size);
		step(index, rep->shape, rep->ndim);
	}
	return ZINC_OK;
}

static zinc_status
layout_encode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	return move(c, s, rep, (const uint8_t *)in, (uint8_t *)out, true, err);
}

static zinc_status
layout_decode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	return move(c, s, rep, (const uint8_t *)in, (uint8_t *)out, false, err);
}

static const zinc_array_ops coder = {.encode = layout_encode, .decode = layout_decode};

/* ---- registration ---- */

zinc_status
zinc_register_memory_layout(const zinc_memory_layout_def *def, zinc_error *err)
{
	zinc_memory_layout_def d;
	zinc_status st;
	layout_row *row;

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (!d.place)
		return zinc_fail(err, ZINC_E_INVALID, "a memory layout needs a function for the places of elements");
	row = (layout_row *)zinc_calloc(NULL, 1, sizeof *row);
	if (!row)
		return zinc_fail_nomem(err);
	row->def = d;
	row->ops = (zinc_codec_ops){.name = d.name,
				    .uris = d.uris,
				    .v2 = d.v2,
				    .purpose = d.purpose,
				    .kind = ZINC_ARRAY_ARRAY,
				    .fixed_size = true,
				    .layout = true,
				    .needs_configuration = d.needs_configuration,
				    .parse = layout_parse,
				    .print = layout_print,
				    .free = layout_free,
				    .array = &coder};
	st = zinc_codec_add(&row->ops, err);
	if (st != ZINC_OK)
		zinc_free(NULL, row);
	return st; /* the row stays valid for ever */
}
