/*
 * digest.c - SHA-256, HMAC-SHA-256, SHA-1 and MD5 of libcrypto; only this file uses it
 */
#include "net/digest.h"

void
zinc_hex(char *out, const uint8_t *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < n; i++) {
		out[2 * i] = digits[p[i] >> 4];
		out[2 * i + 1] = digits[p[i] & 15];
	}
	out[2 * n] = '\0';
}

#if ZINC_WITH_CRYPTO

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

bool
zinc_sha256(const struct iovec *iov, int niov, uint8_t out[ZINC_SHA256_BYTES])
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	bool ok = c && EVP_DigestInit_ex(c, EVP_sha256(), NULL) == 1;
	int i;

	for (i = 0; i < niov && ok; i++)
		ok = iov[i].iov_len == 0 || EVP_DigestUpdate(c, iov[i].iov_base, iov[i].iov_len) == 1;
	ok = ok && EVP_DigestFinal_ex(c, out, NULL) == 1;
	EVP_MD_CTX_free(c);
	return ok;
}

bool
zinc_hmac_sha256(const void *key, size_t nkey, const void *p, size_t n, uint8_t out[ZINC_SHA256_BYTES])
{
	return nkey <= INT_MAX && HMAC(EVP_sha256(), key, (int)nkey, (const uint8_t *)p, n, out, NULL) != NULL;
}

bool
zinc_sha1(const void *p, size_t n, uint8_t out[ZINC_SHA1_BYTES])
{
	return EVP_Digest(p, n, out, NULL, EVP_sha1(), NULL) == 1;
}

bool
zinc_md5(const void *p, size_t n, uint8_t out[ZINC_MD5_BYTES])
{
	return EVP_Digest(p, n, out, NULL, EVP_md5(), NULL) == 1;
}

#else

bool
zinc_sha256(const struct iovec *iov, int niov, uint8_t out[ZINC_SHA256_BYTES])
{
	(void)iov, (void)niov, (void)out;
	return false;
}

bool
zinc_hmac_sha256(const void *key, size_t nkey, const void *p, size_t n, uint8_t out[ZINC_SHA256_BYTES])
{
	(void)key, (void)nkey, (void)p, (void)n, (void)out;
	return false;
}

bool
zinc_sha1(const void *p, size_t n, uint8_t out[ZINC_SHA1_BYTES])
{
	(void)p, (void)n, (void)out;
	return false;
}

bool
zinc_md5(const void *p, size_t n, uint8_t out[ZINC_MD5_BYTES])
{
	(void)p, (void)n, (void)out;
	return false;
}

#endif
