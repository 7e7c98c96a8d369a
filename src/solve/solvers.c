/* The table of all solvers, from list.h. */
#include "tenon/sys/saddle.h"

#define TN_SOLVER(name) extern const tn_solver_type tn_solver_##name;
#include "list.h"
#undef TN_SOLVER

#define TN_SOLVER(name) &tn_solver_##name,
const tn_solver_type *const tn_solver_types[] = {
#include "list.h"
    NULL
};
