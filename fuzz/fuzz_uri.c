/*
 * fuzz_uri.c - any two texts as a known URI and a given URI
 *
 * (1) Each matches itself.
 * (2) http and https are the same.
 * (3) URIs of different minor versions match both ways, those of different major versions neither way.
 * (4) In a list the best match is used.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[512], http[600], https[600];
	const char *known, *given, *both[3] = {NULL};
	zinc_uri_match there, back;

	if (size >= sizeof text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	known = text;
	given = strchr(text, '\n');
	given = given ? given + 1 : text + size;
	if (*given)
		text[given - text - 1] = '\0';
	insist(zinc_uri_compare(known, known) == ZINC_URI_SAME && zinc_uri_compare(given, given) == ZINC_URI_SAME);
	snprintf(http, sizeof http, "http://e/%s", known);
	snprintf(https, sizeof https, "https://e/%s", known);
	insist(zinc_uri_compare(http, https) == ZINC_URI_SAME);
	there = zinc_uri_compare(known, given);
	back = zinc_uri_compare(given, known);
	insist((there == ZINC_URI_MINOR) <= (back >= ZINC_URI_MINOR));
	insist((there == ZINC_URI_MAJOR) == (back == ZINC_URI_MAJOR));
	both[0] = known;
	both[1] = given;
	insist(zinc_uri_among(both, given) == ZINC_URI_SAME && zinc_uri_choose(both, given));
	return 0;
}
