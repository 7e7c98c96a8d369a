/* Replacement of a subsystem by another one while it is read. Bodies, joints, forces, contacts and subsystems with the
 * same path keep their ids, so that a running session keeps their state; the other old entities are removed. */
#ifndef TN_IO_REPLACEMENT_H
#define TN_IO_REPLACEMENT_H

#include "reader.h"

typedef struct tn_hanging tn_hanging;

typedef struct tn_replacement {
    tn_model *model;
    const char *path;
    tn_body *bodies;                           /* all bodies of the model, as before the replacement */
    tn_joint *joints;
    tn_force *forces;
    size_t counts[TN_KIND_SUBSYSTEM + 1];      /* number of slots before the replacement */
    bool *seen[TN_KIND_SUBSYSTEM + 1];         /* by slot: the entity stays */
    bool *lived[TN_KIND_SUBSYSTEM + 1];        /* by slot: alive before the replacement; free slots may be reused */
    struct tn_old_port { const char *name; uint32_t body; tn_pose pose, world; double v[3], w[3];
                         bool used; } *ports;
    size_t port_count;
    size_t first_parameter, first_output, first_event;     /* where those of the old one stood in their lists */
    size_t parameters, outputs, events;                    /* how many there are of others */
    tn_hanging *hanging;                       /* attachments from outside */
    size_t hanging_count, hanging_capacity;
    char added[120], gone[120];                /* names, for the report */
} tn_replacement;

/* Notes the old content, and drops the parts that cannot stay: ports, parameters, tables, types, events, outputs. */
int tn_replacement_begin(tn_replacement *replacement, tn_model *model, tn_id subsystem);
/* Keeps an entity of the old subsystem. False: it does not belong to the old subsystem, or is kept already. */
bool tn_replacement_takes(tn_replacement *replacement, tn_id id);
/* Frees a name for the new subsystem: an old entity with this name gets another name until it is removed. */
int tn_replacement_free_name(tn_replacement *replacement, const char *path);
/* Notes a new entity. */
void tn_replacement_new(tn_replacement *replacement, const char *path);
/* Called when everything is read: attaches joints and forces to the new ports, removes the rest of the old subsystem,
 * and moves everything to its current place. Mistakes are reported at place. */
void tn_replacement_finish(tn_replacement *replacement, tn_reader *r, tn_span place);
void tn_replacement_end(tn_replacement *replacement);

#endif
