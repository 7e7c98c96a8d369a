#include "base64.h"

/* Three words are twelve bytes and sixteen characters: whole groups, so that blocks can follow each other. */
enum { BLOCK_WORDS = 3, BLOCK_TEXT = 16 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t tn_base64_length(size_t words)
{
    return (4 * words + 2) / 3 * 4;
}

/* Encodes at most BLOCK_WORDS words; returns the number of characters. */
static size_t encode_block(char text[BLOCK_TEXT], const tn_word *words, size_t count)
{
    unsigned char bytes[4 * BLOCK_WORDS] = { 0 };
    for (size_t i = 0; i < 4 * count; i++)
        bytes[i] = (unsigned char)(words[i / 4].bits >> (8 * (i % 4)));
    size_t length = tn_base64_length(count);
    for (size_t i = 0; i < length; i++) {
        size_t group = i / 4 * 3;
        uint32_t bits = (uint32_t)bytes[group] << 16 | (uint32_t)bytes[group + 1] << 8 | bytes[group + 2];
        text[i] = alphabet[bits >> (18 - 6 * (i % 4)) & 63];
    }
    for (size_t unused = (3 - 4 * count % 3) % 3; unused > 0; unused--)
        text[length - unused] = '=';
    return length;
}

void tn_base64_text(char *text, const tn_word *words, size_t count)
{
    for (size_t i = 0; i < count; i += BLOCK_WORDS)
        text += encode_block(text, words + i, count - i < BLOCK_WORDS ? count - i : BLOCK_WORDS);
    *text = '\0';
}

void tn_base64_write(FILE *out, const tn_word *words, size_t count)
{
    char text[BLOCK_TEXT];
    for (size_t i = 0; i < count; i += BLOCK_WORDS) {
        size_t length = encode_block(text, words + i, count - i < BLOCK_WORDS ? count - i : BLOCK_WORDS);
        fwrite(text, 1, length, out);
    }
}
