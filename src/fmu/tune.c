/* Parameters of an FMU instance that change while the model runs: an edit of the session that keeps its state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "instance.h"

bool fmu_is_tunable(const fmu *f, size_t parameter)
{
    for (size_t k = 0; k < f->tunable_count; k++)
        if (strcmp(f->tunable[k], f->parameters[parameter].name) == 0)
            return true;
    return false;
}

/* "{ parameters: { k: 200, c: 3 } }"; the caller frees it. Bare numbers are in SI units and take the dimension that fits. */
static char *write_command(const fmu *f)
{
    char *text = NULL;
    size_t size = 0;
    const char *comma = "";
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("{ parameters: {", out);
    for (size_t k = 0; k < f->parameter_count; k++)
        if (f->wanted_set[k]) {
            fprintf(out, "%s %s: %.17g", comma, f->parameters[k].name, f->wanted[k]);
            comma = ",";
        }
    fputs(" } }", out);
    return fclose(out) == 0 ? text : NULL;
}

/* Projects the present state onto the constraints; the session keeps its own state, to the bit. */
static int project(double *projected, fmu *f, const double *state)
{
    tn_state_snapshot *snapshot = NULL;
    int code = tn_session_take_snapshot(&snapshot, f->session);
    if (code >= 0)
        code = tn_session_set_state(f->session, tn_session_time(f->session), state);
    if (code >= 0) {
        tn_session_state(projected, f->session);
        code = tn_session_restore(f->session, snapshot);
    }
    tn_state_snapshot_destroy(snapshot);
    return code;
}

/* Is the state the same as before the edit, to the bit, and does projection leave it there? before, projected: of the old model. */
static bool is_smooth(fmu *f, const double *before, const double *projected, double *after)
{
    const double jump = 1e-6;
    if (tn_session_state_size(f->session) != f->state_size)
        return false;
    tn_session_state(after, f->session);
    if (memcmp(before, after, f->state_size * sizeof *before) != 0 || project(after, f, before) < 0)
        return false;
    for (size_t k = 0; k < f->state_size; k++)
        if (!(fabs(after[k] - projected[k]) <= jump * fmax(1, fabs(before[k])) + 2 * fabs(projected[k] - before[k])))
            return false;
    return true;
}

/* Applies the edit if the state does not jump; otherwise the session stays as it was. */
static fmu_status apply(fmu *f, const char *command)
{
    const size_t n = f->state_size;
    double *before = calloc(3 * n + 1, sizeof *before);
    if (!before)
        return FMU_ERROR;
    double *projected = before + n, *after = projected + n;
    tn_session_state(before, f->session);
    int code = project(projected, f, before);
    if (code >= 0)
        code = tn_session_apply(NULL, f->session, command);
    bool smooth = code >= 0 && is_smooth(f, before, projected, after);
    free(before);
    if (code < 0)
        return fmu_fail(f, FMU_ERROR);
    tn_diagnostics_clear(f->context);
    if (smooth)
        return FMU_OK;
    if (tn_session_undo(NULL, f->session, true) < 0) {
        f->mode = FMU_FAILED;
        return fmu_fail(f, FMU_ERROR);
    }
    return fmu_say(f, FMU_ERROR, "logStatusError", "the parameters cannot have these values now: positions, velocities or "
                   "states would jump");
}

void fmu_take_values(fmu *f, const tn_model *model)
{
    for (size_t k = 0; k < f->input_count; k++)
        f->inputs[k] = tn_model_input_at(model, k).id;
    for (size_t k = 0, i = 0; k < tn_model_parameter_count(model); k++) {
        tn_parameter_value p = tn_model_parameter(model, k);
        if (!strchr(p.name, '.') && i < f->parameter_count)
            f->parameters[i++].value = p.value;
    }
}

fmu_status fmu_want(fmu *f, size_t parameter, double value)
{
    const char *name = f->parameters[parameter].name;
    if (!fmu_is_tunable(f, parameter))
        return fmu_say(f, FMU_ERROR, "logStatusError", "parameter '%s': a fixed parameter can only be set before and during "
                       "initialization", name);
    if (f->mode != FMU_EVENT && f->mode != FMU_STEP)
        return fmu_say(f, FMU_ERROR, "logStatusError", "parameter '%s': a tunable parameter can only be set between steps, or "
                       "in event mode", name);
    f->wanted[parameter] = value;
    f->wanted_set[parameter] = true;
    return FMU_OK;
}

fmu_status fmu_tune(fmu *f)
{
    bool wanted = false;
    double change;
    for (size_t k = 0; k < f->parameter_count; k++) {
        f->wanted_set[k] = f->wanted_set[k] && f->wanted[k] != f->parameters[k].value;
        wanted |= f->wanted_set[k];
    }
    if (!wanted)
        return FMU_OK;
    f->values_known = f->rates_known = false;
    fmu_status status = f->exchange ? fmu_follow(f, f->rate, &change) : FMU_OK;
    fmu_locale locale = fmu_locale_begin();
    char *command = status == FMU_OK ? write_command(f) : NULL;
    if (status == FMU_OK)
        status = command ? apply(f, command) : FMU_ERROR;
    fmu_locale_end(&locale);
    free(command);
    if (status == FMU_OK)
        fmu_take_values(f, tn_session_model(f->session));
    for (size_t k = 0; k < f->parameter_count; k++) {
        f->parameter_set[k] |= status == FMU_OK && f->wanted_set[k];
        f->wanted_set[k] = false;
    }
    return status;
}
