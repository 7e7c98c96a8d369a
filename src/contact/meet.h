/* Finds the touches between two solids (narrow phase). */
#ifndef TN_CONTACT_MEET_H
#define TN_CONTACT_MEET_H

#include "solid.h"
#include "touch_set.h"

/* A list of touches under construction. */
typedef struct tn_touch_list {
    tn_context *context;
    tn_touch *items;           /* owned */
    size_t count, capacity;
    size_t first;              /* index of the first touch of the present pair */
    tn_touch_set set;          /* keys of all items */
    int dimension;
    const tn_pose *poses;      /* of the bodies */
    double margin;             /* m: touches with larger gaps are left out */
    uint32_t contact;
    int code;                  /* negative: out of memory */
} tn_touch_list;

/* Kind of a feature of a solid; part of a touch's key. */
typedef enum tn_feature_kind {
    TN_FEATURE_VERTEX, TN_FEATURE_EDGE, TN_FEATURE_FACE,
    TN_FEATURE_ROUND           /* rim 0 or 1, 2: the side of a cylinder, 3: an ellipsoid */
} tn_feature_kind;

/* One side of a touch: a feature of a solid, in world coordinates. */
typedef struct tn_touch_side {
    const tn_solid *solid;
    tn_feature_kind kind;
    int feature;
    double point[3];           /* M or N */
    double axis[3];            /* z (planar: y) of its frame; zero: any direction */
    double radius;             /* m, of the rounding */
    const double *turn;        /* quaternion of its frame, instead of the axis; NULL: by the axis */
    double size[4];            /* tn_touch.size */
} tn_touch_side;

/* A place on a smooth surface, with its principal curvatures. */
typedef struct tn_smooth_place {
    tn_touch_side side;        /* its point is on the surface without rounding */
    double along[3];           /* unit vector of one principal direction */
    double curvature;          /* 1/m, along it, of the rounded surface; 0: straight, negative: hollow */
    double across;             /* m, radius of curvature in the other direction, of the rounded surface; 0: sharp */
} tn_smooth_place;

/* Adds a touch, unless its gap is too large or the list already has it for this pair. */
void tn_touch_add(tn_touch_list *list, tn_touch_kind kind, const tn_touch_side *one, const tn_touch_side *two);
/* Adds the touch of two smooth surfaces with the normal n, from one to two, where they are nearest. False, and nothing is added: they
 * are near each other along a line; the determinant of the Hessian matrix of their distance, which is 1 where a line crosses another
 * one at a right angle, is below `least`. */
bool tn_touch_add_smooth(tn_touch_list *list, const tn_smooth_place *one, const tn_smooth_place *two, const double n[3], double least);
/* Adds all touches between two solids that have been placed by tn_solid_place. */
void tn_solids_meet(tn_touch_list *list, const tn_solid *one, const tn_solid *two);

#endif
