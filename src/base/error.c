/*
 * error.c - filling, placing and printing zinc_error
 *
 * Promises (tests/unit/test_error.c names each by its number):
 *
 * (1) A NULL error is accepted everywhere, and nothing is written unless something failed.
 * (2) Whatever bytes a name or text has, each member and the line are one line of valid UTF-8: control characters and
 *     invalid bytes are shown as \xNN.
 * (3) Text that does not fit ends in "...", cut between characters.
 * (4) Of several names for one place the innermost stays.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <zinc/store.h>

#include "base/base.h"

#define ELLIPSIS "..."

/* Longer than any member of zinc_error, so text cut here would be cut there, too. */
#define RAW_BYTES 1024

/* C0, DEL and C1; the last include CSI, which controls terminals. */
static bool
is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

/* Write the printable form of the first character of `s` to `unit`; returns the bytes of `s` that it used. */
static size_t
show_one(char unit[8], size_t *nunit, const char *s, size_t n)
{
	uint32_t code;
	size_t len = zinc_utf8_next(s, n, &code);

	if (len && !is_control(code)) {
		memcpy(unit, s, len);
		*nunit = len;
		return len;
	}
	*nunit = (size_t)snprintf(unit, 8, "\\x%02x", (unsigned)(uint8_t)s[0]);
	return 1;
}

/* `cut` is the place for "..." if the rest does not fit: always between two characters. */
size_t
zinc_show(char *out, size_t cap, const char *s)
{
	size_t n = strlen(s), at = 0, used = 0, cut = 0, nunit;
	char unit[8];

	while (at < n) {
		at += show_one(unit, &nunit, s + at, n - at);
		if (used + nunit >= cap) {
			cut += (size_t)snprintf(out + cut, cap - cut, "%s", cap < sizeof ELLIPSIS ? "" : ELLIPSIS);
			return cut;
		}
		memcpy(out + used, unit, nunit);
		used += nunit;
		if (used + sizeof ELLIPSIS <= cap)
			cut = used;
	}
	out[used] = '\0';
	return used;
}

/* The arguments may point into `err`, so the text is made before anything is written.  `reason` is appended and never
 * cut: it is short and the most important part.  Returns the bytes before it. */
static size_t
fail(zinc_error *err, zinc_status st, const char *reason, const char *fmt, va_list args)
{
	char raw[RAW_BYTES];
	size_t n, nreason = strlen(reason);

	if (!err)
		return 0;
	if (vsnprintf(raw, sizeof raw, fmt, args) < 0)
		raw[0] = '\0';
	zinc_error_clear(err);
	err->code = st;
	if (nreason > sizeof err->text / 2)
		nreason = sizeof err->text / 2;
	n = zinc_show(err->text, sizeof err->text - nreason, raw);
	zinc_show(err->text + n, sizeof err->text - n, reason);
	return n;
}

zinc_status
zinc_fail(zinc_error *err, zinc_status st, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fail(err, st, "", fmt, args);
	va_end(args);
	return st;
}

void
zinc_rule_suffix(char *out, size_t cap, const char *rule, const char *pointer)
{
	snprintf(out, cap, pointer[0] ? " (rule %s, at %.120s)" : " (rule %s)", rule, pointer);
}

/* Rule and pointer may point into `err`, too. */
static zinc_status
fail_rule(zinc_error *err, zinc_status st, const char *rule, const char *pointer, const char *fmt, va_list args)
{
	char kept[sizeof err->rule], at[sizeof err->pointer], reason[sizeof kept + sizeof at + 16];
	size_t n;

	zinc_show(kept, sizeof kept, rule);
	zinc_show(at, sizeof at, pointer);
	zinc_rule_suffix(reason, sizeof reason, rule, pointer);
	n = fail(err, st, reason, fmt, args);
	if (!err)
		return st;
	err->sentence = (unsigned)n;
	memcpy(err->rule, kept, sizeof kept);
	memcpy(err->pointer, at, sizeof at);
	return st;
}

zinc_status
zinc_fail_rule(zinc_error *err, zinc_status st, const char *rule, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fail_rule(err, st, rule, "", fmt, args);
	va_end(args);
	return st;
}

zinc_status
zinc_fail_rule_at(zinc_error *err, zinc_status st, const char *rule, const char *pointer, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fail_rule(err, st, rule, pointer, fmt, args);
	va_end(args);
	return st;
}

/* The statuses that callers decide by; every other errno is for people to read. */
static zinc_status
status_of_errno(int errnum)
{
	switch (errnum) {
	case ENOENT:
		return ZINC_E_NOTFOUND;
	case ENOMEM:
		return ZINC_E_NOMEM;
	case EROFS:
		return ZINC_E_READONLY;
	default:
		return ZINC_E_IO;
	}
}

zinc_status
zinc_fail_errno(zinc_error *err, int errnum, const char *fmt, ...)
{
	zinc_status st = status_of_errno(errnum);
	char memory[128], reason[160];
	va_list args;

	/* The GNU strerror_r returns the text, which need not be in `memory`. */
	snprintf(reason, sizeof reason, ": %s", strerror_r(errnum, memory, sizeof memory));
	va_start(args, fmt);
	fail(err, st, reason, fmt, args);
	va_end(args);
	if (err)
		err->os_error = errnum;
	return st;
}

zinc_status
zinc_fail_nomem(zinc_error *err)
{
	return zinc_fail(err, ZINC_E_NOMEM, "%s", zinc_status_text(ZINC_E_NOMEM));
}

/*
 * ---- places ----
 *
 * Each room adds what it knows, exactly once: a codec its name, the array the chunk, the store the key, the hierarchy
 * the URL.  In nested objects (a codec inside a shard) both add a name, and the inner one stays.
 */

static void
name_place(zinc_status st, char *member, size_t cap, const char *name)
{
	if (st != ZINC_OK && member[0] == '\0' && name)
		zinc_show(member, cap, name);
}

/* The store of local paths has this URL, and its keys are paths without their leading slash. */
static bool
is_root(const zinc_error *err)
{
	return strcmp(err->url, "/") == 0;
}

zinc_status
zinc_error_at_url(zinc_error *err, zinc_status st, const char *url)
{
	/* After success no member need be set.  The root of a file system says nothing without a key. */
	if (err && st != ZINC_OK && url && (err->url[0] == '\0' || (is_root(err) && err->key[0] == '\0')))
		zinc_url_show(err->url, sizeof err->url, url);
	return st;
}

zinc_status
zinc_error_at_key(zinc_error *err, zinc_status st, const char *key)
{
	if (err)
		name_place(st, err->key, sizeof err->key, key);
	return st;
}

zinc_status
zinc_error_at_codec(zinc_error *err, zinc_status st, const char *codec)
{
	if (err)
		name_place(st, err->codec, sizeof err->codec, codec);
	return st;
}

/* "1,0,3"; the only chunk of a 0-dimensional array is "()". */
zinc_status
zinc_error_at_chunk(zinc_error *err, zinc_status st, const uint64_t *index, int ndim)
{
	char raw[ZINC_MAX_NDIM * 21 + 3] = "()";
	size_t n = 0;
	int d;

	if (!err)
		return st;
	for (d = 0; d < ndim && d < ZINC_MAX_NDIM; d++)
		n += (size_t)snprintf(raw + n, sizeof raw - n, "%s%" PRIu64, d ? "," : "", index[d]);
	name_place(st, err->chunk, sizeof err->chunk, raw);
	return st;
}

/* "20:30, 48:64"; an array without dimensions has no indices, so nothing. */
zinc_status
zinc_error_at_region(zinc_error *err, zinc_status st, const uint64_t *start, const uint64_t *extent,
		     const uint64_t *shape, int ndim)
{
	char raw[ZINC_MAX_NDIM * 44 + 1] = "";
	size_t n = 0;
	int d;

	if (!err || st == ZINC_OK)
		return st;
	for (d = 0; d < ndim && d < ZINC_MAX_NDIM; d++) {
		const uint64_t begin = zinc_min_u64(start[d], shape[d]);
		const uint64_t end = extent[d] < shape[d] - begin ? begin + extent[d] : shape[d];

		n += (size_t)snprintf(raw + n, sizeof raw - n, "%s%" PRIu64 ":%" PRIu64, d ? ", " : "", begin, end);
	}
	name_place(st, err->region, sizeof err->region, raw);
	return st;
}

static void
copy_text(char *to, const char *from)
{
	memcpy(to, from, strlen(from) + 1);
}

/* Bytes after the texts were never written (zinc_error_clear) and are not copied. */
zinc_status
zinc_error_copy(zinc_error *to, const zinc_error *from)
{
	if (!from || from->code == ZINC_OK)
		return ZINC_OK;
	if (!to || to == from)
		return from->code;
	to->code = from->code;
	to->os_error = from->os_error;
	to->sentence = from->sentence;
	to->shown = from->shown;
	copy_text(to->url, from->url);
	copy_text(to->key, from->key);
	copy_text(to->chunk, from->chunk);
	copy_text(to->codec, from->codec);
	copy_text(to->rule, from->rule);
	copy_text(to->pointer, from->pointer);
	copy_text(to->text, from->text);
	copy_text(to->line, from->line);
	copy_text(to->region, from->region);
	memcpy(to->reserved, from->reserved, sizeof to->reserved);
	return to->code;
}

zinc_status
zinc_error_by(zinc_error *err, zinc_status st, const zinc_error *cause)
{
	if (!err || st == ZINC_OK || cause->code == ZINC_OK || err == cause)
		return st;
	memcpy(err->rule, cause->rule, sizeof err->rule);
	memcpy(err->pointer, cause->pointer, sizeof err->pointer);
	err->os_error = cause->os_error;
	return st;
}

zinc_status
zinc_error_by_rule(zinc_error *err, zinc_status st, const char *rule)
{
	if (err)
		name_place(st, err->rule, sizeof err->rule, rule);
	return st;
}

/* ---- reading ---- */

/* Append "before" "part" ": "; members filled by programs (their own stores) are made printable again here. */
static size_t
add_part(zinc_error *err, size_t n, const char *before, const char *part)
{
	if (part[0] == '\0')
		return n;
	n += zinc_show(err->line + n, sizeof err->line - n, before);
	n += zinc_show(err->line + n, sizeof err->line - n, part);
	return n + zinc_show(err->line + n, sizeof err->line - n, ": ");
}

const char *
zinc_error_text(zinc_error *err)
{
	size_t n = 0;

	if (!err || err->code == ZINC_OK)
		return "";
	if (!is_root(err) || err->key[0] == '\0')
		n = add_part(err, n, "", err->url);
	n = add_part(err, n, is_root(err) ? "/" : "", err->key);
	n = add_part(err, n, "chunk ", err->chunk);
	n = add_part(err, n, "codec ", err->codec);
	n += zinc_show(err->line + n, sizeof err->line - n, err->text[0] ? err->text : zinc_status_text(err->code));
	if (err->region[0]) {
		n += zinc_show(err->line + n, sizeof err->line - n, "; elements ");
		zinc_show(err->line + n, sizeof err->line - n, err->region);
	}
	return err->line;
}

zinc_status
zinc_error_status(const zinc_error *err)
{
	return err ? err->code : ZINC_OK;
}

const char *
zinc_status_text(zinc_status st)
{
	switch (st) {
	case ZINC_OK:
		return "success";
#define ZINC_X(name, number, meaning)                                                                                  \
	case ZINC_##name:                                                                                              \
		return meaning;
		ZINC_STATUS_LIST(ZINC_X)
#undef ZINC_X
	}
	return "unknown status";
}

const char *
zinc_status_name(zinc_status st)
{
	switch (st) {
	case ZINC_OK:
		return "OK";
#define ZINC_X(name, number, meaning)                                                                                  \
	case ZINC_##name:                                                                                              \
		return #name;
		ZINC_STATUS_LIST(ZINC_X)
#undef ZINC_X
	}
	return "E_UNKNOWN";
}
