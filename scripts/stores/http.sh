# The http store with the server of the tests, which evaluates conditions, and with WebDAV of nginx, which does not.
# shellcheck shell=bash disable=SC2154,SC2034 # read by scripts/stores.sh, whose variables it uses

# nginx writes a file under another name and renames it, if both are on one file system.
start_nginx() {
	local port
	port=$(free_port)
	endpoint=http://127.0.0.1:$port
	mkdir -p "$dir/nginx/files" "$dir/nginx/new"
	cat >"$dir/nginx/conf" <<-END
		daemon off;
		worker_processes 2;
		pid $dir/nginx/pid;
		error_log $dir/nginx/errors;
		$([ "$(id -u)" != 0 ] || echo "user root;")
		events { worker_connections 512; }
		http {
			access_log off;
			client_max_body_size 0;
			client_body_temp_path $dir/nginx/new;
			fastcgi_temp_path $dir/nginx/1;
			proxy_temp_path $dir/nginx/2;
			scgi_temp_path $dir/nginx/3;
			uwsgi_temp_path $dir/nginx/4;
			server {
				listen 127.0.0.1:$port;
				root $dir/nginx/files;
				location / {
					dav_methods PUT DELETE;
					create_full_put_path on;
					dav_access user:rw;
				}
			}
		}
	END
	start nginx "$(command -v nginx || echo /usr/sbin/nginx)" -e "$dir/nginx/errors" -c "$dir/nginx/conf"
	healthy nginx "$endpoint/"
}

test_http() {
	mkdir -p "$dir/served"
	serve_python web tests/support/http_server.py "$dir/served"
	try http "tests' own" "" "$endpoint/plain/{}?write=yes&conditions=yes" "$endpoint/plain/race.zarr/{}?write=yes&conditions=yes"
	if start_nginx; then
		try http "nginx, WebDAV" "" "$endpoint/conform/{}?write=yes" "$endpoint/race.zarr/{}?write=yes"
		place http "$endpoint/place-{}.zarr?write=yes"
	else
		bad "nginx does not start"
	fi
}
