#!/usr/bin/env bash
# python_sdist.sh PYTHON DIR - the source distribution of the Python package, into DIR
#
# pyproject.toml is in python/, the library above it.  A source distribution has everything below one directory: this
# puts the library into libzinc/, and builds from the files that git knows.  PYTHON has the package "build".
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1 out=$(realpath -m "$2")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# copy FROM TO PATH...: the files of git below FROM, links followed
copy() {
	local from=$1 to=$2
	mkdir -p "$to"
	git -C "$from" ls-files -z "${@:3}" | tar -C "$from" -c -h --null -T - | tar -C "$to" -x
}

copy python "$tree" .
rm -f "$tree/.gitignore" # would leave the library out
copy . "$tree/libzinc" src include cmake CMakeLists.txt LICENSE
sed -i 's,"../include/zinc.h".*,"libzinc/include/zinc.h",' "$tree/pyproject.toml"
"$python" -m build --sdist --no-isolation --outdir "$out" "$tree"
