/* What components that are one rigid body of the plane have in common: y = (x, y, turn, and their rates). A component's
 * struct begins with it. */
#ifndef TEST_PLANAR_BODY_H
#define TEST_PLANAR_BODY_H

#include "tenon/sys/component.h"
#include <math.h>
#include <string.h>

enum { WIDTH = 3, STATES = 6 };

typedef struct planar_body {
    const tn_component_host *host;
    double mass[WIDTH], gravity[WIDTH], t, y[STATES];
} planar_body;

static planar_body planar_body_at(const tn_component_host *host, const tn_component_setting *setting, double mass,
                                  double inertia)
{
    return (planar_body){ .host = host, .mass = { mass, mass, inertia },
                          .gravity = { setting->gravity[0], setting->gravity[1] },
                          .y = { setting->p[0], setting->p[1], atan2(setting->axes[0][1], setting->axes[0][0]) } };
}

static void destroy(void *self)
{
    planar_body *b = self;
    if (b)
        b->host->reallocate(b->host->user, b, 0);
}

static int state_count(const void *self)
{
    (void)self;
    return STATES;
}

static void point(const void *self, double *t, double *y)
{
    const planar_body *b = self;
    if (t)
        *t = b->t;
    memcpy(y, b->y, sizeof b->y);
}

static size_t save(const void *self, void *bytes, size_t room)
{
    const planar_body *b = self;
    const size_t size = sizeof b->t + sizeof b->y;
    if (room < size)
        return size;
    memcpy(bytes, &b->t, sizeof b->t);
    memcpy((char *)bytes + sizeof b->t, b->y, sizeof b->y);
    return size;
}

static int restore(void *self, const void *bytes, size_t size)
{
    planar_body *b = self;
    if (size != save(self, NULL, 0))
        return TN_ERROR_ARGUMENT;
    memcpy(&b->t, bytes, sizeof b->t);
    memcpy(b->y, (const char *)bytes + sizeof b->t, sizeof b->y);
    return TN_OK;
}

#endif
