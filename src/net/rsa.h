/*
 * rsa.h - signatures with RSA keys (rsa.c)
 */
#ifndef ZINC_RSA_H
#define ZINC_RSA_H

#include "base/base.h"

/* Append the RS256 signature of p[0..n) by a key in PEM, without a password.  E_INVALID (it is no such key, or a short
 * one), E_UNSUPPORTED (built without libcrypto), E_NOMEM.  No error shows any part of the key. */
zinc_status zinc_rsa_sign(const char *pem, size_t npem, const void *p, size_t n, zinc_buf *out, zinc_error *err);

#endif
