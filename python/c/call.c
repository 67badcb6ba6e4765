/*
 * call.c - one call of the library: without the GIL, with a share of the threads, ended by Ctrl-C
 *
 * Promises:
 *
 * (1) The GIL is released while the library works.
 * (2) SIGINT cancels the calls of the main thread at once, if the program handles the signal; then its handler runs as
 *     always.  Outside such calls the handler is the program's own, untouched.
 * (3) A call uses at most `threads` threads; calls at the same time share them, so that the threads of dask, of BLAS and
 *     these are not many more than processors.
 * (4) The progress function runs with the GIL; its exception ends the call and is the one that the caller sees.
 * (5) When the program ends, threads that are in a call (daemons) call no function of Python any more.  Python would end such
 *     a thread where it waits for the GIL, and with it the memory that other threads of the call still use.
 */
#include "core.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LAST_WAIT 5000 /* milliseconds */

static atomic_int active;     /* calls that run now */
static _Thread_local int own; /* those of this thread, of which a progress function makes further ones */
static atomic_int limit;      /* threads of all calls; 0: not known yet */
static pthread_t main_thread; /* of Python: the one whose signals it handles */

static atomic_int callbacks; /* that run now */
static _Thread_local int inside;
static atomic_bool ending;

/* ---- Ctrl-C ---- */

static _Atomic(zpy_call *) innermost; /* of the main thread */
static struct sigaction program;      /* what handled SIGINT before */

/* In the main thread the calls below it on the stack stay while this runs; elsewhere they might end, so the signal is
 * passed on.  The library's flag may be set in a signal handler. */
static void
on_interrupt(int number, siginfo_t *info, void *context)
{
	zpy_call *c;

	if (!pthread_equal(pthread_self(), main_thread)) {
		pthread_kill(main_thread, number);
		return;
	}
	for (c = atomic_load(&innermost); c; c = c->outer)
		zinc_cancel_set(&c->cancel);
	if (program.sa_flags & SA_SIGINFO)
		program.sa_sigaction(number, info, context);
	else
		program.sa_handler(number);
}

static bool
handled(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/* Promise (2).  The outermost call of the main thread installs the handler. */
static void
watch(zpy_call *c)
{
	struct sigaction ours = {.sa_sigaction = on_interrupt};

	if (!pthread_equal(pthread_self(), main_thread))
		return;
	c->outer = atomic_load(&innermost);
	if (!c->outer) {
		if (sigaction(SIGINT, NULL, &program) != 0 || !handled(&program))
			return;
		ours.sa_flags = (program.sa_flags & (SA_ONSTACK | SA_RESTART)) | SA_SIGINFO;
		ours.sa_mask = program.sa_mask;
		if (sigaction(SIGINT, &ours, NULL) != 0)
			return;
	}
	c->watched = true;
	atomic_store(&innermost, c);
}

/* The program's handler again, unless a progress function has set another one. */
static void
restore(void)
{
	struct sigaction now;

	if (sigaction(SIGINT, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_interrupt)
		sigaction(SIGINT, &program, NULL);
}

static void
unwatch(zpy_call *c)
{
	if (!c->watched)
		return;
	if (!c->outer)
		restore();
	atomic_store(&innermost, c->outer);
}

/* A child of fork has one thread, and of the calls in progress only those of this thread, whose progress function forked. */
static void
in_child(void)
{
	atomic_store(&active, own);
	atomic_store(&callbacks, inside);
	if (!pthread_equal(pthread_self(), main_thread) && atomic_exchange(&innermost, NULL))
		restore();
	main_thread = pthread_self();
}

/* The module may be loaded by another thread than the main one, whose number `threading` knows. */
int
zpy_know_main(void)
{
	PyObject *module = PyImport_ImportModule("threading");
	PyObject *thread = module ? PyObject_CallMethod(module, "main_thread", NULL) : NULL;
	PyObject *number = thread ? PyObject_GetAttrString(thread, "ident") : NULL;

	if (number)
		main_thread = (pthread_t)PyLong_AsUnsignedLong(number);
	Py_XDECREF(number);
	Py_XDECREF(thread);
	Py_XDECREF(module);
	return PyErr_Occurred() || pthread_atfork(NULL, NULL, in_child) != 0 ? -1 : 0;
}

/* ---- threads ---- */

/* Processors that this process may use, which may be fewer than there are. */
static int
processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0)
		return CPU_COUNT(&set);
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int
zpy_threads(int n)
{
	if (n <= 0)
		n = atomic_load(&limit);
	if (n <= 0)
		n = processors();
	atomic_store(&limit, n);
	return n;
}

/* Promise (3). */
static int
share(int calls)
{
	int n = zpy_threads(0) / calls;

	return n > 0 ? n : 1;
}

/* ---- callbacks and the end of the program ---- */

bool
zpy_enter(PyGILState_STATE *gil)
{
	atomic_fetch_add(&callbacks, 1);
	if (atomic_load(&ending) && !pthread_equal(pthread_self(), main_thread)) {
		atomic_fetch_sub(&callbacks, 1);
		return false;
	}
	inside++;
	*gil = PyGILState_Ensure();
	return true;
}

void
zpy_leave(PyGILState_STATE gil)
{
	PyGILState_Release(gil);
	inside--;
	atomic_fetch_sub(&callbacks, 1);
}

/* Promise (5).  A function that waits for the main thread would never end: not for long. */
static PyObject *
end(PyObject *module, PyObject *none)
{
	const struct timespec pause = {0, 1000000};
	int i;

	(void)module, (void)none;
	atomic_store(&ending, true);
	Py_BEGIN_ALLOW_THREADS
	for (i = 0; i < LAST_WAIT && atomic_load(&callbacks) > inside; i++)
		nanosleep(&pause, NULL);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

int
zpy_know_end(void)
{
	static PyMethodDef method = {"end", end, METH_NOARGS, NULL};
	PyObject *module = PyImport_ImportModule("atexit"), *function = module ? PyCFunction_New(&method, NULL) : NULL;
	PyObject *done = function ? PyObject_CallMethod(module, "register", "O", function) : NULL;
	int failed = done ? 0 : -1;

	Py_XDECREF(done);
	Py_XDECREF(function);
	Py_XDECREF(module);
	return failed;
}

/* ---- progress ---- */

void
zpy_keep(zpy_call *c)
{
	if (!c->failure[0])
		PyErr_Fetch(&c->failure[0], &c->failure[1], &c->failure[2]);
	else
		PyErr_Clear();
}

static bool
ask(zpy_call *c, uint64_t done, uint64_t total, uint64_t nbytes)
{
	PyObject *answer = PyObject_CallFunction(c->progress, "KKK", (unsigned long long)done,
						 (unsigned long long)total, (unsigned long long)nbytes);
	bool stop = !answer || PyObject_IsTrue(answer) != 0;

	Py_XDECREF(answer);
	zpy_keep(c);
	return stop;
}

/* Promise (4). */
static int
on_progress(void *arg, uint64_t done, uint64_t total, uint64_t nbytes)
{
	zpy_call *c = arg;
	PyGILState_STATE gil;
	bool stop;

	if (!zpy_enter(&gil))
		return 0;
	stop = ask(c, done, total, nbytes);
	zpy_leave(gil);
	return stop;
}

/* ---- begin and end ---- */

void
zpy_begin(zpy_call *c, PyObject *progress, int threads)
{
	int calls;

	memset(c, 0, sizeof *c);
	c->options.size = sizeof c->options;
	c->options.cancel = &c->cancel;
	c->wait.size = sizeof c->wait;
	c->wait.cancel = &c->cancel;
	if (progress && progress != Py_None) {
		c->progress = progress;
		c->options.progress = on_progress;
		c->options.progress_arg = c;
	}
	calls = atomic_fetch_add(&active, 1) + 1;
	own++;
	c->threads = threads > 0 ? threads : share(calls);
	watch(c);
	c->python = PyEval_SaveThread();
}

/* 1: a signal ended the call whose handler did not raise.  Nothing was asked of this call, so it can be repeated. */
int
zpy_end_or_again(zpy_call *c, zinc_status st)
{
	PyEval_RestoreThread(c->python);
	unwatch(c);
	atomic_fetch_sub(&active, 1);
	own--;
	if (c->failure[0]) {
		PyErr_Restore(c->failure[0], c->failure[1], c->failure[2]);
		return -1;
	}
	if (zpy_show_warnings() != 0)
		return -1;
	if (st == ZINC_OK)
		return 0;
	if (st == ZINC_E_CANCELLED && zinc_cancel_is(&c->cancel))
		return PyErr_CheckSignals() != 0 ? -1 : 1;
	return zpy_raise(&c->err, st);
}

int
zpy_end(zpy_call *c, zinc_status st)
{
	int end = zpy_end_or_again(c, st);

	return end == 1 ? zpy_raise(&c->err, st) : end;
}
