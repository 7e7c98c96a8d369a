/* Binary data as text (RFC 4648), numbers in little-endian order. */
#ifndef TN_JSON_BASE64_H
#define TN_JSON_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* 32-bit words: floating-point numbers, or whole ones. */
typedef union tn_word {
    float number;
    uint32_t bits;
} tn_word;

/* Characters that so many words take, without a terminating zero. */
size_t tn_base64_length(size_t words);
/* Writes them into text and ends it with zero. */
void tn_base64_text(char *text, const tn_word *words, size_t count);
void tn_base64_write(FILE *out, const tn_word *words, size_t count);

#endif
