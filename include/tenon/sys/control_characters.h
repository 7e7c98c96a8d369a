/* Control characters in texts that a program prints but did not write itself. */
#ifndef TENON_SYS_CONTROL_CHARACTERS_H
#define TENON_SYS_CONTROL_CHARACTERS_H

#include "tenon/context.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the bytes to the stream. Control characters of terminals (escape, delete, marks of the writing direction) become text:
 * "\x1b". Line breaks and tabs stay. */
TN_API void tn_write_escaped(FILE *out, const char *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
