/* The declaration of a parameter whose value the model file gives: of joints, forces, solvers, schemes, integrators. */
#ifndef TENON_SYS_PARAMETER_H
#define TENON_SYS_PARAMETER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_parameter_decl {
    const char *name;
    const char *unit;          /* "m", "rad", "N/m"; "" is a plain number */
    const char *doc;
    double initial;            /* default; NaN: must be given, unless as_built says how to find it */
    const char *as_built;      /* expression when no value is given; joints: its value at the given start */
} tn_parameter_decl;

#ifdef __cplusplus
}
#endif
#endif
