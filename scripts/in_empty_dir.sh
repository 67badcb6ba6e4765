#!/bin/sh
# in_empty_dir.sh DIR COMMAND... - run a command in DIR, made empty first
set -eu
dir=$1
shift
rm -rf "$dir"
mkdir -p "$dir"
cd "$dir"
exec "$@"
