# LMDB databases.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

test_lmdb() {
	try_local lmdb .lmdb
	storm "lmdb://$dir/storm.lmdb"
}
