/* Singular positions: where the rows of all joints and drives become dependent. Dense: for mechanisms of some hundred
 * coordinates, and for reports. */
#ifndef TN_ANALYSIS_SINGULAR_H
#define TN_ANALYSIS_SINGULAR_H

#include "system.h"

/* With more coordinates than this the sign of the determinant is not watched. */
enum { TN_WATCHED_COORDINATES = 400 };

/* Watches the sign of the determinant of as many rows as there are coordinates. */
typedef struct tn_watch {
    const tn_system *system;
    int *rows;                     /* the rows chosen */
    double *A;                     /* scaled rows, transposed, column-major: coordinates x rows */
    double *chosen;                /* the chosen rows of A */
    double *tau;
    int *pivots;
} tn_watch;

/* Chooses the rows at the point in e, where all rows together must have full column rank. */
int tn_watch_create(tn_watch *out, const tn_system *system, tn_arena *arena, const tn_eval *e);
/* Chooses the rows again. */
int tn_watch_choose(tn_watch *watch, const tn_eval *e);
/* Sign of the determinant at the point in e: -1, 0 or 1; 0 also when there are too many coordinates. */
int tn_watch_sign(tn_watch *watch, const tn_eval *e);

/* The orientation of the independent rows at a point. Between two nearby points on the same smooth branch it changes
 * where the rows become dependent. */
typedef struct tn_hand {
    const tn_system *system;
    int *rows;                     /* independent rows first */
    int rank;
    bool positive;                 /* sign of the determinant of the independent rows over the directions in A */
    double *A, *tau;               /* QR factorization of the scaled rows, transposed */
    double *others, *chosen;       /* all rows at the other point; of these, the rows that are independent here */
    int *pivots;
} tn_hand;

/* tn_hand_take stores the orientation at the point in e; tn_hand_same compares it with the orientation at another
 * point. With more than TN_WATCHED_COORDINATES coordinates all orientations count as the same. */
int tn_hand_take(tn_hand *out, const tn_system *system, tn_arena *arena, const tn_eval *e);
int tn_hand_same(tn_hand *hand, const tn_eval *e, bool *same);

/* Writes the joints that can move while all rows hold, fastest first: "'elbow', 'wrist'". nearest: writes the
 * joints that move along the direction that is constrained least, singular or not. smallest: receives the smallest
 * singular value of the scaled rows; may be NULL. Returns the number of joints, or a negative code. */
int tn_loose_joints(const tn_system *system, tn_eval *e, const double *memory, bool nearest, char *text, size_t size,
                    double *smallest);

#endif
