/*
 * aws_place.h - an environment of AWS for tests: no variables, an empty HOME, and aws_server.py
 */
#ifndef AWS_PLACE_H
#define AWS_PLACE_H

#include "net/aws.h"

/* Remove all variables that the search for credentials looks at, and make an empty directory "home" below the working
 * directory HOME.  EC2 metadata is disabled. */
void aws_place(void);
/* A file below HOME: aws_write(".aws/config", "..."). */
void aws_write(const char *name, const char *text);

/* Start and stop aws_server.py; false: there is no Python. */
bool aws_server_can(void);
void aws_server_start(void);
void aws_server_stop(void);
/* "http://127.0.0.1:port/rest", in static memory. */
const char *aws_url(const char *rest);
/* How often credentials were given out in a mode; and all requests of a mode as text in static memory. */
int aws_count(const char *mode);
const char *aws_log(const char *mode);

/* Look once for keys: "id/secret/token", "anonymous", or the error's text.  In static memory. */
const char *aws_look(const zinc_aws_config *config);
/* The same must contain `want`, and an error no "canary"; `what` names the case. */
void aws_expect(const zinc_aws_config *config, const char *what, const char *want);

#endif
