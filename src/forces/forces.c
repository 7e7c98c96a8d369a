/* The table of all force types, made from list.h. */
#include "tenon/sys/force.h"

#define TN_FORCE(name) extern const tn_force_type tn_force_##name;
#include "list.h"
#undef TN_FORCE

#define TN_FORCE(name) &tn_force_##name,
const tn_force_type *const tn_force_types[] = {
#include "list.h"
    NULL
};
