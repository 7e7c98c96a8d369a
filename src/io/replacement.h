/* A subsystem that takes the place of another while it is read. Bodies, joints, forces, contacts and subsystems of the
 * same path keep their ids, so that a running session carries their state over; the others of the old one go. */
#ifndef TN_IO_REPLACEMENT_H
#define TN_IO_REPLACEMENT_H

#include "reader.h"

typedef struct tn_hanging tn_hanging;

typedef struct tn_replacement {
    tn_model *model;
    const char *path;
    tn_body *bodies;                           /* all of the model, as they were */
    tn_joint *joints;
    tn_force *forces;
    size_t counts[TN_KIND_SUBSYSTEM + 1];      /* slots then */
    bool *seen[TN_KIND_SUBSYSTEM + 1];         /* by slot: it goes on */
    bool *lived[TN_KIND_SUBSYSTEM + 1];        /* those that were there: the places of others may be taken anew */
    struct tn_old_port { const char *name; uint32_t body; tn_pose pose, world; double v[3], w[3];
                         bool used; } *ports;
    size_t port_count;
    size_t first_parameter, first_output, first_event;     /* where those of the old one stood in their lists */
    size_t parameters, outputs, events;                    /* how many there are of others */
    tn_hanging *hanging;                       /* what is attached from outside */
    size_t hanging_count, hanging_capacity;
    char added[120], gone[120];                /* names, for the report */
} tn_replacement;

/* Notes what there is, and drops what cannot go on: ports, parameters, tables, types, events, outputs. */
int tn_replacement_begin(tn_replacement *replacement, tn_model *model, tn_id subsystem);
/* An entity of the old one goes on. False: it is none of the old one, or goes on already. */
bool tn_replacement_takes(tn_replacement *replacement, tn_id id);
/* A name for the new one: if only something old has it, that gets another until it goes. */
int tn_replacement_free_name(tn_replacement *replacement, const char *path);
/* Something is new. */
void tn_replacement_new(tn_replacement *replacement, const char *path);
/* When all is read: attaches what hangs on ports, removes what is left of the old one, and puts everything where it is
 * now. Mistakes are reported at the place. */
void tn_replacement_finish(tn_replacement *replacement, tn_reader *r, tn_span place);
void tn_replacement_end(tn_replacement *replacement);

#endif
