/* Mates between two rigid groups as one joint. */
#ifndef TN_IMPORT_COMBINE_H
#define TN_IMPORT_COMBINE_H

#include "machine.h"

/* Geometric elements of which mates and contacts are made. */
typedef enum tn_feature_kind { TN_FEATURE_POINT, TN_FEATURE_LINE, TN_FEATURE_CIRCLE, TN_FEATURE_PLANE } tn_feature_kind;
typedef struct tn_mate_feature {
    tn_feature_kind kind;
    int body;
    tn_pose frame;             /* on the body: origin, and z along the line or normal */
} tn_mate_feature;

/* Adds a mate by its name ("Concentric", "Coincident", "Distance", "Parallel", "Perpendicular", "Angle", "Tangent", "Lock")
 * as a joint of the machine that tn_machine_combine may combine with others. False: no such mate of these features. */
bool tn_machine_add_mate(tn_machine *machine, const char *mate, const char *name, const tn_mate_feature *a,
                         const tn_mate_feature *b, tn_span place);

/* Puts the machine together where its mates do not fit exactly, finds bodies that mates hold rigidly, and replaces the mates
 * of every other pair of bodies by the joint that leaves the same motion, where it has a name. Numbers of joints change. */
int tn_machine_combine(tn_machine *machine);

#endif
