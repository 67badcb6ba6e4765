/*
 * transform.c - open a stack of layers from a document's list and a program's options
 */
#include "transform/transform_inside.h"

/* Put one more layer on the stack; it has its own reference to the layer below. */
static void
push_layer(zinc_store **top, zinc_store *layer)
{
	zinc_store_close(*top);
	*top = layer;
}

/* ---- layers of the document ---- */

static zinc_status
configuration_text(zinc_buf *out, const zinc_json *configuration, const char **text, zinc_error *err)
{
	*text = NULL;
	if (!configuration)
		return ZINC_OK;
	ZINC_TRY(zinc_json_print_line(configuration, out, err));
	*text = zinc_buf_text(out);
	return *text ? ZINC_OK : zinc_fail_nomem(err);
}

/* A configuration that the transformer rejects makes the document corrupt.  Only lack of memory, unsupported features
 * and exceeded limits keep their status. */
static zinc_status
document_error(zinc_status st, const char *name, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;

	if (st == ZINC_OK || st == ZINC_E_NOMEM)
		return st == ZINC_OK ? st : zinc_fail_nomem(err);
	if (err && err->code == st)
		zinc_error_copy(&why, err);
	return zinc_fail(err, st == ZINC_E_UNSUPPORTED || st == ZINC_E_LIMIT ? st : ZINC_E_CORRUPT,
			 "storage transformer \"%.60s\": %s", name, why.text[0] ? why.text : zinc_status_text(st));
}

static zinc_status
open_one(zinc_store **out, const zinc_extension *x, const zinc_transformer_def *def, const zinc_transformer_input *in,
	 zinc_error *err)
{
	const char *configuration;
	zinc_status st;
	zinc_buf text;

	if (!def)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "storage transformer \"%.60s\" is not known", x->name);
	zinc_buf_init(&text, in->context, zinc_max_text(in->context));
	st = configuration_text(&text, x->configuration, &configuration, err);
	if (st == ZINC_OK)
		st = document_error((def->open ? def->open : zinc_sharding_open)(out, configuration, in, err), x->name,
				    err);
	zinc_buf_fini(&text);
	return st;
}

/* Findings were reported when the document was read. */
static void
discard_finding(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	(void)arg, (void)severity, (void)rule, (void)pointer, (void)message;
}

/* Open one item; *out stays NULL if it is unknown and may be ignored. */
static zinc_status
open_item(zinc_store **out, const zinc_json *v, zinc_transformer_find_fn find, const zinc_transformer_input *in,
	  zinc_error *err)
{
	const zinc_transformer_def *def;
	zinc_extension x;
	zinc_report r;

	*out = NULL;
	zinc_report_init(&r, in->context, false, "");
	r.found = discard_finding;
	ZINC_TRY(zinc_extension_parse(&x, v, &r, err));
	def = find(x.name);
	if (x.ignorable && !def)
		return ZINC_OK;
	return open_one(out, &x, def, in, err);
}

/* The list begins with the layer nearest to the array, so layers are opened from its end. */
static zinc_status
open_list(zinc_store **top, const zinc_json *list, zinc_transformer_find_fn find, const zinc_transformer_input *in,
	  zinc_error *err)
{
	zinc_transformer_input mine = *in;
	zinc_store *layer;
	size_t i;

	for (i = list ? list->n : 0; i-- > 0;) {
		mine.next = *top;
		ZINC_TRY(open_item(&layer, zinc_json_item(list, i), find, &mine, err));
		if (layer)
			push_layer(top, layer);
	}
	return ZINC_OK;
}

/* ---- layers of the program ---- */

static zinc_status
open_layers(zinc_store **top, const zinc_stack_options *options, const zinc_transformer_input *in, zinc_error *err)
{
	zinc_transformer_input mine = *in;
	zinc_store *layer;
	size_t i;

	for (i = options ? options->nlayers : 0; i-- > 0;) {
		mine.next = *top;
		layer = NULL;
		ZINC_TRY(options->layers[i].make(&layer, options->layers[i].arg, &mine, err));
		if (layer)
			push_layer(top, layer);
	}
	return ZINC_OK;
}

zinc_status
zinc_stack_open(zinc_store **out, const zinc_json *list, zinc_transformer_find_fn find,
		const zinc_stack_options *options, const zinc_transformer_input *in, zinc_error *err)
{
	zinc_transformer_input mine = *in;
	zinc_store *top = zinc_store_ref(in->next);
	zinc_status st;

	if (options) {
		mine.shard_order = options->shard_order;
		mine.single_writer = options->single_writer;
	}
	st = open_list(&top, list, find, &mine, err);
	if (st == ZINC_OK)
		st = open_layers(&top, options, &mine, err);
	if (st == ZINC_OK)
		*out = top;
	else
		zinc_store_close(top);
	return st;
}

/* ---- keys ---- */

/* No key of a chunk is longer.  If a program's encoding makes a longer one, the result is not a valid key and the store
 * rejects it. */
#define KEY_ROOM 4096

static size_t
encode_key(const zinc_transformer_input *in, const uint64_t *index, char *out, size_t room)
{
	const zinc_keys *k = (const zinc_keys *)in->keys;
	char text[KEY_ROOM];
	zinc_buf b;

	zinc_buf_wrap(&b, text, sizeof text);
	if (zinc_keys_encode(k, index, in->ndim, &b, NULL) != ZINC_OK)
		zinc_buf_end(&b, 0);
	if (b.n < room) {
		memcpy(out, text, b.n);
		out[b.n] = '\0';
	}
	return b.n;
}

static int
decode_key(const zinc_transformer_input *in, const char *key, uint64_t *index)
{
	const zinc_keys *k = (const zinc_keys *)in->keys;

	return zinc_keys_decode(k, key, in->ndim, index);
}

void
zinc_transformer_keys(zinc_transformer_input *in, const zinc_keys *keys)
{
	in->encode_key = encode_key;
	in->decode_key = decode_key;
	in->keys = keys;
}
