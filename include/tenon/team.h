/* A team: processes that solve one model together.
 *
 * Every member reads the same model and makes the same calls in the same order; each member holds the whole state. The
 * members share the work of the solver "hierarchical": its tree of subsystems is spread over the members; they pass the
 * responses of subsystems up and forces down, and all members get all accelerations. Results equal those of a single
 * process, to the bit. The caller provides the transport of messages; the library has no network code. */
#ifndef TENON_TEAM_H
#define TENON_TEAM_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Assigns a subsystem or group, by its name, to a member. */
typedef struct tn_place {
    const char *name;
    int rank;
} tn_place;

/* All functions return TN_OK, or TN_ERROR_TEAM when a member is gone; from then on every call returns TN_ERROR_TEAM at
 * once. They never wait for a member that is gone. Between two members, messages of one tag arrive in the order in
 * which they were sent. */
typedef struct tn_team {
    int rank, size;            /* this member: 0 ... size - 1 */
    const tn_place *places;    /* unknown names are ignored; of nested subsystems the innermost place counts */
    size_t place_count;
    /* Announces a message that will arrive; data must stay valid until await of its tag has returned. Does not wait. */
    int (*expect)(void *user, int from, int tag, double *data, size_t count);
    int (*await)(void *user, int tag);
    /* Sends a message without waiting; data must not change until the next gather has returned. */
    int (*send)(void *user, int to, int tag, const double *data, size_t count);
    /* Sends every member's part of data, counts[rank] numbers at offsets[rank], to all members. */
    int (*gather)(void *user, double *data, const int *counts, const int *offsets);
    void *user;
} tn_team;

/* From now on the team solves the systems of this context; the team must outlive the context. NULL: this process works
 * alone. */
TN_API void tn_context_set_team(tn_context *context, const tn_team *team);
TN_API const tn_team *tn_context_team(const tn_context *context);

/* The assignment of the parts of a model to members. Work is that of one solution by the solver "hierarchical":
 * approximate number of multiplications. */
typedef struct tn_placement {
    int size;
    const double *work;        /* of each member */
    const int *bodies;         /* number of bodies of each member */
    double elapsed;            /* work until all members have finished, including time spent waiting */
    double total;              /* work of a single process */
    int links;                 /* nodes whose parent has another owner: each costs a message up and one down */
    const char *const *names;  /* groups (or subsystems, when there are no groups), including nested ones */
    const int *ranks;          /* of each name: the member that owns it; -1: several members, or no bodies */
    size_t name_count;
} tn_placement;
/* The placement by the team of the model's context; without a team, a single member owns everything. Owned by the
 * caller: tn_placement_destroy. */
TN_API int tn_model_placement(tn_placement **out, const tn_model *model);
TN_API void tn_placement_destroy(tn_context *context, tn_placement *placement);

#ifdef __cplusplus
}
#endif
#endif
