/* The names of a force's expressions in one formula; private to force_scope.c and device_scope.c. */
#ifndef TN_SYSTEM_FORCE_SCOPE_H
#define TN_SYSTEM_FORCE_SCOPE_H

#include "system.h"

typedef struct tn_force_scope {
    tn_scope scope;
    tn_formula *formula;
    uint32_t source;
    int parameters;                /* index of its first number among the formula's parameters */
    int slot1, slot2, world;
    const tn_scope *joint;         /* place JOINT */
    tn_name_scope names;           /* of its expressions */
} tn_force_scope;

/* A parameter by its name; kind UNKNOWN: there is none. */
tn_symbol tn_force_parameter_symbol(const tn_force_scope *f, const char *name);
/* A state by its name. */
tn_symbol tn_force_state_symbol(tn_formula *formula, uint32_t source, const char *name);
/* A channel's expression, in the scope of its force. */
tn_symbol tn_force_channel_text(const tn_force_scope *f, const char *name);
/* A name of a device, node or medium, other than time (device_scope.c). */
tn_symbol tn_device_symbol(const tn_force_scope *f, const char *name);
/* A quantity of a device or node as other entities see it. */
tn_symbol tn_device_channel_symbol(tn_formula *formula, uint32_t source, const char *what);

#endif
