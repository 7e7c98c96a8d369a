/* Binary data as text (RFC 4648), numbers in little-endian order. */
#ifndef TN_JSON_BASE64_H
#define TN_JSON_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* 32-bit words: floating-point numbers, or whole ones. */
typedef union tn_word {
    float number;
    uint32_t bits;
} tn_word;

/* Characters that so many bytes take, without a terminating zero. */
size_t tn_base64_length(size_t bytes);
/* Write into text and end it with zero. */
void tn_base64_text(char *text, const unsigned char *bytes, size_t count);
void tn_base64_words(char *text, const tn_word *words, size_t count);
void tn_base64_write(FILE *out, const tn_word *words, size_t count);
/* Exactly so many bytes out of a text; false when it is anything else. */
bool tn_base64_bytes(unsigned char *out, size_t count, const char *text);

#endif
