/* Tapes that formulas share. Formulas of devices and nodes that differ in places and in numbers only, such as those of a thousand
 * resistors, have the same tape: it is compiled once, and the others take it with slots and numbers of their own. */
#ifndef TN_SYSTEM_SHARED_TAPES_H
#define TN_SYSTEM_SHARED_TAPES_H

#include "device_network.h"

typedef enum tn_share_role { TN_SHARE_FORCE, TN_SHARE_EQUATION, TN_SHARE_ACCOUNT } tn_share_role;

/* What a formula is for: a device or node, its equation of that index, its energy account. */
typedef struct tn_share {
    tn_share_role role;
    uint32_t source;
    int index;
} tn_share;

/* Makes the formula from an earlier one that has the same tape. *out NULL: there is none. *like, which may be NULL, gets the source of the
 * earlier one. */
int tn_shared_take(tn_formula **out, tn_system *s, const tn_share *share, uint32_t *like);
/* Later formulas may take the tape of this one, which is complete. */
int tn_shared_offer(tn_system *s, const tn_share *share, tn_formula *formula);
/* The formulas of this device or node have tapes of their own. */
void tn_shared_refuse(tn_system *s, uint32_t source);
void tn_shared_free(tn_system *s);

#endif
