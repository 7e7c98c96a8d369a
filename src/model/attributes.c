/* The tables of attributes, and what follows from a row: place, default, check and comparison of the value. */
#include "attributes.h"

#include <string.h>

static const int way_values[] = { 1, -1 };
const tn_words tn_crossing_words = { { "both", "up", "down" }, NULL };
const tn_words tn_closing_words = { { "refuse", "snap" }, NULL };
const tn_words tn_way_words = { { "up", "down" }, way_values };

#define NUMBER_ROW(type, field, unit, sign, most, initial, doc) \
    { #field, TN_ATTRIBUTE_NUMBER, unit, sign, most, initial, NULL, doc, offsetof(type, field), sizeof(double) },
#define WORD_ROW(type, field, key, kind, words, doc) \
    { key, kind, "", TN_ANY_SIGN, INFINITY, NAN, words, doc, offsetof(type, field), sizeof(((type *)0)->field) },

#define CONTACT_NUMBER(...) NUMBER_ROW(tn_contact_def, __VA_ARGS__)
#define CONTACT_WORD(...) WORD_ROW(tn_contact_def, __VA_ARGS__)
const tn_attribute tn_contact_attributes[] = { TN_CONTACT_ATTRIBUTES(CONTACT_NUMBER, CONTACT_WORD) { 0 } };

#define FUSE_NUMBER(...) NUMBER_ROW(tn_fuse, __VA_ARGS__)
#define FUSE_WORD(...) WORD_ROW(tn_fuse, __VA_ARGS__)
const tn_attribute tn_fuse_attributes[] = { TN_FUSE_ATTRIBUTES(FUSE_NUMBER, FUSE_WORD) { 0 } };

#define LATCH_NUMBER(...) NUMBER_ROW(tn_latch, __VA_ARGS__)
#define LATCH_WORD(...) WORD_ROW(tn_latch, __VA_ARGS__)
const tn_attribute tn_latch_attributes[] = { TN_LATCH_ATTRIBUTES(LATCH_NUMBER, LATCH_WORD) { 0 } };

#define RATCHET_NUMBER(...) NUMBER_ROW(tn_ratchet, __VA_ARGS__)
#define RATCHET_WORD(...) WORD_ROW(tn_ratchet, __VA_ARGS__)
const tn_attribute tn_ratchet_attributes[] = { TN_RATCHET_ATTRIBUTES(RATCHET_NUMBER, RATCHET_WORD) { 0 } };

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

/* ---- values ---- */

static const void *field_of(const tn_attribute *row, const void *definition)
{
    return (const char *)definition + row->offset;
}

double *tn_attribute_place(const tn_attribute *row, void *definition)
{
    return (double *)((char *)definition + row->offset);
}

double tn_attribute_value(const tn_attribute *row, const void *definition)
{
    return row->kind == TN_ATTRIBUTE_NUMBER ? *(const double *)field_of(row, definition) : NAN;
}

int tn_attribute_choice(const tn_attribute *row, const void *definition)
{
    const void *field = field_of(row, definition);
    int value = row->size == sizeof(bool) ? *(const bool *)field : *(const int *)field, k = 0;
    if (!row->words->values)
        return value;
    while (row->words->words[k] && row->words->values[k] != value)
        k++;
    return k;
}

void tn_attribute_choose(const tn_attribute *row, void *definition, int word)
{
    void *field = (char *)definition + row->offset;
    int value = row->words->values ? row->words->values[word] : word;
    if (row->size == sizeof(bool))
        *(bool *)field = value != 0;
    else
        *(int *)field = value;
}

const char *tn_attribute_word(const tn_attribute *row, const void *definition)
{
    switch (row->kind) {
    case TN_ATTRIBUTE_NUMBER: return NULL;
    case TN_ATTRIBUTE_CHOICE: return row->words->words[tn_attribute_choice(row, definition)];
    case TN_ATTRIBUTE_COORDINATE: return *(const char *const *)field_of(row, definition);
    default: return ((const tn_expression *)field_of(row, definition))->text;
    }
}

/* ---- default, check, comparison ---- */

bool tn_attribute_allows(const tn_attribute *row, double value, char *wanted, size_t size)
{
    bool good = (isnan(row->initial) && isnan(value)) ||
                (isfinite(value) && value <= row->most && !(row->sign == TN_POSITIVE && value <= 0) &&
                 !(row->sign == TN_NOT_NEGATIVE && value < 0));
    if (!good && isfinite(row->most))
        snprintf(wanted, size, "must be between 0 and %g", row->most);
    else if (!good)
        snprintf(wanted, size, "must %s", row->sign == TN_POSITIVE       ? "be positive"
                                          : row->sign == TN_NOT_NEGATIVE ? "be 0 or positive"
                                                                         : "be finite");
    return good;
}

void tn_attributes_default(const tn_attribute *rows, void *definition)
{
    for (; rows->name; rows++)
        if (rows->kind == TN_ATTRIBUTE_NUMBER)
            *tn_attribute_place(rows, definition) = rows->initial;
        else
            memset((char *)definition + rows->offset, 0, rows->size);
}

void tn_attributes_check(tn_check *check, const char *what, const tn_attribute *rows, const void *definition)
{
    char wanted[60];
    for (; rows->name; rows++) {
        double value = tn_attribute_value(rows, definition);
        if (rows->kind == TN_ATTRIBUTE_NUMBER && !tn_attribute_allows(rows, value, wanted, sizeof wanted))
            tn_complain(check, "%s%s %g %s", what, rows->name, value, wanted);
    }
}

bool tn_attributes_same(const tn_attribute *rows, const void *a, const void *b)
{
    for (; rows->name; rows++) {
        double va = tn_attribute_value(rows, a), vb = tn_attribute_value(rows, b);
        const char *wa = tn_attribute_word(rows, a), *wb = tn_attribute_word(rows, b);
        if ((va != vb && !(isnan(va) && isnan(vb))) || !wa != !wb || (wa && strcmp(wa, wb) != 0))
            return false;
    }
    return true;
}
