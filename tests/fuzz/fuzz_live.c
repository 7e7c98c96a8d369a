/* Fuzz target: commands to a running model, one a line. What is accepted must be writable as text, and undone to the bit. */
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include "tenon/tenon.h"

static const char MODEL[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: { m: 2, k: '3 N/m' }\nbodies:\n"
    "  a: { mass: 1, inertia: 0.1, position: [0.5, 0], frames: { end: { at: [0.5, 0] } } }\n"
    "  b: { mass: m, inertia: 0.2, position: [1.5, 0], frames: { start: { at: [-0.5, 0] } } }\n"
    "joints:\n  pivot: { type: revolute, between: [ground, a], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [a.end, b.start] }\n"
    "forces:\n  s: { type: spring, between: [ground, b], stiffness: k, length: 0.5, damping: 0.1 }\n"
    "events:\n  low: { when: pivot.angle + 1, do: { log: 'low' } }\nsolve: { until: 2, step: 1 ms, integrator: rk4 }\n";

enum { MOST_LINES = 12 };

static void try_command(tn_context *context, tn_session *session, const char *command)
{
    tn_ack ack = { 0 };
    char *text = NULL;
    uint64_t before = tn_session_hash(session);
    int code = tn_session_apply(&ack, session, command);
    if (code < 0 && tn_session_hash(session) != before)
        abort();                                       /* a refused command has changed the state */
    if (code >= 0 && tn_session_text(&text, session) < 0)
        abort();                                       /* what was accepted cannot be written */
    tn_text_free(context, text);
    tn_session_step(session);
    tn_diagnostics_clear(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    char *text = malloc(size + 1), *next = NULL;
    tn_context_refuse_libraries(context, true);
    if (text && tn_model_read_text(&model, context, MODEL, sizeof MODEL - 1, "fuzz.yaml", "") >= 0 &&
        tn_session_open(&session, model, NULL) >= 0) {
        tn_context_confine(context, "/nonexistent");
        memcpy(text, data, size);
        text[size] = '\0';
        int lines = 0;
        for (char *line = strtok_r(text, "\n", &next); line && lines < MOST_LINES; line = strtok_r(NULL, "\n", &next))
            try_command(context, session, ++lines % 5 ? line : "{}");
        tn_session_undo(NULL, session, true);
    }
    free(text);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return 0;
}
