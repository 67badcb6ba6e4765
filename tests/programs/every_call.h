/*
 * every_call.h - a program that calls every public function, and checks each result
 *
 * It is an external program: public headers and the shared library only.  It uses the common subset of C11 and C++17,
 * and is compiled as both: every_call_c, every_call_cxx. scripts/check_calls.py names the functions that it does not
 * call.
 */
#ifndef EVERY_CALL_H
#define EVERY_CALL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc.h>
#include <zinc/cf.h>
#include <zinc/conventions.h>
#include <zinc/erase.h>
#include <zinc/extend.h>
#include <zinc/numpy.h>
#include <zinc/serve.h>
#include <zinc/store.h>
#include <zinc/tool.h>

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)
/* The status of a call; `err` is the caller's. */
#define GIVES(wanted, call)                                                                                            \
	do {                                                                                                           \
		const zinc_status gives_ = (call);                                                                     \
		if (gives_ != (wanted)) {                                                                              \
			fprintf(stderr, "%s:%d: %s instead of %s: %s\n", __FILE__, __LINE__, zinc_status_name(gives_), \
				zinc_status_name(wanted), zinc_error_text(&err));                                      \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)
#define OK(call)            GIVES(ZINC_OK, call)
#define TEXT_IS(text, want) CHECK(strcmp((text), (want)) == 0)
#define HAS(text, part)     CHECK(strstr((const char *)(text), (part)) != NULL)

/* Append `text` and a space to out[TEXT_ROOM]. */
enum { TEXT_ROOM = 256 };
void add_word(char *out, const char *text);

void call_basics(void);            /* status, types, contexts, waiting, lists */
void call_stores(const char *url); /* every operation of a store there */
void call_wrappers(void);          /* a program's stores, wrappers, settings */
void call_extensions(void);
void call_nodes(const char *url); /* a new hierarchy there */
void call_tools(const char *url);
void call_conventions(const char *url);
void call_arrays(const char *url);
void call_numpy(const char *url);
void call_serve(const char *url);
/* Elements and metadata of 16 x 16 float32, in chunks of 4 x 4 and of fill value 7. */
void use_array(zinc_array *a);
/* Two arrays of an existing hierarchy, a plain and a sharded one, through a web server that takes PUT. */
void call_web(const char *url);

#endif
