/* Attributes: values that entities of a kind have beside the parameters of their type. A row of a table here and the field
 * of the definition (tenon/model.h) give everything else: the key in model files and its schema, the check, the command
 * "set", the property in the studio, and the comparison of models. */
#ifndef TN_MODEL_ATTRIBUTES_H
#define TN_MODEL_ATTRIBUTES_H

#include "check.h"

#include <math.h>

typedef enum tn_sign { TN_ANY_SIGN, TN_POSITIVE, TN_NOT_NEGATIVE } tn_sign;

/* ROW(field of tn_contact_def, unit, sign, largest value, default, description). */
#define TN_CONTACT_ATTRIBUTES(ROW) \
    ROW(restitution, "", TN_NOT_NEGATIVE, 1, 0, "0: impacts are plastic (default); 1: elastic.") \
    ROW(friction, "", TN_NOT_NEGATIVE, INFINITY, 0, "Coefficient of dry friction. Default: 0.")

typedef struct tn_attribute {
    const char *name;
    const char *unit;          /* "" is a plain number */
    tn_sign sign;
    double most;
    double initial;
    const char *doc;
    size_t offset;             /* of the number in the definition */
} tn_attribute;

/* Ends with name NULL. */
extern const tn_attribute tn_contact_attributes[];

size_t tn_attribute_count(const tn_attribute *rows);
/* NULL: there is no such attribute. */
const tn_attribute *tn_attribute_find(const tn_attribute *rows, const char *name);
/* "restitution and friction"; the buffer. */
const char *tn_attribute_names(char *buffer, size_t size, const tn_attribute *rows);
double *tn_attribute_place(const tn_attribute *row, void *definition);
double tn_attribute_value(const tn_attribute *row, const void *definition);
/* False, with what is wanted in `wanted`, for a value that the attribute cannot have. */
bool tn_attribute_allows(const tn_attribute *row, double value, char *wanted, size_t size);
void tn_attributes_default(const tn_attribute *rows, void *definition);
void tn_attributes_check(tn_check *check, const tn_attribute *rows, const void *definition);
bool tn_attributes_same(const tn_attribute *rows, const void *a, const void *b);

#endif
