/*
 * metadata_encoding.c - what the documents of a draft's hierarchy are stored as, when it is a program's affair
 *
 *     2022:  "metadata_encoding": {"extension": URI, "type": name, "metadata_key_suffix": ".yaml"}
 *     2020:  "metadata_encoding": URI, "metadata_key_suffix": ".yaml"
 *
 * JSON is no row here: the entry point is always JSON, and without an encoding of a program's so is all else.
 */
#include "format/extensions.h"

typedef struct encoding_row {
	const char *name; /* first, for the registry */
	zinc_metadata_encoding_def def;
} encoding_row;

static zinc_registry registered;

/* The drafts of 2019 and 2020 have no `type`: NULL. */
const zinc_metadata_encoding_def *
zinc_metadata_encoding_find(const char *uri, const char *type, zinc_uri_match *match)
{
	const encoding_row *row, *found = NULL;
	zinc_uri_match one;
	size_t i;

	*match = ZINC_URI_OTHER;
	for (i = 0; (row = zinc_registry_item(&registered, i)); i++) {
		one = type && strcmp(type, row->name) != 0 ? ZINC_URI_OTHER : zinc_uri_among(row->def.uris, uri);
		if (one > *match) {
			*match = one;
			found = row;
		}
	}
	return *match >= ZINC_URI_MINOR ? &found->def : NULL;
}

const zinc_metadata_encoding_def *
zinc_metadata_encoding_named(const char *name)
{
	const encoding_row *row = zinc_registry_find(&registered, name);

	return row ? &row->def : NULL;
}

/* ---- one document ---- */

/* Either direction: call with a guess, and once more with what the program asks for. */
typedef zinc_status (*turn_fn)(const zinc_metadata_encoding_def *def, zinc_bytes in, void *out, size_t *nout,
			       zinc_error *err);

static zinc_status
turn_to_json(const zinc_metadata_encoding_def *def, zinc_bytes in, void *out, size_t *nout, zinc_error *err)
{
	return def->decode(in.p, in.n, out, nout, err);
}

static zinc_status
turn_to_bytes(const zinc_metadata_encoding_def *def, zinc_bytes in, void *out, size_t *nout, zinc_error *err)
{
	return def->encode((const char *)in.p, in.n, out, nout, err);
}

#define FIRST_BYTES 4096u

static zinc_status
turn(const zinc_metadata_encoding_def *def, turn_fn fn, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	size_t room = FIRST_BYTES, n;
	zinc_status st;
	int tries;

	for (tries = 0; tries < 2; tries++) {
		ZINC_TRY(zinc_buf_reserve(out, room, err));
		n = room;
		st = fn(def, in, out->p + out->n, &n, &why);
		if (st != ZINC_E_LIMIT || n <= room)
			break;
		room = n;
	}
	if (st == ZINC_OK && n > room)
		st = zinc_fail(&why, ZINC_E_INVALID, "it wrote %zu bytes where there is room for %zu", n, room);
	if (st != ZINC_OK)
		return zinc_fail(err, st, "metadata encoding \"%s\": %s", def->name,
				 why.code == st ? why.text : zinc_status_text(st));
	zinc_buf_end(out, out->n + n);
	return ZINC_OK;
}

zinc_status
zinc_metadata_decode(const zinc_metadata_encoding_def *def, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	return turn(def, turn_to_json, in, out, err);
}

zinc_status
zinc_metadata_encode(const zinc_metadata_encoding_def *def, zinc_bytes json, zinc_buf *out, zinc_error *err)
{
	return turn(def, turn_to_bytes, json, out, err);
}

/* ---- registration ---- */

zinc_status
zinc_register_metadata_encoding(const zinc_metadata_encoding_def *def, zinc_error *err)
{
	zinc_metadata_encoding_def d;
	const char *const *uri;
	zinc_uri_match match;
	encoding_row *row;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (!d.encode || !d.decode || !d.uris || !d.uris[0])
		return zinc_fail(err, ZINC_E_INVALID, "a metadata encoding lacks a function or its URI");
	if (d.name && strcmp(d.name, "json") == 0)
		return zinc_fail(err, ZINC_E_EXISTS, "\"json\" is built in");
	for (uri = d.uris; *uri; uri++)
		if (zinc_metadata_encoding_find(*uri, NULL, &match))
			return zinc_fail(err, ZINC_E_EXISTS, "there is a metadata encoding \"%s\" already", *uri);
	row = zinc_calloc(NULL, 1, sizeof *row);
	if (!row)
		return zinc_fail_nomem(err);
	row->name = d.name;
	row->def = d;
	st = zinc_registry_add(&registered, row, err);
	if (st != ZINC_OK)
		zinc_free(NULL, row);
	return st; /* the row stays for ever */
}

void
zinc_list_metadata_encodings(zinc_row_fn fn, void *arg)
{
	const encoding_row *row;
	size_t i;

	if (fn(arg, "json", "", "JSON text"))
		return;
	for (i = 0; (row = zinc_registry_item(&registered, i)); i++)
		if (fn(arg, row->name, row->def.uris[0], row->def.purpose ? row->def.purpose : ""))
			return;
}
