/* Singular positions: where the rows of all joints and drives become dependent. Dense: for mechanisms of some hundred
 * coordinates, and for reports. */
#ifndef TN_ANALYSIS_SINGULAR_H
#define TN_ANALYSIS_SINGULAR_H

#include "system.h"

/* Above so many coordinates the sign of the determinant is not watched. */
enum { TN_WATCHED_COORDINATES = 400 };

/* Watches the sign of the determinant of as many rows as there are coordinates. */
typedef struct tn_watch {
    const tn_system *system;
    int *rows;                     /* the rows chosen */
    double *A;                     /* scaled rows, transposed, column-major: coordinates x rows */
    double *chosen;                /* those chosen of them */
    double *tau;
    int *pivots;
} tn_watch;

/* Rows are chosen at the point in e, where they must have full column rank. */
int tn_watch_create(tn_watch *out, const tn_system *system, tn_arena *arena, const tn_eval *e);
/* Chooses again. */
int tn_watch_choose(tn_watch *watch, const tn_eval *e);
/* -1, 0 or 1 at the point in e; 0 also when too large. */
int tn_watch_sign(tn_watch *watch, const tn_eval *e);

/* The hand of the rows at a point: of those independent there, by which side they turn to. Between two points on the
 * same smooth branch that are near each other it changes where the rows become dependent. */
typedef struct tn_hand {
    const tn_system *system;
    int *rows;                     /* independent ones first */
    int rank;
    bool positive;                 /* their determinant over the directions in A */
    double *A, *tau;               /* QR factorization of the scaled rows, transposed */
    double *others, *chosen;       /* rows at the other point; the same ones as here of them */
    int *pivots;
} tn_hand;

/* With more than TN_WATCHED_COORDINATES every hand is the same. */
int tn_hand_take(tn_hand *out, const tn_system *system, tn_arena *arena, const tn_eval *e);
int tn_hand_same(tn_hand *hand, const tn_eval *e, bool *same);

/* Writes the joints that can move while all rows hold, fastest first: "'elbow', 'wrist'". nearest: those that move in
 * the one direction that is held least, singular or not. smallest: the smallest singular value of the scaled rows; may
 * be NULL. Returns how many joints there are, or a negative code. */
int tn_loose_joints(const tn_system *system, tn_eval *e, const double *memory, bool nearest, char *text, size_t size,
                    double *smallest);

#endif
