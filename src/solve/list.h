/* The solvers, one line each: TN_SOLVER(name) stands for NAME.c in this folder and its tn_solver_NAME. The first is the
 * default. */
TN_SOLVER(direct)
TN_SOLVER(augmented)
TN_SOLVER(hierarchical)
TN_SOLVER(uzawa)
