/* Texts as UTF-8 (RFC 3629): which bytes are characters. */
#include "tenon/sys/utf8.h"
#include <string.h>

/* Bytes of the character at text, of which length bytes are left; 0: none is there. *broken: then, the bytes that belong together. */
static size_t character_bytes(const unsigned char *text, size_t length, size_t *broken)
{
    const unsigned char first = text[0];
    const size_t size = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4 : 0;
    /* the second byte excludes longer forms than needed, surrogates, and what is beyond 0x10ffff */
    const unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80, most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    size_t k = 1;
    while (k < size && k < length && text[k] >= (k == 1 ? least : 0x80) && text[k] <= (k == 1 ? most : 0xbf))
        k++;
    *broken = k;
    return k == size ? size : 0;
}

bool tn_utf8_valid(const char *bytes, size_t length)
{
    size_t broken;
    for (size_t k = 0, step; k < length; k += step)
        if ((step = character_bytes((const unsigned char *)bytes + k, length - k, &broken)) == 0)
            return false;
    return true;
}

void tn_utf8_mend(char *text)
{
    const size_t length = strlen(text);
    size_t used = 0, broken;
    for (size_t k = 0; k < length;) {
        const size_t size = character_bytes((const unsigned char *)text + k, length - k, &broken);
        if (size == 0)
            text[used++] = '?';
        else
            memmove(text + used, text + k, size);
        used += size;
        k += size > 0 ? size : broken;
    }
    text[used] = '\0';
}
