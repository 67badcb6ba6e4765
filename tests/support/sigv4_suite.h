/*
 * sigv4_suite.h - cases of AWS's test suite of Signature Version 4: requests, and the signatures they must get
 *
 * Taken from the crate aws-sigv4 1.6.4 (aws-signing-test-suite/v4: request.txt, context.json, header-signature.txt;
 * Apache-2.0).  All are for the host example.amazonaws.com, the service "service" in us-east-1 and 20150830T123600Z.
 * Left out are cases that S3 does not have: paths that are normalised before they are signed, a header of several
 * lines, and a token that is not signed.
 */
#ifndef SIGV4_SUITE_H
#define SIGV4_SUITE_H

#define SUITE_EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define SUITE_FORM  "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e" /* of "Param1=value1" */
/* clang-format off */
#define SUITE_TOKEN_1 \
	"6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"
#define SUITE_TOKEN_2 \
	"AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfp" \
	"SPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQ" \
	"DYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+s" \
	"cqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="

typedef struct suite_case {
	const char *name, *method;
	const char *path, *query; /* before they are escaped */
	const char *headers[8];   /* name, value ... */
	const char *payload, *token;
	const char *names, *signature;
} suite_case;

static const suite_case suite[] = {
	{"get-header-key-duplicate", "GET", "/", "",
	 {"My-Header1", "value2", "My-Header1", "value2", "My-Header1", "value1"},
	 SUITE_EMPTY, NULL, "host;my-header1;x-amz-date",
	 "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
	{"get-header-value-order", "GET", "/", "",
	 {"My-Header1", "value4", "My-Header1", "value1", "My-Header1", "value3", "My-Header1", "value2"},
	 SUITE_EMPTY, NULL, "host;my-header1;x-amz-date",
	 "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
	{"get-header-value-trim", "GET", "/", "",
	 {"My-Header1", " value1", "My-Header2", " \"a   b   c\""},
	 SUITE_EMPTY, NULL, "host;my-header1;my-header2;x-amz-date",
	 "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
	{"get-relative-relative-unnormalized", "GET", "/example1/example2/../..", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b"},
	{"get-relative-unnormalized", "GET", "/example/..", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "eca7ead57bb5aa5c8e28007acd4ff04e1ff9a0ff3b237ec1554a184887ff9282"},
	{"get-slash-dot-slash-unnormalized", "GET", "/./", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "68714168e6557f8f2de0ef956fc24dc2593a4bd2961f8df51898d8a134695145"},
	{"get-slash-pointless-dot-unnormalized", "GET", "/./example", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "beb03f223f7deae4146464f06e29eebbee9c8afbe15c290cf07aa8b119e14cff"},
	{"get-slash-unnormalized", "GET", "//", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "c88bcd3d312d75078c0cd961d6deae3f4c754924b01669efcfcb439fd5e5b76e"},
	{"get-slashes-unnormalized", "GET", "//example//", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5"},
	{"get-space-unnormalized", "GET", "/example space/", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"},
	{"get-unreserved", "GET", "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
	{"get-utf8", "GET", "/\xe1\x88\xb4", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
	{"get-vanilla", "GET", "/", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
	{"get-vanilla-empty-query-key", "GET", "/", "Param1=value1",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
	{"get-vanilla-query", "GET", "/", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
	{"get-vanilla-query-order-encoded", "GET", "/", "Param-3=Value3&Param=Value2&\xe1\x88\xb4=Value1",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"},
	{"get-vanilla-query-order-key-case", "GET", "/", "Param2=value2&Param1=value1",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
	{"get-vanilla-query-unreserved", "GET", "/", "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	 "=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
	{"get-vanilla-utf8-query", "GET", "/", "\xe1\x88\xb4=bar",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
	{"get-vanilla-with-session-token", "GET", "/", "",
	 {NULL},
	 SUITE_EMPTY, SUITE_TOKEN_1, "host;x-amz-date;x-amz-security-token",
	 "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"},
	{"post-header-key-case", "POST", "/", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
	{"post-header-key-sort", "POST", "/", "",
	 {"My-Header1", "value1"},
	 SUITE_EMPTY, NULL, "host;my-header1;x-amz-date",
	 "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
	{"post-header-value-case", "POST", "/", "",
	 {"My-Header1", "VALUE1"},
	 SUITE_EMPTY, NULL, "host;my-header1;x-amz-date",
	 "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
	{"post-sts-header-before", "POST", "/", "",
	 {NULL},
	 SUITE_EMPTY, SUITE_TOKEN_2, "host;x-amz-date;x-amz-security-token",
	 "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"},
	{"post-vanilla", "POST", "/", "",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
	{"post-vanilla-empty-query-value", "POST", "/", "Param1=value1",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
	{"post-vanilla-query", "POST", "/", "Param1=value1",
	 {NULL},
	 SUITE_EMPTY, NULL, "host;x-amz-date",
	 "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
	{"post-x-www-form-urlencoded", "POST", "/", "",
	 {"Content-Type", "application/x-www-form-urlencoded", "Content-Length", "13",
	  "x-amz-content-sha256", SUITE_FORM},
	 SUITE_FORM, NULL, "content-length;content-type;host;x-amz-content-sha256;x-amz-date",
	 "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"},
	{"post-x-www-form-urlencoded-parameters", "POST", "/", "",
	 {"Content-Type", "application/x-www-form-urlencoded; charset=utf-8", "Content-Length", "13",
	  "x-amz-content-sha256", SUITE_FORM},
	 SUITE_FORM, NULL, "content-length;content-type;host;x-amz-content-sha256;x-amz-date",
	 "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422"},
};
/* clang-format on */

#endif
