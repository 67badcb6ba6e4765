/*
 * web.c - starts the web server of tests, and opens stores on it
 */
#include "support/web.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_inside.h"
#include "support/gets.h"
#include "support/test.h"

bool
web_can(void)
{
	return ZINC_WITH_CURL && system("python3 -c 'import http.server, ssl' 2>/dev/null") == 0;
}

static void
make_certificate(void)
{
	assert_int_equal(system("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=zinc-test "
				"-addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem 2>/dev/null"),
			 0);
}

static _Noreturn void
become_server(const char *name, const char *dir, bool tls)
{
	char script[4096];
	char *args[8] = {"python3", script};
	int n = 2;

	if (dir)
		args[n++] = (char *)(uintptr_t)dir;
	if (tls) {
		args[n++] = "--tls";
		args[n++] = "cert.pem";
		args[n++] = "key.pem";
	}
	snprintf(script, sizeof script, "%s/tests/support/%s", ZINC_TEST_SOURCE_DIR, name);
	execvp(args[0], args);
	_exit(127);
}

void
web_start(web *w, const char *dir, bool tls)
{
	web_start_script(w, "http_server.py", dir, tls);
}

void
web_start_script(web *w, const char *script, const char *dir, bool tls)
{
	int in[2], out[2];
	FILE *f;

	if (tls)
		make_certificate();
	assert_int_equal(pipe2(in, O_CLOEXEC), 0); /* another server must not keep this one alive */
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	w->tls = tls;
	w->pid = fork();
	assert_true(w->pid >= 0);
	if (w->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		become_server(script, dir, tls);
	}
	close(in[0]);
	close(out[1]);
	w->stop = in[1];
	f = fdopen(out[0], "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &w->port), 1);
	fclose(f);
}

void
web_stop(web *w)
{
	close(w->stop);
	waitpid(w->pid, NULL, 0);
}

const char *
web_url(const web *w, const char *rest)
{
	static char url[8192];

	snprintf(url, sizeof url, "%s://127.0.0.1:%d/%s", w->tls ? "https" : "http", w->port, rest);
	return url;
}

/* Without the module: the tests link the same code statically, to access its internals. */
zinc_store *
web_open(const web *w, const char *rest, zinc_context *ctx)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	if (zinc_store_http_register(&err) != ZINC_E_EXISTS)
		assert_int_equal(err.code, ZINC_OK);
	assert_ok(zinc_store_open(&s, web_url(w, rest), ZINC_STORE_OPTIONS(.context = ctx), &err));
	return s;
}

static int
ask(const web *w, const char *what, const char *mode)
{
	zinc_store *s = web_open(w, what, NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	int n;

	assert_ok(zinc_store_get_all(s, mode, &b, NULL, 0, NULL, &err));
	n = (int)strtol((const char *)b.data, NULL, 10);
	zinc_blob_fini(&b);
	zinc_store_close(s);
	return n;
}

int
web_count(const web *w, const char *mode)
{
	return ask(w, "_count", mode);
}

int
web_most(const web *w, const char *mode)
{
	return ask(w, "_most", mode);
}
