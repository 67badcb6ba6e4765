#!/usr/bin/env bash
# test_install.sh - an installed Zinc must serve pkg-config, CMake, static linking, man and its own command
set -euo pipefail
prefix=$PWD/prefix
cmake --install "$ZINC_BUILD_DIR" --prefix "$prefix" >/dev/null

cat >program.c <<'END'
#include <stdio.h>
#include <zinc.h>

int
main(void)
{
	return puts(zinc_version()) < 0;
}
END
version=$(sed -n 's/^#define ZINC_VERSION "\(.*\)"/\1/p' "$ZINC_SOURCE_DIR/include/zinc.h")
expect() { [ "$("$@")" = "$version" ] || { echo "$* does not print $version"; exit 1; }; }

libdir=$(dirname "$(find "$prefix" -name libzinc.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig
cc program.c $(pkg-config --cflags --libs zinc) -Wl,-rpath,"$libdir" -o by_pkg_config
expect ./by_pkg_config
cc program.c $(pkg-config --cflags zinc) "$libdir/libzinc.a" $(pkg-config --static --libs zinc | sed 's/-lzinc //') -o by_static
expect ./by_static
if ldd ./by_static | grep libzinc; then
	echo "the static program needs the shared library"
	exit 1
fi

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(zinc 0.1 REQUIRED)
add_executable(by_cmake program.c)
target_link_libraries(by_cmake PRIVATE zinc::zinc)
add_executable(by_cmake_static program.c)
target_link_libraries(by_cmake_static PRIVATE zinc::zinc_static)
END
cmake -G Ninja -B user -S . "-DCMAKE_PREFIX_PATH=$prefix" >/dev/null
cmake --build user -- --quiet
expect user/by_cmake
expect user/by_cmake_static

"$prefix/bin/zinc" --version | grep "$version" >/dev/null
pages=$(dirname "$(find "$prefix" -name zinc.1)")
test -s "$pages/zinc.1"
"$prefix/bin/zinc" --complete "" | cut -f 1 | while read -r command; do
	test -s "$pages/zinc-$command.1" || { echo "no man page of zinc $command"; exit 1; }
done
for script in bash-completion/completions/zinc zsh/site-functions/_zinc fish/vendor_completions.d/zinc.fish; do
	test -s "$prefix/share/$script" || { echo "no completion: $script"; exit 1; }
done
readelf -d "$libdir/libzinc.so.0" | grep 'SONAME.*\[libzinc.so.0\]' >/dev/null
if grep -r -l -F "$ZINC_BUILD_DIR" "$libdir/pkgconfig" "$libdir/cmake"; then
	echo "an installed file points back to where it was built"
	exit 1
fi
mv "$prefix" moved # the command finds its library wherever both are
moved/bin/zinc --version | grep "$version" >/dev/null
