/* Numbers have a decimal point whatever the host program's locale is. */
#ifndef TN_IO_DECIMAL_H
#define TN_IO_DECIMAL_H

#include "tenon/context.h"
#include <locale.h>

typedef struct tn_decimal {
    locale_t own, before;
} tn_decimal;

static inline int tn_decimal_begin(tn_decimal *decimal)
{
    decimal->own = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (decimal->own == (locale_t)0)
        return TN_ERROR_MEMORY;
    decimal->before = uselocale(decimal->own);
    return TN_OK;
}

static inline void tn_decimal_end(const tn_decimal *decimal)
{
    uselocale(decimal->before);
    freelocale(decimal->own);
}

#endif
