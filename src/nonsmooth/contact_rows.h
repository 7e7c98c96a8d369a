/* The contacts of a time step as a sparse cone problem (cone_sweeps.h): which touches and limits are near, their rows,
 * the responses of the bodies, and the islands of bodies that touch each other. Private to this folder. */
#ifndef TN_CONTACT_ROWS_H
#define TN_CONTACT_ROWS_H

#include "cone.h"
#include "cone_sweeps.h"
#include "unilaterals.h"

/* Bodies that sleep (time_sleep.h); arrays are over the bodies but for `still`. */
typedef struct tn_sleep {
    bool *asleep, *stands;         /* it is not solved; it stood still in this step */
    int *flock;                    /* the same number for all bodies that fell asleep together */
    double *y, *a;                 /* state and accelerations before the last step */
    bool *still;                   /* over the slots of the model: it sleeps or does not move */
    double h;                      /* s: length of the last step */
    int body_count, count;         /* bodies; those that sleep */
    size_t capacity[6];
} tn_sleep;

/* Workspace of time stepping. The arrays grow when a step needs more room than all before. */
struct tn_contact_rows {
    tn_unilateral *near;           /* touches and limits with a small gap, open */
    size_t near_count, near_capacity;
    double margin;                 /* m: touches with smaller gaps at the start of the step are near */
    tn_unilateral *missed;         /* touches that only the end of the step shows */
    size_t missed_count, missed_capacity;
    tn_sweep_contact *contacts;    /* one per entry of near */
    size_t contact_capacity;
    tn_sweep_block *blocks;
    size_t block_count, block_capacity;
    double *values;
    size_t value_count, value_capacity;
    int *parent;                   /* over the bodies: union-find; bodies that joints connect, then islands too */
    int *joint_parent;             /* over the bodies: bodies that joints connect */
    bool *jointed;                 /* over the bodies: joints hold it */
    double (*inverse)[3][3];       /* over the bodies: inverse of the inertia tensor, world axes */
    size_t body_capacity[4];
    int *order;                    /* contacts by island */
    int *island_begin;             /* islands + 1: first entry of each island in order */
    int island_count;
    size_t order_capacity, island_capacity;
    int *keys;                     /* hash table of the pressed touches of the last step */
    size_t key_capacity;
    tn_cone_newton *newton;        /* workspaces of the cone solver */
    double *work;
    size_t work_capacity;
    double *row, *x, *rest;        /* a row, its response, zeros for the joints' rows */
    size_t row_capacity, x_capacity, rest_capacity;
    double *v, *free, *y;          /* velocities with and without impulses; the state at the end of the step */
    double (*turning)[3];          /* of time_turning.c: angular impulse of every near contact */
    double *still;                 /* the velocities without impulses and without them */
    size_t turning_capacity, still_capacity;
    double *y_mean;                /* the positions with the mean velocities */
    double *y_middle;              /* the positions in the middle of the step, once its displacements are known */
    bool in_middle;                /* rows are those of y_middle, where y_middle is known */
    size_t v_capacity, free_capacity, y_capacity, y_mean_capacity, y_middle_capacity;
    double *small_work;            /* of small_island.c */
    int *small_numbers;
    struct tn_cone_contact *small_contacts;
    size_t small_capacity[3];
    tn_sleep sleep;
    bool turns;                    /* contacts resist turning */
    bool deep;                     /* the last step left deep overlaps, which are removed by shifts */
    bool *flat;                    /* over the bodies: the step ends with the velocity w instead of the mean one */
    size_t flat_capacity;
};

int tn_contact_rows_create(tn_contact_rows **out, tn_context *context);
void tn_contact_rows_destroy(tn_contact_rows *rows, tn_context *context);
/* Sweeps of the cone solver over the contacts of an island. */
enum { TN_STEP_SWEEPS = 12 };

/* Unit vectors t1, t2 normal to n, as functions of n; in the plane only t1. */
void tn_contact_tangents(const double n[3], int dimension, double t1[3], double t2[3]);

/* Returns the body whose velocities begin with number `at`. */
int tn_contact_body_at(const tn_system *system, int at);

/* Lists the touches with gaps below margin, and limits with gaps below margin now or within the time h, at the motion in
 * stepper->eval; without touches between bodies that sleep. */
int tn_contact_rows_near(tn_contact_rows *rows, tn_session *session, double margin, double h);
/* Makes the rows of all near contacts at (t, y), whose motion is in stepper->eval; friction false: normal rows only. Where
 * rows->in_middle, directions and arms are those of the touches in y_middle, responses those at (t, y). Finds the islands. Impulses
 * are zero. */
int tn_contact_rows_build(tn_contact_rows *rows, tn_session *session, double t, const double *y, bool friction);
/* Sets the impulses to those of the pressed contacts of the last step, times h; such contacts have the mode `pressed`. */
int tn_contact_rows_recall(tn_contact_rows *rows, const tn_session *session, double h);

/* Tells whether the contacts list[0 .. count-1] are few enough for a dense method. */
bool tn_small_island(const tn_contact_rows *rows, const int *list, int count);
/* Solves the contacts list[0 .. count-1], whose velocities without impulses are in rows->free, by a dense method; solved:
 * their impulses and rows->v are an exact solution. */
int tn_small_island_solve(tn_contact_rows *rows, tn_context *context, const int *list, int count, bool *solved);

/* Returns the normal velocity (row 0) of a contact for the velocities v. */
double tn_contact_row_speed(const tn_sweep_contact *contact, int row, const double *v);

#endif
