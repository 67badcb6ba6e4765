#!/usr/bin/env bash
# lmdb.sh - a bare path that ends in .lmdb is an LMDB database, a directory or a file; a plain directory stays one
set -eu
. "$ZINC_SOURCE_DIR/tests/support/cli.bash"
zinc 0 --version
grep -q 'lmdb *yes' out || exit 77

bytes 01 02 03 04 05 06 >raw
zinc 0 create a.zarr/g/t --shape 2,3 --dtype uint8 --chunks 2,2
zinc 0 put a.zarr/g/t --from raw

same() { # same DATABASE: it has the hierarchy of a.zarr, and checks
	zinc 0 diff a.zarr "$1"
	zinc 0 tree "$1"
	has "t  uint8 (2, 3)"
	zinc 0 cat "$1/g/t" --as json
	prints <<<'[[1,2,3],[4,5,6]]'
	zinc 0 validate "$1"
	has "0 errors, 0 warnings"
}

# ---- a new database is a directory, as zarr-python makes it ----
zinc 0 cp a.zarr new.lmdb
[ -f new.lmdb/data.mdb ] && [ ! -e new.lmdb/zarr.json ] || bad "no LMDB database: $(ls new.lmdb)"
same new.lmdb
zinc 0 cp new.lmdb/g/t other.lmdb/t
[ -f other.lmdb/data.mdb ] || bad "no LMDB database: $(ls other.lmdb)"
zinc 0 cat other.lmdb/t --as json
prints <<<'[[1,2,3],[4,5,6]]'

# ---- a single file ----
touch file.lmdb
zinc 0 cp a.zarr file.lmdb
[ -s file.lmdb ] || bad "the file is empty"
same file.lmdb

# ---- directories that only have the name ----
mkdir plain.lmdb
zinc 0 cp a.zarr plain.lmdb
[ -f plain.lmdb/zarr.json ] && [ ! -e plain.lmdb/data.mdb ] || bad "a directory became a database: $(ls plain.lmdb)"
same plain.lmdb
zinc 0 cp a.zarr/g/t plain.lmdb/u
[ -f plain.lmdb/u/zarr.json ] || bad "not in the directory"
finish
