/* The double pendulum and the slider-crank in joint coordinates, as Joli et al. 2008 write their reference (Eq. 39): an ordinary
 * differential equation that is integrated here, without the library. An independent path to the same motions. */
#ifndef TN_CLI_JOINT_COORDINATES_H
#define TN_CLI_JOINT_COORDINATES_H

#include "links.h"

typedef enum tn_joint_method {
    TN_JOINT_NEWMARK_PEC,      /* Eq. 37, 38 with the velocity predictor put right: one evaluation a step */
    TN_JOINT_NEWMARK_SOLVED,   /* the same rule, iterated until it holds */
    TN_JOINT_RK4
} tn_joint_method;

/* Path of the tip, at the times that paths of links have. */
int tn_joint_path(tn_path *path, tn_links_kind kind, tn_joint_method method, double step, double until);

#endif
