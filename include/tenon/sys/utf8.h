/* Texts as UTF-8: what JSON, browsers and Python refuse otherwise. */
#ifndef TENON_SYS_UTF8_H
#define TENON_SYS_UTF8_H

#include "tenon/context.h"
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the bytes are characters of UTF-8: no surrogates, no longer forms than needed, nothing cut off. */
TN_API bool tn_utf8_valid(const char *bytes, size_t length);
/* Puts '?' in the place of each piece that is no character, as where a text was cut within one, or comes from a file with another
 * encoding. The text can only become shorter. */
TN_API void tn_utf8_mend(char *text);

#ifdef __cplusplus
}
#endif

#endif
