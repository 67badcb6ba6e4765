/*
 * store_zip_name.c - names of entries: from the bytes of a record to a key
 *
 * Promises (tests/unit/test_store_zip_dir.c names each by its number, N1 ...):
 *
 * (N1) A name is UTF-8 if its flag says so; else what the Unicode path field (0x7075) says, if its checksum fits the name;
 *      else code page 437, as the format has it and as Python's zipfile reads it.  ASCII is the same in all of them.
 * (N2) A name that is absolute, or has "..", ".", an empty component, a control character, a NUL or a '\\', is no key and
 *      is reported; so is one that claims to be UTF-8 and is not.  None is ever changed into a key.  Where other programs
 *      would read such an entry as a key that no other entry has, that key is not missing: it cannot be read.
 * (N3) A name that ends in '/', of an entry without bytes, is a directory and is ignored.
 */
#include <stdio.h>

#include "store/store_zip.h"

/* The upper half of code page 437 (the letters that DOS had). */
static const uint16_t upper437[128] = {
    0x00C7, 0x00FC, 0x00E9, 0x00E2, 0x00E4, 0x00E0, 0x00E5, 0x00E7, 0x00EA, 0x00EB, 0x00E8, 0x00EF, 0x00EE,
    0x00EC, 0x00C4, 0x00C5, 0x00C9, 0x00E6, 0x00C6, 0x00F4, 0x00F6, 0x00F2, 0x00FB, 0x00F9, 0x00FF, 0x00D6,
    0x00DC, 0x00A2, 0x00A3, 0x00A5, 0x20A7, 0x0192, 0x00E1, 0x00ED, 0x00F3, 0x00FA, 0x00F1, 0x00D1, 0x00AA,
    0x00BA, 0x00BF, 0x2310, 0x00AC, 0x00BD, 0x00BC, 0x00A1, 0x00AB, 0x00BB, 0x2591, 0x2592, 0x2593, 0x2502,
    0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557, 0x255D, 0x255C, 0x255B, 0x2510, 0x2514,
    0x2534, 0x252C, 0x251C, 0x2500, 0x253C, 0x255E, 0x255F, 0x255A, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550,
    0x256C, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256B, 0x256A, 0x2518, 0x250C,
    0x2588, 0x2584, 0x258C, 0x2590, 0x2580, 0x03B1, 0x00DF, 0x0393, 0x03C0, 0x03A3, 0x03C3, 0x00B5, 0x03C4,
    0x03A6, 0x0398, 0x03A9, 0x03B4, 0x221E, 0x03C6, 0x03B5, 0x2229, 0x2261, 0x00B1, 0x2265, 0x2264, 0x2320,
    0x2321, 0x00F7, 0x2248, 0x00B0, 0x2219, 0x00B7, 0x221A, 0x207F, 0x00B2, 0x25A0, 0x00A0,
};

const uint8_t *
zinc_zip_extra(const uint8_t *extra, size_t n, uint16_t id, size_t *nfound)
{
	size_t at = 0, len;

	while (n - at >= 4) {
		len = zip_get16(extra + at + 2);
		if (len > n - at - 4)
			return NULL;
		if (zip_get16(extra + at) == id) {
			*nfound = len;
			return extra + at + 4;
		}
		at += 4 + len;
	}
	return NULL;
}

/* Is every byte a character of ASCII, and none a control character, which escape() makes longer? */
static bool
is_plain(const uint8_t *name, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (name[i] < ' ' || name[i] >= 0x7F)
			return false;
	return true;
}

/* A byte becomes at most three of UTF-8, or "\xNN".  The Unicode path is in the extra field, which is not longer. */
size_t
zinc_zip_name_room(const zip_record *r)
{
	return is_plain(r->name, r->nname) ? (size_t)r->nname + 1 : 4 * (size_t)r->nname + r->nextra + 1;
}

/* For display: bytes that are not ASCII, or are control characters, as \xNN. */
static size_t
escape(const uint8_t *name, size_t n, char *out)
{
	static const char digits[] = "0123456789abcdef";
	size_t i, at = 0;

	for (i = 0; i < n; i++)
		if (name[i] >= ' ' && name[i] < 0x7F)
			out[at++] = (char)name[i];
		else {
			out[at++] = '\\';
			out[at++] = 'x';
			out[at++] = digits[name[i] >> 4];
			out[at++] = digits[name[i] & 15];
		}
	out[at++] = '\0';
	return at;
}

static size_t
from_437(const uint8_t *name, size_t n, char *out)
{
	size_t i, at = 0;

	for (i = 0; i < n; i++)
		if (name[i] < 0x80)
			out[at++] = (char)name[i];
		else
			at += zinc_utf8_put(out + at, upper437[name[i] - 0x80]);
	return at;
}

/* The Unicode path: version 1, the CRC-32 of the name it replaces, UTF-8. */
static const uint8_t *
unicode_path(const zip_record *r, size_t *n)
{
	const uint8_t *p = zinc_zip_extra(r->extra, r->nextra, ZIP_EXTRA_NAME, n);

	if (!p || *n < 5 || p[0] != 1 || zinc_get_le32(p + 1) != zinc_crc32(0, r->name, r->nname))
		return NULL;
	*n -= 5;
	return zinc_utf8_valid((const char *)p + 5, *n) ? p + 5 : NULL;
}

/* Append the NUL, and find out whether it is a key. */
static const char *
judge(const zip_record *r, char *out, size_t n)
{
	const bool dir = n > 1 && out[n - 1] == '/' && r->nbytes == 0;
	const char *why = NULL;

	out[n] = '\0';
	if (memchr(out, 0, n))
		return "its name has a NUL";
	if (memchr(out, '\\', n))
		return "its name has a '\\', which some programs take for a '/'";
	if (dir)
		out[n - 1] = '\0';
	if (zinc_key_check(out, NULL) != ZINC_OK)
		why = "its name is absolute, or has \"..\", \".\", an empty component or a control character";
	if (dir)
		out[n - 1] = '/';
	return why || !dir ? why : "";
}

/* Is it a separator for some program?  "\xNN" is a byte that was escaped. */
static bool
is_separator(const char *p)
{
	return *p == '/' || (*p == '\\' && (p[1] != 'x' || strspn(p + 2, "0123456789abcdef") < 2));
}

size_t
zinc_zip_usual(const char *name, char *out)
{
	const char *p = name, *end;
	size_t n = 0, len;

	for (; *p; p = *end ? end + 1 : end) {
		for (end = p; *end && !is_separator(end); end++)
			continue;
		len = (size_t)(end - p);
		if (len == 0 || (len == 1 && *p == '.'))
			continue;
		if (n)
			out[n++] = '/';
		memcpy(out + n, p, len);
		n += len;
	}
	out[n] = '\0';
	if (p > name && is_separator(p - 1))
		return 0; /* a directory for them */
	return n && zinc_key_check(out, NULL) == ZINC_OK && !strchr(out, '\\') ? n : 0;
}

void
zinc_zip_say_alias(const zip_odd *odd, char *out, size_t cap)
{
	char shown[160];

	zinc_show(shown, sizeof shown, odd->name);
	snprintf(out, cap,
		 "the archive has it as \"%s\", which other programs may take for this key: %s; pack the archive again",
		 shown, odd->why);
}

size_t
zinc_zip_name(const zip_record *r, char *out, const char **why)
{
	const uint8_t *unicode;
	size_t n = r->nname;

	*why = NULL;
	if (r->flags & ZIP_UTF8 && !zinc_utf8_valid((const char *)r->name, n))
		*why = "its name should be UTF-8 and is not";
	else if (r->flags & ZIP_UTF8 || is_plain(r->name, n))
		memcpy(out, r->name, n);
	else if ((unicode = unicode_path(r, &n)))
		memcpy(out, unicode, n);
	else
		n = from_437(r->name, r->nname, out);
	if (!*why)
		*why = judge(r, out, n);
	return *why && **why ? escape(r->name, r->nname, out) : n + 1;
}
