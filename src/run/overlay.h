/* The overlay of a session: what its run adds to what the model says. The model itself is what the user said, and
 * the run never writes into it. Private to this layer. */
#ifndef TN_SESSION_OVERLAY_H
#define TN_SESSION_OVERLAY_H

#include "system.h"

/* A pull at a point of a body. */
typedef struct tn_pulling {
    bool active;
    tn_pull_load load;
    double energy;                 /* J that the pull has put into the motion so far */
} tn_pulling;

typedef struct tn_overlay {
    tn_pulling pull;
    double pull_energy_before;     /* J: before the last step */
    double pull_powers[5];         /* W within the last step, where tn_session.powers are taken */
    tn_closing_list closings;      /* joints that are being drawn together */
} tn_overlay;

struct tn_session;
/* The session's system and workspace see the overlay: after they or the overlay have become others. */
void tn_overlay_bind(struct tn_session *session);

/* closings.c */
int tn_closings_put(tn_closing_list *list, tn_context *context, const tn_closing *closing);
void tn_closings_drop(tn_closing_list *list, uint32_t joint);
int tn_closings_copy(tn_closing_list *out, tn_context *context, const tn_closing_list *list);
/* Those that go on at t when a model takes the place of another: of joints that both have. */
int tn_closings_carry(tn_closing_list *out, const tn_closing_list *list, const tn_model *from, const tn_model *to,
                      double t);
void tn_closings_free(tn_closing_list *list, tn_context *context);

#endif
