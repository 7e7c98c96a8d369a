/* Numbers as people write them. */
#include "shortest.h"
#include <stdio.h>
#include <stdlib.h>

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
