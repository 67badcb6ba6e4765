/*
 * rsa.c - signatures with RSA keys, by libcrypto
 *
 * Promises (tests/unit/test_google.c names each by its number, as those of google.c):
 *
 * (8) A key that is encrypted, of another kind or shorter than 2048 bits is an error; nobody is asked for a password.
 */
#include "net/rsa.h"

#if ZINC_WITH_CRYPTO

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#define MIN_BITS 2048

/* Without this, libcrypto would ask at the terminal. */
static int
no_password(char *to, int cap, int writes, void *arg)
{
	(void)to, (void)cap, (void)writes, (void)arg;
	return -1;
}

static EVP_PKEY *
read_key(const char *pem, size_t n)
{
	BIO *bio = BIO_new_mem_buf(pem, (int)n);
	EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL) : NULL;

	BIO_free(bio);
	return key;
}

static bool
sign(EVP_PKEY *key, const void *p, size_t n, zinc_buf *out, zinc_error *err)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	size_t need = 0;
	bool ok;

	ok = c && EVP_DigestSignInit(c, NULL, EVP_sha256(), NULL, key) == 1 &&
	     EVP_DigestSign(c, NULL, &need, (const uint8_t *)p, n) == 1 &&
	     zinc_buf_reserve(out, need, err) == ZINC_OK &&
	     EVP_DigestSign(c, out->p + out->n, &need, (const uint8_t *)p, n) == 1;
	if (ok)
		out->n += need;
	EVP_MD_CTX_free(c);
	return ok;
}

zinc_status
zinc_rsa_sign(const char *pem, size_t npem, const void *p, size_t n, zinc_buf *out, zinc_error *err)
{
	EVP_PKEY *key = npem < ZINC_MIB ? read_key(pem, npem) : NULL;
	zinc_status st = ZINC_OK;

	if (!key || EVP_PKEY_base_id(key) != EVP_PKEY_RSA || EVP_PKEY_bits(key) < MIN_BITS)
		st = zinc_fail(err, ZINC_E_INVALID, "the private key is no RSA key in PEM of at least %d bits",
			       MIN_BITS);
	else if (!sign(key, p, n, out, NULL))
		st = zinc_fail(err, ZINC_E_INVALID, "libcrypto cannot sign with the private key");
	EVP_PKEY_free(key);
	ERR_clear_error();
	return st;
}

#else

zinc_status
zinc_rsa_sign(const char *pem, size_t npem, const void *p, size_t n, zinc_buf *out, zinc_error *err)
{
	(void)pem, (void)npem, (void)p, (void)n, (void)out;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "built without libcrypto");
}

#endif
