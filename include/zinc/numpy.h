/*
 * numpy.h - elements in NumPy's types, for programs that read or write .npy files or share memory with Python
 */
#ifndef ZINC_NUMPY_H
#define ZINC_NUMPY_H

#include <zinc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The NumPy type of the elements, little-endian, as the header of a .npy file has it: '<f4', '<M8[ns]', [('a', '<i4'), ('b',
 * '|S3')].  Of numbers that NumPy does not have, bfloat16 or int4, it is that of zinc_type_widen, so elements must be read as
 * that or converted.  As snprintf; 0: elements for which NumPy has no type (variable length, records with such numbers), or
 * unsupported ones. */
ZINC_API size_t zinc_array_numpy(const zinc_array *a, char *out, size_t room);
/* The same of an array in a listing. */
ZINC_API size_t zinc_array_info_numpy(const zinc_array_info *info, char *out, size_t room);

/* A NumPy type, from the same spelling in any byte order, with or without quotes, or as JSON of Zarr v2.
 * E_INVALID, E_UNSUPPORTED (objects), E_LIMIT, E_NOMEM.  Free with zinc_numpy_free. */
typedef struct zinc_numpy zinc_numpy;
ZINC_API ZINC_CHECKED zinc_status zinc_numpy_new(zinc_numpy **out, zinc_context *ctx, const char *descr, zinc_error *err);
ZINC_API void zinc_numpy_free(zinc_numpy *type);
ZINC_API size_t zinc_numpy_size(const zinc_numpy *type); /* bytes of an element */

/*
 * n elements of a NumPy type, in C order without gaps -> as many of the array's own, in this machine's byte order, for
 * zinc_array_write; or from zinc_array_read back.  Numbers convert as on reading (`convert`: zinc_convert flags), datetimes
 * to other units exactly, texts to other lengths and to or from variable length (whose bytes go to `arena`, else NULL),
 * records field by field.
 * E_INVALID when the types are too different, E_RANGE naming the first element that does not fit; nothing is truncated.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_array_from_numpy(const zinc_array *a, const zinc_numpy *type, void *to, const void *from,
                                                        size_t n, int convert, zinc_arena *arena, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_array_to_numpy(const zinc_array *a, const zinc_numpy *type, void *to, const void *from,
                                                      size_t n, int convert, zinc_error *err);

#ifdef __cplusplus
}
#endif
#endif
