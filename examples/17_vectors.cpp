/*
 * 17_vectors.cpp - the same interface from C++17: vectors, exceptions, and handles that close themselves
 */
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>
#include <zinc.h>

using array = std::unique_ptr<zinc_array, void (*)(zinc_array *)>;

/* A status becomes an exception with the error's text. */
static void
check(zinc_status st, zinc_error &err)
{
	if (st != ZINC_OK)
		throw std::runtime_error(zinc_error_text(&err));
}

static array
create(const std::string &url, const std::vector<uint64_t> &shape, const char *dtype)
{
	zinc_array_options options = ZINC_ARRAY_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *out = nullptr;

	options.ndim = static_cast<int>(shape.size());
	options.shape = shape.data();
	options.dtype = dtype;
	check(zinc_array_create_url(&out, url.c_str(), &options, nullptr, &err), err);
	return array(out, zinc_array_close);
}

template <typename T>
static void
write(const array &a, const std::vector<T> &values)
{
	zinc_error err = ZINC_ERROR_INIT;

	check(zinc_array_write_text(a.get(), nullptr, ZINC_BUFFER(values.data(), values.size() * sizeof(T)), nullptr,
				    &err),
	      err);
}

template <typename T>
static std::vector<T>
read(const array &a, const char *selection, size_t n)
{
	std::vector<T> values(n);
	zinc_error err = ZINC_ERROR_INIT;

	check(zinc_array_read_text(a.get(), selection, ZINC_BUFFER(values.data(), n * sizeof(T)), nullptr, &err), err);
	return values;
}

int
main()
try {
	std::vector<int32_t> numbers(12);
	std::iota(numbers.begin(), numbers.end(), 1);
	const array a = create("vectors.zarr", {3, 4}, "int32");

	write(a, numbers);
	for (double x : read<double>(a, "1, :", 4))
		std::printf("%g\n", x);
	read<double>(a, "7, :", 4);
	return 1;
} catch (const std::exception &e) {
	std::printf("caught: %s\n", e.what());
	return 0;
}
