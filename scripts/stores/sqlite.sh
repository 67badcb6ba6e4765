# SQLite databases.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

test_sqlite() {
	try_local sqlite .sqlite
	storm "sqlite://$dir/storm.sqlite"
}
