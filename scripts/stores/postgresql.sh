# PostgreSQL in a cluster of its own: conformance, lost updates, kill -9, restarts, a standby, roles, faults on the way.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

# The programs, as the variable pg_bin
find_postgresql() {
	scripts/setup.sh postgresql
	pg_bin=$(find /usr/lib/postgresql/*/bin -name initdb -printf '%h\n' 2>/dev/null | sort -V | tail -n 1)
	[ -n "$pg_bin" ] || pg_bin=$(dirname "$(command -v initdb || echo /nowhere/initdb)")
	[ -x "$pg_bin/initdb" ]
}

# PostgreSQL refuses to run as root: pg COMMAND... runs as another user then.
pg() {
	if [ "$(id -u)" != 0 ]; then
		"$@"
	else
		setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
	fi
}

# pg_cluster NAME: an empty directory that the server can write
pg_cluster() {
	chmod 711 "$dir"
	mkdir -p "$dir/$1"
	[ "$(id -u)" != 0 ] || chown nobody:nogroup "$dir/$1"
}

# pg_control NAME PORT: the program that starts and kills a server, as store_storm wants it.  The processes of a server
# that is killed are killed with it: a new one cannot start before they are gone.
pg_control() {
	cat >"$dir/$1.control" <<-END
		#!/usr/bin/env bash
		# kill: kill -9; stop: in order; start: until it answers
		set -eu
		$(declare -f pg)
		cd "$dir/$1"
		case \$1 in
		kill)
			first=\$(head -n 1 db/postmaster.pid)
			others=\$(ps -o pid= --ppid "\$first")
			kill -9 "\$first" \$others 2>/dev/null || true
			while kill -0 "\$first" 2>/dev/null; do sleep 0.02; done ;;
		stop) pg "$pg_bin/pg_ctl" -D "$dir/$1/db" -m fast -w stop >/dev/null ;;
		start)
			pg "$pg_bin/pg_ctl" -D "$dir/$1/db" -o "-p $2 -h 127.0.0.1 -k $dir/$1" -l "$dir/$1/log" -t 60 -w start \
				>/dev/null 2>&1 </dev/null ;;
		esac
	END
	chmod 755 "$dir/$1.control"
	pg_started+=("$dir/$1")
}

# Their servers are no children of this script.
pg_started=()
stop_postgresql() {
	local one
	for one in "${pg_started[@]}"; do
		[ ! -e "$one/db/postmaster.pid" ] || "$one.control" kill || true
	done
}

start_postgresql() {
	find_postgresql || return 1
	pg_port=$(free_port)
	export PGPASSWORD
	PGPASSWORD=$(random_text)
	unset PGHOST PGPORT PGUSER PGSERVICE PGDATABASE PGOPTIONS
	pg_cluster postgresql
	echo "$PGPASSWORD" >"$dir/postgresql/password"
	chmod 644 "$dir/postgresql/password"
	pg "$pg_bin/initdb" -D "$dir/postgresql/db" -U zinc -A scram-sha-256 --pwfile="$dir/postgresql/password" \
		-E UTF8 --locale=C --no-sync >"$dir/postgresql.log" 2>&1 || { tail -n 5 "$dir/postgresql.log" && return 1; }
	pg_control postgresql "$pg_port"
	trap 'stop_postgresql; stop' EXIT
	"$dir/postgresql.control" start || return 1
	pg_url=postgresql://zinc@127.0.0.1:$pg_port
	pg_sql -d postgres 'CREATE DATABASE zinc'
}

# pg_sql [-d DATABASE] SQL: as its owner
pg_sql() {
	local database=zinc
	[ "$1" != -d ] || { database=$2 && shift 2; }
	"$pg_bin/psql" -qAt -h 127.0.0.1 -p "$pg_port" -U zinc -v ON_ERROR_STOP=1 "$database" -c "$1"
}

# expect WHAT WORDS COMMAND...: its output has the words
expect() {
	local out
	out=$("${@:3}" 2>&1 || true)
	if [[ $out == *"$2"* ]]; then
		good
	else
		bad "$1: \"$2\" is missing in: $out"
	fi
}

pg_do() { timeout 60 "$BUILD/tests/store_do" "$@"; }

# The server is restarted, in order, while eight processes change it: nobody notices.
pg_restarts() {
	local worker
	say "postgresql, restarted five times under load"
	timeout 600 "$BUILD/tests/store_race" "$pg_url/zinc/restarts/{}" "$((WRITES * 3))" >"$dir/restarts.log" 2>&1 &
	worker=$!
	for _ in 1 2 3 4 5; do
		sleep 0.7
		"$dir/postgresql.control" stop && "$dir/postgresql.control" start
	done
	if wait "$worker"; then
		good
	else
		bad "restarts of postgresql"
	fi
	cat "$dir/restarts.log"
}

# What a role and a database may have, and who may do what.
pg_roles() {
	say "postgresql, roles"
	pg_sql "CREATE ROLE reader LOGIN PASSWORD '$PGPASSWORD'"
	pg_sql "CREATE ROLE lax LOGIN PASSWORD '$PGPASSWORD'; ALTER ROLE lax SET synchronous_commit TO off; GRANT ALL ON SCHEMA public TO lax"
	expect "a missing table is empty" missing pg_do 10 "$pg_url/zinc?table=roles" get a
	expect "reading creates nothing" none pg_sql "SELECT coalesce(to_regclass('roles')::text, 'none')"
	expect "a put" ok pg_do 10 "$pg_url/zinc?table=roles" put a value
	expect "no permission to read" "permission denied" pg_do 10 "postgresql://reader@127.0.0.1:$pg_port/zinc?table=roles" get a
	pg_sql "GRANT SELECT ON roles TO reader"
	expect "permission to read" "value 5" pg_do 10 "postgresql://reader@127.0.0.1:$pg_port/zinc?table=roles" get a
	expect "no permission to write" "needs SELECT" pg_do 10 "postgresql://reader@127.0.0.1:$pg_port/zinc?table=roles" put a b
	expect "no permission to create" "CREATE on the schema" pg_do 10 "postgresql://reader@127.0.0.1:$pg_port/zinc?table=new" put a b
	expect "a schema" ok pg_do 10 "postgresql://lax@127.0.0.1:$pg_port/zinc?table=public.Of%20%22lax%22" put a b
	expect "its name" 'Of "lax"' pg_sql "SELECT relname FROM pg_class WHERE relname LIKE 'Of%' AND relkind = 'r'"
	expect "another table" "columns" pg_do 10 "$pg_url/zinc?table=pg_class" get a
	expect "a wrong password" "28P01" env PGPASSWORD=wrong "$BUILD/tests/store_do" 10 "$pg_url/zinc" get a
	expect "the password is not shown" "SQLSTATE" env PGPASSWORD=none "$BUILD/tests/store_do" 10 "postgresql://zinc:canary@127.0.0.1:$pg_port/zinc" get a
	if env PGPASSWORD=none "$BUILD/tests/store_do" 10 "postgresql://zinc:canary@127.0.0.1:$pg_port/zinc" get a 2>&1 | grep -q canary; then
		bad "the password is shown"
	fi
	expect "no such database" "createdb" pg_do 10 "$pg_url/nowhere" get a
	expect "no server" "cannot connect" pg_do 10 "postgresql://zinc@127.0.0.1:1/zinc" get a
	pg_sql "CREATE UNLOGGED TABLE fast (LIKE roles INCLUDING ALL)"
	expect "a table that survives" "durable" pg_do 10 "$pg_url/zinc?table=roles" caps
	expect_not "a table that does not" "durable" pg_do 10 "$pg_url/zinc?table=fast" caps
	pg_hidden
	expect "a lock is waited for within the deadline" "E_CANCELLED" pg_locked
}

# PostgreSQL passes over a schema that a role may not use: its tables are not missing.
pg_hidden() {
	local url="postgresql://lax@127.0.0.1:$pg_port/zinc?table=secret"
	pg_sql "CREATE SCHEMA closed; CREATE TABLE closed.secret (LIKE roles INCLUDING ALL)"
	expect "not in the search path" missing pg_do 10 "$url" get a
	pg_sql "ALTER ROLE lax SET search_path TO \"\$user\", closed, public"
	expect "reading what is hidden" "may not use" pg_do 10 "$url" get a
	expect "listing what is hidden" "may not use" pg_do 10 "$url" list
	expect "erasing what is hidden" "may not use" pg_do 10 "$url" del a
	expect "writing what is hidden" "may not use" pg_do 10 "$url" put a b
	expect "no table beside it" none pg_sql "SELECT coalesce(to_regclass('public.secret')::text, 'none')"
	pg_sql "ALTER SCHEMA closed RENAME TO lax"
	expect "the schema of the user" "may not use" pg_do 10 "$url" get a
}

# expect_not WHAT WORDS COMMAND...: it succeeds, and its output does not have the words
expect_not() {
	local out
	if out=$("${@:3}" 2>&1) && [[ $out != *"$2"* && $out != error* ]]; then
		good
	else
		bad "$1: $out"
	fi
}

# A pooler that gives each transaction another session, which must not remember anything.
pg_pooler() {
	local port url as=()
	command -v pgbouncer >/dev/null || { say "postgresql, no pgbouncer" && return; }
	say "postgresql, behind pgbouncer"
	port=$(free_port)
	pg_cluster pooler
	cat >"$dir/pooler/ini" <<-END
		[databases]
		zinc = host=127.0.0.1 port=$pg_port dbname=zinc user=zinc password=$PGPASSWORD
		[pgbouncer]
		listen_addr = 127.0.0.1
		listen_port = $port
		unix_socket_dir =
		auth_type = any
		pool_mode = transaction
		default_pool_size = 1
	END
	[ "$(id -u)" != 0 ] || as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
	start pooler "${as[@]}" pgbouncer "$dir/pooler/ini"
	url="postgresql://zinc@127.0.0.1:$port/zinc?table=pooled"
	expect "a put through a pooler" ok pg_do 20 "$url" put a value
	expect "an update through a pooler" ok pg_do 20 "$url" update a
	expect "a get through a pooler" "valuex" pg_do 20 "$url" get a
	expect "nothing of it stays" "0|0" "$pg_bin/psql" -qAt -h 127.0.0.1 -p "$port" -U zinc zinc -c \
		"SELECT current_setting('client_connection_check_interval'), current_setting('idle_in_transaction_session_timeout')"
	expect "its encoding" "UTF8" "$pg_bin/psql" -qAt -h 127.0.0.1 -p "$port" -U zinc zinc -c "SET client_encoding TO UTF8; SHOW client_encoding"
}

# The row is locked by somebody else.
pg_locked() {
	"$pg_bin/psql" -qAt -h 127.0.0.1 -p "$pg_port" -U zinc zinc >/dev/null <<-END &
		BEGIN;
		SELECT * FROM roles WHERE key = 'a' FOR UPDATE;
		SELECT pg_sleep(3);
	END
	sleep 0.5
	pg_do 1 "$pg_url/zinc?table=roles" put a later
	wait $!
}

# A standby is read, and says why it is not written.
pg_standby() {
	local port
	say "postgresql, a standby"
	port=$(free_port)
	pg_cluster standby
	pg env PGPASSWORD="$PGPASSWORD" "$pg_bin/pg_basebackup" -h 127.0.0.1 -p "$pg_port" -U zinc -D "$dir/standby/db" -c fast -R \
		>"$dir/standby.log" 2>&1 || { bad "pg_basebackup: $(tail -n 1 "$dir/standby.log")" && return; }
	pg_control standby "$port"
	"$dir/standby.control" start || { bad "the standby does not start" && return; }
	expect "reading a standby" "value 5" pg_do 10 "postgresql://zinc@127.0.0.1:$port/zinc?table=roles" get a
	expect_not "what a standby can do" "cas" pg_do 10 "postgresql://zinc@127.0.0.1:$port/zinc?table=roles" caps
	expect "writing a standby" "E_READONLY" pg_do 10 "postgresql://zinc@127.0.0.1:$port/zinc?table=roles" put a b
	expect "the one that can be written" ok pg_do 10 \
		"postgresql://zinc@127.0.0.1:$port,127.0.0.1:$pg_port/zinc?table=roles&target_session_attrs=read-write" put b c
	"$dir/standby.control" kill
}

test_postgresql() {
	start_postgresql || { bad "postgresql does not start" && return; }
	try postgresql "$("$pg_bin/postgres" --version | sed 's/[^0-9]*\([0-9.]*\).*/\1/')" "" \
		"$pg_url/zinc?table=conform{}" "$pg_url/zinc/race/{}"
	pg_roles
	pg_pooler
	check "postgresql, connections that break" timeout 900 python3 tests/live/postgresql_faults.py "$BUILD/tests/store_do" \
		"127.0.0.1:$pg_port" zinc/zinc
	check "postgresql, transactions that a crash forgets" timeout 600 python3 tests/live/postgresql_crash.py \
		"$BUILD/tests/store_do" "$dir/postgresql.control" "$pg_bin/psql" "127.0.0.1:$pg_port" zinc/zinc
	pg_standby
	pg_restarts
	storm "$pg_url/zinc/{}?table=storm" "$dir/postgresql.control"
	place postgresql "$pg_url/zinc/place-{}"
}
