/* Reading units one by one, where a text goes on after them; private to this layer. */
#ifndef TN_BASE_UNIT_SCAN_H
#define TN_BASE_UNIT_SCAN_H

#include "units.h"

/* Length of the word of letters (also non-ASCII), digits, '_' or '%' at the start of text. */
size_t tn_word_length(const char *text, size_t length);
/* Reads one unit with prefix and power, "mm^2": characters read, or 0 when text does not start with one. */
size_t tn_unit_scan(const char *text, size_t length, double *factor, tn_dim *dim);

#endif
