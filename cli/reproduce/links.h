/* Links with masses at their ends, as Joli et al. 2008 and Seguy et al. 2003 use them, and paths of their tips. */
#ifndef TN_CLI_LINKS_H
#define TN_CLI_LINKS_H

#include "figure.h"

typedef enum tn_links_kind {
    TN_LINKS_PENDULUM,         /* two links of 1 m, one along x, the other hanging from it */
    TN_LINKS_CRANK             /* the same at 45 and -45 degrees, the tip sliding along x */
} tn_links_kind;

/* Masses in kg: root and end of the first link, start and tip of the second. */
typedef struct tn_end_masses {
    double root, end, start, tip;
} tn_end_masses;

enum { TN_LINKS_TEXT = 1600 };
/* Natural coordinates: four particles; rods "upper" and "lower" within the links; joints "pivot", "elbow", "slide".
 * Records the position of the tip. */
void tn_links_particles(char text[TN_LINKS_TEXT], tn_links_kind kind, const tn_end_masses *masses);
/* The same double pendulum as two rigid bodies. */
void tn_links_bodies(char text[TN_LINKS_TEXT], const tn_end_masses *masses);

/* Baumgarte's scheme with gains from the step (Eq. 12), one-pass Newmark (Eq. 37, 38), solved exactly. */
tn_solve tn_links_solve(double step, double until);
/* Fixed-rho Uzawa from zero on the joints between links as published, the rods being kept within the links; increment:
 * the stop of Eq. 28. slide: rho of the slide, 0: there is none. */
void tn_links_uzawa(tn_solve *solve, double increment, double slide);

/* The stop joint by joint: each joint's multipliers change by less than this part of their own. */
void tn_links_stop_by_joints(tn_solve *solve, double increment, bool slides);

/* Where a tip was, at the times that the model's settings record. */
typedef struct tn_path {
    size_t count, capacity;
    double (*at)[3];           /* t, x, y */
    bool failed;               /* no memory */
    tn_summary summary;        /* of the run */
} tn_path;

/* s: between two points of a path */
#define TN_PATH_SAMPLE 0.01
/* Adds t, x, y; remembers when there is no memory. */
void tn_path_add(tn_path *path, const double point[3]);
/* Runs the model to solve->until. */
int tn_path_follow(tn_path *path, tn_context *context, const char *text, const tn_solve *solve);
/* The double pendulum and the crank as they really move, recorded every 10 ms. */
int tn_path_reference(tn_path *path, tn_context *context, tn_links_kind kind, double until);
/* Largest distance at common times, which must be the same in both. */
double tn_path_distance(const tn_path *path, const tn_path *reference);
double tn_path_largest_y(const tn_path *path);
/* Draws the tip's height over time, when figures are wanted: the model with steps of 10 ms and 1 ms, and the reference
 * as
 * long as they go. figure has its name and title. */
int tn_path_draw(tn_findings *findings, tn_context *context, tn_figure *figure, const char *text,
                 const tn_solve *long_steps, const tn_solve *short_steps, const tn_path *reference);
/* Curves of figures: y over x, or x (0) or y (1) over time. */
tn_series tn_path_curve(const tn_path *path, const char *name);
tn_series tn_path_over_time(const tn_path *path, const char *name, int coordinate);
/* Solver iterations per evaluation. */
double tn_path_iterations(const tn_path *path);
void tn_path_clear(tn_path *path);

#endif
