/*
 * range.c - the headers Range and If-None-Match (RFC 9110, sections 13 and 14)
 *
 *     bytes=0-99      the first hundred          bytes=100-      all from byte 100 on          bytes=-8      the last eight
 *
 * Promises (tests/unit/test_server_range.c names each by its number):
 *
 * (1) One range is understood.  Several, other units and malformed text are ignored: the answer is then the whole value,
 *     which is always right.
 * (2) A range that has no byte of the value is unsatisfiable: 416.  One that ends past its end is cut.
 * (3) Numbers too large for 64 bits are the largest one.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "server.h"

/* Digits at *s; false: there are none. */
static bool
number(const char **s, uint64_t *out)
{
	const char *p = *s;

	for (*out = 0; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, (uint64_t)(*p - '0'), out)) {
			*out = UINT64_MAX;
			p += strspn(p, "0123456789");
			break;
		}
	if (p == *s)
		return false;
	*s = p;
	return true;
}

static const char *
skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

bool
range_parse(struct range *r, const char *header)
{
	const char *s = header;
	uint64_t last;

	*r = (struct range){.kind = RANGE_NONE};
	if (!s || strncasecmp(s, "bytes=", 6) != 0)
		return false;
	s = skip_blanks(s + 6);
	if (*s == '-') {
		s++;
		if (!number(&s, &r->length) || *skip_blanks(s))
			return false;
		r->kind = RANGE_SUFFIX;
		return true;
	}
	if (!number(&s, &r->first) || *s++ != '-')
		return false;
	r->length = ZINC_TO_END;
	if (number(&s, &last)) {
		if (last < r->first)
			return false;
		if (last < UINT64_MAX - 1)
			r->length = last - r->first + 1;
	}
	if (*skip_blanks(s))
		return false;
	r->kind = RANGE_FROM;
	return true;
}

bool
range_of(const struct range *r, uint64_t size, uint64_t *offset, uint64_t *nbytes)
{
	if (r->kind == RANGE_SUFFIX) {
		*nbytes = r->length < size ? r->length : size;
		*offset = size - *nbytes;
		return *nbytes > 0;
	}
	if (r->first >= size)
		return false;
	*offset = r->first;
	*nbytes = r->length < size - r->first ? r->length : size - r->first;
	return true;
}

/* A list of entity tags, or "*".  `weak`: W/"x" equals "x". */
bool
etag_listed(const char *list, const char *etag, bool weak)
{
	const size_t n = strlen(etag);
	bool is_weak;

	if (!strcmp(skip_blanks(list), "*"))
		return true;
	for (list += strspn(list, " \t,"); *list && n; list += strspn(list, " \t,")) {
		is_weak = !strncmp(list, "W/", 2);
		list += is_weak ? 2 : 0;
		if (!strncmp(list, etag, n) && (weak || !is_weak))
			return true;
		if (*list++ != '"')
			return false;
		list += strcspn(list, "\"");
		list += *list == '"';
	}
	return false;
}
