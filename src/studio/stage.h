/* What happens in the runner's thread: the world, frames of it, and news to all clients. */
#ifndef TN_STUDIO_STAGE_H
#define TN_STUDIO_STAGE_H

#include "client.h"
#include "world.h"
#include <cJSON.h>

/* What everybody may be told at once, whatever the solver is doing. Guarded by the lock of the clients. */
typedef struct tn_bulletin {
    uint32_t revision;
    char name[256], folder[TN_PATH_SIZE], journal[TN_PATH_SIZE];
    tn_message *scene;         /* the latest; NULL: none yet */
    double past_begin, past_end;
    long rejected;
    struct {
        double time, step;     /* s; step 0: none */
        char why[200];
    } refused;                 /* the last step that was */
    int branch;
} tn_bulletin;

typedef struct tn_id_list {
    tn_id *items;
    size_t count;
} tn_id_list;

enum { TN_TRAIL = 4096 };      /* steps that can be gone back one by one */

typedef struct tn_stage {
    tn_clients *clients;
    tn_runner *runner;
    tn_world world;
    tn_bulletin bulletin;
    uint32_t revision, frame;  /* of the scene; of frames */
    long seen;                 /* revision of the session that revision stands for */
    bool scene_due, frame_due;
    double frame_wall;         /* s: when the last frame was made */
    tn_id_list bodies, joints, forces;     /* in the order of the scene */
    uint8_t *canvas;           /* a frame with all parts */
    size_t fired, logged;      /* events and lines that were told */
    double trail[TN_TRAIL];    /* s: times of the last steps, a ring by trail_end */
    size_t trail_count, trail_end;
    double furthest;           /* s: how far the past can be sought */
    tn_readout *until;         /* what a run goes on to; NULL: nothing */
    double until_last;
    tn_readout *hand;          /* force of the pull; NULL: nobody pulls */
    tn_pull pull;
    int branch, worlds;
    struct tn_health {         /* the last answer about it */
        cJSON *answer;         /* NULL: none yet */
        uint32_t revision;
        double wall, cost;     /* s: when it was made, and how long that took */
    } health;
} tn_stage;

/* Takes the world, which is recorded from here on, and starts its runner. */
int tn_stage_open(tn_stage *stage, tn_clients *clients, tn_world *world, const char *state);
/* Stops the runner: requests under way are called with session NULL. */
void tn_stage_stop(tn_stage *stage);
void tn_stage_close(tn_stage *stage);
/* From within a call: another world in place of the present one, which is closed; paused. On an error the present one
 * stays and the other is still the caller's. */
int tn_stage_exchange(tn_stage *stage, tn_world *world, const char *state);
/* After whatever may have changed the model: counts the revision up, and the scene goes out after the turn. quiet:
 * as far as anybody sees, it is the same model. */
void tn_stage_look(tn_stage *stage, bool quiet);
/* The session was put to a time: the trail ends there. */
void tn_stage_sought(tn_stage *stage, double time);
/* The time so many steps ago; NaN when that is not known. */
double tn_stage_time_back(const tn_stage *stage, size_t steps);
/* A document to all clients, which is deleted. */
void tn_stage_tell(tn_stage *stage, cJSON *document);

#endif
