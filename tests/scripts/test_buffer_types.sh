#!/usr/bin/env bash
# test_buffer_types.sh - what ZINC_BUFFER takes compiles without a warning, and everything else not at all
#
# Each line is a snippet within a function that has an array `a` and an error `err`; "no" lines must not compile, for the
# reason that their neighbours do.
set -eu
cd "$(dirname "$0")/../.."
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
flags="-Wall -Wextra -Wpedantic -Werror -Iinclude"
checked=0

# What every snippet includes is compiled once: c.h and cpp.h, each with a precompiled twin that -include finds.
{
	echo '#include <zinc.h>'
	echo 'zinc_status f(zinc_array *a, zinc_error *err);'
} >"$room/c.h"
{ echo '#include <complex>' && cat "$room/c.h" && echo '#include <array>'; } >"$room/cpp.h"
${CC:-cc} -std=c11 $flags -x c-header "$room/c.h" -o "$room/c.h.gch"
if command -v "${CXX:-c++}" >/dev/null; then ${CXX:-c++} -std=c++17 $flags -x c++-header "$room/cpp.h" -o "$room/cpp.h.gch"; fi

# try LANGUAGE yes|no SNIPPET
try() {
	local got=yes
	echo "zinc_status f(zinc_array *a, zinc_error *err) { $3 }" >"$room/x.$1"
	if [ "$1" = c ]; then
		${CC:-cc} -std=c11 $flags -fsyntax-only -include "$room/c.h" "$room/x.c" 2>"$room/why" || got=no
	else
		${CXX:-c++} -std=c++17 $flags -fsyntax-only -include "$room/cpp.h" "$room/x.cpp" 2>"$room/why" || got=no
	fi
	if [ "$got" != "$2" ]; then
		echo "$1: compiles: $got, should: $2: $3" >&2
		cat "$room/why" >&2
		exit 1
	fi
	checked=$((checked + 1))
}

languages=c
if command -v "${CXX:-c++}" >/dev/null; then languages="c cpp"; fi

for language in $languages; do
	for type in float char 'unsigned long' 'long long' void; do
		element=${type/void/char}
		try $language yes "$element v[2] = {0, 0}; $type *p = v; return zinc_array_read_text(a, \"\", ZINC_BUFFER(p, sizeof v), NULL, err);"
		try $language yes "$element v[2] = {0, 0}; $type *p = v; return zinc_array_write_text(a, \"\", ZINC_BUFFER(p, sizeof v), NULL, err);"
		try $language yes "const $element v[2] = {0, 0}; const $type *p = v; return zinc_array_write_text(a, \"\", ZINC_BUFFER(p, sizeof v), NULL, err);"
		try $language no "const $element v[2] = {0, 0}; const $type *p = v; return zinc_array_read_text(a, \"\", ZINC_BUFFER(p, sizeof v), NULL, err);"
		try $language no "const $element v[2] = {0, 0}; const $type *p = v; return zinc_array_read(a, 0, ZINC_BUFFER(p, sizeof v), 0, err);"
	done
	# whatever has no number of Zarr's
	try $language no 'long double v[2] = {0, 0}; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	try $language no 'const long double v[2] = {0, 0}; return zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	try $language no 'struct s { int i; } v[2] = {{0}, {0}}; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	try $language no 'float v[2][2] = {{0}}; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	try $language no 'float *v[2] = {0, 0}; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	try $language no 'volatile float v[2] = {0, 0}; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	# what a listing shows of an array cannot be read, written, asked or closed
	for call in 'zinc_array_read(n->array, 0, ZINC_BUFFER(v, sizeof v), 0, err)' 'zinc_array_write(n->array, 0, ZINC_BUFFER(v, sizeof v), 0, err)' \
		'zinc_array_describe(n->array, 0, err)' '(zinc_array_close(n->array), ZINC_OK)'; do
		try $language no "const zinc_node *n = 0; float v[2] = {0, 0}; (void)a; (void)v; (void)err; return $call;"
		try $language yes "const zinc_node *n = 0; float v[2] = {0, 0}; (void)n; (void)v; (void)err; return ${call//n->array/a};"
	done
	try $language yes 'const zinc_node *n = 0; zinc_blob b = ZINC_BLOB_INIT; (void)a; return zinc_array_info_describe(n->array, &b, err);'
	# all that write, from both kinds, and structures filled by hand
	for const in '' const; do
		try $language yes "$const float v[2] = {0, 0}; return zinc_array_write(a, 0, ZINC_BUFFER(v, sizeof v), 0, err);"
		try $language yes "$const float v[2] = {0, 0}; return zinc_array_append(a, 0, ZINC_BUFFER(v, sizeof v), 0, 0, err);"
		try $language yes "$const float v[2] = {0, 0}; zinc_writer *w = 0; (void)a; return zinc_writer_write(w, 0, ZINC_BUFFER(v, sizeof v), 0, err);"
	done
	try $language yes 'float v[2] = {0, 0}; zinc_buffer b = ZINC_BUFFER_INIT(ZINC_NATIVE, v, sizeof v); b.first = 4; return zinc_array_read(a, 0, &b, 0, err);'
	try $language yes 'float v[2] = {0, 0}; const zinc_buffer b = ZINC_BUFFER_INIT(ZINC_NATIVE, v, sizeof v); return zinc_array_write(a, 0, &b, 0, err);'
	try $language no 'float v[2] = {0, 0}; const zinc_buffer b = ZINC_BUFFER_INIT(ZINC_NATIVE, v, sizeof v); return zinc_array_read(a, 0, &b, 0, err);'
	try $language no 'const float v[2] = {0, 0}; zinc_buffer b = ZINC_BUFFER_INIT(ZINC_NATIVE, v, sizeof v); return zinc_array_write(a, 0, &b, 0, err);'
	try $language yes 'float v[2] = {0, 0}; return zinc_array_read(a, 0, ZINC_BUFFER_AS(ZINC_BOOL, v, sizeof v), 0, err);'
	try $language yes 'const float v[2] = {0, 0}; return zinc_array_write(a, 0, ZINC_BUFFER_AS(ZINC_BOOL, v, sizeof v), 0, err);'
	try $language no 'const float v[2] = {0, 0}; return zinc_array_read(a, 0, ZINC_BUFFER_AS(ZINC_BOOL, v, sizeof v), 0, err);'
done
try c yes 'float _Complex v[2] = {0, 0}; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
try c no 'const double _Complex v[2] = {0, 0}; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
try c no 'long double _Complex v[2] = {0, 0}; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
try c yes '_Bool v[2] = {0, 0}; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
if [ "$languages" != c ]; then
	try cpp yes 'std::complex<float> v[2]; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	try cpp yes 'const std::complex<double> v[2]; return zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	try cpp no 'const std::complex<double> v[2]; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	try cpp no 'std::complex<long double> v[2]; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	try cpp no 'std::array<float, 2> v[2]; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	try cpp no 'enum class e { x } v[2] = {}; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
	try cpp no 'char16_t v[2] = {}; return zinc_array_read_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, err);'
fi
echo "$checked snippets"
