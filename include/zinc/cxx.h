/*
 * cxx.h - what zinc.h needs beside C in C++: ZINC_BUFFER.  zinc.h includes it
 */
#ifndef ZINC_CXX_H
#define ZINC_CXX_H

#include <zinc.h>

#ifdef __cplusplus
/* The number of a type; a compile error where there is none. */
template <typename T, typename = void> struct zinc_type_of;
template <typename T> struct zinc_type_of<const T> : zinc_type_of<T> {
};
#define ZINC_X(ctype, number)                                                                                          \
	template <> struct zinc_type_of<ctype> {                                                                       \
		static const zinc_type value = number;                                                                 \
	};
#define ZINC_XI(ctype)                                                                                                 \
	ZINC_X(ctype, ctype(-1) < ctype(1) ? (sizeof(ctype) == 1   ? ZINC_INT8                                         \
					      : sizeof(ctype) == 2 ? ZINC_INT16                                        \
					      : sizeof(ctype) == 4 ? ZINC_INT32                                        \
								   : ZINC_INT64)                                       \
					   : (sizeof(ctype) == 1   ? ZINC_UINT8                                        \
					      : sizeof(ctype) == 2 ? ZINC_UINT16                                       \
					      : sizeof(ctype) == 4 ? ZINC_UINT32                                       \
								   : ZINC_UINT64))
ZINC_X(void, ZINC_NATIVE)
ZINC_X(bool, ZINC_BOOL)
ZINC_XI(char)
ZINC_X(signed char, ZINC_INT8)
ZINC_X(unsigned char, ZINC_UINT8)
ZINC_XI(short)
ZINC_X(unsigned short, sizeof(short) == 2 ? ZINC_UINT16 : ZINC_UINT32)
ZINC_XI(int)
ZINC_XI(unsigned)
ZINC_XI(long)
ZINC_X(unsigned long, sizeof(long) == 4 ? ZINC_UINT32 : ZINC_UINT64)
ZINC_X(long long, ZINC_INT64)
ZINC_X(unsigned long long, ZINC_UINT64)
ZINC_X(float, ZINC_FLOAT32)
ZINC_X(double, ZINC_FLOAT64)
#undef ZINC_XI
#undef ZINC_X
/* std::complex, recognised by its members: <complex> is large, and most programs do not use it. */
template <typename T> const T &zinc_declared_value(); /* never called */
template <typename A, typename B> struct zinc_same;
template <typename A> struct zinc_same<A, A> {
	typedef void type;
};
template <typename P> struct zinc_complex_of;
template <> struct zinc_complex_of<float> {
	static const zinc_type value = ZINC_COMPLEX64;
};
template <> struct zinc_complex_of<double> {
	static const zinc_type value = ZINC_COMPLEX128;
};
template <typename T>
struct zinc_type_of<T, typename zinc_same<decltype(zinc_declared_value<T>().imag()), typename T::value_type>::type>
    : zinc_complex_of<typename T::value_type> {
	static_assert(sizeof(T) == 2 * sizeof(typename T::value_type), "a complex number is two parts");
};
/* A buffer that lives as long as the statement, and stands for its address. */
struct zinc_buffer_here {
	zinc_buffer buffer;
	operator zinc_buffer *()
	{
		return &buffer;
	}
};
struct zinc_const_buffer_here {
	zinc_buffer buffer;
	operator const zinc_buffer *() const
	{
		return &buffer;
	}
};
template <typename T>
inline zinc_buffer_here
zinc_buffer_as(zinc_type type, T *pointer, size_t nbytes)
{
	return {ZINC_BUFFER_INIT(type, pointer, nbytes)};
}
template <typename T>
inline zinc_const_buffer_here
zinc_buffer_as(zinc_type type, const T *pointer, size_t nbytes)
{
	return {ZINC_BUFFER_INIT(type, const_cast<T *>(pointer), nbytes)};
}
template <typename T>
inline zinc_buffer_here
zinc_buffer_of(T *pointer, size_t nbytes)
{
	return zinc_buffer_as(zinc_type_of<T>::value, pointer, nbytes);
}
template <typename T>
inline zinc_const_buffer_here
zinc_buffer_of(const T *pointer, size_t nbytes)
{
	return zinc_buffer_as(zinc_type_of<T>::value, pointer, nbytes);
}
#define ZINC_BUFFER(pointer, nbytes)          zinc_buffer_of((pointer), (nbytes))
#define ZINC_BUFFER_AS(type, pointer, nbytes) zinc_buffer_as((type), (pointer), (nbytes))
#endif
#endif
