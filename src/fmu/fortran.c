/* The functions of the Fortran runtime library that LAPACK and BLAS call, so that the FMU needs no libgfortran: joining texts,
 * and reports of wrong arguments, which the engine excludes. */
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

void _gfortran_concat_string(size_t length, char *out, size_t length1, const char *text1, size_t length2, const char *text2);
void xerbla_(const char *name, const int *info, size_t length);
void cblas_xerbla(int info, const char *name, const char *format, ...);

void _gfortran_concat_string(size_t length, char *out, size_t length1, const char *text1, size_t length2, const char *text2)
{
    size_t first = length1 < length ? length1 : length, second = length2 < length - first ? length2 : length - first;
    memcpy(out, text1, first);
    memcpy(out + first, text2, second);
    memset(out + first + second, ' ', length - first - second);
}

/* The caller returns with its own error code. */
void xerbla_(const char *name, const int *info, size_t length)
{
    (void)name;
    (void)info;
    (void)length;
}

void cblas_xerbla(int info, const char *name, const char *format, ...)
{
    (void)info;
    (void)name;
    (void)format;
}
