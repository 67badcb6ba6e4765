/*
 * tcp.h - a connection to a server: TCP, TLS over it, or a local socket (tcp.c)
 */
#ifndef ZINC_TCP_H
#define ZINC_TCP_H

#include "base/base.h"

/* Where and how to connect.  All of it must stay valid while the connection is being made. */
typedef struct zinc_tcp_config {
	const char *host; /* name or address, IPv6 without brackets */
	const char *port; /* "6379" */
	const char *path; /* of a local socket instead; NULL: none */
	double timeout;   /* seconds without any progress, > 0 */
	bool tls;
	const char *ca_file;   /* certificates to trust, PEM; NULL: the system's */
	const char *cert_file; /* of the client, PEM; NULL: none */
	const char *key_file;  /* its key; NULL: in cert_file */
} zinc_tcp_config;

typedef struct zinc_tcp zinc_tcp;

/* Try the addresses of the host one after another.  E_IO, E_CANCELLED, E_INVALID (unreadable files of certificates),
 * E_UNSUPPORTED (built without OpenSSL).  *again: the failure may pass, as opposed to a wrong certificate. */
zinc_status zinc_tcp_open(zinc_tcp **out, zinc_context *ctx, const zinc_tcp_config *config, bool *again,
			  const zinc_wait *wait, zinc_error *err);
/* Send all of it. */
zinc_status zinc_tcp_send(zinc_tcp *c, const void *bytes, size_t n, const zinc_wait *wait, zinc_error *err);
/* Receive at least one byte; the end of the connection is E_IO. */
zinc_status zinc_tcp_recv(zinc_tcp *c, void *to, size_t room, size_t *n, const zinc_wait *wait, zinc_error *err);
/* Has the server closed it, or sent what nobody asked for?  For a connection that was idle. */
bool zinc_tcp_is_stale(const zinc_tcp *c);
/* Does it lead to this machine? */
bool zinc_tcp_is_local(const zinc_tcp *c);
/* NULL is ignored.  Nothing is sent, so that a child of fork may close what its parent uses. */
void zinc_tcp_close(zinc_tcp *c);

#endif
