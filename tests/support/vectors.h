/*
 * vectors.h - encoded elements of other implementations, as tests of a codec
 */
#ifndef VECTORS_H
#define VECTORS_H

/*
 * Every vector of `codec` ("numcodecs.delta") must decode as in numcodecs.  The output of Zinc must decode to the
 * same and, if there is only one way to encode it, be the same bytes.  Fails if there is no vector.
 */
void vectors_run(const char *codec);

#endif
