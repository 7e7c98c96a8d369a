/* Forces along the line between two points that are one point at the start: the direction of such a force is unknown. */
#include <math.h>
#include <string.h>
#include "devices.h"
#include "diag.h"
#include "session_parts.h"

/* N/m: no elastic part is as stiff. Larger forces over the distance of their ends are those of ends that meet; the force of a spring
 * without free length vanishes with the distance, and stays below. */
static const double STIFFEST = 1e12;

static bool along_line(const tn_force_type *type, int effort)
{
    return type->along[effort] && strcmp(type->along[effort], "norm(d)") == 0;
}

int tn_meeting_ends_tell(tn_session *s)
{
    const tn_stepper *st = s->stepper;
    const tn_system *sys = s->system;
    bool evaluated = false;
    for (int k = 0; k < sys->force_count; k++) {
        const tn_sys_force *f = &sys->forces[k];
        const tn_force *force = &s->model->forces[f->source];
        for (int i = 0; i < f->effort_count; i++) {
            if (!along_line(force->type, i))
                continue;
            if (!evaluated)
                TN_TRY(tn_session_evaluate_plainly(s));
            evaluated = true;
            tn_formula_evaluate_values(f->formula, st->eval, st->memory);
            const double distance = tn_formula_value(f->formula, st->eval, f->along + i, 0);
            const double effort = tn_formula_value(f->formula, st->eval, f->effort + i, 0);
            if (fabs(effort) > STIFFEST * fabs(distance))
                tn_warn(s->context, force->entity.span, "%s '%s': its ends are one point at the start, so the direction of its force of %.6g N is "
                        "unknown and no force acts, or one along round-off; move an end", tn_force_word(force), force->entity.name, fabs(effort));
        }
    }
    return TN_OK;
}
