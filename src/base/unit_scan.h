/* Reading units one by one, where a text goes on after them; private to this layer. */
#ifndef TN_BASE_UNIT_SCAN_H
#define TN_BASE_UNIT_SCAN_H

#include "units.h"

/* Length of the word of letters (also non-ASCII), digits, '_' or '%' at the start of text. */
size_t tn_word_length(const char *text, size_t length);
/* The same without powers and signs of multiplication that are not ASCII, as in "mm²" and "N·m". */
size_t tn_unit_word(const char *text, size_t length);
/* The sign that joins two units at the start of text: its bytes, or 0 when there is none; join is '*' or '/'. */
size_t tn_unit_join(const char *text, size_t length, char *join);
/* Reads units in parentheses, "(m K)": bytes read, or 0 when text does not start with such a group. */
size_t tn_unit_scan_group(const char *text, size_t length, double *factor, tn_dim *dim);
/* Reads one unit with prefix and power, "mm^2": bytes read, or 0 when text does not start with one. */
size_t tn_unit_scan(const char *text, size_t length, double *factor, tn_dim *dim);

#endif
