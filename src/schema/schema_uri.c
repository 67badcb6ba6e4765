/*
 * schema_uri.c - references between schemas: RFC 3986, section 5
 *
 *    scheme://authority/path?query#fragment      each part a span of the text
 */
#include "schema/schema_impl.h"

struct span {
	const char *p; /* NULL: the part is missing */
	size_t n;
};

struct uri {
	struct span scheme, authority, path, query;
};

/* Letters, digits, + - . up to the first ':'. */
static size_t
scheme_length(const char *s)
{
	size_t n = 0;

	while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
	       (n > 0 && ((s[n] >= '0' && s[n] <= '9') || s[n] == '+' || s[n] == '-' || s[n] == '.')))
		n++;
	return n > 0 && s[n] == ':' ? n : 0;
}

static void
split(struct uri *u, const char *s)
{
	const size_t n = scheme_length(s);

	*u = (struct uri){{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
	if (n > 0) {
		u->scheme = (struct span){s, n};
		s += n + 1;
	}
	if (s[0] == '/' && s[1] == '/') {
		u->authority = (struct span){s + 2, strcspn(s + 2, "/?#")};
		s += 2 + u->authority.n;
	}
	u->path = (struct span){s, strcspn(s, "?#")};
	s += u->path.n;
	if (*s == '?')
		u->query = (struct span){s + 1, strcspn(s + 1, "#")};
}

/* 5.2.4: append the path without "." and ".."; `from` is the start of the path in `out`. */
static zinc_status
add_path(zinc_buf *out, size_t from, const char *s, size_t n, zinc_error *err)
{
	const char *end = s + n;

	while (s < end) {
		const bool slash = *s == '/';
		const char *name = s + slash;
		size_t length = 0;

		while (name + length < end && name[length] != '/')
			length++;
		s = name + length;
		if (length == 1 && name[0] == '.') {
			if (s == end)
				ZINC_TRY(zinc_buf_puts(out, "/", err));
			continue;
		}
		if (length == 2 && name[0] == '.' && name[1] == '.') {
			while (out->n > from && out->p[out->n - 1] != '/')
				out->n--;
			if (out->n > from)
				out->n--;
			if (s == end)
				ZINC_TRY(zinc_buf_puts(out, "/", err));
			continue;
		}
		if (slash)
			ZINC_TRY(zinc_buf_puts(out, "/", err));
		ZINC_TRY(zinc_buf_add(out, name, length, err));
	}
	return ZINC_OK;
}

/* 5.2.3: the base's path up to its last '/', then the reference's. */
static zinc_status
merge_path(zinc_buf *out, size_t from, const struct uri *base, struct span path, zinc_error *err)
{
	zinc_buf whole;
	zinc_status st;
	size_t n = base->path.n;

	zinc_buf_init(&whole, out->ctx, ZINC_MAX_KEY);
	while (n > 0 && base->path.p[n - 1] != '/')
		n--;
	st = n == 0 && base->authority.p ? zinc_buf_puts(&whole, "/", err) : zinc_buf_add(&whole, base->path.p, n, err);
	if (st == ZINC_OK)
		st = zinc_buf_add(&whole, path.p, path.n, err);
	if (st == ZINC_OK)
		st = add_path(out, from, (const char *)whole.p, whole.n, err);
	zinc_buf_fini(&whole);
	return st;
}

static zinc_status
add_part(zinc_buf *out, const char *before, struct span part, const char *after, zinc_error *err)
{
	if (!part.p)
		return ZINC_OK;
	ZINC_TRY(zinc_buf_puts(out, before, err));
	ZINC_TRY(zinc_buf_add(out, part.p, part.n, err));
	return zinc_buf_puts(out, after, err);
}

/* 5.2.2; a path without '/' of a base without authority ("urn:uuid:...") is kept whole by a bare fragment. */
zinc_status
zinc_uri_resolve(zinc_buf *out, const char *base_text, const char *ref, zinc_error *err)
{
	struct uri base, r;
	size_t from;

	split(&base, base_text);
	split(&r, ref);
	ZINC_TRY(add_part(out, "", r.scheme.p ? r.scheme : base.scheme, ":", err));
	ZINC_TRY(add_part(out, "//", r.scheme.p || r.authority.p ? r.authority : base.authority, "", err));
	from = out->n;
	if (r.scheme.p || r.authority.p || (r.path.n > 0 && r.path.p[0] == '/')) {
		ZINC_TRY(add_path(out, from, r.path.p, r.path.n, err));
	} else if (r.path.n > 0) {
		ZINC_TRY(merge_path(out, from, &base, r.path, err));
	} else {
		ZINC_TRY(zinc_buf_add(out, base.path.p, base.path.n, err));
		if (!r.query.p)
			r.query = base.query;
	}
	return add_part(out, "?", r.query, "", err);
}

static int
hex(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

zinc_status
zinc_uri_fragment(zinc_buf *out, const char *ref, zinc_error *err)
{
	const char *s = strchr(ref, '#');
	char c;

	for (s = s ? s + 1 : ""; *s; s++) {
		c = *s;
		if (c == '%') {
			if (hex(s[1]) < 0 || hex(s[2]) < 0)
				return zinc_fail(err, ZINC_E_CORRUPT, "a bad escape in \"%.200s\"", ref);
			c = (char)(hex(s[1]) * 16 + hex(s[2]));
			s += 2;
		}
		ZINC_TRY(zinc_buf_add(out, &c, 1, err));
	}
	return ZINC_OK;
}
