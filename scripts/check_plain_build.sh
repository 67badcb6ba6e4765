#!/bin/sh
# check_plain_build.sh - the library must compile without the build system and without any option
#
# It uses only a C compiler: no codec library, no generated file, no necessary flag.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cd "$dir"
ls "$root"/src/*/*.c | xargs -P 2 -n 8 "${CC:-cc}" -std=c11 -I"$root/include" -I"$root/src" -D_GNU_SOURCE -c
cat >main.c <<'END'
#include <stdio.h>
#include <zinc.h>

int
main(void)
{
	return puts(zinc_version()) < 0;
}
END
"${CC:-cc}" -I"$root/include" main.c ./*.o -o main -lpthread -lm
test "$(./main)" = "$(sed -n 's/^#define ZINC_VERSION "\(.*\)"/\1/p' "$root/include/zinc.h")"
if ldd ./main | grep -E 'zstd|blosc|isal|deflate|bz2|lzma|lz4|zfp|pcre2'; then
	echo "check_plain_build: linked an unexpected library"
	exit 1
fi
echo "check_plain_build: $(ls ./*.o | wc -l) files, no option, no library"
