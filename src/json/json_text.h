/* JSON written straight into a text, for documents with so many values that a tree of them would cost more than their
 * contents. Values have a key within objects and NULL in its place within arrays. Without memory the text is broken, and
 * tn_json_text_take returns NULL. */
#ifndef TN_JSON_TEXT_H
#define TN_JSON_TEXT_H

#include "base64.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct tn_json_text {
    char *data;
    size_t length, capacity;
    bool broken;
} tn_json_text;

enum { TN_JSON_NUMBER_SIZE = 40 };

/* Zero-terminated; frees the text of a broken one and returns NULL. The caller frees it. */
char *tn_json_text_take(tn_json_text *out);
/* '{' or '['; tn_json_text_end takes the other one. */
void tn_json_text_begin(tn_json_text *out, const char *key, char bracket);
void tn_json_text_end(tn_json_text *out, char bracket);
void tn_json_text_string(tn_json_text *out, const char *key, const char *value);
void tn_json_text_bool(tn_json_text *out, const char *key, bool value);
/* Shortest of 15 and 17 digits that reads back to the same number; null when it is not finite. */
void tn_json_text_number(tn_json_text *out, const char *key, double value);
void tn_json_text_numbers(tn_json_text *out, const char *key, const double *values, size_t count);
/* Words as a base64 string. */
void tn_json_text_words(tn_json_text *out, const char *key, const tn_word *words, size_t count);

#endif
