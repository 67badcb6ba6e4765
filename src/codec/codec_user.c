/*
 * codec_user.c - codecs that programs register
 *
 * Promises (tests/unit/test_extend.c names each by its number):
 *
 * (1) A registered codec is called with memory of exactly the size it is given, and the size it returns is checked: too
 *     much or too little is an error, never an element.
 * (2) The fill value passes through array->array codecs like elements.
 * (3) If a function fails without an error text, the error still names the codec.
 */
#include <zinc/extend.h>

#include "codec/codec_parts.h"

/* A row of the table: begins with its operations, so that a codec can be converted to its row. */
typedef struct user_row {
	zinc_codec_ops ops;
	zinc_codec_def def;
} user_row;

typedef struct user_codec {
	zinc_codec codec;
	void *self;
	bool open;
	char *configuration;     /* text, or NULL */
	const zinc_dtype *dtype; /* of the encoded side, if it differs */
	void *fill;              /* of the encoded side */
} user_codec;

static const zinc_codec_def *
def_of(const zinc_codec *c)
{
	return &((const user_row *)(const void *)c->ops)->def;
}

/* Also frees one that failed to open. */
static void
user_free(zinc_codec *c)
{
	user_codec *u = (user_codec *)c;

	if (u->open && def_of(c)->close)
		def_of(c)->close(u->self);
	zinc_dtype_free(u->dtype);
	zinc_free(c->ctx, u->configuration);
	zinc_free(c->ctx, u->fill);
	zinc_free(c->ctx, u);
}

/* ---- one call ---- */

typedef zinc_status (*code_fn)(void *self, const uint64_t *shape, const void *in, size_t nin, void *out, size_t *nout,
			       zinc_error *err);

/* Call the program's function; `*nout` is the room before the call and the bytes written after it. */
static zinc_status
call(const zinc_codec *c, code_fn fn, const uint64_t *shape, zinc_bytes in, void *out, size_t *nout, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	const size_t room = *nout;
	zinc_status st = fn(((const user_codec *)c)->self, shape, in.p, in.n, out, nout, &why);

	if (st != ZINC_OK) {
		st = zinc_user_status(st, c->ops->name, &why);
		return zinc_error_copy(err, &why), st;
	}
	if (*nout > room)
		return zinc_fail(err, ZINC_E_INVALID, "the codec returned a size of %zu bytes; it had room for %zu",
				 *nout, room);
	return ZINC_OK;
}

/* Call a function whose result has exactly one size. */
static zinc_status
call_exact(const zinc_codec *c, code_fn fn, const uint64_t *shape, zinc_bytes in, void *out, size_t exact,
	   zinc_status wrong, zinc_error *err)
{
	size_t n = exact;

	ZINC_TRY(call(c, fn, shape, in, out, &n, err));
	if (n != exact)
		return zinc_fail(err, wrong, "%zu bytes instead of %zu", n, exact);
	return ZINC_OK;
}

/* ---- opening ---- */

/* Set the encoded side of an array->array codec: type and fill value. */
static zinc_status
find_output(user_codec *u, const zinc_rep *in, zinc_rep *out, zinc_error *err)
{
	const zinc_codec_def *def = def_of(&u->codec);
	const char *name = def->encoded_dtype ? def->encoded_dtype(u->self) : NULL;
	uint64_t ones[ZINC_MAX_NDIM];
	bool big;
	int i;

	if (name)
		ZINC_TRY(zinc_dtype_parse_text(&u->dtype, &big, u->codec.ctx, name, err));
	if (u->dtype)
		out->dtype = u->dtype;
	if (!in->fill)
		return ZINC_OK;
	u->fill = zinc_alloc(u->codec.ctx, out->dtype->size);
	if (!u->fill)
		return zinc_fail_nomem(err);
	for (i = 0; i < in->ndim; i++)
		ones[i] = 1;
	out->fill = u->fill;
	return call_exact(&u->codec, def->encode, ones, (zinc_bytes){(const uint8_t *)in->fill, in->dtype->size},
			  u->fill, out->dtype->size, ZINC_E_INVALID, err);
}

zinc_codec_input
zinc_codec_input_of(const zinc_codec *c, const zinc_rep *in)
{
	return (zinc_codec_input){.size = sizeof(zinc_codec_input),
				  .context = c->ctx,
				  .dtype = in->dtype->name,
				  .element_size = in->dtype->size,
				  .ndim = in->ndim,
				  .shape = in->shape,
				  .fill = in->fill};
}

/* Call the program's open() with the configuration as text, which is kept for printing. */
static zinc_status
user_open(user_codec *u, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	  zinc_error *err)
{
	const zinc_codec_def *def = def_of(&u->codec);
	const zinc_codec_input input = zinc_codec_input_of(&u->codec, in);
	zinc_error why = ZINC_ERROR_INIT;
	zinc_status st;

	if (in->dtype->variable && def->stage != ZINC_STAGE_BYTES_BYTES)
		return zinc_report_error(r, "M65", err, "\"%s\" cannot store elements of variable length", def->name);
	ZINC_TRY(zinc_user_text(&u->configuration, u->codec.ctx, configuration, err));
	st = def->open(&u->self, u->configuration, &input, &why);
	u->open = st == ZINC_OK;
	if (st == ZINC_OK && def->stage == ZINC_STAGE_ARRAY_ARRAY)
		st = find_output(u, in, out, &why);
	st = zinc_user_finding(st, def->name, r, &why);
	return st == ZINC_OK ? st : (zinc_error_copy(err, &why), st);
}

static zinc_status
user_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	   const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_codec *c;
	zinc_status st;

	if (!configuration && ops->needs_configuration)
		return zinc_report_error(r, ops->name, err, "\"%s\" needs a configuration", ops->name);
	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(user_codec), err));
	st = user_open((user_codec *)c, configuration, in, out, r, err);
	if (st != ZINC_OK) {
		user_free(c);
		return st;
	}
	*codec = c;
	return ZINC_OK;
}

static zinc_status
user_codec_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	return zinc_user_json(out, doc, ((const user_codec *)c)->configuration, err);
}

/* ---- bytes->bytes ---- */

static int
user_bound(const zinc_codec *c, size_t decoded, size_t *encoded)
{
	const size_t n = def_of(c)->bound(((const user_codec *)c)->self, decoded);

	if (n == SIZE_MAX)
		return 1;
	*encoded = n;
	return 0;
}

/* Encode bytes or elements with the room that bound() returns. */
static zinc_status
encode_to(const zinc_codec *c, const uint64_t *shape, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	size_t room, n;

	if (user_bound(c, in.n, &room))
		return zinc_fail(err, ZINC_E_LIMIT, "%zu bytes are too many for this codec", in.n);
	ZINC_TRY(zinc_buf_reserve(out, room, err));
	n = room;
	if (c->ops->fixed_size)
		ZINC_TRY(call_exact(c, def_of(c)->encode, shape, in, out->p + out->n, room, ZINC_E_INVALID, err));
	else
		ZINC_TRY(call(c, def_of(c)->encode, shape, in, out->p + out->n, &n, err));
	out->n += n;
	return ZINC_OK;
}

static zinc_status
user_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	(void)s;
	return encode_to(c, NULL, in, out, err);
}

#define FIRST_BYTES 65536u

/* Decode with the known size; otherwise with a guess, then with the size that the codec returns. */
static zinc_status
user_decode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t need,
	    zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	size_t room = exact, n;
	zinc_status st;

	(void)s, (void)need;
	if (exact == SIZE_MAX)
		room = out->max < FIRST_BYTES ? out->max : FIRST_BYTES;
	for (;;) {
		ZINC_TRY(zinc_decoded_room(out, room, err));
		n = room;
		st = call(c, def_of(c)->decode, NULL, in, out->p + out->n, &n, &why);
		if (st != ZINC_E_LIMIT)
			break;
		if (exact != SIZE_MAX || n <= room)
			return zinc_fail(err, ZINC_E_CORRUPT, "decodes to more than %zu bytes", room);
		room = n; /* more than out->max is refused above */
	}
	if (st != ZINC_OK)
		return zinc_error_copy(err, &why), st;
	out->n += n;
	return zinc_decoded_size(n, exact, err);
}

/* ---- array->bytes, array->array ---- */

static int
user_packed_bound(const zinc_codec *c, const zinc_rep *rep, size_t *encoded)
{
	size_t n;

	return zinc_rep_bytes(rep, &n, NULL) != ZINC_OK || user_bound(c, n, encoded);
}

static zinc_status
user_pack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out, zinc_error *err)
{
	size_t n;

	(void)s;
	ZINC_TRY(zinc_rep_bytes(rep, &n, err));
	return encode_to(c, rep->shape, (zinc_bytes){(const uint8_t *)in, n}, out, err);
}

static zinc_status
user_unpack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out, zinc_error *err)
{
	size_t n;

	(void)s;
	ZINC_TRY(zinc_rep_bytes(rep, &n, err));
	return call_exact(c, def_of(c)->decode, rep->shape, in, out, n, ZINC_E_CORRUPT, err);
}

/* The bytes of the elements on both sides. */
static zinc_status
both_sizes(const zinc_codec *c, const zinc_rep *rep, size_t *decoded, size_t *encoded, zinc_error *err)
{
	const user_codec *u = (const user_codec *)c;
	zinc_rep other = *rep;

	if (u->dtype)
		other.dtype = u->dtype;
	ZINC_TRY(zinc_rep_bytes(rep, decoded, err));
	return zinc_rep_bytes(&other, encoded, err);
}

static zinc_status
user_encode_array(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	size_t decoded, encoded;

	(void)s;
	ZINC_TRY(both_sizes(c, rep, &decoded, &encoded, err));
	return call_exact(c, def_of(c)->encode, rep->shape, (zinc_bytes){(const uint8_t *)in, decoded}, out, encoded,
			  ZINC_E_INVALID, err);
}

static zinc_status
user_decode_array(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	size_t decoded, encoded;

	(void)s;
	ZINC_TRY(both_sizes(c, rep, &decoded, &encoded, err));
	return call_exact(c, def_of(c)->decode, rep->shape, (zinc_bytes){(const uint8_t *)in, encoded}, out, decoded,
			  ZINC_E_CORRUPT, err);
}

/* ---- registration ---- */

/* Nobody knows. */
static bool
user_refuses(const zinc_codec *c, double changed)
{
	(void)c;
	return changed > 0;
}

static const zinc_array_ops array_ops = {
    .encode = user_encode_array, .decode = user_decode_array, .refuses = user_refuses};
static const zinc_pack_ops pack_ops = {.encode = user_pack, .decode = user_unpack, .bound = user_packed_bound};
static const zinc_bytes_ops bytes_ops = {.bound = user_bound, .encode = user_encode, .decode = user_decode};

static void
set_ops(user_row *row)
{
	static const zinc_codec_kind kinds[] = {ZINC_ARRAY_ARRAY, ZINC_ARRAY_ARRAY, ZINC_ARRAY_BYTES, ZINC_BYTES_BYTES};
	const zinc_codec_def *d = &row->def;

	row->ops = (zinc_codec_ops){.name = d->name,
				    .aliases = d->aliases,
				    .uris = d->uris,
				    .v2 = d->v2,
				    .purpose = d->purpose,
				    .kind = kinds[d->stage],
				    .fixed_size = d->fixed_size || d->stage == ZINC_STAGE_ARRAY_ARRAY,
				    .needs_configuration = d->needs_configuration,
				    .parse = user_parse,
				    .print = user_codec_print,
				    .free = user_free};
	if (d->stage == ZINC_STAGE_BYTES_BYTES)
		row->ops.bytes = &bytes_ops;
	else if (d->stage == ZINC_STAGE_ARRAY_BYTES)
		row->ops.pack = &pack_ops;
	else
		row->ops.array = &array_ops;
}

zinc_status
zinc_register_codec(const zinc_codec_def *def, zinc_error *err)
{
	zinc_codec_def d;
	zinc_status st;
	user_row *row;

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (d.stage < ZINC_STAGE_ARRAY_ARRAY || d.stage > ZINC_STAGE_BYTES_BYTES)
		return zinc_fail(err, ZINC_E_INVALID, "a codec needs a stage");
	if (!d.open || !d.encode || !d.decode || (!d.bound && d.stage != ZINC_STAGE_ARRAY_ARRAY))
		return zinc_fail(err, ZINC_E_INVALID, "a codec lacks a function");
	row = (user_row *)zinc_calloc(NULL, 1, sizeof *row);
	if (!row)
		return zinc_fail_nomem(err);
	row->def = d;
	set_ops(row);
	st = zinc_codec_add(&row->ops, err);
	if (st != ZINC_OK)
		zinc_free(NULL, row);
	return st; /* the row stays valid for ever */
}
