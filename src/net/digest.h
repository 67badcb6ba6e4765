/*
 * digest.h - SHA-256, HMAC-SHA-256, SHA-1 and MD5
 */
#ifndef ZINC_DIGEST_H
#define ZINC_DIGEST_H

#include "base/base.h"

#define ZINC_SHA256_BYTES 32
#define ZINC_SHA256_HEX   (2 * ZINC_SHA256_BYTES + 1)
#define ZINC_SHA1_BYTES   20
#define ZINC_MD5_BYTES    16

/* False: libcrypto has failed, or is not built in. */
bool zinc_sha256(const struct iovec *iov, int niov, uint8_t out[ZINC_SHA256_BYTES]);
bool zinc_hmac_sha256(const void *key, size_t nkey, const void *p, size_t n, uint8_t out[ZINC_SHA256_BYTES]);
/* For names of files, not for security. */
bool zinc_sha1(const void *p, size_t n, uint8_t out[ZINC_SHA1_BYTES]);
/* Some systems forbid MD5. */
bool zinc_md5(const void *p, size_t n, uint8_t out[ZINC_MD5_BYTES]);

/* Lower-case hexadecimal digits and a NUL: 2 n + 1 bytes. */
void zinc_hex(char *out, const uint8_t *p, size_t n);

#endif
