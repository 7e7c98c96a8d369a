/* A set of touches by their keys, as a hash table: a look-up takes the same time for any number of touches. */
#ifndef TN_CONTACT_TOUCH_SET_H
#define TN_CONTACT_TOUCH_SET_H

#include "touch.h"

typedef struct tn_touch_place {
    tn_touch_key key;
    uint32_t round;            /* the place is in use if this is the round of the set */
} tn_touch_place;

/* All zero: an empty set. */
typedef struct tn_touch_set {
    tn_touch_place *places;    /* owned; `room` of them, a power of two */
    size_t room, count;
    uint32_t round;
} tn_touch_set;

bool tn_touch_set_has(const tn_touch_set *set, const tn_touch_key *key);
/* Adds a key; added: it was not there. */
int tn_touch_set_add(tn_touch_set *set, tn_context *context, const tn_touch_key *key, bool *added);
/* Takes all keys out; the memory stays. */
void tn_touch_set_clear(tn_touch_set *set);
void tn_touch_set_free(tn_touch_set *set, tn_context *context);

#endif
