/* Numbers as people write them. */
#include "shortest.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 15 digits are those of any decimal of up to 15; 17 are enough for every number. */
enum { FEW_DIGITS = 15, ALL_DIGITS = 17 };

const char *tn_shortest(char out[TN_SHORTEST_SIZE], double value)
{
    for (int digits = FEW_DIGITS; digits <= ALL_DIGITS; digits++) {
        snprintf(out, TN_SHORTEST_SIZE, "%.*g", digits, value);
        const double read = strtod(out, NULL);
        if (!(read < value || read > value))
            break;
    }
    return out;
}

/* A number next to a decimal of 15 digits differs from it by at most 11 units of the 17th digit. */
static bool may_be_short(const char *full)
{
    const size_t length = strcspn(full, "en");         /* in front of an exponent; texts of nan and inf are short */
    if (length < ALL_DIGITS)
        return false;
    const char tens = full[length - 2], ones = full[length - 1];
    return tens == '0' || tens == '9' || (tens == '1' && ones <= '1') || (tens == '8' && ones == '9');
}

const char *tn_short_or_full(char out[TN_SHORTEST_SIZE], double value)
{
    char few[TN_SHORTEST_SIZE];
    snprintf(out, TN_SHORTEST_SIZE, "%.*g", ALL_DIGITS, value);
    if (!may_be_short(out))
        return out;
    snprintf(few, sizeof few, "%.*g", FEW_DIGITS, value);
    const double read = strtod(few, NULL);
    return read < value || read > value ? out : strcpy(out, few);
}
