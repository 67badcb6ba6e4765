# LevelDB databases.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

test_leveldb() {
	try_local leveldb .leveldb
	storm "leveldb://$dir/storm.leveldb"
}
