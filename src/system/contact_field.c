/* The field of forces of compliant contacts among the forces and derivatives of a system. */
#include <math.h>
#include <string.h>
#include "derivatives.h"

int tn_field_width(const tn_system *s, int body)
{
    return body < 0 ? 0 : tn_width_of(&s->structure, body);
}

static int pair_width(const tn_system *s, int pair)
{
    return tn_field_width(s, s->field->pairs[pair][0]) + tn_field_width(s, s->field->pairs[pair][1]);
}

int tn_field_entries(const tn_system *s)
{
    int count = 0;
    for (int k = 0; s->field && k < s->field->pair_count; k++)
        count += pair_width(s, k) * pair_width(s, k);
    return count;
}

/* Velocity number j of a pair, among all velocities. */
static int pair_velocity(const tn_system *s, int pair, int j)
{
    const int *bodies = s->field->pairs[pair], first = tn_field_width(s, bodies[0]);
    return j < first ? s->bodies[bodies[0]].v + j : s->bodies[bodies[1]].v + j - first;
}

void tn_field_pattern(tn_derivatives *d, const tn_system *s)
{
    for (int k = 0; s->field && k < s->field->pair_count; k++)
        for (int i = 0; i < pair_width(s, k); i++)
            for (int j = 0; j < pair_width(s, k); j++) {
                d->row[d->count] = pair_velocity(s, k, i);
                d->column[d->count++] = pair_velocity(s, k, j);
            }
}

void tn_field_derivatives(tn_derivatives *d, const tn_eval *e, const tn_system *s, int at)
{
    const int count = tn_field_entries(s);
    if (count == 0)
        return;
    memset(d->position + at, 0, (size_t)count * sizeof(double));
    memset(d->velocity + at, 0, (size_t)count * sizeof(double));
    if (s->field->differentiate(s->field, e, s, d->position + at, d->velocity + at) < 0)
        d->position[at] = NAN;             /* out of memory: no step is taken with these derivatives */
}

void tn_eval_field(tn_eval *e, const tn_system *s)
{
    double potential = 0, loss = 0;
    if (s->field && s->field->add(s->field, e, s, e->f, &potential, &loss) < 0)
        e->component_code = TN_ERROR_MEMORY;
}
