/* The tables of attributes, and what follows from a row: place, default, check and comparison of the value. */
#include "attributes.h"

#include <string.h>

#define CONTACT_ROW(field, unit, sign, most, initial, doc) \
    { #field, unit, sign, most, initial, doc, offsetof(tn_contact_def, field) },
const tn_attribute tn_contact_attributes[] = { TN_CONTACT_ATTRIBUTES(CONTACT_ROW) { 0 } };

size_t tn_attribute_count(const tn_attribute *rows)
{
    size_t count = 0;
    while (rows[count].name)
        count++;
    return count;
}

const tn_attribute *tn_attribute_find(const tn_attribute *rows, const char *name)
{
    for (; rows->name; rows++)
        if (strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

const char *tn_attribute_names(char *buffer, size_t size, const tn_attribute *rows)
{
    size_t count = tn_attribute_count(rows), length = 0;
    for (size_t k = 0; k < count && length < size; k++) {
        const char *separator = k == 0 ? "" : k + 1 == count ? " and " : ", ";
        length += (size_t)snprintf(buffer + length, size - length, "%s%s", separator, rows[k].name);
    }
    return buffer;
}

double *tn_attribute_place(const tn_attribute *row, void *definition)
{
    return (double *)((char *)definition + row->offset);
}

double tn_attribute_value(const tn_attribute *row, const void *definition)
{
    return *(const double *)((const char *)definition + row->offset);
}

bool tn_attribute_allows(const tn_attribute *row, double value, char *wanted, size_t size)
{
    bool good = isfinite(value) && value <= row->most && !(row->sign == TN_POSITIVE && value <= 0) &&
                !(row->sign == TN_NOT_NEGATIVE && value < 0);
    if (!good && isfinite(row->most))
        snprintf(wanted, size, "must be between 0 and %g", row->most);
    else if (!good)
        snprintf(wanted, size, "must %s", row->sign == TN_POSITIVE       ? "be positive"
                                          : row->sign == TN_NOT_NEGATIVE ? "not be negative"
                                                                         : "be finite");
    return good;
}

void tn_attributes_default(const tn_attribute *rows, void *definition)
{
    for (; rows->name; rows++)
        *tn_attribute_place(rows, definition) = rows->initial;
}

void tn_attributes_check(tn_check *check, const tn_attribute *rows, const void *definition)
{
    char wanted[60];
    for (; rows->name; rows++) {
        double value = tn_attribute_value(rows, definition);
        if (!tn_attribute_allows(rows, value, wanted, sizeof wanted))
            tn_complain(check, "%s %g %s", rows->name, value, wanted);
    }
}

bool tn_attributes_same(const tn_attribute *rows, const void *a, const void *b)
{
    for (; rows->name; rows++) {
        double va = tn_attribute_value(rows, a), vb = tn_attribute_value(rows, b);
        if (va != vb && !(isnan(va) && isnan(vb)))
            return false;
    }
    return true;
}
