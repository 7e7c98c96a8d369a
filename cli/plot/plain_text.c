/* Makes text of unknown origin fit for a script or a picture. */
#include "plain_text.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the character that begins there, 0 when there is none: RFC 3629, the shortest form only, no surrogates. */
static size_t character_length(const unsigned char *s)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t length = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    if (length < 2)
        return length;
    uint32_t code = s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (s[i] >> 6 != 2)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000, no_character = (code & 0xfffeu) == 0xfffe;
    return code >= smallest[length] && code < 0x110000 && !surrogate && !no_character ? length : 0;
}

size_t tn_plain_next(char out[TN_PLAIN_SIZE], const char *text)
{
    if (text[0] == '\0')
        return 0;
    size_t length = character_length((const unsigned char *)text);
    bool control = length == 1 && ((unsigned char)text[0] < ' ' || text[0] == 0x7f);
    if (length == 0 || control) {
        strcpy(out, control ? " " : "?");
        return 1;
    }
    memcpy(out, text, length);
    out[length] = '\0';
    return length;
}
