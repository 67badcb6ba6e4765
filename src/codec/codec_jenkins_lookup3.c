/*
 * codec_jenkins_lookup3.c - Bob Jenkins' hash "lookup3", as HDF5 uses it for a checksum, after the bytes
 *
 *     [input][hash: 4, little-endian]
 *
 * Three registers take the input in groups of three little-endian words: the last group (of 1 to 12 bytes, padded with
 * zeros) before the final mix, every other one before a mix.  "initval" is added to all three at the start.
 */
#include "codec/codec_parts.h"

/* A prefix is hashed but not stored; no document has one, because JSON has no bytes. */
static const zinc_member members[] = {
    {.name = "initval",
     .type = ZINC_MEMBER_INT,
     .max = UINT32_MAX,
     .nullable = true,
     .at = offsetof(zinc_checksum, seed)},
    {.name = "prefix", .print = ZINC_PRINT_NULL},
    {.name = NULL},
};

#define GROUP 12u

typedef struct registers {
	uint32_t a, b, c;
} registers;

static uint32_t
rotate(uint32_t v, unsigned by)
{
	return v << by | v >> (32 - by);
}

static void
add(registers *r, const uint8_t *group)
{
	r->a += zinc_get_le32(group);
	r->b += zinc_get_le32(group + 4);
	r->c += zinc_get_le32(group + 8);
}

/* x -= z, x ^= z rotated, z += y: each register in turn is x, twice. */
static void
mix(registers *r)
{
	static const unsigned by[] = {4, 6, 8, 16, 19, 4};
	uint32_t x = r->a, y = r->b, z = r->c, next;
	size_t i;

	for (i = 0; i < sizeof by / sizeof by[0]; i++) {
		x -= z;
		x ^= rotate(z, by[i]);
		z += y;
		next = y;
		y = z;
		z = x;
		x = next;
	}
	*r = (registers){x, y, z};
}

/* z ^= y, z -= y rotated: each register in turn is z, seven times. */
static uint32_t
finish(const registers *r)
{
	static const unsigned by[] = {14, 11, 25, 16, 4, 14, 24};
	uint32_t x = r->a, y = r->b, z = r->c, next;
	size_t i;

	for (i = 0; i < sizeof by / sizeof by[0]; i++) {
		z ^= y;
		z -= rotate(y, by[i]);
		next = x;
		x = y;
		y = z;
		z = next;
	}
	return y;
}

static uint32_t
lookup3(uint32_t seed, const void *p, size_t n)
{
	const uint32_t start = 0xDEADBEEFu + (uint32_t)n + seed;
	const uint8_t *b = (const uint8_t *)p;
	registers r = {start, start, start};
	uint8_t last[GROUP] = {0};

	if (n == 0)
		return start;
	for (; n > GROUP; n -= GROUP, b += GROUP) {
		add(&r, b);
		mix(&r);
	}
	memcpy(last, b, n);
	add(&r, last);
	return finish(&r);
}

static zinc_status
lookup3_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	      zinc_error *err)
{
	const zinc_json *prefix = zinc_json_member(configuration, "prefix");
	zinc_checksum *k = (zinc_checksum *)c;

	(void)in, (void)out;
	if (prefix && prefix->type != ZINC_JSON_NULL)
		return zinc_report_unsupported(r, c->ops->v2, err, "%s: \"prefix\" is not supported", c->ops->v2);
	k->sum = lookup3;
	k->location = ZINC_CHECKSUM_END;
	return ZINC_OK;
}

const zinc_codec_ops zinc_codec_jenkins_lookup3 = {
    .name = "numcodecs.jenkins_lookup3",
    .v2 = "jenkins_lookup3",
    .uris = ZINC_CODEC_URIS("jenkins_lookup3"),
    .purpose = "Jenkins' lookup3 as a checksum after the bytes, always verified",
    .kind = ZINC_BYTES_BYTES,
    .fixed_size = true,
    .members = members,
    .nbytes = sizeof(zinc_checksum),
    .check = lookup3_check,
    .bytes = &zinc_checksum_coder,
};
