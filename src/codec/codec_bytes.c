/*
 * codec_bytes.c - elements as bytes, in C order and one byte order
 *
 *     [element 0][element 1]...    M69; complex: re, im, each in the byte order (M71)
 *
 * The bytes are the elements themselves except for byte order, so the chain copies or swaps them without calling this
 * codec.  It does three things: it checks bool, also within a struct, element by element, because a program must never
 * get a byte other than 0 and 1 (M70), which is not a valid _Bool; it sets the bits of a byte that int4 and the like
 * ignore, to the sign or 0; and it reorders structs of Zarr v2 whose fields have both byte orders.
 */
#include "codec/codec_parts.h"

typedef struct bytes_codec {
	zinc_codec codec;
	int64_t endian; /* index in endians, or NOT_GIVEN */
} bytes_codec;

static const char *const endians[] = {"little", "big", NULL};
static const char *const aliases[] = {"endian", NULL}; /* its name until January 2024 */
#define NOT_GIVEN (-1)

static const zinc_member members[] = {
    {.name = "endian",
     .type = ZINC_MEMBER_CHOICE,
     .choices = endians,
     .fallback = NOT_GIVEN,
     .print = ZINC_PRINT_CHANGED,
     .at = offsetof(bytes_codec, endian)},
    {.name = NULL},
};

/* M68: one byte has no order, so the member is allowed and kept, but has no effect. */
static zinc_status
bytes_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	    const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	bytes_codec b;

	(void)out;
	if (in->dtype->variable)
		return zinc_report_error(r, "M65", err, "\"bytes\" cannot store elements of variable size");
	ZINC_TRY(zinc_members_parse(members, "M68", configuration, &b, r, err));
	if (b.endian == NOT_GIVEN && in->dtype->unit > 1) {
		if (!in->dtype->legacy)
			return zinc_report_error(r, "M68", err, "\"endian\" must be given for %s", in->dtype->name);
		ZINC_TRY(zinc_report_lenient(r, "M68", err, "\"endian\" is missing: assuming little"));
		b.endian = 0;
	}
	ZINC_TRY(zinc_codec_new(codec, ops, ctx, sizeof b, err));
	((bytes_codec *)*codec)->endian = b.endian;
	return ZINC_OK;
}

/* "bytes", "bytes:big". */
static zinc_status
bytes_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		  zinc_error *err)
{
	bytes_codec b = {.endian = in->dtype->unit > 1 ? 0 : NOT_GIVEN};

	if (nwords > 1 || (nwords == 1 && strcmp(words[0], "little") != 0 && strcmp(words[0], "big") != 0))
		return zinc_fail(err, ZINC_E_INVALID, "bytes takes \"little\" or \"big\", not \"%.60s\"",
				 words[nwords - 1]);
	if (nwords == 1)
		b.endian = words[0][0] == 'b';
	*out = NULL;
	return b.endian == NOT_GIVEN ? ZINC_OK : zinc_members_print(members, &b, doc, out, err);
}

static int
bytes_packed_bound(const zinc_codec *c, const zinc_rep *rep, size_t *encoded)
{
	(void)c;
	return zinc_rep_bytes(rep, encoded, NULL) != ZINC_OK;
}

/* Are the elements stored in the other byte order?  Raw bytes (r*) have a unit of 1 and are never swapped, whatever
 * the member is. */
static bool
is_other(const zinc_codec *c, const zinc_dtype *t)
{
	return t->unit > 1 && ((const bytes_codec *)c)->endian != ZINC_HOST_BIG;
}

static int
bytes_plain(const zinc_codec *c, const zinc_rep *rep)
{
	const zinc_dtype *t = rep->dtype;

	return t->ops->check || t->mixed || t->narrow ? 0 : is_other(c, t) ? 2 : 1;
}

/* Works in either byte order, because only single bytes are checked. */
static zinc_status
check(const zinc_dtype *t, const void *elements, size_t n, zinc_status st, zinc_error *err)
{
	const size_t bad = t->ops->check ? t->ops->check(t, elements, n) : n;

	if (bad == n)
		return ZINC_OK;
	return zinc_fail_rule(err, st, "M70", "element %zu has a bool that is neither 0 nor 1", bad);
}

static zinc_status
bytes_pack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out, zinc_error *err)
{
	const zinc_dtype *t = rep->dtype;
	size_t nbytes;

	(void)s;
	ZINC_TRY(zinc_rep_bytes(rep, &nbytes, err));
	ZINC_TRY(check(t, in, nbytes / t->size, ZINC_E_RANGE, err));
	ZINC_TRY(zinc_buf_reserve(out, nbytes, err));
	zinc_dtype_reorder(t, is_other(c, t), out->p + out->n, in, nbytes / t->size);
	out->n += nbytes;
	return ZINC_OK;
}

static zinc_status
bytes_unpack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out, zinc_error *err)
{
	const zinc_dtype *t = rep->dtype;
	size_t nbytes;

	(void)s;
	ZINC_TRY(zinc_rep_bytes(rep, &nbytes, err));
	if (in.n != nbytes)
		return zinc_fail_rule(err, ZINC_E_CORRUPT, "M72", "%zu bytes instead of %zu", in.n, nbytes);
	ZINC_TRY(check(t, in.p, nbytes / t->size, ZINC_E_CORRUPT, err));
	zinc_dtype_reorder(t, is_other(c, t), out, in.p, nbytes / t->size);
	return ZINC_OK;
}

static const zinc_pack_ops coder = {
    .encode = bytes_pack,
    .decode = bytes_unpack,
    .bound = bytes_packed_bound,
    .plain = bytes_plain,
};

const zinc_codec_ops zinc_codec_bytes = {
    .name = "bytes",
    .aliases = aliases,
    .uris = ZINC_CODEC_URIS("endian"),
    .purpose = "elements in C order, little- or big-endian",
    .kind = ZINC_ARRAY_BYTES,
    .fixed_size = true,
    .members = members,
    .parse = bytes_parse,
    .parse_words = bytes_parse_words,
    .pack = &coder,
};
