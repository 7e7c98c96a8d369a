/* Checking a model: finds all errors that do not need a run. */
#include <string.h>
#include "diag.h"
#include "session_parts.h"

/* Disables the forces whose errors were reported, and removes their outputs, so that the rest can be checked. */
static void disable_faulty_forces(tn_model *copy, const bool *faulty)
{
    size_t kept = 0;
    const char *rest;
    for (size_t k = 0; k < copy->force_count; k++)
        if (faulty[k])
            copy->forces[k].entity.disabled = true;
    for (size_t k = 0; k < copy->output_count; k++) {
        tn_id id = tn_model_split(copy, copy->outputs[k].channel, &rest);
        if (id.kind != TN_KIND_FORCE || !faulty[id.index])
            copy->outputs[kept++] = copy->outputs[k];
    }
    copy->output_count = kept;
    for (int k = 0; faulty[copy->force_count] && k < 3; k++)
        copy->gravity_text[k].text = NULL;
}

/* Warns about a model that cannot move, which is rarely intended. */
static int warn_of_no_freedom(tn_session *s)
{
    tn_report *report = NULL;
    TN_TRY(tn_session_report(&report, s));
    bool stuck = report->freedoms == 0 && report->coordinates > 0 && !s->system->works;
    int equations = report->equations, coordinates = report->coordinates;
    tn_report_destroy(s->context, report);
    if (stuck)
        tn_warn(s->context, tn_constraint_span(s->system, 0), "the joints leave no freedom: %d equations hold all %d "
                "coordinates, and no drive moves them", equations, coordinates);
    return TN_OK;
}

static int check_rest(tn_model *copy)
{
    tn_session *s = NULL;
    TN_TRY(tn_session_open_as(&s, copy, NULL, TN_ANALYSIS_CHECK, NULL));
    int code = warn_of_no_freedom(s);
    tn_session_close(s);
    return code;
}

int tn_model_check(tn_model *model)
{
    tn_model *copy = NULL;
    bool *faulty = tn_alloc(model->context, model->force_count + 1, sizeof *faulty);
    int forces = faulty ? tn_model_clone(&copy, model) : TN_ERROR_MEMORY, rest = TN_OK;
    if (forces == TN_OK) {
        forces = tn_system_check(copy, faulty);
        bool any = forces == TN_OK;
        for (size_t k = 0; k <= copy->force_count; k++)
            any = any || faulty[k];
        disable_faulty_forces(copy, faulty);
        rest = any ? check_rest(copy) : TN_OK;
    }
    tn_model_destroy(copy);
    tn_free(model->context, faulty);
    return forces < 0 ? forces : rest;
}
