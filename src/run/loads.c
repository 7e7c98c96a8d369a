/* Loads of drives and joints: peaks, mean squares and work, sampled at the points where the energy account takes
 * power. */
#include <math.h>
#include "session_impl.h"
#include "vec.h"

static bool is_drive(const tn_session *s, int constraint)
{
    return tn_joint_motion(&s->model->joints[s->system->constraints[constraint].source]) != NULL;
}

static const char *effort_unit(const tn_session *s, int constraint)
{
    const struct tn_joint_term *term = s->model->joints[s->system->constraints[constraint].source].terms;
    const tn_joint_form *form = tn_joint_form_of(s->model, s->model->joints[term->joint].type);
    return form->coordinates[term->coordinate].unit[0] == 'r' ? "N m" : "N";
}

int tn_loads_open(tn_session *s)
{
    size_t most = s->model->joint_count;
    tn_loads *l = tn_arena_alloc(s->arena, 1, sizeof *l);
    if (!l || !(l->drives = tn_arena_alloc(s->arena, most, sizeof *l->drives)) ||
        !(l->joints = tn_arena_alloc(s->arena, most, sizeof *l->joints)))
        return TN_ERROR_MEMORY;
    for (size_t slot = 0; slot < s->model->joint_count; slot++) {
        int c = s->system->constraint_of[slot];
        if (c < 0)
            continue;
        tn_id id = tn_constraint_id(s->system, c);
        if (is_drive(s, c))
            l->drives[l->drive_count++] = (struct tn_drive_tally){
                .constraint = c, .load = { .drive = id, .unit = effort_unit(s, c) } };
        else if (s->model->joints[slot].type->joints == 0)
            l->joints[l->joint_count++] = (struct tn_joint_tally){ c, { .joint = id } };
    }
    s->loads = l;
    return TN_OK;
}

static void keep_largest(double value, double t, double *most, double *when)
{
    if (fabs(value) > fabs(*most)) {
        *most = value;
        *when = t;
    }
}

void tn_loads_take(tn_session *s, double part)
{
    tn_loads *l = s->loads;
    const tn_eval *e = s->stepper->eval;
    for (size_t k = 0; l && k < l->drive_count; k++) {
        struct tn_drive_tally *d = &l->drives[k];
        double effort = e->lambda[s->system->constraints[d->constraint].row];
        double power = tn_constraint_power(e, s->system, d->constraint);
        keep_largest(effort, e->t, &d->load.peak, &d->load.peak_time);
        keep_largest(power, e->t, &d->load.power, &d->load.power_time);
        d->squares += part * effort * effort;
        d->load.work += part * power;
        d->last = effort;
        d->last_power = power;
    }
    for (size_t k = 0; l && k < l->joint_count; k++) {
        struct tn_joint_tally *j = &l->joints[k];
        tn_wrench w;
        tn_constraint_wrench(e, s->system, j->constraint, 1, &w);
        keep_largest(tn_norm3(w.force), e->t, &j->load.force, &j->load.force_time);
        keep_largest(tn_norm3(w.torque), e->t, &j->load.torque, &j->load.torque_time);
    }
}

void tn_loads_repeat(tn_session *s, double part)
{
    tn_loads *l = s->loads;
    for (size_t k = 0; l && k < l->drive_count; k++) {
        l->drives[k].squares += part * l->drives[k].last * l->drives[k].last;
        l->drives[k].load.work += part * l->drives[k].last_power;
    }
}

size_t tn_session_drive_load_count(const tn_session *s)
{
    return s->loads ? s->loads->drive_count : 0;
}

tn_drive_load tn_session_drive_load(const tn_session *s, size_t index)
{
    if (index >= tn_session_drive_load_count(s))
        return (tn_drive_load){ .unit = "" };
    tn_drive_load load = s->loads->drives[index].load;
    load.rms = s->summary.time > 0 ? sqrt(s->loads->drives[index].squares / s->summary.time) : fabs(load.peak);
    return load;
}

size_t tn_session_joint_load_count(const tn_session *s)
{
    return s->loads ? s->loads->joint_count : 0;
}

tn_joint_load tn_session_joint_load(const tn_session *s, size_t index)
{
    return index < tn_session_joint_load_count(s) ? s->loads->joints[index].load : (tn_joint_load){ .force = NAN };
}
