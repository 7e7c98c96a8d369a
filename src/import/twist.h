/* Twist spaces: which relative motions of two bodies a set of joints leaves free, to first order, and the joint that leaves
 * the same. One module for mates of CAD systems, joints of files and contacts inferred from geometry. */
#ifndef TN_IMPORT_TWIST_H
#define TN_IMPORT_TWIST_H

#include "tenon/model.h"

enum { TN_TWIST_ROWS = 256 };
#define TN_TWIST_LENGTH 0.1    /* m: makes lengths and angles comparable */

typedef struct tn_twist_space {
    double origin[3];          /* twists are taken about this point of the world */
    double rows[TN_TWIST_ROWS][6];     /* forbidden: row . (w, v / 0.1 m) = 0 */
    int row_count;
    double free[6][6];         /* basis of the free twists: (w, v / 0.1 m), orthonormal */
    int free_count;
    double smallest_kept, largest_dropped;     /* singular values either side of the decision; 0: none */
} tn_twist_space;

void tn_twist_begin(tn_twist_space *space, const double origin[3]);
/* Adds the equations of a joint of a type between two frames of the world. False: the type is not known here. */
bool tn_twist_add(tn_twist_space *space, const char *type, const tn_pose *frame1, const tn_pose *frame2);
/* Finds the free twists. */
void tn_twist_solve(tn_twist_space *space);
/* The joint whose free twists these are, with its frame in the world; NULL: none that has a name and is the same in every
 * pose. "free": nothing is forbidden. */
const char *tn_twist_name(const tn_twist_space *space, tn_pose *frame);
/* How far the frames are from satisfying the joint: m or rad. */
double tn_twist_gap(const char *type, const tn_pose *frame1, const tn_pose *frame2);
/* Changes frame 2 by the least change so that the joint is satisfied. */
void tn_twist_fit(const char *type, const tn_pose *frame1, tn_pose *frame2);
/* Whether joints of the type may be combined with others: their equations hold in the same way in every pose. */
bool tn_twist_combines(const char *type);

#endif
