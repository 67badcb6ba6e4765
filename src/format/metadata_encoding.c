/*
 * metadata_encoding.c - the encodings of documents that programs registered for the drafts
 *
 *     2022:  "metadata_encoding": {"extension": URI, "type": name, "metadata_key_suffix": ".yaml"}
 *     2020:  "metadata_encoding": URI, "metadata_key_suffix": ".yaml"
 *
 * JSON is not in this table: the entry point is always JSON, and so are all other documents without a registered
 * encoding.
 */
#include "format/extensions.h"

static zinc_names
names_of(const void *row)
{
	const zinc_metadata_encoding_def *def = row;

	return (zinc_names){.name = def->name, .uris = def->uris, .purpose = def->purpose, .also = def->uris[0]};
}

static zinc_table encodings = {.what = "a metadata encoding", .names = names_of};

/* The drafts of 2019 and 2020 have no `type`: NULL. */
const zinc_metadata_encoding_def *
zinc_metadata_encoding_find(const char *uri, const char *type, zinc_uri_match *match)
{
	const zinc_metadata_encoding_def *def = zinc_table_find_uri(&encodings, uri, match);

	if (!def || !type || strcmp(type, def->name) == 0)
		return def;
	*match = ZINC_URI_OTHER;
	return NULL;
}

const zinc_metadata_encoding_def *
zinc_metadata_encoding_named(const char *name)
{
	return zinc_table_find(&encodings, name);
}

/* ---- one document ---- */

/* Either direction: call with an estimated size, and again with the size that the program requests. */
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

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (!d.encode || !d.decode || !d.uris || !d.uris[0])
		return zinc_fail(err, ZINC_E_INVALID, "a metadata encoding lacks a function or its URI");
	if (d.name && strcmp(d.name, "json") == 0)
		return zinc_fail(err, ZINC_E_EXISTS, "\"json\" is built in");
	return zinc_table_add_copy(&encodings, &d, sizeof d, err);
}

void
zinc_list_metadata_encodings(zinc_row_fn fn, void *arg)
{
	if (fn(arg, "json", "", "JSON text") == 0)
		(void)zinc_table_each(&encodings, fn, arg);
}
