/* Fuzz target: files that stand beside a model. The first byte says which: 0 a table (CSV), 1 coefficients of a tyre (.tir),
 * 2 a surface (STL) as a shape that touches, 3 a subsystem. The model is opened and stepped with it. */
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mem.h"
#include "tenon/tenon.h"

enum { MOST_STEPS = 2 };

static const struct { const char *path, *model; } cases[] = {
    { "road.csv", "tenon: 1\ndimension: 2\ntables: { road: { file: road.csv, columns: [x, y] } }\n"
                  "bodies: { a: { mass: 1, inertia: 1 } }\nforces: { f: { type: torque, on: a, value: 'road(t)' } }\n" },
    { "tyre.tir", "tenon: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies: { wheel: { mass: 20, inertia: [1, 2, 1], "
                  "position: [0, 0, 0.3] } }\nforces: { tyre: { type: tyre-magic-formula, on: wheel, tir: tyre.tir } }\n" },
    { "surface.stl", "tenon: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n  block: { shapes: [{ mesh: { file: surface.stl, "
                     "touch: surface }, density: 1000 kg/m^3 }] }\n  ball: { shapes: [{ sphere: { radius: 0.1 }, "
                     "density: 1000 kg/m^3 }], position: [0, 0, 0.5] }\ncontacts: { c: { between: [block, ball] } }\n" },
    { "part.yaml", "tenon: 1\ndimension: 2\nsubsystems: { part: { use: part.yaml } }\n"
                   "joints: { j: { type: revolute, between: [ground, part.hook] } }\n" },
};

static void run_model(tn_context *context, const char *text)
{
    static const char solve[] = "solve: { until: 1, step: 1 ms, integrator: rk4 }\n";
    char whole[1000];
    tn_model *model = NULL;
    tn_session *session = NULL;
    snprintf(whole, sizeof whole, "%s%s", text, solve);
    if (tn_model_read_text(&model, context, whole, strlen(whole), "fuzz.yaml", "") >= 0 &&
        tn_model_count(model, TN_KIND_BODY) <= 8 && tn_session_open(&session, model, NULL) >= 0)
        for (int k = 0; k < MOST_STEPS && tn_session_step(session) >= 0; k++)
            tn_diagnostics_clear(context);
    tn_session_close(session);
    tn_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t which = data[0] % (sizeof cases / sizeof cases[0]);
    const tn_memory_file file = { cases[which].path, (const char *)data + 1, size - 1 };
    tn_context *context = tn_context_create(NULL);
    tn_context_refuse_libraries(context, true);
    tn_context_give(context, &file, 1);
    run_model(context, cases[which].model);
    tn_context_destroy(context);
    return 0;
}
