# Kyoto Cabinet databases, trees and hashes.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

test_kyotocabinet() {
	try_local kyotocabinet .kct
	storm "kyotocabinet://$dir/storm.kct"
	conform "kyotocabinet://$dir/hash-{}.kch"
}
