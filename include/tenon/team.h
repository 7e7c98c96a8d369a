/* A team: processes that solve one model together.
 *
 * Every member reads the same model and makes the same calls on it, in the same order; each has the whole state. What
 * is shared is the work of the solver "hierarchical": its tree of subsystems is spread over the members, they pass the
 * responses of subsystems up and forces down, and all get all accelerations. Results are those of one process, to the
 * bit. How messages travel is up to the caller; the library has no network. */
#ifndef TENON_TEAM_H
#define TENON_TEAM_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A subsystem or group by its name, and the member that shall have it. */
typedef struct tn_place {
    const char *name;
    int rank;
} tn_place;

/* All functions return TN_OK, or TN_ERROR_TEAM when some member is gone; from then on every call does so, at once. They
 * never wait for a member that is gone. Between two members, messages of one tag arrive in the order they were sent. */
typedef struct tn_team {
    int rank, size;            /* this member: 0 ... size - 1 */
    const tn_place *places;    /* names that the model does not have are passed over; of nested ones the inner counts */
    size_t place_count;
    /* A message that will come; data must stay until await of its tag has returned. Does not wait. */
    int (*expect)(void *user, int from, int tag, double *data, size_t count);
    int (*await)(void *user, int tag);
    /* Does not wait; data must stay as they are until the next gather has returned. */
    int (*send)(void *user, int to, int tag, const double *data, size_t count);
    /* Every member's part of data, counts[rank] numbers at offsets[rank], to all members. */
    int (*gather)(void *user, double *data, const int *counts, const int *offsets);
    void *user;
} tn_team;

/* From here on systems of this context are solved by the team, which must outlive it. NULL: by this process alone. */
TN_API void tn_context_set_team(tn_context *context, const tn_team *team);
TN_API const tn_team *tn_context_team(const tn_context *context);

/* Where the parts of a model are. Work is that of one solution by the solver "hierarchical", about its
 * multiplications. */
typedef struct tn_placement {
    int size;
    const double *work;        /* of each member */
    const int *bodies;         /* how many each has */
    double elapsed;            /* work until all are done, waiting for each other included */
    double total;              /* what one process would do */
    int links;                 /* nodes of the tree whose parent is elsewhere: each a message up and one down */
    const char *const *names;  /* groups, or without groups subsystems, those inside others included */
    const int *ranks;          /* of each name: who has it; -1: spread over several, or without bodies */
    size_t name_count;
} tn_placement;
/* As the team of the model's context has it; without one, a single member has all. Owned by the caller:
 * tn_placement_destroy. */
TN_API int tn_model_placement(tn_placement **out, const tn_model *model);
TN_API void tn_placement_destroy(tn_context *context, tn_placement *placement);

#ifdef __cplusplus
}
#endif
#endif
