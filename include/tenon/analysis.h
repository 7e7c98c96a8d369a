/* Questions about a mechanism at its start: freedoms, redundancy, uniqueness of reactions. */
#ifndef TENON_ANALYSIS_H
#define TENON_ANALYSIS_H

#include "session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Joints whose equations depend on each other: excess equations more than the motion needs. */
typedef struct tn_redundancy_group {
    const tn_id *joints;
    size_t joint_count;
    int excess;
} tn_redundancy_group;

/* Which parts of a joint's reaction are determined by the motion: x, y, z of force and torque, world axes. A part the
 * joint cannot transmit counts as unique (it is zero). */
typedef struct tn_reaction_uniqueness {
    tn_id joint;
    bool force[3], torque[3];
} tn_reaction_uniqueness;

typedef struct tn_report {
    int bodies, joints, coordinates;   /* coordinates: velocity components of all bodies */
    int equations, rank;
    int freedoms;                      /* coordinates - rank */
    int gruebler;                      /* coordinates - equations */
    const tn_redundancy_group *groups;
    size_t group_count;
    const tn_reaction_uniqueness *reactions;   /* one per joint, in model order */
    size_t reaction_count;
    double smallest_kept, largest_dropped;     /* scaled singular values either side of the rank decision; 0 if none */
} tn_report;

/* At the state the session is in. Owned by the caller: tn_report_destroy. */
int tn_session_report(tn_report **out, tn_session *session);
void tn_report_destroy(tn_context *context, tn_report *report);

#ifdef __cplusplus
}
#endif
#endif
