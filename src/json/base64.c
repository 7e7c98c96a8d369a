/* Base64: bytes as text, and back. */
#include "base64.h"
#include <string.h>

/* Three words are twelve bytes and sixteen characters: whole groups, so that blocks can follow each other. */
enum { BLOCK_WORDS = 3, BLOCK_TEXT = 16 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t tn_base64_length(size_t bytes)
{
    return (bytes + 2) / 3 * 4;
}

void tn_base64_text(char *text, const unsigned char *bytes, size_t count)
{
    for (size_t at = 0; at < count; at += 3) {
        size_t rest = count - at;
        uint32_t bits = (uint32_t)bytes[at] << 16 | (rest > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
                        (rest > 2 ? bytes[at + 2] : 0);
        for (int k = 0; k < 4; k++)
            *text++ = alphabet[bits >> (18 - 6 * k) & 63];
        if (rest < 3)
            memcpy(text - (3 - rest), "==", 3 - rest);
    }
    *text = '\0';
}

/* Characters of at most BLOCK_WORDS words. */
static void encode_block(char text[BLOCK_TEXT + 1], const tn_word *words, size_t count)
{
    unsigned char bytes[4 * BLOCK_WORDS];
    for (size_t i = 0; i < 4 * count; i++)
        bytes[i] = (unsigned char)(words[i / 4].bits >> (8 * (i % 4)));
    tn_base64_text(text, bytes, 4 * count);
}

void tn_base64_words(char *text, const tn_word *words, size_t count)
{
    *text = '\0';
    for (size_t i = 0; i < count; i += BLOCK_WORDS, text += BLOCK_TEXT)
        encode_block(text, words + i, count - i < BLOCK_WORDS ? count - i : BLOCK_WORDS);
}

void tn_base64_write(FILE *out, const tn_word *words, size_t count)
{
    char text[BLOCK_TEXT + 1];
    for (size_t i = 0; i < count; i += BLOCK_WORDS) {
        encode_block(text, words + i, count - i < BLOCK_WORDS ? count - i : BLOCK_WORDS);
        fputs(text, out);
    }
}

static int value_of(char sign)
{
    const char *at = sign != '\0' ? strchr(alphabet, sign) : NULL;
    return at ? (int)(at - alphabet) : -1;
}

bool tn_base64_bytes(unsigned char *out, size_t count, const char *text)
{
    size_t length = tn_base64_length(count), signs = (4 * count + 2) / 3;      /* the rest is '=' */
    uint32_t bits = 0;
    if (strlen(text) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        int value = i < signs ? value_of(text[i]) : text[i] == '=' ? 0 : -1;
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
        for (size_t k = 0; i % 4 == 3 && k < 3 && i / 4 * 3 + k < count; k++)
            out[i / 4 * 3 + k] = (unsigned char)(bits >> (16 - 8 * k));
    }
    return true;
}
