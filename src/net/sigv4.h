/*
 * sigv4.h - AWS Signature Version 4 of a request, and presigned URLs
 */
#ifndef ZINC_SIGV4_H
#define ZINC_SIGV4_H

#include "net/net.h"

struct zinc_aws_keys; /* aws.h */

#define ZINC_UNSIGNED_PAYLOAD "UNSIGNED-PAYLOAD"

/*
 * Sign the request to `url`: adds x-amz-date, x-amz-security-token (if the keys have a token), for the service "s3"
 * x-amz-content-sha256, and Authorization.  All headers of the request are signed, and the host.  Path and query are
 * signed as they are in the URL, so they must be escaped as AWS requires (zinc_sigv4_escape).  `payload_hash` is the
 * SHA-256 of the body in hexadecimal digits, or ZINC_UNSIGNED_PAYLOAD.  `now` is in seconds since 1970.
 */
zinc_status zinc_sigv4_sign(zinc_http_request *r, const char *url, const struct zinc_aws_keys *keys, const char *region,
			    const char *service, const char *payload_hash, int64_t now, zinc_error *err);
/* Append a URL that anyone may use for `seconds`. */
zinc_status zinc_sigv4_presign(zinc_buf *out, const char *method, const char *url, const struct zinc_aws_keys *keys,
			       const char *region, const char *service, int64_t now, unsigned seconds, zinc_error *err);

/* Append s[0..n), with everything escaped but letters, digits, "-._~" and, in a path, '/'. */
zinc_status zinc_sigv4_escape(zinc_buf *out, const char *s, size_t n, bool path, zinc_error *err);

#endif
