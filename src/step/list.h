/* The schemes and integrators, one line each: TN_SCHEME(name) and TN_INTEGRATOR(name) stand for NAME.c in this folder
 * and its tn_scheme_NAME or tn_integrator_NAME. Define the macro you want before including; the other is skipped. */
#ifndef TN_SCHEME
#define TN_SCHEME(name)
#endif
#ifndef TN_INTEGRATOR
#define TN_INTEGRATOR(name)
#endif

TN_SCHEME(projection)
TN_SCHEME(baumgarte)
TN_SCHEME(penalty)
TN_SCHEME(taylor1)
TN_SCHEME(taylor2)

TN_INTEGRATOR(dopri5)
TN_INTEGRATOR(dop853)
TN_INTEGRATOR(rk4)
TN_INTEGRATOR(heun)
TN_INTEGRATOR(midpoint)
TN_INTEGRATOR(semi_implicit_euler)
TN_INTEGRATOR(newmark)
TN_INTEGRATOR(newmark_pec)
TN_INTEGRATOR(newmark_adaptive)
TN_INTEGRATOR(newmark_iterated)
TN_INTEGRATOR(generalized_alpha)
#ifdef TENON_HAS_SUNDIALS
TN_INTEGRATOR(cvode)
TN_INTEGRATOR(ida)
#endif
TN_INTEGRATOR(modular)

#undef TN_SCHEME
#undef TN_INTEGRATOR
