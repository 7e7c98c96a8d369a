/* Text of unknown origin (names in a table, a title), character by character, made fit for a script or a picture. */
#ifndef TN_CLI_PLAIN_TEXT_H
#define TN_CLI_PLAIN_TEXT_H

#include <stddef.h>

enum { TN_PLAIN_SIZE = 5 };

/* The first character of text as UTF-8 with a final 0: a control character becomes a space, a byte that belongs to no
 * character a question mark. Returns how many bytes of text it took; 0 at the end. */
size_t tn_plain_next(char out[TN_PLAIN_SIZE], const char *text);

#endif
