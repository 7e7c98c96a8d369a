/* Information about the parts of a model whose subsystems are solved separately. */
#include "module.h"
#include "session_impl.h"

size_t tn_session_part_count(const tn_session *s)
{
    const tn_module *modules;
    return (size_t)tn_stepper_modules(s->stepper, &modules);
}

tn_part_info tn_session_part(const tn_session *s, size_t index)
{
    const tn_module *modules;
    if (index >= (size_t)tn_stepper_modules(s->stepper, &modules))
        return (tn_part_info){ 0 };
    const tn_module *m = &modules[index];
    const tn_stepper *st = m->stepper;
    return (tn_part_info){ .path = tn_model_entity_name(s->model, m->source->subsystem), .scheme = st->scheme->name,
                           .integrator = st->integrator->name, .solver = st->solver->name,
                           .bodies = (size_t)m->system->body_count, .joints = (size_t)m->system->constraint_count,
                           .steps = st->counts.steps, .rejected = st->counts.rejected,
                           .evaluations = st->counts.evaluations };
}
