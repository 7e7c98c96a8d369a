/* The tables of all schemes and integrators, from list.h. */
#include "tenon/sys/stepper.h"

#define TN_SCHEME(name) extern const tn_scheme_type tn_scheme_##name;
#define TN_INTEGRATOR(name) extern const tn_integrator_type tn_integrator_##name;
#include "list.h"

#define TN_SCHEME(name) &tn_scheme_##name,
const tn_scheme_type *const tn_scheme_types[] = {
#include "list.h"
    NULL
};

#define TN_INTEGRATOR(name) &tn_integrator_##name,
const tn_integrator_type *const tn_integrator_types[] = {
#include "list.h"
    NULL
};
