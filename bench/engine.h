/* What a driver offers: one engine, one scene. driver.c holds main() and does the measuring. Engines live until the
 * program ends, which is soon. */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct engine engine;

typedef struct engine_type {
    const char *name;
    const char *const *methods;    /* ending in NULL; the first is the default */
    /* accuracy: step in s, or tolerance where the method has error control; 0 for single evaluations. NULL: this engine
     * or method has no such thing. settings: what is worth knowing about the set-up, at most 200 characters. */
    engine *(*create)(const scene *s, const char *method, double accuracy, char *settings);
    void (*forward)(engine *e);                     /* accelerations at the start, from the state */
    void (*accelerations)(engine *e, double *a);    /* as scene_check wants them */
    void (*step)(engine *e);
    int (*advance)(engine *e, double t);            /* to time t; 0 when the engine gives up */
    void (*motion)(engine *e, scene_motion *m);
} engine_type;

/* Defined by the driver. */
extern const engine_type bench_engine;

#ifdef __cplusplus
}
#endif
#endif
