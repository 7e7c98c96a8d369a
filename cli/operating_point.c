/* Opens a model and brings it to the point at which an analysis is wanted. */
#include "operating_point.h"
#include <math.h>

int tn_point_open(tn_operating_point *p, tn_context *context, const tn_arguments *arguments, const char *command,
                  const tn_option_value *given)
{
    p->context = context;
    p->path = arguments->operands[0];
    p->diagnostics = arguments->json ? cJSON_CreateArray() : NULL;
    int status = tn_parameters_read(&p->model, &p->parameters, context, p->path, command, given, p->diagnostics);
    if (status != TN_EXIT_OK)
        return status;
    return tn_diagnostics_flush(context, tn_session_open(&p->session, p->model, NULL), p->diagnostics);
}

int tn_point_advance(tn_operating_point *p, double time)
{
    return tn_diagnostics_flush(p->context, tn_session_advance(p->session, time), p->diagnostics);
}

int tn_point_settle(tn_operating_point *p, const tn_statics_options *options)
{
    int code = tn_session_statics(&p->equilibrium, p->session, options);
    return tn_diagnostics_flush(p->context, code, p->diagnostics);
}

void tn_point_close(tn_operating_point *p)
{
    tn_equilibrium_destroy(p->context, p->equilibrium);
    tn_session_close(p->session);
    tn_model_destroy(p->model);
}

void tn_point_print_halted(const tn_operating_point *p, FILE *out)
{
    enum { MOST = 6 };
    const tn_equilibrium *e = p->equilibrium;
    const size_t count = e ? e->halted_count : 0;
    for (size_t k = 0; k < count && k < MOST; k++)
        fprintf(out, "%s%s (%.6g %s)", k == 0 ? "halted: " : ", ", e->halted[k].name,
                e->halted[k].rate > 0 ? e->halted[k].rate : e->halted[k].acceleration,
                e->halted[k].rate > 0 ? "m/s or rad/s" : "m/s^2 or rad/s^2");
    if (count > 0)
        fprintf(out, "%s: the equilibrium has no forces of this motion\n", count > MOST ? " and others" : "");
}

/* Does the part move in phase with the largest part, or in opposite phase? A sign tells which. */
static bool in_step(const tn_motion_part *part)
{
    static const double STRAIGHT = 1e-3;
    return fabs(sin(part->phase)) < STRAIGHT;
}

void tn_shape_print(const tn_motion_part *parts, size_t count, size_t most, FILE *out)
{
    static const double DEGREES = 57.29577951308232;
    for (size_t k = 0; k < count && k < most; k++) {
        const tn_motion_part *part = &parts[k];
        fprintf(out, "%s%s %.3g", k > 0 ? ", " : "", part->coordinate,
                in_step(part) ? part->amount * cos(part->phase) : part->amount);
        if (!in_step(part))
            fprintf(out, " at %.0f°", part->phase * DEGREES);
    }
    if (count > most)
        fprintf(out, ", ...");
}

int tn_point_file(tn_out_file *out, const tn_operating_point *p, const tn_option_value *given, const char *command, const tn_model *model)
{
    if (!given->given)
        return TN_EXIT_OK;
    int status = tn_out_check(command, "--output", given->text, p->path, model);
    return status == TN_EXIT_OK ? tn_out_open(out, given->text) : status;
}
