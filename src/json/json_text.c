/* JSON written straight into a text. */
#include "json_text.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4096, MOST_DECIMALS = 9 };

/* Below this a product with a power of ten up to 1e9 is a whole number of at most 15 digits. */
static const double PLAIN_BOUND = 1e6;
static const double WHOLE_BOUND = 1e15;        /* whole numbers of 15 digits */
static const double EXPONENT_BOUND = 1e-4;     /* smaller numbers are written with an exponent */

/* Room for so many characters and a terminating zero. */
static char *reserve(tn_json_text *out, size_t length)
{
    if (out->broken)
        return NULL;
    if (out->length + length >= out->capacity) {
        size_t capacity = out->capacity > 0 ? 2 * out->capacity : FIRST_CAPACITY;
        while (capacity <= out->length + length)
            capacity *= 2;
        char *data = realloc(out->data, capacity);
        out->broken = data == NULL;
        if (!data)
            return NULL;
        out->data = data;
        out->capacity = capacity;
    }
    return out->data + out->length;
}

static void put_bytes(tn_json_text *out, const char *bytes, size_t length)
{
    char *to = reserve(out, length);
    if (!to)
        return;
    memcpy(to, bytes, length);
    out->length += length;
}

/* '"' and everything that has to be escaped within strings. */
static void put_escaped(tn_json_text *out, unsigned char sign)
{
    static const char letters[] = { ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't', ['"'] = '"', ['\\'] = '\\' };
    char text[8];
    int length = sign < sizeof letters && letters[sign] ? snprintf(text, sizeof text, "\\%c", letters[sign])
                                                        : snprintf(text, sizeof text, "\\u%04x", sign);
    put_bytes(out, text, (size_t)length);
}

static void put_quoted(tn_json_text *out, const char *s)
{
    put_bytes(out, "\"", 1);
    for (;;) {
        size_t plain = 0;
        while ((unsigned char)s[plain] >= ' ' && s[plain] != '"' && s[plain] != '\\')
            plain++;
        put_bytes(out, s, plain);
        s += plain;
        if (*s == '\0')
            break;
        put_escaped(out, (unsigned char)*s++);
    }
    put_bytes(out, "\"", 1);
}

/* The comma behind the value before, and the key. */
static void put_key(tn_json_text *out, const char *key)
{
    const char last = out->length > 0 && !out->broken ? out->data[out->length - 1] : '[';
    if (last != '[' && last != '{')
        put_bytes(out, ",", 1);
    if (!key)
        return;
    put_quoted(out, key);
    put_bytes(out, ":", 1);
}

void tn_json_text_begin(tn_json_text *out, const char *key, char bracket)
{
    put_key(out, key);
    put_bytes(out, &bracket, 1);
}

void tn_json_text_end(tn_json_text *out, char bracket)
{
    put_bytes(out, &bracket, 1);
}

void tn_json_text_string(tn_json_text *out, const char *key, const char *value)
{
    put_key(out, key);
    put_quoted(out, value);
}

void tn_json_text_bool(tn_json_text *out, const char *key, bool value)
{
    put_key(out, key);
    put_bytes(out, value ? "true" : "false", value ? 4 : 5);
}

/* Digits of a whole number before the end of a text; returns their begin. */
static char *digits_before(char *end, uint64_t whole)
{
    do
        *--end = (char)('0' + whole % 10);
    while ((whole /= 10) > 0);
    return end;
}

/* Most numbers of a model are short decimals m / 10^k. The quotient of the whole numbers m and 10^k is rounded as a reader
 * of that decimal rounds, so that equality shows that it reads back to the same number. Returns 0 when there is no such m. */
static size_t format_decimal(char text[TN_JSON_NUMBER_SIZE], double size)
{
    static const double powers[MOST_DECIMALS + 1] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
    int decimals = 0;
    double m = nearbyint(size);
    if (!(size < (m == size ? WHOLE_BOUND : PLAIN_BOUND)) || (size < EXPONENT_BOUND && size > 0))
        return 0;
    while (m / powers[decimals] < size || m / powers[decimals] > size) {
        if (++decimals > MOST_DECIMALS)
            return 0;
        m = nearbyint(size * powers[decimals]);
    }
    char room[TN_JSON_NUMBER_SIZE], *end = room + sizeof room, *begin = digits_before(end, (uint64_t)m);
    while (end - begin <= decimals)
        *--begin = '0';
    const size_t before = (size_t)(end - begin - decimals), behind = (size_t)decimals;
    memcpy(text, begin, before);
    if (behind == 0)
        return before;
    text[before] = '.';
    memcpy(text + before + 1, begin + before, behind);
    return before + 1 + behind;
}

/* By the C library, whose decimal point is that of the host program. */
static size_t format_general(char text[TN_JSON_NUMBER_SIZE], double size)
{
    int length = snprintf(text, TN_JSON_NUMBER_SIZE, "%.15g", size);
    const double read = strtod(text, NULL);
    if (read < size || read > size)
        length = snprintf(text, TN_JSON_NUMBER_SIZE, "%.17g", size);
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '.';
    return (size_t)length;
}

static void put_number(tn_json_text *out, double value)
{
    char text[TN_JSON_NUMBER_SIZE];
    if (!isfinite(value)) {
        put_bytes(out, "null", 4);
        return;
    }
    if (value < 0)
        put_bytes(out, "-", 1);
    size_t length = format_decimal(text, fabs(value));
    put_bytes(out, text, length > 0 ? length : format_general(text, fabs(value)));
}

void tn_json_text_number(tn_json_text *out, const char *key, double value)
{
    put_key(out, key);
    put_number(out, value);
}

void tn_json_text_numbers(tn_json_text *out, const char *key, const double *values, size_t count)
{
    tn_json_text_begin(out, key, '[');
    for (size_t i = 0; i < count; i++)
        tn_json_text_number(out, NULL, values[i]);
    tn_json_text_end(out, ']');
}

void tn_json_text_words(tn_json_text *out, const char *key, const tn_word *words, size_t count)
{
    const size_t length = tn_base64_length(4 * count);
    put_key(out, key);
    char *room = reserve(out, length + 2);
    if (!room)
        return;
    room[0] = '"';
    tn_base64_words(room + 1, words, count);
    room[length + 1] = '"';
    out->length += length + 2;
}

char *tn_json_text_take(tn_json_text *out)
{
    char *text = out->data;
    if (reserve(out, 0)) {
        text = out->data;
        text[out->length] = '\0';
    } else {
        free(text);
        text = NULL;
    }
    *out = (tn_json_text){ 0 };
    return text;
}
