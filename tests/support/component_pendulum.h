/* A double pendulum whose second bar is a component: FREE_BODY, the library of tests/library/free_body.c. */
#ifndef TEST_COMPONENT_PENDULUM_H
#define TEST_COMPONENT_PENDULUM_H

#include "mechanisms.h"

#define HEAD "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
#define UPPER "  upper: { mass: 1.5, inertia: 0.08, com: [0.4, 0], position: [0, 0], angle: -20 deg }\n"
#define SHOULDER "  shoulder: { type: revolute, between: [ground, upper], at: [0, 0] }\n"
#define ELBOW "  elbow: { type: revolute, between: [upper, %s], at: [0.75, -0.27] }\n"

static inline machine coupled_pendulum(const char *parameters)
{
    return machine_format(HEAD "bodies:\n" UPPER
                          "subsystems:\n"
                          "  lower: { use: " FREE_BODY ", at: [1.05, -0.3],\n"
                          "           parameters: { mass: 2 kg, inertia: 0.2%s } }\n"
                          "joints:\n" SHOULDER ELBOW, parameters, "lower.hub");
}

static inline machine open_pendulum(void)
{
    return machine_format(HEAD "bodies:\n" UPPER "  lower: { mass: 2, inertia: 0.2, position: [1.05, -0.3] }\n"
                          "joints:\n" SHOULDER ELBOW, "lower");
}

/* Has something been reported with this text? */
static inline bool machine_says(const machine *m, const char *text)
{
    for (size_t k = 0; k < tn_diagnostics_count(m->context); k++)
        if (strstr(tn_diagnostics_get(m->context, k)->message, text))
            return true;
    tn_diagnostics_print(m->context, stderr);
    return false;
}

#endif
