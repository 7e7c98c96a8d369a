/* Condensation: the response of a system of bodies and constraints to forces on a few of its bodies, the ports.
 *     M a - G' lambda = f + P' tau,    G a = u,    tau: forces on the ports
 *     P a = D tau + r                              D symmetric, positive semidefinite
 * Columns of D, r and tau: ports in the order of their numbers, each with the columns of its body. Only create
 * allocates memory. */
#ifndef TENON_SYS_CONDENSE_H
#define TENON_SYS_CONDENSE_H

#include "../team.h"
#include "saddle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_condenser tn_condenser;

/* ports: bodies in ascending order, each once; without ports only back substitution is useful. The structure must
 * outlive the condenser; its groups determine the order of elimination. TN_ERROR_ARGUMENT: ports or groups that do not
 * exist, bodies with more than six columns. */
TN_API int tn_condenser_create(tn_condenser **out, tn_context *context, const tn_structure *structure, const int *ports,
                               int port_count);
/* A condenser of the whole system, without ports, shared by a team: all members make the same calls, and factor and
 * back_substitute return the same values to all of them. team NULL: this process alone. With a team, every function
 * below may return TN_ERROR_TEAM. */
TN_API int tn_condenser_create_shared(tn_condenser **out, tn_context *context, const tn_structure *structure,
                                      const tn_team *team);
TN_API void tn_condenser_destroy(tn_condenser *condenser);
/* The number of columns of all ports together. */
TN_API int tn_condenser_columns(const tn_condenser *condenser);

/* M and G are not kept. TN_ERROR_STEP: M is not positive definite, or rows that should be independent are not. */
TN_API int tn_condenser_factor(tn_condenser *condenser, const double *M, const double *G, tn_rank_rule rule);
/* Finds independent rows, from G alone: those that factor with TN_RANK_DECIDE would keep. independent: one entry a row. info
 * then has the rank and the pivots. Not for a condenser that a team shares. */
TN_API int tn_condenser_decide(bool *independent, tn_condenser *condenser, const double *G);
/* D, columns x columns, after factor. */
TN_API void tn_condenser_response(double *D, const tn_condenser *condenser);
/* T with D = T'T, row by row, and its number of rows, at most the number of columns. Valid until the next factor. */
TN_API const double *tn_condenser_root(int *rows, const tn_condenser *condenser);
/* r for forces f and right-hand sides u of the rows; call after factor. r may be NULL. */
TN_API int tn_condenser_free(double *r, tn_condenser *condenser, const double *f, const double *u);
/* factor and free in one pass; back_substitute reports whether the factorization succeeded. */
TN_API int tn_condenser_factor_free(tn_condenser *condenser, const double *M, const double *G, tn_rank_rule rule,
                                    const double *f, const double *u);
/* All accelerations, and the multipliers unless lambda is NULL; call after free. tau NULL: no forces on the ports. */
TN_API int tn_condenser_back_substitute(double *a, double *lambda, tn_condenser *condenser, const double *tau);
TN_API void tn_condenser_info(tn_saddle_info *out, const tn_condenser *condenser);

#ifdef __cplusplus
}
#endif
#endif
