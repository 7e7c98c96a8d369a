/* Answers of the library as JSON: the same for the program's --json and for the studio. Documents are the
 * caller's. */
#ifndef TN_JSON_ANSWERS_H
#define TN_JSON_ANSWERS_H

#include "tenon/tenon.h"
#include <cJSON.h>

cJSON *tn_json_diagnostic(const tn_diagnostic *diagnostic);

/* Gaps that assembly closed. */
cJSON *tn_json_gaps(const tn_model *model, const tn_session *session);
/* steps, gaps, shifts: of a session of tn_session_open_assembled. */
void tn_json_add_assembly(cJSON *document, const tn_model *model, const tn_session *session);

/* An array "parts" when the model is solved part by part. */
void tn_json_add_parts(cJSON *document, const tn_session *session);

/* "stable", "indifferent", "unstable". */
const char *tn_equilibrium_word(tn_equilibrium_kind kind);
/* The equilibrium that the session is in, with the channels that say something there. */
void tn_json_add_equilibrium(cJSON *document, const tn_equilibrium *equilibrium, tn_session *session);
/* The index-th channel with its value if it says something about a mechanism at rest (coordinates, reactions, loads) or
 * is recorded; name NULL: it does not. */
tn_channel tn_channel_at_rest(tn_session *session, size_t index, double *value);
/* "motions": coordinate, shape and bodies of each. */
void tn_json_add_free_motions(cJSON *document, const tn_free_motions *motions);
/* At most so many modes, the slowest first. */
void tn_json_add_modes(cJSON *document, const tn_modes *modes, size_t count);
/* How the bodies move in a mode, as an array "bodies". */
void tn_json_add_mode_bodies(cJSON *document, const tn_mode *mode);

/* The parts of a reaction that a model of its dimension has: "Fx" ..., ending with label NULL. */
typedef struct tn_reaction_part {
    const char *label;
    int torque, axis;
} tn_reaction_part;
const tn_reaction_part *tn_reaction_parts(const tn_model *model);
bool tn_reaction_is_unique(const tn_reaction_uniqueness *reaction, const tn_reaction_part *part);
/* Whether a joint has a fuse or a latch, and which. */
bool tn_joint_has_trigger(const tn_model *model, tn_id joint, tn_fuse *fuse, tn_latch *latch);
/* Counts, bodies, joints with the uniqueness of their reactions, contacts, fuses and latches, redundancy groups. */
void tn_json_add_report(cJSON *document, const tn_model *model, const tn_report *report);

#endif
