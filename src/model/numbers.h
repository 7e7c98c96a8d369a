/* Numbers of a model that can change without recompiling the model. */
#ifndef TN_MODEL_NUMBERS_H
#define TN_MODEL_NUMBERS_H

#include "entities.h"

typedef enum tn_number_kind {
    TN_NUMBER_FORCE,               /* index: force, part: parameter by declaration */
    TN_NUMBER_GRAVITY,             /* part: component */
    TN_NUMBER_MASS,                /* index: body */
    TN_NUMBER_COM,                 /* index: body, part: component */
    TN_NUMBER_INERTIA,             /* index: body, part: component */
    TN_NUMBER_JOINT,               /* index: joint, part: parameter by declaration */
    TN_NUMBER_CONTACT,             /* index: contact, part: row of its attributes */
    TN_NUMBER_LIMIT_LOW,           /* index: of the model's limits, for this and the next three */
    TN_NUMBER_LIMIT_HIGH,
    TN_NUMBER_LIMIT_RESTITUTION,
    TN_NUMBER_PITCH,               /* of a ratchet */
    TN_NUMBER_FUSE                 /* index: joint with a fuse, part: row of its attributes */
} tn_number_kind;

typedef struct tn_number {
    tn_number_kind kind;
    uint32_t index;
    int part;
    double value;
} tn_number;

/* Numbers in the order of a command. Its user frees items with tn_free. */
typedef struct tn_number_list {
    tn_number *items;
    size_t capacity;
    int count;
} tn_number_list;

double tn_number_in(const tn_model *model, const tn_number *number);
/* Exchanges these values with the values in the model. */
void tn_numbers_exchange(tn_model *model, tn_number *numbers, int count);

#endif
