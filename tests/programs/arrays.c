/*
 * arrays.c - arrays: their properties, reading, writing, growing, the buffered writer
 */
#include "every_call.h"

static float elements[16][16];

static void
fill_elements(void)
{
	int i;

	for (i = 0; i < 256; i++)
		elements[i / 16][i % 16] = (float)(i + 1);
}

static void
set_options(zinc_array_options *o, const uint64_t *shards)
{
	static const char *const names[] = {"y", NULL};
	static const uint64_t shape[] = {16, 16}, chunks[] = {4, 4};

	o->ndim = 2;
	o->shape = shape;
	o->chunks = chunks;
	o->shards = shards;
	o->dtype = "float32";
	o->fill = "7.0";
	o->codecs = "crc32c";
	o->dimension_names = names;
	o->attributes = "{\"units\": \"m\"}";
}

/* ---- properties ---- */

static void
look(zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	uint64_t n[ZINC_MAX_NDIM], start, extent, chunk;
	char text[8];
	size_t length;
	float fill;

	CHECK(zinc_array_ndim(a) == 2 && zinc_array_shape(a)[0] == 16 && zinc_array_shape(a)[1] == 16);
	CHECK(zinc_array_type(a) == ZINC_FLOAT32 && zinc_array_element_size(a) == 4 && !zinc_array_variable(a));
	TEXT_IS(zinc_array_dtype(a), "float32");
	TEXT_IS(zinc_array_dimension_name(a, 0), "y");
	CHECK(!zinc_array_dimension_name(a, 1) && !zinc_array_unsupported(a));
	CHECK(zinc_array_path(a)[0] == '/');
	TEXT_IS(zinc_hierarchy_format(zinc_array_hierarchy(a)), "v3");
	CHECK(zinc_array_chunk_shape(a, n) && n[0] == 4 && n[1] == 4);
	if (zinc_array_shard_shape(a, n))
		CHECK(n[0] == 8 && n[1] == 16 && zinc_array_grid_shape(a, n) && n[0] == 2 && n[1] == 1);
	else
		CHECK(zinc_array_grid_shape(a, n) && n[0] == 4 && n[1] == 4);
	CHECK(zinc_array_grid_regular(a) && zinc_array_chunk_find(a, 0, 15, &chunk) && chunk + 1 == n[0]);
	CHECK(zinc_array_chunk_span(a, 0, chunk, &start, &extent) && start == chunk * extent && start + extent == 16);
	memcpy(&fill, zinc_array_fill(a), sizeof fill);
	CHECK(fill == 7);
	OK(zinc_array_describe(a, &b, &err));
	HAS(b.data, "\"float32\"");
	zinc_blob_fini(&b);
	OK(zinc_array_element_print(a, &fill, ZINC_SPELL_JSON, text, sizeof text, &length, &err));
	TEXT_IS(text, "7.0");
	CHECK(length == 3);
}

/* ---- reading and writing ---- */

static int
count_progress(void *arg, uint64_t units_done, uint64_t units_total, uint64_t bytes_done)
{
	(void)bytes_done;
	CHECK(units_done <= units_total);
	++*(int *)arg;
	return 0;
}

static void
read_and_write(zinc_array *a)
{
	static const uint64_t start[] = {3, 5}, count[] = {6, 2}, step[] = {2, 3};
	zinc_selection box = ZINC_SELECTION_ALL, *parsed = NULL;
	zinc_call_options call = ZINC_CALL_OPTIONS_INIT;
	zinc_io_options io = ZINC_IO_OPTIONS_INIT;
	zinc_array *coordinate = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t shape[ZINC_MAX_NDIM];
	float all[16][16], part[6][2];
	int32_t whole[2];
	int ndim, told = 0;

	call.timeout = 600;
	call.progress = count_progress;
	call.progress_arg = &told;
	io.call = &call;
	OK(zinc_array_write_text(a, NULL, ZINC_BUFFER(&elements[0][0], sizeof elements), &io, &err));
	CHECK(told > 0);
	OK(zinc_array_read(a, NULL, ZINC_BUFFER(&all[0][0], sizeof all), &io, &err));
	CHECK(memcmp(all, elements, sizeof all) == 0);
	box.kind = ZINC_SELECT_BOX;
	box.ndim = 2;
	box.start = start;
	box.count = count;
	box.step = step;
	OK(zinc_array_selection_shape(a, &box, &ndim, shape, &err));
	CHECK(ndim == 2 && shape[0] == 6 && shape[1] == 2);
	OK(zinc_array_read(a, &box, ZINC_BUFFER(&part[0][0], sizeof part), NULL, &err));
	CHECK(part[5][1] == elements[13][8]);
	part[5][1] = -1;
	OK(zinc_array_write(a, &box, ZINC_BUFFER(&part[0][0], sizeof part), NULL, &err));
	OK(zinc_selection_parse(&parsed, a, "13, [8, 0]", &err));
	OK(zinc_array_read(a, parsed, ZINC_BUFFER(whole, sizeof whole), NULL, &err)); /* float32 -> int32 */
	CHECK(whole[0] == -1 && whole[1] == 13 * 16 + 1);
	zinc_selection_free(parsed);
	OK(zinc_selection_find(&parsed, a, "13, 8", NULL, &err));
	zinc_selection_free(parsed);
	GIVES(ZINC_E_INVALID, zinc_selection_find(&parsed, a, "x@8", NULL, &err));
	OK(zinc_selection_check_used("x=8, y=1", 3, &err));
	GIVES(ZINC_E_INVALID, zinc_selection_check_used("x=8, y=1", 1, &err));
	GIVES(ZINC_E_NOTFOUND, zinc_cf_coordinate(&coordinate, a, 0, NULL, &err));
	OK(zinc_array_write_text(a, "13, 8", ZINC_BUFFER(&elements[13][8], sizeof(float)), NULL, &err));
	GIVES(ZINC_E_RANGE, zinc_array_read_text(a, "16, 0", ZINC_BUFFER(whole, sizeof whole), NULL, &err));
}

static void
use_chunks(zinc_array *a)
{
	static const uint64_t first[] = {0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob bytes = ZINC_BLOB_INIT, none = ZINC_BLOB_INIT, key = ZINC_BLOB_INIT;
	float one;

	OK(zinc_array_chunk_key(a, first, &key, &err));
	HAS(key.data, "c/0/0");
	OK(zinc_array_chunk_get(a, first, &bytes, NULL, &err));
	OK(zinc_array_chunk_put(a, first, NULL, 0, NULL, &err));
	GIVES(ZINC_E_NOTFOUND, zinc_array_chunk_get(a, first, &none, NULL, &err));
	OK(zinc_array_read_text(a, "0, 0", ZINC_BUFFER(&one, sizeof one), NULL, &err));
	CHECK(one == 7);
	OK(zinc_array_chunk_put(a, first, bytes.data, bytes.nbytes, NULL, &err));
	OK(zinc_array_read_text(a, "0, 0", ZINC_BUFFER(&one, sizeof one), NULL, &err));
	CHECK(one == 1);
	zinc_blob_fini(&key);
	zinc_blob_fini(&bytes);
}

static void
grow_and_shrink(zinc_array *a)
{
	static const uint64_t square[] = {16, 16}, row[] = {1, 16};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer more = ZINC_BUFFER_INIT(ZINC_FLOAT32, &elements[3][0], sizeof elements[3]);
	zinc_caps caps = ZINC_CAPS_INIT;
	uint64_t at = 0;
	float last;
	int lists;

	more.ndim = 2;
	more.shape = row;
	OK(zinc_array_append(a, 0, &more, NULL, &at, &err));
	CHECK(at == 16 && zinc_array_shape(a)[0] == 17);
	OK(zinc_array_read_text(a, "16, 15", ZINC_BUFFER(&last, sizeof last), NULL, &err));
	CHECK(last == elements[3][15]);
	zinc_store_caps(zinc_hierarchy_store(zinc_array_hierarchy(a)), &caps);
	lists = (caps.flags & ZINC_CAP_LIST) != 0; /* otherwise the chunks outside are unknown */
	GIVES(lists ? ZINC_OK : ZINC_E_UNSUPPORTED, zinc_array_resize_check(a, square, &err));
	GIVES(lists ? ZINC_OK : ZINC_E_UNSUPPORTED, zinc_array_resize(a, square, NULL, &err));
	OK(zinc_array_refresh(a, NULL, &err));
	CHECK(zinc_array_shape(a)[0] == (lists ? 16u : 17u));
}

/* ---- the writer ---- */

static void
use_writer(zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *row = NULL;
	zinc_writer *w = NULL;
	float line[16], zero[16] = {0};

	OK(zinc_selection_parse(&row, a, "9, :", &err));
	OK(zinc_writer_new(&w, a, 0, NULL, &err));
	OK(zinc_writer_write(w, row, ZINC_BUFFER(zero, sizeof zero), NULL, &err));
	OK(zinc_array_read(a, row, ZINC_BUFFER(line, sizeof line), NULL, &err));
	CHECK(line[3] == elements[9][3]); /* collected, not written */
	OK(zinc_writer_flush(w, NULL, &err));
	OK(zinc_array_read(a, row, ZINC_BUFFER(line, sizeof line), NULL, &err));
	CHECK(line[3] == 0);
	OK(zinc_writer_write(w, row, ZINC_BUFFER(&elements[9][0], sizeof line), NULL, &err));
	OK(zinc_writer_close(w, NULL, &err));
	OK(zinc_array_read(a, row, ZINC_BUFFER(line, sizeof line), NULL, &err));
	CHECK(line[3] == elements[9][3]);
	OK(zinc_writer_new(&w, a, 0, NULL, &err));
	OK(zinc_writer_write(w, row, ZINC_BUFFER(zero, sizeof zero), NULL, &err));
	zinc_writer_free(w); /* discards */
	OK(zinc_array_read(a, row, ZINC_BUFFER(line, sizeof line), NULL, &err));
	CHECK(line[3] == elements[9][3]);
	zinc_selection_free(row);
}

/* ---- layers ---- */

static void
count_line(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	(void)operation, (void)key, (void)nbytes, (void)st;
	__atomic_add_fetch((int *)arg, 1, __ATOMIC_RELAXED); /* from any thread */
}

static void
use_layers(zinc_array *a)
{
	zinc_layer_cache_options cache = ZINC_LAYER_CACHE_OPTIONS_INIT;
	zinc_layer_log_options log = ZINC_LAYER_LOG_OPTIONS_INIT;
	zinc_layer layers[] = {{zinc_layer_cache, NULL}, {zinc_layer_log, NULL}};
	zinc_stack_options options = ZINC_STACK_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	int lines = 0, once;
	float all[16][16];

	cache.bytes = 1 << 20;
	cache.trust = 1;
	log.fn = count_line;
	log.arg = &lines;
	layers[0].arg = &cache;
	layers[1].arg = &log;
	options.layers = layers;
	options.nlayers = 2;
	OK(zinc_array_stack(a, &options, &err));
	OK(zinc_array_read(a, NULL, ZINC_BUFFER(&all[0][0], sizeof all), NULL, &err));
	once = lines;
	OK(zinc_array_read(a, NULL, ZINC_BUFFER(&all[0][0], sizeof all), NULL, &err));
	CHECK(once > 0 && lines == once && all[15][15] == 256);
	OK(zinc_array_stack(a, NULL, &err));
}

void
use_array(zinc_array *a)
{
	fill_elements();
	look(a);
	read_and_write(a);
	use_chunks(a);
	use_writer(a);
	use_layers(a);
	grow_and_shrink(a);
}

void
call_arrays(const char *url)
{
	static const uint64_t shards[] = {8, 16};
	zinc_array_options options = ZINC_ARRAY_OPTIONS_INIT;
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	zinc_blob document = ZINC_BLOB_INIT;
	char at[4200];

	snprintf(at, sizeof at, "%s/arrays.zarr", url);
	open.create = 1;
	OK(zinc_hierarchy_open_url(&h, at, &open, &err));
	set_options(&options, NULL);
	OK(zinc_array_create(&a, h, "/plain", &options, &err));
	use_array(a);
	zinc_array_close(a);
	OK(zinc_array_open(&a, h, "/plain", NULL, &err));
	look(a);
	zinc_array_close(a);
	OK(zinc_node_document(h, "/plain", &document, NULL, &err));
	OK(zinc_array_open_document(&a, h, "/plain", (const char *)document.data, &err));
	look(a);
	zinc_array_close(a);
	zinc_blob_fini(&document);
	zinc_hierarchy_close(h);
	snprintf(at, sizeof at, "%s/arrays.zarr/sharded", url);
	set_options(&options, shards);
	OK(zinc_array_create_url(&a, at, &options, NULL, &err));
	use_array(a);
	zinc_array_close(a);
	OK(zinc_array_open_url(&a, at, NULL, &err));
	look(a);
	zinc_array_close(a);
	GIVES(ZINC_E_EXISTS, zinc_array_create_url(&a, at, &options, NULL, &err));
}
