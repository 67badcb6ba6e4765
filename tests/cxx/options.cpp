/*
 * options.cpp - the public interface as C++17 uses it
 *
 * The option structures through their _INIT macros, and ZINC_BUFFER through overloads: every element
 * type must arrive as itself, const or not, and an array must survive the way out and back.  What must not compile is in
 * tests/scripts/test_buffer_types.
 */
#include <climits>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <zinc.h>

static int failures;

#define EXPECT(condition)                                                         \
	do {                                                                      \
		if (!(condition)) {                                               \
			std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			failures++;                                               \
		}                                                                 \
	} while (0)

template <typename T>
static void
expect_type(zinc_type type)
{
	T element = T();
	const T *constant = &element;

	EXPECT((*ZINC_BUFFER(&element, sizeof element)).type == type);
	EXPECT((*ZINC_BUFFER(constant, sizeof element)).type == type);
	EXPECT((*ZINC_BUFFER(&element, sizeof element)).nbytes == sizeof element);
	EXPECT(zinc_type_size(type) == sizeof(T));
}

static void
check_types()
{
	expect_type<bool>(ZINC_BOOL);
	expect_type<int8_t>(ZINC_INT8);
	expect_type<int16_t>(ZINC_INT16);
	expect_type<int32_t>(ZINC_INT32);
	expect_type<int64_t>(ZINC_INT64);
	expect_type<uint8_t>(ZINC_UINT8);
	expect_type<uint16_t>(ZINC_UINT16);
	expect_type<uint32_t>(ZINC_UINT32);
	expect_type<uint64_t>(ZINC_UINT64);
	expect_type<float>(ZINC_FLOAT32);
	expect_type<double>(ZINC_FLOAT64);
	/* types that have no intN_t of their own */
	expect_type<char>(CHAR_MIN < 0 ? ZINC_INT8 : ZINC_UINT8);
	expect_type<signed char>(ZINC_INT8);
	expect_type<unsigned char>(ZINC_UINT8);
	expect_type<long>(sizeof(long) == 8 ? ZINC_INT64 : ZINC_INT32);
	expect_type<unsigned long>(sizeof(long) == 8 ? ZINC_UINT64 : ZINC_UINT32);
	expect_type<long long>(ZINC_INT64);
	expect_type<unsigned long long>(ZINC_UINT64);
	expect_type<std::complex<float>>(ZINC_COMPLEX64);
	expect_type<std::complex<double>>(ZINC_COMPLEX128);
	EXPECT((*ZINC_BUFFER(static_cast<void *>(nullptr), 0)).type == ZINC_NATIVE);
	EXPECT((*ZINC_BUFFER(static_cast<const void *>(nullptr), 0)).type == ZINC_NATIVE);
}

static void
check_options()
{
	zinc_context_options context = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_io_options io = ZINC_IO_OPTIONS_INIT;
	zinc_store_options store = ZINC_STORE_OPTIONS_INIT;
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;
	zinc_array_options array = ZINC_ARRAY_OPTIONS_INIT;

	EXPECT(context.size == sizeof context);
	EXPECT(io.size == sizeof io);
	EXPECT(store.size == sizeof store);
	EXPECT(open.size == sizeof open);
	EXPECT(array.size == sizeof array);
}

static void
check_array()
{
	const uint64_t shape[] = {4, 6}, chunks[] = {2, 3};
	const float row[6] = {1, 2, 3, 4, 5, 6};
	const int64_t backwards[] = {-4};
	float out[4][6], in[2][6];
	zinc_buffer reversed = *ZINC_BUFFER(row, sizeof row);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array_options options = ZINC_ARRAY_OPTIONS_INIT;
	zinc_array *a = nullptr;

	for (int i = 0; i < 24; i++)
		out[i / 6][i % 6] = static_cast<float>(i);
	options.ndim = 2;
	options.shape = shape;
	options.chunks = chunks;
	options.dtype = "float32";
	if (zinc_array_create_url(&a, "cxx.zarr", &options, nullptr, &err) ||
	    zinc_array_write_text(a, "", ZINC_BUFFER(&out[0][0], sizeof out), NULL, &err) ||
	    zinc_array_read_text(a, "1:3, :", ZINC_BUFFER(&in[0][0], sizeof in), NULL, &err))
		std::fprintf(stderr, "%s\n", zinc_error_text(&err));
	EXPECT(zinc_error_status(&err) == ZINC_OK);
	EXPECT(in[0][0] == 6.0f && in[1][5] == 17.0f);
	/* from const memory, and by its members */
	reversed.ndim = 1;
	reversed.strides = backwards;
	reversed.first = 20;
	if (zinc_array_write_text(a, "0, :", ZINC_BUFFER(row, sizeof row), NULL, &err) ||
	    zinc_array_write_text(a, "1, :", &reversed, NULL, &err) ||
	    zinc_array_read_text(a, "0:2, :", ZINC_BUFFER(&in[0][0], sizeof in), NULL, &err))
		std::fprintf(stderr, "%s\n", zinc_error_text(&err));
	EXPECT(in[0][0] == 1.0f && in[0][5] == 6.0f && in[1][0] == 6.0f && in[1][5] == 1.0f);
	zinc_array_close(a);
}

int
main()
{
	check_types();
	check_options();
	check_array();
	return failures != 0;
}
