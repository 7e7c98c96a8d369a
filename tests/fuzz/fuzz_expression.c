/* Fuzz target: an expression, parsed, built and evaluated with its derivatives in a small scope. */
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include "tenon/tenon.h"

/* The expression as a force, a parameter and an output of a model, and as a quantity with a unit. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1 } }\njoints: { j: { type: revolute, "
                               "between: [ground, a], at: [0, 0] } }\nforces: { f: { type: torque, on: a, value: ";
    static const char tail[] = " } }\nsolve: { until: 1, step: 0.01, integrator: rk4 }\n";
    if (size > 4096)
        return 0;
    char *text = malloc(sizeof head + sizeof tail + 2 * size + 8), *at = text;
    if (!text)
        return 0;
    memcpy(at, head, sizeof head - 1);
    at += sizeof head - 1;
    *at++ = '\'';
    for (size_t k = 0; k < size; k++) {
        if (data[k] == '\'')
            *at++ = '\'';
        *at++ = (char)data[k];
    }
    *at++ = '\'';
    memcpy(at, tail, sizeof tail);
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    if (tn_model_read_text(&model, context, text, strlen(text), "fuzz.yaml", "") >= 0 &&
        tn_session_open(&session, model, NULL) >= 0)
        tn_session_step(session);
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    free(text);
    return 0;
}
