/* Fuzz target: a model file. It is read, checked, written in normal form and, when it is small, opened and stepped. */
#include "fuzz.h"
#include "tenon/tenon.h"

enum { MOST_BODIES = 8, MOST_STEPS = 3 };

static void try_session(tn_context *context, tn_model *model)
{
    tn_session *session = NULL;
    if (tn_model_count(model, TN_KIND_BODY) > MOST_BODIES || tn_session_open(&session, model, NULL) < 0)
        return;
    for (int k = 0; k < MOST_STEPS && tn_session_step(session) >= 0; k++)
        tn_diagnostics_clear(context);
    char *text = NULL;
    if (tn_session_text(&text, session) >= 0)
        tn_text_free(context, text);
    tn_session_close(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_context_refuse_libraries(context, true);
    tn_context_confine(context, "/nonexistent");
    if (tn_model_read_text(&model, context, (const char *)data, size, "fuzz.yaml", "") >= 0)
        try_session(context, model);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return 0;
}
