/* Tracks: the coordinate values that drives by rate or acceleration produce, integrated over time alone. */
#ifndef TN_ANALYSIS_TRACKS_H
#define TN_ANALYSIS_TRACKS_H

#include "system.h"

typedef struct tn_track {
    int row;                       /* of the drive */
    int constraint;                /* the drive */
    int joint, coordinate;         /* the driven coordinate: its constraint, its index */
    int state;                     /* index of its speed in z; -1: driven by rate */
    double value, speed;           /* at the accepted time; speed: of drives by acceleration */
    double next_value, next_speed; /* at the time being solved */
} tn_track;

typedef struct tn_tracks {
    tn_track *items;
    int count;
} tn_tracks;

/* Makes the tracks of all such drives, starting at the point in e. */
int tn_tracks_create(tn_tracks *out, const tn_system *system, tn_arena *arena, tn_eval *e, const double *memory);
/* Computes next_value and next_speed at t from the values at t0; t may be before t0. e must be at rest. */
void tn_tracks_predict(tn_tracks *tracks, const tn_system *system, tn_eval *e, const double *memory, double t0,
                       double t);
void tn_tracks_accept(tn_tracks *tracks);

#endif
