/* The list of published results. */
#include "reproduction.h"

#define TN_REPRODUCTION(name) extern const tn_reproduction tn_reproduction_##name;
#include "list.h"
#undef TN_REPRODUCTION

const tn_reproduction *const tn_reproductions[] = {
#define TN_REPRODUCTION(name) &tn_reproduction_##name,
#include "list.h"
#undef TN_REPRODUCTION
    NULL
};
