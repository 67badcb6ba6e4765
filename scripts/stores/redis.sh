# The redis store with Debian's redis-server: plain with a password, TLS, a local socket; kill -9, faults, zarr-python.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

# redis_control: $dir/redis is a command that starts (start) and kills (kill) a server that writes before it answers
redis_control() {
	mkdir -p "$dir/redis.d"
	redis_port=$(free_port)
	redis_tls_port=$(free_port)
	redis_password=$(random_text)
	(
		cd "$dir/redis.d"
		openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
			-keyout key.pem -out cert.pem 2>/dev/null
		cat >redis.conf <<-END
			bind 127.0.0.1
			port $redis_port
			tls-port $redis_tls_port
			tls-cert-file cert.pem
			tls-key-file key.pem
			tls-ca-cert-file cert.pem
			tls-auth-clients no
			unixsocket $dir/redis.d/socket
			requirepass $redis_password
			appendonly yes
			appendfsync always
			save ""
			databases 4
		END
	)
	cat >"$dir/redis" <<-END
		#!/bin/sh
		cd "$dir/redis.d" || exit 1
		case \$1 in
		kill) kill -9 "\$(cat pid)" ;;
		start)
			pid=0
			for i in \$(seq 600); do
				[ -e /proc/\$pid/exe ] || { # not yet, or the port of the one that was killed was not free yet
					setsid redis-server redis.conf >>log 2>&1 </dev/null &
					pid=\$!
					echo \$pid >pid
				}
				[ "\$(REDISCLI_AUTH=$redis_password redis-cli -p $redis_port ping 2>&1)" != PONG ] || exit 0
				sleep 0.05
			done
			exit 1
			;;
		esac
	END
	chmod +x "$dir/redis"
}

start_redis() {
	command -v redis-server redis-cli >/dev/null || scripts/setup.sh redis || return 1
	redis_control
	"$dir/redis" start && started+=("$(cat "$dir/redis.d/pid")")
}

# After a storm the server has another process.
end_redis() { started+=("$(cat "$dir/redis.d/pid")"); }

test_redis() {
	local here=127.0.0.1
	if ! start_redis; then
		bad "redis-server does not start"
		return 0
	fi
	export REDISCLI_AUTH=$redis_password
	here=redis://127.0.0.1:$redis_port
	try redis "redis-server" "" "$here/0/conform{}" "$here/1/race/{}"
	try redis "redis-server, TLS" "" "rediss://localhost:$redis_tls_port/2/tls{}?ca_file=$dir/redis.d/cert.pem" -
	try redis "redis-server, local socket" "" "redis://localhost/2/socket{}?socket=$dir/redis.d/socket" -
	place redis "$here/3/place-{}"
	storm "$here/2?prefix=storm" "$dir/redis"
	end_redis
	check "redis, faults of the network" python3 tests/live/redis_faults.py "$BUILD/tests/store_do" "$redis_port" ${QUICK:+quick}
	exchange_redis
}

# With zarr-python's RedisStore, both directions
exchange_redis() {
	venv redis 'zarr<3' 'numcodecs<0.16' 'numpy<2' redis
	check "redis, zarr-python" "$bin/python" tests/interop/redis_store.py "$BUILD/zinc" "$redis_port"
}
