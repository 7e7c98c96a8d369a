/* The overlay of a session: data that the run adds to the model (a pull, closing joints). The model holds only the
 * user's input; the run never writes into it. Private to this layer. */
#ifndef TN_SESSION_OVERLAY_H
#define TN_SESSION_OVERLAY_H

#include "system.h"

/* A pull at a point of a body. */
typedef struct tn_pulling {
    bool active;
    tn_pull_load load;
    double energy;                 /* J: energy that the pull has put into the motion so far */
} tn_pulling;

typedef struct tn_overlay {
    tn_pulling pull;
    double pull_energy_before;     /* J: pull.energy before the last step */
    double pull_powers[5];         /* W: power of the pull at the points of tn_session.powers */
    tn_closing_list closings;      /* joints whose gaps the run is closing gradually */
} tn_overlay;

struct tn_session;
/* Connects the session's system and workspace with the overlay; call after any of them was replaced. */
void tn_overlay_bind(struct tn_session *session);

/* closings.c: adds or replaces, removes and copies the closings of joints. */
int tn_closings_put(tn_closing_list *list, tn_context *context, const tn_closing *closing);
void tn_closings_drop(tn_closing_list *list, uint32_t joint);
int tn_closings_copy(tn_closing_list *out, tn_context *context, const tn_closing_list *list);
/* When model `to` replaces model `from` at t: copies the unfinished closings of joints that both models have. */
int tn_closings_carry(tn_closing_list *out, const tn_closing_list *list, const tn_model *from, const tn_model *to,
                      double t);
/* After a step. TN_ERROR_STEP: joints that are being closed have put far more energy into the mechanism than the way takes, or do so
 * with far more force or power: it is where it cannot follow, or something holds it back. */
int tn_closings_watch(struct tn_session *session);
void tn_closings_free(tn_closing_list *list, tn_context *context);

#endif
