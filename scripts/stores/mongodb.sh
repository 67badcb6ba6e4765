# The mongodb store with FerretDB, which speaks MongoDB's protocol in front of SQLite, and zarr-python's MongoDBStore.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

FERRETDB=v1.24.0

# Its version must be written into its source.
build_ferretdb() {
	local done=$ROOT/servers/ferretdb-$FERRETDB source=$dir/ferretdb-source
	[ ! -e "$done" ] || return 0
	find_go
	echo "building FerretDB $FERRETDB (a few minutes, once)"
	(cd "$dir" && nice -n 10 "$GO" mod download -json "github.com/FerretDB/FerretDB@$FERRETDB" >ferretdb.json) || return 1
	cp -r "$(sed -n 's/.*"Dir": "\(.*\)".*/\1/p' "$dir/ferretdb.json")" "$source"
	chmod -R u+w "$source"
	echo "$FERRETDB" >"$source/build/version/version.txt"
	(cd "$source" && nice -n 10 "$GO" build -p "$JOBS" -o "$ROOT/servers/ferretdb" ./cmd/ferretdb 2>build.log) ||
		{ tail -n 5 "$source/build.log" && return 1; }
	rm -rf "$source"
	touch "$done"
}

# mongo_serve: until it answers; its process is the last one started
mongo_serve() {
	local i
	start ferretdb "$ROOT/servers/ferretdb" --handler=sqlite --sqlite-url="file:$dir/ferretdb/" --listen-addr="127.0.0.1:$mongo_port" \
		--debug-addr=- --telemetry=disable --state-dir="$dir/ferretdb" --log-level=error
	mongo_process=$!
	for ((i = 0; i < 300; i++)); do
		[[ $("$BUILD/tests/store_do" 1 "$mongo_url/health" get a 2>&1) != missing ]] || return 0
		sleep 0.1
	done
	tail -n 5 "$dir/ferretdb.log"
	return 1
}

start_ferretdb() {
	build_ferretdb || return 1
	mongo_port=$(free_port)
	mongo_url=mongodb://127.0.0.1:$mongo_port
	mkdir -p "$dir/ferretdb"
	mongo_serve
}

# MongoDBStore, both ways
mongo_exchange() {
	venv mongodb 'zarr<3' 'numcodecs<0.16' 'numpy<2' pymongo
	check "mongodb, zarr-python's MongoDBStore" "$bin/python" tests/interop/mongodb.py "$BUILD/zinc" "$mongo_url"
}

# The server is restarted while a writer goes on.
mongo_restarts() {
	local i writer
	say "mongodb, restarted three times under load"
	(for ((i = 0; i < 200; i++)); do
		[ "$("$BUILD/tests/store_do" 60 "$mongo_url/restarts" put "k$i" "v$i")" = ok ] || exit 1
	done) &
	writer=$!
	for _ in 1 2 3; do
		sleep 1
		kill "$mongo_process" && wait "$mongo_process" || true
		mongo_serve || { bad "FerretDB does not start again" && return; }
	done
	if wait "$writer" && [[ $("$BUILD/tests/store_do" 60 "$mongo_url/restarts" list) == "keys 200 "* ]]; then
		good
	else
		bad "restarts of FerretDB"
	fi
}

test_mongodb() {
	if [ -n "$QUICK" ]; then
		echo "mongodb: FerretDB is built by the long form only"
		return 0
	fi
	start_ferretdb || { bad "FerretDB does not start" && return; }
	try mongodb "FerretDB ${FERRETDB#v}" "" "$mongo_url/zinc/{}" "$mongo_url/zinc/race/{}"
	mongo_exchange
	mongo_restarts
	place mongodb "$mongo_url/places/h?collection={}" # FerretDB reads the whole collection for each request
}
