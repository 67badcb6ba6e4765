/*
 * vectors.h - what other implementations made of elements, as tests of a codec
 */
#ifndef VECTORS_H
#define VECTORS_H

/*
 * Every vector of `codec` ("numcodecs.delta") must decode to what numcodecs decodes it to; what Zinc encodes must
 * decode to the same and, where there is only one way to encode it, be the same bytes.  Fails when there is no vector.
 */
void vectors_run(const char *codec);

#endif
