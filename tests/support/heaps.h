/* Models of bodies of all shapes that fall onto each other in a box, by chance. */
#ifndef TEST_HEAPS_H
#define TEST_HEAPS_H

#include <stdio.h>
#include <string.h>
#include "random.h"

enum { HEAP_TEXT = 6000 };

typedef struct heap {
    int dimension, bodies;
    double until, most_friction, most_restitution;
} heap;

static inline size_t heap_of_plane(char *text, size_t room, const heap *h, uint32_t *random)
{
    static const char *const shapes[] = { "disc: { radius: 0.12 }", "box: { size: [0.3, 0.2] }",
                                          "capsule: { length: 0.25, radius: 0.08, axis: x }",
                                          "polygon: { corners: [[-0.1, -0.1], [0.2, -0.1], [0, 0.2]] }" };
    size_t n = (size_t)snprintf(text, room,
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  ground: { shapes: [ { half_space: { normal: [0, 1] } },\n"
        "    { half_space: { normal: [1, 0], at: [-1, 0] } }, { half_space: { normal: [-1, 0], at: [1, 0] } } ] }\n");
    for (int k = 0; k < h->bodies; k++)
        n += (size_t)snprintf(text + n, room - n, "  b%d: { mass: 1, inertia: 0.01, position: [%g, %g], angle: %g, "
                              "velocity: [%g, %g], angular_velocity: %g, shapes: [ { %s } ] }\n", k, -0.5 + 0.25 * k,
                              0.5 + 0.45 * k, 6 * uniform(random), 4 * uniform(random) - 2, 4 * uniform(random) - 2,
                              10 * uniform(random) - 5, shapes[(int)(4 * uniform(random))]);
    return n;
}

static inline size_t heap_of_space(char *text, size_t room, const heap *h, uint32_t *random)
{
    static const char *const shapes[] = { "sphere: { radius: 0.12 }", "box: { size: [0.3, 0.2, 0.25] }",
                                          "capsule: { length: 0.25, radius: 0.08, axis: x }" };
    size_t n = (size_t)snprintf(text, room,
        "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: { normal: [0, 0, 1] } },"
        " { half_space: { normal: [1, 0, 0], at: [-0.5, 0, 0] } }, { half_space: { normal: [-1, 0, 0], at: [0.5, 0, 0] "
        "} }, { half_space: { normal: [0, 1, 0], at: [0, -0.5, 0] } }, { half_space: { normal: [0, -1, 0], "
        "at: [0, 0.5, 0] } } ] }\n");
    for (int k = 0; k < h->bodies; k++) {
        double axis[3], turn[3], speed[3];
        random_vector(random, 3, 1, axis);
        random_vector(random, 3, 5, turn);
        random_vector(random, 3, 2, speed);
        n += (size_t)snprintf(text + n, room - n, "  b%d: { mass: 1, inertia: [0.01, 0.012, 0.008], position: [%g, %g, "
                              "%g], rotation: { axis: [%g, %g, %g], angle: %g }, velocity: [%g, %g, %g], "
                              "angular_velocity: [%g, %g, %g], shapes: [ { %s } ] }\n", k, between(random, -0.2, 0.2),
                              between(random, -0.2, 0.2), 0.5 + 0.5 * k, axis[0], axis[1], axis[2],
                              6 * uniform(random), speed[0], speed[1], speed[2], turn[0], turn[1], turn[2],
                              shapes[(int)(3 * uniform(random))]);
    }
    return n;
}

static inline void heap_text(char text[HEAP_TEXT], const heap *h, uint32_t seed)
{
    static const char *const laws[] = { "newton", "sequence", "poisson" };
    uint32_t random = seed;
    char names[200] = "ground";
    size_t n = h->dimension == 2 ? heap_of_plane(text, HEAP_TEXT, h, &random)
                                 : heap_of_space(text, HEAP_TEXT, h, &random);
    for (int k = 0; k < h->bodies; k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), ", b%d", k);
    snprintf(text + n, HEAP_TEXT - n, "contacts: { heap: { among: [%s], restitution: %g, friction: %g } }\n"
             "solve: { until: %g, impact: %s }\n", names, h->most_restitution * uniform(&random),
             h->most_friction * uniform(&random), h->until, laws[seed % 3]);
}

#endif
